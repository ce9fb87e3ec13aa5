"""What programs have of a world: options by keyword, joint coordinates to set, torque motors, force sensors, callbacks."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Motor, Plane, Sphere, World, solvers, step
from scenes import without_clock

DT = 1.0 / 240.0
WITH_CONTACTS = ["sequential_impulses", "soft_steps", "stewart_trinkle", "compliant_contact", "joint_space"]


@pytest.fixture
def arm():
    """(world, upper, lower, shoulder, elbow): two rods of 1 m that hang on hinges about -y, without gravity."""
    world = without_clock(World(gravity=(0.0, 0.0, 0.0)))
    upper = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.5, 0.0, 0.0), mass=2.0, inertia=(0.01, 0.2, 0.2), name="upper")
    lower = world.add_body(Box((0.5, 0.05, 0.05)), pos=(1.5, 0.0, 0.0), mass=1.0, name="lower")
    shoulder = world.add_joint("revolute", "world", upper, anchor=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0), name="shoulder")
    elbow = world.add_joint("revolute", upper, lower, anchor=(1.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0), name="elbow")
    return world, upper, lower, shoulder, elbow


def test_options_are_set_by_keyword_all_or_none():
    world = World()
    world.solver.set(iterations=80, cone="polygon")
    assert (world.solver.options.iterations, world.solver.options.cone) == (80, "polygon")
    assert repr(world.solver) == "<solver sequential impulses: iterations=80, cone='polygon'>"
    for values, said in (({"iterations": 90, "cone": "square"}, "cone = 'square' is not one of"),
                         ({"cone": "circle", "iteration": 3}, "unknown option 'iteration'; did you mean 'iterations'"),
                         ({"iterations": 0}, "iterations = 0 is out of range; allowed: 1 ..")):
        with pytest.raises(BadInput, match=said):
            world.solver.set(**values)
        assert (world.solver.options.iterations, world.solver.options.cone) == (80, "polygon")
    before = world.solver
    with pytest.raises(BadInput, match="unknown option 'speed'"):
        world.use_solver("soft_steps", speed=3)
    assert world.solver is before
    world.use_solver("soft_steps", substeps=8)
    assert world.solver.options.substeps == 8
    assert repr(world) == "<world at t = 0 s: 1 body, 0 joints, 0 contacts, <solver soft steps: substeps=8>>"


def test_coordinates_are_read_and_set_with_all_that_hangs_from_them(arm):
    world, upper, lower, shoulder, elbow = arm
    elbow.q, shoulder.q = -1.2, 0.5
    assert (shoulder.angle, elbow.angle) == pytest.approx((0.5, -1.2), abs=1e-12)
    assert upper.pos == pytest.approx((0.5 * math.cos(0.5), 0.0, 0.5 * math.sin(0.5)), abs=1e-12)
    tip = lower.to_world((0.5, 0.0, 0.0))
    assert tip == pytest.approx((math.cos(0.5) + math.cos(-0.7), 0.0, math.sin(0.5) + math.sin(-0.7)), abs=1e-12)
    shoulder.qd, elbow.rate = [2.0], 3.0
    assert (shoulder.rate, elbow.rate, *shoulder.qd, *elbow.qd) == pytest.approx((2.0, 3.0, 2.0, 3.0), abs=1e-12)
    assert lower.velocity_at(tip) == pytest.approx(
        (-2.0 * math.sin(0.5) - 5.0 * math.sin(-0.7), 0.0, 2.0 * math.cos(0.5) + 5.0 * math.cos(-0.7)), abs=1e-12)
    before = upper.pos.tobytes()
    elbow.angle = 1.0 + 4.0 * math.pi
    assert elbow.q[0] == pytest.approx(1.0 + 4.0 * math.pi) and elbow.angle == elbow.q[0] and upper.pos.tobytes() == before
    step(world, DT)
    assert elbow.value("error") < 1e-6 and elbow.angle == pytest.approx(1.0 + 4.0 * math.pi + 3.0 * DT, abs=0.01)


def test_ball_joints_have_a_quaternion_and_loops_are_not_torn(arm):
    world, _, lower, shoulder, elbow = arm
    ball = world.add_body(Sphere(0.1), pos=(3.0, 0.0, 0.0))
    wrist = world.add_joint("spherical", lower, ball, anchor=(2.0, 0.0, 0.0), name="wrist")
    wrist.q = (math.cos(0.25), 0.0, 0.0, math.sin(0.25))
    assert ball.pos == pytest.approx((2.0 + math.cos(0.5), math.sin(0.5), 0.0), abs=1e-12) and len(wrist.qd) == 3
    closing = world.add_joint("spherical", "world", ball, anchor=ball.pos, name="closing")
    state = world.bodies.tobytes()
    for joint, value, said in ((elbow, 0.3, "joint 'elbow': with these coordinates joint '(closing|wrist)' would be"),
                               (shoulder, "up", "must be a number"), (shoulder, (1.0, 2.0), "must be a number"),
                               (shoulder, math.nan, "must be a number")):
        with pytest.raises(BadInput, match=said):
            joint.q = value
        assert world.bodies.tobytes() == state
    cut = next(joint for joint in (wrist, closing, elbow, shoulder) if joint in world.joint_space().tree.loops)
    with pytest.raises(BadInput, match=f"joint '{cut.name}' has no coordinates of its own: it closes a loop"):
        _ = cut.q


def test_a_torque_motor_turns_and_a_force_slides():
    world = without_clock(World(gravity=(0.0, 0.0, 0.0)))
    wheel = world.add_body(Sphere(0.1), mass=1.0, inertia=(0.2, 0.2, 0.2))
    sled = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 0.0), mass=4.0)
    free = [world.add_body(Sphere(0.1), pos=(0.0, y, 5.0), mass=1.0, inertia=(i, i, i)) for y, i in ((0.0, 0.1), (1.0, 0.3))]
    hinge = world.add_joint("revolute", "world", wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    rail = world.add_joint("prismatic", "world", sled, anchor=(1.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
    between = world.add_joint("revolute", *free, anchor=(0.0, 0.5, 5.0), axis=(0.0, 1.0, 0.0))

    def drive(world):
        hinge.apply_torque(3.0)
        rail.apply_torque(2.0)
        between.apply_torque(0.6)
    world.drivers.append(drive)
    for _ in range(120):
        step(world, DT)
    late = 0.5 - world.velocity_lag
    assert hinge.rate == pytest.approx(3.0 / 0.2 * late, rel=1e-9) and rail.rate == pytest.approx(2.0 / 4.0 * late, rel=1e-9)
    assert [body.omega[1] for body in free] == pytest.approx([-6.0 * late, 2.0 * late], rel=1e-9), "what is inside adds no spin"
    with pytest.raises(BadInput, match="no axis 'twist'"):
        hinge.apply_torque(1.0, "twist")


def test_a_joint_is_a_force_sensor_along_the_axes_of_a_body():
    """A load of 2 kg at 0.3 m on a post that leans by 30 degrees, on a fixed joint."""
    lean, world = math.radians(30.0), without_clock(World())
    quat = (math.cos(lean / 2.0), 0.0, math.sin(lean / 2.0), 0.0)
    load = world.add_body(Box((0.05, 0.05, 0.05)), pos=(0.3 * math.sin(lean), 0.0, 0.3 * math.cos(lean)), quat=quat, mass=2.0)
    sensor = world.add_joint("fixed", "world", load, anchor=(0.0, 0.0, 0.0))
    for _ in range(20):
        step(world, DT)
    weight = 2.0 * 9.81
    force, torque = sensor.wrench(load)
    assert force == pytest.approx((-weight * math.sin(lean), 0.0, weight * math.cos(lean)), abs=1e-6)
    assert torque == pytest.approx((0.0, -weight * 0.3 * math.sin(lean), 0.0), abs=1e-6)
    assert sensor.torque == pytest.approx(weight * 0.3 * math.sin(lean), abs=1e-6)
    assert sensor.wrench()[0] == pytest.approx((0.0, 0.0, weight), abs=1e-6)


def test_contacts_push_and_turn_a_body():
    """A box that is pushed above its centre stays up: the moment of the floor balances that of the push."""
    world = without_clock(World())
    world.add_body(Plane(), kind="static", friction=0.9)
    box = world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.2), mass=1.0, friction=0.9)
    for _ in range(60):
        box.apply_force((3.0, 0.0, 0.0), point=(0.0, 0.0, 0.3))
        step(world, DT)
    assert box.contact_force == pytest.approx((-3.0, 0.0, 9.81), abs=1e-6)
    assert box.contact_torque == pytest.approx((0.0, -0.3, 0.0), abs=1e-6)


@pytest.mark.parametrize("solver", WITH_CONTACTS)
def test_callbacks_change_friction_and_leave_contacts_out(solver):
    """A box slides without friction that its materials have, and a ball falls freely through the floor."""
    world = without_clock(World())
    world.add_body(Plane(), kind="static", friction=0.5)
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), vel=(1.0, 0.0, 0.0), friction=0.5)
    ball = world.add_body(Sphere(0.1), pos=(3.0, 0.0, 0.101), vel=(0.0, 0.0, -20.0))
    world.use_solver(solver)

    def callback(world, contacts):
        contacts["friction"] = 0.0
        return (contacts["body_a"] != ball) & (contacts["body_b"] != ball)
    world.contact_callbacks.append(callback)
    for _ in range(24):
        step(world, DT)
    assert box.vel[0] == pytest.approx(1.0, abs=1e-9) and box.pos[2] == pytest.approx(0.1, abs=1e-3)
    assert ball.pos[2] == pytest.approx(0.101 - 20.0 * 0.1 - 0.5 * 9.81 * 0.1**2, abs=1e-9)
    assert len(world.contacts) == 4 and not world.report.audit.findings


def test_what_a_callback_may_not_do_is_told_and_the_world_is_as_before():
    world = without_clock(World())
    world.add_body(Plane(), kind="static")
    world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1))

    def bad_friction(world, contacts):
        contacts["friction"][1] = -1.0
    for callback, said in ((bad_friction, "a contact callback set friction = -1; allowed: 0 .. inf"),
                           (lambda world, contacts: [True], r"expected which of the 4 contacts act, bool \(4,\), or None")):
        world.contact_callbacks[:] = [callback]
        before = world.bodies.tobytes()
        with pytest.raises(BadInput, match=said):
            step(world, DT)
        assert world.bodies.tobytes() == before and world.time == 0.0


@pytest.mark.parametrize("solver", [name for name, kind in solvers.available().items()
                                    if hasattr(kind().options, "substeps")])
def test_drivers_are_called_before_each_substep_that_is_asked_for(solver):
    world = without_clock(World())
    world.add_body(Sphere(0.1))
    world.use_solver(solver, substeps=6)
    calls = []
    world.drivers.append(lambda world: calls.append(world.driver_dt))
    step(world, DT)
    assert len(calls) == 6 and calls == pytest.approx([DT / 6.0] * 6)


def test_a_program_keeps_data_with_bodies_and_joints(arm):
    world, upper, _, shoulder, elbow = arm
    upper.data["paint"], elbow.data["part"] = "red", 17
    assert world.body("upper").data == {"paint": "red"} and world.joint("elbow").data == {"part": 17} and shoulder.data == {}
    elbow.drive(Motor("velocity", 1.0))
    step(world, DT)
    upper.remove(with_joints=True)
    again = world.add_body(Sphere(0.1))
    assert again == upper and again.data == {} and not world.joint_data
    assert np.isfinite(world.bodies["pos"]).all()
