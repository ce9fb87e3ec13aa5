"""Lessons: one file each, named as its scene: LESSON. Steps to take and exercises to answer, checked by the running simulation.

Texts are whole English sentences, the keys of their translations. Between dollar signs they have LaTeX; outside of these {name}
stands for a parameter of the scene, {name:.3g} for one with a format.
"""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import scenes.lessons
from physics import World
from physics.core.plugins import discover
from scenes import Trace

Condition = Callable[[World, Trace, Any], bool]
"""(world, trace, parameters): whether the simulation shows it."""

Measure = Callable[[World, Trace, Any], float | None]
"""(world, trace, parameters): a number of the simulation, None while it is not measurable."""

Number = Callable[[Any], float]
"""(parameters): a number by a closed form."""

@dataclasses.dataclass(frozen=True)
class Action:
    """What a button beside a step does.

    kind: "set" a parameter, "option" of the solver, "dt" a step size [s], "speed" of playback, "run", "show" an overlay, "panel"
        to open, "select" a body, "contact": select one of a body's, "follow" a quantity, "predict": ask for a prediction first,
        "time" of the past to go back to [s].
    name: of that; value: of a parameter, an option, a step size, a speed or a time.
    """

    label: str
    kind: str
    name: str
    value: Any = None


KINDS = ("set", "option", "dt", "speed", "run", "show", "panel", "select", "contact", "follow", "predict", "time")
RUN = Action("Run", "run", "")
"""What is done in a step without an action of its own."""
PLOT = Action("Show the plot", "panel", "plot")


@dataclasses.dataclass(frozen=True)
class Step:
    """One thing to do or to see. done: ticks it when the simulation shows it; without it what its action does ticks it, unless
    that was so when the scene was loaded: the student has done nothing then."""

    text: str
    done: Condition | None = None
    action: Action | None = None


@dataclasses.dataclass(frozen=True)
class Mistake:
    """A wrong answer that many give: (parameters) -> the number, and what to think of."""

    value: Number
    hint: str


@dataclasses.dataclass(frozen=True)
class Exercise:
    """A question that the simulation can judge: exactly one of `answer` and `reached` is given.

    asked: parameters that differ from the scene's own, for which it is asked; seconds: to run until `measure` can tell.
    answer: closed form; of a choice the index of the right one. unit: of the answer. tolerance: relative, of what a person types.
    measure: the same from the simulation. choices: texts to choose from, in place of a number.
    reached: "make it happen": what the simulation must show; solution: parameters with which it does.
    hints: the first after the first wrong answer, and so on; the last stays. mistakes: tried before the hints.
    """

    question: str
    explanation: str
    hints: tuple[str, ...]
    answer: Number | None = None
    measure: Measure | None = None
    unit: str = ""
    tolerance: float = 0.02
    choices: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    asked: dict[str, Any] = dataclasses.field(default_factory=dict)
    reached: Condition | None = None
    solution: dict[str, Any] = dataclasses.field(default_factory=dict)
    seconds: float | None = None

    @property
    def kind(self) -> str:
        """ "number", "choice" or "reach"."""
        return "reach" if self.reached else "choice" if self.choices else "number"

    def parameters(self, scene: scenes.Scene) -> Any:
        """Those for which it is asked."""
        return dataclasses.replace(scene.parameters(), **self.asked)


@dataclasses.dataclass(frozen=True)
class Lesson:
    """What a scene teaches. allowed: parameters that stay within reach while the window is locked; all if None."""

    steps: tuple[Step, ...]
    exercises: tuple[Exercise, ...]
    allowed: tuple[str, ...] | None = None


@functools.cache
def all_lessons() -> dict[str, Lesson]:
    """Every lesson by the name of its scene."""
    return discover(scenes.lessons, "LESSON")


def lesson_of(scene: str) -> Lesson | None:
    """The lesson of the scene of that name, None if it has none."""
    return all_lessons().get(scene)


def predicted(scene: scenes.Scene, begins: str) -> Number:
    """The scene's closed form whose name begins so."""
    return lambda parameters: _prediction(scene, begins, parameters).value


def measured(scene: scenes.Scene, begins: str) -> Measure:
    """The scene's measurement whose name begins so."""
    return lambda world, trace, parameters: _prediction(scene, begins, parameters).measure(world, trace)


def _prediction(scene: scenes.Scene, begins: str, parameters: Any) -> scenes.Prediction:
    return next(p for p in scene.predict(parameters) if p.name.startswith(begins))


def ran(seconds: float) -> Condition:
    """The scene has run for that long [s]."""
    return lambda world, trace, parameters: bool(trace["time"][-1] >= seconds)


def settled(world: World, trace: Trace, parameters: Any) -> bool:
    """Everything has come to rest, some time after the start; of scenes that plot the kinetic energy."""
    return bool(trace["time"][-1] > 0.3 and trace["world.kinetic"][-1] < 1e-9)


def parameter_set(name: str, value: Any, seconds: float = 0.5) -> Condition:
    """A parameter has this value, and the scene has run for a while [s]."""
    return lambda world, trace, parameters: bool(getattr(parameters, name) == value and trace["time"][-1] >= seconds)


def option_set(name: str, value: Any, then: Condition) -> Condition:
    """An option of the solver has this value, and another condition holds."""
    return lambda world, trace, p: getattr(world.solver.options, name, None) == value and then(world, trace, p)


def step_size_set(dt: float, seconds: float) -> Condition:
    """The scene has run for a while [s] with steps of dt [s]."""
    return lambda world, trace, p: bool(abs(world.last_dt - dt) < 1e-9 and trace["time"][-1] >= seconds)


def impact_steps(seconds: float) -> tuple[Step, ...]:
    """Steps of a scene with a parameter `law`: an impact by its first law and again by Poisson's. seconds: from the start until
    the impact is over [s]."""
    return (Step("Run the scene past the first impact.", ran(seconds)),
            Step("Choose Poisson's law, which sets the impulse of the restitution.", parameter_set("law", "Poisson", 0.0),
                 Action("Poisson", "set", "law", "Poisson")),
            Step("Run again: now Poisson's law acts.", parameter_set("law", "Poisson", seconds)),
            Step("Open the panel Impact to see what the law does.", action=Action("Open the panel", "panel", "impact")))


def load_on(world: World, lower: str) -> float:
    """Normal force of all contacts of a body with what was put into the world after it, its load from above [N]."""
    contacts, index = world.contacts, world.body(lower)
    other = contacts["body_a"] + contacts["body_b"] - index
    above = ((contacts["body_a"] == index) | (contacts["body_b"] == index)) & (other > index)
    return float(contacts["impulse"][above].sum() / world.last_dt)
