"""All contacts as rows: which one is the worst, slips, overlaps, has its friction used up; a click selects it."""

from dataclasses import dataclass, field

from app.digits import few
from app.engine.frame import Frame
from app.engine.identity import same_contact
from app.gui.controls import sorting, style, widgets
from app.gui.controls.sorting import Column, Sorted
from app.gui.hand.thing_menu import frame_body
from app.insight import rows
from app.insight.contact_lens import pair_of
from app.session import Selection, Session
from physics.core.records import Kind

TITLE = "Contacts"
PLACE = "bottom"
ORDER = 28
OPEN = False

COLUMNS = (
    Column("pair", "between", 0.0, "The two bodies. Click a row: the contact is selected; twice: brought into the picture.",
           lambda frame, i, value: pair_of(frame, i)),
    Column("case", "state", 52.0, "It is open, sticks or slips.", lambda frame, i, value: rows.CASES.get(int(value), "")),
    Column("normal", "normal [N]", 84.0, "Mean normal force of the last step: impulse over step.",
           lambda frame, i, v: few(v)),
    Column("friction", "friction [N]", 88.0, "Mean friction of the last step.", lambda frame, i, v: few(v)),
    Column("use", "used", 76.0, "Friction over the most that there can be, mu N: at 100 % it slips.",
           lambda frame, i, v: "" if v != v else f"{100.0 * v:.0f} %", bar=True),
    Column("slip", "slip [m/s]", 80.0, "Sliding velocity at the end of the step.", lambda frame, i, v: _small(v, 1e-12)),
    Column("overlap", "overlap [mm]", 100.0, "How deep the bodies are in one another.",
           lambda frame, i, v: _small(1e3 * v, 1e-9)),
    Column("residual", "residual [m/s]", 114.0, "By how much the solver's own impulses and velocities miss the laws of contact "
           "and friction (natural map), in the last substep; the largest of all is the residual of the step. Of rolling and "
           "spinning: rad/s.", lambda frame, i, v: _small(v, 1e-15)),
    Column("law", "misses", 62.0, "Which of its laws it misses most: that of the normal force, of friction, or of rolling and "
           "spinning.", lambda frame, i, v: rows.LAWS.get(int(v), "")),
)


def _small(value: float, least: float) -> str:
    return "-" if value != value else "0" if value < least else few(value, 2)


@dataclass
class State:
    """The table."""

    table: Sorted = field(default_factory=lambda: Sorted("residual"))


def draw(session: Session) -> None:
    table, frame = session.memory(State).table, session.frame
    if not len(frame.contacts):
        widgets.wrapped("Nothing touches. As soon as two bodies do, every contact is a row here, the worst one first.",
                        style.palette().dim)
        return
    seen = table.see(session, lambda body: rows.contacts(frame, body))
    sorting.head(session, table, f"{len(seen.index)} contact{'s' * (len(seen.index) != 1)}")
    p = style.palette()
    colours = (p.open, p.stick, p.slip)
    clicked, twice = sorting.draw(table, COLUMNS, _place(session, seen.frame),
                                  lambda k: colours[min(2, int(seen.columns["case"][k]))])
    if clicked >= 0:
        contact = seen.frame.contacts[clicked]
        session.selection = Selection(body=session.selection.body if table.own else -1,
                                      contact=same_contact(frame.contacts, contact))
        if twice:
            ends = [int(contact[side]) for side in ("body_b", "body_a")]
            frame_body(session, next((b for b in ends if frame.bodies["kind"][b] == Kind.DYNAMIC), ends[0]))
            session.camera.target = contact["pos"].copy()


def _place(session: Session, shown: Frame) -> int:
    """Where the selected contact is in the frame that is shown."""
    i = session.selection.contact
    if not 0 <= i < len(session.frame.contacts) or shown is session.frame:
        return i
    return same_contact(shown.contacts, session.frame.contacts[i])
