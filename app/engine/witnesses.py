"""Whoever wants to see every step as it is made, on the physics thread; what `Simulation` inherits. It changes no motion.

A witness is called between two steps, so it must be quick, and put away by value what it wants to keep.
"""

import logging
from typing import Any, Protocol

from app.engine.rewinding import Rewinding

log = logging.getLogger(__name__)


class Witness(Protocol):
    """Sees steps."""

    def saw(self, simulation: Any) -> None:
        """A step was made. Where `simulation.goal` is a number it was made again, on the way about in the past."""

    def forget_after(self, step: int) -> None:
        """The steps after that one will be others."""

    def forget(self) -> None:
        """The world is another one."""


class Witnessed(Rewinding):
    """witnesses: who sees the steps of this simulation; none costs nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.witnesses: tuple[Witness, ...] = ()

    def call_witness(self, witness: Witness) -> None:
        """From now on it sees every step."""
        if witness not in self.witnesses:
            self.witnesses = (*self.witnesses, witness)

    def dismiss_witness(self, witness: Witness) -> None:
        self.witnesses = tuple(one for one in self.witnesses if one is not witness)

    def look_back(self, count: int) -> None:
        """Pause and make the last steps again, so that witnesses see them; not those that the clock cut short."""
        self.paused, here = True, self.place
        self._head_for(here - int(count))
        self.settle()
        while self.world.steps < here:
            before = self.world.steps
            if self.history.follows(before, here):
                self.goal = here
            else:
                self._head_for(before + 1)
            self.settle()
            if self.world.steps == before:      # one could not be made
                self._head_for(here)
                self.settle()
                return

    def _show_witnesses(self) -> None:
        """A step was made. A witness that fails is told of and dismissed."""
        for witness in self.witnesses:
            try:
                witness.saw(self)
            except Exception as error:
                log.exception("a witness of the steps failed")
                self.dismiss_witness(witness)
                self.warn(f"{type(witness).__name__} was switched off: {type(error).__name__}: {error}")

    def _branch(self) -> None:
        if self.world.steps < self.history.last:
            for witness in self.witnesses:
                witness.forget_after(self.world.steps)
        super()._branch()

    def _begin_history(self) -> None:
        super()._begin_history()
        for witness in self.witnesses:
            witness.forget()

    def _continue_from_kept(self) -> None:
        super()._continue_from_kept()
        for witness in self.witnesses:
            witness.forget_after(self.world.steps)
