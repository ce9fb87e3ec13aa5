"""`stiction export --urdf`: read back by our own reader it is the same world; Pinocchio finds the same mechanism in the file."""

from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from app.robots.urdf import from_angles
from app.robots.urdf_export import to_angles, urdf_of
from app.world_files import load, save
from physics import BadInput, Box, Capsule, Cone, Cylinder, Ellipsoid, Friction, Hull, Motor, Plane, Sphere, World, step
from physics.core.quaternions import rotate, to_matrix
from physics.core.records import Kind
from physics.joints._settings import friction_of, motor_of

TURNS = [(1.0, 0.0, 0.0, 0.0), (0.5, 0.5, -0.5, 0.5), (0.8, 0.0, 0.6, 0.0), (0.36, 0.48, -0.8, 0.0)]


def mechanism() -> World:
    """An arm of all kinds of joints, skew, of two of which the moving body is the first; every setting is its own number."""
    world, shapes = World(), (Box((0.1, 0.2, 0.3)), Capsule(0.1, 0.2), Cylinder(0.1, 0.2), Cone(0.1, 0.3))
    base = world.add_body(Box((0.2, 0.2, 0.2)), kind="static", pos=(0.1, -0.2, 0.3), quat=TURNS[2], name="base")
    bodies = [base]
    for k, shape in enumerate(shapes):
        bodies.append(world.add_body(shape, pos=(0.5 * k + 0.4, 0.2 * k, 0.3), quat=TURNS[k], mass=1.0 + k, name=f"part {k}"))
    law = Friction(static=0.3, viscous=0.2)
    world.add_joint("revolute", base, bodies[1], anchor=(0.2, 0.0, 0.3), axis=(0.0, 0.6, 0.8), limits=(-0.5, 1.0), name="hinge",
                    friction=law, motor=Motor("position", 0.0, 20.0, 3.0))
    world.add_joint("prismatic", bodies[2], bodies[1], anchor=(0.7, 0.1, 0.2), axis=(1.0, 0.0, 0.0), limits=(-0.1, 0.4),
                    name="slide", friction=Friction(static=7.0))
    world.add_joint("revolute", bodies[3], bodies[2], anchor=(1.1, 0.3, 0.3), axis=(0.0, 0.0, 1.0), name="wheel",
                    friction=Friction(viscous=0.7))
    world.add_joint("fixed", bodies[3], bodies[4], anchor=(1.6, 0.4, 0.3), axis=(1.0, 0.0, 0.0), name="weld")
    world.set_filter(group=-1)       # as links of one robot
    return world


def read_back(world: World, folder: Path) -> World:
    save(world, folder / "r.urdf")
    return load(folder / "r.urdf")


def dynamic(world: World) -> list[str]:
    return [name for name, body in zip(world.body_names, world.bodies) if body["kind"] == Kind.DYNAMIC]


def test_read_back_it_is_the_same_world(tmp_path):
    """Masses, inertia, poses, joints, shapes, the motion of 0.2 s; the zero of a joint is found from where it is."""
    world = mechanism()
    again = read_back(world, tmp_path)
    assert dynamic(again) == dynamic(world)
    for name in ("base", *dynamic(world)):
        one, other = world.bodies[world.body(name)], again.bodies[again.body(name)]
        assert other["mass"] == one["mass"] and other["inertia"] == pytest.approx(one["inertia"], abs=1e-14), name
        assert other["pos"] == pytest.approx(one["pos"], abs=1e-14), name
        assert to_matrix(other["quat"]) == pytest.approx(to_matrix(one["quat"]), abs=1e-14), name
    for name in ("hinge", "slide", "wheel"):
        one, other = world.joints[world.joint(name)], again.joints[again.joint(name)]
        assert friction_of(other, 0) == friction_of(one, 0) and motor_of(other, 0) == motor_of(one, 0), name
        assert (other["limit_lo"][0], other["limit_hi"][0]) == (one["limit_lo"][0], one["limit_hi"][0])
    for _ in range(100):
        step(world, 2e-3)
        step(again, 2e-3)
    for name in dynamic(world):
        assert again.bodies["pos"][again.body(name)] == pytest.approx(world.bodies["pos"][world.body(name)], abs=1e-5), name
    moved = tmp_path / "moved"
    moved.mkdir()
    later = read_back(world, moved)
    for name in dynamic(world):
        assert later.bodies["pos"][later.body(name)] == pytest.approx(mechanism().bodies["pos"][world.body(name)], abs=1e-5)


def test_pinocchio_reads_the_same_mechanism():
    """Its mass matrix and gravity torques at zero, limits, effort, speed, dry and viscous friction of its joints."""
    pin = pytest.importorskip("pinocchio")
    world = mechanism()
    model = pin.buildModelFromXML(urdf_of(world, "r", "m")[0])
    names = ["hinge", "slide", "wheel"]
    assert list(model.names)[1:] == names
    space, zero = world.joint_space(), pin.neutral(model)
    data = model.createData()
    order = [next(k for k, name in enumerate(space.names) if name.startswith(own)) for own in names]
    # the moving body of slide and wheel is their first: the child turns against its parent by the same coordinate
    assert pin.crba(model, data, zero) == pytest.approx(space.H[np.ix_(order, order)], abs=1e-12)
    assert pin.computeGeneralizedGravity(model, data, zero) == pytest.approx(space.g[order], abs=1e-12)
    records = [world.joints[world.joint(name)] for name in names]
    laws = [friction_of(one, 0) for one in records]
    assert model.damping.tolist() == [law.viscous for law in laws]
    assert model.upperDryFrictionLimit.tolist() == [law.static for law in laws]
    assert (model.lowerPositionLimit[:2].tolist(), model.upperPositionLimit[:2].tolist()) == ([-0.5, -0.1], [1.0, 0.4])
    assert (model.upperEffortLimit[0], model.upperVelocityLimit[0]) == (20.0, 3.0)


@pytest.mark.parametrize("shape", [Hull([(0, 0, 0), (0.6, 0, 0), (0.1, 0.5, 0), (0.2, 0.1, 0.4)]), Cone(0.2, 0.5),
                                   Ellipsoid((0.1, 0.2, 0.3)), Capsule(0.1, 0.3), Sphere(0.2), Box((0.1, 0.2, 0.3))],
                         ids=lambda shape: shape.kind)
def test_shapes_are_where_they_were(shape, tmp_path):
    """Rays from all sides meet them at the same points; of ellipsoids and cones as of their meshes."""
    from physics.world.queries import ray

    world = World()
    world.add_body(shape, pos=(1.0, 2.0, 3.0), quat=TURNS[3], name="arm / left #1")
    again, coarse = read_back(world, tmp_path), 0.01 if shape.kind in ("ellipsoid", "cone") else 1e-7
    middle, hits = world.bodies["pos"][1], 0
    for way in np.random.default_rng(1).normal(size=(20, 3)):
        way /= np.linalg.norm(way)
        one, other = (ray(w, middle + way, -way, 2.0) for w in (world, again))
        assert other is not None and np.linalg.norm(one.point - other.point) < coarse
        hits += one is not None
    assert hits == 20


def test_free_and_fixed_bodies_stay_so(tmp_path):
    world = World()
    world.add_body(Box((1.0, 1.0, 0.1)), kind="static", name="table")
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.5), name="ball")
    again = read_back(world, tmp_path)
    assert [again.bodies["kind"][again.body(name)] for name in ("table", "ball")] == [Kind.STATIC, Kind.DYNAMIC]
    assert not (again.joints["kind"] >= 0).any()
    for _ in range(2):
        step(again, 0.05)
    assert again.bodies["pos"][again.body("ball"), 2] < 0.47


def test_a_locked_axis_is_a_fixed_joint_at_its_value(tmp_path):
    world = World()
    for kind, first in (("revolute", True), ("revolute", False), ("prismatic", True), ("prismatic", False)):
        arm = world.add_body(Box((0.1, 0.1, 0.1)), pos=(1.0, 0.0, 0.0))
        ends = (arm, "world") if first else ("world", arm)
        j = world.add_joint(kind, *ends, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
        world.set_joint_limits(j, 0.3, 0.3)
    again = read_back(world, tmp_path)
    c, s = np.cos(0.3), np.sin(0.3)
    places = []      # what is fixed to the world is static, with its frame at the joint: its box is where it was
    for name in world.body_names[1:5]:
        body = again.bodies[again.body(name)]
        (own,) = again.shapes["local_pos"][again.shapes["body"] == again.body(name)]
        places.append(body["pos"] + rotate(body["quat"], own))
    assert places == [pytest.approx(at, abs=1e-12) for at in ((c, -s, 0), (c, s, 0), (1, 0, -0.3), (1, 0, 0.3))]


def test_what_the_file_lacks_is_told(tmp_path, capsys):
    assert main(["export", "joint_gallery", "--urdf", str(tmp_path / "g.urdf")]) == 0
    said = capsys.readouterr().out
    assert "joint 'gear' (gear) has no counterpart" in said and "drives the scene" in said
    assert main(["check", str(tmp_path / "g.urdf")]) == 0
    world = World()
    world.add_body(Plane(), kind="static", name="floor")
    with pytest.raises(BadInput, match="no moving bodies"):
        urdf_of(world, "r", "m")
    arms = [world.add_body(Sphere(0.1), pos=(k, 0.0, 1.0), name=f"arm {k}") for k in range(3)]
    for a, b in ((0, 1), (1, 2), (2, 0)):
        world.add_joint("revolute", arms[a], arms[b], anchor=(0.5 * (a + b), 0.0, 1.0), axis=(0, 1, 0), name=f"pin {a}{b}",
                        motor=Motor("velocity", 1.0, 2.0))
    notes = urdf_of(world, "r", "m")[2]
    assert any("'pin 20' closes a loop" in note for note in notes) and any("motor of 'pin 01'" in note for note in notes)
    assert any("the plane of 'floor' has no counterpart" in note for note in notes)


def test_angles_are_found_from_orientations_also_where_two_axes_meet():
    rng = np.random.default_rng(3)
    given = [*rng.uniform(-3.0, 3.0, (50, 3)), *([a, s * 0.5 * np.pi + e, b] for a, b in rng.uniform(-3, 3, (5, 2))
                                                  for s in (-1, 1) for e in (0.0, 1e-9, 1e-7))]
    for angles in given:
        quat = from_angles(np.array(angles))
        assert to_matrix(from_angles(to_angles(quat))) == pytest.approx(to_matrix(quat), abs=1e-14)


def test_ball_and_cylindrical_joints_are_rows_that_pinocchio_and_our_reader_understand(tmp_path):
    """A ball joint on a sleeve, both skew, one with its moving body first: the motion, and Pinocchio's kinetic energy."""
    pinocchio = pytest.importorskip("pinocchio")
    world = World()
    base = world.add_body(kind="static", pos=(0.3, 0.0, 0.0), quat=TURNS[2], name="base")
    sleeve = world.add_body(Box((0.1, 0.1, 0.2)), pos=(0.2, 0.1, 0.5), quat=TURNS[1], mass=2.0, name="sleeve")
    bob = world.add_body(Box((0.1, 0.2, 0.3)), pos=(0.6, 0.4, 0.6), quat=TURNS[3], mass=1.0, name="bob")
    world.add_joint("cylindrical", base, sleeve, anchor=(0.2, 0.1, 0.4), axis=(0.6, 0.0, 0.8), friction={"slide": 1.5},
                    name="bar")
    world.add_joint("spherical", bob, sleeve, anchor=(0.4, 0.2, 0.5), max_friction=0.05, name="ball")
    world.set_filter(group=-1)
    again = read_back(world, tmp_path)
    assert [again.joint(name).kind for name in ("bar", "ball")] == ["cylindrical", "spherical"]
    assert dynamic(again) == dynamic(world)
    assert friction_of(again.joints[again.joint("ball")], 0).static == 0.05
    model = pinocchio.buildModelFromUrdf(str(tmp_path / "r.urdf"))
    assert model.nv == 5
    space = world.joint_space()
    data = model.createData()
    pinocchio.crba(model, data, pinocchio.neutral(model))
    upper = np.triu(data.M) + np.triu(data.M, 1).T
    assert upper[:2, :2] == pytest.approx(space.H[:2, :2], abs=1e-5), "slide and turn of the sleeve with the bob"
    assert np.linalg.det(upper) == pytest.approx(np.linalg.det(space.H), rel=1e-4), "the pins of the ball are turned"
    for one in (world, again):
        for _ in range(100):
            step(one, 1.0 / 480.0)
    assert again.body("bob").pos == pytest.approx(world.body("bob").pos, abs=1e-6)
    assert np.linalg.norm(world.body("bob").pos - (0.6, 0.4, 0.6)) > 0.1
