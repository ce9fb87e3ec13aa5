"""What a step tells about itself."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Report:
    """One step of a solver.

    iterations: sweeps done; end: "converged" (MS16 eq 17), "iteration limit", "budget", or "fixed" where they are always as many.
    change: largest change of a block in the last sweep, by the velocity it causes [m/s] or [rad/s].
    residual: natural map, the judge of all solvers [m/s] or [rad/s]; see physics/measure.py.
    contacts, rows: sizes of the problem. penetration [m]: deepest overlap at the start of the step.
    joint_error: largest constraint error at the start of the step [m] or [rad].
    times: wall seconds by phase: "broad", "narrow", "solve", "integrate", and of the whole "step".
    budget: wall seconds allowed (0: no limit).
    asleep: bodies that sleep.
    position_iterations: sweeps of the position passes. A replay of a budgeted run needs to know `iterations` only.
    energy: "kinetic", "potential" [J] at the end of the step.
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
