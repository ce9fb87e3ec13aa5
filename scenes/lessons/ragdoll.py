"""What forces in joints cannot change."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, parameter_set, predicted, ran
from scenes.ragdoll import SCENE, G, Parameters, angular_momentum, thrown


def kept(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Index of what stays in flight: energy, angular momentum, both; None before the limbs have swung."""
    if not 0.5 < world.time < 1.8 * parameters.up / G:
        return None
    energy = trace["world.energy"][0] - trace["world.energy"][-1] < 1.0
    spin = abs(angular_momentum(world.bodies)[1] / thrown(parameters) - 1.0) < 5e-3
    return 2.0 if energy and spin else 0.0 if energy else 1.0 if spin else None


LESSON = Lesson(
    steps=(
        Step("Run the scene until the doll comes down.", ran(0.7)),
        Step("Open the energy panel: the friction of the joints takes energy while the limbs swing.",
             action=Action("Open Energy", "panel", "energy")),
        Step("Set the friction to 20 N m. The limbs hardly swing any more.", parameter_set("friction", 20.0),
             Action("20 N m", "set", "friction", 20.0)),
    ),
    exercises=(
        Exercise("The doll leaves the hand with {up} m/s upwards. By how much does its centre of mass rise?",
                 "As a stone does: $v^2/(2 g)$.", ("Which forces from outside act on it?",), predicted(SCENE, "rise"),
                 measured(SCENE, "rise"), "m",
                 mistakes=(Mistake(lambda p: p.up**2 / G, "All kinetic energy of the rise becomes $m g h$: there is a half."),)),
        Exercise("The joints rub. What of the whole doll stays the same in flight?",
                 "The moments in a joint are opposite and equal: they change no angular momentum, but what they brake turns "
                 "to heat.",
                 ("Each joint acts on two parts.",), lambda p: 1.0, kept, seconds=0.75,
                 choices=("its energy", "its angular momentum", "both")),
    ),
)
