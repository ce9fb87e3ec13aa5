"""The broad phase alone: `python -m benchmarks.broad_phase [largest]`. Nanoseconds a body for piles, walls and wide worlds.

first: from scratch; moving: every box leaves its enlarged box; resting: nothing moves; one: a single box leaves its own; asleep:
all but twenty sleep, these move. bounds: time of this step's boxes, in addition.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from physics.collide import bounds, broad
from physics.core.records import BODY, SHAPE, Kind
from physics.shapes import kinds

ROUNDS = 9
NO_KEYS = np.empty(0, np.int64)


def pile(n: int) -> np.ndarray:
    """Centres of touching cubes in a cube."""
    side = round(n ** (1 / 3))
    return np.indices((side, side, side)).reshape(3, -1).T + np.array([0.0, 0.0, 0.5])


def wall(n: int) -> np.ndarray:
    """Centres of a brick wall, twice as many along as up."""
    rows = round((n / 2) ** 0.5)
    z, x = np.divmod(np.arange(2 * rows * rows), 2 * rows)
    return np.stack([x + 0.5 * (z % 2), 0.0 * x, z + 0.5], -1)


def wide(n: int) -> np.ndarray:
    """Centres scattered over a plain, ten metres apart."""
    xy = np.random.default_rng(3).uniform(-5.0 * n**0.5, 5.0 * n**0.5, (n, 2))
    return np.concatenate([xy, np.full((n, 1), 0.5)], 1)


def tables(centres: np.ndarray) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """(bodies, shapes, shapes by kind): unit cubes on a plane."""
    names, n = list(kinds()), len(centres) + 1
    bodies, shapes = np.zeros(n, BODY), np.zeros(n, SHAPE)
    bodies["kind"], bodies["kind"][0] = Kind.DYNAMIC, Kind.STATIC
    bodies["quat"][:, 0] = shapes["local_quat"][:, 0] = 1.0
    bodies["pos"][1:] = centres
    shapes["body"], shapes["dims"] = np.arange(n), 0.5
    shapes["kind"], shapes["kind"][0] = names.index("box"), names.index("plane")
    return bodies, shapes, {"plane": np.zeros(1, np.int32), "box": np.arange(1, n, dtype=np.int32)}


def measure(centres: np.ndarray) -> dict[str, float]:
    """Medians of the cases [s], and the number of pairs."""
    bodies, shapes, lists = tables(centres)
    rng, shift = np.random.default_rng(1), np.zeros(3)

    def refresh() -> None:
        bounds.update(bodies, shapes, lists, 0.02, 1 / 240, (0.0, 0.0, -9.81))

    def timed(work: Callable[[], object], before: Callable[[], None]) -> float:
        times = []
        for _ in range(ROUNDS):
            before()
            begin = time.perf_counter()
            work()
            times.append(time.perf_counter() - begin)
        return float(np.median(times))

    def jitter() -> None:
        bodies["pos"][1:] = centres + rng.uniform(-0.5, 0.5, centres.shape) * 0.4
        refresh()

    def jump() -> None:
        shift[0] = 0.3 - shift[0]
        bodies["pos"][1 + len(centres) // 2] = centres[len(centres) // 2] + shift
        refresh()

    out = {"bounds": timed(refresh, lambda: None)}
    out["first"] = timed(lambda: broad.find_pairs(bodies, shapes, NO_KEYS), lambda: None)
    phase = broad.BroadPhase()

    def find() -> None:
        out["pairs"] = len(phase.find(bodies, shapes, NO_KEYS, 0)[0])

    out["moving"] = timed(find, jitter)
    bodies["pos"][1:] = centres
    refresh()
    find()
    out["resting"] = timed(find, refresh)
    pairs = out["pairs"]
    out["one"] = timed(find, jump)
    bodies["asleep"][1:-20] = 1
    lists["box"] = np.arange(len(bodies) - 20, len(bodies), dtype=np.int32)
    out["asleep"] = timed(find, lambda: (bodies["pos"].__setitem__((slice(-20, None), 2), 3.0 + rng.random()), refresh())[0])
    return {**out, "pairs": pairs}


def main() -> int:
    """Print the table."""
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    cases = ("bounds", "first", "moving", "resting", "one", "asleep")
    print(f"{'ns a body':12}{'bodies':>8}{'pairs':>9}" + "".join(f"{case:>9}" for case in cases))
    for arrange in (pile, wall, wide):
        for n in (1000, 5000, 20_000, 50_000):
            if n <= largest:
                found = measure(arrange(n))
                print(f"{arrange.__name__:12}{n:8}{found['pairs']:9.0f}" + "".join(f"{1e9 * found[c] / n:9.1f}" for c in cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
