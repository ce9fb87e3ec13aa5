"""Winding up and letting go: why things squeal."""

import math

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, predicted
from scenes.stick_slip import INERTIA, SCENE, STIFFNESS, Parameters, peaks


def sticking(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Time of one stick [s], from the share of the time that the arm turns with the table."""
    found = peaks(trace)
    if len(found) < 3:
        return None
    within = (trace["time"] >= found[0]) & (trace["time"] < found[-1])
    share = np.mean(np.abs(trace["joint:spring.rate"][within] - parameters.speed) < 1e-6)
    return float(share * (found[-1] - found[0]) / (len(found) - 1))


def calm(world: World, trace: Trace, parameters: Parameters) -> bool:
    late = trace["time"] > trace["time"][-1] - 2.0
    swing = np.ptp(trace["joint:spring.angle"][late])
    return bool(trace["time"][-1] > 8.0 and swing < 0.02 and parameters.speed >= 0.5 and parameters.static >= 1.2)


LESSON = Lesson(
    steps=(
        Step("Run the scene. The arm turns with the table until the spring torque reaches static friction.",
             lambda world, trace, p: len(peaks(trace)) >= 1),
        Step("Watch three cycles. Each is like the one before: the table's motor supplies the energy.",
             lambda world, trace, p: len(peaks(trace)) >= 3),
        Step("See in the friction plot that friction jumps at break-away, from the static to the kinetic bound.",
             lambda world, trace, p: len(peaks(trace)) >= 1, PLOT),
        Step("Make both bounds equal. The arm winds up once and then slips steadily, with the spring at $F_k/k$.",
             lambda world, trace, p: p.kinetic >= p.static and trace["time"][-1] > 2.0, Action("Equal bounds", "set", "kinetic",
             1.2)),
    ),
    exercises=(
        Exercise("The spring has a stiffness of 2 N m/rad, and the bearing has a friction of {static} N m at rest and {kinetic} "
                 "N m while it slips. How long does the arm stick in each cycle on a table that turns at {speed} rad/s?",
                 "The slip ends as far below the kinetic angle as it began above it. Winding up the spring again takes $2 (F_s - "
                 "F_k)/(k \\Omega)$.",
                 ("At which angle does the arm break away, and about which angle does it then oscillate?",
                  "The swing ends as far on the other side as it began."),
                 lambda p: 2.0 * (p.static - p.kinetic) / (STIFFNESS * p.speed), sticking, "s", 0.04,
                 mistakes=(Mistake(lambda p: (p.static - p.kinetic) / (STIFFNESS * p.speed), "The swing goes below the "
                                                            "kinetic angle, "
                                                                                              "as far as it was above."),)),
        Exercise(f"What is the period of the motion, if the arm has a moment of inertia of {INERTIA:.4f} kg m$^2$?",
                 "It is the sum of the stick and slip times, $(\\pi + 2\\alpha)/\\omega_0$ for slip, with $\\omega_0 = "
                 "\\sqrt{k/I}$.",
                 ("Add the times of stick and slip.", "The slip is slightly more than half a free oscillation of arm and "
                                                      "spring."),
                 predicted(SCENE, "period"), measured(SCENE, "period"), "s", 0.03,
                 mistakes=(Mistake(lambda p: 2.0 * (p.static - p.kinetic) / (STIFFNESS * p.speed), "That is the stick time "
                                                                                                   "only."),
                           Mistake(lambda p: math.tau * math.sqrt(INERTIA / STIFFNESS), "That is the period of the free "
                                                                                        "oscillation."))),
        Exercise("Try it: damp the arm with viscous friction until it slips steadily. Leave the speed and the static friction "
                 "unchanged.",
                 "Viscous friction dissipates energy; if it dissipates more than the drop of the dry friction supplies, the arm "
                 "comes to rest in space and slips steadily on the table.",
                 ("Increase the viscous friction of the "
                  "bearing.", "Let it run for eight seconds and look at the plot of the angle."),
                 reached=calm, solution={"viscous": 0.9}, seconds=12.0),
    ),
)
