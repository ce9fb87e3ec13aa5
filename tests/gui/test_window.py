"""The real window with real events (X11 or EGL): input reaches the physics, and nothing closes the window by accident."""

import argparse
import math
import time

import numpy as np
import pyglet
import pytest
from imgui_bundle import imgui
from pyglet.window import key, mouse

import scenes
from app.commands import view
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.shell.settings import Settings
from app.gui.viewport.viewport import MIN_HOLD_TIME
from app.render.overlays.mouse_spring import find_drag
from app.render.scene.transforms import BodyTransforms
from physics import BadInput, Sphere
from physics.core.records import Kind
from tests.tools.person import fresh_spots, some_body


@pytest.fixture
def seeing(person):
    """With the picture."""
    person.see()
    return person


def test_run_pause_step_and_reset_by_mouse(person):
    person.load("pyramid")
    person.click("top/run")
    assert person.wait(lambda: person.session.frame.step > 3 and not person.session.frame.paused)
    person.click("top/pause")
    assert person.wait(lambda: person.session.frame.paused)
    before = person.session.frame.step
    person.click("top/step")
    assert person.wait(lambda: person.session.frame.step > before)
    person.click("top/reset")
    assert person.wait(lambda: person.session.frame.step == 0)


def test_seeking_by_key_button_and_bar(person):
    person.load("pyramid")
    session = person.session
    session.post(commands.set_time_share, 0.0)       # the clock ends no step, so that each can be gone to
    session.post(commands.throw, (-3.0, 0.0, 1.0), (9.0, 0.0, 0.0))
    session.post(Simulation.run)
    assert person.wait(lambda: session.frame.time > 0.7)
    session.post(Simulation.pause)
    assert person.wait(lambda: session.frame.paused)
    last, seen = session.frame.step, session.frame.bodies.tobytes()
    back = (lambda: person.hit(key.LEFT), lambda: person.hit(key.COMMA), lambda: person.click("top/step back"))
    for count, go_back in enumerate(back, 1):
        go_back()
        assert person.wait(lambda count=count: session.frame.step == last - count)
    x, y = person.spot("top/past", 0.25)
    person.press(x, y)
    assert person.wait(lambda: abs(session.frame.time - 0.25 * session.frame.past.end) < 0.02)
    away, _ = person.spot("top/past", 0.6)
    person.send("on_mouse_drag", away, y, away - x, 0, mouse.LEFT, 0)
    assert person.wait(lambda: abs(session.frame.time - 0.6 * session.frame.past.end) < 0.02)
    person.release(away, y)
    assert session.frame.paused and session.frame.past.last == last
    session.post(commands.go_to_step, last)
    assert person.wait(lambda: session.frame.step == last)
    assert session.frame.bodies.tobytes() == seen
    session.post(commands.go_to_time, 0.3)
    assert person.wait(lambda: session.frame.time < 0.31)
    session.post(Simulation.set_speed, 0.1)      # slowly, so that the future does not come again between two looks
    person.click("top/run")
    assert person.wait(lambda: session.frame.past.last < last), "the future is forgotten"
    session.post(Simulation.pause)
    session.post(Simulation.set_speed, 1.0)
    assert person.wait(lambda: any("discarded" in message.text for message in session.messages))


def test_a_slider_reaches_the_physics(person):
    person.load("pyramid")
    person.click("physics/friction μ", where=0.75)
    assert person.wait(lambda: person.session.simulation.friction is not None)
    assert person.session.simulation.friction == pytest.approx(1.5, abs=0.05)
    living = person.session.frame.shapes["body"] >= 0
    assert person.wait(lambda: np.allclose(person.session.frame.shapes["friction"][living], person.session.simulation.friction))


def test_a_typed_number_reaches_the_physics(person):
    person.load("pyramid")
    person.type_into("physics/friction μ", "0.123")
    assert person.wait(lambda: person.session.simulation.friction == 0.123)


def test_the_solver_is_chosen_from_the_list_and_brings_its_options(person):
    person.load("pyramid")
    person.click("physics/solver")
    person.look(2)
    person.click(next(spot for spot in widgets.clickable_areas if spot.endswith("solver=soft_steps")))
    assert person.wait(lambda: person.session.simulation.world.solver.name == "soft steps")
    person.look(2)
    assert any("relax" in spot for spot in widgets.clickable_areas), "an option that only soft steps have"
    person.load("pyramid")


@pytest.mark.parametrize("typed", ["nan", "inf", "-1e999", "much"])
def test_invalid_typed_text_never_reaches_the_physics(person, typed):
    person.load("pyramid")
    person.session.post(commands.set_friction, 0.5)
    assert person.wait(lambda: person.session.simulation.friction == 0.5)
    person.type_into("physics/friction μ", typed)
    time.sleep(0.05)
    assert person.session.simulation.friction == 0.5
    assert widgets.refusal()
    person.type_into("physics/friction μ", "0.7")
    assert not widgets.refusal(), "an old complaint stands beside a good number"


def test_the_reason_of_a_refusal_lies_over_its_own_field_and_goes_with_the_next_key(person):
    person.load("pyramid")
    person.type_into("physics/friction μ", "abc")
    assert "abc" in widgets.refusal()
    person.look(2)
    tip = next(one for one in imgui.get_current_context().windows if one.name.startswith("##Tooltip") and one.active)
    own = fresh_spots(person)["physics/friction μ"]
    below = fresh_spots(person)["physics/restitution e"]
    assert tip.pos.y < own[3] and tip.pos.y + tip.size.y <= below[1] + 4.0, "the row below is seen"
    person.hit(key.Z, key.MOD_CTRL)
    person.look(2)
    assert not widgets.refusal()


def test_typing_triggers_no_shortcuts(person):
    person.load("pyramid")
    before = list(person.session.simulation.world.body_names)
    x, y = person.spot("scenes/search scenes")
    person.press(x, y)
    person.release(x, y)
    person.look(2)
    for symbol, letter in ((key.P, "p"), (key.R, "r"), (key.B, "b")):
        person.send("on_key_press", symbol, 0)
        person.send("on_text", letter)
        person.send("on_key_release", symbol, 0)
    person.look(3)
    assert person.session.frame.paused and person.session.simulation.world.body_names == before
    for _ in range(3):
        person.hit(key.BACKSPACE)
    person.press(*person.body_at(some_body(person.session)))
    person.release(*person.body_at(some_body(person.session)))


def test_right_click_resets(person):
    person.load("pyramid")
    person.session.post(commands.set_gravity, (0.0, 0.0, -3.0))
    assert person.wait(lambda: person.session.frame.gravity[2] == -3.0)
    x, y = person.spot("physics/gravity")
    person.press(x, y, mouse.RIGHT)
    person.release(x, y, mouse.RIGHT)
    assert person.wait(lambda: person.session.frame.gravity[2] == -9.81)


def test_dragging_a_body_moves_it(person):
    person.load("pyramid")
    body = some_body(person.session)
    start = person.session.frame.bodies["pos"][body].copy()
    x, y = person.body_at(body)
    person.press(x, y)
    for i in range(1, 11):
        person.send("on_mouse_drag", x, y + 8 * i, 0, 8, mouse.LEFT, 0)
    assert person.wait(lambda: person.session.simulation.dragged >= 0)
    person.session.post(Simulation.run)
    assert person.wait(lambda: person.session.frame.bodies["pos"][body, 2] > start[2] + 0.1)
    frame = person.session.frame
    weight = 9.81 * frame.bodies["mass"][body]
    assert 0.0 < find_drag(frame, BodyTransforms(frame)).force <= 30.6 * weight
    person.release(x, y + 80)
    assert person.wait(lambda: person.session.simulation.dragged == -1)


def test_a_click_selects_and_delete_removes(person):
    person.load("pyramid")
    body = some_body(person.session)
    person.press(*person.body_at(body))
    person.release(*person.body_at(body))
    assert person.session.selection.body == body
    person.hit(key.DELETE)
    assert person.wait(lambda: person.session.frame.bodies["kind"][body] == Kind.FREE)
    assert person.session.selection.body == -1


def test_a_slow_click_selects_too_and_shows_the_inspector(person):
    person.load("chain")
    person.window.gui.panels.show("joints")
    person.look(4)
    assert any(spot.startswith("joints/") for spot in fresh_spots(person))
    link = person.session.simulation.world.body("link 2")
    person.press(*person.body_at(link))
    time.sleep(1.2 * MIN_HOLD_TIME)
    person.look(2)
    person.release(*person.body_at(link))
    assert person.session.selection.body == link
    person.look(4)
    assert "inspector/mass" in fresh_spots(person)


def test_empty_space_turns_the_view_and_the_wheel_zooms(person):
    person.load("pyramid")
    camera = person.session.camera
    left, top, width, _ = person.window.gui.panels.centre
    x, y = round(left + 0.5 * width), round(person.window.get_size()[1] - top - 12)
    azimuth, distance = camera.azimuth, camera.distance
    person.press(x, y)
    person.send("on_mouse_drag", x + 60, y, 60, 0, mouse.LEFT, 0)
    person.release(x + 60, y)
    assert camera.azimuth != azimuth and person.session.simulation.dragged == -1
    person.send("on_mouse_scroll", x, y, 0.0, 2.0)
    assert camera.distance < distance
    person.hit(key.F)
    assert camera.distance == pytest.approx(distance), "as when the scene was loaded"


def test_a_ball_is_thrown_by_key_and_by_shift_click(person):
    person.load("pyramid")
    count = len(person.session.frame.bodies)
    person.move(*person.body_at(some_body(person.session)))
    person.hit(key.B)
    assert person.wait(lambda: len(person.session.frame.bodies) == count + 1)
    person.press(*person.body_at(some_body(person.session)), modifiers=key.MOD_SHIFT)
    person.release(*person.body_at(some_body(person.session)), modifiers=key.MOD_SHIFT)
    assert person.wait(lambda: len(person.session.frame.bodies) == count + 2)
    assert np.linalg.norm(person.session.frame.bodies["vel"][-1]) == pytest.approx(person.session.throw_speed)


def test_a_panel_does_not_leak_clicks_into_the_scene(person):
    person.load("pyramid")
    azimuth = person.session.camera.azimuth
    x, y = person.spot("scenes/pyramid")    # others may be scrolled out of the panel
    person.press(x, y)
    person.send("on_mouse_drag", x + 40, y, 40, 0, mouse.LEFT, 0)
    person.release(x + 40, y)
    assert person.session.camera.azimuth == azimuth and person.session.selection.body == -1


def test_a_click_belongs_to_its_place_even_before_the_next_picture(person, monkeypatch):
    """The mouse goes from the scene to a button, or from a panel to a body, and is pressed within one picture."""
    person.load("pyramid")
    session, window, pressed = person.session, person.window, []
    press = window.hands.press
    monkeypatch.setattr(window.hands, "press", lambda *args: (pressed.append(args), press(*args))[1])

    def at_once(place):
        for event, *args in (("on_mouse_motion", 0, 0), ("on_mouse_press", mouse.LEFT, 0), ("on_mouse_release", mouse.LEFT, 0)):
            pyglet.event.EventDispatcher.dispatch_event(window, event, *place, *args)
        person.look(4)

    body, button = some_body(session), person.spot("top/step")
    person.move(*person.body_at(body))
    at_once(button)
    assert person.wait(lambda: session.frame.step == 1) and not pressed and session.selection.body == -1
    person.move(*button)
    at_once(person.body_at(body))
    assert len(pressed) == 1 and session.selection.body == body


def test_the_list_of_scenes_shows_the_one_that_is_open(person):
    for name in ("woodpecker", "band_brake"):
        person.load(name)
        panel = imgui.internal.find_window_by_name(person.window.gui.panels.all["scenes"].window)
        _, top, _, bottom = fresh_spots(person)[f"scenes/{name}"]
        assert panel.pos.y < top and bottom < panel.pos.y + panel.size.y


def test_many_messages_leave_the_scene_visible(person):
    for number in range(5):
        person.session.notify(f"message {number}")
    person.look(4)
    shown = imgui.internal.find_window_by_name("##said")
    assert shown.active and shown.size.y < 4.0 * imgui.get_text_line_height_with_spacing()
    assert len(person.session.messages) == 5, "the console has them all"


def test_escape_deselects_and_never_closes(person):
    person.session.selection.body = 2
    for _ in range(3):
        person.hit(key.ESCAPE)
    assert person.session.selection.body == -1
    assert person.window.context is not None and not person.window.has_exit
    person.look(2)


def test_escape_closes_the_help_before_it_deselects(person):
    person.session.selection.body = 2
    person.hit(key.F1)
    assert person.window.gui.panels.all["help"].open
    person.hit(key.ESCAPE)
    assert not person.window.gui.panels.all["help"].open and person.session.selection.body == 2
    person.hit(key.ESCAPE)
    assert person.session.selection.body == -1


def test_predictions_without_a_measurement_are_marked(person):
    from app.panels.lesson import changed

    person.load("door")
    assert changed(person.session) == []
    person.session.post(commands.set_joint_friction, 5.0)
    person.session.post(commands.set_gravity, (0.0, 0.0, -1.62))
    assert person.wait(lambda: changed(person.session) == ["joint friction", "gravity"])
    person.look(2)


def test_edits_of_single_bodies_are_named_beside_the_predictions(person):
    from app.panels.lesson import changed

    person.load("incline")
    session = person.session
    box = session.frame.body_names.index("box 1") if "box 1" in session.frame.body_names else some_body(session)
    name = session.frame.body_names[box]
    session.post(commands.set_friction, 0.0, box)
    assert person.wait(lambda: [str(text) for text in changed(session)] == [f"friction of {name}"])
    session.post(Simulation.single_step, 5)
    assert person.wait(lambda: session.frame.step == 5)
    person.hit(key.R)
    assert person.wait(lambda: session.frame.step == 0)
    assert [str(text) for text in changed(session)] == [f"friction of {name}"], "a reset keeps it, and says so"
    session.post(commands.set_mass, box, 55.0)
    assert person.wait(lambda: [str(text) for text in changed(session)] == [f"mass of {name}"])
    session.post(Simulation.load, "incline")
    assert person.wait(lambda: not changed(session))


def test_a_file_from_the_empty_floor_says_what_is_on_it(person):
    from app.panels.lesson import about

    person.load(scenes.EMPTY)
    assert about(person.session).startswith("An empty floor")
    person.session.post(commands.spawn, Sphere(0.2), (0.0, 0.0, 1.0))
    assert person.wait(lambda: str(about(person.session)) == "Built by hand: 1 body on a floor.")


def test_shortcuts(person):
    person.load("pyramid")
    session = person.session
    person.hit(key.PERIOD)
    assert person.wait(lambda: session.frame.step == 1)
    person.hit(key.MINUS)
    assert person.wait(lambda: session.simulation.speed == 0.5)
    person.hit(key.EQUAL)
    assert person.wait(lambda: session.simulation.speed == 1.0)
    for symbol, name in ((key.C, "contacts"), (key.J, "joints"), (key.N, "normals"), (key.K, "cones"), (key.V, "velocities")):
        before = getattr(session.view, name)
        person.hit(symbol)
        assert getattr(session.view, name) is not before
        person.hit(symbol)
    person.hit(key.W, key.MOD_ALT)
    assert session.view.wireframe
    person.hit(key.W, key.MOD_ALT)
    person.hit(key.TAB)
    person.look()
    assert person.window.gui.panels.hidden
    person.hit(key.TAB)
    person.hit(key.F1)
    person.look()
    assert person.window.gui.panels.all["help"].open
    person.hit(key.SLASH, key.MOD_SHIFT)
    person.look()
    assert not person.window.gui.panels.all["help"].open
    scale = person.window.gui.scale
    person.hit(key.EQUAL, key.MOD_CTRL)
    person.look()
    assert person.window.gui.scale > scale
    person.hit(key._0, key.MOD_CTRL)
    person.look()
    assert person.window.gui.scale == scale
    person.hit(key.BRACKETRIGHT)
    assert person.wait(lambda: session.frame.scene != "pyramid")
    person.hit(key.BRACKETLEFT)
    assert person.wait(lambda: session.frame.scene == "pyramid")


def test_flying_keys_move_the_camera_and_stop(person):
    before = person.session.camera.target.copy()
    person.send("on_key_press", key.W, 0)
    person.look(5)
    person.send("on_key_release", key.W, 0)
    moved = person.session.camera.target.copy()
    assert np.linalg.norm(moved - before) > 0.05
    person.look(3)
    assert np.array_equal(moved, person.session.camera.target)
    person.session.frame_all()


def test_a_panel_that_raises_is_closed_and_the_others_continue(person, monkeypatch, caplog):
    from imgui_bundle import imgui

    import app.panels.inspector as broken

    def draw(session):
        imgui.begin_child("half open")
        imgui.push_style_color(imgui.Col_.text, imgui.ImVec4(1, 0, 0, 1))
        imgui.begin_table("never closed", 3)
        raise RuntimeError("on purpose")

    monkeypatch.setattr(broken, "draw", draw)
    panels = person.window.gui.panels
    person.look(3)
    assert "on purpose" in panels.all["inspector"].error
    assert any("on purpose" in message.text for message in person.session.messages)
    person.click("physics/friction μ", where=0.5)
    assert person.wait(lambda: person.session.simulation.friction == pytest.approx(1.0, abs=0.05))
    monkeypatch.undo()
    person.click("inspector/Reopen inspector")
    assert panels.all["inspector"].error == ""


def test_an_exception_in_a_handler_is_reported_and_the_window_stays_open(person, monkeypatch, caplog):
    monkeypatch.setattr(person.window.hands, "press", lambda *args: 1 / 0)
    person.press(*person.body_at(some_body(person.session)))
    person.release(*person.body_at(some_body(person.session)))
    monkeypatch.setattr(person.window.renderer, "draw", lambda *args, **kwargs: [][1])
    person.look(3)
    texts = " ".join(message.text for message in person.session.messages)
    assert "ZeroDivisionError" in texts and "IndexError" in texts
    monkeypatch.undo()
    before = person.window.pictures_drawn
    person.look(2)
    assert person.window.pictures_drawn == before + 2


def test_tiny_and_changing_sizes(seeing):
    person = seeing
    real = person.window.get_size
    width, height = real()
    for size in ((1, 1), (3, 700), (700, 2)):
        person.window.get_size = lambda size=size: size
        person.window.get_framebuffer_size = lambda size=size: size
        person.look(3)
    del person.window.get_size, person.window.get_framebuffer_size
    person.window.set_size(640, 480)
    person.look(3)
    person.window.set_size(width, height)
    person.look(3)
    assert not [m for m in person.session.messages if "drawing" in m.text]


def test_the_picture_shows_the_bodies(seeing, tmp_path):
    person = seeing
    person.load("pyramid")
    view, background = person.session.view, person.window.picture()
    assert background.shape[2] == 3 and background.std() > 5.0
    x, y = person.body_at(some_body(person.session))
    with_body = person.window.picture()[-1 - y, x].astype(int)
    person.session.post(commands.remove_body, some_body(person.session))
    assert person.wait(lambda: len(np.flatnonzero(person.session.frame.bodies["kind"] == Kind.DYNAMIC)) == 54)
    without = person.window.picture()[-1 - y, x].astype(int)
    assert np.abs(with_body - without).sum() > 30
    view.theme = "light"
    light = person.window.picture()
    view.theme = "dark"
    assert light.mean() > 2.0 * background.mean()
    person.window.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_quantities_are_followed_and_saved(person, tmp_path):
    from app.gui.plots.plot_saving import save_csv

    person.load("door")
    person.session.post(commands.follow, "world.energy")
    person.session.post(Simulation.single_step, 30)
    assert person.wait(lambda: person.session.frame.step >= 30)
    person.look(3)
    save_csv(person.session, tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0].startswith("time [s],") and "total energy [J]" in lines[0]
    assert len(lines) == 32 and all(math.isfinite(float(v)) for v in lines[-1].split(","))


def test_step_cost_is_shown_live_or_frozen_and_not_collected_when_hidden(person):
    from app.panels.cost import CostState

    person.load("pyramid")
    state = person.session.state(CostState)
    person.window.gui.panels.show("plot")
    person.look(4)
    person.session.post(Simulation.single_step, 20)
    assert person.wait(lambda: person.session.frame.step >= 20)
    person.look(2)
    assert len(person.session.simulation.recent) == 20, "hidden behind another tab it takes nothing"
    person.window.gui.panels.open("cost")
    assert person.wait(lambda: len(state.lines) == 6 and dict(line[:2] for line in state.sizes)["awake bodies"] == "55")
    spots = fresh_spots(person)
    assert {f"cost/{name}" for name in ("phase broad", "phase integrate", "phase step", "freeze", "plot")} <= set(spots)
    x0, y0, x1, y1 = spots["cost/plot"]
    assert x1 - x0 > 150.0 and y1 - y0 > 80.0
    assert state.timing.table.shape[1] == 20 and state.top > 0.0
    assert dict(line[:2] for line in state.sizes)["contacts"] == str(person.session.frame.report.contacts)
    person.click("cost/freeze")
    person.session.post(Simulation.single_step, 5)
    assert person.wait(lambda: person.session.frame.step >= 25)
    person.look(2)
    assert state.frozen and state.timing.table.shape[1] == 20
    person.click("cost/freeze")
    assert person.wait(lambda: state.timing.table.shape[1] == 25)
    person.session.post(Simulation.reset)
    assert person.wait(lambda: not state.lines), "a new world has no steps yet"
    person.window.gui.panels.show("plot")
    person.look(4)


def test_the_cost_at_the_cursor(person, monkeypatch):
    from app.panels import cost

    person.load("pyramid")
    person.window.gui.panels.open("cost")
    person.session.post(Simulation.single_step, 300)
    state = person.session.state(cost.CostState)
    assert person.wait(lambda: state.timing.table.shape[1] == 300 and len(state.lines) == 6)
    swatches, swatch = [], cost.widgets.swatch
    monkeypatch.setattr(cost.widgets, "swatch", lambda colour: (swatches.append(colour), swatch(colour)))
    x, y = person.spot("cost/plot", 0.8)
    person.move(x, y)
    swatches.clear()
    person.look()
    assert not person.window.gui.panels.all["cost"].error
    assert len(swatches) == 10 and 2 * swatches[:5] == swatches, "each phase in the table and at the cursor"
    person.window.gui.panels.show("plot")
    person.move(2, 2)
    person.look(4)


def test_a_panel_missing_from_the_saved_layout_is_docked(person):
    from types import SimpleNamespace

    from imgui_bundle import imgui

    from app.gui.shell.panel_host import Panel

    panels = person.window.gui.panels
    drawn = []
    module = SimpleNamespace(TITLE="Newcomer", PLACE="bottom", draw=drawn.append)
    panels.all["newcomer"], panels.docks.laid_out = Panel("newcomer", module), False      # as after a start with an old layout
    try:
        person.look(2)
        panels.show("newcomer")
        person.look(4)
        old, new = (imgui.internal.find_window_by_name(panels.all[name].window) for name in ("plot", "newcomer"))
        assert drawn and old.dock_id == new.dock_id != 0
    finally:
        del panels.all["newcomer"]
        panels.show("plot")
        person.look(4)


def test_the_first_picture_shows_a_pause_of_the_command_line():
    """Its button said "Pause", for the frame was older than the pause."""
    parser = argparse.ArgumentParser()
    view.arguments(parser)
    session = view.open_session(parser.parse_args(["incline", "--paused", "--dt", "0.001"]), Settings())
    session.update(time.perf_counter())
    assert session.frame.paused and session.frame.dt == 0.001


def test_the_command_line_chooses_solver_and_options():
    parser = argparse.ArgumentParser()
    view.arguments(parser)

    def opened(*words):
        return view.open_session(parser.parse_args(words), Settings())

    session = opened("stack", "--solver", "stewart_trinkle", "--option", "facets=6")
    for _ in range(2):
        solver = session.simulation.world.solver
        assert solver.name == "exact LCP (Stewart-Trinkle)" and solver.options.facets == 6 and not session.has_unsaved
        session.simulation.reset()
    alone = opened("stack", "--solver", "event_driven", "--option", "friction=left out")    # refuses friction as it is
    assert alone.simulation.world.solver.options.friction == "left out"
    for words, said in (("stack --option sweeps=1", "unknown option 'sweeps'"), ("stack --solver exact", "available: "),
                        ("door --solver event_driven", "dry friction"), ("a.stiction --solver soft_steps", "recording")):
        with pytest.raises(BadInput, match=said):
            opened(*words.split())
