"""Finds translatable texts in the sources. `python -m app.i18n.find_texts ru` lists those without a translation.

`extract` is a method of babel's extraction (assets/languages/babel.cfg): texts are shown where they stand, so no marker in the
source tells which ones; messages (app/i18n/message.py) with a plural become entries with msgid_plural.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import BinaryIO

from app.i18n import translate

ROOT = Path(__file__).resolve().parents[2]

PARTS = {"window": ("app/gui", "app/panels", "app/analysis", "app/console.py", "app/render/view_options.py",
                    "app/render/scene/colours.py", "app/render/overlays", "app/engine", "app/session.py", "app/own_files",
                    "app/build_scene.py", "app/cancellable_work.py", "app/startup.py", "app/camera.py", "app/video.py",
                    "app/robots/robot_file.py", "app/robots/mesh_files.py", "app/robots/mesh_worker.py",
                    "app/robots/meshes.py", "app/robots/urdf.py",
                    "app/robots/sdf.py", "app/robots/model.py", "app/robots/xml_tree.py", "app/files/safe_read.py",
                    "app/files/folders.py"),
         "physics": ("physics/solvers", "physics/joints", "physics/core/options.py", "physics/world/sleep.py",
                     "physics/world/sanity_checks.py", "physics/observe/audit/auditor.py", "physics/observe/audit/findings.py",
                     "physics/contact/friction_cone.py", "physics/observe", "physics/solvers/lcp/step.py",
                     "physics/solvers/lcp/substeps.py", "physics/shapes/__init__.py",
                     "physics/articulated/subsystems/mechanism.py", "physics/articulated/subsystems/partition.py",
                     "physics/articulated/subsystems/integrate.py"),
         "scenes": ("scenes", "scenes/truth", "scenes/maps"), "lessons": ("scenes/lessons",)}
"""Folders and files of each part."""

LISTED_FOLDERS = {"window": ("app/render/overlays",), "physics": ("physics/joints", "physics/shapes")}
"""Folders whose file names are shown to the user."""

SILENT = {"request", "open_panel", "toggle_panel", "show_panel", "run_action", "state", "push_id", "getattr", "setattr",
          "hasattr", "compile", "register_area", "post", "info", "debug", "startswith", "encode", "decode", "open", "getLogger",
          "strip", "rgb", "begin_child", "begin_table", "table_setup_column", "PaperRow", "papers", "marked",
          "numbers_type", "skip"}
"""Functions whose texts are never shown in the window."""

INNER = SILENT | {"einsum", "split", "partition", "rpartition", "removeprefix", "removesuffix", "endswith", "replace", "sub",
                  "fullmatch", "match", "findall", "finditer", "get", "pop", "setdefault", "glob", "rglob", "find", "strftime",
                  "convolve",
                  "first", "all", "inner_text", "inner_number", "inner_numbers",
                  "TypeVar", "ParamSpec", "field", "predicted", "measured", "array", "zeros", "empty", "dtype", "which",
                  "begin_popup", "open_popup"}
"""Functions whose texts are names, patterns and files: `shown_texts` leaves them out."""

DECLARED = {"scenes/truth": ("Experiment", (1, 2), "TOPIC")}
"""Folders of declarations: the declaring function, which of its arguments are shown, and the constant that is a heading."""

FIRST = {"Action"}
"""Functions whose first argument is an identifier if it is a single word: an Action of a lesson begins with its label."""

PLUMBING = {f"app/{name}.py" for name in (
    "analysis/curves/svg_chart", "analysis/lessons/classroom_lock", "analysis/lessons/lesson",
    "analysis/studies/distribution", "cancellable_work", "console", "engine/frame", "engine/recording/codec",
    "engine/recording/file", "engine/recording/journal", "engine/recording/journal_file", "engine/scene_files/build",
    "engine/scene_files/schema", "engine/scene_files/scene_file", "engine/scene_files/text", "engine/timeline/history",
    "files/folders", "gui/commands/keys", "gui/output/crash_recovery", "gui/output/problem_report", "gui/shell/first_minute",
    "gui/shell/imgui_context", "gui/shell/panel_host", "gui/text/fonts", "gui/text/formula", "gui/text/paragraph",
    "gui/text/temporary_locale", "gui/viewport/gizmo", "gui/viewport/inputs", "own_files/ask", "own_files/required_names",
    "own_files/trust", "session", "video")}
"""Files whose strings are identifiers, except whole sentences."""

WRITTEN_FILES = {"app/engine/scene_files/python_export.py"}
"""Files whose strings are the text of a program."""

INTERNAL = re.compile(r"\s*</?[a-z!].*|(?:(?:body|joint|contact|pair):|world\.).*|[\w ]+\.angle|"
                      r"[a-z0-9]+(?:[.:/_-][\w{}.:/_-]*)+|[A-Z][A-Z_0-9]+|.*(?:\\|->|##|\(\?|%\().*|[\w{}-]*\.[a-z0-9]{2,8}|"
                      r"[a-z]+/[\w ]+|(?:(?:Ctrl|Alt|Shift)\+\S+ ?)+|[A-Z]?[a-z]*[_{}]+[\w{}.:-]*|[{}#\s.,:;/()-]*(?:kg|mm|ms|"
                      r"rad|deg|Hz|MB|kB|kN|mJ|kJ|GB)?(?:[\s{}#.,:;^*/()-]|mm|ms|kg|rad|deg|[mNsJW]\b|\d)*", re.DOTALL)
"""Matches markup, identifiers, file names, patterns, keys and bare units."""

FORMULA = re.compile(r"\$[^$]*\$")
"""A formula within a sentence; its LaTeX does not make the sentence an identifier."""

DEVELOPER_CONSTANTS = {"CONTENTS", "INSTRUCTIONS", "FORMER_KINDS", "TOUR_SCENES", "CHART_STYLE", "PAGE_STYLE", "PROVENANCES",
                       "__all__"}
"""Constants for developers."""

KEYWORDS = {"name", "keys", "unit", "law", "key", "expected_warnings", "unreached", "description"}
"""Keyword arguments that are never shown."""

LOGGED = re.compile(r"%(?:\.\d)?([sgdf])\b")
"""Placeholders of logged texts, which are shown in the console."""

NEVER = frozenset(re.split(r"\s+", """
    ab ahead and anticipating asked assets begin bench BenchRun bodies body choice choices choose chosen collide columns csv
    CurveSet diagram docks duplicate EditList en end EnergyTotals eval faster feature float frame fresh hi ignore ignores ij
    index inf kinetic known labels law ledger levels listed lo loop lost MapRun menu mode mp4 mesh mu nan omega opened option
    outline pair pan panel param parquet picked plots png popup pos potential predict quat question rate reach read reasons recent
    record recorder recordings refinement replay reported resize rim run rx ry rz samples screenshot select set Simulation
    SleepState slower solution spins status stiction stretches tables taken text throw simple Settings hide hints instruments
    larger times truth typed unit value values vel view ViewOptions vx vy wanted wishes xy xyz xz zx
    cached geometry input rounding views notify provenance say FittedExperiment ObservedImpact PaperLaw PaperRow
    alternatives Series Session
    ixx ixy ixz iyy iyz izz rpy mu2 ode radii pose robot origin visual inertial effort filename dynamics uri version package sdf
    geometries skipped children centre rb wb trimesh coacd mimic parent child link named
""".strip())) | {
    "simple panels", "on time", "new shape", " occupied", " shown", "assemble", "batch", "join", "motors",
    "A scene of Stiction. Open it with `stiction view FILE`, check it with "
    "`stiction check FILE`; docs/scene_files.md.", "A scene file of Stiction",
    "Del", "Esc", "Tab", "Space P", ". Right", ", Left", "F Home", "Num1", "Num3", "Num5", "Num7", "left top",
    "right top", "{} top", "-inf", " lock", " stop", " thread", " made", " asked", " replays",
    " materials", "contact texts", " numbers", "shift",
    "{}gap/h =", "q0 + h v0 (ST96)", "materials", "{} plane", "{}z plane", "{#} ms \u2191",
    "A report of a problem in Stiction\n\n{}\n\n{}", "# Settings of Stiction; delete this file to restore the defaults.",
    "stretch", "study", "saved", "set_parameter {}", "number", "exact", "done", "problem", "seen",
    "row {}", "over {}", "drop {}", "{} post", "changed while running", "bench at rest since", "{}: control input {}",
    "grain {} {}", "tally {}",      # names, translated as such
    "start turn", "no link", "{}/model.sdf",
    # of `stiction fit`
    "us", "um", "mN m", "N cm", "Measurements", "fit", "FitRun",
    "weakref.ref[Edit] | None",
    # of `stiction sweep`
    "--measure", "dt", "dt [s]", "seconds", "seed", "audit", "ok", "spawn", "Workers", "--vary {}={}", "--option {}", "{} in {}"}
"""Texts that are internal or never translated, but not recognised by their position in the code."""


@cache
def texts(part: str, every: bool = True) -> dict[str, str]:
    """Texts of a part -> the file of their first occurrence. every: all strings, else only those that may be shown."""
    found: dict[str, str] = {file.stem.replace("_", " "): file.relative_to(ROOT).as_posix()
                             for folder in LISTED_FOLDERS.get(part, ())
                             for file in sorted((ROOT / folder).glob("[a-z]*.py"))}
    for name in PARTS[part]:
        place = ROOT / name
        for file in sorted(place.glob("**/*.py" if part == "window" else "*.py") if place.is_dir() else [place]):
            own = file.relative_to(ROOT).as_posix()
            if own in WRITTEN_FILES:
                continue
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for text in _declared(tree, *DECLARED[name]) if name in DECLARED else _texts(tree, every):
                if every or own not in PLUMBING or text.count(" ") > 2:
                    found.setdefault(text, own)
    return found


@cache
def shown_texts(part: str) -> dict[str, str]:
    """As `texts`, but only those that may be shown; a text with an entry in any language counts as shown."""
    entries, names, words = _entries("*.po"), _entries("names/*.po"), texts(part, every=False)
    return {text: file for text, file in texts(part).items()
            if (text in words and text not in NEVER and translate.unnumbered(translate.PLACEHOLDER.sub("{}", text)) not in names)
            or text in entries}


@cache
def _entries(files: str) -> frozenset[str]:
    """The keys with a translation of some catalogues."""
    return frozenset(english for path in translate.LANGUAGES_FOLDER.glob(files) for english, text in translate.read(path) if text)


def key(node: ast.AST) -> str:
    """A text, or an f-string as a key with placeholders."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(part.value if isinstance(part, ast.Constant) else _place(part) for part in node.values)


def _place(part: ast.FormattedValue) -> str:
    form = key(part.format_spec) if part.format_spec is not None else ""
    counted = isinstance(part.value, ast.Call) and getattr(part.value.func, "id", "") in ("len", "rounded", "signed")
    return "{#}" if (form[-1:] in "gfde%" and form) or counted else "{}"


def sounds(text: str) -> bool:
    """Whether the text contains readable words."""
    bare = translate.PLACEHOLDER.sub("", text)
    return bool(re.search("[A-Za-z]{2}", bare)) and not re.fullmatch(r"[\w.:/*#-]*[_:/#*][\w.:/*#-]*", text.strip())


def _texts(tree: ast.Module, every: bool) -> Iterator[str]:
    passed = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    if not every:
        passed.update(id(inner) for node in ast.walk(tree) for part in _named(node) for inner in ast.walk(part))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            _skip(node, passed)
        if isinstance(node, ast.JoinedStr):
            passed |= {id(one) for value in node.values for one in
                       ([value] if isinstance(value, ast.Constant) else ast.walk(value.format_spec) if value.format_spec else ())}
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(node.value, ast.Call) \
                and not ast.unparse(node.annotation).startswith("ClassVar"):
            yield node.target.id.replace("_", " ")
        if id(node) not in passed and (isinstance(node, ast.JoinedStr)
                                       or (isinstance(node, ast.Constant) and isinstance(node.value, str))):
            text = LOGGED.sub(lambda place: "{}" if place[1] == "s" else "{#}", key(node).strip())
            if sounds(text) and (every or not INTERNAL.fullmatch(FORMULA.sub("", text))):
                yield text


def _declared(tree: ast.Module, function: str, places: tuple[int, ...], heading: str) -> Iterator[str]:
    """Shown texts of a file of declarations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
            yield from (LOGGED.sub("{#}", key(node.args[place])) for place in places)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == heading:
            yield key(node.value)


def _named(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes whose strings are identifiers by position: subscripts, comparisons, dictionary keys, annotations, calls."""
    match node:
        case ast.Subscript():
            yield node.slice
        case ast.Compare(comparators=others):
            yield from (side for side in (node.left, *others) if _bare(side))
        case ast.Dict(keys=keys):
            yield from (one for one in keys if one is not None and _bare(one))
        case ast.Assign(targets=[ast.Name(id=name), *_], value=value) if name in DEVELOPER_CONSTANTS:
            yield value
        case ast.FunctionDef(returns=kind) if kind is not None:
            yield node if "Paper" in ast.unparse(kind) else kind        # rows of papers are for the command line
        case ast.Assert(msg=text) if text is not None:     # checks of scenes: for developers
            yield text
        case ast.AnnAssign(annotation=kind):
            yield kind
        case ast.arg(annotation=kind) if kind is not None:
            yield kind
        case ast.Call(func=called, args=arguments):
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            yield from arguments if name in INNER else filter(_bare, arguments[:1]) if name in FIRST else ()


def _bare(node: ast.AST) -> bool:
    """Whether it is a single word, or a collection of such."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(_bare, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.replace("_", "").isalnum()


def _skip(call: ast.Call, passed: set[int]) -> None:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    hidden = [word.value for word in call.keywords if word.arg in KEYWORDS]
    for argument in [*hidden, *(call.args if called in SILENT else ())]:
        passed.update(map(id, ast.walk(argument)))


def missing(code: str, part: str) -> list[str]:
    """Texts of a part without an entry in this language."""
    known = _entries(f"{code}.po")
    return [text for text in shown_texts(part) if text not in known]


def extract(file: BinaryIO, keywords: object, comment_tags: object, options: object) -> Iterator[tuple[int, str, object, list]]:
    """Yield (line, gettext's function, text or (singular, plural), comments) of each text whose first file this is."""
    own = Path(file.name).resolve().relative_to(ROOT).as_posix()
    nodes = list(ast.walk(ast.parse(file.read())))
    lines = {key(node).strip(): node.lineno for node in reversed(nodes)
             if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))}
    plurals = {node.args[0].value: node.args[1].value for node in nodes if isinstance(node, ast.Call) and len(node.args) == 2
               and getattr(node.func, "id", "") == "message" and all(isinstance(one, ast.Constant) for one in node.args)}
    for part in PARTS:
        for text, first in shown_texts(part).items():
            if first == own and text not in plurals.values():
                plural = plurals.get(text, "")
                yield lines.get(text, 1), "ngettext" if plural else "gettext", (text, plural) if plural else text, []


if __name__ == "__main__":
    for code in sys.argv[1:]:
        for part in PARTS:
            without = missing(code, part)
            print(f"# {code}, {part}: {len(without)} of {len(shown_texts(part))} texts without an entry", *without, sep="\n")
