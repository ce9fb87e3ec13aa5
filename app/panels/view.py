"""What the picture shows."""

from imgui_bundle import imgui

from app.gui import icons, style, widgets
from app.gui.actions import tip
from app.session import Session
from physics import fields

TITLE = "View"
PLACE = "right top"
ORDER = 20


def draw(session: Session) -> None:
    view = session.view
    toggles = [f for f in fields(view) if isinstance(f.default, bool)]
    if imgui.begin_table("toggles", 2):
        for field in toggles:
            imgui.table_next_column()
            new = widgets.toggle(field.name, getattr(view, field.name), tip(f"view_{field.name}"))
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
    if widgets.button(icons.text(icons.EXPAND, "Frame the scene"), tip("frame"), name="frame"):
        session.frame_all()
    imgui.same_line()
    if widgets.button(icons.text(icons.CAMERA, "Screenshot"), tip("screenshot"), name="screenshot"):
        session.request("screenshot")
