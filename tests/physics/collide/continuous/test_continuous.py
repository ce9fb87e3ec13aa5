"""Fast bodies: nothing passes through thin things, nothing is deflected by what it does not touch, rebounds keep their energy."""

import math

import numpy as np
import pytest

import scenes
from physics import Box, Capsule, Hull, Sphere, TriangleMesh, World, set_option, step
from physics.collide.continuous.tunnelling_guard import prevent_tunnelling
from physics.dynamics import measure
from tests.tools.each_value import each_value
from tests.tools.surface_tools import grid

RATES = [240, 60]
SQUARE = TriangleMesh([(0, -1, -1), (0, 1, -1), (0, 1, 1), (0, -1, 1)], [(0, 1, 2), (0, 2, 3)])
FINE = TriangleMesh(grid(21, 1.0)[0][:, (2, 0, 1)], grid(21, 1.0)[1])
WALLS = {"box": (Box((0.005, 1, 1)), "static", 0.005), "dynamic box": (Box((0.005, 1, 1)), "dynamic", 0.005),
         "mesh": (SQUARE, "static", 0.0), "fine mesh": (FINE, "static", 0.0),
         "hull": (Hull([(x, y, z) for x in (-0.005, 0.005) for y in (-1, 1) for z in (-1, 1)]), "static", 0.005)}


def empty(gravity=(0.0, 0.0, 0.0)):
    world = World(gravity=gravity)
    set_option(world.solver.options, "budget", 0.0)
    return world


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("wall", WALLS)
@pytest.mark.parametrize("direction", [(1, 0, 0), (0.8, 0.6, 0.05), (0.3, 0.7, -0.6)])
@pytest.mark.parametrize("e", [0.0, 0.8])
def test_a_small_ball_at_100_m_per_s_does_not_pass_a_thin_wall(rate, wall, direction, e):
    """1 cm ball, 1 cm wall; it leaves at e times the normal speed."""
    shape, kind, half = WALLS[wall]
    world = empty()
    target = world.add_body(shape, kind=kind, **({"mass": 1e6} if kind == "dynamic" else {}))
    direction = np.array(direction) / np.linalg.norm(direction)
    ball = world.add_body(Sphere(0.005), pos=-1.23 * direction, vel=100.0 * direction, restitution=e, friction=0.0)
    for _ in range(max(5, rate // 30)):
        step(world, 1.0 / rate)
    speed = 100.0 * direction[0]
    assert world.bodies["pos"][ball][0] - world.bodies["pos"][target][0] < -half - 0.0049
    assert world.bodies["vel"][ball] == pytest.approx([-e * speed, *(100.0 * direction[1:])], rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("gap", [1e-6, 1e-3, 0.02])
@pytest.mark.parametrize("v", [(60.0, -30.0, 0.0), (30.0, -60.0, 0.0), (5.0, -6.0, 0.0), (100.0, -40.0, -30.0)])
@pytest.mark.parametrize("edge", ["box", "mesh"])
def test_passing_an_edge_keeps_the_velocity_exactly(rate, gap, v, edge):
    world = empty()
    if edge == "box":
        world.add_body(Box((0.5, 0.5, 0.5)), kind="static", pos=(-0.5, -0.5, 0))
    else:
        world.add_body(TriangleMesh([(-1, 0, -1), (0, 0, -1), (0, 0, 1), (-1, 0, 1)], [(0, 1, 2), (0, 2, 3)]), kind="static")
    v = np.array(v)
    away = np.array([-v[1], v[0], 0.0]) / np.hypot(v[0], v[1])
    ball = world.add_body(Sphere(0.005), pos=away * (0.005 + gap) - v * 0.0137, vel=v)
    for _ in range(max(6, rate // 20)):
        step(world, 1.0 / rate)
        assert (world.bodies["vel"][ball] == v).all() and (world.bodies["omega"][ball] == 0.0).all()


@pytest.mark.parametrize("rate", RATES)
def test_billiards_at_20_m_per_s(rate):
    """The other ball leaves along the line of centres at the moment of the impact, wherever in the step that is."""
    r, cosine = 0.028, 0.6
    offset = 2.0 * r * math.sqrt(1.0 - cosine**2)
    n = np.array([cosine, -math.sqrt(1.0 - cosine**2), 0.0])
    for start in (0.31, 0.37, 0.42):
        world = empty()
        cue = world.add_body(Sphere(r), pos=(-start, offset, 0), vel=(20, 0, 0), friction=0.0, restitution=1.0)
        ball = world.add_body(Sphere(r), friction=0.0, restitution=1.0)
        for _ in range(rate // 12):
            step(world, 1.0 / rate)
        assert world.bodies["vel"][ball] == pytest.approx(20.0 * cosine * n, abs=1e-4)
        assert world.bodies["vel"][cue] == pytest.approx([20, 0, 0] - 20.0 * cosine * n, abs=1e-4)
        assert np.abs(world.bodies["omega"]).max() < 1e-9, "an impulse at the wrong arm"


@pytest.mark.parametrize("rate", RATES)
def test_two_fast_balls_with_friction_turn_by_the_arms_that_they_have_at_the_impact(rate):
    """I omega = R n x P for both, with n at the moment of the impact and P = m dv."""
    r, world = 0.03, empty()
    x, v = np.array([-0.4, 0.02, 0.0]) - (0.4, -0.01, 0.0), np.array([30.0, 0.0, 0.0]) - (-25.0, 3.0, 0.0)
    t = min(np.roots([v @ v, 2 * x @ v, x @ x - 4 * r * r]))
    n = -(x + t * v) / (2 * r)
    a = world.add_body(Sphere(r), pos=(-0.4, 0.02, 0), vel=(30, 0, 0), friction=0.5, mass=1.0, restitution=1.0)
    b = world.add_body(Sphere(r), pos=(0.4, -0.01, 0), vel=(-25, 3, 0), friction=0.5, mass=2.0)
    for _ in range(rate // 20):
        step(world, 1.0 / rate)
    p = 2.0 * (world.bodies["vel"][b] - (-25, 3, 0))
    assert 1.0 * (world.bodies["vel"][a] - (30, 0, 0)) == pytest.approx(-p, abs=1e-9)
    assert abs(p @ n) > 20.0 and np.linalg.norm(np.cross(n, p)) > 1.0
    for body in (a, b):
        turn = world.bodies["inertia"][body] @ world.bodies["omega"][body]
        assert turn == pytest.approx(-r * np.cross(n, p), rel=1e-4, abs=1e-6)


@each_value()
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("walls", ["boxes", "mesh"])
@pytest.mark.parametrize("e", [0.0, 1.0])
@pytest.mark.parametrize("v", [(100, 0, 0), (80, 55, 25), (33, -71, 62)])
def test_nothing_leaves_a_cage_that_it_crosses_several_times_in_a_step(rate, walls, e, v):
    h, r, world = 0.1, 0.005, empty()
    if walls == "boxes":
        for k in range(3):
            half = np.full(3, h + 0.01)
            half[k] = 0.005
            for side in (-1, 1):
                world.add_body(Box(tuple(half)), kind="static", pos=side * (h + 0.005) * np.eye(3)[k])
    else:
        corners = h * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        world.add_body(TriangleMesh(corners, [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7),
                                              (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]), kind="static")
    ball = world.add_body(Sphere(r), pos=(0.013, -0.02, 0.031), vel=v)
    world.set_friction(0.0)
    world.set_restitution(e)
    speed = np.linalg.norm(v)
    for _ in range(50):
        step(world, 1.0 / rate)
        assert np.abs(world.bodies["pos"][ball]).max() < h - r + 2e-4
        assert np.linalg.norm(world.bodies["vel"][ball]) <= speed * (1.0 + 1e-9)
    if e == 1.0:
        assert np.linalg.norm(world.bodies["vel"][ball]) == pytest.approx(speed, rel=0.01)


@each_value()
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("e", [0.5, 0.9])
@pytest.mark.parametrize("floor", ["box", "mesh"])
def test_a_fast_drop_rebounds_to_its_share_of_the_height(rate, e, floor):
    """1 % below e^2 h at most, never above, whatever the phase of the impact."""
    for start in np.linspace(0.0, 1.0, 7):
        world = empty(gravity=(0, 0, -9.81))
        world.add_body(Box((1, 1, 0.005)) if floor == "box" else TriangleMesh(*grid(9, 1.0)), kind="static",
                       pos=(0, 0, -0.005 if floor == "box" else 0.0))
        ball = world.add_body(Sphere(0.005), pos=(0.07, 0.03, 0.005 + 0.2), restitution=e, vel=(0, 0, -30.0 - start))
        drop = 0.2 + (30.0 + start) ** 2 / (2 * 9.81)
        step(world, 1.0 / rate)
        drop = max(drop, world.bodies["pos"][ball][2] - 0.005) if world.bodies["vel"][ball][2] > 0 else drop
        highest = 0.0
        for _ in range(int(rate * (e * 31.0 / 9.81 + 0.5))):
            step(world, 1.0 / rate)
            highest = max(highest, world.bodies["pos"][ball][2] - 0.005)
        # Semi-implicit steps: a velocity given at the start is that of the middle of the step before.
        slack = 30.0 * 0.5 / rate
        assert 0.99 * e * e * drop - slack < highest < e * e * drop * (1.0 + 1e-9) + slack


def test_the_door_stops_a_fast_ball():
    scene = scenes.find("door")
    for speed in (20.0, 60.0, 100.0):
        for x in (0.2, 0.5, 0.8):
            world = scenes.make_world(scene)
            set_option(world.solver.options, "budget", 0.0)
            ball = world.add_body(Sphere(0.03), pos=(x, -2.0, 1.0), vel=(0, speed, 0), mass=0.5)
            door = world.body("door")
            for _ in range(12):
                step(world, scene.dt)
                w, _, _, z = world.bodies["quat"][door]
                across = np.array([-2.0 * w * z, 1.0 - 2.0 * z * z, 0.0])
                assert across @ (world.bodies["pos"][ball] - world.bodies["pos"][door]) < 0.0, "it passed the door"
            assert world.report.joint_error < 1e-6


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("spin", [30.0, 100.0, 200.0])
@pytest.mark.parametrize("hinge", [True, False])
def test_a_spinning_rod_does_not_pass_a_thin_wall(rate, spin, hinge):
    """Its tip comes round at up to 100 m/s; the wall stands in the tip's circle."""
    world = empty()
    world.add_body(Box((0.005, 0.5, 0.5)), kind="static", pos=(0.3, 0, 0))
    rod = world.add_body(Capsule(0.005, 0.5), quat=(math.sqrt(0.5), math.sqrt(0.5), 0, 0), omega=(0, 0, -spin))
    if hinge:
        world.add_joint("revolute", 0, rod, anchor=(0, 0, 0))
    for _ in range(rate // 8):
        step(world, 1.0 / rate)
        w, x, y, z = world.bodies["quat"][rod]
        axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
        for end in (-0.5, 0.5):
            tip = world.bodies["pos"][rod] + end * axis
            if abs(tip[1]) < 0.45:
                assert tip[0] < 0.3 or world.bodies["pos"][rod][0] > 0.3, "a tip is behind the wall"


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("turn", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("distance", [0.6, 0.9, 1.2])
def test_what_spins_by_radians_a_step_does_not_stop_what_passes_beside_it(rate, turn, distance):
    """In the frame of the spinning body the path of the other is an arc about it, whose chord runs through it."""
    world, way = empty(), 0.05
    world.add_body(Box((0.3, 0.1, 0.1)), mass=1.0, omega=(0.0, 0.0, turn * rate))
    ball = world.add_body(Sphere(0.05), pos=(distance, -0.5 * way, 0.0), mass=1.0, vel=(0.0, way * rate, 0.0))
    assert step(world, 1.0 / rate).audit.ok
    assert world.bodies["pos"][ball] == pytest.approx((distance, 0.5 * way, 0.0), abs=1e-12)


def test_slow_worlds_have_no_extra_cost():
    """What rests or creeps is not examined: no velocity is far enough."""
    world = empty(gravity=(0, 0, -9.81))
    world.add_body(Box((2, 2, 0.1)), kind="static")
    for i in range(5):
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(0, 0, 0.2 + 0.2 * i))
    for _ in range(60):
        step(world, 1 / 240)
    assert (world.contacts["shift"] == 0.0).all() and len(world.contacts) == 20


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("force", [(0.0, 0.0, 0.0), (30.0, -10.0, 40.0)])
@pytest.mark.parametrize("shape", [Sphere(0.05), Box((0.05, 0.09, 0.03)), Capsule(0.04, 0.08)])
def test_a_body_that_is_moved_back_is_where_it_was_then(shape, force, rate):
    """The guard lets a part of the step pass: the auditor, told of it, finds nothing, and the angular momentum is as before."""
    world = World()
    wall = world.add_body(Box((0.02, 2.0, 2.0)), kind="static", pos=(1.0, 0.0, 0.0), group=-1)
    body = world.add_body(shape, pos=(1.0 - 20.0 / rate, 0.0, 0.0), vel=(40.0, 3.0, -2.0), omega=(9.0, -20.0, 13.0), mass=2.0,
                          group=-1)
    step(world, 1.0 / rate)                             # velocities lag behind poses now
    before = np.empty((len(world.bodies), measure.MOTION))
    world.bodies["pos"][body, 0] -= 40.0 / rate
    measure.copy_motion(world.bodies, before)
    spin = measure.momentum(world.bodies)[1] - np.cross(world.bodies["pos"][body], 2.0 * world.bodies["vel"][body])
    world.apply_force(body, force)
    report = step(world, 1.0 / rate)                    # one group: nothing stops it
    assert world.bodies["pos"][body, 0] > 1.0
    forces = np.zeros((len(world.bodies), 3))
    forces[body] = force
    pairs = np.array([[int(np.flatnonzero(world.shapes["body"] == k)[0]) for k in (wall, body)]], np.int32)
    audited = prevent_tunnelling(before, forces, world, pairs, np.array([0, 0, 1]), 1.0 / rate)
    world.audit.begin(world, 1.0 / rate)
    world.audit.observe_part(world, audited, forces, 0.0 * forces, world.contacts[:0], 1.0 / rate, report.substeps)
    assert 0.0 < audited[body, -1] < 1.0 / rate and world.bodies["pos"][body, 0] < 1.0
    assert not world.audit.findings
    now = measure.momentum(world.bodies)[1] - np.cross(world.bodies["pos"][body], 2.0 * world.bodies["vel"][body])
    assert now == pytest.approx(spin, abs=1e-9)
