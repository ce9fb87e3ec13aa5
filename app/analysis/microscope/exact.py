"""Reports of the exact solver as text: problems, energy, contacts, and the expected time of a long step."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from app.engine.frame import Frame
from app.engine.thread import BusyState
from app.i18n.message import message
from app.number_format import rounded, signed
from physics.complementarity.problem import Status
from physics.contact.friction_cone import CASE_TEXTS, classify
from physics.dynamics.energy_ledger import LEDGER_COLUMNS
from physics.observe.report import EnergyTotals
from physics.solvers.lcp import fallbacks

CAUSE_NAMES = {
    "gravity": "Work of gravity.",
    "applied": "Work of external forces, such as wind or a driver of the scene.",
    "drag": "The spring between the mouse and a body.",
    "movers": "Kinematic bodies and belts: work on the bodies that they move, through contacts and joints.",
    "joints": "Reactions of constraints and limits: zero, except for joints driven by kinematic bodies.",
    "drives": "Motors and springs of joints.",
    "contact": "Normal contact forces outside impacts: nearly zero.",
    "contact springs": "Energy returned by the springs of compliant contacts, less that stored in them.",
    "friction": "Contact friction. Never positive (ST96 eq 23).",
    "joint friction": "Friction of joints.",
    "impact": "Energy lost in impacts, less the energy returned by rebounds.",
    "numerical": "Loss of the integration: half the square of the velocity change (ST96 eq 24), and rounding.",
}
"""Columns of the ledger in words."""


PLANAR = {1: "stick", 2: "slide right", 3: "slide left", 4: "degenerate"}
"""T08's planar cases in words."""


PHASE_NAMES = {"compression": "press", "decompression": "release"}
"""Phases of Poisson's restitution, for narrow tables."""


@dataclass(frozen=True)
class Fact:
    """A name, one or two values with units, and an explanation."""

    name: str
    values: tuple[str, ...]
    help: str


def facts(frame: Frame) -> list[Fact]:
    """Facts on the last step, and counts since the scene was loaded; requires a report of the solver."""
    report, solved, account = frame.report, frame.report.solved, frame.energy_totals
    tally = np.concatenate([p.tally[p.tally[:, fallbacks.UNKNOWNS] > 0] for p in solved.problems]) if solved.problems else None
    phases = Counter(p.phase for p in solved.problems)
    lines = [
        ("rounds", message("{rounds}, moved {moved} m", rounds=solved.rounds, moved=rounded(solved.moved, 2)),
         "Number of problems, each linearised at the previous solution, until no body moves by more than the tolerance; and the "
         "motion in the last one."),
        ("phases", ", ".join(f"{count} {phase}" for phase, count in phases.items()) or "none",
         "Sets of problems of all islands: one per round, more where contacts were added; compression and decompression for "
         "Poisson's restitution."),
        ("problems",
         message("{problems}, largest {largest}", problems=0 if tally is None else len(tally), largest=solved.largest),
         "Linear complementarity problems of the step, one per island, and the unknowns of the largest."),
        ("pivots", f"{solved.pivots}", "Pivots of Lemke's algorithm, summed over all problems."),
        ("ended", ended(tally), "Termination of the problems: solved; on a ray, without a solution; or at the pivot limit."),
    ]
    if tally is not None and (tally[:, fallbacks.SOFT] > 0).any():
        lines.append(("softened", message("{times} times", times=int(np.maximum(tally[:, fallbacks.SOFT], 0).sum())),
                      "Attempts with a regularised matrix, where redundant contacts prevented a solution. The solution is judged "
                      "by the original matrix."))
    if tally is not None and tally[:, fallbacks.SWEPT].any():
        swept = int(np.count_nonzero(tally[:, fallbacks.SWEPT]))
        lines.append(("swept", message("{count} problem", "{count} problems", count=swept),
                      "Problems solved by projected sweeps instead."))
    if tally is not None and (gave := tally[:, fallbacks.SOFT] == fallbacks.CONTACTS_YIELDED).any():
        lines.append(("gave way", message("{count} problem", "{count} problems", count=int(np.count_nonzero(gave))),
                      "Problems without a solution, for example between walls that close on a body: their contacts are relaxed "
                      "slightly."))
    if solved.eased < 1.0:
        lines.append(("restitution", message("{eased} of e", eased=rounded(solved.eased, 3)),
                      "Friction and restitution together would have increased the energy; e was reduced to at least this "
                      "fraction."))
    return [Fact(name, (value,), help) for name, value, help in lines] + [
        Fact("residual", (f"{rounded(report.residual, 2)} m/s",), "Residual of the solution (natural map)."),
        Fact("no solution", (unsolved_problems(account),),
             "Problems not solved by Lemke's algorithm since the scene was loaded or reset: it ended on a ray or at its pivot "
             "limit. A regularised matrix or projected sweeps were used instead."),
    ]


def unsolved_problems(account: EnergyTotals) -> str:
    """Number of problems that Lemke's algorithm left unsolved, and of steps that had them."""
    counts = ((account.ray_endings, "on a ray"), (account.pivot_limit_endings, "at the pivot limit"))
    failures = ", ".join(f"{count} {word}" for count, word in counts if count)
    return message("{failures} in {count} step", "{failures} in {count} steps", failures=failures or "none",
                   count=account.steps)


def ended(tally: np.ndarray | None) -> str:
    """How the problems of a tally (n, 7) ended."""
    if tally is None or not len(tally):
        return "nothing to solve"
    status = tally[:, fallbacks.STATUS]
    if np.all(status == Status.SOLVED):
        return "all solved"
    words = ((Status.SOLVED, "solved"), (Status.RAY, "on a ray"), (Status.LIMIT, "at the limit"))
    return ", ".join(f"{count} {word}" for kind, word in words if (count := int(np.count_nonzero(status == kind))))


def problems(frame: Frame) -> list[tuple[str, ...]]:
    """(round and phase, problems, unknowns + equations, pivots) of each set of problems; sizes are of its largest."""
    rows = []
    for p in frame.report.solved.problems:
        unknowns, equations = p.sizes[int(np.argmax(p.sizes[:, 0]))].tolist() if len(p.sizes) else (0, 0)
        islands, pivots = int(np.count_nonzero(p.sizes[:, 0])), int(p.tally[:, fallbacks.PIVOTS].sum())
        rows.append((f"{p.round} {PHASE_NAMES.get(p.phase, p.phase)}", f"{islands}", f"{unknowns} + {equations}", f"{pivots}"))
    return rows


def energies(frame: Frame) -> list[Fact]:
    """The ledger: (this step, since the scene was loaded) [J] by cause, their sums, and their closure error."""
    report, account = frame.report, frame.energy_totals
    kinetic = report.energy["kinetic"]
    largest, largest_so_far = (max(kinetic, *map(abs, ledger.values())) for ledger in (report.ledger, account.ledger))

    def step(energy: float) -> str:
        return signed(energy, of=largest)

    def total(energy: float) -> str:
        return signed(energy, of=largest_so_far)

    lines = [Fact(name, (step(report.ledger[name]), total(account.ledger[name])), CAUSE_NAMES[name]) for name in LEDGER_COLUMNS]
    return [
        *lines,
        Fact("sum", (step(sum(report.ledger.values())), total(sum(account.ledger.values()))),
             "Sum of all causes: the change of the kinetic energy."),
        Fact("kinetic energy", ("", total(kinetic - account.begin)),
             message("Change since then; current value {kinetic} J.", kinetic=rounded(kinetic, 4))),
        Fact("unexplained", ("", total(account.unexplained(kinetic))),
             "Change minus sum: rounding, or changes outside the steps, such as a thrown ball or steps of another solver."),
        Fact("eq 24", (step(-report.expected_loss), total(-account.foreseen)),
             "Prediction of ST96 for 'numerical', which is the remainder of the other causes. They differ where the inertia "
             "matrix changes."),
    ]


@dataclass(frozen=True)
class ContactText:
    """One contact as text. case: T08's sign case and planar case; help: their meaning; ratio: friction over mu times the normal
    impulse, NaN where that is zero."""

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
    """Names of bodies, where they have one."""
    return ", ".join(frame.body_names[b] for b in bodies)


def describe_contact(frame: Frame, index: int) -> ContactText:
    """Describe one contact. index: of the frame's contacts."""
    contact = frame.contacts[index]
    found = classify(contact)
    bound = float(contact["friction"] * contact["impulse"])
    used = float(np.linalg.norm(contact["friction_impulse"]))
    case, signs = found.sign_case, ""
    if case in CASE_TEXTS:
        signs = " ".join("0" if case - 1 & bit else "+" for bit in (4, 2, 1))
    help = (message("T08 sign case {case}: {signs} for the two friction impulses and the slip speed, {meaning}.\nT08 planar "
                    "case {planar_case}: {planar}.", case=case, signs=signs, meaning=CASE_TEXTS.get(case, "none"),
                    planar_case=found.planar_case, planar=PLANAR[found.planar_case]))
    return ContactText(pair_of(frame, index), found.state, f"{case or '-'}, {found.planar_case}", help,
                       f"{rounded(contact['impulse'])}", used / bound if bound > 0.0 else float("nan"))


def estimate_text(busy: BusyState) -> str:
    """Size of the problem that a long step is solving, the time spent on it and the time it may take."""
    if not busy.unknowns:
        return message("a step takes {seconds}", seconds=duration(busy.seconds))
    if busy.working > busy.estimate[1]:
        return message("solving for {unknowns} unknowns: {working}, longer than estimated", unknowns=busy.unknowns,
                       working=duration(busy.working))
    quick, slow = map(duration, busy.estimate)
    foreseen = quick if quick == slow else message("{quick} to {slow}", quick=quick, slow=slow)
    return message("solving for {unknowns} unknowns: {working} of {foreseen}", unknowns=busy.unknowns,
                   working=duration(busy.working), foreseen=foreseen)


def duration(seconds: float) -> str:
    """Format a time roughly: "0.4 s", "35 s", "4 min", "3 h"."""
    if seconds >= 7200.0:
        return f"{seconds / 3600.0:.0f} h"
    if seconds >= 120.0:
        return message("{seconds:.0f} min", seconds=seconds / 60.0)
    return f"{seconds:.0f} s" if seconds >= 10.0 else f"{seconds:.1f} s"
