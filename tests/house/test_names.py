"""Names are words of the field (docs/glossary.md), and tests use what is public."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.helpers import ROOT

DIALECT = {"doubt", "witness", "deed", "clerk", "reel", "tape", "ear", "ink", "crowd", "mould", "keeper", "matter", "coated",
           "jointed", "seam", "echo", "board", "sight", "uncommon", "handing", "told"}
"""Words that the field does not use for what they named here."""

VAGUE_VERBS = {"tell", "take", "give", "keep", "see", "look", "say", "speak"}
"""A function that begins with one of them does not say what it does."""

VAGUE_LIMITS = {"MOST", "LEAST", "FAR", "NEAR", "STILL", "HOW", "WHAT", "HERE", "ROOM"}
"""Constants that do not say what they limit; as a part of a name the first two."""

ALLOWED = {
    "look_at": "the field's name for turning a camera to a point",
    "AT_MOST": "an answer of a fit: the data bound the parameter from above", "AT_LEAST": "the same from below",
    "keys_told": "an entry of the settings of users"}


def defined(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """(kind, name, line) of what a file names, but for local variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield "function", node.name, node.lineno
        elif isinstance(node, ast.ClassDef):
            yield "class", node.name, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id.isupper():
            yield "constant", node.id, node.lineno
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield "field", node.target.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield "attribute", node.attr, node.lineno


def is_dialect(kind: str, name: str) -> bool:
    """Whether a name breaks one of the rules."""
    words = [word.lower() for word in re.sub("([a-z])([A-Z])", r"\1_\2", name).split("_") if word]
    constant = name.isupper() and (name.strip("_") in VAGUE_LIMITS or {"most", "least"} & set(words))
    return bool(words) and name not in ALLOWED and bool(
        {word.removesuffix("s") for word in words} & DIALECT or constant
        or (kind in ("function", "class") and words[0] in VAGUE_VERBS))


def test_names_are_words_of_the_field() -> None:
    """"How names are made" of the glossary, for files and all that they define."""
    found = []
    for file in sorted(path for package in ("physics", "app", "scenes") for path in (ROOT / package).rglob("*.py")):
        place = file.relative_to(ROOT).as_posix()
        found += [f"{place}: the file"] * is_dialect("file", file.stem)
        found += [f"{place}:{line} {kind} {name}" for kind, name, line in defined(ast.parse(file.read_text(encoding="utf-8")))
                  if is_dialect(kind, name)]
    assert found == []


PROTOCOLS = {"PLACE", "TITLE", "GROUP", "ORDER", "ABOUT", "OPEN", "HELP", "OVERLAY", "EXAMPLES", "JOINT", "KINDS", "SHAPE",
             "SOLVER", "LAW", "KERNELS", "FORMAT", "SIZE", "Work"}
"""Names that files of a folder have in common because something reads them there; and the record types of physics."""

SAME_MEANING = {
    "REFRESH_INTERVAL", "MEASURE_INTERVAL", "AUTO_RUN_LIMIT", "NARROW_WIDTH", "ZERO_BELOW", "ROUNDING_SHARE", "REST_SPEED",
    "FILE_NAME", "LINE_LENGTH", "ROOT", "ORIGIN", "FACE_PREFERENCE", "JOINT_KINDS", "PICTURE_SIZE",
    "RUN_HELP", "Key", "SETTLED"}
"""Names that mean the same in each of their files, of that file's own values."""


def test_a_bare_name_means_one_thing() -> None:
    """A constant or class of the same name in more than two files says nothing of itself; limits, MAX_ and MIN_, do."""
    files: dict[str, set[str]] = {}
    for path in sorted(file for package in ("physics", "app") for file in (ROOT / package).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            names = [node.name] if isinstance(node, ast.ClassDef) else [one.id for one in targets if isinstance(one, ast.Name)]
            for name in names:
                if name[0].isupper() and not name.startswith(("MAX_", "MIN_")):
                    files.setdefault(name, set()).add(path.relative_to(ROOT).as_posix())
    common = {name: sorted(places) for name, places in files.items() if len(places) > 2}
    assert {name: places for name, places in common.items() if name not in PROTOCOLS | SAME_MEANING} == {}
    assert (PROTOCOLS | SAME_MEANING) - common.keys() == set(), "exceptions that nothing needs any more"


FOREIGN = re.compile(r"_\d+|_replace|_repr_\w+|_main_scale|_file_drops")
"""Private by name only: keys of pyglet, named tuples, what Jupyter calls, what pyglet and ImGui offer in no other way."""

PRIVATE_OF_PHYSICS = {
    "_copy_published", "_copy_set", "_read",        # a set that is damaged, or replaced, just while it is copied
    "_Work", "_left", "_ready", "_opening", "_finish",      # the order of compilation without compiling
    "_COLLIDERS", "_keys", "_run", "_loose", "_tags",       # pairs that have a kernel, and memory of the broad phase
    "_cache", "_first_call", "_update_estimate"}            # LLVM text of a kernel, the first call, an estimate without its clock
PRIVATE_OF_APP = {
    "tests/analysis/curves/test_plot_layout.py": "samples that no simulation made",
    "tests/engine/observers/test_replay_last_steps.py": "panels without what they remembered of the test before"}


def private_accesses(file: Path) -> Iterator[tuple[int, str]]:
    """(line, text) of accesses to private members of other objects."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        own = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if isinstance(node, ast.Attribute) and re.match("_[^_]", node.attr) and not own and not FOREIGN.fullmatch(node.attr):
            yield node.lineno, node.attr


def test_tests_use_what_is_public() -> None:
    """A private member may change without a test that says so; where nothing public serves, the reason stands above."""
    found = {(file.relative_to(ROOT).as_posix(), line, name) for file in (ROOT / "tests").rglob("*.py")
             for line, name in private_accesses(file)}
    offenders = [f"{place}:{line} {name}" for place, line, name in sorted(found)
                 if name not in PRIVATE_OF_PHYSICS and place not in PRIVATE_OF_APP]
    assert offenders == []
    unused = (PRIVATE_OF_PHYSICS | PRIVATE_OF_APP.keys()) - {part for place, _, name in found for part in (place, name)}
    assert unused == set(), "exceptions that nothing needs any more"
