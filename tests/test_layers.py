"""The arrows of ARCHITECTURE.md, checked by machine: who may import whom, where things may be written, how long they may be."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
OWN = ("app", "physics", "scenes", "assets")
SOURCES = [*sorted(p for name in OWN for p in (ROOT / name).rglob("*.py")), ROOT / "start.py"]
NAMES = [p.relative_to(ROOT).as_posix() for p in SOURCES]
STD = set(sys.stdlib_module_names)
NO_GL = ("app/session.py", "app/view.py", "app/camera.py", "app/camera_math.py", "app/cli.py",
         *(name for name in NAMES if name.startswith(("app/engine/", "app/insight/"))))
ARRAYS = ("app.render.overlays", "app.render.sight", "app.render.ink", "app.render.place", "app.render.theme",
          "app.render.labels", "app.render.instances", "app.render.colours")
"""Of the renderer, what makes numbers alone."""
PLUGINS = ("physics/solvers", "physics/joints", "physics/shapes", "physics/collide/pairs", "scenes", "scenes/lessons",
           "app/panels", "app/commands", "app/render/overlays")


def tree(name):
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


def imports(node):
    """Every module that the code names in an import, wherever it stands."""
    for item in ast.walk(node):
        if isinstance(item, ast.Import):
            yield from (alias.name for alias in item.names)
        elif isinstance(item, ast.ImportFrom):
            assert item.level == 0, "imports are absolute"
            yield item.module
            yield from (f"{item.module}.{alias.name}" for alias in item.names)


def tops(name):
    return {module.split(".")[0] for module in imports(tree(name))}


def under(folder):
    return [name for name in NAMES if name.startswith(folder + "/")]


@pytest.mark.parametrize("name", under("physics"))
def test_physics_imports_numpy_and_numba_only(name):
    assert tops(name) - STD <= {"physics", "numpy", "numba", "llvmlite", "scipy"}


@pytest.mark.parametrize("name", under("physics/complementarity"))
def test_complementarity_problems_know_no_bodies(name):
    own = [m for m in imports(tree(name)) if m.startswith("physics")]
    assert all(m.startswith(("physics.complementarity", "physics.core", "physics.errors", "physics.check")) for m in own)


@pytest.mark.parametrize("name", under("scenes"))
def test_scenes_import_physics_only(name):
    assert tops(name) - STD <= {"scenes", "physics", "numpy"}


@pytest.mark.parametrize("name", [n for n in NAMES if n in NO_GL])
def test_what_is_tested_without_a_window_imports_no_window(name):
    modules = set(imports(tree(name)))
    assert not tops(name) & {"pyglet", "OpenGL", "imgui_bundle", "moderngl"}
    modules = {m for m in modules if not m.startswith(ARRAYS)}
    assert not any(m.startswith(("app.window", "app.render.", "app.panels", "app.gui")) for m in modules)


@pytest.mark.parametrize("name", [n for n in NAMES if n.removesuffix(".py").replace("/", ".").startswith(ARRAYS)])
def test_what_is_drawn_over_the_scene_is_made_without_a_window(name):
    modules = set(imports(tree(name)))
    assert not tops(name) & {"pyglet", "OpenGL", "imgui_bundle"}
    assert not any(m.startswith(("app.window", "app.session", "app.view", "app.panels", "app.gui", "app.render.gl",
                                 "app.render.renderer")) for m in modules)


@pytest.mark.parametrize("name", under("app/panels"))
def test_panels_import_no_window(name):
    modules = set(imports(tree(name)))
    assert not tops(name) & {"pyglet", "OpenGL"}
    assert not any(m.startswith(("app.window", "app.render")) for m in modules)


SPEECHLESS = {
    "app/gui/text/wrapping.py": "measures lines that are translated already", "app/gui/text/running_text.py": "the same",
    "app/gui/text/fonts.py": "letters, not texts", "app/gui/text/formula.py": "formulas",
    "app/gui/hand/gizmo.py": "handles without words", "app/gui/hand/inputs.py": "names of keys",
    "app/gui/controls/textures.py": "pictures", "app/gui/controls/style.py": "colours and sizes",
    "app/gui/context.py": "the frame around all", "app/gui/unlocked.py": "draws what is finished",
    "app/panels/contact_lens.py": "implot3d, which speaking does not have"}
"""Files that may use ImGui itself, and why."""


@pytest.mark.parametrize("name", [*under("app/panels"), *under("app/gui")])
def test_what_is_shown_goes_through_the_languages(name):
    raw = {module for module in imports(tree(name)) if module.split(".")[0] == "imgui_bundle"}
    if name != "app/gui/speaking.py":
        assert not raw or name in SPEECHLESS, "import imgui and implot from app.gui.speaking"
        if name == "app/panels/contact_lens.py":
            assert raw <= {"imgui_bundle", "imgui_bundle.implot3d"}


@pytest.mark.parametrize("name", under("app/commands"))
def test_commands_import_late(name):
    top = ast.Module([item for item in tree(name).body if isinstance(item, ast.Import | ast.ImportFrom)], [])
    modules = {module for module in imports(top) if module.split(".")[0] not in STD}
    # _world and _film are among the files held to this rule
    late = {"app", "app.commands", "app.commands._world", "app.commands._film"}
    assert modules <= late, "import inside run(): `stiction --help` must come at once"


def test_only_camera_math_imports_pyrr():
    assert [name for name in NAMES if "pyrr" in tops(name)] in ([], ["app/camera_math.py"])


def test_only_jit_compiles():
    compilers = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "jitclass", "stencil"}
    for name in NAMES:
        if name == "physics/core/jit.py":
            continue
        used = {item.attr for item in ast.walk(tree(name)) if isinstance(item, ast.Attribute)
                and isinstance(item.value, ast.Name) and item.value.id == "numba"}
        used |= {module.removeprefix("numba.") for module in imports(tree(name)) if module.startswith("numba.")}
        assert not used & compilers, f"{name}: use the decorators of physics.core.jit"


def test_start_needs_the_standard_library_only():
    assert tops("start.py") <= STD


def test_no_circular_imports():
    """Among imports at the top of modules. A package is the root of its files and may be named by them."""
    files = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in NAMES}
    graph = {}
    for module, name in files.items():
        top = ast.Module([item for item in tree(name).body if isinstance(item, ast.Import | ast.ImportFrom)], [])
        found = {m for m in imports(top) if m in files and m != module}
        graph[module] = {m for m in found if not module.startswith(m + ".")}
    done, path = set(), []

    def visit(module):
        assert module not in path, f"circle: {' -> '.join([*path[path.index(module):], module])}"
        if module in done:
            return
        path.append(module)
        for other in sorted(graph[module]):
            visit(other)
        path.pop()
        done.add(module)

    for module in sorted(graph):
        visit(module)


@pytest.mark.parametrize("name", NAMES)
def test_no_file_and_no_function_is_long(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400, "split the file"
    for item in ast.walk(ast.parse(text)):
        if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef):
            assert item.end_lineno - item.lineno < 60, f"{item.name} has more than 60 lines"


@pytest.mark.parametrize("name", NAMES)
def test_every_file_says_what_it_is(name):
    assert ast.get_docstring(tree(name)) or not (ROOT / name).read_text().strip()


@pytest.mark.parametrize("folder", PLUGINS)
def test_every_plugin_explains_itself(folder):
    for path in sorted((ROOT / folder).glob("*.py")):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), f"{path.name} has no docstring"


def test_fields_of_records_are_not_attributes_of_numpy():
    """`row.base` would be numpy's own attribute in Python and the field in a kernel."""
    from physics.core import records

    taken = set(dir(np.record)) | set(dir(np.recarray))
    layouts = {name: value for name, value in vars(records).items() if isinstance(value, np.dtype)}
    assert layouts
    for name, layout in layouts.items():
        assert not set(layout.names) & taken, f"{name}: {set(layout.names) & taken}"


def made_records(function):
    """Names of the arrays of records that a function makes for itself."""
    for item in ast.walk(function):
        if isinstance(item, ast.Assign):
            names = item.targets[0].elts if isinstance(item.targets[0], ast.Tuple) else item.targets
            values = item.value.elts if isinstance(item.value, ast.Tuple) else [item.value]
            for name, value in zip(names, values):
                if isinstance(value, ast.Call) and ast.unparse(value.func) in ("np.empty", "np.zeros") and len(value.args) == 2 \
                        and ast.unparse(value.args[1]).split(".")[-1].isupper():
                    yield ast.unparse(name)


@pytest.mark.parametrize("name", under("physics"))
def test_no_kernel_takes_a_record_out_of_its_own_array_before_the_loop_that_uses_it(name):
    """numba frees the array after its last use, and the record points into it (physics/core/records.py)."""
    for function in (f for f in ast.walk(tree(name)) if isinstance(f, ast.FunctionDef)):
        if not {"kernel", "routine", "inline"} & {ast.unparse(d) for d in function.decorator_list}:
            continue
        own = set(made_records(function))
        for statement in function.body:
            if isinstance(statement, ast.Assign):
                taken = {ast.unparse(s.value) for s in ast.walk(statement.value) if isinstance(s, ast.Subscript)}
                assert not taken & own, f"{function.name}: take the element of {taken & own} inside the loop"


UNSURE = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh",
          "exp", "expm1", "log", "log1p", "log2", "log10", "pow", "power", "hypot", "cbrt", "linalg", "dot", "vdot", "inner",
          "matmul", "einsum", "sum", "mean", "prod"}
"""Of `math` and `np`: libm, BLAS and sums in an order of their own, whose last bits differ between machines."""


def compiled(name):
    """What of a file is compiled: its kernels, and the module's own numbers, which are compiled into them."""
    with_kernels = any(module.startswith("physics.core.jit.") for module in imports(tree(name)))
    for item in tree(name).body:
        if isinstance(item, ast.FunctionDef) and {"kernel", "routine", "inline"} & {ast.unparse(d) for d in item.decorator_list}:
            yield from item.body
        elif isinstance(item, ast.Assign | ast.AnnAssign) and with_kernels:
            yield item


@pytest.mark.parametrize("name", under("physics"))
def test_kernels_compute_the_same_bits_on_every_machine(name):
    for part in compiled(name):
        for item in ast.walk(part):
            if isinstance(item, ast.Attribute) and isinstance(item.value, ast.Name) and item.value.id in ("math", "np"):
                assert item.attr not in UNSURE, f"line {item.lineno}: {ast.unparse(item)}"
            if isinstance(item, ast.BinOp):
                assert not isinstance(item.op, ast.MatMult), f"line {item.lineno}: a product of matrices calls BLAS"
                assert not isinstance(item.op, ast.Pow) or ast.unparse(item.right) in ("2", "3"), f"line {item.lineno}: pow"


def test_physics_opens_no_display():
    """In a fresh process without any display, and without what a window needs."""
    code = ("import sys, physics, scenes; scenes.all_scenes(); bad = [m for m in sys.modules if m.split('.')[0] in "
            "('pyglet', 'OpenGL', 'imgui_bundle', 'matplotlib', 'trimesh', 'app')]; sys.exit(', '.join(bad) or 0)")
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, env=environment, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
