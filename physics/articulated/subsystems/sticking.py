"""Which laws of a mechanism hold their directions still and which let go (4 of mechanism.py): all at once.

For the laws whose directions are at rest, w = 0, Coulomb's law asks of the forces tau and of w'

    w' = 0, ||tau|| <= F   or   w' = s d, tau = -F d, s >= 0                                                            (1)

These are the conditions of a convex problem in tau, by which w' is unique. Where several laws hold one motion, as in a closed
loop, tau is not: equations would give all of a load to a few of them. A round therefore solves

    w' + E (tau - tau0) = 0   in place of w' = 0,   tau0: tau of the round before                                       (2)

with a small E, by which they share the load by their bounds, and then w' = 0 with what is missing to the tau that it found. (2)
with (1) is a linear complementarity problem with a positive definite matrix, solved by block principal pivoting (Judice and
Pires, Computers & Operations Research 21 (1994) 587-596): all laws that break (1) change sides at once; when that leaves no fewer
of them PATIENCE times, only the first one does (Murty's rule, which ends), until there are fewer.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from physics.articulated.subsystems.mechanism import SOFTNESS, Law, Mechanism, Moment
from physics.articulated.subsystems.reduction import Array

BOUND_TOLERANCE = 1e-10
"""Forces that exceed their bound by less than this fraction hold."""

RATE_TOLERANCE = 1e-3
"""w' + E (tau - tau0) against the direction of a slip that is rounding, as a fraction of E F."""

ROUNDING = 1e-9
"""w' that is rounding [m/s^2], [rad/s^2]."""

PATIENCE = 3
LIMIT = 100
"""Evaluations after which laws only let go, which ends."""


@dataclass(frozen=True)
class Cases:
    """What the laws of a mechanism do, by number. stuck: they hold. towards: direction (rows,) of the slip of others. loads
    (written,): multipliers of which the equations find what is missing; None: 0. slow: w (rows,) of laws for which
    w + h w' decides, h: `within` [s] (dissipation.py); it is 0 for those that are stuck."""

    stuck: frozenset[int]
    towards: dict[int, Array]
    loads: Array | None = None
    slow: dict[int, Array] = field(default_factory=dict)
    within: dict[int, float] = field(default_factory=dict)

    @property
    def stopping(self) -> dict[int, Array]:
        """-w' (rows,) of the laws that come to rest."""
        return {n: w / self.within[n] for n, w in self.slow.items() if n in self.stuck}

    def bound(self, law: Law, number: int) -> float:
        """The largest force with which a law can hold."""
        return law.size(float(np.linalg.norm(self.slow[number]))) if number in self.slow else law.bound


@dataclass(frozen=True)
class State:
    """Coordinates and velocities of a mechanism at a time [s] after it was read."""

    q: Array
    v: Array
    time: float


def moment_of(mechanism: Mechanism, state: State, cases: Cases, softness: Array | None = None) -> Moment:
    """The mechanism at a state, with its laws as they are."""
    return mechanism.moment(state.q, state.v, state.time, cases.stuck, cases.towards, cases.loads, softness,
                            cases.stopping)


def shared(mechanism: Mechanism, state: State, cases: Cases) -> Moment:
    """As moment_of; where several laws hold one motion and one of them would exceed its bound, they share the load."""
    moment = moment_of(mechanism, state, cases)
    if moment.shared and exceeding(mechanism, cases, moment) and not mechanism.has_unlike_bounds:
        soft = moment_of(mechanism, state, cases, shares(mechanism, mechanism.mobility()))
        return moment_of(mechanism, state, replace(cases, loads=soft.multipliers))
    return moment


def shares(mechanism: Mechanism, mobility: Array) -> Array:
    """E (written,): the larger a law's bound, the more of a load it takes: friction beside a strong drive takes little."""
    weakest, out = min((law.bound for law in mechanism.laws if law.bound > 0.0), default=1.0), SOFTNESS * mobility
    for law in mechanism.laws:
        if law.bound > 0.0:
            out[law.rows] *= weakest / law.bound
    return out


def exceeding(mechanism: Mechanism, cases: Cases, moment: Moment) -> dict[int, Array]:
    """Of the laws that hold, those that cannot: the directions in which they let go."""
    out = {}
    for number in cases.stuck:
        tau = moment.multipliers[mechanism.laws[number].rows]
        size = abs(float(tau[0])) if len(tau) == 1 else float(np.linalg.norm(tau))
        if size > cases.bound(mechanism.laws[number], number) * (1.0 + BOUND_TOLERANCE):
            out[number] = -tau / size
    return out


def settle(mechanism: Mechanism, state: State, cases: Cases, known: Array) -> tuple[Cases, Moment]:
    """(1) at a state: the cases, from laws of one row that are at rest (`stuck`) and others that slip; and the moment.

    known (written,): multipliers to begin with where laws hold one motion.
    """
    if mechanism.has_unlike_bounds:
        return _settle_one_by_one(mechanism, state, cases)
    rest, softness, mobility = cases.stuck, None, mechanism.mobility()
    fewest, patience = len(rest) + 1, PATIENCE
    for evaluation in range(LIMIT + len(rest) + 1):
        moment = moment_of(mechanism, state, cases, softness)
        over = exceeding(mechanism, cases, moment)
        rates = {n: _rate(mechanism, n, cases, moment, softness) for n in rest - cases.stuck} if evaluation < LIMIT else {}
        rounding = {n: _rounding(mechanism, n, moment, mobility, softness) for n in rates}
        back = {n for n, rate in rates.items() if rate @ cases.towards[n] < -rounding[n]}
        wrong = sorted(back | set(over))
        if not wrong and softness is None:
            return cases, moment
        if not wrong:
            loads = moment.multipliers.copy()
            for n in rest - cases.stuck:
                loads[mechanism.laws[n].rows] = _slip_force(mechanism, n, cases)
            cases, softness = replace(cases, loads=loads if cases.stuck else None), None
        elif softness is None and moment.shared and evaluation < LIMIT:
            if cases.loads is None and known.any():
                cases = replace(cases, loads=known)
            else:
                softness, fewest, patience = shares(mechanism, mobility), len(rest) + 1, PATIENCE
        else:
            fewest, patience = (len(wrong), PATIENCE) if len(wrong) < fewest else (fewest, patience - 1)
            chosen = wrong if patience >= 0 else wrong[:1]
            stuck = cases.stuck.difference(n for n in chosen if n in over).union(n for n in chosen if n in back)
            towards = {n: d for n, d in cases.towards.items() if n not in stuck}
            cases = replace(cases, stuck=stuck, towards=towards | {n: over[n] for n in chosen if n in over})
    raise AssertionError("each evaluation after the limit lets a law go")


def _settle_one_by_one(mechanism: Mechanism, state: State, cases: Cases) -> tuple[Cases, Moment]:
    """As `settle`; laws that have let go do not hold again."""
    while True:
        moment = moment_of(mechanism, state, cases)
        over = exceeding(mechanism, cases, moment)
        if not over:
            return cases, moment
        used = {n: np.linalg.norm(moment.multipliers[mechanism.laws[n].rows]) / mechanism.laws[n].bound for n in over}
        worst = max(used, key=used.__getitem__)
        cases = replace(cases, stuck=cases.stuck - {worst}, towards=cases.towards | {worst: over[worst]})


def _slip_force(mechanism: Mechanism, number: int, cases: Cases) -> Array:
    """tau (rows,) of a law at rest that lets go."""
    return -mechanism.laws[number].bound * cases.towards[number]


def _softness(mechanism: Mechanism, number: int, softness: Array | None) -> Array:
    """E (rows,) of a law."""
    rows = mechanism.laws[number].rows
    return np.zeros(len(rows)) if softness is None else softness[rows]


def _rate(mechanism: Mechanism, number: int, cases: Cases, moment: Moment, softness: Array | None) -> Array:
    """The left side of (2), (rows,), of a law that lets go."""
    tau = _slip_force(mechanism, number, cases)
    rows = mechanism.laws[number].rows
    missing = tau if cases.loads is None else tau - cases.loads[rows]
    return moment.slip_rates[rows] + _softness(mechanism, number, softness) * missing


def _rounding(mechanism: Mechanism, number: int, moment: Moment, mobility: Array, softness: Array | None) -> float:
    """What of a rate is rounding: that of the largest force among them, such as a strong drive's."""
    law, largest = mechanism.laws[number], float(np.abs(moment.multipliers).max())
    return (ROUNDING + np.finfo(float).eps * largest * float(mobility[law.rows].max())
            + RATE_TOLERANCE * float(_softness(mechanism, number, softness).max()) * law.bound)
