"""The spring by which the mouse drags a body. Dragging is motion and no edit.

These commands have a file below the others because branching from the past releases the body first (timeline/timeline.py).
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from app.engine.command import command, undoable
from app.engine.undo.difference import MOUSE_SPRING
from physics.core.options import checked

MAX_FORCE = 300.0
"""Largest force of the spring per mass of the body [N/kg]: about 30 times its weight."""


def unless_released(function: Callable) -> Callable:
    """Ignore the command after the release: seeking releases the body while the mouse button is still down."""
    @functools.wraps(function)
    def drag(simulation: Any, *args: Any, **kwargs: Any) -> None:
        if simulation.timeline.held or simulation.timeline.nested:
            function(simulation, *args, **kwargs)
    return command(drag)


@undoable
def drag_begin(simulation: Any, body: int, point: Sequence[float]) -> None:
    """Attach a point of a dynamic body [m, world] to the mouse by a spring."""
    drag_end(simulation)
    world = simulation.world
    mass = float(world.bodies["mass"][body])
    if mass > 0.0:
        simulation.timeline.held = True
        spring = world.add_joint("drag", 0, body, anchor=point, name=MOUSE_SPRING, max_friction=MAX_FORCE * mass, mass=mass,
                                 frequency=simulation.drag_stiffness)
        simulation.dragged = int(spring)


@unless_released
@undoable
def drag_move(simulation: Any, target: Sequence[float]) -> None:
    """Set the target of the spring [m, world]."""
    if simulation.dragged >= 0:
        simulation.world.joints[simulation.dragged]["anchor_a"] = target


@unless_released
@undoable
def drag_end(simulation: Any) -> None:
    """Release the body."""
    if simulation.dragged >= 0:
        simulation.world.remove_joint(simulation.dragged)
        simulation.dragged = -1
    simulation.timeline.held = False


@undoable
def set_drag_stiffness(simulation: Any, frequency: float) -> None:
    """Set the frequency of the mouse spring [rad/s]."""
    simulation.drag_stiffness = checked("drag stiffness", frequency, 1.0, unit="rad/s", lo=1.0, hi=100.0)
