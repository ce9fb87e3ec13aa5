"""What compiled code depends on: hashes of the sources and of the facts that the compiler reads.

    key      of all sources, to the byte: names a published set (physics/core/cache.py)
    stamp    of one module and of every module that it imports, and so on, without comments and docstrings; compiled code of
             a module with an unchanged stamp is still right, whatever else was edited

A kernel is made of functions and constants that its module defines or imports, and so on: of nothing outside that closure. A
module that lists a package (physics/plugins.py) depends on all of it. Where the sources lie does not matter: every checkout of
the same sources uses the same kernels.
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

from physics.core import processor

PHYSICS = Path(__file__).resolve().parents[1]
_NO_MATTER = ("NUMBA_CACHE_DIR", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_DEBUG_CACHE", "NUMBA_NUM_THREADS")
_LISTS = f"{PHYSICS.name}.plugins"


def key() -> str:
    """Hash of everything that any compiled code depends on."""
    digest = hashlib.sha256(_facts())
    for path in sorted(PHYSICS.rglob("*.py")):
        source = path.read_bytes()
        digest.update(f"{path.relative_to(PHYSICS).as_posix()} {len(source)}\n".encode())
        digest.update(source)
    return digest.hexdigest()[:20]


def stamps() -> dict[str, str]:
    """Of every module by its full name: hash of what its compiled code depends on."""
    hashes, arrows = _read()
    facts = _facts()
    return {name: hashlib.sha256(b"".join([facts, *(other.encode() + hashes[other] for other in sorted(_reach(name, arrows)))]))
            .hexdigest()[:20] for name in arrows}


def meaning(modules: Iterable[str]) -> str:
    """Hash of these modules and of all that they import, without comments and docstrings, whatever compiles them."""
    hashes, arrows = _read()
    reached = sorted({other for name in modules if name in arrows for other in _reach(name, arrows)})
    return hashlib.sha256(b"".join(name.encode() + hashes[name] for name in reached)).hexdigest()[:20]


def _read() -> tuple[dict[str, bytes], dict[str, set[str]]]:
    """Of every module: hash of its source without comments, docstrings and the places of its lines; what it imports."""
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
            if isinstance(item, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(item, clean=False) is not None:
                item.body = item.body[1:]
        hashes[name] = hashlib.sha256(ast.dump(tree).encode()).digest()
    return hashes, arrows


def _facts() -> bytes:
    facts = [numba.__version__, llvmlite.__version__, numpy.__version__, str(sys.implementation.cache_tag), platform.machine(),
             sys.platform, processor.described()]
    facts += [f"{name}={value}" for name, value in sorted(os.environ.items())
              if name.startswith("NUMBA_") and name not in _NO_MATTER]
    return "\n".join(facts).encode()


def _name(path: Path) -> str:
    parts = path.relative_to(PHYSICS.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str, tree: ast.Module, packages: set[str], known: set[str]) -> set[str]:
    """The modules of ours that a module names in its imports, wherever these stand; itself, too."""
    found = {name}
    for item in ast.walk(tree):
        if isinstance(item, ast.Import):
            found |= {alias.name for alias in item.names}
        elif isinstance(item, ast.ImportFrom):
            inner = {f"{item.module}.{alias.name}" for alias in item.names}
            found |= inner & known if inner <= known else {item.module, *inner}
    if _LISTS in found:
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
