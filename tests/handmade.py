"""Frames made by hand, for tests of what only looks: no physics runs."""

import time

import numpy as np

from app.engine.frame import Frame
from physics import shapes
from physics.core.records import BODY, CONTACT, JOINT, SHAPE, Kind

KINDS = tuple(shapes.kinds())


def frame(bodies: list, contacts: list = (), joints: list = (), joint_kinds: tuple = ("drag", "revolute", "spherical"),
          names: list | None = None, **more) -> Frame:
    """bodies: (kind of shape or None, dims, pos, quat, Kind) after the static body 0; contacts, joints: dicts of fields."""
    table = np.zeros(len(bodies) + 1, BODY)
    table["quat"][:, 0] = 1.0
    table["kind"][0] = Kind.STATIC
    shape_table = np.zeros(len(bodies), SHAPE)
    shape_table["local_quat"][:, 0] = 1.0
    for i, (name, dims, pos, quat, kind) in enumerate(bodies):
        body = table[i + 1]
        body["pos"], body["quat"], body["kind"] = pos, np.array(quat, float) / np.linalg.norm(quat), kind
        shape = shape_table[i]
        shape["body"], shape["kind"], shape["dims"] = i + 1, KINDS.index(name), dims
    values = {
        "scene": "handmade", "revision": 0, "step": 0, "time": 0.0, "dt": 1.0 / 240.0, "acting": 1.0 / 240.0,
        "wall": time.perf_counter(), "paused": True, "bodies": table, "shapes": shape_table,
        "contacts": _records(CONTACT, contacts),
        "joints": _records(JOINT, joints), "joint_kinds": joint_kinds, "shape_kinds": KINDS,
        "body_names": tuple(names or ["world"] + [f"body {i}" for i in range(1, len(bodies) + 1)]),
        "joint_names": tuple("" for _ in joints), "gravity": (0.0, 0.0, -9.81), "before_pos": table["pos"].copy(),
        "before_quat": table["quat"].copy(), "report": None}
    return Frame(**{**values, **more})


def _records(dtype: np.dtype, items: list) -> np.ndarray:
    out = np.zeros(len(items), dtype)
    for record, item in zip(out, items):
        for name, value in item.items():
            record[name] = value
    return out
