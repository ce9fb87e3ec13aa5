"""An impact as a strip of steps: gap, normal velocity, impulses and energy of one contact, a column for each step."""

from dataclasses import dataclass, field

from app.engine.frame import Frame
from app.engine.identity import ContactKey, contact_key
from app.engine.impacts import ImpactRecorder
from app.gui.controls import style, widgets
from app.gui.speaking import imgui
from app.insight import impact as insight
from app.insight.exact import name_of_pair
from app.insight.impact import Column, Impact
from app.panels import _strip
from app.session import Session

TITLE = "Impact"
PLACE = "bottom"
ORDER = 27
OPEN = False

REST = 8
"""Pictures between two looks at what was recorded, while it runs."""

PATIENCE = 5.0
"""The recorder stops when the panel was not in sight for so long [s]."""

QUICK = 0.3
"""The last steps are made again without being asked for where that takes less [wall s]."""


@dataclass
class State:
    """What is shown, until the next look. chosen: one of the list, None: the newest; asked: where the past was looked at."""

    recorder: ImpactRecorder = field(default_factory=lambda: ImpactRecorder(PATIENCE))
    count: int = 12
    chosen: Impact | None = None
    asked: tuple[str, int] = ("", -1)
    seen: tuple = ()
    rest: int = 0
    listed: list[Impact] = field(default_factory=list)
    key: ContactKey | None = None
    columns: list[Column] = field(default_factory=list)
    story: str = ""


def draw(session: Session) -> None:
    state = session.memory(State)
    if state.recorder not in session.simulation.witnesses:
        session.post("call_witness", state.recorder)
    _look_back(session, state)
    _look(session, state)
    _head(session, state)
    if not state.columns:
        widgets.wrapped("No impact yet. Run the scene: as soon as something strikes, its steps stand here side by side. Or "
                        "select a contact.", style.palette().dim)
        return
    widgets.wrapped(state.story)
    widgets.mark("story")
    step = _strip.draw(state.columns, session.frame.step)
    if step is not None:
        session.post("go_to_step", step)


def _look_back(session: Session, state: State) -> None:
    """Just opened while time stands still: make the last steps again, if that is quick."""
    frame, here = session.frame, (session.frame.scene, session.frame.step)
    new = state.recorder.empty and state.asked != here
    if new and frame.paused and frame.report is not None and frame.step > frame.past.first:
        state.asked = here
        if 2.0 * _strip.MOST * frame.report.times["step"] < QUICK:
            session.post("look_back", _strip.MOST)


def _look(session: Session, state: State) -> None:
    """Take what was recorded: at once while time stands still, now and then while it runs."""
    frame, selection = session.frame, session.selection
    seen = (frame.scene, frame.step, state.recorder.last, state.count, state.chosen, selection.body, selection.contact)
    state.rest -= 1
    if seen == state.seen or (state.rest > 0 and not frame.paused and seen[3:] == state.seen[3:]):
        return
    if state.seen and state.seen[0] != frame.scene:
        state.chosen = None
    state.seen, state.rest = seen, REST
    steps = state.recorder.steps
    found = insight.impacts(steps, selection.body)
    state.listed = found[: -insight.LISTED - 1 : -1]
    impact, state.key = state.chosen, None
    if impact is None and 0 <= selection.contact < len(frame.contacts):
        contact = frame.contacts[selection.contact]
        state.key = contact_key(contact)
        impact = next((one for one in state.listed if one.key == state.key), None)
    elif impact is None and found:
        impact = found[-1]
    if impact is not None:
        state.key = impact.key
    state.columns = [] if state.key is None else insight.strip(
        steps, state.key, frame.step if impact is None else impact.first, state.count)
    state.story = insight.story(state.columns, impact)


def _head(session: Session, state: State) -> None:
    """Which impact, from a list; how many steps; the past."""
    frame = session.frame
    imgui.set_next_item_width(min(widgets.px(330.0), 0.5 * imgui.get_content_region_avail().x))
    opened = imgui.begin_combo("##impact", widgets.cut(_title(frame, state.chosen) if state.chosen else "newest impact"))
    widgets.mark("impact")
    if opened:
        if imgui.selectable("newest impact", state.chosen is None)[0]:
            state.chosen = None
        widgets.mark("newest impact")
        for i, one in enumerate(state.listed):
            if imgui.selectable(f"{_title(frame, one)}##{i}", one == state.chosen)[0]:
                state.chosen = one
            widgets.mark(f"impact {i}")
        imgui.end_combo()
    else:
        widgets.tooltip("The newest impact, of the selected body or contact if there is one; or one of the last impacts, which "
                        "then stays.")
    imgui.same_line()
    new = widgets.number("steps", state.count, lo=_strip.LEAST, hi=_strip.MOST, inline=True, width=widgets.px(90.0),
                         help="Steps in the strip.")
    state.count = state.count if new is None else new
    imgui.same_line(0.0, widgets.px(4.0))
    widgets.dim("steps")
    imgui.same_line()
    if widgets.button("Look back", f"Pause, and make the last {_strip.MOST} steps again to see them.", name="look back"):
        session.post("look_back", _strip.MOST)


def _title(frame: Frame, impact: Impact) -> str:
    return f"{name_of_pair(frame, *impact.bodies)}, step {impact.first}: {insight.number(impact.speed)} m/s"
