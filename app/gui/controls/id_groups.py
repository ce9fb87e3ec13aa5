"""ID scopes for parts of a panel that share labels with other parts."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.i18n.imgui_translated import imgui

_open: list[str] = []


@contextmanager
def group(name: str) -> Iterator[None]:
    """Give everything drawn inside IDs of its own."""
    imgui.push_id(name)
    _open.append(name)
    try:
        yield
    finally:
        _open.pop()
        imgui.pop_id()


def grouped(label: str) -> str:
    """A label with the groups that it is drawn in."""
    return "/".join((*_open, label))
