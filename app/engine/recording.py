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
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import scenes
from app.engine.codec import Decoder, Encoder
from app.engine.history import TAPED, Check, Deed, History, Moment, checksum, size_of
from app.engine.undoing import Edits
from physics import BadInput, World, set_option
from physics.options import fields

SUFFIX = ".stiction"
IN_REPORT = f"recording{SUFFIX}"
"""Of a recording in the zip that reports a problem."""
SUFFIXES = (SUFFIX, ".zip")
"""Of files that can be opened."""
FORMAT = 1

LARGEST = 512_000_000
"""Bytes that a recording may unfold to."""

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
        BadInput: it holds something that no file can.
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
    npz, out = io.BytesIO(), io.BytesIO()
    np.savez_compressed(npz, allow_pickle=False, **columns, **encoder.arrays)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("recording.json", json.dumps(text, allow_nan=False))
        file.writestr("arrays.npz", npz.getvalue(), zipfile.ZIP_STORED)
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


def read(path: str | Path) -> Recording:
    """The recording in a file.

    Raises:
        BadInput: it is no recording, damaged, or of a newer version.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from None
    return unpack(data, str(path))


def unpack(data: bytes, name: str = "recording") -> Recording:
    """The recording of these bytes; raises as `read`."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            if sum(item.file_size for item in file.infolist()) > LARGEST:
                raise BadInput(f"it is larger than {LARGEST / 1e6:.0f} MB")
            names = file.namelist()
            inner = file.read(IN_REPORT) if IN_REPORT in names and "recording.json" not in names else None
            if inner is None and "recording.json" not in names:
                raise BadInput("it is neither a recording nor the report of a problem with one in it")
            if inner is not None:
                return unpack(inner, name)
            text = json.loads(file.read("recording.json"))
            packed = file.read("arrays.npz")
        if not isinstance(text, dict) or not isinstance(text.get("format"), int):
            raise BadInput("it is no recording")
        if text["format"] > FORMAT:
            raise BadInput(f"it was made by a newer Stiction ({text.get('made', {}).get('stiction', '?')}): update this one")
        with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
            return _made(text, {key: arrays[key] for key in arrays.files})
    except BadInput as error:
        raise BadInput(f"{name} cannot be replayed: {error}") from None
    except zipfile.BadZipFile:
        raise BadInput(f"{name} cannot be replayed: it is no recording, or it is damaged") from None
    except Exception as error:  # noqa: BLE001  (whatever a damaged file leads to)
        raise BadInput(f"{name} cannot be replayed: it is damaged ({type(error).__name__})") from None


def _made(text: dict, arrays: dict[str, np.ndarray]) -> Recording:
    scene = scenes.find(text["scene"])
    parameters = scene.parameters()
    for name, value in text["parameters"].items():
        set_option(parameters, name, value)
    drivers = tuple(scenes.make_world(scene, parameters).drivers)
    decoder = Decoder(arrays, drivers)
    moments = [Moment(decoder.decode(m["snapshot"]), {**decoder.decode(m["settings"]), "edits": Edits()}, m["done"], m["size"])
               for m in text["moments"]]
    for moment, told in zip(moments, text["moments"]):
        World().restore(moment.snapshot)
        if checksum(moment.snapshot.tables[0].records).whole != told["check"]:
            raise BadInput(f"its whole state of step {moment.step} is not the one that was recorded")
    deeds = [Deed(d["step"], d["command"], decoder.decode(d["args"]), decoder.decode(d["kwargs"]), TAPED) for d in text["deeds"]]
    if not moments or moments[0].step != text["first"] or not len(arrays["checks"]) == len(arrays["times"]) > 1:
        raise BadInput("its start is missing")
    ends = np.cumsum(arrays["bodies"])
    if not len(arrays["bodies"]) == len(arrays["times"]) or ends[-1] != len(arrays["each"]):
        raise BadInput("checks of its steps are missing")
    checks = [Check(int(whole), each.astype("<u2").tobytes())
              for whole, each in zip(arrays["checks"], np.split(arrays["each"], ends[:-1]), strict=True)]
    history = History()
    history.refill(moments, deeds, arrays["times"], arrays["cuts"], checks)
    return Recording(text["scene"], parameters, history, {str(k): str(v) for k, v in text["made"].items()})
