"""All scenes by category, searchable."""

from dataclasses import dataclass, field
from itertools import groupby

import scenes
from app.engine.simulation import Simulation
from app.gui.controls import flags, widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.session import Session

TITLE = "Scenes"
PLACE = "left top"
ORDER = 10
GROUP = "Scene and lesson"
ABOUT = "all scenes by category"


@dataclass
class ScenesState:
    """The typed text, the scenes by (category, title), and the scene that was scrolled to."""

    text: str = ""
    reached: str = ""
    rows: list[tuple[str, str, str]] = field(default_factory=lambda: listed())


def listed() -> list[tuple[str, str, str]]:
    """(category, title, name) of every scene, in display order."""
    return sorted((scene.category, scene.title, name) for name, scene in scenes.all_scenes().items())


def matching(rows: list[tuple[str, str, str]], text: str) -> list[tuple[str, str, str]]:
    """Rows that contain every word."""
    words = text.lower().split()
    return [row for row in rows if all(word in " ".join(map(translate.both, row)).lower() for word in words)]


def draw(session: Session) -> None:
    state = session.state(ScenesState)
    state.text = widgets.search("search scenes", state.text, "search scenes")
    found = matching(state.rows, state.text)
    if not found:
        widgets.dim_text("no match")
    if not imgui.begin_child("list", child_flags=flags.WITHIN):
        imgui.end_child()
        return
    for category, rows in groupby(found, key=lambda row: row[0]):
        widgets.heading(category)
        for _, title, name in rows:
            if imgui.selectable(f"{widgets.cut(title)}###{name}", name == session.frame.scene)[0]:
                session.post(Simulation.load, name)
            widgets.register_area(name)
            if name == session.frame.scene != state.reached and not imgui.is_window_appearing():
                state.reached = name
                if not imgui.is_item_visible():
                    imgui.set_scroll_here_y(0.3)
            if imgui.is_item_hovered():
                widgets.tooltip(f"{title}\n{scenes.find(name).look_for}")
    imgui.end_child()
