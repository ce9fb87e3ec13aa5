"""Breakpoints: conditions that pause the simulation, one class per kind (kinds.py). Each compares the world before and after a
step and reads nothing else, so a recomputed step stops where it stopped the first time.

A kind is a subclass of `Breakpoint` with `option(...)` fields (drawn by the panel), `title` and `meaning`:

    before(world) -> anything     called right before a step; returns the least that `find` needs for its comparison
    find(world, then) -> Cause    called after the step with that value; None: the breakpoint did not fire

Contacts are identified from step to step by their shapes and feature, pairs by their shapes.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from app.i18n.message import message
from physics import World, option
from scenes import Scene


@dataclass(frozen=True)
class BreakpointCause:
    """Why a breakpoint fired: a sentence without its full stop, and the body, joint or contact to show, -1: none. point: where
    [m], world frame."""

    text: str
    body: int = -1
    joint: int = -1
    contact: int = -1
    point: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class BreakpointHit:
    """A breakpoint that fired: the step after which it fired, its time [s], the cause; title: of the breakpoint's kind."""

    step: int
    time: float
    cause: BreakpointCause
    title: str

    @property
    def text(self) -> str:
        return message("stopped after step {step}, t = {time:.4f} s: {cause}", step=self.step, time=self.time,
                       cause=self.cause.text)


BREAKPOINT_KINDS: dict[str, type["Breakpoint"]] = {}
"""All kinds by the name of their class, in the order of kinds.py."""


@dataclass
class Breakpoint:
    """Base class of all kinds. of: name of the body that it concerns, "": any. count: how often it fired. trouble: why it cannot
    fire now, "" if it can; ready: this world has everything it needs."""

    title: ClassVar[str]
    meaning: ClassVar[str]
    of_bodies: ClassVar[bool] = False

    on: bool = option(False, help="Pause the simulation when this happens.")
    once: bool = option(False, help="Disable it after the first hit.")
    of: str = ""
    count: int = 0
    trouble: str = ""
    ready: bool = True

    def __init_subclass__(cls) -> None:
        if not cls.__name__.startswith("_"):
            BREAKPOINT_KINDS[cls.__name__] = cls

    def is_same(self) -> "Breakpoint":
        """Return a breakpoint with the same settings, for another world."""
        return replace(self)

    def check(self, world: World, scene: Scene | None = None) -> None:
        """Check that a new or changed world of a scene has what the breakpoint needs; sets `trouble`."""
        self.trouble = ""
        if self.of and self.of not in world.body_names:
            self.trouble = message("body '{of}' does not exist in this scene: choose another body, or any body", of=self.of)

    def before(self, world: World) -> Any:
        """Return the state before the step that `find` needs."""
        return None

    def find(self, world: World, then: Any) -> BreakpointCause | None:
        """Return the cause if the breakpoint fires after the step, else None."""
        raise NotImplementedError

    def body(self, world: World) -> int:
        """Return the index of the body that it concerns; -1: any."""
        return world.body_names.index(self.of) if self.of else -1

    def selected_rows(self, world: World, pairs: np.ndarray) -> np.ndarray:
        """Select the contacts or joints (records with body_a, body_b) of its body."""
        body = self.body(world)
        return np.ones(len(pairs), bool) if body < 0 else (pairs["body_a"] == body) | (pairs["body_b"] == body)
