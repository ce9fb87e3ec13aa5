"""Reading, checking and making scene files. Opening one runs no code of it and reads no other file.

A file may say from which scene it began (`scene`, `parameters`): then the drivers of that scene, which are Python functions, act
in it too, and its law, lesson and plots are shown. The bodies are those of the file.
"""

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import scenes
from app import cancellable_work
from app.build_scene import build as build_scene
from app.engine.recording import view_state
from app.engine.recording.allowed_types import OtherVersion
from app.engine.recording.view_state import ViewState
from app.engine.scene_files import build as building
from app.engine.scene_files import describe, state, text
from app.engine.scene_files.build import Mistakes
from app.engine.scene_files.link import contents
from app.engine.scene_files.text import MAX_BYTES, as_toml, line_of, lines_of
from app.files import safe_read
from app.files.printable import printable
from app.i18n.message import message
from physics import BadInput, World, fields, option, set_option
from physics.core.check import shown_value
from physics.core.options import option_values

SUFFIX = ".toml"

FORMAT = 1

MAX_BUILD_TIME = 60.0
"""Longest wall time of building the world of a file [s]."""

MAX_LISTED = 200
"""Largest number of mistakes that are listed."""

HEADING = "A scene of Stiction. Open it with `stiction view FILE`, check it with `stiction check FILE`; docs/scene_files.md."

INSTEAD = {"mass": ("density",), "inertia": ("inertia_tensor",), "inertia_tensor": ("inertia",),
           "local": ("point", "point_b", "axis", "axis_b", "across")}
"""Keys that a person may have written, which give way to those that the program writes."""


@dataclass(frozen=True)
class FileMistake:
    """line: from 1; path: "bodies.3.mass", "" for the whole file; text: the rest of the sentence."""

    line: int
    path: str
    text: str

    def __str__(self) -> str:
        """As after the name of a file: "12: bodies.3.mass = -1.0: must be more than 0"."""
        between = "" if self.text.startswith(":") or not self.path else " "
        return f"{self.line}: {self.path}{between}{self.text if self.path else self.text.removeprefix(': ')}"


@dataclass(frozen=True)
class SceneFile:
    """A file that was read. world: in its state; origin: name of the scene that it began as; parameters: of that scene.

    dt: step size [s]; view: plots, breakpoints, camera, compared solvers; show: overlays that are on, None: those of the scene;
    notes: sentences for the user about what could not be used.
    """

    title: str
    origin: str
    parameters: Any
    world: World
    dt: float
    view: ViewState | None
    show: tuple[str, ...] | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SceneContext:
    """What a file holds beside the world. title: shown to people; scene, parameters: as it was built; view: as text of
    `view_state.as_json`; show: overlays that are on."""

    title: str = ""
    scene: str = ""
    parameters: Any = None
    view: dict[str, Any] | None = None
    show: tuple[str, ...] | None = None


# ---- reading


def read(path: str | Path) -> SceneFile:
    """Read a file.

    Raises:
        BadInput: it is missing, too large, or mistaken: the first mistake, with its line and how many there are.
    """
    return understood(safe_read.read(path, MAX_BYTES), str(path))


def understood(data: bytes, name: str) -> SceneFile:
    """The contents of a file; raises as `read`."""
    found, mistakes = examined(data, name)
    if found is None:
        others = message(" ({mistakes} more mistakes: `stiction check` lists them)",
                         mistakes=len(mistakes) - 1) if len(mistakes) > 1 else ""
        first = mistakes[0]
        text = message("{name}, line {line:d}, element {path} {first}", name=name, line=first.line, path=first.path,
                       first=first.text)
        if first.text.startswith(":"):
            text = message("{name}, line {line:d}, within {path}: {first}", name=name, line=first.line, path=first.path,
                           first=first.text.removeprefix(": "))
        raise BadInput(printable(text + others))
    return found


def examined(data: bytes, name: str) -> tuple[SceneFile | None, list[FileMistake]]:
    """(the contents of a file or None, all its mistakes, by line).

    Raises:
        BadInput: it is no TOML, too large or too deep.
    """
    tables = text.parsed(data, name)
    if type(tables.get("format")) is int and tables["format"] > FORMAT:
        raise BadInput(message("{name} has format {format}, of a newer version of Stiction: update this one", name=name,
                               format=tables["format"]))
    try:
        found, wrong = cancellable_work.run(lambda: _built(tables),
                                            message("Building the world of {name}", name=name), MAX_BUILD_TIME)
    except cancellable_work.WorkAbandoned as error:
        raise BadInput(message("{name} cannot be built: {error}", name=name, error=error)) from None
    if not wrong:
        return found, []
    lines = lines_of(data.decode("utf-8"))
    shown = sorted((FileMistake(line_of(lines, path), ".".join(map(str, path)), printable(sentence))
                    for path, sentence in wrong[:MAX_LISTED]), key=lambda mistake: mistake.line)
    if len(wrong) > MAX_LISTED:
        shown.append(FileMistake(shown[-1].line, "", message("{wrong} more mistakes", wrong=len(wrong) - MAX_LISTED)))
    return None, shown


def _built(tables: dict[str, Any]) -> tuple[SceneFile | None, list[tuple[text.Path, str]]]:
    from app.engine.scene_files import schema  # late: pydantic

    wrong = schema.wrong_values(tables)
    taken = _used_names(tables)
    tables, excused = _without(tables, [path for path, _ in wrong])
    tables, _ = _without(tables, [path for path, _ in taken])
    wrong, mistakes = wrong + taken, Mistakes(excused=excused)
    world = building.build(tables, mistakes)
    building.free_slots(world)
    wrong += mistakes.found
    origin, parameters, drivers, notes = _origin(tables, wrong)
    view = _view(tables, world, origin, wrong)
    if "state" in tables and not wrong:
        try:
            kept = state.unpack(tables["state"]["data"])
        except OtherVersion as error:
            notes.append(message("its state is of another version ({error}): contact forces start from zero", error=error))
        except BadInput as error:
            wrong.append((("state", "data"), message(": {error}; delete [state] to start from the tables", error=error)))
        else:
            dt = _dt(tables)
            changed = describe.first_difference(describe.world_tables(kept, dt), describe.world_tables(world, dt))
            if changed is None:
                world = kept
            else:
                notes.append(message("{where} was edited since it was saved: contact forces start from zero",
                                     where=".".join(map(str, changed))))
    if wrong:
        return None, wrong
    world.drivers = drivers
    show = tables.get("view", {}).get("show")
    return SceneFile(tables.get("title", ""), origin, parameters, world, _dt(tables), view,
                     None if show is None else tuple(show), tuple(notes)), []


def _dt(tables: dict[str, Any]) -> float:
    return float(tables.get("world", {}).get("dt", 1.0 / 240.0))


def _without(tables: dict[str, Any], paths: Sequence[text.Path]) -> tuple[dict[str, Any], set[str]]:
    """(the tables with None for elements of arrays, and without tables, that have a mistake; the names of those elements)."""
    bad = {path[:2] if len(path) > 1 and isinstance(path[1], int) else path[:1] for path in paths}
    kept: dict[str, Any] = {}
    names = {""} if bad else set()
    for key, value in tables.items():
        if isinstance(value, list) and (key,) not in bad:
            kept[key] = [None if (key, k) in bad else item for k, item in enumerate(value)]
            names |= {str(item.get("name", "")) for k, item in enumerate(value) if (key, k) in bad and isinstance(item, dict)}
        elif (key,) not in bad:
            kept[key] = value
    return kept, names


def _used_names(tables: dict[str, Any]) -> list[tuple[text.Path, str]]:
    """Elements whose name an earlier one of their array has."""
    found = []
    for key in ("materials", "bodies", "joints"):
        first: dict[str, int] = {}
        items = tables.get(key)
        for k, item in enumerate(items if isinstance(items, list) else ()):
            name = item.get("name") if isinstance(item, dict) else None
            if isinstance(name, str) and first.setdefault(name, k) != k:
                found.append(((key, k, "name"),
                              message("= {name}: {key}.{first} has this name: choose another one", name=shown_value(name),
                                      key=key, first=first[name])))
    return found


def _origin(tables: dict[str, Any], wrong: list) -> tuple[str, Any, list, list[str]]:
    """(scene that the file began as, its parameters, drivers of the file, notes)."""
    name, names = tables.get("scene", scenes.EMPTY), list(tables.get("drivers", ()))
    try:
        scene = scenes.find(name)
    except BadInput as error:
        wrong.append((("scene",),
                      message(": {error}; without the lines scene, parameters and drivers it opens nevertheless", error=error)))
        return scenes.EMPTY, None, [], []
    parameters = scene.parameters()
    for key, value in tables.get("parameters", {}).items():
        try:
            set_option(parameters, key, value)
        except BadInput as error:
            wrong.append((("parameters", key), f": {error}"))
    if not names or wrong:
        return name, parameters, [], []
    drivers, missing = [], []
    offered = list(build_scene(scene, parameters).drivers)
    for driver in names:
        match = next((one for one in offered if driver_name(one) == driver), None)
        if match is None:
            missing.append(driver)
        else:
            offered.remove(match)
            drivers.append(match)
    notes = [message("what drives it, {missing}, is not in the scene '{scene}' and is left out", missing=", ".join(missing),
                     scene=name)] if missing else []
    return name, parameters, drivers, notes


def driver_name(driver: Any) -> str:
    """Name of a function."""
    return str(getattr(driver, "__name__", type(driver).__name__))


def _view(tables: dict[str, Any], world: World, origin: str, wrong: list) -> ViewState | None:
    given = tables.get("view")
    if given is None:
        return None
    view = {"scene": origin, "plots": given.get("plots", []), "drawn": given.get("drawn"), "flat": given.get("parallel", False),
            "breakpoints": [[one["kind"], {key: value for key, value in one.items() if key != "kind"}]
                            for one in given.get("breakpoints", ())],
            "solvers": [[one["name"], one.get("options", {})] for one in given.get("compared", ())],
            **{name: given[name] for name in ("target", "distance", "azimuth", "elevation")}}
    try:
        return view_state.parsed_json(view)
    except BadInput as error:
        wrong.append((("view",), f": {error}"))
        return None


# ---- as a scene


opened: dict[str, SceneFile] = {}
"""Contents of the files that are in `scenes.files`, by path."""


def admit(word: str) -> str:
    """Read a file that a person named; returns its path, by which `scenes.find` has its scene from now on; raises as `read`."""
    path = os.path.abspath(word)
    found = read(word)
    opened[path], scenes.files[path] = found, as_scene(found, path)
    return path


PASTED = "pasted scene"
"""Name by which `scenes.find` has the scene of a link."""


def admit_link(link: str) -> str:
    """The same for a text made by `link.link_of`; raises as `read`."""
    found = understood(contents(link), "the link")
    opened[PASTED], scenes.files[PASTED] = found, as_scene(found, "")
    return PASTED


def as_scene(found: SceneFile, path: str) -> scenes.Scene:
    """The scene that a file describes: that of its origin, which starts in the state of the file while its parameters are those
    of the file; others rebuild the origin."""
    origin = scenes.find(found.origin)
    snapshot = found.world.snapshot()
    given = dataclasses.asdict(found.parameters)

    def start(world: World, parameters: Any) -> None:
        if dataclasses.asdict(parameters) == given:
            drivers, world.drivers = world.drivers, []
            world.restore(snapshot)
            world.drivers = [driver for driver in drivers if driver_name(driver) in names]

    names = {driver_name(driver) for driver in found.world.drivers}
    view = found.view.view if found.view is not None else origin.view
    plots, drawn = (found.view.plots, found.view.drawn) if found.view is not None and found.view.plots else (
        origin.plots, origin.drawn)
    return replace(origin, title=found.title or Path(path).stem or "Pasted scene", dt=found.dt,
                   parameters=_with_defaults(origin.parameters, given), start=start, file=path, origin=found.origin, view=view,
                   plots=plots, drawn=drawn, show=origin.show if found.show is None else found.show)


def _with_defaults(kind: type, values: dict[str, Any]) -> type:
    """The class of parameters with the values of a file as defaults."""
    made = [(f.name, f.type, option(values[f.name], **{key: f.metadata[key] for key in ("unit", "lo", "hi", "choices", "log",
                                                                                       "help")})) for f in fields(kind)]
    return dataclasses.make_dataclass(kind.__name__, made, bases=(kind,)) if made else kind


# ---- writing


def text_of(world: World, dt: float, around: SceneContext, former: bytes = b"") -> tuple[str, list[str]]:
    """(the text of a file, notes about what is not in it). former: a text whose comments and order are kept, if it is valid.

    Raises:
        BadInput: readers would refuse it, as too large or for something in it.
    """
    from app.engine.scene_files import schema  # late: pydantic

    world, notes = plain(world), []
    tables = _tables(world, dt, around, notes)
    if not state.same(_read_again(tables), world):
        tables["state"] = {"data": state.pack(state.stored(world))}
    made = _over(former, tables) or as_toml(tables, HEADING)
    for size, most in ((len(made.encode()), MAX_BYTES), (len(tables.get("state", {}).get("data", "")), schema.MAX_STATE)):
        if size > most:
            raise BadInput(message("the scene takes {size:.1f} MB as a file; allowed: {most:g} MB. Save a recording instead",
                                   size=size / 1e6, most=most / 1e6))
    return made, notes


def _read_again(tables: dict[str, Any]) -> World:
    """The world that a reader makes of the tables, which are refused before a file is written over one that can be read."""
    from app.engine.scene_files import schema  # late: pydantic

    wrong, mistakes = schema.wrong_values(tables), Mistakes()
    if not wrong:
        world = building.build(tables, mistakes)
        building.free_slots(world)
        wrong = mistakes.found
    if wrong:
        path, sentence = wrong[0]
        where = ".".join(map(str, path))
        raise BadInput(printable(message("the scene was not saved, for the file could not be opened again: {where} {what}",
                                         where=where, what=sentence.removeprefix(": "))))
    return world


def plain(world: World) -> World:
    """A copy without the mouse's spring."""
    copy = World()
    copy.restore(world.snapshot())
    for j in [j for j in range(len(copy.joints)) if copy.joints["kind"][j] >= 0 and copy.joint_kind(j).pulled]:
        copy.remove_joint(j)
    return copy


def _tables(world: World, dt: float, around: SceneContext, notes: list[str]) -> dict[str, Any]:
    head: dict[str, Any] = {"format": FORMAT}
    if around.title:
        head["title"] = around.title
    if around.scene and around.scene != scenes.EMPTY:
        head["scene"] = around.scene
        if around.parameters is not None and fields(around.parameters):
            head["parameters"] = option_values(around.parameters)
    known = [driver_name(one) for one in build_scene(scenes.find(around.scene), around.parameters).drivers] \
        if world.drivers and around.scene else []
    names = [driver_name(driver) for driver in world.drivers]
    if kept := [name for name in names if name in known]:
        head["drivers"] = kept
    if lost := [name for name in names if name not in known]:
        notes.append(message("{lost}: Python functions that drive the world cannot be in a file and are left out",
                             lost=", ".join(lost)))
    parameters = head.pop("parameters", None)
    tables = {**head, **({"parameters": parameters} if parameters else {})}
    described = describe.world_tables(world, dt)
    order = ("world", "inputs", "solver", "sleeping", "audit")
    tables |= {key: described.pop(key) for key in order if key in described}
    if around.view is not None:
        tables["view"] = _view_table(around)
    return tables | described


def _view_table(around: SceneContext) -> dict[str, Any]:
    view = around.view
    table = {name: view[name] for name in ("target", "distance", "azimuth", "elevation")}
    if view["flat"]:
        table["parallel"] = True
    if around.show is not None:
        table["show"] = list(around.show)
    table["plots"] = list(view["plots"])
    if view.get("drawn") is not None:
        table["drawn"] = list(view["drawn"])
    for key, name, source in (("breakpoints", "kind", view["breakpoints"]), ("compared", "name", view["solvers"])):
        if source:
            table[key] = [{name: kind, **values} if key == "breakpoints" else {name: kind, "options": values}
                          for kind, values in source]
    return table


def _over(former: bytes, tables: dict[str, Any]) -> str:
    """The former text with what changed, so that comments and order stay; "" where that cannot be."""
    if not former or len(former) > text.MAX_KEPT:
        return ""
    try:
        old = text.parsed(former, "it")
        found, mistakes = examined(former, "it")
    except BadInput:
        return ""
    if found is None or mistakes:
        return ""
    described = describe.world_tables(found.world, found.dt)
    before = {**{key: value for key, value in old.items() if key not in described}, **described}
    made = text.edited(former.decode(), before, tables, INSTEAD)
    try:
        again, mistakes = examined(made.encode(), "it")
    except BadInput:
        return ""
    return made if again is not None and shown_value(mistakes) == "[]" else ""
