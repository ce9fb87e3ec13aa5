"""Static and kinetic friction, belts and friction ellipses against closed forms and scipy's optimiser.

Velocities are those of the middle of a step: closed forms are taken half a step earlier.
"""

import math

import numpy as np
import pytest
from scipy import optimize

from physics import Box, Material, Plane, Sphere, World, set_option, step
from physics.core.records import Case

G = 9.81
DT = 1.0 / 240.0


def new_world(**more) -> World:
    world = World(**more)
    for name, value in (("budget", 0.0), ("cone", "circle"), ("iterations", 1000), ("substeps", 1)):
        set_option(world.solver.options, name, value)
    return world


def run(world: World, seconds: float, dt: float = DT) -> None:
    for _ in range(round(seconds / dt)):
        step(world, dt)


def tilted(angle: float) -> tuple[float, float, float]:
    """Gravity on level ground as on a slope of that angle: the downhill direction is +x."""
    return (G * math.sin(angle), 0.0, -G * math.cos(angle))


def on_ground(world: World, material: Material, **more) -> int:
    world.add_body(Plane(), kind="static", material=material)
    return world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), material=material, **more)


ROUGH = Material(friction=0.5, kinetic_friction=0.3)


@pytest.mark.parametrize("ratio", [0.7, 0.98])
def test_a_box_holds_below_the_static_angle(ratio):
    world = new_world(gravity=tilted(math.atan(ratio * 0.5)))
    box = on_ground(world, ROUGH)
    run(world, 3.0)
    assert abs(world.bodies["pos"][box, 0]) < 1e-7
    assert set(world.contacts["case"]) == {Case.STICK} and set(world.contacts["friction"]) == {0.5}


def test_above_the_static_angle_it_slides_with_kinetic_friction():
    angle = math.atan(1.02 * 0.5)
    world = new_world(gravity=tilted(angle))
    box = on_ground(world, ROUGH)
    run(world, 0.5)
    v = world.bodies["vel"][box, 0]
    run(world, 1.0)
    assert world.bodies["vel"][box, 0] - v == pytest.approx(G * (math.sin(angle) - 0.3 * math.cos(angle)), rel=1e-9)
    assert set(world.contacts["friction"]) == {0.3}


def test_between_the_angles_it_slides_on_until_it_is_stopped_and_then_holds():
    """mu_k < tan < mu_s: pushed it speeds up, at rest it stays: both are states of the same slope."""
    angle = math.atan(0.4)
    slope = G * (math.sin(angle) - 0.3 * math.cos(angle))
    world = new_world(gravity=tilted(angle))
    box = on_ground(world, ROUGH, vel=(0.01, 0.0, 0.0))
    run(world, 1.0)
    assert world.bodies["vel"][box, 0] == pytest.approx(0.01 + slope * (1.0 - 0.5 * DT), rel=1e-9)
    world.set_velocity(box, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    step(world, DT)
    x = world.bodies["pos"][box, 0]
    run(world, 2.0)
    assert world.bodies["pos"][box, 0] == pytest.approx(x, abs=1e-7)


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_a_sliding_box_stops_by_kinetic_friction_alone_and_without_chatter(dt):
    """v^2 / (2 mu_k g), half a step of lag at either end; friction never jumps back to mu_s on the way."""
    world = new_world()
    box = on_ground(world, ROUGH, vel=(2.0, 0.0, 0.0))
    seen = []
    while world.time < 1.0:
        step(world, dt)
        seen.append(float(world.contacts["friction"][0]))
    assert world.bodies["pos"][box, 0] == pytest.approx(4.0 / (2.0 * 0.3 * G), abs=1.1 * dt)
    assert np.count_nonzero(np.diff(seen)) == 1 and seen[-1] == 0.5 and seen[0] == 0.3


def test_stick_and_slip_on_a_belt_is_the_sawtooth_of_theory():
    """A spring holds a box on a slow belt: it is dragged until k x = mu_s m g, then springs back under mu_k.

    In the slip from rest with belt speed V: x swings about mu_k m g / k with amplitude sqrt(a^2 + (V/w)^2),
    a = (mu_s - mu_k) m g / k, w^2 = k / m, until it moves with the belt again.
    """
    speed, stiffness, m = 0.1, 100.0, 1.0
    world = new_world()
    world.add_body(Box((2.0, 1.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), friction=0.5,
                   material=Material(kinetic_friction=0.3, surface_velocity=(speed, 0.0, 0.0)))
    box = world.add_body(Box((0.1, 0.1, 0.05)), pos=(0.0, 0.0, 0.05), mass=m, material=ROUGH)
    world.drivers.append(lambda w: w.apply_force(box, (-stiffness * w.bodies["pos"][box, 0], 0.0, 0.0)))
    x = []
    while world.time < 8.0:
        step(world, 1.0 / 1000.0)
        x.append(world.bodies["pos"][box, 0])
    x = np.array(x)
    weight = m * G / stiffness
    swing = math.sqrt((0.2 * weight) ** 2 + speed**2 * m / stiffness)
    assert np.max(x) == pytest.approx(0.3 * weight + swing, abs=0.01 * swing)
    assert np.min(x[3000:]) == pytest.approx(0.3 * weight - swing, abs=0.01 * swing)


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.6, 0.8), (0.0, -1.0)])
def test_a_belt_carries_a_box_to_its_speed_at_mu_g(direction):
    speed, mu = 1.5, 0.4
    surface = (speed * direction[0], speed * direction[1], 0.0)
    world = new_world()
    world.add_body(Box((5.0, 5.0, 0.1)), kind="static", pos=(0.0, 0.0, -0.1), friction=mu,
                   material=Material(surface_velocity=surface))
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), friction=mu)
    run(world, 0.25)
    assert world.bodies["vel"][box, :2] == pytest.approx((0.25 - 0.5 * DT) * mu * G * np.array(direction), rel=1e-9, abs=1e-12)
    run(world, 0.5)
    assert world.bodies["vel"][box] == pytest.approx(surface, abs=1e-9)
    assert set(world.contacts["case"]) == {Case.STICK}
    assert np.linalg.norm(world.contacts["slip"], axis=1).max() < 1e-9


def test_a_belt_turns_with_its_body_and_either_body_may_have_one():
    """A tank: a box with tracks, turned by 30 degrees, drives the way it looks, with its own surface running backwards."""
    angle = math.radians(30.0)
    world = new_world()
    world.add_body(Plane(), kind="static", friction=0.8)
    tank = world.add_body(Box((0.4, 0.3, 0.1)), pos=(0.0, 0.0, 0.1), quat=(math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)),
                          friction=0.8, material=Material(surface_velocity=(-1.0, 0.0, 0.0)))
    run(world, 1.0)
    assert world.bodies["vel"][tank] == pytest.approx([math.cos(angle), math.sin(angle), 0.0], abs=1e-9)


SKATE = Material(friction=0.6, anisotropy=0.25)


@pytest.mark.parametrize(("direction", "mu"), [((1.0, 0.0), 0.6), ((0.0, 1.0), 0.15)])
@pytest.mark.parametrize("turned", [0.0, 0.7])
def test_stopping_distances_along_the_axes_of_the_ellipse(direction, mu, turned):
    """The axis is fixed in the body: turned with it."""
    world = new_world()
    c, s = math.cos(turned), math.sin(turned)
    way = np.array([c * direction[0] - s * direction[1], s * direction[0] + c * direction[1], 0.0])
    world.add_body(Plane(), kind="static", friction=0.6)
    box = world.add_body(Box((0.2, 0.2, 0.02)), pos=(0.0, 0.0, 0.02), quat=(math.cos(turned / 2), 0.0, 0.0, math.sin(turned / 2)),
                         vel=2.0 * way, material=SKATE)
    run(world, 2.0)
    reached = world.bodies["pos"][box]
    assert reached[:2] @ way[:2] == pytest.approx(4.0 / (2.0 * mu * G), abs=2.0 * DT)
    assert abs(reached[0] * way[1] - reached[1] * way[0]) < 1e-6
    assert np.linalg.norm(world.bodies["vel"][box]) < 1e-9


@pytest.mark.parametrize("anisotropy", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("angle", [0.3, 0.8, 1.3])
def test_the_direction_of_friction_is_that_of_maximal_dissipation(anisotropy, angle):
    """A block (no room to turn) slides at an angle to the axes; scipy finds the impulse that dissipates most."""
    world = new_world()
    world.add_body(Plane(), kind="static", friction=0.4, material=Material(friction=0.4, anisotropy=anisotropy))
    v = 3.0 * np.array([math.cos(angle), math.sin(angle), 0.0])
    ball = world.add_body(Box((0.2, 0.2, 0.02)), pos=(0.0, 0.0, 0.02), vel=v, inertia=(1e6, 1e6, 1e6), mass=1.0, friction=0.4)
    run(world, 0.1)
    before = world.bodies["vel"][ball].copy()
    step(world, DT)
    got = (world.bodies["vel"][ball] - before)[:2] / DT
    along, across = 0.4 * G, anisotropy * 0.4 * G
    after = world.bodies["vel"][ball][:2]
    best = optimize.minimize(lambda f: f @ after, x0=-0.1 * after, method="SLSQP", options={"ftol": 1e-14},
                             constraints={"type": "ineq", "fun": lambda f: 1.0 - (f[0] / along) ** 2 - (f[1] / across) ** 2})
    assert got == pytest.approx(best.x, rel=1e-4, abs=1e-4 * along)


def test_the_ellipse_holds_a_push_inside_it_and_not_one_outside():
    cases = (((0.55, 0.0), True), ((0.0, 0.14), True), ((0.4, 0.08), True), ((0.0, 0.17), False), ((0.5, 0.12), False))
    for push, holds in cases:
        world = new_world()
        world.add_body(Plane(), kind="static", friction=0.6)
        box = world.add_body(Box((0.2, 0.2, 0.02)), pos=(0.0, 0.0, 0.02), mass=1.0, material=SKATE)
        world.drivers.append(lambda w, box=box, push=push: w.apply_force(box, (push[0] * G, push[1] * G, 0.0)))
        run(world, 0.5)
        assert bool(np.linalg.norm(world.bodies["vel"][box]) < 1e-8) is holds, push


def test_a_ball_on_an_ellipse_still_rolls():
    world = new_world()
    world.add_body(Plane(), kind="static", material=Material(friction=0.3, anisotropy=0.3))
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), vel=(1.0, 1.0, 0.0), friction=0.3)
    run(world, 3.0)
    v, omega = world.bodies["vel"][ball], world.bodies["omega"][ball]
    assert np.linalg.norm(v[:2]) > 0.8
    assert v[:2] == pytest.approx([0.1 * omega[1], -0.1 * omega[0]], abs=1e-9)
