"""Dry friction in joints (MS16 eq 8, 12) against closed forms: holding, sliding, the pendulum, the spherical joint."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Sphere, World, set_option, step
from physics.core.records import Case
from physics.observe import quantities
from physics.solvers.lcp.joint_polygons import nearest
from scenes import find, run
from scenes import pendulum as pendulum_scene

G = 9.81
DT = 1.0 / 240.0


def new_world(gravity=(0.0, 0.0, -G)) -> World:
    """A world without a wall clock, so that every run gives the same numbers."""
    world = World(gravity=gravity)
    set_option(world.solver.options, "budget", 0.0)
    set_option(world.solver.options, "tolerance", 1e-13)
    set_option(world.solver.options, "iterations", 1000)
    return world


def arm(bound: float) -> tuple[World, int]:
    """A level arm on a hinge about y; gravity turns it with 2 kg * 9.81 * 0.5 m = 9.81 N m."""
    world = new_world()
    body = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0.0, 1.0), mass=2.0, name="arm")
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), max_friction=bound, name="hinge")
    return world, body


def rail(bound: float, tilt: float = 0.0, speed: float = 0.0, mass: float = 2.0) -> World:
    """A block on a rail along x, tilted downwards by an angle [rad]; it moves downhill for a positive travel."""
    world = new_world()
    along = np.array([math.cos(tilt), 0.0, -math.sin(tilt)])
    quat = (math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0)
    body = world.add_body(Box((0.2, 0.1, 0.1)), pos=(0.0, 0.0, 1.0), quat=quat, vel=tuple(speed * along), mass=mass,
                          name="block")
    world.add_joint("prismatic", 0, body, anchor=(0.0, 0.0, 1.0), axis=tuple(along), max_friction=bound, name="slide")
    return world


def travel(world: World, key: str, seconds: float, dt: float = DT) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of a quantity, the start included."""
    read = quantities.find(world, key).read
    times, values = [world.time], [read(world)]
    for _ in range(round(seconds / dt)):
        step(world, dt)
        times.append(world.time)
        values.append(read(world))
    return np.array(times), np.array(values)


@pytest.mark.parametrize("share", [0.5, 0.999])
def test_a_hinge_below_its_limit_holds(share):
    """For twenty seconds, by a third of the 1e-9 that a minute may bring."""
    world, _ = arm(9.81 / share)
    _, angle = travel(world, "joint:hinge.angle", 20.0)
    assert np.max(np.abs(angle)) < 3e-10
    assert world.joints["case"][0] == Case.STICK
    assert quantities.find(world, "joint:hinge.friction").read(world) == pytest.approx(-9.81, rel=1e-6)


@pytest.mark.parametrize("share", [0.5, 0.999])
def test_a_slider_below_its_limit_holds(share):
    tilt = math.radians(25.0)
    load = 2.0 * G * math.sin(tilt)
    world = rail(load / share, tilt)
    _, way = travel(world, "joint:slide.angle", 20.0)
    assert np.max(np.abs(way)) < 3e-10
    assert quantities.find(world, "joint:slide.friction").read(world) == pytest.approx(-load, rel=1e-6)


def test_a_ball_joint_below_its_limit_holds():
    world = new_world()
    body = world.add_body(Box((0.5, 0.1, 0.05)), pos=(0.4, 0.3, 1.0), mass=2.0)
    world.add_joint("spherical", 0, body, anchor=(0.0, 0.0, 1.0), max_friction=1.001 * 2.0 * G * 0.5, name="socket")
    _, angle = travel(world, "joint:socket.angle", 20.0)
    assert np.max(np.abs(angle)) < 3e-10


@pytest.mark.parametrize("excess", [0.001, 0.1, 2.0])
def test_a_hinge_above_its_limit_turns_with_the_right_acceleration(excess):
    """The axis goes through the centre of mass, a constant torque drives it: I alpha = torque - F_max."""
    world = new_world(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Box((0.5, 0.2, 0.05)), mass=3.0)
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), max_friction=5.0, name="hinge")
    world.drivers.append(lambda w: w.apply_torque(body, (0.0, 0.0, 5.0 * (1.0 + excess))))
    time, rate = travel(world, "joint:hinge.rate", 1.0)
    inertia = world.bodies["inertia"][body, 2, 2]
    # rates belong to the middles of steps: the first one is that of a body let go, with half a step's torques
    assert (rate[-1] - rate[1]) / (time[-1] - time[1]) == pytest.approx(5.0 * excess / inertia, rel=1e-6)
    assert quantities.find(world, "joint:hinge.friction").read(world) == pytest.approx(-5.0, rel=1e-9)


@pytest.mark.parametrize("excess", [0.001, 0.1, 2.0])
def test_a_slider_above_its_limit_slides_with_the_right_acceleration(excess):
    tilt = math.radians(30.0)
    bound = 2.0 * G * math.sin(tilt) / (1.0 + excess)
    world = rail(bound, tilt)
    time, rate = travel(world, "joint:slide.rate", 1.0)
    # from the second step on: the first one is that of a body let go, with half a step's gravity
    gained = (rate[-1] - rate[1]) / (time[-1] - time[1])
    assert gained == pytest.approx(G * math.sin(tilt) - bound / 2.0, rel=1e-6)


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240, 1 / 1000])
def test_a_slider_stops_after_v2_m_over_2_f(dt):
    speed, bound = 3.0, 4.0
    world = rail(bound, speed=speed)
    set_option(world.solver.options, "substeps", 1)
    _, way = travel(world, "joint:slide.angle", 2.0, dt)
    speeds = speed - bound / 2.0 * dt * (np.arange(10_000) + 0.5)
    assert way[-1] == pytest.approx(dt * np.sum(speeds[speeds > 0.0]), rel=1e-9)
    assert way[-1] == pytest.approx(speed**2 * 2.0 / (2.0 * bound), rel=(bound / 2.0 * dt / speed) ** 2 + 1e-9)


def test_friction_between_two_free_bodies_keeps_their_momentum():
    world = new_world(gravity=(0.0, 0.0, 0.0))
    a = world.add_body(Box((0.5, 0.1, 0.1)), mass=3.0)
    b = world.add_body(Box((0.2, 0.1, 0.1)), pos=(0.0, 0.0, 0.3), vel=(2.0, 0.0, 0.0), mass=1.0)
    world.add_joint("prismatic", a, b, anchor=(0.0, 0.0, 0.15), axis=(1.0, 0.0, 0.0), max_friction=1.5, name="slide")
    time, way = travel(world, "joint:slide.angle", 4.0)
    momentum = world.bodies["mass"] @ world.bodies["vel"]
    assert momentum == pytest.approx([2.0, 0.0, 0.0], abs=1e-9)
    assert world.joints["case"][0] == Case.STICK
    assert np.linalg.norm(world.bodies["omega"][a]) > 0.1, "the pair turns: friction carries the centripetal force"
    assert np.ptp(way[time > 3.0]) < 1e-6, "a slider that sticks must not creep on a turning base"


@pytest.mark.parametrize("bound", [0.2, 0.4, 1.0])
def test_a_pendulum_loses_amplitude_by_the_energy_balance(bound):
    """m g L (cos theta_n+1 - cos theta_n) = M (|theta_n| + |theta_n+1|), turn by turn, within 0.2 %."""
    parameters = pendulum_scene.Parameters(start=60.0, friction=bound)
    _, trace = run(find("pendulum"), parameters, seconds=6.0, dt=1.0 / 480.0)
    found = pendulum_scene.turning_points(trace)
    expected = pendulum_scene.turns(parameters, 12)
    for k in range(min(4, len(found))):
        assert found[k] == pytest.approx(expected[k], rel=2e-3), f"turn {k + 1}"


def test_a_pendulum_without_friction_keeps_its_amplitude():
    """Ten seconds at 240 Hz: less than 0.1 % of the amplitude is lost to the integrator."""
    parameters = pendulum_scene.Parameters(start=60.0, friction=0.0)
    _, trace = run(find("pendulum"), parameters, seconds=10.0)
    assert pendulum_scene.turning_points(trace)[-1] == pytest.approx(math.radians(60.0), rel=1e-3)


def test_the_closed_form_of_the_pendulum_agrees_with_its_differential_equation():
    """I theta'' = -m g L sin(theta) - M sign(theta'), by small Runge-Kutta steps, as an independent witness."""
    weight, bound = pendulum_scene.MASS * G * pendulum_scene.ARM, 0.4
    inertia = 0.9                                   # any: turning points do not depend on it
    theta, omega, h = math.radians(60.0), 0.0, 1e-4
    turns, direction = [], -1.0

    def slope(angle: float, rate: float) -> tuple[float, float]:
        return rate, (-weight * math.sin(angle) - bound * direction) / inertia

    while len(turns) < 3:
        k1 = slope(theta, omega)
        k2 = slope(theta + 0.5 * h * k1[0], omega + 0.5 * h * k1[1])
        k3 = slope(theta + 0.5 * h * k2[0], omega + 0.5 * h * k2[1])
        k4 = slope(theta + h * k3[0], omega + h * k3[1])
        theta += h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0])
        omega += h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1])
        if omega * direction < 0.0:
            turns.append(abs(theta))
            omega, direction = 0.0, -direction
    assert turns == pytest.approx(pendulum_scene.turns(pendulum_scene.Parameters(start=60.0, friction=bound), 3), abs=1e-6)


def spinning(bound: float, omega=(4.0, 5.0, 3.0)) -> tuple[World, int]:
    """A brick on a spherical joint through its centre, no gravity."""
    world = new_world(gravity=(0.0, 0.0, 0.0))
    body = world.add_body(Box((0.5, 0.2, 0.06)), mass=4.0, omega=omega)
    world.add_joint("spherical", 0, body, anchor=(0.0, 0.0, 0.0), max_friction=bound, name="socket")
    return world, body


def test_spherical_friction_is_opposite_to_the_relative_angular_velocity():
    """Until it stops: the impulse is F_max dt, and against omega to 1e-6 rad, although I omega points elsewhere.

    omega is that at the end of the kick; then the body drifts with its angular momentum.
    """
    bound = 1.0
    world, body = spinning(bound)
    widest, slipping = 0.0, 0
    for n in range(2000):
        step(world, DT)
        joint = world.joints[0]
        if joint["case"] != Case.SLIP:
            break
        p, omega = joint["friction_impulse"][:3], joint["slip"][:3]
        assert np.linalg.norm(p) == pytest.approx(bound * DT * (0.5 if n == 0 else 1.0), rel=1e-9)
        assert np.linalg.norm(omega - world.bodies["omega"][body]) <= 5e-2 * np.linalg.norm(omega)
        assert np.linalg.norm(np.cross(p, omega)) <= 1e-6 * np.linalg.norm(p) * np.linalg.norm(omega)
        assert p @ omega < 0.0
        world_inertia = np.linalg.inv(world.bodies["inv_inertia_world"][body])
        spin = world_inertia @ omega
        widest = max(widest, np.linalg.norm(np.cross(spin, omega)) / np.linalg.norm(spin) / np.linalg.norm(omega))
        slipping += 1
    assert slipping > 100
    assert widest > 0.3, "the test says nothing where I omega is parallel to omega"
    assert np.linalg.norm(world.bodies["omega"][body]) < 1e-9, "it must stop"


def test_the_papers_radial_scaling_is_not_opposite_to_omega():
    """MS16 eq 16 as printed points against I omega: kept as an option, and different, as the seeds' remark says."""
    world, body = spinning(1.0)
    set_option(world.solver.options, "joint_friction", "radial (MS16 eq 16)")
    step(world, DT)
    p, omega = world.joints["friction_impulse"][0, :3], world.bodies["omega"][body]
    assert np.linalg.norm(np.cross(p, omega)) > 0.1 * np.linalg.norm(p) * np.linalg.norm(omega)
    spin = np.linalg.inv(world.bodies["inv_inertia_world"][body]) @ omega
    assert np.linalg.norm(np.cross(p, spin)) < 0.02 * np.linalg.norm(p) * np.linalg.norm(spin)


def test_spherical_friction_takes_f_max_times_the_angle_turned():
    bound = 1.0
    world, _ = spinning(bound)
    energy = quantities.find(world, "world.kinetic").read
    start = energy(world)
    _, rate = travel(world, "joint:socket.rate", 8.0)
    assert energy(world) < 1e-12 * start
    assert bound * DT * np.sum(0.5 * (rate[1:] + rate[:-1])) == pytest.approx(start, rel=0.01)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "prismatic"])
def test_friction_never_exceeds_its_bound(kind):
    """A swinging double pendulum (or slider) with friction in every joint: ||p|| <= F_max dt in every step, with the time for
    which its impulses act: more than the step's where substeps become shorter."""
    world = new_world()
    bound = 0.3
    last = 0
    for i in range(2):
        body = world.add_body(Box((0.3, 0.05, 0.05)), pos=(0.3 + 0.6 * i, 0.0, 2.0), mass=1.0, omega=(0.0, 1.0, 0.5))
        world.add_joint(kind, last, body, anchor=(0.6 * i, 0.0, 2.0), axis=(0.0, 1.0, 0.2), max_friction=bound)
        last = body
    slipped = False
    for _ in range(480):
        step(world, DT)
        most = bound * world.impulse_duration * (1.0 + 1e-9)
        assert np.all(np.linalg.norm(world.joints["friction_impulse"], axis=1) <= most)
        slipped = slipped or bool(np.any(world.joints["case"] == Case.SLIP))
    assert slipped


def test_a_ball_on_a_rail_without_friction_keeps_its_speed():
    world = new_world(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(Sphere(0.1), vel=(1.0, 0.0, 0.0))
    world.add_joint("prismatic", 0, ball, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), name="slide")
    travel(world, "joint:slide.angle", 5.0)
    assert world.bodies["vel"][ball, 0] == pytest.approx(1.0, abs=1e-12)


# ---- any convex polygon (ST96 3.5)

RATCHET = ((-3.0, 0.0), (0.0, -0.5), (5.0, 0.0), (0.0, 0.5))


POLYGON_SOLVERS = "stewart_trinkle", "joint_space"


def sleeve(speed: float, spin: float, corners, force: float = 0.0, torque: float = 0.0, solver: str = "stewart_trinkle") -> World:
    """A cube of 2 kg that slides along a shaft along z and turns on it, after 0.1 s; its friction is a polygon of (N, N m)."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver(solver)
    body = world.add_body(Box((0.1, 0.1, 0.1)), mass=2.0, vel=(0.0, 0.0, speed), omega=(0.0, 0.0, spin), name="cube")
    world.set_joint_friction_polygon(world.add_joint("cylindrical", 0, body, anchor=(0.0, 0.0, 0.0), name="shaft"), corners)
    for _ in range(24):
        world.apply_force(body, (0.0, 0.0, force))
        world.apply_torque(body, (0.0, 0.0, torque))
        assert step(world, DT).residual < 1e-12
    return world


@pytest.mark.parametrize("solver", POLYGON_SOLVERS)
@pytest.mark.parametrize(("speed", "spin", "corner"), [
    (1.0, 0.0, (-3.0, 0.0)), (-1.0, 0.0, (5.0, 0.0)), (0.5, 20.0, (0.0, -0.5)), (0.5, -20.0, (0.0, 0.5))])
def test_friction_in_a_polygon_is_the_corner_that_takes_most_power(speed, spin, corner, solver):
    """Other bounds to and fro; a fast spin takes all of the friction, so that the sliding goes on."""
    world = sleeve(speed, spin, RATCHET, solver=solver)
    body = world.bodies[world.body("cube")]
    assert world.joints["friction_impulse"][0, :2] / DT == pytest.approx(corner, abs=1e-9)
    middle = world.time - 0.5 * DT
    assert body["vel"][2] == pytest.approx(speed + corner[0] / 2.0 * middle, abs=1e-9)
    assert body["omega"][2] == pytest.approx(spin + corner[1] / body["inertia"][2, 2] * middle, abs=1e-9)
    assert world.joints["case"][0] == Case.SLIP and not world.report.audit.findings


@pytest.mark.parametrize("solver", POLYGON_SOLVERS)
@pytest.mark.parametrize(("share", "holds"), [(0.999, True), (1.001, False)])
def test_a_polygon_holds_up_to_its_border(share, holds, solver):
    """Half of one corner and half of the next: on the side between them, against a force and a torque at once."""
    world = sleeve(0.0, 0.0, RATCHET, *(-0.5 * share * (np.array(RATCHET[0]) + RATCHET[1])), solver=solver)
    body = world.bodies[world.body("cube")]
    assert bool(abs(body["vel"][2]) + abs(body["omega"][2]) < 1e-12) is holds


SKEW = ((3.0, -1.0), (2.0, 2.0), (-1.0, 2.5), (-2.0, -0.5), (0.5, -2.0))


def jointed(kind: str, solver: str, cone: str = "polygon") -> World:
    """A box on a joint with a skew polygon of friction and, on it, a hanging rod; the pull of gravity overcomes it."""
    world = World()
    world.use_solver(solver)
    world.solver.set(cone=cone)
    body = world.add_body(Box((0.3, 0.05, 0.1)), pos=(0.2, 0.05, 1.0), mass=3.0, vel=(0.0, 0.1, 0.0), name="box")
    turn = {"axis": (0.3, 1.0, 0.2)} if kind == "planar" else {"axis": (0.0, 1.0, 0.0)}
    j = world.add_joint(kind, 0, body, anchor=(0.0, 0.0, 1.0), name="tested", **turn)
    rod = world.add_body(Box((0.02, 0.02, 0.2)), pos=(0.5, 0.05, 0.8), mass=1.0, name="rod")
    world.add_joint("spherical", body, rod, anchor=(0.5, 0.05, 1.0))
    world.set_joint_friction_polygon(j, SKEW)
    for _ in range(40):
        step(world, 1.0 / 1000.0)
        inside = world.joints["friction_impulse"][j, :2] * 1000.0
        assert world.report.residual < 1e-9
        assert np.hypot(*(nearest(np.array(SKEW), inside) - inside)) < 1e-9
    return world


@pytest.mark.parametrize(("kind", "cone"), [("universal", "polygon"), ("planar", "circle"), ("cylindrical", "polygon")])
def test_joint_space_and_the_exact_solver_agree_on_a_polygon(kind, cone):
    """A box that slips in both directions with another one hanging on it: the same friction, the same way."""
    exact, tree = jointed(kind, "stewart_trinkle"), jointed(kind, "joint_space", cone)
    assert exact.joints["case"][0] == tree.joints["case"][0] == Case.SLIP
    assert tree.joints["friction_impulse"][0, :2] == pytest.approx(exact.joints["friction_impulse"][0, :2], abs=1e-8)
    for name, near in (("pos", 1e-6), ("vel", 1e-4), ("omega", 1e-4)):
        assert np.abs(tree.bodies[name] - exact.bodies[name]).max() < near


@pytest.mark.parametrize("wrong", [
    ((1.0, 0.0), (0.0, 1.0)), ((1.0, 0.0), (2.0, 0.0), (1.0, 1.0)), "square", ((1.0, 0.0), (0.0, 1.0), (math.nan, 0.0)),
    ((1.0, -1.0), (1.0, 1.0), (0.1, 0.0), (-1.0, 1.0), (-1.0, -1.0)), [(i, i * i) for i in range(20)],
    [(math.cos(t), math.sin(t)) for t in 4.0 * math.pi / 5.0 * np.arange(5)]])
def test_a_wrong_polygon_is_refused_and_changes_nothing(wrong):
    world = sleeve(0.0, 0.0, RATCHET)
    before = {name: world.joints[name].copy() for name in ("corners", "corner_count", "max_friction", "kinetic")}
    with pytest.raises(BadInput, match=r"joint 'shaft': the friction polygon .* must have 3 to 16 corners"):
        world.set_joint_friction_polygon("shaft", wrong)
    assert all(np.array_equal(world.joints[name], kept) for name, kept in before.items())


def test_solvers_without_polygons_and_joints_with_one_direction_say_so():
    world = sleeve(0.0, 0.0, RATCHET)
    for solver in ("sequential_impulses", "event_driven", "subsystems", "compliant_contact"):
        with pytest.raises(BadInput, match="friction of joint 'shaft' is a polygon, and only the exact solver and joint space"):
            world.use_solver(solver)
    world, _ = arm(1.0)
    world.use_solver("stewart_trinkle")
    with pytest.raises(BadInput, match="joint 'hinge' has no two directions of friction"):
        world.set_joint_friction_polygon("hinge", RATCHET)
    world = rail(1.0)
    world.add_joint("universal", 0, world.body("block"), anchor=(0.0, 0.0, 1.0), name="pins")
    with pytest.raises(BadInput, match="'pins' is a polygon"):
        world.set_joint_friction_polygon("pins", RATCHET)
    assert world.joints["corner_count"].sum() == 0 and world.joints["max_friction"][world.joint("pins")].sum() == 0.0
