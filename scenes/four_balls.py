"""Four balls on a table, ST96 section 4, figures 6 to 8 and table I: one thrown ball hits the table, then a row of three.

1 kg, radius 0.1 m, inertia 4e-3 kg m^2 = 2/5 m r^2, mu = 0.4 at every contact, eight directions of friction. The paper gives
neither g nor the end of its runs. With g = 9.82 m/s^2 and 1 s every printed digit of the rows h = 0.02, 0.0025, 0.00125 comes
out, the two others are within 0.003:

    velocity error      sum over steps of h max |v_h - v|              largest of 24 components       (1)
    position error      max |q_h - q|                                  at the ends of steps           (2)
    velocity variation  max over components of sum |v_n+1 - v_n|                                      (3)

v is constant within a step, "exact" is h = 0.00125, and q holds the integral of omega in place of an orientation.
"""

import dataclasses
import functools
import math
from typing import NamedTuple

import numpy as np

import scenes
from physics import Sphere, World, option, step
from scenes import OURS, PRINTED, PaperFigure, PaperRow, Prediction, Scene, Series, Trace, View
from scenes._parts import add, ground

RADIUS, INERTIA, G, GAP = 0.1, 4e-3, 9.82, 1e-5     # [m], [kg m^2], [m/s^2], between the balls of the row [m]
STARTS = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.1), (1.2 + GAP, 0.0, 0.1), (1.4 + 2.0 * GAP, 0.0, 0.1))
BALLS = (1, 2, 3, 4)
END = 1.0                                           # of the runs [s]
EXACT = 0.00125                                     # step of the run that counts as exact [s]

TABLE = {0.02: (0.5050, 0.2505, 19.4046), 0.01: (0.3523, 0.2015, 19.1728), 0.005: (0.1657, 0.0838, 19.1702),
         0.0025: (0.0700, 0.0298, 19.0862), EXACT: (0.0, 0.0, 19.0690)}
"""Table I: (velocity error, position error, velocity variation) by h."""

LOOSE = {0.01: 0.003, 0.005: 0.003}
"""Rows of which not every printed digit comes out, and what they may be off."""


@dataclasses.dataclass
class Parameters:
    friction: float = option(0.4, lo=0.0, hi=1.0, help="Friction coefficient of every contact. Without friction no ball spins or "
                                                       "jumps, and the row transmits the impact like a Newton's cradle.")
    speed: float = option(1.5, unit="m/s", lo=0.0, hi=4.0, help="Speed of the thrown ball along the row.")
    aside: float = option(0.1, unit="m/s", lo=0.0, hi=0.5, help="Initial speed across the row: without it the motion stays in "
                                                                "one plane.")


def build(world: World, parameters: Parameters) -> None:
    world.set_gravity((0.0, 0.0, -G))
    world.margin = 0.1
    ground(world, friction=parameters.friction)
    for k, start in enumerate(STARTS):
        add(world, Sphere(RADIUS), start, group=k + 1, mass=1.0, inertia=(INERTIA, INERTIA, INERTIA),
            vel=(parameters.speed, parameters.aside, 0.0) if k == 0 else (0.0, 0.0, 0.0), friction=parameters.friction,
            name=f"ball {k + 1}")


class TableOneRun(NamedTuple):
    """v, q: (steps + 1, 24) velocities and positions of table I; largest: unknowns of the largest problem; table, row: when the
    thrown ball met the table and the row, ends of the last steps before [s]."""

    v: np.ndarray
    q: np.ndarray
    largest: int
    table: float
    row: float


@functools.cache
def run(h: float) -> TableOneRun:
    """The published motion with steps of h [s]."""
    world = scenes.make_world(SCENE)
    balls = [world.body(f"ball {k + 1}") for k in range(len(STARTS))]
    floor = world.body("ground")
    turned = np.zeros((len(balls), 3))
    v, q = np.zeros((round(END / h) + 1, 24)), np.zeros((round(END / h) + 1, 24))
    largest, met = 0, {floor: math.nan, balls[1]: math.nan}
    for n in range(len(v)):
        if n:
            report = step(world, h)
            largest = max(largest, report.solved.largest)
            turned += h * world.bodies["omega"][balls]
            c = world.contacts
            for other in met:
                pair = (np.minimum(c["body_a"], c["body_b"]) == min(other, balls[0])) \
                    & (np.maximum(c["body_a"], c["body_b"]) == max(other, balls[0]))
                if math.isnan(met[other]) and np.any(pair & (c["impulse"] > 0.0)):
                    met[other] = world.time - h
        bodies = world.bodies[balls]
        v[n] = np.hstack([bodies["vel"], bodies["omega"]]).ravel()
        q[n] = np.hstack([bodies["pos"], turned]).ravel()
    return TableOneRun(v, q, largest, met[floor], met[balls[1]])


def errors(h: float) -> tuple[float, float, float]:
    """A row of table I, by (1) to (3)."""
    found, exact = run(h), run(EXACT)
    ratio = round(h / EXACT)
    apart = np.abs(np.repeat(found.v[1:], ratio, axis=0) - exact.v[1:]).max(axis=1)
    return (float(EXACT * apart.sum()), float(np.abs(found.q - exact.q[::ratio]).max()),
            float(np.abs(np.diff(found.v, axis=0)).sum(axis=0).max()))


def order(column: int) -> float:
    """Exponent p of errors ~ h^p, least squares over the four rows."""
    steps = [h for h in TABLE if h > EXACT]
    return float(np.polyfit(np.log(steps), np.log([errors(h)[column] for h in steps]), 1)[0])


def predict(parameters: Parameters) -> list[Prediction]:
    def landed(world: World, trace: Trace) -> float | None:
        """End of the first step in which the thrown ball is faster than by its fall."""
        hit = np.flatnonzero(trace["body:ball 1.z"] > STARTS[0][2] - 0.5 * G * trace["time"] ** 2 + 1e-3)
        return float(trace["time"][hit[0]]) if len(hit) else None

    return [Prediction("hits the table at", math.sqrt(2.0 * (STARTS[0][2] - RADIUS) / G), "s", 0.02, landed, "time")]


def check(world: World, trace: Trace) -> None:
    """The impact passes through the row, lifts the thrown ball, and all part without an overlap."""
    x, z = ([trace[f"body:ball {k + 1}.{axis}"] for k in range(4)] for axis in "xz")
    assert np.all(np.diff(x[3]) >= -1e-9) and x[3][-1] - STARTS[3][0] > 0.05, "the impact did not pass through the row"
    places = world.bodies["pos"][[world.body(f"ball {k + 1}") for k in range(4)]]
    apart = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert apart.min() > 2.0 * RADIUS - 1e-6, f"balls overlap at the end: {apart}"
    assert min(column.min() for column in z) > RADIUS - 1e-9, "a ball is in the table"
    landed = trace["time"] > 0.45
    assert z[0][landed].max() > RADIUS + 1e-3, "the friction of the impact did not lift the thrown ball"


def papers() -> list[PaperRow]:
    how = ("g = 9.82 m/s^2 and 1 s (not printed; found by the table itself), 8 directions, one problem a step about q0 + h v0 "
           "with all contacts, no half kick; velocities constant within steps, all 24 components; positions with integrals of "
           "omega; exact: h = 0.00125")
    rows = []
    for h, published in TABLE.items():
        names = ("velocity error", "position error", "velocity variation")
        for name, value, found in zip(names, published, errors(h)):
            if h == EXACT and name != names[2]:
                continue
            tolerance = LOOSE.get(h, 0.00005)
            note = f"{how}; within {tolerance}, not to the last digit" if h in LOOSE else f"{how}; to the last printed digit"
            unit = {"velocity error": "", "position error": "m, rad", "velocity variation": "rad/s"}[name]
            rows.append(PaperRow("ST96", "table I", f"h = {h:g}: {name}", value, found, unit, tolerance, note))
    fit = "exponent of h, least squares over the four rows; \"roughly of order h\""
    rows += [PaperRow("ST96", "table I", f"order of the {name}", 1.0, order(k), "", 0.15, f"{how}; {fit}")
             for k, name in enumerate(("velocity error", "position error"))]
    fine = run(EXACT)
    when = f"{how}; end of the last step before the contact's first impulse, h = 0.00125"
    rows += [PaperRow("ST96", "section 4", "thrown ball meets the table at", 0.42, fine.table, "s", 0.01, when),
             PaperRow("ST96", "section 4", "thrown ball meets the row at", 0.59, fine.row, "s", 0.01, when),
             PaperRow("ST96", "section 4", "unknowns of the largest problem", 70.0, float(max(run(h).largest for h in TABLE)), "",
                      0.0, f"{how}; 7 contacts of 8 directions, a normal impulse and a sliding speed")]
    return rows



def figures() -> list[PaperFigure]:
    steps = [h for h in TABLE if h > EXACT]
    how = ("g = 9.82 m/s^2 and 1 s are ours, found by the table: with them every printed digit of three rows comes out; exact: "
           "h = 0.00125")
    table = PaperFigure(
        "ST96", "table I", "Four balls: errors over the step size", "step h [s]", "error", [
            Series(f"{name}, {'ST96' if provenance == PRINTED else 'ours'}", steps, values, provenance, provenance == PRINTED)
            for k, name in enumerate(("velocity error", "position error [m, rad]"))
            for provenance, values in ((PRINTED, [TABLE[h][k] for h in steps]), (OURS, [errors(h)[k] for h in steps]))],
            how, log=True)
    fine, (x, y, z) = run(EXACT), ([6 * k + axis for k in range(len(BALLS))] for axis in range(3))
    times = EXACT * np.arange(len(fine.q))
    met = [Series(f"ST96: meets the {what} at {when} s", [np.interp(when, times, fine.q[:, x[0]])], (), PRINTED)
           for what, when in (("table", 0.42), ("row", 0.59))]
    paths = [PaperFigure(
        "ST96", name, f"Four balls: {title}, h = 0.00125", "x [m]", f"{letter} [m]",
        [*met, *(Series(f"ours, ball {k + 1}", fine.q[:, x[k]], fine.q[:, column[k]]) for k in range(len(BALLS)))],
        "ST96 draws the paths and prints two times, here at the place where our thrown ball then is.")
        for name, title, letter, column in (("fig. 7", "elevation", "z", z), ("fig. 8", "plan view", "y", y))]
    return [table, *paths]


SCENE = Scene(
    title="Four balls on a table",
    category="Published figures",
    look_for="A ball is thrown onto a table, starts to roll and hits a row of three balls that almost touch. Within a few "
             "milliseconds the impact travels through the row, and friction between the balls produces vertical impulses: it "
             "lifts the thrown ball and the second of the row, presses the others down and spins the first of the row against "
             "its motion. Then all slide, roll and separate. The plots show the paths of the balls as "
             "the paper's figures 7 and 8 do: the elevation z over x, and the plan view y over x.",
    law=r"M(v_1 - v_0) = n\,c_n + D\beta + h k, \quad 0 \le \beta \perp \lambda e + D^T v_1 \ge 0, \quad "
        r"0 \le c_n \perp n^T q_1 - \alpha_0 \ge 0, \quad 0 \le \lambda \perp \mu c_n - e^T\beta \ge 0",
    law_text="M (v1 - v0) = n cn + D beta + h k;  0 <= beta _|_ lambda e + D'v1 >= 0;  0 <= cn _|_ n'q1 - alpha0 >= 0;  "
             "0 <= lambda _|_ mu cn - e'beta >= 0",
    build=build,
    parameters=Parameters,
    live=("friction",),
    numerical="The paper's scheme treats velocities as those at the start of a step, not at its middle, so every fall loses "
              "energy in proportion to the step size.",
    dt=0.0025,
    solver="stewart_trinkle",
    options={"rounds": 1, "linearise_at": "q0 + h v0 (ST96)", "contacts": "all", "half_step_gravity": False, "gyroscopic": False},
    view=View(target=(0.83, 0.18, 0.41), distance=2.4, azimuth=12.0, elevation=22.0),
    show=("contacts", "forces", "velocities"),
    plots=tuple(f"body:ball {k}.{axis}" for axis in ("z", "y", "x") for k in BALLS),
    paths=tuple(tuple((f"body:ball {k}.{axis}", f"body:ball {k}.x") for k in BALLS) for axis in ("z", "y")),
    predict=predict,
    check_time=END,
    check=check,
    papers=papers,
    figures=figures,
    unreached={},
)
