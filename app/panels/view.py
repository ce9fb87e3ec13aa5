"""View options: what the picture shows."""

import dataclasses

from app.gui.commands.actions import tip
from app.gui.controls import icons, style, widgets
from app.i18n.imgui_translated import imgui
from app.render.view_options import AS_AUTHORED, BODY_COLOURS, OVERLAY_GROUPS, ViewOptions, toggles
from app.session import Session
from physics import fields

TITLE = "View"
PLACE = "right top"
ORDER = 20
GROUP = "Measure"
ABOUT = "what the picture shows"

PICTURE_OPTIONS = ("numbers", "shadows", "compass", "halo", "wireframe")


def draw(session: Session) -> None:
    view = session.view
    by_name = {f.name: f for f in fields(view)}
    for group in OVERLAY_GROUPS:
        widgets.heading(group)
        names = [name for name, overlay in toggles().items() if overlay.group == group]
        _toggles(view, [by_name[name] for name in names])
        if group == "contacts":
            _legend()
        _scales(view, by_name, names)
    widgets.heading("picture")
    _toggles(view, [by_name[name] for name in PICTURE_OPTIONS])
    _options(view, [by_name[name] for name in ("theme", "colour")])
    if view.colour != AS_AUTHORED and BODY_COLOURS[view.colour].classes == ():
        _toggles(view, [by_name["colour_auto"]])
        if not view.colour_auto:
            _options(view, [by_name["colour_lo"], by_name["colour_hi"]])
    imgui.dummy(imgui.ImVec2(0.0, widgets.scaled(2.0)))
    if widgets.button(icons.text(icons.EXPAND, "Frame the scene"), tip("frame"), name="frame"):
        session.window.run_action("frame")
    widgets.same_line("Screenshot")
    if widgets.button(icons.text(icons.CAMERA, "Screenshot"), tip("screenshot"), name="screenshot"):
        session.window.save_screenshot()


def _toggles(view: ViewOptions, found: list[dataclasses.Field]) -> None:
    widest = max(imgui.calc_text_size(field.name.replace("_", " ")).x for field in found)
    room = 0.5 * imgui.get_content_region_avail().x - imgui.get_frame_height() - widgets.scaled(14.0)
    if imgui.begin_table(f"toggles {found[0].name}", 2 if widest <= room else 1):
        for field in found:
            imgui.table_next_column()
            new = widgets.toggle(field.name.replace("_", " "), getattr(view, field.name), tip(f"view_{field.name}"))
            if new is not None:
                setattr(view, field.name, new)
        imgui.end_table()


def _scales(view: ViewOptions, by_name: dict[str, dataclasses.Field], names: list[str]) -> None:
    """Draw the settings of a group's overlays that are on; others need no room."""
    wanted = dict.fromkeys(key for name in names if getattr(view, name) for key in toggles()[name].options)
    _options(view, [by_name[key] for key in wanted])


def _options(view: ViewOptions, found: list[dataclasses.Field]) -> None:
    names = {f.name for f in found}
    skip = tuple(f.name for f in fields(view) if f.name not in names)
    widgets.options(view, lambda name, value: setattr(view, name, value), skip=skip)


def _legend() -> None:
    p = style.palette()
    for word, colour in (("sticks", p.stick), ("slips", p.slip), ("open", p.open)):
        widgets.coloured(icons.text(icons.OPEN, word), colour)
        imgui.same_line(0.0, widgets.scaled(16.0))
    imgui.new_line()
