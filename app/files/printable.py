"""Shows text of others in a sentence: on one line, without what a terminal obeys, not too long."""

MAX_LETTERS = 1000
"""Longest sentence for the user [letters]."""

SHORTENED = " .."


def printable(text: str, most: int = MAX_LETTERS) -> str:
    """The text with control letters, marks of direction and halves of letters spelled as in Python source; the middle of a text
    longer than `most` is left out."""
    if len(text) <= most and text.isprintable():
        return text
    if len(text) > most:
        text = text[:most // 2] + SHORTENED + text[len(text) - most // 2:]
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
