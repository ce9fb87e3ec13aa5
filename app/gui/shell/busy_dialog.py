"""Dialog for long builds and loads: what is done, for how long, and a button to cancel."""

import math

from app import cancellable_work
from app.gui.controls import style, widgets
from app.gui.controls.flags import OVER_SCENE
from app.gui.shell.panel_host import Panels
from app.i18n.imgui_translated import imgui
from app.i18n.message import message

MIN_SHOWN_TIME = 0.5
"""Work that takes less is not shown [s]."""

DIALOG_WIDTH = 380.0
"""Width of the window [px at scale 1]."""


def draw_waiting(panels: Panels) -> None:
    """Draw the dialog over the middle of the scene, which stays visible."""
    work = cancellable_work.at_work()
    if work is None or work.seconds < MIN_SHOWN_TIME:
        return
    x, y, width, height = panels.centre
    imgui.set_next_window_pos(imgui.ImVec2(x + 0.5 * width, y + 0.4 * height), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
    imgui.set_next_window_size(imgui.ImVec2(min(widgets.scaled(DIALOG_WIDTH), 0.96 * imgui.get_main_viewport().size.x), 0.0))
    imgui.begin("##waiting", None, OVER_SCENE)
    draw_work(work)
    imgui.end()


def draw_work(work: cancellable_work.CancellableWork) -> None:
    """Draw its content within a window."""
    widgets.wrapped(work.what)
    imgui.push_style_color(imgui.Col_.plot_histogram, style.vec(style.palette().accent))
    imgui.progress_bar(-math.fmod(work.seconds, 1e3), imgui.ImVec2(-1.0, widgets.scaled(6.0)), "")
    imgui.pop_style_color()
    imgui.align_text_to_frame_padding()
    widgets.dim_text("cancelling .." if work.cancelled else message("{seconds:.0f} s so far", seconds=work.seconds))
    imgui.same_line(imgui.get_content_region_avail().x - widgets.scaled(90.0) + imgui.get_style().window_padding.x)
    imgui.begin_disabled(work.cancelled)
    if widgets.button("Cancel", "Cancel. The previous state is kept.", name="cancel", width=widgets.scaled(90.0)):
        work.cancel()
    imgui.end_disabled()
