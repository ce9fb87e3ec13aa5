"""The general procedure of event-driven simulation in joint space (F11 table 11.1).

    current contacts   phi = 0, phi_dot = 0 (case 3)            active ones: a basis of those with lambda > 0
    1  case 2a         impulses by the law of impact, impulse.py (1) and (2)
    2  a contact was gained or lost: solve the law (F11 11.42) for the current ones; lambda > 0 makes a contact active
    3  move on with the active ones as equations, M_AA lambda_A = -d_A
    4  a gap closes, an active lambda turns negative, a contact leaves an edge: the step is shortened
    5  what rounding and the step's error left in active contacts is removed: T^T qd = 0, phi = 0

Where impacts of one contact come ever faster, the flights t, e t, e^2 t, .. add up to t / (1 - e). If that is short, time
stepping takes over for so long, and also where the law has no solution (F11 example 11.1):

    0 <= p _|_ T^T (qd + tau f + H^-1 T p) + phi / tau >= 0,   q1 = q + tau qd1                               (1)
"""

import math
from typing import NamedTuple

import numpy as np

from physics.articulated import contact as law
from physics.articulated import energy_work
from physics.articulated.event_log import ContactCase, Event, EventKind, EventLog
from physics.articulated.impulse import simultaneous_impact
from physics.articulated.joint_space import JointSpace
from physics.articulated.mechanism import Mechanism
from physics.articulated.smooth_motion import first_fall, path
from physics.articulated.unilateral import Key, Surroundings, Unilateral
from physics.collide.continuous.impacts import free_motions
from physics.complementarity import lemke
from physics.complementarity.problem import Status
from physics.contact.impact_laws import ImpactLaw
from physics.core.check import BadInput
from physics.core.equal_parts import equal_part
from physics.core.records import CONTACT, Role, copy_of, record_of
from physics.dynamics.energy_ledger import APPLIED, DRIVES, IMPACT, JOINT_FRICTION, LEDGER_COLUMNS
from physics.dynamics.energy_ledger import CONTACT as PRESSING

TOUCH = 1e-9
"""Gaps below count as closed [m] or [rad]."""

MIN_RATE = 1e-9
"""Rates below count as zero [m/s] or [rad/s]."""

GAP_ERROR = 1e-13
"""Error of a gap [m]."""

NO_REBOUND = 1e-6
"""Slower approaches do not rebound [m/s] or [rad/s]."""

INSTANT = 1e-14
"""Accuracy of the times of events [s]."""

EDGE = 1e-9
"""Accuracy of the time at which a contact leaves an edge [s]: its gap stays closed, only its existence tells."""

MAX_EVENTS_PER_INTEGRATOR_STEP = 30
"""So many events within one step of the integrator are an event storm, handed to time stepping; after one a single event is, in
the same step of the world."""

STUCK = 5
"""Events that a step of no more than EDGE counts for, and an impact that time stepping would not miss: what meets no new contact
may have no end."""

SLOW_IMPACT = 0.05
"""A slower impact among several contacts changes no more than gravity in 5 ms; of one contact `gathering` decides [m/s] or
[rad/s]."""

NEVER_PRESSED = 1e-10
"""Forces below this share of the largest one are rounding."""


NOTHING = Unilateral(np.zeros(0, CONTACT), [], np.zeros(0), np.zeros(0), np.zeros((0, 0)), np.zeros(0), np.zeros((0, 6)))
"""No constraints."""


class EventSettings(NamedTuple):
    """integrator: smooth_motion.py; longest: step [s]; gathering: impacts that add up to less time are time stepped [s]; most:
    events in a step of the world; frictionless: friction of contacts is left out; law: of impact; sequential: contacts with
    restitution take no part in an impact before they are struck."""

    integrator: str
    longest: float
    gathering: float
    most: int
    frictionless: bool
    law: ImpactLaw
    sequential: bool


class Struck(NamedTuple):
    """An impact. space: before it; contacts: CONTACT (k,) with an impulse, the restitution that energy allowed; impulses (k,)
    [N s]; alone (k,): no other constraint acted; meant (k,): restitution of the pair; change (n,): of qd."""

    space: JointSpace
    contacts: np.ndarray
    impulses: np.ndarray
    alone: np.ndarray
    meant: np.ndarray
    change: np.ndarray


class Here(NamedTuple):
    """A state: constraints, and where each is; tau (n,), forces (rows,), wrench (rows, 6): of springs and viscous friction;
    powers (3,): of POWERS [W]."""

    found: Unilateral
    where: dict[Key, int]
    space: JointSpace
    tau: np.ndarray
    forces: np.ndarray
    wrench: np.ndarray
    powers: np.ndarray


POWERS = [APPLIED, DRIVES, JOINT_FRICTION]
"""Columns of the energy ledger whose power is integrated with the motion."""


class EventStep:
    """A step of the world in progress. q, qd: the state at `time` [s] after its start. halt: (1,) not 0 when cancelled."""

    def __init__(self, world, mechanism: Mechanism, settings: EventSettings, dt: float, halt: np.ndarray) -> None:
        self.world, self.mechanism, self.settings, self.dt, self.halt = world, mechanism, settings, dt, halt
        self.around = Surroundings(mechanism, dt)
        self.q, self.qd, self.time = mechanism.q.copy(), mechanism.qd.copy(), 0.0
        self.fresh, self.part_begin = True, 0.0
        self.active: list[Key] = []
        self.known: frozenset[Key] | None = None        # current contacts for which the law was solved; None: solve it
        self.dropped: set[Key] = set()                  # lost at this moment
        self.failed: set[frozenset[Key]] = set()        # active sets that lost one: not to be tried again before time goes on
        self.lost_before = math.inf                     # a contact is known to leave an edge before this time
        self.events: list[Event] = []
        self.solved = self.moments = self.close_events = self.happened = 0
        self.close_events_until, self.patience = 0.0, MAX_EVENTS_PER_INTEGRATOR_STEP
        self.levels: dict[Key, float] = {}              # gaps at which the active contacts are held
        self._last: tuple[float, np.ndarray, np.ndarray] = (-1.0, np.zeros(0), np.zeros(0))
        self.begin_part()

    # ---- the loop

    def begin_part(self) -> None:
        """Begin a part of the step, of impulses of its own, with the velocities that the bodies have."""
        self.mechanism.read_velocities()
        self.qd = self.mechanism.qd.copy()
        self.fresh, self.part_begin, self.part_moments = True, self.time, self.moments
        self.impulses: dict[Key, float] = {}
        self.wrenches: dict[Key, np.ndarray] = {}       # impulse and moment on b in the world, whose directions turn
        self.pushed: np.ndarray = np.zeros(len(self.around.push_places))
        self.push_wrench = np.zeros((len(self.pushed), 6))
        self.seen: dict[Key, np.ndarray] = {}           # CONTACT where an impulse was written last
        self.approach: dict[Key, float] = {}
        self.struck: list[Struck] = []
        self.columns = np.zeros(len(LEDGER_COLUMNS))           # of the energy ledger [J]

    def run_part(self) -> bool:
        """Move to the end of the step, or up to a blow: an impact or a time step is a part of its own. True at the end."""
        while self.dt - self.time > INSTANT:
            if self.advance():
                return self.dt - self.time <= INSTANT
        return True

    def advance(self) -> bool:
        """One round of the table; True if a part ends here, before a blow or after one.

        Raises:
            BadInput: cancelled.
        """
        if self.halt[0]:
            raise BadInput(f"step at t = {self.world.time:.4f} s cancelled; the state before it is restored")
        here = self.evaluate(self.q, self.qd, self.time)
        found = here.found
        self._refuse_friction(found)
        touching = found.gap <= TOUCH
        if (touching & (found.rate < -MIN_RATE)).any():
            if self.fresh:
                self._strike(here, touching)
            return True
        slow = min(MIN_RATE * 2.0**self.close_events, NO_REBOUND)      # small rocking, by e = 0, has no end
        current = frozenset(key for key, at in here.where.items() if touching[at] and found.rate[at] <= slow)
        storm, refused = self.close_events > self.patience, ""
        if storm:
            refused = "events follow one another without end"
        elif self.known is None or not current <= self.known or not current.issuperset(self.active):
            refused = self._solve_law(here, current)
        if refused:
            if self.fresh:
                self.patience = 0 if storm else self.patience
                self._step_time(here, min(self.settings.longest, self.dt - self.time), refused)
            return True
        self.fresh, self.known = False, current
        self._move(here)
        return False

    def evaluate(self, q: np.ndarray, qd: np.ndarray, time: float, alone: bool = False) -> Here:
        """The state (q, qd) at `time` [s] after the start of the step; alone: without contacts and limits."""
        self.mechanism.place(q, qd, time)
        found = NOTHING if alone else self.around.find()
        space = JointSpace(self.world, tree=self.mechanism.tree, carried=self.mechanism.states["carried"])
        J, forces, speeds, wrench = self.around.pushes()
        springs = np.array([axis >= 0 for _, axis, _, _ in self.around.push_places], bool)
        work = forces * speeds
        powers = np.array([energy_work.applied_power(self.world.bodies), work[springs].sum(), work[~springs].sum()])
        return Here(found, found.place_of(), space, J.T @ forces, forces, wrench, powers)

    # ---- forces

    def problem(self, here: Here, keys: list[Key], state: tuple[np.ndarray, np.ndarray, float]) -> law.ContactProblem:
        """The contact problem of these constraints at a state (q, qd, time)."""
        if not keys:
            return law.contact_problem(here.space, np.zeros((self.mechanism.tree.size, 0)), np.zeros(0), here.tau)
        T = here.found.T[:, [here.where[key] for key in keys]]
        turning = self.around.turning(*state, keys)
        return law.contact_problem(here.space, T, turning, here.tau)

    def _solve_law(self, here: Here, current: frozenset[Key]) -> str:
        """2 of the table: the active ones among the current; "", or why the law has no solution."""
        keys = [key for key in here.where if key in current]
        problem = self.problem(here, keys, (self.q, self.qd, self.time))
        forces = law.solve_lcp(problem) if keys else np.zeros(0)
        self.solved += bool(keys)
        if forces is None:
            names = ", ".join(dict.fromkeys(self.name(key) for key in keys))
            return (f"no contact force satisfies the laws of {names} together (walls that close on a body, F11 example 11.1): "
                    "a small overlap is tolerated")
        small = NEVER_PRESSED * max(1.0, np.abs(forces).max(initial=0.0))
        staying = np.flatnonzero(problem.M @ forces + problem.d <= NEVER_PRESSED * max(1.0, np.abs(problem.d).max(initial=0.0)))
        shared = np.linalg.lstsq(problem.M[np.ix_(staying, staying)], -problem.d[staying], rcond=law.TOLERANCE)[0]
        if (shared > small).all():      # of the forces with that motion those that are furthest from a loss
            forces[staying] = shared
        self.active = [key for key, force in zip(keys, forces.tolist()) if force > small]
        if frozenset(self.active) in self.failed:
            self.active = [key for key in self.active if key not in self.dropped]
        self.known = current
        return ""

    def _derivative(self, y: np.ndarray, after: float) -> np.ndarray:
        """y' with the active contacts as equations: (N qd, qdd, lambda, lambda n, forces of springs, powers); nan where one
        does not exist."""
        if after == self._last[0] and np.array_equal(y, self._last[1]):
            return self._last[2]
        places, size = self.mechanism.tree.places, self.mechanism.tree.size
        q, qd, time = y[:places], y[places : places + size], self.time + after
        here = self.evaluate(q, qd, time, not self.active)
        rates = (self._rates(here, q, qd, time) if all(key in here.where for key in self.active) else np.full(len(y), np.nan))
        self._last = after, y, rates
        return rates

    def _rates(self, here: Here, q: np.ndarray, qd: np.ndarray, time: float) -> np.ndarray:
        problem = self.problem(here, self.active, (q, qd, time))
        forces = np.zeros(0)
        if self.active:
            forces = np.linalg.lstsq(problem.M, -problem.d, rcond=law.TOLERANCE)[0]
        wrench = here.found.wrench[[here.where[key] for key in self.active]] if self.active else np.zeros((0, 6))
        return np.concatenate([self.mechanism.rates(q, qd), problem.acceleration(forces) if self.active else problem.free, forces,
                               (forces[:, None] * wrench).ravel(), here.forces, (here.forces[:, None] * here.wrench).ravel(),
                               here.powers])

    # ---- smooth motion

    def _move(self, here: Here) -> None:
        """3 and 4 of the table."""
        places, size = self.mechanism.tree.places, self.mechanism.tree.size
        y0 = np.concatenate([self.q, self.qd, np.zeros(7 * (len(self.active) + len(self.pushed)) + len(POWERS))])
        self.levels = {key: min(float(here.found.gap[here.where[key]]), 0.0) for key in self.active}
        k1 = self._rates(here, self.q, self.qd, self.time)
        left = self.dt - self.time
        h = equal_part(left, self._until_passed(min(self.settings.longest, left)))
        if self.time >= self.lost_before:       # it was not lost: something else changed the motion
            self.lost_before = math.inf
        elif self.lost_before - self.time < h:
            h = max(0.5 * (self.lost_before - self.time), EDGE)
        along = path(self.settings.integrator, self._derivative, y0, k1, h)
        end = along(1.0)
        while self.active and not (np.isfinite(end).all() and np.isfinite(self._derivative(end, h)).all()):
            self.lost_before = self.time + h
            if h <= EDGE:
                self._leave_edge(y0 + h * k1, h)
                return
            h *= 0.5
            along = path(self.settings.integrator, self._derivative, y0, k1, h)
            end = along(1.0)
        delta, lost = self._first_event(here, along, h, k1[places + size : places + size + len(self.active)])
        if delta * h < INSTANT and lost is not None:
            self._drop(lost, EventKind.LOST_FORCE)
            return
        if delta * h <= EDGE:
            self.close_events += STUCK
        self._accept(along(delta) if delta < 1.0 else end, delta * h)
        if lost is not None:
            self._drop(lost, EventKind.LOST_FORCE)

    def _until_passed(self, longest: float) -> float:
        """Time in which no shape passes the middle of another [s], at most `longest`: an impact shows by gaps at its end."""
        w = self.world
        velocity, motion = np.empty((len(w.bodies), 6)), np.zeros((len(w.shapes), 2))
        free_motions.unchecked(w.bodies, w.shapes, w.gravity, longest, velocity, motion)
        way, thickness = np.maximum(motion, 0.0)[w.pairs].sum(axis=1).T       # planes: -inf, inf
        return longest / max(1.0, float((way / thickness).max(initial=0.0)))

    def _first_event(self, here: Here, along, h: float, forces: np.ndarray) -> tuple[float, Key | None]:
        """(delta of the first event, 1.0 if there is none; the contact whose force ends there)."""
        places, size = self.mechanism.tree.places, self.mechanism.tree.size
        small = NEVER_PRESSED * max(1.0, np.abs(forces).max(initial=0.0))
        levels = {key: level_of(float(here.found.gap[at]), float(here.found.rate[at]))
                  for key, at in here.where.items() if key not in self.active}

        def gaps(delta: float) -> float:
            y = along(delta)
            self.mechanism.place(y[:places], y[places : places + size], self.time + delta * h)
            found = self.around.find()
            new = np.where(found.rate < -NO_REBOUND, 0.0, -0.5 * TOUCH)     # the next of the faces in a plane begins at 0
            return min((gap - levels.get(key, level) for key, gap, level in zip(found.keys, found.gap.tolist(), new.tolist())
                        if key not in self.active), default=math.inf)

        def least(delta: float) -> float:
            pressed = self._derivative(along(delta), delta * h)[places + size : places + size + len(self.active)]
            return float(pressed.min()) + small if np.isfinite(pressed).all() else -math.inf

        delta, lost = 1.0, None
        accuracy = INSTANT / h
        if gaps(1.0) < 0.0:
            lo = 1.0
            while gaps(lo) < 0.0 and lo * h > INSTANT:
                lo *= 0.5
            delta = first_fall(gaps, lo, min(2.0 * lo, 1.0), accuracy) if lo * h > INSTANT else lo
        if self.active and least(delta) < 0.0:
            delta = first_fall(least, 0.0, delta, accuracy) if least(0.0) >= 0.0 else 0.0
            pressed = self._derivative(along(delta), delta * h)[places + size : places + size + len(self.active)]
            lost = self.active[int(np.argmin(pressed))]
        return delta, lost

    def _accept(self, y: np.ndarray, h: float) -> None:
        """Take a state h [s] later, and remove what the active contacts are off (5 of the table)."""
        places, size, count = self.mechanism.tree.places, self.mechanism.tree.size, len(self.active)
        q, qd = y[:places].copy(), y[places : places + size].copy()
        self.mechanism.normalise(q)
        sums = y[places + size :]
        for key, impulse, wrench in zip(self.active, sums[:count].tolist(), sums[count : 7 * count].reshape(count, 6)):
            self.add_impulse(key, impulse, wrench)
        last = 7 * count + len(self.pushed)
        self.pushed += sums[7 * count : last]
        self.push_wrench += sums[last : -len(POWERS)].reshape(len(self.pushed), 6)
        self.columns[POWERS] += sums[-len(POWERS) :]
        self.q, self.qd, self.time = q, qd, self.time + h
        if h > EDGE:
            self.dropped.clear()
            self.failed.clear()
        if self.time > self.close_events_until:
            self.close_events, self.close_events_until = 0, self.time + self.settings.longest
        self.moments, self._last = self.moments + 1, (-1.0, self._last[1], self._last[2])
        self._hold_active()

    def _hold_active(self) -> None:
        """T^T qd = 0 and phi = 0 for the active contacts; where bodies overlapped they go on to do so as deep."""
        if not self.active:
            return
        here = self.evaluate(self.q, self.qd, self.time)
        keys = [key for key in self.active if key in here.where]
        at = [here.where[key] for key in keys]
        T, rate, gap = here.found.T[:, at], here.found.rate[at], here.found.gap[at]
        answer = here.space.solve(T)
        M = T.T @ answer
        impulses = np.linalg.lstsq(M, -rate, rcond=law.TOLERANCE)[0]
        self.qd = self.qd + answer @ impulses
        off = gap - np.array([self.levels[key] for key in keys])
        way = answer @ np.linalg.lstsq(M, -off, rcond=law.TOLERANCE)[0]
        self.q = self.q + self.mechanism.rates(self.q, way)
        self.mechanism.normalise(self.q)
        for key, impulse, place in zip(keys, impulses.tolist(), at):
            self.add_impulse(key, impulse, impulse * here.found.wrench[place])
            self._note(key, here.found, place)

    # ---- events

    def _strike(self, here: Here, touching: np.ndarray) -> None:
        """1 of the table."""
        found = here.found
        rebounding = found.rate < -NO_REBOUND
        if self.settings.sequential and (touching & rebounding).any():      # slower ones end as without restitution, together
            touching = touching & (rebounding | (found.restitution == 0.0))
        at = np.flatnonzero(touching)
        T, u, e = found.T[:, at], found.rate[at], found.restitution[at]
        answer = here.space.solve(T)
        M = T.T @ answer
        solution = simultaneous_impact(M, u, e, NO_REBOUND, self.settings.law)
        if solution is None:
            raise BadInput(f"no impulses satisfy the laws of the impact of {self.name(found.keys[int(at[u.argmin()])])} at "
                           f"t = {self.world.time + self.time:.6g} s; the state before the step is kept. Use another solver")
        p, share = solution
        self._count_event(found.keys[int(at[u.argmin()])])
        if self._accumulates(here, at, u + M @ p, e):
            return
        self._record_impact(here, at, p, share, answer @ p)
        self.qd = self.qd + answer @ p
        self.columns[IMPACT] += float(p @ (u + 0.5 * M @ p))
        for i, impulse in zip(at.tolist(), p.tolist()):
            key = found.keys[i]
            if impulse > 0.0:
                self.add_impulse(key, impulse, impulse * found.wrench[i])
                self._note(key, found, i)
                self.approach[key] = min(self.approach.get(key, 0.0), float(found.rate[i]))
                kind = EventKind.IMPACT if found.rate[i] < -NO_REBOUND else EventKind.GAINED
                self._record(kind, key, float(found.rate[i]), impulse)
        if len(at) > 1 or e[0] < 1.0:       # lossless impacts of one contact do not add up to infinitely many
            self.close_events += 1 if len(at) == 1 or (u < -SLOW_IMPACT).any() else STUCK
        self.known, self.lost_before = None, math.inf
        self.mechanism.place(self.q, self.qd, self.time)
        self.around.search()

    def _record_impact(self, here: Here, at: np.ndarray, p: np.ndarray, share: np.ndarray, change: np.ndarray) -> None:
        """Keep the contacts `at` of an impact with impulses p (m,) and shares of their restitution."""
        if not (here.found.rate[at] < -NO_REBOUND).any():
            return
        mine = (p > 0.0) & (at < len(here.found.contacts))
        contacts = here.found.contacts[at[mine]].copy()
        meant = contacts["restitution"].copy()
        contacts["restitution"] = np.minimum(share[mine], 1.0) * meant
        alone = np.full(len(contacts), int((p > 0.0).sum()) == 1)
        self.struck.append(Struck(here.space, contacts, p[mine], alone, meant, change))

    def _accumulates(self, here: Here, at: np.ndarray, after: np.ndarray, e: np.ndarray) -> bool:
        """Whether rebounds with speeds `after` are of contacts whose further impacts add up to no time; then time was stepped."""
        found = here.found
        bounces = (after > MIN_RATE) & (e > 0.0) & (e < 1.0) & (found.rate[at] < -NO_REBOUND)
        if not bounces.any():
            return False
        keys = [found.keys[int(i)] for i in at[bounces]]
        pull = -self.problem(here, keys, (self.q, self.qd, self.time)).d
        flight = np.divide(2.0 * after[bounces], pull, out=np.full(len(keys), math.inf), where=pull > 0.0)
        together = (flight / (1.0 - e[bounces])).max()
        if not together < self.settings.gathering:
            return False
        here, before = self.evaluate(self.q, self.qd, self.time), self.close_events
        self._step_time(here, max(min(together, self.dt - self.time), INSTANT),
                        f"the impacts of {self.name(keys[0])} come ever faster and would add up to infinitely many at t = "
                        f"{self.world.time + self.time + together:.4g} s")
        self.close_events = before + STUCK
        return True

    def _step_time(self, here: Here, tau: float, reason: str) -> None:
        """A time step (1) of tau [s]."""
        found = here.found
        if found.keys:
            self._count_event(found.keys[int(found.gap.argmin())])
        free = here.space.solve(here.tau - here.space.C)
        answer = here.space.solve(found.T)
        M = found.T.T @ answer
        moved = found.rate + tau * (found.T.T @ free)
        solution = lemke.solve(M, moved + np.maximum(found.gap, 0.0) / tau)
        if solution.status != Status.SOLVED:
            raise BadInput(f"{reason}; time stepping has no solution either, at t = {self.world.time + self.time:.6g} s. The "
                           "state before the step is kept; use another solver")
        for i in np.flatnonzero(solution.z > 0.0).tolist():
            key = found.keys[i]
            self.add_impulse(key, float(solution.z[i]), solution.z[i] * found.wrench[i])
            self._note(key, found, i)
            self.approach[key] = min(self.approach.get(key, 0.0), float(found.rate[i]))
            self._record(EventKind.STEPPED, key, float(found.rate[i]), float(solution.z[i]))
        if not (solution.z > 0.0).any() and len(found.keys):
            self._record(EventKind.STEPPED, found.keys[int(found.gap.argmin())], 0.0, 0.0)
        work = solution.z * (found.rate + 0.5 * (tau * (found.T.T @ free) + M @ solution.z))
        impacts = found.rate < -NO_REBOUND
        self.columns[IMPACT] += work[impacts].sum()
        self.columns[PRESSING] += work[~impacts].sum()
        self.columns[POWERS] += tau * here.powers
        self.pushed += tau * here.forces
        self.push_wrench += tau * here.forces[:, None] * here.wrench
        self.qd = self.qd + tau * free + answer @ solution.z
        self.q = self.q + tau * self.mechanism.rates(self.q, self.qd)
        self.mechanism.normalise(self.q)
        self.time, self.known, self.close_events = self.time + tau, None, 0
        self.dropped.clear()
        self.failed.clear()
        self.world.warnings.add(f"event-driven: {reason}; time stepping takes over for {tau:.2g} s")

    def _leave_edge(self, end: np.ndarray, h: float) -> None:
        """Geometric loss: go on past the edge, to a state h [s] from now, without the contacts that do not exist there."""
        places, size = self.mechanism.tree.places, self.mechanism.tree.size
        there = self.evaluate(end[:places], end[places : places + size], self.time + h)
        gone = [key for key in self.active if key not in there.where] or self.active[:1]
        self._accept(end, h)
        self.lost_before = math.inf
        for key in gone:
            self._drop(key, EventKind.LOST_EDGE)

    def _drop(self, key: Key, kind: EventKind) -> None:
        """An active contact ends: the law is to be solved anew."""
        self.failed.add(frozenset(self.active))
        self.active = [one for one in self.active if one != key]
        self.dropped.add(key)
        self.known, self.close_events = None, self.close_events + 1
        self._record(kind, key, 0.0, 0.0)
        self._count_event(key)

    # ---- what is kept

    def add_impulse(self, key: Key, impulse: float, wrench: np.ndarray) -> None:
        """Add an impulse of a constraint [N s] or [N m s]; wrench (6,): on b, in the world."""
        self.impulses[key] = self.impulses.get(key, 0.0) + impulse
        self.wrenches[key] = self.wrenches.get(key, 0.0) + wrench

    def _note(self, key: Key, found: Unilateral, at: int) -> None:
        """Remember a contact as it is now, for the case that it ends before the step does."""
        if at < len(found.contacts):
            self.seen[key] = record_of(found.contacts, at)

    def _record(self, kind: EventKind, key: Key, speed: float, impulse: float) -> None:
        """Keep what happened to a constraint."""
        bodies, joint = self._bodies(key), key[1] if key[0] < 0 else -1
        self.events.append(Event(float(self.world.time + self.time), kind, bodies, joint, speed, impulse))

    def _count_event(self, key: Key) -> None:
        """Count an event, of one constraint or of several at once.

        Raises:
            BadInput: there are too many in this step.
        """
        self.happened += 1
        if self.happened > self.settings.most:
            raise BadInput(f"event storm: more than {self.settings.most} events within a step of {self.dt:g} s, the last one of "
                           f"{self.name(key)} at t = {self.world.time + self.time:.6g} s; the state before the step is kept. "
                           "Raise 'most events' or 'gathering time', lower the restitution, or use another solver")

    def _bodies(self, key: Key) -> tuple[int, int]:
        if key[0] >= 0:
            return int(self.world.shapes["body"][key[0]]), int(self.world.shapes["body"][key[1]])
        joint = self.world.joints[key[1]]
        return int(joint["body_a"]), int(joint["body_b"])

    def name(self, key: Key) -> str:
        """Name of a constraint for messages."""
        if key[0] < 0:
            return f"the limit of joint '{self.world.joint_names[key[1]]}'"
        a, b = self._bodies(key)
        return f"'{self.world.body_names[b]}' on '{self.world.body_names[a]}'"

    def _refuse_friction(self, found: Unilateral) -> None:
        """Refuse contacts with friction.

        Raises:
            BadInput: a contact has friction, and it is not left out.
        """
        rough = np.flatnonzero((found.contacts["friction"] > 0.0) & (found.gap[: len(found.contacts)] <= TOUCH))
        if len(rough) and not self.settings.frictionless:
            raise BadInput(f"{self.name(found.keys[int(rough[0])])} touches with friction, which the event-driven solver does "
                           "not have: set the friction of one of them to 0, choose 'contact friction: left out', or use another "
                           "solver; the state before the step is kept")

    # ---- the end

    def finish_part(self) -> tuple[np.ndarray, EventLog, float]:
        """(CONTACT at the end of the part with its impulses, what happened in the step, fastest approach of what touches [m/s]
        or [rad/s]); limits and springs get their impulses."""
        here = self.evaluate(self.q, self.qd, self.time)
        found, joints = here.found, self.world.joints
        contacts = copy_of(found.contacts)
        contacts["impulse"], contacts["friction_impulse"], contacts["spin_impulse"], contacts["residual"] = 0.0, 0.0, 0.0, 0.0
        cases = np.zeros(len(contacts), np.int64)
        for i, key in enumerate(found.keys[: len(contacts)]):
            if self.impulses.pop(key, 0.0) > 0.0:
                self._write_impulse(contacts[i], key)
            contacts["approach"][i] = self.approach.get(key, found.rate[i])
            cases[i] = case_of(float(found.gap[i]), float(found.rate[i]))
        lost = []
        for key, impulse in self.impulses.items():
            if key[0] < 0:
                joints["limit_impulse"][key[1], key[2]] += impulse if key[3] == Role.LOWER else -impulse
                joints["reaction"][key[1]] += self.wrenches[key]
            elif key in self.seen and impulse > 0.0:
                gone = self.seen[key]
                self._write_impulse(gone, key)
                gone["approach"], gone["warm_startable"] = self.approach.get(key, 0.0), 0
                lost.append(gone)
        for (j, axis, group, row), impulse, wrench in zip(self.around.push_places, self.pushed.tolist(), self.push_wrench):
            joints["reaction"][j] += wrench
            if axis >= 0:
                joints["motor_impulse"][j, axis] += impulse
            elif impulse != 0.0:
                joints["friction_impulse"][j, row] += impulse
                joints["slip"][j, row] = -impulse / ((self.time - self.part_begin) * joints["viscous"][j, group])     # on average
        if lost:
            contacts = np.concatenate([contacts, np.array(lost, contacts.dtype)])
        if self.settings.frictionless:
            contacts["friction"] = 0.0
        active = tuple(key in self.active for key in found.keys[: len(cases)])
        approach = -np.minimum(found.rate[found.gap <= TOUCH], 0.0).min(initial=0.0)
        return contacts, EventLog(tuple(self.events), tuple(cases.tolist()), active, self.solved, self.moments), float(approach)


    def _write_impulse(self, contact: np.record, key: Key) -> None:
        """Impulse of a contact; its normal becomes the mean one of the step."""
        vector = self.wrenches[key][:3]
        size = float(np.linalg.norm(vector))
        contact["impulse"], contact["normal"] = size, vector / size
        across = contact["tangent"] - contact["normal"] * (contact["normal"] @ contact["tangent"])
        contact["tangent"] = across / np.linalg.norm(across)


def level_of(gap: float, rate: float) -> float:
    """Gap [m] below which a contact with that gap and rate [m/s], which carries no force, is an event."""
    if gap > TOUCH:
        return 0.0
    return min(gap, 0.0) - GAP_ERROR if rate > MIN_RATE else gap - 0.5 * TOUCH


def case_of(gap: float, rate: float) -> int:
    """ContactCase of a gap [m] and its rate [m/s]."""
    if gap > TOUCH:
        return int(ContactCase.APART)
    if rate < -MIN_RATE:
        return int(ContactCase.APPROACHING)
    return int(ContactCase.LEAVING if rate > MIN_RATE else ContactCase.STAYING)
