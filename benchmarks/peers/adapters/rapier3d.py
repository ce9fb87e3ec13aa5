"""Rapier, through its Python package (single precision).

Dry friction of a hinge is a velocity motor with target zero and limited torque. Settings: `steps` world steps per frame,
`iterations` solver iterations (its own inner substeps), `sweeps` internal iterations of each, `contact_hz` and `contact_damping`
of its contact springs, `multibody` reduced coordinates.
"""

from typing import Any

import numpy as np

from benchmarks.peers import geometry
from benchmarks.peers.adapters import Adapter, Unsupported, spanning_tree, still
from benchmarks.peers.metrics import State
from benchmarks.peers.scenes import Body, Joint, Scene


class Rapier(Adapter):
    """Adapter for Rapier."""

    module = "rapier3d"
    configs = {
        "default": {},
        # 16 inner substeps allow contact springs four times stiffer
        "accurate": {"iterations": 16, "sweeps": 2, "contact_hz": 120.0, "contact_damping": 10.0},
        # equal quality, with contact detection in each of four steps
        "substep4": {"steps": 4, "contact_hz": 120.0, "contact_damping": 10.0},
        "multibody": {"multibody": True},
    }

    def build(self, scene: Scene, dt: float) -> None:
        import rapier3d

        self.rapier, self.scene = rapier3d, scene
        if self.settings.get("multibody") and not scene.joints:
            raise Unsupported("for jointed scenes only")
        self.world = rapier3d.PhysicsWorld(gravity=tuple(scene.gravity))
        self.world.set_num_threads(1)
        self.steps = self.settings.get("steps", 1)
        self.tune(dt / self.steps)
        self.handles = [self.add(body) for body in scene.bodies]
        self.ground = self.world.add_body(rapier3d.RigidBody.fixed(), []) if scene.joints else None
        tree, closures = spanning_tree(scene) if self.settings.get("multibody") else ({}, scene.joints)
        for i, (joint, parent) in tree.items():
            self.world.multibody_joints.insert(*self.joined(joint, parent, i))
        for joint in closures:
            self.world.impulse_joints.insert(*self.joined(joint, joint.a, joint.b))

    def tune(self, h: float) -> None:
        """Set Rapier's parameters; h [s] is one world step."""
        parameters = self.world.integration_parameters
        parameters.dt = h
        for ours, theirs in (("iterations", "num_solver_iterations"), ("sweeps", "num_internal_pgs_iterations")):
            if ours in self.settings:
                setattr(parameters, theirs, self.settings[ours])
        if "contact_hz" in self.settings:
            spring = (self.settings["contact_hz"], self.settings["contact_damping"])
            parameters.contact_softness = self.rapier.SpringCoefficients(*spring)
            parameters.static_contact_softness = self.rapier.SpringCoefficients(*spring)

    def add(self, body: Body) -> Any:
        """Add a body and return its handle; mass and inertia come from the scene, none from the shape."""
        rapier, scene = self.rapier, self.scene
        place = rapier.Isometry3(tuple(map(float, body.pos)), rapier.Rotation3(*body.quat))
        collider = {"plane": lambda: rapier.Collider.halfspace((0, 0, 1)), "box": lambda: rapier.Collider.cuboid(*body.half),
                    "sphere": lambda: rapier.Collider.ball(body.radius),
                    "capsule": lambda: rapier.Collider.capsule_z(body.half_length, body.radius)}[body.kind]()
        rule = rapier.CoefficientCombineRule.MAX
        collider = (collider.friction(scene.mu).restitution(scene.e).density(0.0)
                    .friction_combine_rule(rule).restitution_combine_rule(rule))
        if not scene.collide:
            collider = collider.collision_groups(rapier.InteractionGroups.none())
        if body.static:
            return self.world.add_body(rapier.RigidBody.fixed().position(place), [collider])
        mass = rapier.MassProperties((0, 0, 0), body.mass, tuple(body.inertia), rapier.Rotation3.identity())
        moving = rapier.RigidBody.dynamic().position(place).linvel(tuple(body.vel)).angvel(tuple(body.omega))
        return self.world.add_body(moving.additional_mass_properties(mass).can_sleep(False), [collider])

    def joined(self, joint: Joint, a: int, b: int) -> tuple:
        """(handle, handle, joint) to insert."""
        bodies = [None if k < 0 else self.scene.bodies[k] for k in (a, b)]
        handles = [self.ground if k < 0 else self.handles[k] for k in (a, b)]
        anchors = [tuple(joint.anchor if body is None else geometry.local(body, joint.anchor)) for body in bodies]
        if joint.kind == "ball":
            made = self.rapier.SphericalJoint.builder()
        else:
            axis = np.array(joint.axis, float)
            axes = [tuple(axis if body is None else geometry.rotation(body.quat).T @ axis) for body in bodies]
            made = self.rapier.RevoluteJoint.builder(tuple(axis)).local_axis1(axes[0]).local_axis2(axes[1])
        made = made.local_anchor1(anchors[0]).local_anchor2(anchors[1])
        if joint.friction:
            made = made.motor_velocity(0.0, 1e3).motor_max_force(joint.friction)
        return *handles, made.contacts_enabled(False).build()

    def step(self, frames: int = 1) -> None:
        for _ in range(frames * self.steps):
            self.world.step()

    def state(self) -> State:
        pos, quat, vel, omega = still(self.scene)
        for i in self.scene.dynamic:
            body = self.world.rigid_bodies[self.handles[i]]
            x, q, v, w = body.translation, body.rotation, body.linvel, body.angvel
            pos[i], quat[i], vel[i], omega[i] = (x.x, x.y, x.z), (q.w, q.i, q.j, q.k), (v.x, v.y, v.z), (w.x, w.y, w.z)
        return pos, quat, vel, omega

    def contacts(self) -> int:
        return sum(point.dist <= 0.005 for pair in self.world.narrow_phase.contact_pairs()
                   for manifold in pair.manifolds for point in manifold.points)

    def about(self) -> dict[str, Any]:
        return {"version": self.rapier.__version__, "precision": "f32", "steps": self.steps}


ADAPTER = Rapier
