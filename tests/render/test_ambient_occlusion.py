"""Ambient occlusion between bodies and on the floor, as numbers in pictures without a window."""

from dataclasses import replace

import numpy as np
import pytest

from app.render.opengl.uniforms import SUN
from tests.tools.handmade import FLOOR, ONE, D, H, S, W, at, camera, frame, shoot


@pytest.fixture
def patient(monkeypatch):
    """However long a picture takes, the next one is drawn as finely."""
    from app.render.opengl import quality_policy
    monkeypatch.setattr(quality_policy, "PICTURE_TIME", 1e9)


@pytest.fixture(params=["high", "low"])
def plain(stage, request, patient):
    """(a picture, a renderer, one that finds nothing of what is near): of each quality, drawn in full."""
    from app.render.opengl.renderer import Renderer
    stage[0].begin()
    renderers = Renderer(request.param), Renderer(request.param)
    renderers[1].fine = replace(renderers[1].fine, taps=(*renderers[1].fine.taps[:3], 0))
    for renderer in renderers:
        renderer.detail.level = 0
    yield stage[0], *renderers
    for renderer in renderers:
        renderer.delete()


def steps(size=1.0):
    """A box on a wider one, far from the floor: a corner that looks up, in the sun."""
    boxes = np.array([[(1.0, 1.0, 0.4), (0, 0, 0.4)], [(0.5, 0.5, 0.5), (0, 0.5, 1.3)]]) * size
    return frame([("box", *box, ONE, D) for box in boxes])


@pytest.mark.parametrize("size", [0.01, 1.0, 300.0])
@pytest.mark.parametrize("flat", [False, True])
def test_ambient_occlusion_darkens_corners_only(plain, flat, size):
    picture, with_it, without = plain
    cam = camera(target=np.array([0.0, 0.0, 0.8 * size]), azimuth=0.0, elevation=40.0, distance=6.0 * size, flat=flat)
    for count in (1, 4):                                                 # that low quality sees it rest
        change = [[shoot((picture, renderer), steps(size), cam, theme="light") for _ in range(count)][-1]
                  for renderer in (without, with_it)]
        taken = (change[0] - change[1]).mean(axis=2)
        if with_it.quality == "low" and count == 1:
            assert not taken.any()                                       # while things move the processor does without
    for near in ((0.0, -0.03, 0.8), (0.0, 0.0, 0.85)):
        assert at(taken, cam, np.array(near) * size) > 12
    for far in ((0.0, -0.85, 0.8), (0.0, 0.5, 1.8), (0.0, -1.0, 0.4)):
        assert at(taken, cam, np.array(far) * size) < 4
    assert np.ptp(taken) < 130 and np.isfinite(taken).all()
    assert np.abs(taken[:10]).max() < 1.5                                # nothing is near the sky


def test_a_picture_in_a_corner_of_the_window_is_the_same(stage):
    from app.render.opengl.offscreen import Offscreen
    f, size, corner = steps(), (W - 90, H - 50), (90, 50)
    with Offscreen(*size) as small:
        alone = shoot((small, stage[1]), f, None, size)
    beside = shoot(stage, f, None, size, {"corner": corner})
    assert np.abs(beside[: size[1], corner[0]:] - alone).max() <= 4           # but for the grain


@pytest.mark.parametrize("quality", ["high", "low"])
def test_occlusion_of_the_floor_fades_smoothly(stage, quality, patient):
    from app.render.opengl.renderer import Renderer
    stage[0].begin()
    renderer = Renderer(quality)
    renderer.detail.level = 0
    f = frame([FLOOR, ("box", (1.5, 0.1, 0.8), (0, 0, 0.8), ONE, S)])
    cam = camera(azimuth=0.0, elevation=70.0, distance=9.0, target=np.array([0.4, -0.9, 0.0]))
    assert SUN[1] < 0                                                    # no shadow of the sun on this side
    pixels = [[shoot((stage[0], renderer), f, cam, theme="light", shadows=on) for _ in range(5)][-1] for on in (True, False)]
    renderer.delete()
    taken = (pixels[1] - pixels[0]).mean(axis=2)
    away = np.array([at(taken, cam, (0.43, -0.15 - y, 0.0)) for y in np.linspace(0.0, 2.0, 60)])
    along = np.array([at(taken, cam, (x, -0.5, 0.0)) for x in np.linspace(-0.6, 0.6, 40)])
    smooth = np.convolve(away, np.ones(3) / 3.0, mode="valid")
    assert away[1] > 10 and abs(away[-5:]).max() < 2
    assert np.abs(np.diff(smooth)).max() < 3.0 and np.ptp(along) < 4.0
