"""Shared configuration and fixtures.

Tests are imported from the root of the repository, as `tests.physics.test_x`: every folder of tests is a package (`__init__.py`),
so pytest puts the root onto sys.path, files in two folders may have the same name, and `tests.helpers` is found from everywhere.
"""

import contextlib
import importlib
import os
import shutil
import sys
import tempfile
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests.helpers", "tests.tools", "tests.reliability", "tests.views", "tests.interleaving")

NO_CALL = SimpleNamespace(params={})
FOLDER = tempfile.mkdtemp(prefix="stiction-tests-")
for _kind in ("DATA", "STATE", "CONFIG"):       # what a person set reaches no test, and the other way round
    os.environ[f"STICTION_{_kind}_DIR"] = os.path.join(FOLDER, _kind.lower())
    os.mkdir(os.environ[f"STICTION_{_kind}_DIR"], 0o700)

from tests.tools import argument_checks, each_value  # noqa: E402

argument_checks.switch_on()

# The same examples in every run, and no deadline: a first call may compile. STICTION_FUZZ=1 looks for new examples.
settings.register_profile("steady", derandomize=True, deadline=None, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fuzz", deadline=None, max_examples=2000, print_blob=True,
                          suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fuzz" if os.environ.get("STICTION_FUZZ") else "steady")


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Import a share of all test files, of workers side by side each one another: the bytecode of asserts, which takes 15 s, is
    made once, and read by the others."""
    count, own = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)), os.environ.get("PYTEST_XDIST_WORKER", "gw0")
    if count == 1 or session.config.args != session.config.getini("testpaths"):
        return
    root = session.config.rootpath
    for path in sorted((root / "tests").rglob("test_*.py"))[int(own[2:])::count]:
        with contextlib.suppress(Exception, pytest.skip.Exception):     # told when the file is collected
            importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "each_value(times, **always): see tests/tools/each_value.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put all tests of a scene's runs (tools/scene_runs.py) side by side, so that one worker makes each run, once."""
    each_value.skip_repetitions(items)
    scene = {item: item.callspec.params["name"] for item in items
             if item.path.name in ("test_lessons.py", "test_scenes.py") and "name" in getattr(item, "callspec", NO_CALL).params}
    if scene:
        place = items.index(next(iter(scene)))
        items[:] = [*items[:place], *sorted(scene, key=scene.get), *(item for item in items[place:] if item not in scene)]


def pytest_unconfigure() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)


@pytest.fixture(scope="module")
def window():
    """The real window, open for the tests of a module."""
    from tests.tools.person import opened

    yield from opened()


@pytest.fixture
def person(window):
    """Someone at it."""
    from tests.tools.person import at

    yield from at(window)


@pytest.fixture
def mine(tmp_path):
    """A folder of a person's files, forgotten afterwards; call it once the files are there."""
    from app.own_files import discover, trust

    packages = [importlib.import_module(name) for name in discover.JOINED_PACKAGES.values()]
    paths, modules = [list(package.__path__) for package in packages], set(sys.modules)

    def adopt():
        answers = trust.TrustStore(None, {trust.key(path): True for path in tmp_path.glob("*/*.py")})
        assert discover.adopt(tmp_path, answers) == []
        return tmp_path

    adopt.folder = tmp_path
    yield adopt
    for package, path in zip(packages, paths):
        package.__path__[:] = path
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            parent, _, own = name.rpartition(".")
            vars(sys.modules[parent]).pop(own, None)
            del sys.modules[name]


@pytest.fixture
def no_compilation(monkeypatch):
    """These tests compile what they need; nobody waits for the whole set."""
    from app import commands

    monkeypatch.setattr(commands.load("warm"), "ensure_kernels", lambda: 0)
