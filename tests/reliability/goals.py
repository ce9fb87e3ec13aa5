"""A goal: promise, required figure, measurement."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tests.helpers import ROOT


@dataclass(frozen=True)
class Measured:
    """text: the figures, in words. holds: None where what it speaks of does not exist."""

    text: str
    holds: bool | None


@dataclass(frozen=True)
class Goal:
    """name: R1 ..; aim: the figure that is asked for; measure: of a share of the full size (1: all of it)."""

    name: str
    promise: str
    aim: str
    measure: Callable[[float], Measured]


GOALS: dict[str, Goal] = {}
"""By name."""


def goal(name: str, promise: str, aim: str) -> Callable:
    """Make a function that measures a goal of it."""

    def enter(measure: Callable[[float], Measured]) -> Callable[[float], Measured]:
        GOALS[name] = Goal(name, promise, aim, measure)
        return measure

    return enter


def tested(*nodes: str, **environment: str) -> Measured:
    """What pytest says of these tests, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *nodes], cwd=ROOT, text=True,
                          capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT), **environment})
    counts = re.findall(r"(\d+) (passed|failed|skipped|error)", done.stdout.splitlines()[-1] if done.stdout else "")
    text = ", ".join(f"{number} {word}" for number, word in counts) or "no test ran"
    return Measured(f"tests: {text}", done.returncode == 0)


def both(one: Measured, other: Measured) -> Measured:
    """Both must hold."""
    return Measured(f"{one.text}; {other.text}", bool(one.holds and other.holds))
