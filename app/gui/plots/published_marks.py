"""What a scene sets beside its curves: points of published figures or of our own runs of them, and published times."""

import itertools

import numpy as np

from app.analysis.curves.curves import CurveLine
from app.analysis.lessons.prediction import Laws
from app.gui.controls import style, widgets
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.session import Session
from scenes import Curve, PublishedTime

POINT_MARKERS = (("o", implot.Marker_.circle), ("x", implot.Marker_.cross), ("+", implot.Marker_.plus))
"""Markers of a scene's points, cycled over several curves of one key: as text and in the plot."""

HOVER_DISTANCE = 6.0
"""Distance from the line of a published time at which the mouse reads it [px at scale 1]."""


def references(session: Session, key: str) -> list[Curve]:
    """The scene's points of a quantity."""
    return [] if _hidden(session) else [c for c in session.scene.curves if c.key == key]


def times(session: Session) -> tuple[PublishedTime, ...]:
    """The scene's published times."""
    return () if _hidden(session) else session.scene.published_times


def _hidden(session: Session) -> bool:
    """Whether marks would give the answer of an exercise away."""
    return session.scene is None or session.state(Laws).hidden


def draw(session: Session, line: CurveLine) -> None:
    """Draw the points of one curve's quantity, on the current axes."""
    p = style.palette()
    colour = style.vec(p.curves[line.tint % len(p.curves)])
    for (_, marker), curve in zip(itertools.cycle(POINT_MARKERS), references(session, line.key)):
        implot.plot_scatter(curve.label, np.array(curve.times, float), np.array(curve.values, float),
                            implot.Spec(marker=marker, marker_size=widgets.scaled(3.0), marker_line_color=colour,
                                        marker_fill_color=imgui.ImVec4(colour.x, colour.y, colour.z, 0.35)))


def draw_times(session: Session, keys: tuple[str, ...]) -> None:
    """Draw the published times as lines named by their source, and whose the marks of the curves are."""
    p, published = style.palette(), times(session)
    if not published:
        return
    implot.plot_inf_lines("##published", np.array([one.time for one in published]),
                          implot.Spec(line_color=style.vec(p.bad, 0.8), line_weight=widgets.scaled(1.2)))
    marks = dict.fromkeys(f"{mark} {translate.translate(c.label)}" for key in keys
                          for (mark, _), c in zip(itertools.cycle(POINT_MARKERS), references(session, key)))
    sources = dict.fromkeys(f"| {one.source}" for one in published)
    corner, size, gap = implot.get_plot_pos(), implot.get_plot_size(), widgets.scaled(4.0)
    bottom = corner.y + size.y - gap - imgui.get_text_line_height() * (len(marks) + len(sources))
    for text, colour in (*((text, p.text) for text in marks), *((text, p.bad) for text in sources)):
        left = corner.x + size.x - gap - imgui.calc_text_size(text).x
        implot.get_plot_draw_list().add_text(imgui.ImVec2(left, bottom), style.u32(colour), text)
        bottom += imgui.get_text_line_height()


def read_times(session: Session, at: float) -> None:
    """Tell the published time at the cursor's time [s], in its tooltip."""
    limits, size = implot.get_plot_limits(), implot.get_plot_size()
    near = widgets.scaled(HOVER_DISTANCE) * (limits.x.max - limits.x.min) / size.x
    for one in times(session):
        if abs(one.time - at) < near:
            widgets.coloured(f"{one.source}: {translate.translate(one.event)} {one.time:g} s", style.palette().bad)
