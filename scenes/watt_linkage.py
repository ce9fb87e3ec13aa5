"""Watt's parallel motion (J. Watt, patent of 1784), hung from its beam: a six-bar linkage with one degree of freedom.

The beam O B A of length 2 b, the radius rod P C of length b and the link B C are Watt's first linkage: the middle M of the link
draws a figure of eight, nearly straight in its middle. The parallelogram B A D C doubles it, since from O

    D = A + C - B = 2 (B + C) / 2 = 2 M                                                                              (1)

With the beam at the angle a from the vertical, and across(v) = v turned by a quarter,

    B = O + b (sin a, -cos a),   C = (B + P) / 2 + h across(P - B) / |P - B|,   with |C - B| = c, |C - P| = b        (2)

so every point is a function of a; with the moment J(a) = sum m |x'(a)|^2 + I phi'(a)^2 of all bars

    J(a) a'^2 / 2 + V(a) = V(start)                                                                                  (3)

M itself stays on Watt's curve; with the pivots 2 p apart, polar from their middle, t from the line through them:

    r^2 = b^2 - (p sin t +- sqrt(c^2 / 4 - p^2 cos^2 t))^2                                                           (4)
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from physics import Box, World, option
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View, run
from scenes._parts import add, block, turned

ARM, LINK, THICKNESS = 0.6, 0.5, 0.02               # b, c, half of a bar's thickness [m]
PIVOT = np.array((0.0, 2.0))                         # O [m]; points are (x, z)
ROD_PIVOT = PIVOT + np.array((LINK, -2.0 * ARM))     # P [m]: the radius rod is upright while the beam hangs
G = 9.81
Y = (0.0, 1.0, 0.0)

BARS = {"beam": "OA", "radius rod": "PC", "back link": "BC", "front link": "AD", "parallel rod": "CD"}
"""Ends of each bar."""

MASS = {**dict.fromkeys(BARS, 1.0), "beam": 6.0}     # [kg]; a light beam would let the radius rod fall over

HINGES = (("pivot", "", "beam", "O"), ("rod pivot", "", "radius rod", "P"), ("hinge B", "beam", "back link", "B"),
          ("hinge A", "beam", "front link", "A"), ("hinge C", "radius rod", "back link", "C"),
          ("hinge C, rod", "back link", "parallel rod", "C"), ("hinge D", "front link", "parallel rod", "D"))
"""Name, bars ("": the ground), point."""


@dataclasses.dataclass
class Parameters:
    angle: float = option(20.0, unit="deg", lo=2.0, hi=25.0, help="Initial angle of the beam from the vertical.")
    friction: float = option(0.0, unit="N m", lo=0.0, hi=5.0, help="Dry friction bound of every hinge.")


def points(a: float) -> dict[str, np.ndarray]:
    """Every point (x, z) [m] at a beam angle a [rad]: (1) and (2)."""
    b = PIVOT + ARM * np.array((math.sin(a), -math.cos(a)))
    way = ROD_PIVOT - b
    distance = math.hypot(*way)
    along = (LINK**2 - ARM**2 + distance**2) / (2.0 * distance)
    across = np.array((-way[1], way[0])) / distance
    c = b + along / distance * way + math.sqrt(LINK**2 - along**2) * across
    end = 2.0 * b - PIVOT
    return {"O": PIVOT, "P": ROD_PIVOT, "A": end, "B": b, "C": c, "D": end + c - b}


def build(world: World, parameters: Parameters) -> None:
    at = points(math.radians(parameters.angle))
    for name, point in (("beam bearing", PIVOT), ("rod bearing", ROD_PIVOT)):
        block(world, (0.05, 0.05, 0.05), (point[0], 0.12, point[1]), name=name)
    bars = {"": 0}
    for k, (name, (first, last)) in enumerate(BARS.items()):
        way, middle = at[last] - at[first], 0.5 * (at[first] + at[last])
        # side by side, and the mask keeps them from touching where they cross
        bars[name] = add(world, Box((THICKNESS, THICKNESS, 0.5 * math.hypot(*way))), (middle[0], 0.0, middle[1]), group=1 + k,
                         mass=MASS[name], mask=0, quat=turned(Y, -math.atan2(way[0], -way[1])), name=name)
    for name, first, second, point in HINGES:
        world.add_joint("revolute", bars[first], bars[second], anchor=(at[point][0], 0.0, at[point][1]), axis=Y,
                        max_friction=parameters.friction, name=name)


# ---- the swing


def potential(a: float) -> float:
    """V of (3) [J]."""
    at = points(a)
    return sum(0.5 * MASS[name] * G * float(at[first][1] + at[last][1]) for name, (first, last) in BARS.items())


def moment(a: float, step: float = 1e-5) -> float:
    """J of (3) [kg m^2]: derivatives of (2) by central differences."""
    before, after = points(a - step), points(a + step)
    rate = {name: (after[name] - before[name]) / (2.0 * step) for name in after}
    at, total = points(a), 0.0
    for name, (first, last) in BARS.items():
        way, turning = at[last] - at[first], rate[last] - rate[first]
        length = math.hypot(*way)
        spin = float(way[0] * turning[1] - way[1] * turning[0]) / length**2
        middle = 0.5 * (rate[first] + rate[last])
        total += MASS[name] * (float(middle @ middle) + (length**2 + (2.0 * THICKNESS) ** 2) / 12.0 * spin**2)
    return total


def speed(a: float, start: float) -> float:
    """|a'| of (3) [rad/s] after a release from rest at `start` [rad]."""
    return math.sqrt(max(0.0, 2.0 * (potential(start) - potential(a)) / moment(a)))


def turning_point(start: float) -> float:
    """Where the swing ends on the other side [rad]: V(a) = V(start), by bisection."""
    lo, hi = -1.2 * start, 0.0
    for _ in range(80):
        middle = 0.5 * (lo + hi)
        lo, hi = (middle, hi) if potential(middle) > potential(start) else (lo, middle)
    return lo


def height_range(start: float) -> float:
    """How far D leaves a level line over a whole swing [m]."""
    heights = [points(a)["D"][1] for a in np.linspace(turning_point(start), start, 2001)]
    return float(np.ptp(heights))


def pin_height(trace: Trace) -> np.ndarray:
    """z of D [m] in a run: D = 2 front link - A, A = 2 beam - O, of the middles of these bars."""
    return 2.0 * trace["body:front link.z"] - 2.0 * trace["body:beam.z"] + PIVOT[1]


def off_curve(trace: Trace) -> float:
    """How far (4) is from true for the middle of the link in a run: the largest difference of r^2 [m^2].

    Without the crossing of the figure of eight, r < b / 10, where the polar angle is all rounding.
    """
    line = ROD_PIVOT - PIVOT
    half = 0.5 * math.hypot(*line)
    middle = np.column_stack([trace["body:back link.x"], trace["body:back link.z"]]) - 0.5 * (PIVOT + ROD_PIVOT)
    r2, polar = np.sum(middle**2, axis=1), np.arctan2(middle[:, 1], middle[:, 0]) - math.atan2(line[1], line[0])
    root = np.sqrt(np.maximum(0.0, 0.25 * LINK**2 - (half * np.cos(polar)) ** 2))
    either = [np.abs(r2 - ARM**2 + (half * np.sin(polar) + sign * root) ** 2) for sign in (1.0, -1.0)]
    return float(np.minimum(*either)[r2 > (0.1 * ARM) ** 2].max())


def predict(parameters: Parameters) -> Sequence[Prediction]:
    if parameters.friction > 0.0:
        return []
    start = math.radians(parameters.angle)

    def swung(trace: Trace) -> bool:
        """Whether the beam has been to the other side and is on its way back."""
        other = trace["body:beam.x"] < 0.0
        after = trace["body:beam.omega_y"][int(np.argmax(other)):]
        return bool(other.any() and (after * after[0] < 0.0).any())

    def left(world: World, trace: Trace) -> float | None:
        return float(np.ptp(pin_height(trace))) if swung(trace) else None

    def fastest(world: World, trace: Trace) -> float | None:
        x, spin = trace["body:beam.x"], np.abs(trace["body:beam.omega_y"])
        passed = np.flatnonzero((x[:-1] >= 0.0) & (x[1:] < 0.0))
        if not len(passed):
            return None
        k = int(passed[0])
        return float(spin[k] + (spin[k + 1] - spin[k]) * x[k] / (x[k] - x[k + 1]))

    return [Prediction("how far pin D leaves a level line", height_range(start), "m", 1e-2, left),
            Prediction("spin of the hanging beam", speed(0.0, start), "rad/s", 2e-3, fastest)]


def check(world: World, trace: Trace) -> None:
    """D is as straight as (2) says, energy stays, both loops stay closed."""
    for prediction in predict(Parameters()):
        measured = prediction.measure(world, trace)
        assert measured is not None and math.isclose(measured, prediction.value, rel_tol=prediction.tolerance), prediction.name
    assert off_curve(trace) < 1e-11, "the middle of the link leaves Watt's curve"
    assert np.ptp(trace["world.energy"]) < 2e-3 * np.ptp(trace["world.kinetic"]), "energy changed"
    assert np.max(world.joints["error"][: len(world.joint_names)]) < 1e-13, "a loop opened"


def papers() -> Sequence[PaperRow]:
    trace = run(SCENE)[1]
    return [PaperLaw("Watt", "curve", "r^2 of the middle of the link against the curve's equation", 0.0, off_curve(trace), "m^2",
                     1e-11, "equation (4) of the scene, known as Watt's curve; one swing from 20 degrees, RK2, h = 0.01 s")]


SCENE = Scene(
    title="Watt's linkage",
    category="Mechanisms",
    look_for="All bars swing along arcs, and yet pin D, the lower right corner of the parallelogram, runs to and fro on an "
             "almost level line: over 0.8 m it leaves it by 4 mm, while the end of the beam beside it rises by 72 mm. James Watt "
             "guided the piston rods of his engines so, without a sliding part. A larger angle shows where the line bends. "
             "Friction brings the linkage to rest away from the middle.",
    law=r"D = B + C,\qquad \tfrac{1}{2} J(a)\,\dot a^2 + V(a) = V(a_0)",
    law_text="D = B + C from the pivot, J(a) a'^2 / 2 + V(a) = V(a0)",
    build=build,
    parameters=Parameters,
    live=("friction",),
    solver="subsystems",
    expected_warnings=("joints 'pivot', 'rod pivot', 'hinge B', 'hinge A', 'hinge C' and others form a closed loop with 6 "
                       "redundant constraints",),
    options={"integrator": "RK2"},
    dt=0.01,
    view=View(target=(0.4, 0.0, 1.35), distance=2.8, azimuth=0.0, elevation=5.0),
    show=("joints",),
    plots=("body:beam.omega_y", "body:beam.x", "body:back link.x", "body:front link.z", "body:beam.z", "body:back link.z",
           "world.energy", "world.kinetic"),
    predict=predict,
    check_time=3.0,
    check=check,
    papers=papers,
    unreached={"soft_steps": "its joints give way by hundredths of a millimetre, and the bars add them up"},
)
