"""The bodies of a world: adding, removing, changing; forces on them; copies; removed records put back into their slots.

Also the mass properties of a body, and its SHAPE records.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from physics import shapes
from physics.collide import broad, narrow
from physics.contact.material import Material
from physics.core.check import BadInput, check_choice, number, plain_name, shown_value, unit_quaternion, vector
from physics.core.frames import inverse, principal_inertia
from physics.core.quaternions import rotate
from physics.core.records import BODY, Kind, WakeReason, record_of, selected
from physics.core.warnings import Warnings
from physics.shapes import Shape
from physics.shapes._geometry import GeometryPool
from physics.shapes.compound import Compound, Part, parts_of
from physics.world import sanity_checks
from physics.world.handles import Body
from physics.world.materials import checked_surface
from physics.world.sleep import wake_changed
from physics.world.table import body_index, check_name_unused, checked_new_name, find, set_name, structure_changed

if TYPE_CHECKING:
    from physics.world.world import World

DENSITY = 1000.0
"""Of a body for which neither mass nor density is given [kg/m^3]: water."""

MAX_POSITION = 1e5
"""Largest distance of a body from the origin [m]: beyond it a nanometre is lost in rounding."""

CONTROL_STEPS, NUDGE_STEPS, NUDGE_RATES = 8, 64, (5.0, 50.0)
"""A velocity that is set again was set by a controller within the first number of steps, and within the second if it changes by
less than these rates since [m/s^2], [rad/s^2], half of gravity; else it is thrown."""

IMPLAUSIBLE = 1e6
"""An inertia off by this factor probably has a wrong unit."""

SAME_CENTRE, SAME_INERTIA = 1e-9, 1e-6
"""Distance of a shape from its body's centre of mass [m], share of the trace of an inertia: what is nearer to the values of the
shape differs by rounding and was not given."""


def check_shape(what: str, shape: shapes.Shape, dynamic: bool, known: tuple[str, ...], met: Iterable[str],
                say: Callable[[str], None] = lambda sentence: None) -> None:
    """Raise BadInput unless kind and sizes are allowed, the mass finite if dynamic, and it can touch the kinds `met`.

    say: called
    with the note of an allowed shape.
    """
    if isinstance(shape, type) or not isinstance(getattr(shape, "kind", None), str):
        raise BadInput(f"{what}: unknown shape {shown_value(shape)}; use one of {', '.join(known)}, with its dimensions, or a "
                       "Compound")
    if shape.kind not in known:
        raise BadInput(f"{what}: unknown shape '{shape.kind}'; allowed: {', '.join(known)}")
    shapes.check_shape(what, shape)
    if dynamic and not math.isfinite(shape.volume()):
        raise BadInput(f"{what}: a {shape.kind} has no finite mass: make the body static or kinematic")
    for kind in met:
        if not narrow.supported(shape.kind, kind):
            raise BadInput(f"{what}: collisions between {shape.kind} and {kind} are not supported")
    if note := getattr(shape, "note", str)():
        say(f"{what}: {note}")


def mass_properties(what: str, shape: shapes.Shape | None, mass: float | None, density: float,
                    inertia: Any, warnings: Warnings) -> tuple[float, np.ndarray]:
    """(mass [kg], inertia tensor (3, 3) [kg m^2]) from what is given; arguments as in `World.add_body`."""
    if shape is None and (mass is None or inertia is None):
        raise BadInput(f"{what} has no shape: specify its mass and inertia")
    if mass is None:
        mass = number(f"{what}: density", density, lo=0.0, hi=1e9, unit="kg/m^3", open_lo=True) * shape.volume()
    mass = number(f"{what}: mass", mass, lo=0.0, hi=1e12, unit="kg", open_lo=True)
    tensor = principal_inertia(what, shape.inertia(mass) if inertia is None else inertia)
    if inertia is not None and shape is not None:
        ratio = np.trace(tensor) / np.trace(principal_inertia(what, shape.inertia(mass)))
        if not 1.0 / IMPLAUSIBLE < ratio < IMPLAUSIBLE:
            warnings.add(f"{what}: its inertia is {ratio:.3g} times that of its shape and mass; check the unit (kg m^2) or omit "
                         "it to compute it from the shape")
    return mass, tensor


def write_shape(record: np.void, shape: shapes.Shape, kind: int, pool: GeometryPool) -> GeometryPool:
    """Write kind, dims, rounding and geometry of a shape into its SHAPE record; the pool with the geometry in it."""
    record["kind"], record["dims"], record["rounding"] = kind, shape.dims, shapes.rounding_of(shape)
    record["geometry"] = -1
    if (data := shapes.geometry_of(shape)) is not None:
        pool, record["geometry"] = pool.add(data)
    return pool


KINDS = {"static": Kind.STATIC, "kinematic": Kind.KINEMATIC, "dynamic": Kind.DYNAMIC}


def check_static_has_no_velocity(what: str, vel: np.ndarray, omega: np.ndarray) -> None:
    """BadInput where a static body is given a velocity."""
    if vel.any() or omega.any():
        raise BadInput(f"{what} is static: vel and omega must be 0; use a kinematic body for prescribed motion")


# ---- adding and removing


def body(world: "World", name: str) -> Body:
    """The body of that name, which is also its index.

    Raises:
        BadInput: no body has it; names like it are listed.
    """
    return Body(find("body", name, world.body_names), world)


def add_body(world: "World", shape: Shape | None = None, *, kind: str = "dynamic",
             pos: Sequence[float] = (0.0, 0.0, 0.0), quat: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
             vel: Sequence[float] = (0.0, 0.0, 0.0), omega: Sequence[float] = (0.0, 0.0, 0.0),
             mass: float | None = None, density: float = DENSITY, inertia: Any = None,
             friction: float | None = None, restitution: float | None = None, material: Material | str | None = None,
             category: int = 1, mask: int = broad.ALL_CATEGORIES, group: int = 0, sensor: bool = False,
             name: str = "") -> Body:
    """Add a body and return it: a handle that is also its index.

    Args:
        shape: its shape, centred on it, or a Compound; None: a point mass without contacts.
        kind: "dynamic", "static" or "kinematic".
        pos, quat: centre of mass [m] (Compound: origin of its own frame) and orientation (w, x, y, z), world frame.
        vel, omega: [m/s], [rad/s], world frame.
        mass: [kg]; None: density times volume.
        density: [kg/m^3], where mass is None.
        inertia: principal moments (3,) or tensor (3, 3) about the centre of mass, body frame [kg m^2]; None: the shape's.
        friction, restitution: of its surface; None: those of its material.
        material: of its surface, given or by the name of one in use; None: friction 0.5, no restitution.
        category, mask, group: collision filter, see `set_filter`; by default it touches everything.
        sensor: its shapes have no contact forces; `events` reports overlaps.
        name: unique; "" gives "body 7".

    Raises:
        BadInput: a value out of range, or a shape that cannot meet one already here. Nothing is added.
    """
    dynamic = check_choice("body kind", kind, KINDS) == "dynamic"
    what = f"body '{name}'" if plain_name("the body: its name", name) else "the body"
    placed = (vector(f"{what}: pos", pos, limit=MAX_POSITION), unit_quaternion(f"{what}: quat", quat),
              sanity_checks.cap_speed(what, vector(f"{what}: vel", vel), world.warnings), vector(f"{what}: omega", omega))
    if kind == "static":
        check_static_has_no_velocity(what, *placed[2:])
    materials, made_of, mu, e = checked_surface(world, what, material, friction, restitution)
    touch = broad.fields(what, category, mask, group, sensor)
    parts = parts_of(shape)
    for part in parts:
        check_shape(what, part.shape, dynamic, world.shape_kinds, _kinds_in_use(world), world.warnings.add)
    centre = shape.centre() if dynamic and isinstance(shape, Compound) else np.zeros(3)
    m, tensor = 0.0, np.zeros((3, 3))
    if dynamic:
        m, tensor = mass_properties(what, shape, mass, density, inertia, world.warnings)
    check_name_unused(what, name, world.body_names)

    world.materials, i = materials, world.body_table.add(lambda bodies: bodies["kind"] == Kind.FREE)
    b = world.bodies[i]
    b["pos"], b["quat"], b["vel"], b["omega"] = placed
    b["pos"] += rotate(b["quat"], centre) if centre.any() else centre
    b["kind"], b["velocity_lag"] = KINDS[kind], 0.0
    if dynamic:
        b["mass"], b["inv_mass"] = m, 1.0 / m
        b["inertia"], b["inv_inertia"] = tensor, inverse(tensor)
    set_name(world.body_names, i, name or f"body {i}")
    for part in parts:
        s = _add_shape(world, part, i, centre)
        s["friction"], s["restitution"], s["material"] = mu, e, made_of
        for field, value in touch.items():
            s[field] = value
    world.unchecked_bodies.add(i)
    structure_changed(world)
    return Body(i, world)


def _add_shape(world: "World", part: Part, body: int, centre: np.ndarray) -> np.void:
    """A new SHAPE record for a part of a body whose centre of mass is `centre` in the parts' frame."""
    slot = world.shape_table.add(lambda shapes: shapes["body"] < 0)
    s = world.shapes[slot]
    world.pool = write_shape(s, part.shape, world.shape_kinds.index(part.shape.kind), world.pool)
    s["body"], s["local_pos"], s["local_quat"] = body, part.pos - centre, part.quat
    world.shape_kinds_in_use.add(part.shape.kind)
    return s


def _kinds_in_use(world: "World") -> set[str]:
    """Kinds of the shapes of a world."""
    if not world.shape_kinds_in_use:
        world.shape_kinds_in_use = {world.shape_kinds[k] for k in np.unique(world.shapes["kind"][world.shapes["body"] >= 0])}
    return world.shape_kinds_in_use


def remove_body(world: "World", i: int, with_joints: bool = False) -> None:
    """Remove a body and its shapes.

    Raises:
        BadInput: no such body, the body "world", or joints hold it and `with_joints` is false.
    """
    i = body_index(world, i)
    if i == 0:
        raise BadInput("body 0, 'world', cannot be removed")
    held = np.flatnonzero((world.joints["kind"] >= 0)
                          & ((world.joints["body_a"] == i) | (world.joints["body_b"] == i)))
    if len(held) and not with_joints:
        raise BadInput(f"body '{world.body_names[i]}' is attached to {', '.join(repr(world.joint_names[j]) for j in held)}: "
                       "remove the joints first")
    for j in held:
        world.remove_joint(int(j))
    wake_changed(world, i, WakeReason.SUPPORT)
    world.bodies[i] = np.zeros((), BODY)
    world.shapes["body"][world.shapes["body"] == i] = -1
    world.body_data.pop(i, None)
    world.body_names[i] = ""
    world.unchecked_bodies.discard(i)
    world.body_table.has_free_slots = world.shape_table.has_free_slots = True
    world.shape_kinds_in_use = set()
    contacts = world.awake_contacts
    world.awake_contacts = contacts[(contacts["body_a"] != i) & (contacts["body_b"] != i)]
    structure_changed(world)


# ---- changing


def set_mass(world: "World", i: int, mass: float) -> None:
    """Set the mass of a dynamic body [kg]; its inertia changes in proportion.

    Raises:
        BadInput: no such body, one that is not dynamic, or a mass out of range.
    """
    i = _dynamic_index(world, i)
    mass = number("mass", mass, lo=0.0, hi=1e12, unit="kg", open_lo=True)
    b = world.bodies[i]
    b["inertia"] = b["inertia"] * (mass / b["mass"])
    b["inv_inertia"] = inverse(b["inertia"])
    b["mass"], b["inv_mass"] = mass, 1.0 / mass
    wake_changed(world, i, WakeReason.MASS)


def set_pose(world: "World", i: int, pos: Sequence[float], quat: Sequence[float]) -> None:
    """Put a body at pos (3,) [m] with orientation quat (w, x, y, z), world frame; its velocity stays.

    Raises:
        BadInput: no such body, or numbers out of range.
    """
    i = body_index(world, i)
    pos, quat = vector("pos", pos, limit=MAX_POSITION), unit_quaternion("quat", quat)
    world.bodies["pos"][i], world.bodies["quat"][i] = pos, quat
    world.velocities_set.pop(i, None)


def set_velocity(world: "World", i: int, vel: Sequence[float], omega: Sequence[float]) -> None:
    """Set velocity vel (3,) [m/s] of the centre of mass and angular velocity omega (3,) [rad/s], world frame.

    It belongs to the present pose, though the one that is read lags behind it by half a motion (dynamics/integrate.py). Those
    that a controller sets (CONTROL_STEPS) lag as what they were made of does, unless the pose is set as well: else forces would
    act for half of each of those steps only.

    Raises:
        BadInput: no such body, a static one that would move, or numbers that are not finite.
    """
    i = body_index(world, i)
    what, bodies = f"body '{world.body_names[i]}'", world.bodies
    vel, omega = vector(f"{what}: vel", vel), vector(f"{what}: omega", omega)
    if bodies["kind"][i] == Kind.STATIC:
        check_static_has_no_velocity(what, vel, omega)
    vel = sanity_checks.cap_speed(what, vel, world.warnings)
    if (bodies["vel"][i] == vel).all() and (bodies["omega"][i] == omega).all():
        return
    if not _is_controlled(world, i, vel, omega):
        bodies["velocity_lag"][i] = 0.0
    bodies["vel"][i], bodies["omega"][i] = vel, omega
    world.velocities_set[i] = world.steps


def _is_controlled(world: "World", i: int, vel: np.ndarray, omega: np.ndarray) -> bool:
    """Whether a body's new velocities are made of those that it has."""
    steps, body = world.steps - world.velocities_set.get(i, -NUDGE_STEPS - 1), world.bodies[i]
    changes = np.linalg.norm(vel - body["vel"]), np.linalg.norm(omega - body["omega"])
    return steps <= CONTROL_STEPS or (steps <= NUDGE_STEPS and all(
        change <= rate * steps * world.last_dt for change, rate in zip(changes, NUDGE_RATES, strict=True)))


def rename_body(world: "World", i: int, name: str) -> None:
    """Give a body another name, which no other body has.

    Raises:
        BadInput: no such body, the body "world", no name, or one that is taken. Nothing is changed.
    """
    i = _editable_index(world, i)
    world.body_names[i] = checked_new_name(f"body '{world.body_names[i]}'", name, world.body_names, i)


def shape_of(world: "World", i: int) -> Shape:
    """The shape of a body that is made of one, which three numbers describe.

    Raises:
        BadInput: no such body, or one made of something else; the message names it.
    """
    i = body_index(world, i)
    what, own = f"body '{world.body_names[i]}'", np.flatnonzero(world.shapes["body"] == i)
    if len(own) != 1:
        raise BadInput(f"{what} consists of {len(own) or 'no'} shapes: size and kind can be changed for single shapes only")
    record = world.shapes[own[0]]
    title = world.shape_kinds[record["kind"]]
    kind = shapes.kinds()[title]
    if kind.geometric or not np.any(record["dims"]):
        raise BadInput(f"{what}: the size of a {title.replace('_', ' ')} cannot be changed: replace the body")
    return kind.make(record["dims"])


def set_shape(world: "World", i: int, shape: Shape) -> None:
    """Make a body of another size or kind of shape, of the same density. The new shape is where the old one was, in the body.

    A dynamic body gets the inertia and centre of mass of its new shape; a warning tells if others were given. The shape that it
    has already changes nothing.

    Raises:
        BadInput: a size out of range, or the old shape is none that can be exchanged. Nothing is changed.
    """
    i = _editable_index(world, i)
    old, what, slot = shape_of(world, i), f"body '{world.body_names[i]}'", _only_slot(world, i)
    dynamic = world.bodies["kind"][i] == Kind.DYNAMIC
    check_shape(what, shape, bool(dynamic), world.shape_kinds, _kinds_in_use(world), world.warnings.add)
    record = world.shapes[slot]
    if (shape.kind, *shape.dims, shapes.rounding_of(shape)) == (old.kind, *record["dims"].tolist(), float(record["rounding"])):
        return
    if dynamic:
        weigh_again(world, i, old, shape, record["local_pos"].copy())
    world.pool = write_shape(record, shape, world.shape_kinds.index(shape.kind), world.pool)
    world.refresh_after_edit()


def weigh_again(world: "World", i: int, old: Shape, shape: Shape, centre: np.ndarray) -> None:
    """Give a dynamic body of one shape the mass distribution of the shape that replaces it; its density stays.

    old: the shape that its SHAPE record still describes; centre: of the new one, body frame (3,) [m]. The new shape is turned as
    the old one.
    """
    what, b, slot = f"body '{world.body_names[i]}'", world.bodies[i], _only_slot(world, i)
    mass, quat = float(b["mass"]), world.shapes["local_quat"][slot]
    was = Compound((old, world.shapes["local_pos"][slot], quat)).inertia(mass)
    given = (np.abs(world.shapes["local_pos"][slot]).max() > SAME_CENTRE
             or np.abs(was - b["inertia"]).max() > SAME_INERTIA * np.trace(was))
    placed = Compound((shape, centre, quat))
    _set_mass(b, *mass_properties(what, placed, None, mass / old.volume(), None, world.warnings))
    _move_centre(world, i, placed.centre())
    if given:
        world.warnings.add(f"{what}: its inertia or centre of mass was given for another size; both are now those of its shape")


def set_kind(world: "World", i: int, kind: str, density: float | None = None) -> None:
    """Make a body "static", "kinematic" or "dynamic". density: of one that becomes dynamic [kg/m^3]; None: DENSITY, and a warning
    tells its mass, for what it had when it was dynamic is not kept. Its pos becomes that of its centre of mass.

    Raises:
        BadInput: the body "world", no such kind, a joint that would tie two bodies that do not move, or a shape whose mass is
            not known. Nothing is changed.
    """
    i = _editable_index(world, i)
    check_choice("body kind", kind, KINDS)
    what, b = f"body '{world.body_names[i]}'", world.bodies[i]
    if b["kind"] == KINDS[kind]:
        return
    if kind == "dynamic":
        shape = shape_of(world, i)
        check_shape(what, shape, True, world.shape_kinds, _kinds_in_use(world))
        slot = _only_slot(world, i)
        placed = Compound((shape, world.shapes["local_pos"][slot], world.shapes["local_quat"][slot]))
        _set_mass(b, *mass_properties(what, placed, None, DENSITY if density is None else density, None, world.warnings))
        _move_centre(world, i, placed.centre())
        if density is None:
            world.warnings.add(f"{what} becomes dynamic with {b['mass']:.4g} kg, by {DENSITY:g} kg/m^3: set its mass if it is "
                               "another, or give set_kind a density")
    else:
        _check_still_moves(world, what, i)
        b["vel"], b["omega"], b["mass"], b["inv_mass"] = 0.0, 0.0, 0.0, 0.0
        b["inertia"], b["inv_inertia"], b["inv_inertia_world"] = 0.0, 0.0, 0.0
    b["kind"], b["velocity_lag"] = KINDS[kind], 0.0
    world.unchecked_bodies.add(i)
    world.refresh_after_edit()


def copy_body(world: "World", i: int, shift: Any, name: str) -> int:
    """Add a copy of body i, at rest, shift (3,) [m] away in the world frame, without joints; returns its index.

    Raises:
        BadInput: no such body, the body "world", or a name that is taken. Nothing is changed.
    """
    i, shift = _editable_index(world, i), vector("shift", shift)
    check_name_unused("the copy", name, world.body_names)
    record, shapes = record_of(world.bodies, i), selected(world.shapes, world.shapes["body"] == i)
    twin = world.body_table.add(lambda bodies: bodies["kind"] == Kind.FREE)
    set_name(world.body_names, twin, name)
    record["pos"] += shift
    for field in ("vel", "omega", "force", "torque", "asleep", "rest_time"):
        record[field] = 0
    record["velocity_lag"] = 0.0
    world.bodies[twin] = record
    for shape in shapes:
        slot = world.shape_table.add(lambda table: table["body"] < 0)
        world.shapes[slot] = shape
        world.shapes[slot]["body"] = twin
    world.unchecked_bodies.add(twin)
    world.refresh_after_edit()
    return twin


def put_body(world: "World", i: int, record: np.void, name: str, slots: np.ndarray, shapes: np.ndarray) -> None:
    """Put a body that was removed into its slot again. record: BODY; slots, shapes: of its SHAPE records.

    Raises:
        BadInput: something else is there by now. Nothing is changed.
    """
    free = i < len(world.bodies) and world.bodies["kind"][i] == Kind.FREE
    if not free or np.any(slots >= len(world.shapes)) or np.any(world.shapes["body"][slots] >= 0):
        raise BadInput(f"body '{name}' cannot be restored: its slot is in use")
    check_name_unused(f"body '{name}'", name, world.body_names)
    world.bodies[i], world.body_names[i] = record, name
    world.bodies[i]["asleep"], world.bodies[i]["rest_time"], world.bodies[i]["velocity_lag"] = 0, 0.0, 0.0
    world.shapes[slots] = shapes
    world.unchecked_bodies.add(i)
    world.refresh_after_edit()


# ---- forces


def apply_force(world: "World", i: int, force: Sequence[float], point: Sequence[float] | None = None) -> None:
    """Add a force (3,) [N] at a point (3,) [m] (None: the centre of mass), world frame, for the next step only.

    Raises:
        BadInput: no such body, one that is not dynamic, or numbers that are not finite.
    """
    i = _dynamic_index(world, i)
    force = vector("force", force)
    bodies = world.bodies
    if point is not None:
        (x, y, z), (fx, fy, fz) = (vector("point", point) - bodies["pos"][i]).tolist(), force.tolist()
        bodies["torque"][i] += y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
    bodies["force"][i] += force


def apply_torque(world: "World", i: int, torque: Sequence[float]) -> None:
    """Add a torque (3,) [N m], world frame, for the next step only; raises as `apply_force`."""
    i = _dynamic_index(world, i)
    world.bodies["torque"][i] += vector("torque", torque)


# ---- inside


def _dynamic_index(world: "World", i: int | str) -> int:
    """Index of a dynamic body, from its index or name."""
    i = body_index(world, i)
    if world.bodies["kind"][i] != Kind.DYNAMIC:
        raise BadInput(f"body '{world.body_names[i]}' is not dynamic: it has no mass and does not respond to forces")
    return i


def _editable_index(world: "World", i: int | str) -> int:
    """Index of a body other than "world", from its index or name."""
    i = body_index(world, i)
    if i == 0:
        raise BadInput("body 0, 'world', is the fixed ground and cannot be changed")
    return i


def _check_still_moves(world: "World", what: str, i: int) -> None:
    """A body that stops being dynamic must leave no joint without a dynamic body."""
    for j in np.flatnonzero(world.joints["kind"] >= 0).tolist():
        pair = (int(world.joints["body_a"][j]), int(world.joints["body_b"][j]))
        if i in pair and world.bodies["kind"][pair[0] + pair[1] - i] != Kind.DYNAMIC:
            raise BadInput(f"{what}: its joint '{world.joint_names[j]}' would connect two immovable bodies: remove the joint "
                           "first")


def _only_slot(world: "World", i: int) -> int:
    """Slot of the SHAPE record of a body of one shape."""
    return int(np.flatnonzero(world.shapes["body"] == i)[0])


def _move_centre(world: "World", i: int, centre: np.ndarray) -> None:
    """Put the frame of a body at its point `centre` (3,) [m], body frame; its matter, shapes and joints stay where they are."""
    if not centre.any():
        return
    b = world.bodies[i]
    arm = rotate(b["quat"], centre)
    b["pos"] += arm
    b["vel"] += np.cross(b["omega"], arm)
    b["torque"] -= np.cross(arm, b["force"])
    world.shapes["local_pos"][world.shapes["body"] == i] -= centre
    for side in "ab":
        world.joints[f"anchor_{side}"][(world.joints["kind"] >= 0) & (world.joints[f"body_{side}"] == i)] -= centre


def _set_mass(b: Any, mass: float, tensor: np.ndarray) -> None:
    b["mass"], b["inv_mass"], b["inertia"], b["inv_inertia"] = mass, 1.0 / mass, tensor, inverse(tensor)
