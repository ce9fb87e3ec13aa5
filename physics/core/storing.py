"""How compiled code gets into the files of physics/core/cache.py: one folder a module, valid for one stamp of that module.

A kernel is kept as machine code. A part is kept as its own LLVM code and the names of the parts below it, for kernels that
are compiled later.
"""

import importlib
import logging
import os
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.compiler import CompileResult

from physics.core import cache


class Unlinked(Exception):
    """Code that an earlier process kept does not fit to the parts that it calls."""


class _Place:
    """Where a function's files are, and what they must be stamped with: numba's locator."""

    def __init__(self, function: Callable, source: str) -> None:
        self._py_file = source
        self._folder, self._stamp = cache.place(function.__module__, source)

    @classmethod
    def from_function(cls, function: Callable, source: str) -> "_Place":
        return cls(function, source)

    def ensure_cache_path(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        """None: names of functions are enough, and a line more in the file changes nothing."""
        return "0"


class _Kernels(CompileResultCacheImpl):
    _locator_classes = (_Place,)


class _Parts(_Kernels):
    """Own code and the addresses of what it calls, in place of machine code."""

    def reduce(self, result: CompileResult) -> tuple:
        library, description = result.library, result.fndesc
        description.typemap = description.calltypes = None  # as numba does: they may not pickle
        return (type(library), library.name, library.bitcode(), library.address, library.addresses(), description,
                result.environment, result.signature, result.reload_init)

    def rebuild(self, context: Any, payload: tuple) -> CompileResult:
        kind, name, code, address, addresses, description, environment, signature, reload_init = payload
        for again in reload_init or ():
            again()
        library = kind(context.codegen(), name)
        library.address = address
        for module, qualname, types in addresses:
            part = getattr(importlib.import_module(module), qualname)
            part.compile(types)
            library.add_linking_library(part.overloads[types].library)
        library.take(llvm.parse_bitcode(code))
        if missing := library.missing():
            raise Unlinked(f"{name} calls {', '.join(missing)}")
        entry = context.get_executable(library, description, environment)
        return CompileResult(
            typing_context=context.typing_context, target_context=context, entry_point=entry, typing_error=None,
            type_annotation=None, signature=signature, objectmode=False, lifted=(), fndesc=description, library=library,
            call_helper=None, environment=environment, metadata=None, reload_init=reload_init, referenced_envs=())


class KernelStore(FunctionCache):
    """A disk that refuses code costs the next start some seconds, and nothing now."""

    _impl_class = _Kernels

    def save_overload(self, signature: Any, result: CompileResult) -> None:
        try:
            with cache.writing():
                super().save_overload(signature, result)
        except OSError as error:
            logging.getLogger(__name__).info("compiled code of %s is not kept: %s", self._name, error)


class PartStore(KernelStore):
    """What does not fit together any more is compiled again."""

    _impl_class = _Parts

    def load_overload(self, signature: Any, context: Any) -> CompileResult | None:
        try:
            return super().load_overload(signature, context)
        except Unlinked as error:
            logging.getLogger(__name__).info("%s", error)
            return None
