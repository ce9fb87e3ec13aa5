"""Laws of friction in joints: viscous, static and kinetic, Stribeck, by load, several groups; against closed forms and scipy."""

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from physics import BadInput, Box, Friction, Motor, Sphere, World, set_option, step
from physics.contact.friction_cone import polygon
from physics.core.records import Case
from physics.dynamics import integrate
from tests.tools import row_table
from tests.tools.joint_tools import DT, firm, read


def rail(law: Friction | float, speed: float = 0.0, mass: float = 2.0, gravity=(0.0, 0.0, 0.0), **more) -> World:
    world = firm(gravity)
    block = world.add_body(Box((0.2, 0.1, 0.1)), mass=mass, vel=(speed, 0.0, 0.0), name="block")
    friction = {"slide": law} if more.get("kind", "prismatic") != "prismatic" else law
    world.add_joint(more.pop("kind", "prismatic"), 0, block, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), name="rail",
                    friction=friction if isinstance(law, Friction) else {"slide": law}, **more)
    return world


@pytest.mark.parametrize("dt", [1 / 1000, 1 / 60])
def test_viscous_friction_decays_exponentially(dt):
    """v = v0 exp(-c t / m); implicit Euler: v0 / (1 + c h / m)^n exactly, the first h half as long: to the middle of a step."""
    world = rail(Friction(viscous=3.0), 2.0)
    n = round(1.0 / dt)
    for _ in range(n):
        step(world, dt)
    assert world.bodies["vel"][1, 0] == pytest.approx(2.0 / (1.0 + 3.0 * dt / 4.0) / (1.0 + 3.0 * dt / 2.0) ** (n - 1), rel=1e-9)
    assert world.bodies["vel"][1, 0] == pytest.approx(2.0 * math.exp(-1.5), rel=2.0 * dt)
    assert read(world, "joint:rail.friction") == pytest.approx(-3.0 * world.bodies["vel"][1, 0], rel=1e-9)


@pytest.mark.parametrize("kind", ["revolute", "spherical", "universal", "cylindrical", "planar", "screw", "six_dof",
                                  "torsion_spring"])
def test_viscous_friction_of_a_rotation(kind):
    """A ball turning about the axis: omega = omega0 exp(-c t / I), whatever the kind."""
    world = firm()
    ball = world.add_body(Sphere(0.2), mass=1.0, omega=(0.0, 0.0, 4.0))
    groups = {"universal": "first"}
    more = {"lead": 1e-6} if kind == "screw" else {"stiffness": 0.0} if kind == "torsion_spring" else {}
    world.add_joint(kind, 0, ball, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0),
                    friction={groups.get(kind, "turn"): Friction(viscous=0.02)}, **more)
    for _ in range(1000):
        step(world, 1e-3)
    wanted = 4.0 / (1.0 + 0.01e-3 / 0.016) / (1.0 + 0.02e-3 / 0.016) ** 999
    assert world.bodies["omega"][ball, 2] == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize("c", [1e2, 1e5, 1e9])
def test_any_viscosity_is_stable(c):
    world = rail(Friction(viscous=c), 5.0)
    speeds = [5.0]
    for _ in range(50):
        step(world, 1 / 30)
        speeds.append(world.bodies["vel"][1, 0])
    assert all(-1e-12 <= b <= max(a, 1e-12) for a, b in itertools.pairwise(speeds))


def test_dry_and_viscous_friction_stop_at_the_right_time():
    """m vdot = -F - c v:  t = m / c ln(1 + c v0 / F)."""
    force, c, v0, dt = 4.0, 3.0, 2.0, 1e-3
    world = rail(Friction(static=force, viscous=c), v0)
    times = [world.time for _ in range(2000) if step(world, dt) and world.bodies["vel"][1, 0] > 1e-9]
    assert times[-1] == pytest.approx(2.0 / c * math.log(1.0 + c * v0 / force), abs=3.0 * dt)
    assert world.joints["case"][0] == Case.STICK and read(world, "joint:rail.friction") == pytest.approx(0.0, abs=1e-9)


def test_dry_and_viscous_friction_of_a_ball_joint_opposes_omega():
    """Anisotropic inertia: the impulse is (F + c |omega|) h against omega at the end of the kick, to 1e-6."""
    world = firm()
    body = world.add_body(Box((0.5, 0.2, 0.06)), mass=4.0, omega=(4.0, 5.0, 3.0))
    world.add_joint("spherical", 0, body, anchor=(0.0, 0.0, 0.0), friction=Friction(static=1.0, viscous=0.3))
    for n in range(100):
        step(world, DT)
        p, omega = world.joints["friction_impulse"][0, :3], world.joints["slip"][0, :3]
        speed, time = np.linalg.norm(omega), DT * (0.5 if n == 0 else 1.0)
        assert p == pytest.approx(-(1.0 + 0.3 * speed) * time * omega / speed, rel=1e-6, abs=1e-9)
        assert world.report.residual < 1e-9


@pytest.mark.parametrize("group", ["slide", "turn"])
def test_a_cylindrical_joint_has_friction_of_its_own_along_and_about(group):
    """Below its bound one direction holds while the other moves freely: in twenty seconds a third of what a minute may bring."""
    world = firm((-9.81, 0.0, 0.0))
    omega = (3.0, 0.0, 0.0) if group == "slide" else (0.0, 0.0, 0.0)
    body = world.add_body(Box((0.2, 0.1, 0.1)), mass=2.0, omega=omega)
    bounds = {"slide": 19.7} if group == "slide" else {"turn": 1.0}
    world.add_joint("cylindrical", 0, body, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), friction=bounds, name="c")
    for _ in range(20 * 240 if group == "slide" else 240):
        if group == "turn":
            world.apply_torque(body, (0.99, 0.0, 0.0))
        step(world, DT)
    if group == "slide":
        assert abs(read(world, "joint:c.travel")) < 3e-10 and read(world, "joint:c.angle_rate") == pytest.approx(3.0, rel=1e-9)
        assert read(world, "joint:c.friction") == pytest.approx(19.62, rel=1e-6)
    else:
        falling = read(world, "joint:c.travel_rate") / (1.0 - 0.5 * DT)      # the rate is that of the middle of the last step
        assert abs(read(world, "joint:c.angle")) < 1e-9 and falling == pytest.approx(-9.81, rel=1e-9)
        assert read(world, "joint:c.turn_friction") == pytest.approx(-0.99, rel=1e-6)


@pytest.mark.parametrize(("kind", "force", "more"), [
    ("planar", (3.0, 2.0, 0.0), {"friction": {"slide": 3.7}}), ("screw", (0.0, 0.0, 5.0), {"max_friction": 0.01, "lead": 0.01}),
    ("universal", (0.0, 0.0, -1.0), {"max_friction": 1.0}),
    ("six_dof", (1.0, 2.0, 2.0), {"friction": {"slide": 3.05, "turn": 1.0}}),
    ("spring", (3.0, 0.0, 0.0), {"max_friction": 3.1, "stiffness": 0.0}),
    ("cylindrical", (0.0, 0.0, 4.0), {"friction": {"slide": 4.1, "turn": 0.1}})])
def test_every_kind_below_its_bound_does_not_move(kind, force, more):
    """In 20 s by less than 0.3 nm: a creep that would be 1 nm in a minute."""
    world = firm()
    body = world.add_body(Box((0.2, 0.1, 0.1)), mass=2.0, pos=(0.5, 0.0, 0.0), quat=(0.9, 0.1, 0.2, 0.3))
    more = {**more, **({"anchor_b": (0.5, 0.0, 0.0)} if kind == "spring" else {})}
    world.add_joint(kind, 0, body, anchor=(0.0 if kind == "spring" else 0.5, 0.0, 0.0), axis=(0.0, 0.0, 1.0), **more)
    point = (0.5, 0.3, 0.0) if kind == "universal" else None
    set_option(world.solver.options, "iterations", 500)
    world.drivers.append(lambda w: w.apply_force(body, force, point))
    pos, quat = world.bodies["pos"][body].copy(), world.bodies["quat"][body].copy()
    for _ in range(20 * 60):
        step(world, 1 / 60)
    assert np.abs(world.bodies["pos"][body] - pos).max() < 0.3e-9
    assert np.abs(world.bodies["quat"][body] - quat).max() < 0.3e-9


def test_static_friction_holds_and_kinetic_friction_slides():
    """19 N below F_s = 20 N hold for ever; once moving F_k = 12 N acts."""
    world = rail(Friction(static=20.0, kinetic=12.0), gravity=(-9.5, 0.0, 0.0))
    for _ in range(240):
        step(world, DT)
    assert abs(read(world, "joint:rail.angle")) < 1e-9 and world.joints["case"][0] == Case.STICK
    world.set_velocity(1, (-0.1, 0.0, 0.0), (0.0, 0.0, 0.0))
    step(world, DT)
    start = read(world, "joint:rail.rate")
    for _ in range(240):
        step(world, DT)
    assert read(world, "joint:rail.rate") == pytest.approx(start - (19.0 - 12.0) / 2.0, rel=1e-6)


def belt(law: Friction, dt: float, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """A kilogram on a rail under a belt at 0.1 m/s, held by a spring of 100 N/m: times and positions."""
    world = firm()
    tape = world.add_body(Box((1.0, 0.2, 0.01)), kind="kinematic", vel=(0.1, 0.0, 0.0))
    block = world.add_body(Box((0.05, 0.05, 0.05)), mass=1.0, vel=(0.1, 0.0, 0.0))
    world.add_joint("prismatic", tape, block, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), friction=law, name="belt")
    world.add_joint("six_dof", 0, block, anchor=(0.0, 0.0, 0.0), motor={"x": Motor("spring", 0.0, 1e6, stiffness=100.0)},
                    axis=(0.0, 0.0, 1.0), across=(1.0, 0.0, 0.0), name="spring")
    count = round(seconds / dt)
    x = np.empty(count)
    for n in range(count):
        step(world, dt)
        x[n] = world.bodies["pos"][block, 0]
    return dt * np.arange(1, count + 1), x


def reference(law: Friction, seconds: float, times: np.ndarray) -> np.ndarray:
    """Stick and slip phases one after the other, each by an adaptive Runge-Kutta method with an event at its end."""
    def friction(v: float) -> float:      # the belt is the faster one throughout a slip
        return law.kinetic + (law.static - law.kinetic) * math.exp(-((v / law.stribeck) ** 2))

    def slip(t, y):
        v = 0.1 - y[1]
        return [y[1], -100.0 * y[0] + friction(v) + law.viscous * v]

    def sticks(t, y):
        return y[1] - 0.1

    sticks.terminal, sticks.direction = True, 1.0
    out, t, x, sticking = np.empty(len(times)), 0.0, 0.0, True
    while t < seconds:
        if sticking:
            end = min(seconds, t + (1.00002 * law.static / 100.0 - x) / 0.1)
            mine = (times > t) & (times <= end + 1e-12)
            out[mine] = x + 0.1 * (times[mine] - t)
            x, t, sticking = x + 0.1 * (end - t), end, False
        else:
            run = solve_ivp(slip, (t, seconds), [x, 0.1 - 1e-9], rtol=1e-9, atol=1e-12, events=sticks, dense_output=True)
            end = run.t[-1]
            mine = (times > t) & (times <= end + 1e-12)
            out[mine] = run.sol(times[mine])[0]
            x, t, sticking = run.y[0, -1], end, True
    return out


def test_stribeck_stick_slip_against_an_independent_integration():
    """A block on a belt: sticks, slips, sticks; within 1 % of its swing at the turning points and 2 % on the way, at 2000 Hz."""
    law = Friction(static=5.0, kinetic=3.0, stribeck=0.05, viscous=0.2)
    times, ours = belt(law, 1.0 / 2000.0, 4.0)
    theirs = reference(law, 4.0, times)
    late = times > 1.0
    swing = np.ptp(theirs[late])
    assert swing > 0.04 and ours.max() == pytest.approx(theirs.max(), abs=0.01 * swing)
    assert ours[late].min() == pytest.approx(theirs[late].min(), abs=0.01 * swing)
    assert np.sqrt(np.mean((ours - theirs) ** 2)) < 0.02 * swing


def test_friction_by_load_is_a_share_of_the_reaction():
    """A hinge that carries a weight off the axis of nothing: torque mu r m g about it."""
    world = firm((0.0, 0.0, -10.0))
    wheel = world.add_body(Sphere(0.2), mass=5.0, omega=(0.0, 6.0, 0.0))
    world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), name="hinge",
                    friction=Friction(static=0.1, load=0.2, radius=0.05))
    step(world, DT)
    assert read(world, "joint:hinge.friction") == pytest.approx(-0.1, rel=1e-9), "no reaction is known yet"
    for _ in range(20):
        step(world, DT)
    assert read(world, "joint:hinge.friction") == pytest.approx(-(0.1 + 0.2 * 0.05 * 50.0), rel=1e-6)
    assert read(world, "joint:hinge.reaction") == pytest.approx(50.0, rel=1e-6)


def test_friction_can_be_changed_in_mid_motion():
    world = rail(0.0, 2.0)
    step(world, DT)
    assert world.bodies["vel"][1, 0] == 2.0
    world.set_joint_friction(Friction(static=2.0, viscous=1.0), 0)
    step(world, DT)
    assert world.bodies["vel"][1, 0] == pytest.approx((2.0 - 2.0 / 2.0 * DT) / (1.0 + 1.0 / 2.0 * DT), rel=1e-9)
    world.set_joint_friction(4.0, 0)
    step(world, DT)
    assert world.joints["viscous"][0, 0] == 1.0, "a number changes the dry bound alone"


@pytest.mark.parametrize("law", [Friction(static=-1.0), Friction(static=1.0, kinetic=2.0), Friction(static=1.0, kinetic=-0.5),
                                 Friction(viscous=math.nan), Friction(stribeck=-1.0), Friction(load=-0.1),
                                 Friction(static=math.inf), Friction(static="much")])
def test_bad_laws_are_refused(law):
    with pytest.raises(BadInput):
        rail(law)


def test_the_residual_judges_the_viscous_law():
    """A wrong impulse of the combined law is seen by the natural map."""
    world = rail(Friction(static=4.0, viscous=3.0), 2.0)
    start = np.empty((2, 6))
    free = np.empty_like(start)
    integrate.velocities(world.bodies, world.gravity, DT, start, free)
    table = row_table.build(world, world.contacts[:0], start, free, DT, 0.0)
    time, m = 0.5 * DT, 2.0
    c = 3.0 * time
    v = (2.0 - 4.0 * time / m) / (1.0 + c / m)
    row = table.rows[table.blocks[1]["first"]]
    velocity = free.copy()
    velocity[1, 0] = v
    row["impulse"] = -(4.0 * time + c * v)
    assert row_table.natural_map(table, velocity, polygon(0)) < 1e-12
    row["impulse"] *= 0.99
    assert row_table.natural_map(table, velocity, polygon(0)) > 1e-5
