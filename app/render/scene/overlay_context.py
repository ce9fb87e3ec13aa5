"""Input of overlays and colours for one picture: frame, transforms, camera, selection. No GL."""

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from app.analysis.forces.tables import CONTACT_CASES, shown_case
from app.camera import Camera
from app.engine.frame import Frame
from app.render.scene.contact_culling import MAX_BOXES, MAX_CONTACTS, ProjectedPoints, shown
from app.render.scene.contact_forces import (
    ARROW_SHARE,
    PressingForces,
    TypicalForce,
    TypicalSpeed,
    of_contacts,
    of_patches,
    pair_keys,
)
from app.render.scene.theme import Theme
from app.render.scene.transforms import (
    BodyTransforms,
    boxes_in_picture,
    contact_points,
    is_dynamic,
    joint_ends,
    joint_points,
    mark_limits,
)
from physics.core.records import Case, Kind

StateT = TypeVar("StateT")
MOVING_SPEED = 1e-4
"""Slower motion counts as rest [m/s], [rad/s]."""


@dataclass(frozen=True)
class Flag:
    """A marked place. at (3,) [m], None: only the path is drawn; colour: sRGB; way (n, 3) [m]: a path beside it."""

    at: np.ndarray | None
    text: str
    colour: tuple[float, float, float]
    opacity: float = 1.0
    path: np.ndarray | None = None


@dataclass
class Highlight:
    """What is pointed out to the user, by index: causes of a warning, the two sides of a sentence; and flags."""

    bodies: tuple[int, ...] = ()
    joints: tuple[int, ...] = ()
    contacts: tuple[int, ...] = ()
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True)
class Ghost:
    """The moving bodies at other poses, translucent: under another solver, or in a comparison.

    pos (n, 3) [m], quat (n, 4): by body index; bodies beyond n are not drawn. colour: sRGB, None: their own.
    """

    pos: np.ndarray
    quat: np.ndarray
    colour: tuple[float, float, float] | None = None
    opacity: float = 0.4


@dataclass(frozen=True)
class PreviewGhost:
    """Translucent preview of a new body: kind of its shape, dims (3,) [m], pos (3,) [m], quat (4,).

    geometry: in the pool, -1: none. path: ends of the dashes (2 n) of its path [m].
    """

    kind: str
    dims: tuple[float, ...]
    pos: tuple[float, ...]
    quat: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    geometry: int = -1
    opacity: float = 0.55
    path: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class ContactGeometry:
    """The contacts of a picture, as felt by the moving body: b, or a where b does not move. Only those shown if there are many.

    index (n,): rows of frame.contacts, ascending; table (n,): these rows; opacity (n,) 0 .. 1 of their marks; pos (n, 3) [m];
    sign (n,) 1: on b, -1: on a; axis (n, 3): unit normal that pushes that body; normal (n,) [N];
    friction (n, 3) [N]; slip (n, 3) [m/s], 0 where it does not slip; case (n,): of CONTACT_CASES; colours (n, 3);
    first (n,): selected, or of the selected body.
    """

    index: np.ndarray
    table: np.ndarray
    opacity: np.ndarray
    pos: np.ndarray
    sign: np.ndarray
    axis: np.ndarray
    normal: np.ndarray
    friction: np.ndarray
    slip: np.ndarray
    case: np.ndarray
    colours: np.ndarray
    first: np.ndarray

    def at(self, contacts: tuple[int, ...]) -> np.ndarray:
        """Positions of contacts of the frame among these; missing ones are left out."""
        wanted = np.unique(np.array(contacts, int))
        where = np.searchsorted(self.index, wanted)
        inside = where < len(self.index)
        return where[inside][self.index[where[inside]] == wanted[inside]]


@dataclass(frozen=True)
class Hinges:
    """The joints of a picture except the mouse's: index (n,) into the table; pos, end (n, 3): their points on a and b [m];
    axes (n, 3): z of the joint frame in a; kind (n,)."""

    index: np.ndarray
    pos: np.ndarray
    end: np.ndarray
    axes: np.ndarray
    kind: np.ndarray


@dataclass
class OverlayContext:
    """selection: anything with body, joint, contact (numbers, -1: none). camera, width, height [px]: None: nothing is culled by
    size. cursor: [px] from the bottom left, None: not over the picture. density: see Renderer.draw. tints: as in instances.fill.
    states: state that overlays keep between pictures."""

    frame: Frame
    placed: BodyTransforms
    view: Any
    theme: Theme
    selection: Any = None
    drag: Any = None
    camera: Camera | None = None
    width: int = 0
    height: int = 0
    cursor: tuple[float, float] | None = None
    density: float = 1.0
    highlight: Highlight = field(default_factory=Highlight)
    tints: np.ndarray | None = None
    ghosts: tuple[Ghost | PreviewGhost, ...] = ()
    states: dict[type, Any] = field(default_factory=dict)

    def state(self, kind: type[StateT]) -> StateT:
        """An overlay's own state: one object of `kind` for the life of the renderer."""
        if kind not in self.states:
            self.states[kind] = kind()
        return self.states[kind]

    def memory(self, kind: type[StateT]) -> StateT:
        """Former name of `state`, for overlays of earlier versions."""
        warnings.warn("OverlayContext.memory: use OverlayContext.state", FutureWarning, stacklevel=2)
        return self.state(kind)

    def chosen(self, what: str) -> int:
        """Index of the selected body, joint or contact; -1 if none."""
        return int(getattr(self.selection, what)) if self.selection is not None else -1

    def pixel(self, points: np.ndarray) -> np.ndarray:
        """Width of a pixel at points (n, 3) [m]; 0 without a camera."""
        if self.camera is None:
            return np.zeros(len(points))
        depth = (points - self.camera.eye) @ self.camera.axes()[2]
        return self.camera.pixel_size(self.height) * np.maximum(depth, 0.0) * self.density

    @cached_property
    def facing(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Unit vectors right, up and towards the eye."""
        right, up, forward = self.camera.axes() if self.camera is not None else np.eye(3)[[0, 2, 1]]
        return right, up, -forward

    def near(self, points: np.ndarray, chosen: np.ndarray, most: int = MAX_BOXES) -> tuple[np.ndarray, np.ndarray]:
        """(indices of the points (n, 3) that get a box or a name, opacity of each): of many the nearest, and `chosen` (n,)."""
        if len(points) <= most or self.camera is None:
            return np.arange(len(points)), np.ones(len(points), np.float32)
        return shown(points, self.camera, self.width, self.height, np.flatnonzero(chosen), most)

    @cached_property
    def typical_size(self) -> float:
        """A typical half size of the moving bodies [m]."""
        build = self.placed.build
        moving = is_dynamic(self.frame, build.body)
        sizes = build.sizes[moving] if moving.any() else build.sizes
        sizes = sizes[sizes > 0.0]
        return float(np.median(sizes)) if len(sizes) else 0.3

    @cached_property
    def force_length(self) -> float:
        """Length of an arrow per newton [m/N]: that of the scene's typical force is ARROW_SHARE of the picture's height, times
        the user's factor."""
        force = self.state(TypicalForce).of(self.frame, self.view.corners)
        return self.view.force_scale * ARROW_SHARE * self._shown_height / force

    @property
    def _shown_height(self) -> float:
        """Height of the picture at the camera's target [m]."""
        return self.camera.shown_height if self.camera is not None else 20.0 * self.typical_size

    @cached_property
    def velocity_length(self) -> float:
        """Length of an arrow per m/s [s]: that of the scene's typical speed is as long as that of its typical force."""
        speed = self.state(TypicalSpeed).of(self.frame, self._shown_height)
        return self.view.velocity_scale * ARROW_SHARE * self._shown_height / speed

    @cached_property
    def spin_length(self) -> float:
        """Length of an arrow per rad/s [m s]: a typical body's rim is as fast as its arrow of velocity would be long."""
        return self.view.spin_scale * self.velocity_length / self.view.velocity_scale * self.typical_size

    @cached_property
    def torque_length(self) -> float:
        """Length of an arrow per newton metre [1/N]: the typical force at a typical body's radius is as long as the force."""
        return self.view.torque_scale * self.force_length / (self.view.force_scale * self.typical_size)

    @cached_property
    def body_boxes(self) -> tuple[np.ndarray, np.ndarray]:
        """(moving bodies that are before the camera (n,), boxes around them in the picture (n, 4): x0, y0, x1, y1 [px])."""
        return boxes_in_picture(self.frame, self.placed, self.moving, self.camera, self.width, self.height)

    def mark_sizes(self, bodies: np.ndarray, size: Any) -> np.ndarray:
        """Sizes of marks on bodies (n,), at most `size` [px]: smaller on bodies that are small in the picture."""
        if self.camera is None:
            return np.broadcast_to(np.asarray(size, float), len(bodies))
        return np.minimum(size, mark_limits(*self.body_boxes, len(self.frame.bodies))[bodies] / self.density)

    @cached_property
    def moving(self) -> np.ndarray:
        """Visible dynamic and kinematic bodies."""
        moving = np.flatnonzero(self.frame.bodies["kind"] >= Kind.KINEMATIC)
        return moving[~np.isin(moving, self.frame.hidden)] if self.frame.hidden else moving

    @cached_property
    def touching(self) -> ContactGeometry:
        """Geometry of the shown contacts."""
        c, body = self.frame.contacts, self.chosen("body")
        index, opacity = np.arange(len(c)), np.ones(len(c), np.float32)
        if len(c) > MAX_CONTACTS and self.camera is not None:
            wanted = [self.chosen("contact"), *self.highlight.contacts]
            if body > 0:
                wanted.extend(np.flatnonzero((c["body_a"] == body) | (c["body_b"] == body)))
            index, opacity = shown(self.state(ProjectedPoints).of(self.frame), self.camera, self.width, self.height,
                                   np.array(wanted))
            c = np.take(c, index)   # c[index] copies records field by field, twenty times slower
        return self._geometry(c, index, opacity)

    @cached_property
    def pressing(self) -> PressingForces:
        """Forces of contacts, for arrows and cones: of pairs of bodies, or of each contact."""
        seen = self.touching
        if self.view.corners:
            return of_contacts(seen, np.flatnonzero(seen.normal > 0.0))
        if len(seen.index) < len(self.frame.contacts):      # a sum counts all contacts of a pair
            index = np.flatnonzero(np.isin(pair_keys(self.frame.contacts), pair_keys(seen.table)))
            seen = self._geometry(np.take(self.frame.contacts, index), index, np.ones(len(index), np.float32))
        return of_patches(seen, self._case_colours)

    @property
    def _case_colours(self) -> np.ndarray:
        return np.array([self.theme.case(k) for k in CONTACT_CASES])

    def _geometry(self, c: np.ndarray, index: np.ndarray, opacity: np.ndarray) -> ContactGeometry:
        """Geometry of contacts c, rows `index` of the frame's."""
        acting, body = self.frame.impulse_duration, self.chosen("body")
        sign = np.where(is_dynamic(self.frame, c["body_b"]), 1.0, -1.0)
        case, slips = shown_case(c), c["case"] == Case.SLIP
        first = index == self.chosen("contact")
        if body > 0:
            first |= (c["body_a"] == body) | (c["body_b"] == body)
        return ContactGeometry(
            index=index, table=c, opacity=opacity, pos=contact_points(self.frame, self.placed.body_pos, self.placed.body_quat, c),
            sign=sign, axis=c["normal"] * sign[:, None], normal=c["impulse"] / acting,
            friction=c["friction_impulse"] * (sign / acting)[:, None], slip=c["slip"] * (sign * slips)[:, None], case=case,
            colours=self._case_colours[case], first=first)

    @cached_property
    def hinges(self) -> Hinges:
        """Points and axes of the joints."""
        index, points, axes = joint_points(self.frame, self.placed.body_pos, self.placed.body_quat)
        ends = joint_ends(self.frame, index, self.placed.body_pos, self.placed.body_quat)
        return Hinges(index, points, ends, axes, self.frame.joints["kind"][index])
