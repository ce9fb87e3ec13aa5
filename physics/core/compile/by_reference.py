"""NamedTuples of arrays are passed by reference: rules for numba, registered when this module is imported.

numba passes a tuple as its parts, and an array has seven. Kernels hand tuples of dozens of arrays from function to function, and
copying them took a third of a small step. Here the value of such a tuple in compiled code is the address of its parts, eight
bytes for each number and pointer, in the frame of the function that made it. An attribute loads what is used; a tuple within a
tuple is an address again. A function that returns one returns its parts.

This is for classes of this project alone: what others compile and keep is as numba makes it.

The frame has one place for each expression that makes a tuple, and evaluating it again, in a loop, overwrites the last one. That
one is no longer in use as long as no variable carries it over: `CarryNothing` refuses a function in which one might.
"""

from typing import Any

from llvmlite import ir
from numba.core import boxing, cgutils, types
from numba.core import ir as numba_ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.datamodel import models, register_default
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed, lower_builtin, lower_getattr_generic
from numba.core.pythonapi import NativeValue, _boxers, unbox
from numba.cpython import tupleobj  # noqa: F401  whose rules those below replace

from physics.core.compile.refcount import sources

_OURS = __name__.partition("core.")[0]
_WORD = ir.IntType(64)


def is_referenced(kind: types.Type) -> bool:
    """Whether a type is a NamedTuple of this project that holds an array."""
    return (isinstance(kind, types.BaseNamedTuple) and kind.instance_class.__module__.startswith(_OURS)
            and any(map(_holds_arrays, kind)))


def _holds_arrays(kind: types.Type) -> bool:
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(_holds_arrays, kind)))


def _holds_references(kind: types.Type) -> bool:
    return is_referenced(kind) or (isinstance(kind, types.BaseTuple) and any(map(_holds_references, kind)))


class ReferenceModel(models.TupleModel):
    """value: address of the parts; data, also what is returned: a structure of them, as of other tuples."""

    def __init__(self, manager: Any, kind: types.Type) -> None:
        super().__init__(manager, kind)
        self._value_type = ir.PointerType(_WORD)
        words = [_words(model.get_data_type() if _is_plain(model) else model.get_value_type()) for model in self._models]
        self._places = [sum(words[:k]) for k in range(len(words) + 1)]

    def get_value_type(self) -> ir.Type:
        return self._value_type

    def get_argument_type(self) -> ir.Type:
        return self._value_type

    def as_argument(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        return value

    def from_argument(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        if isinstance(value, ir.Argument):      # while a function runs nobody changes the tuples that it was given
            value.add_attribute("noalias")
            value.add_attribute("captures(none)")
        return value

    def make(self, builder: ir.IRBuilder, parts: list) -> ir.Value:
        """The address of these parts, in the frame of the function."""
        place = cgutils.alloca_once(builder, _WORD, size=ir.Constant(_WORD, max(1, self._places[-1])))
        for k, (model, part) in enumerate(zip(self._models, parts, strict=True)):
            part = model.as_data(builder, part) if _is_plain(model) else part
            builder.store(part, self._pointer(builder, place, k, part.type))
        return place

    def get(self, builder: ir.IRBuilder, value: ir.Value, place: Any) -> ir.Value:
        """The part of that name or number."""
        k = self.get_field_position(place) if isinstance(place, str) else place
        model = self._models[k]
        if not _is_plain(model):
            return builder.load(self._pointer(builder, value, k, model.get_value_type()))
        return model.from_data(builder, builder.load(self._pointer(builder, value, k, model.get_data_type())))

    def _pointer(self, builder: ir.IRBuilder, value: ir.Value, k: int, kind: ir.Type) -> ir.Value:
        where = builder.gep(value, [ir.Constant(_WORD, self._places[k])], inbounds=True)
        return builder.bitcast(where, kind.as_pointer())

    def from_data(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        return self.make(builder, [model.from_data(builder, builder.extract_value(value, k))
                                   for k, model in enumerate(self._models)])

    def from_return(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        return self.from_data(builder, value)

    def load_from_data_pointer(self, builder: ir.IRBuilder, pointer: ir.Value, align: int | None = None) -> ir.Value:
        return self.from_data(builder, builder.load(pointer, align=align))

    def traverse(self, builder: ir.IRBuilder) -> list:
        """As numba counts references to the parts: of no tuple, an address of 0, there are none."""
        def getter(k: int) -> Any:
            return lambda value: self.get(builder, self._or_empty(builder, value), k)

        return [(kind, getter(k)) for k, kind in enumerate(self._members)]

    def _or_empty(self, builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
        name, module = f"no_parts.{self._places[-1]}", builder.module
        empty = module.globals.get(name)
        if empty is None:
            kind = ir.ArrayType(_WORD, self._places[-1])
            empty = ir.GlobalVariable(module, kind, name)
            empty.linkage, empty.global_constant, empty.initializer = "internal", True, ir.Constant(kind, None)
        return builder.select(cgutils.is_null(builder, value), builder.bitcast(empty, self._value_type), value)


def _is_plain(model: Any) -> bool:
    """Whether a part is stored as numba stores data: an array's parts are the same in both, and an address is one."""
    return not isinstance(model, ReferenceModel)


def _words(kind: ir.Type) -> int:
    """Most words of 8 bytes in a value."""
    if isinstance(kind, ir.LiteralStructType):
        return sum(map(_words, kind.elements))
    return kind.count * _words(kind.element) if isinstance(kind, ir.ArrayType) else 1


@register_default(types.NamedTuple)
def _of_different(manager: Any, kind: types.Type) -> Any:
    return (ReferenceModel if is_referenced(kind) else models.TupleModel)(manager, kind)


@register_default(types.NamedUniTuple)
def _of_equal(manager: Any, kind: types.Type) -> Any:
    return (ReferenceModel if is_referenced(kind) else models.UniTupleModel)(manager, kind)


@lower_builtin(types.NamedTupleClass, types.VarArg(types.Any))
def _make(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple) -> ir.Value:
    kind = sig.return_type
    parts = [context.cast(builder, part, own, kind[i]) for i, (part, own) in enumerate(zip(args, sig.args, strict=True))]
    return impl_ret_borrowed(context, builder, kind, _whole(context, builder, kind, parts))


def _whole(context: Any, builder: ir.IRBuilder, kind: types.Type, parts: Any) -> ir.Value:
    if is_referenced(kind):
        return context.data_model_manager[kind].make(builder, parts)
    return context.make_tuple(builder, kind, parts)


def _part(context: Any, builder: ir.IRBuilder, kind: types.Type, value: ir.Value, k: int) -> ir.Value:
    found = context.data_model_manager[kind].get(builder, value, k) if is_referenced(kind) else builder.extract_value(value, k)
    return impl_ret_borrowed(context, builder, kind[k], found)


@lower_getattr_generic(types.NamedTuple)
def _attribute(context: Any, builder: ir.IRBuilder, kind: types.Type, value: ir.Value, name: str) -> ir.Value:
    return _part(context, builder, kind, value, kind.fields.index(name))


lower_getattr_generic(types.NamedUniTuple)(_attribute)


@lower_builtin("static_getitem", types.NamedTuple, types.IntegerLiteral)
@lower_builtin("static_getitem", types.NamedUniTuple, types.IntegerLiteral)
def _item(context: Any, builder: ir.IRBuilder, sig: Any, args: tuple) -> ir.Value:
    return _part(context, builder, sig.args[0], args[0], args[1] % len(sig.args[0]))


@unbox(types.NamedTuple)
@unbox(types.NamedUniTuple)
def _from_python(kind: types.Type, value: ir.Value, c: Any) -> NativeValue:
    plain = types.Tuple(tuple(kind))
    native = c.unbox(plain, value)
    made = _whole(c.context, c.builder, kind, cgutils.unpack_tuple(c.builder, native.value))
    return NativeValue(made, is_error=native.is_error, cleanup=native.cleanup)


def _to_python(kind: types.Type, value: ir.Value, c: Any) -> ir.Value:
    if not is_referenced(kind):
        return boxing.box_namedtuple(kind, value, c)
    model = c.context.data_model_manager[kind]
    parts = [model.get(c.builder, value, k) for k in range(len(kind))]
    return boxing.box_namedtuple(kind, cgutils.pack_struct(c.builder, parts), c)


_boxers.functions[types.NamedTuple] = _boxers.functions[types.NamedUniTuple] = _to_python


@register_pass(mutates_CFG=False, analysis_only=True)
class CarryNothing(AnalysisPass):
    """Refuse a function that may carry a tuple made in a loop over to the next round."""

    _name = "carry_nothing"

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        blocks, lines = state.func_ir.blocks, []
        repeated = set().union(*(loop.body for loop in compute_cfg_from_blocks(blocks).loops().values()))
        for label, block in blocks.items():
            lines += [(line, label in repeated) for line in block.find_insts(cls=numba_ir.Assign)
                      if _holds_references(state.typemap[line.target.name])]
        fresh = {line.target.name for line, again in lines if again and getattr(line.value, "op", "") == "call"}
        while more := {line.target.name for line, _ in lines if line.target.name not in fresh
                       and any(one.name in fresh for one in sources(line.value))}:
            fresh |= more
        seen = set()
        for line, _ in lines:
            if line.target.name in seen & fresh:
                raise TypingError(f"'{line.target.unversioned_name}' is set twice, to tuples of arrays made in a loop",
                                  loc=line.loc)
            seen.add(line.target.name)
        return False
