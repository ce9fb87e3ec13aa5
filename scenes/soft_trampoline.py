"""A ball on a soft pad: how long it stays, how deep it sinks, how high it rises again (Featherstone 2008, section 11.8).

    while it touches   m p'' = -K p - D p' - m g,   p(0) = 0,  p'(0) = -v                                    (1)
                       p = -m g / K + Re(c1 e^(s1 t) + c2 e^(s2 t)),   m s^2 + D s + K = 0
    it leaves where    f = -K p - D p' = 0, below the surface, for the pad returns more slowly               (2)

Without gravity (2) gives a contact time of 2 acos(zeta) / omega and a restitution of e^(-zeta omega0 t): compliant_contact.py.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Plane, Sphere, World, option, set_option, step
from physics.core.records import Case
from physics.solvers.compliant_contact import CLOSED, HUNT_CROSSLEY, INTEGRATED
from scenes import DERIVED, PaperFigure, PaperLaw, PaperRow, Prediction, Scene, Series, Trace, View
from scenes._parts import add, block, check_predictions, ground

RADIUS, PAD, G = 0.2, 0.3, 9.81
"""Radius of the ball, height of the pad [m]; [m/s^2]."""


@dataclasses.dataclass
class Parameters:
    stiffness: float = option(3000.0, unit="N/m", lo=1500.0, hi=1e5, log=True, help="Stiffness K of the pad.")
    damping: float = option(40.0, unit="N s/m", lo=1.0, hi=1000.0, log=True, help="Damping D of the pad.")
    height: float = option(0.5, unit="m", lo=0.05, hi=0.5, help="Drop height: between the ball's lowest point and the pad.")


MASS = 5.0


@dataclasses.dataclass(frozen=True)
class Bounce:
    """leaves: contact time [s]; below: p there [m]; speed: upwards there [m/s]; deepest: -p at its largest [m]."""

    leaves: float
    below: float
    speed: float
    deepest: float

    @property
    def apex(self) -> float:
        """Of the flight after it, over the surface [m]."""
        return self.below + self.speed**2 / (2.0 * G)

    @property
    def back(self) -> float:
        """Time from the first touch until the ball is at the surface again [s]."""
        return self.leaves + (self.speed - math.sqrt(max(0.0, self.speed**2 + 2.0 * G * self.below))) / G


def bounce(K: float, D: float, m: float, v: float, g: float = G) -> Bounce | None:
    """(1) and (2) for an impact at v; None: the ball stays."""
    s = np.roots([m, D, K]).astype(complex)
    c = np.linalg.solve(np.array([[1.0, 1.0], s]), np.array([m * g / K, -v], complex))

    def state(t: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        modes = c * np.exp(np.multiply.outer(t, s))
        return modes.sum(-1).real - m * g / K, (modes * s).sum(-1).real

    times = np.linspace(0.0, 3.0 * math.pi * math.sqrt(m / K), 20_001)[1:]
    p, u = state(times)
    ends = np.flatnonzero(-K * p - D * u < 0.0)
    if not len(ends):
        return None
    low, high = times[max(0, ends[0] - 1)], times[ends[0]]
    for _ in range(60):
        middle = 0.5 * (low + high)
        p_m, u_m = state(middle)
        low, high = (middle, high) if -K * p_m - D * u_m > 0.0 else (low, middle)
    below, speed = state(low)
    return Bounce(float(low), float(below), float(speed), float(-p[: ends[0]].min()))


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    block(world, (0.8, 0.8, 0.5 * PAD), (0.0, 0.0, 0.5 * PAD), name="pad")
    add(world, Sphere(RADIUS), (0.0, 0.0, PAD + RADIUS + parameters.height), mass=MASS, name="ball")


def expected(parameters: Parameters) -> Bounce | None:
    return bounce(parameters.stiffness, parameters.damping, MASS, math.sqrt(2.0 * G * parameters.height))


def flight(trace: Trace) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """(times, heights over the surface, indices of the last samples before the first two crossings); None before."""
    p = trace["body:ball.z"] - PAD - RADIUS
    through = np.flatnonzero((p[1:] > 0.0) != (p[:-1] > 0.0))
    return (trace["time"], p, through) if len(through) >= 2 else None


def time_on_pad(world: World, trace: Trace) -> float | None:
    if (found := flight(trace)) is None:
        return None
    t, p, through = found
    down, up = (t[k] - p[k] * (t[k + 1] - t[k]) / (p[k + 1] - p[k]) for k in through[:2])
    return float(up - down)


def deepest(world: World, trace: Trace) -> float | None:
    found = flight(trace)
    return None if found is None else float(-found[1][: found[2][1]].min())


def apex(world: World, trace: Trace) -> float | None:
    if (found := flight(trace)) is None:
        return None
    _, p, through = found
    after = p[through[1]:]
    falls = np.flatnonzero(np.diff(after) < 0.0)
    return float(after.max()) if len(falls) else None


def predict(parameters: Parameters) -> list[Prediction]:
    found = expected(parameters)
    if found is None or found.apex <= 0.0:
        return []
    return [Prediction("time on the pad", found.back, "s", 2e-3, time_on_pad),
            Prediction("greatest depth", found.deepest, "m", 2e-3, deepest),
            Prediction("rebound height", found.apex, "m", 5e-3, apex, "body:ball.z", PAD + RADIUS)]


def check(world: World, trace: Trace) -> None:
    """Time, depth and height are those of the closed form."""
    check_predictions(world, trace, predict(Parameters()))


# ---- the equations of section 11.8 on examples


def soft_world(gravity: tuple[float, float, float], mu: float = 0.5, **options: object) -> World:
    world = World()
    world.set_gravity(gravity)
    world.use_solver("compliant_contact")
    for name, value in options.items():
        set_option(world.solver.options, name, value)
    world.add_body(Plane(), kind="static", friction=mu)
    return world


def thrown(v: float, above: float = 0.0004, **options: object) -> tuple[World, int]:
    """A ball of 1 kg without gravity on its way down."""
    world = soft_world((0.0, 0.0, 0.0), **options)
    return world, world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1 + above), vel=(0.0, 0.0, -v), mass=1.0)


def rebound(v: float, **options: object) -> float:
    """Restitution at steps of 1 ms."""
    world, ball = thrown(v, **options)
    for _ in range(80):
        step(world, 1e-3)
    return float(world.bodies["vel"][ball, 2] / v)


def contact_time(v: float, dt: float, **options: object) -> float:
    """From the first touch to where the last forces, extended in a straight line, vanish [s]."""
    world, _ = thrown(v, **options)
    forces = []
    while len(forces) < 2 or forces[-1] > 0.0 or max(forces) == 0.0:
        step(world, dt)
        forces.append(float(world.contacts["impulse"].sum()) / dt)
    before, last = forces[-3], forces[-2]
    if last >= before:
        return math.nan
    return (len(forces) - 2) * dt + last * dt / (before - last) - 0.0004 / v


def slope(theta: float, mu: float, seconds: float, **options: object) -> World:
    """A box of 1 kg on a slope."""
    world = soft_world((G * math.sin(theta), 0.0, -G * math.cos(theta)), mu, **options)
    world.add_body(Box((0.1, 0.1, 0.05)), pos=(0.0, 0.0, 0.05 - G * math.cos(theta) / 4e5), mass=1.0, friction=mu)
    for _ in range(round(seconds / 5e-3)):
        step(world, 5e-3)
    return world


def recovery(released: str) -> float:
    """Share of its displacement that a released patch still has 1 ms later."""
    world, _ = thrown(1.0, stiffness=1e4, damping=400.0, released_patch=released)
    seen: list[float] = []
    for _ in range(100):
        step(world, 1e-3)
        if len(world.contacts) and world.contacts[0]["case"] == Case.OPEN and world.contacts[0]["patch"][2] < 0.0:
            seen.append(float(world.contacts[0]["patch"][2]))
        if len(seen) == 3:
            return seen[2] / seen[1]
    return math.nan


def papers() -> list[PaperRow]:
    """Contact time, restitution, creep, slip, transition, the two kinds of patch, the rigid limit."""
    K, D, mu = 1e5, 100.0, 0.5
    free = bounce(K, D, 1.0, 1.0, 0.0)
    theta = math.atan(mu)
    stuck, gone = slope(0.97 * theta, mu, 1.0, damping=300.0, tangential_damping=300.0), slope(1.03 * theta, mu, 1.0)
    creeping = slope(0.3, 2.0, 1.0)
    tilt = G * math.sin(0.3) * 0.05**2 / (4.0 * K * 0.1**2)
    rigid = soft_world((0.0, 0.0, -G), 0.4, stiffness=1e7, tangential_stiffness=1e7, damping=1e3, tangential_damping=1e3)
    box = rigid.add_body(Box((0.1, 0.1, 0.02)), pos=(0.0, 0.0, 0.02), vel=(1.0, 0.0, 0.0), mass=1.0, friction=0.4)
    for _ in range(60):
        step(rigid, 5e-3)
    c, e = D / (K * 1e-3), rebound(1.0, spring=HUNT_CROSSLEY)
    ball = "ball of 1 kg on a plane, K = 1e5 N/m, D = 100 N s/m, no gravity"
    block_ = "box of 1 kg on a slope, K_t = 5e4 N/m at each of four corners"
    return [
        PaperLaw("F11", "eq 11.73", "contact time", free.leaves, contact_time(1.0, 1e-4, damping=D), "s", 1e-3 * free.leaves,
                 f"{ball}, h = 0.1 ms"),
        PaperLaw("F11", "eq 11.74", "restitution", free.speed, rebound(1.0, damping=D), "", 1e-3, f"{ball}, h = 1 ms"),
        PaperLaw("F11", "eq 11.77", "creep of a sticking box", G * math.sin(0.3) / 2e5 + tilt,
                 float(creeping.bodies["pos"][-1, 0]), "m", 1e-6,
                 f"{block_}, at 0.3 rad"),
        PaperLaw("F11", "eq 11.79", "speed of a sliding box after 1 s",
                 G * (math.sin(1.03 * theta) - mu * math.cos(1.03 * theta)), float(gone.bodies["vel"][-1, 0]), "m/s", 0.01,
                 f"{block_}, mu = 0.5, at 1.03 atan(mu)"),
        PaperLaw("F11", "eq 11.79", "speed of a sticking box after 1 s", 0.0, float(stuck.bodies["vel"][-1, 0]), "m/s", 1e-6,
                 f"{block_}, mu = 0.5, at 0.97 atan(mu)"),
        PaperLaw("F11", "section 11.8", "released patch without a state: share left after 1 ms", math.exp(-0.025),
                 recovery(CLOSED), "", 1e-12, "K = 1e4 N/m, D = 400 N s/m"),
        PaperLaw("F11", "section 11.8", "released patch, (11.73) integrated: share left after 1 ms", math.exp(-0.025),
                 recovery(INTEGRATED), "", 1e-4, "K = 1e4 N/m, D = 400 N s/m"),
        PaperLaw("F11", "section 11.8", "rigid limit: stopping distance", 1.0 / (2.0 * 0.4 * G),
                 float(rigid.bodies["pos"][box, 0]), "m", 1e-3, "K = K_t = 1e7 N/m, 1 m/s, mu = 0.4"),
        PaperLaw("F11", "section 11.8", "Hunt-Crossley: c (1 + e) v - ln((1 + c v) / (1 - c e v))", 0.0,
                 c * (1.0 + e) - math.log((1.0 + c) / (1.0 - c * e)), "", 2e-3, "c = D / (K z_H) = 1 s/m, v = 1 m/s")]



def figures() -> list[PaperFigure]:
    """Restitution and contact time over damping: eqs 11.73 and 11.74 for a ball of 1 kg without gravity."""
    K, dense = 1e5, np.linspace(10.0, 400.0, 60).tolist()
    few = (25.0, 50.0, 100.0, 200.0, 300.0, 400.0)
    law = [bounce(K, D, 1.0, 1.0, 0.0) for D in dense]
    how = "F11 draws the model and prints no number; ball of 1 kg on a plane, K = 1e5 N/m, 1 m/s, no gravity, h = {} ms."
    return [
        PaperFigure("F11", "fig. 11.10", "Soft contact: restitution of a spring and damper", "damping D [N s/m]", "restitution", (
            Series("from eq 11.74", dense, [one.speed for one in law], DERIVED),
            Series("ours, compliant contact", few, [rebound(1.0, damping=D) for D in few], points=True)), how.format(1)),
        PaperFigure("F11", "fig. 11.10", "Soft contact: contact time", "damping D [N s/m]", "contact time [ms]", (
            Series("from eqs 11.73 and 11.74", dense, [1e3 * one.leaves for one in law], DERIVED),
            Series("ours, compliant contact", few, [1e3 * contact_time(1.0, 1e-4, damping=D) for D in few], points=True)),
            how.format(0.1))]


SCENE = Scene(
    title="Soft trampoline",
    category="Impacts",
    look_for="The pad is a spring and a damper under a surface without mass. The ball sinks in, comes to rest at the bottom and "
             "leaves before the surface is back: a pad pushes but never pulls. Contact time and rebound follow from stiffness, "
             "damping and mass; there is no restitution coefficient. Stiffen the pad: the contact is shorter, the depth smaller, "
             "and the rebound higher.",
    law=r"m \ddot p = -K p - D \dot p - m g, \qquad f = \max(0, -K z - D \dot p)",
    law_text="m p'' = -K p - D p' - m g while it touches; f = max(0, -K z - D p')",
    build=build,
    parameters=Parameters,
    live=("stiffness", "damping"),
    solver="compliant_contact",
    chosen_options=lambda parameters: {"stiffness": parameters.stiffness, "damping": parameters.damping},
    view=View(target=(-0.01, 0.03, 0.66), distance=2.9, azimuth=20.0, elevation=12.0),
    plots=("body:ball.z", "body:ball.vz"),
    show=("contacts", "forces"),
    predict=predict,
    check_time=1.2,
    check=check,
    papers=papers,
    figures=figures,
    unreached={**dict.fromkeys(("joint_space", "sequential_impulses", "stewart_trinkle"),
                               "its contacts are rigid, and the ball stays on the pad"),
               "soft_steps": "its contacts are far stiffer than the pad, and damped: the ball stays on it"},
)
