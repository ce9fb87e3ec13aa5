"""Compound: several shapes on one body.

With V_i, c_i, R_i the volume, centre and orientation of part i in the compound's own frame, of one density:

    m_i = m V_i / sum V            c = sum m_i c_i / m
    I   = sum R_i I_i R_i^T + m_i (|d_i|^2 1 - d_i d_i^T),   d_i = c_i - c         (parallel axes)

Exact for parts that do not overlap; where they do, the common part counts twice.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from physics.core.check import BadInput, shown_value, unit_quaternion, vector
from physics.core.quaternions import product, rotate, to_matrix
from physics.shapes import Shape

_ONE = np.array([1.0, 0.0, 0.0, 0.0])


class Part(NamedTuple):
    """One shape of a compound. pos: its centre [m]; quat: its orientation (w, x, y, z); both in the compound's own frame."""

    shape: Shape
    pos: np.ndarray
    quat: np.ndarray


class Compound:
    """Shapes glued together: `Compound((shape, pos, quat), ...)`; quat may be omitted, parts may be compounds themselves.

    The pose given to `World.add_body` is that of the compound's own frame. The frame of a dynamic body is at its centre of
    mass, as always: its pos becomes pos + R c, and joints, forces and `set_pose` refer to that. Static and kinematic bodies
    keep the compound's own frame.

    Raises:
        BadInput: no parts, or a part that is not (shape, pos) or (shape, pos, quat).
    """

    kind = "compound"

    def __init__(self, *parts: Sequence[Any]) -> None:
        if not parts:
            raise BadInput("a compound needs at least one part (shape, pos, quat)")
        flat: list[Part] = []
        for i, given in enumerate(parts):
            if not isinstance(given, tuple | list) or len(given) not in (2, 3) or isinstance(given[0], type) \
                    or not isinstance(getattr(given[0], "kind", None), str):
                raise BadInput(f"part {i} of the compound is {shown_value(given)}: it must be (shape, pos) or (shape, pos, quat)")
            pos = vector(f"part {i} of the compound: pos", given[1])
            quat = unit_quaternion(f"part {i} of the compound: quat", given[2] if len(given) == 3 else (1.0, 0.0, 0.0, 0.0))
            inner = given[0].parts if isinstance(given[0], Compound) else (_only(given[0]),)
            flat += [Part(p.shape, pos + rotate(quat, p.pos), product(quat, p.quat)) for p in inner]
        self.parts = tuple(flat)

    def volume(self) -> float:
        """Sum of the parts' volumes [m^3]; inf if one is endless or has none."""
        return math.fsum(p.shape.volume() for p in self.parts)

    def centre(self) -> np.ndarray:
        """Centre of mass, own frame, shape (3,) [m]."""
        volumes = np.array([p.shape.volume() for p in self.parts])
        return volumes @ np.array([p.pos for p in self.parts]) / volumes.sum()

    def inertia(self, mass: float) -> np.ndarray:
        """Tensor about the centre of mass along the axes of the own frame, shape (3, 3) [kg m^2]."""
        total, centre, volume = np.zeros((3, 3)), self.centre(), self.volume()
        for p in self.parts:
            part = mass * p.shape.volume() / volume
            own = np.asarray(p.shape.inertia(part), float)
            turn, d = to_matrix(p.quat), p.pos - centre
            total += turn @ (np.diag(own) if own.ndim == 1 else own) @ turn.T + part * (d @ d * np.eye(3) - np.outer(d, d))
        return 0.5 * (total + total.T)


def parts_of(shape: Any) -> tuple[Part, ...]:
    """The parts of a compound; any other shape is its own only part, at its `middle` if it has one; None has none."""
    if shape is None:
        return ()
    return shape.parts if isinstance(shape, Compound) else (_only(shape),)


def _only(shape: Shape) -> Part:
    return Part(shape, getattr(shape, "middle", np.zeros(3)), _ONE)
