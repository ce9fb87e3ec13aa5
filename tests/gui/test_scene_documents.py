"""Scene files at the window: what a person built is saved, opened again, and never lost by a slip."""

import re
import time

import numpy as np
import pytest
from pyglet.window import key

import scenes
from app.analysis.curves.plot_layout import PlotLayout
from app.engine import commands
from app.engine.scene_files import scene_file
from app.engine.simulation import Simulation
from app.files import recent
from app.gui.commands.actions import ChangedKeys
from app.gui.output import scene_documents
from app.gui.output.scene_documents import FileList, PendingSave
from app.requests import WindowRequests
from app.session import Selection
from physics import BadInput, Box
from tests import golden


@pytest.fixture
def folder(person, tmp_path, monkeypatch):
    """The folder of a person's scene files; the window asks before unsaved work is left."""
    monkeypatch.setattr(scene_documents, "folder", lambda: tmp_path)
    person.session.asks_before_leaving = True
    person.forget(FileList, PendingSave)
    yield tmp_path
    person.session.asks_before_leaving, person.session.leaving = False, None
    for panel in ("files", "unsaved"):
        person.window.gui.panels.all[panel].open = False


def build(person, name="crate"):
    """Add a body by hand."""
    person.session.post(commands.spawn, Box((0.2, 0.2, 0.2)), (3.0, 0.0, 1.0), name=name)
    assert person.wait(lambda: name in person.session.frame.body_names)


def saved(person, path):
    simulation = person.session.simulation
    return person.wait(lambda: simulation.document.path == str(path) and not person.session.has_unsaved)


def quiet(person, scene):
    """Load a scene without being asked."""
    person.session.asks_before_leaving = False
    person.load(scene)
    person.session.asks_before_leaving = True


def test_which_curves_are_drawn_is_saved(person, folder):
    quiet(person, "door")
    person.look(2)
    keys, layout = person.session.traces.keys, person.session.state(PlotLayout)
    layout.only_record(keys[0])
    build(person)
    scene_documents.save_to(person.session, folder / "own.toml")
    assert saved(person, folder / "own.toml")
    drawn = [key for key in keys if key not in layout.not_drawn]
    for scene in ("stack", "door"):
        quiet(person, scene)
        person.look(2)
        person.session.asks_before_leaving = False
        person.session.post(Simulation.load, str(folder / "own.toml"))
        assert person.wait(lambda: person.session.simulation.document.path == str(folder / "own.toml"))
        person.look(2)
        assert person.session.traces.keys == keys and [key for key in keys if key not in layout.not_drawn] == drawn


def test_what_was_built_is_saved_and_opened_again(person, folder):
    quiet(person, "stack")
    assert not person.session.has_unsaved and person.window.caption == "Stack of ten boxes - Stiction"
    build(person)
    for _ in range(20):
        person.session.post(Simulation.single_step)
    assert person.wait(lambda: person.session.frame.step == 20)
    person.look(2)
    assert person.session.has_unsaved and person.window.caption == "Stack of ten boxes * - Stiction"
    person.hit(key.S, key.MOD_CTRL)
    person.look(5)
    assert person.session.state(FileList).typed == "stack"
    person.hit(key.A, key.MOD_CTRL)
    person.write("my tower")
    person.click("files/do")
    path = folder / "my tower.toml"
    assert saved(person, path) and path.is_file() and person.wait(lambda: recent.recent()[:1] == [path])
    person.look(2)
    assert person.window.caption == "my tower - Stiction"
    state, eye = golden.state(person.session.simulation.world), person.session.camera.azimuth
    quiet(person, "door")
    person.session.camera.azimuth = 170.0
    person.hit(key.O, key.MOD_CTRL)
    person.look(5)
    person.click("files/file 0")
    assert person.wait(lambda: person.session.simulation.document.path == str(path))
    person.look(3)
    frame = person.session.frame
    assert frame.scene == "stack" and "crate" in frame.body_names and frame.step == 20 and person.session.camera.azimuth == eye
    assert golden.state(person.session.simulation.world) == state
    person.session.post(Simulation.single_step)
    person.session.post(Simulation.reset)
    assert person.wait(lambda: person.session.frame.step == 20), "a reset returns to the file's state"
    assert not person.session.has_unsaved or person.session.simulation.edits.done[-1].command == "reset"


def test_unsaved_work_is_asked_about(person, folder):
    """Save, leave, stay; a throw in a scene of the gallery is no work."""
    quiet(person, "stack")
    person.session.post(commands.throw, (0.0, -3.0, 1.0), (0.0, 5.0, 0.0))
    assert person.wait(lambda: [edit.command for edit in person.session.frame.authored.edits.done][-1:] == ["throw"])
    assert not person.session.has_unsaved
    build(person)
    person.hit(key.BRACKETRIGHT)        # the next scene
    person.look(5)
    assert person.window.gui.panels.all["unsaved"].open and person.session.frame.scene == "stack"
    person.click("unsaved/stay")
    person.look(10)
    assert person.session.frame.scene == "stack" and "crate" in person.session.frame.body_names
    person.session.post(Simulation.load, "door")
    person.look(5)
    person.click("unsaved/save")
    person.look(5)
    person.click("files/do")
    assert person.wait(lambda: person.session.frame.scene == "door") and (folder / "stack.toml").is_file()
    quiet(person, "stack")
    build(person)
    person.session.post(Simulation.load, "door")
    person.look(5)
    person.click("unsaved/leave")
    assert person.wait(lambda: person.session.frame.scene == "door")
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: person.session.frame.scene == "stack"), "leaving can be undone"
    assert "crate" in person.session.frame.body_names and person.session.has_unsaved


def test_a_reset_keeps_what_was_built_in_an_own_file(person, folder):
    """A new scene, a box, saved; running and resetting puts the box back, and nothing is unsaved by that."""
    quiet(person, scenes.EMPTY)
    build(person)
    scene_documents.save_to(person.session, folder / "mybox.toml")
    assert saved(person, folder / "mybox.toml")
    for _ in range(2):
        for _ in range(5):
            person.session.post(Simulation.single_step)
        assert person.wait(lambda: person.session.frame.step >= 5)
        person.hit(key.R)
        assert person.wait(lambda: person.session.frame.step == 0)
        frame = person.session.frame
        assert frame.bodies["pos"][frame.body_names.index("crate")].tolist() == [3.0, 0.0, 1.0]
        person.look(2)
        assert not person.session.has_unsaved and person.window.caption == "mybox - Stiction"
    build(person, "other")
    assert person.session.has_unsaved


@pytest.mark.parametrize(("typed", "told"), [("a/b:c", "':'"), ("a/b", "no folder"), ("what?", "'?'"), ("x<y", "'<'")])
def test_a_name_that_is_none_is_refused_and_nothing_is_made(person, folder, typed, told):
    with pytest.raises(BadInput, match=re.escape(told)):
        scene_documents.typed_path(typed)
    assert list(folder.iterdir()) == []
    (folder / "there").mkdir()
    assert scene_documents.typed_path("there/tower") == folder / "there" / "tower.toml"


def test_nothing_acts_beside_the_question(person, folder):
    """Neither keys nor clicks, which could drop what is asked about; Esc stays, Tab goes through the answers."""
    quiet(person, "stack")
    build(person)
    person.session.post(Simulation.load, "door")
    person.look(5)
    assert person.window.gui.panels.asks
    before = person.session.frame
    for symbol, held in ((key.SPACE, 0), (key.R, 0), (key.B, 0), (key.A, key.MOD_SHIFT), (key.N, key.MOD_CTRL), (key.DELETE, 0)):
        person.hit(symbol, held)
    person.click("top/reset")
    person.click("top/step")
    person.window.dispatch_event("on_file_drop", 5, 5, [str(folder)])
    person.look(20)
    frame = person.session.frame
    assert frame.paused and frame.step == before.step and frame.setting.build == before.setting.build
    assert "crate" in frame.body_names and frame.body_names == before.body_names
    assert person.window.gui.panels.asks
    person.hit(key.ESCAPE)
    person.look(5)
    assert not person.window.gui.panels.asks and person.session.frame.scene == "stack"
    person.hit(key.PERIOD)
    assert person.wait(lambda: person.session.frame.step == before.step + 1), "keys act again"
    person.session.post(Simulation.load, "door")
    person.look(5)
    person.hit(key.TAB)     # from Save to Leave
    person.look(3)
    person.hit(key.SPACE)
    assert person.wait(lambda: person.session.frame.scene == "door", 5.0), "left by the keyboard"
    person.hit(key.ESCAPE)


def test_closing_asks_too(person, folder, monkeypatch):
    closed = []
    monkeypatch.setattr(person.window, "close", lambda: closed.append(True))
    quiet(person, "stack")
    build(person)
    person.send("on_close")
    person.look(5)
    assert not closed and person.window.gui.panels.all["unsaved"].open
    person.click("unsaved/save")
    person.look(5)
    person.click("files/do")
    assert person.wait(lambda: closed == [True]) and (folder / "stack.toml").is_file()


def test_a_file_that_cannot_be_written_loses_nothing(person, folder, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scene_documents, "write", full)
    quiet(person, "stack")
    build(person)
    person.session.messages.clear()
    gone = []
    scene_documents.save_to(person.session, folder / "x.toml", lambda: gone.append(True))
    assert person.wait(lambda: any("No space left on device" in one.text for one in person.session.messages))
    assert person.wait(lambda: person.session.state(PendingSave).then is None)
    assert not gone and person.session.has_unsaved and not (folder / "x.toml").exists()


def test_an_existing_file_is_replaced_at_the_second_press(person, folder):
    (folder / "stack.toml").write_text("something else")
    quiet(person, "stack")
    scene_documents.ask_save(person.session)
    person.session.state(FileList).typed = "stack"
    person.look(5)
    person.click("files/do")
    person.look(3)
    assert (folder / "stack.toml").read_text() == "something else" and person.session.state(FileList).replaces is not None
    person.click("files/do")
    assert saved(person, folder / "stack.toml") and "[[bodies]]" in (folder / "stack.toml").read_text()


def test_a_dropped_file_opens_and_a_mistaken_one_changes_nothing(person, folder):
    quiet(person, "stack")
    scene_documents.save_to(person.session, folder / "a.toml")
    assert saved(person, folder / "a.toml")
    quiet(person, "door")
    before = person.session.frame.setting.build
    (folder / "wrong.toml").write_text("format = 1\n[world]\ndt = 7\n")
    person.session.messages.clear()
    person.send("on_file_drop", 10, 10, [str(folder / "wrong.toml")])
    assert person.wait(lambda: person.session.messages)
    assert "wrong.toml, line 3, element world.dt = 7: it must be at most 1.0" in person.session.messages[-1].text
    assert person.session.frame.scene == "door" and person.session.frame.setting.build == before
    person.send("on_file_drop", 10, 10, [str(folder / "a.toml")])
    assert person.wait(lambda: person.session.frame.scene == "stack")


def test_a_file_changed_on_the_disk_is_opened_again(person, folder):
    """With the camera where it is; not over unsaved changes."""
    quiet(person, "stack")
    path = folder / "a.toml"
    scene_documents.save_to(person.session, path)
    assert saved(person, path)
    person.session.camera.azimuth = 77.0
    text = path.read_text().replace("[[bodies]]", "# mine\n[[bodies]]", 1).replace("0.0, -9.81]", "0.0, -1.5]", 1)
    path.write_text(text)
    assert person.wait(lambda: person.session.frame.gravity[2] == -1.5) and person.session.camera.azimuth == 77.0
    assert not person.session.has_unsaved
    build(person)
    path.write_text(text.replace("-1.5", "-2.5"))
    person.session.messages.clear()
    assert person.wait(lambda: any("it has unsaved changes" in one.text for one in person.session.messages))
    assert person.session.frame.gravity[2] == -1.5
    scene_documents.save(person.session)
    assert saved(person, path) and "# mine" in path.read_text() and 'name = "crate"' in path.read_text()
    end = time.perf_counter() + 1.5
    person.wait(lambda: time.perf_counter() > end)
    assert "crate" in person.session.frame.body_names, "an own save is no change of others"


def test_the_start_is_where_it_was_set(person, folder):
    quiet(person, "stack")
    build(person)
    for _ in range(5):
        person.session.post(Simulation.single_step)
    person.session.post(commands.set_start)
    person.session.post(Simulation.single_step)
    assert person.wait(lambda: person.session.frame.step == 6)
    person.session.post(Simulation.reset)
    assert person.wait(lambda: person.session.frame.step == 5) and "crate" in person.session.frame.body_names


def test_new_link_and_export(person, folder, monkeypatch):
    clipboard = []
    monkeypatch.setattr(person.window, "set_clipboard_text", clipboard.append)
    monkeypatch.setattr(person.window, "get_clipboard_text", lambda: clipboard[-1])
    quiet(person, "stack")
    person.hit(key.N, key.MOD_CTRL)
    assert person.wait(lambda: person.session.frame.scene == "empty") and len(person.session.frame.body_names) == 2
    build(person, "lonely crate")
    person.hit(key.C, key.MOD_CTRL | key.MOD_SHIFT)
    assert person.wait(lambda: clipboard) and clipboard[0].startswith("stiction:1:") and len(clipboard[0]) < 6000
    pos = person.session.frame.bodies["pos"].copy()
    quiet(person, "door")
    person.session.window.paste_link()
    assert person.wait(lambda: person.session.frame.scene == "empty" and "lonely crate" in person.session.frame.body_names)
    assert np.array_equal(person.session.frame.bodies["pos"], pos)
    clipboard.append("hello")
    person.session.messages.clear()
    person.session.window.paste_link()
    assert person.wait(lambda: person.session.messages) and "links begin with stiction:1:" in person.session.messages[-1].text
    person.session.window.run_action("export_python")
    assert person.wait(lambda: (folder / "scene.py").is_file())


def test_requests_are_the_handlers():
    """Each request of the session is one that the window handles."""
    assert {"copy_text", "paste_link"} <= set(vars(WindowRequests))
    assert scene_file.PASTED


ROBOT = """<robot name="arm"><link name="base"/>
<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="{}"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>
<collision><origin xyz="0.5 0 0"/><geometry><box size="1 0.1 0.1"/></geometry></collision></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="50" velocity="1"/></joint></robot>"""


def test_a_robots_file_changed_on_the_disk_is_opened_again(person, folder):
    """The camera and the selection stay; a mistake is told and changes nothing; what was built by hand is not lost."""
    session, path = person.session, folder / "arm.urdf"
    path.write_text(ROBOT.format(1.5))

    def mass():
        names = session.frame.body_names
        return session.frame.bodies["mass"][names.index("arm")] if "arm" in names else None

    session.post(Simulation.load, str(path))
    session.post(Simulation.pause)
    assert person.wait(lambda: mass() == 1.5) and not session.simulation.document.path, "it is no file to save to"
    session.camera.azimuth, session.selection = 123.0, Selection(session.frame.body_names.index("arm"))
    path.write_text(ROBOT.format(2.25))
    assert person.wait(lambda: mass() == 2.25)
    assert session.camera.azimuth == 123.0 and session.frame.body_names[session.selection.body] == "arm"
    path.write_text(ROBOT.format(-1))
    assert person.wait(lambda: any("line 2" in message.text for message in session.messages)) and mass() == 2.25
    build(person)
    path.write_text(ROBOT.format(33))
    assert person.wait(lambda: any("unsaved changes" in message.text for message in session.messages)) and mass() == 2.25


def test_a_robots_file_is_opened_by_its_name_and_is_recent_then(person, folder):
    """Typed, or chosen from the list; a name that is no file's stays to be corrected."""
    quiet(person, "stack")
    (folder / "crane.urdf").write_text(ROBOT.format(1.5))
    person.hit(key.O, key.MOD_CTRL)
    for name, told in (("crane.udrf", "is not there"), ("x" * 300, "too long"), ("~nobody of this name/x", "~nobody"),
                       ("a/..", "type a name")):
        person.look(5)
        person.hit(key.A, key.MOD_CTRL)
        person.write(name)
        person.session.messages.clear()
        person.click("files/do")
        assert person.session.messages and told in person.session.messages[-1].text
        assert person.window.gui.panels.all["files"].open and person.session.state(FileList).typed == name
    person.look(5)
    person.hit(key.A, key.MOD_CTRL)
    person.write("crane.urdf")
    person.click("files/do")
    assert person.wait(lambda: recent.recent()[:1] == [folder / "crane.urdf"])
    assert person.wait(lambda: "arm" in person.session.frame.body_names), "its frame is drawn after it is among the recent ones"
    person.hit(key.S, key.MOD_CTRL)
    person.look(5)
    assert folder / "crane.urdf" not in person.session.state(FileList).files(time.perf_counter()), "nobody saves to it"
    person.click("files/cancel")
    quiet(person, "stack")
    person.hit(key.O, key.MOD_CTRL)
    person.look(5)
    person.click("files/file 0")
    assert person.wait(lambda: "arm" in person.session.frame.body_names)


def test_the_usual_key_opens_files_and_tells_once_where_scenes_are(person, folder):
    person.session.state(ChangedKeys).informed = False
    quiet(person, "stack")
    for count in (1, 1):
        person.hit(key.O, key.MOD_CTRL)
        assert person.wait(lambda: person.window.gui.panels.all["files"].open)
        assert sum("Alt+O" in message.text for message in person.session.messages) == count
        person.hit(key.ESCAPE)
        person.wait(lambda: not person.window.gui.panels.all["files"].open)
    person.hit(key.O, key.MOD_ALT)
    assert person.wait(lambda: person.window.gui.panels.all["picker"].open)
    person.hit(key.ESCAPE)
    person.look(3)
