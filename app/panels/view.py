"""What the picture shows."""

from imgui_bundle import imgui

from app.gui import icons, style, widgets
from app.session import Session
from physics import fields

TITLE = "View"
PLACE = "right top"
ORDER = 20

KEYS = {"contacts": "C", "normals": "N", "cones": "K", "joints": "J", "velocities": "V", "wireframe": "Alt+W"}


def draw(session: Session) -> None:
    view = session.view
    toggles = [f for f in fields(view) if isinstance(f.default, bool)]
    if imgui.begin_table("toggles", 2):
        for field in toggles:
            imgui.table_next_column()
            key = KEYS.get(field.name)
            help = f"{field.metadata['help']} ({key})" if key else field.metadata["help"]
            new = widgets.toggle(field.name, getattr(view, field.name), help)
            if new is not None:
                setattr(view, field.name, new)
        imgui.end_table()
    p = style.palette()
    for word, colour in (("sticks", p.stick), ("slips", p.slip), ("open", p.open)):
        widgets.coloured(icons.text(icons.OPEN, word), colour)
        imgui.same_line(0.0, widgets.px(16.0))
    imgui.new_line()
    widgets.options(view, lambda name, value: setattr(view, name, value), skip=tuple(f.name for f in toggles))
    imgui.dummy(imgui.ImVec2(0.0, widgets.px(2.0)))
    if widgets.button(icons.text(icons.EXPAND, "Frame the scene"), "Back to the scene's own view (F, Home)", name="frame"):
        session.frame_all()
    imgui.same_line()
    if widgets.button(icons.text(icons.CAMERA, "Screenshot"), "PNG into the pictures folder (F12)", name="screenshot"):
        session.request("screenshot")
