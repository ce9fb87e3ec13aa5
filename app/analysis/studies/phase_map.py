"""Phase maps: runs of a scene over a plane of two parameters, classed by how they end (scenes/maps). GL-free.

The runs are made in other processes of low priority: in this one they would share the interpreter's lock with the physics and the
window. A thread only hands them out (map_refinement.py chooses them) and collects the classes.
"""

import csv
import io
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import scenes
from app.analysis.studies.background_runs import BackgroundRun, RunCancelled
from app.analysis.studies.map_refinement import UNKNOWN, Node, Refinement
from app.analysis.studies.sweep import cell, titled
from app.analysis.studies.sweep_workers import LocalWorkers, Workers, results
from app.build_scene import Choices, build_chosen
from app.engine.frame import Frame
from app.engine.undo.difference import file_of
from app.i18n.message import message
from physics import BadInput, fields, set_option
from physics.core.compile import processor
from physics.solvers import Solver
from scenes import maps
from scenes.maps import MapAxis, PhaseMap

FAILED = 1000
"""Class of a point whose run failed."""

SIZES = (8, 16, 32, 64, 128, 256)
"""Possible numbers of cells along a side."""

WITHOUT_CLOCK = ("budget",)
"""Options that the runs do not take over: they would depend on the machine."""

CONTAINED = ("set_parameter", "set_live_parameter", "reset", "return_to_state", "use_solver", "set_option", "set_dt")
"""Commands whose edits a plan takes over, or that rebuild the scene as it was."""


@dataclass(frozen=True)
class MapPlan:
    """What is run; another process can be given it. name: of the map; x, y: as of the map, or other parameters or ranges;
    parameters: of the scene, by name; dt [s]; size: cells along a side."""

    name: str
    x: MapAxis
    y: MapAxis
    parameters: tuple[tuple[str, Any], ...]
    choices: Choices
    dt: float
    size: int = 64

    @property
    def map(self) -> PhaseMap:
        return maps.find(self.name)

    @property
    def scene(self) -> scenes.Scene:
        return scenes.find(self.map.scene)

    def values(self, node: Node) -> tuple[float, float]:
        """The two parameters at a point."""
        return tuple(axis.lo + (axis.hi - axis.lo) * place / self.size for axis, place in zip((self.x, self.y), node))

    def nearest(self, x: float, y: float) -> Node:
        """The point nearest to two values."""
        return tuple(min(self.size, max(0, round((value - axis.lo) / (axis.hi - axis.lo) * self.size)))
                     for axis, value in zip((self.x, self.y), (x, y)))

    def parameters_at(self, node: Node | None = None) -> Any:
        """The scene's parameters at a point; None: without those that span the plane."""
        parameters = self.scene.parameters()
        here = zip((self.x.name, self.y.name), self.values(node)) if node is not None else ()
        for name, value in (*self.parameters, *here):
            set_option(parameters, name, value)
        return parameters

    def border(self, count: int = 400) -> tuple[np.ndarray, ...]:
        """Lines (m, 2) of the closed form within the plane; none if other parameters span it, or if the solver has other options
        than the scene's parameters choose."""
        asked = chosen_options(self.scene, self.parameters_at())
        contradicted = any(asked.get(name, value) != value for name, value in self.choices.options)
        if (self.x.name, self.y.name) != (self.map.x.name, self.map.y.name) or contradicted:
            return ()
        lines = self.map.border(self.parameters_at(), np.linspace(self.x.lo, self.x.hi, count))
        return tuple(np.where(((line >= (self.x.lo, self.y.lo)) & (line <= (self.x.hi, self.y.hi))).all(axis=1, keepdims=True),
                              line, np.nan) for line in map(np.array, lines))

    def unit(self, axis: MapAxis) -> str:
        """Unit of a parameter."""
        return next(f.metadata["unit"] for f in fields(self.scene.parameters) if f.name == axis.name)


def chosen_options(scene: scenes.Scene, parameters: Any) -> dict[str, Any]:
    """Options of the scene's solver that its parameters choose."""
    return scene.chosen_options(parameters) if scene.chosen_options else {}


def plan(name: str, x: MapAxis | None = None, y: MapAxis | None = None, parameters: Sequence[tuple[str, Any]] = (),
         choices: Choices | None = None, dt: float | None = None, size: int = 64) -> MapPlan:
    """The plan of a map, with its own axes and its scene's step unless others are given.

    Raises:
        BadInput: no such map, parameter, solver or size, or a range that the parameter does not allow.
    """
    known = maps.find(name)
    if size not in SIZES:
        raise BadInput(message("size = {size} must be one of: {sizes}", size=size, sizes=", ".join(map(str, SIZES))))
    scene = scenes.find(known.scene)
    made = MapPlan(name, x or known.x, y or known.y, tuple(parameters), choices or Choices(),
                   scene.dt if dt is None else dt, size)
    if made.x.name == made.y.name:
        raise BadInput(message("the two axes of a map are different parameters, not twice '{x}'", x=made.x.name))
    trial, numbers = scene.parameters(), [f.name for f in fields(scene.parameters) if type(f.default) is float]
    for axis in (made.x, made.y):
        if axis.name not in numbers:
            raise BadInput(message("'{axis}' cannot span a map of '{known}'; parameters that can: {numbers}", axis=axis.name,
                                   known=known.title, numbers=", ".join(numbers)))
        if not axis.lo < axis.hi:
            raise BadInput(message("the range of '{axis}' is {lo:g} .. {hi:g}: it must grow", axis=axis.name, lo=axis.lo,
                                   hi=axis.hi))
        for value in (axis.lo, axis.hi):
            set_option(trial, axis.name, value)
    build_chosen(scene, made.parameters_at(), made.choices)
    return made


def plan_of(name: str, frame: Frame, size: int = 64) -> MapPlan:
    """The plan of a map for what a frame shows: if that is the map's scene, with its parameters, solver, options and step;
    otherwise with those that the scene has when it is loaded."""
    known = maps.find(name)
    scene = scenes.find(known.scene)
    if frame.scene == known.scene:
        parameters, solver, dt = scenes.present(frame.setting.parameters, frame.inputs), frame.solver_state, frame.dt
    else:
        parameters, dt = scene.parameters(), scene.dt
        solver = build_chosen(scene, parameters, Choices()).solver
    return plan(name, None, None, *_circumstances(known, parameters, solver), dt, size)


def _circumstances(known: PhaseMap, parameters: Any, solver: Solver) -> tuple[tuple[tuple[str, Any], ...], Choices]:
    """(parameters besides those of the map, solver with its options) as a plan has them."""
    scene, axes = scenes.find(known.scene), (known.x.name, known.y.name)
    left_out = set(WITHOUT_CLOCK)
    if file_of(solver) == scene.solver:     # each point chooses its own; other solvers keep theirs
        left_out |= chosen_options(scene, parameters).keys()
    options = tuple((f.name, getattr(solver.options, f.name)) for f in fields(solver.options) if f.name not in left_out)
    others = tuple((f.name, getattr(parameters, f.name)) for f in fields(parameters) if f.name not in axes)
    return others, Choices(file_of(solver), options=options)


def is_stale(made: MapPlan, frame: Frame) -> bool:
    """Return whether the frame shows the map's scene changed otherwise than by the two parameters of the map."""
    if frame.scene != made.map.scene:
        return False
    now = *_circumstances(made.map, scenes.present(frame.setting.parameters, frame.inputs), frame.solver_state), frame.dt
    done = frame.authored.edits.done
    opened = max((k for k, edit in enumerate(done) if edit.command == "load"), default=-1)
    return now != (made.parameters, made.choices, made.dt) or any(edit.command.split()[0] not in CONTAINED
                                                                  for edit in done[opened + 1:])


def outcome_of(made: MapPlan, node: Node) -> tuple[int, str]:
    """Run a point: (number of its class, ""), or (FAILED, why)."""
    try:
        known, parameters = made.map, made.parameters_at(node)
        world = build_chosen(made.scene, parameters, made.choices)
        scenes.run(made.scene, parameters, seconds=max(known.seconds, made.dt), dt=made.dt, keys=(), world=world)
        return known.classes.index(known.classify(world, parameters)), ""
    except Exception as error:  # noqa: BLE001  (whatever a scene raises is the result of this point)
        return failed(node, str(error) or type(error).__name__)


def failed(node: Node, sentence: str) -> tuple[int, str]:
    """The result of a point whose run failed."""
    return FAILED, sentence


def processes(count: int | None = None) -> AbstractContextManager[Workers]:
    """Processes that yield to the window; count: all cores but one, at least one, if not given."""
    return LocalWorkers(count or max(1, processor.available() - 1), "", yields=True)


@dataclass
class MapRun(BackgroundRun):
    """A map in work. refinement: what is known; failure: why the last failed run failed; seconds: wall time so far.

    workers: makes the processes.
    """

    made: MapPlan
    refinement: Refinement = field(init=False)
    failure: str = ""
    seconds: float = 0.0
    workers: Callable[[], AbstractContextManager[Workers]] = processes

    def __post_init__(self) -> None:
        self.refinement = Refinement(self.made.size, min(8, self.made.size))

    @classmethod
    def of(cls, made: MapPlan, **more: Any) -> "MapRun":
        """The run of a plan, not started."""
        return cls(made.scene, made.parameters_at(), made, **more)

    def measure(self) -> None:
        """Run all points that the refinement asks for."""
        began = time.monotonic()
        try:
            with self.workers() as pool:
                while nodes := self.refinement.next_nodes():
                    for node, (outcome, why) in results(partial(outcome_of, self.made), failed, nodes, pool):
                        self.refinement.put(node, outcome)
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


def rows(made: MapPlan, refinement: Refinement) -> list[list[str]]:
    """The points run as a table: both parameters with their units and the class; a header first."""
    names = dict(enumerate(made.map.classes)) | {FAILED: "failed"}
    table = [[titled(made.x.name, made.unit(made.x)), titled(made.y.name, made.unit(made.y)), "outcome"]]
    for y, x in np.argwhere(refinement.known != UNKNOWN):
        table.append([*map(cell, made.values((int(x), int(y)))), names[int(refinement.known[y, x])]])
    return table
