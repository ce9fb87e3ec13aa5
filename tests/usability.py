"""Twelve tasks of each of three new users, done in the real window with mouse and keys, counted and timed.

    python -m tests.usability --write        docs/tasks.md anew

Seconds are those of the keystroke-level model (Card, Moran, Newell 1980) for someone who knows where things are: 1.1 s to
point, 0.2 s for a click, 0.28 s a key, 1.35 s to decide before each action; and the response time of the window.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pyglet
from imgui_bundle import imgui
from pyglet.window import key, mouse

from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.files import folders
from app.gui.output import scene_documents, video_recorder
from app.gui.viewport.presentation import Presentation
from app.i18n import translate
from app.panels.why import WhyState as Why
from app.render.scene.transforms import contact_points
from physics.core.records import Case
from tests.helpers import ROOT
from tests.tools.person import Person, fresh_spots, top

POINT, MAX_CLICK_MOTION, KEY, MIND = 1.1, 0.2, 0.28, 1.35
STUDENT, TEACHER, ENGINEER = "student", "teacher", "engineer"
PAGE = ROOT / "docs" / "tasks.md"


class Newcomer(Person):
    """Counts what is done: clicks, keys, and the seconds they take."""

    def __init__(self, window, session):
        super().__init__(window, session)
        self.clicks = self.keys = 0
        self.seconds = self.waited = 0.0

    def click(self, label, where=0.5):
        super().click(self.found(label), where)
        self.count_click()

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
        self.count_click()

    def click_at(self, x, y):
        self.press(x, y)
        self.release(x, y)
        self.look(4)
        self.count_click()

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
        self.count_click()
        self.clicks += 1
        self.seconds += MAX_CLICK_MOTION + KEY * len(text)
        self.keys += len(text)

    def drag_to(self, x0, y0, x1, y1, condition):
        """Press the left button at one place and hold it at another until a condition holds."""
        self.press(x0, y0)
        for k in range(1, 6):
            self.send("on_mouse_drag", x0 + (x1 - x0) * k // 5, y0 + (y1 - y0) * k // 5, (x1 - x0) // 5, (y1 - y0) // 5,
                      mouse.LEFT, 0)
        self.wait_for(condition)
        self.release(x1, y1)
        self.count_click()
        self.seconds += POINT

    def wait_for(self, condition, seconds=60.0):
        """Wait for the machine."""
        start = time.perf_counter()
        assert self.wait(condition, seconds)
        self.waited += time.perf_counter() - start

    def count_click(self):
        self.clicks += 1
        self.seconds += MIND + POINT + MAX_CLICK_MOTION

    def _typed(self, count):
        self.keys += count
        self.seconds += KEY * count


@dataclass
class UserTask:
    """What someone new wants, the scene at hand when it begins, and the way; `do` asserts that it was reached. who: wants it."""

    wish: str
    way: str
    do: Callable
    scene: str = "pyramid"
    who: str = STUDENT


def find_a_scene(person):
    person.hit(key.O, key.MOD_ALT)
    person.write("door")
    person.hit(key.RETURN)
    person.wait_for(lambda: person.session.frame.scene == "door")


def run_and_go_back(person):
    session = person.session
    person.hit(key.SPACE)
    person.wait_for(lambda: session.frame.step > 20)
    person.hit(key.SPACE)
    person.wait_for(lambda: session.frame.paused)
    step = session.frame.step
    person.hit(key.COMMA)
    person.wait_for(lambda: session.frame.step < step)     # one less, unless the clock has cut that step


def friction_of_all(person):
    label = next(spot for spot in fresh_spots(person) if spot.startswith("physics/friction"))
    person.type_into(label, "0.2")
    person.wait_for(lambda: np.allclose(person.session.frame.shapes["friction"][1:], 0.2))


def friction_of_one_pair(person):
    session = person.session
    frame, camera = session.frame, session.camera
    left, top, width, height = person.window.gui.panels.centre
    seen = camera.project(contact_points(frame, *frame.poses(1.0)), width, height)
    x, y = seen[int(np.argmin(seen[:, 2])), :2]     # the nearest to the eye
    person.click_at(round(left + x), round(person.window.get_size()[1] - top - height + y))
    assert session.selection.contact >= 0
    person.type_into("inspector/pair \u03bc", "0.9")
    person.wait_for(lambda: any("0.9" in edit.text for edit in session.simulation.edits.done))


def stop_at_the_first_impact(person):
    simulation = person.session.simulation
    person.tab("breakpoints")
    person.click("breakpoints/Next contact")
    person.wait_for(lambda: any(one.on for one in simulation.breakpoints.items))
    person.click("breakpoints/run to hit")
    person.wait_for(lambda: simulation.breakpoints.hit is not None and person.session.frame.paused)
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
        person.wait_for(lambda: "body:ball e=1.vz" in person.session.traces.keys)
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
    person.wait_for(lambda: len(person.session.frame.followers) == 1)
    person.hit(key.PERIOD)
    person.wait_for(lambda: person.session.frame.followers[0].step == person.session.frame.step > 0)


def add_a_body_and_take_it_back(person):
    session = person.session
    count = int(np.count_nonzero(session.frame.bodies["kind"] > 0))
    left, top, width, height = person.window.gui.panels.centre
    person.move(round(left + 0.15 * width), round(person.window.get_size()[1] - top - 0.85 * height))
    person.hit(key.A, key.MOD_SHIFT)
    person.click("*/add")
    person.wait_for(lambda: np.count_nonzero(session.frame.bodies["kind"] > 0) == count + 1)
    person.hit(key.Z, key.MOD_CTRL)
    person.wait_for(lambda: np.count_nonzero(session.frame.bodies["kind"] > 0) == count)


# ---- a student


def throw_a_ball(person):
    count = int(np.count_nonzero(person.session.frame.bodies["kind"] > 0))
    person.move(*person.body_at(top(person.session, 1)[0]))
    person.hit(key.B)
    person.wait_for(lambda: np.count_nonzero(person.session.frame.bodies["kind"] > 0) == count + 1)


def pull_a_box(person):
    session, body = person.session, top(person.session, 1)[0]
    before = session.frame.bodies["pos"][body].copy()
    person.hit(key.SPACE)
    x, y = person.body_at(body)
    person.drag_to(x, y, x + 150, y + 60, lambda: np.linalg.norm(session.frame.bodies["pos"][body] - before) > 0.2)
    person.hit(key.SPACE)
    person.wait_for(lambda: session.frame.paused)


def tilt_the_bench(person):
    person.type_into("lesson/angle", "35")
    person.wait_for(lambda: person.session.simulation.present_parameters.angle == 35.0)


def see_velocities(person):
    person.hit(key.V)
    assert person.session.view.velocities


def slower(person):
    person.hit(key.MINUS)
    person.hit(key.MINUS)
    person.wait_for(lambda: person.session.simulation.speed == 0.25)


def begin_again(person):
    person.hit(key.R)
    person.wait_for(lambda: person.session.frame.step == 0)


def bookmark(person):
    session = person.session
    person.hit(key.F5)
    person.wait_for(lambda: session.simulation.bookmarked is not None)
    step = session.frame.step
    person.hit(key.PERIOD)
    person.wait_for(lambda: session.frame.step == step + 1)
    person.hit(key.F9)
    person.wait_for(lambda: session.frame.step == step)


def save_the_scene(person):
    with tempfile.TemporaryDirectory() as folder, patch.object(scene_documents, "folder", lambda: Path(folder)):
        person.hit(key.S, key.MOD_CTRL)
        person.look(4)
        person.hit(key.RETURN)
        person.wait_for(lambda: list(Path(folder).glob("*.toml")))


# ---- a teacher


def present(person):
    person.hit(key.F11)
    assert person.session.state(Presentation).on
    person.hit(key.F11)


def speak_russian(person):
    person.hit(key.P, key.MOD_CTRL)
    person.write("Russian")
    person.hit(key.RETURN)
    person.wait_for(lambda: translate.code() == "ru")
    translate.set_language("en")


def larger_text(person):
    before = person.window.gui.scale
    person.hit(key.EQUAL, key.MOD_CTRL)
    assert person.window.gui.scale > before
    person.window.gui.zoom(0)


def picture_for_a_slide(person):
    with tempfile.TemporaryDirectory() as folder, patch.object(video_recorder, "pictures", lambda: Path(folder)):
        person.hit(key.F12, key.MOD_SHIFT)
        person.wait_for(lambda: pyglet.clock.tick() and list(Path(folder).glob("*.png")))


def link_for_the_class(person):
    copied = []
    with patch.object(person.window, "set_clipboard_text", copied.append):
        person.hit(key.C, key.MOD_CTRL | key.MOD_SHIFT)
        person.wait_for(lambda: copied)


def next_scene(person):
    person.hit(key.BRACKETRIGHT)
    person.wait_for(lambda: person.session.frame.scene not in ("", "incline"))


def open_the_lesson(person):
    person.tab("exercises")
    assert any(spot.startswith("exercises/") for spot in fresh_spots(person))


def from_the_side_again(person):
    camera = person.session.camera
    person.hit(key.NUM_3)
    person.wait(lambda: abs(camera.elevation) < 1e-6)
    person.hit(key._1, key.MOD_CTRL)
    person.hit(key.F)
    person.hit(key._1)
    assert person.wait(lambda: abs(camera.elevation) < 1e-6)


def lock_for_a_class(person):
    person.hit(key.P, key.MOD_CTRL)
    person.write("lock for a class")
    person.hit(key.RETURN)
    person.look(4)
    assert person.window.gui.panels.all["lock"].open
    person.hit(key.ESCAPE)


# ---- an engineer


def open_a_robot(person):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(ARM)
        person.send("on_file_drop", 100, 100, [str(path)])
        person.count_click()
        person.wait_for(lambda: "tip" in person.session.frame.body_names)


def friction_of_a_joint(person):
    person.type_into("lesson/max friction", "3")
    person.wait_for(lambda: person.session.simulation.world.joints["max_friction"][0, 0] == 3.0)


def finer_steps(person):
    person.type_into("top/step size", "1")
    person.wait_for(lambda: abs(person.session.simulation.dt - 1e-3) < 1e-9)


def more_sweeps(person):
    person.hit(key.P, key.MOD_CTRL)
    person.write("iterations 200")
    person.hit(key.RETURN)
    person.wait_for(lambda: person.session.simulation.world.solver.options.iterations == 200)


def export_a_program(person):
    with tempfile.TemporaryDirectory() as folder, patch.object(scene_documents, "folder", lambda: Path(folder)):
        person.hit(key.P, key.MOD_CTRL)
        person.write("export as python")
        person.hit(key.RETURN)
        person.wait_for(lambda: list(Path(folder).glob("*.py")))


def plot_a_reaction(person):
    person.hit(key.Q, key.MOD_ALT)
    person.write("hinge reaction")
    person.hit(key.DOWN)
    person.hit(key.RETURN)
    person.hit(key.ESCAPE)
    person.wait_for(lambda: any("reaction" in one for one in person.session.traces.keys))


def record_the_motion(person):
    with tempfile.TemporaryDirectory() as folder, patch.object(folders, "documents", lambda: Path(folder)):
        session = person.session
        person.hit(key.F7)
        person.wait_for(lambda: session.simulation.recorder.since >= 0)
        person.hit(key.PERIOD)
        person.hit(key.F7)
        person.wait_for(lambda: list(Path(folder).rglob("*.stiction")))


def undo_two_edits(person):
    session = person.session
    person.type_into("physics/gravity", "3")
    person.wait_for(lambda: abs(session.frame.gravity[2] + 3.0) < 1e-9)
    person.type_into("physics/gravity", "1")
    person.wait_for(lambda: abs(session.frame.gravity[2] + 1.0) < 1e-9)
    person.hit(key.Z, key.MOD_CTRL)
    person.hit(key.Z, key.MOD_CTRL)
    person.wait_for(lambda: abs(session.frame.gravity[2] + 9.81) < 1e-9)


def look_into_a_step(person):
    person.click("MainMenuBar/View")
    person.click("*/Solver")
    person.click("*panel microscope")
    assert person.window.gui.panels.all["microscope"].open


ARM = """<robot name="arm"><link name="base"/><link name="tip"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0"
iyy="0.1" iyz="0" izz="0.1"/></inertial></link><joint name="elbow" type="continuous"><parent link="base"/><child link="tip"/>
<axis xyz="0 1 0"/></joint></robot>"""

TASKS = (
    UserTask("Find the scene with the door", "Alt+O, type door, Enter", find_a_scene),
    UserTask("Run, pause and step back", "Space, Space, comma", run_and_go_back),
    UserTask("Set the friction of all bodies to 0.2", "double-click the slider in Physics, type, Enter", friction_of_all),
    UserTask("Add a box and undo it", "Shift+A over the place, Add, Ctrl+Z", add_a_body_and_take_it_back),
    UserTask("Throw a ball at the top", "B over it", throw_a_ball),
    UserTask("Pull a box off the top", "Space, drag it, Space", pull_a_box),
    UserTask("Tilt the bench under the boxes", "double-click the angle, type, Enter", tilt_the_bench, "incline"),
    UserTask("Show all velocities", "V", see_velocities),
    UserTask("Run at a quarter of the speed", "minus, minus", slower),
    UserTask("Reset the scene", "R", begin_again),
    UserTask("Bookmark a state and return to it", "F5, one step, F9", bookmark),
    UserTask("Save the scene", "Ctrl+S, Enter", save_the_scene),
    UserTask("Show it on a projector", "F11, F11", present, who=TEACHER),
    UserTask("Switch the window to Russian", "Ctrl+P, type Russian, Enter", speak_russian, who=TEACHER),
    UserTask("Make the text larger", "Ctrl+=", larger_text, who=TEACHER),
    UserTask("Save a picture for a slide", "Shift+F12", picture_for_a_slide, who=TEACHER),
    UserTask("Copy the scene as a link for the class", "Ctrl+Shift+C", link_for_the_class, "door", TEACHER),
    UserTask("Go on to the next scene", "]", next_scene, "incline", TEACHER),
    UserTask("Open the lesson", "tab Lesson", open_the_lesson, "incline", TEACHER),
    UserTask("Save a view from the side and return to it", "Num3, Ctrl+1, F, 1", from_the_side_again, "incline", TEACHER),
    UserTask("Lock the window for a class", "Ctrl+P, type lock for a class, Enter; Esc", lock_for_a_class, who=TEACHER),
    UserTask("Show the friction cone of a contact and the force in it", "tab Contact lens, its list, the contact",
             cone_of_a_contact,
             "incline", TEACHER),
    UserTask("Find why a box slides, and where", "View, Forces, Why does this move, The fastest body, the sentence",
             why_a_box_slides,
             "incline", TEACHER),
    UserTask("Plot the speed of a ball and save the numbers", "+ Quantity, type e=1 vz, the line, Esc, Save, CSV", plot_and_save,
             "bouncing_balls", TEACHER),
    UserTask("Change the friction of one pair of bodies",
             "click their contact, double-click pair \u03bc in Inspector, type, Enter",
             friction_of_one_pair, "incline", ENGINEER),
    UserTask("Pause at the first contact", "tab Breakpoints, Next contact, Run to next", stop_at_the_first_impact,
             "bouncing_balls", ENGINEER),
    UserTask("Compare with the exact solver", "View, Solver, Compare, Add a solver, exact", compare_two_solvers, "incline",
             ENGINEER),
    UserTask("Open a robot", "drop its URDF on the window", open_a_robot, who=ENGINEER),
    UserTask("Set the friction of the hinge to 3 N m", "double-click max friction, type, Enter", friction_of_a_joint, "door",
             ENGINEER),
    UserTask("Set the step to 1 ms", "double-click step, type, Enter", finer_steps, who=ENGINEER),
    UserTask("Set the solver to 200 sweeps", "Ctrl+P, type iterations 200, Enter", more_sweeps, who=ENGINEER),
    UserTask("Export the scene as a Python program", "Ctrl+P, type export as python, Enter", export_a_program, "door", ENGINEER),
    UserTask("Plot the load of the hinge", "Alt+Q, type hinge reaction, Down, Enter, Esc", plot_a_reaction, "door", ENGINEER),
    UserTask("Record a motion bit for bit", "F7, one step, F7", record_the_motion, "door", ENGINEER),
    UserTask("Change gravity twice and undo both", "double-click, type, Enter, twice; Ctrl+Z, Ctrl+Z", undo_two_edits,
             who=ENGINEER),
    UserTask("Open the microscope on a step", "View, Solver, Microscope", look_into_a_step, who=ENGINEER),
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
    lines = ["# Twelve tasks each of a student, a teacher and an engineer", "",
             "Done at the real window by `tests/usability.py`, which counts; written by `python -m tests.usability --write`.",
             "Seconds: keystroke-level model for someone who knows where things are (1.1 s to point, 0.2 s a click, 0.28 s a",
             "key, 1.35 s to decide), and the response time of the window on two cores without a graphics card.", "",
             "Each begins in the window with all instruments, in the scene of the task."]
    for who in (STUDENT, TEACHER, ENGINEER):
        own = [(task, done) for task, done in rows if task.who == who]
        lines += ["", f"## {who.capitalize()}", "", "| task | way | clicks | keys | seconds | of which waiting |",
                  "| --- | --- | ---: | ---: | ---: | ---: |"]
        lines += [f"| {task.wish} | {task.way} | {done.clicks} | {done.keys} | {done.seconds + done.waited:.0f} | "
                  f"{done.waited:.1f} |" for task, done in own]
        clicks, keys, seconds = (sum(getattr(done, of) for _, done in own) for of in ("clicks", "keys", "seconds"))
        lines += [f"| all twelve | | {clicks} | {keys} | {seconds + sum(done.waited for _, done in own):.0f} | "
                  f"{sum(done.waited for _, done in own):.1f} |"]
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
