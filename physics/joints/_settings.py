"""Settings of a joint: its friction law and its motors, checked and written to JOINT records.

The fields describe themselves (physics/core/options.py), so that the window can build controls and check values.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics.core.check import BadInput, numbers, shown_value
from physics.core.options import allowed_range, checked, fields, option
from physics.core.records import MAX_FRICTION_CORNERS, Drive

MAX_FORCE = 1e9
"""Largest force or torque of a joint's friction, motor or spring [N] or [N m]; a motor without a bound gets it."""

MODES = {"velocity": Drive.VELOCITY, "position": Drive.POSITION, "spring": Drive.SPRING}

SAME_AS_STATIC = -1.0
"""Kinetic bound that means: equal to the static one."""


@dataclass(frozen=True)
class Friction:
    """Friction law in the free directions of a joint; units are N and m/s for translation, N m and rad/s for rotation.

        F(v) = F_k + (F_s - F_k) exp(-(v / v_s)^2) + mu r R      dry: at rest any force up to F_s
        and viscous, -c v                                         R: reaction of the joint in the last step
    """

    static: float = option(0.0, unit="N or N m", lo=0.0, hi=MAX_FORCE,
                           help="Static friction bound F_s. The joint sticks while the load is below it.")
    kinetic: float = option(SAME_AS_STATIC, unit="N or N m", lo=SAME_AS_STATIC, hi=MAX_FORCE,
                            help="Kinetic friction bound F_k; -1: equal to the static bound.")
    stribeck: float = option(0.0, unit="m/s or rad/s", lo=0.0, hi=1e6,
                             help="Stribeck speed v_s, at which friction has mostly dropped to the kinetic bound; 0: it drops "
                                  "immediately.")
    viscous: float = option(0.0, unit="N s/m or N m s", lo=0.0, hi=MAX_FORCE,
                            help="Viscous friction per unit of speed, in addition to dry friction.")
    load: float = option(0.0, lo=0.0, hi=100.0, help="Coefficient mu: adds mu times the joint reaction to the friction bound.")
    radius: float = option(0.01, unit="m", lo=0.0, hi=100.0,
                           help="Lever arm of the load-dependent friction: radius of the hinge pin or of the ball. Not used for "
                                "sliding axes.")


@dataclass(frozen=True)
class Motor:
    """Drive of one joint axis.

    mode: "velocity" holds the target as a velocity [m/s, rad/s]; "position" moves to it [m, rad], at most at `speed`, and
    holds it; "spring" pulls towards it with stiffness and damping. Each with at most `force` [N, N m].
    """

    mode: str = option("velocity", choices=tuple(MODES), help="Velocity control, position control, or a spring.")
    target: float = option(0.0, unit="m/s, rad/s, m or rad", lo=-1e6, hi=1e6, help="Target velocity or position.")
    force: float = option(MAX_FORCE, unit="N or N m", lo=0.0, hi=MAX_FORCE, help="Maximum force or torque.")
    speed: float = option(1.0, unit="m/s or rad/s", lo=0.0, hi=1e6, help="Maximum speed of a position motor.")
    stiffness: float = option(0.0, unit="N/m or N m/rad", lo=0.0, hi=MAX_FORCE, help="For spring motors.")
    damping: float = option(0.0, unit="N s/m or N m s/rad", lo=0.0, hi=MAX_FORCE, help="For spring motors.")


def check(what: str, setting: Friction | Motor) -> None:
    """Raise BadInput where a field has the wrong type or is out of range."""
    for name, default, allowed in _ranges(type(setting)):
        checked(f"{what}: {name}", getattr(setting, name), default, **allowed)


@functools.cache
def _ranges(kind: type) -> list[tuple[str, Any, dict[str, Any]]]:
    """(name, default, what is allowed) of the fields of Friction or Motor: a driver sets them before each step."""
    return [(f.name, f.default, allowed_range(f)) for f in fields(kind)]


def checked_friction(what: str, law: "Friction | float") -> Friction:
    """Convert a law, or its bound alone, to a checked law."""
    law = law if isinstance(law, Friction) else Friction(static=law)
    check(what, law)
    if -1.0 < law.kinetic < 0.0:
        raise BadInput(f"{what}: kinetic = {law.kinetic!r} must be non-negative (-1: equal to static)")
    if law.kinetic > law.static:
        raise BadInput(f"{what}: kinetic = {law.kinetic:g} exceeds static = {law.static:g}: kinetic friction cannot exceed "
                       "static friction; use viscous for friction that grows with speed")
    return law


def write_friction(joint: np.void, group: int, law: Friction, slides: bool) -> None:
    """Write a checked law to a JOINT record."""
    joint["max_friction"][group], joint["corner_count"] = law.static, 0
    joint["kinetic"][group] = law.static if law.kinetic < 0.0 else law.kinetic
    joint["stribeck"][group], joint["viscous"][group] = law.stribeck, law.viscous
    joint["load_mu"][group], joint["load_radius"][group] = law.load, 1.0 if slides else law.radius


def write_corners(what: str, joint: np.void, kind: Any, corners: Any) -> None:
    """Write a polygon as the dry friction of the first two directions of a JOINT record of that JointKind, in place of their
    laws; None: none.

    Raises:
        BadInput: the kind has no two such directions, or the corners are not those of a convex polygon around 0.
    """
    joint["corner_count"], joint["corners"] = 0, 0.0
    if corners is None:
        return
    ends = np.cumsum([len(group.rows) for group in kind.friction])
    if 2 not in ends:
        raise BadInput(f"{what} has no two directions of friction for a polygon: cylindrical, universal and planar joints and "
                       "rods have")
    given, corners = corners, numbers(corners)
    if (corners is None or corners.ndim != 2 or corners.shape[1] != 2 or not 3 <= len(corners) <= MAX_FRICTION_CORNERS
            or not np.abs(corners).max() <= MAX_FORCE or not _surrounds_zero(corners)):
        raise BadInput(f"{what}: the friction polygon {shown_value(given)} must have 3 to {MAX_FRICTION_CORNERS} corners, "
                       "pairs of numbers, in order around a convex polygon with 0 inside")
    joint["corners"][: len(corners)], first = corners, 0
    for g, end in enumerate(ends[: int(np.flatnonzero(ends == 2)[0]) + 1].tolist()):
        reach = float(np.hypot(*corners[:, first:end].T).max()) if end - first == 2 else float(np.abs(corners[:, first]).max())
        write_friction(joint, g, Friction(reach), kind.friction[g].unit == "N")
        first = end
    joint["corner_count"] = len(corners)


def _surrounds_zero(corners: np.ndarray) -> bool:
    """Whether corners (m, 2) are those of a convex polygon, in order, with 0 inside."""
    side = np.roll(corners, -1, axis=0) - corners
    after = np.roll(side, -1, axis=0)
    turned = np.arctan2(_cross(side, after), (side * after).sum(axis=1))
    way = np.sign(turned.sum())
    return bool((way * turned > 0.0).all() and abs(turned.sum()) < 3.0 * math.pi and (way * _cross(corners, side) > 0.0).all())


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cross products of vectors of the plane (m, 2)."""
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def friction_of(joint: np.void, group: int) -> Friction:
    """Friction law of a JOINT record."""
    return Friction(*(float(joint[name][group]) for name in
                      ("max_friction", "kinetic", "stribeck", "viscous", "load_mu", "load_radius")))


def checked_motor(what: str, motor: Motor) -> tuple[Motor, str]:
    """(motor, warning or ""): checked, an infinite force replaced by the largest allowed."""
    warning = ""
    if not isinstance(motor, Motor):
        raise BadInput(f"{what} = {shown_value(motor)} must be a Motor")
    if isinstance(motor.force, float) and motor.force == math.inf:
        motor = Motor(motor.mode, motor.target, MAX_FORCE, motor.speed, motor.stiffness, motor.damping)
        warning = f"{what}: the motor force must be finite; inf is replaced by {MAX_FORCE:g}"
    check(what, motor)
    return motor, warning


def write_motor(joint: np.void, axis: int, motor: Motor | None) -> None:
    """Write a checked motor to a JOINT record; None: no motor."""
    joint["motor_mode"][axis] = Drive.OFF if motor is None else MODES[motor.mode]
    if motor is not None:
        for name in ("target", "force", "speed", "stiffness", "damping"):
            joint[f"motor_{name}"][axis] = getattr(motor, name)


def motor_of(joint: np.void, axis: int) -> Motor | None:
    """Motor of a JOINT record."""
    for name, mode in MODES.items():
        if joint["motor_mode"][axis] == mode:
            return Motor(name, *(float(joint[f"motor_{f}"][axis]) for f in ("target", "force", "speed", "stiffness", "damping")))
    return None
