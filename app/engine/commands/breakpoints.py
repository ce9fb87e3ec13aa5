"""Commands of breakpoints."""

from typing import Any

from app.engine.command import command
from app.engine.simulation import Simulation


@command
def add_breakpoint(simulation: Simulation, kind: str) -> None:
    """Add a breakpoint of a kind, by the name of its class."""
    simulation.breakpoints.add(kind)


@command
def remove_breakpoint(simulation: Simulation, index: int) -> None:
    """Remove a breakpoint."""
    simulation.breakpoints.remove(index)


@command
def set_breakpoint(simulation: Simulation, index: int, name: str, value: Any) -> None:
    """Set an attribute: an option of its kind, `of` (name of a body, "": any) or the `expression` to watch."""
    simulation.breakpoints.set(index, name, value)


@command
def run_to_hit(simulation: Simulation) -> None:
    """Run until a breakpoint fires: through the recorded future first, then beyond it."""
    simulation.breakpoints.require_one()
    if simulation.timeline.in_past:
        simulation.timeline.go_to_goal()
        simulation.timeline.search(simulation.history.last, run_after=True)
    else:
        simulation.paused = False


@command
def run_back_to_hit(simulation: Simulation) -> None:
    """Go back to the latest step at which a breakpoint that is on fired, or to the oldest step."""
    simulation.breakpoints.require_one()
    simulation.timeline.go_to_goal()
    simulation.player.seek_back()
