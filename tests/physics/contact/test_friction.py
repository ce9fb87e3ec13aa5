"""Contact friction against closed forms: slip angle, stopping distance, maximal dissipation on the polygon."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from physics import Box, Capsule, Plane, Sphere, World, set_option, step
from physics.contact import friction_cone
from physics.core.records import Case
from tests.tools.each_value import each_value

G = 9.81
CIRCLE = 0
FACETS = (3, 4, 5, 8, 16, 64, CIRCLE)
NOT_TURNING = (1e6, 1e6, 1e6)      # moments of inertia of a ball that can only slide [kg m^2]


def new_world(facets: int, gravity=(0.0, 0.0, -G)) -> World:
    """A world without a wall clock, so that every run gives the same numbers."""
    world = World(gravity=gravity)
    options = world.solver.options
    set_option(options, "cone", "polygon" if facets else "circle")
    if facets:
        set_option(options, "facets", facets)
    set_option(options, "budget", 0.0)
    set_option(options, "tolerance", 1e-12)
    set_option(options, "iterations", 500)
    return world


def add_slider(world: World, kind: str, mu: float, **more) -> int:
    """A body that slides on z = 0: "box" on four points, "capsule" on two, "ball" (that cannot turn) on one."""
    if kind == "box":
        return world.add_body(Box((0.2, 0.15, 0.1)), pos=(0.0, 0.0, 0.1), friction=mu, **more)
    if kind == "capsule":
        # long and thin, so that friction cannot tip it; turning about its own axis is as hard as for NOT_TURNING
        return world.add_body(Capsule(0.05, 0.3), pos=(0.0, 0.0, 0.05), quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0),
                              mass=1.0, inertia=NOT_TURNING, friction=mu, **more)
    return world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=1.0, inertia=NOT_TURNING, friction=mu, **more)


def slips_by_gravity(theta: float, azimuth: float, mu: float, kind: str, facets: int = CIRCLE) -> bool:
    """Level ground, tilted gravity: the same as an incline, in any direction."""
    down = np.array([math.cos(azimuth), math.sin(azimuth), 0.0])
    world = new_world(facets, gravity=G * (math.sin(theta) * down - math.cos(theta) * np.array([0.0, 0.0, 1.0])))
    world.add_body(Plane(), kind="static", friction=mu)
    body = add_slider(world, kind, mu)
    for _ in range(60):
        step(world, 1.0 / 240.0)
    return bool(np.linalg.norm(world.bodies["vel"][body]) > 1e-4)


def slips_on_ramp(theta: float, azimuth: float, mu: float, support: str) -> bool:
    """A box on a ramp that is really tilted, about a level axis of any direction."""
    axis = np.array([-math.sin(azimuth), math.cos(azimuth), 0.0])
    quat = (math.cos(0.5 * theta), *(math.sin(0.5 * theta) * axis))
    up = np.array([math.sin(theta) * math.cos(azimuth), math.sin(theta) * math.sin(azimuth), math.cos(theta)])
    world = new_world(CIRCLE)
    if support == "plane":
        world.add_body(Plane(), kind="static", quat=quat, friction=mu)
    else:
        world.add_body(Box((2.0, 2.0, 0.5)), kind="static", pos=-0.5 * up, quat=quat, friction=mu)
    body = world.add_body(Box((0.2, 0.15, 0.1)), pos=0.1 * up, quat=quat, friction=mu)
    for _ in range(60):
        step(world, 1.0 / 240.0)
    return bool(np.linalg.norm(world.bodies["vel"][body]) > 1e-4)


def critical_angle(slips) -> float:
    """By bisection, to 1e-5 rad."""
    lo, hi = 0.0, 1.3
    while hi - lo > 1e-5:
        middle = 0.5 * (lo + hi)
        lo, hi = (lo, middle) if slips(middle) else (middle, hi)
    return 0.5 * (lo + hi)


@each_value()
@pytest.mark.parametrize("kind", ["box", "capsule", "ball"])
@pytest.mark.parametrize(("mu", "azimuth"), [(0.2, 0.0), (0.5, 0.4), (0.9, 2.2)])
def test_slips_if_and_only_if_tan_theta_exceeds_mu(kind, mu, azimuth):
    found = critical_angle(lambda theta: slips_by_gravity(theta, azimuth, mu, kind))
    assert math.tan(found) == pytest.approx(mu, rel=1e-3)


@pytest.mark.parametrize("support", ["plane", "box"])
@pytest.mark.parametrize(("mu", "azimuth"), [(0.3, 0.0), (0.6, 1.0)])
def test_a_box_on_a_tilted_ramp_slips_at_the_same_angle(support, mu, azimuth):
    found = critical_angle(lambda theta: slips_on_ramp(theta, azimuth, mu, support))
    assert math.tan(found) == pytest.approx(mu, rel=1e-3)


def polygon_radius(facets: int, from_vertex: float) -> float:
    """Distance from the centre to the edge of the regular polygon with vertices at distance 1, by angle from a vertex."""
    sector = math.pi / facets
    offset = (from_vertex % (2.0 * sector)) - sector
    return math.cos(sector) / math.cos(offset)


@pytest.mark.parametrize("facets", [3, 4, 8])
@pytest.mark.parametrize("azimuth", [0.0, 0.3, 1.9])
def test_the_slip_angle_on_a_polygon_follows_its_radius(facets, azimuth):
    mu = 0.5
    world = new_world(facets)
    world.add_body(Plane(), kind="static", friction=mu)
    body = add_slider(world, "ball", mu)
    step(world, 1.0 / 240.0)
    contact = world.contacts[0]
    tangent = contact["tangent"]
    # the friction that holds the body points uphill; on body a it is the opposite of the impulse listed (that on b)
    uphill = azimuth + math.pi + (0.0 if contact["body_b"] == body else math.pi)
    from_vertex = (uphill - math.atan2(tangent[1], tangent[0])) * (1.0 if contact["normal"][2] > 0.0 else -1.0)
    found = critical_angle(lambda theta: slips_by_gravity(theta, azimuth, mu, "ball", facets))
    assert math.tan(found) == pytest.approx(mu * polygon_radius(facets, from_vertex), rel=1e-3)


def slide(kind: str, speed: float, azimuth: float, mu: float, dt: float, facets: int) -> np.ndarray:
    """Displacement of a body thrown along level ground, at rest."""
    world = new_world(facets)
    world.add_body(Plane(), kind="static", friction=mu)
    body = add_slider(world, kind, mu, vel=(speed * math.cos(azimuth), speed * math.sin(azimuth), 0.0))
    start = world.bodies["pos"][body].copy()
    for _ in range(math.ceil(1.2 * speed / (mu * G) / dt)):
        step(world, dt)
    # a ball that hardly turns rolls on with m r^2 / I of its speed, 4e-8 here
    assert np.linalg.norm(world.bodies["vel"][body]) < 1e-6, "it never stopped"
    return world.bodies["pos"][body] - start


@each_value()
@pytest.mark.parametrize("dt", [1 / 60, 1 / 120, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("facets", [CIRCLE, 64])
@pytest.mark.parametrize("azimuth", [0.0, 0.7, 2.5, 4.0])
def test_stopping_distance_is_v2_over_2_mu_g(dt, facets, azimuth):
    speed, mu = 6.0, 0.3
    moved = slide("box", speed, azimuth, mu, dt, facets)
    assert np.linalg.norm(moved) == pytest.approx(speed**2 / (2.0 * mu * G), rel=0.01)
    aside = (math.atan2(moved[1], moved[0]) - azimuth + math.pi) % (2.0 * math.pi) - math.pi
    assert abs(aside) < (1e-3 if facets == CIRCLE else math.pi / 64)
    assert abs(moved[2]) < 2e-4        # the slop that contacts may sink


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
@pytest.mark.parametrize("kind", ["box", "capsule", "ball"])
def test_stopping_distance_is_v2_over_2_mu_g_at_any_step_size(kind, dt):
    """Velocities belong to the middle of a step, so only the last, broken step can be wrong: by mu g dt^2 / 8 at most."""
    speed, mu = 4.0, 0.4
    moved = slide(kind, speed, 0.0, mu, dt, CIRCLE)
    assert np.linalg.norm(moved) == pytest.approx(speed**2 / (2.0 * mu * G), rel=1e-6, abs=mu * G * dt**2 / 8.0)


@pytest.mark.parametrize("kind", ["box", "capsule", "ball"])
def test_kinetic_friction_does_not_depend_on_the_number_of_contacts(kind):
    mu, dt, steps = 0.35, 1.0 / 240.0, 48
    world = new_world(CIRCLE)
    world.add_body(Plane(), kind="static", friction=mu)
    body = add_slider(world, kind, mu, vel=(3.0, 1.0, 0.0))
    for _ in range(steps):
        step(world, dt)
    assert len(world.contacts) == {"box": 4, "capsule": 2, "ball": 1}[kind]
    lost = math.hypot(3.0, 1.0) - np.linalg.norm(world.bodies["vel"][body])
    # the velocity is that of the middle of the last step
    assert lost == pytest.approx(mu * G * dt * (steps - 0.5), rel=1e-6)


@pytest.mark.parametrize("tiles", [1, 2, 4])
def test_kinetic_friction_does_not_depend_on_how_many_bodies_carry_it(tiles):
    """The same box on one, two and four tiles of the same floor: 4, 8, 16 contacts."""
    mu, dt, steps = 0.35, 1.0 / 240.0, 24
    world = new_world(CIRCLE)
    xs, ys = {1: ((0.0,), (0.0,)), 2: ((-2.0, 2.0), (0.0,)), 4: ((-2.0, 2.0), (-2.0, 2.0))}[tiles]
    for x in xs:
        for y in ys:
            half = (2.0 if len(xs) > 1 else 4.0, 2.0 if len(ys) > 1 else 4.0, 0.5)
            world.add_body(Box(half), kind="static", pos=(x, y, -0.5), friction=mu)
    body = world.add_body(Box((0.5, 0.5, 0.1)), pos=(0.0, 0.0, 0.1), vel=(1.5, 0.5, 0.0), friction=mu)
    for _ in range(steps):
        step(world, dt)
    assert len(world.contacts) == 4 * tiles
    lost = math.hypot(1.5, 0.5) - np.linalg.norm(world.bodies["vel"][body])
    assert lost == pytest.approx(mu * G * dt * (steps - 0.5), rel=1e-4)


def vertices(contact: np.ndarray, facets: int) -> np.ndarray:
    """Corners of the section of the friction cone at the contact's normal impulse, shape (k, 3) [N s]."""
    t1 = contact["tangent"]
    t2 = np.cross(contact["normal"], t1)
    angle = 2.0 * np.pi * np.arange(facets) / facets
    return contact["friction"] * contact["impulse"] * (np.outer(np.cos(angle), t1) + np.outer(np.sin(angle), t2))


@each_value()
@pytest.mark.parametrize("facets", FACETS)
@pytest.mark.parametrize("kind", ["ball", "box"])
def test_sliding_friction_dissipates_as_much_as_the_polygon_allows(facets, kind):
    """For 24 directions: -p.w is the largest over the k-gon; p deviates from -w by at most pi/k and loses 1 - cos(pi/k)."""
    mu = 0.5
    turns = np.linspace(0.0, 2.0 * np.pi, 20, endpoint=False) + 0.01
    # exactly along a tangent, too: there a vertex of the polygon is hit to the last bit
    for c, s in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), *zip(np.cos(turns), np.sin(turns))):
        world = new_world(facets)
        world.add_body(Plane(), kind="static", friction=mu)
        add_slider(world, kind, mu, vel=(2.0 * c, 2.0 * s, 0.0))
        step(world, 1.0 / 240.0)
        assert len(world.contacts) == (1 if kind == "ball" else 4)
        for contact in world.contacts:
            p, w = contact["friction_impulse"], contact["slip"]
            size, speed = mu * contact["impulse"], np.linalg.norm(w)
            assert contact["case"] == Case.SLIP and contact["impulse"] > 0.0 and speed > 1.0
            power = -p @ w
            if facets == CIRCLE:
                assert power == pytest.approx(size * speed, rel=1e-9)
                continue
            assert power == pytest.approx(np.max(-vertices(contact, facets) @ w), rel=1e-9)
            assert power >= math.cos(math.pi / facets) * size * speed * (1.0 - 1e-9)
            turned = math.acos(min(1.0, power / (np.linalg.norm(p) * speed)))
            assert turned <= math.pi / facets + 1e-6


@pytest.mark.parametrize("facets", FACETS)
def test_friction_never_leaves_its_cone_while_a_box_tumbles(facets):
    """In steps with an impact the round one: that of a single contact follows its path."""
    mu = 0.6
    world = new_world(facets)
    world.add_body(Plane(), kind="static", friction=mu)
    world.add_body(Box((0.3, 0.2, 0.1)), pos=(0.0, 0.0, 0.5), vel=(3.0, 1.0, 0.0), omega=(2.0, 5.0, 1.0), friction=mu)
    seen, on_facets = 0, 0
    for _ in range(240):
        impacts = step(world, 1.0 / 240.0).impacts
        for contact in world.contacts:
            p, limit = contact["friction_impulse"], mu * contact["impulse"]
            seen += contact["impulse"] > 0.0
            assert contact["impulse"] >= 0.0
            assert np.linalg.norm(p) <= limit + 1e-9
            assert abs(p @ contact["normal"]) <= 1e-9 + 1e-9 * limit
            if facets and not impacts:
                on_facets += contact["impulse"] > 0.0
                corners = vertices(contact, facets)
                outward = corners + np.roll(corners, -1, axis=0)
                if limit > 1e-12:
                    outward /= np.linalg.norm(outward, axis=1)[:, None]
                    assert np.max(outward @ p) <= limit * math.cos(math.pi / facets) + 1e-9
    assert seen > 50 and (not facets or on_facets > 0.9 * seen)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.sampled_from(FACETS), st.floats(0.01, 10.0), st.floats(-30.0, 30.0), st.floats(-30.0, 30.0))
def test_project_finds_the_nearest_point_of_the_section(facets, radius, x, y):
    section = friction_cone.polygon(facets)
    got = np.array(friction_cone.project(section, radius, x, y))
    point = np.array([x, y])
    if facets == CIRCLE:
        size = np.linalg.norm(point)
        expected = point if size <= radius else point * radius / size
    else:
        angle = 2.0 * np.pi * np.arange(facets) / facets
        corners = radius * np.column_stack([np.cos(angle), np.sin(angle)])
        ahead = np.roll(corners, -1, axis=0) - corners
        across = ahead[:, 0] * (y - corners[:, 1]) - ahead[:, 1] * (x - corners[:, 0])
        share = np.clip(np.sum((point - corners) * ahead, axis=1) / np.sum(ahead**2, axis=1), 0.0, 1.0)
        nearest = corners + share[:, None] * ahead
        best = nearest[np.argmin(np.linalg.norm(nearest - point, axis=1))]
        expected = point if np.all(across >= 0.0) else best
    assert np.linalg.norm(got - expected) <= 1e-9 * (radius + np.linalg.norm(point))


def test_mixing_takes_the_geometric_mean():
    world = new_world(CIRCLE)
    world.add_body(Plane(), kind="static", friction=0.9)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), friction=0.4)
    step(world, 0.01)
    assert world.contacts["friction"][0] == pytest.approx(0.6, rel=1e-12)


def test_without_friction_nothing_slows_down():
    world = new_world(CIRCLE)
    world.add_body(Plane(), kind="static", friction=1.0)
    body = world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), vel=(2.0, 0.0, 0.0), friction=0.0)
    for _ in range(480):
        step(world, 1.0 / 240.0)
    assert world.bodies["vel"][body, 0] == pytest.approx(2.0, rel=1e-12)


def test_a_rolling_ball_ends_with_five_sevenths_of_its_speed():
    """A sliding ball starts to roll: v = 5/7 v0 whatever mu, and from then on friction takes nothing."""
    world = new_world(CIRCLE)
    world.add_body(Plane(), kind="static", friction=0.3)
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), vel=(3.0, 0.0, 0.0), friction=0.3)
    for _ in range(480):
        step(world, 1.0 / 240.0)
    assert world.bodies["vel"][ball, 0] == pytest.approx(5.0 / 7.0 * 3.0, rel=1e-6)
    assert world.bodies["omega"][ball, 1] == pytest.approx(world.bodies["vel"][ball, 0] / 0.1, rel=1e-9)
