"""A world as an MJCF file, for MuJoCo 3 and later.

Bodies with mass, centre and inertia; geoms with friction; joints with limits (range), dry friction (frictionloss), viscous
friction (damping), springs; gravity, step; pairs that do not touch (exclude); velocities and coordinates as the keyframe "start".
Joints that close a loop become equalities. What MuJoCo has no counterpart for is returned in sentences.

The tree of MJCF begins at bodies that are joined to what does not move. A joint from b to a instead of a to b has the opposite
axis: turning b against a by q about n is turning a against b by q about -n. Dry friction of MuJoCo's joints creeps by its
solimpfriction; 0.9999 makes that small enough for both engines to converge to one motion.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.robots.model import HERE, Pose
from physics import World
from physics.basics.quaternions import conjugate, product, rotate
from physics.core.records import Drive, Kind
from physics.joints import Motion
from physics.joints._settings import friction_of

MAX_PAIRS = 20_000
"""Largest number of pairs that are excluded by name."""

CONE_CORNERS = 32


@dataclass(frozen=True)
class _Edge:
    """A joint as seen from its parent in the tree. flipped: the child is its body a."""

    joint: int
    parent: int
    child: int
    flipped: bool


@dataclass
class _Writer:
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

    def pose(self, body: int) -> Pose:
        """Pose of a body in the world."""
        record = self.world.bodies[body]
        return Pose(record["pos"].copy(), record["quat"].copy())


def mjcf_of(world: World, name: str, dt: float) -> tuple[str, list[str]]:
    """(the text of the file, sentences about what is not in it). name: of the model; dt: step [s]."""
    top = ET.Element("mujoco", model=name)
    ET.SubElement(top, "compiler", angle="radian", autolimits="true")
    ET.SubElement(top, "option", timestep=repr(float(dt)), gravity=_text(world.gravity), cone="elliptic", impratio="10",
                  integrator="implicitfast")
    defaults = ET.SubElement(top, "default")
    ET.SubElement(defaults, "geom", condim="3", solref=f"{max(2.0 * dt, 0.004)!r} 1")
    ET.SubElement(defaults, "joint", armature="0", solreffriction=f"{2.0 * dt!r} 1", solimpfriction="0.9999 0.9999 0.001",
                  solreflimit=f"{max(2.0 * dt, 0.004)!r} 1")
    writer = _Writer(world, top, ET.SubElement(top, "asset"))
    loops = _write_bodies(writer, ET.SubElement(top, "worldbody"))
    _write_excludes(writer)
    _write_loops(writer, loops)
    _write_springs(writer)
    if writer.positions:
        frames = ET.SubElement(top, "keyframe")
        ET.SubElement(frames, "key", name="start", qpos=_text(writer.positions), qvel=_text(writer.speeds))
    if world.drivers:
        writer.note("what drives the scene by Python is not in the file")
    if (world.shapes["restitution"][world.shapes["body"] >= 0] > 0.0).any():
        writer.note("MuJoCo has no coefficient of restitution: impacts do not rebound")
    if len(np.unique(world.shapes["friction"][world.shapes["body"] >= 0])) > 1:
        writer.note("of two friction coefficients MuJoCo takes the larger one: pairs of unlike bodies may differ")
    ET.indent(top)
    return ET.tostring(top, encoding="unicode") + "\n", writer.notes


def _text(values: Iterable[float]) -> str:
    return " ".join(repr(float(value)) for value in values)


# ---- the tree


def _write_bodies(writer: _Writer, worldbody: ET.Element) -> list[int]:
    """Write all bodies, parents before children; returns the joints that close loops."""
    world = writer.world
    bodies = np.flatnonzero(world.bodies["kind"] != Kind.FREE)
    for body in bodies:
        if world.bodies["kind"][body] != Kind.DYNAMIC:
            _write_body(writer, worldbody, int(body), None, HERE)
            if world.bodies["kind"][body] == Kind.KINEMATIC:
                writer.note(f"'{world.body_names[body]}' moves by itself here and is static in the file")
    tree, loops = _tree(writer)
    below: dict[int, list[_Edge]] = {}
    for edge in tree:
        below.setdefault(edge.parent, []).append(edge)
    held = {edge.child for edge in tree}

    def walk(start: int, edge: _Edge | None) -> None:
        waiting = [(start, edge)]
        while waiting:
            body, by = waiting.pop()
            parent = writer.elements[by.parent] if by is not None else worldbody
            _write_body(writer, parent, body, by, writer.pose(by.parent) if by is not None else HERE)
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


def _tree(writer: _Writer) -> tuple[list[_Edge], list[int]]:
    """Edges of a spanning tree from what does not move, then from the remaining bodies; and the joints left over."""
    world = writer.world
    joints = [j for j in range(len(world.joints)) if world.joints["kind"][j] >= 0]
    usable = []
    for j in joints:
        kind = world.joint_kinds[world.joints["kind"][j]]
        if kind in TREE_KINDS:
            usable.append(j)
        elif not world.joint_kind(j).pulled:
            writer.note(f"joint '{world.joint_names[j]}' ({kind}) has no counterpart and is left out")
    reached = {int(b) for b in np.flatnonzero(world.bodies["kind"] != Kind.DYNAMIC)}
    starts = [int(b) for b in np.flatnonzero(world.bodies["kind"] == Kind.DYNAMIC)]
    edges, left = [], list(usable)
    while left:
        found = False
        for j in list(left):
            a, b = int(world.joints["body_a"][j]), int(world.joints["body_b"][j])
            if (a in reached) != (b in reached):
                parent, child = (a, b) if a in reached else (b, a)
                edges.append(_Edge(j, parent, child, parent == b))
                reached.add(child)
                left.remove(j)
                found = True
        if not found:
            root = next((b for b in starts if b not in reached
                         and any(b in (world.joints["body_a"][j], world.joints["body_b"][j]) for j in left)), None)
            if root is None:
                break
            reached.add(root)
    return edges, left


def _write_body(writer: _Writer, parent: ET.Element, body: int, edge: _Edge | None, frame: Pose) -> None:
    world, record = writer.world, writer.world.bodies[body]
    own = writer.pose(body).inside(frame)
    element = ET.SubElement(parent, "body", name=world.body_names[body] if body else "ground of the world", pos=_text(own.pos),
                            quat=_text(own.quat))
    writer.elements[body] = element
    if record["kind"] == Kind.DYNAMIC:
        inertia = record["inertia"]
        ET.SubElement(element, "inertial", pos="0 0 0", mass=repr(float(record["mass"])), fullinertia=_text(
            inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
        if edge is None:
            ET.SubElement(element, "freejoint", name=_unused(writer, f"{world.body_names[body]} free"))
            writer.positions += [*own.pos, *own.quat]
            writer.speeds += [*record["vel"], *rotate(conjugate(record["quat"]), record["omega"])]
        else:
            _write_joint(writer, element, edge)
    for s in np.flatnonzero(world.shapes["body"] == body):
        _write_geom(writer, element, int(s))


def _unused(writer: _Writer, name: str) -> str:
    while name in writer.named:
        name += "'"
    writer.named.add(name)
    return name


# ---- geometries


def _write_geom(writer: _Writer, element: ET.Element, s: int) -> None:
    world, shape = writer.world, writer.world.shapes[s]
    kind, dims = world.shape_kinds[shape["kind"]], shape["dims"]
    sizes = {"box": dims, "sphere": dims[:1], "capsule": dims[:2], "cylinder": dims[:2], "ellipsoid": dims,
             "plane": (0.0, 0.0, 0.1)}
    given = {"pos": _text(shape["local_pos"]), "quat": _text(shape["local_quat"]),
             "friction": _text((shape["friction"], 0.0, 0.0))}
    if shape["rounding"] > 0.0:
        writer.note("rounded edges are not in the file")
    if shape["sensor"]:
        given |= {"contype": "0", "conaffinity": "0"}
    if kind in sizes:
        ET.SubElement(element, "geom", type=kind, size=_text(sizes[kind]), **given)
        return
    if kind == "hull":
        points = world.pool.data(shape["geometry"]).vertices
    elif kind == "cone":
        angles = 2.0 * np.pi * np.arange(CONE_CORNERS) / CONE_CORNERS
        base = np.full(CONE_CORNERS, -0.25 * dims[1])
        rim = np.column_stack([dims[0] * np.cos(angles), dims[0] * np.sin(angles), base])
        points = np.vstack([rim, [(0.0, 0.0, 0.75 * dims[1])]])
    else:
        writer.note(f"the {kind.replace('_', ' ')} of '{world.body_names[shape['body']]}' is left out: meshes of MuJoCo are "
                    "convex")
        return
    name = f"shape {s}"
    ET.SubElement(writer.assets, "mesh", name=name, vertex=_text(np.ravel(points)))
    ET.SubElement(element, "geom", type="mesh", mesh=name, **given)


# ---- joints


def _write_joint(writer: _Writer, element: ET.Element, edge: _Edge) -> None:
    """Write the axes of a joint of the tree."""
    world, joint = writer.world, writer.world.joints[edge.joint]
    known, kind = world.joint_kind(edge.joint), world.joint_kinds[joint["kind"]]
    name, child = world.joint_names[edge.joint], world.bodies[edge.child]
    anchor = joint["anchor_a"] if edge.flipped else joint["anchor_b"]
    coordinates, rates = _coordinates(world, edge.joint)
    if kind == "spherical":
        _write_ball(writer, element, edge, name)
        return
    axes = list(range(len(known.axes)))
    for k in reversed(axes) if edge.flipped else axes:
        lo, hi = float(joint["limit_lo"][k]), float(joint["limit_hi"][k])
        if lo == hi:
            continue
        direction = _direction(world, edge.joint, known.axes[k].motion) * (-1.0 if edge.flipped else 1.0)
        own = name if len(axes) == 1 else f"{name} {known.axes[k].name}"
        given = {"name": _unused(writer, own), "type": "hinge" if known.axes[k].unit == "rad" else "slide", "pos": _text(anchor),
                 "axis": _text(rotate(conjugate(child["quat"]), direction)), "ref": repr(coordinates[k])}
        if np.isfinite(lo) or np.isfinite(hi):
            given["range"] = _text((max(lo, -1e6), min(hi, 1e6)))
        given |= _friction(writer, edge.joint, k, own)
        ET.SubElement(element, "joint", **given)
        _keep_motor(writer, edge.joint, k, given["name"])
        writer.positions.append(coordinates[k])
        writer.speeds.append(rates[k])


def _write_ball(writer: _Writer, element: ET.Element, edge: _Edge, name: str) -> None:
    world, joint = writer.world, writer.world.joints[edge.joint]
    anchor = joint["anchor_a"] if edge.flipped else joint["anchor_b"]
    given = {"name": _unused(writer, name), "type": "ball", "pos": _text(anchor)}
    if np.isfinite(joint["limit_lo"][:2]).any() or np.isfinite(joint["limit_hi"][:2]).any():
        writer.note(f"limits of the ball joint '{name}' are left out: MuJoCo limits its whole rotation, not twist and swing")
    ET.SubElement(element, "joint", **given, **_friction(writer, edge.joint, 0, name))
    if joint["motor_mode"][0] != Drive.OFF:
        writer.note(f"the motor of the ball joint '{name}' is left out")
    a, b = world.bodies[edge.parent], world.bodies[edge.child]
    writer.positions += [1.0, 0.0, 0.0, 0.0]
    writer.speeds += [*rotate(conjugate(b["quat"]), b["omega"] - a["omega"])]


def _direction(world: World, j: int, motion: Motion) -> np.ndarray:
    """Direction (3,) of an axis of a joint, world frame."""
    joint = world.joints[j]
    side, k = {Motion.ALONG_X: ("a", 0), Motion.ALONG_Y: ("a", 1), Motion.ALONG_Z: ("a", 2), Motion.ABOUT_Z: ("a", 2),
               Motion.ABOUT_Z_A: ("a", 2), Motion.ABOUT_X_B: ("b", 0)}[motion]
    body = world.bodies[joint[f"body_{side}"]]
    return rotate(product(body["quat"], joint[f"frame_{side}"]), np.eye(3)[k])


def _coordinates(world: World, j: int) -> tuple[list[float], list[float]]:
    """(coordinates [rad] or [m], their rates) of a joint's axes."""
    from physics.core.records import ROW

    known, joint = world.joint_kind(j), world.joints[j]
    rows, table = np.zeros(known.rows, ROW), world.joints.copy()
    known.write(table, np.array([j]), np.array([0]), world.bodies, rows, 1e-3)
    a, b = world.bodies[joint["body_a"]], world.bodies[joint["body_b"]]
    turn = b["omega"] - a["omega"]
    point = b["pos"] + rotate(b["quat"], joint["anchor_b"])
    slide = b["vel"] + np.cross(b["omega"], point - b["pos"]) - a["vel"] - np.cross(a["omega"], point - a["pos"])
    rates = []
    for axis in known.axes:
        if axis.motion in (Motion.ALONG_X, Motion.ALONG_Y, Motion.ALONG_Z):
            rates.append(float(_direction(world, j, axis.motion) @ slide))
        elif axis.motion in (Motion.ABOUT_Z, Motion.ABOUT_X_B):
            rates.append(float(_direction(world, j, axis.motion) @ turn))
        else:
            rates.append(0.0)
    return [float(value) for value in table["coordinate"][j][: len(known.axes)]], rates


def _friction(writer: _Writer, j: int, axis: int, name: str) -> dict[str, str]:
    """frictionloss and damping of an axis."""
    known = writer.world.joint_kind(j)
    row = known.constraint + axis
    group = next((g for g, one in enumerate(known.friction) if row in one.rows), 0 if len(known.friction) == 1 else None)
    if group is None:
        return {}
    law = friction_of(writer.world.joints[j], group)
    if law.kinetic not in (-1.0, law.static) or law.load:
        writer.note(f"friction of '{name}': the file has its static bound only, not what depends on speed or load")
    values = {"frictionloss": law.static, "damping": law.viscous}
    return {key: repr(float(value)) for key, value in values.items() if value > 0.0}


def _keep_motor(writer: _Writer, j: int, axis: int, name: str) -> None:
    joint = writer.world.joints[j]
    mode = joint["motor_mode"][axis]
    if mode == Drive.SPRING:
        writer.springs.append((name, *(float(joint[f"motor_{of}"][axis]) for of in ("target", "stiffness", "damping", "force"))))
    elif mode != Drive.OFF:
        writer.note(f"the motor of '{name}' is left out: MuJoCo has no motor that holds a speed or a place exactly")


def _write_springs(writer: _Writer) -> None:
    """Spring motors as actuators with a bias, which need no control."""
    if not writer.springs:
        return
    actuators = ET.SubElement(writer.top, "actuator")
    for name, target, stiffness, damping, force in writer.springs:
        ET.SubElement(actuators, "general", name=f"spring of {name}", joint=name, gaintype="fixed", gainprm="0",
                      biastype="affine", biasprm=_text((stiffness * target, -stiffness, -damping)),
                      forcerange=_text((-force, force)))


# ---- pairs and loops


def _write_excludes(writer: _Writer) -> None:
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


def _write_loops(writer: _Writer, loops: Sequence[int]) -> None:
    """Joints that close a loop: a point in common, two for a hinge, or a weld."""
    world = writer.world
    equality = ET.SubElement(writer.top, "equality") if loops else None
    for j in loops:
        joint, name = world.joints[j], world.joint_names[j]
        kind, b = world.joint_kinds[joint["kind"]], world.bodies[joint["body_b"]]
        ends = {f"body{n}": writer.elements[int(joint[f"body_{side}"])].get("name") for n, side in ((1, "b"), (2, "a"))}
        if kind == "fixed":
            ET.SubElement(equality, "weld", name=_unused(writer, name), **ends)
        elif kind in ("spherical", "revolute"):
            along = rotate(conjugate(b["quat"]), _direction(world, j, Motion.ABOUT_Z))
            for k, shift in enumerate((0.0,) if kind == "spherical" else (-0.05, 0.05)):
                ET.SubElement(equality, "connect", name=_unused(writer, f"{name} {k}"),
                              anchor=_text(joint["anchor_b"] + shift * along), **ends)
            if joint["max_friction"].any() or joint["viscous"].any():
                writer.note(f"joint '{name}' closes a loop: its friction and limits are left out")
        else:
            writer.note(f"joint '{name}' ({kind}) closes a loop and is left out")
