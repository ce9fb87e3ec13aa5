"""MJCF (https://mujoco.readthedocs.io/en/stable/XMLreference.html) as a robot, as far as it maps; the rest is noted as skipped.

Used: compiler (angle, autolimits, coordinate of joints, eulerseq, meshdir, inertiafromgeom, inertiagrouprange), option (gravity,
timestep, flags), default classes, include of files in the same folder, bodies, geoms, joints, freejoint, inertial, contact
exclude, meshes as hulls, actuators position, velocity, and general where it is one of these. Attributes: mjcf_file.py.

A body without joints is welded to its parent; welded bodies do not touch one another, nor those that joints hold to them, unless
they are part of the world. Friction of a pair is the larger of the two. Several joints of a body: mjcf_joints.py. The engine has
no armature. Joint damping is viscous friction, frictionloss dry friction, stiffness a spring.
"""

import math
from pathlib import Path

import numpy as np

from app.robots import meshes, surface_mass
from app.robots.mjcf_file import MjcfReader, include, read_settings
from app.robots.mjcf_joints import actuate, join
from app.robots.model import IDENTITY, Geometry, Link, Pose, Robot, solid, summed
from app.robots.urdf import from_angles
from app.robots.xml_tree import Element, read_top
from physics import BadInput, Box, Capsule, Cylinder, Ellipsoid, Hull, Plane, Sphere
from physics.core.quaternions import conjugate, from_matrix, product, rotate, shortest_arc, to_matrix
from physics.shapes import Shape

NOT_PHYSICAL = {"visual", "statistic", "size", "custom", "material", "texture", "camera", "light", "site", "sensor", "keyframe"}
"""Elements without an effect on the motion: not reported, except the last two."""

USED = {"compiler", "option", "default", "asset", "worldbody", "contact", "actuator"}

MAX_VERTICES = 10_000
"""Largest number of vertices of a mesh that is written in the file."""

FOLDED = 1e-6
"""Share of its volume by which MuJoCo's rule must differ to be told."""

Weight = tuple[float, np.ndarray, np.ndarray]
"""Mass, centre, inertia about it."""


def robot_of(path: Path) -> Robot:
    """Read a file.

    Raises:
        BadInput: one sentence with file, line and remedy.
    """
    top = read_top(path, "mujoco", "an MJCF file")
    folder = path.resolve().parent
    include(top, folder, [path.name])
    robot = Robot(top.attributes.get("model", "").strip() or path.stem, path.name, "MJCF", mixing="maximum", dt=0.002)
    reader = MjcfReader(robot, folder)
    read_settings(reader, top)
    for element in top.all("worldbody"):
        _world(reader, element)
    _exclude_welded(reader)
    for element in top.all("contact"):
        _contact(reader, element)
    for element in top.all("actuator"):
        for one in element.children:
            actuate(reader, one)
    for element in top.children:
        if element.tag in ("equality", "tendon", "deformable", "extension"):
            for one in element.children:
                robot.skip(one, f"of <{element.tag}> is not supported")
        elif element.tag in ("sensor", "keyframe") or element.tag not in USED | NOT_PHYSICAL:
            robot.skip(element, "is not used")
    reader.note_soft()
    if not robot.links:
        raise top.refuse("there are no bodies: add <worldbody> with a <body>")
    return robot


# ---- bodies


def _world(reader: MjcfReader, element: Element) -> None:
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


def _body(reader: MjcfReader, element: Element, parent: str, frame: Pose, childclass: str) -> None:
    robot = reader.robot
    childclass = element.attributes.get("childclass", childclass)
    link = Link(reader.name(element, "body"), element, frame.then(_pose(reader, element)))
    if element.attributes.get("mocap") == "true":
        robot.skip(element, "mocap is not supported: the body is static")
        link.static = True
    robot.add(link)
    reader.note_unused(element, "body", link.name)
    joints, bodies, inertial = [], [], element.first("inertial")
    weights: list[Weight] | None = [] if inertial is None or reader.from_geoms == "true" else None
    for one in element.children:
        if one.tag == "geom":
            _geom(reader, reader.resolved(one, childclass), link, weights)
        elif one.tag == "joint":
            joints.append(reader.resolved(one, childclass))
        elif one.tag == "freejoint":
            joints.append(Element("joint", {"type": "free", **one.attributes}, one.file, one.line))
        elif one.tag == "body":
            bodies.append(one)
        elif one.tag not in NOT_PHYSICAL | {"inertial"}:
            robot.skip(one, f"of '{link.name}' is not supported")
    if weights is None:
        link.mass, link.centre, link.inertia = _inertial(reader, inertial, link.name)
    else:
        link.mass, link.centre, link.inertia = summed(element, weights)
    join(reader, link, parent, joints)
    if not link.static and any(isinstance(one.shape, Plane) for one in link.geometries):
        robot.skip(element, "moves: its planes are not used")
        link.geometries = [one for one in link.geometries if not isinstance(one.shape, Plane)]
    for one in bodies:
        _body(reader, one, link.name, link.pose, childclass)


def _inertial(reader: MjcfReader, element: Element, name: str) -> tuple[float, np.ndarray, np.ndarray]:
    mass = element.number("mass")
    if mass <= 0.0:
        raise element.refuse(f"the mass of '{name}' is {mass:g} kg: it must be above zero")
    reader.note_unused(element, "inertial", name)
    pose = _pose(reader, element)
    if "fullinertia" in element.attributes:
        xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", 6)
        return mass, pose.pos, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    turn = np.column_stack([rotate(pose.quat, axis) for axis in np.eye(3)])
    return mass, pose.pos, turn @ np.diag(element.numbers("diaginertia", 3)) @ turn.T


def _pose(reader: MjcfReader, element: Element) -> Pose:
    return Pose(element.numbers("pos", 3, (0.0, 0.0, 0.0)), _turn(reader, element))


def _turn(reader: MjcfReader, element: Element) -> np.ndarray:
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


def _geom(reader: MjcfReader, element: Element, link: Link, weights: list | None) -> None:
    """Add a geom to a link, its mass to the weights."""
    kind = element.attributes.get("type", "mesh" if "mesh" in element.attributes else "sphere")
    found = _shape(reader, element, kind)
    if found is None:
        return
    shape, pose = found
    reader.note_unused(element, "geom", element.attributes.get("name") or link.name)
    off = reader.off("contact", "constraint")
    touches = tuple(0 if off else int(element.number(name, 1.0)) & 0xFFFFFFFF for name in ("contype", "conaffinity"))
    if weights is not None and kind != "plane" and reader.groups[0] <= int(element.number("group", 0.0)) <= reader.groups[1]:
        weights.append(_weight(reader, element, link, shape, pose))
    friction = float(element.numbers("friction", (1, 2, 3), (1.0,))[0])
    if not 0.0 <= friction <= 100.0:
        raise element.refuse(f"friction = {friction:g} of a geom of '{link.name}' must be 0 .. 100")
    if int(element.number("condim", 3.0)) not in (1, 3):
        reader.robot.skip(element, "rolling and torsional friction (condim) are not used")
    link.geometries.append(Geometry(shape, pose, 0.0 if element.attributes.get("condim") == "1" else friction, touches))


def _shape(reader: MjcfReader, element: Element, kind: str) -> tuple[Shape, Pose] | None:
    """(shape, pose) of a geom; None: noted as skipped."""
    pose = _pose(reader, element)
    if kind == "plane":
        return Plane(), pose
    if kind == "mesh":
        return _mesh(reader, element, pose)
    counts = {"sphere": 1, "box": 3, "ellipsoid": 3, "capsule": 2, "cylinder": 2}
    if kind not in counts:
        reader.robot.skip(element, f"of type {kind} is not supported")
        return None
    if "mesh" in element.attributes:
        reader.robot.skip(element, f"a {kind} that is fitted to a mesh is not supported")
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


# ---- meshes


def _asset(reader: MjcfReader, element: Element) -> Element:
    """The mesh that a geom names."""
    asset = reader.assets.get(element.text("mesh"))
    if asset is None:
        raise element.refuse(f"there is no mesh '{element.attributes['mesh']}' in <asset>: add it or correct the name")
    return asset


def _file(reader: MjcfReader, asset: Element) -> Path:
    name = asset.text("file")
    return meshes.located(str(Path(reader.mesh_folder) / (Path(name).name if reader.strip_path else name)), reader.folder)


def _written(asset: Element) -> np.ndarray:
    """Vertices (n, 3) that stand in the file itself."""
    return asset.numbers("vertex", range(12, 3 * MAX_VERTICES, 3)).reshape(-1, 3)


def _mesh(reader: MjcfReader, element: Element, pose: Pose) -> tuple[Hull, Pose] | None:
    """(hull, its pose) of a mesh geom; None: noted as skipped."""
    asset = _asset(reader, element)
    try:
        scale = asset.numbers("scale", 3, (1.0, 1.0, 1.0))
        place = pose.then(_reference(asset, scale))
        if "vertex" in asset.attributes:
            return meshes.hull_of(_written(asset) * scale, f"mesh '{element.attributes['mesh']}'"), place
        return meshes.hull(_file(reader, asset), scale), place
    except BadInput as error:
        reader.robot.skip(element, str(error))
        return None


def _reference(asset: Element, scale: np.ndarray) -> Pose:
    """Pose of the scaled vertices: the file moves them by -refpos, turns them by the opposite of refquat and scales them then."""
    turn = asset.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0))
    if not turn.any():
        raise asset.refuse("refquat is zero: give four numbers (w, x, y, z)")
    turn = conjugate(turn / np.linalg.norm(turn))
    if np.ptp(scale) > 0.0 and np.linalg.norm(turn[1:]) > 1e-9:
        raise BadInput(f"mesh '{asset.attributes.get('name', '')}' has refquat and a scale that differs by direction: "
                       "turn it in its file")
    return Pose(-rotate(turn, scale * asset.numbers("refpos", 3, (0.0, 0.0, 0.0))), turn)


def _weight(reader: MjcfReader, element: Element, link: Link, shape: Shape, pose: Pose) -> Weight:
    """What a geom weighs: a mesh by its surface."""
    given, density = element.number("mass", -1.0), element.number("density", 1000.0)
    if given < 0.0 and "mass" in element.attributes:
        raise element.refuse(f"the mass of a geom of '{link.name}' is {given:g} kg: it must not be below zero")
    if isinstance(shape, Hull) and given != 0.0 and (found := _measured(reader, element)) is not None:
        mass = given if "mass" in element.attributes else density * found.size
        turn = to_matrix(pose.quat)
        return mass, pose.at(found.centre), mass / found.size * turn @ found.inertia @ turn.T
    return solid(shape, given if "mass" in element.attributes else density * shape.volume(), pose)


def _measured(reader: MjcfReader, element: Element) -> surface_mass.Moments | None:
    """Moments of the mesh of a geom along the axes of its scaled vertices; None: they are those of its shape."""
    asset = _asset(reader, element)
    how, name = asset.attributes.get("inertia", "legacy"), element.attributes["mesh"]
    if "vertex" in asset.attributes:
        points, faces = _written(asset), np.empty((0, 3), int)
        if "face" in asset.attributes:
            faces = asset.numbers("face", range(3, 9 * MAX_VERTICES, 3)).astype(int).reshape(-1, 3)
            if not ((faces >= 0) & (faces < len(points))).all():
                raise asset.refuse(f"face of mesh '{name}' names a vertex that is not there: correct its numbers")
    else:
        points, faces = meshes.surface(_file(reader, asset))
    points = points * asset.numbers("scale", 3, (1.0, 1.0, 1.0))
    if how == "convex" or ("vertex" in asset.attributes and not len(faces)):
        faces = surface_mass.hull_triangles(points)
        if faces is None:
            if len(points) > meshes.MAX_KEPT:
                reader.robot.skip(element, f"mesh '{name}' weighs what its simplified hull does: install scipy for the hull of "
                                           "all vertices")
            return None
    if how == "shell":
        return surface_mass.shell(points, faces)
    found = surface_mass.enclosed(points, faces)
    if found is None:
        reader.robot.skip(element, f"mesh '{name}' is not a closed surface: its mass is that of its hull")
    elif how == "legacy" and (folded := surface_mass.folded(points, faces)) > (1.0 + FOLDED) * found.size:
        reader.robot.skip(element, f"mesh '{name}' is not convex: its mass is that of its volume, where MuJoCo's "
                                   f"inertia=\"legacy\" counts {folded / found.size:.3g} times as much")
    return found


# ---- pairs


def _contact(reader: MjcfReader, element: Element) -> None:
    for one in element.children:
        if one.tag != "exclude":
            reader.robot.skip(one, "of <contact> is not supported")
            continue
        pair = tuple(one.text(name) for name in ("body1", "body2"))
        for name in pair:
            if name not in reader.robot.links and name != "world":
                raise one.refuse(f"there is no body '{name}': correct the name")
        reader.robot.apart.append(pair)
        reader.note_unused(one, "exclude")


def _exclude_welded(reader: MjcfReader) -> None:
    """Bodies that are welded together do not touch one another, nor those which a joint holds to one of them."""
    robot, groups = reader.robot, {}
    for name, link in robot.links.items():
        if (first := reader.welded.get(name, "")) and link.geometries:
            groups.setdefault(first, []).append(name)
    joined = {frozenset((joint.parent, joint.child)) for joint in robot.joints}
    for first, names in groups.items():
        others = [] if reader.off("filterparent") else groups.get(reader.above[first], [])
        pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1:]] + [(a, b) for a in names for b in others]
        robot.welded += [pair for pair in pairs if frozenset(pair) not in joined]
