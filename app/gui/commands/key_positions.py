"""Keys of layouts without Latin letters, by their position.

X11 tells which sign a key has in the layout that is on, and pyglet knows no Cyrillic, Greek, Hebrew or Arabic ones: it gives a
"user key" of the key's code instead. The code counts positions, so that the key is taken for the one which a US keyboard has
there, as on Windows and macOS, whose codes of keys do not depend on the script. Signs that pyglet knows stay what they are.
"""

from pyglet import compat_platform
from pyglet.window import key

ROWS = (
    (10, ("_1", "_2", "_3", "_4", "_5", "_6", "_7", "_8", "_9", "_0", "MINUS", "EQUAL")),
    (24, (*"QWERTYUIOP", "BRACKETLEFT", "BRACKETRIGHT")),
    (38, (*"ASDFGHJKL", "SEMICOLON", "APOSTROPHE", "GRAVE")),
    (51, ("BACKSLASH", *"ZXCVBNM", "COMMA", "PERIOD", "SLASH")),
)
"""(code of the first key, names of the keys from there on): X11's codes, which are those of Linux's evdev plus 8."""

AT_POSITION = {key.user_key(first + k): getattr(key, name) for first, names in ROWS for k, name in enumerate(names)}


def latin(symbol: int) -> int:
    """The symbol of a key; of one without a Latin sign that of its position."""
    return AT_POSITION.get(symbol, symbol) if compat_platform.startswith("linux") else symbol
