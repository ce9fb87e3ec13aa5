"""What the steps of a world have added up to: where its kinetic energy went, and problems that were left without a solution.

    T(now) - T(begin) = sum over steps of the columns of physics/ledger.py + the rest                   (1)

The rest is what no solver saw: velocities that a person gave, steps of a solver that tells nothing.
"""

from dataclasses import dataclass, field

from physics.report import SHORT, Report


@dataclass(frozen=True)
class Account:
    """Sums since the world was made; never changed, each step makes a new one.

    ledger: the sums of (1) by column [J], empty before the first step that told; foreseen: of the losses by ST96 eq 24 [J];
    begin: kinetic energy before the first step that told [J]; steps: how many told. rays, limits: problems without a solution.
    short: steps that the clock ended, of all. failed: steps in which the auditor found something; broken: in how many, by what
    (physics/auditing/told.py, TITLES).
    """

    ledger: dict[str, float] = field(default_factory=dict)
    foreseen: float = 0.0
    begin: float = 0.0
    steps: int = 0
    rays: int = 0
    limits: int = 0
    short: int = 0
    failed: int = 0
    broken: dict[str, int] = field(default_factory=dict)

    def after(self, report: Report) -> "Account":
        """The account with a finished step added; itself if there is nothing to add."""
        short, audit = self.short + (report.end == SHORT), report.audit
        failed, broken = self.failed, self.broken
        if audit is not None and audit.findings:
            failed, broken = failed + 1, broken.copy()
            for finding in audit.findings:
                broken[finding.title] = broken.get(finding.title, 0) + 1
        if not report.ledger:
            if short == self.short and failed == self.failed:
                return self
            return Account(self.ledger, self.foreseen, self.begin, self.steps, self.rays, self.limits, short, failed, broken)
        begin = self.begin if self.steps else report.energy["kinetic"] - sum(report.ledger.values())
        rays, limits = (report.solved.rays, report.solved.limits) if report.solved is not None else (0, 0)
        return Account({name: self.ledger.get(name, 0.0) + gained for name, gained in report.ledger.items()},
                       self.foreseen + report.numerical, begin, self.steps + 1, self.rays + rays, self.limits + limits,
                       short, failed, broken)

    def rest(self, kinetic: float) -> float:
        """The rest of (1) [J] at that kinetic energy [J]; 0 before the first step that told."""
        return kinetic - self.begin - sum(self.ledger.values()) if self.steps else 0.0
