"""Session and physics thread without a window: order of commands, time, divergence, messages."""

import time

import numpy as np
import pytest

from app.engine import commands, file_kinds
from app.engine.frame import RealTimePace, capture, poses
from app.engine.recording.validate_commands import DT_RANGE
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from app.render.scene.transforms import contact_points
from app.session import Selection, Session
from physics import BadInput, Sphere
from tests.helpers import SLIDING_BOX, wait


@pytest.fixture
def session():
    made = Session.open("pyramid")
    made.simulation.pause()
    made.thread.start()
    yield made
    made.thread.stop()


def test_a_pause_before_the_start_is_shown(session):
    """As by `stiction view --paused`: no command follows that would publish another frame."""
    assert wait(lambda: session.thread.frame.paused)
    assert session.thread.frame.step == 0 and not session.thread.has_commands


def test_commands_run_in_the_order_posted(session):
    for mu in np.linspace(0.1, 0.9, 200):
        session.post(commands.set_friction, float(mu))
    session.post(Simulation.single_step)
    assert wait(lambda: session.thread.frame.step == 1)
    assert session.simulation.friction == 0.9
    assert np.all(session.thread.frame.shapes["friction"][session.thread.frame.shapes["body"] >= 0] == 0.9)


def test_single_steps_advance_by_exactly_dt_and_pause(session):
    session.post(Simulation.single_step, 3)
    assert wait(lambda: session.thread.frame.step == 3)
    assert session.thread.frame.time == pytest.approx(3 * session.simulation.dt)
    assert session.thread.frame.paused


def test_reset_keeps_user_settings(session):
    session.post(commands.set_option, "iterations", 17)
    session.post(commands.set_friction, 0.33)
    session.post(commands.set_dt, 0.005)
    session.post(Simulation.single_step, 2)
    session.post(Simulation.reset)
    assert wait(lambda: session.thread.frame.step == 0 and session.simulation.dt == 0.005)
    assert session.simulation.world.solver.options.iterations == 17
    assert session.simulation.friction == 0.33


def test_a_bad_command_is_a_message(session):
    session.post(commands.set_dt, float("nan"))
    session.post(commands.set_dt, "fast", "too many")
    session.post(Simulation.single_step)
    assert wait(lambda: session.thread.frame.step == 1)
    session.update(time.perf_counter())
    said = " ".join(message.text for message in session.messages)
    assert "step size" in said and "set_dt failed" in said
    assert DT_RANGE[0] <= session.simulation.dt <= DT_RANGE[1]


def test_the_thread_runs_when_frames_are_not_read(session):
    session.post(Simulation.run)
    time.sleep(0.5)
    first = session.thread.frame.step
    time.sleep(0.5)
    assert session.thread.frame.step > first > 0


def test_lateness_and_speed_are_measured(session):
    session.post(Simulation.set_speed, 0.5)
    session.post(Simulation.run)
    assert wait(lambda: session.thread.frame.time > 0.2)
    pace = session.thread.frame.pace
    assert pace.asked == 0.5 and 0.0 <= pace.late_p50 <= pace.late_p99
    assert pace.reached == pytest.approx(0.5, rel=0.35)


def test_a_step_that_takes_too_long_drops_time(session, monkeypatch):
    real = session.simulation.step

    def slow():
        time.sleep(0.06)
        return real()

    monkeypatch.setattr(session.simulation, "step", slow)
    session.post(Simulation.run)
    assert wait(lambda: session.thread.frame.pace.dropped > 0.0)
    assert wait(lambda: 0.0 < session.thread.frame.pace.reached < 0.5)


def test_a_blow_up_pauses_and_keeps_the_last_good_state(session, monkeypatch):
    from physics import Diverged

    def blow_up(world, dt):
        raise Diverged("body 'box' went away", 1)

    session.post(Simulation.single_step, 2)
    assert wait(lambda: session.thread.frame.step == 2)
    monkeypatch.setattr("app.engine.simulation.step", blow_up)
    session.post(Simulation.run)
    assert wait(lambda: session.simulation.messages and session.thread.frame.paused)
    session.update(time.perf_counter())
    assert "went away" in session.messages[-1].text
    assert np.all(np.isfinite(session.frame.bodies["pos"])) and session.frame.step == 2


def test_an_exception_in_a_step_does_not_end_the_thread(session, monkeypatch):
    real = session.simulation.step
    monkeypatch.setattr(session.simulation, "step", lambda: 1 / 0)
    session.post(Simulation.run)
    assert wait(lambda: session.simulation.messages)
    monkeypatch.setattr(session.simulation, "step", real)
    session.post(Simulation.single_step)
    assert wait(lambda: session.thread.frame.step == 1)
    session.update(time.perf_counter())
    assert any("ZeroDivisionError" in message.text for message in session.messages)


def test_a_new_scene_sets_the_camera_and_clears_the_selection(session):
    session.selection.body = 3
    session.post(Simulation.load, "door")
    assert wait(lambda: session.thread.frame.scene == "door")
    session.update(time.perf_counter())
    assert session.selection.body == -1
    assert session.camera.distance == pytest.approx(session.scene.view.distance)


def test_removing_the_selected_body_deselects_it(session):
    body = int(np.flatnonzero(session.frame.bodies["mass"] > 0.0)[-1])
    session.selection.body = body
    session.post(commands.remove_body, body)
    assert wait(lambda: session.thread.frame.revision != session.frame.revision)
    session.update(time.perf_counter())
    assert session.selection.body == -1


def test_dragging_pulls_and_releases_a_body(session):
    body = int(np.flatnonzero(session.frame.bodies["mass"] > 0.0)[-1])
    start = session.frame.bodies["pos"][body].copy()
    session.post(commands.drag_begin, body, tuple(start))
    session.post(commands.drag_move, tuple(start + np.array([0.0, 0.0, 1.0])))
    session.post(Simulation.single_step, 120)
    assert wait(lambda: session.thread.frame.step == 120)
    assert session.thread.frame.bodies["pos"][body, 2] > start[2] + 0.5
    session.post(commands.drag_end)
    assert wait(lambda: session.simulation.dragged == -1)


def test_the_file_shown_is_that_of_the_frame(session, tmp_path):
    """The physics opens a file before the frame with it is published: panels must not mix the two."""
    path = tmp_path / "own.toml"
    path.write_text(SLIDING_BOX)
    seen = []
    session.post(lambda simulation: (simulation.load(file_kinds.admit(str(path))), seen.append(session.shown_name)))
    assert wait(lambda: session.thread.frame.setting.file == str(path))
    assert seen == ["pyramid"] == [session.shown_name]
    session.update(time.perf_counter())
    assert session.shown_name == str(path) and session.shown_scene() == file_kinds.admit(str(path))


def test_panels_keep_their_own_state(session):
    class State:
        text = ""

    session.state(State).text = "door"
    assert session.state(State).text == "door"


def test_an_unknown_scene_is_bad_input():
    with pytest.raises(BadInput, match="unknown scene"):
        Session.open("no such scene")


@pytest.mark.parametrize("scene", ["pyramid", "chain", "door", "playground"])
def test_the_simulation_continues_after_a_body_is_removed(scene):
    """An empty slot is not a body that blew up."""
    simulation = Simulation(scene)
    simulation.step()
    commands.remove_body(simulation, len(simulation.world.bodies) - 1)
    assert all(simulation.step() for _ in range(10)), list(simulation.messages)


def test_reset_keeps_gravity_and_materials_can_be_restored():
    """What a person set survives a reset; one command brings the scene's own materials back."""
    simulation = Simulation("incline")
    own = simulation.world.shapes["friction"].copy()
    commands.set_gravity(simulation, (0.0, 0.0, -1.62))
    commands.set_friction(simulation, 0.1)
    simulation.reset()
    assert simulation.world.gravity[2] == -1.62 and (simulation.world.shapes["friction"] == 0.1).all()
    commands.restore_materials(simulation)
    assert np.array_equal(simulation.world.shapes["friction"], own)
    simulation.load("incline")
    assert simulation.world.gravity[2] == -9.81


def test_a_bookmark_is_restored():
    """F5 and F9: the same state again, and the traces end there."""
    simulation = Simulation("pendulum")
    for _ in range(20):
        simulation.step()
    kept = simulation.world.bodies.copy()
    commands.bookmark_state(simulation)
    for _ in range(30):
        simulation.step()
    commands.return_to_state(simulation)
    assert np.array_equal(simulation.world.bodies["pos"], kept["pos"])
    times, _ = simulation.traces.read(simulation.traces.keys[0])
    assert times[-1] == simulation.world.time


def test_slots_of_deleted_bodies_are_not_drawn_and_raise_no_warning():
    simulation = Simulation("pyramid")
    for body in (3, 4, 5):
        commands.remove_body(simulation, body)
    before = poses(simulation.world)
    simulation.step()
    frame = capture(simulation.world, scene="", dt=simulation.dt, paused=False, before=before, pace=RealTimePace())
    pos, quat = frame.poses(0.5)
    assert np.isfinite(pos).all() and np.isfinite(quat).all()
    assert np.allclose(np.linalg.norm(quat[6:], axis=1), 1.0)


@pytest.mark.parametrize("last", [(Simulation.single_step, 7), (commands.go_to_step, 37), (commands.step_back, 3)],
                         ids=lambda command: command[0].__name__)
def test_contact_marks_belong_to_the_shown_step(last):
    def marks(*given):
        thread = PhysicsThread(Simulation("pyramid"))
        simulation = thread.simulation
        commands.set_option(simulation, "budget", 0.0)
        commands.throw(simulation, (-6.0, 0.0, 0.15), (2.0, 0.0, 0.0))
        for command in given:
            thread.post(*command)
            thread.run_commands()
            simulation.timeline.go_to_goal()
        thread.publish()
        assert thread.frame.step == 37
        return contact_points(thread.frame, *thread.frame.poses(1.0))

    one_by_one = marks(*[(Simulation.single_step,)] * 37)
    found = marks((Simulation.single_step, 30 if last[0] is Simulation.single_step else 40), last)
    assert len(found) > 30 and np.array_equal(found, one_by_one)


def shown(session, condition):
    """Wait until a picture shows it."""
    def look():
        session.update(time.perf_counter())
        return condition()
    return wait(look)


def test_bodies_just_added_are_selected_and_thrown_ones_are_not(session):
    assert shown(session, lambda: session.frame.bodies is not None)
    count = len(session.frame.bodies)
    session.post(commands.throw, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    assert shown(session, lambda: len(session.frame.bodies) > count) and session.selection.body == -1
    session.post(commands.spawn, Sphere(0.1), (3.0, 0.0, 1.0), name="mine")
    assert shown(session, lambda: "mine" in session.frame.body_names)
    assert session.frame.body_names[session.selection.body] == "mine"
    session.post(commands.duplicate, [session.selection.body, 2], (0.0, 2.0, 0.0))
    assert shown(session, lambda: len(session.frame.bodies) >= count + 4) and len(session.selection.bodies) == 2
    session.post(commands.undo)
    assert shown(session, lambda: session.selection.body == -1), "they are gone"


def test_a_reset_keeps_the_selection_by_name_or_drops_it(session):
    session.post(commands.remove_body, 3)
    session.post(commands.throw, (3.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    session.post(commands.spawn, Sphere(0.1), (3.0, 0.0, 1.0), name="built")
    assert shown(session, lambda: "built" in session.frame.body_names)
    mine = next(i for i, name in enumerate(session.frame.body_names) if name.startswith("thrown"))
    kept = session.frame.body_names[5]
    session.selection = Selection.of((mine, 5))
    build = session.frame.setting.build
    session.post(Simulation.reset)
    assert shown(session, lambda: session.frame.setting.build > build)
    assert [session.frame.body_names[body] for body in session.selection.bodies] == [kept], "what the reset removed is dropped"
    session.selection = Selection(mine if mine < len(session.frame.bodies) else 3)
    session.post(commands.set_parameter, "width", 2)
    assert shown(session, lambda: session.simulation.parameters.width == 2 and session.frame.setting.parameters.width == 2)
    assert session.selection.body == -1 or session.frame.bodies["kind"][session.selection.body] > 0


def test_messages_of_a_run_that_is_over_are_stale(session):
    session.notify("of the run before")
    session.messages[-1].wall -= 1.0
    session.post(Simulation.reset)
    assert shown(session, lambda: session.stale_before > session.messages[0].wall)
    with pytest.warns(FutureWarning, match="say is Session.notify now"):     # as own panels of earlier versions call it
        session.say("new")
    assert session.messages[-1].wall > session.stale_before


def test_a_slider_that_is_dragged_asks_no_faster_than_the_physics_answers(session):
    session.post(Simulation.single_step, 2)
    assert shown(session, lambda: session.frame.step == 2)
    session.holding = lambda: 7
    for k in range(50):
        session.set_parameter("mu", 0.2 + 0.01 * k)
    session.holding = int
    assert shown(session, lambda: session.parameters.mu == pytest.approx(0.69))
    done = session.frame.authored.edits.done
    assert len(done) == 1 and "-> 0.69" in done[0].text, "and it is one edit"
    assert len(session.simulation.history.commands) == 2, "the first value, and the last"
