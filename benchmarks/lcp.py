"""Lemke's algorithm beside others on the same matrices: `python -m benchmarks.lcp [--largest 1000] [--seconds 2] [--write]`.

Problems of Stewart and Trinkle (tests/tools/stewart_trinkle_problems.py, 8 facets, so 10 rows a contact) with n from 30 to 1000:

    random    contacts among moving bodies of different masses; the median over three problems
    stack     boxes on boxes with four corner points each, at rest: exactly symmetric and redundant

Solvers, each if installed: ours (compiled for any processor with AVX2, as shipped), quantecon's `lcp_lemke` (pip install
quantecon), Siconos's lexicographic one (apt install libsiconos-numerics7; called through ctypes, one BLAS thread).
All are called once to warm up, then in turn, round after round; times are medians, ratios medians over rounds of the other's
time divided by ours. `residual`: max |min(z, q + M z)|, computed here. Ratios in brackets compare with a failed solution.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import ctypes
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.peers.measure import machine
from physics.complementarity.lemke import lemke
from tests.tools import stewart_trinkle_problems as problems

RESULTS = Path(__file__).parent / "results"
SIZES = (30, 70, 200, 500, 1000)
MANY = 10_000
"""Pivot limit."""
SOLVED = 1e-8
"""Residuals above this share of max |q| are not a solution."""
Call = Callable[[], np.ndarray]


def ours(M: np.ndarray, q: np.ndarray) -> Call:
    """Our kernel, cold start."""
    n = len(q)
    d, z, go, none = np.ones(n), np.empty(n), np.zeros(1, np.int32), np.empty((0, 2), np.int32)
    start = np.zeros(n, np.uint8)

    def call() -> np.ndarray:
        start[:] = 0
        lemke(M, q, d, start, MANY, go, z, none)
        return z
    return call


def quantecon(M: np.ndarray, q: np.ndarray) -> Call:
    """QuantEcon's solver, with its defaults but for the pivot limit."""
    from quantecon.optimize import lcp_lemke

    return lambda: lcp_lemke(M, q, max_iter=MANY).z


class _Problem(ctypes.Structure):
    """LinearComplementarityProblem of Siconos 4.4."""

    _fields_ = [("size", ctypes.c_int), ("matrix", ctypes.c_void_p), ("q", ctypes.c_void_p)]


class _Options(ctypes.Structure):
    """The first fields of SolverOptions of Siconos 4.4."""

    _fields_ = [("solver", ctypes.c_int), ("is_set", ctypes.c_bool), ("integers", ctypes.c_int),
                ("iparam", ctypes.POINTER(ctypes.c_int))]


def siconos(M: np.ndarray, q: np.ndarray) -> Call:
    """Siconos's solver, with its defaults but for the pivot limit; z starts at zero."""
    library = ctypes.CDLL("libsiconos_numerics.so.7")
    library.NM_create_from_data.restype = ctypes.c_void_p
    library.NM_create_from_data.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p]
    library.solver_options_create.restype = ctypes.POINTER(_Options)
    library.linearComplementarity_driver.argtypes = [ctypes.c_void_p] * 4
    n, matrix, vector, z, w = len(q), np.asfortranarray(M), q.copy(), np.empty(len(q)), np.empty(len(q))
    dense, lexicographic_lemke = 0, 200
    options = library.solver_options_create(lexicographic_lemke)
    options.contents.iparam[0] = MANY
    problem = _Problem(n, library.NM_create_from_data(dense, n, n, matrix.ctypes.data), vector.ctypes.data)

    def call() -> np.ndarray:
        z[:] = 0.0
        library.linearComplementarity_driver(ctypes.addressof(problem), z.ctypes.data, w.ctypes.data,
                                             ctypes.cast(options, ctypes.c_void_p))
        return z
    call.owners = matrix, vector
    return call


SOLVERS = {"ours": ours, "quantecon": quantecon, "siconos": siconos}


def available() -> tuple[list[str], list[str]]:
    """(names of the available solvers, sentences on the missing ones)."""
    M, q = problems.random_contacts(3)
    here, missing = [], []
    for name, make in SOLVERS.items():
        try:
            make(M, q)()
        except (ImportError, OSError) as error:
            missing.append(f"{name} is not here: {error}")
        else:
            here.append(name)
    return here, missing


def families(largest: int) -> Iterator[tuple[str, int, list[tuple[np.ndarray, np.ndarray]]]]:
    """(name, n, problems)."""
    for n in SIZES:
        if n <= largest:
            yield "random", n, [problems.random_contacts(n // 10, seed=seed) for seed in range(3)]
    for n in SIZES:
        if n <= largest:
            M, q = problems.box_stacks(max(1, round(n / 40)))
            yield "stack", len(q), [(M, q)]


def rounds(calls: dict[str, Call], seconds: float, clock: Callable[[], float] = time.perf_counter) -> dict[str, list[float]]:
    """Times of the calls by the clock [s], in turn, until the time is used up; at least three rounds."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(taken["ours"]) < 3:
        for name, call in calls.items():
            begin = clock()
            call()
            taken[name].append(clock() - begin)
    return taken


def measure(cases: list[tuple[np.ndarray, np.ndarray]], names: list[str], seconds: float) -> dict[str, str]:
    """A row of the table: medians over the cases."""
    times: dict[str, list[float]] = {name: [] for name in names}
    ratios: dict[str, list[float]] = {name: [] for name in names}
    worst = dict.fromkeys(names, 0.0)
    for M, q in cases:
        calls = {name: SOLVERS[name](M, q) for name in names}
        for name, call in calls.items():
            z = call()
            worst[name] = max(worst[name], float(np.abs(np.minimum(z, q + M @ z)).max() / np.abs(q).max()))
        taken = rounds(calls, seconds / len(cases))
        for name in names:
            times[name].append(statistics.median(taken[name]))
            ratios[name].append(statistics.median(a / b for a, b in zip(taken[name], taken["ours"])))
    row = {}
    for name in names:
        row[f"{name} ms"] = f"{1e3 * statistics.median(times[name]):.3f}"
        row[f"{name} residual"] = f"{worst[name]:.0e}"
    for name in names[1:]:
        ratio = f"{statistics.median(ratios[name]):.1f}"
        row[f"{name} / ours"] = ratio if worst[name] <= SOLVED else f"[{ratio}]"
    return row


def plot(points: dict[str, dict[str, list[tuple[int, float]]]], path: Path) -> None:
    """Plot time over n, both logarithmic, if matplotlib is installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no plot: matplotlib is not installed")
        return
    figure = Figure((9, 4), layout="constrained")
    for axes, (family, lines) in zip(figure.subplots(1, 2, sharey=True), points.items()):
        for name, line in lines.items():
            axes.loglog(*zip(*line), "o-", label=name)
        axes.set(title=family, xlabel="n", ylabel="ms")
        axes.grid(alpha=0.3, which="both")
        axes.legend()
    figure.savefig(path, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=1000, help="of n")
    parser.add_argument("--seconds", type=float, default=2.0, help="of measurement for each row")
    parser.add_argument("--write", action="store_true", help="keep the page, and a plot, in benchmarks/results")
    args = parser.parse_args()
    names, missing = available()
    here = machine()
    page = ["# Lemke's algorithm beside others\n", f"{here['cpu']}, {here['cores']} cores, {here['system']}, "
            f"Python {here['python']}, {here['date']}. `python -m benchmarks.lcp --help` says what the columns are.", *missing,
            ""]
    print("\n".join(page))
    points: dict[str, dict[str, list[tuple[int, float]]]] = {}
    for family, n, cases in families(args.largest):
        row = {"problem": family, "n": str(n), **measure(cases, names, args.seconds)}
        lines = [f"| {' | '.join(row.values())} |"]
        if not points:
            lines = [f"| {' | '.join(row)} |", f"|{'---:|' * len(row)}", *lines]
        for name in names:
            points.setdefault(family, {}).setdefault(name, []).append((n, float(row[f"{name} ms"])))
        print("\n".join(lines), flush=True)
        page += lines
    if args.write:
        (RESULTS / f"{here['date']}-lcp.md").write_text("\n".join(page) + "\n")
        plot(points, RESULTS / f"{here['date']}-lcp.png")


if __name__ == "__main__":
    main()
