"""SIMD vectors of four float64 for kernels: the arithmetic of four contacts at once.

A `Lanes` value holds four float64; +, -, * and / act lane by lane, exactly as on scalars (no fused multiply-add, no reordering),
so results have the same bits on every machine, whether its registers hold two, four or eight numbers; LLVM splits the vectors
as the processor requires. Arrays of lanes have the shape (n, fields, WIDTH): one field of four neighbours is contiguous. `load4`
and `store4` access four consecutive elements of a one-dimensional array. `gather` and `scatter` access (n, fields) tables by four
row indices; `gather4` and `scatter4` four consecutive fields at once, which is twice as fast: whole rows are moved and
transposed in registers. Where two lanes scatter to one row, the values must be equal.

With NUMBA_DISABLE_JIT=1 a Lanes value is a NumPy array (4,), and the same kernels run in plain Python.
"""

import operator

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

WIDTH = 4
_DOUBLES = ir.VectorType(ir.DoubleType(), WIDTH)
_POSITIONS = [ir.Constant(ir.IntType(32), lane) for lane in range(WIDTH)]


class LanesType(types.Type):
    """numba type of a vector of four float64."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = LanesType()


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, type_) -> None:
        super().__init__(manager, type_, _DOUBLES)


def _operator(function, instruction: str) -> None:
    """Define one of the four arithmetic operations for Lanes."""

    @infer_global(function)
    class Template(AbstractTemplate):
        def generic(self, args, kws):
            return signature(LANES, LANES, LANES) if args == (LANES, LANES) else None

    @lower_builtin(function, LANES, LANES)
    def lower(context, builder, sig, args):
        return getattr(builder, instruction)(*args)


for _function, _instruction in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"),
                                (operator.truediv, "fdiv")):
    _operator(_function, _instruction)


def _address(context, builder, array_type, array, index):
    struct = context.make_array(array_type)(context, builder, array)
    return cgutils.get_item_pointer(context, builder, array_type, struct, index, wraparound=False)


def _block(context, builder, sig, args):
    """Address of the four numbers array[i, field, :]."""
    zero = context.get_constant(types.intp, 0)
    return builder.bitcast(_address(context, builder, sig.args[0], args[0], [args[1], args[2], zero]), _DOUBLES.as_pointer())


def _build(builder, values):
    lanes = ir.Constant(_DOUBLES, ir.Undefined)
    for position, value in zip(_POSITIONS, values, strict=True):
        lanes = builder.insert_element(lanes, value, position)
    return lanes


@intrinsic
def _load(typing, array, i, field):
    def generate(context, builder, sig, args):
        value = builder.load(_block(context, builder, sig, args))
        value.align = 8
        return value
    return LANES(array, types.intp, types.intp), generate


@intrinsic
def _store(typing, array, i, field, value):
    def generate(context, builder, sig, args):
        builder.store(args[3], _block(context, builder, sig, args)).align = 8
        return context.get_dummy_value()
    return types.void(array, types.intp, types.intp, LANES), generate


def _row(context, builder, sig, args):
    """Address of the four numbers array[i:i + 4]."""
    return builder.bitcast(_address(context, builder, sig.args[0], args[0], [args[1]]), _DOUBLES.as_pointer())


@intrinsic
def _load4(typing, array, i):
    def generate(context, builder, sig, args):
        value = builder.load(_row(context, builder, sig, args))
        value.align = 8
        return value
    return LANES(array, types.intp), generate


@intrinsic
def _store4(typing, array, i, value):
    def generate(context, builder, sig, args):
        builder.store(args[2], _row(context, builder, sig, args)).align = 8
        return context.get_dummy_value()
    return types.void(array, types.intp, LANES), generate


@intrinsic
def _gather(typing, table, rows, field):
    def generate(context, builder, sig, args):
        row = cgutils.unpack_tuple(builder, args[1], WIDTH)
        return _build(builder, [builder.load(_address(context, builder, sig.args[0], args[0], [r, args[2]])) for r in row])
    return LANES(table, types.UniTuple(types.intp, WIDTH), types.intp), generate


@intrinsic
def _scatter(typing, table, rows, field, value):
    def generate(context, builder, sig, args):
        for row, position in zip(cgutils.unpack_tuple(builder, args[1], WIDTH), _POSITIONS, strict=True):
            builder.store(builder.extract_element(args[3], position),
                          _address(context, builder, sig.args[0], args[0], [row, args[2]]))
        return context.get_dummy_value()
    return types.void(table, types.UniTuple(types.intp, WIDTH), types.intp, LANES), generate


def _turned(builder, rows):
    """Transpose four vectors of four."""
    def pick(a, b, *places):
        return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), list(places)))

    even = [pick(rows[k], rows[k + 1], 0, 4, 2, 6) for k in (0, 2)]
    odd = [pick(rows[k], rows[k + 1], 1, 5, 3, 7) for k in (0, 2)]
    return [pick(*even, 0, 1, 4, 5), pick(*odd, 0, 1, 4, 5), pick(*even, 2, 3, 6, 7), pick(*odd, 2, 3, 6, 7)]


def _four_fields(context, builder, sig, args):
    """Addresses of four fields, starting at field args[2], in each of the rows args[1]."""
    return [builder.bitcast(_address(context, builder, sig.args[0], args[0], [row, args[2]]), _DOUBLES.as_pointer())
            for row in cgutils.unpack_tuple(builder, args[1], WIDTH)]


@intrinsic
def _gather4(typing, table, rows, field):
    def generate(context, builder, sig, args):
        values = [builder.load(address) for address in _four_fields(context, builder, sig, args)]
        for value in values:
            value.align = 8
        return context.make_tuple(builder, sig.return_type, _turned(builder, values))
    return types.UniTuple(LANES, WIDTH)(table, types.UniTuple(types.intp, WIDTH), types.intp), generate


@intrinsic
def _scatter4(typing, table, rows, field, values):
    def generate(context, builder, sig, args):
        turned = _turned(builder, cgutils.unpack_tuple(builder, args[3], WIDTH))
        for address, value in zip(_four_fields(context, builder, sig, args), turned, strict=True):
            builder.store(value, address).align = 8
        return context.get_dummy_value()
    return types.void(table, types.UniTuple(types.intp, WIDTH), types.intp, types.UniTuple(LANES, WIDTH)), generate


@intrinsic
def _fill(typing, x):
    def generate(context, builder, sig, args):
        return _build(builder, [args[0]] * WIDTH)
    return LANES(types.float64), generate


@intrinsic
def _greater(typing, a, b, x, y):
    def generate(context, builder, sig, args):
        return builder.select(builder.fcmp_ordered(">", args[0], args[1]), args[2], args[3])
    return LANES(LANES, LANES, LANES, LANES), generate


@intrinsic
def _any_greater(typing, a, b):
    def generate(context, builder, sig, args):
        mask = builder.fcmp_ordered(">", args[0], args[1])
        bits = builder.bitcast(mask, ir.IntType(WIDTH))
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(WIDTH), 0))
    return types.boolean(LANES, LANES), generate


@intrinsic
def _highest(typing, a):
    def generate(context, builder, sig, args):
        best, *others = (builder.extract_element(args[0], position) for position in _POSITIONS)
        for other in others:
            best = builder.select(builder.fcmp_ordered(">", other, best), other, best)
        return best
    return types.float64(LANES), generate


@intrinsic
def _sqrt(typing, a):
    def generate(context, builder, sig, args):
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_DOUBLES, [_DOUBLES]), "llvm.sqrt.v4f64")
        return builder.call(function, args)
    return LANES(LANES), generate


def _plain(name: str):
    """NumPy implementation of the intrinsic of that name."""
    return {
        "load": lambda array, i, field: array[i, field].copy(),
        "store": lambda array, i, field, value: array[i, field].__setitem__(slice(None), value),
        "load4": lambda array, i: array[i:i + WIDTH].copy(),
        "store4": lambda array, i, value: array.__setitem__(slice(i, i + WIDTH), value),
        "gather": lambda table, rows, field: np.array([table[r, field] for r in rows]),
        "scatter": lambda table, rows, field, value: [table.__setitem__((r, field), v) for r, v in zip(rows, value, strict=True)],
        "gather4": lambda table, rows, field: tuple(np.array([table[r, field + k] for r in rows]) for k in range(WIDTH)),
        "scatter4": lambda table, rows, field, values: [table.__setitem__((r, field + k), values[k][lane])
                                                        for lane, r in enumerate(rows) for k in range(WIDTH)],
        "fill": lambda x: np.full(WIDTH, x),
        "greater": lambda a, b, x, y: np.where(a > b, x, y),
        "any_greater": lambda a, b: bool((a > b).any()),
        "highest": lambda a: float(a.max()),
        "sqrt": np.sqrt,
    }[name]


def _choose(name: str, compiled):
    return _plain(name) if numba.config.DISABLE_JIT else compiled


load = _choose("load", _load)                       # (array, i, field) -> array[i, field, :]
store = _choose("store", _store)                    # (array, i, field, value): array[i, field, :] = value
load4 = _choose("load4", _load4)                    # (array, i) -> array[i:i + 4], contiguous
store4 = _choose("store4", _store4)                 # (array, i, value): array[i:i + 4] = value
gather = _choose("gather", _gather)                 # (table, rows, field) -> table[rows[l], field] in lane l
scatter = _choose("scatter", _scatter)              # (table, rows, field, value): table[rows[l], field] = value[l]
gather4 = _choose("gather4", _gather4)              # (table, rows, field) -> tuple of `gather` of fields field .. field + 3
scatter4 = _choose("scatter4", _scatter4)           # (table, rows, field, values): the inverse, values a tuple
fill = _choose("fill", _fill)                       # x -> x in every lane
greater = _choose("greater", _greater)              # (a, b, x, y) -> x where a > b, else y (also where a or b is nan)
any_greater = _choose("any_greater", _any_greater)  # (a, b) -> True if a > b in any lane
highest = _choose("highest", _highest)              # a -> the largest of its four numbers; none may be nan
sqrt = _choose("sqrt", _sqrt)                       # square root, correctly rounded
