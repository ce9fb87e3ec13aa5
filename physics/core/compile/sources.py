"""Hashes of everything that compiled code depends on: sources, versions, processor.

    key      of all sources, to the byte: names a published set (physics/core/compile/cache.py)
    stamp    of one module and all that it imports, directly or indirectly, without comments and docstrings; compiled code of
             a module with an unchanged stamp is still valid, whatever else was edited

A kernel consists of functions and constants that its module defines or imports, directly or indirectly, and of nothing else. A
module that lists a package (physics/core/plugins.py) depends on all of it. The location of the sources does not matter: every
checkout of the same sources uses the same kernels.
"""

import ast
import hashlib
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

import llvmlite
import numba
import numpy

from physics.core.compile import processor

PHYSICS = Path(__file__).resolve().parents[2]
_IGNORED_VARIABLES = ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_DEBUG_CACHE", "NUMBA_NUM_THREADS")
_PLUGIN_MODULE = f"{PHYSICS.name}.core.plugins"


def key() -> str:
    """Hash of everything that any compiled code depends on."""
    digest = hashlib.sha256(_facts())
    for path in sorted(PHYSICS.rglob("*.py")):
        source = path.read_bytes()
        digest.update(f"{path.relative_to(PHYSICS).as_posix()} {len(source)}\n".encode())
        digest.update(source)
    return digest.hexdigest()[:20]


def stamps() -> dict[str, str]:
    """Hash of what compiled code depends on, of every module by its full name."""
    hashes, arrows = _read()
    facts = _facts()
    return {name: hashlib.sha256(b"".join([facts, *(other.encode() + hashes[other] for other in sorted(_reach(name, arrows)))]))
            .hexdigest()[:20] for name in arrows}


def code_hash(modules: Iterable[str]) -> str:
    """Hash of these modules and of all that they import, without comments and docstrings, independent of the compiler."""
    hashes, arrows = _read()
    reached = sorted({other for name in modules if name in arrows for other in _reach(name, arrows)})
    return hashlib.sha256(b"".join(name.encode() + hashes[name] for name in reached)).hexdigest()[:20]


def _read() -> tuple[dict[str, bytes], dict[str, set[str]]]:
    """Of every module: hash of its source without comments, docstrings and line numbers; the modules it imports."""
    paths = {_name(path): path for path in sorted(PHYSICS.rglob("*.py"))}
    packages = {name for name, path in paths.items() if path.name == "__init__.py"}
    hashes, arrows = {}, {}
    for name, path in paths.items():
        source = path.read_bytes()
        try:
            tree = ast.parse(source)
        except SyntaxError:     # it cannot be imported either
            hashes[name], arrows[name] = hashlib.sha256(source).digest(), {name}
            continue
        arrows[name] = _imports(name, tree, packages, set(paths))
        for item in ast.walk(tree):
            if isinstance(item, ast.Module | ast.ClassDef | ast.FunctionDef):
                item.body = [line for line in item.body if not _is_text(line)]
        hashes[name] = hashlib.sha256(code_of(tree).encode()).digest()
    return hashes, arrows


def code_of(tree: ast.AST) -> str:
    """A tree as text without what is empty: the same for all versions of Python, which add fields and show empty ones or not."""
    words: list[str] = []

    def write(node: object) -> None:
        if isinstance(node, ast.AST):
            words.append(f"{type(node).__name__}(")
            for name in node._fields:
                value = getattr(node, name, None)
                if value is not None and value != []:
                    words.append(name)
                    write(value)
            words.append(")")
        elif isinstance(node, list):
            words.append("[")
            for one in node:
                write(one)
            words.append("]")
        else:
            words.append(repr(node))

    write(tree)
    return " ".join(words)


def _is_text(line: ast.stmt) -> bool:
    """Whether a statement is a docstring, of whatever stands before it."""
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def facts() -> dict[str, str]:
    """Everything besides the sources that compiled code depends on, by name."""
    found = {"numba": numba.__version__, "llvmlite": llvmlite.__version__, "numpy": numpy.__version__,
             "Python": str(sys.implementation.cache_tag), "machine": platform.machine(), "system": sys.platform,
             "processor": processor.described()}
    return found | {name: value for name, value in sorted(os.environ.items())
                    if name.startswith("NUMBA_") and name not in _IGNORED_VARIABLES}


def difference(made_for: dict[str, str]) -> str:
    """Why code compiled under these facts is not valid here."""
    here = facts()
    unlike = [f"for {name} {made_for[name]}, and here is {here.get(name, 'none')}" for name in made_for
              if made_for[name] != here.get(name)] + [f"for no {name}" for name in here if name not in made_for]
    return ", ".join(unlike) or "it was built from different sources, or is damaged"


def _facts() -> bytes:
    return "\n".join(f"{name}={value}" for name, value in facts().items()).encode()


def _name(path: Path) -> str:
    parts = path.relative_to(PHYSICS.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str, tree: ast.Module, packages: set[str], known: set[str]) -> set[str]:
    """Our modules imported anywhere in a module, and the module itself."""
    found = {name}
    for item in ast.walk(tree):
        if isinstance(item, ast.Import):
            found |= {alias.name for alias in item.names}
        elif isinstance(item, ast.ImportFrom):
            inner = {f"{item.module}.{alias.name}" for alias in item.names}
            found |= inner & known if inner <= known else {item.module, *inner}
    if _PLUGIN_MODULE in found:
        listed = tuple(f"{package}." for package in found & packages)
        found |= {other for other in known if other.startswith(listed)}
    return found & known


def _reach(name: str, arrows: dict[str, set[str]]) -> set[str]:
    reached, pending = {name}, [name]
    while pending:
        fresh = arrows[pending.pop()] - reached
        reached |= fresh
        pending.extend(fresh)
    return reached
