"""Too much friction: a paradox, and an impulse that solves it."""

import numpy as np

from physics import World
from scenes import Trace
from scenes.lessons import Action, Exercise, Lesson, Step, measured, ran
from scenes.rod_and_table import SCENE, G, Parameters, landing

SIDES = ("to the left", "to the right", "not at all")


def fastest_fall(world: World, trace: Trace, parameters: Parameters) -> float | None:
    return float(-trace["body:rod.vz"].min()) if trace["time"][-1] > 0.45 else None


def side(world: World, trace: Trace, parameters: Parameters) -> float | None:
    """Where the rod slides after its first impact, as an index of SIDES."""
    if trace["time"][-1] < 0.5:
        return None
    speed = trace["body:rod.vx"][np.searchsorted(trace["time"], 0.45)]
    return 2.0 if abs(speed) < 1e-3 else float(speed > 0.0)


def lands_flat(world: World, trace: Trace, parameters: Parameters) -> bool:
    still = trace["time"][-1] > 0.6 and abs(trace["body:rod.omega_y"]).max() < 1e-6
    return bool(still and abs(trace["body:rod.vz"][-1]) < 1e-6)


LESSON = Lesson(
    steps=(
        Step("Run the scene to its end. The rod lands on one end, slides, falls on the other, and is at rest without chattering.",
             ran(0.8)),
        Step("Compare the curves with the marks of the paper's figures, and see the spike of the spin at the first contact."),
        Step("Take the friction away. The end slides off, and nothing throws the rod to the side.",
             lambda world, trace, p: p.friction == 0.0 and trace["time"][-1] > 0.5, Action("Friction 0", "set", "friction", 0.0)),
        Step("Choose a step of 10 ms in the bar on top and reset: the spike is lower, for it is spread over a longer step."),
    ),
    exercises=(
        Exercise("A level rod of radius 0.05 m falls from 1 m without spin. When does it meet the table?",
                 "It falls by 0.95 m: $t = \\sqrt{2 h/g}$.", ("The radius counts.",),
                 landing, measured(SCENE, "meets the table"), "s", 0.03, asked={"angle": 0.0, "spin": 0.0}, seconds=0.6),
        Exercise("The spinning rod first touches the table at 0.38 s. How fast does its centre fall then?",
                 "It fell freely until then: $v = g t$.", ("Nothing but gravity acted until then.",), lambda p: G * landing(p),
                 fastest_fall, "m/s", 0.03, seconds=0.6),
        Exercise("To which side does the rod slide after its first impact?",
                 "The lower end is on the right of the centre, moves to the right, and friction throws the rod against it.",
                 ("Which way does the end slip, and which way then does friction push?",), lambda p: 0.0, side, choices=SIDES,
                 seconds=0.6),
        Exercise("Make it happen: let the rod fall so that it lands flat and stays, without ever turning.",
                 "Without spin and level, both ends meet the table at the same time.", ("It must be level, and stay so in the "
                                                            "fall.",),
                 reached=lands_flat, solution={"angle": 0.0, "spin": 0.0}, seconds=0.8),
    ),
)
