"""OBJ, STL, glTF, COLLADA files as scenes: each mesh a body that falls on a floor, as a hull or convex parts, or fixed as it is.

trimesh reads them, but for COLLADA (collada.py), and coacd splits them, both in a process of their own (mesh_worker.py). Mass and
inertia are those of the closed surface with the given density; of one that is not closed those of the shapes that stand for it.
glTF is in metres with y up, COLLADA tells both; OBJ and STL have no unit. A mesh without volume is static.
"""

import contextlib
import functools
import io
import json
import math
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import scenes
from app.extras import install_command
from app.files import safe_read
from app.files.printable import printable
from app.i18n.message import Verbatim, message
from app.robots import collada, mesh_worker, meshes
from app.robots.model import IDENTITY, Geometry, Link, Pose, Robot, build, solid, summed, view_of
from app.robots.xml_tree import Element
from physics import BadInput, Hull, TriangleMesh, World, option
from physics.core.quaternions import from_matrix, rotate

MESH_SUFFIXES = (".obj", ".stl", ".glb", ".gltf", ".dae")
GLTF = (".glb", ".gltf")
WITHOUT_UNIT = (".obj", ".stl")
LOOKS = ("KHR_materials", "KHR_texture", "EXT_texture")
"""Beginnings of extensions that change what a file looks like only."""

MAX_BUFFERS = 100
"""Largest number of files beside a .gltf that are read."""

MAX_PARTS = 64
"""Largest number of convex parts of one mesh."""

POLL = 0.2
"""Interval of polling a worker [s]."""

READ_TIME, SPLIT_TIME = 60.0, 180.0
"""Longest wall time of reading a file, of splitting a mesh [s]."""

VOLUME_ROUNDING = 1e-6
"""Share by which a volume may be above that of its hull."""

CONVEX_TOLERANCE = 0.02
"""Share of its volume by which the hull of a convex mesh may be larger."""

MILLIMETRE_SIZE = 50.0
"""A scene of OBJ or STL larger than this is probably given in millimetres [m]."""

Y_UP = np.array([np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0])
"""Turns y to z."""


@dataclass
class Parameters:
    scale: float = option(1.0, unit="m", lo=1e-6, hi=1e4, log=True, help="Length of the file's unit: 0.001 for millimetres.")
    y_up: bool = option(False, help="The file has y up, and its scene is turned; else z.")
    density: float = option(1000.0, unit="kg/m³", lo=0.01, hi=1e5, log=True, help="Density of the bodies.")
    friction: float = option(0.5, lo=0.0, hi=2.0, help="Friction coefficient of the bodies.")
    fixed: bool = option(False, help="The meshes are static, with their triangles as they are; else they are bodies.")
    split: bool = option(False, help="Meshes that are not convex are split into convex parts; else their hull stands for them.")
    dents: float = option(0.05, lo=0.01, hi=1.0, help="Depth of dents that splitting may fill, as a share of the size.")
    floor: bool = option(True, help="A floor lies under the lowest point.")


@dataclass
class UprightParameters(Parameters):
    y_up: bool = option(True, help="The file has y up, and its scene is turned; else z.")


@dataclass
class MeshPart:
    """A mesh of a file, in its unit. vertices (n, 3), triangles (m, 3); volume (0: the surface is not closed, or `overlaps`),
    centre (3,) and inertia (3, 3) about it of density 1. overlaps: its closed parts overlap, so that they count twice."""

    name: str
    pose: Pose
    vertices: np.ndarray
    triangles: np.ndarray
    volume: float
    centre: np.ndarray
    inertia: np.ndarray
    overlaps: bool = False


@dataclass
class MeshFile:
    """notes: sentences about what of it is not used; y_up: whether it says that y is up; pieces: vertices of convex parts, by the
    name of a part and threshold."""

    file: str
    suffix: str
    parts: list[MeshPart]
    notes: list[str]
    y_up: bool
    pieces: dict[tuple[str, float], list[np.ndarray]]

    def parameters(self) -> type[Parameters]:
        """Those of its scene."""
        return UprightParameters if self.y_up else Parameters


# ---- reading


def read(path: str | Path) -> MeshFile:
    """Read a file.

    Raises:
        BadInput: one sentence with the file and what to do.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    found = MeshFile(path.name, suffix, [], [], suffix in GLTF, {})
    answer = _read_collada(found, path) if suffix == ".dae" else _read_by_library(found, path)
    found.notes += [str(text) for text in answer["notes"]]
    for i, (name, pose) in enumerate(zip(answer["names"], answer["poses"], strict=True)):
        moments = answer[f"moments{i}"]
        name = str(name) or (path.stem if len(answer["names"]) == 1 else f"{path.stem} {i}")
        part = MeshPart(name, Pose(pose[:3, 3], from_matrix(pose[:3, :3])), answer[f"vertices{i}"], answer[f"triangles{i}"],
                        float(moments[0]), moments[1:4], moments[4:].reshape(3, 3), bool(answer["overlaps"][i]))
        if not all(np.isfinite(one).all() for one in (pose, part.vertices, moments)):
            raise BadInput(printable(message("{file}: '{part}' is damaged: it has coordinates that are not finite",
                                             file=path.name, part=part.name)))
        found.parts.append(part)
    if not found.parts:
        raise BadInput(message("{file} has no triangles: export it again, with faces", file=path.name))
    return found


def _read_by_library(found: MeshFile, path: Path) -> dict[str, np.ndarray]:
    """What mesh_worker.read answers of a file."""
    data = safe_read.read(path, meshes.MAX_BYTES)
    files = {"": data}
    if found.suffix in GLTF:
        files |= _buffers(path, _contents(path, data))
    return _asked(path.name, "read", files, READ_TIME, kind=found.suffix[1:])


def _read_collada(found: MeshFile, path: Path) -> dict[str, np.ndarray]:
    """What mesh_worker.measure answers of a COLLADA file."""
    whole = collada.read(path)
    found.y_up = whole.up == "Y"
    found.notes += whole.notes
    if whole.up == "X":
        found.notes.append(message("{file} has x up: it is not turned", file=path.name))
    often, files = Counter(one.name for one in whole.surfaces), {}
    for i, one in enumerate(whole.surfaces):
        files[f"vertices{i}"] = np.ascontiguousarray(one.vertices, float).tobytes()
        files[f"triangles{i}"] = np.ascontiguousarray(one.triangles, np.int64).tobytes()
    names = [one.name if often[one.name] == 1 else "" for one in whole.surfaces]
    return _asked(path.name, "measure", files, READ_TIME, names=names)


def _contents(path: Path, data: bytes) -> dict[str, Any]:
    """The description that a glTF file holds, of a version that is read."""
    try:
        if path.suffix.lower() == ".glb":
            if (data[:4], data[16:20]) != (b"glTF", b"JSON"):
                raise ValueError
            data = data[20:20 + int.from_bytes(data[12:16], "little")]
        found = json.loads(data)
        version, needed = str(found["asset"].get("minVersion", found["asset"]["version"])), found.get("extensionsRequired", [])
        needed = [name for name in needed if not name.startswith(LOOKS)]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise BadInput(message("{file} is damaged: it is no glTF", file=path.name)) from None
    if not version.startswith("2."):
        raise BadInput(printable(message("{file} is of glTF {version}, only version 2 is read: export it as glTF 2.0",
                                         file=path.name, version=version)))
    if needed:
        raise BadInput(printable(message("{file} needs the extensions {names}: export it without compression", file=path.name,
                                         names=", ".join(needed))))
    return found


def _buffers(path: Path, contents: dict[str, Any]) -> dict[str, bytes]:
    """The files that a glTF file names, inside of its folder only."""
    try:
        names = [buffer["uri"] for buffer in contents.get("buffers", []) if not buffer.get("uri", "data:").startswith("data:")]
    except (TypeError, AttributeError):
        raise BadInput(message("{file} is damaged: it is no glTF", file=path.name)) from None
    if len(names) > MAX_BUFFERS:
        raise BadInput(message("{file} names more than {limit} files: export it as one .glb", file=path.name, limit=MAX_BUFFERS))
    try:
        return {name: safe_read.read(meshes.located(urllib.parse.unquote(name), path.resolve().parent), meshes.MAX_BYTES)
                for name in names}
    except BadInput as error:
        raise BadInput(printable(f"{path.name}: {error}")) from None


def _asked(what: str, job: str, files: dict[str, bytes], seconds: float, **more: Any) -> dict[str, np.ndarray]:
    """Let a worker do a job; its arrays.

    Raises:
        BadInput: it failed, took too long or died.
    """
    packed = run_worker(what, files, seconds, job=job, **more)
    with np.load(io.BytesIO(packed), allow_pickle=False) as arrays:
        answer = {name: arrays[name] for name in arrays.files}
    if "missing" in answer:
        raise BadInput(message("{file} needs {package}, which is not installed: run `{command}`", file=what,
                               package=answer["missing"], command=Verbatim(install_command("meshes", str(answer["missing"])))))
    if "line" in answer:
        raise BadInput(message("{file}, line {line}: {error}: correct it in a text editor, or export the file again", file=what,
                               line=int(answer["line"]), error=str(answer["error"])))
    if "error" in answer:
        raise BadInput(printable(message("{file} is damaged ({error}): open it in a mesh editor and export it again", file=what,
                                         error=answer["error"])))
    return answer


def run_worker(what: str, files: dict[str, bytes], seconds: float, **asked: Any) -> bytes:
    """The answer of a worker; raises as `_asked`."""
    head = json.dumps({**asked, "files": {name: len(data) for name, data in files.items()}}).encode() + b"\n"
    end = time.monotonic() + seconds
    with tempfile.TemporaryFile() as given:
        given.write(head + b"".join(files.values()))
        given.seek(0)
        with subprocess.Popen([sys.executable, "-P", mesh_worker.__file__], stdin=given, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            try:
                answer = _waited(process, end)
            finally:
                process.kill()
    if answer is None:
        raise BadInput(message("{file} takes longer than {limit:g} s: reduce its triangles", file=what, limit=seconds))
    if process.returncode or not answer:
        raise BadInput(message("{file} takes too much memory, or is damaged: reduce its triangles", file=what))
    return answer


def _waited(process: subprocess.Popen, end: float) -> bytes | None:
    """Output of a process; None: it has not ended at that time. The caller may be cancelled between two polls."""
    while True:
        try:
            return process.communicate(timeout=min(POLL, max(0.0, end - time.monotonic())))[0]
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                return None


# ---- meshes of robots


def with_split_meshes(robot: Robot, dents: float) -> Robot:
    """A copy of a robot whose meshes that are not convex are convex parts; what has become of each is in its `skipped`.

    Raises:
        BadInput: splitting failed, or what it needs is not installed.
    """
    robot = replace(robot, links={name: replace(link) for name, link in robot.links.items()}, skipped=list(robot.skipped))
    for link in robot.links.values():
        geometries = []
        for one in link.geometries:
            parts = _split(robot, link, one.shape, dents) if isinstance(one.shape, meshes.MeshHull) else [one.shape]
            geometries += [replace(one, shape=part) for part in parts]
        link.geometries = geometries
    return robot


def _split(robot: Robot, link: Link, whole: meshes.MeshHull, dents: float) -> list[Hull]:
    found, parts = _read_once(whole.file, whole.file.stat().st_mtime_ns), []
    for part in found.parts:
        own = meshes.hull_of(part.vertices * whole.scale, f"'{found.file}'")
        volume = part.volume * abs(float(np.prod(np.broadcast_to(whole.scale, 3))))
        if volume and own.volume() / volume - 1.0 < CONVEX_TOLERANCE:
            parts.append(own)
            continue
        parts += _convex_parts(found, part, dents, whole.scale, f"'{found.file}'")
    if len(parts) > 1:
        robot.skipped.append((link.element.line, message("'{mesh}' of '{link}' is made of {count} convex parts",
                                                         mesh=found.file, link=link.name, count=len(parts))))
    return parts or [whole]


@functools.lru_cache(maxsize=256)
def _read_once(file: Path, changed: int) -> MeshFile:
    """A file as it was changed last; its parts are kept with it."""
    return read(file)


# ---- the scene


def scene_of(found: MeshFile) -> scenes.Scene:
    """The scene of a file.

    Raises:
        BadInput: the engine refuses it.
    """
    parameters = found.parameters()

    def make(world: World, chosen: Parameters) -> None:
        robot = robot_of(found, chosen)
        build(world, robot, free=chosen.floor)
        for _, why in robot.skipped:
            world.warnings.add(why)

    make(World(), parameters())
    return scenes.Scene(
        title=Path(found.file).stem, category="Own",
        look_for=message("The meshes of {file}. Unit, density and splitting into convex parts are parameters.", file=found.file),
        law="", law_text="", build=make, parameters=parameters, dt=1.0 / 480.0, view=view_of(_corners(found, parameters())))


def _corners(found: MeshFile, chosen: Parameters) -> np.ndarray:
    """All vertices (n, 3) in the world [m]."""
    corners = np.vstack([part.pose.pos + rotate(part.pose.quat, part.vertices) for part in found.parts]) * chosen.scale
    return rotate(Y_UP, corners) if chosen.y_up else corners


def checked(path: Path) -> str:
    """What `stiction check` says of a valid file; raises as `read` and `scene_of`."""
    found = read(path)
    chosen = found.parameters()()
    robot = robot_of(found, chosen)
    build(World(), robot, free=True)
    size, mass = np.ptp(_corners(found, chosen), axis=0), sum(link.mass for link in robot.links.values())
    sides = " x ".join(f"{x:.4g}" for x in size)
    lines = [message("valid: {count} mesh, {mass:.4g} kg at {density:g} kg/m³, {sides} m",
                    "valid: {count} meshes, {mass:.4g} kg at {density:g} kg/m³, {sides} m", count=len(robot.links), mass=mass,
                    density=chosen.density, sides=sides)]
    lines += [f"{path}: {why}" for why in (*found.notes, *(why for _, why in robot.skipped))]
    if found.suffix in WITHOUT_UNIT and size.max() > MILLIMETRE_SIZE:
        lines.append(message("{path}: its unit is not in the file and was taken for the metre: set scale=0.001 if it is the "
                            "millimetre", path=path))
    return "\n".join(map(printable, lines))


def robot_of(found: MeshFile, chosen: Parameters) -> Robot:
    """The bodies of a file as links without joints. What is worth telling of a mesh is in its `skipped`.

    Raises:
        BadInput: a mesh that the engine refuses.
    """
    robot = Robot(Path(found.file).stem, found.file, found.suffix)
    turn = Pose(np.zeros(3), Y_UP if chosen.y_up else IDENTITY.quat)
    for part in found.parts:
        element = Element("mesh", {}, f"{found.file}: '{part.name}'", 0)
        pose = turn.then(Pose(part.pose.pos * chosen.scale, part.pose.quat))
        link = Link(part.name, element, pose, static=chosen.fixed)
        shapes = [] if chosen.fixed else _shapes(robot, found, part, chosen)
        if not shapes:
            link.static = True
            shapes = [_surface(part, chosen.scale, element)]
        link.geometries = [Geometry(shape, IDENTITY, chosen.friction, (1, 1)) for shape in shapes]
        if not link.static:
            _weigh(robot, link, part, chosen)
        robot.add(link)
    return robot


def _surface(part: MeshPart, scale: float, element: Element) -> TriangleMesh:
    try:
        if part.volume > 0.0:
            with contextlib.suppress(BadInput):      # closed by triangles without an area, which are not kept
                return TriangleMesh(part.vertices * scale, part.triangles, solid=True)
        return TriangleMesh(part.vertices * scale, part.triangles)
    except BadInput as error:
        raise element.refuse(str(error)) from None


def _shapes(robot: Robot, found: MeshFile, part: MeshPart, chosen: Parameters) -> list[Hull]:
    """The convex shapes of a body; none: it has no volume, which is noted."""
    name = f"'{part.name}'"
    try:
        whole = meshes.hull_of(part.vertices * chosen.scale, name)
    except BadInput:
        robot.skipped.append((0, message("{mesh} encloses no volume: it is static", mesh=name)))
        return []
    if part.volume > (1.0 + VOLUME_ROUNDING) * _hull_volume(part, whole.volume() / chosen.scale**3):
        part.volume, part.overlaps = 0.0, True
    filled = whole.volume() / (part.volume * chosen.scale**3) - 1.0 if part.volume else 0.0
    if part.overlaps:
        robot.skipped.append((0, message("parts of {mesh} overlap: its mass is that of its shapes; unite them in a mesh editor",
                                         mesh=name)))
    elif not part.volume:
        robot.skipped.append((0, message("{mesh} is not a closed surface: its mass is that of its shapes", mesh=name)))
    elif filled < CONVEX_TOLERANCE:
        return [whole]
    if not chosen.split:
        if part.volume:
            robot.skipped.append((0, message("{mesh} is not convex: its hull, {share:.0f} % larger, stands for it; split=true "
                                             "splits it", mesh=name, share=100.0 * filled)))
        return [whole]
    pieces = _convex_parts(found, part, chosen.dents, chosen.scale, name)
    robot.skipped.append((0, message("{mesh} is made of {count} convex part", "{mesh} is made of {count} convex parts",
                                     mesh=name, count=len(pieces))))
    return pieces or [whole]


def _hull_volume(part: MeshPart, own: float) -> float:
    """Volume of the hull of all vertices, inf: not known; own: of the hull of those that are kept of many."""
    if len(part.vertices) <= meshes.MAX_KEPT:
        return own
    try:
        from scipy.spatial import ConvexHull  # late: it takes a while, and need not be installed
    except ImportError:
        return math.inf
    return float(ConvexHull(part.vertices).volume)


def _convex_parts(found: MeshFile, part: MeshPart, dents: float, scale: Any, name: str) -> list[Hull]:
    """The convex parts of a mesh that enclose a volume; name: of the mesh, in sentences."""
    hulls = []
    for piece in _pieces(found, part, dents):
        with contextlib.suppress(BadInput):      # a part as thin as a sheet
            hulls.append(meshes.hull_of(piece * scale, name))
    return hulls


def _pieces(found: MeshFile, part: MeshPart, dents: float) -> list[np.ndarray]:
    """Vertices of the convex parts of a mesh, found once for each threshold."""
    key = part.name, dents
    if key not in found.pieces:
        answer = _asked(f"'{part.name}'", "split", {"vertices": np.ascontiguousarray(part.vertices, float).tobytes(),
                                                    "triangles": np.ascontiguousarray(part.triangles, np.int64).tobytes()},
                        SPLIT_TIME, threshold=dents, parts=MAX_PARTS)
        found.pieces[key] = [answer[f"vertices{i}"] for i in range(len(answer))]
    return found.pieces[key]


def _weigh(robot: Robot, link: Link, part: MeshPart, chosen: Parameters) -> None:
    """Mass, centre and inertia: of the closed surface, else of the shapes."""
    s = chosen.scale
    if part.volume:
        link.mass, link.centre = chosen.density * part.volume * s**3, part.centre * s
        link.inertia = chosen.density * s**5 * part.inertia
        return
    shapes = [one.shape for one in link.geometries]
    link.mass, link.centre, link.inertia = summed(link.element, [
        solid(shape, chosen.density * shape.volume(), IDENTITY) for shape in shapes])
