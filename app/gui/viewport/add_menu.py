"""The context menu of the scene: commands on the body under the cursor, and adding a body there (Shift+A)."""

from app.analysis.editing.shape_sizes import NewShape
from app.engine import commands
from app.engine.assemblies import ASSEMBLIES, free_place
from app.gui.controls import icons, widgets
from app.gui.fields.new_body import Adding, add, choose_material, controls, preview
from app.gui.viewport.context_menu import body_menu
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Selection, Session
from physics.core.records import Kind


def draw_menu(session: Session) -> None:
    """Draw the menu; it opens where the mouse was when it was requested."""
    adding, bodies = session.state(Adding), session.frame.bodies
    there = 0 < adding.body < len(bodies)
    kind = int(bodies["kind"][adding.body]) if there else Kind.FREE
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
        widgets.register_area("Add on it")
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
    """Give the next window room for names and controls."""
    imgui.set_next_window_size_constraints(imgui.ImVec2(widgets.scaled(240.0), 0.0), imgui.ImVec2(widgets.scaled(320.0), 4000.0))


def _add(session: Session, adding: Adding) -> None:
    preview(session)
    widgets.heading("Add here")
    imgui.push_item_width(widgets.scaled(220.0))
    choose_material(adding)
    controls(adding)
    new = widgets.toggle("it does not move", adding.fixed, "A static body: fixed in place.")
    adding.fixed = adding.fixed if new is None else new
    imgui.pop_item_width()
    if widgets.button(icons.text(icons.PLUS, message("Add a {kind}", kind=adding.new_shape.kind)),
                      "Add it on the object under the cursor. Ctrl+Z removes it.", name="add", accent=True):
        add(session)
        imgui.close_current_popup()
    _assemblies(session, adding)


def _assemblies(session: Session, adding: Adding) -> None:
    """Buttons for what consists of several bodies."""
    widgets.heading("Assemblies")
    scale = adding.new_shape.size / NewShape().size
    for k, (what, found) in enumerate(ASSEMBLIES.items()):
        if k % 2:
            imgui.same_line()
        help = message("{help} Sized by the control above. Ctrl+Z removes it.", help=found.help)
        if widgets.button(icons.text(icons.PLUS, what.capitalize()), help, name=what, width=widgets.scaled(108.0)):
            session.post(commands.assemble, what, tuple(free_place(session.frame, what, adding.point, scale).tolist()), scale)
            session.view.joints = True
            session.view.reactions = session.view.reactions or what == "spring scale"
            imgui.close_current_popup()
