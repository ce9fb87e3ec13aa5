"""Scene picker: search, categories, keys, clicks; missing or damaged pictures."""

import pytest
from pyglet.window import key

import app.panels.picker as picker
import scenes
from app.gui.controls import textures
from tests.tools.person import fresh_spots


@pytest.fixture
def picking(person):
    person.load("pyramid")
    person.hit(key.O, key.MOD_ALT)
    person.look(3)
    assert "picker/search" in fresh_spots(person)
    yield person
    if person.window.gui.panels.all["picker"].open:
        person.hit(key.ESCAPE)
        person.look(2)


def state(person):
    return person.session.state(picker.PickerState)


def names(person):
    return [name for name, _ in state(person).found]


def test_search_and_categories():
    rows = list(scenes.all_scenes().items())
    assert picker.matching(rows, "domino", picker.ALL_CATEGORIES)[0][0] == "domino"
    assert {scene.category for _, scene in picker.matching(rows, "", "Stacks")} == {"Stacks"}
    assert not picker.matching(rows, "no such words", picker.ALL_CATEGORIES)
    assert len(picker.matching(rows, "", picker.ALL_CATEGORIES)) == len(rows)


def test_the_picker_opens_on_the_present_scene(picking):
    assert names(picking)[state(picking).typed.at] == "pyramid"
    assert set(names(picking)) == set(scenes.all_scenes())


def test_typed_words_and_enter_open_a_scene(picking):
    picking.write("ten boxes")
    assert names(picking)[0] == "stack"
    picking.hit(key.RETURN)
    assert picking.wait(lambda: picking.session.frame.scene == "stack")
    assert not picking.window.gui.panels.all["picker"].open


def test_arrow_keys_move_through_the_cards(picking):
    at = state(picking).typed.at
    picking.hit(key.UP)
    assert state(picking).typed.at < at - 1, "a row up is several cards"
    before = state(picking).typed.at
    picking.hit(key.RIGHT)
    picking.hit(key.LEFT)
    picking.hit(key.LEFT)
    assert state(picking).typed.at == before - 1


def test_a_category_and_a_double_click(picking):
    picking.click("picker/Stacks")
    assert {scenes.find(name).category for name in names(picking)} == {"Stacks"}
    picking.click("picker/stack")
    assert picking.window.gui.panels.all["picker"].open, "one click only chooses"
    picking.look(40)
    x, y = picking.spot("picker/stack")
    for _ in range(2):
        picking.press(x, y)
        picking.release(x, y)
    assert picking.wait(lambda: picking.session.frame.scene == "stack")


@pytest.mark.parametrize("content", [None, b"", b"no picture at all"])
def test_a_missing_or_damaged_picture_does_not_matter(picking, monkeypatch, tmp_path, content):
    if content is not None:
        (tmp_path / "x.png").write_bytes(content)
    monkeypatch.setattr(picker, "scene_picture", lambda name: tmp_path / "x.png")
    textures.cached.pop(tmp_path / "x.png", None)
    picking.look(4)
    assert textures.cached[tmp_path / "x.png"] is None
    assert picking.window.gui.panels.all["picker"].open and not picking.window.gui.panels.all["picker"].error


def test_pictures_that_are_no_longer_seen_are_deleted(picking, monkeypatch):
    """All that were ever seen stayed on the graphics card."""
    def pictures(category):
        picking.click(f"picker/{category}")
        picking.look(len(names(picking)) + 2)
        assert all(textures.cached.values())
        return {path.stem for path in textures.cached}

    textures.release()
    monkeypatch.setattr(textures, "UNSEEN_FRAMES", 1)
    stacks, robots = pictures("Stacks"), pictures("Robots")
    assert robots == set(names(picking)) and stacks.isdisjoint(robots)
    monkeypatch.setattr(textures, "UNSEEN_FRAMES", 1000)
    assert pictures("Stacks") == stacks | robots, "what was seen a moment ago may be seen again"


def test_every_scene_has_its_picture():
    from app.files.folders import scene_picture

    missing = [name for name in scenes.all_scenes() if not scene_picture(name).is_file()]
    assert not missing, "`stiction pictures` draws them"
