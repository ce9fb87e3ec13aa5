"""Maps pyglet's key symbols to actions (actions.py). They act only when the GUI does not take the key."""

import re
from functools import cache

from pyglet.window import key

from app.analysis.lessons.classroom_lock import Lock
from app.gui.commands.actions import Action, actions
from app.gui.viewport.viewport import Viewport
from app.i18n.message import message
from app.session import Session

FLY_KEYS = (key.W, key.A, key.S, key.D, key.Q, key.E)
AIM = (key.LSHIFT, key.RSHIFT)

PYGLET_NAMES = {".": ("PERIOD",), ",": ("COMMA",), "[": ("BRACKETLEFT",), "]": ("BRACKETRIGHT",), "-": ("MINUS", "NUM_SUBTRACT"),
                "=": ("EQUAL", "PLUS", "NUM_ADD"), "+": ("PLUS", "NUM_ADD"), "?": ("QUESTION",), "/": ("SLASH", "NUM_DIVIDE"),
                "Del": ("DELETE",), "Esc": ("ESCAPE",), "Enter": ("RETURN", "NUM_ENTER"), "Backspace": ("BACKSPACE",)}
"""pyglet's names of keys with another common name."""

CTRL, ALT, SHIFT = 1, 2, 4
OF_TEXT = (key.A, key.C, key.V, key.X, key.Y, key.Z, key.LEFT, key.RIGHT, key.BACKSPACE, key.DELETE, key.INSERT)
"""With Ctrl these belong to the active text field."""
Chord = tuple[int, int]
"""(symbol, mask of CTRL, ALT, SHIFT)."""


def chords(text: str) -> list[Chord]:
    """Parse "Ctrl+Shift+P"; returns several chords where a sign has several keys. "1" is above the letters, "Num1" on the keypad.

    Raises:
        ValueError: there is no such key.
    """
    held, sign = re.fullmatch(r"((?:Ctrl\+|Alt\+|Shift\+)*)(.+)", text).groups()
    mask = CTRL * ("Ctrl+" in held) | ALT * ("Alt+" in held) | SHIFT * ("Shift+" in held)
    digit = re.fullmatch(r"(Num)?(\d)", sign)
    names = PYGLET_NAMES.get(sign) or (f"{'NUM' if digit[1] else ''}_{digit[2]}" if digit else sign.upper(),)
    if not all(hasattr(key, name) for name in names):
        raise ValueError(message("'{text}' is not a key of pyglet", text=text))
    found = [(getattr(key, name), mask) for name in names]
    return [*found, (key.SLASH, mask | SHIFT)] if sign == "?" else found


@cache
def bindings() -> dict[Chord, Action]:
    """The action of each chord.

    Raises:
        ValueError: a chord means two things, or is one of those to fly with.
    """
    out: dict[Chord, Action] = {}
    for action in actions().values():
        for chord in (chord for text in action.keys.split() for chord in chords(text)):
            if out.setdefault(chord, action) is not action or (chord[0] in FLY_KEYS and not chord[1]):
                raise ValueError(message("the key of '{action}' ({shortcut}) is already in use", action=action.label,
                                         shortcut=action.shortcut))
    return out


def held(modifiers: int) -> int:
    """pyglet's modifiers as a mask; Command is Ctrl."""
    return (CTRL * bool(modifiers & (key.MOD_CTRL | key.MOD_COMMAND)) | ALT * bool(modifiers & key.MOD_ALT)
            | SHIFT * bool(modifiers & key.MOD_SHIFT))


def is_command(symbol: int, modifiers: int) -> bool:
    """Whether it acts even while the user types: Ctrl with a key that means nothing to a text field."""
    return bool(held(modifiers) & CTRL) and symbol not in OF_TEXT


def act(symbol: int, modifiers: int, session: Session, viewport: Viewport) -> bool:
    """Run the action of a key; False if there is none. Shift is ignored where it makes no difference."""
    mask, table = held(modifiers), bindings()
    action = table.get((symbol, mask)) or table.get((symbol, mask & ~SHIFT))
    if action is not None:
        if not session.state(Lock).allows_action(action.name):
            return False
        action.do(session, viewport)
    elif symbol in (*FLY_KEYS, *AIM) and not mask & (CTRL | ALT):
        viewport.fly_key(symbol, True)
    else:
        return False
    return True
