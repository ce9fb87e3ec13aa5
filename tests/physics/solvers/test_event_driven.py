"""Event-driven simulation (F11 table 11.1): moments of events by closed forms, orders of the integrators, what it refuses."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ellipk

import scenes
from physics import BadInput, Box, Material, Plane, Sphere, World, step
from physics.articulated.event_log import ContactCase, EventKind
from physics.articulated.event_step import EventStep
from physics.articulated.impulse import simultaneous_impact
from physics.articulated.smooth_motion import EULER, HEUN, RUNGE_KUTTA
from physics.contact.impact_laws import laws
from physics.dynamics import measure
from physics.solvers import available, support
from scenes import concave_ramp
from tests.helpers import digest_of

G = 9.81


def events_of(world: World, seconds: float, dt: float, **options) -> list:
    """Events of a run; nothing may be found by the auditor."""
    world.use_solver("event_driven")
    for name, value in options.items():
        setattr(world.solver.options, name, value)
    found = []
    for _ in range(round(seconds / dt)):
        report = step(world, dt)
        found += report.events.events
        assert not report.audit.findings, report.audit.findings
    return found


def falling_ball(e: float = 0.5, height: float = 1.0) -> World:
    world = World()
    world.add_body(Plane(), kind="static", friction=0.0, name="floor")
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1 + height), friction=0.0, restitution=e, name="ball")
    return world


def pendulum(start: float) -> World:
    """A bob on a massless rod of 1 m, which a wall stops at the lowest point."""
    world = World()
    bob = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.0), mass=1.0, friction=0.0, restitution=1.0, name="bob")
    world.add_joint("revolute", 0, bob, anchor=(0.0, 0.0, 1.0), axis=(0.0, -1.0, 0.0), name="hinge")
    world.set_pose(bob, (math.sin(start), 0.0, 1.0 - math.cos(start)), (math.cos(0.5 * start), 0.0, -math.sin(0.5 * start), 0.0))
    world.add_body(Box((0.1, 0.5, 0.5)), kind="static", pos=(-0.2, 0.0, 0.0), friction=0.0, name="wall")
    return world


def quarter_period(start: float) -> float:
    """From rest at `start` to the lowest point [s]: sqrt(I / m g L) K(sin^2(start / 2))."""
    return math.sqrt((1.0 + 0.4 * 0.1**2) / G) * float(ellipk(math.sin(0.5 * start) ** 2))


@pytest.mark.parametrize("integrator", [HEUN, RUNGE_KUTTA])
@pytest.mark.parametrize("dt", [0.02, 0.003])
def test_a_ball_hits_and_rebounds_at_the_times_of_the_closed_form(integrator, dt):
    """t1 = sqrt(2 h / g), then flights of 2 e v / g: whatever the step, to 1e-12 s."""
    found = events_of(falling_ball(), 1.17, dt, integrator=integrator, longest_step=1.0)
    first = math.sqrt(2.0 / G)
    flights = [2.0 * 0.5**k * math.sqrt(2.0 * G) / G for k in (1, 2)]
    times = [event.time for event in found[:3]]
    assert np.abs(np.array(times) - [first, first + flights[0], first + sum(flights)]).max() < 1e-12
    assert all(event.kind == EventKind.IMPACT for event in found[:3])
    mass = 4.0 / 3.0 * math.pi * 0.1**3 * 1000.0
    assert found[0].impulse == pytest.approx(1.5 * mass * math.sqrt(2.0 * G), rel=1e-12)         # F11 11.65


@pytest.mark.parametrize("dt", [0.02, 0.003])
def test_a_step_with_a_blow_reports_no_approach_that_the_blow_has_ended(dt):
    """The ball comes in at 4.4 m/s; after the step nothing approaches, and its residual is rounding."""
    world = falling_ball()
    world.use_solver("event_driven")
    struck = 0
    for _ in range(round(1.17 / dt)):
        report = step(world, dt)
        struck += any(event.kind == EventKind.IMPACT for event in report.events.events)
        assert report.residual < 1e-9
    assert struck == 3


@pytest.mark.parametrize("dt", [0.02, 0.003])
def test_euler_shortens_its_step_linearly(dt):
    """(11.49): the moment at which the polygon of Euler's steps reaches the floor, which is not that of the parabola."""
    world = falling_ball()
    world.audit.options.energy = 1.0
    found = events_of(world, 0.48, dt, integrator=EULER, longest_step=1.0)
    z, v, n = 1.0, 0.0, 0
    while z + dt * v > 0.0:
        z, v, n = z + dt * v, v - dt * G, n + 1
    assert abs(found[0].time - (n * dt - z / v)) < 1e-12
    assert found[0].speed == pytest.approx(v + z / v * G, rel=1e-12)


def test_a_pendulum_hits_a_wall_at_the_elliptic_integral():
    found = events_of(pendulum(0.5), 0.52, 0.001, integrator=RUNGE_KUTTA, longest_step=1.0)
    assert abs(found[0].time - quarter_period(0.5)) < 1e-12


@pytest.mark.parametrize(("integrator", "order"), [(EULER, 1), (HEUN, 2)])
def test_orders_of_the_integrators(integrator, order):
    """Errors of the moment of impact fall with h and h^2."""
    errors = []
    for dt in (0.01, 0.005):
        world = pendulum(1.0)
        world.audit.options.energy = 1.0
        errors.append(events_of(world, 0.6, dt, integrator=integrator, longest_step=1.0)[0].time - quarter_period(1.0))
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.12)


def test_a_ball_leaves_a_dome_where_its_force_ends():
    """Frictionless from rest at a: cos = 2/3 cos a, at the time of the energy integral: a dynamic loss."""
    a, R = 0.3, 1.1
    world = World()
    world.add_body(Sphere(1.0), kind="static", friction=0.0)
    ball = world.add_body(Sphere(0.1), pos=(R * math.sin(a), 0.0, R * math.cos(a)), friction=0.0)
    found = events_of(world, 0.65, 1.0 / 200.0, integrator=HEUN)
    end = math.acos(2.0 / 3.0 * math.cos(a))
    root = math.sqrt(end - a)
    took = quad(lambda s: 2.0 * s / math.sqrt(2.0 * G / R * (math.cos(a) - math.cos(a + s * s))), 0.0, root, epsabs=1e-12)[0]
    assert [event.kind for event in found] == [EventKind.LOST_FORCE]
    assert abs(found[0].time - took) < 3e-5
    assert world.bodies["pos"][ball, 2] < R * math.cos(end)


def test_a_box_leaves_a_ledge_by_its_geometry_and_then_tips():
    """Its front corners lose the ledge at 0.2 s (faces reach 0.1 mm beyond their edges), its rear ones at 0.3 s their force."""
    world = World()
    world.add_body(Box((0.5, 0.5, 0.5)), kind="static", friction=0.0)
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.2, 0.0, 0.6), vel=(1.0, 0.0, 0.0), friction=0.0)
    found = events_of(world, 0.305, 1.0 / 200.0)
    edge = [event.time for event in found if event.kind == EventKind.LOST_EDGE]
    force = [event.time for event in found if event.kind == EventKind.LOST_FORCE]
    assert edge and abs(edge[0] - 0.2) < 2e-4
    assert force and abs(force[0] - 0.3) < 2e-4


def test_a_ball_that_bounces_to_rest_is_handed_to_time_stepping():
    """Infinitely many impacts before t1 + 2 v e / ((1 - e) g); then a force, and the law is not solved again and again."""
    world = falling_ball()
    found = events_of(world, 1.6, 1.0 / 100.0)
    end = math.sqrt(2.0 / G) + 2.0 * math.sqrt(2.0 * G) / G * 0.5 / (1.0 - 0.5)
    assert found[-1].kind == EventKind.STEPPED
    assert abs(found[-1].time - end) < 2e-3
    assert any("'ball' on 'floor'" in warning and "time stepping" in warning for warning in world.warnings)
    report = world.report
    assert report.events.cases == (ContactCase.STAYING,) and report.events.active == (True,) and report.events.solved == 1
    assert world.contacts["impulse"][0] / world.last_dt == pytest.approx(world.bodies["mass"][2] * G, rel=1e-9)
    assert measure.energy(world.bodies, world.gravity)[0] < 1e-20


def test_a_block_slides_over_the_kinks_and_the_inner_edges_of_a_mesh():
    """The front edge lands, then the rear edge, as in scenes/concave_ramp.py; edges of triangles in one plane are no event that
    holds it up, nor does an edge that an impact lets it miss: the speed is the closed form's, and nothing is time stepped."""
    world, bend = World(), math.radians(20.0)
    parameters = concave_ramp.Parameters(bend=20.0, speed=3.0)
    block = concave_ramp.add_lane(world, "block", 1, False, 0.0, parameters)
    while world.bodies["pos"][block, 0] < 0.15:
        kinds = {event.kind for event in events_of(world, 1.0 / 240.0, 1.0 / 240.0)}
        assert EventKind.STEPPED not in kinds
    speed = concave_ramp.final_speed(concave_ramp.Ramp(bend, 1), False, 3.0, concave_ramp.of_block(bend))
    assert np.linalg.norm(world.bodies["vel"][block]) == pytest.approx(speed, rel=1e-6)


@pytest.mark.parametrize("law", ["Newton", "Newton, unlimited", "Poisson", "Stronge"])
@pytest.mark.parametrize(("mass", "half", "arm", "speed", "dt"), [(1.0, 1.0, 0.9, 1.0, 1e-4), (0.02, 0.1, 0.09, 0.3, 1e-3),
                                                                  (300.0, 3.0, 2.0, 2.0, 1e-2)])
def test_a_bar_that_turns_about_one_support_strikes_the_other_by_each_law(law, mass, half, arm, speed, dt):
    """Speeds u of its ends over the supports, with e1 = 0.8 where it rests and e2 = 0.4 where it strikes, r = arm^2 m / I:

    Newton   u = (0, e2 v);  otherwise p_c = m v (r - 1, r + 1) / 4 r,  u = s W (e1 p_c1, e2 p_c2),  W = (1 + r, 1 - r; ..) / m
    Poisson  s = 1;  Stronge  s^2 g.W g = e2^2 p_c2 v,  g = (e1 p_c1, e2 p_c2)
    """
    world, thick, e = World(gravity=(0.0, 0.0, 0.0)), 0.05 * half, np.array([0.8, 0.4])
    for side, share in zip((-1.0, 1.0), e.tolist()):
        world.add_body(Sphere(thick), kind="static", pos=(side * arm, 0.0, -thick), friction=0.0, restitution=share)
    turn = 0.5 * speed / arm
    bar = world.add_body(Box((half, thick, thick)), pos=(0.0, 0.0, thick), mass=mass, vel=(0.0, 0.0, -0.5 * speed),
                         omega=(0.0, turn, 0.0), friction=0.0)
    world.use_solver("event_driven", impact_law=law)
    step(world, dt)
    r = 3.0 * arm**2 / (half**2 + thick**2)
    pressed = mass * speed / (4.0 * r) * np.array([r - 1.0, r + 1.0])
    W = np.array([[1.0 + r, 1.0 - r], [1.0 - r, 1.0 + r]]) / mass
    g = e * pressed
    share = {"Poisson": 1.0, "Stronge": math.sqrt(e[1] ** 2 * pressed[1] * speed / (g @ W @ g))}.get(law)
    u = np.array([0.0, e[1] * speed]) if share is None else share * W @ g
    p = np.linalg.solve(W, [u[0], u[1] + speed])
    found = world.report.impact_records
    assert found["impulse"][:, 0] == pytest.approx(p, rel=1e-8) and not found["alone"].any()
    assert found["after"][:, 0] == pytest.approx(u, abs=1e-8 * speed) and found["before"][1, 0] == pytest.approx(-speed)
    assert world.bodies["vel"][bar, 2] == pytest.approx(0.5 * u.sum(), abs=1e-3 * speed), "at the end of the step"


def test_sequential_impacts_travel_through_balls_that_touch():
    """Three balls of one mass: at once they leave with v (1/3 - 2/3, 2/3, 2/3), from ball to ball with (0, 0, v)."""
    for choice, expected in (("simultaneous", (-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0)), ("sequential", (0.0, 0.0, 1.0))):
        world = World(gravity=(0.0, 0.0, 0.0))
        balls = [world.add_body(Sphere(0.1), pos=(0.2 * k, 0.0, 0.0), vel=(3.0 if k == 0 else 0.0, 0.0, 0.0), friction=0.0,
                                restitution=1.0) for k in range(3)]
        world.use_solver("event_driven", multiple_impacts=choice)
        step(world, 1.0 / 60.0)
        assert world.bodies["vel"][balls, 0] == pytest.approx(3.0 * np.array(expected), abs=1e-9)


def listed_impacts(masses: list, e: float, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """(velocities, places) of balls in line, 1 mm apart, the first at 1.5 m/s, by a list of impacts of two balls."""
    x, v, left = 0.101 * np.arange(len(masses)), np.zeros(len(masses)), seconds
    v[0] = 1.5
    while True:
        gap, closing = np.diff(x) - 0.1, -np.diff(v)
        times = np.where(closing > 1e-12, np.maximum(gap, 0.0) / np.maximum(closing, 1e-12), math.inf)
        i = int(times.argmin())
        if times[i] > left:
            return v, x + v * left
        x, left = x + v * times[i], left - times[i]
        impulse = (1.0 + (e if closing[i] > 1e-6 else 0.0)) * closing[i] / (1.0 / masses[i] + 1.0 / masses[i + 1])
        v[i : i + 2] += impulse * np.array([-1.0 / masses[i], 1.0 / masses[i + 1]])


@pytest.mark.parametrize(("masses", "e", "exact"), [([1.0, 0.1, 1.0], 0.3, 1e-9), ([5.0, 0.02, 2.0], 0.8, 2e-4),
                                                    ([1.0, 0.3, 5.0, 0.02, 2.0], 0.6, 1e-9)])
def test_sequential_impacts_slower_than_any_rebound_end_the_row(masses, e, exact):
    """A light ball between heavy ones is struck ever more slowly, at last too slowly to rebound. exact: where impacts are handed
    to time stepping before they end, their last speeds are not resolved [m/s]."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver("event_driven", multiple_impacts="sequential")
    balls = [world.add_body(Sphere(0.05), pos=(0.101 * i, 0.0, 0.0), mass=mass, friction=0.0, restitution=e)
             for i, mass in enumerate(masses)]
    balls[0].vel = (1.5, 0.0, 0.0)
    for _ in range(48):
        assert not step(world, 1.0 / 60.0).audit.findings
    velocities, places = listed_impacts(masses, e, 0.8)
    assert np.abs(velocities - [ball.vel[0] for ball in balls]).max() < exact
    assert np.abs(places - [ball.pos[0] for ball in balls]).max() < max(exact, 1e-8)


def test_an_impact_leaves_a_record_for_the_impulse_plane():
    """A ball on a plane: response 1/m along the normal, approach, rebound and impulse of the one contact."""
    world = falling_ball()
    world.use_solver("event_driven")
    while world.report is None or world.report.impact_records is None:
        step(world, 0.01)
    (found,) = world.report.impact_records
    mass, v = float(world.bodies["mass"][found["body_b"]] or world.bodies["mass"][found["body_a"]]), math.sqrt(2.0 * G)
    assert found["alone"] and found["friction"] == 0.0 and found["meant"] == found["restitution"] == 0.5
    assert (found["before"][0], found["after"][0]) == pytest.approx((-v, 0.5 * v), rel=1e-9)
    assert found["response"][0, 0] == pytest.approx(1.0 / mass) and found["impulse"] == pytest.approx((1.5 * mass * v, 0.0, 0.0))
    for _ in range(3):
        step(world, 0.01)
        assert world.report.impact_records is None, "it flies"


@pytest.mark.parametrize("seed", range(20))
def test_limited_laws_gain_no_energy_in_random_impacts_of_several_contacts(seed):
    """W of five random normals of four coordinates, with different restitutions."""
    rng = np.random.default_rng(seed)
    T = rng.normal(size=(4, 5))
    W, u, e = T.T @ T, rng.normal(size=4) @ T, rng.uniform(size=5)
    for name, law in laws().items():
        found = simultaneous_impact(W, u, e, 1e-6, law)
        if found is None:
            assert not law.limited, f"{name}: five normals in four dimensions do not allow all rebounds, but a share of them"
            continue
        p, share = found
        after, gain = u + W @ p, p @ (u + 0.5 * W @ p)
        assert (p >= 0.0).all() and after.min() > -1e-9 * np.abs(u).max()
        assert not law.limited or gain <= 1e-9 * np.abs(p) @ np.abs(u), name
        if name == "Newton, unlimited":
            assert (after >= -e * np.minimum(u, 0.0) - 1e-9).all() and (share == 1.0).all()


def test_the_four_cases_of_a_contact():
    world = World(gravity=(0.0, 0.0, 0.0))
    world.add_body(Plane(), kind="static", friction=0.0)
    for k, (height, speed) in enumerate([(0.11, 0.0), (0.1, 1.0), (0.1, 0.0)]):
        world.add_body(Sphere(0.1), pos=(k, 0.0, height), vel=(0.0, 0.0, speed), friction=0.0)
    events_of(world, 1e-9, 1e-9)
    assert world.report.events.cases == (ContactCase.APART, ContactCase.LEAVING, ContactCase.STAYING)


def test_a_step_is_not_divided_for_a_contact_that_moves_over_its_body():
    """Which this solver follows by itself; as others need it, a step of this scene was divided into 48."""
    scene = scenes.find("curved_faces")
    world = scenes.make_world(scene)
    assert max(step(world, scene.dt).substeps for _ in range(5)) <= 2


def test_a_limit_is_hit_like_a_wall():
    """A door that turns freely reaches its limit at angle / omega and rebounds by its restitution."""
    world = World(gravity=(0.0, 0.0, 0.0))
    door = world.add_body(Box((0.5, 0.02, 1.0)), pos=(0.5, 0.0, 0.0), omega=(0.0, 0.0, 1.0), vel=(0.0, 0.5, 0.0),
                          friction=0.0)
    world.add_joint("revolute", 0, door, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), limits=(-1.0, 0.35), restitution=0.6,
                    name="hinge")
    found = events_of(world, 0.5, 0.01)
    assert abs(found[0].time - 0.35) < 1e-12 and found[0].joint == 0
    assert world.bodies["omega"][door, 2] == pytest.approx(-0.6, rel=1e-12)


def slot(speed: float = 1.0) -> World:
    """Example 11.1: a disc where two concave arcs of 2 m touch it from both sides, held by their normals alone."""
    world = World(gravity=(0.0, 0.0, 0.0))
    disc = world.add_body(Sphere(0.1), vel=(speed, 0.0, 0.0), friction=0.0, name="disc")
    for side, name in ((1.0, "lower arc"), (-1.0, "upper arc")):
        world.add_joint("rope", 0, disc, anchor=(0.0, side * 1.9, 0.0), anchor_b=(0.0, 0.0, 0.0), name=name)
    return world


def test_a_slot_that_narrows_has_no_force_and_stops_the_disc_after_a_small_overlap():
    world = slot()
    world.use_solver("event_driven")
    for _ in range(3):
        step(world, 0.01)
    assert any("'lower arc'" in warning and "'upper arc'" in warning and "11.1" in warning for warning in world.warnings)
    assert np.linalg.norm(world.bodies["vel"][1]) < 1e-6
    assert 0.0 < world.bodies["pos"][1, 0] <= 0.005 * 1.001
    overlap = math.hypot(world.bodies["pos"][1, 0], 1.9) - 1.9
    assert overlap < 1e-5


@pytest.mark.parametrize("speed", [30.0, 100.0, 1000.0])
@pytest.mark.parametrize("rate", [60.0, 240.0])
def test_a_fast_ball_does_not_pass_through_a_thin_wall(rate, speed):
    """Nor does it between two moments at which the gap is looked at: it is back at the time of a rebound without loss."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver("event_driven")
    world.add_body(Box((0.01, 0.5, 0.5)), kind="static", friction=0.0, restitution=1.0)
    ball = world.add_body(Sphere(0.02), pos=(-1.03, 0.0, 0.0), mass=1.0, vel=(speed, 0.0, 0.0), friction=0.0, restitution=1.0)
    steps = math.ceil(1.5 / speed * rate)
    for _ in range(steps):
        step(world, 1.0 / rate)
    assert world.bodies["vel"][ball, 0] == pytest.approx(-speed, rel=1e-12)
    assert world.bodies["pos"][ball, 0] == pytest.approx(-0.03 - (speed * steps / rate - 1.0), rel=1e-9)


def test_an_event_storm_is_refused_and_changes_nothing():
    world = falling_ball(0.95, 0.05)
    world.use_solver("event_driven")
    world.solver.options.most_events, world.solver.options.gathering_time = 2, 0.0
    with pytest.raises(BadInput, match=r"event storm.*'ball' on 'floor'"):
        for _ in range(200):
            before = digest_of(world)
            step(world, 0.2)
    assert digest_of(world) == before


def test_what_it_cannot_do_is_said_by_name():
    rough = World()
    rough.add_body(Plane(), kind="static", friction=0.4, name="floor")
    rough.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.0), friction=0.4, name="ball")
    with pytest.raises(BadInput, match=r"'floor' and 'ball'|'ball' and 'floor'"):
        rough.use_solver("event_driven")
    rough.set_filter(1, mask=0)             # the ball never meets the floor
    rough.use_solver("event_driven")
    sticky = World()
    sticky.add_body(Sphere(0.1), friction=0.0, material=Material(friction=0.0, adhesion=1.0))
    sticky.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.0), friction=0.0, material=Material(friction=0.0, adhesion=1.0))
    with pytest.raises(BadInput, match="adhesion is not supported"):
        sticky.use_solver("event_driven")
    loop = World()
    links = [loop.add_body(Sphere(0.1), pos=(k, 0.0, 0.0), friction=0.0) for k in (1.0, 2.0)]
    for k, (a, b) in enumerate([(0, links[0]), (links[0], links[1]), (0, links[1])]):
        loop.add_joint("revolute", a, b, anchor=(0.5 + k, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name=f"pin {k}")
    with pytest.raises(BadInput, match=r"'pin .' closes a loop"):
        loop.use_solver("event_driven")


def test_solvers_are_exchanged_while_it_runs():
    """From sequential impulses and back, with a box at rest and a pendulum: no jump, no energy from nowhere."""
    world = pendulum(0.4)
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(3.0, 0.0, -0.9), friction=0.0)
    world.add_body(Plane(), kind="static", pos=(0.0, 0.0, -1.0), friction=0.0)
    for _ in range(20):
        step(world, 0.005)
    energy = sum(measure.energy(world.bodies, world.gravity))
    lagging = world.bodies["velocity_lag"][1]
    found = events_of(world, 0.1, 0.005)
    assert not [event for event in found if event.kind == EventKind.IMPACT]
    assert lagging > 0.0 and world.bodies["velocity_lag"][1] < 1e-100
    assert abs(sum(measure.energy(world.bodies, world.gravity)) - energy) < 0.02 * abs(energy)
    assert np.abs(world.bodies["vel"][box]).max() < 1e-8
    world.use_solver("sequential_impulses")
    for _ in range(20):
        report = step(world, 0.005)
        assert not report.audit.findings


def test_a_long_step_is_cancelled_between_two_events(monkeypatch):
    world, rounds = pendulum(0.4), []
    world.use_solver("event_driven")
    before, advance = digest_of(world), EventStep.advance

    def advanced(self):
        rounds.append(self.time)
        if len(rounds) == 3:
            world.solver.cancel()
        return advance(self)

    monkeypatch.setattr(EventStep, "advance", advanced)
    with pytest.raises(BadInput, match="cancelled; the state before it is restored"):
        step(world, 0.5)
    assert len(rounds) == 3 and digest_of(world) == before
    step(world, 0.5)
    assert world.time == 0.5


def test_a_rough_scene_is_supported_with_friction_left_out_alone():
    world = World()
    world.add_body(Plane(), kind="static", friction=0.5)
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.3), friction=0.5)
    reason, options = support(available()["event_driven"], world)
    assert "touch with friction" in reason and options == {"friction": "left out"}
    with pytest.raises(BadInput, match="touch with friction"):
        world.use_solver("event_driven")
    world.use_solver("event_driven", **options)
    step(world, 0.01)
    world.set_friction(0.0)
    assert support(available()["event_driven"], world) == ("", {})
    link = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 2.0), friction=0.5)
    for name in ("one", "other"):
        world.add_joint("revolute", ball, link, anchor=(0.5, 0.0, 1.0), axis=(0.0, 1.0, 0.0), name=name)
    assert "closes a loop" in support(available()["event_driven"], world)[0] \
        and support(available()["event_driven"], world)[1] == {}
