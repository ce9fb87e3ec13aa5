"""Command palette: search, keys and clicks."""

import pytest
from pyglet.window import key

from app.gui.commands.palette_entries import Setting, entries
from app.gui.controls.fuzzy_search import find, score, with_value
from tests.tools.person import fresh_spots


@pytest.fixture
def palette(person):
    """Opened by its key over a paused pyramid, closed afterwards."""
    person.load("pyramid")
    person.hit(key.P, key.MOD_CTRL)
    person.look(3)
    assert "palette/search" in fresh_spots(person)
    yield person
    if person.window.gui.panels.all["palette"].open:
        person.hit(key.ESCAPE)
    assert not person.window.gui.panels.all["palette"].open


def enter(person):
    person.hit(key.RETURN)
    person.look(3)


@pytest.mark.parametrize(("text", "best"), [("iter", "Set iterations"), ("cones", "Cones"), ("steps soft", "Solver soft steps"),
                                           ("dmn", "Dominoes"), ("gravity", "Set gravity")])
def test_the_best_match_comes_first(text, best):
    names = ["Solver soft steps", "Cones", "Set iterations", "Dominoes", "Set gravity", "Friction cones", "Domes in a main"]
    assert find(names, text, str)[0] == best


def test_every_word_must_be_found():
    assert score(["solver", "xyz"], "solver soft steps") is None and find(["a", "b"], "", str) == ["a", "b"]
    assert find(["one", "two"], "spin", str, lambda name: "spins" if name == "two" else "") == ["two"]


@pytest.mark.parametrize(("typed", "parts"), [("iterations 80", ("iterations", "80")), ("gravity = -1,5", ("gravity", "-1,5")),
                                              ("st96", ("st96", "")), ("80", ("80", "")), ("", ("", ""))])
def test_a_number_after_a_name_is_its_value(typed, parts):
    assert with_value(typed) == parts


def test_values_are_validated():
    got = []
    number, word = Setting(5, got.append, 3, 64), Setting("a", got.append, choices=("circle", "polygon"))
    assert number.take("80").startswith("80 is out of range") and number.take("x") and word.take("oval") and word.take("")
    assert not got
    assert number.take("7") == "" and word.take("poly") == "" and got == [7, "polygon"]


def test_every_entry_is_listed_under_a_unique_name(person):
    person.load("pyramid")
    everything = entries(person.session)
    labels = [(entry.group, entry.label) for entry in everything]
    assert len(labels) == len(set(labels))
    for label in ("Run or pause", "Panel Physics", "Open Dominoes", "Solver soft steps", "Set gravity", "Cones"):
        assert any(entry.label == label for entry in everything), label


def test_a_value_typed_after_the_name(palette):
    palette.write("iterations 37")
    enter(palette)
    assert palette.wait(lambda: palette.session.simulation.world.solver.options.iterations == 37)
    assert not palette.window.gui.panels.all["palette"].open


def test_a_requested_value_is_refused_with_a_reason(palette):
    before = palette.session.simulation.world.solver.options.iterations
    palette.write("set iterations")
    enter(palette)
    palette.write("many")
    enter(palette)
    assert palette.session.simulation.world.solver.options.iterations == before
    assert palette.window.gui.panels.all["palette"].open
    for _ in "many":
        palette.hit(key.BACKSPACE)
    palette.look(2)
    palette.hit(key.A, key.MOD_CTRL)
    palette.write("44")
    enter(palette)
    assert palette.wait(lambda: palette.session.simulation.world.solver.options.iterations == 44)


def test_arrow_keys_and_clicks_choose_an_entry(palette):
    palette.write("cones")
    before = palette.session.view.cones
    palette.hit(key.DOWN)
    palette.hit(key.UP)
    enter(palette)
    assert palette.session.view.cones is not before
    palette.hit(key.P, key.MOD_CTRL | key.MOD_SHIFT)
    palette.look(2)
    palette.write("names")
    palette.click(next(spot for spot in fresh_spots(palette) if spot.endswith("/Names")))
    assert palette.session.view.names
    palette.session.view.names = False


def test_a_scene_is_opened(palette):
    palette.write("open dominoes")
    enter(palette)
    assert palette.wait(lambda: palette.session.frame.scene == "domino")


def test_a_click_outside_closes_the_palette_and_typing_triggers_no_shortcuts(palette):
    before = list(palette.session.simulation.world.body_names)
    palette.write("b")
    palette.send("on_key_press", key.B, 0)
    palette.send("on_key_release", key.B, 0)
    assert palette.session.simulation.world.body_names == before
    x, y = palette.spot("physics/gravity", 0.01)
    palette.press(x, y)
    palette.release(x, y)
    palette.look(3)
    assert not palette.window.gui.panels.all["palette"].open
