"""Two hourglasses with the same outlet, one filled twice as high as the other: grains run out as fast from both.

Walls bear a part of the weight by friction (Janssen), and grains that fall from the outlet come from an arch over it, as wide as
the outlet: their speed is that of a fall from there, whatever is above (Beverloo). In a plane, with balls of diameter d:

    M' = C rho sqrt(g) (D - k d)^(3/2),   k about 1.4, C about 1: it does not contain the filling height            (1)
    water instead:   M' ~ sqrt(h),   so twice the height runs sqrt(2) times as fast, and slows down                   (2)

C and k are measured ones (W. Beverloo, H. Leniger, J. van de Velde, Chem. Eng. Sci. 15 (1961) 260), so nothing is predicted from
them: what is, is that rates are equal and steady. Beside each glass a tally counts what has run out. With so few grains a rate is
uncertain by a tenth, and the last ones, with nothing above them, are a tenth slower.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import add, block, check_predictions, ground, turned

R, MASS = 0.025, 0.05                           # of a grain [m], [kg]
NECK, HALF, APART = 1.2, 0.25, 0.5              # height of the outlet, half width of a glass, place of the glasses [m]
SLOPE, THICK, TALL = math.radians(50.0), 0.05, 0.62         # of the funnel, of its plates, of the walls [m]
GRAINS = {"full": 110, "half": 55}
FLOOR, STEP = 0.05, 0.01                        # height of a tally at the start, its rise for a grain [m]


@dataclasses.dataclass
class Parameters:
    outlet: float = option(0.32, unit="m", lo=0.1, hi=0.4, help="Width of the outlets; grains measure 5 cm. Below five of them "
                                                                "an arch of grains may block an outlet.")
    mu: float = option(0.15, lo=0.05, hi=1.0, help="Friction coefficient of grains and walls.")


def grains(count: int, gap: float) -> list[tuple[float, float]]:
    """Places (x, z) of the lowest grains of a glass with half an outlet `gap` [m], row by row, a little out of order."""
    found, row = [], 0
    while True:
        z = NECK + R + 1.8 * R * row
        wide = min(HALF - R, gap + (z - NECK) * math.cos(SLOPE) / math.sin(SLOPE) - R / math.sin(SLOPE)) - 0.02 * R
        fits = int(2.0 * (wide / (2.05 * R) - 0.5 * (row % 2)) // 2.0) if wide > 0.0 else -1
        for k in range(-fits - row % 2, fits + 1):
            if len(found) == count:
                return found
            off = 0.02 * R * (2.0 * (0.618034 * len(found) % 1.0) - 1.0)
            found.append(((k + 0.5 * (row % 2)) * 2.05 * R + off, z))
        row += 1


def glass(world: World, name: str, at: float, parameters: Parameters) -> None:
    """Add a glass with its grains and its tray at x [m]."""
    gap, mu = 0.5 * parameters.outlet, parameters.mu
    top = NECK + (HALF - gap) * math.tan(SLOPE)
    along, across = np.array([math.cos(SLOPE), math.sin(SLOPE)]), np.array([math.sin(SLOPE), -math.cos(SLOPE)])
    long = 0.5 * (HALF - gap) / along[0]
    for side in (-1.0, 1.0):
        x, z = np.array([gap, NECK]) + long * along + 0.5 * THICK * across
        block(world, (long, 0.06, 0.5 * THICK), (at + side * x, 0.0, z), quat=turned((0.0, 1.0, 0.0), -side * SLOPE), friction=mu,
              name=f"funnel {name} {side:+g}")
        block(world, (0.02, 0.06, 0.5 * TALL), (at + side * (HALF + 0.02), 0.0, top + 0.5 * TALL), friction=mu,
              name=f"wall {name} {side:+g}")
        block(world, (0.02, 0.06, 0.3), (at + side * 0.42, 0.0, 0.3), friction=mu, name=f"bin {name} {side:+g}")
    for k, (x, z) in enumerate(grains(GRAINS[name], gap)):
        add(world, Sphere(R), (at + x, 0.0, z), group=(3, 6)[k // 22 % 2], mass=MASS, friction=mu,
            name=f"grain {name} {k}")
    tally(world, name, 2.06 * at)


def tally(world: World, name: str, x: float) -> None:
    """Add a mark that touches nothing and rises by STEP for each grain that has left the glass."""
    mark = add(world, Box((0.06, 0.04, 0.01)), (x, 0.0, FLOOR), kind="kinematic", group=0, mask=0, name=f"tally {name}")
    grains = [world.body(f"grain {name} {k}") for k in range(GRAINS[name])]

    def count(world: World) -> None:
        if world.body_names[mark] == f"tally {name}" and grains[-1] < len(world.bodies):
            out = int((world.bodies["pos"][grains, 2] < NECK).sum())
            rise = FLOOR + out * STEP - world.bodies["pos"][mark, 2]
            world.set_velocity(mark, (0.0, 0.0, rise / world.driver_dt), (0.0, 0.0, 0.0))

    world.drivers.append(count)


def build(world: World, parameters: Parameters) -> None:
    ground(world)
    for name, side in (("full", -1.0), ("half", 1.0)):
        glass(world, name, side * APART, parameters)


def rate(name: str, first: float, last: float, trace: Trace) -> float | None:
    """Grains a second between two numbers of grains that have left a glass: slope of the line through them. None before."""
    out = (trace[f"body:tally {name}.z"] - trace[f"body:tally {name}.z"][0]) / STEP
    if out[-1] < last:
        return None
    among = (out >= first) & (out <= last)
    return float(np.polyfit(trace["time"][among], out[among], 1)[0])


def ratio(a: float | None, b: float | None) -> float | None:
    return a / b if a and b else None


def heights(world: World, trace: Trace) -> float | None:
    """Rate of the full glass over that of the half filled one, for the same numbers of grains."""
    return ratio(*(rate(name, *(share * GRAINS["half"] for share in (0.1, 0.75)), trace) for name in GRAINS))


def steadiness(world: World, trace: Trace) -> float | None:
    """Rate of the full glass in its second half over that in its first one."""
    return ratio(*(rate("full", *(share * GRAINS["full"] for share in shares), trace) for shares in ((0.5, 0.9), (0.1, 0.5))))


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction("rate of the full glass over that of the half filled one", 1.0, "", 0.25, heights),
            Prediction("rate of the second half of the grains over that of the first", 1.0, "", 0.25, steadiness)]


def check(world: World, trace: Trace) -> None:
    """Rates are equal and steady, unlike those of water, and every grain has run out."""
    check_predictions(world, trace, predict(Parameters()))
    for name, count in GRAINS.items():
        inside = [k for k in range(count) if world.bodies["pos"][world.body(f"grain {name} {k}"), 2] > NECK]
        assert len(inside) < 4, f"{len(inside)} grains are left in the {name} glass"


SCENE = Scene(
    title="Hourglass",
    category="Play",
    look_for="One glass is filled twice as high as the other, and grains run out of both equally fast, as steadily at the end "
             "as at the start: the tallies beside them rise with every grain, along the same straight line. Water would run "
             "faster from the full glass, by the root of two, and slow down. Grains press on the walls, whose friction bears "
             "what is high above, and those that fall come from an arch over the outlet. So sand tells the time. Narrow the "
             "outlet: the rate falls fast, and below five grains an arch may stay and nothing runs.",
    law=r"\dot M = C \rho \sqrt{g}\,(D - k d)^{3/2}",
    law_text="dM/dt = C rho sqrt(g) (D - k d)^(3/2), without the filling height",
    build=build,
    parameters=Parameters,
    live=("mu",),
    dt=1.0 / 120.0,
    view=View(target=(0.0, 0.0, 0.95), distance=3.7, azimuth=0.0, elevation=6.0),
    options={"cone": "circle", "substeps": 1, "iterations": 100},
    plots=("body:tally full.z", "body:tally half.z"),
    show=(),
    predict=predict,
    check_time=1.2,
    check=check,
    numerical="Grains that overlap where they land in numbers are lifted out of one another: less with smaller steps.",
    violations="Where grains land on one another in numbers they overlap by some millimetres, and those that meet several in "
               "flight within a step get their impulses a little before they touch: less with smaller steps.",
    unreached=dict.fromkeys(("compliant_contact", "joint_space", "stewart_trinkle"),
                             "with 470 contacts a run takes more than a minute, and is not waited for"),
)
