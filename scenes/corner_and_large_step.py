"""Large steps on a curved surface and past a corner: where one half-space is a poor model (T08; ST96 3.6).

A step linearises the gap at its start: the particle may move on the tangent plane. On a concave arc of radius rho that plane
leaves the surface, so at speed v and with the step h it ends inside by d, and the next step pushes it out within h, at w,
although e = 0:

    d = sqrt(rho^2 + h^2 v^2) - rho  ~  h^2 v^2 / (2 rho),      w = d / h  ~  h v^2 / (2 rho)           (1)

On the arc the next tangent plane takes w back. Where the arc ends and the surface is straight, nothing does: the particle leaves
it at up to w, depending on where in the step the arc ends (`by_hand`). Linearised at the end of the step (several rounds on the
true gap, ST96 3.6), d and w are zero.

Past a convex corner the half-space at the nearest point n excludes places that are free: a particle at p that flies by would get

    v1 - v0 = n max(0, (r - n.(p + h v0)) / h)                                                          (2)

dVC leaves out contacts beyond a boundary layer; here contacts of a step are those that its motion reaches, and there is none.
"""

import dataclasses
import functools
import math

import numpy as np

import scenes
from physics import Sphere, TriangleMesh, World, option
from scenes import DERIVED, PaperFigure, PaperLaw, PaperRow, Prediction, Scene, Series, Thumbnail, Trace, View
from scenes._parts import GREY, add, block, strip

HALF_SPACE, TRUE_GAP = "one half-space per step (T08)", "true gaps (ST96 3.6)"
RHO, RADIUS, BEND, FACETS, HALF_WIDTH = 1.0, 0.05, math.radians(60.0), 200, 0.15
"""Radius of the centre's path, of the particle [m]; the arc [rad], its facets, half of its width [m]."""
BEFORE, BEHIND, LANE = 1.2, 2.0, 0.6
"""Straight parts before and behind the arc, distance of the lanes [m]."""
HEIGHT, AHEAD = 0.03, 0.45
"""Of the passing particle: its lowest point over the corner, its start before it [m]."""
STEP = 0.05


@dataclasses.dataclass
class Parameters:
    model: str = option(HALF_SPACE, choices=(HALF_SPACE, TRUE_GAP), help="One problem per step, linearised at its start; or "
                                                                         "several, until the true gap is zero.")
    speed: float = option(2.0, unit="m/s", lo=0.5, hi=3.0, help="Speed of both particles. Twice the speed, four times the depth.")


def surface() -> TriangleMesh:
    """Straight, then an arc upwards, then straight again; its lowest line is z = 0."""
    turns = np.linspace(0.0, BEND, FACETS + 1)
    big = RHO + RADIUS
    x, z = big * np.sin(turns), big * (1.0 - np.cos(turns))
    x = np.concatenate([[-BEFORE], x, [x[-1] + BEHIND * math.cos(BEND)]])
    z = np.concatenate([[0.0], z, [z[-1] + BEHIND * math.sin(BEND)]])
    return strip(x, z, HALF_WIDTH)


def build(world: World, parameters: Parameters) -> None:
    world.set_gravity((0.0, 0.0, 0.0))
    world.margin = 0.2
    trough = world.add_body(surface(), pos=(0.0, 0.5 * LANE, 0.0), kind="static", friction=0.0, name="trough")
    world.bodies["group"][trough] = GREY
    add(world, Sphere(RADIUS), (-1.0, 0.5 * LANE, RADIUS), group=2, mass=1.0, friction=0.0, vel=(parameters.speed, 0.0, 0.0),
        name="particle")
    block(world, (0.8, HALF_WIDTH, 0.2), (0.8, -0.5 * LANE, -0.2), friction=0.0, name="corner")
    add(world, Sphere(RADIUS), (-AHEAD, -0.5 * LANE, RADIUS + HEIGHT), group=3, mass=1.0, friction=0.0,
        vel=(parameters.speed, 0.0, 0.0), name="passing particle")


def rounds(parameters: Parameters) -> dict[str, int]:
    return {"rounds": 1 if parameters.model == HALF_SPACE else 20}


def depth(speed: float, h: float) -> float:
    """d of (1) [m]."""
    return math.hypot(RHO, h * speed) - RHO


def by_hand(speed: float, h: float) -> float:
    """Speed away from the straight part behind the arc [m/s], of T08's step on the surface of the particle's centre:
    v1 = v0 + n max(0, -gap / h - n.v0), x1 = x0 + h v1, with n and the gap at x0."""
    x, v = np.array([-1.0, 0.0]), np.array([speed, 0.0])
    centre, away = np.array([0.0, RHO]), np.array([-math.sin(BEND), math.cos(BEND)])
    while (x - centre) @ np.array([math.cos(BEND), math.sin(BEND)]) < 3.0 * h * speed:
        outwards = x - centre
        turn = math.atan2(outwards[0], -outwards[1])
        if turn <= 0.0:
            n, gap = np.array([0.0, 1.0]), x[1]
        elif turn < BEND:
            n, gap = -outwards / math.hypot(*outwards), RHO - math.hypot(*outwards)
        else:
            n, gap = away, RHO + outwards @ away
        v = v + n * max(0.0, -gap / h - n @ v)
        x = x + h * v
    return float(away @ v)


def deepest(trace: Trace) -> float | None:
    """Largest penetration in the arc [m], None before its end."""
    x, z = trace["body:particle.x"], trace["body:particle.z"] - RADIUS - RHO
    inside = (x > 0.3 * RHO) & (np.arctan2(x, -z) < BEND - 0.1)
    return float((np.hypot(x, z)[inside] - RHO).max()) if _left(trace).any() and inside.any() else None


def hop(trace: Trace) -> float | None:
    """Speed away from the straight part behind the arc [m/s]."""
    left = np.flatnonzero(_left(trace))
    if len(left) < 3:
        return None
    across = -trace["body:particle.vx"] * math.sin(BEND) + trace["body:particle.vz"] * math.cos(BEND)
    return float(across[left[2]])


def _left(trace: Trace) -> np.ndarray:
    """Samples behind the arc."""
    return np.arctan2(trace["body:particle.x"], RHO + RADIUS - trace["body:particle.z"]) > BEND


def half_space_kick(speed: float, h: float) -> float:
    """Largest change of velocity by (2), over the starts of steps before the corner [m/s]."""
    z = RADIUS + HEIGHT
    starts = -np.linspace(0.0, h * speed, 2001)[1:]
    reach = np.hypot(starts, z)
    return float(np.maximum(0.0, RADIUS - ((starts + h * speed) * starts + z * z) / reach).max() / h)


def predict(parameters: Parameters) -> list[Prediction]:
    faulty = parameters.model == HALF_SPACE
    fault, away = (depth(parameters.speed, STEP), by_hand(parameters.speed, STEP)) if faulty else (0.0, 0.0)
    return [Prediction("penetration in the arc, step 0.05 s", fault, "m", 0.04, lambda world, trace: deepest(trace)),
            Prediction("speed away from the surface behind it", away, "m/s", 0.03, lambda world, trace: hop(trace)),
            Prediction("speed past the corner", parameters.speed, "m/s", 1e-9,
                       lambda world, trace: float(trace["body:passing particle.vx"][-1]))]


def check(world: World, trace: Trace) -> None:
    """It hops by (1) although e = 0, and nothing deflects the other one."""
    assert deepest(trace) > 0.5 * depth(2.0, STEP) and hop(trace) > 0.0, "it did not leave the surface"
    assert np.ptp(trace["body:passing particle.vx"]) == 0.0, "the corner's half-space stopped what passes over it"


@functools.cache
def ran(model: str, h: float) -> Trace:
    """The scene with one model and step [s]."""
    return scenes.run(SCENE, Parameters(model), dt=h)[1]


def papers() -> list[PaperRow]:
    how = "T08 has a drawing and no number; reference: (1) of the scene, exact for a circle; v = 2 m/s, rho = 1 m, h = {:g} s, {}"
    rows = []
    for h in (0.1, 0.05, 0.025):
        trace, value, away = ran(HALF_SPACE, h), depth(2.0, h), by_hand(2.0, h)
        rows += [PaperLaw("T08", "large step, curved surface", f"h = {h:g}: penetration", value, deepest(trace), "m", 0.1 * value,
                          how.format(h, HALF_SPACE)),
                 PaperLaw("T08", "large step, curved surface", f"h = {h:g}: bounces with e = 0", away, hop(trace), "m/s",
                          0.03 * away, how.format(h, HALF_SPACE) + "; by hand on an ideal arc")]
    trace = ran(TRUE_GAP, STEP)
    rows += [PaperLaw("T08", "large step, curved surface", "bounces with e = 0, non-linear version", 0.0, hop(trace), "m/s", 2e-3,
                      how.format(STEP, TRUE_GAP)),
             PaperLaw("T08", "non-smooth surface", "change of velocity past a corner", 0.0,
                      float(np.ptp(ran(HALF_SPACE, STEP)["body:passing particle.vx"])), "m/s", 0.0,
                      f"h = {STEP:g} s; the half-space at the nearest point would give {half_space_kick(2.0, STEP):.2g} m/s")]
    return rows



def figures() -> list[PaperFigure]:
    """Penetration over the step, of one half-space and of true gaps."""
    sizes, fine = (0.1, 0.05, 0.025), np.linspace(0.02, 0.105, 40)
    return [PaperFigure(
        "T08", "large step, curved surface", "One half-space per step: penetration of a concave arc", "step [s]",
        "penetration [m]", (
            Series("(1) of the scene", fine, [depth(2.0, h) for h in fine.tolist()], DERIVED),
            Series("ours, one half-space per step (T08)", sizes, [deepest(ran(HALF_SPACE, h)) for h in sizes], points=True),
            Series("ours, true gaps (ST96 3.6)", (STEP,), [deepest(ran(TRUE_GAP, STEP))], points=True)),
        "T08 has a drawing and no number; 2 m/s on an arc of 1 m.")]


SCENE = Scene(
    title="A large step, a curved surface, a corner",
    category="Geometry of contact",
    look_for="Without gravity and friction a particle slides into an arc that turns upwards. Each step of 0.05 s follows the "
             "tangent plane at its start, so it ends 5 mm inside the surface and is pushed out in the next one. Behind the arc "
             "the push is not taken back: the particle leaves the straight part at 0.08 m/s, although restitution is zero. "
             "Choose true gaps, or halve the step, and compare. The second particle passes close over a corner, where the "
             "half-space at the nearest point would stop it; contacts that the motion does not reach are left out.",
    law=r"d = \sqrt{\rho^2 + h^2 v^2} - \rho \approx \frac{h^2 v^2}{2\rho}, \qquad w = \frac{d}{h} \approx \frac{h v^2}{2\rho}",
    law_text="d = sqrt(rho^2 + h^2 v^2) - rho ~ h^2 v^2 / (2 rho);   w = d / h ~ h v^2 / (2 rho)",
    build=build,
    parameters=Parameters,
    numerical="Steps of 0.05 s, whose error is what the scene shows.",
    dt=STEP,
    solver="stewart_trinkle",
    options={"half_step_gravity": False, "max_correction_speed": 1e6, "contacts": "all"},
    chosen_options=rounds,
    thumbnail=Thumbnail(0.5, View(target=(0.3, 0.0, 0.55), distance=2.9, azimuth=12.0, elevation=18.0)),
    view=View(target=(0.4, 0.0, 0.7), distance=4.8, azimuth=12.0, elevation=16.0),
    plots=("body:particle.x", "body:particle.z", "body:particle.vx", "body:particle.vz", "body:passing particle.vx"),
    show=("contacts", "velocities"),
    predict=predict,
    check_time=1.6,
    check=check,
    papers=papers,
    figures=figures,
    unreached={"compliant_contact": "its contacts are springs, which throw the particle off the arc",
               "event_driven": "it follows the arc within a step, and nothing is pushed out",
               "joint_space": "it takes contacts as they are at the middle of a step, and hardly sinks in",
               "sequential_impulses": "it moves the particle out of the surface a part of the way, within the same step",
               "soft_steps": "it divides a step into short ones, which sink in less deeply"},
)
