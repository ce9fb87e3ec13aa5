"""The process that reads meshes and splits them (app/robots/mesh_files.py starts it as a program): it imports nothing of ours.

What trimesh and coacd do with a foreign file cannot harm more than this process: it has no file but its pipes, and limits of
memory and time. In: one line of JSON, then the files named in it. Out: the arrays of a .npz file.

    {"job": "read", "kind": "glb", "files": {"": n, "beside.bin": m}}
        names (k,), poses (k, 4, 4), notes (texts), overlaps (k,): whether closed parts of it overlap; of body i: vertices{i}
        (n, 3), triangles{i} (m, 3), moments{i} (13,): volume, centre, inertia of density 1 about the origin's axes at the
        centre; a volume of 0: the surface is not closed, or parts overlap
    {"job": "measure", "names": ["a"], "files": {"vertices0": n, "triangles0": m}}
        the same of surfaces that are read already; poses are those of the file
    {"job": "split", "threshold": 0.05, "parts": 64, "files": {"vertices": n, "triangles": m}}
        vertices{i} (n, 3) of part i
"""

import contextlib
import importlib
import io
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

MEMORY = 4_000_000_000
"""Of this process [bytes]."""


NOTHING = 1e-12
"""Share of its box that a closed surface encloses by rounding."""

SAMPLED = 64
"""Corners of a closed part of which it is asked whether they are inside of another part, about."""

MAX_COMPARED = 500
"""Most closed parts of a surface that are compared with one another; of more each encloses a solid."""

LIBRARIES = ("trimesh", "coacd")


def main() -> None:
    """Do one job."""
    sys.modules["scipy"] = None         # nothing here needs it, and to import it takes longer than a job
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)                       # what libraries print is no answer
    asked = json.loads(sys.stdin.buffer.readline())
    files = {name: sys.stdin.buffer.read(size) for name, size in asked.pop("files").items()}
    out.write(answered(files, before=limit, **asked))
    out.flush()


def answered(files: dict[str, bytes], job: str, before: Callable[[], None], **asked: Any) -> bytes:
    """Do a job; its arrays as .npz. before: called once the libraries are there."""
    try:
        importlib.import_module({"read": "trimesh", "measure": "trimesh", "split": "coacd"}[job])
        before()
        with np.errstate(all="ignore"):
            answer = {"read": read, "measure": measure, "split": split}[job](files, **asked)
    except ObjMistake as mistake:
        answer = {"line": np.array(mistake.line), "error": np.array(str(mistake))}
    except MemoryError:
        answer = {"error": np.array("too much memory")}
    except Exception as error:  # noqa: BLE001  (libraries raise anything on foreign files)
        missing = isinstance(error, ImportError) and error.name in LIBRARIES
        answer = {"missing": np.array(error.name)} if missing else {"error": np.array(f"{type(error).__name__}: {error}")}
    packed = io.BytesIO()
    np.savez(packed, **answer)
    return packed.getvalue()


def limit() -> None:
    """Limit memory, where the system can, and write no file."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def read(files: dict[str, bytes], kind: str) -> dict[str, Any]:
    """Bodies of a file, one for each node with a mesh."""
    import trimesh

    beside = {name: data for name, data in files.items() if name}
    data = faces_only(files[""]) if kind == "obj" else files[""]
    more = {"merge_primitives": True} if kind in ("glb", "gltf") else {}
    try:
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=beside, **more)
    except Exception:
        if kind == "obj":
            find_mistake(files[""])
        raise
    found, notes = [], []
    for node in scene.graph.nodes_geometry:
        placed, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not isinstance(mesh, trimesh.Trimesh) or not len(mesh.faces):
            notes.append(f"'{node}' has no triangles")
            continue
        pose, inner = parted(placed)
        mesh = mesh.copy()
        mesh.apply_transform(inner)
        found.append((node if kind in ("glb", "gltf") else "", pose, mesh))
    return bodies(found, notes)


def measure(files: dict[str, bytes], names: list[str]) -> dict[str, Any]:
    """Bodies of surfaces, by their arrays."""
    import trimesh

    found = []
    for i, name in enumerate(names):
        points, triangles = numbers(files, i)
        found.append((name, np.eye(4), trimesh.Trimesh(points, triangles, process=False)))
    return bodies(found, [])


def numbers(files: dict[str, bytes], i: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (m, 3) of surface i."""
    return (np.frombuffer(files[f"vertices{i}"], np.float64).reshape(-1, 3),
            np.frombuffer(files[f"triangles{i}"], np.int64).reshape(-1, 3))


def bodies(found: list[tuple[str, np.ndarray, Any]], notes: list[str]) -> dict[str, Any]:
    """The answer that has meshes, each with its name and pose (4, 4)."""
    answer: dict[str, Any] = {}
    overlaps = np.zeros(len(found), bool)
    for i, (_, _, mesh) in enumerate(found):
        mesh.merge_vertices(merge_norm=True, merge_tex=True)
        closed = mesh.is_watertight and mesh.is_winding_consistent
        if closed:
            mesh.faces, overlaps[i] = outwards(np.asarray(mesh.vertices, float), np.asarray(mesh.faces, np.int64))
        answer |= {f"vertices{i}": np.asarray(mesh.vertices, float), f"triangles{i}": np.asarray(mesh.faces, np.int64),
                   f"moments{i}": moments(mesh) if closed and not overlaps[i] else np.zeros(13)}
    return {**answer, "overlaps": overlaps, "names": np.array([name for name, _, _ in found], str), "notes": np.array(notes, str),
            "poses": np.array([pose for _, pose, _ in found]).reshape(-1, 4, 4)}


def faces_only(data: bytes) -> bytes:
    """An OBJ file without all but vertices and faces of them: no groups, textures, materials."""
    kept = []
    for line in data.replace(b"\r\n", b"\n").replace(b"\\\n", b" ").splitlines():
        words = line.split()
        if words[:1] == [b"v"]:
            kept.append(line)
        elif words[:1] == [b"f"]:
            kept.append(b"f " + b" ".join(word.partition(b"/")[0] for word in words[1:]))
    return b"\n".join(kept) + b"\n"


class ObjMistake(Exception):
    """What is wrong in a line of an OBJ file."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def find_mistake(data: bytes) -> None:
    """Raise ObjMistake for the first line of an OBJ file that is wrong, if there is one: a library only tells where it failed."""
    rows = [(i, line.split()) for i, line in enumerate(data.splitlines(), 1)]
    count, before = sum(words[:1] == [b"v"] for _, words in rows), 0
    for i, words in rows:
        if words[:1] == [b"v"]:
            before += 1
            if not (len(words) > 3 and all(map(is_number, words[1:4]))):
                raise ObjMistake(i, "a vertex needs three numbers")
        elif words[:1] == [b"f"] and words[-1] != b"\\":
            try:
                named = [int(word.partition(b"/")[0]) for word in words[1:]]
            except ValueError:
                raise ObjMistake(i, "a face names its vertices by whole numbers") from None
            if len(named) < 3:
                raise ObjMistake(i, "a face needs three vertices or more")
            if not all(1 <= (k if k > 0 else before + 1 + k) <= count for k in named):
                raise ObjMistake(i, "a face names a vertex that is not there")


def is_number(word: bytes) -> bool:
    """Whether a word is a number."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def parted(placed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(pose without scale, what is left inside of it), 4 x 4 each; one that shears or mirrors has no rotation of its own."""
    turn = placed[:3, :3]
    scale = np.linalg.norm(turn, axis=0)
    pose, inner = np.eye(4), np.eye(4)
    pose[:3, 3] = placed[:3, 3]
    turn = turn / np.maximum(scale, 1e-300)
    if np.allclose(turn.T @ turn, np.eye(3), atol=1e-6) and np.linalg.det(turn) > 0.0:
        pose[:3, :3], inner[:3, :3] = turn, np.diag(scale)
    else:
        inner[:3, :3] = placed[:3, :3]
    return pose, inner


def moments(mesh: Any) -> np.ndarray:
    """Volume, centre and inertia of density 1 of a closed surface; zeros where it encloses nothing but rounding."""
    if mesh.volume <= NOTHING * np.prod(np.ptp(mesh.vertices, axis=0)):
        return np.zeros(13)
    return np.concatenate([[mesh.volume], mesh.center_mass, np.ravel(mesh.moment_inertia)])


def outwards(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, bool]:
    """(triangles of a closed surface turned so that each closed part faces away from its solid, whether parts overlap).

    A part inside of another one is a cavity, one inside of a cavity is solid again: files do not always turn them so.
    """
    label = parts_of(triangles, len(points))[triangles[:, 0]]
    order = np.argsort(label, kind="stable")
    ends = np.flatnonzero(np.diff(label[order])) + 1
    parts = np.split(triangles[order], ends)
    depth, overlap = depths(points, parts) if len(parts) <= MAX_COMPARED else ([0] * len(parts), False)
    for i, part in enumerate(parts):
        a, b, c = (points[part[:, j]] - points[part[0, 0]] for j in range(3))
        if (np.einsum("ij,ij->", a, np.cross(b, c)) < 0.0) != (depth[i] % 2 == 1):
            parts[i] = part[:, ::-1]
    turned = np.empty_like(triangles)
    turned[order] = np.concatenate(parts)
    return turned, overlap


def depths(points: np.ndarray, parts: list[np.ndarray]) -> tuple[list[int], bool]:
    """(in how many others each closed part is, whether two overlap)."""
    corners = [points[np.unique(part)] for part in parts]
    lows, highs = (np.array([end(one, axis=0) for one in corners]) for end in (np.min, np.max))
    depth = [0] * len(parts)
    for i, own in enumerate(corners):
        for k in np.flatnonzero(((lows[i] <= highs) & (highs[i] >= lows)).all(axis=1)).tolist():
            if k == i:
                continue
            sample = own[:: -(-len(own) // SAMPLED)]
            boxed = ((sample >= lows[k]) & (sample <= highs[k])).all(axis=1)
            turns = np.abs(windings(sample[boxed], points[parts[k]]))
            within, outside = (turns > 0.75).any(), (turns < 0.25).any() or not boxed.all()     # a half: on the surface itself
            if within and outside:
                return depth, True
            depth[i] += int(within)
    return depth, False


def parts_of(triangles: np.ndarray, count: int) -> np.ndarray:
    """The lowest vertex of the connected part of each vertex (count,)."""
    label = np.arange(count)
    while True:
        low, before = label[triangles].min(axis=1), label.copy()
        np.minimum.at(label, before[triangles].ravel(), np.repeat(low, 3))
        np.minimum.at(label, triangles.ravel(), np.repeat(low, 3))
        while (label[label] != label).any():
            label = label[label]
        if (label == before).all():
            return label


def windings(points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """How often closed triangles (m, 3, 3) wind around each point: solid angles over 4 pi, by van Oosterom and Strackee."""
    found = np.empty(len(points))
    for i, point in enumerate(points):
        a, b, c = (corners[:, j] - point for j in range(3))
        la, lb, lc = (np.linalg.norm(one, axis=1) for one in (a, b, c))
        dots = (np.einsum("ij,ij->i", one, other) * size for one, other, size in ((a, b, lc), (b, c, la), (c, a, lb)))
        found[i] = np.arctan2(np.einsum("ij,ij->i", a, np.cross(b, c)), la * lb * lc + sum(dots)).sum() / (2.0 * np.pi)
    return found


def split(files: dict[str, bytes], threshold: float, parts: int) -> dict[str, Any]:
    """Convex parts of a mesh."""
    import coacd

    coacd.set_log_level("error")
    mesh = coacd.Mesh(*numbers(files, ""))
    found = coacd.run_coacd(mesh, threshold=threshold, max_convex_hull=parts, seed=0)
    return {f"vertices{i}": np.asarray(one[0], float) for i, one in enumerate(found)}


if __name__ == "__main__":
    main()
