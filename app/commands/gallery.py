"""`stiction gallery --write FILE`: a page with all scenes, their laws, and what they predict against what is measured now."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from app.commands import _scene_arguments

HELP = "write a page with all scenes: picture, law, prediction against measurement (for scene authors)"
EXAMPLES = """\
  stiction gallery --write docs/gallery.md

Every scene is run for its check time under its own solver, which takes minutes. Pictures are those of `stiction pictures`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--write", metavar="FILE", required=True, help="the page (Markdown)")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="only these scenes")


def run(args: argparse.Namespace) -> int:
    """Run the scenes and write the page; return 1 if a prediction does not come true."""
    from tqdm import tqdm

    import scenes
    from app.files.atomic_write import write

    _scene_arguments.target("--write", args.write)
    chosen = {name: scenes.find(name) for name in args.scenes} or scenes.all_scenes()
    by_category: dict[str, list[str]] = {}
    holds = True
    for name, scene in tqdm(sorted(chosen.items(), key=lambda item: (item[1].category, item[1].title)), unit="scene",
                            disable=not sys.stderr.isatty(), file=sys.stderr, leave=False):
        rows = measured(scene)
        holds = holds and all(row[3] for row in rows)
        by_category.setdefault(scene.category, []).append(section(name, scene, rows, args.write))
    write(args.write, page(by_category, len(chosen)).encode())
    print(f"saved {len(chosen)} scenes in {args.write}")
    return 0 if holds else 1


def measured(scene: Any) -> list[tuple[str, str, str, bool]]:
    """(name, predicted, measured, whether it is within its tolerance) of each prediction, under the scene's solver."""
    import scenes

    if not scene.predict:
        return []
    rows = scenes.predicted_and_measured(scene, scene.parameters(), *scenes.run(scene))
    return [(prediction.name, prediction.text(prediction.value), prediction.text(measured), prediction.holds(measured))
            for prediction, measured in rows]


def section(name: str, scene: Any, rows: list[tuple[str, str, str, bool]], target: str) -> str:
    """A scene's part of the page."""
    picture = Path(__file__).resolve().parents[2] / "assets" / "scenes" / f"{name}.png"
    lines = [f"### {scene.title}", "",
             f'<img src="{_relative(picture, target)}" alt="" width="256"> `{name}`, {scene.solver}', "",
             scene.look_for, "", f"    {scene.law_text}", ""]
    if rows:
        lines += ["| prediction | predicted | measured | |", "| --- | --- | --- | --- |",
                  *(f"| {what} | {value} | {got} | {'' if good else '**off**'} |" for what, value, got, good in rows), ""]
    if scene.unreached is not None:
        lines += ["Also reached under every other solver that supports the scene" + (", but for:" if scene.unreached else "."),
                  "", *(f"- {solver}: {reason}" for solver, reason in scene.unreached.items()), ""]
    return "\n".join(lines)


def _relative(path: Path, target: str) -> str:
    return Path(os.path.relpath(path, Path(target).resolve().parent)).as_posix()


def page(by_category: dict[str, list[str]], count: int) -> str:
    """The whole page."""
    lines = ["# Gallery", "",
             f"{count} scenes: what to look for, the law, and what it predicts against the measurement under the scene's solver.",
             "Written by `python3 start.py gallery --write docs/gallery.md`; nothing in it is typed in.", ""]
    for category, sections in by_category.items():
        lines += [f"## {category}", "", *sections]
    return "\n".join(lines)
