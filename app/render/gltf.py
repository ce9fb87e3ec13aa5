"""A recorded motion as a glTF 2.0 file, for Blender, three.js and other viewers: a node per body, its shapes as a mesh, and one
animation with a translation and a rotation for each moving body.

glTF has y up and quaternions (x, y, z, w): one root node turns the whole scene, so that every body's numbers are ours.
https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
"""

import base64
import json
import math
import struct
from typing import Any

import numpy as np

from app.render.scene.theme import linear
from app.render.web_page import GROUND_SIZE, MotionRecorder, drawn_bodies
from physics import BadInput
from physics.core.records import Kind

MAX_BYTES = 2_000_000_000
"""Largest file."""

Z_TO_Y = [-math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]
"""Rotation (x, y, z, w) that turns z to y."""

FLOAT, UINT32 = 5126, 5125
TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}


class _Buffer:
    """Binary data and what describes it."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.size = 0
        self.views: list[dict[str, int]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, array: np.ndarray, bounds: bool = False) -> int:
        """Add rows as float32, or whole numbers as uint32; returns the accessor. bounds: with smallest and largest."""
        whole = array.dtype.kind in "iu"
        array = np.ascontiguousarray(array, np.uint32 if whole else np.float32)
        data = array.tobytes()
        self.views.append({"buffer": 0, "byteOffset": self.size, "byteLength": len(data)})
        about: dict[str, Any] = {"bufferView": len(self.views) - 1, "componentType": UINT32 if whole else FLOAT,
                                 "count": len(array), "type": TYPES[1 if array.ndim == 1 else array.shape[1]]}
        if bounds:
            about |= {"min": np.atleast_1d(array.min(axis=0)).tolist(), "max": np.atleast_1d(array.max(axis=0)).tolist()}
        self.accessors.append(about)
        self.chunks.append(data)
        self.size += len(data)
        if self.size > MAX_BYTES:
            raise BadInput(f"the file would exceed {MAX_BYTES / 1e9:g} GB: reduce the seconds or the frames per second")
        return len(self.accessors) - 1


def gltf_of(motion: MotionRecorder, title: str, binary: bool = True) -> bytes:
    """The file. binary: as .glb, else as .gltf, the data in it as text.

    Raises:
        BadInput: it would be too large.
    """
    world, buffer = motion.world, _Buffer()
    poses = motion.poses
    places = world.bodies["pos"][world.bodies["kind"] != Kind.FREE]
    reach = max(np.abs(places).max(initial=0.0), np.abs(poses[..., :3]).max(initial=0.0))
    corners, normals, triangles, drawn = drawn_bodies(world, motion.moving, min(GROUND_SIZE, 2.0 + 1.5 * float(reach)))
    shapes = {one["name"]: one for one in drawn}
    meshes, materials = [], []
    nodes: list[dict[str, Any]] = [{"name": title, "rotation": Z_TO_Y}]
    node_of: dict[str, int] = {}
    for body in np.flatnonzero(world.bodies["kind"] != Kind.FREE).tolist():
        record = world.bodies[body]
        name = world.body_names[body]
        one = shapes.get(name)
        if one is None and record["kind"] not in (Kind.DYNAMIC, Kind.KINEMATIC):
            continue
        node = {"name": name, "translation": record["pos"].tolist(), "rotation": record["quat"][[1, 2, 3, 0]].tolist()}
        if one is not None:
            (v, v_end), (t, t_end) = one["vertices"], one["triangles"]
            node["mesh"] = len(meshes)
            attributes = {"POSITION": buffer.add(corners[v:v_end], bounds=True), "NORMAL": buffer.add(normals[v:v_end])}
            meshes.append({"name": name, "primitives": [{
                "attributes": attributes, "indices": buffer.add(triangles[t:t_end].ravel()), "material": len(materials)}]})
            colour = [*linear(np.array(one["colour"])).tolist(), 1.0]
            materials.append({"name": name, "doubleSided": one["grid"], "pbrMetallicRoughness": {
                "baseColorFactor": colour, "metallicFactor": 0.0, "roughnessFactor": 0.7}})
        node_of[name] = len(nodes)
        nodes.append(node)
    if len(nodes) > 1:       # empty lists are not allowed
        nodes[0]["children"] = list(range(1, len(nodes)))
    data = {"asset": {"version": "2.0", "generator": "Stiction"}, "scene": 0, "scenes": [{"name": title, "nodes": [0]}],
            "nodes": nodes, "meshes": meshes, "materials": materials}
    if len(motion.moving) and len(motion.times) > 1:
        data["animations"] = [_animation(motion, poses, node_of, nodes, buffer)]
    return _file(data, buffer, binary)


def _animation(motion: MotionRecorder, poses: np.ndarray, node_of: dict[str, int], nodes: list[dict[str, Any]],
               buffer: _Buffer) -> dict[str, Any]:
    """Samplers and channels of all moving bodies, whose nodes begin at the first frame."""
    times = buffer.add(np.array(motion.times) - motion.times[0], bounds=True)
    samplers, channels = [], []
    for k, body in enumerate(motion.moving.tolist()):
        node = node_of[motion.world.body_names[body]]
        turns = poses[:, k, [4, 5, 6, 3]]
        # of the two quaternions of an orientation the one next to the last, so that nothing turns the long way
        flips = np.cumprod(np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0.0, -1.0, 1.0))
        turns = turns * np.concatenate([[1.0], flips])[:, None]
        for path, values in (("translation", poses[:, k, :3]), ("rotation", turns)):
            nodes[node][path] = values[0].astype(float).tolist()
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            samplers.append({"input": times, "output": buffer.add(values), "interpolation": "LINEAR"})
    return {"name": "motion", "samplers": samplers, "channels": channels}


def _file(data: dict[str, Any], buffer: _Buffer, binary: bool) -> bytes:
    packed = b"".join(buffer.chunks)
    if packed:
        data |= {"buffers": [{"byteLength": len(packed)}], "bufferViews": buffer.views, "accessors": buffer.accessors}
        if not binary:
            data["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(packed).decode()
    data = {key: value for key, value in data.items() if value != []}
    text = json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    if not binary:
        return text
    text += b" " * (-len(text) % 4)
    chunks = [(b"JSON", text)] + ([(b"BIN\0", packed)] if packed else [])
    body = b"".join(struct.pack("<I", len(chunk)) + kind + chunk for kind, chunk in chunks)
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body
