"""Runge-Kutta steps in joint coordinates, cut where a joint's friction sticks or lets go (KV section 3, step 6).

    y1 = y0 + h sum b_i k_i,   k_i = f(y0 + h a_i k_i-1, t0 + c_i h)                                             (1)

midpoint rule (order 2) or the classical one (order 4); one previous stage each. The velocity w of a law (mechanism.py, 4) that
slips along a line, as all of one row do, may reverse within a step. Then the step is shortened, by the secant method with
bisection, to where w is 0 against its direction at the start:

    delta:  w(delta h) . w(0) = 0                                                                               (2)

and continues with the law at rest: it sticks or slips again (sticking.py). Slips that turn and are slow are not followed
(dissipation.py).
"""

from dataclasses import dataclass, replace

import numpy as np

from physics.articulated.mechanism import normalise, rates
from physics.articulated.smooth_motion import longest_part
from physics.articulated.subsystems.dissipation import EndProblem, corrected, settle_at_end, settled, slow, turns
from physics.articulated.subsystems.mechanism import Law, Mechanism, Moment
from physics.articulated.subsystems.reduction import Array
from physics.articulated.subsystems.sticking import Cases, State, settle, shared
from physics.core.equal_parts import equal_part

RUNGE_KUTTA = {"RK2": ((0.5,), (0.0, 1.0)), "RK4": ((0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6))}
"""(a_i = c_i from the second stage on, b_i)."""

REST = 1e-9
"""Laws slower than this may stick [m/s], [rad/s]."""

EVENT = 1e-12
"""(2) is met within this [m/s], [rad/s], or within this fraction of the step."""

MAX_EVENTS = 200
"""In one step; after more the rest of the step is a part in which nothing reverses (dissipation.py)."""


@dataclass(frozen=True)
class _Start:
    """State and laws at the start of a part of a step. slips: w (rows,) of laws that slip, by number. length: of the part [s].
    end: the problem at its end; None: of no law of several rows."""

    q: Array
    v: Array
    time: float
    cases: Cases
    first: Moment
    slips: dict[int, Array]
    length: float
    end: EndProblem | None


def advance(mechanism: Mechanism, dt: float, method: str, rounds: int) -> list[tuple[float, Moment]]:
    """Advance the mechanism's state (q, v) by dt [s]; it is then also the present state of its bodies.

    Returns:
        What acted: moments, with the time for which each counts [s].

    """
    out, done, q, v, events = [], 0.0, mechanism.q, mechanism.v, 0
    slipping, loads = {}, mechanism.loads
    while dt - done > EVENT * dt:
        start = _begin(mechanism, State(q, v, done), slipping, loads, dt, events < MAX_EVENTS)
        left = start.length
        parts, (q, v) = _runge_kutta(mechanism, start, left, method)
        if start.end is not None and (better := corrected(mechanism, start.end, start.cases, parts)) is not None:
            cases, first = settled(mechanism, State(start.q, start.v, done), better, start.first)
            start = replace(start, cases=cases, first=first)
            parts, (q, v) = _runge_kutta(mechanism, start, left, method)
        event = _first_event(mechanism, start, q, v)
        if event is not None:
            left, parts, q, v = _locate(mechanism, start, left, method, event)
            slipping = {n: d for n, d in start.cases.towards.items() if n != event}
            events += 1
        loads = parts[-1][1].multipliers
        done += left
        mechanism.stabilise(q, v, done, rounds)
        out += [(weight, _with_stops(mechanism, moment, start.cases)) for weight, moment in parts]
    mechanism.q, mechanism.v = q, v
    return out


def _begin(mechanism: Mechanism, state: State, known: dict[int, Array], loads: Array, dt: float, events: bool) -> _Start:
    """Which laws stick at a state: of those that are slow as many as can. events: whether slips along a line end where they
    reverse; else the end of the part decides of every law."""
    mechanism.place(state.q, state.v, state.time)
    length = equal_part(dt - state.time, longest_part(mechanism.bodies, dt))
    stuck, towards, slips = set(), {}, {}
    for number, law in enumerate(mechanism.laws):
        if not law.sticks:
            continue
        w = mechanism.speed(law)
        size = float(np.linalg.norm(w))
        if size <= REST:
            stuck.add(number)
            continue
        slips[number] = w
        if len(w) == 1:
            towards[number] = known.get(number, w / size)
    cases, several = Cases(frozenset(stuck), towards), {n: w for n, w in slips.items() if len(w) > 1}
    slowly, end = slow(mechanism, several, length) if events else slips, None
    if slowly or any(len(mechanism.laws[n].rows) > 1 for n in stuck):
        cases, moment, end = settle_at_end(mechanism, state, cases, slowly, length, not events)
    else:
        cases, moment = settle(mechanism, state, cases, loads)
    straight = {n: w / np.linalg.norm(w) for n, w in several.items()
                if n not in cases.slow and not turns(w, moment.slip_rates[mechanism.laws[n].rows])}
    return _Start(state.q, state.v, state.time, replace(cases, towards=cases.towards | straight), moment, slips, length,
                  end)


def _with_stops(mechanism: Mechanism, moment: Moment, cases: Cases) -> Moment:
    """A moment with the laws that come to rest among those that slip."""
    multipliers, forces = moment.multipliers.copy(), dict(moment.forces)
    for number in cases.stopping:
        law = mechanism.laws[number]
        forces[number] = multipliers[law.rows] - law.viscous * moment.speeds[number]
        multipliers[law.rows] = 0.0
    return replace(moment, multipliers=multipliers, forces=forces)


def _runge_kutta(mechanism: Mechanism, start: _Start, h: float, method: str) -> tuple[list[tuple[float, Moment]],
                                                                                     tuple[Array, Array]]:
    """(1): moments with their weights [s], and the state at the end, which is not the present one."""
    links, (nodes, weights) = mechanism.tree.links, RUNGE_KUTTA[method]
    parts, moment, stage = [], start.first, start.v
    q_dot = np.empty_like(start.q)
    rates(links, start.q, start.v, q_dot)
    dq, dv = weights[0] * q_dot, weights[0] * moment.v_dot
    if weights[0]:
        parts.append((h * weights[0], moment))
    for node, weight in zip(nodes, weights[1:], strict=True):
        q = start.q + h * node * q_dot
        stage = start.v + h * node * moment.v_dot
        normalise(links, q)
        moment = shared(mechanism, State(q, stage, start.time + node * h), start.cases)
        q_dot = np.empty_like(q)
        rates(links, q, stage, q_dot)
        dq += weight * q_dot
        dv += weight * moment.v_dot
        parts.append((h * weight, moment))
    q, v = start.q + h * dq, start.v + h * dv
    normalise(links, q)
    return parts, (q, v)


def _against(mechanism: Mechanism, law: Law, towards: Array) -> float:
    """w . w(0) of (2) at the present state."""
    return float(mechanism.speed(law) @ towards)


def _first_event(mechanism: Mechanism, start: _Start, q: Array, v: Array) -> int | None:
    """The law that has reversed by most, in proportion; None: none has. One that has turned round has not been at rest."""
    reversing = [n for n in start.slips if n in start.cases.towards and n not in start.cases.slow]
    if not reversing:
        return None
    mechanism.place(q, v, start.time + start.length)
    worst, which = 0.0, None
    for number in reversing:
        law, towards = mechanism.laws[number], start.cases.towards[number]
        before, now = max(float(start.slips[number] @ towards), 0.0), _against(mechanism, law, towards)
        if now >= -EVENT or before <= REST or (len(towards) > 1 and turns(towards, mechanism.speed(law))):
            continue
        share = -now / (before - now)
        if share > worst:
            worst, which = share, number
    return which


def _locate(mechanism: Mechanism, start: _Start, h: float, method: str,
            event: int) -> tuple[float, list[tuple[float, Moment]], Array, Array]:
    """(2) by regula falsi (Illinois): (length, moments, q, v)."""
    law, towards = mechanism.laws[event], start.cases.towards[event]

    def trial(length: float) -> tuple[float, list[tuple[float, Moment]], Array, Array]:
        parts, (q, v) = _runge_kutta(mechanism, start, length, method)
        mechanism.place(q, v, start.time + length)
        return _against(mechanism, law, towards), parts, q, v
    mechanism.place(start.q, start.v, start.time)
    lo, at_lo, hi = 0.0, _against(mechanism, law, towards), h
    at_hi = trial(hi)[0]
    side = 0
    for _ in range(60):
        length = (lo * at_hi - hi * at_lo) / (at_hi - at_lo)
        now, *rest = trial(length)
        if abs(now) <= EVENT or hi - lo <= EVENT * h:
            break
        if now > 0.0:
            lo, at_lo, at_hi = length, now, 0.5 * at_hi if side > 0 else at_hi
            side = 1
        else:
            hi, at_hi, at_lo = length, now, 0.5 * at_lo if side < 0 else at_lo
            side = -1
    return length, *rest
