"""Time: run, pause, step, reset, record, the past, speed, step size. Always visible."""

from app.analysis.lessons.classroom_lock import Lock
from app.engine import commands
from app.engine.recording.validate_commands import DT_RANGE
from app.engine.simulation import Simulation
from app.gui.commands.actions import tip
from app.gui.controls import icons, style, widgets
from app.gui.controls.values import SPEEDS
from app.gui.output import recording_list
from app.gui.shell.first_minute import Instruments
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.panels._timeline_bar import bar
from app.session import Session

TITLE = "Transport"
PLACE = "top"
ORDER = 0

NARROW_WIDTH = 1100.0
"""Bars narrower than this omit words: icons and units stay [px at scale 1]."""
TWO_LINE_WIDTH = 790.0
"""In still narrower bars the past, speed and step size have a line of their own [px at scale 1]."""
SLIDER_WIDTHS = {False: 110.0, True: 84.0}
"""Widths of speed and step size, by whether the bar is narrow [px at scale 1]."""


def lines(width: float) -> int:
    """Number of lines of the bar, in a window of this width [px]."""
    return 2 if width < widgets.scaled(TWO_LINE_WIDTH) else 1


def draw(session: Session) -> None:
    simulation, frame = session.simulation, session.frame
    narrow = imgui.get_window_width() < widgets.scaled(NARROW_WIDTH)
    _buttons(session, frame.paused, narrow)
    _recorder(session)
    _gap(narrow)
    if not narrow:
        widgets.dim_text("t")
        imgui.same_line(0.0, widgets.scaled(5.0))
    start = imgui.get_cursor_pos_x()
    imgui.text_unformatted(f"{frame.time:.3f} s")
    if lines(imgui.get_window_width()) == 1:
        imgui.same_line(start + widgets.scaled(72.0))
    words = 0.0 if narrow else sum(imgui.calc_text_size(word).x for word in ("speed", "step"))
    rest = 2.0 * widgets.scaled(SLIDER_WIDTHS[narrow]) + words + (widgets.scaled(60.0) if narrow else widgets.scaled(86.0))
    room = imgui.get_window_width() - imgui.get_cursor_pos_x() - rest
    if room > widgets.scaled(60.0):
        bar(session, frame.time, min(widgets.scaled(520.0), room))
    _gap(narrow)
    _speed(session, simulation.speed, narrow)
    _gap(narrow)
    _step_size(session, simulation.dt, narrow)


def _buttons(session: Session, paused: bool, narrow: bool) -> None:
    wide = widgets.scaled(88.0)
    if paused:
        if widgets.button(icons.text(icons.PLAY, "Run", ">"), tip("run"), name="run", accent=True, width=wide):
            session.post(Simulation.run)
    elif widgets.button(icons.text(icons.PAUSE, "Pause"), tip("run"), name="pause", width=wide):
        session.post(Simulation.pause)
    imgui.same_line()
    imgui.push_item_flag(imgui.ItemFlags_.button_repeat, True)
    if widgets.button(icons.text(icons.STEP_BACK, "", "|<"), message("{tip} Hold to repeat.", tip=tip("step_back")),
                      name="step back"):
        session.post(commands.step_back)
    imgui.same_line()
    if widgets.button(icons.text(icons.STEP, "" if narrow else "Step", ">|"),
                      message("{tip} Hold to repeat.", tip=tip("step")), name="step"):
        session.post(Simulation.single_step)
    imgui.pop_item_flag()
    imgui.same_line()
    if widgets.button(icons.text(icons.RESET, "" if narrow else "Reset", "|<<"), tip("reset"), name="reset"):
        session.post(Simulation.reset)
    imgui.same_line()


def _recorder(session: Session) -> None:
    """Draw the controls of recording and replay."""
    p, simulation = style.palette(), session.simulation
    if session.state(Instruments).simple:
        return
    allowed = session.state(Lock).allows_action
    if allowed("record_motion"):
        if simulation.recorder.since >= 0:
            label = icons.text(icons.STOP, f"{max(0.0, session.frame.time - simulation.recorder.since_time):.1f} s", "[]")
            colours = (imgui.Col_.button, p.bad), (imgui.Col_.button_hovered, p.bad), (imgui.Col_.text, p.panel)
        else:
            label, colours = icons.text(icons.RECORD, "", "o"), ((imgui.Col_.text, p.bad),)
        for where, colour in colours:
            imgui.push_style_color(where, style.vec(colour))
        pressed = widgets.button(label, "", name="record")
        imgui.pop_style_color(len(colours))
        widgets.tooltip(tip("record_motion"))
        if pressed:
            recording_list.toggle(session)
        imgui.same_line()
    if allowed("play_back"):
        if widgets.button(icons.text(icons.BACKWARD, "", "<<"), tip("play_back"), name="play back",
                          accent=simulation.player.is_reversed):
            session.post(commands.play_back)
        imgui.same_line()
    if allowed("replay"):
        playing = simulation.player.playing and not session.frame.paused and not simulation.player.backwards
        if widgets.button(icons.text(icons.REPLAY, "", "<>"), tip("replay"), name="play past", accent=playing):
            session.post(commands.replay)
        imgui.same_line()


def _speed(session: Session, speed: float, narrow: bool) -> None:
    if not narrow:
        widgets.dim_text("speed")
        imgui.same_line()
    new = widgets.number("speed", speed, lo=SPEEDS[0], hi=SPEEDS[1], unit="\u00d7", log=True, default=1.0, inline=True,
                         width=widgets.scaled(SLIDER_WIDTHS[narrow]),
                         help=message("Simulated seconds per second. {slower} {faster}", slower=tip("slower"),
                                      faster=tip("faster")))
    imgui.same_line()
    if new is not None:
        session.post(Simulation.set_speed, new)


def _step_size(session: Session, dt: float, narrow: bool) -> None:
    if not narrow:
        widgets.dim_text("step")
        imgui.same_line()
    scene = session.scene
    new = widgets.number("step size", dt * 1e3, lo=DT_RANGE[0] * 1e3, hi=DT_RANGE[1] * 1e3, unit="ms", log=True,
                         default=scene.dt * 1e3 if scene else None, inline=True, width=widgets.scaled(SLIDER_WIDTHS[narrow]),
                         help=message("Step size of the physics; now {rate:.4g} steps per second. Smaller steps are more "
                                      "accurate and cost more.", rate=1.0 / dt))
    imgui.same_line()
    if new is not None:
        session.post(commands.set_dt, step_of(new))


def step_of(milliseconds: float) -> float:
    """Step size in seconds, clamped to its range against rounding."""
    return min(DT_RANGE[1], max(DT_RANGE[0], milliseconds / 1e3))


def _gap(narrow: bool) -> None:
    imgui.dummy(imgui.ImVec2(widgets.scaled(1.0 if narrow else 10.0), 1.0))
    imgui.same_line()
