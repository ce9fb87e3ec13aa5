"""Forwards pyglet events to Dear ImGui. Never touches pyglet's clock: the window gives ImGui its time."""

import contextlib
from typing import Any

from imgui_bundle import imgui
from pyglet.window import BaseWindow, key, mouse

from app.gui.controls import widgets
from app.gui.viewport import keyboard_navigation

Key = imgui.Key

NAMED = {
    "TAB": Key.tab, "BACKSPACE": Key.backspace, "RETURN": Key.enter, "ESCAPE": Key.escape, "INSERT": Key.insert,
    "DELETE": Key.delete, "SPACE": Key.space, "LEFT": Key.left_arrow, "RIGHT": Key.right_arrow, "UP": Key.up_arrow,
    "DOWN": Key.down_arrow, "PAGEUP": Key.page_up, "PAGEDOWN": Key.page_down, "HOME": Key.home, "END": Key.end,
    "NUM_ENTER": Key.keypad_enter, "NUM_DECIMAL": Key.keypad_decimal, "NUM_DIVIDE": Key.keypad_divide,
    "NUM_MULTIPLY": Key.keypad_multiply, "NUM_SUBTRACT": Key.keypad_subtract, "NUM_ADD": Key.keypad_add,
    "LCTRL": Key.left_ctrl, "RCTRL": Key.right_ctrl, "LSHIFT": Key.left_shift, "RSHIFT": Key.right_shift,
    "LALT": Key.left_alt, "RALT": Key.right_alt, "LCOMMAND": Key.left_super, "RCOMMAND": Key.right_super,
    "GRAVE": Key.grave_accent, "MINUS": Key.minus, "EQUAL": Key.equal, "BRACKETLEFT": Key.left_bracket,
    "BRACKETRIGHT": Key.right_bracket, "BACKSLASH": Key.backslash, "SEMICOLON": Key.semicolon,
    "APOSTROPHE": Key.apostrophe, "COMMA": Key.comma, "PERIOD": Key.period, "SLASH": Key.slash,
}
KEYS = {getattr(key, name): code for name, code in NAMED.items()}
KEYS |= {getattr(key, letter.upper()): getattr(Key, letter) for letter in "abcdefghijklmnopqrstuvwxyz"}
KEYS |= {getattr(key, f"_{digit}"): getattr(Key, f"_{digit}") for digit in range(10)}
KEYS |= {getattr(key, f"NUM_{digit}"): getattr(Key, f"keypad{digit}") for digit in range(10)}
KEYS |= {getattr(key, f"F{n}"): getattr(Key, f"f{n}") for n in range(1, 13)}

MODIFIERS = (
    (key.MOD_CTRL, Key.mod_ctrl), (key.MOD_SHIFT, Key.mod_shift), (key.MOD_ALT, Key.mod_alt),
    (key.MOD_COMMAND & ~key.MOD_CTRL, Key.mod_super))
MODIFIER_KEYS = {key.LCTRL: Key.mod_ctrl, key.RCTRL: Key.mod_ctrl, key.LSHIFT: Key.mod_shift, key.RSHIFT: Key.mod_shift,
                 key.LALT: Key.mod_alt, key.RALT: Key.mod_alt, key.LCOMMAND: Key.mod_super, key.RCOMMAND: Key.mod_super}

STEERING = (key.TAB, key.LEFT, key.RIGHT, key.UP, key.DOWN, key.PAGEUP, key.PAGEDOWN, key.HOME, key.END, key.SPACE,
            key.RETURN, key.NUM_ENTER)
"""Keys of keyboard navigation."""

SETTLING_PICTURES = 3
"""Pictures of the panels after which it is known who has the keyboard: a field that was clicked or opened has it by then."""

SAME_PLACE = 2.0
"""Places nearer than this belong to the same control [px]."""

FOCUS_KEYS = (key.TAB, key.RETURN, key.NUM_ENTER, key.ESCAPE)
"""Keys that may give the keyboard to another control, or leave a text field."""

BUTTONS = {mouse.LEFT: 0, mouse.RIGHT: 1, mouse.MIDDLE: 2}

Cursor = imgui.MouseCursor_
CURSORS = {
    Cursor.arrow: BaseWindow.CURSOR_DEFAULT, Cursor.text_input: BaseWindow.CURSOR_TEXT,
    Cursor.resize_all: BaseWindow.CURSOR_SIZE, Cursor.resize_ns: BaseWindow.CURSOR_SIZE_UP_DOWN,
    Cursor.resize_ew: BaseWindow.CURSOR_SIZE_LEFT_RIGHT, Cursor.resize_nesw: BaseWindow.CURSOR_SIZE_DOWN_LEFT,
    Cursor.resize_nwse: BaseWindow.CURSOR_SIZE_DOWN_RIGHT, Cursor.hand: BaseWindow.CURSOR_HAND,
}


class Inputs:
    """Forwards one window's events to the current ImGui context. y points up in pyglet, down in ImGui."""

    def __init__(self, window: Any) -> None:
        self.window = window
        self.unsettled = 0      # pictures until it is known who has the keyboard
        self._cursor: Any = None
        io = imgui.get_io()
        io.backend_flags |= imgui.BackendFlags_.has_mouse_cursors
        io.config_mac_osx_behaviors = bool(getattr(key, "MOD_ACCEL", key.MOD_CTRL) != key.MOD_CTRL)
        platform = imgui.get_platform_io()
        platform.platform_get_clipboard_text_fn = lambda _context: window.get_clipboard_text()
        platform.platform_set_clipboard_text_fn = lambda _context, text: window.set_clipboard_text(text)
        self.fit()

    @property
    def wants_mouse(self) -> bool:
        """Whether the GUI uses the mouse, so that the viewport must not."""
        return imgui.get_io().want_capture_mouse

    def knows_place(self, x: float, y: float) -> bool:
        """Whether `wants_mouse` holds for this place: it is that of the last picture, or next to it."""
        at = imgui.get_io().mouse_pos
        return abs(at.x - x) + abs(at.y - (self.window.get_size()[1] - y)) < SAME_PLACE

    @staticmethod
    def wants_key(symbol: int) -> bool:
        """Whether the GUI uses this key, for typing or navigation, so that shortcuts must not act."""
        return imgui.get_io().want_text_input or (keyboard_navigation.in_panels() and symbol in STEERING)

    def unsettle(self) -> None:
        """Note that another control may have the keyboard from now on."""
        self.unsettled = SETTLING_PICTURES

    @property
    def pending(self) -> bool:
        """Whether ImGui has events that it keeps for the next picture: of a click it takes one half at a time."""
        return len(imgui.get_current_context().input_events_queue) > 0

    def picture_drawn(self) -> None:
        """Note that the panels were drawn."""
        if not self.pending:
            self.unsettled = max(0, self.unsettled - 1)

    def fit(self) -> None:
        """Pass the window's size to ImGui; call at each frame (sizes of minimised windows are odd)."""
        width, height = self.window.get_size()
        pixels = self.window.get_framebuffer_size()
        io = imgui.get_io()
        io.display_size = imgui.ImVec2(max(1, width), max(1, height))
        io.display_framebuffer_scale = imgui.ImVec2(pixels[0] / max(1, width), pixels[1] / max(1, height))

    def show_cursor(self) -> None:
        """Set the mouse pointer that ImGui asks for, if it has changed."""
        wanted = imgui.get_mouse_cursor()
        if wanted == self._cursor:
            return
        self._cursor = wanted
        self.window.set_mouse_visible(wanted != Cursor.none)
        name = CURSORS.get(Cursor(wanted), BaseWindow.CURSOR_DEFAULT)
        with contextlib.suppress(AttributeError, NotImplementedError):  # headless windows have no pointer
            self.window.set_mouse_cursor(self.window.get_system_mouse_cursor(name))

    def mouse_at(self, x: float, y: float) -> None:
        imgui.get_io().add_mouse_pos_event(x, self.window.get_size()[1] - y)

    def mouse_gone(self) -> None:
        far = -3.4e38
        imgui.get_io().add_mouse_pos_event(far, far)

    def mouse_button(self, x: float, y: float, button: int, down: bool) -> None:
        self.mouse_at(x, y)
        self.unsettle()
        if down:
            widgets.acknowledge_refusal()
        if button in BUTTONS:
            imgui.get_io().add_mouse_button_event(BUTTONS[button], down)

    def wheel(self, x: float, y: float, scroll_x: float, scroll_y: float) -> None:
        self.mouse_at(x, y)
        imgui.get_io().add_mouse_wheel_event(scroll_x, scroll_y)

    def key(self, symbol: int, modifiers: int, down: bool) -> None:
        io = imgui.get_io()
        if down:
            widgets.acknowledge_refusal()
        if down and (symbol in FOCUS_KEYS or modifiers & (key.MOD_CTRL | key.MOD_COMMAND | key.MOD_ALT)):
            self.unsettle()
        for mask, code in MODIFIERS:
            if mask:
                io.add_key_event(code, bool(modifiers & mask))
        if symbol in MODIFIER_KEYS:
            io.add_key_event(MODIFIER_KEYS[symbol], down)
        if symbol in KEYS:
            io.add_key_event(KEYS[symbol], down)

    def text(self, text: str) -> None:
        io = imgui.get_io()
        for char in text:
            if char.isprintable():
                io.add_input_character(ord(char))

    def focus(self, has: bool) -> None:
        imgui.get_io().add_focus_event(has)
