"""Draws a frame: shadow and floor maps, sky, bodies, floors, overlays, in a constant number of draw calls."""

import time
from typing import Any

from pyglet import gl

from app.camera import Camera
from app.engine.frame import Frame
from app.render import overlays
from app.render.opengl import software, uniforms
from app.render.opengl.ambient_occlusion import BODIES_UNIT, FLOOR_UNIT, MASK, SUN_MAP, AmbientOcclusion
from app.render.opengl.bodies import BodyMeshes, selected_bodies
from app.render.opengl.gl import DepthMap, Instanced, Program, Triangle, UniformBlock, integers, renderer_name
from app.render.opengl.picture_changed import PictureInputs, rectangle
from app.render.opengl.quality_policy import QualityPolicy
from app.render.opengl.render_texture import RenderTexture
from app.render.opengl.scaled_target import MultisampleTarget, ScaledTarget
from app.render.scene import primitives
from app.render.scene.colours import BodyPainter, uniform
from app.render.scene.draw_list import WIDTHS, DrawList
from app.render.scene.instances import fill, levels
from app.render.scene.labels import PlacedLabel, place, scale_bar
from app.render.scene.overlay_context import Ghost, Highlight, OverlayContext
from app.render.scene.theme import RGB, theme
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions

QUALITY = {"high": uniforms.Quality((2048, 512, 256), (12, 20, 48, 10)),
           "low": uniforms.Quality((1024, 256, 96), (5, 7, 24, 8))}
ARROW_SIDES = {"high": 12, "low": 5}
"""Sides of an arrow."""
ERROR = {"high": 0.5, "low": 1.0}
"""Largest error of an outline, by which distant bodies get coarser meshes [px]."""
DRAW_ORDER = ("cones", "sectors", "lines", "arrows", "marks")
"""Overlay primitives in drawing order."""
GHOST = {"cones": 0.45, "sectors": 0.45, "lines": 0.45, "arrows": 0.7, "marks": 0.30}
"""Opacity of overlays behind bodies: a force often acts inside the body that it pushes."""
OUTLINE = 2.0
"""Thickness of the line around the selected bodies [px]."""
REST_TIME = 0.1
"""Smaller movements count as none [px, texels of the sun's map]."""


class Renderer:
    """Owns the GL objects of one context, which must be current when it is made and used.

    quality: "high", "low", or "auto": low with software rendering. Low draws the scene at a resolution of its own, coarse while
    things move and fine at rest; marks and arrows always have full resolution.
    samples: of anti-aliasing with high quality, for a window without any.
    """

    def __init__(self, quality: str = "auto", samples: int = 0) -> None:
        if quality not in QUALITY:
            quality = "low" if software.is_software(renderer_name()) else "high"
            software.lower_priority()       # of a window; a caller that sets a quality waits for the pictures
        self.quality = quality
        self.detail = QualityPolicy()
        self.fine = QUALITY[quality]
        maps = {"sun_map": 0, "sun_depth": 1, "near_map": BODIES_UNIT}
        self._sky, self._cast = Program("sky"), Program("cast")
        self._draw_lists = {kind: Program(kind.removesuffix("s")) for kind in WIDTHS}
        self._ghost = Program("ghost", vertex="body")
        self._body = Program("body", shadows=True, textures=maps)
        self._floor = Program("floor", shadows=True, textures={**maps, "open_map": FLOOR_UNIT})
        self._outline, self._mask = Program("outline", textures={"mask": 0}), RenderTexture("mask")
        self._block, self._triangle = UniformBlock(), Triangle()
        self._sun_map, self._shade = DepthMap(self.fine.texels[0]), AmbientOcclusion(*self.fine.texels[1:])
        self._smooth = MultisampleTarget(samples) if quality == "high" and samples > 1 else None
        self._coarse = quality == "low"
        self._canvas = ScaledTarget() if self._coarse or self._smooth else None
        self._bodies, self._ghosts = BodyMeshes(), BodyMeshes()
        self._floors = Instanced(*primitives.quad(), 3)
        self._over = {"arrows": Instanced(*primitives.arrow(ARROW_SIDES[quality]), 3), "lines": Instanced(*primitives.quad(), 3),
                      "marks": Instanced(*primitives.quad(), 3), "sectors": Instanced(*primitives.sector(), 5)}
        self._cones: dict[int, Instanced] = {}
        self._painter = BodyPainter()
        self.states: dict[type, Any] = {}
        self._mapped: PictureInputs | None = None
        self._painted: PictureInputs | None = None
        self._latest: Frame | None = None
        self._placed: tuple[Frame, float, BodyTransforms] | None = None

    def draw(self, frame: Frame, camera: Camera, view: ViewOptions, width: int, height: int, now: float, *,
             selection: Any = None, drag: Any = None, facets: int = 0, hover: int = -1,
             corner: tuple[int, int] = (0, 0), density: float = 1.0, cursor: tuple[float, float] | None = None,
             highlight: Highlight | None = None, ghosts: tuple[Ghost, ...] = (), tint: RGB | None = None) -> PlacedLabel:
        """Draw into the current framebuffer; returns the labels and legend, which the caller draws.

        Args:
            width, height: of the picture [framebuffer pixels]; corner: its lower left one.
            now: perf_counter [s], for interpolation between two steps.
            selection: anything with body, joint, contact (numbers, -1: none), and bodies, where there are several.
            drag: the mouse spring (overlays/mouse_spring.py); None: the one found among the joints.
            facets: of the solver's friction cone; 0: the circle.
            hover: the body under the cursor, -1 if none.
            density: framebuffer pixels per desktop unit, 2 on many laptops; marks and lines scale with it.
            cursor: [px] from the picture's lower left corner; None: elsewhere.
            highlight: what is pointed out. ghosts: translucent bodies at other poses.
            tint: sRGB of all dynamic bodies, if the view leaves bodies their own colours.
        """
        if width < 1 or height < 1:
            return PlacedLabel()
        colours, placed = theme(view.theme), self._place(frame, frame.blend(now))
        chosen, radii, shown_box = selected_bodies(selection, len(frame.bodies)), placed.radii(), (*corner, width, height)
        floor = uniforms.nearest_floor(placed, camera.shown_target)
        held = uniforms.fit(placed, radii, camera)
        block = uniforms.pack(camera, colours, width, height, held, floor, view.shadows, self.fine)
        tints, legend = self._painter.paint(frame, view, colours)
        if tints is None and tint is not None:
            tints = uniform(frame, tint)
        still = PictureInputs(frame, fill(frame, placed, colours, chosen, hover, tints), block, view.wireframe)
        fineness = levels(placed, radii, camera, height, ERROR[self.quality])
        shown = integers(gl.GL_DRAW_FRAMEBUFFER_BINDING, 1)[0]
        target, box = (shown, shown_box) if self._smooth is None else (self._smooth.framebuffer, (0, 0, width, height))
        self._prepare()
        scale = self._scale(still, camera.pixel_size(height) * camera.shown_distance)
        if scale:
            self._bodies.upload(still.instances, placed, fineness)
            self._light(still, floor is not None, held)
            self._paint(still, placed, camera, floor, target, box, scale)
        self._block.upload(still.block)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
        gl.glViewport(*box)
        if self._coarse:
            self._canvas.spread()
        for some in (chosen, chosen[-1:])[: len(chosen)]:   # all of them, then the one shown in panels
            self._bodies.upload(still.instances, placed, fineness, only=some)
            self._draw_outline(rectangle(placed, radii, some, camera, box), target, box, OUTLINE * density)
        context = OverlayContext(frame, placed, view, colours, selection, drag, camera, width, height, cursor, density,
                                 highlight or Highlight(), tints, ghosts, self.states)
        draw_list = overlays.draw(context)
        self._draw_over(draw_list, facets, camera, height)
        if self._smooth is not None:
            self._smooth.resolve(self._canvas)
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, shown)
            gl.glViewport(*shown_box)
            self._canvas.spread()
        self._restore()
        return PlacedLabel(place(draw_list.words, context), legend, scale_bar(context, draw_list))

    def delete(self) -> None:
        """Free the GL objects; the context must be current."""
        for part in (self._sky, *self._draw_lists.values(), self._ghost, self._body, self._floor, self._cast, self._outline,
                     self._mask, self._block, self._triangle, self._sun_map, self._shade, self._bodies, self._ghosts,
                     self._floors, *self._over.values(), *self._cones.values(), self._canvas, self._smooth):
            if part is not None:
                part.delete()

    # ---- passes

    def _place(self, frame: Frame, blend: float) -> BodyTransforms:
        """Transforms of the shapes, reused while frame and blend stay the same."""
        if self._placed is None or self._placed[0] is not frame or self._placed[1] != blend:
            self._placed = frame, blend, BodyTransforms(frame, blend)
        return self._placed[2]

    def _scale(self, still: PictureInputs, pixel: float) -> float:
        """Scale of the scene's resolution in this picture; 0: show the last one again. pixel: its size at the target [m]."""
        if not self._coarse:
            return 1.0
        same = still.is_same_picture(self._painted, REST_TIME * pixel)
        late = still.frame is self._latest and not still.frame.paused
        self._latest = still.frame
        if same and late:   # the physics lags behind; this is not rest
            return 0.0
        scale = self.detail.choose(same)
        if scale:
            self._painted = still
        return scale

    def _light(self, still: PictureInputs, floor: bool, held: uniforms.Fit) -> None:
        """Render the maps of sun and floor, or reuse those of an earlier picture if nothing has moved since."""
        if not still.block[uniforms.SHADOWS]:
            return
        if still.has_same_lighting(self._mapped, REST_TIME * 2.0 * held.radius / self.fine.texels[0]):
            still.block[uniforms.MAPS] = self._mapped.block[uniforms.MAPS]
            return
        self._mapped = still
        self._block.upload(still.block)
        gl.glDisable(gl.GL_CULL_FACE)
        self._cast.use(target=SUN_MAP)
        self._sun_map.begin()
        self._bodies.draw()
        if floor:
            self._shade.occlude_floor(self._bodies.draw)

    def _paint(self, still: PictureInputs, placed: BodyTransforms, camera: Camera, floor: uniforms.Floor | None, target: int,
               box: tuple[int, int, int, int], scale: float) -> None:
        """Draw sky, bodies and floors into the target or the canvas."""
        width, height = (max(1, round(scale * size)) for size in box[2:])
        timed = self._coarse and self.detail.timed()
        if timed:
            gl.glFinish()
        start = time.perf_counter()
        alone, near = self._coarse or self._smooth is not None, self.detail.calm or not self._coarse
        floors, through = uniforms.floors(placed, camera, floor)
        self._floors.upload(floors if not through else floors[:0])
        self._block.upload(uniforms.resized(still.block, width, height, box[3], (0, 0) if alone else box[:2], near))
        if near and still.block[uniforms.SHADOWS]:
            self._shade.occlude_bodies((width, height), self._bodies.draw, self._floors)
        if through:
            self._floors.upload(floors)
        if self._coarse:
            self._canvas.begin(width, height)
        else:
            if self._smooth is not None:
                self._smooth.begin(width, height)
            gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
            gl.glViewport(*box)
        self._draw_scene(through, still.wireframe)
        if timed:
            gl.glFinish()
            self.detail.record_time(time.perf_counter() - start)

    def _draw_scene(self, through: bool, wireframe: bool) -> None:
        """Draw the sky last, over the remaining pixels; but first if a floor is seen from below, which is transparent."""
        gl.glClear(gl.GL_DEPTH_BUFFER_BIT)
        if through:
            self._draw_sky()
        for unit, compare in enumerate((True, False)):
            self._sun_map.bind(unit, compare=compare)
        self._shade.bind()
        gl.glEnable(gl.GL_CULL_FACE)
        if wireframe:
            gl.glDisable(gl.GL_CULL_FACE)
            gl.glPolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_LINE)
        self._body.use()
        self._bodies.draw()
        gl.glPolygonMode(gl.GL_FRONT_AND_BACK, gl.GL_FILL)
        gl.glDisable(gl.GL_CULL_FACE)
        (gl.glEnable if through else gl.glDisable)(gl.GL_BLEND)
        self._floor.use()
        self._floors.draw()
        if not through:
            self._draw_sky()

    def _draw_sky(self) -> None:
        gl.glDepthMask(gl.GL_FALSE)
        self._sky.use()
        self._triangle.draw()
        gl.glDepthMask(gl.GL_TRUE)

    def _draw_outline(self, where: tuple[int, int, int, int], target: int, box: tuple[int, int, int, int],
                      thick: float) -> None:
        """Draw the selected bodies into a mask, then a line around the mask. where: bounds of them in the picture; box: the
        picture; both x, y, width, height [px]."""
        gl.glDisable(gl.GL_BLEND)
        gl.glDisable(gl.GL_DEPTH_TEST)
        self._mask.begin(*box[2:])
        gl.glEnable(gl.GL_SCISSOR_TEST)
        gl.glScissor(*where)
        self._cast.use(target=MASK)
        self._bodies.draw()
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, target)
        gl.glViewport(*box)
        gl.glScissor(where[0] + box[0], where[1] + box[1], *where[2:])
        gl.glEnable(gl.GL_BLEND)
        self._mask.bind(0)
        self._outline.use(corner_x=float(box[0]), corner_y=float(box[1]), thick=thick)
        self._triangle.draw()
        gl.glDisable(gl.GL_SCISSOR_TEST)

    def _draw_over(self, draw_list: DrawList, facets: int, camera: Camera, height: int) -> None:
        """Draw everything twice: faint through the bodies, then in full where visible. Ghosts once, before all."""
        meshes = {kind: self._over[kind] if kind != "cones" else self._cone_mesh(facets) for kind in DRAW_ORDER}
        for kind, mesh in meshes.items():
            mesh.upload(draw_list.array(kind))
        gl.glEnable(gl.GL_BLEND)
        self._draw_ghosts(draw_list, camera, height)
        gl.glDisable(gl.GL_CULL_FACE)
        for ghost, depth_test in ((True, False), (False, True)):
            (gl.glEnable if depth_test else gl.glDisable)(gl.GL_DEPTH_TEST)
            for kind, mesh in meshes.items():
                gl.glDepthMask(gl.GL_TRUE if depth_test and kind in ("arrows", "marks") else gl.GL_FALSE)
                own = {"round_cone": 1.0 if facets < 3 else 0.0} if kind == "cones" else {}
                self._draw_lists[kind].use(opacity=GHOST[kind] if ghost else 1.0, **own)
                mesh.draw()

    def _draw_ghosts(self, draw_list: DrawList, camera: Camera, height: int) -> None:
        """Draw translucent bodies at other poses; they write no depth, and are hidden where they coincide with the bodies."""
        ghost = draw_list.ghost
        if ghost is None:
            return
        fineness = levels(ghost.placed, ghost.placed.radii(), camera, height, 2.0 * ERROR[self.quality])
        self._ghosts.upload(ghost.instances, ghost.placed, fineness)
        gl.glEnable(gl.GL_CULL_FACE)
        gl.glEnable(gl.GL_DEPTH_TEST)
        gl.glDepthMask(gl.GL_FALSE)
        gl.glEnable(gl.GL_POLYGON_OFFSET_FILL)
        gl.glPolygonOffset(4.0, 16.0)
        self._ghost.use()
        self._ghosts.draw()
        gl.glDisable(gl.GL_POLYGON_OFFSET_FILL)

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
        """Restore the state that pyglet and Dear ImGui expect: no samplers, unit 0, nothing bound, no depth test."""
        for unit in (BODIES_UNIT, FLOOR_UNIT, 1, 0):
            gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
            gl.glBindSampler(unit, 0)
            gl.glBindTexture(gl.GL_TEXTURE_2D, 0)
        gl.glDepthMask(gl.GL_TRUE)
        gl.glDisable(gl.GL_DEPTH_TEST)
        gl.glBindVertexArray(0)
        gl.glBindBuffer(gl.GL_ARRAY_BUFFER, 0)
        gl.glUseProgram(0)
