"""A place that a person marks in the scene before the run: a click sets it, a flag stands there, and later how far off it was."""

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.digits import few
from app.gui.controls.style import palette
from app.insight.prediction import Foretold, Guess, measured, miss, pointed
from app.render.sight import Flag
from app.session import Session
from scenes import Prediction

REACH = 120.0
"""How far from the way of what it is about a click may be [px]."""

INTERVAL = 0.2
"""Wall seconds between two looks at what the simulation shows."""


@dataclass
class Outcome:
    """What was measured of the number that was asked for, and when that was looked at. unasked: the world of the run before, in
    which nothing was said yet. world: that of this run; while it is new the trace may still be that of the last one."""

    number: float | None = None
    name: str = ""
    wall: float = -1e9
    unasked: Any = None
    world: Any = None


def asked(session: Session) -> Prediction | None:
    """What a person is asked for, or has said, if it has a place in the scene."""
    guess = session.memory(Guess)
    if not guess.on:
        return None
    found = session.memory(Foretold).of(session.scene, session.parameters)
    return next((p for p in found if p.name == guess.name and p.place is not None), None)


def click(session: Session, x: float, y: float, size: tuple[float, float]) -> bool:
    """A click in the leader's picture at a pixel from the lower left: whether it answers the question."""
    guess, wanted = session.memory(Guess), asked(session)
    if wanted is None or guess.said:
        return False
    found = _under(session, wanted, x, y, size)
    if found is not None:
        guess.values[wanted.name] = float(f"{found[0]:.4g}")
    return found is not None


def show(session: Session, cursor: tuple[float, float] | None, size: tuple[float, float]) -> None:
    """Put up the flags of this picture. cursor: over it, None: elsewhere."""
    flags = _flags(session, cursor, size)
    if flags or session.highlight.flags:
        session.highlight = replace(session.highlight, flags=flags)


def _under(session: Session, wanted: Prediction, x: float, y: float,
           size: tuple[float, float]) -> tuple[float, np.ndarray] | None:
    """(number, point) on the way of what is asked for; None if it is not near the pixel."""
    value, point = pointed(wanted.place, *session.camera.ray(x, y, *size))
    seen = session.camera.project(point[None], *size)[0]
    return (value, point) if seen[2] > 0.0 and np.hypot(seen[0] - x, seen[1] - y) <= REACH else None


def _flags(session: Session, cursor: tuple[float, float] | None, size: tuple[float, float]) -> tuple[Flag, ...]:
    guess, wanted = session.memory(Guess), asked(session)
    if wanted is None:
        return ()
    p, said = palette(), guess.values.get(wanted.name)
    mine = () if said is None else (Flag(wanted.place.at(said), "you", p.warn[:3]),)
    if guess.waiting:
        session.memory(Outcome).unasked, session.memory(Outcome).wall = session.simulation.world, -1e9
        found = _under(session, wanted, *cursor, size) if cursor is not None else None
        hint = Flag(found[1] if found is not None else None, "", p.warn[:3], 0.55, wanted.place.points)
        return (hint, *mine)
    number = _outcome(session, wanted)
    if said is None or number is None:
        return mine
    here = wanted.place.at(number)
    told = f"it came here, {few(miss(wanted, said, number), 3)} m off"
    return (*mine, Flag(here, told, p.good[:3], 1.0, np.array([mine[0].at, here])))


def _outcome(session: Session, wanted: Prediction) -> float | None:
    """What the simulation showed so far, looked at now and then."""
    outcome, now, world = session.memory(Outcome), time.perf_counter(), session.simulation.world
    if world is outcome.unasked:
        return None     # it is about to begin anew
    if world is not outcome.world:
        outcome.world, outcome.number, outcome.name, outcome.wall = world, None, wanted.name, now
    if outcome.name != wanted.name or now - outcome.wall > INTERVAL:
        outcome.number = measured(wanted, world, session.traces.table())
        outcome.name, outcome.wall = wanted.name, now
    return outcome.number
