"""Warnings of a world: one sentence each (what, where, what to do), each reported once.

`BadInput` rejects; a warning reports what is allowed but probably unintended: bodies that overlap at the start, a mass ratio that
is hard for solvers, a value clamped to its range. The app shows them on its message line, `stiction run` prints them.
"""

from collections.abc import Iterator

from physics.core import former_names

MAX_WARNINGS = 100
"""Maximum number of warnings kept; further ones are dropped."""


@former_names.accepts_former
class Warnings:
    """The warnings of one world, oldest first."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._read = 0

    def add(self, sentence: str) -> None:
        """Add a warning, unless it was added before or the list is full."""
        if sentence not in self._sentences and len(self._sentences) < MAX_WARNINGS:
            self._sentences.append(sentence)

    def pop_new(self) -> list[str]:
        """The warnings added since the last call."""
        new = self._sentences[self._read :]
        self._read = len(self._sentences)
        return new

    def __iter__(self) -> Iterator[str]:
        return iter(self._sentences)

    def __len__(self) -> int:
        return len(self._sentences)

    def __repr__(self) -> str:
        return f"Warnings({self._sentences!r})"
