"""Runs of scenes, each made once for all tests that look at it (tests/conftest.py puts the tests of a scene side by side)."""

import dataclasses
import functools

import numpy as np

import scenes
from physics import World, fields, set_option
from tests.helpers import digest_of

CONVERGED = 100
"""Iterations in a run whose solver comes to the end of its work."""


def fixed_iterations(scene: scenes.Scene, parameters=None, iterations: int = CONVERGED) -> World:
    """A world whose steps do not depend on a clock."""
    world = scenes.make_world(scene, parameters)
    known = {field.name for field in fields(world.solver.options)}
    for name, value in {"budget": 0.0, "iterations": iterations}.items():
        if name in known:
            set_option(world.solver.options, name, value)
    return world


@functools.lru_cache(maxsize=8)
def whole_run(name: str, iterations: int | None = None) -> tuple[World, scenes.Trace, str]:
    """(world, trace, digest of the world) after check_time, with so many iterations or, None, the scene's own.

    Who looks at them may not change them.
    """
    scene = scenes.find(name)
    if iterations and _has_same_run(name, iterations):
        return whole_run(name, None)
    world = fixed_iterations(scene, iterations=iterations) if iterations else scenes.without_clock(scenes.make_world(scene))
    return _kept(*scenes.run(scene, world=world, keys=(*scene.plots, "solver.iterations")))


@functools.lru_cache(maxsize=8)
def run_with(name: str, parameters: tuple[tuple[str, float], ...], seconds: float) -> tuple[World, scenes.Trace]:
    """(world, trace) of a scene with some parameters after some time, without a clock."""
    scene = scenes.find(name)
    chosen = dataclasses.replace(scene.parameters(), **dict(parameters))
    if chosen == scene.parameters() and seconds == scene.check_time:
        return whole_run(name, None)[:2]
    return _kept(*scenes.run(scene, chosen, seconds=seconds, world=scenes.without_clock(scenes.make_world(scene, chosen))))[:2]


def _has_same_run(name: str, iterations: int) -> bool:
    """Whether a scene's own run is that with so many iterations, since no step came to a lower limit, or there is none."""
    world, trace, _ = whole_run(name, None)
    own = getattr(world.solver.options, "iterations", iterations)
    return own == iterations or np.nanmax(trace["solver.iterations"]) < min(own, iterations)


def _kept(world: World, trace: scenes.Trace) -> tuple[World, scenes.Trace, str]:
    for samples in trace.values():
        samples.flags.writeable = False
    return world, trace, digest_of(world)
