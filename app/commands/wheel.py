"""`stiction wheel`: build a wheel of this checkout with compiled kernels, so that its users compile nothing.

It is the wheel of `pip wheel` (setup.py), with the complete set of kernels (physics/core/compile/cache.py) beside the
sources. The set is for one Python and exact versions of the compiler packages, so the wheel requires these. Compiled kernels
call only numba and its libraries: the wheel is for the systems of numba's own wheel.
"""

import argparse
import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

HELP = "build a wheel with compiled kernels (for publishing)"
EXAMPLES = """\
  stiction wheel                   write to the folder dist
  stiction wheel --out wheelhouse"""
PACKAGED_PATHS = ("app", "physics", "scenes", "assets", "benchmarks", "pyproject.toml", "setup.py", "README.md", "LICENSE")
"""Sources that are installed or control the installation."""
EXACT = ("numba", "llvmlite", "numpy")
"""Packages whose exact versions the compiled kernels require."""
_ROOT = Path(__file__).resolve().parents[2]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="dist", metavar="DIR", help="output folder; default dist")


def run(args: argparse.Namespace) -> int:
    """Build the wheel and print its size."""
    from app.commands import DONE

    with _plain(_checkout()) as plain:
        kernels = kernel_files()
        path = with_kernels(plain, kernels, Path(args.out))
    size = sum(len(data) for data in kernels.values())
    print(f"{path}: {path.stat().st_size / 1e6:.1f} MB, with {size / 1e6:.1f} MB of compiled kernels")
    return DONE


def _checkout() -> Path:
    """Return the folder from which the wheel is built.

    Raises:
        BadInput: this is an installation.
    """
    from physics import BadInput

    if not (_ROOT / "setup.py").exists():
        raise BadInput(f"building a wheel needs a checkout, and {_ROOT} is an installation; in a checkout run: python3 start.py "
                       "wheel")
    return _ROOT


@contextlib.contextmanager
def _plain(checkout: Path) -> Iterator[Path]:
    """Build the wheel without kernels from a copy: in the checkout, files of an earlier build would be included.

    Raises:
        BadInput: pip failed.
    """
    import shutil
    import subprocess
    import sys
    import tempfile

    from physics import BadInput

    with tempfile.TemporaryDirectory(prefix="stiction-wheel-") as folder:
        copy = Path(folder, "sources")
        copy.mkdir()
        for name in PACKAGED_PATHS:
            if (checkout / name).is_dir():
                shutil.copytree(checkout / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", "results"))
            else:
                shutil.copy(checkout / name, copy)
        python = next((python for python in (sys.executable, sys._base_executable) if _has_pip(python)), None)
        if python is None:
            raise BadInput("building a wheel needs pip; run: python3 -m ensurepip")
        done = subprocess.run([python, "-m", "pip", "wheel", "--no-deps", "--disable-pip-version-check", "-w", folder, str(copy)],
                              capture_output=True, text=True, check=False, cwd=folder)
        made = list(Path(folder).glob("*.whl"))
        if done.returncode or len(made) != 1:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise BadInput(f"pip could not build the wheel (it needs setuptools from the package index): {' '.join(last)}")
        yield made[0]


def _has_pip(python: str) -> bool:
    import subprocess

    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def kernel_files() -> dict[str, bytes]:
    """Return the files of the complete set of kernels by their names in physics/kernels, each checked. LLVM code of parts is
    omitted: only kernels outside of every set need it, and it is regenerated from their sources.

    Raises:
        BadInput: there is no complete set on disk, or it is damaged.
    """
    import hashlib
    import json

    from physics import BadInput
    from physics.core.compile import cache

    folder = cache.folder()
    try:
        manifest = json.loads((folder / cache.MANIFEST).read_bytes())
        parts = _parts(manifest["modules"])
        names = {name: digest for name, digest in manifest["files"].items()
                 if name.split("/")[0] in manifest["modules"] and not name.startswith(parts)}
        files = {name: (folder / name).read_bytes() for name in names}
        if not manifest["complete"] or any(hashlib.sha256(files[name]).hexdigest() != digest for name, digest in names.items()):
            raise ValueError
    except (OSError, ValueError, KeyError):
        raise BadInput(f"the compiled kernels in {folder} are incomplete; run: python3 start.py warm --again") from None
    files[cache.MANIFEST] = json.dumps({**manifest, "files": names}).encode()
    return {f"{folder.name}/{name}": data for name, data in files.items()}


def _parts(modules: Iterable[str]) -> tuple[str, ...]:
    """Return the prefixes of the file names of all parts. modules: of physics."""
    import importlib

    from physics.core import jit
    from physics.core.compile.compiling import Part

    for name in modules:
        importlib.import_module(name)
    return tuple(f"{function._cache.stem}." for function in jit.FUNCTIONS if isinstance(function, Part))


def with_kernels(plain: Path, kernels: dict[str, bytes], out: Path) -> Path:
    """Write the wheel for this Python and system: the plain one with these files added in physics/kernels. Returns its path."""
    import zipfile

    from app.files import atomic_write

    tags = _tags()
    with zipfile.ZipFile(plain) as old:
        files = {name: old.read(name) for name in old.namelist()}
    info = next(name.partition("/")[0] for name in files if name.endswith(".dist-info/WHEEL"))
    files |= {f"stiction/physics/kernels/{name}": data for name, data in kernels.items()}
    files[f"{info}/WHEEL"] = _described(files[f"{info}/WHEEL"].decode(), tags).encode()
    files[f"{info}/METADATA"] = _pinned(files[f"{info}/METADATA"].decode()).encode()
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD").encode()
    python, abi, _ = tags[0].split("-")
    systems = ".".join(tag.split("-")[2] for tag in tags)
    path = out / f"{info.removesuffix('.dist-info')}-{python}-{abi}-{systems}.whl"
    atomic_write.write(path, _zipped(files))
    return path


def _tags() -> list[str]:
    """Return the tags of this Python, and of the systems of the installed numba."""
    import sys
    from importlib import metadata

    text = metadata.distribution("numba").read_text("WHEEL") or ""
    systems = sorted({line.rpartition("-")[2] for line in text.splitlines() if line.startswith("Tag: ")})
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return [f"{python}-{python}{getattr(sys, 'abiflags', '')}-{system}" for system in systems]


def _described(wheel: str, tags: list[str]) -> str:
    """Return the contents of a file WHEEL with these tags."""
    kept = [line for line in wheel.splitlines() if line and not line.startswith(("Tag: ", "Root-Is-Purelib: "))]
    return "\n".join([*kept, "Root-Is-Purelib: false", *(f"Tag: {tag}" for tag in tags), ""])


def _pinned(text: str) -> str:
    """Return the contents of a file METADATA that requires the kernels' package versions."""
    from importlib import metadata

    head, blank, description = text.partition("\n\n")
    return "\n".join([head, *(f"Requires-Dist: {name}=={metadata.version(name)}" for name in EXACT)]) + blank + description


def _record(files: dict[str, bytes], own: str) -> str:
    """Return the contents of a wheel's RECORD: all files with their hashes."""
    import base64
    import hashlib

    def line(name: str) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        return f"{name},sha256={digest},{len(files[name])}\n"

    return "".join(line(name) for name in files if name != own) + f"{own},,\n"


def _zipped(files: dict[str, bytes]) -> bytes:
    """Return a reproducible zip: the same files give the same bytes."""
    import io
    import zipfile

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)       # dated 1980
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return packed.getvalue()
