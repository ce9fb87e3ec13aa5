"""`stiction distribute`: the same bits over MPI as in one process, a dead process, bad input, no MPI."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from app import commands
from app.analysis.studies import distribution
from tests.helpers import ROOT, command_line

MPI = pytest.mark.skipif(bool(distribution.missing()), reason="no MPI here")

pytestmark = pytest.mark.usefixtures("no_compilation")


def ended(capsys, *words):
    return command_line(capsys, "distribute", *words)


@pytest.mark.parametrize("lacking", ["find_spec", "mpiexec"])
def test_without_mpi_it_says_what_to_install(monkeypatch, capsys, lacking):
    monkeypatch.setattr(distribution, "find_spec", lambda name: None if lacking == "find_spec" else name)
    monkeypatch.setattr(distribution, "mpiexec", lambda: "")
    monkeypatch.setattr(commands.load("warm"), "ensure_kernels", lambda: pytest.fail("it compiled first"))
    code, out, err = ended(capsys, "four_bars")
    assert code == 3 and not out
    assert re.fullmatch(r"stiction: .* needs (mpi4py|the program mpiexec).*: run `.* install mpi.*`, or install mpi4py .*\n", err)


@pytest.mark.parametrize(("words", "said"), [
    (("four_bars", "--processes", "0"), "--processes must be 1 .. 1024"),
    (("four_bars", "--processes", "9"), "there are more processes than the tree of subsystems has parts for"),
    (("four_bars", "--solver", "soft_steps"), "only the subsystem method works in several processes"),
    (("four_bars", "--every", "0"), "--every = 0 must be a finite number greater than zero"),
    (("four_bars", "--checkpoint", "state"), "--checkpoint state must end with .toml"),
    (("four_bars", "--checkpoint", "a.toml", "--csv", "a.toml"), "--csv a.toml: .toml is the ending of scene files"),
    (("four_bars", "--checkpoint", "missing/a.toml"), "the folder does not exist")])
def test_bad_input_is_one_sentence_before_anything_is_started(monkeypatch, capsys, words, said):
    monkeypatch.setattr(distribution, "missing", lambda: "")
    monkeypatch.setattr(distribution, "launched", lambda *_: pytest.fail("it was started"))
    code, out, err = ended(capsys, *words)
    assert code == 2 and not out and said in err and err.count("\n") == 1


def test_a_process_gets_the_same_words_but_for_the_number(monkeypatch, capsys):
    monkeypatch.setattr(distribution, "missing", lambda: "")
    monkeypatch.setattr(sys, "argv", ["stiction", "distribute", "four_bars", "--processes", "2", "--seconds", "1"])
    seen = []
    monkeypatch.setattr(distribution, "launched", lambda words, count: seen.append((words, count)) or (9, ["a stray line"]))
    code, out, err = ended(capsys, *sys.argv[2:])
    assert seen == [(["distribute", "four_bars", "--seconds", "1"], 2)]
    assert code == 1 and not out
    assert err == "stiction: a process of the run died, and the run ended with it (exit code 9 of MPI)\n"


def started(*words):
    return subprocess.Popen([sys.executable, "-m", "app", "distribute", *words], cwd=ROOT, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


@MPI
def test_over_mpi_every_bit_is_that_of_one_process(tmp_path):
    job = started("four_bars", "--processes", "2", "--seconds", "0.3", "--option", "bodies=2", "--csv", str(tmp_path / "a.csv"))
    out, err = job.communicate(timeout=120)
    assert job.returncode == 0 and not err
    assert "0.3 s in 30 steps over 2 processes" in out and "60 evaluations" in out
    assert "2 messages and one gathering an evaluation" in out and "difference: none, every bit is equal" in out
    assert (tmp_path / "a.csv").read_text().count("\n") == 32


@MPI
def test_a_dead_process_ends_the_run_with_the_last_checkpoint(tmp_path):
    file = tmp_path / "last.toml"
    job = started("four_bars", "--processes", "2", "--seconds", "1000", "--checkpoint", str(file), "--every", "0.1")
    end = time.monotonic() + 120.0
    while not file.exists() and job.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    mine = f"^{sys.executable} -m mpi4py -m app distribute .*{file}"
    found = subprocess.run(["pgrep", "-f", mine], capture_output=True, text=True, check=True).stdout.split()
    assert len(found) == 2
    os.kill(int(found[-1]), signal.SIGKILL)
    out, err = job.communicate(timeout=60)
    assert job.returncode == 1 and "over 2 processes" not in out
    assert "a process of the run died" in err and f"the last checkpoint is {file}" in err and err.count("\n") == 1
    again = started(str(file), "--processes", "2", "--seconds", "0.05")
    out, err = again.communicate(timeout=120)
    assert again.returncode == 0 and "difference: none" in out, err
