"""The card shown while the program is being imported."""

import os
import subprocess
import sys

import pytest

from tests.helpers import ROOT

CARD = """
import sys
from app import splash
close = splash.show()
import pyglet
shown = list(pyglet.app.windows) if "pyglet.window" in sys.modules else []
print(len(shown), [m for m in ("numba", "numpy", "imgui_bundle", "physics") if m in sys.modules])
if shown:
    card, picture = shown[0], pyglet.image.load(str(splash.PICTURE))
    card.switch_to()
    card.dispatch_event("on_draw")
    seen = pyglet.image.get_buffer_manager().get_color_buffer().get_image_data().get_data("RGB", 3 * card.width)
    want = picture.get_image_data().get_data("RGB", 3 * card.width)
    print(max(abs(a - b) for a, b in zip(seen, want)))
close()
print(len(pyglet.app.windows))
"""


def card(**changed):
    done = subprocess.run([sys.executable, "-P", "-c", CARD], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(ROOT), **changed})
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


@pytest.mark.skipif(not os.environ.get("DISPLAY"), reason="needs a display")
def test_it_is_drawn_before_anything_heavy_is_imported():
    shown, apart, left = card()
    assert shown == "1 []" and int(apart) <= 1 and left == "0"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are named on Linux only")
def test_without_a_display_there_is_none_and_no_error():
    assert card(DISPLAY=":987654") == ["0 []", "0"]
