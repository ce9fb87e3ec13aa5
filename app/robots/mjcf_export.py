"""A world as an MJCF file, for MuJoCo 3 and later.

Bodies with mass, centre and inertia; geoms with friction; joints with limits (range), dry friction (frictionloss), viscous
friction (damping), springs; gravity, step; pairs that do not touch (exclude); velocities and coordinates as the keyframe "start".
Joints that close a loop become equalities. What MuJoCo has no counterpart for is returned in sentences.

Dry friction of MuJoCo's joints creeps by its solimpfriction; 0.9999 makes that small enough for both engines to converge to one
motion.
"""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.robots.model import IDENTITY, Pose
from app.robots.world_tree import (
    Edge,
    axis_coordinates,
    axis_direction,
    cone_corners,
    friction_of_axis,
    grouped_sentences,
    numbers_text,
    pose_of,
    tree_of,
)
from physics import World
from physics.core.quaternions import conjugate, rotate
from physics.core.records import Drive, Kind
from physics.joints import Motion

MAX_PAIRS = 20_000
"""Largest number of pairs that are excluded by name."""

@dataclass
class _MjcfWriter:
    world: World
    top: ET.Element
    assets: ET.Element
    notes: list[str] = field(default_factory=list)
    elements: dict[int, ET.Element] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    positions: list[float] = field(default_factory=list)      # qpos
    speeds: list[float] = field(default_factory=list)         # qvel
    springs: list[tuple[str, float, float, float, float]] = field(default_factory=list)

    def note(self, sentence: str) -> None:
        """Tell something once."""
        if sentence not in self.notes:
            self.notes.append(sentence)


def mjcf_of(world: World, name: str, dt: float) -> tuple[str, list[str]]:
    """(the text of the file, sentences about what is not in it). name: of the model; dt: step [s]."""
    top = ET.Element("mujoco", model=name)
    ET.SubElement(top, "compiler", angle="radian", autolimits="true")
    ET.SubElement(top, "option", timestep=repr(float(dt)), gravity=numbers_text(world.gravity), cone="elliptic", impratio="10",
                  integrator="implicitfast")
    defaults = ET.SubElement(top, "default")
    ET.SubElement(defaults, "geom", condim="3", solref=f"{max(2.0 * dt, 0.004)!r} 1")
    ET.SubElement(defaults, "joint", armature="0", solreffriction=f"{2.0 * dt!r} 1", solimpfriction="0.9999 0.9999 0.001",
                  solreflimit=f"{max(2.0 * dt, 0.004)!r} 1")
    writer = _MjcfWriter(world, top, ET.SubElement(top, "asset"))
    loops = _write_bodies(writer, ET.SubElement(top, "worldbody"))
    _write_excludes(writer)
    _write_loops(writer, loops)
    _write_springs(writer)
    if writer.positions:
        frames = ET.SubElement(top, "keyframe")
        ET.SubElement(frames, "key", name="start", qpos=numbers_text(writer.positions), qvel=numbers_text(writer.speeds))
    if world.drivers:
        writer.note("what drives the scene by Python is not in the file")
    if (world.shapes["restitution"][world.shapes["body"] >= 0] > 0.0).any():
        writer.note("MuJoCo has no coefficient of restitution: impacts do not rebound")
    _note_materials(writer)
    _note_joints(writer)
    if len(np.unique(world.shapes["friction"][world.shapes["body"] >= 0])) > 1:
        writer.note("of two friction coefficients MuJoCo takes the larger one: pairs of unlike bodies may differ")
    ET.indent(top)
    return ET.tostring(top, encoding="unicode") + "\n", grouped_sentences(writer.notes)


SURFACES = (("kinetic friction other than static friction", lambda one: one.kinetic_ratio != 1.0),
            ("friction that depends on the direction (anisotropy)", lambda one: one.anisotropy != 1.0),
            ("surface velocity, as of belts", lambda one: any(one.surface_velocity)),
            ("adhesion", lambda one: one.adhesion != 0.0),
            ("rolling friction", lambda one: one.rolling != 0.0), ("torsional friction", lambda one: one.torsional != 0.0),
            ("tangential restitution", lambda one: one.tangential_restitution != 0.0),
            ("torsional restitution", lambda one: one.torsional_restitution != 0.0))
"""What a file does not hold of a material, and which materials have it."""


def _note_materials(writer: _MjcfWriter) -> None:
    """Tell what the surfaces have beyond one friction coefficient."""
    world = writer.world
    used = np.unique(world.shapes["material"][world.shapes["body"] >= 0]).tolist()
    for what, has in SURFACES:
        if any(has(world.materials.items[k]) for k in used):
            writer.note(f"{what} is not in the file")
    if any(given and set(pair) <= set(used) for pair, given in world.materials.given.items()):
        writer.note("what is set for pairs of materials is not in the file: their own friction counts")


def _note_joints(writer: _MjcfWriter) -> None:
    """Tell what joints have beyond their kind, limits, friction and springs."""
    world = writer.world
    for j in np.flatnonzero(world.joints["kind"] >= 0).tolist():
        joint, name, kind = world.joints[j], world.joint_names[j], world.joint_kinds[world.joints["kind"][j]]
        if np.isfinite((joint["break_force"], joint["break_torque"])).any():
            writer.note(f"joint '{name}' does not break in MuJoCo")
        if world.joint_kind(j).pulled:
            writer.note(f"joint '{name}' ({kind}) has no counterpart and is left out")
        if kind in ("planar", "spherical") and joint["max_friction"][0] > 0.0:
            writer.note(f"dry friction of the {kind} joint '{name}' acts on each of its directions by itself")
        if joint["limit_restitution"] > 0.0:
            writer.note(f"limits of '{name}' do not rebound in MuJoCo")


# ---- the tree


def _write_bodies(writer: _MjcfWriter, worldbody: ET.Element) -> list[int]:
    """Write all bodies, parents before children; returns the joints that close loops."""
    world = writer.world
    bodies = np.flatnonzero(world.bodies["kind"] != Kind.FREE)
    for body in bodies:
        if world.bodies["kind"][body] != Kind.DYNAMIC:
            _write_body(writer, worldbody, int(body), None, IDENTITY)
            if world.bodies["kind"][body] == Kind.KINEMATIC:
                writer.note(f"'{world.body_names[body]}' moves by itself here and is static in the file")
    tree, loops = tree_of(world, TREE_KINDS, writer.note)
    below: dict[int, list[Edge]] = {}
    for edge in tree:
        below.setdefault(edge.parent, []).append(edge)
    held = {edge.child for edge in tree}

    def walk(start: int, edge: Edge | None) -> None:
        waiting = [(start, edge)]
        while waiting:
            body, by = waiting.pop()
            parent = writer.elements[by.parent] if by is not None else worldbody
            _write_body(writer, parent, body, by, pose_of(world, by.parent) if by is not None else IDENTITY)
            waiting += [(one.child, one) for one in reversed(below.get(body, []))]

    # in the order of the file, depth first: MuJoCo's coordinates are in it
    for body in bodies:
        if world.bodies["kind"][body] != Kind.DYNAMIC:
            for edge in below.get(int(body), []):
                walk(edge.child, edge)
    for body in bodies:
        if world.bodies["kind"][body] == Kind.DYNAMIC and int(body) not in held:
            walk(int(body), None)
    return loops


TREE_KINDS = {"revolute", "prismatic", "cylindrical", "spherical", "fixed", "planar", "universal"}
"""Kinds of joints that the tree can have."""


def _write_body(writer: _MjcfWriter, parent: ET.Element, body: int, edge: Edge | None, frame: Pose) -> None:
    world, record = writer.world, writer.world.bodies[body]
    own = pose_of(writer.world, body).inside(frame)
    element = ET.SubElement(parent, "body", name=_body_name(writer, body),
                            pos=numbers_text(own.pos), quat=numbers_text(own.quat))
    writer.elements[body] = element
    if record["kind"] == Kind.DYNAMIC:
        inertia = record["inertia"]
        ET.SubElement(element, "inertial", pos="0 0 0", mass=repr(float(record["mass"])), fullinertia=numbers_text(
            inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
        if edge is None:
            ET.SubElement(element, "freejoint", name=_unused(writer, f"{world.body_names[body]} free"))
            writer.positions += [*own.pos, *own.quat]
            writer.speeds += [*record["vel"], *rotate(conjugate(record["quat"]), record["omega"])]
        else:
            _write_joint(writer, element, edge)
    for s in np.flatnonzero(world.shapes["body"] == body):
        _write_geom(writer, element, int(s))


def _body_name(writer: _MjcfWriter, body: int) -> str:
    """The name of a body in the file, where spaces around it do not count."""
    name = writer.world.body_names[body].strip() if body else "ground of the world"
    taken = {one.get("name") for one in writer.elements.values()}
    while name in taken:
        name += "'"
    return name


def _unused(writer: _MjcfWriter, name: str) -> str:
    name = name.strip()
    while name in writer.named:
        name += "'"
    writer.named.add(name)
    return name


# ---- geometries


def _write_geom(writer: _MjcfWriter, element: ET.Element, s: int) -> None:
    world, shape = writer.world, writer.world.shapes[s]
    kind, dims = world.shape_kinds[shape["kind"]], shape["dims"]
    sizes = {"box": dims, "sphere": dims[:1], "capsule": dims[:2], "cylinder": dims[:2], "ellipsoid": dims,
             "plane": (0.0, 0.0, 0.1)}
    given = {"pos": numbers_text(shape["local_pos"]), "quat": numbers_text(shape["local_quat"]),
             "friction": numbers_text((shape["friction"], 0.0, 0.0))}
    if shape["rounding"] > 0.0:
        writer.note("rounded edges are not in the file")
    if shape["sensor"]:
        given |= {"contype": "0", "conaffinity": "0"}
    if kind in sizes:
        ET.SubElement(element, "geom", type=kind, size=numbers_text(sizes[kind]), **given)
        return
    if kind == "hull":
        points = world.pool.data(shape["geometry"]).vertices
    elif kind == "cone":
        points = cone_corners(dims[0], dims[1])
    else:
        writer.note(f"the {kind.replace('_', ' ')} of '{world.body_names[shape['body']]}' is left out: meshes of MuJoCo are "
                    "convex")
        return
    name = f"shape {s}"
    ET.SubElement(writer.assets, "mesh", name=name, vertex=numbers_text(np.ravel(points)))
    ET.SubElement(element, "geom", type="mesh", mesh=name, **given)


# ---- joints


def _write_joint(writer: _MjcfWriter, element: ET.Element, edge: Edge) -> None:
    """Write the axes of a joint of the tree."""
    world, joint = writer.world, writer.world.joints[edge.joint]
    known, kind = world.joint_kind(edge.joint), world.joint_kinds[joint["kind"]]
    name, child = world.joint_names[edge.joint], world.bodies[edge.child]
    anchor = joint["anchor_a"] if edge.flipped else joint["anchor_b"]
    coordinates, rates = axis_coordinates(world, edge.joint)
    if kind == "spherical":
        _write_ball(writer, element, edge, name)
        return
    axes = list(range(len(known.axes)))
    for k in reversed(axes) if edge.flipped else axes:
        lo, hi = float(joint["limit_lo"][k]), float(joint["limit_hi"][k])
        if lo == hi:
            continue
        direction = axis_direction(world, edge.joint, known.axes[k].motion) * (-1.0 if edge.flipped else 1.0)
        own = name if len(axes) == 1 else f"{name} {known.axes[k].name}"
        given = {"name": _unused(writer, own), "type": "hinge" if known.axes[k].unit == "rad" else "slide",
                 "pos": numbers_text(anchor), "axis": numbers_text(rotate(conjugate(child["quat"]), direction)),
                 "ref": repr(coordinates[k])}
        if np.isfinite(lo) or np.isfinite(hi):
            given["range"] = numbers_text((max(lo, -1e6), min(hi, 1e6)))
        given |= _friction(writer, edge.joint, k, own)
        ET.SubElement(element, "joint", **given)
        _write_motor(writer, edge.joint, k, given["name"])
        writer.positions.append(coordinates[k])
        writer.speeds.append(rates[k])


def _write_ball(writer: _MjcfWriter, element: ET.Element, edge: Edge, name: str) -> None:
    world, joint = writer.world, writer.world.joints[edge.joint]
    anchor = joint["anchor_a"] if edge.flipped else joint["anchor_b"]
    given = {"name": _unused(writer, name), "type": "ball", "pos": numbers_text(anchor)}
    if np.isfinite(joint["limit_lo"][:2]).any() or np.isfinite(joint["limit_hi"][:2]).any():
        writer.note(f"limits of the ball joint '{name}' are left out: MuJoCo limits its whole rotation, not twist and swing")
    ET.SubElement(element, "joint", **given, **_friction(writer, edge.joint, 0, name))
    if joint["motor_mode"][0] != Drive.OFF:
        writer.note(f"the motor of the ball joint '{name}' is left out")
    a, b = world.bodies[edge.parent], world.bodies[edge.child]
    writer.positions += [1.0, 0.0, 0.0, 0.0]
    writer.speeds += [*rotate(conjugate(b["quat"]), b["omega"] - a["omega"])]


def _friction(writer: _MjcfWriter, j: int, axis: int, name: str) -> dict[str, str]:
    """frictionloss and damping of an axis."""
    values = zip(("frictionloss", "damping"), friction_of_axis(writer.world, j, axis, name, writer.note), strict=True)
    return {key: repr(value) for key, value in values if value > 0.0}


def _write_motor(writer: _MjcfWriter, j: int, axis: int, name: str) -> None:
    joint = writer.world.joints[j]
    mode = joint["motor_mode"][axis]
    if mode == Drive.SPRING:
        writer.springs.append((name, *(float(joint[f"motor_{of}"][axis]) for of in ("target", "stiffness", "damping", "force"))))
    elif mode != Drive.OFF:
        writer.note(f"the motor of '{name}' is left out: MuJoCo has no motor that holds a speed or a place exactly")


def _write_springs(writer: _MjcfWriter) -> None:
    """Spring motors as actuators with a bias, which need no control."""
    if not writer.springs:
        return
    actuators = ET.SubElement(writer.top, "actuator")
    for name, target, stiffness, damping, force in writer.springs:
        ET.SubElement(actuators, "general", name=f"spring of {name}", joint=name, gaintype="fixed", gainprm="0",
                      biastype="affine", biasprm=numbers_text((stiffness * target, -stiffness, -damping)),
                      forcerange=numbers_text((-force, force)))


# ---- pairs and loops


def _write_excludes(writer: _MjcfWriter) -> None:
    """Pairs of bodies that do not touch: of joints, and by collision filters."""
    world = writer.world
    pairs = {tuple(sorted((int(one["body_a"]), int(one["body_b"])))) for one in world.joints
             if one["kind"] >= 0 and not one["collide"]}
    shapes = world.shapes[world.shapes["body"] >= 0]
    plain = not (shapes["ignores"].any() or shapes["group"].any())
    bodies = sorted({int(b) for b in shapes["body"]})
    if not plain and len(bodies) ** 2 <= MAX_PAIRS:
        of = {b: shapes[shapes["body"] == b] for b in bodies}
        pairs |= {(a, b) for n, a in enumerate(bodies) for b in bodies[n + 1:] if not _can_touch(of[a], of[b])}
    elif not plain:
        writer.note("collision filters are left out: there are too many bodies")
    contact = ET.SubElement(writer.top, "contact")
    for a, b in sorted(pairs):
        if a in writer.elements and b in writer.elements:
            ET.SubElement(contact, "exclude", body1=writer.elements[a].get("name"), body2=writer.elements[b].get("name"))


def _can_touch(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether any shapes of two bodies may touch (physics/collide/broad.py)."""
    for x in a:
        for y in b:
            if x["group"] == y["group"] and x["group"] != 0:
                touches = x["group"] > 0
            else:
                one, other = (int(s["category"]) or 1 for s in (x, y))
                touches = not one & int(y["ignores"]) and not other & int(x["ignores"])
            if touches:
                return True
    return False


def _write_loops(writer: _MjcfWriter, loops: Sequence[int]) -> None:
    """Joints that close a loop: a point in common, two for a hinge, or a weld."""
    world = writer.world
    equality = ET.SubElement(writer.top, "equality") if loops else None
    for j in loops:
        joint, name = world.joints[j], world.joint_names[j]
        kind, b = world.joint_kinds[joint["kind"]], world.bodies[joint["body_b"]]
        lost = [what for what, found in (
            ("friction", joint["max_friction"].any() or joint["viscous"].any() or joint["load_mu"].any()),
            ("limits", np.isfinite(joint["limit_lo"]).any() or np.isfinite(joint["limit_hi"]).any()),
            ("motors", (joint["motor_mode"] != Drive.OFF).any())) if found]
        if lost and kind in ("fixed", "spherical", "revolute"):
            writer.note(f"joint '{name}' closes a loop: its {' and '.join(lost)} are left out")
        ends = {f"body{n}": writer.elements[int(joint[f"body_{side}"])].get("name") for n, side in ((1, "b"), (2, "a"))}
        if kind == "fixed":
            ET.SubElement(equality, "weld", name=_unused(writer, name), **ends)
        elif kind in ("spherical", "revolute"):
            along = rotate(conjugate(b["quat"]), axis_direction(world, j, Motion.ABOUT_Z))
            for k, shift in enumerate((0.0,) if kind == "spherical" else (-0.05, 0.05)):
                ET.SubElement(equality, "connect", name=_unused(writer, f"{name} {k}"),
                              anchor=numbers_text(joint["anchor_b"] + shift * along), **ends)
        else:
            writer.note(f"joint '{name}' ({kind}) closes a loop and is left out")
