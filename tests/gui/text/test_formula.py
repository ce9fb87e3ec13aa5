"""Formulas are rendered under any locale, and the process's locales stay as they are."""

import os
import sys

import pytest
from imgui_bundle import imgui

import scenes
from app.gui.text import formula, temporary_locale
from app.gui.text.paragraph import paragraph


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere MicroTeX has the locale or has none to lend")
def test_the_law_of_every_scene_is_rendered(person):
    gui = person.window.gui
    gui.begin(0.01)
    imgui.begin("formulas")
    try:
        formula.failed.clear()
        for scene in scenes.all_scenes().values():
            formula.draw(scene.law, scene.law_text)
        assert not formula.failed
    finally:
        imgui.end()
        gui.end()


def test_a_paragraph_with_a_formula_keeps_the_distance_to_what_follows(person):
    """A lesson's button touched the last line of its step."""
    gui, gaps = person.window.gui, []
    gui.begin(0.01)
    imgui.begin("paragraphs")
    try:
        for text in ("A plain word", "The angle $\\theta$ of the bench"):
            paragraph(text)
            gaps.append(imgui.get_cursor_screen_pos().y - imgui.get_item_rect_max().y)
        assert gaps[0] == gaps[1] == imgui.get_style().item_spacing.y
    finally:
        imgui.end()
        gui.end()


def test_the_locale_environment_is_restored(monkeypatch):
    monkeypatch.delenv("LOCPATH", raising=False)
    with temporary_locale.temporary_locale():
        pass
    assert "LOCPATH" not in os.environ


def test_without_a_writable_folder_formulas_are_text(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(temporary_locale, "user_cache_path", lambda name: tmp_path / "file")
    temporary_locale.locale_folder.cache_clear()
    assert temporary_locale.locale_folder() is None
    temporary_locale.locale_folder.cache_clear()


def test_a_long_law_is_broken_into_lines(person, monkeypatch):
    gui, seen = person.window.gui, []
    monkeypatch.setattr(formula.imgui, "image", lambda texture, size: seen.append((size.x, size.y)))
    scene = scenes.find("four_balls")
    gui.begin(0.01)
    imgui.set_next_window_size(imgui.ImVec2(330.0, 600.0))
    imgui.begin("narrow")
    try:
        height, room = imgui.get_font_size(), imgui.get_content_region_avail().x
        formula.draw(scene.law, scene.law_text)
    finally:
        imgui.end()
        gui.end()
    assert len(seen) == 4 and all(size[0] <= room + 1.0 and size[1] > 0.8 * height for size in seen)
