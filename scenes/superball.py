"""Three balls thrown alike, with tangential restitution 1, 0.5 and 0: the superball hops to and fro.

    slip of the contact point       s = v - r omega;   an impact makes it -e_t s
    angular momentum about it kept  v' = v - 2/7 (1 + e_t) s,   r omega' = r omega + 5/7 (1 + e_t) s

R. L. Garwin, Kinematics of an ultraelastic rough ball, American Journal of Physics 37 (1969).
"""

import dataclasses

import numpy as np

from physics import Material, Plane, Sphere, World, option, step
from physics.contact import impact_laws
from scenes import PaperLaw, PaperRow, Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import add, ground

RADIUS, HEIGHT = 0.15, 1.2
TANGENTIAL = (1.0, 0.5, 0.0)


@dataclasses.dataclass
class Parameters:
    speed: float = option(1.0, unit="m/s", lo=-2.0, hi=2.0, help="Initial horizontal speed, to the right.")
    spin: float = option(0.0, unit="rad/s", lo=-30.0, hi=30.0, help="Initial spin; topspin is positive.")
    restitution: float = option(0.9, lo=0.0, hi=1.0, help="Normal restitution of all balls.")
    mu: float = option(0.8, lo=0.0, hi=2.0, help="Friction coefficient. It limits the tangential impulse of an impact.")
    law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help="Law of impact. For a ball all agree.")


def name(e_t: float) -> str:
    return f"ball e_t={e_t:g}"


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    for i, e_t in enumerate(TANGENTIAL):
        rubber = Material(friction=parameters.mu, restitution=parameters.restitution, tangential_restitution=e_t)
        add(world, Sphere(RADIUS), (-0.5, 0.6 * (1 - i), RADIUS + HEIGHT), group=1 + i, vel=(parameters.speed, 0.0, 0.0),
            omega=(0.0, parameters.spin, 0.0), material=rubber, name=name(e_t))


def after_first(trace: Trace, e_t: float) -> float | None:
    """Speed along x between the first two bounces [m/s]; None before."""
    z, x, t = trace[f"body:{name(e_t)}.z"], trace[f"body:{name(e_t)}.x"], trace["time"]
    up = np.flatnonzero(np.diff(z) > 0.0)
    if len(up) < 20:
        return None
    first, last = up[5], up[15]
    return float((x[last] - x[first]) / (t[last] - t[first]))


def predict(parameters: Parameters) -> list[Prediction]:
    """Where friction is strong enough to turn the slip round."""
    if parameters.restitution < 0.2 or parameters.mu < 0.3:
        return []
    slip = parameters.speed - RADIUS * parameters.spin
    return [Prediction(f"speed after the first bounce, e_t = {e_t:g}", parameters.speed - 2.0 / 7.0 * (1.0 + e_t) * slip, "m/s",
                       0.03, lambda world, trace, e_t=e_t: after_first(trace, e_t)) for e_t in TANGENTIAL]


def check(world: World, trace: Trace) -> None:
    """The first bounce is Garwin's; the superball regains its speed at every second one, the others do not."""
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert got is not None and abs(got - prediction.value) <= prediction.tolerance, f"{prediction.name}: {got}"
    x, t = trace[f"body:{name(1.0)}.x"], trace["time"]
    fastest = np.max(np.diff(x)[t[1:] > 1.0]) / (t[1] - t[0])
    assert abs(fastest - Parameters().speed) < 0.02, f"{fastest} m/s after two bounces"


def struck(material: Material, vel: tuple[float, float, float], omega: tuple[float, float, float]) -> np.void:
    """A ball of 1 kg just after it has struck a floor, without gravity."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Plane(), kind="static", material=material)
    ball = world.add_body(Sphere(RADIUS), pos=(0.0, 0.0, RADIUS), vel=vel, omega=omega, mass=1.0, material=material)
    step(world, 1.0 / 960.0)
    return world.bodies[ball]


def papers() -> list[PaperRow]:
    """Impacts of a ball: friction that sticks, tangential and torsional restitution, in closed form."""
    spin, fall, c = 8.0, 2.0, 1e-3
    sticks = struck(Material(friction=5.0, restitution=0.8), (1.0, 0.0, -fall), (0.0, -2.0, 0.0))
    back = struck(Material(friction=5.0, restitution=0.8, tangential_restitution=0.6), (1.0, 0.0, -fall), (0.0, -2.0, 0.0))
    turned = struck(Material(restitution=0.8, torsional=1.0, torsional_restitution=0.6), (0.0, 0.0, -fall), (0.0, 0.0, spin))
    slowed = struck(Material(restitution=0.8, torsional=c), (0.0, 0.0, -fall), (0.0, 0.0, spin))
    slip, how = 1.0 + 2.0 * RADIUS, "ball of 0.15 m and 1 kg that falls with 2 m/s, e = 0.8"
    return [PaperLaw("F11", "eq 11.72", "tangential speed after an impact that sticks", 1.0 - 2.0 / 7.0 * slip,
                     float(sticks["vel"][0]), "m/s", 1e-7, how),
            PaperLaw("F11", "eq 11.72", "normal speed after it", 0.8 * fall, float(sticks["vel"][2]), "m/s", 1e-9, how),
            PaperLaw("F11", "figure 11.9", "tangential speed with tangential restitution 0.6", 1.0 - 2.0 / 7.0 * 1.6 * slip,
                     float(back["vel"][0]), "m/s", 1e-7, how),
            PaperLaw("F11", "figure 11.9", "spin with torsional restitution 0.6", -0.6 * spin, float(turned["omega"][2]), "rad/s",
                     1e-7, f"{how}, spins at 8 rad/s, torsional friction of 1 m"),
            PaperLaw("F11", "figure 11.9", "spin where torsional friction is too weak", spin - c * 1.8 * fall / (0.4 * RADIUS**2),
                     float(slowed["omega"][2]), "rad/s", 1e-7, f"{how}, torsional friction of 1 mm")]


SCENE = Scene(
    title="Superball",
    category="Impacts",
    look_for="All three balls are thrown alike. The impact reverses the slip of the contact point: fully for the superball, by "
             "half for the second, and for the third the slip just stops, so that it rolls from then on. The superball leaves "
             "its first bounce slowly and spinning, and the second bounce restores its speed: it alternates between short and "
             "long hops. Throw it with spin and it comes back.",
    law=r"s = v - r\omega, \quad s^+ = -e_t\,s, \quad v^+ = v - \tfrac{2}{7}(1+e_t)\,s",
    law_text="s = v - r omega; s after = -e_t s; v after = v - 2/7 (1 + e_t) s",
    build=build,
    parameters=Parameters,
    live=("restitution", "mu"),
    dt=1.0 / 960.0,
    thumbnail=Thumbnail(0.75, View(target=(0.15, 0.0, 0.55), distance=3.0, azimuth=12.0, elevation=16.0)),
    view=View(target=(0.06, -0.02, 0.65), distance=4.0, azimuth=6.0, elevation=16.0),
    chosen_options=lambda parameters: {"impact_law": parameters.law},
    plots=tuple(f"body:{name(e_t)}.{axis}" for axis in "xz" for e_t in TANGENTIAL),
    show=("contacts", "velocities"),
    predict=predict,
    check_time=2.0,
    check=check,
    papers=papers,
    unreached={},
)
