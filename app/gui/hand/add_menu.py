"""The menu of the scene: right-click on a body for what can be done with it, and everywhere to add something there (Shift+A)."""

from app.gui.controls import icons, widgets
from app.gui.fields.making import Adding, add, controls, preview
from app.gui.hand.thing_menu import body_menu
from app.gui.speaking import imgui
from app.session import Selection, Session
from physics.core.records import Kind


def draw_menu(session: Session) -> None:
    """Opens where the mouse is when it was asked for."""
    adding, bodies = session.memory(Adding), session.frame.bodies
    there = 0 < adding.body < len(bodies)
    kind = Kind(int(bodies["kind"][adding.body])) if there else Kind.FREE
    if adding.asked:
        adding.asked = False
        if kind == Kind.DYNAMIC and adding.body not in session.selection.bodies:
            session.selection = Selection(body=adding.body)
        imgui.open_popup("scene menu")
    _wide()
    if not imgui.begin_popup("scene menu"):
        return
    if kind == Kind.DYNAMIC:
        body_menu(session, adding.body)
        imgui.separator()
        _wide()
        opened = imgui.begin_menu("Add on it")
        widgets.mark("Add on it")
        if opened:
            _add(session, adding)
            imgui.end_menu()
    else:
        _add(session, adding)
        if kind != Kind.FREE and imgui.begin_menu(session.frame.body_names[adding.body]):
            body_menu(session, adding.body)
            imgui.end_menu()
    imgui.end_popup()


def _wide() -> None:
    """The window that comes next has room for names and controls."""
    imgui.set_next_window_size_constraints(imgui.ImVec2(widgets.px(240.0), 0.0), imgui.ImVec2(widgets.px(320.0), 4000.0))


def _add(session: Session, adding: Adding) -> None:
    preview(session)
    widgets.heading("Add here")
    imgui.push_item_width(widgets.px(220.0))
    controls(adding)
    new = widgets.toggle("it does not move", adding.fixed, "A static body: it holds its place whatever pushes it.")
    adding.fixed = adding.fixed if new is None else new
    imgui.pop_item_width()
    if widgets.button(icons.text(icons.PLUS, f"Add a {adding.mould.kind}"), "On what is under the cursor. Ctrl+Z takes it away.",
                      name="add", accent=True):
        add(session)
        imgui.close_current_popup()
