"""URDF (https://wiki.ros.org/urdf/XML) as a robot.

Of each link the collision geometries, or the visual ones where it has none; of each joint its kind, axis, limits, <dynamics>
(damping: viscous, friction: dry) and effort and velocity limits, which become a motor that holds the start. Roll, pitch, yaw are
about the fixed x, y, z. Three hinges through one point with nothing but links of PIN_MASS between are one ball joint, a slide and
a hinge along it one cylindrical joint. One robot's links do not touch one another. Refused: mimic joints, loops, several roots.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from app.robots.model import IDENTITY, INERTIA_ENTRIES, Geometry, Link, Pose, Robot, RobotJoint, mesh_hull, primitive
from app.robots.xml_tree import Element, read_top
from physics import Friction, Motor
from physics.core.quaternions import conjugate, product, rotate
from physics.shapes import Shape

JOINT_KINDS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "fixed": "fixed", "planar": "planar",
               "floating": ""}
"""Kind of the engine's joint of each type; "": none, the child is free."""


ENDLESS = 1e6
"""A limit beyond this is none [rad] or [m]."""


PIN_MASS, PIN_INERTIA = 1e-6, 1e-9
"""Mass [kg] and inertia [kg m^2] up to which a link without shapes is only there to join two joints in a row."""


def robot_of(path: Path) -> Robot:
    """Read a file.

    Raises:
        BadInput: one sentence with file, line and remedy.
    """
    top = read_top(path, "robot", "a URDF file")
    if any(element.tag.startswith("xacro:") for element in top.below()):
        element = next(element for element in top.below() if element.tag.startswith("xacro:"))
        raise element.refuse("<{tag}> is a macro of xacro: expand it first (xacro robot.xacro > robot.urdf)", tag=element.tag)
    robot = Robot(top.attributes.get("name", "").strip() or path.stem, path.name, "URDF")
    for element in top.children:
        if element.tag == "link":
            robot.add(_link(robot, element, path.resolve().parent))
        elif element.tag not in ("joint", "material"):
            robot.skip(element, "is not used")
    if not robot.links:
        raise top.refuse("the robot has no links: add <link name=\"...\">")
    found = _joints(robot, top)
    _combine(robot, found)
    _place(robot, found)
    return robot


# ---- links


def _link(robot: Robot, element: Element, folder: Path) -> Link:
    link = Link(element.text("name"), element)
    if (inertial := element.first("inertial")) is not None:
        _inertial(link, inertial)
    shown = element.all("collision") or element.all("visual")
    for one in shown:
        geometry = one.first("geometry")
        if geometry is None or not geometry.children:
            raise one.refuse("<{tag}> of '{name}' has no <geometry> with a shape: add one", tag=one.tag, name=link.name)
        shape = _shape(robot, geometry.children[0], folder)
        if shape is not None:
            link.geometries.append(Geometry(shape, _origin(one)))
    for child in element.children:
        if child.tag not in ("inertial", "collision", "visual"):
            robot.skip(child, f"of '{link.name}' is not used")
    return link


def _inertial(link: Link, inertial: Element) -> None:
    """Mass, centre and inertia of a link."""
    mass = inertial.first("mass")
    if mass is None:
        raise inertial.refuse("<inertial> of '{name}' has no <mass>: add <mass value=\"...\"/>", name=link.name)
    link.mass = mass.number("value")
    if link.mass < 0.0:
        raise mass.refuse("the mass of '{name}' is {mass:g} kg: it must be above zero", name=link.name, mass=link.mass)
    pose = _origin(inertial)
    tensor = inertial.first("inertia")
    if link.mass == 0.0:
        return
    if tensor is None:
        raise inertial.refuse("<inertial> of '{name}' has no <inertia>: add one", name=link.name)
    link.put_inertia(pose, [tensor.number(name, 0.0 if name in ("ixy", "ixz", "iyz") else None) for name in INERTIA_ENTRIES])


def _origin(element: Element) -> Pose:
    origin = element.first("origin")
    if origin is None:
        return IDENTITY
    return Pose(origin.numbers("xyz", 3, (0.0, 0.0, 0.0)), from_angles(origin.numbers("rpy", 3, (0.0, 0.0, 0.0))))


def from_angles(angles: np.ndarray) -> np.ndarray:
    """Quaternion of roll, pitch, yaw [rad] about the fixed axes x, y, z, in this order."""
    quat = IDENTITY.quat
    for axis, angle in enumerate(angles):
        turn = np.zeros(4)
        turn[0], turn[1 + axis] = math.cos(0.5 * angle), math.sin(0.5 * angle)
        quat = product(turn, quat)
    return quat


def _shape(robot: Robot, element: Element, folder: Path) -> Shape | None:
    """The shape of a geometry; None: noted as skipped."""
    if element.tag == "mesh":
        return mesh_hull(robot, element, element.text("filename"), element.numbers("scale", 3, (1.0, 1.0, 1.0)), folder)
    if element.tag not in ("box", "cylinder", "sphere"):
        robot.skip(element, "is no shape that is known")
        return None
    return primitive(element, element.numbers("size", 3) if element.tag == "box" else [
        element.number(name) for name in (("radius", "length") if element.tag == "cylinder" else ("radius",))])


# ---- joints


def _joints(robot: Robot, top: Element) -> dict[str, tuple[RobotJoint, Pose]]:
    """Joints, with the origin in the frame of the parent, by child."""
    found: dict[str, tuple[RobotJoint, Pose]] = {}
    named: dict[str, Element] = {}
    for element in top.all("joint"):
        name = element.text("name")
        if name in named:
            raise element.refuse("the name '{name}' of a joint is taken by line {line}: choose another one",
                                 name=name, line=named[name].line)
        named[name] = element
        if (mimic := element.first("mimic")) is not None:
            raise mimic.refuse("joint '{name}' mimics '{other}', which is not supported: remove <mimic>, and the joint moves "
                               "by itself", name=name, other=mimic.attributes.get("joint", ""))
        ends = []
        for tag in ("parent", "child"):
            end = element.first(tag)
            if end is None:
                raise element.refuse("joint '{name}' has no <{tag} link=\"...\"/>: add it", name=name, tag=tag)
            link = end.text("link")
            if link not in robot.links:
                raise end.refuse("joint '{name}' names the link '{link}', which is not in the file: add it or correct the name",
                                 name=name, link=link)
            ends.append(link)
        parent, child = ends
        if child in found:
            raise element.refuse("link '{child}' has two parents, by joints '{first}' and '{second}': a URDF robot is a tree; "
                                 "remove one of them", child=child, first=found[child][0].name, second=name)
        found[child] = _joint(robot, element, parent, child), _origin(element)
    return found


def _joint(robot: Robot, element: Element, parent: str, child: str) -> RobotJoint:
    name, kind = element.text("name"), element.text("type")
    if kind not in JOINT_KINDS:
        raise element.refuse("joint '{name}' has the type '{kind}'; allowed: {allowed}",
                             name=name, kind=kind, allowed=", ".join(JOINT_KINDS))
    line = element.first("axis") if kind not in ("fixed", "floating") else None     # which have none: some programs write 0 0 0
    axis = np.array([1.0, 0.0, 0.0]) if line is None else line.numbers("xyz", 3)
    if np.linalg.norm(axis) < 1e-9:
        raise line.refuse("the axis of joint '{name}' has zero length: give a direction", name=name)
    joint = RobotJoint(name, element, JOINT_KINDS[kind], parent, child, np.zeros(3), axis / np.linalg.norm(axis))
    if (dynamics := element.first("dynamics")) is not None and kind not in ("fixed", "floating"):
        values = {of: dynamics.number(of, 0.0) for of in ("friction", "damping")}
        for of, value in values.items():
            if value < 0.0:
                raise dynamics.refuse("{tag} = {value:g} of joint '{name}' must not be below zero",
                                      tag=of, value=value, name=name)
        joint.friction = Friction(static=values["friction"], viscous=values["damping"])
    _limit(joint, kind, element.first("limit"))
    for one in element.children:
        if one.tag not in ("origin", "parent", "child", "axis", "limit", "dynamics"):
            robot.skip(one, f"of joint '{name}' is not used")
    return joint


def _limit(joint: RobotJoint, kind: str, limit: Element | None) -> None:
    """Range, start and motor of a joint."""
    if kind not in ("revolute", "prismatic", "continuous"):
        return
    if limit is None:
        if kind != "continuous":
            raise joint.element.refuse("joint '{name}' is {kind} and has no <limit>: add it, or make it continuous",
                                       name=joint.name, kind=kind)
        return
    if kind != "continuous":
        lo, hi = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if lo > hi:
            raise limit.refuse("the limits of joint '{name}' are the wrong way round: lower = {lo:g}, upper = {hi:g}",
                               name=joint.name, lo=lo, hi=hi)
        joint.limits = {"angle" if joint.kind == "revolute" else "travel": (lo if lo > -ENDLESS else -math.inf,
                                                                            hi if hi < ENDLESS else math.inf)}
        joint.start = min(max(0.0, lo), hi)
    effort, speed = limit.number("effort", 0.0), limit.number("velocity", 0.0)
    if effort > 0.0:
        joint.motor = Motor("position", joint.start, min(effort, 1e9), speed if 0.0 < speed <= 1e6 else 1.0)


def _combine(robot: Robot, found: dict[str, tuple[RobotJoint, Pose]]) -> None:
    """Make one joint of joints in a row."""
    below: dict[str, list[str]] = {}
    for child, (joint, _) in found.items():
        below.setdefault(joint.parent, []).append(child)
    pins = {name for name, link in robot.links.items() if name in found and found[name][0].kind in ("revolute", "prismatic")
            and len(below.get(name, ())) == 1 and not link.geometries and link.mass <= PIN_MASS
            and np.abs(link.inertia).max() <= PIN_INERTIA}
    for end in [name for name in found if name not in pins and found[name][0].parent in pins]:
        row = [end]
        while (before := found[row[0]][0].parent) in pins:
            row.insert(0, before)
        joints, origins = [found[name][0] for name in row], [found[name][1] for name in row]
        axes, origin = [], IDENTITY
        for joint, one in zip(joints, origins, strict=True):      # along the frame of the last link
            axes = [rotate(conjugate(one.quat), axis) for axis in axes] + [joint.axis]
            origin = origin.then(one)
        kind = _kind_of_row(joints, origins, np.array(axes))
        if kind:
            first = joints[0]
            name = first.name.rpartition(" ")[0] or first.name       # "elbow" of "elbow x", as urdf_export.py calls them
            found[end] = (RobotJoint(name, first.element, kind, first.parent, end, np.zeros(3), axes[0], friction=first.friction),
                          origin)
            for pin in row[:-1]:
                del found[pin], robot.links[pin]


def _kind_of_row(joints: Sequence[RobotJoint], origins: Sequence[Pose], axes: np.ndarray) -> str:
    """The kind of joint that joints in a row are together; "": none. axes (n, 3): in one frame."""
    kinds = [joint.kind for joint in joints]
    if (any(np.abs(one.pos).max() > 1e-9 for one in origins[1:]) or any(joint.motor for joint in joints)
            or any(np.isfinite(limit).any() for joint in joints for limit in joint.limits.values())):
        return ""
    if kinds == ["revolute"] * 3 and abs(np.linalg.det(axes)) > 0.1 and len({joint.friction for joint in joints}) == 1:
        return "spherical"
    along = kinds == ["prismatic", "revolute"] and np.abs(np.cross(*axes)).max() < 1e-9
    return "cylindrical" if along and joints[1].friction == Friction() else ""


def _place(robot: Robot, joints: dict[str, tuple[RobotJoint, Pose]]) -> None:
    """Put the links in their places, parents before children, and add the joints in this order."""
    roots = [name for name in robot.links if name not in joints]
    if not roots:
        name = next(iter(joints))
        raise joints[name][0].element.refuse("the joints form a loop that '{name}' is part of, so that no link is the root: "
                                             "remove one of them", name=name)
    if len(roots) > 1:
        second = robot.links[roots[1]]
        raise second.element.refuse("'{first}' and '{second}' are both without a parent: a URDF robot has one root; join them, "
                                    "or remove one", first=roots[0], second=roots[1])
    robot.root = roots[0]
    below: dict[str, list[str]] = {}
    for child, (joint, _) in joints.items():
        below.setdefault(joint.parent, []).append(child)
    ordered, seen = [robot.root], {robot.root}
    for name in ordered:
        for child in below.get(name, ()):
            joint, origin = joints[child]
            frame = robot.links[name].pose.then(origin)
            robot.links[child].pose = frame
            joint.anchor, joint.axis = frame.pos, rotate(frame.quat, joint.axis)
            if joint.kind:
                robot.joints.append(joint)
            ordered.append(child)
            seen.add(child)
    if left := [name for name in joints if name not in seen]:
        raise joints[left[0]][0].element.refuse("the joints form a loop that '{name}' is part of: remove one of them",
                                                name=left[0])
    robot.links = {name: robot.links[name] for name in ordered}
