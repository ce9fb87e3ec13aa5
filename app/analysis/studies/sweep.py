"""Sweep: one scene over all combinations of varied settings, one row of numbers for each. GL-free.

A setting is a parameter of the scene, an option of its solver, `solver`, `dt`, `friction`, `restitution`, or a number of a body
or joint such as `mass:BODY` (app/world_settings.py); of equal names the scene's own counts. A measure is a prediction of the
scene as measured, by its name in lower case with underscores, or a quantity (`scenes.find_quantity`) with ":max",
":min", ":mean" or ":end" over the steps of a run.

A row depends on its point alone: no clock, no order of the points, the same bits in every process of equal machines. What it has
of the files that describe its scene is in its settings, so that a table is continued with the same files only.
"""

import hashlib
import itertools
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import scenes
from app import world_settings
from app.build_scene import Choices, build, build_chosen, own_file, value_of
from app.engine import file_kinds
from app.engine.undo.difference import file_of
from app.files import safe_read
from app.files.printable import printable
from app.i18n.message import message
from app.robots import meshes
from physics import BadInput, World, fields, set_option, solvers
from physics.core.check import name_hint, number

MAX_POINTS = 1_000_000
"""Largest number of points of a sweep."""

STATISTICS = {"max": np.max, "min": np.min, "mean": np.mean, "end": lambda curve: curve[-1]}
"""What becomes of the finite values of a quantity, by suffix."""

PARAMETER, OPTION, CHOICE, STEP, WORLD = "parameter", "option", "choice", "step", "world"
"""What a varied setting belongs to: the scene, the solver, `Choices`, the time step, a body or joint of the world."""

FILES = "files"
"""What `settings` calls the hash of the scene's files."""

CIRCLE = "circle"
"""Of `facets`: the cone is not a polygon."""


@dataclass(frozen=True)
class SweepAxis:
    """A varied setting. belongs: see above; values: in the order of the rows."""

    name: str
    belongs: str
    unit: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Measure:
    """A measured number. word: as requested; key, statistic: of a quantity, "" of a prediction."""

    word: str
    unit: str
    key: str = ""
    statistic: str = ""


@dataclass(frozen=True)
class Base:
    """What is not varied. scene: its name; parameters: changed ones; seconds: of each run [s]; dt: step size [s]; contents: of
    the files that describe the scene, a hash; "" without any."""

    scene: str
    parameters: tuple[tuple[str, Any], ...]
    choices: Choices
    seconds: float
    dt: float
    contents: str = ""


@dataclass(frozen=True)
class Sweep:
    """A whole sweep; another process can be given it."""

    base: Base
    axes: tuple[SweepAxis, ...]
    measures: tuple[Measure, ...]

    def points(self) -> Iterator[tuple[Any, ...]]:
        """Values of each point, the last axis fastest."""
        return itertools.product(*(axis.values for axis in self.axes))

    def __len__(self) -> int:
        return math.prod(len(axis.values) for axis in self.axes)

    def header(self) -> list[str]:
        """Titles of the columns with their units."""
        settings = [titled(axis.name, axis.unit) for axis in self.axes]
        return [*settings, *(titled(measure.word, measure.unit) for measure in self.measures),
                *(title for title in self._facts() if title not in settings)]

    def _facts(self) -> list[str]:
        seed = ["seed"] if hasattr(scenes.find(self.base.scene).parameters, "seed") else []
        return ["scene", "solver", "dt [s]", "steps", "residual [m/s]", "audit", *seed, "settings", "error"]

    def row(self, point: Sequence[Any], found: dict[str, Any]) -> list[str]:
        """Cells of a point; found: numbers and words by title, "" where there is none."""
        known = {"scene": self.base.scene, "settings": self.settings(), **found}
        return [*map(cell, point), *(cell(known.get(title)) for title in self.header()[len(self.axes):])]

    def settings(self) -> str:
        """Everything that is not varied, in one cell."""
        varied, base = {axis.name for axis in self.axes}, self.base
        parameters, choices, dt = configured(self, scenes.find(base.scene), ())
        chosen = {name: getattr(choices, name) for name in ("iterations", "facets", "friction", "restitution")}
        named = [("seconds", base.seconds), *([] if "dt" in varied else [("dt", dt)]),
                 *((f.name, getattr(parameters, f.name)) for f in fields(parameters) if f.name not in varied),
                 *((f"--{name}", value) for name, value in chosen.items() if value is not None),
                 *((f"--option {name}", value) for name, value in choices.options),
                 *([(FILES, base.contents)] if base.contents else [])]
        return "; ".join(f"{name}={cell(value)}" for name, value in named)


def titled(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def cell(value: Any) -> str:
    """A value as text: exact digits; "" for none and for no number."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, int | float) else printable(str(value))


# ---- reading the request


def plan(base: Base, varied: Sequence[str], measured: Sequence[str]) -> Sweep:
    """The sweep over `varied`, texts NAME=LO:HI:COUNT[:log] or NAME=A,B,..; measured: names; all predictions if there are none.

    Raises:
        BadInput: a name, a range or a measure is unknown or not allowed.
    """
    with safe_read.noted() as read:
        sweep = _planned(base, varied, measured)
    return replace(sweep, base=replace(base, contents=_contents(base.scene, read)))


def _contents(name: str, read: dict[str, str]) -> str:
    """A hash of the files that describe a scene, "" if there are none: its own, those it includes, and robots and meshes that
    its program read; read: SHA-256 of files by path."""
    scene = scenes.find(name)
    files = {path: digest for path, digest in read.items() if file_kinds.kind_of(path) in file_kinds.SCENES}
    files |= file_kinds.contents.get(name, {})
    for one in (scene, *((scenes.find(scene.origin),) if scene.origin else ())):
        if (path := own_file(one)) and path not in files:
            with safe_read.noted() as own:
                safe_read.read(path, meshes.MAX_BYTES)
            files |= own
    text = "\n".join(sorted(f"{os.path.basename(path)} {digest}" for path, digest in files.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16] if files else ""


def _planned(base: Base, varied: Sequence[str], measured: Sequence[str]) -> Sweep:
    """The sweep without the hash of its files."""
    scene, pairs, spaced = scenes.find(base.scene), [], {}
    for text in varied:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise BadInput(message("--vary {text} must have the form NAME=LO:HI:COUNT, NAME=LO:HI:COUNT:log or NAME=A,B,..",
                                   text=text))
        if name in dict(pairs):
            raise BadInput(message("--vary {name} is given twice", name=name))
        pairs.append((name, parsed(name, values)))
        spaced[name] = ":" in values
    names = dict(pairs).get("solver", (base.choices.solver or scene.solver,))
    for name in names:
        if name not in solvers.available():
            raise BadInput(message("unknown solver '{name}'{hint}", name=name, hint=name_hint(name, solvers.available())))
    axes = tuple(axis(name, values, scene, names, spaced[name]) for name, values in pairs)
    if (count := math.prod(len(one.values) for one in axes)) > MAX_POINTS:
        raise BadInput(message("the sweep has {count} points, more than {max_points}: shorten its ranges", count=count,
                               max_points=MAX_POINTS))
    sweep = Sweep(base, axes, ())
    parameters, choices, _ = configured(sweep, scene, ())
    world = build_chosen(scene, parameters, replace(choices, solver=names[0] if len(names) == 1 else ""))
    found = [measure(word, scene, parameters, world) for word in dict.fromkeys(measured or slugs(scene, parameters))]
    if not found:
        raise BadInput(message("'{scene}' predicts nothing: name quantities, for example --measure world.energy:max",
                               scene=scene.title))
    return replace(sweep, measures=tuple(found))


def parsed(name: str, text: str) -> tuple[Any, ...]:
    """The values of a range LO:HI:COUNT[:log] or of a list A,B,..

    Raises:
        BadInput: it is empty, or its numbers are not finite.
    """
    parts = [part.strip() for part in text.split(":")]
    if len(parts) > 1:
        return _spaced(name, text, parts)
    values = tuple(value_of(part.strip()) for part in text.split(",") if part.strip())
    if not values:
        raise BadInput(message("--vary {name} is empty: give NAME=LO:HI:COUNT or NAME=A,B,..", name=name))
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        raise BadInput(message("--vary {name}={text} has a number that is not finite", name=name, text=text))
    return values


def _spaced(name: str, text: str, parts: Sequence[str]) -> tuple[float, ...]:
    """Equal distances, or equal ratios, with both ends."""
    what = f"--vary {name}={text}"
    ends = [value_of(part) for part in parts[:2]]
    if len(parts) not in (3, 4) or parts[3:] not in ([], ["log"]) or not (parts[2].isascii() and parts[2].isdigit()):
        raise BadInput(message("{what} must have the form LO:HI:COUNT or LO:HI:COUNT:log", what=what))
    count = int(parts[2][:9])
    if not 1 <= count <= MAX_POINTS:
        raise BadInput(message("{what}: COUNT must be 1 .. {max_points}; the range is empty with 0", what=what,
                               max_points=MAX_POINTS))
    lo, hi = (number(f"{what}: {end}", value) for end, value in zip(("LO", "HI"), ends))
    if count == 1 and lo != hi:
        raise BadInput(message("{what}: one value has no two ends: give COUNT = 2 or more, or LO = HI", what=what))
    if parts[3:]:
        if min(lo, hi) <= 0.0:
            raise BadInput(message("{what}: with log both ends must be greater than zero", what=what))
        spaced = np.geomspace(lo, hi, count)
    else:
        spaced = np.linspace(lo, hi, count)
    return tuple(dict.fromkeys(spaced.tolist()))


def axis(name: str, values: tuple[Any, ...], scene: scenes.Scene, solver_names: Sequence[str], spaced: bool = True) -> SweepAxis:
    """What a name varies, with its values checked. spaced: of a range, and so rounded where the setting counts something.

    Raises:
        BadInput: it varies nothing here, or a value is not allowed.
    """
    own = {f.name: f for f in fields(scene.parameters)}
    options = [solvers.available()[one]().options for one in solver_names]
    theirs = {f.name: f for one in reversed(options) for f in fields(one)}
    if name in own:
        values = _as_type(name, own[name].default, values, spaced)
        for value in values:
            set_option(scene.parameters(), name, value)
        return SweepAxis(name, PARAMETER, own[name].metadata["unit"], values)
    if name == "dt":
        return SweepAxis(name, STEP, "s", tuple(number("dt", value, lo=0.0, hi=1.0, unit="s", open_lo=True) for value in values))
    if name in ("friction", "restitution"):
        for value in values:
            getattr(World(), f"set_{name}")(value)
        return SweepAxis(name, CHOICE, "", values)
    if name == "solver":
        return SweepAxis(name, CHOICE, "", values)
    if name not in theirs and (":" in name or name == "gravity"):
        world = build(scene)
        setting = world_settings.find(world, name)
        for value in values:
            setting.write(world, number(name, value))
        return SweepAxis(name, WORLD, setting.unit, values)
    if name not in theirs:
        raise BadInput(message("--vary {name}: neither the scene nor its solver has it", name=name)
                       + name_hint(name, [*own, *theirs, "solver", "dt", "friction", "restitution"]))
    values = _as_type(name, theirs[name].default, values, spaced)
    for value in values:
        if (name, value) != ("facets", CIRCLE):
            _check_option(options, name, value)
    return SweepAxis(name, OPTION, theirs[name].metadata["unit"], values)


def _as_type(name: str, default: Any, values: tuple[Any, ...], spaced: bool) -> tuple[Any, ...]:
    """Numbers of a range as whole ones where the setting counts something; each value once.

    Raises:
        BadInput: a number that was written out is not whole there.
    """
    whole = isinstance(default, int) and not isinstance(default, bool)
    for value in values:
        if whole and not spaced and isinstance(value, float) and not value.is_integer():
            raise BadInput(message("--vary {name}={value:g}: '{name}' takes whole numbers only", name=name, value=value))
    return tuple(dict.fromkeys(round(value) if whole and isinstance(value, float) else value for value in values))


def _check_option(options: Sequence[Any], name: str, value: Any) -> None:
    """Raise BadInput if no solver accepts the value."""
    refused = None
    for one in options:
        try:
            return set_option(one, name, value)
        except BadInput as error:
            refused = error
    raise refused


def slugs(scene: scenes.Scene, parameters: Any) -> dict[str, scenes.Prediction]:
    """The scene's predictions by name: lower case, with underscores; with text in brackets only where needed."""
    predictions = list(scene.predict(parameters)) if scene.predict else []
    short = [_slug(re.sub(r"\([^)]*\)", "", one.name)) for one in predictions]
    return {name if short.count(name) == 1 else _slug(one.name): one for name, one in zip(short, predictions)}


def _slug(text: str) -> str:
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


def measure(word: str, scene: scenes.Scene, parameters: Any, world: World) -> Measure:
    """The measure of that name.

    Raises:
        BadInput: the scene has none.
    """
    predicted = slugs(scene, parameters)
    if word in predicted:
        return Measure(word, predicted[word].unit)
    if not re.search("[.:]", word):
        usual = message("of the scene: {predicted}",
                        predicted=", ".join(predicted)) if predicted else "the scene predicts nothing"
        raise BadInput(message("--measure {word}: the scene has no such measure ({usual}; or a quantity such as "
                               "world.energy:max)", word=word, usual=usual))
    key, _, statistic = word.rpartition(":")
    if statistic not in STATISTICS:
        key, statistic = word, "end"
    return Measure(word, scenes.find_quantity(world, key, scene).unit, key, statistic)


def notes(sweep: Sweep) -> list[str]:
    """Sentences for the user about settings that do not act everywhere."""
    parameters, choices, _ = configured(sweep, scenes.find(sweep.base.scene), ())
    varied = {one.name for one in sweep.axes if one.belongs == CHOICE}
    names = [name for name in world_settings.SURFACE if name in varied or getattr(choices, name) is not None]
    return world_settings.kept_pairs(build(scenes.find(sweep.base.scene), parameters), names) if names else []


# ---- one run


def configured(sweep: Sweep, scene: scenes.Scene, point: Sequence[Any]) -> tuple[Any, Choices, float]:
    """(parameters, choices, step size [s]) of a point; of the empty point: without what is varied."""
    parameters, choices, dt = scene.parameters(), sweep.base.choices, sweep.base.dt
    for name, value in sweep.base.parameters:
        set_option(parameters, name, value)
    for one, value in zip(sweep.axes, point):
        if one.belongs == PARAMETER:
            set_option(parameters, one.name, value)
        elif one.belongs == STEP:
            dt = value
        elif one.belongs == WORLD:
            choices = replace(choices, settings=(*choices.settings, (one.name, value)))
        elif one.belongs == CHOICE or (one.name == "facets" and value != CIRCLE):
            choices = replace(choices, **{one.name: value})
        else:
            option = ("cone", CIRCLE) if one.name == "facets" else (one.name, value)
            choices = replace(choices, options=(*choices.options, option))
    return parameters, choices, dt


def row_of(sweep: Sweep, point: Sequence[Any]) -> list[str]:
    """Run a point; what fails is in the last cell of its row."""
    try:
        return sweep.row(point, _run(sweep, point))
    except Exception as error:  # noqa: BLE001  (whatever a scene raises is the result of this point)
        sentence = str(error) if isinstance(error, BadInput | ArithmeticError) else f"{type(error).__name__}: {error}"
        return failed_row(sweep, point, sentence)


def failed_row(sweep: Sweep, point: Sequence[Any], sentence: str) -> list[str]:
    """The row of a point without a result."""
    return sweep.row(point, {"error": sentence or "it failed"})


def _run(sweep: Sweep, point: Sequence[Any]) -> dict[str, Any]:
    """Numbers and words of a point by title."""
    scene = scenes.find(sweep.base.scene)
    parameters, choices, dt = configured(sweep, scene, point)
    world = build_chosen(scene, parameters, choices)
    keys = dict.fromkeys((*scene.plots, "solver.residual", *(one.key for one in sweep.measures if one.key)))
    world, trace = scenes.run(scene, parameters, seconds=sweep.base.seconds, dt=dt, keys=tuple(keys), world=world)
    predicted, found = slugs(scene, parameters), {}
    for one in sweep.measures:
        found[titled(one.word, one.unit)] = measured(one, predicted, world, trace)
    return {**found, "solver": file_of(world.solver), "dt [s]": dt, "steps": world.steps,
            "residual [m/s]": _statistic(trace["solver.residual"], "max"), "audit": audit_of(world),
            "seed": getattr(parameters, "seed", None)}


def measured(one: Measure, predicted: dict[str, scenes.Prediction], world: World, trace: scenes.Trace) -> float | None:
    """The number of a measure in a run, None if the run does not show it. predicted: by `slugs`."""
    value = _statistic(trace[one.key], one.statistic) if one.key else predicted[one.word].measure(world, trace)
    return None if value is None else float(value)


def _statistic(curve: np.ndarray, name: str) -> float | None:
    finite = curve[np.isfinite(curve)]
    return float(STATISTICS[name](finite)) if len(finite) else None


def audit_of(world: World) -> str:
    """ "ok", "off", or the violated rules with their numbers of steps."""
    if not world.audit.options.enabled:
        return "off"
    failures = sorted(world.energy_totals.failures_by_rule.items())
    return "; ".join(f"{rule} in {steps}" for rule, steps in failures) or "ok"


# ---- continuing a file


def check_continues(sweep: Sweep, rows: Sequence[Sequence[str]], path: str) -> None:
    """Check that a file holds rows of this sweep. rows: its header and rows.

    Raises:
        BadInput: it holds something else.
    """
    header = sweep.header()
    if rows and list(rows[0]) != header:
        raise BadInput(message("{path} holds another table: name another file, or replace it with --overwrite", path=path))
    fixed = [(header.index("scene"), sweep.base.scene), (header.index("settings"), sweep.settings())]
    for count, row in enumerate(rows[1:], 2):
        if len(row) == len(header) and _of_other_files(sweep, row[header.index("settings")]):
            raise BadInput(message("{path}, line {count}: is from before a file of the scene '{scene}' changed (its own or one "
                                   "that it includes): name another file, or replace the table with --overwrite", path=path,
                                   count=count, scene=sweep.base.scene))
        if len(row) != len(header) or any(row[k] != text for k, text in fixed):
            raise BadInput(message("{path}, line {count}: is not of this sweep, whose other settings are '{settings}': name "
                                   "another file, or replace it with --overwrite", path=path, count=count,
                                   settings=sweep.settings()))


def _of_other_files(sweep: Sweep, settings: str) -> bool:
    """Whether the settings of a row are those of the sweep but for the hash of the scene's files."""
    own, theirs = (text.rpartition(f"; {FILES}=") for text in (sweep.settings(), settings))
    return bool(sweep.base.contents) and own[0] == theirs[0] and own[2] != theirs[2]


def remaining(sweep: Sweep, rows: Sequence[Sequence[str]]) -> list[tuple[Any, ...]]:
    """Points that are not among the rows of a file."""
    done = {tuple(row[:len(sweep.axes)]) for row in rows[1:]}
    return [point for point in sweep.points() if tuple(map(cell, point)) not in done]


def ordered(sweep: Sweep, rows: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """The header and the rows in the order of the points; behind them those of other points, as they were."""
    place = {tuple(map(cell, point)): count for count, point in enumerate(sweep.points())}
    return [rows[0], *sorted(rows[1:], key=lambda row: place.get(tuple(row[:len(sweep.axes)]), len(place)))]
