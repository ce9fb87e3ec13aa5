"""An impact as a strip of steps with gap, normal velocity, impulses and energy of one contact, and its path in the impulse plane.
"""

from dataclasses import dataclass, field

from app.analysis.forces import impact as insight
from app.analysis.forces import impulse_plane
from app.analysis.forces.impact import ImpactColumn, ObservedImpact
from app.analysis.forces.impulse_plane import ImpulsePlane
from app.analysis.microscope.exact import name_of_pair
from app.engine import commands
from app.engine.frame import ContactKey, Frame, contact_key
from app.engine.observers.impact_history import ImpactRecorder
from app.gui.controls import style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.panels import _impact_strip, _impulse_plane
from app.session import Session

TITLE = "Impact"
PLACE = "bottom"
ORDER = 27
OPEN = False
GROUP = "Forces"
ABOUT = "one impact, step by step"

NEWEST = "newest impact"
"""First line of the list of impacts."""

REFRESH_PICTURES = 8
"""Frames between two reads of the record, while running."""

STOP_WHEN_HIDDEN = 5.0
"""The recorder stops when the panel has been hidden for longer [s]."""

AUTO_RUN_LIMIT = 0.3
"""The last steps are recomputed automatically if that takes less [wall s]."""


@dataclass
class ImpactPanelState:
    """Shown data, until the next update. chosen: impact from the list, None: the newest; asked: where the past was recomputed;
    in_plane: the impulse plane is shown; struck: whether an impact in no time is recorded, plane: its diagram."""

    recorder: ImpactRecorder = field(default_factory=lambda: ImpactRecorder(STOP_WHEN_HIDDEN))
    count: int = 12
    chosen: ObservedImpact | None = None
    asked: tuple[str, int] = ("", -1)
    listed_for: tuple = ()
    rest: int = 0
    listed: list[ObservedImpact] = field(default_factory=list)
    key: ContactKey | None = None
    columns: list[ImpactColumn] = field(default_factory=list)
    story: str = ""
    in_plane: bool = False
    struck: bool = False
    plane: ImpulsePlane | None = None


def draw(session: Session) -> None:
    state = session.state(ImpactPanelState)
    if state.recorder not in session.simulation.observers.items:
        session.post(commands.add_observer, state.recorder)
    _recompute_last_steps(session, state)
    _update(session, state)
    _head(session, state)
    if not state.columns:
        widgets.wrapped("No impact is recorded. Run the scene: the steps of the next impact are shown side by side. Or "
                        "select a contact.", style.palette().dim)
        return
    if state.in_plane:
        _impulse_plane.draw(state.plane, state.struck)
        return
    widgets.wrapped(state.story)
    widgets.register_area("story")
    step = _impact_strip.draw(state.columns, session.frame.step)
    if step is not None:
        session.post(commands.go_to_step, step)


def _recompute_last_steps(session: Session, state: ImpactPanelState) -> None:
    """Just after opening while paused: recompute the last steps, if that is quick."""
    frame, here = session.frame, (session.frame.scene, session.frame.step)
    new = state.recorder.empty and state.asked != here
    if new and frame.paused and frame.report is not None and frame.step > frame.past.first:
        state.asked = here
        if 2.0 * _impact_strip.MAX_STEPS * frame.report.times["step"] < AUTO_RUN_LIMIT:
            session.post(commands.replay_last_steps, _impact_strip.MAX_STEPS)


def _update(session: Session, state: ImpactPanelState) -> None:
    """Read the record: at once while paused, at intervals while running."""
    frame, selection = session.frame, session.selection
    seen = (frame.scene, frame.step, state.recorder.last, state.count, state.chosen, selection.body, selection.contact)
    state.rest -= 1
    if seen == state.listed_for or (state.rest > 0 and not frame.paused and seen[3:] == state.listed_for[3:]):
        return
    if state.listed_for and state.listed_for[0] != frame.scene:
        state.chosen = None
    state.listed_for, state.rest = seen, REFRESH_PICTURES
    steps = state.recorder.steps
    found = insight.impacts(steps, selection.body)
    state.listed = found[: -insight.MAX_LISTED_IMPACTS - 1 : -1]
    impact, state.key = state.chosen, None
    if impact is None and 0 <= selection.contact < len(frame.contacts):
        contact = frame.contacts[selection.contact]
        state.key = contact_key(contact)
        impact = next((one for one in state.listed if one.key == state.key), None)
    elif impact is None and found:
        impact = found[-1]
    if impact is not None:
        state.key = impact.key
    state.columns = [] if state.key is None else insight.step_columns(
        steps, state.key, frame.step if impact is None else impact.first, state.count)
    state.story = insight.describe_impact(state.columns, impact)
    first, last = (frame.step, frame.step) if impact is None else (impact.first, impact.last)
    record = None if state.key is None else impulse_plane.find(steps, state.key[:2], first, last)
    state.struck, state.plane = record is not None, None if record is None else impulse_plane.plane(record)


def _head(session: Session, state: ImpactPanelState) -> None:
    """Draw the choice of impact, the number of steps, and the offer to replay the past."""
    frame = session.frame
    room = imgui.get_content_region_avail().x - widgets.scaled(190.0 if state.in_plane else 400.0)     # for the other controls
    imgui.set_next_item_width(min(widgets.scaled(330.0), max(widgets.combo_width(NEWEST), room)))
    opened = imgui.begin_combo("##impact", widgets.cut(_title(frame, state.chosen) if state.chosen else NEWEST))
    widgets.register_area("impact")
    if opened:
        if imgui.selectable(NEWEST, state.chosen is None)[0]:
            state.chosen = None
        widgets.register_area("newest impact")
        for i, one in enumerate(state.listed):
            if imgui.selectable(f"{_title(frame, one)}##{i}", one == state.chosen)[0]:
                state.chosen = one
            widgets.register_area(f"impact {i}")
        imgui.end_combo()
    else:
        widgets.tooltip("The latest impact (of the selected body or contact, if any), or one of the previous impacts, which then "
                        "stays selected.")
    widgets.same_line("Impulse plane")
    if (shown := widgets.toggle("Impulse plane", state.in_plane, "Show the impact as a path in the plane of normal and "
                                "tangential impulse (Routh's diagram), with its end by each law of impact.")) is not None:
        state.in_plane = shown
    if state.in_plane:
        return
    widgets.same_line("steps", 100.0)
    new = widgets.number("steps", state.count, lo=_impact_strip.MIN_STEPS, hi=_impact_strip.MAX_STEPS, inline=True,
                         width=widgets.scaled(90.0), help="Number of steps shown.")
    state.count = state.count if new is None else new
    imgui.same_line(0.0, widgets.scaled(4.0))
    widgets.dim_text("steps")
    widgets.same_line("Look back")
    if widgets.button("Look back",
                      message("Pause and recompute the last {max_steps} steps to show them.", max_steps=_impact_strip.MAX_STEPS),
                      name="look back"):
        session.post(commands.replay_last_steps, _impact_strip.MAX_STEPS)


def _title(frame: Frame, impact: ObservedImpact) -> str:
    return message("{pair}, step {step}: {speed} m/s", pair=name_of_pair(frame, *impact.bodies), step=impact.first,
                   speed=insight.number(impact.speed))
