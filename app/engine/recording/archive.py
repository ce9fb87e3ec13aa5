"""The zip archive of a recording, unpacked under limits: declared sizes are checked before memory is allocated.

The limits are on unpacked sizes, not on the compression ratio: deflate packs a table of zeros a thousandfold, and recordings
contain such tables. So a member that declares more than MAX_DEFLATE_RATIO allows is refused, and so is a total beyond
MAX_UNPACKED_BYTES.
"""

import io
import json
import zipfile
from collections.abc import Iterable
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from app.files.printable import printable
from app.i18n.message import message
from physics import BadInput
from physics.core import former_names

MAX_PACKED_BYTES = 80_000_000
"""Largest file [bytes]."""

MAX_UNPACKED_BYTES = 256_000_000
"""Largest memory of a recording [bytes]: with it, the process stays below 600 MB while reading."""

MAX_JSON_TEXT = 32_000_000
"""Largest JSON text [bytes]."""

VALUE = 200
"""Largest memory of one JSON value [bytes]."""

DEPTH = 64
"""Deepest nesting of the JSON; objects of the engine reach 25."""

MEMBERS = 50_000
"""Largest number of arrays in a recording; each sleeping island has one."""

MAX_DEFLATE_RATIO = 1032
"""Largest number of bytes that one byte of a deflate stream can become."""

HEADER = 10_000
"""Largest header of an array [bytes]."""

PLAIN_TYPES = frozenset(np.dtype(name) for name in ("<f8", "<i8", "<i4", "<i2", "<u8", "<u4", "<u2", "|i1", "|u1", "|b1"))
"""Types of arrays without fields, and of fields."""

SCAN_BYTES = 1 << 20
"""Bytes of a JSON text that are scanned at once; temporary arrays have several times this size."""

_STRUCTURE = np.isin(np.arange(256), np.frombuffer(b"[]{},", np.uint8))
"""Of each byte, whether it begins, ends or separates values."""


def folded(text: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A zip archive of a JSON text and of arrays."""
    npz, out = io.BytesIO(), io.BytesIO()
    np.savez_compressed(npz, allow_pickle=False, **arrays)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data, method in (("recording.json", json.dumps(text, allow_nan=False).encode(), zipfile.ZIP_DEFLATED),
                                   ("arrays.npz", npz.getvalue(), zipfile.ZIP_STORED)):
            file.writestr(zipfile.ZipInfo(name), data, method)      # no time of day: the same contents give the same bytes
    return out.getvalue()


class Archive:
    """A zip archive with checked members: no duplicates, none overlapping, none encrypted, no impossible sizes."""

    def __init__(self, stream: BinaryIO, most: int) -> None:
        """Open an archive of at most `most` members.

        Raises:
            BadInput: it breaks one of these rules. zipfile.BadZipFile: it is not a zip archive.
        """
        self._zip = zipfile.ZipFile(stream)
        members = self._zip.infolist()
        if len(members) > most:
            raise BadInput(message("it has {members:,} members; allowed: {most:,}", members=len(members), most=most))
        self.members = {item.filename: item for item in members}
        if len(self.members) < len(members):
            raise BadInput("it has two members with the same name")
        end = 0
        for item in sorted(members, key=lambda item: item.header_offset):
            if item.header_offset < end:
                raise BadInput(message("its members overlap at '{filename}'", filename=_short(item.filename)))
            end = item.header_offset + 30 + item.compress_size
            if item.flag_bits & 0x41 or item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BadInput(message("its member '{filename}' is encrypted, or compressed by a method other than deflate",
                                       filename=_short(item.filename)))
            if item.file_size > MAX_DEFLATE_RATIO * item.compress_size + 64:
                raise BadInput(message("its member '{filename}' declares {file_size:,} bytes, which {compress_size:,} "
                                       "compressed bytes cannot yield", filename=_short(item.filename), file_size=item.file_size,
                                       compress_size=item.compress_size))

    def read(self, name: str, most: int) -> bytes:
        """Return a member of at most `most` bytes.

        Raises:
            BadInput: it is larger, or missing.
        """
        if name not in self.members:
            raise BadInput(message("it has no '{name}'", name=name))
        size = self.members[name].file_size
        if size > most:
            raise BadInput(message("'{name}' in it is larger than {most:g} MB", name=name, most=most / 1e6))
        data = bytearray()
        with self._zip.open(self.members[name]) as stream:
            while len(data) < size and (some := stream.read(min(1 << 20, size - len(data)))):
                data += some
            if stream.read(1) or len(data) != size:
                raise BadInput(message("the size of '{name}' in it does not match its declaration", name=name))
        return bytes(data)

    def arrays(self, room: int, known: Iterable[np.dtype]) -> dict[str, np.ndarray]:
        """Return all members as C-contiguous arrays by name; room: bytes for all of them.

        known: record types, of which an array may lack some fields; other arrays are numeric.

        Raises:
            BadInput: a name, type or size that no recording has, or more than `room` bytes.
        """
        found = {}
        for item in sorted(self.members.values(), key=lambda item: item.header_offset):
            name, suffix = item.filename[:-4], item.filename[-4:]
            if suffix != ".npy" or not name.isidentifier() or len(name) > 20:
                raise BadInput(message("its arrays have an invalid member '{filename}'", filename=_short(item.filename)))
            with self._zip.open(item) as stream:
                found[name] = read_array(stream, _short(item.filename), item.file_size, room, known)
                if stream.read(1):
                    raise BadInput(message("the size of its array '{name}' does not match its header",
                                           name=_short(item.filename)))
            room -= found[name].nbytes
        return found


def read_array(stream: BinaryIO, name: str, end: int, room: int, known: Iterable[np.dtype]) -> np.ndarray:
    """Read an array; its memory is allocated once the whole header is valid.

    Byte for byte: numpy's own reader leaves what lies between the fields of records unset, and worlds compare and copy tables as
    bytes. name: for errors; end: bytes of the whole stream; room, known: as in `Archive.arrays`.
    """
    try:
        version = npy.read_magic(stream)
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, fortran, dtype = header(stream, max_header_size=HEADER)
    except (ValueError, KeyError, RecursionError, MemoryError, SyntaxError, TypeError):
        raise BadInput(message("the header of its array '{name}' is damaged", name=name)) from None
    dtype = former_names.record_today(dtype)
    if not (dtype in PLAIN_TYPES if dtype.names is None else _is_part_of(dtype, known)):
        raise BadInput(message("its array '{name}' has a type that is not allowed", name=name))
    count = 1
    for length in shape:
        count *= max(0, int(length))
    if len(shape) > 4 or min(shape, default=0) < 0 or stream.tell() + count * dtype.itemsize > end:
        raise BadInput(message("the size of its array '{name}' does not match its header", name=name))
    if count * dtype.itemsize > room:
        raise BadInput(message("it takes more than {max_unpacked_bytes:g} MB of memory",
                               max_unpacked_bytes=MAX_UNPACKED_BYTES / 1e6))
    array = np.empty(shape[::-1] if fortran else shape, dtype)
    left = memoryview(array.reshape(-1).view(np.uint8)) if array.size else memoryview(b"")
    while len(left):
        some = stream.read(min(1 << 20, len(left)))
        if not some:
            raise BadInput(message("its array '{name}' ends too early", name=name))
        left[:len(some)] = some
        left = left[len(some):]
    return np.ascontiguousarray(array.T) if fortran else array


def _is_part_of(dtype: np.dtype, known: Iterable[np.dtype]) -> bool:
    """Return whether its fields, with their types, are among those of a known record type."""
    mine = {field: dtype.fields[field][0] for field in dtype.names}
    return bool(mine) and any(all(field in table.names and table.fields[field][0] == kind for field, kind in mine.items())
                              for table in known)


def unpacked_memory(text: bytes) -> int:
    """Return an upper bound of the memory of a parsed JSON text [bytes]."""
    bare = structure(text)
    return VALUE * (1 + sum(int(np.count_nonzero(bare == letter)) for letter in b"[{,")) + 2 * len(text)


def parsed(text: bytes, room: int) -> tuple[Any, int]:
    """Parse a JSON text; return (value, its share of `room` [bytes]).

    Raises:
        BadInput: it is invalid, too large, too deep, has a duplicate name or a non-finite number.
    """
    cost = unpacked_memory(text)
    if cost > room:
        raise BadInput(message("it takes more than {max_unpacked_bytes:g} MB of memory",
                               max_unpacked_bytes=MAX_UNPACKED_BYTES / 1e6))
    if (deep := _depth(text)) > DEPTH:
        raise BadInput(message("its values are nested {deep} deep; allowed: {depth}", deep=deep, depth=DEPTH))
    try:
        return json.loads(text.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number), cost
    except (ValueError, RecursionError) as error:
        raise BadInput(message("its JSON is damaged ({error})", error=error)) from None


def _depth(text: bytes) -> int:
    """Return the depth of nesting of the values."""
    letters = structure(text)
    step = np.zeros(len(letters), np.int8)
    step[(letters == ord("[")) | (letters == ord("{"))] = 1
    step[(letters == ord("]")) | (letters == ord("}"))] = -1
    return int(np.cumsum(step[step != 0], dtype=np.int32).max(initial=0))


def structure(text: bytes) -> np.ndarray:
    """Return the brackets, braces and commas of a JSON text outside of its strings (n,), uint8.

    Time and memory are proportional to the length of any text, valid or not: a regular expression needs much more where strings
    do not end.
    """
    found, odd, within = [], False, False       # odd: the number of backslashes before the piece; within: it begins in a string
    for begin in range(0, len(text), SCAN_BYTES):
        letters = np.frombuffer(text, np.uint8, min(SCAN_BYTES, len(text) - begin), begin)
        place = np.arange(len(letters), dtype=np.int32)
        other = np.maximum.accumulate(np.where(letters != ord("\\"), place, np.int32(-1)))    # the last that is no backslash
        before = np.concatenate(([np.int32(-1)], other[:-1]))
        backslashes = place - 1 - before + odd * (before < 0)       # directly before each letter
        quotes = (letters == ord('"')) & (backslashes % 2 == 0)
        inside = np.logical_xor(np.cumsum(quotes, dtype=np.int32) % 2 == 1, within)
        found.append(letters[_STRUCTURE[letters] & ~inside])
        odd = bool((place[-1] - other[-1] + odd * (other[-1] < 0)) % 2)
        within = bool(inside[-1])
    return np.concatenate(found) if found else np.empty(0, np.uint8)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a name occurs twice")
    return table


def _no_number(word: str) -> None:
    raise ValueError(message("{word} is not a number", word=word))


def _short(name: str) -> str:
    return printable(name, 40)
