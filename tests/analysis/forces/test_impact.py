"""Impacts step by step: T08's whole numbers, closed forms of balls, replays, speculative contacts, the panel."""

import itertools
import math
import re

import numpy as np
import pytest

from app.analysis.forces import impact as insight
from app.analysis.forces import impulse_plane
from app.camera import Camera
from app.engine import commands
from app.engine.frame import capture
from app.engine.observers.impact_history import (
    LATEST_IMPACTS,
    MAX_CONTACTS,
    MAX_STEPS_AROUND,
    STEPS_BESIDE,
    ImpactRecorder,
)
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.panels import impact as impact_panel
from app.render.overlays import speculative_contacts
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext
from app.render.scene.theme import theme
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions
from physics import Capsule, Plane, Sphere, World
from scenes.particle_and_wall import MOVING, TABLES, WALL
from tests.tools.person import fresh_spots

DT, G, MASS = 1.0 / 240.0, 9.81, 2.0
SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle")


def seen(simulation, steps):
    recorder = ImpactRecorder()
    commands.add_observer(simulation, recorder)
    for _ in range(steps):
        assert simulation.step()
    return recorder


def ball(solver, e, speed=3.0, height=0.115, steps=12, spin=0.0, mu=0.0, **options):
    """(recorder, simulation) of a ball of radius 0.1 that comes down on a floor at that speed from that height."""
    simulation = Simulation()
    world = World(gravity=(0.0, 0.0, -G))
    world.add_body(Plane(), kind="static", friction=mu, restitution=e, name="floor")
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, height), vel=(0.0, 0.0, -speed), omega=(0.0, spin, 0.0), mass=MASS, friction=mu,
                   restitution=e, name="ball")
    world.use_solver(solver)
    simulation.world, simulation.dt = world, DT
    for name, value in {"budget": 0.0, **options}.items():
        if hasattr(world.solver.options, name):
            setattr(world.solver.options, name, value)
    simulation.timeline.begin()
    return seen(simulation, steps), simulation


def blow(recorder):
    """(columns of the first impact's contact, the impact)."""
    steps = recorder.steps
    found = insight.impacts(steps)
    assert found
    return insight.step_columns(steps, found[0].key, found[0].first, 12), found[0]


@pytest.mark.parametrize("case", [WALL, MOVING])
def test_t08_example_in_whole_numbers(case):
    simulation = Simulation()
    simulation.load("particle_and_wall")
    commands.set_parameter(simulation, "case", case)
    recorder, known = seen(simulation, len(TABLES[case]["x"]) - 1), TABLES[case]
    columns, _ = blow(recorder)
    there = [c for c in columns if c.role]
    assert len(there) >= 3 and there[0].normal == known["lambda"][there[0].step] > 0
    wall = -1.0 if case == MOVING else 0.0
    for c in there:
        assert c.gap == known["psi"][c.step - 1] and c.gap_after == known["psi"][c.step]
        assert c.normal == known["lambda"][c.step] and c.friction == 0.0
        assert c.before == wall - known["v"][c.step - 1] and c.after == wall - known["v"][c.step]
        assert c.kinetic == 0.5 * known["v"][c.step] ** 2
    assert [c.role for c in there[:3]] == [insight.ANTICIPATES, insight.STOPS, insight.RESTS]
    assert there[0].after == -there[0].gap / simulation.dt
    if case == WALL:
        text = insight.describe_impact(columns, None)
        assert "Two steps" in text and "\u03bb = 4 N s" in text and "v = \u2212gap/h = \u22121 m/s" in text
        assert "\u03bb = 2 N s" in text


@pytest.mark.parametrize("solver", SOLVERS)
def test_consecutive_impact_steps_are_merged(solver):
    """What one step leaves is where the next begins, and the impulse is what changes the momentum."""
    recorder, _ = ball(solver, 0.0)
    columns = [c for c in blow(recorder)[0] if c.role]
    for one, then in itertools.pairwise(columns):
        assert then.before == pytest.approx(one.after, abs=1e-9)
        assert then.gap == pytest.approx(one.gap_after, abs=1e-9)
        assert MASS * (then.after - then.before) == pytest.approx(then.normal - MASS * G * DT, abs=1e-9)
        assert then.kinetic == pytest.approx(0.5 * MASS * then.after ** 2, abs=1e-12)


@pytest.mark.parametrize("solver", ["sequential_impulses", "stewart_trinkle"])
def test_without_rebound_two_steps_stop_a_ball(solver):
    columns, impact = blow(ball(solver, 0.0)[0])
    at = next(i for i, c in enumerate(columns) if c.step == impact.first)
    first, second = columns[at : at + 2]
    assert (first.role, second.role) == (insight.ANTICIPATES, insight.STOPS)
    assert first.gap > 1e-4 and first.after == pytest.approx(-first.gap / DT, rel=1e-9)
    assert abs(first.gap_after) < 1e-9 and abs(second.after) < 1e-9
    text = insight.describe_impact(columns, impact)
    assert "Two steps" in text and re.search(r"removes the velocity: .* N s, v = .* m/s\.$", text)
    assert columns[at - 1].role == insight.APART and columns[at + 2].role == insight.RESTS


@pytest.mark.parametrize("height", [0.1005, 0.106, 0.111, 0.115])
def test_description_matches_a_solver_that_splits_its_steps(height):
    """Wherever in the step the ball lands: no gap over the step is claimed where only a part of it was left."""
    columns, impact = blow(ball("soft_steps", 0.0, height=height)[0])
    struck = [c for c in columns if c.step >= impact.first and c.role in (insight.ANTICIPATES, insight.STOPS)]
    text = insight.describe_impact(columns, impact)
    assert sum(c.normal - MASS * G * DT for c in struck) == pytest.approx(-MASS * struck[0].before, rel=0.01)
    assert ("Two steps" in text) == (len(struck) == 2) and ("One step" in text) == (len(struck) == 1)
    assert abs(struck[-1].after) < 0.01 and "gap/h" not in text


@pytest.mark.parametrize("e", [1.0, 0.5])
@pytest.mark.parametrize("solver", SOLVERS)
def test_rebound_share_of_the_impulse(solver, e):
    """lambda = m (1 + e) V at the surface; of it 1 / (1 + e) stops the approach. Gravity within the step: less than g h."""
    columns, impact = blow(ball(solver, e)[0])
    turns = next(c for c in columns if c.role == insight.REBOUNDS)
    surface = math.sqrt(3.0 ** 2 + 2.0 * G * 0.015)
    slack = 1.5 * G * DT
    assert turns.after == pytest.approx(e * surface, abs=slack)
    assert impact.impulse == pytest.approx(MASS * (1.0 + e) * surface, abs=2.0 * MASS * slack)
    if turns.before < -0.9 * surface:
        assert turns.stops == pytest.approx(turns.normal / (1.0 + e), rel=0.03)
    assert turns.stops + turns.throws == pytest.approx(turns.normal) and turns.throws > 0.0


@pytest.mark.parametrize("law", ["Newton", "Poisson", "Stronge"])
def test_compression_and_restitution_where_slip_turns_into_stick(law):
    """Kane's puzzle: the impulses of the impulse plane, by Poisson's law 1 : e; and the speeds of the impact, not of the step."""
    simulation = Simulation("kane_impact")
    commands.set_parameter(simulation, "law", law)
    recorder = seen(simulation, 62)
    columns, impact = blow(recorder)
    turns = next(c for c in columns if c.role == insight.REBOUNDS)
    diagram = impulse_plane.plane(impulse_plane.find(recorder.steps, impact.key[:2], impact.first, impact.last))
    end = next(end for end in diagram.ends if end.chosen)
    assert end.law == law and turns.stops == pytest.approx(diagram.compression, rel=1e-6)
    assert turns.throws == pytest.approx(end.impulse[0] - diagram.compression, rel=1e-6)
    if law == "Poisson":
        assert turns.throws == pytest.approx(0.5 * turns.stops, rel=1e-6)
    text = insight.describe_impact(columns, impact)
    assert f"to {insight.number(end.normal)} m/s" in text and insight.number(turns.after) != insight.number(end.normal)


def test_a_rebound_over_a_gap_is_delayed():
    """Where e^2 of the drop is less than the gap that is left the gap is closed first: of a solver whose steps are not cut."""
    found = set()
    for height in np.linspace(0.1005, 0.108, 8):
        columns, impact = blow(ball("stewart_trinkle", 0.2, speed=0.6, height=float(height), rounds=1)[0])
        roles = [c.role for c in columns if c.step >= impact.first]
        found.add(roles[0])
        if roles[0] == insight.WAITS:
            assert roles[1] == insight.REBOUNDS and "delayed" in insight.describe_impact(columns, impact)
    assert {insight.WAITS, insight.REBOUNDS} <= found


@pytest.mark.parametrize("solver", SOLVERS)
def test_friction_of_a_spinning_ball_is_within_its_cone(solver):
    columns, impact = blow(ball(solver, 0.0, spin=60.0, mu=0.3)[0])
    joints_with_friction = [c for c in columns if c.step >= impact.first and c.friction > 0.0]
    assert joints_with_friction and joints_with_friction[0].case == "slide" and joints_with_friction[0].slip > 1.0
    assert all(c.friction <= 0.3 * c.normal * (1.0 + 1e-6) for c in joints_with_friction)


def test_the_recorder_follows_the_timeline():
    recorder, simulation = ball("sequential_impulses", 0.5, steps=30)
    before = {s.step: s.rows.tobytes() for s in recorder.steps}
    assert sorted(before) == list(range(1, 31))
    commands.go_to_step(simulation, 10)
    simulation.timeline.go_to_goal()
    assert {s.step: s.rows.tobytes() for s in recorder.steps} == before, "the future is still known"
    commands.set_gravity(simulation, (0.0, 0.0, -1.0))
    assert recorder.last == 10, "and is cut when it becomes another one"
    simulation.step()
    assert recorder.last == 11
    empty = ImpactRecorder()
    commands.add_observer(simulation, empty)
    commands.replay_last_steps(simulation, 8)
    assert simulation.world.steps == 11
    seen_again = {s.step: s.rows.tobytes() for s in empty.steps}
    assert set(range(4, 12)) <= set(seen_again)
    assert all(seen_again[k] == before[k] for k in range(4, 11))
    commands.remove_observer(simulation, empty)
    simulation.step()
    assert empty.last == 11 and recorder.last == 12


def test_the_latest_impacts_stay_recorded_with_the_steps_beside_them():
    """Whoever looks seconds later still finds the strip and the impulse plane of an impact; in the end the oldest go."""
    recorder, simulation = ball("sequential_impulses", 0.5, steps=700, mu=0.2, spin=5.0)
    first = insight.impacts(recorder.steps)[0]
    assert first.first + 400 < simulation.world.steps
    columns = insight.step_columns(recorder.steps, first.key, first.first, 12)
    assert [c.step for c in columns] == list(range(columns[0].step, columns[0].step + 12)) and columns[0].step < first.first
    record = impulse_plane.find(recorder.steps, first.key[:2], first.first, first.last)
    assert impulse_plane.plane(record).impulse[0] == pytest.approx(1.5 * MASS * math.sqrt(3.0**2 + 2.0 * G * 0.015))

    recorder, simulation = ball("sequential_impulses", 1.0, steps=6000)
    struck = [seen.step for seen in recorder.steps if len(seen.struck)]
    assert len(struck) >= LATEST_IMPACTS and struck[0] > 100
    assert len(recorder.steps) <= LATEST_IMPACTS * (2 * STEPS_BESIDE + 1) + 3 * MAX_STEPS_AROUND


def test_the_recorder_stops_when_it_is_not_read():
    _, simulation = ball("sequential_impulses", 0.5, steps=1)
    forgotten = ImpactRecorder(patience=-1.0)
    commands.add_observer(simulation, forgotten)
    simulation.step()
    assert forgotten not in simulation.observers.items and forgotten.empty


def test_a_failing_observer_is_removed():
    class Bad(ImpactRecorder):
        def on_step(self, simulation):
            raise ValueError("no")

    _, simulation = ball("sequential_impulses", 0.5, steps=1)
    commands.add_observer(simulation, Bad())
    assert simulation.step() and not any(isinstance(w, Bad) for w in simulation.observers.items)
    assert "Bad" in simulation.messages[-1]


def test_of_many_contacts_the_fastest_approaching_are_stored():
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.0)
    recorder = seen(simulation, 2)
    assert len(simulation.world.contacts) > MAX_CONTACTS and len(recorder.steps[-1].rows) == MAX_CONTACTS
    assert not insight.impacts(recorder.steps), "a pyramid at rest strikes nothing"


def drawn(simulation, before):
    """(marks, lines) of the overlay."""
    frame = capture(simulation.world, scene="", dt=simulation.dt, paused=True, before=before, pace=None)
    draw_list = DrawList(OverlayContext(frame, BodyTransforms(frame), ViewOptions(), theme("dark"), camera=Camera(), width=800,
                                        height=600))
    speculative_contacts.draw(draw_list.context, draw_list)
    return draw_list.array("marks"), draw_list.array("lines")


def stepped(simulation):
    """Poses before one step."""
    before = simulation.world.bodies["pos"].copy(), simulation.world.bodies["quat"].copy()
    assert simulation.step()
    return before


@pytest.mark.parametrize("solver", ["sequential_impulses", "stewart_trinkle"])
def test_speculative_contacts_are_drawn_before_touching(solver):
    """From the ball's lowest point down to where it would be, the surface between."""
    _, simulation = ball(solver, 0.0, steps=0)
    body = simulation.world.bodies[2]
    before = stepped(simulation)
    while body["pos"][2] - 0.1 + DT * body["vel"][2] >= 0.0:
        before = stepped(simulation)
    marks, lines = drawn(simulation, before)
    lowest, speed = body["pos"][2] - 0.1, body["vel"][2]
    assert lowest > 1e-4 and len(lines) == 2 * speculative_contacts.DASHES_PER_LINE
    assert marks[0, 2] == pytest.approx(lowest, abs=1e-6) and marks[1, 2] == pytest.approx(0.0, abs=1e-6)
    assert lines[:, [2, 6]].min() == pytest.approx(lowest + DT * speed, abs=1e-6)
    before = stepped(simulation)
    marks, lines = drawn(simulation, before)
    assert marks[0, 2] == pytest.approx(lowest, abs=1e-6), "the step in which it acted: from where it began"
    before = stepped(simulation)
    assert not len(drawn(simulation, stepped(simulation))[1]), "at rest nothing is anticipated"


def test_t08_particle_is_drawn_before_and_after_the_wall():
    simulation = Simulation("particle_and_wall")
    for _ in range(5):
        before = stepped(simulation)
    marks, lines = drawn(simulation, before)
    assert marks[:, 0] == pytest.approx([10.5, 11.5]), "x = 10 and 11, and the radius"
    assert lines[:, [0, 4]].max() == pytest.approx(15.5), "without the wall it would be at x = 15"


# ---- the panel


@pytest.fixture
def striking(person):
    person.window.gui.panels.open("impact")
    person.look(6)
    yield person
    person.window.gui.panels.all["impact"].open = False
    person.look(3)


def test_a_click_in_the_strip_goes_to_the_step(striking):
    striking.load("particle_and_wall")
    striking.session.post(Simulation.single_step, 8)
    assert striking.wait(lambda: striking.session.frame.step == 8)
    assert striking.wait(lambda: "impact/column 7" in fresh_spots(striking), 10.0)
    assert not striking.window.gui.panels.all["impact"].error
    striking.click("impact/column 4")
    assert striking.wait(lambda: striking.session.frame.step == 5 and striking.session.frame.paused)
    assert "impact/column 7" in fresh_spots(striking), "the steps after it are still there"
    striking.click("impact/impact")
    striking.click(next(name for name in fresh_spots(striking) if name.endswith("/impact 0")))
    assert striking.wait(lambda: "impact/story" in fresh_spots(striking))


def test_the_list_of_impacts_has_room_for_its_first_line(striking, monkeypatch):
    """In a language with long words and large letters it was cut."""
    widths, set_width = [], impact_panel.imgui.set_next_item_width
    monkeypatch.setattr(impact_panel.imgui, "set_next_item_width", lambda width: (widths.append(width), set_width(width))[1])
    monkeypatch.setattr(impact_panel, "NEWEST", "the newest of all impacts that there are")
    striking.load("particle_and_wall")
    striking.look(3)
    assert max(widths) >= widgets.combo_width(impact_panel.NEWEST) or max(widths) >= widgets.scaled(330.0)


def test_a_panel_opened_late_recomputes_the_last_steps(person):
    person.load("particle_and_wall")
    person.session.post(Simulation.single_step, 7)
    assert person.wait(lambda: person.session.frame.step == 7)
    person.window.gui.panels.open("impact")
    assert person.wait(lambda: "impact/column 6" in fresh_spots(person), 10.0)
    assert person.session.frame.step == 7
    person.window.gui.panels.all["impact"].open = False


@pytest.mark.parametrize(("slant", "spin", "some"), [(0.8, 3.0, True), (0.1, 0.0, False)])
def test_an_energy_limited_rebound_is_described(slant, spin, some):
    """Kane's puzzle: a slanting rod with much friction; and one that is nearly level, which keeps its restitution."""
    simulation, world, turn = Simulation(), World(gravity=(0.0, 0.0, 0.0)), 0.25 * math.pi - 0.5 * slant
    world.add_body(Plane(), kind="static", friction=1.0, restitution=0.95)
    world.add_body(Capsule(0.02, 0.3), pos=(0.0, 0.0, 0.02 + 0.3 * math.sin(slant)),
                   quat=(math.cos(turn), 0.0, math.sin(turn), 0.0), vel=(0.0, 0.0, -1.0),
                   omega=(0.0, -spin, 0.0), mass=1.0, friction=1.0, restitution=0.95)
    simulation.world, simulation.dt = world, DT
    simulation.timeline.begin()
    columns, impact = blow(seen(simulation, 3))
    assert ("Energy limits e to " in insight.describe_impact(columns, impact)) is some
    struck = next(c for c in columns if c.role == insight.REBOUNDS)
    assert struck.meant == 0.95 and (struck.restitution < 0.95) is some
