"""MJCF (https://mujoco.readthedocs.io/en/stable/XMLreference.html) as a robot, as far as it maps; the rest is noted as skipped.

Used: compiler (angle, autolimits, coordinate of joints, eulerseq, meshdir, inertiafromgeom), option (gravity, timestep), default
classes, include of files in the same folder, bodies, geoms, joints, freejoint, inertial, contact exclude, meshes as hulls,
actuators position, velocity, and general where it is one of these.

A body without joints is welded to its parent. Friction of a pair is the larger of the two. Of one body two slides, with a hinge
across them or without, are a planar joint; a slide and a hinge along it a cylindrical one; two or three hinges a ball joint:
noted, as their limits are left out. The engine has no armature. Joint damping is viscous friction, frictionloss dry friction,
stiffness a spring.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from app.robots import meshes
from app.robots.model import IDENTITY, Geometry, Link, Pose, Robot, RobotJoint, solid, summed
from app.robots.urdf import from_angles
from app.robots.xml_tree import Element, read, read_top
from physics import BadInput, Box, Capsule, Cylinder, Ellipsoid, Friction, Motor, Plane, Sphere
from physics.core.quaternions import from_matrix, product, rotate, shortest_arc
from physics.shapes import Shape

NOT_PHYSICAL = {"visual", "statistic", "size", "custom", "material", "texture", "camera", "light", "site", "sensor", "keyframe"}
"""Elements without an effect on the motion: not reported, except the last two."""

USED = {"compiler", "option", "default", "asset", "worldbody", "contact", "actuator"}

MAX_VERTICES = 10_000
"""Largest number of vertices of a mesh that is written in the file."""

MAX_INCLUDES = 20


@dataclass
class _MjcfReader:
    """What is known while a file is read. classes: attributes by class and tag; folder: of the file."""

    robot: Robot
    folder: Path
    degrees: bool = True
    autolimits: bool = True
    sequence: str = "xyz"
    mesh_folder: str = ""
    from_geoms: str = "auto"
    contact: bool = True
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {"main": {}})
    assets: dict[str, Element] = field(default_factory=dict)
    used_names: dict[str, int] = field(default_factory=dict)

    def angle(self, values: Any) -> Any:
        """Angles of the file in radians."""
        return np.radians(values) if self.degrees else values

    def name(self, element: Element, tag: str) -> str:
        """The name of an element, or one that no other has."""
        given = element.attributes.get("name", "").strip()
        if given:
            return given
        self.used_names[tag] = self.used_names.get(tag, 0) + 1
        return f"{tag} {self.used_names[tag]} (line {element.line})"

    def resolved(self, element: Element, childclass: str) -> Element:
        """The element with the defaults of its class."""
        named = element.attributes.get("class", childclass)
        if named not in self.classes:
            raise element.refuse(f"there is no default class '{named}': add <default class=\"{named}\"> or correct the name")
        own = self.classes[named].get(element.tag, {})
        for names in (("fromto", "pos"), ("quat", "axisangle", "euler", "xyaxes", "zaxis")):
            if any(name in element.attributes for name in names):
                own = {key: value for key, value in own.items() if key not in names}
        return Element(element.tag, {**own, **element.attributes}, element.file, element.line, element.children)


def robot_of(path: Path) -> Robot:
    """Read a file.

    Raises:
        BadInput: one sentence with file, line and remedy.
    """
    top = read_top(path, "mujoco", "an MJCF file")
    folder = path.resolve().parent
    _include(top, folder, [path.name])
    robot = Robot(top.attributes.get("model", "").strip() or path.stem, path.name, "MJCF", mixing="maximum", dt=0.002)
    reader = _MjcfReader(robot, folder)
    for tag, act in (("compiler", _compiler), ("option", _option), ("default", _defaults), ("asset", _assets)):
        for element in top.all(tag):
            act(reader, element)
    for element in top.all("worldbody"):
        _world(reader, element)
    for element in top.all("contact"):
        _contact(reader, element)
    for element in top.all("actuator"):
        for one in element.children:
            _actuator(reader, one)
    for element in top.children:
        if element.tag in ("equality", "tendon", "deformable", "extension"):
            for one in element.children:
                robot.skip(one, f"of <{element.tag}> is not supported")
        elif element.tag in ("sensor", "keyframe") or element.tag not in USED | NOT_PHYSICAL:
            robot.skip(element, "is not used")
    if not robot.links:
        raise top.refuse("there are no bodies: add <worldbody> with a <body>")
    return robot


def _include(element: Element, folder: Path, chain: list[str]) -> None:
    """Put the contents of included files in the place of <include>."""
    children = []
    for child in element.children:
        if child.tag != "include":
            _include(child, folder, chain)
            children.append(child)
            continue
        name = child.text("file")
        path = folder / name
        if Path(name).is_absolute() or ".." in Path(name).parts or not path.resolve().is_relative_to(folder):
            raise child.refuse(f"'{name}' is outside of the folder of {chain[0]} and is not read: copy it there")
        if not path.is_file():
            raise child.refuse(f"'{name}' is not there: copy it beside {chain[0]}")
        if name in chain or len(chain) > MAX_INCLUDES:
            raise child.refuse(f"'{name}' includes itself, or too many files include one another: remove this <include>")
        inner = read(path)
        _include(inner, folder, [*chain, name])
        children += inner.children
    element.children = children


# ---- settings


def _compiler(reader: _MjcfReader, element: Element) -> None:
    given = element.attributes
    reader.degrees = given.get("angle", "degree" if reader.degrees else "radian") != "radian"
    reader.autolimits = given.get("autolimits", "true") != "false"
    reader.sequence = given.get("eulerseq", reader.sequence)
    reader.mesh_folder = given.get("meshdir", given.get("assetdir", reader.mesh_folder))
    reader.from_geoms = given.get("inertiafromgeom", reader.from_geoms)
    if given.get("coordinate", "local") != "local":
        raise element.refuse("global coordinates are not supported: save the file with a MuJoCo of version 2.3.4 or later")
    if not re.fullmatch("[xyzXYZ]{3}", reader.sequence):
        raise element.refuse(f"eulerseq=\"{reader.sequence}\" must be three letters of xyzXYZ")
    for name in ("settotalmass", "boundmass", "boundinertia", "balanceinertia"):
        if name in given:
            reader.robot.skip(element, f"{name} is not used")


def _option(reader: _MjcfReader, element: Element) -> None:
    robot = reader.robot
    robot.set_gravity(element, element.numbers("gravity", 3, robot.gravity))
    robot.dt = element.number("timestep", robot.dt)
    if not 1e-6 <= robot.dt <= 0.1:
        raise element.refuse(f"timestep = {robot.dt:g} s must be 1e-6 .. 0.1 s")
    for flag in element.all("flag"):
        if flag.attributes.get("gravity") == "disable":
            robot.gravity = (0.0, 0.0, 0.0)
        reader.contact = reader.contact and flag.attributes.get("contact") != "disable"
    for name in ("wind", "density", "viscosity", "o_margin"):
        if name in element.attributes:
            robot.skip(element, f"{name} is not used")


def _defaults(reader: _MjcfReader, element: Element, parent: str = "") -> None:
    name = element.attributes.get("class", "main")
    own = {tag: dict(values) for tag, values in reader.classes.get(parent or name, {}).items()}
    for child in element.children:
        if child.tag != "default":
            own[child.tag] = {**own.get(child.tag, {}), **child.attributes}
    reader.classes[name] = own
    for child in element.all("default"):
        child.text("class")
        _defaults(reader, child, name)


def _assets(reader: _MjcfReader, element: Element) -> None:
    for one in element.children:
        if one.tag == "mesh":
            one = reader.resolved(one, "main")
            name = one.attributes.get("name") or Path(one.attributes.get("file", "")).stem
            reader.assets[name] = one
        elif one.tag not in ("material", "texture"):
            reader.robot.skip(one, "is not supported")


# ---- bodies


def _world(reader: _MjcfReader, element: Element) -> None:
    """The geoms of the world, each a static body, and its bodies."""
    childclass = element.attributes.get("childclass", "main")
    for one in element.children:
        if one.tag == "geom":
            resolved = reader.resolved(one, childclass)
            link = Link(reader.name(one, "geom"), one, static=True)
            _geom(reader, resolved, link, None)
            if link.geometries:
                reader.robot.add(link)
        elif one.tag == "body":
            _body(reader, one, "", IDENTITY, childclass)
        elif one.tag not in NOT_PHYSICAL:
            reader.robot.skip(one, "is not supported")


def _body(reader: _MjcfReader, element: Element, parent: str, frame: Pose, childclass: str) -> None:
    robot = reader.robot
    childclass = element.attributes.get("childclass", childclass)
    link = Link(reader.name(element, "body"), element, frame.then(_pose(reader, element)))
    if element.attributes.get("mocap") == "true":
        robot.skip(element, "mocap is not supported: the body is static")
        link.static = True
    robot.add(link)
    weights: list[tuple[float, np.ndarray, np.ndarray]] = []
    joints, bodies, inertial = [], [], None
    for one in element.children:
        if one.tag == "geom":
            _geom(reader, reader.resolved(one, childclass), link, weights)
        elif one.tag == "joint":
            joints.append(reader.resolved(one, childclass))
        elif one.tag == "freejoint":
            joints.append(Element("joint", {"type": "free", **one.attributes}, one.file, one.line))
        elif one.tag == "inertial":
            inertial = one
        elif one.tag == "body":
            bodies.append(one)
        elif one.tag not in NOT_PHYSICAL:
            robot.skip(one, f"of '{link.name}' is not supported")
    if inertial is not None and reader.from_geoms != "true":
        link.mass, link.centre, link.inertia = _inertial(reader, inertial, link.name)
    else:
        link.mass, link.centre, link.inertia = summed(element, weights)
    _join(reader, link, parent, joints)
    if not link.static and any(isinstance(one.shape, Plane) for one in link.geometries):
        robot.skip(element, "moves: its planes are not used")
        link.geometries = [one for one in link.geometries if not isinstance(one.shape, Plane)]
    for one in bodies:
        _body(reader, one, link.name, link.pose, childclass)


def _inertial(reader: _MjcfReader, element: Element, name: str) -> tuple[float, np.ndarray, np.ndarray]:
    mass = element.number("mass")
    if mass <= 0.0:
        raise element.refuse(f"the mass of '{name}' is {mass:g} kg: it must be above zero")
    pose = _pose(reader, element)
    if "fullinertia" in element.attributes:
        xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", 6)
        return mass, pose.pos, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turn = np.column_stack([rotate(pose.quat, axis) for axis in np.eye(3)])
    return mass, pose.pos, turn @ np.diag(element.numbers("diaginertia", 3)) @ turn.T


def _pose(reader: _MjcfReader, element: Element) -> Pose:
    return Pose(element.numbers("pos", 3, (0.0, 0.0, 0.0)), _turn(reader, element))


def _turn(reader: _MjcfReader, element: Element) -> np.ndarray:
    """The orientation of an element."""
    given = element.attributes
    if "axisangle" in given:
        *axis, angle = element.numbers("axisangle", 4)
        length = float(np.linalg.norm(axis))
        if length < 1e-9:
            raise element.refuse("axisangle has an axis of zero length: give a direction")
        angle = reader.angle(angle)
        return np.array([math.cos(0.5 * angle), *(math.sin(0.5 * angle) / length * np.array(axis))])
    if "euler" in given:
        quat = IDENTITY.quat
        for letter, angle in zip(reader.sequence, reader.angle(element.numbers("euler", 3)), strict=True):
            turn = from_angles(np.eye(3)["xyz".index(letter.lower())] * angle)
            quat = product(quat, turn) if letter.islower() else product(turn, quat)
        return quat
    if "xyaxes" in given:
        values = element.numbers("xyaxes", 6)
        x, z = values[:3], np.cross(values[:3], values[3:])
        if np.linalg.norm(z) < 1e-9:
            raise element.refuse("the axes of xyaxes are parallel: give two directions")
        x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
        return from_matrix(np.column_stack([x, np.cross(z, x), z]))
    if "zaxis" in given:
        return _along(element.numbers("zaxis", 3), element)
    quat = element.numbers("quat", 4, (1.0, 0.0, 0.0, 0.0))
    length = float(np.linalg.norm(quat))
    if length < 1e-9:
        raise element.refuse("quat is zero: give four numbers (w, x, y, z)")
    return quat / length


def _along(direction: np.ndarray, element: Element) -> np.ndarray:
    length = float(np.linalg.norm(direction))
    if length < 1e-9:
        raise element.refuse("a direction has zero length: correct it")
    return shortest_arc(np.array([0.0, 0.0, 1.0]), direction / length)


# ---- geometries


def _geom(reader: _MjcfReader, element: Element, link: Link, weights: list | None) -> None:
    """Add a geom to a link, its mass to the weights."""
    kind = element.attributes.get("type", "mesh" if "mesh" in element.attributes else "sphere")
    found = _shape(reader, element, kind)
    if found is None:
        return
    shape, pose = found
    touches = tuple(int(element.number(name, 1.0)) & 0xFFFFFFFF if reader.contact else 0 for name in ("contype", "conaffinity"))
    if weights is not None and kind != "plane":
        density = element.number("density", 1000.0)
        mass = element.number("mass", density * shape.volume())
        if mass < 0.0:
            raise element.refuse(f"the mass of a geom of '{link.name}' is {mass:g} kg: it must not be below zero")
        weights.append(solid(shape, mass, pose))
    friction = float(element.numbers("friction", (1, 2, 3), (1.0,))[0])
    if not 0.0 <= friction <= 100.0:
        raise element.refuse(f"friction = {friction:g} of a geom of '{link.name}' must be 0 .. 100")
    if int(element.number("condim", 3.0)) not in (1, 3):
        reader.robot.skip(element, "rolling and torsional friction (condim) are not used")
    link.geometries.append(Geometry(shape, pose, 0.0 if element.attributes.get("condim") == "1" else friction, touches))


def _shape(reader: _MjcfReader, element: Element, kind: str) -> tuple[Shape, Pose] | None:
    """(shape, pose) of a geom; None: noted as skipped."""
    pose = _pose(reader, element)
    if kind == "plane":
        return Plane(), pose
    if kind == "mesh":
        asset = reader.assets.get(element.text("mesh"))
        if asset is None:
            raise element.refuse(f"there is no mesh '{element.attributes['mesh']}' in <asset>: add it or correct the name")
        try:
            scale = asset.numbers("scale", 3, (1.0, 1.0, 1.0))
            if "vertex" in asset.attributes:
                points = asset.numbers("vertex", range(12, 3 * MAX_VERTICES, 3)).reshape(-1, 3)
                return meshes.hull_of(points * scale, f"mesh '{element.attributes['mesh']}'"), pose
            name = str(Path(reader.mesh_folder) / asset.text("file"))
            return meshes.hull(meshes.located(name, reader.folder), scale), pose
        except BadInput as error:
            reader.robot.skip(element, str(error))
            return None
    counts = {"sphere": 1, "box": 3, "ellipsoid": 3, "capsule": 2, "cylinder": 2}
    if kind not in counts:
        reader.robot.skip(element, f"of type {kind} is not supported")
        return None
    size = element.numbers("size", (1, 2, 3))
    if "fromto" in element.attributes:
        if kind not in ("capsule", "cylinder"):
            reader.robot.skip(element, f"fromto of a {kind} is not supported")
            return None
        ends = element.numbers("fromto", 6).reshape(2, 3)
        pose = Pose(ends.mean(axis=0), _along(ends[1] - ends[0], element))
        size = np.array([size[0], 0.5 * np.linalg.norm(ends[1] - ends[0])])
    if len(size) < counts[kind] or (size[:counts[kind]] <= 0.0).any():
        raise element.refuse(f"size of a {kind} must be {counts[kind]} numbers above zero")
    match kind:
        case "sphere":
            return Sphere(float(size[0])), pose
        case "capsule":
            return Capsule(float(size[0]), float(size[1])), pose
        case "cylinder":
            return Cylinder(float(size[0]), float(size[1])), pose
    return (Box if kind == "box" else Ellipsoid)(tuple(map(float, size[:3]))), pose


# ---- joints


def _join(reader: _MjcfReader, link: Link, parent: str, elements: list[Element]) -> None:
    """The joint of a body, of all its joints together."""
    robot, kinds = reader.robot, [element.attributes.get("type", "hinge") for element in elements]
    for element, kind in zip(elements, kinds, strict=True):
        if kind not in ("hinge", "slide", "ball", "free"):
            raise element.refuse(f"the type '{kind}' of a joint is none of hinge, slide, ball, free")
        for name in ("armature", "springdamper", "actuatorfrcrange"):
            if name in element.attributes and element.attributes[name].strip() not in ("", "0"):
                robot.skip(element, f"{name} of '{link.name}' is not used")
    if not elements:
        if not parent or robot.links[parent].static:
            link.static = True
        else:
            robot.join(RobotJoint(f"weld of {link.name}", link.element, "fixed", parent, link.name, link.pose.pos, np.eye(3)[2]))
        return
    if "free" in kinds:
        return
    first = elements[0]
    points = [link.pose.at(element.numbers("pos", 3, (0.0, 0.0, 0.0))) for element in elements]
    axes = [_axis(link, element) for element in elements]
    name = reader.name(first, "joint")
    if len(elements) == 1:
        robot.join(_single(reader, first, kinds[0], name, (parent, link.name, points[0], axes[0])))
        return
    slides = [axis for axis, kind in zip(axes, kinds, strict=True) if kind == "slide"]
    hinges = [axis for axis, kind in zip(axes, kinds, strict=True) if kind == "hinge"]
    frictions = [_friction(element) for element in elements]
    law = Friction(static=max(one.static for one in frictions), viscous=max(one.viscous for one in frictions))
    text = " and ".join(element.attributes.get("name", kind) for element, kind in zip(elements, kinds, strict=True))
    if not slides:
        robot.skip(first, f"{text} of '{link.name}' are one ball joint, without their limits")
        robot.join(RobotJoint(name, first, "spherical", parent, link.name, points[0], axes[0], friction=law))
    elif len(slides) == 2 and len(hinges) < 2 and all(abs(hinges[0] @ axis) < 1e-6 for axis in slides if hinges):
        robot.skip(first, f"{text} of '{link.name}' are one planar joint, without their limits")
        normal = np.cross(slides[0], slides[1])
        robot.join(RobotJoint(name, first, "planar", parent, link.name, points[-1], normal / np.linalg.norm(normal),
                              limits={} if hinges else {"angle": (0.0, 0.0)}))
    elif len(slides) == len(hinges) == 1 and np.linalg.norm(np.cross(slides[0], hinges[0])) < 1e-6:
        robot.skip(first, f"{text} of '{link.name}' are one cylindrical joint, without their limits")
        robot.join(RobotJoint(name, first, "cylindrical", parent, link.name, points[kinds.index("hinge")], slides[0]))
    elif len(slides) == 3:
        robot.skip(first, f"{text} of '{link.name}' leave it free, without their limits")
    else:
        raise first.refuse(f"the joints {text} of '{link.name}' have no counterpart: give '{link.name}' one joint, two slides "
                           "with a hinge across them, a slide with a hinge along it, hinges alone, or a freejoint")


def _axis(link: Link, element: Element) -> np.ndarray:
    axis = element.numbers("axis", 3, (0.0, 0.0, 1.0))
    length = float(np.linalg.norm(axis))
    if length < 1e-9:
        raise element.refuse("the axis of a joint has zero length: give a direction")
    return rotate(link.pose.quat, axis / length)


def _friction(element: Element) -> Friction:
    values = [element.number(name, 0.0) for name in ("frictionloss",)] + [float(element.numbers("damping", (1, 2, 3), (0.0,))[0])]
    if min(values) < 0.0:
        raise element.refuse("frictionloss and damping must not be below zero")
    return Friction(static=values[0], viscous=values[1])


def _single(reader: _MjcfReader, element: Element, kind: str, name: str, where: tuple[str, str, np.ndarray,
                                                                                      np.ndarray]) -> RobotJoint:
    """A body's only joint; where: parent, child, anchor, axis."""
    joint = RobotJoint(name, element, {"hinge": "revolute", "slide": "prismatic", "ball": "spherical"}[kind], *where,
                       friction=_friction(element))
    turns = kind != "slide"
    limited = element.attributes.get("limited", "auto")
    if limited == "true" or (limited == "auto" and reader.autolimits and "range" in element.attributes):
        lo, hi = element.numbers("range", 2)
        lo, hi = (reader.angle(lo), reader.angle(hi)) if turns else (lo, hi)
        if lo > hi or (lo == hi and kind == "ball"):
            raise element.refuse(f"the range of joint '{name}' is the wrong way round: {element.attributes['range']}")
        joint.limits = {{"hinge": "angle", "slide": "travel", "ball": "swing"}[kind]: (0.0 if kind == "ball" else lo, hi)}
    ref = element.number("ref", 0.0)
    ref = float(reader.angle(ref)) if turns else ref
    if ref and joint.limits:
        joint.limits = {axis: (lo - ref, hi - ref) for axis, (lo, hi) in joint.limits.items()}
    if kind != "ball" and joint.limits:
        lo, hi = next(iter(joint.limits.values()))
        joint.start = min(max(0.0, lo), hi)
    stiffness = float(element.numbers("stiffness", (1, 2, 3), (0.0,))[0])
    if stiffness > 0.0 and kind != "ball":
        rest = element.number("springref", 0.0)
        joint.motor = Motor("spring", (float(reader.angle(rest)) if turns else rest) - ref, stiffness=stiffness)
    elif stiffness:
        reader.robot.skip(element, f"stiffness of '{name}' is not used")
    return joint


# ---- what acts on them


def _contact(reader: _MjcfReader, element: Element) -> None:
    for one in element.children:
        if one.tag != "exclude":
            reader.robot.skip(one, "of <contact> is not supported")
            continue
        pair = tuple(one.text(name) for name in ("body1", "body2"))
        for name in pair:
            if name not in reader.robot.links and name != "world":
                raise one.refuse(f"there is no body '{name}': correct the name")
        reader.robot.apart.append(pair)


def _actuator(reader: _MjcfReader, given: Element) -> None:
    """An actuator of a joint as its motor, with a control of zero."""
    robot, element = reader.robot, reader.resolved(given, "main")
    name, kind = element.attributes.get("name", element.tag), element.tag
    joint = next((joint for joint in robot.joints if joint.name == element.attributes.get("joint", "")), None)
    if joint is None or joint.kind not in ("revolute", "prismatic"):
        target = element.attributes.get("joint")
        if target and target not in {one.attributes.get("name") for one in _all_joints(robot)}:
            raise element.refuse(f"actuator '{name}' names the joint '{target}', which is not in the file: correct the name")
        robot.skip(element, f"'{name}' does not drive a joint of one axis and is not used")
        return
    gain = np.zeros(3)
    bias = np.zeros(3)
    if kind == "general":
        gain[:1] = element.numbers("gainprm", range(1, 11), (1.0,))[:1]
        if element.attributes.get("biastype") == "affine":
            given_bias = element.numbers("biasprm", range(1, 11), (0.0, 0.0, 0.0))[:3]
            bias[: len(given_bias)] = given_bias
    elif kind == "position":
        gain[0] = element.number("kp", 1.0)
        bias[1:] = -gain[0], -element.number("kv", 0.0)
    elif kind == "velocity":
        gain[0] = element.number("kv", 1.0)
        bias[2] = -gain[0]
    elif kind != "motor":
        robot.skip(element, f"'{name}' of this kind is not supported")
        return
    if not bias[1:].any():
        robot.skip(element, f"'{name}' pushes with its control, which is zero")
        return
    if (bias[0] and not bias[1]) or bias[1] > 0.0 or bias[2] > 0.0:
        robot.skip(element, f"'{name}' has a bias that is neither spring nor damper")
        return
    gear = float(element.numbers("gear", range(1, 7), (1.0,))[0])
    strongest = 1e9
    if "forcerange" in element.attributes and element.attributes.get("forcelimited", "auto") != "false":
        strongest = float(np.abs(element.numbers("forcerange", 2)).min()) * abs(gear)
    if gear == 0.0:
        raise element.refuse(f"gear of actuator '{name}' is zero: correct it")
    if joint.motor is not None:
        robot.skip(element, f"'{name}' drives '{joint.name}', which already has a spring or another actuator")
        return
    target = -bias[0] / bias[1] / gear if bias[0] else 0.0
    joint.motor = Motor("spring", target, min(strongest, 1e9), stiffness=-bias[1] * gear**2, damping=-bias[2] * gear**2)


def _all_joints(robot: Robot) -> list[Element]:
    """Elements of all joints, also of those that are part of a planar or ball joint."""
    return [one for link in robot.links.values() for one in link.element.children if one.tag in ("joint", "freejoint")]
