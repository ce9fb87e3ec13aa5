"""A simulated user at the real window (X11 or EGL): draws pictures, moves the mouse, presses keys."""

import time
from collections.abc import Iterator

import numpy as np
import pytest

from app.engine.simulation import Simulation
from app.engine.undo.edit_list import EditList
from app.gui.viewport.transform_tools import Tool
from tests.tools.relative_time import unit

pytest.importorskip("pyglet")

from app.render.opengl.offscreen import NoGraphics

try:
    from app.window import Window
except NoGraphics as missing:
    pytest.skip(str(missing), allow_module_level=True)

import pyglet
from pyglet.window import key, mouse

from app.console import console
from app.gui.controls import widgets
from app.gui.shell.imgui_context import DOUBLE_CLICK
from app.render.scene.labels import PlacedLabel
from app.session import Session
from physics.core.records import Kind


def forget_edits(simulation):
    simulation.edits = EditList()


class Person:
    """Draws the window, moves the mouse, presses keys."""

    def __init__(self, window, session):
        self.window, self.session = window, session

    def see(self, scene=True):
        """Draw pixels from now on: of the panels, and of the scene."""
        draw, self.window.gui.draw_finished = self.window.really_draw
        if scene:
            self.window.renderer.draw = draw

    def forget(self, *states):
        """Reset these panel states."""
        for state in states:
            vars(self.session.state(state)).update(vars(state()))

    def look(self, pictures=1):
        for _ in range(pictures):
            self.window.switch_to()
            self.window.on_refresh(1.0 / 60.0)

    def send(self, event, *args):
        pyglet.event.EventDispatcher.dispatch_event(self.window, event, *args)
        self.look()

    def spot(self, label, where=0.5):
        """Return the middle of a control (pyglet's y points up)."""
        widgets.clickable_areas.clear()
        self.look(2)
        assert label in widgets.clickable_areas, f"{label} is not drawn; there are {sorted(widgets.clickable_areas)}"
        x0, y0, x1, y1 = widgets.clickable_areas[label]
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
        self.send("on_key_release", symbol, 0)      # the modifiers are released, too

    def write(self, text):
        """Type into the focused control."""
        for letter in text:
            self.send("on_text", letter)
        self.look(2)

    def type_into(self, label, text):
        """Double-click a control, type, press Enter."""
        x, y = self.spot(label)
        self.window.switch_to()
        self.window.on_refresh(1.2 * DOUBLE_CLICK)      # one long picture: a click before this one is no part of a double click
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
        """Return the pixel of a body's centre."""
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
        before = self.session.frame.setting.build
        self.session.post(Simulation.load, scene)
        self.session.post(Simulation.pause)
        assert self.wait(lambda: self.session.frame.setting.build > before and self.session.frame.scene == scene
                         and self.session.frame.paused)
        self.session.post(forget_edits)     # opening is an edit, too
        assert self.wait(lambda: not self.session.frame.authored.edits.done)
        self.look(20)

    def cost_of_drawing(self, panel, before=lambda: None, pictures=60):
        """Return the shortest time of drawing an open panel, in shortest units of `pace`. before: called first, to force all
        its work."""
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
    """Yield a window with a paused pyramid, for a fixture of a module's tests."""
    try:
        made = Window(1200, 800, vsync=False)
    except NoGraphics as missing:
        pytest.skip(str(missing))
    session = Session.open("pyramid")
    session.view.shadows = False
    session.simulation.pause()
    made.adopt(session)
    made.really_draw = made.renderer.draw, made.gui.draw_finished
    widgets.clickable_areas = {}
    yield made
    widgets.clickable_areas = None
    made.close()


def at(window: Window) -> Iterator[Person]:
    """Yield a user who draws no pixels until `see`: pixels take long on machines without a graphics card."""
    window.gui.panels.hidden = False
    window.renderer.draw, window.gui.draw_finished = lambda *args, **kwargs: PlacedLabel(), lambda: None
    window.session.messages.clear()
    console().clear()
    made = Person(window, window.session)
    made.look(6)
    yield made
    window.hands.stop()


def on_the_ground(person):
    """Return a pixel with nothing but the ground, in scenes with the default view."""
    left, top, width, height = person.window.gui.panels.centre
    return round(left + 0.15 * width), round(person.window.get_size()[1] - top - 0.8 * height)


def some_body(session):
    """Return the highest moving body."""
    moving = np.flatnonzero(session.frame.bodies["kind"] == Kind.DYNAMIC)
    return int(moving[np.argmax(session.frame.bodies["pos"][moving, 2])])


def fresh_spots(person):
    """Return the controls that are drawn now."""
    widgets.clickable_areas.clear()
    person.look(2)
    return widgets.clickable_areas


def top(session, count=3):
    """Return the highest moving bodies, which hide no other."""
    some = np.flatnonzero(session.frame.bodies["kind"] == Kind.DYNAMIC)
    return some[np.argsort(session.frame.bodies["pos"][some, 2])][-count:].tolist()


def click(person, body, modifiers=0):
    person.press(*person.body_at(body), modifiers=modifiers)
    person.release(*person.body_at(body))


def label(person, end):
    return next(spot for spot in fresh_spots(person) if spot.endswith(f"/{end}"))


def living(session):
    return np.flatnonzero(session.frame.bodies["kind"] > 0)


def menu_at(person, x, y):
    person.press(x, y, mouse.RIGHT)
    person.release(x, y, mouse.RIGHT)
    person.look(4)


def drag_handle(person, body, axis, way, hold=0, steps=6):
    """Drag the handle along a world axis (3,) by `way` pixels along its picture."""
    camera, window = person.session.camera, person.window
    left, top, width, height = window.gui.panels.centre
    pos = person.session.frame.bodies["pos"][body]
    size = 0.045 * camera.shown_distance     # about half of the handles' length on small bodies
    (x0, y0, _), (x1, y1, _) = camera.project(np.array([pos, pos + size * np.asarray(axis, float)]), width, height)
    bottom = window.get_size()[1] - top - height
    x, y = left + x1, bottom + y1
    direction = np.array([x1 - x0, y1 - y0]) / np.hypot(x1 - x0, y1 - y0)
    person.look(2)
    if hold:
        person.send("on_key_press", hold, 0)
    person.press(round(x), round(y))
    person.look(2)
    assert person.session.state(Tool).using, "the handle was not hit"
    for k in range(1, steps + 1):
        px, py = x + way * direction[0] * k / steps, y + way * direction[1] * k / steps
        person.send("on_mouse_drag", round(px), round(py), 0, 0, 1, 0)
        person.look(2)
    return round(px), round(py)
