"""Collision filters, sensors and events."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, HeightField, Plane, Sphere, World, set_option, step
from physics.collide.broad import ALL_CATEGORIES
from physics.world.events import Event

DT = 1 / 240


def dropped(**filters):
    """A ball a little over a slab, both filtered as given by "ball" and "slab"; the ball's height after half a second."""
    world = World()
    slab = world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(0, 0, -0.1), **filters.get("slab", {}))
    ball = world.add_body(Sphere(0.1), pos=(0, 0, 0.15), **filters.get("ball", {}))
    for _ in range(120):
        step(world, DT)
    return world, slab, ball


def rests(world, ball):
    return world.bodies["pos"][ball, 2] > 0.09


@pytest.mark.parametrize("ball, slab, touch", [
    ({}, {}, True),
    ({"category": 2}, {}, True),
    ({"category": 2}, {"mask": 1}, False),
    ({"mask": 2}, {}, False),
    ({"mask": 2}, {"category": 6}, True),
    ({"mask": 0}, {}, False),
    ({"mask": 0, "group": 3}, {"group": 3}, True),
    ({"group": -3}, {"group": -3}, False),
    ({"group": -3}, {"group": -4}, True),
    ({"category": 1 << 31, "mask": 1}, {"mask": 1 << 31}, True),
])
def test_filters_decide_which_bodies_touch(ball, slab, touch):
    """The convention of Box2D: one direction that says no is enough; a common group decides alone."""
    world, _, body = dropped(ball=ball, slab=slab)
    assert rests(world, body) == touch


def test_filters_can_be_changed_in_mid_run():
    """A ball at rest falls when its group is made that of the slab, and only then."""
    world, _, ball = dropped()
    assert rests(world, ball)
    world.set_filter(ball, mask=ALL_CATEGORIES, category=4)
    for _ in range(60):
        step(world, DT)
    assert rests(world, ball)
    world.set_filter(group=-1)
    for _ in range(120):
        step(world, DT)
    assert world.bodies["pos"][ball, 2] < -0.5


@pytest.mark.parametrize("given", [{"category": 0}, {"category": -1}, {"category": 1 << 32}, {"category": 1.5}, {"mask": -1},
                                   {"mask": True}, {"mask": "all"}, {"group": 2**31}, {"group": None, "mask": 1 << 40}])
def test_bad_filters_are_refused_and_change_nothing(given):
    world, _, ball = dropped()
    before = world.shapes.tobytes()
    with pytest.raises(BadInput, match=r"filter: (category|mask|group) = .* must be an integer from"):
        world.set_filter(ball, **given)
    assert world.shapes.tobytes() == before
    with pytest.raises(BadInput):
        world.add_body(Sphere(0.1), **{"group": 0, **{k: v for k, v in given.items() if v is not None}})
    with pytest.raises(BadInput, match="true or false"):
        world.add_body(Sphere(0.1), sensor=1)
    assert len(world.bodies) == 3


def test_a_sensor_reports_a_ball_falling_through():
    """Begin and end at the times of a free fall through a thin slab; the ball's path is that without the sensor."""
    world = World()
    slab = world.add_body(Box((1.0, 1.0, 0.1)), kind="static", pos=(0, 0, 0), sensor=True)
    ball = world.add_body(Sphere(0.05), pos=(0, 0, 1.0))
    events = []
    for _ in range(240):
        step(world, DT)
        assert len(world.contacts) == 0
        events += [(Event(e["what"]), int(e["body_a"]), int(e["body_b"]), float(e["time"])) for e in world.events]
    assert [e[:3] for e in events] == [(Event.SENSOR_BEGIN, slab, ball), (Event.SENSOR_END, slab, ball)]
    enters, leaves = (2.0 * np.array([1.0 - 0.15, 1.0 + 0.15]) / 9.81) ** 0.5
    assert abs(events[0][3] - enters) <= 1.5 * DT and abs(events[1][3] - leaves) <= 1.5 * DT
    assert world.bodies["pos"][ball, 2] == pytest.approx(1.0 - 0.5 * 9.81, abs=1e-9)


def test_removing_a_sensor_ends_its_overlaps():
    """Removed bodies end their overlaps, and no event names a later body in the same slot by mistake."""
    world = World(gravity=(0, 0, 0))
    zone = world.add_body(Box((1.0, 1.0, 1.0)), kind="static", sensor=True)
    balls = [world.add_body(Sphere(0.1), pos=(0.3 * i, 0, 0)) for i in range(3)]
    step(world, DT)
    assert world.events["what"].tolist() == [Event.SENSOR_BEGIN] * 3 and world.events["body_b"].tolist() == balls
    step(world, DT)
    assert len(world.events) == 0
    world.remove_body(balls[1])
    step(world, DT)
    assert world.events[["what", "body_a", "body_b"]].tolist() == [(Event.SENSOR_END, zone, balls[1])]
    world.remove_body(zone)
    step(world, DT)
    assert world.events["what"].tolist() == [Event.SENSOR_END] * 2
    step(world, DT)
    assert len(world.events) == 0


def test_sensors_ignore_sensors_and_can_become_solid_again():
    world, slab, ball = dropped(slab={"sensor": True}, ball={"sensor": True})
    assert len(world.events) == 0 and len(world.watch.sensed) == 0 and not rests(world, ball)
    world, slab, ball = dropped()
    world.set_sensor(slab, True)
    step(world, DT)
    assert world.events["what"].tolist() == [Event.SENSOR_BEGIN]
    world.set_sensor(slab, False)
    step(world, DT)
    assert world.events["what"].tolist() == [Event.SENSOR_END] and len(world.contacts) == 1


def test_touching_begins_with_its_impact_and_ends_with_the_rebound():
    """A ball that bounces: each touch has the speed of the fall; the impulse is m (1 + e) v."""
    world = World()
    world.watch.touching = True
    world.add_body(Plane(), kind="static", restitution=0.5)
    ball = world.add_body(Sphere(0.1), pos=(0, 0, 0.6), mass=2.0, restitution=0.5)
    events = []
    for _ in range(200):
        step(world, DT)
        events += [(Event(e["what"]), float(e["speed"]), float(e["impulse"]), int(e["body_b"])) for e in world.events]
    assert [e[0] for e in events[:4]] == [Event.TOUCH_BEGIN, Event.TOUCH_END] * 2
    fall = (2 * 9.81 * 0.5) ** 0.5
    for (_, speed, impulse, body), v in zip(events[0:4:2], (fall, 0.5 * fall)):
        assert speed == pytest.approx(v, rel=0.03) and impulse == pytest.approx(2.0 * 1.5 * v, rel=0.03) and body == ball


def test_events_continue_bit_for_bit_after_a_restore():
    """The overlaps under way are part of a snapshot."""
    world = World()
    set_option(world.solver.options, "budget", 0.0)
    world.watch.touching = True
    world.add_body(Plane(), kind="static")
    world.add_body(Box((1.0, 1.0, 0.3)), kind="static", sensor=True)
    for i in range(5):
        world.add_body(Sphere(0.1), pos=(0.15 * i, 0, 0.3 + 0.2 * i), restitution=0.5)
    for _ in range(40):
        step(world, DT)
    kept = world.snapshot()

    def run(w):
        out = []
        for _ in range(60):
            step(w, DT)
            out += w.events.tolist()
        return out

    first = run(world)
    other = World()
    other.restore(kept)
    world.restore(kept)
    assert len(first) > 0 and first == run(world) == run(other)


@pytest.mark.parametrize("solver", ["sequential_impulses", "joint_space", "compliant_contact"])
def test_two_bodies_begin_to_touch_once_however_a_step_is_divided(solver):
    """Contacts of later parts of a step stand apart from those of earlier ones: a pair began twice, with half of the impulse."""
    world = World()
    world.use_solver(solver)
    world.watch.touching = True
    world.add_body(HeightField(np.zeros((9, 9)), 0.25), kind="static", friction=0.1)
    for x, z in ((-0.5, 0.1), (0.5, 0.1), (-0.5, 0.3)):
        world.add_body(Box((0.1, 0.1, 0.1)), pos=(x, 0.03, z), vel=(3.0, 0.0, 0.0), friction=0.1)
    step(world, 1.0 / 30.0)
    pairs = [(event["body_a"], event["body_b"]) for event in world.events if event["what"] == Event.TOUCH_BEGIN]
    assert sorted(pairs) == sorted(set(pairs))
    assert len(pairs) == 3


@pytest.mark.parametrize("rate", [30, 60])
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps", "joint_space", "stewart_trinkle", "compliant_contact"])
def test_sensors_look_where_bodies_are_at_the_start_of_a_step(solver, rate):
    """However the step is divided: in joint space a ball entered one step too early, and one of 60 m/s was missed."""
    world, radius, edge, speed = World(gravity=(0.0, 0.0, 0.0)), 0.1, 0.95, 2.0
    world.use_solver(solver)
    world.add_body(Box((0.05, 1.0, 1.0)), pos=(1.0, 0.0, 0.0), kind="static", sensor=True)
    world.add_body(Sphere(radius), vel=(speed, 0.0, 0.0))
    fast = world.add_body(Sphere(0.02), pos=(1.0 - 60.0 / rate, 0.5, 0.0), vel=(60.0, 0.0, 0.0))
    begun: dict[int, float] = {}
    for _ in range(rate):
        step(world, 1.0 / rate)
        for event in world.events[world.events["what"] == Event.SENSOR_BEGIN]:
            begun[int(event["body_b"])] = float(event["time"])
    reached = math.ceil((edge - radius) / speed * rate - 1e-9) / rate
    assert begun == pytest.approx({2: reached, int(fast): 1.0 / rate})
