"""Signs from Font Awesome 6; `text(icon, word)` falls back to the word where the font is missing."""

PLAY = "\uf04b"
PAUSE = "\uf04c"
STEP = "\uf051"
STEP_BACK = "\uf048"
RESET = "\uf0e2"
CAMERA = "\uf030"
EXPAND = "\uf065"
HELP = "\uf059"
SEARCH = "\uf002"
WARNING = "\uf071"
PANELS = "\uf2d2"
MINUS = "\uf068"
PLUS = "\uf067"
CLOSE = "\uf00d"
SAVE = "\uf56d"
STICK = "\uf023"
SLIP = "\uf061"
OPEN = "\uf111"
TRASH = "\uf1f8"
COPY = "\uf0c5"
UNDO = "\uf3e5"
REDO = "\uf064"

available = False
"""Set by fonts.py once the font is loaded."""


def text(icon: str, word: str = "", ascii_sign: str = "") -> str:
    """`icon word`, or without the icon font `ascii_sign word`."""
    return " ".join(part for part in (icon if available else ascii_sign, word) if part)
