"""The GUI of one window: Dear ImGui with its own C++ OpenGL 3 renderer. The window, or a test, owns the loop.

    gui = build_gui(session, window)      once, with the window's GL context current
    gui.begin(dt); draw(gui); gui.end()   every picture, after the scene
    gui.close()
"""

import logging
from pathlib import Path
from typing import Any

from imgui_bundle import imgui, implot, implot3d

from app import cancellable_work
from app.files.atomic_write import write
from app.gui.controls import style, textures, widgets
from app.gui.shell import draw_without_gil, window_layout
from app.gui.shell.busy_dialog import MIN_SHOWN_TIME, draw_waiting, draw_work
from app.gui.shell.first_minute import draw_hints
from app.gui.shell.messages_overlay import draw_messages, draw_rectangle
from app.gui.shell.panel_host import Panels
from app.gui.shell.tour import draw_tour, leave
from app.gui.text import fonts, formula
from app.gui.viewport import keyboard_navigation
from app.gui.viewport.add_menu import draw_menu
from app.gui.viewport.compass import draw_compass
from app.gui.viewport.gizmo import draw_gizmo
from app.gui.viewport.inputs import Inputs
from app.gui.viewport.presentation import draw_presentation, enlargement
from app.gui.viewport.transform_tools import Tool
from app.i18n import translate
from app.i18n.message import message
from app.session import Session
from physics import BadInput

log = logging.getLogger(__name__)

TEXT_SCALE_RANGE = (0.6, 3.0)

DOUBLE_CLICK = 0.5
"""Longest time between the clicks of a double click, as on most desktops [s]."""


class Gui:
    """Contexts, style, input and panels. scale: of the whole GUI, 1 on an ordinary screen; ini: file of the layout, or None."""

    def __init__(self, window: Any, *, theme: str = "dark", scale: float = 1.0, ini: Path | None = None) -> None:
        self.window = window
        self.session: Session | None = None
        self.panels = Panels()
        self._imgui = imgui.create_context()
        imgui.set_current_context(self._imgui)      # another window of this process may have its own
        self._implot = implot.create_context()
        self._implot3d = implot3d.create_context()
        io = imgui.get_io()
        io.config_flags |= imgui.ConfigFlags_.docking_enable
        io.config_windows_move_from_title_bar_only = True
        io.mouse_double_click_time = DOUBLE_CLICK
        io.mouse_single_click_delay = 1.1 * DOUBLE_CLICK     # ImGui asserts that it is longer
        io.config_error_recovery = True
        io.config_error_recovery_enable_assert = False
        io.config_error_recovery_enable_tooltip = False
        io.set_ini_filename("")
        self.ini = ini
        if ini is not None:
            try:
                imgui.load_ini_settings_from_memory(window_layout.read(ini))
            except BadInput as error:
                log.warning(message("could not read the window layout: {error}", error=error))
        fonts.load()
        imgui.backends.opengl3_init("#version 330")
        self.draw_finished = draw_without_gil.renderer()
        self.inputs = Inputs(window)
        self.scale, self._theme, self._styled = scale, theme, ("", 0.0)
        self.set_style(theme, scale)

    def set_style(self, theme: str, scale: float) -> None:
        """Set theme and scale, which presentation mode enlarges; does nothing if all are unchanged."""
        scale = min(TEXT_SCALE_RANGE[1], max(TEXT_SCALE_RANGE[0], scale))
        shown = min(TEXT_SCALE_RANGE[1], scale * (enlargement(self.session) if self.session is not None else 1.0))
        if (theme, shown) != self._styled:
            self._styled = (theme, shown)
            style.apply(theme, shown)
        self.scale, self._theme = scale, theme

    def zoom(self, steps: int) -> None:
        """Enlarge or shrink text and controls; 0 resets to the screen's own scale."""
        base = getattr(self.window, "gui_scale", 1.0)
        self.set_style(self._theme, round(self.scale * 1.1**steps, 3) if steps else base)

    def zoom_to(self, size: float) -> None:
        """Scale text to a multiple of the screen's own size."""
        self.set_style(self._theme, size * getattr(self.window, "gui_scale", 1.0))

    def escape(self) -> bool:
        """Handle Esc: close or leave something before it deselects; False if there is nothing."""
        return leave(self.session) or self.close_popup() or (not imgui.get_io().want_text_input and keyboard_navigation.leave())

    def close_popup(self) -> bool:
        """Close the open menu, list or floating panel (the help); False if none is open."""
        if self.panels.asks:
            return self.panels.close_floating()
        any_popup = imgui.PopupFlags_.any_popup_id | imgui.PopupFlags_.any_popup_level
        if imgui.is_popup_open("", any_popup):
            imgui.internal.close_popup_to_level(0, True)
            return True
        return self.panels.close_floating()

    def begin(self, dt: float) -> None:
        """Start a picture; dt: wall time since the last one [s]."""
        imgui.set_current_context(self._imgui)
        implot.set_current_context(self._implot)
        implot3d.set_current_context(self._implot3d)
        if self.session is not None:
            self.set_style(self.session.view.theme, self.scale)
        imgui.get_io().delta_time = min(1.0, max(dt, 1e-4))
        self.inputs.fit()
        fonts.add_glyphs(translate.code())
        imgui.backends.opengl3_new_frame()
        keyboard_navigation.new_frame()

    def end(self) -> None:
        """Finish the picture and draw it with the current GL context."""
        imgui.render()
        self.draw_finished()
        self.inputs.show_cursor()
        if imgui.get_io().want_save_ini_settings:
            imgui.get_io().want_save_ini_settings = False
            self._save()

    def close(self) -> None:
        """Free everything; the GL context must still be current."""
        self._save()
        imgui.set_current_context(self._imgui)
        formula.release()
        textures.release()
        imgui.backends.opengl3_shutdown()
        implot3d.destroy_context(self._implot3d)
        implot.destroy_context(self._implot)
        imgui.destroy_context(self._imgui)

    def _save(self) -> None:
        if self.ini is None or self.panels.docks.kind.one_sided:   # a layout for an audience is for as long as it is there
            return
        try:
            write(self.ini, imgui.save_ini_settings_to_memory().encode())
        except OSError as error:
            log.warning(message("could not save the window layout: {error}", error=error))
            self.ini = None


def build_gui(session: Session, window: Any, *, gui: Gui | None = None, **settings: Any) -> Gui:
    """The GUI of a session; `gui`: one that has already shown the splash screen."""
    gui = gui or Gui(window, theme=session.view.theme, **settings)
    gui.session = session
    session.holding = lambda: imgui.internal.get_active_id() or int(session.state(Tool).using)
    gui.panels = Panels.discover()
    return gui


def draw(gui: Gui) -> None:
    """Draw the whole GUI, between `begin` and `end`."""
    if gui.session is None:
        return
    widgets.begin_picture(gui.session.frame.scene)
    gui.panels.draw(gui.session)
    draw_messages(gui.session, gui.panels)
    draw_compass(gui.session, gui.panels)
    draw_hints(gui.session, gui.panels.centre)
    draw_gizmo(gui.session, gui.panels)
    draw_rectangle(gui.session)
    draw_presentation(gui.session, gui.panels.centre)
    draw_menu(gui.session)
    draw_tour(gui.session, gui.panels)
    draw_waiting(gui.panels)


def draw_splash(text: str, done: float, status: str) -> None:
    """Draw the splash screen while the session is opened or kernels are compiled. done: share of the work, 0: unknown; status:
    the present work, and how long it takes."""
    viewport = imgui.get_main_viewport()
    imgui.set_next_window_pos(viewport.get_center(), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
    imgui.set_next_window_size(imgui.ImVec2(widgets.scaled(420.0), 0.0))
    flags = imgui.WindowFlags_
    imgui.begin("##splash", None, flags.no_decoration | flags.no_saved_settings | flags.no_docking | flags.no_move)
    imgui.push_font(None, 1.8 * imgui.get_style().font_size_base)
    imgui.text_unformatted("Stiction")
    imgui.pop_font()
    widgets.dim_text("dry friction and impacts")
    imgui.dummy(imgui.ImVec2(0.0, widgets.scaled(8.0)))
    widgets.wrapped(text)
    if done > 0.0:
        imgui.push_style_color(imgui.Col_.plot_histogram, style.vec(style.palette().accent))
        imgui.progress_bar(done, imgui.ImVec2(-1.0, widgets.scaled(18.0)), "")
        imgui.pop_style_color()
        widgets.dim_text(status)
    if (work := cancellable_work.at_work()) is not None and work.seconds > MIN_SHOWN_TIME:
        draw_work(work)
    imgui.end()
