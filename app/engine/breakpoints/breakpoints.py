"""The breakpoints of a simulation: evaluated in every step, recomputed steps included."""

from typing import TYPE_CHECKING, Any

from app.engine.breakpoints.base import BREAKPOINT_KINDS, Breakpoint, BreakpointCause, BreakpointHit
from app.engine.breakpoints.kinds import WatchExpression
from app.i18n.message import message
from physics import BadInput, World, fields, set_option

if TYPE_CHECKING:
    from app.engine.simulation import Simulation

MAX_BREAKPOINTS = 50
"""Largest number of breakpoints."""


class Breakpoints:
    """items: one breakpoint of each kind initially, and those added; they survive loading a scene. hit: the latest that fired."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.items: list[Breakpoint] = [kind() for kind in BREAKPOINT_KINDS.values()]
        self.hit: BreakpointHit | None = None
        self._checked: tuple[World | None, int] = (None, -1)

    @property
    def any_on(self) -> bool:
        """Return whether a breakpoint is on."""
        return any(one.on for one in self.items)

    def add(self, kind: str) -> None:
        """Add a breakpoint of a kind, by the name of its class."""
        if kind not in BREAKPOINT_KINDS:
            raise BadInput(message("unknown breakpoint '{kind}'; available: {known}", kind=kind,
                                   known=", ".join(BREAKPOINT_KINDS)))
        if len(self.items) >= MAX_BREAKPOINTS:
            raise BadInput(message("the limit of {max_breakpoints} breakpoints is reached: remove one first",
                                   max_breakpoints=MAX_BREAKPOINTS))
        last = max((i for i, one in enumerate(self.items) if type(one).__name__ == kind), default=len(self.items) - 1)
        self.items.insert(last + 1, BREAKPOINT_KINDS[kind]())
        self._checked = (None, -1)

    def remove(self, index: int) -> None:
        """Remove a breakpoint."""
        del self.items[self._number(index)]

    def set(self, index: int, name: str, value: Any) -> None:
        """Set an attribute: an option of its kind, `of` (name of a body, "": any) or the `expression` to watch."""
        one = self.items[self._number(index)]
        if name == "of" and one.of_bodies and isinstance(value, str):
            one.of = value
        elif name == "expression" and isinstance(one, WatchExpression):
            one.write(str(value))
        elif name in {f.name for f in fields(one)}:
            set_option(one, name, value)
        else:
            raise BadInput(message("breakpoint {title} has no field '{name}'", title=one.title, name=name))
        self._checked = (None, -1)

    def require_one(self) -> None:
        """Require that a breakpoint is on.

        Raises:
            BadInput: none is on.
        """
        if not self.any_on:
            raise BadInput("no breakpoint is enabled: enable one in the Breakpoints panel")

    def _number(self, index: int) -> int:
        if not 0 <= index < len(self.items):
            raise BadInput(message("breakpoint number {index} does not exist; there are {items}", index=index,
                                   items=len(self.items)))
        return index

    def watch(self) -> list[tuple[Breakpoint, Any]]:
        """Return the breakpoints that are on, each with its state before the step."""
        world = self.simulation.world
        if not self.any_on:
            return []
        if self._checked != (world, world.revision):
            self._checked = (world, world.revision)
            for one in self.items:
                one.check(world, self.simulation.scene)
                one.ready = not one.trouble
        return [(one, one.before(world)) for one in self.items if one.on and one.ready]

    def breakpoints_hit(self, watched: list[tuple[Breakpoint, Any]]) -> list[tuple[int, BreakpointCause]]:
        """Return number and cause of each breakpoint that fired; call it after the step."""
        causes = {id(one): cause for one, then in watched if (cause := one.find(self.simulation.world, then)) is not None}
        return [(i, causes[id(one)]) for i, one in enumerate(self.items) if id(one) in causes]

    def stop_at(self, watched: list[tuple[Breakpoint, Any]]) -> bool:
        """Evaluate the breakpoints after the step; if one fired, pause and report the first. Returns whether one did."""
        return self.stop_for(self.breakpoints_hit(watched) if watched else [])

    def stop_for(self, fired: list[tuple[int, BreakpointCause]]) -> bool:
        """Pause and report the first of the breakpoints that fired in the step shown; returns whether there is one."""
        if not fired:
            return False
        causes = [(self.items[i], cause) for i, cause in fired]
        for one, _ in causes:
            one.count += 1
            one.on = one.on and not one.once
        one, cause = causes[0]
        self.simulation.paused = True
        self.hit = BreakpointHit(self.simulation.world.steps, self.simulation.world.time, cause, one.title)
        others = [other.title.lower() for other, _ in causes[1:]]
        self.simulation.notify(self.hit.text + (message(" (also: {others})", others=", ".join(others)) if others else ""))
        return True

    def watch_list(self) -> tuple:
        """Return everything that the breakpoints depend on: while it stays equal, they stop at the same steps."""
        if not self.any_on:
            return ()
        return tuple((type(one), one.of, getattr(one, "expression", ""), *(getattr(one, f.name) for f in fields(one)))
                     for one in self.items)

    def copy_watch_list(self, other: "Breakpoints") -> None:
        """Replace the breakpoints by copies of another simulation's."""
        self.items, self._checked = [one.is_same() for one in other.items], (None, -1)
