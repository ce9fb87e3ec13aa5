"""A legible font at a good size: Roboto with Font Awesome's signs, both from imgui-bundle's own assets."""

from pathlib import Path

import imgui_bundle
from imgui_bundle import imgui

from app.gui import icons

BASE_SIZE = 16.0
"""Height of a line of text at scale 1 [px]."""

ASSETS = Path(imgui_bundle.__file__).parent / "assets" / "fonts"


def load() -> None:
    """Load the fonts into the current ImGui context; ImGui's built-in font is the fallback."""
    atlas = imgui.get_io().fonts
    imgui.get_style().font_size_base = BASE_SIZE
    text = next((p for p in (ASSETS / "Roboto/Roboto-Regular.ttf", ASSETS / "DroidSans.ttf") if p.is_file()), None)
    if text is None:
        atlas.add_font_default()
        return
    atlas.add_font_from_file_ttf(str(text), BASE_SIZE)
    signs = ASSETS / "Font_Awesome_6_Free-Solid-900.otf"
    icons.available = signs.is_file()
    if icons.available:
        config = imgui.ImFontConfig()
        config.merge_mode = True
        config.glyph_min_advance_x = BASE_SIZE
        config.glyph_offset = imgui.ImVec2(0.0, 1.0)
        atlas.add_font_from_file_ttf(str(signs), 0.8 * BASE_SIZE, config)
