"""Line breaks of Chinese text: between any two characters, but no line begins with punctuation or a closing bracket.

Dear ImGui breaks only at spaces and after punctuation, which makes lines of Chinese of very different length.
"""

import functools
import re

from imgui_bundle import imgui

from app.i18n.message import Verbatim

ELLIPSIS = "\u2026"
"""Marks shortened text."""

IDEOGRAPHS = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f\u201c\u201d"
UNBREAKABLE = re.compile(rf"\n|[\u201c\uff08]?(?:[{IDEOGRAPHS}]|[^\s{IDEOGRAPHS}]+)[，。；：、！？）”」]*| +")
"""Matches unbreakable pieces: one Chinese character, or a run of others, with trailing punctuation."""


def chinese(text: str) -> bool:
    """Whether the text contains Chinese characters."""
    return re.search("[\u3400-\u9fff]", text) is not None


def shortened(text: str, width: float) -> str:
    """The text with line breaks for this width [px]; text that is not Chinese is unchanged."""
    return _fitted(text, round(width), imgui.get_font_size()) if chinese(text) and width > 0.0 else text


@functools.lru_cache(512)
def _fitted(text: str, width: int, size: float) -> str:
    lines, line = [], ""
    for piece in UNBREAKABLE.findall(text):
        if piece == "\n":
            lines.append(line)
            line = ""
        elif line.strip() and imgui.calc_text_size(line + piece).x > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return Verbatim("\n".join([*lines, line]))


def pieces(word: str) -> list[str]:
    """Split a word into unbreakable pieces."""
    return UNBREAKABLE.findall(word) if chinese(word) else [word]
