"""Phase maps: runs of a scene over a plane of two parameters, classed by how they end (scenes/maps). GL-free.

The runs are made in other processes of low priority: in this one they would share the interpreter's lock with the physics and the
window. A thread only hands them out (map_refinement.py chooses them) and collects the classes.
"""

import csv
import io
import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

import scenes
from app import world_settings
from app.analysis.studies import outcomes
from app.analysis.studies.background_runs import BackgroundRun, RunCancelled
from app.analysis.studies.map_refinement import Node, NumberRefinement, Refinement
from app.analysis.studies.outcomes import Question
from app.analysis.studies.sweep import (
    CHOICE,
    OPTION,
    PARAMETER,
    STEP,
    WORLD,
    Base,
    Sweep,
    SweepAxis,
    cell,
    configured,
    titled,
)
from app.analysis.studies.sweep import axis as sweep_axis
from app.analysis.studies.sweep_workers import LocalWorkers, Workers, results
from app.build_scene import Choices, build_chosen, own_file
from app.engine.frame import Frame
from app.engine.scene_files.document import Document
from app.engine.undo.difference import file_of
from app.i18n.message import message
from physics import BadInput, World, fields
from physics.core.compile import processor
from physics.solvers import Solver
from scenes import maps
from scenes.maps import MapAxis, PhaseMap

FAILED = 1000
"""Class of a point whose run failed."""

MAX_NAMES = 24
"""Most names that a refusal lists."""

MAX_STEPS = 1_000_000
"""Most steps of a run."""

SURFACE_SETTINGS = ("friction", "restitution")
"""What can be set for all bodies."""

CELL_COUNTS = (8, 16, 32, 64, 128, 256)
"""Possible numbers of cells along a side."""

WITHOUT_CLOCK = ("budget",)
"""Options that the runs do not take over: they would depend on the machine."""

CONTAINED = ("set_parameter", "set_live_parameter", "reset", "return_to_state", "use_solver", "set_option", "set_dt")
"""Commands whose edits a plan takes over, or that rebuild the scene as it was."""


@dataclass(frozen=True)
class MapPlan:
    """What is run; another process can be given it. map_name: of a ready-made map, "": any two settings of the scene; x, y: as of
    the map, or other settings or ranges; parameters: of the scene, by name; dt [s]; seconds: of a run; size: cells along a side;
    asked: of each run (outcomes.py)."""

    map_name: str
    scene_name: str
    x: MapAxis
    y: MapAxis
    dt: float
    seconds: float
    parameters: tuple[tuple[str, Any], ...] = ()
    choices: Choices = field(default_factory=Choices)
    size: int = 64
    asked: str = ""

    @property
    def map(self) -> PhaseMap | None:
        """The ready-made map; None of a scene."""
        return maps.find(self.map_name) if self.map_name else None

    @property
    def scene(self) -> scenes.Scene:
        return scenes.find(self.scene_name)

    @property
    def title(self) -> str:
        return self.map.title if self.map is not None else self.scene.title

    @property
    def question(self) -> Question:
        """What is determined of each run."""
        parameters, choices, _ = self.at()
        return self.question_in(build_chosen(self.scene, parameters, choices), parameters)

    def question_in(self, world: World, parameters: Any) -> Question:
        """The same, in a world of the scene that is there already."""
        if not self.asked:
            return outcomes.of_map(self.map)
        return outcomes.question(self.asked, self.scene, parameters, world)

    @cached_property
    def sweep(self) -> Sweep:
        """The whole plane as a sweep without measures."""
        solvers = (self.choices.solver or self.scene.solver,)
        places = np.arange(self.size + 1) / self.size
        axes = (sweep_axis(one.name, tuple((one.lo + (one.hi - one.lo) * places).tolist()), self.scene, solvers)
                for one in (self.x, self.y))
        return replace(self.unvaried, axes=tuple(axes))

    @property
    def unvaried(self) -> Sweep:
        """The same without what spans the plane."""
        return Sweep(Base(self.scene_name, self.parameters, self.choices, self.seconds, self.dt), (), ())

    def values(self, node: Node) -> tuple[float, float]:
        """The two settings at a point."""
        return tuple(axis.lo + (axis.hi - axis.lo) * place / self.size for axis, place in zip((self.x, self.y), node))

    def nearest(self, x: float, y: float) -> Node:
        """The point nearest to two values."""
        return tuple(min(self.size, max(0, round((value - axis.lo) / (axis.hi - axis.lo) * self.size)))
                     for axis, value in zip((self.x, self.y), (x, y)))

    def at(self, node: Node | None = None) -> tuple[Any, Choices, float]:
        """(parameters of the scene, choices, step [s]) at a point; None: without what spans the plane."""
        return configured(self.sweep, self.scene, self.values(node)) if node is not None else \
            configured(self.unvaried, self.scene, ())

    def parameters_at(self, node: Node | None = None) -> Any:
        """The scene's parameters at a point; None: without those that span the plane."""
        return self.at(node)[0]

    def border(self, count: int = 400) -> tuple[np.ndarray, ...]:
        """Lines (m, 2) of the closed form within the plane; none of a scene, if other parameters span it, or if the solver has
        other options than the scene's parameters choose."""
        if self.map is None:
            return ()
        asked = chosen_options(self.scene, self.parameters_at())
        contradicted = any(asked.get(name, value) != value for name, value in self.choices.options)
        if (self.x.name, self.y.name) != (self.map.x.name, self.map.y.name) or contradicted:
            return ()
        lines = self.map.border(self.parameters_at(), np.linspace(self.x.lo, self.x.hi, count))
        return tuple(np.where(((line >= (self.x.lo, self.y.lo)) & (line <= (self.x.hi, self.y.hi))).all(axis=1, keepdims=True),
                              line, np.nan) for line in map(np.array, lines))

    def unit(self, axis: MapAxis) -> str:
        """Unit of what spans the plane."""
        return next(one.unit for one in self.sweep.axes if one.name == axis.name)


def chosen_options(scene: scenes.Scene, parameters: Any) -> dict[str, Any]:
    """Options of the scene's solver that its parameters choose."""
    return scene.chosen_options(parameters) if scene.chosen_options else {}


def spanning(scene: scenes.Scene, solver: Solver, world: World) -> tuple[str, ...]:
    """Names of what can span a map of a scene: its numbers, friction and restitution of all bodies, the step, numbers of its
    bodies and joints, and of the solver."""
    every = {f.name for f in fields(scene.parameters)}
    own = [f.name for f in fields(scene.parameters) if type(f.default) is float]
    theirs = [f.name for f in fields(solver.options) if type(f.default) is float and f.name not in WITHOUT_CLOCK]
    others = (name for name in (*SURFACE_SETTINGS, "dt", *world_settings.names(world), *theirs) if name not in every)
    return tuple(dict.fromkeys((*own, *others)))


def usual_axis(name: str, frame: Frame) -> MapAxis:
    """An axis around the value that a frame shows."""
    parameters = scenes.present(frame.setting.parameters, frame.inputs)
    described = {f.name: (f, one) for one in (frame.solver_state.options, parameters) for f in fields(one)
                 if type(f.default) is float}
    if name in described:
        f, owner = described[name]
        value, lo, hi = getattr(owner, name), f.metadata["lo"], f.metadata["hi"]
    elif name in SURFACE_SETTINGS:
        value, lo, hi = 0.5, 0.0, 1.0
    else:
        value, lo, hi = (frame.dt, 0.0, None) if name == "dt" else (world_settings.find(frame.as_world, name).value, None, None)
    ends = (0.2 * value, 2.0 * value) if value > 0.0 else (value - 1.0, value + 1.0)
    return MapAxis(name, ends[0] if lo is None else max(ends[0], lo), ends[1] if hi is None else min(ends[1], hi))


def plan(name: str, x: MapAxis | None = None, y: MapAxis | None = None, of_scene: bool = False, **more: Any) -> MapPlan:
    """The plan of a ready-made map or of a scene; of the former with its own axes, of both with the scene's step, unless others
    are given. of_scene: `name` is a scene's, though a map may have the same; more: other fields of `MapPlan`; None: the usual
    ones.

    Raises:
        BadInput: no such map, scene, setting, quantity, solver or size, or a range that is not allowed.
    """
    known, more = None if of_scene else maps.all_maps().get(name), {key: one for key, one in more.items() if one is not None}
    scene_name = known.scene if known is not None else name
    try:
        scene = scenes.find(scene_name)
    except BadInput:
        raise BadInput(message("unknown map '{name}'; there are: {maps}; or name a scene (see `stiction scenes`) or its file",
                               name=name, maps=", ".join(maps.all_maps()))) from None
    if known is None and (x is None or y is None):
        raise BadInput("a map of a scene needs both axes: --x NAME=LO:HI --y NAME=LO:HI")
    if known is None:
        more.setdefault("asked", next(iter(outcomes.CATEGORIES)))
    usual = {"dt": scene.dt, "seconds": known.seconds if known is not None else scene.check_time}
    made = MapPlan(name if known is not None else "", scene_name, x or known.x, y or known.y, **{**usual, **more})
    if made.size not in CELL_COUNTS:
        raise BadInput(message("size = {size} must be one of: {sizes}", size=made.size, sizes=", ".join(map(str, CELL_COUNTS))))
    if made.x.name == made.y.name:
        raise BadInput(message("the two axes of a map are different parameters, not twice '{x}'", x=made.x.name))
    parameters, choices, _ = made.at()
    world = build_chosen(scene, parameters, choices)
    names = spanning(scene, world.solver, world)
    for axis in (made.x, made.y):
        if ":" in axis.name and axis.name not in names:
            world_settings.find(world, axis.name)       # places of bodies with joints are not offered; some are possible
        elif axis.name not in names:
            raise BadInput(message("'{axis}' cannot span a map of '{known}'; parameters that can: {numbers}", axis=axis.name,
                                   known=made.title,
                                   numbers=", ".join(names[:MAX_NAMES]) + (", .." if len(names) > MAX_NAMES else "")))
        if not axis.lo < axis.hi:
            raise BadInput(message("the range of '{axis}' is {lo:g} .. {hi:g}: it must grow", axis=axis.name, lo=axis.lo,
                                   hi=axis.hi))
    steps = made.seconds / made.dt
    if not 0.0 < steps <= MAX_STEPS:
        raise BadInput(message("runs of {seconds:g} s in steps of {dt:g} s have {steps:.3g} steps; allowed: up to {most}",
                               seconds=made.seconds, dt=made.dt, steps=steps, most=MAX_STEPS))
    made.question_in(world, parameters)
    len(made.sweep)      # its values are checked as it is made
    return made


def plan_of(name: str, frame: Frame, x: MapAxis | None = None, y: MapAxis | None = None, **more: Any) -> MapPlan:
    """The plan of a ready-made map, or with axes of the scene shown, which may have the name of a map. If the frame shows the
    map's scene, with its parameters, solver, options and step; otherwise with those that the scene has when it is loaded."""
    known = maps.find(name) if x is None else None
    scene_name = known.scene if known is not None else name
    x, y, scene = x or known.x, y or known.y, scenes.find(scene_name)
    if known is None or scene_name == frame.scene:
        parameters, solver, dt = scenes.present(frame.setting.parameters, frame.inputs), frame.solver_state, frame.dt
    else:
        parameters, dt = scene.parameters(), scene.dt
        solver = build_chosen(scene, parameters, Choices()).solver
    others, choices = _circumstances(scene, (x.name, y.name), parameters, solver)
    return plan(name, x, y, known is None, parameters=others, choices=choices, dt=dt, **more)


def _circumstances(scene: scenes.Scene, axes: tuple[str, str], parameters: Any,
                   solver: Solver) -> tuple[tuple[tuple[str, Any], ...], Choices]:
    """(parameters besides those of the map, solver with its options) as a plan has them."""
    left_out = {*WITHOUT_CLOCK, *axes}
    if file_of(solver) == scene.solver:     # each point chooses its own; other solvers keep theirs
        left_out |= chosen_options(scene, parameters).keys()
    options = tuple((f.name, getattr(solver.options, f.name)) for f in fields(solver.options) if f.name not in left_out)
    others = tuple((f.name, getattr(parameters, f.name)) for f in fields(parameters) if f.name not in axes)
    return others, Choices(file_of(solver), options=options)


def is_stale(made: MapPlan, frame: Frame, document: Document | None = None) -> bool:
    """Return whether the frame shows the map's scene changed otherwise than by the two settings of the map. document: what the
    window works on; what is saved in its file is no change."""
    document = document or Document()
    if made.scene_name not in (frame.scene, document.file):
        return False
    axes = (made.x.name, made.y.name)
    now = *_circumstances(made.scene, axes, scenes.present(frame.setting.parameters, frame.inputs), frame.solver_state), frame.dt
    contained, then = set(CONTAINED), (made.parameters, made.choices, made.dt)
    for one in made.sweep.axes:
        if one.belongs in (CHOICE, WORLD):
            contained.add(world_settings.command_of(one.name))
    if "dt" in axes:
        now, then = now[:2], then[:2]
    done, saved = frame.authored.edits.done, document.saved() if document.saved is not None else None
    opened = max((k for k, edit in enumerate(done) if edit.command == "load" or edit is saved), default=-1)
    return now != then or any(edit.command.split()[0] not in contained for edit in done[opened + 1:])


def posted(made: MapPlan, axis: SweepAxis, value: float) -> tuple[str, tuple]:
    """(name, arguments) of the command that gives a loaded scene this value."""
    if axis.belongs == WORLD:
        parameters, choices, _ = made.at()
        one = world_settings.find(build_chosen(made.scene, parameters, choices), axis.name)
        return world_settings.command_of(axis.name), one.arguments(value)
    return {PARAMETER: ("set_parameter", (axis.name, value)), OPTION: ("set_option", (axis.name, value)),
            STEP: ("set_dt", (value,)), CHOICE: (world_settings.command_of(axis.name), (value,))}[axis.belongs]


def outcome_of(made: MapPlan, node: Node) -> tuple[float, str]:
    """Run a point: (number of its class, or the requested number, ""), or (FAILED, why)."""
    try:
        parameters, choices, dt = made.at(node)
        world = build_chosen(made.scene, parameters, choices)
        question = made.question_in(world, parameters)
        _, trace = scenes.run(made.scene, parameters, seconds=max(made.seconds, dt), dt=dt, keys=question.keys, world=world)
        answer = question.answer(world, trace, parameters)
        if answer is None or not math.isfinite(answer):
            return failed(node, str(outcomes.no_answer(question.word)))
        return answer, ""
    except Exception as error:  # noqa: BLE001  (whatever a scene raises is the result of this point)
        return failed(node, str(error) or type(error).__name__)


def failed(node: Node, sentence: str) -> tuple[float, str]:
    """The result of a point whose run failed."""
    return FAILED, sentence


def beside_the_window(file: str) -> AbstractContextManager[Workers]:
    """Processes that yield to the window, on all cores but one. file: the user's own scene, "" for one of ours."""
    return LocalWorkers(max(1, processor.available() - 1), file, yields=True)


@dataclass
class MapRun(BackgroundRun):
    """A map in work. refinement: what is known; failure: why the last failed run failed; seconds: wall time so far.

    workers: makes the processes.
    """

    made: MapPlan
    workers: Callable[[], AbstractContextManager[Workers]]
    question: Question = field(init=False)
    refinement: Refinement | NumberRefinement = field(init=False)
    failure: str = ""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.question = self.made.question
        kind = Refinement if self.question.classes else NumberRefinement
        self.refinement = kind(self.made.size, min(8, self.made.size))

    @classmethod
    def of(cls, made: MapPlan, workers: Callable[[], AbstractContextManager[Workers]] | None = None) -> "MapRun":
        """The run of a plan, not started."""
        return cls(made.scene, made.parameters_at(), made, workers or partial(beside_the_window, own_file(made.scene)))

    def measure(self) -> None:
        """Run all points that the refinement requests."""
        began = time.monotonic()
        try:
            with self.workers() as pool:
                while nodes := self.refinement.next_nodes():
                    for node, (outcome, why) in results(partial(outcome_of, self.made), failed, nodes, pool):
                        self.refinement.put(node, math.inf if why and not self.question.classes else outcome)
                        self.failure = why or self.failure
                        self.progress, self.seconds = self.refinement.progress, time.monotonic() - began
                        if self._stop.is_set():
                            raise RunCancelled
        except RuntimeError as error:       # the processes end at once, or the program ends
            raise BadInput(str(error)) from None


def csv_of(table: Sequence[Sequence[str]]) -> bytes:
    """A table as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue().encode()


def rows(made: MapPlan, refinement: Refinement | NumberRefinement) -> list[list[str]]:
    """The points run as a table: both settings with their units and the class or number; a header first."""
    question = made.question
    names = dict(enumerate(question.classes)) | {FAILED: "failed"}
    table = [[*(titled(axis.name, made.unit(axis)) for axis in (made.x, made.y)),
              "outcome" if question.classes else titled(question.word, question.unit)]]
    for y, x in np.argwhere([[refinement.is_known(x, y) for x in range(made.size + 1)] for y in range(made.size + 1)]):
        found = refinement.known[y, x]
        text = names[int(found)] if question.classes else "failed" if math.isinf(found) else cell(float(found))
        table.append([*map(cell, made.values((int(x), int(y)))), text])
    return table
