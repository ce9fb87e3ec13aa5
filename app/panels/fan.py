"""A fan of what-ifs: worlds with other values of one setting continue from the state shown, as ghosts, with their spread."""

from dataclasses import dataclass, field

import numpy as np

from app.analysis.curves.curves import name_of
from app.analysis.curves.fan_spread import Samples, Spread, spread_of
from app.engine.comparison import Comparison
from app.engine.frame import FanMember
from app.engine.variation import MAX_MEMBERS, MIN_MEMBERS, VARIABLES
from app.gui.controls import flags, style, widgets
from app.gui.controls.values import pretty, solver_title
from app.gui.plots import axes
from app.i18n import translate
from app.i18n.imgui_translated import imgui, implot
from app.i18n.message import message
from app.number_format import rounded
from app.panels.physics import alternatives, unsupported
from app.session import Session
from physics import solvers
from physics.core.records import Kind

TITLE = "Fan of what-ifs"
PLACE = "bottom"
ORDER = 26
OPEN = False
GROUP = "Measure"
ABOUT = "several values of a setting at once"

SETTINGS_WIDTH = 330.0
"""Of the settings, at most half of the panel [px at scale 1]."""
SPAN = 10.0
"""Longest part of the past that is plotted [s]."""

NO_SAMPLES = np.zeros(0), np.zeros(0)
"""The samples of a quantity that is not recorded."""

RUN_HELP = ("Copy the state shown, also one of the past, into worlds that differ in this setting only. They continue as ghosts "
            "beside the simulation: drags, throws and edits act on all of them. Going back in time shows them there, too.")


@dataclass
class FanState:
    """What to vary, between which values, in how many worlds; solvers left out; the quantity that is plotted."""

    variable: str = "friction"
    lo: float = 0.0
    hi: float = 0.0
    count: int = 5
    ignores: set[str] = field(default_factory=set)
    with_options: set[str] = field(default_factory=set)     # solvers that need options of their own here, and are to run so
    key: str = ""
    made_for: tuple[str, str] = ("", "")


def draw(session: Session) -> None:
    state = session.state(FanState)
    _propose(session, state)
    running = bool(session.frame.fan) and bool(session.traces.keys)
    members = [_recent(*samples, session.frame.time) for samples in samples_of(session, state.key)] if running else []
    spread = spread_of(members)
    width = min(widgets.scaled(SETTINGS_WIDTH), 0.5 * imgui.get_content_region_avail().x)     # ImPlot has a least size
    if imgui.begin_child("settings", imgui.ImVec2(width, 0.0), child_flags=flags.WITHIN):
        if session.frame.fan:
            _running(session, state, members, spread)
        else:
            _settings(session, state)
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * imgui.get_style().item_spacing.x)
    if imgui.begin_child("curves") and running:
        own = _recent(*session.traces.read(state.key), session.frame.time)
        _plot(own, members, spread, name_of(session.traces, state.key)[1])
    imgui.end_child()


def _propose(session: Session, state: FanState) -> None:
    """Propose values around the present one where another scene or setting was chosen."""
    if state.made_for == (session.frame.scene, state.variable):
        return
    if state.made_for[0] != session.frame.scene and state.variable in ("friction", "joint_friction"):
        world = session.frame.as_world      # the friction that acts there
        rubs = not len(world.contacts) and VARIABLES["joint_friction"].present(world, session.frame.dt) > 0.0
        state.variable = "joint_friction" if rubs else "friction"
    state.made_for = session.frame.scene, state.variable
    known = VARIABLES[state.variable]
    if state.variable == "solver":
        return
    here = float(known.present(session.frame.as_world, session.frame.dt))
    if state.variable == "dt":
        state.lo, state.hi = max(known.lo, 0.25 * here), min(known.hi, 4.0 * here)
    else:
        top = {"joint_friction": max(2.0 * here, 1.0), "restitution": 1.0}.get(state.variable, max(2.0 * here, 0.2))
        state.lo, state.hi = known.lo, min(known.hi, top)


def _settings(session: Session, state: FanState) -> None:
    """Choose what to vary, and start."""
    widgets.wrapped("Copies of the scene with other values of one setting run on from the state shown. The mouse acts on "
                    "all of them.", style.palette().dim)
    known = VARIABLES[state.variable]
    chosen = widgets.choice("vary", state.variable, tuple(VARIABLES), known.help,
                            lambda name: translate.translate(VARIABLES[name].title))
    if chosen:
        state.variable = chosen
        _propose(session, state)
    if state.variable == "solver":
        _choose_solvers(session, state)
    else:
        _choose_numbers(state)
    values = values_of(session, state)
    imgui.begin_disabled(len(values) < MIN_MEMBERS)
    if widgets.button("Start here", RUN_HELP, name="start fan", accent=True):
        session.post(Comparison.start_fan, state.variable, values)
    imgui.end_disabled()


def _choose_solvers(session: Session, state: FanState) -> None:
    reasons, others, taken = unsupported(session), alternatives(session), solvers_of(session, state)
    for file, kind in solvers.available().items():
        options = others.get(file)
        title = solver_title(kind.name, options) if options else kind.name
        imgui.begin_disabled(bool(reasons.get(file)) and not options)
        new = widgets.toggle(title, file in taken, reasons.get(file) or kind.doc)
        imgui.end_disabled()
        if new is not None and options:
            state.with_options ^= {file}
        elif new is not None:
            state.ignores ^= {file}


def solvers_of(session: Session, state: FanState) -> tuple[str, ...]:
    """Files of the solvers chosen; those that need options of their own for this world only where these were chosen."""
    reasons, others = unsupported(session), alternatives(session)
    return tuple(file for file in solvers.available()
                 if (file in state.with_options if others.get(file) else file not in state.ignores and not reasons.get(file)))


def _choose_numbers(state: FanState) -> None:
    known = VARIABLES[state.variable]
    for name in ("lo", "hi"):
        new = widgets.number({"lo": "from", "hi": "to"}[name], getattr(state, name), lo=known.lo, hi=known.hi, unit=known.unit,
                             log=state.variable in ("dt", "joint_friction"), help=known.help)
        if new is not None:
            setattr(state, name, new)
    new = widgets.number("worlds", state.count, lo=MIN_MEMBERS, hi=MAX_MEMBERS, help="Number of worlds. All of them and the "
                         "simulation share the time of a step: many large worlds slow the simulation down.")
    state.count = state.count if new is None else new


def values_of(session: Session, state: FanState) -> tuple[float | str, ...]:
    """The values of the worlds; step sizes at equal ratios, others at equal distances."""
    if state.variable == "solver":
        return solvers_of(session, state)[:MAX_MEMBERS]
    spaced = np.geomspace if state.variable == "dt" else np.linspace
    return tuple(dict.fromkeys(spaced(state.lo, state.hi, state.count).tolist()))


def _running(session: Session, state: FanState, members: list[Samples], spread: Spread) -> None:
    """The button that ends the fan, the quantity that is plotted, the members."""
    if widgets.button("End", "Remove these worlds; the simulation continues.", name="end fan"):
        session.post(Comparison.end_fan)
    imgui.same_line()
    imgui.set_cursor_pos_y(imgui.get_cursor_pos_y() + imgui.get_style().frame_padding.y)
    widgets.swatch(style.palette().good)
    imgui.text_unformatted("the simulation")
    keys = session.traces.keys
    if not keys:
        widgets.dim_text("No quantity is recorded: add one in the Plot panel.")
    elif np.isfinite(spread.last):
        unit = pretty(name_of(session.traces, state.key)[1])
        last = rounded(spread.last, 4)
        text = translate.translate(message("spread {last} {unit}", last=last, unit=unit) if unit else
                                   message("spread {last}", last=last))
        widgets.same_line(text)
        widgets.dim_text(text)
        widgets.tooltip("Largest minus least value of these worlds at the last time: the height of the band.")
    if keys:
        state.key = state.key if state.key in keys else keys[0]
        state.key = widgets.choice("quantity", state.key, keys, "One of those recorded by the Plot panel.",
                                   lambda key: name_of(session.traces, key)[0]) or state.key
    _table(session, state, members)


def value_text(member: FanMember) -> str:
    """A member's value with its unit."""
    if isinstance(member.value, str):
        return translate.translate(solvers.available()[member.value].name)
    if member.variable == "dt":
        return f"{rounded(1e3 * member.value, 3)} ms"
    return f"{rounded(member.value, 3)} {pretty(VARIABLES[member.variable].unit)}".rstrip()


def apart(session: Session, member: FanMember) -> float:
    """Largest distance of a moving body from the same body of the simulation [m]; NaN if it has other bodies."""
    bodies = session.frame.bodies
    if len(bodies) != len(member.pos):
        return float("nan")
    moves = bodies["kind"] == Kind.DYNAMIC
    return float(np.linalg.norm(bodies["pos"][moves] - member.pos[moves], axis=1).max(initial=0.0))


def _table(session: Session, state: FanState, members: list[Samples]) -> None:
    fan, p = session.frame.fan, style.palette()
    if not fan or not imgui.begin_table("members", 3, imgui.TableFlags_.row_bg):
        return
    unit = name_of(session.traces, state.key)[1] if state.key else ""
    imgui.table_next_row()
    for text, help in ((VARIABLES[fan[0].variable].title, "The world's own value."),
                       (message("now [{unit}]", unit=pretty(unit)) if unit else "now", "The plotted quantity in this world."),
                       ("apart [mm]", "Largest distance of a body from the same body of the simulation.")):
        imgui.table_next_column()
        widgets.dim_text(translate.translate(text))
        widgets.tooltip(help)
    for member, colour, (_, values) in zip(fan, style.ramp(len(fan)), [*members, *[NO_SAMPLES] * len(fan)]):
        imgui.table_next_row()
        imgui.table_next_column()
        widgets.swatch(colour)
        imgui.text_unformatted(widgets.cut(value_text(member)))
        imgui.table_next_column()
        if member.stopped_because:
            widgets.coloured("stopped", p.warn)
            widgets.tooltip(member.stopped_because)
        else:
            widgets.right(rounded(float(values[-1]), 4) if len(values) else "")
        imgui.table_next_column()
        widgets.right(rounded(1e3 * apart(session, member), 3))
    imgui.end_table()


def samples_of(session: Session, key: str) -> list[Samples]:
    """Samples of a quantity in each member, up to the time shown."""
    return [member.simulation.traces.read(key) for member in session.thread.comparison.members]


def _recent(times: np.ndarray, values: np.ndarray, now: float) -> Samples:
    """Samples of the last part of the past."""
    first = int(np.searchsorted(times, now - SPAN))
    return times[first:], values[first:]


def _plot(own: Samples, members: list[Samples], spread: Spread, unit: str) -> None:
    """Plot the band between least and largest value, the members' curves in it and the simulation's over them."""
    p, Axis, room = style.palette(), implot.ImAxis_, imgui.get_content_region_avail()
    if not implot.begin_plot("##fan", imgui.ImVec2(-widgets.scaled(6.0), -1.0), flags.WITHOUT_INPUTS):
        return
    widgets.register_area("fan plot")
    every = np.concatenate([values for _, values in (own, *members)])
    every = every[np.isfinite(every)]
    lo, hi = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    margin = 0.06 * max(hi - lo, 1e-9 + 1e-6 * abs(hi))
    times = np.concatenate([times for times, _ in (own, *members)])
    start, end = (float(times.min()), float(times.max())) if len(times) else (0.0, 1.0)
    axes.even(Axis.x1, "t", "s", start, max(end, start + 1e-3), room.x)
    axes.even(Axis.y1, "", unit, lo - margin, hi + margin, room.y)
    implot.setup_finish()
    known = np.isfinite(spread.lo)
    if known.any():
        implot.plot_shaded("##band", spread.times[known], spread.lo[known], spread.hi[known],
                           implot.Spec(fill_color=style.vec((*p.dim[:3], 0.25))))
    for k, ((at, values), colour) in enumerate(zip(members, style.ramp(len(members)))):
        if len(at):
            implot.plot_line(f"##{k}", at, values, implot.Spec(line_color=style.vec(colour), line_weight=widgets.scaled(1.4)))
    if len(own[0]):
        implot.plot_line("##simulation", *own, implot.Spec(line_color=style.vec(p.good), line_weight=widgets.scaled(2.2)))
    implot.end_plot()
