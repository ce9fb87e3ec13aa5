"""Where friction in a ball joint points, and how long it takes."""

from physics import World
from physics.solvers.sequential_impulses import RADIAL
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, option_set, predicted, settled
from scenes.spinning_ball_joint import SCENE, Parameters, energy


def power(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """At the start [W]."""
    if len(trace["time"]) < 4:
        return None
    return float((trace["world.kinetic"][1] - trace["world.kinetic"][3]) / (trace["time"][3] - trace["time"][1]))


LESSON = Lesson(
    steps=(
        Step("Run the scene until the brick stops. The energy curve bends because its slope is friction torque times angular "
             "speed.",
             settled),
        Step("Show the spins, and look at the arrow of the friction torque: it points against the rotation.",
             action=Action("Show spins", "show", "spins")),
        Step("Double the friction. The brick stops after about half the time.",
             lambda world, trace, p: p.friction == 4.0 and settled(world, trace, p), Action("4 N m", "set", "friction", 4.0)),
        Step("Set the option joint friction in the Physics panel to radial scaling and reset: the brick turns further.",
             option_set("joint_friction", RADIAL, settled), Action("Radial scaling", "option", "joint_friction", RADIAL)),
    ),
    exercises=(
        Exercise("The brick rotates at {spin} rad/s against {friction} N m. How much energy does friction dissipate per second "
                 "at the start?",
                 "Power is torque times angular speed, since both have the same axis: $\\dot E = -F_{max} \\omega$.",
                 ("The power of a force is force times speed. What is the power of a "
                  "torque?",), lambda p: p.friction * p.spin, power, "W",
                 0.03),
        Exercise("What is the initial kinetic energy of the brick? It has 20 kg and measures 0.9 by 0.44 by 0.16 m, and its axis "
                 "is the diagonal (1, 1, 1).",
                 "Each axis has a third of $\\omega^2$, so $E = \\frac{1}{6} \\omega^2 (I_1 + I_2 + I_3)$.",
                 ("A brick's moment of inertia about an axis is a twelfth of the mass times the sum of squares of the two other "
                  "sides.",
                  "Along each of the three axes the rotation has the same component."),
                 energy, lambda world, trace, p: float(trace["world.kinetic"][0]), "J"),
        Exercise("By how many radians does it turn until it stops, if its initial energy is 36.6 J?",
                 "Friction does work of {friction} N m per radian, whatever the axis: the angle is $E/F_{max}$.",
                 ("Work of a constant torque is torque times angle.",),
                 predicted(SCENE, "angle turned"), measured(SCENE, "angle turned"), "rad",
                 mistakes=(Mistake(lambda p: energy(p) * p.friction, "Divide by the torque."),)),
    ),
)
