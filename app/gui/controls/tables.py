"""Tables with a fixed row of heads; only visible rows are drawn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from app.gui.controls import flags, icons, style, widgets
from app.gui.text.chinese_lines import ELLIPSIS
from app.i18n import translate
from app.i18n.imgui_translated import imgui
from app.i18n.message import message


class Sort(NamedTuple):
    """Head by which a table is sorted, whether descending; apply: called with the clicked head."""

    head: str
    down: bool
    apply: Callable[[str], None]


MIN_COLUMN_WIDTH = 120.0
"""Usual least width of the column that takes what is left [px at scale 1]."""


CELL_PADDING = 2.0
"""Above and below the text of a cell [px at scale 1]."""


HEAD_GAP = 10.0
"""Least space after a heading [px at scale 1], in addition to the padding of its cell, so that headings stay apart."""


def begin(name: str, columns: Sequence[tuple[str, float, str]], height: float = 0.0, sort: Sort | None = None,
          least: float = MIN_COLUMN_WIDTH) -> bool:
    """Begin a table with a fixed row of heads; columns: (head, width [px at scale 1, 0: what is left], explanation).

    least: width of the column that takes what is left [px at scale 1], below which the table scrolls horizontally.
    """
    widths = [_width(head, width, sort) for head, width, _ in columns]
    beside = len(widths) * widgets.scaled(8.0) + imgui.get_style().scrollbar_size
    narrow = sum(width or widgets.scaled(least) for width in widths) + beside > imgui.get_content_region_avail().x
    kind = flags.SCROLLED | imgui.TableFlags_.scroll_x if narrow else flags.SCROLLED
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(4.0), widgets.scaled(CELL_PADDING)))
    if not imgui.begin_table(name, len(columns), kind, imgui.ImVec2(0.0, height)):
        imgui.pop_style_var()
        return False
    imgui.table_setup_scroll_freeze(int(narrow), 1)
    for (head, _, _), width in zip(columns, widths):
        flag = imgui.TableColumnFlags_.width_fixed if width or narrow else imgui.TableColumnFlags_.width_stretch
        imgui.table_setup_column(head, flag, width or (widgets.scaled(least) if narrow else 0.0))
    _heads(((head, help) for head, _, help in columns), sort)
    return True


def line_height() -> float:
    """Of a line of text in a table [px]."""
    return imgui.get_text_line_height() + 2.0 * widgets.scaled(CELL_PADDING)


def beside_plot(plot: Callable[[float], None], table: Callable[[], None], width: float, *, narrow: float,
                above: tuple[float, float], lowest: float) -> None:
    """Draw a plot with a table of that width on its right, or below it where less than `narrow` is left for the plot.

    plot: (height [px]) -> None; above: (least height, share of the room) of a plot above its table; lowest: least height of one
    beside it. All [px at scale 1].
    """
    room, gap, right = imgui.get_content_region_avail(), imgui.get_style().item_spacing.x, widgets.scaled(width)
    if room.x < right + widgets.scaled(narrow):
        plot(max(widgets.scaled(above[0]), above[1] * room.y))
        table()
        return
    if imgui.begin_child("plot", imgui.ImVec2(room.x - right - 2.0 * gap, 0.0)):
        plot(max(widgets.scaled(lowest), imgui.get_content_region_avail().y))
    imgui.end_child()
    imgui.same_line(0.0, 2.0 * gap)
    if imgui.begin_child("table", imgui.ImVec2(right, 0.0)):
        table()
    imgui.end_child()


def _width(head: str, width: float, sort: Sort | None) -> float:
    """Width of a column [px]: as requested, but no narrower than its translated head; 0: what is left."""
    mark = widgets.scaled(16.0) if sort is not None and head == sort.head else 0.0
    return max(widgets.scaled(width), imgui.calc_text_size(head).x + mark + widgets.scaled(HEAD_GAP)) if width else 0.0


def _heads(heads: Iterable[tuple[str, str]], sort: Sort | None) -> None:
    """Draw a row of heads with explanations, clickable if the table can be sorted."""
    imgui.table_next_row()
    for head, help in heads:
        imgui.table_next_column()
        if sort is None:
            widgets.dim_text(head)
        else:
            _sorting_head(head, sort)
        widgets.register_area(f"head {head}")
        widgets.tooltip(message("{help}\nClick to sort.", help=help) if sort else help)


def _sorting_head(head: str, sort: Sort) -> None:
    p, own = style.palette(), head == sort.head
    imgui.push_style_color(imgui.Col_.text, style.vec(p.accent_strong if own else p.dim))
    mark = icons.text(icons.DOWN if sort.down else icons.UP, "", "v" if sort.down else "^") if own else ""
    if imgui.selectable(f"{translate.translate(head)} {mark}###{head}", False)[0]:
        sort.apply(head)
    imgui.pop_style_color()


def end() -> None:
    imgui.end_table()
    imgui.pop_style_var()


def facts(name: str, lines: Iterable[tuple[str, str, str]]) -> None:
    """Draw labels with values at the right and explanations; long texts are cut, and whole in their tooltips."""
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.scaled(5.0), widgets.scaled(2.0)))
    if imgui.begin_table(name, 2, imgui.TableFlags_.no_saved_settings):
        lines = list(lines)
        labels, values = (1.0 + max((imgui.calc_text_size(line[k]).x for line in lines), default=0.0) for k in range(2))
        imgui.table_setup_column("label", imgui.TableColumnFlags_.width_stretch, labels)       # as the texts need it
        imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch, values)
        for label, value, help in lines:
            imgui.table_next_row()
            imgui.table_next_column()
            widgets.dim_text(short := widgets.cut(label))
            widgets.register_area(f"{name} {label}")
            widgets.tooltip(f"{label}\n{help}" if short.endswith(ELLIPSIS) else help)
            imgui.table_next_column()
            widgets.right(short := widgets.cut(value))
            if short.endswith(ELLIPSIS):
                widgets.tooltip(value)
        imgui.end_table()
    imgui.pop_style_var()


def visible_rows(count: int, height: float = -1.0) -> Iterator[int]:
    """Indices of the visible rows, so that only these are drawn. height: of a row [px], -1: measured."""
    clipper = imgui.ListClipper()
    clipper.begin(count, height)
    while clipper.step():
        yield from range(clipper.display_start, clipper.display_end)
