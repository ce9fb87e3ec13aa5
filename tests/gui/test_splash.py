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
    card, picture = shown[0], pyglet.image.load(str(splash.SPLASH_FILE))
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


@pytest.mark.parametrize("words", [["view"], ["view", "pyramid", "--theme", "light", "--paused"]])
def test_the_window_command_shows_it_before_anything_heavy_is_imported(words, tmp_path):
    told = "import os, sys\nfrom app import cli, splash\ndef show():\n" \
           "    print([m for m in ('numba', 'numpy', 'scenes', 'physics') if m in sys.modules], flush=True)\n    os._exit(0)\n" \
           f"splash.show = show\ncli.main({words})"
    done = subprocess.run([sys.executable, "-P", "-c", told], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(ROOT), "STICTION_DATA_DIR": str(tmp_path)})
    assert done.stdout == "[]\n", done.stderr


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays are named on Linux only")
def test_without_a_display_there_is_none_and_no_error():
    assert card(DISPLAY=":987654") == ["0 []", "0"]


@pytest.fixture
def opening():
    """Someone who sees the splash screen of a window; the session waits in `coming`."""
    pytest.importorskip("pyglet")
    from app.render.opengl.offscreen import NoGraphics
    from tests.tools.person import Person

    try:
        from app.gui.controls import widgets
        from app.session import Session
        from app.window import Window

        window = Window(1200, 800, vsync=False)
    except NoGraphics as missing:
        pytest.skip(str(missing))
    person = Person(window, None)
    person.coming = Session.open("incline")
    person.coming.view.shadows = False
    person.look(2)
    widgets.clickable_areas = {}
    yield person
    widgets.clickable_areas = None
    window.close()


def test_no_click_and_no_key_passes_through_the_splash(opening):
    """They come until the first picture of the scene is on the screen: while it is built, its events wait in a queue."""
    import pyglet
    from pyglet.window import key, mouse

    from app.render.scene.framing import for_aspect
    from app.render.scene.labels import PlacedLabel

    window, session = opening.window, opening.coming

    def send(event, *args):
        pyglet.event.EventDispatcher.dispatch_event(window, event, *args)

    def act():
        send("on_mouse_motion", 56, 755, 0, 0)
        send("on_mouse_press", 56, 755, mouse.LEFT, 0)       # where Pause is going to be
        send("on_mouse_release", 56, 755, mouse.LEFT, 0)
        send("on_mouse_press", 600, 500, mouse.LEFT, key.MOD_SHIFT)      # throws a ball
        send("on_mouse_release", 600, 500, mouse.LEFT, key.MOD_SHIFT)
        send("on_mouse_scroll", 600, 500, 0, 3)
        for symbol in (key.B, key.SPACE, key.BRACKETRIGHT):
            send("on_key_press", symbol, 0)
            send("on_key_release", symbol, 0)

    act()
    window.adopt(session)
    window.renderer.draw, opening.session = lambda *args, **kwargs: PlacedLabel(), session
    bodies = len(session.frame.bodies)
    act()
    opening.look()
    act()
    assert opening.wait(lambda: session.frame.step > 3)
    opening.look(6)
    assert not session.frame.paused and session.frame.scene == "incline" and not session.messages
    assert len(session.frame.bodies) == bodies and session.camera.is_at(for_aspect(session.scene.view, session.aspect))
    opening.click("top/pause")
    assert opening.wait(lambda: session.frame.paused), "once it is seen it answers"
    assert abs(755 - opening.spot("top/run")[1]) < 12, "Pause was where it was clicked"
