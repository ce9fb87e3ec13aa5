"""All joints: kind, friction bound (editable), friction against its bound, stick or slip."""

import numpy as np

from app.analysis.forces.joint_lens import friction_now
from app.engine import commands
from app.engine.undo.difference import MOUSE_SPRING
from app.gui.controls import flags, style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session
from physics import joints
from physics.joints import Group, JointKind

TITLE = "Joints"
PLACE = "right"
ORDER = 20
GROUP = "Change"
ABOUT = "friction of every joint"


def draw(session: Session) -> None:
    frame = session.frame
    living = [j for j in np.flatnonzero(frame.joints["kind"] >= 0).tolist() if frame.joint_names[j] != MOUSE_SPRING]
    if not living:
        widgets.dim_text("This scene has no joints.")
        return
    kinds = {j: joints.kinds()[frame.joint_kinds[frame.joints["kind"][j]]] for j in living}
    rough = [j for j in living if kinds[j].friction]
    if len(rough) > 1:
        _all(session, rough, kinds)
    clipper = imgui.ListClipper()
    if not imgui.begin_child("list", child_flags=flags.WITHIN):
        imgui.end_child()
        return
    tall = max(1, max(len(kind.friction) for kind in kinds.values()))
    clipper.begin(len(living), _height(tall))
    while clipper.step():
        for i in range(clipper.display_start, clipper.display_end):
            imgui.push_id(living[i])
            _joint(session, living[i], kinds[living[i]], tall)
            imgui.pop_id()
    imgui.end_child()


def _all(session: Session, rough: list[int], kinds: dict[int, JointKind]) -> None:
    units = sorted({group.unit for j in rough for group in kinds[j].friction})
    value = float(np.mean(session.frame.joints["max_friction"][rough, 0]))
    new = widgets.number("all bounds", value, lo=0.0, hi=1000.0, unit=" or ".join(units), log=True,
                         help="Dry friction bound of all joints.")
    if new is not None:
        session.post(commands.set_joint_friction, new)
    imgui.separator()


def _height(groups: int) -> float:
    """Height of one joint: its name, and a bound and a bar for each group of directions."""
    spacing = imgui.get_style().item_spacing.y
    return imgui.get_text_line_height() + 2.0 * groups * (imgui.get_frame_height() + spacing) + spacing + widgets.scaled(6.0)


def _joint(session: Session, j: int, known: JointKind, tall: int) -> None:
    frame, p = session.frame, style.palette()
    name = frame.joint_names[j]
    top = imgui.get_cursor_pos_y()
    chosen = session.selection.joint == j
    imgui.push_style_color(imgui.Col_.text, style.vec(p.accent_strong if chosen else p.text))
    if imgui.selectable(f"{name}##pick", chosen, 0, imgui.ImVec2(0.0, imgui.get_text_line_height()))[0]:
        session.selection.joint = -1 if chosen else j
    imgui.pop_style_color()
    imgui.same_line(0.5 * imgui.get_window_width())
    widgets.dim_text(frame.joint_kinds[frame.joints["kind"][j]])
    start = 0
    for g, group in enumerate(known.friction):
        _friction(session, j, g, group, start, f"{name} {group.name}" if len(known.friction) > 1 else name)
        start += len(group.rows)
    if not known.friction:
        widgets.dim_text("no friction")
    imgui.set_cursor_pos_y(top + _height(tall))
    imgui.dummy(imgui.ImVec2(0.0, 0.0))


def _friction(session: Session, j: int, g: int, group: Group, start: int, name: str) -> None:
    """Draw the editable bound of one group of directions, and its friction against it."""
    frame, p = session.frame, style.palette()
    joint = frame.joints[j]
    bound, unit = float(joint["max_friction"][g]), group.unit
    new = widgets.number(message("bound {name}", name=name), bound, lo=0.0, hi=max(1000.0, bound), unit=unit, log=True,
                         inline=True, width=-1.0,
                         help=message("Dry friction bound of this joint, where it can {group}.", group=group.name))
    if new is not None:
        session.post(commands.set_joint_friction, new, j, group.name)
    value, slips = friction_now(joint, start, len(group.rows), frame.impulse_duration)
    value = value if value > 1e-9 * bound else 0.0     # suppress rounding
    free = bound <= 0.0 and joint["viscous"][g] <= 0.0 and joint["load_mu"][g] <= 0.0
    sign = "free" if free else "slips" if slips else "sticks"
    widgets.bar(min(1.0, value / bound) if bound > 0.0 else 0.0,
                message("{size} of {bound} {unit}, {word}", size=rounded(value), bound=rounded(bound), unit=unit, word=sign),
                p.slip if slips else p.stick, imgui.get_frame_height() - widgets.scaled(2.0))
    widgets.tooltip("Friction in the last step relative to its bound; viscous friction is added on top.")
