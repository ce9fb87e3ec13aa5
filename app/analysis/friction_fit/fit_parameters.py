"""What a fit may change, by name, and changing it in a world. GL-free.

    NAME                            a parameter of the scene; of equal names the scene's own counts
    mu, mu:A & B                    friction coefficient of all bodies, or between two
    mu_s, mu_s:A & B                static one, where mu is the kinetic one: between two bodies, by default the measured one and
    what
                                    it touches
    joint_friction, static, kinetic, stribeck, viscous, load, each also with :JOINT
                                    of a joint's law (physics.Friction); joint_friction: static and kinetic alike
    start_speed                     velocity of the measured coordinate at the start
    time_offset                     time of the first sample in the scene [s]
    offset                          of the measured coordinate; of a regression: of the measured force
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.analysis.friction_fit.coordinates import Coordinate, inertia_along, set_rate
from app.engine.body_materials import own_material
from app.i18n.message import message
from physics import BadInput, Friction, World, fields, set_option, step
from physics.contact.material import STRONG
from physics.core.check import name_hint
from physics.joints._settings import MAX_FORCE, friction_of
from physics.observe import quantities
from scenes import Scene

SCENE, CONTACT, JOINT, MOTION, MEASURED = "scene", "contact", "joint", "motion", "measured"
"""What a parameter belongs to."""

LAW_TERMS = ("joint_friction", "static", "kinetic", "stribeck", "viscous", "load")
CONTACT_COEFFICIENTS = ("mu", "mu_s")
NUISANCES = ("start_speed", "time_offset", "offset")

TERM_UNITS = {
    "N": {"joint_friction": "N", "static": "N", "kinetic": "N", "stribeck": "m/s", "viscous": "N s/m", "load": ""},
    "N m": {"joint_friction": "N m", "static": "N m", "kinetic": "N m", "stribeck": "rad/s", "viscous": "N m s", "load": ""}}
"""Of the terms of a joint's law, by the unit of its force."""

WIDE = 1e3
"""Values above so many times the usual size are not searched."""


@dataclass(frozen=True)
class FitParameter:
    """name: as requested; term: the part before the colon; joint: index, bodies: of a pair; start: value before the
    fit; size: usual one; lo, hi: allowed range."""

    name: str
    term: str
    belongs: str
    unit: str
    start: float
    size: float
    lo: float
    hi: float
    joint: int = -1
    bodies: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeasuredMotion:
    """Size of the measured motion, from which unknown sizes follow. extent: range of the coordinate [m], [rad]; duration [s]."""

    extent: float
    duration: float

    @property
    def speed(self) -> float:
        return self.extent / self.duration


def find(name: str, scene: Scene, parameters: Any, world: World, at: Coordinate, motion: MeasuredMotion) -> FitParameter:
    """The parameter of that name in a scene.

    Raises:
        BadInput: the scene has none, or it is no number.
    """
    own = {f.name: f for f in fields(scene.parameters)}
    term, _, where = (part.strip() for part in name.partition(":"))
    if name in own:
        f, value = own[name], getattr(parameters, name)
        if type(f.default) is not float:
            raise BadInput(message("'{name}' cannot be fitted: it is no continuous number", name=name))
        lo, hi = (f.metadata[end] if f.metadata[end] is not None else infinite for end, infinite in (("lo", -1e9), ("hi", 1e9)))
        return FitParameter(name, name, SCENE, f.metadata["unit"], value, abs(value) or 0.1 * (hi - lo), lo, hi)
    if term in CONTACT_COEFFICIENTS:
        return _of_contact(name, term, where, world, at)
    if term in LAW_TERMS:
        return _of_joint(name, term, where, world, at, motion)
    if name == "start_speed":
        start = quantities.find(world, at.rate_key).read(world)
        size = max(abs(start), motion.speed)
        return FitParameter(name, term, MOTION, f"{at.unit}/s", start, size, -WIDE * size, WIDE * size)
    if name == "time_offset":
        return FitParameter(name, term, MEASURED, "s", 0.0, 0.01 * motion.duration, -0.5 * motion.duration, 0.5 * motion.duration)
    if name == "offset":
        return FitParameter(name, term, MEASURED, at.unit, 0.0, 0.1 * motion.extent, -WIDE * motion.extent, WIDE * motion.extent)
    raise BadInput(message("--parameters {name}: '{scene}' has no such parameter", name=name, scene=scene.title)
                   + name_hint(name, [*own, *CONTACT_COEFFICIENTS, *LAW_TERMS, *NUISANCES]))


def _of_contact(name: str, term: str, where: str, world: World, at: Coordinate) -> FitParameter:
    bodies = tuple(part.strip() for part in where.split(" & ")) if where else ()
    if bodies and (len(bodies) != 2 or any(body not in world.body_names or not body for body in bodies)):
        raise BadInput(message("--parameters {name}: must name two bodies, '{term}:A & B'", name=name, term=term)
                       + name_hint(bodies[-1] if len(bodies) == 2 else "", world.body_names))
    if not len(world.shapes[world.shapes["body"] >= 0]):
        raise BadInput(message("--parameters {name}: no body of this scene has a surface", name=name))
    if term == "mu_s" and not bodies:
        bodies = touched(world, at)
    i = world.body(bodies[0]) if bodies else at.body
    own = world.shapes["friction"][world.shapes["body"] == i]
    start = float(own[0]) if len(own) else 0.5
    return FitParameter(name, term, CONTACT, "", start, start or 0.5, 0.0, STRONG, bodies=bodies)


def touched(world: World, at: Coordinate) -> tuple[str, str]:
    """Names of the measured body and of what it touches.

    Raises:
        BadInput: it touches nothing at the start, or more than one body.
    """
    before = world.snapshot()
    step(world, 1e-3)
    pairs = [(int(c["body_a"]), int(c["body_b"])) for c in world.contacts]
    others = {b if a == at.body else a for a, b in pairs if at.body in (a, b)}
    world.restore(before)
    if len(others) != 1:
        raise BadInput(message("'{body}' touches {count} bodies at the start: name the pair, for example mu_s:A & B",
                               body=world.body_names[at.body], count=len(others)))
    return world.body_names[at.body], world.body_names[others.pop()]


def _of_joint(name: str, term: str, where: str, world: World, at: Coordinate, motion: MeasuredMotion) -> FitParameter:
    rubbing = [j for j in np.flatnonzero(world.joints["kind"] >= 0).tolist() if world.joint_kind(j).friction]
    names = [world.joint_names[j] for j in rubbing]
    if where:
        if where not in names:
            raise BadInput(message("--parameters {name}: there is no joint '{where}' with friction{hint}", name=name, where=where,
                                   hint=name_hint(where, names)))
        j = rubbing[names.index(where)]
    elif at.joint in rubbing:
        j = at.joint
    elif len(rubbing) == 1:
        j = rubbing[0]
    else:
        raise BadInput(message("--parameters {name}: name the joint, for example {term}:{joint}", name=name, term=term,
                               joint=names[0]) if names else
                       message("--parameters {name}: no joint of this scene has friction", name=name))
    group = world.joint_kind(j).friction[0]
    law = friction_of(world.joints[j], 0)
    start = law.static if term == "joint_friction" else getattr(law, term)
    inertia, rate = inertia_along(world, at), motion.speed
    size = {"stribeck": 0.2 * rate, "viscous": inertia / motion.duration, "load": 0.1}.get(term, inertia * rate / motion.duration)
    size = start or size
    hi = min(MAX_FORCE, WIDE * max(size, 1e-9)) if term != "load" else 100.0
    return FitParameter(name, term, JOINT, TERM_UNITS[group.unit][term], start, size, 0.0, hi, joint=j)


# ---- changing


def scene_parameters(scene: Scene, given: Sequence[tuple[str, Any]], wanted: Sequence[FitParameter], point: np.ndarray) -> Any:
    """The scene's parameters with the given ones and those of the fit."""
    parameters = scene.parameters()
    for name, value in given:
        set_option(parameters, name, value)
    for one, value in zip(wanted, point):
        if one.belongs == SCENE:
            set_option(parameters, one.name, float(value))
    return parameters


def apply(world: World, at: Coordinate, wanted: Sequence[FitParameter], point: np.ndarray) -> None:
    """Change the friction of bodies and joints and the velocity at the start."""
    values = dict(zip((one.name for one in wanted), map(float, point)))
    _apply_contacts(world, [(one, values[one.name]) for one in wanted if one.belongs == CONTACT])
    for j in {one.joint for one in wanted if one.belongs == JOINT}:
        terms = {one.term: values[one.name] for one in wanted if one.joint == j and one.belongs == JOINT}
        world.set_joint_friction(law_with(friction_of(world.joints[j], 0), terms), j, world.joint_kind(j).friction[0].name)
    for one in wanted:
        if one.belongs == MOTION:
            set_rate(world, at, values[one.name])


def law_with(law: Friction, terms: dict[str, float]) -> Friction:
    """A joint's law with other terms. Kinetic friction does not exceed static friction: that which is not changed follows, of two
    that are changed the static one."""
    terms = dict(terms)
    if "joint_friction" in terms:
        terms["static"] = terms["kinetic"] = terms.pop("joint_friction")
    law = replace(law, **terms)
    if law.kinetic > law.static:
        law = replace(law, static=law.kinetic) if "kinetic" in terms else replace(law, kinetic=law.static)
    return law


def _apply_contacts(world: World, wanted: Sequence[tuple[FitParameter, float]]) -> None:
    pairs = {one.bodies for one, _ in wanted if one.bodies}
    for one, value in wanted:
        if not one.bodies and not (one.term == "mu" and len(pairs) == 1 and "mu_s" in {other.term for other, _ in wanted}):
            world.set_friction(value)
    for pair in pairs:
        terms = {one.term: value for one, value in wanted if one.bodies in (pair, ())}
        surfaces = [own_material(world, world.body(name)) for name in pair]
        kinetic = terms.get("mu", min(terms.get("mu_s", np.inf), surfaces[0].friction * surfaces[0].kinetic_ratio))
        static = max(kinetic, terms.get("mu_s", kinetic))
        world.set_pair(*surfaces, friction=static, kinetic_friction=kinetic)
