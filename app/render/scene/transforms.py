"""Transforms of one picture: interpolated poses of shapes, joint points, sizes. numpy only, no GL."""

import copy
from collections.abc import Iterable
from functools import cache, cached_property

import numpy as np

from app.camera import Camera
from app.engine.frame import Frame
from app.render.scene.shape_cache import MeshGroup, bounding, cached, grouped, of_kind
from physics import joints
from physics.core.quaternions import conjugate, product, rotate
from physics.core.records import Kind

BOX_CORNERS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
"""Of a box, in half sizes."""
MARK_SHARE, MIN_MARK = 0.3, 4.5
"""Largest size of a mark as a share of its body's width in the picture; size below which none falls [px]."""


@cache
def joint_kinds() -> dict[str, joints.JointKind]:
    """All kinds of joints by name; cached, since listing their folder takes longer than drawing them."""
    return joints.kinds()


class BodyTransforms:
    """The shapes in use of a frame at one blend.

    index (n,): rows of frame.shapes; body, kind (n,); pos (n, 3) [m]; quat (n, 4) shape to world; dims (n, 3) [m];
    body_pos, body_quat: poses of all bodies; build: their cached part, None if shapes are left out or repeated.
    """

    def __init__(self, frame: Frame, blend: float = 1.0) -> None:
        self.body_pos, self.body_quat = frame.poses(blend)
        self.build = build = cached(frame)
        self.index, self.body, self.kind, self.geometry = build.index, build.body, build.kind, build.geometry
        self.dims, self.rounding, self.names, self.pool = build.dims, build.rounding, build.names, build.pool
        self.quat = self.body_quat.take(self.body, axis=0)
        self.pos = self.body_pos.take(self.body, axis=0)
        if build.local is not None:
            self.pos += rotate(self.quat, build.local)
        if build.turned is not None:
            self.quat = product(self.quat, build.turned)

    @classmethod
    def repeated(cls, frame: Frame, placed: "BodyTransforms", rows: np.ndarray, pos: np.ndarray,
              quat: np.ndarray) -> "BodyTransforms":
        """Some shapes of `placed`, repeated with their bodies at other poses (times, bodies, 3) and (.., 4)."""
        out = copy.copy(placed)
        out.build = None
        out.__dict__.pop("planes", None)
        for name in ("index", "body", "kind", "dims", "geometry", "rounding"):
            value = getattr(placed, name)[rows]
            setattr(out, name, np.tile(value, (len(pos), *[1] * (value.ndim - 1))))
        own = placed.body[rows]
        table = frame.shapes[out.index]
        turn = quat[:, own].reshape(-1, 4)
        out.pos = pos[:, own].reshape(-1, 3) + rotate(turn, table["local_pos"])
        out.quat = product(turn, table["local_quat"])
        return out

    @classmethod
    def joined(cls, parts: list["BodyTransforms"]) -> "BodyTransforms":
        """The shapes of several, of one frame, concatenated."""
        if len(parts) == 1:
            return parts[0]
        out = copy.copy(parts[0])
        out.build = None
        out.__dict__.pop("planes", None)
        for name in ("index", "body", "kind", "dims", "geometry", "rounding", "pos", "quat"):
            setattr(out, name, np.concatenate([getattr(part, name) for part in parts]))
        return out

    def of(self, name: str) -> np.ndarray:
        """Indices of the shapes of that kind."""
        return self.build.of(name) if self.build is not None else of_kind(self.kind, name, self.names)

    def groups(self) -> Iterable[MeshGroup]:
        """(key, mesh, indices of its shapes), for every mesh in use that has triangles."""
        return self.build.groups if self.build is not None else grouped(self.kind, self.geometry, self.names, self.pool)

    def radii(self) -> np.ndarray:
        """A bounding radius of each shape about its centre (n,) [m]; inf for planes."""
        return self.build.radii if self.build is not None else bounding(self.dims, self.rounding, self.groups())

    @cached_property
    def planes(self) -> tuple[np.ndarray, np.ndarray]:
        """(unit normals (n, 3), offsets along them (n,) [m]) of the planes, in the order of `of`."""
        planes = self.of("plane")
        w, x, y, z = self.quat[planes].T
        normals = np.stack([2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)], axis=-1)
        return normals, np.einsum("ij,ij->i", normals, self.pos[planes])


def joint_points(frame: Frame, pos: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(index, points, axes) of the joints in use, world frame; the axis is z of the joint frame in body a.

    pos (n, 3), quat (n, 4): poses of all bodies. Mouse joints are left out.
    """
    table = frame.joints
    index = np.flatnonzero((table["kind"] >= 0) & ~joints.pulled(frame.joint_kinds)[table["kind"]])
    a = table["body_a"][index]
    turned = product(quat[a], table["frame_a"][index])
    z = np.broadcast_to(np.array([0.0, 0.0, 1.0]), (len(index), 3))
    return index, pos[a] + rotate(quat[a], table["anchor_a"][index]), rotate(turned, z)


def joint_ends(frame: Frame, index: np.ndarray, pos: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """Anchors of some joints on their second bodies (n, 3), world frame."""
    b = frame.joints["body_b"][index]
    return pos[b] + rotate(quat[b], frame.joints["anchor_b"][index])


def contact_points(frame: Frame, pos: np.ndarray, quat: np.ndarray, some: np.ndarray | None = None) -> np.ndarray:
    """Points of the contacts (n, 3), or of some rows of them, when the bodies are at these poses.

    Each moves with the moving body that it pushes, from where the last step found it.
    """
    c = frame.contacts if some is None else some
    found = contact_poses(frame)
    if len(c) == 0 or found is None:
        return c["pos"]
    body = np.where(is_dynamic(frame, c["body_b"]), c["body_b"], c["body_a"])
    if body.max() >= len(found[0]):
        return c["pos"]
    turn = product(quat[body], conjugate(found[1][body]))
    return pos[body] + rotate(turn, c["pos"] - found[0][body])


def contact_poses(frame: Frame) -> tuple[np.ndarray, np.ndarray] | None:
    """The poses (n, 3) [m], (n, 4) of all bodies at which the last step found its contacts: at its start; with the exact solver
    at its last round, near the end except for the first. None: there was no step."""
    solved = frame.report.solved if frame.report is not None else None
    if solved is not None and solved.rounds != 1:
        return frame.bodies["pos"], frame.bodies["quat"]
    return (frame.step_start.pos, frame.step_start.quat) if frame.step_start is not None else None


def is_dynamic(frame: Frame, body: np.ndarray) -> np.ndarray:
    """Mask of the dynamic bodies."""
    return frame.bodies["kind"][body] == Kind.DYNAMIC


def boxes_in_picture(frame: Frame, placed: BodyTransforms, moving: np.ndarray, camera: Camera, width: float,
                     height: float) -> tuple[np.ndarray, np.ndarray]:
    """(those of the bodies `moving` that are before the camera (n,), boxes around them in the picture (n, 4) [px]:
    x0, y0, x1, y1)."""
    radii = placed.radii()
    rows = np.flatnonzero(np.isfinite(radii) & np.isin(placed.body, moving))
    span = 0.5 * (frame.shapes["hi"] - frame.shapes["lo"])[placed.index[rows]]
    half = np.where(span > 0.0, np.minimum(radii[rows, None], span), radii[rows, None])     # no step has found the bounds yet
    corners = placed.pos[rows, None] + half[:, None] * BOX_CORNERS
    seen = camera.project(corners.reshape(-1, 3), width, height).reshape(-1, 8, 3)
    before = (seen[:, :, 2] > 0.0).all(axis=1)
    bodies, first = np.unique(placed.body[rows[before]], return_inverse=True)
    boxes = np.tile([np.inf, np.inf, -np.inf, -np.inf], (len(bodies), 1))
    np.minimum.at(boxes[:, :2], first, seen[before, :, :2].min(axis=1))
    np.maximum.at(boxes[:, 2:], first, seen[before, :, :2].max(axis=1))
    return bodies, boxes


def mark_limits(bodies: np.ndarray, boxes: np.ndarray, count: int) -> np.ndarray:
    """Largest sizes of marks on each of `count` bodies [px], so that much of a small body stays free; inf for others than
    `bodies` (n,), whose boxes in the picture are (n, 4)."""
    limits = np.full(count, np.inf)
    limits[bodies] = np.maximum(MIN_MARK, MARK_SHARE * (boxes[:, 2:] - boxes[:, :2]).min(axis=1))
    return limits
