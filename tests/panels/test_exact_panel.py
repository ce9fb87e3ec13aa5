"""Panel of the exact solver, and long steps that leave the window responsive and can be cancelled."""

import math
import time
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

import scenes
from app.analysis.microscope import exact
from app.engine import commands
from app.engine.frame import capture
from app.engine.simulation import Simulation
from app.engine.thread import BusyState, PhysicsThread
from app.gui.controls import widgets
from app.number_format import read
from app.session import Session
from physics import Material, step
from physics.complementarity.problem import Status
from physics.dynamics.energy_ledger import LEDGER_COLUMNS
from physics.observe.report import EnergyTotals
from physics.solvers.lcp import fallbacks
from physics.solvers.lcp.step import ProblemReport
from physics.solvers.stewart_trinkle import LONG_WAY, MAX_PACE_CHANGE, SHORT_WAY, Solved, StewartTrinkle
from tests.tools.person import fresh_spots


def make_long(session: Session) -> None:
    """A pyramid whose first step takes minutes: gravity is tilted, so that all boxes start to slide at once."""
    session.post(Simulation.pause)
    session.post(Simulation.load, "pyramid")
    session.post(commands.set_parameter, "width", 8)
    session.post(commands.use_solver, "stewart_trinkle")
    session.post(commands.set_option, "facets", 16)
    session.post(commands.set_gravity, (6.0, 0.0, -9.81))


def ran(name: str, steps: int, **parameters):
    """A frame of a scene after some steps of the exact solver."""
    scene = scenes.find(name)
    world = scenes.make_world(scene, scene.parameters(**parameters))
    world.use_solver("stewart_trinkle")
    for _ in range(steps):
        step(world, 1.0 / 240.0)
    return capture(world, scene=name, dt=1.0 / 240.0, paused=True, before=(world.bodies["pos"], world.bodies["quat"]), pace=None)


# ---- what is told


@pytest.fixture(scope="module")
def incline():
    return ran("incline", 20)


def test_facts_are_those_of_the_report(incline):
    lines = {line.name: line.values[0] for line in exact.facts(incline)}
    solved = incline.report.solved
    assert lines["rounds"].startswith(f"{solved.rounds}, moved") and lines["pivots"] == f"{solved.pivots}"
    assert lines["problems"].endswith(f"largest {solved.largest}") and lines["ended"] == "all solved"
    assert lines["no solution"] == "none in 20 steps" and lines["residual"].endswith("m/s")
    assert not {"softened", "swept", "gave way"} & set(lines), "only what happened"
    rows = exact.problems(incline)
    assert len(rows) == len(solved.problems) and rows[0][0] == "1 step"
    assert rows[0][2] == f"{int(solved.problems[0].sizes[:, 0].max())} + 0"
    assert sum(int(row[3]) for row in rows) == solved.pivots


@pytest.mark.parametrize(("rays", "limits", "steps", "text"), [
    (0, 0, 1, "none in 1 step"), (3, 0, 20, "3 on a ray in 20 steps"),
    (1, 2, 20, "1 on a ray, 2 at the pivot limit in 20 steps")])
def test_unsolved_problems_are_described(rays, limits, steps, text):
    assert exact.unsolved_problems(EnergyTotals(steps=steps, ray_endings=rays, pivot_limit_endings=limits)) == text


def test_the_shown_ledger_closes(incline):
    lines = {line.name: [read(value.removeprefix("~")) if value else None for value in line.values]
             for line in exact.energies(incline)}
    assert set(LEDGER_COLUMNS) <= set(lines) and all(line.help for line in exact.energies(incline))
    for which, sums in enumerate((incline.report.ledger, incline.energy_totals.ledger)):
        total = sum(lines[column][which] for column in LEDGER_COLUMNS)
        assert lines["sum"][which] == pytest.approx(total, rel=0.02, abs=1e-9)
        assert lines["friction"][which] == pytest.approx(sums["friction"], rel=0.01)
    assert lines["kinetic energy"][1] == pytest.approx(lines["sum"][1], rel=0.01)
    assert abs(lines["unexplained"][1]) < 1e-9


def test_remainders_of_energies_that_are_rounding_say_so(incline):
    """Beside energies of joules, 1e-14 J is nothing; with digits it looked like a loss."""
    lines = {line.name: line.values for line in exact.energies(incline)}
    assert not [value for values in lines.values() for value in values if "e-" in value]
    assert lines["unexplained"][1] in ("~0", "0") and lines["gravity"][1].startswith(("+", "-"))


def test_failed_problems_are_described(incline):
    tally = np.zeros((5, 7), np.int64)
    tally[:, fallbacks.UNKNOWNS] = 10, 0, 20, 30, 10
    tally[:, fallbacks.STATUS] = Status.SOLVED, Status.SOLVED, Status.RAY, Status.LIMIT, Status.RAY
    tally[2, fallbacks.SOFT], tally[3, fallbacks.SWEPT], tally[4, fallbacks.SOFT] = 4, 2000, fallbacks.CONTACTS_YIELDED
    problem = ProblemReport(2, "decompression", np.array([[10, 1], [0, 6], [20, 2], [30, 3], [10, 0]]), tally)
    incline.report.solved, kept = Solved(2, 1e-3, (problem,), 2, 1), incline.report.solved
    try:
        lines = {line.name: line.values[0] for line in exact.facts(incline)}
        rows = exact.problems(incline)
    finally:
        incline.report.solved = kept
    assert lines["ended"] == "1 solved, 2 on a ray, 1 at the limit" and lines["softened"] == "4 times"
    assert lines["swept"] == lines["gave way"] == "1 problem"
    assert lines["problems"] == "4, largest 30", "one island has equations alone"
    assert rows == [("2 release", "4", "30 + 3", "0")]


def test_contacts_have_the_cases_of_the_law():
    sliding = ran("pyramid", 3, width=3)
    told = [exact.describe_contact(sliding, i) for i in range(len(sliding.contacts))]
    assert {touch.state for touch in told} >= {"stick"}
    for touch, contact in zip(told, sliding.contacts):
        bound = contact["friction"] * contact["impulse"]
        assert (touch.state == "open") == (contact["impulse"] <= 0.0) == math.isnan(touch.ratio)
        if bound > 0.0:
            assert touch.ratio == pytest.approx(np.linalg.norm(contact["friction_impulse"]) / bound) and touch.ratio < 1.0 + 1e-9
        case, planar = touch.case.split(", ")
        assert case == str(contact["sign_case"]) and planar in "1234" and "T08" in touch.help


def test_signs_match_the_cases():
    assert "3: + 0 + for" in exact.describe_contact(_one_contact(3), 0).help
    assert "5: 0 + + for" in exact.describe_contact(_one_contact(5), 0).help
    assert "8: 0 0 0 for" in exact.describe_contact(_one_contact(8), 0).help


def _one_contact(case: int):
    from tests.tools.handmade import frame

    return frame([("sphere", (0.1, 0, 0), (0, 0, 0), (1, 0, 0, 0), 2)],
                 contacts=[{"body_a": 0, "body_b": 1, "impulse": 1.0, "friction": 0.5, "sign_case": case}])


@pytest.mark.parametrize(("busy", "text"), [
    (BusyState(3.2, False), "a step takes 3.2 s"),
    (BusyState(0.5, True, 50, 0.3, (0.01, 0.03)), "solving for 50 unknowns: 0.3 s, longer than estimated"),
    (BusyState(50.0, True, 4020, 12.3, (0.6, 64.0)), "solving for 4020 unknowns: 12 s of 0.6 s to 64 s"),
    (BusyState(900.0, True, 4020, 700.0, (50.0, 20000.0)), "solving for 4020 unknowns: 12 min of 50 s to 6 h")])
def test_waiting_times_are_described(busy, text):
    assert exact.estimate_text(busy) == text


# ---- the panel


def show(person):
    person.window.gui.panels.open("exact")
    person.look(6)


@pytest.fixture
def wide(person):
    """A window with room for the panel's columns."""
    size = person.window.get_size()
    person.window.set_size(1700, 1000)
    show(person)
    yield person
    person.window.set_size(*size)
    person.look(3)


def test_the_panel_leads_to_the_exact_solver_and_shows_its_steps(wide):
    person = wide
    person.load("pyramid")
    person.session.post(commands.set_parameter, "width", 3)
    show(person)
    person.click("exact/use exact")
    assert person.wait(lambda: person.session.simulation.world.solver.name.startswith("exact"))
    assert "exact/use exact" not in fresh_spots(person)
    person.session.post(Simulation.single_step, 3)
    assert person.wait(lambda: person.session.frame.step >= 3)
    wanted = {"facts rounds", "energies friction", "energies eq 24", "head F / \u03bcN", "head LCPs"}
    assert person.wait(lambda: {f"exact/{name}" for name in wanted} <= set(fresh_spots(person)), 5.0)
    spots, columns = fresh_spots(person), ("exact/facts rounds", "exact/energies friction", "exact/head bodies")
    left = [spots[name][0] for name in columns]
    assert left == sorted(set(left)), "side by side"
    person.window.set_size(900, 800)
    person.look(10)
    spots = fresh_spots(person)
    assert spots["exact/energies friction"][1] > spots["exact/facts rounds"][1] + 20.0, "one below the other"
    assert not person.window.gui.panels.all["exact"].error


def test_an_unsupported_scene_shows_the_reason(person):
    person.load("pyramid")
    show(person)
    assert "exact/use exact" in fresh_spots(person)
    person.session.simulation.world.set_material(1, Material(friction=0.5, adhesion=1.0, name="tape"))
    person.session.post(Simulation.single_step)
    assert person.wait(lambda: "exact/use exact" not in fresh_spots(person), 5.0)


def test_only_visible_contacts_are_drawn(wide):
    from app.panels.exact import ExactState

    person = wide
    person.load("pyramid")
    person.session.post(commands.set_parameter, "width", 8)
    person.session.post(commands.use_solver, "stewart_trinkle")
    person.session.post(Simulation.single_step)
    state = person.session.state(ExactState)
    assert person.wait(lambda: state.frame is not None and len(state.frame.contacts) > 100 and len(state.contact_texts) > 3)
    assert 3 * len(state.contact_texts) < 100


def test_a_click_on_a_contact_selects_it_in_the_scene(wide):
    wide.load("pyramid")
    wide.session.post(commands.use_solver, "stewart_trinkle")
    wide.session.post(Simulation.single_step, 2)
    assert wide.wait(lambda: any(name.endswith("/contact 1") for name in fresh_spots(wide)))
    assert wide.session.selection.contact < 0
    wide.click(next(name for name in fresh_spots(wide) if name.endswith("/contact 1")))
    assert wide.session.selection.contact == 1
    wide.session.selection.contact = -1


def test_odd_facets_are_a_message(person):
    person.load("incline")
    person.session.post(commands.use_solver, "stewart_trinkle")
    person.session.post(commands.set_option, "facets", 7)
    person.session.post(Simulation.single_step, 3)
    assert person.wait(lambda: person.session.frame.step == 3)
    submitted = [m.text for m in person.session.messages if "must be even" in m.text]
    assert len(submitted) == 1 and "facets = 7" in submitted[0] and "8 are used" in submitted[0]


# ---- long steps


def poses(session: Session) -> bytes:
    bodies = session.simulation.world.bodies
    return bodies["pos"].tobytes() + bodies["quat"].tobytes() + bodies["vel"].tobytes()


def test_the_window_lives_while_a_step_takes_minutes_and_cancel_keeps_the_state(person):
    session = person.session
    show(person)
    make_long(session)
    assert person.wait(lambda: session.frame.gravity[0] == 6.0)
    before = poses(session)
    for _ in range(5):
        session.post(Simulation.single_step)     # as a held button does
    assert person.wait(lambda: session.busy is not None and session.busy.working > 0.3, 20.0)
    drawn, step = person.window.pictures_drawn, session.frame.step
    person.look(40)
    assert person.window.pictures_drawn == drawn + 40 and session.frame.step == step and session.busy is not None
    assert session.busy.unknowns > 1000 and session.busy.cancels and session.busy.estimate[1] > session.busy.estimate[0] > 0.0
    assert {"exact/cancel", "status/cancel", "status/busy"} <= set(fresh_spots(person))
    person.click("status/cancel")
    assert person.wait(lambda: session.busy is None and session.frame.paused, 5.0)
    person.look(5)
    time.sleep(0.5)
    assert session.busy is None, "single steps that waited were begun"
    assert poses(session) == before and session.frame.step == 0
    assert [m for m in session.messages if "cancelled; the state before it is restored" in m.text]
    assert "status/cancel" not in fresh_spots(person)


def test_cancel_in_the_panel_pauses_a_run(person):
    session = person.session
    show(person)
    make_long(session)
    session.post(Simulation.run)
    assert person.wait(lambda: session.busy is not None, 20.0)
    assert person.wait(lambda: not session.frame.paused, 1.0), "what is seen says that it runs"
    person.click("exact/cancel")
    assert person.wait(lambda: session.busy is None and session.simulation.paused, 5.0)
    person.look(3)


@pytest.mark.parametrize(("command", "args", "arrived"), [
    (Simulation.load, ("incline",), lambda session: session.frame.scene == "incline"),
    (commands.use_solver, ("sequential_impulses",), lambda session: session.frame.solver == "sequential impulses")])
def test_a_superseding_command_cancels_a_long_step(person, command, args, arrived):
    session = person.session
    make_long(session)
    session.post(Simulation.run)
    assert person.wait(lambda: session.busy is not None, 20.0)
    with patch.object(session.thread, "cancel", wraps=session.thread.cancel) as given_up:
        session.post(command, *args)
        assert person.wait(lambda: arrived(session), 30.0)
        assert given_up.called
    assert person.wait(lambda: session.frame.step > 3 and not session.frame.paused, 10.0)
    assert not [m for m in session.messages if "cancelled" in m.text]
    session.post(Simulation.pause)


def test_pause_keeps_the_step_in_progress(person):
    session = person.session
    make_long(session)
    session.post(Simulation.single_step)
    assert person.wait(lambda: session.busy is not None, 20.0)
    session.post(Simulation.pause)
    person.look(20)
    assert session.busy is not None
    session.cancel()
    assert person.wait(lambda: session.busy is None, 5.0)
    person.look(3)


def test_the_thread_stops_at_once_while_a_step_takes_minutes():
    session = Session.open("pyramid")
    session.thread.start()
    make_long(session)
    session.post(Simulation.single_step)
    end = time.perf_counter() + 30.0
    while (session.busy is None or not session.busy.unknowns) and time.perf_counter() < end:
        time.sleep(0.01)
    assert session.busy is not None
    working = session.busy.estimate[1]
    begin = time.perf_counter()
    session.thread.stop()
    assert time.perf_counter() - begin < 0.5 * working and not session.thread.is_alive
    assert not session.simulation.messages or "cancelled" not in session.simulation.messages[-1]


def test_a_finished_step_is_not_busy():
    thread = PhysicsThread(Simulation("incline"))
    commands.use_solver(thread.simulation, "stewart_trinkle")
    thread.simulation.step()
    assert thread.busy is None and thread.simulation.began == 0.0


def test_a_wide_list_is_placed_below_its_label(person):
    person.load("incline")
    person.session.post(commands.use_solver, "stewart_trinkle")
    assert person.wait(lambda: person.session.frame.solver.startswith("exact"))

    def shows_its_whole_name() -> bool:
        x0, _, x1, _ = fresh_spots(person)["physics/solver"]
        return x1 - x0 >= widgets.combo_width(person.session.simulation.world.solver.name)

    assert person.wait(shows_its_whole_name), "the panel is drawn one picture after the frame arrives"


# ---- how long it will take


def learned(seconds: float, unknowns: int, steps: int = 1) -> list[float]:
    """What a new solver thinks of the pace after a step that took so long."""
    solver = StewartTrinkle()
    problem = ProblemReport(1, "step", np.array([[unknowns, 0]]), np.zeros((1, 7), np.int64))
    solver._update_estimate(SimpleNamespace(solved=[problem], world=SimpleNamespace(steps=steps)), seconds)
    return solver.pace


def test_time_estimates_exclude_kernel_loading():
    assert learned(4.0 * LONG_WAY * 1e9, 1000) == [SHORT_WAY, pytest.approx(2.0 * LONG_WAY)]
    assert learned(SHORT_WAY * 1e9 / 4.0, 1000) == [pytest.approx(SHORT_WAY / 2.0), LONG_WAY]
    assert learned(1e6 * LONG_WAY * 1e9,
                   1000)[1] == pytest.approx(math.sqrt(MAX_PACE_CHANGE) * LONG_WAY), "one step is not believed"
    assert learned(100.0, 1000, steps=0) == [SHORT_WAY, LONG_WAY], "the first loads its kernels"
    assert learned(1.0, 100) == [SHORT_WAY, LONG_WAY], "Python is the cost of small ones"
