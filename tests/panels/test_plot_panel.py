"""Plot panel in the real window: reading, measuring, seeking by a click, freezing, saved runs, moving curves, saving."""

import math

import numpy as np
import pytest
from pyglet.window import key, mouse

from app.analysis.curves.curves import MINUS, SAVED_RUN
from app.analysis.curves.plot_layout import PlotLayout
from app.analysis.lessons.prediction import Laws
from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.files import folders
from app.gui.controls import style
from app.gui.plots import axes, plot_readout, published_marks
from app.gui.plots.plot_area import PlotMouse
from app.gui.plots.plot_saving import save_csv, save_parquet
from app.gui.shell.imgui_context import DOUBLE_CLICK
from app.i18n.imgui_translated import imgui, implot
from tests.tools.person import fresh_spots

SPEED, ANGLE, FRICTION = "joint:hinge.rate", "joint:hinge.angle", "joint:hinge.friction"


@pytest.fixture
def door(person):
    """The door after three seconds, stopped, with the plot in front; the same on every machine."""
    person.load("door")
    person.session.post(commands.set_time_share, 0.0)
    person.session.state(PlotLayout).reset()
    person.window.gui.panels.show("plot")
    run_to(person, 300)
    return person


def run_to(person, step):
    person.session.post(Simulation.single_step, step - person.session.frame.step)
    assert person.wait(lambda: person.session.frame.step == step)
    person.look(3)


def board(person):
    return person.session.state(PlotLayout)


def at(person, across, down=0.5, part=1):
    """Where in a plot, as shares of its width and height."""
    x0, y0, x1, y1 = fresh_spots(person)[f"plot/part {part}"]
    return round(x0 + across * (x1 - x0)), round(person.window.get_size()[1] - (y0 + down * (y1 - y0)))


def time_at(person, across):
    start, end = board(person).limits
    return start + across * (end - start)


def drag(person, start, end, modifiers=0):
    person.press(*start, modifiers=modifiers)
    for share in (0.3, 0.6, 1.0):
        x, y = (round(a + share * (b - a)) for a, b in zip(start, end))
        person.send("on_mouse_drag", x, y, 0, 0, mouse.LEFT, modifiers)
        person.look()
    person.release(*end, modifiers=modifiers)
    person.look(2)


def item(person, label):
    """Click an item of the menu that is open."""
    found = [name for name in fresh_spots(person) if name.endswith(f"/{label}")]
    assert found, f"{label} is not drawn"
    person.click(found[0])


def pause(person):
    """As long as a click needs to be no double click."""
    person.look(round(1.5 * DOUBLE_CLICK * 60.0))


def test_solver_names_fit_into_the_toolbar(person):
    """They were cut at the end of the line where all the curves had room and they had not."""
    person.load("pyramid")
    for solver in ("soft_steps", "stewart_trinkle"):
        person.session.post(Comparison.compare_with, solver)
    assert person.wait(lambda: len(person.session.frame.followers) == 2)
    width, height = person.window.get_size()
    hidden = []
    for wide in range(1040, 1640, 60):
        person.window.set_size(wide, height)
        person.look(6)
        spots = fresh_spots(person)
        plot = imgui.internal.find_window_by_name(person.window.gui.panels.all["plot"].window)
        names = {spot: box for spot, box in spots.items() if spot.startswith("plot/solver ")}
        assert all(box[2] <= plot.pos.x + plot.size.x for box in names.values()), (wide, names)
        assert len(names) == 2 or "plot/more curves" in spots
        hidden.append(2 - len(names))
    person.window.set_size(width, height)
    person.session.post(Comparison.stop_comparing)
    person.wait(lambda: not person.session.frame.followers)
    person.look(6)
    assert max(hidden) > 0


def test_what_a_scene_records_and_does_not_draw_is_one_click_away(person, tmp_path):
    person.load("eulers_disc")
    person.window.gui.panels.show("plot")
    run_to(person, 20)
    keys, drawn = person.session.traces.keys, [f"body:{name}.pitch" for name in ("steep", "middle", "flat")]
    assert len(keys) == 15 and [inside for _, inside in board(person).arrange(keys, lambda key: "m")] == [tuple(drawn)]
    person.click("plot/more curves")
    item(person, "draw body:flat.z")
    person.look(3)
    assert [inside for _, inside in board(person).arrange(keys, lambda key: "m")] == [(*drawn, "body:flat.z")]
    chip(person, "body:steep.pitch")
    item(person, "hide body:steep.pitch")
    person.hit(key.ESCAPE)
    person.look(3)
    assert "plot/chip body:steep.pitch" not in fresh_spots(person) and person.session.traces.keys == keys
    save_csv(person.session, tmp_path / "all.csv")
    assert len((tmp_path / "all.csv").read_text().splitlines()[0].split(",")) == 16
    person.click("plot/add quantity")
    item(person, "search quantities")
    person.write("steep pitch")
    item(person, "quantity body:steep.pitch")
    person.hit(key.ESCAPE)
    assert board(person).not_drawn.isdisjoint(drawn) and person.session.traces.keys == keys, "the list draws it again"


def test_a_click_seeks_and_the_future_stays_visible(door):
    spot, wanted = at(door, 0.5), time_at(door, 0.5)
    door.press(*spot)
    door.release(*spot)
    pause(door)
    assert door.wait(lambda: abs(door.session.frame.time - wanted) < 0.02), "it is not where the click was"
    assert door.session.frame.paused and board(door).follow
    assert board(door).limits[1] == pytest.approx(3.0), "what was recorded after it is shown on"
    spot, wanted = at(door, 0.9), time_at(door, 0.9)
    door.press(*spot)
    door.release(*spot)
    pause(door)
    assert door.wait(lambda: abs(door.session.frame.time - wanted) < 0.02), "and can be gone to again"


def test_a_drag_pans_and_a_double_click_follows_again(door):
    start, end = at(door, 0.5), at(door, 0.3)
    before, now = board(door).limits, door.session.frame.time
    drag(door, start, end)
    pause(door)
    assert not board(door).follow and board(door).limits[0] > before[0] + 0.2, "the curves go with the mouse"
    assert door.session.frame.time == now, "a drag is no click"
    spot = at(door, 0.5)
    for _ in range(2):
        door.press(*spot)
        door.release(*spot)
    pause(door)
    assert board(door).follow and door.session.frame.time == now, "a double click is no click either"


def test_a_span_is_drawn_with_shift_and_its_ends_are_dragged(door):
    start, end = at(door, 0.2), at(door, 0.6)
    door.send("on_key_press", key.LSHIFT, key.MOD_SHIFT)
    drag(door, start, end, key.MOD_SHIFT)
    door.send("on_key_release", key.LSHIFT, 0)
    assert board(door).follow, "nothing is moved meanwhile"
    assert board(door).measured == pytest.approx((time_at(door, 0.2), time_at(door, 0.6)), abs=0.02)
    assert any(name.endswith("/span") for name in fresh_spots(door)), "its numbers are shown"
    door.move(*at(door, 0.6))
    door.look(2)
    drag(door, at(door, 0.6), at(door, 0.8))
    assert board(door).measured[1] == pytest.approx(time_at(door, 0.8), abs=0.02) and board(door).follow
    door.click("plot/measure")
    assert board(door).measured is None
    door.click("plot/measure")
    assert board(door).measured == pytest.approx((0.75, 2.25), abs=0.01)


def test_readouts_are_values_gradients_and_areas(door, monkeypatch):
    seen = []
    monkeypatch.setattr(plot_readout, "with_unit", lambda value, unit, digits=6: seen.append((value, unit)) or "")
    door.move(*at(door, 0.1))
    door.look(2)
    now, traces = time_at(door, 0.1), door.session.traces
    times, angle = traces.read(ANGLE)
    _, rate = traces.read(SPEED)
    k = int(np.argmin(np.abs(times - now)))
    units = [unit for _, unit in seen[-6:]]
    assert units[:4] == ["rad/s", "rad/s^2", "rad", "rad/s"]
    values = [value for value, _ in seen[-6:]]
    assert values[2] == pytest.approx(angle[k], abs=0.02)
    assert values[3] == pytest.approx(rate[k], abs=0.1), "the gradient of the angle is the angular velocity"
    door.move(*at(door, 0.5, -0.6))
    seen.clear()
    board(door).measured = (0.2, 0.6)
    door.look(2)
    mean, low, high, slope, area = (value for value, _ in seen[-15:][:5])
    assert area == pytest.approx(np.interp(0.6, times, angle) - np.interp(0.2, times, angle), rel=0.05), \
        "the area under the angular velocity is the turn"
    assert low <= mean <= high and slope < 0.0


def test_a_frozen_plot_does_not_change(door):
    door.click("plot/freeze")
    run_to(door, 400)
    assert board(door).frozen.end == pytest.approx(3.0) and board(door).limits[1] == pytest.approx(3.0)
    door.click("plot/freeze")
    door.look(2)
    assert board(door).frozen is None and board(door).limits[1] == pytest.approx(4.0)


def test_a_kept_run_is_drawn_behind_the_next_and_subtracted(door):
    from app.panels.plot import add_curve

    door.click("plot/runs")
    item(door, "keep run")
    assert "sequential impulses" in door.session.messages[-1].text
    door.session.post(commands.set_joint_friction, 5.0)
    door.session.post(Simulation.reset)
    assert door.wait(lambda: door.session.frame.step == 0)
    run_to(door, 200)
    shown = add_curve(door.session, board(door), 0.0, 9.0)
    assert {line.key for line in shown.lines if line.kind == SAVED_RUN} == set(door.session.traces.keys)
    name = board(door).runs.saved[-1].name
    door.click("plot/runs")
    item(door, f"minus {name}")
    assert board(door).minus == name
    door.look(3)
    assert "plot/part 0" in fresh_spots(door), "in a plot of its own"
    minus = [line for line in add_curve(door.session, board(door), 0.0, 9.0).lines if line.kind == MINUS]
    assert len(minus) == len(door.session.traces.keys) and np.nanmax(np.abs(minus[0].values)) > 0.1
    door.click("plot/runs")
    item(door, f"drop {name}")
    assert not board(door).runs.saved and not board(door).minus


def test_quantities_are_found_by_words_and_put_into_plots(door):
    door.click("plot/plots")
    item(door, "add plot")
    door.click("plot/add quantity")
    item(door, "search quantities")
    door.write("door omega_z")
    item(door, "quantity body:door.omega_z")
    assert door.wait(lambda: "body:door.omega_z" in door.session.traces.keys)
    door.hit(key.ESCAPE)
    assert board(door).where == {"body:door.omega_z": 2}
    door.click("plot/plots")
    item(door, "remove plot 2")
    door.look(2)
    assert "plot/part 2" not in fresh_spots(door) and len(board(door).parts) == 1
    door.session.post(commands.unfollow, "body:door.omega_z")


def chip(person, wanted):
    """Open the menu of a curve, in the line or behind "more"."""
    if f"plot/chip {wanted}" in fresh_spots(person):
        person.click(f"plot/chip {wanted}")
    else:
        person.click("plot/more curves")
        item(person, f"chip {wanted}")


def test_friction_over_the_angle_and_a_click_on_its_path(door):
    chip(door, FRICTION)
    item(door, "Over another quantity")
    item(door, f"over {ANGLE}")
    part = next(part for part in board(door).parts if part.x == ANGLE)
    door.hit(key.ESCAPE)
    door.look(3)
    assert board(door).where == {FRICTION: part.number} and f"plot/part {part.number}" in fresh_spots(door)
    door.session.state(PlotMouse).clicked = None
    chip(door, FRICTION)
    item(door, "Over time")
    door.look(2)
    assert board(door).where == {} and len(board(door).parts) == 1


def test_the_paths_of_four_balls_are_drawn_side_by_side_as_in_the_paper(person):
    person.load("four_balls")
    person.window.gui.panels.show("plot")
    run_to(person, 40)
    spots = fresh_spots(person)
    (left, top, right, bottom), (beside, level, *_) = spots["plot/part 1"], spots["plot/part 2"]
    assert beside > right and level == pytest.approx(top, abs=1.0) and right - left > 100.0 and bottom - top > 50.0
    keys = person.session.traces.keys
    (elevation, above), (plan, across) = board(person).arrange(keys, lambda key: "m")
    assert above == tuple(f"body:ball {k}.z" for k in (1, 2, 3, 4)) and across == tuple(f"body:ball {k}.y" for k in (1, 2, 3, 4))
    assert all(part.x_of(f"body:ball {k}.{axis}") == f"body:ball {k}.x" for part, axis in ((elevation, "z"), (plan, "y"))
               for k in (1, 2, 3, 4))
    _, values = person.session.traces.read("body:ball 1.x")
    assert elevation in board(person).parts and values[-1] > values[0]


def test_published_times_are_read_at_the_cursor_and_hidden_from_predictions(person):
    person.load("rod_and_table")
    assert [one.time for one in published_marks.times(person.session)] == [0.383, 0.548]
    assert {c.label for c in published_marks.references(person.session, "body:rod.vz")} == {"ours, h = 10 ms", "ours, h = 5 ms",
                                                                                           "ours, h = 2.5 ms"}
    person.session.state(Laws).hidden = True
    assert published_marks.times(person.session) == () and published_marks.references(person.session, "body:rod.vz") == []
    person.session.state(Laws).hidden = False


def test_the_inspector_opens_the_list_for_what_is_selected(door):
    door.session.selection.joint = 0
    door.look(3)
    spots = fresh_spots(door)
    if "inspector/plot joint" not in spots:
        door.window.gui.panels.show("inspector")
        door.look(3)
    from app.gui.fields.quantity_picker import Picker, plot_this

    plot_this(door.session, "joint:hinge.")
    door.look(4)
    assert door.session.state(Picker).typed.text == "joint:hinge."
    assert any(name.endswith(f"/quantity {FRICTION}") for name in fresh_spots(door))
    assert not any("world." in name for name in fresh_spots(door))
    door.hit(key.ESCAPE)
    door.session.selection.joint = -1


def test_saving_files(door, tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "documents", lambda: tmp_path)
    for kind in ("csv", "parquet"):
        door.click("plot/save")
        item(door, kind)
        [path] = tmp_path.glob(f"*.{kind}")
        assert str(path) in door.session.messages[-1].text
    save_csv(door.session, tmp_path / "a.csv")
    save_parquet(door.session, tmp_path / "a.parquet")
    assert (tmp_path / "a.csv").read_text().splitlines()[0].startswith("time [s],hinge angular velocity [rad/s],")
    data = (tmp_path / "a.parquet").read_bytes()
    assert data[:4] == data[-4:] == b"PAR1" and b"hinge angular velocity [rad/s]" in data
    rate = door.session.traces.table()[SPEED]
    assert rate.tobytes() in data


def test_a_picture_of_the_plot_alone(door, tmp_path):
    door.see(scene=False)
    door.look(2)
    door.window.save_panel_picture(tmp_path / "plot.png")
    data = (tmp_path / "plot.png").read_bytes()
    width, height = (int.from_bytes(data[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (1200, 720) and len(data) > 5000
    assert "plot/runs" in fresh_spots(door), "the panel is as before"


def test_all_buttons_are_inside_a_narrow_panel_with_large_letters(door):
    """The last ones were cut, and nothing could be saved."""
    gui = door.window.gui
    try:
        gui.set_style("dark", 2.0)
        door.look(6)
        spots = fresh_spots(door)
        edge = imgui.internal.find_window_by_name(gui.panels.all["plot"].window).inner_rect.max.x
        for name in ("freeze", "measure", "runs", "save", "plots"):
            assert spots[f"plot/{name}"][2] <= edge, name
    finally:
        gui.set_style("dark", 1.0)
        door.look(6)


def test_curves_fit_in_a_narrow_window(door):
    for quantity in ("world.kinetic", "world.energy", "solver.residual", "body:door.speed"):
        door.session.post(commands.follow, quantity)
    assert door.wait(lambda: "body:door.speed" in door.session.traces.keys)
    door.look(3)
    _, y0, _, _ = fresh_spots(door)["plot/part 1"]
    assert "plot/more curves" in fresh_spots(door)
    top = fresh_spots(door)["plot/add quantity"]
    assert y0 - top[3] < 16.0, "one line above the curves"
    chip(door, "world.energy")
    item(door, "drop world.energy")
    assert door.wait(lambda: "world.energy" not in door.session.traces.keys)


def test_no_upright_title_is_longer_than_its_axis(person, monkeypatch):
    """Low plots above one another: the title of the upper one would cover the toolbar."""
    person.load("braking_cars")
    person.session.post(Simulation.single_step, 5)
    assert person.wait(lambda: person.session.frame.step >= 5)
    seen, even = {}, axes.even

    def setup_axis(axis, label, *flags, real=axes.implot.setup_axis):
        seen["titles"].append((label, seen["length"] if axis >= axes.implot.ImAxis_.y1 else math.inf))
        real(axis, label, *flags)

    def drawn(axis, name, unit, lo, hi, length, *args, **more):
        seen["length"] = length
        even(axis, name, unit, lo, hi, length, *args, **more)

    monkeypatch.setattr(axes, "even", drawn)
    monkeypatch.setattr(axes.implot, "setup_axis", setup_axis)
    seen["titles"] = []
    person.session.window.open_panel("plot")
    person.look(3)
    upright = [(label, length) for label, length in seen["titles"] if label and length < math.inf]
    assert {"m/s", "rad/s"} <= {label for label, _ in upright}
    assert all(imgui.calc_text_size(label).x <= length for label, length in upright), upright


def test_the_axis_of_one_quantity_has_the_colour_of_its_curve(door, monkeypatch):
    drawn, even = {}, axes.even

    def seen(axis, name, unit, *args, **kwargs):
        drawn[unit] = tuple(implot.get_style().color_(implot.Col_.axis_text))[:3]
        even(axis, name, unit, *args, **kwargs)

    monkeypatch.setattr(axes, "even", seen)
    door.look(2)
    colours = style.palette().curves
    assert [drawn[unit] for unit in ("rad/s", "rad", "N m")] == [pytest.approx(colours[k][:3]) for k in range(3)]
    assert drawn["s"] not in colours, "time belongs to all curves"


def test_the_list_of_quantities_opens_at_the_plot_wherever_the_mouse_is(door):
    door.move(1190, 790)
    door.hit(key.Q, key.MOD_ALT)
    door.look(3)
    plot = imgui.internal.find_window_by_name(door.window.gui.panels.all["plot"].window)
    x0, _, x1, y1 = next(box for spot, box in fresh_spots(door).items() if "/quantity " in spot)
    door.hit(key.ESCAPE)
    assert plot.pos.x <= x0 < x1 <= plot.pos.x + 490.0 and y1 <= plot.pos.y
