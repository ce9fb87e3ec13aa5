"""A particle's step in a potential (ST96 eq 20), a problem of two unknowns: convex ones take energy, concave ones give it.

    m (v1 - v0) = -h grad V(q1) + h w,   q1 = q0 + h/2 (v0 + v1),   0 <= q1 _|_ w >= 0                (1)

ST96 has no walls, w = 0; here the axes x = 0 and y = 0 are walls, with the forces w. Without v1 the place q1 = (x, y) is left:

    0 <= z _|_ w = M z + q >= 0,   M = K + 2 m/h^2 E,   q = -K c - 2 m/h^2 (q0 + h v0)               (2)
    V(q) = 1/2 (q - c)' K (q - c),   Phi(q) = V(q) + m/h^2 |q - q0 - h v0|^2,   grad Phi(z) = M z + q   (3)

for K = diag(k): z is a stationary point of Phi over the quadrant, the least one while M is positive definite. With D(q0, q1) =
V(q0) - V(q1) - grad V(q1).(q0 - q1), the height of V above its tangent plane at q1, the energy E = m/2 v.v + V changes by

    E1 - E0 = -D(q0, q1) - w.q0                                                                     (4)

D >= 0 for all steps if and only if V is convex, D <= 0 if and only if it is concave (ST96 3.3); a wall only takes.
"""

from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import product
from typing import Self

import numpy as np

from physics.complementarity import copositive, lemke
from physics.complementarity.problem import Status

CENTRE = np.array([1.0, 1.0])
"""c of (3) [m]."""

EXTENT = 2.5
"""A run ends where the particle is farther than this from a wall [m]."""


class Curvature(Enum):
    """Of a potential; a constant one, which changes no energy, counts as convex."""

    CONVEX = auto()
    CONCAVE = auto()
    NEITHER = auto()


@dataclass(frozen=True)
class PotentialStep:
    """The problem (2). stiffness: (2,) k [N/m]; h [s]; pos, vel: (2,) q0 [m] and v0 [m/s]; mass [kg]."""

    stiffness: np.ndarray
    h: float
    pos: np.ndarray
    vel: np.ndarray
    mass: float = 1.0

    @property
    def matrix(self) -> np.ndarray:
        """M (2, 2) of (2) [N/m]."""
        return np.diag(self.stiffness + 2.0 * self.mass / self.h**2)

    @property
    def vector(self) -> np.ndarray:
        """q (2,) of (2) [N]."""
        return -self.stiffness * CENTRE - 2.0 * self.mass / self.h**2 * (self.pos + self.h * self.vel)

    @property
    def curvature(self) -> Curvature:
        if (self.stiffness >= 0.0).all():
            return Curvature.CONVEX
        return Curvature.CONCAVE if (self.stiffness <= 0.0).all() else Curvature.NEITHER

    @property
    def energy(self) -> float:
        """E at the start of the step [J]."""
        return float(0.5 * self.mass * self.vel @ self.vel + self.potential(self.pos))

    def potential(self, at: np.ndarray) -> np.ndarray:
        """V (...) [J] at places (..., 2) [m]."""
        return 0.5 * (self.stiffness * (at - CENTRE) ** 2).sum(axis=-1)

    def step_potential(self, at: np.ndarray) -> np.ndarray:
        """Phi (...) of (3) [J] at places (..., 2) [m]."""
        free = self.pos + self.h * self.vel
        return self.potential(at) + self.mass / self.h**2 * ((at - free) ** 2).sum(axis=-1)

    def copositivity(self) -> copositive.Copositivity:
        """Whether M is copositive, so that (2) has a solution for every q."""
        return copositive.judge(self.matrix, self.vector)

    def solve(self) -> np.ndarray | None:
        """q1 (2,) [m] by Lemke's algorithm; None if it ends on a ray."""
        found = lemke.solve(self.matrix, self.vector)
        return found.z if found.status is Status.SOLVED else None

    def solutions(self) -> list[np.ndarray]:
        """All solutions of (2), by trying which of the two walls act; none where a diagonal entry of M is zero."""
        M, q, found = self.matrix, self.vector, []
        for free in product((True, False), repeat=2):
            z = np.zeros(2)
            for i in np.flatnonzero(free):
                z[i] = -q[i] / M[i, i] if M[i, i] else np.nan
            noise = 1e-12 * max(1.0, float(np.abs(q).max()))
            if (z >= 0.0).all() and (M @ z + q >= -noise).all() and not any(np.allclose(z, one) for one in found):
                found.append(z)
        return found

    def bregman(self, end: np.ndarray) -> float:
        """D(q0, q1) of (4) [J]."""
        slope = self.stiffness * (end - CENTRE)
        return float(self.potential(self.pos) - self.potential(end) - slope @ (self.pos - end))

    def wall_loss(self, end: np.ndarray) -> float:
        """w.q0 of (4) [J]: what the walls take."""
        return float((self.matrix @ end + self.vector) @ self.pos)

    def next(self, end: np.ndarray) -> Self:
        """The problem of the step after this one, which ended at q1 (2,) [m]."""
        return replace(self, pos=end, vel=2.0 * (end - self.pos) / self.h - self.vel)


def run(first: PotentialStep, count: int) -> list[PotentialStep]:
    """Problems of up to `count` steps, and of the one after them; fewer if one is unsolvable or the particle leaves."""
    steps = [first]
    while len(steps) <= count and (end := steps[-1].solve()) is not None:
        steps.append(steps[-1].next(end))
        if (end > EXTENT).any():
            break
    return steps
