"""Numbers of one body or joint that a study may vary, by name: what a scene file has besides the parameters of a scene. GL-free.

    gravity                                         its strength; it keeps its direction [m/s^2]
    mass:BODY [kg], friction:BODY, restitution:BODY
    x:BODY, y:BODY, z:BODY [m], vx:BODY, vy:BODY, vz:BODY [m/s]    at the start
    joint_friction:JOINT [N], [N m], viscous:JOINT                  of its first group of friction

A place moves its body alone: one that would open a joint of that body, or carry it beyond a limit, is refused.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from physics import BadInput, World
from physics.core.check import name_hint
from physics.core.records import Kind
from physics.joints._settings import friction_of
from physics.observe.joint_quantities import written

AXES = ("x", "y", "z")

SURFACE = ("friction", "restitution")
"""What can be given for all bodies."""

CLOSED_JOINT = 1e-6
"""Opening of a joint that is rounding [m], [rad]."""


MAX_PAIRS = 3
"""Most pairs of materials that a sentence names."""


@dataclass(frozen=True)
class WorldSetting:
    """A number of a world. value: its present one; arguments: of the command that sets it in the window, for a value."""

    unit: str
    value: float
    write: Callable[[World, float], None]
    arguments: Callable[[float], tuple]


SETTING_COMMANDS = {"joint_friction": "set_joint_law", "viscous": "set_joint_law", **dict.fromkeys(AXES, "set_pose"),
                    **dict.fromkeys((f"v{axis}" for axis in AXES), "set_velocity")}


def command_of(name: str) -> str:
    """Name of the command that sets it in the window (app/engine/commands)."""
    term = name.partition(":")[0]
    return SETTING_COMMANDS.get(term, f"set_{term}")


def find(world: World, name: str) -> WorldSetting:
    """The setting of that name, with its value in the world.

    Raises:
        BadInput: the world has none.
    """
    term, _, owner = name.partition(":")
    if name == "gravity":
        return _gravity(world)
    if term in ("joint_friction", "viscous") and owner:
        return _of_joint(world, term, _joint(world, name, owner))
    if owner in world.body_names and owner:
        i = world.body(owner)
        if term in ("friction", "restitution"):
            own = world.shapes[term][world.shapes["body"] == i]
            return WorldSetting("", float(own[0]) if len(own) else 0.0,
                                lambda world, v: getattr(world, f"set_{term}")(v, i), lambda v: (v, i))
        if term == "mass" and world.bodies["kind"][i] == Kind.DYNAMIC:
            return WorldSetting("kg", float(world.bodies["mass"][i]), lambda world, v: world.set_mass(i, v), lambda v: (i, v))
        if term in AXES:
            return _place(world, i, AXES.index(term))
        if term[:1] == "v" and term[1:] in AXES and world.bodies["kind"][i] != Kind.STATIC:
            return _speed(world, i, AXES.index(term[1:]))
    raise BadInput(f"this scene has no setting '{name}'" + name_hint(name, list(names(world))))


def names(world: World) -> Iterator[str]:
    """Names of all settings of a world: joints before bodies, those that move before those that do not. Places of bodies with
    joints are left out: most would open them."""
    yield "gravity"
    for j in np.flatnonzero(world.joints["kind"] >= 0).tolist():
        if world.joint_kind(j).friction and world.joint_names[j]:
            yield from (f"{term}:{world.joint_names[j]}" for term in ("joint_friction", "viscous"))
    kinds, held, speeds = world.bodies["kind"], _held(world), tuple(f"v{axis}" for axis in AXES)
    for kind in (Kind.DYNAMIC, Kind.KINEMATIC, Kind.STATIC):
        for i in np.flatnonzero(kinds == kind).tolist():
            terms = ("friction", "restitution", *(AXES if i not in held else ()), *(speeds if kind != Kind.STATIC else ()),
                     *(("mass",) if kind == Kind.DYNAMIC else ()))
            if world.body_names[i] and i:
                yield from (f"{term}:{world.body_names[i]}" for term in terms)


def kept_pairs(world: World, names: Iterable[str]) -> list[str]:
    """Sentences about pairs of materials whose friction or restitution stays although all bodies are given another one. names:
    which of the two are given."""
    found = []
    for name in names:
        pairs = [key for key, values in world.materials.given.items() if values.get(name) is not None]
        if pairs:
            told = ", ".join(" and ".join(f"'{world.materials.items[k].name}'" for k in key) for key in pairs[:MAX_PAIRS])
            more = ", .." if len(pairs) > MAX_PAIRS else ""
            found.append(f"{name} of all bodies does not act between {told}{more}: this scene sets it for that pair of materials")
    return found


def _gravity(world: World) -> WorldSetting:
    size = float(np.linalg.norm(world.gravity))
    way = world.gravity / size if size > 0.0 else np.array([0.0, 0.0, -1.0])
    return WorldSetting("m/s^2", size, lambda world, v: world.set_gravity(v * way),
                        lambda v: (tuple((v * way).tolist()),))


def _joint(world: World, name: str, owner: str) -> int:
    known = [n for j, n in enumerate(world.joint_names) if n and world.joints["kind"][j] >= 0 and world.joint_kind(j).friction]
    if owner not in known:
        raise BadInput(f"'{name}': there is no joint '{owner}' with friction" + name_hint(owner, known))
    return world.joint_names.index(owner)


def _of_joint(world: World, term: str, j: int) -> WorldSetting:
    group = world.joint_kind(j).friction[0]

    def law(here: Any, value: float) -> Any:
        now = friction_of(here.joints[j], 0)
        return replace(now, viscous=value) if term == "viscous" else replace(now, static=value, kinetic=value)

    now = friction_of(world.joints[j], 0)
    unit = {"N": "N s/m", "N m": "N m s"}[group.unit] if term == "viscous" else group.unit
    return WorldSetting(unit, now.viscous if term == "viscous" else now.static,
                        lambda here, v: here.set_joint_friction(law(here, v), j, group.name),
                        lambda v: (j, group.name, law(world, v)))


def _place(world: World, i: int, axis: int) -> WorldSetting:
    quat = world.bodies["quat"][i].copy()

    def write(here: World, value: float) -> None:
        pos, joints = here.bodies["pos"][i].copy(), _joints_of(here, i)
        before = [_opening(here, j) for j in joints]
        here.set_pose(i, _with(pos, axis, value), here.bodies["quat"][i])
        for j, opening in zip(joints, before, strict=True):
            if (now := _opening(here, j)) > max(2.0 * opening, CLOSED_JOINT):
                here.set_pose(i, pos, here.bodies["quat"][i])
                raise BadInput(f"{AXES[axis]}:{here.body_names[i]} = {value:g}: its joint '{here.joint_names[j]}' would be "
                               f"{now:.3g} apart or beyond its limits: vary a parameter of the scene, or a body without joints")

    return WorldSetting("m", float(world.bodies["pos"][i, axis]), write,
                        lambda v: (i, tuple(_with(world.bodies["pos"][i], axis, v).tolist()), tuple(quat.tolist()), False))


def _holding(world: World) -> list[int]:
    """Joints that hold their bodies somewhere: a spring may be stretched."""
    return [j for j in np.flatnonzero(world.joints["kind"] >= 0).tolist() if not world.joint_kind(j).springs]


def _joints_of(world: World, i: int) -> list[int]:
    """Those of a body."""
    return [j for j in _holding(world) if i in (world.joints["body_a"][j], world.joints["body_b"][j])]


def _held(world: World) -> set[int]:
    """Bodies with such joints."""
    joints = world.joints[_holding(world)]
    return {*joints["body_a"].tolist(), *joints["body_b"].tolist()}


def _opening(world: World, j: int) -> float:
    """How far a joint is from what it holds, or beyond a limit, the larger [m], [rad]."""
    rows, kind = written(world, j)
    places, axes = rows["position_error"], len(kind.axes)
    along = places[kind.constraint : kind.constraint + axes]
    lo, hi = (world.joints[name][j, :axes] for name in ("limit_lo", "limit_hi"))
    return float(max(np.abs(places[: kind.constraint]).max(initial=0.0), np.maximum(along - hi, lo - along).max(initial=0.0)))


def _speed(world: World, i: int, axis: int) -> WorldSetting:
    omega = world.bodies["omega"][i].copy()
    return WorldSetting("m/s", float(world.bodies["vel"][i, axis]),
                        lambda here, v: here.set_velocity(i, _with(here.bodies["vel"][i], axis, v), here.bodies["omega"][i]),
                        lambda v: (i, tuple(_with(world.bodies["vel"][i], axis, v).tolist()), tuple(omega.tolist())))


def _with(vector: np.ndarray, axis: int, value: float) -> np.ndarray:
    """A copy with another component."""
    out = vector.copy()
    out[axis] = value
    return out
