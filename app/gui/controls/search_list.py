"""A text field with a list below it, navigated by arrow keys, as in the palette and the scene picker."""

from dataclasses import dataclass

from app.gui.controls import widgets
from app.i18n.imgui_translated import imgui

Key = imgui.Key


@dataclass
class SearchList:
    """Typed text and index of the chosen row. focus: the field takes the keyboard in this picture; reveal: the chosen row has
    moved and must be scrolled into view; steered: a row was chosen by the arrow keys."""

    text: str = ""
    at: int = 0
    focus: bool = True
    reveal: bool = False
    steered: bool = False

    def begin(self) -> None:
        """Reset to an empty text."""
        self.text, self.at, self.focus, self.reveal, self.steered = "", 0, True, True, False

    def line(self, label: str, hint: str) -> tuple[bool, bool]:
        """Draw the field; returns (whether the text has changed, whether Enter was pressed)."""
        if self.focus:
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(-1.0)
        changed, self.text = imgui.input_text_with_hint(f"##{label}", hint, self.text)
        widgets.register_area(label)
        if changed:
            self.at, self.reveal = 0, True
        entered = not self.focus and (imgui.is_key_pressed(Key.enter, False) or imgui.is_key_pressed(Key.keypad_enter, False))
        self.focus = False
        return changed, entered

    def steer(self, count: int, columns: int = 1) -> None:
        """Move by the arrow keys through a list of `count` items in `columns` columns."""
        self.at = max(0, min(count - 1, self.at))
        page = max(8, 2 * columns)
        moves = [(Key.down_arrow, columns), (Key.up_arrow, -columns), (Key.page_down, page), (Key.page_up, -page)]
        for key, steps in [*moves, *([(Key.right_arrow, 1), (Key.left_arrow, -1)] if columns > 1 else [])]:
            if imgui.is_key_pressed(key):
                self.at, self.reveal, self.steered = max(0, min(count - 1, self.at + steps)), True, True

    def scroll_into_view(self, index: int) -> None:
        """Scroll the chosen row into view; call after drawing row `index`."""
        if index == self.at and self.reveal:
            imgui.internal.scroll_to_item(imgui.internal.ScrollFlags_.keep_visible_edge_y)
            self.reveal = False
