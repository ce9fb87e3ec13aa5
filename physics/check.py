"""Checks of single values: one sentence that says what, where, what is allowed."""

import difflib
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from physics.errors import BadInput


def number(what: str, value: Any, *, lo: float = -math.inf, hi: float = math.inf, unit: str = "",
           open_lo: bool = False) -> float:
    """`value` as a finite float in [lo, hi], or (lo, hi] with `open_lo`; else BadInput."""
    if isinstance(value, bool | str) or not isinstance(value, int | float | np.number):
        raise BadInput(f"{what} = {value!r} must be a number")
    value = float(value)
    if not math.isfinite(value) or value < lo or value > hi or (open_lo and value == lo):
        u = f" {unit}" if unit else ""
        allowed = f"more than {lo:g} and at most {hi:g}{u}" if open_lo else f"{lo:g} .. {hi:g}{u}"
        raise BadInput(f"{what} = {value!r} is not allowed; allowed: {allowed}")
    return value


def vector(what: str, value: Any, limit: float = 1e6) -> np.ndarray:
    """`value` as three finite floats of size up to `limit`, shape (3,); else BadInput."""
    try:
        v = np.array(value, float)
    except (TypeError, ValueError):
        raise BadInput(f"{what} = {value!r} must be three numbers") from None
    if v.shape != (3,):
        raise BadInput(f"{what} = {value!r} must be three numbers")
    if not np.all(np.abs(v) <= limit):
        raise BadInput(f"{what} = {value!r} must be finite and at most {limit:g} in size")
    return v


def unit_quaternion(what: str, value: Any) -> np.ndarray:
    """`value` (w, x, y, z) normalised, shape (4,); BadInput where it is zero or not finite."""
    try:
        q = np.array(value, float)
    except (TypeError, ValueError):
        raise BadInput(f"{what} = {value!r} must be four numbers (w, x, y, z)") from None
    size = math.sqrt(sum(x * x for x in q.tolist())) if q.shape == (4,) else math.nan     # no BLAS: see frames.inverse
    if not 1e-6 <= size < math.inf:
        raise BadInput(f"{what} = {value!r} must be four finite numbers (w, x, y, z), not all zero")
    return q / size


def name_hint(name: str, known: Iterable[str]) -> str:
    """ "; did you mean ...?" or "; there are: ..." """
    known = [k for k in known if k]
    near = difflib.get_close_matches(name, known, n=3)
    if near:
        return f"; did you mean {' or '.join(repr(n) for n in near)}?"
    return f"; there are: {', '.join(known[:12])}" if known else "; there are none"
