"""`stiction warm`: compile every kernel now, in a process of its own, behind a progress bar."""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HELP = "compile every kernel now, so that later starts are quick"
EXAMPLES = "  stiction warm\n  stiction warm --again"
KERNELS = False
LINE = r"compiling ([\d.]+)/([\d.]+) (\d+) (\S+)"
"""What `python -m physics.warm` prints of each function: processor seconds done, of all, seconds left, its name."""
_ROOT = Path(__file__).resolve().parents[2]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--again", action="store_true", help="throw away all compiled kernels first")


def run(args: argparse.Namespace) -> int:
    """Compile what is missing and say where it is kept."""
    from physics.core import cache

    if args.again:
        cache.clear()
    code = ensure()
    if not code:
        print(f"the kernels are compiled; they are kept in {cache.folder()}")
    return code


def ensure() -> int:
    """Compile the kernels unless they are there; the exit code. A disk that keeps nothing is not a failure."""
    from physics import warm
    from physics.core import cache

    if cache.is_warm():
        return 0
    with _bar() as bar:
        def show(progress: Progress) -> None:
            bar.total = progress.total
            bar.set_postfix_str(f"{progress.left} {progress.name}", refresh=False)
            bar.update(progress.done - bar.n)

        if cache.is_kept():
            code, trouble = compile_all(show)
            cache.adopt()
        else:
            why = cache.doubt(cache.root()) or "it cannot be written"
            print(f"stiction: {cache.root()} is not used, {why}: each start compiles anew", file=sys.stderr)
            warm.compile_all(lambda done, total, seconds, name: show(Progress(done, total, seconds, name)))
            return 0
    if code:
        print(f"stiction: the kernels could not be compiled beforehand: {trouble}", file=sys.stderr)
    return code


@dataclass(frozen=True)
class Progress:
    """How far compiling is. done, total: work [processor seconds]; seconds: about so many are left; name: what is compiled."""

    done: float
    total: float
    seconds: float
    name: str

    @property
    def left(self) -> str:
        """The time that is left, in words."""
        return f"{self.seconds:.0f} s left" if self.seconds < 90.0 else f"{self.seconds / 60.0:.0f} min left"


def compile_all(show: Callable[[Progress], None], opened: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Run `python -m physics.warm`. (exit code, last line it printed). opened: called when the kernels of the first picture are
    published."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    last = ""
    with subprocess.Popen([sys.executable, "-P", "-m", "physics.warm"], env=environment, text=True, encoding="utf-8",
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL) as process:
        try:
            for line in process.stdout:
                if progress := re.match(LINE, line):
                    done, total, seconds = map(float, progress.groups()[:3])
                    show(Progress(done, total, seconds, progress[4]))
                elif line == "opening\n":
                    opened()
                elif line.strip():
                    last = line.strip()
            return process.wait(), last
        except BaseException:
            process.terminate()
            raise


def _bar() -> "tqdm":  # noqa: F821
    from tqdm import tqdm

    terminal = bool(sys.stderr and sys.stderr.isatty())
    if not terminal and sys.stderr:
        print("compiling the kernels: once after installing or updating, about two minutes", file=sys.stderr, flush=True)
    return tqdm(desc="compiling", disable=not terminal, file=sys.stderr, leave=False,
                bar_format="{desc} [{bar:24}] {percentage:.0f} %{postfix}")
