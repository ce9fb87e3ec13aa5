"""A session that ended unexpectedly is offered: restore it, discard it, or decide later."""

from app.gui.controls import icons, widgets
from app.gui.controls.textures import texture
from app.gui.output.restoring import Offer, told
from app.gui.speaking import imgui
from app.session import Session

TITLE = "Restore the last session"
PLACE = "float"
OPEN = False

PICTURE = (360.0, 225.0)
"""Room for how it looked [px at scale 1]."""


def draw(session: Session) -> None:
    offer = session.memory(Offer)
    if not offer.left:
        widgets.wrapped("Every session before this one ended in order: there is nothing to restore.")
        return
    left = offer.left[0]
    imgui.dummy(imgui.ImVec2(widgets.px(PICTURE[0]), 0.0))
    widgets.wrapped(told(left))
    picture = texture(left.picture)
    if picture is not None:
        imgui.image(picture, imgui.ImVec2(*map(widgets.px, PICTURE)), imgui.ImVec2(0.0, 1.0), imgui.ImVec2(1.0, 0.0))
        widgets.mark("picture")
    if widgets.button(icons.text(icons.REPLAY, "Restore"), "The scene as it was then, and what was done in it can be undone; it "
                      "stands still until you run it.", name="restore", accent=True):
        offer.restore(session)
        session.request("panel:restore")
        return
    imgui.same_line()
    if widgets.button("Discard", "Forget that session for good.", name="discard"):
        offer.discard()
        if not offer.left:
            session.request("panel:restore")
        return
    imgui.same_line()
    if widgets.button("Later", "Go on with this one, and ask again at the next start.", name="later"):
        offer.postpone()
        session.request("panel:restore")
