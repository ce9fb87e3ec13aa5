"""Friction problems in local form: `python -m benchmarks.friction [--largest 570] [--method auto] [--write]`.

Problems W, q, mu of scenes (tests/tools/friction_problems.py): stacks, pyramids, walls, heaps, wedges, cards, arches,
grippers; at rest, with velocities given to all bodies, with masses of 1 : 10,000. One row per family: contacts, methods that
found the impulses, their iterations, time of a call (best of three if short), the residual |r - P_K(r - u^)| / |q|, the share
below 1e-8.
"""

import argparse
import statistics
import time
from pathlib import Path

from benchmarks.peers.measure import machine
from physics.complementarity import FrictionSolution, solve_friction
from physics.complementarity.friction_problem import METHODS
from tests.tools.friction_problems import FrictionProblem, families

RESULTS = Path(__file__).parent / "results"
GOOD = 1e-8
"""Residuals below this count as a solution."""
SHORT = 0.2
"""Calls shorter than this are timed again [s]."""


def timed(problem: FrictionProblem, method: str) -> tuple[FrictionSolution, float]:
    """(the solution, seconds)."""
    best = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        solution = solve_friction(problem.W, problem.q, problem.mu, problem.dim, method=method)
        best = min(best, time.perf_counter() - begin)
        if best > SHORT:
            break
    return solution, best


def row(name: str, problems: list[FrictionProblem], method: str) -> list[str]:
    """A line of the table."""
    found = [timed(p, method) for p in problems]
    contacts, seconds = [len(p.mu) for p in problems], [t for _, t in found]
    methods = sorted({s.method for s, _ in found})
    iterations = statistics.median(s.iterations for s, _ in found)
    worst, good = max(s.residual for s, _ in found), sum(s.residual <= GOOD for s, _ in found)
    return [name, f"{min(contacts)} .. {max(contacts)}", ", ".join(methods), f"{iterations:.0f}",
            f"{1e3 * statistics.median(seconds):.2f}", f"{1e3 * max(seconds):.0f}", f"{worst:.0e}", f"{good} of {len(found)}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=570, help="of the number of contacts")
    parser.add_argument("--method", choices=METHODS, default="auto")
    parser.add_argument("--write", action="store_true", help="keep the page in benchmarks/results")
    args = parser.parse_args()
    here = machine()
    page = ["# Friction problems in local form\n", f"{here['cpu']}, {here['cores']} cores, {here['system']}, "
            f"Python {here['python']}, {here['date']}, method {args.method}. "
            "`python -m benchmarks.friction --help` says what the columns are.\n",
            "| family | contacts | found by | iterations, median | ms, median | ms, longest | residual, largest | below 1e-8 |",
            "|---|---:|---|---:|---:|---:|---:|---:|"]
    print("\n".join(page), flush=True)
    for name, make in families(args.largest):
        page.append(f"| {' | '.join(row(name, make(), args.method))} |")
        print(page[-1], flush=True)
    if args.write:
        (RESULTS / f"{here['date']}-friction.md").write_text("\n".join(page) + "\n")


if __name__ == "__main__":
    main()
