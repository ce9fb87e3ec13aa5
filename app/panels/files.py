"""Scene files: open one, or save the scene under a name."""

import time
from pathlib import Path

from app.gui.controls import flags, style, widgets
from app.gui.output import scene_documents
from app.gui.output.scene_documents import FileList
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session
from physics import BadInput

TITLE = "Scene files"
PLACE = "float"
OPEN = False
GROUP = ""

SIZE = (460.0, 260.0)
"""Size of the list [px at scale 1]."""


def draw(session: Session) -> None:
    state = session.state(FileList)
    widgets.heading("Save the scene as" if state.saving else "Open a scene file")
    if state.focus:
        imgui.set_keyboard_focus_here()
        state.focus = False
    imgui.set_next_item_width(widgets.scaled(SIZE[0]))
    entered, typed = imgui.input_text_with_hint("##name", "name, or path of a file", state.typed,
                                                imgui.InputTextFlags_.enter_returns_true)
    widgets.register_area("name")
    if typed != state.typed:
        state.typed, state.replaces = typed, None
    widgets.wrapped(message("in {folder}", folder=scene_documents.folder()), style.palette().dim)
    _list(session, state)
    label = "Replace" if state.replaces is not None else "Save" if state.saving else "Open"
    if widgets.button(label, name="do", accent=True) or entered:
        _do(session, state)
    imgui.same_line()
    if widgets.button("Cancel", name="cancel"):
        session.leaving = None
        session.window.toggle_panel("files")
    if state.replaces is not None:
        widgets.wrapped(message("{replaces} is there already: press Replace to write over it, or type another name.",
                                replaces=state.replaces.name),
                        style.palette().warn)


def _list(session: Session, state: FileList) -> None:
    files = state.files(time.perf_counter())
    size = imgui.ImVec2(*map(widgets.scaled, SIZE))
    if imgui.begin_child("list", size, child_flags=flags.WITHIN):
        if not files:
            widgets.wrapped("No scene files yet. Save a scene with Ctrl+S; it appears here.", style.palette().dim)
        for i, path in enumerate(files):
            name = scene_documents.shown_name(path)
            if imgui.selectable(f"{name}##{i}", False)[0]:
                state.typed, state.replaces = name if path.parent == scene_documents.folder() else str(path), None
                if not state.saving:
                    _do(session, state)
            widgets.register_area(f"file {i}")
            widgets.tooltip(f"{path}")
            if path.parent != scene_documents.folder():
                imgui.same_line(imgui.calc_text_size(name).x + 2.0 * imgui.get_style().item_spacing.x)
                widgets.dim_text(widgets.cut(str(path.parent)))
    imgui.end_child()


def _do(session: Session, state: FileList) -> None:
    """Open the typed file, or save to it; an existing file is replaced at the second press."""
    try:
        path = scene_documents.typed_path(state.typed, state.saving)
    except BadInput as error:
        session.notify(str(error))
        state.focus = True
        return
    if not state.saving:
        scene_documents.open_file(session, path)
    elif path.exists() and path != state.replaces and path != Path(session.simulation.document.path):
        state.replaces = path
        return
    else:
        scene_documents.save_to(session, path, state.then)
    session.window.toggle_panel("files")
