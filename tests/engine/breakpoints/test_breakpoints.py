"""Breakpoints: each kind stops at the expected step, also when the step is recomputed."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine import commands
from app.engine.breakpoints.base import BREAKPOINT_KINDS
from app.engine.breakpoints.expression import Condition
from app.engine.simulation import Simulation
from app.engine.timeline import history
from physics import BadInput, Box, Plane, Sphere, World, set_option
from scenes import pyramid
from tests.helpers import on, run, run_past

DT = 1.0 / 240.0


def alone(build, dt=DT):
    """A simulation of a small world of its own, no clock."""
    simulation = Simulation()
    simulation.world = World()
    build(simulation.world)
    set_option(simulation.world.solver.options, "budget", 0.0)
    simulation.dt, simulation.paused = dt, False
    simulation.timeline.begin()
    return simulation


def ball(world):
    world.add_body(Plane(), kind="static", name="ground", restitution=1.0)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 1.1), mass=2.0, restitution=1.0, friction=0.0, name="ball")


def block(world):
    """On the ground, pushed until friction gives way: 5 N at 1 kg and mu 0.5 hold up to 4.905 N."""
    world.add_body(Plane(), kind="static", name="ground", friction=0.5)
    world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), mass=1.0, friction=0.5, name="block")
    world.drivers.append(lambda w: w.apply_force(2, (min(50.0 * w.time, 10.0) if w.time < 0.3 else 0.0, 0.0, 0.0)))


def test_a_falling_ball_touches_at_the_closed_form_time():
    """Free fall of 1 m takes sqrt(2 / g); the contact is made in the step during which the gap closes."""
    simulation = alone(ball)
    one = on(simulation, "NextContact")
    step = run(simulation)
    assert abs(step * DT - math.sqrt(2.0 / 9.81)) < 1.5 * DT and one.count == 1
    cause = simulation.breakpoints.hit.cause
    contact = simulation.world.contacts[cause.contact]
    assert contact["impulse"] > 0.0 and cause.body == 2 and simulation.breakpoints.hit.step == step
    assert "'ground' and 'ball' come into contact" in simulation.messages[-1] and f"step {step}" in simulation.messages[-1]
    quiet = alone(ball)
    for _ in range(step - 1):
        quiet.step()
    assert not (quiet.world.contacts["impulse"] > 0.0).any(), "not a step earlier"


def test_resting_contacts_are_not_new_after_a_budget_cut_first_step():
    """A solver that had no time in the first step loads some contacts only in the second."""
    simulation = alone(lambda world: pyramid.build(world, pyramid.Parameters()))
    on(simulation, "NextContact")
    simulation.world.solver.options.iterations = 1
    simulation.step()
    touching = simulation.world.contacts["gap"] <= 1e-5
    simulation.world.contacts["impulse"][touching] = 0.0
    for _ in range(20):
        simulation.step()
    assert simulation.breakpoints.hit is None, simulation.breakpoints.hit


def test_impacts_below_the_set_impulse_are_ignored():
    """2 kg at sqrt(2 g) come back as fast: 17.7 N s."""
    whole = 2.0 * 2.0 * math.sqrt(2.0 * 9.81)
    soft, hard = alone(ball), alone(ball)
    on(soft, "Impact", impulse=0.97 * whole)
    on(hard, "Impact", impulse=1.03 * whole)
    assert run(soft) > 0 and "collide with" in soft.messages[-1]
    assert run(hard, 300) == -1


def test_first_slip_and_first_stick():
    simulation = alone(block)
    on(simulation, "FirstSlip")
    step = run(simulation)
    assert abs(step * DT - 4.905 / 50.0) < 4 * DT and simulation.breakpoints.hit.cause.contact >= 0
    commands.set_breakpoint(simulation, list(BREAKPOINT_KINDS).index("FirstSlip"), "on", False)
    on(simulation, "FirstStick")
    stuck = run(simulation)
    assert stuck > step and math.hypot(*simulation.world.bodies["vel"][2]) < 1e-3
    again = alone(block)
    on(again, "Stops", of="block")
    assert abs(run(again) - stuck) <= 1


def hinge(world):
    body = world.add_body(Box((0.5, 0.1, 0.1)), pos=(0.5, 0.0, 1.0), mass=1.0, name="arm")
    world.add_joint("revolute", 0, body, anchor=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), max_friction=6.0, name="hinge")


def test_first_slip_of_a_joint():
    held = alone(hinge)
    on(held, "FirstSlip", what="joints")
    assert run(held, 50) == -1, "1 kg at 0.5 m is 4.905 N m: it holds"
    commands.set_joint_friction(held, 4.0)
    assert run(held, 50) > 0 and held.breakpoints.hit.cause.joint == 0 and "'hinge': begins to slide" in held.breakpoints.hit.text
    near = alone(hinge)
    on(near, "JointSaturated", share=80.0)
    assert run(near, 20) > 0 and "of 6 N m" in near.breakpoints.hit.text
    far = alone(hinge)
    on(far, "JointSaturated", share=85.0)
    assert run(far, 50) == -1


def test_only_unexplained_energy_is_a_hit():
    simulation = alone(ball)
    on(simulation, "EnergyGained", energy=0.5)
    assert run(simulation, 400) == -1, "elastic bounces keep it"
    simulation.world.drivers.append(lambda w: None)
    simulation.step()
    assert "applies forces" in simulation.breakpoints.items[list(BREAKPOINT_KINDS).index("EnergyGained")].trouble
    simulation.world.drivers.clear()

    overlapping = alone(lambda w: (w.add_body(Plane(), kind="static", name="ground"),
                                   w.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.1), mass=10.0, name="sunk")))
    on(overlapping, "EnergyGained", energy=0.1)
    on(overlapping, "Penetration", depth=50.0, of="sunk")
    assert run(overlapping, 10) == 1 and "overlap by 100" in overlapping.breakpoints.hit.text


def test_an_overlap_is_a_hit_once():
    overlapping = alone(lambda w: (w.add_body(Plane(), kind="static"), w.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.1))))
    on(overlapping, "Penetration", depth=20.0)
    assert run(overlapping, 10) == 1 and "overlap by 100" in overlapping.breakpoints.hit.text
    assert run(overlapping, 4) == -1 and overlapping.world.contacts["gap"].min() < -0.02


def test_joints_are_no_energy_source_and_the_mouse_is():
    simulation = alone(hinge)
    on(simulation, "EnergyGained", energy=0.5)
    assert run(simulation, 3) == -1
    assert not simulation.breakpoints.items[list(BREAKPOINT_KINDS).index("EnergyGained")].trouble
    commands.drag_begin(simulation, 1, tuple(map(float, simulation.world.bodies["pos"][1])))
    simulation.step()
    assert "is a drag" in simulation.breakpoints.items[list(BREAKPOINT_KINDS).index("EnergyGained")].trouble


def test_a_body_falls_asleep():
    simulation = alone(lambda w: (w.add_body(Plane(), kind="static", name="ground"),
                                  w.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.2), mass=1.0, name="box")))
    commands.set_sleeping(simulation, "enabled", True)
    on(simulation, "FallsAsleep")
    assert run(simulation, 400) * DT >= 0.5 and "'box' fell asleep" in simulation.breakpoints.hit.text


# ---- the past


@pytest.mark.parametrize("spacing", [1e9, 1e-3], ids=["made again", "kept often"])
def test_playback_stops_at_the_same_steps(spacing, monkeypatch):
    monkeypatch.setattr(history, "KEYFRAME_INTERVAL", spacing)
    simulation = alone(ball)
    on(simulation, "NextContact")
    on(simulation, "WatchExpression", expression="body:ball.vz < 0")
    hits = []
    for _ in range(5):
        hits.append((run(simulation), simulation.breakpoints.hit.cause))
    last = simulation.world.steps
    assert len({step for step, _ in hits}) == 5
    commands.go_to_step(simulation, 0)
    for step, cause in hits:
        commands.run_to_hit(simulation)
        assert run_past(simulation) == step and simulation.breakpoints.hit.cause == cause
    assert simulation.history.last == last, "the recorded future is still there"
    commands.go_to_step(simulation, 0)
    simulation.single_step(last)
    simulation.timeline.go_to_goal()
    assert simulation.world.steps == hits[0][0], "many steps stop on their way"
    for step in range(hits[0][0] + 1, hits[1][0] + 1):
        before = simulation.breakpoints.hit
        simulation.single_step()
        assert simulation.world.steps == step and (simulation.breakpoints.hit is not before) == (step == hits[1][0])


def test_searching_continues_beyond_the_recorded_past():
    simulation = alone(ball)
    for _ in range(30):
        simulation.step()
    commands.go_to_step(simulation, 3)
    on(simulation, "NextContact", once=True)
    commands.run_to_hit(simulation)
    run_past(simulation)
    assert simulation.world.steps == 30 and not simulation.paused
    assert run(simulation) > 100 and not simulation.breakpoints.items[0].on
    with pytest.raises(BadInput, match="no breakpoint is enabled"):
        commands.run_to_hit(simulation)


def test_breakpoints_survive_scenes_and_report_missing_quantities():
    simulation = Simulation("pendulum")
    one = on(simulation, "NextContact", of="no such body")
    watched = on(simulation, "WatchExpression", expression="body:nobody.x > 1")
    simulation.step()
    assert "body 'no such body' does not exist" in one.trouble and "nobody" in watched.trouble
    commands.set_breakpoint(simulation, 0, "of", "")
    simulation.reset()
    simulation.step()
    assert not one.trouble and simulation.breakpoints.items[0] is one and one.on
    for bad in ((99, "on", True), (0, "nonsense", 1), (0, "on", 3)):
        with pytest.raises(BadInput):
            commands.set_breakpoint(simulation, *bad)


def test_several_breakpoints_of_one_kind():
    simulation = alone(ball)
    commands.add_breakpoint(simulation, "WatchExpression")
    commands.set_breakpoint(simulation, len(BREAKPOINT_KINDS), "expression", "time > 0.1")
    commands.set_breakpoint(simulation, len(BREAKPOINT_KINDS), "on", True)
    assert run(simulation) * DT == pytest.approx(0.1, abs=1.1 * DT)
    commands.remove_breakpoint(simulation, len(BREAKPOINT_KINDS))
    assert len(simulation.breakpoints.items) == len(BREAKPOINT_KINDS)
    with pytest.raises(BadInput, match="unknown breakpoint 'X'"):
        commands.add_breakpoint(simulation, "X")


# ---- conditions


def world_of_ball():
    world = World()
    ball(world)
    world.add_body(Sphere(0.1), pos=(5.0, 0.0, 3.0), name="thrown ball 1")
    return world


@pytest.mark.parametrize(("text", "value"), [
    ("body:ball.z > 1", True), ("body:ball.z > 1.2", False), ("1 < body:ball.z < 1.2", True), ("not body:ball.z > 1", False),
    ("'body:thrown ball 1.x' - body:ball.x == 5", True), ("abs(-2) * 3 / 2 - 1 == 2 and time == 0", True),
    ("max(body:ball.z, 2, 1) == 2 or 1 > 2", True), ("world.energy > 0 and world.kinetic == 0", True), ("1 / 0 > 0", False),
    ("1 / 0 != 1", False), ("solver.residual >= 0", False), ("body:ball.z>1 and(body:ball.z<2)", True)])
def test_meaning_of_conditions(text, value):
    condition, world = Condition(text), world_of_ball()
    condition.find(world)
    assert condition(world) is value


@pytest.mark.parametrize("text", [
    "", "   ", "1 + 2", "body:ball.z", "body:ball.z >", "().__class__ == 1", "__import__('os') == 1", "open('x') == 1", "a > 1",
    "[1] > 1", "lambda: 1",
    "1 if 2 else 3", "2 ** 9 > 1", "'a' in 'b'", "1 is 1", "abs(1, 2) > 1", "max(1) > 0", "(1 > 2) + 1 > 0",
    "not 3", "True > 0", "1e999 > 0", "x := 1", "quantity_0 > 1", "-" * 200 + "1 > 0",
    "(" * 140 + "1" + ")" * 140 + "> 0 and" * 9,
    "1 > 0 " * 90, "abs(*[1]) > 0", "body:.x", "\x00 > 1"])
def test_an_invalid_condition_is_refused_in_one_sentence(text):
    with pytest.raises(BadInput) as refused:
        Condition(text)
    assert "\n" not in str(refused.value).replace(text, "") and len(str(refused.value)) < 500 + len(text)


@given(st.text(alphabet=st.sampled_from("abs()<>=+-*/. 0123456789'\"body:ltime,[]{}_andornt"), max_size=60)
       | st.text(max_size=30))
def test_any_text_is_a_condition_or_refused(text):
    world = world_of_ball()
    try:
        condition = Condition(text)
        condition.find(world)
        assert condition(world) in (True, False)
    except BadInput as refused:
        json.dumps(str(refused))


def test_missing_quantities_are_told():
    condition = Condition("body:nobody.x > 1")
    with pytest.raises(BadInput, match="nobody"):
        condition.find(world_of_ball())
    assert np.isfinite(world_of_ball().time)


# ---- the panel


def write(person, label, text):
    person.click(label)
    for letter in text:
        person.send("on_text", letter)
    person.hit(65293)   # Return
    person.look(2)


def test_a_person_switches_one_on_runs_into_it_and_sees_what_did_it(person):
    size = person.window.get_size()
    person.window.set_size(1600, 1000)
    person.load("pyramid")
    session = person.session
    session.post(commands.throw, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    person.window.gui.panels.show("breakpoints")
    simulation = session.simulation
    person.look(6)
    person.click("breakpoints/Next contact")
    assert person.wait(lambda: simulation.breakpoints.items[0].on)
    before = simulation.breakpoints.hit
    session.camera.target = session.camera.target + 500.0
    person.look(60)
    person.click("breakpoints/run to hit")
    assert person.wait(lambda: simulation.breakpoints.hit is not before and session.frame.step == simulation.breakpoints.hit.step)
    person.look(2)
    assert "thrown ball 1" in simulation.breakpoints.hit.text, "the boxes lay there from the start"
    assert session.selection.contact == simulation.breakpoints.hit.cause.contact >= 0 and session.selection.body > 0
    assert np.allclose(session.camera.target, simulation.breakpoints.hit.cause.point), "it was out of sight"
    person.click("breakpoints/Next contact")
    person.click("breakpoints/Watched expression")
    assert person.wait(lambda: simulation.breakpoints.items[-1].on)
    index = len(simulation.breakpoints.items) - 1
    write(person, f"breakpoints/{index} expression", "time > ")
    assert simulation.breakpoints.items[index].expression == "world.kinetic < 0.01", "what makes no sense is not taken"
    write(person, f"breakpoints/{index} expression", "time > 0.5")
    assert person.wait(lambda: simulation.breakpoints.items[index].expression == "time > 0.5")
    person.click("breakpoints/Watched expression")
    assert not person.window.gui.panels.all["breakpoints"].error
    person.window.set_size(*size)
