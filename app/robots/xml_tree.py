"""An XML file as a tree of elements that know their lines. Nothing is executed, no entity is expanded, no other file is read.

Sizes are limited: MAX_BYTES, MAX_ELEMENTS, MAX_DEPTH. Every mistake is one sentence with file and line.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any
from xml.sax.handler import ContentHandler

import numpy as np
from defusedxml.common import DefusedXmlException

from app.files import safe_read
from app.files.printable import printable
from app.i18n.message import Verbatim, message
from physics import BadInput

MAX_BYTES = 16_000_000
MAX_ELEMENTS = 100_000
MAX_DEPTH = 150
MAX_TEXT = 10_000
"""Letters between tags that are kept of an element, unless more is asked for."""


@dataclass
class Element:
    """An element. file: its name in sentences; line: where it begins, 0: of what has no lines; content: the text in it."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: "list[Element]" = field(default_factory=list)
    content: str = ""

    def all(self, tag: str) -> "list[Element]":
        """Children of that tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> "Element | None":
        """The first child of that tag."""
        return next((child for child in self.children if child.tag == tag), None)

    def below(self) -> "Iterator[Element]":
        """All elements below this one, in the order of the file."""
        for child in self.children:
            yield child
            yield from child.below()

    def refuse(self, sentence: str, **values: object) -> BadInput:
        """An error about this element: "arm.urdf, line 12: <mass> ..."; values: of the places of a sentence that has some, names
        and tags of the file, which no language changes."""
        if values:
            sentence = message(sentence, **{name: Verbatim(one) if type(one) is str else one for name, one in values.items()})
        where = (message("{file}, line {line}", file=Verbatim(self.file), line=self.line) if self.line else Verbatim(self.file))
        return BadInput(printable(message("{where}: {sentence}", where=where, sentence=sentence)))

    def text(self, name: str) -> str:
        """An attribute that must be there.

        Raises:
            BadInput: it is missing or empty.
        """
        value = self.attributes.get(name, "").strip()
        if not value:
            raise self.refuse("<{tag}> has no attribute '{name}': add {name}=\"...\"", tag=self.tag, name=name)
        return value

    def numbers(self, name: str, count: int | Sequence[int], default: Any = None) -> np.ndarray:
        """An attribute as numbers; count: allowed numbers of them; default: where it is missing (None: it must be there).

        Raises:
            BadInput: it is missing, or not such numbers, or one is not finite.
        """
        if name not in self.attributes and default is not None:
            return np.atleast_1d(np.array(default, float))
        return self._parsed(self.text(name), f'{name}="{self.attributes[name][:60]}"', count)

    def inner_text(self, tag: str) -> str:
        """The text of a child that must be there; raises as `text`."""
        child = self.first(tag)
        if child is None or not child.content.strip():
            raise self.refuse("<{tag}> has no <{missing}>: add <{missing}>...</{missing}>", tag=self.tag, missing=tag)
        return child.content.strip()

    def inner_numbers(self, tag: str, count: int, default: Any = None) -> np.ndarray:
        """The text of a child as numbers; the rest as `numbers`."""
        child = self.first(tag)
        if child is None and default is not None:
            return np.atleast_1d(np.array(default, float))
        return self._parsed(self.inner_text(tag), f"<{tag}>", count, child)

    def inner_number(self, tag: str, default: float | None = None) -> float:
        """The same for one number."""
        return float(self.inner_numbers(tag, 1, default)[0])

    def _parsed(self, text: str, given: str, count: int | Sequence[int], at: "Element | None" = None) -> np.ndarray:
        """Numbers of a text; given: what of this element it is; at: the element that has it, None: this one."""
        words, allowed = text.split(), (count,) if isinstance(count, int) else tuple(count)
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = [math.nan]
        if len(values) not in allowed or not all(math.isfinite(value) and abs(value) < 1e30 for value in values):
            if allowed == (1,):
                raise (at or self).refuse("{given} of <{tag}> must be 1 finite number", given=given, tag=self.tag)
            counts = reduce(lambda few, more: message("{few} or {more}", few=few, more=more), allowed)
            raise (at or self).refuse("{given} of <{tag}> must be {counts} finite numbers", given=given, tag=self.tag,
                                      counts=counts)
        return np.array(values)

    def number(self, name: str, default: float | None = None) -> float:
        """The same for one number."""
        return float(self.numbers(name, 1, default)[0])


class _Builder(ContentHandler):
    """Builds the tree."""

    def __init__(self, file: str, max_text: int) -> None:
        super().__init__()
        self.file, self.max_text, self.open, self.root, self.count = file, max_text, [], None, 0
        self.texts: list[list[str]] = []
        self.kept: list[int] = []

    def startElement(self, name: str, attrs: Any) -> None:
        self.count += 1
        element = Element(name, dict(attrs.items()), self.file, self._locator.getLineNumber())
        if self.count > MAX_ELEMENTS:
            raise element.refuse("more than {limit:,} elements are too many for a robot: remove what is not needed",
                                 limit=MAX_ELEMENTS)
        if len(self.open) >= MAX_DEPTH:
            raise element.refuse("elements are nested more than {limit} deep: this is no robot", limit=MAX_DEPTH)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        self.texts.append([])
        self.kept.append(0)

    def characters(self, content: str) -> None:
        if self.open and self.kept[-1] < self.max_text:
            self.texts[-1].append(content[:self.max_text])
            self.kept[-1] += len(content)

    def endElement(self, name: str) -> None:
        self.kept.pop()
        self.open.pop().content = "".join(self.texts.pop())


def read(path: str | Path, max_bytes: int = 0, max_text: int = 0) -> Element:
    """The top element of a file; max_text: letters between tags that are kept of an element; 0: the limits above.

    Raises:
        BadInput: it is missing, too large, no XML, or defines entities.
    """
    from defusedxml import sax  # late: it imports what fetches from the network, a hundredth of a second of each start

    name, data = Path(path).name, safe_read.read(path, max_bytes or MAX_BYTES)
    builder = _Builder(name, max_text or MAX_TEXT)
    try:
        sax.parseString(_without_comments(data), builder)
    except BadInput:
        raise
    except DefusedXmlException:
        raise BadInput(printable(message("{name} defines XML entities, which can fill the memory or read other files: remove "
                                         "its <!ENTITY ...> and <!DOCTYPE ...>", name=name))) from None
    except Exception as error:  # noqa: BLE001  (what expat, codecs and SAX raise on foreign bytes has no common class)
        line = getattr(error, "getLineNumber", lambda: 1)() or 1
        what = error.getMessage() if hasattr(error, "getMessage") else error
        raise BadInput(printable(message("{name}, line {line}: this is not XML ({what}): open the file in an editor and "
                                         "correct it", name=name, line=line, what=what))) from None
    return builder.root


def read_top(path: str | Path, tag: str, kind: str, **limits: int) -> Element:
    """The top element of a file, which has that tag; kind: what the file then is; limits: of `read`. Raises as `read`, and for
    another tag."""
    top = read(path, **limits)
    if top.tag != tag:
        if top.tag == "mujoco":
            raise top.refuse("<mujoco> is not the <{wanted}> of {kind}: name an MJCF file .xml", wanted=tag, kind=message(kind))
        raise top.refuse("<{tag}> is not the <{wanted}> of {kind}", tag=top.tag, wanted=tag, kind=message(kind))
    return top


def _without_comments(data: bytes) -> bytes:
    """The same lines without comments, which many programs write with a "--" that XML does not allow in them."""
    kept, at = [], 0
    while (begin := data.find(b"<!--", at)) >= 0 and (end := data.find(b"-->", begin + 4)) >= 0:
        kept += [data[at:begin], b"\n" * data.count(b"\n", begin, end)]
        at = end + 3
    return b"".join([*kept, data[at:]])
