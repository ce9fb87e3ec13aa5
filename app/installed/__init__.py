"""The package `stiction` of an installation (setup.py): app, physics, scenes and assets lie in it as they lie in a checkout.

Only the name `stiction` is claimed among the packages of others. Our modules call each other `physics.world`, and so do
recordings, compiled kernels and scenes of one's own; an import of `stiction` makes these names available in its process, and
`stiction.physics.world` is the same module.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

PACKAGE_FOLDER = Path(__file__).resolve().parent
OWN_PACKAGES = ("app", "physics", "scenes", "benchmarks")


class _Same(MetaPathFinder, Loader):
    """Finds `physics.world` for an import of `stiction.physics.world`: a second module would compile everything again."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, inner = name.partition(".")
        return spec_from_loader(name, self) if package == __name__ and inner.partition(".")[0] in OWN_PACKAGES else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(spec.name.partition(".")[2])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = module.__spec__.loader_state      # it keeps its own name


def _register_names() -> None:
    """Let our folders be found under their own names.

    Raises:
        ImportError: this process has another package of such a name already.
    """
    for name in OWN_PACKAGES:
        if name in sys.modules and str(PACKAGE_FOLDER / name) not in getattr(sys.modules[name], "__path__", ()):
            raise ImportError(f"stiction provides a package '{name}', but this process has imported another one: import stiction "
                              "first, or use a separate process")
    sys.path.insert(0, str(PACKAGE_FOLDER))
    sys.meta_path.insert(0, _Same())


def main() -> int:
    """The command line."""
    from app.cli import main

    return main()


_register_names()
