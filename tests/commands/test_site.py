"""The documentation as a site: its pages, its API, and that nothing of it needs a network."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import physics
from app import cli, commands
from tests.helpers import ROOT, long_run

site = commands.load("site")
CONFIG = site.CONFIG.read_text(encoding="utf-8")
NAV = re.findall(r"[:-] ([\w/]+\.md)$", CONFIG.split("\nnav:\n")[1].split("\nnot_in_nav")[0], re.MULTILINE)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All pages, as they are given to mkdocs."""
    folder = tmp_path_factory.mktemp("site") / "source"
    site.collect(folder)
    return folder


def test_every_page_of_the_menu_exists_and_every_page_is_in_the_menu(source: Path) -> None:
    assert [page for page in NAV if not (source / page).is_file()] == []
    pages = {str(page.relative_to(source).as_posix()) for page in source.rglob("*.md")}
    apart = {page for page in pages - set(NAV) if not page.startswith(("docs/decisions/", "benchmarks/results/"))}
    assert apart == set() and len(NAV) == len(set(NAV))


def test_pictures_and_scripts_of_the_pages_are_copied(source: Path) -> None:
    for path in ("docs/window.webp", "docs/papers/door-1.svg", "assets/scenes/door.png", "docs/site/iframe-worker.js"):
        assert (source / path).read_bytes() == (ROOT / path).read_bytes()
    # else the theme takes one of the network
    assert re.search(r"polyfills: \[(.+)\]", CONFIG)[1] == "docs/site/iframe-worker.js"


def test_the_api_page_has_every_public_name_with_a_program_that_uses_it(source: Path) -> None:
    text = (source / "docs" / "api.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^::: physics\.(?:step\.)?(\w+)$(.*?)(?=^:::|^## |\Z)", text, re.MULTILINE | re.DOTALL))
    assert set(sections) == set(physics.__all__)
    without = {name for name, shown in sections.items() if not re.search(rf"```python\n.*\b{name}\b", shown, re.DOTALL)}
    assert without == {"Diverged", "Report", "Snapshot", "discover", "option"}      # what programs are given or do not need


def test_the_page_on_speed_lists_every_result(source: Path) -> None:
    text = (source / "docs" / "speed.md").read_text(encoding="utf-8")
    assert "| pyramid 10 |" in text and text.count("\n# ") == 0
    assert [file for file in re.findall(r"\]\((.+?)\)", text) if not (source / "docs" / file).is_file()] == []
    assert text.count("](../benchmarks/results/") == len(list((ROOT / "benchmarks" / "results").glob("*.md")))


def test_a_folder_of_others_is_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert cli.main(["site", "--write", str(tmp_path)]) == commands.BAD_INPUT
    assert "neither a new folder nor one that this command has made" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_without_mkdocs_it_says_what_to_install(tmp_path: Path, capsys: pytest.CaptureFixture,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert cli.main(["site", "--write", str(tmp_path / "site")]) == commands.MISSING
    assert re.search("run `.* install (docs|mkdocs .*)`", capsys.readouterr().err) and not (tmp_path / "site").exists()


def test_the_site_is_built_and_but_for_a_link_made_wrong_has_no_broken_one(source: Path, tmp_path: Path) -> None:
    """All pages with the API from the docstrings, by mkdocs alone; the wrong link shows that one would be told."""
    shutil.copytree(source, tmp_path / "source")
    (tmp_path / "mkdocs.yml").write_text(site.config(material=False), encoding="utf-8")
    with (tmp_path / "source" / "docs" / "papers.md").open("a") as page:
        page.write("\n[there](gone.md)\n")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", "site"], cwd=tmp_path, text=True,
                          capture_output=True, env={**os.environ, "STICTION_ROOT": str(ROOT), "NO_MKDOCS_2_WARNING": "1"})
    told = [line for line in done.stderr.splitlines() if line.startswith(("WARNING", "ERROR")) and "griffe: " not in line]
    assert done.returncode and len(told) == 1 and "papers.md" in told[0] and "gone.md" in told[0], done.stderr
    api = (tmp_path / "site" / "docs" / "api.html").read_text(encoding="utf-8")
    assert all(f'id="physics.{name}"' in api for name in ("World", "World.add_joint", "step.step", "Hull", "BadInput"))


@pytest.mark.skipif(importlib.util.find_spec("material") is None, reason="needs the theme: pip install '.[docs]'")
@long_run
def test_the_site_is_built_without_a_warning_and_asks_no_network(tmp_path: Path) -> None:
    target = tmp_path / "site"
    for _ in range(2):          # the second time into the folder of the first
        assert cli.main(["site", "--write", str(target), "--strict"]) == 0
    pages = list(target.rglob("*.html"))
    loaded = re.compile(r"<(?:script|img|iframe|link)[^>]+(?:src|href)=\"?(?:https?:)?//[^\">]+")
    assert len(pages) > 90 and {found for page in pages for found in loaded.findall(page.read_text(encoding="utf-8"))} == set()
