"""What an event-driven step did, in words: events, and the case of each contact (F11 11.4)."""

from typing import NamedTuple

from app.analysis.microscope.exact import pair_of
from app.engine.frame import Frame
from app.number_format import rounded
from physics.articulated.event_log import CASE_NAMES, ContactCase, Event, EventKind, EventLog

KIND_TEXTS = {EventKind.IMPACT: "impact", EventKind.GAINED: "contact gained", EventKind.LOST_FORCE: "contact lost: force ended",
              EventKind.LOST_EDGE: "contact lost: left an edge", EventKind.STEPPED: "handed to time stepping"}
CASE_TEXTS = {ContactCase.UNKNOWN: "not known", ContactCase.APART: "apart", ContactCase.APPROACHING: "touching and approaching",
              ContactCase.LEAVING: "touching and leaving", ContactCase.STAYING: "touching and staying"}


class EventLine(NamedTuple):
    """Columns of an event: time [s], between, kind, speed before [m/s, rad/s], impulse [N s, N m s]."""

    time: str
    between: str
    kind: str
    speed: str
    impulse: str


class ContactLine(NamedTuple):
    """Columns of a contact: between, case as F11 numbers it, in words, whether it is active."""

    between: str
    case: str
    text: str
    active: bool


def log_of(frame: Frame) -> EventLog | None:
    """The events of the last step; None: its solver finds none."""
    return frame.report.events if frame.report is not None else None


def event_line(frame: Frame, event: Event) -> EventLine:
    names = frame.joint_names if event.joint >= 0 else frame.body_names
    between = names[event.joint] if event.joint >= 0 else " - ".join(names[body] for body in event.bodies)
    return EventLine(f"{event.time:.6f}", between, KIND_TEXTS[event.kind], rounded(event.speed) if event.speed else "",
                     rounded(event.impulse) if event.impulse else "")


def contact_lines(frame: Frame) -> list[ContactLine]:
    """Of each contact of the last step; contacts that ended within the step have no case."""
    log = log_of(frame)
    if log is None:
        return []
    return [ContactLine(pair_of(frame, i), CASE_NAMES[ContactCase(case)], CASE_TEXTS[ContactCase(case)], active)
            for i, (case, active) in enumerate(zip(log.cases[: len(frame.contacts)], log.active))]
