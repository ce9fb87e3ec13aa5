"""Picture of the tree of subsystems: which bodies each has, which joints it eliminates. A click selects its bodies."""

from dataclasses import dataclass, field

from app.analysis.subsystem_tree import Cell, cells, division
from app.gui.controls import style, widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Selection, Session

TITLE = "Subsystems"
PLACE = "bottom"
ORDER = 27
OPEN = False
GROUP = "Solver"
ABOUT = "tree of subsystems"

ROW_LINES = 2.4
"""Height of a row of the tree [lines]."""


@dataclass
class TreeState:
    """The cells, and what they were made of."""

    made_of: tuple = ()
    cells: list[Cell] = field(default_factory=list)


def draw(session: Session) -> None:
    frame, state = session.frame, session.state(TreeState)
    used, groups, most = division(frame)
    made_of = frame.scene, frame.revision, frame.setting.build, groups, most, len(frame.bodies)
    if made_of != state.made_of:
        state.made_of, state.cells = made_of, cells(frame)
    if not state.cells:
        widgets.dim_text("There are no moving bodies.")
        return
    widgets.wrapped("Each row divides the one above it. A subsystem eliminates its own joints and passes on the response of its "
                    "outer bodies." if used else
                    "The division that the subsystem method would use. Choose it as the solver to simulate with it.",
                    style.palette().dim)
    if imgui.begin_child("tree"):
        _tree(session, state.cells)
    imgui.end_child()


def _tree(session: Session, found: list[Cell]) -> None:
    p, draw_list, line = style.palette(), imgui.get_window_draw_list(), imgui.get_text_line_height()
    corner, width = imgui.get_cursor_screen_pos(), imgui.get_content_region_avail().x
    height, gap, chosen = ROW_LINES * line, widgets.scaled(2.0), set(session.selection.bodies)
    for i, cell in enumerate(found):
        left, right = corner.x + cell.left * width, corner.x + cell.right * width - gap
        top = corner.y + cell.depth * (height + gap)
        imgui.set_cursor_screen_pos(imgui.ImVec2(left, top))
        if imgui.invisible_button(f"{i}", imgui.ImVec2(max(right - left, 1.0), height)):
            session.selection = Selection.of(cell.bodies)
        widgets.register_area(f"subsystem {i}")
        lo, hi = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        is_body = not cell.joints and len(cell.bodies) == 1
        selected = chosen.issuperset(cell.bodies)
        draw_list.add_rect_filled(lo, hi, style.u32(p.accent if selected else p.field), widgets.scaled(4.0))
        if imgui.is_item_hovered():
            draw_list.add_rect(lo, hi, style.u32(p.accent_strong), widgets.scaled(4.0))
            widgets.tooltip(describe(session, cell))
        if is_body:
            _label(lo, hi, session.frame.body_names[cell.bodies[0]], f"{cell.bodies[0]}")
        else:
            _label(lo, hi, message("{bodies} bodies, {joints} joints", bodies=len(cell.bodies), joints=len(cell.joints)),
                   f"{len(cell.bodies)}")
    rows = max(cell.depth for cell in found) + 1
    imgui.set_cursor_screen_pos(corner)
    imgui.dummy(imgui.ImVec2(width - gap, rows * (height + gap)))


def _label(lo: imgui.ImVec2, hi: imgui.ImVec2, *texts: str) -> None:
    """The first of the texts that fits, in the middle of a cell."""
    for text in texts:
        size = imgui.calc_text_size(text)
        if size.x <= hi.x - lo.x - 4.0:
            place = imgui.ImVec2(round(0.5 * (lo.x + hi.x - size.x)), round(0.5 * (lo.y + hi.y - size.y)))
            imgui.get_window_draw_list().add_text(place, style.u32(style.palette().text), translate.translate(text))
            return


def describe(session: Session, cell: Cell) -> str:
    """A subsystem in words and names."""
    names, joints = session.frame.body_names, session.frame.joint_names

    def listed(items: tuple[int, ...], known: tuple[str, ...]) -> str:
        return ", ".join(known[i] for i in items[:8]) + (", ..." if len(items) > 8 else "")
    lines = [message("bodies: {bodies}", bodies=listed(cell.bodies, names))]
    if cell.joints:
        lines.append(message("eliminates: {joints}", joints=listed(cell.joints, joints)))
    if cell.outer:
        lines.append(message("outer bodies: {outer}", outer=listed(cell.outer, names)))
    return "\n".join([*lines, "Click to select the bodies."])
