"""Contact lens: numbers against closed forms and independent geometry, and the panel in the real window."""

import math

import numpy as np
import pytest
from pyglet.window import key

import scenes
from app.analysis.forces import contact_lens as lens
from app.engine import commands
from app.engine.frame import capture
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.text.chinese_lines import ELLIPSIS
from app.i18n import translate
from physics import Box, Material, Plane, World, step
from physics.contact.friction_cone import polygon, project
from tests.tools.person import fresh_spots

DT, G, MASS = 1.0 / 240.0, 9.81, 2.0
SOLVERS = ("sequential_impulses", "soft_steps", "stewart_trinkle")


def tilted(solver: str, angle: float, mu: float, facets: int = 8, steps: int = 60, **material: float):
    """(frame, facets of the cone) of a block on a plane under gravity that is tilted by the angle [deg]."""
    world = World(gravity=(G * math.sin(math.radians(angle)), 0.0, -G * math.cos(math.radians(angle))))
    material = Material(friction=mu, **material)
    world.add_body(Plane(), kind="static", material=material, name="floor")
    world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), mass=MASS, material=material, name="block")
    world.use_solver(solver)
    world.solver.options.facets = facets
    if hasattr(world.solver.options, "cone"):
        world.solver.options.cone = "polygon"
    for _ in range(steps):
        before = world.bodies["pos"].copy(), world.bodies["quat"].copy()
        step(world, DT)
    return capture(world, scene="tilted", dt=DT, paused=True, before=before, pace=None), lens.facets_of(world.solver)


def all_of(frame, facets):
    seen = [lens.contact_state(frame, i, facets) for i in range(len(frame.contacts))]
    assert seen and seen[0].pair == "block, floor"
    return seen


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_block_that_sticks_has_the_forces_of_statics(solver):
    angle, mu = 20.0, 0.5
    seen = all_of(*tilted(solver, angle, mu))
    weight, theta = MASS * G, math.radians(angle)
    pressing = [one for one in seen if one.state != "open"]
    assert sum(one.normal for one in seen) == pytest.approx(weight * math.cos(theta), rel=1e-6)
    along = sum(one.impulse[:2] @ np.array([lens.axes_of(c)[k, 0] for k in (0, 1)])
                for one, c in zip(seen, tilted(solver, angle, mu)[0].contacts)) / DT
    assert along == pytest.approx(weight * math.sin(theta), rel=1e-6), "on the floor: the weight's part along it"
    for one in pressing:
        assert math.hypot(*one.slip) < 1e-9 and one.mu == mu and one.used <= 1.0 + 1e-9
        assert all(abs(r.value) < 1e-9 for r in one.residuals)
        assert abs(one.gap) < 1e-4 and one.gap_at_end == (solver == "stewart_trinkle")
    assert "stick" in {one.state for one in pressing}


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_block_that_slides_uses_its_whole_bound_against_its_slip(solver):
    angle, mu, steps = 35.0, 0.3, 60
    seen = all_of(*tilted(solver, angle, mu, steps=steps))
    theta = math.radians(angle)
    speed = G * (math.sin(theta) - mu * math.cos(theta)) * steps * DT
    pressing = [one for one in seen if one.normal > 1e-6]
    assert pressing
    for one in pressing:
        assert one.state == "slide" and one.sign_case in (3, 5) and one.planar_case in (2, 3)
        assert one.used == pytest.approx(1.0, abs=1e-6) and one.friction == pytest.approx(one.bound, rel=1e-6)
        assert one.friction == pytest.approx(mu * one.normal, rel=1e-6), "along the first corner of the polygon"
        assert math.hypot(*one.slip) == pytest.approx(speed, rel=0.01)
        assert one.impulse[:2] @ one.slip == pytest.approx(-math.hypot(*one.impulse[:2]) * math.hypot(*one.slip))
        assert all(abs(r.value) < 1e-9 for r in one.residuals)


def test_the_use_of_a_pair_is_that_of_its_sums():
    """A block on an incline uses tan(angle) / mu of its friction, however its corners share the load."""
    angle, mu = 20.0, 0.6
    frame, facets = tilted("sequential_impulses", angle, mu)
    pair = lens.pair_use(frame, 0)
    assert pair.contacts == 4 and pair.share == pytest.approx(math.tan(math.radians(angle)) / mu, rel=1e-3)
    corners = [state.used for state in all_of(frame, facets)]
    assert max(corners) > 1.05 * pair.share, "a corner alone tells less"
    assert math.isnan(lens.PairUse(4, 0.0, 0.0).share)


def test_each_product_detects_a_violation_of_its_law():
    frame, facets = tilted("sequential_impulses", 35.0, 0.3)
    index = lens.choose_contact(frame)
    contact, whole = frame.contacts[index], lens.contact_state(frame, index, facets)
    c_n, speed = whole.impulse[2], math.hypot(*whole.slip)
    kept = contact.copy()
    contact["friction_impulse"] *= 0.5
    normal, direction, room = lens.contact_state(frame, index, facets).residuals
    assert abs(normal.value) < 1e-9 and abs(direction.value) < 1e-9
    assert room.value == pytest.approx(speed * 0.5 * 0.3 * c_n), "half of the bound is left while it slides"
    contact["friction_impulse"] = -kept["friction_impulse"]
    assert lens.contact_state(frame, index,
                              facets).residuals[1].value == pytest.approx(2.0 * speed * 0.3 * c_n), "friction that pushes on"
    frame.contacts[index] = kept
    contact["target"][0] = -0.25
    assert lens.contact_state(frame, index, facets).residuals[0].value == pytest.approx(0.25 * c_n, rel=1e-6)
    contact["impulse"] = 0.0
    opened = lens.contact_state(frame, index, facets)
    assert opened.state == "open" and math.isnan(opened.used) and opened.residuals[0].value == 0.0


@pytest.mark.parametrize("facets", [0, 2, 3, 4, 8, 9, 16])
def test_cone_use_is_that_of_the_polygon(facets):
    """e'beta is the least radius whose polygon holds the point: by the engine's own projection."""
    corners = polygon(facets)[:, :2] if facets > 2 else np.array([(1.0, 0.0), (-1.0, 0.0)])[:facets]
    for angle in np.linspace(0.0, 2.0 * math.pi, 41):
        point = (2.0 * math.cos(angle), 2.0 * math.sin(angle) if facets != 2 else 0.0)
        radius, product, slowness = lens.sliding(corners, point, (0.0, 0.0))
        assert product == slowness == 0.0
        table = polygon(facets) if facets else np.zeros((0, 4))
        outer, inner = project(table, radius * (1.0 + 1e-9) + 1e-12, *point), project(table, radius * 0.99, *point)
        assert math.dist(outer, point) < 1e-9 and (radius == 0.0 or math.dist(inner, point) > 1e-3 * radius)
        # the polygon gives away at most 1 - cos(pi / k), half way between corners
        if facets > 2:
            assert 2.0 <= radius * (1.0 + 1e-12) <= 2.0 / math.cos(math.pi / facets) * (1.0 + 1e-9)


def test_polygon_loss_follows_the_number_of_facets():
    frame, facets = tilted("sequential_impulses", 35.0, 0.3, facets=4)
    assert lens.contact_state(frame, 0, 4).loss == pytest.approx(1.0 - math.sqrt(0.5)) and facets == 4
    assert lens.contact_state(frame, 0, 8).loss == pytest.approx(0.0761, abs=1e-4) and lens.contact_state(frame, 0, 0).loss == 0.0
    around = lens.rim(0.5, 1.0, 4)
    middle = 0.5 * (around[0] + around[1])
    assert math.hypot(*middle[:2]) == pytest.approx(0.5 * (1.0 - lens.contact_state(frame, 0, 4).loss)) and middle[2] == 1.0
    np.testing.assert_allclose(around[0], around[-1])


def test_anisotropic_friction_is_less_across():
    assert lens.rim(0.6, 0.5, 8)[:, 1].max() == pytest.approx(0.3)
    for axis, mu in (((1.0, 0.0, 0.0), 0.6), ((0.0, 1.0, 0.0), 0.3)):
        frame, facets = tilted("sequential_impulses", 45.0, 0.6, anisotropy=0.5, axis=axis)
        seen = [one for one in all_of(frame, facets) if one.normal > 1e-6]
        for one in seen:
            assert one.anisotropy == 0.5 and one.used == pytest.approx(1.0, abs=1e-6)
            assert one.friction == pytest.approx(mu * one.normal, rel=1e-6)
            assert all(abs(r.value) < 1e-9 for r in one.residuals)


def test_oblique_slip_on_an_anisotropic_surface_breaks_no_law():
    frame, facets = tilted("sequential_impulses", 45.0, 0.6, facets=16, anisotropy=0.5, axis=(1.0, 0.6, 0.0))
    seen = [one for one in all_of(frame, facets) if one.normal > 1e-6]
    for one in seen:
        assert min(abs(one.slip)) > 0.1 * max(abs(one.slip)), "along neither axis"
        assert all(abs(r.value) < 1e-9 for r in one.residuals)
    assert seen


def test_the_shown_contact_is_the_selected_or_most_loaded_one():
    frame, _ = tilted("sequential_impulses", 20.0, 0.5)
    heaviest = int(np.argmax(frame.contacts["impulse"]))
    assert lens.choose_contact(frame) == lens.choose_contact(frame, body=1) == lens.choose_contact(frame, contact=99) == heaviest
    assert lens.choose_contact(frame, contact=2, body=1) == 2
    scene = scenes.find("pyramid")
    world = scenes.make_world(scene, scene.parameters())
    step(world, DT)
    many = capture(world, scene="pyramid", dt=DT, paused=True, before=(world.bodies["pos"], world.bodies["quat"]), pace=None)
    top = int(np.argmax(many.bodies["pos"][:, 2]))
    chosen = many.contacts[lens.choose_contact(many, body=top)]
    assert top in (chosen["body_a"], chosen["body_b"])


def test_odd_facets_are_shown_as_the_exact_solver_rounds_them():
    world = World()
    world.use_solver("stewart_trinkle")
    world.solver.options.facets = 7
    assert lens.facets_of(world.solver) == 8
    world.use_solver("sequential_impulses")
    world.solver.options.facets = 7
    assert lens.facets_of(world.solver) == 0, "round unless said"
    world.solver.options.cone = "polygon"
    assert lens.facets_of(world.solver) == 7


# ---- the panel


@pytest.fixture
def seeing(person):
    """With a window that has room, and the panel in front."""
    size = person.window.get_size()
    person.window.set_size(1700, 1000)
    person.window.gui.panels.show("contact_lens")
    person.look(6)
    yield person
    person.window.set_size(*size)
    person.session.selection.contact = -1
    person.look(3)


def drawn(person):
    return {name.removeprefix("contact_lens/"): box for name, box in fresh_spots(person).items()
            if name.startswith("contact_lens/")}


def in_large_text(person, monkeypatch, scene, times):
    """Show the third step of a scene in letters that were enlarged so many times; returns the texts shown from now on."""
    person.load(scene)
    person.session.post(Simulation.single_step, 3)
    assert person.wait(lambda: person.session.frame.step >= 3)
    person.window.set_size(1600, 1000)
    for _ in range(times):
        person.hit(key.EQUAL, key.MOD_CTRL)
    shown, cut = [], widgets.cut

    def noted(text, room=None):
        shown.append(cut(text, room))
        return shown[-1]

    monkeypatch.setattr(widgets, "cut", noted)
    return shown


def test_words_keep_their_room_in_large_text(seeing, monkeypatch):
    """Its names were drawn over by the bars beside them, and the list of contacts had room for three letters."""
    shown = in_large_text(seeing, monkeypatch, "diagonal_push", 5)
    try:
        seeing.look(6)
        boxes = drawn(seeing)
    finally:
        seeing.hit(key._0, key.MOD_CTRL)
    assert "used by the pair" in shown and not [text for text in shown if text.endswith(ELLIPSIS) and "used" in text]
    assert boxes["state"][1] >= boxes["contact"][3] and boxes["contact"][2] - boxes["contact"][0] > 250.0


def test_slip_is_named_in_whole_in_russian_and_large_letters(seeing, monkeypatch):
    shown = in_large_text(seeing, monkeypatch, "ladder", 6)
    try:
        translate.set_language("ru")
        seeing.look(6)
    finally:
        translate.set_language("en")
        seeing.hit(key._0, key.MOD_CTRL)
    slip = [text for text in shown if text.startswith("сколь")]
    assert slip and not [text for text in slip if text.endswith(ELLIPSIS)]


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_panel_shows_the_contact_of_every_solver(seeing, solver):
    seeing.load("incline")
    seeing.session.post(commands.use_solver, solver)
    seeing.session.post(Simulation.single_step, 3)
    assert seeing.wait(lambda: seeing.session.frame.step >= 3)
    wanted = {"contact", "state", "cone picture", "used", "slip", "friction cone", "normal error", "direction error"}
    assert seeing.wait(lambda: wanted <= set(drawn(seeing)), 5.0)
    boxes = drawn(seeing)
    assert boxes["cone picture"][2] <= boxes["contact"][0], "the cone beside the numbers"
    assert boxes["gap"][0] > boxes["normal"][2] + 50.0, "two columns of numbers"
    assert not any("T08" in name or "\u03b2" in name for name in boxes), "papers and formulas are in the tooltips"
    assert not seeing.window.gui.panels.all["contact_lens"].error


def test_a_contact_chosen_from_the_list_is_followed(seeing):
    seeing.load("incline")
    seeing.session.post(Simulation.single_step, 2)
    assert seeing.wait(lambda: seeing.session.frame.step >= 2)
    seeing.click("contact_lens/contact")
    seeing.look(3)
    seeing.click(next(name for name in fresh_spots(seeing) if name.endswith("contact=2")))
    assert seeing.session.selection.contact == 2
    seeing.session.post(Simulation.single_step, 2)
    assert seeing.wait(lambda: seeing.session.frame.step >= 4)
    assert seeing.session.selection.contact >= 0


def test_without_a_contact_the_panel_shows_a_sentence(seeing):
    seeing.load("pendulum")
    seeing.session.post(Simulation.single_step, 2)
    assert seeing.wait(lambda: seeing.session.frame.step >= 2)
    assert not len(seeing.session.frame.contacts)
    assert not drawn(seeing) and not seeing.window.gui.panels.all["contact_lens"].error


def test_drawing_time_is_small(seeing):
    from app.panels import contact_lens

    seeing.load("incline")
    seeing.session.post(Simulation.single_step, 3)
    assert seeing.wait(lambda: seeing.session.frame.step >= 3)
    state = seeing.session.state(contact_lens.ContactLensState)

    def as_new():
        state.frame = None

    assert seeing.cost_of_drawing(contact_lens, as_new) < 3.0
