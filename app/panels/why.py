"""Why does this move? What drives the selected body, what resists, where friction is at its limit, in sentences to click."""

from dataclasses import dataclass

from app.engine.frame import Frame
from app.gui.controls import style, widgets
from app.gui.speaking import imgui
from app.insight import why
from app.session import Highlight, Selection, Session

TITLE = "Why does this move"
PLACE = "right"
ORDER = 12
OPEN = False


@dataclass
class State:
    """The sentences of the frame and body seen last."""

    frame: Frame | None = None
    body: int = -1
    causes: tuple[why.Cause, ...] = ()


def draw(session: Session) -> None:
    frame, state, p = session.frame, session.memory(State), style.palette()
    if widgets.button("The fastest body", "Select the body that moves fastest now.", name="fastest"):
        session.selection = Selection(body=why.fastest(frame))
    body = session.selection.body
    if not 0 < body < len(frame.bodies):
        widgets.wrapped("Select a body to read what moves it, what holds it, and why.", p.dim)
        return
    if state.frame is not frame or state.body != body:
        state.frame, state.body, state.causes = frame, body, why.explain(frame, body)
    imgui.same_line()
    widgets.dim(widgets.cut(frame.body_names[body]))
    colours = {"drives": p.accent_strong, "resists": p.text, "limit": p.slip, "holds": p.stick, "error": p.bad}
    for k, cause in enumerate(state.causes):
        imgui.push_id(k)
        _sentence(session, cause, colours.get(cause.tone, p.text), k)
        imgui.pop_id()
    imgui.dummy(imgui.ImVec2(0.0, widgets.px(4.0)))
    if widgets.button("Free-body diagram", "All these forces as arrows.", name="diagram"):
        session.request("open:free_body")


def _sentence(session: Session, cause: why.Cause, colour: style.Colour, k: int) -> None:
    """A bar of its colour, the words, and a click that points out what they are about."""
    imgui.dummy(imgui.ImVec2(0.0, widgets.px(2.0)))
    top, bar = imgui.get_cursor_screen_pos(), widgets.px(10.0)
    imgui.indent(bar)
    widgets.wrapped(cause.text)
    imgui.unindent(bar)
    lo, hi = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    widgets.mark(f"cause {k}")
    imgui.get_window_draw_list().add_rect_filled(top, imgui.ImVec2(top.x + widgets.px(3.0), hi.y), style.u32(colour))
    about = cause.contacts or cause.joints or cause.bodies
    if about and imgui.is_item_hovered():
        imgui.set_mouse_cursor(imgui.MouseCursor_.hand)
        widgets.tooltip("Click: pointed out in the scene.")
    if about and imgui.is_item_clicked() and lo.x <= imgui.get_mouse_pos().x:
        session.highlight = Highlight(cause.bodies, cause.joints, cause.contacts)
