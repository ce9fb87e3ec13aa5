"""Arms with a drive and dry friction in every joint: drives are solved together with the joints, and their work is counted."""

import math

import numpy as np
import pytest

from physics import Box, Capsule, Motor, Plane, Unsupported, World, set_option, solvers, step
from physics.observe.audit.verdict import ACCOUNT
from scenes import without_clock

DT = 1.0 / 240.0
LINKS, LENGTH, MASS, FRICTION = 8, 0.3, 1.0, 2.0


def arm(torque: float = 500.0) -> World:
    """Level links on hinges about y, each driven to where it is, the last with a heavy hand."""
    world = World()
    last = 0
    for k in range(LINKS):
        link = world.add_body(Capsule(0.03, 0.5 * LENGTH - 0.03), pos=((k + 0.5) * LENGTH, 0.0, 2.0), mass=MASS,
                              quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0), name=f"link {k}")
        world.add_joint("revolute", last, link, anchor=(k * LENGTH, 0.0, 2.0), axis=(0.0, -1.0, 0.0), max_friction=FRICTION,
                        motor=Motor("position", 0.0, torque, 2.0), name=f"hinge {k}")
        last = link
    return without_clock(world)


def held(k: int) -> float:
    """Moment of the links beyond hinge k about it [N m]."""
    return sum(MASS * 9.81 * ((i + 0.5) * LENGTH - k * LENGTH) for i in range(k, LINKS))


def test_an_arm_that_is_held_up_is_solved_at_once():
    """Swept one by one, its drives leave an error of 0.1 m/s after 50 sweeps."""
    world = arm()
    for _ in range(120):
        report = step(world, DT)
        assert report.end == "converged" and report.residual < 1e-7
    for k in range(LINKS):
        joint = world.joints[k]
        found = (joint["motor_impulse"][0] + joint["friction_impulse"][0]) / world.impulse_duration
        assert abs(found - held(k)) < 1e-3 * held(0), f"hinge {k} carries {found:.3f} N m, not {held(k):.3f}"
    assert np.abs(world.bodies["vel"]).max() < 1e-6


def test_a_drive_that_is_too_weak_gives_way_with_all_that_it_has():
    world = arm()
    world.set_joint_motor(0, Motor("position", 0.0, 0.5 * held(0), 2.0))
    for _ in range(24):
        step(world, DT)
        joint = world.joints[0]
        assert abs(joint["motor_impulse"][0] / world.impulse_duration - 0.5 * held(0)) < 1e-6 * held(0)
        assert abs(joint["friction_impulse"][0] / world.impulse_duration - FRICTION) < 1e-6
    assert world.bodies["vel"][LINKS, 2] < -0.5


@pytest.mark.parametrize("substeps", (1, 2, 3, 8))
def test_the_auditor_counts_the_work_of_drives_in_any_number_of_substeps(substeps):
    """Lifting takes a hundred times the energy that moves: an account that takes the rate at the end of a step for that within
    it would report a gain."""
    world = arm()
    set_option(world.solver.options, "substeps", substeps)
    lifted, potential = [], world.bodies["mass"] @ world.bodies["pos"][:, 2] * 9.81
    for n in range(240):
        world.joints["motor_target"][:, 0] = 0.05 * min(n * DT, 0.9)
        assert step(world, DT).audit.ok
        lifted.append(abs(world.audit.memory[:, ACCOUNT].sum()))
    risen = world.bodies["mass"] @ world.bodies["pos"][:, 2] * 9.81 - potential
    assert risen > 5.0 and max(lifted) < 2e-3 * risen


def test_drives_around_a_closed_loop_agree_with_its_friction():
    """A driven four-bar whose other hinges rub: their friction must slip, though the equations of all would hold it."""
    world = World(gravity=(0.0, 0.0, 0.0))
    corners = [(0.0, 0.0, 1.0), (0.0, 0.0, 1.4), (1.0, 0.0, 1.4), (1.0, 0.0, 1.0)]
    last, bodies = 0, []
    for k in range(3):
        a, b = np.array(corners[k]), np.array(corners[k + 1])
        bodies.append(world.add_body(Box((0.2, 0.02, 0.02)), pos=0.5 * (a + b), mass=1.0, mask=0, name=f"bar {k}"))
        world.add_joint("revolute", last, bodies[-1], anchor=a, axis=(0.0, 1.0, 0.0), max_friction=0.3,
                        motor=Motor("velocity", 1.0, 50.0) if k == 0 else None, name=f"hinge {k}")
        last = bodies[-1]
    world.add_joint("revolute", last, 0, anchor=corners[3], axis=(0.0, 1.0, 0.0), max_friction=0.3, name="hinge 3")
    without_clock(world)
    set_option(world.solver.options, "iterations", 2000)
    for _ in range(60):
        report = step(world, DT)
    assert abs(world.bodies["omega"][bodies[0], 1] - 1.0) < 1e-6
    slips = world.joints["slip"][:4, 0]
    rubbed = world.joints["friction_impulse"][:4, 0] / world.impulse_duration
    for k in np.flatnonzero(np.abs(slips) > 1e-3):
        assert abs(rubbed[k] + 0.3 * np.sign(slips[k])) < 1e-6, f"hinge {k} slips at {slips[k]:.3f} with {rubbed[k]:.3f} N m"
    assert report.audit.ok


def test_a_gripper_holds_and_lifts_a_box():
    """Two driven fingers on a driven arm of one link: the box rises with them."""
    world = World()
    world.add_body(Plane(), kind="static")
    box = world.add_body(Box((0.03, 0.03, 0.05)), pos=(0.6, 0.0, 0.55), mass=0.5, friction=0.8, name="box")
    palm = world.add_body(Box((0.05, 0.1, 0.03)), pos=(0.5, 0.0, 0.55), mass=1.0, mask=0, name="palm")
    world.add_joint("prismatic", 0, palm, anchor=(0.5, 0.0, 0.55), axis=(0.0, 0.0, 1.0), motor=Motor("position", 0.0, 200.0, 0.2),
                    max_friction=3.0, name="lift")
    for name, side in (("left", 1.0), ("right", -1.0)):
        finger = world.add_body(Box((0.06, 0.01, 0.02)), pos=(0.6, side * 0.045, 0.55), mass=0.4, friction=0.8, name=name)
        world.add_joint("prismatic", palm, finger, anchor=(0.6, side * 0.045, 0.55), axis=(0.0, -side, 0.0), max_friction=1.0,
                        motor=Motor("position", 0.02, 60.0, 0.2), name=f"{name} finger")
    world.set_gravity((0.0, 0.0, 0.0))
    without_clock(world)
    for n in range(480):
        if n == 24:     # now it is held
            world.set_gravity((0.0, 0.0, -9.81))
            world.joints["motor_target"][world.joint("lift"), 0] = 0.2
        step(world, DT)
    assert abs(world.bodies["pos"][box, 2] - 0.75) < 2e-3
    assert abs(world.bodies["vel"][box, 2]) < 1e-3


@pytest.mark.parametrize("mode", ["velocity", "spring"])
@pytest.mark.parametrize("solver", solvers.available())
def test_numbers_of_a_motor_act_as_in_a_layout_made_anew(solver, mode):
    def moved(anew):
        world = World()
        world.use_solver(solver)
        without_clock(world)
        upper = world.add_body(Box((0.2, 0.05, 0.05)), pos=(0.2, 0.0, 1.0), mass=1.0, friction=0.0)
        lower = world.add_body(Box((0.2, 0.05, 0.05)), pos=(0.6, 0.0, 1.0), mass=0.5, friction=0.0)
        world.add_joint("revolute", 0, upper, anchor=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0))
        elbow = world.add_joint("revolute", upper, lower, anchor=(0.4, 0.0, 1.0), axis=(0.0, 1.0, 0.0))
        for n in range(20):
            world.set_joint_motor(elbow, Motor(mode, target=0.1 * n - 1.0, force=5.0 + n, stiffness=20.0 + n, damping=1.0))
            if anew:
                world.invalidate_layout()
            step(world, 1.0 / 120.0)
        return [table.tobytes() for table in (world.bodies, world.joints)]

    try:
        assert moved(False) == moved(True)
    except Unsupported as error:
        assert (solver, mode) == ("event_driven", "velocity"), error
