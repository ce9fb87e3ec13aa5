"""Elimination of inner joints: the affine maps of the subsystems, up and down (KV section 2).

Of a subsystem X'' = D Q + R; Q (6 b,): forces and torques on its b outer bodies by joints outside it, X'' their accelerations.
Bodies are (linear, angular), at the centre of mass, world axes. For one body, with W its applied forces and gyroscopic torque,

    D = M^-1,   R = M^-1 W                                                                                          (1)

Children are joined by the joints between them. With D, R of all children together, G the rows of these joints, u = -(dG/dt) X':

    X'' = D (Q + G^T lambda) + R,   G X'' = u                                                                       (2)
    P = G D G^T,   lambda = S Q + V,   S = -P^-1 G D,   V = P^-1 (u - G R)                                          (3)
    X'' = (D + D G^T S) Q + (R + D G^T V)                                                                           (4)

of which the parent needs the rows and columns of the outer bodies. This is KV's (1) to (3) for a leaf and (4) to (6) for a node;
at the root Q = 0 and G includes the joints to the ground (7), whose motion is in u. Then lambda is known, and each child gets its
Q from above and from lambda: forces flow down to the bodies.

Rows may depend on one another (closed loops, collinear bars). P is factorised with pivoting, and rows that follow from others
within DEPENDENT are dropped, in every evaluation anew; their multipliers are 0.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physics.core.jit import kernel
from physics.subsystems.partition import Subsystem

Array = NDArray[np.float64]

DEPENDENT = 1e-11
"""Rows whose pivot is below this fraction of their own P_ii follow from others."""


@dataclass(frozen=True)
class Plan:
    """Places of a subsystem's bodies and rows, fixed as long as the mechanism is.

    width: six columns for each outer body of its children, in order. column (bodies,): the first of a body's columns, -1: none.
    outer: columns of its own outer bodies. spans: columns of each child.
    """

    subsystem: Subsystem
    children: tuple["Plan", ...]
    width: int
    column: NDArray[np.int64]
    outer: NDArray[np.int64]
    spans: tuple[slice, ...]

    @classmethod
    def of(cls, subsystem: Subsystem, bodies: int) -> "Plan":
        """The plan of a subsystem and all inside it, in a world of so many bodies."""
        children = tuple(cls.of(child, bodies) for child in subsystem.children)
        inside = [body for child in subsystem.children for body in child.outer] if children else list(subsystem.bodies)
        column = np.full(bodies, -1, np.int64)
        column[inside] = 6 * np.arange(len(inside))
        outer = np.array([column[body] + k for body in subsystem.outer for k in range(6)], np.int64)
        spans, at = [], 0
        for child in subsystem.children:
            spans.append(slice(at, at + 6 * len(child.outer)))
            at += 6 * len(child.outer)
        return cls(subsystem, children, 6 * len(inside), column, outer, tuple(spans))


@dataclass
class Reduced:
    """A subsystem after the elimination: (2) to (4). D, R: of its outer bodies; the others serve the way down."""

    plan: Plan
    children: tuple["Reduced", ...]
    D: Array
    R: Array
    answer: Array            # D G^T of the rows that are kept, all columns
    gain: Array              # S of (3), kept rows, outer columns
    bias: Array              # V of (3), kept rows
    kept: NDArray[np.int64]  # places of the kept rows among those that it eliminates
    rows: NDArray[np.int64]  # rows of the mechanism that it eliminates
    jacobian: Array          # G, kept rows


Rows = Callable[[Plan], tuple[NDArray[np.int64], Array, Array]]
"""Of a subsystem: the mechanism's rows that it eliminates (m,), G (m, columns), u (m,)."""


def reduce(plan: Plan, response: Array, free: Array, rows: Rows) -> Reduced:
    """The way up. response (bodies, 6, 6), free (bodies, 6): (1) of every body."""
    if not plan.children:
        none, nothing, outer = np.zeros((0, 0)), np.zeros(0), len(plan.outer) > 0     # a root without bodies is one of these, too
        D, R = (response[plan.subsystem.bodies[0]], free[plan.subsystem.bodies[0]]) if outer else (none, nothing)
        return Reduced(plan, (), D, R, none, none, nothing, nothing.astype(np.int64), nothing.astype(np.int64), none)
    children = tuple(reduce(child, response, free, rows) for child in plan.children)
    number, jacobian, wanted = rows(plan)
    answer = np.empty((plan.width, len(number)))
    right = wanted.copy()
    for span, child in zip(plan.spans, children, strict=True):
        answer[span] = child.D @ jacobian[:, span].T
        right -= jacobian[:, span] @ child.R
    factor, kept = factorised(jacobian @ answer)
    answer, jacobian = answer[:, kept], jacobian[kept]
    bias = solved(factor, right[kept])
    R = np.concatenate([child.R for child in children])
    R = (R + answer @ bias)[plan.outer]
    gain = -solved(factor, answer[plan.outer].T)
    D = answer[plan.outer] @ gain
    where = {int(c): k for k, c in enumerate(plan.outer)}
    for span, child in zip(plan.spans, children, strict=True):
        mine = [(c - span.start, where[c]) for c in range(span.start, span.stop) if c in where]
        if mine:
            inner, place = np.array(mine).T
            D[np.ix_(place, place)] += child.D[np.ix_(inner, inner)]
    return Reduced(plan, children, 0.5 * (D + D.T), R, answer, gain, bias, kept, number, jacobian)


def expand(found: Reduced, force: Array, forces: Array, multipliers: Array) -> None:
    """The way down. force (6 outer,): Q. Adds what joints do to each body to forces (bodies, 6); writes multipliers (rows,)."""
    plan = found.plan
    if not plan.children:
        if len(force):
            forces[plan.subsystem.bodies[0]] += force
        return
    multiplier = found.gain @ force + found.bias
    multipliers[found.rows] = 0.0
    multipliers[found.rows[found.kept]] = multiplier
    inside = found.jacobian.T @ multiplier
    inside[plan.outer] += force
    for span, child in zip(plan.spans, found.children, strict=True):
        expand(child, inside[span], forces, multipliers)


def factorised(P: Array) -> tuple[Array, NDArray[np.int64]]:
    """(L, kept): Cholesky factor, lower, of the rows and columns of P that are independent, in the order of their pivots."""
    work, kept = P.copy(), np.empty(len(P), np.int64)
    rank = pivoted_cholesky(work, kept, DEPENDENT)
    return np.ascontiguousarray(work[kept[:rank], :rank]), kept[:rank]


@kernel
def pivoted_cholesky(work, order, dependent):
    """Factorise a symmetric positive semi-definite matrix (n, n) in place: column k of `work` becomes that of L, for all rows.

    order (n,): the pivots chosen, largest rest first. Returns the rank: pivots above `dependent` times the diagonal's entry.
    """
    n = work.shape[0]
    rest, scale, free = np.empty(n), np.empty(n), np.ones(n, np.bool_)
    for i in range(n):
        rest[i] = scale[i] = work[i, i]
    lower = np.zeros((n, n))
    rank = 0
    for k in range(n):
        best, at = 0.0, -1
        for i in range(n):
            if free[i] and scale[i] > 0.0 and rest[i] / scale[i] > best:
                best, at = rest[i] / scale[i], i
        if at < 0 or best <= dependent:
            break
        size = np.sqrt(rest[at])
        order[k], free[at] = at, False
        lower[at, k] = size
        for i in range(n):
            if free[i]:
                value = work[i, at]
                for m in range(k):
                    value -= lower[i, m] * lower[at, m]
                lower[i, k] = value / size
                rest[i] -= lower[i, k] * lower[i, k]
        rank += 1
    work[:] = lower
    return rank


def solved(factor: Array, right: Array) -> Array:
    """(L L^T)^-1 right."""
    out = np.array(right, np.float64, ndmin=2).T.copy() if right.ndim == 1 else right.copy()
    substitute(factor, out)
    return out[:, 0] if right.ndim == 1 else out


@kernel
def substitute(lower, right):
    """right <- (L L^T)^-1 right, (n, m)."""
    n, m = right.shape[0], right.shape[1]
    for i in range(n):
        for j in range(i):
            for c in range(m):
                right[i, c] -= lower[i, j] * right[j, c]
        for c in range(m):
            right[i, c] /= lower[i, i]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            for c in range(m):
                right[i, c] -= lower[j, i] * right[j, c]
        for c in range(m):
            right[i, c] /= lower[i, i]
