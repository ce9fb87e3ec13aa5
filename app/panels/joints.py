"""All joints: kind, friction bound (editable), friction against its bound, stick or slip."""

import numpy as np
from imgui_bundle import imgui

from app.gui import style, widgets
from app.session import Session
from app.simulation import MOUSE
from physics import joints
from physics.core.records import Case

TITLE = "Joints"
PLACE = "right"
ORDER = 20


def draw(session: Session) -> None:
    frame = session.frame
    living = [j for j in np.flatnonzero(frame.joints["kind"] >= 0).tolist() if frame.joint_names[j] != MOUSE]
    if not living:
        widgets.dim("This scene has no joints.")
        return
    rough = [j for j in living if _unit(session, j)]
    if len(rough) > 1:
        _all(session, rough)
    clipper = imgui.ListClipper()
    if not imgui.begin_child("list"):
        imgui.end_child()
        return
    clipper.begin(len(living), _height())
    while clipper.step():
        for i in range(clipper.display_start, clipper.display_end):
            imgui.push_id(living[i])
            _joint(session, living[i])
            imgui.pop_id()
    imgui.end_child()


def _all(session: Session, rough: list[int]) -> None:
    units = sorted({_unit(session, j) for j in rough})
    value = float(np.mean(session.frame.joints["max_friction"][rough]))
    new = widgets.number("all bounds", value, lo=0.0, hi=1000.0, unit=" or ".join(units), log=True,
                         help="Largest dry friction of every joint at once.")
    if new is not None:
        session.post("set_joint_friction", new)
    imgui.separator()


def _height() -> float:
    spacing = imgui.get_style().item_spacing.y
    return imgui.get_text_line_height() + 2.0 * imgui.get_frame_height() + 3.0 * spacing + widgets.px(6.0)


def _unit(session: Session, j: int) -> str:
    """Of the friction bound; "" where the joint has no friction."""
    frame = session.frame
    return joints.kinds()[frame.joint_kinds[frame.joints["kind"][j]]].unit


def _joint(session: Session, j: int) -> None:
    frame, p = session.frame, style.palette()
    joint = frame.joints[j]
    kind, unit = frame.joint_kinds[joint["kind"]], _unit(session, j)
    name = frame.joint_names[j] or f"#{j}"
    top = imgui.get_cursor_pos_y()
    chosen = session.selection.joint == j
    imgui.push_style_color(imgui.Col_.text, style.vec(p.accent_strong if chosen else p.text))
    if imgui.selectable(f"{name}##pick", chosen, 0, imgui.ImVec2(0.0, imgui.get_text_line_height()))[0]:
        session.selection.joint = -1 if chosen else j
    imgui.pop_style_color()
    imgui.same_line(0.5 * imgui.get_window_width())
    widgets.dim(kind)
    if unit:
        bound = float(joint["max_friction"])
        new = widgets.number(f"bound {name}", bound, lo=0.0, hi=max(1000.0, bound), unit=unit, log=True, inline=True,
                             width=-1.0, help="Largest dry friction of this joint.")
        if new is not None:
            session.post("set_joint_friction", new, j)
        value = float(np.linalg.norm(joint["friction_impulse"])) / frame.dt if frame.dt > 0.0 else 0.0
        value = value if value > 1e-9 * bound else 0.0     # round-off is no friction
        slips = joint["case"] == Case.SLIP
        sign = "free" if bound <= 0.0 else "slips" if slips else "sticks"
        widgets.bar(value / bound if bound > 0.0 else 0.0, f"{value:.3g} of {bound:.3g} {unit}, {sign}",
                    p.slip if slips else p.stick, imgui.get_frame_height() - widgets.px(2.0))
        widgets.tooltip("Friction of the last step against its bound.")
    else:
        widgets.dim("no friction")
    imgui.set_cursor_pos_y(top + _height())
    imgui.dummy(imgui.ImVec2(0.0, 0.0))
