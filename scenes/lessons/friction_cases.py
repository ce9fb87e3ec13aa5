"""Stick, slide, or nothing: the cases of Coulomb's law."""

from physics import World
from scenes import Trace
from scenes.friction_cases import LANES, MASS, G, Parameters, cases
from scenes.lessons import Action, Exercise, Lesson, Measure, Mistake, Step, ran

STATES = ("It sticks.", "It slides.", "It is open: it carries no load.")


def friction(name: str) -> Measure:
    """Force of the contact against the push [N]: what is missing to the push in the change of momentum."""
    def measure(world: World, trace: Trace, parameters: Parameters) -> float | None:
        if trace["time"][-1] < 0.2:
            return None
        lane, speeds = LANES[name], trace[f"body:{name}.vx"]
        part = lane.push if abs(lane.push) == 1.0 else parameters.push
        gained = MASS * (speeds[-1] - speeds[0]) / (trace["time"][-1] - trace["time"][0])
        return float(part * parameters.friction * MASS * G - gained)

    return measure


def state(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Of the particle that is carried, as an index of STATES."""
    found = cases(world).get("carried")
    return None if found is None else float(("stick", "slide", "open").index(found[0]))


LESSON = Lesson(
    allowed=("friction", "push"),
    steps=(
        Step("Run the scene for a second. Three particles rest, four move, and none changes its speed.", ran(1.0)),
        Step("Select a contact and open the contact lens: it shows the case, and the products of the law that must be zero.",
             action=Action("Open the contact lens", "panel", "contact_lens")),
        Step("Push harder. The held particles stay at rest as long as the push is below the bound.",
             lambda world, trace, p: p.push == 0.95 and trace["time"][-1] > 0.5, Action("Push 0.95", "set", "push", 0.95)),
    ),
    exercises=(
        Exercise("A particle of 1 kg is pushed with {push} times the friction bound, at $\\mu$ = {friction}, and does not move. "
                 "How large is the friction force?",
                 "Static friction equals the push: half of $\\mu m g$ here, and not the bound.",
                 ("The particle does not accelerate. What does this say about the sum of the forces?",),
                 lambda p: p.push * p.friction * MASS * G, friction("held, pushed right"), "N", seconds=0.5,
                 mistakes=(Mistake(lambda p: p.friction * MASS * G, "That is its largest possible value."),)),
        Exercise("Another particle slides to the right at a constant 0.1 m/s. What force pushes it, at $\\mu$ = {friction}?",
                 "Friction on a sliding particle is at its bound, $\\mu m g$, against the motion. The push must be equal to it.",
                 ("How large is friction during sliding?",), lambda p: p.friction * MASS * G, friction("slides right"),
                 "N",
                 seconds=0.5),
        Exercise("One particle is supported a centimetre above the ground, within the contact margin. What is the state of its "
                 "contact?",
                 "A detected contact need not carry load: the normal impulse is zero, and friction with it.",
                 ("What is the largest friction where the normal force is zero?",), lambda p: 2.0, state, choices=STATES,
                 seconds=0.2),
    ),
)
