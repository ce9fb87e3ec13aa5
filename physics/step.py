"""One whole simulation step. Read it aloud."""

import time

import numpy as np

from physics import doubts, integrate, measure
from physics.beginning import begin as begin_step
from physics.breaking import break_joints
from physics.check import number, said
from physics.collide import continuous
from physics.collide.hold import hold_back
from physics.errors import BadInput, Diverged
from physics.ledger import closed
from physics.report import Report
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

    Whatever is raised, also by a driver or from the keyboard: the world is as before (whole.py).
    """
    if not isinstance(world, World):
        raise BadInput(f"step moves a World, and this is {said(world)}")
    dt = number("step size dt", dt, lo=0.0, hi=1.0, unit="s", open_lo=True)
    with whole(world):
        return _step(world, dt)


def _step(world: World, dt: float) -> Report:
    """The step itself. Here and in what it calls nothing need be put back before something is raised."""
    begin = time.perf_counter()
    for drive in world.drivers:
        drive(world)
    integrate.pay(world.bodies, dt)
    new = bool(world.unseen) or world.looked_at != world.revision
    world.sleep.begin(world)
    bodies, shapes, pool, gravity = world.bodies, world.shapes, world.pool.arrays, world.gravity
    motion = np.empty((len(bodies), measure.MOTION))
    measure.keep_motion(bodies, motion)
    _check(world, dt)
    beginning = begin_step(bodies, motion, dt)
    at_first = measure.energy(bodies, gravity)[0] if world.keeps_ledger else 0.0

    tied = world.lists.joints.body_group
    while True:
        follow(world, dt)
        pairs, sensed = world.broad_phase.find(bodies, shapes, world.lists.excluded, world.revision)
        paired = time.perf_counter()
        refine = continuous.refiner(bodies, shapes, pool, gravity, world.margin, dt, tied)
        refine = world.seams.over(refine, bodies, shapes, world.revision)
        contacts = world.narrow_phase.find(shapes, pairs, world.awake_contacts, pool, refine)
        if not world.sleep.touch(world, contacts):
            break
    world.mix_materials(contacts)
    if new:
        doubts.look(world, contacts, dt)
    touched = time.perf_counter()

    report, contacts = _solve(world, contacts, pairs, motion, dt)
    solved = time.perf_counter()

    _check(world, dt)
    ended, report.touching = report.touching is not None, None
    report.audit = world.audit.judge(world, beginning, contacts, report.parts, ended)
    integrate.owe(bodies, beginning.since, beginning.force, beginning.torque)
    world.awake_contacts = contacts
    world.time += dt
    world.watch.update(world, sensed, contacts, world.time - dt)
    world.sleep.end(world, report.residual, dt, lambda: follow(world, dt))
    world.steps += 1
    world.last_dt, world.beginning = dt, beginning
    world.broken = break_joints(world)
    kinetic, potential = measure.energy(bodies, gravity)
    report.asleep, report.energy = world.sleep.count, {"kinetic": kinetic, "potential": potential}
    if report.ledger and world.keeps_ledger:
        report.ledger = closed(report.ledger, kinetic - at_first)
    integrating = report.times.get("integrate", 0.0)
    report.times = {"broad": paired - begin, "narrow": touched - paired, "solve": solved - touched - integrating,
                    "integrate": integrating, "step": time.perf_counter() - begin}
    world.report, world.account = report, world.account.after(report)
    return report


def _solve(world: World, contacts: np.ndarray, pairs: np.ndarray, motion: np.ndarray, dt: float) -> tuple[Report, np.ndarray]:
    """The solver moves the world, and nothing passes through anything else; (report, the contacts that it went by)."""
    world.pairs = pairs
    with world.sleep.hidden(world):
        report = world.solver.step(world, contacts, dt)
        _check(world, dt)       # whoever blew up has no way that could be looked along
        hold_back(motion, world.bodies, world.shapes, pairs, world.lists.joints.body_group, world.joints, world.gravity, dt,
                  world.pool.arrays)
    return report, contacts if report.touching is None else report.touching


def _check(world: World, dt: float) -> None:
    """Raise Diverged if a body's state is not finite or absurd.

    Before the step, too: a bad body spreads to all that it touches, and then the wrong one would be named.
    """
    worst = measure.worst_body(world.bodies, SPEED_LIMIT, DISTANCE_LIMIT)
    if worst >= 0:
        raise Diverged(f"body '{world.body_names[worst]}' blew up at t = {world.time:.4f} s: its state is not finite or "
                       f"absurdly fast; the state before is kept. Try a smaller step than {dt:g} s or more sweeps", worst)
