"""Microscope: numbers against real steps, and the panel."""

import csv

import numpy as np
import pytest

import scenes
from app.analysis.microscope import sweeps
from app.analysis.microscope.microscope import Microscope
from app.analysis.microscope.pivots import copositivity_text
from app.analysis.microscope.replay_contact_sweep import SweepReplayer
from app.engine import commands
from app.engine.commands.observation import ExportedState
from app.engine.simulation import Simulation
from app.files import folders
from physics import Box, Friction, Plane, World, set_option, step
from physics.complementarity.copositive import Verdict
from physics.solvers import Solver
from tests.golden import mechanisms
from tests.tools.light_feet import PUSH, on_light_feet
from tests.tools.person import fresh_spots

DT = 1.0 / 240.0


def state_of(name: str, steps: int, solver: str = "", **parameters) -> ExportedState:
    """A scene after some steps without a clock."""
    scene = scenes.find(name)
    world = scenes.make_world(scene, scene.parameters(**parameters))
    if solver:
        world.use_solver(solver)
    scenes.without_clock(world)
    for _ in range(steps):
        step(world, DT)
    return ExportedState(name, world.snapshot(), DT)


def with_options(state: ExportedState, **options) -> ExportedState:
    world = state.world()
    for name, value in options.items():
        set_option(world.solver.options, name, value)
    return ExportedState(state.scene, world.snapshot(), state.dt)


def real(state: ExportedState, **options) -> World:
    """The real step from that state."""
    world = with_options(state, **options).world()
    step(world, state.dt)
    return world


@pytest.fixture(scope="module")
def kicked():
    """A small pyramid, struck so that its boxes slide over one another."""
    state = state_of("pyramid", 20, "sequential_impulses", width=3)
    world = state.world()
    for body in range(2, len(world.bodies)):
        world.set_velocity(body, (0.8 * (body % 3), 0.2 * body, 0.0), (0.0, 0.0, 0.6))
    for _ in range(2):      # the first kick after a given velocity lasts half a step
        step(world, DT)
    return ExportedState("pyramid", world.snapshot(), DT)


# ---- sweeps


@pytest.mark.parametrize("acceleration", [False, True])
def test_n_recorded_sweeps_equal_a_step_with_n_sweeps(kicked, acceleration):
    state = with_options(kicked, acceleration=acceleration)
    seen = sweeps.record(state, most=12)
    assert seen.last == 12 and seen.start.parts == 1 and not seen.converged
    for n in (1, 2, 7, 12):
        world = real(state, iterations=n)
        assert world.report.iterations == n and world.report.residual == seen.residual[n]
        assert world.report.change == seen.change[n]
        assert world.awake_contacts["impulse"].tobytes() == seen.contacts[n]["impulse"].tobytes()
        assert world.awake_contacts["friction_impulse"].tobytes() == seen.contacts[n]["friction_impulse"].tobytes()
        assert np.array_equal(world.bodies["vel"], seen.velocity[n, :, :3])


def test_the_start_is_warm_or_cold(kicked):
    warm, cold = sweeps.record(kicked, most=3), sweeps.record(kicked, most=3, warm=False)
    assert warm.start.ratio == pytest.approx(1.0)
    np.testing.assert_allclose(warm.contacts[0]["impulse"], warm.start.contacts["impulse"], rtol=1e-12)
    assert warm.contacts[0]["impulse"].any()
    assert not cold.contacts[0]["impulse"].any() and not cold.contacts[0]["friction_impulse"].any()
    assert cold.residual[0] > warm.residual[0]


def test_recording_leaves_the_simulation_unchanged_and_ends_at_convergence(kicked):
    before = kicked.snapshot.tables[0].copy()
    seen = sweeps.record(with_options(kicked, tolerance=1e-4), most=300)
    assert seen.converged and seen.last < 300 and seen.change[-1] <= 1e-4 < seen.change[-2]
    assert before.storage.tobytes() == kicked.snapshot.tables[0].storage.tobytes()


def test_a_substep_begins_with_the_impulses_of_the_one_before(kicked):
    state = with_options(kicked, substeps=4, iterations=6)
    first, third, fourth = (sweeps.record(state, substep=k, most=6) for k in (1, 3, 4))
    # velocities lag behind by half of the last step: the first kick lasts DT / 2 + DT / 8
    assert first.start.parts == 4 and first.start.h == DT / 4 and first.start.ratio == pytest.approx(0.625)
    assert np.allclose(first.contacts[0]["impulse"], 0.625 * first.start.contacts["impulse"])
    assert third.start.ratio == fourth.start.ratio == 1.0 and third.own == 6
    np.testing.assert_array_equal(third.contacts[6]["impulse"], fourth.contacts[0]["impulse"])
    moved = third.start.moved["pos"] - third.start.bodies["pos"]
    np.testing.assert_allclose(moved[2:], 0.5 * DT * third.start.bodies["vel"][2:], atol=0.1 * DT)
    assert sweeps.record(state, substep=9, most=1).start.substep == 4, "there are four"


@pytest.mark.parametrize(("scene", "solver", "options"), [
    ("pyramid", "sequential_impulses", {"substeps": 3, "iterations": 7}), ("pyramid", "soft_steps", {"substeps": 3}),
    ("bowling", "sequential_impulses", {"substeps": 3, "iterations": 4}),
    ("joint_gallery", "sequential_impulses", {"substeps": 3, "iterations": 4, "joints": "one by one"}),
    ("joint_gallery", "soft_steps", {"substeps": 3, "relax_sweeps": 2})])
def test_substeps_are_those_of_the_real_step_bit_for_bit(scene, solver, options):
    """Their impulses add up to those of the step, in the order in which the solver adds them, and the last one ends it."""
    state = with_options(state_of(scene, 20, solver), gyroscopic=False, **options)      # with it omega turns on the way
    seen = [sweeps.record(state, substep=k) for k in (1, 2, 3)]
    world = real(state)
    for field in ("impulse", "friction_impulse", "spin_impulse"):
        parts = [one.contacts[one.own][field] for one in seen]
        if field == "friction_impulse":     # the solver adds components along the tangents
            np.testing.assert_allclose(sum(parts), world.awake_contacts[field], rtol=1e-13, atol=1e-15)
        else:
            assert np.array_equal((parts[0] + parts[1]) + parts[2], world.awake_contacts[field])
    parts = [one.reaction[one.own] for one in seen]
    total = (parts[0] + parts[1]) + parts[2]
    if solver == "soft_steps":      # which adds what rows turn by in the relaxation before the rest of a substep
        np.testing.assert_allclose(total, world.joints["reaction"], rtol=1e-12, atol=1e-14)
    else:
        assert np.array_equal(total, world.joints["reaction"])
    last = seen[2]
    assert np.array_equal(last.velocity[last.own], np.concatenate([world.bodies["vel"], world.bodies["omega"]], axis=1))
    ends = [(float(one.residual[one.own]), float(one.change[one.own])) for one in (seen if world.drivers else [last])]
    assert np.max(ends, axis=0).tolist() == [world.report.residual, world.report.change], "drivers divide a step"
    assert np.array_equal(last.contacts[last.own]["residual"], world.awake_contacts["residual"])


def test_joints_that_are_solved_directly_are_led_to_where_they_close_after_the_last_sweep():
    """What that adds to the impulses of the substeps is in no sweep, and small."""
    state = with_options(state_of("joint_gallery", 20), gyroscopic=False, substeps=3, iterations=4)
    reactions = [one.reaction[one.own] for one in (sweeps.record(state, substep=k) for k in (1, 2, 3))]
    apart = np.abs(sum(reactions) - real(state).joints["reaction"]).max()
    assert 1e-9 < apart < 1e-5


def test_soft_steps_are_recorded_sweep_by_sweep():
    """The first sweep of a substep is the soft one."""
    state = state_of("pyramid", 20, "soft_steps", width=3)
    seen = sweeps.record(state, most=5)
    assert seen.last == 5 and seen.own == 2 and seen.start.parts == 4
    one = with_options(state, substeps=1)
    single = sweeps.record(one, most=5)
    np.testing.assert_allclose(single.contacts[0]["impulse"], single.start.ratio * single.start.contacts["impulse"])
    for n in (0, 1, 4):
        world = real(one, relax_sweeps=n)
        assert world.awake_contacts["impulse"].tobytes() == single.contacts[1 + n]["impulse"].tobytes()
        assert world.report.residual == single.residual[1 + n]


def test_a_long_record_ends_with_a_sentence(kicked):
    seen = sweeps.record(kicked, seconds=0.0)
    assert seen.last == 0 and "grows with their square" in seen.note
    assert "the solver may make 50" in sweeps.record(kicked, most=2).note


# ---- the walk


@pytest.mark.parametrize("options", [{"acceleration": False}, {"acceleration": True}, {"acceleration": False, "cone": "circle"},
                                     {"acceleration": False, "facets": 3}])
def test_the_replayed_sweep_matches_the_solver(kicked, options):
    seen = sweeps.record(with_options(kicked, tolerance=1e-15, **options), most=15)
    can_replay = SweepReplayer(seen)
    largest = can_replay.impulses[:, :, 0].max()
    for k in range(1, seen.last + 1):
        assert can_replay.at(k).error < 1e-12 * largest
    first = can_replay.at(1)
    assert sorted(first.order) == list(range(len(seen.start.contacts)))
    assert any(can_replay.at(k).outside(i) and can_replay.at(k).radius[i] > 0.0 for k in range(1, 6) for i in first.order)
    assert any(can_replay.at(k).candidate[i, 0] < 0.0 == can_replay.at(k).after[i, 0] for k in range(1, 6) for i in first.order)
    assert (max(can_replay.betas) > 0.0) == options["acceleration"]


def test_one_sweep_carries_the_weight_of_a_resting_box():
    """One contact of a ball would be too easy: a box on four, whose impulses add up to m g h."""
    world = World()
    for name, value in (("budget", 0.0), ("warm_start", False), ("acceleration", False)):
        set_option(world.solver.options, name, value)
    world.add_body(Plane(), kind="static", friction=0.5)
    world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), mass=2.0, friction=0.5)
    step(world, DT)
    seen = sweeps.record(ExportedState("box", world.snapshot(), DT), most=400)
    can_replay = SweepReplayer(seen)
    assert can_replay.impulses[-1, :, 0].sum() == pytest.approx(2.0 * 9.81 * DT, rel=1e-7)
    replay = can_replay.at(1)
    assert not replay.before.any()
    i = replay.order[0]
    assert replay.candidate[i, 0] == pytest.approx(9.81 * DT / can_replay.rows.K[i, 0, 0]), "it alone stops the fall of its point"
    assert replay.radius[i] == 0.5 * replay.after[i, 0]


def lying(world: World) -> None:
    """Three boxes on hinges that rub, thrown onto the ground: joints and contacts in one sweep."""
    world.add_body(Plane(), kind="static", friction=0.5)
    links = [world.add_body(Box((0.2, 0.1, 0.1)), pos=(0.5 * n, 0.0, 0.12), vel=(1.0, 0.0, -1.0), omega=(0.0, n - 1.0, 1.0),
                            friction=0.5) for n in range(3)]
    for n in (0, 1):
        world.add_joint("revolute", links[n], links[n + 1], anchor=(0.5 * n + 0.25, 0.0, 0.12), axis=(0.0, 1.0, 0.0),
                        friction=Friction(static=0.001, viscous=0.001))


def built(build, solver: str, steps: int, **options) -> ExportedState:
    """A world of a test after some steps without a clock."""
    world = World()
    build(world)
    world.use_solver(solver)
    scenes.without_clock(world)
    for _ in range(steps):
        step(world, DT)
    return with_options(ExportedState("", world.snapshot(), DT), **options)


def test_joints_that_are_solved_together_come_before_contacts_and_have_no_order():
    state = built(lying, "sequential_impulses", 8, tolerance=1e-15)
    seen = sweeps.record(state, most=10)
    can_replay = SweepReplayer(seen)
    assert len(seen.start.contacts) > 3 and not seen.chain.visited and can_replay.at(1).joints == ()
    assert max(can_replay.at(k).error for k in range(1, seen.last + 1)) < 1e-10


def test_a_sweep_after_one_in_joint_space_is_named():
    """Light feet press and slide: ordinary sweeps are replayed, those after sweeps that no record holds say so."""
    world, trunk, _ = on_light_feet(0.01, 0.05)
    scenes.without_clock(world)
    for n in range(40):
        if n > 20:
            world.apply_force(trunk, (PUSH, 0.0, 0.0))
        step(world, DT)
    seen = sweeps.record(ExportedState("", world.snapshot(), DT), most=30)
    follows = [SweepReplayer(seen).at(k).follows for k in range(1, seen.last + 1)]
    assert follows[0] and not all(follows)


@pytest.mark.parametrize("substep", [1, 2, 4])
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps"])
def test_every_substep_and_soft_sweep_is_replayed(kicked, solver, substep):
    world = kicked.world()
    world.use_solver(solver)
    scenes.without_clock(world)
    state = with_options(ExportedState("pyramid", world.snapshot(), DT), substeps=4)
    seen = sweeps.record(state, substep=substep, most=6)
    can_replay, largest = SweepReplayer(seen), seen.contacts["impulse"].max()
    assert seen.start.substep == substep and seen.last >= 4
    for k in range(1, seen.last + 1):
        assert can_replay.at(k).error < 1e-11 * largest
    if solver == "soft_steps":
        assert can_replay.rows.stiff.min() < 1.0, "some are soft"


def visits(state: ExportedState, substep: int) -> list:
    """The joints visited in the first sweeps of a substep, which the replay visits in their order with the recorded impulses."""
    seen = sweeps.record(state, substep=substep, most=5)
    can_replay, found = SweepReplayer(seen), []
    assert seen.chain.visited and seen.last > 0
    for k in range(1, seen.last + 1):
        replay = can_replay.at(k)
        assert replay.error < 1e-10 * max(1.0, np.abs(seen.chain.rows["impulse"]).max())
        assert [visit.joint for visit in replay.joints] == seen.chain.blocks["index"][k].tolist()
        found += replay.joints
    return found


@pytest.mark.parametrize(("solver", "options"), [
    ("sequential_impulses", {"joints": "one by one"}),
    ("sequential_impulses", {"joints": "one by one", "joint_friction": "radial (MS16 eq 16)", "substeps": 2})])
@pytest.mark.parametrize("build", [mechanisms, lying])
def test_joints_are_visited_one_after_the_other(build, solver, options):
    state = built(build, solver, 40 if build is mechanisms else 5, **options)     # without sweeps in joint space in between
    found = [*visits(state, 1), *visits(state, 2)]
    assert any(visit.bounded for visit in found)
    assert {visit.role for visit in found} >= ({0, 1, 2, 4} if build is mechanisms else {0, 1})


def test_soft_joints_of_a_closed_loop_are_visited_one_after_the_other():
    assert visits(state_of("watt_linkage", 5, "soft_steps"), 1)


# ---- pivots


@pytest.fixture(scope="module")
def pivoted():
    state = state_of("incline", 20, "stewart_trinkle")
    scope = Microscope(state)
    scope.run()
    return scope


def test_all_pivots_are_replayed_and_reach_the_solution(pivoted):
    world = real(pivoted.state)
    assert not pivoted.problem and 10 < sum(len(p.pivots) for p in pivoted.paths) <= world.report.solved.pivots
    for path in pivoted.paths:
        n = len(path.unknowns)
        assert path.error < 1e-10 and path.basic.shape == (len(path.pivots) + 1, n)
        if len(path.pivots):
            assert path.pivots[0, 0] == 2 * n and path.name(path.pivots[0, 0]) == "z0"
            assert path.z0[-1] == pytest.approx(0.0, abs=1e-9) and (path.step >= -1e-6).all()     # by a tableau without care
            for (_, left), (entered, _) in zip(path.pivots[:-1], path.pivots[1:]):
                assert abs(left - entered) == n, "the complement of what left"


def test_the_last_paths_end_at_the_impulses_of_the_step(pivoted):
    world, found = real(pivoted.state), {}
    last = max(path.round for path in pivoted.paths)
    for path in pivoted.paths:
        if path.round == last:
            for unknown, value in zip(path.unknowns, path.z):
                if unknown.short == "N":
                    found[unknown.contact] = float(value * unknown.scale)
    assert len(found) > 8
    for i, impulse in found.items():
        assert impulse == pytest.approx(float(world.awake_contacts["impulse"][i]), rel=1e-7, abs=1e-12)


def test_unknowns_are_named(pivoted):
    path = pivoted.paths[0]
    names = [path.name(v) for v in range(2 * len(path.unknowns) + 1)]
    assert len(set(names)) == len(names)
    pair = names[0].split("(")[1]
    assert names[0] == f"friction direction 1 of contact 0 ({pair}" and f"normal force of contact 0 ({pair}" in names
    assert f"gap of contact 0 ({pair}" in names and f"slip speed of contact 0 ({pair}" in names


def test_every_problem_of_the_step_is_copositive_with_a_witness_by_name(pivoted):
    """ST96 eq 18, 19: friction, so not copositive plus, and z'b = 0 for the slip speed that shows it."""
    for path in pivoted.paths:
        found = path.copositivity
        assert found.verdict is Verdict.COPOSITIVE and found.proved and found.against == 0.0
        text = copositivity_text(path)
        assert text.startswith("Copositive") and path.unknowns[int(np.argmax(found.witness))].brief[0] in text
        assert path.unknowns[int(np.argmax(found.witness))].short == "s"


def test_a_pivot_observer_changes_nothing(pivoted):
    world = pivoted.state.world()
    world.solver.pivot_observer = lambda seen: None
    step(world, DT)
    assert world.bodies.tobytes() == real(pivoted.state).bodies.tobytes()


def test_a_solver_without_sweeps_and_pivots_is_reported():
    class OddSolver(Solver):
        name, options = "odd", None

    state = state_of("pyramid", 1, width=2)
    scope = Microscope(ExportedState("x", state.snapshot.__class__(**{**state.snapshot.__dict__, "solver": OddSolver()}), DT))
    scope.run()
    assert scope.done and "neither sweeps nor pivots" in scope.problem


def test_the_state_is_exported_by_value():
    simulation, taken = Simulation("pyramid"), []
    simulation.step()
    commands.export_state(simulation, taken.append)
    before = taken[0].snapshot.tables[0].copy()
    simulation.step()
    assert taken[0].dt == simulation.dt and taken[0].snapshot.steps == 1
    assert taken[0].snapshot.tables[0].storage.tobytes() == before.storage.tobytes()


def test_csv_has_a_line_for_each_contact_after_each_sweep(kicked):
    scope = Microscope(with_options(kicked, iterations=20))
    scope.run()
    rows = list(csv.DictReader(scope.csv().splitlines()))
    count = len(scope.warm.start.contacts)
    assert len(rows) == count * (scope.warm.last + 1)
    assert float(rows[-1]["normal [N s]"]) == scope.warm.contacts[-1]["impulse"][-1]


# ---- the panel


@pytest.fixture
def seeing(person):
    size = person.window.get_size()
    person.window.set_size(1700, 1000)
    person.load("pyramid")
    person.session.post(commands.set_parameter, "width", 3)
    person.session.post(Simulation.single_step, 2)
    assert person.wait(lambda: person.session.frame.step == 2)
    person.window.gui.panels.open("microscope")
    person.look(6)
    yield person
    person.session.selection.contact = -1
    person.window.set_size(*size)
    person.look(3)


def scope_of(person):
    from app.panels.microscope import MicroscopeState as Shown

    return person.session.state(Shown)


def frozen(person):
    """What is under the microscope, once it is all there."""
    state = scope_of(person)
    assert person.wait(lambda: state.scope is not None and state.scope.done
                       and state.scope.state.snapshot.steps == person.session.frame.step)
    person.look(3)
    return state


def test_paused_steps_are_frozen_automatically(seeing):
    state = frozen(seeing)
    assert state.scope.warm is not None and state.scope.cold is not None
    seeing.session.post(Simulation.single_step, 1)
    assert seeing.wait(lambda: seeing.session.frame.step == 3)
    assert frozen(seeing).scope.state.snapshot.steps == 3
    first = state.scope
    seeing.click("microscope/freeze")
    assert seeing.wait(lambda: state.scope is not first and state.scope.done)
    assert not seeing.window.gui.panels.all["microscope"].error


def test_a_click_on_a_contact_selects_it_in_the_scene(seeing):
    state = frozen(seeing)
    state.at = 1
    seeing.session.selection.contact = -1
    seeing.look(3)          # the rows are where the other phase draws them
    seeing.click(next(s for s in fresh_spots(seeing) if s.endswith("/contact 3")), 0.05)
    assert seeing.session.selection.contact >= 0
    chosen, clicked = seeing.session.frame.contacts[seeing.session.selection.contact], state.scope.warm.start.contacts[3]
    assert all(chosen[field] == clicked[field] for field in ("shape_a", "shape_b", "feature"))
    assert seeing.wait(lambda: any(s.endswith("/disc") for s in fresh_spots(seeing)), 10.0)


def test_another_substep_can_be_chosen(seeing):
    seeing.session.post(commands.set_option, "substeps", 3)
    seeing.session.post(Simulation.single_step, 1)
    assert seeing.wait(lambda: seeing.session.frame.step == 3)
    state = frozen(seeing)
    assert state.scope.warm.start.substep == 1 and seeing.wait(lambda: "microscope/substep" in fresh_spots(seeing))
    first = state.scope
    seeing.click("microscope/substep", 0.95)
    assert seeing.wait(lambda: state.scope is not first and state.scope.done)
    assert state.scope.warm.start.substep == 3 == state.substep and state.scope.state is first.state
    assert state.scope.warm.residual[state.scope.warm.own] == real(state.scope.state).report.residual
    seeing.session.post(Simulation.single_step, 1)
    assert seeing.wait(lambda: seeing.session.frame.step == 4)
    assert frozen(seeing).scope.warm.start.substep == 3, "the next step is looked into at the same place"


def test_joints_are_rows_of_the_replay(seeing):
    seeing.load("joint_gallery")
    seeing.session.post(Simulation.single_step, 2)
    assert seeing.wait(lambda: seeing.session.frame.step == 2)
    frozen(seeing)
    assert seeing.wait(lambda: "microscope/together" in {s.replace("impulses/", "") for s in fresh_spots(seeing)}, 5.0)
    seeing.session.post(commands.set_option, "joints", "one by one")
    seeing.session.post(Simulation.single_step, 1)
    assert seeing.wait(lambda: seeing.session.frame.step == 3)
    frozen(seeing).at = 1
    assert seeing.wait(lambda: any(s.endswith("visit 0") for s in fresh_spots(seeing)), 10.0)
    assert not any(s.endswith("together") for s in fresh_spots(seeing))
    assert not seeing.window.gui.panels.all["microscope"].error


def test_playback_of_sweeps_and_saving_as_csv(seeing, tmp_path, monkeypatch):
    state = frozen(seeing)
    last = state.scope.warm.last
    state.at = 0
    seeing.click("microscope/play")
    assert seeing.wait(lambda: state.at >= last and not state.playing, 0.5 * last + 5.0)
    monkeypatch.setattr(folders, "documents", lambda: tmp_path)
    seeing.click("microscope/save")
    assert len(list(tmp_path.glob("pyramid-3-*.csv"))) == 1


def test_pivots_are_chosen_by_a_click(seeing):
    seeing.session.post(commands.use_solver, "stewart_trinkle")
    seeing.session.post(Simulation.single_step, 2)      # the first one may load kernels: so slow a step is not frozen by itself
    state = scope_of(seeing)
    assert seeing.wait(lambda: bool(state.scope and state.scope.done and state.scope.paths))
    state.path, state.at = int(np.argmax([len(p.pivots) for p in state.scope.paths])), 0
    seeing.look(3)
    spots = fresh_spots(seeing)
    seeing.click(next(s for s in spots if s.endswith("/pivot 2")), 0.02)
    assert state.at == 2
    seeing.click(next(s for s in sorted(fresh_spots(seeing)) if "/chips " in s), 0.1)
    assert seeing.session.selection.contact >= 0
    assert not seeing.window.gui.panels.all["microscope"].error


def test_drawing_time_is_small(seeing):
    from app.panels import microscope

    state = frozen(seeing)
    state.at = 1
    assert seeing.wait(lambda: state.scope.replay(1) is not None)
    assert seeing.cost_of_drawing(microscope) < 4.0
