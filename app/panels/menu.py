"""The menu bar: everything of the table of actions, by topic, with its keys; at its end the scene's title."""

from app.gui.actions import TOPICS, Action, of_topic
from app.gui.controls import style, widgets
from app.gui.speaking import imgui
from app.session import Session

TITLE = "Menu"
PLACE = "menu"

PLACES = ("left top", "left", "right top", "right", "bottom", "float")
"""Panels of one place stand together."""


def draw(session: Session) -> None:
    for topic in TOPICS:
        opened = imgui.begin_menu(topic)
        widgets.mark(topic)
        if opened:
            if topic == "Panels":
                _panels(session)
            if topic == "View":
                _languages(session)
            for action in of_topic(topic):
                if not action.name.startswith("language_"):
                    _entry(session, action)
            imgui.end_menu()
    _title(session)


def _entry(session: Session, action: Action, label: str = "") -> None:
    shown = bool(action.on and action.on(session))
    if imgui.menu_item(label or action.label, action.shortcut, shown, action.ready(session))[0]:
        session.request(f"do:{action.name}")
    widgets.mark(action.name)
    widgets.tooltip(action.help)


def _languages(session: Session) -> None:
    opened = imgui.begin_menu("Language")
    widgets.mark("Language")
    if opened:
        for action in of_topic("View"):
            if action.name.startswith("language_"):
                _entry(session, action, action.label.removeprefix("Language "))
        imgui.end_menu()


def _panels(session: Session) -> None:
    before = ""
    for name, title, is_open, place in sorted(session.panels, key=lambda panel: PLACES.index(panel[3])):
        if before and place != before:
            imgui.separator()
        before = place
        if imgui.menu_item(title, "", is_open)[0]:
            session.request(f"panel:{name}")
        widgets.mark(f"panel {name}")
    imgui.separator()


def _title(session: Session) -> None:
    """Which scene this is, as far as there is room."""
    title = session.scene.title if session.scene else ""
    at = imgui.get_window_width() - imgui.calc_text_size(title).x - widgets.px(26.0)
    if at > imgui.get_cursor_pos_x() + widgets.px(10.0):
        imgui.same_line(at)
        imgui.push_style_color(imgui.Col_.text, style.vec(style.palette().dim))
        imgui.text_unformatted(title)
        imgui.pop_style_color()
        widgets.mark("title")
