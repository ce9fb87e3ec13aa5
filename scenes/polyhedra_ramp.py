"""A ball and prisms of 6 to 96 facets roll down a ramp: every facet that lands is an impact (F11 11.6, figure 11.5 left).

Featherstone (2008) 11.6 says that polyhedra do badly in place of round bodies, without numbers. They follow from the angular
momentum about the corner that lands (_corner_impacts.py). A regular prism of k facets has

    J / (m R^2) = (2 + cos(2 pi / k)) / 6,   r = (J + m R^2 cos(2 pi / k)) / (J + m R^2)              (1)
    kept of the energy in one turn:  r^(2 k)  ->  exp(-8 pi^2 / (3 k))      for many facets          (2)

so that 96 facets still lose a quarter in every turn. The ball loses nothing: a = 5/7 g sin(gamma). Curved facets cure it:
the surface then turns with the body, and there is no impact at all.
"""

import dataclasses
import functools
import math

import numpy as np

import scenes
from physics import Hull, Sphere, World, option, step
from scenes import DERIVED, Curve, PaperFigure, PaperLaw, PaperRow, Prediction, Scene, Series, Trace, View
from scenes._corner_impacts import CornerWheel, G
from scenes._parts import add, block, ground, turned

FACETS = (6, 12, 24, 48, 96)
R, HALF_WIDTH, PITCH, LENGTH = 0.25, 0.12, 0.42, 3.4     # of the prisms, of their lanes, of the ramp [m]
GRIP = 1.0                                               # friction coefficient: no facet slips
SHARE_OF_FACET = 400
"""Steps from one impact to the next in the runs of `papers`."""
MAX_FACETS = 20
"""Longest of those runs, in times of the first facet."""


@dataclasses.dataclass
class Parameters:
    angle: float = option(7.0, unit="deg", lo=1.0, hi=10.0, help="Slope of the ramp. The hexagon keeps rolling above "
                                                                 "6.6 degrees.")
    spin: float = option(2.5, unit="rad/s", lo=0.5, hi=3.5, help="Angular velocity at the start, about the first corner.")


def shape(facets: int) -> Hull:
    """A prism along y, lying on a facet."""
    turns = 2.0 * np.pi * (np.arange(facets) + 0.5) / facets
    return Hull([(R * math.sin(t), y, -R * math.cos(t)) for t in turns for y in (-HALF_WIDTH, HALF_WIDTH)])


def wheel(facets: int, parameters: Parameters) -> CornerWheel:
    """(1)."""
    half = math.pi / facets
    return CornerWheel(R, half, R * R * (2.0 + math.cos(2.0 * half)) / 6.0, math.radians(parameters.angle))


def frame(parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """(down the ramp, up from it)."""
    gamma = math.radians(parameters.angle)
    return np.array([math.cos(gamma), 0.0, -math.sin(gamma)]), np.array([math.sin(gamma), 0.0, math.cos(gamma)])


def start_of(lane: int, high: float, parameters: Parameters) -> np.ndarray:
    """Centre of a lane's body at the start, that high above the ramp [m]."""
    _, up = frame(parameters)
    top = np.array([0.0, 0.0, 0.1 + (LENGTH - 0.5) * math.sin(math.radians(parameters.angle))])
    return top + high * up + np.array([0.0, (lane - 0.5 * len(FACETS)) * PITCH, 0.0])


def add_prism(world: World, facets: int, lane: int, parameters: Parameters) -> int:
    """On its facet, turning about the corner in front."""
    along, up = frame(parameters)
    half, high = math.pi / facets, R * math.cos(math.pi / facets)
    body = add(world, shape(facets), tuple(start_of(lane, high, parameters)), group=lane + 1, mass=1.0, friction=GRIP,
               quat=turned((0.0, 1.0, 0.0), math.radians(parameters.angle)), name=f"{facets} facets")
    world.bodies["omega"][body] = (0.0, parameters.spin, 0.0)
    world.bodies["vel"][body] = parameters.spin * (high * along + R * math.sin(half) * up)
    return body


def add_ramp(world: World, parameters: Parameters) -> None:
    along, up = frame(parameters)
    middle = start_of(0, 0.0, parameters) * (1.0, 0.0, 1.0) + (0.5 * LENGTH - 0.4) * along - 0.05 * up
    block(world, (0.5 * LENGTH, 0.5 * (len(FACETS) + 1.4) * PITCH, 0.05), tuple(middle), friction=GRIP, name="ramp",
          quat=turned((0.0, 1.0, 0.0), math.radians(parameters.angle)))


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=GRIP)
    add_ramp(world, parameters)
    along, _ = frame(parameters)
    add(world, Sphere(R), tuple(start_of(0, R, parameters)), group=1, mass=1.0, friction=GRIP, name="ball",
        vel=tuple(parameters.spin * R * along), omega=(0.0, parameters.spin, 0.0))
    for lane, facets in enumerate(FACETS):
        add_prism(world, facets, lane + 1, parameters)


def kept_share(world: World, facets: int, lane: int, parameters: Parameters) -> float | None:
    """Share of the energy that each impact so far has kept, by the energy now; None before two impacts."""
    body, (along, _), known = world.bodies[world.body(f"{facets} facets")], frame(parameters), wheel(facets, parameters)
    begin = start_of(lane, R * math.cos(math.pi / facets), parameters)
    impacts = int((body["pos"] - begin) @ along / known.pitch)
    if impacts < 2:
        return None
    begun = 0.5 * known.about_corner * parameters.spin**2
    spin = float(body["omega"] @ body["omega"])
    now = 0.5 * float(body["vel"] @ body["vel"]) + 0.5 * known.gyration * spin + G * float(body["pos"][2] - begin[2])
    return known.kept(begun, impacts, begun - now)


def predict(parameters: Parameters) -> list[Prediction]:
    def measure(facets: int, lane: int):
        def measured(world: World, trace: Trace) -> float | None:
            share = kept_share(world, facets, lane, parameters)
            return None if share is None else share**facets
        return measured

    turn = [Prediction(f"energy kept in one turn of {facets} facets", wheel(facets, parameters).ratio ** (2 * facets), "",
                       0.05 + 0.3 / facets, measure(facets, lane + 1)) for lane, facets in enumerate(FACETS)]
    return [Prediction("acceleration of the ball", acceleration(parameters), "m/s^2", 2e-3, of_ball), *turn]


def acceleration(parameters: Parameters) -> float:
    return 5.0 / 7.0 * G * math.sin(math.radians(parameters.angle))


def of_ball(world: World, trace: Trace) -> float | None:
    """Mean acceleration of the ball."""
    t, v = trace["time"], trace["body:ball.speed"]
    return float((v[-1] - v[0]) / t[-1]) if t[-1] > 0.1 else None


def law_curves(parameters: Parameters) -> list[Curve]:
    first, a = parameters.spin * R, acceleration(parameters)
    end = (math.sqrt(first * first + 2.0 * a * (LENGTH - 1.0)) - first) / a
    return [Curve("body:ball.speed", "5/7 g sin(gamma)", (0.0, end), (first, first + a * end))]


def check(world: World, trace: Trace) -> None:
    """All roll on, the fewer facets the slower; none hops."""
    speeds = [float(trace[f"body:{name}.speed"][-60:].mean()) for name in ("ball", *(f"{k} facets" for k in FACETS[::-1]))]
    assert speeds == sorted(speeds, reverse=True) and speeds[-1] > 0.2, f"speeds from the ball to the hexagon: {speeds}"
    _, up = frame(Parameters())
    for lane, facets in enumerate(FACETS):
        high = float((world.bodies["pos"][world.body(f"{facets} facets")] - start_of(lane + 1, 0.0, Parameters())) @ up)
        assert R * math.cos(math.pi / facets) - 2e-3 < high < R + 2e-3, f"{facets} facets: the centre is {high:.4f} m high"


@functools.cache
def share_of_turn(facets: int) -> float:
    """Energy kept in one turn by a prism alone on the ramp, from six impacts, at a step that is a small share of a facet."""
    world, parameters = World(), Parameters()
    add_ramp(world, parameters)
    add_prism(world, facets, len(FACETS), parameters)
    scenes.without_clock(world)
    known = wheel(facets, parameters)
    dt = 2.0 * known.half_angle / parameters.spin / SHARE_OF_FACET
    body, (along, _) = world.body(f"{facets} facets"), frame(parameters)
    begin = float(world.bodies["pos"][body] @ along)
    for _ in range(MAX_FACETS * SHARE_OF_FACET):
        step(world, dt)
        if float(world.bodies["pos"][body] @ along) - begin > 4.5 * known.pitch:
            break
    return kept_share(world, facets, len(FACETS), parameters) ** facets


def papers() -> list[PaperRow]:
    how = (f"k-sided prism alone on a ramp of 7 degrees, e = 0, mu = {GRIP:g}, sequential impulses, {SHARE_OF_FACET} steps a "
           "facet; F11 prints no number, the reference is (1) of the scene")
    kept = {k: wheel(k, Parameters()).ratio ** (2 * k) for k in FACETS}
    return [PaperLaw("F11", "fig. 11.5 left", f"energy kept in one turn of {k} facets", kept[k], share_of_turn(k), "",
                     0.6 / k * kept[k], how) for k in FACETS]



def figures() -> list[PaperFigure]:
    facets = np.geomspace(FACETS[0], FACETS[-1], 60)
    law = [(wheel(k, Parameters()).ratio ** (2 * k)) for k in facets.tolist()]
    return [PaperFigure(
        "F11", "fig. 11.5 left", "A polyhedron in place of a ball: energy kept in one turn", "facets", "energy kept", (
            Series("from F11's impact equation, (1) of the scene", facets, law, DERIVED),
            Series("ours, sequential impulses", FACETS, [share_of_turn(k) for k in FACETS], points=True)),
        "F11 draws the facets and prints no number; ramp of 7 degrees, e = 0, mu = 1.", log=True)]


SCENE = Scene(
    title="Polyhedra on a ramp",
    category="Geometry of contact",
    look_for="A ball and five prisms with 6 to 96 facets start down a ramp side by side. Every facet that lands is a small "
             "impact, which costs energy even without slip: the hexagon keeps 0.5 percent of its energy per turn, and the prism "
             "of 96 facets, hardly to be told from a cylinder, only 76 percent. The ball has a surface that turns with it, so "
             "nothing is lost. Compare the speeds with the line of the ball.",
    law=r"\frac{\omega^+}{\omega^-} = r = \frac{J + m R^2 \cos(2\pi/k)}{J + m R^2}, \qquad "
        r"\frac{E_{2\pi}}{E} = r^{2k} \to e^{-8\pi^2/(3k)}",
    law_text="omega+ / omega- = r = (J + m R^2 cos(2 pi / k)) / (J + m R^2);  kept in one turn: r^(2 k) -> exp(-8 pi^2 / (3 k))",
    build=build,
    parameters=Parameters,
    dt=1.0 / 1000.0,
    view=View(target=(0.66, -0.21, 0.39), distance=3.4, azimuth=25.0, elevation=22.0),
    plots=("body:ball.speed", *(f"body:{k} facets.speed" for k in FACETS[::-1])),
    show=("contacts",),
    predict=predict,
    law_curves=law_curves,
    check_time=1.2,
    check=check,
    papers=papers,
    figures=figures,
    unreached={"compliant_contact": "facets sink in when they land, and lose another share of their energy"},
)
