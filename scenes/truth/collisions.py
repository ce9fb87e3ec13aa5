"""Impacts between bodies: billiards, cradles with and without gaps, a small ball on a large one.

    billiard, e, mu:  v_n = (1 + e) / 2 v cos(cut);  along the tangent mu v_n while the contact slides through    (1)
    equal balls of e = 1 exchange their normal speeds; so the row of a cradle transmits the impact, gap or no gap (2)
    m on M = 3 m, both at v:  the large one stops, the small one leaves with 2 v and rises to 4 times the drop    (3)
    a ball at rest between a wall and a block of R times its mass, e = 1:  theta = atan(1 / sqrt(R)),
    ceil(pi / theta) - 1 impacts, k = half of them, rounded up, with the block;  then the ball has the speed
    v sqrt(R) |sin 2 k theta|                                                                                     (4)
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Material, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, always, first_order
from scenes.truth._parts import G, add, energy, gained, ground, motion

TOPIC = "Collisions"
BODIES = {"motion": motion}

# ---- billiards

RADIUS, MASS, MU, E, CUT, SPEED = 0.0286, 0.17, 0.06, 0.95, math.radians(30.0), 2.0
NORMAL = 0.5 * (1.0 + E) * SPEED * math.cos(CUT)
NEARLY = 1e-5 * math.tan(CUT) / (2.0 * RADIUS)
"""Rotation of the line of centres by the 10 um that count as touching (physics/contact/targets.py) [rad]."""


@functools.cache
def table(mu: float, e: float, spin: float = 0.0) -> Callable[[World], None]:
    """A ball hits one at rest, no gravity; the line of centres is rotated by CUT from its path."""
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        n = np.array([math.cos(CUT), math.sin(CUT), 0.0])
        add(world, Sphere(RADIUS), tuple(-2.0 * RADIUS * n - (0.2, 0.0, 0.0)), mass=MASS, friction=mu, restitution=e,
            vel=(SPEED, 0.0, 0.0), omega=(0.0, 0.0, spin), name="cue")
        add(world, Sphere(RADIUS), (0.0, 0.0, 0.0), mass=MASS, friction=mu, restitution=e, group=2, name="object")
    return build


OBJECT = {"vx": "body:object.vx", "vy": "body:object.vy"}


def angle(world: World, trace: Trace) -> float:
    """Direction of the struck ball after the impact [degrees]."""
    return math.degrees(math.atan2(trace["vy"][-1], trace["vx"][-1]))


def speed(world: World, trace: Trace) -> float:
    return math.hypot(trace["vx"][-1], trace["vy"][-1])


def moment_off(world: World, trace: Trace) -> float:
    """Largest relative change of the angular momentum about the origin."""
    kept = trace["motion"]
    total = (np.cross(kept[:, :, :3], MASS * kept[:, :, 3:6]) + kept[:, :, 6:9]).sum(axis=1)
    return float(np.linalg.norm(total - total[0], axis=1).max() / np.linalg.norm(total[0]))


def momentum_off(world: World, trace: Trace) -> float:
    total = (MASS * trace["motion"][:, :, 3:6]).sum(axis=1)
    return float(np.linalg.norm(total - total[0], axis=1).max() / np.linalg.norm(total[0]))


# ---- cradles

BALL, LENGTH, LIFT, COUNT = 0.05, 1.0, 0.5, 5


@functools.cache
def cradle(gap: float, lifted: int) -> Callable[[World], None]:
    def build(world: World) -> None:
        for i in range(COUNT):
            x, a = i * (2.0 * BALL + gap), -LIFT if i < lifted else 0.0
            body = add(world, Sphere(BALL), (x + LENGTH * math.sin(a), 0.0, LENGTH * (1.0 - math.cos(a)) + 0.2), mass=1.0,
                       friction=0.0,
                       restitution=1.0, group=1 + i, name=f"ball {i}")
            world.add_joint("revolute", 0, body, anchor=(x, 0.0, LENGTH + 0.2), axis=(0.0, 1.0, 0.0), name=f"string {i}")
    return build


SWUNG = {"first": "body:ball 0.x", "last": f"body:ball {COUNT - 1}.x", "next": f"body:ball {COUNT - 2}.x",
         "middle": f"body:ball {COUNT // 2}.x"}
FALL = 1.0 * G * LENGTH * (1.0 - math.cos(LIFT))


def kept(lifted: int) -> Callable[[World, Trace], float]:
    """Energy at the end, relative to that of the lifted balls."""
    def read(world: World, trace: Trace) -> float:
        total = energy(world, trace)
        return 1.0 + float(total[-1] - total[0]) / (lifted * FALL)
    return read


def handed_on(gap: float) -> Callable[[World, Trace], float]:
    """Largest angle of the last string [rad]."""
    return lambda world, trace: float(np.arcsin(np.clip((trace["last"] - (COUNT - 1) * (2.0 * BALL + gap)) / LENGTH, -1.0,
                                                        1.0)).max())


def out_of_two(world: World, trace: Trace) -> float:
    """Largest angle of the last but one string [rad]: two in, two out."""
    return float(np.arcsin((trace["next"] - (COUNT - 2) * (2.0 * BALL)) / LENGTH).max())


# ---- a small ball on a large one, a row

def pair(world: World) -> None:
    """Dropped from 1 m, the small one 5 mm above the large one."""
    ground(world, friction=0.0, restitution=1.0)
    add(world, Sphere(0.1), (0.0, 0.0, 1.1), mass=3.0, friction=0.0, restitution=1.0, name="large")
    add(world, Sphere(0.05), (0.0, 0.0, 1.255), mass=1.0, friction=0.0, restitution=1.0, group=2, name="small")


def rise() -> float:
    """Largest height of the small ball's centre, impact by impact: floor, then each other."""
    down = math.sqrt(2.0 * G)                                   # speed of the large one at the floor
    t, small = math.sqrt(2.0 / G), 1.255 - 1.0                  # and height of the small one then
    # both fly: large from 0.1 upwards, small downwards with the same speed; the 5 mm between them close at 2 v
    dt = (small - 0.1 - 0.15) / (2.0 * down)
    v, w = down - G * dt, -down - G * dt
    z = small - down * dt - 0.5 * G * dt * dt
    after = (6.0 * v - 2.0 * w) / 4.0                           # 2 M v + (m - M) w over m + M
    return z + after**2 / (2.0 * G) + 0.0 * t


@functools.cache
def wall(ratio: float) -> Callable[[World], None]:
    """A block of `ratio` times the mass of a ball drives it against a wall, and is turned back by it; no friction, no gravity."""
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        smooth = Material(friction=0.0, restitution=1.0)
        world.add_body(Box((0.1, 0.5, 0.5)), kind="static", pos=(-0.1, 0.0, 0.0), material=smooth, name="wall")
        add(world, Sphere(0.05), (0.25, 0.0, 0.0), mass=1.0, material=smooth, name="ball")
        add(world, Box((0.1, 0.1, 0.1)), (0.5, 0.0, 0.0), mass=ratio, vel=(-1.0, 0.0, 0.0), material=smooth, group=2,
            name="block")
    return build


def impacts_at_wall(ratio: float) -> int:
    """The first digits of pi where the ratio is a power of 100."""
    return math.ceil(math.pi / math.atan(1.0 / math.sqrt(ratio))) - 1


def left_to_ball(ratio: float) -> float:
    """Speed of the ball after the last impact [m/s], (4)."""
    with_block = math.ceil(impacts_at_wall(ratio) / 2)
    return math.sqrt(ratio) * abs(math.sin(2.0 * with_block * math.atan(1.0 / math.sqrt(ratio))))


def row(world: World) -> None:
    """Three resting balls 1 mm apart, struck by a fourth, e = 0.5, no friction, no gravity."""
    world.set_gravity((0.0, 0.0, 0.0))
    for k in range(4):
        add(world, Sphere(0.05), (0.101 * k + (-0.1 if k == 0 else 0.0), 0.0, 0.0), mass=1.0, friction=0.0, restitution=0.5,
            group=k + 1,
            vel=(1.0, 0.0, 0.0) if k == 0 else (0.0, 0.0, 0.0), name=f"ball {k}")


def along_the_row() -> float:
    """Speed of the last ball after 0.7 s, impact by impact."""
    x = np.array([0.101 * k + (-0.1 if k == 0 else 0.0) for k in range(4)])
    v, t = np.array([1.0, 0.0, 0.0, 0.0]), 0.0
    while True:
        gaps, rates = np.diff(x) - 0.1, np.diff(v)
        times = np.where(rates < -1e-12, -gaps / np.where(rates < -1e-12, rates, -1.0), np.inf)
        k = int(np.argmin(times))
        if t + times[k] > 0.7:
            return float(v[3])
        x, t = x + v * times[k], t + times[k]
        middle, apart = 0.5 * (v[k] + v[k + 1]), 0.5 * (v[k] - v[k + 1])
        v[k], v[k + 1] = middle - 0.5 * apart, middle + 0.5 * apart
        x[k + 1] = max(x[k + 1], x[k] + 0.1)


# ---- many

SIDE = 6


def cloud(world: World) -> None:
    """216 balls of e = 1 on a lattice fall on the floor, slightly offset from their columns."""
    ground(world, friction=0.0, restitution=1.0)
    random = np.random.default_rng(666)
    for k in range(SIDE**3):
        i, j, n = k % SIDE, k // SIDE % SIDE, k // SIDE**2
        x, y = random.uniform(-0.01, 0.01, 2)
        add(world, Sphere(0.1), (0.25 * i + x, 0.25 * j + y, 0.3 + 0.25 * n), mass=1.0, friction=0.0, restitution=1.0,
            group=1 + n)


def cloud_gained(world: World, trace: Trace) -> float:
    return gained(world, trace, SIDE**3 * G * 0.5)


CLOSE, FAR_AWAY = View(target=(0.0, 0.0, 0.0), distance=1.0, elevation=60.0), View(target=(0.2, 0.0, 0.7), distance=4.0)
LONG = "216 balls that strike one another: minutes"

EXPERIMENTS = (
    Experiment("billiard_throw", "Throw of the struck ball at a cut angle of 30 degrees", "angle", "degrees", "30 deg - atan(mu)",
               "Coulomb, Newton", table(MU, E), 0.3, OBJECT, angle, 30.0 - math.degrees(math.atan(MU)),
               always(math.degrees(NEARLY)),
               quick=True, view=CLOSE),
    Experiment("billiard_speed", "Speed of the struck ball", "speed", "m/s", "(1 + e) / 2 v cos(cut) sqrt(1 + mu^2)",
               "Coulomb, Newton", table(MU, E), 0.3, OBJECT, speed, NORMAL * math.hypot(1.0, MU),
               always(SPEED * NEARLY), view=CLOSE),
    Experiment("billiard_moment", "Angular momentum of two colliding balls", "largest change, relative", "", "kept",
               "Newton's third law", table(0.5, 0.9, 40.0), 0.3, BODIES, moment_off, 0.0, always(1e-12), quick=True, view=CLOSE),
    Experiment("billiard_momentum", "Momentum of two colliding balls", "largest change, relative", "", "kept",
               "Newton's third law", table(0.5, 0.9, 40.0), 0.3, BODIES, momentum_off, 0.0, always(1e-12), view=CLOSE),
    *(Experiment(f"cradle_gap_{name}", f"Newton's cradle with gaps of {gap * 1e3:g} mm", "angle of the last string", "rad",
                 "equal balls exchange their speeds", "Huygens", cradle(gap, 1), 1.1, SWUNG, handed_on(gap), LIFT,
                 first_order(0.02, 1e-3 + gap**2 / LENGTH), quick=gap == 1e-3, view=FAR_AWAY)
      for name, gap in (("0", 0.0), ("01", 1e-4), ("1", 1e-3), ("10", 1e-2))),
    Experiment("cradle_energy", "Newton's cradle with gaps of 1 mm, two balls lifted", "fraction of energy "
                                                                                       "conserved", "", "e = 1", "Huygens",
               cradle(1e-3, 2), 1.1, BODIES, kept(2), 1.0, always(0.01), view=FAR_AWAY),
    Experiment("cradle_two", "Two balls in, two balls out", "angle of the last but one", "rad", "momentum and energy kept",
               "Huygens", cradle(0.0, 2), 1.1, SWUNG, out_of_two, LIFT, first_order(0.02, 1e-3), view=FAR_AWAY),
    Experiment("small_on_large", "A small ball on a large one is launched upwards", "apex", "m",
               "M = 3 m: nearly 4 times the drop", "Newton, e = 1", pair, 1.6, {"z": "body:small.z"},
               lambda world, trace: float(trace["z"].max()), rise, first_order(0.02, 1e-3), quick=True),
    *(Experiment(f"pi_{digits}", f"A ball between a wall and a block of {ratio:g} times its mass: {digits} impacts",
                 "speed of the ball at last", "m/s", "impacts: digits of pi", "Galperin, Regul. Chaotic Dyn. 8 (2003)",
                 wall(ratio), 2.5, {"v": "body:ball.vx"}, lambda world, trace: abs(float(trace["v"][-1])),
                 functools.partial(left_to_ball, ratio), always(1e-6), options={"event_driven": {"most_events": 5000}},
                 quick=digits == 314, view=CLOSE)
      for ratio, digits in ((100.0, 31), (1e4, 314), (1e6, 3141))),
    Experiment("row_e", "A ball strikes a row, e = 0.5", "speed of the last after 0.7 s", "m/s", "impact by impact", "Newton",
               row, 0.7, {"v": "body:ball 3.vx"}, lambda world, trace: float(trace["v"][-1]), along_the_row, always(1e-6),
               view=CLOSE),
    Experiment("many_balls", "216 balls of e = 1 fall and collide", "energy gained", "", "E' <= E",
               "SimBenchmark (Kang, Hwangbo 2018), 666", cloud, 0.6, BODIES, cloud_gained, 0.0, always(1e-3),
               not_run={("stewart_trinkle", rate): LONG for rate in (60, 240, 1000)},
               view=View(target=(0.6, 0.6, 0.6), distance=6.0)),
)
