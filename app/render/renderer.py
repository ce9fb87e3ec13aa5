"""Draws a frame: maps of the sun and the floor, sky, bodies, floors, overlays. A constant number of draw calls."""

from typing import Any

import numpy as np
from pyglet import gl

from app.camera import Camera
from app.frame import Frame
from app.render import primitives, uniforms
from app.render.bodies import Bodies, fill, selected_body
from app.render.gl import Block, DepthMap, Instanced, Mask, Program, Triangle, integers, renderer_name
from app.render.overlay import Drag, Overlay, find_drag
from app.render.place import Placed
from app.render.theme import theme
from app.view import ViewOptions

QUALITY = {"high": ((2048, 512), (12, 20, 24)), "low": ((1024, 256), (5, 9, 9))}
"""Texels of the sun's map and the height map; samples of shadows (search, edge) and of the darkening near the floor."""
SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "software")
PICTURE, SUN_MAP, HEIGHT_MAP, MASK = range(4)
GHOST, GHOST_MARK = 0.45, 0.30
"""Opacity of arrows and cones, and of marks, behind bodies."""
OUTLINE = 2.0
"""Thickness of the line around the selected body [px]."""


class Renderer:
    """Owns the GL objects of one context, which must be current when it is made and used.

    quality: "high", "low", or "auto": low where the processor does the drawing.
    """

    def __init__(self, quality: str = "auto") -> None:
        if quality not in QUALITY:
            quality = "low" if any(word in renderer_name().lower() for word in SOFTWARE) else "high"
        self.quality = quality
        self._sizes, self._taps = QUALITY[quality]
        maps = {"sun_map": 0, "sun_depth": 1}
        self._sky, self._arrow = Program("sky"), Program("arrow")
        self._marker, self._cone = Program("marker"), Program("cone")
        self._body = Program("body", shadows=True, textures=maps)
        self._floor = Program("floor", shadows=True, textures={**maps, "height_map": 2})
        self._outline, self._mask = Program("outline", textures={"mask": 0}), Mask()
        self._block, self._triangle = Block(), Triangle()
        self._sun_map, self._height_map = DepthMap(self._sizes[0]), DepthMap(self._sizes[1])
        self._bodies = Bodies()
        self._floors = Instanced(*primitives.quad(), 3)
        self._marks = Instanced(*primitives.quad(), 3)
        self._arrows = Instanced(*primitives.arrow(), 3)
        self._cones: dict[int, Instanced] = {}

    def draw(self, frame: Frame, camera: Camera, view: ViewOptions, width: int, height: int, now: float, *,
             selection: Any = None, drag: Drag | None = None, facets: int = 0, hover: int = -1,
             corner: tuple[int, int] = (0, 0), density: float = 1.0) -> None:
        """Draw into the current framebuffer.

        Args:
            width, height: of the picture [framebuffer pixels]; corner: its lower left one.
            now: perf_counter [s], for poses between two steps.
            selection: anything with body, joint, contact (numbers, -1: none).
            drag: the mouse spring; None: the one found among the joints.
            facets: of the solver's friction cone; 0: the circle.
            hover: the body under the cursor, -1 if none.
            density: framebuffer pixels per unit of the desktop, 2 on many laptops: marks and lines grow with it.
        """
        if width < 1 or height < 1:
            return
        colours = theme(view.theme)
        placed = Placed(frame, frame.blend(now))
        floor = uniforms.nearest_floor(placed, camera.seen_target)
        held = uniforms.fit(placed, placed.radii(), camera)
        self._block.upload(uniforms.pack(camera, colours, width, height, held, floor, view.shadows, self._sizes,
                                         self._taps))
        chosen = selected_body(selection)
        instances = fill(frame, placed, colours, chosen, hover)
        self._bodies.upload(instances, placed)
        target = integers(gl.GL_DRAW_FRAMEBUFFER_BINDING, 1)[0]
        self._prepare()
        if view.shadows:
            self._draw_maps(floor is not None)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
        gl.glViewport(*corner, width, height)
        self._draw_scene(placed, camera, floor, view.wireframe)
        if 0 <= chosen < len(frame.bodies):
            self._draw_outline(instances, placed, chosen, target, (*corner, width, height), OUTLINE * density)
        overlay = Overlay(frame, placed, view, colours, selection, drag or find_drag(frame, placed), camera.axes()[2])
        overlay.magnify(density)
        self._draw_overlay(overlay, facets)
        self._restore()

    def delete(self) -> None:
        """Free the GL objects; the context must be current."""
        for part in (self._sky, self._arrow, self._marker, self._cone, self._body, self._floor, self._outline, self._mask,
                     self._block, self._triangle, self._sun_map, self._height_map, self._bodies, self._floors, self._marks,
                     self._arrows, *self._cones.values()):
            part.delete()

    # ---- passes

    def _draw_maps(self, floor: bool) -> None:
        gl.glDisable(gl.GL_CULL_FACE)
        self._body.use(target=SUN_MAP)
        self._sun_map.begin()
        self._bodies.draw()
        if floor:
            self._body.use(target=HEIGHT_MAP)
            self._height_map.begin()
            self._bodies.draw()

    def _draw_scene(self, placed: Placed, camera: Camera, floor: uniforms.Floor | None, wireframe: bool) -> None:
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        gl.glDepthMask(gl.GL_FALSE)
        gl.glDisable(gl.GL_DEPTH_TEST)
        self._sky.use()
        self._triangle.draw()
        gl.glDepthMask(gl.GL_TRUE)
        gl.glEnable(gl.GL_DEPTH_TEST)
        self._sun_map.bind(0, compare=True)
        self._sun_map.bind(1, compare=False)
        self._height_map.bind(2, compare=False)
        gl.glEnable(gl.GL_CULL_FACE)
        if wireframe:
            gl.glDisable(gl.GL_CULL_FACE)
            gl.glPolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
        self._body.use(target=PICTURE)
        self._bodies.draw()
        gl.glPolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_FILL)
        self._draw_floors(placed, camera, floor)

    def _draw_floors(self, placed: Placed, camera: Camera, floor: uniforms.Floor | None) -> None:
        planes = placed.of("plane")
        out = np.zeros((len(planes), 12), np.float32)
        out[:, 0:3], out[:, 4:8] = placed.pos[planes], placed.quat[planes]
        out[:, 8] = 150.0 * camera.seen_distance + 150.0
        if floor is not None:
            z = np.array([0.0, 0.0, 1.0]) + np.zeros((len(planes), 3))
            normals = uniforms.rotate(placed.quat[planes], z)
            offsets = np.einsum("ij,ij->i", normals, placed.pos[planes])
            out[:, 9] = np.isclose(normals @ floor.normal, 1.0) & np.isclose(offsets, floor.offset)
        self._floors.upload(out)
        gl.glDisable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_BLEND)
        self._floor.use()
        self._floors.draw()

    def _draw_outline(self, instances: np.ndarray, placed: Placed, body: int, target: int,
                      box: tuple[int, int, int, int], thick: float) -> None:
        """The selected body into a mask, then a line around the mask; box: x, y, width, height of the picture [px]."""
        self._bodies.upload(instances, placed, only=body)
        gl.glDisable(gl.GL_BLEND)
        gl.glDisable(gl.GL_DEPTH_TEST)
        self._mask.begin(*box[2:])
        self._body.use(target=MASK)
        self._bodies.draw()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
        gl.glViewport(*box)
        gl.glEnable(gl.GL_BLEND)
        self._mask.bind(0)
        self._outline.use(corner_x=float(box[0]), corner_y=float(box[1]), thick=thick)
        self._triangle.draw()

    def _draw_overlay(self, overlay: Overlay, facets: int) -> None:
        """Everything twice: faint through the bodies, then in full where it is seen."""
        cone = self._cone_mesh(facets)
        cone.upload(overlay.cones)
        self._arrows.upload(overlay.arrows)
        self._marks.upload(overlay.marks)
        gl.glEnable(gl.GL_BLEND)
        gl.glDisable(gl.GL_CULL_FACE)
        for opacity, mark, depth_test in ((GHOST, GHOST_MARK, False), (1.0, 1.0, True)):
            (gl.glEnable if depth_test else gl.glDisable)(gl.GL_DEPTH_TEST)
            gl.glDepthMask(gl.GL_FALSE)
            self._cone.use(opacity=opacity, round_cone=1.0 if facets < 3 else 0.0)
            cone.draw()
            gl.glDepthMask(gl.GL_TRUE if depth_test else gl.GL_FALSE)
            self._arrow.use(opacity=opacity)
            self._arrows.draw()
            self._marker.use(opacity=mark)
            self._marks.draw()

    def _cone_mesh(self, facets: int) -> Instanced:
        facets = facets if facets >= 3 else 0
        if facets not in self._cones:
            self._cones[facets] = Instanced(*primitives.cone(facets), 4)
        return self._cones[facets]

    # ---- state

    def _prepare(self) -> None:
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glDisable(gl.GL_STENCIL_TEST)
        gl.glDisable(gl.GL_BLEND)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDepthFunc(gl.GL_LEQUAL)
        gl.glColorMask(1, 1, 1, 1)
        gl.glFrontFace(gl.GL_CCW)
        gl.glCullFace(gl.GL_BACK)
        gl.glBlendFuncSeparate(gl.GL_SRC_ALPHA, gl.GL_ONE_MINUS_SRC_ALPHA, gl.GL_ONE, gl.GL_ONE_MINUS_SRC_ALPHA)

    def _restore(self) -> None:
        """Leave what pyglet and Dear ImGui expect: no samplers, unit 0, nothing bound, no depth test."""
        for unit in (2, 1, 0):
            gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
            gl.glBindSampler(unit, 0)
            gl.glBindTexture(gl.GL_TEXTURE_2D, 0)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glBindVertexArray(0)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, 0)
        gl.glUseProgram(0)
