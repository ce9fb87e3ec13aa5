"""Steps of convex bodies whose manifolds are kept: the same bits on every way, from every snapshot, after every failed step."""

import dataclasses

import numpy as np
import pytest

from app.engine.scene_files import state as scene_state
from physics import Box, Cone, Cylinder, Hull, World, compiled_step, step, step_many, step_worlds
from physics.compiled_step import CompiledStep
from tests.tools.same_bits import assert_same

DT = 1.0 / 120.0


def heap(count=40, seed=3):
    """Hulls, cylinders, cones and boxes that fall into a tray, in layers."""
    draw, world = np.random.default_rng(seed), World()
    world.add_body(Box((3.0, 3.0, 0.5)), kind="static", pos=(0.0, 0.0, -0.5), friction=0.5)
    for k in range(count):
        size = 0.1 + 0.1 * draw.random()
        shape = [Hull(draw.normal(size=(12, 3)) * 0.6 * size), Cylinder(0.8 * size, 0.6 * size), Cone(0.8 * size, 1.5 * size),
                 Box((0.7 * size, 0.6 * size, 0.5 * size))][k % 4]
        quat = draw.normal(size=4)
        world.add_body(shape, mass=1.0, pos=(0.25 * (k % 4), 0.25 * (k // 4 % 4), 0.3 + 0.3 * (k // 16)),
                       quat=quat / np.linalg.norm(quat), friction=0.5)
    return world


@pytest.fixture(scope="module")
def settled():
    """A snapshot of the heap after 3 s."""
    world = heap()
    step_many(world, 360, DT)
    return world.snapshot()


def of(snapshot):
    """Return a world in that state."""
    world = World()
    world.restore(snapshot)
    return world


def rows(kept):
    return {row.tobytes() for row in kept}


def test_a_settled_heap_keeps_most_of_its_manifolds(settled):
    """From one step to the next and over ten; those of bodies that still move are found anew."""
    world = of(settled)
    before = rows(world.kept_manifolds)
    step(world, DT)
    shares = [len(before & rows(world.kept_manifolds)) / len(before)]
    step_many(world, 10, DT)
    shares.append(len(before & rows(world.kept_manifolds)) / len(before))
    assert len(before) > 30 and shares[0] > 0.8 and shares[1] > 0.6, shares


def test_every_way_of_stepping_has_the_same_bits(settled, monkeypatch):
    """Compiled, step by step and many at once; in Python; in a batch."""
    monkeypatch.setattr(compiled_step, "is_ready", lambda: True)
    advance, compiled = CompiledStep.advance, []

    def counted(self, dt, count):
        before = self._world.steps
        report = advance(self, dt, count)
        compiled.append(self._world.steps - before)
        return report

    monkeypatch.setattr(CompiledStep, "advance", counted)
    worlds = [of(settled) for _ in range(4)]
    for _ in range(60):
        step(worlds[0], DT)
    step_many(worlds[1], 60, DT)
    step_worlds([worlds[2]], 60, DT)
    with monkeypatch.context() as patch:
        patch.setattr(CompiledStep, "fits", lambda self, dt: False)
        step_many(worlds[3], 60, DT)
    assert len(worlds[0].kept_manifolds) > 30 and sum(compiled) > 90
    for world in worlds[1:]:
        assert_same(worlds[0], world)


@pytest.mark.parametrize("steps", [1, 17])
def test_snapshots_and_files_go_on_with_the_same_bits(settled, steps):
    """A snapshot, and a state in a file, taken between two steps."""
    world = of(settled)
    step_many(world, steps, DT)
    twins = [of(world.snapshot()), scene_state.unpack(scene_state.pack(scene_state.stored(world)))]
    assert len(world.kept_manifolds) > 30
    step_many(world, 40, DT)
    for twin in twins:
        step_many(twin, 40, DT)
        assert_same(world, twin)


def test_what_is_kept_belongs_to_the_state(settled):
    """Without it the next steps differ in their last digits: it is no cache."""
    world, other = of(settled), of(dataclasses.replace(settled, kept_manifolds=settled.kept_manifolds[:0]))
    step_many(world, 40, DT)
    step_many(other, 40, DT)
    difference = np.abs(world.bodies["pos"] - other.bodies["pos"]).max()
    assert 0.0 < difference < 1e-6


def test_a_failed_step_leaves_what_was_kept(settled):
    """A driver that raises in the middle of a step."""
    world, twin = of(settled), of(settled)
    calls = []

    def fails(world):
        calls.append(world.kept_manifolds)
        world.kept_manifolds = world.kept_manifolds[:0]
        raise RuntimeError("stop")

    world.drivers.append(fails)
    with pytest.raises(RuntimeError, match="stop"):
        step(world, DT)
    assert calls and world.kept_manifolds.tobytes() == settled.kept_manifolds.tobytes()
    world.drivers.clear()
    step_many(world, 20, DT)
    step_many(twin, 20, DT)
    assert_same(world, twin)


def test_an_added_or_removed_body_leaves_the_rest_kept(settled):
    """Those of a removed body are gone, although another may have its place."""
    world = of(settled)
    kept = world.kept_manifolds
    bodies = world.shapes["body"][np.stack([kept["shape_a"], kept["shape_b"]])]
    uppermost = max(np.unique(bodies).tolist(), key=lambda body: world.bodies["pos"][body, 2])
    concerned = (bodies == uppermost).any(axis=0)
    world.add_body(Hull([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]), pos=(0.0, 0.0, 9.0))
    world.remove_body(uppermost)
    step(world, DT)
    assert concerned.any()
    assert not rows(kept[concerned]) & rows(world.kept_manifolds)
    assert len(rows(kept[~concerned]) & rows(world.kept_manifolds)) > 0.7 * (~concerned).sum()
