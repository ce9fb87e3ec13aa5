"""The only compile decorators of the project, and where their compiled code is kept.

numba's own cache does not notice an edit in an imported file, and a damaged cache file can crash the
process. So the cache folder is named by a hash of everything that the code depends on, and its files are
checked against a manifest before numba may load them (`physics.core.cache`).
"""

import logging

import numba

from physics.core import cache

# A generic CPU costs nothing on these scalar kernels and gives the same bits on every x86-64 (or arm64) machine.
numba.config.CPU_NAME = "generic"
numba.config.CPU_FEATURES = ""
numba.config.CACHE_DIR = str(cache.prepare())

KERNELS: list = []
"""Every function compiled by `kernel`, in import order: for the warm-up, and for the one-signature test."""

FUNCTIONS: list = []
"""Every compiled function, in import order: what the progress bar of the warm-up counts."""


def _compile(function, **flags):
    """The compiled function; a disk that refuses its code costs the next start some seconds, and nothing now."""
    compiled = numba.njit(nogil=True, cache=True, error_model="numpy", **flags)(function)
    FUNCTIONS.append(compiled)
    store = getattr(compiled, "_cache", None)
    if store is None:  # NUMBA_DISABLE_JIT
        return compiled
    save = store.save_overload

    def save_if_possible(signature, data):
        try:
            save(signature, data)
        except OSError as error:
            logging.getLogger(__name__).info("compiled code of %s is not kept: %s", function.__name__, error)

    store.save_overload = save_if_possible
    return compiled


def kernel(function):
    """Compile a function that Python calls: no GIL, cached on disk, 1/0 = inf."""
    compiled = _compile(function)
    KERNELS.append(compiled)
    return compiled


def inline(function):
    """Compile a small function that kernels call; it is inlined into its caller."""
    return _compile(function, forceinline=True)


def routine(function):
    """Compile a larger function that kernels call, without inlining it (keeps compile times short)."""
    return _compile(function)
