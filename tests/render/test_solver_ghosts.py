"""Ghosts of other solvers and of panels: places, colours, number of draw calls."""

from dataclasses import replace

import numpy as np
import pytest

from app.analysis.microscope.budget import Difference, StepOutcome, displaced, magnification
from app.camera import Camera
from app.engine.simulation import Simulation
from app.gui.controls import style
from app.gui.shell.viewport_layout import ghosts_shown
from app.render import overlays
from app.render.opengl import gl
from app.render.opengl.offscreen import Offscreen
from app.render.scene.overlay_context import Ghost, OverlayContext
from app.render.scene.theme import DARK, linear
from app.render.scene.transforms import BodyTransforms
from app.render.view_options import ViewOptions
from physics.core.quaternions import rotate
from tests.tools.handmade import BALL, FLOOR, OFF, frame


def moved(f, x):
    bodies = f.bodies.copy()
    bodies["pos"][:, 0] += x
    return replace(f, bodies=bodies)


def test_each_solver_ghost_has_the_colour_of_its_curve(person):
    session, p = person.session, style.palette()
    person.load("pyramid")
    leader = session.frame
    session.frame = replace(leader, followers=(moved(leader, 1.0), moved(leader, 2.0)))
    try:
        session.view.split = True
        assert ghosts_shown(session, 0.0)["ghosts"] == ()
        session.view.split = False
        found = ghosts_shown(session, 0.0)
        assert [ghost.colour for ghost in found["ghosts"]] == [p.curves[1][:3], p.curves[2][:3]] and found["tint"] is None
        assert found["ghosts"][1].pos[5] == pytest.approx(leader.bodies["pos"][5] + np.array([2, 0, 0]))
        session.view.tint_first = True
        assert ghosts_shown(session, 0.0)["tint"] == p.curves[0][:3]
    finally:
        session.view.split, session.view.tint_first, session.frame = True, False, leader


def test_solver_ghosts_skip_missing_bodies():
    f = frame([FLOOR, BALL, BALL])
    red = (1.0, 0.0, 0.0)
    other = Ghost(f.bodies["pos"][:3] + np.array([3.0, 0, 0]), f.bodies["quat"][:3], red, 0.3)
    seen = {"view": ViewOptions(**{**OFF, "solver_ghosts": True}), "theme": DARK, "ghosts": (other,)}
    ghost = overlays.draw(OverlayContext(f, BodyTransforms(f), **seen)).ghost
    assert ghost.placed.body.tolist() == [2, 3]
    assert ghost.placed.pos[0] == pytest.approx([3.0, 0, 0.4]) and abs(ghost.placed.pos[1]).max() > 1e8
    assert ghost.instances[0, 12:15] == pytest.approx(linear(np.array(red)), abs=1e-6)
    assert ghost.instances[:, 3] == pytest.approx(0.3)
    past = OverlayContext(f, BodyTransforms(f), ViewOptions(**{**OFF, "solver_ghosts": True, "ghosts": True}), DARK,
                          ghosts=(other,))
    overlays.draw(past)
    later = OverlayContext(replace(moved(f, 0.5), time=0.3), BodyTransforms(f), past.view, DARK, ghosts=(other,),
                           states=past.states)
    both, before = overlays.draw(later), overlays.draw(replace(later, ghosts=()))
    assert len(both.ghost.placed.pos) == 2 + len(before.ghost.placed.pos) > 2
    assert overlays.draw(replace(past, view=ViewOptions(**OFF))).ghost is None


def test_ghosts_are_drawn_in_a_constant_number_of_calls():
    f, camera, (w, h) = frame([FLOOR, BALL]), Camera(np.array([0.0, 0.0, 0.4]), 8.0, 0.0, 10.0), (480, 320)
    view = ViewOptions(**{**OFF, "solver_ghosts": True})
    ghosts = tuple(Ghost(f.bodies["pos"] + np.array([x, 0, 0]), f.bodies["quat"], (1.0, 0.1, 0.1), 0.5) for x in (-1.5, 1.5, 2.5))
    with Offscreen(w, h, 4) as picture:
        from app.render.opengl.renderer import Renderer
        renderer, calls, pictures = Renderer("high"), [], []
        for shown, tint in (((), None), (ghosts[:1], None), (ghosts, None), ((), (0.1, 1.0, 0.1))):
            picture.begin()
            before = gl.draw_calls
            renderer.draw(f, camera, view, w, h, f.wall, ghosts=shown, tint=tint)
            calls.append(gl.draw_calls - before)
            pictures.append(picture.pixels().astype(int))
        renderer.delete()
    assert calls[2] == calls[1] <= calls[0] + 2
    for ghost in ghosts:
        x, y, _ = camera.project(ghost.pos[2], w, h)[0]
        bare, red = pictures[0][h - 1 - int(y), int(x)], pictures[2][h - 1 - int(y), int(x)]
        assert red[0] - bare[0] > 40 and 0.2 * bare[2] < red[2] < bare[2], "it is red, and seen through"
    x, y, _ = camera.project(f.bodies["pos"][2], w, h)[0]
    assert pictures[3][h - 1 - int(y), int(x)][1] > 1.8 * pictures[3][h - 1 - int(y), int(x)][0], "the first solver's own colour"


def test_budget_differences_are_magnified():
    rng = np.random.default_rng(4)
    pos, angle = rng.normal(size=(3, 3)), 1e-5
    quat = np.tile([1.0, 0, 0, 0], (3, 1))
    turned = np.tile([np.cos(angle / 2), 0, 0, np.sin(angle / 2)], (3, 1))
    here = StepOutcome(5, None, pos, quat, np.zeros((3, 6)), 3)
    there = StepOutcome(50, None, pos + np.array([2e-5, 0, 0]), turned, np.zeros((3, 6)), 3)
    times = magnification(Difference(0, 0, 2e-5, 1, 0.0, np.ones(3, bool), 3), 8.0)
    assert times == pytest.approx(1e4) and magnification(Difference(0, 0, 0.0, 1, 0.0, np.ones(3, bool), 3), 8.0) == 1.0
    now = pos + np.array([0.0, 7.0, 0.0])
    at, turn = displaced(here, there, times, now, quat)
    assert at == pytest.approx(now + np.array([0.2, 0, 0]), abs=1e-9)
    x = rotate(turn, np.tile([1.0, 0, 0], (3, 1)))
    assert np.arctan2(x[:, 1], x[:, 0]) == pytest.approx(0.1, abs=1e-6)


def test_budget_ghosts_are_drawn_only_while_the_panel_is_visible(person):
    from app.panels.budget import BudgetState

    person.load("pyramid")
    person.session.post(Simulation.single_step, 3)
    person.window.gui.panels.open("budget")
    state = person.session.state(BudgetState)
    assert person.wait(lambda: state.shown is not None and state.shown.difference is not None)
    person.look(2)
    assert person.session.ghosts == ()
    person.click("budget/ghosts")
    person.look(2)
    assert len(person.session.ghosts) == 1 and not person.window.gui.panels.all["budget"].error
    person.window.gui.panels.show("plot")
    person.look(4)
    assert person.session.ghosts == ()
    state.ghosts = False
