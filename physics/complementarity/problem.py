"""Checks of an algorithm's input (errors say what, where, what is allowed), and the status with which it ends."""

from enum import IntEnum
from typing import Any

import numpy as np

from physics.core.check import BadInput


def problem(M: Any, q: Any) -> tuple[np.ndarray, np.ndarray]:
    """M (n, n) and q (n,) as contiguous float64; else BadInput."""
    M, q = numbers("M", M), numbers("q", q)
    if M.ndim != 2 or M.shape[0] != M.shape[1]:
        raise BadInput(f"M has the shape {M.shape}; it must be square, (n, n)")
    if q.shape != (len(M),):
        raise BadInput(f"q has the shape {q.shape}; beside M of the shape {M.shape} it must be ({len(M)},)")
    return M, q


def numbers(what: str, value: Any) -> np.ndarray:
    """`value` as a contiguous array of finite float64; else BadInput with the position of the first bad number."""
    try:
        array = np.ascontiguousarray(value, np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{what} must be an array of numbers; its elements are {type(value).__name__}") from None
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        place = ", ".join(map(str, wrong[0]))
        raise BadInput(f"{what}[{place}] = {array[tuple(wrong[0])]} must be finite")
    return array


def covering(d: Any, n: int) -> np.ndarray:
    """The covering vector: (n,) positive numbers; else BadInput."""
    d = numbers("d", d)
    if d.shape != (n,):
        raise BadInput(f"the covering vector d has the shape {d.shape}; beside M it must be ({n},)")
    if not np.all(d > 0.0):
        i = int(np.argmin(d))
        raise BadInput(f"d[{i}] = {d[i]} is not allowed; all elements of the covering vector must be positive")
    return d


def marks(start: Any, n: int) -> np.ndarray:
    """A flag for each z, (n,) uint8; else BadInput."""
    start = np.array(np.asarray(start) != 0, np.uint8)
    if start.shape != (n,):
        raise BadInput(f"start has the shape {start.shape}; beside M it must be ({n},)")
    return start


def count(what: str, value: Any, default: int) -> int:
    """`value` as a whole number, at least 0; `default` for None; else BadInput."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise BadInput(f"{what} = {value!r} must be an integer, at least 0")
    return int(value)


class Status(IntEnum):
    """SOLVED; RAY: a secondary ray, no solution was found; LIMIT of pivots or sweeps; CANCELLED by `halt`.
    LOST: one of an algorithm's attempts lost its digits; never a final status."""

    SOLVED = 0
    RAY = 1
    LIMIT = 2
    CANCELLED = 3
    LOST = 4
