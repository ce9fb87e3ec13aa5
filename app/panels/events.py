"""Events of the event-driven solver, newest first, and the case 1, 2a, 2b or 3 of each contact."""

from collections import deque
from dataclasses import dataclass, field

from app.analysis.forces import events
from app.analysis.forces.events import EventLine
from app.gui.controls import style, tables, widgets
from app.i18n.imgui_translated import imgui
from app.session import Session

TITLE = "Events"
PLACE = "bottom"
ORDER = 29
OPEN = False
GROUP = "Solver"
ABOUT = "what the event-driven solver found"

MAX_LISTED_EVENTS = 200
"""Newest events that are listed."""

EVENT_COLUMNS = (
    ("time [s]", 84.0, "Moment of the event."),
    ("event", 190.0, "Impact; contact gained; contact lost because its force ended or because it left an edge; handed to time "
                     "stepping."),
    ("between", 0.0, "The two bodies, or the joint whose limit it is."),
    ("speed", 70.0, "Normal velocity before the event [m/s] or [rad/s]."),
    ("impulse", 80.0, "Impulse [N s] or [N m s]."))

CASE_COLUMNS = (
    ("between", 0.0, "The two bodies of a contact."),
    ("case", 44.0, "1 apart, 2a touching and approaching, 2b touching and leaving, 3 touching and staying (Featherstone 11.4)."),
    ("state", 190.0, "The case in words."),
    ("active", 60.0, "Whether the contact is in the active set: treated as an equation until its force ends."))


@dataclass
class EventsState:
    """The listed events. step: the last one read; scene: of these events."""

    lines: deque[EventLine] = field(default_factory=lambda: deque(maxlen=MAX_LISTED_EVENTS))
    scene: str = ""
    step: int = -1


def draw(session: Session) -> None:
    state, frame = session.state(EventsState), session.frame
    log = events.log_of(frame)
    if log is None:
        widgets.wrapped("The event-driven solver lists its events here: impacts, contacts gained and lost. Choose it under "
                        "Physics.", style.palette().dim)
        return
    if frame.scene != state.scene or frame.step < state.step:
        state.lines.clear()
    if (frame.scene, frame.step) != (state.scene, state.step):
        state.lines.extend(events.event_line(frame, event) for event in log.events)
        state.scene, state.step = frame.scene, frame.step
    half = 0.5 * imgui.get_content_region_avail().y - imgui.get_text_line_height_with_spacing()
    widgets.heading("Contacts")
    _table("cases", CASE_COLUMNS, [(line.between, line.case, line.text, "yes" if line.active else "")
                                   for line in events.contact_lines(frame)], half)
    widgets.heading("Events")
    _table("events", EVENT_COLUMNS, list(reversed(state.lines)), half)


def _table(name: str, columns: tuple, lines: list, height: float) -> None:
    if tables.begin(name, columns, height):
        for i in tables.visible_rows(len(lines)):
            imgui.table_next_row()
            for text in lines[i]:
                imgui.table_next_column()
                imgui.text_unformatted(text)
        tables.end()
