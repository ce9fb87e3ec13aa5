"""The zip of a recording, unfolded under limits: what a file says of itself is checked before any memory is taken for it.

The limits are on what unfolds, not on how well it was packed: deflate packs a table of zeros a thousandfold, and recordings
have such tables. So a member that claims more than DEFLATE allows is refused, and so is a total beyond MEMORY.
"""

import json
import re
import zipfile
from collections.abc import Iterable
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from physics import BadInput

PACKED = 80_000_000
"""Bytes of a file."""

MEMORY = 256_000_000
"""Bytes that a recording may take once it is read: with these, the program and the file reading stays below 600 MB."""

TEXT = 32_000_000
"""Bytes of its JSON."""

VALUE = 200
"""Bytes of memory that a value of the JSON becomes, at most."""

DEPTH = 64
"""Of nested values in the JSON; those of the engine's objects reach 25."""

MEMBERS = 50_000
"""Arrays of a recording; each island that sleeps has one."""

DEFLATE = 1032
"""Bytes that one byte of a deflated stream can become."""

HEADER = 10_000
"""Bytes of the header of an array."""

PLAIN = frozenset(np.dtype(name) for name in ("<f8", "<i8", "<i4", "<i2", "<u8", "<u4", "<u2", "|i1", "|u1", "|b1"))
"""Types of arrays that have no fields, and of fields."""

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


class Archive:
    """A zip whose members were looked at: none twice, none overlapping, none encrypted, none that claims the impossible."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        """most: members.

        Raises:
            BadInput: it breaks one of these rules. zipfile.BadZipFile: it is no zip.
        """
        self._zip = zipfile.ZipFile(stream)
        members = self._zip.infolist()
        if len(members) > most:
            raise BadInput(f"it has {len(members):,} members; allowed: {most:,}")
        self.members = {item.filename: item for item in members}
        if len(self.members) < len(members):
            raise BadInput("it has two members of one name")
        end = 0
        for item in sorted(members, key=lambda item: item.header_offset):
            if item.header_offset < end:
                raise BadInput(f"its members overlap at '{_short(item.filename)}'")
            end = item.header_offset + 30 + item.compress_size
            if item.flag_bits & 0x41 or item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BadInput(f"its member '{_short(item.filename)}' is encrypted, or packed by another method than deflate")
            if item.file_size > DEFLATE * item.compress_size + 64:
                raise BadInput(f"its member '{_short(item.filename)}' claims {item.file_size:,} bytes, which "
                               f"{item.compress_size:,} cannot become")

    def read(self, name: str, most: int) -> bytes:
        """A whole member of at most so many bytes.

        Raises:
            BadInput: it is larger, or not there.
        """
        if name not in self.members:
            raise BadInput(f"it has no '{name}'")
        size = self.members[name].file_size
        if size > most:
            raise BadInput(f"'{name}' in it is larger than {most / 1e6:g} MB")
        data = bytearray()
        with self._zip.open(self.members[name]) as stream:
            while len(data) < size and (some := stream.read(min(1 << 20, size - len(data)))):
                data += some
            if stream.read(1) or len(data) != size:
                raise BadInput(f"'{name}' in it has another size than it says")
        return bytes(data)

    def arrays(self, room: int, known: Iterable[np.dtype]) -> dict[str, np.ndarray]:
        """All members as arrays by name, C-contiguous; room: bytes for all of them.

        known: types of records, of which an array may lack some fields; others have numbers alone.

        Raises:
            BadInput: a name, a type or a size that no recording has; they take more than the room.
        """
        known, found = tuple(known), {}
        for item in sorted(self.members.values(), key=lambda item: item.header_offset):
            name, suffix = item.filename[:-4], item.filename[-4:]
            if suffix != ".npy" or not name.isidentifier() or len(name) > 20:
                raise BadInput(f"its arrays have a member '{_short(item.filename)}', which is none")
            with self._zip.open(item) as stream:
                found[name] = _array(stream, item, room, known)
            room -= found[name].nbytes
        return found


def _array(stream: BinaryIO, item: zipfile.ZipInfo, room: int, known: tuple[np.dtype, ...]) -> np.ndarray:
    """One array, read into memory that is taken only when all of its header is right."""
    name = _short(item.filename)
    try:
        version = npy.read_magic(stream)
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, fortran, dtype = header(stream, max_header_size=HEADER)
    except (ValueError, KeyError, RecursionError, MemoryError, SyntaxError, TypeError):
        raise BadInput(f"the header of its array '{name}' is damaged") from None
    if not (dtype in PLAIN if dtype.names is None else _is_part_of(dtype, known)):
        raise BadInput(f"its array '{name}' is of a type that no recording has")
    count = 1
    for length in shape:
        count *= max(0, int(length))
    if len(shape) > 4 or min(shape, default=0) < 0 or item.file_size != stream.tell() + count * dtype.itemsize:
        raise BadInput(f"its array '{name}' has another size than its header says")
    if count * dtype.itemsize > room:
        raise BadInput(f"it takes more than {MEMORY / 1e6:g} MB of memory")
    array = np.empty(shape[::-1] if fortran else shape, dtype)
    left = memoryview(array.reshape(-1).view(np.uint8)) if array.size else memoryview(b"")
    while len(left):
        some = stream.read(min(1 << 20, len(left)))
        if not some:
            raise BadInput(f"its array '{name}' ends too early")
        left[:len(some)] = some
        left = left[len(some):]
    if stream.read(1):
        raise BadInput(f"its array '{name}' has another size than its header says")
    return np.ascontiguousarray(array.T) if fortran else array


def _is_part_of(dtype: np.dtype, known: tuple[np.dtype, ...]) -> bool:
    """Whether its fields are those of a known type of record, or some of them, with the same types."""
    mine = {field: dtype.fields[field][0] for field in dtype.names}
    return bool(mine) and any(all(field in table.names and table.fields[field][0] == kind for field, kind in mine.items())
                              for table in known)


def cost_of(text: bytes) -> int:
    """Bytes of memory that a JSON text may become."""
    bare = np.frombuffer(_STRING.sub(b"", text), np.uint8)
    return VALUE * (1 + sum(int(np.count_nonzero(bare == letter)) for letter in b"[{,")) + 2 * len(text)


def parsed(text: bytes, room: int) -> tuple[Any, int]:
    """(what a JSON text says, how much of the room it takes [bytes]).

    Raises:
        BadInput: it is none, too large, too deep, has a name twice or a number that is none.
    """
    cost = cost_of(text)
    if cost > room:
        raise BadInput(f"it takes more than {MEMORY / 1e6:g} MB of memory")
    if (deep := _depth(text)) > DEPTH:
        raise BadInput(f"its values are nested {deep} deep; allowed: {DEPTH}")
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number), cost
    except (ValueError, RecursionError) as error:
        raise BadInput(f"its JSON is damaged ({error})") from None


def _depth(text: bytes) -> int:
    """How deep its values are nested."""
    letters = np.frombuffer(_STRING.sub(b"", text), np.uint8)
    step = np.zeros(len(letters), np.int8)
    step[(letters == ord("[")) | (letters == ord("{"))] = 1
    step[(letters == ord("]")) | (letters == ord("}"))] = -1
    return int(np.cumsum(step[step != 0], dtype=np.int32).max(initial=0))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a name stands there twice")
    return table


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:40]} .."
