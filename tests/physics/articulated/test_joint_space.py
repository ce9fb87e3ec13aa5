"""Trees of worlds, loops that are cut, energy of a free mechanism, and what is refused."""

import itertools

import numpy as np
import pytest

import scenes
from physics import BadInput, Box, Plane, Sphere, World
from physics.articulated import dynamics, impulse, kinematics
from physics.core.quaternions import rotate
from physics.core.records import ROW, Kind
from tests.tools.random_trees import moved, random_world


def four_bars(angle=0.7):
    """A closed square on pins: four bars of 1 m and 1 kg, the first corner held by the world."""
    world, corners = World(), [np.zeros(3)]
    for k in range(4):
        turn = angle + 0.5 * np.pi * k
        corners.append(corners[-1] + (np.cos(turn), 0.0, np.sin(turn)))
    bars = [world.add_body(Box((0.5, 0.05, 0.05)), pos=0.5 * (a + b), mass=1.0,
                           quat=(np.cos(t / 2), 0.0, -np.sin(t / 2), 0.0), name=f"bar {k}")
            for k, (a, b, t) in enumerate(zip(corners, corners[1:], angle + 0.5 * np.pi * np.arange(4)))]
    pairs = [(0, bars[0]), *itertools.pairwise(bars), (bars[3], 0)]
    for (a, b), corner in zip(pairs, corners):
        world.add_joint("revolute", a, b, anchor=corner, axis=(0.0, 1.0, 0.0))
    return world


def test_a_chain_of_two_has_the_matrices_of_the_textbook():
    """Two rods of length 1, mass 2, hanging; I about an end and H = ((I1 + I2 + ...)) by hand."""
    world = World()
    for k in range(2):
        world.add_body(Box((0.05, 0.05, 0.5)), pos=(0.0, 0.0, 0.5 - k), mass=2.0)
    world.add_joint("revolute", 0, 1, anchor=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), name="shoulder")
    world.add_joint("revolute", 1, 2, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="elbow")
    space, own = world.joint_space(), 2.0 * (0.1**2 + 1.0) / 12.0
    near, far = own + 2.0 * 0.25, own + 2.0 * 2.25
    assert space.names == ["shoulder", "elbow"]
    assert np.allclose(space.H, [[near + far, own + 2.0 * 0.75], [own + 2.0 * 0.75, near]], atol=1e-14)
    assert np.allclose(space.g, 0.0, atol=1e-14) and np.allclose(np.tril(space.factor).T @ space.factor, space.H)
    world.set_pose(2, (0.5, 0.0, 0.0), (np.cos(np.pi / 4), 0.0, -np.sin(np.pi / 4), 0.0))
    assert np.allclose(world.joint_space().g, [9.81 * 2.0 * -0.5, 9.81 * 2.0 * -0.5]), "the lower one stretched out along x"


@pytest.mark.parametrize("seed", range(20))
def test_links_follow_the_joints(seed):
    world = random_world(np.random.default_rng(seed), 12)
    tree = world.joint_space().tree
    links = tree.links
    assert len(links) == 12 and np.array_equal(np.sort(links["body"]), np.arange(1, 13)) and len(tree.loops) == 0
    assert (links["parent"] < np.arange(12)).all() and tree.size == links["count"].sum()
    for i, link in enumerate(links):
        assert tree.of_body[link["body"]] == i
        if link["joint"] >= 0:
            joint = world.joints[link["joint"]]
            assert {joint["body_a"], joint["body_b"]} == {link["body"], link["other"]}
            assert link["parent"] == tree.of_body[link["other"]]
        below = np.flatnonzero([i in ways(links, k) for k in range(12)])
        assert np.array_equal(below, np.arange(i, i + len(below))), "a subtree is contiguous"
    for k in range(tree.size):
        assert tree.above[k] < k


def ways(links, i):
    """The links from one to the ground."""
    found = []
    while i >= 0:
        found.append(i)
        i = links["parent"][i]
    return found


def test_a_loop_is_cut_and_held():
    """Accelerations are those of maximal coordinates with every joint as a constraint, solved as one dense system."""
    world = four_bars()
    rng = np.random.default_rng(0)
    space = world.joint_space()
    assert len(space.tree.loops) == 1 and space.tree.size == 4
    free = np.linalg.svd(space.constraints[0])[2][2:]            # K has rank 2 of 5: two freedoms
    for attempt in range(5):
        qd = free.T @ rng.normal(size=2)
        moved_bodies = world.bodies.copy()
        states = space.states.copy()
        kinematics.follow(space.tree.links, moved_bodies, states, qd)
        kinematics.set_velocities(space.tree.links, states, moved_bodies)
        for i in range(1, 5):
            world.set_velocity(i, moved_bodies["vel"][i], moved_bodies["omega"][i])
        now = world.joint_space()
        tau = rng.normal(size=4)
        qdd = now.forward_dynamics(tau)
        rows, wanted = now.constraints
        assert np.allclose(rows @ now.qd, 0.0, atol=1e-12) and np.allclose(rows @ qdd, wanted, atol=1e-8)
        assert np.allclose(body_accelerations(now, qdd), maximal(world, now, tau), atol=1e-6), attempt


def body_accelerations(space, qdd):
    """(bodies, 6): of the centres of mass, angular and linear."""
    found = space.velocity_products()
    for body in space.tree.links["body"]:
        found[body] += space.jacobian(int(body)) @ qdd
    return found


def maximal(world, space, tau):
    """The same from M dV + J^T p = f, J dV = -dJ V with the rows of all joints; tau about the axes of the hinges."""
    n, rows, right = len(world.bodies), [], []
    mass, force = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for i, b in enumerate(world.bodies):
        at = slice(6 * i, 6 * i + 6)
        if b["kind"] != Kind.DYNAMIC:
            rows.append(np.eye(6 * n)[at])
            right.append(np.zeros(6))
            continue
        turn = np.array([rotate(b["quat"], e) for e in np.eye(3)]).T
        inertia = turn @ b["inertia"] @ turn.T
        mass[at, at] = np.block([[inertia, np.zeros((3, 3))], [np.zeros((3, 3)), b["mass"] * np.eye(3)]])
        force[at] = np.concatenate([-np.cross(b["omega"], inertia @ b["omega"]), b["mass"] * world.gravity])
    for j, joint in enumerate(world.joints):
        kind = world.joint_kind(j)
        found = np.zeros(kind.rows, ROW)
        kind.write(world.joints[j : j + 1].copy(), np.array([0]), np.array([0]), world.bodies.copy(), found, 1e-6)
        row = np.zeros((kind.rows, 6 * n))
        for end in "ab":
            at = 6 * joint[f"body_{end}"]
            row[:, at : at + 3] += found[f"ang_{end}"]
            row[:, at + 3 : at + 6] += found[f"lin_{end}"]
        rows.append(row[: kind.constraint])
        right.append(2.0e6 * found["target"][: kind.constraint])
        for link in space.tree.links:
            if link["joint"] == j:
                force += row[kind.constraint] * tau[link["first"]]
    rows, right = np.vstack(rows), np.concatenate(right)
    whole = np.block([[mass, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    return np.linalg.lstsq(whole, np.concatenate([force, right]), rcond=1e-12)[0][: 6 * n].reshape(n, 6)


class FreeMotion:
    """A tree without joint forces, integrated in joint coordinates by the classical Runge-Kutta method."""

    def __init__(self, world):
        space = world.joint_space()
        self.links, self.q, self.qd, self.gravity = space.tree.links, space.q.copy(), 0.5 * space.qd, world.gravity
        self.bodies, self.states = world.bodies.copy(), np.zeros(len(self.links), kinematics.STATE)
        self.none, self.tau = np.zeros((len(self.links), 6)), np.zeros(len(self.qd))

    def look(self, q, qd):
        kinematics.place(self.links, q, self.bodies)
        kinematics.begin(self.links, self.bodies, self.states, np.zeros(len(qd)))
        kinematics.follow(self.links, self.bodies, self.states, qd)

    def rate(self, q, qd):
        self.look(q, qd)
        out = np.empty(len(qd))
        dynamics.forward_dynamics(self.links, self.bodies, self.states, self.gravity, self.none, self.tau, out)
        return out

    def ahead(self, qd, h):
        new = self.q.copy()
        kinematics.advance(self.links, qd, h, new)
        return new

    def energy(self):
        self.look(self.q, self.qd)
        h = np.empty((len(self.qd), len(self.qd)))
        dynamics.joint_inertia(self.links, self.states, h)
        return 0.5 * self.qd @ h @ self.qd - self.bodies["mass"] @ self.bodies["pos"] @ self.gravity

    def step(self, h):
        v1, a1 = self.qd, self.rate(self.q, self.qd)
        v2 = v1 + 0.5 * h * a1
        a2 = self.rate(self.ahead(v1, 0.5 * h), v2)
        v3 = v1 + 0.5 * h * a2
        a3 = self.rate(self.ahead(v2, 0.5 * h), v3)
        v4 = v1 + h * a3
        a4 = self.rate(self.ahead(v3, h), v4)
        self.q = self.ahead((v1 + 2.0 * v2 + 2.0 * v3 + v4) / 6.0, h)
        self.qd = v1 + h * (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0


@pytest.mark.parametrize("seed", [1, 4, 6, 8])
def test_a_free_mechanism_keeps_its_energy_along_a_fine_solution(seed):
    losses = []
    for steps in (200, 400):
        rng = np.random.default_rng(seed)
        world = random_world(rng, 5)
        moved(world, rng, forces=False)
        motion = FreeMotion(world)
        first = motion.energy()
        for _ in range(steps):
            motion.step(0.4 / steps)
        losses.append(abs(motion.energy() - first) / max(1.0, abs(first)))
    assert losses[1] < 1e-4 and losses[1] < 0.5 * losses[0] + 1e-12, losses


def built(name):
    """The world of a scene with its own parameters."""
    world, scene = World(), scenes.find(name)
    scene.build(world, scene.parameters())
    return world


def test_every_scene_has_a_joint_space():
    """Where joints hold well, the relative velocities of bodies are those of the joint velocities, and H is positive."""
    for name in scenes.all_scenes():
        world = built(name)
        space = world.joint_space()
        assert space.tree.size == len(space.names) == len(space.qd) and len(space.tree.links) == (
            world.bodies["kind"] == Kind.DYNAMIC).sum(), name
        if 0 < space.tree.size < 100:
            assert np.linalg.eigvalsh(space.H).min() > 0.0, name
            assert np.isfinite(space.forward_dynamics()).all(), name


def test_bad_input_is_refused_in_one_sentence():
    world = World()
    world.add_body(Plane(), kind="static")
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.0), name="ball")
    space = world.joint_space()
    assert space.names == ["ball.x", "ball.y", "ball.z", "ball.rx", "ball.ry", "ball.rz"]
    assert np.allclose(space.forward_dynamics(), [0.0, 0.0, -9.81, 0.0, 0.0, 0.0]) and not space.jacobian(0).any()
    with pytest.raises(BadInput, match=r"tau must be 6 finite numbers, one for each coordinate \(ball\.x, ball\.y"):
        space.forward_dynamics([1.0, 2.0])
    with pytest.raises(BadInput, match="qdd must be 6 finite"):
        space.inverse_dynamics([np.nan] * 6)
    for wrong in ([1.0, 2.0], np.zeros((2, 6)), np.zeros((6, 1, 1)), [np.nan] * 6, np.full((6, 2), np.inf), "x", 3.0, None):
        with pytest.raises(BadInput, match="x must have 6 rows of finite numbers"):
            space.solve(wrong)
    for wrong in ([1.0, 2.0], [np.nan] * 6, None):
        with pytest.raises(BadInput, match="impulse must be 6 finite numbers"):
            impulse.velocity_change(space, "ball", wrong)
        with pytest.raises(BadInput, match="normal must be 6 finite numbers"):
            impulse.frictionless_impulse(space, wrong, 0.5)
        with pytest.raises(BadInput, match="rows must be any x 6 finite numbers"):
            impulse.sticking_impulse(space, wrong, 0.5)
    with pytest.raises(BadInput, match="there is no body 'bal'"):
        space.jacobian("bal")
    with pytest.raises(BadInput, match="must be three numbers"):
        space.jacobian("ball", (1.0, 2.0))
    assert np.allclose(space.jacobian("ball", (0.0, 0.1, 1.0))[3:, 3:] @ (0.0, 0.0, 1.0), (-0.1, 0.0, 0.0))
