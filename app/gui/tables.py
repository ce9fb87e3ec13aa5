"""Tables with a fixed row of heads, of which only the rows in sight are drawn."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from app.gui import flags, icons, style, widgets
from app.gui.speaking import imgui


class Sort(NamedTuple):
    """By which head a table is sorted, whether the largest come first; take: called with the head that was clicked."""

    head: str
    down: bool
    take: Callable[[str], None]


def begin(name: str, columns: Sequence[tuple[str, float, str]], height: float = 0.0, sort: Sort | None = None) -> bool:
    """Begin a table with a fixed row of heads; columns: (head, width [px at scale 1, 0: what is left],
    explanation)."""
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.px(4.0), widgets.px(2.0)))
    if not imgui.begin_table(name, len(columns), flags.SCROLLED, imgui.ImVec2(0.0, height)):
        imgui.pop_style_var()
        return False
    imgui.table_setup_scroll_freeze(0, 1)
    for head, width, _ in columns:
        flag = imgui.TableColumnFlags_.width_fixed if width else imgui.TableColumnFlags_.width_stretch
        imgui.table_setup_column(head, flag, widgets.px(width))
    _heads(((head, help) for head, _, help in columns), sort)
    return True


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
    if imgui.selectable(f"{head} {mark}###{head}", False)[0]:
        sort.take(head)
    imgui.pop_style_color()


def end() -> None:
    imgui.end_table()
    imgui.pop_style_var()


def seen(count: int, height: float = -1.0) -> Iterator[int]:
    """Indices of the rows in sight: of thousands of contacts a dozen are drawn. height: of a row [px], -1: found out."""
    clipper = imgui.ListClipper()
    clipper.begin(count, height)
    while clipper.step():
        yield from range(clipper.display_start, clipper.display_end)
