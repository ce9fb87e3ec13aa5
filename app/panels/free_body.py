"""Free-body diagram of the selected body: outline, forces at their points, and separately their sum beside m a."""

from dataclasses import dataclass

import numpy as np

from app.analysis.forces import force_balance, free_body
from app.analysis.forces.free_body import Arrow, Side
from app.engine.frame import Frame
from app.gui.controls import style, widgets
from app.gui.controls.diagram import Canvas, DiagramLabel
from app.gui.fields.fields import triple
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.number_format import rounded
from app.session import Session

TITLE = "Free body"
PLACE = "bottom"
ORDER = 27
OPEN = False
GROUP = "Forces"
ABOUT = "all forces on the selected body"

ARROW_OF_REACH = 1.8
"""Length of the largest force, as a multiple of the body's reach: from its centre to its farthest point."""
MIN_REACH = 0.02
"""Least reach, for bodies without an outline [m]."""
LABEL_LINES, LABEL_LETTERS = 1.3, 5.0
"""Space for labels above and below the drawing, and beside it [lines of text; widths of a figure]."""
SUM_FACTORS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0)
"""Factors by which sum and m a may be drawn longer than the forces."""
MIN_DRAWN_SHARE = 1e-3
"""Forces and couples below this share of the largest one are listed but not drawn."""


@dataclass
class FreeBodyState:
    """The user's choices, and the diagram of the newest frame."""

    plane: str = "chosen"
    joined: bool = True
    frame: Frame | None = None
    of: tuple = ()
    balance: force_balance.ForceBalance | None = None
    arrows: tuple[Arrow, ...] = ()


def draw(session: Session) -> None:
    state, body = session.state(FreeBodyState), session.selection.body
    if body <= 0:
        widgets.wrapped("Select a body to see all forces on it in newtons, their sum, and m a.",
                        style.palette().dim)
        return
    if state.frame is not session.frame or state.of != (body, state.joined):
        state.frame, state.of, state.balance = session.frame, (body, state.joined), force_balance.force_balance(session.frame,
                                                                                                                body)
        state.arrows = free_body.arrows(state.balance, state.joined) if state.balance is not None else ()
    _choices(session, state)
    if state.balance is None:
        widgets.wrapped("No step with this body yet: step once (key .).", style.palette().dim)
        return
    camera = session.camera.axes() if state.plane == "camera" else None
    seen, room = free_body.side(session.frame, state.balance, state.plane, camera), imgui.get_content_region_avail()
    gap = imgui.get_style().item_spacing
    words = max(widgets.scaled(230.0), min(widgets.scaled(330.0), 0.36 * room.x))
    if room.x > words + widgets.scaled(220.0):
        _picture(session, state, seen, room.x - words - 2.0 * gap.x, max(room.y, widgets.scaled(120.0)))
        imgui.same_line(0.0, 2.0 * gap.x)
        if imgui.begin_child("words"):
            _words(session, state, seen)
        imgui.end_child()
    else:
        _picture(session, state, seen, room.x, max(widgets.scaled(170.0), 0.55 * room.y))
        _words(session, state, seen)


def _choices(session: Session, state: FreeBodyState) -> None:
    imgui.set_next_item_width(widgets.combo_width("as in the view"))
    opened = imgui.begin_combo("##plane", _plane(state.plane))
    widgets.register_area("plane")
    if opened:
        for plane in free_body.VIEW_DIRECTIONS:
            if imgui.selectable(_plane(plane), plane == state.plane)[0]:
                state.plane = plane
            widgets.register_area(f"plane={plane}")
        imgui.end_combo()
    widgets.tooltip("View direction. Best side: the plane of gravity and the largest forces.")
    imgui.same_line()
    if (new := widgets.toggle("join contacts", state.joined, "Combine all contacts with a neighbouring body into one force and "
                                                             "couple.")) is not None:
        state.joined = new
    imgui.same_line()
    if imgui.get_content_region_avail().x < widgets.scaled(90.0):
        imgui.new_line()
    if (new := widgets.toggle("in the scene", session.view.free_body, "Draw the same arrows on the body in the "
                                                                      "scene.")) is not None:
        session.view.free_body = new


def _plane(plane: str) -> str:
    return {"chosen": "best side", "camera": "as in the view"}.get(plane, f"{plane.replace(' ', '')} plane")


def _picture(session: Session, state: FreeBodyState, seen: Side, width: float, height: float) -> None:
    """Draw the body in the middle, the comparison in a strip at the right or, if narrow, at the bottom."""
    balance, p = state.balance, style.palette()
    polygons = free_body.outlines(session.frame, balance.body, seen)
    strip = min(0.3 * width, widgets.scaled(130.0))
    largest = max([a.size for a in state.arrows] + [float(np.linalg.norm(balance.total)), float(np.linalg.norm(balance.wanted))])
    points = np.array([seen.flat(a.point - balance.centre) for a in state.arrows]).reshape(-1, 2)
    reach = max([MIN_REACH, *(float(np.abs(polygon).max()) for polygon in polygons if len(polygon)),
                 *np.abs(points).max(axis=1, initial=0.0).tolist()])
    per_newton = ARROW_OF_REACH * reach / largest if largest > 0.0 else 0.0    # [m/N], until the canvas has its scale
    tips = points + per_newton * np.array([seen.flat(a.force) for a in state.arrows]).reshape(-1, 2)
    drawn = np.concatenate([np.full((1, 2), MIN_REACH), points, tips, *(polygon.reshape(-1, 2) for polygon in polygons)])
    across, up = np.abs(drawn).max(axis=0)
    letter, line = imgui.calc_text_size("0").x, imgui.get_text_line_height()
    scale = max(1e-3, min((0.5 * (width - strip) - LABEL_LETTERS * letter) / across, (0.5 * height - LABEL_LINES * line) / up))
    canvas = Canvas("diagram", width, height, (0.5 * (width - strip), 0.5 * height), scale)
    per_newton *= scale
    if canvas.begin():
        for polygon in polygons:
            canvas.outline(polygon, p.dim)
        canvas.dot((0.0, 0.0), p.dim)
        for arrow, point in zip(state.arrows, points):
            _force(canvas, seen, arrow, point, per_newton, largest)
        _couples(canvas, seen, state.arrows, points, 0.5 * scale * reach)
        canvas.write()
        _compare(canvas, seen, balance, (width - 0.5 * strip, 0.5 * height), per_newton, 0.42 * strip)
        canvas.end()
    widgets.register_area("diagram")


ARROW_TEXTS = {"normal": "normal {size} N", "friction": "friction {size} N", "gravity": "gravity {size} N",
               "applied": "applied {size} N", "rolling": "rolling {size} N", "drag": "drag {size} N"}
"""Texts beside the arrows; joints by their names."""


def _force(canvas: Canvas, seen: Side, arrow: Arrow, point: np.ndarray, per_newton: float, largest: float) -> None:
    flat = seen.flat(arrow.force)
    if arrow.size < MIN_DRAWN_SHARE * largest:
        return
    colour = style.of_source(arrow.source)
    tip = canvas.arrow(point, per_newton * flat, colour, 2.4)
    hidden = float(np.linalg.norm(flat)) < 0.05 * arrow.size
    name = _short(arrow)
    text = message(ARROW_TEXTS.get(name, "{name} {size} N"), name=name, size=rounded(arrow.size))
    text = text + " (along the view)" if hidden else text
    canvas.labels.append(DiagramLabel(tip, flat, text, colour))


def _short(arrow: Arrow) -> str:
    return arrow.name.split(" from ")[0] if arrow.source in ("normal", "friction") else arrow.name


def _couples(canvas: Canvas, seen: Side, arrows: tuple[Arrow, ...], points: np.ndarray, radius: float) -> None:
    """Draw arcs for torques about the line of sight; a ring for those across it."""
    sizes = [float(np.linalg.norm(a.couple)) for a in arrows]
    levers = [a.size for a in arrows]
    for arrow, point, size in zip(arrows, points, sizes):
        turn = float(arrow.couple @ seen.towards)
        if size < 0.01 * max(sizes) or size < 1e-4 * max(levers, default=0.0) or abs(turn) < 0.2 * size:
            continue
        colour = style.of_source("rolling")
        canvas.arc(point, radius, turn, colour)
        canvas.labels.append(DiagramLabel(canvas.at(point, (0.0, -radius)), np.array([0.3, -1.0]), f"{rounded(abs(turn))} N m",
                                          colour))


def _compare(canvas: Canvas, seen: Side, balance: force_balance.ForceBalance, middle: tuple[float, float], per_newton: float,
             room: float) -> None:
    """Draw sum and m a side by side; in the scale of the forces, or a visible multiple of it."""
    p, total, wanted = style.palette(), seen.flat(balance.total), seen.flat(balance.wanted)
    verdict = free_body.verdict(balance)
    most = per_newton * max(float(np.abs(total).max()), float(np.abs(wanted).max()))
    factor = max((f for f in SUM_FACTORS if f * most <= 1.6 * room), default=1.6 * room / most) if most > 0.0 else 0.0
    scale = factor * per_newton
    line = imgui.get_text_line_height()
    for k, (name, flat, size, colour) in enumerate((
            ("sum", total, np.linalg.norm(balance.total), p.text), ("m a", wanted, np.linalg.norm(balance.wanted), p.curves[3]))):
        x, y = middle[0], middle[1] + (k - 0.5) * canvas.height * 0.44
        start = (x - 0.5 * scale * flat[0], y + 0.5 * scale * flat[1])
        if verdict.balanced or size == 0.0:
            canvas.pixel_dot((x, y), colour)
        else:
            canvas.pixel_arrow(start, (start[0] + scale * flat[0], start[1] - scale * flat[1]), colour, 3.0 if k == 0 else 2.0)
        drop = 0.5 * scale * abs(float(flat[1])) + 0.35 * line
        canvas.text((x, min(y + drop, canvas.height - 1.2 * line)), f"{name} = {rounded(0.0 if verdict.balanced else size)} N",
                    colour)
    if factor != 1.0 and not verdict.balanced and most > 0.0:
        canvas.text((middle[0], 0.2 * line), message("scale {factor}", factor=rounded(factor, 2)), p.dim)


def _words(session: Session, state: FreeBodyState, seen: Side) -> None:
    """Draw the verdict, and the list of forces that also serves as legend."""
    balance, p = state.balance, style.palette()
    verdict = free_body.verdict(balance)
    widgets.wrapped(verdict.text, p.good if verdict.balanced else p.text)
    widgets.register_area("verdict")
    widgets.dim_text(f"{session.frame.body_names[balance.body]}, {seen.name}")
    for k, arrow in enumerate(state.arrows):
        imgui.push_id(k)
        couple, (left, right) = float(np.linalg.norm(arrow.couple)), (imgui.get_cursor_pos_x(), widgets.cell_end())
        number = f"{rounded(arrow.size, 4)} N" + (f", {rounded(couple)} N m" if couple > 1e-4 * arrow.size * _lever(state)
                                                  else "")
        room = right - left - imgui.calc_text_size(number).x - widgets.scaled(26.0)
        widgets.swatch(style.of_source(arrow.source))
        title = message("{arrow}, {parts} contacts", arrow=arrow.name, parts=arrow.parts) if arrow.parts > 1 else arrow.name
        if imgui.selectable(f"{widgets.cut(title, room)}###force", False, 0, imgui.ImVec2(0.0, imgui.get_text_line_height()))[0]:
            point_out(session, arrow)
        widgets.register_area(f"force {arrow.name}")
        widgets.tooltip(message("{title}: {force} at {point}, couple {couple}.\nClick to highlight it in the scene.", title=title,
                                force=triple(arrow.force, "N"), point=triple(arrow.point, "m"),
                                couple=triple(arrow.couple, "N m")))
        imgui.same_line()
        widgets.right(number, end=right)
        imgui.pop_id()
    noise = 1e-9 * _lever(state) * max((a.size for a in state.arrows), default=0.0)
    sums = (float(np.linalg.norm(v)) for v in (balance.total_torque, balance.wanted_torque))
    turning, spins = (value if value > noise else 0.0 for value in sums)
    widgets.wrapped(message("Torque about the centre {turning} N m; rate of angular momentum {spins} N m.",
                            turning=rounded(turning), spins=rounded(spins)),
                    p.dim)
    widgets.tooltip("Sum of all torques about the centre of mass, and the rate of change of angular momentum.")


def _lever(state: FreeBodyState) -> float:
    """Typical lever arm [m]."""
    return max([1e-3, *(float(np.linalg.norm(a.point - state.balance.centre)) for a in state.arrows)])


def point_out(session: Session, arrow: Arrow) -> None:
    """Highlight the contacts, joint or neighbour of an arrow with rings."""
    highlight = session.highlight
    joint = arrow.source in ("joint", "drag")
    highlight.contacts = () if joint else arrow.indices
    highlight.joints = arrow.indices if joint else ()
    highlight.bodies = (arrow.other,) if arrow.other > 0 and not arrow.indices else ()
