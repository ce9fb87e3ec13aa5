"""A double pendulum that swings against a wall: impacts of a mechanism, at exact times, with impulses through all its joints.

With angles a, b of the rods from the vertical (length l, mass m, inertia I each, moved about its middle):

    H = [ I + 5/4 m l^2            1/2 m l^2 cos(a - b) ]     C = [  1/2 m l^2 sin(a - b) b_dot^2 + 3/2 m g l sin a ]
        [ 1/2 m l^2 cos(a - b)     I + 1/4 m l^2        ]         [ -1/2 m l^2 sin(a - b) a_dot^2 + 1/2 m g l sin b ]

The tip has the gap phi = l sin a + l sin b + d to the wall, T = (l cos a, l cos b). At phi = 0 with u = T . q_dot < 0:

    lambda = -(1 + e) u / (T^T H^-1 T),   dq_dot = H^-1 T lambda                     Featherstone (2008) 11.65 in joint space
"""

import dataclasses
import math

import numpy as np

from physics import Capsule, World, option, step
from physics.articulated.event_log import EventKind
from scenes import DERIVED, PaperFigure, PaperLaw, PaperRow, Prediction, Scene, Series, Trace, View, make_world
from scenes._parts import add, block, ground, turned

LENGTH, RADIUS, MASS, G = 0.5, 0.04, 1.0, 9.81
"""Of a rod between the middles of its ends, and of its ends [m]; [kg]; [m/s^2]."""

PIVOT, OFFSET = 1.3, 0.1
"""Height of the upper hinge; distance of the wall from the tip that hangs straight down [m]."""

INERTIA = float(Capsule(RADIUS, 0.5 * LENGTH).inertia(MASS)[0])
REST = 1e-9
"""Two impacts within this time are contact that lasts [s]."""

TIMES = 0.9, 1.7
"""When the angles are predicted [s]."""


@dataclasses.dataclass
class Parameters:
    upper: float = option(30.0, unit="deg", lo=-60.0, hi=90.0, help="Initial angle of the upper rod from the vertical.")
    lower: float = option(10.0, unit="deg", lo=-60.0, hi=120.0, help="Initial angle of the lower rod from the vertical.")
    restitution: float = option(0.7, lo=0.0, hi=1.0, help="Coefficient of restitution of the tip and the wall.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=0.0)
    last, foot, rods = 0, (0.0, PIVOT), []
    for name, group in (("upper", 3), ("lower", 4)):
        rods.append(add(world, Capsule(RADIUS, 0.5 * LENGTH), (0.0, 0.0, foot[1] - 0.5 * LENGTH), group=group, mass=MASS,
                        friction=0.0, restitution=parameters.restitution, name=name))
        world.add_joint("revolute", last, rods[-1], anchor=(0.0, 0.0, foot[1]), axis=(0.0, -1.0, 0.0), name=f"{name} hinge")
        last, foot = rods[-1], (0.0, foot[1] - LENGTH)
    x, z = 0.0, PIVOT
    for rod, angle in zip(rods, (math.radians(parameters.upper), math.radians(parameters.lower))):
        way = np.array([math.sin(angle), -math.cos(angle)]) * LENGTH
        world.set_pose(rod, (x + 0.5 * way[0], 0.0, z + 0.5 * way[1]), turned((0.0, 1.0, 0.0), -angle))
        x, z = x + way[0], z + way[1]
    block(world, (0.05, 0.4, 0.2), (-OFFSET - RADIUS - 0.05, 0.0, PIVOT - 2.0 * LENGTH + 0.1), friction=0.0, name="wall")
    block(world, (0.06, 0.06, 0.06), (0.0, 0.14, PIVOT), name="bearing")


# ---- the same motion, by the formulas above


def accelerations(y: np.ndarray) -> np.ndarray:
    """y' of y = (a, b, a_dot, b_dot)."""
    a, b, u, w = y
    H, C = inertia(y), np.array([0.5 * math.sin(a - b) * w * w * MASS * LENGTH**2 + 1.5 * MASS * G * LENGTH * math.sin(a),
                                 -0.5 * math.sin(a - b) * u * u * MASS * LENGTH**2 + 0.5 * MASS * G * LENGTH * math.sin(b)])
    return np.concatenate([y[2:], np.linalg.solve(H, -C)])


def inertia(y: np.ndarray) -> np.ndarray:
    square = MASS * LENGTH**2
    mixed = 0.5 * square * math.cos(y[0] - y[1])
    return np.array([[INERTIA + 1.25 * square, mixed], [mixed, INERTIA + 0.25 * square]])


def gap(y: np.ndarray) -> float:
    return LENGTH * (math.sin(y[0]) + math.sin(y[1])) + OFFSET


def runge_kutta(y: np.ndarray, h: float) -> np.ndarray:
    k1 = accelerations(y)
    k2 = accelerations(y + 0.5 * h * k1)
    k3 = accelerations(y + 0.5 * h * k2)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + accelerations(y + h * k3))


def motion(parameters: Parameters, end: float, h: float = 5e-4) -> tuple[np.ndarray, np.ndarray, list[tuple[float, float]]]:
    """(times (n,), y (n, 4), impacts (time, impulse)) until `end` [s], or until the tip stays at the wall, where these equations
    end; the moment of an impact by bisection of its step."""
    y = np.array([math.radians(parameters.upper), math.radians(parameters.lower), 0.0, 0.0])
    times, states, impacts, t = [0.0], [y], [], 0.0
    while t < end - 1e-12:
        length = min(h, end - t)
        after = runge_kutta(y, length)
        if gap(after) < 0.0:
            lo, hi = 0.0, length
            for _ in range(60):
                middle = 0.5 * (lo + hi)
                lo, hi = (middle, hi) if gap(runge_kutta(y, middle)) >= 0.0 else (lo, middle)
            length, after = lo, runge_kutta(y, lo)
            T = LENGTH * np.cos(after[:2])
            answer, speed = np.linalg.solve(inertia(after), T), float(T @ after[2:])
            if speed < 0.0:
                impulse = -(1.0 + parameters.restitution) * speed / float(T @ answer)
                after = np.concatenate([after[:2], after[2:] + answer * impulse])
                impacts.append((t + length, impulse))
            if length < REST:
                break
        y, t = after, t + length
        times.append(t)
        states.append(y)
    return np.array(times), np.array(states), impacts


def predict(parameters: Parameters) -> list[Prediction]:
    """Angles of the upper rod after the first and after the second impact."""
    times, states, _ = motion(parameters, TIMES[-1])

    def measure(at: float) -> object:
        def read(world: World, trace: Trace) -> float | None:
            return float(np.interp(at, trace["time"], trace["joint:upper hinge.angle"])) if trace["time"][-1] >= at else None
        return read
    return [Prediction(f"angle of the upper rod after {at:g} s", float(np.interp(at, times, states[:, 0])), "rad", 1e-3,
                       measure(at), key="joint:upper hinge.angle") for at in TIMES if at <= times[-1] + REST]


def check(world: World, trace: Trace) -> None:
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert abs(got - prediction.value) < 2e-3, f"{prediction.name}: {got}, not {prediction.value}"


def impacts_of(integrator: str, dt: float, seconds: float) -> list[tuple[float, float]]:
    """(time, impulse) of the impacts of the scene under the event-driven solver."""
    world, found = make_world(SCENE), []
    world.solver.options.integrator, world.solver.options.longest_step = integrator, 1.0
    for _ in range(round(seconds / dt)):
        found += [(e.time, e.impulse) for e in step(world, dt).events.events if e.kind == EventKind.IMPACT]
    return found


def papers() -> list[PaperRow]:
    _, _, known = motion(Parameters(), 1.6, 2e-4)
    by_rk = impacts_of("Runge-Kutta 4", 2e-3, 1.6)
    coarse, fine = (abs(impacts_of("Heun", dt, known[0][0] + 0.02)[0][0] - known[0][0]) for dt in (5e-3, 2.5e-3))
    how = "double pendulum against a wall, e = 0.7; reference: its equations by hand, Runge-Kutta with h = 0.2 ms and bisection"
    return [PaperLaw("F11", "table 11.1", "time of the first impact", known[0][0], by_rk[0][0], "s", 1e-9, how),
            PaperLaw("F11", "table 11.1", "time of the second impact", known[1][0], by_rk[1][0], "s", 1e-8, how),
            PaperLaw("F11", "eq 11.65", "impulse of the first impact, through both hinges", known[0][1], by_rk[0][1], "N s", 1e-8,
                     how),
            PaperLaw("F11", "eq 11.50", "order of Heun's step with its interpolation", 2.0, math.log2(coarse / fine), "", 0.15,
                     f"error of the time of impact with h = 5 and 2.5 ms; {how}")]



def figures() -> list[PaperFigure]:
    """How the error of the first impact's time falls with the step, of the integrators of table 11.1."""
    _, _, known = motion(Parameters(), 0.6, 2e-4)
    sizes = (1e-2, 5e-3, 2.5e-3, 1.25e-3)
    found = {name: [abs(impacts_of(name, dt, 0.52)[0][0] - known[0][0]) for dt in sizes] for name in ("Euler", "Heun")}
    orders = [Series(f"order {order}: h^{order}" if order > 1 else "order 1: h", sizes,
                     [found[name][0] * (dt / sizes[0]) ** order for dt in sizes], DERIVED)
              for order, name in ((1, "Euler"), (2, "Heun"))]
    return [PaperFigure(
        "F11", "table 11.1", "Interpolation within a step: error of the time of the first impact", "step [s]", "error [s]",
        [*orders, *(Series(f"ours, {name}'s step, event-driven", sizes, errors, points=True) for name, errors in found.items())],
        "F11 gives the procedure and no example; double pendulum against a wall, e = 0.7; reference: Runge-Kutta with h = 0.2 ms "
        "and bisection; the lines have the orders of eqs 11.49 and 11.51 and begin at our largest step.", log=True)]


SCENE = Scene(
    title="Double pendulum against a wall",
    category="Impacts",
    look_for="Each impact of the tip changes the speeds of both rods at once, through their hinges, in no time. The event-driven "
             "solver finds its moment exactly and lists it under Events. Switch to sequential impulses: the impact comes at the "
             "end of a step, and after a few of them the two motions have nothing in common.",
    law=r"\lambda = -\frac{(1+e)\,\mathbf{T}\cdot\dot{\mathbf{q}}}{\mathbf{T}^T \mathbf{H}^{-1} \mathbf{T}}",
    law_text="lambda = -(1 + e) T.q_dot / (T' H^-1 T)",
    build=build,
    parameters=Parameters,
    live=("restitution",),
    solver="event_driven",
    options={"integrator": "Runge-Kutta 4"},
    view=View(target=(0.01, 0.0, 0.81), distance=2.2, azimuth=-75.0, elevation=12.0),
    plots=("joint:upper hinge.angle", "joint:lower hinge.angle", "world.energy"),
    predict=predict,
    check_time=1.75,
    check=check,
    papers=papers,
    figures=figures,
    unreached={"compliant_contact": "impacts of springs and dampers keep other shares of the speeds than the law of impact",
               "joint_space": "of second order in the step: 1.6e-3 of the angle at the scene's step, 4e-4 at half of it",
               **dict.fromkeys(("sequential_impulses", "stewart_trinkle"),
                               "impacts come at the end of a step, not at their own moments")},
)
