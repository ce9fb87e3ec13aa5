"""Fuzzy search in lists: every word must match, best at a word's start, then inside, then in further text, then scattered."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")

START, INSIDE, SCATTERED = 100.0, 60.0, 20.0
FURTHER = 30.0
"""Of an item whose further text has all words: below names that have them, above names with a word's letters scattered."""


def score(words: list[str], text: str) -> float | None:
    """How well the text matches, higher is better; None: a word does not match. Both in lower case."""
    total = 0.0
    for word in words:
        one = _score(word, text)
        if one is None:
            return None
        total += one
    return total - 0.01 * len(text)


def _score(word: str, text: str) -> float | None:
    padded = f" {text}"
    at = padded.find(f" {word}")
    if at >= 0:
        return START - 0.1 * at
    at = text.find(word)
    if at >= 0:
        return INSIDE - 0.1 * at
    if len(word) < 2:
        return None
    first = place = text.find(word[0])
    for letter in word[1:]:
        place = text.find(letter, place + 1) if place >= 0 else -1
    if place < 0 or place - first > 6 * len(word):
        return None
    return SCATTERED - 0.5 * (place - first + 1 - len(word))


def find(items: Iterable[Item], text: str, said: Callable[[Item], str],
         more: Callable[[Item], str] = lambda item: "") -> list[Item]:
    """The matching items, best first; equals keep their order. name_of: an item's name; more: further text to search."""
    words = text.lower().split()
    rated = []
    for item in items:
        name = said(item).lower()
        value, whole = score(words, name), all(word in name for word in words)
        if not whole and (further := f"{name} {more(item).lower()}") and all(word in further for word in words):
            value = FURTHER
        elif not whole and value is not None:
            value -= START * len(words)
        if value is not None:
            rated.append((value, item))
    if words:
        rated.sort(key=lambda pair: -pair[0])
    return [item for _, item in rated]


def with_value(text: str) -> tuple[str, str]:
    """("iterations", "80") of "iterations 80"; the second is "" if there is no number at the end."""
    head, _, last = text.strip().replace("=", " ").rpartition(" ")
    try:
        float(last.replace(",", "."))
    except ValueError:
        return text, ""
    return (head.strip(), last) if head.strip() else (text, "")
