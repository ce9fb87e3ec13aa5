"""Synthetic frames for tests of views, and how to draw them; no physics runs."""

import time
from types import SimpleNamespace

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame, RealTimePace
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import DARK
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions, toggles
from physics import shapes
from physics.core.records import BODY, CONTACT, JOINT, SHAPE, Kind
from physics.observe.audit.findings import Audit, Finding
from physics.observe.audit.worst_places import Rule
from physics.observe.report import EnergyTotals, Report

KINDS = tuple(shapes.kinds())
D, S = Kind.DYNAMIC, Kind.STATIC
ONE = (1, 0, 0, 0)
FLOOR = ("plane", (0, 0, 0), (0, 0, 0), ONE, S)
BALL = ("sphere", (0.4, 0, 0), (0, 0, 0.4), ONE, D)
W, H = 480, 320
"""Size of pictures [px]."""
SIGHT = 800, 600
"""Size of the overlays' view, as arrays [px]."""
BARE = {"contacts": False, "joints": False}
OFF = dict.fromkeys(toggles(), False)


def frame(bodies: list, contacts: list = (), joints: list = (), joint_kinds: tuple = ("drag", "revolute", "spherical"),
          names: list | None = None, **more) -> Frame:
    """Return a frame. bodies: (kind of shape or None, dims, pos, quat, Kind) after the static body 0; contacts, joints: dicts of
    fields."""
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
        "scene": "handmade", "revision": 0, "step": 0, "time": 0.0, "dt": 1.0 / 240.0, "impulse_duration": 1.0 / 240.0,
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


def context(f, more=None, camera=None, **view):
    seen = {"camera": camera, "width": SIGHT[0], "height": SIGHT[1]} if camera else {}
    return OverlayContext(f, BodyTransforms(f), ViewOptions(**{**OFF, **view}), DARK, **seen, **(more or {}))


def camera(**values):
    return Camera(**{"target": np.array([0.0, 0.0, 0.5]), "distance": 8.0, "azimuth": 20.0, "elevation": 25.0, **values})


def shoot(stage, f, cam=None, size=(W, H), more=None, **view):
    picture, renderer = stage
    options = ViewOptions()
    for name, value in {**BARE, **view}.items():
        setattr(options, name, value)
    picture.begin()
    renderer.draw(f, cam or camera(), options, *size, 0.0, **(more or {}))
    return picture.pixels().astype(int)


def at(pixels, cam, point, size=(W, H)):
    x, y, _ = cam.project(point, *size)[0]
    return pixels[pixels.shape[0] - 1 - int(y), int(x)]


def clip(camera, points, width, height):
    """Project points to pixels by the matrices, as the graphics card does."""
    m = camera.projection(width / height) @ camera.view_matrix()
    p = np.c_[points, np.ones(len(points))] @ m.T
    return (p[:, :2] / p[:, 3:] * 0.5 + 0.5) * (width, height)


FINDING = Finding(Rule.GAINED, 3.0, 5.0, 1, 1, -1, -1, -1, 12.0, "'box'", "")


def session_of(pace=None, paused=False, **told):
    """A session whose last step reported that."""
    report = Report(**{"solver": "x", "iterations": 7, "end": "converged", "change": 0.0, "residual": 1e-5, "contacts": 4,
                       "rows": 12, "penetration": 0.0, "joint_error": 0.0, "audit": Audit(), **told})
    kept = {}
    frame = SimpleNamespace(pace=pace or RealTimePace(1.0, 1.0), paused=paused, report=report, scene="pyramid", step=9, dt=0.01,
                            energy_totals=EnergyTotals())
    return SimpleNamespace(frame=frame, fps=60.0, state=lambda kind: kept.setdefault(kind, kind()))
