"""Rules of the house: imports, sizes of files, functions and folders, kernels.

Each rule is one test, which names everything that breaks it.
"""

import ast
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.helpers import ROOT
from tests.tools.sources import BESIDE, NAMES, STD, functions, imports, nodes, packages, text, top_imports, tree, under, within

NO_GL = ["app/session.py", "app/cli.py", *under("app/engine", "app/analysis")]
ARRAYS = ("app.render.overlays", "app.render.scene", "app.camera", "app.render.view_options")
"""Parts of the renderer that compute arrays only."""
PLUGINS = ("physics/solvers", "physics/joints", "physics/shapes", "physics/collide/pairs", "scenes", "scenes/lessons",
           "app/panels", "app/commands", "app/render/overlays")


# ---- who may import whom


def test_imports_are_absolute():
    assert [f"{name}: line {item.lineno}" for name in NAMES for item in nodes(name)
            if isinstance(item, ast.ImportFrom) and item.level] == []


def test_physics_imports_numpy_and_numba_only():
    allowed = {"physics", "numpy", "numba", "llvmlite", "scipy", *STD}
    assert [f"{name}: {found}" for name in under("physics") if (found := packages(name) - allowed)] == []


def test_complementarity_problems_know_no_bodies():
    allowed = ("physics.complementarity", "physics.core")
    assert [f"{name}: {module}" for name in under("physics/complementarity") for module in within(name, "physics")
            if not module.startswith(allowed)] == []


def test_the_auditor_shares_no_code_with_what_it_judges():
    """Formulas of its own: it reads records and what the kinds of joints hold."""
    allowed = ("physics.observe.audit", "physics.core", "physics.joints")
    files = under("physics/observe/audit")
    assert files and [f"{name}: {module}" for name in files for module in within(name, "physics")
                      if module != "physics" and not module.startswith(allowed)] == []


def test_scenes_import_physics_only():
    allowed = {"scenes", "physics", "numpy", *STD}
    assert [f"{name}: {found}" for name in under("scenes") if (found := packages(name) - allowed)] == []


def test_engine_and_analysis_import_no_window():
    windows, parts = {"pyglet", "OpenGL", "imgui_bundle", "moderngl"}, ("app.window", "app.render.", "app.panels", "app.gui")
    offenders = [f"{name}: {found}" for name in NO_GL if (found := packages(name) & windows)]
    offenders += [f"{name}: {module}" for name in NO_GL for module in within(name, *parts) if not module.startswith(ARRAYS)]
    assert offenders == []


def test_overlays_and_camera_import_no_window():
    drawn = [name for name in NAMES if name.removesuffix(".py").replace("/", ".").startswith(ARRAYS)]
    offenders = [f"{name}: {found}" for name in drawn if (found := packages(name) & {"pyglet", "OpenGL", "imgui_bundle"})]
    offenders += [f"{name}: {module}" for name in drawn
                  for module in within(name, "app.window", "app.session", "app.panels", "app.gui", "app.render.opengl")]
    assert offenders == [] and drawn


def test_panels_import_no_window():
    panels = under("app/panels")
    offenders = [f"{name}: {found}" for name in panels if (found := packages(name) & {"pyglet", "OpenGL"})]
    offenders += [f"{name}: {module}" for name in panels for module in within(name, "app.window", "app.render.opengl")]
    assert offenders == []


UNTRANSLATED = {
    "app/gui/text/chinese_lines.py": "measures translated lines", "app/gui/text/paragraph.py": "the same",
    "app/gui/text/fonts.py": "letters, not texts", "app/gui/text/formula.py": "formulas",
    "app/gui/viewport/gizmo.py": "handles without words", "app/gui/viewport/inputs.py": "names of keys",
    "app/gui/controls/textures.py": "pictures", "app/gui/controls/style.py": "colours and sizes",
    "app/gui/shell/imgui_context.py": "creates the context", "app/gui/shell/draw_without_gil.py": "draws finished lists",
    "app/panels/contact_lens.py": "implot3d, which imgui_translated does not have"}
"""Files that may use ImGui itself, and why."""


def test_shown_texts_are_translated():
    """imgui and implot are imported from app.i18n.imgui_translated."""
    raw = {name: {module for module in imports(name) if module.split(".")[0] == "imgui_bundle"}
           for name in under("app/panels", "app/gui")}
    offenders = [f"{name}: {found}" for name, found in raw.items() if found and name not in UNTRANSLATED]
    lens = "app/panels/contact_lens.py"
    offenders += [f"{lens}: {module}" for module in raw[lens] - {"imgui_bundle", "imgui_bundle.implot3d"}]
    assert offenders == []


def test_commands_import_late():
    """Inside run(): `stiction --help` must come at once."""
    allowed = {"app", "app.commands", "app.commands._scene_arguments"}
    # _scene_arguments is among the files held to this rule
    assert [f"{name}: {module}" for name in under("app/commands") for module in sorted(top_imports(name) - allowed)
            if module.split(".")[0] not in STD] == []


def test_only_camera_math_imports_pyrr():
    assert [name for name in NAMES if "pyrr" in packages(name)] in ([], ["app/camera.py"])


def test_only_jit_compiles():
    """The others use the decorators of physics.core.jit."""
    compilers, offenders = {"jit", "njit", "vectorize", "guvectorize", "cfunc", "jitclass", "stencil"}, []
    for name in NAMES:
        if name == "physics/core/jit.py":
            continue
        used = {item.attr for item in nodes(name) if isinstance(item, ast.Attribute)
                and isinstance(item.value, ast.Name) and item.value.id == "numba"}
        used |= {module.removeprefix("numba.") for module in imports(name) if module.startswith("numba.")}
        offenders += [f"{name}: {compiler}" for compiler in sorted(used & compilers)]
    assert offenders == []


def test_start_needs_the_standard_library_only():
    assert packages("start.py") <= STD


def test_no_circular_imports():
    """Among imports at the top of modules. A package is the root of its files and may be named by them."""
    files = {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): name for name in NAMES}
    graph = {}
    for module, name in files.items():
        found = {m for m in top_imports(name) if m in files and m != module}
        graph[module] = {m for m in found if not module.startswith(m + ".")}
    done, path, circles = set(), [], []

    def visit(module):
        if module in path:
            circles.append(" -> ".join([*path[path.index(module):], module]))
            return
        if module in done:
            return
        path.append(module)
        for other in sorted(graph[module]):
            visit(other)
        path.pop()
        done.add(module)

    for module in sorted(graph):
        visit(module)
    assert circles == []


def test_the_window_reads_frames_and_never_the_live_world():
    """The physics thread changes the world while a picture is drawn: what panels show comes from `session.frame`."""
    files = ["app/session.py", "app/window.py", *under("app/panels", "app/gui", "app/render", "app/analysis")]
    assert [f"{name}: line {item.lineno}" for name in files for item in nodes(name)
            if isinstance(item, ast.Attribute) and item.attr == "world"
            and ast.unparse(item.value).rpartition(".")[2] in ("simulation", "leader")] == []


def test_commands_are_posted_as_functions():
    """So that a tool can follow a control to the physics."""
    posts = [(name, item) for name in (*under("app"), *BESIDE) for item in nodes(name)
             if isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute) and item.func.attr == "post" and item.args]
    assert [f"{name}: line {item.lineno}" for name, item in posts for part in ast.walk(item.args[0])
            if isinstance(part, ast.Constant) and isinstance(part.value, str)] == []
    assert len(posts) > 300


def test_no_file_of_the_program_asserts():
    """What matters is raised: asserts go with -O. Checks of scenes are for tests."""
    assert [f"{name}: line {node.lineno}" for name in under("app", "physics") for node in nodes(name)
            if isinstance(node, ast.Assert)] == []


PHYSICS = (
    ("core",), ("shapes", "joints"), ("contact",), ("dynamics",), ("constraints",), ("collide",), ("complementarity",),
    ("articulated",), ("observe",), ("stepping",), ("solvers",), ("world",), ("compiled_step",),
    ("compiled_joint_step",), ("step",), ("batch",), ("",), ("warmup",))
APP = (
    ("", "number_format"), ("i18n",),
    ("cancellable_work", "console", "kernel_compilation", "requests", "camera", "type_hints", "world_settings"), ("files",),
    ("own_files",), ("build_scene",), ("robots",), ("engine",), ("analysis",), ("render",), ("session",),
    ("video", "sound"), ("gui",),
    ("panels", "window", "notebook", "world_files"), ("startup",), ("commands",), ("cli",), ("__main__", "installed"))
"""Rooms (files and folders at the top of a package) in the order in which they may import one another: from earlier ones only.
"": the package itself."""


def arrows(package):
    """(file, its room, room that it imports) of each import between rooms, wherever it stands."""
    rooms = {room for row in {"physics": PHYSICS, "app": APP}[package] for room in row}
    for name in under(package):
        own = name.removesuffix(".py").split("/")[1].replace("__init__", "")
        for module in within(name, f"{package}."):
            part = module.split(".")[1]
            other = part if part in rooms else ""
            if other != own:
                yield name, own, other


@pytest.mark.parametrize("package, order", [("physics", PHYSICS), ("app", APP)])
def test_rooms_import_no_room_above_them(package, order):
    rank = {room: k for k, row in enumerate(order) for room in row}
    assert sorted({(name, other) for name, own, other in arrows(package) if rank[other] >= rank[own]}) == []


def test_no_test_imports_another_test():
    """What two of them use is in tests/helpers.py or tests/tools."""
    assert [f"{name}: {module}" for name in BESIDE for module in sorted(imports(name))
            if any(part.startswith("test_") for part in module.split("."))] == []


def test_a_world_and_a_simulation_have_no_bases():
    """They have parts; methods of a world are functions of its topics, by their own names, so that a search finds them."""
    from app.engine.simulation import Simulation
    from physics import World

    assert Simulation.__bases__ == World.__bases__ == (object,)
    topics = {name: item for name, item in vars(World).items()
              if inspect.isfunction(item) and item.__module__ != World.__module__}
    assert [name for name, item in topics.items()
            if item.__qualname__ != name or next(iter(inspect.signature(item).parameters)) != "world" or not item.__doc__] == []
    assert len(topics) > 35


# ---- how long, how many


MAX_FILE_LINES, MAX_FUNCTION_LINES, MAX_FILES = 800, 60, 25

LARGE_FOLDERS = dict.fromkeys(("app/panels", "app/render/overlays", "app/commands", "physics/joints", "physics/shapes"),
                     "plug-ins: one file for each, found by listing")
"""Folders that may hold more files, and why."""


def test_no_file_and_no_function_is_long():
    every = [*NAMES, *BESIDE]
    offenders = [f"{name}: {count} lines" for name in every if (count := len(text(name).splitlines())) > MAX_FILE_LINES]
    offenders += [f"{name}: {item.name} has {count} lines" for name in every for item in functions(name)
                  if (count := item.end_lineno - item.lineno + 1) > MAX_FUNCTION_LINES]
    assert offenders == []


MAX_PARAMETERS, MAX_KERNEL_PARAMETERS = 8, 14
"""Parameters given by position; those behind a `*` have their names at the call. A kernel takes each table by itself, since numba
compiles anew for each type of a bundle of tables."""

LONG_SIGNATURES = {
    "app/engine/commands/bodies.py: spawn": "recordings hold its arguments by position",
    "physics/collide/continuous/impacts.py: _refine": "passes its tables on to kernels",
    "physics/observe/audit/verdict.py: examine": "the only way into the auditor's kernels",
    "physics/observe/audit/contacts.py: enter": "what examine has, of contacts",
    "physics/solvers/lcp/solving.py: solve_bounded": "the only way into Lemke's algorithm with bounds",
    "physics/solvers/lcp/joint_space.py: _solve_bounded": "the same, for forces in joint coordinates"}
"""Functions with more, and why."""


def test_no_function_has_many_parameters():
    offenders = set()
    for name in NAMES:
        for item in functions(name):
            count = len(item.args.posonlyargs) + len(item.args.args)
            count -= bool(item.args.args) and item.args.args[0].arg in ("self", "cls")
            compiled = KERNEL_MARKS & {ast.unparse(mark) for mark in item.decorator_list}
            if count > (MAX_KERNEL_PARAMETERS if compiled else MAX_PARAMETERS):
                offenders.add(f"{name}: {item.name}")
    assert sorted(offenders ^ set(LONG_SIGNATURES)) == [], "too many, or exceptions that are none any more"


def test_no_folder_has_many_files():
    offenders = []
    for top in ("app", "physics", "tests"):
        for folder, _, files in os.walk(ROOT / top):
            name = os.path.relpath(folder, ROOT).replace(os.sep, "/")
            if len(files) > MAX_FILES and name not in (*LARGE_FOLDERS, "tests/artefacts") and not name.endswith("__pycache__"):
                offenders.append(f"{name}: {len(files)} files")
    assert offenders == []


def test_every_file_has_a_docstring():
    assert [name for name in (*NAMES, *BESIDE) if text(name).strip() and not ast.get_docstring(tree(name))] == []


def test_every_plugin_has_a_docstring():
    assert [name for folder in PLUGINS for name in under(folder)
            if name.rpartition("/")[0] == folder and not ast.get_docstring(tree(name))] == []


# ---- records and kernels


def test_fields_of_records_are_not_attributes_of_numpy():
    """`row.base` would be numpy's own attribute in Python and the field in a kernel."""
    from physics.core import records

    taken = set(dir(np.record)) | set(dir(np.recarray))
    layouts = {name: value for name, value in vars(records).items() if isinstance(value, np.dtype)}
    assert layouts
    for name, layout in layouts.items():
        assert not set(layout.names) & taken, f"{name}: {set(layout.names) & taken}"


def local_records(function):
    """Names of the arrays of records that a function makes for itself."""
    for item in ast.walk(function):
        if isinstance(item, ast.Assign):
            names = item.targets[0].elts if isinstance(item.targets[0], ast.Tuple) else item.targets
            values = item.value.elts if isinstance(item.value, ast.Tuple) else [item.value]
            for name, value in zip(names, values):
                if isinstance(value, ast.Call) and ast.unparse(value.func) in ("np.empty", "np.zeros") and len(value.args) == 2 \
                        and ast.unparse(value.args[1]).split(".")[-1].isupper():
                    yield ast.unparse(name)


KERNEL_MARKS = {"kernel", "routine", "inline"}


def compiled_functions(name):
    return [item for item in functions(name) if KERNEL_MARKS & {ast.unparse(mark) for mark in item.decorator_list}]


def test_no_kernel_takes_a_record_out_of_its_own_array_before_the_loop_that_uses_it():
    """numba frees the array after its last use, and the record points into it (physics/core/records.py)."""
    offenders = []
    for name in under("physics"):
        for function in compiled_functions(name):
            own = set(local_records(function))
            for statement in function.body:
                if isinstance(statement, ast.Assign):
                    taken = {ast.unparse(s.value) for s in ast.walk(statement.value) if isinstance(s, ast.Subscript)}
                    offenders += [f"{name}: {function.name}: {array}" for array in sorted(taken & own)]
    assert offenders == []


PLATFORM_DEPENDENT = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2", "sinh",
                      "cosh", "tanh",
          "exp", "expm1", "log", "log1p", "log2", "log10", "pow", "power", "hypot", "cbrt", "linalg", "dot", "vdot", "inner",
          "matmul", "einsum", "sum", "mean", "prod"}
"""Of `math` and `np`: libm, BLAS and sums in an order of their own, whose last bits differ between machines."""


def compiled(name):
    """What of a file is compiled: its kernels, and the module's own numbers, which are compiled into them."""
    with_kernels = any(module.startswith("physics.core.jit.") for module in imports(name))
    for item in tree(name).body:
        if isinstance(item, ast.FunctionDef) and KERNEL_MARKS & {ast.unparse(mark) for mark in item.decorator_list}:
            yield from item.body
        elif isinstance(item, ast.Assign | ast.AnnAssign) and with_kernels:
            yield item


def is_platform_dependent(item):
    """Whether the last bits of what it computes differ between machines."""
    if isinstance(item, ast.Attribute):
        return isinstance(item.value, ast.Name) and item.value.id in ("math", "np") and item.attr in PLATFORM_DEPENDENT
    if isinstance(item, ast.BinOp):     # a product of matrices calls BLAS, a power libm
        return isinstance(item.op, ast.MatMult) or (isinstance(item.op, ast.Pow) and ast.unparse(item.right) not in ("2", "3"))
    return False


def test_kernels_compute_the_same_bits_on_every_machine():
    assert [f"{name}, line {item.lineno}: {ast.unparse(item)}" for name in under("physics") for part in compiled(name)
            for item in ast.walk(part) if is_platform_dependent(item)] == []


def test_physics_opens_no_display():
    """In a fresh process without any display, and without what a window needs."""
    code = ("import sys, physics, scenes; scenes.all_scenes(); bad = [m for m in sys.modules if m.split('.')[0] in "
            "('pyglet', 'OpenGL', 'imgui_bundle', 'matplotlib', 'trimesh', 'app')]; sys.exit(', '.join(bad) or 0)")
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, env=environment, capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
