"""Every scene under soft steps, and the choice of the solver in a session: nothing blows up, and the laws of the scenes hold but
for what softness costs."""

import numpy as np
import pytest

import scenes
from app.engine import commands
from app.panels import physics as panel
from app.session import Session
from physics import BadInput, World
from physics.solvers.soft_steps import SoftSteps
from tests.helpers import ALL_TESTS, long_run
from tests.tools.predictions import NAMES as PREDICTED
from tests.tools.predictions import SLOW, agrees, come_true

NAMES = sorted(scenes.all_scenes())
OTHERS = [name for name in NAMES if scenes.find(name).solver == "sequential_impulses"]
"""Scenes about one solver's own numbers are left out."""

SOFT = {
    "incline": (r"acceleration of box 3, .*: -?0\.000[1-9]",
                "a box that sticks slips at 1e-3 m/s in the first steps, while its contacts are pressed in; 1e-6 is asked for"),
    "planetary_gear": (r"miss Willis' equation by -?[1-9]\.\de-05", "gears give way by up to 1e-4; 1e-5 is asked for"),
    "braking_cars": (r"braking distance with rolling wheels: 7\.8", "loads swing while contacts settle: a wheel locks, and stays "
                                                                    "locked"),
    "books": (r"pull at which the book comes out", "sheets creep while contacts settle"),
    "card_house": (r"force on the lid when a tent slips", "cards creep while contacts settle"),
    "masonry_arch": (r"load at which the arch falls", "joints of the arch open by the depth of their contacts"),
    "sand_pile": (r"slope of the rough pile", "contacts give way, and rough balls creep down the slope"),
    "growing_push": (r"it creeps from the start", "contacts give way, and the block creeps before it slides"),
    "differential": (r"the left wheel turns", "dry friction of joints gives way, and the held wheel creeps"),
    "joint_gallery": (r"gear or rack slips", "gears give way by 2e-4 rad, the rack by 1e-4 m; 1e-5 is asked for"),
}
"""Scenes whose own check fails by design: how, and why."""

LONG = {"mf4_trainer", "brazil_nut", "galton", "hourglass", "sand_pile", "walking_toy", "joint_gallery", "bumpy_road",
        "playground", "squealing_brake", "crane", "bowl", "diagonal_push", "tippe_top", "mf4_door"}
"""Scenes that take seconds: left to STICTION_ALL_TESTS=1."""


def under_soft_steps(scene: scenes.Scene) -> World:
    """The scene's world with those of its options that the solver has."""
    world = scenes.make_world(scene)
    world.use_solver("soft_steps")
    scenes.set_options(world, scene, scene.parameters())
    return world


@pytest.mark.parametrize("name", [pytest.param(name, marks=long_run) if name in LONG else name for name in OTHERS])
def test_a_scene_runs_under_soft_steps_and_its_law_holds(name):
    """And its predictions come true or have a reason, as under the other solvers (test_solvers.py)."""
    scene = scenes.find(name)
    world = scenes.make_world(scene)
    if reason := SoftSteps().unsupported(world):
        with pytest.raises(BadInput, match=reason):
            world.use_solver("soft_steps")
        assert "soft_steps" not in (scene.unreached or {})
        return
    world, predicted = under_soft_steps(scene), name in PREDICTED and (ALL_TESTS or "soft_steps" not in SLOW.get(name, ()))
    world, trace = scenes.run(scene, world=world)
    assert np.isfinite(world.bodies["pos"]).all() and world.report.penetration < 5e-3
    if name in SOFT:
        with pytest.raises(AssertionError, match=SOFT[name][0]):
            scene.check(world, trace)
    else:
        scene.check(world, trace)
    if predicted:
        agrees(scene, "soft_steps", come_true(scene, world, trace))


def test_solvers_that_cannot_run_a_scene_are_reported_in_the_solver_list():
    said = panel.unsupported(Session.open("superball"))
    assert said["sequential_impulses"] == said["soft_steps"] == said["stewart_trinkle"] == ""
    assert "tangential restitution" in said["compliant_contact"]


def test_boxes_that_stick_on_the_bench_do_not_creep():
    """What the scene's check means, after the first 0.1 s."""
    scene = scenes.find("incline")
    world = under_soft_steps(scene)
    scenes.run(scene, world=world, seconds=0.1)
    _, trace = scenes.run(scene, world=world, seconds=1.0)
    for box in ("box 3", "box 4", "box 5"):
        assert np.max(trace[f"body:{box}.speed"]) < 1e-6


def test_soft_steps_can_be_chosen_and_configured():
    session = Session.open("pyramid")
    simulation = session.simulation
    simulation.single_step(5)
    commands.use_solver(simulation, "soft_steps")
    commands.set_option(simulation, "substeps", 6)
    simulation.single_step(5)
    assert simulation.world.report.solver == "soft steps" and simulation.world.report.iterations == 12
    commands.use_solver(simulation, "sequential_impulses")
    simulation.single_step(5)
    assert simulation.world.report.solver == "sequential impulses" and not simulation.messages
