"""The searchable list of all quantities that can be plotted; other panels can open it with given words."""

from dataclasses import dataclass, field

from app.analysis.curves.plot_layout import PlotLayout
from app.engine import commands
from app.gui.controls import flags, icons, widgets
from app.i18n.imgui_translated import imgui
from app.session import Session
from physics.observe import quantities

NAME = "quantities"


@dataclass
class Picker:
    """Search text and results. ask: words to open the list with."""

    text: str = ""
    keys: quantities.Keys | None = None
    made_for: tuple[str, int, int] = ("", -1, -1)
    found: list[str] = field(default_factory=list)
    asked: str = "\0"
    ask: str | None = None


def plot_this(session: Session, words: str) -> None:
    """Open the plot's list of quantities with these words: "body:door.", "contact:A & B #0/1/0."."""
    session.state(Picker).ask = words
    session.window.show_panel("plot")


def button(session: Session, words: str) -> None:
    """A small button for `plot_this`, after a name or at the end of a group of numbers."""
    if widgets.button(icons.text(icons.CHART, "Plot ...", ""), "Choose the quantities to plot.",
                      name=f"plot {words.partition(':')[0]}"):
        plot_this(session, words)


def draw(session: Session, board: PlotLayout) -> None:
    """Draw the popup; a chosen quantity goes into the active part."""
    picker = session.state(Picker)
    if picker.ask is not None:
        picker.text, picker.ask = picker.ask, None
        imgui.open_popup(NAME)
    imgui.set_next_window_size(imgui.ImVec2(widgets.scaled(380.0), widgets.scaled(340.0)))
    if not imgui.begin_popup(NAME):
        picker.asked = "\0"
        return
    if imgui.is_window_appearing():
        imgui.set_keyboard_focus_here()
        picker.made_for = ("", -1, -1)
    picker.text = widgets.search("search quantities", picker.text, "body, joint, contact, energy ...")
    _into(board)
    _look(session, picker)
    _list(session, board, picker)
    imgui.end_popup()


def _into(board: PlotLayout) -> None:
    """Choose the part that the next quantities go to, if there are several."""
    if len(board.parts) < 2:
        return
    widgets.dim_text("into plot")
    for part in board.parts:
        imgui.same_line()
        if imgui.radio_button(f"{part.number}", board.active == part.number):
            board.active = part.number
        widgets.register_area(f"into {part.number}")


def _look(session: Session, picker: Picker) -> None:
    """Update the keys when the list is opened and when bodies or joints change; not for contacts, which come and go."""
    at = (session.frame.scene, session.frame.revision, 0)
    if picker.keys is None or picker.made_for != at:
        picker.keys, picker.made_for, picker.asked = quantities.all_keys(session.frame.as_world), at, "\0"
    if picker.text != picker.asked:
        picker.asked, picker.found = picker.text, list(picker.keys.find_matching(picker.text)) if picker.text.strip() else []


def _list(session: Session, board: PlotLayout, picker: Picker) -> None:
    shown = picker.found if picker.text.strip() else picker.keys
    followed = set(session.traces.keys)
    if imgui.begin_child("keys", child_flags=flags.WITHIN):
        if not len(shown):
            widgets.wrapped("No quantity matches.")
        clipper = imgui.ListClipper()
        clipper.begin(len(shown))
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                key = shown[i]
                if imgui.selectable(key, key in followed, imgui.SelectableFlags_.no_auto_close_popups)[0]:
                    _toggle(session, board, key, key in followed)
                widgets.register_area(f"quantity {key}")
    imgui.end_child()


def _toggle(session: Session, board: PlotLayout, key: str, followed: bool) -> None:
    session.post(commands.unfollow if followed else commands.follow, key)
    active = next((part for part in board.parts if part.number == board.active), board.parts[0])
    board.move_curve(key, None if followed or active.pairs or (len(board.parts) == 1 and not active.x) else active.number)
