"""Explanations of motion: sentences whose numbers are closed forms, and the panel in the real window."""

import math

import numpy as np
import pytest

from app.analysis.forces import explain_motion
from app.engine.simulation import Simulation
from app.panels.why import WhyState
from app.session import Selection
from physics import Box, Plane, Sphere, World, step
from physics.core.records import Case
from tests.helpers import MASS, G, frame_of, slope
from tests.tools.person import fresh_spots

DT = 1.0 / 240.0


def tones(causes):
    return [cause.tone for cause in causes]


def test_on_a_steep_slope_friction_is_at_its_limit_and_gravity_drives():
    angle, mu = math.radians(35.0), 0.3
    frame, box = slope("sequential_impulses", angle, mu, steps=20)
    causes = explain_motion.explain_motion(frame, box)
    limit = next(cause for cause in causes if cause.tone == "limit")
    assert f"\u03bc = {mu:.3g} allows {mu * MASS * G * math.cos(angle):.3g} N" in limit.text
    assert f"{MASS * G * math.sin(angle):.3g} N would be needed" in limit.text and "on 4 of 4 contacts" in limit.text
    assert len(limit.contacts) == 4
    drives = next(cause for cause in causes if cause.tone == "drives")
    assert drives.text.startswith(f"gravity drives it with {MASS * G * math.sin(angle):.3g} N (of {MASS * G:.3g} N)")
    resists = next(cause for cause in causes if cause.tone == "resists")
    assert f"resists with {mu * MASS * G * math.cos(angle):.3g} N" in resists.text
    a = G * (math.sin(angle) - mu * math.cos(angle))
    assert "speeds up" in causes[0].text and f"{a:.3g} m/s\u00b2" in causes[0].text


def test_on_a_gentle_slope_friction_holds():
    angle = math.radians(20.0)
    frame, box = slope("sequential_impulses", angle, 0.6, steps=60)
    causes = explain_motion.explain_motion(frame, box)
    assert tones(causes) == ["state", "holds"] and "at rest" in causes[0].text and "forces on it are balanced" in causes[0].text
    most = 0.6 * MASS * G * math.cos(angle)
    assert f"of the {most:.3g} N allowed by \u03bc = 0.6" in causes[1].text


def test_friction_brakes_a_sliding_body_and_gravity_alone_drives_a_falling_one():
    world = World()
    floor = world.add_body(Plane(), kind="static", friction=0.5, name="floor")
    box = world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.1), vel=(3.0, 0.0, 0.0), mass=2.0, friction=0.5, name="box")
    ball = world.add_body(Sphere(0.1), pos=(5.0, 0.0, 50.0), mass=1.0, vel=(0.0, 0.0, -4.0), name="ball")
    mover = world.add_body(Sphere(0.1), pos=(9.0, 0.0, 5.0), kind="kinematic", vel=(1.0, 0.0, 0.0))
    world.solver.options.budget = 0.0
    for _ in range(10):
        step(world, DT)
    frame = frame_of(world)
    causes = explain_motion.explain_motion(frame, box)
    assert "slows down" in causes[0].text and "friction slows it down" in next(c.text for c in causes if c.tone == "limit")
    causes = explain_motion.explain_motion(frame, ball)
    assert tones(causes) == ["state", "drives"] and causes[1].text == "gravity drives it with 9.81 N."
    assert "static" in explain_motion.explain_motion(frame, floor)[0].text
    assert "kinematic" in explain_motion.explain_motion(frame, mover)[0].text
    assert explain_motion.fastest(frame) == ball


def test_a_belt_speeds_a_parcel_up_by_friction():
    world = World()
    belt = world.add_body(Box((9.0, 1.0, 0.1)), kind="kinematic", vel=(2.0, 0.0, 0.0), friction=0.5, name="belt")
    parcel = world.add_body(Box((0.2, 0.2, 0.2)), pos=(0.0, 0.0, 0.3), mass=2.0, friction=0.5, name="parcel")
    for _ in range(5):
        step(world, DT)
    limit = next(c.text for c in explain_motion.explain_motion(frame_of(world), parcel) if c.tone == "limit")
    assert "while they slide" in limit and f"gives {0.5 * 2.0 * G:.3g} N" in limit and "friction speeds it up" in limit
    assert "slows" not in limit and belt < parcel


def test_a_ball_with_topspin_gains_speed_and_loses_rotation():
    world = World()
    world.add_body(Plane(), kind="static", friction=0.2, name="cloth")
    ball = world.add_body(Sphere(0.03), pos=(0.0, 0.0, 0.03), mass=0.2, friction=0.2, vel=(0.5, 0.0, 0.0), omega=(0.0, 60.0, 0.0))
    for _ in range(3):
        step(world, DT)
    limit = next(c.text for c in explain_motion.explain_motion(frame_of(world), ball) if c.tone == "limit")
    assert limit.endswith("This friction speeds it up. This friction slows its rotation.")


def test_nothing_slides_where_one_corner_of_a_body_at_rest_is_at_its_bound():
    frame, box = slope("sequential_impulses", math.radians(20.0), 0.6, steps=60)
    one = frame.contacts[0]
    one["case"], one["friction_impulse"] = Case.SLIP, 0.6 * one["impulse"] * one["tangent"]
    friction = [c for c in explain_motion.explain_motion(frame, box) if "Friction" in c.text]
    assert tones(friction) == ["holds"] and "slide" not in friction[0].text


def test_without_friction_nothing_is_said_of_it():
    frame, box = slope("sequential_impulses", math.radians(35.0), 0.0, steps=20)
    assert not [c for c in explain_motion.explain_motion(frame, box) if "riction" in c.text]


def test_an_overlap_is_reported():
    world = World()
    world.add_body(Plane(), kind="static", name="floor")
    box = world.add_body(Box((0.2, 0.2, 0.1)), pos=(0.0, 0.0, 0.09), mass=2.0, name="box")
    step(world, DT)
    error = next(cause for cause in explain_motion.explain_motion(frame_of(world), box) if cause.tone == "error")
    assert "penetrates by 10 mm" in error.text and error.contacts


@pytest.mark.parametrize("name", ["pyramid", "joint_gallery", "bowl"])
def test_every_body_of_a_scene_has_its_sentences(name):
    import scenes

    world = scenes.make_world(scenes.find(name))
    for _ in range(3):
        step(world, DT)
    frame = frame_of(world)
    for body in np.flatnonzero(world.bodies["kind"] > 0).tolist():
        assert all(cause.text for cause in explain_motion.explain_motion(frame, body))


# ---- the real window


def test_the_fastest_body_is_the_default_and_a_cause_highlights_its_source(person):
    person.load("incline")
    session = person.session
    session.post(Simulation.single_step, 30)
    assert person.wait(lambda: session.frame.step >= 30)
    session.window.open_panel("why")
    session.selection = Selection()
    person.look(6)
    person.click("why/fastest")
    assert session.selection.body == explain_motion.fastest(session.frame)
    assert "why/cause 0" in fresh_spots(person)
    causes = session.state(WhyState).causes
    k = next(k for k, cause in enumerate(causes) if cause.contacts)
    person.click(f"why/cause {k}")
    assert session.highlight.contacts == causes[k].contacts
