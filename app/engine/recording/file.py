"""Recordings: files from which a run is recomputed bit for bit. A zip of `recording.json` and `arrays.npz`; no pickle.

A recording holds the scene with its parameters, keyframes of which the first is the start, the commands between steps, and
checksums of every step: 8 bytes over positions, orientations and velocities of all bodies, and 2 for each body. Steps that the
time budget cut short cannot be recomputed; the keyframe after each is in the file. Edit lists are left out. Versions and machine
are included, so that a replay can report what differs.
"""

import io
import json
import platform
import zipfile
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from app.build_scene import build
from app.engine.recording.archive import (
    MAX_JSON_TEXT,
    MAX_PACKED_BYTES,
    MAX_UNPACKED_BYTES,
    MEMBERS,
    Archive,
    folded,
    parsed,
    unpacked_memory,
)
from app.engine.recording.codec import RECORD_TYPES, Decoder, Encoder
from app.engine.recording.validate_commands import check_command, check_settings
from app.engine.timeline.history import (
    FROM_RECORDING,
    CommandRecord,
    Keyframe,
    SimulationHistory,
    StepChecksum,
    checksum,
    moment_of,
    size_of,
)
from app.engine.undo.edit_list import EditList
from app.files import safe_read
from app.files.printable import printable
from app.i18n.message import message
from app.robots import robot_file
from physics import BadInput, Snapshot, World, set_option
from physics.core.check import shown_value
from physics.core.options import fields
from physics.core.records import Kind
from physics.world import validate

SUFFIX = ".stiction"
REPORT_RECORDING = f"recording{SUFFIX}"
"""Name of the recording in the zip of a problem report."""
REPORT = ".zip"
"""Suffix of problem reports, which contain a recording."""
SUFFIXES = (SUFFIX, REPORT)
"""Suffixes of files that can be opened."""
FORMAT = 1

PACKED_IN_REPORT = 32_000_000
"""Largest recording in a report [bytes]; usual ones have a few MB."""

REPORTED = 100
"""Largest number of files in a recording or a report."""

LONGEST_NAME = 200
"""Longest name in a recording, and longest text about what made it [letters]."""

MAX_VERSIONS = 50
"""Largest number of texts about what made a recording."""

STEP_BYTES = 250
"""Memory of the checksum and time of a step, without those of its bodies [bytes]."""

STEP_COLUMNS = {name: np.dtype(kind) for name, kind in (("times", "f8"), ("checks", "u8"), ("bodies", "i4"), ("each", "u2"),
                                                        ("cuts", "i8"))}
"""Arrays of a recording with data of every step."""

MAX_KEYFRAMES = 40
"""Largest number of keyframes in a file, beside those after steps cut short; fewer where they would exceed MAX_REPORT_BYTES."""

MAX_REPORT_BYTES = 20_000_000
"""Largest size of keyframes before packing [bytes]."""


@dataclass(frozen=True)
class Recording:
    """scene, parameters: as loaded. history: keyframes, commands, times and checksums. made: versions and machine."""

    scene: str
    parameters: Any
    history: SimulationHistory
    made: dict[str, str]


def library_versions() -> dict[str, str]:
    """Return versions and machine, as stored in a recording."""
    versions = {name: metadata.version(name) for name in ("numpy", "numba")}
    try:
        versions["stiction"] = metadata.version("stiction")
    except metadata.PackageNotFoundError:
        versions["stiction"] = "checkout"
    return {**versions, "python": platform.python_version(), "platform": platform.platform(), "machine": platform.machine()}


# ---- writing


@dataclass(frozen=True)
class RecordedPiece:
    """A section of the history by value, from which a file can be made while the simulation continues.

    moments: keyframes, the first is the start; commands since then; base: number of earlier commands; times [s] and checks of the
    steps from the first keyframe to the last step; cuts: those of them that the time budget cut short.
    """

    scene: str
    parameters: dict[str, Any]
    drivers: tuple
    moments: list[Keyframe]
    commands: list[CommandRecord]
    base: int
    times: np.ndarray
    checks: list[StepChecksum]
    cuts: np.ndarray

    @property
    def last(self) -> int:
        """The last step."""
        return self.moments[0].step + len(self.times) - 1

    @property
    def seconds(self) -> float:
        """Simulated duration [s]."""
        return float(self.times[-1] - self.times[0])


def extract(scene: str, parameters: Any, world: World, history: SimulationHistory, first: int, end: Keyframe | None = None,
            room: int = MAX_REPORT_BYTES) -> RecordedPiece:
    """Copy the steps from `first` (or the keyframe before it) to `end`, a keyframe in the history or at its end; None: its end.

    room: bytes for keyframes that only make seeking quicker.
    """
    last = history.last if end is None else end.step
    begin = max(0, sum(moment.step <= first for moment in history.moments) - 1)
    moments = [moment for moment in history.moments[begin:] if moment.step <= last]
    kept = choose_keyframes(moments, history.unrepeatable_steps, room)
    start = kept[0]
    if end is not None and end.step > start.step:
        kept = [*(moment for moment in kept if moment.step < end.step), end]
    count = bisect_right(history.commands, last, key=lambda command: command.step)
    span = slice(start.step - history.first, last - history.first + 1)
    return RecordedPiece(
        scene, {f.name: getattr(parameters, f.name) for f in fields(parameters)}, tuple(world.drivers), kept,
        history.commands[start.done:count], start.done, np.array(history.times[span]), history.checks[span],
        np.array([cut for cut in history.unrepeatable_steps if start.step < cut <= last], np.int64))


def first_affordable_step(history: SimulationHistory, end: Keyframe, seconds: float, room: int) -> int:
    """Return the step of the keyframe from which the history up to `end` just exceeds `seconds` [s], or takes `room` bytes
    before packing; the step of `end` if even the newest section is larger."""
    first, later, size = end.step, end, end.size
    for moment in reversed(history.moments):
        if moment.step >= end.step:
            continue
        span = slice(moment.step - history.first, later.step - history.first)
        size += sum(16 + len(check.each) for check in history.checks[span])
        size += sum(map(size_of, history.commands[moment.done:later.done]))
        size += later.size if later is not end and not history.is_repeatable_from(moment.step, later.step) else 0
        if size + moment.size > room or end.snapshot.time - later.snapshot.time > seconds:
            break
        first, later = moment.step, moment
    return first


def pack(piece: RecordedPiece) -> bytes:
    """Return the file contents of a recording.

    Raises:
        BadInput: it contains what a file cannot hold, or is larger than readers accept.
    """
    encoder = Encoder(piece.drivers)
    text = {
        "format": FORMAT, "made": library_versions(), "scene": piece.scene, "first": piece.moments[0].step,
        "parameters": piece.parameters,
        "moments": [{"snapshot": encoder.encode(m.snapshot), "settings": encoder.encode(_without_edits(m.settings)),
                     "done": m.done - piece.base, "size": m.size, "check": checksum(m.snapshot.tables[0].records).whole}
                    for m in piece.moments],
        "deeds": [{"step": d.step, "command": d.command, "args": encoder.encode(d.args), "kwargs": encoder.encode(d.kwargs)}
                  for d in piece.commands]}
    columns = {"times": piece.times, "checks": np.array([check.whole for check in piece.checks], np.uint64),
               "bodies": np.array([len(check.each) // 2 for check in piece.checks], np.int32),
               "each": np.frombuffer(b"".join(check.each for check in piece.checks), "<u2"), "cuts": piece.cuts}
    arrays, said_of = {**columns, **encoder.arrays}, json.dumps(text, allow_nan=False).encode()
    packed = folded(text, arrays)
    if len(said_of) > MAX_JSON_TEXT or len(arrays) > MEMBERS or len(packed) > MAX_PACKED_BYTES \
            or unpacked_memory(said_of) + memory_of(arrays) > MAX_UNPACKED_BYTES:
        raise BadInput("the recording exceeds the size of a readable file: record a shorter interval")
    return packed


def choose_keyframes(moments: list[Keyframe], cuts: array, room: int = MAX_REPORT_BYTES) -> list[Keyframe]:
    """Select the first keyframe, at most MAX_KEYFRAMES at even intervals within `room`, and the first one after each step cut
    short."""
    size = sum(moment.size for moment in moments)
    every = max(1, -(-len(moments) // MAX_KEYFRAMES), -(-size // room))
    steps = [moment.step for moment in moments]
    needed = {bisect_left(steps, cut) for cut in cuts}
    return [moment for k, moment in enumerate(moments) if k % every == 0 or k in needed]


def _without_edits(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "edits"}


# ---- reading


def read(path: str | Path, commands: Mapping[str, Callable] | None = None) -> Recording:
    """Read a recording. commands: those that it may contain, by name; None: none of them will be run.

    Raises:
        BadInput: it is no recording, damaged, of a newer version, or describes a run that no simulation could have made.
    """
    with safe_read.open_regular(path, MAX_PACKED_BYTES) as stream, _error_sentence(str(path)):
        recorded = _made(*_unfolded(stream))
        for command in recorded.history.commands if commands is not None else ():
            check_command(command, commands)
        return recorded


def unpack(data: bytes, name: str = "recording") -> Recording:
    """Decode a recording from bytes; raises as `read`."""
    with _error_sentence(name):
        return _made(*_unfolded(io.BytesIO(data)))


@contextmanager
def _error_sentence(name: str) -> Iterator[None]:
    """Turn any error while reading into a sentence with the file's name."""
    try:
        yield
    except BadInput as error:
        raise BadInput(message("{name} cannot be replayed: {error}", name=name, error=printable(str(error)))) from None
    except zipfile.BadZipFile:
        raise BadInput(message("{name} cannot be replayed: it is not a recording, or it is damaged", name=name)) from None
    except Exception as error:  # noqa: BLE001  (damaged data may raise anything)
        raise BadInput(message("{name} cannot be replayed: it is damaged ({error_type})", name=name,
                               error_type=type(error).__name__)) from None


def _unfolded(stream: BinaryIO, inner: bool = False) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return (parsed JSON, arrays); inner: the recording is inside a report, and may not be another report."""
    archive = Archive(stream, REPORTED)
    if "recording.json" not in archive.members:
        if inner or REPORT_RECORDING not in archive.members:
            raise BadInput("it is neither a recording nor a problem report with a recording")
        return _unfolded(io.BytesIO(archive.read(REPORT_RECORDING, PACKED_IN_REPORT)), inner=True)
    text, cost = parsed(archive.read("recording.json", MAX_JSON_TEXT), MAX_UNPACKED_BYTES)
    if not isinstance(text, dict) or type(text.get("format")) is not int:
        raise BadInput("it is not a recording")
    if text["format"] > FORMAT:
        made = text.get("made")
        version = made.get("stiction", "?") if isinstance(made, dict) else "?"
        raise BadInput(message("it was made by a newer version of Stiction ({version}): update this one",
                               version=shown_value(version)))
    arrays = Archive(io.BytesIO(archive.read("arrays.npz", MAX_PACKED_BYTES)), MEMBERS).arrays(
        MAX_UNPACKED_BYTES - cost, RECORD_TYPES)
    _check_columns(arrays)
    if cost + memory_of(arrays) > MAX_UNPACKED_BYTES:
        raise BadInput(message("it takes more than {max_unpacked_bytes:g} MB of memory",
                               max_unpacked_bytes=MAX_UNPACKED_BYTES / 1e6))
    return text, arrays


def memory_of(arrays: dict[str, np.ndarray]) -> int:
    """Return the memory of a recording's arrays and of the checksums made from them [bytes]."""
    return sum(array.nbytes for array in arrays.values()) + arrays["each"].nbytes + STEP_BYTES * len(arrays["times"])


def _check_columns(arrays: dict[str, np.ndarray]) -> None:
    """Check the arrays with data of every step."""
    for name, dtype in STEP_COLUMNS.items():
        if name not in arrays or arrays[name].dtype != dtype or arrays[name].ndim != 1:
            raise BadInput(message("its column '{name}' is missing or has the wrong type", name=name))
    times, bodies = arrays["times"], arrays["bodies"]
    if not len(arrays["checks"]) == len(times) > 1:
        raise BadInput("its start is missing")
    if len(bodies) != len(times) or np.any(bodies < 0) or bodies.sum(dtype=np.int64) != len(arrays["each"]):
        raise BadInput("its step checksums are missing")
    if not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0) or times[0] < 0.0:
        raise BadInput("the times of its steps do not increase")


def _made(text: dict[str, Any], arrays: dict[str, np.ndarray]) -> Recording:
    scene = robot_file.found(_name(text.get("scene")))
    parameters = scene.parameters()
    for name, value in _table(text, "parameters").items():
        set_option(parameters, _name(name), value)
    decoder = Decoder(arrays, tuple(build(scene, parameters).drivers))
    commands = [_command_record(entry, decoder) for entry in _list(text, "deeds")]
    times, cuts = arrays["times"], arrays["cuts"]
    moments: list[Keyframe] = []
    trial = World()
    for entry in _list(text, "moments"):
        moment = _moment(entry, decoder, commands, moments[-1].snapshot if moments else None, trial)
        if moments and (moment.step <= moments[-1].step or moment.done < moments[-1].done):
            raise BadInput(message("its keyframe of step {step} is out of order", step=moment.step))
        moments.append(moment)
    if not moments or text.get("first") != moments[0].step:
        raise BadInput("its start is missing")
    first, last = moments[0].step, moments[0].step + len(times) - 1
    if moments[-1].step > last or any(times[moment.step - first] != moment.snapshot.time for moment in moments):
        raise BadInput("its keyframes do not match its steps")
    steps = [command.step for command in commands]
    if steps != sorted(steps) or (steps and not first <= steps[0] <= steps[-1] <= last):
        raise BadInput("its commands do not match its steps")
    if np.any(np.diff(cuts) <= 0) or (len(cuts) and not first < cuts[0] <= cuts[-1] <= last):
        raise BadInput("its list of steps cut short by the time budget does not match its steps")
    whole, each = arrays["checks"].tolist(), arrays.pop("each").astype("<u2").tobytes()
    ends = 2 * np.cumsum(arrays["bodies"], dtype=np.int64)
    checks = [StepChecksum(one, each[begin:end])
              for one, begin, end in zip(whole, [0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
    history = SimulationHistory()
    history.load(moments, commands, times, cuts, checks)
    return Recording(text["scene"], parameters, history, versions_of(_table(text, "made")))


def _moment(entry: Any, decoder: Decoder, commands: list[CommandRecord], like: Snapshot | None, world: World) -> Keyframe:
    """Decode a keyframe; like: the previous one; world: for validating it."""
    snapshot, settings = (decoder.decode(_item(entry, name)) for name in ("snapshot", "settings"))
    if not isinstance(snapshot, Snapshot) or not isinstance(settings, dict):
        raise BadInput("its keyframes are not valid")
    try:
        validate.check(snapshot, like)
        _check_absent(snapshot)
        check_settings(settings, len(snapshot.tables[2].records))
    except BadInput as error:
        raise BadInput(message("its keyframe of step {steps}: {error}", steps=snapshot.steps, error=error)) from None
    if checksum(snapshot.tables[0].records).whole != entry.get("check"):
        raise BadInput(message("its keyframe of step {steps} does not match its checksum", steps=snapshot.steps))
    world.restore(snapshot)
    if reason := world.solver.unsupported(world):
        raise BadInput(message("its solver does not support its keyframe of step {steps}: {reason}", steps=snapshot.steps,
                               reason=reason))
    done = _item(entry, "done")
    if type(done) is not int or not 0 <= done <= len(commands) or any(one.step > snapshot.steps for one in commands[:done]) \
            or any(one.step < snapshot.steps for one in commands[done:]):
        raise BadInput(message("the edits in its keyframe of step {steps} do not match the recorded commands",
                               steps=snapshot.steps))
    return moment_of(snapshot, {**settings, "edits": EditList()}, done)


def _check_absent(snapshot: Snapshot) -> None:
    """Require that what is not there has no name: quantities are found by names, and read where they are found."""
    present = snapshot.tables[0].records["kind"] != Kind.FREE, snapshot.tables[2].records["kind"] >= 0
    for names, there in zip(snapshot.names, present, strict=True):
        if gone := [name for name, is_there in zip(names, there.tolist(), strict=True) if name and not is_there]:
            raise BadInput(message("it names {name}, which is not there", name=shown_value(gone[0])))


def _command_record(entry: Any, decoder: Decoder) -> CommandRecord:
    step, command, args, kwargs = (_item(entry, name) for name in ("step", "command", "args", "kwargs"))
    args, kwargs = decoder.decode(args), decoder.decode(kwargs)
    good = type(step) is int and isinstance(command, str) and isinstance(args, tuple) and isinstance(kwargs, dict)
    if not good or not all(isinstance(name, str) for name in kwargs):
        raise BadInput(message("the entry after step {step} is not a command", step=shown_value(step)))
    return CommandRecord(step, command, args, kwargs, FROM_RECORDING)


def _item(table: Any, name: str) -> Any:
    if not isinstance(table, dict) or name not in table:
        raise BadInput(message("it is damaged: '{name}' is missing", name=name))
    return table[name]


def _list(table: dict, name: str) -> list:
    if not isinstance(found := _item(table, name), list):
        raise BadInput(message("it is damaged: '{name}' is not a list", name=name))
    return found


def _table(table: dict, name: str) -> dict:
    if not isinstance(found := _item(table, name), dict):
        raise BadInput(message("it is damaged: '{name}' is not a table", name=name))
    return found


def _name(found: Any) -> str:
    """Return the name of a scene or parameter; searching for one like an endless name would take for ever."""
    if not isinstance(found, str) or len(found) > LONGEST_NAME:
        raise BadInput(message("{found} is not the name of a scene or parameter", found=shown_value(found)))
    return found


def versions_of(made: dict) -> dict[str, str]:
    """Return the texts of a file about what made it, fit to be shown."""
    return {printable(str(name), LONGEST_NAME): printable(str(version), LONGEST_NAME)
            for name, version in list(made.items())[:MAX_VERSIONS]}
