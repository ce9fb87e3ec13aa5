"""Warm-up: afterwards no scene compiles anything, and no kernel has two signatures.

A kernel that another one contains has none where that one came from the disk.
"""

import heapq
import math
import os
import re
import shutil
import subprocess
import sys

import numba
import pytest

from app import kernel_compilation
from app.kernel_compilation import PROGRESS_LINE
from physics import joints, shapes, solvers
from physics.core import jit
from physics.core.compile import cache, signatures
from physics.warmup import compile
from physics.warmup import worlds as warmup_worlds
from tests.helpers import ROOT

AFTERWARDS = """
from numba.core import event, types

import scenes
from physics import step
from physics.core import jit
from physics.observe import quantities
from physics.warmup.compile import compile_all

compile_all()
late = set()


class Late(event.Listener):
    def on_start(self, started):
        late.add(started.data["dispatcher"].py_func.__qualname__)

    def on_end(self, ended):
        pass


with event.install_listener("numba:compile", Late()):
    for name, scene in scenes.all_scenes().items():
        world = scenes.make_world(scene)
        for _ in range(3):
            step(world, scene.dt)
        for key in scene.plots:
            quantities.find(world, key).read(world)
print("late:", *sorted(late))
print("wrong:", *sorted(f"{k.__module__}.{k.__name__}" for k in jit.KERNELS if len(k.signatures) > 1))


def calls_python(kind):     # numba makes a value of that type by a Python function, in which Ctrl+C would end the process
    within = isinstance(kind, types.BaseTuple) and any(map(calls_python, kind))
    return within or isinstance(kind, types.BaseNamedTuple | types.Array)


print("boxed:", *sorted(f"{k.__module__}.{k.__name__}" for k in jit.KERNELS
                        if any(calls_python(made.signature.return_type) for made in k.overloads.values())))
"""


def test_no_scene_compiles_anything_after_the_warm_up():
    done = subprocess.run([sys.executable, "-P", "-c", AFTERWARDS], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:3] == ["late:", "wrong:", "boxed:"]


FIRST_STEPS = """
from app.gui.shell.first_minute import FIRST_SCENE
from app.session import Session
from physics.core import jit

session = Session.open(FIRST_SCENE)
for _ in range(500):    # its last box falls off after two seconds
    session.simulation.single_step(3)
print(*(f"{kernel.__module__}:{kernel.__qualname__}" for kernel in jit.KERNELS if kernel.overloads))
"""


def test_the_first_scene_needs_only_what_is_compiled_first():
    done = subprocess.run([sys.executable, "-P", "-c", FIRST_STEPS], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    used = set(done.stdout.split())
    assert len(used) > 20 and used <= {task.function for task in compile.recipe()[0] if task.opening}


def test_no_kernel_contains_numbas_text():
    """`target[:] = a` brings an error's text, whose compilation may take longer than that of the function (core/dense.assign)."""
    subprocess.run([sys.executable, "-P", "-m", "physics.warmup.compile"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "PYTHONPATH": str(ROOT)})     # what is inherited from an earlier set is not published yet
    published = sorted(cache.folder().rglob("*.nbc"))
    assert len(published) > 500
    assert [path.name for path in published if b"unicode_concat" in path.read_bytes()] == []


def test_warmup_covers_every_shape_joint_and_solver():
    worlds = list(warmup_worlds.worlds())
    met = {frozenset(world.shape_kinds[k] for k in world.shapes["kind"]) for world in worlds}
    for kind in shapes.kinds():
        assert any(kind in pair for pair in met)
    joined = {world.joint_kinds[k] for world in worlds for k in world.joints["kind"]}
    assert joined == set(joints.kinds())
    for world in worlds:
        assert any(not solver().unsupported(world) for solver in solvers.available().values())


def test_warmup_covers_all_choices_and_switches():
    options = solvers.available()["sequential_impulses"]().options
    taken = list(warmup_worlds.variants(options))
    assert taken[0] == {} and {"warm_start": False} in taken and {"cone": "polygon"} in taken


def test_the_recipe_is_in_order_and_its_types_can_be_read():
    tasks = compile.recipe()[0]
    for k, task in enumerate(tasks):
        assert all(need < k for need in task.needs)
        assert not task.opening or all(tasks[need].opening for need in task.needs)
        read = tuple(map(signatures.read, task.arguments))
        assert [signatures.spell(kind) for kind in read] == task.arguments
    assert len({(task.function, str(task.arguments)) for task in tasks}) == len(tasks)


def test_the_recipe_lists_nearly_all_kernels_and_only_existing_ones():
    """where it is older than the sources, warm-up worlds make up for it, and starting takes longer."""
    tasks = compile.recipe()[0]
    compiled = {f"{function.__module__}:{function.__qualname__}" for function in jit.FUNCTIONS}
    known = {task.function for task in tasks}
    assert len(known - compiled) < 0.05 * len(known), "python -m physics.warmup.compile --record"
    kernels = {f"{kernel.__module__}:{kernel.__qualname__}" for kernel in jit.KERNELS if kernel.signatures}
    assert len(kernels - known) < 0.05 * len(known), "python -m physics.warmup.compile --record"


def test_the_first_picture_waits_for_less_than_two_thirds_of_the_work():
    tasks = compile.recipe()[0]
    assert any(task.function == "physics.solvers.impulses.step:run_step" and task.opening for task in tasks)
    assert not any(task.function == "physics.solvers.lcp.solving:solve" and task.opening for task in tasks)
    assert sum(task.cost for task in tasks if task.opening) < 0.67 * sum(task.cost for task in tasks)


@pytest.mark.parametrize(("compilers", "seconds"), [(2, 100.0), (8, 45.0)])
def test_compilers_share_the_work_evenly(compilers, seconds):
    """By the recipe's costs: how long until the first picture has its kernels [processor seconds], callees before callers."""
    tasks = compile.recipe()[0]
    work = compile._Work(tasks, lambda *_: None, lambda: None)
    free, running, now, opened = compilers, [], 0.0, math.inf
    while work._left:
        while free and work._ready:
            k = heapq.heappop(work._ready)[-1]
            heapq.heappush(running, (now + tasks[k].cost, k))
            free -= 1
        now, k = heapq.heappop(running)
        free += 1
        work._finish(k, -1.0)
        if work._opening == 0:
            opened = min(opened, now)
    opening = sum(task.cost for task in tasks if task.opening)
    longest = max(task.wait for task in tasks)
    assert opened < 1.15 * max(opening / compilers, longest) and opened < seconds


def test_a_compiler_that_dies_costs_nothing_but_its_work(monkeypatch):
    monkeypatch.setattr(compile.sys, "executable", shutil.which("false"))
    assert not compile._Work(compile.recipe()[0], lambda *_: None, lambda: None).run()


def test_the_progress_bar_reads_the_compilers_lines(tmp_path):
    done = subprocess.run([sys.executable, "-P", "-m", "physics.warmup.compile"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    told = []
    for line in lines:
        progress = re.fullmatch(PROGRESS_LINE, line)
        assert progress or line == "opening"
        told += [float(progress[1])] if progress else []
    assert told == sorted(told)


def test_waiting_continues_while_compilers_are_silent(monkeypatch):
    """While warm-up worlds replace an old recipe, no function is reported."""
    script = ("import time; print('compiling 1.0/2.0 4 first', flush=True); print('compiling 2.0/2.0 0 last', flush=True); "
              "time.sleep(1)")
    started, seen = subprocess.Popen, []
    monkeypatch.setattr(kernel_compilation, "UPDATE_INTERVAL", 0.2)
    monkeypatch.setattr(subprocess, "Popen", lambda command, **how: started([sys.executable, "-c", script], **how))
    assert kernel_compilation.compile_all(seen.append) == (0, "")
    assert [progress.name for progress in seen[:3]] == ["first", "last", kernel_compilation.UNLISTED_KERNELS] and len(seen) >= 5
    assert seen[0].left == "4 s left" and seen[-1].left == "1 s longer than estimated"
    assert [progress.waited for progress in seen[2:]] == sorted({progress.waited for progress in seen[2:]})


def test_compilers_find_what_this_process_found(monkeypatch):
    """Packages by PYTHONPATH: with another numba they would compile for another one."""
    started, script = subprocess.Popen, "import os; print(os.environ['PYTHONPATH'])"
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setattr(subprocess, "Popen", lambda command, **how: started([sys.executable, "-c", script], **how))
    assert kernel_compilation.compile_all(lambda progress: None) == (0, os.pathsep.join([str(ROOT), "/elsewhere"]))


def test_plain_python_needs_no_kernels(monkeypatch):
    """NUMBA_DISABLE_JIT=1: a command starts at once."""
    monkeypatch.setattr(cache, "is_warm", lambda: False)
    assert kernel_compilation.needed()
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert not kernel_compilation.needed()
