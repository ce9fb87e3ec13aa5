"""What is installed: one package with all of ours in it, from a wheel that may have compiled kernels in it."""

import base64
import csv
import hashlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import types
import zipfile
from importlib import metadata

import pytest

from app.commands import wheel
from physics import BadInput
from physics.core.compile import cache
from tests.helpers import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = re.findall(r"^Programming Language :: Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)


def said(monkeypatch):
    """What setup.py hands to setuptools."""
    arguments = {}

    def find_packages(include, exclude):
        tops = [name for name in include if "*" not in name]
        found = [path.parent for top in tops for path in (ROOT / top).rglob("__init__.py")]
        return [name for name in (".".join(path.relative_to(ROOT).parts) for path in found) if name not in exclude]

    tools = types.SimpleNamespace(setup=arguments.update, find_packages=find_packages)
    monkeypatch.setitem(sys.modules, "setuptools", tools)
    runpy.run_path(str(ROOT / "setup.py"))
    return arguments


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder with all that setup.py installs, as setuptools puts it there."""
    told, site = said(monkeypatch), tmp_path / "site"
    for package in told["packages"]:
        top = max((name for name in told["package_dir"] if f"{package}.".startswith(f"{name}.")), key=len)
        source = ROOT.joinpath(told["package_dir"][top], *package.removeprefix(top).strip(".").split("."))
        target = site.joinpath(*package.split("."))
        for path in (path for pattern in ("*.py", *told["package_data"].get(package, ())) for path in source.glob(pattern)):
            if path.is_file():
                (target / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target / path.relative_to(source))
    info = site / "stiction-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stiction\nVersion: 1.0\n")
    return site


def python(site, *words, **environment):
    """A process that finds nothing of ours but what is installed."""
    return subprocess.run([sys.executable, "-P", *words], cwd=site, capture_output=True, text=True,
                          env={**os.environ, **environment, "PYTHONPATH": str(site)})


def test_one_package_name_is_installed(site):
    assert {path.name for path in site.iterdir()} == {"stiction", "stiction-1.0.dist-info"}


def test_all_data_files_are_installed(site):
    for folder in ("app", "physics", "scenes", "assets"):
        for path in (ROOT / folder).rglob("*"):
            own = path.relative_to(ROOT)
            if path.is_file() and "__pycache__" not in own.parts and own.parts[:2] != ("app", "installed"):
                assert (site / "stiction" / own).is_file(), own
    assert (site / "stiction" / "py.typed").is_file()


def test_the_commands_work_from_an_installation(site):
    help = python(site, "-m", "stiction", "--help")
    assert help.returncode == 0 and "wheel" in help.stdout, help.stderr
    assert python(site, "-m", "stiction", "--version").stdout == "stiction 1.0\n"
    scenes = python(site, "-m", "stiction", "scenes", "pyramid")
    assert scenes.stdout == "pyramid  Stacks  Pyramid\n", scenes.stderr
    making = python(site, "-c", "from stiction import main\nimport sys\nsys.exit(main())", "wheel")
    assert making.returncode == 2 and "is an installation" in making.stderr


def test_entry_points_exist(site):
    for name in (*PROJECT["scripts"].values(), *PROJECT["gui-scripts"].values()):
        module, _, function = name.partition(":")
        done = python(site, "-c", f"import {module}; print(callable({module}.{function}))")
        assert done.stdout == "True\n", done.stderr


def test_a_module_is_the_same_under_both_names(site):
    code = ("import stiction.physics.world, physics\nfrom stiction.physics import World\n"
            "assert stiction.physics is physics and stiction.physics.world is physics.world and World is physics.World\n"
            "assert physics.__spec__.name == physics.__name__ == 'physics' and World.__module__ == 'physics.world.world'\n"
            "import importlib\nimportlib.reload(physics.core.check)")
    done = python(site, "-c", code)
    assert done.returncode == 0, done.stderr


def test_a_foreign_package_is_not_mistaken_for_ours(site):
    (site / "scenes.py").touch()
    done = python(site, "-c", "import scenes, stiction")
    assert done.returncode == 1 and done.stderr.splitlines()[-1].startswith("ImportError: stiction provides a package 'scenes'")
    assert python(site, "-c", "import stiction, scenes; scenes.all_scenes").returncode == 0


# ---- the wheel with kernels


@pytest.fixture
def plain(tmp_path):
    """A wheel as pip makes it, with next to nothing in it."""
    path = tmp_path / "stiction-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("stiction/__init__.py", "")
        archive.writestr("stiction-1.0.dist-info/METADATA",
                         "Name: stiction\nVersion: 1.0\nRequires-Dist: numba<9\n\nStiction.\n\nAll.\n")
        archive.writestr("stiction-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n\n")
        archive.writestr("stiction-1.0.dist-info/RECORD", "stiction/__init__.py,,\n")
    return path


def test_a_wheel_with_kernels_is_tagged_for_its_platform(plain, tmp_path):
    path = wheel.with_kernels(plain, {"kernels-0/a/f.nbc": b"code"}, tmp_path / "out")
    here = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    told = files["stiction-1.0.dist-info/WHEEL"].decode().splitlines()
    tags = [line.removeprefix("Tag: ") for line in told if line.startswith("Tag: ")]
    assert "Root-Is-Purelib: false" in told and not any(tag.endswith("-any") for tag in tags)
    assert all(tag.startswith(f"{here}-{here}") for tag in tags) and "" not in told
    assert path.name == f"stiction-1.0-{tags[0].rpartition('-')[0]}-{'.'.join(tag.rpartition('-')[2] for tag in tags)}.whl"
    assert files["stiction/physics/kernels/kernels-0/a/f.nbc"] == b"code"
    head, _, description = files["stiction-1.0.dist-info/METADATA"].decode().partition("\n\n")
    assert description == "Stiction.\n\nAll.\n"
    for name in ("numba", "llvmlite", "numpy"):
        assert f"Requires-Dist: {name}=={metadata.version(name)}" in head.splitlines()
    rows = {row[0]: row[1:] for row in csv.reader(files.pop("stiction-1.0.dist-info/RECORD").decode().splitlines())}
    assert rows.pop("stiction-1.0.dist-info/RECORD") == ["", ""] and rows.keys() == files.keys()
    for name, (digest, size) in rows.items():
        found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        assert digest == f"sha256={found}" and int(size) == len(files[name])


def test_the_same_kernels_make_the_same_wheel(plain, tmp_path):
    one, other = (wheel.with_kernels(plain, {"a": b"code"}, tmp_path / name) for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A set of kernels as a cache has it: (its folder, what to write of its manifest)."""
    folder = tmp_path / "kernels-0"
    names = ["physics.core.vec/vec.dot-0.py311.nbi", "physics.core.clock/clock.x-0.py311.1.nbc", "other-1/other.f-0.py311.1.nbc"]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    told = {"complete": True, "modules": {"physics.core.vec": "1", "physics.core.clock": "2"},
            "files": {name: hashlib.sha256(name.encode()).hexdigest() for name in names}}
    monkeypatch.setattr(cache, "folder", lambda: folder)
    return folder, lambda **other: (folder / cache.MANIFEST).write_text(json.dumps({**told, **other}))


def test_a_wheel_contains_a_complete_kernel_set_of_ours(kept):
    """Neither LLVM code of parts (`vec.dot`), nor kernels that are none of physics; and the manifest knows of neither."""
    kept[1]()
    files = wheel.kernel_files()
    (name,) = files.keys() - {f"kernels-0/{cache.MANIFEST}"}
    assert name == "kernels-0/physics.core.clock/clock.x-0.py311.1.nbc"
    assert list(json.loads(files[f"kernels-0/{cache.MANIFEST}"])["files"]) == [name.removeprefix("kernels-0/")]


@pytest.mark.parametrize("trouble", ["incomplete", "damaged", "gone", "none"])
def test_an_incomplete_kernel_set_makes_no_wheel(kept, trouble):
    folder, write = kept
    write(complete=trouble != "incomplete")
    victim = folder / "physics.core.clock/clock.x-0.py311.1.nbc"
    if trouble == "damaged":
        victim.write_bytes(b"?")
    elif trouble == "gone":
        victim.unlink()
    elif trouble == "none":
        shutil.rmtree(folder)
    with pytest.raises(BadInput, match="are incomplete"):
        wheel.kernel_files()


# ---- what the package says of itself


def test_package_metadata_is_complete():
    assert PROJECT["authors"] == [{"name": "The Stiction developers"}]
    assert PROJECT["license"] == "MIT" and PROJECT["keywords"] and "Typing :: Typed" in PROJECT["classifiers"]
    assert PYTHONS and f">={PYTHONS[0]}" == PROJECT["requires-python"]
    bounded = [wish for wish in PROJECT["dependencies"] if wish.startswith(("numba", "llvmlite"))]
    for wish in bounded:
        low, high = re.fullmatch(r"\w+>=0\.(\d+),<0\.(\d+)", wish).groups()
        assert int(high) == int(low) + 1, "private parts are used: of one minor version"
    assert len(bounded) == 2


def test_every_python_makes_its_wheel_on_every_system():
    """The workflow is read by its lines: it has one matrix, whose lists stand on a line each."""
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    assert "\t" not in text
    lists = {name: re.findall(r"[\w.-]+", words)
             for name, words in re.findall(r"^ +(system|python): \[([^\]]*)\]", text, re.MULTILINE)}
    assert lists["python"] == PYTHONS
    for system in (r"ubuntu-[\d.]+$", r"ubuntu-[\d.]+-arm$", r"macos-\d+$", r"windows-\d+$"):
        assert sum(bool(re.match(system, name)) for name in lists["system"]) == 1
    runs = re.findall(r"^ +run: (python .*)$", text, re.MULTILINE)
    assert runs == ["python start.py test", "python start.py wheel --out dist"]
    assert re.search(r"uses: actions/upload-artifact@.*\n(.*\n)*? +path: dist/\*\.whl", text)
