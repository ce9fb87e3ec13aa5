"""Recordings: files from which a run can be made again bit for bit. A zip of `recording.json` and `arrays.npz`; no pickle.

It holds the scene with its parameters, whole states (moments) of which the first is the start, what was done between steps
(deeds), and checks of every step: 8 bytes over positions, orientations and velocities of all bodies, and 2 for each body. Steps
that the clock cut short cannot be made again; the moment after them is in the file. Lists of edits are not. Versions and machine
are told, so that a replay can say what differs.
"""

import io
import json
import platform
import zipfile
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

import scenes
from app import regular_file
from app.engine.archive import MEMBERS, MEMORY, PACKED, TEXT, Archive, cost_of, parsed
from app.engine.codec import RECORDS, Decoder, Encoder
from app.engine.deeds import check_deed, check_settings
from app.engine.history import TAPED, Check, Deed, History, Moment, checksum, moment_of, size_of
from app.engine.undoing import Edits
from physics import BadInput, Snapshot, World, set_option, validity
from physics.check import said
from physics.options import fields

SUFFIX = ".stiction"
IN_REPORT = f"recording{SUFFIX}"
"""Of a recording in the zip that reports a problem."""
SUFFIXES = (SUFFIX, ".zip")
"""Of files that can be opened."""
FORMAT = 1

PACKED_IN_REPORT = 32_000_000
"""Bytes of a recording in a report; those that reports get are a few MB."""

REPORTED = 100
"""Most files in a recording or a report."""

STEP = 250
"""Bytes that the check and the time of a step take, beside the numbers of its bodies."""

COLUMNS = {name: np.dtype(kind) for name, kind in (("times", "f8"), ("checks", "u8"), ("bodies", "i4"), ("each", "u2"),
                                                   ("cuts", "i8"))}
"""Arrays of a recording about every step."""

MOMENTS = 40
"""Whole states in a file, beside those that follow steps cut short; fewer where they would take more than ROOM."""

ROOM = 20_000_000
"""Bytes before packing."""


@dataclass(frozen=True)
class Recording:
    """scene, parameters: as loaded. history: moments, deeds, times and checksums. made: versions and machine."""

    scene: str
    parameters: Any
    history: History
    made: dict[str, str]


def here() -> dict[str, str]:
    """Versions and machine, as a recording tells them."""
    versions = {name: metadata.version(name) for name in ("numpy", "numba")}
    try:
        versions["stiction"] = metadata.version("stiction")
    except metadata.PackageNotFoundError:
        versions["stiction"] = "checkout"
    return {**versions, "python": platform.python_version(), "platform": platform.platform(), "machine": platform.machine()}


# ---- writing


@dataclass(frozen=True)
class Piece:
    """A part of the past by value, from which a file can be made while the simulation goes on.

    moments: the first is the start; deeds from there on; base: how many there were before; times [s] and checks of the steps from
    the first moment to the last one; cuts: those of them that the clock cut short.
    """

    scene: str
    parameters: dict[str, Any]
    drivers: tuple
    moments: list[Moment]
    deeds: list[Deed]
    base: int
    times: np.ndarray
    checks: list[Check]
    cuts: np.ndarray

    @property
    def last(self) -> int:
        """The step it ends with."""
        return self.moments[0].step + len(self.times) - 1

    @property
    def seconds(self) -> float:
        """Simulated time in it [s]."""
        return float(self.times[-1] - self.times[0])


def taken(scene: str, parameters: Any, world: World, history: History, first: int, end: Moment | None = None,
          room: int = ROOM) -> Piece:
    """The steps from `first` (or the whole state before it) to `end`, a moment in or at the end of the history; None: to its end.

    room: bytes for whole states that only make it quicker to go about in it.
    """
    last = history.last if end is None else end.step
    begin = max(0, sum(moment.step <= first for moment in history.moments) - 1)
    moments = [moment for moment in history.moments[begin:] if moment.step <= last]
    kept = _chosen(moments, history.cuts, room)
    start = kept[0]
    if end is not None and end.step > start.step:
        kept = [*(moment for moment in kept if moment.step < end.step), end]
    count = bisect_right(history.deeds, last, key=lambda deed: deed.step)
    span = slice(start.step - history.first, last - history.first + 1)
    return Piece(
        scene, {f.name: getattr(parameters, f.name) for f in fields(parameters)}, tuple(world.drivers), kept,
        history.deeds[start.done:count], start.done, np.array(history.times[span]), history.checks[span],
        np.array([cut for cut in history.cuts if start.step < cut <= last], np.int64))


def affordable(history: History, end: Moment, seconds: float, room: int) -> int:
    """The step, a moment's, from which on the past up to `end` is just longer than `seconds` [s], or as long as `room` bytes
    before packing allow; the step of `end` if not even the newest stretch finds room."""
    first, later, size = end.step, end, end.size
    for moment in reversed(history.moments):
        if moment.step >= end.step:
            continue
        span = slice(moment.step - history.first, later.step - history.first)
        size += sum(16 + len(check.each) for check in history.checks[span])
        size += sum(map(size_of, history.deeds[moment.done:later.done]))
        size += later.size if later is not end and not history.follows(moment.step, later.step) else 0
        if size + moment.size > room or end.snapshot.time - later.snapshot.time > seconds:
            break
        first, later = moment.step, moment
    return first


def pack(piece: Piece) -> bytes:
    """A recording, as a file has it.

    Raises:
        BadInput: it holds something that no file can, or more than is read again.
    """
    encoder = Encoder(piece.drivers)
    text = {
        "format": FORMAT, "made": here(), "scene": piece.scene, "first": piece.moments[0].step, "parameters": piece.parameters,
        "moments": [{"snapshot": encoder.encode(m.snapshot), "settings": encoder.encode(_without_edits(m.settings)),
                     "done": m.done - piece.base, "size": m.size, "check": checksum(m.snapshot.tables[0].records).whole}
                    for m in piece.moments],
        "deeds": [{"step": d.step, "command": d.command, "args": encoder.encode(d.args), "kwargs": encoder.encode(d.kwargs)}
                  for d in piece.deeds]}
    columns = {"times": piece.times, "checks": np.array([check.whole for check in piece.checks], np.uint64),
               "bodies": np.array([len(check.each) // 2 for check in piece.checks], np.int32),
               "each": np.frombuffer(b"".join(check.each for check in piece.checks), "<u2"), "cuts": piece.cuts}
    npz, out, said_of = io.BytesIO(), io.BytesIO(), json.dumps(text, allow_nan=False).encode()
    arrays = {**columns, **encoder.arrays}
    np.savez_compressed(npz, allow_pickle=False, **arrays)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("recording.json", said_of)
        file.writestr("arrays.npz", npz.getvalue(), zipfile.ZIP_STORED)
    if len(said_of) > TEXT or len(arrays) > MEMBERS or npz.tell() > PACKED - len(said_of) \
            or cost_of(said_of) + memory_of(arrays) > MEMORY:
        raise BadInput("the recording is larger than a file may be that is read again: record a shorter stretch")
    return out.getvalue()


def _chosen(moments: list[Moment], cuts: array, room: int = ROOM) -> list[Moment]:
    """The first one, at most MOMENTS in even distances and in `room`, and the first one after each step cut short."""
    size = sum(moment.size for moment in moments)
    every = max(1, -(-len(moments) // MOMENTS), -(-size // room))
    steps = [moment.step for moment in moments]
    needed = {bisect_left(steps, cut) for cut in cuts}
    return [moment for k, moment in enumerate(moments) if k % every == 0 or k in needed]


def _without_edits(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name != "edits"}


# ---- reading


def read(path: str | Path, commands: type | None = None) -> Recording:
    """The recording in a file. commands: the class whose commands it may hold; None: nothing of it will be done.

    Raises:
        BadInput: it is no recording, damaged, of a newer version, or holds what no simulation could have been through.
    """
    with regular_file.opened(path, PACKED) as stream, _one_sentence(str(path)):
        tape = _made(*_unfolded(stream))
        for deed in tape.history.deeds if commands is not None else ():
            check_deed(deed, commands)
        return tape


def unpack(data: bytes, name: str = "recording") -> Recording:
    """The recording of these bytes; raises as `read`."""
    with _one_sentence(name):
        return _made(*_unfolded(io.BytesIO(data)))


@contextmanager
def _one_sentence(name: str) -> Iterator[None]:
    """Whatever a file leads to becomes a sentence with its name."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{name} cannot be replayed: {error}") from None
    except zipfile.BadZipFile:
        raise BadInput(f"{name} cannot be replayed: it is no recording, or it is damaged") from None
    except Exception as error:  # noqa: BLE001  (a damaged file is nobody's mistake)
        raise BadInput(f"{name} cannot be replayed: it is damaged ({type(error).__name__})") from None


def _unfolded(stream: BinaryIO, inner: bool = False) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(what its JSON says, its arrays); inner: it came out of a report, in which there is no further one."""
    archive = Archive(stream, REPORTED)
    if "recording.json" not in archive.members:
        if inner or IN_REPORT not in archive.members:
            raise BadInput("it is neither a recording nor the report of a problem with one in it")
        return _unfolded(io.BytesIO(archive.read(IN_REPORT, PACKED_IN_REPORT)), inner=True)
    text, cost = parsed(archive.read("recording.json", TEXT), MEMORY)
    if not isinstance(text, dict) or type(text.get("format")) is not int:
        raise BadInput("it is no recording")
    if text["format"] > FORMAT:
        made = text.get("made")
        version = made.get("stiction", "?") if isinstance(made, dict) else "?"
        raise BadInput(f"it was made by a newer Stiction ({said(version)}): update this one")
    arrays = Archive(io.BytesIO(archive.read("arrays.npz", PACKED)), MEMBERS).arrays(MEMORY - cost, RECORDS)
    _check_columns(arrays)
    if cost + memory_of(arrays) > MEMORY:
        raise BadInput(f"it takes more than {MEMORY / 1e6:g} MB of memory")
    return text, arrays


def memory_of(arrays: dict[str, np.ndarray]) -> int:
    """Bytes that the arrays of a recording and the checks made of them take."""
    return sum(array.nbytes for array in arrays.values()) + arrays["each"].nbytes + STEP * len(arrays["times"])


def _check_columns(arrays: dict[str, np.ndarray]) -> None:
    """What is told of every step."""
    for name, dtype in COLUMNS.items():
        if name not in arrays or arrays[name].dtype != dtype or arrays[name].ndim != 1:
            raise BadInput(f"its column '{name}' is missing, or of another type")
    times, bodies = arrays["times"], arrays["bodies"]
    if not len(arrays["checks"]) == len(times) > 1:
        raise BadInput("its start is missing")
    if len(bodies) != len(times) or np.any(bodies < 0) or bodies.sum(dtype=np.int64) != len(arrays["each"]):
        raise BadInput("checks of its steps are missing")
    if not np.isfinite(times).all() or np.any(np.diff(times) <= 0.0) or times[0] < 0.0:
        raise BadInput("the times of its steps do not go on")


def _made(text: dict[str, Any], arrays: dict[str, np.ndarray]) -> Recording:
    scene = scenes.find(_text(text, "scene"))
    parameters = scene.parameters()
    for name, value in _table(text, "parameters").items():
        set_option(parameters, name, value)
    decoder = Decoder(arrays, tuple(scenes.make_world(scene, parameters).drivers))
    deeds = [_deed(told, decoder) for told in _list(text, "deeds")]
    times, cuts = arrays["times"], arrays["cuts"]
    moments: list[Moment] = []
    trial = World()
    for told in _list(text, "moments"):
        moment = _moment(told, decoder, deeds, moments[-1].snapshot if moments else None, trial)
        if moments and (moment.step <= moments[-1].step or moment.done < moments[-1].done):
            raise BadInput(f"its whole state of step {moment.step} does not come after the one before")
        moments.append(moment)
    if not moments or text.get("first") != moments[0].step:
        raise BadInput("its start is missing")
    first, last = moments[0].step, moments[0].step + len(times) - 1
    if moments[-1].step > last or any(times[moment.step - first] != moment.snapshot.time for moment in moments):
        raise BadInput("its whole states are not of its steps")
    steps = [deed.step for deed in deeds]
    if steps != sorted(steps) or (steps and not first <= steps[0] <= steps[-1] <= last):
        raise BadInput("what was done in it does not belong to its steps")
    if np.any(np.diff(cuts) <= 0) or (len(cuts) and not first < cuts[0] <= cuts[-1] <= last):
        raise BadInput("the steps that the clock cut short are not among its steps")
    whole, each = arrays["checks"].tolist(), arrays.pop("each").astype("<u2").tobytes()
    ends = 2 * np.cumsum(arrays["bodies"], dtype=np.int64)
    checks = [Check(one, each[begin:end]) for one, begin, end in zip(whole, [0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
    history = History()
    history.refill(moments, deeds, times, cuts, checks)
    return Recording(text["scene"], parameters, history, {str(k): str(v) for k, v in _table(text, "made").items()})


def _moment(told: Any, decoder: Decoder, deeds: list[Deed], like: Snapshot | None, world: World) -> Moment:
    """A whole state; like: the one before it; world: to try it in."""
    snapshot, settings = (decoder.decode(_item(told, name)) for name in ("snapshot", "settings"))
    if not isinstance(snapshot, Snapshot) or not isinstance(settings, dict):
        raise BadInput("its whole states are none")
    try:
        validity.check(snapshot, like)
        check_settings(settings, len(snapshot.tables[2].records))
    except BadInput as error:
        raise BadInput(f"its whole state of step {snapshot.steps}: {error}") from None
    if checksum(snapshot.tables[0].records).whole != told.get("check"):
        raise BadInput(f"its whole state of step {snapshot.steps} is not the one that was recorded")
    world.restore(snapshot)
    if reason := world.solver.unsupported(world):
        raise BadInput(f"its solver cannot do its whole state of step {snapshot.steps}: {reason}")
    done = _item(told, "done")
    if type(done) is not int or not 0 <= done <= len(deeds) or any(deed.step > snapshot.steps for deed in deeds[:done]) \
            or any(deed.step < snapshot.steps for deed in deeds[done:]):
        raise BadInput(f"its whole state of step {snapshot.steps} has other deeds in it than were done until then")
    return moment_of(snapshot, {**settings, "edits": Edits()}, done)


def _deed(told: Any, decoder: Decoder) -> Deed:
    step, command, args, kwargs = (_item(told, name) for name in ("step", "command", "args", "kwargs"))
    args, kwargs = decoder.decode(args), decoder.decode(kwargs)
    good = type(step) is int and isinstance(command, str) and isinstance(args, tuple) and isinstance(kwargs, dict)
    if not good or not all(isinstance(name, str) for name in kwargs):
        raise BadInput(f"what was done after step {said(step)} is no command")
    return Deed(step, command, args, kwargs, TAPED)


def _item(table: Any, name: str) -> Any:
    if not isinstance(table, dict) or name not in table:
        raise BadInput(f"it is damaged: '{name}' is missing")
    return table[name]


def _list(table: dict, name: str) -> list:
    if not isinstance(found := _item(table, name), list):
        raise BadInput(f"it is damaged: '{name}' is no list")
    return found


def _table(table: dict, name: str) -> dict:
    if not isinstance(found := _item(table, name), dict):
        raise BadInput(f"it is damaged: '{name}' is no table")
    return found


def _text(table: dict, name: str) -> str:
    if not isinstance(found := _item(table, name), str):
        raise BadInput(f"it is damaged: '{name}' is no text")
    return found
