"""Memory of a world and of a step, in bytes a body."""

import tracemalloc

import numpy as np
import pytest

from benchmarks import scale
from physics import Box, Plane, World, set_option, step
from physics.collide import narrow
from physics.collide.broad import BroadPhase
from physics.collide.continuous import impacts
from physics.core.records import BODY, CONTACT, SHAPE, Kind

COUNT = 600


@pytest.fixture(scope="module")
def settled():
    """(a pile that fell and rests, bytes a body at rest, at the highest point of a step)."""
    scale.on_core(None)          # kernels that are loaded while traced would count
    tracemalloc.start()
    world = scale.built("pile", COUNT, 3)
    for _ in range(50):
        step(world, 1.0 / 60.0)
    rest, peak = scale.bytes_of(world, 60)
    tracemalloc.stop()
    return world, rest / COUNT, peak / COUNT


def test_a_settled_pile_holds_less_than_4_kb_a_body(settled):
    world, rest, _ = settled
    assert len(world.contacts) > 4 * COUNT
    assert BODY.itemsize + SHAPE.itemsize + CONTACT.itemsize * len(world.contacts) / COUNT < rest < 4096.0


def test_a_step_of_a_settled_pile_needs_less_than_15_kb_a_body(settled):
    """Of these 0.8 are a buffer of manifolds that does not grow with the world, and 0.25 what the solver left of three laws at
    each of the five contacts of a body, now and a step ago; 3 are the tables as they were, to which a step that fails goes
    back."""
    assert settled[1] < settled[2] < 15_000.0


def test_contact_capacity_exceeds_their_number_by_a_twentieth_at_most(settled):
    contacts = settled[0].awake_contacts
    room = contacts if contacts.base is None else contacts.base
    assert room.nbytes <= (1.0 + 1.0 / narrow.MAX_SPARE_SHARE) * len(contacts) * CONTACT.itemsize


def held(value: object) -> int:
    """Bytes of the arrays that an object and its parts hold."""
    if isinstance(value, np.ndarray):
        return (value if value.base is None else value.base).nbytes
    return sum(map(held, vars(value).values())) if hasattr(value, "__dict__") and not isinstance(value, type) else 0


def test_the_broad_phase_of_a_settled_pile_holds_less_than_600_bytes_a_body(settled):
    """Boxes, loose boxes, tags, entries and cells are 290; near pairs of who fell fast are forgotten when it rests."""
    assert 200.0 < held(settled[0].broad_phase) / COUNT < 600.0


def test_a_body_at_rest_has_only_near_pairs():
    """Boxes in a row, 1 m apart, whose boxes once reached 10 m: pairs of neighbours are left, as if they had never been fast."""
    n = 40
    bodies, shapes = np.zeros(n, BODY), np.zeros(n, SHAPE)
    bodies["kind"], shapes["body"], shapes["active"] = Kind.DYNAMIC, np.arange(n), 1
    none = np.empty(0, np.int64)

    def find(phase, reach):
        shapes["reach"] = reach
        for axis in range(3):
            centre = np.arange(n) * (axis == 0)
            shapes["lo"][:, axis], shapes["hi"][:, axis] = centre - 0.49 - reach, centre + 0.49 + reach
        return len(phase.find(bodies, shapes, none, 0)[0])

    phase = BroadPhase()
    assert find(phase, 10.0) > 20 * n / 2
    fast = len(phase._keys)
    assert find(phase, 0.02) == n - 1
    fresh = BroadPhase()
    find(fresh, 0.02)
    assert len(phase._keys) == len(fresh._keys) < fast / 5


def test_motions_are_computed_once_per_step(monkeypatch):
    """And chunks change nothing where nothing is fast."""
    def run():
        world = World()
        set_option(world.solver.options, "budget", 0.0)
        world.add_body(Plane(), kind="static")
        for k in range(12):
            world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.21 * k, 0.0, 0.1))
        for _ in range(5):
            step(world, 1.0 / 60.0)
        return [world.bodies[name].tolist() for name in ("pos", "quat", "vel", "omega")], world.contacts["impulse"].tolist()

    whole = run()
    calls, motions = [], impacts.free_motions

    def counted(*args):
        calls.append(1)
        return motions(*args)

    counted.unchecked = counted
    monkeypatch.setattr(impacts, "free_motions", counted)
    monkeypatch.setattr(narrow, "CHUNK", 3)
    assert run() == whole and len(calls) == 5
