"""Plans a fit: which columns of a measured run are which quantities of a scene, by which method, of which parameters. GL-free.

A column belongs to a quantity (physics/observe/quantities.py) if it has its key or its label as `stiction run --csv` writes it;
other columns by their unit alone: m, rad: the position; m/s, rad/s: its velocity; N, N m: the applied force, or friction or
load if its name is that of a load. The measured coordinate is that of such a column, or the first one that the scene plots.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import scenes
from app.analysis.friction_fit import law_regression
from app.analysis.friction_fit.coordinates import Coordinate, coordinate, of_rate
from app.analysis.friction_fit.fit_parameters import JOINT, LAW_TERMS, FitParameter, MeasuredMotion, find, scene_parameters
from app.analysis.friction_fit.law_regression import MotorLog
from app.analysis.friction_fit.measurements import DataColumn, Measurements, read
from app.analysis.friction_fit.simulated_run import MAX_STEPS, FittedExperiment
from app.analysis.studies.phase_map import WITHOUT_CLOCK
from app.build_scene import Choices, build_chosen
from app.engine.frame import Frame
from app.engine.undo.difference import file_of
from app.i18n.message import message
from physics import BadInput, World, fields
from physics.observe import quantities
from physics.observe.joint_quantities import fields_of

AUTO, TRAJECTORY, REGRESSION = "auto", "trajectory", "regression"
FIT_METHODS = (AUTO, TRAJECTORY, REGRESSION)
"""Of a fit: the scene's motion against the measured one, or the law of a joint against its motor log; auto: the latter where it
can."""

HALF_MEANS = (16, 8, 4, 2)
"""Samples on each side of running means that may take the noise from a measured force."""

FRICTION_WORDS, LOAD_WORDS = ("friction",), ("load", "reaction", "normal")


@dataclass(frozen=True)
class Asked:
    """A requested fit. scene: its name; parameters: changed ones; wanted, nuisances: names of parameters to find, the latter on
    the way; observe: keys of the compared quantities, (): by the columns; rest: speed below which a joint sticks, None: by the
    noise."""

    scene: str
    wanted: tuple[str, ...]
    nuisances: tuple[str, ...] = ()
    parameters: tuple[tuple[str, Any], ...] = ()
    choices: Choices = field(default_factory=Choices)
    dt: float | None = None
    observe: tuple[str, ...] = ()
    method: str = AUTO
    rest: float | None = None


@dataclass(frozen=True, eq=False)
class FitPlan:
    """A fit to be made. data: values (n,) of each of the experiment's keys; log: of a regression, else None; asked_for: how many
    of the experiment's parameters are no nuisances; notes: remarks for the user before the run."""

    experiment: FittedExperiment
    data: tuple[np.ndarray, ...]
    units: tuple[str, ...]
    log: MotorLog | None
    rest: float | None
    asked_for: int
    notes: tuple[str, ...] = ()


def plan(asked: Asked, measured: Measurements) -> FitPlan:
    """The plan of a requested fit.

    Raises:
        BadInput: the scene has no such parameter or quantity, a column or its unit is missing, or there are too few samples.
    """
    scene = scenes.find(asked.scene)
    names = tuple(dict.fromkeys((*asked.wanted, *asked.nuisances)))
    if not asked.wanted:
        raise BadInput("--parameters names none: for example --parameters mu")
    world = build_chosen(scene, scene_parameters(scene, asked.parameters, (), np.empty(0)), asked.choices)
    columns = matched(world, measured)
    at = coordinate(world, _measured_key(asked, scene, world, columns))
    compared = _compared(asked, world, at, columns)
    motion = MeasuredMotion(_extent(compared, measured), float(measured.times[-1]))
    wanted = tuple(find(name, scene, scene_parameters(scene, asked.parameters, (), np.empty(0)), world, at, motion)
                   for name in names)
    if len(measured.times) < 2 * len(wanted) + 3:
        raise BadInput(message("{path} has {samples} samples, too few for {parameters} parameters: at least {least} are needed",
                               path=measured.path, samples=len(measured.times), parameters=len(wanted),
                               least=2 * len(wanted) + 3))
    force = _force(at, columns)
    method = _method(asked, at, wanted, columns)
    made = FittedExperiment(asked.scene, asked.parameters, asked.choices, scene.dt if asked.dt is None else asked.dt, at.key,
                            measured.times, tuple(key for key, _ in compared), None, wanted)
    log = _log(made, at, measured, columns) if method == REGRESSION else None
    if log is None and made.steps > MAX_STEPS:
        raise BadInput(message("{times:g} s of data take {steps} steps of {dt:g} s, more than {max_steps}: fit a part of them "
                               "with --seconds", times=measured.times[-1], steps=made.steps, dt=made.dt, max_steps=MAX_STEPS))
    if log is None and force is not None:
        made = replace(made, force=smoothed(force.values)[0])
    return FitPlan(made, tuple(one.values for _, one in compared), tuple(one.unit for _, one in compared), log, asked.rest,
                   len(dict.fromkeys(asked.wanted)), tuple(_notes(asked, method, columns, compared, force)))


# ---- in the window


@dataclass
class OpenedData:
    """The measured run that a window has open. revision: grows with each file."""

    measured: Measurements | None = None
    revision: int = 0

    def open(self, path: str) -> None:
        """Read a file.

        Raises:
            BadInput: as `measurements.read`; the former one stays open.
        """
        self.measured, self.revision = read(path), self.revision + 1


def asked_of(scene: str, frame: Frame, wanted: Sequence[str], nuisances: Sequence[str], method: str) -> Asked:
    """The request with the parameters, solver, options and step that a frame shows of a scene, by its name."""
    parameters, solver = frame.setting.parameters, frame.solver_state
    options = tuple((f.name, getattr(solver.options, f.name)) for f in fields(solver.options) if f.name not in WITHOUT_CLOCK)
    given = tuple((f.name, getattr(parameters, f.name)) for f in fields(parameters))
    return Asked(scene, tuple(wanted), tuple(nuisances), given, Choices(file_of(solver), options=options), frame.dt,
                 method=method)


def offered(frame: Frame) -> tuple[str, ...]:
    """Names of parameters that a fit of the scene shown may find: its own numbers, friction of contacts, the law of its
    joints."""
    own = [f.name for f in fields(frame.setting.parameters) if type(f.default) is float]
    world = frame.as_world
    rubs = [j for j in np.flatnonzero(frame.joints["kind"] >= 0).tolist() if world.joint_kind(j).friction]
    shapes = (frame.shapes["body"] >= 0).any()
    return tuple(dict.fromkeys((*own, *(("mu", "mu_s") if shapes else ()), *(LAW_TERMS if len(rubs) == 1 else ()))))


# ---- columns


Matched = Sequence[tuple[DataColumn, str]]
"""Columns with the key of their quantity, "" where the name names none."""


def matched(world: World, measured: Measurements) -> list[tuple[DataColumn, str]]:
    """All columns with the keys of their quantities.

    Raises:
        BadInput: the unit of a column that a quantity of the scene has is unknown or is another one.
    """
    found = []
    for column in measured.columns:
        key, unit = next(_quantities_named(world, column.name), ("", ""))
        if key and column.unit != unit and unit in ("m", "rad", "m/s", "rad/s", "N", "N m"):
            raise BadInput(message("{path}: the unit of '{column}' is {given}, it must be one of {unit} or its multiples",
                                   path=measured.path, column=column.name,
                                   given=f"{column.given!r}" if column.given else "missing", unit=unit))
        found.append((column, key))
    if not any(column.unit for column, _ in found):
        raise BadInput(message("{path}: no column has a known unit: write titles such as 'angle [deg]', 'position [mm]', "
                               "'torque [N m]'", path=measured.path))
    return found


def _quantities_named(world: World, title: str) -> Iterator[tuple[str, str]]:
    """(key, unit) of quantities of bodies and joints with that key or label."""
    title = title.casefold()
    if ":" in title:
        with suppress(BadInput):
            yield (found := quantities.find(world, title)).key, found.unit
    for table, names in (("joint", world.joint_names), ("body", world.body_names)):
        for k, name in enumerate(names):
            if name and title.startswith(f"{name} ".casefold()):
                known = quantities.BODY_FIELDS if table == "body" else fields_of(world.joint_kind(k))
                rest = title[len(name) + 1:]
                yield from ((f"{table}:{name}.{field}", one.unit) for field, one in known.items()
                            if rest in (field.casefold(), one.label.casefold()))


def _measured_key(asked: Asked, scene: scenes.Scene, world: World, columns: Matched) -> str:
    """Key of the measured coordinate."""
    if asked.observe:
        return of_rate(asked.observe[0]) or _coordinate_of(asked.observe[0])
    own = [key for _, key in columns if key]
    for key in (*(key for key in own if _is_coordinate(world, key)), *filter(None, map(of_rate, own)), *map(_coordinate_of, own)):
        if _is_coordinate(world, key):
            return key
    units = {column.unit.removesuffix("/s") for column, _ in columns}
    units |= {{"N": "m", "N m": "rad"}.get(unit, "") for unit in units}
    for key in scene.plots:
        for tried in (key, of_rate(key), _coordinate_of(key)):
            if tried and _is_coordinate(world, tried) and quantities.find(world, tried).unit in units:
                return tried
    raise BadInput("which quantity of the scene was measured? name it, for example --observe body:NAME.x or --observe "
                   "joint:NAME.angle")


def _coordinate_of(key: str) -> str:
    """The main coordinate of the body or joint of another field."""
    owner, _, field = key.rpartition(".")
    if key.startswith("joint:"):
        return f"{owner}.angle"
    return key if field in ("x", "y", "z", "roll", "pitch", "yaw") else f"{owner}.x"


def _is_coordinate(world: World, key: str) -> bool:
    try:
        coordinate(world, key)
    except BadInput:
        return False
    return True


def _compared(asked: Asked, world: World, at: Coordinate, columns: Matched) -> list[tuple[str, DataColumn]]:
    """Keys and columns of what is compared: positions, or velocities where there are none."""
    if asked.observe:
        return [(key, _column_of(quantities.find(world, key), columns)) for key in asked.observe]
    found = [(key, column) for column, key in columns if key and column.unit in ("m", "rad") and _is_coordinate(world, key)]
    found = found or [(at.key, column) for column, key in columns if not key and column.unit == at.unit][:1]
    found = found or [(key, column) for column, key in columns if key and column.unit in ("m/s", "rad/s")]
    found = found or [(at.rate_key, column) for column, key in columns if not key and column.unit == f"{at.unit}/s"][:1]
    if not found:
        raise BadInput(message("no column fits '{key}': its unit must be {unit} or {unit}/s, or multiples of them", key=at.key,
                               unit=at.unit))
    return found


def _column_of(quantity: quantities.Quantity, columns: Matched) -> DataColumn:
    for wanted in (quantity.key, ""):
        for column, key in columns:
            if key == wanted and column.unit == quantity.unit:
                return column
    raise BadInput(message("no column fits '{key}': its unit must be {unit} or a multiple of it", key=quantity.key,
                           unit=quantity.unit or "a known one"))


def _named(column: DataColumn, words: Sequence[str]) -> bool:
    return any(word in column.name.casefold() for word in words)


def _force(at: Coordinate, columns: Matched) -> DataColumn | None:
    """The force or torque applied along the coordinate."""
    return next((column for column, key in columns if column.unit == at.force_unit and (not key or key.endswith("motor"))
                 and not _named(column, (*FRICTION_WORDS, *LOAD_WORDS))), None)


def smoothed(force: np.ndarray) -> tuple[np.ndarray, int]:
    """(force, number of samples of its running mean): the longest one whose difference from the force looks like noise. A noisy
    force breaks loose too early."""
    noise = law_regression.noise_of([force])
    for half in HALF_MEANS:
        if noise <= 0.0 or len(force) < 4 * half:
            continue
        # the ends continue as a point reflection: a straight line stays one
        wide = np.concatenate([2.0 * force[0] - force[half:0:-1], force, 2.0 * force[-1] - force[-2 : -half - 2 : -1]])
        mean = np.convolve(wide, np.full(2 * half + 1, 1.0 / (2 * half + 1)), "valid")
        left = force - mean
        if float(np.sqrt(np.mean(left**2))) < 1.2 * noise and float(np.abs(left).max()) < 5.0 * noise:
            return mean, 2 * half + 1
    return force, 1


def _friction(at: Coordinate, columns: Matched) -> DataColumn | None:
    """Friction itself, as force on the moving body."""
    return next((column for column, key in columns if column.unit == at.force_unit and _named(column, FRICTION_WORDS)
                 and not _named(column, ("bound",))), None)


def _rate(at: Coordinate, columns: Matched) -> DataColumn | None:
    own = next((column for column, key in columns if key == at.rate_key), None)
    return own or next((column for column, key in columns if not key and column.unit == f"{at.unit}/s"), None)


# ---- method


def _method(asked: Asked, at: Coordinate, wanted: Sequence[FitParameter], columns: Matched) -> str:
    rate, force, friction = _rate(at, columns), _force(at, columns), _friction(at, columns)
    has_load = any(_named(column, LOAD_WORDS) for column, _ in columns)
    can = at.joint >= 0 and rate is not None and (force is not None or friction is not None)
    if asked.method == REGRESSION:
        if not can:
            raise BadInput("--method regression needs a joint, a column with its velocity, and one with its force or torque")
        law_regression.check(wanted, at.joint, has_load)
    if asked.method != AUTO:
        return asked.method
    of_law = all(one.name == "offset" or (one.belongs == JOINT and one.joint == at.joint and (one.term != "load" or has_load))
                 for one in wanted)
    return REGRESSION if can and of_law else TRAJECTORY


def _log(made: FittedExperiment, at: Coordinate, measured: Measurements, columns: Matched) -> MotorLog:
    """The motor log, less what accelerates and carries the joint's body."""
    velocity, friction, force = _rate(at, columns).values, _friction(at, columns), _force(at, columns)
    load = next((column.values for column, _ in columns if column.unit == "N" and _named(column, LOAD_WORDS)),
                np.zeros(len(velocity)))
    if friction is not None:
        first = int(friction.values[0] == 0.0 and velocity[0] != 0.0)       # a run of our own has no forces before its first step
        return MotorLog(measured.times[first:], velocity[first:], -friction.values[first:], load[first:], 0.0)
    position = next((column.values for column, key in columns if key == at.key or (not key and column.unit == at.unit)), None)
    inertia, weight = law_regression.weight_on(made, position)
    return MotorLog(measured.times, velocity, force.values - weight, load, inertia)


def _extent(compared: Sequence[tuple[str, DataColumn]], measured: Measurements) -> float:
    """Size of the motion of the coordinate [m], [rad]."""
    first = compared[0][1]
    extent = float(np.ptp(first.values)) * (measured.times[-1] if first.unit.endswith("/s") else 1.0)
    return extent or 1e-3


def _notes(asked: Asked, method: str, columns: Matched, compared: Sequence[tuple[str, DataColumn]],
           force: DataColumn | None) -> Iterator[str]:
    used = {id(column) for _, column in compared}
    if method == TRAJECTORY and force is not None:
        used.add(id(force))
        count = smoothed(force.values)[1]
        if count > 1:
            yield (message("'{force}' is applied in addition to the scene's own forces, as a mean of {count} samples, "
                           "which removes noise alone", force=force.name, count=count))
        else:
            yield message("'{force}' is applied in addition to the scene's own forces", force=force.name)
    if method == TRAJECTORY:
        others = [column.name for column, _ in columns if id(column) not in used]
        if others:
            yield message("columns that are not compared: {others}", others=", ".join(others))
