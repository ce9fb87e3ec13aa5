"""A motion as one HTML file that any browser plays, without a network: bodies, contact forces and plots.

The page is assets/player/player.html with its data put in: texts as JSON, numbers as deflated float32, of plots float64.
"""

import base64
import html
import json
import math
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.camera import Camera
from app.render.scene.contact_forces import ARROW_SHARE
from app.render.scene.shape_cache import meshes, own_mesh, shape_kinds
from app.render.scene.theme import DARK
from physics import BadInput, World, step
from physics.core.quaternions import rotate
from physics.core.records import Kind
from scenes import Scene, Trace, find_quantity, predicted_and_measured

PLAYER = Path(__file__).resolve().parents[2] / "assets" / "player" / "player.html"

MAX_FRAMES = 36_000
"""Largest number of frames: ten minutes of 60 a second."""

IN_TIME = 1e-6
"""Share of a frame's time by which a step may end before it and still be its picture: sums of rounded steps."""

MAX_CONTACTS = 2_000_000
"""Largest number of recorded contacts, of all frames: 80 MB before packing."""

GROUND_SIZE = 200.0
"""Half side of the square drawn for a plane [m]."""


class MotionRecorder:
    """Records a world for the page: call `record` at each frame."""

    def __init__(self, world: World, keys: Sequence[str], scene: Scene | None = None) -> None:
        self.world, self.times = world, []
        self.moving = np.flatnonzero((world.bodies["kind"] == Kind.DYNAMIC) | (world.bodies["kind"] == Kind.KINEMATIC))
        self._numbers = {key: find_quantity(world, key, scene) for key in keys}
        self.traces: Trace = {key: [] for key in ("time", *self._numbers)}
        self._poses: list[np.ndarray] = []
        self._contacts: list[np.ndarray] = []
        self.record()

    def record(self) -> None:
        """Add the present state as a frame."""
        world = self.world
        self.times.append(world.time)
        moving = world.bodies[self.moving]
        self._poses.append(np.hstack([moving["pos"], moving["quat"]]).astype(np.float32))
        self.traces["time"].append(world.time)
        for key, number in self._numbers.items():
            self.traces[key].append(number.read(world))
        self._contacts.append(_forces(world) if world.steps else np.empty((0, 10), np.float32))

    @property
    def poses(self) -> np.ndarray:
        """Position [m] and quaternion (w, x, y, z) of each moving body in each frame, shape (frames, moving, 7) float32."""
        return np.array(self._poses)

    @property
    def contacts(self) -> int:
        """Number of contacts recorded in all frames."""
        return sum(map(len, self._contacts))

    def page(self, scene: Scene, how: str, predictions: Sequence[Sequence[str]] = ()) -> str:
        """The page. how: how the motion was made, in words; predictions: rows of (name, predicted, measured)."""
        corners, normals, triangles, bodies = drawn_bodies(self.world, self.moving)
        packed = {"motion": np.concatenate(self._poses), "contacts": np.concatenate(self._contacts),
                  "starts": np.cumsum([0, *map(len, self._contacts)]).astype(np.uint32),
                  "traces": np.array([self.traces[key] for key in self._numbers], float),
                  "corners": corners, "normals": normals, "triangles": triangles}
        weights = self.world.bodies["mass"][self.world.bodies["kind"] == Kind.DYNAMIC] * max(1.0, _size(self.world.gravity))
        typical = float(np.median(weights)) if len(weights) else 1.0
        camera = Camera()
        camera.set_view(scene.view)
        about = {
            "title": scene.title, "look_for": scene.look_for, "law": scene.law_text, "how": how,
            "predictions": [list(row) for row in predictions],
            "frames": len(self.times), "moving": len(self.moving), "times": self.times, "bodies": bodies,
            "view": {"target": list(scene.view.target), "distance": scene.view.distance, "azimuth": scene.view.azimuth,
                     "elevation": scene.view.elevation},
            "force_scale": ARROW_SHARE * camera.shown_height / typical,
            "curves": [{"label": number.header} for number in self._numbers.values()],
            **{name: _pack(array) for name, array in packed.items()}}
        data = json.dumps(about, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
        template = PLAYER.read_text(encoding="utf-8")
        return template.replace("__TITLE__", html.escape(scene.title)).replace("__DATA__", data)


def record_run(scene: Scene, world: World, seconds: float, dt: float, fps: float,
               progress: Callable[[int], Iterable[int]] = range) -> MotionRecorder:
    """Step a scene's world and record it.

    Args:
        seconds: simulated time [s]; dt: step [s]. fps: frames per simulated second. progress: iterates over that many steps.

    Raises:
        BadInput: a time or rate out of its range, or too many frames or contacts for a file.
    """
    if not (0.0 <= seconds < math.inf and 0.0 < dt < math.inf and 0.0 < fps < math.inf):
        raise BadInput(f"{seconds:g} s in steps of {dt:g} s at {fps:g} frames per second cannot be recorded: steps and frames "
                       "must be positive")
    count = round(seconds / dt)
    frames = min(count, round(seconds * fps))
    if frames > MAX_FRAMES:
        raise BadInput(f"{frames:,} frames are too many for a file; allowed: {MAX_FRAMES:,}: reduce the seconds or the "
                       "frames per second")
    motion = MotionRecorder(world, scene.plots, scene)
    for n in progress(count):
        step(world, dt)
        if math.floor((n + 1) * dt * fps + IN_TIME) > math.floor(n * dt * fps + IN_TIME):
            motion.record()
        if motion.contacts > MAX_CONTACTS:
            raise BadInput(f"more than {MAX_CONTACTS:,} contacts are too many for a file: reduce the seconds or the frames per "
                           "second")
    return motion


def page_of_run(scene: Scene, parameters: Any, motion: MotionRecorder, dt: float) -> str:
    """The page of a scene's recorded run. parameters: with which its world was made, for the predictions; dt: step [s]."""
    world = motion.world
    how = f"{world.steps} steps of {dt:.6g} s with {world.solver.name}, {len(motion.times)} frames"
    rows = [(prediction.name, prediction.text(prediction.value), prediction.text(measured))
            for prediction, measured in predicted_and_measured(scene, parameters, world, motion.traces)]
    return motion.page(scene, how, rows)


def _size(v: np.ndarray) -> float:
    return float(np.linalg.norm(v))


def _pack(array: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 9)).decode("ascii")


def _forces(world: World) -> np.ndarray:
    """(n, 10) float32 of the contacts that press: point [m], normal force and friction [N] on the second body, or on the first if
    the second does not move, coefficient."""
    found = world.contacts
    found = found[found["impulse"] > 0.0]
    side = np.where(world.bodies["kind"][found["body_b"]] == Kind.DYNAMIC, 1.0, -1.0) / world.impulse_duration
    pressing = found["normal"] * (side * found["impulse"])[:, None]
    rubbing = found["friction_impulse"] * side[:, None]
    return np.hstack([found["pos"], pressing, rubbing, found["friction"][:, None]]).astype(np.float32)


def drawn_bodies(world: World, moving: np.ndarray, ground: float = GROUND_SIZE) -> tuple[np.ndarray, np.ndarray, np.ndarray,
                                                                                         list[dict[str, Any]]]:
    """(corners (n, 3), normals (n, 3), triangles (m, 3) counted within each body, what the page knows of each body). ground: half
    side of the square drawn for a plane [m]."""
    corners, normals, triangles, bodies = [np.empty((0, 3))], [np.empty((0, 3))], [np.empty((0, 3), int)], []
    place = {int(body): k for k, body in enumerate(moving)}
    ends = [0, 0]
    for body in np.flatnonzero(world.bodies["kind"] != Kind.FREE).tolist():
        own = np.flatnonzero(world.shapes["body"] == body)
        parts = [_mesh(world, shape, ground) for shape in world.shapes[own]]
        if not parts:
            continue
        counts = np.cumsum([0, *(len(part[0]) for part in parts)])
        begin = list(ends)
        ends = [ends[0] + int(counts[-1]), ends[1] + sum(len(part[2]) for part in parts)]
        corners += [part[0] for part in parts]
        normals += [part[1] for part in parts]
        triangles += [part[2] + start for part, start in zip(parts, counts[:-1].tolist(), strict=True)]
        record = world.bodies[body]
        bodies.append({"name": world.body_names[body], "moving": place.get(body, -1), "colour": _colour(record, body),
                       "pose": [*record["pos"].tolist(), *record["quat"].tolist()],
                       "grid": any(world.shape_kinds[kind] == "plane" for kind in world.shapes["kind"][own]),
                       "vertices": [begin[0], ends[0]], "triangles": [begin[1], ends[1]]})
    return (np.vstack(corners).astype(np.float32), np.vstack(normals).astype(np.float32), np.vstack(triangles).astype(np.uint32),
            bodies)


def _colour(record: np.void, body: int) -> list[float]:
    """Of a body, as in the window."""
    if record["kind"] != Kind.DYNAMIC:
        return list(DARK.static)
    group = int(record["group"])
    return list(DARK.bodies[(group - 1 if group > 0 else body) % len(DARK.bodies)])


def _mesh(world: World, shape: np.void, ground: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(corners, normals, triangles) of a shape in the frame of its body."""
    name = world.shape_kinds[shape["kind"]]
    if name == "plane":
        points = ground * np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 1.0, 0.0)])
        faces, outward = np.array([(0, 1, 2), (0, 2, 3)]), np.tile((0.0, 0.0, 1.0), (4, 1))
    else:
        mesh = own_mesh(name, world.pool, int(shape["geometry"])) if shape_kinds()[name].geometric else meshes()[name]
        points, outward, faces = mesh.basis @ shape["dims"], mesh.normals, mesh.triangles
        if mesh.stretch is not None:
            outward = outward / np.maximum(shape["dims"][list(mesh.stretch)], 1e-12)
            outward = outward / np.linalg.norm(outward, axis=1, keepdims=True)
        points = points + shape["rounding"] * outward
    quat = shape["local_quat"]
    return rotate(quat, points) + shape["local_pos"], rotate(quat, outward), faces
