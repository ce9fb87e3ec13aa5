"""A line to type into with a list below it, gone through with the arrow keys, as the palette and the scene picker have it."""

from dataclasses import dataclass

from app.gui.controls import widgets
from app.gui.speaking import imgui

Key = imgui.Key


@dataclass
class Typed:
    """What is typed and which line of the list is chosen. focus: the line takes the keyboard in this picture; reveal: the
    chosen line moved and must be brought into sight."""

    text: str = ""
    at: int = 0
    focus: bool = True
    reveal: bool = False

    def begin(self) -> None:
        """From the start, empty."""
        self.text, self.at, self.focus, self.reveal = "", 0, True, True

    def line(self, label: str, hint: str) -> tuple[bool, bool]:
        """(the text has changed, Enter was pressed)."""
        if self.focus:
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(-1.0)
        changed, self.text = imgui.input_text_with_hint(f"##{label}", hint, self.text)
        widgets.mark(label)
        if changed:
            self.at, self.reveal = 0, True
        entered = not self.focus and (imgui.is_key_pressed(Key.enter, False) or imgui.is_key_pressed(Key.keypad_enter, False))
        self.focus = False
        return changed, entered

    def steer(self, count: int, columns: int = 1) -> None:
        """Move through a list of so many, in so many columns, with the arrow keys."""
        self.at = max(0, min(count - 1, self.at))
        page = max(8, 2 * columns)
        moves = [(Key.down_arrow, columns), (Key.up_arrow, -columns), (Key.page_down, page), (Key.page_up, -page)]
        for key, steps in [*moves, *([(Key.right_arrow, 1), (Key.left_arrow, -1)] if columns > 1 else [])]:
            if imgui.is_key_pressed(key):
                self.at, self.reveal = max(0, min(count - 1, self.at + steps)), True

    def keep_in_sight(self, index: int) -> None:
        """After the line of that number was drawn."""
        if index == self.at and self.reveal:
            imgui.internal.scroll_to_item(imgui.internal.ScrollFlags_.keep_visible_edge_y)
            self.reveal = False
