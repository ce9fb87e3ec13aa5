"""Watch expressions: parse "body:door.omega_z > 2 and abs(world.energy - 3) < 0.1" into a function of the world, safely.

Allowed are quantities by their keys (`scenes.find_quantity`; in quotes where a name has spaces or signs), `time` [s],
numbers, + - * /, comparisons, and, or, not, abs, min, max. The text is never executed: Python's parser reads it, and only nodes
of these kinds are translated. A comparison with a missing number (NaN) is false.
"""

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from app.i18n.message import message
from app.number_format import rounded
from physics import BadInput, World
from physics.observe.quantities import Quantity
from scenes import Scene, find_quantity

MAX_LENGTH = 300
"""Longest expression [characters]."""

MAX_DEPTH = 40
"""Deepest nesting of an expression [levels]."""

EXAMPLE = "body:ball.z < 0.5 or world.energy > 10"

_KEY = re.compile(r"\"([^\"]*)\"|'([^']*)'|((?:body|joint|input):[^\s()<>=!+*/,\-]+|(?:world|solver|ledger)\.\w+)")

_COMPARISONS = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
                ast.NotEq: operator.ne}
_BINARY_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul}
_CALLS = {"abs": (abs, 1), "min": (min, 2), "max": (max, 2)}

NAN = float("nan")

ReadQuantity = Callable[[World], Any]


class Condition:
    """A condition on a world. keys: the quantities that it reads."""

    def __init__(self, text: str) -> None:
        """Parse a condition.

        Raises:
            BadInput: the text is not a condition of this language; the sentence names the error.
        """
        self.text, self.keys = text, []
        self._found: dict[str, Quantity] = {}
        self._read, is_condition = self._node(self._tree(text), 0)
        if not is_condition:
            raise BadInput(message("'{text}' is a number, not a condition: compare it with a value, for example {example}",
                                   text=text, example=EXAMPLE))

    def find(self, world: World, scene: Scene | None = None) -> None:
        """Look up the quantities in this world of a scene.

        Raises:
            BadInput: the world lacks one of them.
        """
        self._found = {key: find_quantity(world, key, scene) for key in self.keys}

    def __call__(self, world: World) -> bool:
        """Return whether the condition holds; call `find` first."""
        return bool(self._read(world))

    def values(self, world: World) -> str:
        """Describe the present values of its quantities."""
        return ", ".join(f"{found.label} = {rounded(found.read(world), 6)} {found.unit}".rstrip()
                         for found in self._found.values())

    # ---- the text

    def _tree(self, text: str) -> ast.expr:
        if not text.strip():
            raise BadInput(message("enter a condition, for example {example}", example=EXAMPLE))
        if len(text) > MAX_LENGTH:
            raise BadInput(message("the condition has {text} characters; allowed: up to {max_length}. Split it into two",
                                   text=len(text), max_length=MAX_LENGTH))
        try:
            return ast.parse(_KEY.sub(self._placeholder, text).strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise BadInput(message("'{text}' is not a valid condition; use the form {example}, and put keys with spaces or "
                                   "signs in quotes", text=text, example=EXAMPLE)) from None

    def _placeholder(self, found: re.Match) -> str:
        key = next(part for part in found.groups() if part is not None)
        if key not in self.keys:
            self.keys.append(key)
        return f" quantity_{self.keys.index(key)} "

    def _node(self, node: ast.expr, depth: int) -> tuple[ReadQuantity, bool]:
        """Translate a node to (function of the world, whether it returns a truth value)."""
        if depth > MAX_DEPTH:
            raise BadInput(message("the condition is nested deeper than {max_depth} levels: split it into two",
                                   max_depth=MAX_DEPTH))
        if isinstance(node, ast.BoolOp):
            parts = [self._part(value, depth, True) for value in node.values]
            every = all if isinstance(node.op, ast.And) else any
            return (lambda world: every(part(world) for part in parts)), True
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._part(node.operand, depth, True)
            return (lambda world: not inner(world)), True
        if isinstance(node, ast.Compare) and all(type(op) in _COMPARISONS for op in node.ops):
            return self._comparison(node, depth), True
        return self._number(node, depth), False

    def _part(self, node: ast.expr, depth: int, condition: bool) -> ReadQuantity:
        read, is_condition = self._node(node, depth + 1)
        if is_condition != condition:
            wanted = "a condition" if condition else "a number"
            raise BadInput(message("'{text}': expected {wanted} instead of '{say}'", text=self.text, wanted=wanted,
                                   say=self._source_of(node)))
        return read

    def _comparison(self, node: ast.Compare, depth: int) -> ReadQuantity:
        sides = [self._part(side, depth, False) for side in (node.left, *node.comparators)]
        tests = [_COMPARISONS[type(op)] for op in node.ops]

        def holds(world: World) -> bool:
            values = [side(world) for side in sides]
            return all(value == value for value in values) and all(map(_apply, tests, values, values[1:]))
        return holds

    def _number(self, node: ast.expr, depth: int) -> ReadQuantity:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float) and abs(node.value) <= 1e300:
            value = float(node.value)
            return lambda world: value
        if isinstance(node, ast.Name) and node.id == "time":
            return lambda world: world.time
        if isinstance(node, ast.Name) and (known := re.fullmatch(r"quantity_(\d+)", node.id)) and int(known[1]) < len(self.keys):
            key = self.keys[int(known[1])]
            return lambda world: self._found[key].read(world)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner, sign = self._part(node.operand, depth, False), -1.0 if isinstance(node.op, ast.USub) else 1.0
            return lambda world: sign * inner(world)
        if isinstance(node, ast.BinOp) and (type(node.op) in _BINARY_OPERATORS or isinstance(node.op, ast.Div)):
            left, right = self._part(node.left, depth, False), self._part(node.right, depth, False)
            apply = _BINARY_OPERATORS.get(type(node.op), _divided)
            return lambda world: apply(left(world), right(world))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS and not node.keywords:
            function, least = _CALLS[node.func.id]
            arguments = [self._part(argument, depth, False) for argument in node.args]
            if len(arguments) >= least and (least > 1 or len(arguments) == 1):
                return lambda world: function(*(argument(world) for argument in arguments))
        raise BadInput(message("'{say}' is not allowed in a condition; allowed: quantities such as body:NAME.x, time, numbers, "
                               "+ - * /, comparisons, and, or, not, abs, min, max", say=self._source_of(node)))

    def _source_of(self, node: ast.expr) -> str:
        """Return the source text of a node."""
        return re.sub(r"quantity_(\d+)", lambda m: self.keys[int(m[1])] if int(m[1]) < len(self.keys) else m[0],
                      ast.unparse(node))


def _apply(test: Callable[[float, float], bool], left: float, right: float) -> bool:
    return test(left, right)


def _divided(a: float, b: float) -> float:
    return a / b if b != 0.0 else NAN
