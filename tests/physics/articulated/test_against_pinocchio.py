"""Trees, H, bias, Jacobians, inverse and forward dynamics agree with Pinocchio, which shares no code with ours."""

import numpy as np
import pytest

from physics.articulated.joint_space import JointSpace
from physics.core.quaternions import rotate
from tests.tools.random_trees import moved, random_world

pinocchio = pytest.importorskip("pinocchio")

def se3(turn, way):
    x, y, z = turn[1:]
    turned = pinocchio.Quaternion(float(turn[0]), float(x), float(y), float(z)).toRotationMatrix()
    return pinocchio.SE3(turned, np.array(way, float))


class Theirs:
    """The same links in Pinocchio: q; its velocities from ours, `to` (n, n), and d(to)/dt qd."""

    def __init__(self, space: JointSpace):
        self.space, self.model = space, pinocchio.Model()
        self.model.gravity.linear = space.gravity
        self.ids, frames, self.q, self.to = {-1: 0}, {-1: pinocchio.SE3.Identity()}, [], np.eye(space.tree.size)
        self.drift = np.zeros(space.tree.size)
        for i, link in enumerate(space.tree.links):
            sides = ("a", "b") if link["sign"] > 0 else ("b", "a")
            near, far = (se3(link[f"frame_{side}"], link[f"anchor_{side}"]) for side in sides)
            parent = int(link["parent"])
            base = pinocchio.SE3.Identity() if parent >= 0 else se3(space.bodies["quat"][link["other"]],
                                                                   space.bodies["pos"][link["other"]])
            if link["count"]:
                self.ids[i] = self.model.addJoint(self.ids[parent], self.joint(link), frames[parent] * base * near, f"j{i}")
                frames[i] = far.inverse()
            else:
                self.ids[i], frames[i] = self.ids[parent], frames[parent] * base * near * far.inverse()
            body = space.bodies[link["body"]]
            self.model.appendBodyToJoint(self.ids[i], pinocchio.Inertia(float(body["mass"]), np.zeros(3), body["inertia"].copy()),
                                         frames[i])
        self.frames, self.data = frames, self.model.createData()
        self.q = np.concatenate([np.atleast_1d(q) for q in self.q]) if self.q else np.zeros(0)

    def joint(self, link):
        space, first, place = self.space, link["first"], link["place"]
        q, sign = space.q, link["sign"]
        slides, turns = [k for k in range(3) if link["slides"] >> k & 1], link["turns"]
        if turns == 3:
            return self.ball(link, q[place : place + len(slides)], q[place + len(slides) : place + len(slides) + 4])
        parts = [(pinocchio.JointModelPX, pinocchio.JointModelPY, pinocchio.JointModelPZ)[k]() for k in slides]
        if link["pitch"]:
            parts.append(pinocchio.JointModelHZ(float(link["pitch"])))
        elif turns:
            parts += [pinocchio.JointModelRZ(), pinocchio.JointModelRX()][:turns]
        order = slice(None) if sign > 0 else slice(None, None, -1)
        index = np.arange(first, first + len(parts))
        self.to[index, :] = 0.0
        self.to[index, index[order]] = sign
        self.q.append(sign * q[place : place + len(parts)][order])
        if len(parts) == 1:
            return parts[0]
        whole = pinocchio.JointModelComposite()
        for part in parts[order]:
            whole.addJoint(part, pinocchio.SE3.Identity())
        return whole

    def ball(self, link, way, q):
        """All turns, with or without slides; their velocities go along the axes of the frame that moves."""
        first, n, w, reverse = link["first"], len(way), self.space.qd[link["first"] + len(way) :][:3], link["sign"] < 0
        turn = pinocchio.Quaternion(*(float(x) for x in q)).toRotationMatrix()
        if reverse:
            turn_w, to_w, q = turn @ w, -turn, q * (1, -1, -1, -1)
        else:
            to_w = np.eye(3)
        self.to[first + n : first + n + 3, first + n : first + n + 3] = to_w
        if not n:
            self.q.append([*q[1:], q[0]])
            return pinocchio.JointModelSpherical()
        v = self.space.qd[first : first + 3]
        if reverse:
            self.q.append([*(-turn.T @ way), *q[1:], q[0]])
            self.to[first : first + 3, first : first + 3] = -np.eye(3)
            self.to[first : first + 3, first + 3 : first + 6] = -np.cross(way, turn.T).T
            self.drift[first : first + 3] = -np.cross(v, turn_w)
        else:
            self.q.append([*way, *q[1:], q[0]])
            self.to[first : first + 3, first : first + 3] = turn.T
            self.drift[first : first + 3] = -np.cross(w, turn.T @ v)
        return pinocchio.JointModelFreeFlyer()


@pytest.mark.parametrize("seed", range(200))
def test_random_trees(seed):
    rng = np.random.default_rng(seed)
    space = moved(random_world(rng, int(rng.integers(1, 14))), rng)
    theirs = Theirs(space)
    model, data, to = theirs.model, theirs.data, theirs.to
    back = np.linalg.inv(to)
    v = to @ space.qd
    pinocchio.computeJointJacobians(model, data, theirs.q)
    pinocchio.framesForwardKinematics(model, data, theirs.q)
    external = pinocchio.StdVec_Force()
    for _ in range(model.njoints):
        external.append(pinocchio.Force.Zero())
    for i, link in enumerate(space.tree.links):
        body, joint = space.bodies[link["body"]], theirs.ids[i]
        placed = data.oMi[joint] * theirs.frames[i]
        assert np.allclose(placed.translation, body["pos"], atol=1e-10)
        turned = np.array([rotate(body["quat"], e) for e in np.eye(3)]).T
        assert np.allclose(placed.rotation, turned, atol=1e-10)
        own = np.zeros((6, len(v)))
        if joint:
            own = pinocchio.getJointJacobian(model, data, joint, pinocchio.LOCAL_WORLD_ALIGNED).reshape(6, -1) @ to
        arm = body["pos"] - data.oMi[joint].translation
        expected = np.vstack([own[3:], own[:3] + np.cross(own[3:].T, arm).T])
        assert np.allclose(space.jacobian(int(link["body"])), expected, atol=1e-10)
        torque, force = space.forces[i, :3], space.forces[i, 3:]
        world_force = pinocchio.Force(force, torque + np.cross(body["pos"], force))
        external[joint] = external[joint] + data.oMi[joint].actInv(world_force)
    h = np.array(pinocchio.crba(model, data, theirs.q))
    h = np.triu(h) + np.triu(h, 1).T
    assert np.allclose(space.H, to.T @ h @ to, rtol=1e-10, atol=1e-10)
    qdd = rng.normal(size=space.tree.size)
    tau = pinocchio.rnea(model, data, theirs.q, v, to @ qdd + theirs.drift, external)
    scale = max(1.0, np.abs(tau).max(initial=0.0))
    assert np.allclose(space.inverse_dynamics(qdd), to.T @ tau, atol=1e-10 * scale)
    push = rng.normal(size=space.tree.size)
    answer = pinocchio.aba(model, data, theirs.q, v, back.T @ push, external)
    scale = max(1.0, np.abs(answer).max(initial=0.0))
    assert np.allclose(to @ space.forward_dynamics(push) + theirs.drift, answer, atol=1e-9 * scale)
    assert np.allclose(space.solve(push - space.C), space.forward_dynamics(push), atol=1e-9 * scale)
    still = pinocchio.computeGeneralizedGravity(model, data, theirs.q)
    assert np.allclose(space.g, to.T @ still, atol=1e-10 * max(1.0, np.abs(still).max(initial=0.0)))
