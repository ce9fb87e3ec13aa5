"""The commands of breakpoints; what `Simulation` inherits: they are watched in every step, also in those that are made again."""

from typing import Any

from app.engine.breakpoint_kinds import Watched
from app.engine.breakpoints import KINDS, Breakpoint, Cause, Hit
from app.engine.rewinding import Rewinding
from physics import BadInput, World, fields, set_option

MOST = 50
"""Breakpoints at once."""


class Stopping(Rewinding):
    """breakpoints: one of each kind at first, and what a person added; they outlive scenes. hit: the newest one."""

    def __init__(self) -> None:
        super().__init__()
        self.breakpoints: list[Breakpoint] = [kind() for kind in KINDS.values()]
        self.hit: Hit | None = None
        self._checked: tuple[World | None, int] = (None, -1)
        self._until = -1        # the step of the past to which steps are made one by one, -1: none are
        self._then_run = False  # from there on it runs

    # ---- commands

    def add_breakpoint(self, kind: str) -> None:
        """One more of a kind, by the name of its class."""
        if kind not in KINDS:
            raise BadInput(f"there is no breakpoint '{kind}'; there are: {', '.join(KINDS)}")
        if len(self.breakpoints) >= MOST:
            raise BadInput(f"there are {MOST} breakpoints, the most that are allowed: remove one first")
        last = max((i for i, one in enumerate(self.breakpoints) if type(one).__name__ == kind), default=len(self.breakpoints) - 1)
        self.breakpoints.insert(last + 1, KINDS[kind]())
        self._checked = (None, -1)

    def remove_breakpoint(self, index: int) -> None:
        del self.breakpoints[self._number(index)]

    def set_breakpoint(self, index: int, name: str, value: Any) -> None:
        """Change one: an option of its kind, `of` (name of a body, "": any) or the `expression` that is watched."""
        one = self.breakpoints[self._number(index)]
        if name == "of" and one.of_bodies and isinstance(value, str):
            one.of = value
        elif name == "expression" and isinstance(one, Watched):
            one.write(str(value))
        elif name in {f.name for f in fields(one)}:
            set_option(one, name, value)
        else:
            raise BadInput(f"the breakpoint {one.title} has no '{name}'")
        self._checked = (None, -1)

    def run_to_hit(self) -> None:
        """Go on to the next breakpoint that fires: through the recorded steps, where there are some ahead, then beyond."""
        self._need_one()
        if self.in_past:
            self.settle()
            self._walk(self.history.last, then_run=True)
        else:
            self.paused = False

    def _need_one(self) -> None:
        if not any(one.on for one in self.breakpoints):
            raise BadInput("no breakpoint is on: switch one on in the panel Breakpoints")

    def _number(self, index: int) -> int:
        if not 0 <= index < len(self.breakpoints):
            raise BadInput(f"there is no breakpoint number {index}; there are {len(self.breakpoints)}")
        return index

    # ---- watching

    def watch(self) -> list[tuple[Breakpoint, Any]]:
        """What the breakpoints that are on remember of the world, right before a step."""
        world = self.world
        if not any(one.on for one in self.breakpoints):
            return []
        if self._checked != (world, world.revision):
            self._checked = (world, world.revision)
            for one in self.breakpoints:
                one.check(world)
                one.ready = not one.trouble
        return [(one, one.before(world)) for one in self.breakpoints if one.on and one.ready]

    def caught(self, watched: list[tuple[Breakpoint, Any]]) -> list[tuple[int, Cause]]:
        """After the step: which of them fired, by number, and why."""
        causes = {id(one): cause for one, then in watched if (cause := one.find(self.world, then)) is not None}
        return [(i, causes[id(one)]) for i, one in enumerate(self.breakpoints) if id(one) in causes]

    def stop_at(self, watched: list[tuple[Breakpoint, Any]]) -> bool:
        """After the step: whether one of them fired; then it is paused, and the first that did is told."""
        return self._stop_for(self.caught(watched) if watched else [])

    def _stop_for(self, fired: list[tuple[int, Cause]]) -> bool:
        """Whether something fired in the step that is shown."""
        if not fired:
            return False
        causes = [(self.breakpoints[i], cause) for i, cause in fired]
        for one, _ in causes:
            one.count += 1
            one.on = one.on and not one.once
        one, cause = causes[0]
        self.paused = True
        self.hit = Hit(self.world.steps, self.world.time, cause, one.title)
        others = [other.title.lower() for other, _ in causes[1:]]
        self.say(self.hit.text + (f" (also: {', '.join(others)})" if others else ""))
        return True

    def watch_for(self) -> tuple:
        """What is watched for: as long as it is equal the same steps stop."""
        if not any(one.on for one in self.breakpoints):
            return ()
        return tuple((type(one), one.of, getattr(one, "expression", ""), *(getattr(one, f.name) for f in fields(one)))
                     for one in self.breakpoints)

    def watch_as(self, other: "Stopping") -> None:
        """Watch for what the other one watches for, with breakpoints of its own."""
        self.breakpoints, self._checked = [one.alike() for one in other.breakpoints], (None, -1)

    # ---- steps that are made again, one by one

    def go_forward(self, step: int) -> None:
        """To a later step of the past; breakpoints stop on the way."""
        if any(one.on for one in self.breakpoints):
            self.settle()
            self._walk(step)
        else:
            self._head_for(step)

    def _walk(self, step: int, then_run: bool = False) -> None:
        self._until, self._then_run, self.goal = step, then_run, step
        self.catch_up()

    def _head_for(self, step: int) -> None:
        self.halt()
        super()._head_for(step)

    @property
    def place(self) -> int:
        return self.world.steps if self._until >= 0 else super().place

    def _approach(self) -> None:
        if self._until >= 0:
            self._on_the_way()
        else:
            super()._approach()

    def _on_the_way(self) -> None:
        """One step of a walk."""
        step = self.world.steps + 1
        self._do_again()
        watched = self.watch()
        moment, found = self.history.way(step - 1, step)
        if moment is not None:
            self._restore(moment)
        elif found < step or not self._make_again():
            self._lost()
            self.halt()
            return
        fired = self.world.steps == step and self.stop_at(watched)
        self._do_again()
        if fired:
            self.halt()
        elif self.world.steps >= self._until:
            self.paused = self.paused and not self._then_run
            self.halt()

    def halt(self) -> None:
        """Go no further on a walk."""
        if self._until >= 0:
            self.goal, self._until = None, -1
