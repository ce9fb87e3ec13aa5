"""Friction of laws of several rows that may stop, turn or let go within a part of a step: all at once, at its end.

The friction of a ball joint has a size, and the direction against the slip w. While w is small, this direction turns at up to
F J M^-1 J^T / |w|, faster than a part of h seconds can follow. There the law is asked of the end of the part, w+ = w + h w',

    w+ = 0, |tau| <= F   or   tau = -F w+ / |w+|                                                                        (1)

with one tau for the whole part. As w' = A tau + b, A = J M^-1 J^T under the equations of the joints, (1) are the conditions of a
convex problem, the principle of maximal dissipation (M. Anitescu, F. A. Potra, Nonlinear Dynamics 14 (1997) 231-247):

    min 1/2 tau^T A tau + c^T tau,   |tau_i| <= F_i;   c = b + w / h                                                    (2)

Laws at rest, w = 0, are those of sticking.py (1). Where another load reverses a slip, so that tau would push it along the mean
of w and w+, the law is asked of this mean, with h / 2 in its c: friction takes energy at any h. b is that at the start; where its
mean over the part gives other forces, the part is repeated with the mean.

In x_i = tau_i / F_i, with multipliers s_i = F_i |w_i+| / h, (2) is solved by a primal-dual interior-point method with Mehrotra's
predictor and corrector. Of all forces of laws that hold one motion together it tends to those in the middle:

    Q x + q + s_i x_i = 0,   s_i g_i = mu -> 0,   g_i = (1 - |x_i|^2) / 2;   Q = F A F, q = F c                         (3)

Slips along a line are followed to where they reverse (integrate.py), as those of one row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from physics.articulated.subsystems.mechanism import MAX_BOUND_RATIO, Mechanism, Moment, write_jacobian
from physics.articulated.subsystems.reduction import Array, assemble, factorised, respond, solved
from physics.articulated.subsystems.sticking import Cases, State, exceeding, moment_of, shared

STRAIGHT = 1e-6
"""Slips whose direction turns by less than this stay on a line, as of a pendulum in a plane [rad]."""

WRONG = 0.01
"""A part is repeated where mean loads turn a direction by more [rad]."""

WORK_ROUNDING = 1e-9
"""Work of friction that is rounding, as a fraction of F |w|."""

ITERATIONS, SHORTENED = 50, 0.99
"""Of (3), and the share of the way to the boundary that one takes."""

ACCURACY, ROUNDING = 1e-14, 1e-12
"""mu and the residuals of (3) that are 0, as fractions of the sum of |Q| and |q| in a row."""


def turns(w: Array, w_dot: Array) -> bool:
    """Whether a slip w (rows,) turns under w' (rows,)."""
    across = w_dot - w * float(w @ w_dot) / float(w @ w)
    return float(np.linalg.norm(across)) > STRAIGHT * float(np.linalg.norm(w_dot))


def slow(mechanism: Mechanism, slips: dict[int, Array], h: float) -> dict[int, Array]:
    """Of laws that slip, w (rows,) by number, those that their friction alone would stop within a part of h [s]."""
    mobility = mechanism.mobility()

    def within(n: int, answer: float) -> bool:
        size, law = float(np.linalg.norm(slips[n])), mechanism.laws[n]
        return size <= h * law.size(size) * answer
    found = [n for n in slips if within(n, float(mobility[mechanism.laws[n].rows].sum()))]
    if not found:
        return {}
    answers = np.diag(coupling(mechanism, [mechanism.laws[n].rows for n in found], []))
    ends = np.cumsum([len(mechanism.laws[n].rows) for n in found])
    return {n: slips[n] for n, own in zip(found, np.split(answers, ends[:-1]), strict=True) if within(n, float(own.sum()))}


@dataclass(frozen=True)
class EndProblem:
    """(2) for a part of h [s]. laws: their bounds by number, in the order of A. strong: laws that hold whatever happens. slow:
    w (rows,) of laws that slip. others: directions of the slip of further laws."""

    A: Array
    laws: dict[int, float]
    strong: frozenset[int]
    slow: dict[int, Array]
    others: dict[int, Array]
    h: float

    def unopposed(self, mechanism: Mechanism, moment: Moment) -> Array:
        """b of (2), from a moment in which the laws act in some way."""
        tau, held = [], moment.multipliers.copy()
        for n in self.laws:
            law = mechanism.laws[n]
            if n in moment.forces:
                tau.append(moment.forces[n] + law.viscous * moment.speeds[n])
            else:
                tau.append(held[law.rows])
                held[law.rows] = 0.0     # a row may be that of two laws
        return moment.slip_rates[np.concatenate([mechanism.laws[n].rows for n in self.laws])] - self.A @ np.concatenate(tau)

    def solve(self, mechanism: Mechanism, b: Array) -> tuple[Cases, dict[int, Array]]:
        """What the laws do, without their loads; and tau (rows,) by number."""
        sizes, bounds = [len(mechanism.laws[n].rows) for n in self.laws], np.array(list(self.laws.values()))
        places, within = np.split(np.arange(len(b)), np.cumsum(sizes)[:-1]), dict.fromkeys(self.slow, self.h)
        while True:
            c = b.copy()
            for n, own in zip(self.laws, places, strict=True):
                if n in self.slow:
                    c[own] += self.slow[n] / within[n]
            x, at_bound = least_bounded(self.A, c, sizes, bounds)
            forces = np.repeat(bounds, sizes) * x
            tau, rates = ({n: of[own] for n, own in zip(self.laws, places, strict=True)} for of in (forces, self.A @ forces + b))
            driven = [n for n, w in self.slow.items() if within[n] == self.h and float(
                tau[n] @ (w + 0.5 * self.h * rates[n])) > WORK_ROUNDING * self.laws[n] * float(np.linalg.norm(w))]
            if not driven:
                break
            within |= dict.fromkeys(driven, 0.5 * self.h)
        limited = frozenset(n for n, end in zip(self.laws, at_bound, strict=True) if end)
        towards = self.others | {n: -tau[n] / np.linalg.norm(tau[n]) for n in limited}
        return Cases(self.strong | (self.laws.keys() - limited), towards, None, self.slow, within), tau


def settle_at_end(mechanism: Mechanism, state: State, cases: Cases, slips: dict[int, Array],
                  h: float, all_at_end: bool) -> tuple[Cases, Moment, EndProblem]:
    """As sticking.settle, with laws that slip slowly, w (rows,) by number, for a part of h [s]: (1), and (2). all_at_end: also
    for those whose slip stays on a line."""
    moment = moment_of(mechanism, state, cases)
    slips = {n: w for n, w in slips.items() if all_at_end or turns(w, moment.slip_rates[mechanism.laws[n].rows])}
    laws, rows = cases.stuck | slips.keys(), [law.rows for law in mechanism.laws]
    bounds = {n: replace(cases, slow=slips).bound(mechanism.laws[n], n) for n in sorted(laws)}
    strong = frozenset(n for n in cases.stuck if bounds[n] > MAX_BOUND_RATIO * min(bounds.values()))
    free = {n: bound for n, bound in bounds.items() if n not in strong}
    A = coupling(mechanism, [rows[n] for n in free], [rows[n] for n in sorted(strong)])
    problem = EndProblem(A, free, strong, slips, {n: d for n, d in cases.towards.items() if n not in laws}, h)
    if slips or exceeding(mechanism, cases, moment):
        cases, moment = settled(mechanism, state, problem.solve(mechanism, problem.unopposed(mechanism, moment)), moment)
    return cases, moment, problem


def settled(mechanism: Mechanism, state: State, solution: tuple[Cases, dict[int, Array]], moment: Moment) -> tuple[Cases, Moment]:
    """The mechanism under a solution of (2); moment: one that has been found for other cases."""
    cases, tau = solution
    if moment.shared and cases.stuck:
        loads = moment.multipliers.copy()
        for n, own in tau.items():
            loads[mechanism.laws[n].rows] = own
        cases = replace(cases, loads=loads)
    return cases, shared(mechanism, state, cases)


def corrected(mechanism: Mechanism, problem: EndProblem, cases: Cases,
              parts: list[tuple[float, Moment]]) -> tuple[Cases, dict[int, Array]] | None:
    """The solution of (2) for the mean of b over a part; None: the cases are those in which the part was made."""
    total = sum(weight for weight, _ in parts)
    b = sum((weight / total * problem.unopposed(mechanism, moment) for weight, moment in parts), np.zeros(len(problem.A)))
    found, tau = problem.solve(mechanism, b)
    wrong = found.stuck != cases.stuck or found.within != cases.within or any(
        float(np.linalg.norm(d - cases.towards[n])) > WRONG for n, d in found.towards.items() if n in problem.laws)
    return (found, tau) if wrong else None


def coupling(mechanism: Mechanism, laws: Sequence[NDArray[np.int64]], held: Sequence[NDArray[np.int64]]) -> Array:
    """A of (2) (m, m), of the rows of laws, at the present state; equations are those of the joints and rows that are held."""
    equations = np.concatenate([np.zeros(0, np.int64), *mechanism.held_rows.values(), *held])
    index, links = np.concatenate([equations, *laws]), mechanism.tree.links
    column = np.full(len(mechanism.bodies), -1, np.int64)
    column[links["body"]] = 6 * np.arange(len(links))
    jacobian, response = np.zeros((len(index), 6 * len(links))), mechanism.response()
    write_jacobian(mechanism.joints, mechanism.row_joint, mechanism.rows, index, column, jacobian)
    answer, P = np.zeros_like(jacobian), np.zeros((len(index), len(index)))
    for body, first in zip(links["body"], column[links["body"]], strict=True):
        respond(response[body], jacobian, first, answer)
    assemble(jacobian, answer, np.zeros(jacobian.shape[1]), P, np.zeros(len(index)))
    n = len(equations)
    factor, kept = factorised(P[:n, :n])
    across = np.ascontiguousarray(P[:n, n:][kept])
    return P[n:, n:] - across.T @ solved(factor, across)


def least_bounded(A: Array, c: Array, sizes: Sequence[int], bounds: Array) -> tuple[Array, NDArray[np.bool_]]:
    """(2), by (3): x (m,), and which of its parts, `sizes` entries each, are at their bound (laws,)."""
    first, of = np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.repeat(np.arange(len(sizes)), sizes)
    scale = bounds[of]
    Q, q, columns = scale[:, None] * A * scale, scale * c, of[:, None] == np.arange(len(sizes))

    def total(values: Array) -> Array:
        return np.add.reduceat(values, first)
    size = total(np.abs(Q).sum(axis=1) + np.abs(q))
    size = np.maximum(size, 1e-300)
    x, g, s = np.zeros(len(q)), np.full(len(sizes), 0.5), size.copy()
    for _ in range(ITERATIONS):
        left, wrong = Q @ x + q + s[of] * x, g + 0.5 * (total(x * x) - 1.0)
        if (s * g <= ACCURACY * size).all() and (np.abs(left) <= ROUNDING * size[of]).all() and (np.abs(wrong) <= ROUNDING).all():
            break
        newton = _newton(Q + np.diag(s[of]), np.where(columns, x[:, None], 0.0), left, wrong, g, s)
        _, dg, ds = newton(np.zeros(len(s)))
        mean, length = float((s * g / size).mean()), _longest(g, dg, s, ds)
        after = float(((s + length * ds) * (g + length * dg) / size).mean())
        dx, dg, ds = newton((after / mean) ** 3 * mean * size - dg * ds)
        length = SHORTENED * _longest(g, dg, s, ds)
        x, g, s = x + length * dx, g + length * dg, s + length * ds
    return x, s > g * size


def _newton(K: Array, X: Array, left: Array, wrong: Array, g: Array, s: Array) -> Callable[[Array], tuple[Array, Array, Array]]:
    """Newton's method for (3): from the products s_i g_i to reach, the changes of x, g and s. K (m, m): Q + s; X (m, laws): x."""
    factor, kept = factorised(K)
    answer, first = np.zeros_like(X), np.zeros(len(left))
    both = solved(factor, np.column_stack([X, -left])[kept])
    answer[kept], first[kept] = both[:, :-1], both[:, -1]
    below, own = factorised(X.T @ answer + np.diag(g / s))

    def solve(product: Array) -> tuple[Array, Array, Array]:
        ds = np.zeros(len(s))
        ds[own] = solved(below, (X.T @ first + product / s - g + wrong)[own])
        dx = first - answer @ ds
        return dx, -wrong - X.T @ dx, ds
    return solve


def _longest(g: Array, dg: Array, s: Array, ds: Array) -> float:
    """Length of a step of (3), at most 1 / SHORTENED, that leaves g and s positive."""
    values, changes = np.concatenate([g, s]), np.concatenate([dg, ds])
    falling = changes < 0.0
    return float((-values[falling] / changes[falling]).min(initial=1.0 / SHORTENED))
