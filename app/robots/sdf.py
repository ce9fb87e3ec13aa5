"""SDF (http://sdformat.org/spec) of versions 1.x as a robot, as far as it maps; the rest is noted as skipped.

Used: models, also of a world and inside of models, their poses and frames (relative_to, attached_to, expressed_in); links with
inertial and the collision geometries, or the visual ones where there are none, which touch nothing; joints with axis, limits,
<dynamics> (friction: dry, damping: viscous, springs); friction of surfaces (mu), of which a pair has the smaller one; gravity,
step; <include> of models in the folder of the file, by their file or by a folder with a model.sdf, with name, pose and static.

One model's links do not touch one another unless it has self_collide. A joint of several axes is refused; loops are closed.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from app.robots import meshes, surface_mass
from app.robots.assembly import close_loops
from app.robots.model import (
    IDENTITY,
    INERTIA_ENTRIES,
    MAX_CLASSES,
    Geometry,
    Link,
    Pose,
    Robot,
    RobotJoint,
    mesh_hull,
    primitive,
    solid,
    summed,
)
from app.robots.sdf_unused import note_unused
from app.robots.urdf import ENDLESS, from_angles
from app.robots.xml_tree import Element, read_top
from physics import Cone, Friction, Motor, Plane
from physics.core.quaternions import rotate, shortest_arc, to_matrix
from physics.shapes import Shape

JOINT_KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "ball": "spherical"}
"""Kind of the engine's joint of each type."""

SHAPE_SIZES = {"box": ("size",), "sphere": ("radius",), "cylinder": ("radius", "length"), "capsule": ("radius", "length"),
               "cone": ("radius", "length"), "ellipsoid": ("radii",)}
DEFAULT_SIZES = {"size": (1.0, 1.0, 1.0), "radii": (1.0, 1.0, 1.0), "radius": (1.0,), "length": (1.0,)}
MAX_JOINED = MAX_CLASSES - 1
"""Largest number of models of several links whose links do not touch one another."""

MAX_INCLUDES = 8
"""Deepest files within files."""

AXES_IN_JOINTS = (1, 5)
"""The first version with axes along the joint's frame by default."""

ALL_CLASSES = 0x7FFFFFFF
"""The classes that a shape touches."""


@dataclass
class _Model:
    """A model that is read, with those in it. prefix: of its names in the world; place: its pose; touches: class of its shapes.

    named: elements that carry a frame, by name, those of an inner model as "inner::name"; found: their poses in the model.
    """

    robot: Robot
    element: Element
    folder: Path
    prefix: str
    place: Pose
    version: tuple[int, int]
    touches: tuple[int, int] = (1, ALL_CLASSES)
    named: dict[str, Element] = field(default_factory=dict)
    found: dict[str, Pose] = field(default_factory=dict)


def robot_of(path: Path) -> Robot:
    """Read a file.

    Raises:
        BadInput: one sentence with file, line and remedy.
    """
    top, version = _read(path)
    robot, folder = Robot(path.stem, path.name, "SDF", mixing="minimum"), path.resolve().parent
    _include(robot, top, folder, [path.resolve()])
    models, around = list(top.all("model")), {}
    for world in top.all("world"):
        models += world.all("model")
        around |= {id(one): world for one in world.all("model")}
        _world(robot, world)
    for element in top.children:
        if element.tag not in ("model", "world"):
            robot.skip(element, "is not used")
    if not models:
        raise top.refuse("there is no <model>: add one, or copy what is included into the folder of the file")
    if len(models) == 1:
        robot.name = models[0].text("name")
    registered = {}
    for element in models:
        prefix = f"{element.text('name')}::" if len(models) > 1 else ""
        model = _Model(robot, element, folder, prefix, IDENTITY, version)
        _register(model, element, "")
        registered[id(element)] = model
    articulated = 0
    for model in registered.values():
        element = model.element
        model.place = _in_world(around.get(id(element)), element, registered)
        if sum(one.tag == "link" for one in model.named.values()) > 1 and not _flag(element, "self_collide"):
            articulated += 1
            if articulated > MAX_JOINED:
                raise element.refuse("more than {limit} models of several links are too many: remove what is not needed",
                                     limit=MAX_JOINED)
            model.touches = 1 << articulated, ALL_CLASSES ^ 1 << articulated
        _add(model)
    if not robot.links:
        raise top.refuse("the models have no links: add <link name=\"...\">")
    _order(robot)
    close_loops(robot)
    return robot


def _read(path: Path) -> tuple[Element, tuple[int, int]]:
    """(the top element of a file, its version); raises as `robot_of`."""
    top = read_top(path, "sdf", "an SDF file")
    text = top.text("version")
    version = tuple(int(part) if part.isdecimal() else -1 for part in text[:20].split("."))[:2]
    if len(version) < 2 or version[0] != 1 or version[1] < 0:
        raise top.refuse("version {version} is not read: only versions 1.x are; save the file as one of them",
                         version=text[:20])
    return top, version


# ---- included models


def _include(robot: Robot, element: Element, folder: Path, chain: list[Path]) -> None:
    """Put included models in the place of <include>; what cannot be read is noted as skipped. chain: the files that led here."""
    children = []
    for child in element.children:
        if child.tag == "include":
            child = _included(robot, child, folder, chain)
        elif child.tag in ("world", "model"):
            _include(robot, child, folder, chain)
        if child is not None:
            children.append(child)
    element.children = children


def _included(robot: Robot, asked: Element, folder: Path, chain: list[Path]) -> Element | None:
    """The model that an <include> names, called, placed and held as it says. folder: of the file that is opened."""
    uri = asked.inner_text("uri")
    path = next((found for name in (uri, f"{uri}/model.sdf") if (found := _file(name, folder)) is not None), None)
    if path is None:
        robot.skip(asked, f"'{uri}' is not in the folder of the file and is not used: copy the model there")
        return None
    if path in chain or len(chain) > MAX_INCLUDES:
        raise asked.refuse("'{uri}' includes itself, or too many files include one another: remove this <include>", uri=uri)
    top, version = _read(path)
    model = top.first("model")
    if model is None or version < AXES_IN_JOINTS or asked.attributes.get("merge") in ("1", "true"):
        robot.skip(asked, f"of '{uri}' is not used: it has no <model>, is older than version 1.5, or is merged")
        return None
    for mesh in model.below():
        if mesh.tag == "uri" and "://" not in mesh.content:
            mesh.content = (path.parent.relative_to(folder) / mesh.content.strip()).as_posix()
    _include(robot, model, folder, [*chain, path])
    if (name := asked.first("name")) is not None:
        model.attributes["name"] = name.content.strip()
    given = [one for one in asked.children if one.tag in ("pose", "static")]
    model.children = given + [one for one in model.children if all(one.tag != other.tag for other in given)]
    for one in asked.children:
        if one.tag not in ("uri", "name", "pose", "static"):
            robot.skip(one, "of <include> is not used")
    return model


def _file(uri: str, folder: Path) -> Path | None:
    """A file of this folder that an address names; None: there is none, or it would be elsewhere."""
    name = uri.strip().removeprefix("model://").removeprefix("file://")
    path = (folder / name).resolve()
    return path if "://" not in name and ".." not in Path(name).parts and path.is_relative_to(folder) and path.is_file() else None


def _world(robot: Robot, world: Element) -> None:
    robot.set_gravity(world, world.inner_numbers("gravity", 3, robot.gravity))
    for physics in world.all("physics")[:1]:
        step = physics.inner_number("max_step_size", robot.dt)
        robot.dt = step if 1e-6 <= step <= 0.1 else robot.dt
    for element in world.children:
        if element.tag not in ("model", "frame", "gravity", "physics", "light", "scene", "gui", "atmosphere", "magnetic_field"):
            robot.skip(element, "is not used")


def _register(model: _Model, element: Element, scope: str) -> None:
    """Note what carries a frame. scope: "inner::" of an inner model."""
    for one in element.children:
        if one.tag in ("link", "joint", "frame", "model"):
            name = scope + one.text("name")
            if name in model.named:
                raise one.refuse("the name '{name}' is taken by line {line}: choose another one",
                                 name=name, line=model.named[name].line)
            model.named[name] = one
            if one.tag == "model":
                if "placement_frame" in one.attributes:
                    model.robot.skip(one, f"'{name}' is placed by its own frame: placement_frame of an inner model is not used")
                _register(model, one, f"{name}::")
        elif one.tag not in ("pose", "static", "self_collide", "allow_auto_disable", "enable_wind"):
            model.robot.skip(one, f"of model '{element.text('name')}' is not used")


def _add(model: _Model) -> None:
    """Add links and joints of a model."""
    for name, one in model.named.items():
        if one.tag == "link":
            model.robot.add(_link(model, name, one, _is_static(model, name)))
    for name, one in model.named.items():
        if one.tag == "joint" and not _is_static(model, name):
            model.robot.join(_joint(model, name, one))


def _is_static(model: _Model, name: str) -> bool:
    """Whether one of the models around a link or joint is static."""
    scopes = name.split("::")[:-1]
    around = [model.named["::".join(scopes[:k + 1])] for k in range(len(scopes))]
    return any(_flag(one, "static") for one in (model.element, *around))


def _scope(name: str) -> str:
    """ "inner::" of "inner::name"."""
    return name[: len(name) - len(name.rpartition("::")[2])]


def _flag(element: Element, tag: str) -> bool:
    child = element.first(tag)
    return child is not None and child.content.strip().lower() in ("1", "true")


# ---- frames


def _pose(element: Element) -> Pose:
    """The <pose> of an element: x y z roll pitch yaw, or a quaternion (x, y, z, w)."""
    given = element.first("pose")
    if given is None or not given.content.strip():
        return IDENTITY
    if given.attributes.get("rotation_format") == "quat_xyzw":
        values = element.inner_numbers("pose", 7)
        length = float(np.linalg.norm(values[3:]))
        if length < 1e-9:
            raise given.refuse("the quaternion of <pose> is zero: give four numbers (x, y, z, w)")
        return Pose(values[:3], values[[6, 3, 4, 5]] / length)
    values = element.inner_numbers("pose", 6)
    angles = np.radians(values[3:]) if given.attributes.get("degrees") in ("1", "true") else values[3:]
    return Pose(values[:3], from_angles(angles))


def _in_world(world: Element | None, element: Element, models: dict[int, _Model], chain: tuple[str, ...] = ()) -> Pose:
    """The pose of a model or frame of a world, in the world. models: by the id of their elements; chain: names that led to it."""
    given, place = element.first("pose"), _pose(element)
    if held := element.attributes.get("placement_frame", ""):
        place = place.then(IDENTITY.inside(_frame(models[id(element)], held, element)))
    whole = given.attributes.get("relative_to", "") if given is not None else ""
    whole = whole or element.attributes.get("attached_to", "")
    base, _, inner = whole.partition("::")
    if base in ("", "world"):
        return place
    named = {one.attributes.get("name"): one for one in (world.children if world is not None else ())
             if one.tag in ("model", "frame")}
    if base not in named or base in chain or (inner and named[base].tag == "frame"):
        raise element.refuse("the frame '{name}' that <{tag}> is relative to is no model or frame of its world, or depends on "
                             "itself: correct the name", name=base, tag=element.tag)
    outer = _in_world(world, named[base], models, (*chain, base))
    return outer.then(_frame(models[id(named[base])], inner, element) if inner else IDENTITY).then(place)


def _frame(model: _Model, name: str, asked: Element, chain: tuple[str, ...] = ()) -> Pose:
    """The pose of a frame in its model. asked: the element that names it; chain: names that led to it."""
    name = name.removesuffix("__model__").removesuffix("::")
    if not name:
        return IDENTITY
    if name not in model.found:
        if name not in model.named:
            raise asked.refuse("there is no frame '{name}' in model '{model}': correct the name",
                               name=name, model=model.element.text("name"))
        if name in chain:
            raise asked.refuse("the frame '{name}' is relative to itself: correct relative_to or attached_to", name=name)
        element = model.named[name]
        given = element.first("pose")
        base = given.attributes.get("relative_to", "") if given is not None else ""
        if not base:
            base = _inner(element, "child") if element.tag == "joint" else element.attributes.get("attached_to", "")
        model.found[name] = _frame(model, _scope(name) + base, element, (*chain, name)).then(_pose(element))
    return model.found[name]


def _inner(element: Element, tag: str) -> str:
    child = element.first(tag)
    return child.content.strip() if child is not None else ""


def _direction(element: Element, tag: str) -> np.ndarray:
    """The unit vector that a child gives, by default z."""
    given = element.inner_numbers(tag, 3, (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(given))
    if length < 1e-9:
        raise element.refuse("<{tag}> of <{parent}> has zero length: give a direction", tag=tag, parent=element.tag)
    return given / length


def _placed(model: _Model, link: str, element: Element) -> Pose:
    """The pose of a part of a link, in the link."""
    given = element.first("pose")
    base = given.attributes.get("relative_to", "") if given is not None else ""
    if not base:
        return _pose(element)
    return _frame(model, _scope(link) + base, element).then(_pose(element)).inside(_frame(model, link, element))


def _carrier(model: _Model, name: str, asked: Element) -> str:
    """The link that a name of a link, frame or model (its first link) stands for; "": the world."""
    for _ in range(len(model.named) + 1):
        name = name.removesuffix("::")
        if name == "world":
            return ""
        element = model.named.get(name)
        if not name or (element is not None and element.tag == "model"):
            inside = f"{name}::" if name else ""
            name = next((one for one, found in model.named.items() if found.tag == "link" and one.startswith(inside)), "no link")
            element = model.named.get(name)
        if element is None:
            raise asked.refuse("there is no link '{name}' in model '{model}': add it or correct the name",
                               name=name, model=model.element.text("name"))
        if element.tag == "link":
            return model.prefix + name
        name = _scope(name) + (_inner(element, "child") if element.tag == "joint" else element.attributes.get("attached_to", ""))
    raise asked.refuse("the frame '{name}' is attached to no link: correct attached_to", name=name)


# ---- links


def _link(model: _Model, name: str, element: Element, static: bool) -> Link:
    link = Link(model.prefix + name, element, model.place.then(_frame(model, name, element)), static=static)
    inertial, weights = element.first("inertial"), []
    auto = inertial is not None and inertial.attributes.get("auto") in ("1", "true") and not static
    shown = element.all("collision")
    for one in shown or element.all("visual"):
        geometry = one.first("geometry")
        if geometry is None or not geometry.children:
            model.robot.skip(one, f"of '{name}' has no <geometry> with a shape")
            continue
        shape, pose = _shape(model, geometry.children[0], static), _placed(model, name, one)
        if isinstance(shape, Plane):
            normal = _direction(geometry.children[0], "normal")
            pose = pose.then(Pose(np.zeros(3), shortest_arc(np.array([0.0, 0.0, 1.0]), normal)))
        if isinstance(shape, Cone):     # given at half its height, ours at its centre of mass
            pose = pose.then(Pose(np.array([0.0, 0.0, -0.25 * shape.height]), IDENTITY.quat))
        if shape is not None:
            link.geometries.append(Geometry(shape, pose, _friction(model.robot, one), model.touches if shown else (0, 0)))
            if auto and shown and math.isfinite(shape.volume()):
                density = one.inner_number("density", inertial.inner_number("density", 1000.0))
                weights.append(_weight(model, geometry.children[0], shape, pose, density))
        if shown:
            note_unused(model.robot, one, "collision")
        if (surface := one.first("surface")) is not None:
            note_unused(model.robot, surface, "surface")
    if auto and weights:
        link.mass, link.centre, link.inertia = summed(inertial, weights)
        if (given := inertial.inner_number("mass", 0.0)) > 0.0:
            link.mass, link.inertia = given, link.inertia * given / link.mass
    elif auto:
        model.robot.skip(inertial, f"auto of '{name}' has no collisions to weigh: it has 1 kg and 1 kg m^2")
        link.mass, link.inertia = 1.0, np.eye(3)
    elif inertial is not None and not static:
        _inertial(model, link, inertial, name)
    elif not static:
        link.mass, link.inertia = 1.0, np.eye(3)      # what the format says of a link without
    for one in element.children:
        if one.tag not in ("pose", "inertial", "collision", "visual", "self_collide", "enable_wind"):
            model.robot.skip(one, f"of '{name}' is not used")
    return link


def _inertial(model: _Model, link: Link, inertial: Element, name: str) -> None:
    """Mass, centre and inertia of a link, as they are given. name: its frame."""
    link.mass = inertial.inner_number("mass", 1.0)
    if link.mass < 0.0:
        raise inertial.refuse("the mass of '{name}' is {mass:g} kg: it must be above zero", name=link.name, mass=link.mass)
    if link.mass > 0.0:
        tensor = inertial.first("inertia")
        moments = [float(name in ("ixx", "iyy", "izz")) if tensor is None else
                   tensor.inner_number(name, float(name in ("ixx", "iyy", "izz"))) for name in INERTIA_ENTRIES]
        link.put_inertia(_placed(model, name, inertial), moments)


def _weight(model: _Model, element: Element, shape: Shape, pose: Pose, density: float) -> tuple[float, np.ndarray, np.ndarray]:
    """(mass, centre, inertia about it) of a shape: of a mesh that of its closed surface."""
    if isinstance(shape, meshes.MeshHull):
        points, faces = meshes.surface(shape.file)
        if (found := surface_mass.enclosed(points * shape.scale, faces)) is not None:
            turn = to_matrix(pose.quat)
            return density * found.size, pose.at(found.centre), density * turn @ found.inertia @ turn.T
        model.robot.skip(element, f"'{shape.file.name}' is not a closed surface: its mass is that of its hull")
    return solid(shape, density * shape.volume(), pose)


def _shape(model: _Model, element: Element, static: bool) -> Shape | None:
    """The shape of a geometry; None: noted as skipped."""
    if element.tag == "mesh":
        note_unused(model.robot, element, "mesh")
        return mesh_hull(model.robot, element, element.inner_text("uri"), element.inner_numbers("scale", 3, (1.0, 1.0, 1.0)),
                         model.folder)
    if element.tag == "plane" and static:
        return Plane()
    if element.tag not in SHAPE_SIZES:
        if element.tag == "plane":
            model.robot.skip(element, "of a model that moves is not used")
        elif element.tag != "empty":
            model.robot.skip(element, "is no shape that is known")
        return None
    return primitive(element, [float(value) for name in SHAPE_SIZES[element.tag]
                               for value in element.inner_numbers(name, len(DEFAULT_SIZES[name]), DEFAULT_SIZES[name])])


def _friction(robot: Robot, collision: Element) -> float:
    """The friction coefficient of a surface, 1 if the file has none."""
    found = collision
    for tag in ("surface", "friction", "ode"):
        found = found.first(tag) if found is not None else None
    if found is None:
        return 1.0
    mu = found.inner_number("mu", 1.0)
    if mu < 0.0:
        raise found.refuse("mu = {mu:g} must not be below zero", mu=mu)
    if found.inner_number("mu2", mu) != mu:
        robot.skip(found, "mu2 is not used: friction is mu in both directions")
    return min(mu, 100.0)


# ---- joints


def _joint(model: _Model, name: str, element: Element) -> RobotJoint:
    kind = element.text("type")
    if kind not in JOINT_KINDS:
        ends = " and ".join(f"'{_inner(element, tag)}'" for tag in ("parent", "child"))
        raise element.refuse("joint '{name}' between {ends} has the type '{kind}'; allowed: {allowed}: give it one of these "
                             "types, or remove it", name=name, ends=ends, kind=kind, allowed=", ".join(JOINT_KINDS))
    for one in element.below():
        if one.tag == "mimic":
            raise one.refuse("joint '{name}' mimics another one, which is not supported: remove <mimic>, and the joint moves "
                             "by itself", name=name)
    parent, child = (_carrier(model, given if (given := element.inner_text(tag)) == "world" else _scope(name) + given,
                              element.first(tag)) for tag in ("parent", "child"))
    if parent == child or not child:
        raise element.refuse("joint '{name}' must have two links, and a child that is not the world: correct its ends",
                             name=name)
    frame = model.place.then(_frame(model, name, element))
    joint = RobotJoint(model.prefix + name, element, JOINT_KINDS[kind], parent, child, frame.pos,
                       rotate(frame.quat, np.eye(3)[2]))
    axis = element.first("axis")
    if joint.kind in ("revolute", "prismatic"):
        if axis is None:
            raise element.refuse("joint '{name}' is {kind} and has no <axis>: add it", name=name, kind=kind)
        _axis(model, joint, frame, axis, _scope(name))
    for one in element.children:
        if one.tag not in ("pose", "parent", "child", "axis"):
            model.robot.skip(one, f"of joint '{name}' is not used")
    return joint


def _axis(model: _Model, joint: RobotJoint, frame: Pose, axis: Element, scope: str) -> None:
    """Direction, limits, start, friction and spring of a joint of one axis. frame: of the joint; scope: of its name."""
    given = axis.first("xyz")
    base = given.attributes.get("expressed_in", "") if given is not None else ""
    if base or model.version < AXES_IN_JOINTS or _flag(axis, "use_parent_model_frame"):
        frame = model.place.then(_frame(model, scope + base, axis))
    joint.axis = rotate(frame.quat, _direction(axis, "xyz"))
    note_unused(model.robot, axis, "axis")
    limit, dynamics = axis.first("limit"), axis.first("dynamics")
    if limit is not None and joint.element.text("type") != "continuous":
        lo, hi = (_bound(limit, tag, sign) for tag, sign in (("lower", -1.0), ("upper", 1.0)))
        if lo > hi:
            raise limit.refuse("the limits of joint '{name}' are the wrong way round: lower = {lo:g}, upper = {hi:g}",
                               name=joint.name, lo=lo, hi=hi)
        if math.isfinite(lo) or math.isfinite(hi):
            joint.limits = {"angle" if joint.kind == "revolute" else "travel": (lo, hi)}
            joint.start = min(max(0.0, lo), hi)
    if dynamics is None:
        return
    values = {tag: dynamics.inner_number(tag, 0.0) for tag in ("friction", "damping", "spring_stiffness")}
    for tag, value in values.items():
        if value < 0.0:
            raise dynamics.refuse("{tag} = {value:g} of joint '{name}' must not be below zero",
                                  tag=tag, value=value, name=joint.name)
    joint.friction = Friction(static=values["friction"], viscous=values["damping"])
    if values["spring_stiffness"]:
        joint.motor = Motor("spring", dynamics.inner_number("spring_reference", 0.0), stiffness=values["spring_stiffness"])


def _bound(limit: Element, tag: str, sign: float) -> float:
    """A limit; without one, or far out as programs write "none", infinite."""
    try:
        far = abs(float(_inner(limit, tag) or "inf")) >= ENDLESS
    except ValueError:
        far = False
    return sign * math.inf if far else limit.inner_number(tag)


def _order(robot: Robot) -> None:
    """Put the joints in order, parents before children; those that close a loop last, without a start of their own."""
    waiting, held = list(robot.joints), {joint.child for joint in robot.joints}
    reached = {"", *(name for name, link in robot.links.items() if name not in held or link.static)}
    robot.joints = []
    while waiting:
        ready = next((joint for joint in waiting if joint.parent in reached and joint.child not in reached), None)
        if ready is None:
            left = [joint for joint in waiting if joint.child not in reached]
            if not left:
                break
            reached.add(left[0].parent)      # a loop that nothing holds
            continue
        waiting.remove(ready)
        robot.joints.append(ready)
        reached.add(ready.child)
    for joint in waiting:
        joint.start = 0.0
    robot.joints += waiting
