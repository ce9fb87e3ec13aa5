"""A person's way through a lesson: what is ticked and answered, what the simulation says to it. Kept in a file of the person's.

The file is TOML, one table a scene; ticks and answers are kept by the English text they belong to, so that a lesson may grow.
"""

import json
import logging
import math
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import regular_file
from app.whole_files import write
from physics import World
from scenes import Scene, Trace
from scenes.lessons import Exercise, Lesson, Step

log = logging.getLogger(__name__)

NOT_YET = (KeyError, IndexError, ValueError, ZeroDivisionError, AttributeError, TypeError, StopIteration)
"""What a measurement raises on a trace that was just cleared, or while the physics thread changes the scene."""


@dataclass
class Record:
    """Of one scene. ticked: texts of steps; solved: questions answered rightly; tries: wrong answers by question."""

    ticked: set[str] = field(default_factory=set)
    solved: dict[str, float] = field(default_factory=dict)
    tries: dict[str, int] = field(default_factory=dict)


class Progress:
    """All scenes' records, read once and saved whole after each change. path: of the file; None keeps nothing."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.scenes: dict[str, Record] = {}
        self.trouble = ""
        if path is not None and os.path.lexists(path):
            try:
                self._read(tomllib.loads(regular_file.read(path).decode("utf-8")))
            except (ArithmeticError, AttributeError, RecursionError, TypeError, ValueError) as error:
                self.trouble = f"your progress in {path} could not be read and is left as it is: {error}"
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
        """Note a right answer, or one more wrong one."""
        record = self.of(scene)
        if right:
            record.solved[exercise.question] = value
        else:
            record.tries[exercise.question] = record.tries.get(exercise.question, 0) + 1
        self.save()

    def reset(self, scene: str) -> None:
        """Forget what was done in a scene."""
        if self.scenes.pop(scene, None) is not None:
            self.save()

    def done(self, scene: str, lesson: Lesson) -> tuple[int, int]:
        """(things done, things to do)."""
        record = self.of(scene)
        count = sum(step.text in record.ticked for step in lesson.steps)
        count += sum(exercise.question in record.solved for exercise in lesson.exercises)
        return count, len(lesson.steps) + len(lesson.exercises)

    def save(self) -> None:
        """Whole or not at all; a failure is told once in `trouble` and the lesson goes on."""
        if self.path is None:
            return
        try:
            write(self.path, self.text().encode())
        except OSError as error:
            self.trouble, self.path = f"your progress could not be saved: {error}", None
            log.warning("%s", self.trouble)

    def text(self) -> str:
        """As TOML: texts are quoted as JSON quotes them, which TOML reads."""
        lines = []
        for name, record in sorted(self.scenes.items()):
            ticked = ", ".join(map(json.dumps, sorted(record.ticked)))
            lines += [f"[{json.dumps(name)}]", f"ticked = [{ticked}]"]
            for title, table in (("solved", record.solved), ("tries", record.tries)):
                lines += [f"[{json.dumps(name)}.{title}]", *(f"{json.dumps(k)} = {v!r}" for k, v in sorted(table.items()))]
        return "\n".join(lines) + "\n"


def shown(condition: Any, world: World, trace: Trace, parameters: Any) -> bool:
    """Whether the simulation shows it now."""
    try:
        return bool(condition(world, trace, parameters))
    except NOT_YET:
        return False


def measured(exercise: Exercise, scene: Scene, world: World, trace: Trace, parameters: Any) -> float | None:
    """The answer by the simulation, where it runs with the parameters that are asked for."""
    if exercise.measure is None or parameters != exercise.parameters(scene):
        return None
    try:
        value = exercise.measure(world, trace, parameters)
    except NOT_YET:
        return None
    return value if value is not None and math.isfinite(value) else None


@dataclass(frozen=True)
class Verdict:
    """Of an answer: whether it is right, and a sentence of help if not."""

    right: bool
    help: str = ""


def near(value: float, target: float, tolerance: float) -> bool:
    return abs(value - target) <= max(tolerance * abs(target), 1e-9)


def judge(exercise: Exercise, value: float, parameters: Any, tries: int) -> Verdict:
    """An answer to a number or a choice. tries: wrong answers before this one; each brings the next hint."""
    answer = exercise.answer(parameters)
    if not math.isfinite(value):
        return Verdict(False, "The answer must be a number.")
    if exercise.kind == "choice":
        return Verdict(value == answer, "" if value == answer else exercise.hints[min(tries, len(exercise.hints) - 1)])
    if near(value, answer, exercise.tolerance):
        return Verdict(True)
    for mistake in exercise.mistakes:
        if near(value, mistake.value(parameters), exercise.tolerance):
            return Verdict(False, mistake.hint)
    for factor, hint in SLIPS:
        if abs(answer) > 1e-9 and near(value, answer * factor, exercise.tolerance):
            return Verdict(False, hint)
    return Verdict(False, exercise.hints[min(tries, len(exercise.hints) - 1)])


SLIPS = ((-1.0, "The size is right. What is its sign?"),
         (math.degrees(1.0), "Is that in degrees? Look at the unit."),
         (math.radians(1.0), "Is that in radians? Look at the unit."),
         *((10.0**k, "The digits are right. Look at the unit and the decimal point.") for k in (-3, -2, -1, 1, 2, 3)))
"""What goes wrong in any exercise: (answer over the right one, what to think of)."""
