"""Exact solver against closed forms: load sharing, circular friction, impacts, energy of rebounds."""

import math
import warnings
from functools import partial

import numpy as np
import pytest

from physics import Box, Capsule, Cylinder, Motor, Plane, Sphere, World, step
from physics.core.records import Case
from physics.dynamics import measure
from tests.helpers import world_under
from tests.tools.each_value import each_value

G = 9.81
exact_world = partial(world_under, "stewart_trinkle")


def energy(world: World) -> float:
    """Kinetic and potential, exact in a fall [J]."""
    kinetic, potential = measure.energy(world.bodies, world.gravity)
    b = world.bodies[world.bodies["inv_mass"] > 0.0]
    return kinetic + potential + float(0.5 * b["mass"] @ b["velocity_lag"] ** 2 * (world.gravity @ world.gravity))


# ---- of many solutions the one with the least impulses


@pytest.mark.parametrize(("half", "mass", "dt", "force"), [
    ((0.5, 0.3, 0.1), 2.0, 1 / 240, 5.0), ((0.05, 0.2, 0.02), 0.1, 1 / 60, 0.3), ((2.0, 1.0, 0.5), 500.0, 1 / 1000, 900.0)])
def test_four_corners_share_a_load_as_the_least_norm_does(half: tuple, mass: float, dt: float, force: float) -> None:
    """N_i = (W + F (1 + x / x_i + y / y_i)) / 4: linear in the corners, the only such with the force and both moments."""
    world = exact_world()
    world.add_body(Plane(), kind="static", friction=0.5)
    box = world.add_body(Box(half), pos=(0.0, 0.0, half[2]), mass=mass, friction=0.5)
    x, y = 0.3 * half[0], -0.2 * half[1]
    for _ in range(3):
        world.apply_force(box, (0.0, 0.0, -force), world.bodies["pos"][box] + (x, y, 0.0))
        report = step(world, dt)
    contacts = world.contacts[world.contacts["impulse"] > 0.0]
    assert len(contacts) == 4 and report.residual < 1e-11
    for c in contacts:
        sx, sy = np.sign(c["pos"][0]), np.sign(c["pos"][1])
        expected = 0.25 * (mass * G + force * (1.0 + sx * x / half[0] + sy * y / half[1]))
        assert c["impulse"] / dt == pytest.approx(expected, rel=2e-4)       # but for eps


@pytest.mark.parametrize(("mass", "force", "dt"), [(1.0, 20.0, 1 / 240), (1.0, 12.0, 1 / 60), (0.05, 1.0, 1 / 1000)])
def test_a_box_does_not_turn_in_a_gripper_and_all_corners_of_its_pads_carry(mass: float, force: float, dt: float) -> None:
    """Two pads with mu = 0.5 carry 2 mu F: more than the weight."""
    world = exact_world()
    hand = world.add_body(Box((0.2, 0.05, 0.02)), pos=(0.0, 0.0, 0.3), kind="static")
    for k in (-1, 1):
        pad = world.add_body(Box((0.01, 0.03, 0.08)), pos=(0.061 * k, 0.0, 0.18), mass=0.2 * mass)
        world.add_joint("prismatic", hand, pad, anchor=(0.061 * k, 0.0, 0.28), axis=(-k, 0.0, 0.0),
                        motor=Motor("velocity", 0.2, force))
    box = world.add_body(Box((0.05, 0.03, 0.04)), pos=(0.0, 0.0, 0.15), mass=mass)
    turned, sank = 0.0, []
    for _ in range(round(0.5 / dt)):
        report = step(world, dt)
        turned = max(turned, float(np.abs(world.bodies["omega"][box]).max()))
        sank.append(0.15 - world.bodies["pos"][box, 2])
    pressed = world.contacts[world.contacts["impulse"] > 0.0]
    assert len(pressed) == 8 and pressed["impulse"] / dt == pytest.approx(0.25 * force, rel=1e-3)
    assert turned < 1e-3 and sank[-1] - sank[len(sank) // 2] < 1e-6 and report.residual < 1e-11


def test_both_ends_of_a_line_contact_carry_though_rounding_opens_one() -> None:
    """A self-locking cam holds a plate that is pulled in its plane of symmetry: a point with a gap of 5e-17 m carries, too."""
    world, mu, radius, dt = exact_world(), 0.5, 0.1, 1 / 2000
    world.add_body(Plane(), kind="static", friction=0.0)
    plate = world.add_body(Box((2.0, 0.2, 0.02)), pos=(0.0, 0.0, 0.02), mass=1.0, friction=mu)
    cam = world.add_body(Cylinder(radius, 0.05), pos=(0.0, 0.0, 0.04 + radius), quat=(0.5**0.5, 0.5**0.5, 0.0, 0.0), mass=0.5,
                         friction=mu)
    world.add_joint("revolute", 0, cam, anchor=(0.95 * mu * 1.2 * radius, 0.0, 0.04 + 1.2 * radius), axis=(0.0, 1.0, 0.0))
    for _ in range(600):
        world.apply_force(plate, (50.0 * min(1.0, world.time / 0.2), 0.0, 0.0))
        step(world, dt)
    carried = world.contacts["impulse"][(world.contacts["body_a"] == cam) | (world.contacts["body_b"] == cam)] / dt
    assert carried == pytest.approx(2 * [carried.mean()], rel=1e-3) and carried.mean() > 50.0
    assert np.abs(world.bodies["omega"][plate]).max() < 1e-6 and abs(world.bodies["pos"][plate, 0]) < 1e-3


# ---- round cones


@pytest.mark.parametrize("facets", [4, 8])
@pytest.mark.parametrize(("angle", "dt"), [(22.5, 1 / 60), (10.0, 1 / 240), (77.0, 1 / 1000)])
def test_round_friction_stops_a_block_straight_and_in_time(facets: int, angle: float, dt: float) -> None:
    """v^2 / (2 mu g) in the direction of the throw, whatever that is; the polygon turns it aside."""
    world = exact_world(cone="circle", facets=facets)
    world.add_body(Plane(), kind="static", friction=0.5)
    a, speed = math.radians(angle), 1.5
    block = world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), vel=(speed * math.cos(a), speed * math.sin(a), 0.0),
                           inertia=(1e4, 1e4, 1e4), friction=0.5)
    for _ in range(math.ceil(speed / (0.5 * G) / dt) + 2):
        report = step(world, dt)
        assert report.residual < 1e-12 and report.end == "converged"
    x, y = world.bodies["pos"][block, :2]
    assert math.degrees(math.atan2(y, x)) == pytest.approx(angle, abs=1e-6)
    assert math.hypot(x, y) == pytest.approx(speed * speed / G, abs=2.0 * 0.5 * G * dt * dt)
    assert not np.abs(world.bodies["vel"][block]).max() > 1e-12


@pytest.mark.parametrize("angle", [0.0, 22.5, 40.0])
def test_round_friction_holds_up_to_mu_in_all_directions(angle: float) -> None:
    a = math.radians(angle)
    for share in (0.999, 1.001):
        world = exact_world(cone="circle")
        world.add_body(Plane(), kind="static", friction=0.5)
        block = world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), mass=2.0, friction=0.5)
        for _ in range(60):
            push = share * 0.5 * 2.0 * G
            world.apply_force(block, (push * math.cos(a), push * math.sin(a), 0.0), world.bodies["pos"][block] - (0.0, 0.0, 0.05))
            step(world, 1 / 240)
        way = np.linalg.norm(world.bodies["pos"][block, :2])
        assert way < 1e-9 if share < 1.0 else way == pytest.approx(0.5 * 0.001 * 0.5 * G * 0.25**2, rel=0.05)


def test_a_spinning_ring_of_contacts_settles_against_every_slip() -> None:
    """Four corners of a plate that slides and spins: each slips its own way, and friction is mu N against each."""
    world = exact_world(cone="circle")
    world.add_body(Plane(), kind="static", friction=0.4)
    world.add_body(Box((0.3, 0.2, 0.02)), pos=(0.0, 0.0, 0.02), vel=(0.7, 0.3, 0.0), omega=(0.0, 0.0, 4.0), friction=0.4)
    for _ in range(20):
        report = step(world, 1 / 240)
        assert report.residual < 1e-10
        for c in world.contacts[(world.contacts["impulse"] > 0.0) & (world.contacts["case"] == Case.SLIP)]:
            along = c["friction_impulse"] / np.linalg.norm(c["friction_impulse"])
            assert np.linalg.norm(c["friction_impulse"]) == pytest.approx(0.4 * c["impulse"], rel=1e-9)
            assert along == pytest.approx(-c["slip"] / np.linalg.norm(c["slip"]), abs=1e-6)


# ---- impacts


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
@pytest.mark.parametrize(("radius", "mass", "mu"), [(0.0286, 0.17, 0.06), (0.1, 3.0, 0.02)])
def test_a_released_ball_keeps_its_velocity_of_the_impact(dt: float, radius: float, mass: float, mu: float) -> None:
    """Alciatore: v_n = v cos a (1 + e) / 2, v_t = mu v_n while it slips; angular momentum about the origin is
    kept."""
    world, a, e, speed = exact_world((0.0, 0.0, 0.0)), math.radians(30.0), 0.95, 2.0
    n = np.array((math.cos(a), math.sin(a), 0.0))
    world.add_body(Sphere(radius), pos=-2.0 * radius * n - (7.0 * radius, 0.0, 0.0), vel=(speed, 0.0, 0.0), mass=mass,
                   friction=mu, restitution=e)
    other = world.add_body(Sphere(radius), mass=mass, friction=mu, restitution=e)
    before = measure.momentum(world.bodies)[1][2]
    for _ in range(round(12.0 * radius / speed / dt) + 2):
        step(world, dt)
    v = world.bodies["vel"][other]
    pushed = 0.5 * (1.0 + e) * speed * math.cos(a)
    assert math.hypot(v[0], v[1]) == pytest.approx(pushed * math.hypot(1.0, mu), rel=1e-9)
    assert math.degrees(math.atan2(v[1], v[0])) == pytest.approx(30.0 - math.degrees(math.atan(mu)), abs=1e-6)
    assert measure.momentum(world.bodies)[1][2] == pytest.approx(before, rel=1e-12)


@each_value()
@pytest.mark.parametrize("law", ["Newton", "Poisson"])
@pytest.mark.parametrize("seed", range(12))
def test_no_rebound_with_friction_gains_energy(law: str, seed: int) -> None:
    """Kane and Levinson's paradox, by chance: odd bodies that strike a rough floor any way; without the limit Newton's law gains
    up to several times what came in."""
    rng = np.random.default_rng(1000 + seed)
    mu, e = rng.uniform(0.2, 1.5), float(rng.choice([0.6, 0.9, 1.0]))
    world = exact_world((0.0, 0.0, -G * (seed % 2)), impact_law=law)
    world.add_body(Plane(), kind="static", friction=mu, restitution=e)
    quat = rng.normal(size=4)
    shape = (Box((0.25, 0.1, 0.05)), Capsule(0.03, 0.3), Cylinder(0.18, 0.22))[seed % 3]
    world.add_body(shape, pos=(0.0, 0.0, 0.5), quat=tuple(quat / np.linalg.norm(quat)), mass=1.0, friction=mu, restitution=e,
                   vel=tuple(rng.normal(size=3) * 2.0 + (0.0, 0.0, -3.0)), omega=tuple(6.0 * rng.normal(size=3)))
    before = energy(world)
    for _ in range(100):
        step(world, 1 / 240)
        now = energy(world)
        assert now <= before * (1.0 + 6e-3) + 1e-3
        before = now


@pytest.mark.parametrize("law", ["Newton", "Poisson"])
def test_a_threshold_of_zero_does_not_divide_by_zero(law: str) -> None:
    world = exact_world((0.0, 0.0, 0.0), impact_law=law, restitution_threshold=0.0)
    for i in range(3):
        world.add_body(Sphere(0.05), pos=(0.1 * i, 0.0, 0.0), vel=(1.0 if i == 0 else 0.0, 0.0, 0.0), mass=1.0, friction=0.0,
                       restitution=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step(world, 1e-3)
    assert world.bodies["vel"][1:, 0] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-12)


@pytest.mark.parametrize(("speed", "case"), [(1.0, Case.SLIP), (0.0, Case.STICK)])
def test_a_contact_without_friction_that_presses_is_not_open(speed: float, case: Case) -> None:
    world = exact_world()
    world.add_body(Plane(), kind="static", friction=0.0)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), vel=(speed, 0.0, 0.0), friction=0.0)
    step(world, 1e-3)
    assert world.contacts["impulse"][0] > 0.0 and world.contacts["case"][0] == case


# ---- backward Euler (T08)


def swung(h: float, **options: object) -> tuple[np.ndarray, np.ndarray]:
    """(x, v) of an oscillator of 9 N/m and 1 kg, released 0.5 m aside, after a second: computed, and by backward Euler."""
    world = exact_world((0.0, 0.0, 0.0), positions="backward Euler (T08)", **options)
    ball = world.add_body(Sphere(0.1), mass=1.0)
    world.add_joint("spring", 0, ball, anchor=(-1.0, 0.0, 0.0), anchor_b=(0.0, 0.0, 0.0), stiffness=9.0, length=0.5)
    state = np.array([0.5, 0.0])
    for _ in range(round(1.0 / h)):
        step(world, h)
        state = np.array([state[0] + h * state[1], state[1] - 9.0 * h * state[0]]) / (1.0 + 9.0 * h * h)
    return np.array([world.bodies["pos"][ball, 0] + 0.5, world.bodies["vel"][ball, 0]]), state


def test_backward_euler_takes_springs_at_the_end_of_the_step_and_is_of_first_order() -> None:
    """y1 = y0 + h f(y1) in closed form; against cos(3 t) the error halves with the step."""
    errors = []
    for h in (0.02, 0.01, 0.005):
        found, expected = swung(h)
        assert found == pytest.approx(expected, abs=1e-12)
        errors.append(abs(found[0] - 0.5 * math.cos(3.0)))
    assert np.array(errors[:-1]) / errors[1:] == pytest.approx(2.0, abs=0.1)


def test_backward_euler_takes_the_directions_of_joints_at_the_end_of_the_step() -> None:
    """A rod pulls along where it will be: x1 = c / |c|, c = x0 + h v0 + h^2 g."""
    h, world = 0.02, exact_world(positions="backward Euler (T08)", tolerance=1e-13)
    ball = world.add_body(Sphere(0.01), pos=(1.0, 0.0, 0.0), mass=1.0)
    world.add_joint("rod", 0, ball, anchor=(0.0, 0.0, 0.0), anchor_b=(1.0, 0.0, 0.0))
    x, v = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    for _ in range(30):
        step(world, h)
        end = x + h * v + h * h * world.gravity
        end /= np.linalg.norm(end)
        x, v = end, (end - x) / h
    assert world.bodies["pos"][ball] == pytest.approx(x, abs=1e-9) and world.bodies["vel"][ball] == pytest.approx(v, abs=1e-8)
