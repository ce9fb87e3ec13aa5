"""Lowering that counts references only to arrays that a function owns.

numba counts references to every array: up for each argument of each call, each element of a tuple and each row of a table, down
at the end of each name's use. With tables in tuples of tuples that was half of the time of a small step.

What a function was given is held by its caller until it returns, and needs no counting, nor does what is taken from it: elements,
slices, attributes, fields, and tuples of nothing else. Such variables are *borrowed*: `owned` finds the others once types are
known, and statements that set or delete a borrowed one are lowered without counting. Python holds the arguments of a kernel: one
that returns no array takes them without counting, too.
"""

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import BaseNativeLowering

from physics.core.stack import OWNED_BY_NOBODY

_VIEWS = {"static_getitem", "getattr", "getiter", "exhaust_iter", "phi", "build_tuple"}
"""Operations that give a view of an array, an element of a tuple of arrays, or a tuple, without allocation."""

_PLACES = types.Integer | types.SliceType | types.BaseTuple | types.EllipsisType | types.NoneType
"""Index types that give a view; arrays as indices give a copy."""


def owned(function: Any, typemap: dict[str, types.Type], is_counted: Any) -> set[str]:
    """Names of the variables whose references a function (numba's IR, with its types) must count. is_counted: of a type."""
    found, lines = set(), [line for block in function.blocks.values() for line in block.find_insts(ir.Assign)
                           if is_counted(typemap[line.target.name])]
    while True:
        more = {line.target.name for line in lines if line.target.name not in found
                and not _is_borrowed(line.value, typemap, found, is_counted)}
        if not more:
            return found
        found |= more


def _is_borrowed(value: Any, typemap: dict[str, types.Type], found: set[str], is_counted: Any) -> bool:
    """Whether what is assigned belongs to others, if all but the variables found do."""
    if isinstance(value, ir.Yield) or (isinstance(value, ir.Expr) and not _is_view(value, typemap)):
        return False
    return not any(one.name in found for one in sources(value) if is_counted(typemap[one.name]))


def sources(value: Any) -> list[Any]:
    """The variables from which an assigned value comes."""
    if isinstance(value, ir.Var):
        return [value]
    return value.list_vars() if isinstance(value, ir.Expr) else []


def _is_view(value: Any, typemap: dict[str, types.Type]) -> bool:
    """Whether an expression gives something that belongs to whom its variables belong."""
    if value.op == "call":
        called = typemap[value.func.name]
        return isinstance(called, types.NamedTupleClass) or getattr(called, "typing_key", None) in OWNED_BY_NOBODY
    if value.op == "getitem":
        return _is_place(typemap[value.index.name])
    return value.op in _VIEWS


def _is_place(kind: types.Type) -> bool:
    return all(map(_is_place, kind)) if isinstance(kind, types.BaseTuple) else isinstance(kind, _PLACES)


class _OwnedOnly(Lower):
    """Lowers one function, in two contexts: one that counts and one that does not."""

    def __init__(self, context: Any, *args: Any, **options: Any) -> None:
        super().__init__(context, *args, **options)
        self._counting, self._plain = self.context, self.context.subtarget(enable_nrt=False)
        # numba's internal functions are compiled once and shared with functions that do count.
        self._plain.cached_internal_func = {}
        self._counted: dict[types.Type, bool] = {}
        self._owned = owned(self.func_ir, self.fndesc.typemap, self._is_counted)

    def _is_counted(self, kind: types.Type) -> bool:
        if kind not in self._counted:
            self._counted[kind] = self.context.data_model_manager[kind].contains_nrt_meminfo()
        return self._counted[kind]

    def lower_inst(self, inst: Any) -> None:
        borrows = isinstance(inst, ir.Assign) and self._is_borrowed(inst.target.name)
        self.context = self._plain if borrows else self._counting
        super().lower_inst(inst)
        self.context = self._counting

    def delvar(self, name: str) -> None:
        if not self._is_borrowed(name):
            super().delvar(name)

    def _is_borrowed(self, name: str) -> bool:
        return name not in self._owned and self._is_counted(self.typeof(name))

    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        if not self._is_counted(self.fndesc.restype):
            self.context = self._plain
        super().create_cpython_wrapper(release_gil)
        self.context = self._counting


@register_pass(mutates_CFG=True, analysis_only=False)
class OwnedOnlyLowering(BaseNativeLowering):
    """numba's lowering by `_OwnedOnly`."""

    _name = "owned_only_lowering"

    @property
    def lowering_class(self) -> type:
        return _OwnedOnly
