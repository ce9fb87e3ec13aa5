"""Report of a step, totals over the steps of a world, and the motion at the start of the last step.

Totals: kinetic energy by cause, and the number of problems left without a solution.

    T(now) - T(begin) = sum over steps of the columns of physics/dynamics/energy_ledger.py + the rest                   (1)

The rest is unknown to solvers: velocities set by the user, steps of a solver that reports no ledger.

The motion at the start of the last step allows comparing forces with the motion that they caused: m (v1 - v0) = h sum f.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from physics.core import former_names
from physics.observe.audit.findings import Audit

BUDGET_SPENT = "budget"
"""`end` of a step that ran out of its time budget before convergence."""

RUN_TO_END = 0, 0
"""Of `Solver.stop_at`: the step does not end in one of its substeps."""


@former_names.accepts_former
@dataclass(slots=True)
class Report:
    """Report of one step of a solver.

    iterations: sweeps or pivots done, see `iteration_unit`; end: "converged" (MS16 eq 17), "iteration limit", "budget", "slow" if
        further sweeps would have gained little, or "fixed" if their number is constant; of the exact solver also "swept",
        "softened", "gave way" (solvers/stewart_trinkle.py).
    change: largest change of a block in the last sweep, by the velocity it causes [m/s] or [rad/s].
    residual: natural map residual, the judge of all solvers [m/s] or [rad/s]; see physics/dynamics/measure.py.
    contacts, rows: sizes of the problem. penetration [m]: deepest overlap at the start of the step (exact solver: end).
    joint_error: largest constraint error at the start of the step [m] or [rad].
    times: wall seconds by phase: "broad", "narrow", "solve", "integrate", and of the whole "step".
    budget: wall seconds allowed (0: no limit).
    asleep: number of sleeping bodies.
    position_iterations: sweeps of the position passes. A replay of a budgeted run needs only `iterations`.
    energy: "kinetic", "potential" [J] at the end of the step.
    ledger: gain of kinetic energy in the step, by cause [J] (physics/dynamics/energy_ledger.py); empty if not reported.
    expected_loss: of the integration, predicted by ST96 eq 24 [J].
    solved: the solver's statistics of its problems (solvers/stewart_trinkle.py).
    iteration_unit: what `iterations` counts. substeps: their number.
    audit: the auditor's findings in the step (physics/observe/audit/auditor.py); None: it is off.
    impacts: number of times in the step at which an impact cut it (time_of_impact.py).
    impact_records: IMPACT (n,) of these impacts, contact by contact (physics/observe/impacts.py); None: there were none.
    contacts_at_end: those found by the solver that replace those it was given.
    observed: the solver has shown its parts to the auditor itself.
    events: of an event-driven step, its articulated.event_log.EventLog.
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
    expected_loss: float = 0.0
    solved: Any = None
    audit: Audit | None = None
    contacts_at_end: np.ndarray | None = None
    iteration_unit: str = "sweeps"
    impacts: int = 0
    impact_records: np.ndarray | None = None
    substeps: int = 1
    events: Any = None
    observed: bool = False
    _written_later: tuple | None = field(default=None, init=False, repr=False, compare=False)

    @classmethod
    def later(cls, write: Callable[..., "Report"], *args: Any) -> "Report":
        """The report `write(*args)`, called when it is first read: in small worlds reports cost as much as steps."""
        report = object.__new__(cls)
        report._written_later = write, args
        return report

    def __getattr__(self, name: str) -> Any:
        """A field that is not written yet. Threads may do this at once: they write the same."""
        if name == "_written_later" or self._written_later is None:
            raise AttributeError(f"a report has no attribute '{name}'")
        write, args = self._written_later
        whole = write(*args)
        for field_name in self.__slots__:
            setattr(self, field_name, getattr(whole, field_name))
        return getattr(self, name)


@former_names.accepts_former
@dataclass(frozen=True)
class EnergyTotals:
    """Sums since the world was made; immutable, each step makes a new one.

    ledger: the sums of (1) by column [J], empty before the first step with a ledger; foreseen: losses predicted by ST96 eq 24
    [J]; begin: kinetic energy before the first step with a ledger [J]; steps: number of steps with a ledger. ray_endings,
    pivot_limit_endings: problems without a solution. budget_ended_steps: of all. audit_failures: steps with findings of the
    auditor; failures_by_rule: their number by rule (physics/observe/audit/findings.py, RULE_NAMES).
    """

    ledger: dict[str, float] = field(default_factory=dict)
    foreseen: float = 0.0
    begin: float = 0.0
    steps: int = 0
    ray_endings: int = 0
    pivot_limit_endings: int = 0
    budget_ended_steps: int = 0
    audit_failures: int = 0
    failures_by_rule: dict[str, int] = field(default_factory=dict)

    def after(self, report: Report) -> "EnergyTotals":
        """The totals with a finished step added; the same object if there is nothing to add."""
        ended, audit = self.budget_ended_steps + (report.end == BUDGET_SPENT), report.audit
        failures, by_rule = self.audit_failures, self.failures_by_rule
        if audit is not None and audit.findings:
            failures, by_rule = failures + 1, by_rule.copy()
            for finding in audit.findings:
                by_rule[finding.short_name] = by_rule.get(finding.short_name, 0) + 1
        if not report.ledger:
            if ended == self.budget_ended_steps and failures == self.audit_failures:
                return self
            return replace(self, budget_ended_steps=ended, audit_failures=failures, failures_by_rule=by_rule)
        begin = self.begin if self.steps else report.energy["kinetic"] - sum(report.ledger.values())
        rays, limits = (report.solved.rays, report.solved.limits) if report.solved is not None else (0, 0)
        return EnergyTotals({name: self.ledger.get(name, 0.0) + gained for name, gained in report.ledger.items()},
                            self.foreseen + report.expected_loss, begin, self.steps + 1, self.ray_endings + rays,
                            self.pivot_limit_endings + limits, ended, failures, by_rule)

    def unexplained(self, kinetic: float) -> float:
        """The rest of (1) [J] at that kinetic energy [J]; 0 before the first step with a ledger."""
        return kinetic - self.begin - sum(self.ledger.values()) if self.steps else 0.0


@former_names.accepts_former
@dataclass(frozen=True)
class StepStart:
    """The motion at the start of a step; immutable. Tables have a row for each body.

    motion: written by `measure.copy_motion`. force, torque: applied in the step, on average [N], [N m]. dt: the step [s].
    contact_impulse: what the contacts gave each body in a step of several parts, (n, 6): [N s], and its moment about the centre
        of mass [N m s]. The contacts hold sums along their last normals. None: they had one, in a step of one part.
    """

    motion: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    dt: float
    contact_impulse: np.ndarray | None = None

    @property
    def pos(self) -> np.ndarray:
        """Centres of mass [m], (n, 3)."""
        return self.motion[:, :3]

    @property
    def quat(self) -> np.ndarray:
        return self.motion[:, 3:7]

    @property
    def velocity(self) -> np.ndarray:
        """[m/s], (n, 3)."""
        return self.motion[:, 7:10]

    @property
    def omega(self) -> np.ndarray:
        """[rad/s], (n, 3)."""
        return self.motion[:, 10:13]

    @property
    def velocity_lag(self) -> np.ndarray:
        """Lag of each body's velocity behind its pose [s] (integrate.py)."""
        return self.motion[:, 13]
