"""Triangle meshes and height fields as data: bad input, neighbours, trees, rays, pictures."""

import math

import numpy as np
import pytest

from physics import BadInput, HeightField, Sphere, TriangleMesh, World, step
from physics.shapes import height_field, triangle_mesh
from physics.shapes._tree import LEAF, morton, tree
from physics.world import queries
from tests.tools.closed_form_rays import brute_ray
from tests.tools.surface_tools import crowd, grid

SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]


@pytest.mark.parametrize(("vertices", "triangles", "words"), [
    ([(0, 0, 0), (1, 0, math.nan), (0, 1, 0)], [(0, 1, 2)], "vertex 1"),
    ([(0, 0, 0), (1, 0, 0), (0, math.inf, 0)], [(0, 1, 2)], "vertex 2"),
    (SQUARE, [(0, 1, 2), (0, 2, 4)], "triangle 1 .*0 .. 3"),
    (SQUARE, [(0, 1, 2), (-1, 2, 3)], "triangle 1 "),
    (SQUARE, [], "integer indices"),
    (SQUARE, np.zeros((0, 3), int), "1 .. 2,000,000"),
    (SQUARE, [(0, 1, 1.5)], "integer indices"),
    (SQUARE, [(0, 1)], "integer indices"),
    (SQUARE, [("a", "b", "c")], "of numbers"),
    ([(0, 0), (1, 0)], [(0, 1, 1)], "integer indices"),
    (SQUARE, [(0, 0, 1), (1, 1, 1)], "all triangles of the mesh are degenerate"),
])
def test_bad_meshes_are_named(vertices, triangles, words):
    with pytest.raises(BadInput, match=words):
        TriangleMesh(vertices, triangles)


def test_too_many_triangles():
    with pytest.raises(BadInput, match="2,000,001"):
        TriangleMesh(SQUARE, np.zeros((2_000_001, 3), int))


@pytest.mark.parametrize(("heights", "spacing", "words"), [
    ([[0, 0], [0, math.nan]], 1.0, r"height \(1, 1\)"),
    ([[0, 0, 0]], 1.0, "n, m >= 2"),
    ([0, 0], 1.0, "n, m >= 2"),
    ([["a", "b"], [0, 0]], 1.0, "of numbers"),
    (np.zeros((2, 2)), 0.0, "spacing"),
    (np.zeros((2, 2)), (1.0, math.inf), "spacing"),
    (np.zeros((2, 2)), (1.0, 1.0, 1.0), "two"),
    (np.zeros((1500, 1500)), 1.0, "more than 2,000,000"),
])
def test_bad_height_fields_are_named(heights, spacing, words):
    with pytest.raises(BadInput, match=words):
        HeightField(heights, spacing)


def test_degenerate_triangles_are_dropped_with_one_warning():
    shape = TriangleMesh([*SQUARE, (0.5, 0, 0)], [(0, 1, 2), (0, 0, 1), (0, 4, 1), (0, 2, 3)])
    assert len(shape.geometry().triangles) == 2
    world = World()
    world.add_body(shape, kind="static", name="floor")
    world.add_body(shape, kind="static", pos=(5, 0, 0), name="other")
    assert [w for w in world.warnings if "floor" in w] == [w for w in world.warnings if "2 degenerate" in w][:1]
    assert len(world.warnings) == 2


def test_surfaces_cannot_be_dynamic():
    for shape in (TriangleMesh(SQUARE, [(0, 1, 2)]), HeightField(np.zeros((2, 2)))):
        world = World()
        with pytest.raises(BadInput, match="static or kinematic"):
            world.add_body(shape)
        world.add_body(shape, kind="kinematic")


def test_neighbours_against_brute_force():
    faces = TriangleMesh(*grid(6, 1.0)).geometry()
    near = faces.integers[1:].reshape(-1, 3)
    for t, triangle in enumerate(faces.triangles):
        for k in range(3):
            edge = {triangle[k], triangle[(k + 1) % 3]}
            others = [u for u, other in enumerate(faces.triangles) if u != t and edge <= set(other)]
            assert [near[t, k]] == (others or [-1])


def test_equal_vertices_are_welded():
    vertices, triangles = grid(5, 1.0)
    soup = vertices[triangles].reshape(-1, 3)
    shape = TriangleMesh(soup, np.arange(len(soup)).reshape(-1, 3))
    assert len(shape.geometry().vertices) == len(vertices)
    assert np.count_nonzero(shape.geometry().integers[1:] < 0) == 16


def test_a_tree_holds_every_triangle_once_and_every_box_its_subtree():
    rng = np.random.default_rng(3)
    lo = rng.uniform(-1, 1, (1000, 3))
    hi = lo + rng.uniform(0, 0.2, (1000, 3))
    order = morton(0.5 * (lo + hi))
    assert sorted(order) == list(range(1000))
    nodes = tree(lo[order], hi[order])
    leaves = nodes[nodes["count"] > 0]
    assert (leaves["count"] <= LEAF).all()
    assert np.concatenate([np.arange(n["first"], n["first"] + n["count"]) for n in leaves]).tolist() == list(range(1000))
    for i, node in enumerate(nodes):
        if node["count"] == 0:
            inside = nodes[i + 1:node["first"]]
            assert len(inside) >= 2
            assert (inside["lo"] >= node["lo"]).all() and (inside["hi"] <= node["hi"]).all()
            assert (inside["lo"].min(axis=0) == node["lo"]).all() and (inside["hi"].max(axis=0) == node["hi"]).all()
        else:
            part = slice(node["first"], node["first"] + node["count"])
            assert (lo[order][part].min(axis=0) == node["lo"]).all()
    extent = (nodes["hi"] - nodes["lo"]).max(axis=1)
    assert np.median(extent[nodes["count"] > 0]) < 0.6, "leaves gather neighbours"


def test_rays_against_brute_force():
    rng = np.random.default_rng(5)
    vertices, triangles = crowd(1, 60)
    shape = TriangleMesh(vertices, triangles)
    field = HeightField(rng.uniform(-0.4, 0.4, (7, 5)), (0.3, 0.5))
    picture = height_field.SHAPE.mesh(field.geometry())
    ground = picture.basis @ np.array(field.dims)
    mesh_world, field_world = World(), World()
    mesh_world.add_body(shape, kind="static")
    field_world.add_body(field, kind="static")
    for _ in range(60):
        origin, target = rng.uniform(-2, 2, 3), rng.uniform(-0.7, 0.7, 3)
        direction = (target - origin) / np.linalg.norm(target - origin)
        got = queries.ray(mesh_world, origin, direction).distance[0]
        assert got == pytest.approx(brute_ray(vertices, triangles, origin, direction), rel=1e-9)
        got = queries.ray(field_world, origin + field.middle, direction).distance[0]
        assert got == pytest.approx(brute_ray(ground, picture.triangles, origin, direction), rel=1e-9)


def test_pictures_are_the_shapes():
    vertices, triangles = crowd(2, 20)
    shape = TriangleMesh(vertices, triangles)
    picture = triangle_mesh.SHAPE.mesh(shape.geometry())
    drawn = (picture.basis @ np.array(shape.dims))[picture.triangles].reshape(-1, 9) + np.tile(shape.middle, 3)
    given = vertices[triangles].reshape(-1, 9)
    assert np.sort(drawn.round(9), axis=0) == pytest.approx(np.sort(given.round(9), axis=0), abs=1e-8)
    heights = np.arange(12.0).reshape(4, 3)
    field = HeightField(heights, (0.5, 0.25))
    picture = height_field.SHAPE.mesh(field.geometry())
    points = np.unique((picture.basis @ np.array(field.dims) + field.middle).round(9), axis=0)
    x, y = np.meshgrid((np.arange(4) - 1.5) * 0.5, (np.arange(3) - 1.0) * 0.25, indexing="ij")
    assert points == pytest.approx(np.unique(np.column_stack([x.ravel(), y.ravel(), heights.ravel()]), axis=0))
    assert (picture.normals[:, 2] > 0).all()


CUBE = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
SIDES = np.array([(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
                  (1, 5, 7), (1, 7, 3)])


@pytest.mark.parametrize("faces, turned", [(SIDES, False), (SIDES[:, ::-1], True)])
def test_a_solid_mesh_faces_outwards_also_where_its_triangles_did_not(faces, turned):
    """A ball sank into a cube whose triangles faced inwards."""
    mesh = TriangleMesh(CUBE, faces, solid=True)
    assert bool(mesh.note()) == turned
    world = World()
    world.add_body(mesh, kind="static")
    ball = world.add_body(Sphere(0.2), pos=(0.3, 0.2, 1.3))
    for _ in range(240):
        step(world, 1.0 / 240.0)
    assert ball.pos[2] == pytest.approx(1.2, abs=1e-3)


@pytest.mark.parametrize("faces, words", [
    (SIDES[:-3], "not closed and cannot be solid: 7 of its edges"),
    (np.vstack([SIDES[:6], SIDES[6:, ::-1]]), "faces both ways and cannot be solid: at 8 of its edges")])
def test_a_surface_that_bounds_no_volume_is_not_solid(faces, words):
    """Bodies sank in and were thrown out below, and a warning spoke of the step."""
    with pytest.raises(BadInput, match=words) as refused:
        TriangleMesh(CUBE, faces, solid=True)
    assert "leave out solid" in str(refused.value)
    TriangleMesh(CUBE, faces)
