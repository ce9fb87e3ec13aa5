"""What a world goes on with but should say: one sentence each (what, where, what to do), each said once.

`BadInput` refuses; a warning is for what is allowed and probably not meant: bodies that overlap at the start, a mass ratio that
no solver likes, a value brought into its range. The app shows them on its message line, `stiction run` prints them.
"""

from collections.abc import Iterator

MOST = 100
"""Sentences kept; a scene with more trouble than this is not read to its end."""


class Warnings:
    """The sentences of one world, oldest first."""

    def __init__(self) -> None:
        self._sentences: list[str] = []
        self._told = 0

    def add(self, sentence: str) -> None:
        """Say something, unless it was said before."""
        if sentence not in self._sentences and len(self._sentences) < MOST:
            self._sentences.append(sentence)

    def take(self) -> list[str]:
        """The sentences added since the last `take`."""
        new = self._sentences[self._told :]
        self._told = len(self._sentences)
        return new

    def __iter__(self) -> Iterator[str]:
        return iter(self._sentences)

    def __len__(self) -> int:
        return len(self._sentences)

    def __repr__(self) -> str:
        return f"Warnings({self._sentences!r})"
