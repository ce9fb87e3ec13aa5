"""Translation of texts as they are drawn, by their English text, from assets/languages/CODE.po.

The English sentence is the key, so other code knows of no language. Keys with placeholders match the results of f-strings:

    msgid "{} of {#} steps"         {} any text (itself looked up), {#} a number, {name} as lessons name their parameters
    msgstr "{#1} шаг{1:|а|ов}"      {} in order or by number from 0; {1:one|few|many} chooses by the number at place 1,
                                    {0:=} is place 0 untranslated

Texts without an entry are split (symbol, lines, sentences, brackets, "name: value"); what still has none stays English. Names of
bodies and joints have catalogues of their own (names/CODE.po): "slope" is a thing in a scene and a number in a plot.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.number_format import RAISED

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "languages"

LANGUAGES = {"en": "English", "ru": "\u0420\u0443\u0441\u0441\u043a\u0438\u0439", "zh": "\u4e2d\u6587"}
"""Language codes and native names."""

IN_LATIN = {"en": "English", "ru": "Russian", "zh": "Chinese"}
"""English names of the languages: in every font, and typeable on every keyboard."""

REMEMBERED = 8192
"""Capacity of the cache of translations."""

MIN_FIXED_LETTERS = 8
"""From this many fixed letters on, the placeholders of a key match whole sentences; below, a few words."""

NUMBER = rf"[-+\u2212\u2264\u2265~]?(?:\d[\d.,]*(?:e[-+]?\d+|(?:\u00b710)?[{RAISED}]+)?|inf|nan)"
PLACE = re.compile(r"\{(#?)(\w*)(?::([^{}]*))?\}")
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
_PAIR = re.compile(r"^([^:=]+)(: | = )(.+)$", re.DOTALL)


@dataclass(frozen=True)
class Template:
    """A key with placeholders. places: their names in order; weight, letters: counts of fixed characters and letters."""

    pattern: re.Pattern
    places: tuple[str, ...]
    weight: int
    says: str
    letters: int = 0

    def fill(self, match: re.Match, say: Callable[[str], str]) -> str:
        """The translation with the placeholders filled from the English text; names in sentences are quoted."""
        bent = QUOTES.get(_code, "") if self.letters >= MIN_FIXED_LETTERS else ""
        found = [_quoted(text, bent, say) for text in match.groups()]
        named, order = dict(zip(self.places, found)), iter(range(len(found)))

        def put(place: re.Match) -> str:
            if place[3] == "=":
                return match.groups()[int(place[2])]
            if "|" in (place[3] or ""):
                return _form(place[3].split("|"), match.groups()[int(place[2])])
            if place[2] in named and place[2]:
                return named[place[2]]
            return found[int(place[2]) if place[2] else next(order)]

        filled = "$".join(part if i % 2 else PLACE.sub(put, part) for i, part in enumerate(self.says.split("$")))
        return _TWICE.sub(r"\1\2\3", filled) if bent else filled


def _quoted(text: str, quotes: str, say: Callable[[str], str]) -> str:
    """The translated value of a placeholder, with quotes around a name at its start."""
    name, comma, rest = (text, "", "") if text in _own else text.partition(", ")
    if not quotes or _own.get(name, name) == name:
        return say(text)
    return f"{quotes[:1]}{_own[name]}{quotes[1:]}{comma}{say(rest)}"


def _form(forms: list[str], number: str) -> str:
    """Choose the plural form (one, few, many) by Russian rules; fractions as few."""
    if not re.fullmatch(r"\d+", number):
        return forms[min(1, len(forms) - 1)]
    n = int(number)
    if n % 10 == 1 and n % 100 != 11:
        return forms[0]
    return forms[1 if 2 <= n % 10 <= 4 and not 12 <= n % 100 <= 14 else -1]


@dataclass
class _Table:
    """Tables of one language. names: of bodies and joints; said: cache of translations; fitting: cache of the template that fits,
    by text with its numbers removed."""

    exact: dict[str, str] = field(default_factory=dict)
    templates: list[Template] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    fitting: dict[str, Template | None] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """The name of a body or joint in this language."""
        numbers = iter(_IN_NAME.findall(name))
        return PLACE.sub(lambda place: next(numbers), self.names.get(unnumbered(name), name))


_table: _Table | None = None
_code = "en"
_own: dict[str, str] = {}
_kept: tuple[tuple[str, ...], ...] = ()
_given: set[str] = set()
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
    global _table, _code, _kept, _own
    LANGUAGES[new]
    if new != _code:
        _kept, _own = (), {}
        _code, _table = new, None if new == "en" else _load(new)


def set_names(*names: tuple[str, ...]) -> None:
    """Set the names of bodies and joints in use, translated alone and in sentences but not in labels; unknown names stay."""
    global _own, _kept
    if _table is not None and names != _kept:
        _kept = names
        _own = {name: name if name in _given else _table.called(name) for name in frozenset().union(*names)}
        _table.said.clear()


def mark_as_personal(name: str) -> None:
    """Mark a name as given by the user: it is never translated."""
    global _kept
    _given.add(name)
    _kept = ()


def unnumbered(name: str) -> str:
    """A name of a body or joint with placeholders for its numbers, as in names/CODE.po."""
    return _IN_NAME.sub("{}", name)


def translate(english: str) -> str:
    """Translate a text; returns the English text if there is no translation."""
    if texts_looked_up is not None:
        texts_looked_up.add(english)
    if _table is None:
        return english
    said = _table.said.get(english)
    if said is None:
        if len(_table.said) > REMEMBERED:
            _table.said.clear()
        said = _table.said[english] = _find(_table, english, 4)
    return said


def named(name: str, english: str) -> str:
    """A text about a body or joint, together with its name."""
    return f"{name} {english}" if _table is None else f"{_own.get(name, name)}: {translate(english)}"


def both(english: str) -> str:
    """For searching: the translated text and the English one."""
    said = translate(english)
    return english if said == english else f"{said} {english}"


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
    return _table.exact.get(english) or translate(english) if english in _own and _table is not None else translate(english)


def translated(english: str) -> bool:
    """Whether the whole text has a translation."""
    return _table is None or english in _table.exact or _template(_table, english) is not None


def _find(table: _Table, english: str, depth: int) -> str:
    if english in _own:
        return _own[english]
    if english in table.exact:
        return table.exact[english]
    if (name := _called(table, english)):
        return name
    if not depth or not _LETTERS.search(english):
        return english

    def say(part: str) -> str:
        return _find(table, part, depth - 1)

    body = english.strip()
    if body != english:
        return english.replace(body, say(body), 1)
    if (sign := _SIGN.match(english)):
        return sign[1] + say(sign[2])
    if (parts := _BRACKETS.match(english)) and parts[1] in table.exact:
        return _bracketed(parts, say)
    if (named := _after_name(table, english, say)):
        return named
    found = _template(table, english)
    if found is not None:
        template, match = found
        return template.fill(match, say)
    return _apart(table, english, say)


def _template(table: _Table, english: str) -> tuple[Template, re.Match] | None:
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


def _apart(table: _Table, english: str, say: Callable[[str], str]) -> str:
    """Translate a text by its parts."""
    if (named := _quantity(table, english, say)):
        return named
    if "\n" in english:
        return "\n".join(map(say, english.split("\n")))
    if (split := _SENTENCES.split(english)) and len(split) > 1:
        return "".join(part if i % 2 else say(part) for i, part in enumerate(split))
    if (parts := _BRACKETS.match(english)):
        return _bracketed(parts, say)
    if (pair := _PAIR.match(english)) and (said := f"{say(pair[1])}{pair[2]}{say(pair[3])}") != english:
        return said
    if ", " in english:
        parts = english.split(", ")
        said = [say(part) for part in parts]
        if all(new != old or old in _own or not _LETTERS.search(old) for new, old in zip(said, parts)):
            return ", ".join(said)
    if (count := _COUNTED.match(english)) and (said := say(count[1])) != count[1]:
        return f"{said} {count[2]}"
    if english[:1].isupper() and (lower := english[0].lower() + english[1:]) and (said := say(lower)) != lower:
        return said[0].upper() + said[1:]
    return english


def _called(table: _Table, name: str) -> str:
    """The translated name of a body or joint, in use or of any scene of ours; "" if it is none."""
    if name in _own:
        return _own[name]
    shown = table.called(name)
    return "" if shown == name or name in _given else shown


def _named(table: _Table, english: str) -> Iterator[tuple[str, str, str]]:
    """(name, translated name, remainder) of texts that begin with the name of a body or joint, the longest name first."""
    for i in reversed([i for i, letter in enumerate(english) if letter == " "]):
        name = english[: i - (english[i - 1] in ",:")]
        if (shown := _called(table, name)):
            yield name, shown, english[len(name):]


def _after_name(table: _Table, english: str, say: Callable[[str], str]) -> str:
    """Translate "ball and slope", "ball - slope", "ball, xz plane", "ball: holds", "ball z"; "" if it is none of these."""
    for _, shown, rest in _named(table, english):
        if not _LETTERS.search(rest):
            return shown + rest
        if rest[0] in ",:":
            if (said := say(rest[2:])) != rest[2:]:
                return f"{shown}{rest[0]} {said}"
            continue
        word, _, other = rest.strip().partition(" ")
        if (other := _called(table, other)) and (said := table.exact.get(f"{{}} {word} {{}}")):
            return said.format(shown, other)
    return ""


def _quantity(table: _Table, english: str, say: Callable[[str], str]) -> str:
    """Translate "ball speed"; "" if it begins with no name or the remainder is unknown."""
    return next((f"{shown}: {said}" for name, shown, rest in _named(table, english)
                 if (name in _own or " " in name) and rest[0] == " " and (said := say(rest[1:])) != rest[1:]), "")


def _bracketed(parts: re.Match, say: Callable[[str], str]) -> str:
    return f"{say(parts[1])}{parts[2]}{parts[3]}{say(parts[4])}{parts[5]}{parts[6]}"


# ---- catalogues


def _load(code: str) -> _Table:
    table = _Table()
    for english, said in read(FOLDER / f"{code}.po"):
        if not said:
            continue
        if has_places(english):
            table.templates.append(template(english, said))
        table.exact[english] = said
    table.names.update(read(FOLDER / "names" / f"{code}.po"))
    table.templates.sort(key=lambda one: -one.weight)
    return table


def has_places(english: str) -> bool:
    """Whether the text has placeholders outside of formulas."""
    return any(PLACE.search(part) for part in english.split("$")[::2])


def template(english: str, says: str) -> Template:
    """The template of a key with placeholders and its translation."""
    pattern, places, weight = "", [], 0
    letters = sum(map(str.isalpha, PLACE.sub("", english)))
    anything = "(.*?)" if letters >= MIN_FIXED_LETTERS else r"((?:\S+ ){0,3}?\S*)"
    for i, part in enumerate(english.split("$")):
        pattern += r"\$" if i else ""
        at = 0
        for place in () if i % 2 else PLACE.finditer(part):
            fixed = part[at:place.start()]
            number = place[1] or (place[3] and place[3][-1:] in "gfd")
            pattern += re.escape(fixed) + (f"({NUMBER})" if number else anything)
            weight += len(fixed)
            places.append(place[2])
            at = place.end()
        pattern += re.escape(part[at:])
        weight += len(part) - at
    return Template(re.compile(pattern, re.DOTALL), tuple(places), weight, says, letters)


def read(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (English text, translation) of a gettext .po file; only the keywords in use here are supported."""
    entry: dict[str, str] = {}
    at = ""
    for line in [*path.read_text(encoding="utf-8").splitlines(), "msgid"]:
        keyword, _, rest = line.strip().partition(" ")
        if keyword == "msgid" and entry.get("msgid"):
            yield entry["msgid"], entry.get("msgstr", "")
        if keyword == "msgid":
            entry = {}
        if keyword in ("msgid", "msgstr"):
            at, entry[keyword] = keyword, _unquoted(rest)
        elif keyword.startswith('"') and at:
            entry[at] += _unquoted(line.strip())


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text[1:-1])


def quoted(text: str) -> str:
    """The text as quoted in a .po file."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
