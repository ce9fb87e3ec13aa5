"""Goals of files: damaged ones, crashes, kernels on the disk, adverse environments."""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from physics.core.compile import cache

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
        for n in range(count):
            place, own = Path(folder) / f"set-{n}", Path(folder) / f"own-{n}"
            shutil.copytree(published, place)
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


@goal("R25", "mesh and robot files", "5,000 damaged OBJ, STL, glTF, URDF, MJCF")
def r25(_: float) -> Measured:
    return Measured("no such file is read yet", None)


@goal("R30", "no unexpected warning", "a warning that no test declares fails the test")
def r30(_: float) -> Measured:
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    strict = 'filterwarnings = ["error"' in settings
    return Measured("pytest makes every Python warning an error" if strict else "warnings pass", strict)
