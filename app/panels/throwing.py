"""Settings of thrown bodies (B and Shift+click): shape, size, surface, speed. While open the path is shown in the scene."""

from app.gui.commands import actions
from app.gui.controls import icons, widgets
from app.gui.controls.values import THROWS
from app.gui.fields.new_body import Throwing, controls
from app.number_format import rounded
from app.session import Session

TITLE = "Throw"
PLACE = "left"
ORDER = 50
OPEN = False
GROUP = "Change"
ABOUT = "what is thrown, and how fast"


def draw(session: Session) -> None:
    throwing = session.state(Throwing)
    throwing.shown = True
    controls(throwing)
    new = widgets.number("speed", session.throw_speed, lo=THROWS[0], hi=THROWS[1], unit="m/s", log=True, default=12.0,
                         help="Initial speed of the ball, along the ray through the cursor.")
    if new is not None:
        session.throw_speed = new
    shape = throwing.new_shape.shape()
    mass = throwing.density * shape.volume()
    widgets.dim_text(f"{rounded(mass)} kg, {rounded(0.5 * mass * session.throw_speed**2)} J")
    if widgets.button(icons.text(icons.SLIP, "Throw"), actions.tip("throw"), name="throw"):
        session.window.run_action("throw")
