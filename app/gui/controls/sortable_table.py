"""Sortable tables of rows (app/analysis/forces/tables.py): clickable heads and rows; only visible rows are drawn."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.analysis.forces.tables import TableColumns
from app.engine.frame import Frame
from app.gui.controls import flags, style, tables, widgets
from app.gui.text.chinese_lines import ELLIPSIS
from app.i18n.imgui_translated import imgui
from app.session import Session

REFRESH_INTERVAL = 0.25
"""While the simulation runs the numbers change once in this time, so that they can be read [s]."""


class Column(NamedTuple):
    """key: of TableColumns.columns; width [px at scale 1, 0: what is left]; text: of a row, by (frame, table index, number)."""

    key: str
    head: str
    width: float
    help: str
    text: Callable[[Frame, int, float], str]
    bar: bool = False


@dataclass
class Sorted:
    """One table: its sorting, whether only the selected body's rows are shown, and the rows of one frame."""

    column: str
    down: bool = True
    own: bool = False
    rows: TableColumns | None = None
    order: np.ndarray | None = None
    of: tuple = ()
    made: float = 0.0

    def update_rows(self, session: Session, make: Callable[[int], TableColumns]) -> TableColumns:
        """The rows, updated for another frame but not too often while running. make: rows of a body, -1: of all."""
        frame, body = session.frame, session.selection.body if self.own else -1
        of, now = (body, frame.scene, frame.revision, frame.paused, frame.step if frame.paused else 0), time.perf_counter()
        if self.rows is None or self.of != of or (self.rows.frame is not frame and now - self.made >= REFRESH_INTERVAL):
            self.rows, self.of, self.made, self.order = make(body), of, now, None
        if self.order is None:
            self.order = self.rows.order(self.column, self.down)
        return self.rows


def head(session: Session, table: Sorted, count: str) -> None:
    """Draw the count, in words, and the switch to the rows of the selected body."""
    new = widgets.toggle("of the selected body", table.own, "Show only rows of the selected body.")
    if new is not None:
        table.own = new
    imgui.same_line()
    imgui.align_text_to_frame_padding()
    widgets.dim_text(count + (": select a body" if table.own and session.selection.body < 0 else ""))


def draw(table: Sorted, columns: tuple[Column, ...], chosen: int, colour: Callable[[int], style.RGBA]) -> tuple[int, bool]:
    """Draw the table; returns (index of the clicked row or -1, whether double-clicked). chosen: index of the row to mark. colour:
    of a row's bar, by its place."""
    rows, clicked, twice = table.rows, -1, False
    if not tables.begin(rows.kind, [(c.head, c.width, c.help) for c in columns], sort=_sort(table, columns)):
        return clicked, twice
    if table.order is None:     # a head was clicked
        table.order = rows.order(table.column, table.down)
    for place in tables.visible_rows(len(table.order)):
        k = int(table.order[place])
        index = int(rows.index[k])
        imgui.table_next_row()
        for column in columns:
            imgui.table_next_column()
            value = rows.columns[column.key][k]
            text = column.text(rows.frame, index, float(value))
            if column is columns[0]:
                if imgui.selectable(f"{(short := widgets.cut(text))}###{index}", index == chosen, flags.LINE_TWICE)[0]:
                    clicked, twice = index, imgui.is_mouse_double_clicked(0)
                widgets.register_area(f"{rows.kind} {index}")
                if short.endswith(ELLIPSIS):
                    widgets.tooltip(text)
            elif column.bar and value == value:
                widgets.bar(float(value), text, colour(k), imgui.get_text_line_height())
            else:
                widgets.right(text)
    tables.end()
    return clicked, twice


def _sort(table: Sorted, columns: tuple[Column, ...]) -> tables.Sort:
    keys = {c.head: c.key for c in columns}
    now = next(c.head for c in columns if c.key == table.column)

    def chosen(head: str) -> None:
        table.down = not table.down if keys[head] == table.column else keys[head] not in ("pair", "joint")
        table.column, table.order = keys[head], None

    return tables.Sort(now, table.down, chosen)
