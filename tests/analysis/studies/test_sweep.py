"""Sweeps: ranges, names, what a row holds, failing points, dying processes, continued tables."""

from concurrent.futures import BrokenExecutor, Future

import pytest

import scenes
from app.analysis.studies import sweep as study
from app.analysis.studies import sweep_workers
from app.build_scene import Choices, build_chosen
from app.engine import file_kinds
from app.own_files import discover
from physics import BadInput


def base(scene="incline", seconds=0.05, **choices):
    return study.Base(scene, (), Choices(**choices), seconds, 1.0 / 240.0)


def values(*varied, scene="incline"):
    return [axis.values for axis in study.plan(base(scene), varied, ["world.energy"]).axes]


def column(sweep, row, title):
    return row[sweep.header().index(title)]


# ---- what is asked for


@pytest.mark.parametrize("text, expected", [
    ("angle=10:30:3", (10.0, 20.0, 30.0)), ("angle=30:10:2", (30.0, 10.0)), ("angle=7:7:1", (7.0,)), ("angle=5:5:4", (5.0,)),
    ("angle=5, 6", (5, 6)), ("iterations=1:4:7", (1, 2, 3, 4)), ("warm_start=true,false", (True, False)),
    ("facets=4,8,circle", (4, 8, "circle")), ("friction=0:1:2", (0.0, 1.0)), ("solver=soft_steps", ("soft_steps",))])
def test_ranges_and_lists(text, expected):
    assert values(text) == [expected]


def test_a_logarithmic_range_has_equal_ratios_and_both_ends():
    (found,) = values("dt=0.001:0.1:3:log")
    assert found == pytest.approx((0.001, 0.01, 0.1)) and found[0] == 0.001 and found[2] == 0.1


@pytest.mark.parametrize("varied, measured, said", [
    (["angle"], [], "NAME=LO:HI:COUNT"), (["angle="], [], "is empty"), (["angle=1:2:0"], [], "empty"),
    (["angle=1:2"], [], "LO:HI:COUNT"), (["angle=1:2:x"], [], "LO:HI:COUNT"), (["angle=1:2:3:exp"], [], "LO:HI:COUNT"),
    (["angle=a:2:3"], [], "must be a number"), (["angle=nan:2:3"], [], "not allowed"), (["angle=1,inf"], [], "not finite"),
    (["angle=1:2:1"], [], "two ends"), (["angle=0:2:3:log"], [], "greater than zero"), (["angle=80"], [], "out of range"),
    (["angle=1", "angle=2"], [], "twice"), (["angel=1"], [], "did you mean 'angle'"), (["facets=2"], [], "facets"),
    (["facets=square"], [], "facets"), (["friction=-1"], [], "friction"), (["dt=2"], [], "dt"), (["solver=magic"], [], "magic"),
    (["dt=0.001:0.01:1001", "angle=0:40:1001"], [], "points"), (["angle=1"], ["stop_distance"], "no such measure"),
    (["angle=1"], ["world.enrgy:max"], "world.energy"), (["angle=1"], ["body:bx.x"], "no body 'bx'"),
    (["iterations=1.6,2.4"], ["world.energy"], "iterations=1.6: 'iterations' takes whole numbers only")])
def test_bad_input_is_one_sentence(varied, measured, said):
    with pytest.raises(BadInput) as refused:
        study.plan(base(), varied, measured)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_scene_without_predictions_needs_a_measure():
    with pytest.raises(BadInput, match="predicts nothing"):
        study.plan(base("friction_cases"), ["friction=0.5"], [])


def test_every_prediction_has_a_name_of_its_own():
    for name, scene in scenes.all_scenes().items():
        predicted = scene.predict(scene.parameters()) if scene.predict else ()
        assert len(study.slugs(scene, scene.parameters())) == len(list(predicted)), name


# ---- a row


def test_a_row_tells_settings_numbers_and_verdict():
    sweep = study.plan(base(friction=0.9), ["angle=0,10", "facets=4,circle"], ["world.kinetic:max", "world.kinetic:end"])
    points = list(sweep.points())
    assert points == [(0, 4), (0, "circle"), (10, 4), (10, "circle")] and len(sweep) == 4
    row = study.row_of(sweep, points[2])
    assert sweep.header()[:4] == ["angle [deg]", "facets", "world.kinetic:max [J]", "world.kinetic:end [J]"]
    assert row == study.row_of(sweep, points[2]) and len(row) == len(sweep.header())
    assert float(row[2]) >= float(row[3]) >= 0.0 and column(sweep, row, "steps") == "12"
    assert column(sweep, row, "solver") == "sequential_impulses" and column(sweep, row, "audit") == "ok"
    assert "mu=0.5" in column(sweep, row, "settings") and "--friction=0.9" in column(sweep, row, "settings")


def test_a_prediction_is_measured_with_the_parameters_of_its_point():
    sweep = study.plan(base(seconds=0.5), ["angle=35,40"], [])
    scene = scenes.find("incline")
    for angle in (35, 40):
        expected = next(iter(study.slugs(scene, scene.parameters(angle=angle)).values())).value
        assert float(study.row_of(sweep, (angle,))[1]) == pytest.approx(expected, rel=2e-3)


def test_the_varied_solver_and_step_are_no_second_columns():
    header = study.plan(base(), ["solver=soft_steps", "dt=0.01"], ["world.energy"]).header()
    assert len(header) == len(set(header)) and header[:2] == ["solver", "dt [s]"]


def test_a_point_that_fails_is_a_row(monkeypatch):
    sweep = study.plan(base(), ["solver=sequential_impulses,joint_space", "angle=5"], ["world.energy"])
    monkeypatch.setattr(scenes, "run", lambda *args, **kwargs: 1 / 0)
    row = study.row_of(sweep, ("sequential_impulses", 5))
    assert row[:3] == ["sequential_impulses", "5", ""] and "division by zero" in row[-1] and len(row) == len(sweep.header())


# ---- processes


class Pool:
    """Runs at once; the process of a deadly point dies, with what else is in work."""

    def __init__(self, deadly):
        self.deadly, self.dead = deadly, False

    def submit(self, job, point):
        self.dead |= point == self.deadly
        future = Future()
        if self.dead:
            future.set_exception(BrokenExecutor())
        else:
            future.set_result(job(point))
        return future


class Mortal(sweep_workers.Workers):
    count, lost = 2, (BrokenExecutor,)

    def __init__(self, deadly):
        self.deadly = deadly
        self.again()

    def again(self):
        self.pool = Pool(self.deadly)


def test_a_process_that_dies_costs_one_row(monkeypatch):
    sweep = study.plan(base(), ["angle=0:10:11"], ["world.energy"])
    monkeypatch.setattr(sweep_workers, "row_of", lambda sweep, point: sweep.row(point, {}))
    points = list(sweep.points())
    found = list(sweep_workers.rows(sweep, points, Mortal(points[5])))
    assert sorted(float(row[0]) for row in found) == list(range(11))
    assert [row[0] for row in found if row[-1]] == ["5.0"] and any("died" in row[-1] for row in found)


# ---- a table that is continued


def test_a_table_is_continued_where_it_ended():
    sweep = study.plan(base(), ["angle=1:4:4"], ["world.energy"])
    rows = [sweep.header(), *(sweep.row(point, {}) for point in [(3.0,), (1.0,), (9.0,)])]
    study.check_continues(sweep, rows, "a.csv")
    assert study.remaining(sweep, rows) == [(2.0,), (4.0,)]
    assert [row[0] for row in study.ordered(sweep, rows)[1:]] == ["1.0", "3.0", "9.0"]


@pytest.mark.parametrize("other", [("angle=1:4:4", "world.kinetic", {}), ("angle=1:4:4", "world.energy", {"friction": 0.3}),
                                   ("mu=1", "world.energy", {})])
def test_a_table_of_another_sweep_is_refused(other):
    varied, measured, choices = other
    sweep = study.plan(base(), ["angle=1:4:4"], ["world.energy"])
    foreign = study.plan(base(**choices), [varied], [measured])
    with pytest.raises(BadInput, match="--overwrite"):
        study.check_continues(sweep, [foreign.header(), foreign.row((1.0,), {})], "a.csv")


BALL = """format = 1
[world]
gravity = [0.0, 0.0, {gravity}]
[[bodies]]
name = "ball"
kind = "dynamic"
pos = [0.0, 0.0, 10.0]
shapes = [{{kind = "sphere", radius = 0.1}}]
"""

LINK = """<robot name="r"><link name="base"/><link name="l">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><mesh filename="part.stl"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="l"/></joint></robot>"""

MINE = """from dataclasses import dataclass

from physics import Sphere, option
from scenes import Scene


@dataclass
class Parameters:
    size: float = option(1.0, lo=0.1, hi=9.0, help="Size.")


def build(world, parameters):
    world.add_body(Sphere({size} * parameters.size), name="ball")


SCENE = Scene(title="Changing", category="Mine", look_for="", law="", law_text="", build=build, parameters=Parameters)
"""


def tetrahedron(size):
    corners = [(0, 0, 0), (size, 0, 0), (0, size, 0), (0, 0, size)]
    faces = [[corners[k] for k in face] for face in ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))]
    rows = [f"facet normal 0 0 0 outer loop {' '.join(f'vertex {x} {y} {z}' for x, y, z in face)} endloop endfacet"
            for face in faces]
    return "solid part\n" + "\n".join(rows).replace(" vertex", "\nvertex").replace(" endloop", "\nendloop") + "\nendsolid part\n"


def planned_anew(path, *varied):
    return study.plan(base(discover.named(file_kinds.admit(str(path)))), varied, ["world.energy"])


@pytest.mark.parametrize("name, changing, texts", [
    ("mine.toml", "mine.toml", (BALL.format(gravity=-9.81), BALL.format(gravity=-1.62))),
    ("arm.urdf", "part.stl", (tetrahedron(1.0), tetrahedron(0.5))),
    ("changing.py", "changing.py", (MINE.format(size=0.1), MINE.format(size=0.2)))])
def test_a_table_is_not_continued_with_other_files(mine, tmp_path, name, changing, texts):
    """Rows of two worlds were in one table, and nothing told them apart."""
    (tmp_path / "arm.urdf").write_text(LINK)
    (tmp_path / changing).write_text(texts[0])
    varied = "size=1,2" if name == "changing.py" else "gravity=1,2"
    before = planned_anew(tmp_path / name, varied)
    rows = [before.header(), before.row((1,), {})]
    study.check_continues(planned_anew(tmp_path / name, varied), rows, "a.csv")
    (tmp_path / changing).write_text(texts[1])
    with pytest.raises(BadInput, match=r"a\.csv, line 2: is from before a file of the scene .* changed") as refused:
        study.check_continues(planned_anew(tmp_path / name, varied), rows, "a.csv")
    assert "--overwrite" in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("varied, choices", [(["friction=0.1,0.5"], {}), (["dt=0.001,0.002"], {"friction": 0.3})])
def test_a_friction_of_all_bodies_tells_which_pairs_keep_theirs(varied, choices):
    """Friction between balls of billiards is set for their pair: it stayed, and nothing told so."""
    sweep = study.plan(base("billiards", **choices), varied, ["world.energy"])
    (note,) = study.notes(sweep)
    assert "friction of all bodies does not act between 'ball' and 'ball'" in note
    parameters, chosen, _ = study.configured(sweep, scenes.find("billiards"), next(iter(sweep.points())))
    assert note in list(map(str, build_chosen(scenes.find("billiards"), parameters, chosen).warnings))
    assert study.notes(study.plan(base("billiards"), ["dt=0.001"], ["world.energy"])) == []
