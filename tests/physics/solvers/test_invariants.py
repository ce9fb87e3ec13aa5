"""What must hold whatever is computed, by both solvers: the cone drawn on the floor, rest that stays, nothing won, nothing lost.

Others of the kind: slip angles and stopping distances in test_friction.py, rebounds and stacks of perfect boxes in
test_restitution.py and test_soft_steps.py, joints held by friction in test_joint_friction.py.
"""

import math

import numpy as np
import pytest

import scenes
from physics import Box, Capsule, Cylinder, Hull, Plane, Sphere, World, set_option, step
from physics.dynamics import measure
from scenes import star_burst
from tests.helpers import ALL_TESTS, long_run

G = 9.81
SOLVERS = ("sequential_impulses", "soft_steps")
both = pytest.mark.parametrize("solver", SOLVERS)


def new_world(solver: str, gravity=(0.0, 0.0, -G), **options) -> World:
    """No wall clock, the exact cone unless asked otherwise."""
    world = World(gravity=gravity)
    return prepared(world, solver, **{"cone": "circle", **options})


def prepared(world: World, solver: str, **options) -> World:
    world.use_solver(solver)
    if solver == "sequential_impulses":
        set_option(world.solver.options, "budget", 0.0)
    for name, value in options.items():
        set_option(world.solver.options, name, value)
    return world


# ---- a ring thrown outwards


def stop(alpha: float, facets: int, speed: float, mu: float) -> tuple[float, float]:
    """Where a box that cannot turn stops on the regular k-gon: displacement along and across the nearest vertex d [m].

    alpha: angle of the throw from d, |alpha| <= pi/k. Friction takes most power from v where -d . v is least over the k-gon:

        at d, while v is nearest to d:  v' = -mu g d, so v keeps its part across d and turns away from d,
        until it makes pi/k with d, after t = v (cos a - sin a / tan(pi/k)) / (mu g);
        from there on straight, along the normal b of the edge: at d it would turn back, at the next vertex, too. What keeps it
        on the edge is the k-gon's point on b, cos(pi/k) from the centre: v' = -mu g cos(pi/k) b, from v sin a / sin(pi/k).

    In all, d . displacement = v^2 / (2 mu g): the boxes stop on the k-gon with sides across the d.
    """
    a, half = abs(alpha), math.pi / facets
    t = speed * (math.cos(a) - math.sin(a) / math.tan(half)) / (mu * G)
    rest = (speed * math.sin(a) / math.sin(half)) ** 2 / (2.0 * mu * G * math.cos(half))
    along = speed * math.cos(a) * t - 0.5 * mu * G * t * t + rest * math.cos(half)
    return along, math.copysign(speed * math.sin(a) * t + rest * math.sin(half), alpha)


def stops(phi: np.ndarray, facets: int, speed: float, mu: float) -> np.ndarray:
    """`stop` for throws in the directions phi; facets 0: the circle. Vertices are at 2 pi i / k. Shape (n, 2)."""
    if facets == 0:
        return speed**2 / (2.0 * mu * G) * np.column_stack([np.cos(phi), np.sin(phi)])
    sector = 2.0 * math.pi / facets
    nearest = sector * np.round(phi / sector)
    u, w = np.array([stop(a, facets, speed, mu) for a in phi - nearest]).T
    c, s = np.cos(nearest), np.sin(nearest)
    return np.column_stack([c * u - s * w, s * u + c * w])


@pytest.mark.parametrize("facets", [4, 8, 16])
def test_the_closed_form_of_the_ring_is_maximal_dissipation(facets):
    """v' = -mu g d with the vertex d that takes most, by Euler's method in steps of 20 us; on an edge it chatters along it."""
    phi, speed, mu, h = np.linspace(0.05, 6.2, 29), 3.0, 0.4, 2e-5
    corner = 2.0 * np.pi * np.arange(facets) / facets
    vertices = np.column_stack([np.cos(corner), np.sin(corner)])
    v, x = speed * np.column_stack([np.cos(phi), np.sin(phi)]), np.zeros((len(phi), 2))
    for _ in range(round(1.1 * speed / (mu * G * math.cos(math.pi / facets)) / h)):
        d = vertices[np.argmax(v @ vertices.T, axis=1)]
        moving = np.hypot(*v.T) > mu * G * h
        v = np.where(moving[:, None], v - mu * G * h * d, 0.0)
        x += h * v
    assert np.abs(x - stops(phi, facets, speed, mu)).max() < 1e-3


@both
@pytest.mark.parametrize("facets", [0, 4, 8, 16])
def test_a_ring_thrown_outwards_stops_on_a_circle_or_on_the_polygon(solver, facets):
    """Every box of 23 where the law says, paths bent by the facets included, to 1 % of the way."""
    p = star_burst.Parameters(count=23)
    world = prepared(scenes.make_world(star_burst.SCENE, p), solver, cone="polygon" if facets else "circle")
    if facets:
        set_option(world.solver.options, "facets", facets)
    for _ in range(round(1.6 * p.speed / (p.mu * G) * 240)):
        step(world, 1.0 / 240.0)
    assert np.abs(world.bodies["vel"]).max() < 1e-6
    assert world.contacts["tangent"] == pytest.approx(np.tile((1.0, 0.0, 0.0), (len(world.contacts), 1)), abs=1e-6)
    wanted = stops(2.0 * np.pi * np.arange(p.count) / p.count, facets, p.speed, p.mu)
    off = np.linalg.norm(star_burst.displacements(world) - wanted, axis=1)
    assert off.max() < 0.01 * star_burst.distance(p)


# ---- ten minutes of rest


def pyramid(solver: str) -> World:
    world = new_world(solver, cone="polygon")
    world.add_body(Plane(), kind="static")
    for level in range(4):
        for i in range(4 - level):
            world.add_body(Box((0.2, 0.2, 0.2)), pos=((i - 0.5 * (3 - level)) * 0.44, 0.0, 0.2 + 0.4 * level))
    return world


def heap(solver: str, lowest: float = 0.301) -> World:
    """Unlike shapes dropped on one another, the lowest from this height [m]. The cylinder lies low: a coin on its edge would roll
    for ever, as it should."""
    world = new_world(solver, cone="polygon")
    world.add_body(Plane(), kind="static")
    wedge = Hull([(x, y, z) for y in (-0.2, 0.2) for x, z in ((-0.25, -0.1), (0.25, -0.1), (0.0, 0.15))])
    shapes = (Box((0.3, 0.25, 0.1)), Cylinder(0.2, 0.1), wedge, Box((0.15, 0.2, 0.12)), Box((0.25, 0.05, 0.05)),
              Box((0.12, 0.1, 0.06)))
    for n, shape in enumerate(shapes):
        world.add_body(shape, pos=(0.08 * (n % 3 - 1), 0.06 * (n % 2), lowest + 0.4 * n), quat=(1.0, 0.1 * n, -0.1, 0.3 * n))
    return world


def creeping_heap(solver: str) -> World:
    """The same, in an arrangement that crept."""
    return heap(solver, 0.3)


@pytest.mark.parametrize(("build", "solver"), [
    (pyramid, "sequential_impulses"), pytest.param(pyramid, "soft_steps", marks=long_run), (heap, "sequential_impulses"),
    pytest.param(heap, "soft_steps", marks=long_run), (creeping_heap, "sequential_impulses")])
def test_a_pile_at_rest_wins_no_energy_in_ten_minutes(build, solver):
    """Sleeping is off; after 20 s nothing more happens. In units of the weight times a micrometre. Without STICTION_ALL_TESTS
    two minutes, and a fifth of what ten may bring."""
    minutes = 10 if ALL_TESTS else 2
    world = build(solver)
    for _ in range(20 * 60):
        step(world, 1.0 / 60.0)
    settled = np.array(list(world.report.energy.values()))
    energy = np.array([list(step(world, 1.0 / 60.0).energy.values()) for _ in range(minutes * 60 * 60)]) - (0.0, settled[1])
    grain = 0.1 * minutes * G * float(world.bodies["mass"].sum()) * 1e-6
    assert energy[:, 0].max() < 1e-3 * grain, f"kinetic energy {energy[:, 0].max() / grain:.2e}"
    assert energy[:, 1].max() < 1e-3 * grain, f"potential energy rises by {energy[:, 1].max() / grain:.2e}"
    total = energy.sum(axis=1)
    assert (total - np.minimum.accumulate(total)).max() < 1e-3 * grain, "energy comes back"
    assert energy[:, 1].min() > -grain, f"it sinks by {energy[:, 1].min() / grain:.2e}"


# ---- sticking, sliding, rolling


def slope(solver: str, share: float, mu: float) -> tuple[World, int, float]:
    """(world, a box on a slope of share * atan(mu), the slope [rad])."""
    theta = share * math.atan(mu)
    world = new_world(solver, (G * math.sin(theta), 0.0, -G * math.cos(theta)))
    world.add_body(Plane(), kind="static", friction=mu)
    return world, world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), friction=mu), theta


@both
@pytest.mark.parametrize("mu", [0.2, 0.8])
def test_a_box_below_the_angle_of_friction_creeps_less_than_a_micrometre_a_minute(solver, mu):
    """A quarter of it in a quarter of a minute, after the first second."""
    world, box, _ = slope(solver, 0.98, mu)
    for n in range(16 * 240):
        if n == 240:
            start = world.bodies["pos"][box].copy()
        step(world, 1.0 / 240.0)
    assert np.abs(world.bodies["pos"][box] - start).max() < 0.25e-6


@both
@pytest.mark.parametrize("mu", [0.2, 0.8])
def test_a_box_above_the_angle_of_friction_slides_with_g_times_sine_less_mu_cosine(solver, mu):
    world, box, theta = slope(solver, 1.02, mu)
    for _ in range(240):
        step(world, 1.0 / 240.0)
    v = world.bodies["vel"][box, 0]
    for _ in range(480):
        step(world, 1.0 / 240.0)
    assert (world.bodies["vel"][box, 0] - v) / 2.0 == pytest.approx(G * (math.sin(theta) - mu * math.cos(theta)), rel=1e-3)


@both
@pytest.mark.parametrize("mu", [0.1, 0.7])
def test_a_ball_slides_and_then_rolls_at_five_sevenths(solver, mu):
    """Rolling begins at t = 2 v / (7 mu g), after 12 v^2 / (49 mu g); from there on nothing is lost."""
    v = 3.0
    world = new_world(solver)
    world.add_body(Plane(), kind="static", friction=mu)
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), vel=(v, 0.0, 0.0), friction=mu)
    slides, seconds = 2.0 * v / (7.0 * mu * G), 5.0
    for n in range(1, round(seconds * 240) + 1):
        young = 0.5 / max(1, step(world, 1.0 / 240.0).substeps)     # velocities belong to the middle of the last substep
        if abs(n / 240.0 - 0.8 * slides) < 0.5 / 240.0:
            assert world.bodies["vel"][ball, 0] == pytest.approx(v - mu * G * (n - young) / 240.0, rel=1e-6), "it slides"
    assert world.bodies["vel"][ball, 0] == pytest.approx(5.0 / 7.0 * v, rel=1e-4)
    assert world.bodies["omega"][ball, 1] == pytest.approx(world.bodies["vel"][ball, 0] / 0.1, rel=1e-4)
    way = 12.0 * v * v / (49.0 * mu * G) + 5.0 / 7.0 * v * (seconds - slides)
    assert world.bodies["pos"][ball, 0] == pytest.approx(way, rel=1e-3)


# ---- free bodies


@both
def test_a_free_asymmetric_body_keeps_its_energy_and_angular_momentum(solver):
    """Twenty seconds at 240 Hz about the middle axis: energy to 1 %, angular momentum as a vector to round-off."""
    world = new_world(solver, (0.0, 0.0, 0.0))
    world.add_body(mass=1.0, inertia=(1.0, 2.0, 2.9), omega=(0.01, 6.0, 0.02))
    kinetic = measure.energy(world.bodies, world.gravity)[0]
    momentum = np.array(measure.momentum(world.bodies)[1])
    step(world, 1.0 / 240.0)
    first = np.array(measure.momentum(world.bodies)[1])
    energies, momenta = [], []
    for _ in range(20 * 240):
        energies.append(step(world, 1.0 / 240.0).energy["kinetic"])
        momenta.append(measure.momentum(world.bodies)[1])
    assert np.abs(np.array(energies) - kinetic).max() < 0.01 * kinetic
    assert np.abs(np.array(momenta) - momentum).max() < 0.01 * np.linalg.norm(momentum)
    assert np.linalg.norm(first - momentum) < 0.01 * np.linalg.norm(momentum)


def cluster(solver: str, e: float) -> tuple[np.ndarray, float, int]:
    """(largest errors of linear and angular momentum, momentum of all, impacts) of twelve balls that fly together."""
    world = new_world(solver, (0.0, 0.0, 0.0))
    for n in range(12):
        shape = Sphere(0.15 + 0.01 * n)
        pos = np.array([math.cos(2.4 * n), math.sin(2.4 * n), 0.2 * (n % 5 - 2)]) * (0.8 + 0.1 * n)
        world.add_body(shape, pos=pos, vel=-1.5 * pos + (0.0, 0.3, 0.1), omega=(n, -1.0, 0.5), restitution=e, friction=0.6)
    linear, angular = (np.array(m) for m in measure.momentum(world.bodies))
    scale = float((world.bodies["mass"] * np.linalg.norm(world.bodies["vel"], axis=1)).sum())
    worst, hits = np.zeros(2), 0
    for _ in range(480):
        step(world, 1.0 / 240.0)
        hits += int(np.count_nonzero(world.contacts["approach"][world.contacts["impulse"] > 0.0] < -0.1))
        now = [np.array(m) for m in measure.momentum(world.bodies)]
        worst = np.maximum(worst, [np.abs(now[0] - linear).max(), np.abs(now[1] - angular).max()])
    return worst, scale, hits


@both
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_collisions_of_free_bodies_keep_linear_momentum_to_round_off(solver, e):
    worst, scale, hits = cluster(solver, e)
    assert worst[0] < 1e-12 * scale and hits > 10


@both
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_collisions_of_balls_keep_angular_momentum_to_round_off(solver, e):
    """Balls: their momentum is read exactly. About the origin, a metre away at most."""
    worst, scale, _ = cluster(solver, e)
    assert worst[1] < 1e-12 * scale


# ---- joints and impacts


@both
def test_a_hinge_below_its_friction_limit_does_not_move(solver):
    """A level arm of 2 kg, 0.5 m: 9.81 N m of load under a bound one part in a thousand larger.

    After the first second, in a quarter of a minute: a quarter of a nanometre. Soft steps do not have the load in the first
    steps, and with so little to spare it takes them a millimetre to catch the arm.
    """
    world = new_world(solver)
    arm = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0.0, 1.0), mass=2.0)
    world.add_joint("revolute", 0, arm, anchor=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), max_friction=1.001 * G)
    for n in range(16 * 240):
        if n == 240:
            start = world.bodies["pos"][arm].copy()
        step(world, 1.0 / 240.0)
    assert np.abs(world.bodies["pos"][arm] - start).max() < 0.25e-9
    assert np.abs(start - (0.5, 0.0, 1.0)).max() < (1e-9 if solver == "sequential_impulses" else 2e-3)


@both
@pytest.mark.parametrize("substeps", [1, 4])
def test_a_stack_of_perfect_boxes_and_capsules_wins_no_energy(solver, substeps):
    """e = 1, dropped with gaps; read while nothing touches, exact in a fall."""
    world = new_world(solver, substeps=substeps)
    world.add_body(Plane(), kind="static")
    for i in range(5):
        shape = Box((0.2, 0.2, 0.1)) if i % 2 == 0 else Capsule(0.1, 0.15)
        world.add_body(shape, pos=(0.0, 0.0, 0.3 + 0.25 * i), quat=(1.0, 0.0, float(i % 2), 0.0), restitution=1.0)
    start = measure.energy(world.bodies, world.gravity)[1]
    worst = -math.inf
    for _ in range(600):
        report = step(world, 1.0 / 240.0)
        if world.contacts["impulse"].any():
            continue
        lagging = 0.5 * float(world.bodies["mass"] @ (G * world.bodies["velocity_lag"]) ** 2)
        worst = max(worst, sum(report.energy.values()) + lagging)
    assert 0.1 * start < worst <= start * (1.0 + 1e-12)
