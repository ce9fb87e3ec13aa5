"""What the auditor tells of a step: plain values, and the sentence of each finding (what, where, what to do)."""

from dataclasses import dataclass

from physics.auditing.found import Rule

TITLES = {
    Rule.GAINED: "energy from nowhere", Rule.LOST: "energy lost to nowhere", Rule.BALANCE: "motion without an impulse",
    Rule.MOMENTUM: "momentum not kept", Rule.SPIN: "angular momentum not kept", Rule.JOINT: "joint apart",
    Rule.PULLS: "contact pulls", Rule.ACROSS: "push across a gap", Rule.CONE: "too much friction",
    Rule.STICKS: "too little friction", Rule.DRIVES: "friction drives", Rule.OVERLAP: "overlap"}
"""Two or three words for each rule."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The worst place at which a rule was broken in a step.

    value: [J], [N s] or [N m s], [m] or [rad], [m/s], by the rule; ratio: value over its threshold, > 1; count: places in the
    step. body, other, joint, contact: indices, -1: none. share: of what moves there [%]. who: the bodies or the joint, in quotes;
    where: "" or the contact or joint that did most.
    """

    rule: Rule
    value: float
    ratio: float
    count: int
    body: int
    other: int
    joint: int
    contact: int
    share: float
    who: str
    where: str

    @property
    def title(self) -> str:
        """In two or three words."""
        return TITLES[self.rule]

    @property
    def text(self) -> str:
        """What, where, what to do, in one sentence without its end."""
        return _sentence(self.rule, self.value, self.share, self.who, self.where)


@dataclass(frozen=True, slots=True)
class Audit:
    """A step as the auditor sees it. findings: the worst first."""

    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no rule was broken."""
        return not self.findings

    @property
    def worst(self) -> Finding | None:
        """The finding that is farthest beyond its threshold."""
        return self.findings[0] if self.findings else None


def _sentence(rule: Rule, value: float, share: float, who: str, where: str) -> str:
    if rule == Rule.GAINED and where:
        return (f"Energy from nowhere: {who} gained {value:.2g} J within about a second ({share:.2g} % of what moves), most of "
                f"it at {where}; take a smaller step, more substeps or another solver")
    if rule == Rule.GAINED:
        return (f"Energy from nowhere: {who} gained {value:.2g} J within about a second ({share:.2g} % of what moves); "
                "take a smaller step, more substeps or another solver")
    if rule == Rule.LOST and where:
        return (f"Energy lost to nowhere: {who} lost {-value:.2g} J within about a second ({share:.2g} % of what moves), most of "
                f"it at {where}; take a smaller step, more substeps or another solver")
    if rule == Rule.LOST:
        return (f"Energy lost to nowhere: {who} lost {-value:.2g} J within about a second ({share:.2g} % of what moves); "
                "take a smaller step, more substeps or another solver")
    if rule == Rule.BALANCE:
        return (f"Motion without an impulse: the momentum of {who} changed by {value:.2g} N s (or N m s) that no reported "
                "impulse explains; do not trust the forces shown, take another solver")
    if rule == Rule.MOMENTUM:
        return (f"Momentum is not kept: {who}, which nothing outside touches, changed it by {value:.2g} N s in a step; "
                "take a smaller step or another solver")
    if rule == Rule.SPIN:
        return (f"Angular momentum is not kept: {who}, which nothing outside touches, changed it by {value:.2g} N m s in a "
                "step; take a smaller step or more substeps")
    if rule == Rule.JOINT:
        return (f"A joint comes apart: {who} is off by {value:.2g} m (or rad); take a smaller step, more substeps, or masses "
                "that differ less")
    return _of_contact(rule, value, who)


def _of_contact(rule: Rule, value: float, who: str) -> str:
    """The sentences about the law of contacts."""
    if rule == Rule.PULLS:
        return f"A contact pulls: the normal impulse between {who} is {value:.2g} N s; take more sweeps or another solver"
    if rule == Rule.ACROSS:
        return (f"A push across a gap: {who} press on one another though {1e3 * value:.2g} mm apart all the time; take a smaller "
                "step")
    if rule == Rule.CONE:
        return (f"Too much friction: between {who} it is {value:.2g} N s beyond its bound; take more sweeps or another solver")
    if rule == Rule.STICKS:
        return (f"Too little friction: {who} slip at {value:.2g} m/s, and friction has not all that it may have; take more "
                "sweeps, a smaller step or no budget of time")
    if rule == Rule.DRIVES:
        return f"Friction drives: between {who} it acts along the slip and not against it; take more sweeps or a smaller step"
    return (f"Bodies in one another: {who} overlap by {1e3 * value:.2g} mm; take a smaller step, more sweeps or thicker bodies")
