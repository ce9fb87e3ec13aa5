"""What the exact solver tells of its steps, as text for people: problems, energy, contacts, and how long it will take."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from app.digits import few
from app.engine.frame import Frame
from app.engine.thread import Busy
from physics.account import Account
from physics.complementarity.status import Status
from physics.friction_cases import MEANING, classify
from physics.lcp import complement
from physics.ledger import COLUMNS

CAUSES = {
    "gravity": "Work of the weights.",
    "applied": "Work of forces from outside, such as wind or a driver of the scene.",
    "drag": "The spring between the mouse and a body.",
    "movers": "Kinematic bodies and belts: what they give to those that they move, through contacts and joints.",
    "joints": "Reactions of constraints and limits: nothing, but for joints that are led by something that moves.",
    "drives": "Motors and springs of joints.",
    "contact": "Normal forces of contacts without an impact: next to nothing.",
    "friction": "Friction of contacts, of the surfaces against one another. Never positive (ST96 eq 23).",
    "joint friction": "Friction of joints.",
    "impact": "What collisions took, less what rebounds gave back.",
    "numerical": "What the integration lost: half the square of the change of velocity (ST96 eq 24), and rounding.",
}
"""The columns of the ledger in words."""


PLANAR = {1: "stick", 2: "slide right", 3: "slide left", 4: "degenerate"}
"""T08's cases of the plane in words."""


SHORT = {"compression": "press", "decompression": "release"}
"""Phases of Poisson's restitution, for narrow tables."""


@dataclass(frozen=True)
class Line:
    """A name, one or two values with units, and what that is."""

    name: str
    values: tuple[str, ...]
    help: str


def facts(frame: Frame) -> list[Line]:
    """Of the last step, and what was counted since the scene was loaded; the solver must have told."""
    report, solved, account = frame.report, frame.report.solved, frame.account
    tally = np.concatenate([p.tally[p.tally[:, complement.UNKNOWNS] > 0] for p in solved.problems]) if solved.problems else None
    phases = Counter(p.phase for p in solved.problems)
    lines = [
        ("rounds", f"{solved.rounds}, moved {few(solved.moved, 2)} m",
         "Problems about the end of the last one, until nothing moves by more than the tolerance; and what the last one moved."),
        ("phases", ", ".join(f"{count} {phase}" for phase, count in phases.items()) or "none",
         "Sets of problems of all islands: one a round, more where contacts were missing; compression and decompression for "
         "Poisson's restitution."),
        ("problems", f"{0 if tally is None else len(tally)}, largest {solved.largest}",
         "Linear complementarity problems of the step, one an island, and the unknowns of the largest."),
        ("pivots", f"{solved.pivots}", "Pivots of Lemke's algorithm in all problems together."),
        ("ended", ended(tally), "How the problems ended: solved; a ray, where Lemke's algorithm finds nothing; or its limit of "
                                "pivots."),
    ]
    if tally is not None and (tally[:, complement.SOFT] > 0).any():
        lines.append(("softened", f"{int(np.maximum(tally[:, complement.SOFT], 0).sum())} times",
                      "Trials with a slightly softer matrix, where redundant contacts kept the algorithm from an answer. The "
                      "answer is judged by the matrix as it was."))
    if tally is not None and tally[:, complement.SWEPT].any():
        lines.append(("swept", f"{int(np.count_nonzero(tally[:, complement.SWEPT]))} problems",
                      "Problems whose answer came from projected sweeps instead."))
    if tally is not None and (gave := tally[:, complement.SOFT] == complement.GAVE_WAY).any():
        lines.append(("gave way", f"{int(np.count_nonzero(gave))} problems",
                      "Problems without any solution, as where walls close on a body: their contacts gave way a little."))
    if solved.eased < 1.0:
        lines.append(("restitution", f"{few(solved.eased, 3)} of e",
                      "Friction and restitution together would have gained energy: so much of e is left, at least, for nothing "
                      "to be gained."))
    return [Line(name, (value,), help) for name, value, help in lines] + [
        Line("residual", (f"{few(report.residual, 2)} m/s",), "By how much the answer violates its own laws (natural map)."),
        Line("no answer", (unanswered(account),),
             "Problems for which Lemke's algorithm found no answer since the scene was loaded or reset: it ended on a ray, where "
             "nothing stops the variable that enters, or was given up after its limit of pivots. A softer matrix or projected "
             "sweeps gave the answer then."),
    ]


def unanswered(account: Account) -> str:
    """How many problems Lemke's algorithm left without an answer, and in how many steps."""
    counts = ((account.rays, "on a ray"), (account.limits, "given up"))
    told = ", ".join(f"{count} {word}" for count, word in counts if count)
    return f"{told or 'none'} in {account.steps} step{'s' * (account.steps != 1)}"


def ended(tally: np.ndarray | None) -> str:
    """How the problems of a tally (n, 7) ended."""
    if tally is None or not len(tally):
        return "nothing to solve"
    status = tally[:, complement.STATUS]
    if np.all(status == Status.SOLVED):
        return "all solved"
    words = ((Status.SOLVED, "solved"), (Status.RAY, "on a ray"), (Status.LIMIT, "at the limit"))
    return ", ".join(f"{count} {word}" for kind, word in words if (count := int(np.count_nonzero(status == kind))))


def problems(frame: Frame) -> list[tuple[str, ...]]:
    """(round and phase, problems, unknowns + equations, pivots) of each set of problems; the sizes are of its largest."""
    rows = []
    for p in frame.report.solved.problems:
        unknowns, equations = p.sizes[int(np.argmax(p.sizes[:, 0]))].tolist() if len(p.sizes) else (0, 0)
        islands, pivots = int(np.count_nonzero(p.sizes[:, 0])), int(p.tally[:, complement.PIVOTS].sum())
        rows.append((f"{p.round} {SHORT.get(p.phase, p.phase)}", f"{islands}", f"{unknowns} + {equations}", f"{pivots}"))
    return rows


def energies(frame: Frame) -> list[Line]:
    """The ledger: (this step, since the scene was loaded) [J] by cause, their sums, and how well they close."""
    report, account = frame.report, frame.account
    kinetic = report.energy["kinetic"]
    lines = [Line(name, (joules(report.ledger[name]), joules(account.ledger[name])), CAUSES[name]) for name in COLUMNS]
    return [
        *lines,
        Line("sum", (joules(sum(report.ledger.values())), joules(sum(account.ledger.values()))),
             "All causes together: the change of the kinetic energy."),
        Line("kinetic energy", ("", joules(kinetic - account.begin)), f"Its change since then; now it is {few(kinetic, 4)} J."),
        Line("left over", ("", joules(account.rest(kinetic))),
             "The change less the sum: rounding, or what no step saw, such as a ball that was thrown in or steps of another "
             "solver."),
        Line("eq 24", (joules(-report.numerical), joules(-account.foreseen)),
             "What ST96 foresees in place of 'numerical', which is what the other causes leave. They differ where the matrix of "
             "inertia changes."),
    ]


def joules(energy: float) -> str:
    """Three digits with a sign."""
    return "0" if energy == 0.0 else f"{energy:+.3g}"


@dataclass(frozen=True)
class Touch:
    """One contact as text. case: T08's sign case and planar case; help: what they mean; ratio: friction over mu times the normal
    impulse, NaN where that is nothing."""

    pair: str
    state: str
    case: str
    help: str
    normal: str
    ratio: float


def pair_of(frame: Frame, index: int) -> str:
    """Names of the two bodies of a contact."""
    contact = frame.contacts[index]
    return name_of_pair(frame, contact["body_a"], contact["body_b"])


def name_of_pair(frame: Frame, *bodies: int) -> str:
    """Names of bodies, as far as they have one."""
    return ", ".join(frame.body_names[b] for b in bodies)


def touch(frame: Frame, index: int) -> Touch:
    """The contact of that index."""
    contact = frame.contacts[index]
    found = classify(contact)
    bound = float(contact["friction"] * contact["impulse"])
    used = float(np.linalg.norm(contact["friction_impulse"]))
    case, signs = found.sign_case, ""
    if case in MEANING:
        signs = " ".join("0" if case - 1 & bit else "+" for bit in (4, 2, 1))
    help = (f"T08 sign case {case}: {signs} for the two friction impulses and the sliding speed, {MEANING.get(case, 'none')}.\n"
            f"T08 planar case {found.planar_case}: {PLANAR[found.planar_case]}.")
    return Touch(pair_of(frame, index), found.state, f"{case or '-'}, {found.planar_case}", help, f"{few(contact['impulse'])}",
                 used / bound if bound > 0.0 else float("nan"))


def waiting(busy: Busy) -> str:
    """How large the problem is that a long step is at, how long it has been at it and how long it may take."""
    if not busy.unknowns:
        return f"a step takes {duration(busy.seconds)}"
    if busy.working > busy.estimate[1]:
        return f"solving for {busy.unknowns} unknowns: {duration(busy.working)}, longer than foreseen"
    quick, slow = map(duration, busy.estimate)
    foreseen = quick if quick == slow else f"{quick} to {slow}"
    return f"solving for {busy.unknowns} unknowns: {duration(busy.working)} of {foreseen}"


def duration(seconds: float) -> str:
    """A time that people can compare: "0.4 s", "35 s", "4 min", "3 h"."""
    if seconds >= 7200.0:
        return f"{seconds / 3600.0:.0f} h"
    if seconds >= 120.0:
        return f"{seconds / 60.0:.0f} min"
    return f"{seconds:.0f} s" if seconds >= 10.0 else f"{seconds:.1f} s"
