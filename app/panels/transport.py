"""Time: run, pause, step, reset, speed, step size. Always visible."""

import math

from imgui_bundle import imgui

from app.gui import icons, style, widgets
from app.session import Session
from app.simulation import DT_RANGE

TITLE = "Transport"
PLACE = "top"
ORDER = 0

SPEEDS = (1.0 / 64.0, 4.0)


def draw(session: Session) -> None:
    simulation, frame = session.simulation, session.frame
    _buttons(session, frame.paused)
    _gap()
    widgets.dim("t")
    imgui.same_line(0.0, widgets.px(5.0))
    start = imgui.get_cursor_pos_x()
    imgui.text_unformatted(f"{frame.time:.3f} s")
    imgui.same_line(start + widgets.px(72.0))
    _gap()
    _speed(session, simulation.speed)
    _gap()
    _step_size(session, simulation.dt)
    _right(session)


def _buttons(session: Session, paused: bool) -> None:
    wide = widgets.px(92.0)
    if paused:
        if widgets.button(icons.text(icons.PLAY, "Run", ">"), "Run (Space, P)", name="run", accent=True, width=wide):
            session.post("run")
    elif widgets.button(icons.text(icons.PAUSE, "Pause"), "Pause (Space, P)", name="pause", width=wide):
        session.post("pause")
    imgui.same_line()
    imgui.push_item_flag(imgui.ItemFlags_.button_repeat, True)
    if widgets.button(icons.text(icons.STEP, "Step", ">|"), "One step, then pause (. or Right). Hold for more.", name="step"):
        session.post("single_step")
    imgui.pop_item_flag()
    imgui.same_line()
    if widgets.button(icons.text(icons.RESET, "Reset"), "Build the scene again; your settings stay (R)", name="reset"):
        session.post("reset")
    imgui.same_line()


def _speed(session: Session, speed: float) -> None:
    widgets.dim("speed")
    imgui.same_line()
    new = widgets.number("speed", speed, lo=SPEEDS[0], hi=SPEEDS[1], unit="\u00d7", log=True, default=1.0, inline=True,
                         width=widgets.px(110.0), help="Simulated seconds per second (- slower, = faster).")
    imgui.same_line()
    if new is not None:
        session.post("set_speed", new)


def _step_size(session: Session, dt: float) -> None:
    widgets.dim("step")
    imgui.same_line()
    scene = session.scene
    new = widgets.number("step size", dt * 1e3, lo=DT_RANGE[0] * 1e3, hi=DT_RANGE[1] * 1e3, unit="ms", log=True,
                         default=scene.dt * 1e3 if scene else None, inline=True, width=widgets.px(110.0),
                         help=f"Step size of the physics; now {1.0 / dt:.4g} steps a second. "
                              "Smaller is more accurate and costs more.")
    imgui.same_line()
    if new is not None:
        session.post("set_dt", step_of(new))


def step_of(milliseconds: float) -> float:
    """The step size in seconds, kept inside its range whatever rounding did."""
    return min(DT_RANGE[1], max(DT_RANGE[0], milliseconds * 1e-3))


def _right(session: Session) -> None:
    """Title, panels and help at the right end, as far as there is room."""
    scene = session.scene
    title = scene.title if scene else ""
    width = imgui.calc_text_size(title).x
    buttons = 2.0 * widgets.px(40.0)
    end = imgui.get_window_width() - widgets.px(12.0)
    here = imgui.get_cursor_pos_x()
    at = end - buttons - width - widgets.px(14.0)
    if at > here:
        imgui.same_line(at)
        imgui.push_style_color(imgui.Col_.text, style.vec(style.palette().dim))
        imgui.text_unformatted(title)
        imgui.pop_style_color()
    imgui.same_line(max(here, end - buttons))
    if widgets.button(icons.text(icons.PANELS, "", "="), "Panels: open, close, default layout", name="panels"):
        imgui.open_popup("panels")
    if imgui.begin_popup("panels"):
        _menu(session)
        imgui.end_popup()
    imgui.same_line()
    if widgets.button(icons.text(icons.HELP, "", "?"), "Keys and mouse (F1)", name="help"):
        session.request("panel:help")


def _menu(session: Session) -> None:
    for name, title, is_open in session.panels:
        if imgui.menu_item(title, "", is_open)[0]:
            session.request(f"panel:{name}")
        widgets.mark(f"panel {name}")
    imgui.separator()
    for label, keys, what in (("Default layout", "", "layout"), ("Screenshot", "F12", "screenshot"),
                              ("Hide everything", "Tab", "hide")):
        if imgui.menu_item(label, keys, False)[0]:
            session.request(what)


def _gap() -> None:
    imgui.dummy(imgui.ImVec2(widgets.px(10.0), 1.0))
    imgui.same_line()


def slower(speed: float) -> float:
    """The next lower power of two."""
    return max(SPEEDS[0], 2.0 ** math.ceil(math.log2(speed) - 1.0 - 1e-9))


def faster(speed: float) -> float:
    """The next higher power of two."""
    return min(SPEEDS[1], 2.0 ** math.floor(math.log2(speed) + 1.0 + 1e-9))
