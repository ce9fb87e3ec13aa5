"""Menu bar: all entries of the table of actions, by topic, with their keys; at its end the scene's title, marked if unsaved."""

from dataclasses import dataclass, field
from pathlib import Path

from app.files import recent
from app.gui.commands.actions import TOPICS, Action, of_topic
from app.gui.controls import style, widgets
from app.gui.output import scene_documents
from app.i18n.imgui_translated import imgui
from app.session import Session

TITLE = "Menu"
PLACE = "menu"

PLACES = ("left top", "left", "right top", "right", "bottom", "float")
"""Order of places in the menu: panels of one place are listed together."""


@dataclass
class RecentFiles:
    """Recent scene files, read when the menu opens."""

    found: list[Path] = field(default_factory=list)


def draw(session: Session) -> None:
    for topic in TOPICS:
        opened = imgui.begin_menu(topic)
        widgets.register_area(topic)
        if opened:
            if topic == "Panels":
                _panels(session)
            if topic == "View":
                _languages(session)
            for action in of_topic(topic):
                if action.name == "save":
                    _recent(session)
                if not action.name.startswith("language_"):
                    _entry(session, action)
            imgui.end_menu()
    _title(session)


def _entry(session: Session, action: Action, label: str = "") -> None:
    shown = bool(action.on and action.on(session))
    if imgui.menu_item(label or action.label, action.shortcut, shown, action.ready(session))[0]:
        session.window.run_action(action.name)
    widgets.register_area(action.name)
    widgets.tooltip(action.help)


def _languages(session: Session) -> None:
    opened = imgui.begin_menu("Language")
    widgets.register_area("Language")
    if opened:
        for action in of_topic("View"):
            if action.name.startswith("language_"):
                _entry(session, action, action.label.removeprefix("Language "))
        imgui.end_menu()


def _recent(session: Session) -> None:
    """Draw the menu of recent files."""
    found = recent.recent() if imgui.is_window_appearing() else session.state(RecentFiles).found
    session.state(RecentFiles).found = found
    opened = imgui.begin_menu("Recent files", bool(found))
    widgets.register_area("Recent files")
    if opened:
        for i, path in enumerate(found):
            if imgui.menu_item(f"{path.stem}##{i}", "", False)[0]:
                scene_documents.open_file(session, path)
            widgets.register_area(f"recent {i}")
            widgets.tooltip(f"{path}")
        imgui.end_menu()


def _panels(session: Session) -> None:
    before = ""
    for name, title, is_open, place in sorted(session.panels, key=lambda panel: PLACES.index(panel[3])):
        if before and place != before:
            imgui.separator()
        before = place
        if imgui.menu_item(title, "", is_open)[0]:
            session.window.toggle_panel(name)
        widgets.register_area(f"panel {name}")
    imgui.separator()


def _title(session: Session) -> None:
    """Draw the scene's title, as far as there is room."""
    title = session.document_title
    at = imgui.get_window_width() - imgui.calc_text_size(title).x - widgets.scaled(26.0)
    if at > imgui.get_cursor_pos_x() + widgets.scaled(10.0):
        imgui.same_line(at)
        imgui.push_style_color(imgui.Col_.text, style.vec(style.palette().dim))
        imgui.text_unformatted(title)
        imgui.pop_style_color()
        widgets.register_area("title")
