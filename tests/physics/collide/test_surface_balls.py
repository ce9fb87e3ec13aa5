"""Balls on triangle meshes and height fields: against single triangles, and smooth rolling over inner edges."""

import math

import numpy as np
import pytest

from physics import HeightField, Plane, Sphere, TriangleMesh, World, step
from tests.tools.each_value import each_value
from tests.tools.surface_tools import DT, closed, crowd, floor_world, grid, nearest_on_triangle, path


def touching(world):
    """(point, normal from the surface to the ball, gap) of each contact after a step of no length."""
    step(world, 1e-9)
    sphere = world.shape_kinds.index("sphere")
    sign = np.where(world.shapes["kind"][world.contacts["shape_b"]] == sphere, 1.0, -1.0)
    return world.contacts["pos"], world.contacts["normal"] * sign[:, None], world.contacts["gap"]


@pytest.mark.parametrize("seed", range(12))
def test_the_nearest_point_of_a_soup_is_found_and_every_contact_is_a_local_one(seed):
    vertices, triangles = crowd(seed, 15)
    rng = np.random.default_rng(seed)
    centre = rng.uniform(-0.8, 0.8, 3)
    apart = [centre - nearest_on_triangle(centre, *vertices[t]) for t in triangles]
    distances = np.linalg.norm(apart, axis=1)
    radius = distances.min() + rng.uniform(-0.005, 0.005)
    world, _ = floor_world(TriangleMesh(vertices, triangles), Sphere(radius), gravity=(0, 0, 0), pos=centre)
    points, normals, gaps = touching(world)
    assert gaps.min() == pytest.approx(distances.min() - radius, abs=1e-9)
    assert sorted(gaps) == pytest.approx(sorted(distances[distances - radius < world.margin] - radius), abs=1e-9)
    for point, n, gap in zip(points, normals, gaps):
        k = np.argmin([np.linalg.norm(d / np.linalg.norm(d) - n) for d in apart])
        assert apart[k] / distances[k] == pytest.approx(n, abs=1e-6)
        assert centre - n * (radius + 0.5 * gap) == pytest.approx(point, abs=1e-9)


FLOORS = {
    "mesh": lambda: TriangleMesh(*grid(61, 3.0, turn=0.3)),
    "solid mesh": lambda: TriangleMesh(*closed(*grid(61, 3.0, turn=-1.1)), solid=True),
    "turned over": lambda: TriangleMesh(grid(61, 3.0)[0], grid(61, 3.0)[1][:, ::-1]),
    "field": lambda: HeightField(np.zeros((61, 81)), (0.1, 0.075)),
}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("vel", [(2.0, 0.5, 0.0), (0.3, -2.0, 0.0), (2.0, 0.0, 0.0)])
def test_a_ball_rolls_over_inner_edges_as_over_a_plane(floor, vel):
    """It slides, then rolls; start and way lead over edges and corners."""
    more = {"pos": (-2.0, -0.3, 0.1), "vel": vel, "friction": 0.4}
    flat = path(Plane(), Sphere(0.1), 300, **more)
    meshed = path(FLOORS[floor](), Sphere(0.1), 300, **more)
    assert meshed[:, 3:6] == pytest.approx(flat[:, 3:6], rel=1e-6, abs=1e-9)
    assert np.abs(meshed[:, 2] - flat[:, 2]).max() < 1e-6
    assert meshed[:, :3] == pytest.approx(flat[:, :3], abs=1e-9)
    assert np.linalg.norm(flat[-1, 3:5]) == pytest.approx(5 / 7 * np.linalg.norm(vel), rel=1e-6)


def test_a_ball_rolls_smoothly_over_a_flat_floor_far_from_the_origin():
    more = {"vel": (1.5, 0.4, 0.0), "friction": 0.4}
    place = (812.0, -455.5, 91.0)
    near = path(HeightField(np.zeros((31, 31)), 0.2), Sphere(0.1), 200, pos=(-2, 0, 0.1), **more)
    world, body = floor_world(TriangleMesh(grid(31, 3.0)[0] + place, grid(31, 3.0)[1]), Sphere(0.1),
                              pos=np.add(place, (-2, 0, 0.1)), **more)
    for _ in range(200):
        step(world, DT)
    assert world.bodies["vel"][body] == pytest.approx(near[-1, 3:6], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("floor", FLOORS)
def test_a_ball_bounces_as_on_a_plane(floor):
    more = {"pos": (0.03, -0.02, 0.6), "vel": (0.7, 0.2, 0.0), "restitution": 0.8}
    assert path(FLOORS[floor](), Sphere(0.1), 300, **more)[:, 2] == pytest.approx(path(Plane(), Sphere(0.1), 300, **more)[:, 2],
                                                                                  abs=1e-9)


def roof(x, y):
    return -0.5 * np.abs(x)


@pytest.mark.parametrize("make", [lambda f: TriangleMesh(*grid(9, 1.0, f)),
                                  lambda f: HeightField(grid(9, 1.0, f)[0][:, 2].reshape(9, 9), 0.25)])
def test_a_ridge_carries_and_a_valley_holds_with_both_sides(make):
    """On a ridge the normal is that of the edge; in a valley there are two contacts, those of the faces."""
    world, _ = floor_world(make(roof), Sphere(0.1), pos=(0.0, 0.1, 0.1))
    points, normals, _ = touching(world)
    assert len(points) == 1 and normals[0] == pytest.approx([0, 0, 1], abs=1e-9)
    world, _ = floor_world(make(lambda x, y: -roof(x, y)), Sphere(0.1), pos=(0.0, 0.1, 0.1 * np.sqrt(1.25)))
    points, normals, gaps = touching(world)
    assert len(points) == 2 and gaps == pytest.approx([0, 0], abs=1e-9)
    assert sorted(normals[:, 0]) == pytest.approx([-1 / np.sqrt(5), 1 / np.sqrt(5)], abs=1e-9)


def test_a_mesh_is_two_sided_and_a_solid_one_is_not():
    def height(solid, z, vel):
        floor = TriangleMesh(*closed(*grid(5, 1.0)), solid=True) if solid else TriangleMesh(*grid(5, 1.0))
        world, body = floor_world(floor, Sphere(0.05), gravity=(0, 0, 0), pos=(0.1, 0.2, z), vel=(0, 0, vel))
        for _ in range(120):
            step(world, DT)
        return world.bodies["pos"][body][2]

    assert height(False, 0.3, -2.0) > 0.049 and height(True, 0.3, -2.0) > 0.049
    assert height(False, -0.3, 2.0) < -0.049
    assert height(True, -0.3, 2.0) > 0.5, "from inside it is let out"
    assert height(True, -0.02, 0.0) > 0.045, "what is half inside is pushed out"


@pytest.mark.parametrize("depth", [0.05, 0.15, 0.3])
def test_a_body_inside_a_height_field_is_pushed_up(depth):
    """Wherever it is within the field's box."""
    hills = HeightField(0.2 * np.sin(np.arange(20))[:, None] * np.ones(20), 0.5)
    top = 0.2 * np.sin(8.0)
    world, body = floor_world(hills, Sphere(0.1), pos=(-0.75, 0.2, top - depth))
    for _ in range(240):
        step(world, DT)
    x, _, z = world.bodies["pos"][body]
    assert z > 0.08 + np.interp(x, 0.5 * (np.arange(20) - 9.5), 0.2 * np.sin(np.arange(20)))


def test_a_moving_mesh_carries_a_ball():
    world, body = floor_world(TriangleMesh(*grid(9, 1.0)), Sphere(0.1), pos=(0, 0, 0.1))
    floor = int(np.flatnonzero(world.bodies["kind"] == 1)[1])
    world.bodies["kind"][floor] = 2
    world.set_velocity(floor, (0, 0, 0.5), (0, 0, 0))
    for _ in range(240):
        step(world, DT)
    assert world.bodies["pos"][body][2] - world.bodies["pos"][floor][2] == pytest.approx(0.1, abs=1e-3)


@each_value()
@pytest.mark.parametrize("rate", [30, 60, 120])
@pytest.mark.parametrize("cells", [80, 160])
@pytest.mark.parametrize(("solver", "gain", "loss"), [("sequential_impulses", 0.005, 0.12), ("soft_steps", 0.02, 0.08),
                                                      ("joint_space", 0.005, 0.12)])
def test_a_ball_that_circles_on_facets_gains_nothing(solver, gain, loss, cells, rate):
    """Facets take from it what their edges stop. Contacts found once in a step, in which it crosses several of them, left it in
    the next ones, and what pushed it out lifted it: at 60 Hz energy grew by 11 % in 6 s, in soft steps by 20 %."""
    bowl, radius, lean, g, seconds = 1.0, 0.1, 0.6, 9.81, 3.0
    size, world = 1.6 / cells, World()
    x, y = np.meshgrid(*2 * [np.linspace(-0.8, 0.8, cells + 1)], indexing="ij")
    world.use_solver(solver)
    world.add_body(HeightField(bowl - np.sqrt(bowl**2 - np.minimum(x * x + y * y, 0.95)), size), kind="static", friction=0.0)
    out, depth = (bowl - radius) * math.sin(lean), (bowl - radius) * math.cos(lean)
    world.add_body(Sphere(radius), mass=1.0, friction=0.0, pos=(out, 0.0, bowl - depth),
                   vel=(0.0, math.sqrt(g * out * math.tan(lean)), 0.0))
    energies = []
    for _ in range(round(seconds * rate)):
        energy = step(world, 1.0 / rate).energy
        energies.append(energy["kinetic"] + energy["potential"] - g * radius)
    assert max(energies) < (1.0 + gain) * energies[0]
    assert energies[-1] > (1.0 - loss) * energies[0]
