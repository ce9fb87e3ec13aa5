"""Menu bar: all entries of the table of actions, by topic, with their keys; at its end the scene's title, marked if unsaved."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from app.files import recent
from app.gui.commands.actions import TOPICS, Action, of_topic, tip
from app.gui.controls import icons, widgets
from app.gui.output import scene_documents
from app.gui.shell.first_minute import Instruments
from app.i18n.imgui_translated import imgui
from app.session import PanelEntry, Session

TITLE = "Menu"
PLACE = "menu"

PANEL_GROUPS = ("Scene and lesson", "Change", "Measure", "Forces", "Solver", "Program", "More")
"""Order of the groups of panels."""

PARTED = ("export_python", "reset", "quit", "select_all", "move", "add", "run_to_hit", "record_motion", "slower", "keep", "hide",
          "hide_bodies", "theme", "larger", "view_from_front", "view_1", "lock", "screenshot")
"""Actions with a line above them."""


@dataclass
class RecentFiles:
    """Recent scene files, read when the menu opens."""

    found: list[Path] = field(default_factory=list)


def draw(session: Session) -> None:
    for topic in TOPICS:
        opened = imgui.begin_menu(topic)
        widgets.register_area(topic)
        if opened:
            for many, alike in groupby(of_topic(topic), key=lambda action: action.many):
                if many:
                    _many(session, many, list(alike))
                else:
                    _entries(session, alike)
            imgui.end_menu()
    _corner(session)


def _entries(session: Session, entries: Iterable[Action]) -> None:
    """Draw lines of a menu, with the submenus between them."""
    for action in entries:
        if action.name == "save":
            _recent(session)
            imgui.separator()
        if action.name in PARTED:
            imgui.separator()
        if not _elsewhere(action):
            _entry(session, action)
        if action.name == "instruments":
            _panels(session)
        if action.name == "theme":
            _languages(session)


def _many(session: Session, many: str, alike: list[Action]) -> None:
    """Draw a submenu of actions of one kind."""
    if alike[0].name in PARTED:
        imgui.separator()
    opened = imgui.begin_menu(many)
    widgets.register_area(many)
    if opened:
        for action in alike:
            _entry(session, action)
        imgui.end_menu()


def _elsewhere(action: Action) -> bool:
    """Whether a submenu, or the panel View, has this action instead of the menu."""
    return action.topic == "View" and action.name.startswith(("language_", "view_"))


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
            if imgui.menu_item(f"{scene_documents.shown_name(path)}##{i}", "", False)[0]:
                scene_documents.open_file(session, path)
            widgets.register_area(f"recent {i}")
            widgets.tooltip(f"{path}")
        imgui.end_menu()


def _panels(session: Session) -> None:
    """Draw a submenu for each group of panels, a line for each panel."""
    imgui.separator()
    screen = imgui.get_main_viewport()
    room = screen.pos.x + screen.size.x - imgui.get_window_pos().x - imgui.get_window_width()
    last = len(PANEL_GROUPS)
    listed = sorted(session.panels, key=lambda panel: PANEL_GROUPS.index(panel.group) if panel.group in PANEL_GROUPS else last)
    for group, panels in groupby((panel for panel in listed if panel.group), key=lambda panel: panel.group):
        opened = imgui.begin_menu(group)
        widgets.register_area(group)
        if opened:
            _group(session, list(panels), room)
            imgui.end_menu()


def _group(session: Session, panels: list[PanelEntry], room: float) -> None:
    """Draw the lines of a submenu. room: width beside the menu [px]; where the lines do not fit, they are tooltips."""
    widest = sum(max(imgui.calc_text_size(text).x for text in texts)
                 for texts in zip(*((panel.title, panel.about) for panel in panels)))
    fits = widest + widgets.scaled(75.0) < room
    for panel in panels:
        if imgui.menu_item(panel.title, panel.about if fits else "", panel.is_open)[0]:
            session.window.toggle_panel(panel.name)
        widgets.register_area(f"panel {panel.name}")
        if not fits:
            widgets.tooltip(panel.about)


def _corner(session: Session) -> None:
    """Draw, as far as there is room, the way to all instruments, also first in the menu View, and, left of it, the scene's
    title."""
    end, start = imgui.get_window_width() - widgets.scaled(12.0), imgui.get_cursor_pos_x() + widgets.scaled(10.0)
    simple, title = session.state(Instruments).simple, session.document_title
    label, frame = icons.text(icons.PANELS, "All instruments" if simple else "Simple window"), imgui.get_style().frame_padding.x
    if end - imgui.calc_text_size(label).x - 2.0 * frame <= start:
        label = icons.text(icons.PANELS, "", "+")
    end -= imgui.calc_text_size(label).x + 2.0 * frame
    if end > start:
        imgui.same_line(end)
        if widgets.button(label, tip("instruments"), name="instruments", accent=simple):
            session.window.run_action("instruments")
    end -= imgui.calc_text_size(title).x + widgets.scaled(16.0)
    if end > start:
        imgui.same_line(end)
        if imgui.menu_item(f"{title}###title", "", False)[0]:
            session.window.toggle_panel("picker")
        widgets.register_area("title")
        widgets.tooltip("Open another scene.")
