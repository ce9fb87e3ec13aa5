"""Two rattlebacks spin on a rough table, one each way: one goes on, the other begins to rattle, stops and turns back.

Each is an ellipsoid with the half axes a, b, c along x, y, z; its masses are turned against its surface by a small angle, so that
I12 is not 0. Curvature radii below r1 = a^2 / c, r2 = b^2 / c. It rolls without slip and spins at w; (u1, u2): the
horizontal components, in its own axes, of the vertical, which are small; p = u2' + w u1, q = w u2 - u1':

    M u" + w G u' + (K + w^2 H) u = 0                                                                                (1)
    M = (I22 + m c^2, -I12; -I12, I11 + m c^2),   K = m g diag(r1 - c, r2 - c),   S = I11 + I22 - I33 + 2 m c^2
    G = (0, m c r2 - S; S - m c r1, 0)
    H = (I33 - I11 - m c (c - r1), -I12; -I12, I33 - I22 - m c (c - r2))

G is not antisymmetric, and so for small w the mode f, of pitching or of rolling, grows at

    s = w m c (r1 - r2) f1 f2 / (2 f M f)                                                                            (2)

f1 f2 has one sign for pitching, the other for rolling: pitching grows for one sense of spin and dies out for the other, rolling
the other way round and far more slowly. What pitching takes from the spin it gives back with the other sign.
H. Bondi, The rigid body dynamics of unidirectional spin, Proc. R. Soc. A 405 (1986).
"""

import dataclasses
import math
from collections.abc import Callable

import numpy as np

from physics import Ellipsoid, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import G, add, check_predictions, ground, turned

HALF = (0.2, 0.05, 0.04)        # a, b, c [m]
APART = 0.28                    # distance of a stone from the middle [m]
ROUGH = 5.0                     # friction coefficient: no slip
PITCH = math.radians(0.1)       # at the start
FROM, TO = 0.1, 0.7             # time in which the growth is measured [s]
STONES = {"willing": 1.0, "unwilling": -1.0}
"""Senses of spin."""


@dataclasses.dataclass
class Parameters:
    spin: float = option(4.0, unit="rad/s", lo=2.0, hi=6.0, help="Spin at the start, of both stones, one each way.")
    askew: float = option(6.0, unit="deg", lo=2.0, hi=10.0, help="Angle between the axes of inertia and those of the surface.")


def inertia(askew: float) -> np.ndarray:
    """(3, 3), of 1 kg, in the axes of the surface [kg m^2]; askew [deg]."""
    a, b, c = np.square(HALF)
    s, k = math.sin(math.radians(askew)), math.cos(math.radians(askew))
    turn = np.array([[k, -s, 0.0], [s, k, 0.0], [0.0, 0.0, 1.0]])
    return turn @ np.diag([b + c, a + c, a + b]) @ turn.T / 5.0


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=ROUGH)
    a, _, c = HALF
    s, k = math.sin(PITCH), math.cos(PITCH)
    high = math.hypot(a * s, c * k)
    arm = np.array([(a * a - c * c) * s * k / high, 0.0, -high])             # from the centre to the point of contact
    for n, (name, sense) in enumerate(STONES.items()):
        omega = np.array([0.0, 0.0, sense * parameters.spin])
        add(world, Ellipsoid(HALF), (APART * (2 * n - 1), 0.0, high), group=2 + n, mass=1.0, inertia=inertia(parameters.askew),
            friction=ROUGH, quat=turned((0.0, 1.0, 0.0), PITCH), omega=tuple(omega), vel=tuple(-np.cross(omega, arm)), name=name)


def linear(spin: float, askew: float) -> np.ndarray:
    """(1) as y' = F y for y = (u, u'): F (4, 4)."""
    c, w, moment = HALF[2], spin, inertia(askew)
    (i11, i12), i22, i33 = moment[0, :2], moment[1, 1], moment[2, 2]
    r1, r2 = HALF[0] ** 2 / c, HALF[1] ** 2 / c
    sum_of = i11 + i22 - i33 + 2.0 * c * c
    mass = np.array([[i22 + c * c, -i12], [-i12, i11 + c * c]])
    turning = np.array([[0.0, c * r2 - sum_of], [sum_of - c * r1, 0.0]])
    stiffness = G * np.diag([r1 - c, r2 - c]) + w * w * np.array([[i33 - i11 - c * (c - r1), -i12],
                                                                  [-i12, i33 - i22 - c * (c - r2)]])
    return np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(mass, stiffness), -w * np.linalg.solve(mass, turning)]])


def pitching(spin: float, askew: float) -> tuple[float, np.ndarray]:
    """Growth rate [1/s] of pitching, the quicker mode of (1), and the vector (4,) whose product with y is this mode's alone."""
    values, left = np.linalg.eig(linear(spin, askew).T)
    k = int(np.argmax(values.imag))
    return float(values[k].real), left[:, k]


def growth(name: str, parameters: Parameters) -> Callable[[World, Trace], float | None]:
    """Rate at which the pitching of a stone grows [1/s], while it is small."""
    def measure(world: World, trace: Trace) -> float | None:
        t = trace["time"]
        if t[-1] < TO:
            return None
        roll, pitch = trace[f"body:{name}.roll"], trace[f"body:{name}.pitch"]
        u = np.column_stack([-np.sin(pitch), np.cos(pitch) * np.sin(roll)])
        mode = pitching(STONES[name] * parameters.spin, parameters.askew)[1]
        size = np.abs(np.hstack([u, np.gradient(u, t, axis=0)]) @ mode)
        small = (t > FROM) & (t < TO)
        return float(np.polyfit(t[small], np.log(size[small]), 1)[0])
    return measure


def predict(parameters: Parameters) -> list[Prediction]:
    p = parameters
    return [*(Prediction(f"growth of the pitching of the {name} stone", pitching(sense * p.spin, p.askew)[0], "1/s", 0.01,
                         growth(name, p)) for name, sense in STONES.items()),
            Prediction("spin of the unwilling stone when it has turned back", p.spin, "rad/s", 0.02,
                       lambda world, trace: (None if (back := float(trace["body:unwilling.omega_z"].max())) < 0.9 * p.spin else
                                             back), "body:unwilling.omega_z")]


def check(world: World, trace: Trace) -> None:
    """(1), and the willing stone does not mind."""
    p = Parameters()
    check_predictions(world, trace, predict(p))
    assert abs(trace["body:willing.omega_z"] - p.spin).max() < 0.02 * p.spin, "the willing stone loses spin"


SCENE = Scene(
    title="Rattleback",
    category="Rolling and spinning",
    look_for="Two equal stones spin, one each way. The willing one goes on as it is. The unwilling one begins to "
             "rattle, its spin goes into the rattling, it stops - and turns back, until it spins as its neighbour does."
             " Its shape is symmetric, its masses are not: they lie a few degrees across. So every nod pushes the stone"
             " a little round, always to the same side. Turn the masses further, and it takes less time.",
    law=r"\sigma = \frac{w\,m\,c\,(r_1-r_2)\,\varphi_1\varphi_2}{2\,\varphi^{T} M \varphi}",
    law_text="s = w m c (r1 - r2) f1 f2 / (2 f M f), f: pitching mode; s changes its sign with the spin w",
    build=build,
    parameters=Parameters,
    dt=1.0 / 480.0,
    view=View(target=(0.0, 0.0, 0.03), distance=1.2, azimuth=14.0, elevation=26.0),
    options={"cone": "circle"},
    plots=(*(f"body:{name}.omega_z" for name in STONES),
           *(f"body:{name}.{angle}" for angle in ("pitch", "roll") for name in STONES)),
    show=("contacts",),
    predict=predict,
    check_time=3.7,
    check=check,
    unreached={"stewart_trinkle": "rolling rims that spin fast lose energy at first order"},
)
