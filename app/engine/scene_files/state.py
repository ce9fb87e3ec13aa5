"""What steps computed of a world: contacts and their impulses, sleep, the energy account, the auditor's memory; packed as text.

It is a snapshot in the encoding of recordings (recording/codec.py), without the last report. A file has it only where its tables
alone do not give the world back bit for bit; it counts only while the world that it holds is described by exactly those tables.
"""

import base64
import binascii
import io
import zipfile
from dataclasses import replace

import numpy as np

from app.engine.recording.archive import Archive, folded, parsed
from app.engine.recording.codec import RECORD_TYPES, Decoder, Encoder
from app.i18n.message import message
from physics import BadInput, Snapshot, World
from physics.world import validate

MAX_STATE_BYTES = 64_000_000
"""Largest memory of a state [bytes]."""

MAX_ARRAYS = 5_000
"""Largest number of its arrays."""

LINE_LENGTH = 120
"""Letters in a line."""


def stored(world: World) -> Snapshot:
    """What of a world goes into a file: without the report of the last step, whose times are of this machine."""
    return replace(world.snapshot(), report=None, step_start=None)


def pack(snapshot: Snapshot) -> str:
    """The text of a state, without its drivers, which are Python functions."""
    encoder = Encoder(())
    tree = encoder.encode(replace(snapshot, drivers=()))
    text = base64.b64encode(folded({"snapshot": tree}, encoder.arrays)).decode()
    return "".join(f"{text[at:at + LINE_LENGTH]}\n" for at in range(0, len(text), LINE_LENGTH))


def unpack(text: str) -> World:
    """The world of a state.

    Raises:
        BadInput: it is none, or one in which no world could be.
    """
    try:
        archive = Archive(io.BytesIO(base64.b64decode("".join(text.split()), validate=True)), 2)
        tree, cost = parsed(archive.read("recording.json", MAX_STATE_BYTES // 4), MAX_STATE_BYTES)
        packed = Archive(io.BytesIO(archive.read("arrays.npz", MAX_STATE_BYTES)), MAX_ARRAYS)
        arrays = packed.arrays(MAX_STATE_BYTES - cost, RECORD_TYPES)
        snapshot = Decoder(arrays, ()).decode(tree["snapshot"])
        if not isinstance(snapshot, Snapshot):
            raise BadInput("it is no state")
        validate.check(snapshot)
        world = World()
        world.restore(snapshot)
    except BadInput:
        raise
    except (binascii.Error, zipfile.BadZipFile):
        raise BadInput("it is damaged") from None
    except Exception as error:  # noqa: BLE001  (damaged data may raise anything)
        raise BadInput(message("it is damaged ({error_type})", error_type=type(error).__name__)) from None
    if reason := world.solver.unsupported(world):
        raise BadInput(message("its solver does not support it: {reason}", reason=reason))
    return world


def same(a: World, b: World) -> bool:
    """Whether two worlds are in the same state, bit for bit."""
    encoded = []
    for world in (a, b):
        snapshot = replace(stored(world), drivers=())
        encoder = Encoder(())
        encoded.append((encoder.encode(snapshot), encoder.arrays))
    (tree, arrays), (other, others) = encoded
    return tree == other and arrays.keys() == others.keys() and all(
        _equal(arrays[name], others[name]) for name in arrays)


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
