"""A world as a URDF file (https://wiki.ros.org/urdf/XML) with its meshes beside it.

One tree: its root "world" holds what does not move by fixed joints, the mechanisms by their joints, and bodies without joints by
floating ones. Links with mass, centre and inertia, shapes as <collision> and <visual>, joints with <limit>, <dynamics> (friction:
dry, damping: viscous) and position motors as effort and velocity. What URDF cannot hold is returned in sentences.

URDF has no ball joint, and no cylindrical one: three hinges in a row, or a slide and a hinge, stand for them, with links of
PIN_MASS between, which MuJoCo asks for and Pinocchio does not notice. Our own reader makes one joint of them again (urdf.py).

URDF has no start: joints lie at zero, where the frames of both bodies of a joint coincide. The frame of a link is at the joint
that leads to it, along the axes of its body:

    origin = L_p^-1 J_p T(q) J_c^-1 L_c,    J: joint frame in the body of parent and child, L: link frame in it, q = 0 or locked
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.robots.model import IDENTITY, Pose
from app.robots.urdf import ENDLESS, PIN_INERTIA, PIN_MASS, from_angles
from app.robots.world_tree import (
    MAX_LISTED,
    Edge,
    axis_coordinates,
    cone_corners,
    friction_of_axis,
    grouped_sentences,
    numbers_text,
    pose_of,
    tree_of,
)
from physics import BadInput, Hull, World
from physics.core.quaternions import rotate, to_matrix
from physics.core.records import Drive, Kind

JOINT_KINDS = {"revolute": "revolute", "prismatic": "prismatic", "planar": "planar", "fixed": "fixed"}
"""URDF's types of the engine's joints."""

SERIES = {"spherical": (("x", "continuous"), ("y", "continuous"), ("z", "continuous")),
          "cylindrical": (("slide", "prismatic"), ("turn", "continuous"))}
"""Joints in a row that stand for one, with their types."""

ROOT = "world"

ELLIPSOID_CORNERS = 200


@dataclass
class _UrdfWriter:
    """files: meshes by name; frames: link frame in the frame of its body, by body."""

    world: World
    top: ET.Element
    folder: str
    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    joint_names: set[str] = field(default_factory=set)
    frames: dict[int, Pose] = field(default_factory=dict)
    moved: list[str] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Tell something once."""
        if sentence not in self.notes:
            self.notes.append(sentence)


def urdf_of(world: World, name: str, folder: str) -> tuple[str, dict[str, bytes], list[str]]:
    """(the text of the file, its meshes by name, sentences about what is not in it). folder: of the meshes, beside the file.

    Raises:
        BadInput: nothing moves.
    """
    moving = np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC).tolist()
    if not moving:
        raise BadInput("the scene has no moving bodies: a URDF robot needs one")
    writer = _UrdfWriter(world, ET.Element("robot", name=name), folder)
    tree, loops = tree_of(world, JOINT_KINDS | SERIES, writer.note)
    for j in loops:
        writer.note(f"joint '{world.joint_names[j]}' closes a loop and is left out: a URDF robot is a tree")
    held = {edge.child: edge for edge in tree}
    fixed = [b for b in np.flatnonzero((world.bodies["kind"] != Kind.DYNAMIC) & (world.bodies["kind"] != Kind.FREE)).tolist()
             if b and (any(edge.parent == b for edge in tree) or _shapes(writer, b))]
    _write_link(writer, 0)
    for body in fixed + [b for b in moving if b not in held]:
        writer.frames[body] = IDENTITY
        _write_link(writer, body)
        joint = ET.SubElement(writer.top, "joint", name=_unused(writer, f"{writer.names[body]} in the world"),
                              type="fixed" if body in fixed else "floating")
        _write_ends(writer, joint, 0, body, pose_of(world, body))
        if world.bodies["kind"][body] == Kind.KINEMATIC:
            writer.note(f"'{world.body_names[body]}' moves by itself here and is fixed in the file")
    for edge in tree:
        write = _write_series if world.joint_kinds[world.joints["kind"][edge.joint]] in SERIES else _write_joint
        write(writer, edge)
    _note_lacks(writer, moving)
    ET.indent(writer.top)
    return ET.tostring(writer.top, encoding="unicode") + "\n", writer.files, grouped_sentences(writer.notes)


def _note_lacks(writer: _UrdfWriter, moving: Sequence[int]) -> None:
    """Note what no URDF file holds."""
    world, shapes = writer.world, writer.world.shapes[writer.world.shapes["body"] >= 0]
    if len(shapes):
        writer.note("URDF has no friction and restitution of surfaces, and links of one robot do not touch one another")
    if writer.moved:
        listed = ", ".join(writer.moved[:MAX_LISTED]) + (" ..." if len(writer.moved) > MAX_LISTED else "")
        writer.note(f"URDF has no start: all joints lie at zero, or in their limits next to it; here {listed}")
    if world.bodies["vel"][moving].any() or world.bodies["omega"][moving].any():
        writer.note("URDF has no velocities: the robot starts at rest")
    if not np.array_equal(world.gravity, (0.0, 0.0, -9.81)):
        writer.note("URDF has no gravity: programs that open it have their own")
    if world.drivers:
        writer.note("what drives the scene by Python is not in the file")
    if any(one["kind"] >= 0 and (np.isfinite(one["break_force"]) or np.isfinite(one["break_torque"])) for one in world.joints):
        writer.note("the loads at which joints break are not in the file")


def _shapes(writer: _UrdfWriter, body: int) -> list[int]:
    """Shapes of a body that a file can hold; the others are noted."""
    world, held = writer.world, []
    for s in np.flatnonzero(world.shapes["body"] == body).tolist():
        kind = world.shape_kinds[world.shapes["kind"][s]]
        if kind in _WRITERS and not world.shapes["sensor"][s]:
            held.append(s)
        else:
            what = "sensor" if world.shapes["sensor"][s] else kind.replace("_", " ")
            writer.note(f"the {what} of '{world.body_names[body]}' has no counterpart and is left out")
    return held


# ---- links


def _write_link(writer: _UrdfWriter, body: int) -> None:
    world, record = writer.world, writer.world.bodies[body]
    name = ROOT if body == 0 else world.body_names[body].strip()
    while name in writer.names.values():
        name += "'"
    writer.names[body] = name
    link, frame = ET.SubElement(writer.top, "link", name=name), writer.frames.get(body, IDENTITY)
    if record["kind"] == Kind.DYNAMIC:
        inertial = ET.SubElement(link, "inertial")
        _write_origin(inertial, IDENTITY.inside(frame))
        ET.SubElement(inertial, "mass", value=repr(float(record["mass"])))
        ET.SubElement(inertial, "inertia", **{f"i{'xyz'[i]}{'xyz'[k]}": repr(float(record["inertia"][i, k]))
                                              for i in range(3) for k in range(i, 3)})
    for s in _shapes(writer, body):
        if world.shapes["rounding"][s] > 0.0:
            writer.note("rounded edges are not in the file")
        own = Pose(world.shapes["local_pos"][s].copy(), world.shapes["local_quat"][s].copy()).inside(frame)
        for shift, tag, given in _WRITERS[world.shape_kinds[world.shapes["kind"][s]]](writer, s):
            for use in ("visual", "collision"):
                element = ET.SubElement(link, use)
                _write_origin(element, own.then(Pose(np.array([0.0, 0.0, shift]), IDENTITY.quat)))
                ET.SubElement(ET.SubElement(element, "geometry"), tag, **given)


def _write_origin(element: ET.Element, pose: Pose) -> None:
    ET.SubElement(element, "origin", xyz=numbers_text(pose.pos), rpy=numbers_text(to_angles(pose.quat)))


def to_angles(quat: np.ndarray) -> np.ndarray:
    """Roll, pitch, yaw (3,) [rad] about the fixed x, y, z; exact also near a pitch of 90 degrees, where one is free."""
    turn = to_matrix(quat)
    yaw = np.arctan2(turn[1, 0], turn[0, 0]) if np.hypot(turn[1, 0], turn[0, 0]) > 1e-12 else 0.0
    s, c = np.sin(yaw), np.cos(yaw)
    roll = np.arctan2(s * turn[0, 2] - c * turn[1, 2], c * turn[1, 1] - s * turn[0, 1])
    return np.array([roll, np.arctan2(-turn[2, 0], c * turn[0, 0] + s * turn[1, 0]), yaw])


# ---- shapes: (shift along its z axis [m], tag, attributes) of each part


_Part = tuple[float, str, dict[str, str]]


def _box(writer: _UrdfWriter, s: int) -> list[_Part]:
    return [(0.0, "box", {"size": numbers_text(2.0 * writer.world.shapes["dims"][s])})]


def _sphere(writer: _UrdfWriter, s: int) -> list[_Part]:
    return [(0.0, "sphere", {"radius": repr(float(writer.world.shapes["dims"][s][0]))})]


def _cylinder(writer: _UrdfWriter, s: int) -> list[_Part]:
    radius, half = map(float, writer.world.shapes["dims"][s][:2])
    return [(0.0, "cylinder", {"radius": repr(radius), "length": repr(2.0 * half)})]


def _capsule(writer: _UrdfWriter, s: int) -> list[_Part]:
    """A cylinder between two spheres: the same solid."""
    half = float(writer.world.shapes["dims"][s][1])
    (sphere,) = _sphere(writer, s)
    return [*_cylinder(writer, s), (half, *sphere[1:]), (-half, *sphere[1:])]


def _hull(writer: _UrdfWriter, s: int) -> list[_Part]:
    own = writer.world.pool.data(writer.world.shapes["geometry"][s])
    return [_mesh(writer, s, own.vertices, own.triangles)]


def _cone(writer: _UrdfWriter, s: int) -> list[_Part]:
    hull = Hull(cone_corners(*writer.world.shapes["dims"][s][:2])).hull
    return [_mesh(writer, s, hull.points, hull.triangles)]


def _ellipsoid(writer: _UrdfWriter, s: int) -> list[_Part]:
    writer.note(f"ellipsoids are meshes of {ELLIPSOID_CORNERS} corners")
    k = np.arange(ELLIPSOID_CORNERS) + 0.5
    z, angle = 1.0 - 2.0 * k / ELLIPSOID_CORNERS, np.pi * (1.0 + np.sqrt(5.0)) * k
    r = np.sqrt(1.0 - z**2)
    hull = Hull(np.column_stack([r * np.cos(angle), r * np.sin(angle), z]) * writer.world.shapes["dims"][s]).hull
    return [_mesh(writer, s, hull.points, hull.triangles)]


def _mesh(writer: _UrdfWriter, s: int, points: np.ndarray, triangles: np.ndarray) -> _Part:
    """A mesh in a file of its own."""
    body = re.sub(r"[^\w-]+", "_", writer.world.body_names[writer.world.shapes["body"][s]]).strip("_") or "body"
    name = f"{body}_{s}.obj"
    lines = [f"v {numbers_text(point)}" for point in points] + [f"f {a} {b} {c}" for a, b, c in (triangles + 1).tolist()]
    writer.files[name] = ("\n".join(lines) + "\n").encode()
    return 0.0, "mesh", {"filename": f"{writer.folder}/{name}"}


_WRITERS = {"box": _box, "sphere": _sphere, "cylinder": _cylinder, "capsule": _capsule, "hull": _hull, "cone": _cone,
            "ellipsoid": _ellipsoid}


# ---- joints


def _write_joint(writer: _UrdfWriter, edge: Edge) -> None:
    """Write a link and the joint that leads to it from its parent."""
    world, joint = writer.world, writer.world.joints[edge.joint]
    kind, name = world.joint_kinds[joint["kind"]], world.joint_names[edge.joint]
    parent, child = ("b", "a") if edge.flipped else ("a", "b")
    writer.frames[edge.child] = Pose(joint[f"anchor_{child}"].copy(), IDENTITY.quat)
    _write_link(writer, edge.child)
    own = (Pose(joint[f"anchor_{side}"], joint[f"frame_{side}"]) for side in (parent, child))
    before, after = own
    lo, hi = float(joint["limit_lo"][0]), float(joint["limit_hi"][0])
    single = kind in ("revolute", "prismatic")
    locked = single and lo == hi
    endless = kind == "revolute" and not np.isfinite((lo, hi)).any()
    element = ET.SubElement(writer.top, "joint", name=_unused(writer, name),
                            type="fixed" if locked else "continuous" if endless else JOINT_KINDS[kind])
    turned = before.then(_moved(kind, (-lo if edge.flipped else lo) if locked else 0.0))
    _write_ends(writer, element, edge.parent, edge.child, turned.then(IDENTITY.inside(after)))
    if locked or kind == "fixed":
        return
    axis = rotate(joint[f"frame_{child}"], np.array([0.0, 0.0, -1.0 if edge.flipped else 1.0]))
    ET.SubElement(element, "axis", xyz=numbers_text(axis))
    if single:
        _write_limit(writer, edge.joint, element, endless)
        at = axis_coordinates(world, edge.joint)[0][0]
        if abs(at - min(max(0.0, lo), hi)) > 1e-9:
            writer.moved.append(f"'{name}' is at {at:.4g}")
    elif np.isfinite(joint["limit_lo"]).any() or np.isfinite(joint["limit_hi"]).any():
        writer.note(f"limits of the planar joint '{name}' are left out: URDF has none")
    friction, damping = friction_of_axis(world, edge.joint, 0, name, writer.note)
    if not single and friction_of_axis(world, edge.joint, 2, name, writer.note) != (0.0, 0.0):
        writer.note(f"friction of the planar joint '{name}' is in the file for its sliding only")
    if friction or damping:
        ET.SubElement(element, "dynamics", damping=repr(damping), friction=repr(friction))


def _write_series(writer: _UrdfWriter, edge: Edge) -> None:
    """Write a link and the joints in a row that lead to it; their zero is the present pose."""
    world, joint = writer.world, writer.world.joints[edge.joint]
    kind, name, side = world.joint_kinds[joint["kind"]], world.joint_names[edge.joint], "a" if edge.flipped else "b"
    writer.frames[edge.child] = Pose(joint[f"anchor_{side}"].copy(), IDENTITY.quat)
    _write_link(writer, edge.child)
    line = rotate(joint[f"frame_{side}"], np.array([0.0, 0.0, -1.0 if edge.flipped else 1.0]))
    parent, last = writer.names[edge.parent], len(SERIES[kind]) - 1
    origin = pose_of(world, edge.child).inside(pose_of(world, edge.parent)).then(writer.frames[edge.child])
    origin = origin.inside(writer.frames.get(edge.parent, IDENTITY))
    for k, (suffix, type_) in enumerate(SERIES[kind]):
        child = writer.names[edge.child] if k == last else _write_pin(writer, f"{name} pin {k + 1}")
        element = ET.SubElement(writer.top, "joint", name=_unused(writer, f"{name} {suffix}"), type=type_)
        _write_origin(element, IDENTITY if k else origin)
        ET.SubElement(element, "parent", link=parent)
        ET.SubElement(element, "child", link=child)
        ET.SubElement(element, "axis", xyz=numbers_text(np.eye(3)[k] if kind == "spherical" else line))
        if type_ == "prismatic":
            ET.SubElement(element, "limit", lower=repr(-ENDLESS), upper=repr(ENDLESS), effort="0.0", velocity="0.0")
        friction, damping = friction_of_axis(world, edge.joint, 0 if kind == "spherical" else k, name, writer.note)
        if friction or damping:
            ET.SubElement(element, "dynamics", damping=repr(damping), friction=repr(friction))
        parent = child
    writer.note(f"the {kind} joint '{name}' is {last + 1} joints in a row, whose dry friction acts on each by itself")
    if np.isfinite(joint["limit_lo"]).any() or np.isfinite(joint["limit_hi"]).any() or joint["motor_mode"].any():
        writer.note(f"limits and motors of the {kind} joint '{name}' are left out")


def _write_pin(writer: _UrdfWriter, name: str) -> str:
    """Write a link without shapes between two joints in a row; its name."""
    while name in writer.names.values():
        name += "'"
    inertial = ET.SubElement(ET.SubElement(writer.top, "link", name=name), "inertial")
    ET.SubElement(inertial, "mass", value=repr(PIN_MASS))
    ET.SubElement(inertial, "inertia", ixx=repr(PIN_INERTIA), ixy="0.0", ixz="0.0", iyy=repr(PIN_INERTIA), iyz="0.0",
                  izz=repr(PIN_INERTIA))
    return name


def _moved(kind: str, q: float) -> Pose:
    """The motion of a joint to a coordinate, in its frame."""
    if kind == "prismatic":
        return Pose(np.array([0.0, 0.0, q]), IDENTITY.quat)
    return Pose(np.zeros(3), from_angles(np.array([0.0, 0.0, q])))


def _write_ends(writer: _UrdfWriter, joint: ET.Element, parent: int, child: int, motion: Pose) -> None:
    """Write origin, parent and child. motion: pose of the child's body in that of the parent."""
    outer, inner = writer.frames.get(parent, IDENTITY), writer.frames.get(child, IDENTITY)
    _write_origin(joint, motion.then(inner).inside(outer))
    ET.SubElement(joint, "parent", link=writer.names[parent])
    ET.SubElement(joint, "child", link=writer.names[child])


def _write_limit(writer: _UrdfWriter, j: int, element: ET.Element, endless: bool) -> None:
    """Write range, effort and velocity; without a motor the effort is zero."""
    joint, name = writer.world.joints[j], writer.world.joint_names[j]
    mode, given = joint["motor_mode"][0], {}
    if not endless:
        lo, hi = float(joint["limit_lo"][0]), float(joint["limit_hi"][0])
        given = {"lower": repr(max(lo, -ENDLESS)), "upper": repr(min(hi, ENDLESS))}
    held = mode == Drive.POSITION
    if held and abs(joint["motor_target"][0]) > 1e-9:
        writer.note(f"the motor of '{name}' moves to {joint['motor_target'][0]:.4g} here: a URDF motor has no target")
    elif mode not in (Drive.OFF, Drive.POSITION):
        writer.note(f"the {'spring' if mode == Drive.SPRING else 'motor'} of '{name}' is left out: URDF has none")
    if held or not endless:
        effort, speed = (float(joint[f"motor_{of}"][0]) if held else 0.0 for of in ("force", "speed"))
        ET.SubElement(element, "limit", **given, effort=repr(effort), velocity=repr(speed))


def _unused(writer: _UrdfWriter, name: str) -> str:
    name = name.strip()
    while name in writer.joint_names:
        name += "'"
    writer.joint_names.add(name)
    return name
