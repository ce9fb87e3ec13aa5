"""`stiction warm`: compile every kernel now, in a process of its own, behind a progress bar."""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HELP = "compile every kernel now, so that later starts are quick"
EXAMPLES = "  stiction warm\n  stiction warm --again"
KERNELS = False
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
        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        if cache.is_kept():
            code, trouble = compile_all(show)
            cache.adopt()
        else:
            print(f"stiction: {cache.root()} cannot be written, so each start compiles anew", file=sys.stderr)
            warm.compile_all(show)
            return 0
    if code:
        print(f"stiction: the kernels could not be compiled beforehand: {trouble}", file=sys.stderr)
    return code


def compile_all(show: Callable[[int, int], None]) -> tuple[int, str]:
    """Run `python -m physics.warm`; show(done, total) is called as it goes. (exit code, last line it printed)."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    last = ""
    with subprocess.Popen([sys.executable, "-P", "-m", "physics.warm"], env=environment, text=True, encoding="utf-8",
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL) as process:
        try:
            for line in process.stdout:
                if progress := re.match(r"compiling (\d+)/(\d+)", line):
                    show(int(progress[1]), int(progress[2]))
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
    return tqdm(desc="compiling", unit="kernel", disable=not terminal, file=sys.stderr, leave=False,
                bar_format="{desc} [{bar:24}] {n_fmt}/{total_fmt}")
