"""Stretching hulls, meshes and height fields: mass, inertia and contacts equal those of the stretched shape."""

import itertools

import numpy as np
import pytest
from pyglet.window import key

from app.analysis.editing import shape_sizes
from app.engine import commands
from app.engine.simulation import Simulation
from app.engine.undo import edit_list
from app.gui.viewport.hidden_bodies import Hidden, visible
from app.gui.viewport.transform_tools import Tool
from app.render.scene.overlay_context import PreviewGhost
from app.session import Selection
from physics import BadInput, Box, Capsule, HeightField, Hull, TriangleMesh
from physics.core.quaternions import rotate
from physics.core.records import Kind
from physics.world import queries
from tests.helpers import authored
from tests.tools.person import drag_handle

FACTORS = (2.0, 0.5, 1.5)
CORNERS = np.array(list(itertools.product((-0.2, 0.2), (-0.3, 0.3), (-0.1, 0.1))))


def ground():
    simulation = Simulation("pyramid")
    commands.set_option(simulation, "budget", 0.0)
    for body in np.flatnonzero(simulation.world.bodies["kind"] == Kind.DYNAMIC).tolist():
        simulation.world.remove_body(body)
    simulation.edits = edit_list.EditList()
    simulation.timeline.begin()
    return simulation


def added(simulation, shape, kind="dynamic", pos=(0.0, 0.0, 3.0), **more):
    return simulation.world.add_body(shape, kind=kind, pos=pos, **more)


def test_a_hull_of_a_box_becomes_the_stretched_box():
    """Closed form: m = 8 rho a b c, I_x = m (b^2 + c^2) / 3."""
    simulation = ground()
    body = added(simulation, Hull(CORNERS), density=700.0)
    commands.stretch(simulation, body, FACTORS)
    b, (x, y, z) = simulation.world.bodies[body], np.array([0.2, 0.3, 0.1]) * FACTORS
    assert b["mass"] == pytest.approx(700.0 * 8.0 * x * y * z, rel=1e-12)
    expected = b["mass"] / 3.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
    assert np.allclose(b["inertia"], expected, rtol=1e-12, atol=1e-12) and np.allclose(b["inv_inertia"] @ expected, np.eye(3))
    assert b["pos"].tolist() == [0.0, 0.0, 3.0]
    name = simulation.world.body_names[body]
    assert simulation.edits.done[-1].text == f"size of {name}: (0.2, 0.3, 0.1) -> (0.4, 0.15, 0.15) m"


def test_it_is_the_hull_of_the_stretched_points_also_rounded_and_turned():
    points = np.random.default_rng(5).normal(size=(14, 3)) * (0.3, 0.2, 0.4)
    for rounding in (0.0, 0.05):
        simulation, quat = ground(), np.array([0.5, 0.5, -0.5, 0.5])
        before = Hull(points, rounding)
        body = added(simulation, before, quat=tuple(quat))
        commands.stretch(simulation, body, FACTORS)
        world, whole = simulation.world, Hull((before.hull.points - before.centre) * FACTORS, rounding)
        b, shape = world.bodies[body], world.shapes[world.shapes["body"] == body][0]
        own = world.pool.data(shape["geometry"])
        assert b["mass"] == pytest.approx(1000.0 * whole.volume(), rel=1e-9)
        assert np.allclose(b["inertia"], whole.inertia(float(b["mass"])), rtol=1e-9, atol=1e-12)
        turn = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
        placed = np.sort((own.vertices @ turn.T + b["pos"]).round(9), axis=0)
        expected = np.sort(((before.hull.points - before.centre) * FACTORS @ turn.T + (0.0, 0.0, 3.0)).round(9), axis=0)
        assert np.allclose(placed, expected), "its points are where stretching about the body's place puts them"
        assert shape["rounding"] == rounding and np.allclose(shape["dims"], whole.dims)


def test_a_stretched_hull_rests_like_a_box_of_that_size():
    ends = []
    for made in (Hull(CORNERS), Box((0.4, 0.15, 0.15))):
        simulation = ground()
        body = added(simulation, made, pos=(0.0, 0.0, 0.5))
        if isinstance(made, Hull):
            commands.stretch(simulation, body, FACTORS)
        for _ in range(200):
            simulation.step()
        ends.append(simulation.world.bodies["pos"][body].copy())
    assert ends[0][2] == pytest.approx(0.15, abs=2e-3) and np.allclose(*ends, atol=1e-3)


@pytest.mark.parametrize(("shape", "height"), [
    (TriangleMesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0.4), (-1, 1, 0.4)], [(0, 1, 2), (0, 2, 3)]), lambda y: 0.2 + 0.2 * y),
    (HeightField([[0.0, 0.4], [0.0, 0.4]], (2.0, 2.0)), lambda y: 0.2 + 0.2 * y)])
def test_surfaces_are_stretched_about_their_origin(shape, height):
    """A slope z = 0.2 + 0.2 y over the square from -1 to 1, seen by rays from above."""
    simulation = ground()
    body = added(simulation, shape, kind="static", pos=(20.0, 10.0, 2.0))
    commands.stretch(simulation, body, FACTORS)
    for x, y in ((0.1, 0.2), (1.9, 0.4), (-1.5, -0.45), (2.1, 0.0), (0.0, 0.6)):
        hit = queries.CollisionQuery(simulation.world).ray(np.array([[20.0 + x, 10.0 + y, 9.0]]), np.array([[0.0, 0.0, -1.0]]))
        z = 9.0 - float(hit.distance[0])
        inside = abs(x) <= 2.0 and abs(y) <= 0.5
        assert z == pytest.approx(2.0 + 1.5 * height(y / 0.5) if inside else 0.0, abs=1e-9), (x, y)


def test_stretching_is_undone_redone_and_recomputed():
    simulation = ground()
    body = added(simulation, Hull(CORNERS, 0.02), pos=(0.0, 0.0, 1.0))
    before = authored(simulation)
    simulation.timeline.begin()
    commands.batch(simulation, "stretch", [(body, FACTORS)])
    after = authored(simulation)
    commands.undo(simulation)
    assert authored(simulation) == before
    commands.redo(simulation)
    assert authored(simulation) == after != before
    for _ in range(20):
        simulation.step()
    end = simulation.world.bodies.tobytes()
    commands.go_to_step(simulation, 3)
    simulation.timeline.go_to_goal()
    commands.go_to_step(simulation, 20)
    simulation.timeline.go_to_goal()
    assert simulation.world.bodies.tobytes() == end


def test_a_refused_stretch_gives_the_reason_and_changes_nothing():
    simulation = ground()
    box, hull = added(simulation, Box((0.1, 0.1, 0.1))), added(simulation, Hull(CORNERS))
    flat, before = added(simulation, Capsule(0.1, 0.1)), authored(simulation)
    for body, factors, words in ((box, FACTORS, "shapes that can be scaled: hull"), (flat, FACTORS, "is a capsule"),
                                 (0, FACTORS, "body 0"), (hull, (0.0, 1.0, 1.0), "allowed: 0.001"),
                                 (hull, (1.0, 1.0, 1e-4), "allowed"), (hull, (np.nan, 1.0, 1.0), "factors")):
        with pytest.raises(BadInput, match=words):
            commands.stretch(simulation, body, factors)
        assert authored(simulation) == before


def test_the_handle_previews_and_stretches_a_hull(person):
    person.load("rolling_shapes")
    session, tool = person.session, person.session.state(Tool)
    tool.mode, tool.local, tool.using = "", False, False
    body = next(i for i in np.flatnonzero(session.frame.bodies["kind"] == Kind.DYNAMIC).tolist()
                if shape_sizes.stretched(session.frame, i) is not None)
    session.selection = Selection(body=body)
    session.camera.target = session.frame.bodies["pos"][body].copy()
    session.camera.distance = 3.0
    person.look(60)
    dims, mass = shape_sizes.stretched(session.frame, body)["dims"].copy(), float(session.frame.bodies["mass"][body])
    person.hit(key.Z)
    end = drag_handle(person, body, rotate(session.frame.bodies["quat"][body], np.array([0.0, 0.0, 1.0])), 40.0)
    (coming,) = [one for one in session.ghosts if isinstance(one, PreviewGhost)]
    assert coming.kind == "hull" and coming.dims[2] > 1.1 * dims[2] and body in visible(session).hidden
    assert np.array_equal(shape_sizes.stretched(session.frame, body)["dims"], dims), "made once, when it is let go"
    person.release(*end)
    assert person.wait(lambda: shape_sizes.stretched(session.frame, body)["dims"][2] > 1.1 * dims[2])
    assert not session.state(Hidden).away and len(session.simulation.edits.done) == 1
    now = shape_sizes.stretched(session.frame, body)["dims"]
    assert session.frame.bodies["mass"][body] == pytest.approx(mass * np.prod(now / dims), rel=1e-6)
    person.hit(key.Z, key.MOD_CTRL)
    assert person.wait(lambda: np.array_equal(shape_sizes.stretched(session.frame, body)["dims"], dims))
    person.hit(key.Z)
