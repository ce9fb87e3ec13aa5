"""Preview of the body that the menu would add, at its exact pose."""

import numpy as np
import pytest
from pyglet.window import key, mouse

from app.analysis.editing import shape_sizes
from app.gui.fields.new_body import Adding
from app.render import overlays
from app.render.scene.overlay_context import OverlayContext, PreviewGhost
from app.render.scene.theme import DARK, linear
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions
from tests.tools.handmade import BALL, FLOOR, OFF, frame
from tests.tools.person import fresh_spots, label, living, menu_at, on_the_ground


def test_previews_of_new_bodies_are_ghosts_of_their_shape():
    f = frame([FLOOR, BALL])
    some = (PreviewGhost("box", (0.1, 0.2, 0.3), (1.0, 2.0, 3.0), opacity=0.5),
            PreviewGhost("sphere", (0.4, 0.0, 0.0), (0.0, 0.0, 5.0)))
    seen = OverlayContext(f, BodyTransforms(f), ViewOptions(**OFF), DARK, ghosts=some)
    ghost = overlays.draw(seen).ghost
    assert [f.shape_kinds[kind] for kind in ghost.placed.kind] == ["box", "sphere"]
    assert ghost.placed.pos.tolist() == [[1.0, 2.0, 3.0], [0.0, 0.0, 5.0]] and ghost.placed.dims[0].tolist() == [0.1, 0.2, 0.3]
    assert ghost.instances[0, 3] == 0.5 and np.allclose(ghost.instances[:, 12:15], linear(np.array(DARK.accent)), atol=1e-6)
    assert sum(len(which) for _, _, which in ghost.placed.groups()) == 2
    assert ghost.placed.radii() == pytest.approx([np.linalg.norm((0.1, 0.2, 0.3)), 0.4], rel=0.8)
    assert overlays.draw(OverlayContext(f, BodyTransforms(f), ViewOptions(**OFF), DARK)).ghost is None


@pytest.fixture
def scene(person):
    person.load("pyramid")
    person.forget(Adding)
    person.look(3)
    yield person
    person.window.gui.close_popup()
    person.look(2)


def coming(session):
    return [one for one in session.ghosts if isinstance(one, PreviewGhost)]


def test_a_new_body_appears_at_its_preview(scene):
    person, session = scene, scene.session
    before = set(living(session).tolist())
    assert not coming(session)
    menu_at(person, *on_the_ground(person))
    (seen,) = coming(session)
    assert seen.kind == session.state(Adding).new_shape.kind
    session.state(Adding).new_shape.kind = "cylinder"
    person.look(2)
    (seen,) = coming(session)
    assert seen.kind == "cylinder" and seen.dims == shape_sizes.NewShape("cylinder", 0.3).shape().dims
    person.click(label(person, "add"))
    assert person.wait(lambda: len(living(session)) == len(before) + 1)
    person.look(2)
    assert not coming(session), "it is there"
    new = (set(living(session).tolist()) - before).pop()
    assert np.allclose(session.frame.bodies["pos"][new], seen.pos)
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: len(living(session)) == len(before))


def test_the_preview_is_drawn_until_the_menu_closes(scene):
    person, window, session = scene, scene.window, scene.session
    person.see()
    person.look(3)
    plain = window.picture().astype(int)
    menu_at(person, *on_the_ground(person))
    session.state(Adding).new_shape.size = 0.6
    person.look(3)
    left, top, width, height = window.gui.panels.centre
    (seen,) = coming(session)
    across, up, _ = session.camera.project(np.array([np.add(seen.pos, (0.0, 0.0, 0.25))]), width, height)[0]
    row, column = round(top + height - up), round(left + across) - 3      # near its top, left of the menu's corner

    def changed(picture):
        return np.abs(picture.astype(int) - plain).sum(axis=2)[row - 2 : row + 3, column - 4 : column].mean()

    assert changed(window.picture()) > 20
    person.hit(key.ESCAPE)
    person.look(3)
    assert not coming(session) and changed(window.picture()) < 5


def test_the_preview_rests_on_the_surface_of_a_body(scene):
    person, session = scene, scene.session
    top = max(living(session).tolist(), key=lambda i: session.frame.bodies["pos"][i][2])
    menu_at(person, *person.body_at(top))
    assert not coming(session), "first comes what can be done with the body"
    entry = next(name for name in fresh_spots(person) if name.endswith("/Add on it"))
    x, y = person.spot(entry)
    person.press(x, y, mouse.LEFT)
    person.release(x, y, mouse.LEFT)
    person.look(5)
    (seen,) = coming(session)
    adding = session.state(Adding)
    assert adding.body == top and 0.1 < (np.array(seen.pos) - adding.point) @ adding.normal < 0.3
