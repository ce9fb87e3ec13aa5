"""Observers: called after each step on the physics thread; they do not affect the motion.

An observer runs between two steps, so it must be quick and copy what it stores.
"""

import logging
from typing import TYPE_CHECKING, Any, Protocol

from app.i18n.message import message

if TYPE_CHECKING:
    from app.engine.simulation import Simulation

log = logging.getLogger(__name__)


class StepObserver(Protocol):
    """Protocol of observers."""

    def on_step(self, simulation: Any) -> None:
        """Read the step that was made. If `simulation.timeline.goal` is a number, the step was recomputed while seeking."""

    def forget_after(self, step: int) -> None:
        """Discard the steps after that one; they will be replaced."""

    def forget(self) -> None:
        """Discard everything; the world was replaced."""


class Observers:
    """items: the observers of this simulation; without any, steps cost nothing more."""

    def __init__(self, simulation: "Simulation") -> None:
        self.simulation = simulation
        self.items: tuple[StepObserver, ...] = ()

    def add(self, observer: StepObserver) -> None:
        """Call an observer after every step from now on."""
        if observer not in self.items:
            self.items = (*self.items, observer)

    def remove(self, observer: StepObserver) -> None:
        """Stop calling an observer."""
        self.items = tuple(one for one in self.items if one is not observer)

    def show(self) -> None:
        """Call all observers after a step. One that fails is reported and removed."""
        for observer in self.items:
            try:
                observer.on_step(self.simulation)
            except Exception as error:
                log.exception("a step observer failed")
                self.remove(observer)
                self.simulation.warn(message("{observer_type} was disabled: {error_type}: {error}",
                                             observer_type=type(observer).__name__, error_type=type(error).__name__, error=error))

    def forget_after(self, step: int) -> None:
        """Let all observers discard the steps after that one."""
        for observer in self.items:
            observer.forget_after(step)

    def forget(self) -> None:
        """Let all observers discard everything."""
        for observer in self.items:
            observer.forget()
