"""Recovery of a session that ended unexpectedly: restore it, discard it, or decide later."""

from app.gui.controls import icons, widgets
from app.gui.controls.textures import texture
from app.gui.output.crash_recovery import RecoveryOffer, describe_session
from app.i18n.imgui_translated import imgui
from app.session import Session

TITLE = "Restore the last session"
PLACE = "float"
OPEN = False
GROUP = "Program"
ABOUT = "the session that ended unexpectedly"

PICTURE_SIZE = (360.0, 225.0)
"""Space for its last picture [px at scale 1]."""


def draw(session: Session) -> None:
    offer = session.state(RecoveryOffer)
    imgui.dummy(imgui.ImVec2(widgets.scaled(PICTURE_SIZE[0]), 0.0))
    if not offer.left:
        widgets.wrapped("No session to restore: all previous sessions ended normally.")
        return
    left = offer.left[0]
    widgets.wrapped(describe_session(left))
    picture = texture(left.picture)
    if picture is not None:
        imgui.image(picture, imgui.ImVec2(*map(widgets.scaled, PICTURE_SIZE)), imgui.ImVec2(0.0, 1.0), imgui.ImVec2(1.0, 0.0))
        widgets.register_area("picture")
    if widgets.button(icons.text(icons.REPLAY, "Restore"), "Restores the scene with its undo history; the simulation is "
                                                           "paused.", name="restore", accent=True):
        offer.restore(session)
        session.window.toggle_panel("restore")
        return
    imgui.same_line()
    if widgets.button("Discard", "Delete that session permanently.", name="discard"):
        offer.discard()
        if not offer.left:
            session.window.toggle_panel("restore")
        return
    imgui.same_line()
    if widgets.button("Later", "Continue without restoring and ask again at the next start.", name="later"):
        offer.postpone()
        session.window.toggle_panel("restore")
