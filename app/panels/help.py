"""Help: keys and mouse."""

import itertools
from collections.abc import Sequence

from app.gui.commands.actions import TOPICS, of_topic
from app.gui.controls import style, widgets
from app.i18n.imgui_translated import imgui
from app.session import Session

TITLE = "Keys and mouse"
PLACE = "float"
OPEN = False
GROUP = ""

MOUSE_ROWS = (
    ("Left drag on a body", "pull it with a spring"),
    ("Left drag on empty space, right drag", "orbit the view"),
    ("Middle drag, Shift+right drag", "pan the view"),
    ("Wheel", "zoom to the cursor"),
    ("Click", "select a body, joint or contact"),
    ("Ctrl+click, Ctrl+drag", "add to the selection"),
    ("Shift+click", "throw a ball"),
    ("Double-click or Ctrl+click a slider", "type a number"),
    ("Right-click a slider", "reset to default"),
)
FLY_ROW = ("W A S D Q E", "Fly")


HEADING_LINES = 2
"""Lines of a topic's heading."""
COLUMN_WIDTHS = (232.0, 210.0)
"""Widths of keys and descriptions [px at scale 1]."""


def markdown() -> str:
    """The same tables for docs/keys.md."""
    lines = []
    for title, rows in (("Mouse", MOUSE_ROWS), ("Keys", [row for topic in TOPICS for row in topic_rows(topic)])):
        lines += [f"| {title} | |", "| --- | --- |", *(f"| {keys} | {meaning} |" for keys, meaning in rows), ""]
    return "\n".join(lines).rstrip()


def draw(session: Session) -> None:
    """Draw the topics in two columns if there is room: mouse, scene, editing and time; the rest."""
    topics = [("Mouse", list(MOUSE_ROWS)), *((topic, topic_rows(topic)) for topic in TOPICS)]
    topics = [(title, rows) for title, rows in topics if rows]
    wide = imgui.get_main_viewport().work_size.x > widgets.scaled(2.0 * sum(COLUMN_WIDTHS) + 130.0)
    second = middle([len(rows) for _, rows in topics])
    if not imgui.begin_table("keys", 2 if wide else 1, imgui.TableFlags_.sizing_fixed_fit):
        return
    for column in range(2 if wide else 1):
        imgui.table_setup_column(str(column), imgui.TableColumnFlags_.width_fixed, widgets.scaled(sum(COLUMN_WIDTHS) + 36.0))
    imgui.table_next_column()
    for number, (title, rows) in enumerate(topics):
        if wide and number == second:
            imgui.table_next_column()
        _topic(title, rows)
    imgui.end_table()


def middle(lengths: Sequence[int]) -> int:
    """Topic at which the second column starts, for nearly equal heights. lengths: of all topics, in lines."""
    starts = list(itertools.accumulate((length + HEADING_LINES for length in lengths), initial=0))
    return min(range(1, max(2, len(lengths))), key=lambda k: abs(2 * starts[k] - starts[-1]))


def topic_rows(topic: str) -> list[tuple[str, str]]:
    """(keys, action) of one topic."""
    rows = []
    for many, group in itertools.groupby((action for action in of_topic(topic) if action.keys), lambda action: action.many):
        alike = list(group)
        rows += ([(f"{alike[0].shortcut} .. {alike[-1].shortcut}", many)] if many else
                 [(action.shortcut, action.label) for action in alike])
    return [*rows, FLY_ROW] if topic == "Camera" else rows


def _topic(title: str, rows: list[tuple[str, str]]) -> None:
    widgets.heading(title)
    if imgui.begin_table(title, 2, imgui.TableFlags_.sizing_fixed_fit):
        for label, width in zip(("what", "does"), COLUMN_WIDTHS):
            imgui.table_setup_column(label, imgui.TableColumnFlags_.width_fixed, widgets.scaled(width))
        for keys, meaning in rows:
            imgui.table_next_row()
            imgui.table_next_column()
            widgets.coloured(keys, style.palette().accent_strong)
            imgui.table_next_column()
            widgets.wrapped(meaning)
        imgui.end_table()
