"""The microscope's numbers against the real steps, and what a person sees of them."""

import csv

import numpy as np
import pytest
from person import fresh_spots

import scenes
from app.engine.handing import State
from app.engine.simulation import Simulation
from app.gui.output import files
from app.insight import sweeps
from app.insight.microscope import Microscope
from app.insight.walk import Walks
from physics import Box, Plane, World, set_option, step

DT = 1.0 / 240.0


def state_of(name: str, steps: int, solver: str = "", **parameters) -> State:
    """A scene after some steps without a clock."""
    scene = scenes.find(name)
    world = scenes.make_world(scene, scene.parameters(**parameters))
    if solver:
        world.use_solver(solver)
    scenes.without_clock(world)
    for _ in range(steps):
        step(world, DT)
    return State(name, world.snapshot(), DT)


def with_options(state: State, **options) -> State:
    world = state.world()
    for name, value in options.items():
        set_option(world.solver.options, name, value)
    return State(state.scene, world.snapshot(), state.dt)


def real(state: State, **options) -> World:
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
        world.set_velocity(body, (0.4 * (body % 3), 0.1 * body, 0.0), (0.0, 0.0, 0.3))
    step(world, DT)
    return State("pyramid", world.snapshot(), DT)


# ---- sweeps


@pytest.mark.parametrize("acceleration", [False, True])
def test_after_n_sweeps_it_is_the_real_step_with_n_sweeps(kicked, acceleration):
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


def test_the_start_has_the_last_impulses_or_none(kicked):
    warm, cold = sweeps.record(kicked, most=3), sweeps.record(kicked, most=3, warm=False)
    assert warm.start.ratio == pytest.approx(1.0)
    assert np.array_equal(warm.contacts[0]["impulse"], warm.start.contacts["impulse"]) and warm.contacts[0]["impulse"].any()
    assert not cold.contacts[0]["impulse"].any() and not cold.contacts[0]["friction_impulse"].any()
    assert cold.residual[0] > warm.residual[0]


def test_the_simulation_is_not_touched_and_a_converged_record_ends(kicked):
    before = kicked.snapshot.tables[0].copy()
    seen = sweeps.record(with_options(kicked, tolerance=1e-4), most=300)
    assert seen.converged and seen.last < 300 and seen.change[-1] <= 1e-4 < seen.change[-2]
    assert before.room.tobytes() == kicked.snapshot.tables[0].room.tobytes()


def test_a_step_in_substeps_is_its_first_one(kicked):
    seen = sweeps.record(with_options(kicked, substeps=4), most=3)
    assert seen.start.parts == 4 and seen.start.h == DT / 4 and seen.start.ratio == pytest.approx(0.25)
    assert np.allclose(seen.contacts[0]["impulse"], 0.25 * seen.start.contacts["impulse"])


def test_soft_steps_relax_sweep_by_sweep():
    state = state_of("pyramid", 20, "soft_steps", width=3)
    seen = sweeps.record(state, most=4)
    assert seen.last == 4 and seen.own == 1 and seen.start.parts == 4
    one = with_options(state, substeps=1)
    single = sweeps.record(one, most=4)
    for n in (0, 1, 4):
        world = real(one, relax_sweeps=n)
        assert world.awake_contacts["impulse"].tobytes() == single.contacts[n]["impulse"].tobytes()
        assert world.report.residual == single.residual[n]


def test_what_takes_too_long_ends_with_a_sentence(kicked):
    seen = sweeps.record(kicked, seconds=0.0)
    assert seen.last == 0 and "would take too long" in seen.told
    assert "the solver may make 50" in sweeps.record(kicked, most=2).told


# ---- the walk


@pytest.mark.parametrize("options", [{"acceleration": False}, {"acceleration": True}, {"acceleration": False, "cone": "circle"},
                                     {"acceleration": False, "facets": 3}])
def test_the_walk_in_plain_numbers_is_the_solvers(kicked, options):
    seen = sweeps.record(with_options(kicked, tolerance=1e-15, **options), most=15)
    walks = Walks(seen)
    largest = walks.impulses[:, :, 0].max()
    for k in range(1, seen.last + 1):
        assert walks.at(k).error < 1e-12 * largest
    first = walks.at(1)
    assert sorted(first.order) == list(range(len(seen.start.contacts)))
    assert any(walks.at(k).outside(i) and walks.at(k).radius[i] > 0.0 for k in range(1, 6) for i in first.order)
    assert any(walks.at(k).candidate[i, 0] < 0.0 == walks.at(k).after[i, 0] for k in range(1, 6) for i in first.order)
    assert (max(walks.betas) > 0.0) == options["acceleration"]


def test_a_box_at_rest_walks_at_once_to_its_weight():
    """One contact of a ball would be too easy: a box on four, whose impulses add up to m g h."""
    world = World()
    for name, value in (("budget", 0.0), ("warm_start", False), ("acceleration", False)):
        set_option(world.solver.options, name, value)
    world.add_body(Plane(), kind="static", friction=0.5)
    world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), mass=2.0, friction=0.5)
    step(world, DT)
    seen = sweeps.record(State("box", world.snapshot(), DT), most=400)
    walks = Walks(seen)
    assert walks.impulses[-1, :, 0].sum() == pytest.approx(2.0 * 9.81 * DT, rel=1e-7)
    walk = walks.at(1)
    assert not walk.before.any()
    i = walk.order[0]
    assert walk.candidate[i, 0] == pytest.approx(9.81 * DT / walks.rows.K[i, 0, 0]), "it alone stops the fall of its point"
    assert walk.radius[i] == 0.5 * walk.after[i, 0]


def test_joints_come_before_contacts_in_the_walk():
    state = state_of("rod_and_table", 5, "sequential_impulses")
    for options in ({}, {"joints": "one by one"}):
        seen = sweeps.record(with_options(state, tolerance=1e-15, **options), most=10)
        if len(seen.start.contacts):
            walks = Walks(seen)
            assert max(walks.at(k).error for k in range(1, seen.last + 1)) < 1e-12


# ---- pivots


@pytest.fixture(scope="module")
def pivoted():
    state = state_of("incline", 20, "stewart_trinkle")
    scope = Microscope(state)
    scope.run()
    return scope


def test_all_pivots_of_the_real_step_are_there_and_lead_to_its_solution(pivoted):
    world = real(pivoted.state)
    assert not pivoted.problem and sum(len(p.pivots) for p in pivoted.paths) == world.report.solved.pivots > 10
    for path in pivoted.paths:
        n = len(path.unknowns)
        assert path.error < 1e-10 and path.basic.shape == (len(path.pivots) + 1, n)
        if len(path.pivots):
            assert path.pivots[0, 0] == 2 * n and path.name(path.pivots[0, 0]) == "z0"
            assert path.z0[-1] == pytest.approx(0.0, abs=1e-9) and (path.step >= -1e-12).all()
            for (_, left), (entered, _) in zip(path.pivots[:-1], path.pivots[1:]):
                assert abs(left - entered) == n, "the complement of what left"


def test_the_last_paths_end_in_the_impulses_of_the_real_step(pivoted):
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


def test_unknowns_are_named_in_words(pivoted):
    path = pivoted.paths[0]
    names = [path.name(v) for v in range(2 * len(path.unknowns) + 1)]
    assert len(set(names)) == len(names)
    pair = names[0].split("(")[1]
    assert names[0] == f"friction direction 1 of contact 0 ({pair}" and f"normal force of contact 0 ({pair}" in names
    assert f"gap of contact 0 ({pair}" in names and f"slip speed of contact 0 ({pair}" in names


def test_a_witness_changes_nothing(pivoted):
    world = pivoted.state.world()
    world.solver.witness = lambda seen: None
    step(world, DT)
    assert world.bodies.tobytes() == real(pivoted.state).bodies.tobytes()


def test_a_solver_without_either_is_told():
    class Odd:
        name, options = "odd", None

    state = state_of("pyramid", 1, width=2)
    scope = Microscope(State("x", state.snapshot.__class__(**{**state.snapshot.__dict__, "solver": Odd()}), DT))
    scope.run()
    assert scope.done and "neither sweeps nor pivots" in scope.problem


def test_the_state_is_handed_out_by_value():
    simulation, taken = Simulation("pyramid"), []
    simulation.step()
    simulation.hand_state(taken.append)
    before = taken[0].snapshot.tables[0].copy()
    simulation.step()
    assert taken[0].dt == simulation.dt and taken[0].snapshot.steps == 1
    assert taken[0].snapshot.tables[0].room.tobytes() == before.room.tobytes()


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
    person.session.post("set_parameter", "width", 3)
    person.session.post("single_step", 2)
    assert person.wait(lambda: person.session.frame.step == 2)
    person.window.gui.panels.open("microscope")
    person.look(6)
    yield person
    person.session.selection.contact = -1
    person.window.set_size(*size)
    person.look(3)


def scope_of(person):
    from app.panels.microscope import State as Shown

    return person.session.memory(Shown)


def frozen(person):
    """What is under the microscope, once it is all there."""
    state = scope_of(person)
    assert person.wait(lambda: state.scope is not None and state.scope.done
                       and state.scope.state.snapshot.steps == person.session.frame.step)
    person.look(3)
    return state


def test_a_paused_step_is_frozen_by_itself_and_the_next_one_too(seeing):
    state = frozen(seeing)
    assert state.scope.warm is not None and state.scope.cold is not None
    seeing.session.post("single_step", 1)
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
    seeing.click(next(s for s in fresh_spots(seeing) if s.endswith("/contact 3")), 0.05)
    assert seeing.session.selection.contact >= 0
    chosen, clicked = seeing.session.frame.contacts[seeing.session.selection.contact], state.scope.warm.start.contacts[3]
    assert all(chosen[field] == clicked[field] for field in ("shape_a", "shape_b", "feature"))
    assert seeing.wait(lambda: any(s.endswith("/disc") for s in fresh_spots(seeing)), 10.0)


def test_play_goes_through_the_sweeps_and_csv_is_saved(seeing, tmp_path, monkeypatch):
    state = frozen(seeing)
    last = state.scope.warm.last
    state.at = 0
    seeing.click("microscope/play")
    assert seeing.wait(lambda: state.at >= last and not state.playing, 0.5 * last + 5.0)
    monkeypatch.setattr(files, "documents", lambda: tmp_path)
    seeing.click("microscope/save")
    assert len(list(tmp_path.glob("pyramid-3-*.csv"))) == 1


def test_pivots_are_chosen_by_a_click(seeing):
    seeing.session.post("use_solver", "stewart_trinkle")
    seeing.session.post("single_step", 1)
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


def test_it_costs_little(seeing):
    import time

    from app.panels import microscope

    state = frozen(seeing)
    state.at = 1
    assert seeing.wait(lambda: state.scope.walk(1) is not None)
    took, draw = [], microscope.draw

    def timed(session):
        begin = time.perf_counter()
        draw(session)
        took.append(time.perf_counter() - begin)

    microscope.draw = timed
    try:
        seeing.look(40)
    finally:
        microscope.draw = draw
    assert len(took) >= 40 and min(took) < 1.5e-3
