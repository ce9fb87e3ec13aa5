"""Bullet, through pybullet (double precision). Jointed groups are one multibody; point-to-point constraints close loops.

Bullet multiplies friction and restitution of the two bodies, so each gets the square root. Its classic bodies ("rigidbody") keep
Bullet's own inertia, as its setter gives NaN there: right for boxes and balls, approximate for capsules. Dry friction of a hinge
is a velocity motor with target zero and limited torque. Settings: `maximal` uses classic bodies for bodies without joints; the
others are names of setPhysicsEngineParameter.
"""

import math
from importlib import metadata
from typing import Any

import numpy as np

from benchmarks.peers import geometry
from benchmarks.peers.adapters import Adapter, spanning_tree, still
from benchmarks.peers.metrics import State
from benchmarks.peers.scenes import Body, Joint, Scene


class Bullet(Adapter):
    """Adapter for Bullet."""

    module = "pybullet"
    configs = {
        "default": {},
        "rigidbody": {"maximal": True},
        "accurate": {"maximal": True, "numSolverIterations": 200, "numSubSteps": 4, "solverResidualThreshold": 1e-9,
                     "restitutionVelocityThreshold": 0.01},
    }

    def build(self, scene: Scene, dt: float) -> None:
        import pybullet

        self.bullet, self.scene = pybullet, scene
        settings = dict(self.settings)
        self.maximal = settings.pop("maximal", False)
        pybullet.connect(pybullet.DIRECT)
        pybullet.setGravity(*scene.gravity)
        pybullet.setPhysicsEngineParameter(fixedTimeStep=dt, **{"numSolverIterations": 50, "numSubSteps": 0, **settings})
        tree, closures = spanning_tree(scene)
        self.handles: dict[int, tuple[int, int]] = {}
        for i, body in enumerate(scene.bodies):
            if i not in tree:
                handle = pybullet.createMultiBody(body.mass, self.shape(body), -1, list(body.pos), xyzw(body.quat),
                                                  useMaximalCoordinates=int(self.maximal))
                self.handles[i] = (handle, -1)
                self.tune(handle, -1, body)
                if not body.static:
                    pybullet.resetBaseVelocity(handle, list(body.vel), list(body.omega))
        if tree:
            self.add_tree(tree)
        for joint in closures:
            self.close_loop(joint)

    def shape(self, body: Body, at: np.ndarray | None = None) -> int:
        """Create a collision shape, offset by `at` in its link's frame."""
        bullet = self.bullet
        moved = {} if at is None else {"collisionFramePosition": list(at)}
        if body.kind == "plane":
            return bullet.createCollisionShape(bullet.GEOM_PLANE)
        if body.kind == "box":
            return bullet.createCollisionShape(bullet.GEOM_BOX, halfExtents=list(body.half), **moved)
        if body.kind == "sphere":
            return bullet.createCollisionShape(bullet.GEOM_SPHERE, radius=body.radius, **moved)
        return bullet.createCollisionShape(bullet.GEOM_CAPSULE, radius=body.radius, height=2.0 * body.half_length, **moved)

    def tune(self, handle: int, link: int, body: Body) -> None:
        """Set material, zero damping, no sleeping, the scene's inertia."""
        bullet, scene = self.bullet, self.scene
        given = {"lateralFriction": math.sqrt(scene.mu), "restitution": math.sqrt(scene.e), "rollingFriction": 0,
                 "spinningFriction": 0}
        if not body.static:
            given |= {"linearDamping": 0, "angularDamping": 0, "jointDamping": 0, "maxJointVelocity": 1e6}
            if link != -1 or not self.maximal:
                given["localInertiaDiagonal"] = list(body.inertia)
            if link == -1:
                given["activationState"] = bullet.ACTIVATION_STATE_DISABLE_SLEEPING
        bullet.changeDynamics(handle, link, **given)
        if not scene.collide:
            bullet.setCollisionFilterGroupMask(handle, link, 0, 0)

    def add_tree(self, tree: dict[int, tuple[Joint, int]]) -> None:
        """Add all jointed bodies as links of one multibody; a link's frame is at its joint, along the body's axes."""
        bullet, scene = self.bullet, self.scene
        number = {i: k for k, i in enumerate(tree)}
        columns: dict[str, list] = {name: [] for name in (
            "linkMasses", "linkCollisionShapeIndices", "linkPositions", "linkOrientations", "linkInertialFramePositions",
            "linkParentIndices", "linkJointTypes", "linkJointAxis")}
        for i, (joint, parent) in tree.items():
            body = scene.bodies[i]
            centre = -geometry.local(body, joint.anchor)
            if parent == -1:
                pos, quat = np.array(joint.anchor), np.array(body.quat)
            else:
                holder = scene.bodies[parent]
                pos = geometry.local(holder, joint.anchor) - geometry.local(holder, tree[parent][0].anchor)
                quat = geometry.relative(holder, body)[1]
            kind = bullet.JOINT_SPHERICAL if joint.kind == "ball" else bullet.JOINT_REVOLUTE
            axis = geometry.rotation(body.quat).T @ np.array(joint.axis)
            link = (body.mass, self.shape(body, centre), list(pos), xyzw(quat), list(centre), number.get(parent, -1) + 1, kind,
                    list(axis))
            for column, value in zip(columns.values(), link):
                column.append(value)
        handle = bullet.createMultiBody(
            0, -1, -1, [0, 0, 0], [0, 0, 0, 1], linkVisualShapeIndices=[-1] * len(tree),
            linkInertialFrameOrientations=[[0, 0, 0, 1]] * len(tree),
            flags=bullet.URDF_USE_SELF_COLLISION | bullet.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT, **columns)
        bullet.changeDynamics(handle, -1, linearDamping=0, angularDamping=0,
                              activationState=bullet.ACTIVATION_STATE_DISABLE_SLEEPING)
        for i, (joint, _) in tree.items():
            self.handles[i] = (handle, number[i])
            self.tune(handle, number[i], scene.bodies[i])
            if joint.kind == "ball":
                bullet.setJointMotorControlMultiDof(handle, number[i], bullet.POSITION_CONTROL, targetPosition=[0, 0, 0, 1],
                                                    positionGain=0, velocityGain=0, force=[0, 0, 0])
            else:
                bullet.setJointMotorControl2(handle, number[i], bullet.VELOCITY_CONTROL, targetVelocity=0, force=joint.friction)

    def close_loop(self, joint: Joint) -> None:
        """Close a loop by one common point, or two on a hinge's axis."""
        bodies = self.scene.bodies
        one, other = (joint.a, joint.b) if joint.a >= 0 else (joint.b, -1)
        points = [np.array(joint.anchor)]
        if joint.kind == "hinge":
            points = [points[0] - 0.5 * np.array(joint.axis), points[0] + 0.5 * np.array(joint.axis)]
        for point in points:
            far = list(point) if other < 0 else list(geometry.local(bodies[other], point))
            made = self.bullet.createConstraint(*self.handles[one], *self.handles.get(other, (-1, -1)),
                                                self.bullet.JOINT_POINT2POINT, [0, 0, 0],
                                                list(geometry.local(bodies[one], point)), far)
            self.bullet.changeConstraint(made, maxForce=1e9)

    def step(self, frames: int = 1) -> None:
        for _ in range(frames):
            self.bullet.stepSimulation()

    def state(self) -> State:
        pos, quat, vel, omega = still(self.scene)
        for i in self.scene.dynamic:
            handle, link = self.handles[i]
            if link == -1:
                x, q = self.bullet.getBasePositionAndOrientation(handle)
                v, w = self.bullet.getBaseVelocity(handle)
            else:
                all_of_it = self.bullet.getLinkState(handle, link, computeLinkVelocity=1, computeForwardKinematics=1)
                x, q, v, w = all_of_it[0], all_of_it[1], all_of_it[6], all_of_it[7]
            pos[i], quat[i], vel[i], omega[i] = x, (q[3], q[0], q[1], q[2]), v, w
        return pos, quat, vel, omega

    def contacts(self) -> int:
        return sum(point[8] <= 0.005 for point in self.bullet.getContactPoints())

    def about(self) -> dict[str, Any]:
        return {"version": metadata.version("pybullet"), "precision": "f64"}


def xyzw(quat: Any) -> list[float]:
    """Convert a quaternion to Bullet's order."""
    w, x, y, z = map(float, quat)
    return [x, y, z, w]


ADAPTER = Bullet
