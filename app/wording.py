"""What there is to translate: texts found in the sources. `python -m app.wording ru` lists those without a translation."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from app import language

ROOT = Path(__file__).resolve().parents[1]

PARTS = {"window": ("app/gui", "app/panels", "app/insight", "app/view.py", "app/render/colours.py", "app/render/overlays",
                    "app/engine", "app/session.py", "app/own_files.py"),
         "physics": ("physics/solvers", "physics/joints", "physics/options.py", "physics/sleeping.py", "physics/doubts.py",
                     "physics/audit.py",
                     "physics/auditing/told.py",
                     "physics/friction_cases.py", "physics/account.py", "physics/quantities.py", "physics/joint_quantities.py",
                     "physics/contact_quantities.py", "physics/lcp/stepping.py"),
         "scenes": ("scenes", "scenes/truth"), "lessons": ("scenes/lessons",)}
"""Folders and files by what they hold."""

LISTED = {"window": ("app/render/overlays",), "physics": ("physics/joints", "physics/shapes")}
"""Folders whose files are known to people by their names."""

SILENT = {"request", "memory", "push_id", "getattr", "setattr", "hasattr", "compile", "mark", "post", "info", "debug",
          "startswith", "encode", "decode", "open", "getLogger", "strip", "rgb", "begin_child", "begin_table",
          "table_setup_column", "PaperRow", "papers"}
"""Functions whose texts nobody sees."""

INNER = SILENT | {"einsum", "split", "partition", "rpartition", "removeprefix", "removesuffix", "endswith", "replace", "sub",
                  "fullmatch", "match", "findall", "finditer", "get", "pop", "setdefault", "glob", "rglob", "find", "strftime",
                  "TypeVar", "field", "predicted", "measured", "array", "zeros", "empty", "dtype", "which",
                  "begin_popup", "open_popup"}
"""Functions whose texts are names, patterns and files to a program: `seen` leaves them out."""

DECLARED = {"scenes/truth": ("Experiment", (1, 2), "TOPIC")}
"""Folders of declarations: the function that declares, which of its texts people see, and the constant that is a heading."""

FIRST = {"Action"}
"""Functions whose first text is the name of a thing."""

PLUMBING = {f"app/{name}.py" for name in (
    "gui/context", "gui/keys", "gui/panels", "gui/speaking", "gui/hand/gizmo", "gui/hand/inputs", "gui/output/bundle",
    "gui/output/files", "gui/text/fonts", "gui/text/formula", "gui/text/lent_locale", "gui/text/running_text", "insight/console",
    "insight/lock", "insight/lesson", "engine/codec", "engine/journal", "engine/journal_file", "engine/edits", "engine/recording",
    "engine/comparison", "engine/frame", "engine/rewinding", "engine/history", "gui/output/restoring", "session")}
"""Files whose words are names to the program, but for whole sentences."""

INTERNAL = re.compile(r"(?:(?:body|joint|contact|pair):|world\.).*|[\w ]+\.angle|"
                      r"[a-z0-9]+(?:[.:/_-][\w{}.:/_-]*)+|[A-Z][A-Z_0-9]+|.*(?:\\|->|##|\(\?|%\().*|[\w{}-]*\.[a-z0-9]{2,8}|"
                      r"(?:(?:Ctrl|Alt|Shift)\+\S+ ?)+|[A-Z]?[a-z]*[_{}]+[\w{}.:-]*|[{}#\s.,:;/()-]*(?:kg|mm|ms|rad|deg|"
                      r"Hz|MB|kB|kN|mJ|kJ|GB)?(?:[\s{}#.,:;^*/()-]|mm|ms|kg|rad|deg|[mNsJW]\b|\d)*", re.DOTALL)
"""What looks like a name of a program, a file, a pattern, keys or a bare unit."""

WRITTEN = {"CONTENTS", "HOW"}
"""Constants that are written into files for developers."""

KEYWORDS = {"name", "keys", "unit", "law", "key", "meant"}
"""Arguments that nobody sees, either."""

LOGGED = re.compile(r"%(?:\.\d)?([sgdf])\b")
"""Places of texts that are logged, and shown in the console."""

NEVER = frozenset(re.split(r"\s+", """
    ab Account ahead and arm asked axle balance bar beam bearing begin bob bodies body carriage carrier choice choices
    choose chosen club collide columns csv cube diagram docks driven driver duplicate en end eval faster feature float
    frame given ground hanger hi hook ignore ignores ij index inf kinetic labels law ledger levels listed lo loop menu mp4
    mu nan nut omega opened option outline pair pan panel param parquet particle picked Picture pinion plate plots png
    popup pos potential puck quat rail rate reach reasons recent record recorder recordings resize rim run rx ry rz
    samples screenshot select set Simulation Sleep sleeve slower solution status stiction table tables tape text thread
    throw times toggles told typed unit value values vel view ViewOptions vx vy walks wanted wishes xy xyz xz zx
""".strip())) | {
    "Del", "Esc", "Tab", "Space P", ". Right", ", Left", "F Home", "Num1", "Num3", "Num5", "Num7", "left top",
    "right top", "{} top", "-inf", " lock", " stop", " taken", " made", " asked", " walks", " materials", " numbers", "shift",
    "{}gap/h =", "h [ms]", "q0 + h v0 (ST96)", "{}\n\n{}", "materials", "{} plane", "{}z plane", "{#} ms \u2191",
    "A report of a problem in Stiction\n\n{}\n\n{}", "# What Stiction remembers of you; delete it to start afresh.",
    "stretch", "study", "renew", "saved", "set_parameter {}", "number", "exact", "done", "problem", "seen", "{} post"}
"""What only the program reads, or nobody translates, where its place does not tell."""


def texts(part: str, every: bool = True) -> dict[str, str]:
    """Texts of a part of the sources -> the file where each is first; of every place, or only where people's words stand."""
    found: dict[str, str] = {file.stem.replace("_", " "): file.relative_to(ROOT).as_posix() for folder in LISTED.get(part, ())
                             for file in sorted((ROOT / folder).glob("[a-z]*.py"))}
    for name in PARTS[part]:
        place = ROOT / name
        for file in sorted(place.glob("**/*.py" if name == "app/gui" else "*.py") if place.is_dir() else [place]):
            own = file.relative_to(ROOT).as_posix()
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for text in _declared(tree, *DECLARED[name]) if name in DECLARED else _texts(tree, every):
                if every or own not in PLUMBING or text.count(" ") > 2:
                    found.setdefault(text, own)
    return found


def seen(part: str) -> dict[str, str]:
    """As `texts`, of those that a person may see: who has an entry in a language has been seen."""
    entries = {english for path in language.FOLDER.glob("*.po") for english, said in language.read(path) if said}
    words = texts(part, every=False)
    names = {name for path in language.FOLDER.glob("names/*.po") for name, _ in language.read(path)}
    return {text: file for text, file in texts(part).items()
            if (text in words and text not in NEVER and language.unnumbered(language.PLACE.sub("{}", text)) not in names)
            or text in entries}


def key(node: ast.AST) -> str:
    """A text, or an f-string as a key with places."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    return "".join(part.value if isinstance(part, ast.Constant) else _place(part) for part in node.values)


def _place(part: ast.FormattedValue) -> str:
    form = key(part.format_spec) if part.format_spec is not None else ""
    counted = isinstance(part.value, ast.Call) and getattr(part.value.func, "id", "") in ("len", "few", "signed")
    return "{#}" if (form[-1:] in "gfde%" and form) or counted else "{}"


def sounds(text: str) -> bool:
    """Whether it is words that a person may read."""
    bare = language.PLACE.sub("", text)
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
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(node.value, ast.Call):
            yield node.target.id.replace("_", " ")
        if id(node) not in passed and (isinstance(node, ast.JoinedStr)
                                       or (isinstance(node, ast.Constant) and isinstance(node.value, str))):
            text = LOGGED.sub(lambda place: "{}" if place[1] == "s" else "{#}", key(node).strip())
            if sounds(text) and (every or not INTERNAL.fullmatch(text)):
                yield text


def _declared(tree: ast.Module, function: str, places: tuple[int, ...], heading: str) -> Iterator[str]:
    """What people see of a file of declarations."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
            yield from (LOGGED.sub("{#}", key(node.args[place])) for place in places)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == heading:
            yield key(node.value)


def _named(node: ast.AST) -> Iterator[ast.AST]:
    """Texts that are names by where they stand: of records' fields, in comparisons, in annotations, in calls."""
    match node:
        case ast.Subscript():
            yield node.slice
        case ast.Compare(comparators=others):
            yield from (side for side in (node.left, *others) if _bare(side))
        case ast.Dict(keys=keys):
            yield from (one for one in keys if one is not None and _bare(one))
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in WRITTEN:
            yield value
        case ast.FunctionDef(returns=kind) if kind is not None and "PaperRow" in ast.unparse(kind):     # for the command line
            yield node
        case ast.Assert(msg=said) if said is not None:     # of a scene's check: for developers
            yield said
        case ast.AnnAssign(annotation=kind):
            yield kind
        case ast.arg(annotation=kind) if kind is not None:
            yield kind
        case ast.Call(func=called, args=arguments):
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            yield from arguments if name in INNER else arguments[:1] if name in FIRST else ()


def _bare(node: ast.AST) -> bool:
    """Whether it is one word, or a few of them in brackets."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(_bare, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.replace("_", "").isalnum()


def _skip(call: ast.Call, passed: set[int]) -> None:
    called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    hidden = [word.value for word in call.keywords if word.arg in KEYWORDS]
    for argument in [*hidden, *(call.args if called in SILENT else ())]:
        passed.update(map(id, ast.walk(argument)))


def missing(code: str, part: str) -> list[str]:
    """Texts of a part that this language has no entry for."""
    known = {english for english, said in language.read(language.FOLDER / f"{code}.po") if said}
    return [text for text in seen(part) if text not in known]


if __name__ == "__main__":
    for code in sys.argv[1:]:
        for part in PARTS:
            without = missing(code, part)
            print(f"# {code}, {part}: {len(without)} of {len(seen(part))} texts without an entry", *without, sep="\n")
