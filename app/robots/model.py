"""A robot: what readers of URDF, MJCF and SDF give, and the world that is built from it.

Poses of links, anchors and axes are in the world frame at the zero of all joints. A link without mass or inertia that a fixed
joint holds is part of the link that it is fixed to. A fixed link of a root that is fixed is static, and its joint is left out.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import scenes
from app.i18n.message import message
from app.robots import meshes
from app.robots.xml_tree import Element
from physics import BadInput, Box, Capsule, Compound, Cylinder, Ellipsoid, Friction, Hull, Material, Motor, Plane, Sphere, World
from physics.core.check import plain_name
from physics.core.quaternions import product, rotate, to_matrix, turned_by
from physics.shapes import Shape
from physics.shapes.cone import Cone
from physics.shapes.triangle_mesh import TriangleMesh
from physics.world.world import MAX_GRAVITY

MAX_LINKS = 1000

INERTIA_ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
"""Names of the entries of an inertia in URDF and SDF."""

FRICTION_GROUPS = {"revolute": "turn", "cylindrical": "slide", "prismatic": "slide", "spherical": "turn", "planar": "slide"}
"""Friction group of each kind of joint that a robot has."""


CLOSED = 1e-7
"""Distance [m] and angle [rad] up to which a loop is closed."""


class Pose(NamedTuple):
    """pos (3,) [m] and quat (w, x, y, z) of a frame in another one."""

    pos: np.ndarray
    quat: np.ndarray

    def at(self, point: np.ndarray) -> np.ndarray:
        """A point (3,) of this frame in the other one."""
        return self.pos + rotate(self.quat, np.asarray(point, float))

    def then(self, inner: "Pose") -> "Pose":
        """A pose given in this frame, in the other one."""
        return Pose(self.at(inner.pos), product(self.quat, inner.quat))

    def inside(self, outer: "Pose") -> "Pose":
        """This pose as seen from another one of the same frame."""
        back = outer.quat * np.array([1.0, -1.0, -1.0, -1.0])
        return Pose(rotate(back, self.pos - outer.pos), product(back, self.quat))


IDENTITY = Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))


@dataclass
class Geometry:
    """A shape on a link. pose: of the shape in the frame of the link; friction: None: the world's default.

    touches: (contype, conaffinity) of MJCF; None: no filter, but one robot's own links do not touch.
    """

    shape: Shape
    pose: Pose
    friction: float | None = None
    touches: tuple[int, int] | None = None


@dataclass
class Link:
    """A body. centre (3,): of its mass, inertia (3, 3) [kg m^2] about it, both along the axes of the link's frame."""

    name: str
    element: Element
    pose: Pose = IDENTITY
    mass: float = 0.0
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    geometries: list[Geometry] = field(default_factory=list)
    static: bool = False

    def put_inertia(self, pose: Pose, moments: Sequence[float]) -> None:
        """Set centre and inertia from INERTIA_ENTRIES in the frame of a pose."""
        xx, xy, xz, yy, yz, zz = moments
        turn = to_matrix(pose.quat)
        self.centre = pose.pos
        self.inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T

    @property
    def is_point(self) -> bool:
        """Whether it has no mass, or no extent: it cannot be a body by itself."""
        moments = np.linalg.eigvalsh(self.inertia)
        return self.mass == 0.0 or bool(moments[0] <= 1e-12 * max(moments[2], 0.0))


@dataclass(eq=False)
class RobotJoint:
    """A joint. limits: by axis of the kind; friction, motor: one, or by group and by axis; start: coordinate at the start of a
    revolute or prismatic joint [rad] or [m]; start_turn: of a spherical one, a quaternion (4,).

    across: the first direction across the axis; collide: whether its two links touch one another.
    """

    name: str
    element: Element
    kind: str
    parent: str
    child: str
    anchor: np.ndarray
    axis: np.ndarray
    limits: dict[str, tuple[float, float]] = field(default_factory=dict)
    friction: Friction | dict[str, Friction] = field(default_factory=Friction)
    motor: Motor | dict[str, Motor] | None = None
    start: float = 0.0
    start_turn: np.ndarray = field(default_factory=lambda: IDENTITY.quat)
    across: np.ndarray | None = None
    collide: bool = False


@dataclass
class Robot:
    """Links and joints, parents before children. kind: of the file; root: the link that carries all; "": several, or the world.

    apart: pairs of links that do not touch; welded: such pairs because they are welded to one another, or to what a joint holds;
    skipped: (line, sentence) of what is not used; gravity (3,) [m/s^2]; dt: step [s]; mixing: rule of the friction of a pair.
    """

    name: str
    file: str
    kind: str
    links: dict[str, Link] = field(default_factory=dict)
    joints: list[RobotJoint] = field(default_factory=list)
    root: str = ""
    apart: list[tuple[str, str]] = field(default_factory=list)
    welded: list[tuple[str, str]] = field(default_factory=list)
    skipped: list[tuple[int, str]] = field(default_factory=list)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    dt: float = 1.0 / 480.0
    mixing: str = "geometric mean"

    def skip(self, element: Element, why: str) -> None:
        """Note that an element is not used."""
        self.skipped.append((element.line, f"<{element.tag}> {why}"))

    def set_gravity(self, element: Element, gravity: Sequence[float]) -> None:
        """Take the gravity (3,) [m/s^2] that an element gives.

        Raises:
            BadInput: no world has so much.
        """
        if not all(abs(g) <= MAX_GRAVITY for g in gravity):
            raise element.refuse("gravity = {gravity} m/s^2 must be within -{limit:g} .. {limit:g}",
                                 gravity=" ".join(f"{g:g}" for g in gravity), limit=MAX_GRAVITY)
        self.gravity = tuple(map(float, gravity))

    def add(self, link: Link) -> None:
        """Add a link.

        Raises:
            BadInput: its name is taken or cannot be one, or there are too many.
        """
        _check_name(link.element, link.name)
        if link.name in self.links:
            raise link.element.refuse("the name '{name}' is taken by line {line}: choose another one",
                                      name=link.name, line=self.links[link.name].element.line)
        if len(self.links) >= MAX_LINKS:
            raise link.element.refuse("more than {limit} links are too many for a robot", limit=MAX_LINKS)
        self.links[link.name] = link

    def join(self, joint: RobotJoint) -> None:
        """Add a joint; raises as `add`."""
        _check_name(joint.element, joint.name)
        for other in self.joints:
            if other.name == joint.name:
                raise joint.element.refuse("the name '{name}' is taken by line {line}: choose another one",
                                           name=joint.name, line=other.element.line)
        self.joints.append(joint)


def _check_name(element: Element, name: str) -> None:
    """Refuse a name that no body may have, such as one with a line break."""
    try:
        plain_name("its name", name)
    except BadInput as error:
        raise element.refuse(str(error)) from None


def summed(element: Element, parts: list[tuple[float, np.ndarray, np.ndarray]]) -> tuple[float, np.ndarray, np.ndarray]:
    """(mass, centre, inertia about it) of parts (mass, centre, inertia about it), all along the same axes: parallel axes."""
    mass = math.fsum(part[0] for part in parts)
    if mass <= 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum(m * c for m, c, _ in parts) / mass
    total = np.zeros((3, 3))
    for m, c, inertia in parts:
        d = c - centre
        total += inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
    if not np.isfinite(total).all():
        raise element.refuse("its mass and inertia are too large to compute with: use kg and metres")
    return mass, centre, 0.5 * (total + total.T)


def middle(shape: Shape) -> np.ndarray:
    """The centre (3,) of a shape's own frame in the frame in which it is given: of hulls and meshes that of their points."""
    return np.asarray(shape.centre) if isinstance(shape, Hull) else getattr(shape, "middle", np.zeros(3))


def solid(shape: Shape, mass: float, pose: Pose) -> tuple[float, np.ndarray, np.ndarray]:
    """(mass, centre, inertia about it) of a shape at a pose, along the axes of the frame of the pose."""
    own, turn = np.asarray(shape.inertia(mass), float), to_matrix(pose.quat)
    own = np.diag(own) if own.ndim == 1 else own
    return mass, pose.at(middle(shape)), turn @ own @ turn.T


def primitive(element: Element, sizes: Sequence[float]) -> Shape:
    """The shape of a <box> (its three sides), <sphere>, <cylinder>, <capsule>, <cone> (radius, length), <ellipsoid> (radii) [m].

    Raises:
        BadInput: a size is not above zero.
    """
    if min(sizes) <= 0.0:
        raise element.refuse("<{tag}> has a size that is not above zero: correct it", tag=element.tag)
    match element.tag:
        case "box":
            return Box(tuple(0.5 * float(size) for size in sizes))
        case "sphere":
            return Sphere(float(sizes[0]))
        case "ellipsoid":
            return Ellipsoid(tuple(map(float, sizes)))
        case "cone":
            return Cone(float(sizes[0]), float(sizes[1]))
    return (Cylinder if element.tag == "cylinder" else Capsule)(float(sizes[0]), 0.5 * float(sizes[1]))


def mesh_hull(robot: Robot, element: Element, name: str, scale: np.ndarray, folder: Path) -> Hull | None:
    """The hull of a mesh that a file in this folder names; None: it cannot be read, which is noted."""
    try:
        return meshes.hull(meshes.located(name, folder), scale)
    except BadInput as error:
        robot.skip(element, str(error))
        return None


# ---- massless links


def prepared(robot: Robot, free: bool) -> Robot:
    """A copy for a world: its root static or free, links without mass or inertia made part of those that they are fixed
    to, which is noted.

    Raises:
        BadInput: a link without mass is held by no fixed joint.
    """
    robot = replace(robot, links={name: replace(link, geometries=[replace(one) for one in link.geometries])
                                  for name, link in robot.links.items()},
                    joints=[replace(joint) for joint in robot.joints], skipped=list(robot.skipped), apart=list(robot.apart),
                    welded=list(robot.welded))
    if robot.root:
        robot.links[robot.root].static = not free or robot.root == "world"
    _fix_static(robot)
    for joint in reversed(list(robot.joints)):
        child = robot.links[joint.child]
        if joint.kind == "fixed" and child.is_point:
            _absorb(robot, joint, into=joint.parent, gone=joint.child)
    root = robot.links.get(robot.root)
    while root is not None and root.is_point and not root.static:
        held = next((joint for joint in robot.joints if joint.parent == robot.root and joint.kind == "fixed"), None)
        if held is None:
            break
        _absorb(robot, held, into=held.child, gone=robot.root)
        robot.root = held.child
        root = robot.links[robot.root]
    for link in robot.links.values():
        if not link.static:
            _check_mass(robot, link)
    for joint, gap, turn in open_loops(robot, started(robot)):
        robot.skipped.append((joint.element.line, message(
            "the loop that joint '{name}' closes is open by {gap:.3g} mm and {turn:.3g} rad, and cannot be closed within the "
            "ranges of the others: it is pulled together within half a second; correct the poses of the links, or the limits",
            name=joint.name, gap=1e3 * gap, turn=turn)))
    return robot


def _check_mass(robot: Robot, link: Link) -> None:
    """Reject a moving link without mass; take the inertia from its shapes where that of the file is none."""
    if link.mass == 0.0:
        raise link.element.refuse("'{name}' has no mass and can move: give it a mass above zero, or fix it to another link",
                                  name=link.name)
    moments = np.linalg.eigvalsh(link.inertia)
    solids = [one for one in link.geometries if math.isfinite(one.shape.volume())]
    if (link.is_point or moments[0] + moments[1] < moments[2] * (1.0 - 1e-9)) and solids:
        volume = math.fsum(one.shape.volume() for one in solids)
        parts = [solid(one.shape, link.mass * one.shape.volume() / volume, one.pose) for one in solids]
        link.inertia = summed(link.element, parts)[2]
        robot.skipped.append((link.element.line, message("the inertia of '{name}' is not that of a body: it is that of its "
                                                             "shapes", name=link.name)))


def _fix_static(robot: Robot) -> None:
    """What a fixed joint holds to a static link is static."""
    for joint in list(robot.joints):
        if (not joint.parent or robot.links[joint.parent].static) and joint.kind == "fixed":
            robot.links[joint.child].static = True
            robot.joints.remove(joint)


def _absorb(robot: Robot, joint: RobotJoint, into: str, gone: str) -> None:
    """Move the geometries and joints of a link to another one."""
    target, source = robot.links[into], robot.links.pop(gone)
    for geometry in source.geometries:
        geometry.pose = source.pose.then(geometry.pose).inside(target.pose)
        target.geometries.append(geometry)
    robot.joints.remove(joint)
    for other in robot.joints:
        other.parent = into if other.parent == gone else other.parent
    robot.apart, robot.welded = ([tuple(into if name == gone else name for name in pair) for pair in pairs]
                                 for pairs in (robot.apart, robot.welded))
    if not target.static and source.mass > 0.0:
        part = source.pose.inside(target.pose)
        turn = to_matrix(part.quat)
        target.mass, target.centre, target.inertia = summed(target.element, [
            (target.mass, target.centre, target.inertia), (source.mass, part.at(source.centre), turn @ source.inertia @ turn.T)])
    lacking = message("'{gone}' has no inertia of its own: it is part of '{into}'" if source.mass else
                      "'{gone}' has no mass of its own: it is part of '{into}'", gone=gone, into=into)
    robot.skipped.append((source.element.line, lacking))


# ---- the world


def build(world: World, robot: Robot, *, free: bool = False, motors: bool = True) -> None:
    """Add a robot to an empty world. free: its root moves, with a floor under it; motors: those of the file act.

    Raises:
        BadInput: a link without mass moves, or the engine refuses a link or joint; the sentence names file and line.
    """
    robot = prepared(robot, free)
    world.set_gravity(robot.gravity)
    moved = started(robot)
    for link in robot.links.values():
        _add_link(world, robot, link)
    apart = {joint: turn for joint, _, turn in open_loops(robot, moved)}
    for joint in robot.joints:
        if joint not in apart:
            _add_joint(world, joint, motors)
    for name, motion in moved.items():
        body = world.bodies[world.body(name)]
        world.set_pose(world.body(name), motion.at(body["pos"]), product(motion.quat, body["quat"]))
    for joint, turn in apart.items():
        _add_joint(world, _where_it_starts(joint, moved), motors, **_ends(joint, moved, turn))
    _filter(world, robot)
    if free:
        lows = [lowest(geometry.shape, moved.get(link.name, IDENTITY).then(link.pose).then(geometry.pose))
                for link in robot.links.values() for geometry in link.geometries]
        world.add_body(Plane(), kind="static", pos=(0.0, 0.0, min(lows, default=0.0)), name=_unused(world, "floor"))


def _unused(world: World, name: str) -> str:
    return name if name not in world.body_names else f"{name} under {len(world.body_names)} bodies"


def started(robot: Robot) -> dict[str, Pose]:
    """The motion from the zero pose to the start, by link, of those that move."""
    moved: dict[str, Pose] = {}
    loops = closing(robot)
    for joint in robot.joints:
        if joint in loops:
            continue
        before = moved.get(joint.parent, IDENTITY)
        own = IDENTITY
        if joint.start and joint.kind == "prismatic":
            own = Pose(joint.axis * joint.start, IDENTITY.quat)
        elif joint.start and joint.kind == "revolute":
            turn = turned_by(IDENTITY.quat, joint.axis * joint.start)
            own = Pose(joint.anchor - rotate(turn, joint.anchor), turn)
        elif joint.kind == "spherical" and joint.start_turn is not IDENTITY.quat:
            own = Pose(joint.anchor - rotate(joint.start_turn, joint.anchor), joint.start_turn)
        if (whole := before.then(own)) and (joint.parent in moved or own is not IDENTITY):
            moved[joint.child] = whole
    return moved


def closing(robot: Robot) -> list[RobotJoint]:
    """The joints that close a loop: others hold their child already."""
    held, found = {name for name, link in robot.links.items() if link.static}, []
    for joint in robot.joints:
        if joint.child in held:
            found.append(joint)
        held.add(joint.child)
    return found


def open_loops(robot: Robot, moved: dict[str, Pose]) -> list[tuple[RobotJoint, float, float]]:
    """Joints that would close a loop and are open at the start, with distance [m] and angle [rad]. moved: see `started`."""
    found = ((joint, *opened(joint, moved)) for joint in closing(robot))
    return [one for one in found if max(one[1:]) > CLOSED]


def _where_it_starts(joint: RobotJoint, moved: dict[str, Pose]) -> RobotJoint:
    """A joint as its parent carries it."""
    motion = moved.get(joint.parent, IDENTITY)
    across = None if joint.across is None else rotate(motion.quat, joint.across)
    return replace(joint, anchor=motion.at(joint.anchor), axis=rotate(motion.quat, joint.axis), across=across)


def _ends(joint: RobotJoint, moved: dict[str, Pose], turn: float) -> dict[str, np.ndarray]:
    """Point of an open joint as its child carries it, and its axis where that is not the one of its parent. turn: of
    `open_loops`."""
    motion = moved.get(joint.child, IDENTITY)
    turned = {"axis_b": rotate(motion.quat, joint.axis)} if turn > CLOSED else {}
    return {"anchor_b": motion.at(joint.anchor), **turned}


def opened(joint: RobotJoint, moved: dict[str, Pose]) -> tuple[float, float]:
    """(distance [m] of the points, angle [rad] between the axes) of a joint on its two links; of a ball no angle, along a slide
    no distance."""
    a, b = (moved.get(name, IDENTITY) for name in (joint.parent, joint.child))
    one, other = rotate(a.quat, joint.axis), rotate(b.quat, joint.axis)
    gap, turn = b.at(joint.anchor) - a.at(joint.anchor), 0.0
    if joint.kind != "spherical":
        turn = math.atan2(float(np.linalg.norm(np.cross(one, other))), float(one @ other))
    if joint.kind in ("prismatic", "cylindrical"):
        gap = gap - (gap @ one) * one
    return float(np.linalg.norm(gap)), turn


def _add_link(world: World, robot: Robot, link: Link) -> None:
    static = link.static
    centre = np.zeros(3) if static else link.centre
    parts = [(one.shape, (one.pose.at(middle(one.shape)) - centre).tolist(), one.pose.quat) for one in link.geometries]
    frictions = [0.5 if geometry.friction is None else geometry.friction for geometry in link.geometries] or [0.5]
    mass = {} if static else {"mass": link.mass, "inertia": 0.5 * (link.inertia + link.inertia.T)}
    name = f"{link.name} of {robot.name}" if link.name == "world" else link.name
    try:
        shape = Compound(*parts) if parts else None
        body = world.add_body(shape, kind="static" if static else "dynamic", pos=link.pose.at(centre), quat=link.pose.quat,
                              material=Material(frictions[0], mixing={"friction": robot.mixing}), name=name, **mass)
    except BadInput as error:
        raise link.element.refuse(str(error)) from None
    own = np.flatnonzero(world.shapes["body"] == body)
    world.shapes["friction"][own] = frictions[: len(own)]
    if parts and not static:        # the frame of a body is at its mass, which is not that of the shapes
        world.shapes["local_pos"][own] += shape.centre()
        world.set_pose(body, link.pose.at(centre), link.pose.quat)


def _add_joint(world: World, joint: RobotJoint, motors: bool, **more: Any) -> None:
    """more: point and axis of the child's side."""
    if isinstance(joint.friction, dict):
        more["friction"] = joint.friction
    elif joint.kind in FRICTION_GROUPS:
        more["friction"] = {FRICTION_GROUPS[joint.kind]: joint.friction}
    if joint.limits:
        more["limits"] = joint.limits
    if joint.motor is not None and motors:
        more["motor"] = joint.motor
    try:
        world.add_joint(joint.kind, world_name(world, joint.parent), world_name(world, joint.child), anchor=joint.anchor,
                        axis=joint.axis, across=joint.across, collide=joint.collide, name=joint.name, **more)
    except BadInput as error:
        raise joint.element.refuse(str(error)) from None


def world_name(world: World, name: str) -> int:
    """Index of a link's body; "": the world."""
    if not name:
        return 0
    if name == "world":
        return next(i for i, one in enumerate(world.body_names) if one.startswith("world of "))
    return world.body(name)


MAX_CLASSES = 30
"""Largest number of classes of shapes that collision filters can tell apart."""


def _filter(world: World, robot: Robot) -> None:
    """Set which shapes touch: for MJCF those of which one's contype meets the other's conaffinity, else not the robot's own.

    A class is (contype, conaffinity, which bodies it does not touch); class k has bit k + 1 of the categories, bit 0 is that of
    bodies that are added later.
    """
    touches = [(*geometry.touches, link.name) if geometry.touches is not None else None
               for link in robot.links.values() for geometry in link.geometries]
    excluded, welded = ([pair for pair in pairs if pair[0] != pair[1]] for pairs in (robot.apart, robot.welded))
    for pairs in (excluded + welded, excluded):
        alike = _alike(pairs)
        classes = sorted({(*one[:2], alike.get(one[2], "")) for one in touches if one is not None})
        if len(classes) <= MAX_CLASSES:
            break
    else:
        world.warnings.add(f"{robot.file}: more than {MAX_CLASSES} classes of contype, conaffinity and <exclude> cannot be told "
                           "apart: all its geoms touch")
        return
    if pairs is excluded and welded:
        world.warnings.add(f"{robot.file}: more than {MAX_CLASSES} classes of welded bodies cannot be told apart: some touch one "
                           "another, or what joints hold to them")
    apart = {frozenset(alike[name] for name in pair) for pair in pairs}
    for s, one in zip(np.flatnonzero(world.shapes["body"] > 0), touches, strict=True):
        if one is None:
            world.shapes["group"][s] = -1
            continue
        own = *one[:2], alike.get(one[2], "")
        meets = [k for k, other in enumerate(classes) if (own[0] & other[1] or other[0] & own[1])
                 and frozenset((own[2], other[2])) not in apart]
        world.shapes["category"][s] = 2 << classes.index(own)
        world.shapes["ignores"][s] = 0xFFFFFFFF ^ sum(2 << k for k in meets) ^ int(bool(own[0] or own[1]))
    world.invalidate_layout()


def _alike(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """For each body of pairs that do not touch one that stands for it: both touch the same others, so that one class serves them.

    Either several that do not touch one another (each keeps from the same bodies, itself among them), or several that do.
    """
    others: dict[str, set[str]] = {}
    for a, b in pairs:
        others.setdefault(a, set()).add(b)
        others.setdefault(b, set()).add(a)
    with_itself = {name: frozenset(kept | {name}) for name, kept in others.items()}
    often = Counter(with_itself.values())
    first: dict[tuple[bool, frozenset[str]], str] = {}
    return {name: first.setdefault((True, with_itself[name]) if often[with_itself[name]] > 1 else (False, frozenset(kept)), name)
            for name, kept in others.items()}


def lowest(shape: Shape, pose: Pose) -> float:
    """Least height of a shape at a pose [m]; of an endless one its origin's."""
    down = to_matrix(pose.quat)[2]       # the world's z along the axes of the shape
    height = float(pose.pos[2])
    match shape:
        case Sphere():
            return height - shape.radius
        case Capsule():
            return height - shape.radius - shape.half_length * abs(down[2])
        case Cylinder():
            return height - shape.half_length * abs(down[2]) - shape.radius * math.sqrt(max(0.0, 1.0 - down[2] ** 2))
        case Box():
            return height - float(np.abs(down) @ np.asarray(shape.half))
        case Ellipsoid():
            return height - float(np.linalg.norm(down * np.asarray(shape.half)))
        case Cone():
            rim = -0.25 * shape.height * down[2] - shape.radius * math.sqrt(max(0.0, 1.0 - down[2] ** 2))
            return height + min(0.75 * shape.height * down[2], rim)
        case Hull():
            return height + float((np.asarray(shape.points) @ down).min())
        case TriangleMesh():
            return height + float(((shape.geometry().vertices + shape.middle) @ down).min())
    return height


UPWARD_ROTATIONS = {
    (k, sign): (math.cos(0.5 * angle), *(math.sin(0.5 * angle) * np.eye(3)[axis]))
    for k, sign, axis, angle in ((0, 1.0, 1, -0.5 * math.pi), (0, -1.0, 1, 0.5 * math.pi), (1, 1.0, 0, 0.5 * math.pi),
                                 (1, -1.0, 0, -0.5 * math.pi), (2, 1.0, 0, 0.0), (2, -1.0, 0, math.pi))}
"""Quaternions that turn an axis, or its opposite, upwards."""


def extents(robot: Robot) -> np.ndarray:
    """Least and largest corners (2 n, 3) of boxes around the shapes of the links that move, where they start, world frame [m]."""
    robot = prepared(robot, False)
    moved, found = started(robot), []
    links = [link for link in robot.links.values() if not link.static] or list(robot.links.values())
    for link in links:
        for geometry in link.geometries:
            pose = moved.get(link.name, IDENTITY).then(link.pose).then(geometry.pose)
            if isinstance(geometry.shape, Plane):
                continue
            corners = np.empty((2, 3))
            for (k, sign), turn in UPWARD_ROTATIONS.items():
                turned = Pose(rotate(np.array(turn), pose.pos), product(np.array(turn), pose.quat))
                corners[0 if sign > 0.0 else 1, k] = sign * lowest(geometry.shape, turned)
            found.append(corners)
    return np.vstack(found) if found else np.zeros((0, 3))


def view_of(points: np.ndarray) -> scenes.View:
    """A camera that sees all points (n, 3)."""
    if not len(points):
        return scenes.View()
    lo, hi = points.min(axis=0), points.max(axis=0)
    return scenes.View(tuple(map(float, 0.5 * (lo + hi))), float(max(0.3, 1.9 * np.linalg.norm(hi - lo))), 35.0, 15.0)
