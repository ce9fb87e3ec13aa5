"""The panels: found by listing app/panels, placed by a default layout, isolated from each other's errors.

A panel file has TITLE and draw(session), and may have
    PLACE   "left top", "left", "right top", "right", "bottom" (docked), "float", "popup" (no title, closes on losing focus),
            "dialog" (a question before anything else: it keeps keys and clicks from the rest), or one of the bars "menu", "top",
            "status"
    SIZE    of a popup: (width, height) [px at scale 1]; height 0: that of its content
    ORDER   its position among the tabs (small: in front)
    OPEN    False: closed initially
    GROUP   the submenu of View that lists it, by default "More"; "": none, it opens where it is needed
    ABOUT   what it shows, in one line of that menu
    follow  of the session: what it does in every picture, drawn or behind another tab; `draw` calls it, too
"""

import importlib
import logging
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType

from app.analysis.lessons.classroom_lock import Lock
from app.gui.controls import flags, icons, style, widgets
from app.gui.shell.docks import Docks, front_tabs
from app.gui.shell.first_minute import Instruments
from app.gui.viewport.presentation import Presentation
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import PanelEntry, Session
from physics.core.plugins import modules
from scenes.lessons import lesson_of

log = logging.getLogger(__name__)

BARS = ("menu", "top", "status")
"""Places that are always visible."""
LAYOUT_PICTURES = 3
"""Pictures until a window's size is known."""
FLOATING_PLACES = ("float", "popup", "dialog")
"""Places over the scene, closed by Esc."""


@dataclass
class Panel:
    """One panel file and its state. error: why it was closed, "" if it works."""

    name: str
    module: ModuleType
    open: bool = True
    error: str = ""
    focus: bool = False
    pictures: int = 0       # pictures of a floating one since it was opened

    @property
    def title(self) -> str:
        return self.module.TITLE

    @property
    def window(self) -> str:
        """ImGui's name of its window: its ID is independent of the translated title."""
        return f"{translate.translate(self.title)}###{self.name}"

    @cached_property
    def place(self) -> str:
        """Default place; cached, since it is read hundreds of times a picture."""
        return getattr(self.module, "PLACE", "right")


@dataclass
class Panels:
    """All panels around the viewport. centre: the viewport's rectangle (x, y, w, h) [px], y down; front: panels that are in front
    of their docks in the window that is put away, the simple one or that of all instruments."""

    all: dict[str, Panel] = field(default_factory=dict)
    hidden: bool = False
    docks: Docks = field(default_factory=Docks)
    centre: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)
    front: frozenset[str] = frozenset()
    _presented: bool = False        # whether the panels drawn are those of presentation mode

    @classmethod
    def discover(cls) -> "Panels":
        package = importlib.import_module("app.panels")     # by name: they import what they are drawn with, from here
        found = sorted(modules(package).items(), key=lambda item: (getattr(item[1], "ORDER", 50), item[0]))
        return cls({name: Panel(name, module, getattr(module, "OPEN", True)) for name, module in found
                    if hasattr(module, "TITLE")})

    def add_new(self) -> None:
        """Add panels that were installed since."""
        self.all.update({name: panel for name, panel in Panels.discover().all.items() if name not in self.all})

    def toggle(self, name: str) -> None:
        """Open or close a panel; reopening clears its error."""
        panel = self.all[name]
        panel.open, panel.error, panel.focus, panel.pictures = not panel.open, "", True, 0

    def open(self, name: str) -> None:
        """Open a panel if it is closed, and bring it to the front."""
        panel = self.all[name]
        panel.pictures = panel.pictures if panel.open else 0
        panel.open, panel.focus, self.hidden = True, True, self.hidden and panel.place in ("popup", "dialog")

    def show(self, name: str) -> None:
        """Bring an open panel to the front of its dock."""
        self.all[name].focus = self.all[name].open

    def opened(self) -> dict[str, bool]:
        """Which docked panels are open, by name."""
        return {name: panel.open for name, panel in self.all.items() if panel.place not in (*BARS, *FLOATING_PLACES)}

    def open_docked(self, session: Session, wanted: Mapping[str, bool]) -> None:
        """Open these docked panels and close others; those that are not named are as they are at first."""
        instruments = session.state(Instruments)
        for name in self.opened():
            panel = self.all[name]
            panel.open = wanted.get(name, instruments.opens(name, getattr(panel.module, "OPEN", True)))

    def switch_instruments(self, session: Session) -> None:
        """Go from the simple window to all instruments, or back; each has again the panels that it had open, and in front."""
        instruments = session.state(Instruments)
        instruments.simple, wanted, instruments.put_away = not instruments.simple, instruments.put_away, self.opened()
        wanted_front, self.front = self.front, front_tabs(self.all)
        self.open_docked(session, wanted)
        self.hidden = False
        self.docks.show_first_tabs(wanted_front)

    def _follow_presentation(self, session: Session) -> None:
        """Leave the scene its room in presentation mode, by the simple window; afterwards everything is as before.
        All instruments may be shown there, too: docks.py leaves the scene its room then."""
        presentation, simple, hidden = session.state(Presentation), session.state(Instruments).simple, self.hidden
        if presentation.on == self._presented:
            return
        self._presented = presentation.on
        if presentation.on:
            presentation.from_instruments = not simple
        if presentation.from_instruments and simple != presentation.on:
            self.switch_instruments(session)
            self.hidden = hidden
        if not presentation.on:
            presentation.from_instruments = False

    @staticmethod
    def allows(session: Session, name: str) -> bool:
        """Whether a window, which may be locked for a class, shows this panel."""
        lock = session.state(Lock)
        return not lock.on or lock.allows_panel(name, lesson_of(session.frame.scene))

    @property
    def asks(self) -> bool:
        """Whether a dialog waits for its answer: nothing else takes keys, clicks or files meanwhile."""
        return any(panel.open and panel.place == "dialog" for panel in self.all.values())

    def close_floating(self) -> bool:
        """Close the panels that float over the scene, or the question above them; False if there are none."""
        places = ("dialog",) if self.asks else FLOATING_PLACES
        floating = [panel for panel in self.all.values() if panel.open and panel.place in places
                    and not (self.hidden and panel.place == "float")]
        for panel in floating:
            panel.open = False
        return bool(floating)

    def draw(self, session: Session) -> None:
        """Draw all bars, the dock space and all open panels."""
        viewport = imgui.get_main_viewport()
        self._follow_presentation(session)
        translate.set_names(session.frame.body_names, session.frame.joint_names)
        session.panels = [PanelEntry(name, panel.title, panel.open, getattr(panel.module, "GROUP", "More"),
                                     getattr(panel.module, "ABOUT", ""))
                          for name, panel in self.all.items() if panel.place not in (*BARS, "popup", "dialog")]
        if self.hidden:
            self.centre = (viewport.pos.x, viewport.pos.y, viewport.size.x, viewport.size.y)
            self._popups(session)
            return
        if not session.state(Lock).on:
            self._menu_bar(session)
        self._bar("top", imgui.Dir.up, imgui.get_frame_height(), session)
        if not session.state(Presentation).on:
            self._bar("status", imgui.Dir.down, imgui.get_text_line_height(), session)
        self.docks.draw(self.all, session.state(Presentation).on)
        self.centre = self.docks.centre
        for panel in self.all.values():
            if panel.open and panel.place not in (*BARS, "popup", "dialog") and self.allows(session, panel.name):
                self._window(panel, session)
        self._popups(session)

    def _popups(self, session: Session) -> None:
        for panel in self.all.values():
            if panel.open and panel.place == "popup" and self.allows(session, panel.name):
                self._popup(panel, session)
            elif panel.place == "dialog":
                self._dialog(panel, session)

    def _dialog(self, panel: Panel, session: Session) -> None:
        """Draw a question in the middle, over everything else, which ImGui dims and keeps from the mouse."""
        if panel.open and not imgui.is_popup_open(panel.window):
            imgui.open_popup(panel.window)
        imgui.set_next_window_pos(imgui.get_main_viewport().get_center(), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
        if imgui.begin_popup_modal(panel.window, None, flags.FLOAT | imgui.WindowFlags_.no_move)[0]:
            if panel.open:
                self._fenced(panel, session)
                panel.open = not panel.error    # the error is shown as a message
            else:       # it was answered
                imgui.close_current_popup()
            imgui.end_popup()

    def _popup(self, panel: Panel, session: Session) -> None:
        """Draw a popup over everything, in the upper half; it closes when something else is clicked."""
        screen, flags = imgui.get_main_viewport(), imgui.WindowFlags_
        width, height = (min(widgets.scaled(size), 0.94 * room) for size, room in zip(panel.module.SIZE, screen.work_size))
        top = screen.work_pos.y + 0.35 * max(0.0, screen.work_size.y - (height or widgets.scaled(560.0)))
        imgui.set_next_window_pos(imgui.ImVec2(screen.pos.x + 0.5 * (screen.size.x - width), max(screen.work_pos.y, top)))
        imgui.set_next_window_size(imgui.ImVec2(width, height))
        if panel.focus:
            imgui.set_next_window_focus()
        imgui.begin(panel.window, None, flags.no_decoration | flags.no_saved_settings | flags.no_docking | flags.no_move)
        left = not panel.focus and not imgui.is_window_focused(imgui.FocusedFlags_.root_and_child_windows)
        panel.focus = False
        self._fenced(panel, session)
        imgui.end()
        if left or panel.error:     # the error is shown as a message
            panel.open = False

    def _menu_bar(self, session: Session) -> None:
        imgui.push_style_color(imgui.Col_.menu_bar_bg, style.vec(style.palette().bar))
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
        opened = imgui.begin_main_menu_bar()
        imgui.pop_style_var()
        imgui.pop_style_color()
        if opened:
            self._pinned("menu", session)
            imgui.end_main_menu_bar()

    def _pinned(self, place: str, session: Session) -> None:
        """Draw the panels of a bar."""
        for panel in self.all.values():
            if panel.place == place:
                if panel.error:
                    self._error(panel)
                else:
                    self._fenced(panel, session)

    def _bar(self, place: str, side: imgui.Dir, line: float, session: Session) -> None:
        """Draw a bar. line: height of a line; a panel's module may have a function `lines` of the window's width [px]."""
        flags, screen, air = imgui.WindowFlags_, imgui.get_main_viewport(), widgets.scaled(6.0)
        count = max(panel.module.lines(screen.size.x) if hasattr(panel.module, "lines") else 1
                    for panel in self.all.values() if panel.place == place)
        height = count * line + (count - 1) * imgui.get_style().item_spacing.y + 2.0 * air
        imgui.push_style_color(imgui.Col_.window_bg, style.vec(style.palette().bar))
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(widgets.scaled(12.0), air))
        imgui.internal.begin_viewport_side_bar(
            f"##{place}", screen, side, height,
            flags.no_decoration | flags.no_saved_settings | flags.no_docking | flags.no_nav)
        imgui.pop_style_var(3)
        imgui.pop_style_color()
        self._pinned(place, session)
        imgui.end()

    def reset_layout(self, session: Session) -> None:
        """Restore the default layout and the panels that are open by default."""
        for panel in self.all.values():
            panel.open = getattr(panel.module, "OPEN", True)
        self.open_docked(session, {})
        self.docks.reset(self.all)

    @staticmethod
    def _raise(panel: Panel) -> bool:
        """Bring a panel's tab to the front of its dock; False while it has no tab yet."""
        window = imgui.internal.find_window_by_name(panel.window)
        if window is None or not window.was_active:     # just opened: it is docked in this picture
            return False
        if window.dock_node is not None and window.dock_node.tab_bar is not None:
            window.dock_node.tab_bar.next_selected_tab_id = window.tab_id
            if imgui.is_window_focused(imgui.FocusedFlags_.any_window):
                imgui.internal.focus_window(window)
        return True

    def _window(self, panel: Panel, session: Session) -> None:
        if panel.place == "float":
            centre = imgui.get_main_viewport().get_center()
            panel.pictures += 1
            settled = panel.pictures > LAYOUT_PICTURES      # its size is known
            imgui.set_next_window_pos(centre, imgui.Cond_.appearing if settled else imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
            kind = flags.FLOAT
        else:
            kind = flags.DOCKED     # the front tab of the last session stays in front
        if panel.focus and self._raise(panel):
            panel.focus = False
        shown, panel.open = imgui.begin(panel.window, panel.open, kind)
        if shown:
            if panel.error:
                self._error(panel)
            else:
                self._fenced(panel, session)
        elif hasattr(panel.module, "follow") and not panel.error:
            self._fenced(panel, session, panel.module.follow)
        imgui.end()

    def _fenced(self, panel: Panel, session: Session, do: Callable[[Session], None] | None = None) -> None:
        """Draw a panel, or do something else of it; if it raises, its error is shown in its place and the others continue."""
        state = imgui.internal.ErrorRecoveryState()
        imgui.internal.error_recovery_store_state(state)
        imgui.push_id(panel.name)
        try:
            (do or panel.module.draw)(session)
        except (Exception, SystemExit) as error:    # the user's own panels may raise anything
            imgui.internal.error_recovery_try_to_recover_state(state)
            panel.error = traceback.format_exc(limit=-4)
            log.exception(message("panel {panel} closed", panel=panel.name))
            session.notify(message("the panel {panel} was closed: {error}", panel=panel.title, error=error))
        else:
            imgui.pop_id()

    def _error(self, panel: Panel) -> None:
        p = style.palette()
        last = panel.error.strip().splitlines()[-1]
        if panel.place in BARS:
            widgets.coloured(message("{panel} was closed: {last}", panel=panel.title, last=last), p.warn)
            imgui.same_line()
        else:
            widgets.coloured(icons.text(icons.WARNING, message("{panel} was closed by an error", panel=panel.title)), p.warn)
            widgets.wrapped(last)
        if widgets.button("Reopen", "Try again.", name=f"Reopen {panel.name}", accent=True):
            panel.error = ""
        if panel.place not in BARS and imgui.tree_node("Details"):
            widgets.wrapped(panel.error, p.dim)
            imgui.tree_pop()
