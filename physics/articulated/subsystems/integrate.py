"""Runge-Kutta steps in joint coordinates, cut where a joint's friction sticks or lets go (KV section 3, step 6).

    y1 = y0 + h sum b_i k_i,   k_i = f(y0 + h a_i k_i-1, t0 + c_i h)                                             (1)

midpoint rule (order 2) or the classical one (order 4); one previous stage each. The velocity w of a law (mechanism.py, 4) that
slips may reverse within a step. Then the step is shortened, by the secant method with bisection, to where w is 0 against its
direction at the start:

    delta:  w(delta h) . w(0) = 0                                                                               (2)

and continues with the law at rest: it sticks or slips again (sticking.py).
"""

from dataclasses import dataclass

import numpy as np

from physics.articulated.mechanism import normalise, rates
from physics.articulated.smooth_motion import longest_part
from physics.articulated.subsystems.mechanism import Law, Mechanism, Moment
from physics.articulated.subsystems.reduction import Array
from physics.articulated.subsystems.sticking import Cases, State, settle, shared
from physics.core.check import BadInput
from physics.core.equal_parts import equal_part

RUNGE_KUTTA = {"RK2": ((0.5,), (0.0, 1.0)), "RK4": ((0.5, 0.5, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6))}
"""(a_i = c_i from the second stage on, b_i)."""

REST = 1e-9
"""Laws slower than this may stick [m/s], [rad/s]."""

EVENT = 1e-12
"""(2) is met within this [m/s], [rad/s], or within this fraction of the step."""

MAX_EVENTS = 200
"""In one step; more are no mechanism but chatter."""


@dataclass(frozen=True)
class _Start:
    """State and laws at the start of a part of a step."""

    q: Array
    v: Array
    time: float
    cases: Cases
    first: Moment


def advance(mechanism: Mechanism, dt: float, method: str, rounds: int) -> list[tuple[float, Moment]]:
    """Advance the mechanism's state (q, v) by dt [s]; it is then also the present state of its bodies.

    Returns:
        What acted: moments, with the time for which each counts [s].

    Raises:
        BadInput: more than MAX_EVENTS events.
    """
    out, done, q, v, events = [], 0.0, mechanism.q, mechanism.v, 0
    slipping, loads = {}, mechanism.loads
    while events < MAX_EVENTS:
        start = _begin(mechanism, State(q, v, done), slipping, loads)
        left = equal_part(dt - done, longest_part(mechanism.bodies, dt))
        parts, (q, v) = _runge_kutta(mechanism, start, left, method)
        event = _first_event(mechanism, start, q, v, done + left)
        if event is not None:
            left, parts, q, v = _locate(mechanism, start, left, method, event)
            slipping = {n: d for n, d in start.cases.towards.items() if n != event}
            events += 1
        loads = parts[-1][1].multipliers
        done += left
        mechanism.stabilise(q, v, done, rounds)
        out += parts
        if dt - done <= EVENT * dt:
            mechanism.q, mechanism.v = q, v
            return out
    raise BadInput(f"friction or motors of joints stuck and let go more than {MAX_EVENTS} times in a step of {dt:g} s; use a "
                   "smaller step size")


def _begin(mechanism: Mechanism, state: State, known: dict[int, Array], loads: Array) -> _Start:
    """Which laws stick at a state: of those that are slow as many as can."""
    mechanism.place(state.q, state.v, state.time)
    stuck, towards = set(), {}
    for number, law in enumerate(mechanism.laws):
        if not law.sticks:
            continue
        w = mechanism.speed(law)
        size = float(np.linalg.norm(w))
        if size <= REST:
            stuck.add(number)
        else:
            towards[number] = known.get(number, w / size) if len(w) == 1 else w / size
    return _Start(state.q, state.v, state.time, *settle(mechanism, state, Cases(frozenset(stuck), towards), loads))


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


def _first_event(mechanism: Mechanism, start: _Start, q: Array, v: Array, time: float) -> int | None:
    """The law that has reversed by most, in proportion; None: none has."""
    if not start.cases.towards:
        return None
    before = {}
    mechanism.place(start.q, start.v, start.time)
    for number in start.cases.towards:
        before[number] = max(_against(mechanism, mechanism.laws[number], start.cases.towards[number]), 0.0)
    mechanism.place(q, v, time)
    worst, which = 0.0, None
    for number, towards in start.cases.towards.items():
        now = _against(mechanism, mechanism.laws[number], towards)
        share = -now / (before[number] - now) if now < -EVENT else 0.0
        if share > worst and before[number] > REST:
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
