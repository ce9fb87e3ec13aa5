"""The comparison with other engines: scenes, geometry, gates, tables, and one small run through the command line."""

import json
import math

import numpy as np
import pytest

from app import cli, commands
from benchmarks import figures, impacts, lcp, scale
from benchmarks.peers import adapters, command, gates, geometry, measure, metrics, reference, scenes, table
from benchmarks.peers.adapters.ours import Ours
from physics import BadInput

SMALL = {"pyramid": 3, "stacks": 200, "tower": 4, "ballpit": 20, "chain": 3, "bridge": 5, "dominoes": 4, "four_balls": 4}


def good_run(**changes):
    """A finished run of the pyramid that passes the strict gate at its very bounds."""
    quality = {"finite": True, "pen_late_mm": 0.3, "moved_max_mm": 3.0, "stands": True, "kinetic_late": 0.0}
    run = {"steps": 600, "steps_wanted": 600, "sim_time": 10.0, "cpu_ms_mean": 2.0, "ms_mean": 2.5, "cpu_ms_p95": 3.0,
           "contacts": 40, "quality": quality, "took_s": 1.0}
    return {**run, **changes, "quality": {**quality, **changes.get("quality", {})}}


def row(scene="pyramid", engine="ours", config="default", size=10, hz=60, **changes):
    return gates.PeerRow(f"{engine}|{config}|{scene}|{size}|{hz}", [good_run(**changes)])


# ---- gates

def test_bounds_are_inclusive():
    assert row().passes("strict") and row().passes("loose")
    worse = row(quality={"pen_late_mm": 0.301})
    assert not worse.passes("strict") and worse.passes("loose")
    assert worse.broken("strict") == ["pen_late_mm 0.301 > 0.3"]


def test_bounds_hold_for_both_signs():
    assert row("bridge", quality={"gap_max_mm": 0.1, "mid_err_mm": -9.9}).passes("strict")
    assert not row("bridge", quality={"gap_max_mm": 0.1, "mid_err_mm": -10.1}).passes("strict")


@pytest.mark.parametrize("changes, word", [
    ({"steps": 599, "sim_time": 9.98}, "cut at 10.0 s"),
    ({"quality": {"stands": False}}, "falls"),
    ({"quality": {"finite": False}}, "blew up"),
    ({"quality": {"kinetic_late": None}}, "blew up"),
    ({"quality": {"kinetic_late": 2e5}}, "blew up"),
    ({"crashed": "Diverged: .."}, "blew up"),
    ({"error": "exit code -11"}, "error: exit code -11"),
    ({"unsupported": "no joints"}, "unsupported: no joints")])
def test_a_failed_run_passes_no_gate(changes, word):
    failed = row(**changes)
    assert failed.broken("strict") == failed.broken("loose") == [word]


def test_a_missing_metric_fails():
    run = good_run()
    del run["quality"]["moved_max_mm"]
    assert gates.PeerRow("ours|default|pyramid|10|60", [run]).broken("strict") == ["moved_max_mm unknown"]


def test_the_wave_is_the_slope_between_the_fifteenth_and_the_last_dominoes():
    times = [[0.8 * k, min(200, max(0, 10 * k - 5))] for k in range(30)]         # 12.5 a second
    fell = row("dominoes", size=200, quality={"fallen_at": times})
    assert fell.quality["wave_per_s"] == pytest.approx(12.5)
    assert fell.quality["wave_err_pct"] == pytest.approx(100 * (12.5 / 13.09 - 1))
    assert fell.passes("loose") and not fell.passes("strict")


def test_cost_is_the_median_of_processor_time_for_one_simulated_second():
    runs = [good_run(cpu_ms_mean=ms) for ms in (2.0, 9.0, 1.0)] + [{"error": "over 100 s"}]
    assert gates.PeerRow("ours|default|pyramid|10|240", runs).cost == 480.0


# ---- tables

def canned():
    """Ours against two peers on two scenes; the cheapest run of `fast` is wrong, `slow` fails one scene."""
    wrong = good_run(cpu_ms_mean=0.1, quality={"pen_late_mm": 4.0})
    return {"machine": {"cpu": "a processor", "cores": 2, "system": "Linux", "python": "3.11", "date": "2026-01-01"}, "runs": {
        "ours|default|pyramid|10|60": [good_run()],
        "ours|default|pyramid|10|240": [good_run()],
        "ours|default|tower|20|60": [good_run()],
        "fast|sloppy|pyramid|10|60": [wrong],
        "fast|default|pyramid|10|60": [good_run(cpu_ms_mean=1.0)],
        "fast|default|tower|20|60": [good_run(cpu_ms_mean=8.0)],
        "slow|default|pyramid|10|60": [good_run(cpu_ms_mean=8.0)],
        "slow|default|tower|20|60": [{"error": "exit code -11"}]}}


def lines(text):
    """Cells of a Markdown table by the first cell of the line."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]
    return {line[0]: line[1:] for line in cells if len(line) > 1}


def test_table_compares_the_cheapest_passing_settings_with_ours():
    strict = lines(table.gate_table(gates.rows(canned()), "strict"))
    assert strict["scene"] == ["ours", "fast", "slow"]
    assert strict["pyramid 10"] == ["120 default@60", "60 (0.5x) default@60", "480 (4x) default@60"]
    assert strict["tower 20"] == ["120 default@60", "480 (4x) default@60", "fails"]
    loose = lines(table.gate_table(gates.rows(canned()), "loose"))
    assert loose["pyramid 10"][1] == "6 (0.05x) sloppy@60"


def test_geometric_means_are_over_the_rows_both_pass():
    means = lines(table.means(gates.rows(canned())))
    assert means["ours"][:4] == ["2 of 2", "120", "-", "-"]
    assert means["fast"][:4] == ["2 of 2", number(math.sqrt(60 * 480)), "1.41 over 2", "1 of 2"]
    assert means["slow"][:4] == ["1 of 2", "480", "4 over 1", "1 of 1"]


def number(value):
    return f"{value:.0f}"


def test_rows_of_an_earlier_run_are_starred_and_machines_compared():
    before = {"runs": {"ours|default|pyramid|10|60": [good_run(cpu_ms_mean=1.0)], "old|default|pyramid|10|60": [good_run()],
                       "old|default|chain|20|60": [good_run()]}}
    rows = gates.rows(canned())
    others, slower = gates.earlier(rows, before)
    assert [other.key.name for other in others] == ["old*:default"] and slower == pytest.approx(2.0)
    assert "cost 2.00 times as much" in table.report(canned(), rows + others, slower)


def test_a_timed_out_engine_is_not_reported_as_failed():
    data = canned()
    data["runs"]["slow|better|tower|20|60"] = [good_run(steps=10)]
    assert lines(table.gate_table(gates.rows(data), "strict"))["tower 20"][2] == "cut"
    data["runs"]["ours|default|chain|20|60"] = [good_run()]
    assert lines(table.gate_table(gates.rows(data), "strict"))["chain 20"] == ["fails", "-", "-"]


def test_known_failures_are_not_measured_again(monkeypatch, tmp_path, capsys):
    old = {"runs": {"mujoco|cg|tower|3|60": [good_run(quality={"stands": False})], "mujoco|default|tower|3|60": [good_run()],
                    "ours|default|tower|3|60": [good_run(steps=1)]}}
    (tmp_path / "old.json").write_text(json.dumps(old))
    asked = []
    monkeypatch.setattr(measure, "one", lambda key, plan: asked.append(key.name) or good_run())
    monkeypatch.setattr(adapters, "installed", lambda name: True)
    words = ["bench", "--engines", "ours:default,mujoco:cg,mujoco:default", "--scenes", "tower", "--sizes", "3", "--hz", "60"]
    monkeypatch.setattr(commands.load("warm"), "ensure_kernels", lambda: 0)
    assert cli.main([*words, "--known", str(tmp_path / "old.json"), "--full"]) == 0
    assert sorted(asked) == ["mujoco:default", "ours:default"]
    assert "| mujoco:cg | 60 | - | - |" in capsys.readouterr().out


def test_the_page_shows_the_strict_gate_and_keeps_its_other_lines(tmp_path):
    path = tmp_path / "speed.md"
    path.write_text("above\n<!-- figures: begin -->\nformer figures\n<!-- figures: end -->\nbelow\n")
    command.show_in_page(path, table.summary(canned(), gates.rows(canned())))
    text = path.read_text()
    assert text.startswith("above\n<!-- figures: begin -->\n") and text.endswith("<!-- figures: end -->\nbelow\n")
    assert "former figures" not in text
    shown = lines(text)
    assert shown["pyramid 10"] == ["120", "**60**", "480"] and shown["tower 20"] == ["**120**", "480", "-"]
    assert shown["passed"] == ["2 of 2", "2 of 2", "1 of 2"] and shown["mean ratio to ours"] == ["1", "1.41", "4"]


def test_results_round_trip_through_the_file():
    data = canned()
    assert json.loads(command.as_lines(data)) == data


def test_the_report_shows_failures():
    page = table.report(canned(), gates.rows(canned()))
    assert "fails: error: exit code -11" in page and "a processor" in page and "2026-01-01" in page
    assert "| fast:sloppy | 60 | 6 |" in page and page.count("### ") == 2


# ---- scenes and geometry

@pytest.mark.parametrize("name", scenes.SCENES)
def test_our_adapter_builds_the_scene(name):
    scene = scenes.make(name, SMALL[name])
    engine = Ours()
    engine.build(scene, 1 / 60)
    world = engine.world
    assert len(world.bodies) == len(scene.bodies) + 1 and len(world.joints) == len(scene.joints)
    assert world.solver.options.budget == 0.0
    for state, known in zip(engine.state(), ("pos", "quat", "vel", "omega")):
        np.testing.assert_array_equal(state, [getattr(body, known) for body in scene.bodies])
    for body, ours in zip(scene.bodies, world.bodies[1:]):
        assert ours["mass"] == body.mass
        np.testing.assert_array_equal(ours["inertia"], np.diag(body.inertia))
    np.testing.assert_allclose(world.shapes["friction"], scene.mu)
    for joint, ours in zip(scene.joints, world.joints):
        assert (ours["body_a"], ours["body_b"]) == (joint.a + 1, joint.b + 1)
        np.testing.assert_array_equal(ours["max_friction"][0], joint.friction)
        assert world.joint_kinds[ours["kind"]] == {"ball": "spherical", "hinge": "revolute"}[joint.kind]
    assert metrics.joint_gap(scene, *engine.state()[:2]) < 1e-12


def test_settings_of_a_configuration_reach_world_and_solver():
    engine = Ours("default+iterations=7+margin=0.05+warm_start=false+steps=4")
    engine.build(scenes.make("tower", 2), 1 / 60)
    options = engine.world.solver.options
    assert (options.iterations, options.warm_start, engine.world.margin) == (7, False, 0.05)
    engine.step(3)
    assert engine.world.steps == 12 and engine.world.time == pytest.approx(3 / 60)


def test_masses_of_solids():
    """A capsule's inertia against a fine sum over its volume."""
    body = scenes.capsule(0.02, 0.08, (0.0, 0.0, 0.0), 0.1, (1.0, 0.0, 0.0, 0.0))
    z = (np.arange(20_000) + 0.5) / 20_000 * 0.2 - 0.1
    square = 0.02**2 - np.maximum(np.abs(z) - 0.08, 0.0) ** 2                    # squared radius of the disc at height z
    disc = square * 0.1 / square.sum()
    along, across = (disc * square / 2).sum(), (disc * (square / 4 + z**2)).sum()
    np.testing.assert_allclose(body.inertia, (across, across, along), rtol=1e-6)


def random_pairs(kind_a, kind_b, count=60):
    """Scenes of two bodies near one another, with poses."""
    random = np.random.default_rng(5)
    make = {"box": lambda: scenes.box(random.uniform(0.2, 0.6, 3), (0, 0, 0), 1.0),
            "sphere": lambda: scenes.sphere(random.uniform(0.2, 0.6), (0, 0, 0), 1.0),
            "capsule": lambda: scenes.capsule(random.uniform(0.1, 0.3), random.uniform(0.2, 0.6), (0, 0, 0), 1.0, (1, 0, 0, 0))}
    for _ in range(count):
        pos, quat = random.uniform(-0.45, 0.45, (2, 3)), random.normal(size=(2, 4))
        yield scenes.Scene("two", 2, [make[kind_a](), make[kind_b]()]), pos, quat / np.linalg.norm(quat, axis=1)[:, None]


@pytest.mark.parametrize("kinds", [("box", "box"), ("box", "sphere"), ("sphere", "sphere"), ("sphere", "capsule"),
                                   ("capsule", "capsule")])
def test_depths_agree_with_coal(kinds):
    """An independent library; asked both ways round, as it is wrong for some pairs."""
    coal = pytest.importorskip("coal")
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    make = {"box": lambda b: coal.Box(*(2.0 * h for h in b.half)), "sphere": lambda b: coal.Sphere(b.radius),
            "capsule": lambda b: coal.Capsule(b.radius, 2.0 * b.half_length)}
    overlapping = 0
    for scene, pos, quat in random_pairs(*kinds):
        shapes = [make[body.kind](body) for body in scene.bodies]
        poses = [coal.Transform3s(turn, p) for turn, p in zip(geometry.rotations(quat), pos)]
        depth = min(-coal.distance(shapes[i], poses[i], shapes[1 - i], poses[1 - i], request, coal.DistanceResult())
                    for i in (0, 1))
        found = geometry.overlaps(scene, pos, quat)
        overlapping += len(found)
        assert found.max(initial=0.0) == pytest.approx(max(depth, 0.0), abs=2e-5)
    assert 5 < overlapping < 60


def test_depth_in_the_ground_and_none_between_joined_bodies():
    tilt = math.radians(45.0)
    crate = scenes.box((0.5, 0.5, 0.5), (0.0, 0.0, 0.6), 1.0)
    scene = scenes.Scene("two", 2, [scenes.plane(), crate, scenes.sphere(0.1, (0.0, 0.0, 1.0), 1.0)])
    pos = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 0.6), (0.0, 0.0, 0.7)])
    quat = np.array([(1.0, 0.0, 0.0, 0.0), (math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)])
    depths = geometry.overlaps(scene, pos, quat)
    assert len(depths) == 2 and depths[0] == pytest.approx(math.sqrt(0.5) - 0.6)
    scene.joints.append(scenes.Joint("ball", 2, 1, (0.0, 0.0, 1.0)))
    np.testing.assert_array_equal(geometry.overlaps(scene, pos, quat), depths[:1])


def test_the_catenary_of_many_planks_is_the_smooth_one():
    """y = c cosh(x / c): sag c (cosh(s / 2c) - 1) with 2 c sinh(s / 2c) = length."""
    length, span = 20.0, 18.0
    lo, hi = 1.0, 100.0
    for _ in range(200):
        c = 0.5 * (lo + hi)
        lo, hi = (c, hi) if 2.0 * c * math.sinh(span / (2.0 * c)) > length else (lo, c)
    sag = c * (math.cosh(span / (2.0 * c)) - 1.0)
    assert 8.0 - reference.catenary(span, length / 3000, 3000, 8.0) == pytest.approx(sag, abs=1e-3)


@pytest.mark.parametrize("n", [20, 100])
def test_the_reference_chain_solves_its_equations(n):
    """Its first link's centre stays half a link from the root, and no link is farther from the next than a link."""
    scene = scenes.make("chain", n)
    for key, places in json.loads(reference.PATH.read_text(encoding="utf-8"))[f"chain{n}"].items():
        places = np.array(places)
        assert key in reference.TIMES and places.shape == (n + 1, 3)
        assert np.linalg.norm(places[0] - scene.facts["root"]) == pytest.approx(0.1, abs=1e-6)
        assert np.linalg.norm(np.diff(places[:-1], axis=0), axis=1).max() < 0.2 + 1e-6


# ---- measuring

def test_blocks_are_shuffled_repeated_and_never_measured_twice(monkeypatch):
    plan = measure.Plan((("ours", "default"), ("b", "x"), ("c", "y")), (("tower", (2, 3)),), (60,), repeats=2)
    asked = []

    def one(key, plan):
        asked.append(key)
        return {"error": "no"} if key.engine == "c" else good_run()

    monkeypatch.setattr(measure, "one", one)
    data = {"runs": {}}
    measure.measure(plan, data, lambda *shown: None, lambda data: None)
    sizes = [key.size for key in asked]
    assert sizes == sorted(sizes), "one block after the other"
    assert {str(key): asked.count(key) for key in asked} == {
        f"{name}|tower|{size}|60": 1 if name == "c|y" else 2 for size in (2, 3) for name in ("ours|default", "b|x", "c|y")}
    assert "quality" in data["runs"]["b|x|tower|2|60"][0] and "quality" not in data["runs"]["b|x|tower|2|60"][1]
    asked.clear()
    measure.measure(plan, data, lambda *shown: None, lambda data: None)
    assert not asked


def test_engines_are_the_files_of_the_folder_and_missing_ones_are_left_out(monkeypatch, capsys):
    assert adapters.names() == ["box3d", "jolt", "mujoco", "ours", "pybullet", "rapier3d"]
    monkeypatch.setattr(adapters, "installed", lambda name: name != "pybullet")
    chosen = command.chosen_engines("ours:default+iterations=5,pybullet")
    assert chosen == [("ours", "default+iterations=5")]
    assert "pybullet is not installed" in capsys.readouterr().err


def test_a_library_gets_every_body_and_joint_and_gives_their_state(monkeypatch, tmp_path):
    calls = []

    class FakeLibrary:
        def __getattr__(self, name):
            def function(*args):
                calls.append((name, *(arg.tolist() if isinstance(arg, np.ndarray) else arg for arg in args)))
                if name == "pe_state":
                    args[1][:] = np.arange(args[1].size).reshape(args[1].shape)
                return 7

            vars(self)[name] = function
            return function

    monkeypatch.setattr("ctypes.CDLL", lambda path: FakeLibrary())
    monkeypatch.delenv("PEERS_BOX3D_LIB", raising=False)
    assert command.chosen_engines("box3d") == []
    (tmp_path / "engine.so").touch()
    monkeypatch.setenv("PEERS_BOX3D_LIB", str(tmp_path / "engine.so"))
    assert command.chosen_engines("box3d:substep8") == [("box3d", "substep8")]
    scene, engine = scenes.make("bridge", 5), adapters.load("box3d")("substep8+push=2")
    engine.build(scene, 1 / 60)
    engine.step(3)
    common, settings = [*scene.gravity, scene.mu, scene.e, 1 / 60, 0.0, scene.collide], [8, 60, 0, 2, 0.05, 0, -1, -1]
    assert calls[0] == ("pe_create", common + settings, 16)
    made = [call for call in calls if call[0] == "pe_add_body"]
    assert [(call[2], call[3], call[7]) for call in made[1:]] == [(1, list(body.half), body.mass) for body in scene.bodies[1:]]
    hinges = [call for call in calls if call[0] == "pe_add_joint"]
    assert [call[2:] for call in hinges] == [(1, j.a, j.b, list(j.anchor), list(j.axis), j.friction) for j in scene.joints]
    assert calls[-2:] == [("pe_finish", 7), ("pe_step", 7, 3)]
    pos, quat, vel, omega = engine.state()
    assert pos[1].tolist() == [13, 14, 15] and quat[0].tolist() == [3, 4, 5, 6]
    assert vel[0].tolist() == [7, 8, 9] and omega[-1][-1] == 13 * len(scene.bodies) - 1


@pytest.mark.parametrize("words, hint", [
    (["--engines", "newton"], "there is no engine 'newton'"), (["--engines", "ours:best"], "there is no configuration 'best'"),
    (["--scenes", "pyramids"], "there is no scene 'pyramids'"), (["--sizes", "3,x"], "--sizes"), (["--hz", "0"], "--hz"),
    (["--scenes", "tower,chain", "--sizes", "1/2/3"], "3 groups for 2 scenes"), (["--repeats", "0"], "--repeats")])
def test_bad_arguments_are_one_sentence(words, hint, monkeypatch, capsys):
    monkeypatch.setattr(commands.load("warm"), "ensure_kernels", lambda: 0)
    assert cli.main(["bench", "--engines", "ours", *words]) == 2
    assert hint in capsys.readouterr().err


def test_a_scene_without_dynamic_bodies_is_refused():
    with pytest.raises(BadInput, match="nothing that moves"):
        scenes.make("stacks", 50)


@pytest.mark.parametrize("scene", scale.WORLDS)
def test_scaling_worlds_are_measured_completely(scene):
    """Every body is in contact, and in the figures."""
    row = scale.growth(scene, 40, 60, None, settle=0.5)
    assert row["bodies"] == 40 and float(row["contacts/body"]) >= 1.0
    parts = [float(row[f"{name} us/body"]) for name in ("broad", "narrow", "solve", "integrate", "host")]
    assert float(row["step us/body"]) > 0.5 * max(parts) and 500 < row["rest B/body"] < row["peak B/body"]


def test_all_stacks_sleep_and_the_ball_wakes_only_those_it_hits():
    row = scale.asleep(80, 60, None)
    assert row["asleep"] == 80 and 0 < row["asleep, ball inside"] < 80


def test_the_sliding_force_of_the_figures_is_mu_n():
    """mu m g against the motion, on the circle."""
    direction = np.array([math.cos(0.7), math.sin(0.7)])
    np.testing.assert_allclose(figures.sliding_friction(0, 0.7), -0.5 * 9.81 * direction, rtol=1e-9)


def test_a_small_pyramid_through_the_command(tmp_path, monkeypatch, capsys):
    """A fresh process measures and judges; JSON and Markdown hold the same numbers."""
    monkeypatch.setattr(commands.load("warm"), "ensure_kernels", lambda: 0)
    what = ["--engines", "ours:default", "--scenes", "pyramid", "--sizes", "3", "--hz", "60"]
    assert cli.main(["bench", *what, "--out", str(tmp_path / "x")]) == 0
    assert "strict pass" in capsys.readouterr().out
    (measured,) = gates.rows(json.loads((tmp_path / "x.json").read_text()))
    assert measured.passes("strict") and measured.run["steps"] == 600 and measured.run["bodies"] == 6
    assert measured.cost > 0.0 and measured.quality["overlaps"] > 0
    page = (tmp_path / "x.md").read_text()
    assert f"| ours:default | 60 | {table.number(measured.cost)} |" in page


def test_complementarity_problems_are_measured_and_their_solutions_judged(monkeypatch):
    """A solver that finds nothing has its ratio in brackets."""
    monkeypatch.setitem(lcp.SOLVERS, "nothing", lambda M, q: lambda: np.zeros(len(q)))
    family, n, cases = next(lcp.families(30))
    row = lcp.measure(cases, ["ours", "nothing"], 0.01)
    assert (family, n) == ("random", 30) and all(len(q) == n for _, q in cases)
    assert float(row["ours residual"]) < 1e-12 < float(row["nothing residual"])
    assert float(row["ours ms"]) > 0.0 and row["nothing / ours"].startswith("[")


def test_energy_of_impacts_has_a_line_for_every_solver_with_laws(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["impacts", "--count", "2", "--bodies", "1"])
    impacts.main()
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert "has no friction" in lines["event_driven"] and "e-" in lines["stewart_trinkle"]
