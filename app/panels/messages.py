"""Everything that was said: messages of the physics, logs, warnings, exceptions of every thread."""

import time
from dataclasses import dataclass, field

from app.gui.controls import flags, icons, style, widgets
from app.gui.speaking import imgui
from app.insight.console import LEVELS, Line, as_text, console
from app.session import Session

TITLE = "Console"
PLACE = "bottom"
ORDER = 30

SHOWN = 100
"""Lines drawn; the others are found by searching."""
NAMES = {"error": "errors", "warning": "warnings", "note": "notes"}


@dataclass
class State:
    """What is shown: the levels, the lines with these words; opened: numbers of the lines whose details are shown."""

    levels: set[str] = field(default_factory=lambda: set(LEVELS))
    text: str = ""
    opened: set[int] = field(default_factory=set)


def draw(session: Session) -> None:
    state = session.memory(State)
    found = console().matching(state.levels, state.text)
    _bar(state, found)
    if not found:
        widgets.dim("Nothing to report." if not console().lines else "No such line.")
        return
    if imgui.begin_child("lines", child_flags=flags.WITHIN):
        now = time.perf_counter()
        for line in found[:SHOWN]:
            _line(state, line, now)
        if len(found) > SHOWN:
            widgets.dim(f"{len(found) - SHOWN} older ones: search them, or copy all.")
    imgui.end_child()


def _bar(state: State, found: list[Line]) -> None:
    """Levels with their counts, search, copy, clear."""
    counts = console().counts
    for level in LEVELS:
        new = widgets.toggle(f"{counts[level]} {NAMES[level]}###{level}", level in state.levels, f"Show {NAMES[level]}, or not.")
        if new is not None:
            state.levels ^= {level}
        imgui.same_line()
    if widgets.button(icons.text(icons.COPY, "", "copy"), "Copy the lines that are shown, with all details.", name="copy"):
        imgui.set_clipboard_text(as_text(found))
    imgui.same_line()
    if widgets.button(icons.text(icons.TRASH, "", "clear"), "Forget all lines.", name="clear"):
        console().clear()
        state.opened.clear()
    if imgui.get_content_region_avail().x > widgets.px(1.0):
        imgui.same_line()
        if imgui.get_content_region_avail().x < widgets.px(120.0):
            imgui.new_line()
    state.text = widgets.search("search lines", state.text, "search")


def _line(state: State, line: Line, now: float) -> None:
    p = style.palette()
    colour = {"error": p.bad, "warning": p.warn}.get(line.level, p.text)
    widgets.dim(ago(now - line.wall))
    imgui.same_line(widgets.px(84.0))
    if line.detail:
        opened = line.number in state.opened
        if imgui.small_button(f"{'-' if opened else '+'}##{line.number}"):
            state.opened ^= {line.number}
        widgets.mark(f"details {line.number}")
        widgets.tooltip("Where it came from, or not.")
        imgui.same_line()
    widgets.wrapped(line.text + (f" ({line.count} times)" if line.count > 1 else ""), colour)
    widgets.tooltip(line.source)
    if line.number in state.opened:
        widgets.wrapped(line.detail, p.dim)


def ago(seconds: float) -> str:
    """How long ago, roughly."""
    if seconds < 60.0:
        return f"{max(0.0, seconds):.0f} s ago"
    return f"{seconds / 60.0:.0f} min ago" if seconds < 3600.0 else f"{seconds / 3600.0:.0f} h ago"
