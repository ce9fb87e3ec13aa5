"""Within one sweep over joints that are solved one after the other: each block in turn, what it was, would be, may be.

Computed again in plain numbers, from the rows that the solver has (physics/solvers/_sweep.py). With A = J M^-1 J^T + softness,
w = J V + softness p - target, C the error, and (rate, scale) those of a soft sweep, else (0, 1):

    constraint   p' = scale (p - A^-1 (w + rate C))                                                                        (1)
    limit        p' = max(0, scale (p - (w + rate min(C, 0)) / A))                                                         (2)
    motor        p' = p - w / A, brought into lower .. upper                                                               (3)
    friction     p* = p - A^-1 w; ||p*|| <= limit: p' = p*; else p' = the part that is kept of p - w / (largest sum of A)  (4)
"""

from dataclasses import dataclass

import numpy as np

from app.insight.sweeps import Chain
from physics.core.records import Bound, Role

ROLES = {int(Role.CONSTRAINT): "constraint", int(Role.FRICTION): "friction", int(Role.LOWER): "lower limit",
         int(Role.UPPER): "upper limit", int(Role.MOTOR): "motor"}


@dataclass(frozen=True)
class Visit:
    """One block of a joint in a sweep. role: as in ROLES; before, wanted, after: impulses of its rows, (m,) [N s] or [N m s];
    wanted knows no bound; bound: the most that friction or a motor can have, NaN where there is no such."""

    joint: int
    role: int
    before: np.ndarray
    wanted: np.ndarray
    after: np.ndarray
    bound: float

    @property
    def bounded(self) -> bool:
        """Whether it would have left its bound."""
        return bool(np.any(self.after != self.wanted))


def effects(chain: Chain, velocity: np.ndarray, impulses: np.ndarray) -> None:
    """V += M^-1 J^T p of all rows; impulses (rows,)."""
    for block in chain.blocks:
        for i in range(block["first"], block["first"] + block["count"]):
            _apply(chain.rows[i], block, velocity, impulses[i])


def walk(chain: Chain, before: np.ndarray, velocity: np.ndarray, rate: float, scale: float, radial: bool) -> tuple[Visit, ...]:
    """The visits of all blocks in order. before: (rows,); velocity (bodies, 6) goes on with them."""
    found = []
    for block in chain.blocks:
        rows = chain.rows[block["first"] : block["first"] + block["count"]]
        p = before[block["first"] : block["first"] + block["count"]]
        wanted, after, bound = _solve(block, rows, p, velocity, rate, scale, radial)
        for row, change in zip(rows, after - p):
            _apply(row, block, velocity, change)
        found.append(Visit(int(block["index"]), int(block["role"]), p, wanted, after, bound))
    return tuple(found)


def _solve(block: np.void, rows: np.ndarray, p: np.ndarray, velocity: np.ndarray, rate: float, scale: float,
           radial: bool) -> tuple[np.ndarray, np.ndarray, float]:
    """(wanted, after, bound) of a block."""
    A = _matrix(block, rows)
    va, vb = velocity[block["a"]], velocity[block["b"]]
    w = (rows["lin_a"] @ va[:3] + rows["ang_a"] @ va[3:] + rows["lin_b"] @ vb[:3] + rows["ang_b"] @ vb[3:]
         + rows["softness"] * p - rows["target"])
    if block["bound"] == Bound.EQUALITY:
        wanted = scale * (p - np.linalg.solve(A, w + rate * rows["offset"]))
        return wanted, wanted, np.nan
    if block["bound"] == Bound.ONE_SIDED:
        wanted = scale * (p - (w + rate * np.minimum(rows["offset"], 0.0)) / A[0])
        return wanted, np.maximum(wanted, 0.0), np.nan
    wanted = p - np.linalg.solve(A, w)
    if block["bound"] == Bound.INTERVAL:
        return wanted, np.clip(wanted, block["lower"], block["upper"]), float(block["upper"])
    limit = float(block["limit"])
    if np.linalg.norm(wanted) <= limit:
        return wanted, wanted, limit
    moved = wanted if radial else p - block["rate"] * w
    return wanted, _kept(block, float(np.linalg.norm(moved))) * moved, limit


def _kept(block: np.void, size: float) -> float:
    """Share of a friction of that size that is kept (physics/friction.py)."""
    limit, viscous, rate = (float(block[name]) for name in ("limit", "viscous", "rate"))
    if size <= limit:
        return 1.0
    return (viscous * size + rate * limit) / ((viscous + rate) * size)


def _matrix(block: np.void, rows: np.ndarray) -> np.ndarray:
    return (block["inv_mass_a"] * rows["lin_a"] @ rows["lin_a"].T + block["inv_mass_b"] * rows["lin_b"] @ rows["lin_b"].T
            + rows["spin_a"] @ rows["ang_a"].T + rows["spin_b"] @ rows["ang_b"].T + np.diag(rows["softness"]))


def _apply(row: np.void, block: np.void, velocity: np.ndarray, impulse: float) -> None:
    for side in "ab":
        body = block[side]
        velocity[body, :3] += block[f"inv_mass_{side}"] * row[f"lin_{side}"] * impulse
        velocity[body, 3:] += row[f"spin_{side}"] * impulse
