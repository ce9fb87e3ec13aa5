"""Trinkle's lecture notes on discrete dynamics (T08): a particle in integers, free or against a wall, with h = m = F = 1.

    v1 = v0 + 1 - lambda,   x1 = x0 + v1  (semi-implicit)  or  x0 + v0  (explicit)                   (1)
    0 <= lambda _|_ psi1 >= 0,   psi = 11 - x,  or  11 - t - x  where the wall comes at speed 1      (2)

Where the collision is "bouncy", T08 integrates with an adaptive step, up to the impact, and applies the law of collision there,
v+ = -e v-: the exact solver's own way, with (1) replaced by its fall, which is exact. With t_1 = sqrt(22), v_1 = t_1:

    x = t^2 / 2,   then   11 - e v_1 (t - t_1) + (t - t_1)^2 / 2,   up to t_1 + 2 e v_1               (3)

From rest at x = 0. The step is a second, the force is gravity along x, lambda is the impulse of the contact. Every number is
whole but those of (3), so all of them come out exactly.
"""

import dataclasses
import math

import numpy as np

import scenes
from physics import Box, Sphere, World, option, step
from scenes import OURS, PRINTED, PaperFigure, PaperRow, PredictedPath, Prediction, Scene, Series, Trace, View
from scenes._parts import add, block

WALL, MOVING, FREE, EXPLICIT = "wall", "moving wall", "free", "free, explicit Euler"
BOUNCY = "bouncy wall, adaptive step"

E = 0.5
"""Coefficient of restitution of the bouncy wall."""

RADIUS = 0.5
FACE = 11.0 + RADIUS
"""Where the wall is, so that the particle's centre stops at x = 11 [m]."""

TABLES = {
    EXPLICIT: {"x": (0, 0, 1, 3, 6, 10), "v": (0, 1, 2, 3, 4, 5)},
    FREE: {"x": (0, 1, 3, 6, 10), "v": (0, 1, 2, 3, 4)},
    WALL: {"x": (0, 1, 3, 6, 10, 11, 11, 11), "v": (0, 1, 2, 3, 4, 1, 0, 0), "psi": (11, 10, 8, 5, 1, 0, 0, 0),
           "lambda": (0, 0, 0, 0, 0, 4, 2, 1)},
    MOVING: {"x": (0, 1, 3, 6, 7, 6, 5), "v": (0, 1, 2, 3, 1, -1, -1), "psi": (11, 9, 6, 2, 0, 0, 0),
             "lambda": (0, 0, 0, 0, 3, 3, 1)},
}
"""T08's numbers, from the start on."""


@dataclasses.dataclass
class Parameters:
    case: str = option(WALL, choices=(BOUNCY, *tuple(TABLES)[::-1]), help=(
        "A wall at rest or approaching at 1 m/s; or no wall, with positions updated by the new velocity (semi-implicit Euler) or "
        "by the old one (explicit Euler); or a wall with restitution 0.5 and steps that are divided at the impact."))


def build(world: World, parameters: Parameters) -> None:
    world.set_gravity((1.0, 0.0, 0.0))
    e = E if parameters.case == BOUNCY else 0.0
    add(world, Sphere(RADIUS), (0.0, 0.0, RADIUS), group=2, mass=1.0, restitution=e, name="particle")
    if parameters.case in (WALL, MOVING, BOUNCY):
        coming = {"kind": "kinematic", "vel": (-1.0, 0.0, 0.0)} if parameters.case == MOVING else {"kind": "static"}
        add(world, Box((0.5, 1.5, 1.0)), (FACE + 0.5, 0.0, 1.0), group=0, restitution=e, name="wall", **coming)
    block(world, (10.0, 0.25, 0.1), (5.0, 0.0, -0.1), mask=0, name="rail")
    for x in range(-4, 15):
        block(world, (0.03, 0.6 if x % 5 == 0 else 0.4, 0.02), (float(x), 0.0, 0.0), mask=0, name=f"x = {x}")


def bounced(t: float) -> float:
    """x of (3) [m]."""
    struck = math.sqrt(22.0)
    return 0.5 * t * t if t < struck else 11.0 - E * struck * (t - struck) + 0.5 * (t - struck) ** 2


def chosen_options(parameters: Parameters) -> dict[str, object]:
    if parameters.case == BOUNCY:
        return {"rounds": 20, "half_step_gravity": True}
    return {"positions": "explicit" if parameters.case == EXPLICIT else "semi-implicit"}


def table(case: str) -> dict[str, list[float]]:
    """x, v, psi and lambda at the start and after each step, as many as T08 has; psi and lambda where there is a wall."""
    world = scenes.make_world(SCENE, Parameters(case))
    particle = world.body("particle")
    names, count = TABLES[case], len(TABLES[case]["x"])
    found: dict[str, list[float]] = {name: [] for name in names}
    for n in range(count):
        if n:
            step(world, SCENE.dt)
        body, contacts = world.bodies[particle], world.contacts
        wall = world.bodies["pos"][world.body("wall"), 0] - 0.5 if "psi" in names else FACE
        numbers = {"x": body["pos"][0], "v": body["vel"][0], "psi": wall - RADIUS - body["pos"][0],
                   "lambda": contacts["impulse"].sum() if n else 0.0}
        for name in names:
            found[name].append(float(numbers[name]))
    return found


def predict(parameters: Parameters) -> list[Prediction]:
    known = TABLES.get(parameters.case, {"x": [bounced(n) for n in range(9)]})
    last = len(known["x"]) - 1

    def measured(key: str) -> object:
        return lambda world, trace: float(trace[key][last]) if len(trace[key]) > last else None

    ends = np.array([-4.0, 14.0])
    way = PredictedPath("particle", np.array([(0.0, 0.0, 0.0)]) + ends[:, None] * (1.0, 0.0, 0.0), ends, (0.0, 0.0, -RADIUS))
    found = [Prediction(f"x after {last} steps", float(known["x"][last]), "m", 1e-12, measured("body:particle.x"), place=way)]
    return found if "v" not in known else [
        *found, Prediction(f"v after {last} steps", float(known["v"][last]), "m/s", 1e-12, measured("body:particle.vx"))]


def check(world: World, trace: Trace) -> None:
    """The default case, exactly."""
    for key, name in (("body:particle.x", "x"), ("body:particle.vx", "v")):
        assert np.array_equal(trace[key][:8], TABLES[WALL][name]), f"{name} is {trace[key][:8]}, not {TABLES[WALL][name]}"


def papers() -> list[PaperRow]:
    units = {"x": "m", "v": "m/s", "psi": "m", "lambda": "N s"}
    rows = []
    for case, known in TABLES.items():
        found = table(case)
        rows += [PaperRow("T08", case, f"{name} = {' '.join(map(str, values))}: largest difference", 0.0,
                          max(abs(a - b) for a, b in zip(found[name], values)), units[name], 0.0,
                          "h = m = F = 1, a particle of radius 0.5 before a wall at 11.5; compared without tolerance")
                 for name, values in known.items()]
    world = scenes.make_world(SCENE, Parameters(BOUNCY))
    errors = []
    for n in range(9):
        errors.append(abs(world.bodies["pos"][world.body("particle"), 0] - bounced(n)))
        step(world, SCENE.dt)
    rows.append(PaperRow("T08", BOUNCY, "x before and after the impact at sqrt(22) s: largest difference", 0.0,
                         float(max(errors)), "m", 1e-9, "adaptive step, then v+ = -e v-, e = 0.5; against the parabolas"))
    return rows



def figures() -> list[PaperFigure]:
    names = {"x": "position x [m]", "v": "velocity v [m/s]", "psi": "gap psi [m]", "lambda": "impulse lambda [N s]"}
    shown = []
    for case in (WALL, MOVING):
        found = table(case)
        for pair in (("x", "psi"), ("v", "lambda")):
            numbers = range(len(found["x"]))
            series = [Series(f"{names[name]}, {whose}", numbers, values, kind, kind == PRINTED) for name in pair
                      for whose, kind, values in (("T08's integers", PRINTED, TABLES[case][name]), ("ours", OURS, found[name]))]
            shown.append(PaperFigure("T08", case, f"A particle and a {case}: {pair[0]} and {pair[1]}", "step", " and ".join(pair),
                                     series, "h = m = F = 1, a particle of radius 0.5 before a wall at 11.5."))
    return shown


SCENE = Scene(
    title="A particle and a wall, in integers",
    category="Published figures",
    look_for="With steps of one second a particle accelerates, and after four steps it is 1 m in front of the wall at 4 m/s. The "
             "fifth step limits its motion to the remaining metre: it reaches the wall, still with the speed of 1 m/s of that "
             "motion. Only the sixth step stops it. So an impact takes two steps, with impulses of 4 and 2 N s; from then on the "
             "wall carries the force, 1 N s per step. In front of a wall approaching at 1 m/s the particle takes on the speed of "
             "the wall, also in two steps.",
    law=r"v_1 = v_0 + \frac{h}{m}F - \frac{\lambda}{m}, \qquad x_1 = x_0 + h\,v_1, \qquad "
        r"0 \le \lambda \perp \psi(x_1) \ge 0",
    law_text="v1 = v0 + (h F - lambda) / m,   x1 = x0 + h v1,   0 <= lambda _|_ psi(x1) >= 0",
    build=build,
    parameters=Parameters,
    numerical="Steps of one second, as in the paper's figure: the loss of energy in the fall is part of the demonstration.",
    dt=1.0,
    solver="stewart_trinkle",
    options={"rounds": 1, "half_step_gravity": False},
    chosen_options=chosen_options,
    view=View(target=(6.0, 0.0, 0.6), distance=19.0, azimuth=8.0, elevation=18.0),
    show=("contacts", "forces", "velocities"),
    plots=("body:particle.x", "body:particle.vx"),
    predict=predict,
    check_time=8.0,
    check=check,
    papers=papers,
    figures=figures,
    unreached={"compliant_contact": "its springs are too stiff for a step of a second, and it gives up",
               "soft_steps": "the wall gives way by half a micrometre, and integers are asked for"},
)
