"""Ambient occlusion: of the floor by the bodies above it, and between nearby bodies. Needs a context.

The floor uses a height map rendered from above, independent of the camera, so it only changes when something moves. Bodies use
the depth buffer of the picture, at half its resolution.
"""

from collections.abc import Callable

from pyglet import gl

from app.render.opengl.gl import DepthMap, Instanced, Program, Triangle
from app.render.opengl.render_texture import RenderTexture

MASK, SUN_MAP, HEIGHT_MAP = range(3)
"""Render targets of cast.vert."""
FLOOR_UNIT, BODIES_UNIT = 2, 3
"""Texture units of the two results."""


class AmbientOcclusion:
    """heights, texels: sizes of the height map and of the floor's occlusion map."""

    def __init__(self, heights: int, texels: int) -> None:
        self._heights, self._texels = DepthMap(heights), texels
        self._open, self._depths, self._near, self._soft = (RenderTexture(kind) for kind in ("mask", "depth", "pair", "pair"))
        self._cast, self._floor = Program("cast"), Program("cast", vertex="floor")
        self._opening = Program("open", vertex="spread", textures={"height_map": 0})
        self._nearing = Program("near", vertex="spread", textures={"scene_depth": 0})
        self._softening = Program("soften", vertex="spread", textures={"near_map": 0})
        self._triangle = Triangle()

    def occlude_floor(self, draw_bodies: Callable[[], None]) -> None:
        """Compute the occlusion of the floor."""
        self._heights.begin()
        self._cast.use(target=HEIGHT_MAP)
        draw_bodies()
        self._open.begin(self._texels, self._texels)
        self._heights.bind(0, compare=False)
        self._all(self._opening)

    def occlude_bodies(self, size: tuple[int, int], draw_bodies: Callable[[], None], floors: Instanced) -> None:
        """Compute the occlusion between bodies, for a picture of this size [px]."""
        half = max(1, (size[0] + 1) // 2), max(1, (size[1] + 1) // 2)
        self._depths.begin(*half)
        gl.glEnable(gl.GL_CULL_FACE)
        self._cast.use(target=MASK)
        draw_bodies()
        gl.glDisable(gl.GL_CULL_FACE)
        self._floor.use()
        floors.draw()
        for program, source, into in ((self._nearing, self._depths, self._near), (self._softening, self._near, self._soft)):
            into.begin(*half)
            source.bind(0)
            self._all(program)

    def bind(self) -> None:
        self._open.bind(FLOOR_UNIT)
        self._soft.bind(BODIES_UNIT)

    def delete(self) -> None:
        for part in (self._heights, self._open, self._depths, self._near, self._soft, self._cast, self._floor, self._opening,
                     self._nearing, self._softening, self._triangle):
            part.delete()

    def _all(self, program: Program) -> None:
        """Run a program over all pixels of the current target."""
        gl.glDisable(gl.GL_DEPTH_TEST)
        program.use()
        self._triangle.draw()
        gl.glEnable(gl.GL_DEPTH_TEST)
