"""Exit codes of commands with missing, irregular or full files; each error is one sentence with the file's name."""

import contextlib
import os
import py_compile
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app import cli
from app.engine import commands
from app.engine.recording.journal import Journal
from app.engine.simulation import Simulation
from app.files import atomic_write
from app.gui.shell import settings
from physics import solvers
from tests.helpers import ROOT

POSIX = pytest.mark.skipif(os.name == "nt", reason="no pipes, limits and signals of this sort")
OUTPUTS = (("run", "incline", "--seconds", "0.05", "--csv"), ("run", "incline", "--seconds", "0.05", "--wav"),
           ("run", "incline", "--seconds", "0.05", "--parquet"), ("render", "incline", "--size", "64x64", "--png"),
           ("render", "incline", "--size", "64x64", "--video"), ("record", "incline", "--seconds", "0.05", "--out"),
           ("truth", "--list", "--write"), ("view", "incline", "--seconds", "1", "--screenshot"))
WRITING = tuple(words for words in OUTPUTS if words[0] in ("run", "record"))


def ended(capsys, *words):
    """(exit code, what a person reads of it) of a command in this process."""
    code = cli.main(list(words))
    told = capsys.readouterr()
    return code, told.out, told.err


def command(*words, env=(), without=()):
    """The same in a process of its own."""
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT), **dict(env)}
    for name in without:
        surroundings.pop(name, None)
    return subprocess.run([sys.executable, "-m", "app", *words], capture_output=True, text=True, timeout=300.0,
                          stdin=subprocess.DEVNULL, env=surroundings)


# ---- nothing to do


def test_a_run_of_zero_steps_succeeds(tmp_path, capsys):
    path = tmp_path / "a.csv"
    code, out, err = ended(capsys, "run", "chain", "--seconds", "0", "--csv", str(path), "--wav", str(tmp_path / "a.wav"))
    assert code == 0 and not err and len(path.read_text().splitlines()) == 2
    lines = out.splitlines()
    assert lines[0].endswith("0 s in 0 steps with sequential impulses")
    assert len(lines) > 1 and all("not reached yet" in line for line in lines[1:])


@pytest.mark.parametrize("words", [("run", "incline", "--seconds", "-1"), ("run", "incline", "--seconds", "nan"),
                                   ("record", "incline", "--seconds", "0"), ("run", "incline", "--dt", "0")])
def test_an_invalid_time_is_bad_usage(capsys, words):
    code, _, err = ended(capsys, *words)
    assert code == 2 and words[2] in err and err.count("\n") == 1


@pytest.fixture
def opened(monkeypatch):
    """What `stiction view` opened, instead of opening it."""
    opened = []
    monkeypatch.setattr("app.splash.show", lambda: opened.append("card") or (lambda: None))
    monkeypatch.setattr("app.startup.open_window", lambda *args, **kwargs: opened.append("window") or 0)
    return opened


@pytest.mark.parametrize(("name", "sentence"), [
    ("inclin", "unknown scene 'inclin'; did you mean incline"), ("wrong_scene", "unknown scene 'wrong_scene'"),
    ("tipping-or-sliding", "did you mean tipping_or_sliding"), ("incline.tml", "did you mean incline"),
    ("truth.wrong", "unknown experiment 'wrong'"), ("maps.wrong", "unknown scene 'maps.wrong'"),
    ("wrong.toml", "wrong.toml: No such file"), ("wrong.stiction", "wrong.stiction: No such file")])
def test_an_unknown_scene_is_refused_before_a_window_opens(capsys, opened, name, sentence):
    code, _, err = ended(capsys, "view", name)
    assert code == 2 and not opened
    assert sentence in err and err.count("\n") == 1


def test_scenes_of_files_and_recordings_open_a_window(capsys, opened, tmp_path):
    recording, file = tmp_path / "lesson.stiction", tmp_path / "lesson.toml"
    recording.write_bytes(b"")
    file.write_text('format = 1\nscene = "incline"\n')
    for name in ("incline", "truth.conical", str(file), str(recording)):
        assert ended(capsys, "view", name)[0] == 0 and opened == ["card", "window"]
        opened.clear()


def test_an_unknown_solver_is_refused_before_a_window_opens(capsys, opened):
    code, _, err = ended(capsys, "view", "incline", "--solver", "wrong_name")
    assert code == 2 and not opened
    assert "--solver" in err and "'wrong_name'" in err and all(name in err for name in solvers.available())
    assert ended(capsys, "view", "incline", "--solver", "soft_steps")[0] == 0 and opened == ["card", "window"]


# ---- what is no file


@POSIX
@pytest.mark.parametrize("words", OUTPUTS, ids=" ".join)
def test_output_never_replaces_a_pipe_device_or_folder(tmp_path, capsys, words):
    os.mkfifo(tmp_path / "pipe.mp4")
    (tmp_path / "folder").mkdir()
    places = {"pipe.mp4": "is a pipe", "folder": "is a folder", "missing/a.mp4": "the folder does not exist"}
    try:
        os.mknod(tmp_path / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        places["device"] = "is a device"
    except OSError:     # only few may
        pass
    before = {path: path.stat().st_mode for path in tmp_path.iterdir()}
    for name, said in places.items():
        code, _, err = ended(capsys, *words, str(tmp_path / name))
        assert code == 2 and str(tmp_path / name) in err and said in err and err.count("\n") == 1, err
    assert {path: path.stat().st_mode for path in tmp_path.iterdir()} == before


@POSIX
def test_no_writer_replaces_a_pipe_device_or_folder(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "part").write_bytes(b"1")
    for write in (lambda: atomic_write.write(tmp_path / "pipe", b"1"), lambda: atomic_write.leftovers(tmp_path / "pipe"),
                  lambda: atomic_write.put_in_place(tmp_path / "part", tmp_path / "pipe")):
        with pytest.raises(OSError, match="is a pipe") as refused:
            write()
        assert cli.explain(refused.value) == (f"{tmp_path / 'pipe'}: is a pipe: specify a regular file", 2)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@POSIX
@pytest.mark.parametrize("words", [("replay", "--headless"), ("check",), ("view", "--seconds", "1"), ("run",)])
def test_input_from_a_pipe_or_a_device_is_refused_at_once(tmp_path, capsys, words):
    suffix = ".py" if words[0] == "run" else ".stiction"
    pipe, device = tmp_path / f"pipe{suffix}", tmp_path / f"device{suffix}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path, said in ((pipe, "is a pipe"), (device, "is a device"), (tmp_path / f"missing{suffix}", "No such file")):
        code, out, err = ended(capsys, words[0], str(path), *words[1:])
        if code == 3 and words[0] == "view":
            pytest.skip("no window here")
        assert code == 2 and str(path) in out + err and said in out + err and (out + err).count("\n") == 1, out + err


# ---- a disk that is full


@contextlib.contextmanager
def full(monkeypatch):
    """No file may become larger than this: what a full disk does, too."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)       # Pythons before 3.12.8 would keep a part of a module's
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@POSIX
@pytest.mark.parametrize("words", WRITING, ids=" ".join)
def test_a_full_disk_is_reported_with_the_file_name(tmp_path, capsys, monkeypatch, words):
    path = tmp_path / "a.stiction" if words[0] == "record" else tmp_path / "a.out"
    path.write_text("before")
    words = [word.replace("0.05", "2") for word in words]
    with full(monkeypatch):
        code, _, err = ended(capsys, *words, str(path))
    if "too large" not in err:
        assert code == 0, err    # it is smaller than that
        assert path.stat().st_size <= 4096
        return
    assert code == 3 and err == f"stiction: {path}: File too large\n"
    assert list(tmp_path.iterdir()) == [path] and path.read_text() == "before"


def test_bytecode_that_a_full_disk_cut_off_is_removed(tmp_path, capsys, monkeypatch):
    """Else every start would end in it."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    whole, cut = (Path(py_compile.compile(str(ROOT / "app" / name))) for name in ("camera.py", "cli.py"))
    cut.write_bytes(cut.read_bytes()[:400])
    said = cli.explain(EOFError("marshal data too short"))
    assert said == (f"{cut}: only a part was written, as on a full disk; it is removed: repeat the command", 3)
    assert whole.exists() and not cut.exists()
    assert cli.explain(EOFError("marshal data too short"))[0].startswith("internal error: EOFError"), "there is nothing to remove"


def no_room(*args):
    raise OSError(28, "No space left on device")


def test_settings_journals_and_pictures_survive_a_full_disk(tmp_path, monkeypatch, caplog):
    import numpy as np

    from app.render.opengl.offscreen import write_png

    simulation = Simulation("incline")
    monkeypatch.setattr(os, "fsync", no_room)
    made = Journal(tmp_path / "journal", simulation)
    simulation.history.listener = made
    made.on_begin(simulation.moment(0))
    end = time.perf_counter() + 10.0
    while not (told := [text for text in simulation.messages if "No space left" in text]) and time.perf_counter() < end:
        simulation.step()
        time.sleep(0.02)
    made.close()
    assert len(told) == 1 and str(made.path) in told[0] and simulation.step()
    with pytest.raises(OSError) as refused:
        write_png(tmp_path / "a.png", np.zeros((4, 4, 3), np.uint8))
    assert cli.explain(refused.value) == (f"{tmp_path / 'a.png'}: No space left on device", 3)
    assert not list(tmp_path.glob("*.png")) and not list(tmp_path.glob(".*"))
    (tmp_path / "settings.toml").write_bytes(b"\xff")
    assert settings.load(tmp_path / "settings.toml")[1].endswith(f"the old file is kept as {tmp_path / 'settings.toml'}")


def test_a_recording_continues_after_a_full_disk(tmp_path, monkeypatch):
    from app.files.atomic_write import write
    from physics import BadInput

    simulation = Simulation("incline")
    commands.start_recording(simulation)
    for _ in range(5):
        simulation.step()
    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(BadInput, match=r"cannot write .*a\.stiction; no data is lost: No space left on device"):
        commands.save_recording(simulation, tmp_path / "a.stiction", write)
    assert simulation.recorder.since == 0 and not list(tmp_path.iterdir())


# ---- what a machine lacks


@pytest.mark.parametrize("words", [("view", "incline", "--seconds", "1"), ("render", "incline", "--size", "64x64", "--png")])
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Mesa's variable")
def test_opengl_before_3_3_is_reported(tmp_path, words):
    path = tmp_path / "a.png"
    words = (*words, str(path)) if words[0] == "render" else words
    done = command(*words, env={"MESA_GL_VERSION_OVERRIDE": "2.1"})
    if done.returncode == 0:
        pytest.skip("these drivers do not listen to it")
    assert done.returncode == 3 and done.stderr.startswith("stiction: OpenGL 3.3 is not available"), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert not path.exists()


@POSIX
def test_commands_work_without_a_home_folder(tmp_path):
    names = ("HOME", *(name for name in os.environ if name.startswith("XDG_") or name == "STICTION_CONFIG_DIR"))
    done = command("run", "incline", "--seconds", "0.05", "--csv", str(tmp_path / "a.csv"), without=names)
    assert done.returncode == 0 and (tmp_path / "a.csv").exists(), done.stderr
    assert command("scenes", "pyramid", without=names).stdout.split() == ["pyramid", "Stacks", "Pyramid"]


def test_python_without_asserts_refuses_the_same():
    """Nothing in the program relies on an assert."""
    refused = ((("run", "incline", "--seconds", "-1"), "--seconds"), (("run", "incline", "--set", "angle=1e9"), "angle"),
               (("replay", __file__, "--headless"), "is not a recording"))
    code = ("import ast, sys\nfrom app import cli\nassert False\n"
            "print([cli.main(list(words)) for words in ast.literal_eval(sys.argv[1])])")
    asked = [*(words for words, _ in refused), ("run", "incline", "--seconds", "0.05")]
    done = subprocess.run([sys.executable, "-O", "-c", code, repr(asked)], capture_output=True, text=True, timeout=300.0,
                          stdin=subprocess.DEVNULL, cwd=ROOT)
    told = done.stderr.splitlines()
    assert len(told) == len(refused) and all(said in line for (_, said), line in zip(refused, told)), done.stderr
    assert "no violation in 12 steps" in done.stdout and done.stdout.endswith("[2, 2, 2, 0]\n"), done.stdout
