"""Joint lens: numbers against closed forms of the door and of driven hinges, and the panel in the real window."""

import dataclasses
import math

import numpy as np
import pytest

import scenes
from app.analysis.forces import joint_lens
from app.engine.frame import Frame, capture
from app.engine.simulation import Simulation
from physics import Box, Friction, Motor, World, step
from scenes import door
from tests.tools.person import fresh_spots

DT = 0.01
SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle")


def frame_of(world: World, dt: float = DT) -> Frame:
    return capture(world, scene="lens", dt=dt, paused=True, before=(world.bodies["pos"], world.bodies["quat"]), pace=None)


def hinge(friction: Friction, kind: str = "revolute") -> World:
    """A bar on a vertical hinge without gravity."""
    world = World(gravity=(0.0, 0.0, 0.0))
    bar = world.add_body(Box((0.5, 0.05, 0.05)), pos=(0.0, 0.0, 1.0), mass=3.0, name="bar")
    world.add_joint(kind, 0, bar, anchor=(0.0, 0.0, 1.0), axis=(0.0, 0.0, 1.0), friction=friction, name="hinge")
    if hasattr(world.solver.options, "budget"):
        world.solver.options.budget = 0.0
    return world


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_door_slips_at_its_bound_and_then_holds(solver):
    scene = scenes.find("door")
    world = scenes.make_world(scene, scene.parameters())
    world.use_solver(solver)
    history = joint_lens.JointFrictionHistory()
    hinge_index = world.joint("hinge")
    for _ in range(100):
        step(world, DT)
        history.add_frame(frame_of(world), hinge_index, 0)
    c = history.columns(20.0)
    assert len(c["time"]) == 100 and np.all(c["bound"] == door.F_MAX)
    free = (c["time"] > 0.05) & (c["time"] < door.T2 - 2.5 * DT)
    assert np.all(c["slips"][free] == 1.0)
    np.testing.assert_allclose(c["friction"][free], -door.F_MAX, rtol=1e-6)
    rest = c["time"] > door.T2 + 2.5 * DT
    assert np.all(c["slips"][rest] == 0.0)
    assert np.abs(c["friction"][rest]).max() < 0.05 * door.F_MAX, "nothing pushes any more"
    assert abs(c["friction"][-1]) < 1e-4 * door.F_MAX, "and what springs of the soft steps were left has died out"
    assert c["coordinate"][-1] == pytest.approx(door.ANGLE, abs=math.radians(0.1))
    np.testing.assert_allclose(np.trapezoid(c["friction"][free], c["coordinate"][free]),
                               -door.F_MAX * (c["coordinate"][free][-1] - c["coordinate"][free][0]), rtol=1e-6)
    assert len(history.columns(0.25)["time"]) in (25, 26) and history.columns(0.25)["time"][-1] == c["time"][-1]


def test_a_torque_below_the_bound_is_held_by_its_opposite():
    world = hinge(Friction(static=5.0))
    for torque in (1.0, -3.0):
        world.apply_torque(1, (0.0, 0.0, torque))
        step(world, DT)
        seen = joint_lens.sample(frame_of(world), 0, 0)
        assert seen.friction == pytest.approx(-torque, rel=1e-9) and not seen.slips and seen.bound == 5.0
    world.apply_torque(1, (0.0, 0.0, 7.0))
    step(world, DT)
    seen = joint_lens.sample(frame_of(world), 0, 0)
    assert seen.slips and seen.friction == pytest.approx(-5.0)


def test_the_loop_of_a_cycle_is_what_friction_takes():
    """To and fro by a motor: the area is 2 F (way there + way back)."""
    world = hinge(Friction(static=2.0))
    history = joint_lens.JointFrictionHistory()
    for speed in (1.0, -1.0):
        world.set_joint_motor(0, Motor(mode="velocity", target=speed, force=1e6))
        for _ in range(100):
            step(world, DT)
            history.add_frame(frame_of(world), 0, 0)
    c = history.columns(20.0)
    moved = np.diff(c["coordinate"], prepend=c["coordinate"][0] - 1.0 * DT)
    assert float(c["friction"] @ moved) == pytest.approx(-2.0 * 2.0, rel=0.03)
    assert set(np.sign(c["friction"][c["slips"] > 0.0])) == {-1.0, 1.0}


def test_the_bound_falls_with_speed_and_grows_with_load():
    law = Friction(static=4.0, kinetic=1.0, stribeck=0.5)
    world = hinge(law)
    world.set_joint_motor(0, Motor(mode="velocity", target=0.7, force=1e6))
    for _ in range(5):
        step(world, DT)
    seen = joint_lens.sample(frame_of(world), 0, 0)
    expected = 1.0 + 3.0 * math.exp(-((0.7 / 0.5) ** 2))
    assert seen.slips and seen.bound == pytest.approx(expected, rel=1e-6)
    assert abs(seen.friction) == pytest.approx(expected, rel=1e-6)
    world = hinge(Friction(static=1.0, load=0.5, radius=0.1))
    world.set_gravity((0.0, 0.0, -9.81))
    for _ in range(5):
        step(world, DT)
    assert joint_lens.sample(frame_of(world), 0, 0).bound == pytest.approx(1.0 + 0.5 * 0.1 * 3.0 * 9.81, rel=1e-6)


def test_each_group_has_its_own_friction_and_coordinate():
    world = hinge(Friction(static=2.0), kind="cylindrical")
    world.set_joint_friction(8.0, 0, "slide")
    world.apply_force(1, (0.0, 0.0, 20.0))
    world.apply_torque(1, (0.0, 0.0, 1.0))
    step(world, DT)
    frame = frame_of(world)
    kind = joint_lens.kind_of(frame, 0)
    slide, turn = (joint_lens.sample(frame, 0, g) for g in (0, 1))
    assert [joint_lens.axis_of(kind, g).unit for g in (0, 1)] == ["m", "rad"]
    assert slide.slips and slide.friction == pytest.approx(-8.0) and slide.bound == 8.0 and slide.coordinate > 0.0
    assert not turn.slips and turn.friction == pytest.approx(-1.0) and turn.bound == 2.0 and abs(turn.coordinate) < 1e-9


def test_history_restarts_with_another_joint_or_scene(monkeypatch):
    monkeypatch.setattr(joint_lens, "MAX_SAMPLES", 8)
    world, history = hinge(Friction(static=2.0)), joint_lens.JointFrictionHistory()
    for _ in range(20):
        step(world, DT)
        history.add_frame(frame_of(world), 0, 0)
        history.add_frame(frame_of(world), 0, 0)
    times = history.columns(9.0)["time"]
    assert 4 <= len(times) <= 8 and times[-1] == world.time
    np.testing.assert_allclose(np.diff(times), DT)
    past = dataclasses.replace(frame_of(world), time=0.05)
    history.add_frame(past, 0, 0)
    assert history.count == 1 and history.last.time == 0.05
    history.add_frame(dataclasses.replace(past, scene="other", time=0.06), 0, 0)
    assert history.count == 1


def test_the_shown_joint_is_the_selected_or_first_one_with_friction():
    world = hinge(Friction(static=1.0))
    other = world.add_body(Box((0.1, 0.1, 0.1)), pos=(3.0, 0.0, 1.0))
    world.add_joint("fixed", 0, other, anchor=(3.0, 0.0, 1.0), name="weld")
    frame = frame_of(world)
    assert [joint_lens.choose(frame, j, "mouse") for j in (-1, 0, 1, 9)] == [0, 0, 0, 0]
    assert joint_lens.choose(frame, -1, "hinge") == -1 and list(joint_lens.joints_with_friction(frame, "")) == [0]


# ---- the panel


@pytest.fixture
def seeing(person):
    """With the panel in front."""
    person.window.gui.panels.show("joint_lens")
    person.look(6)
    yield person
    person.session.selection.joint = -1


def drawn(person):
    return {name.removeprefix("joint_lens/") for name in fresh_spots(person) if name.startswith("joint_lens/")}


def test_the_panel_follows_a_hinge_and_accepts_a_typed_bound(seeing):
    from app.panels.joint_lens import JointLensState

    seeing.load("door")
    seeing.session.post(Simulation.single_step, 5)
    assert seeing.wait(lambda: seeing.session.frame.step >= 5)
    assert {"joint", "bound", "now", "over time"} <= drawn(seeing)
    seeing.type_into("joint_lens/bound", "7.5")
    assert seeing.wait(lambda: seeing.session.frame.joints["max_friction"][0, 0] == 7.5)
    seeing.session.post(Simulation.single_step, 1)
    assert seeing.wait(lambda: seeing.session.frame.step >= 6)
    seeing.look(3)
    last = seeing.session.state(JointLensState).history.last
    assert last.slips and abs(last.friction) == pytest.approx(7.5) and last.bound == 7.5
    assert not seeing.window.gui.panels.all["joint_lens"].error


def test_a_joint_is_chosen_from_the_list(seeing):
    seeing.load("joint_gallery")
    seeing.click("joint_lens/joint")
    seeing.look(3)
    chosen = next(name for name in fresh_spots(seeing) if name.endswith("joint=2"))
    seeing.click(chosen)
    assert seeing.session.selection.joint == 2
    assert "over time" in drawn(seeing)


def test_a_low_panel_shows_one_plot_with_room_for_its_axes_and_a_high_one_both(seeing, monkeypatch):
    from app.panels import joint_lens as panel

    seeing.load("door")
    assert "over time" in drawn(seeing) and "loop" not in drawn(seeing)
    _, top, _, bottom = fresh_spots(seeing)["joint_lens/over time"]
    assert bottom - top > 0.7 * panel.MIN_PLOT_HEIGHT
    seeing.click("joint_lens/show loop")
    assert "loop" in drawn(seeing) and "over time" not in drawn(seeing)
    monkeypatch.setattr(panel, "MIN_PLOT_HEIGHT", 50.0)
    assert {"loop", "over time"} <= drawn(seeing) and "show loop" not in drawn(seeing)
    seeing.forget(panel.JointLensState)


def test_without_joints_the_panel_shows_a_sentence(seeing):
    seeing.load("incline")
    assert not drawn(seeing) and not seeing.window.gui.panels.all["joint_lens"].error


def test_drawing_time_is_small(seeing):
    from app.panels import joint_lens as panel

    seeing.load("door")
    state = seeing.session.state(panel.JointLensState)

    def as_new():
        state.frame = None
        if state.history.last:
            state.history.last = dataclasses.replace(state.history.last, time=-1.0)

    assert seeing.cost_of_drawing(panel, as_new) < 3.0
