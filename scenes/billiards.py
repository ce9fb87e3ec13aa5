"""Draw, stun, follow: the cue ball hits an equal ball head on, and its spin decides what it does next.

    while it slides, slip s = v - r omega:   v' = -mu g sign(s),   r omega' = 5/2 mu g sign(s)                       (1)
    impact, no friction between the balls:   v1 = (1 - e) v / 2,   v2 = (1 + e) v / 2,   spins unchanged             (2)
    later it rolls with                      (5 v + 2 r omega) / 7                                                   (3)

A ball without spin (stun) stops, one with backspin (draw) comes back, one that rolls (follow) goes on.
"""

import dataclasses
import math
from collections.abc import Callable

from physics import Material, Plane, Sphere, World, option
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import G, add, mark

R, MASS, PITCH = 0.05, 0.17, 0.4               # radius [m], mass [kg], distance of the lanes [m]
GAP = 0.02                                     # between the balls at the start [m]
SHOTS = {"draw": -1.0, "stun": 0.0, "follow": 1.0}
"""Spin, relative to that of a rolling ball."""


@dataclasses.dataclass
class Parameters:
    speed: float = option(1.0, unit="m/s", lo=0.2, hi=3.0, help="Initial speed of the cue balls.")
    spin: float = option(1.0, lo=0.1, hi=1.5, help="Spin of the shots draw and follow, relative to that of a rolling ball.")
    mu: float = option(0.2, lo=0.1, hi=0.5, help="Friction coefficient of ball and cloth. Between balls there is none.")
    restitution: float = option(0.95, lo=0.5, hi=1.0, help="Restitution of the balls.")


def build(world: World, parameters: Parameters) -> None:
    cloth = Material(friction=parameters.mu, name="cloth", mixing={"restitution": "minimum"})
    ivory = Material(friction=parameters.mu, restitution=parameters.restitution, name="ball")
    world.add_body(Plane(), kind="static", material=cloth, name="ground")
    for k, (shot, share) in enumerate(SHOTS.items()):
        y, omega = PITCH * (1 - k), share * parameters.spin * parameters.speed / R
        add(world, Sphere(R), (0.0, y, R), group=1 + k, mass=MASS, material=ivory, vel=(parameters.speed, 0.0, 0.0),
            omega=(0.0, omega, 0.0), name=f"cue ball, {shot}")
        add(world, Sphere(R), (2.0 * R + GAP, y, R), group=6, mass=MASS, material=ivory, name=f"object ball, {shot}")
        mark(world, 2.0 * R + GAP, y, f"spot {k + 1}", 0.1)
    world.set_pair("ball", "ball", friction=0.0)


def after(speed: float, surface: float) -> float:
    """Speed at which it rolls at last [m/s] by (3); surface: r omega."""
    return (5.0 * speed + 2.0 * surface) / 7.0


def at_impact(share: float, parameters: Parameters) -> tuple[float, float]:
    """v and r omega [m/s] of a cue ball as it arrives, by (1)."""
    v, w = parameters.speed, share * parameters.spin * parameters.speed
    slip, a = v - w, parameters.mu * G
    if abs(slip) < 1e-12:
        return v, w
    sign = math.copysign(1.0, slip)
    end = abs(slip) / (3.5 * a)
    if v * end - 0.5 * sign * a * end**2 <= GAP:
        return after(v, w), after(v, w)
    arrives = math.sqrt(v * v - 2.0 * sign * a * GAP)
    t = (v - arrives) / (sign * a)
    return arrives, w + 2.5 * sign * a * t


def finals(shot: str, parameters: Parameters) -> tuple[float, float]:
    """Velocities of cue ball and object ball at last [m/s]."""
    v, w = at_impact(SHOTS[shot], parameters)
    e = parameters.restitution
    return after(0.5 * (1.0 - e) * v, w), after(0.5 * (1.0 + e) * v, 0.0)


def rolling(name: str) -> Callable[[World, Trace], float | None]:
    """Velocity after the impact, once it rolls [m/s]."""
    def measure(world: World, trace: Trace) -> float | None:
        object_ball = trace[f"body:{name.replace('cue', 'object')}.vx"]
        v, w = trace[f"body:{name}.vx"][-1], trace[f"body:{name}.omega_y"][-1]
        return float(v) if object_ball[-1] > 1e-3 and abs(v - R * w) < 1e-3 else None
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    found = []
    for shot in SHOTS:
        for ball, v in zip(("cue ball", "object ball"), finals(shot, parameters), strict=True):
            name = f"{ball}, {shot}"
            found.append(Prediction(f"final velocity of the {ball} ({shot})", v, "m/s", 0.01, rolling(name), f"body:{name}.vx"))
    return found


def check(world: World, trace: Trace) -> None:
    """All six velocities, and who comes back."""
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert got is not None and abs(got - prediction.value) < 0.01 * abs(prediction.value) + 1e-4, f"{prediction.name}: {got}"
    assert trace["body:cue ball, draw.vx"][-1] < -0.1 and trace["body:cue ball, follow.vx"][-1] > 0.1


SCENE = Scene(
    title="Billiards: draw, stun, follow",
    category="Rolling and spinning",
    look_for="Three cue balls of the same speed hit equal balls head on and hand over almost all of their speed. But not their "
             "spin: it has no way to pass between smooth balls. The ball struck low spins backwards and is drawn back by the "
             "cloth, the one without spin nearly stops, the rolling one follows. The object balls do not know the difference, "
             "except for what the cloth did on the way.",
    law=r"v = \tfrac{5}{7}\,\tfrac{1-e}{2}\,v_0 + \tfrac{2}{7}\,r\omega_0",
    law_text="v = 5/7 (1 - e) v0 / 2 + 2/7 r omega0, with v0 and omega0 at the impact",
    build=build,
    parameters=Parameters,
    live=("mu", "restitution"),
    dt=1.0 / 480.0,
    thumbnail=Thumbnail(0.45, View(target=(0.25, -0.03, 0.0), distance=1.3, azimuth=12.0, elevation=30.0)),
    view=View(target=(0.28, -0.03, -0.01), distance=1.5, azimuth=12.0, elevation=30.0),
    options={"cone": "circle"},
    plots=tuple(f"body:{ball}, {shot}.{key}" for key in ("vx", "omega_y") for shot in SHOTS
                for ball in ("cue ball", "object ball")),
    drawn=tuple(f"body:cue ball, {shot}.vx" for shot in SHOTS),
    show=("contacts", "velocities"),
    predict=predict,
    check_time=0.8,
    check=check,
    unreached={"compliant_contact": "rebounds follow from springs and dampers, not from coefficients of restitution"},
)
