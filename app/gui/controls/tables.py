"""Tables with a fixed row of heads, of which only the rows in sight are drawn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from app import language
from app.gui.controls import flags, icons, style, widgets
from app.gui.speaking import imgui
from app.gui.text.wrapping import CUT


class Sort(NamedTuple):
    """By which head a table is sorted, whether the largest come first; take: called with the head that was clicked."""

    head: str
    down: bool
    take: Callable[[str], None]


LEAST = 120.0
"""Of the column that takes what is left [px at scale 1]: below this the table scrolls sideways instead."""


def begin(name: str, columns: Sequence[tuple[str, float, str]], height: float = 0.0, sort: Sort | None = None) -> bool:
    """Begin a table with a fixed row of heads; columns: (head, width [px at scale 1, 0: what is left],
    explanation)."""
    widths = [_width(head, width, sort) for head, width, _ in columns]
    beside = len(widths) * widgets.px(8.0) + imgui.get_style().scrollbar_size
    narrow = sum(width or widgets.px(LEAST) for width in widths) + beside > imgui.get_content_region_avail().x
    kind = flags.SCROLLED | imgui.TableFlags_.scroll_x if narrow else flags.SCROLLED
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.px(4.0), widgets.px(2.0)))
    if not imgui.begin_table(name, len(columns), kind, imgui.ImVec2(0.0, height)):
        imgui.pop_style_var()
        return False
    imgui.table_setup_scroll_freeze(int(narrow), 1)
    for (head, _, _), width in zip(columns, widths):
        flag = imgui.TableColumnFlags_.width_fixed if width or narrow else imgui.TableColumnFlags_.width_stretch
        imgui.table_setup_column(head, flag, width or (widgets.px(LEAST) if narrow else 0.0))
    _heads(((head, help) for head, _, help in columns), sort)
    return True


def _width(head: str, width: float, sort: Sort | None) -> float:
    """Of a column [px]: as wide as asked, and no narrower than its head in the language of the window; 0: what is left."""
    mark = widgets.px(16.0) if sort is not None and head == sort.head else 0.0
    return max(widgets.px(width), imgui.calc_text_size(head).x + mark) if width else 0.0


def _heads(heads: Iterable[tuple[str, str]], sort: Sort | None) -> None:
    """A row of heads with explanations, to click where the table can be sorted."""
    imgui.table_next_row()
    for head, help in heads:
        imgui.table_next_column()
        if sort is None:
            widgets.dim(head)
        else:
            _sorting_head(head, sort)
        widgets.mark(f"head {head}")
        widgets.tooltip(f"{help}\nClick: sort by it." if sort else help)


def _sorting_head(head: str, sort: Sort) -> None:
    p, own = style.palette(), head == sort.head
    imgui.push_style_color(imgui.Col_.text, style.vec(p.accent_strong if own else p.dim))
    mark = icons.text(icons.DOWN if sort.down else icons.UP, "", "v" if sort.down else "^") if own else ""
    if imgui.selectable(f"{language.text(head)} {mark}###{head}", False)[0]:
        sort.take(head)
    imgui.pop_style_color()


def end() -> None:
    imgui.end_table()
    imgui.pop_style_var()


def facts(name: str, lines: Iterable[tuple[str, str, str]]) -> None:
    """Labels with numbers at the right, and what they mean; what finds no room is cut, and whole in its tooltip."""
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.px(5.0), widgets.px(2.0)))
    if imgui.begin_table(name, 2, imgui.TableFlags_.no_saved_settings):
        imgui.table_setup_column("label", imgui.TableColumnFlags_.width_stretch)
        imgui.table_setup_column("value", imgui.TableColumnFlags_.width_stretch)
        for label, value, help in lines:
            imgui.table_next_row()
            imgui.table_next_column()
            widgets.dim(short := widgets.cut(label))
            widgets.mark(f"{name} {label}")
            widgets.tooltip(f"{label}\n{help}" if short.endswith(CUT) else help)
            imgui.table_next_column()
            widgets.right(short := widgets.cut(value))
            if short.endswith(CUT):
                widgets.tooltip(value)
        imgui.end_table()
    imgui.pop_style_var()


def seen(count: int, height: float = -1.0) -> Iterator[int]:
    """Indices of the rows in sight: of thousands of contacts a dozen are drawn. height: of a row [px], -1: found out."""
    clipper = imgui.ListClipper()
    clipper.begin(count, height)
    while clipper.step():
        yield from range(clipper.display_start, clipper.display_end)
