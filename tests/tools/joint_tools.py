"""Worlds and measurements for the tests of joints."""

from functools import partial

from physics import World, set_option
from physics.dynamics import measure
from physics.observe import quantities

DT = 1.0 / 240.0


def quiet(gravity=(0.0, 0.0, 0.0), **options: float) -> World:
    """Return a world without a time budget, solved to convergence without substeps; options of the solver by name."""
    world = World(gravity=gravity)
    for name, value in {"budget": 0.0, "tolerance": 1e-12, "iterations": 2000, "substeps": 1, **options}.items():
        set_option(world.solver.options, name, value)
    return world


def read(world: World, key: str) -> float:
    """Return a quantity by its key."""
    return quantities.find(world, key).read(world)


def energy(world: World) -> float:
    """Return kinetic and potential energy [J]."""
    return sum(measure.energy(world.bodies, world.gravity))


firm = partial(quiet, position_iterations=200)
"""As `quiet`, with position errors of joints corrected to convergence."""
