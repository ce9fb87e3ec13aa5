"""Commands of bodies: add, throw, move, resize, stretch, change, remove; also of several at once.

A body whose pose is set is at rest afterwards unless its velocity is to be kept: dragging by hand ends with zero velocity.

Stretching: with S = diag(s) and the vertices v of a shape, S v is again a shape of the same kind: the hull of the stretched
points, the same triangles, a grid of stretched cells. The axes are those of the shape, which may be turned in its body. A hull's
centre of mass maps to S c, so its body stays in place, except for the rounding, which is not stretched: the shift of the centre
that results is added to the body's position.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine import assemblies
from app.engine.command import COMMANDS, undoable
from app.engine.material_library import assign
from app.engine.mouse_spring import drag_end
from app.engine.simulation import Simulation
from app.engine.undo import difference
from app.engine.undo.difference import MOUSE_SPRING
from app.i18n.message import message
from physics import BadInput, Sphere, World, shapes
from physics.core.check import vector
from physics.core.quaternions import conjugate, rotate
from physics.core.records import Kind, record_of
from physics.shapes import Shape
from physics.world import bodies as physics_bodies

MIN_SCALE, MAX_SCALE = 1e-3, 1e3
"""Range of stretching factors."""

NEGLIGIBLE_SHIFT = 1e-12
"""Shift of a centre of mass that is neglected [m]."""

BATCH_COMMANDS = frozenset((
    "set_pose", "set_velocity", "duplicate", "resize", "set_kind", "set_material", "set_filter", "set_sensor", "set_friction",
    "set_restitution", "set_mass", "stretch", "remove_body", "use_material"))
"""Commands that can be applied to several bodies."""


@undoable
def throw(simulation: Simulation, origin: Sequence[float], velocity: Sequence[float], radius: float = 0.15,
          density: float = 2000.0, shape: Shape | None = None, **surface: float) -> None:
    """Throw a ball or another shape. surface: its friction and restitution; by default those set for all bodies."""
    shape = shape or Sphere(radius)
    title = "ball" if isinstance(shape, Sphere) else shape.kind
    simulation.world.add_body(shape, pos=origin, vel=velocity, density=density,
                        name=f"thrown {title} {simulation.next_thrown()}", **_surface(simulation) | surface)


@undoable
def spawn(simulation: Simulation, shape: Shape, pos: Sequence[float], quat: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
          kind: str = "dynamic", vel: Sequence[float] = (0.0, 0.0, 0.0), density: float = 1000.0, friction: float | None = None,
          restitution: float | None = None, name: str = "", material: str = "") -> None:
    """Add a body; arguments as of `World.add_body`, friction and restitution by default those set for all bodies. material: of
    the library, with its friction and restitution."""
    surface = _surface(simulation)
    surface |= {key: value for key, value in (("friction", friction), ("restitution", restitution)) if value is not None}
    title = shape.kind.replace("_", " ")
    body = simulation.world.add_body(shape, kind=kind, pos=pos, quat=quat, vel=vel, density=density,
                        name=free_name(name or title, simulation.world.body_names, bool(name)), **surface)
    if material:
        assign(simulation.world, int(body), material)


@undoable
def assemble(simulation: Simulation, what: str, pos: Sequence[float], scale: float = 1.0) -> None:
    """Build something of several bodies and joints (app/engine/assemblies.py) on a point [m]."""
    assemblies.assemble(simulation.world, what, pos, scale)


@undoable
def duplicate(simulation: Simulation, bodies: int | Sequence[int], shift: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
    """Add copies of bodies, at rest, shifted by `shift` [m], with the joints among them and to static bodies."""
    world, given = simulation.world, (bodies,) if isinstance(bodies, int | np.integer) else tuple(bodies)
    shift = vector("shift", shift)
    for body in given:
        if body <= 0 or body >= len(world.bodies) or world.bodies["kind"][body] == Kind.FREE:
            raise BadInput(message("body {body} does not exist and cannot be duplicated", body=body))
    twins = {body: world.copy_body(body, shift, free_name(world.body_names[body], world.body_names, False)) for body in given}
    stays = {body: body for body in np.flatnonzero(world.bodies["kind"] == Kind.STATIC).tolist()}
    for j, joint in enumerate(world.joints[:]):
        ends = int(joint["body_a"]), int(joint["body_b"])
        if joint["kind"] < 0 or twins.keys().isdisjoint(ends) or world.joint_names[j] == MOUSE_SPRING:
            continue
        a, b = (twins.get(body, stays.get(body)) for body in ends)
        if a is not None and b is not None:
            world.copy_joint(j, a, b, shift, free_name(world.joint_names[j], world.joint_names, False))


@undoable
def remove_body(simulation: Simulation, body: int) -> None:
    """Remove a body with its joints."""
    drag_end(simulation)
    simulation.world.remove_body(body, with_joints=True)


@undoable
def set_pose(simulation: Simulation, body: int, pos: Sequence[float], quat: Sequence[float], still: bool = True) -> None:
    """Set a body's pose [m], (w, x, y, z), world frame. still: set its velocity to zero."""
    if body == 0:
        raise BadInput("body 0, 'world', is the fixed ground and cannot be moved")
    simulation.world.set_pose(body, pos, quat)
    if still:
        simulation.world.set_velocity(body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    simulation.world.refresh_after_edit()


@undoable
def set_velocity(simulation: Simulation, body: int, vel: Sequence[float], omega: Sequence[float]) -> None:
    """Set a body's velocity [m/s] and angular velocity [rad/s], world frame. Static bodies have none."""
    if simulation.world.bodies["kind"][body] == Kind.STATIC:
        raise BadInput(message("body '{body}' is static: make it kinematic to give it a velocity",
                               body=simulation.world.body_names[body]))
    simulation.world.set_velocity(body, vel, omega)
    simulation.world.refresh_after_edit()


@undoable
def set_mass(simulation: Simulation, body: int, mass: float) -> None:
    """Set a body's mass [kg]; its moment of inertia scales with it."""
    simulation.world.set_mass(body, mass)


@undoable
def resize(simulation: Simulation, body: int, dims: Sequence[float]) -> None:
    """Set the dimensions [m] of a body of one simple shape, as its kind of shape counts them; its density stays."""
    simulation.world.set_shape(body, shapes.kinds()[simulation.world.shape_of(body).kind].make(vector("size", dims)))


@undoable
def stretch(simulation: Simulation, body: int, factors: Sequence[float]) -> None:
    """Scale a body along the three axes of its shape by factors; its density stays.

    Raises:
        BadInput: no such body, a body of other shapes, a factor or size out of range. Nothing is changed.
    """
    world = simulation.world
    slot, kind = _stretchable(world, body)
    what, record, b = message("body '{body}'", body=world.body_names[body]), record_of(world.shapes, slot), world.bodies[body]
    factors = vector(message("{what}: factors", what=what), factors)
    if not np.all((factors >= MIN_SCALE) & (factors <= MAX_SCALE)):
        raise BadInput(message("{what}: scale factors {factors} are out of range; allowed: {least:g} .. {most:g}", what=what,
                               factors=tuple(factors.tolist()), least=MIN_SCALE, most=MAX_SCALE))
    stretched, own = shapes.kinds()[kind].stretched, world.pool.data(record["geometry"])
    old, shape = (stretched(own, record, f) for f in (np.ones(3), factors))
    dynamic = bool(b["kind"] == Kind.DYNAMIC)
    physics_bodies.check_shape(what, shape, dynamic, world.shape_kinds, (), world.warnings.add)
    if np.all(factors == 1.0):
        return
    shift = shape.middle if hasattr(shape, "middle") else shape.centre
    shift = np.where(np.abs(shift) > NEGLIGIBLE_SHIFT, shift, 0.0)
    turned = record["local_quat"]
    place = rotate(turned, factors * rotate(conjugate(turned), record["local_pos"]) + shift)
    if dynamic:
        physics_bodies.weigh_again(world, body, old, shape, place)
        place = np.zeros(3)
    record["local_pos"] = place
    world.pool = physics_bodies.write_shape(record, shape, world.shape_kinds.index(kind), world.pool)
    world.shapes[slot] = record
    world.unchecked_bodies.add(body)
    world.refresh_after_edit()


@undoable
def set_kind(simulation: Simulation, body: int, kind: str) -> None:
    """Make a body static, kinematic or dynamic, with the density of water."""
    simulation.world.set_kind(body, kind, physics_bodies.DENSITY)


@undoable
def rename_body(simulation: Simulation, body: int, name: str) -> None:
    """Rename a body."""
    simulation.world.rename_body(body, name)


@undoable
def set_filter(simulation: Simulation, body: int, category: int | None = None, mask: int | None = None,
               group: int | None = None) -> None:
    """Set which bodies a body collides with, as `World.set_filter`."""
    simulation.world.set_filter(body, category=category, mask=mask, group=group)


@undoable
def set_sensor(simulation: Simulation, body: int, on: bool) -> None:
    """Set whether a body is a sensor: reports overlaps without contact forces."""
    simulation.world.set_sensor(body, on)


@undoable
def batch(simulation: Simulation, command: str, calls: Sequence[Sequence[Any]], **same: Any) -> None:
    """Apply a command once for each list of arguments. same: keyword arguments of all calls.

    Raises:
        BadInput: the command is not in BATCH_COMMANDS, or a call was refused. Then none of them is applied.
    """
    if command not in BATCH_COMMANDS:
        raise BadInput(message("'{command}' cannot be applied to several bodies at once; allowed: {commands}", command=command,
                               commands=", ".join(sorted(BATCH_COMMANDS))))
    before = difference.state_of(simulation)
    try:
        for call in calls:
            COMMANDS[command](simulation, *call, **same)
    except BadInput:
        difference.apply(simulation, difference.difference(before, difference.state_of(simulation)), back=True)
        raise


COMMANDS["together"] = batch    # its name in recordings and journals of earlier versions


def _surface(simulation: Simulation) -> dict[str, float]:
    """Return friction and restitution that were set for all bodies, by name."""
    given = {"friction": simulation.friction, "restitution": simulation.restitution}
    return {name: value for name, value in given.items() if value is not None}


def _stretchable(world: World, body: int) -> tuple[int, str]:
    """Return (slot, kind) of a body's only shape."""
    own = np.flatnonzero(world.shapes["body"] == body)
    if body <= 0 or len(own) != 1:
        raise BadInput(message("body {body} does not consist of a single shape and cannot be scaled", body=body))
    kind = world.shape_kinds[world.shapes["kind"][own[0]]]
    possible = [name for name, one in shapes.offered().items() if one.stretched]
    if kind not in possible:
        raise BadInput(message("body '{body}' is a {kind}; shapes that can be scaled: {known}", body=world.body_names[body],
                               kind=kind.replace("_", " "), known=", ".join(name.replace("_", " ") for name in possible)))
    return int(own[0]), kind


def free_name(name: str, taken: Sequence[str], as_it_is: bool) -> str:
    """Return the name if it is free or must stay as it is, else with the next number: "crate 3"."""
    if as_it_is or name not in taken:
        return name
    stem = name.rstrip("0123456789").rstrip() or name
    return next(f"{stem} {n}" for n in range(2, len(taken) + 3) if f"{stem} {n}" not in taken)
