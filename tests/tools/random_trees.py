"""Worlds of random trees, in random configurations."""

import numpy as np

from physics import Sphere, World
from physics.articulated import kinematics

KINDS = ("revolute", "prismatic", "spherical", "fixed", "cylindrical", "planar", "universal", "screw", "six_dof")
LEAD = 0.3


def quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def random_world(rng, count):
    """A forest of that many links, at q = 0 where the joints are; each joint leads to an earlier link or the ground."""
    world, bodies = World(gravity=rng.normal(size=3) * 6.0), [0]
    for _ in range(count):
        m = rng.uniform(0.5, 4.0)
        body = world.add_body(Sphere(0.1), pos=rng.normal(size=3), quat=quaternion(rng), mass=m,
                              inertia=m * rng.uniform(0.4, 0.7, 3) * 0.1)
        kind = rng.choice((*KINDS, "none"), p=(*[0.9 / len(KINDS)] * len(KINDS), 0.1))
        if kind != "none":
            ends = [int(rng.choice(bodies)), body]
            if kind not in ("spherical", "six_dof") and rng.random() < 0.4:
                ends.reverse()
            more = {"lead": LEAD} if kind == "screw" else {}
            world.add_joint(kind, *ends, anchor=rng.normal(size=3), axis=rng.normal(size=3), across=rng.normal(size=3), **more)
        bodies.append(body)
    return world


def moved(world, rng, forces=True):
    """The world in another configuration, with velocities and forces; its joint space, made of nothing but the bodies' motion."""
    space = world.joint_space()
    links, q, qd = space.tree.links, space.q.copy(), rng.normal(size=space.tree.size)
    kinematics.advance(links, rng.uniform(-1.5, 1.5, space.tree.size), 1.0, q)
    bodies, states = world.bodies.copy(), np.zeros(len(links), kinematics.STATE)
    kinematics.place(links, q, bodies)
    kinematics.begin(links, bodies, states, np.zeros(space.tree.size))
    kinematics.follow(links, bodies, states, qd)
    kinematics.set_velocities(links, states, bodies)
    for i in links["body"].tolist():
        world.set_pose(i, bodies["pos"][i], bodies["quat"][i])
        world.set_velocity(i, bodies["vel"][i], bodies["omega"][i])
        if forces:
            world.apply_force(i, rng.normal(size=3))
            world.apply_torque(i, rng.normal(size=3))
    found = world.joint_space()
    assert np.allclose(found.qd, qd, atol=1e-11)
    return found
