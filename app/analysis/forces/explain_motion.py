"""Explains in sentences why a body moves: what drives it, what resists, friction at its limit, largest violations.

Friction needed to hold a body against a neighbour with mean normal n, given all other forces g on it:

    needed = |g - (g . n) n|,     g = sum f - friction of that neighbour,     it holds up to sum mu N              (1)
"""

from dataclasses import dataclass

import numpy as np

from app.analysis.forces import force_balance, free_body
from app.analysis.forces.force_balance import ForceBalance
from app.engine.frame import Frame
from app.i18n.message import joined, message
from app.number_format import rounded
from physics.core.records import Case, Kind

REST_SPEED = 1e-3
"""Below this speed a body is at rest [m/s], [rad/s]."""
MIN_SHARE = 1e-3
"""Forces below this share of the largest one along the sum are not named."""
LIMIT_SHARE = 0.999
"""Share of its bound from which friction counts as at its limit."""
MIN_OVERLAP, MIN_RESIDUAL = 1e-4, 1e-3
"""Errors above these are reported [m], [m/s]."""


@dataclass(frozen=True)
class Explanation:
    """One sentence. tone: "state", "drives", "resists", "limit", "holds" or "error"; other fields: the subject, by index."""

    tone: str
    text: str
    contacts: tuple[int, ...] = ()
    joints: tuple[int, ...] = ()
    bodies: tuple[int, ...] = ()


def fastest(frame: Frame) -> int:
    """The fastest dynamic body; -1: none."""
    moving = np.flatnonzero(frame.bodies["kind"] == Kind.DYNAMIC)
    speed = np.linalg.norm(frame.bodies["vel"][moving], axis=1)
    return int(moving[np.argmax(speed)]) if len(moving) else -1


def explain_motion(frame: Frame, body: int) -> tuple[Explanation, ...]:
    """The sentences, most important first."""
    row = frame.bodies[body]
    if row["kind"] == Kind.STATIC:
        return (Explanation("state", "It is static and does not move."),)
    if row["kind"] == Kind.KINEMATIC:
        return (Explanation("state", "It is kinematic: its velocity is prescribed, whatever forces act on it."),)
    balance = force_balance.force_balance(frame, body)
    if balance is None:
        return (Explanation("state", "No step with it yet."),)
    return (_state(frame, balance), *_forces(balance), *_friction(frame, balance), *_errors(balance))


def _state(frame: Frame, balance: ForceBalance) -> Explanation:
    row = frame.bodies[balance.body]
    speed, spin = (float(np.linalg.norm(row[name])) for name in ("vel", "omega"))
    turns, values = spin >= REST_SPEED, {"speed": rounded(speed), "spin": rounded(spin)}
    motion = (message("It moves at {speed} m/s and turns at {spin} rad/s", **values) if turns else
              "It is at rest" if speed < REST_SPEED else message("It moves at {speed} m/s", **values))
    if row["asleep"]:
        return Explanation("state", message("{motion} and sleeps until something wakes it.", motion=motion))
    if free_body.verdict(balance).balanced:
        goes_on = "" if speed < REST_SPEED else ": its velocity stays constant"
        return Explanation("state", message("{motion}. The forces on it are balanced{goes_on}.", motion=motion, goes_on=goes_on))
    size = float(np.linalg.norm(balance.total))
    gain = float(balance.wanted @ row["vel"]) / max(speed, 1e-12)
    change = "speeds up" if gain > 0.1 * size else "slows down" if gain < -0.1 * size else "changes its direction"
    change = change if speed >= REST_SPEED else "starts to move"
    values |= {"motion": motion, "change": change, "force": rounded(size), "acceleration": rounded(size / float(row["mass"]))}
    template = ("It moves at {speed} m/s and turns at {spin} rad/s and {change}: the net force is {force} N, an acceleration of "
                "{acceleration} m/s²." if turns else
                "{motion} and {change}: the net force is {force} N, an acceleration of {acceleration} m/s².")
    return Explanation("state", message(template, **values))


def _forces(balance: ForceBalance) -> list[Explanation]:
    """The largest forces along the sum and against it; none in equilibrium."""
    if free_body.verdict(balance).balanced:
        return []
    along = balance.total / np.linalg.norm(balance.total)
    arrows = free_body.arrows(balance, True)
    shares = [float(a.force @ along) for a in arrows]
    least, found = MIN_SHARE * max(map(abs, shares), default=0.0), []
    for place, k in enumerate(sorted(range(len(arrows)), key=lambda k: -abs(shares[k]))):
        arrow, share = arrows[k], shares[k]
        if abs(share) < least or place > 5:
            continue
        joint = arrow.source in ("joint", "drag")
        verb = "drives" if share > 0.0 else "resists"
        part = message(" (of {size} N).", size=rounded(arrow.size)) if arrow.size > 1.01 * abs(share) else "."
        text = (message("{arrow} drives it with {share} N{part}", arrow=arrow.name, share=rounded(share),
                        part=part) if share > 0.0 else
                message("{arrow} resists with {share} N{part}", arrow=arrow.name, share=rounded(-share), part=part))
        found.append(Explanation(verb, text,
                                 () if joint else arrow.indices, arrow.indices if joint else (),
                                 (arrow.other,) if arrow.other > 0 and not arrow.indices else ()))
    return sorted(found, key=lambda cause: cause.tone)


def _friction(frame: Frame, balance: ForceBalance) -> list[Explanation]:
    """(1) for every neighbour in contact, where there is friction."""
    body, table, found = balance.body, frame.contacts, []
    own = np.array(force_balance.contacts_of(frame, body), int)
    own = own[(table["impulse"][own] > 0.0) & (table["friction"][own] > 0.0)]
    other = np.where(table["body_a"][own] == body, table["body_b"][own], table["body_a"][own])
    for neighbour in dict.fromkeys(other.tolist()):
        which = own[other == neighbour]
        text, c = "", table[which]
        bounds = c["friction"] * c["impulse"] / balance.duration
        sizes = np.linalg.norm(c["friction_impulse"], axis=1) / balance.duration
        full = (c["case"] == Case.SLIP) & (sizes >= LIMIT_SHARE * bounds * np.minimum(1.0, c["anisotropy"]))
        slides = bool((np.linalg.norm(c["slip"][full], axis=1) >= REST_SPEED).any())
        needed, most = _needed(balance, c, which), float(bounds.sum())
        exceeded = bool(full.any() and needed >= LIMIT_SHARE * most)
        values = {"name": frame.body_names[neighbour], "mu": _range(c["friction"]), "needed": rounded(needed),
                  "most": rounded(bounds[full].sum() if slides and not exceeded else most),
                  "places": message("on {full} of {contacts} contacts", full=int(full.sum()),
                                    contacts=len(which)) if len(which) > 1 else "at its only contact"}
        if exceeded:
            text = message("Friction with {name} is at its bound {places}: μ = {mu} allows {most} N, {needed} N would be "
                           "needed to hold it.", **values)
        elif slides:
            text = message("Friction with {name} is at its bound {places} while they slide on one another: μ = {mu} gives "
                           "{most} N, {needed} N would keep its velocity.", **values)
            text = joined(" ", (text, *_effects(frame, balance, which)))
        if text:
            found.append(Explanation("limit", text, tuple(which.tolist())))
        elif needed > MIN_SHARE * most:
            text = message("Friction with {name} holds: {friction} N of the {most} N allowed by μ = {mu}.",
                           friction=rounded(np.linalg.norm(c["friction_impulse"].sum(axis=0)) / balance.duration), **values)
            found.append(Explanation("holds", text, tuple(which.tolist())))
    return sorted(found, key=lambda cause: cause.tone != "limit")


def _needed(balance: ForceBalance, contacts: np.ndarray, which: np.ndarray) -> float:
    """(1) for the contacts with one neighbour, `which` of the frame's."""
    normal = (contacts["impulse"][:, None] * contacts["normal"]).sum(axis=0)
    normal = normal / max(float(np.linalg.norm(normal)), 1e-300)
    across = balance.total - sum((f.force for f in balance.forces if f.source == "friction" and f.index in which), np.zeros(3))
    return float(np.linalg.norm(across - (across @ normal) * normal))


def _effects(frame: Frame, balance: ForceBalance, which: np.ndarray) -> list[str]:
    """What friction at these contacts does to the body's motion, by the signs of its powers on translation and on rotation."""
    began, now, found = frame.step_start, frame.bodies[balance.body], []
    forces = [f for f in balance.forces if f.source == "friction" and f.index in which]
    for part, before, after, slower, faster in (
            ("force", began.velocity, now["vel"], "This friction slows it down.", "This friction speeds it up."),
            ("torque", began.omega, now["omega"], "This friction slows its rotation.", "This friction speeds up its rotation.")):
        mean = 0.5 * (before[balance.body] + after)
        push = sum((getattr(f, part) for f in forces), np.zeros(3))
        power, size = float(push @ mean), float(np.linalg.norm(push) * np.linalg.norm(mean))
        if np.linalg.norm(mean) >= 0.5 * REST_SPEED and abs(power) > 0.1 * size:
            found.append(faster if power > 0.0 else slower)
    return found


def _range(values: np.ndarray) -> str:
    lo, hi = float(values.min()), float(values.max())
    return rounded(lo) if hi - lo < 1e-6 else f"{rounded(lo)}\u2013{rounded(hi)}"


def _errors(balance: ForceBalance) -> list[Explanation]:
    found, worst, odd = [], balance.worst_error, balance.worst_residual
    if worst is not None and worst.error > MIN_OVERLAP:
        size = message("has an error of {error} m or rad",
                       error=rounded(worst.error, 2)) if worst.joint else (message("penetrates by {error} mm",
                error=rounded(1e3 * worst.error, 2)))
        found.append(Explanation("error",
                                 message("Its largest constraint error: {worst} {size}. Use more sweeps or a smaller step.",
                                         worst=worst.name, size=size),
                                 () if worst.joint else (worst.index,), (worst.index,) if worst.joint else ()))
    if odd is not None and odd.residual > MIN_RESIDUAL:
        found.append(Explanation("error",
                                 message("{odd} misses its target velocity by {residual} m/s: the solver did not converge, or "
                                         "an impact is in progress.", odd=odd.name, residual=rounded(odd.residual, 2)),
                                 () if odd.joint else (odd.index,), (odd.index,) if odd.joint else ()))
    return found
