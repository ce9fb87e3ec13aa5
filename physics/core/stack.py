"""Scratch arrays of fixed size on the stack: no allocation, no reference counting (compile/refcount.py).

    _pair = scratch(2, 3)       # at the top of a module
    ...
    work = _pair()              # in a compiled function: float64 (2, 3), uninitialised, valid until the function returns

Calls in a loop return the same memory.
"""

import math
from collections.abc import Callable

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_REAL = np.dtype(np.float64)


def scratch(*shape: int) -> Callable[[], np.ndarray]:
    """A function that makes such an array in compiled code."""
    if numba.config.DISABLE_JIT:
        return lambda: np.empty(shape)
    kind = types.Array(types.float64, len(shape), "C")
    strides = [_REAL.itemsize * math.prod(shape[k + 1:]) for k in range(len(shape))]

    @intrinsic
    def make(typing):
        def generate(context, builder, sig, args):
            array, size = context.make_array(kind)(context, builder), context.get_constant(types.intp, math.prod(shape))
            context.populate_array(array, data=cgutils.alloca_once(builder, ir.DoubleType(), size=size),
                                   shape=[context.get_constant(types.intp, n) for n in shape],
                                   strides=[context.get_constant(types.intp, n) for n in strides],
                                   itemsize=context.get_constant(types.intp, _REAL.itemsize), meminfo=None)
            return array._getvalue()
        return kind(), generate

    OWNED_BY_NOBODY.add(make)
    return make


OWNED_BY_NOBODY: set = set()
"""Functions made by `scratch`."""
