"""Paragraphs with formulas inline between the words; as plain text where a formula cannot be rendered."""

import functools
import re

from imgui_bundle import imgui

from app.gui.controls import style, widgets
from app.gui.text import formula
from app.gui.text.chinese_lines import pieces
from app.i18n import translate

SYMBOLS = {name: chr(code) for code, name in (
    (0x3b1, "alpha"), (0x3b2, "beta"), (0x3b8, "theta"), (0x3bb, "lambda"), (0x3bc, "mu"), (0x3c0, "pi"), (0x3c4, "tau"),
    (0x3c8, "psi"), (0x3c9, "omega"), (0x3a9, "Omega"), (0x2264, "le"), (0x2264, "leq"), (0x2265, "ge"), (0x2265, "geq"),
    (0xb7, "cdot"), (0xd7, "times"), (0xb1, "pm"))}
STOPS, OPENING = set(".,;:!?)]%\u2019\uff0c\u3002\uff1b\uff1a\uff09\uff01\uff1f"), set("([\uff08")
SUPERSCRIPTS = {"2": "\u00b2", "3": "\u00b3"}


def paragraph(text: str, colour: style.RGBA | None = None) -> None:
    """Draw text wrapped at the panel's width; LaTeX between dollar signs."""
    colour, text = colour or style.palette().text, translate.translate(text)
    if "$" not in text:
        widgets.wrapped(text, colour)
        return
    space = imgui.calc_text_size(" ").x
    end = imgui.get_cursor_screen_pos().x + imgui.get_content_region_avail().x
    right = None
    imgui.push_style_var(imgui.StyleVar_.item_spacing, imgui.ImVec2(imgui.get_style().item_spacing.x, 0.0))
    words = tokens(text)
    widths = [formula.width(latex, plain(latex)) if latex else imgui.calc_text_size(word).x for _, word, latex in words]
    for k, (glue, word, latex) in enumerate(words):
        gap = space if glue else 0.0
        if right is not None and (non_breaking(words, k) or right + gap + sum(widths[k:after(words, k)]) <= end):
            imgui.same_line(0.0, gap)
        if latex:
            formula.word(latex, plain(latex), colour)
        else:
            imgui.text_colored(style.vec(colour), word.replace("%", "%%"))
        right = imgui.get_item_rect_max().x
    imgui.pop_style_var()
    imgui.dummy(imgui.ImVec2(0.0, 0.0))     # what follows is as far away as below any text


@functools.cache
def tokens(text: str) -> tuple[tuple[bool, str, str], ...]:
    """(preceded by a space, word, LaTeX in place of a word) of each token."""
    found: list[tuple[bool, str, str]] = []
    apart = False
    text = re.sub(r"\$\^\{?([23])\}?\$", lambda square: SUPERSCRIPTS[square[1]], text)      # exponents of units
    for i, part in enumerate(text.split("$")):
        if i % 2:
            found.append((apart, "", part))
            apart = False
            continue
        for piece in re.findall(r"\s+|\S+", part):
            if piece.isspace():
                apart = True
            else:
                for k, part_of_it in enumerate(pieces(piece)):
                    found.append((apart and not k, part_of_it, ""))
                apart = False
    return tuple(found)


def non_breaking(words: tuple[tuple[bool, str, str], ...], k: int) -> bool:
    """Whether token k may not begin a line: an exponent, punctuation after a formula, a formula after a bracket."""
    apart, word, latex = words[k]
    if apart or k == 0:
        return False
    _, before, formula_before = words[k - 1]
    return latex.startswith(("^", "_")) or bool(formula_before and word[:1] in STOPS) or bool(latex and before[-1:] in OPENING)


def after(words: tuple[tuple[bool, str, str], ...], k: int) -> int:
    """The first token after k that may begin a line."""
    return next((i for i in range(k + 1, len(words)) if not non_breaking(words, i)), len(words))


@functools.cache
def plain(latex: str) -> str:
    """The formula as text: Greek letters, fractions with a slash, roots with a word."""
    text = re.sub(r"\\,|\\;|\\quad|\\left|\\right|\\!", " ", latex)
    for _ in range(3):
        text = re.sub(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}", lambda m: f"{_group(m[1])}/{_group(m[2])}", text)
        text = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", text)
        text = re.sub(r"\\dot\s*(\\\w+|\w)", r"d\1/dt", text)
        text = re.sub(r"_\{([^{}]*)\}", r"_\1", text)
        text = re.sub(r"\\(?:text|mathrm)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\(arcsin|arccos|arctan|sin|cos|tan)\s*(?![\s(])", r"\1 ", text)
    text = re.sub(r"\^\{?([23])\}?", lambda m: SUPERSCRIPTS[m[1]], text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: SYMBOLS.get(m[1], m[1]), text)
    return re.sub(r"\s+", " ", text.replace("\\", "").replace("{", "").replace("}", "")).strip()


def _group(text: str) -> str:
    return text if re.fullmatch(r"[\w\\]+", text.strip()) else f"({text.strip()})"
