"""Cost of a call in units of a fixed piece of Python, which slows down equally on a busy machine."""

import time
from collections.abc import Callable


def unit() -> float:
    """The piece of Python [s]: half a millisecond or so on a desktop of 2020."""
    begin = time.perf_counter()
    table, total = {}, 0.0
    for k in range(4000):
        table[k % 61] = total = 0.5 * total + table.get((k + 7) % 61, 1.0)
    return time.perf_counter() - begin


def cost(call: Callable[[], object], times: int = 30) -> float:
    """The quickest of several calls, in quickest units; one unit before each call."""
    units, took = [], []
    for _ in range(times):
        units.append(unit())
        begin = time.perf_counter()
        call()
        took.append(time.perf_counter() - begin)
    return min(took) / min(units)
