"""Checks of things added as one file: the examples of CONTRIBUTING.md, run in a copy of the project
(tests/house/test_documents.py), as `python -m tests.tools.added_kinds a-joint`."""

import argparse
import contextlib
import io
import sys

import numpy as np

import scenes
from app import commands
from app.analysis.editing import shape_sizes
from app.analysis.lessons.lesson import with_values
from app.engine.recording import allowed_types
from app.gui.shell.panel_host import Panels
from app.gui.viewport import joint_placement
from app.panels import scenes as panel_scenes
from app.render import overlays
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import toggles
from physics import Box, Plane, Sphere, World, shapes, solvers, step
from physics.core.records import Kind
from physics.world import queries
from scenes.lessons import lesson_of
from tests.helpers import still_frame


def a_joint():
    """A ball in a slot slides down and swings; its point stays on the line to 1e-3; the window offers and places the joint."""
    assert "slot" in joint_placement.kinds(to_world=True)
    world, along = World(), np.array([0.8, 0.0, -0.6])
    body = world.add_body(Box((0.1, 0.2, 0.3)), pos=(0.3, 0.0, 1.8), omega=(1.0, 2.0, 0.0))
    other = world.add_body(Sphere(0.1), pos=(3.0, 0.0, 2.0))
    place = joint_placement.place(still_frame(world), "slot", body, other)
    assert np.allclose(place.axis, (1.0, 0.0, 0.0), atol=0.1)
    j = world.add_joint("slot", 0, body, anchor=(0.0, 0.0, 2.0), axis=along)
    for _ in range(120):
        report = step(world, 1.0 / 240.0)
        b = world.bodies[body]
        w, v, r = b["quat"][0], b["quat"][1:], world.joints["anchor_b"][j]
        point = b["pos"] + r + 2.0 * np.cross(v, np.cross(v, r) + w * r) - (0.0, 0.0, 2.0)
        assert np.linalg.norm(point - along * (along @ point)) < 1e-3 and report.audit.ok, report.audit
    assert along @ point > 0.3, "it slides"


def a_shape():
    """A cube falls on the floor, another on a box, and they come to rest; a third is drawn, hit by a ray, offered, recorded."""
    kind, world = shapes.kinds()["cube"], World()
    world.add_body(Plane(), kind="static")
    world.add_body(Box((0.3, 0.3, 0.1)), kind="static", pos=(2.0, 0.0, 0.1))
    tilt = (np.cos(0.05), np.sin(0.05), 0.0, 0.0)
    low = world.add_body(kind.make((0.1, 0.0, 0.0)), pos=(0.0, 0.0, 0.13), quat=tilt)
    high = world.add_body(kind.make((0.1, 0.0, 0.0)), pos=(2.0, 0.0, 0.33), quat=tilt)
    for _ in range(90):
        assert step(world, 1.0 / 120.0).audit.ok
    bodies = world.bodies[[low, high]]
    assert np.allclose(bodies["pos"][:, 2], (0.1, 0.3), atol=1e-3), bodies["pos"]
    assert np.abs(bodies["vel"]).max() < 1e-3 and np.abs(bodies["omega"]).max() < 1e-2
    frame = still_frame(world)
    (vertices,) = [mesh.basis @ frame.shapes["dims"][which[0]] for (name, _), mesh, which in BodyTransforms(frame).build.groups
                   if name == "cube"]
    assert np.allclose(np.abs(vertices), 0.1) and len(vertices) == 24
    hits = queries.ray(world, [(2.05, 0.0, 1.0)], [(0.0, 0.0, -1.0)])
    assert hits.body == high and np.isclose(hits.distance, 0.6, atol=1e-3), hits
    assert shape_sizes.known()[:2] == ("box", "cube") and shape_sizes.NewShape("cube", 0.4).shape().half == 0.2
    assert type(kind.make((0.1, 0.0, 0.0))) in allowed_types.SHAPE_KINDS


def an_overlay():
    """Its toggle is there; a line goes from the ball's centre straight down to z = 0, and a mark lies there."""
    from tests.tools import handmade

    assert "plumb_lines" in toggles()
    frame = handmade.frame([("sphere", (0.4, 0, 0), (1.0, 2.0, 3.0), handmade.ONE, Kind.DYNAMIC)])
    draw_list = overlays.draw(handmade.context(frame, plumb_lines=True))
    (line,), (mark,) = draw_list.array("lines"), draw_list.array("marks")
    assert np.allclose(line[0:3], (1.0, 2.0, 3.0)) and np.allclose(line[4:7], (1.0, 2.0, 0.0)), line
    assert np.allclose(mark[0:3], (1.0, 2.0, 0.0))
    assert len(overlays.draw(handmade.context(frame)).array("lines")) == 0, "switched off"


def a_scene():
    """It is found and builds; the picker lists it."""
    scene = scenes.find("sliding_box")
    assert scene.title == "Sliding box" and scenes.make_world(scene).body("box") > 0
    assert any(name == "sliding_box" for _, _, name in panel_scenes.listed())


def a_lesson():
    """It belongs to its scene, and its closed form is that of the scene."""
    lesson, parameters = lesson_of("sliding_box"), scenes.find("sliding_box").parameters()
    assert lesson.exercises[0].answer(parameters) == scenes.find("sliding_box").predict(parameters)[0].value
    assert with_values(lesson.exercises[0].question, parameters).startswith("The box starts at 3 m/s.")


def a_solver():
    """It is offered under its file's name, can be chosen, and moves; tests/house/test_documents.py makes piles with it."""
    world = World()
    world.add_body(Plane(), kind="static")
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), vel=(1.0, 0.0, 0.0))
    world.use_solver("frictionless")
    assert "frictionless" in solvers.available() and world.solver.options.sweeps == 20
    for _ in range(10):
        step(world, 1.0 / 240.0)
    assert np.allclose(ball.vel, (1.0, 0.0, 0.0)) and abs(ball.pos[2] - 0.1) < 1e-6


def a_panel():
    """The window finds it."""
    assert Panels.discover().all["fastest"].title == "Fastest body"


def a_command():
    """The command line runs it."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert commands.load("bodies").run(argparse.Namespace(scene="sliding_box")) == 0
    assert "bodies" in commands.names() and out.getvalue().splitlines()[-1].startswith("box ")


if __name__ == "__main__":
    for thing in sys.argv[1:]:
        globals()[thing.replace("-", "_")]()
