"""Commands of joints: make, remove, change; move their points and turn their axes.

With x_a, x_b the joint's points and F_a, F_b its frames in the world at the present poses, every kind of joint is a condition on
x_b - x_a seen from F_a, and on F_a^-1 F_b. So a satisfied joint stays satisfied, with the same coordinates, if

    both points move by the same vector,   x' = x + s
    or all turns about x_a by one turn R,  F' = R F,  x_b' - x_a = R (x_b - x_a)

and no edit pulls on a body. Where the points of a joint may be apart (anchors = 2) each moves alone: the length of a rod and the
least length of a rope follow the points, a spring is stretched; wheels and racks restart their count at the present pose.
"""

import math
from collections.abc import Sequence

import numpy as np

from app.engine.command import undoable
from app.engine.commands.bodies import free_name
from app.engine.frame import to_body, to_world
from app.engine.simulation import Simulation
from app.engine.undo.difference import MOUSE_SPRING
from app.i18n.message import message
from physics import BadInput, Friction, Motor, World, joints
from physics.core.check import vector
from physics.core.frames import joint_record
from physics.core.quaternions import conjugate, product, rotate, shortest_arc
from physics.core.records import record_of
from physics.joints import JointKind

JOINT_SIDES = ("a", "b")
JOINT_AXIS = np.array([0.0, 0.0, 1.0])
"""The axis of a joint in its frame."""
IMPULSES = ("impulse", "friction_impulse", "limit_impulse", "motor_impulse")
"""Impulses for warm starting; cleared, since they act in another direction now."""


@undoable
def join(simulation: Simulation, kind: str, a: int, b: int, anchor: Sequence[float], axis: Sequence[float] = (0.0, 0.0, 1.0),
         anchor_b: Sequence[float] | None = None, axis_b: Sequence[float] | None = None) -> None:
    """Join two bodies at a point, along an axis, world frame; a = 0 joins b to the world.

    anchor_b: b's point if the joint has two, by default b's centre; axis_b: b's axis, if it differs from `axis`.
    """
    name = free_name(kind.replace("_", " "), simulation.world.joint_names, False)
    two = kind in simulation.world.joint_kinds and joints.kinds()[kind].anchors > 1
    if two and anchor_b is None:
        anchor_b = tuple(map(float, simulation.world.bodies["pos"][b]))
    simulation.world.add_joint(kind, a, b, anchor=anchor, axis=axis, anchor_b=anchor_b if two else None, axis_b=axis_b, name=name)


@undoable
def remove_joint(simulation: Simulation, joint: int) -> None:
    """Remove a joint."""
    simulation.world.remove_joint(joint)


@undoable
def rename_joint(simulation: Simulation, joint: int, name: str) -> None:
    """Rename a joint."""
    simulation.world.rename_joint(joint, name)


@undoable
def set_joint_friction(simulation: Simulation, bound: float, joint: int | None = None, group: str = "") -> None:
    """Set the dry friction bound of a joint, of one group of its directions, or of all joints [N m] or [N]."""
    simulation.world.set_joint_friction(bound, joint, group)
    world = simulation.world
    for j in [joint] if joint is not None else np.flatnonzero(world.joints["kind"] >= 0).tolist():
        name = world.joint_names[j]
        for one in [group] if group else [g.name for g in world.joint_kind(j).friction]:
            if name != MOUSE_SPRING:
                simulation.joint_bounds[name, one] = float(bound)


@undoable
def set_joint_law(simulation: Simulation, joint: int, group: str, law: Friction) -> None:
    """Set the friction law of one group of a joint's directions."""
    simulation.world.set_joint_friction(law, joint, group)
    simulation.joint_bounds[simulation.world.joint_names[joint], group] = law.static


@undoable
def set_joint_polygon(simulation: Simulation, joint: int, corners: Sequence[Sequence[float]] | None) -> None:
    """Set the dry friction of a joint's first two directions to a convex polygon, pairs of forces [N] or moments [N m]; None: to
    the bounds of these directions."""
    simulation.world.set_joint_friction_polygon(joint, corners)


@undoable
def set_joint_limits(simulation: Simulation, joint: int, axis: str, lo: float | None, hi: float | None) -> None:
    """Set the limits of an axis [rad] or [m]; None: no limit."""
    simulation.world.set_joint_limits(joint, lo, hi, axis)


@undoable
def set_joint_motor(simulation: Simulation, joint: int, axis: str, motor: Motor | None) -> None:
    """Set the motor of an axis; None: no motor."""
    simulation.world.set_joint_motor(joint, motor, axis)


@undoable
def set_joint_param(simulation: Simulation, joint: int, name: str, value: float) -> None:
    """Set a parameter of the joint's kind."""
    simulation.world.set_joint_param(joint, **{name: value})


@undoable
def set_joint_strength(simulation: Simulation, joint: int, force: float, torque: float) -> None:
    """Set the reaction above which a joint breaks [N], [N m]; inf: never."""
    simulation.world.set_joint_strength(joint, force, torque)


@undoable
def set_joint_anchor(simulation: Simulation, joint: int, side: str, point: Sequence[float]) -> None:
    """Move a joint's point on body "a" or "b" [m, frame of that body]; the other point follows if they must coincide.

    Raises:
        BadInput: no such joint or side, an invalid number. Nothing is changed.
    """
    known, record, bodies = _opened(simulation.world, joint, side)
    point = vector(message("joint '{joint}': anchor in {side}", joint=simulation.world.joint_names[joint], side=side), point)
    way = rotate(bodies[side]["quat"], point - record[f"anchor_{side}"])
    record[f"anchor_{side}"] = point
    if known.anchors == 1:
        other = JOINT_SIDES[side == "a"]
        record[f"anchor_{other}"] += rotate(conjugate(bodies[other]["quat"]), way)
    else:
        _fit(simulation.world, joint, known, record, bodies, _axes(record, bodies))
    _put(simulation.world, joint, record)


@undoable
def set_joint_axis(simulation: Simulation, joint: int, axis: Sequence[float], side: str = "a") -> None:
    """Turn a joint's axis into a direction (3,), world frame; of wheels and racks only the axis of body "a" or "b".

    Raises:
        BadInput: no such joint or side, no direction, a joint without an axis. Nothing is changed.
    """
    known, record, bodies = _opened(simulation.world, joint, side)
    what = message("joint '{name}'", name=simulation.world.joint_names[joint])
    if not has_axis(known):
        raise BadInput(message("{what} has no adjustable axis: {initial}{rest}", what=what, initial=known.doc[0].lower(),
                               rest=known.doc[1:]))
    axis = vector(message("{what}: axis", what=what), axis)
    length = float(np.linalg.norm(axis))
    if not length > 1e-9:
        raise BadInput(message("{what}: axis = {axis} has zero length: at least one component must not be 0", what=what,
                               axis=tuple(axis.tolist())))
    axes = _axes(record, bodies)
    if known.anchors > 1:
        _fit(simulation.world, joint, known, record, bodies, axes | {side: axis / length})
    else:
        turn = shortest_arc(axes["a"], axis / length)
        start, end = (_point(record, bodies, one) for one in JOINT_SIDES)
        for one in JOINT_SIDES:
            record[f"frame_{one}"] = product(conjugate(bodies[one]["quat"]),
                                             product(turn, product(bodies[one]["quat"], record[f"frame_{one}"])))
        record["anchor_b"] = to_body(bodies["b"]["pos"], bodies["b"]["quat"], start + rotate(turn, end - start))
    _put(simulation.world, joint, record)


def _opened(world: World, joint: int, side: str) -> tuple[JointKind, np.void, dict[str, np.void]]:
    """Return (its kind, a copy of its record, its bodies)."""
    known, record = world.joint_kind(joint), record_of(world.joints, joint)
    if side not in JOINT_SIDES:
        raise BadInput(message("joint '{joint}' connects bodies a and b; unknown side {side}", joint=world.joint_names[joint],
                               side=repr(side)))
    return known, record, {one: world.bodies[record[f"body_{one}"]] for one in JOINT_SIDES}


def _fit(world: World, joint: int, known: JointKind, record: np.void, bodies: dict[str, np.void],
         axes: dict[str, np.ndarray]) -> None:
    """Update what depends on the joint's two points and axes."""
    points = {one: _point(record, bodies, one) for one in JOINT_SIDES}
    if known.axis:      # wheels and racks
        fresh = joint_record(message("joint '{name}'", name=world.joint_names[joint]), bodies["a"], bodies["b"], points["a"],
                             axes["a"], points["b"], axes["b"])
        for one in JOINT_SIDES:
            for name in ("frame", "rest"):
                record[f"{name}_{one}"] = fresh[f"{name}_{one}"]
        record["coordinate"] = 0.0
        known.prepare(record, bodies["a"], bodies["b"])
        return
    far, length = float(np.linalg.norm(points["b"] - points["a"])), next(p for p in known.params if p.name == "length")
    if length.field == "param" or (length.field == "limit_hi" and record[length.field][length.slot] < far):
        record[length.field][length.slot] = math.nan
        known.prepare(record, bodies["a"], bodies["b"])


def _put(world: World, joint: int, record: np.void) -> None:
    for name in IMPULSES:
        record[name] = 0.0
    world.joints[joint] = record
    world.refresh_after_edit()


def has_axis(known: JointKind) -> bool:
    """Return whether the axis of a kind of joint has a meaning."""
    return known.axis or (known.anchors == 1 and bool(known.axes))


def _axes(record: np.void, bodies: dict[str, np.void]) -> dict[str, np.ndarray]:
    """Return the unit axes of both frames, world frame."""
    return {one: rotate(product(bodies[one]["quat"], record[f"frame_{one}"]), JOINT_AXIS) for one in JOINT_SIDES}


def _point(record: np.void, bodies: dict[str, np.void], side: str) -> np.ndarray:
    """Return the joint's point on a side [m, world frame]."""
    return to_world(bodies[side]["pos"], bodies[side]["quat"], record[f"anchor_{side}"])
