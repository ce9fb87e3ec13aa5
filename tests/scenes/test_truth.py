"""Truth bench: references, verdicts, command, and some experiments at 240 Hz."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import scenes
from app import cli
from app.analysis.studies.truth_bench import BenchRun, as_lines, parsed
from app.commands import truth as shown
from app.engine.simulation import Simulation
from app.panels.truth import TruthState
from physics import BadInput, solvers
from scenes import truth
from scenes.truth import _parts, chains, discs, spinning, statics
from scenes.truth._known_limits import KNOWN
from tests.helpers import ROOT
from tests.tools.each_value import each_value
from tests.tools.person import fresh_spots

RATE = 240
"""Of the experiments that run here under compiled steps; those of the other solvers are dearer and have 60 Hz."""
QUICK = [name for name, experiment in truth.all_experiments().items() if experiment.quick]
UNDIVIDED = {"event_driven": {"longest_step": 1.0 / 60.0}, "joint_space": {"longest_part": 1.0 / 60.0}}
"""Options of the solvers that divide steps of 1/60 s by themselves: the tolerances are then those of their own step."""
SHARES = {("fast_spin_smooth", "event_driven"): 0.2, ("gyroscope", "stewart_trinkle"): 0.25,
          ("gyroscope", "event_driven"): 0.5, ("spring_amplitude", "event_driven"): 0.5}
"""Of the time of dear runs. What they measure grows with time, or is the same at any."""
SAME = ("spring_amplitude",)


def measured(name, solver):
    """A row at the coarsest step that suits the solver; of a share of a run, a share of the error is allowed."""
    experiment, share = truth.find(name), SHARES.get((name, solver), 1.0)
    options = {**experiment.options, solver: {**UNDIVIDED.get(solver, {}), **experiment.options.get(solver, {})}}
    tolerance = experiment.tolerance
    experiment = replace(experiment, options=options, seconds=share * experiment.seconds,
                         expected=experiment.wanted * (1.0 if name in SAME else share),
                         tolerance=replace(tolerance, at_60=share * tolerance.at_60, least=share * tolerance.least))
    return truth.measure(experiment, solver, RATE if solver in ("sequential_impulses", "soft_steps") else 60)


@each_value(2, solver="sequential_impulses")
@pytest.mark.parametrize("solver", solvers.available())
@pytest.mark.parametrize("name", QUICK)
def test_experiments_pass(name, solver):
    row = measured(name, solver)
    print(f"{row.obtained:.6g} for {row.expected:.6g}, error {row.error:.2g} <= {row.tolerance:.2g}: {row.verdict}")
    if row.verdict == truth.KNOWN_LIMIT:
        pytest.xfail(row.note)
    assert row.holds, row.note


@pytest.mark.parametrize(("name", "solver", "rate", "options"), [
    ("cradle_gap_0", "sequential_impulses", 240, {"multiple_impacts": "sequential"}),
    ("cradle_two", "sequential_impulses", 240, {"multiple_impacts": "sequential"}),
    *(("table_four", solver, 60, {}) for solver in ("soft_steps", "joint_space", "stewart_trinkle"))])
def test_what_is_to_be_done_about_known_limits_of_the_default_solver_helps(name, solver, rate, options):
    """As their reasons say: without it each fails, by that reason; with it the number is right, within the same tolerance."""
    experiment = truth.find(name)
    row = truth.measure(experiment, "sequential_impulses", rate)
    assert row.verdict == truth.KNOWN_LIMIT and row.error > row.tolerance and row.note == KNOWN[name, "sequential_impulses"]
    assert all(word in row.note for word in (*options, *options.values(), *(() if options else (solver,))))
    row = truth.measure(replace(experiment, options={solver: options}), solver, rate)
    assert row.verdict == truth.OK, row.error


@pytest.mark.parametrize(("name", "rate", "share"), [("egg_rolls", 1000, 0.2), ("ladder_leaves", 60, 1.0),
                                                     ("break_away", 1000, 1.0), ("many_balls", 60, 1.0)])
def test_the_default_solver_reaches_them_where_it_did_not(name, rate, share):
    """The contacts of a rolling egg know how their arms turn from the first step on; a rod that has left its wall is not pushed
    again; friction lets go where statics says, also in short steps; in a crowd no rebound after an impact in its step gains."""
    experiment = truth.find(name)
    if share < 1.0:
        experiment = replace(experiment, seconds=share, expected=float(discs.egg_turn(share)))
    row = truth.measure(experiment, "sequential_impulses", rate)
    assert row.verdict == truth.OK, f"{row.obtained} for {row.expected}"


def test_no_known_limit_is_assumed_without_a_reason(monkeypatch):
    """The same wrong number fails where no limit is declared for the solver."""
    monkeypatch.setattr(truth, "KNOWN", {})
    row = truth.measure(truth.find("table_four"), "sequential_impulses", 60)
    assert row.verdict == truth.FAIL and not row.holds and row.note == ""


def test_known_limits_name_existing_experiments():
    assert {name for name, _ in KNOWN} <= set(truth.all_experiments())
    assert {solver for _, solver in KNOWN} <= set(solvers.available())


def test_the_known_limits_are_the_failures_of_the_table():
    """Of the solvers in docs/truth.md: a limit that holds no longer is removed from the list."""
    rows = json.loads((ROOT / "assets" / "truth.json").read_text())
    assert not any(row[4] == truth.FAIL for row in rows)
    limits = {(name, solver) for name, solver, _, _, verdict, *_ in rows if verdict == truth.KNOWN_LIMIT}
    assert limits == {(name, solver) for name, solver in KNOWN if solver in {row[1] for row in rows}}


def test_names_are_unique_and_numbers_known():
    names = [e.name for group in truth.topics().values() for e in group]
    assert len(names) == len(set(names)) > 60
    for experiment in truth.all_experiments().values():
        assert math.isfinite(experiment.wanted), experiment.name
        assert all(experiment.tolerance.at(1.0 / rate) > 0.0 for rate in truth.RATES), experiment.name


# ---- the judge

def test_a_wrong_expectation_fails():
    """The same run against a number that is 1 % off."""
    right = truth.find("slope_slides")
    assert truth.measure(right, "sequential_impulses", RATE).verdict == truth.OK
    wrong = replace(right, expected=1.01 * right.wanted)
    row = truth.measure(wrong, "sequential_impulses", RATE)
    assert row.verdict == truth.FAIL and not row.holds and row.error == pytest.approx(0.01 * right.wanted, rel=1e-3)


def test_unsupported_experiments_are_not_failures():
    row = truth.measure(truth.find("superball"), "compliant_contact", 60)
    assert row.verdict == truth.UNSUPPORTED and row.holds and "tangential restitution" in row.note and math.isnan(row.obtained)


def test_a_run_that_takes_too_long_is_cut_off_and_the_rest_goes_on():
    names = ("projectile", "slope_slides")
    cut = [row for rows in truth.bench(names, ("sequential_impulses",), (60,), limit=1e-9) for row in rows]
    assert [row.verdict for row in cut] == [truth.NOT_RUN] * 2 and all(row.holds for row in cut)
    assert "takes more than 1e-09 s" in cut[0].note and math.isnan(cut[0].obtained)
    with pytest.raises(truth.Stopped):      # a cancelled bench ends
        list(truth.bench(names, ("sequential_impulses",), (60,), go_on=lambda: False, limit=1e-9))


def test_a_run_that_blows_up_fails(monkeypatch):
    experiment = truth.find("projectile")

    def explode(world):
        experiment.build(world)
        world.drivers.append(lambda world: world.apply_force(1, (1e6, 0.0, 0.0)))

    row = truth.measure(replace(experiment, build=explode), "sequential_impulses", 60)
    assert row.verdict == truth.FAIL and "diverged" in row.note


def test_orders():
    def rows(errors):
        return [truth.BenchRow("", "", "", "", rate, "", "", 1.0, 1.0 + e, 1.0, truth.OK, "")
                for rate, e in zip((60, 240, 960), errors)]

    assert truth.order_of(rows((1e-2, 1e-2 / 16, 1e-2 / 256))) == pytest.approx(2.0)
    assert truth.order_of(rows((1e-2, 1e-2 / 4, 1e-2 / 16))) == pytest.approx(1.0)
    assert math.isnan(truth.order_of(rows((1e-15, 0.0, 0.0)))), "rounding has no order"
    assert math.isnan(truth.order_of(rows((1e-2, math.nan, 1e-4))))


def test_tolerances_follow_their_order():
    first, second, same = truth.first_order(0.1, 0.01), truth.second_order(0.1), truth.always(0.3)
    assert first.at(1 / 60) == pytest.approx(0.11) and first.at(1 / 600) == pytest.approx(0.02)
    assert second.at(1 / 600) == pytest.approx(1e-3) and same.at(1.0) == same.at(1e-6) == 0.3


def test_a_run_is_shared_by_its_measurements(monkeypatch):
    made = []
    run = truth.Experiment.run
    monkeypatch.setattr(truth.Experiment, "run", lambda self, *args: made.append(self.name) or run(self, *args))
    names = ("billiard_moment", "billiard_momentum")
    found = [row for rows in truth.bench(names, ("soft_steps",), (60,)) for row in rows]
    assert [row.experiment for row in found] == list(names) and len(made) == 1


# ---- references against other programs

def test_elliptic_integral():
    for m in (0.1, 0.5, 0.99):
        assert math.pi / (2.0 * _parts.agm(1.0, math.sqrt(1.0 - m))) == pytest.approx(ellipk(m), rel=1e-14)


def test_integrator():
    def rate(t, y):
        return np.array([y[1], -math.sin(y[0])])

    ours = _parts.solve(lambda y: rate(0.0, y), (2.0, 0.0), (1.0, 5.0))
    theirs = solve_ivp(rate, (0.0, 5.0), (2.0, 0.0), "DOP853", (1.0, 5.0), rtol=1e-13, atol=1e-13).y.T
    assert ours == pytest.approx(theirs, abs=1e-9)


def test_half_turn_by_two_methods():
    """The closed form against Euler's equations, from zero to zero of the middle component."""
    i = np.array(spinning.MOMENTS)

    def rate(t, w):
        return np.cross(i * w, w) / i

    def zero(t, w):
        return w[1]

    found = solve_ivp(rate, (0.0, 30.0), spinning.TUMBLE, "DOP853", events=zero, rtol=1e-12, atol=1e-12).t_events[0]
    assert np.diff(found) == pytest.approx(spinning.half_turn(), rel=1e-8)


def test_chain_of_one_is_a_rod():
    angle = chains.hang((0.5,), 0.7, length=1.0)[0]
    found = solve_ivp(lambda t, y: (y[1], -1.5 * 9.81 * math.sin(y[0])), (0.0, 0.7), (0.5, 0.0), rtol=1e-11, atol=1e-12).y[0, -1]
    assert angle == pytest.approx(found, abs=1e-8)


def test_discs():
    """A thin one: 4 g / (r sin); upright and rolling slowly in a large circle: w3 r is its speed."""
    assert discs.eulers(0.3, 1e-9, 0.4) ** 2 == pytest.approx(4.0 * 9.81 / (0.3 * math.sin(0.4)), rel=1e-6)
    tilt, going = math.radians(20.0), discs.eulers(0.3, 0.005, math.radians(20.0))
    assert discs.wheel_spin(0.3, 0.005, tilt, going) == pytest.approx(going * math.sin(tilt) * 0.005 / 0.3, rel=1e-9)


def test_the_arch_of_many_stones_is_milankovitchs(monkeypatch):
    monkeypatch.setattr(statics, "STONES", 400)
    statics.thinnest.cache_clear()
    try:
        assert statics.thinnest() == pytest.approx(0.1075, abs=2e-4)
    finally:
        statics.thinnest.cache_clear()


# ---- for people

def test_experiments_are_unlisted_scenes():
    scene = scenes.find("truth.rolls_straight")
    assert scene is scenes.find("truth.rolls_straight") and "truth.rolls_straight" not in scenes.all_scenes()
    world = scenes.make_world(scene)
    assert "ball" in world.body_names
    with pytest.raises(BadInput, match="rolls_straight"):
        scenes.find("truth.rolls_strait")


def test_a_scene_measures_the_same_as_the_bench():
    experiment = truth.find("superball")
    scene = experiment.as_scene()
    world, trace = scenes.run(scene)
    prediction, = scene.predict(scene.parameters())
    row = truth.measure(experiment, "sequential_impulses", RATE)
    assert prediction.value == row.expected and prediction.measure(world, trace) == pytest.approx(row.obtained, abs=1e-12)


@pytest.fixture
def short_throw(monkeypatch):
    """The projectile for a tenth of its second, under all solvers."""
    short = replace(truth.find("projectile"), seconds=0.1, expected=5.0 + 4.0 * 0.1 - 0.5 * 9.81 * 0.1**2)
    found = truth.find
    monkeypatch.setattr(truth, "find", lambda name: short if name.removeprefix(scenes.TRUTH) == short.name else found(name))
    truth.scene.cache_clear()
    yield
    truth.scene.cache_clear()


def rows_of(*names, rates=(60,)):
    return [row for rows in truth.bench(names, rates=rates) for row in rows]


def test_command_as_json_and_table(capsys, short_throw):
    assert cli.main(["truth", "projectile", "--json", "--rate", "60"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [row["solver"] for row in found] == list(solvers.available())
    assert all(row["ok"] and row["expected"] == pytest.approx(5.35095) and row["verdict"] == "ok" for row in found)
    assert cli.main(["truth", "superball", "--solver", "compliant_contact", "--rate", "60", "--rate", "240"]) == 0
    out = capsys.readouterr().out
    assert out.count("not supported  superball") == 2 and "1 not supported" in out
    assert cli.main(["truth", "--list", "Rolling"]) == 0 and "5 v0 / 7" in capsys.readouterr().out
    assert cli.main(["truth", "--list", "nothing_such"]) == 2 and "unknown experiment" in capsys.readouterr().err
    assert cli.main(["truth", "projectile", "--solver", "magic"]) == 2 and "magic" in capsys.readouterr().err


def test_the_exit_code_is_1_if_an_experiment_fails(capsys, monkeypatch, tmp_path):
    wrong = replace(truth.find("projectile"), expected=6.0)
    monkeypatch.setattr(truth, "find", lambda name: wrong)
    page = tmp_path / "truth.md"
    assert cli.main(["truth", "projectile", "--rate", "60", "--solver", "soft_steps", "--write", str(page)]) == 1
    assert "FAIL" in capsys.readouterr().out
    assert "**1.9e+00** (> 1.0e-09)" in page.read_text() and "| soft_steps | 60 Hz | 0 | 0 | 1 | 0 | 0 |" in page.read_text()


def test_page_has_every_experiment_that_ran(short_throw):
    page = shown.as_page(rows_of("projectile", "rolling_friction", rates=(60, 240)))
    assert "Known limits" not in page
    page_of_limits = shown.as_page([truth.measure(truth.find("table_four"), "sequential_impulses", 60)])
    assert "| *1.8e+00* (> 1.0e-02) |" in page_of_limits
    assert "Known limits:\n\n- `table_four` (impulses): the loads" in page_of_limits
    assert page.count("| `projectile` |") == len(solvers.available()) and "not supported" in page and "error at 240 Hz" in page


# ---- the window

def test_stored_results_round_trip():
    rows = rows_of("superball", "rolling_friction")
    again = parsed(as_lines(rows))
    assert [(r.experiment, r.solver, r.rate, r.verdict, r.expected) for r in again] \
        == [(r.experiment, r.solver, r.rate, r.verdict, r.expected) for r in rows]
    assert all(math.isnan(r.obtained) == math.isnan(o.obtained) for r, o in zip(again, rows))
    assert parsed('[["gone", "soft_steps", 60, 1.0, "ok", null, ""]]') == []


def test_experiments_run_in_the_background(short_throw):
    beside = BenchRun()
    beside.run(("projectile",))
    assert set(beside.rows) == {("projectile", s, r) for s in solvers.available() for r in truth.RATES} == beside.fresh
    assert all(row.verdict == truth.OK for row in beside.rows.values()) and beside.progress == 1.0 and not beside.now
    beside.cancel()
    beside.run(("superball",))
    assert "superball" not in {name for name, _, _ in beside.rows}, "stopped before the first step"


def test_the_panel(person, short_throw):
    """A click runs an experiment as a scene; it is measured beside the window, and its numbers are shown."""
    person.load("pyramid")
    person.window.gui.panels.open("truth")
    person.look(2)
    state = person.session.state(TruthState)
    assert "truth/measure all" in fresh_spots(person) and "truth/measure one" not in fresh_spots(person)
    first = next(iter(truth.all_experiments()))
    person.click(f"truth/{scenes.TRUTH}{first}")
    assert person.wait(lambda: person.session.frame.scene == scenes.TRUTH + first, 20.0)
    person.session.post(Simulation.load, scenes.TRUTH + "projectile")
    assert person.wait(lambda: person.session.frame.scene == scenes.TRUTH + "projectile", 20.0)
    state.bench.rows.clear()
    person.click("truth/measure one")
    rows = len(solvers.available()) * len(truth.RATES)
    assert person.wait(lambda: not state.bench.running and len(state.bench.rows) == rows, 60.0)
    person.look()
    assert {name for name, _, _ in state.bench.fresh} == {"projectile"} and not person.window.gui.panels.all["truth"].error
    person.click("truth/measure all")
    person.click("truth/cancel truth")
    assert person.wait(lambda: not state.bench.running, 20.0)
    person.look(2)
    person.window.gui.panels.all["truth"].open = False
    person.load("pyramid")
