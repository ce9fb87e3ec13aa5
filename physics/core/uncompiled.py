"""Compiled functions called from Python."""

from collections.abc import Callable
from typing import Any


def uncompiled(function: Any) -> Callable:
    """The uncompiled function, for single calls with arguments of many types."""
    return getattr(function, "py_func", function)
