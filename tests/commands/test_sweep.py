"""`stiction sweep`: the same table from any number of processes, after kill -9 and Ctrl+C; bad input; missing extras."""

import asyncio
import importlib
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from app import cli, commands
from app.analysis.studies import sweep as study
from app.analysis.studies import sweep_workers
from app.build_scene import Choices
from app.files import append_rows
from physics import BadInput
from tests.helpers import ROOT, command_line

POSIX = pytest.mark.skipif(os.name == "nt", reason="no signals of this sort")
VARIED = ("--vary", "angle=5:40:4", "--vary", "facets=4,circle")
SECONDS = "2.0"     # long enough that a process on a busy machine is interrupted before it ends
WORDS = ("sweep", "incline", *VARIED, "--measure", "world.kinetic:max", "--seconds", SECONDS, "--workers")

pytestmark = pytest.mark.usefixtures("no_compilation")


@pytest.fixture(scope="module")
def expected():
    """The table, from this process alone."""
    sweep = study.plan(study.Base("incline", (), Choices(), float(SECONDS), 1.0 / 240.0), VARIED[1::2], ["world.kinetic:max"])
    rows = [sweep.header(), *(study.row_of(sweep, point) for point in sweep.points())]
    return b"".join(map(append_rows.as_line, rows))


def started(path):
    """A process of its own that Ctrl+C interrupts, also where the tests run in the background, for which shells ignore it."""
    return subprocess.Popen([sys.executable, "-m", "app", *WORDS, "1", "--out", str(path)], cwd=ROOT, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)},
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def wait_for_rows(path, count):
    end = time.monotonic() + 120.0
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < end, "no rows"
        time.sleep(0.002)


def test_one_process_gives_the_table(tmp_path, capsys, expected):
    code, out, err = command_line(capsys, *WORDS, "1", "--out", str(tmp_path / "a.csv"))
    assert code == 0 and "8 run now" in out and "0 failed" in out and not err
    assert (tmp_path / "a.csv").read_bytes() == expected and [one.name for one in tmp_path.iterdir()] == ["a.csv"]
    code, out, _ = command_line(capsys, *WORDS, "1", "--out", str(tmp_path / "a.csv"))
    assert code == 0 and "0 run now" in out and (tmp_path / "a.csv").read_bytes() == expected


@POSIX
def test_a_table_that_was_killed_and_interrupted_is_completed_by_two_processes(tmp_path, capsys, expected):
    """No row is lost or doubled: those before the kill stay as they are, a half line is cut off."""
    path = tmp_path / "a.csv"
    killed = started(path)
    wait_for_rows(path, 4)
    killed.kill()
    killed.communicate()
    kept = path.read_bytes()
    path.write_bytes(kept + b"5.0,4,0.12")
    interrupted = started(path)
    wait_for_rows(path, kept.count(b"\n") + 1)
    interrupted.send_signal(signal.SIGINT)
    out, err = interrupted.communicate(timeout=60.0)
    assert (interrupted.returncode, out, err) == (130, b"", b"")
    path_rows = path.read_bytes().count(b"\n")
    assert path.read_bytes().startswith(kept) and path_rows < 9
    code, out, err = command_line(capsys, *WORDS, "2", "--out", str(path))
    assert code == 0 and f"{9 - path_rows} run now" in out and not err and path.read_bytes() == expected


@pytest.mark.parametrize("words, said", [
    (("--vary", "angel=1:2:2"), "did you mean 'angle'"), (("--vary", "angle="), "empty"), (("--vary", "angle=nan"), "not finite"),
    (("--vary", "angle=1:2:0"), "empty"), (("--vary", "angle=1", "--measure", "stop_distance"), "no such measure"),
    (("--vary", "angle=1", "--workers", "0"), "--workers"), (("--vary", "angle=1", "--seconds", "nan"), "--seconds"),
    (("--vary", "angle=1", "--set", "mu=9"), "mu"), (("--vary", "angle=1", "--option", "x=9"), "unknown option"), ((), "--vary")])
def test_bad_input_is_one_line_and_exit_2(tmp_path, capsys, words, said):
    code, out, err = command_line(capsys, "sweep", "incline", *words, "--out", str(tmp_path / "a.csv"))
    assert code == 2 and said in err and err.count("\n") == 1 and not out and not list(tmp_path.iterdir())


def test_an_output_that_cannot_be_written_is_bad_input(tmp_path, capsys):
    (tmp_path / "other.csv").write_text("time [s],x [m]\n0,1\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\n")
    places = {"missing/a.csv": "does not exist", ".": "folder", "other.csv": "--overwrite", "binary": "not a table"}
    for name, said in places.items():
        code, _, err = command_line(capsys, *WORDS, "1", "--out", str(tmp_path / name))
        assert code == 2 and said in err and err.count("\n") == 1, err
    assert (tmp_path / "other.csv").read_text() == "time [s],x [m]\n0,1\n"
    code, _, err = command_line(capsys, *WORDS, "1", "--out", "-")
    assert code == 2 and "is not a file" in err


def test_without_dask_the_command_says_what_to_install(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(commands.load("sweep"), "find_spec", lambda name: None)
    code, _, err = command_line(capsys, *WORDS, "1", "--out", str(tmp_path / "a.csv"), "--scheduler", "tcp://localhost:1")
    assert code == 3 and " install " in err and err.count("\n") == 1 and not list(tmp_path.iterdir())


def test_scheduler_and_workers_of_an_installation_import_it_before_anything_is_asked_of_them(monkeypatch):
    """In an installation `app` is a name only after `import stiction`; Dask unpickles our functions by that name."""
    done = []

    class Client:
        def __init__(self, *args, **more):
            self.nthreads, self.get_executor = lambda: {"worker": 1}, lambda pure: None

        def run_on_scheduler(self, function, name):
            done.append(("scheduler", function, name))

        def register_worker_callbacks(self, setup):
            done.append(("workers", setup.func, *setup.args))

        def run(self, function):
            done.append(("asked",))
            return {"worker": function()}

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Client))
    monkeypatch.setitem(sys.modules, "distributed.scheduler", SimpleNamespace(KilledWorker=RuntimeError))
    monkeypatch.setattr(sweep_workers, "find_spec", lambda name: name == "stiction")
    monkeypatch.setattr(sweep_workers, "_greet", lambda address: asyncio.sleep(0.0))
    with socket.create_server(("127.0.0.1", 0)) as there:
        sweep_workers.ClusterWorkers(f"tcp://127.0.0.1:{there.getsockname()[1]}")
    load = importlib.import_module
    assert done == [("scheduler", load, "stiction"), ("workers", load, "stiction"), ("asked",)]


def test_something_else_at_the_address_of_a_scheduler_is_bad_input(monkeypatch):
    """A client of Dask waits for ever there; port 8787, a scheduler's page for the browser, is a common slip."""
    async def connect(address, timeout):
        await asyncio.sleep(60.0)

    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=None))
    monkeypatch.setitem(sys.modules, "distributed.scheduler", SimpleNamespace(KilledWorker=RuntimeError))
    monkeypatch.setitem(sys.modules, "distributed.core", SimpleNamespace(connect=connect))
    monkeypatch.setattr(sweep_workers, "CONNECT_TIME", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as there, pytest.raises(BadInput, match="no scheduler answers there"):
        sweep_workers.ClusterWorkers(f"tcp://127.0.0.1:{there.getsockname()[1]}")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "tcp://127.0.0.1:port", "http://127.0.0.1:8787"])
def test_a_scheduler_that_is_not_there_is_bad_input(tmp_path, capsys, address):
    pytest.importorskip("distributed")
    code, _, err = command_line(capsys, *WORDS, "1", "--out", str(tmp_path / "a.csv"), "--scheduler", address)
    assert code == 2 and address in err and err.count("\n") == 1 and not list(tmp_path.iterdir())


BREAKS = """from dataclasses import dataclass

from physics import Box, option
from scenes import Scene


@dataclass
class Parameters:
    size: float = option(1.0, lo=0.1, hi=9.0, help="Size.")


def build(world, parameters):
    if parameters.size > 2.0:
        raise ValueError("too large")
    world.add_body(Box((parameters.size,) * 3), name="box")


SCENE = Scene(title="Breaks", category="Mine", look_for="", law="", law_text="", build=build, parameters=Parameters)
"""


def test_points_that_failed_are_told_by_the_exit_code(tmp_path, capsys, mine):
    """Also where they failed in an earlier run of the same command; the whole ones are kept."""
    (tmp_path / "breaks.py").write_text(BREAKS)
    words = ("sweep", str(tmp_path / "breaks.py"), "--vary", "size=1,2,3,4", "--measure", "world.energy:end", "--seconds", "0.01",
             "--workers", "1", "--out", str(tmp_path / "a.csv"))
    for run_now in ("4 run now", "0 run now"):
        code, out, err = command_line(capsys, *words)
        assert code == 1 and run_now in out and "2 failed" in out
        assert err.count("\n") == 1 and err.startswith("stiction: 2 of 4 points failed")
    assert (tmp_path / "a.csv").read_text().count("too large") == 2


@POSIX
def test_two_sweeps_do_not_write_one_file(tmp_path, capsys):
    with append_rows.AppendedRows(tmp_path / "a.csv"):
        code, _, err = command_line(capsys, *WORDS, "1", "--out", str(tmp_path / "a.csv"))
    assert code == 2 and "another process" in err


def test_examples_of_the_help_can_be_run(tmp_path):
    """A name in them may belong to a scene that has changed since."""
    sweep, parser, tried = commands.load("sweep"), cli.Parser(), 0
    sweep.arguments(parser)
    for line in sweep.EXAMPLES.splitlines():
        if line.startswith("  stiction sweep") and ".toml" not in line:
            words = shlex.split(line.removeprefix("  stiction sweep ").replace("--out ", f"--out {tmp_path}/"))
            assert len(sweep.planned(parser.parse_args(words)))
            tried += 1
    assert tried >= 4
