"""Phase maps: plans, runs in other processes, cancelling, tables, and when a map is outdated."""

import dataclasses
import threading

import numpy as np
import pytest

import scenes
from app import world_settings
from app.analysis.studies import phase_map
from app.analysis.studies.phase_map import FAILED, MapRun, is_stale, outcome_of, plan, plan_of, rows, spanning, usual_axis
from app.build_scene import Choices
from app.engine import commands
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from physics import BadInput, Sphere, World
from scenes import maps
from scenes.maps import MapAxis
from tests.helpers import long_run
from tests.tools.inline_workers import InlineWorkers


def frame(simulation):
    return PhysicsThread(simulation).frame


@long_run
def test_other_processes_give_what_this_one_gives():
    made = plan("painleve", size=8)
    apart, here = MapRun.of(made), MapRun.of(made, workers=InlineWorkers)
    apart.run()
    here.run()
    assert not apart.problem and apart.progress == 1.0 and apart.done
    assert np.array_equal(apart.refinement.known, here.refinement.known) and here.refinement.count == 81


def test_the_same_map_for_any_number_of_workers():
    found = []
    for count in (1, 5):
        study = MapRun.of(plan("painleve", size=16), workers=lambda count=count: InlineWorkers(count))
        study.run()
        found.append(study.refinement.filled())
    assert np.array_equal(*found)


def test_a_map_that_is_cancelled_keeps_what_is_known():
    study = MapRun.of(plan("painleve"), workers=InlineWorkers)
    study.cancel()
    study.run()
    assert study.problem == "cancelled" and study.done and study.refinement.count == 1


def test_a_run_in_a_thread_ends_soon_after_cancel():
    study = MapRun.of(plan("cone_facets"))
    study.start()
    waiter = threading.Event()
    for _ in range(1200):
        if study.refinement.count > 3:
            break
        waiter.wait(0.05)
    study.cancel()
    for _ in range(200):
        if study.done:
            break
        waiter.wait(0.05)
    assert study.done and study.problem == "cancelled" and 3 < study.refinement.count < 200


def test_a_point_that_fails_does_not_end_the_others(monkeypatch):
    known = maps.find("painleve")

    def classify(world, parameters):
        if parameters.mu > 3.0:
            raise ArithmeticError("no outcome here")
        return known.classify(world, parameters)
    monkeypatch.setattr(phase_map.maps, "find", lambda name: dataclasses.replace(known, classify=classify))
    study = MapRun.of(plan("painleve", size=8), workers=InlineWorkers)
    study.run()
    failed = study.refinement.known == FAILED
    assert failed.any() and not failed.all() and study.failure == "no outcome here" and not study.problem
    assert rows(study.made, study.refinement)[-1][-1] == "failed"


def test_a_table_has_units_values_and_classes():
    study = MapRun.of(plan("tipping", size=8), workers=InlineWorkers)
    study.refinement.put((0, 0), 0)
    study.refinement.put((8, 4), 2)
    assert rows(study.made, study.refinement) == [["mu", "angle [deg]", "outcome"], ["0.02", "0.0", "sticks"],
                                                  ["1.2", "25.0", "tips"]]


def test_a_plan_takes_over_parameters_solver_options_and_step():
    simulation = Simulation("maps.ladder")
    commands.set_parameter(simulation, "wall", 0.7)
    commands.use_solver(simulation, "stewart_trinkle")
    commands.set_option(simulation, "facets", 16)
    commands.set_dt(simulation, 0.01)
    made = plan_of("ladder", frame(simulation))
    assert dict(made.parameters) == {"wall": 0.7} and made.dt == 0.01
    assert made.choices.solver == "stewart_trinkle" and dict(made.choices.options)["facets"] == 16
    parameters = made.parameters_at((64, 0))
    assert (parameters.mu, parameters.angle, parameters.wall) == (1.2, 15.0, 0.7)


@pytest.mark.parametrize("name", ["ladder", "painleve", "wedge"])
def test_a_map_of_a_scene_is_not_the_ready_made_map_of_that_name(name):
    one = frame(Simulation(name))
    x, y = (usual_axis(axis, one) for axis in spanning(one.setting.scene, one.solver_state, one.as_world)[:2])
    made = plan_of(name, one, x, y, size=8)
    assert made.scene_name == name and made.map is None and not made.border() and made.question.classes == ("comes to rest",
                                                                                                          "still moves")
    assert plan_of(name, one).scene_name == f"maps.{name}"


def test_a_map_is_outdated_by_edits_and_not_by_its_own_parameters():
    simulation = Simulation("maps.ladder")
    made = plan_of("ladder", frame(simulation))
    assert made == plan_of("ladder", frame(Simulation("stack"))), "the same plan before its scene is loaded"
    commands.set_parameter(simulation, "mu", 0.33)
    simulation.step()
    assert not is_stale(made, frame(simulation)) and not is_stale(made, frame(Simulation("stack")))
    for change, arguments in ((commands.set_parameter, ("wall", 0.9)), (commands.set_dt, (0.01,)),
                              (commands.set_option, ("iterations", 3)), (commands.use_solver, ("soft_steps",)),
                              (commands.set_gravity, ((0.0, 0.0, -1.0),)), (commands.set_friction, (0.2,)),
                              (commands.set_mass, (3, 3.0))):
        one = Simulation("maps.ladder")
        change(one, *arguments)
        assert is_stale(made, frame(one)), change.__name__
    commands.set_gravity(simulation, (0.0, 0.0, -1.0))
    commands.undo(simulation)
    assert not is_stale(made, frame(simulation)), "the edit was undone"


def test_a_run_without_a_step_is_none():
    """With a step longer than the time of a run nothing was simulated, and everything slid."""
    made = plan("painleve", dt=0.01)
    assert made.map.classes[outcome_of(made, made.nearest(60.0, 3.0))[0]] == "no force solution"


def test_bad_plans_are_refused_in_one_sentence():
    for arguments, word in (({"name": "magic"}, "unknown map"), ({"name": "ladder", "size": 7}, "must be one of"),
                            ({"name": "ladder", "x": MapAxis("colour", 0.0, 1.0)}, "cannot span"),
                            ({"name": "ladder", "x": MapAxis("mu", 1.0, 0.5)}, "must grow"),
                            ({"name": "ladder", "x": MapAxis("angle", 20.0, 50.0)}, "different parameters"),
                            ({"name": "ladder", "x": MapAxis("mu", -1.0, 0.5)}, "out of range"),
                            ({"name": "ladder", "choices": Choices("magic")}, "magic")):
        with pytest.raises(BadInput, match=word) as refused:
            plan(**arguments)
        assert "\n" not in str(refused.value)


def of_slider(asked):
    return plan("slider", MapAxis("speed", 0.5, 1.2), MapAxis("max_friction", 4.0, 12.0), size=8, asked=asked, seconds=0.7,
                parameters=(("tilt", 0.0),))


def test_a_map_of_a_scene_shows_a_number():
    """The way of a sliding block on a level rail, m v^2 / (2 F)."""
    study = MapRun.of(of_slider("joint:slide.angle:end"), InlineWorkers)
    study.run()
    speed, force = np.linspace(0.5, 1.2, 9)[None, :], np.linspace(4.0, 12.0, 9)[:, None]
    assert not study.problem and not study.failure
    assert study.refinement.known == pytest.approx(2.0 * speed**2 / (2.0 * force), rel=2e-3)
    assert rows(study.made, study.refinement)[0] == ["speed [m/s]", "max_friction [N]", "joint:slide.angle:end [m]"]


@pytest.mark.parametrize("asked, node, said", [
    ("motion", (8, 0), "comes to rest"), ("audit", (8, 0), "nothing found"),
    ("joint:slide.angle:end > 0.2", (8, 0), "joint:slide.angle:end > 0.2"),
    ("joint:slide.angle:end > 0.2", (0, 8), "joint:slide.angle:end <= 0.2")])
def test_a_map_of_a_scene_shows_classes(asked, node, said):
    made = of_slider(asked)
    assert made.question.classes[outcome_of(made, node)[0]] == said


def test_contacts_and_motion_tell_what_a_box_does():
    """A box of 1 mu on a slope of 25 degrees: slides, in touch, if mu is below tan(25 deg)."""
    for asked, classes in (("contacts", ("slips", "sticks")), ("motion", ("still moves", "comes to rest"))):
        made = plan("incline", MapAxis("friction", 0.2, 0.8), MapAxis("gravity", 5.0, 20.0), asked=asked, seconds=0.3, size=8)
        assert [made.question.classes[outcome_of(made, (x, 4))[0]] for x in (0, 8)] == list(classes)


def test_settings_of_bodies_and_joints_are_named_read_and_written():
    world = scenes.make_world(scenes.find("slider"))
    names = list(world_settings.names(world))
    assert len(names) == len(set(names)) and {"gravity", "mass:carriage", "vx:carriage", "viscous:slide"} <= set(names)
    for name in names:
        one = world_settings.find(world, name)
        one.write(world, one.value + 0.25)
        assert world_settings.find(world, name).value == pytest.approx(one.value + 0.25), name
        assert hasattr(commands, world_settings.command_of(name)) and isinstance(one.arguments(0.5), tuple)
    with pytest.raises(BadInput, match="no setting 'mass:moon'"):
        world_settings.find(world, "mass:moon")


def test_a_place_that_opens_a_joint_is_refused():
    """A pendulum whose bob was put 2 m from its hinge of 1 m flew off at 240 m/s, without a word."""
    world = World()
    cart = world.add_body(Sphere(0.1), name="cart")
    world.add_joint("prismatic", "world", cart, anchor=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), name="rail", limits=(-0.5, 0.5))
    assert not {"x:cart", "y:cart"} & set(world_settings.names(world))
    for name, opening in (("y:cart", "1"), ("x:cart", "0.5")):
        with pytest.raises(BadInput, match=rf"{name} = 1: its joint 'rail' would be {opening} apart"):
            world_settings.find(world, name).write(world, 1.0)
        assert not cart.pos.any()
    world_settings.find(world, "x:cart").write(world, 0.4)
    assert cart.pos[0] == 0.4
    with pytest.raises(BadInput, match="'slide' would be"):
        plan("slider", MapAxis("y:carriage", 0.5, 1.0), MapAxis("gravity", 5.0, 20.0), size=8)


def test_a_place_that_stretches_a_rope_is_refused_and_one_of_a_spring_is_not():
    world = World()
    ball = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 0.0), name="ball")
    rope = world.add_joint("rope", "world", ball, anchor=(0.0, 0.0, 0.0), anchor_b=(1.0, 0.0, 0.0), name="rope")
    with pytest.raises(BadInput, match="'rope' would be 1 apart or beyond its limits"):
        world_settings.find(world, "x:ball").write(world, 2.0)
    world.remove_joint(rope)
    world.add_joint("spring", "world", ball, anchor=(0.0, 0.0, 0.0), anchor_b=(1.0, 0.0, 0.0), name="spring")
    world_settings.find(world, "x:ball").write(world, 2.0)
