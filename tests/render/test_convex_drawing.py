"""New shapes in pictures and under the cursor: meshes by geometry, rays to each kind. No GL."""

import numpy as np
import pytest

from app.engine.frame import RealTimePace, capture
from app.render.scene.instances import style
from app.render.scene.picking import pick
from app.render.scene.transforms import BodyTransforms
from physics import Box, Cone, Cylinder, Ellipsoid, Hull, World

TETRAHEDRON = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
CUBE = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
SHAPES = (Cylinder(0.4, 0.5), Cone(0.4, 1.0), Ellipsoid((0.3, 0.4, 0.5)), Hull(CUBE), Hull(TETRAHEDRON), Hull(CUBE),
          Hull(CUBE, rounding=0.1), Box((0.5, 0.5, 0.5)))


@pytest.fixture
def frame():
    world = World()
    for n, shape in enumerate(SHAPES):
        world.add_body(shape, pos=(3.0 * n, 0.0, 0.0))
    before = world.bodies["pos"].copy(), world.bodies["quat"].copy()
    return capture(world, scene="", dt=0.01, paused=True, before=before, pace=RealTimePace())


def test_equal_geometries_share_a_mesh(frame):
    groups = {key: (mesh, which.tolist()) for key, mesh, which in BodyTransforms(frame).groups()}
    hulls = sorted(which for (name, _), (_, which) in groups.items() if name == "hull")
    assert hulls == [[3, 5, 6], [4]]
    assert sorted(name for name, _ in groups) == ["box", "cone", "cylinder", "ellipsoid", "hull", "hull"]
    assert {style(name, mesh) for (name, _), (mesh, _) in groups.items()} == {0.0, 1.0, 2.0 + 9.0, 2.0 + 3.0 + 18.0}


def test_bounding_radii_hold_the_shapes(frame):
    radii = BodyTransforms(frame).radii()
    expected = [np.hypot(0.4, 0.5), 0.75, 0.5, np.sqrt(0.75), np.sqrt(3) * 0.75, np.sqrt(0.75), np.sqrt(3) * 0.6, np.sqrt(0.75)]
    assert (radii >= np.array(expected) - 1e-6).all() and (radii < 2.5 * np.array(expected)).all()


def test_every_shape_is_found_by_a_ray(frame):
    """From above onto each: the body, and how high its top is there."""
    tops = (0.5, 0.75, 0.5, 0.5, None, 0.5, 0.6, 0.5)
    for n, top in enumerate(tops):
        body, point, distance = pick(frame, np.array([3.0 * n, 0.0, 5.0]), np.array([0.0, 0.0, -1.0]))
        assert body == n + 1
        assert top is None or (point[2] == pytest.approx(top, abs=1e-9) and distance == pytest.approx(5.0 - top))
    assert pick(frame, np.array([1.5, 0.0, 5.0]), np.array([0.0, 0.0, -1.0])) is None
