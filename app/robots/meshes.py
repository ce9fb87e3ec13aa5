"""Surfaces of STL (binary and text), OBJ and COLLADA files, and their convex hull. No materials, no textures are read.

Of more than MAX_KEPT vertices a hull keeps those that are outermost in DIRECTIONS directions and along the axes, so that it has
few faces and lies within the true one.
"""

import re
import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from app.files import safe_read
from app.i18n.message import message
from app.robots import collada
from physics import BadInput, Hull

MAX_BYTES = 60_000_000
DIRECTIONS = 60
MAX_KEPT = 256
ROBOT_MESH_SUFFIXES = (".stl", ".obj", ".dae")

_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_VERTEX = re.compile(rb"^\s*v(?:ertex)?\s+(\S+)\s+(\S+)\s+(\S+)", re.MULTILINE)
_LINE = re.compile(rb"^[ \t]*([vf])[ \t]+(.*)$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class MeshHull(Hull):
    """The hull of a mesh, and where it is from. file; scale (3,): of its coordinates to metres."""

    file: Path = Path()
    scale: Any = 1.0


def located(name: str, folder: Path) -> Path:
    """The file of a mesh: inside the folder of the robot's file, or of the package that its address names.

    Raises:
        BadInput: it would be elsewhere, or it is not there; the sentence says so without place.
    """
    scheme, _, rest = name.partition("://") if "://" in name else ("", "", name)
    if scheme not in ("", "file", "package", "model"):
        raise BadInput(message("'{name}' is not read: only files beside the robot's file are", name=name))
    parts = [part for part in rest.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts or (not scheme and rest.startswith("/")) or scheme == "file" or not parts:
        raise BadInput(message("'{name}' is outside of the robot's folder and is not read: copy it beside the robot's file and "
                               "name it by a path without ..", name=name))
    roots = [(folder, parts)]
    if scheme in ("package", "model"):
        packages = [parent for parent in (folder, *folder.parents) if parent.name == parts[0]]
        roots = [*((parent, parts[1:]) for parent in packages), (folder, parts[1:]), (folder, parts)]
    for root, inside in roots:
        path = root.joinpath(*inside)
        if path.is_file() and path.resolve().is_relative_to(root.resolve()):
            return path
    raise BadInput(message("'{name}' is not there: copy it beside the robot's file", name=name))


def vertices(path: Path) -> np.ndarray:
    """Vertices (n, 3) in the file's own unit; of COLLADA in metres, whose axis upwards counts for nothing here, as in ROS and
    Gazebo: programs that write meshes of links in the frame of the link name any.

    Raises:
        BadInput: another format, too large, or damaged.
    """
    if path.suffix.lower() not in ROBOT_MESH_SUFFIXES:
        raise BadInput(message("'{name}': only {suffixes} meshes are read: convert it to .stl, with Blender or MeshLab",
                               name=path.name, suffixes=", ".join(ROBOT_MESH_SUFFIXES)))
    if path.suffix.lower() == ".dae":
        return np.vstack([surface.vertices for surface in collada.read(path).surfaces])
    data = safe_read.read(path, MAX_BYTES)
    if path.suffix.lower() == ".stl" and len(data) >= 84:
        count = struct.unpack_from("<I", data, 80)[0]
        if len(data) == 84 + count * _FACET.itemsize:
            return np.frombuffer(data, _FACET, count, 84)["corners"].reshape(-1, 3).astype(float)
    try:
        found = np.array(_VERTEX.findall(data), dtype="S40").astype(float).reshape(-1, 3)
    except ValueError:
        found = np.empty((0, 3))
    if not len(found):
        raise BadInput(message("'{name}' is damaged: it has no vertices that can be read", name=path.name))
    return found


def surface(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """(vertices (n, 3), triangles (m, 3)) of a file whose `vertices` can be read; no triangles where it has none, or damaged."""
    if path.suffix.lower() == ".dae":
        surfaces = collada.read(path).surfaces
        first = np.cumsum([0, *(len(one.vertices) for one in surfaces)])
        return (np.vstack([one.vertices for one in surfaces]),
                np.vstack([np.reshape(one.triangles, (-1, 3)) + start for one, start in zip(surfaces, first, strict=False)]))
    points = vertices(path)
    if path.suffix.lower() == ".stl":
        count = len(points) // 3
        return points, np.arange(3 * count).reshape(count, 3)
    triangles, before = [], 0
    for letter, rest in _LINE.findall(safe_read.read(path, MAX_BYTES).replace(b"\r", b"").replace(b"\\\n", b" ")):
        if letter == b"v":
            before += 1
            continue
        try:
            numbers = [int(word.partition(b"/")[0]) for word in rest.split()]
        except ValueError:
            return points, np.empty((0, 3), int)
        loop = [k - 1 if k > 0 else before + k for k in numbers]
        if not all(0 <= k < len(points) for k in loop):
            return points, np.empty((0, 3), int)
        triangles += [(loop[0], *pair) for pair in pairwise(loop[1:])]
    return points, np.array(triangles, int).reshape(-1, 3)


def hull(path: Path, scale: np.ndarray) -> Hull:
    """The convex hull of a mesh; scale (3,): of its coordinates to metres.

    Raises:
        BadInput: as `vertices`; or the mesh is flat.
    """
    found = hull_of(vertices(path) * scale, f"'{path.name}'")
    return MeshHull(found.points, file=path, scale=scale)


def hull_of(points: np.ndarray, what: str) -> Hull:
    """The convex hull of points (n, 3) [m], of those that are outermost if there are many; raises as `hull`."""
    if not (np.abs(points) < 1e30).all():
        raise BadInput(message("{what} is damaged: it has coordinates that are not finite, or beyond 1e30 m", what=what))
    points = np.unique(np.round(points, 9), axis=0)
    if len(points) > MAX_KEPT:
        k = np.arange(DIRECTIONS) + 0.5
        polar, turn = np.arccos(1.0 - 2.0 * k / DIRECTIONS), np.pi * (1.0 + np.sqrt(5.0)) * k
        ways = np.column_stack([np.cos(turn) * np.sin(polar), np.sin(turn) * np.sin(polar), np.cos(polar)])
        ways = np.vstack([ways, np.eye(3), -np.eye(3)])
        size = np.ptp(points, axis=0).clip(1e-9)
        points = points[np.unique(np.argmax((points / size) @ ways.T, axis=0))]
    shape = Hull(points)
    shape.check(what)
    return shape
