"""TOML text of a scene file: written so that people can read it, the line of each value, edits that keep comments and order."""

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from app.files import safe_read
from app.i18n.message import message
from physics import BadInput

Path = tuple[str | int, ...]
"""Place of a value: keys of tables and indices of arrays."""

MAX_BYTES = 8_000_000
"""Largest scene file [bytes]."""

MAX_DEPTH = 12
"""Deepest nesting of values; files of this program reach 6."""

LINE_LENGTH = 128
"""Longest line of an array, where its elements are short [letters]."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


def parsed(data: bytes, name: str) -> dict[str, Any]:
    """Parse a text; name: of the file, for sentences.

    Raises:
        BadInput: too large, no TOML (the sentence has the line), too deep.
    """
    if len(data) > MAX_BYTES:
        raise BadInput(message("{name} exceeds {max_bytes:g} MB, the limit of scene files", name=name,
                               max_bytes=MAX_BYTES / 1e6))
    tables = safe_read.parsed_toml(data, name)
    if (deep := _depth(tables)) > MAX_DEPTH:
        raise BadInput(message("{name}: its values are nested {deep} deep; allowed: {max_depth}", name=name, deep=deep,
                               max_depth=MAX_DEPTH))
    return tables


def _depth(value: Any) -> int:
    deepest, left = 0, [(value, 0)]
    while left:
        one, depth = left.pop()
        deepest = max(deepest, depth)
        if isinstance(one, dict | list):
            left += [(inner, depth + 1) for inner in (one.values() if isinstance(one, dict) else one)
                     if isinstance(inner, dict | list)]
    return deepest


# ---- writing


def as_toml(tables: dict[str, Any], comment: str = "") -> str:
    """The text of tables: plain values first, then [tables], then [[arrays of tables]], each in the given order."""
    plain = {key: value for key, value in tables.items() if not _has_header(value)}
    blocks = ["\n".join([*(f"# {line}" for line in comment.splitlines()), *_lines(plain)])] if plain or comment else []
    for key, value in tables.items():
        if isinstance(value, dict):
            blocks += _table(_key(key), value)
        elif _has_header(value):
            blocks += [block for one in value for block in _element(_key(key), one)]
    return "\n\n".join(blocks) + "\n"


def _has_header(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _table(name: str, table: dict[str, Any]) -> Iterator[str]:
    inner = {key: value for key, value in table.items() if isinstance(value, dict)}
    if len(inner) < len(table) or not inner:
        yield "\n".join([f"[{name}]", *_lines({key: value for key, value in table.items() if key not in inner})])
    for key, value in inner.items():
        yield from _table(f"{name}.{_key(key)}", value)


def _element(name: str, table: dict[str, Any]) -> Iterator[str]:
    """An element of an array of tables; tables in it that are long have a header of their own."""
    inner = {key: value for key, value in table.items()
             if isinstance(value, dict) and len(as_value(value)) > LINE_LENGTH - len(key)}
    yield "\n".join([f"[[{name}]]", *_lines({key: value for key, value in table.items() if key not in inner})])
    for key, value in inner.items():
        yield "\n".join([f"[{name}.{_key(key)}]", *_lines(value)])


def _lines(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        yield f"{_key(key)} = {as_value(value, len(key) + 3)}"


def _key(key: str) -> str:
    return key if _BARE_KEY.match(key) else json.dumps(key, ensure_ascii=False).replace("\x7f", "\\u007f")


def as_value(value: Any, column: int = 0) -> str:
    """A value as TOML; column: where it begins in its line, for breaking arrays that are too long."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        if "\n" in value and "'''" not in value and value.isascii():
            return f"'''\n{value}'''"
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {as_value(inner)}" for key, inner in value.items()) + "}"
    items = [as_value(item) for item in value]
    line = f"[{', '.join(items)}]"
    if len(line) + column <= LINE_LENGTH or not items:
        return line
    return "[\n" + "".join(f"    {row},\n" for row in _rows(items)) + "]"


def _rows(items: list[str]) -> Iterator[str]:
    row = ""
    for item in items:
        if row and len(row) + len(item) + 8 > LINE_LENGTH:
            yield row
            row = ""
        row = f"{row}, {item}" if row else item
    yield row


# ---- lines


_HEADER = re.compile(r"\s*(\[\[?)\s*(.*?)\s*\]\]?\s*(?:#.*)?\Z")
_KEY_PART = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*(\.?)""")


def lines_of(text: str) -> dict[Path, int]:
    """Line (from 1) of each header, key and element of an outer array in a text that is valid TOML; inner values have the line of
    the nearest of these around them."""
    found: dict[Path, int] = {(): 1}
    base: Path = ()
    counts: dict[Path, int] = {}
    scanner = _Scanner()
    for number, line in enumerate(text.split("\n"), 1):
        if scanner.inside:
            for index in scanner.feed(line):
                found[(*scanner.key, index)] = number
            continue
        if (header := _HEADER.match(line)) and "=" not in _unquoted(line.split("#")[0]):
            base = _path_of(header.group(2), counts)
            if header.group(1) == "[[":
                counts[base] = counts.get(base, -1) + 1
                base = (*base, counts[base])
            found.setdefault(base, number)
            found.setdefault(base[:-1], number)
        elif (begin := _key_of(line)) is not None:
            key, rest = begin
            key = (*base, *key)
            found.setdefault(key, number)
            scanner.begin(key, rest)
    return found


def line_of(lines: dict[Path, int], path: Path) -> int:
    """Line of a value, or of what is around it."""
    return next(lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in lines)


class _Scanner:
    """Follows a value over its lines. inside: it is not complete; key: its path; index: of the element that began last."""

    def __init__(self) -> None:
        self.inside, self.key, self.index = False, (), -1
        self._depth, self._quotes = 0, ""

    def begin(self, key: Path, text: str) -> None:
        """Begin with the rest of a line after "="."""
        self.key, self.index, self._depth, self._quotes = key, -1, 0, ""
        self.feed(text)

    def feed(self, text: str) -> range:
        """Read a line; returns the elements of the outer array that begin in it."""
        before, at = self.index, 0
        while at < len(text):
            if self._quotes:
                at, closed = _end_of_string(text, at, self._quotes)
                self._quotes = "" if closed else self._quotes
                continue
            letter = text[at]
            if letter == "#":
                break
            if self._depth == 1 and letter not in " \t,]":
                self.index += 1
            if letter in "\"'":
                self._quotes = letter * 3 if text.startswith(letter * 3, at) else letter
                at += len(self._quotes)
                continue
            if self._depth == 1 and letter not in "[{ \t,]}":
                while at + 1 < len(text) and text[at + 1] not in ",]}# ":
                    at += 1
            self._depth += (letter in "[{") - (letter in "]}")
            at += 1
        if len(self._quotes) == 1:
            self._quotes = ""
        self.inside = self._depth > 0 or bool(self._quotes)
        return range(before + 1, self.index + 1)


def _end_of_string(text: str, at: int, quotes: str) -> tuple[int, bool]:
    """(where to continue, whether the string ended there)."""
    while at < len(text):
        if text[at] == "\\" and quotes[0] == '"':
            at += 2
        elif text.startswith(quotes, at):
            return at + len(quotes), True
        else:
            at += 1
    return at, False


def _unquoted(line: str) -> str:
    return re.sub(r""""(?:[^"\\]|\\.)*"|'[^']*'""", "", line)


def _path_of(header: str, counts: dict[Path, int]) -> Path:
    """Path of a header's words, with the index of the newest element of each array of tables in it."""
    path: Path = ()
    parts = _parts(header)
    for n, part in enumerate(parts):
        path = (*path, part)
        if path in counts and n < len(parts) - 1:
            path = (*path, counts[path])
    return path


def _key_of(line: str) -> tuple[Path, str] | None:
    """(keys, text after "=") of a line that begins a value."""
    keys, at = [], 0
    while match := _KEY_PART.match(line, at):
        keys.append(_word(match))
        at = match.end()
        if not match.group(4):
            break
    rest = line[at:].lstrip()
    return (tuple(keys), rest[1:]) if keys and rest.startswith("=") else None


def _parts(text: str) -> list[str]:
    return [_word(match) for match in _KEY_PART.finditer(text)]


def _word(match: re.Match) -> str:
    if match.group(1) is not None:
        return next(iter(tomllib.loads(f'"{match.group(1)}" = 0')))
    return match.group(2) if match.group(2) is not None else match.group(3)


# ---- edits that keep comments and order


MAX_KEPT = 400_000
"""Longest text whose comments are kept when it is written again [letters]: tomlkit needs a second for it."""


def edited(text: str, before: dict[str, Any], after: dict[str, Any], instead: dict[str, tuple[str, ...]]) -> str:
    """The text with the changes between two tables; what did not change stays as it is written, with comments and order.

    before: full tables of the text as it is; after: those wanted. instead: keys that give way to a key that changes.
    """
    import tomlkit  # late: opening a file does not need it

    document = tomlkit.parse(text)
    _edit(document, before, after, instead)
    made = tomlkit.dumps(document)
    return made if "\n\n\n" in text else re.sub(r"\n{3,}", "\n\n", made)


def _edit(table: Any, before: dict[str, Any], after: dict[str, Any], instead: dict[str, tuple[str, ...]]) -> None:
    for key in [key for key in before if key not in after and key in table]:
        del table[key]
    for key, value in after.items():
        if key in before and before[key] == value:
            continue
        for other in instead.get(key, ()):
            if other in table and other not in after:
                del table[other]
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict) and key in table:
            _edit(table[key], old, value, instead)
        elif _has_header(value) and isinstance(old, list) and key in table and _named(old) and _named(value) \
                and len(table[key]) == len(old):
            _edit_array(table, key, old, value, instead)
        else:
            _put(table, key, value)


def _named(items: list) -> bool:
    return all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in items)


def _edit_array(table: Any, key: str, old: list[dict], new: list[dict], instead: dict[str, tuple[str, ...]]) -> None:
    """Edit an array of tables whose elements have names: elements keep their text by name."""
    import tomlkit

    texts = {item["name"]: (item, element) for item, element in zip(old, table[key], strict=True)}
    fresh = tomlkit.aot()
    for item in new:
        before, element = texts.get(item["name"], (None, None))
        if element is None:
            element = tomlkit.parse(as_toml({key: [item]}) + "\n")[key][0]
        elif before != item:
            _edit(element, before, item, instead)
        fresh.append(element)
    table[key] = fresh


def _put(table: Any, key: str, value: Any) -> None:
    """Set a value; the comment behind it stays."""
    import tomlkit

    item = tomlkit.parse(as_toml({key: value}))[key] if not isinstance(value, dict) or _is_document(table) \
        else tomlkit.parse(f"x = {as_value(value)}")["x"]
    if key in table and not _has_header(value):
        trivia = table.item(key).trivia
        item.trivia.comment_ws, item.trivia.comment = trivia.comment_ws, trivia.comment
    table[key] = item


def _is_document(table: Any) -> bool:
    import tomlkit

    return isinstance(table, tomlkit.TOMLDocument)
