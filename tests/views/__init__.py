"""The main views of the window in reproducible states: pictures, and small references.

    python -m tests.views            saves the pictures and says how far each is from its reference
    python -m tests.views --write    renews the references in tests/views

A reference keeps the means of blocks of 8 x 8 pixels: another driver's edges and letters look alike in it, an empty panel or text
over text does not.
"""

import argparse
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from pyglet.window import key

from app.analysis.lessons.lesson import LessonProgress
from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.panels import microscope
from app.panels.exercises import ExercisesState
from app.render.opengl.offscreen import write_png
from app.render.opengl.renderer import Renderer
from app.render.scene.labels import PlacedLabel
from app.session import Selection, Session
from app.window import Window
from tests.tools.person import Person, some_body

HERE = Path(__file__).resolve().parent
SIZE = (1280, 800)
BLOCK = 8
"""Pixels of a block, along a side."""
STATUS = 24
"""Height of the status bar [px]."""
REGION = 4
"""Blocks of a region, along a side."""
ALIKE = (2.0, 11.0)
"""Differences of 0 .. 255 that are none: mean of all regions, and of the one that differs most."""


def artefacts() -> Path:
    """Where the pictures go; STICTION_ARTEFACTS names another folder."""
    folder = Path(os.environ.get("STICTION_ARTEFACTS") or HERE.parent / "artefacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def seat() -> Iterator[Person]:
    """Someone at a window of its own, whose pictures are fine from the first one on."""
    window = Window(*SIZE, vsync=False)
    session = Session.open("pyramid")
    session.simulation.pause()
    window.adopt(session)
    window.renderer.delete()
    window.renderer, *window.other_renderers = (Renderer("high", samples=4) for _ in range(2))
    try:
        yield Person(window, session)
    finally:
        window.close()


def shot(person: Person, name: str) -> np.ndarray:
    """One view, (height, width, 3) uint8. What was done for the one before is undone first."""
    window, session = person.window, person.session
    with unseen(person):
        session.view.theme, session.view.split = "dark", True
        for renderer in (window.renderer, *window.other_renderers):
            renderer.states.clear()        # numbers would stay where they stood
        session.post(Comparison.stop_comparing)
        window.gui.panels.close_floating()
        session.window.reset_layout()
        person.look(6)
        session.selection = Selection()
        person.move(2, 2)
        VIEWS[name](person)
        person.look(12)
        session.messages.clear()
        person.look(3)
    return window.picture()


@contextmanager
def unseen(person: Person) -> Iterator[None]:
    """The scene is not drawn meanwhile: that takes long without a graphics card."""
    renderers = [person.window.renderer, *person.window.other_renderers]
    drawn = [renderer.draw for renderer in renderers]
    for renderer in renderers:
        renderer.draw = lambda *args, **kwargs: PlacedLabel()
    try:
        yield
    finally:
        for renderer, draw in zip(renderers, drawn):
            renderer.draw = draw


def run(person: Person, scene: str, steps: int) -> None:
    """So many steps of a scene from its beginning, each with all its sweeps."""
    session = person.session
    person.load(scene)
    session.post(Simulation.reset)
    session.post(Simulation.pause)
    session.post(commands.set_time_share, 0.0)
    assert person.wait(lambda: session.frame.step == 0 and session.frame.paused)
    session.post(Simulation.single_step, steps)
    assert person.wait(lambda: session.frame.step >= steps), f"{scene} has not come to step {steps}"
    session.frame_all()


def _pyramid(person: Person) -> None:
    run(person, "pyramid", 60)


def _joint_lens(person: Person) -> None:
    _panel("joint_lens", "door", 240)(person)
    person.session.selection = Selection(joint=0)


def _contact_lens(person: Person) -> None:
    run(person, "incline", 60)
    person.session.selection = Selection(body=some_body(person.session), contact=0)
    person.window.gui.panels.open("contact_lens")


def _split(person: Person) -> None:
    run(person, "stack", 0)
    person.session.post(Comparison.compare_with, "soft_steps")
    assert person.wait(lambda: len(person.session.frame.followers) == 1)
    person.session.post(Simulation.single_step, 60)
    assert person.wait(lambda: person.session.frame.step >= 60)
    person.window.gui.panels.open("compare")


def _panel(panel: str, scene: str, steps: int) -> Callable[[Person], None]:
    def arrange(person: Person) -> None:
        run(person, scene, 0)
        person.window.gui.panels.open(panel)
        person.look(6)      # some panels count from when they are seen
        for step in range(8, steps + 1, 8):
            person.session.post(Simulation.single_step, 8)
            assert person.wait(lambda step=step: person.session.frame.step >= step)
    return arrange


def _lesson(person: Person) -> None:
    person.session.state(ExercisesState).progress = LessonProgress()        # without what was done before
    _panel("exercises", "incline", 60)(person)


def _microscope(person: Person) -> None:
    person.load("domino")        # the list of scenes scrolls no farther than it must, from where it was
    run(person, "stack", 30)
    person.session.selection = Selection(contact=0)
    person.window.gui.panels.open("microscope")
    state = person.session.state(microscope.MicroscopeState)
    assert person.wait(lambda: state.scope is not None and state.scope.done and state.frozen_for)


def _hit(symbol: int, held: int = 0) -> Callable[[Person], None]:
    def arrange(person: Person) -> None:
        run(person, "pyramid", 60)
        person.hit(symbol, held)
    return arrange


def _theme(name: str) -> Callable[[Person], None]:
    def arrange(person: Person) -> None:
        run(person, "pyramid", 60)
        person.session.selection = Selection(body=some_body(person.session))
        person.session.view.theme = name
    return arrange


VIEWS: dict[str, Callable[[Person], None]] = {
    "pyramid": _pyramid, "joint_lens": _joint_lens, "contact_lens": _contact_lens, "split": _split,
    "energy": _panel("energy", "domino", 120), "microscope": _microscope, "lesson": _lesson,
    "palette": _hit(key.P, key.MOD_CTRL), "picker": _hit(key.O, key.MOD_ALT), "light": _theme("light"),
    "contrast": _theme("contrast"), "help": _hit(key.F1)}


# ---- comparing


def blocks(picture: np.ndarray) -> np.ndarray:
    """Means of blocks (height / BLOCK, width / BLOCK, 3), without the status bar, whose times are the machine's."""
    height, width = (side // BLOCK for side in picture[:-STATUS].shape[:2])
    cut = picture[: height * BLOCK, : width * BLOCK].astype(float)
    return cut.reshape(height, BLOCK, width, BLOCK, 3).mean(axis=(1, 3))


def apart(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """(mean, largest) difference of the regions of two arrays of blocks."""
    if one.shape != other.shape:
        return 255.0, 255.0
    soft = [sum(np.roll(image, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9.0 for image in (one, other)]
    gap = np.abs(soft[0] - soft[1]).max(axis=2)
    height, width = (side // REGION for side in gap.shape)
    regions = gap[: height * REGION, : width * REGION].reshape(height, REGION, width, REGION).mean(axis=(1, 3))
    return float(regions.mean()), float(regions.max())


def alike(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays of blocks show the same."""
    return all(found <= most for found, most in zip(apart(one, other), ALIKE))


def reference(name: str) -> Path:
    return HERE / f"{name}.png"


def read(path: Path) -> np.ndarray:
    """A PNG file that `write_png` made."""
    data, at, parts, size = path.read_bytes(), 8, [], (0, 0)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        size = struct.unpack(">II", body[:8]) if kind == b"IHDR" else size
        parts += [body] if kind == b"IDAT" else []
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(b"".join(parts)), np.uint8).reshape(size[1], 1 + 3 * size[0])
    return rows[:, 1:].reshape(size[1], size[0], 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew the references")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(VIEWS)}; default all")
    given = parser.parse_args()
    with seat() as person:
        for name in given.names or VIEWS:
            picture = shot(person, name)
            write_png(artefacts() / f"{name}.png", picture)
            found = blocks(picture)
            if given.write:
                write_png(reference(name), np.round(found).astype(np.uint8))
            mean, most = apart(found, read(reference(name)).astype(float)) if reference(name).exists() else (255.0, 255.0)
            print(f"{name}: {mean:.2f} on the whole, {most:.2f} where it differs most")
