"""Prisms and an ellipsoid turn on a smooth floor, event-driven: flat faces land with impacts (F11 11.6).

Featherstone (2008) 11.6: bend the flat faces of a polyhedron outwards, and it rolls without impacts even if it is no sphere. The
floor is frictionless, so the centre moves up and down only. A regular prism of k facets on its corner, at x from the centre, has

    E = 1/2 (J + m x^2) w^2 + m g z,   J / (m R^2) = (2 + cos(2 pi / k)) / 6                          (1)

A landing facet is an impact at its new corner, s = R sin(pi / k) ahead, while the old one leaves:

    w+ / w- = r = (J - m s^2) / (J + m s^2),   kept of E - m g R cos(pi / k):  r^2                    (2)

The ellipsoid has half axes a > c in the plane of its motion and J = m (a^2 + c^2) / 5: E is constant, so that it is slowest
upright, w^2 = w0^2 - 2 m g (a - c) / J.                                                              (3)
"""

import dataclasses
import functools
import math
from collections.abc import Callable

import numpy as np

import scenes
from physics import Ellipsoid, Hull, Plane, World, option
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View
from scenes._parts import add

FACETS = (12, 24)
R, HALF_WIDTH, LANE, G = 0.25, 0.12, 0.5, 9.81      # of the prisms, between the lanes [m]; [m/s^2]
LONG, WIDE, SHORT = 0.25, 0.12, 0.235               # half axes of the ellipsoid [m]
EGG = "curved faces"


@dataclasses.dataclass
class Parameters:
    spin: float = option(5.0, unit="rad/s", lo=4.2, hi=5.5, help="Angular velocity at the start. Above 6 rad/s prisms would "
                                                                 "leave the floor.")


def name_of(facets: int) -> str:
    return f"{facets} flat faces"


NAMES = (*map(name_of, FACETS), EGG)


def half_facet(facets: int) -> float:
    """Half of a facet, s of (2) [m]."""
    return R * math.sin(math.pi / facets)


def inertia(facets: int) -> float:
    """J of (1) for 1 kg [kg m^2]."""
    return R * R * (2.0 + math.cos(2.0 * math.pi / facets)) / 6.0


def kept(facets: int) -> float:
    """r^2 of (2)."""
    s, J = half_facet(facets), inertia(facets)
    return ((J - s * s) / (J + s * s)) ** 2


def slowest(spin: float) -> float:
    """Angular velocity of the upright ellipsoid, (3) [rad/s]."""
    return math.sqrt(spin * spin - 2.0 * G * (LONG - SHORT) / ((LONG * LONG + SHORT * SHORT) / 5.0))


def build(world: World, parameters: Parameters) -> None:
    world.add_body(Plane(), kind="static", friction=0.0, name="ground")
    for lane, facets in enumerate(FACETS):
        turns = 2.0 * np.pi * (np.arange(facets) + 0.5) / facets
        shape = Hull([(R * math.sin(t), y, -R * math.cos(t)) for t in turns for y in (-HALF_WIDTH, HALF_WIDTH)])
        add(world, shape, (0.0, LANE * lane, R * math.cos(math.pi / facets)), group=lane + 1, mass=1.0, friction=0.0,
            vel=(0.0, 0.0, parameters.spin * half_facet(facets)), omega=(0.0, parameters.spin, 0.0), name=name_of(facets))
    add(world, Ellipsoid((LONG, WIDE, SHORT)), (0.0, -LANE, SHORT), group=3, mass=1.0, friction=0.0,
        omega=(0.0, parameters.spin, 0.0), name=EGG)


def prism_energy(trace: Trace, facets: int) -> np.ndarray:
    """E of (1) at each sample [J], of a prism on its corner: x^2 = R^2 - z^2."""
    spin, z = trace[f"body:{name_of(facets)}.omega_y"], trace[f"body:{name_of(facets)}.z"]
    return 0.5 * (inertia(facets) + R * R - z * z) * spin**2 + G * z


def ellipsoid_energy(trace: Trace) -> np.ndarray:
    """E of (1) at each sample [J]: x = (a^2 - c^2) sin cos / z at the lowest point, z^2 = a^2 sin^2 + c^2 cos^2."""
    spin, z = trace[f"body:{EGG}.omega_y"], trace[f"body:{EGG}.z"]
    across = LONG**2 - SHORT**2
    upright = np.clip((z * z - SHORT**2) / across, 0.0, 1.0)
    arm = across**2 * upright * (1.0 - upright) / (z * z)
    return 0.5 * ((LONG**2 + SHORT**2) / 5.0 + arm) * spin**2 + G * z


def kept_at_impact(facets: int, impacts: int = 2) -> Callable[[World, Trace], float | None]:
    """Measures the share that each of the first impacts kept, half a facet after the last of them."""
    def measured(world: World, trace: Trace) -> float | None:
        spin = trace[f"body:{name_of(facets)}.omega_y"]
        turned = np.concatenate([[0.0], np.cumsum(0.5 * (spin[1:] + spin[:-1]) * np.diff(trace["time"]))])
        later = np.flatnonzero(turned > (impacts + 0.4) * 2.0 * math.pi / facets)
        if not len(later):
            return None
        above = prism_energy(trace, facets) - G * R * math.cos(math.pi / facets)
        return float((above[later[0]] / above[0]) ** (1.0 / impacts))
    return measured


def least_spin(world: World, trace: Trace) -> float | None:
    """Measures the least angular velocity of the ellipsoid, once it is past."""
    spin = trace[f"body:{EGG}.omega_y"]
    return float(spin.min()) if 0 < int(np.argmin(spin)) < len(spin) - 1 else None


def predict(parameters: Parameters) -> list[Prediction]:
    flat = [Prediction(f"kept at an impact, {k} flat faces", kept(k), "", 1e-6, kept_at_impact(k)) for k in FACETS]
    return [*flat, Prediction("slowest spin, curved faces", slowest(parameters.spin), "rad/s", 2e-4, least_spin,
                              f"body:{EGG}.omega_y")]


def check(world: World, trace: Trace) -> None:
    """Flat faces lose by impacts, curved ones lose nothing; no body leaves its plane."""
    assert np.ptp(ellipsoid_energy(trace)) < 1e-6 * ellipsoid_energy(trace)[0], "the ellipsoid lost energy"
    for facets in FACETS:
        share = kept_at_impact(facets)(world, trace)
        assert share is not None and abs(share - kept(facets)) < 1e-6, f"{facets} faces keep {share} at an impact"
        assert np.diff(prism_energy(trace, facets)).max() < 1e-9, f"{facets} faces gain energy"
    assert np.abs(world.bodies["pos"][:, 0]).max() < 1e-9, "a body moved aside without friction"


@functools.cache
def ran() -> tuple[World, Trace]:
    """The scene as it is."""
    return scenes.run(SCENE)


def papers() -> list[PaperRow]:
    how = ("event-driven, frictionless floor, e = 0, 5 rad/s at the start, h = 1/240 s; F11 prints no number, the reference is ")
    rows = [PaperLaw("F11", "fig. 11.5 left", f"event-driven, {k} flat faces: energy kept at an impact", kept(k),
                     kept_at_impact(k)(*ran()), "", 1e-6, how + "the impulse at the corner that lands") for k in FACETS]
    now = ellipsoid_energy(ran()[1])
    return [*rows,
            PaperLaw("F11", "section 11.6", "event-driven, curved faces: slowest spin", slowest(Parameters().spin),
                     least_spin(*ran()), "rad/s", 1e-3, how + "its constant energy; the slowest sample is not quite upright"),
            PaperLaw("F11", "section 11.6", "event-driven, curved faces: energy kept in 0.5 s", 1.0, float(now[-1] / now[0]), "",
                     1e-8, how + "no impact")]


SCENE = Scene(
    title="Flat and curved faces",
    category="Geometry of contact",
    look_for="Two prisms and an ellipsoid turn on a floor without friction. Every flat face lands with an impact, whose moment "
             "the event-driven solver finds exactly: the prism of 12 faces keeps 57 percent at each, that of 24 faces 87 "
             "percent. The ellipsoid is no sphere either, but its surface is curved everywhere: it speeds up and slows down, "
             "and loses nothing. Compare the steps of the spin with the smooth curve.",
    law=r"\frac{\omega^+}{\omega^-} = \frac{J - m s^2}{J + m s^2}, \qquad s = R \sin\frac{\pi}{k}",
    law_text="omega+ / omega- = (J - m s^2) / (J + m s^2);   s = R sin(pi / k)",
    build=build,
    parameters=Parameters,
    solver="event_driven",
    view=View(target=(-0.08, -0.07, 0.18), distance=1.7, azimuth=40.0, elevation=18.0),
    plots=(*(f"body:{name}.omega_y" for name in NAMES), *(f"body:{name}.z" for name in NAMES)),
    show=("contacts",),
    predict=predict,
    check_time=0.5,
    check=check,
    papers=papers,
    unreached={"compliant_contact": "contacts give way under the facets, and their impacts take time",
               **dict.fromkeys(("joint_space", "sequential_impulses"),
                               "impacts come at the end of a step, not at their own moments"),
               "soft_steps": "contacts give way under the facets, which land at the end of a step",
               "stewart_trinkle": "impacts come at the end of a step, and rolling loses energy at first order"},
)
