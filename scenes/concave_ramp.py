"""Blocks slide down a concave ramp of 4, 8 or 16 kinks, and down a smooth one (F11 11.6, figure 11.5 right).

Every kink, by delta, is an impact without rebound; velocity keeps the part that the next facet allows. All without friction:

    ball     touches the next facet with its one point:        kept of the kinetic energy = cos^2 delta                   (1)
    block    of length 2 a, its centre b above the ramp, J: its front edge lands, then its rear edge. In between the front
             moves along the next facet, the rear along the last one, both at u:
             T = 1/2 m_u u^2,  m_u = m (q^2 + 1/4 sin^2 delta) + J sin^2 delta / (4 a^2),  q = cos delta - b sin delta / (2 a)
             kept by each of the two impacts = m q^2 / m_u                                                               (2)
    smooth   nothing is lost                                                                                             (3)

With n kinks of theta / n, (1) tends to exp(-theta^2 / n): rounding the edges cures it. The smooth ramp is an arc of a circle,
|q - c| <= rho for the centre of a ball: the constraint of a rope to the middle of the arc. (2) holds while the rear stays down,
for kinks up to about 20 degrees.
"""

import dataclasses
import functools
import math
from collections.abc import Callable

import numpy as np

import scenes
from physics import Box, Plane, Sphere, World, option
from scenes import DERIVED, PaperFigure, PaperLaw, PaperRow, Prediction, Scene, Series, Trace, View
from scenes._parts import GREY, add, block, strip, turned

ARC, FLAT, LANE, HALF_WIDTH, G = 1.5, 3.2, 0.36, 0.14, 9.81      # radius, way behind the ramp, lanes, half of one [m]; [m/s^2]
RADIUS, A, B = 0.05, 0.04, 0.02                                  # ball; half length, half height of the block [m]
BLOCKS, BALLS = (4, 8, 16), (4,)
SMOOTH = "ball, smooth ramp"
FINE = 60
"""Facets of the smooth ramp as it is drawn."""


@dataclasses.dataclass
class Parameters:
    bend: float = option(60.0, unit="deg", lo=20.0, hi=60.0, help="Slope at the top of the ramp, which ends level.")
    speed: float = option(1.5, unit="m/s", lo=0.5, hi=3.0, help="Initial speed down the ramp.")


@dataclasses.dataclass(frozen=True)
class Ramp:
    """Facets that touch the arc in their middles. bend: in all [rad]; kinks: how many."""

    bend: float
    kinks: int

    @property
    def kink(self) -> float:
        """delta [rad]."""
        return self.bend / self.kinks

    def angles(self) -> np.ndarray:
        """Slope of each facet [rad], (kinks + 1,)."""
        return self.bend - self.kink * np.arange(self.kinks + 1)

    def corners(self) -> np.ndarray:
        """(kinks + 2, 2) x, z [m]: the start, the kinks, the end of the level facet."""
        length = 2.0 * ARC * math.tan(0.5 * self.kink)
        lengths = np.full(self.kinks + 1, length)
        lengths[0], lengths[-1] = 0.5 * length, 0.5 * length + FLAT
        ways = lengths[:, None] * np.column_stack([np.cos(self.angles()), -np.sin(self.angles())])
        start = np.array([-ARC * math.sin(self.bend), ARC * (1.0 - math.cos(self.bend))])
        return start + np.vstack([np.zeros(2), np.cumsum(ways, axis=0)])

    def places(self, ahead: float, high: float) -> np.ndarray:
        """(2, kinks, 2) x, z of a body's centre at each kink's two impacts, on the last and on the next facet: `ahead` before or
        behind the corner along the facet, `high` above it [m]."""
        slopes, corner = self.angles(), self.corners()[1:-1]
        along, up = np.column_stack([np.cos(slopes), -np.sin(slopes)]), np.column_stack([np.sin(slopes), np.cos(slopes)])
        return np.stack([corner - ahead * along[:-1] + high * up[:-1], corner + ahead * along[1:] + high * up[1:]])


def of_ball(delta: float) -> float:
    """Energy kept at a kink, (1)."""
    return math.cos(delta) ** 2


def of_block(delta: float) -> float:
    """Energy kept at each of a kink's two impacts, (2)."""
    s, q = math.sin(delta), math.cos(delta) - 0.5 * B / A * math.sin(delta)
    return q * q / (q * q + 0.25 * s * s + (A * A + B * B) / 3.0 * s * s / (4.0 * A * A))


def final_speed(ramp: Ramp, is_ball: bool, speed: float, kept: float) -> float:
    """Speed behind the ramp, if each impact keeps that share of the kinetic energy [m/s]. A ball touches both facets at once."""
    ways = ramp.places(RADIUS * math.tan(0.5 * ramp.kink), RADIUS)[:1] if is_ball else ramp.places(A, B)
    heights = ways.transpose(1, 0, 2).reshape(-1, 2)[:, 1]
    energy, last = 0.5 * speed * speed, float(start_of(ramp, RADIUS if is_ball else B)[1])
    for height in heights.tolist():
        energy, last = (energy + G * (last - height)) * kept, height
    return math.sqrt(2.0 * energy)


def kept_of(ramp: Ramp, is_ball: bool, speed: float, final: float) -> float:
    """Inverse of `final_speed`: the share that each impact kept."""
    low, high = 0.0, 1.2
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if final_speed(ramp, is_ball, speed, middle) < final else (low, middle)
    return 0.5 * (low + high)


def start_of(ramp: Ramp, high: float) -> np.ndarray:
    """x, z of the centre at the start [m]."""
    return ramp.corners()[0] + high * np.array([math.sin(ramp.bend), math.cos(ramp.bend)])


def smooth_speed(parameters: Parameters) -> float:
    """(3): speed at the lowest place [m/s]."""
    drop = (ARC - RADIUS) * (1.0 - math.cos(math.radians(parameters.bend)))
    return math.sqrt(parameters.speed**2 + 2.0 * G * drop)


def name_of(kinks: int, is_ball: bool) -> str:
    return f"ball, {kinks} kinks" if is_ball else f"block, {kinks} kinks"


def lanes() -> list[tuple[str, int, bool]]:
    """(name, kinks, whether it is a ball) of each lane with kinks."""
    return [(name_of(n, is_ball), n, is_ball) for is_ball, counts in ((False, BLOCKS), (True, BALLS)) for n in counts]


def add_lane(world: World, name: str, kinks: int, is_ball: bool, y: float, parameters: Parameters) -> int:
    ramp = Ramp(math.radians(parameters.bend), kinks)
    surface = world.add_body(strip(*ramp.corners().T, HALF_WIDTH), pos=(0.0, y, 0.0), kind="static", friction=0.0,
                             name=f"ramp of {name}")
    world.bodies["group"][surface] = GREY
    x, z = start_of(ramp, RADIUS if is_ball else B)
    down = parameters.speed * np.array([math.cos(ramp.bend), 0.0, -math.sin(ramp.bend)])
    return add(world, Sphere(RADIUS) if is_ball else Box((A, 0.06, B)), (float(x), y, float(z)), group=kinks % 5 + 2, mass=1.0,
               friction=0.0, quat=turned((0.0, 1.0, 0.0), ramp.bend), vel=tuple(down), name=name)


def build(world: World, parameters: Parameters) -> None:
    world.add_body(Plane(), pos=(0.0, 0.0, -0.02), kind="static", friction=0.0, name="ground")
    for lane, (name, kinks, is_ball) in enumerate(lanes()):
        add_lane(world, name, kinks, is_ball, (2 - lane) * LANE, parameters)
    bend, y = math.radians(parameters.bend), (2 - len(lanes())) * LANE
    drawn = world.add_body(strip(*Ramp(bend, FINE).corners().T, HALF_WIDTH), pos=(0.0, y, 0.0), kind="static", mask=0,
                           name="smooth ramp")
    world.bodies["group"][drawn] = GREY
    rho = ARC - RADIUS
    ball = add(world, Sphere(RADIUS), (-rho * math.sin(bend), y, ARC - rho * math.cos(bend)), group=1, mass=1.0, friction=0.0,
               vel=tuple(parameters.speed * np.array([math.cos(bend), 0.0, -math.sin(bend)])), name=SMOOTH)
    world.add_joint("rope", 0, ball, anchor=(0.0, y, ARC), anchor_b=tuple(world.bodies["pos"][ball]), name="arc")
    block(world, (0.05, 3.0 * LANE, 0.15), (FLAT + 0.1, 0.0, 0.1), friction=0.0, name="stop")


def end_speed(name: str) -> Callable[[World, Trace], float | None]:
    """Measures the speed of a body on the level facet."""
    def measured(world: World, trace: Trace) -> float | None:
        x, speed = trace[f"body:{name}.x"], trace[f"body:{name}.speed"]
        arrived = np.flatnonzero(x > 0.4 * ARC)
        return float(speed[arrived[0]]) if len(arrived) else None
    return measured


def predict(parameters: Parameters) -> list[Prediction]:
    bend, found = math.radians(parameters.bend), []
    for name, kinks, is_ball in lanes():
        ramp = Ramp(bend, kinks)
        value = final_speed(ramp, is_ball, parameters.speed, (of_ball if is_ball else of_block)(ramp.kink))
        found.append(Prediction(f"final speed, {name}", value, "m/s", 4e-3, end_speed(name)))

    def lowest(world: World, trace: Trace) -> float | None:
        x = trace[f"body:{SMOOTH}.x"]
        return float(trace[f"body:{SMOOTH}.speed"].max()) if x[-1] > 0.0 else None

    return [*found, Prediction(f"largest speed, {SMOOTH}", smooth_speed(parameters), "m/s", 2e-3, lowest)]


def check(world: World, trace: Trace) -> None:
    """More kinks, more speed; the smooth ramp loses none; nothing falls through or hops off."""
    speeds = [end_speed(f"block, {n} kinks")(world, trace) for n in BLOCKS]
    assert None not in speeds and speeds == sorted(speeds), f"final speeds of the blocks: {speeds}"
    assert end_speed("ball, 4 kinks")(world, trace) < speeds[0], "a ball loses more at a kink than a block"
    for name, *_ in lanes():
        z = float(world.bodies["pos"][world.body(name), 2])
        assert abs(z - (RADIUS if name.startswith("ball") else B)) < 2e-3, f"{name} is {z:.4f} m high on the level"


@functools.cache
def kept_alone(kinks: int, is_ball: bool) -> float:
    """Energy kept at an impact, from the final speed of one lane, h = 1/2000 s."""
    world, parameters = World(), Parameters()
    name = name_of(kinks, is_ball)
    add_lane(world, name, kinks, is_ball, 0.0, parameters)
    _, trace = scenes.run(SCENE, world=scenes.without_clock(world), seconds=0.8, dt=1.0 / 2000.0,
                          keys=(f"body:{name}.x", f"body:{name}.speed"))
    return kept_of(Ramp(math.radians(parameters.bend), kinks), is_ball, parameters.speed, end_speed(name)(world, trace))


def papers() -> list[PaperRow]:
    how = ("arc of 60 degrees and 1.5 m, no friction, e = 0, sequential impulses, h = 1/2000 s; mean over the kinks, from the "
           "final speed; F11 prints no number, the reference is ")
    rows = []
    for kinks, is_ball in ((4, True), (8, True), *((n, False) for n in BLOCKS)):
        delta = math.radians(60.0) / kinks
        value, law = (of_ball(delta), "cos^2 of the kink's angle") if is_ball else \
            (of_block(delta), "the projection onto the motion that both edges allow")
        what = f"{name_of(kinks, is_ball)} of {60.0 / kinks:g} degrees: energy kept at an impact"
        rows.append(PaperLaw("F11", "fig. 11.5 right", what, value, kept_alone(kinks, is_ball), "", 1e-3, how + law))
    return rows



def figures() -> list[PaperFigure]:
    kinks = np.linspace(3.0, 20.0, 80)
    laws = [(what, [of(math.radians(60.0) / k) for k in kinks.tolist()]) for what, of in (("block", of_block), ("ball", of_ball))]
    ours = [(what, [(n, kept_alone(n, is_ball)) for n in counts])
            for what, is_ball, counts in (("block", False, BLOCKS), ("ball", True, (4, 8)))]
    return [PaperFigure(
        "F11", "fig. 11.5 right", "A polyhedral ramp in place of an arc: energy kept at each impact",
        "kinks in 60 degrees", "energy kept", (
            *(Series(f"{what}, (1) and (2) of the scene", kinks, values, DERIVED) for what, values in laws),
            *(Series(f"ours, {what}, sequential impulses", *zip(*points), points=True) for what, points in ours)),
        "F11 draws the block on the ramp and prints no number; arc of 60 degrees and 1.5 m, no friction, e = 0.")]


SCENE = Scene(
    title="Kinks of a concave ramp",
    category="Geometry of contact",
    look_for="Blocks slide without friction down ramps of 4, 8 and 16 kinks that approximate the same arc. At each kink first "
             "the front edge and then the rear edge lands: small impacts that cost speed, visible as steps in the plot. A ball "
             "has one impact per kink and keeps the square of the cosine of its angle. On a smooth arc, which a rope to its "
             "middle replaces here, nothing is lost. Twice as many kinks lose half as much.",
    law=r"\frac{E^+}{E^-} = \cos^2\delta, \qquad \cos^{2n}\frac{\theta}{n} \to e^{-\theta^2/n}",
    law_text="E+ / E- = cos^2 delta;   all n kinks: cos^(2 n) (theta / n) -> exp(-theta^2 / n)",
    build=build,
    parameters=Parameters,
    dt=1.0 / 1000.0,
    view=View(target=(0.1, 0.0, 0.3), distance=4.2, azimuth=14.0, elevation=16.0),
    plots=(*(f"body:{name}.speed" for name, *_ in lanes()), f"body:{SMOOTH}.speed", *(f"body:{name}.x" for name, *_ in lanes()),
           f"body:{SMOOTH}.x"),
    show=("contacts",),
    predict=predict,
    check_time=0.85,
    check=check,
    papers=papers,
    figures=figures,
    unreached={"compliant_contact": "contacts give way at the kinks, and the bodies spring back from them"},
)
