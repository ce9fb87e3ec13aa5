"""Replay of one sweep over joints that are solved one after the other: impulses before, wanted and after, for each block.

Recomputed in plain NumPy from the solver's rows (physics/solvers/impulses/row_sweeps.py). With A = J M^-1 J^T
+ softness, w = J V + softness p - target, C the error, and (rate, scale) those of a soft sweep, else (0, 1):

    constraint   p' = scale (p - A^-1 (w + rate C))                                                                        (1)
    limit        p' = max(0, scale (p - (w + rate min(C, 0)) / A))                                                         (2)
    motor        p' = p - w / A, clamped to lower .. upper                                                                 (3)
    friction     p* = p - A^-1 w; ||p*|| <= limit: p' = p*; else p' = the part that is kept of p - w / (largest sum of A)  (4)
"""

from dataclasses import dataclass

import numpy as np

from app.analysis.microscope.sweeps import SweepSequence
from physics.contact.laws import loss_factor
from physics.core.records import Bound, Role

ROLES = {Role.CONSTRAINT: "constraint", Role.FRICTION: "friction", Role.LOWER: "lower limit",
         Role.UPPER: "upper limit", Role.MOTOR: "motor"}


@dataclass(frozen=True)
class BlockUpdate:
    """One block of a joint in a sweep. role: as in ROLES; before, wanted, after: impulses of its rows, (m,) [N s] or [N m s];
    wanted: without bound; bound: the limit of friction or a motor, NaN for others."""

    joint: int
    role: int
    before: np.ndarray
    wanted: np.ndarray
    after: np.ndarray
    bound: float

    @property
    def bounded(self) -> bool:
        """Whether the bound was active."""
        return bool(np.any(self.after != self.wanted))


def effects(chain: SweepSequence, sweep: int, velocity: np.ndarray, impulses: np.ndarray) -> None:
    """V += M^-1 J^T p of all rows of a sweep; impulses (rows,)."""
    for block in chain.blocks[sweep]:
        for i in range(block["first"], block["first"] + block["count"]):
            _apply(chain.rows[sweep, i], block, velocity, impulses[i])


def replay_sweep(chain: SweepSequence, sweep: int, velocity: np.ndarray, rate: float, scale: float,
                 radial: bool) -> tuple[BlockUpdate, ...]:
    """Visit all blocks in order, with the impulses after the sweep before. velocity (bodies, 6): updated in place."""
    found, before = [], chain.rows["impulse"][sweep - 1]
    for block in chain.blocks[sweep]:
        rows = chain.rows[sweep, block["first"] : block["first"] + block["count"]]
        p = before[block["first"] : block["first"] + block["count"]]
        wanted, after, bound = _solve(block, rows, p, velocity, rate, scale, radial)
        for row, change in zip(rows, after - p):
            _apply(row, block, velocity, change)
        found.append(BlockUpdate(int(block["index"]), int(block["role"]), p, wanted, after, bound))
    return tuple(found)


def _solve(block: np.void, rows: np.ndarray, p: np.ndarray, velocity: np.ndarray, rate: float, scale: float,
           radial: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """(wanted, after, bound) of a block."""
    A = _matrix(block, rows)
    va, vb = velocity[block["a"]], velocity[block["b"]]
    w = (rows["lin_a"] @ va[:3] + rows["ang_a"] @ va[3:] + rows["lin_b"] @ vb[:3] + rows["ang_b"] @ vb[3:]
         + rows["softness"] * p - rows["target"])
    if block["bound"] == Bound.EQUALITY:
        wanted = scale * (p - np.linalg.solve(A, w + rate * rows["position_error"]))
        return wanted, wanted, np.nan
    if block["bound"] == Bound.ONE_SIDED:
        wanted = scale * (p - (w + rate * np.minimum(rows["position_error"], 0.0)) / A[0])
        return wanted, np.maximum(wanted, 0.0), np.nan
    wanted = p - np.linalg.solve(A, w)
    if block["bound"] == Bound.INTERVAL:
        return wanted, np.clip(wanted, block["lower"], block["upper"]), float(block["upper"])
    limit = float(block["limit"])
    if np.linalg.norm(wanted) <= limit:
        return wanted, wanted, limit
    moved = wanted if radial else p - block["gradient_step"] * w
    return wanted, loss_factor(limit, block["viscous"], block["gradient_step"], np.linalg.norm(moved)) * moved, limit


def _matrix(block: np.void, rows: np.ndarray) -> np.ndarray:
    return (block["inv_mass_a"] * rows["lin_a"] @ rows["lin_a"].T + block["inv_mass_b"] * rows["lin_b"] @ rows["lin_b"].T
            + rows["spin_a"] @ rows["ang_a"].T + rows["spin_b"] @ rows["ang_b"].T + np.diag(rows["softness"]))


def _apply(row: np.void, block: np.void, velocity: np.ndarray, impulse: float) -> None:
    for side in "ab":
        body = block[side]
        velocity[body, :3] += block[f"inv_mass_{side}"] * row[f"lin_{side}"] * impulse
        velocity[body, 3:] += row[f"spin_{side}"] * impulse
