"""All joints as rows: which one gives way most, carries most, has its friction used up; a click selects it."""

from dataclasses import dataclass, field

import numpy as np

from app.digits import few
from app.gui.controls import sorting, style, widgets
from app.gui.controls.sorting import Column, Sorted
from app.gui.hand.thing_menu import frame_body
from app.insight import rows
from app.session import Selection, Session

TITLE = "Joint table"
PLACE = "bottom"
ORDER = 29
OPEN = False

COLUMNS = (
    Column("joint", "joint", 0.0, "Click a row to select the joint, double-click to bring it into the picture.",
           lambda frame, j, value: frame.joint_names[j]),
    Column("case", "state", 56.0, "Of its friction: it sticks, slips, or is free.",
           lambda frame, j, v: {0: "free"}.get(int(v), rows.CASES.get(int(v), ""))),
    Column("error", "error [m, rad]", 112.0, "Largest constraint error at the start of the last step.",
           lambda frame, j, v: few(v, 2)),
    Column("residual", "residual [m/s]", 114.0, "By how much the solver's own impulses and velocities miss the laws of the joint "
           "(natural map), in the last substep; of what turns: rad/s.", lambda frame, j, v: few(v, 2)),
    Column("law", "misses", 78.0, "Which of its laws it misses most: its constraint, friction, a limit or a motor.",
           lambda frame, j, v: rows.ROLES.get(int(v), "")),
    Column("force", "force [N]", 90.0, "All that it does to its second body, as a mean over the last step.",
           lambda frame, j, v: few(v)),
    Column("torque", "torque [N m]", 104.0, "About that body's centre of mass, as a mean over the last step.",
           lambda frame, j, v: few(v)),
    Column("use", "used", 92.0, "Dry friction over its bound: at 100 % it slips.",
           lambda frame, j, v: "" if v != v else f"{100.0 * v:.0f} %", bar=True),
)


@dataclass
class State:
    """The table."""

    table: Sorted = field(default_factory=lambda: Sorted("error"))


def draw(session: Session) -> None:
    table, frame, p = session.memory(State).table, session.frame, style.palette()
    if not np.any(frame.joints["kind"] >= 0):
        widgets.wrapped("This scene has no joints. Scenes under Joint friction have some.", p.dim)
        return
    seen = table.see(session, lambda body: rows.joints(frame, body))
    sorting.head(session, table, f"{len(seen.index)} joint{'s' * (len(seen.index) != 1)}")
    colours = (p.open, p.stick, p.slip)
    clicked, twice = sorting.draw(table, COLUMNS, session.selection.joint,
                                  lambda k: colours[min(2, int(seen.columns["case"][k]))])
    if clicked >= 0:
        session.selection = Selection(body=session.selection.body if table.own else -1, joint=clicked)
        if twice:
            frame_body(session, int(frame.joints["body_b"][clicked]))
