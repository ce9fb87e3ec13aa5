"""Checks of the types of all arguments of kernels, also within a step, that cost less than the step.

numba looks through tuples of tables, item by item, at each call: that took longer than a compiled step of a small world. A tuple
never changes, so one that was looked through is known again by being the same object.
"""

from collections.abc import Callable
from typing import Any

from numba._dispatcher import compute_fingerprint

from physics.core import jit
from physics.core.compile.compiling import Kernel

LARGE = 7
"""Kernels whose tuples have more items are checked here; for others numba is quicker."""


def switch_on() -> None:
    """Check all kernels from now on."""
    Kernel.checks = True
    for kernel in jit.FUNCTIONS:
        if type(kernel) is Kernel:
            kernel.unchecked = known_types(kernel)


def known_types(kernel: Kernel) -> Callable:
    """A kernel that numba checks at calls with arguments of other types than before."""
    known: list = []            # the tuples of the last call, and no argument for what else there was
    fingerprints: list = []
    entry_point: Callable | None = None

    def checked(*args: Any) -> Any:
        nonlocal entry_point
        if entry_point is None or len(args) != len(known):
            return by_numba(*args)
        for k, arg in enumerate(args):
            if arg is not known[k]:
                if compute_fingerprint(arg) != fingerprints[k]:
                    return by_numba(*args)
                if isinstance(arg, tuple):
                    known[k] = arg
        return entry_point(*args)

    def by_numba(*args: Any) -> Any:
        nonlocal entry_point
        result = kernel(*args)
        if len(kernel.overloads) > 1 or not any(isinstance(a, tuple) and len(a) > LARGE for a in args):
            kernel.unchecked = kernel._first_call
        else:
            entry_point = next(iter(kernel.overloads.values())).entry_point
            fingerprints[:] = [compute_fingerprint(arg) for arg in args]
            known[:] = [arg if isinstance(arg, tuple) else NO_ARGUMENT for arg in args]
        return result

    return checked


NO_ARGUMENT = object()
