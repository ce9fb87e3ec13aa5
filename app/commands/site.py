"""`stiction site --write FOLDER`: the documentation as a site that any browser shows, without a network."""

import argparse
import sys
from pathlib import Path

HELP = "write the documentation as a site: laboratory, gallery, papers, truth, API, decisions (from a checkout)"
EXAMPLES = """\
  stiction site --write site
  stiction site --write site --strict     a broken link or a missing name fails

Needs mkdocs: `python3 start.py install docs`; without the theme "material" it has the one of mkdocs.
Open site/index.html; no page asks the network for anything."""
KERNELS = False

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "docs" / "site" / "mkdocs.yml"
MARK = "made-by-stiction-site.txt"
"""File that marks a folder of ours, which may be emptied."""
TOP = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
COPIED_FILES = {"docs": ("*.md", "*.png", "*.webp", "*.svg", "*.ipynb", "*.js", "*.css", "*.py"), "assets/scenes": ("*.png",),
                "benchmarks/results": ("*.md", "*.png")}
"""Files of each folder that become part of the site; they keep their places, so links between them hold."""

API = (("Worlds and steps", ("World", "step", "step_many", "step_worlds", "Report", "Snapshot", "Event")),
       ("Shapes", ("Sphere", "Box", "Capsule", "Cylinder", "Cone", "Ellipsoid", "Hull", "Compound", "Plane", "TriangleMesh",
                   "HeightField")),
       ("Surfaces and joints", ("Material", "describe_pair", "Friction", "Motor")),
       ("Options and plug-ins", ("option", "fields", "set_option", "discover")),
       ("What is raised", ("BadInput", "Unsupported", "Diverged")))
"""Public names of `physics`, by topic."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--write", metavar="FOLDER", required=True, help="a new folder, or one of an earlier run")
    parser.add_argument("--strict", action="store_true", help="fail if a page has a warning, such as a broken link")


def run(args: argparse.Namespace) -> int:
    """Collect the pages and build the site; return 1 if it fails, 3 if mkdocs is missing."""
    import importlib.util
    import os
    import subprocess
    import tempfile

    from app.commands import FAILED, MISSING
    from app.extras import install_command
    from physics import BadInput

    if not CONFIG.is_file():
        raise BadInput("the site is made from a checkout of the project, where the folder docs is")
    target = Path(args.write).resolve()
    if target.exists() and not (target.is_dir() and (not any(target.iterdir()) or (target / MARK).is_file())):
        raise BadInput(f"--write {args.write} is neither a new folder nor one that this command has made")
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("mkdocstrings") is None:
        print("stiction: the site needs mkdocs, which is not installed: run "
              f"`{install_command('docs', 'mkdocs mkdocs-material mkdocstrings[python]')}`",
              file=sys.stderr)
        return MISSING
    with tempfile.TemporaryDirectory(prefix="stiction-site-") as folder:
        place = Path(folder)
        collect(place / "source")
        (place / "mkdocs.yml").write_text(config(importlib.util.find_spec("material") is not None), encoding="utf-8")
        words = [sys.executable, "-m", "mkdocs", "build", "--quiet", *(["--strict"] if args.strict else []), "--site-dir",
                 str(target)]
        done = subprocess.run(words, cwd=place, env={**os.environ, "STICTION_ROOT": str(ROOT), "NO_MKDOCS_2_WARNING": "1"})
    if done.returncode:
        return FAILED
    print(f"saved {sum(1 for _ in target.rglob('*.html'))} pages in {args.write}: open {Path(args.write) / 'index.html'}")
    return 0


def config(material: bool) -> str:
    """The settings of mkdocs: those of the site, or without its theme, whose plug-in and style sheet then lack, too."""
    import re

    text = CONFIG.read_text(encoding="utf-8")
    if material:
        return text
    text = re.sub(r"^theme:\n(?: .*\n)+", "theme: {name: mkdocs, highlightjs: false}\n", text, flags=re.MULTILINE)
    return text.replace("  - offline\n", "").replace("extra_css: [docs/site/site.css]\n", "")


def collect(source: Path) -> None:
    """Put all pages of the site into a folder, those that are made here with them."""
    import shutil

    files = [ROOT / name for name in TOP]
    for folder, patterns in COPIED_FILES.items():
        files += [file for pattern in patterns for file in sorted((ROOT / folder).rglob(pattern))]
    for file in files:
        place = source / file.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    for name, text in (("docs/api.md", api_page()), ("docs/speed.md", speed_page()), (MARK, "stiction site\n")):
        (source / name).write_text(text, encoding="utf-8")


def speed_page() -> str:
    """The page on speed, and where each result is."""
    lines = [(ROOT / "docs" / "speed.md").read_text(encoding="utf-8").strip(), "", "## All results", ""]
    for file in sorted((ROOT / "benchmarks" / "results").glob("*.md")):
        title = next(line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()).lstrip("# ")
        lines.append(f"- [{file.stem}](../benchmarks/results/{file.name}): {title}")
    return "\n".join(lines) + "\n"


def api_page() -> str:
    """The public names of `physics` with their docstrings, each with the first short program that uses it."""
    import ast
    import re

    index = ast.get_docstring(ast.parse((ROOT / "physics" / "__init__.py").read_text(encoding="utf-8")))
    text = (ROOT / "docs" / "programs.md").read_text(encoding="utf-8")
    programs = re.findall(r"^## (\d+\. .+?)\n.*?```python\n(.*?)```", text, re.MULTILINE | re.DOTALL)
    lines = ["# API", "", "The package `physics`. Below the index each name has its docstring, and the first of the "
             "[short programs](programs.md) that uses it; the tests run all of them.", "", "## Index", "", "```text", str(index),
             "```", ""]
    for topic, names in API:
        lines += [f"## {topic}", ""]
        for name in names:
            path = "physics.step.step" if name == "step" else f"physics.{name}"      # else the module of that name
            lines += [f"::: {path}", ""]
            using = next(((title, code) for title, code in programs if re.search(rf"\b{name}\b", code)), None)
            if using is not None:
                lines += [f'??? example "{using[0]}"', "", "    ```python",
                          *(f"    {line}".rstrip() for line in using[1].splitlines()), "    ```", ""]
    return "\n".join(lines)
