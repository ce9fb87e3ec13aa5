"""What a scene file may contain, as pydantic models made from the physics' own declarations: kinds of shapes and joints,
solvers with their options, ranges with units. Imported late: pydantic takes a tenth of a second.

Here are types, names and ranges of single values; what values mean together (a body that does not exist) `build.py` checks.
"""

import dataclasses
import functools
from typing import Annotated, Any, Literal, Union

from annotated_types import Len
from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from app.camera import DISTANCE
from app.engine.breakpoints import kinds as kinds  # defines all breakpoints
from app.engine.breakpoints.base import BREAKPOINT_KINDS
from app.engine.breakpoints.breakpoints import MAX_BREAKPOINTS
from app.engine.recording.validate_commands import DT_RANGE
from app.engine.recording.view_state import MAX_CAMERA_VALUE, PLOTS, SOLVERS
from app.engine.scene_files.text import Path
from app.i18n.message import message
from physics import fields, joints, shapes, solvers
from physics.collide.broad import ALL_CATEGORIES
from physics.contact.material import DEFAULT_RULES, RULES, VALUE_LIMITS
from physics.core.check import MAX_NAME, NAME, name_hint, shown_value
from physics.core.records import MAX_AXES, MAX_FRICTION_CORNERS
from physics.joints._settings import MAX_FORCE, Friction, Motor
from physics.observe.audit.auditor import AuditOptions
from physics.world.bodies import KINDS as BODY_KINDS
from physics.world.bodies import MAX_POSITION
from physics.world.materials import MAX_MATERIALS, PAIRED
from physics.world.sleep import SleepOptions
from physics.world.world import MAX_GRAVITY

FORMAT = 1

MAX_BODIES = 20_000
"""Largest number of bodies, or of joints."""

MAX_PARTS = 1_000
"""Largest number of shapes of a body."""

MAX_POINTS = 5_000
"""Largest number of points of a hull."""

MAX_STATE = 6_000_000
"""Longest packed state [letters]."""


class Model(BaseModel):
    """No unknown keys, no text for a number, nothing infinite."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


def _vector(limit: float, length: int = 3) -> Any:
    return Annotated[list[Annotated[float, Field(ge=-limit, le=limit)]], Len(length, length)]


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=NAME)]
Text = Annotated[str, Field(max_length=4_000)]
Place, Direction, Speed, Quaternion = _vector(MAX_POSITION), _vector(1e6), _vector(1e6), _vector(1e6, 4)
Positive = Annotated[float, Field(gt=0.0)]
Index = Annotated[int, Field(ge=1, lt=MAX_BODIES)]
Friction01 = Annotated[float, Field(ge=0.0, le=100.0)]
Restitution01 = Annotated[float, Field(ge=0.0, le=1.0)]


def _about(unit: str, help: str) -> str:
    return f"{help} [{unit}]" if unit else help


def described(name: str, kind: type, /, **more: Any) -> type[Model]:
    """A model of the options of a dataclass (physics/core/options.py), all of them optional."""
    made = dict(more)
    for f in fields(kind):
        m = f.metadata
        hint = Literal[tuple(m["choices"])] if m["choices"] else type(f.default)
        limits = {} if m["choices"] or hint is bool else {key: value for key, value in (("ge", m["lo"]), ("le", m["hi"]))
                                                          if value is not None}
        made[f.name] = (hint, Field(None, description=_about(m["unit"], m["help"]), **limits))
    return create_model(name, __base__=Model, **made)


def _shape(name: str, kind: shapes.ShapeKind) -> type[Model]:
    """The model of a kind of shape: the fields of its class."""
    point = _vector(1e5)
    own = {"hull": {"points": (Annotated[list[point], Len(4, MAX_POINTS)], ...), "rounding": (float, Field(None, ge=0.0))},
           "triangle_mesh": {"vertices": (list[point], ...), "triangles": (list[_triple()], ...), "solid": (bool, None)},
           "height_field": {"heights": (list[list[Annotated[float, Field(ge=-1e5, le=1e5)]]], ...),
                            "spacing": (Annotated[list[Annotated[float, Field(ge=1e-4, le=1e4)]], Len(2, 2)], ...)}}.get(name)
    if own is None:
        size = Annotated[float, Field(ge=1e-4, le=1e5)]
        example = kind.make((1.0, 1.0, 1.0))
        own = {f.name: ((Annotated[list[size], Len(3, 3)] if "tuple" in str(f.type) else size), ...)
               for f in dataclasses.fields(example)}
    materials = Name | Annotated[int, Field(ge=1, le=MAX_MATERIALS)]
    surface = {"pos": (Place, None), "quat": (Quaternion, None), "friction": (Friction01, None),
               "restitution": (Restitution01, None), "material": (materials, None),
               "category": (int, Field(None, ge=1, le=ALL_CATEGORIES)), "mask": (int, Field(None, ge=0, le=ALL_CATEGORIES)),
               "group": (int, Field(None, gt=-2**31, lt=2**31)), "sensor": (bool, None)}
    return create_model(f"Shape_{name}", __base__=Model, kind=(Literal[name], ...), **own, **surface)


def _triple() -> Any:
    return Annotated[list[Annotated[int, Field(ge=0)]], Len(3, 3)]


def _one_of(models: list[type[Model]], key: str) -> Any:
    return Annotated[Union[tuple(models)], Field(discriminator=key)] if len(models) > 1 else models[0]   # noqa: UP007


def _body() -> type[Model]:
    shape = _one_of([_shape(name, kind) for name, kind in shapes.kinds().items()], "kind")
    return create_model(
        "Body", __base__=Model, name=(Name, ...), kind=(Literal[tuple(BODY_KINDS)], ...), index=(Index, None),
        pos=(Place, Field(None, description="Centre of mass, world frame [m]; see docs/scene_files.md.")),
        quat=(Quaternion, Field(None, description="Orientation (w, x, y, z).")),
        vel=(Speed, Field(None, description="World frame [m/s].")),
        omega=(Speed, Field(None, description="World frame [rad/s].")),
        mass=(Annotated[float, Field(gt=0.0, le=1e12)], Field(None, description="[kg]")),
        density=(Annotated[float, Field(gt=0.0, le=1e9)], Field(None, description="[kg/m^3], instead of mass")),
        inertia=(Annotated[list[Positive], Len(3, 3)], Field(None, description="Principal moments, body frame [kg m^2].")),
        inertia_tensor=(Annotated[list[_vector(1e30)], Len(3, 3)], Field(None, description="Instead of inertia.")),
        group=(int, Field(None, gt=-2**31, lt=2**31, description="Colour group.")),
        shapes=(Annotated[list[shape], Len(0, MAX_PARTS)], None))


def _joint() -> type[Model]:
    local = create_model(
        "Local", __base__=Model, anchor_a=(Place, ...), anchor_b=(Place, ...), frame_a=(Quaternion, ...),
        frame_b=(Quaternion, ...), rest_a=(Quaternion, ...), rest_b=(Quaternion, ...), param=(_vector(1e12, 4), None),
        coordinate=(_vector(1e12, MAX_AXES), None), start_error=(_vector(1e12, MAX_AXES), None),
        ramp=(Annotated[float, Field(ge=0.0, le=1.0)], None))
    end = Annotated[float, Field(ge=-1e6, le=1e6)]
    limits = create_model("Limits", __base__=Model, lower=(end, None), upper=(end, None))
    strength = Annotated[float, Field(gt=0.0, le=MAX_FORCE)]
    return create_model(
        "Joint", __base__=Model, name=(Name, ...), kind=(Literal[tuple(joints.kinds())], ...), a=(Name, ...), b=(Name, ...),
        index=(Annotated[int, Field(ge=0, lt=MAX_BODIES)], None),
        point=(Place, Field(None, description="World frame, at the poses in this file [m].")),
        point_b=(Place, None), axis=(Direction, None), axis_b=(Direction, None),
        across=(Direction, None),
        local=(local, Field(None, description="The same in the frames of the bodies, as written by the program.")),
        params=(dict[Name, float], None), friction=(dict[Name, described("Friction", Friction)], None),
        friction_polygon=(Annotated[list[_vector(MAX_FORCE, 2)], Len(3, MAX_FRICTION_CORNERS)], Field(
            None, description="Corners of the friction in two directions, around 0 [N] or [N m].")),
        limits=(dict[Name, limits], None), motors=(dict[Name, described("Motor", Motor)], None),
        restitution=(Restitution01, None), break_force=(strength, None), break_torque=(strength, None),
        collide=(bool, None))


def _material() -> type[Model]:
    numbers = {name: (Annotated[float, Field(ge=lo, le=hi)], Field(None, description=f"[{unit}]" if unit else None))
               for name, (lo, hi, unit) in VALUE_LIMITS.items()}
    mixing = dict[Literal[tuple(DEFAULT_RULES)], Literal[RULES]]
    return create_model("Material", __base__=Model, name=(Name, None), **numbers, axis=(Direction, None),
                        surface_velocity=(Speed, None), mixing=(mixing, None))


def _pair() -> type[Model]:
    which = Name | Annotated[int, Field(ge=0, le=MAX_MATERIALS)]
    numbers = {name: (Annotated[float, Field(ge=VALUE_LIMITS[name][0], le=VALUE_LIMITS[name][1])], None) for name in PAIRED}
    return create_model("Pair", __base__=Model, a=(which, ...), b=(which, ...), **numbers)


def _solver() -> Any:
    return _one_of([create_model(f"Solver_{name}", __base__=Model, name=(Literal[name], ...),
                                 options=(described(f"Options_{name}", type(kind().options)), None))
                    for name, kind in solvers.available().items()], "name")


def _view() -> type[Model]:
    angle = Annotated[float, Field(ge=-MAX_CAMERA_VALUE, le=MAX_CAMERA_VALUE)]
    breakpoint_ = _one_of([described(f"Breakpoint_{name}", kind, kind=(Literal[name], ...), of=(Text, None),
                                     expression=(Text, None)) for name, kind in BREAKPOINT_KINDS.items()], "kind")
    solver = create_model("Compared", __base__=Model, name=(Name, ...), options=(dict[Name, bool | int | float | str], None))
    return create_model(
        "View", __base__=Model, target=(_vector(MAX_CAMERA_VALUE), ...),
        distance=(Annotated[float, Field(ge=DISTANCE[0], le=DISTANCE[1])], ...), azimuth=(angle, ...),
        elevation=(Annotated[float, Field(ge=-90.0, le=90.0)], ...), parallel=(bool, None),
        show=(Annotated[list[Name], Len(0, 200)], Field(None, description="Overlays that are on.")),
        plots=(Annotated[list[Text], Len(0, PLOTS)], Field(None, description="Quantities that are recorded.")),
        drawn=(Annotated[list[Text], Len(0, PLOTS)], Field(None, description="Those that are drawn; else the main ones.")),
        breakpoints=(Annotated[list[breakpoint_], Len(0, MAX_BREAKPOINTS)], None),
        compared=(Annotated[list[solver], Len(0, SOLVERS)], None))


@functools.cache
def model() -> type[Model]:
    """The model of a whole file."""
    world = create_model(
        "World", __base__=Model, gravity=(_vector(MAX_GRAVITY), Field(None, description="World frame [m/s^2].")),
        margin=(Annotated[float, Field(ge=0.0, le=1.0)], Field(None, description="Contacts are made this early [m].")),
        dt=(Annotated[float, Field(ge=DT_RANGE[0], le=DT_RANGE[1])], Field(None, description="Step size [s].")),
        time=(Annotated[float, Field(ge=0.0, le=1e12)], Field(None, description="[s]")),
        steps=(Annotated[int, Field(ge=0, le=2**53)], None))
    state = create_model("State", __base__=Model, data=(Annotated[str, Field(max_length=MAX_STATE)], ...))
    many = Len(0, MAX_BODIES)
    return create_model(
        "Scene", __base__=Model, format=(Literal[FORMAT], ...), title=(Text, None),
        scene=(Name, Field(None, description="The scene that it began as: its lesson, law and drivers.")),
        parameters=(dict[Name, bool | int | float | str], None), drivers=(Annotated[list[Name], many], None),
        world=(world, None), inputs=(dict[Name, float], Field(None, description="Control inputs that drivers read.")),
        solver=(_solver(), None),
        sleeping=(described("Sleeping", SleepOptions), None), audit=(described("Audit", AuditOptions), None),
        view=(_view(), None), materials=(Annotated[list[_material()], Len(0, MAX_MATERIALS)], None),
        pairs=(Annotated[list[_pair()], many], None), bodies=(Annotated[list[_body()], many], None),
        joints=(Annotated[list[_joint()], many], None), state=(state, None))


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a file; what may be left out has no default in it, since TOML has no null."""
    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items() if not (key == "default" and inner is None)}
        return [plain(item) for item in value] if isinstance(value, list) else value

    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **plain(model().model_json_schema()),
            "title": "A scene file of Stiction"}


def wrong_values(tables: dict[str, Any]) -> list[tuple[Path, str]]:
    """Every value of the wrong type, out of its range, unknown or missing: its path, and a sentence without it."""
    try:
        model().model_validate(tables)
    except ValidationError as error:
        return [_mistake(tables, one) for one in error.errors(include_url=False, include_context=True)]
    return []


def _mistake(tables: dict[str, Any], error: dict[str, Any]) -> tuple[Path, str]:
    """(path of a mistake in the file, the sentence)."""
    path, here = [], tables
    for part in error["loc"]:       # pydantic adds the names of models and types to it
        if isinstance(here, dict) and isinstance(part, str) and (part in here or part == error["loc"][-1]):
            path.append(part)
            here = here.get(part)
        elif isinstance(here, list) and isinstance(part, int) and part < len(here):
            path.append(part)
            here = here[part]
    kind, given, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "missing" and path == ["format"]:
        return ("format",), message("is missing: add format = {format} above the first table", format=FORMAT)
    if kind == "missing":
        return tuple(path), "is missing: add it"
    if kind == "extra_forbidden":
        return tuple(path), message("is unknown{hint}: remove it, or correct the name",
                                    hint=name_hint(path[-1], _keys(error["loc"], tables)))
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        key = context["discriminator"].strip("'")
        if kind == "union_tag_not_found":
            return (*path, key), "is missing: add it"
        return (*path, key), message("= {tag} is unknown; allowed: {expected_tags}", tag=shown_value(context["tag"]),
                                     expected_tags=context["expected_tags"])
    if reason := _required(kind, context):
        return tuple(path), message("= {given}: it must be {reason}", given=shown_value(given), reason=reason)
    return tuple(path), message("= {given} is not allowed ({kind})", given=shown_value(given), kind=kind.replace("_", " "))


def _required(kind: str, context: dict[str, Any]) -> str:
    """What a value must be; "" where that is not known."""
    if kind in _TYPES:
        return _TYPES[kind]
    words = {"greater_than": "more than {gt}", "greater_than_equal": "at least {ge}", "less_than": "less than {lt}",
             "less_than_equal": "at most {le}", "literal_error": "one of {expected}", "too_short": "of at least {min_length} "
             "elements, not {actual_length}", "too_long": "of at most {max_length} elements", "string_too_short": "a text of at "
             "least {min_length} letter", "string_too_long": "a text of at most {max_length} letters",
             "string_pattern_mismatch": "a text without control letters"}
    return message(words[kind], **context) if kind in words else ""


_TYPES = {"float_type": "one number", "int_type": "a whole number", "bool_type": "true or false",
          "string_type": "a text in quotes", "list_type": "an array [..]",
          "dict_type": "a table", "model_type": "a table", "model_attributes_type": "a table",
          "finite_number": "a finite number", "int_from_float": "a whole number"}


def _keys(place: tuple, tables: dict[str, Any]) -> list[str]:
    """Keys that are allowed beside an unknown one; place: its `loc`."""
    found = model().model_json_schema()
    definitions, here = found["$defs"], found
    for part in place[:-1]:
        here = _inner(here, part, definitions)
    here = _resolved(here, definitions)
    return list(here.get("properties", {}))


def _inner(here: dict[str, Any], part: str | int, definitions: dict[str, Any]) -> dict[str, Any]:
    """The schema of a part of a value: a key, an element, or the variant that pydantic names."""
    here = _resolved(here, definitions)
    for one in (here, *(_resolved(other, definitions) for other in here.get("anyOf", ()))):
        if isinstance(part, int) and "items" in one:
            return one["items"]
        if part in one.get("properties", {}):
            return one["properties"][part]
        if part in (mapping := one.get("discriminator", {}).get("mapping", {})):
            return {"$ref": mapping[part]}
        if isinstance(one.get("additionalProperties"), dict):
            return one["additionalProperties"]
    return here


def _resolved(here: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    return definitions[here["$ref"].rpartition("/")[2]] if "$ref" in here else here
