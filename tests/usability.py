"""Ten tasks of a new user, done in the real window with mouse and keys, counted and timed.

    python -m tests.usability --write        docs/tasks.md anew

Seconds are those of the keystroke-level model (Card, Moran, Newell 1980) for someone who knows where things are: 1.1 s to
point, 0.2 s for a click, 0.28 s a key, 1.35 s to make up one's mind before each thing that is done; and what the window took.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
from imgui_bundle import imgui
from pyglet.window import key

from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.files import folders
from app.panels.why import WhyState as Why
from app.render.scene.transforms import contact_points
from physics.core.records import Case
from tests.helpers import ROOT
from tests.tools.person import Person, fresh_spots

POINT, MAX_CLICK_MOTION, KEY, MIND = 1.1, 0.2, 0.28, 1.35
PAGE = ROOT / "docs" / "tasks.md"


class Newcomer(Person):
    """Counts what is done: clicks, keys, and the seconds they take."""

    def __init__(self, window, session):
        super().__init__(window, session)
        self.clicks = self.keys = 0
        self.seconds = self.waited = 0.0

    def click(self, label, where=0.5):
        super().click(self.found(label), where)
        self._clicked()

    def found(self, label):
        """A control by its full name, or by its end where it is in a menu."""
        if not label.startswith("*"):
            return label
        self.look(3)
        return next(spot for spot in fresh_spots(self) if spot.endswith(label[1:]))

    def tab(self, name):
        """The tab of a panel in its dock."""
        panel = self.window.gui.panels.all[name]
        box = imgui.internal.find_window_by_name(panel.window).dc.dock_tab_item_rect
        x, y = round(0.5 * (box.min.x + box.max.x)), round(self.window.get_size()[1] - 0.5 * (box.min.y + box.max.y))
        self.press(x, y)
        self.release(x, y)
        self.look(4)
        self._clicked()

    def click_at(self, x, y):
        self.press(x, y)
        self.release(x, y)
        self.look(4)
        self._clicked()

    def hit(self, symbol, modifiers=0):
        super().hit(symbol, modifiers)
        self._typed(1 + bool(modifiers))
        self.seconds += MIND

    def write(self, text):
        super().write(text)
        self._typed(len(text))

    def type_into(self, label, text):
        """Double-click, type, Enter."""
        super().type_into(label, text)
        self._clicked()
        self.clicks += 1
        self.seconds += MAX_CLICK_MOTION + KEY * len(text)
        self.keys += len(text)

    def stop_at_substep(self, condition, seconds=60.0):
        """Wait for the machine."""
        start = time.perf_counter()
        assert self.wait(condition, seconds)
        self.waited += time.perf_counter() - start

    def _clicked(self):
        self.clicks += 1
        self.seconds += MIND + POINT + MAX_CLICK_MOTION

    def _typed(self, count):
        self.keys += count
        self.seconds += KEY * count


@dataclass
class Task:
    """What someone new wants, the scene at hand when it begins, and the way; `do` asserts that it was reached."""

    wish: str
    way: str
    do: Callable
    scene: str = "pyramid"


def find_a_scene(person):
    person.hit(key.O, key.MOD_ALT)
    person.write("door")
    person.hit(key.RETURN)
    person.stop_at_substep(lambda: person.session.frame.scene == "door")


def run_and_go_back(person):
    session = person.session
    person.hit(key.SPACE)
    person.stop_at_substep(lambda: session.frame.step > 20)
    person.hit(key.SPACE)
    person.stop_at_substep(lambda: session.frame.paused)
    step = session.frame.step
    person.hit(key.COMMA)
    person.stop_at_substep(lambda: session.frame.step < step)     # one less, unless the clock has cut that step


def friction_of_all(person):
    label = next(spot for spot in fresh_spots(person) if spot.startswith("physics/friction"))
    person.type_into(label, "0.2")
    person.stop_at_substep(lambda: np.allclose(person.session.frame.shapes["friction"][1:], 0.2))


def friction_of_one_pair(person):
    session = person.session
    frame, camera = session.frame, session.camera
    left, top, width, height = person.window.gui.panels.centre
    seen = camera.project(contact_points(frame, *frame.poses(1.0)), width, height)
    x, y = seen[int(np.argmin(seen[:, 2])), :2]     # the nearest to the eye
    person.click_at(round(left + x), round(person.window.get_size()[1] - top - height + y))
    assert session.selection.contact >= 0
    person.type_into("inspector/pair \u03bc", "0.9")
    person.stop_at_substep(lambda: any("0.9" in edit.text for edit in session.simulation.edits.done))


def stop_at_the_first_impact(person):
    simulation = person.session.simulation
    person.tab("breakpoints")
    person.click("breakpoints/Next contact")
    person.stop_at_substep(lambda: any(one.on for one in simulation.breakpoints.items))
    person.click("breakpoints/run to hit")
    person.stop_at_substep(lambda: simulation.breakpoints.hit is not None and person.session.frame.paused)
    assert person.session.selection.contact >= 0


def cone_of_a_contact(person):
    frame, camera = person.session.frame, person.session.camera
    person.tab("contact_lens")
    person.click("contact_lens/contact")
    person.click("*contact=2")
    assert person.session.selection.contact == 2 and frame.contacts["case"][2] in (Case.STICK, Case.SLIP)
    assert "contact_lens/cone picture" in fresh_spots(person) and camera is person.session.camera


def why_a_box_slides(person):
    person.click("MainMenuBar/View")
    person.click("*/Forces")
    person.click("*panel why")
    person.click("why/fastest")
    person.look(3)
    causes = person.session.state(Why).causes
    limit = next(k for k, cause in enumerate(causes) if cause.tone == "limit")
    assert "friction" in causes[limit].text.lower()
    person.click(f"why/cause {limit}")
    assert person.session.highlight.contacts


def plot_and_save(person):
    with tempfile.TemporaryDirectory() as folder, patch.object(folders, "documents", lambda: Path(folder)):
        person.click("plot/add quantity")
        person.write("e=1 vz")
        person.click("*/quantity body:ball e=1.vz")
        person.hit(key.ESCAPE)
        person.stop_at_substep(lambda: "body:ball e=1.vz" in person.session.traces.keys)
        person.click("plot/save")
        person.click("*/csv")
        head = next(Path(folder).glob("*.csv")).read_text().splitlines()[0]
        assert "[m/s]" in head, head


def compare_two_solvers(person):
    person.click("MainMenuBar/View")
    person.click("*/Solver")
    person.click("*panel compare")
    person.click("compare/add solver")
    person.click("*with stewart_trinkle")
    person.stop_at_substep(lambda: len(person.session.frame.followers) == 1)
    person.hit(key.PERIOD)
    person.stop_at_substep(lambda: person.session.frame.followers[0].step == person.session.frame.step > 0)


def add_a_body_and_take_it_back(person):
    session = person.session
    count = int(np.count_nonzero(session.frame.bodies["kind"] > 0))
    left, top, width, height = person.window.gui.panels.centre
    person.move(round(left + 0.15 * width), round(person.window.get_size()[1] - top - 0.85 * height))
    person.hit(key.A, key.MOD_SHIFT)
    person.click("*/add")
    person.stop_at_substep(lambda: np.count_nonzero(session.frame.bodies["kind"] > 0) == count + 1)
    person.hit(key.Z, key.MOD_CTRL)
    person.stop_at_substep(lambda: np.count_nonzero(session.frame.bodies["kind"] > 0) == count)


TASKS = (
    Task("Find the scene with the door", "Alt+O, type door, Enter", find_a_scene),
    Task("Let it run, stop, look at the step before", "Space, Space, comma", run_and_go_back),
    Task("Give all bodies the friction 0.2", "double-click the slider in Physics, type, Enter", friction_of_all),
    Task("Change the friction of one pair of bodies", "click their contact, double-click pair \u03bc in Inspector, type, Enter",
         friction_of_one_pair, "incline"),
    Task("Stop where something touches first", "tab Breakpoints, Next contact, Run to next", stop_at_the_first_impact,
         "bouncing_balls"),
    Task("See the friction cone of a contact and the force in it", "tab Contact lens, its list, the contact", cone_of_a_contact,
         "incline"),
    Task("Find why a box slides, and where", "View, Forces, Why does this move, The fastest body, the sentence", why_a_box_slides,
         "incline"),
    Task("Plot the speed of a ball and save the numbers", "+ Quantity, type e=1 vz, the line, Esc, Save, CSV", plot_and_save,
         "bouncing_balls"),
    Task("Compare with the exact solver", "View, Solver, Compare, Add a solver, exact", compare_two_solvers, "incline"),
    Task("Add a box and take it back", "Shift+A over the place, Add, Ctrl+Z", add_a_body_and_take_it_back),
)


def perform(window, session, task):
    """Do a task from the default layout; returns the newcomer with the counts."""
    window.set_size(1600, 1000)
    session.window.reset_layout()
    person = Newcomer(window, session)
    session.post(Comparison.stop_comparing)
    person.load(task.scene)
    session.post(Simulation.single_step, 2)
    person.wait(lambda: session.frame.step >= 2)
    person.look(10)
    task.do(person)
    return person


def page(rows):
    """docs/tasks.md."""
    lines = ["# Ten tasks of someone new", "",
             "Done at the real window by `tests/usability.py`, which counts; `python -m tests.usability --write` writes this.",
             "Seconds: keystroke-level model for someone who knows where things are (1.1 s to point, 0.2 s a click, 0.28 s a",
             "key, 1.35 s to make up one's mind), and what the window took to answer on two cores without a graphics card.", "",
             "| task | way | clicks | keys | seconds | of these waited |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    lines += [f"| {task.wish} | {task.way} | {done.clicks} | {done.keys} | {done.seconds + done.waited:.0f} | {done.waited:.1f} |"
              for task, done in rows]
    return "\n".join(lines) + "\n"


def main():
    from tests.tools.person import opened

    window = next(made := opened())
    rows = [(task, perform(window, window.session, task)) for task in TASKS]
    text = page(rows)
    print(text)
    if "--write" in sys.argv:
        PAGE.write_text(text, encoding="utf-8")
    made.close()


if __name__ == "__main__":
    main()
