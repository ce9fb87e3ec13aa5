"""Control inputs of the scene: sliders, keyboard and gamepad; each driven joint with its torques against their bounds."""

from functools import cache

import numpy as np

from app.engine import commands
from app.gui.commands.driving import Driving, Gamepads, controls
from app.gui.controls import flags, style, widgets
from app.i18n.imgui_translated import imgui
from app.number_format import rounded
from app.session import Session
from physics import joints
from physics.core.records import Drive
from physics.observe import joint_quantities
from scenes import Control

TITLE = "Controls"
PLACE = "right"
ORDER = 12
OPEN = False
GROUP = "Change"
ABOUT = "drive what the scene lets you drive"

NEGLIGIBLE_SHARE = 1e-4
"""Torques below this share of their bound are shown as about zero: their digits do not fit."""


def draw(session: Session) -> None:
    driving, here = session.state(Driving), controls(session)
    if not here:
        widgets.dim_text("This scene has no controls.")
        return
    if driving.gamepads is None:
        driving.gamepads = Gamepads(session.notify)
    new = widgets.toggle("drive by keyboard", driving.by_keyboard, "The keys beside the controls act on them. Other keys, and "
                                                                   "keys with Ctrl, keep their meaning.")
    if new is not None:
        driving.by_keyboard = new
        driving.held.clear()
    widgets.dim_text(driving.gamepads.name or "no gamepad")
    if session.scene.eye is not None and (new := widgets.toggle("camera on the hand", session.view.eye)) is not None:
        session.view.eye = new
    _tasks(session)
    if widgets.button("Stop", "Set all controls to zero."):
        for control in here:
            session.post(commands.set_input, control.name, 0.0)
    for control in here:
        _control(session, control)
    _joints(session)


def _tasks(session: Session) -> None:
    """Points of each task."""
    p = style.palette()
    for task in session.scene.tasks:
        points = session.frame.inputs.get(task.score, 0.0)
        imgui.text(widgets.cut(task.name, 0.8 * imgui.get_content_region_avail().x))
        widgets.tooltip(task.text)
        imgui.same_line()
        widgets.right(f"{points:.0f}", p.good if points else p.dim)


def _control(session: Session, control: Control) -> None:
    value, keys = float(session.frame.inputs.get(control.name, 0.0)), f"{control.keys[0]} / {control.keys[1]}"
    new = widgets.number(f"{control.name}  {keys}", value, lo=control.lo, hi=control.hi, unit=control.unit, help=control.help,
                         default=0.0)
    if new is not None:
        session.post(commands.set_input, control.name, new)


@cache
def _fields(kind: str) -> dict[str, joint_quantities.Field]:
    """Quantities of a kind of joint."""
    return joint_quantities.fields_of(joints.kinds()[kind])


def _joints(session: Session) -> None:
    """Of each driven joint: coordinate, speed, torque of the drive and dry friction, each against its bound."""
    frame = session.frame
    driven = [j for j in np.flatnonzero(frame.joints["kind"] >= 0).tolist() if frame.joints["motor_mode"][j, 0] != Drive.OFF]
    if not driven or not imgui.begin_table("driven", 4, flags.TABLE_FLAGS):
        return
    for name, width in (("joint", 1.2), ("position", 1.0), ("drive", 1.3), ("friction", 1.3)):
        imgui.table_setup_column(name, imgui.TableColumnFlags_.width_stretch, width)
    imgui.table_headers_row()
    p = style.palette()
    for j in driven:
        fields = _fields(frame.joint_kinds[frame.joints["kind"][j]])
        read = {name: fields[name].read(frame.as_world, j) for name in ("angle", "motor", "friction", "friction_bound")
                if name in fields}
        unit = fields["angle"].unit
        imgui.table_next_row()
        imgui.table_next_column()
        imgui.text(frame.joint_names[j])
        imgui.table_next_column()
        place, unit = (np.degrees(read["angle"]), "deg") if unit == "rad" else (1e3 * read["angle"], "mm")
        imgui.text(f"{round(place, 1) + 0.0:.1f} {unit}")       # no negative zero
        for name, bound, colour in (("motor", float(frame.joints["motor_force"][j, 0]), p.accent),
                                    ("friction", read.get("friction_bound", 0.0), p.slip)):
            imgui.table_next_column()
            if name in read:
                share = abs(read[name]) / bound if bound > 0.0 else 0.0
                torque = "~0" if 0.0 < share < NEGLIGIBLE_SHARE else rounded(read[name], 2)
                widgets.bar(share, f"{torque} / {rounded(bound, 2)}", colour)
    imgui.end_table()
