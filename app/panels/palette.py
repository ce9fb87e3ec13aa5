"""Command palette: all actions, found by typing a few letters; a value can be typed behind a name."""

from dataclasses import dataclass, field

from app.gui.commands.palette_entries import Entry, entries
from app.gui.controls import flags, style, widgets
from app.gui.controls.fuzzy_search import find, with_value
from app.gui.controls.search_list import SearchList
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message
from app.session import Session

TITLE = "All commands"
PLACE = "popup"
OPEN = False
SIZE = (640.0, 470.0)

MAX_RECENT = 4


@dataclass
class PaletteState:
    """All entries and the matching ones; asked: the one whose value is being typed; refused: why the value was rejected."""

    typed: SearchList = field(default_factory=SearchList)
    value: SearchList = field(default_factory=SearchList)
    all: list[Entry] = field(default_factory=list)
    found: list[Entry] = field(default_factory=list)
    asked: Entry | None = None
    refused: str = ""
    recent: list[str] = field(default_factory=list)


def draw(session: Session) -> None:
    state = session.state(PaletteState)
    if imgui.is_window_appearing():
        state.all, state.asked, state.refused = entries(session), None, ""
        state.typed.begin()
        state.found = matching(state)
    if state.asked is None:
        _choose(session, state)
    else:
        _ask(session, state, state.asked)


def matching(state: PaletteState) -> list[Entry]:
    """Entries that match the text; recently used first while it is empty."""
    typed = state.typed.text

    def fitting(rows: list[Entry], text: str) -> list[Entry]:
        return find(rows, text, lambda entry: translate.both(entry.label),
                    lambda entry: f"{entry.group} {entry.help} {translate.both(entry.words)}")

    text, value = with_value(typed)
    if value and (found := fitting([entry for entry in state.all if entry.setting], text)):
        return found
    if typed.strip():
        return fitting(state.all, typed)
    return sorted(state.all, key=lambda entry: state.recent.index(entry.label) if entry.label in state.recent else MAX_RECENT)


def _choose(session: Session, state: PaletteState) -> None:
    changed, entered = state.typed.line("search", "Type to search: solver, door, set iterations 80 ...")
    if changed:
        state.found = matching(state)
    if not state.found:
        widgets.dim_text("no match")
        return
    state.typed.steer(len(state.found))
    entered = entered and (bool(state.typed.text.strip()) or state.typed.steered)      # else nothing was chosen
    if imgui.begin_child("entries", child_flags=flags.WITHIN):
        for i, entry in enumerate(state.found):
            if _line(entry, i == state.typed.at):
                state.typed.at, entered = i, True
            state.typed.scroll_into_view(i)
    imgui.end_child()
    if entered:
        _run_entry(session, state, state.found[state.typed.at])


def _line(entry: Entry, chosen: bool) -> bool:
    p, start, width = style.palette(), imgui.get_cursor_pos_x(), imgui.get_content_region_avail().x
    clicked = imgui.selectable(f"##{entry.group} {entry.label}", chosen)[0]
    widgets.register_area(entry.label)
    widgets.tooltip(entry.help)
    imgui.same_line(start + widgets.scaled(4.0))
    widgets.dim_text(entry.group)
    imgui.same_line(start + widgets.scaled(86.0))
    widgets.coloured(entry.label, p.text)
    end = start + width - widgets.scaled(6.0)
    if entry.state:
        imgui.same_line()
        widgets.right(entry.state, p.dim, end - (widgets.scaled(130.0) if entry.keys else 0.0))
    if entry.keys:
        imgui.same_line()
        widgets.right(entry.keys, p.accent_strong, end)
    return clicked


def _run_entry(session: Session, state: PaletteState, entry: Entry) -> None:
    state.recent = [entry.label, *(label for label in state.recent if label != entry.label)][:MAX_RECENT]
    value = with_value(state.typed.text)[1]
    if entry.setting is None:
        entry.do()
        session.window.toggle_panel("palette")
    elif value:
        _commit(session, state, entry, value)
    else:
        state.asked, state.refused = entry, ""
        state.value.begin()


def _ask(session: Session, state: PaletteState, entry: Entry) -> None:
    """Draw the second page: the value of an entry."""
    p = style.palette()
    widgets.coloured(message("{entry} (now {shown})", entry=entry.label, shown=entry.setting.shown), p.text)
    _, entered = state.value.line("value", entry.setting.allowed)
    if state.refused:
        widgets.wrapped(state.refused, p.warn)
    for choice in entry.setting.choices:
        if imgui.selectable(choice, choice == entry.setting.value)[0]:
            state.value.text, entered = choice, True
        widgets.register_area(choice)
    widgets.wrapped(entry.help, p.dim)
    if entered:
        _commit(session, state, entry, state.value.text)


def _commit(session: Session, state: PaletteState, entry: Entry, text: str) -> None:
    state.refused = entry.setting.set_from_text(text)
    if state.refused:
        state.asked, state.value.text, state.value.focus = entry, text, True
    else:
        session.window.toggle_panel("palette")
