"""What the steps of a world have added up to: where its kinetic energy went, and problems that were left without a solution.

    T(now) - T(begin) = sum over steps of the columns of physics/ledger.py + the rest                   (1)

The rest is what no solver saw: velocities that a person gave, steps of a solver that tells nothing.
"""

from dataclasses import dataclass, field, replace

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
        short = self.short + (report.end == SHORT)
        if report.audit is not None and not report.audit.ok:
            titles = [finding.title for finding in report.audit.findings]
            broken = {**self.broken, **{title: self.broken.get(title, 0) + 1 for title in titles}}
            return replace(self, failed=self.failed + 1, broken=broken).after(replace(report, audit=None))
        if not report.ledger:
            return self if short == self.short else replace(self, short=short)
        begin = self.begin if self.steps else report.energy["kinetic"] - sum(report.ledger.values())
        rays, limits = (report.solved.rays, report.solved.limits) if report.solved is not None else (0, 0)
        return Account({name: self.ledger.get(name, 0.0) + gained for name, gained in report.ledger.items()},
                       self.foreseen + report.numerical, begin, self.steps + 1, self.rays + rays, self.limits + limits,
                       short, self.failed, self.broken)

    def rest(self, kinetic: float) -> float:
        """The rest of (1) [J] at that kinetic energy [J]; 0 before the first step that told."""
        return kinetic - self.begin - sum(self.ledger.values()) if self.steps else 0.0
