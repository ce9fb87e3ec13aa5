"""Cylinders, cones, ellipsoids and hulls as shapes: mass properties, bounds, drawing meshes, rays; bad input."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from physics import BadInput, Box, Capsule, Cone, Cylinder, Ellipsoid, Hull, World, shapes, step
from physics.core.records import Kind
from physics.world import queries
from tests.tools import closed_form_rays
from tests.tools.collide_tools import NAMES, hull_index, own_data, random_quat, refresh, support, surface_distance, world

SEEDS = st.integers(0, 2**32 - 1)
ROUND = (Cylinder(0.4, 0.7), Cone(0.5, 1.2), Ellipsoid((0.3, 0.5, 0.8)))
CUBE = list(itertools.product((-1.0, 1.0), repeat=3))
TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]


def drawn(shape):
    """(vertices, normals, triangles) of the drawing mesh, at the shape's size."""
    kind, own = shapes.kinds()[shape.kind], shapes.geometry_of(shape)
    mesh = kind.mesh(own) if kind.geometric else kind.mesh()
    normals = mesh.normals
    if mesh.stretch is not None:
        normals = normals / np.array(shape.dims)[list(mesh.stretch)]
    return mesh.basis @ np.array(shape.dims), normals / np.linalg.norm(normals, axis=1, keepdims=True), mesh.triangles


def moments(vertices, triangles):
    """(volume, first moments, inertia about the origin at density 1) of a closed mesh, by tetrahedra from the origin."""
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    v = np.einsum("ij,ij->i", p, np.cross(q, r)) / 6.0
    s = p + q + r
    second = sum(np.einsum("i,ij,ik->jk", v, x, x) for x in (p, q, r, s)) / 20.0
    return v.sum(), v @ s / 4.0, np.trace(second) * np.eye(3) - second


@pytest.mark.parametrize("shape", ROUND, ids=lambda s: s.kind)
def test_mass_properties_of_round_shapes(shape):
    """Volume, centre and inertia against the fine drawing mesh, which lies inside by less than 1 %."""
    volume, first, inertia = moments(*drawn(shape)[::2])
    assert 0.0 < shape.volume() - volume < 0.02 * volume
    assert np.abs(first / volume).max() < 1e-12
    assert np.diag(shape.inertia(shape.volume())) == pytest.approx(inertia, rel=0.05, abs=1e-3)
    assert np.all(shape.inertia(shape.volume()) > np.diag(inertia))


@pytest.mark.parametrize("shape", ROUND, ids=lambda s: s.kind)
def test_inertia_by_integration(shape):
    """Slices across z, exactly integrated: int (x^2 + y^2) and int z^2 by Gauss-Legendre in z."""
    z, w = np.polynomial.legendre.leggauss(24)
    lo, hi = {"cylinder": (-0.7, 0.7), "cone": (-0.3, 0.9), "ellipsoid": (-0.8, 0.8)}[shape.kind]
    z, w = 0.5 * (lo + hi) + 0.5 * (hi - lo) * z, 0.5 * (hi - lo) * w
    if shape.kind == "ellipsoid":
        scale = np.sqrt(1.0 - (z / 0.8) ** 2)
        a, b = 0.3 * scale, 0.5 * scale
    else:
        a = b = np.full(24, 0.4) if shape.kind == "cylinder" else 0.5 * (0.9 - z) / 1.2
    area = math.pi * a * b
    volume, x2, y2, z2 = w @ area, w @ (area * a**2 / 4), w @ (area * b**2 / 4), w @ (area * z**2)
    assert shape.volume() == pytest.approx(volume, rel=1e-12)
    assert shape.inertia(volume) == pytest.approx([y2 + z2, x2 + z2, x2 + y2], rel=1e-12)
    assert w @ (area * z) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("radius, half_length", [(0.4, 0.7), (1.5, 0.2)])
def test_mass_properties_of_capsules_by_integration(radius, half_length):
    """As above, in three pieces of z: two half balls and the cylinder between them."""
    z, w = np.polynomial.legendre.leggauss(24)
    ends = (-half_length - radius, -half_length, half_length, half_length + radius)
    z = np.concatenate([0.5 * (lo + hi) + 0.5 * (hi - lo) * z for lo, hi in itertools.pairwise(ends)])
    w = np.concatenate([0.5 * (hi - lo) * w for lo, hi in itertools.pairwise(ends)])
    squares = radius**2 - np.maximum(np.abs(z) - half_length, 0.0) ** 2
    area, shape = math.pi * squares, Capsule(radius, half_length)
    volume, x2, z2 = w @ area, w @ (area * squares / 4), w @ (area * z**2)
    assert shape.volume() == pytest.approx(volume, rel=1e-12)
    assert shape.inertia(volume) == pytest.approx([x2 + z2, x2 + z2, 2.0 * x2], rel=1e-12)


@pytest.mark.parametrize("shape", [*ROUND, Hull(CUBE), Hull(TETRAHEDRON)], ids=lambda s: s.kind)
def test_drawing_meshes_are_closed_with_outward_normals(shape):
    """Each directed edge has its opposite; normals agree with the triangles; vertices lie on the surface."""
    vertices, normals, triangles = drawn(shape)
    keys = {p: i for i, p in enumerate(sorted({tuple(np.round(v, 9) + 0.0) for v in vertices}))}
    number = [keys[tuple(np.round(v, 9) + 0.0)] for v in vertices]
    edges = [(number[t[k]], number[t[(k + 1) % 3]]) for t in triangles for k in range(3)]
    edges = [e for e in edges if e[0] != e[1]]      # at poles
    assert sorted(edges) == sorted((b, a) for a, b in edges)
    p, q, r = (vertices[triangles[:, k]] for k in range(3))
    n = np.cross(q - p, r - p)
    real = np.linalg.norm(n, axis=1) > 1e-12
    for k in range(3):
        assert (np.einsum("ij,ij->i", n, normals[triangles[:, k]])[real] > 0.0).all()


def test_hulls_agree_with_scipy():
    """Volume, vertices and neighbours of clouds, spheres and lattices."""
    rng = np.random.default_rng(5)
    for n in (4, 5, 8, 30, 200):
        for cloud in (rng.normal(size=(n, 3)), rng.uniform(-1, 1, (n, 3)) * (1, 10, 0.1), rng.normal(size=(n, 3))):
            points = cloud / np.linalg.norm(cloud, axis=1)[:, None] if n == 200 else cloud
            ours, theirs = Hull(points), ConvexHull(points)
            assert ours.volume() == pytest.approx(theirs.volume, rel=1e-12)
            assert {tuple(p) for p in ours.hull.points} == {tuple(p) for p in points[theirs.vertices]}
            assert len(ours.hull.points) - len(ours.hull.triangles) // 2 == 2      # Euler, with three edges to two triangles


@settings(max_examples=20, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_faces_of_a_lattice_are_merged(seed):
    """A turned and shifted cube given by 27 points, and a prism over 16 corners: whole faces, no vertices within them."""
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    lattice = np.array(list(itertools.product((-1.0, 0.0, 1.0), repeat=3)))
    hull = Hull(rng.permutation(lattice) @ turn.T + rng.normal(size=3)).hull
    assert len(hull.points) == 8 and sorted(map(len, hull.faces)) == [4] * 6
    angle = 2 * math.pi * np.arange(16) / 16
    prism = np.concatenate([np.column_stack([np.cos(angle), np.sin(angle), np.full(16, z)]) for z in (-1.0, 1.0)])
    hull = Hull(rng.permutation(prism) @ turn.T).hull
    assert len(hull.points) == 32 and sorted(map(len, hull.faces)) == [4] * 16 + [16] * 2
    for face, plane in zip(hull.faces, hull.planes):
        assert hull.points[face] @ plane[:3] == pytest.approx(plane[3], abs=1e-9)
        assert (hull.points @ plane[:3] < plane[3] + 1e-9).all()


def test_mass_properties_of_hulls():
    """A box from its corners; a tetrahedron, whose closed form has products of inertia; the centre of mass of both."""
    box, hull = Box((1.0, 2.0, 3.0)), Hull(np.array(CUBE) * (1.0, 2.0, 3.0) + (5.0, 6.0, 7.0))
    assert hull.volume() == pytest.approx(box.volume()) and hull.centre == pytest.approx([5.0, 6.0, 7.0])
    assert hull.inertia(2.0) == pytest.approx(np.diag(box.inertia(2.0)), abs=1e-9)
    hull = Hull(TETRAHEDRON)
    assert hull.volume() == pytest.approx(1.0 / 6.0) and hull.centre == pytest.approx([0.25] * 3)
    # Of mass 1 about the corner: int x^2 = 1/10, int x y = 1/20; then the parallel axes.
    assert hull.inertia(1.0) == pytest.approx(np.full((3, 3), 1 / 80) + np.diag([1 / 16] * 3), rel=1e-12)


def test_a_hull_spins_about_its_own_axes():
    """A body of a hull has the full tensor; free of torque it keeps energy and momentum."""
    world = World(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Hull(TETRAHEDRON), omega=(1.0, 2.0, -1.0))
    tensor = world.bodies["inertia"][body]
    assert abs(tensor[0, 1]) > 1e-3
    start = None
    for _ in range(240):
        step(world, 1 / 240)
        start = start or world.report.energy["kinetic"]
    assert world.report.energy["kinetic"] == pytest.approx(start, rel=1e-3)


@pytest.mark.parametrize("name", ["cone", "cylinder", "ellipsoid", "hull"])
@settings(max_examples=30, derandomize=True, deadline=None)
@given(seed=SEEDS)
def test_bounds_and_rays(name, seed):
    """Bounds touch the shape on all six sides; a ray ends on the surface, and one that misses passes the shape."""
    rng = np.random.default_rng(seed)
    shape = {"cone": ROUND[1], "cylinder": ROUND[0], "ellipsoid": ROUND[2], "hull": Hull(rng.normal(size=(20, 3)))}[name]
    if name != "hull":
        bodies, table = world([(Kind.DYNAMIC, name, shape.dims, rng.normal(size=3), random_quat(rng))])
        refresh(bodies, table, margin=0.0, dt=1e-9)
        s = table[0]
        for k, e in enumerate(np.eye(3)):
            assert s["hi"][k] == pytest.approx(support(s, e), abs=1e-6)
            assert -s["lo"][k] == pytest.approx(support(s, -e), abs=1e-6)
    own = shape.geometry() if name == "hull" else None
    vertices = drawn(shape)[0]
    for _ in range(10):
        origin, direction = 3.0 * rng.normal(size=3), rng.normal(size=3)
        direction = direction / np.linalg.norm(direction)
        direction = direction if rng.random() < 0.3 else -origin / np.linalg.norm(origin)
        if name == "ellipsoid" and distance(shape, origin) < 0.0:
            continue    # its closed form is of rays from outside
        t = closed_form_rays.distance(name, np.array(shape.dims), origin, direction, own)
        if math.isfinite(t):
            depth = distance(shape, origin + t * direction)
            assert abs(depth) < 1e-9 or (t == 0.0 and depth < 0.0)
            assert t == 0.0 or distance(shape, origin + 0.999 * t * direction) > -1e-9
        else:
            along = np.maximum((vertices - origin) @ direction, 0.0)
            assert all(distance(shape, origin + s * direction) > -1e-9 for s in np.linspace(0.0, along.max(), 50))


@pytest.mark.parametrize("name", ["cone", "cylinder", "ellipsoid", "hull"])
def test_a_ray_from_inside_a_shape_hits_at_zero(name):
    shape = {"cone": ROUND[1], "cylinder": ROUND[0], "ellipsoid": ROUND[2], "hull": Hull(np.array(CUBE))}[name]
    origin, holder = np.array([0.01, 0.02, 0.03]), World()
    body = holder.add_body(shape)
    assert distance(shape, origin) < 0.0
    hits = queries.ray(holder, origin, (1.0, 0.0, 0.0))
    assert hits.distance[0] == 0.0 and hits.body[0] == body


def distance(shape, x):
    """Signed distance of a point in the frame of the shape, or a bound of it with the same sign."""
    if shape.kind == "hull":
        planes = shape.geometry().numbers.reshape(-1, 4)
        return (planes[:, :3] @ x - planes[:, 3]).max()
    _, table = world([(Kind.DYNAMIC, shape.kind, shape.dims, (0, 0, 0), (1, 0, 0, 0))])
    table["rot"] = np.eye(3)
    return surface_distance(table[0], x)


def test_bounds_of_a_hull():
    """All vertices inside, one on each side."""
    from tests.tools.collide_tools import HULLS

    rng = np.random.default_rng(3)
    bodies, table = world([(Kind.DYNAMIC, "hull", hull.dims, rng.normal(size=3), random_quat(rng)) for hull in HULLS])
    refresh(bodies, table, margin=0.0, dt=1e-9)
    for s, hull in zip(table, HULLS):
        assert s["geometry"] == hull_index(hull.dims) and NAMES[s["kind"]] == "hull"
        x = own_data(s).vertices @ s["rot"].T + s["pos"]
        assert x.min(axis=0) == pytest.approx(s["lo"], abs=1e-6) and x.max(axis=0) == pytest.approx(s["hi"], abs=1e-6)


BALL = np.random.default_rng(0).normal(size=(400, 3))
BALL /= np.linalg.norm(BALL, axis=1)[:, None]


@pytest.mark.parametrize(("shape", "says"), [
    (Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0)]), "at least 4 points; got 3"),
    (Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)]), "no volume: add points off the plane"),
    (Hull([(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3)]), "no volume"),
    (Hull([(1, 2, 3)] * 6), "no volume"),
    (Hull([*CUBE, (0, math.nan, 0)]), "hull point 8 is"),
    (Hull([*CUBE, (0, math.inf, 0)]), "hull point 8 is"),
    (Hull([(1e6, 0, 0), *CUBE]), "reach 1e"),
    (Hull([(1, 2), (3, 4), (5, 6), (7, 8)]), r"shape \(4, 2\)"),
    (Hull("cube"), "array of numbers"),
    (Hull(BALL), "400 vertices; allowed: up to 256. Reduce"),
    (Hull(np.array(CUBE) * (1.0, 1.0, 1e-5)), "2e-05 m thick"),
    (Hull(CUBE, rounding=-1.0), "rounding"),
    (Cylinder(0.0, 1.0), "a dimension of its cylinder = 0.0"),
    (Cylinder(1.0, math.nan), "a dimension of its cylinder = nan"),
    (Cone(1.0, -1.0), "a dimension of its cone = -1.0"),
    (Cone(1e6, 1.0), "a dimension of its cone"),
    (Ellipsoid((1.0, 1.0, 1e-6)), "a dimension of its ellipsoid = 1e-06"),
    (Ellipsoid((1.0, "a", 1.0)), "must be a number"),
])
def test_bad_shapes_are_refused_and_change_nothing(shape, says):
    world = World()
    for kind in ("dynamic", "static"):
        with pytest.raises(BadInput, match=says):
            world.add_body(shape, kind=kind, name="stone")
    assert len(world.bodies) == 1 and len(world.shapes) == 0 and not world.pool.keys


def test_equal_hulls_share_their_geometry():
    world = World()
    for x in range(3):
        world.add_body(Hull(CUBE), pos=(3.0 * x, 0.0, 0.0))
    world.add_body(Hull(TETRAHEDRON), pos=(9.0, 0.0, 0.0))
    assert world.shapes["geometry"].tolist() == [0, 0, 0, 1] and len(world.pool.keys) == 2


@pytest.mark.parametrize("points", [np.array(CUBE) * (0.5, 0.3, 0.2), np.array(TETRAHEDRON, float),
                                    np.random.default_rng(4).normal(size=(15, 3))], ids=["box", "tetrahedron", "cloud"])
def test_mass_properties_of_rounded_hulls(points):
    """Volume, centre and inertia against the hull of balls of many points at the corners; a box by Steiner's formula as well."""
    r = 0.2
    rounded = Hull(points, rounding=r)
    golden = np.arange(1500) + 0.5
    z, angle = 1.0 - 2.0 * golden / 1500, math.pi * (1.0 + math.sqrt(5.0)) * golden
    ball = np.column_stack([np.sqrt(1.0 - z * z) * np.cos(angle), np.sqrt(1.0 - z * z) * np.sin(angle), z])
    cloud = (Hull(points).hull.points[:, None] + r * ball[None]).reshape(-1, 3)
    hull = ConvexHull(cloud)
    out = np.einsum("ij,ij->i", np.cross(*(cloud[hull.simplices[:, k]] - cloud[hull.simplices[:, 0]] for k in (1, 2))),
                    hull.equations[:, :3]) > 0.0
    triangles = np.where(out[:, None], hull.simplices, hull.simplices[:, ::-1])
    volume, first, inertia = moments(cloud, triangles)
    centre = first / volume
    inertia -= volume * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    assert rounded.volume() == pytest.approx(volume, rel=2e-3) and rounded.volume() > volume
    assert rounded.centre == pytest.approx(centre, abs=1e-3)
    assert np.allclose(rounded.inertia(rounded.volume()), inertia, rtol=5e-3, atol=5e-3 * np.abs(inertia).max())
    if len(points) == 8:
        a, b, c = 1.0, 0.6, 0.4
        steiner = a * b * c + 2 * (a * b + b * c + c * a) * r + math.pi * (a + b + c) * r**2 + 4 / 3 * math.pi * r**3
        assert rounded.volume() == pytest.approx(steiner, rel=1e-12)


def test_a_tiny_box_with_a_large_rounding_is_a_ball():
    ball = Hull(np.array(CUBE) * 1e-3, rounding=1.0)
    assert ball.inertia(1.0) == pytest.approx(0.4 * np.eye(3), rel=1e-2, abs=1e-12)


@pytest.mark.parametrize("name", sorted(shapes.kinds()))
def test_solid_kinds_are_those_with_a_volume(name):
    kind = shapes.kinds()[name]
    assert math.isfinite(kind.make((1.0, 1.0, 1.0)).volume()) == kind.solid
