"""The searchable list of all quantities that can be plotted; other panels can open it with given words."""

from dataclasses import dataclass, field

from app.analysis.curves.plot_layout import PlotLayout
from app.engine import commands
from app.gui.controls import flags, icons, style, widgets
from app.gui.controls.search_list import SearchList
from app.i18n.imgui_translated import imgui
from app.session import Session
from physics import BadInput
from scenes import QuantityKeys, find_quantity

POPUP_NAME = "quantities"


@dataclass
class Picker:
    """Search text with the chosen row, and results. ask: words to open the list with."""

    typed: SearchList = field(default_factory=SearchList)
    keys: QuantityKeys | None = None
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


def draw(session: Session, layout: PlotLayout) -> None:
    """Draw the popup; a chosen quantity goes into the active part."""
    picker = session.state(Picker)
    if picker.ask is not None:
        imgui.open_popup(POPUP_NAME)        # not at the mouse, which may be anywhere when a key opens it
        corner = imgui.get_window_pos()
        imgui.set_next_window_pos(imgui.ImVec2(corner.x + widgets.scaled(12.0), corner.y), imgui.Cond_.always,
                                  imgui.ImVec2(0.0, 1.0))
    imgui.set_next_window_size(imgui.ImVec2(widgets.scaled(460.0), widgets.scaled(340.0)))
    if not imgui.begin_popup(POPUP_NAME):
        picker.asked = "\0"
        return
    if imgui.is_window_appearing():
        picker.typed.begin()
        picker.typed.text, picker.ask = picker.ask or "", None
        picker.made_for = ("", -1, -1)
    _, entered = picker.typed.line("search quantities", "body, joint, contact, energy ...")
    _into(layout)
    _update_keys(session, picker)
    _list(session, layout, picker, entered)
    imgui.end_popup()


def _into(layout: PlotLayout) -> None:
    """Choose the part that the next quantities go to, if there are several."""
    if len(layout.parts) < 2:
        return
    widgets.dim_text("into plot")
    for part in layout.parts:
        imgui.same_line()
        if imgui.radio_button(f"{part.number}", layout.active == part.number):
            layout.active = part.number
        widgets.register_area(f"into {part.number}")


def _update_keys(session: Session, picker: Picker) -> None:
    """Update the keys when the list is opened and when bodies or joints change; not for contacts, which come and go."""
    at = (session.frame.scene, session.frame.revision, 0)
    if picker.keys is None or picker.made_for != at:
        picker.keys, picker.made_for, picker.asked = QuantityKeys(session.frame.as_world, session.scene), at, "\0"
    text = picker.typed.text
    if text != picker.asked:
        picker.asked, picker.found = text, list(picker.keys.find_matching(text)) if text.strip() else []


def _list(session: Session, layout: PlotLayout, picker: Picker, entered: bool) -> None:
    """Draw the quantities by their names and keys. entered: the chosen one is plotted, or no more."""
    shown = picker.found if picker.typed.text.strip() else picker.keys
    drawn = set(session.traces.keys) - layout.not_drawn
    if len(shown):
        picker.typed.steer(len(shown))
        if entered:
            key = shown[picker.typed.at]
            _toggle(session, layout, key, key in drawn)
    if imgui.begin_child("keys", child_flags=flags.WITHIN):
        if not len(shown):
            widgets.wrapped("No quantity matches.")
        clipper = imgui.ListClipper()
        clipper.begin(len(shown))
        if len(shown):
            clipper.include_item_by_index(picker.typed.at)
        while clipper.step():
            for i in range(clipper.display_start, clipper.display_end):
                if _line(session, shown[i], shown[i] in drawn, i == picker.typed.at):
                    picker.typed.at = i
                    _toggle(session, layout, shown[i], shown[i] in drawn)
                picker.typed.scroll_into_view(i)
    imgui.end_child()


def _line(session: Session, key: str, drawn: bool, chosen: bool) -> bool:
    """Draw a quantity: a mark if it is plotted, its name, its key; returns whether it was clicked."""
    p, end = style.palette(), widgets.cell_end() - widgets.scaled(4.0)
    clicked = imgui.selectable(f"##{key}", chosen, imgui.SelectableFlags_.no_auto_close_popups)[0]
    widgets.register_area(f"quantity {key}")
    imgui.same_line(widgets.scaled(4.0))
    widgets.coloured(icons.text(icons.CHART, "", "*") if drawn else "", p.accent_strong)
    imgui.same_line(widgets.scaled(24.0))
    widgets.coloured(_name(session, key), p.accent_strong if drawn else p.text)
    imgui.same_line()
    room = end - imgui.get_cursor_pos_x()
    if room > widgets.scaled(40.0):
        widgets.right(widgets.cut(key, room), p.dim, end)
    return clicked


def _name(session: Session, key: str) -> str:
    """Name and unit of a quantity; its key if it is not there any more."""
    try:
        return find_quantity(session.frame.as_world, key, session.scene).header
    except BadInput:
        return key


def _toggle(session: Session, layout: PlotLayout, key: str, drawn: bool) -> None:
    if key not in layout.not_drawn:     # else it is recorded already
        session.post(commands.unfollow if drawn else commands.follow, key)
    active = next((part for part in layout.parts if part.number == layout.active), layout.parts[0])
    layout.move_curve(key, None if drawn or active.pairs or (len(layout.parts) == 1 and not active.x) else active.number)
