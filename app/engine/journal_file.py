"""The file of a journal (journal.py): records that are only ever added. No pickle; objects are told by codec.py.

    START      a whole state with its scene: what is before it does not count
    EDIT       one that can be undone; whole states tell them by number
    STATE      a whole state, from which steps can be made again sooner
    DEED       a command that changed something, after the step that is the last so far
    STEPS      times and checks of steps that were made, and which of them the clock cut short: they are made again from the rest
    FORGET     the past ends at an earlier step
    PART, CONTINUE     a whole state that does not follow from what was done, at the last step or at an earlier one
    WHERE      what is shown, how many edits there are, and when that was

Each record has its length and CRC32; what counts is the longest part of the file that is whole.
"""

import io
import json
import os
import struct
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

import scenes
from app import regular_file
from app.engine import recording
from app.engine.codec import Decoder, Encoder
from app.engine.deeds import check_deed, check_settings
from app.engine.history import Check, Deed, History, Moment, checksum, moment_of
from app.engine.undoing import Edit, Edits, Whole
from app.whole_files import write
from physics import BadInput, World, set_option, validity

FORMAT = 1
MAGIC = b"stiction journal\n"
HEAD = struct.Struct("<IIB")
"""Of a record: bytes of what it holds, their CRC32, kind."""
START, EDIT, STATE, DEED, STEPS, FORGET, PART, CONTINUE, WHERE = range(1, 10)

LARGEST = 50_000_000
"""Bytes after which a START begins a new file."""
STATES = 100
"""Whole states after a START: the next one is a START."""
EDITS = 4_000_000
"""Bytes of edits that can be undone after a crash, about: the newest."""
UNFOLDED = 512_000_000
"""Bytes that a record may unfold to."""

Step = tuple[int, float, int, bool]
"""Number, time [s], check of all bodies, whether the clock cut it short."""


@dataclass(frozen=True)
class Source:
    """Where a run comes from: scene, the values of its parameters, its drivers."""

    scene: str
    parameters: dict[str, Any]
    drivers: tuple


# ---- writing


class Pages:
    """Adds records. first, last: steps that the file knows; asked: it needs a whole state to go on; source: of what starts."""

    def __init__(self, path: Path) -> None:
        self.path, self.source = path, Source("", {}, ())
        self.first, self.last, self.asked = 0, -1, True
        self._made = recording.here()
        self._file: BinaryIO | None = None
        self._size = self._states = 0
        self._numbers: dict[int, tuple[int, Edit]] = {}     # by identity, with the edit, so that it stays the one

    def follows(self, step: int) -> bool:
        """Whether what happens after that step goes on from what the file has; else it asks for a whole state."""
        self.asked |= step != self.last
        return not self.asked

    def start(self, moment: Moment) -> None:
        """Begin anew."""
        self._numbers, self._states = {}, 0
        edits = list(self._edits(moment))       # they follow: reading begins at a START
        records = [self._record(START, lambda encode: {
            "format": FORMAT, "made": self._made, "scene": self.source.scene, "parameters": self.source.parameters,
            **self._moment(moment, encode)}), *edits]
        if self._file is None or self._size > LARGEST:
            self.close()
            write(self.path, MAGIC + b"".join(records), private=True)
            self._file, self._size = open(self.path, "ab", 0), sum(map(len, records))     # noqa: SIM115  (it stays open)
        else:
            self._add(*records)
        self.first = self.last = moment.step
        self.asked = False

    def state(self, moment: Moment) -> None:
        """A whole state of the last step; of another one: begin anew with it."""
        if self.asked or moment.step != self.last or self._full:
            if self.source.scene:
                self.start(moment)
        else:
            self._whole(STATE, moment)

    def part(self, moment: Moment) -> None:
        """The last step is that, however it came about."""
        if self.follows(moment.step) and not self._full:
            self._whole(PART, moment)
        else:
            self.start(moment)

    def go_on_from(self, moment: Moment) -> None:
        """The past ends there with that moment, however it came about."""
        if not self.asked and self.first <= moment.step <= self.last and not self._full:
            self._whole(CONTINUE, moment)
            self.last = moment.step
        else:
            self.start(moment)

    def forget_after(self, step: int) -> None:
        """The past ends there."""
        if not self.asked and self.first <= step <= self.last:
            self._add(_framed(FORGET, struct.pack("<q", step)))
            self.last = step
        else:
            self.asked = True

    def deed(self, deed: Deed) -> None:
        """What was done after the last step."""
        if self.follows(deed.step):
            self._add(self._record(DEED, lambda encode: {
                "step": deed.step, "command": deed.command, "args": encode(deed.args), "kwargs": encode(deed.kwargs),
                "gesture": deed.gesture}))

    def steps(self, steps: Sequence[Step]) -> None:
        """Steps that were made, one after the other."""
        if self.follows(steps[0][0] - 1):
            columns = np.array([s[1] for s in steps]), np.array([s[2] for s in steps], np.uint64), np.array([s[3] for s in steps])
            self._add(_framed(STEPS, struct.pack("<qI", steps[0][0], len(steps)) + b"".join(c.tobytes() for c in columns)))
            self.last = steps[-1][0]

    def where(self, place: int, edits: int, acts: int) -> None:
        """The step that is shown, how many edits there are, how often anything was done at all."""
        if self._file is not None:
            self._add(_framed(WHERE, json.dumps({"place": place, "edits": edits, "acts": acts, "clock": time.time()}).encode()))

    def flush(self) -> None:
        """To the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Nothing is written until the next START, which begins a new file."""
        if self._file is not None:
            self._file.close()
        self._file, self.last, self.asked = None, -1, True

    @property
    def _full(self) -> bool:
        return self._states >= STATES or self._size > LARGEST

    def _whole(self, kind: int, moment: Moment) -> None:
        self._states += 1
        self._add(*self._edits(moment), self._record(kind, lambda encode: self._moment(moment, encode)))

    def _moment(self, moment: Moment, encode: Any) -> dict:
        edits = moment.settings["edits"]
        return {"step": moment.step, "snapshot": encode(moment.snapshot),
                "settings": encode({name: value for name, value in moment.settings.items() if name != "edits"}),
                "check": checksum(moment.snapshot.tables[0].records).whole,
                **{name: [self._numbers[id(edit)][0] for edit in _kept(getattr(edits, name))] for name in ("done", "undone")}}

    def _edits(self, moment: Moment) -> Iterator[bytes]:
        """Records of those that the file does not have yet."""
        edits = moment.settings["edits"]
        for edit in (*_kept(edits.done), *_kept(edits.undone)):
            if id(edit) not in self._numbers:
                self._numbers[id(edit)] = len(self._numbers), edit
                yield self._record(EDIT, lambda encode, edit=edit: {"edit": encode(edit)})

    def _record(self, kind: int, tree: Any) -> bytes:
        """tree(encode) makes what it holds."""
        encoder, out = Encoder(self.source.drivers), io.BytesIO()
        text = json.dumps(tree(encoder.encode), allow_nan=False).encode()
        out.write(struct.pack("<I", len(text)) + text)
        for array in encoder.arrays.values():
            np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)
        return _framed(kind, zlib.compress(out.getbuffer(), 1))

    def _add(self, *records: bytes) -> None:
        data = b"".join(records)
        self._file.write(data)
        self._size += len(data)


def _framed(kind: int, held: bytes) -> bytes:
    return HEAD.pack(len(held), zlib.crc32(held, kind), kind) + held


def _kept(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The newest in EDITS bytes; those that built the scene anew, and what was before them, cannot be undone after a crash."""
    total = 0
    for count, edit in enumerate(reversed(edits)):
        total += edit.change.size
        if isinstance(edit.change, Whole) or total > EDITS:
            return edits[len(edits) - count:]
    return edits


# ---- reading


@dataclass(frozen=True)
class Glance:
    """What a journal is of: scene, the step that was shown, how many edits, when [s since 1970]; fresh: nothing was done yet."""

    scene: str
    place: int
    edits: int
    clock: float
    fresh: bool


@dataclass(frozen=True)
class Left:
    """What a journal holds: the past as it was, with the scene and its parameters, the step that was shown, by which versions."""

    scene: str
    parameters: Any
    history: History
    place: int
    made: dict[str, str]


def glance(path: Path) -> Glance:
    """Of the whole part of a file.

    Raises:
        BadInput: there is none.
    """
    records, starts = _records(path)
    text, _ = _unpacked(records[0][1])
    where = next((json.loads(held) for kind, held in reversed(records) if kind == WHERE), {})
    fresh = starts == 1 and not where.get("acts") and {kind for kind, _ in records} <= {START, EDIT, STATE, WHERE}
    return Glance(str(text["scene"]), int(where.get("place", text["step"])), int(where.get("edits", len(text["done"]))),
                  float(where.get("clock", path.stat().st_mtime)), fresh)


def read(path: Path, commands: type) -> Left:
    """All of it, as far as it is whole and what it holds can be made again. commands: the class whose commands were done.

    Raises:
        BadInput: it has no start, is damaged, or of a newer version.
    """
    records, _ = _records(path)
    try:
        text, arrays = _unpacked(records[0][1])
        if text["format"] > FORMAT:
            raise BadInput("it was made by a newer Stiction: update this one")
        scene = scenes.find(text["scene"])
        parameters = scene.parameters()
        for name, value in text["parameters"].items():
            set_option(parameters, name, value)
        reader = _Reader(tuple(scenes.make_world(scene, parameters).drivers), records, commands)
        moment = reader.moment(text, arrays)
    except BadInput as error:
        raise BadInput(f"{path} cannot be restored: {error}") from None
    except Exception as error:  # noqa: BLE001  (whatever a damaged file leads to)
        raise BadInput(f"{path} cannot be restored: it is damaged ({type(error).__name__})") from None
    history = reader.history(moment, int(text["check"]))
    _, last = history.way(history.first, history.last)
    history.forget_after(last)
    where = next((json.loads(held) for kind, held in reversed(records) if kind == WHERE), {"place": last})
    return Left(text["scene"], parameters, history, min(max(int(where["place"]), history.first), last),
                {str(name): str(value) for name, value in text["made"].items()})


class _Reader:
    """Makes the history again from the records since the last START."""

    def __init__(self, drivers: tuple, records: list[tuple[int, bytes]], commands: type) -> None:
        self._drivers, self._records, self._commands = drivers, records, commands
        self._edits: list[Edit] = []
        for kind, held in records[1:]:
            if kind != EDIT:
                break
            self._edit(held)

    def history(self, start: Moment, check: int) -> History:
        """As far as the records make sense."""
        history = History()
        history.refill([start], [], np.array([start.snapshot.time]), np.array([], np.int64), [Check(check)])
        for kind, held in self._records[1 + len(self._edits):]:
            try:
                self._take(history, kind, held)
            except Exception:  # noqa: BLE001  (the rest is no journal of ours: what was before it is)
                break
        return history

    def moment(self, text: dict, arrays: dict) -> Moment:
        """A whole state, which is checked; raises BadInput (or KeyError, TypeError, .. of a damaged one)."""
        decoder = Decoder(arrays, self._drivers)
        edits = Edits(*(tuple(self._edits[n] for n in text[name]) for name in ("done", "undone")))
        snapshot, settings = decoder.decode(text["snapshot"]), decoder.decode(text["settings"])
        validity.check(snapshot)
        check_settings(settings, len(snapshot.tables[2].records))
        moment = moment_of(snapshot, {**settings, "edits": edits}, 0)
        World().restore(moment.snapshot)
        if moment.step != text["step"] or checksum(moment.snapshot.tables[0].records).whole != text["check"]:
            raise BadInput(f"its whole state of step {moment.step} is not the one that was kept")
        return moment

    def _take(self, history: History, kind: int, held: bytes) -> None:
        if kind == STEPS:
            first, count = struct.unpack_from("<qI", held)
            times, checks, cuts = (np.frombuffer(held, dtype, count, 12 + at * count)
                                   for dtype, at in (("<f8", 0), ("<u8", 8), ("?", 16)))
            if first != history.last + 1:
                raise BadInput("steps are missing")
            for now, check, cut in zip(times.tolist(), checks.tolist(), cuts.tolist()):
                history.add_step(now, cut, Check(check))
        elif kind == FORGET:
            history.forget_after(*struct.unpack("<q", held))
        elif kind == DEED:
            text, arrays = _unpacked(held)
            decoder = Decoder(arrays, self._drivers)
            deed = Deed(text["step"], text["command"], decoder.decode(text["args"]), decoder.decode(text["kwargs"]),
                        text["gesture"])
            check_deed(deed, self._commands)
            history.note(deed)
        elif kind == EDIT:
            self._edit(held)
        elif kind in (STATE, PART, CONTINUE):
            moment = self.moment(*_unpacked(held))
            if kind == CONTINUE:
                history.continue_from(moment.step, lambda done: replace(moment, done=done))
            else:
                (history.keep if kind == STATE else history.part)(lambda done: replace(moment, done=done))

    def _edit(self, held: bytes) -> None:
        text, arrays = _unpacked(held)
        self._edits.append(Decoder(arrays, self._drivers).decode(text["edit"]))


def _records(path: Path) -> tuple[list[tuple[int, bytes]], int]:
    """(kind, what it holds) from the last START on, as far as the file is whole, and how many STARTs it has; raises BadInput."""
    data = regular_file.read(path, 8 * LARGEST)
    found: list[tuple[int, bytes]] = []
    starts = 0
    at = len(MAGIC) if data.startswith(MAGIC) else len(data)
    while at + HEAD.size <= len(data):
        length, crc, kind = HEAD.unpack_from(data, at)
        held = data[at + HEAD.size:at + HEAD.size + length]
        if len(held) < length or zlib.crc32(held, kind) != crc:
            break
        if kind == START:
            found, starts = [], starts + 1
        found.append((kind, held))
        at += HEAD.size + length
    if not found or found[0][0] != START:
        raise BadInput(f"{path} cannot be restored: its start is missing")
    return found, starts


def _unpacked(held: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    unfolding = zlib.decompressobj()
    data = unfolding.decompress(held, UNFOLDED)
    if unfolding.unconsumed_tail:
        raise BadInput(f"it has a record of more than {UNFOLDED / 1e6:.0f} MB")
    length, = struct.unpack_from("<I", data)
    stream, arrays = io.BytesIO(data), {}
    stream.seek(4 + length)
    while stream.tell() < len(data):
        arrays[f"a{len(arrays)}"] = np.lib.format.read_array(stream, allow_pickle=False)
    return json.loads(data[4:4 + length]), arrays
