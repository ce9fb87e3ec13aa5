"""Tree of everything in the scene: search, click to select, double-click to frame, right-click for a menu of actions.

Ctrl+click toggles a body in the selection, Shift+click selects the range from the last one to this.
"""

from dataclasses import dataclass, field

from app.analysis.editing.outline import Outline, OutlineRow
from app.gui.controls import flags, icons, style, widgets
from app.gui.viewport import hidden_bodies, multi_select
from app.gui.viewport.context_menu import body_menu, frame_body, joint_menu
from app.i18n.imgui_translated import imgui
from app.session import Selection, Session
from physics.core.records import Kind

TITLE = "Outliner"
PLACE = "left top"
ORDER = 20
GROUP = "Change"
ABOUT = "everything in the scene, as a tree"

ROW_ICONS = {"shape": icons.SHAPE, "joint": icons.JOINT, "material": icons.MATERIAL}
BODY_ICONS = {Kind.DYNAMIC: icons.BODY, Kind.STATIC: icons.STATIC, Kind.KINEMATIC: icons.MOVER}

EYE_COLUMN_WIDTH = 24.0
"""Width of the visibility column [px at scale 1]."""


@dataclass
class OutlinerState:
    """The rows, the selection that was last scrolled to, its bodies."""

    outline: Outline = field(default_factory=Outline)
    followed: tuple[str, int] = ("", -1)
    picked: frozenset[int] = frozenset()


def draw(session: Session) -> None:
    state = session.state(OutlinerState)
    outline = state.outline
    outline.search = widgets.search("search objects", outline.search, "search bodies, joints, materials")
    lines = outline.update_rows(session.frame, session.frame.materials.items)
    if not lines:
        widgets.dim_text("No match.")
        return
    state.picked = frozenset(session.selection.bodies)
    if imgui.begin_child("lines", child_flags=flags.WITHIN):
        height = imgui.get_text_line_height_with_spacing()
        _follow(session, state, height)
        clipper = imgui.ListClipper()
        clipper.begin(len(lines), height)
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                imgui.push_id(i)
                _line(session, state, lines[i])
                imgui.pop_id()
    imgui.end_child()


def _follow(session: Session, state: OutlinerState, height: float) -> None:
    """Scroll to the item selected in the scene."""
    chosen = session.selection
    key = ("joint", chosen.joint) if chosen.joint >= 0 else ("body", chosen.body)
    if key == state.followed:
        return
    state.followed = key
    if (place := state.outline.place(key)) >= 0:
        top, room = imgui.get_scroll_y(), imgui.get_window_height()
        if not top <= place * height <= top + room - 2.0 * height:
            imgui.set_scroll_y(max(0.0, place * height - 0.4 * room))


def _line(session: Session, state: OutlinerState, line: OutlineRow) -> None:
    p, chosen = style.palette(), session.selection
    picked = (line.kind == "body" and line.index in state.picked and chosen.joint < 0) or (
        line.kind == "joint" and line.index == chosen.joint)
    start = imgui.get_cursor_pos_x() + line.depth * widgets.scaled(14.0) + 1.0
    width = imgui.get_content_region_avail().x
    if imgui.selectable("##line", picked, flags.TWICE)[0]:
        _click(session, state, line)
    widgets.register_area(f"{line.kind} {line.label}" if line.kind != "group" else line.label.split(" (")[0])
    if imgui.begin_popup_context_item("menu"):
        if line.kind in ("body", "joint"):
            (body_menu if line.kind == "body" else joint_menu)(session, line.index)
        else:
            widgets.dim_text("No actions available.")
        imgui.end_popup()
    imgui.same_line(start)
    opened = line.label.split(" (")[0] not in state.outline.closed if line.kind == "group" else line.index in state.outline.opened
    if line.opens:
        imgui.push_style_color(imgui.Col_.text, style.vec(p.dim))
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(0.0, 0.0, 0.0, 0.0))
        imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(widgets.scaled(3.0), 0.0))
        sign = icons.text(icons.OPENED if opened else icons.CLOSED, "", "v" if opened else ">")
        if imgui.small_button(f"{sign}##open"):
            state.outline.toggle(line)
        widgets.register_area(f"open {line.label}")
        imgui.pop_style_var()
        imgui.pop_style_color(2)
        imgui.same_line(start + widgets.scaled(22.0))
    else:
        imgui.set_cursor_pos_x(start + widgets.scaled(22.0))
    is_body = line.kind == "body" and line.index < len(session.frame.bodies)
    kind = int(session.frame.bodies["kind"][line.index]) if is_body else Kind.DYNAMIC
    sign = BODY_ICONS.get(kind, "") if line.kind == "body" else ROW_ICONS.get(line.kind, "")
    hidden = line.kind == "body" and line.index in session.state(hidden_bodies.Hidden).bodies
    colour = p.dim if hidden or line.kind in ("shape", "group") or (line.kind == "body" and kind == Kind.STATIC) else p.text
    widgets.coloured(icons.text(sign, line.label) if sign else line.label, colour)
    if line.detail and imgui.calc_text_size(f"{line.label} {line.detail}").x + start + widgets.scaled(60.0) < width:
        imgui.same_line()
        widgets.right(line.detail, p.dim, width - widgets.scaled(EYE_COLUMN_WIDTH) if line.kind == "body" else width)
    if line.kind == "body" and line.index > 0:
        _eye(session, line, hidden, width)


def _eye(session: Session, line: OutlineRow, hidden: bool, width: float) -> None:
    """Draw the visibility switch of a body at the right end."""
    p, blank = style.palette(), imgui.ImVec4(0.0, 0.0, 0.0, 0.0)
    imgui.same_line(width - widgets.scaled(EYE_COLUMN_WIDTH - 4.0))
    imgui.push_style_color(imgui.Col_.text, style.vec(p.warn if hidden else p.dim))
    imgui.push_style_color(imgui.Col_.button, blank)
    imgui.push_style_var(imgui.StyleVar_.frame_padding, imgui.ImVec2(widgets.scaled(1.0), 0.0))
    if imgui.small_button(f"{icons.text(icons.HIDDEN if hidden else icons.EYE, '', '-' if hidden else 'o')}##eye"):
        hidden_bodies.toggle(session, line.index)
    imgui.pop_style_var()
    imgui.pop_style_color(2)
    widgets.register_area(f"eye {line.label}")
    widgets.tooltip("Show it." if hidden else "Hide it: not drawn and not selectable by mouse; the simulation still "
                                                    "includes it.")


def _click(session: Session, state: OutlinerState, line: OutlineRow) -> None:
    double, io = imgui.is_mouse_double_clicked(0), imgui.get_io()
    if line.kind == "group":
        state.outline.toggle(line)
    elif line.kind == "body" and io.key_ctrl:
        multi_select.toggle(session, line.index)
    elif line.kind == "body" and io.key_shift and session.selection.body >= 0:
        session.selection = Selection.of([*state.outline.between(session.selection.body, line.index), line.index])
    elif line.kind == "body":
        session.selection = Selection(body=line.index)
        if double:
            frame_body(session, line.index)
    elif line.kind == "joint":
        session.selection = Selection(joint=line.index)
        if double:
            frame_body(session, int(session.frame.joints["body_b"][line.index]))
    elif line.kind == "shape":
        session.selection = Selection(body=int(session.frame.shapes["body"][line.index]))
    if line.kind in ("body", "joint"):
        state.followed = "body" if line.kind == "body" else "joint", session.selection.body if line.kind == "body" else line.index
        session.window.show_panel("inspector")
