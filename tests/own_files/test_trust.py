"""Trust in own files: a new file is asked about once and left out without an answer; endless builds are cancelled."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import scenes
from app import cancellable_work, cli
from app.engine import commands
from app.engine.simulation import Simulation
from app.own_files import ask, discover, trust
from app.own_files.ask import TrustQuestions
from physics import BadInput
from tests.helpers import RAMP, write_own
from tests.tools.person import fresh_spots

LOOPS = RAMP.replace("    world.add_body(Plane(), kind=\"static\")\n", "    while True:\n        pass\n")
assert LOOPS != RAMP


@pytest.fixture
def ours(person, mine, tmp_path, monkeypatch):
    """The question in the window, about the files of a folder of its own."""
    monkeypatch.setenv("STICTION_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(trust, "place", lambda: tmp_path / "state" / trust.FILE_NAME)
    person.forget(TrustQuestions)
    person.session.state(TrustQuestions).on = True
    yield person
    person.forget(TrustQuestions)
    person.window.gui.panels.all["own_files"].open = False
    person.load("pyramid")


def said(person, words):
    return person.wait(lambda: any(words in message.text for message in person.session.messages), 20.0)


def test_the_window_asks_before_running_a_new_file(ours, tmp_path):
    path = write_own(tmp_path, "scenes/my_ball.py", RAMP)
    assert ours.wait(lambda: "own_files/run it" in fresh_spots(ours), 10.0)
    assert "my_ball" not in scenes.all_scenes() and "scenes.my_ball" not in sys.modules
    ours.click("own_files/run it")
    assert said(ours, "my_ball.py is now available") and "my_ball" in scenes.all_scenes()
    assert not ours.window.gui.panels.all["own_files"].open
    write_own(tmp_path, "scenes/my_ball.py", RAMP.replace("My ball", "Saved"))
    ours.wait(lambda: False, 1.2)
    assert "own_files/run it" not in fresh_spots(ours), "a file that is saved again is not asked about"
    assert discover.adopt(tmp_path) == [] and trust.TrustStore.load(trust.place()).of(path) is True


def test_a_declined_file_is_not_run_and_can_be_allowed_later(ours, tmp_path):
    write_own(tmp_path, "scenes/my_ball.py", RAMP)
    assert ours.wait(lambda: "own_files/leave it out" in fresh_spots(ours), 10.0)
    ours.click("own_files/leave it out")
    ours.wait(lambda: False, 1.2)
    assert "my_ball" not in scenes.all_scenes() and "scenes.my_ball" not in sys.modules
    assert "own_files/run it" not in fresh_spots(ours)
    ours.session.window.open_panel("own_files")
    ours.look(4)
    toggle = next(label for label in fresh_spots(ours) if "my_ball.py" in label)
    ours.click(toggle)
    assert said(ours, "my_ball.py is now available") and "my_ball" in scenes.all_scenes()


def test_later_asks_at_the_next_start(ours, tmp_path):
    path = write_own(tmp_path, "scenes/my_ball.py", RAMP)
    assert ours.wait(lambda: "own_files/later" in fresh_spots(ours), 10.0)
    ours.click("own_files/later")
    ours.wait(lambda: False, 1.2)
    assert "own_files/later" not in fresh_spots(ours) and "scenes.my_ball" not in sys.modules
    assert discover.adopt(tmp_path) == [path]


def test_an_own_panel_appears_in_the_window(ours, tmp_path):
    write_own(tmp_path, "panels/mine.py", 'import sys\nTITLE = "Mine"\n\n\ndef draw(session):\n    sys.exit(3)\n')
    assert ours.wait(lambda: "own_files/run it" in fresh_spots(ours), 10.0)
    ours.click("own_files/run it")
    assert said(ours, "mine.py is now available")
    assert ours.wait(lambda: any(name == "mine" for name, *_ in ours.session.panels), 5.0)
    assert said(ours, "the panel Mine was closed: 3"), "and whoever ends the program in it closes the panel alone"
    del ours.window.gui.panels.all["mine"]


def test_a_long_build_is_shown_and_can_be_cancelled(ours, mine, tmp_path):
    write_own(tmp_path, "scenes/my_ball.py", LOOPS)
    mine()
    session, world = ours.session, ours.session.simulation.world
    session.post(Simulation.load, "my_ball")
    assert ours.wait(lambda: "waiting/cancel" in fresh_spots(ours), 10.0), "the window goes on meanwhile"
    pictures = ours.window.pictures_drawn
    assert ours.wait(lambda: ours.window.pictures_drawn > pictures + 20, 10.0)
    ours.click("waiting/cancel")
    assert said(ours, "cancelled: 'My ball' was not built")
    assert session.simulation.world is world and session.frame.scene == "pyramid" and cancellable_work.at_work() is None
    session.post(Simulation.single_step)
    assert ours.wait(lambda: session.frame.step > 0, 10.0)


def test_state_after_a_cancelled_build(mine, monkeypatch):
    write_own(mine.folder, "scenes/my_ball.py", LOOPS)
    mine()
    simulation = Simulation("pyramid")
    commands.set_friction(simulation, 0.1)
    commands.bookmark_state(simulation)
    monkeypatch.setattr(discover, "MAX_LOAD_TIME", 0.3)
    before = simulation.world, simulation.bookmarked, simulation.edits, simulation.friction
    with pytest.raises(BadInput, match=r"my_ball\.py cannot be built: line 15: it takes longer than 0\.3 s"):
        simulation.load("my_ball")
    assert before == (simulation.world, simulation.bookmarked, simulation.edits, simulation.friction)
    assert simulation.scene_name == "pyramid" and simulation.step()


# ---- work within limits


@pytest.mark.parametrize(("text", "words"), [
    ("while True:\n    pass\n", "line 1: it takes longer than 0.3 s"),
    ("x = 1\nimport time\ntime.sleep(3600)\n", "line 3: it takes"),
    ("import sys\nsys.exit(0)\n", "line 2: it calls sys.exit"),
    ("raise KeyboardInterrupt\n", "line 1: it raises KeyboardInterrupt"),
    ("while True:\n    try:\n        pass\n    except BaseException:\n        pass\n", "line "),
    ("X = 1\n", "it defines no SCENE"), ("\nSCENE = 5\n", "line 2: SCENE is not a Scene(...)"),
    ("SCENE = (", "line 1: '(' was never"),
    (RAMP.replace('title="My ball"', "title=5"), "line 20: title of SCENE is not a string"),
    (RAMP.replace("build=build", "build=None"), "line 20: build of SCENE is not a function"),
    (RAMP.replace("build=build", "build=build, plots=3"), "line 20: plots of SCENE cannot be 3"),
    (RAMP.replace("build=build", "build=build, view='high'"), "line 20: view of SCENE cannot be 'high'"),
    (RAMP.replace("build=build", "build=build, show=(1,)"), "line 20: show of SCENE cannot be (1,)"),
    ("X = 1\0\n", "source code string cannot contain null bytes")])
def test_a_file_that_does_not_end_or_is_no_scene_is_left_out(mine, caplog, monkeypatch, text, words):
    monkeypatch.setattr(discover, "MAX_LOAD_TIME", 0.3)
    monkeypatch.setattr(cancellable_work, "CANCEL_GRACE", 0.3)
    path = write_own(mine.folder, "scenes/wrong.py", text)
    write_own(mine.folder, "scenes/my_ball.py", RAMP)
    mine()
    began = time.perf_counter()
    found = scenes.all_scenes()
    assert time.perf_counter() - began < 10.0 and "my_ball" in found and "wrong" not in found
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith(f"{path} is skipped: {words}"), told


def test_cancellable_work_reports_ends_and_nests():
    assert cancellable_work.run(lambda: cancellable_work.run(lambda: 3, "inner"), "outer") == 3
    assert cancellable_work.at_work() is None
    with pytest.raises(ZeroDivisionError):
        cancellable_work.run(lambda: 1 // 0, "wrong")
    seen = []

    def job():
        seen.append(cancellable_work.at_work().what)
        cancellable_work.at_work().cancel()
        while True:
            seen.append(cancellable_work.at_work().seconds)
    with pytest.raises(cancellable_work.WorkAbandoned) as ended:
        cancellable_work.run(job, "endless")
    assert seen[0] == "endless" and ended.value.cancelled and cancellable_work.at_work() is None
    count = len(seen)
    time.sleep(0.1)
    assert len(seen) == count, "it has ended"


# ---- who may run


def test_only_allowed_files_run_and_only_at_their_path(tmp_path, mine):
    answers = trust.TrustStore(tmp_path / "state" / "answers.json")
    one, two = (write_own(tmp_path, f"scenes/{name}.py", "raise SystemError") for name in ("a_one", "a_two"))
    assert discover.adopt(tmp_path, answers) == [one, two]
    answers.remember(one, False)
    answers.remember(two, True)
    assert trust.TrustStore.load(answers.path).known == answers.known
    assert discover.adopt(tmp_path, trust.TrustStore.load(answers.path)) == []
    assert discover.is_own(str(two)) and not discover.is_own(str(one))
    elsewhere = write_own(tmp_path, "received/scenes/a_two.py", "raise SystemError")
    assert discover.adopt(tmp_path / "received", answers) == [], "its name is taken"
    elsewhere = elsewhere.rename(elsewhere.with_name("a_three.py"))
    assert discover.adopt(tmp_path / "received", answers) == [elsewhere]
    two.unlink()
    discover.adopt(tmp_path, answers)
    write_own(tmp_path, "scenes/a_two.py", "raise SystemError")
    assert discover.adopt(tmp_path, answers) == [two], "what was gone is new when it comes back"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no such permissions")
@pytest.mark.parametrize("what", ["scenes/a_one.py", "scenes"])
def test_files_writable_by_others_are_left_out(tmp_path, mine, caplog, what):
    path = write_own(tmp_path, "scenes/a_one.py", "raise SystemError")
    os.chmod(tmp_path / what, 0o777)
    answers = trust.TrustStore(None, {trust.key(path): True})
    assert discover.adopt(tmp_path, answers) == [] and not discover.is_own(str(path))
    (told,) = [record.getMessage() for record in caplog.records]
    assert told == (f"{path} is skipped: other users can write to {tmp_path / what}: remove that permission (chmod go-w), and "
                    "inspect the file first")


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1, "runs": {"/a.py": 1}}', '{"format": 2, "runs": {}}', "[" * 100_000])
def test_damaged_answers_are_ignored(tmp_path, caplog, text):
    path = tmp_path / "answers.json"
    path.write_text(text)
    assert trust.TrustStore.load(path).known == {} and "you are asked again" in caplog.text
    path.write_text('{"format": 1, "runs": {"/a.py": true}}')
    assert trust.TrustStore.load(path).known == {"/a.py": True}
    os.chmod(path, 0o666)
    assert trust.TrustStore.load(path).known == {}


def test_bytecode_supplied_with_a_file_is_ignored(tmp_path, mine):
    import importlib.util
    import py_compile

    path = write_own(tmp_path, "scenes/my_ball.py", RAMP)
    other = write_own(tmp_path, "other.py", RAMP.replace("My ball", "No ball"))
    os.utime(other, (path.stat().st_mtime, path.stat().st_mtime))
    cache = Path(importlib.util.cache_from_source(str(path)))
    py_compile.compile(str(other), cfile=str(cache), dfile=str(path), invalidation_mode=py_compile.PycInvalidationMode.TIMESTAMP)
    mine()
    assert scenes.find("my_ball").title == "My ball"
    assert list(cache.parent.iterdir()) == [cache], "and none is made"


# ---- the command line


def command(tmp_path, *words, **how):
    surroundings = {**os.environ, "STICTION_DATA_DIR": str(tmp_path), "STICTION_STATE_DIR": str(tmp_path / "state"),
                    "PYTHONPATH": str(ask.__file__.rpartition("/app/")[0])}
    return subprocess.run([sys.executable, "-m", "app", *words], capture_output=True, text=True, env=surroundings, timeout=120.0,
                          cwd=tmp_path, **how)


def test_without_a_terminal_a_new_file_is_left_out_with_a_sentence(tmp_path):
    path = write_own(tmp_path, "scenes/my_ball.py", RAMP)
    done = command(tmp_path, "scenes", "pyramid", stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and done.stderr == (
        f"stiction: {path} is skipped: it is a new program and cannot be confirmed here; open the window, or run this in a "
        "terminal\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no such terminals")
def test_the_terminal_asks_once(tmp_path, monkeypatch):
    import pty

    write_own(tmp_path, "scenes/my_ball.py", RAMP)
    surroundings = {**os.environ, "STICTION_DATA_DIR": str(tmp_path), "STICTION_STATE_DIR": str(tmp_path / "state"),
                    "PYTHONPATH": str(ask.__file__.rpartition("/app/")[0])}
    found, asked = [], []
    for _ in range(2):
        ours, theirs = pty.openpty()
        with subprocess.Popen([sys.executable, "-m", "app", "scenes", "mine"], env=surroundings, stdin=theirs, stderr=theirs,
                              stdout=subprocess.PIPE, text=True) as process:
            os.write(ours, b"y\n")
            found.append(process.communicate(timeout=60.0)[0].split())
        os.close(theirs)
        asked.append(os.read(ours, 10_000).decode())    # what was typed is echoed, too
        os.close(ours)
    assert found == [["my_ball", "Mine", "My", "ball"]] * 2
    assert "my_ball.py is new. It is a program" in asked[0] and "[y/n]" in asked[0]
    assert asked[1].split() == ["y"]


def test_naming_a_file_allows_it(tmp_path, mine, monkeypatch, capsys):
    write_own(tmp_path, "my_ball.py", RAMP)
    done = command(tmp_path, "run", "my_ball.py", "--seconds", "0.05")
    assert done.returncode == 0 and done.stdout.startswith("My ball: 0.05 s in 12 steps"), done.stderr
    monkeypatch.setenv("STICTION_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("STICTION_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)

    def told(*words):
        code = cli.main(list(words))
        return code, *capsys.readouterr()

    assert "naming it" in told("run", "--help")[1] and not (tmp_path / "state").exists()
    wrong = ((RAMP.replace("SIZE = 0.1", "SIZE = 1/0"), "line 19: ZeroDivisionError: division by zero"),
             ("X = 1", "it defines no SCENE"), (RAMP.replace("Sphere(SIZE)", "Sphere(-SIZE)"), "line 16: BadInput: "),
             (RAMP.replace("SIZE = 0.1", "exit()"), "line 19: it calls sys.exit"))
    for k, (text, words) in enumerate(wrong):
        path = write_own(tmp_path, f"wrong_{k}.py", text)
        code, out, err = told("run", path.name)
        assert code == 2 and str(path) in err and words in err and "Traceback" not in err and not out, err
    taken = write_own(tmp_path, "pyramid.py", RAMP)
    code, _, err = told("run", str(taken))
    assert code == 2 and "the name is already used" in err
    assert "does not exist" not in err and told("run", "missing.py")[0] == 2
