"""Commands: functions of a simulation, run between two steps.

A command is posted as the function itself, so that tools can follow a control to the physics; recordings store its name.
"""

import functools
from collections.abc import Callable
from typing import Any

COMMANDS: dict[str, Callable] = {}
"""All commands by name: functions whose first argument is the simulation. Filled as their modules are imported
(app/engine/commands)."""


def command(function: Callable) -> Callable:
    """Register a command that changes neither the world nor its future: clock, playback, recordings, breakpoints."""
    COMMANDS[function.__name__] = function
    return function


def undoable(function: Callable) -> Callable:
    """Register a command that changes the world or its future. It runs in the present, can be undone, and is recorded, so that it
    is repeated when steps are recomputed."""
    @functools.wraps(function)
    def edit(simulation: Any, *args: Any, **kwargs: Any) -> Any:
        return simulation.timeline.run_edit(function, args, kwargs)
    return command(edit)


def is_undoable(function: Callable) -> bool:
    """Return whether the command was registered by `undoable`."""
    return COMMANDS.get(function.__name__) is function and hasattr(function, "__wrapped__")
