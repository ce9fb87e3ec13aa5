"""What the members of a fan have other than the main simulation: one setting, with a value of their own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.engine import commands
from app.engine.recording.validate_commands import DT_RANGE
from app.engine.simulation import Simulation
from app.engine.undo.difference import file_of
from app.i18n.message import message
from physics import BadInput, solvers
from physics.core.options import checked

MIN_MEMBERS, MAX_MEMBERS = 3, 9
"""Smallest and largest number of members of a fan."""


@dataclass(frozen=True)
class Variable:
    """A setting that a fan varies.

    title, unit, help: for display. lo, hi: range of its values. set: (simulation, value), a command. unshared: those by which
    the main simulation changes it, which the members do not repeat. present: (world, step size [s]) -> its value there.
    """

    title: str
    unit: str
    lo: float
    hi: float
    help: str
    set: Callable[[Simulation, Any], None]
    unshared: tuple[Callable, ...]
    present: Callable[[Any, float], Any]


def _mean(table: str, column: str) -> Callable[[Any, float], float]:
    """Mean of the friction or restitution of all shapes in use, or of the friction bounds of all joints."""
    def mean(world: Any, dt: float) -> float:
        rows = getattr(world, table)
        used = rows["body"] >= 0 if table == "shapes" else rows["kind"] >= 0
        values = rows[column][used]
        return float(np.mean(values if values.ndim == 1 else values[:, 0])) if len(values) else 0.0
    return mean


def _use_solver(simulation: Simulation, file: str) -> None:
    """A solver that it has already keeps its options, another gets those with which it supports the world."""
    if file != file_of(simulation.world.solver):
        _, options = solvers.support(solvers.available()[file], simulation.world)
        commands.use_solver(simulation, file, **options)


VARIABLES = {
    "friction": Variable("friction \u03bc", "", 0.0, 2.0, "Friction coefficient of all bodies.",
                         commands.set_friction, (commands.set_friction,), _mean("shapes", "friction")),
    "restitution": Variable("restitution e", "", 0.0, 1.0, "Coefficient of restitution of all bodies.",
                            commands.set_restitution, (commands.set_restitution,), _mean("shapes", "restitution")),
    "joint_friction": Variable("joint friction", "N m", 0.0, 1000.0, "Dry friction bound of all joints, in N m or N.",
                               commands.set_joint_friction, (commands.set_joint_friction, commands.set_joint_law),
                               _mean("joints", "max_friction")),
    "dt": Variable("step size", "s", *DT_RANGE, "Each world is shown at its last step before the time of the main one.",
                   commands.set_dt, (commands.set_dt,), lambda world, dt: dt),
    "solver": Variable("solver", "", 0.0, 0.0, "Each with its own options.",
                       _use_solver, (commands.use_solver, commands.set_option), lambda world, dt: world.solver.name)}
"""By the name under which `Comparison.start_fan` knows them."""


@dataclass(frozen=True)
class Variation:
    """One member's value: of a variable by name; a number, or the file of a solver."""

    variable: str
    value: float | str

    @property
    def unshared(self) -> tuple[Callable, ...]:
        """Commands of the main simulation that the member does not repeat."""
        return VARIABLES[self.variable].unshared

    def apply(self, simulation: Simulation) -> None:
        """Set the value."""
        VARIABLES[self.variable].set(simulation, self.value)


def variations(variable: str, values: tuple[float | str, ...]) -> tuple[Variation, ...]:
    """The variations of a fan, checked.

    Raises:
        BadInput: an unknown variable, a number of values or a value out of range.
    """
    if variable not in VARIABLES:
        raise BadInput(message("a fan cannot vary '{variable}'; available: {known}", variable=variable,
                               known=", ".join(VARIABLES)))
    if not MIN_MEMBERS <= len(set(values)) == len(values) <= MAX_MEMBERS:
        raise BadInput(message("a fan has {least} to {most} different values, not {values}", least=MIN_MEMBERS, most=MAX_MEMBERS,
                               values=len(set(values))))
    known, found = VARIABLES[variable], []
    for value in values:
        if variable == "solver":
            if value not in solvers.available():
                raise BadInput(message("unknown solver '{solver}'; available: {known}", solver=value,
                                       known=", ".join(solvers.available())))
            found.append(Variation(variable, value))
        else:
            found.append(Variation(variable, checked(known.title, value, 1.0, unit=known.unit, lo=known.lo, hi=known.hi)))
    return tuple(found)
