"""All scenes by category, searchable."""

from dataclasses import dataclass, field
from itertools import groupby

import scenes
from app import language
from app.gui.controls import flags, widgets
from app.gui.speaking import imgui
from app.session import Session

TITLE = "Scenes"
PLACE = "left top"
ORDER = 10


@dataclass
class State:
    """What is typed, and the scenes by (category, title)."""

    text: str = ""
    rows: list[tuple[str, str, str]] = field(default_factory=lambda: listed())


def listed() -> list[tuple[str, str, str]]:
    """(category, title, name) of every scene, in the order shown."""
    return sorted((scene.category, scene.title, name) for name, scene in scenes.all_scenes().items())


def matching(rows: list[tuple[str, str, str]], text: str) -> list[tuple[str, str, str]]:
    """Rows that have every word."""
    words = text.lower().split()
    return [row for row in rows if all(word in " ".join(map(language.both, row)).lower() for word in words)]


def draw(session: Session) -> None:
    state = session.memory(State)
    state.text = widgets.search("search scenes", state.text, "search scenes")
    found = matching(state.rows, state.text)
    if not found:
        widgets.dim("no such scene")
    if not imgui.begin_child("list", child_flags=flags.WITHIN):
        imgui.end_child()
        return
    for category, rows in groupby(found, key=lambda row: row[0]):
        widgets.heading(category)
        for _, title, name in rows:
            if imgui.selectable(f"{widgets.cut(title)}###{name}", name == session.frame.scene)[0]:
                session.post("load", name)
            widgets.mark(name)
            if imgui.is_item_hovered():
                widgets.tooltip(f"{title}\n{scenes.find(name).look_for}")
    imgui.end_child()
