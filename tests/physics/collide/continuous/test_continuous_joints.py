"""Fast bodies on joints: a mechanism passes through nothing, its joints stay closed, and holding it back gives it no energy."""

import math

import numpy as np
import pytest

from physics import Box, Capsule, Sphere, TriangleMesh, World, set_option, step
from physics.collide.continuous import mechanism_paths, tunnelling_guard
from physics.core.quaternions import rotate
from physics.dynamics import measure
from tests.tools.each_value import each_value
from tests.tools.joint_tools import energy

RATES = [240, 60]
PHASES = np.linspace(0.0, 1.0, 21)


def empty(gravity=(0.0, 0.0, 0.0)):
    """A world as it is by default, without its clock."""
    world = World(gravity=gravity)
    set_option(world.solver.options, "budget", 0.0)
    return world


def about(angle):
    """A turn about z."""
    return (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))


def on_a_circle(rate, phase, kind="revolute", e=0.0, speed=100.0):
    """(world, ball): a 1 cm ball 1 m from its pivot, that part of a step's way and a tenth of a radian before the x axis."""
    world = empty()
    angle = -0.1 - phase * speed / rate
    x = np.array([math.cos(angle), math.sin(angle), 0.0])
    ball = world.add_body(Sphere(0.005), pos=x, quat=about(angle), vel=speed * np.array([-x[1], x[0], 0.0]), omega=(0, 0, speed),
                          friction=0.0, restitution=e)
    more = {"rod": {"anchor_b": x}, "revolute": {"axis": (0, 0, 1)}}.get(kind, {})
    world.add_joint(kind, 0, ball, anchor=(0, 0, 0), **more)
    return world, ball


def goes_round(world, ball, rate, steps):
    """(largest angle that the ball comes to, most energy, largest distance off the circle), until it has gone half round."""
    angle, largest, most, off = math.atan2(*world.bodies["pos"][ball][1::-1]), -math.inf, 0.0, 0.0
    for _ in range(steps):
        step(world, 1.0 / rate)
        x, y, _ = world.bodies["pos"][ball]
        turn = math.atan2(y, x) - angle
        ahead = (x * world.bodies["vel"][ball][1] - y * world.bodies["vel"][ball][0]) / rate
        angle += turn - 2 * math.pi * round((turn - ahead) / (2 * math.pi))
        largest, most, off = max(largest, angle), max(most, energy(world)), max(off, abs(math.hypot(x, y) - 1.0))
        if abs(angle) > 3.0:
            break
    return largest, most, off


@each_value()
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("kind", ["revolute", "spherical", "rod"])
@pytest.mark.parametrize("e", [0.0, 0.8])
@pytest.mark.parametrize("wall", ["long box", "short box", "mesh"])
def test_a_ball_swinging_at_100_m_per_s_does_not_pass_a_thin_wall(rate, kind, e, wall):
    """It turns by 1.7 radians in 1/60 s: no straight line, neither from where it was to where it will be nor the one along which
    it flies, meets a short wall. No energy comes of it: the hinge without a wall has as much."""
    free = max(goes_round(*on_a_circle(rate, phase, kind), rate, 2)[1] for phase in PHASES[::5])
    for phase in PHASES if wall == "long box" else PHASES[::2]:
        world, ball = on_a_circle(rate, phase, kind, e)
        if wall == "mesh":
            world.add_body(TriangleMesh([(0.5, 0, -0.5), (1.5, 0, -0.5), (1.5, 0, 0.5), (0.5, 0, 0.5)], [(0, 1, 2), (0, 2, 3)]),
                           kind="static")
        else:
            world.add_body(Box((0.5 if wall == "long box" else 0.05, 0.005, 0.5)), kind="static", pos=(1.0, 0, 0))
        largest, most, off = goes_round(world, ball, rate, max(6, rate // 20))
        assert largest < -0.0024, f"phase {phase}"
        assert most <= free * (1.0 + 1e-9), f"phase {phase}"
        assert off < 1e-6


def flung(rate, seed, count, speed, kind):
    """(world, links): a chain of 1 cm balls 3 cm apart that spins and flies at a wall."""
    rng, world = np.random.default_rng(seed), empty((0.0, 0.0, -9.81))
    world.add_body(Box((0.005, 1.5, 1.5)), kind="static")
    line = rng.normal(size=3)
    line *= 0.03 / np.linalg.norm(line)
    omega, velocity = 0.3 * speed * rng.normal(size=3), speed * np.array([1.0, *rng.uniform(-0.1, 0.1, 2)])
    links, start = [], np.array([-0.3 - rng.uniform() * speed / rate, 0.0, 0.0])
    for k in range(count):
        x = start + k * line
        links.append(world.add_body(Sphere(0.005), pos=x, vel=velocity + np.cross(omega, k * line), omega=omega, friction=0.2))
        if k:
            more = {"anchor": x - line, "anchor_b": x} if kind == "rod" else {"anchor": x - 0.5 * line}
            world.add_joint(kind, links[k - 1], links[k], **more)
    return world, links


@each_value()
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("kind", ["spherical", "rod"])
@pytest.mark.parametrize(("count", "speed"), [(4, 100.0), (4, 30.0), (8, 60.0)])
def test_a_chain_flung_at_a_thin_wall_does_not_pass_it(rate, kind, count, speed):
    for seed in range(21):
        world, links = flung(rate, seed, count, speed, kind)
        start = energy(world)
        step(world, 1.0 / rate)
        last = energy(world)
        for _ in range(rate // 8):
            step(world, 1.0 / rate)
            x = world.bodies["pos"][links]
            assert not ((x[:, 0] > 0.0) & (np.abs(x[:, 1:]) < 1.45).all(axis=1)).any(), f"seed {seed}"
            assert energy(world) < last + 5e-3 * start
            last = energy(world)
            if np.abs(x[:, 1:]).max() > 1.4:
                break


def gap_of(world, joint):
    """Distance of the joint's two points [m]."""
    j = world.joints[joint]
    a, b = world.bodies[j["body_a"]], world.bodies[j["body_b"]]
    return np.linalg.norm(b["pos"] + rotate(b["quat"], j["anchor_b"]) - a["pos"] - rotate(a["quat"], j["anchor_a"]))


def point_velocity(world, joint, side):
    """Velocity of the joint's point on its body a or b [m/s]."""
    b = world.bodies[world.joints[joint][f"body_{side}"]]
    return b["vel"] + np.cross(b["omega"], rotate(b["quat"], world.joints[joint][f"anchor_{side}"]))


def arm(world):
    """Three links from the world on a hinge, a ball joint and a slide, in fast motion; their joints."""
    links = [world.add_body(Capsule(0.02, 0.2), pos=(0.3 + 0.6 * k, 0, 0), quat=(math.sqrt(0.5), 0, math.sqrt(0.5), 0))
             for k in range(3)]
    spin = np.array([0.0, 0.0, 20.0])
    for link in links:
        world.set_velocity(link, np.cross(spin, world.bodies["pos"][link]), spin)
    return [world.add_joint("revolute", 0, links[0], anchor=(0, 0, 0), axis=(0, 0, 1)),
            world.add_joint("spherical", links[1], links[0], anchor=(0.6, 0, 0)),
            world.add_joint("prismatic", links[1], links[2], anchor=(1.2, 0, 0), axis=(1, 0, 0))]


def laid(world, before, dt):
    """The ways of all mechanisms and the row of each body."""
    tied = world.layout.joints.body_group
    found = np.zeros(int((tied >= 0).sum()), mechanism_paths.PATH)
    mechanism_paths.build_paths(before, world.bodies, world.joints, tied, np.ones(len(world.bodies), np.int64), dt, found)
    slot = np.full(len(world.bodies), -1)
    slot[found["body"]] = np.arange(len(found))
    return found, slot


def moved(world, dt):
    """Where the bodies stood before a step that is taken here, as `hold_back` gets it."""
    before = np.empty((len(world.bodies), measure.MOTION))
    measure.copy_motion(world.bodies, before)
    step(world, dt)
    return before


def test_paths_connect_poses_and_keep_joints_closed():
    world, dt = empty(), 1.0 / 60.0
    joints = arm(world)
    before = moved(world, dt)
    found, slot = laid(world, before, dt)
    poses = np.empty((11, len(found), 7))
    mechanism_paths.follow(before, world.bodies, found, slot, poses)
    behind = np.column_stack([world.bodies["pos"], world.bodies["quat"]])[found["body"]]
    assert poses[0] == pytest.approx(before[found["body"], :7], abs=1e-12)
    assert poses[-1] == pytest.approx(behind, abs=1e-12)
    for pose in poses:
        world.bodies["pos"][found["body"]], world.bodies["quat"][found["body"]] = pose[:, :3], pose[:, 3:]
        assert max(gap_of(world, joints[0]), gap_of(world, joints[1])) < 1e-7
        slide = world.bodies[world.joints[joints[2]]["body_a"]], world.bodies[world.joints[joints[2]]["body_b"]]
        along = rotate(slide[0]["quat"], np.array([0.0, 0.0, 1.0]))
        assert np.linalg.norm(np.cross(slide[1]["pos"] - slide[0]["pos"], along)) < 1e-7


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_retreated_bodies_keep_joint_motion_and_gain_no_energy(part):
    world, dt = empty((0.0, -9.81, 0.0)), 1.0 / 60.0
    joints = arm(world)
    before = moved(world, dt)
    found, _ = laid(world, before, dt)
    first = world.bodies["omega"][found["body"][0]].copy()
    off = [point_velocity(world, j, "b") - point_velocity(world, j, "a") for j in joints[:2]]
    most = energy(world)
    parts = np.ones(len(world.bodies))
    parts[world.layout.joints.body_group[found["body"][0]]] = part
    tunnelling_guard.put_mechanisms_back(world.bodies, world.gravity, world.layout.joints.body_group, found, parts)
    assert energy(world) <= most * (1.0 + 1e-12)
    assert max(gap_of(world, j) for j in joints[:2]) < 1e-7
    for j, before_it in zip(joints, off):
        now = point_velocity(world, j, "b") - point_velocity(world, j, "a")
        assert np.linalg.norm(now) <= np.linalg.norm(before_it) * (1.0 + 1e-9) + 1e-12
    slide = world.joints[joints[2]]
    assert world.bodies["omega"][slide["body_a"]] == pytest.approx(world.bodies["omega"][slide["body_b"]], abs=1e-6)
    share = world.bodies["omega"][found["body"][0]][2] / first[2]
    assert 0.9 < share <= 1.0 + 1e-12


def test_slow_mechanisms_have_no_extra_cost(monkeypatch):
    def never(*_):
        raise AssertionError("a slow mechanism was looked at")

    monkeypatch.setattr(tunnelling_guard, "build_paths", never)
    world = empty((0.0, 0.0, -9.81))
    ball = world.add_body(Sphere(0.05), pos=(1, 0, 0))
    world.add_joint("revolute", 0, ball, anchor=(0, 0, 0), axis=(0, 1, 0))
    world.add_body(Box((0.005, 1, 1)), kind="static", pos=(-0.3, 0, 0))
    for _ in range(120):
        step(world, 1 / 240)
