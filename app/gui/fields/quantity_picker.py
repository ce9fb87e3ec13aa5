"""The list of everything that can be plotted, by words; and "plot this" from elsewhere: the same list, opened with a word."""

from dataclasses import dataclass, field

from app.gui.controls import flags, icons, widgets
from app.gui.speaking import imgui
from app.insight.board import Board
from app.session import Session
from physics import quantities

NAME = "quantities"


@dataclass
class Picker:
    """The text and what it finds. ask: words to open it with."""

    text: str = ""
    keys: quantities.Keys | None = None
    made_for: tuple[str, int, int] = ("", -1, -1)
    found: list[str] = field(default_factory=list)
    asked: str = "\0"
    ask: str | None = None


def plot_this(session: Session, words: str) -> None:
    """Show the plot with its list of quantities, for these words: "body:door.", "contact:A & B #0/1/0."."""
    session.memory(Picker).ask = words
    session.request("show:plot")


def button(session: Session, words: str) -> None:
    """A small button that does so; after a name or at the end of a group of numbers."""
    if widgets.button(icons.text(icons.CHART, "Plot ...", ""), "Choose which of its numbers the plot records and draws.",
                      name=f"plot {words.partition(':')[0]}"):
        plot_this(session, words)


def draw(session: Session, board: Board) -> None:
    """The popup; a chosen quantity goes into the active part."""
    picker = session.memory(Picker)
    if picker.ask is not None:
        picker.text, picker.ask = picker.ask, None
        imgui.open_popup(NAME)
    imgui.set_next_window_size(imgui.ImVec2(widgets.px(380.0), widgets.px(340.0)))
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


def _into(board: Board) -> None:
    """Which part the next quantities go to, where there are several."""
    if len(board.parts) < 2:
        return
    widgets.dim("into plot")
    for part in board.parts:
        imgui.same_line()
        if imgui.radio_button(f"{part.number}", board.active == part.number):
            board.active = part.number
        widgets.mark(f"into {part.number}")


def _look(session: Session, picker: Picker) -> None:
    """Contacts come and go: the list is made when it is opened and when bodies or joints are added or removed."""
    at = (session.frame.scene, session.frame.revision, 0)
    if picker.keys is None or picker.made_for != at:
        picker.keys, picker.made_for, picker.asked = quantities.all_keys(session.simulation.world), at, "\0"
    if picker.text != picker.asked:
        picker.asked, picker.found = picker.text, list(picker.keys.matching(picker.text)) if picker.text.strip() else []


def _list(session: Session, board: Board, picker: Picker) -> None:
    shown = picker.found if picker.text.strip() else picker.keys
    followed = set(session.traces.keys)
    if imgui.begin_child("keys", child_flags=flags.WITHIN):
        if not len(shown):
            widgets.wrapped("Nothing has these words in its name.")
        clipper = imgui.ListClipper()
        clipper.begin(len(shown))
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                key = shown[i]
                if imgui.selectable(key, key in followed, imgui.SelectableFlags_.no_auto_close_popups)[0]:
                    _toggle(session, board, key, key in followed)
                widgets.mark(f"quantity {key}")
    imgui.end_child()


def _toggle(session: Session, board: Board, key: str, followed: bool) -> None:
    session.post("unfollow" if followed else "follow", key)
    active = next((part for part in board.parts if part.number == board.active), board.parts[0])
    board.put(key, None if followed or (len(board.parts) == 1 and not active.x) else active.number)
