"""Compilation and caching of functions: each part is translated once; only kernels are optimised and assembled, with their parts.

numba treats all functions alike: it wraps each for Python and for C, optimises it together with all that it calls, generates
machine code, and repeats this for each of its callers. A part (`jit.routine`, `jit.inline`) is called from Python at most by
tests, so here it stops at its own LLVM code. A kernel links each part that it reaches once, and optimises the whole once.
That takes half the time. The results have the same bits: without fastmath LLVM may not change a rounding.

Compiled code is stored in the files of physics/core/compile/cache.py: one folder per module, valid for one stamp of that module.
A kernel is stored as machine code with its compressed LLVM code; a part as its own LLVM code and the names of the parts that it
calls, for kernels compiled later.
"""

import functools
import hashlib
import importlib
import itertools
import logging
import os
import threading
import zlib
from collections.abc import Callable, Iterable
from typing import Any

import llvmlite.binding as llvm
from numba.core import types
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.environment import Environment, lookup_environment
from numba.core.registry import CPUDispatcher
from numba.core.runtime import rtsys
from numba.core.typed_passes import IRLegalization, NativeLowering

from physics.core.compile import cache
from physics.core.compile.refcount import OwnedOnlyLowering
from physics.core.interrupts import uninterrupted


class Unlinked(Exception):
    """Stored code does not match the parts that it calls."""


class _Place:
    """numba cache locator: folder of a function's files and the stamp they must have."""

    def __init__(self, function: Callable, source: str) -> None:
        self._py_file = source
        self._folder, self._stamp = cache.place(function.__module__, source)

    @classmethod
    def from_function(cls, function: Callable, source: str) -> "_Place":
        return cls(function, source)

    def ensure_cache_path(self) -> None:
        """The folder is made when there is something to put into it."""

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return self._stamp

    def get_disambiguator(self) -> str:
        """A constant: function names suffice, and inserted lines change nothing."""
        return "0"


class _Kept(JITCodeLibrary):
    """Machine code of a kernel from an earlier process. Its LLVM code is unpacked only when a kernel that calls it is compiled:
    reading all of it took a sixth of the time to the first picture."""

    def __init__(self, codegen: Any, name: str, machine: bytes, code: bytes, symbols: list[str]) -> None:
        super().__init__(codegen, name)
        self._code = code
        self.enable_object_caching()
        self._set_compiled_object(machine)
        self._finalize_final_module()
        codegen._engine._defined_symbols.update(symbols)

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = llvm.parse_bitcode(zlib.decompress(self._code))
        return self._shared_module


class _Kernels(CompileResultCacheImpl):
    _locator_classes = (_Place,)

    def reduce(self, result: CompileResult) -> tuple:
        library, description = result.library, result.fndesc
        description.typemap = description.calltypes = None  # as numba does: they may not pickle
        module = library._get_module_for_linking()
        symbols = [value.name for values in (module.functions, module.global_variables) for value in values
                   if not value.is_declaration]
        return (library.name, library._get_compiled_object(), zlib.compress(module.as_bitcode()), symbols, description,
                result.environment, result.signature, result.reload_init,
                [(one.globals["__name__"], one.consts, one.env_name) for one in result._find_referenced_environments()])

    def rebuild(self, context: Any, payload: tuple) -> CompileResult:
        name, machine, code, symbols, description, environment, signature, reload_init, others = payload
        for again in reload_init or ():
            again()
        library = _Kept(context.codegen(), name, machine, code, symbols)
        environments = tuple(_environment(*other) for other in others)
        for other in environments:
            library.codegen.set_env(other.env_name, other)
        return _result(context, library, description, environment, signature, reload_init, environments)


def _environment(module: str, constants: list, name: str) -> Environment:
    """The place of a function's Python objects. Code without such objects reads no global of its module, which numba would
    import: numba.np.arraymath, for one `any`, takes 0.07 s, and 0.7 s where scipy is installed."""
    known = lookup_environment(name)
    if known is None:
        known = Environment._memo[name] = Environment({"__name__": module})
        known.consts[:] = constants
        known.env_name = name
    return known


def _result(context: Any, library: Any, description: Any, environment: Any, signature: Any, reload_init: Any,
            others: tuple = ()) -> CompileResult:
    entry = context.get_executable(library, description, environment)
    return CompileResult(
        typing_context=context.typing_context, target_context=context, entry_point=entry, typing_error=None,
        type_annotation=None, signature=signature, objectmode=False, lifted=(), fndesc=description, library=library,
        call_helper=None, environment=environment, metadata=None, reload_init=reload_init, referenced_envs=others)


class _Parts(_Kernels):
    """Stores a part's own LLVM code and the addresses of the parts it calls instead of machine code."""

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
        for module, qualname, arguments in addresses:
            part = getattr(importlib.import_module(module), qualname)
            part.compile(arguments)
            library.add_linking_library(part.overloads[arguments].library)
        library.load_code(llvm.parse_bitcode(code))
        if missing := library.missing():
            raise Unlinked(f"{name} calls {', '.join(missing)}")
        return _result(context, library, description, environment, signature, reload_init)


class KernelStore(FunctionCache):
    """Cache of kernels. If the disk cannot be written, only the next start is slower, by some seconds."""

    _impl_class = _Kernels

    @property
    def stem(self) -> str:
        """Common prefix of the function's file names, with the folder (physics/core/compile/cache.py)."""
        return f"{os.path.basename(self._cache_path)}/{self._impl.filename_base}"

    def _load_overload(self, signature: Any, context: Any) -> CompileResult | None:
        cache.fetch(self.stem)
        return super()._load_overload(signature, context)

    def load_overload(self, signature: Any, context: Any) -> CompileResult | None:
        """As in numba, but initialise only its array memory, all that machine code needs. The registry of compilable functions,
        a tenth of a second, is loaded when something is compiled (numba's compiler does that itself)."""
        rtsys.initialize(context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, context)

    def save_overload(self, signature: Any, result: CompileResult) -> None:
        try:
            with cache.writing():
                os.makedirs(self._cache_path, mode=0o700, exist_ok=True)
                super().save_overload(signature, result)
        except OSError as error:
            logging.getLogger(__name__).info("compiled code of %s is not kept: %s", self._name, error)


class PartStore(KernelStore):
    """Cache of parts. Parts that no longer match are compiled again."""

    _impl_class = _Parts

    def load_overload(self, signature: Any, context: Any) -> CompileResult | None:
        try:
            return FunctionCache.load_overload(self, signature, context)
        except Unlinked as error:
            logging.getLogger(__name__).info("%s", error)
            return None


# numba names a symbol by its function, its types and a number, and counts functions and types from zero in each process. Here
# parts from several processes are linked together: two processes must not give one name to different code (nor different names
# to the same code of ours: _KernelCompiler).
FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(6), "big"))


class KernelLibrary(JITCodeLibrary):
    """Machine code of a kernel and all its parts. address: (module, name, types of the arguments); called: addresses of our
    functions that it calls directly; jumps: libraries of kernels that it calls by address (core/by_address.py)."""

    address: tuple = ()
    called: tuple = ()

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.jumps: list[Any] = []

    def _optimize_functions(self, module: Any) -> None:
        """As in numba, but with one pass manager for all functions."""
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self) -> None:
        """Link the parts, then the rest as numba does.

        The linker drops non-external functions that are not yet referenced, but a later module may reference them.
        """
        self._write_down()
        reached = _reach(self._linking_libraries)
        parts = [library for library in reached if isinstance(library, PartLibrary)]
        for part in parts:
            self._final_module.link_in(part._final_module, preserve=True)
        names = {function.name for part in parts for function in part.get_defined_functions()}
        for function in self._final_module.functions:
            if function.name in names and not function.is_declaration:
                function.linkage = "linkonce_odr"
        self._linking_libraries = [library for library in reached if not isinstance(library, PartLibrary)]
        super().finalize()

    def _write_down(self) -> None:
        self.called = tuple(library.address for library in dict.fromkeys((*self._linking_libraries, *self.jumps))
                            if isinstance(library, KernelLibrary))

    def _verify_declare_only_symbols(self) -> None:
        if missing := _undefined(self._final_module):
            raise AssertionError(f"{self.name} calls what is not linked: {', '.join(missing)}")


class PartLibrary(KernelLibrary):
    """LLVM code of one part and the list of parts it calls; kernels link them all."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._write_down()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            if not isinstance(library, PartLibrary):  # numba's own functions have no address
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._linking_libraries = [library for library in self._linking_libraries if isinstance(library, PartLibrary)]
        self._finalize_dynamic_globals()
        self._finalized = True

    def load_code(self, module: Any) -> None:
        """Use LLVM code stored by an earlier process."""
        self._final_module = module
        self.finalize()

    def missing(self) -> list[str]:
        """Our functions that it calls but the parts below it do not define."""
        below = {function.name for library in self._linking_libraries for function in library._final_module.functions
                 if not function.is_declaration}
        return [name for name in _undefined(self._final_module) if name not in below]

    def bitcode(self) -> bytes:
        self._ensure_finalized()
        return self._final_module.as_bitcode()

    def addresses(self) -> list[tuple]:
        """(module, name, types of the arguments) of each called part."""
        return [library.address for library in dict.fromkeys(self._linking_libraries)]

    @property
    def codegen(self) -> Any:
        return _NoMachine(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class _NoMachine:
    """Code generator of a library without machine code: it has no place for environments."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, env: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


def _undefined(module: Any) -> list[str]:
    """Functions of numba and ours that a module calls but does not define."""
    return [function.name for function in module.functions if function.is_declaration and function.name.startswith("_ZN")]


def _reach(libraries: Iterable) -> list:
    """These libraries and those of all parts below them, without duplicates."""
    found: dict = {}
    pending = list(libraries)
    while pending:
        library = pending.pop()
        if library not in found:
            library._ensure_finalized()
            found[library] = None
            if isinstance(library, PartLibrary):
                pending.extend(library._linking_libraries)
    return list(found)


class _KernelCompiler(Compiler):
    library = KernelLibrary

    def define_pipelines(self) -> list:
        from physics.core.compile import by_reference, call_types  # noqa: F401  (rules that nobody needs who compiles nothing)

        state = self.state
        self._name(state.func_id, state.args)
        if state.library is None:
            state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.library.address = (state.func_id.modname, state.func_id.func_qualname, tuple(state.args))
        (passes,) = super().define_pipelines()
        passes.add_pass_after(by_reference.CarryNothing, IRLegalization)
        passes.passes = [(OwnedOnlyLowering if one is NativeLowering else one, text) for one, text in passes.passes]
        passes.finalize()
        return [passes]

    def _name(self, function: FunctionIdentity, types_of_arguments: tuple) -> None:
        """Derive the symbol name from the code, so that code compiled by different processes links together.

        The behaviour of a closure does not follow from its source: it keeps numba's number.
        """
        if function.func.__closure__ is None:
            stamp = cache.place(function.modname, function.filename)[1]
            text = f"{self.library.__name__} {stamp} {function.modname} {function.func_qualname} {types_of_arguments}"
            function.unique_id = int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")
            function.unique_name = f"{function.func_qualname}${function.unique_id}"


class _PartCompiler(_KernelCompiler):
    library = PartLibrary


class Kernel(CPUDispatcher):
    """A compiled function that Python calls: no GIL, cached on disk, 1/0 = inf."""

    compiler, store = _KernelCompiler, KernelStore
    options = {"nopython": True, "nogil": True, "boundscheck": None, "error_model": "numpy"}
    checks = False
    """Whether `unchecked` checks argument types anyway, as in tests."""

    def __init__(self, function: Callable, **options: Any) -> None:
        super().__init__(function, targetoptions={**self.options, **options}, pipeline_class=self.compiler)
        self._cache = self.store(function)
        self.unchecked: Callable = self._first_call

    def _first_call(self, *args: Any) -> Any:
        """Initial value of `unchecked`: the first call compiles or loads the function.

        Later calls of `unchecked` go directly to it without type dispatch, which takes longer than many a small kernel. Use it
        for calls within a step, whose arguments are the world's own tables; user input goes through the kernel itself. Every
        kernel has exactly one signature (tests/commands/test_warm.py).
        """
        result = self(*args)
        if not self.checks and len(self.overloads) == 1:
            with uninterrupted():       # keys are compared by Python functions
                self.unchecked = next(iter(self.overloads.values())).entry_point
        return result

    def compile(self, sig: Any) -> Any:
        """Compile or load it. LLVM calls Python meanwhile, and an exception there, as by Ctrl+C, would end the process later."""
        with uninterrupted():
            return super().compile(sig)

    def get_call_template(self, args: Iterable, kws: dict) -> tuple:
        """Compile once for all values: numba would specialise for each constant that a kernel passes."""
        return super().get_call_template([types.unliteral(a) for a in args], {k: types.unliteral(a) for k, a in kws.items()})


_MAKING = threading.RLock()


class Part(Kernel):
    """A compiled function that kernels call.

    numba's side of it, half a millisecond, is made at the first access to one of its attributes: the code of most parts is
    within that of stored kernels, and is never accessed.
    """

    compiler, store = _PartCompiler, PartStore
    options = {**Kernel.options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    _way_in: Kernel | None = None

    def __init__(self, function: Callable, **options: Any) -> None:
        self._arguments = function, options
        functools.update_wrapper(self, function)

    def __getattr__(self, name: str) -> Any:
        self._make()
        return object.__getattribute__(self, name)

    def _make(self) -> None:
        """Make numba's side of it, once."""
        with _MAKING:
            if arguments := self.__dict__.pop("_arguments", None):
                super().__init__(arguments[0], **arguments[1])

    @property
    def _can_compile(self) -> bool:
        """A member of numba's C structure, which is there, and False, before it is made."""
        self._make()
        return CPUDispatcher._can_compile.__get__(self)

    @_can_compile.setter
    def _can_compile(self, value: bool) -> None:
        self._make()
        CPUDispatcher._can_compile.__set__(self, value)

    def __call__(self, *args: Any) -> Any:
        """Call from Python, as tests do, through an uncached kernel of the same code."""
        if self._way_in is None:
            self._way_in = Kernel(self.py_func)
            self._way_in._cache = NullCache()
        return self._way_in(*args)
