"""What B and Shift+click throw: its shape, size, surface and speed. As long as it is open the way is shown in the scene."""

from app.digits import few
from app.gui import actions
from app.gui.controls import icons, widgets
from app.gui.controls.values import THROWS
from app.gui.fields.making import Throwing, controls
from app.session import Session

TITLE = "Throw"
PLACE = "left"
ORDER = 50
OPEN = False


def draw(session: Session) -> None:
    throwing = session.memory(Throwing)
    throwing.shown = True
    controls(throwing)
    new = widgets.number("speed", session.throw_speed, lo=THROWS[0], hi=THROWS[1], unit="m/s", log=True, default=12.0,
                         help="With which it leaves the eye, along the cursor's ray.")
    if new is not None:
        session.throw_speed = new
    shape = throwing.mould.shape()
    mass = throwing.density * shape.volume()
    widgets.dim(f"{few(mass)} kg, {few(0.5 * mass * session.throw_speed**2)} J")
    if widgets.button(icons.text(icons.SLIP, "Throw"), actions.tip("throw"), name="throw"):
        session.request("do:throw")
