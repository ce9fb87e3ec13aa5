"""A video of the window or of the scene alone."""

from app.gui.actions import tip
from app.gui.controls import icons, widgets
from app.gui.output.recording import Shown, Wishes
from app.gui.speaking import imgui
from app.session import Session

TITLE = "Video"
PLACE = "float"
OPEN = False


def draw(session: Session) -> None:
    wishes, shown = session.memory(Wishes), session.memory(Shown)
    imgui.dummy(imgui.ImVec2(widgets.px(300.0), 0.0))
    imgui.begin_disabled(shown.recording)
    widgets.options(wishes, lambda name, value: setattr(wishes, name, value), skip=("size",) if wishes.panels else ())
    imgui.end_disabled()
    label = "End the video" if shown.recording else "Begin a video"
    if widgets.button(icons.text(icons.CAMERA, label), tip("record"), name="record", accent=shown.recording):
        session.request("record")
