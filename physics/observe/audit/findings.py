"""Findings of the auditor for a step: plain values, and a sentence for each (what, where, what to do)."""

from dataclasses import dataclass

from physics.core import former_names
from physics.observe.audit.worst_places import Rule

RULE_NAMES = {
    Rule.GAINED: "unexplained energy gain", Rule.LOST: "unexplained energy loss", Rule.BALANCE: "unexplained momentum change",
    Rule.MOMENTUM: "momentum not conserved", Rule.SPIN: "angular momentum not conserved", Rule.JOINT: "joint separation",
    Rule.PULLS: "tensile contact force", Rule.ACROSS: "impulse across a gap", Rule.CONE: "friction above its bound",
    Rule.STICKS: "friction below its bound", Rule.DRIVES: "friction along the slip", Rule.OVERLAP: "overlap"}
"""Two or three words for each rule."""


@former_names.accepts_former
@dataclass(frozen=True, slots=True)
class Finding:
    """The worst violation of a rule in a step.

    value: [J], [N s] or [N m s], [m] or [rad], [m/s], by the rule; ratio: value over its threshold, > 1; count: violations in the
    step. body, other, joint, contact: indices, -1: none. share: of the energy moving there [%]. who: the bodies or the joint, in
    quotes; where: "" or the contact or joint that contributed most.
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
    def short_name(self) -> str:
        """The rule in two or three words."""
        return RULE_NAMES[self.rule]

    @property
    def text(self) -> str:
        """What, where, what to do, in one sentence without a full stop."""
        return _sentence(self.rule, self.value, self.share, self.who, self.where)


@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of a step. findings: the worst first."""

    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether no rule was broken."""
        return not self.findings

    @property
    def worst(self) -> Finding | None:
        """The finding farthest beyond its threshold."""
        return self.findings[0] if self.findings else None


def _rounded(value: float) -> float:
    """A number with two digits, which `.6g` shows without an exponent up to a million."""
    return float(f"{value:.2g}")


def _sentence(rule: Rule, value: float, share: float, who: str, where: str) -> str:
    size = _rounded(abs(value))
    if rule == Rule.GAINED and where:
        return (f"Unexplained energy gain: {who} gained {size:.6g} J within about a second ({share:.3g} % of the kinetic "
                f"energy), most of it at {where}; reduce the step size, add substeps or choose another solver")
    if rule == Rule.GAINED:
        return (f"Unexplained energy gain: {who} gained {size:.6g} J within about a second ({share:.3g} % of the kinetic "
                "energy); reduce the step size, add substeps or choose another solver")
    if rule == Rule.LOST and where:
        return (f"Unexplained energy loss: {who} lost {size:.6g} J within about a second ({share:.3g} % of the kinetic "
                f"energy), most of it at {where}; reduce the step size, add substeps or choose another solver")
    if rule == Rule.LOST:
        return (f"Unexplained energy loss: {who} lost {size:.6g} J within about a second ({share:.3g} % of the kinetic "
                "energy); reduce the step size, add substeps or choose another solver")
    if rule == Rule.BALANCE:
        return (f"Unexplained momentum change: the momentum of {who} changed by {size:.6g} N s (or N m s) without a reported "
                "impulse; the displayed forces are unreliable, choose another solver")
    if rule == Rule.MOMENTUM:
        return (f"Momentum is not conserved: the isolated group {who} changed its momentum by {size:.6g} N s in one step; "
                "reduce the step size or choose another solver")
    if rule == Rule.SPIN:
        return (f"Angular momentum is not conserved: the isolated group {who} changed its angular momentum by {size:.6g} N m s "
                "in one step; reduce the step size or add substeps")
    if rule == Rule.JOINT:
        return (f"Joint separation: {who} has a position error of {size:.6g} m (or rad); reduce the step size, add substeps or "
                "reduce the mass ratio")
    return _of_contact(rule, size, _rounded(1e3 * value), who)


def _of_contact(rule: Rule, size: float, millimetres: float, who: str) -> str:
    """The sentences about the law of contacts."""
    if rule == Rule.PULLS:
        return (f"Tensile contact force: the normal impulse between {who} is {size:.6g} N s; increase the number of sweeps or "
                "choose another solver")
    if rule == Rule.ACROSS:
        return (f"Impulse across a gap: {who} exert forces on each other although they stay {millimetres:.6g} mm apart; reduce "
                "the step size")
    if rule == Rule.CONE:
        return (f"Friction above its bound: between {who} it exceeds the bound by {size:.6g} N s; increase the number of sweeps "
                "or choose another solver")
    if rule == Rule.STICKS:
        return (f"Friction below its bound: {who} slip at {size:.6g} m/s with less than the full friction; increase the number "
                "of sweeps, reduce the step size or remove the time budget")
    if rule == Rule.DRIVES:
        return (f"Friction along the slip: between {who} it acts in the direction of slip instead of against it; increase the "
                "number of sweeps or reduce the step size")
    return (f"Penetration: {who} overlap by {millimetres:.6g} mm; reduce the step size, increase the number of sweeps or use "
            "thicker bodies")
