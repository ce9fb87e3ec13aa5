"""A place predicted by the user: set by a click, marked by a flag, and later compared with the outcome."""

import time
from dataclasses import dataclass, replace

import numpy as np

from app.analysis.lessons.prediction import PersonalPrediction, PredictedCurve, measured, pointed, prediction_error
from app.gui.controls.style import palette
from app.i18n.message import message
from app.number_format import rounded
from app.render.scene.overlay_context import Flag
from app.session import Session
from scenes import Prediction

MAX_CLICK_DISTANCE = 120.0
"""Largest distance of a click from the path of the predicted quantity [px]."""

MEASURE_INTERVAL = 0.2
"""Wall time between two measurements of the outcome [s]."""


@dataclass
class MarkedPlace:
    """The measured value of the predicted number, and when it was measured. unasked: build of the last run before a prediction.
    build: of this run; while it is new the trace may still be that of the last one."""

    number: float | None = None
    name: str = ""
    wall: float = -1e9
    ignored_build: int = -1
    build: int = -1


def open_question(session: Session) -> Prediction | None:
    """The prediction that the user enters, or has entered, if it has a place in the scene."""
    guess = session.state(PersonalPrediction)
    if not guess.on:
        return None
    found = session.state(PredictedCurve).of(session.scene, session.parameters)
    return next((p for p in found if p.name == guess.name and p.place is not None), None)


def click(session: Session, x: float, y: float, size: tuple[float, float]) -> bool:
    """Handle a click in the leader's picture, pixels from the lower left: whether it answers the question."""
    guess, wanted = session.state(PersonalPrediction), open_question(session)
    if wanted is None or guess.submitted:
        return False
    found = _under(session, wanted, x, y, size)
    if found is not None:
        guess.values[wanted.name] = float(f"{found[0]:.4g}")
    return found is not None


def show(session: Session, cursor: tuple[float, float] | None, size: tuple[float, float]) -> None:
    """Set the flags of this picture. cursor: over it, None: elsewhere."""
    flags = _flags(session, cursor, size)
    if flags or session.highlight.flags:
        session.highlight = replace(session.highlight, flags=flags)


def _under(session: Session, wanted: Prediction, x: float, y: float,
           size: tuple[float, float]) -> tuple[float, np.ndarray] | None:
    """(number, point) on the path of the predicted quantity; None if the pixel is not near it."""
    value, point = pointed(wanted.place, *session.camera.ray(x, y, *size))
    seen = session.camera.project(point[None], *size)[0]
    return (value, point) if seen[2] > 0.0 and np.hypot(seen[0] - x, seen[1] - y) <= MAX_CLICK_DISTANCE else None


def _flags(session: Session, cursor: tuple[float, float] | None, size: tuple[float, float]) -> tuple[Flag, ...]:
    guess, wanted = session.state(PersonalPrediction), open_question(session)
    if wanted is None:
        return ()
    p, submitted = palette(), guess.values.get(wanted.name)
    mine = () if submitted is None else (Flag(wanted.place.at(submitted), "you", p.warn[:3]),)
    if guess.waiting:
        session.state(MarkedPlace).ignored_build, session.state(MarkedPlace).wall = session.frame.setting.build, -1e9
        found = _under(session, wanted, *cursor, size) if cursor is not None else None
        hint = Flag(found[1] if found is not None else None, "", p.warn[:3], 0.55, wanted.place.points)
        return (hint, *mine)
    number = _outcome(session, wanted)
    if submitted is None or number is None:
        return mine
    here = wanted.place.at(number)
    text = message("it stopped here, {distance} m away", distance=rounded(prediction_error(wanted, submitted, number), 3))
    return (*mine, Flag(here, text, p.good[:3], 1.0, np.array([mine[0].at, here])))


def _outcome(session: Session, wanted: Prediction) -> float | None:
    """What the simulation has shown so far; measured at intervals."""
    outcome, now, build = session.state(MarkedPlace), time.perf_counter(), session.frame.setting.build
    if build == outcome.ignored_build:
        return None     # it is about to restart
    if build != outcome.build:
        outcome.build, outcome.number, outcome.name, outcome.wall = build, None, wanted.name, now
    if outcome.name != wanted.name or now - outcome.wall > MEASURE_INTERVAL:
        outcome.number = measured(wanted, session.frame.as_world, session.traces.table())
        outcome.name, outcome.wall = wanted.name, now
    return outcome.number
