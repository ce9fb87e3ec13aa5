"""Shared fixtures of rendering tests."""

import pytest

from tests.tools.handmade import H, W


@pytest.fixture(scope="module")
def stage():
    """A context, a picture to draw into, a renderer."""
    from app.render.opengl.offscreen import NoGraphics, Offscreen
    try:
        picture = Offscreen(W, H)
    except NoGraphics as error:
        pytest.skip(str(error))
    from app.render.opengl.renderer import Renderer
    renderer = Renderer("high")
    yield picture, renderer
    renderer.delete()
    picture.close()
