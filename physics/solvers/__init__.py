"""Solvers. One file each, with a class `SOLVER`. A solver owns its time loop: it takes the contacts and moves the world by dt.

A solver class has
    name          what a person chooses
    doc           one paragraph: what it does and when to use it
    options       an object of a dataclass of `option(...)` fields, its own for each solver object
    unsupported(world) -> str      why it cannot do this world; "" if it can
    step(world, contacts, dt) -> Report
and, if a step may be cut at impacts, which then act in no time,
    strike(world, contacts, what) -> (Report, took part)      what: of each contact, time_of_impact.py; took part: bool, of each
and, if its answer gets better with more sweeps over the same substep,
    effort        name of the option that says how many
    frozen        (substep, sweeps): the step ends in that substep, 1 .., after so many sweeps, with what that substep did alone;
                  sweeps = -1: before its first force; (0, 0): it goes to its end. For who looks into a step, never for a run
"""

from typing import Any, ClassVar, Protocol

import numpy as np

from physics import solvers
from physics.plugins import discover
from physics.report import Report


class Solver(Protocol):
    """What the world, the GUI and the tests know of a solver."""

    name: ClassVar[str]
    doc: ClassVar[str]
    options: Any

    def unsupported(self, world: Any) -> str:
        """Why this solver cannot do this world; "" if it can."""

    def step(self, world: Any, contacts: np.ndarray, dt: float) -> Report:
        """Advance velocities and positions by dt [s]; write impulses, slip and case into contacts and joints."""


def available() -> dict[str, type[Solver]]:
    """All solver classes by file name."""
    return discover(solvers, "SOLVER")
