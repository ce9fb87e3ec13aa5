"""Themes: contrast of text by WCAG 2.2, and contact states distinguishable for colour-blind users."""

from itertools import combinations

import numpy as np
import pytest

from app.gui.controls.style import PALETTES
from app.render.scene.labels import PlacedLabel
from app.render.scene.theme import THEMES, linear
from app.render.view_options import ViewOptions
from physics import fields

LEAST = {"dark": 4.5, "light": 4.5, "contrast": 7.0}

EYES = {    # Machado, Oliveira and Fernandes 2009, table 1, severity 1, on linear RGB
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]}


def luminance(colour):
    return float(linear(colour[:3]) @ (0.2126, 0.7152, 0.0722))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def lab(rgb):
    """CIE 1976 L*a*b* (D65) of linear RGB."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0.0, 1.0)
    t = xyz / (0.9505, 1.0, 1.089)
    x, y, z = np.where(t > (6 / 29) ** 3, np.cbrt(t), t / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])


def test_contrast_ratio():
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21.0)
    assert contrast((0x76 / 255,) * 3, (1, 1, 1)) == pytest.approx(4.54, abs=0.01)      # known from WCAG's examples
    assert lab(np.ones(3)) == pytest.approx((100.0, 0.0, 0.0), abs=0.05)


@pytest.mark.parametrize("name", LEAST)
def test_text_is_legible_on_all_backgrounds(name):
    p = PALETTES[name]
    pairs = [(text, ground) for text in ("text", "dim", "warn", "bad", "good", "accent_strong") for ground in ("panel", "bar")]
    pairs += [("text", ground) for ground in ("field", "field_hover", "field_active")]
    pairs += [("on_accent", "accent"), ("on_accent", "accent_hover")]
    for text, ground in pairs:
        assert contrast(getattr(p, text), getattr(p, ground)) >= LEAST[name], f"{text} on {ground}"
    assert contrast(p.text, p.panel) >= 7.0


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", LEAST)
def test_stick_slip_and_open_are_distinguishable(name, eye):
    """By a CIE76 distance of 20; two is what can just be seen. Their shapes differ, too: square, arrow, ring."""
    seen = {case: lab(np.array(EYES[eye]) @ linear(getattr(THEMES[name], case))) for case in ("stick", "slip", "open")}
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 20.0, f"{one} and {other}"


def test_every_theme_has_colours_for_window_and_scene():
    choices = next(f for f in fields(ViewOptions) if f.name == "theme").metadata["choices"]
    assert set(choices) == set(PALETTES) == set(THEMES) == set(LEAST)


@pytest.mark.parametrize(("scale", "framebuffer", "expected"), [
    (1.0, 1.0, 1.0), (2.0, 1.0, 2.0),   # Windows, X11: a window counts pixels, and a dense screen has a scale
    (2.0, 2.0, 1.0),                    # macOS: a window counts points, the framebuffer has twice as many pixels
    (1.5, 1.0, 1.5), (0.5, 1.0, 0.75)])
def test_the_gui_scales_with_the_screen_density(scale, framebuffer, expected):
    from types import SimpleNamespace

    from app.window import Window

    size = (1600, 1000)
    window = SimpleNamespace(get_size=lambda: size, scale=scale,
                             get_framebuffer_size=lambda: tuple(round(framebuffer * n) for n in size))
    assert Window.gui_scale.fget(window) == pytest.approx(expected)


def test_zoom_keys_scale_text_and_panels(window):
    from pyglet.window import key

    from tests.tools.person import Person, fresh_spots

    def height(person):
        _, top, _, bottom = fresh_spots(person)["top/reset"]
        return bottom - top

    person, scale = Person(window, window.session), window.gui.scale
    window.renderer.draw = lambda *args, **kwargs: PlacedLabel()
    person.look(4)
    before = height(person)
    for _ in range(3):
        person.hit(key.EQUAL, key.MOD_CTRL)
    person.look(3)
    assert window.gui.scale == pytest.approx(scale * 1.1**3, rel=1e-3)
    assert height(person) > 1.2 * before
    person.hit(key._0, key.MOD_CTRL)
    assert window.gui.scale == pytest.approx(window.gui_scale)
