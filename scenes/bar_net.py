"""A net of a hundred bars, 4 rows of 12 meshes, hangs from 13 pins on one level and swings in its plane.

In each mesh opposite bars are equal, so those of a row stay parallel, and those across stay level: row k has one
angle a_k from the downward vertical. With m meshes in a row and bars of length l, mass m_b, moment I_b, a row has m + 1 hanging
bars that turn and m level bars that only move:

    T = sum_jk A_jk cos(a_j - a_k) a_j' a_k' / 2,   V = -sum_k B_k cos a_k                                          (1)
    A_jk = m_b l^2 ((2m + 1) (r - max(j, k)) - (m + 1) / 2),   A_kk = A_jk(j = k) - (m + 1) (m_b l^2 / 4 - I_b)    (2)
    B_k = m_b g l ((2m + 1) (r - k) - (m + 1) / 2)                                                                  (3)

k = 0 .. r - 1 from the top: what a row carries below it moves with its lower ends. Small swings: (K - w^2 A) u = 0 with
K = diag B; the slowest is the one in which all rows lean to the same side.

Cut open the net has 100 coordinates, of which 48 loops leave 4; of its 740 equations 144 follow from others.
"""

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from physics import Box, World, option, step
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View, make_world
from scenes._parts import G, add, block, check_predictions, turned
from scenes._threads import in_all

ROWS, MESHES = 4, 12
LENGTH, MASS, THICKNESS = 0.3, 0.2, 0.012       # of a bar [m], [kg], half [m]
TOP = 1.7                                       # height of the pins [m]
INERTIA = MASS * (LENGTH**2 + (2.0 * THICKNESS) ** 2) / 12.0
Y = (0.0, 1.0, 0.0)
LAST = f"bar {ROWS}/{0}"


@dataclasses.dataclass
class Parameters:
    lean: float = option(6.0, unit="deg", lo=1.0, hi=40.0, help="Initial angle of the lowest row; the others lean as in the "
                                                               "slowest swing.")


# ---- equations


def matrices() -> tuple[np.ndarray, np.ndarray]:
    """A, B of (2) and (3)."""
    carried = np.array([(2 * MESHES + 1) * (ROWS - k) - 0.5 * (MESHES + 1) for k in range(ROWS)])
    A = MASS * LENGTH**2 * carried[np.maximum.outer(np.arange(ROWS), np.arange(ROWS))]
    A -= np.eye(ROWS) * (MESHES + 1) * (0.25 * MASS * LENGTH**2 - INERTIA)
    return A, MASS * G * LENGTH * carried


def slowest() -> tuple[float, np.ndarray]:
    """(w [rad/s], u (rows,) with 1 at the lowest row) of the slowest small swing."""
    A, B = matrices()
    values, vectors = np.linalg.eig(np.linalg.solve(A, np.diag(B)))
    first = int(np.argmin(values.real))
    u = vectors[:, first].real
    return math.sqrt(values[first].real), u / u[-1]


def reference(start: np.ndarray, seconds: float, step: float = 1e-3) -> np.ndarray:
    """Angles (n, rows) after every step from rest at `start`: (1) by the classical Runge-Kutta method; no part of the engine."""
    A, B = matrices()

    def rate(y: np.ndarray) -> np.ndarray:
        a, w = y[:ROWS], y[ROWS:]
        apart = a[:, None] - a[None, :]
        return np.concatenate([w, np.linalg.solve(A * np.cos(apart), -(A * np.sin(apart)) @ w**2 - B * np.sin(a))])
    y, out = np.concatenate([start, np.zeros(ROWS)]), []
    for _ in range(round(seconds / step)):
        k1 = rate(y)
        k2 = rate(y + 0.5 * step * k1)
        k3 = rate(y + 0.5 * step * k2)
        y = y + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + rate(y + step * k3))
        out.append(y[:ROWS])
    return np.array(out)


def start_angles(p: Parameters) -> np.ndarray:
    """Angles of the rows at rest [rad]."""
    return math.radians(p.lean) * slowest()[1]


def angles(world: World) -> np.ndarray:
    """Angles of the rows [rad], from the hanging bars at the left."""
    bars = world.bodies[[world.body(f"bar {k + 1}/{0}") for k in range(ROWS)]]
    return 2.0 * np.arctan2(-bars["quat"][:, 2], bars["quat"][:, 0])


# ---- the net


def build(world: World, parameters: Parameters) -> None:
    lean = start_angles(parameters)
    corners = np.array([((column - 0.5 * MESHES) * LENGTH, TOP) for column in range(MESHES + 1)])
    block(world, (0.5 * MESHES * LENGTH + 0.1, 0.03, 0.03), (0.0, 0.08, TOP), mask=0, name="beam")
    above = [0] * (MESHES + 1)          # a body at each node: the hanging bar above it, or the ground

    def bar(first: np.ndarray, way: np.ndarray, row: int, name: str) -> int:
        middle = first + 0.5 * way
        return add(world, Box((THICKNESS, THICKNESS, 0.5 * LENGTH)), (middle[0], 0.0, middle[1]), group=1 + row, mass=MASS,
                   mask=0, quat=turned(Y, -math.atan2(way[0], -way[1])), name=name)

    def hinge(a: int, b: int, at: np.ndarray) -> None:
        world.add_joint("revolute", a, b, anchor=(at[0], 0.0, at[1]), axis=Y, name=f"hinge {len(world.joint_names) + 1}")
    for k in range(ROWS):
        way = LENGTH * np.array([math.sin(lean[k]), -math.cos(lean[k])])
        hanging = [bar(corner, way, k, f"bar {k + 1}/{column}") for column, corner in enumerate(corners)]
        for up, low, corner in zip(above, hanging, corners, strict=True):
            hinge(up, low, corner)
        corners = corners + way
        for column in range(MESHES):
            level = bar(corners[column], np.array([LENGTH, 0.0]), k, f"level {k + 1}/{column}")
            hinge(hanging[column], level, corners[column])
            hinge(level, hanging[column + 1], corners[column + 1])
        above = hanging


def passage(trace: Trace) -> float | None:
    """Time at which the lowest row's first bar is upright for the first time [s]."""
    lean = trace[f"body:{LAST}.pitch"]
    passed = np.flatnonzero((lean[:-1] < 0.0) & (lean[1:] >= 0.0))
    if not len(passed):
        return None
    k = int(passed[0])
    return float(trace["time"][k] + (trace["time"][k + 1] - trace["time"][k]) * lean[k] / (lean[k] - lean[k + 1]))


def predict(parameters: Parameters) -> Sequence[Prediction]:
    if parameters.lean > 10.0:
        return []
    w, _ = slowest()

    def fastest(world: World, trace: Trace) -> float | None:
        return float(np.abs(trace[f"body:{LAST}.omega_y"]).max()) if passage(trace) else None
    return [Prediction("time until it hangs straight", 0.5 * math.pi / w, "s", 5e-3, lambda world, trace: passage(trace),
                       key="time"),
            Prediction("spin of the lowest row as it hangs", math.radians(parameters.lean) * w, "rad/s", 1e-2, fastest)]


def check(world: World, trace: Trace) -> None:
    """The swing is that of (1), energy stays, all 48 loops stay closed."""
    check_predictions(world, trace, predict(Parameters()))
    known = reference(start_angles(Parameters()), world.time)[-1]
    assert np.abs(angles(world) - known).max() < 1e-4, "the net leaves the motion of its four equations"
    assert np.ptp(trace["world.energy"]) < 1e-3 * np.ptp(trace["world.kinetic"]), "energy changed"
    assert world.joints["error"][: len(world.joint_names)].max() < 1e-14, "a loop opened"


def papers() -> Sequence[PaperRow]:
    """The tree of subsystems over 2 and 4 processes, beside one, and the net against its four equations."""
    how = f"{ROWS} rows of {MESHES} meshes, from rest in the slowest swing, RK2, h = 0.01 s, 0.2 s"

    def moved(transport: Any = None) -> tuple[np.ndarray, np.ndarray, Any, float]:
        world, drift = make_world(SCENE), 0.0
        world.solver.transport = transport
        for _ in range(20):
            drift = max(drift, step(world, 0.01).joint_error)
        made = world.solver.mechanism(world).elimination
        return np.hstack([world.bodies[name] for name in ("pos", "vel", "omega")]), angles(world), made, drift
    alone, found, _, drift = moved()
    rows = [PaperRow("KV", "section 3", "net of 100 bars: drift with two stabilisations", 0.0, drift, "m", 5e-15, how),
            PaperLaw("KV", "section 3", "net of 100 bars: angles of its rows against four equations", 0.0,
                     float(np.abs(found - reference(start_angles(Parameters()), 0.2)[-1]).max()), "rad", 1e-4,
                     how + "; reference: RK4, h = 1 ms")]
    for size in (2, 4):
        every = in_all(size, moved)
        apart = max(float(np.abs(state - alone).max()) for state, *_ in every)
        messages = sum(made.traffic.messages for *_, made, _ in every) / (every[0][2].traffic.gatherings * (size - 1))
        rows += [PaperLaw("KV", "section 2", f"net of 100 bars: {size} processes against one", 0.0, apart, "m, m/s, rad/s", 0.0,
                          how + "; processes are threads here, over MPI in `distribute`"),
                 PaperRow("KV", "section 2", f"messages on an edge between {size} processes in an evaluation", 2.0, messages, "",
                          0.0, "one up, with D and R, and one down, with Q")]
    return rows


SCENE = Scene(
    title="A net of a hundred bars",
    category="Mechanisms",
    look_for="A hundred bars, 48 meshes, and only four ways to move: in each mesh opposite bars stay parallel, so every row "
             "leans as one. It starts in its slowest swing and comes back in it. Open the subsystems panel: the net is divided "
             "where few hinges connect its parts, and each part eliminates its own. A larger angle is no longer a pure swing.",
    law=r"(K - \omega^2 A)\,u = 0,\qquad t = \frac{\pi}{2\,\omega}",
    law_text="(K - w^2 A) u = 0,  t = pi / (2 w)",
    build=build,
    parameters=Parameters,
    solver="subsystems",
    options={"integrator": "RK2"},
    dt=0.01,
    view=View(target=(0.0, 0.0, 1.1), distance=3.8, azimuth=0.0, elevation=5.0),
    show=(),
    plots=(f"body:{LAST}.pitch", f"body:{LAST}.omega_y", "world.energy", "world.kinetic"),
    predict=predict,
    check_time=0.5,
    check=check,
    papers=papers,
    unreached={},
)
