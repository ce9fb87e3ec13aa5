"""Commands of the stepping: solver and its options, sleeping, auditor, gravity, step size."""

from collections.abc import Sequence
from typing import Any

from app.engine.command import undoable
from app.engine.recording.validate_commands import DT_RANGE
from app.engine.simulation import Simulation
from physics import set_option as set_field
from physics.core.options import checked


@undoable
def use_solver(simulation: Simulation, name: str, **options: Any) -> None:
    """Switch to a solver, by file name, with these options and else its default ones."""
    simulation.world.use_solver(name, **options)


@undoable
def set_option(simulation: Simulation, name: str, value: Any) -> None:
    """Set an option of the current solver."""
    set_field(simulation.world.solver.options, name, value)


@undoable
def set_sleeping(simulation: Simulation, name: str, value: Any) -> None:
    """Set an option of sleeping; survives a reset."""
    set_field(simulation.world.sleeping, name, value)


@undoable
def set_audit(simulation: Simulation, name: str, value: Any) -> None:
    """Set an option of the auditor; survives a reset."""
    set_field(simulation.world.audit.options, name, value)


@undoable
def set_gravity(simulation: Simulation, gravity: Sequence[float]) -> None:
    """Set gravity [m/s^2], world frame; survives a reset."""
    simulation.world.set_gravity(gravity)
    simulation.gravity = tuple(float(g) for g in simulation.world.gravity)


@undoable
def set_dt(simulation: Simulation, dt: float) -> None:
    """Set the step size [s]."""
    simulation.dt = checked("step size", dt, 1.0, unit="s", lo=DT_RANGE[0], hi=DT_RANGE[1])
