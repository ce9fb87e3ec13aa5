"""Time: run, pause, step, reset, record, the past, speed, step size. Always visible."""

from app.engine.deeds import DT_RANGE
from app.gui.actions import tip
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import SPEEDS
from app.gui.output import tapes
from app.gui.speaking import imgui
from app.insight.lock import Lock
from app.panels._past import bar
from app.session import Session

TITLE = "Transport"
PLACE = "top"
ORDER = 0

NARROW = 1100.0
"""In a bar that is narrower than this the words are left out: signs and units stay [px at scale 1]."""
TWO_LINES = 790.0
"""In one that is still narrower the past, speed and step size have a line of their own [px at scale 1]."""
SLIDER = {False: 110.0, True: 84.0}
"""Of speed and step size, by whether the bar is narrow [px at scale 1]."""


def lines(width: float) -> int:
    """Of the bar, in a window of this width [px]."""
    return 2 if width < widgets.px(TWO_LINES) else 1


def draw(session: Session) -> None:
    simulation, frame = session.simulation, session.frame
    narrow = imgui.get_window_width() < widgets.px(NARROW)
    _buttons(session, frame.paused, narrow)
    _recorder(session)
    _gap(narrow)
    if not narrow:
        widgets.dim("t")
        imgui.same_line(0.0, widgets.px(5.0))
    start = imgui.get_cursor_pos_x()
    imgui.text_unformatted(f"{frame.time:.3f} s")
    if lines(imgui.get_window_width()) == 1:
        imgui.same_line(start + widgets.px(72.0))
    words = 0.0 if narrow else sum(imgui.calc_text_size(word).x for word in ("speed", "step"))
    rest = 2.0 * widgets.px(SLIDER[narrow]) + words + (widgets.px(60.0) if narrow else widgets.px(86.0))
    room = imgui.get_window_width() - imgui.get_cursor_pos_x() - rest
    if room > widgets.px(60.0):
        bar(session, frame.time, min(widgets.px(520.0), room))
    _gap(narrow)
    _speed(session, simulation.speed, narrow)
    _gap(narrow)
    _step_size(session, simulation.dt, narrow)


def _buttons(session: Session, paused: bool, narrow: bool) -> None:
    wide = widgets.px(88.0)
    if paused:
        if widgets.button(icons.text(icons.PLAY, "Run", ">"), tip("run"), name="run", accent=True, width=wide):
            session.post("run")
    elif widgets.button(icons.text(icons.PAUSE, "Pause"), tip("run"), name="pause", width=wide):
        session.post("pause")
    imgui.same_line()
    imgui.push_item_flag(imgui.ItemFlags_.button_repeat, True)
    if widgets.button(icons.text(icons.STEP_BACK, "", "|<"), f"{tip('step_back')} Hold for more.",
                      name="step back"):
        session.post("step_back")
    imgui.same_line()
    if widgets.button(icons.text(icons.STEP, "" if narrow else "Step", ">|"), f"{tip('step')} Hold for more.", name="step"):
        session.post("single_step")
    imgui.pop_item_flag()
    imgui.same_line()
    if widgets.button(icons.text(icons.RESET, "" if narrow else "Reset", "|<<"), tip("reset"), name="reset"):
        session.post("reset")
    imgui.same_line()


def _recorder(session: Session) -> None:
    """Record, and see the past again."""
    p, simulation = style.palette(), session.simulation
    allowed = session.memory(Lock).allows_action
    if allowed("tape"):
        if simulation.since >= 0:
            label = icons.text(icons.STOP, f"{max(0.0, session.frame.time - simulation.since_time):.1f} s", "[]")
            colours = (imgui.Col_.button, p.bad), (imgui.Col_.button_hovered, p.bad), (imgui.Col_.text, p.panel)
        else:
            label, colours = icons.text(icons.RECORD, "", "o"), ((imgui.Col_.text, p.bad),)
        for where, colour in colours:
            imgui.push_style_color(where, style.vec(colour))
        pressed = widgets.button(label, "", name="record")
        imgui.pop_style_color(len(colours))
        widgets.tooltip(tip("tape"))
        if pressed:
            tapes.toggle(session)
        imgui.same_line()
    if allowed("play_back"):
        if widgets.button(icons.text(icons.BACKWARD, "", "<<"), tip("play_back"), name="play back", accent=simulation.in_reverse):
            session.post("play_back")
        imgui.same_line()
    if allowed("play_past"):
        playing = simulation.playing and not session.frame.paused and not simulation.backwards
        if widgets.button(icons.text(icons.REPLAY, "", "<>"), tip("play_past"), name="play past", accent=playing):
            session.post("play_past")
        imgui.same_line()


def _speed(session: Session, speed: float, narrow: bool) -> None:
    if not narrow:
        widgets.dim("speed")
        imgui.same_line()
    new = widgets.number("speed", speed, lo=SPEEDS[0], hi=SPEEDS[1], unit="\u00d7", log=True, default=1.0, inline=True,
                         width=widgets.px(SLIDER[narrow]), help=f"Simulated seconds per second. {tip('slower')} {tip('faster')}")
    imgui.same_line()
    if new is not None:
        session.post("set_speed", new)


def _step_size(session: Session, dt: float, narrow: bool) -> None:
    if not narrow:
        widgets.dim("step")
        imgui.same_line()
    scene = session.scene
    new = widgets.number("step size", dt * 1e3, lo=DT_RANGE[0] * 1e3, hi=DT_RANGE[1] * 1e3, unit="ms", log=True,
                         default=scene.dt * 1e3 if scene else None, inline=True, width=widgets.px(SLIDER[narrow]),
                         help=f"Step size of the physics; now {1.0 / dt:.4g} steps a second. "
                              "Smaller is more accurate and costs more.")
    imgui.same_line()
    if new is not None:
        session.post("set_dt", step_of(new))


def step_of(milliseconds: float) -> float:
    """The step size in seconds, kept inside its range whatever rounding did."""
    return min(DT_RANGE[1], max(DT_RANGE[0], milliseconds / 1e3))


def _gap(narrow: bool) -> None:
    imgui.dummy(imgui.ImVec2(widgets.px(1.0 if narrow else 10.0), 1.0))
    imgui.same_line()
