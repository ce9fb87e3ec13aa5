"""Why the selected body moves: driving and resisting forces, friction at its limit, in clickable sentences."""

from dataclasses import dataclass

from app.analysis.forces import explain_motion
from app.engine.frame import Frame
from app.gui.controls import style, widgets
from app.i18n.imgui_translated import imgui
from app.session import Highlight, Selection, Session

TITLE = "Why does this move"
PLACE = "right"
ORDER = 12
OPEN = False
GROUP = "Forces"
ABOUT = "what drives the selected body"


@dataclass
class WhyState:
    """The sentences of the last frame and body."""

    frame: Frame | None = None
    body: int = -1
    causes: tuple[explain_motion.Explanation, ...] = ()


def draw(session: Session) -> None:
    frame, state, p = session.frame, session.state(WhyState), style.palette()
    if widgets.button("The fastest body", "Select the fastest body.", name="fastest"):
        session.selection = Selection(body=explain_motion.fastest(frame))
    body = session.selection.body
    if not 0 < body < len(frame.bodies):
        widgets.wrapped("Select a body to see which forces drive and resist its motion.", p.dim)
        return
    if state.frame is not frame or state.body != body:
        state.frame, state.body, state.causes = frame, body, explain_motion.explain_motion(frame, body)
    imgui.same_line()
    widgets.dim_text(widgets.cut(frame.body_names[body]))
    colours = {"drives": p.accent_strong, "resists": p.text, "limit": p.slip, "holds": p.stick, "error": p.bad}
    for k, cause in enumerate(state.causes):
        imgui.push_id(k)
        _sentence(session, cause, colours.get(cause.tone, p.text), k)
        imgui.pop_id()
    imgui.dummy(imgui.ImVec2(0.0, widgets.scaled(4.0)))
    if widgets.button("Free-body diagram", "Show all these forces as arrows.", name="diagram"):
        session.window.open_panel("free_body")


def _sentence(session: Session, cause: explain_motion.Explanation, colour: style.RGBA, k: int) -> None:
    """Draw a bar of its colour and the words; a click highlights their subject."""
    imgui.dummy(imgui.ImVec2(0.0, widgets.scaled(2.0)))
    top, bar = imgui.get_cursor_screen_pos(), widgets.scaled(10.0)
    imgui.indent(bar)
    widgets.wrapped(cause.text)
    imgui.unindent(bar)
    lo, hi = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    widgets.register_area(f"cause {k}")
    imgui.get_window_draw_list().add_rect_filled(top, imgui.ImVec2(top.x + widgets.scaled(3.0), hi.y), style.u32(colour))
    about = cause.contacts or cause.joints or cause.bodies
    if about and imgui.is_item_hovered():
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        widgets.tooltip("Click to highlight it in the scene.")
    if about and imgui.is_item_clicked() and lo.x <= imgui.get_mouse_pos().x:
        session.highlight = Highlight(cause.bodies, cause.joints, cause.contacts)
