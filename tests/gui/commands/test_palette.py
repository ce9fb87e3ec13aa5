"""Command palette: search, keys and clicks."""

import pyglet
import pytest
from pyglet.window import key

import scenes
from app.gui.commands.actions import actions
from app.gui.commands.palette_entries import ACTION_WORDS, PANEL_WORDS, Setting, entries
from app.gui.controls.fuzzy_search import find, score, with_value
from app.i18n import translate
from app.panels.palette import PaletteState
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


@pytest.mark.parametrize(("typed", "label"), [
    ("full screen", "Presentation mode"), ("dark mode", "Next theme"), ("new box", "Add a body at the cursor"),
    ("import robot", "Open a scene file"), ("open urdf", "Open a scene file"), ("exit", "Quit"), ("font size", "Larger text"),
    ("export csv", "Panel Plot"), ("table of contacts", "Panel Contacts")])
def test_words_of_newcomers_find_what_they_mean(palette, typed, label):
    palette.write(typed)
    assert str(palette.session.state(PaletteState).found[0].label) == label


def test_words_of_newcomers_are_found_in_their_language(palette):
    translate.set_language("ru")
    try:
        palette.write("полный экран")
        assert palette.session.state(PaletteState).found[0].label == "Presentation mode"
    finally:
        translate.set_language("en")


def test_words_are_those_of_actions_and_panels_there_are(palette):
    assert set(ACTION_WORDS) <= set(actions()) and set(PANEL_WORDS) <= set(palette.window.gui.panels.all)


def enter(person):
    person.hit(key.RETURN)
    person.look(3)


@pytest.mark.parametrize(("typed", "scene"), [("incline", "incline"), ("eulers_disc", "eulers_disc"), ("pyramid", "pyramid")])
def test_a_scene_is_found_by_its_name(palette, typed, scene):
    assert scene in scenes.all_scenes()
    palette.write(typed)
    title = scenes.find(scene).title
    assert any(title in str(entry.label) for entry in palette.session.state(PaletteState).found[:5])


def test_enter_without_a_word_does_nothing(palette):
    before = palette.session.frame.setting.build
    enter(palette)
    assert palette.window.gui.panels.all["palette"].open and palette.session.frame.setting.build == before
    palette.hit(key.DOWN)
    palette.hit(key.UP)
    assert palette.session.state(PaletteState).typed.steered


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
    assert number.set_from_text("80").startswith("80 is out of range") and number.set_from_text("x") \
        and word.set_from_text("oval") and word.set_from_text("")
    assert not got
    assert number.set_from_text("7") == "" and word.set_from_text("poly") == "" and got == [7, "polygon"]


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


def at_once(person, *strokes):
    """Press keys between two pictures: (symbol, modifiers, the text that it types)."""
    for symbol, modifiers, text in strokes:
        for event, *args in (("on_key_press", symbol, modifiers), *([("on_text", text)] if text else []),
                             ("on_key_release", symbol, 0)):
            pyglet.event.EventDispatcher.dispatch_event(person.window, event, *args)
    person.look()


def switches(session):
    return {name: value for name, value in vars(session.view).items() if isinstance(value, bool)}


def letters(text):
    return [(key.SPACE if letter == " " else getattr(key, letter.upper()), 0, letter) for letter in text]


ENTER, ESC = (key.RETURN, 0, ""), (key.ESCAPE, 0, "")


def test_keys_typed_into_the_palette_reach_no_shortcut_at_two_pictures_a_second(person):
    """Everything between two pictures: opened, typed, chosen, closed, and a shortcut after it."""
    person.load("pyramid")
    session, state = person.session, person.session.state(PaletteState)
    session.view.names = session.view.wireframe = False
    before = switches(session)
    at_once(person, (key.P, key.MOD_CTRL, ""), *letters("names o"))
    assert state.typed.text == "names o" and person.window.gui.panels.all["palette"].open
    assert switches(session) == before and session.frame.paused, "no letter acted"
    at_once(person, ESC, (key.P, key.MOD_CTRL, ""), *letters("wireframe"), ENTER, *letters("i"))
    assert person.wait(lambda: session.view.wireframe and not person.window.gui.panels.all["palette"].open)
    changed = {name for name, value in before.items() if getattr(session.view, name) != value}
    assert changed > {"wireframe"}, "the key I after Enter is a shortcut again"
    at_once(person, *letters("i"))
    at_once(person, (key.W, key.MOD_ALT, ""))
    assert {name for name, value in before.items() if getattr(session.view, name) != value} == set()


def test_keys_typed_into_a_field_just_clicked_reach_no_shortcut(person):
    person.load("pyramid")
    session = person.session
    before = switches(session)
    x, y = person.spot("scenes/search scenes")
    for event in ("on_mouse_motion", x, y, 0, 0), ("on_mouse_press", x, y, 1, 0), ("on_mouse_release", x, y, 1, 0):
        pyglet.event.EventDispatcher.dispatch_event(person.window, *event)
    at_once(person, *letters("in the box"))
    from app.panels.scenes import ScenesState

    assert session.state(ScenesState).text == "in the box"
    assert session.frame.paused and switches(session) == before
    at_once(person, ESC, ESC, (key.SPACE, 0, " "))
    assert person.wait(lambda: not session.frame.paused), "the field is left: the key runs the scene"
    session.state(ScenesState).text = ""


def test_a_quantity_is_plotted_by_keyboard_alone(person):
    person.load("door")
    session = person.session
    at_once(person, (key.Q, key.MOD_ALT, ""), *letters("hinge angle"), ENTER, ESC)
    assert person.wait(lambda: "joint:hinge.angle" not in session.traces.keys), "it was plotted: Enter removes it"
    person.hit(key.Q, key.MOD_ALT)
    person.look(3)
    spots = fresh_spots(person)
    assert any("/quantity " in spot for spot in spots)
    person.write("door speed")
    person.hit(key.DOWN)
    person.hit(key.UP)
    person.hit(key.RETURN)
    assert person.wait(lambda: "body:door.speed" in session.traces.keys)
    person.hit(key.ESCAPE)
    person.look(3)
    assert not any("/quantity " in spot for spot in fresh_spots(person))
