"""Runs, plots and pictures in a notebook. In an installation: `import stiction`, then `from app.notebook import play`.

    play("door", max_friction=10.0)              a scene as it runs, in the player of `stiction export --html`
    film = Film(world); film.record(); film      the same for your own world, with `record` after each step to be shown
    plot({"ours": (t, v), "law": (t2, v2)})      curves
    picture(world)                               what the viewer shows

Each is an object that Jupyter and other notebooks display; none needs a package beyond those of Stiction, or a network.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import scenes
from app.files.atomic_write import write
from app.render.web_page import MotionRecorder, page_of_run, record_run
from physics import BadInput, World, set_option
from physics.core.records import Kind
from scenes import OURS, Curve, PaperFigure, Scene, Series, Trace, View

PLAYER_HEIGHT = 520
"""Of the player in a notebook [px]."""


@dataclass(frozen=True)
class NotebookPlayer:
    """A recorded motion. page: the HTML page; trace: the plotted quantities by key, and "time" [s]."""

    page: str
    trace: Trace
    height: int = PLAYER_HEIGHT

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page)}" width="100%" height="{self.height}" style="border: 0" '
                'title="The recorded motion"></iframe>')

    def save(self, path: str | Path) -> None:
        """Save the page as a file, which any browser plays."""
        write(path, self.page.encode())


def play(name: str, seconds: float | None = None, *, fps: float = 60.0, dt: float | None = None, solver: str = "",
         options: Mapping[str, Any] | None = None, height: int = PLAYER_HEIGHT, **parameters: Any) -> NotebookPlayer:
    """Run a scene and show it.

    Args:
        name: of a scene of the gallery. seconds: simulated time [s]; the scene's check time if not given.
        fps: frames per simulated second. dt: step [s]; solver: its name; the scene's own if not given.
        options: of that solver, by name.
        height: of the player [px]. parameters: of the scene, by name.

    Raises:
        BadInput: no such scene, solver or parameter, or a value out of its range.
    """
    scene = scenes.find(name)
    chosen = scene.parameters()
    for parameter, value in parameters.items():
        set_option(chosen, parameter, value)
    world = scenes.make_world(scene, chosen)
    if solver:
        scenes.use_solver(world, scene, chosen, solver, options)
    scenes.without_clock(world)
    motion = record_run(scene, world, scene.check_time if seconds is None else seconds, dt or scene.dt, fps)
    return NotebookPlayer(page_of_run(scene, chosen, motion, dt or scene.dt), columns(motion), height)


def columns(motion: MotionRecorder) -> Trace:
    """What was recorded of each plotted quantity."""
    return {key: np.array(values) for key, values in motion.traces.items()}


class Film:
    """Your own world, recorded frame by frame.

    keys: quantities to plot, such as "body:box.vx" (physics/observe/quantities.py). title, text: beside the motion.
    view: the camera; one that shows all moving bodies if not given.
    """

    def __init__(self, world: World, keys: Sequence[str] = (), *, title: str = "", text: str = "", view: View | None = None,
                 height: int = PLAYER_HEIGHT) -> None:
        self.world, self.height = world, height
        self._texts, self._view = (title, text), view
        self._start = places(world)
        self._motion = MotionRecorder(world, keys)

    def record(self) -> None:
        """Add the present state as a frame."""
        self._motion.record()

    @property
    def player(self) -> NotebookPlayer:
        """What was recorded so far."""
        motion = self._motion
        how = f"{self.world.steps} steps with {self.world.solver.name}, {len(motion.times)} frames"
        view = self._view or view_of(np.vstack([self._start, places(self.world)]))
        return NotebookPlayer(motion.page(described(*self._texts, view), how), columns(motion), self.height)

    def _repr_html_(self) -> str:
        return self.player._repr_html_()


def described(title: str, text: str, view: View, show: tuple[str, ...] = ()) -> Scene:
    """A scene that lends its texts, its view and its overlays to a page or a picture."""
    return Scene(title=title, category="", look_for=text, law="", law_text="", build=lambda world, parameters: None, view=view,
                 show=show)


def places(world: World) -> np.ndarray:
    """Positions (bodies, 3) of all moving bodies [m]."""
    return world.bodies["pos"][world.bodies["kind"] == Kind.DYNAMIC]


def view_of(points: np.ndarray) -> View:
    """A view of all points (n, 3)."""
    if not len(points):
        return View()
    lo, hi = points.min(axis=0), points.max(axis=0)
    return View(tuple((0.5 * (lo + hi)).tolist()), float(max(2.0, 2.5 * np.linalg.norm(hi - lo))))


@dataclass(frozen=True)
class Picture:
    """An SVG drawing, or the pixels (height, width, 3) uint8 of a view."""

    svg: str = ""
    pixels: np.ndarray | None = None

    def _repr_svg_(self) -> str | None:
        return self.svg or None

    def _repr_png_(self) -> bytes | None:
        from app.render.opengl.offscreen import as_png

        return None if self.pixels is None else as_png(self.pixels)


def plot(curves: Mapping[str, Any], *, title: str = "", x: str = "time [s]", y: str = "", log: bool = False) -> Picture:
    """Draw curves.

    Args:
        curves: by label: a pair of sequences (x, y), or a `Curve` of a scene, which is drawn dashed as the law that it is.
        title, x, y: texts of the drawing and its axes. log: both axes by powers of ten.

    Raises:
        BadInput: nothing to draw, or sequences of unlike lengths.
    """
    from app.analysis.curves.svg_chart import figure

    series = []
    for label, given in curves.items():
        law = isinstance(given, Curve)
        across, up = (np.asarray(one, float) for one in ((given.times, given.values) if law else given))
        if across.shape != up.shape or across.ndim != 1 or not len(across):
            raise BadInput(f"curve '{label}' needs as many x as y, at least one; it has {across.shape} and {up.shape}")
        series.append(Series(label, across, up, scenes.DERIVED if law else OURS))
    if not series:
        raise BadInput("nothing to plot: give curves by label")
    return Picture(figure(PaperFigure("", "", title, x, y, series, "", log)))


def picture(world: World, *, view: View | None = None, size: tuple[int, int] = (960, 600),
            show: Sequence[str] = ("contacts", "forces")) -> Picture:
    """Draw a world as the viewer does.

    Args:
        view: the camera; one that shows all moving bodies if not given. size: of the picture [px].
        show: overlays, by the names that scenes use.

    Raises:
        NoGraphics: this machine cannot draw.
    """

    from app.analysis.forces.contact_lens import facets_of
    from app.camera import Camera
    from app.engine.frame import RealTimePace, capture, poses
    from app.render.opengl.offscreen import Offscreen
    from app.render.view_options import ViewOptions

    camera, shown, seen = Camera(), ViewOptions(), view or view_of(places(world))
    camera.set_view(seen)
    shown.suit(described("", "", seen, tuple(show)))
    frame = capture(world, scene="", dt=world.last_dt or 1.0 / 240.0, paused=True, before=poses(world), pace=RealTimePace())
    with Offscreen(*size, 4) as target:
        from app.render.opengl.renderer import Renderer  # imports OpenGL, which is chosen by now

        renderer = Renderer("high")
        target.begin()
        renderer.draw(frame, camera, shown, *size, frame.wall, facets=facets_of(world.solver))
        pixels = target.pixels().copy()
        renderer.delete()
    return Picture(pixels=pixels)
