"""Goals of files: damaged ones, crashes, kernels on the disk, adverse environments."""

import contextlib
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import scenes
from physics import BadInput, Diverged, step
from physics.core.compile import cache
from tests import mutations

from .goals import ROOT, Measured, both, goal, tested


def _run(*words: str) -> tuple[str, int]:
    """What a command of ours prints, and its exit code."""
    done = subprocess.run([sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout, done.returncode


@goal("R8", "files of others are data", "100,000 damaged recordings: refused, or accepted and finite; no hang, 600 MB")
def r8(size: float) -> Measured:
    count = max(200, int(100_000 * size))
    text, code = _run("tests.mutations", "--count", str(count), "--seed", "7", "--workers", "2")
    return Measured(text.strip().splitlines()[-1] if text.strip() else "nothing was told", code == 0)


_killed: dict[int, tuple[int, int, float]] = {}


def _kills(count: int) -> tuple[int, int, float]:
    """(survived, with nothing done yet, the most that was lost [s]); made once for two goals."""
    if count not in _killed:
        text, _ = _run("tests.kills", "--count", str(count), "--seed", "1000")
        lost = [float(found) for found in re.findall(r"lost ([\d.]+) s", text)]
        early = text.count("nothing was done yet")
        _killed[count] = len(lost) + early, early, max(lost, default=0.0)
    return _killed[count]


@goal("R17", "files stay complete", "200 kills while editing and saving: no file is half written, no temporary file stays")
def r17(size: float) -> Measured:
    count = max(6, int(200 * size))
    survived, _, _ = _kills(count)
    return Measured(f"{survived} of {count} kills", survived == count)


@goal("R18", "no session is lost", "200 kills: at most 1 s of edits lost, offered at the next start")
def r18(size: float) -> Measured:
    count = max(6, int(200 * size))
    survived, early, lost = _kills(count)
    return Measured(f"{survived - early} of {count} restored bit for bit, {early} had nothing to restore yet; "
                    f"at most {lost:.2f} s lost", survived == count and lost <= 1.0)


FIRST_PICTURE = """
import sys, time
from app import cli, window
draw = window.Window.on_refresh

def on_refresh(self, dt):
    draw(self, dt)
    if self.session is not None and not told:
        told.append(time.process_time())

told = []
window.Window.on_refresh = on_refresh
cli.main(["view", "pyramid", "--fresh", "--seconds", "0.1"])
print(told[0])
"""
"""Prints the processor time until a picture of the scene is drawn [s]."""


@goal("R22", "quick to start", "warm: first picture within 2 s")
def r22(_: float) -> Measured:
    """Of the processor, since the wall time depends on what else the machine does; Python's translations are on the disk."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": folder}
        took = []
        for _ in range(6):
            done = subprocess.run([sys.executable, "-c", FIRST_PICTURE], cwd=ROOT, capture_output=True, text=True, check=False,
                                  env=environment)
            if not done.stdout.strip():
                return Measured(f"no picture: {done.stderr.strip()[-200:]}", False)
            took.append(float(done.stdout.split()[-1]))
    middle = statistics.median(took[1:])
    return Measured(f"{middle:.2f} s of the processor to the first picture (median of 5, the least {min(took):.2f})",
                    middle <= 2.0)


@goal("R23", "adverse environments", "no home, full disks, no display, old OpenGL: starts, or one clear sentence")
def r23(_: float) -> Measured:
    names = ("tests/house/test_start.py", "tests/house/test_cache.py", "tests/commands/test_cli.py",
             "tests/commands/test_exit_codes.py")
    return tested(*(name for name in names if (ROOT / name).exists()))


@goal("R24", "kernels on the disk are verified", "500 flipped bits or cut files: none is loaded")
def r24(size: float) -> Measured:
    published = next((place for place in sorted(cache.root().glob("kernels-*"), key=lambda p: p.stat().st_mtime, reverse=True)
                      if cache._read(place).get("complete")), None)
    if published is None:
        return Measured("no whole set of kernels is on the disk", False)
    chance, count, noticed = np.random.default_rng(3), max(5, int(500 * size)), 0
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        if not any(_copied_whole(published, whole) for _ in range(20)):
            return Measured("no undamaged set of kernels could be copied", False)
        for n in range(count):
            place, own = Path(folder) / f"set-{n}", Path(folder) / f"own-{n}"
            shutil.copytree(whole, place)
            victims = sorted(file for file in place.rglob("*") if file.is_file() and file.stat().st_size)
            victim = victims[int(chance.integers(len(victims)))]
            data = bytearray(victim.read_bytes())
            at = int(chance.integers(len(data)))
            if n % 5:
                data[at] ^= 1 << int(chance.integers(8))
            else:
                del data[at:]
            victim.write_bytes(data)
            noticed += not cache._copy_published(place, own)
            shutil.rmtree(place, ignore_errors=True)
            shutil.rmtree(own, ignore_errors=True)
    return both(Measured(f"{noticed} of {count} noticed before anything was loaded", noticed == count),
                tested("tests/house/test_cache.py", "-k", "bit or damage"))


def _copied_whole(published: Path, place: Path) -> bool:
    """False if another process, which compiled something more, replaced the set meanwhile."""
    shutil.rmtree(place, ignore_errors=True)
    with contextlib.suppress(OSError):
        shutil.copytree(published, place)
        return cache._copy_published(place, place.with_name("loaded"))
    return False


SDF = """<?xml version="1.0"?>
<sdf version="1.7"><model name="m"><link name="base"><inertial><mass>2.0</mass></inertial><collision name="c"><geometry><box>
<size>0.4 0.2 0.1</size></box></geometry></collision></link><link name="arm"><pose>0 0 0.5 0 0.1 0</pose><collision name="c">
<geometry><cylinder><radius>0.1</radius><length>0.5</length></cylinder></geometry></collision></link><joint name="j"
type="revolute"><parent>base</parent><child>arm</child><axis><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>1</upper></limit>
</axis></joint></model></sdf>
"""


def robot_files() -> dict[str, bytes]:
    """A whole file of each kind that is read, by its ending."""
    import trimesh

    from app.world_files import save

    whole, world = {".sdf": SDF.encode()}, scenes.make_world(scenes.find("door"))
    with tempfile.TemporaryDirectory() as folder:
        for suffix in (".urdf", ".xml", ".glb", ".gltf"):
            save(world, Path(folder) / f"door{suffix}")
            whole[suffix] = (Path(folder) / f"door{suffix}").read_bytes()
    for suffix in (".obj", ".stl"):
        made = trimesh.creation.box((0.3, 0.2, 0.1)).export(file_type=suffix[1:])
        whole[suffix] = made.encode() if isinstance(made, str) else made
    return whole


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Bytes changed, or a number exchanged for one that is extreme or none."""
    numbers = list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", data))
    if chance.random() < 0.5 or len(numbers) < 10:
        return mutations.spoilt(data, chance)[1]
    at = chance.choice(numbers)
    other = chance.choice((b"nan", b"inf", b"-1", b"0", b"1e308", b"1e-308", b"99999999999", b"x", b"", b"0x10"))
    return data[:at.start()] + other + data[at.end():]


def came_of(path: Path) -> str:
    """What comes of a robot or mesh: "refused", "finite" after ten steps, "told" (steps that end in a sentence), or what must not
    be, in words."""
    from app.world_files import load

    try:
        world = load(path)
    except BadInput as refused:
        return "refused" if "\n" not in str(refused) and path.name in str(refused) else f"words: {refused}"
    except Exception as error:  # noqa: BLE001  (that is what is looked for)
        return f"{path.name}: {type(error).__name__}: {error}"
    try:
        for _ in range(10):
            step(world, 1.0 / 240.0)
    except (BadInput, Diverged):
        return "told"
    except Exception as error:  # noqa: BLE001
        return f"{path.name}, in a step: {type(error).__name__}: {error}"
    return "finite" if all(np.isfinite(world.bodies[name]).all() for name in ("pos", "quat", "vel", "omega")) else "not finite"


@goal("R25", "mesh and robot files", "5,000 damaged OBJ, STL, glTF, URDF, MJCF, SDF: refused in a sentence, or finite; no hang")
def r25(size: float) -> Measured:
    """Meshes are read in processes of their own, which are limited; robots in this one."""
    whole, chance, came = robot_files(), random.Random(25), Counter()
    count = max(len(whole), int(5_000 * size))
    with tempfile.TemporaryDirectory() as folder:
        for n in range(count):
            suffix = list(whole)[n % len(whole)]
            path = Path(folder) / f"r{n}{suffix}"
            path.write_bytes(damaged(whole[suffix], chance))
            came[came_of(path)] += 1
            scenes.files.clear()
    wrong = [what for what in came if what not in ("refused", "finite", "told")]
    return Measured(f"{count:,} of {len(whole)} kinds: {came['refused']:,} refused, {came['finite']:,} accepted and finite, "
                    f"{came['told']:,} accepted, and a step refused" + "".join(f"; {what}" for what in wrong[:3]), not wrong)


@goal("R30", "no unexpected warning", "a warning that no test declares fails the test")
def r30(_: float) -> Measured:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    strict = 'filterwarnings = ["error"' in settings
    return Measured("pytest makes every Python warning an error" if strict else "warnings pass", strict)
