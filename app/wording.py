"""What there is to translate: texts found in the sources. `python -m app.wording ru` lists those without a translation."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from app import language

ROOT = Path(__file__).resolve().parents[1]

PARTS = {"window": ("app/gui", "app/panels", "app/insight", "app/view.py", "app/render/colours.py", "app/render/overlays",
                    "app/engine", "app/session.py"),
         "physics": ("physics/solvers", "physics/joints", "physics/options.py", "physics/sleeping.py", "physics/doubts.py",
                     "physics/friction_cases.py", "physics/account.py"),
         "scenes": ("scenes",), "lessons": ("scenes/lessons",)}
"""Folders and files by what they hold."""

SILENT = {"request", "memory", "push_id", "getattr", "setattr", "hasattr", "compile", "mark", "post", "info", "debug",
          "startswith", "encode", "decode", "open", "getLogger", "strip", "rgb", "begin_child", "begin_table",
          "table_setup_column"}
"""Functions whose texts nobody sees."""

KEYWORDS = {"name", "keys", "unit", "law", "key"}
"""Arguments that nobody sees, either."""


def texts(part: str) -> dict[str, str]:
    """Texts of a part of the sources -> the file where each is first."""
    found: dict[str, str] = {}
    for name in PARTS[part]:
        place = ROOT / name
        for file in sorted(place.glob("*.py") if place.is_dir() else [place]):
            for text in _texts(ast.parse(file.read_text(encoding="utf-8"))):
                found.setdefault(text, file.relative_to(ROOT).as_posix())
    return found


def key(node: ast.AST) -> str:
    """A text, or an f-string as a key with places."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(part.value if isinstance(part, ast.Constant) else _place(part) for part in node.values)


def _place(part: ast.FormattedValue) -> str:
    form = key(part.format_spec) if part.format_spec is not None else ""
    counted = isinstance(part.value, ast.Call) and getattr(part.value.func, "id", "") == "len"
    return "{#}" if (form[-1:] in "gfde%" and form) or counted else "{}"


def sounds(text: str) -> bool:
    """Whether it is words that a person may read."""
    bare = language.PLACE.sub("", text)
    return bool(re.search("[A-Za-z]{2}", bare)) and not re.fullmatch(r"[\w.:/*#-]*[_:/#*][\w.:/*#-]*", text.strip())


def _texts(tree: ast.Module) -> Iterator[str]:
    passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _skip(node, passed)
        if isinstance(node, ast.JoinedStr):
            passed |= {id(one) for value in node.values for one in
                       ([value] if isinstance(value, ast.Constant) else ast.walk(value.format_spec) if value.format_spec else ())}
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(node.value, ast.Call):
            yield node.target.id.replace("_", " ")
        if id(node) not in passed and (isinstance(node, ast.JoinedStr)
                                       or (isinstance(node, ast.Constant) and isinstance(node.value, str))):
            text = key(node).strip()
            if sounds(text):
                yield text


def _skip(call: ast.Call, passed: set[int]) -> None:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    hidden = [word.value for word in call.keywords if word.arg in KEYWORDS]
    for argument in [*hidden, *(call.args if called in SILENT else ())]:
        passed.update(map(id, ast.walk(argument)))


def missing(code: str, part: str) -> list[str]:
    """Texts of a part that this language has no entry for."""
    known = {english for english, said in language.read(language.FOLDER / f"{code}.po") if said}
    return [text for text in texts(part) if text not in known]


if __name__ == "__main__":
    for code in sys.argv[1:]:
        for part in PARTS:
            without = missing(code, part)
            print(f"# {code}, {part}: {len(without)} of {len(texts(part))} texts without an entry", *without, sep="\n")
