"""One whole simulation step. Read it aloud."""

import math
import time
from typing import NamedTuple

import numpy as np

from physics.collide.bounds import update_shapes
from physics.collide.continuous import impacts
from physics.collide.continuous.tunnelling_guard import prevent_tunnelling
from physics.collide.narrow import Keeping
from physics.compiled_joint_step import compiled_steps
from physics.core.check import BadInput, Diverged, number, shown_value, whole
from physics.core.contact_points import keys_of
from physics.core.equal_parts import equal_part
from physics.core.records import CONTACT, selected
from physics.dynamics import integrate, measure
from physics.dynamics.energy_ledger import with_numerical
from physics.observe.report import RUN_TO_END, Report, StepStart
from physics.stepping import drivers, part_motion
from physics.stepping.free_flight import alone_to_impact
from physics.stepping.part_motion import PartStart
from physics.stepping.parts import StepSums
from physics.stepping.rejection import EnergyGained, StepAttempts
from physics.stepping.time_of_impact import IMPACT_LATER, MIN_PART_SHARE, next_impact, part_length
from physics.stepping.transaction import undo_on_error
from physics.world import contact_callbacks, sanity_checks
from physics.world.joints import break_joints
from physics.world.world import World

_NO_CONTACTS = np.zeros(0, CONTACT)

MANY_IMPACTS = 24
"""From so many impacts in a step on it is told if there may have been more. In crowds fewer are taken one after the other."""

SHORTEST_STEP, LONGEST_STEP = 1e-9, 1.0
"""Step sizes that are allowed [s]."""


def step(world: World, dt: float) -> Report:
    """Advance the world by dt [s], SHORTEST_STEP <= dt <= LONGEST_STEP.

    Raises:
        BadInput: dt is not allowed, or the solver cannot do this step (joints that contradict one another, cancelled).
        Diverged: a body came out non-finite or absurdly fast.

    Whatever is raised, also by a driver or from the keyboard: the world is as before (transaction.py). What blows up or gains
    energy from nowhere is made again in shorter pieces (rejection.py): drivers are then asked again, too.
    """
    return _advance(world, _checked(world, dt), 1)


def _checked(world: World, dt: float) -> float:
    """The step size; BadInput where it or the world is none."""
    if not isinstance(world, World):
        raise BadInput(f"step expects a World, not {shown_value(world)}")
    if type(dt) is float and SHORTEST_STEP <= dt <= LONGEST_STEP:
        return dt
    return number("step size dt", dt, lo=SHORTEST_STEP, hi=LONGEST_STEP, unit="s")


def _advance(world: World, dt: float, count: int) -> Report:
    """Make one step of dt [s], whatever happens in it, or up to `count` compiled ones; returns the report of the last."""
    if not world.drivers and (report := compiled_steps(world, dt, count)):
        return report
    attempts = StepAttempts(world)
    while True:
        try:
            with undo_on_error(world):
                return _step(world, dt, attempts)
        except (EnergyGained, Diverged) as error:
            attempts.next(error)


def step_many(world: World, steps: int, dt: float) -> Report:
    """Advance the world by so many steps of dt [s], as as many calls of `step` do, bit for bit; returns the report of the last.

    Raises:
        BadInput: `steps` is no number from 1 to 10^9; and as `step`, with the world as before the step that failed.
    """
    dt, left = _checked(world, dt), step_count(steps)
    while left > 0:
        before = world.steps
        report = _advance(world, dt, left)
        left -= max(1, world.steps - before)
    return report


def step_count(steps: int) -> int:
    """A number of steps to be made.

    Raises:
        BadInput: it is no number from 1 to 10^9.
    """
    return whole("steps", steps, 1, 10**9)


def _step(world: World, dt: float, attempts: StepAttempts) -> Report:
    """The step itself. Here and in what it calls nothing need be put back before something is raised."""
    wall, applied = time.perf_counter(), call_drivers(world, dt)
    if world.drivers and attempts.pieces == 1 and (report := compiled_steps(world, dt, 1)):
        return report
    begun, sums, left = begin_step(world, dt, wall, applied), StepSums(dt), dt
    before = begun.motion
    while True:
        longest = min(left, dt / attempts.pieces)
        contacts, pairs, sensed = find_contacts(world, longest, sums)
        if not sums.reports:
            world.watch.sense(world, sensed)
        attempts.begin_part(contacts)
        length, kinds = plan_part(world, contacts, left, longest, sums)
        if length == 0.0:
            solve_impacts(world, contacts, kinds, before, sums)
        else:
            solve_motion(world, before_impacts(world, contacts, kinds), pairs, length, longest, before, sums)
            left -= length
            if left <= MIN_PART_SHARE * dt or world.solver.stop_at != RUN_TO_END:
                break
            world.time = begun.time + dt - left
            reapply_forces(world, begun.applied, left)
        sums.next_part(world)
        before = begin_part(world)
    attempts.judge(world, sums.reports)
    return finish_step(world, dt, begun, sums)


class StepBegin(NamedTuple):
    """State at the start of a step. wall: perf_counter [s]; time: of the world [s]; applied: force and torque (bodies, 3) apart
    from those of drivers; kinetic: energy [J], 0 without an energy ledger."""

    wall: float
    time: float
    motion: PartStart
    applied: tuple[np.ndarray, np.ndarray]
    kinetic: float


def call_drivers(world: World, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Call the drivers; returns what was applied to the bodies before: force [N] and torque [N m] (bodies, 3)."""
    bodies, world.current_dt = world.bodies, dt
    force, torque = np.empty((len(bodies), 3)), np.empty((len(bodies), 3))
    if world.drivers:
        measure.copy_applied.unchecked(bodies, force, torque)
    drivers.call(world, dt)
    return force, torque


def begin_step(world: World, dt: float, wall: float, applied: tuple[np.ndarray, np.ndarray]) -> StepBegin:
    """Let applied forces act, wake and check the bodies. wall: perf_counter at the start [s]; applied: see `call_drivers`."""
    force, torque = applied
    world.sleep.begin(world)
    integrate.apply_owed_impulse.unchecked(world.bodies[: len(force)], dt, force, torque)
    world.audit.begin(world, dt)
    begun = begin_part(world)
    if not world.drivers:
        force, torque = begun.force, begun.torque
    kinetic = measure.energy(world.bodies, world.gravity)[0] if world.records_energy else 0.0
    return StepBegin(wall, world.time, begun, (force, torque), kinetic)


def begin_part(world: World) -> PartStart:
    """Keep the motion before a part. The bodies are checked then, too: a bad one spreads to all that it touches, and then the
    wrong one would be named.
    """
    begun = PartStart.of(world.bodies)
    _check(world, begun.bad_body)
    return begun


def finish_step(world: World, dt: float, begun: StepBegin, sums: StepSums) -> Report:
    """Audit the step, track events and sleep, break joints, count time and energy; returns the report, which the world keeps."""
    report, contacts = sums.finish(world)
    world.step_start = StepStart(begun.motion.motion, sums.force, sums.torque, dt, sums.contact_impulse)
    report.audit = world.audit.verdict(world, len(sums.reports) == 1)
    world.awake_contacts, world.last_dt = contacts, dt
    world.time, world.impulse_duration = begun.time + dt, begun.motion.lag + dt - sums.lag
    world.watch.update(world, contacts, begun.time)
    world.sleep.end(world, report.residual, dt, lambda: update_shapes(world, dt))
    world.steps, world.report = world.steps + 1, report
    world.broken = break_joints(world)
    kinetic, potential = measure.energy.unchecked(world.bodies, world.gravity)
    report.asleep, report.energy = world.sleep.count, {"kinetic": kinetic, "potential": potential}
    if report.ledger and world.records_energy:
        report.ledger = with_numerical(report.ledger, kinetic - begun.kinetic)
    report.times["step"] = time.perf_counter() - begun.wall
    world.energy_totals = world.energy_totals.after(report)
    return report


def reapply_forces(world: World, given: tuple[np.ndarray, np.ndarray], left: float) -> None:
    """Before a further part: what was applied to the bodies at the start of the step, and the drivers, as they push now."""
    for name, values in zip(("force", "torque"), given, strict=True):
        world.bodies[name][: len(values)] = values
    drivers.call(world, left)


def find_contacts(world: World, dt: float, sums: StepSums) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(contacts, pairs, what sensors overlap) for a motion of up to dt [s]; who is touched wakes."""
    begin, first = time.perf_counter(), not sums.reports
    bodies, shapes, pool, gravity = world.bodies, world.shapes, world.pool.arrays, world.gravity
    new = first and (bool(world.unchecked_bodies) or world.checked_revision != world.revision)
    while True:
        update_shapes(world, dt)
        layout = world.layout
        pairs, sensed = world.broad_phase.find(bodies, shapes, layout.excluded, world.revision)
        paired = time.perf_counter()
        contacts, keeping = _NO_CONTACTS, Keeping(world.kept_manifolds)
        if len(pairs):
            refine = impacts.refiner(bodies, shapes, pool, gravity, world.margin, dt, layout.joints.body_group)
            refine = world.edge_filter.over(refine, bodies, shapes, pool, dt, world.revision)
            contacts = world.narrow_phase.find(shapes, pairs, world.awake_contacts, pool, refine, keeping)
        world.kept_manifolds = keeping.kept
        if not world.sleep.wake_touched(world, contacts):
            break
    world.mix_materials(contacts)
    if world.contact_callbacks:
        contacts, pairs = contact_callbacks.acting(contacts, pairs)
    if new:
        sanity_checks.check_new_bodies(world, contacts, dt)
    sums.broad += paired - begin
    sums.narrow += time.perf_counter() - paired
    world.pairs = pairs
    return contacts, pairs, sensed


def plan_part(world: World, contacts: np.ndarray, left: float, longest: float,
              sums: StepSums) -> tuple[float, np.ndarray | None]:
    """(length of the next part [s], at most `longest`, 0 if there is an impact now; the kind of each contact in it, see
    time_of_impact.py, None where there is no impact)."""
    length, kinds = longest, None
    if left > world.solver.longest_part:
        length = min(length, equal_part(left, world.solver.longest_part))
    if world.drivers:
        length = min(length, world.driver_dt)
    if len(contacts):
        length = min(length, part_length(world, contacts, left, sums.dt))
    length = without_rest(length, left, sums.dt)
    if world.solver.solves_impacts and sums.allows_impact(len(world.shapes)):
        length, kinds = end_at_impact(world, contacts, length, sums)
        length = length if kinds is None else without_rest(length, left, sums.dt)
    elif sums.impacts >= MANY_IMPACTS:
        world.warnings.add(f"{sums.impacts} impacts in one step: those that follow in it are solved together, with less "
                           "restitution than given, and energy is lost; reduce the step size")
    return length, kinds


def without_rest(length: float, left: float, dt: float) -> float:
    """Length of a part [s]; what would be left after it is not too short for a part of its own."""
    return left if 0.0 < left - length <= MIN_PART_SHARE * dt else length


def end_at_impact(world: World, contacts: np.ndarray, length: float, sums: StepSums) -> tuple[float, np.ndarray | None]:
    """(length, kinds) of `plan_part`: a part ends where a contact or the limit of a joint is struck. Before a limit it must
    end: its row would rebound at the start of the substep that reaches it."""
    kinds, first, limit = np.zeros(len(contacts), np.uint8), math.inf, sums.limits.next_strike(world, length)
    if len(contacts):
        first = next_impact.unchecked(contacts, world.shapes, world.bodies, world.layout.joints.body_group, world.gravity,
                                      world.solver.options.restitution_threshold, length, MIN_PART_SHARE * sums.dt, kinds)
    if min(first, limit) < length:
        sums.approaches += 1
    if limit < first:
        return min(length, limit), kinds if limit == 0.0 else None
    return min(length, first), kinds if first < math.inf else None


def before_impacts(world: World, contacts: np.ndarray, kinds: np.ndarray | None) -> np.ndarray:
    """The contacts of a part without those that strike when it ends, which the world is told."""
    world.strikes = frozenset()
    if kinds is None or not (kinds == IMPACT_LATER).any():
        return contacts
    world.strikes = frozenset(keys_of(selected(contacts, kinds == IMPACT_LATER)))
    return selected(contacts, kinds != IMPACT_LATER)


def solve_impacts(world: World, contacts: np.ndarray, kinds: np.ndarray, before: PartStart, sums: StepSums) -> None:
    """The impacts of this moment."""
    begin = time.perf_counter()
    sums.begin_impact(world)
    with world.sleep.sleepers_as_static(world):
        report, took_part = world.solver.strike(world, contacts, kinds)
    _check(world, first_bad_body(world.bodies))
    struck = selected(contacts, took_part)
    world.audit.observe_part(world, before.motion, before.force, before.torque, struck, 0.0)
    sums.impacts += 1
    sums.limits.forget()
    sums.add(world, report, struck, before.motion)
    sums.solving += time.perf_counter() - begin


def solve_motion(world: World, contacts: np.ndarray, pairs: np.ndarray, dt: float, found: float, before: PartStart,
                 sums: StepSums) -> None:
    """The solver moves the world by dt [s], and nothing passes through anything else. found: contacts and pairs are those of a
    motion of up to so long [s]."""
    begin, bodies = time.perf_counter(), world.bodies
    motion, force, torque, lag, _ = before
    with world.sleep.sleepers_as_static(world), alone_to_impact(world, contacts, found, dt):
        report = world.solver.step(world, contacts, dt)
    fast = np.empty(len(bodies), np.int64)
    worst, fast_bodies, sums.lag = part_motion.end.unchecked(bodies, world.shapes, motion, force, torque,
                                                             world.layout.joints.body_group, dt, fast)
    _check(world, worst)
    audited = motion
    if fast_bodies:
        with world.sleep.sleepers_as_static(world):
            audited = prevent_tunnelling(motion, force, world, pairs, fast, dt)
        _check(world, first_bad_body(bodies))
        sums.lag = integrate.end_part.unchecked(bodies, motion, force, torque)
    touching, observed = report.contacts_at_end, report.observed
    report.contacts_at_end, report.observed = None, False
    found = contacts if touching is None else touching
    if not observed:
        world.audit.observe_part(world, audited, force, torque, found, dt, report.substeps, touching is not None)
    world.awake_contacts, world.last_part_dt, world.impulse_duration = found, dt, lag + dt - sums.lag
    integrating = report.times.pop("integrate", 0.0)
    sums.add(world, report, found, motion)
    sums.add_applied(force, torque, dt)
    sums.integrating += integrating
    sums.solving += time.perf_counter() - begin - integrating


def first_bad_body(bodies: np.ndarray) -> int:
    """Index of the first body whose state is not finite or absurd; -1: none."""
    return measure.first_bad_body.unchecked(bodies, measure.SPEED_LIMIT, measure.DISTANCE_LIMIT)


def _check(world: World, worst: int) -> None:
    """Raise Diverged if a body was found (>= 0) whose state is not finite or absurd."""
    if worst >= 0:
        raise Diverged(f"body '{world.body_names[worst]}' diverged at t = {world.time:.4f} s: its state is not finite or its "
                       f"speed is excessive; the state before the step is restored. Use a step size below {world.current_dt:g} "
                       "s or more sweeps",
                       worst)
