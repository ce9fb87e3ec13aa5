"""Checks of single values. The message of an error is one sentence: what, where, what is allowed, what to do."""

import difflib
import math
import re
import reprlib
from collections.abc import Collection, Iterable
from numbers import Real
from typing import Any

import numpy as np


class BadInput(ValueError):
    """A value that the physics cannot accept. The message says what, where, what is allowed; nothing was changed."""


class Unsupported(BadInput):
    """Something in the world that the chosen solver does not have; another solver may."""


class Diverged(ArithmeticError):
    """A step gave a non-finite or absurdly fast state. body: index of the first such body. The state before the step is kept."""

    def __init__(self, message: str, body: int) -> None:
        super().__init__(message)
        self.body = body


MAX_SHOWN_LETTERS = 120
"""Maximum number of characters of a wrong value shown in a message."""

_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 60


def shown_value(value: Any) -> str:
    """A user's value for use in a message: on one line and shortened."""
    words = " ".join(_short.repr(value).split())
    return words if len(words) <= MAX_SHOWN_LETTERS else f"{words[:MAX_SHOWN_LETTERS]} .."


def number(what: str, value: Any, *, lo: float = -math.inf, hi: float = math.inf, unit: str = "",
           open_lo: bool = False) -> float:
    """`value` as a finite float in [lo, hi], or (lo, hi] with `open_lo`; else BadInput."""
    if type(value) is float and lo < value < hi:        # nearly always: what follows takes ten times as long
        return value
    if isinstance(value, bool) or not isinstance(value, Real):
        raise BadInput(f"{what} = {shown_value(value)} must be a number")
    try:
        value = float(value)
    except OverflowError:
        value = math.inf if value > 0 else -math.inf
    if not math.isfinite(value) or value < lo or value > hi or (open_lo and value == lo):
        u = f" {unit}" if unit else ""
        allowed = f"more than {lo:g} and at most {hi:g}{u}" if open_lo else f"{lo:g} .. {hi:g}{u}"
        raise BadInput(f"{what} = {value!r} is not allowed; allowed: {allowed}")
    return value


def whole(what: str, value: Any, lo: int, hi: int) -> int:
    """An integer from lo to hi.

    Raises:
        BadInput: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not lo <= value <= hi:
        raise BadInput(f"{what} = {shown_value(value)} must be an integer from {lo} to {hi}")
    return int(value)


def vector(what: str, value: Any, limit: float = 1e6) -> np.ndarray:
    """`value` as three finite floats of size up to `limit`, shape (3,); else BadInput."""
    v = numbers(value)
    if v is None or v.shape != (3,):
        raise BadInput(f"{what} = {shown_value(value)} must be three numbers")
    x, y, z = v.tolist()
    if not (abs(x) <= limit and abs(y) <= limit and abs(z) <= limit):
        raise BadInput(f"{what} = {shown_value(value)} must be finite and at most {limit:g} in size")
    return v


def unit_quaternion(what: str, value: Any) -> np.ndarray:
    """`value` (w, x, y, z) normalised, shape (4,); BadInput where it is zero or not finite."""
    q = numbers(value)
    if q is None or q.shape != (4,):
        raise BadInput(f"{what} = {shown_value(value)} must be four numbers (w, x, y, z)")
    size = math.sqrt(sum(x * x for x in q.tolist()))     # no BLAS: see frames.inverse
    if not 1e-6 <= size < math.inf:
        raise BadInput(f"{what} = {shown_value(value)} must be four finite numbers (w, x, y, z), not all zero")
    return q / size


def numbers(value: Any) -> np.ndarray | None:
    """A new float array from an array or nested lists or tuples of numbers; None if it is none of these."""
    try:
        given = np.array(value)
        return given.astype(float, copy=False) if given.dtype.kind in "iufO" else None
    except (TypeError, ValueError, OverflowError):
        return None


def flag(what: str, value: Any) -> bool:
    """`value` if it is true or false; else BadInput."""
    if not isinstance(value, bool | np.bool_):
        raise BadInput(f"{what} = {shown_value(value)} must be true or false")
    return bool(value)


def text(what: str, value: Any) -> str:
    """`value` if it is a text; else BadInput."""
    if not isinstance(value, str):
        raise BadInput(f"{what} = {shown_value(value)} must be a string")
    return value


MAX_NAME = 200
"""Longest name of a body, joint, material or control input [letters]."""

NAME = r"^[^\x00-\x1f\x7f]+$"
"""Names that scene files can hold: no control characters."""

_PLAIN = re.compile("[^\\x00-\\x1f\\x7f\\ud800-\\udfff]*")


def plain_name(what: str, value: Any) -> str:
    """`value` if it can be a name, or is empty; else BadInput. Scene files with other names could be written, but not read."""
    if text(what, value) and (len(value) > MAX_NAME or not value.strip() or not _PLAIN.fullmatch(value)):
        raise BadInput(f"{what} = {shown_value(value)} must have up to {MAX_NAME} letters, none of them a control character such "
                       "as a tab, and not only spaces")
    return value


def check_choice(what: str, value: Any, allowed: Collection[str]) -> str:
    """`value` if it is one of the allowed texts; else BadInput."""
    if not isinstance(value, str) or value not in allowed:
        raise BadInput(f"{what} {shown_value(value)} is not one of: {', '.join(allowed)}")
    return value


def name_hint(name: Any, known: Iterable[str]) -> str:
    """ "; did you mean ...?" or "; there are: ..." """
    known = [k for k in known if k]
    near = difflib.get_close_matches(str(name), known, n=3)
    if near:
        return f"; did you mean {' or '.join(repr(n) for n in near)}?"
    return f"; there are: {', '.join(known[:12])}" if known else "; there are none"
