"""What a map determines of each run: a class, such as whether it comes to rest, or a number. GL-free.

    ""                  of a ready-made map: its own classes
    motion, contacts, audit                  classes that every scene has
    MEASURE             a number: a prediction as measured, or QUANTITY[:max|:min|:mean|:end], as of a sweep
    MEASURE > NUMBER    two classes
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import scenes
from app.analysis.studies import sweep
from app.build_scene import value_of
from app.i18n.message import message
from physics import BadInput, World
from physics.core.check import number
from physics.core.records import Case, Kind
from scenes.maps import PhaseMap

REST_SPEED, REST_RATE = 5e-3, 2e-2
"""Speeds below which a body rests [m/s], [rad/s]."""


@dataclass(frozen=True)
class Question:
    """Result of a run. classes: () of a number, then unit and keys, the quantities to record; answer: (world at the end,
    trace, parameters) -> number of the class, or the number, None if the run does not show it."""

    word: str
    classes: tuple[str, ...]
    answer: Callable[[World, scenes.Trace, Any], float | None]
    unit: str = ""
    keys: tuple[str, ...] = ()


def _moves(world: World, trace: scenes.Trace, parameters: Any) -> int:
    bodies = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    speeds, rates = (np.linalg.norm(bodies[name], axis=1) for name in ("vel", "omega"))
    return int((speeds > REST_SPEED).any() or (rates > REST_RATE).any())


def _touches(world: World, trace: scenes.Trace, parameters: Any) -> int:
    cases = world.contacts["case"]
    return int(cases.max(initial=Case.OPEN))


def _objects(world: World, trace: scenes.Trace, parameters: Any) -> int:
    return int(sweep.audit_of(world) not in ("ok", "off"))


CATEGORIES = {
    "motion": Question("motion", ("comes to rest", "still moves"), _moves),
    "contacts": Question("contacts", ("touches nothing", "sticks", "slips"), _touches),
    "audit": Question("audit", ("nothing found", "the auditor objects"), _objects)}
"""Of every scene, by name: how a run ends; whether the auditor objected to a step."""


def of_map(known: PhaseMap) -> Question:
    """The classes of a ready-made map."""
    return Question("", known.classes, lambda world, trace, parameters: known.classes.index(known.classify(world, parameters)))


def question(word: str, scene: scenes.Scene, parameters: Any, world: World) -> Question:
    """The question of that name.

    Raises:
        BadInput: the scene has no such quantity or prediction.
    """
    if word in CATEGORIES:
        return CATEGORIES[word]
    what, above, limit = (part.strip() for part in word.partition(">"))
    one = sweep.measure(what, scene, parameters, world)
    keys = (one.key,) if one.key else scene.plots

    def answer(world: World, trace: scenes.Trace, parameters: Any) -> float | None:
        return sweep.measured(one, sweep.slugs(scene, parameters), world, trace)
    if not above:
        return Question(what, (), answer, one.unit, keys)
    least = number("--measure", value_of(limit))

    def is_above(world: World, trace: scenes.Trace, parameters: Any) -> int | None:
        found = answer(world, trace, parameters)
        return None if found is None else int(found > least)
    return Question(word, (f"{what} <= {least:g}", f"{what} > {least:g}"), is_above, one.unit, keys)


def offered(scene: scenes.Scene, parameters: Any, plotted: tuple[str, ...]) -> tuple[str, ...]:
    """Names of questions that suit a scene: classes, predictions, quantities that are plotted."""
    ends = tuple(f"{key}:{end}" for key in plotted for end in ("end", "max"))
    return (*CATEGORIES, *sweep.slugs(scene, parameters), *ends)


def no_answer(word: str) -> BadInput:
    return BadInput(message("the run does not show '{word}'", word=word))
