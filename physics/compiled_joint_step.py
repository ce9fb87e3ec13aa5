"""Whole steps in joint space in one compiled call, where nothing touches the mechanisms (articulated/plain_step.py).

As compiled_step.py has it: the kernels of `step.py` in the same order, the same bits, and what is out of the ordinary is refused
without a trace. Here that is also every contact; a step that loaded links divide (solvers/lcp/substeps.py) is made in its parts.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from physics import compiled_step
from physics.articulated import plain_step, tops
from physics.articulated.plain_step import MADE, PlainMechanisms
from physics.collide import narrow
from physics.compiled_step import BAD_BODY, FOUND, NOT_LOADED, CompiledStep, Progress, completed
from physics.contact.friction_cone import polygon
from physics.core import by_address, vec
from physics.core.compile import cache
from physics.core.jit import inline, kernel, routine
from physics.dynamics import stiffness
from physics.dynamics.stiffness import RESOLVED_ANGLE, Pace
from physics.observe.audit.auditor import RIGID
from physics.observe.audit.findings import Audit
from physics.observe.report import Report
from physics.solvers.joint_space import TOP_RATE, JointSpaceStepping, step_report
from physics.solvers.lcp import linearise
from physics.solvers.lcp.substeps import MAX_PARTS

CONTACT, TOUCHED, TOUCHED_LATER, UNUSUAL = range(101, 105)
"""Further reasons for which a step is refused."""

_OWN_STEP = JointSpaceStepping.step
"""A program may put another function in its place."""

OWN_CALLS = by_address.CallTable()
_swing = OWN_CALLS.add(linearise.swing)
_sweep = OWN_CALLS.add(tops.sweep)
_hold = OWN_CALLS.add(stiffness.hold)
_advance = OWN_CALLS.add(plain_step.advance)


class Mixing(NamedTuple):
    """What the search for contacts reads of a solver's settings. polygon: of the friction cone."""

    polygon: np.ndarray


class Settings(NamedTuple):
    """sweeps: see `Mixing`."""

    sweeps: Mixing


class JointMotion(NamedTuple):
    """calls, plain_calls: addresses of OWN_CALLS and of plain_step.CALLS. index, balls: joints, and those in which all turns are
    free (solvers/joint_space.py). sums: JOINT, of the impulses of several parts of a step."""

    calls: np.ndarray
    plain_calls: np.ndarray
    mechanisms: PlainMechanisms
    sums: np.ndarray
    index: np.ndarray
    balls: np.ndarray


@kernel
def run(calls, tables, room, kept, rules, settings, motion, audit, gravity, previous, start, count, dt):
    """Make up to `count` steps of dt [s] and write the progress; arguments as of compiled_step.run. start: `time`, `last_part`,
    `duration` of PROGRESS, the pace."""
    p = room.progress[0]
    p.time, p.last_part, p.duration, (p.held, p.wanted, p.calm) = start
    p.refused, p.contacts, p.pairs, p.gained = 0, 0, 0, 0.0
    for n in range(previous.shape[0]):
        if previous[n].impulse > 0.0:
            p.refused = TOUCHED
            return
    while p.done < count:
        known = p.kept
        compiled_step.copy_words(kept.tables, kept.copies)
        p.refused = _step(calls, tables, room, rules, settings, motion, audit, gravity, previous, dt, p)
        if p.refused != 0:
            compiled_step.copy_words(kept.copies, kept.tables)
            p.contacts, p.kept = 0, known
            break
        previous = room.contacts[0][:0]
        p.done += 1
        p.time += dt
        p.last_part = dt
    p.kinetic, p.potential = compiled_step.energy_of(calls, tables.bodies, gravity)


@routine
def _step(calls, tables, room, rules, settings, motion, audit, gravity, previous, dt, p):
    """One step; returns 0 or why it is refused."""
    bodies = tables.bodies
    compiled_step.apply_owed(calls, bodies, dt, room.force, room.torque)
    for i in range(room.driven.shape[0]):
        for k in range(6):
            room.driven[i, k], room.driven[i, 6 + k] = bodies[i].before[k], bodies[i].older[k]
    lag, bad = compiled_step.begin_part(calls, bodies, room.motion, room.force, room.torque)
    if bad >= 0:
        return BAD_BODY
    refused, contacts = compiled_step.find_step_contacts(calls, tables, room, rules, settings, gravity, previous, dt, p)
    if refused != 0:
        return refused
    if contacts.shape[0] > 0:
        return CONTACT
    return _move(calls, tables, room, rules, motion, audit, gravity, previous, contacts, dt, lag, p)


@routine
def _move(calls, tables, room, rules, motion, audit, gravity, previous, contacts, dt, lag, p):
    """0, or why the step is refused; `step.solve_motion`."""
    bodies = tables.bodies
    parts, pace = _solve(calls, tables, room, rules, motion, gravity, dt, p)
    if parts < 0:
        return -parts
    bad, fast, left = compiled_step.end_part(calls, bodies, tables.shapes, room.motion, room.force, room.torque, tables.groups,
                                              dt, room.fast)
    if bad >= 0:
        return BAD_BODY
    if fast > 0:
        refused = compiled_step.check_fast(calls, tables, room, rules, p)
        if refused != 0:
            return refused
        left = compiled_step.end_fast_part(calls, bodies, room.motion, room.force, room.torque)
    if rules.audited:
        broken, p.gained = compiled_step.audit_part(
            calls, bodies, room.motion, room.force, room.torque, contacts, parts > 1, previous, p.last_part, parts, tables.joints,
            tables.material_pairs, RIGID, gravity, dt, dt, audit[0], room.driven, False, audit[1], audit[2])
        if broken > 0 or p.gained > rules.reject_above:
            return FOUND
    p.duration, p.parts = lag + dt - left, parts
    p.held, p.wanted, p.calm = pace
    return 0


@routine
def _solve(calls, tables, room, rules, motion, gravity, dt, p):
    """(number of parts or, negative, why the step is refused; the pace); `JointSpaceStepping.step`."""
    bodies, joints, links = tables.bodies, tables.joints, motion.mechanisms.links
    tick, duration, pace = dt / MAX_PARTS, p.duration, Pace(p.held, p.wanted, p.calm)
    done, ticks, parts = 0, MAX_PARTS, 0
    while done < MAX_PARTS:
        rate = max(_swing(motion.calls, joints, motion.index, motion.balls, bodies, duration),
                   TOP_RATE * _sweep(motion.calls, links, bodies))
        held, wanted, calm = _hold(motion.calls, RESOLVED_ANGLE / rate if rate > 0.0 else math.inf, pace, dt)
        pace = Pace(held, wanted, calm)
        longest, most, ticks = pace.held if pace.held > 0.0 else math.inf, min(MAX_PARTS, 2 * ticks), MAX_PARTS
        while ticks > 1 and (ticks > most or done % ticks != 0 or ticks * tick > longest * (1.0 + 1e-9)):
            ticks //= 2
        refused = _touches(calls, tables, room, rules, gravity, ticks * tick, p) if done > 0 else 0
        if refused != 0:
            return -refused, pace
        if _advance(motion.calls, motion.plain_calls, motion.mechanisms, bodies, joints, gravity, ticks * tick, duration) != MADE:
            return -UNUSUAL, pace
        done, parts, duration = done + ticks, parts + 1, ticks * tick
        if done < MAX_PARTS or parts > 1:
            for i in range(joints.shape[0]):
                _add_up(motion.sums[i], joints[i], parts == 1, done == MAX_PARTS)
        if done < MAX_PARTS:
            for i in range(bodies.shape[0]):
                vec.assign(bodies[i].force, room.force[i])
                vec.assign(bodies[i].torque, room.torque[i])
    return parts, pace


@routine
def _touches(calls, tables, room, rules, gravity, dt, p):
    """Let the shapes follow their bodies; 0, or why the step is refused: some of its pairs have contacts now. See
    `bounds.refresh_contacts`."""
    compiled_step.place_shapes(calls, tables.bodies, tables.shapes)
    for k in range(tables.bound_calls.shape[0]):
        index = tables.shapes_of_kind[tables.bound_calls[k, 0]:tables.bound_calls[k, 1]]
        if tables.bound_calls[k, 3] != 0:
            compiled_step.bound_geometric(tables.bound_calls[k, 2], tables.shapes, index, tables.pool)
        else:
            compiled_step.bound_plain(tables.bound_calls[k, 2], tables.shapes, index)
    compiled_step.grow_boxes(calls, tables.bodies, tables.shapes, rules.margin, dt, gravity)
    if p.pairs == 0:
        return 0
    manifolds, place = room.manifolds[:p.pairs], room.place[:p.pairs]
    groups = compiled_step.sort_pairs(calls, tables.shapes, room.pairs[:p.pairs], compiled_step.SHAPE_KINDS, room.ordered, place,
                                       room.first, room.codes)
    for g in range(groups):
        code = room.codes[g]
        pairs = room.ordered[room.first[code]:room.first[code + 1]]
        found = manifolds[room.first[code]:room.first[code + 1]]
        if tables.colliders[code, 0] == 0:
            return NOT_LOADED
        if tables.colliders[code, 1] != 0:
            compiled_step.collide_geometric(tables.colliders[code, 0], tables.shapes, pairs, found, tables.pool)
        else:
            compiled_step.collide_plain(tables.colliders[code, 0], tables.shapes, pairs, found)
    return TOUCHED_LATER if narrow.points(manifolds, place) > 0 else 0


@routine
def _add_up(total, joint, first, last):
    """Add the impulses of a part to those of the parts before it; after the last one the joint gets the sums."""
    _add(total.impulse, joint.impulse, first, last)
    _add(total.friction_impulse, joint.friction_impulse, first, last)
    _add(total.reaction, joint.reaction, first, last)
    _add(total.limit_impulse, joint.limit_impulse, first, last)
    _add(total.motor_impulse, joint.motor_impulse, first, last)
    total.load = joint.load if first else total.load + joint.load
    if last:
        joint.load = total.load


@inline
def _add(total, part, first, last):
    for i in range(total.shape[0]):
        total[i] = part[i] if first else total[i] + part[i]
        if last:
            part[i] = total[i]


def is_ready() -> bool:
    """Whether `run` is loaded, or stored with everything else."""
    return by_address.AVAILABLE and (len(run.overloads) > 0 or cache.is_warm())


def compiled_steps(world: Any, dt: float, count: int) -> Report | None:
    """`compiled_step.compiled_steps`, of mechanisms in joint space, too."""
    made = world.compiled_step
    if type(world.solver) is JointSpaceStepping and (made is None or not made.is_of(world)):
        world.compiled_step = CompiledJointStep(world)
        return None
    return compiled_step.compiled_steps(world, dt, count)


class CompiledJointStep(CompiledStep):
    """Compiled steps in joint space of a world as it is built now."""

    _own_step = staticmethod(_OWN_STEP)

    def _can_hold(self) -> bool:
        return is_ready() and self._solver.layout(self._world).is_plain and not self._solver.layout(self._world).is_tied

    def _suits(self, dt: float) -> bool:
        return dt <= self._solver.longest_part and not self._world.records_energy

    def _settings_of(self) -> Any:
        return None

    def _run(self, audit: tuple, count: int, dt: float) -> None:
        world = self._world
        start = world.time, world.last_part_dt, world.impulse_duration, world.pace
        run.unchecked(self._calls, self._tables, self._room, self._kept, self._rules, self._settings, self._motion, audit,
                      self._gravity, world.awake_contacts, start, count, dt)

    def _contacts(self, end: Progress) -> np.ndarray:
        return compiled_step.NO_CONTACTS

    def _report(self, end: Progress, audit: Audit | None, wall: float) -> Report:
        self._world.pace = Pace(end.held, end.wanted, end.calm)
        return Report.later(_written, end, self._layout.joints.rows, audit, wall)

    def _make(self) -> bool:
        layout, made = self._layout, self._solver.layout(self._world)
        self._motion = JointMotion(OWN_CALLS.addresses(), plain_step.CALLS.addresses(), made.mechanisms(self._world),
                                   np.zeros_like(self._joints), layout.joints.joints, made.balls)
        if not (self._motion.calls.all() and self._motion.plain_calls.all()):
            return False
        self._allocate(layout.joint_system, True, False, 0.0, 0.0)
        self._settings = Settings(Mixing(polygon(0)))
        return True


def _written(end: Progress, rows: int, audit: Audit | None, wall: float) -> Report:
    """The report of a step: its end, rows of the joints, wall time of it [s]."""
    report = step_report(JointSpaceStepping.name, rows)
    report.substeps = end.parts
    return completed(report, end, audit, wall)
