"""A coupling that is joined and cut: torques, common speed, and when the discs meet."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.coupled_discs import BEARINGS, CUT, JOINED, MOMENTS, SPEED, Parameters, law, speed_at
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, ran


def meeting(parameters: Parameters) -> float:
    """When the discs meet for the first time [s]."""
    return float(law(parameters)[2, 0])


def measured_meeting(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """The same in the run: when their speeds differ by less than 1e-6 rad/s for the first time; None before."""
    apart = abs(trace["body:disc 1.omega_z"] - trace["body:disc 2.omega_z"])
    return float(trace["time"][apart < 1e-6][0]) if (apart < 1e-6).any() else None


def conserved(parameters: Parameters) -> float:
    """Common speed if angular momentum were kept [rad/s]."""
    start = SPEED - BEARINGS[0] / MOMENTS[0] * JOINED
    return float(MOMENTS[0] * start / MOMENTS.sum())


def common(parameters: Parameters) -> float:
    """Speed of both just before the cut [rad/s]."""
    return speed_at(parameters, 0, CUT)


def measured_common(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return float(np.interp(CUT, trace["time"], trace["body:disc 1.omega_z"])) if trace["time"][-1] >= CUT else None


def stronger(world: World, trace: Trace, parameters: Parameters) -> bool:
    return parameters.coupling >= 3.0 and bool(trace["time"][-1] > 1.0)


LESSON = Lesson(
    allowed=("coupling",),
    steps=(
        Step("Run the scene and watch the two speeds: straight lines that meet, run together, and part.", ran(4.5)),
        Step("Open the energy panel: until the discs meet, the coupling turns energy into heat.",
             action=Action("Open Energy", "panel", "energy")),
        Step("Make the coupling 3 N m strong. The discs meet almost at once.", stronger,
             Action("Coupling 3 N m", "set", "coupling", 3.0)),
    ),
    exercises=(
        Exercise("The coupling holds {coupling} N m and is joined at 0.5 s. When do both discs turn alike?",
                 "Their speeds approach each other at the rate $(F_1 + C)/I_1 + (C - F_2)/I_2$.",
                 ("Which torques act on each disc while the coupling slips?",), meeting, measured_meeting, "s",
                 asked={"coupling": 1.2}, seconds=1.2),
        Exercise("How fast do both turn at 1.8 s, when the coupling is cut?",
                 "From the meeting on they are one body: $\\dot\\omega = -(F_1 + F_2)/(I_1 + I_2)$.",
                 ("Both bearings go on braking.",), common, measured_common, "rad/s", seconds=1.85,
                 mistakes=(Mistake(conserved, "The bearings take angular momentum all the time; it is not conserved."),)),
    ),
)
