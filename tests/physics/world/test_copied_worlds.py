"""`copy.deepcopy` and `pickle` of a world, also after compiled steps: the same bits follow."""

import copy
import pickle

import numpy as np
import pytest

from physics import BadInput, Box, Plane, Sphere, World, step


def settled(solver: str) -> World:
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static")
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.3), omega=(1.0, 2.0, 3.0))
    ball = world.add_body(Sphere(0.1), pos=(0.05, 0.0, 0.7))
    world.add_joint("spherical", box, ball, anchor=(0.0, 0.0, 0.5))
    for _ in range(20):
        step(world, 1.0 / 60.0)
    return world


@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "stewart_trinkle", "joint_space"])
def test_a_copy_goes_on_as_the_world_does(solver):
    world = settled(solver)
    twins = copy.deepcopy(world), pickle.loads(pickle.dumps(world))
    for each in (world, *twins):
        for _ in range(30):
            step(each, 1.0 / 60.0)
    for twin in twins:
        assert all(np.array_equal(world.bodies[name], twin.bodies[name]) for name in world.bodies.dtype.names)


def test_drivers_and_callbacks_would_act_on_the_original():
    driven, watched = settled("soft_steps"), settled("soft_steps")
    driven.drivers.append(lambda world: None)
    watched.contact_callbacks.append(lambda world, contacts: None)
    for world in (driven, watched):
        for copied in (copy.deepcopy, pickle.dumps):
            with pytest.raises(BadInput, match="snapshot"):
                copied(world)
