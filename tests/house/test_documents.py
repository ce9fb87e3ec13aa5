"""Documents: one page of architecture, existing paths, listed decisions, one term a line, working examples."""

import inspect
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import physics
import scenes
from app.gui.controls import widgets
from app.gui.shell.panel_host import Panel
from app.session import Selection
from physics.core import former_names
from physics.core.records import BODY
from tests.helpers import ROOT
from tests.tools import sources
from tests.tools.person import fresh_spots

DECISIONS = ROOT / "docs" / "decisions"
PAGES = [*(ROOT / f"{name}.md" for name in ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING", "README")),
         *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "benchmarks" / "results").glob("*.md"))]

MAP_LIMIT = 8_000
"""Characters of ARCHITECTURE.md: one page."""

DECISION_LIMIT = 40
"""Lines of a decision."""

EXAMPLE_LIMIT = 40
"""Lines of an example in CONTRIBUTING.md."""

PUBLIC = {name: getattr(physics, name) for name in physics.__all__}
"""What `physics` offers by name."""

PATH = re.compile(r"\b(?:app|assets|benchmarks|docs|physics|scenes|tests)/[\w./-]*[\w/]")
"""A path from the project's root."""


OF_OTHERS = {"allow_inspection"}
"""Names in documents that other programs define."""


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


PROGRAMS = [program for name in ("README.md", "docs/programs.md")
            for program in re.findall(r"```python\n(.*?)```", read(ROOT / name), re.DOTALL)]
"""Of the first page, and of the page of short programs."""

README_LIMIT = 80
"""Lines of the first page: one screen."""


def absent(path: Path) -> list[str]:
    """Paths that a document names and that do not exist."""
    return [name for name in PATH.findall(read(path)) if not (ROOT / name).exists()]


def unknown_names(path: Path, known: set[str]) -> list[str]:
    """Names in backticks, as `World.add_body`, of which a part is no word of the sources."""
    text = re.sub(r"^```.*?^```", "", read(path), flags=re.DOTALL | re.MULTILINE)
    return [name for name in re.findall(r"`([A-Za-z_][\w.]*\w)(?:\([^`\n]*\))?`", text) if not set(name.split(".")) <= known]


def dead_links(path: Path) -> list[str]:
    """Links and pictures of a document whose files or headings do not exist. What stands in code is no link."""
    text = re.sub(r"^```.*?^```|`[^`\n]+`", "", read(path), flags=re.DOTALL | re.MULTILINE)
    dead = []
    for target in re.findall(r"\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)|(?:src|href)=\"([^\"]+)\"", text, re.MULTILINE):
        target = "".join(target)
        file, _, heading = target.partition("#")
        if "://" in target:
            continue
        place = path.parent / file if file else path
        if not place.exists() or (heading and heading not in anchors(place)):
            dead.append(f"{path.name}: {target}")
    return dead


def anchors(path: Path) -> set[str]:
    """Anchors of a document's headings."""
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-")
            for heading in re.findall(r"^#+ (.+)$", read(path), re.MULTILINE)}


def glossary_rows(heading: str) -> list[list[str]]:
    """Cells of the table under a heading of the glossary."""
    part = read(ROOT / "docs" / "glossary.md").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in part.splitlines()
            if line.startswith("|") and not line.startswith(("| ---", "| term |"))]


def test_architecture_is_one_page() -> None:
    assert len(read(ROOT / "ARCHITECTURE.md")) <= MAP_LIMIT


def test_the_first_page_is_one_screen() -> None:
    assert len(read(ROOT / "README.md").splitlines()) <= README_LIMIT


def test_every_path_named_in_the_documents_exists() -> None:
    """But those of examples, which are run, and of what has changed since."""
    named = [path for path in PAGES if path.stem not in ("CONTRIBUTING", "CHANGELOG")]
    assert {path.name: found for path in named if (found := absent(path))} == {}


def test_every_name_in_the_documents_exists() -> None:
    """So that no page explains what was renamed or removed."""
    files = [*map(sources.text, (*sources.NAMES, *sources.BESIDE)), read(ROOT / "pyproject.toml"),
             *map(read, (*(ROOT / "assets" / "languages").glob("*.*"), *(ROOT / "assets" / "shaders").iterdir()))]
    known = {word for text in files for word in re.findall(r"\w+", text)} | OF_OTHERS
    named = [path for path in PAGES if path.stem != "CHANGELOG"]
    assert {path.name: found for path in named if (found := unknown_names(path, known))} == {}


def test_every_decision_is_listed_once() -> None:
    listed = re.findall(r"^- \[.+\]\((.+\.md)\)$", read(DECISIONS / "README.md"), re.MULTILINE)
    assert sorted(listed) == sorted(path.name for path in DECISIONS.glob("*.md") if path.name != "README.md")


def test_a_decision_is_short_and_states_what_was_decided() -> None:
    unlike = [path.name for path in sorted(DECISIONS.glob("*.md")) if path.name != "README.md"
              and not (len(read(path).splitlines()) <= DECISION_LIMIT and read(path).startswith("# ")
                       and read(path).count("**Decision.**") == 1)]
    assert unlike == []


def test_links_are_not_dead() -> None:
    assert [link for path in PAGES for link in dead_links(path)] == []


def test_every_kind_of_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# One `thing` more\n")
    (tmp_path / "page.md").write_text(
        "# Here\n[a](there.md) [b](there.md#one-thing-more) [c](#here) ![d](no.png) [e](there.md#two) [f](#gone)\n"
        '<img src="none.png" alt="">\n[g]\n\n[g]: lost.md\n`[h](code.md)`\n```text\n[i](block.md)\n```\n[j](https://x.org)\n')
    assert dead_links(tmp_path / "page.md") == [f"page.md: {target}" for target in (
        "no.png", "there.md#two", "#gone", "none.png", "lost.md")]


def test_the_changes_name_the_version_that_comes_next() -> None:
    """As in Keep a Changelog: a section for what is not released, or for the version of the package, under known headings."""
    text = read(ROOT / "CHANGELOG.md")
    version = re.search(r'^version = "(.+)"$', read(ROOT / "pyproject.toml"), re.MULTILINE)[1]
    assert re.search(r"^## \[(.+?)\]", text, re.MULTILINE)[1] in ("Unreleased", version) and version in text
    headings = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= headings


@pytest.mark.parametrize("program", PROGRAMS, ids=range(1, len(PROGRAMS) + 1))
def test_a_short_program_runs_and_prints(program: str, capsys: pytest.CaptureFixture) -> None:
    assert len(program.splitlines()) <= 16
    exec(compile(program, "docs/programs.md", "exec"), {})
    assert capsys.readouterr().out.strip()


def test_a_line_of_the_glossary_has_one_term() -> None:
    rows = glossary_rows("Terms")
    assert len(rows) > 100
    assert [row for row in rows if len(row) != 2 or not row[0] or "," in row[0] or not row[1].endswith(".")] == []
    terms = [row[0].lower() for row in rows]
    assert [term for term in terms if terms.count(term) > 1] == [] and terms == sorted(terms)


def own_members(kind: type) -> dict[str, object]:
    """Methods and properties without an underscore that a class or one of its own bases defines, by their names of today."""
    former = former_names.FIELDS.get(kind.__name__, {})
    bases = [base for base in kind.__mro__ if base.__module__.startswith("physics")]
    return {name: member for base in reversed(bases) for name, member in vars(base).items()
            if not name.startswith("_") and name not in former and (inspect.isfunction(member) or isinstance(member, property))}


def test_the_index_of_physics_names_everything_public() -> None:
    indexed = set(re.findall(r"\w+", physics.__doc__))
    members = {f"{name}.{member}" for name, kind in PUBLIC.items() if inspect.isclass(kind) for member in own_members(kind)}
    assert sorted(name for name in PUBLIC if name not in indexed) == []
    assert sorted(name for name in members if name.split(".")[1] not in indexed) == []


def test_everything_public_of_physics_has_a_docstring() -> None:
    silent = [name for name, item in PUBLIC.items() if not inspect.getdoc(item)]
    for name, kind in PUBLIC.items():
        if inspect.isclass(kind):
            silent += [f"{name}.{member}" for member, item in own_members(kind).items() if not inspect.getdoc(item)]
    assert silent == []


def example(thing: str) -> str:
    """The file that CONTRIBUTING.md shows for a thing."""
    return read(ROOT / "CONTRIBUTING.md").split(f"\n### {thing}\n")[1].split("```python\n")[1].split("```")[0]


def defined_by(thing: str) -> dict[str, Any]:
    """What that file defines."""
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example(thing), f"CONTRIBUTING.md: {thing}", "exec"), names)
    return names


FILES = {"A scene": "scenes/sliding_box.py", "A lesson": "scenes/lessons/sliding_box.py",
         "A solver": "physics/solvers/frictionless.py", "A panel": "app/panels/fastest.py",
         "A command": "app/commands/bodies.py", "A joint": "physics/joints/slot.py", "A shape": "physics/shapes/cube.py",
         "An overlay": "app/render/overlays/plumb_lines.py"}
"""Where an example is put in a copy of the project."""


@pytest.mark.parametrize("thing", FILES)
def test_an_example_is_short_and_has_a_docstring(thing: str) -> None:
    assert len(example(thing).splitlines()) <= EXAMPLE_LIMIT and example(thing).startswith('"""')


def test_the_example_of_a_scene_passes_its_check() -> None:
    scene = defined_by("A scene")["SCENE"]
    scene.check(*scenes.run(scene))


def boxes_after_a_second(count: int) -> np.ndarray:
    """Positions (count, 3) [m] of boxes dropped on one another, after a second under the example of a solver."""
    world = physics.World()
    world.add_body(physics.Plane(), kind="static")
    pile = [world.add_body(physics.Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.3 + 0.25 * k)) for k in range(count)]
    world.solver = defined_by("A solver")["SOLVER"]()
    assert world.solver.unsupported(world) == ""
    for _ in range(240):
        assert physics.step(world, 1.0 / 240.0).audit.ok
    return world.bodies["pos"][pile]


def test_the_example_of_a_solver_lets_a_box_land_and_satisfies_the_auditor() -> None:
    assert boxes_after_a_second(1)[0] == pytest.approx([0.0, 0.0, 0.1], abs=1e-6)


def test_the_example_of_a_solver_steps_a_pile() -> None:
    """Without friction it may drift apart, by millimetres."""
    pos = boxes_after_a_second(3)
    assert pos[:, 2] == pytest.approx([0.1, 0.3, 0.5], abs=1e-3) and np.abs(pos[:, :2]).max() < 0.01


@pytest.mark.timeout(1200)
def test_examples_put_into_their_folders_work_without_any_other_edit(tmp_path: Path) -> None:
    """All in one copy, as plain Python, since every kernel would be compiled anew; with STICTION_ALL_TESTS=1 compiled.
    tests/tools/added_kinds.py says what each must do."""
    for folder in ("app", "assets", "physics", "scenes"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__", "kernels"))
    for thing, place in FILES.items():
        assert f"`{place}`" in read(ROOT / "CONTRIBUTING.md") and not (tmp_path / place).exists()
        (tmp_path / place).write_text(example(thing), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, ROOT))),
                   "STICTION_CACHE_DIR": str(tmp_path / "cache")}
    if not os.environ.get("STICTION_ALL_TESTS"):
        environment["NUMBA_DISABLE_JIT"] = "1"
    checks = [thing.lower().replace(" ", "-") for thing in FILES]
    done = subprocess.run([sys.executable, "-P", "-m", "tests.tools.added_kinds", *checks], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def test_the_example_of_a_panel_shows_and_selects_the_fastest_body(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies, shown = np.zeros(3, BODY), []
    bodies["vel"][1] = (0.0, 3.0, 4.0)
    session = SimpleNamespace(frame=SimpleNamespace(bodies=bodies, body_names=("world", "ball", "box")), selection=Selection())
    monkeypatch.setattr(widgets, "dim_text", shown.append)
    monkeypatch.setattr(widgets, "button", lambda label: True)
    panel = defined_by("A panel")
    panel["draw"](session)
    assert panel["TITLE"] and shown == ["ball: 5 m/s"] and session.selection.body == 1


def test_the_example_of_a_panel_draws_in_the_window(person: Any) -> None:
    panels, module = person.window.gui.panels, SimpleNamespace(**defined_by("A panel"))
    person.load("pyramid")
    panels.all["fastest"] = Panel("fastest", module)
    person.look(4)
    try:
        assert "fastest/Select it" in fresh_spots(person)
        person.click("fastest/Select it")
        assert panels.all["fastest"].error == "" and person.session.selection.body >= 0
    finally:
        del panels.all["fastest"]
