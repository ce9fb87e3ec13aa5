"""The GUI of one window: Dear ImGui with its own C++ OpenGL 3 renderer. The window owns the loop; tests may.

    gui = build_gui(session, window)      once, with the window's GL context current
    gui.begin(dt); draw(gui); gui.end()   every picture, after the scene
    gui.close()
"""

import logging
import os
from pathlib import Path
from typing import Any

from imgui_bundle import imgui, implot, implot3d

from app import language, regular_file
from app.gui import unlocked
from app.gui.controls import style, textures, widgets
from app.gui.hand import by_keys
from app.gui.hand.add_menu import draw_menu
from app.gui.hand.compass import draw_compass
from app.gui.hand.gizmo import draw_gizmo
from app.gui.hand.inputs import Inputs
from app.gui.hand.tools import Tool
from app.gui.overlay import draw_messages, draw_rectangle
from app.gui.panels import Panels
from app.gui.text import fonts, formula
from app.session import Session
from app.whole_files import write
from physics import BadInput

log = logging.getLogger(__name__)

SCALES = (0.6, 3.0)

DOUBLE_CLICK = 0.5
"""Two clicks within this time are a double click, as on most desktops [s]."""


class Gui:
    """Contexts, style, input and panels. scale: of everything, 1 on an ordinary screen."""

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
        self._ini = ini
        if ini is not None and os.path.lexists(ini):
            try:
                imgui.load_ini_settings_from_memory(regular_file.read(ini).decode("utf-8", errors="replace"))
            except BadInput as error:
                log.warning("the window layout could not be read: %s", error)
        fonts.load()
        imgui.backends.opengl3_init("#version 330")
        self._render = unlocked.renderer()
        self.inputs = Inputs(window)
        self.scale, self._theme, self._styled = scale, theme, ("", 0.0)
        self.set_style(theme, scale)

    def set_style(self, theme: str, scale: float) -> None:
        """Light or dark, and how large; a no-op if nothing changes."""
        scale = min(SCALES[1], max(SCALES[0], scale))
        if (theme, scale) != self._styled:
            self.scale, self._theme, self._styled = scale, theme, (theme, scale)
            style.apply(theme, scale)

    def zoom(self, steps: int) -> None:
        """Larger or smaller text and controls; 0 goes back to the screen's own scale."""
        base = getattr(self.window, "gui_scale", 1.0)
        self.set_style(self._theme, round(self.scale * 1.1**steps, 3) if steps else base)

    def zoom_to(self, size: float) -> None:
        """Text of so many times the screen's own size."""
        self.set_style(self._theme, size * getattr(self.window, "gui_scale", 1.0))

    def escape(self) -> bool:
        """What Esc closes or leaves before it deselects; False if there is nothing."""
        return self.close_popup() or (not imgui.get_io().want_text_input and by_keys.leave())

    def close_popup(self) -> bool:
        """Close the menu, list or floating panel (the help) that is open; False if none is."""
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
        fonts.suit(language.code())
        imgui.backends.opengl3_new_frame()
        by_keys.new_frame()

    def end(self) -> None:
        """Finish the picture and draw it with the current GL context."""
        imgui.render()
        self._render()
        self.inputs.show_cursor()
        if imgui.get_io().want_save_ini_settings:
            imgui.get_io().want_save_ini_settings = False
            self._save()

    def close(self) -> None:
        """Give everything back; the GL context must still be current."""
        self._save()
        imgui.set_current_context(self._imgui)
        formula.release()
        textures.release()
        imgui.backends.opengl3_shutdown()
        implot3d.destroy_context(self._implot3d)
        implot.destroy_context(self._implot)
        imgui.destroy_context(self._imgui)

    def _save(self) -> None:
        if self._ini is None:
            return
        try:
            write(self._ini, imgui.save_ini_settings_to_memory().encode())
        except OSError as error:
            log.warning("the window layout could not be saved: %s", error)
            self._ini = None


def build_gui(session: Session, window: Any, *, gui: Gui | None = None, **settings: Any) -> Gui:
    """The GUI of a session; `gui` is one that already showed the splash."""
    gui = gui or Gui(window, theme=session.view.theme, **settings)
    gui.session = session
    session.holding = lambda: imgui.internal.get_active_id() or int(session.memory(Tool).using)
    gui.panels = Panels.discover()
    return gui


def draw(gui: Gui) -> None:
    """All of the GUI, between `begin` and `end`."""
    if gui.session is None:
        return
    gui.panels.draw(gui.session)
    draw_messages(gui.session, gui.panels)
    draw_compass(gui.session, gui.panels)
    draw_gizmo(gui.session, gui.panels)
    draw_rectangle(gui.session)
    draw_menu(gui.session)


def draw_splash(text: str, done: float, told: str) -> None:
    """What is shown while the session is being opened or kernels are compiled. done: share of the work, 0: nothing is known of
    it; told: what is being done, and how long it takes."""
    viewport = imgui.get_main_viewport()
    imgui.set_next_window_pos(viewport.get_center(), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
    imgui.set_next_window_size(imgui.ImVec2(widgets.px(420.0), 0.0))
    flags = imgui.WindowFlags_
    imgui.begin("##splash", None, flags.no_decoration | flags.no_saved_settings | flags.no_docking | flags.no_move)
    imgui.push_font(None, 1.8 * imgui.get_style().font_size_base)
    imgui.text_unformatted("Stiction")
    imgui.pop_font()
    widgets.dim("dry friction and impacts")
    imgui.dummy(imgui.ImVec2(0.0, widgets.px(8.0)))
    widgets.wrapped(text)
    if done > 0.0:
        imgui.push_style_color(imgui.Col_.plot_histogram, style.vec(style.palette().accent))
        imgui.progress_bar(done, imgui.ImVec2(-1.0, widgets.px(18.0)), "")
        imgui.pop_style_color()
        widgets.dim(told)
    imgui.end()
