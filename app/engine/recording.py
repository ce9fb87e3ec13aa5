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
from bisect import bisect_left
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import scenes
from app.engine.codec import Decoder, Encoder
from app.engine.history import TAPED, Check, Deed, History, Moment, checksum
from app.engine.undoing import Edits
from physics import BadInput, World, set_option
from physics.options import fields

SUFFIX = ".stiction"
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


def pack(scene: str, parameters: Any, world: World, history: History, first: int) -> bytes:
    """A recording of the steps from `first` (or the whole state before it) to the end of the history.

    Raises:
        BadInput: it holds something that no file can.
    """
    begin = max(0, sum(moment.step <= first for moment in history.moments) - 1)
    kept = _chosen(history.moments[begin:], history.cuts)
    start, base = kept[0], history.moments[begin].done
    encoder = Encoder(world.drivers)
    text = {
        "format": FORMAT, "made": here(), "scene": scene, "first": start.step,
        "parameters": {f.name: getattr(parameters, f.name) for f in fields(parameters)},
        "moments": [{"snapshot": encoder.encode(m.snapshot), "settings": encoder.encode(_without_edits(m.settings)),
                     "done": m.done - base, "size": m.size, "check": checksum(m.snapshot.tables[0].records).whole} for m in kept],
        "deeds": [{"step": d.step, "command": d.command, "args": encoder.encode(d.args), "kwargs": encoder.encode(d.kwargs)}
                  for d in history.deeds[base:]]}
    offset = start.step - history.first
    checks = history.checks[offset:]
    columns = {"times": np.array(history.times[offset:]), "checks": np.array([check.whole for check in checks], np.uint64),
               "bodies": np.array([len(check.each) // 2 for check in checks], np.int32),
               "each": np.frombuffer(b"".join(check.each for check in checks), "<u2"),
               "cuts": np.array([cut for cut in history.cuts if cut > start.step], np.int64)}
    npz, out = io.BytesIO(), io.BytesIO()
    np.savez_compressed(npz, allow_pickle=False, **columns, **encoder.arrays)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("recording.json", json.dumps(text, allow_nan=False))
        file.writestr("arrays.npz", npz.getvalue(), zipfile.ZIP_STORED)
    return out.getvalue()


def _chosen(moments: list[Moment], cuts: array) -> list[Moment]:
    """The first one, at most MOMENTS in even distances and in ROOM, and the first one after each step cut short."""
    size = sum(moment.size for moment in moments)
    every = max(1, -(-len(moments) // MOMENTS), -(-size // ROOM))
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
