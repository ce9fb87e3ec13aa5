"""Plug-in discovery: adding a plug-in is adding one file to a package."""

import importlib
import pkgutil
from types import ModuleType
from typing import Any


def modules(package: ModuleType) -> dict[str, ModuleType]:
    """All modules of a package by name, in alphabetical order; names with a leading underscore are left out."""
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}


def discover(package: ModuleType, attribute: str) -> dict[str, Any]:
    """The attribute of that name of each module of a package that has it, by module name in alphabetical order."""
    return {name: getattr(m, attribute) for name, m in modules(package).items() if hasattr(m, attribute)}
