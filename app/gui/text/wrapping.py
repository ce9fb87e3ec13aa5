"""Lines of Chinese text: it breaks between any two signs, but no line begins with a stop or a closing bracket.

Dear ImGui breaks at blanks and after stops alone, which tears Chinese paragraphs into lines of very different length.
"""

import functools
import re

from imgui_bundle import imgui

CUT = "\u2026"
"""At the end of what found no room."""

IDEOGRAPHS = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f\u201c\u201d"
PIECE = re.compile(rf"\n|[\u201c\uff08]?(?:[{IDEOGRAPHS}]|[^\s{IDEOGRAPHS}]+)[，。；：、！？）”」]*| +")
"""What stays together: one sign, or a run of others, with the stops behind it."""


def chinese(text: str) -> bool:
    """Whether the text has Chinese signs."""
    return re.search("[\u3400-\u9fff]", text) is not None


def fitted(text: str, width: float) -> str:
    """The text with line ends where they must be for this width [px]; other than Chinese as it is."""
    return _fitted(text, round(width), imgui.get_font_size()) if chinese(text) and width > 0.0 else text


@functools.lru_cache(512)
def _fitted(text: str, width: int, size: float) -> str:
    lines, line = [], ""
    for piece in PIECE.findall(text):
        if piece == "\n":
            lines.append(line)
            line = ""
        elif line.strip() and imgui.calc_text_size(line + piece).x > width:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    return "\n".join([*lines, line])


def pieces(word: str) -> list[str]:
    """A run without blanks as what stays together on a line."""
    return PIECE.findall(word) if chinese(word) else [word]
