"""The only compile decorators of the project.

numba's own cache does not notice an edit in an imported file, and a damaged cache file can crash the process. So compiled
code is stamped with a hash of everything it depends on, and its files are checked against a manifest before numba loads them
(`physics.core.compile.cache`). Compilation: `physics.core.compile.compiling`; target processor:
`physics.core.compile.processor`.
"""

from collections.abc import Callable

import numba

from physics.core.compile import processor

numba.config.CPU_NAME, numba.config.CPU_FEATURES = processor.target()

from physics.core.compile.compiling import Kernel, Part  # noqa: E402

KERNELS: list = []
"""Every function compiled by `kernel`, in import order: for the warm-up and the one-signature test."""

FUNCTIONS: list = []
"""Every compiled function, in import order: counted by the progress bar of the warm-up."""


def _compile(kind: type, function: Callable, **options: bool) -> Callable:
    compiled = function if numba.config.DISABLE_JIT else kind(function, **options)
    FUNCTIONS.append(compiled)
    return compiled


def kernel(function: Callable) -> Callable:
    """Compile a function that Python calls: no GIL, cached on disk, 1/0 = inf.

    It returns numbers and tuples of them. Arrays and named tuples numba makes for Python by calling a Python function, in which a
    pending Ctrl+C is raised; it does not expect that, and the process ends.
    """
    compiled = _compile(Kernel, function)
    if compiled is function:
        function.unchecked = function
    KERNELS.append(compiled)
    return compiled


def inline(function: Callable) -> Callable:
    """Compile a small function that kernels call, inlined into its caller."""
    return _compile(Part, function, forceinline=True)


def routine(function: Callable) -> Callable:
    """Compile a larger function that kernels call, not inlined (keeps compile times short)."""
    return _compile(Part, function)
