"""Joint lens: friction of one joint against its bound over the last seconds, and over its coordinate, as hysteresis loops."""

from dataclasses import dataclass, field

import numpy as np

from app.analysis.forces import joint_lens
from app.engine import commands
from app.engine.frame import Frame
from app.engine.undo.difference import MOUSE_SPRING
from app.gui.controls import flags, style, widgets
from app.gui.controls.values import pretty
from app.gui.plots import axes
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.panels import _replay_offer
from app.session import Session
from physics.joints import Group, JointKind

TITLE = "Joint lens"
PLACE = "right"
ORDER = 25
GROUP = "Forces"
ABOUT = "friction of one joint over time"

SPANS = ("2 s", "5 s", "10 s", "20 s")

PLOTS = {"over time": "Friction and its bound over the last seconds.",
         "loop": "Friction over the joint's coordinate: the area of a loop is the loss of a cycle."}

MIN_PLOT_HEIGHT = 165.0
"""Below it a plot has no room for all of its texts: instead of two, the panel shows one of them [px at scale 1]."""


@dataclass
class JointLensState:
    """The chosen group, the length of the shown past, the samples, and the columns drawn from them."""

    group: int = 0
    span: str = "5 s"
    plot: str = "over time"     # which of PLOTS is shown where there is room for one
    history: joint_lens.JointFrictionHistory = field(default_factory=joint_lens.JointFrictionHistory)
    frame: Frame | None = None
    shown: str = ""
    columns: dict[str, np.ndarray] = field(default_factory=dict)


def draw(session: Session) -> None:
    frame, state = session.frame, session.state(JointLensState)
    j = joint_lens.choose(frame, session.selection.joint, MOUSE_SPRING)
    if j < 0:
        widgets.wrapped("No joint of this scene supports friction. See the scenes in the category Joint "
                        "friction.", style.palette().dim)
        return
    kind = joint_lens.kind_of(frame, j)
    _choices(session, state, j)
    state.group = min(state.group, len(kind.friction) - 1)
    if len(kind.friction) > 1:
        names = tuple(group.name for group in kind.friction)
        new = widgets.choice("directions", names[state.group], names, "Groups of directions, each with its own friction bound.")
        state.group = names.index(new) if new is not None else state.group
    group = kind.friction[state.group]
    last = state.history.add_frame(frame, j, state.group)
    if frame is not state.frame or state.shown != state.span:
        state.frame, state.shown, state.columns = frame, state.span, state.history.columns(float(state.span.split()[0]))
    _bound(session, j, state.group, group)
    _now(last, frame.joints[j], state.group, group)
    if state.history.count < 2:
        _replay_offer.offer(session)
    room, gap, least = imgui.get_content_region_avail().y, imgui.get_style().item_spacing.y, widgets.scaled(MIN_PLOT_HEIGHT)
    if both := room >= 2.0 * least + gap:
        room = 0.5 * (room - gap)
    else:
        _choose_plot(state)
        room -= imgui.get_frame_height() + gap
    if both or state.plot == "over time":
        _over_time(state, group, max(0.7 * least, room))
    if both or state.plot == "loop":
        _loop(state, kind, group, max(0.7 * least, room))


def _choices(session: Session, state: JointLensState, j: int) -> None:
    """Draw the choice of joint, and of the length of the past."""
    frame, width = session.frame, widgets.combo_width("20 s")
    room = imgui.get_content_region_avail().x - width - imgui.get_style().item_spacing.x
    imgui.set_next_item_width(max(widgets.scaled(80.0), room))
    opened = imgui.begin_combo("##joint", _name(frame, j))
    widgets.register_area("joint")
    if opened:
        listed = list(joint_lens.joints_with_friction(frame, MOUSE_SPRING))
        clipper = imgui.ListClipper()
        clipper.begin(len(listed))
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                if imgui.selectable(f"{_name(frame, listed[i])}##{listed[i]}", listed[i] == j)[0]:
                    session.selection.joint = listed[i]
                widgets.register_area(f"joint={listed[i]}")
        imgui.end_combo()
    imgui.same_line()
    imgui.set_next_item_width(width)
    if imgui.begin_combo("##span", state.span):
        for span in SPANS:
            if imgui.selectable(span, span == state.span)[0]:
                state.span = span
        imgui.end_combo()
    widgets.tooltip("Time span of the plot.")


def _name(frame: Frame, j: int) -> str:
    return frame.joint_names[j]


def _bound(session: Session, j: int, g: int, group: Group) -> None:
    bound = float(session.frame.joints["max_friction"][j, g])
    new = widgets.number("bound", bound, lo=0.0, hi=max(1000.0, bound), unit=group.unit, log=True,
                         help=message("Dry friction bound of this joint, where it can {group}.", group=group.name))
    if new is not None:
        session.post(commands.set_joint_friction, new, j, group.name)


def _now(last: joint_lens.Sample, joint: np.record, g: int, group: Group) -> None:
    """Draw the friction of the last step against its bound; stick or slip, as a colour and a word."""
    p, size = style.palette(), abs(last.friction)
    free = last.bound <= 0.0 and joint["viscous"][g] <= 0.0
    word = "free" if free else "slips" if last.slips else "sticks"
    widgets.bar(min(1.0, size / last.bound) if last.bound > 0.0 else 0.0,
                message("{size} of {bound} {unit}, {word}", size=rounded(size, of=last.bound), bound=rounded(last.bound),
                        unit=pretty(group.unit), word=word),
                p.slip if last.slips else p.stick)
    widgets.register_area("now")
    widgets.tooltip("Friction in the last step relative to its bound (sticking or slipping), including the load-dependent part; "
                    "viscous friction is added on top.")


def _choose_plot(state: JointLensState) -> None:
    """Draw the choice of plot, where there is room for one."""
    for plot, help in PLOTS.items():
        if imgui.radio_button(plot, state.plot == plot):
            state.plot = plot
        widgets.register_area(f"show {plot}")
        widgets.tooltip(help)
        imgui.same_line()
    imgui.new_line()


def _over_time(state: JointLensState, group: Group, height: float) -> None:
    """Plot friction and both bounds over time."""
    p, c = style.palette(), state.columns
    time, reach = c["time"], _reach(c)
    if _begin("##time", height, ("t", "s"), group.unit, (time[0], max(time[-1], time[0] + 0.05)), (-reach, reach)):
        for sign in (1.0, -1.0):
            implot.plot_line(f"##bound {sign:+}", time, sign * c["bound"], _line(p.dim, 1.2))
        _curves(time, c, p)
        implot.end_plot()
    widgets.register_area("over time")


def _loop(state: JointLensState, kind: JointKind, group: Group, height: float) -> None:
    """Plot friction over the coordinate: the area of a loop is the loss of a cycle."""
    p, c, axis = style.palette(), state.columns, joint_lens.axis_of(kind, state.group)
    reach, lo, hi = _reach(c), float(c["coordinate"].min()), float(c["coordinate"].max())
    air = max(0.05 * (hi - lo), 1e-4)
    if _begin("##loop", height, (axis.label, axis.unit), group.unit, (lo - air, hi + air), (-reach, reach)):
        _curves(c["coordinate"], c, p)
        implot.plot_scatter("##here", c["coordinate"][-1:], c["friction"][-1:], implot.Spec(
            marker=implot.Marker_.circle if c["slips"][-1] else implot.Marker_.square, marker_size=widgets.scaled(4.0),
            marker_fill_color=style.vec(p.slip if c["slips"][-1] else p.stick), marker_line_color=style.vec(p.text)))
        implot.end_plot()
    widgets.register_area("loop")


def _curves(across: np.ndarray, c: dict[str, np.ndarray], p: style.Palette) -> None:
    """Draw friction: thin while sticking, thick while slipping, in their colours."""
    slips = c["slips"] > 0.0
    for name, keep, colour, weight in (("sticks", ~slips, p.stick, 1.2), ("slips", slips, p.slip, 2.6)):
        ends = keep.copy()
        ends[1:] |= keep[:-1] if name == "sticks" else False     # the line continues to the first sample of the other
        implot.plot_line(f"##{name}", across, np.where(ends, c["friction"], np.nan), _line(colour, weight))


def _reach(c: dict[str, np.ndarray]) -> float:
    """Half range of the friction axis."""
    return 1.15 * max(float(np.abs(c["friction"]).max()), float(c["bound"].max())) or 1.0


def _begin(name: str, height: float, x: tuple[str, str], y: str, across: tuple[float, float], up: tuple[float, float]) -> bool:
    """Begin a plot. x: name and unit of the axis, left out where there is no room; y: unit."""
    width = imgui.get_content_region_avail().x
    x = x if height >= widgets.scaled(MIN_PLOT_HEIGHT) else ("", "")
    if not implot.begin_plot(name, imgui.ImVec2(-1.0, height), flags.WITHOUT_INPUTS):
        return False
    axes.even(implot.ImAxis_.x1, *x, *across, width)
    axes.even(implot.ImAxis_.y1, "", y, *up, height)
    return True


def _line(colour: style.RGBA, weight: float) -> implot.Spec:
    return implot.Spec(line_color=style.vec(colour), line_weight=widgets.scaled(weight))
