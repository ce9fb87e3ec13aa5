"""Worlds and readings for the tests of joints."""

from physics import World, measure, quantities, set_option


def quiet(gravity=(0.0, 0.0, 0.0), **options: float) -> World:
    """A world without a wall clock, solved to the end in whole steps; more options of the solver by name."""
    world = World(gravity=gravity)
    for name, value in {"budget": 0.0, "tolerance": 1e-12, "iterations": 2000, "substeps": 1, **options}.items():
        set_option(world.solver.options, name, value)
    return world


def read(world: World, key: str) -> float:
    """A quantity by its key."""
    return quantities.find(world, key).read(world)


def energy(world: World) -> float:
    """Kinetic and potential [J]."""
    return sum(measure.energy(world.bodies, world.gravity))
