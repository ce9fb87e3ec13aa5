"""Video of the window or of the scene alone."""

from app.gui.commands.actions import tip
from app.gui.controls import icons, widgets
from app.gui.output.video_recorder import Shown, VideoSettings
from app.i18n.imgui_translated import imgui
from app.session import Session

TITLE = "Video"
PLACE = "float"
OPEN = False
GROUP = ""


def draw(session: Session) -> None:
    wishes, shown = session.state(VideoSettings), session.state(Shown)
    imgui.dummy(imgui.ImVec2(widgets.scaled(300.0), 0.0))
    imgui.begin_disabled(shown.recording)
    widgets.options(wishes, lambda name, value: setattr(wishes, name, value), skip=("size",) if wishes.panels else ())
    imgui.end_disabled()
    label = "Stop the video" if shown.recording else "Start a video"
    if widgets.button(icons.text(icons.CAMERA, label), tip("record"), name="record", accent=shown.recording):
        session.window.toggle_video()
