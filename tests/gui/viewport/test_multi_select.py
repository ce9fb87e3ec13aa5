"""Multiple selection and commands on it: one edit, all or nothing."""

import numpy as np
import pytest
from pyglet.window import key, mouse

from app.engine import commands
from app.engine.command import COMMANDS, is_undoable
from app.engine.commands.bodies import BATCH_COMMANDS
from app.gui.viewport import multi_select
from app.gui.viewport.transform_tools import Tool
from app.panels.exercises import performed
from app.panels.outliner import OutlinerState
from app.session import Selection
from physics import BadInput
from physics.core.quaternions import to_matrix
from physics.core.records import Kind
from scenes.lessons import lesson_of
from tests.helpers import authored, quiet
from tests.tools.person import click, drag_handle, fresh_spots, top

# ---- the selection and the command


def test_bodies_are_added_to_and_removed_from_the_selection():
    chosen = Selection(body=3).toggled(5).toggled(7)
    assert chosen.bodies == (3, 5, 7) and chosen.body == 7
    assert chosen.toggled(7).bodies == (3, 5) and chosen.toggled(7).body == 5
    assert chosen.toggled(3).bodies == (5, 7)
    assert Selection(body=3).toggled(3).bodies == () and Selection(body=3).toggled(3).body == -1
    assert Selection.of([4, 4, 2, 4]).bodies == (4, 2) and Selection.of([]).body == -1
    chosen.body = 3     # as who knows of one body alone writes it
    assert chosen.bodies == (5, 3)


def moving(simulation):
    return np.flatnonzero(simulation.world.bodies["kind"] == Kind.DYNAMIC).tolist()


@pytest.mark.parametrize(("command", "arguments", "text"), [
    ("remove_body", lambda i: (i,), "deleted 3 bodies"), ("duplicate", lambda i: (i, (0.0, 9.0, 0.0)), "added 3 bodies"),
    ("set_kind", lambda i: (i, "static"), "kind of 3 bodies: dynamic -> static"),
    ("set_friction", lambda i: (0.9, i), "friction of 3 bodies: 0.5 -> 0.9"),
    ("set_pose", lambda i: (i, (i, 0.0, 5.0), (1.0, 0.0, 0.0, 0.0)), "place of 3 bodies"),
    ("resize", lambda i: (i, (0.3, 0.2, 0.1)), "size of 3 bodies: (0.2, 0.2, 0.2) -> (0.3, 0.2, 0.1) m")])
def test_a_command_on_three_bodies_is_one_edit(command, arguments, text):
    simulation = quiet()
    before = authored(simulation)
    commands.batch(simulation, command, [arguments(i) for i in moving(simulation)[:3]])
    after = authored(simulation)
    assert after != before and [edit.text for edit in simulation.edits.done] == [text]
    commands.undo(simulation)
    assert authored(simulation) == before
    commands.redo(simulation)
    assert authored(simulation) == after


def test_batch_commands_are_undoable_commands():
    for name in BATCH_COMMANDS:
        assert is_undoable(COMMANDS[name]), name


def test_a_refused_call_reverts_the_whole_batch():
    simulation = quiet()
    some, before = moving(simulation)[:3], authored(simulation)
    with pytest.raises(BadInput, match="is not one of"):
        commands.batch(simulation, "set_kind", [(some[0], "static"), (some[1], "static"), (some[2], "liquid")])
    assert authored(simulation) == before and not simulation.edits.done
    with pytest.raises(BadInput, match="cannot be applied to several"):
        commands.batch(simulation, "reset", [()])


def test_batches_are_recomputed():
    simulation = quiet()
    some = moving(simulation)[-3:]
    for _ in range(30):
        simulation.step()
    commands.batch(simulation, "remove_body", [(i,) for i in some])
    for _ in range(10):
        simulation.step()
    after = simulation.world.bodies.tobytes()
    commands.go_to_step(simulation, 5)
    simulation.timeline.go_to_goal()
    assert np.all(simulation.world.bodies["kind"][some] == Kind.DYNAMIC)
    commands.go_to_step(simulation, 40)
    simulation.timeline.go_to_goal()
    assert simulation.world.bodies.tobytes() == after


# ---- by hand


@pytest.fixture
def scene(person):
    person.load("pyramid")
    tool = person.session.state(Tool)
    tool.mode, tool.local, tool.using = "", False, False
    person.session.selection = Selection()
    person.look(3)
    yield person
    person.session.selection = Selection()


def test_ctrl_click_toggles_and_a_click_selects_one(scene):
    person, session = scene, scene.session
    a, b, c = top(session)
    click(person, a)
    click(person, b, key.MOD_CTRL)
    click(person, c, key.MOD_CTRL)
    assert session.selection.bodies == (a, b, c)
    click(person, b, key.MOD_CTRL)
    assert session.selection.bodies == (a, c)
    left, high, _, _ = person.window.gui.panels.centre
    person.press(round(left + 8), round(person.window.get_size()[1] - high - 8), modifiers=key.MOD_CTRL)
    person.release(round(left + 8), round(person.window.get_size()[1] - high - 8))
    assert session.selection.bodies == (a, c), "a miss changes nothing"
    click(person, b)
    assert session.selection.bodies == (b,)


def test_a_rectangle_selects_and_does_not_drag(scene):
    person, session = scene, scene.session
    some, eye = top(session), session.camera.eye.copy()
    points = np.array([person.body_at(i) for i in some])
    (x0, y0), (x1, y1) = points.min(axis=0) - 6, points.max(axis=0) + 6
    person.press(x0, y0, modifiers=key.MOD_CTRL)
    person.send("on_mouse_drag", (x0 + x1) // 2, y1, 9, 9, mouse.LEFT, key.MOD_CTRL)
    person.send("on_mouse_drag", x1, y1, 9, 9, mouse.LEFT, key.MOD_CTRL)
    corners = session.state(multi_select.SelectionRectangle).corners
    height = person.window.get_size()[1]
    assert np.allclose(corners, [(x0, height - y0), (x1, height - y1)], atol=1.0)
    person.release(x1, y1)
    assert set(session.selection.bodies) == set(some) and session.state(multi_select.SelectionRectangle).corners is None
    assert np.array_equal(session.camera.eye, eye) and session.simulation.dragged == -1


def test_all_moving_bodies_are_selected_deleted_and_restored(scene):
    person, session = scene, scene.session
    person.hit(key.A, key.MOD_CTRL)
    count = int((session.frame.bodies["kind"] == Kind.DYNAMIC).sum())
    assert len(session.selection.bodies) == count
    person.hit(key.DELETE)
    assert person.wait(lambda: not np.any(session.frame.bodies["kind"] == Kind.DYNAMIC))
    assert session.selection.bodies == () and session.simulation.edits.done[-1].text == f"deleted {count} bodies"
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: int((session.frame.bodies["kind"] == Kind.DYNAMIC).sum()) == count)


def test_all_dynamic_bodies_are_no_kinematic_ones(person):
    """As the lanes of the bench; nor is the step done that wants one box selected."""
    person.load("incline")
    session = person.session
    assert np.any(session.frame.bodies["kind"] == Kind.KINEMATIC)
    person.hit(key.A, key.MOD_CTRL)
    kinds = session.frame.bodies["kind"]
    assert set(session.selection.bodies) == set(np.flatnonzero(kinds == Kind.DYNAMIC).tolist())
    step = next(step.action for step in lesson_of("incline").steps if step.action is not None and step.action.kind == "select")
    assert not performed(session, step)
    session.selection = Selection(body=session.frame.body_names.index(step.name))
    assert performed(session, step)


def test_copies_of_several_bodies_do_not_overlap_them(scene):
    person, session = scene, scene.session
    some = top(session)
    session.selection = Selection.of(some)
    before = set(np.flatnonzero(session.frame.bodies["kind"] > 0).tolist())
    person.hit(key.D, key.MOD_CTRL)
    assert person.wait(lambda: len(set(np.flatnonzero(session.frame.bodies["kind"] > 0).tolist()) - before) == 3)
    new = sorted(set(np.flatnonzero(session.frame.bodies["kind"] > 0).tolist()) - before)
    pos = session.frame.bodies["pos"]
    shift = pos[new] - pos[some]
    assert np.allclose(shift, shift[0]) and abs(shift[0, 2]) < 1e-12
    (lo, hi), (low, high) = ((pos[who].min(axis=0) - 0.2, pos[who].max(axis=0) + 0.2) for who in (some, new))
    assert np.any((low > hi)[:2] | (high < lo)[:2]), "the boxes around them do not meet"
    assert len(session.simulation.edits.done) == 1 and session.simulation.edits.done[-1].text == "added 3 bodies"


@pytest.mark.parametrize(("symbol", "title"), [(key.G, "place of 3"), (key.T, "place of 3")])
def test_handles_move_and_rotate_the_selection_rigidly(scene, symbol, title):
    """Whatever the handles do, distances stay, and all turn by the same angle about the body with the handles."""
    person, session = scene, scene.session
    some = top(session)
    session.selection = Selection.of(some)
    before, turned = (session.frame.bodies[name][some].copy() for name in ("pos", "quat"))
    person.hit(symbol)
    axis = (0.0, 0.0, 1.0) if symbol == key.G else (0.0, 1.1, 1.1)      # half way between two axes: on the ring about the third
    end = drag_handle(person, some[-1], axis, 50.0)
    person.release(*end)
    assert person.wait(lambda: not np.array_equal(session.frame.bodies["pos"][some[0]], before[0]))
    assert person.wait(lambda: not session.thread.has_commands)
    person.look(3)
    now = session.frame.bodies[some]
    if symbol == key.G:
        assert np.allclose(now["pos"] - before, now["pos"][0] - before[0], atol=1e-9) and np.array_equal(now["quat"], turned)
    else:
        assert np.allclose(now["pos"][-1], before[-1], atol=1e-6)
        turn = to_matrix(now["quat"][-1]) @ to_matrix(turned[-1]).T
        assert np.trace(turn) < 3.0 - 1e-6
        assert np.allclose(now["pos"] - now["pos"][-1], (before - before[-1]) @ turn.T, atol=1e-6)
        assert all(np.allclose(to_matrix(now["quat"][k]), turn @ to_matrix(turned[k]), atol=1e-6) for k in range(3))
    assert len(session.simulation.edits.done) == 1 and title in session.simulation.edits.done[-1].text
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: np.array_equal(session.frame.bodies["pos"][some], before))


def test_menu_and_inspector_apply_to_the_selection(scene):
    person, session = scene, scene.session
    some = top(session)
    session.selection = Selection.of(some)
    session.window.show_panel("inspector")
    person.look(4)
    person.type_into("inspector/friction \u03bc", "0.8")

    def frictions():
        shapes = session.frame.shapes
        return [float(shapes["friction"][np.flatnonzero(shapes["body"] == i)[0]]) for i in some]

    assert person.wait(lambda: frictions() == [0.8, 0.8, 0.8])
    assert session.simulation.edits.done[-1].text == "friction of 3 bodies: 0.5 -> 0.8"
    person.press(*person.body_at(some[0]), mouse.RIGHT)
    person.release(*person.body_at(some[0]), mouse.RIGHT)
    person.look(4)
    assert session.selection.bodies == tuple(some), "its menu leaves the others selected"
    person.click(next(spot for spot in fresh_spots(person) if spot.endswith("/Delete")))
    assert person.wait(lambda: not np.any(session.frame.bodies["kind"][some]))


def test_the_outliner_adds_by_ctrl_and_selects_a_range_by_shift(scene):
    person, session = scene, scene.session
    session.state(OutlinerState).outline.search = ""
    session.window.show_panel("outliner")
    some = top(session, 6)
    session.selection = Selection(body=some[2])     # scrolls there
    person.look(6)
    names = session.frame.body_names
    order = [line.index for line in session.state(OutlinerState).outline.lines if line.kind == "body"]
    shown = [i for i in order if f"outliner/body {names[i]}" in fresh_spots(person)]
    first, last = shown[1], shown[4]
    person.click(f"outliner/body {names[first]}")
    without = [first, shown[3], last]
    for symbol, line, expected in ((key.LSHIFT, last, shown[1:5]), (key.LCTRL, shown[2], without)):
        modifier = key.MOD_SHIFT if symbol == key.LSHIFT else key.MOD_CTRL
        person.send("on_key_press", symbol, modifier)
        person.click(f"outliner/body {names[line]}")
        person.send("on_key_release", symbol, 0)
        assert set(session.selection.bodies) == set(expected), symbol
    assert session.selection.body == last


def test_selected_bodies_are_outlined(scene):
    """In the real picture: white lines where there were none, around every selected body."""
    person, window, session = scene, scene.window, scene.session
    person.see()
    across = session.camera.project(session.frame.bodies["pos"], 800.0, 600.0)[:, 0]
    moves = np.flatnonzero(session.frame.bodies["kind"] == Kind.DYNAMIC)
    some = [*top(session, 1), int(moves[np.argmin(across[moves])]), int(moves[np.argmax(across[moves])])]    # far apart
    person.look(3)
    plain = window.picture().min(axis=2) > 200
    session.selection = Selection.of(some)
    person.look(3)
    white = (window.picture().min(axis=2) > 200) & ~plain
    height = window.get_size()[1]
    for body in some:
        x, y = person.body_at(body)
        assert white[height - y - 30 : height - y + 30, x - 30 : x + 30].sum() > 20, body
