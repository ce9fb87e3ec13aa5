"""`stiction gallery --write FILE`: a page with all scenes, their laws, and what they predict against what is measured now, under
every solver."""

import argparse
import contextlib
import dataclasses
import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.commands import _scene_arguments

HELP = "write a page with all scenes: picture, law, prediction against measurement under every solver (for scene authors)"
EXAMPLES = """\
  stiction gallery --write docs/gallery.md

Every scene is run for its check time under every solver that supports it, which takes ten minutes or more. A solver that is not
the scene's own is given up after LIMIT s of computing. Pictures are those of `stiction pictures`.""".replace("LIMIT", "10")

LIMIT = 10.0
"""Processor time for a scene under a solver that is not its own [s]."""

PIECES = 20
"""Pieces of a run; the time limit is checked after each."""

CANCEL_AFTER_LIMITS = 6.0
"""After so many time limits of wall-clock time a solver that can be cancelled is: a step of it may take minutes."""

NOT_SUPPORTED, STOPPED, SLOW = "-", "**stopped**", f"> {LIMIT:.0f} s"
"""Cells of a scene without numbers: it is rejected, ends in an error, takes too long."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """A scene under a solver. rows: (name, predicted, measured, whether it is within its tolerance) of each prediction; cell: the
    largest deviation, or why there is none; counts: whether the solver was tried; holds: all predictions do."""

    rows: tuple[tuple[str, str, str, bool], ...]
    cell: str
    counts: bool
    holds: bool


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--write", metavar="FILE", required=True, help="the page (Markdown)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes; default: one for each core")
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help="only these scenes")


def run(args: argparse.Namespace) -> int:
    """Run the scenes and write the page; return 1 if a prediction does not come true under its scene's own solver."""
    import scenes
    from app.files.atomic_write import write
    from physics import BadInput
    from physics.core.compile import processor

    if args.workers is not None and not 1 <= args.workers <= 1024:
        raise BadInput("--workers must be 1 .. 1024")

    _scene_arguments.target("--write", args.write)
    chosen = {name: scenes.find(name) for name in args.scenes} or scenes.all_scenes()
    ordered = dict(sorted(chosen.items(), key=lambda item: (item[1].category, item[1].title)))
    found = outcomes(ordered, args.workers or processor.available())
    by_category: dict[str, list[str]] = {}
    for name, scene in ordered.items():
        rows = found[name, scene.solver].rows if scene.predict else ()
        by_category.setdefault(scene.category, []).append(section(name, scene, rows, args.write))
    write(args.write, page(by_category, len(chosen), table(ordered, found)).encode())
    print(f"saved {len(chosen)} scenes in {args.write}")
    return 0 if all(found[name, scene.solver].holds for name, scene in ordered.items() if scene.predict) else 1


def outcomes(chosen: dict[str, Any], workers: int) -> dict[tuple[str, str], Outcome]:
    """By (scene, solver), of all scenes that predict something."""
    from tqdm import tqdm

    from app.analysis.studies import sweep_workers
    from physics import solvers

    points = [(name, solver) for name, scene in chosen.items() if scene.predict for solver in solvers.available()]
    bar = {"total": len(points), "unit": "run", "disable": not sys.stderr.isatty(), "file": sys.stderr, "leave": False}
    if workers == 1:
        return {point: outcome(point) for point in tqdm(points, **bar)}
    with sweep_workers.LocalWorkers(workers, "") as running:
        died = Outcome((), "**died**", True, False)
        return dict(tqdm(sweep_workers.results(outcome, lambda point, why: died, points, running), **bar))


def outcome(point: tuple[str, str]) -> Outcome:
    """Run a scene under a solver: (name, solver)."""
    import scenes
    from physics import Unsupported

    name, solver = point
    scene, late = scenes.find(name), threading.Event()
    try:
        world = scenes.world_under(scene, solver)
        limit = math.inf if solver == scene.solver else LIMIT
        with cancelled_after(world, CANCEL_AFTER_LIMITS * limit, late):
            ended = whole_run(scene, world, limit)
    except Exception as error:  # noqa: BLE001  (whatever a solver raises here is its result)
        if late.is_set():
            return Outcome((), SLOW, False, False)
        if isinstance(error, Unsupported) or "has no contacts" in str(error):      # raised by the subsystems when bodies touch
            return Outcome((), NOT_SUPPORTED, False, False)
        return Outcome((), STOPPED, True, False)
    if ended is None:
        return Outcome((), SLOW, False, False)
    found = scenes.predicted_and_measured(scene, scene.parameters(), *ended)
    rows = tuple((prediction.name, prediction.text(prediction.value), prediction.text(measured), prediction.holds(measured))
                 for prediction, measured in found)
    holds = all(row[3] for row in rows)
    worst = max((deviation(prediction, measured) for prediction, measured in found), default=0.0)
    cell = "not reached" if worst == math.inf else f"{100.0 * worst:.2g} %"
    return Outcome(rows, cell if holds else f"**{cell}**", True, holds)


@contextlib.contextmanager
def cancelled_after(world: Any, seconds: float, late: threading.Event) -> Iterator[None]:
    """Cancel the step of a solver that can be cancelled after so many seconds, and set `late`."""
    def cancel() -> None:
        late.set()
        world.solver.cancel()

    if not world.solver.cancellable or seconds == math.inf:
        yield
        return
    timer = threading.Timer(seconds, cancel)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def deviation(prediction: Any, measured: float | None) -> float:
    """Of a measured number from the prediction, relative to it; of a predicted 0 in its unit."""
    from scenes import ROUNDING

    size = abs(prediction.value)
    return math.inf if measured is None else abs(measured - prediction.value) / (size if size > ROUNDING else 1.0)


def whole_run(scene: Any, world: Any, limit: float) -> tuple[Any, dict] | None:
    """World and samples after the check time; None if it takes longer than the limit [s]."""
    import numpy as np

    import scenes

    began, left, traces = time.process_time(), round(scene.check_time / scene.dt), []
    piece = math.ceil(left / PIECES)
    while left > 0:
        if time.process_time() - began > limit:
            return None
        world, trace = scenes.run(scene, world=world, seconds=min(piece, left) * scene.dt)
        traces.append({key: samples[bool(traces):] for key, samples in trace.items()})
        left -= piece
    return world, {key: np.concatenate([trace[key] for trace in traces]) for key in traces[0]}


def table(chosen: dict[str, Any], found: dict[tuple[str, str], Outcome]) -> list[str]:
    """Lines of the table of all predictions under all solvers."""
    from physics import solvers

    names = solvers.available()
    rows = [(scene.title, *(found[name, solver].cell for solver in names)) for name, scene in chosen.items() if scene.predict]

    def passed(solver: str) -> str:
        tried = [found[name, solver] for name, scene in chosen.items() if scene.predict and found[name, solver].counts]
        return f"{sum(one.holds for one in tried)} of {len(tried)}"
    return ["## Predictions under every solver", "",
            "Each scene at its own step, for its check time: the largest deviation of its predictions, relative to them (of a "
            f"predicted 0 in its unit); **bold** where one is outside of its tolerance. {NOT_SUPPORTED}: the solver does not "
            f"support the scene; {STOPPED}: it diverges, or gives up with an error; {SLOW}: skipped, for it computes longer. "
            "The tests run a scene with a line 'Also reached' under all solvers.", "",
            f"| scene | {' | '.join(names)} |", "| --- |" + " --- |" * len(names),
            *(f"| {' | '.join(row)} |" for row in rows), f"| **come true** | {' | '.join(map(passed, names))} |", ""]


def section(name: str, scene: Any, rows: tuple[tuple[str, str, str, bool], ...], target: str) -> str:
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


def page(by_category: dict[str, list[str]], count: int, under_solvers: list[str]) -> str:
    """The whole page. under_solvers: lines of the table at its end."""
    lines = ["# Gallery", "",
             f"{count} scenes: what to look for, the law, and what it predicts against the measurement under the scene's solver;",
             "at the end [all predictions under every solver](#predictions-under-every-solver).",
             "Written by `python3 start.py gallery --write docs/gallery.md`; every number is computed.", ""]
    for category, sections in by_category.items():
        lines += [f"## {category}", "", *sections]
    return "\n".join([*lines, *under_solvers])
