"""An impact step by step: what one contact did in each of the steps around it, and in words what that amounts to.

In T08 an impact takes two steps. The first leaves the gap that there is, and no more: it stops the penetration,

    v1 = -gap / h      (the contact anticipates: it acts before the bodies touch)                          (1)

and the second, in which they touch, takes the rest of the velocity. A contact that rebounds does that in the step in which
it touches, or closes the gap first and waits for the next one (physics/contact_law.py). Solvers that cut a step into parts
do all of this within one.

Of an impulse that turns v0 < 0 into v1 > 0 the share -v0 / (v1 - v0) stops the approach, as Poisson's compression does, and the
rest throws back.                                                                                          (2)
"""

import math
from dataclasses import dataclass

import numpy as np

from app.digits import few
from app.engine.identity import ContactKey, find_contact
from app.engine.impacts import StepSeen
from physics.contact_law import TOUCH
from physics.core.records import Case

STILL = 0.01
"""Slower is at rest [m/s]."""

BLOW = 0.05
"""An impact changes the normal velocity by more than this, and by more than gravity does in a step and a half [m/s]."""

MOST = 8
"""Impacts of a step that are told apart, the strongest."""

LISTED = 14
"""Impacts in the list, the newest."""

LEAD = 0.4
"""Share of the strip before an impact."""

APART, ANTICIPATES, STOPS, WAITS, REBOUNDS, RESTS, LEAVES, UNSEEN = (
    "apart", "anticipates", "stops", "waits", "rebounds", "rests", "leaves", "")

MEANING = {
    APART: "No impulse: the gap is larger than the way of the step.",
    ANTICIPATES: "It acts before the bodies touch: of the velocity it leaves what closes the gap in this step, gap / h; of a "
                 "solver that cuts the step into parts, in its last part.",
    STOPS: "The impulse takes the velocity that is left.",
    WAITS: "It closes the gap first: the rebound would be lower than the gap that is left, and follows in the next step.",
    REBOUNDS: "The impulse stops the approach and throws back. Where friction and Newton's law would gain energy, e is smaller, "
              "until nothing is gained.",
    RESTS: "No impact: the impulse bears the load.",
    LEAVES: "They come apart without an impulse.",
    UNSEEN: "This contact was not there: the bodies were too far apart, or others of their points touched.",
}
"""What a contact does in a step, in words."""

MINUS = "\u2212"

@dataclass(frozen=True)
class Impact:
    """One blow. key: of its strongest contact; first, last: steps of its impulse; time [s]; speed: fastest approach [m/s];
    impulse: in all these steps [N s]."""

    key: ContactKey
    bodies: tuple[int, int]
    first: int
    last: int
    time: float
    speed: float
    impulse: float


@dataclass(frozen=True)
class Column:
    """One step of a contact. role: of MEANING; normal, friction: impulses [N s]; stops, throws: parts of the normal one by (2);
    gap, gap_after [m]; before, after: normal velocities [m/s], < 0 where they approach; slip [m/s]; kinetic: energy of the two
    bodies at the end [J]; case: "stick", "slide", "open"; restitution:
    what energy allowed of that of the pair, `meant`. All NaN where the contact was not there."""

    step: int
    time: float
    dt: float
    role: str
    gap: float = math.nan
    gap_after: float = math.nan
    before: float = math.nan
    after: float = math.nan
    normal: float = math.nan
    friction: float = math.nan
    stops: float = 0.0
    throws: float = 0.0
    slip: float = math.nan
    kinetic: float = math.nan
    case: str = ""
    sign_case: int = 0
    restitution: float = math.nan
    meant: float = math.nan


def blows(seen: StepSeen) -> list[tuple[ContactKey, tuple[int, int], float, float]]:
    """(key, bodies, approach [m/s], impulse [N s]) of each pair that strikes in a step, the strongest first."""
    rows = seen.rows
    change = rows["after"] - rows["approach"]
    hit = np.flatnonzero((rows["normal"] > 0.0) & (rows["approach"] < -BLOW) & (change > max(BLOW, 1.5 * seen.pull)))
    found: dict[tuple[int, int], tuple[ContactKey, tuple[int, int], float, float]] = {}
    for i in hit[np.argsort(-rows["normal"][hit], kind="stable")].tolist():
        row = rows[i]
        pair = int(row["shape_a"]), int(row["shape_b"])
        if pair not in found:
            found[pair] = ((*pair, int(row["feature"])), (int(row["body_a"]), int(row["body_b"])), float(row["approach"]),
                           float(row["normal"]))
            if len(found) == MOST:
                break
    return list(found.values())


def impacts(steps: list[StepSeen], body: int = -1) -> list[Impact]:
    """The impacts of these steps in the order of time, of one body or of all; blows of a pair in steps that follow one another
    are one."""
    found: list[Impact] = []
    going: dict[tuple[int, int], int] = {}
    for seen in steps:
        for key, bodies, approach, impulse in blows(seen):
            if body >= 0 and body not in bodies:
                continue
            at = going.get(key[:2], -1)
            if at >= 0 and seen.step - found[at].last <= 1:
                old = found[at]
                found[at] = Impact(old.key, bodies, old.first, seen.step, old.time, max(old.speed, -approach),
                                   old.impulse + impulse)
            else:
                going[key[:2]] = len(found)
                found.append(Impact(key, bodies, seen.step, seen.step, seen.time, -approach, impulse))
    return found


def strip(steps: list[StepSeen], key: ContactKey, around: int, count: int) -> list[Column]:
    """`count` steps with one contact, with the step `around` after LEAD of them; all of them in the past that is known."""
    known = {seen.step: seen for seen in steps}
    if not known:
        return []
    last = min(max(known), around + count - 1 - round(LEAD * count))
    first = max(min(known), last - count + 1)
    last = min(max(known), first + count - 1)
    return [column(known[step], key) for step in range(first, last + 1) if step in known]


def column(seen: StepSeen, key: ContactKey) -> Column:
    """What that contact did in a step."""
    rows = seen.rows
    own = find_contact(rows, key)
    if own < 0:
        return Column(seen.step, seen.time, seen.dt, UNSEEN)
    row = rows[own]
    before, after, normal = float(row["approach"]), float(row["after"]), float(row["normal"])
    back = max(0.0, after) / (after - before) if before < 0.0 < after and normal > 0.0 else 0.0
    role = role_of(float(row["gap"]), before, after, normal, float(row["pending"]))
    case = "open" if normal <= 0.0 else "slide" if row["case"] == Case.SLIP else "stick"
    return Column(seen.step, seen.time, seen.dt, role, float(row["gap"]), float(row["gap_after"]), before, after, normal,
                  float(row["friction"]), (1.0 - back) * normal, back * normal, float(row["slip"]), float(row["kinetic"]), case,
                  int(row["sign_case"]), float(row["restitution"]), float(row["meant"]))


def role_of(gap: float, before: float, after: float, normal: float, pending: float) -> str:
    """One of MEANING."""
    if normal <= 0.0:
        return LEAVES if after > STILL and gap <= TOUCH else APART
    if pending > 0.0:
        return WAITS
    if before < -STILL:
        if after > STILL:
            return REBOUNDS
        return ANTICIPATES if gap > TOUCH and after < -STILL else STOPS
    if after > STILL:
        return REBOUNDS
    return ANTICIPATES if gap > TOUCH and after < -STILL else RESTS


def story(columns: list[Column], impact: Impact | None) -> str:
    """What the strip shows, in a sentence or two with its numbers."""
    at = next((i for i, c in enumerate(columns) if c.role in (ANTICIPATES, WAITS, STOPS, REBOUNDS)
               and (impact is None or c.step >= impact.first)), -1)
    if at < 0:
        return "No impact in these steps."
    if at and columns[at - 1].role in (ANTICIPATES, WAITS):     # too weak to count as a blow
        at -= 1
    first, then = columns[at], columns[at + 1] if at + 1 < len(columns) else None
    whole = abs(first.after + first.gap / first.dt) <= 1e-3 * abs(first.after) + 1e-9
    left = f"leaves v = {f'{MINUS}gap/h = ' if whole else ''}{number(first.after)} m/s"
    if first.role in (ANTICIPATES, WAITS):
        what = "The rebound waits" if first.role == WAITS else "Two steps. The first stops the penetration" if whole else (
            "Two steps. The last part of the first anticipates")
        begin = f"{what}: \u03bb = {number(first.normal)} N s {left}."
        if then is None:
            return begin + " The next step is still to come."
        if then.role == REBOUNDS:
            second = f" The second throws back: \u03bb = {number(then.normal)} N s, v = {number(then.after)} m/s."
            return begin + second + limited(then)
        if then.role == STOPS:
            return begin + f" The second removes the velocity: \u03bb = {number(then.normal)} N s, v = {number(then.after)}."
        return begin
    if first.role == REBOUNDS:
        return (f"One step: \u03bb = {number(first.normal)} N s turns {number(first.before)} into {number(first.after)} m/s, "
                f"{number(first.stops)} N s to stop the approach and {number(first.throws)} N s to throw back.") + limited(first)
    met = (f"with {metres(first.gap)} to go: the solver cuts the step into parts, and the last ones stop it" if first.gap > TOUCH
           else "as they touch")
    return f"One step: \u03bb = {number(first.normal)} N s takes {number(first.before)} m/s {met}."


def limited(column: Column) -> str:
    """Whether energy allowed all of the restitution of a rebound."""
    if not column.restitution < 0.999 * column.meant:
        return ""
    return (f" Energy allows e = {number(column.restitution)} of {number(column.meant)}: with all of it friction would give more "
            "energy than the impact takes.")


def number(value: float) -> str:
    """Three digits; whole ones as such, noise as nothing."""
    if abs(value) < 5e-10:
        return "0"
    return few(value).replace("-", MINUS)


def metres(value: float) -> str:
    """A length in a unit that suits it."""
    size = abs(value)
    scale, unit = (1.0, "m") if size >= 0.1 else (1e3, "mm") if size >= 1e-5 or size < 1e-9 else (1e6, "\u00b5m")
    return f"{number(scale * value)} {unit}"
