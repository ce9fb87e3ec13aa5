"""Several shapes on one body: closed forms of mass and inertia, and bodies that must move like a single shape."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Capsule, Compound, Plane, Sphere, World, set_option, step

TURN = (math.cos(math.pi / 6), 0.0, 0.0, math.sin(math.pi / 6))


def quiet():
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    return world


def test_two_halves_have_the_inertia_of_the_whole():
    half = Box((0.2, 0.3, 0.1))
    whole = Box((0.2, 0.3, 0.2))
    pair = Compound((half, (0, 0, 0.1)), (half, (0, 0, -0.1)))
    assert pair.volume() == pytest.approx(whole.volume(), rel=1e-14)
    assert pair.inertia(7.0) == pytest.approx(np.diag(whole.inertia(7.0)), rel=1e-12, abs=1e-15)


def test_dumbbell_by_parallel_axes():
    r, d = 0.1, 0.4
    bell = Compound((Sphere(r), (d, 0, 0)), (Sphere(r), (-d, 0, 0)))
    own = 0.4 * 1.0 * r * r
    assert bell.inertia(2.0) == pytest.approx(np.diag([2 * own, 2 * own + 2 * d * d, 2 * own + 2 * d * d]), rel=1e-12, abs=1e-15)


def test_inertia_is_a_full_tensor_against_a_cloud_of_points():
    """An L of two boxes, one of them turned: sums over a fine grid of points in each."""
    parts = ((Box((0.3, 0.05, 0.05)), (0.3, 0.0, 0.0)), (Box((0.05, 0.2, 0.1)), (0.0, 0.2, 0.1), TURN))
    shape = Compound(*parts)
    points, weights = [], []
    line = (np.arange(40) + 0.5) / 20 - 1.0
    grid = np.stack(np.meshgrid(line, line, line, indexing="ij"), -1).reshape(-1, 3)
    for part in shape.parts:
        c, s = math.cos(math.pi / 3), math.sin(math.pi / 3)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) if part.quat[3] else np.eye(3)
        points.append(part.pos + (grid * part.shape.half) @ turn.T)
        weights.append(np.full(len(grid), part.shape.volume() / len(grid)))
    x, w = np.concatenate(points), np.concatenate(weights)
    w *= 5.0 / w.sum()
    centre = w @ x / 5.0
    d = x - centre
    tensor = np.einsum("i,ij,ij->", w, d, d) * np.eye(3) - np.einsum("i,ij,ik->jk", w, d, d)
    assert shape.centre() == pytest.approx(centre, abs=1e-12)
    assert shape.inertia(5.0) == pytest.approx(tensor, rel=2e-3, abs=1e-4)
    assert abs(shape.inertia(5.0)[0, 1]) > 0.01


def test_pose_is_that_of_the_own_frame_and_the_body_sits_in_its_centre_of_mass():
    hammer = Compound((Capsule(0.02, 0.2), (0, 0, 0)), (Box((0.08, 0.04, 0.04)), (0, 0, 0.22)))
    world = quiet()
    q = (math.cos(0.4), math.sin(0.4), 0.0, 0.0)
    i = world.add_body(hammer, pos=(1, 2, 3), quat=q)
    up = np.array([0.0, -math.sin(0.8), math.cos(0.8)])
    assert world.bodies["pos"][i] == pytest.approx(np.array([1, 2, 3]) + hammer.centre()[2] * up, abs=1e-12)
    step(world, 1e-9)
    assert world.shapes["pos"][0] == pytest.approx([1, 2, 3], abs=1e-6)
    still = world.add_body(hammer, kind="static", pos=(9, 0, 0))
    assert (world.bodies["pos"][still] == (9, 0, 0)).all()


def test_compounds_in_compounds_are_flat():
    inner = Compound((Sphere(0.1), (1, 0, 0)), (Sphere(0.2), (0, 0, 0)))
    outer = Compound((inner, (0, 0, 1), (math.sqrt(0.5), 0, 0, math.sqrt(0.5))), (Box((0.1, 0.1, 0.1)), (0, 0, 0)))
    assert [p.shape.kind for p in outer.parts] == ["sphere", "sphere", "box"]
    assert outer.parts[0].pos == pytest.approx([0, 1, 1], abs=1e-12)


def test_a_brick_of_two_halves_tumbles_like_one():
    """Same mass and hull: the same flight, the same impact on its corner, the same rest."""
    half = Box((0.1, 0.15, 0.1))
    results = []
    for shape in (Box((0.2, 0.15, 0.1)), Compound((half, (0.1, 0, 0)), (half, (-0.1, 0, 0)))):
        world = quiet()
        world.add_body(Plane(), kind="static")
        i = world.add_body(shape, pos=(0, 0, 0.5), quat=(0.9, 0.2, 0.3, 0.1), omega=(3, 1, -2), mass=2.0)
        flight = []
        for n in range(480):
            step(world, 1 / 240)
            if n == 40:
                flight = world.bodies[i].copy()
        results.append((flight, world.bodies[i].copy()))
    (a, end_a), (b, end_b) = results
    assert b["pos"] == pytest.approx(a["pos"], abs=1e-9) and b["omega"] == pytest.approx(a["omega"], abs=1e-8)
    assert end_b["pos"][2] == pytest.approx(end_a["pos"][2], abs=3e-4)
    assert np.linalg.norm(end_b["vel"]) < 1e-4


def test_a_dumbbell_rests_on_both_ends_and_its_bar_carries_nothing():
    world = quiet()
    world.add_body(Plane(), kind="static")
    bell = Compound((Sphere(0.1), (0.3, 0, 0)), (Sphere(0.1), (-0.3, 0, 0)),
                    (Capsule(0.03, 0.3), (0, 0, 0), (math.sqrt(0.5), 0, math.sqrt(0.5), 0)))
    i = world.add_body(bell, pos=(0, 0, 0.1), mass=4.0)
    for _ in range(240):
        step(world, 1 / 240)
    forces = {}
    for c in world.contacts:
        part = max(c["shape_a"], c["shape_b"]) - 1
        forces[int(part)] = forces.get(int(part), 0.0) + float(c["impulse"]) * 240
    assert forces.pop(0) == pytest.approx(2 * 9.81, rel=1e-3) and forces.pop(1) == pytest.approx(2 * 9.81, rel=1e-3)
    assert sum(forces.values()) == 0.0
    assert abs(world.bodies["vel"][i]).max() < 1e-6


def test_materials_and_removal_reach_all_parts_and_nothing_else():
    bell = Compound((Sphere(0.1), (1, 0, 0)), (Sphere(0.1), (-1, 0, 0)))
    world = quiet()
    a, b = world.add_body(bell), world.add_body(Sphere(0.1), pos=(0, 5, 0))
    c = world.add_body(bell, pos=(0, 9, 0))
    world.remove_body(a)
    box = world.add_body(Box((1, 1, 1)), pos=(0, 0, 9))
    d = world.add_body(bell, pos=(0, -9, 0))            # takes one empty slot and a new one: its slots are apart
    assert np.flatnonzero(world.shapes["body"] == d).tolist() == [1, 5]
    world.set_friction(0.9, d)
    world.set_restitution(0.7, d)
    assert world.shapes["friction"][world.shapes["body"] == d].tolist() == [0.9, 0.9]
    for other in (b, c, box):
        assert (world.shapes["friction"][world.shapes["body"] == other] == 0.5).all()
        assert (world.shapes["restitution"][world.shapes["body"] == other] == 0.0).all()
    kept = world.snapshot()
    world.remove_body(d)
    assert not (world.shapes["body"] == d).any()
    world.restore(kept)
    assert np.count_nonzero(world.shapes["body"] == d) == 2


@pytest.mark.parametrize("make", [
    lambda: Compound(),
    lambda: Compound(Sphere(1.0)),
    lambda: Compound((Sphere(1.0), (0, 0))),
    lambda: Compound((Sphere(1.0), (0, 0, math.nan))),
    lambda: Compound((Sphere(1.0), (0, 0, 0), (0, 0, 0, 0))),
    lambda: Compound(("sphere", (0, 0, 0))),
])
def test_bad_compounds(make):
    with pytest.raises(BadInput, match="compound"):
        make()


def test_a_refused_part_adds_nothing():
    world = quiet()
    for bad in (Compound((Sphere(0.1), (0, 0, 0)), (Plane(), (0, 0, 0))), Compound((Sphere(-1.0), (0, 0, 0)))):
        with pytest.raises(BadInput):
            world.add_body(bad)
    assert len(world.bodies) == 1 and len(world.shapes) == 0
