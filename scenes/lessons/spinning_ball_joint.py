"""Where friction in a ball joint points, and how long it takes."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted, settled
from scenes.spinning_ball_joint import SCENE, Parameters, energy


def power(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """At the start [W]."""
    if len(trace["time"]) < 4:
        return None
    return float((trace["world.kinetic"][1] - trace["world.kinetic"][3]) / (trace["time"][3] - trace["time"][1]))


LESSON = Lesson(
    steps=(
        Step("Run the scene until the brick stands. The plot of the energy bends, for its slope is the friction times the speed.",
             settled),
        Step("Show the joints, and look at the arrow of the friction torque: it points against the rotation.",
             action=Action("Show joints", "show", "joints")),
        Step("Double the friction. The brick stops after about half the time.",
             lambda world, trace, p: p.friction == 4.0 and settled(world, trace, p), Action("4 N m", "set", "friction", 4.0)),
        Step("Look for the option joint friction in the panel Physics, take the radial scaling, and reset: the brick turns "
             "further."),
    ),
    exercises=(
        Exercise("The brick turns with {spin} rad/s against {friction} N m. How much energy does friction take per second at "
                 "the start?",
                 "Power is torque times angular speed, as both have one line: $\\dot E = -F_{max} \\omega$.",
                 ("Power of a force is force times speed. What is it of a torque?",), lambda p: p.friction * p.spin, power, "W",
                 0.03),
        Exercise("How much kinetic energy has the brick in the beginning? It has 20 kg and measures 0.9 by 0.44 by 0.16 m, "
                 "and its axis "
                 "is the diagonal (1, 1, 1).",
                 "Each axis has a third of $\\omega^2$, so $E = \\frac{1}{6} \\omega^2 (I_1 + I_2 + I_3)$.",
                 ("A brick's moment about an axis is a twelfth of the mass times the squares of the two other sides.",
                  "Along each of the three axes the rotation has the same component."),
                 energy, lambda world, trace, p: float(trace["world.kinetic"][0]), "J"),
        Exercise("By how many radians does it turn until it stops, if its energy at first is 36.6 J?",
                 "Friction works with {friction} N m on every radian, whatever the axis: the angle is $E/F_{max}$.",
                 ("Work of a constant torque is torque times angle.",),
                 predicted(SCENE, "angle turned"), measured(SCENE, "angle turned"), "rad",
                 mistakes=(Mistake(lambda p: energy(p) * p.friction, "Divide by the torque."),)),
    ),
)
