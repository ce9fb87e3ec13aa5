"""A person at the real window (X11 or EGL): looks, moves the mouse, presses keys. For the tests of what people see and do."""

import time
from collections.abc import Iterator

import numpy as np
import pytest
from pace import unit

pytest.importorskip("pyglet")

from app.render.offscreen import NoGraphics

try:
    from app.window import Window
except NoGraphics as missing:
    pytest.skip(str(missing), allow_module_level=True)

import pyglet
from pyglet.window import key, mouse

from app.gui.context import DOUBLE_CLICK
from app.gui.controls import widgets
from app.insight.console import console
from app.render.labels import Said
from app.session import Session
from physics.core.records import Kind


class Person:
    """Looks at the window, moves the mouse, presses keys."""

    def __init__(self, window, session):
        self.window, self.session = window, session

    def see(self, scene=True):
        """Draw pixels from now on: of the panels, and of the scene."""
        draw, self.window.gui._render = self.window.really_draw
        if scene:
            self.window.renderer.draw = draw

    def look(self, pictures=1):
        for _ in range(pictures):
            self.window.switch_to()
            self.window.on_refresh(1.0 / 60.0)

    def send(self, event, *args):
        pyglet.event.EventDispatcher.dispatch_event(self.window, event, *args)
        self.look()

    def spot(self, label, where=0.5):
        """The middle of a control (pyglet's y points up)."""
        widgets.spots.clear()
        self.look(2)
        assert label in widgets.spots, f"{label} is not drawn; there are {sorted(widgets.spots)}"
        x0, y0, x1, y1 = widgets.spots[label]
        return round(x0 + where * (x1 - x0)), round(self.window.get_size()[1] - 0.5 * (y0 + y1))

    def move(self, x, y):
        self.send("on_mouse_motion", x, y, 0, 0)
        self.look()

    def press(self, x, y, button=mouse.LEFT, modifiers=0):
        self.move(x, y)
        self.send("on_mouse_press", x, y, button, modifiers)

    def release(self, x, y, button=mouse.LEFT, modifiers=0):
        self.send("on_mouse_release", x, y, button, modifiers)

    def click(self, label, where=0.5):
        x, y = self.spot(label, where)
        self.press(x, y)
        self.release(x, y)
        self.look(2)

    def hit(self, symbol, modifiers=0):
        self.send("on_key_press", symbol, modifiers)
        self.send("on_key_release", symbol, 0)      # fingers leave Ctrl and Shift, too

    def write(self, text):
        """Type into what has the keyboard."""
        for letter in text:
            self.send("on_text", letter)
        self.look(2)

    def type_into(self, label, text):
        """Double-click, type, Enter."""
        x, y = self.spot(label)
        self.look(round(1.2 * DOUBLE_CLICK * 60.0))    # ImGui counts clicks by the time of the pictures
        self.press(x, y)
        self.release(x, y)
        self.send("on_mouse_press", x, y, mouse.LEFT, 0)
        self.release(x, y)
        self.look(2)
        for letter in text:
            self.send("on_text", letter)
        self.hit(key.RETURN)
        self.look(2)

    def body_at(self, body):
        """Pixel of a body's centre."""
        left, top, width, height = self.window.gui.panels.centre
        x, y, _ = self.session.camera.project(self.session.frame.bodies["pos"][body], width, height)[0]
        return round(left + x), round(self.window.get_size()[1] - top - height + y)

    def wait(self, condition, seconds=60.0):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.look()
            if condition():
                return True
            time.sleep(0.005)
        return False

    def load(self, scene):
        self.session.post("load", scene)
        self.session.post("pause")
        assert self.wait(lambda: self.session.frame.scene == scene and self.session.frame.paused)
        self.look(20)

    def cost_of_drawing(self, panel, before=lambda: None, pictures=60):
        """The quickest drawing of an open panel, in quickest units of `pace`. What comes before makes it do all its work."""
        units, took, draw = [], [], panel.draw

        def timed(session):
            before()
            units.append(unit())
            begin = time.perf_counter()
            draw(session)
            took.append(time.perf_counter() - begin)

        panel.draw = timed
        try:
            self.look(pictures)
        finally:
            panel.draw = draw
        assert len(took) >= pictures
        return min(took) / min(units)


def opened() -> Iterator[Window]:
    """A window with a paused pyramid, for a fixture of a module's tests."""
    try:
        made = Window(1200, 800, vsync=False)
    except NoGraphics as missing:
        pytest.skip(str(missing))
    session = Session.open("pyramid")
    session.view.shadows = False
    session.simulation.pause()
    made.adopt(session)
    made.really_draw = made.renderer.draw, made.gui._render
    widgets.spots = {}
    yield made
    widgets.spots = None
    made.close()


def at(window: Window) -> Iterator[Person]:
    """Someone at it who sees nothing until `see`: pixels take long on machines without a graphics card."""
    window.gui.panels.hidden = False
    window.renderer.draw, window.gui._render = lambda *args, **kwargs: Said(), lambda: None
    window.session.messages.clear()
    console().clear()
    made = Person(window, window.session)
    made.look(6)
    yield made
    window.hands.stop()


def some_body(session):
    """The highest body that moves."""
    moving = np.flatnonzero(session.frame.bodies["kind"] == Kind.DYNAMIC)
    return int(moving[np.argmax(session.frame.bodies["pos"][moving, 2])])


def fresh_spots(person):
    """What is drawn now."""
    widgets.spots.clear()
    person.look(2)
    return widgets.spots
