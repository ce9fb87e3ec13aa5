"""The robot MF-4: its belts against closed forms, its controls, its script."""

import math

import numpy as np
import pytest

import scenes
from app.gui.commands.driving import GAMEPAD_READERS
from physics import World, set_option, step
from scenes import _mf4, mf4_door, without_clock
from scenes._parts import block, ground

DT, G = 1.0 / 240.0, 9.81


def robot(friction: float) -> tuple[World, _mf4.ArmOnBase]:
    """On the level, looking along x."""
    world = World()
    ground(world, friction=friction)
    made = _mf4.ArmOnBase(world, (0.0, 0.0, 0.0), 0.0, mf4_door.HAND)
    without_clock(world)
    set_option(world.solver.options, "iterations", 100)
    for _ in range(60):
        step(world, DT)
    return world, made


def run(world: World, seconds: float, **inputs: float) -> None:
    for name, value in inputs.items():
        world.set_input(name, value)
    for _ in range(round(seconds / DT)):
        step(world, DT)


@pytest.mark.parametrize("mu", (0.05, 0.1))
def test_slipping_belts_pull_with_mu_times_the_weight(mu):
    world, made = robot(mu * mu / 0.8)
    run(world, 0.25, drive=0.8)
    early, begin = world.bodies["vel"][made.chassis, 0], world.time
    run(world, 0.25)
    measured = (world.bodies["vel"][made.chassis, 0] - early) / (world.time - begin)
    assert abs(measured - mu * G) < 0.02 * mu * G
    assert early < 0.8 - 0.1, "the belts do not slip any more"


def test_it_follows_its_belts_where_they_grip():
    world, made = robot(0.9)
    run(world, 2.0, drive=0.5)
    assert abs(world.bodies["vel"][made.chassis, 0] - 0.5) < 1e-6
    assert abs(made.pose(world)[0] - (0.5 * 2.0 - 0.5 * 0.5**2 / _mf4.ACCELERATION)) < 0.01


def test_it_turns_on_the_spot_by_skidding():
    world, made = robot(0.9)
    run(world, 4.0, turn=1.5)
    x, y, heading = made.pose(world)
    assert math.radians(60.0) < heading % math.tau < math.radians(345.0)
    assert math.hypot(x, y) < 0.6       # about a point ahead of its middle: the arm weighs on the front
    slips = np.abs(world.contacts["slip"]).max()
    assert slips > 0.05, "a track that turns must skid somewhere"


def test_it_climbs_a_kerb():
    world, made = robot(0.9)
    block(world, (0.5, 1.0, 0.02), (1.2, 0.0, 0.02), friction=0.9, name="kerb")
    run(world, 4.0, drive=0.4)
    x, _, _ = made.pose(world)
    assert 1.0 < x < 1.7 and abs(world.bodies["pos"][made.chassis, 2] - 0.24) < 0.01


def test_against_a_wall_the_belts_slip_and_everything_goes_on():
    world, made = robot(0.9)
    block(world, (0.1, 1.0, 0.5), (-1.15, 0.0, 0.5), friction=0.0, name="wall")
    run(world, 3.0, drive=-0.5)
    before = made.pose(world)[0]
    run(world, 1.0)
    assert abs(made.pose(world)[0] - before) < 0.02 and np.abs(world.bodies["vel"]).max() < 0.02
    run(world, 1.0, drive=0.5)
    assert made.pose(world)[0] > before + 0.2, "it does not come off the wall"


def test_the_first_touch_of_a_control_takes_over_from_the_script():
    world = without_clock(scenes.make_world(mf4_door.SCENE))
    run(world, 1.0)
    assert world.inputs[_mf4.SCRIPT] == 1.0
    run(world, 0.1, turn=0.2)
    assert world.inputs[_mf4.SCRIPT] == 0.0
    run(world, 1.0, turn=0.0)
    assert np.abs(world.bodies["vel"]).max() < 1e-3, "it goes on without anybody"


def test_joints_stop_at_their_limits_and_do_not_wind_up():
    """A control that is held against a limit lets go of it at once when reversed."""
    world, made = robot(0.9)
    run(world, 6.0, wrist=1.5)
    joint, start = made.joints["wrist"], made.start["wrist"]
    limit = _mf4.ARM["wrist"].hi - start
    assert abs(world.joints["motor_target"][joint, 0] - limit) < 1e-9
    run(world, 0.5, wrist=-1.0)
    assert abs(world.joints["motor_target"][joint, 0] - (limit - 0.5)) < 0.01


def test_every_control_has_an_input_keys_of_its_own_and_a_known_axis():
    assert set(GAMEPAD_READERS) == set(scenes.GAMEPAD_AXES)
    for scene in scenes.all_scenes().values():
        if not scene.controls:
            continue
        world = scenes.make_world(scene)
        keys = [key for control in scene.controls for key in control.keys]
        assert len(set(keys)) == len(keys), f"{scene.title}: a key drives two controls"
        for control in scene.controls:
            assert control.name in world.inputs and control.lo < 0.0 < control.hi
            assert not control.axis or control.axis in GAMEPAD_READERS
        assert all(task.score in world.inputs for task in scene.tasks)
        assert scene.eye is None or scene.eye.body in world.body_names


def test_a_dropped_cylinder_costs_points_and_can_be_fetched_again():
    scene = scenes.find("mf4_trainer")
    world = without_clock(scenes.make_world(scene, scene.parameters(drives="you")))
    cylinder = world.body("cylinder")
    for _ in range(2):
        world.set_pose(cylinder, (0.0, -2.5, 0.6), (1.0, 0.0, 0.0, 0.0))
        run(world, 1.0)
    assert world.inputs["drops"] == 2.0
