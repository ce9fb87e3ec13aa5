"""Table of all contacts, to find the worst residual, slip, overlap or friction use; a click selects a row's contact."""

from dataclasses import dataclass, field

from app.analysis.forces import tables
from app.analysis.forces.contact_lens import pair_of
from app.engine.frame import Frame, same_contact
from app.gui.controls import sortable_table, style, widgets
from app.gui.controls.sortable_table import Column, Sorted
from app.gui.viewport.context_menu import frame_body
from app.i18n.message import message
from app.number_format import rounded
from app.session import Selection, Session
from physics.core.records import Case, Kind

TITLE = "Contacts"
PLACE = "bottom"
ORDER = 28
OPEN = False
GROUP = "Forces"
ABOUT = "table of all contacts"

CONTACT_COLUMNS = (
    Column("pair", "between", 0.0, "The two bodies. Click a row to select the contact, double-click to centre it in the view.",
           lambda frame, i, value: pair_of(frame, i)),
    Column("case", "state", 84.0, "Open, stick or slip; no friction where the coefficient is zero.",
           lambda frame, i, value: tables.CONTACT_CASES.get(int(value), "")),
    Column("normal", "normal [N]", 84.0, "Mean normal force in the last step: impulse divided by step size.",
           lambda frame, i, v: rounded(v)),
    Column("friction", "friction [N]", 88.0, "Mean friction force in the last step.", lambda frame, i, v: rounded(v)),
    Column("use", "used", 76.0, "Friction relative to its bound mu N; the contact slips at 100 %.",
           lambda frame, i, v: "" if v != v else f"{100.0 * v:.0f} %", bar=True),
    Column("slip", "slip [m/s]", 80.0, "Slip velocity at the end of the step.", lambda frame, i, v: _small(v, 1e-12)),
    Column("overlap", "overlap [mm]", 100.0, "Penetration depth of the bodies.",
           lambda frame, i, v: _small(1e3 * v, 1e-9)),
    Column("residual", "residual [m/s]", 114.0, "Residual of the contact and friction laws (natural map) for the solver's "
                                                "impulses and velocities in the last substep; the maximum is the residual of the "
                                                "step. Rolling and torsional rows: rad/s.", lambda frame, i, v: _small(v, 1e-15)),
    Column("law", "worst law", 62.0, "Law with the largest residual: normal, friction, or rolling and torsional "
                                  "friction.", lambda frame, i, v: tables.LAWS.get(int(v), "")),
)


def _small(value: float, least: float) -> str:
    return "-" if value != value else "0" if value < least else rounded(value, 2)


@dataclass
class ContactsState:
    """State of the table."""

    table: Sorted = field(default_factory=lambda: Sorted("residual"))


def draw(session: Session) -> None:
    table, frame = session.state(ContactsState).table, session.frame
    if not len(frame.contacts):
        widgets.wrapped("No contacts. Each contact is listed here, the most critical first.",
                        style.palette().dim)
        return
    seen = table.update_rows(session, lambda body: tables.contacts(frame, body))
    sortable_table.head(session, table, message("{count} contact", "{count} contacts", count=len(seen.index)))
    p = style.palette()
    colours = {Case.OPEN: p.open, Case.STICK: p.stick, Case.SLIP: p.slip}
    clicked, twice = sortable_table.draw(table, CONTACT_COLUMNS, _place(session, seen.frame),
                                         lambda k: colours.get(int(seen.columns["case"][k]), p.dim))
    if clicked >= 0:
        contact = seen.frame.contacts[clicked]
        session.selection = Selection(body=session.selection.body if table.own else -1,
                                      contact=same_contact(frame.contacts, contact))
        if twice:
            ends = [int(contact[side]) for side in ("body_b", "body_a")]
            frame_body(session, next((b for b in ends if frame.bodies["kind"][b] == Kind.DYNAMIC), ends[0]))
            session.camera.target = contact["pos"].copy()


def _place(session: Session, shown: Frame) -> int:
    """Index of the selected contact in the shown frame."""
    i = session.selection.contact
    if not 0 <= i < len(session.frame.contacts) or shown is session.frame:
        return i
    return same_contact(shown.contacts, session.frame.contacts[i])
