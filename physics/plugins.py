"""Adding a thing is adding one file: list a package's modules and take a fixed name from each."""

import importlib
import pkgutil
from types import ModuleType
from typing import Any


def modules(package: ModuleType) -> dict[str, ModuleType]:
    """All modules of a package by name, in alphabetical order; names with a leading underscore are left out."""
    names = sorted(m.name for m in pkgutil.iter_modules(package.__path__) if not m.name.startswith("_"))
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}


def discover(package: ModuleType, attribute: str) -> dict[str, Any]:
    """`attribute` of every module of a package that has it, by module name."""
    return {name: getattr(m, attribute) for name, m in modules(package).items() if hasattr(m, attribute)}
