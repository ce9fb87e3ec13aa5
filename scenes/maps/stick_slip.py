"""Stick and slip with viscous friction in the bearing: beyond some speed of the table the arm slips for good.

It lets go at k theta = F_s, at the table's speed Omega. While it slips, against the rest position theta_r = (F_k + c Omega) / k,

    I u'' + c u' + k u = 0,    u(0) = (F_s - F_k - c Omega) / k,    u'(0) = Omega                                    (1)

It sticks again if u' comes back to Omega, as it does at the next maximum of u' if that is larger: u'' = 0 there, (2), and the
border is where the maximum is Omega (solved by bisection in c).
"""

import math
from collections.abc import Sequence

import numpy as np

from physics import World
from scenes.maps import MapAxis, PhaseMap, line
from scenes.stick_slip import INERTIA, STIFFNESS, Parameters


def classify(world: World, parameters: Parameters) -> str:
    """By the size of the swing about the rest position, as a speed: at least Omega if it sticks again, decaying if it slips."""
    arm = world.bodies[world.body("arm")]
    angle = 2.0 * math.atan2(arm["quat"][3], arm["quat"][0])
    rest = (min(parameters.kinetic, parameters.static) + parameters.viscous * parameters.speed) / STIFFNESS
    swing = math.hypot(arm["omega"][2], math.sqrt(STIFFNESS / INERTIA) * (angle - rest))
    return "stick-slip" if swing > 0.8 * parameters.speed else "slides"


def next_speed(parameters: Parameters, viscous: float) -> float:
    """Largest u' of the swing after the arm has let go, by (1) and (2) [rad/s]."""
    damping, omega0 = viscous / (2.0 * INERTIA), math.sqrt(STIFFNESS / INERTIA)
    if damping >= omega0:
        return 0.0
    omega = math.sqrt(omega0**2 - damping**2)
    u0 = (parameters.static - parameters.kinetic - viscous * parameters.speed) / STIFFNESS
    # u' = exp(-d t) (a cos + b sin);  u'' = 0 at tan(omega t) = (b omega - a d) / (a omega + b d)
    a, b = parameters.speed, -(omega0**2 * u0 + damping * parameters.speed) / omega
    first = math.atan2(b * omega - a * damping, a * omega + b * damping)
    times = [(first + n * math.pi) / omega for n in range(4)]
    speeds = [math.exp(-damping * t) * (a * math.cos(omega * t) + b * math.sin(omega * t)) for t in times if t > 1e-9]
    return max(speeds)


def border(parameters: Parameters, speed: np.ndarray) -> Sequence[np.ndarray]:
    """The viscous friction at which the swing just comes back to the table's speed."""
    found = []
    for value in speed:
        one = Parameters(speed=float(value), static=parameters.static, kinetic=min(parameters.kinetic, parameters.static))
        lo, hi = 0.0, 2.0 * math.sqrt(STIFFNESS * INERTIA)
        for _ in range(50):
            middle = 0.5 * (lo + hi)
            lo, hi = (middle, hi) if next_speed(one, middle) > value else (lo, middle)
        found.append(0.5 * (lo + hi))
    return (line(speed, np.array(found)),)


MAP = PhaseMap(
    title="Stick-slip or sliding", scene="stick_slip", x=MapAxis("speed", 0.4, 2.0), y=MapAxis("viscous", 0.0, 0.4),
    classes=("stick-slip", "slides"), classify=classify, border=border,
    law=r"\max \dot u = \Omega, \quad I \ddot u + c\,\dot u + k\,u = 0, \quad k\,u_0 = F_s - F_k - c\,\Omega,"
        r" \; \dot u_0 = \Omega",
    law_text="max u' = Omega,   I u'' + c u' + k u = 0,   k u(0) = F_s - F_k - c Omega,   u'(0) = Omega",
    source="ST96 3.5: dry friction in joints; the swing in closed form", seconds=5.0)
