"""Where the simulation pauses by itself: one class a kind (breakpoint_kinds.py). Each looks at the world before and after a
step, and at nothing else, so a step that is made again stops where it stopped the first time.

A kind is a subclass of `Breakpoint` with `option(...)` fields (drawn by the panel), `title` and `meaning`:

    before(world) -> anything     called right before a step; what it needs to compare with, as little as will do
    find(world, then) -> Cause    called after it; None: nothing happened

Contacts are told from one step to the next by their shapes and feature, pairs by their shapes.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from physics import World, option


@dataclass(frozen=True)
class Cause:
    """What happened: a sentence without its end, and what is to be shown; -1: nothing of that sort. point: where [m], world."""

    text: str
    body: int = -1
    joint: int = -1
    contact: int = -1
    point: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Hit:
    """A breakpoint that fired: after which step, at what time [s], why; title: of its kind."""

    step: int
    time: float
    cause: Cause
    title: str

    @property
    def text(self) -> str:
        return f"stopped after step {self.step}, t = {self.time:.4f} s: {self.cause.text}"


KINDS: dict[str, type["Breakpoint"]] = {}
"""All kinds by the name of their class, in the order of breakpoint_kinds.py."""


@dataclass
class Breakpoint:
    """What all kinds have. of: name of the body that it is about, "": any. count: how often it fired. trouble: why it cannot fire
    now, "" if it can; ready: this world has what it needs."""

    title: ClassVar[str]
    meaning: ClassVar[str]
    of_bodies: ClassVar[bool] = False

    on: bool = option(False, help="Whether the simulation pauses when it happens.")
    once: bool = option(False, help="Switch it off after it has fired once.")
    of: str = ""
    count: int = 0
    trouble: str = ""
    ready: bool = True

    def __init_subclass__(cls) -> None:
        if not cls.__name__.startswith("_"):
            KINDS[cls.__name__] = cls

    def alike(self) -> "Breakpoint":
        """Another one with the same settings, for another world."""
        return replace(self)

    def check(self, world: World) -> None:
        """Find out what it needs in a world that is new or has changed; sets `trouble`."""
        self.trouble = ""
        if self.of and self.of not in world.body_names:
            self.trouble = f"there is no body '{self.of}' in this scene now: choose another, or any body"

    def before(self, world: World) -> Any:
        """What has to be known of the world before the step."""
        return None

    def find(self, world: World, then: Any) -> Cause | None:
        """What happened in the step."""
        raise NotImplementedError

    def body(self, world: World) -> int:
        """Index of the body that it is about; -1: any."""
        return world.body_names.index(self.of) if self.of else -1

    def mine(self, world: World, pairs: np.ndarray) -> np.ndarray:
        """Which contacts or joints (records with body_a, body_b) are of its body."""
        body = self.body(world)
        return np.ones(len(pairs), bool) if body < 0 else (pairs["body_a"] == body) | (pairs["body_b"] == body)
