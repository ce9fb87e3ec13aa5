"""The commands that edit a scene by hand, running or paused; what `Simulation` inherits.

Every one is an edit that can be undone (undoing.py). A body that is put somewhere stays there at rest unless told otherwise: who
moves a thing by hand holds it, and lets go of it with no velocity.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.edits import MOUSE
from app.engine.rewinding import changes
from app.engine.stretching import Stretching
from physics import BadInput, Friction, Material, Motor, joints, shapes
from physics.check import vector
from physics.core.records import Kind
from physics.shapes import Shape


class Editing(Stretching):
    """Bodies, joints and materials, changed by hand."""

    # ---- bodies

    @changes
    def set_pose(self, body: int, pos: Sequence[float], quat: Sequence[float], still: bool = True) -> None:
        """Put a body elsewhere [m], (w, x, y, z), world frame. still: without velocity from now on."""
        if body == 0:
            raise BadInput("body 0, 'world', is the ground of everything and stays where it is")
        self.world.set_pose(body, pos, quat)
        if still:
            self.world.set_velocity(body, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        self.world.was_edited()

    @changes
    def set_velocity(self, body: int, vel: Sequence[float], omega: Sequence[float]) -> None:
        """[m/s], [rad/s], world frame. A static body has none."""
        if self.world.bodies["kind"][body] == Kind.STATIC:
            raise BadInput(f"body '{self.world.body_names[body]}' is static: make it kinematic to give it a velocity")
        self.world.set_velocity(body, vel, omega)
        self.world.was_edited()

    @changes
    def spawn(self, shape: Shape, pos: Sequence[float], quat: Sequence[float] = (1.0, 0.0, 0.0, 0.0), kind: str = "dynamic",
              vel: Sequence[float] = (0.0, 0.0, 0.0), density: float = 1000.0, friction: float | None = None,
              restitution: float | None = None, name: str = "") -> None:
        """Add a body; arguments as in `World.add_body`, friction and restitution as those of a thrown ball by default."""
        surface = self._material()
        surface |= {key: value for key, value in (("friction", friction), ("restitution", restitution)) if value is not None}
        title = shape.kind.replace("_", " ")
        self.world.add_body(shape, kind=kind, pos=pos, quat=quat, vel=vel, density=density,
                            name=_free(name or title, self.world.body_names, bool(name)), **surface)

    @changes
    def duplicate(self, bodies: int | Sequence[int], shift: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        """Add bodies like these, at rest, `shift` away [m], with the joints between them and those to what is static."""
        world, given = self.world, (bodies,) if isinstance(bodies, int | np.integer) else tuple(bodies)
        shift = vector("shift", shift)
        for body in given:
            if body <= 0 or body >= len(world.bodies) or world.bodies["kind"][body] == Kind.FREE:
                raise BadInput(f"there is no body {body} to duplicate")
        twins = {body: world.copy_body(body, shift, _free(world.body_names[body], world.body_names, False)) for body in given}
        stays = {body: body for body in np.flatnonzero(world.bodies["kind"] == Kind.STATIC).tolist()}
        for j, joint in enumerate(world.joints[:]):
            ends = int(joint["body_a"]), int(joint["body_b"])
            if joint["kind"] < 0 or twins.keys().isdisjoint(ends) or world.joint_names[j] == MOUSE:
                continue
            a, b = (twins.get(body, stays.get(body)) for body in ends)
            if a is not None and b is not None:
                world.copy_joint(j, a, b, shift, _free(world.joint_names[j], world.joint_names, False))

    @changes
    def resize(self, body: int, dims: Sequence[float]) -> None:
        """Give a body of one simple shape other sizes [m], as its kind of shape counts them; its density stays."""
        self.world.set_shape(body, shapes.kinds()[self.world.shape_of(body).kind].make(vector("size", dims)))

    @changes
    def set_kind(self, body: int, kind: str) -> None:
        """Make a body static, kinematic or dynamic, of the density of water."""
        self.world.set_kind(body, kind)

    @changes
    def rename_body(self, body: int, name: str) -> None:
        """Give a body another name."""
        self.world.rename_body(body, name)

    @changes
    def set_material(self, body: int, material: Material | str) -> None:
        """Make a body of a material, or of one in use by its name."""
        self.world.set_material(body, material)

    @changes
    def change_material(self, name: str, values: dict[str, Any]) -> None:
        """Change numbers of a named material, and of everything made of it."""
        self.world.change_material(name, **values)

    @changes
    def set_filter(self, body: int, category: int | None = None, mask: int | None = None, group: int | None = None) -> None:
        """Whom a body touches: as `World.set_filter`."""
        self.world.set_filter(body, category=category, mask=mask, group=group)

    @changes
    def set_sensor(self, body: int, on: bool) -> None:
        """Whether a body only senses what overlaps it."""
        self.world.set_sensor(body, on)

    # ---- joints

    @changes
    def join(self, kind: str, a: int, b: int, anchor: Sequence[float], axis: Sequence[float] = (0.0, 0.0, 1.0),
             anchor_b: Sequence[float] | None = None, axis_b: Sequence[float] | None = None) -> None:
        """Tie two bodies by a joint at a point, along an axis, world frame; a = 0 ties b to the world.

        anchor_b: b's point where the joint has two, its centre if it is not given; axis_b: b's axis, if it is another one.
        """
        name = _free(kind.replace("_", " "), self.world.joint_names, False)
        two = kind in self.world.joint_kinds and joints.kinds()[kind].anchors > 1
        if two and anchor_b is None:
            anchor_b = tuple(map(float, self.world.bodies["pos"][b]))
        self.world.add_joint(kind, a, b, anchor=anchor, axis=axis, anchor_b=anchor_b if two else None, axis_b=axis_b, name=name)

    @changes
    def remove_joint(self, joint: int) -> None:
        """Remove a joint."""
        self.world.remove_joint(joint)

    @changes
    def rename_joint(self, joint: int, name: str) -> None:
        """Give a joint another name."""
        self.world.rename_joint(joint, name)

    @changes
    def set_joint_law(self, joint: int, group: str, law: Friction) -> None:
        """The whole law of friction of one group of a joint's directions."""
        self.world.set_joint_friction(law, joint, group)
        self.joint_bounds[self.world.joint_names[joint], group] = law.static

    @changes
    def set_joint_limits(self, joint: int, axis: str, lo: float | None, hi: float | None) -> None:
        """Limits of an axis [rad] or [m]; None: no limit."""
        self.world.set_joint_limits(joint, lo, hi, axis)

    @changes
    def set_joint_motor(self, joint: int, axis: str, motor: Motor | None) -> None:
        """Motor of an axis; None: no motor."""
        self.world.set_joint_motor(joint, motor, axis)

    @changes
    def set_joint_param(self, joint: int, name: str, value: float) -> None:
        """What its kind has besides."""
        self.world.set_joint_param(joint, **{name: value})

    @changes
    def set_joint_strength(self, joint: int, force: float, torque: float) -> None:
        """Reaction above which a joint breaks [N], [N m]; inf: never."""
        self.world.set_joint_strength(joint, force, torque)


def _free(name: str, taken: Sequence[str], as_it_is: bool) -> str:
    """The name if it is free or must be as it is, else with the next number: "crate 3"."""
    if as_it_is or name not in taken:
        return name
    stem = name.rstrip("0123456789").rstrip() or name
    return next(f"{stem} {n}" for n in range(2, len(taken) + 3) if f"{stem} {n}" not in taken)

