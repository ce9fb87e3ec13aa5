"""Compiler pass that turns off reference counting in functions that own no array.

numba counts references to every array: up for each argument of each call, each element of a tuple and each row of a table, down
at the end of each name's use. With tables in tuples of tuples that was half of the time of a small step.

A function that neither makes nor returns an array needs no counting: its caller holds everything until it returns.
`CountNothing` finds such functions once their types are known and compiles them without counting. Such a function may only take
elements, slices, attributes and fields of an array, put it into a tuple, and pass it on.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import AnalysisPass, register_pass

from physics.core.stack import OWNED_BY_NOBODY

_VIEWS = {"static_getitem", "getattr", "getiter", "exhaust_iter", "cast", "build_tuple", "phi"}
"""Operations that give a view of an array, or an element of a tuple of arrays, without allocation."""

_PLACES = types.Integer | types.SliceType | types.BaseTuple | types.EllipsisType | types.NoneType
"""Index types that give a view; arrays as indices give a copy."""


@register_pass(mutates_CFG=False, analysis_only=True)
class CountNothing(AnalysisPass):
    """Compile a function that owns no array without counting."""

    _name = "count_nothing"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        if owns_nothing(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
            # numba's internal functions are compiled once and shared with functions that do count.
            state.targetctx.cached_internal_func = {}
        return False


def owns_nothing(state: Any) -> bool:
    """Whether a typed function makes no array, returns none, and uses nothing else that is reference-counted."""
    def counted(kind: types.Type) -> bool:
        return state.targetctx.data_model_manager[kind].contains_nrt_meminfo()

    if counted(state.return_type) or any(counted(kind) and not _known(kind) for kind in state.typemap.values()):
        return False
    for block in state.func_ir.blocks.values():
        for line in block.body:
            if isinstance(line, ir.Raise | ir.DynamicRaise | ir.DynamicTryRaise):
                return False
            if isinstance(line, ir.SetItem | ir.StaticSetItem) and counted(state.typemap[line.value.name]):
                return False        # numba may copy the array first
            if isinstance(line, ir.Assign) and isinstance(line.value, ir.Yield | ir.Expr) \
                    and counted(state.typemap[line.target.name]) and not _is_view(line.value, state.typemap):
                return False
    return True


def _known(kind: types.Type) -> bool:
    """Whether a counted type is an array, an iterator over one, a bound method, or a tuple."""
    return isinstance(kind, types.Array | types.ArrayIterator | types.BoundFunction | types.BaseTuple)


def _is_view(value: Any, typemap: dict[str, types.Type]) -> bool:
    """Whether an expression gives something that others own."""
    if not isinstance(value, ir.Expr):
        return False
    if value.op == "call":
        called = typemap[value.func.name]
        return isinstance(called, types.NamedTupleClass) or getattr(called, "typing_key", None) in OWNED_BY_NOBODY
    if value.op == "getitem":
        return _is_place(typemap[value.index.name])
    return value.op in _VIEWS


def _is_place(kind: types.Type) -> bool:
    return all(map(_is_place, kind)) if isinstance(kind, types.BaseTuple) else isinstance(kind, _PLACES)
