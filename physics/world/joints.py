"""The joints of a world: adding, removing, changing.

Joints loaded beyond their strength break: removed at the end of the step, and reported in `World.broken`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from physics import joints as joint_package
from physics.articulated import mechanism
from physics.articulated.joint_space import JointSpace
from physics.articulated.kinematics import coordinates_of
from physics.core.check import BadInput, flag, name_hint, number, numbers, plain_name, shown_value, vector
from physics.core.frames import joint_record
from physics.core.quaternions import rotate, to_matrix
from physics.core.records import JOINT, MAX_AXES, ROW, Drive, Kind, record_of
from physics.dynamics.integrate import max_velocity_lag
from physics.joints import Holds, JointKind, Turns, marked
from physics.joints._settings import (
    MAX_FORCE,
    Friction,
    Motor,
    checked_friction,
    checked_motor,
    write_corners,
    write_friction,
    write_motor,
)
from physics.observe.joint_quantities import reaction_force, reaction_torque, written
from physics.world.handles import Joint
from physics.world.table import body_index, check_name_unused, checked_new_name, find, joint_index, set_name, structure_changed

if TYPE_CHECKING:
    from physics.world.world import World


@dataclass(frozen=True)
class Broken:
    """A joint that broke in the last step: end of the step [s], its name, one sentence with the reason."""

    time: float
    name: str
    text: str


def break_joints(world: Any) -> list[Broken]:
    """Remove the joints whose reaction exceeded their strength; return them.

    Force and torque are means over the last step: an impact breaks sooner with a smaller step.
    """
    broken = []
    for j in world.layout.joints.breakable.tolist():
        joint, name = world.joints[j], world.joint_names[j]
        for quantity, size, most, unit in (("force", reaction_force(world, j), float(joint["break_force"]), "N"),
                                           ("torque", reaction_torque(world, j), float(joint["break_torque"]), "N m")):
            if size > most and math.isfinite(most):
                broken.append(Broken(world.time, name, f"{name} broke: {quantity} of {size:.4g} {unit} exceeded its limit of "
                                                       f"{most:.4g} {unit}"))
                world.remove_joint(j)
                break
    return broken


APART = 1e-3
"""Two anchors of one point that are farther apart are worth a warning [m]."""

PARALLEL = 1e-6
"""Sine of the angle between two pins below which they are parallel."""

LOOP_TOLERANCE = 1e-6
"""Largest error of a joint that closes a loop after the coordinates of another were set [m] or [rad]."""


_FOUND = ("impulse", "friction_impulse", "slip", "limit_impulse", "motor_impulse", "reaction", "load", "error", "residual",
          "case")
"""Fields of a joint that steps compute."""


# ---- adding and removing


def joint(world: "World", name: str) -> Joint:
    """The joint of that name, which is also its index.

    Raises:
        BadInput: no joint has it; names like it are listed.
    """
    return Joint(find("joint", name, world.joint_names), world)


def joint_kind(world: "World", j: int) -> JointKind:
    """The kind of a joint: its axes, friction groups and parameters.

    Raises:
        BadInput: no such joint.
    """
    j = joint_index(world, j)
    return joint_package.kinds()[world.joint_kinds[world.joints["kind"][j]]]


def add_joint(world: "World", /, kind: str, a: int, b: int, *, anchor: Sequence[float],
              anchor_b: Sequence[float] | None = None, axis: Sequence[float] = (0.0, 0.0, 1.0),
              axis_b: Sequence[float] | None = None, across: Sequence[float] | None = None, max_friction: float = 0.0,
              friction: Friction | Mapping[str, Friction | float] | None = None,
              limits: Any = None, restitution: float = 0.0, motor: Motor | Mapping[str, Motor] | None = None,
              break_force: float = math.inf, break_torque: float = math.inf, collide: bool = False,
              name: str = "", **param: float) -> Joint:
    """Join two bodies at their present poses and return the joint: a handle that is also its index.

    Args:
        kind: one of `joint_kinds`.
        a, b: bodies; a = 0 joins b to the world.
        anchor: the joint's point, world frame [m]; of a only where anchor_b is given.
        anchor_b: b's point, world frame [m]: of rods, ropes, springs, gears. Other joints close the gap within half a second.
        axis: the joint's axis, world frame, of any length; axis_b: of b, for gears and racks. Others turn b there as slowly.
        across: first direction across the axis: second pin of a universal joint, x of a planar or six_dof one.
        max_friction: bound of the dry friction, F_max of MS16 eq 8 [N m], or [N] for what slides and for the mouse.
        friction: instead, a law for all directions, or laws (or bounds) by group, {"slide": ..., "turn": ...}.
        limits: (lo, hi) of the only axis or {"twist": (lo, hi), ...} [rad] or [m]; None: no limit; equal: locked.
        restitution: share of the speed that a limit gives back.
        motor: of the only axis, or {"x": Motor(...), ...}.
        break_force, break_torque: reaction above which the joint breaks [N], [N m].
        collide: whether the two bodies also collide with one another.
        name: unique; "" gives "joint 3".
        param: further parameters of the kind, see its file.

    Raises:
        BadInput: unknown kind, axis or parameter, a body joined to itself or to nothing that moves, limits the wrong way
            round, a bad number. Nothing is added.
    """
    if not isinstance(kind, str) or kind not in joint_package.kinds():
        raise BadInput(f"there is no joint {shown_value(kind)}{name_hint(kind, world.joint_kinds)}")
    what, known = (f"joint '{name}'" if plain_name("the joint: its name", name) else "the joint"), joint_package.kinds()[kind]
    a, b = _joined_bodies(world, what, a, b)
    body_a, body_b = world.bodies[a], world.bodies[b]
    record = joint_record(what, body_a, body_b, anchor, axis, anchor_b, axis_b, across)
    record["kind"], record["body_a"], record["body_b"] = world.joint_kinds.index(kind), a, b
    record["collide"], record["limit_lo"], record["limit_hi"] = flag(f"{what}: collide", collide), -math.inf, math.inf
    record["limit_restitution"] = number(f"{what}: restitution", restitution, lo=0.0, hi=1.0)
    _write_strength(what, record, break_force, break_torque)
    _write_params(what, kind, known, record, param, is_new=True)
    _prepare(what, known, record, body_a, body_b)
    _write_frictions(what, kind, known, record, max_friction if friction is None else friction)
    for axis_name, limit in _by_axis(what, kind, known, limits, tuple).items():
        _write_limit(what, known, record, axis_name, *_ends(what, limit))
    noted = [_write_motor(what, known, record, axis_name, one)
             for axis_name, one in _by_axis(what, kind, known, motor, Motor).items()]
    _refresh(record)
    check_name_unused(what, name, world.joint_names)

    j = world.joint_table.add(lambda joints: joints["kind"] < 0)
    world.joints[j] = record
    set_name(world.joint_names, j, name or f"joint {j}")
    if known.anchors == 1 and (anchor_b is not None or axis_b is not None):
        _close_slowly(world, what, j, known, anchor, anchor if anchor_b is None else anchor_b)
    for sentence in filter(None, noted):
        world.warnings.add(sentence)
    structure_changed(world)
    return Joint(j, world)


def _prepare(what: str, known: JointKind, record: np.void, body_a: np.void, body_b: np.void) -> None:
    """Complete a new record. Raises where the pins of a universal joint are parallel: nothing is across both."""
    if known.holds & Holds.CROSS:
        pin_a, pin_b = rotate(record["rest_a"], np.array([0.0, 0.0, 1.0])), rotate(record["rest_b"], np.array([1.0, 0.0, 0.0]))
        if np.linalg.norm(np.cross(pin_a, pin_b)) < PARALLEL:
            raise BadInput(f"{what}: axis_b makes both pins parallel; give the second pin as `across`, perpendicular to `axis`, "
                           "and leave axis_b out")
    if known.prepare is not None:
        known.prepare(record, body_a, body_b)


def remove_joint(world: "World", j: int) -> None:
    """Remove a joint; its bodies wake at the next step.

    Raises:
        BadInput: no such joint.
    """
    j = joint_index(world, j)
    world.joints[j] = np.zeros((), JOINT)
    world.joints[j]["kind"] = -1
    world.joint_names[j] = ""
    world.joint_data.pop(j, None)
    world.joint_table.has_free_slots = True
    structure_changed(world)


def copy_joint(world: "World", j: int, a: int, b: int, shift: Any, name: str) -> int:
    """Add a joint like joint j, with its laws, limits and motors, between bodies a and b; returns its index.

    a, b: they stand to one another as those of joint j; the one that is the same stays where it is and holds the new joint
    `shift` (3,) [m] away, world frame.

    Raises:
        BadInput: no such joint or body, or neither of them moves. Nothing is changed.
    """
    j, shift = joint_index(world, j), vector("shift", shift)
    a, b = _joined_bodies(world, "the copy", a, b)
    check_name_unused("the copy", name, world.joint_names)
    record = record_of(world.joints, j)
    for side, body in (("a", a), ("b", b)):
        if record[f"body_{side}"] == body:
            record[f"anchor_{side}"] += shift @ to_matrix(world.bodies["quat"][body])
        record[f"body_{side}"] = body
    for field in _FOUND:
        record[field] = 0
    twin = world.joint_table.add(lambda joints: joints["kind"] < 0)
    world.joints[twin] = record
    set_name(world.joint_names, twin, name)
    world.refresh_after_edit()
    return twin


def put_joint(world: "World", j: int, record: np.void, name: str) -> None:
    """Put a joint that was removed into its slot again; record: JOINT. Raises as `put_body`."""
    free = j < len(world.joints) and world.joints["kind"][j] < 0
    if not free or any(world.bodies["kind"][record[side]] == Kind.FREE for side in ("body_a", "body_b")):
        raise BadInput(f"joint '{name}' cannot be restored: its slot is in use")
    check_name_unused(f"joint '{name}'", name, world.joint_names)
    world.joints[j], world.joint_names[j] = record, name
    world.refresh_after_edit()


# ---- changing


def rename_joint(world: "World", j: int, name: str) -> None:
    """Give a joint another name, which no other joint has; raises as `rename_body`."""
    j = joint_index(world, j)
    world.joint_names[j] = checked_new_name(f"joint '{world.joint_names[j]}'", name, world.joint_names, j)


def set_joint_friction(world: "World", bound: Friction | float, joint: int | None = None, group: str = "") -> None:
    """Set the friction of one joint (or of one of its groups of directions), or of all joints but the mouse.

    Args:
        bound: a law; or a number, the dry bound F_max, static and kinetic [N m] or [N]: viscous friction and the rest stay.
        joint: index or name; None: all.
        group: "slide" or "turn"; "": all groups.

    Raises:
        BadInput: no such joint or group, or a bound out of range.
    """
    law = checked_friction("joint friction", bound)
    chosen = [joint_index(world, joint)] if joint is not None else [
        int(j) for j in np.flatnonzero((world.joints["kind"] >= 0) & ~marked("pulled")[world.joints["kind"]])]
    for j in chosen:
        known = world.joint_kind(j)
        groups = [g for g, one in enumerate(known.friction) if group in ("", one.name)]
        if joint is not None and not groups:
            raise BadInput(f"joint '{world.joint_names[j]}' has no friction{f' called {shown_value(group)}' if group else ''}")
        for g in groups:
            if isinstance(bound, Friction):
                write_friction(world.joints[j], g, law, known.friction[g].unit == "N")
            else:
                world.joints["max_friction"][j, g] = world.joints["kinetic"][j, g] = law.static
                world.joints["corner_count"][j] = 0
    world.invalidate_layout()


def set_joint_friction_polygon(world: "World", j: int, corners: Sequence[Sequence[float]] | None) -> None:
    """Set the dry friction in two directions of a joint to any convex polygon around 0 (ST96 3.5), which couples them:
    sliding and turning of a cylindrical joint, the pins of a universal one, both ways of a planar one, a rod's first end.

    Args:
        corners: 3 to 16 pairs of friction forces [N] or moments [N m], in order; they replace the laws of these directions.
            None: none, the bounds stay.

    Raises:
        BadInput: no such joint, it has no two such directions, or no convex polygon around 0.
        Unsupported: the solver of this world knows no polygons; the exact one does.
    """
    j, known, record, what = _settings_of(world, j)
    write_corners(what, record, known, corners)
    before, world.joints[j] = record_of(world.joints, j), record
    try:
        world.solver.require_support(world)
    except BadInput:
        world.joints[j] = before
        raise
    _store_settings(world, j, record)


def set_joint_limits(world: "World", j: int, lo: float | None, hi: float | None, axis: str = "") -> None:
    """Limit an axis to lo .. hi [rad] or [m]; None: no limit; equal: locked there. axis: "" if there is only one.

    Raises:
        BadInput: no such joint or axis, or limits the wrong way round.
    """
    j, known, record, what = _settings_of(world, j)
    _write_limit(what, known, record, axis or _only(what, known), lo, hi)
    _store_settings(world, j, record)


def set_joint_motor(world: "World", j: int, motor: Motor | None, axis: str = "") -> None:
    """Set the motor of an axis; None: no motor. axis: "" if there is only one.

    Raises:
        BadInput: no such joint or axis, or an axis that cannot be driven.
    """
    j, known, record, what = _settings_of(world, j)
    if warning := _write_motor(what, known, record, axis or _only(what, known), motor):
        world.warnings.add(warning)
    # a driver sets a motor's numbers before each step, and no layout depends on them
    _store_settings(world, j, record, keeps_layout=record["motor_mode"].tolist() == world.joints["motor_mode"][j].tolist())


def set_joint_strength(world: "World", j: int, force: float = math.inf, torque: float = math.inf) -> None:
    """Set the reaction force [N] and torque [N m] above which a joint breaks; inf: never.

    Raises:
        BadInput: no such joint, or a number out of range.
    """
    j, _, record, what = _settings_of(world, j)
    _write_strength(what, record, force, torque)
    _store_settings(world, j, record)


def set_joint_param(world: "World", /, j: int, **param: float) -> None:
    """Set further parameters of a joint: units and ranges are in the file of its kind.

    Raises:
        BadInput: no such joint or parameter, or a value out of range.
    """
    j, known, record, what = _settings_of(world, j)
    _write_params(what, world.joint_kinds[record["kind"]], known, record, param, is_new=False)
    _store_settings(world, j, record)


def apply_joint_torque(world: "World", j: int, torque: float, axis: str = "") -> None:
    """Apply a torque [N m], or a force [N] along what slides, between the bodies of a joint, for the next step only.

    axis: "" if there is only one. It turns b ahead and a back: a motor that keeps its torque is a driver which calls this.

    Raises:
        BadInput: no such joint or axis, or a number that is not finite.
    """
    j = joint_index(world, j)
    known, what = world.joint_kind(j), f"joint '{world.joint_names[j]}'"
    k = _axis(what, known, axis or _only(what, known))
    torque = number(f"{what}: torque", torque)
    row = written(world, j)[0][known.constraint + k]
    for side in "ab":
        body = world.bodies[world.joints[f"body_{side}"][j]]
        if body["kind"] == Kind.DYNAMIC:
            body["force"] += torque * row[f"lin_{side}"]
            body["torque"] += torque * row[f"ang_{side}"]


# ---- coordinates


def joint_coordinates(world: "World", j: int) -> tuple[np.ndarray, np.ndarray]:
    """(q, qd) of a joint, b against a: its slides [m], its turns [rad], a quaternion (w, x, y, z) where all turns are free;
    their rates at the time of the velocities [m/s], [rad/s], three where q has a quaternion.

    Raises:
        BadInput: no such joint, or one that is no coordinate: it closes a loop, or is a rope, a gear, a spring.
    """
    space, places, rates = _coordinates_of(world, j)
    return space.q[places].copy(), space.qd[rates].copy()


def set_joint_coordinates(world: "World", j: int, q: Any = None, qd: Any = None) -> None:
    """Set q or qd of a joint, as `joint_coordinates` has them: the side that nothing else holds moves, with all that hangs
    from it, whose own coordinates and rates stay.

    Raises:
        BadInput: as `joint_coordinates`, numbers that do not fit, or another joint would be torn open. Nothing is changed.
    """
    j = joint_index(world, j)
    space, places, rates = _coordinates_of(world, j)
    what = f"joint '{world.joint_names[j]}'"
    for name, given, values, where in (("q", q, space.q, places), ("qd", qd, space.qd, rates)):
        if given is not None:
            values[where] = _fitting(f"{what}: {name}", given, where.stop - where.start)
    mechanism.normalise(space.tree.links, space.q)
    bodies = space.bodies.copy()
    mechanism.place(space.tree.links, space.q, space.qd, bodies, space.states)
    for other in space.tree.loops.tolist():
        gap, before = (_error(world, other, which) for which in (bodies, world.bodies))
        if gap > max(2.0 * before, LOOP_TOLERANCE):
            raise BadInput(f"{what}: with these coordinates joint '{world.joint_names[other]}' would be {gap:.3g} m apart; "
                           "set the bodies of the loop one by one")
    for i in _hanging(space.tree.links, j).tolist():
        world.set_pose(i, bodies["pos"][i], bodies["quat"][i])
        world.set_velocity(i, bodies["vel"][i], bodies["omega"][i])
    mechanism.store_angles(space.tree.links[space.tree.links["joint"] == j], space.q, world.joints)


def _coordinates_of(world: "World", j: int) -> tuple[JointSpace, slice, slice]:
    """(the mechanisms' coordinates, where those of a joint are in q, and in qd)."""
    j = joint_index(world, j)
    space = JointSpace(world, tree=world.joint_trees.of(world))
    link = space.tree.links[space.tree.links["joint"] == j]
    if not len(link):
        raise BadInput(f"joint '{world.joint_names[j]}' has no coordinates of its own: "
                       + ("it closes a loop" if world.joint_kind(j).freedom is not None else
                          f"a {world.joint_kinds[world.joints['kind'][j]]} leaves its bodies free"))
    mechanism.continue_angles(link, world.joints, space.q)
    coordinates_of(link, space.bodies, space.q)
    if max_velocity_lag(space.bodies[space.tree.links["body"]]) > 0.0:
        mechanism.refresh_inertias(space.bodies)
        mechanism.rates_from_momenta(space.tree.links, space.bodies, space.states, space.tree.above, space.factor, space.qd)
    first, place, count = (int(link[name][0]) for name in ("first", "place", "count"))
    quaternion = link["turns"][0] == Turns.ALL
    return space, slice(place, place + count + int(quaternion)), slice(first, first + count)


# ---- inside


def _settings_of(world: "World", j: int | str) -> tuple[int, JointKind, np.void, str]:
    """(its index, its kind, a copy of its record, its name in messages)."""
    j = joint_index(world, j)
    return j, world.joint_kind(j), record_of(world.joints, j), f"joint '{world.joint_names[j]}'"


def _store_settings(world: "World", j: int, record: np.void, keeps_layout: bool = False) -> None:
    _refresh(record)
    world.joints[j] = record
    if not keeps_layout:
        world.invalidate_layout()


def _close_slowly(world: "World", what: str, j: int, known: JointKind, anchor: Sequence[float],
                  anchor_b: Sequence[float]) -> None:
    """A joint created open stores its errors, which are removed gradually (joint_rows.ERROR_RAMP_TIME)."""
    gap = float(np.linalg.norm(vector("anchor", anchor) - vector("anchor_b", anchor_b)))
    written = np.zeros(known.rows, ROW)
    known.write(world.joints, np.array([j]), np.array([0]), world.bodies, written, 1e-3)
    world.joints[j]["start_error"][: known.constraint] = written["position_error"][: known.constraint]
    world.joints[j]["ramp"] = 1.0
    if gap > APART:
        world.warnings.add(f"{what}: its anchors are {gap:.3g} m apart; they are pulled together within half a second. Move "
                          "the bodies into matching poses, or use a rod, a rope or a spring")


def _joined_bodies(world: "World", what: str, a: int | str, b: int | str) -> tuple[int, int]:
    """Indices of two bodies that a joint may tie."""
    a, b = body_index(world, a), body_index(world, b)
    if a == b:
        raise BadInput(f"{what} connects body '{world.body_names[a]}' to itself: specify two different bodies")
    if Kind.DYNAMIC not in (world.bodies["kind"][a], world.bodies["kind"][b]):
        raise BadInput(f"{what} connects '{world.body_names[a]}' and '{world.body_names[b]}', neither of which can move")
    return a, b


def _error(world: Any, j: int, bodies: np.ndarray) -> float:
    """Largest error of a joint's constraint at these poses [m] or [rad]; 0 if it has none."""
    rows, kind = written(world, j, bodies)
    return float(np.abs(rows["position_error"][: kind.constraint]).max(initial=0.0))


def _fitting(what: str, given: Any, count: int) -> np.ndarray:
    """Coordinates (count,); a number alone is one."""
    found = numbers(np.atleast_1d(given) if np.isscalar(given) else given)
    if found is None or found.shape != (count,) or not np.isfinite(found).all():
        raise BadInput(f"{what} = {shown_value(given)} must be {f'{count} numbers' if count != 1 else 'a number'}")
    return found


def _hanging(links: np.ndarray, j: int) -> np.ndarray:
    """Bodies of the link of a joint and of all that hang from it; links have their parents first."""
    below: set[int] = set()
    for i, link in enumerate(links):
        if link["joint"] == j or int(link["parent"]) in below:
            below.add(i)
    return links["body"][sorted(below)]


def _only(what: str, known: JointKind) -> str:
    if len(known.axes) != 1:
        raise BadInput(f"{what} has {len(known.axes) or 'no'} axes" + (
            f": specify one of {', '.join(axis.name for axis in known.axes)}" if known.axes else ": it has no axis to limit or "
                                                                                              "drive"))
    return known.axes[0].name


def _axis(what: str, known: JointKind, name: str) -> int:
    names = [axis.name for axis in known.axes]
    if not isinstance(name, str) or name not in names:
        raise BadInput(f"{what} has no axis {shown_value(name)}{name_hint(name, names)}")
    return names.index(name)


def _by_axis(what: str, kind: str, known: JointKind, given: Any, plain: type) -> dict[str, Any]:
    """{axis: setting} from settings by axis, or from one setting of the type `plain` for the only axis."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    if not isinstance(given, plain) and not (plain is tuple and isinstance(given, Sequence | np.ndarray) and len(given) == 2):
        wanted = "(lo, hi)" if plain is tuple else "a Motor"
        raise BadInput(f"{what}: {shown_value(given)} must be {wanted} or specify axes of a {kind} joint")
    return {_only(what, known): given}


def _ends(what: str, limit: Any) -> tuple[Any, Any]:
    """(lo, hi) from what was given for one axis."""
    if isinstance(limit, str) or not isinstance(limit, Sequence | np.ndarray) or len(limit) != 2:
        raise BadInput(f"{what}: limits = {shown_value(limit)} must be (lo, hi)")
    return limit[0], limit[1]


def _write_limit(what: str, known: JointKind, record: np.void, name: str, lo: float | None, hi: float | None) -> None:
    k = _axis(what, known, name)
    axis = known.axes[k]
    lo = -math.inf if lo is None or _is(lo, -math.inf) else number(f"{what}: lower limit of {name}", lo, lo=-1e6, hi=1e6)
    hi = math.inf if hi is None or _is(hi, math.inf) else number(f"{what}: upper limit of {name}", hi, lo=-1e6, hi=1e6)
    if lo > hi:
        raise BadInput(f"{what}: the lower limit of {name}, {lo:g} {axis.unit}, exceeds the upper limit, {hi:g} {axis.unit}")
    if name == "swing" and hi <= 0.0:
        raise BadInput(f"{what}: a cone limit of {hi:g} rad leaves no range; use a revolute or a fixed joint")
    bit = 1 << k
    record["limit_lo"][k], record["limit_hi"][k] = lo, hi
    record["locked"] = int(record["locked"]) | bit if lo == hi else int(record["locked"]) & ~bit


def _is(value: Any, limit: float) -> bool:
    return isinstance(value, float) and value == limit


def _write_motor(what: str, known: JointKind, record: np.void, name: str, motor: Motor | None) -> str:
    """A warning, or ""."""
    k, warning = _axis(what, known, name), ""
    if not known.axes[k].driven:
        raise BadInput(f"{what}: its axis '{name}' cannot have a motor")
    if motor is not None:
        motor, warning = checked_motor(f"{what}: motor of {name}", motor)
    write_motor(record, k, motor)
    return warning


def _write_frictions(what: str, kind: str, known: JointKind, record: np.void, given: Any) -> None:
    names = [group.name for group in known.friction]
    laws = dict(given) if isinstance(given, Mapping) else dict.fromkeys(names, given)
    if not names and not (isinstance(given, int | float) and given == 0.0):
        checked_friction(f"{what}: max_friction", given)
        raise BadInput(f"{what}: a {kind} joint has no friction")
    for name, law in laws.items():
        if not isinstance(name, str) or name not in names:
            raise BadInput(f"{what} has no friction {shown_value(name)}{name_hint(name, names)}")
        g = names.index(name)
        write_friction(record, g, checked_friction(f"{what}: max_friction", law), known.friction[g].unit == "N")


def _write_params(what: str, kind: str, known: JointKind, record: np.void, given: dict[str, float], is_new: bool) -> None:
    by_name = {p.name: p for p in known.params}
    for name in given:
        if name not in by_name:
            raise BadInput(f"{what}: a {kind} joint has no parameter '{name}'{name_hint(name, by_name)}")
    for p in known.params:
        if p.name in given:
            record[p.field][p.slot] = number(f"{what}: {p.name}", given[p.name], lo=p.lo, hi=p.hi, unit=p.unit)
        elif is_new:
            record[p.field][p.slot] = math.nan if p.default is None else p.default


def _write_strength(what: str, record: np.void, force: float, torque: float) -> None:
    for field, value, unit in (("break_force", force, "N"), ("break_torque", torque, "N m")):
        record[field] = math.inf if _is(value, math.inf) else number(f"{what}: {field}", value, lo=0.0, hi=MAX_FORCE, unit=unit,
                                                                     open_lo=True)


def _refresh(record: np.void) -> None:
    """The bits of the axes that are used."""
    lo, hi, modes = (record[name].tolist() for name in ("limit_lo", "limit_hi", "motor_mode"))
    record["used"] = sum(1 << k for k in range(MAX_AXES)
                         if math.isfinite(lo[k]) or math.isfinite(hi[k]) or modes[k] != Drive.OFF)
