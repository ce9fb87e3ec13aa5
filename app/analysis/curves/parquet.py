"""A table of numbers as an Apache Parquet file: float64 columns, plain and uncompressed, one row group, one page a column.

The format, https://parquet.apache.org/docs/file-format/:

    "PAR1"  (page header, values) for each column  file metadata  length of that (4 bytes)  "PAR1"               (1)

Headers and metadata are structs in Thrift's compact protocol: each field a byte (delta of its number << 4 | type), integers as
zigzag varints, lists as (count << 4 | type) with a varint from 15 on. Plain doubles are IEEE 754, little-endian. This suffices
for tables of samples and avoids a library of tens of megabytes.
"""

import struct
from collections.abc import Iterable, Mapping

import numpy as np

from app.i18n.message import message

PARQUET_MAGIC = b"PAR1"
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
"""Types of Thrift's compact protocol."""

DOUBLE, REQUIRED, PLAIN, RLE, UNCOMPRESSED, DATA_PAGE = 5, 0, 0, 3, 0, 0
"""Values of Parquet's enumerations: type, repetition, encodings, codec, page type."""

MAX_PAGE_BYTES = 2**31 - 1
"""Largest size of a page in bytes: it is stored as a 32-bit number."""


def encode(columns: Mapping[str, np.ndarray]) -> bytes:
    """Encode columns as a file. columns: by name, all of one length; NaN stays NaN.

    Raises:
        ValueError: columns of different lengths, or too long for one page.
    """
    data = {name: np.ascontiguousarray(column, "<f8") for name, column in columns.items()}
    lengths = {len(column) for column in data.values()}
    if len(lengths) > 1:
        raise ValueError(message("all columns of a table must have the same length; these have {lengths}",
                                 lengths=sorted(lengths)))
    rows = lengths.pop() if lengths else 0
    if 8 * rows > MAX_PAGE_BYTES:
        raise ValueError(message("a column of {rows} rows is too long: at most {most}", rows=rows, most=MAX_PAGE_BYTES // 8))
    parts, at, chunks = [PARQUET_MAGIC], len(PARQUET_MAGIC), []
    for name, column in data.items():
        values = column.tobytes()
        page = _struct([(1, I32, DATA_PAGE), (2, I32, len(values)), (3, I32, len(values)),
                        (5, STRUCT, _struct([(1, I32, rows), (2, I32, PLAIN), (3, I32, RLE), (4, I32, RLE)]))])
        size = len(page) + len(values)
        about = _struct([(1, I32, DOUBLE), (2, LIST, _list(I32, [_varint(_zigzag(PLAIN))])),
                         (3, LIST, _list(BINARY, [_text(name)])), (4, I32, UNCOMPRESSED), (5, I64, rows), (6, I64, size),
                         (7, I64, size), (9, I64, at)])
        chunks.append((_struct([(2, I64, at), (3, STRUCT, about)]), size))
        parts += [page, values]
        at += size
    leaves = [_struct([(1, I32, DOUBLE), (3, I32, REQUIRED), (4, BINARY, _text(name))]) for name in data]
    root = _struct([(4, BINARY, _text("samples")), (5, I32, len(data))])
    group = _struct([(1, LIST, _list(STRUCT, [chunk for chunk, _ in chunks])), (2, I64, sum(size for _, size in chunks)),
                     (3, I64, rows)])
    footer = _struct([(1, I32, 1), (2, LIST, _list(STRUCT, [root, *leaves])), (3, I64, rows), (4, LIST, _list(STRUCT, [group])),
                      (6, BINARY, _text("stiction"))])
    return b"".join([*parts, footer, struct.pack("<I", len(footer)), PARQUET_MAGIC])


def _struct(fields: Iterable[tuple[int, int, int | bytes]]) -> bytes:
    """Encode (number, type, value) in order; non-integer values are encoded already."""
    out, last = bytearray(), 0
    for number, kind, value in fields:
        out.append((number - last) << 4 | kind)
        out += _varint(_zigzag(value)) if isinstance(value, int) else value
        last = number
    out.append(0)
    return bytes(out)


def _list(kind: int, items: list[bytes]) -> bytes:
    head = bytes([len(items) << 4 | kind]) if len(items) < 15 else bytes([0xF0 | kind]) + _varint(len(items))
    return head + b"".join(items)


def _text(text: str) -> bytes:
    data = text.encode()
    return _varint(len(data)) + data


def _zigzag(number: int) -> int:
    return (number << 1) ^ (number >> 63)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
