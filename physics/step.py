"""One whole simulation step. Read it aloud."""

import time

import numpy as np

from physics import doubts, integrate, measure, ramp
from physics.beginning import Beginning
from physics.breaking import break_joints
from physics.check import number, said
from physics.collide import continuous
from physics.collide.hold import hold_back
from physics.errors import BadInput, Diverged
from physics.ledger import closed
from physics.parts import Sum, asked_length
from physics.rejection import Gained, Tries
from physics.report import NEVER, Report
from physics.time_of_impact import COMING, SOON, next_impact, part_length
from physics.touching import follow
from physics.whole import whole
from physics.world import World

SPEED_LIMIT = 1e5
"""No body of this laboratory is faster [m/s] or [rad/s]; one that is has blown up."""

DISTANCE_LIMIT = 1e7
"""No body is farther from the origin [m]."""


def step(world: World, dt: float) -> Report:
    """Advance the world by dt [s], 0 < dt <= 1.

    Raises:
        BadInput: dt is not allowed, or the solver cannot do this step (joints that contradict one another, cancelled).
        Diverged: a body came out non-finite or absurdly fast.

    Whatever is raised, also by a driver or from the keyboard: the world is as before (whole.py). What blows up or gains energy
    from nowhere is made again in shorter pieces (rejection.py): drivers are then asked again, too.
    """
    if not isinstance(world, World):
        raise BadInput(f"step moves a World, and this is {said(world)}")
    dt = number("step size dt", dt, lo=0.0, hi=1.0, unit="s", open_lo=True)
    tries = Tries(world)
    while True:
        try:
            with whole(world):
                return _step(world, dt, tries)
        except (Gained, Diverged) as error:
            tries.next(error)


def _step(world: World, dt: float, tries: Tries) -> Report:
    """The step itself. Here and in what it calls nothing need be put back before something is raised."""
    begin, total, left = time.perf_counter(), Sum(dt), dt
    given = world.bodies["force"].copy(), world.bodies["torque"].copy()
    apply_drivers(world)
    integrate.pay(world.bodies, dt, *given)
    world.sleep.begin(world)
    world.audit.begin(world, dt)
    motion = np.empty((len(world.bodies), measure.MOTION))
    measure.keep_motion(world.bodies, motion)
    started, lag, world.step_length = world.time, world.lag, dt
    _check(world)
    at_first = measure.energy(world.bodies, world.gravity)[0] if world.keeps_ledger else 0.0

    while True:
        longest = min(left, dt / tries.pieces)
        contacts, pairs, sensed = find_contacts(world, longest, total)
        length, what = plan_part(world, contacts, left, longest, total)
        if length == 0.0:
            strike(world, contacts, what, total)
            continue
        coming = what == COMING
        move(world, contacts[~coming] if coming.any() else contacts, pairs, length, total)
        left -= length
        if left <= SOON * dt or getattr(world.solver, "frozen", NEVER) != NEVER:
            break
        world.time = started + dt - left
        push_again(world, given)

    tries.judge(world, total.reports)
    report, contacts = total.finish(world)
    world.beginning = Beginning(motion, total.force, total.torque, dt)
    report.audit = world.audit.verdict(world, len(total.reports) == 1)
    world.awake_contacts, world.time, world.last_dt, world.acting = contacts, started + dt, dt, lag + dt - world.lag
    world.watch.update(world, sensed, contacts, started)
    world.sleep.end(world, report.residual, dt, lambda: follow(world, dt))
    world.steps += 1
    world.broken = break_joints(world)
    kinetic, potential = measure.energy(world.bodies, world.gravity)
    report.asleep, report.energy = world.sleep.count, {"kinetic": kinetic, "potential": potential}
    if report.ledger and world.keeps_ledger:
        report.ledger = closed(report.ledger, kinetic - at_first)
    report.times["step"] = time.perf_counter() - begin
    world.report, world.account = report, world.account.after(report)
    return report


def apply_drivers(world: World) -> None:
    """Let the world's drivers push."""
    for drive in world.drivers:
        drive(world)


def push_again(world: World, given: tuple[np.ndarray, np.ndarray]) -> None:
    """Before a further part: what was applied to the bodies at the start of the step, and the drivers, as they push now."""
    for name, values in zip(("force", "torque"), given, strict=True):
        world.bodies[name][: len(values)] = values
    apply_drivers(world)


def find_contacts(world: World, dt: float, total: Sum) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(contacts, pairs, what sensors overlap) for a motion of up to dt [s]; who is touched wakes."""
    begin, first = time.perf_counter(), not total.reports
    bodies, shapes, pool = world.bodies, world.shapes, world.pool.arrays
    new = first and (bool(world.unseen) or world.looked_at != world.revision)
    while True:
        follow(world, dt)
        pairs, sensed = world.broad_phase.find(bodies, shapes, world.lists.excluded, world.revision)
        paired = time.perf_counter()
        refine = continuous.refiner(bodies, shapes, pool, world.gravity, world.margin, dt, world.lists.joints.body_group)
        refine = world.seams.over(refine, bodies, shapes, world.revision)
        contacts = world.narrow_phase.find(shapes, pairs, world.awake_contacts, pool, refine)
        if not world.sleep.touch(world, contacts):
            break
    world.mix_materials(contacts)
    if new:
        doubts.look(world, contacts, dt)
    total.spend("broad", paired - begin)
    total.spend("narrow", time.perf_counter() - paired)
    world.pairs = pairs
    return contacts, pairs, sensed


def plan_part(world: World, contacts: np.ndarray, left: float, longest: float, total: Sum) -> tuple[float, np.ndarray]:
    """(length of the next part [s], at most `longest`, 0 if there is an impact now; what each contact is in it, see
    time_of_impact.py)."""
    what, bodies = np.zeros(len(contacts), np.uint8), world.bodies
    length = longest
    if world.drivers:
        length = min(length, asked_length(left, total.dt, getattr(world.solver.options, "substeps", 0)))
    if not len(contacts):
        return length, what
    length = min(length, part_length(world, contacts, left, total.dt))
    if total.may_strike(len(world.shapes)) and hasattr(world.solver, "strike"):
        first = next_impact(contacts, bodies, world.gravity, world.solver.options.restitution_threshold, length, SOON * total.dt,
                            what)
        if first < length:
            total.approaches += 1
        length = min(length, first)
    return (left if 0.0 < left - length <= SOON * total.dt else length), what


def strike(world: World, contacts: np.ndarray, what: np.ndarray, total: Sum) -> None:
    """The impacts of this moment."""
    begin, bodies = time.perf_counter(), world.bodies
    motion, force, torque = np.empty((len(bodies), measure.MOTION)), bodies["force"].copy(), bodies["torque"].copy()
    measure.keep_motion(bodies, motion)
    with world.sleep.hidden(world):
        report, took_part = world.solver.strike(world, contacts, what)
    _check(world)
    world.audit.look(world, motion, force, torque, contacts[took_part], 0.0)
    total.impacts += 1
    total.add(world, report, contacts[took_part])
    total.spend("solve", time.perf_counter() - begin)


def move(world: World, contacts: np.ndarray, pairs: np.ndarray, dt: float, total: Sum) -> None:
    """The solver moves the world by dt [s], and nothing passes through anything else."""
    begin, bodies, lag = time.perf_counter(), world.bodies, world.lag
    motion, force, torque = np.empty((len(bodies), measure.MOTION)), bodies["force"].copy(), bodies["torque"].copy()
    measure.keep_motion(bodies, motion)
    with world.sleep.hidden(world):
        report = world.solver.step(world, contacts, dt)
        _check(world)       # whoever blew up has no way that could be looked along
        hold_back(motion, bodies, world.shapes, pairs, world.lists.joints.body_group, world.joints, world.gravity, dt,
                  world.pool.arrays)
    _check(world)
    integrate.owe(bodies, motion[:, 13].copy(), force, torque)
    ramp.remember(bodies)
    touching, report.touching = report.touching, None
    found = contacts if touching is None else touching
    world.audit.look(world, motion, force, torque, found, dt, report.parts, touching is not None)
    world.awake_contacts, world.last_part, world.acting = found, dt, lag + dt - world.lag
    integrating = report.times.pop("integrate", 0.0)
    total.add(world, report, world.awake_contacts)
    total.push(force, torque, dt)
    total.spend("integrate", integrating)
    total.spend("solve", time.perf_counter() - begin - integrating)


def _check(world: World) -> None:
    """Raise Diverged if a body's state is not finite or absurd.

    Before the step, too: a bad body spreads to all that it touches, and then the wrong one would be named.
    """
    worst = measure.worst_body(world.bodies, SPEED_LIMIT, DISTANCE_LIMIT)
    if worst >= 0:
        raise Diverged(f"body '{world.body_names[worst]}' blew up at t = {world.time:.4f} s: its state is not finite or "
                       f"absurdly fast; the state before is kept. Try a smaller step than {world.step_length:g} s or more sweeps",
                       worst)
