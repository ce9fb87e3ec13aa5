"""Overlay primitives as arrays of instances: marks, arrows, lines, sectors, cones; and numbers. numpy only, no GL."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import RGB
from app.render.scene.transforms import BodyTransforms

RING, SQUARE, ARROW, DISC, JOINT, HALO, QUARTERS = range(7)
"""Shapes of marks, as in mark.frag."""
MIN_ARROW = 1.0
"""Shorter arrows are not drawn [px]."""
WIDTHS = {"arrows": 12, "lines": 12, "marks": 12, "cones": 16, "sectors": 20}
"""Floats per instance of each kind."""
PIXELS = {"arrows": 7, "lines": 3, "marks": 3}
"""Index of the float that is measured in pixels."""
MAX_ARROW = 2.0 / 3.0
"""Twice the longest arrow of arrow.vert, as a fraction of the picture's height."""


@dataclass(frozen=True)
class TextLabel:
    """Texts requested at points (n, 3) [m]; labels.py places as many as fit.

    values (n,) with a unit, or texts (n,). weight (n,): larger ones take precedence; first (n,): before all others.
    lift: offset above the point [px]. most: limit of these labels. bodies (n,): to which they belong, which numbers do not cover;
    starts (n, 3): of the arrows whose tips the points are, which they do not cover either.
    """

    points: np.ndarray
    colour: tuple[float, float, float]
    weight: np.ndarray
    first: np.ndarray
    values: np.ndarray | None = None
    unit: str = ""
    texts: Any = None
    lift: float = 0.0
    most: int = 40
    bodies: np.ndarray | None = None
    starts: np.ndarray | None = None


@dataclass(frozen=True)
class GhostBodies:
    """Translucent bodies: shapes at other poses, and their instances (n, 16) as of instances.fill, flags: opacity."""

    placed: BodyTransforms
    instances: np.ndarray


class DrawList:
    """Collects instances. `array(kind)`: (n, WIDTHS[kind]) float32."""

    def __init__(self, context: OverlayContext) -> None:
        self.context = context
        self.words: list[TextLabel] = []
        self.ghosts: list[GhostBodies] = []
        self.shows_forces = False
        self.meanings: dict[str, RGB] = {}      # of the arrows, with their colours
        self._parts: dict[str, list[np.ndarray]] = {kind: [] for kind in WIDTHS}

    @property
    def ghost(self) -> GhostBodies | None:
        """All ghosts merged, so that each mesh is drawn once; None if there are none."""
        if not self.ghosts:
            return None
        return GhostBodies(BodyTransforms.joined([ghost.placed for ghost in self.ghosts]),
                           np.concatenate([ghost.instances for ghost in self.ghosts]))

    def array(self, kind: str) -> np.ndarray:
        """All instances of a kind; pixel sizes are scaled by the density of the screen."""
        parts = self._parts[kind]
        out = np.concatenate(parts) if parts else np.zeros((0, WIDTHS[kind]), np.float32)
        if kind in PIXELS:
            out[:, PIXELS[kind]] *= self.context.density
        return out

    def force(self, start: np.ndarray, force: np.ndarray, colour: Any, pixels: float, *, unit: str = "N",
              first: np.ndarray | None = None, bodies: np.ndarray | None = None, numbers: bool = True, meaning: str = "") -> None:
        """Add arrows of forces (n, 3) [N] on `bodies` (n,), in the scale of the picture, with numbers at their tips. meaning: in
        the legend."""
        size = np.sqrt(np.einsum("ij,ij->i", force, force))
        k = np.flatnonzero(size > 0.0)
        self.shows_forces |= len(k) > 0
        self.arrow(start[k], force[k] * self.context.force_length, colour, pixels, values=size[k] if numbers else None, unit=unit,
                   first=None if first is None else first[k], bodies=None if bodies is None else bodies[k], meaning=meaning)

    def arrow(self, start: np.ndarray, vector: np.ndarray, colour: Any, pixels: float, head: float = 1.0, *,
              values: np.ndarray | None = None, unit: str = "", first: np.ndarray | None = None,
              bodies: np.ndarray | None = None, meaning: str = "") -> None:
        """Add arrows from `start` along `vector` (n, 3) [m]; head 0: rods. values (n,): numbers at their tips; first (n,): those
        that take precedence; bodies (n,): to which they belong. meaning: in the legend."""
        pixel = self.context.pixel(start)
        size = np.sqrt(np.einsum("ij,ij->i", vector, vector))
        long = np.flatnonzero((size >= MIN_ARROW * pixel) & (size > 0.0))
        start, vector = start[long], vector[long]
        colour = colour[long] if np.ndim(colour) > 1 else colour
        if meaning and len(long):
            self.meanings[meaning] = colour
        self._add("arrows", (start, head, vector, pixels, colour, 1.0))
        if values is not None and self.context.view.numbers:
            most = 0.5 * MAX_ARROW * self.context.height * pixel[long] / self.context.density
            share = np.minimum(1.0, most / size[long]) if self.context.camera is not None else np.ones(len(long))
            tips = start + vector * share[:, None]
            self.number(tips, values[long], unit, colour, None if first is None else first[long],
                        None if bodies is None else bodies[long], start)

    def number(self, points: np.ndarray, values: np.ndarray, unit: str, colour: Any, first: np.ndarray | None = None,
               bodies: np.ndarray | None = None, starts: np.ndarray | None = None) -> None:
        """Add numbers with a unit at points (n, 3), drawn as far as they fit; beside `bodies` (n,), to which they belong, and
        beside the arrows from `starts` (n, 3) whose tips these points are."""
        if len(points):
            plain = tuple(np.asarray(colour, float).reshape(-1, 3)[0])
            self.words.append(TextLabel(points, plain, np.abs(values), np.zeros(len(points), bool) if first is None else first,
                                        values, unit, lift=10.0, bodies=bodies, starts=starts))

    def line(self, start: np.ndarray, end: np.ndarray, colour: Any, pixels: float, alpha: Any = 1.0) -> None:
        """Add lines of constant width (n, 3) to (n, 3) [m]."""
        self._add("lines", (start, pixels, end, 0.0, colour, alpha))

    def mark(self, pos: np.ndarray, size: Any, shape: Any, colours: Any, heading: np.ndarray | float = 0.0,
             alpha: Any = 1.0) -> None:
        """Add marks that face the camera; size [px]."""
        self._add("marks", (pos, size, np.broadcast_to(heading, pos.shape), shape, colours, alpha))

    def cone(self, pos: np.ndarray, axis: np.ndarray, tangent: np.ndarray, height: np.ndarray, mu: np.ndarray,
             colours: np.ndarray) -> None:
        """Add friction cones; height [m]."""
        self._add("cones", (pos, height, axis, mu * height, tangent, 1.0, colours, 1.0))

    def sector(self, centre: np.ndarray, x: np.ndarray, z: np.ndarray, outer: Any, first: Any, last: Any, colour: Any,
               alpha: Any = 1.0, *, inner: Any = 0.0, tilt: Any = np.pi / 2.0) -> None:
        """Add sectors of a disc about z, between two angles [rad] from x, and two radii [m]; tilt: angle from z, below
        a right angle for a sector of a cone."""
        out = self._room("sectors", len(centre))
        out[:, 0:3], out[:, 3] = centre, outer
        out[:, 4:7], out[:, 7] = x, inner
        out[:, 8:11], out[:, 11] = z, tilt
        out[:, 12], out[:, 13] = first, last
        out[:, 16:19], out[:, 19] = colour, alpha

    def _add(self, kind: str, values: tuple) -> None:
        """Append instances of vec4s from alternating vectors (n, 3) and numbers."""
        out = self._room(kind, len(values[0]))
        for k in range(0, len(values), 2):
            out[:, 2 * k : 2 * k + 3], out[:, 2 * k + 3] = values[k], values[k + 1]

    def _room(self, kind: str, count: int) -> np.ndarray:
        out = np.zeros((count, WIDTHS[kind]), np.float32)
        self._parts[kind].append(out)
        return out
