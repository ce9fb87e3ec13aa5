"""Scenes, one file each: a demo, a lesson, a test and a benchmark at once. Listed by `scenes.all_scenes()`."""

import difflib
import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import scenes
from physics import BadInput, World, fields, set_option, solvers, step
from physics.core import former_names
from physics.core.plugins import discover, names
from physics.observe import quantities

EMPTY = "empty"
"""Name of the scene without anything but a floor, which is not in the list of scenes."""
TRUTH = "truth."
"""Prefix of the names of experiments in scenes/truth; they are scenes too, but not in the list of scenes."""
MAPS = "maps."
"""As TRUTH, of the scenes in scenes/maps."""

ZERO_TOLERANCE, ROUNDING = 1e-4, 1e-12
"""Tolerance of a predicted 0, in its unit; what is less than the other is 0."""

CHANGED = "changed while running"
"""Name of the control input with the time at which a live parameter was changed last [s]; there is none before."""

INPUT = "input:"
"""Prefix of the keys of control inputs among the quantities: "input:angle"."""

Trace = dict[str, np.ndarray]
"""Samples of the scene's quantities after each step, by key, and "time" [s]; see `find_quantity`."""


@dataclass(frozen=True)
class View:
    """Initial camera: looks at target from the distance; angles in degrees, azimuth 0 looks along +y."""

    target: tuple[float, float, float] = (0.0, 0.0, 0.5)
    distance: float = 8.0
    azimuth: float = 35.0
    elevation: float = 20.0


@dataclass(frozen=True)
class Thumbnail:
    """The picture of a scene in the picker and the gallery. time: at which it is drawn [s]; view: another camera than that of the
    scene, which leaves room for what moves; joints: whether they are drawn, as ropes and rods are nothing else."""

    time: float = 0.0
    view: View | None = None
    joints: bool = False


@dataclass(frozen=True)
class Curve:
    """Published points, or a law, drawn over a live curve: times [s] and values in the quantity's unit.

    tolerance: of a law, allowed deviation of the live curve relative to the law's range.
    """

    key: str
    label: str
    times: tuple[float, ...]
    values: tuple[float, ...]
    tolerance: float = 0.01


@dataclass(frozen=True)
class PublishedTime:
    """A time [s] that a source prints for an event, a line across the plots over time."""

    source: str
    event: str
    time: float


@dataclass(frozen=True)
class PredictedPath:
    """Location in the scene of a predicted number: on the path of a point of a body, which is independent of the law.

    points (n, 3): of the path [m, world]; values (n,): the number there, increasing. local: the point in the body's frame [m].
    """

    body: str
    points: np.ndarray
    values: np.ndarray
    local: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def at(self, value: float) -> np.ndarray:
        """Point (3,) [m] of a value; clamped to the ends of the path."""
        return np.array([np.interp(value, self.values, column) for column in self.points.T])


@former_names.accepts_former
@dataclass(frozen=True)
class Prediction:
    """A number that a closed form predicts, and how to measure it after the run.

    measure: (world, trace) -> the measured number, or None while it is unavailable.
    tolerance: relative, for the scene's own check.
    key: a quantity on whose curve the number is a level, minus `level_offset`; "time" if it is a time on the plot.
    place: its location in the scene, so that a user can predict it by a click there.
    follows: it is measured for the parameters of now also after a live one was changed; others cover the run from its start.
    """

    name: str
    value: float
    unit: str
    tolerance: float
    measure: Callable[[World, Trace], float | None]
    key: str = ""
    level_offset: float = 0.0
    place: PredictedPath | None = None
    follows: bool = False

    def holds(self, measured: float | None) -> bool:
        """Whether a measured number is within the tolerance; None: it is not reached."""
        allowed = self.tolerance * abs(self.value) if abs(self.value) > ROUNDING else ZERO_TOLERANCE
        return measured is not None and abs(measured - self.value) <= allowed

    def text(self, number: float | None) -> str:
        """The predicted or a measured number with its unit."""
        return "not reached" if number is None else f"{number:.5g} {self.unit}".strip()


PROVENANCES = PRINTED, DERIVED, OURS = "printed", "derived", "ours"
"""Where a number or a curve comes from: the source prints it; it follows from its equations, for an example of ours; our run."""

former_names.FIELDS |= {kind: {"whose": "provenance"} for kind in ("PaperRow", "PaperLaw", "Series")}       # in scenes of users


@former_names.accepts_former
@dataclass(frozen=True)
class PaperRow:
    """A published figure against ours, as `stiction papers` prints it. provenance: of `published`, PRINTED or DERIVED."""

    source: str
    figure: str
    quantity: str
    published: float
    measured: float
    unit: str
    tolerance: float
    conventions: str
    provenance: str = PRINTED

    @property
    def ok(self) -> bool:
        return math.isfinite(self.measured) and abs(self.measured - self.published) <= self.tolerance


@former_names.accepts_former
@dataclass(frozen=True)
class PaperLaw(PaperRow):
    """A law of a source against ours: the source prints no number, it follows from its equations for an example of ours."""

    provenance: str = DERIVED


@former_names.accepts_former
@dataclass(frozen=True)
class Series:
    """A curve of a figure: PRINTED, DERIVED or OURS. points: drawn as points. Without y: upright lines at x."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    provenance: str = OURS
    points: bool = False


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a source with our curves in it. x, y: quantities of the axes with their units; log: both by powers of ten.

    conventions: what the source leaves open, and how it was chosen.
    """

    source: str
    figure: str
    title: str
    x: str
    y: str
    series: Sequence[Series]
    conventions: str
    log: bool = False


@dataclass(frozen=True)
class Control:
    """A control input that a person drives while the scene runs: by a slider, two keys, an axis of a gamepad.

    name: of `World.inputs`; unit, lo, hi: of its value, lo < 0 < hi. keys: that drive it to lo and to hi while held. axis: of a
    gamepad, one of `GAMEPAD_AXES`; "": none. help: what a positive value does.
    """

    name: str
    unit: str
    lo: float
    hi: float
    keys: tuple[str, str]
    axis: str = ""
    help: str = ""


@dataclass(frozen=True)
class Eye:
    """A camera on a body, for a picture in a corner. pos: of the camera, ahead: its direction, in the frame of the body [m]."""

    body: str
    pos: tuple[float, float, float]
    ahead: tuple[float, float, float] = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Task:
    """Something to achieve with the controls. text: what counts, one or two sentences. score: the control input in which a driver
    of the scene keeps the points, 0 .. 100; 0: not done yet."""

    name: str
    text: str
    score: str


GAMEPAD_AXES = ("left stick x", "left stick y", "right stick x", "right stick y", "triggers")
"""Axes of a gamepad; positive: to the left, up, and the right trigger."""


@dataclass(frozen=True)
class NoParameters:
    """Parameters of scenes that have none."""


@former_names.accepts_former
@dataclass(frozen=True)
class Scene:
    """Everything about one scene.

    look_for: what to look for, plain text, two to five sentences.
    law: the law in LaTeX; law_text: the same as plain text, for machines without LaTeX.
    build: (world, parameters) adds bodies and joints to an empty world (which already has body 0).
    parameters: a dataclass of `option(...)` fields; changing one rebuilds the scene, unless it is live.
    live: names of the parameters that act while the scene runs. Surfaces, masses, and the numbers of joints and motors follow
        them by themselves; drivers read them through `present`. Each is a control input of its name, part of the world's state.
    actual: for live parameters that a driver approaches slowly, such as the tilt of a bench: (world) -> the value that it has
        now, by name. It is what "input:NAME" shows and records, while the slider shows the value that was set.
    solver: name of its file; options: of that solver. chosen_options: (parameters) -> further ones, set by a parameter.
    show: overlays of the viewer that are on when the scene is loaded, by name (app/render/overlays); forces: both parts.
    plots: keys of quantities recorded from the start, the main ones first: those of the first kind are drawn, and of the next
        as many as fit (app/analysis/curves/plot_layout.py), or those of `drawn`. paths: plots over another quantity from the
        start, each of pairs of keys, (drawn, on the x axis), all of them in `plots`; published_times: lines across the plots
        over time.
    predict: (parameters) -> closed-form predictions.
    law_curves: (parameters) -> theory curves of plotted quantities over time, drawn dashed.
    check_time: seconds to run for `check`; check: (world, trace) raises AssertionError where the physics is wrong.
    papers: () -> rows of published figures, computed when called; figures: () -> the same as curves.
    expected_warnings: prefixes of expected warnings (physics/world/sanity_checks.py) of this scene, which are not shown.
    numerical: why the ledger's column "numerical" is above 0.1 % of the energy that moves here, "" if it is not
        (benchmarks/numerical_energy.py).
    violations: why the auditor finds some in a run with the defaults, "" if it finds none.
    unreached: by solver, why it does not reach the predictions; they are measured under every other one that supports the scene
        (tests/scenes/test_solvers.py). None: under the scene's own alone.
    start: (world, parameters) puts a world that was built into the state of a scene file; file: path of that file, or of a
        robot's (app/robots/); origin: name of the scene that it began as (app/engine/scene_files/).
    controls: control inputs that a person drives; `build` sets each in `World.inputs`, and its drivers read them.
    tasks: for the person who drives; eye: a camera for them.
    thumbnail: the small picture of the scene, drawn by `stiction pictures`; None: its start.
    """

    title: str
    category: str
    look_for: str
    law: str
    law_text: str
    build: Callable[[World, Any], None]
    parameters: type = NoParameters
    live: tuple[str, ...] = ()
    actual: Mapping[str, Callable[[World], float]] = field(default_factory=dict)
    dt: float = 1.0 / 240.0
    solver: str = "sequential_impulses"
    options: dict[str, Any] = field(default_factory=dict)
    chosen_options: Callable[[Any], dict[str, Any]] | None = None
    view: View = View()
    plots: tuple[str, ...] = ()
    drawn: tuple[str, ...] | None = None
    show: tuple[str, ...] = ("contacts", "joints")
    paths: tuple[tuple[tuple[str, str], ...], ...] = ()
    curves: tuple[Curve, ...] = ()
    published_times: tuple[PublishedTime, ...] = ()
    predict: Callable[[Any], Sequence[Prediction]] | None = None
    law_curves: Callable[[Any], Sequence[Curve]] | None = None
    check_time: float = 2.0
    check: Callable[[World, Trace], None] | None = None
    papers: Callable[[], Sequence[PaperRow]] | None = None
    figures: Callable[[], Sequence[PaperFigure]] | None = None
    expected_warnings: tuple[str, ...] = ()
    numerical: str = ""
    violations: str = ""
    unreached: dict[str, str] | None = None
    start: Callable[[World, Any], None] | None = None
    file: str = ""
    origin: str = ""
    controls: tuple[Control, ...] = ()
    tasks: tuple[Task, ...] = ()
    eye: Eye | None = None
    thumbnail: Thumbnail | None = None

    def options_of(self, parameters: Any) -> dict[str, Any]:
        """All solver options that the scene sets."""
        return {**self.options, **(self.chosen_options(parameters) if self.chosen_options else {})}


files: dict[str, Scene] = {}
"""Scenes of files that were opened, by path."""


def all_scenes() -> dict[str, Scene]:
    """Every scene by the name of its file."""
    return discover(scenes, "SCENE")


def listed(name: str) -> Scene | None:
    """The scene of that name in the list, or None. The others are not imported: they take an eighth of a warm start."""
    if name not in names(scenes):
        return None
    return getattr(importlib.import_module(f"{__name__}.{name}"), "SCENE", None)


def find(name: str) -> Scene:
    """Find a scene, an experiment or the scene of a phase map by name.

    Raises:
        BadInput: there is none; the message lists similar names.
    """
    if name.startswith(TRUTH):
        from scenes import truth

        return truth.scene(name)
    if name.startswith(MAPS):
        from scenes import maps

        return maps.scene(name)
    if name in files:
        return files[name]
    if name == EMPTY:
        from scenes._empty import SCENE

        return SCENE
    if (scene := listed(name)) is not None:
        return scene
    near = difflib.get_close_matches(name, all_scenes(), n=3)
    if not near:
        raise BadInput(f"unknown scene '{name}' (run `stiction scenes` to list all)")
    raise BadInput(f"unknown scene '{name}'; did you mean {', '.join(near)}? (run `stiction scenes` to list all)")


def make_world(scene: Scene, parameters: Any = None) -> World:
    """Make a world with the scene built in it, under the scene's solver and options."""
    world, parameters = World(), parameters if parameters is not None else scene.parameters()
    for name in scene.live:
        world.set_input(name, getattr(parameters, name))
    scene.build(world, parameters)
    world.use_solver(scene.solver, **_own_options(scene, parameters))
    if scene.start is not None:
        scene.start(world, parameters)
    return world


def world_under(scene: Scene, solver: str) -> World:
    """A world of the scene as `make_world` makes it, without a clock, under a solver that may not be its own.

    Raises:
        Unsupported: the solver rejects the scene.
    """
    world = make_world(scene)
    use_solver(world, scene, scene.parameters(), solver)
    return without_clock(world)


def predicted_and_measured(scene: Scene, parameters: Any, world: World, trace: Any) -> list[tuple[Prediction, float | None]]:
    """Each prediction of a scene and the number measured in a run of it, None: not reached. trace: as Trace, or with lists."""
    columns = {key: np.asarray(values) for key, values in trace.items()}
    return [(prediction, prediction.measure(world, columns) if world.steps else None)
            for prediction in (scene.predict(present(parameters, world.inputs)) if scene.predict else ())]


def present(parameters: Any, inputs: Mapping[str, float]) -> Any:
    """Parameters as they act now: with the values of the live ones, which are control inputs of a world by the same names."""
    now = {name: inputs[name] for name in vars(parameters) if name in inputs} if inputs and parameters is not None else {}
    return replace(parameters, **now) if any(getattr(parameters, name) != value for name, value in now.items()) else parameters


def without_clock(world: World) -> World:
    """Remove the wall-clock budget of the world's solver, for the same numbers on every machine; returns the world."""
    if "budget" in _ranges(world.solver.options):
        set_option(world.solver.options, "budget", 0.0)
    return world


def set_options(world: World, scene: Scene, parameters: Any) -> None:
    """Apply the scene's options to the world's solver; a solver other than the scene's gets those common to both."""
    for name, value in _common_options(scene, parameters, world.solver.options).items():
        set_option(world.solver.options, name, value)


def use_solver(world: World, scene: Scene, parameters: Any, solver: str, options: Mapping[str, Any] | None = None) -> None:
    """Switch to a solver together with the scene's options, if both have them, and over them the given ones.

    Raises:
        BadInput: as `World.use_solver`.
    """
    kind = solvers.available().get(solver)
    common = _common_options(scene, parameters, kind().options) if kind is not None else {}
    world.use_solver(solver, **common | dict(options or {}))


def _common_options(scene: Scene, parameters: Any, options: Any) -> dict[str, Any]:
    """The options that the scene gives its own solver, without those that others, of another solver, do not have alike."""
    own, others = _ranges(solvers.available()[scene.solver]().options), _ranges(options)
    return {name: value for name, value in _own_options(scene, parameters).items()
            if name not in own or others.get(name) == own[name]}


def _own_options(scene: Scene, parameters: Any) -> dict[str, Any]:
    """The options that the scene gives its own solver, by their present names."""
    kind = type(solvers.available()[scene.solver]().options)
    return {former_names.field_today(kind, given, True): value for given, value in scene.options_of(parameters).items()}


def _ranges(options: Any) -> dict[str, tuple]:
    """Ranges of options, by name."""
    return {f.name: tuple(f.metadata[key] for key in ("unit", "lo", "hi", "choices")) for f in fields(options)}


def find_quantity(world: World, key: str, scene: Scene | None = None) -> quantities.Quantity:
    """A quantity of a world (physics/observe/quantities.py), or a control input, such as a live parameter: "input:angle". scene:
    it knows the units of its inputs, and which of them are approached slowly (`Scene.actual`); without it those are as set.

    Raises:
        BadInput: there is none; the message lists similar keys.
    """
    name = key.removeprefix(INPUT)
    if name == key or name not in world.inputs:
        return quantities.find(world, key)
    actual = scene.actual.get(name) if scene is not None else None
    return quantities.Quantity(key, name.replace("_", " "), _inputs(scene).get(name, ""),
                               actual or (lambda world: world.inputs.get(name, math.nan)))


def _inputs(scene: Scene | None) -> dict[str, str]:
    """Units of the control inputs that a person sets, by name: live parameters and controls. Others are the scene's memory."""
    if scene is None:
        return {}
    return {**{option.name: option.metadata["unit"] for option in fields(scene.parameters) if option.name in scene.live},
            **{control.name: control.unit for control in scene.controls}}


class QuantityKeys(quantities.Keys):
    """The keys of all quantities, those of control inputs first."""

    def __init__(self, world: World, scene: Scene | None) -> None:
        super().__init__(world)
        self._plain = [*(f"{INPUT}{name}" for name in _inputs(scene) if name in world.inputs), *self._plain]


def run(scene: Scene, parameters: Any = None, *, seconds: float | None = None, dt: float | None = None,
        keys: Sequence[str] | None = None, world: World | None = None) -> tuple[World, Trace]:
    """Run a scene without a window, and without a wall-clock budget: the same numbers on every machine.

    Args:
        seconds: how long; the scene's check_time if not given. dt: step [s]; the scene's own if not given.
        keys: quantities to record at the start and after each step; the scene's plots if not given.
        world: a world from `make_world` to continue; a new one if not given.
    """
    if world is None:
        world = without_clock(make_world(scene, parameters))
    dt = scene.dt if dt is None else dt
    read = {key: find_quantity(world, key, scene).read for key in (scene.plots if keys is None else keys)}
    count = round((scene.check_time if seconds is None else seconds) / dt)
    trace = {key: np.empty(count + 1) for key in ("time", *read)}
    for n in range(count + 1):
        if n > 0:
            step(world, dt)
        trace["time"][n] = world.time
        for key, number in read.items():
            trace[key][n] = number(world)
    return world, trace
