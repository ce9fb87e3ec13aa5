"""Main views of the window against stored references; pictures are kept in tests/artefacts."""

import numpy as np
import pytest

from app.render.opengl.offscreen import write_png
from tests import views


@pytest.fixture(scope="module")
def seat():
    from app.render.opengl.offscreen import NoGraphics

    try:
        with views.seat() as person:
            yield person
    except NoGraphics as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", views.VIEWS)
def test_views_match_their_references(seat, name):
    picture = views.shot(seat, name)
    write_png(views.artefacts() / f"{name}.png", picture)
    assert picture.shape[:2] == views.SIZE[::-1]
    assert not [panel.name for panel in seat.window.gui.panels.all.values() if panel.error]
    wanted = views.read(views.reference(name)).astype(float)
    assert views.alike(views.blocks(picture), wanted), (
        f"{views.apart(views.blocks(picture), wanted)}: look at {views.artefacts() / name}.png; if it is right, "
        f"`python -m tests.views --write {name}` renews the reference")


def test_an_empty_panel_is_detected(seat, monkeypatch):
    import app.panels.physics as emptied

    whole = views.blocks(views.shot(seat, "pyramid"))
    assert views.alike(views.blocks(views.shot(seat, "pyramid")), whole)
    monkeypatch.setattr(emptied, "draw", lambda session: None)
    assert not views.alike(views.blocks(views.shot(seat, "pyramid")), whole)


def test_overlapping_text_is_detected_and_driver_differences_are_not():
    rng = np.random.default_rng(3)
    picture = np.full((400, 640, 3), 24.0)
    for line in range(10):
        row = 20 + 26 * line
        picture[row : row + 12, 20:220] = np.where(rng.random((12, 200, 1)) < 0.35, 220.0, 24.0)
    whole = views.blocks(picture)
    shifted = 0.5 * picture + 0.5 * np.roll(picture, 1, axis=1)
    assert views.alike(views.blocks(shifted + rng.normal(0.0, 4.0, picture.shape)), whole)
    doubled = picture.copy()
    doubled[:260, 20:220] = np.maximum(doubled[:260, 20:220], np.roll(picture, 13, axis=0)[:260, 20:220])
    assert not views.alike(views.blocks(doubled), whole)
