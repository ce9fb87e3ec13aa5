"""The warm-up compiles everything: after it no scene compiles anything more, and no kernel has two signatures.

A kernel that another one contains has none where that one came from the disk.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from physics import exercises, joints, shapes, solvers, warm

ROOT = Path(__file__).resolve().parents[1]
AFTERWARDS = """
from numba.core import event

import scenes
from physics import quantities, step, warm
from physics.core import jit

warm.compile_all()
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
"""
HALF = """
import sys
from physics import exercises
from physics.core import jit

getattr(exercises, sys.argv[1])()
print(*sorted(f"{k.__module__}.{k.__name__}" for k in jit.KERNELS if k.signatures))
"""


def test_no_scene_compiles_anything_after_the_warm_up():
    done = subprocess.run([sys.executable, "-P", "-c", AFTERWARDS], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["late:", "wrong:"]


def test_it_meets_every_shape_every_joint_and_every_solver():
    worlds = list(exercises.worlds())
    met = {frozenset(world.shape_kinds[k] for k in world.shapes["kind"]) for world in worlds}
    for kind in shapes.kinds():
        assert any(kind in pair for pair in met)
    joined = {world.joint_kinds[k] for world in worlds for k in world.joints["kind"]}
    assert joined == set(joints.kinds())
    for world in worlds:
        assert any(not solver().unsupported(world) for solver in solvers.available().values())


def test_choices_and_switches_are_all_taken():
    options = solvers.available()["sequential_impulses"]().options
    taken = list(exercises.variants(options))
    assert taken[0] == {} and {"warm_start": False} in taken and {"cone": "polygon"} in taken


def test_two_processes_leave_little_to_compile_in_the_end_and_compile_nothing_large_twice():
    def met(half):
        done = subprocess.run([sys.executable, "-P", "-c", HALF, half], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert done.returncode == 0, done.stderr
        return set(done.stdout.split())

    solved, found, everything = met("solve"), met("find"), met("everything")
    assert solved | found <= everything
    assert len(everything - solved - found) < 0.15 * len(everything)
    solvers_own = {"physics.solvers._advance.advance", "physics.solvers.soft_steps.advance", "physics.linkage.write"}
    collisions = {"physics.collide.continuous.examine", "physics.collide.surfaces.collide", "physics.collide.casting.cast"}
    assert solvers_own <= solved - found and collisions <= found - solved


def test_a_second_process_is_started_only_where_it_can_help(monkeypatch):
    monkeypatch.setattr(warm.cache, "is_warm", lambda: False)
    monkeypatch.setattr(warm.cache, "is_kept", lambda: True)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1}, raising=False)
    assert warm._shared()
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1})
    assert not warm._shared()
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr(warm.cache, "is_kept", lambda: False)
    assert not warm._shared(), "it could not hand over what it compiles"
    monkeypatch.setattr(warm.cache, "is_kept", lambda: True)
    monkeypatch.setattr(warm.cache, "is_warm", lambda: True)
    assert not warm._shared(), "nothing is left to do"


def test_a_second_process_that_dies_costs_nothing_but_its_work(monkeypatch):
    monkeypatch.setattr(warm.sys, "executable", shutil.which("false"))
    told = []
    with warm._second(told.append):
        pass
    assert told == []


def test_its_lines_are_what_the_progress_bar_reads(tmp_path):
    done = subprocess.run([sys.executable, "-P", "-m", "physics.warm"], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    progress = [re.fullmatch(r"compiling (\d+)/(\d+)", line) for line in lines]
    assert all(progress)
    counts = [(int(match[1]), int(match[2])) for match in progress]
    assert counts == sorted(counts) and counts[-1][0] == counts[-1][1] > 50
