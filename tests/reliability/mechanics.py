"""Goals of the physics: determinism, endurance, extremes."""

import itertools
import math
import os
import statistics
import threading

import numpy as np

from physics import BadInput, Box, Capsule, Cone, Cylinder, Diverged, Ellipsoid, Hull, Plane, Sphere, World, set_option, step
from physics.shapes import Shape
from tests import golden

from .goals import Measured, both, goal, tested

DT = 1.0 / 240.0


@goal("R1", "deterministic", "the same bits in 5 repeats of 10,000 steps, 2 threads, 3 processes, with and without a window")
def r1(size: float) -> Measured:
    steps, bad = max(60, int(10_000 * size)), []
    for name in golden.SCENES:
        found: list[bytes] = []

        def run(name=name, found=found) -> None:
            world = golden.make(name)
            for _ in range(steps):
                step(world, golden.SCENES[name].dt)
            found.append(golden.state(world))

        for _ in range(2):
            threads = [threading.Thread(target=run) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        run()
        if len(set(found)) != 1 or len(found) != 5:
            bad.append(name)
    text = f"{len(golden.SCENES)} scenes, {steps} steps, 5 times, twice two threads at once: " + (
        f"{len(bad)} differ ({', '.join(bad)})" if bad else "all equal")
    return both(Measured(text, not bad), tested("tests/physics/test_determinism.py"))


@goal("R2", "deterministic across tools", "the same bits with other Pythons, optimisation levels, processors, libm and BLAS")
def r2(size: float) -> Measured:
    if size < 1.0:
        return tested("tests/physics/test_determinism.py", "-k", "table")
    pythons = os.environ.get("STICTION_PYTHONS", "")
    done = tested("tests/physics/test_determinism.py", "-k", "compiled or libraries or python", STICTION_ALL_TESTS="1")
    others = len(pythons.split(os.pathsep)) if pythons else 0
    return Measured(f"7 ways to compile, 3 of libraries, {others} other Pythons; {done.text}", done.holds)


@goal("R3", "a restored step is reproduced", "snapshot, step, restore, step: equal for each of 300 steps of all golden scenes")
def r3(_: float) -> Measured:
    return tested("tests/physics/test_determinism.py", "-k", "undone", STICTION_ALL_TESTS="1")


@goal("R6", "endurance", "20.7 million steps: finite, energy within 1 %, memory grows by at most 1 MiB per million steps")
def r6(size: float) -> Measured:
    """A pendulum without friction, and a box that rests beside it."""
    steps = max(2_000, int(20_700_000 * size))
    world = World()
    world.add_body(Plane(), kind="static")
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(2.0, 0.0, 0.1))
    bob = world.add_body(Sphere(0.1), pos=(0.5, 0.0, 1.2))
    world.add_joint("revolute", 0, bob, anchor=(0.0, 0.0, 1.2), axis=(0.0, 1.0, 0.0))

    def energy() -> float:
        return sum(step(world, DT).energy.values())

    for _ in range(500):
        first = energy()
    swing = float(world.bodies["mass"][bob]) * 9.81 * 0.5
    worst, memory = 0.0, resident()
    for n in range(steps):
        if n % 1000 == 0:
            worst = max(worst, abs(energy() - first) / swing)
        else:
            step(world, DT)
    grown = max(0.0, (resident() - memory) / 2**20)
    moved = float(np.abs(world.bodies["pos"][box] - (2.0, 0.0, 0.1)).max())
    finite = bool(np.all(np.isfinite(world.bodies["pos"])))
    allowed = max(1.0, steps / 1e6) + 1.0
    return Measured(f"{steps:,} steps: energy within {100.0 * worst:.2g} % of the swing's, the box moved {1e3 * moved:.2g} mm, "
                    f"memory grew by {grown:.1f} MiB", finite and worst < 0.01 and moved < 1e-3 and grown <= allowed)


def resident() -> int:
    """Bytes of memory that this process has; 0 where the system does not tell."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def random_shape(chance: np.random.Generator) -> Shape:
    """Of an ordinary size."""
    a, b, c = chance.uniform(0.08, 0.4, 3)
    kind = int(chance.integers(7))
    if kind == 6:
        return Hull(chance.normal(0.0, 0.2, (12, 3)))
    return (Box((a, b, c)), Sphere(a), Capsule(a, b), Cylinder(a, b), Cone(a, 2.0 * b), Ellipsoid((a, b, c)))[kind]


def random_world(seed: int) -> tuple[World, float]:
    """A scene that nobody would call wrong: shapes of ordinary sizes dropped onto a floor, some joined. (the world, its step)."""
    chance = np.random.default_rng(seed)
    world = World()
    world.add_body(Plane(), kind="static", friction=float(chance.uniform(0.0, 1.2)))
    if chance.random() < 0.3:
        world.use_solver("soft_steps")
    bodies = []
    for k in range(int(chance.integers(1, 16))):
        shape = random_shape(chance)
        quat = chance.normal(size=4)
        bodies.append(world.add_body(shape, pos=(2.0 * (k % 3), 2.0 * (k // 3 % 3), 1.2 + 1.6 * (k // 9)),
                                     quat=quat / np.sqrt((quat**2).sum()), vel=chance.uniform(-2.0, 2.0, 3),
                                     omega=chance.uniform(-4.0, 4.0, 3), restitution=float(chance.choice([0.0, 0.0, 0.3, 0.8]))))
    for a, b in itertools.pairwise(bodies):
        if chance.random() < 0.25:
            at_a, at_b = world.bodies["pos"][a].copy(), world.bodies["pos"][b].copy()
            if chance.random() < 0.5:
                world.add_joint(str(chance.choice(["spherical", "revolute"])), a, b, anchor=0.5 * (at_a + at_b))
            else:
                world.add_joint(str(chance.choice(["rope", "spring"])), a, b, anchor=at_a, anchor_b=at_b)
    return world, float(chance.choice([1 / 60, 1 / 120, 1 / 240]))


@goal("R9", "accepted scenes run", "10,000 random valid scenes, 240 steps: finite, no step refused, none below the floor")
def r9(size: float) -> Measured:
    count, diverged, below, told = max(20, int(10_000 * size)), 0, 0, 0
    for seed in range(count):
        world, dt = random_world(seed)
        try:
            for _ in range(240):
                told += bool(step(world, dt).audit.findings)
        except Diverged:
            diverged += 1
            continue
        moving = world.bodies[1:]
        assert np.all(np.isfinite(moving["pos"])) and np.all(np.isfinite(moving["vel"]))
        below += bool(np.any(moving["pos"][:, 2] < 0.0))
    return Measured(f"{count:,} scenes: {diverged} refused a step, {below} with a centre below the floor; the auditor found "
                    f"something in {100.0 * told / (240 * count):.2g} % of their steps", diverged == 0 and below == 0)


WRONG = (math.nan, math.inf, -math.inf, 1e300, -1e300, 5e-324)
FIELDS = ("pos", "quat", "vel", "omega", "force", "torque", "mass", "inertia", "gravity", "friction", "target", "dt")


def _damaged(world: World, body: int, field: str, value: float, chance: np.random.Generator) -> float:
    """Write a wrong number where no call would let it through; the length of the step."""
    if field == "dt":
        return value
    if field == "gravity":
        world.gravity[int(chance.integers(3))] = value
    elif field == "friction":
        world.shapes["friction"][int(chance.integers(1, len(world.shapes)))] = value
    elif field == "target":
        world.joints["motor_target"][int(np.argmax(world.joints["used"])), 0] = value
    else:
        number = world.bodies[field][body : body + 1].reshape(-1)
        number[int(chance.integers(number.size))] = value
    return DT


@goal("R10", "an invalid number does no damage", "1,000 of NaN, inf, 1e300, denormals in each of 12 fields: refused in the same "
      "step, which then did not happen, or finite")
def r10(size: float) -> Measured:
    chance, refused, finite, each = np.random.default_rng(1), 0, 0, max(len(WRONG), int(1_000 * size))
    world = golden.make("joints with friction and motors")
    for _ in range(30):
        step(world, DT)
    movers = np.flatnonzero((world.bodies["mass"] > 0.0) & np.isfinite(world.bodies["mass"]))
    good = world.snapshot()
    step(world, DT)
    after = golden.state(world)
    for field in FIELDS:
        for n in range(each):
            world.restore(good)
            dt = _damaged(world, int(chance.choice(movers)), field, WRONG[n % len(WRONG)], chance)
            steps = world.steps
            try:
                step(world, dt)
            except (Diverged, BadInput):
                refused += 1
                assert world.steps == steps, f"{field}: a refused step happened"
            else:
                finite += 1
                for name in ("pos", "quat", "vel", "omega"):
                    assert np.all(np.isfinite(world.bodies[name])), f"{field} = {WRONG[n % len(WRONG)]}: {name} is not finite"
            world.restore(good)
    step(world, DT)
    same = golden.state(world) == after
    return Measured(f"{each * len(FIELDS):,}: {refused:,} refused, {finite:,} finite, 0 others; restored, the next step is "
                    f"{'' if same else 'not '}what it was", same)


@goal("R11", "mass ratios", "heavy on light for 2 s: 100 : 1 within 1 % of its height, 1,000 : 1 within 5 %, 1,000,000 : 1 "
      "finite, no higher than 1.1 times, warned of")
def r11(_: float) -> Measured:
    told, holds = [], True
    for ratio, within in ((100.0, 0.01), (1_000.0, 0.05), (1e6, math.inf)):
        world = World()
        world.add_body(Plane(), kind="static")
        world.add_body(Box((0.25, 0.25, 0.25)), pos=(0.0, 0.0, 0.25), mass=1.0)
        top = world.add_body(Box((0.25, 0.25, 0.25)), pos=(0.0, 0.0, 0.75), mass=ratio)
        highest = 0.0
        for _ in range(480):
            step(world, DT)
            highest = max(highest, float(world.bodies["pos"][top, 2]))
        off = abs(float(world.bodies["pos"][top, 2]) - 0.75) / 0.75
        holds &= off <= within and highest <= 1.1 * 0.75 and (ratio < 1e6 or bool(world.warnings.pop_new()))
        told.append(f"{ratio:g} : 1 off by {100.0 * off:.2g} %")
    return Measured(", ".join(told), holds)


@goal("R12", "extremes are refused or correct", "numbers out of range raise one sentence at the call")
def r12(_: float) -> Measured:
    return tested("tests/physics/test_bad_input.py")


def interrupted() -> int:
    """How often the system has taken the processor from this thread; 0 where it does not tell."""
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
    except (ImportError, AttributeError):
        return 0


@goal("R19", "a budget is kept", "0.5, 1, 2, 4 ms: the solver ends within its budget and one sweep in 99.9 % of steps")
def r19(size: float) -> Measured:
    """Steps in which the system gave the processor to another process are counted, and not judged. A step of one sweep, in
    turn with them, tells what a sweep and all that is before and after the sweeps take."""
    told, holds = [], True
    for budget in (0.5, 1.0, 2.0, 4.0):
        world = World()
        world.add_body(Plane(), kind="static", friction=0.5)
        for level in range(20):
            for i in range(20 - level):
                world.add_body(Box((0.5, 0.5, 0.5)), pos=((i - (19 - level) / 2) * 1.05, 0.0, 0.5 + level), mass=1.0)
        set_option(world.solver.options, "iterations", 100_000)
        set_option(world.solver.options, "tolerance", 0.0)
        set_option(world.solver.options, "budget", budget)
        over, least, taken = [], [], 0
        for n in range(max(400, int(40_000 * size))):
            set_option(world.solver.options, "iterations", 1 if n % 2 else 100_000)
            before = interrupted()
            report = step(world, DT)
            if interrupted() > before:
                taken += 1
            elif n % 2:
                least.append(1e3 * report.times["solve"])
            elif n > 20 and report.end == "budget":
                over.append(1e3 * report.times["solve"] - budget)
        if min(len(over), len(least)) < 50:
            told.append(f"{budget:g} ms: only {len(over)} steps were undisturbed")
            holds = False
            continue
        one, late = statistics.median(least), float(np.quantile(over, 0.999))
        told.append(f"{budget:g} ms: median {statistics.median(over):+.2f}, 99.9 % {late:+.2f} ms, a step of one sweep takes "
                    f"{one:.2f} ms ({taken} disturbed)")
        holds &= late <= one + 0.5
    return Measured("solving, what is before and after its sweeps included, beyond the budget, in steps that the system did not "
                    "interrupt: " + "; ".join(told), holds)


@goal("R26", "capacity", "tables grow; no index is outside of its table (golden scenes with checked indices)")
def r26(size: float) -> Measured:
    if size < 1.0:
        return tested("tests/physics/world/test_world.py")
    return both(tested("tests/physics/world/test_world.py"),
                tested("tests/physics/test_determinism.py", "-k", "compiled and checked", STICTION_ALL_TESTS="1"))


@goal("R27", "every step reports how it ended", "converged, limit, budget, ray, gave way; complementarity to 1e-8 or reported")
def r27(_: float) -> Measured:
    return tested("tests/physics/solvers/test_solver.py", "tests/physics/complementarity/test_lemke.py",
                  "tests/physics/complementarity/test_complementarity.py", "tests/physics/solvers/test_stewart_trinkle.py")
