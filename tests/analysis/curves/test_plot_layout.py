"""Plot layout: parts and their curves, saved runs, frozen plots, compared solvers, Parquet files."""

import math
import struct

import numpy as np
import pytest

import scenes
from app.analysis.curves import curves, parquet, saved_runs
from app.analysis.curves.plot_layout import MAX_CURVES_AT_FIRST, PlotLayout, drawn_at_first
from app.analysis.curves.saved_runs import MAX_RUNS, MAX_SAMPLES, SavedRuns
from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.observers.trace import Traces
from app.engine.simulation import Simulation
from app.gui.controls import style

UNIT = {"a": "m", "b": "m", "c": "N", "d": "J", "e": "s", "f": "s"}


def parts(board, keys="abcdef"):
    return [(part.number, part.x, "".join(inside)) for part, inside in board.arrange(list(keys), UNIT.__getitem__)]


def filled(**columns):
    """Traces with these samples at 0, 1, 2 .. s."""
    traces = Traces()
    traces.record_only(tuple(columns))
    count = len(next(iter(columns.values())))
    while len(traces._columns["time"]) < count:
        traces._make_room()
    traces._columns["time"][:count] = np.arange(count)
    for key, values in columns.items():
        traces._columns[key][:count] = values
    traces._count = traces._end = count
    return traces


def picture(traces, others=(), kept=(), minus="", start=-np.inf, end=np.inf):
    return curves.collect(traces, others, kept, minus, start, end)


# ---- parts


def test_a_fourth_unit_gets_its_own_plot():
    board = PlotLayout()
    assert parts(board, "abcd") == [(1, "", "abcd")]
    assert parts(board) == [(1, "", "abcd"), (2, "", "ef")]
    assert parts(board, "ab") == [(1, "", "ab")], "it goes when it is empty"


def test_curves_can_be_moved_and_moved_back():
    board = PlotLayout()
    second = board.add()
    board.move_curve("b", second.number)
    assert parts(board, "abc") == [(1, "", "ac"), (2, "", "b")] and board.active == 2
    board.move_curve("b", None)
    assert parts(board, "abc") == [(1, "", "abc"), (2, "", "")], "a person's own plot stays when it is empty"
    board.move_curve("a", second.number)
    board.remove(second.number)
    assert parts(board, "abc") == [(1, "", "abc")] and board.active == 1
    board.remove(1)
    assert len(board.parts) == 1, "the last one stays"


def test_one_quantity_over_another():
    board = PlotLayout()
    part = board.against("c", "a")
    assert parts(board, "abc") == [(1, "", "b"), (part.number, "a", "c")], "its x axis is no curve over time"
    assert board.against("b", "a") is part
    board.move_curve("a", 1)
    assert parts(board, "abc") == [(1, "", "a"), (part.number, "a", "bc")], "unless somebody wants it"
    board.move_curve("b", None)
    board.move_curve("c", None)
    assert parts(board, "abc") == [(1, "", "abc")], "empty again it goes"


def test_the_view_follows_the_newest_samples_or_the_shown_past():
    board = PlotLayout(span="10 s")
    assert board.window(0.0, 0.0) == (0.0, 0.5) and board.window(30.0, 30.0) == (20.0, 30.0)
    assert board.window(25.0, 30.0) == (20.0, 30.0), "the recorded future stays in sight"
    start, end = board.window(5.0, 30.0)
    assert start <= 5.0 <= end <= 30.0
    board.choose_span("all")
    assert board.window(5.0, 30.0) == (0.0, 30.0)
    board.follow, board.limits = False, (1.0, 2.0)
    assert board.window(5.0, 30.0) == (1.0, 2.0)


def test_another_scene_resets_the_plots_and_keeps_saved_runs():
    board = PlotLayout(scene="door")
    board.runs.save(filled(a=np.arange(5.0)), "door")
    board.add()
    board.measured = (1.0, 2.0)
    board.on_scene("door")
    assert len(board.parts) == 2
    board.on_scene("incline")
    assert len(board.parts) == 1 and board.measured is None and len(board.runs.saved) == 1


# ---- what is drawn at first


@pytest.mark.parametrize(("keys", "drawn"), [
    ("1.z 2.z 1.x 2.x", "1.z 2.z 1.x 2.x"), ("1.z 1.x 2.z 2.x", "1.z 2.z 1.x 2.x"), ("1.z 2.z 3.z 1.x 2.x 3.x", "1.z 2.z 3.z"),
    ("1.z 2.z 3.z 4.z 5.z 6.z 1.x", "1.z 2.z 3.z 4.z 5.z 6.z"), ("1.z 1.x 2.x 3.x 4.x 5.x 1.y", "1.z"), ("", "")])
def test_whole_kinds_of_quantities_are_drawn_as_many_as_fit(keys, drawn):
    assert drawn_at_first(keys.split()) == tuple(drawn.split())


def test_what_is_not_drawn_at_first_is_drawn_when_asked_for_and_back_when_reset():
    board, keys = PlotLayout(), [f"{body}.{kind}" for kind in "zxy" for body in (1, 2)]
    board.on_scene("discs", plots=tuple(keys))
    assert board.not_drawn == {"1.y", "2.y"}
    assert [drawn for _, drawn in board.arrange([*keys, "world.energy"], metres)] == [(*keys[:4], "world.energy")], "chosen later"
    board.move_curve("1.y", None)
    board.only_record("1.z")
    assert [drawn for _, drawn in board.arrange(keys, metres)] == [("2.z", "1.x", "2.x", "1.y")]
    board.against("1.z", "1.y")
    assert "1.z" not in board.not_drawn
    board.reset()
    assert board.not_drawn == {"1.y", "2.y"}


def test_a_scene_says_itself_what_is_drawn_at_first():
    board = PlotLayout()
    board.on_scene("own", plots=("1.z", "2.z", "1.x"), drawn=("2.z",))
    assert board.not_drawn == {"1.z", "1.x"}
    board.move_curve("1.z", None)
    board.reset()
    assert board.not_drawn == {"1.z", "1.x"}
    board.on_scene("own", plots=("1.z", "2.z", "1.x"), drawn=("1.z", "1.x"))
    assert board.not_drawn == {"2.z"}, "a file of the same scene"


@pytest.mark.parametrize("name", sorted(scenes.all_scenes()))
def test_every_scene_draws_few_curves_each_in_a_colour_of_its_own(name):
    """And all that have a law or published points."""
    scene, board = scenes.find(name), PlotLayout()
    board.on_scene(name, scene.paths, scene.plots)
    over_time = [key for key in scene.plots if key not in board.not_drawn and not any(key in pair for path in scene.paths
                                                                                      for pair in path)]
    first = [key for key in over_time if key.rpartition(".")[2] == over_time[0].rpartition(".")[2]]
    colours = [scene.plots.index(key) % len(style.palette().curves) for key in over_time]
    assert len(over_time) <= max(MAX_CURVES_AT_FIRST, len(first)) and len(set(colours)) == len(colours)
    told = (*scene.curves, *(scene.law_curves(scene.parameters()) if scene.law_curves else ()))
    assert board.not_drawn.isdisjoint(curve.key for curve in told)


# ---- curves


def test_the_shown_span_includes_one_sample_on_each_side():
    found = picture(filled(a=np.arange(100.0) ** 2), start=10.2, end=12.9)
    assert found.lines[0].times.tolist() == [10.0, 11.0, 12.0, 13.0] and found.lines[0].values[0] == 100.0
    assert found.end == found.present == 99.0


def test_the_recorded_future_is_marked():
    traces = filled(a=np.arange(50.0))
    traces.show_until(20.0)
    found = picture(traces)
    assert found.present == 20.0 and found.end == 49.0 and len(found.lines[0].times) == 50
    assert len(traces.read("a")[0]) == 21, "what has happened yet"


def test_a_frozen_plot_is_static_and_can_be_cut():
    traces = filled(a=np.arange(50.0), b=-np.arange(50.0))
    frozen = picture(traces)
    traces.cut(10.0)
    assert len(frozen.lines[0].times) == 50 and len(picture(traces).lines[0].times) == 11
    part = frozen.within(20.0, 22.0)
    assert part.lines[1].times.tolist() == [19.0, 20.0, 21.0, 22.0, 23.0]
    [path] = part.over(("a",), lambda key: "b")
    assert (path.x == -path.values).all() and len(path.x) == len(path.times)


def test_the_difference_is_the_present_run_minus_the_saved_one():
    saved = SavedRuns()
    run = saved.save(filled(a=np.arange(50.0)), "first")
    run.table["time"] = run.table["time"] + 0.5
    live = filled(a=3.0 * np.arange(60.0))
    found = picture(live, kept=saved.saved, minus=run.name)
    assert [line.kind for line in found.lines] == ["live", "kept", "minus"]
    minus = found.lines[2]
    inside = (minus.times >= 0.5) & (minus.times <= 49.5)
    assert np.allclose(minus.values[inside], 2.0 * minus.times[inside] + 0.5) and np.isnan(minus.values[~inside]).all()
    run.shown = False
    assert [line.kind for line in picture(live, kept=saved.saved).lines] == ["live"]


def test_saved_runs_are_bounded_and_thinned():
    saved = SavedRuns()
    assert saved.save(filled(a=np.zeros(1)), "nothing yet") is None
    for _ in range(MAX_RUNS + 2):
        run = saved.save(filled(a=np.arange(2.5 * MAX_SAMPLES)), "long")
    assert len(run.table["a"]) <= MAX_SAMPLES and run.table["a"][-1] >= 2.5 * MAX_SAMPLES - 3
    assert saved.names == [f"run {k}" for k in range(3, MAX_RUNS + 3)]
    saved.drop("run 4")
    assert len(saved.saved) == MAX_RUNS - 1


def test_a_saved_run_describes_its_settings():
    simulation = Simulation("door")
    own = simulation.scene.parameters()
    plain = saved_runs.describe_run(simulation.scene.title, simulation.world, simulation.dt, simulation.parameters, own)
    assert plain.startswith(f"{simulation.scene.title}, {simulation.world.solver.name}, h = {1e3 * simulation.dt:.4g} ms")
    commands.set_option(simulation, "iterations", 77)
    description = saved_runs.describe_run(simulation.scene.title, simulation.world, simulation.dt, simulation.parameters, own)
    assert description.endswith("iterations = 77")


def test_compared_solvers_have_curves_of_their_own():
    simulation = Simulation("door")
    comparison = Comparison(simulation)
    comparison.compare_with("soft_steps")
    for _ in range(30):
        comparison.step()
    others = [(follower.solver.name, follower.simulation.traces) for follower in comparison.followers]
    found = picture(simulation.traces, others)
    keys = simulation.traces.keys
    assert [line.key for line in found.lines] == [*keys, *keys]
    theirs = [line for line in found.lines if line.kind == "other"]
    assert all(line.solver == 1 and comparison.followers[0].solver.name in line.name for line in theirs)
    assert np.array_equal(theirs[0].values, comparison.followers[0].simulation.traces.read(keys[0])[1], equal_nan=True)
    assert len(found.over((keys[0],), lambda key: keys[1])) == 2, "over another quantity, too"


# ---- Parquet


class Thrift:
    """Thrift's compact protocol, read: structs as {number: value}."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        out = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            out |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return out

    def value(self, kind):
        if kind in (5, 6):
            number = self.varint()
            return (number >> 1) ^ -(number & 1)
        if kind == 8:
            size = self.varint()
            self.at += size
            return self.data[self.at - size : self.at].decode()
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        assert kind == 12
        found, number = {}, 0
        while self.data[self.at]:
            head = self.data[self.at]
            self.at += 1
            assert head >> 4, "numbers of fields grow by less than 16"
            number += head >> 4
            found[number] = self.value(head & 15)
        self.at += 1
        return found


def decode(data):
    """Columns of a file, by what its own metadata says."""
    assert data[:4] == data[-4:] == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    meta = Thrift(data, len(data) - 8 - size).value(12)
    [group] = meta[4]
    assert meta[2][0][5] == len(meta[2]) - 1 == len(group[1]) and meta[3] == group[3]
    out = {}
    for leaf, chunk in zip(meta[2][1:], group[1]):
        about = chunk[3]
        page = Thrift(data, about[9])
        header = page.value(12)
        assert about[3] == [leaf[4]] and about[1] == leaf[1] == 5 and header[5][1] == about[5] == meta[3]
        assert page.at - about[9] + header[3] == about[7]
        out[leaf[4]] = np.frombuffer(data, "<f8", about[5], page.at)
    return out


@pytest.mark.parametrize("rows", [0, 1, 1000])
@pytest.mark.parametrize("count", [1, 14, 15, 40])
def test_parquet_files_describe_their_columns(rows, count):
    table = {f"speed {i} of \u03b1 [m/s]": np.random.default_rng(i).normal(size=rows) for i in range(count)}
    if rows:
        next(iter(table.values()))[0] = math.nan
    found = decode(parquet.encode(table))
    assert list(found) == list(table)
    assert all(np.array_equal(found[name], table[name], equal_nan=True) for name in table)


def test_pyarrow_reads_the_same_numbers(tmp_path):
    reader = pytest.importorskip("pyarrow.parquet")
    table = {f"c{i} [J]": np.random.default_rng(i).normal(size=321) for i in range(20)}
    (tmp_path / "a.parquet").write_bytes(parquet.encode(table))
    found = reader.read_table(tmp_path / "a.parquet")
    assert all(np.array_equal(found[name].to_numpy(), table[name]) for name in table)


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="same length"):
        parquet.encode({"a": np.zeros(3), "b": np.zeros(4)})


def test_unchanged_samples_are_the_same_arrays():
    simulation = Simulation("pyramid")
    for _ in range(4):
        simulation.step()
    traces = simulation.traces
    times, columns, present = traces.window(0.0, 9.0)
    again = traces.window(0.0, 9.0)
    assert again[0] is times and again[1] is columns and again[2] == present
    with pytest.raises(ValueError):
        times[0] = 1.0
    assert len(traces.window(0.0, times[1] - 1e-9)[0]) < len(times)
    simulation.step()
    assert len(traces.window(0.0, 9.0)[0]) == len(times) + 1
    traces.show_until(times[1])
    assert traces.window(0.0, 9.0)[2] == times[1]
    traces.clear()
    assert len(traces.window(0.0, 9.0)[0]) == 0


# ---- paths of a scene


PATHS = ((("a.z", "a.x"), ("b.z", "b.x")), (("a.y", "a.x"), ("b.y", "b.x")))


def metres(key):
    return "m"


def test_a_scenes_paths_are_plots_in_which_each_curve_has_its_own_x():
    board, keys = PlotLayout(), ["a.z", "b.z", "a.y", "b.y", "a.x", "b.x"]
    board.on_scene("balls", PATHS)
    shown = board.arrange(keys, metres)
    assert [drawn for _, drawn in shown] == [("a.z", "b.z"), ("a.y", "b.y")], "what is on an x axis is no curve"
    assert [part.x_of(key) for part, drawn in shown for key in drawn] == ["a.x", "b.x"] * 2
    found = picture(filled(**{key.replace(".", "_"): k * np.arange(4.0) for k, key in enumerate(keys)}))
    own = {"a_z": "a_x", "b_z": "b_x"}
    assert [line.x[1] for line in found.over(("a_z", "b_z"), own.get)] == [4.0, 5.0]


def test_other_quantities_of_a_scene_with_paths_are_drawn_over_time():
    board = PlotLayout()
    board.on_scene("balls", PATHS)
    *_, (part, drawn) = board.arrange(["a.z", "a.x", "world.kinetic"], metres)
    assert drawn == ("world.kinetic",) and part.x_of("world.kinetic") == "" and part.own
    board.move_curve("a.z", None)
    board.reset()
    assert board.where == {"a.z": 1, "b.z": 1, "a.y": 2, "b.y": 2} and len(board.parts) == 2
    board.on_scene("door")
    assert board.where == {} and [part.x for part in board.parts] == [""]
