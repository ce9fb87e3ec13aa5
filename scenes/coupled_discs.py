"""Two discs on one axis; a coupling between them is joined, cut and joined again while they turn.

Disc k has the moment I_k and a bearing with dry friction F_k; the coupling is a hinge with the bound C. Apart,

    w_1' = -F_1 / I_1,   w_2 = 0: the second sticks                                                                 (1)

Joined, at t_1, with C > F_2, the second lets go, and they meet, which makes the coupling stick; then they are one:

    w_1' = -(F_1 + C) / I_1,   w_2' = (C - F_2) / I_2,   w' = -(F_1 + F_2) / (I_1 + I_2)                            (2)

Cut, at t_2, each slows down by itself, -F_k / I_k, and the second sticks at t_2 + w I_2 / F_2. Degrees of freedom that move:
1, 2, 1, 2, 1, and once more after t_3.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from physics import Cylinder, World, option
from scenes import Curve, Prediction, Scene, Trace, View
from scenes._parts import add, block, check_predictions

SPEED = 12.0                             # of the first disc at the start [rad/s]
MOMENTS = np.array([0.09, 0.045])        # I_k [kg m^2]
BEARINGS = np.array([0.03, 0.2])        # F_k [N m]
JOINED, CUT, AGAIN = 0.5, 1.8, 3.8       # t_1, t_2, t_3 [s]
END = 5.0
Z = (0.0, 0.0, 1.0)
COUPLING = "coupling"


@dataclasses.dataclass
class Parameters:
    coupling: float = option(0.8, unit="N m", lo=0.4, hi=5.0, help="Largest torque of the coupling; with a larger one the discs "
                                                                   "meet earlier.")


def is_joined(t: float) -> bool:
    return JOINED <= t < CUT or t >= AGAIN


def build(world: World, parameters: Parameters) -> None:
    discs = []
    block(world, (0.02, 0.02, 0.4), (0.0, 0.0, 0.4), mask=0, name="axle")
    for k, (height, speed) in enumerate(((0.5, SPEED), (0.3, 0.0))):
        disc = add(world, Cylinder(0.3, 0.03), (0.0, 0.0, height), group=1 + 2 * k, mass=2.0 * float(MOMENTS[k]) / 0.09, mask=0,
                   inertia=(0.6 * MOMENTS[k], 0.6 * MOMENTS[k], MOMENTS[k]), omega=(0.0, 0.0, speed), name=f"disc {k + 1}")
        world.add_joint("revolute", 0, disc, anchor=(0.0, 0.0, height), axis=Z, max_friction=float(BEARINGS[k]),
                        name=f"bearing {k + 1}")
        discs.append(disc)

    def drive(world: World) -> None:
        now = COUPLING in world.joint_names
        wanted = is_joined(world.time + 0.5 * world.driver_dt)
        if wanted and not now:
            world.add_joint("revolute", *discs, anchor=(0.0, 0.0, 0.4), axis=Z, max_friction=parameters.coupling, name=COUPLING)
        if now and not wanted:
            world.remove_joint(world.joint(COUPLING))
    world.drivers.append(drive)


def law(p: Parameters, end: float = END) -> np.ndarray:
    """(n, 3): times at which something changes, and w_1, w_2 there; straight lines between them."""
    t, w, rows = 0.0, np.array([SPEED, 0.0]), []
    changes = [JOINED, CUT, AGAIN, end]
    while t < end:
        rows.append((t, *w))
        until = next(change for change in changes if change > t)
        direction = np.sign(w[0] - w[1]) if is_joined(t) else 0.0
        together = is_joined(t) and abs(w[0] - w[1]) < 1e-12
        if together:
            rate = np.full(2, -BEARINGS.sum() / MOMENTS.sum())
        else:
            push = np.array([-direction, direction]) * p.coupling
            rate = (push - BEARINGS * np.sign(w + 1e-12 * push)) / MOMENTS
            rate[(w <= 0.0) & (push <= BEARINGS)] = 0.0
        stops = [t - w[k] / rate[k] for k in range(2) if rate[k] < 0.0]
        meets = [t - (w[0] - w[1]) / (rate[0] - rate[1])] if is_joined(t) and not together else []
        following = min([until, *stops, *meets])
        w = w + (following - t) * rate
        w[np.abs(w) < 1e-12] = 0.0
        if meets and following == meets[0]:
            w[:] = w.mean()
        t = following
    return np.array([*rows, (t, *w)])


def speed_at(p: Parameters, disc: int, t: float) -> float:
    """w of a disc, 0 or 1, at a time [rad/s]."""
    rows = law(p)
    return float(np.interp(t, rows[:, 0], rows[:, 1 + disc]))


def predict(parameters: Parameters) -> Sequence[Prediction]:
    p = parameters

    def at(disc: int, t: float) -> Prediction:
        def measure(world: World, trace: Trace) -> float | None:
            return float(np.interp(t, trace["time"], trace[f"body:disc {disc + 1}.omega_z"])) if trace["time"][-1] >= t else None
        return Prediction(f"speed of disc {disc + 1} at {t:g} s", speed_at(p, disc, t), "rad/s", 2e-3, measure)
    return [at(0, 1.7), at(0, 3.7), at(1, 4.9)]


def law_curves(p: Parameters) -> list[Curve]:
    rows = law(p)
    return [Curve(f"body:disc {k + 1}.omega_z", f"disc {k + 1}", tuple(rows[:, 0]), tuple(rows[:, 1 + k])) for k in range(2)]


def check(world: World, trace: Trace) -> None:
    """Both discs follow the broken lines of (1) and (2) throughout; the second stands between its stop and the next joining."""
    p = Parameters()
    check_predictions(world, trace, predict(p))
    rows = law(p)
    for k in range(2):
        off = np.abs(trace[f"body:disc {k + 1}.omega_z"] - np.interp(trace["time"], rows[:, 0], rows[:, 1 + k])).max()
        assert off < 0.15, f"disc {k + 1} is {off} rad/s off"
    stands = (trace["time"] > 3.4) & (trace["time"] < AGAIN)
    assert np.abs(trace["body:disc 2.omega_z"][stands]).max() < 1e-9, "the second disc creeps"


SCENE = Scene(
    title="A coupling, joined and cut",
    category="Mechanisms",
    look_for="The upper disc turns, the lower one is held by the friction of its bearing. A coupling is joined: the lower disc "
             "lets go, both meet, and the coupling sticks. Then it is cut, and each slows down by itself, until the lower one "
             "sticks again; later it is joined once more. What moves by itself changes six times, and the method finds "
             "each moment within its step.",
    law=r"\dot\omega_1 = -\frac{F_1 + C}{I_1}, \quad \dot\omega_2 = \frac{C - F_2}{I_2}",
    law_text="w1' = -(F1 + C) / I1,  w2' = (C - F2) / I2 while the coupling slips",
    build=build,
    parameters=Parameters,
    solver="subsystems",
    expected_warnings=("joints 'bearing 1', 'bearing 2', 'coupling' form a closed loop with 5 redundant",),
    dt=0.01,
    view=View(target=(0.0, 0.0, 0.4), distance=1.7, azimuth=20.0, elevation=12.0),
    show=("joints",),
    plots=("body:disc 1.omega_z", "body:disc 2.omega_z", "world.kinetic"),
    predict=predict,
    law_curves=law_curves,
    check_time=5.0,
    check=check,
    unreached={},
)
