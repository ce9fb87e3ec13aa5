"""The only two compile decorators of the project, and where their compiled code is kept.

numba's own cache does not notice an edit in an imported file, and a damaged cache file can crash the
process. So the cache folder is named by a hash of everything that the code depends on, and its files are
checked against a manifest before numba may load them (`physics.core.cache`).
"""

import numba

from physics.core import cache

# A generic CPU costs nothing on these scalar kernels and gives the same bits on every x86-64 (or arm64) machine.
numba.config.CPU_NAME = "generic"
numba.config.CPU_FEATURES = ""
numba.config.CACHE_DIR = str(cache.prepare())

KERNELS: list = []
"""Every function compiled by `kernel`, in import order: for the warm-up, and for the one-signature test."""


def kernel(function):
    """Compile a function that Python calls: no GIL, cached on disk, 1/0 = inf."""
    compiled = numba.njit(nogil=True, cache=True, error_model="numpy")(function)
    KERNELS.append(compiled)
    return compiled


def inline(function):
    """Compile a small function that kernels call; it is inlined into its caller."""
    return numba.njit(nogil=True, cache=True, error_model="numpy", forceinline=True)(function)


def routine(function):
    """Compile a larger function that kernels call, without inlining it (keeps compile times short)."""
    return numba.njit(nogil=True, cache=True, error_model="numpy")(function)
