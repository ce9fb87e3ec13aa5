"""Elimination of inner joints: the affine maps of the subsystems, up and down (KV section 2).

Of a subsystem X'' = D Q + R; Q (6 b,): forces and torques on its b outer bodies by joints outside it, X'' their accelerations.
Bodies are (linear, angular), at the centre of mass, world axes. For one body, with W its applied forces and gyroscopic torque,

    D = M^-1,   R = M^-1 W                                                                                          (1)

Children are joined by the joints between them. With D, R of all children together, G the rows of these joints, u = -(dG/dt) X':

    X'' = D (Q + G^T lambda) + R,   G X'' = u                                                                       (2)
    P = G D G^T + E,   lambda = S Q + V,   S = -P^-1 G D,   V = P^-1 (u - G R)                                      (3)
    X'' = (D + D G^T S) Q + (R + D G^T V)                                                                           (4)

of which the parent needs the rows and columns of the outer bodies. This is KV's (1) to (3) for a leaf and (4) to (6) for a node;
at the root Q = 0 and G includes the joints to the ground (7), whose motion is in u. Then lambda is known, and each child gets its
Q from above and from lambda: forces flow down to the bodies. E is diagonal and 0, but for rows of friction that give way a
little, G X'' = u - E lambda, so that rows which follow from others share the load (sticking.py).

Rows may depend on one another (closed loops, collinear bars). P is factorised with pivoting, and rows that follow from others
within DEPENDENT_PIVOT are dropped, in every evaluation anew; their multipliers are 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physics.articulated.subsystems.partition import Subsystem
from physics.core.dense import assign
from physics.core.jit import inline, kernel

Array = NDArray[np.float64]

DEPENDENT_PIVOT = 1e-11
"""Rows whose pivot is below this fraction of their own P_ii follow from others."""


@dataclass(frozen=True)
class Plan:
    """Places of a subsystem's bodies and rows, fixed as long as the mechanism is.

    width: six columns for each outer body of its children. inside: these bodies, in the order of their columns. outer: columns of
    its own outer bodies. spans: columns of each child. passed: of each child's outer bodies those that are the subsystem's, too:
    where in D of the child, where in its own.
    """

    subsystem: Subsystem
    children: tuple["Plan", ...]
    width: int
    inside: NDArray[np.int64]
    outer: NDArray[np.int64]
    spans: tuple[slice, ...]
    passed: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]

    @classmethod
    def of(cls, subsystem: Subsystem) -> "Plan":
        """The plan of a subsystem and all inside it."""
        children = tuple(cls.of(child) for child in subsystem.children)
        inside = [body for child in subsystem.children for body in child.outer] if children else list(subsystem.bodies)
        column = {body: 6 * k for k, body in enumerate(inside)}
        outer = np.array([column[body] + k for body in subsystem.outer for k in range(6)], np.int64)
        spans, passed, at, place = [], [], 0, np.full(6 * len(inside), -1, np.int64)
        place[outer] = np.arange(len(outer))
        for child in subsystem.children:
            spans.append(slice(at, at + 6 * len(child.outer)))
            at += 6 * len(child.outer)
            inner = np.flatnonzero(place[spans[-1]] >= 0)
            passed.append((inner, place[spans[-1]][inner]))
        return cls(subsystem, children, 6 * len(inside), np.array(inside, np.int64), outer, tuple(spans), tuple(passed))


@dataclass(frozen=True)
class Response:
    """X'' = D Q + R of a subsystem's outer bodies."""

    D: Array
    R: Array


@dataclass(frozen=True)
class Joined(Response):
    """A subsystem after the elimination: (2) to (4), with what the way down needs."""

    gain: Array              # S of (3), kept rows, outer columns
    bias: Array              # V of (3), kept rows
    kept: NDArray[np.int64]  # places of the kept rows among those that it eliminates
    rows: NDArray[np.int64]  # rows of the mechanism that it eliminates
    jacobian: Array          # G, kept rows


Rows = Callable[[Plan], tuple[NDArray[np.int64], Array, Array, Array]]
"""Of a subsystem: the mechanism's rows that it eliminates (m,), G (m, columns), u (m,), the diagonal of E (m,)."""


@dataclass(frozen=True)
class Bodies:
    """The bodies of a mechanism before the elimination: (1). response (bodies, 6, 6); free (bodies, 6)."""

    response: Array
    free: Array
    rows: Rows
    number: int     # of rows of the mechanism


class Elimination:
    """Solves (2) for a whole mechanism, in this process. distributed.py has the one over several processes."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def solve(self, bodies: Bodies) -> tuple[Array, Array]:
        """(multipliers (rows,), what joints do to each body (bodies, 6))."""
        multipliers, forces = np.zeros(bodies.number), np.zeros_like(bodies.free)
        _, give = up(self.plan, bodies)
        give(np.zeros(0), forces, multipliers)
        return multipliers, forces


GiveForces = Callable[[Array, Array, Array], None]
"""The way down of a subsystem, from force (6 outer,), Q: adds what joints do to each body to forces (bodies, 6); writes
multipliers (rows,)."""


def up(plan: Plan, bodies: Bodies) -> tuple[Response, GiveForces]:
    """The way up of a subsystem and all inside it, and its way down."""
    if not plan.children:
        return leaf(plan, bodies)
    below = [up(child, bodies) for child in plan.children]
    found = join(plan, [response for response, _ in below], bodies.rows)

    def down(force: Array, forces: Array, multipliers: Array) -> None:
        inside = split(plan, found, force, multipliers)
        for span, (_, give) in zip(plan.spans, below, strict=True):
            give(inside[span], forces, multipliers)
    return found, down


def leaf(plan: Plan, bodies: Bodies) -> tuple[Response, GiveForces]:
    """One body, (1), and its way down; a body without joints, or a root without bodies, shows nothing."""
    if not len(plan.outer):
        return Response(np.zeros((0, 0)), np.zeros(0)), lambda force, forces, multipliers: None
    body = plan.subsystem.bodies[0]

    def down(force: Array, forces: Array, multipliers: Array) -> None:
        forces[body] += force
    return Response(bodies.response[body], bodies.free[body]), down


def join(plan: Plan, children: Sequence[Response], rows: Rows) -> Joined:
    """(2) to (4) of a subsystem from its children."""
    number, jacobian, wanted, softness = rows(plan)
    answer, R = np.zeros((len(number), plan.width)), np.concatenate([child.R for child in children])     # G D, R of all children
    for span, child in zip(plan.spans, children, strict=True):
        respond(child.D, jacobian, span.start, answer)
    P, right = np.diag(softness), wanted.copy()
    assemble(jacobian, answer, R, P, right)
    factor, kept = factorised(P)
    answer, jacobian = answer[kept], jacobian[kept]
    bias, shown = solved(factor, right[kept]), np.ascontiguousarray(answer[:, plan.outer])
    gain, D = -solved(factor, shown), np.zeros((len(plan.outer), len(plan.outer)))
    reduce(shown, gain, D)
    for (inner, place), child in zip(plan.passed, children, strict=True):
        embed(child.D, inner, place, D)
    return Joined(D, R[plan.outer] + bias @ shown, gain, bias, kept, number, jacobian)


def split(plan: Plan, found: Joined, force: Array, multipliers: Array) -> Array:
    """Forces on the outer bodies of all children (width,), from those on the subsystem's own; writes multipliers (rows,)."""
    multiplier = found.gain @ force + found.bias
    multipliers[found.rows] = 0.0
    multipliers[found.rows[found.kept]] = multiplier
    inside = found.jacobian.T @ multiplier
    inside[plan.outer] += force
    return inside


@kernel
def respond(D, jacobian, first, answer):
    """answer (m, columns) += G D of one child, from its `first` column on; D is symmetric, rows of G have few entries."""
    n = D.shape[0]
    for r in range(jacobian.shape[0]):
        for c in range(n):
            size = jacobian[r, first + c]
            if size != 0.0:
                add(answer[r, first : first + n], D[c], size)


@kernel
def assemble(jacobian, answer, R, P, right):
    """P += G answer^T (m, m); right (m,) -= G R."""
    m, n = jacobian.shape[0], jacobian.shape[1]
    places = np.empty(n, np.int64)
    for i in range(m):
        count = 0
        for c in range(n):
            if jacobian[i, c] != 0.0:
                places[count] = c
                count += 1
                right[i] -= jacobian[i, c] * R[c]
        for j in range(i + 1):
            total = 0.0
            for k in range(count):
                total += jacobian[i, places[k]] * answer[j, places[k]]
            P[i, j] += total
            if j < i:
                P[j, i] += total


@kernel
def reduce(shown, gain, D):
    """D += shown^T gain, which is symmetric."""
    for k in range(shown.shape[0]):
        for i in range(D.shape[0]):
            size = shown[k, i]
            for j in range(i + 1):
                D[i, j] += size * gain[k, j]
    for i in range(D.shape[0]):
        for j in range(i):
            D[j, i] = D[i, j]


@kernel
def embed(part, inner, place, D):
    """D at `place` += a child's part at `inner`."""
    for i in range(inner.shape[0]):
        for j in range(inner.shape[0]):
            D[place[i], place[j]] += part[inner[i], inner[j]]


def factorised(P: Array) -> tuple[Array, NDArray[np.int64]]:
    """(L, kept): Cholesky factor, lower, of the rows and columns of P that are independent, in the order of their pivots."""
    work, kept = P.copy(), np.empty(len(P), np.int64)
    rank = pivoted_cholesky(work, kept, DEPENDENT_PIVOT)
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
    assign(work, lower)
    return rank


@kernel
def smallest_change(G, wanted, dependent, out):
    """out (n, c): the shortest x with G x = wanted, for each column of wanted (m, c), by Gram and Schmidt's method, twice, with
    pivots. Rows of G (m, n) of which less than `dependent` times the longest is left without those before are left out."""
    m, n = G.shape[0], G.shape[1]
    rest, free, basis = G.copy(), np.ones(m, np.bool_), np.zeros((min(m, n), n))
    y, first = np.zeros((min(m, n), wanted.shape[1])), 0.0
    for k in range(min(m, n)):
        longest, at = 0.0, -1
        for i in range(m):
            if free[i]:
                size = dot(rest[i], rest[i])
                if size > longest:
                    longest, at = size, i
        first = max(first, np.sqrt(longest))
        if at < 0 or np.sqrt(longest) <= dependent * first:
            break
        free[at], q = False, basis[k]
        assign(q, rest[at])
        for i in range(k):
            add(q, basis[i], -dot(q, basis[i]))
        size = np.sqrt(dot(q, q))
        for j in range(n):
            q[j] /= size
        for c in range(wanted.shape[1]):
            y[k, c] = wanted[at, c]
        for i in range(k):
            along = dot(G[at], basis[i])
            for c in range(wanted.shape[1]):
                y[k, c] -= along * y[i, c]
        along = dot(G[at], q)
        for c in range(wanted.shape[1]):
            y[k, c] /= along
            for j in range(n):
                out[j, c] += y[k, c] * q[j]
        for i in range(m):
            if free[i]:
                add(rest[i], q, -dot(rest[i], q))


@inline
def dot(a, b):
    """a . b of two rows."""
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@inline
def add(a, b, size):
    """a += size b."""
    for j in range(a.shape[0]):
        a[j] += size * b[j]


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
