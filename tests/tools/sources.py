"""The program's sources for the house rules: each file is read and parsed once."""

import ast
import functools
import sys
from collections.abc import Iterator

from tests.helpers import ROOT

OWN = ("app", "physics", "scenes", "assets")
NAMES = [path.relative_to(ROOT).as_posix() for path in (*sorted(p for own in OWN for p in (ROOT / own).rglob("*.py")),
                                                        ROOT / "start.py")]
"""Files of the program."""
BESIDE = [path.relative_to(ROOT).as_posix() for own in ("tests", "benchmarks") for path in sorted((ROOT / own).rglob("*.py"))]
"""Files that are not part of the program: tests and benchmarks."""
STD = set(sys.stdlib_module_names)
IMPORTS = ast.Import | ast.ImportFrom
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@functools.cache
def tree(name: str) -> ast.Module:
    return ast.parse(text(name))


@functools.cache
def nodes(name: str) -> tuple[ast.AST, ...]:
    """Return everything in a file, in the order of `ast.walk`."""
    return tuple(ast.walk(tree(name)))


def named(item: ast.Import | ast.ImportFrom) -> list[str]:
    """Return every module that an import names; a name imported from a module counts as one."""
    if isinstance(item, ast.Import):
        return [alias.name for alias in item.names]
    return [item.module or "", *(f"{item.module}.{alias.name}" for alias in item.names)]


@functools.cache
def imports(name: str) -> frozenset[str]:
    """Return every module that a file imports, at any level."""
    return frozenset(module for item in nodes(name) if isinstance(item, IMPORTS) for module in named(item))


@functools.cache
def top_imports(name: str) -> frozenset[str]:
    """Return the modules imported at the top of the file, which are loaded with it."""
    return frozenset(module for item in tree(name).body if isinstance(item, IMPORTS) for module in named(item))


def packages(name: str) -> set[str]:
    """Return the top-level packages that a file imports."""
    return {module.split(".")[0] for module in imports(name)}


def within(name: str, *beginnings: str) -> list[str]:
    """Return the modules that a file imports whose names begin so."""
    return sorted(module for module in imports(name) if module.startswith(beginnings))


def under(*folders: str) -> list[str]:
    """Return the files of the program in these folders."""
    return [name for name in NAMES if name.startswith(tuple(f"{folder}/" for folder in folders))]


def functions(name: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (item for item in nodes(name) if isinstance(item, FUNCTIONS))
