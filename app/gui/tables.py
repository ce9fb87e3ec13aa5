"""Tables with a fixed row of heads, of which only the rows in sight are drawn."""

from collections.abc import Iterable, Iterator, Sequence

from imgui_bundle import imgui

from app.gui import widgets


def begin(name: str, columns: Sequence[tuple[str, float, str]], height: float = 0.0) -> bool:
    """Begin a table with a fixed row of heads; columns: (head, width [px at scale 1, 0: what is left],
    explanation)."""
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.no_saved_settings | imgui.TableFlags_.scroll_y
    imgui.push_style_var(imgui.StyleVar_.cell_padding, imgui.ImVec2(widgets.px(4.0), widgets.px(2.0)))
    if not imgui.begin_table(name, len(columns), flags, imgui.ImVec2(0.0, height)):
        imgui.pop_style_var()
        return False
    imgui.table_setup_scroll_freeze(0, 1)
    for head, width, _ in columns:
        flag = imgui.TableColumnFlags_.width_fixed if width else imgui.TableColumnFlags_.width_stretch
        imgui.table_setup_column(head, flag, widgets.px(width))
    _heads((head, help) for head, _, help in columns)
    return True


def _heads(heads: Iterable[tuple[str, str]]) -> None:
    """A row of heads with explanations."""
    imgui.table_next_row()
    for head, help in heads:
        imgui.table_next_column()
        widgets.dim(head)
        widgets.mark(f"head {head}")
        widgets.tooltip(help)


def end() -> None:
    imgui.end_table()
    imgui.pop_style_var()


def seen(count: int, height: float = -1.0) -> Iterator[int]:
    """Indices of the rows in sight: of thousands of contacts a dozen are drawn. height: of a row [px], -1: found out."""
    clipper = imgui.ListClipper()
    clipper.begin(count, height)
    while clipper.step():
        yield from range(clipper.display_start, clipper.display_end)
