"""Console: messages of the physics, logs, warnings, exceptions of every thread."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.console import MESSAGE_LEVELS, ConsoleLine, as_text, console
from app.gui.controls import flags, icons, style, widgets
from app.i18n.imgui_translated import imgui
from app.i18n.message import Message, message
from app.session import Session

TITLE = "Console"
PLACE = "bottom"
ORDER = 30
GROUP = "Program"
ABOUT = "messages, warnings and errors"

MAX_SHOWN = 100
"""Largest number of drawn lines; the others are found by searching."""
LEVEL_NAMES = {"error": "errors", "warning": "warnings", "note": "notes"}


@dataclass
class MessagesState:
    """The filter: levels, search words; opened: numbers of the lines whose details are shown."""

    levels: set[str] = field(default_factory=lambda: set(MESSAGE_LEVELS))
    text: str = ""
    opened: set[int] = field(default_factory=set)


def draw(session: Session) -> None:
    state = session.state(MessagesState)
    found = console().matching(state.levels, state.text)
    _bar(state, found)
    if not found:
        widgets.dim_text("Nothing to report." if not console().lines else "No matching message.")
        return
    if imgui.begin_child("lines", child_flags=flags.WITHIN):
        now = time.perf_counter()
        for line in found[:MAX_SHOWN]:
            _line(state, line, now)
        if len(found) > MAX_SHOWN:
            widgets.dim_text(message("{older} older messages: search, or copy all.", older=len(found) - MAX_SHOWN))
    imgui.end_child()


def counted(counts: Mapping[str, int]) -> dict[str, Message]:
    """Numbers of messages in words, by level."""
    return {"error": message("{count} error", "{count} errors", count=counts["error"]),
            "warning": message("{count} warning", "{count} warnings", count=counts["warning"]),
            "note": message("{count} note", "{count} notes", count=counts["note"])}


def _bar(state: MessagesState, found: list[ConsoleLine]) -> None:
    """Draw levels with their counts, search, copy, clear."""
    texts = counted(console().counts)
    for level in MESSAGE_LEVELS:
        if level != MESSAGE_LEVELS[0]:
            widgets.same_line(texts[level])
        new = widgets.toggle(f"{texts[level]}###{level}", level in state.levels,
                             message("Show or hide {name}.", name=LEVEL_NAMES[level]))
        if new is not None:
            state.levels ^= {level}
    widgets.same_line("")
    if widgets.button(icons.text(icons.COPY, "", "copy"), "Copy the visible messages with details.", name="copy"):
        imgui.set_clipboard_text(as_text(found))
    widgets.same_line("")
    if widgets.button(icons.text(icons.TRASH, "", "clear"), "Clear all messages.", name="clear"):
        console().clear()
        state.opened.clear()
    if imgui.get_content_region_avail().x > widgets.scaled(1.0):
        imgui.same_line()
        if imgui.get_content_region_avail().x < widgets.scaled(120.0):
            imgui.new_line()
    state.text = widgets.search("search messages", state.text, "search")


def _line(state: MessagesState, line: ConsoleLine, now: float) -> None:
    p = style.palette()
    colour = {"error": p.bad, "warning": p.warn}.get(line.level, p.text)
    widgets.dim_text(ago(now - line.wall))
    imgui.same_line(widgets.scaled(84.0))
    if line.detail:
        opened = line.number in state.opened
        if imgui.small_button(f"{'-' if opened else '+'}##{line.number}"):
            state.opened ^= {line.number}
        widgets.register_area(f"details {line.number}")
        widgets.tooltip("Show or hide the source.")
        imgui.same_line()
    widgets.wrapped(line.text + (message(" ({count} times)", count=line.count) if line.count > 1 else ""), colour)
    widgets.tooltip(line.source)
    if line.number in state.opened:
        widgets.wrapped(line.detail, p.dim)


def ago(seconds: float) -> str:
    """Format an age roughly."""
    if seconds < 60.0:
        return message("{value:.0f} s ago", value=max(0.0, seconds))
    return message("{seconds:.0f} min ago",
                   seconds=seconds / 60.0) if seconds < 3600.0 else message("{seconds:.0f} h ago", seconds=seconds / 3600.0)
