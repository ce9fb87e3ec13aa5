"""The cache of compiled kernels: damage, edits, unwritable folders and several processes at once."""

import ast
import hashlib
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from physics.core.compile import cache, processor, sources
from tests.helpers import ROOT
from tests.tools import forked_python
from tests.tools.relative_time import cost

HELPER = """
from physics.core.jit import inline


@inline
def twice(x):
    return 2.0 * x
"""
KERNEL = """
from physics.core.jit import kernel
from physics.helper import twice


@kernel
def total(values):
    result = 0.0
    for i in range(values.shape[0]):
        result += twice(values[i])
    return result
"""
SMALL = """
import numpy as np
from physics.small import total
print("total", total(np.arange(4.0)), "hits", sum(total.stats.cache_hits.values()))
"""
COLD, LOADED = "total 12.0 hits 0", "total 12.0 hits 1"


@pytest.fixture
def run(tmp_path):
    """Run a piece of code in a fresh process with a cache of its own, over a small `physics`; what it printed."""
    return runner(tmp_path)


@pytest.fixture(scope="module")
def seed(tmp_path_factory):
    """Where a process has compiled and published once."""
    folder = tmp_path_factory.mktemp("seed")
    runner(folder)
    done = subprocess.run(**command(folder, SMALL), capture_output=True)
    assert done.stdout.strip() == COLD, done.stderr
    return folder


@pytest.fixture
def run_warm(tmp_path, seed):
    """As `run`, with everything compiled before."""
    shutil.copytree(published(seed), tmp_path / published(seed).name)

    def run():
        done = forked_python.run(SMALL, environment(seed, tmp_path))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def runner(tmp_path):
    sources = tmp_path / "sources" / "physics"
    shutil.copytree(ROOT / "physics" / "core", sources / "core", ignore=shutil.ignore_patterns("__pycache__"))
    (sources / "__init__.py").touch()
    (sources / "helper.py").write_text(HELPER)
    (sources / "small.py").write_text(KERNEL)

    def run(code=SMALL, folder=tmp_path):
        done = forked_python.run(code, environment(tmp_path, folder))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def environment(tmp_path, folder=None):
    """Without bytecode: an edit that keeps a file's size within the second of its last one would not be seen by Python."""
    places = {"PYTHONPATH": str(tmp_path / "sources"), "STICTION_CACHE_DIR": str(folder or tmp_path)}
    return {**os.environ, **places, "PYTHONDONTWRITEBYTECODE": "1"}


def command(tmp_path, code, folder=None):
    """Arguments of subprocess for a piece of code in a process of its own from the first import on."""
    return {"args": [sys.executable, "-P", "-c", code], "env": environment(tmp_path, folder), "text": True}


def published(folder):
    (path,) = Path(folder).glob("kernels-*")
    return path


def code_files(folder):
    return sorted(published(folder).rglob("*.nbc"))


def test_second_process_loads_what_the_first_compiled(tmp_path, run_warm):
    assert run_warm() == LOADED
    assert not list(tmp_path.glob("run-*")), "each process removes its own folder"


@pytest.mark.parametrize("damage", ["bit", "cut", "gone", "index", "manifest", "no manifest", "extra text"])
def test_damaged_kernels_are_recompiled(tmp_path, run_warm, damage):
    suffix = "nbi" if damage == "index" else "nbc"
    (victim,) = published(tmp_path).rglob(f"*total*.{suffix}")
    if damage in ("manifest", "no manifest", "extra text"):
        victim = published(tmp_path) / cache.MANIFEST
    data = bytearray(victim.read_bytes())
    victim.unlink()
    if damage not in ("gone", "no manifest"):
        if damage == "cut" or damage == "manifest":
            data = data[: len(data) // 2]
        elif damage == "extra text":
            data = b"[1, 2]"
        else:
            data[len(data) // 2] ^= 16
        victim.write_bytes(data)
    assert run_warm() == COLD
    assert cache._copy_published(published(tmp_path), tmp_path / "own") is False, "whole again, compiled in passing"
    assert list((tmp_path / "own").rglob("*total*.nbc")) and list((tmp_path / "own").rglob("*twice*.nbc"))


def test_what_is_not_used_is_not_read(tmp_path, run_warm):
    """The code of a part is in that of the kernel; a damaged one is found when something asks for it, and does no harm before."""
    (victim,) = [path for path in code_files(tmp_path) if "twice" in path.name]
    victim.unlink()
    victim.write_bytes(b"nonsense")
    assert run_warm() == LOADED and published(tmp_path).exists()


def test_every_bit_of_the_code_is_checked(tmp_path, run_warm):
    """A hundred flipped bits, each noticed before numba sees the file."""
    (victim,) = [f for f in code_files(tmp_path) if "total" in f.name]
    good = victim.read_bytes()
    own = tmp_path / "own"
    random = np.random.default_rng(0)
    manifest = (published(tmp_path) / cache.MANIFEST).read_bytes()
    place = published(tmp_path)
    for bit in random.integers(0, 8 * len(good), 100):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << (bit % 8)
        place.mkdir(parents=True, exist_ok=True)
        (place / cache.MANIFEST).write_bytes(manifest)
        victim.parent.mkdir(exist_ok=True)
        victim.write_bytes(bad)
        assert not cache._copy_published(place, own, f"{victim.parent.name}/{victim.name.rsplit('.', 2)[0]}")
        assert not list(own.rglob("*total*")) and not place.exists()


def test_an_edit_of_any_physics_file_changes_the_key(tmp_path, monkeypatch):
    folder = tmp_path / "physics"
    (folder / "core").mkdir(parents=True)
    helper = folder / "core" / "vec.py"
    helper.write_text("ONE = 1.0\n")
    monkeypatch.setattr(sources, "PHYSICS", folder)
    before = sources.key()
    assert sources.key() == before
    helper.write_text("ONE = 2.0\n")
    edited = sources.key()
    helper.rename(folder / "vec.py")
    assert len({before, edited, sources.key()}) == 3


def test_the_version_of_python_does_not_matter_to_the_recipe():
    """Python 3.12 gave functions a list of type parameters: the recipe of another version was then followed by all exercises."""
    tree = ast.parse("def f(x: int): return x or None")
    before, decorators = sources.code_of(tree), tree.body[0].decorator_list
    del tree.body[0].decorator_list
    assert sources.code_of(tree) == before, "a list that is empty is as one that is not there"
    tree.body[0].decorator_list = [*decorators, ast.Name("kernel")]
    assert sources.code_of(tree) != before


@pytest.mark.parametrize("flag", ["NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_DISABLE_JIT", "NUMBA_LOOP_VECTORIZE"])
def test_flags_of_numba_are_in_the_key(monkeypatch, flag):
    before = sources.key()
    monkeypatch.setenv(flag, "0" if os.environ.get(flag) == "1" else "1")
    assert sources.key() != before
    monkeypatch.setenv("NUMBA_DEBUG_CACHE", "1")


def test_the_processor_that_is_compiled_for_is_in_the_key(monkeypatch):
    """A plain one, all that this machine has, or, if nothing is said, a plain one with AVX2 where there is such a thing."""
    keys = {}
    for wanted in ("generic", "native", ""):
        monkeypatch.setenv("STICTION_CPU", wanted)
        keys[wanted] = sources.key()
    assert processor.target()[0] == "generic" and processor.target()[1] in ("", "+avx2")
    assert keys["native"] not in (keys["generic"], keys[""])
    assert (keys["generic"] == keys[""]) == (processor.target()[1] == "")


def test_where_the_folder_is_does_not_matter_to_the_key(monkeypatch):
    before = sources.key()
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
    monkeypatch.setenv("STICTION_CACHE_DIR", "/elsewhere")
    assert sources.key() == before


def test_a_copy_of_the_sources_elsewhere_compiles_nothing(tmp_path, seed):
    elsewhere = tmp_path / "elsewhere"
    runner(elsewhere)
    shutil.copytree(published(seed), tmp_path / published(seed).name)
    done = forked_python.run(SMALL, environment(elsewhere, tmp_path))
    assert done.stdout.strip() == LOADED, done.stderr


def test_kernels_run_without_a_writable_home(tmp_path, run):
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(stat.S_IRUSR | stat.S_IXUSR)
    somewhere = locked / "deeper" if os.geteuid() else Path("/proc/nowhere")  # nothing is locked to root but /proc
    asked = SMALL + "\nfrom physics.core.compile import cache\nprint(cache.is_kept(), cache.seal())"
    assert run(asked, folder=somewhere) == COLD + "\nFalse False"
    locked.chmod(stat.S_IRWXU)


def test_a_full_disk_while_compiling_is_survived(tmp_path, run):
    """numba lets the error of the write escape to the caller of the kernel; `physics.core.jit` does not."""
    code = SMALL.replace("print", "import errno\n"
                         "from numba.core.caching import IndexDataCacheFile as File\n"
                         "def full(self, key, data):\n    raise OSError(errno.ENOSPC, 'No space left on device')\n"
                         "File.save = full\nprint", 1)
    assert run(code) == COLD


def test_processes_at_once_do_not_harm_one_another(tmp_path, run):
    crowd = [subprocess.Popen(**command(tmp_path, SMALL), stdout=subprocess.PIPE) for _ in range(4)]
    assert all(process.communicate()[0].startswith("total 12.0") and process.returncode == 0 for process in crowd)
    assert run() == LOADED
    assert not list(tmp_path.glob("run-*"))


def test_leftovers_of_killed_processes_are_removed(tmp_path, run):
    killed = SMALL + "\nimport os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    assert forked_python.run(killed, environment(tmp_path)).returncode == -signal.SIGKILL
    assert list(tmp_path.glob("run-*")) and not list(tmp_path.glob("kernels-*"))
    assert run() == COLD
    assert not list(tmp_path.glob("run-*"))


def test_a_later_specialisation_is_added_to_the_complete_set(tmp_path, run):
    sealed = SMALL + "\nfrom physics.core.compile import cache\nassert cache.seal() and cache.is_warm()"
    more = SMALL + "\ntotal(np.arange(4))"
    asked = SMALL + "\nfrom physics.core.compile import cache\nprint(cache.is_warm())"
    run(asked)
    assert run(asked) == LOADED + "\nFalse", "compiled in passing: not known to be everything"
    run(sealed)
    assert run(asked) == LOADED + "\nTrue"
    files = len(code_files(tmp_path))
    run(more)
    assert len(code_files(tmp_path)) > files
    assert run(asked) == LOADED + "\nTrue"


def test_a_set_compiled_in_passing_does_not_replace_a_complete_one(tmp_path, run):
    """Two processes start cold; the complete one ends first."""
    slow = SMALL + "\nimport sys\nprint('ready', flush=True)\nsys.stdin.readline()"
    with subprocess.Popen(**command(tmp_path, slow), stdout=subprocess.PIPE, stdin=subprocess.PIPE) as waiting:
        while waiting.stdout.readline().strip() != "ready":
            pass
        run(SMALL + "\nfrom physics.core.compile import cache\ncache.seal()")
        waiting.communicate("\n")
    assert json.loads((published(tmp_path) / cache.MANIFEST).read_text())["complete"]


def test_an_edit_of_a_helper_is_noticed(tmp_path, run):
    """numba alone would return the old answer: it looks at the file of the kernel only."""
    assert run() == COLD
    (tmp_path / "sources" / "physics" / "helper.py").write_text(HELPER.replace("2.0", "3.0"))
    assert run() == "total 18.0 hits 0"


def test_an_edit_while_a_process_runs_is_not_published_under_the_new_name(tmp_path, run):
    run(SMALL + f"\nopen({str(tmp_path / 'sources' / 'physics' / 'new.py')!r}, 'w').close()")
    assert not list(tmp_path.glob("kernels-*"))


def test_key_and_check_are_quick(tmp_path):
    """The key of all sources less than 30 ms of a start on a quiet machine, one function of 200, of 20 kB each, less than 3 ms;
    here the best of ten, with room for others."""
    place = tmp_path / "kernels-x"
    place.mkdir()
    files = {f"{k}.nbc": os.urandom(20_000) for k in range(200)}
    for name, data in files.items():
        (place / name).write_bytes(data)
    listing = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    (place / cache.MANIFEST).write_text(json.dumps({"complete": True, "files": listing}))
    places = (tmp_path / f"own{k}" for k in range(10))

    def fetch():
        assert cache._copy_published(place, next(places), "7")

    assert cost(sources.key, 10) < 120.0 and cost(fetch, 10) < 10.0


SOURCES = {
    "core/plugins": "def modules(package): ...",
    "deep": HELPER + "\n\n@routine\ndef thrice(x):\n    return twice(x) + x\n",
    "middle": "from physics.core.jit import kernel, routine\nfrom physics.deep import thrice\n\n\n@kernel\ndef six(x):\n"
              "    return 2.0 * thrice(x)\n\n\n@routine\ndef seven(x):\n    return 2.0 * thrice(x) + x\n",
    "leaf": "from physics.core.jit import kernel\nfrom physics import middle\n\n\n@kernel\ndef eight(x):\n"
            "    return middle.seven(x) + x\n",
    "aside": "from physics.core.jit import kernel\n\n\n@kernel\ndef one(x):\n    return x\n",
}
CALLS = """
from physics import aside, leaf, middle
from physics.core import jit
print(leaf.eight(1.0), middle.six(1.0), aside.one(1.0))
print("compiled:", *sorted(f.__name__ for f in jit.FUNCTIONS if sum(f.stats.cache_misses.values())))
"""
ALL = "compiled: eight one seven six thrice twice"


@pytest.fixture(scope="module")
def published_family(tmp_path_factory):
    """Where kernels and parts of five modules that import one another are compiled and published as the complete set."""
    folder = tmp_path_factory.mktemp("family")
    start = runner(folder)
    for name, text in SOURCES.items():
        path = folder / "sources" / "physics" / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text.replace("import inline", "import inline, routine"))
    assert start(CALLS + "\nfrom physics.core.compile import cache\nassert cache.seal()") == f"8.0 6.0 1.0\n{ALL}"
    return folder


@pytest.fixture
def family(published_family):
    """Edit modules of the family and run it over a copy of its cache: what it printed."""
    sources = published_family / "sources" / "physics"
    before = {path: path.read_text() for path in sources.rglob("*.py")}
    cache_folder = published_family / "copy"
    shutil.copytree(published_family, cache_folder, ignore=shutil.ignore_patterns("sources", "copy", "run-*"))

    def run(**edits):
        for name, (old, new) in edits.items():
            path = sources / f"{name}.py"
            assert old in path.read_text()
            path.write_text(path.read_text().replace(old, new))
        done = forked_python.run(CALLS, environment(published_family, cache_folder))
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().split("\n")

    run.cache = cache_folder
    yield run
    for path, text in before.items():
        path.write_text(text)
    shutil.rmtree(cache_folder)


def test_without_an_edit_nothing_is_compiled(family):
    assert family() == ["8.0 6.0 1.0", "compiled:"]


def test_an_edit_of_a_leaf_recompiles_it_alone(family):
    assert family(leaf=("+ x", "- x")) == ["6.0 6.0 1.0", "compiled: eight"]
    assert family(leaf=("- x", "+ x"))[1] == "compiled:", "the set of the first sources is still there"


def test_an_edit_of_a_module_recompiles_what_imports_it(family):
    assert family(middle=("+ x", "- x")) == ["6.0 6.0 1.0", "compiled: eight seven six"]


def test_an_edit_of_a_deep_part_recompiles_all_above_it(family):
    """The functions between, whose own text is the same, contain it."""
    assert family(deep=("2.0", "3.0")) == ["10.0 8.0 1.0", "compiled: eight seven six thrice twice"]


def test_parts_linked_to_cached_parts_are_cached(family):
    assert family(middle=("+ x", "- x"))[1] == "compiled: eight seven six"
    assert family(leaf=("+ x", "- x")) == ["4.0 6.0 1.0", "compiled: eight"]


def test_an_edit_of_what_nothing_compiled_imports_recompiles_nothing(family):
    assert family(**{"core/plugins": ("...", "pass")}) == ["8.0 6.0 1.0", "compiled:"]


def test_what_an_edit_leaves_valid_is_published_for_its_sources(family):
    """To find out what still holds takes seconds: the next process need not."""
    before = len(list(family.cache.rglob("kernels-*")))
    assert family(**{"core/plugins": ("...", "pass")})[1] == "compiled:"
    assert len(list(family.cache.rglob("kernels-*"))) == before + 1


def test_comments_and_docstrings_of_whatever_recompile_nothing(family):
    text = '\n"""Of what stands above."""\n# a comment\n\n@routine\ndef thrice(x):\n    """Three times."""\n'
    assert family(deep=("\n\n@routine\ndef thrice(x):\n", text)) == ["8.0 6.0 1.0", "compiled:"]


def test_a_module_that_lists_a_package_depends_on_all_of_it(family):
    listing = "import kernel\nimport physics\nfrom physics.core.plugins import modules"
    assert family(aside=("import kernel", listing))[1] == "compiled: one"
    assert family(leaf=("+ x", "- x"))[1] == "compiled: eight one"


def test_a_time_stamp_does_not_matter(family):
    """A fresh checkout has other times; numba's own stamp would be another."""
    for path in (family.cache.parent / "sources").rglob("*.py"):
        os.utime(path, (1, 1))
    assert family(**{"core/plugins": ("...", "pass")})[1] == "compiled:"


def test_damage_is_not_taken_over_from_an_earlier_set(family):
    victim = next(path for path in code_files(family.cache) if "thrice" in path.name)
    data = bytearray(victim.read_bytes())
    data[len(data) // 2] ^= 1
    victim.unlink()
    victim.write_bytes(data)
    assert family(leaf=("+ x", "- x")) == ["6.0 6.0 1.0", ALL]


def test_a_stale_stamp_is_refused_within_a_set(family):
    """The last line of defence: files that the manifest knows, under another source's stamp."""
    old = published(family.cache)
    edited = family(leaf=("+ x", "- x"))
    (new,) = {*family.cache.glob("kernels-*")} - {old}
    manifest = json.loads((new / cache.MANIFEST).read_text())
    for path in old.glob("physics.leaf/*"):
        (new / "physics.leaf" / path.name).unlink()
        shutil.copy(path, new / "physics.leaf")
        manifest["files"][f"physics.leaf/{path.name}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (new / cache.MANIFEST).write_text(json.dumps(manifest))
    assert family() == edited


def test_two_processes_publish_their_different_kernels(family):
    """Each of two processes that start together keeps what the other published."""
    shutil.rmtree(published(family.cache))
    told = "\nsys.stdout.flush()\nsys.stdin.readline()"
    halves = [CALLS.replace("print(leaf.eight(1.0), middle.six(1.0), aside.one(1.0))", call) + told
              for call in ("import sys\nleaf.eight(1.0)", "import sys\naside.one(1.0), middle.six(1.0)")]
    home = family.cache.parent
    pipes = {"stdout": subprocess.PIPE, "stdin": subprocess.PIPE}
    crowd = [subprocess.Popen(**command(home, half, family.cache), **pipes) for half in halves]
    for process in crowd:
        process.stdout.readline()
    for process in crowd:
        process.communicate("\n")
    assert family() == ["8.0 6.0 1.0", "compiled:"]
    assert family(leaf=("+ x", "- x")) == ["6.0 6.0 1.0", "compiled: eight"], "parts of both fit together"


def test_a_part_that_does_not_match_its_callees_is_recompiled(family):
    """`thrice` was compiled once more, under another name; `seven` asks for the old one."""
    set_of_all = published(family.cache)
    manifest = json.loads((set_of_all / cache.MANIFEST).read_text())
    for path in set_of_all.glob("physics.deep/*"):
        path.unlink()
        del manifest["files"][f"physics.deep/{path.name}"]
    (set_of_all / cache.MANIFEST).write_text(json.dumps(manifest))
    again = ("from numba import float64\nfrom physics.core.compile import compiling\n"
             "compiling._KernelCompiler._name = lambda *everything: None\n"
             "from physics.deep import thrice\nthrice.compile((float64,))")
    assert forked_python.run(again, environment(family.cache.parent, family.cache)).returncode == 0
    assert any(set_of_all.glob("physics.deep/*"))
    assert family(leaf=("+ x", "- x")) == ["6.0 6.0 1.0", "compiled: eight seven"]


def test_a_part_may_be_called_from_python(tmp_path, run):
    assert run("from physics.helper import twice\nprint(twice(1.0), twice.py_func(1.0))").endswith("2.0 2.0")


CALLER = """
from physics.core.jit import kernel
from physics.small import total


@kernel
def double(values):
    return 2.0 * total(values)
"""


def test_a_cached_kernel_is_linked_into_a_new_one(tmp_path, run):
    assert run() == COLD
    (tmp_path / "sources" / "physics" / "caller.py").write_text(CALLER)
    code = ("import numpy as np\nfrom physics.caller import double\nfrom physics.small import total\n"
            "print(double(np.arange(4.0)), sum(total.stats.cache_hits.values()))")
    assert run(code) == "24.0 1"


# ---- a set that came with the package


@pytest.fixture
def shipped(tmp_path, run, seed):
    """The set that a wheel brings to the small `physics`, and nothing in the user's cache."""
    folder = tmp_path / "sources" / "physics" / "kernels" / published(seed).name
    shutil.copytree(published(seed), folder)
    return folder


def listing(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_kernel_set_of_the_package_is_used_and_not_changed(tmp_path, run, shipped):
    before = listing(shipped)
    assert run() == LOADED
    assert listing(shipped) == before and not list(tmp_path.glob("kernels-*")), "nothing new was compiled"


def test_a_kernel_set_of_the_package_is_used_without_a_writable_cache(tmp_path, run, shipped):
    (tmp_path / "file").touch()
    assert run(folder=tmp_path / "file" / "cache") == LOADED


@pytest.mark.parametrize("name", ["total", cache.MANIFEST])
def test_a_damaged_set_of_the_package_is_not_used_and_not_removed(run, shipped, name):
    (victim,) = [path for path in shipped.rglob("*") if name in path.name and path.suffix in (".nbc", ".json")]
    victim.write_bytes(victim.read_bytes()[:-7])
    before = listing(shipped)
    assert run() == COLD
    assert listing(shipped) == before
    assert run() == LOADED, "what was compiled instead is kept in the user's cache"


TOLD = "from physics.core.compile import cache\nprint(cache.incompatibility())"


def test_the_reason_is_given_why_a_kernel_set_of_the_package_does_not_fit(run, shipped):
    assert "different sources" in run(TOLD), "the small set is not a complete one"
    manifest = shipped / cache.MANIFEST
    told = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**told, "complete": True}))
    assert run(TOLD) == ""
    shipped.rename(shipped.with_name("kernels-of-another-numba"))
    shutil.rmtree(shipped, ignore_errors=True)
    other = shipped.with_name("kernels-of-another-numba") / cache.MANIFEST
    other.write_text(json.dumps({**told, "for": {**told["for"], "numba": "0.1"}}))
    assert run(TOLD).startswith("for numba 0.1, and here is ")
    assert run() == COLD


def _set_of_one_file(place: Path, code: bytes) -> None:
    (place / "module").mkdir(parents=True)
    (place / "module" / "total-3.py311.1.nbc").write_bytes(code)
    (place / cache.MANIFEST).write_text(json.dumps(
        {"complete": True, "files": {"module/total-3.py311.1.nbc": hashlib.sha256(code).hexdigest()}}))


def test_a_set_that_is_replaced_while_it_is_read_stays(tmp_path, monkeypatch):
    """A slow process reads while quick ones publish: what it misses is no damage."""
    published, own, left, copy_set = tmp_path / "kernels-1", tmp_path / "run-1-own", [3], cache._copy_set
    _set_of_one_file(published, b"code")

    def replaced_meanwhile(*args) -> None:
        if left[0]:
            left[0] -= 1
            published.rename(tmp_path / f"old-{left[0]}")
            _set_of_one_file(published, b"code")
            raise FileNotFoundError
        copy_set(*args)

    monkeypatch.setattr(cache, "_copy_set", replaced_meanwhile)
    assert cache._copy_published(published, own)
    assert (own / "module" / "total-3.py311.1.nbc").read_bytes() == b"code" and published.exists()


def test_a_set_with_a_damaged_or_missing_file_is_removed(tmp_path):
    for n, damage in enumerate((lambda path: path.write_bytes(b"other"), Path.unlink)):
        published = tmp_path / f"kernels-{n}"
        _set_of_one_file(published, b"code")
        damage(published / "module" / "total-3.py311.1.nbc")
        assert not cache._copy_published(published, tmp_path / f"run-{n}-own") and not published.exists()
