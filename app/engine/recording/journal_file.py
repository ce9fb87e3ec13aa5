"""The file format of a journal (journal.py): records that are only appended. No pickle; codec.py encodes objects.

    START      a keyframe with its scene; everything before it is obsolete
    EDIT       an edit for undo; keyframes refer to edits by number
    STATE      a keyframe, which shortens the recomputation of steps
    COMMAND    a command that changed something, after the last step so far
    STEPS      times and checksums of steps, and which of them the time budget cut short; they are recomputed from the rest
    FORGET     the history ends at an earlier step
    PART, CONTINUE     a keyframe that does not follow from the records, at the last step or at an earlier one
    WHERE      the step shown, the number of edits, and the time
    VIEW_STATE view state: solvers compared, breakpoints, plots, camera (view_state.py); optional, ignored by older versions

Each record has its length and CRC32; the longest valid beginning of the file counts.
"""

import contextlib
import io
import json
import os
import struct
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from app.build_scene import build
from app.engine.recording import archive, file
from app.engine.recording.codec import RECORD_TYPES, Decoder, Encoder
from app.engine.recording.validate_commands import check_command, check_settings
from app.engine.recording.view_state import ViewState, parsed
from app.engine.timeline.history import CommandRecord, Keyframe, SimulationHistory, StepChecksum, checksum, moment_of
from app.engine.undo.edit_list import Edit, EditList, WholeStateEdit
from app.files import safe_read
from app.files.atomic_write import write
from app.files.printable import printable
from app.i18n.message import message
from app.robots import robot_file
from physics import BadInput, World, set_option
from physics.world import validate

FORMAT = 1
JOURNAL_MAGIC = b"stiction journal\n"
RECORD_HEADER = struct.Struct("<IIB")
"""Header of a record: size of its contents [bytes], their CRC32, kind."""
START, EDIT, STATE, COMMAND, STEPS, FORGET, PART, CONTINUE, WHERE, VIEW_STATE = range(1, 11)

LARGEST = 50_000_000
"""Size after which a START begins a new file [bytes]."""
KEYFRAMES_PER_START = 100
"""Keyframes after a START; the next one is a START."""
EDITS = 4_000_000
"""Approximate size of the edits that can be undone after a crash [bytes]: the newest."""
UNFOLDED = 512_000_000
"""Largest unpacked record [bytes]."""
MAX_CLOCK_ERROR = 86400.0
"""Largest difference of the time in a journal from that of its file [s]: beyond, the file's counts."""

StepEntry = tuple[int, float, int, bool]
"""Number, time [s], checksum of all bodies, whether the time budget cut it short."""


@dataclass(frozen=True)
class Source:
    """Origin of a run: scene, parameter values, drivers."""

    scene: str
    parameters: dict[str, Any]
    drivers: tuple


# ---- writing


class JournalWriter:
    """Appends records. first, last: steps that the file covers; asked: it needs a keyframe to continue; source: of the next
    START; looked: the view state in the file."""

    def __init__(self, path: Path) -> None:
        self.path, self.source = path, Source("", {}, ())
        self.first, self.last, self.asked, self.last_view_state = 0, -1, True, b""
        self._made = file.library_versions()
        self._file: BinaryIO | None = None
        self._size = self._states = 0
        self._numbers: dict[int, tuple[int, Edit]] = {}     # by identity; holds the edit, so that the identity stays unique

    def follows(self, step: int) -> bool:
        """Return whether the file continues at that step; if not, ask for a keyframe."""
        self.asked |= step != self.last
        return not self.asked

    def start(self, moment: Keyframe) -> None:
        """Write a START."""
        self._numbers, self._states, self.last_view_state = {}, 0, b""
        edits = list(self._edits(moment))       # they come after it, since reading begins at a START
        records = [self._record(START, lambda encode: {
            "format": FORMAT, "made": self._made, "scene": self.source.scene, "parameters": self.source.parameters,
            **self._moment(moment, encode)}), *edits]
        if self._file is None or self._size > LARGEST:
            self.close()
            write(self.path, JOURNAL_MAGIC + b"".join(records), private=True)
            self._file, self._size = open(self.path, "ab", 0), sum(map(len, records))     # noqa: SIM115  (it stays open)
        else:
            self._add(*records)
        self.first = self.last = moment.step
        self.asked = False

    def state(self, moment: Keyframe) -> None:
        """Write a keyframe of the last step; of another step: start anew with it."""
        if self.asked or moment.step != self.last or self._full:
            if self.source.scene:
                self.start(moment)
        else:
            self._whole(STATE, moment)

    def part(self, moment: Keyframe) -> None:
        """Record that the last step has this state, whatever led to it."""
        if self.follows(moment.step) and not self._full:
            self._whole(PART, moment)
        else:
            self.start(moment)

    def go_on_from(self, moment: Keyframe) -> None:
        """Record that the history ends with that keyframe, whatever led to it."""
        if not self.asked and self.first <= moment.step <= self.last and not self._full:
            self._whole(CONTINUE, moment)
            self.last = moment.step
        else:
            self.start(moment)

    def forget_after(self, step: int) -> None:
        """Record that the history ends at that step."""
        if not self.asked and self.first <= step <= self.last:
            self._add(framed(FORGET, struct.pack("<q", step)))
            self.last = step
        else:
            self.asked = True

    def command(self, command: CommandRecord) -> None:
        """Write a command after the last step."""
        if self.follows(command.step):
            self._add(self._record(COMMAND, lambda encode: {
                "step": command.step, "command": command.command, "args": encode(command.args), "kwargs": encode(command.kwargs),
                "gesture": command.gesture}))

    def steps(self, steps: Sequence[StepEntry]) -> None:
        """Write consecutive steps."""
        if self.follows(steps[0][0] - 1):
            columns = np.array([s[1] for s in steps]), np.array([s[2] for s in steps], np.uint64), np.array([s[3] for s in steps])
            self._add(framed(STEPS, struct.pack("<qI", steps[0][0], len(steps)) + b"".join(c.tobytes() for c in columns)))
            self.last = steps[-1][0]

    def where(self, place: int, edits: int, acts: int) -> None:
        """Write the step shown, the number of edits, and the number of actions so far."""
        if self._file is not None:
            self._add(framed(WHERE, json.dumps({"place": place, "edits": edits, "acts": acts, "clock": time.time()}).encode()))

    def write_view_state(self, view_state: bytes) -> None:
        """Write the view state."""
        if self._file is not None:
            self._add(framed(VIEW_STATE, view_state))
            self.last_view_state = view_state

    def flush(self) -> None:
        """Flush to the disk."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write nothing until the next START, which begins a new file."""
        if self._file is not None:
            self._file.close()
        self._file, self.last, self.asked = None, -1, True

    @property
    def _full(self) -> bool:
        return self._states >= KEYFRAMES_PER_START or self._size > LARGEST

    def _whole(self, kind: int, moment: Keyframe) -> None:
        self._states += 1
        self._add(*self._edits(moment), self._record(kind, lambda encode: self._moment(moment, encode)))

    def _moment(self, moment: Keyframe, encode: Any) -> dict:
        edits = moment.settings["edits"]
        return {"step": moment.step, "snapshot": encode(moment.snapshot),
                "settings": encode({name: value for name, value in moment.settings.items() if name != "edits"}),
                "check": checksum(moment.snapshot.tables[0].records).whole,
                **{name: [self._numbers[id(edit)][0] for edit in _newest_edits(getattr(edits, name))]
                   for name in ("done", "undone")}}

    def _edits(self, moment: Keyframe) -> Iterator[bytes]:
        """Return records of the edits that the file does not contain yet."""
        edits = moment.settings["edits"]
        for edit in (*_newest_edits(edits.done), *_newest_edits(edits.undone)):
            if id(edit) not in self._numbers:
                self._numbers[id(edit)] = len(self._numbers), edit
                yield self._record(EDIT, lambda encode, edit=edit: {"edit": encode(edit)})

    def _record(self, kind: int, tree: Any) -> bytes:
        """Encode a record; tree(encode) makes its contents."""
        encoder, out = Encoder(self.source.drivers), io.BytesIO()
        text = json.dumps(tree(encoder.encode), allow_nan=False).encode()
        out.write(struct.pack("<I", len(text)) + text)
        for array in encoder.arrays.values():
            np.lib.format.write_array(out, np.ascontiguousarray(array), allow_pickle=False)
        return framed(kind, zlib.compress(out.getbuffer(), 1))

    def _add(self, *records: bytes) -> None:
        data = b"".join(records)
        self._file.write(data)
        self._size += len(data)


def framed(kind: int, held: bytes) -> bytes:
    return RECORD_HEADER.pack(len(held), zlib.crc32(held, kind), kind) + held


def _newest_edits(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Select the newest edits within EDITS bytes; rebuilds of the scene and earlier edits cannot be undone after a crash."""
    total = 0
    for count, edit in enumerate(reversed(edits)):
        total += edit.change.size
        if isinstance(edit.change, WholeStateEdit) or total > EDITS:
            return edits[len(edits) - count:]
    return edits


# ---- reading


@dataclass(frozen=True)
class JournalSummary:
    """Summary of a journal: scene, the step shown, number of edits, date [s since 1970]; is_untouched: nothing was changed."""

    scene: str
    place: int
    edits: int
    clock: float
    is_untouched: bool


@dataclass(frozen=True)
class JournalContents:
    """Contents of a journal: history, scene and parameters, the step shown, versions, view state."""

    scene: str
    parameters: Any
    history: SimulationHistory
    place: int
    made: dict[str, str]
    view_state: ViewState | None


def glance(path: Path) -> JournalSummary:
    """Summarise the valid part of a file.

    Raises:
        BadInput: there is none.
    """
    records, starts = records_in(path)
    try:
        text, _ = _unpacked(records[0][1])
        where = next((json.loads(held) for kind, held in reversed(records) if kind == WHERE), {})
        quiet = {kind for kind, _ in records} <= {START, EDIT, STATE, WHERE, VIEW_STATE}
        written, clock = path.stat().st_mtime, float(where.get("clock", "nan"))
        return JournalSummary(printable(str(text["scene"]), file.LONGEST_NAME), int(where.get("place", text["step"])),
                              int(where.get("edits", len(text["done"]))),
                              clock if abs(clock - written) < MAX_CLOCK_ERROR else written,
                              starts == 1 and not where.get("acts") and quiet)
    except Exception as error:  # noqa: BLE001  (damaged data may raise anything)
        raise BadInput(message("{path} cannot be restored: it is damaged ({error_type})", path=path,
                               error_type=type(error).__name__)) from None


def read(path: Path, commands: Mapping[str, Callable]) -> JournalContents:
    """Read a journal as far as it is valid and its contents can be reconstructed. commands: those that it may contain, by name.

    Raises:
        BadInput: it has no start, is damaged, or of a newer version.
    """
    records, _ = records_in(path)
    try:
        text, arrays = _unpacked(records[0][1])
        if text["format"] > FORMAT:
            raise BadInput("it was made by a newer version of Stiction: update this one")
        scene = robot_file.found(text["scene"])
        parameters = scene.parameters()
        for name, value in text["parameters"].items():
            set_option(parameters, name, value)
        reader = _JournalReader(tuple(build(scene, parameters).drivers), records, commands)
        moment = reader.moment(text, arrays)
    except BadInput as error:
        raise BadInput(message("{path} cannot be restored: {error}", path=path, error=printable(str(error)))) from None
    except Exception as error:  # noqa: BLE001  (damaged data may raise anything)
        raise BadInput(message("{path} cannot be restored: it is damaged ({error_type})", path=path,
                               error_type=type(error).__name__)) from None
    history = reader.history(moment, int(text["check"]))
    _, last = history.route_to(history.first, history.last)
    history.forget_after(last)
    where = next((json.loads(held) for kind, held in reversed(records) if kind == WHERE), {"place": last})
    return JournalContents(text["scene"], parameters, history, min(max(int(where["place"]), history.first), last),
                           file.versions_of(text["made"]), _outlook(records))


def _outlook(records: list[tuple[int, bytes]]) -> ViewState | None:
    """Return the newest view state."""
    with contextlib.suppress(BadInput):
        return next((parsed(held) for kind, held in reversed(records) if kind == VIEW_STATE), None)
    return None


class _JournalReader:
    """Reconstructs the history from the records since the last START."""

    def __init__(self, drivers: tuple, records: list[tuple[int, bytes]], commands: Mapping[str, Callable]) -> None:
        self._drivers, self._records, self._commands = drivers, records, commands
        self._edits: list[Edit] = []
        for kind, held in records[1:]:
            if kind != EDIT:
                break
            self._edit(held)

    def history(self, start: Keyframe, check: int) -> SimulationHistory:
        """Reconstruct the history as far as the records are valid."""
        history = SimulationHistory()
        history.load([start], [], np.array([start.snapshot.time]), np.array([], np.int64), [StepChecksum(check)])
        for kind, held in self._records[1 + len(self._edits):]:
            try:
                self._apply_record(history, kind, held)
            except Exception:  # noqa: BLE001  (damaged from here on; the part before is used)
                break
        return history

    def moment(self, text: dict, arrays: dict) -> Keyframe:
        """Decode and validate a keyframe; raises BadInput (or KeyError, TypeError and others if damaged)."""
        decoder = Decoder(arrays, self._drivers)
        edits = EditList(*(tuple(self._edits[n] for n in text[name]) for name in ("done", "undone")))
        snapshot, settings = decoder.decode(text["snapshot"]), decoder.decode(text["settings"])
        validate.check(snapshot)
        check_settings(settings, len(snapshot.tables[2].records))
        moment = moment_of(snapshot, {**settings, "edits": edits}, 0)
        World().restore(moment.snapshot)
        if moment.step != text["step"] or checksum(moment.snapshot.tables[0].records).whole != text["check"]:
            raise BadInput(message("its keyframe of step {steps} does not match its checksum", steps=moment.step))
        return moment

    def _apply_record(self, history: SimulationHistory, kind: int, held: bytes) -> None:
        if kind == STEPS:
            first, count = struct.unpack_from("<qI", held)
            times, checks, cuts = (np.frombuffer(held, dtype, count, 12 + at * count)
                                   for dtype, at in (("<f8", 0), ("<u8", 8), ("?", 16)))
            if first != history.last + 1:
                raise BadInput("steps are missing")
            for now, check, cut in zip(times.tolist(), checks.tolist(), cuts.tolist()):
                history.add_step(now, cut, StepChecksum(check))
        elif kind == FORGET:
            history.forget_after(*struct.unpack("<q", held))
        elif kind == COMMAND:
            text, arrays = _unpacked(held)
            decoder = Decoder(arrays, self._drivers)
            command = CommandRecord(text["step"], text["command"], decoder.decode(text["args"]), decoder.decode(text["kwargs"]),
                                 text["gesture"])
            check_command(command, self._commands)
            history.record_command(command)
        elif kind == EDIT:
            self._edit(held)
        elif kind in (STATE, PART, CONTINUE):
            moment = self.moment(*_unpacked(held))
            if kind == CONTINUE:
                history.continue_from(moment.step, lambda done: replace(moment, done=done))
            else:
                (history.store_keyframe if kind == STATE else history.record_break)(lambda done: replace(moment, done=done))

    def _edit(self, held: bytes) -> None:
        text, arrays = _unpacked(held)
        self._edits.append(Decoder(arrays, self._drivers).decode(text["edit"]))


def records_in(path: Path) -> tuple[list[tuple[int, bytes]], int]:
    """Return (kind, contents) of the valid records from the last START on, and the number of STARTs; raises BadInput."""
    data = safe_read.read(path, 8 * LARGEST)
    found: list[tuple[int, bytes]] = []
    starts = 0
    at = len(JOURNAL_MAGIC) if data.startswith(JOURNAL_MAGIC) else len(data)
    while at + RECORD_HEADER.size <= len(data):
        length, crc, kind = RECORD_HEADER.unpack_from(data, at)
        held = data[at + RECORD_HEADER.size:at + RECORD_HEADER.size + length]
        if len(held) < length or zlib.crc32(held, kind) != crc:
            break
        if kind == START:
            found, starts = [], starts + 1
        found.append((kind, held))
        at += RECORD_HEADER.size + length
    if not found or found[0][0] != START:
        raise BadInput(message("{path} cannot be restored: its start is missing", path=path))
    return found, starts


def _unpacked(held: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    unfolding = zlib.decompressobj()
    data = unfolding.decompress(held, UNFOLDED)
    if unfolding.unconsumed_tail:
        raise BadInput(message("it has a record of more than {unfolded:.0f} MB", unfolded=UNFOLDED / 1e6))
    length, = struct.unpack_from("<I", data)
    stream, arrays = io.BytesIO(data), {}
    stream.seek(4 + length)
    while stream.tell() < len(data):
        name = f"a{len(arrays)}"
        arrays[name] = archive.read_array(stream, name, len(data), UNFOLDED, RECORD_TYPES)
    return json.loads(data[4:4 + length]), arrays
