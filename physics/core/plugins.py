"""Plug-in discovery: adding a plug-in is adding one file to a package."""

import functools
import importlib
import os
import pkgutil
from importlib.machinery import FileFinder
from types import ModuleType
from typing import Any


def names(package: ModuleType) -> list[str]:
    """Names of all modules of a package, in alphabetical order; those with a leading underscore are left out."""
    return sorted({name for folder in package.__path__ for name in _names_in(folder)})


def modules(package: ModuleType) -> dict[str, ModuleType]:
    """All modules of a package by name, as `names` has them."""
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names(package)}


def discover(package: ModuleType, attribute: str) -> dict[str, Any]:
    """The attribute of that name of each module of a package that has it, by module name in alphabetical order."""
    return {name: getattr(m, attribute) for name, m in modules(package).items() if hasattr(m, attribute)}


def _names_in(folder: str) -> tuple[str, ...]:
    """Modules of one folder of a package. Of a plain folder they are listed once for each time that its files change, which takes
    2 ms, and panels ask in every picture; another finder may admit files as it likes."""
    if isinstance(pkgutil.get_importer(folder), FileFinder):
        return _listed(folder, os.stat(folder).st_mtime_ns if os.path.isdir(folder) else 0)
    return _listed.__wrapped__(folder, 0)


@functools.lru_cache(maxsize=256)
def _listed(folder: str, changed: int) -> tuple[str, ...]:
    """changed: when a file was last added to the folder or removed from it [ns]."""
    return tuple(module.name for module in pkgutil.iter_modules([folder]) if not module.name.startswith("_"))
