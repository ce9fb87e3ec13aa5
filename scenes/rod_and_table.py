"""The rod and the table, ST96 section 4, figures 2 to 5: a falling, spinning rod meets a table with too much friction.

    f+-(q) = z -+ (l/2) sin(theta) - rho >= 0,   l = 0.5 m, rho = 0.05 m, m = 1 kg, J = 0.002 kg m^2, mu = 0.6

theta = 30 deg and growing by 4 rad/s, no velocity, centre 1 m above the table (the paper does not say; this height gives its
times), g = 9.81 m/s^2. An end at r = (rx, rz) from the centre that slides away under the rod is pushed into the table by its own
friction where

    1/m + rx^2/J - mu |rx rz|/J < 0   <=>   mu > mu* = (J/m + rx^2) / |rx rz|                        (1)

so that no force is a solution (Painlevé); here mu* = 0.50. An impulse is. The plane of motion is x-z: theta grows by -omega_y.
"""

import dataclasses
import math
from typing import NamedTuple

import numpy as np

import scenes
from physics import Capsule, World, option, step
from scenes import PRINTED, Curve, PaperFigure, PaperRow, Prediction, PublishedTime, Scene, Series, Trace, View
from scenes._parts import GREY, add, ground, turned

HALF, RHO, MASS, INERTIA, MU = 0.25, 0.05, 1.0, 0.002, 0.6      # l/2 [m], radius [m], [kg], [kg m^2], -
HEIGHT, G, END = 1.0, 9.81, 1.0                                 # [m], [m/s^2], [s]
FINE = 0.0025                                                   # step of figure 2 [s]
FIRST, SECOND = 0.383, 0.548                                    # published times of the impacts [s]

CONFIGURATIONS = ((0.1, 0.0, 0.9497, 52.92), (0.2, 0.0, 0.8013, 75.84), (0.3, 0.0, 0.5549, 98.75),
                  (0.3825, 0.0, 0.2777, 117.66), (0.45, -0.0921, 0.2135, 139.16), (0.5, -0.162, 0.1418, 158.46),
                  (0.5475, -0.2283, 0.0513, 179.71))
"""As in figure 2, h = 0.0025: time [s], x, z of the centre [m], theta [deg]."""

SAMPLES = {
    0.01: (
        (30, 32, 34, 36, 38, 39, 40, 42, 44, 46, 48, 50, 52, 54, 55, 56, 58, 60, 62, 64, 66),
        (-2943, -3139, -3335, -3532, -3728, -687, -738, -927, -1121, -1316, -1510, -1704, -1897, -2089, -435, 0, 0, 0,
         0, 0, 0),
        (-4000, -4000, -4000, -4000, -4000, -5330, -5596, -5975, -6299, -6607, -6936, -7314, -7777, -8372, -1730, -10,
         0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, -1428, -1450, -1451, -1450, -1449, -1448, -1446, -1445, -1442, -391, -71, 0, 0, 0, 0, 0),),
    0.005: (
        (60, 64, 68, 72, 75, 76, 77, 78, 79, 80, 84, 88, 92, 96, 100, 104, 108, 109, 110, 111, 112, 116, 120, 124,
         128, 132),
        (-2943, -3139, -3335, -3532, -3679, -3728, -2253, -619, -667, -706, -887, -1081, -1275, -1469, -1663, -1856,
         -2049, -2097, -1034, 0, 0, 0, 0, 0, 0, 0),
        (-4000, -4000, -4000, -4000, -4000, -4000, -2509, -5204, -5298, -5388, -5769, -6138, -6471, -6812, -7193,
         -7649, -8224, -8394, -4137, 0, -1, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 0, -678, -1403, -1403, -1408, -1413, -1411, -1410, -1409, -1407, -1406, -1403, -1403, -736,
         -86, -56, 0, 0, 0, 0, 0),),
    0.0025: (
        (120, 128, 136, 144, 150, 151, 152, 153, 154, 155, 156, 157, 158, 160, 168, 176, 184, 192, 200, 208, 216, 217,
         218, 219, 220, 221, 222, 223, 224, 225, 232, 240, 248, 256, 264),
        (-2943, -3139, -3335, -3532, -3679, -3703, -3728, -3752, -2709, -606, -631, -648, -668, -709, -889, -1082,
         -1276, -1470, -1664, -1858, -2050, -2074, -2098, -2122, -510, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (-4000, -4000, -4000, -4000, -4000, -4000, -4000, -4000, -1790, -5132, -5173, -5223, -5263, -5347, -5726,
         -6106, -6448, -6796, -7183, -7643, -8225, -8309, -8396, -8487, -2039, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (0, 0, 0, 0, 0, 0, 0, 0, -484, -1388, -1388, -1390, -1392, -1396, -1402, -1401, -1399, -1398, -1397, -1395,
         -1393, -1392, -1392, -1391, -410, -89, -74, -60, -45, -30, 0, 0, 0, 0, 0),),
}
"""For figures 3 to 5, by h: numbers of steps, and v_z [mm/s], omega_y [mrad/s], v_x [mm/s] after them."""


@dataclasses.dataclass
class Parameters:
    friction: float = option(MU, lo=0.0, hi=1.5, help="Friction coefficient of rod and table. Above 0.50 no finite force "
                                                      "satisfies the laws when the rod lands; only an impulse does.")
    spin: float = option(4.0, unit="rad/s", lo=-10.0, hi=10.0, help="Initial angular velocity, anticlockwise.")
    angle: float = option(30.0, unit="deg", lo=0.0, hi=90.0, help="Initial angle above the horizontal.")


def build(world: World, parameters: Parameters) -> None:
    world.margin = 0.1
    ground(world, friction=parameters.friction)
    add(world, Capsule(RHO, HALF), (0.0, 0.0, HEIGHT), group=2, quat=_lying(parameters.angle), omega=(0.0, -parameters.spin, 0.0),
        mass=MASS, inertia=(INERTIA, INERTIA, 0.25 * INERTIA), friction=parameters.friction, name="rod")
    for time, x, z, angle in CONFIGURATIONS:
        add(world, Capsule(0.008, HALF), (x, 0.12, z), group=GREY, quat=_lying(angle), kind="static", mask=0,
            friction=parameters.friction, name=f"figure 2 at {time:g} s")


def _lying(angle: float) -> tuple[float, float, float, float]:
    """Turns a capsule's axis from z to the angle above x [deg]."""
    return turned((0.0, 1.0, 0.0), math.radians(90.0 - angle))


def theta(world: World) -> float:
    """The rod's angle above x, 0 .. 360 [deg]."""
    w, _, y, _ = world.bodies["quat"][world.body("rod")]
    return (90.0 - math.degrees(2.0 * math.atan2(y, w))) % 360.0


class RodRun(NamedTuple):
    """One line for the start and each step. ends: that bear load, right 1, left 2, both 3; motion: x, z, theta [deg], v_z,
    omega_y, v_x."""

    time: np.ndarray
    motion: np.ndarray
    ends: np.ndarray


def run(h: float) -> RodRun:
    """The published motion with steps of h [s]."""
    world = scenes.make_world(SCENE)
    rod, count = world.body("rod"), round(END / h) + 1
    found = RodRun(np.zeros(count), np.zeros((count, 6)), np.zeros(count, int))
    for n in range(count):
        if n:
            step(world, h)
        body, bearing = world.bodies[rod], world.contacts[world.contacts["impulse"] > 0.0]
        left = bearing["pos"][:, 0] < body["pos"][0]
        found.time[n], found.ends[n] = world.time, (1 if np.any(~left) else 0) + (2 if np.any(left) else 0)
        found.motion[n] = (body["pos"][0], body["pos"][2], theta(world), body["vel"][2], body["omega"][1], body["vel"][0])
    return found


def critical(angle: float) -> float:
    """mu* of (1) for the lower end of the rod at that angle [deg]."""
    rx, rz = HALF * math.cos(math.radians(angle)), HALF * abs(math.sin(math.radians(angle))) + RHO
    return (INERTIA / MASS + rx * rx) / abs(rx * rz)


def curves() -> tuple[Curve, ...]:
    """Our runs of figures 3 to 5: the paper prints the curves, but no number of them."""
    keys = ("body:rod.vz", "body:rod.omega_y", "body:rod.vx")
    return tuple(Curve(key, f"ours, h = {1e3 * h:g} ms", tuple(round(n * h, 6) for n in steps),
                       tuple(1e-3 * value for value in values[k]))
                 for k, key in enumerate(keys) for h, (steps, *values) in SAMPLES.items())


def landing(parameters: Parameters) -> float:
    """When the rod meets the table, by its free flight [s]."""
    def gap(t: float) -> float:
        angle = math.radians(parameters.angle) + parameters.spin * t
        return HEIGHT - 0.5 * G * t * t - HALF * abs(math.sin(angle)) - RHO

    low = 0.0
    while gap(low + 1e-3) > 0.0:
        low += 1e-3
    high = low + 1e-3
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) > 0.0 else (low, middle)
    return low


def predict(parameters: Parameters) -> list[Prediction]:
    def landed(world: World, trace: Trace) -> float | None:
        hit = np.flatnonzero(trace["body:rod.vz"] > -G * trace["time"] + 0.05)
        return float(trace["time"][hit[0]]) if len(hit) else None

    return [Prediction("hits the table at", landing(parameters), "s", 0.02, landed, "time")]


def check(world: World, trace: Trace) -> None:
    """Two impacts, then rest to the last digit; nothing moves in between that was not in the paper."""
    t, vx, spin = (trace[key] for key in ("time", "body:rod.vx", "body:rod.omega_y"))
    rest = t > 0.6
    for key in ("body:rod.vx", "body:rod.vz", "body:rod.omega_y"):
        assert np.abs(trace[key][rest]).max() < 1e-9, f"{key} is {np.abs(trace[key][rest]).max():.1e} at rest"
    assert abs(theta(world) - 180.0) < 0.01, f"lies at {theta(world):.3f} deg"
    sliding = (t > 0.39) & (t < 0.545)
    assert np.all(vx[sliding] < -1.3) and np.all(spin[sliding] < -5.0), "it slides to the left and spins on in between"


def papers() -> list[PaperRow]:
    found = run(FINE)
    how = ("h = 0.0025, height 1 m (not printed, fitted to the first time), g = 9.81 m/s^2, 2 directions, one problem a step "
           "about q0 + h v0, no half kick; ")
    right, left = (int(np.flatnonzero(found.ends & end)[0]) for end in (1, 2))
    after = np.arange(len(found.time)) >= left
    sliding = FINE * float(np.sum(after & (found.motion[:, 5] < -1e-9)))
    rest = int(np.flatnonzero(after & (np.abs(found.motion[:, 3:]).max(axis=1) < 1e-9))[0])
    changes = float(np.sum(np.diff(found.ends[rest:]) != 0))

    def row(figure: str, quantity: str, published: float, measured: float, unit: str, tolerance: float, note: str) -> PaperRow:
        return PaperRow("ST96", figure, quantity, published, measured, unit, tolerance, how + note)

    return [
        row("fig. 2", "consistency check of the fitted height: hits the table at", FIRST, float(found.time[right - 1]), "s",
            0.0006, "end of the last step without a contact, a multiple of h: 0.3825 printed with three digits"),
        row("fig. 2", "left end hits at", SECOND, float(found.time[left - 1]), "s", 0.0006,
            "end of the last step before, a multiple of h: 0.5475 printed with three digits"),
        row("fig. 5", "slides left lying for", 0.02, sliding, "s", FINE, "steps with v_x < 0 from the second impact on"),
        row("figs 3-5", "changes of contacts after it came to rest", 0.0, changes, "", 0.0, "no chattering"),
        row("fig. 4", "fastest at rest", 0.0, float(np.abs(found.motion[rest:, 3:]).max()), "m/s, rad/s", 1e-9,
            "the rod is then at rest"),
    ]



def figures() -> list[PaperFigure]:
    runs = {h: run(h) for h in SAMPLES}
    times = (Series("ST96: the ends hit at 0.383 and 0.548 s", (FIRST, SECOND), (), PRINTED),)
    how = "h, g = 9.81 m/s^2 and the height of 1 m are ours; ST96 draws these curves and prints no number but the two times."
    shown = [PaperFigure("ST96", f"fig. {number}", f"Rod and table: {what}", "time [s]", unit,
                         [*times, *(Series(f"ours, h = {1e3 * h:g} ms", one.time, sign * one.motion[:, k])
                                    for h, one in runs.items())], how + note)
             for number, what, unit, k, sign, note in (
                 (3, "vertical velocity", "v_y [m/s]", 3, 1.0, ""),
                 (4, "angular velocity", "omega [rad/s]", 4, -1.0, " Positive: anticlockwise, as the paper's angle."),
                 (5, "horizontal velocity", "v_x [m/s]", 5, 1.0, ""))]
    fine = runs[FINE]
    tips = [fine.motion[:, 1] + side * HALF * np.sin(np.radians(fine.motion[:, 2])) for side in (1.0, -1.0)]
    marks = [(time, z + side * HALF * math.sin(math.radians(angle))) for time, _, z, angle in CONFIGURATIONS
             for side in (1.0, -1.0)]
    ends = PaperFigure("ST96", "fig. 2", "Rod and table: heights of its ends' centres, h = 2.5 ms", "time [s]", "height [m]", (
        *times, *(Series(f"ours, {name} end", fine.time, tip) for name, tip in zip(("right", "left"), tips)),
        Series("ours, at the times at which the scene shows thin rods", *zip(*marks), points=True)),
        "ST96 draws seven poses; the height at the start is not printed: 1 m is fitted to the first time.")
    return [ends, *shown]


SCENE = Scene(
    title="Falling, spinning rod and a table",
    category="Published figures",
    look_for="A spinning rod falls on a table with high friction: when its end lands, friction would press it into the "
             "table harder than the table can push back, and no finite force satisfies Coulomb's law, the paradox of "
             "the chalk that hops. The time stepping finds an impulse that does. The end slides off to the left, the other "
             "end hits, and after 0.02 s the rod lies at rest without chattering. The marks are our runs of the paper's figures "
             "3 to 5 with steps of 10, 5 and 2.5 ms; the upright lines are the paper's own times of the impacts. Choose "
             "another step size: the spin has a spike at the first contact, because the step that closes the gap precedes"
             " the one that slides along the table. The thin rods show poses of the run of figure 2.",
    law=r"M(v_1 - v_0) = n\,c_n + D\beta + h k, \qquad \mu > \mu^* = \frac{J/m + r_x^2}{|r_x r_z|}",
    law_text="M (v1 - v0) = n cn + D beta + h k;  no force is a solution for mu > (J/m + rx^2) / |rx rz|",
    build=build,
    parameters=Parameters,
    live=("friction",),
    numerical="The paper's scheme treats velocities as those at the start of a step, not at its middle, so every fall loses "
              "energy in proportion to the step size.",
    dt=FINE,
    solver="stewart_trinkle",
    options={"facets": 2, "rounds": 1, "linearise_at": "q0 + h v0 (ST96)", "contacts": "all", "half_step_gravity": False,
             "gyroscopic": False},
    view=View(target=(-0.1, 0.0, 0.5), distance=2.3, azimuth=8.0, elevation=9.0),
    show=("contacts", "forces"),
    plots=("body:rod.vz", "body:rod.omega_y", "body:rod.vx"),
    curves=curves(),
    published_times=(PublishedTime("ST96", "hits the table at", FIRST), PublishedTime("ST96", "left end hits at", SECOND)),
    predict=predict,
    check_time=END,
    check=check,
    papers=papers,
    figures=figures,
    unreached={},
)
