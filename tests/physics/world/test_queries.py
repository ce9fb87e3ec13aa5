"""Rays, shape casts, overlaps and closest points: against closed forms, coal and one another."""

import math
import threading

import coal
import numpy as np
import pytest

from physics import (
    BadInput,
    Box,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    HeightField,
    Hull,
    Plane,
    Sphere,
    TriangleMesh,
    World,
    step,
)
from physics.shapes import kinds
from physics.world import queries
from tests.tools import closed_form_rays
from tests.tools.surface_tools import crowd, grid, nearest_on_triangle

ONE = (1.0, 0.0, 0.0, 0.0)
SOLIDS = [Sphere(0.3), Box((0.3, 0.2, 0.1)), Capsule(0.2, 0.3), Cylinder(0.2, 0.3), Cone(0.3, 0.5), Ellipsoid((0.3, 0.2, 0.1)),
          Hull(np.random.default_rng(1).normal(size=(30, 3)) * 0.2)]


def scattered(seed, count=60, spread=2.0, shapes=SOLIDS):
    rng = np.random.default_rng(seed)
    world = World()
    for i in range(count):
        q = rng.normal(size=4)
        world.add_body(shapes[i % len(shapes)], kind="static", pos=rng.uniform(-spread, spread, 3), quat=q / np.linalg.norm(q))
    step(world, 1e-9)
    return rng, world


def own_ray(world, s, origin, direction):
    """In closed form."""
    kind = world.shape_kinds[s["kind"]]
    own = world.pool.data(int(s["geometry"])) if kinds()[kind].geometric else None
    return closed_form_rays.distance(kind, s["dims"], s["rot"].T @ (origin - s["pos"]), s["rot"].T @ direction, own)


def test_rays_against_closed_forms():
    rng, world = scattered(1, shapes=[*SOLIDS, TriangleMesh(*crowd(3, 10)), HeightField(0.1 * np.eye(5), 0.2)])
    world.add_body(Plane(), kind="static", pos=(0, 0, -1.5))
    step(world, 1e-9)
    origins, targets = rng.uniform(-6, 6, (150, 3)), rng.uniform(-1.5, 1.5, (150, 3))
    origins[:, 2] = np.abs(origins[:, 2])
    directions = targets - origins
    hits = queries.ray(world, origins, directions)
    found = 0
    for i, (o, d) in enumerate(zip(origins, directions)):
        d = d / np.linalg.norm(d)
        distances = [own_ray(world, s, o, d) for s in world.shapes]
        assert hits.distance[i] == pytest.approx(min(distances), rel=1e-7, abs=1e-7)
        if math.isfinite(min(distances)):
            found += 1
            assert hits.shape[i] == np.argmin(distances)
            assert hits.body[i] == world.shapes["body"][hits.shape[i]]
            assert hits.point[i] == pytest.approx(o + hits.distance[i] * d, abs=1e-6)
            assert np.linalg.norm(hits.normal[i]) == pytest.approx(1.0) and hits.normal[i] @ d < 1e-6
        else:
            assert hits.body[i] == hits.shape[i] == -1
    assert found > 100


def test_normals_in_closed_form():
    world = World()
    world.add_body(Sphere(0.5), kind="static", pos=(0, 0, 0))
    world.add_body(Box((0.5, 0.5, 0.5)), kind="static", pos=(3, 0, 0))
    world.add_body(Ellipsoid((0.5, 0.4, 0.3)), kind="static", pos=(6, 0, 0))
    world.add_body(Plane(), kind="static", pos=(0, 0, -1))
    hits = queries.ray(world, [(0.3, 0, 5), (3.2, 0.1, 5), (6.2, 0.1, 5), (9, 0, 5)], (0, 0, -2.0))
    assert hits.normal[0] == pytest.approx([0.6, 0, 0.8], abs=1e-6)
    assert hits.normal[1] == pytest.approx([0, 0, 1], abs=1e-6)
    gradient = np.array([0.2 / 0.25, 0.1 / 0.16, hits.point[2][2] / 0.09])
    assert hits.normal[2] == pytest.approx(gradient / np.linalg.norm(gradient), abs=1e-5)
    assert hits.normal[3] == pytest.approx([0, 0, 1]) and hits.distance[3] == pytest.approx(6.0)


def test_rays_from_inside_too_short_and_filtered():
    world = World()
    near, far = world.add_body(Sphere(0.5), kind="static"), world.add_body(Sphere(0.5), kind="static", pos=(3, 0, 0))
    assert queries.ray(world, (0.1, 0, 0), (1, 0, 0)).distance[0] == 0.0
    assert queries.ray(world, (-2, 0, 0), (1, 0, 0), max_distance=1.4).body[0] == -1
    assert queries.ray(world, (-2, 0, 0), (1, 0, 0), max_distance=1.6).body[0] == near
    hits = queries.ray(world, (-2, 0, 0), (5, 0, 0), bodies=[far])
    assert hits.body[0] == far and hits.distance[0] == pytest.approx(4.5)
    assert queries.ray(World(), (0, 0, 0), (1, 0, 0)).body[0] == -1


def test_closest_points_against_closed_forms():
    world = World()
    world.add_body(Sphere(0.5), kind="static", pos=(0, 0, 2))
    world.add_body(Box((0.5, 0.5, 0.5)), kind="static", pos=(4, 0, 2))
    world.add_body(Plane(), kind="static")
    hits = queries.closest(world, [(0, 0, 3), (0, 0, 1.9), (5, 1, 3), (4.3, 0, 2), (9, 9, 0.25), (9, 9, -0.25)])
    assert hits.distance == pytest.approx([0.5, -0.4, math.sqrt(0.75), -0.2, 0.25, -0.25], abs=1e-9)
    assert hits.body.tolist() == [1, 1, 2, 2, 3, 3]
    assert hits.point[2] == pytest.approx([4.5, 0.5, 2.5]) and hits.point[3] == pytest.approx([4.5, 0, 2])
    assert hits.point[4] == pytest.approx([9, 9, 0])
    assert queries.closest(world, (0, 0, 9), max_distance=1.0).body[0] == -1


def test_the_nearest_of_many_and_of_a_soup_of_triangles():
    rng, world = scattered(2)
    points = rng.uniform(-3, 3, (40, 3))
    each = [queries.closest(world, points, bodies=[b]).distance for b in range(1, len(world.bodies))]
    assert queries.closest(world, points).distance == pytest.approx(np.min(each, axis=0), abs=1e-12)
    vertices, triangles = crowd(7, 200)
    world = World()
    world.add_body(TriangleMesh(vertices, triangles), kind="static")
    hits = queries.closest(world, points)
    for p, distance in zip(points, hits.distance):
        best = min(np.linalg.norm(p - nearest_on_triangle(p, *vertices[t])) for t in triangles)
        assert distance == pytest.approx(best, abs=1e-7)


def coal_shape(shape):
    return {"sphere": lambda: coal.Sphere(shape.radius), "box": lambda: coal.Box(*(2 * h for h in shape.half)),
            "capsule": lambda: coal.Capsule(shape.radius, 2 * shape.half_length),
            "cylinder": lambda: coal.Cylinder(shape.radius, 2 * shape.half_length)}[shape.kind]()


def test_overlaps_against_coal():
    simple = SOLIDS[:4]
    rng, world = scattered(3, count=80, spread=1.2, shapes=simple)
    for trial in range(25):
        shape = simple[trial % 4]
        q = rng.normal(size=4)
        q /= np.linalg.norm(q)
        pos = rng.uniform(-1, 1, 3)
        w, x, y, z = q
        turn = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
        expected = [i for i, s in enumerate(world.shapes) if coal.collide(
            coal_shape(shape), coal.Transform3s(turn, pos), coal_shape(simple[i % 4]),
            coal.Transform3s(np.array(s["rot"]), np.array(s["pos"])), coal.CollisionRequest(), coal.CollisionResult())]
        assert queries.overlap(world, shape, pos, q).tolist() == expected


def test_overlaps_with_surfaces_planes_and_compounds():
    world = World()
    world.add_body(Plane(), kind="static")
    world.add_body(TriangleMesh(*grid(9, 1.0)), kind="static", pos=(0, 0, 2))
    assert queries.overlap(world, Box((0.1, 0.1, 0.1)), (0, 0, 2.05)).tolist() == [1]
    assert queries.overlap(world, Box((0.1, 0.1, 0.1)), (0, 0, 0.05)).tolist() == [0]
    assert queries.overlap(world, Sphere(0.1), (0, 0, 1)).tolist() == []
    bar = Compound((Sphere(0.1), (0, 0, 0)), (Sphere(0.1), (0, 0, 2)))
    assert queries.overlap(world, bar, (0, 0, 0)).tolist() == [0, 1]


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda s: s.kind)
def test_a_cast_shape_stops_where_it_touches(shape):
    """At the place told it touches what is told (distance 0), before it nothing."""
    rng, world = scattered(4, count=40)
    pos = np.column_stack([rng.uniform(-2, 2, (12, 2)), np.full(12, 4.0)])
    q = (0.8, 0.2, 0.5, 0.1)
    q = tuple(np.array(q) / np.linalg.norm(q))
    hits = queries.shape_cast(world, shape, pos, q, (0.2, 0.1, -6.0))
    way = np.array([0.2, 0.1, -6.0]) / np.linalg.norm([0.2, 0.1, -6.0])
    view = queries.CollisionQuery(world)
    for k in np.flatnonzero(hits.body >= 0):
        at = view.closest_to(shape, pos[k] + hits.distance[k] * way, q)
        assert at.distance[0] == pytest.approx(0.0, abs=2e-6)
        before = view.closest_to(shape, pos[k] + (hits.distance[k] - 0.01) * way, q)
        assert before.distance[0] > 0.0
    for k in np.flatnonzero(hits.body < 0):
        for part in np.linspace(0, 1, 20):
            assert view.closest_to(shape, pos[k] + part * np.array([0.2, 0.1, -6.0]), q).distance[0] > 0.0


def test_a_ball_cast_on_hills_and_a_compound_cast_on_a_plane():
    world = World()
    world.add_body(HeightField(np.zeros((5, 5)), 1.0), kind="static")
    hits = queries.shape_cast(world, Sphere(0.25), (0.3, 0.2, 3.0), ONE, (0, 0, -5.0))
    assert hits.distance[0] == pytest.approx(2.75) and hits.normal[0] == pytest.approx([0, 0, 1])
    world = World()
    world.add_body(Plane(), kind="static")
    bar = Compound((Sphere(0.1), (0, 0, -1)), (Sphere(0.1), (0, 0, 2)))
    assert queries.shape_cast(world, bar, (0, 0, 3), ONE, (0, 0, -5)).distance[0] == pytest.approx(1.9)


def test_a_query_view_is_immutable_and_thread_safe():
    rng, world = scattered(5)
    view = queries.CollisionQuery(world)
    origins, directions = rng.uniform(-4, 4, (400, 3)), rng.normal(size=(400, 3))
    expected = view.ray(origins, directions)
    for i in range(1, len(world.bodies)):
        world.set_pose(i, (99, 99, 99), ONE)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(view.ray(origins, directions))) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for got in answers:
        assert all(np.array_equal(a, b) for a, b in zip(got, expected))
    assert (queries.ray(world, origins, directions, max_distance=20.0).body == -1).all()


def test_few_shapes_without_a_tree_give_the_same_answers():
    rng, world = scattered(8, shapes=[*SOLIDS, TriangleMesh(*crowd(3, 10))])
    world.add_body(Plane(), kind="static", pos=(0, 0, -1.5))
    step(world, 1e-9)
    whole = queries.CollisionQuery(world)
    shapes = world.shapes.copy()
    shapes["pos"] = shapes["rot"] = shapes["lo"] = shapes["hi"] = 0.0      # it places them
    few = queries.CollisionQuery.of(world.bodies.copy(), shapes, world.shape_kinds, world.pool)
    origins, directions = rng.uniform(-4, 4, (100, 3)), rng.normal(size=(100, 3))
    ball = Sphere(0.3)
    for got, expected in ((few.ray(origins, directions), whole.ray(origins, directions)),
                          (few.closest(origins), whole.closest(origins)),
                          (few.shape_cast(ball, origins, ONE, directions), whole.shape_cast(ball, origins, ONE, directions))):
        outside = expected.distance != 0.0      # in several shapes at once it may name any of them
        assert all(np.array_equal(a[outside], b[outside]) for a, b in zip(got, expected))
        assert (got.distance[~outside] == 0.0).all() and (got.body[outside] >= 0).any()
    assert all(np.array_equal(few.overlap(ball, p), whole.overlap(ball, p)) for p in origins)
    assert any(len(few.overlap(ball, p)) for p in origins)


@pytest.mark.parametrize("ask", [
    lambda w: queries.ray(w, (0, 0, math.nan), (0, 0, 1)),
    lambda w: queries.ray(w, (0, 0, 0), (0, 0, 0)),
    lambda w: queries.ray(w, [(0, 0)], (0, 0, 1)),
    lambda w: queries.ray(w, (0, 0, 0), (0, 0, 1), max_distance=-1.0),
    lambda w: queries.ray(w, (0, 0, 0), (0, 0, 1), bodies=[7]),
    lambda w: queries.overlap(w, Plane(), (0, 0, 0)),
    lambda w: queries.overlap(w, Sphere(0.1), [(0, 0, 0), (1, 1, 1)]),
    lambda w: queries.shape_cast(w, TriangleMesh(*grid(3, 1.0)), (0, 0, 0), ONE, (0, 0, 1)),
    lambda w: queries.closest(w, "here"),
])
def test_bad_queries(ask):
    with pytest.raises(BadInput):
        ask(World())
