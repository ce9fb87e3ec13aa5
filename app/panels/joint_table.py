"""Table of all joints, to find the largest error, load or friction use; a click selects a row's joint."""

from dataclasses import dataclass, field

import numpy as np

from app.analysis.forces import tables
from app.engine.frame import Frame
from app.gui.controls import sortable_table, style, widgets
from app.gui.controls.sortable_table import Column, Sorted
from app.gui.viewport.context_menu import frame_body
from app.i18n.message import message
from app.number_format import rounded
from app.session import Selection, Session

TITLE = "Joint table"
PLACE = "bottom"
ORDER = 29
OPEN = False
GROUP = "Forces"
ABOUT = "table of all joints"



def _load(frame: Frame, j: int) -> float:
    """Largest component of what a joint transmits [N], [N m], beside which others are rounding."""
    return float(np.abs(frame.joints["reaction"][j]).max()) / frame.impulse_duration


JOINT_COLUMNS = (
    Column("joint", "joint", 0.0, "Click a row to select the joint, double-click to centre it in the view.",
           lambda frame, j, value: frame.joint_names[j]),
    Column("case", "state", 56.0, "State of its friction: stick, slip or free.",
           lambda frame, j, v: {0: "free"}.get(int(v), tables.CASES.get(int(v), ""))),
    Column("error", "error [m, rad]", 112.0, "Largest constraint error at the start of the last step.",
           lambda frame, j, v: rounded(v, 2)),
    Column("residual", "residual [m/s]", 114.0, "Residual of the joint's laws (natural map) for the solver's impulses and "
                                                "velocities in the last substep; rotational rows: "
                                                "rad/s.", lambda frame, j, v: rounded(v, 2)),
    Column("law", "worst law", 78.0, "Law with the largest residual: constraint, friction, limit or motor.",
           lambda frame, j, v: tables.ROLES.get(int(v), "")),
    Column("force", "force [N]", 90.0, "Total force on the second body, mean over the last step.",
           lambda frame, j, v: rounded(v, of=_load(frame, j))),
    Column("torque", "torque [N m]", 104.0, "Torque about that body's centre of mass, mean over the last step.",
           lambda frame, j, v: rounded(v, of=_load(frame, j))),
    Column("use", "used", 92.0, "Dry friction relative to its bound; the joint slips at 100 %.",
           lambda frame, j, v: "" if v != v else f"{100.0 * v:.0f} %", bar=True),
)


@dataclass
class JointTableState:
    """State of the table."""

    table: Sorted = field(default_factory=lambda: Sorted("error"))


def draw(session: Session) -> None:
    table, frame, p = session.state(JointTableState).table, session.frame, style.palette()
    if not np.any(frame.joints["kind"] >= 0):
        widgets.wrapped("This scene has no joints. See the scenes in the category Joint friction.", p.dim)
        return
    seen = table.update_rows(session, lambda body: tables.joints(frame, body))
    sortable_table.head(session, table, message("{count} joint", "{count} joints", count=len(seen.index)))
    colours = (p.open, p.stick, p.slip)
    clicked, twice = sortable_table.draw(table, JOINT_COLUMNS, session.selection.joint,
                                         lambda k: colours[min(2, int(seen.columns["case"][k]))])
    if clicked >= 0:
        session.selection = Selection(body=session.selection.body if table.own else -1, joint=clicked)
        if twice:
            frame_body(session, int(frame.joints["body_b"][clicked]))
