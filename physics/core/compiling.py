"""How functions become machine code: each part is translated once; only kernels are optimised and assembled, with their parts.

numba treats every function alike: it wraps it for Python and for C, optimises it together with all that it calls, makes
machine code of the lot, and does so again for each of its callers. A part (`jit.routine`, `jit.inline`) is called from Python by
tests at most, so here it stops at its own LLVM code. A kernel links each part that it reaches once, and optimises the whole once.
That takes half the time. The results have the same bits: without fastmath LLVM may not change a rounding.
"""

import hashlib
import itertools
import os
from collections.abc import Callable, Iterable
from typing import Any

from numba.core import types
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from physics.core import cache
from physics.core.storing import KernelStore, PartStore

# numba names a symbol by its function, its types and a number, and counts functions and types from zero in each process. Parts
# of several processes are linked together here: no two processes may give one name to different code (nor different names to one
# of ours: _KernelCompiler).
FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(6), "big"))


class KernelLibrary(JITCodeLibrary):
    """Machine code of a kernel and all its parts. address: (module, name, types of the arguments); called: those of the functions
    of ours that it calls itself."""

    address: tuple = ()
    called: tuple = ()

    def _optimize_functions(self, module: Any) -> None:
        """As numba, but one manager of passes serves all functions."""
        module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self) -> None:
        """Link the parts, then the rest as numba does.

        The linker leaves out what nobody asks for yet unless it is external, and a later module may ask for it.
        """
        self._write_down()
        reached = _reach(self._linking_libraries)
        parts = [library for library in reached if isinstance(library, PartLibrary)]
        for part in parts:
            self._final_module.link_in(part._final_module, preserve=True)
        for name in {function.name for part in parts for function in part.get_defined_functions()}:
            self._final_module.get_function(name).linkage = "linkonce_odr"
        self._linking_libraries = [library for library in reached if not isinstance(library, PartLibrary)]
        super().finalize()

    def _write_down(self) -> None:
        self.called = tuple(library.address for library in dict.fromkeys(self._linking_libraries)
                            if isinstance(library, KernelLibrary))

    def _verify_declare_only_symbols(self) -> None:
        if missing := _undefined(self._final_module):
            raise AssertionError(f"{self.name} calls what is not linked: {', '.join(missing)}")


class PartLibrary(KernelLibrary):
    """LLVM code of a part alone, and which parts it calls: kernels link them all."""

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

    def take(self, module: Any) -> None:
        """Use the LLVM code that an earlier process kept."""
        self._final_module = module
        self.finalize()

    def missing(self) -> list[str]:
        """What of ours it calls and the parts below it do not define."""
        below = {function.name for library in self._linking_libraries for function in library._final_module.functions
                 if not function.is_declaration}
        return [name for name in _undefined(self._final_module) if name not in below]

    def bitcode(self) -> bytes:
        self._ensure_finalized()
        return self._final_module.as_bitcode()

    def addresses(self) -> list[tuple]:
        """(module, name, types of the arguments) of each part that is called."""
        return [library.address for library in dict.fromkeys(self._linking_libraries)]

    @property
    def codegen(self) -> Any:
        return _NoMachine(self._codegen)

    def get_pointer_to_function(self, name: str) -> int:
        return 0


class _NoMachine:
    """The code generator of a library without machine code: there is no place for an environment."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def set_env(self, name: str, env: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)


def _undefined(module: Any) -> list[str]:
    """What of numba's and ours a module calls and does not define."""
    return [function.name for function in module.functions if function.is_declaration and function.name.startswith("_ZN")]


def _reach(libraries: Iterable) -> list:
    """These libraries and those of the parts below them, each once."""
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
        state = self.state
        self._name(state.func_id, state.args)
        if state.library is None:
            state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.library.address = (state.func_id.modname, state.func_id.func_qualname, tuple(state.args))
        return super().define_pipelines()

    def _name(self, function: FunctionIdentity, types_of_arguments: tuple) -> None:
        """A symbol that follows from the code: what one process compiled fits to what another one did.

        What a function with captured variables does, its source does not tell: it keeps the number that numba gave it.
        """
        if function.func.__closure__ is None:
            stamp = cache.place(function.modname, function.filename)[1]
            text = f"{self.library.__name__} {stamp} {function.modname} {function.func_qualname} {types_of_arguments}"
            function.unique_id = int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")
            function.unique_name = f"{function.func_qualname}${function.unique_id}"


class _PartCompiler(_KernelCompiler):
    library = PartLibrary


class Kernel(CPUDispatcher):
    """A compiled function that Python calls: no GIL, kept on disk, 1/0 = inf."""

    compiler, store = _KernelCompiler, KernelStore
    options = {"nopython": True, "nogil": True, "boundscheck": None, "error_model": "numpy"}

    def __init__(self, function: Callable, **options: Any) -> None:
        super().__init__(function, targetoptions={**self.options, **options}, pipeline_class=self.compiler)
        self._cache = self.store(function)

    def get_call_template(self, args: Iterable, kws: dict) -> tuple:
        """One translation for every value: numba makes another for each constant that a kernel hands on."""
        return super().get_call_template([types.unliteral(a) for a in args], {k: types.unliteral(a) for k, a in kws.items()})


class Part(Kernel):
    """A compiled function that kernels call."""

    compiler, store = _PartCompiler, PartStore
    options = {**Kernel.options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    _way_in: Kernel | None = None

    def __call__(self, *args: Any) -> Any:
        """From Python, as tests do: through a kernel of the same code, which is not kept."""
        if self._way_in is None:
            self._way_in = Kernel(self.py_func)
            self._way_in._cache = NullCache()
        return self._way_in(*args)
