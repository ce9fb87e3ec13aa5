"""Events of the event-driven solver, newest first, and the case 1, 2a, 2b or 3 of each contact."""

from collections import deque
from dataclasses import dataclass, field

from app.analysis.forces import events
from app.analysis.forces.events import EventLine
from app.engine.undo.difference import file_of
from app.gui.controls import style, tables, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.panels.physics import unsupported
from app.session import Session

TITLE = "Events"
PLACE = "bottom"
ORDER = 29
OPEN = False
GROUP = "Solver"
ABOUT = "what the event-driven solver found"

EVENT_DRIVEN = "event_driven"
"""File of the solver."""

MAX_LISTED_EVENTS = 200
"""Newest events that are listed."""

MIN_VISIBLE_LINES = 2
"""Of a table below its heads: with less room the panel scrolls."""

FITTED = 50.0
"""Width of columns that are as wide as their longest text, without any [px at scale 1]."""

EVENT_COLUMNS = (
    ("time [s]", 84.0, "Moment of the event."),
    ("between", 0.0, "The two bodies, or the joint whose limit it is."),
    ("event", FITTED, "Impact; contact gained; contact lost because its force ended or because it left an edge; handed to time "
                      "stepping."),
    ("speed", 70.0, "Normal velocity before the event [m/s] or [rad/s]."),
    ("impulse", 80.0, "Impulse [N s] or [N m s]."))

CASE_COLUMNS = (
    ("between", 0.0, "The two bodies of a contact."),
    ("case", 44.0, "1 apart, 2a touching and approaching, 2b touching and leaving, 3 touching and staying (Featherstone 11.4)."),
    ("state", FITTED, "The case in words."),
    ("active", 60.0, "Whether the contact is in the active set: treated as an equation until its force ends."))


@dataclass
class EventsState:
    """The listed events. step: the last one read; scene: of these events, and how often scenes had been built."""

    lines: deque[EventLine] = field(default_factory=lambda: deque(maxlen=MAX_LISTED_EVENTS))
    scene: tuple[str, int] = ("", -1)
    step: int = -1


def draw(session: Session) -> None:
    state, frame = session.state(EventsState), session.frame
    log = events.log_of(frame)
    if log is None:
        widgets.wrapped("The event-driven solver lists its events here: impacts, contacts gained and lost.", style.palette().dim)
        if reason := unsupported(session).get(EVENT_DRIVEN, ""):
            widgets.wrapped(message("It does not support this scene: {reason}", reason=reason), style.palette().warn)
        elif file_of(frame.solver_state) != EVENT_DRIVEN:
            widgets.wrapped("Choose it under Physics.", style.palette().dim)
        return
    scene = frame.scene, frame.setting.build
    if scene != state.scene or frame.step < state.step:
        state.lines.clear()
    if (scene, frame.step) != (state.scene, state.step):
        state.lines.extend(events.event_line(frame, event) for event in log.events)
        state.scene, state.step = scene, frame.step
    contacts = [(line.between, line.case, line.text, "yes" if line.active else "") for line in events.contact_lines(frame)]
    widgets.heading("Contacts")
    needed, half = _height(len(contacts)), 0.4 * imgui.get_content_region_avail().y
    _table("cases", CASE_COLUMNS, contacts, min(needed, max(half, _height(MIN_VISIBLE_LINES))))
    widgets.heading("Events")
    left = imgui.get_content_region_avail().y
    _table("events", EVENT_COLUMNS, list(reversed(state.lines)), max(left, _height(MIN_VISIBLE_LINES)))


def _height(lines: int) -> float:
    """Of a table with that many lines below its heads, and a bar that scrolls it sideways [px]."""
    return (lines + 1) * tables.line_height() + imgui.get_style().scrollbar_size


def _table(name: str, columns: tuple, lines: list, height: float) -> None:
    """A table in which no names and no words are cut."""
    longest = [max((imgui.calc_text_size(text).x for text in {line[k] for line in lines}), default=0.0) / widgets.scaled(1.0)
               if width in (0.0, FITTED) else 0.0 for k, (_, width, _) in enumerate(columns)]
    fitted = [(head, max(width, size) if width else 0.0, help) for (head, width, help), size in zip(columns, longest)]
    names = next(size for size, (_, width, _) in zip(longest, columns) if not width)
    if tables.begin(name, fitted, height, least=max(FITTED, names)):
        for i in tables.visible_rows(len(lines)):
            imgui.table_next_row()
            for text in lines[i]:
                imgui.table_next_column()
                imgui.text_unformatted(text)
        tables.end()
