"""Joints that a step has torn open: the solver raises, and the step is tried in shorter pieces (stepping/rejection.py).

    opened = (|C(q1)| - |C(q0)|) / r,    r the longer arm of the joint                                         (1)
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from physics.core.check import Diverged

TORN = 0.05
"""A joint that opens by more than this in a step, (1), is torn: what its bodies do from there on means nothing."""

CENTRED = 1e-9
"""Arms below this are rounded zeros [m]: wheels held at their centres."""


def most_opened(world: Any, before: np.ndarray) -> tuple[int, float]:
    """(joint, (1)) of the joint that has opened most since the errors `before`; (-1, 0) without joints. Errors must be up to
    date."""
    joints = world.joints
    arms = np.maximum(np.linalg.norm(joints["anchor_a"], axis=1), np.linalg.norm(joints["anchor_b"], axis=1))
    held = (joints["kind"] >= 0) & (arms > CENTRED)
    opened = np.where(held, (joints["error"] - before) / np.where(held, arms, 1.0), 0.0)
    worst = int(opened.argmax()) if len(opened) else -1
    return worst, float(opened[worst]) if worst >= 0 else 0.0


def raise_if_torn(world: Any, before: np.ndarray, sentence: Callable[[str, float], str]) -> tuple[int, float]:
    """`most_opened` since the errors `before`. sentence: the warning, from the joint's name and its error [m] or [rad].

    Raises:
        Diverged: that joint is torn.
    """
    worst, opened = most_opened(world, before)
    if opened > TORN:
        raise Diverged(sentence(world.joint_names[worst], world.joints["error"][worst]), int(world.joints["body_b"][worst]))
    return worst, opened
