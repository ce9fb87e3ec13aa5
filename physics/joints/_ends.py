"""Preparation of joints between two points."""

from collections.abc import Callable
from typing import Any

import numpy as np

from physics.core.quaternions import rotate
from physics.core.records import Drive

_SHORTEST = 1e-3


def distance(field: str) -> Callable[[np.record, Any, Any], None]:
    """A `prepare` that sets the first number of a field of JOINT to the distance of the anchors [m] where it is not given."""
    def prepare(record: np.record, a: Any, b: Any) -> None:
        if np.isnan(record[field][0]):
            record[field][0] = max(_SHORTEST, float(np.linalg.norm(
                b["pos"] + rotate(b["quat"], record["anchor_b"]) - a["pos"] - rotate(a["quat"], record["anchor_a"]))))
    return prepare


def sprung(record: np.record, a: Any, b: Any) -> None:
    """A `prepare` for springs between two points: rest length and the spring as the motor of the first axis."""
    distance("motor_target")(record, a, b)
    record["motor_mode"][0] = Drive.SPRING
