"""What a step tells about itself."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics.auditing.told import Audit

SHORT = "budget"
"""The end of a step that the clock ended before its impulses had settled."""

NEVER = 0, 0
"""Of a solver's `frozen`: the step does not end in one of its substeps."""


@dataclass(slots=True)
class Report:
    """One step of a solver.

    iterations: sweeps or pivots done, see `counted`; end: "converged" (MS16 eq 17), "iteration limit", "budget", or "fixed" where
        they are always as many; of the exact solver also "swept", "softened", "gave way" (solvers/stewart_trinkle.py).
    change: largest change of a block in the last sweep, by the velocity it causes [m/s] or [rad/s].
    residual: natural map, the judge of all solvers [m/s] or [rad/s]; see physics/measure.py.
    contacts, rows: sizes of the problem. penetration [m]: deepest overlap at the start of the step (exact solver: end).
    joint_error: largest constraint error at the start of the step [m] or [rad].
    times: wall seconds by phase: "broad", "narrow", "solve", "integrate", and of the whole "step".
    budget: wall seconds allowed (0: no limit).
    asleep: bodies that sleep.
    position_iterations: sweeps of the position passes. A replay of a budgeted run needs to know `iterations` only.
    energy: "kinetic", "potential" [J] at the end of the step.
    ledger: what the kinetic energy gained in the step, by cause [J] (physics/ledger.py); empty where the solver does not tell.
    numerical: the loss of the integration as ST96 eq 24 foresees it [J].
    solved: what a solver tells of its problems (solvers/stewart_trinkle.py).
    counted: what `iterations` counts. parts: substeps into which the step was cut.
    audit: what the auditor found in the step (physics/audit.py); None: it is off.
    impacts: moments of it at which something rebounded (time_of_impact.py).
    touching: contacts that a solver found in place of those it was given; the step takes them over.
    """

    solver: str
    iterations: int
    end: str
    change: float
    residual: float
    contacts: int
    rows: int
    penetration: float
    joint_error: float
    asleep: int = 0
    position_iterations: int = 0
    budget: float = 0.0
    times: dict[str, float] = field(default_factory=dict)
    energy: dict[str, float] = field(default_factory=dict)
    ledger: dict[str, float] = field(default_factory=dict)
    numerical: float = 0.0
    solved: Any = None
    audit: Audit | None = None
    touching: np.ndarray | None = None
    counted: str = "sweeps"
    impacts: int = 0
    parts: int = 1
