"""Translation of texts as they are drawn, from the gettext catalogues assets/languages/CODE.po.

The English text is the key, so other code knows of no language. There are three kinds of keys:

    "Run"                            a text without values, as it stands in the source
    "{done} of {steps} steps"        named places: a message (app/i18n/message.py), translated before its values are put in;
                                     with msgid_plural where the value `count` chooses among the language's plural forms
    "{} must be at least {#}"        nameless places, {} any text and {#} a number: a finished text is matched against it. For
                                     texts of `physics`, `scenes` and logs, which cannot know of messages, and for nothing else;
                                     its translation numbers places where their order differs: "{1} .. {#0}"

Texts without an entry are split (symbol, lines, sentences, brackets, "name: value"); what still has none stays English. Names of
bodies and joints have catalogues of their own (names/CODE.po): "slope" is a thing in a scene and a number in a plot.

Sources write the friction coefficient as mu, which every terminal and file can show; what is drawn has the letter.
"""

import gettext
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.i18n.message import Message, Verbatim, filled, latest
from app.number_format import SUPERSCRIPTS

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

LANGUAGES_FOLDER = Path(__file__).resolve().parents[2] / "assets" / "languages"


def found(folder: Path, field: str) -> dict[str, str]:
    """A field of the header of each catalogue, by the code of its language; that of English is "English"."""
    names = {"en": "English"}
    for path in sorted(folder.glob("*.po")):
        with path.open(encoding="utf-8") as file:
            names[path.stem] = file.read(1000).partition(f"{field}: ")[2].partition("\\n")[0] or path.stem
    return names


LANGUAGES = found(LANGUAGES_FOLDER, "X-Native-Name")
"""Language codes and native names."""

IN_LATIN = found(LANGUAGES_FOLDER, "X-English-Name")
"""English names of the languages: in every font, and typeable on every keyboard."""

REMEMBERED = 8192
"""Capacity of the cache of translations."""

MIN_FIXED_LETTERS = 8
"""From this many fixed letters on, the placeholders of a key match whole sentences; below, a few words."""

NUMBER = rf"[-+\u2212\u2264\u2265~]?(?:\d[\d.,]*(?:e[-+]?\d+|(?:\u00b710)?[{SUPERSCRIPTS}]+)?|inf|nan)"
PLACEHOLDER = re.compile(r"\{(#?)(\w*)(?::([^{}]*))?\}")
_NAMELESS = re.compile(r"\{#?\}")
_IN_NAME = re.compile(r"[-+]?\d+(?:\.\d+)?")
QUOTES = {"ru": "\u00ab\u00bb"}
"""Quotation marks around names in sentences, for inflected languages."""
_TWICE = re.compile("(['\u00ab])\u00ab(.*?)\u00bb(['\u00bb])")
_DIGITS = re.compile(NUMBER)
_LETTERS = re.compile(r"[A-Za-z]{2}")
_SIGN = re.compile("^([\ue000-\uf8ff]\\s*)(.+)$", re.DOTALL)
_BRACKETS = re.compile(r"^(.*\S)(\s*)([(\[])([^()\[\]]*)([)\]])(\.?)$", re.DOTALL)
_COUNTED = re.compile(r"^(\D*[^\W\d]) (\d[\d.]*)$")
_SENTENCES = re.compile(r"(?<=[.!?;])(\s+)")
_MU = re.compile(r"(?<![\w.:\\/'\"=-])mu(?=_[a-z]\b(?!:)|(?![\w'\"]|[=.-]\w))")
"""The coefficient in a text: neither in LaTeX, nor in names of files and options or in quotes, which stand for what is typed."""
_IN_QUOTES, _NAMES_IN_QUOTES = re.compile("'([^']+)'"), re.compile("'[^']+'(?: & '[^']+')?")   # in sentences of physics
_PAIR = re.compile(r"^([^:=]+)(: | = )(.+)$", re.DOTALL)


@dataclass(frozen=True)
class TextTemplate:
    """A key with nameless places. weight, letters: counts of fixed characters and letters."""

    pattern: re.Pattern
    weight: int
    translation: str
    letters: int = 0

    def fill(self, match: re.Match, translate_part: Callable[[str], str]) -> str:
        """The translation with the places filled from the English text; names in sentences are quoted."""
        quotes = QUOTES.get(_code, "") if self.letters >= MIN_FIXED_LETTERS else ""
        found = [_quoted(text, quotes, translate_part) for text in match.groups()]
        order = iter(found)
        def value_of(place: re.Match) -> str:
            return found[int(place[2])] if place[2] else next(order)

        result = "$".join(part if i % 2 else PLACEHOLDER.sub(value_of, part)
                          for i, part in enumerate(self.translation.split("$")))
        return _TWICE.sub(r"\1\2\3", result) if quotes else result


def _quoted(text: str, quotes: str, translate_part: Callable[[str], str]) -> str:
    """The translated value of a place, with quotes around a name at its start."""
    name, comma, rest = (text, "", "") if text in _own else text.partition(", ")
    if not quotes or _own.get(name, name) == name:
        return translate_part(text)
    return f"{quotes[:1]}{_own[name]}{quotes[1:]}{comma}{translate_part(rest)}"


@dataclass
class _Table:
    """One language. entries: translations by their key; plurals: forms by the singular, of which plural_form chooses; names: of
    bodies and joints; texts, messages: caches of translations by the English text; fitting: cache of the template that fits, by
    text with its numbers removed."""

    entries: dict[str, str]
    plurals: dict[str, tuple[str, ...]]
    plural_form: Callable[[int], int]
    templates: list[TextTemplate]
    names: dict[str, str]
    texts: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    fitting: dict[str, TextTemplate | None] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """The name of a body or joint in this language."""
        numbers = iter(_IN_NAME.findall(name))
        return PLACEHOLDER.sub(lambda place: next(numbers), self.names.get(unnumbered(name), name))

    def forget(self) -> None:
        self.texts.clear()
        self.messages.clear()


_table: _Table | None = None
_code = "en"
_own: dict[str, str] = {}
_names_in_use: tuple[tuple[str, ...], ...] = ()
personal: set[str] = set()
texts_looked_up: set[str] | None = None
"""For developers and tests: if a set, collects all texts that are looked up."""


def code() -> str:
    """Code of the language in use."""
    return _code


def set_language(new: str) -> None:
    """Set the language.

    Raises:
        KeyError: there is no such language.
    """
    global _table, _code, _names_in_use, _own
    LANGUAGES[new]
    if new != _code:
        _names_in_use, _own = (), {}
        _code, _table = new, None if new == "en" else _load(new)


def set_names(*names: tuple[str, ...]) -> None:
    """Set the names of bodies and joints in use, translated alone and in sentences but not in labels; unknown names stay."""
    global _own, _names_in_use
    if _table is not None and names != _names_in_use:
        _names_in_use = names
        _own = {name: name if name in personal else _table.called(name) for name in frozenset().union(*names)}
        _table.forget()


def mark_as_personal(name: str) -> None:
    """Mark a name as given by the user: it is never translated."""
    global _names_in_use
    personal.add(name)
    _names_in_use = ()


def unnumbered(name: str) -> str:
    """A name of a body or joint with placeholders for its numbers, as in names/CODE.po."""
    return _IN_NAME.sub("{}", name)


def translate(english: str) -> str:
    """Translate a text; returns the English text if there is no translation. The coefficient mu is its letter.

    In another language the result is `Verbatim`: where it is drawn, what translates there leaves it as it is.
    """
    if texts_looked_up is not None:
        texts_looked_up.add(english)
    if _table is None or type(english) is Verbatim:
        return _with_mu(english)
    cache = _table.messages if type(english) is Message else _table.texts
    result = cache.get(english)
    if result is None:
        if len(cache) > REMEMBERED:
            cache.clear()
        result = cache[english] = Verbatim(_with_mu(_find(_table, english, 4)))
    return result


def _with_mu(text: str) -> str:
    return _MU.sub("\u03bc", text) if "mu" in text and text not in personal else text


def named(name: str, english: str) -> str:
    """A text about a body, a joint or a pair "A & B" of bodies, together with the name."""
    if _table is None:
        return f"{name} {english}"
    shown = _own[name] if name in _own else " & ".join(_own.get(one, one) for one in name.split(" & "))
    return Verbatim(f"{shown}: {translate(english)}")


def both(english: str) -> str:
    """For searching: the translated text and the English one."""
    result = translate(english)
    return english if result == english else f"{result} {english}"


def label(english: str) -> str:
    """A label of ImGui: translated, with an identity independent of the language."""
    shown, mark, ident = english.partition("##")
    if not shown:
        return english
    if not mark:
        return f"{_control(english)}###{english}"
    return f"{translate(shown)}##{ident}" if ident.startswith("#") else f"{translate(shown)}###{english}"


def _control(english: str) -> str:
    """Translate as a word of the program, even if a body has that name."""
    return _table.entries.get(english) or translate(english) if english in _own and _table is not None else translate(english)


def translated(english: str) -> bool:
    """Whether the whole text has a translation."""
    return _table is None or english in _table.entries or _template(_table, english) is not None


def _find(table: _Table, english: str, depth: int) -> str:
    if english in _own:
        return _own[english]
    if type(english) is Message and _has_parts(english):
        return _filled(table, english, depth)
    if english in table.entries:
        return table.entries[english]
    if (name := _called(table, english)):
        return name
    if _NAMES_IN_QUOTES.fullmatch(english) and all(name in _own for name in _IN_QUOTES.findall(english)):
        return _IN_QUOTES.sub(lambda found: _own[found[1]].join(QUOTES.get(_code, "''")), english)
    if not depth or not _LETTERS.search(english):
        return english

    def translate_part(part: str) -> str:
        return _find(table, part, depth - 1)

    if (made := latest(english)) is not None and _has_parts(made):
        return _filled(table, made, depth)
    body = english.strip()
    if body != english:
        return english.replace(body, translate_part(body), 1)
    if (sign := _SIGN.match(english)):
        return sign[1] + translate_part(sign[2])
    if (parts := _BRACKETS.match(english)) and parts[1] in table.entries:
        return _bracketed(parts, translate_part)
    if (named := _after_name(table, english, translate_part)):
        return named
    found = _template(table, english)
    if found is not None:
        template, match = found
        return template.fill(match, translate_part)
    return _apart(table, english, translate_part)


def _has_parts(text: Message) -> bool:
    """Whether the template tells more than the text: it has values, and is not one plain text alone."""
    alone = next((value for value in text.values.values() if value == text), None)
    return bool(text.plural or text.values) and (alone is None or type(alone) is Verbatim or
                                                 (type(alone) is Message and _has_parts(alone)))


def _filled(table: _Table, text: Message, depth: int) -> str:
    """The translation of a message, filled with its translated values; names in sentences are quoted."""
    def translate_part(part: str) -> str:
        return _find(table, part, depth - 1) if depth and _LETTERS.search(part) else part

    body = text.template.strip()
    result = table.entries.get(body, body)
    if text.plural:
        forms = table.plurals.get(body)
        result = forms[table.plural_form(text.count)] if forms else (body if text.count == 1 else text.plural)
    quotes = QUOTES.get(_code, "") if sum(map(str.isalpha, PLACEHOLDER.sub("", body))) >= MIN_FIXED_LETTERS else ""
    values = {name: value if type(value) is Verbatim else _quoted(value, quotes, translate_part)
              for name, value in text.values.items()}
    result = filled(text.template.replace(body, result, 1) if body else text.template, values)
    return _TWICE.sub(r"\1\2\3", result) if quotes else result


def _template(table: _Table, english: str) -> tuple[TextTemplate, re.Match] | None:
    """The first template that matches, cached for texts that differ only in numbers."""
    skeleton = _DIGITS.sub("#", english)
    template = table.fitting.get(skeleton, False)
    if template is False:
        if len(table.fitting) > REMEMBERED:
            table.fitting.clear()
        template = next((one for one in table.templates if one.pattern.fullmatch(english)), None)
        table.fitting[skeleton] = template
    match = template.pattern.fullmatch(english) if template else None
    return (template, match) if match else None


def _apart(table: _Table, english: str, translate_part: Callable[[str], str]) -> str:
    """Translate a text by its parts."""
    if (named := _quantity(table, english, translate_part)):
        return named
    if "\n" in english:
        return "\n".join(map(translate_part, english.split("\n")))
    if (split := _SENTENCES.split(english)) and len(split) > 1:
        return "".join(part if i % 2 else translate_part(part) for i, part in enumerate(split))
    if (parts := _BRACKETS.match(english)):
        return _bracketed(parts, translate_part)
    if (pair := _PAIR.match(english)) and (result := f"{translate_part(pair[1])}{pair[2]}{translate_part(pair[3])}") != english:
        return result
    if ", " in english:
        parts = english.split(", ")
        result = [translate_part(part) for part in parts]
        if all(new != old or old in _own or not _LETTERS.search(old) for new, old in zip(result, parts)):
            return ", ".join(result)
    if (count := _COUNTED.match(english)) and (result := translate_part(count[1])) != count[1]:
        return f"{result} {count[2]}"
    if english[:1].isupper() and (lower := english[0].lower() + english[1:]) and (result := translate_part(lower)) != lower:
        return result[0].upper() + result[1:]
    return english


def _called(table: _Table, name: str) -> str:
    """The translated name of a body or joint, in use or of any scene of ours; "" if it is none."""
    if name in _own:
        return _own[name]
    shown = table.called(name)
    return "" if shown == name or name in personal else shown


def _named(table: _Table, english: str) -> Iterator[tuple[str, str, str]]:
    """(name, translated name, remainder) of texts that begin with the name of a body or joint, the longest name first."""
    for i in reversed([i for i, letter in enumerate(english) if letter == " "]):
        name = english[: i - (english[i - 1] in ",:")]
        if (shown := _called(table, name)):
            yield name, shown, english[len(name):]


def _after_name(table: _Table, english: str, translate_part: Callable[[str], str]) -> str:
    """Translate "ball and slope", "ball - slope", "ball, xz plane", "ball: holds", "ball z", "ball speed" where a body has that
    name; "" if it is none of these."""
    for name, shown, rest in _named(table, english):
        if name in _own and rest[0] == " " and rest[1:] in table.entries:
            return f"{shown}: {table.entries[rest[1:]]}"
        if not _LETTERS.search(rest):
            return shown + rest
        if rest[0] in ",:":
            if (result := translate_part(rest[2:])) != rest[2:]:
                return f"{shown}{rest[0]} {result}"
            continue
        word, _, other = rest.strip().partition(" ")
        if (other := _called(table, other)) and (result := table.entries.get(f"{{}} {word} {{}}")):
            return result.format(shown, other)
    return ""


def _quantity(table: _Table, english: str, translate_part: Callable[[str], str]) -> str:
    """Translate "ball speed"; "" if it begins with no name or the remainder is unknown."""
    return next((f"{shown}: {result}" for name, shown, rest in _named(table, english)
                 if (name in _own or " " in name) and rest[0] == " " and (result := translate_part(rest[1:])) != rest[1:]), "")


def _bracketed(parts: re.Match, translate_part: Callable[[str], str]) -> str:
    return f"{translate_part(parts[1])}{parts[2]}{parts[3]}{translate_part(parts[4])}{parts[5]}{parts[6]}"


# ---- catalogues


def _load(code: str) -> _Table:
    catalogue, names = _read(LANGUAGES_FOLDER / f"{code}.po"), LANGUAGES_FOLDER / "names" / f"{code}.po"
    there = [one for one in catalogue if one.id and not one.fuzzy]
    entries = {one.id: one.string for one in there if isinstance(one.id, str) and one.string}
    plurals = {one.id[0]: one.string for one in there if isinstance(one.id, tuple) and all(one.string)}
    templates = [template(*entry) for entry in entries.items() if has_places(entry[0])]
    return _Table(entries, plurals, gettext.c2py(catalogue.plural_expr), sorted(templates, key=lambda one: -one.weight),
                  dict(read(names)) if names.exists() else {})


def has_places(english: str) -> bool:
    """Whether the text has nameless places outside of formulas."""
    return any(_NAMELESS.search(part) for part in english.split("$")[::2])


def template(english: str, translation: str) -> TextTemplate:
    """The template of a key with nameless places and its translation."""
    pattern, weight = "", 0
    letters = sum(map(str.isalpha, PLACEHOLDER.sub("", english)))
    anything = "(.*?)" if letters >= MIN_FIXED_LETTERS else r"((?:\S+ ){0,3}?\S*)"
    for i, part in enumerate(english.split("$")):
        pattern += r"\$" if i else ""
        at = 0
        for place in () if i % 2 else _NAMELESS.finditer(part):
            fixed = part[at:place.start()]
            pattern += re.escape(fixed) + (f"({NUMBER})" if place[0] == "{#}" else anything)
            weight += len(fixed)
            at = place.end()
        pattern += re.escape(part[at:])
        weight += len(part) - at
    return TextTemplate(re.compile(pattern, re.DOTALL), weight, translation, letters)


def _read(path: Path) -> "Catalog":
    from babel.messages import pofile  # late: nobody who reads English needs it

    with path.open("rb") as file:
        return pofile.read_po(file, locale=path.stem)


def read(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (English text, translation) of a catalogue; of an entry with plural forms its singular and its plural."""
    for one in _read(path):
        if one.id:
            yield from zip(one.id, (one.string[0], one.string[-1])) if isinstance(one.id, tuple) else ((one.id, one.string),)
