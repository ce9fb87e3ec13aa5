"""Impacts step by step: what one contact did in each of the steps around an impact, and a description in words.

In T08 an impact takes two steps. The first leaves exactly the present gap to close: it prevents penetration,

    v1 = -gap / h      (the contact anticipates: it acts before the bodies touch)                          (1)

and the second, in which they touch, removes the remaining velocity. A contact with restitution rebounds in the step in which
it touches, or closes the gap first and rebounds in the next one (physics/contact/targets.py). Solvers that split steps at
impacts do all of this within one.

Of an impulse that turns v0 < 0 into v1 > 0 the share -v0 / (v1 - v0) stops the approach and the remainder is the rebound,   (2)
while friction keeps its direction. Where an impact in no time is recorded, its compression is known (impulse_plane.py).
"""

import math
from dataclasses import dataclass

import numpy as np

from app.analysis.forces import impulse_plane
from app.engine.frame import ContactKey, find_contact
from app.engine.observers.impact_history import StepRecord
from app.i18n.message import message
from app.number_format import rounded
from physics.contact.targets import TOUCH_GAP
from physics.core.records import Case

REST_SPEED = 0.01
"""Below this speed a contact is at rest [m/s]."""

MIN_IMPACT_SPEED = 0.05
"""Least change of normal velocity in an impact; it must also exceed that by gravity in one and a half steps [m/s]."""

MAX_IMPACTS_PER_STEP = 8
"""Impacts of one step that are recorded, strongest first."""

MAX_LISTED_IMPACTS = 14
"""Impacts in the list, newest first."""

SHARE_BEFORE_IMPACT = 0.4
"""Share of the strip before the impact."""

APART, ANTICIPATES, STOPS, WAITS, REBOUNDS, RESTS, LEAVES, UNSEEN = (
    "apart", "anticipates", "stops", "waits", "rebounds", "rests", "leaves", "")

ROLE_TEXTS = {
    APART: "No impulse: the gap is larger than the approach within the step.",
    ANTICIPATES: "Speculative contact: it acts before touching and leaves just the velocity that closes the gap in this step, "
                 "gap / h; with substeps, in the last substep.",
    STOPS: "The impulse removes the remaining velocity.",
    WAITS: "It closes the gap first: the rebound would be smaller than the remaining gap, and follows in the next step.",
    REBOUNDS: "The impulse stops the approach and causes the rebound. Where friction and Newton's law would increase the energy, "
              "e is reduced until it does not.",
    RESTS: "No impact: the impulse carries the load.",
    LEAVES: "They separate without an impulse.",
    UNSEEN: "This contact did not exist: the bodies were too far apart, or other points touched.",
}
"""Role of a contact in a step, in words."""

MINUS_SIGN = "\u2212"

@dataclass(frozen=True)
class ObservedImpact:
    """One impact. key: of its strongest contact; first, last: steps of its impulse; time [s]; speed: fastest approach [m/s];
    impulse: sum over these steps [N s]."""

    key: ContactKey
    bodies: tuple[int, int]
    first: int
    last: int
    time: float
    speed: float
    impulse: float


@dataclass(frozen=True)
class ImpactColumn:
    """One step of a contact. role: of ROLE_TEXTS; normal, friction: impulses [N s]; stops, throws: parts of the normal one
    for compression and for restitution; gap, gap_after [m]; before, after: normal velocities at the ends of the step [m/s], < 0
    when approaching; struck: those right before and after an impact in no time, if one is recorded; slip [m/s]; kinetic: energy
    of the two bodies at the end [J]; case: "stick", "slide", "open"; restitution: what energy allowed of the pair's, `meant`.
    All NaN where the contact did not exist."""

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
    struck: tuple[float, float] | None = None


def find_impacts(seen: StepRecord) -> list[tuple[ContactKey, tuple[int, int], float, float]]:
    """(key, bodies, approach [m/s], impulse [N s]) of each pair with an impact in a step, strongest first."""
    rows = seen.rows
    change = rows["after"] - rows["approach"]
    hit = np.flatnonzero((rows["normal"] > 0.0) & (rows["approach"] < -MIN_IMPACT_SPEED)
                         & (change > max(MIN_IMPACT_SPEED, 1.5 * seen.gravity_speed)))
    found: dict[tuple[int, int], tuple[ContactKey, tuple[int, int], float, float]] = {}
    for i in hit[np.argsort(-rows["normal"][hit], kind="stable")].tolist():
        row = rows[i]
        pair = int(row["shape_a"]), int(row["shape_b"])
        if pair not in found:
            found[pair] = ((*pair, int(row["feature"])), (int(row["body_a"]), int(row["body_b"])), float(row["approach"]),
                           float(row["normal"]))
            if len(found) == MAX_IMPACTS_PER_STEP:
                break
    return list(found.values())


def impacts(steps: list[StepRecord], body: int = -1) -> list[ObservedImpact]:
    """Impacts in these steps by time, of one body or of all; impacts of a pair in consecutive steps are merged."""
    found: list[ObservedImpact] = []
    going: dict[tuple[int, int], int] = {}
    for seen in steps:
        for key, bodies, approach, impulse in find_impacts(seen):
            if body >= 0 and body not in bodies:
                continue
            at = going.get(key[:2], -1)
            if at >= 0 and seen.step - found[at].last <= 1:
                old = found[at]
                found[at] = ObservedImpact(old.key, bodies, old.first, seen.step, old.time, max(old.speed, -approach),
                                           old.impulse + impulse)
            else:
                going[key[:2]] = len(found)
                found.append(ObservedImpact(key, bodies, seen.step, seen.step, seen.time, -approach, impulse))
    return found


def step_columns(steps: list[StepRecord], key: ContactKey, around: int, count: int) -> list[ImpactColumn]:
    """Columns of `count` steps of one contact, the step `around` placed after LEAD of them; only recorded steps."""
    known = {seen.step: seen for seen in steps}
    if not known:
        return []
    last = min(max(known), around + count - 1 - round(SHARE_BEFORE_IMPACT * count))
    first = max(min(known), last - count + 1)
    last = min(max(known), first + count - 1)
    return [column(known[step], key) for step in range(first, last + 1) if step in known]


def column(seen: StepRecord, key: ContactKey) -> ImpactColumn:
    """The contact's column for a step."""
    rows = seen.rows
    own = find_contact(rows, key)
    if own < 0:
        return ImpactColumn(seen.step, seen.time, seen.dt, UNSEEN)
    row = rows[own]
    before, after, normal = float(row["approach"]), float(row["after"]), float(row["normal"])
    throws, struck = max(0.0, after) / (after - before) * normal if before < 0.0 < after and normal > 0.0 else 0.0, None
    if (impact := impulse_plane.find([seen], key[:2], seen.step, seen.step)) is not None:
        struck, pressed = (float(impact["before"][0]), float(impact["after"][0])), impulse_plane.compression(impact)
        throws = throws if pressed is None else max(0.0, float(impact["impulse"][0]) - pressed)
    role = role_of(float(row["gap"]), before, after, normal, float(row["pending_rebound"]))
    case = "open" if normal <= 0.0 else "slide" if row["case"] == Case.SLIP else "stick"
    return ImpactColumn(seen.step, seen.time, seen.dt, role, float(row["gap"]), float(row["gap_after"]), before, after, normal,
                  float(row["friction"]), normal - throws, throws, float(row["slip"]), float(row["kinetic"]), case,
                  int(row["sign_case"]), float(row["restitution"]), float(row["meant"]), struck)


def role_of(gap: float, before: float, after: float, normal: float, pending: float) -> str:
    """One of ROLE_TEXTS."""
    if normal <= 0.0:
        return LEAVES if after > REST_SPEED and gap <= TOUCH_GAP else APART
    if pending > 0.0:
        return WAITS
    if before < -REST_SPEED:
        if after > REST_SPEED:
            return REBOUNDS
        return ANTICIPATES if gap > TOUCH_GAP and after < -REST_SPEED else STOPS
    if after > REST_SPEED:
        return REBOUNDS
    return ANTICIPATES if gap > TOUCH_GAP and after < -REST_SPEED else RESTS


def describe_impact(columns: list[ImpactColumn], impact: ObservedImpact | None) -> str:
    """Describe the strip in a sentence or two, with its numbers."""
    at = next((i for i, c in enumerate(columns) if c.role in (ANTICIPATES, WAITS, STOPS, REBOUNDS)
               and (impact is None or c.step >= impact.first)), -1)
    if at < 0:
        return "No impact in these steps."
    if at and columns[at - 1].role in (ANTICIPATES, WAITS):     # too weak to count as an impact
        at -= 1
    first, then = columns[at], columns[at + 1] if at + 1 < len(columns) else None
    whole = abs(first.after + first.gap / first.dt) <= 1e-3 * abs(first.after) + 1e-9
    left = message("leaves v = {whole}{after} m/s", whole=f"{MINUS_SIGN}gap/h = " if whole else "", after=number(first.after))
    if first.role in (ANTICIPATES, WAITS):
        what = ("The rebound is delayed: \u03bb = {normal} N s {left}." if first.role == WAITS else
                "Two steps. The first stops the penetration: \u03bb = {normal} N s {left}." if whole else
                "Two steps. The last substep of the first anticipates: \u03bb = {normal} N s {left}.")
        begin = message(what, normal=number(first.normal), left=left)
        if then is None:
            return begin + " The next step is still to come."
        if then.role == REBOUNDS:
            second = message(" The second causes the rebound: λ = {normal} N s, v = {after} m/s.", normal=number(then.normal),
                             after=number(then.after))
            return begin + second + limited(then)
        if then.role == STOPS:
            return begin + message(" The second removes the velocity: λ = {normal} N s, v = {after} m/s.",
                                   normal=number(then.normal), after=number(then.after))
        return begin
    if first.role == REBOUNDS:
        before, after = first.struck or (first.before, first.after)
        return (message("One step: λ = {normal} N s changes {before} to {after} m/s, {stops} N s for compression and {throws} N "
                        "s for restitution.", normal=number(first.normal), before=number(before), after=number(after),
                        stops=number(first.stops), throws=number(first.throws))) + limited(first)
    met = (message("with a gap of {gap}: the solver uses substeps, and the last ones stop it", gap=metres(first.gap))
           if first.gap > TOUCH_GAP
           else "at contact")
    return message("One step: λ = {normal} N s takes {before} m/s {met}.", normal=number(first.normal),
                   before=number(first.before), met=met)


def limited(column: ImpactColumn) -> str:
    """Sentence on whether energy limited the restitution of a rebound."""
    if not column.restitution < 0.999 * column.meant:
        return ""
    return (message(" Energy limits e to {restitution} of {meant}: with the full value, friction would supply more energy than "
                    "the impact dissipates.", restitution=number(column.restitution), meant=number(column.meant)))


def number(value: float) -> str:
    """Format with three digits; integers as such, noise as zero."""
    if abs(value) < 5e-10:
        return "0"
    return rounded(value).replace("-", MINUS_SIGN)


def metres(value: float) -> str:
    """Format a length in a suitable unit."""
    size = abs(value)
    scale, unit = (1.0, "m") if size >= 0.1 else (1e3, "mm") if size >= 1e-5 or size < 1e-9 else (1e6, "\u00b5m")
    return f"{number(scale * value)} {unit}"
