"""Lemke's algorithm pivot by pivot, in words: entering and leaving variables, and the remaining distance to a solution.

    w = q + M z + d z_0,   d = 1                                                                          (1)

A solution has z_0 = 0. z_0 enters first, as large as makes all basic variables positive; then the complement of what left. The
step of a pivot is the smallest ratio of a basic variable to its rate of decrease (complementarity/lemke.py). The recorded
entering and leaving variables are replayed in a plain tableau by Gauss-Jordan elimination, which is slower and less accurate but
shows all quantities; `error` is the distance of the end from a solution.
"""

from dataclasses import dataclass

import numpy as np

from app.i18n.message import message
from app.number_format import rounded
from physics.complementarity import lemke
from physics.complementarity.copositive import Copositivity, Verdict, judge
from physics.core.records import MOMENT, Bound, Owner
from physics.solvers.lcp import fallbacks
from physics.solvers.lcp.step import MAX_OBSERVED_PIVOTS, SeenContacts

MAX_UNKNOWNS = 400
"""Unknowns of the largest problem that is replayed."""

MAX_JUDGED = 120
"""Unknowns of the largest problem whose matrix is tested for copositivity: eigenvalues cost the cube of their number."""


@dataclass(frozen=True)
class Unknown:
    """One z and its complement w in words; brief: both in two words; short: z in a grid, in that row; contact: index among the
    path's contacts, -1: of a joint. scale: impulse per unit of z [N s]."""

    z: str
    w: str
    brief: tuple[str, str]
    short: str
    row: str
    contact: int
    scale: float


@dataclass(frozen=True)
class PivotPath:
    """Solution path of one problem. pivots: (p, 2) entering and leaving variables, 0 .. n - 1: z, n .. 2n - 1: w, 2n: z_0; step:
    (p,) the smallest ratio, value of the entering variable; z0: (p,) after each pivot; basic: (p + 1, n) which z are in the
    basis before and after each; z: (n,) at the end; error: largest |min(z, w)| of it; note: remarks; copositivity: of M, None of
    problems too large."""

    round: int
    island: int
    unknowns: tuple[Unknown, ...]
    pivots: np.ndarray
    step: np.ndarray
    z0: np.ndarray
    basic: np.ndarray
    z: np.ndarray
    error: float
    contacts: np.ndarray
    note: str = ""
    copositivity: Copositivity | None = None

    def name(self, variable: int) -> str:
        """Name of a variable of the path."""
        n = len(self.unknowns)
        if variable == 2 * n:
            return "z0"
        return self.unknowns[variable].z if variable < n else self.unknowns[variable - n].w

    def brief(self, variable: int) -> str:
        """The same in two words."""
        n = len(self.unknowns)
        return "z0" if variable == 2 * n else self.unknowns[variable % n].brief[variable // n]

    @property
    def title(self) -> str:
        return message("round {round}, island {island}: {unknowns} unknowns, {pivots} pivots", round=self.round,
                       island=self.island + 1, unknowns=len(self.unknowns), pivots=len(self.pivots))


def trace_pivots(seen: SeenContacts, body_names: tuple[str, ...], joint_names: tuple[str, ...]) -> PivotPath:
    """Replay the pivots of a recorded problem."""
    n = len(seen.account.start)
    M, q, note = seen.account.problem[:, :n], seen.account.problem[:, n], ""
    pivots, start = int(seen.account.pivots[0]), seen.account.start
    trail = seen.account.trail[: min(pivots, MAX_OBSERVED_PIVOTS)].copy()
    if seen.tally[fallbacks.SOFT] or seen.tally[fallbacks.SWEPT]:
        note = "This first attempt had no solution; a regularised problem or sweeps were used instead."
        start = np.zeros(n, np.uint8)
        trail = lemke.solve(M, q, trail=True, limit=MAX_OBSERVED_PIVOTS).trail
    elif pivots > MAX_OBSERVED_PIVOTS:
        note = message("The first {max_observed_pivots} of {pivots} pivots.", max_observed_pivots=MAX_OBSERVED_PIVOTS,
                       pivots=pivots)
    names = tuple(_unknown_names(seen, body_names, joint_names))
    if n > MAX_UNKNOWNS:
        note = message("{unknowns} unknowns: only the names of the pivots are shown; details are available up to {most} "
                       "unknowns.", unknowns=n, most=MAX_UNKNOWNS)
        none = np.full(len(trail), np.nan)
        return PivotPath(seen.round, seen.island, names, trail, none, none, _bases(start, trail), np.zeros(n), np.nan,
                         seen.contacts, note)
    step, z0, z, whole = _values(M, q, start, trail)
    if whole < len(trail):
        note = message("{note} It restarted after pivot {whole}; the restart is not shown.", note=note, whole=whole).strip()
    error = float(np.abs(np.minimum(z, q + M @ z)).max(initial=0.0))
    if not note:
        z, error = seen.account.z, float(seen.account.residual[0])
    return PivotPath(seen.round, seen.island, names, trail[:whole], step, z0, _bases(start, trail[:whole]), z, error,
                     seen.contacts, note, judge(M, q) if n <= MAX_JUDGED else None)


def copositivity_text(path: PivotPath) -> str:
    """Whether M is copositive, and the vector that proves it, in words; "" if it was not judged."""
    found = path.copositivity
    if found is None or not len(path.unknowns):
        return ""
    share = ", ".join(path.unknowns[i].brief[0] for i in np.argsort(-found.witness)[:3].tolist() if found.witness[i] > 0.0) \
        if len(found.witness) else ""
    if found.verdict is Verdict.NOT:
        return message("Not copositive: z'Mz = {found} for {share}. There may be no solution.", found=rounded(found.value, 2),
                       share=share)
    if found.verdict is Verdict.UNKNOWN:
        return "No proof that the matrix is copositive, and too many unknowns to try all of its parts."
    text = message("Copositive, so a solution exists: smallest eigenvalue {least}, friction entries nonnegative.",
                   least=rounded(found.least, 2))
    if not share:
        return text
    return message("{text} Not copositive plus: z'Mz = 0 for {share}, where qz = {against}.", text=text, share=share,
                   against=rounded(found.against, 2))


def _bases(start: np.ndarray, trail: np.ndarray) -> np.ndarray:
    """Which z are basic before and after each pivot."""
    n = len(start)
    basic = np.empty((len(trail) + 1, n), bool)
    basic[0] = start != 0
    for i, (entering, leaving) in enumerate(trail.tolist()):
        basic[i + 1] = basic[i]
        if leaving < n:
            basic[i + 1, leaving] = False
        if entering < n:
            basic[i + 1, entering] = True
    return basic


def _values(M: np.ndarray, q: np.ndarray, start: np.ndarray, trail: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """(step, z0 after each pivot, z at the end, number of replayed pivots) of (1)."""
    n = len(q)
    table = np.hstack([-M, np.eye(n), np.zeros((n, 1)), q[:, None]])
    basis = [i if start[i] else n + i for i in range(n)]
    table = np.linalg.solve(table[:, basis], table) if start.any() else table
    table[:, 2 * n] = -1.0      # covering vector of the starting basis
    step, z0 = [], []
    for entering, leaving in trail.tolist():
        if leaving not in basis or entering in basis:
            break
        row = basis.index(leaving)
        table[row] /= table[row, entering]
        others = np.arange(n) != row
        table[others] -= np.outer(table[others, entering], table[row])
        basis[row] = entering
        step.append(table[row, -1])
        z0.append(table[basis.index(2 * n), -1] if 2 * n in basis else 0.0)
    z = np.zeros(n)
    for row, variable in enumerate(basis):
        if variable < n:
            z[variable] = max(0.0, table[row, -1])
    return np.array(step), np.array(z0), z, len(step)


def _unknown_names(seen: SeenContacts, body_names: tuple[str, ...], joint_names: tuple[str, ...]) -> list[Unknown]:
    """All unknowns of a problem, in its order."""
    account, blocks = seen.account, seen.blocks
    n_f = int(np.count_nonzero(account.forces[:, 1]))
    first: dict[int, int] = {}
    words = []
    for j in range(n_f):
        k = int(account.bounded[account.forces[j, 0], 1])
        first.setdefault(k, j)
        words.append(_force(blocks[k], j - first[k] + 1, float(account.scale[j]), seen, body_names, joint_names))
    for k in account.bounds[: len(seen.account.start) - n_f, 0].tolist():
        block = blocks[k]
        where, row, contact = _place(block, seen, body_names, joint_names)
        speed = (message("angular slip speed of {where}", where=where) if contact >= 0 and block["role"] == MOMENT
                 else message("slip speed of {where}", where=where))
        words.append(Unknown(speed, message("friction margin of {where}", where=where),
                             (message("slip speed {number}", number=row), message("margin {number}", number=row)),
                             "s", row, contact, 1.0))
    return words


def _force(block: np.void, number: int, scale: float, seen: SeenContacts, body_names: tuple[str, ...],
           joint_names: tuple[str, ...]) -> Unknown:
    """Unknown of an impulse along one direction."""
    where, row, contact = _place(block, seen, body_names, joint_names)
    if block["bound"] == Bound.ONE_SIDED:
        what, other, short = ("normal force", "gap", "N") if contact >= 0 else ("limit", "margin to the limit", "L")
        brief = f"{what.split()[0]} {row}", f"{other.split()[0]} {row}"
        return Unknown(message("{what} of {whole}", what=what, whole=where),
                       message("{what} of {whole}", what=other, whole=where), brief, short, row, contact, scale)
    what, short = ("drive", "D") if block["bound"] == Bound.INTERVAL else ("friction", "F")
    if contact >= 0 and block["role"] == MOMENT:
        what, short = ("rolling friction", "R") if block["count"] == 2 else ("torsional friction", "T")
    return Unknown(message("{what} direction {number} of {where}", what=what, number=number, where=where),
                   message("slack of {what} direction {number} of {where}", what=what, number=number, where=where),
                   (f"{what} {row}.{number}",
                    message("slack {row}.{number}", row=row, number=number)), f"{short}{number}", row, contact, scale)


def _place(block: np.void, seen: SeenContacts, body_names: tuple[str, ...], joint_names: tuple[str, ...]) -> tuple[str, str, int]:
    """(owner of the block, a shorter name, index of the contact or -1)."""
    index = int(block["index"])
    if block["owner"] == Owner.CONTACT:
        return message("contact {index} ({pair})", index=index, pair=pair_of(seen.contacts[index], body_names)), f"{index}", index
    name = joint_names[index]
    return message("joint '{name}'", name=name), name, -1


def pair_of(contact: np.void, body_names: tuple[str, ...]) -> str:
    """Names of the two bodies of a contact."""
    return " - ".join(body_names[contact[b]] for b in ("body_a", "body_b"))
