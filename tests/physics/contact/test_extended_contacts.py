"""Rolling and torsional friction, tangential restitution and adhesion against closed forms.

Velocities are those of the middle of a step: `middle` is the time at which closed forms are taken.
"""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Material, Plane, Sphere, World, set_option, step
from physics.core.records import Case

G = 9.81
DT = 1.0 / 240.0
R = 0.1


def new_world(gravity=(0.0, 0.0, -G), substeps: int = 1) -> World:
    world = World(gravity=gravity)
    for name, value in (("budget", 0.0), ("cone", "circle"), ("iterations", 1000), ("substeps", substeps)):
        set_option(world.solver.options, name, value)
    return world


def ball_on_ground(world: World, material: Material, **more) -> int:
    world.add_body(Plane(), kind="static", friction=0.5)
    return world.add_body(Sphere(R), pos=(0.0, 0.0, R), material=material, **more)


def middle(world: World) -> float:
    """The time to which the velocities belong [s]."""
    return world.time - 0.5 * DT / world.report.substeps


def run(world: World, seconds: float, dt: float = DT) -> None:
    for _ in range(round(seconds / dt)):
        assert step(world, dt).residual < 1e-7


@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize("c", [0.002, 0.01])
def test_a_rolling_ball_stops_after_v2_over_two_times_five_sevenths_g_c_over_r(c, substeps):
    """m v' = f, I omega' = -f r - c m g, v = r omega: v' = -(5/7) g c / r."""
    v = 0.8
    world = new_world(substeps=substeps)
    ball = ball_on_ground(world, Material(rolling=c), vel=(v, 0.0, 0.0), omega=(0.0, v / R, 0.0))
    slowing = 5.0 / 7.0 * G * c / R
    run(world, 0.5 * v / slowing)
    assert world.bodies["vel"][ball, 0] == pytest.approx(v - slowing * middle(world), rel=1e-6)
    run(world, 0.6 * v / slowing)
    assert world.bodies["pos"][ball, 0] == pytest.approx(v * v / (2.0 * slowing), abs=v * DT)
    assert np.abs(world.bodies["vel"][ball]).max() < 1e-9 and np.abs(world.bodies["omega"][ball]).max() < 1e-8


def test_rolling_friction_is_against_rolling_whatever_the_direction():
    c, v = 0.01, np.array([0.6, 0.8, 0.0])
    world = new_world()
    ball = ball_on_ground(world, Material(rolling=c), vel=v, omega=(-v[1] / R, v[0] / R, 0.0))
    run(world, 0.5)
    assert world.bodies["vel"][ball] == pytest.approx((1.0 - 5.0 / 7.0 * G * c / R * middle(world)) * v, abs=1e-6)


@pytest.mark.parametrize(("ratio", "rolls"), [(0.95, False), (1.05, True)])
def test_a_ball_holds_on_a_slope_up_to_c_over_r(ratio, rolls):
    c = 0.02
    angle = math.atan(ratio * c / R)
    world = new_world(gravity=(G * math.sin(angle), 0.0, -G * math.cos(angle)))
    ball = ball_on_ground(world, Material(rolling=c))
    run(world, 1.0)
    expected = 5.0 / 7.0 * G * (math.sin(angle) - c / R * math.cos(angle)) if rolls else 0.0
    assert world.bodies["vel"][ball, 0] == pytest.approx(expected * middle(world), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("substeps", [1, 4])
def test_a_spinning_ball_slows_under_torsional_friction_and_stops(substeps):
    """I omega' = -c m g."""
    c, spin = 0.002, 8.0
    world = new_world(substeps=substeps)
    ball = ball_on_ground(world, Material(torsional=c), omega=(0.0, 0.0, spin))
    slowing = c * G / (0.4 * R * R)
    run(world, 0.5)
    assert world.bodies["omega"][ball, 2] == pytest.approx(spin - slowing * middle(world), rel=1e-6)
    assert world.contacts["spin_impulse"][0] == pytest.approx([0.0, 0.0, -c * G * DT * world.bodies["mass"][ball]], rel=1e-6)
    run(world, spin / slowing - 0.4)
    assert np.abs(world.bodies["omega"][ball]).max() < 1e-8
    assert np.abs(world.bodies["vel"][ball]).max() < 1e-9


def test_torsional_friction_holds_a_torque_inside_its_bound():
    c = 0.01
    for ratio, holds in ((0.98, True), (1.02, False)):
        world = new_world()
        ball = ball_on_ground(world, Material(torsional=c))
        torque = ratio * c * G * world.bodies["mass"][ball]
        world.drivers.append(lambda w, ball=ball, torque=torque: w.apply_torque(ball, (0.0, 0.0, torque)))
        run(world, 1.0)
        assert bool(abs(world.bodies["omega"][ball, 2]) < 1e-7) is holds


def test_between_two_free_balls_the_moments_are_opposite():
    """Two balls pressed together and spun against one another: angular momentum stays, the spin dies."""
    world = new_world(gravity=(0.0, 0.0, 0.0))
    soft = Material(torsional=0.01, rolling=0.01)
    a = world.add_body(Sphere(R), pos=(-R, 0.0, 0.0), omega=(3.0, 0.0, 0.0), material=soft, mass=1.0)
    b = world.add_body(Sphere(R), pos=(R, 0.0, 0.0), omega=(-1.0, 0.0, 0.0), material=soft, mass=1.0)
    world.drivers.append(lambda w: (w.apply_force(a, (20.0, 0.0, 0.0)), w.apply_force(b, (-20.0, 0.0, 0.0))))
    run(world, 0.025)
    omega = world.bodies["omega"][[a, b], 0]
    assert omega.sum() == pytest.approx(2.0, abs=1e-12)
    assert omega[0] - omega[1] == pytest.approx(4.0 - 2.0 * 0.01 * 20.0 / (0.4 * R * R) * (0.025 - world.velocity_lag), rel=1e-6)
    run(world, 0.3)
    assert world.bodies["omega"][[a, b], 0] == pytest.approx([1.0, 1.0], abs=1e-8)


@pytest.mark.parametrize("e_t", [-1.0, -0.4, 0.0, 0.5, 1.0])
@pytest.mark.parametrize(("v", "spin"), [(2.0, 0.0), (0.0, 30.0), (1.0, -20.0), (2.0, 20.0)])
def test_a_superball_bounces_back_as_garwin_says(e_t, v, spin):
    """R. L. Garwin, Kinematics of an ultraelastic rough ball, Am. J. Phys. 37 (1969): s = v - r omega -> -e_t s, with the angular
    momentum about the contact kept: v' = v - 2/7 (1 + e_t) s, r omega' = r omega + 5/7 (1 + e_t) s."""
    world = new_world(gravity=(0.0, 0.0, 0.0))
    rubber = Material(friction=20.0, restitution=0.8, tangential_restitution=e_t)
    world.add_body(Plane(), kind="static", friction=20.0, material=Material(mixing={"tangential_restitution": "minimum"})
                   if e_t < 0.0 else None)
    ball = world.add_body(Sphere(R), pos=(0.0, 0.0, 0.2), vel=(v, 0.0, -2.0), omega=(0.0, spin, 0.0), material=rubber)
    run(world, 0.2)
    s = v - R * spin
    assert world.bodies["vel"][ball] == pytest.approx([v - 2.0 / 7.0 * (1.0 + e_t) * s, 0.0, 1.6], abs=1e-9)
    assert R * world.bodies["omega"][ball, 1] == pytest.approx(R * spin + 5.0 / 7.0 * (1.0 + e_t) * s, abs=1e-9)


def test_a_perfect_superball_keeps_its_energy():
    """Every second bounce restores the first motion; the arm of an impact is found up to half the gap of its step too long."""
    world = new_world()
    rubber = Material(friction=20.0, restitution=1.0, tangential_restitution=1.0)
    world.add_body(Plane(), kind="static", material=rubber)
    ball = world.add_body(Sphere(R), pos=(0.0, 0.0, 0.6), vel=(1.0, 0.0, 0.0), material=rubber)
    speeds, energies = [], []
    while world.time < 4.0:
        report = step(world, 0.25 * DT)
        speeds.append(float(world.bodies["vel"][ball, 0]))
        energies.append(sum(report.energy.values()))
    fast = np.array(speeds) > 0.75
    assert 5 < np.count_nonzero(np.diff(fast)) < 8, "bounces"
    assert np.array(speeds)[fast] == pytest.approx(1.0, abs=1e-5)
    assert np.array(speeds)[~fast] == pytest.approx(1.0 - 4.0 / 7.0, abs=0.02)
    assert np.ptp(energies) < 1e-3 * energies[0]


def test_weak_friction_bounds_the_tangential_rebound():
    mu = 0.1
    world = new_world(gravity=(0.0, 0.0, 0.0))
    rubber = Material(friction=mu, restitution=0.5, tangential_restitution=1.0)
    world.add_body(Plane(), kind="static", material=rubber)
    ball = world.add_body(Sphere(R), pos=(0.0, 0.0, 0.2), vel=(3.0, 0.0, -2.0), material=rubber)
    run(world, 0.2)
    assert world.bodies["vel"][ball] == pytest.approx([3.0 - mu * 3.0, 0.0, 1.0], abs=1e-9)


@pytest.mark.parametrize("substeps", [1, 4])
@pytest.mark.parametrize(("ratio", "holds"), [(0.99, True), (1.01, False)])
def test_an_adhesive_box_hangs_below_a_ceiling_until_its_weight_exceeds_the_pull(ratio, holds, substeps):
    pull = 5.0
    world = new_world(substeps=substeps)
    world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(0.0, 0.0, 1.1), material=Material(adhesion=pull))
    box = world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.9), mass=ratio * pull / G)
    run(world, 1.0)
    if holds:
        assert world.bodies["pos"][box, 2] == pytest.approx(0.9, abs=1e-6)
        assert world.contacts["impulse"].sum() == pytest.approx((1.0 - ratio) * pull * DT, rel=1e-6)
    else:
        assert world.bodies["pos"][box, 2] < 0.7


def test_adhesion_enables_friction_on_a_wall():
    for ratio, holds in ((0.95, True), (1.05, False)):
        world = new_world()
        tape = Material(friction=0.5, adhesion=10.0)
        world.add_body(Box((0.1, 1.0, 1.0)), kind="static", pos=(-0.1, 0.0, 0.0), material=tape)
        box = world.add_body(Box((0.02, 0.2, 0.2)), pos=(0.02, 0.0, 0.0), mass=ratio * 0.5 * 10.0 / G, material=tape)
        run(world, 0.5)
        assert bool(world.bodies["pos"][box, 2] > -1e-6) is holds
        assert {int(case) for case in world.contacts["case"]} == {int(Case.STICK if holds else Case.SLIP)}


def test_adhesion_does_not_reach_across_a_gap():
    world = new_world(gravity=(0.0, 0.0, 0.0))
    world.add_body(Plane(), kind="static", material=Material(adhesion=100.0))
    ball = world.add_body(Sphere(R), pos=(0.0, 0.0, R + 0.001))
    run(world, 0.5)
    assert world.bodies["pos"][ball, 2] == R + 0.001


@pytest.mark.parametrize("substeps", [4, 16])
def test_soft_steps_roll_spin_and_hang_as_well(substeps):
    """To the accuracy of one sweep a substep."""
    world = World()
    world.use_solver("soft_steps")
    set_option(world.solver.options, "substeps", substeps)
    world.add_body(Plane(), kind="static", friction=0.5)
    world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(5.0, 0.0, 1.1), material=Material(adhesion=5.0))
    ball = world.add_body(Sphere(R), pos=(0.0, 0.0, R), material=Material(rolling=0.01), vel=(0.8, 0.0, 0.0),
                          omega=(0.0, 8.0, 0.0))
    top = world.add_body(Sphere(R), pos=(0.0, 2.0, R), material=Material(torsional=0.002), omega=(0.0, 0.0, 8.0))
    box = world.add_body(Box((0.2, 0.2, 0.1)), pos=(5.0, 0.0, 0.9), mass=0.9 * 5.0 / G)
    for _ in range(120):
        step(world, DT)
    assert world.bodies["vel"][ball, 0] == pytest.approx(0.8 - 5.0 / 7.0 * G * 0.01 / R * 0.5, rel=0.02)
    assert world.bodies["omega"][top, 2] == pytest.approx(8.0 - 0.002 * G / (0.4 * R * R) * 0.5, rel=0.02)
    assert world.bodies["pos"][box, 2] == pytest.approx(0.9, abs=1e-3)


def test_the_exact_solver_refuses_adhesion():
    world = World()
    world.add_body(Sphere(R), material=Material(adhesion=1.0))
    with pytest.raises(BadInput, match="adhesion is not supported"):
        world.use_solver("stewart_trinkle")


# ---- rolling and torsional friction as rows of a complementarity problem

LCP_SOLVERS = ("stewart_trinkle", "joint_space")


def lcp_world(solver: str, gravity=(0.0, 0.0, -G), **options) -> World:
    """A world under a solver of complementarity problems; joint space makes one part of a step, so that `middle` holds."""
    world = World(gravity=gravity)
    world.use_solver(solver)
    for name, value in {**({"longest_part": 1.0} if solver == "joint_space" else {}), **options}.items():
        set_option(world.solver.options, name, value)
    return world


@pytest.mark.parametrize("solver", LCP_SOLVERS)
@pytest.mark.parametrize(("cone", "way"), [("polygon", (1.0, 0.0)), ("circle", (0.6, 0.8))])
def test_exactly_a_ball_slows_by_five_sevenths_g_c_over_r_while_its_spin_dies(solver, cone, way):
    """Rolling against (5/7) g c / r, spin against c m g / I, both at once; along a corner of the polygon, or anywhere."""
    c, v, spin, way = 0.01, 0.8, 2.0, np.array([*way, 0.0])
    world = lcp_world(solver, cone=cone)
    ball = ball_on_ground(world, Material(rolling=c, torsional=0.002), vel=v * way, omega=(-v * way[1] / R, v * way[0] / R, spin))
    run(world, 0.5)
    assert world.bodies["vel"][ball] == pytest.approx((v - 5.0 / 7.0 * G * c / R * middle(world)) * way, abs=1e-10)
    assert world.bodies["omega"][ball, 2] == pytest.approx(0.0, abs=1e-9)
    moment = world.contacts["spin_impulse"][0] / (DT * c * G * world.bodies["mass"][ball])
    assert moment[:2] == pytest.approx([way[1], -way[0]], abs=1e-9)
    run(world, 0.8)
    slowing = 5.0 / 7.0 * G * c / R
    assert world.bodies["pos"][ball] == pytest.approx(v * v / (2.0 * slowing) * way + (0.0, 0.0, R), abs=v * DT)
    assert np.abs(world.bodies["vel"][ball]).max() < 1e-9 and np.abs(world.bodies["omega"][ball]).max() < 1e-8


@pytest.mark.parametrize("solver", LCP_SOLVERS)
@pytest.mark.parametrize(("ratio", "rolls"), [(0.99, False), (1.01, True)])
def test_exactly_a_ball_holds_on_a_slope_up_to_c_over_r(solver, ratio, rolls):
    c = 0.02
    angle = math.atan(ratio * c / R)
    world = lcp_world(solver, (G * math.sin(angle), 0.0, -G * math.cos(angle)))
    ball = ball_on_ground(world, Material(rolling=c))
    run(world, 0.5)
    expected = 5.0 / 7.0 * G * (math.sin(angle) - c / R * math.cos(angle)) if rolls else 0.0
    assert world.bodies["vel"][ball, 0] == pytest.approx(expected * middle(world), rel=1e-8, abs=1e-11)


@pytest.mark.parametrize("solver", LCP_SOLVERS)
def test_torsional_friction_is_shared_by_the_corners_of_a_box(solver):
    """I omega' = -c m g however the corners share the weight."""
    c, spin = 0.02, 5.0
    world = lcp_world(solver)
    world.add_body(Plane(), kind="static", friction=0.0)
    box = world.add_body(Box((0.2, 0.2, 0.05)), pos=(0.0, 0.0, 0.05), mass=2.0, friction=0.0, material=Material(torsional=c),
                         omega=(0.0, 0.0, spin))
    run(world, 0.25)
    inertia = world.bodies["inertia"][box, 2, 2]
    assert world.bodies["omega"][box, 2] == pytest.approx(spin - c * 2.0 * G / inertia * middle(world), rel=1e-9)


def cart(solver: str) -> np.ndarray:
    """Velocity of a cart on four wheels with rolling friction, and the turning speed of one, after 0.25 s."""
    world = World()
    world.use_solver(solver)
    world.add_body(Plane(), kind="static", friction=0.8)
    body = world.add_body(Box((0.4, 0.2, 0.05)), pos=(0.0, 0.0, 0.1), vel=(1.0, 0.0, 0.0), mass=2.0, friction=0.0)
    for x in (-0.3, 0.3):
        for y in (-0.35, 0.35):
            wheel = world.add_body(Sphere(R), pos=(x, y, R), vel=(1.0, 0.0, 0.0), omega=(0.0, 1.0 / R, 0.0), mass=0.5,
                                   friction=0.8, material=Material(rolling=0.005))
            world.add_joint("revolute", body, wheel, anchor=(x, y, R), axis=(0.0, 1.0, 0.0))
    for _ in range(60):
        step(world, DT)
    return np.array([world.bodies["vel"][body, 0], world.bodies["omega"][wheel, 1]])


def test_a_cart_in_joint_coordinates_rolls_to_rest_as_with_all_solvers():
    """(M + sum I / r^2) v' = -c (weight) / r."""
    slowing = 0.005 * 4.0 * G / R / (4.0 + 4.0 * 0.4 * 0.5)
    for solver in (*LCP_SOLVERS, "sequential_impulses"):
        assert cart(solver) == pytest.approx((1.0 - 0.25 * slowing) * np.array([1.0, 1.0 / R]), rel=2e-3), solver


@pytest.mark.parametrize("law", ["Newton", "Poisson"])
def test_spin_rebounds_in_the_published_scheme(law):
    """One problem in the step of the impact, as in the paper: n.dw = -e (n.dw before) within torsional friction."""
    world = lcp_world("stewart_trinkle", rounds=1, impact_law=law)
    ball = ball_on_ground(world, Material(restitution=0.8, torsional=1.0, torsional_restitution=0.6), vel=(0.0, 0.0, -2.0),
                          omega=(0.0, 0.0, 5.0))
    step(world, DT)
    assert world.bodies["vel"][ball, 2] > 1.0 and world.bodies["omega"][ball, 2] == pytest.approx(-3.0, abs=1e-9)


def test_snapshots_keep_the_moments():
    world = new_world(gravity=(0.2, 0.0, -G))
    ball = ball_on_ground(world, Material(rolling=0.01, torsional=0.01), omega=(0.0, 0.0, 1.0))
    run(world, 0.1)
    kept = world.snapshot()
    run(world, 0.1)
    after = world.bodies[ball].copy()
    world.restore(kept)
    run(world, 0.1)
    assert world.bodies[ball].tobytes() == after.tobytes()
