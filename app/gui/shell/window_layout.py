"""Checks a saved window layout (window.ini) before ImGui reads it, which asserts in every picture where it cannot be."""

import os
import re
from collections import Counter
from pathlib import Path

from app.files import safe_read
from app.i18n.message import message
from physics import BadInput

MAX_BYTES = 200_000
"""Largest layout; ImGui needs minutes for millions of windows."""

_DOCK = re.compile(r"Dock(?:Node|Space)\s+ID=0x([0-9A-Fa-f]{1,8})(?:\s+Window=0x[0-9A-Fa-f]{1,8})?"
                   r"(?:\s+Parent=0x([0-9A-Fa-f]{1,8}))?\s")


def read(path: Path) -> str:
    """The layout in a file; "" if there is no file.

    Raises:
        BadInput: it is no regular file, too large, or no layout that ImGui could have written.
    """
    if not os.path.lexists(path):
        return ""
    text = safe_read.read(path, MAX_BYTES).decode("utf-8", errors="replace")
    if why := trouble(text):
        raise BadInput(message("{path} is damaged: {why}", path=path, why=why))
    return text


def trouble(text: str) -> str:
    """Why this cannot be a layout; "" if it can: each dock occurs once, after the one that it divides, which has two at most."""
    known, children = set(), Counter()
    for line in map(str.strip, text.splitlines()):
        if not line.startswith("Dock") or line.startswith("DockId="):
            continue
        found = _DOCK.match(f"{line} ")
        if not found:
            return message("'{line}' is no dock", line=line[:60])
        name, parent = (int(word, 16) if word else 0 for word in found.groups())
        if not name or name in known:
            return message("the dock {name:#x} occurs twice", name=name)
        if parent and parent not in known:
            return message("the dock {name:#x} is in {parent:#x}, which comes later", name=name, parent=parent)
        known.add(name)
        children[parent] += bool(parent)
        if children[parent] > 2:
            return message("the dock {parent:#x} has more than two parts", parent=parent)
    return ""
