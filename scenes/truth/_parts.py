"""Helpers for experiments: ground, time of drivers, reading of bodies, energy at one moment, independent integrators.

Velocities of a solver may lag behind the poses by `lag` (leapfrog). Energy at the moment t_n of the poses needs those of t_n:

    v(t_n) = v_n + lag (v_n+1 - v_n-1) / (2 h),   L likewise       where motion is smooth                         (1)
    v(t_n) = v_n + lag g                                           where bodies fly between impacts               (1')
    E = sum m v^2 / 2 + L . I^-1 L / 2 - m g . x                                                                  (2)

The references are integrated by Dormand and Prince's method of orders 5 and 4 (J. Comp. Appl. Math. 6, 1980) with errors of
1e-12 a step, in their own coordinates, and share no code with the engine.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np

from physics import Material, Plane, World
from physics.core.quaternions import to_matrix
from physics.core.records import Kind
from scenes import Trace
from scenes._parts import G, add, block, ground, middle, turned

__all__ = ["G", "add", "agm", "block", "drift", "energy", "gained", "ground", "lost", "middle", "motion", "period_of",
           "slab", "solve", "tilted", "turned"]


def tilted(world: World, angle: float, direction: float = 0.0) -> None:
    """Tilt gravity as on a slope of that angle [rad], downhill along a direction in the floor's plane [rad]."""
    down = math.sin(angle)
    world.set_gravity((G * down * math.cos(direction), G * down * math.sin(direction), -G * math.cos(angle)))


def slab(world: World, friction: float = 0.5, restitution: float = 0.0, **more: float) -> int:
    """Add the floor z = 0 with a material."""
    return world.add_body(Plane(), kind="static", name="ground",
                          material=Material(friction=friction, restitution=restitution, **more))


# ---- reading


def motion(world: World) -> np.ndarray:
    """Pos, vel, angular momentum, quat, lag of each dynamic body; shape (n, 14)."""
    b = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    turn = to_matrix(b["quat"])
    spin = np.einsum("nij,njk,nlk,nl->ni", turn, b["inertia"], turn, b["omega"])
    lag = b["velocity_lag"]
    return np.hstack([b["pos"], b["vel"], spin, b["quat"], lag[:, None]])


def energy(world: World, trace: Trace, smooth: bool = True) -> np.ndarray:
    """Equation (2) at each step but the last, from trace["motion"]: `motion` (steps, n, 14). smooth: by (1), else by (1')."""
    b, kept = world.bodies[world.bodies["kind"] == Kind.DYNAMIC], trace["motion"]
    v, spin, lag = kept[:-1, :, 3:6], kept[:-1, :, 6:9], kept[:-1, :, 13:]
    if smooth:
        rate = np.gradient(kept[:, :, 3:9], trace["time"][1] - trace["time"][0], axis=0)[:-1]
        v, spin = v + lag * rate[:, :, :3], spin + lag * rate[:, :, 3:]
    else:
        v = v + lag * world.gravity
    turn = to_matrix(kept[:-1, :, 9:13].reshape(-1, 4)).reshape(*v.shape, 3)
    inside = np.einsum("knji,knj->kni", turn, spin)
    return (0.5 * np.einsum("n,kni,kni->k", b["mass"], v, v) + 0.5 * np.einsum("kni,nij,knj->k", inside, b["inv_inertia"], inside)
            - np.einsum("n,kni,i->k", b["mass"], kept[:-1, :, :3], world.gravity))


def gained(world: World, trace: Trace, moves: float, smooth: bool = False) -> float:
    """Largest energy above that of the start, relative to the moving energy `moves` [J]; never below 0."""
    total = energy(world, trace, smooth)
    return float(max(0.0, (total - total[0]).max() / moves))


def lost(world: World, trace: Trace, moves: float, smooth: bool = True) -> float:
    """Largest change of the energy either way, relative to the moving energy `moves` [J]."""
    total = energy(world, trace, smooth)
    return float(np.abs(total - total[0]).max() / moves)


def drift(world: World, trace: Trace, moves: float) -> float:
    """Mean energy of the last tenth of the run minus that of the start, relative to the moving energy `moves` [J]."""
    total = energy(world, trace)
    return float((total[-len(total) // 10:].mean() - total[0]) / moves)


def period_of(t: np.ndarray, x: np.ndarray) -> float:
    """Mean time between upward zero crossings [s], by linear interpolation; NaN without two."""
    at = np.flatnonzero((x[:-1] < 0.0) & (x[1:] >= 0.0))
    times = t[at] - x[at] * (t[at + 1] - t[at]) / (x[at + 1] - x[at])
    return float((times[-1] - times[0]) / (len(times) - 1)) if len(times) > 1 else math.nan


# ---- references


def agm(a: float, b: float) -> float:
    """Arithmetic-geometric mean; K(m) = pi / (2 agm(1, sqrt(1 - m)))."""
    for _ in range(60):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


A = ((), (1 / 5,), (3 / 40, 9 / 40), (44 / 45, -56 / 15, 32 / 9), (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
     (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656), (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784,
                                                                       11 / 84))
B = np.array([35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0])
B4 = np.array([5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])


def solve(rate: Callable[[np.ndarray], np.ndarray], start: Sequence[float], times: Sequence[float], tolerance: float = 1e-12
          ) -> np.ndarray:
    """States at increasing times of dy/dt = rate(y), y = start at t = 0."""
    y, t, h, states = np.array(start, float), 0.0, 1e-4, []
    for end in times:
        while t < end:
            h = min(h, end - t)
            k: list[np.ndarray] = []
            for row in A:
                k.append(rate(y + h * sum((a * k[i] for i, a in enumerate(row)), np.zeros_like(y))))
            stages = np.array(k)
            error = float(np.max(np.abs(h * (B - B4) @ stages) / (1.0 + np.abs(y))))
            if error <= tolerance:
                t, y = (end if h >= end - t else t + h), y + h * B @ stages
            h *= min(4.0, max(0.2, 0.9 * (tolerance / max(error, 1e-18)) ** 0.2))
        states.append(y.copy())
    return np.array(states)
