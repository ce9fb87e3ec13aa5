"""What a clutch loses."""

from physics import World
from scenes import Trace
from scenes.clutch import SCENE, Parameters, time_of
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def quick(world: World, trace: Trace, parameters: Parameters) -> bool:
    time = time_of(world, trace)
    return time is not None and time < 0.3 and parameters.speed == 12.0 and parameters.driven == 15.0


LESSON = Lesson(
    steps=(
        Step("Run the scene until both flywheels turn together.", ran(1.2)),
        Step("Open the energy panel: kinetic energy turns into heat as long as the clutch slips, and no longer.",
             action=Action("Open Energy", "panel", "energy")),
        Step("Use a stronger clutch. It is quicker, and the energy falls to the same value.", parameter_set("torque", 20.0),
             Action("20 N m", "set", "torque", 20.0)),
    ),
    exercises=(
        Exercise("A flywheel of {driving} kg turns at {speed} rad/s and is coupled to one of {driven} kg and the same radius, "
                 "which is at rest. What is their common speed?",
                 "Angular momentum is kept: $\\omega = I_1 \\omega_1/(I_1 + I_2)$.", ("Which quantity does the clutch not "
                                                                                      "change?",),
                 predicted(SCENE, "common speed"), measured(SCENE, "common speed"), "rad/s",
                 mistakes=(Mistake(lambda p: p.speed * (p.driving / (p.driving + p.driven)) ** 0.5, "Energy is not kept."),)),
        Exercise("How much energy is lost in the clutch? The flywheels have a radius of 0.35 m.",
                 "Before it is $I_1 \\omega_1^2/2$, afterwards $(I_1 + I_2) \\omega^2/2$, whatever the torque.",
                 ("Compare the energies before and after.", "The moment of inertia of a disc is half its mass times the square "
                                                            "of its radius."),
                 predicted(SCENE, "heat in the clutch"), measured(SCENE, "heat in the clutch"), "J"),
        Exercise("Try it: let them turn together within 0.3 s. Change the clutch alone.",
                 "The time falls with the torque: more than 14.7 N m is needed.", ("Which of the laws contains the torque?",),
                 reached=quick, solution={"torque": 16.0}),
    ),
)
