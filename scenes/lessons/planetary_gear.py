"""Wheels on a carrier."""

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Mistake, Step, measured, predicted
from scenes.planetary_gear import RING, SCENE, SUN, Parameters
from scenes.planetary_gear import measured as carrier


def teeth(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Of the ring, from the speeds while it is held."""
    speed = carrier(trace)
    return None if speed is None else SUN * (parameters.sun - speed) / speed


def ratio(world: World, trace: Trace, parameters: Parameters) -> float | None:
    speed = carrier(trace)
    return None if speed is None else parameters.sun / speed


def stands(world: World, trace: Trace, parameters: Parameters) -> bool:
    speed = carrier(trace)
    return speed is not None and abs(speed) < 0.01 and parameters.sun == 6.0


LESSON = Lesson(
    steps=(
        Step("Run the scene for a second. The ring is fixed, and the carrier turns with the sun, but slower.",
             lambda world, trace, p: trace["time"][-1] > 1.0),
        Step("Turn the ring at 1 rad/s, and see in the plot how much faster the carrier becomes.",
             lambda world, trace, p: p.ring == 1.0 and trace["time"][-1] > 0.6, Action("Ring 1 rad/s", "set", "ring", 1.0)),
        Step("Turn the ring at full speed against the sun: the carrier turns backwards.",
             lambda world, trace, p: p.ring == -4.0 and trace["time"][-1] > 0.6, Action("Ring -4 rad/s", "set", "ring", -4.0)),
    ),
    exercises=(
        Exercise("The sun has 16 teeth, each planet 12. How many teeth has the ring?",
                 "Its radius is that of the sun plus two planet radii, twice: $z_r = z_s + 2 z_p$.",
                 ("Add diameters from the centre to the ring; the numbers of teeth are "
                  "proportional.",), lambda p: float(RING), teeth,
                 tolerance=1e-3,
                 mistakes=(Mistake(lambda p: 28.0, "There is a planet on each side of the sun."),)),
        Exercise("The sun turns at {sun} rad/s and the ring is fixed. How fast is the carrier?",
                 "By Willis $\\omega_c = z_s \\omega_s/(z_s + z_r)$ with a ring at rest.",
                 ("Consider it in the frame of the carrier: then it is an ordinary gear train.",),
                 predicted(SCENE, "speed of the carrier"), measured(SCENE, "speed of the carrier"), "rad/s",
                 mistakes=(Mistake(lambda p: p.sun * SUN / RING, "That would be an ordinary gear. Here the carrier turns, "
                                                                 "too."),)),
        Exercise("How many times larger is the carrier's torque than that of the sun, without losses and with the ring fixed?",
                 "Input power equals output power, so the torques are inversely proportional to the speeds: $(z_s + z_r)/z_s$.",
                 ("Power is torque times speed, and the fixed ring takes none.",), lambda p: (SUN + RING) / SUN, ratio),
        Exercise("Try it: turn the ring so that the carrier stands still. Leave the sun at 6 rad/s.",
                 "It stands still where $z_s \\omega_s + z_r \\omega_r = 0$: the ring turns at -2.4 rad/s.",
                 ("Which way must the ring turn?", "Set the sum in Willis' equation to zero."),
                 reached=stands, solution={"ring": -2.4}, seconds=1.0),
    ),
)
