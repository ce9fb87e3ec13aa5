"""Calls of kernels by their addresses: the caller neither links nor optimises them once more.

A kernel that calls another contains its code, and is compiled for as long as both. One that calls by address contains a jump:

    CALLS = CallTable()                     # in a module
    examine = CALLS.add(verdict.examine)
    ...
    broken = examine(calls, bodies, ..)     # in a kernel; calls: `CALLS.addresses()`, one of its arguments

`calling` is for kernels of equal arguments of which one is chosen at run time. The address is 0 until a kernel was called or
compiled in this process: whoever calls by address makes sure that it is not.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

AVAILABLE = not numba.config.DISABLE_JIT
"""Whether kernels have addresses."""


_FOUND: dict[Any, int] = {}
"""Addresses of kernels: what is loaded stays where it is, and asking takes 40 us."""


def address(kernel: Any) -> int:
    """Where the machine code of a kernel is; 0: it is not loaded."""
    if kernel not in _FOUND:
        for compiled in getattr(kernel, "overloads", {}).values():      # in a test it may be another function
            _FOUND[kernel] = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return _FOUND.get(kernel, 0)


def calling(kernel: Any, index: int = -1) -> Callable:
    """call(address, *args) in compiled code, of a kernel with the arguments of this one; index: call(addresses, *args), of the
    one at that place."""

    @intrinsic
    def call(typing, where, *args):
        kernel.compile(args)
        called = kernel.overloads[args].signature

        def generate(context, builder, signature, values):
            convention, place = context.call_conv, values[0]
            context.active_code_library.jumps.append(kernel.overloads[args].library)
            if index >= 0:
                table = context.make_array(where)(context, builder, place)
                place = builder.load(cgutils.gep(builder, table.data, index))
            code = builder.inttoptr(place, ir.PointerType(convention.get_function_type(called.return_type, called.args)))
            passed = cgutils.unpack_tuple(builder, values[1])
            status, result = convention.call_function(builder, code, called.return_type, called.args, passed)
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return called.return_type(where, types.StarArgTuple(args)), generate

    return call


class CallTable:
    """The kernels that one kernel calls by address."""

    def __init__(self) -> None:
        self.kernels: list[Any] = []

    def add(self, kernel: Any) -> Callable:
        """call(addresses, *args) of this kernel in compiled code."""
        self.kernels.append(kernel)
        return calling(kernel, len(self.kernels) - 1)

    def addresses(self) -> np.ndarray:
        """int64 (kernels,)."""
        return np.array([address(kernel) for kernel in self.kernels], np.int64)
