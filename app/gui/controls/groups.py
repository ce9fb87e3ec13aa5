"""Parts of a panel whose controls may have the labels of its other parts."""

from collections.abc import Iterator
from contextlib import contextmanager

from app.gui.speaking import imgui

_open: list[str] = []


@contextmanager
def group(name: str) -> Iterator[None]:
    """What is drawn in it has identities of its own."""
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
