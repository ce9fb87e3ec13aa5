"""From what the last step began, so that forces can be set against the motion that they made: m (v1 - v0) = h sum f."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Beginning:
    """Never changed once it is made. Tables have a row for each body.

    motion: as `measure.keep_motion` writes it. force, torque: applied in the step, on average [N], [N m]. dt: the step [s].
    """

    motion: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    dt: float

    @property
    def pos(self) -> np.ndarray:
        """Centres of mass [m], (n, 3)."""
        return self.motion[:, :3]

    @property
    def quat(self) -> np.ndarray:
        return self.motion[:, 3:7]

    @property
    def velocity(self) -> np.ndarray:
        """[m/s], (n, 3)."""
        return self.motion[:, 7:10]

    @property
    def omega(self) -> np.ndarray:
        """[rad/s], (n, 3)."""
        return self.motion[:, 10:13]

    @property
    def since(self) -> np.ndarray:
        """By how much a body's velocity lagged behind its pose [s] (integrate.py)."""
        return self.motion[:, 13]
