"""The tour: a film of some scenes, each with its law and with what it predicts beside what is measured, without a window."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import scenes
from app.analysis.curves.curve_statistics import span
from app.analysis.forces.contact_lens import facets_of
from app.analysis.lessons.prediction import measured
from app.camera import Camera
from app.engine.frame import RealTimePace, capture, poses
from app.gui.controls import flags, style, widgets
from app.gui.controls.values import pretty, title
from app.gui.plots import axes
from app.gui.shell.imgui_context import Gui
from app.gui.shell.messages_overlay import draw_labels
from app.gui.shell.viewport_layout import Pane
from app.gui.text import formula
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.number_format import rounded
from app.render.opengl.offscreen import Offscreen
from app.render.opengl.renderer import Renderer
from app.render.view_options import ViewOptions
from physics import step
from physics.observe import quantities
from scenes import Prediction

TOUR_SCENES = ("incline", "stopping_distance", "tipping_or_sliding", "belt", "bouncing_balls", "cradle", "superball",
               "rod_and_table", "four_balls", "mf4_door")
"""Scenes of the tour, in its order."""
HELD_SHARE = 0.25
"""Share of a scene's time in which its end is held, with what was measured."""
FADE = 0.035
"""Share of a scene's time in which it appears, and in which it disappears."""
CAMERA_TURN = 14.0
"""Angle by which the camera orbits during a scene [degrees]."""
SIDE, DESIGN_HEIGHT = 0.34, 720.0
"""Width of the column of texts as a share of the picture; height of a picture in which text has its ordinary size [px]."""
LETTERS = 1.15
"""Size of text in the column."""
MAX_ROWS, MAX_CURVES, MAX_LETTERS = 4, 5, 220
"""Most predictions and curves shown; length from which the description ends with its sentence."""
PLOT_HEIGHT = 130.0
"""Of the plot [px at scale 1]."""


@dataclass
class TourCanvas:
    """The part of a window that the GUI needs: its size [px]."""

    size: tuple[int, int]

    def get_size(self) -> tuple[int, int]:
        return self.size

    get_framebuffer_size = get_size

    def set_mouse_visible(self, visible: bool) -> None:
        """There is no pointer."""


class Visit:
    """A scene as it runs in the tour. speed: simulated per shown time."""

    def __init__(self, name: str, seconds: float) -> None:
        self.name, self.scene = name, scenes.find(name)
        self.speed = self.scene.check_time / ((1.0 - HELD_SHARE) * seconds)
        self.world = scenes.without_clock(scenes.make_world(self.scene))
        self.predictions = tuple(self.scene.predict(self.scene.parameters())) if self.scene.predict else ()
        self._numbers = {key: quantities.find(self.world, key) for key in self.scene.plots}
        self._whole = scenes.run(self.scene)[1]         # for the ranges of the axes
        self._trace: dict[str, list[float]] = {key: [] for key in ("time", *self._numbers)}
        self._sample()

    def at(self, time: float) -> Any:
        """The frame nearest to a simulated time [s], not before the last one and not after the scene's end."""
        while self.world.steps < round(min(time, self.scene.check_time) / self.scene.dt):
            step(self.world, self.scene.dt)
            self._sample()
        return capture(self.world, scene=self.name, dt=self.scene.dt, paused=True, before=poses(self.world), pace=RealTimePace())

    def rows(self) -> list[tuple[Prediction, float | None]]:
        """The predictions with what is measured so far."""
        trace = {key: np.array(values) for key, values in self._trace.items()}
        return [(one, measured(one, self.world, trace) if self.world.steps else None) for one in self.predictions[:MAX_ROWS]]

    def curves(self) -> tuple[str, tuple[float, float], list[tuple[np.ndarray, np.ndarray]]]:
        """(unit, range of the axis for the whole run, curves so far) of the first plotted quantity and of those with its unit."""
        unit = next(iter(self._numbers.values())).unit
        keys = [key for key, number in self._numbers.items() if number.unit == unit][:MAX_CURVES]
        whole, time = [np.asarray(self._whole[key]) for key in keys], np.array(self._trace["time"])
        return unit, span(whole, unit), [(time, np.array(self._trace[key])) for key in keys]

    def _sample(self) -> None:
        self._trace["time"].append(self.world.time)
        for key, number in self._numbers.items():
            self._trace[key].append(number.read(self.world))


def pictures(target: Offscreen, stops: tuple[str, ...], seconds: float, fps: float) -> Iterator[np.ndarray]:
    """The pictures (height, width, 3) uint8 of a tour of that length [s], drawn in the target."""
    each, size = seconds / len(stops), (target.width, target.height)
    gui, renderer = Gui(TourCanvas(size), scale=size[1] / DESIGN_HEIGHT), Renderer("high")
    for name in stops:
        visit = Visit(name, each)
        camera, view = Camera(), ViewOptions()
        camera.set_view(visit.scene.view)
        view.suit(visit.scene)
        for k in range(max(2, round(each * fps))):
            share = k / max(1.0, each * fps)
            camera.azimuth = visit.scene.view.azimuth + CAMERA_TURN * (share - 0.5)
            target.begin()
            gui.begin(1.0 / fps)
            _scene(renderer, visit, camera, view, share * each, size)
            _column(visit, size)
            gui.end()
            yield (target.pixels() * min(1.0, share / FADE, (1.0 - share) / FADE)).astype(np.uint8)
    gui.close()
    renderer.delete()


def _scene(renderer: Renderer, visit: Visit, camera: Camera, view: ViewOptions, shown: float, size: tuple[int, int]) -> None:
    """Draw the scene right of the texts. shown: time since the scene appeared [s]."""
    left = round(SIDE * size[0])
    width, height = size[0] - left, size[1]
    frame = visit.at(shown * visit.speed)
    translate.set_names(frame.body_names, frame.joint_names)
    placed = renderer.draw(frame, camera, view, width, height, frame.wall, facets=facets_of(visit.world.solver), corner=(left, 0),
                           density=size[1] / DESIGN_HEIGHT)
    draw_labels(placed, Pane(0, frame, (float(left), 0.0, float(width), float(height))), 1.0)


def _column(visit: Visit, size: tuple[int, int]) -> None:
    """Write title, what to look for, law, predictions and time."""
    px, p, scene, bare = widgets.scaled, style.palette(), visit.scene, imgui.WindowFlags_
    imgui.set_next_window_pos(imgui.ImVec2(0.0, 0.0))
    imgui.set_next_window_size(imgui.ImVec2(round(SIDE * size[0]), size[1]))
    imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(px(24.0), px(24.0)))
    imgui.begin("##tour", None, bare.no_decoration | bare.no_saved_settings | bare.no_docking | bare.no_move)
    imgui.push_font(None, 1.7 * imgui.get_style().font_size_base)
    imgui.text_wrapped(scene.title)
    imgui.pop_font()
    imgui.dummy(imgui.ImVec2(0.0, px(6.0)))
    imgui.push_font(None, LETTERS * imgui.get_style().font_size_base)
    widgets.wrapped(shortened(translate.translate(scene.look_for)))
    widgets.heading("Law")
    formula.draw(scene.law, scene.law_text)
    rows = visit.rows()
    if rows:
        widgets.heading("Predicted and measured")
    for prediction, number in rows:
        _row(prediction, number, px(180.0))
    imgui.pop_font()
    foot = size[1] - px(24.0) - 2.0 * imgui.get_text_line_height_with_spacing()
    if foot - px(PLOT_HEIGHT) > imgui.get_cursor_pos_y() and visit.scene.plots:
        imgui.set_cursor_pos_y(foot - px(PLOT_HEIGHT + 8.0))
        _plot(visit, px(PLOT_HEIGHT))
    imgui.set_cursor_pos_y(foot)
    widgets.coloured(f"{translate.translate(title(scene.solver))}, {rounded(1.0 / scene.dt)} Hz", p.dim)
    imgui.text_unformatted(f"t = {visit.world.time:.2f} s")
    imgui.same_line(px(180.0))
    imgui.text_unformatted(f"{rounded(visit.speed, 2)} x")
    imgui.end()
    imgui.pop_style_var()


def _row(prediction: Prediction, number: float | None, stop: float) -> None:
    """Write a prediction; what is measured turns green where it is within the tolerance."""
    p, unit = style.palette(), f" {pretty(prediction.unit)}" if prediction.unit else ""
    widgets.wrapped(prediction.name, p.dim)
    imgui.text_unformatted(f"{rounded(prediction.value, 4)}{unit}")
    imgui.same_line(stop)
    if number is None:
        widgets.dim_text("not yet")
        return
    widgets.coloured(f"{rounded(number, 4 if abs(number) > 1e-6 else 1)}{unit}", p.good if prediction.holds(number) else p.text)


def _plot(visit: Visit, height: float) -> None:
    """Plot curves as they grow."""
    unit, (lo, hi), curves = visit.curves()
    Axis = implot.ImAxis_
    if not implot.begin_plot("##curves", imgui.ImVec2(-1.0, height), flags.WITHOUT_INPUTS):
        return
    axes.even(Axis.x1, "t", "s", 0.0, visit.scene.check_time, imgui.get_content_region_avail().x)
    axes.even(Axis.y1, "", unit, lo, hi, height)
    implot.setup_finish()
    for k, (time, values) in enumerate(curves):
        colour = style.palette().curves[k % len(style.palette().curves)]
        implot.plot_line(f"##{k}", time, values, implot.Spec(line_color=style.vec(colour), line_weight=widgets.scaled(1.8)))
    implot.end_plot()


def shortened(text: str) -> str:
    """The first sentences of a description, as many as have room."""
    kept = text[:MAX_LETTERS]
    if len(text) <= MAX_LETTERS:
        return text
    end = max(kept.rfind(stop) for stop in (". ", ": ", "; ", "\u3002"))
    return f"{kept[: end + 1].rstrip(':; .')}." if end > 0 and kept[end] != "\u3002" else kept[: end + 1] or kept
