"""Seeds faults into the code one at a time; the tests named with each must find it.

    python -m tests.seeded_faults              all of them, in a copy of the tree: number, file, found or missed, seconds
    python -m tests.seeded_faults --only 3 17  some of them
    python -m tests.seeded_faults --tests tests   with other tests than those named

With NUMBA_DISABLE_JIT=1 kernels run as plain Python: faults in physics take seconds instead of a compilation. Faults in app are
quicker with the compiled kernels, which they do not change. All 32 are found.

They are what slips into such code by hand: signs, bounds, off-by-ones, swapped arguments, a factor, a forgotten case. Exit code 1
if one is missed, or if the line that it changes is no longer there.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.helpers import ROOT

SECONDS = 900.0
"""Longest run of the tests of one fault [s]."""


@dataclass(frozen=True)
class Fault:
    """A text that stands once in a file, what it becomes, and the tests that must fail."""

    file: str
    was: str
    becomes: str
    tests: str


P, A = "physics/", "app/"
T = "tests/physics/"
FAULTS = (
    # signs
    Fault(P + "core/vec.py", "a[2] * b[0] - a[0] * b[2]", "a[0] * b[2] - a[2] * b[0]", T + "core/test_elementary.py"),
    Fault(P + "core/quaternions.py", "b + w * s + (z * r - x * t)", "b + w * s + (x * t - z * r)",
          T + "core"),
    Fault(P + "contact/targets.py", "s = -u0 + 0.5 * a * dt", "s = -u0 - 0.5 * a * dt", T + "contact/test_targets.py"),
    Fault(P + "contact/targets.py", "vec.cross((v_b[3], v_b[4], v_b[5]), r_b))", "vec.cross(r_b, (v_b[3], v_b[4], v_b[5])))",
          T + "contact/test_targets.py"),
    Fault(P + "dynamics/integrate.py", "b.vel[k] += b.velocity_lag *", "b.vel[k] -= b.velocity_lag *",
          T + "dynamics/test_integrate.py"),
    Fault(A + "engine/timeline/player.py", "self.playing, simulation.paused, self.backwards = True, False, True",
          "self.playing, simulation.paused, self.backwards = True, False, False", "tests/engine/timeline/test_reverse.py"),
    # factors
    Fault(P + "shapes/cylinder.py", "mass * (r2 / 4.0 + l2 / 3.0)", "mass * (r2 / 4.0 + l2 / 12.0)",
          T + "shapes/test_convex_shapes.py"),
    Fault(P + "shapes/capsule.py", "+ 4.0 / 3.0 * math.pi", "+ 2.0 / 3.0 * math.pi", T + "shapes/test_convex_shapes.py"),
    Fault(P + "contact/targets.py", "0.25 * (a * dt) * (a * dt)", "(a * dt) * (a * dt)", T + "contact/test_targets.py"),
    Fault(P + "contact/friction_cone.py", "sign * quat.cosine(x * x), sign * x * quat.sinc(x * x)",
          "sign * x * quat.sinc(x * x), sign * quat.cosine(x * x)", T + "contact/test_projection.py"),
    Fault(P + "collide/bounds.py", "speed += vec.norm(gravity) * dt", "speed += 0.5 * vec.norm(gravity) * dt",
          T + "collide/test_collide_broad.py::test_reach_at_rest"),
    Fault(A + "analysis/curves/curve_statistics.py", "(0.5 * width * (a + b)).sum()", "(width * (a + b)).sum()",
          "tests/analysis/curves/test_curve_statistics.py"),
    Fault(A + "number_format.py", "rounded(100.0 * abs(share), 2)", "rounded(100.0 * share, 2)",
          "tests/gui/controls/test_number_format.py"),
    # bounds
    Fault(P + "world/sleep.py", "if bodies[i].rest_time < delay or", "if bodies[i].rest_time <= 0.0 or",
          T + "world/test_sleeping.py"),
    Fault(P + "collide/broad.py", "return a.group > 0", "return a.group < 0", T + "world/test_events.py"),
    Fault(P + "core/options.py", "(hi is not None and value > hi)", "(hi is not None and value >= hi)",
          T + "test_bad_input.py"),
    Fault(P + "contact/targets.py", "u0 < -threshold:", "u0 < threshold:", T + "contact/test_targets.py"),
    Fault(P + "complementarity/lemke.py", "if t.z[p] < least:", "if t.z[p] > least:", T + "complementarity"),
    Fault(A + "engine/undo/edit_list.py", "[-MAX_UNDO_STEPS:]", "[-MAX_UNDO_STEPS - 1:]", "tests/engine/undo/test_undo.py"),
    Fault(A + "engine/breakpoints/kinds.py", "if then or i < 0 or -1e3", "if i < 0 or -1e3",
          "tests/engine/breakpoints"),
    # off by one
    Fault(A + "engine/timeline/history.py", "del self._unrepeatable[bisect_right(self._unrepeatable, step):]",
          "del self._unrepeatable[bisect_left(self._unrepeatable, step):]", "tests/engine/timeline"),
    Fault(A + "engine/timeline/history.py", "return self.first + len(self._times) - 1", "return self.first + len(self._times)",
          "tests/engine/timeline/test_history.py"),
    Fault(A + "engine/observers/trace.py", 'self._columns["time"][: self._end], time, side="right"',
          'self._columns["time"][: self._end], time, side="left"', "tests/engine/timeline"),
    Fault(A + "engine/timeline/player.py", "max(first, self.loop.first)", "max(first, self.loop.first + 1)",
          "tests/engine/timeline"),
    Fault(P + "world/events.py",
          'began["what"], ended["what"] = begin, begin + 1', 'began["what"], ended["what"] = begin + 1, begin',
          T + "world/test_events.py"),
    # swapped, forgotten
    Fault(A + "engine/undo/difference.py", "values[name] = (values[name][0] if name in values else old, new)",
          "values[name] = (old, new)", "tests/engine/undo/test_undo.py"),
    Fault(A + "engine/timeline/timeline.py", "            simulation.observers.forget_after(now.steps)\n", "",
          "tests/engine/timeline/test_history.py"),
    Fault(A + "engine/timeline/timeline.py", "        self.done = moment.done\n", "", "tests/engine/timeline"),
    Fault(A + "engine/solver_budget.py", "            solver.allowance = 0.0", "            pass",
          "tests/engine/test_time_budget.py"),
    Fault(P + "world/sleep.py", "            self.on_ground[shape] = self.on_ground[shape].difference(woken)\n",
          "            pass\n", T + "world/test_sleeping.py"),
    Fault(P + "collide/broad.py", "category_a & ~b.ignores != 0 and category_b & ~a.ignores != 0",
          "category_a & ~b.ignores != 0", T + "world/test_events.py"),
    Fault(A + "engine/comparison.py", 'self.stopped_because, self.pending = "", []', "self.pending = []",
          "tests/engine/test_comparison.py"),
)


def copy_of_tree(folder: Path) -> Path:
    """The files under version control, and a link to the environment."""
    tree = folder / "tree"
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, names):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tree / name)
    return tree


def run_tests(tree: Path, *tests: str) -> str:
    """The first test that fails, or the last line printed where none did; "": all passed."""
    plain = ["-W", "ignore::RuntimeWarning"] if os.environ.get("NUMBA_DISABLE_JIT") else []      # kernels divide by zero silently
    ran = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "--tb=no", *plain, *tests], cwd=tree,
                         env=os.environ | {"PYTHONPATH": ".", "STICTION_ALL_TESTS": "1"}, capture_output=True, text=True,
                         timeout=SECONDS, check=False)
    lines = ran.stdout.splitlines()
    failed = next((line for line in lines if line.startswith(("FAILED", "ERROR"))), "")
    return failed.partition(" - ")[0].partition(" ")[2] or (" ".join(lines[-1:]) or "pytest" if ran.returncode else "")


def found(tree: Path, fault: Fault, tests: str) -> tuple[str, float]:
    """("found", "missed" or why it cannot be tried, seconds). What finds it must pass without the fault."""
    path, begin = tree / fault.file, time.monotonic()
    whole = path.read_text(encoding="utf-8")
    if whole.count(fault.was) != 1:
        return f"the line stands {whole.count(fault.was)} times", 0.0
    path.write_text(whole.replace(fault.was, fault.becomes), encoding="utf-8")
    try:
        by = run_tests(tree, *tests.split())
    except subprocess.TimeoutExpired:
        return f"found: no end in {SECONDS:.0f} s", time.monotonic() - begin
    finally:
        path.write_text(whole, encoding="utf-8")
    verdict = f"found by {by}" if by else "missed"
    if by and run_tests(tree, by):
        verdict = f"unknown: {by} fails without the fault, too"
    return verdict, time.monotonic() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", type=int, nargs="*", default=range(1, len(FAULTS) + 1), help="numbers of faults")
    parser.add_argument("--tests", default="", help="run these instead of the tests named with each fault")
    args = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_of_tree(Path(folder))
        for number in args.only:
            fault = FAULTS[number - 1]
            verdict, seconds = found(tree, fault, args.tests or fault.tests)
            good &= verdict.startswith("found")
            print(f"{number:3} {fault.file}: {verdict} ({seconds:.0f} s)", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
