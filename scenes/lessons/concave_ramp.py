"""Kinks: impacts on a surface that should be smooth."""

import math

from physics import World
from scenes import Trace
from scenes.concave_ramp import SCENE, Parameters, Ramp, kept_of, of_ball, smooth_speed
from scenes.lessons import PLOT, Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran


def kept_by_ball(parameters: Parameters) -> float:
    """Energy that a ball keeps at one of four kinks."""
    return of_ball(math.radians(parameters.bend) / 4)


def measured_share(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """The same, from its final speed: the mean of the four kinks."""
    speed = measured(SCENE, "final speed, ball")(world, trace, parameters)
    return None if speed is None else kept_of(Ramp(math.radians(parameters.bend), 4), True, parameters.speed, speed)


LESSON = Lesson(
    steps=(
        Step("Run the scene. Behind the ramps all slide on at constant speed: the more kinks, the faster.", ran(0.7)),
        Step("Look at the steps in the curves: a block has two at each kink, one for its front edge and one for its rear edge.",
             ran(0.7), PLOT),
        Step("Start slower. The kinks take the same shares of the energy, whatever the speed.", parameter_set("speed", 0.5, 0.5),
             Action("Start at 0.5 m/s", "set", "speed", 0.5)),
    ),
    exercises=(
        Exercise("A ball slides over a ramp that bends by {bend} degrees in four equal kinks, without friction and rebound. What "
                 "share of its kinetic energy does it keep at each kink?",
                 "The component of the velocity along the next facet stays: $\\cos^2\\delta$ of the energy.",
                 ("Which component of the velocity does the next facet take away?",), kept_by_ball, measured_share, "", 5e-3,
                 mistakes=(Mistake(lambda p: math.sqrt(kept_by_ball(p)), "That is the share of the velocity."),
                           Mistake(lambda p: kept_by_ball(p) ** 4, "That is the share after all four kinks, without gravity."))),
        Exercise("How fast is the ball at the foot of the smooth arc of radius 1.45 m, if it starts with {speed} m/s where the "
                 "slope is {bend} degrees?",
                 "Nothing is lost: $v^2 = v_0^2 + 2 g \\rho (1 - \\cos\\theta)$.", ("Use the energy.",),
                 predicted(SCENE, "largest speed"), measured(SCENE, "largest speed"), "m/s", 0.01,
                 mistakes=(Mistake(lambda p: smooth_speed(p) - p.speed, "Add energies, not speeds: it starts with a speed."),)),
    ),
)
