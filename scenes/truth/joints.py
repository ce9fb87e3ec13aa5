"""Springs, hinges with friction, motors, limits, shafts, ropes and welds.

    spring and mass     x = A exp(-z w t) (cos(wd t) + z w / wd sin(wd t)),   wd = w sqrt(1 - z^2)                  (1)
    universal joint     tan(theta_b) = tan(theta_a) cos(beta)  from the angle at which a's pin is across both shafts (2)
    hinge with friction F stops after I omega^2 / (2 F), and holds an arm of moment m g l <= F                      (3)
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from physics import Box, Friction, Motor, Sphere, World
from scenes import Trace, View
from scenes.truth import Experiment, always, first_order, second_order
from scenes.truth._parts import G, add, period_of, turned

TOPIC = "Joints"
PIN = (0.0, 1.0, 0.0)


# ---- springs

STIFF, STRETCH = 100.0, 0.2


@functools.cache
def spring(damping: float) -> Callable[[World], None]:
    def build(world: World) -> None:
        world.set_gravity((0.0, 0.0, 0.0))
        ball = add(world, Sphere(0.1), (1.0 + STRETCH, 0.0, 0.0), mass=1.0, name="ball")
        world.add_joint("spring", 0, ball, anchor=(0.0, 0.0, 0.0), anchor_b=(1.0 + STRETCH, 0.0, 0.0), stiffness=STIFF,
                        damping=damping, length=1.0, name="spring")
    return build


def pulled(world: World) -> None:
    """The same spring, made by a driver."""
    world.set_gravity((0.0, 0.0, 0.0))
    ball = add(world, Sphere(0.1), (1.0 + STRETCH, 0.0, 0.0), mass=1.0, name="ball")
    world.drivers.append(lambda world: world.apply_force(ball, (-STIFF * (world.bodies["pos"][ball, 0] - 1.0), 0.0, 0.0)))


def late_swing(world: World, trace: Trace) -> float:
    late = trace["time"] > trace["time"][-1] - 1.5
    x = trace["x"][late]
    k = int(np.argmax(x[1:-1])) + 1                      # apex of a parabola through three samples
    return float(x[k] - (x[k + 1] - x[k - 1]) ** 2 / (8.0 * (x[k + 1] - 2.0 * x[k] + x[k - 1]))) - 1.0


def spring_period(world: World, trace: Trace) -> float:
    return period_of(trace["time"], trace["x"] - 1.0)


def damped(t: float, z: float) -> float:
    w = math.sqrt(STIFF)
    wd = w * math.sqrt(1.0 - z * z)
    return 1.0 + STRETCH * math.exp(-z * w * t) * (math.cos(wd * t) + z * w / wd * math.sin(wd * t))


def swing_period(world: World, trace: Trace) -> float:
    return period_of(trace["time"], trace["x"])


def wheel(world: World, quat: tuple = (1.0, 0.0, 0.0, 0.0), spin: float = 0.0, name: str = "wheel") -> int:
    """A plate of 1 kg on a vertical axis, no gravity; moment 1/15 kg m^2."""
    world.set_gravity((0.0, 0.0, 0.0))
    return add(world, Box((0.4, 0.2, 0.02)), (0.0, 0.0, 0.0), mass=1.0, quat=quat, omega=(0.0, 0.0, spin), name=name)


MOMENT = (0.4**2 + 0.2**2) / 3.0


def torsion(world: World) -> None:
    body = wheel(world, turned((0.0, 0.0, 1.0), 0.5))
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="hinge")
    world.drivers.append(lambda world: world.apply_torque(body, (0.0, 0.0, -2.0 * 2.0 * math.atan2(
        world.bodies["quat"][body, 3], world.bodies["quat"][body, 0]))))


def torsion_joint(world: World) -> None:
    body = wheel(world, spin=3.0)
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), name="hinge")
    world.add_joint("torsion_spring", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), stiffness=2.0, name="spring")


def door(world: World) -> None:
    """Friction of 0.2 N m in a hinge stops a plate."""
    body = wheel(world, spin=3.0)
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_friction=0.2, name="hinge")


def driven(world: World) -> None:
    """A motor of 0.2 N m towards 50 rad/s."""
    body = wheel(world)
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), motor=Motor("velocity", 50.0, force=0.2),
                    name="hinge")


def held(world: World) -> None:
    """An arm held horizontal by friction of 1.02 times its gravity torque."""
    body = add(world, Box((0.5, 0.05, 0.05)), (0.5, 0.0, 0.0), mass=1.0, name="wheel")
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=PIN, friction=Friction(static=1.02 * 0.5 * G), name="hinge")


def slider(world: World) -> None:
    """A block slides into the limit of its rail at 1 m/s, with restitution 1/2."""
    world.set_gravity((0.0, 0.0, 0.0))
    body = add(world, Box((0.1, 0.1, 0.1)), (0.0, 0.0, 0.0), mass=1.0, vel=(1.0, 0.0, 0.0), name="ball")
    world.add_joint("prismatic", 0, body, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), limits=(-1.0, 0.3137), restitution=0.5,
                    name="rail")


BEND, DRIVE = 0.6, 4.0


def shafts(world: World) -> None:
    """A driven shaft turns a second one, at an angle of 0.6 rad, through a universal joint."""
    world.set_gravity((0.0, 0.0, 0.0))
    out = np.array([math.cos(BEND), math.sin(BEND), 0.0])
    one = world.add_body(Box((0.3, 0.03, 0.03)), kind="kinematic", pos=(-0.3, 0.0, 0.0), omega=(DRIVE, 0.0, 0.0), mask=0,
                         name="in")
    two = add(world, Box((0.3, 0.03, 0.03)), tuple(0.3 * out), mass=1e-3, quat=turned((0.0, 0.0, 1.0), BEND), mask=0, name="out",
              omega=tuple(DRIVE * math.cos(BEND) * out))
    world.add_joint("universal", one, two, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0),
                    across=tuple(np.cross(out, (0.0, 0.0, 1.0))),
                    name="cross")
    world.add_joint("revolute", 0, two, anchor=(0.0, 0.0, 0.0), axis=tuple(out), name="bearing")


def shaft_off(world: World, trace: Trace) -> float:
    """Largest error [rad] of the second shaft's rotation against (2)."""
    t = trace["time"]
    turn = np.unwrap(trace["turn"])
    phase = DRIVE * t
    wanted = np.unwrap(np.arctan2(np.sin(phase) * math.cos(BEND), np.cos(phase)))
    return float(np.abs(turn - turn[0] - (wanted - wanted[0])).max())


def shaft_turn(world: World) -> float:
    """Rotation of the body "out" about its own axis [rad]: its quaternion without that of the shaft angle."""
    q, half = world.bodies["quat"][world.body("out")], 0.5 * BEND
    return 2.0 * math.atan2(math.cos(half) * q[1] + math.sin(half) * q[2], math.cos(half) * q[0] + math.sin(half) * q[3])


def tether(world: World) -> None:
    """A ball flies past its peg until the rope of 1 m is taut: the speed along the rope is lost, that across it stays."""
    world.set_gravity((0.0, 0.0, 0.0))
    ball = add(world, Sphere(0.05), (0.0, 0.6, 0.0), mass=1.0, vel=(1.0, 0.0, 0.0), name="ball")
    world.add_joint("rope", 0, ball, anchor=(0.0, 0.0, 0.0), anchor_b=(0.0, 0.6, 0.0), length=1.0, name="rope")


def cantilever(world: World) -> None:
    """Three blocks welded in a row to a wall."""
    last = 0
    for k in range(3):
        body = add(world, Box((0.2, 0.1, 0.1)), (0.2 + 0.4 * k, 0.0, 0.0), mass=2.0, group=k + 1, name=f"block {k}")
        world.add_joint("fixed", last, body, anchor=(0.4 * k, 0.0, 0.0), name=f"weld {k}")
        last = body


def final(world: World, trace: Trace) -> float:
    return float(trace["x"][-1])


TURNS = View(target=(0.0, 0.0, 0.0), distance=2.5)

EXPERIMENTS = (
    Experiment("spring_amplitude", "A spring of 1.6 Hz without damping after 10 s", "amplitude", "m", "as at first",
               "harmonic oscillator", spring(0.0), 10.0, {"x": "body:ball.x"}, late_swing, STRETCH,
               second_order(0.016 * STRETCH, 1e-6), quick=True, ordered=True, view=TURNS),
    Experiment("spring_period", "A spring of 1.6 Hz without damping", "period", "s", "2 pi sqrt(m / k)", "harmonic oscillator",
               spring(0.0), 10.0, {"x": "body:ball.x"}, spring_period, 2.0 * math.pi / math.sqrt(STIFF),
               second_order(0.01, 1e-6), ordered=True, view=TURNS),
    Experiment("spring_damped", "A damped spring", "position after 1 s", "m", "exp(-z w t), z = 0.1", "harmonic oscillator",
               spring(2.0), 1.0, {"x": "body:ball.x"}, final, lambda: damped(1.0, 0.1), second_order(0.02, 1e-6), ordered=True,
               view=TURNS),
    Experiment("spring_driver", "A spring of 1.6 Hz implemented by a driver, after 10 s", "amplitude", "m", "as at first",
               "harmonic oscillator", pulled, 10.0, {"x": "body:ball.x"}, late_swing, STRETCH,
               second_order(0.016 * STRETCH, 1e-6), ordered=True, view=TURNS),
    Experiment("torsion_driver", "A torsion spring implemented by a "
                                 "driver", "period", "s", "2 pi sqrt(I / k)", "harmonic oscillator",
               torsion, 4.0, {"x": "body:wheel.yaw"}, swing_period, 2.0 * math.pi * math.sqrt(MOMENT / 2.0),
               second_order(0.02, 1e-6), ordered=True, view=TURNS),
    Experiment("torsion_spring", "A torsion spring", "period", "s", "2 pi sqrt(I / k)", "harmonic oscillator", torsion_joint,
               4.0, {"x": "body:wheel.yaw"}, swing_period, 2.0 * math.pi * math.sqrt(MOMENT / 2.0), second_order(0.02, 1e-6),
               ordered=True, quick=True, view=TURNS),
    Experiment("door_stops", "Hinge friction stops a door", "angle", "rad", "I omega^2 / (2 F)", "MS16", door, 1.6,
               {"x": "body:wheel.yaw"}, final, MOMENT * 9.0 / 0.4, second_order(0.01, 1e-6), quick=True, ordered=True,
               view=TURNS),
    Experiment("arm_held", "An arm just held by its hinge", "angle after 2 s", "rad", "1.02 m g l: it stays", "MS16 eq 8",
               held, 2.0, {"x": "body:wheel.pitch"}, lambda world, trace: float(np.abs(trace["x"]).max()), 0.0, always(1e-6),
               quick=True, view=TURNS),
    Experiment("motor", "A motor with limited torque", "angle after 0.9 s", "rad", "T t^2 / (2 I)", "Newton", driven, 0.9,
               {"x": "body:wheel.yaw"}, final, 0.5 * 0.2 / MOMENT * 0.81, second_order(0.01, 1e-6), ordered=True, view=TURNS),
    Experiment("limit_rebound", "A limit with restitution 0.5", "speed after", "m/s", "-e v", "Newton", slider, 0.8,
               {"x": "body:ball.vx"}, final, -0.5, always(1e-6), quick=True, view=TURNS),
    Experiment("limit_time", "Time and place of the impact on the "
                             "limit", "position after 0.8 s", "m", "0.3137 - 0.5 (t - 0.3137)",
               "Newton", slider, 0.8, {"x": "body:ball.x"}, final, 0.3137 - 0.5 * (0.8 - 0.3137), first_order(1.5 / 60.0),
               view=TURNS),
    Experiment("universal", "Angle of a shaft driven through a universal joint", "largest angle error in 3 s", "rad",
               "tan(b) = tan(a) cos(beta)", "kinematics", shafts, 3.0, {"turn": shaft_turn}, shaft_off, 0.0,
               second_order(0.02, 1e-6), ordered=True, view=TURNS),
    Experiment("rope", "A rope becomes "
                       "taut", "speed after", "m/s", "v cos of the angle with the rope: 0.6", "Newton", tether, 2.0,
               {"x": "body:ball.speed"}, final, 0.6, first_order(0.01, 1e-6), ordered=True, view=TURNS),
    Experiment("cantilever", "Three blocks welded to a wall", "torque at the wall", "N m", "3 m g 3 l / 2", "statics",
               cantilever, 0.5, {"x": "joint:weld 0.torque"}, final, 6.0 * G * 0.6, always(1e-6), quick=True, view=TURNS),
)
