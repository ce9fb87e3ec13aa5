"""Types of calls of numba's own functions, found once for the same arguments.

For each operation in the source, and again when it is translated, numba asks up to a dozen templates in turn which types it
takes and returns; the first ones are those of NumPy's and others' types, which decline numbers after a long look. The answer
depends on nothing but the types of the arguments. Remembering it saves a seventh of the time of compiling.
"""

from typing import Any

from numba.core import types
from numba.core.types.functions import BaseFunction
from numba.core.typing.templates import Signature

_DATA = types.Number | types.Boolean | types.Array | types.Record | types.BaseTuple | types.SliceType | types.NoneType
"""Arguments of these types are only data: unlike functions they have no state that could change the answer."""

_ask_templates = BaseFunction.get_call_type
_answers: dict[tuple, Signature] = {}


def _call_type(function: BaseFunction, context: Any, arguments: tuple, by_name: dict) -> Signature:
    """The signature that numba uses for these arguments; raises numba's TypingError if there is none."""
    question = function, tuple(arguments)
    answer = None if by_name else _answers.get(question)
    if answer is None:
        answer = _ask_templates(function, context, arguments, by_name)
        if not by_name and all(isinstance(one, _DATA) for one in arguments):
            _answers[question] = answer
    return answer


BaseFunction.get_call_type = _call_type
