"""The question before unsaved work is left: save, leave without saving, stay."""

from app.gui.controls import icons, widgets
from app.gui.output import scene_documents
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session

TITLE = "Unsaved changes"
PLACE = "dialog"
OPEN = False
GROUP = ""


def draw(session: Session) -> None:
    then = session.leaving
    imgui.dummy(imgui.ImVec2(widgets.scaled(380.0), 0.0))
    if then is None:
        widgets.wrapped("Nothing waits for an answer.")
        return
    widgets.wrapped(message("'{title}' has changes that are in no file.", title=session.document_title.removesuffix(" *")))
    if widgets.button(icons.text(icons.SAVE, "Save"), "Save to its file, or ask for a name; then continue.", name="save",
                      accent=True):
        _close(session)
        scene_documents.save(session, then)
    imgui.same_line()
    if widgets.button("Leave without saving", "Go on; Undo brings the scene back as long as the window is open.", name="leave"):
        _close(session)
        then()
    imgui.same_line()
    if widgets.button("Stay", "Do nothing.", name="stay"):
        _close(session)


def _close(session: Session) -> None:
    session.leaving = None
    session.window.toggle_panel("unsaved")
