"""start.py without installing anything: what it decides, what it says, how long it takes."""

import ast
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT


@pytest.fixture
def start(tmp_path):
    """start.py of a copy of the project in a temporary folder, as a module."""
    return load(copy(tmp_path / "a project"))


def copy(folder):
    folder.mkdir()
    for name in ("start.py", "requirements.lock", "requirements-dev.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "app", folder / "app", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def load(folder):
    spec = importlib.util.spec_from_file_location("start", folder / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pretend(start, level="run"):
    """As if installed: the stamp, and this Python as the environment's."""
    python = Path(start.PYTHON)
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    Path(start.STAMP).write_text(json.dumps(start.facts(level)))


def test_old_pythons_can_read_it():
    ast.parse((ROOT / "start.py").read_text(), feature_version=(3, 6))


def test_old_pythons_are_refused_with_a_sentence(start):
    script = Path(start.ROOT, "start.py")
    script.write_text(script.read_text().replace("sys.version_info < (3, 11)", "sys.version_info < (9, 9)"))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert done.returncode == 3 and "3.11" in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_files_have_hashes_and_no_addresses(name):
    text = (ROOT / name).read_text()
    assert not re.search(r"https?:|file:|--index|--find-links|/tmp|/home|/root|-c ", text)
    packages = re.split(r"\n(?=\S)", text.strip())
    assert all("--hash=sha256:" in package and "==" in package for package in packages)


def test_lock_files_contain_the_projects_dependencies():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locks = [set(re.findall(r"^[\w.-]+==\S+", (ROOT / name).read_text(), re.MULTILINE))
             for name in ("requirements.lock", "requirements-dev.lock")]
    assert locks[0] <= locks[1]
    for asked, lock in zip((project["dependencies"], project["optional-dependencies"]["dev"]), locks):
        names = {line.split("==")[0].lower() for line in lock}
        assert {re.match(r"[\w.-]+", wish)[0].lower() for wish in asked} <= names


def test_an_environment_is_used_only_if_everything_holds(start):
    assert not start.ready("run")
    pretend(start)
    assert start.ready("run") and not start.ready("dev")
    lock = Path(start.ROOT, "requirements.lock")
    lock.write_text(lock.read_text() + "\n")
    assert not start.ready("run")


@pytest.mark.parametrize("damage", ["stamp", "place", "python", "gone", "list"])
def test_a_broken_environment_is_noticed(start, damage):
    pretend(start)
    stamp = Path(start.STAMP)
    facts = json.loads(stamp.read_text())
    if damage == "stamp":
        stamp.write_text(stamp.read_text()[:20])
    elif damage == "list":
        stamp.write_text("[]")
    elif damage == "gone":
        Path(start.PYTHON).unlink()
        Path(start.PYTHON).symlink_to("/no/such/python")
    else:
        stamp.write_text(json.dumps({**facts, damage: "elsewhere"}))
    assert not start.ready("run")


@pytest.mark.parametrize("left, thrown_away", [("half made", True), ("other python", True), ("older lock", False),
                                               ("somebody's own", False)])
def test_existing_files_are_kept_or_replaced(start, monkeypatch, left, thrown_away):
    """A half-made environment goes; one that somebody made by hand is filled, not deleted."""
    pretend(start)
    mine = Path(start.VENV, "mine.txt")
    mine.touch()
    stamp = Path(start.STAMP)
    facts = json.loads(stamp.read_text())
    if left == "half made":
        stamp.rename(start.MAKING)
    elif left == "other python":
        stamp.write_text(json.dumps({**facts, "python": "3.10"}))
    elif left == "older lock":
        stamp.write_text(json.dumps({**facts, "run": "0"}))
    else:
        stamp.unlink()
    monkeypatch.setattr(start, "make_venv", lambda: pretend(start))
    monkeypatch.setattr(start, "pip", lambda level, log: None)
    start.install("run")
    assert start.ready("run") and mine.exists() != thrown_away
    assert not Path(start.MAKING).exists()


def test_a_killed_upgrade_is_repeated(start, monkeypatch):
    pretend(start)

    def killed(level, log):
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "pip", killed)
    with pytest.raises(KeyboardInterrupt):
        start.install("dev")
    assert not start.ready("run") and Path(start.MAKING).exists()


@pytest.mark.parametrize("said, remedy", [
    ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "try again"),
    ("WARNING: Retrying ... NewConnectionError('...: Failed to establish a new connection')\n"
     "ERROR: No matching distribution found for numba==0.68.1", "network"),
    ("ERROR: No matching distribution found for numba==0.68.1", "64-bit Python"),
    ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "free space"),
    ("ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'", "copy the project"),
    ("something\nERROR: strange things happen.", "strange things happen (details in install.log)"),
    ("", "install.log"),
])
def test_every_failure_of_pip_is_a_sentence(start, said, remedy):
    sentence = start.pip_trouble(said)
    assert remedy in sentence and "\n" not in sentence


def test_without_a_venv_module_the_remedy_is_named(start, monkeypatch):
    monkeypatch.setattr(start, "finished", lambda command: (1, "ensurepip is not available"))
    monkeypatch.setattr(start.shutil, "which", lambda name: "/usr/bin/" + name)
    with pytest.raises(start.Stop, match="sudo apt install python3-venv"):
        start.make_venv()


def test_no_display_and_no_rights_name_the_command(start, monkeypatch):
    monkeypatch.setattr(start.sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(start.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(start.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    with pytest.raises(start.Stop, match="sudo apt-get install -y --no-install-recommends xvfb") as stop:
        start.needs_display()
    assert stop.value.code == 3


@pytest.mark.parametrize("error, code", [(OSError(28, "No space left on device"), 3), (PermissionError(13, "no"), 3),
                                         (KeyboardInterrupt(), 130), (ValueError("oops"), 1)])
def test_never_a_traceback(start, monkeypatch, capsys, error, code):
    def broken(words):
        raise error

    monkeypatch.setattr(start, "main", broken)
    handler = signal.getsignal(signal.SIGTERM)
    try:
        assert start.guarded([]) == code
    finally:
        signal.signal(signal.SIGTERM, handler)
    said = capsys.readouterr().err
    assert said.count("\n") == (code != 130) and "Traceback" not in said


def test_extras_go_into_the_environment_without_a_pip_of_its_own(start, monkeypatch, capsys):
    pretend(start)
    asked = []
    monkeypatch.setattr(start, "finished", lambda command: (1, "No module named pip"))
    monkeypatch.setattr(start, "started", lambda command, **how: asked.append(command) or subprocess.Popen(
        [sys.executable, "-c", "print('Collecting imageio-ffmpeg')"], text=True, stdout=subprocess.PIPE))
    assert start.main(["install", "video"]) == 0
    assert asked[0][:5] == [start.MACHINE_PYTHON, "-m", "pip", "--python", start.PYTHON] and asked[0][5] == "install"
    assert asked[0][-1].startswith("imageio-ffmpeg") and "--require-hashes" not in asked[0]
    assert "installed: imageio-ffmpeg" in capsys.readouterr().err
    monkeypatch.setattr(start, "install", lambda level: pytest.fail("first it is known what is asked for"))
    for words, said in ((["video", "vidoe"], "there is no extra 'vidoe'; choose from bench"), ([], "what to install is missing")):
        with pytest.raises(start.Stop, match=said) as stop:
            start.main(["install", *words])
        assert stop.value.code == 2


def test_help_needs_no_installation(start):
    done = subprocess.run([sys.executable, str(Path(start.ROOT, "start.py")), "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "examples:" in done.stdout
    assert not Path(start.VENV).exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no exec")
def test_a_second_start_is_quick(start):
    """Against starting the command without start.py; the best of five each, 0.15 s of processor time allowed."""
    pretend(start)
    script = Path(start.ROOT, "start.py")
    direct = [sys.executable, "-P", "-m", "app", "--version"]
    environment = {**os.environ, "PYTHONPATH": start.ROOT}

    def best(command):
        times = []
        for _ in range(5):
            begin = sum(os.times()[2:4])     # of processes that have ended
            subprocess.run(command, env=environment, check=True, capture_output=True)
            times.append(sum(os.times()[2:4]) - begin)
        return min(times)

    assert best([sys.executable, str(script), "--version"]) - best(direct) < 0.15


@pytest.mark.skipif(os.name == "nt", reason="the lock is tested where flock is")
def test_two_installations_take_turns(start):
    import fcntl

    with start.only_one(), open(start.LOG) as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with open(start.LOG) as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
