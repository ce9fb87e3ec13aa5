"""A user's progress through a lesson: ticked steps, answers, checks by the simulation. Stored in a file of the user's.

The file is TOML, one table per scene; ticks and answers are keyed by their English text, so that lessons may grow.
"""

import json
import logging
import math
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.files import safe_read
from app.files.atomic_write import write
from app.i18n.message import Message, Verbatim, message, parts
from app.number_format import rounded
from physics import World
from scenes import Scene, Trace
from scenes.lessons import Exercise, Lesson, Step

log = logging.getLogger(__name__)

NOT_YET = (KeyError, IndexError, ValueError, ZeroDivisionError, AttributeError, TypeError, StopIteration)
"""Exceptions of a measurement on a trace that was just cleared, or while the physics thread changes the scene."""


@dataclass
class Record:
    """Progress in one scene. ticked: texts of steps; solved: correctly answered questions; tries: wrong answers by question."""

    ticked: set[str] = field(default_factory=set)
    solved: dict[str, float] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)


class LessonProgress:
    """Records of all scenes, read once and saved whole after each change. path: of the file; None stores nothing."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.scenes: dict[str, Record] = {}
        self.trouble = ""
        if path is not None and os.path.lexists(path):
            try:
                self._read(safe_read.parsed_toml(safe_read.read(path), path))
            except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
                self.trouble = message("could not read your progress in {path}; the file is left unchanged: {error}", path=path,
                                       error=error)
                self.path = None

    def _read(self, found: dict[str, Any]) -> None:
        for name, table in found.items():
            self.scenes[name] = Record(set(map(str, table.get("ticked", ()))),
                                       {str(k): float(v) for k, v in table.get("solved", {}).items()},
                                       {str(k): int(v) for k, v in table.get("tries", {}).items()})

    def of(self, scene: str) -> Record:
        return self.scenes.setdefault(scene, Record())

    def tick(self, scene: str, step: Step, ticked: bool = True) -> None:
        texts = self.of(scene).ticked
        if (step.text in texts) != ticked:
            (texts.add if ticked else texts.discard)(step.text)
            self.save()

    def answered(self, scene: str, exercise: Exercise, right: bool, value: float = math.nan) -> None:
        """Store a right answer, or count a wrong one."""
        record = self.of(scene)
        if right:
            record.solved[exercise.question] = value
        else:
            record.tries[exercise.question] = record.tries.get(exercise.question, 0) + 1
        self.save()

    def reset(self, scene: str) -> None:
        """Delete the record of a scene."""
        if self.scenes.pop(scene, None) is not None:
            self.save()

    def done(self, scene: str, lesson: Lesson) -> tuple[int, int]:
        """(number of things done, number of things to do)."""
        record = self.of(scene)
        count = sum(step.text in record.ticked for step in lesson.steps)
        count += sum(exercise.question in record.solved for exercise in lesson.exercises)
        return count, len(lesson.steps) + len(lesson.exercises)

    def save(self) -> None:
        """Write the file atomically; a failure is reported once in `trouble` and the lesson continues."""
        if self.path is None:
            return
        try:
            write(self.path, self.text().encode())
        except OSError as error:
            self.trouble, self.path = message("could not save your progress: {error}", error=error), None
            log.warning(self.trouble)

    def text(self) -> str:
        """The records as TOML: texts are quoted as in JSON, which TOML reads."""
        lines = []
        for name, record in sorted(self.scenes.items()):
            ticked = ", ".join(map(json.dumps, sorted(record.ticked)))
            lines += [f"[{json.dumps(name)}]", f"ticked = [{ticked}]"]
            for title, table in (("solved", record.solved), ("tries", record.tries)):
                lines += [f"[{json.dumps(name)}.{title}]", *(f"{json.dumps(k)} = {v!r}" for k, v in sorted(table.items()))]
        return "\n".join(lines) + "\n"


DIGITS = 4
"""Significant digits of parameters in the texts, as of the numbers below an answer."""


def with_values(text: str, parameters: Any) -> Message:
    """A text of a lesson with the scene's parameters in its places, outside of its formulas."""
    def value(name: str, form: str) -> Any:
        found = getattr(parameters, name)
        return Verbatim(rounded(found, DIGITS)) if isinstance(found, float) and not form else found

    return message(text, **{name: value(name, form) for _, name, form in parts(text) if name})


def shown(condition: Any, world: World, trace: Trace, parameters: Any) -> bool:
    """Whether the condition holds in the simulation now."""
    try:
        return bool(condition(world, trace, parameters))
    except NOT_YET:
        return False


def measured(exercise: Exercise, scene: Scene, world: World, trace: Trace, parameters: Any) -> float | None:
    """The answer measured in the simulation, if it runs with the parameters of the exercise."""
    if exercise.measure is None or parameters != exercise.parameters(scene):
        return None
    try:
        value = exercise.measure(world, trace, parameters)
    except NOT_YET:
        return None
    return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True)
class AnswerVerdict:
    """Result for an answer: whether it is right, and a sentence of help if not."""

    right: bool
    help: str = ""


def within_tolerance(value: float, target: float, tolerance: float) -> bool:
    return abs(value - target) <= max(tolerance * abs(target), 1e-9)


def judge(exercise: Exercise, value: float, parameters: Any, tries: int) -> AnswerVerdict:
    """Judge an answer to a number or a choice. tries: wrong answers before this one; each brings the next hint."""
    answer = exercise.answer(parameters)
    if not math.isfinite(value):
        return AnswerVerdict(False, "The answer must be a number.")
    if exercise.kind == "choice":
        return AnswerVerdict(value == answer, "" if value == answer else exercise.hints[min(tries, len(exercise.hints) - 1)])
    if within_tolerance(value, answer, exercise.tolerance):
        return AnswerVerdict(True)
    for mistake in exercise.mistakes:
        if within_tolerance(value, mistake.value(parameters), exercise.tolerance):
            return AnswerVerdict(False, mistake.hint)
    for factor, hint in COMMON_MISTAKES:
        if abs(answer) > 1e-9 and within_tolerance(value, answer * factor, exercise.tolerance):
            return AnswerVerdict(False, hint)
    return AnswerVerdict(False, exercise.hints[min(tries, len(exercise.hints) - 1)])


COMMON_MISTAKES = ((-1.0, "The magnitude is right. What is its sign?"),
                   (math.degrees(1.0), "Is that in degrees? Check the unit."),
                   (math.radians(1.0), "Is that in radians? Check the unit."),
                   *((10.0**k, "The digits are right. Check the unit and the decimal point.") for k in (-3, -2, -1, 1, 2, 3)))
"""Mistakes common to all exercises: (ratio of the answer to the right one, hint)."""
