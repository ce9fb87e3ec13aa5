"""Why a body moves, in sentences: what drives it, what resists, where friction is at its limit, what misses its law most.

Friction that would hold a body against a neighbour with mean normal n, from all other forces g on it:

    needed = |g - (g . n) n|,     g = sum f - friction of that neighbour,     it holds up to sum mu N              (1)
"""

from dataclasses import dataclass

import numpy as np

from app.digits import few
from app.engine.frame import Frame
from app.insight import free_body, unbalanced
from app.insight.unbalanced import Balance
from physics.core.records import Case, Kind

STILL = 1e-3
"""Slower than this is at rest [m/s], [rad/s]."""
SHARE = 1e-3
"""A force that has less than this part of the largest one along the sum is not named."""
FULL = 0.999
"""Of its bound from which on friction is at its limit."""
OVERLAP, RESIDUAL = 1e-4, 1e-3
"""Errors from which on they are worth a sentence [m], [m/s]."""


@dataclass(frozen=True)
class Cause:
    """One sentence. tone: "state", "drives", "resists", "limit", "holds" or "error"; and what it is about, by index."""

    tone: str
    text: str
    contacts: tuple[int, ...] = ()
    joints: tuple[int, ...] = ()
    bodies: tuple[int, ...] = ()


def fastest(frame: Frame) -> int:
    """The dynamic body that moves fastest; -1: there is none."""
    moving = np.flatnonzero(frame.bodies["kind"] == Kind.DYNAMIC)
    speed = np.linalg.norm(frame.bodies["vel"][moving], axis=1)
    return int(moving[np.argmax(speed)]) if len(moving) else -1


def explain(frame: Frame, body: int) -> tuple[Cause, ...]:
    """The sentences, the most important first."""
    row = frame.bodies[body]
    if row["kind"] == Kind.STATIC:
        return (Cause("state", "It is static: nothing moves it."),)
    if row["kind"] == Kind.KINEMATIC:
        return (Cause("state", "It is kinematic: it moves with the velocity that it was given, whatever pushes it."),)
    balance = unbalanced.look(frame, body)
    if balance is None:
        return (Cause("state", "No step was made with it yet."),)
    return (_state(frame, balance), *_forces(balance), *_friction(frame, balance), *_errors(balance))


def _state(frame: Frame, balance: Balance) -> Cause:
    row = frame.bodies[balance.body]
    speed, spin = (float(np.linalg.norm(row[name])) for name in ("vel", "omega"))
    motion = "It is at rest" if speed < STILL and spin < STILL else f"It moves at {few(speed)} m/s" + (
        f" and turns at {few(spin)} rad/s" if spin >= STILL else "")
    if row["asleep"]:
        return Cause("state", f"{motion} and sleeps until something wakes it.")
    if free_body.verdict(balance).balanced:
        goes_on = "" if speed < STILL else ": it goes on as it goes"
        return Cause("state", f"{motion}. Nothing unbalanced acts on it{goes_on}.")
    size = float(np.linalg.norm(balance.total))
    gain = float(balance.wanted @ row["vel"]) / max(speed, 1e-12)
    change = "speeds up" if gain > 0.1 * size else "slows down" if gain < -0.1 * size else "changes its direction"
    change = change if speed >= STILL else "starts to move"
    return Cause("state", f"{motion} and {change}: the forces add up to {few(size)} N, an acceleration of "
                          f"{few(size / float(row['mass']))} m/s\u00b2.")


def _forces(balance: Balance) -> list[Cause]:
    """Who has the most along the sum, and who is against it; nothing where they are in balance."""
    if free_body.verdict(balance).balanced:
        return []
    along = balance.total / np.linalg.norm(balance.total)
    arrows = free_body.arrows(balance, True)
    shares = [float(a.force @ along) for a in arrows]
    least, found = SHARE * max(map(abs, shares), default=0.0), []
    for place, k in enumerate(sorted(range(len(arrows)), key=lambda k: -abs(shares[k]))):
        arrow, share = arrows[k], shares[k]
        if abs(share) < least or place > 5:
            continue
        joint = arrow.source in ("joint", "drag")
        verb = "drives" if share > 0.0 else "resists"
        part = f" (of {few(arrow.size)} N)." if arrow.size > 1.01 * abs(share) else "."
        text = (f"{arrow.name} drives it with {few(share)} N{part}" if share > 0.0 else
                f"{arrow.name} resists with {few(-share)} N{part}")
        found.append(Cause(verb, text,
                           () if joint else arrow.indices, arrow.indices if joint else (),
                           (arrow.other,) if arrow.other > 0 and not arrow.indices else ()))
    return sorted(found, key=lambda cause: cause.tone)


def _friction(frame: Frame, balance: Balance) -> list[Cause]:
    """(1) for every neighbour that presses."""
    body, table, found = balance.body, frame.contacts, []
    own = np.array(unbalanced.contacts_of(frame, body), int)
    own = own[table["impulse"][own] > 0.0] if len(own) else own
    other = np.where(table["body_a"][own] == body, table["body_b"][own], table["body_a"][own])
    for neighbour in dict.fromkeys(other.tolist()):
        which = own[other == neighbour]
        c = table[which]
        bounds = c["friction"] * c["impulse"] / balance.dt
        rubbing = np.linalg.norm(c["friction_impulse"], axis=1) / balance.dt
        full = int(np.count_nonzero((c["case"] == Case.SLIP) & (rubbing >= FULL * bounds * np.minimum(1.0, c["anisotropy"]))))
        normal = (c["impulse"][:, None] * c["normal"]).sum(axis=0)
        normal = normal / max(float(np.linalg.norm(normal)), 1e-300)
        friction = sum((f.force for f in balance.forces if f.source == "friction" and f.index in which), np.zeros(3))
        across = balance.total - friction
        needed = float(np.linalg.norm(across - (across @ normal) * normal))
        mu, most, name = _range(c["friction"]), float(bounds.sum()), frame.body_names[neighbour]
        if full:
            places = f"on {full} of {len(which)} contacts" if len(which) > 1 else "at its only contact"
            text = (f"Friction with {name} is at its limit {places}: \u03bc = {mu} holds up to {few(most)} N, "
                    f"{few(needed)} N are needed to keep it from moving.")
            if needed < most:
                text = (f"Friction with {name} is at its limit {places}, as it slides: \u03bc = {mu} gives {few(most)} N; "
                        f"{few(needed)} N would keep its speed, so it brakes.")
            found.append(Cause("limit", text, tuple(which.tolist())))
        elif most > 0.0 and needed > SHARE * most:
            found.append(Cause("holds", f"Friction with {name} holds: {few(rubbing.sum())} N of the {few(most)} N that "
                                        f"\u03bc = {mu} can give.", tuple(which.tolist())))
    return sorted(found, key=lambda cause: cause.tone != "limit")


def _range(values: np.ndarray) -> str:
    lo, hi = float(values.min()), float(values.max())
    return few(lo) if hi - lo < 1e-6 else f"{few(lo)}\u2013{few(hi)}"


def _errors(balance: Balance) -> list[Cause]:
    found, worst, odd = [], balance.worst_error, balance.worst_residual
    if worst is not None and worst.error > OVERLAP:
        size = f"is off by {few(worst.error, 2)} m or rad" if worst.joint else f"is {few(1e3 * worst.error, 2)} mm deep"
        found.append(Cause("error", f"Its worst constraint: {worst.name} {size}. More sweeps or a smaller step would help.",
                           () if worst.joint else (worst.index,), (worst.index,) if worst.joint else ()))
    if odd is not None and odd.residual > RESIDUAL:
        found.append(Cause("error", f"{odd.name} misses what it was asked for by {few(odd.residual, 2)} m/s: the solver stopped "
                                    "before it was done, or an impact is on.",
                           () if odd.joint else (odd.index,), (odd.index,) if odd.joint else ()))
    return found
