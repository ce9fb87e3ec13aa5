"""Pictures of single panels: the panel is drawn once, large, in print style, and cropped from the window."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.i18n.imgui_translated import imgui
from app.render.opengl.offscreen import write_png
from app.session import Session

HEIGHT_SHARE = 0.6
"""Largest ratio of a picture's height to its width."""


@dataclass
class PanelImage:
    """of: name of the panel of which the present drawing is a picture, without buttons and with a legend; "": none. rect: where
    it was drawn (x0, y0, x1, y1), as fractions of the window's size."""

    of: str = ""
    rect: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)


@contextmanager
def is_rendering(session: Session) -> Iterator[None]:
    """Draw over the whole window, however small the panel is."""
    screen, flags = imgui.get_main_viewport(), imgui.WindowFlags_
    width = screen.size.x
    height = min(screen.size.y, HEIGHT_SHARE * width)
    session.state(PanelImage).rect = 0.0, 0.0, 1.0, height / screen.size.y
    imgui.set_next_window_pos(screen.pos)
    imgui.set_next_window_size(imgui.ImVec2(width, height))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
    imgui.begin("##posing", None, flags.no_decoration | flags.no_saved_settings | flags.no_docking | flags.no_move)
    imgui.internal.bring_window_to_display_front(imgui.internal.get_current_window())
    yield
    imgui.end()
    imgui.pop_style_var(2)


def save(session: Session, picture: Callable[[], np.ndarray], path: Path, panel: str) -> None:
    """Draw a panel for a picture and save it. picture: draws the window, (height, width, 3)."""
    pose = session.state(PanelImage)
    pose.of = panel
    try:
        pixels = picture()
    finally:
        pose.of = ""
    height, width, _ = pixels.shape
    x0, y0, x1, y1 = (round(part * size) for part, size in zip(pose.rect, (width, height, width, height)))
    write_png(path, np.ascontiguousarray(pixels[y0:y1, x0:x1]))
