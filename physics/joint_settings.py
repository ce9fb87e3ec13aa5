"""What a person says of a joint: its law of friction and its motors, checked, and written into JOINT records.

The fields describe themselves (physics/options.py), so that the window can draw controls and check values.
"""

import math
from dataclasses import dataclass

import numpy as np

from physics.check import said
from physics.core.records import Drive
from physics.errors import BadInput
from physics.options import checked, fields, option

MOST = 1e9
"""Largest force or torque of a joint's friction, motor or spring [N] or [N m]; a motor without a bound gets it."""

MODES = {"velocity": Drive.VELOCITY, "position": Drive.POSITION, "spring": Drive.SPRING}

SAME = -1.0
"""Kinetic bound that means: the same as the static one."""


@dataclass(frozen=True)
class Friction:
    """A law of friction in the free directions of a joint; units are N and m/s, or N m and rad/s for what turns.

        F(v) = F_k + (F_s - F_k) exp(-(v / v_s)^2) + mu r R      dry: at rest any force up to F_s
        and viscous, -c v                                         R: reaction of the joint in the last step
    """

    static: float = option(0.0, unit="N or N m", lo=0.0, hi=MOST, help="Largest friction F_s at rest. Below it nothing moves.")
    kinetic: float = option(SAME, unit="N or N m", lo=SAME, hi=MOST,
                            help="Friction F_k at speed; -1: the same as the static one.")
    stribeck: float = option(0.0, unit="m/s or rad/s", lo=0.0, hi=1e6,
                             help="Speed v_s at which friction has mostly fallen to the kinetic one; 0: it falls at once.")
    viscous: float = option(0.0, unit="N s/m or N m s", lo=0.0, hi=MOST, help="Friction for each unit of speed, besides the dry.")
    load: float = option(0.0, lo=0.0, hi=100.0, help="Share mu of the joint's reaction that is added to the bound.")
    radius: float = option(0.01, unit="m", lo=0.0, hi=100.0,
                           help="Lever at which that share acts: of the pin in a hinge, of the ball. Sliding needs none.")


@dataclass(frozen=True)
class Motor:
    """What drives one axis of a joint.

    mode: "velocity" holds the target as a velocity [m/s, rad/s]; "position" goes there [m, rad], at most at `speed`, and
    stays; "spring" pulls there with stiffness and damping. Each with at most `force` [N, N m].
    """

    mode: str = option("velocity", choices=tuple(MODES), help="Holds a velocity, goes to a position, or pulls as a spring.")
    target: float = option(0.0, unit="m/s, rad/s, m or rad", lo=-1e6, hi=1e6, help="The velocity, or the position.")
    force: float = option(MOST, unit="N or N m", lo=0.0, hi=MOST, help="Largest force or torque.")
    speed: float = option(1.0, unit="m/s or rad/s", lo=0.0, hi=1e6, help="Largest speed of a position motor.")
    stiffness: float = option(0.0, unit="N/m or N m/rad", lo=0.0, hi=MOST, help="Of a spring.")
    damping: float = option(0.0, unit="N s/m or N m s/rad", lo=0.0, hi=MOST, help="Of a spring.")


def check(what: str, setting: Friction | Motor) -> None:
    """BadInput where a field has the wrong type or is out of range."""
    for f in fields(setting):
        allowed = {key: f.metadata[key] for key in ("unit", "lo", "hi", "choices")}
        checked(f"{what}: {f.name}", getattr(setting, f.name), f.default, **allowed)


def as_friction(what: str, law: "Friction | float") -> Friction:
    """A law from a law or from its bound alone; checked."""
    law = law if isinstance(law, Friction) else Friction(static=law)
    check(what, law)
    if -1.0 < law.kinetic < 0.0:
        raise BadInput(f"{what}: kinetic = {law.kinetic!r} must not be negative (-1: the same as static)")
    if law.kinetic > law.static:
        raise BadInput(f"{what}: kinetic = {law.kinetic:g} is more than static = {law.static:g}: friction at speed cannot exceed "
                       "that at rest; what grows with speed is viscous")
    return law


def write_friction(joint: np.void, group: int, law: Friction, slides: bool) -> None:
    """Write a checked law into a JOINT record."""
    joint["max_friction"][group] = law.static
    joint["kinetic"][group] = law.static if law.kinetic < 0.0 else law.kinetic
    joint["stribeck"][group], joint["viscous"][group] = law.stribeck, law.viscous
    joint["load_mu"][group], joint["load_radius"][group] = law.load, 1.0 if slides else law.radius


def friction_of(joint: np.void, group: int) -> Friction:
    """The law that a JOINT record holds."""
    return Friction(*(float(joint[name][group]) for name in
                      ("max_friction", "kinetic", "stribeck", "viscous", "load_mu", "load_radius")))


def as_motor(what: str, motor: Motor) -> tuple[Motor, str]:
    """(motor, warning or ""): checked, an infinite force brought to the largest that there is."""
    warning = ""
    if not isinstance(motor, Motor):
        raise BadInput(f"{what} = {said(motor)} must be a Motor")
    if isinstance(motor.force, float) and motor.force == math.inf:
        motor = Motor(motor.mode, motor.target, MOST, motor.speed, motor.stiffness, motor.damping)
        warning = f"{what}: a motor's force has a bound; inf is taken as {MOST:g}"
    check(what, motor)
    return motor, warning


def write_motor(joint: np.void, axis: int, motor: Motor | None) -> None:
    """Write a checked motor into a JOINT record; None: no motor."""
    joint["motor_mode"][axis] = Drive.OFF if motor is None else MODES[motor.mode]
    if motor is not None:
        for name in ("target", "force", "speed", "stiffness", "damping"):
            joint[f"motor_{name}"][axis] = getattr(motor, name)


def motor_of(joint: np.void, axis: int) -> Motor | None:
    """The motor that a JOINT record holds."""
    for name, mode in MODES.items():
        if joint["motor_mode"][axis] == mode:
            return Motor(name, *(float(joint[f"motor_{f}"][axis]) for f in ("target", "force", "speed", "stiffness", "damping")))
    return None
