"""Loads the font: Roboto with Font Awesome icons, both from the assets of imgui-bundle.

Roboto has Latin, Cyrillic and Greek. Chinese needs a system font, which is merged when first needed; its name does not.
"""

import functools
import os
import subprocess
from pathlib import Path

import imgui_bundle
from imgui_bundle import imgui

from app.gui.controls import icons

BASE_SIZE = 16.0
"""Height of a line of text at scale 1 [px]."""

ASSETS = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
SUPERSCRIPT_FONT = Path(__file__).resolve().parents[3] / "assets" / "fonts" / "raised.ttf"
"""Superscript digits and minus: Roboto's at 0.6 of their size, of which Roboto itself has only four."""

LANGUAGE_NAMES_FONT = SUPERSCRIPT_FONT.with_name("languages.ttf")
"""The letters of the names of languages that Roboto does not have: of Droid Sans Fallback, Apache 2.0."""

CHINESE = ("NotoSansCJK", "NotoSansSC", "SourceHanSans", "wqy-zenhei", "wqy-microhei", "msyh", "PingFang", "Hiragino Sans GB",
           "STHeiti", "DroidSansFallback", "simhei", "simsun", "uming", "ukai")
"""Prefixes of files of fonts with simplified Chinese, the best first."""

FOLDERS = tuple(Path(folder).expanduser() for folder in (
    "/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts", "C:/Windows/Fonts", "/System/Library/Fonts",
    "/Library/Fonts", "~/Library/Fonts"))

NO_CHINESE = ("Chinese needs a suitable font, and none was found: install fonts-noto-cjk (Debian, Ubuntu), "
              "google-noto-sans-cjk-fonts (Fedora) or Microsoft YaHei, and restart Stiction.")


def _unfitness(file: Path) -> tuple[bool, bool, bool, str]:
    """Sort key: the least for a regular weight. Of variable fonts, "[wght]" or "-VF", the thinnest is drawn."""
    name = file.name.lower()
    return "[" in name or "-vf" in name or "variable" in name, "bold" in name, "regular" not in name, name


@functools.cache
def chinese() -> Path | None:
    """Path of a system font with simplified Chinese; None if there is none."""
    found = [Path(inside, name) for folder in FOLDERS for inside, _, names in os.walk(folder) for name in names
             if name.endswith((".ttc", ".otf", ".ttf"))]
    for begins in CHINESE:
        fitting = sorted((file for file in found if file.name.lower().startswith(begins.lower())), key=_unfitness)
        if fitting:
            return fitting[0]
    try:
        listed = subprocess.run(["fc-list", ":lang=zh-cn", "file"], capture_output=True, text=True, timeout=5.0, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return next((Path(line.rstrip(": ")) for line in sorted(listed.stdout.splitlines())), None)


def can_show(code: str) -> bool:
    """Whether there are glyphs for a language."""
    return code != "zh" or chinese() is not None


def add_glyphs(code: str) -> None:
    """Between two pictures: add the glyphs of a language to the current context's font, once."""
    fonts = imgui.get_io().fonts
    if code != "zh" or chinese() is None or len(fonts.sources) > FONT_FILES:
        return
    config = imgui.ImFontConfig()
    config.merge_mode = True
    fonts.add_font_from_file_ttf(str(chinese()), BASE_SIZE, config)


FONT_FILES = 4
"""Font files loaded at the start."""


def load() -> None:
    """Load the fonts into the current ImGui context; ImGui's built-in font is the fallback."""
    atlas = imgui.get_io().fonts
    imgui.get_style().font_size_base = BASE_SIZE
    text = next((p for p in (ASSETS / "Roboto/Roboto-Regular.ttf", ASSETS / "DroidSans.ttf") if p.is_file()), None)
    if text is None:
        atlas.add_font_default()
        return
    atlas.add_font_from_file_ttf(str(SUPERSCRIPT_FONT), BASE_SIZE)     # first: Roboto has some of its glyphs in another size
    merged = imgui.ImFontConfig()
    merged.merge_mode = True
    atlas.add_font_from_file_ttf(str(text), BASE_SIZE, merged)
    atlas.add_font_from_file_ttf(str(LANGUAGE_NAMES_FONT), BASE_SIZE, merged)
    signs = ASSETS / "Font_Awesome_6_Free-Solid-900.otf"
    icons.available = signs.is_file()
    if icons.available:
        config = imgui.ImFontConfig()
        config.merge_mode = True
        config.glyph_min_advance_x = BASE_SIZE
        config.glyph_offset = imgui.ImVec2(0.0, 1.0)
        atlas.add_font_from_file_ttf(str(signs), 0.8 * BASE_SIZE, config)
