"""The moving picture of the README, taken at the real window: boxes slide, their bench is tilted, a box is dragged, balls thrown.

    python -m tests.window_picture --write        docs/window.webp anew; needs Pillow (pip install pillow)
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from pyglet.window import key, mouse

from app.engine.commands import past
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.shell.first_minute import FIRST_SCENE
from app.gui.shell.settings import Settings, SettingsStore
from app.session import Session
from app.window import Window
from tests.helpers import ROOT
from tests.tools.person import Person

FILE = ROOT / "docs" / "window.webp"
WINDOW, SHOWN = (1280, 800), (960, 600)
"""Sizes of the window and of its picture [px]."""
QUALITY, MIN_INTERVAL, FAREWELL = 70, 0.08, 1.5
"""Of the compression; the shortest time between two pictures, and that of the last one [s]."""
POINTER = ((0, 0), (0, 17), (4, 13), (7, 19), (9, 18), (6, 12), (12, 12))
"""Outline of the pointer, which the window's pixels lack [px]."""
FARTHER = 1.3
"""Factor of the camera's distance, which leaves room for boxes that fall."""
STEEPER, RANGE = 33.0, 45.0
"""The angle to which the bench is tilted, and the end of its slider [deg]."""


class Filmed(Person):
    """Every picture that is drawn is kept, with its time and where the pointer was (y up)."""

    def __init__(self, window, session):
        super().__init__(window, session)
        self.pictures, self.rolling, self.pointer = [], False, (0.6 * WINDOW[0], 0.45 * WINDOW[1])

    def look(self, pictures=1):
        for _ in range(pictures):
            super().look()
            if self.rolling and (not self.pictures or time.perf_counter() - self.pictures[-1][0] > MIN_INTERVAL):
                self.pictures.append((time.perf_counter(), self.window.pixels(), self.pointer))

    def send(self, event, *args):
        if event in ("on_mouse_motion", "on_mouse_drag"):
            self.pointer = args[:2]
        super().send(event, *args)

    def go(self, x, y, pictures=6):
        """Move the pointer to a place, visibly."""
        x0, y0 = self.pointer
        for k in range(1, pictures + 1):
            self.send("on_mouse_motion", round(x0 + (x - x0) * k / pictures), round(y0 + (y - y0) * k / pictures), 0, 0)

    def pull(self, x, y, pictures):
        """Move the pointer with the left button held."""
        x0, y0 = self.pointer
        for k in range(1, pictures + 1):
            to = round(x0 + (x - x0) * k / pictures), round(y0 + (y - y0) * k / pictures)
            self.send("on_mouse_drag", *to, to[0] - self.pointer[0], to[1] - self.pointer[1], mouse.LEFT, 0)

    def watch(self, seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.look()


def play(person):
    """What the picture shows."""
    session = person.session
    person.rolling = True
    session.post(Simulation.run)
    person.watch(1.5)
    start, y = person.spot("lesson/angle", session.parameters.angle / RANGE)
    person.go(start, y)
    person.press(start, y)
    while session.parameters.angle < STEEPER:
        person.pull(person.pointer[0] + 2, y, 1)
    person.release(*person.pointer)
    person.watch(1.0)
    box = session.frame.body_names.index("box 5")
    person.go(*person.body_at(box))
    person.press(*person.body_at(box))
    x, y = person.pointer
    person.pull(x + 150, y + 60, 10)
    person.watch(0.8)
    person.release(*person.pointer)
    for to in (0.5, 0.6):
        left, _, width, _ = person.window.gui.panels.centre
        person.go(round(left + to * width), round(0.6 * WINDOW[1]), 3)
        person.hit(key.B)
        person.watch(0.5)
    person.watch(1.0)


def write(pictures):
    from PIL import Image, ImageDraw

    images = []
    for _, pixels, (x, y) in pictures:
        image = Image.fromarray(pixels)
        outline = [(x + dx, WINDOW[1] - y + dy) for dx, dy in POINTER]
        ImageDraw.Draw(image).polygon(outline, fill="white", outline="black")
        images.append(image.resize(SHOWN, Image.Resampling.LANCZOS))
    times = np.array([at for at, _, _ in pictures])
    durations = np.round(1000.0 * np.append(np.diff(times), FAREWELL)).astype(int).tolist()
    images[0].save(FILE, save_all=True, append_images=images[1:], duration=durations, loop=0, quality=QUALITY, method=4)


def main():
    if sys.argv[1:] != ["--write"]:
        raise SystemExit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        window, session = Window(*WINDOW, vsync=False), Session.open(FIRST_SCENE)
        session.simulation.pause()
        session.post(past.set_time_share, 0.0)      # drawing takes the processor's time
        window.adopt(session)
        SettingsStore(Settings.first(), Path(folder) / "settings.toml").apply(window)
        widgets.clickable_areas = {}
        person = Filmed(window, session)
        try:
            person.look(20)
            session.camera.distance *= FARTHER
            person.look(20)
            play(person)
        finally:
            window.close()
    write(person.pictures)


if __name__ == "__main__":
    main()
