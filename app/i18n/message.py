"""Texts with values, as one message with named places: translated first, then filled.

    message("{done} of {steps} steps", done=3, steps=8)
    message("{count} contact of {body}", "{count} contacts of {body}", count=n, body=name)

A message is its English text, for the console, files and tests; it also keeps its template, which is the key of its translation
(msgid, and msgid_plural where the value `count` chooses the form), and its values, which are translated on their own where they
are texts. Outside of formulas ($..$) {name} is a place, {name:.3g} one with a format, which a translation cannot change.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Self

PLACEHOLDER = re.compile(r"\{(\w+)(?::([^{}]*))?\}")

MAX_RECENT = 8192
"""Messages that are found by their English text alone, and as many older ones."""

_recent: list[dict[str, "Message"]] = [{}, {}]


class Verbatim(str):
    """A value that no language changes: a number with its format, a path, what a user typed."""

    __slots__ = ()


class Message(str):
    """English text with its template, that of its plural ("": none), the number that chooses between them, and its values."""

    __slots__ = ("count", "plural", "template", "values")

    def __new__(cls, template: str, plural: str = "", /, **values: Any) -> Self:
        """See `message`."""
        count, given = values["count"] if plural else 1, {}
        for one in (template, plural) if plural else (template,):
            for _, name, form in parts(one):
                if name:
                    value = values[name]
                    given[name] = value if not form and isinstance(value, str) else _rendered(value, form)
        return cls._made(filled(template if count == 1 else plural, given), template, plural, count, given)

    @classmethod
    def _made(cls, english: str, template: str, plural: str, count: Any, values: dict[str, str]) -> Self:
        new = str.__new__(cls, english)
        new.template, new.plural, new.count, new.values = template, plural, count, values
        if len(_recent[0]) >= MAX_RECENT:
            _recent[:] = {}, _recent[0]
        _recent[0][english] = new
        return new

    def __str__(self) -> str:       # str() of an exception is this
        return self

    def __add__(self, other: str) -> "Message":
        return joined("", (self, other))

    def __radd__(self, other: str) -> "Message":
        return joined("", (other, self))

    def __reduce__(self) -> tuple[Any, ...]:
        return Message._made, (str.__str__(self), self.template, self.plural, self.count, self.values)


def message(template: str, plural: str = "", /, **values: Any) -> Message:
    """A text with values. plural: the template for every `count` but 1.

    Raises:
        KeyError: a place has no value.
    """
    return Message(template, plural, **values)


def joined(separator: str, texts: Iterable[str]) -> Message:
    """Texts in a row, each of which is translated on its own."""
    values = {f"{i}": text for i, text in enumerate(texts)}
    return Message(separator.join(f"{{{name}}}" for name in values), **values)


def latest(english: str) -> Message | None:
    """The newest message with this English text, for a message that became a plain string in an f-string or a join."""
    return _recent[0].get(english) or _recent[1].get(english)


@lru_cache(MAX_RECENT)
def parts(template: str) -> tuple[tuple[str, str, str], ...]:
    """(fixed text, name of the place after it, its format); the last has no place."""
    found, fixed = [], ""
    for i, piece in enumerate(template.split("$")):
        fixed, at = fixed + "$" * (i > 0), 0
        for place in () if i % 2 else PLACEHOLDER.finditer(piece):
            found.append((fixed + piece[at:place.start()], place[1], place[2] or ""))
            fixed, at = "", place.end()
        fixed += piece[at:]
    return (*found, (fixed, "", ""))


def filled(template: str, values: dict[str, str]) -> str:
    """The template with its places filled; one without a value stays as it is."""
    found: list[str] = []
    for fixed, name, _ in parts(template):
        found.append(fixed)
        if name:
            found.append(values.get(name) or f"{{{name}}}" * (name not in values))
    return "".join(found)


def _rendered(value: Any, form: str) -> str:
    """Messages of exceptions are translated as texts; numbers and paths are not."""
    return str(value) if isinstance(value, BaseException) else Verbatim(format(value, form) if form else str(value))
