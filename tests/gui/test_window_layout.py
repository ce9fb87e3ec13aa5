"""A window's layout that ImGui could not have written is left out: ImGui would assert in every picture."""

import pytest
from imgui_bundle import imgui

from app.gui.shell import window_layout
from physics import BadInput

SPLIT = "[Docking][Data]\nDockSpace ID=0x1 Window=0x9 Pos=0,0 Size=800,600 Split=X\n"
NODES = "".join(f"  DockNode  ID=0x{n} Parent=0x1 SizeRef=1,1\n" for n in (2, 3, 4))


def test_what_the_window_saves_is_read_again(person, tmp_path):
    person.look(3)
    text = imgui.save_ini_settings_to_memory()
    assert "[Window]" in text and window_layout.trouble(text) == ""
    (tmp_path / "window.ini").write_text(text, encoding="utf-8")
    assert window_layout.read(tmp_path / "window.ini") == text and window_layout.read(tmp_path / "none.ini") == ""


@pytest.mark.parametrize(("text", "why"), [
    (SPLIT + NODES, "more than two parts"), (SPLIT + SPLIT, "occurs twice"), ("DockNode ID=0x0 Parent=0x0 x", "occurs twice"),
    ("DockNode ID=0x2 Parent=0x1 SizeRef=1,1", "comes later"), ("DockNode ID=0x1 Parent=0x1 SizeRef=1,1", "comes later"),
    ("DockNode ID=0x123456789 x", "no dock"), ("DockSpace\n", "no dock"), ("x" * (window_layout.MAX_BYTES + 1), "exceeds")])
def test_a_layout_that_cannot_be_is_refused(tmp_path, text, why):
    path = tmp_path / "window.ini"
    path.write_text(text)
    with pytest.raises(BadInput, match=why):
        window_layout.read(path)
