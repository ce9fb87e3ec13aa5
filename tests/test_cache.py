"""The cache of compiled kernels: damage, edits, unwritable folders and several processes at once."""

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from physics.core import cache

ROOT = Path(__file__).resolve().parents[1]
HELPER = """
from physics.core.jit import inline


@inline
def twice(x):
    return 2.0 * x
"""
KERNEL = """
from physics.core.jit import kernel
from physics.helper import twice


@kernel
def total(values):
    result = 0.0
    for i in range(values.shape[0]):
        result += twice(values[i])
    return result
"""
SMALL = """
import numpy as np
from physics.small import total
print("total", total(np.arange(4.0)), "hits", sum(total.stats.cache_hits.values()))
"""
COLD, LOADED = "total 12.0 hits 0", "total 12.0 hits 1"


@pytest.fixture
def run(tmp_path):
    """Run a piece of code in a fresh process with a cache of its own, over a small `physics`; what it printed."""
    return runner(tmp_path)


@pytest.fixture(scope="module")
def seed(tmp_path_factory):
    """Where a process has compiled and published once."""
    folder = tmp_path_factory.mktemp("seed")
    assert runner(folder)() == COLD
    return folder


@pytest.fixture
def run_warm(tmp_path, seed):
    """As `run`, with everything compiled before."""
    shutil.copytree(published(seed), tmp_path / published(seed).name)
    return lambda: subprocess.run(**command(seed, SMALL, tmp_path), capture_output=True, check=True).stdout.strip()


def runner(tmp_path):
    sources = tmp_path / "sources" / "physics"
    shutil.copytree(ROOT / "physics" / "core", sources / "core", ignore=shutil.ignore_patterns("__pycache__"))
    (sources / "__init__.py").touch()
    (sources / "helper.py").write_text(HELPER)
    (sources / "small.py").write_text(KERNEL)

    def run(code=SMALL, folder=tmp_path):
        done = subprocess.run(**command(tmp_path, code, folder), capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def command(tmp_path, code, folder=None):
    """Arguments of subprocess for a piece of code."""
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "sources"), "STICTION_CACHE_DIR": str(folder or tmp_path)}
    return {"args": [sys.executable, "-P", "-c", code], "env": environment, "text": True}


def published(folder):
    (path,) = Path(folder).glob("kernels-*")
    return path


def code_files(folder):
    return sorted(published(folder).rglob("*.nbc"))


def test_second_process_loads_what_the_first_compiled(tmp_path, run_warm):
    assert run_warm() == LOADED
    assert not list(tmp_path.glob("run-*")), "each process removes its own folder"


@pytest.mark.parametrize("damage", ["bit", "cut", "gone", "index", "manifest", "no manifest", "extra text"])
def test_damage_costs_a_recompilation_and_nothing_else(tmp_path, run_warm, damage):
    victim = code_files(tmp_path)[0]
    if damage == "index":
        victim = next(published(tmp_path).rglob("*.nbi"))
    if damage in ("manifest", "no manifest", "extra text"):
        victim = published(tmp_path) / cache.MANIFEST
    data = bytearray(victim.read_bytes())
    victim.unlink()
    if damage not in ("gone", "no manifest"):
        if damage == "cut" or damage == "manifest":
            data = data[: len(data) // 2]
        elif damage == "extra text":
            data = b"[1, 2]"
        else:
            data[len(data) // 2] ^= 16
        victim.write_bytes(data)
    assert run_warm() == COLD
    assert cache._copy_published(published(tmp_path), tmp_path / "own") is False, "whole again, compiled in passing"
    assert list((tmp_path / "own").rglob("*.nbc"))


def test_every_bit_of_the_code_is_checked(tmp_path, run_warm):
    """A hundred flipped bits, each noticed before numba sees the file."""
    (victim,) = [f for f in code_files(tmp_path) if "total" in f.name]
    good = victim.read_bytes()
    own = tmp_path / "own"
    random = np.random.default_rng(0)
    manifest = (published(tmp_path) / cache.MANIFEST).read_bytes()
    place = published(tmp_path)
    for bit in random.integers(0, 8 * len(good), 100):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << (bit % 8)
        place.mkdir(parents=True, exist_ok=True)
        (place / cache.MANIFEST).write_bytes(manifest)
        victim.parent.mkdir(exist_ok=True)
        victim.write_bytes(bad)
        assert not cache._copy_published(place, own)
        assert not list(own.rglob("*.nb?")) and not place.exists()


def test_an_edit_of_any_physics_file_changes_the_key(tmp_path, monkeypatch):
    sources = tmp_path / "physics"
    (sources / "core").mkdir(parents=True)
    helper = sources / "core" / "vec.py"
    helper.write_text("ONE = 1.0\n")
    monkeypatch.setattr(cache, "_PHYSICS", sources)
    before = cache.key()
    assert cache.key() == before
    helper.write_text("ONE = 2.0\n")
    edited = cache.key()
    helper.rename(sources / "vec.py")
    assert len({before, edited, cache.key()}) == 3


@pytest.mark.parametrize("flag", ["NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DISABLE_JIT", "NUMBA_LOOP_VECTORIZE"])
def test_flags_of_numba_are_in_the_key(monkeypatch, flag):
    before = cache.key()
    monkeypatch.setenv(flag, "0" if os.environ.get(flag) == "1" else "1")
    assert cache.key() != before
    monkeypatch.setenv("NUMBA_DEBUG_CACHE", "1")


def test_where_the_folder_is_does_not_matter_to_the_key(monkeypatch):
    before = cache.key()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    monkeypatch.setenv("STICTION_CACHE_DIR", "/elsewhere")
    assert cache.key() == before


def test_without_a_writable_home_kernels_still_run(tmp_path, run):
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    somewhere = locked / "deeper" if os.geteuid() else Path("/proc/nowhere")  # nothing is locked to root but /proc
    asked = SMALL + "\nfrom physics.core import cache\nprint(cache.is_kept(), cache.seal())"
    assert run(asked, folder=somewhere) == COLD + "\nFalse False"
    locked.chmod(stat.S_IRWXU)


def test_a_full_disk_while_compiling_is_survived(tmp_path, run):
    """numba lets the error of the write escape to the caller of the kernel; `physics.core.jit` does not."""
    code = SMALL.replace("print", "import errno\n"
                         "from numba.core.caching import IndexDataCacheFile as File\n"
                         "def full(self, key, data):\n    raise OSError(errno.ENOSPC, 'No space left on device')\n"
                         "File.save = full\nprint", 1)
    assert run(code) == COLD


def test_processes_at_once_do_not_harm_one_another(tmp_path, run):
    crowd = [subprocess.Popen(**command(tmp_path, SMALL), stdout=subprocess.PIPE) for _ in range(4)]
    assert all(process.communicate()[0].startswith("total 12.0") and process.returncode == 0 for process in crowd)
    assert run() == LOADED
    assert not list(tmp_path.glob("run-*"))


def test_a_killed_process_leaves_nothing_for_long(tmp_path, run):
    killed = SMALL + "\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run(**command(tmp_path, killed), capture_output=True)
    assert list(tmp_path.glob("run-*")) and not list(tmp_path.glob("kernels-*"))
    assert run() == COLD
    assert not list(tmp_path.glob("run-*"))


def test_a_later_specialisation_is_added_to_the_complete_set(tmp_path, run):
    sealed = SMALL + "\nfrom physics.core import cache\nassert cache.seal() and cache.is_warm()"
    more = SMALL + "\ntotal(np.arange(4))"
    asked = SMALL + "\nfrom physics.core import cache\nprint(cache.is_warm())"
    run(asked)
    assert run(asked) == LOADED + "\nFalse", "compiled in passing: not known to be everything"
    run(sealed)
    assert run(asked) == LOADED + "\nTrue"
    files = len(code_files(tmp_path))
    run(more)
    assert len(code_files(tmp_path)) > files
    assert run(asked) == LOADED + "\nTrue"


def test_a_set_compiled_in_passing_does_not_replace_a_complete_one(tmp_path, run):
    """Two processes start cold; the complete one ends first."""
    slow = SMALL + "\nimport sys\nprint('ready', flush=True)\nsys.stdin.readline()"
    with subprocess.Popen(**command(tmp_path, slow), stdout=subprocess.PIPE, stdin=subprocess.PIPE) as waiting:
        while waiting.stdout.readline().strip() != "ready":
            pass
        run(SMALL + "\nfrom physics.core import cache\ncache.seal()")
        waiting.communicate("\n")
    assert json.loads((published(tmp_path) / cache.MANIFEST).read_text())["complete"]


def test_an_edit_of_a_helper_is_noticed(tmp_path, run):
    """numba alone would return the old answer: it looks at the file of the kernel only."""
    assert run() == COLD
    (tmp_path / "sources" / "physics" / "helper.py").write_text(HELPER.replace("2.0", "3.0"))
    assert run() == "total 18.0 hits 0"


def test_an_edit_while_a_process_runs_is_not_published_under_the_new_name(tmp_path, run):
    run(SMALL + f"\nopen({str(tmp_path / 'sources' / 'physics' / 'new.py')!r}, 'w').close()")
    assert not list(tmp_path.glob("kernels-*"))


def test_key_and_check_are_quick(tmp_path):
    """200 files of 20 kB; less than 30 ms of a start on a quiet machine, so here the best of ten with room for others."""
    place = tmp_path / "kernels-x"
    place.mkdir()
    files = {f"{k}.nbc": os.urandom(20_000) for k in range(200)}
    for name, data in files.items():
        (place / name).write_bytes(data)
    listing = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    (place / cache.MANIFEST).write_text(json.dumps({"complete": True, "files": listing}))
    times = []
    for k in range(10):
        begin = time.perf_counter()
        cache.key()
        assert cache._copy_published(place, tmp_path / f"own{k}")
        times.append(time.perf_counter() - begin)
    assert min(times) < 0.06
