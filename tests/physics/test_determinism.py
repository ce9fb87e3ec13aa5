"""Determinism: the same bits in every run, thread and process, with or without the window, and after going back.

STICTION_ALL_TESTS=1 also compiles the kernels in other ways and runs them under other libraries, each in a process of its own:
half an hour. STICTION_PYTHONS=/path/python3.12:/path/python3.13 names interpreters (with what requirements.lock has) to join in.
"""

import json
import os
import subprocess
import sys
import time

import pytest

from app.engine import commands
from app.engine.simulation import Simulation
from app.session import Session
from physics import step
from tests import golden
from tests.helpers import ALL_TESTS, ROOT

NAMES = list(golden.SCENES)
PYTHONS = [path for path in os.environ.get("STICTION_PYTHONS", "").split(os.pathsep) if path]
COMPILED = {
    "this machine's processor": {"STICTION_CPU": "native"},
    "a processor without AVX2": {"STICTION_CPU": "generic"},
    "no optimisation": {"NUMBA_OPT": "0"},
    "first level": {"NUMBA_OPT": "1"},
    "second level": {"NUMBA_OPT": "2"},
    "third level": {"NUMBA_OPT": "3"},
    "checked indices": {"NUMBA_BOUNDSCHECK": "1"},
}
LIBRARIES = {
    "no AVX2, no FMA in libm": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-FMA,-FMA_Usable,-FMA4,-AVX512F"},
    "no vector kernels in NumPy": {"NPY_DISABLE_CPU_FEATURES": "AVX512F,AVX512_SKX,AVX2,FMA3"},
    "another BLAS": {"OPENBLAS_CORETYPE": "Prescott"},
}
all_tests = pytest.mark.skipif(not ALL_TESTS, reason="half an hour: STICTION_ALL_TESTS=1 runs it")


def in_a_process(python: str = sys.executable, **environment: str) -> dict:
    """The hashes that another process finds."""
    done = subprocess.run([python, "-P", "-m", "tests.golden", "--json"], capture_output=True, text=True, timeout=1500, cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT), **environment})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def different(found: dict) -> dict:
    """Scenes that are not as in the table, with the steps after which they were compared and failed."""
    table = golden.known()
    return {name: [n for n in table[name] if found[name][n] != table[name][n]] for name in table if found[name] != table[name]}


@pytest.mark.parametrize("name", NAMES)
def test_states_match_the_golden_table(name):
    """After a change that was meant to change the physics: `python -m tests.golden --write`. The second run is bit-equal; runs
    to the end are those of the two tests below."""
    known, second = golden.known()[name], golden.CHECKED[1]
    for _ in range(2):
        assert golden.states(name, second) == {str(n): known[str(n)] for n in golden.CHECKED if n <= second}


def test_the_golden_table_lists_exactly_these_scenes():
    assert list(golden.known()) == NAMES


def test_threads_are_independent_and_results_of_the_hash_seed():
    """Several worlds at the same time (tests/golden.py): kernels release the GIL, and share nothing. All other tests have a
    random seed, as who wrote the table had."""
    assert not different(in_a_process(PYTHONHASHSEED="1"))


@pytest.mark.parametrize("name", NAMES)
def test_every_step_can_be_undone_and_repeated(name):
    """Snapshot, step, restore, step: the same bits, from whatever broad phase and lists the restored world has made anew; after
    the first sixty steps at every tenth, with STICTION_ALL_TESTS at each."""
    world, dt = golden.make(name), golden.SCENES[name].dt
    for n in range(1, 301 if ALL_TESTS else 201):
        if n > 60 and n % 10 and not ALL_TESTS:
            step(world, dt)
            continue
        before, kept = golden.state(world), world.snapshot()
        step(world, dt)
        after = golden.state(world)
        world.restore(kept)
        assert golden.state(world) == before, f"step {n} is not taken back"
        step(world, dt)
        assert golden.state(world) == after, f"step {n} goes another way the second time"
        if n in golden.CHECKED:
            assert after == golden.known()[name][str(n)], f"not the states of a run without going back, at step {n}"


@pytest.mark.parametrize("name", ["playground", "joint_gallery", "belt"])
def test_the_window_does_not_change_the_physics(name):
    """The physics thread at its own pace, traced, watched and looked at, against plain steps in this one."""
    session = Session.open(name)
    simulation = session.simulation
    commands.set_time_share(simulation, 0.0)      # no clock
    session.thread.start()
    try:
        session.post(Simulation.set_speed, 4.0)
        while session.frame.step < 200:
            session.update(time.perf_counter())
            session.traces.clear() if session.frame.step % 50 == 0 else time.sleep(0.001)
        session.post(Simulation.pause)
        while not session.frame.paused:
            session.update(time.perf_counter())
            time.sleep(0.001)
    finally:
        session.thread.stop()
    plain = Session.open(name).simulation.world
    for _ in range(simulation.world.steps):
        step(plain, simulation.dt)
    assert simulation.world.steps >= 200
    assert golden.state(simulation.world) == golden.state(plain)


@all_tests
@pytest.mark.timeout(1600)
@pytest.mark.parametrize("way", COMPILED)
def test_the_bits_do_not_depend_on_how_kernels_are_compiled(way, tmp_path):
    """Their own folder for the kernels: the user's stay."""
    assert not different(in_a_process(STICTION_CACHE_DIR=str(tmp_path), **COMPILED[way]))


@all_tests
@pytest.mark.parametrize("way", LIBRARIES)
def test_the_bits_do_not_depend_on_libraries(way):
    assert not different(in_a_process(**LIBRARIES[way]))


@all_tests
@pytest.mark.timeout(1600)
@pytest.mark.parametrize("python", PYTHONS)
def test_the_bits_do_not_depend_on_python(python, tmp_path):
    assert not different(in_a_process(python, STICTION_CACHE_DIR=str(tmp_path)))
