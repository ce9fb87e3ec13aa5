"""Exact solver on chains of light links under a heavy ball: it divides its step, and joints stay closed."""

import numpy as np
import pytest

from physics import Box, Capsule, Diverged, Plane, Sphere, World, step
from physics.core.records import Kind
from physics.dynamics import measure
from physics.solvers.lcp import step as lcp_step


def chain(links: int, link: float, ball: float, length: float = 0.1) -> World:
    """Capsules on spherical joints, released level, with a ball at the end."""
    world = World()
    world.use_solver("stewart_trinkle")
    before, joint = 0, np.zeros(3)
    for i in range(links + 1):
        last = i == links
        along = np.array((length, 0.0, 0.0))
        shape = Sphere(length) if last else Capsule(0.1 * length, 0.4 * length)
        body = world.add_body(shape, mass=ball if last else link, mask=0, pos=joint + (1.0 if last else 0.5) * along,
                              quat=(0.5**0.5, 0.0, 0.5**0.5, 0.0))
        world.add_joint("spherical", before, body, anchor=joint)
        before, joint = body, joint + along
    return world


def energy(world: World) -> float:
    """Kinetic and potential, exact in a fall [J]."""
    kinetic, potential = measure.energy(world.bodies, world.gravity)
    b = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    return kinetic + potential + float(0.5 * b["mass"] @ b["velocity_lag"] ** 2 * (world.gravity @ world.gravity))


@pytest.mark.parametrize(("links", "link", "ball", "dt", "seconds"), [
    (4, 1.0, 10.0, 1 / 60, 1.0), (4, 1.0, 10.0, 1 / 240, 0.6), (4, 0.01, 10.0, 1 / 60, 0.15), (6, 0.1, 1.0, 1 / 60, 0.5),
    (2, 0.001, 1.0, 1 / 120, 0.15)])
def test_joints_stay_closed_and_energy_stays(links: int, link: float, ball: float, dt: float, seconds: float) -> None:
    """What moves is the ball: its fall, m g times the length of the chain and more."""
    world = chain(links, link, ball)
    first = energy(world)
    for _ in range(round(seconds / dt)):
        report = step(world, dt)
        assert report.joint_error < 1e-8 and report.residual < 1e-5
        assert abs(energy(world) - first) < 0.005 * ball * 9.81 * 0.1 * (links + 1)


def test_a_heavy_load_cuts_the_step_and_its_impulses_are_those_of_the_whole_step() -> None:
    """The ball's momentum changes by its weight and by the reaction of its joint, summed over all parts."""
    world, dt, parts = chain(4, 0.1, 10.0), 1 / 60, []
    for _ in range(12):
        before, since = world.bodies["vel"][-1].copy(), float(world.bodies["velocity_lag"][-1])
        report = step(world, dt)
        parts.append(report.substeps)
        time = dt + since - float(world.bodies["velocity_lag"][-1]) if since else dt - float(world.bodies["velocity_lag"][-1])
        change = 10.0 * (world.bodies["vel"][-1] - before - np.array(world.gravity) * time)
        assert world.joints["reaction"][-1, :3] == pytest.approx(change, abs=1e-9)
    assert max(parts) >= 4


def test_contacts_of_a_divided_step_report_what_pushed_whatever_turns() -> None:
    """A load on a falling flap: in the step its contacts turn by 2 degrees, and their sum explains its momentum, (4 corners)."""
    world = World()
    world.use_solver("stewart_trinkle")
    flap = world.add_body(Box((0.5, 0.2, 0.02)), pos=(0.5, 0.0, 1.0), mass=0.05, friction=0.5)
    box = int(world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.8, 0.0, 1.12), mass=5.0, friction=0.5))
    world.add_joint("revolute", 0, flap, anchor=(0.0, 0.0, 1.0), axis=(0.0, 1.0, 0.0), max_friction=20.0)
    divided, dt, load = 0, 1.0 / 30.0, world.bodies[box]
    for _ in range(9):
        velocity, lag = load["vel"].copy(), float(load["velocity_lag"])
        report = step(world, dt)
        contacts = world.contacts
        divided += report.substeps > 1
        pushed = (contacts["impulse"][:, None] * contacts["normal"] + contacts["friction_impulse"]).sum(axis=0)
        time = dt + lag - float(load["velocity_lag"])
        assert load["mass"] * (load["vel"] - velocity - time * world.gravity) == pytest.approx(pushed, abs=1e-9)
        assert report.audit.ok and len(contacts) == 4
    assert divided > 2


def test_a_whip_that_strikes_the_floor_is_carried_too() -> None:
    """Contacts are found again in each part."""
    world = chain(3, 0.05, 1.0)
    world.add_body(Plane(), kind="static", pos=(0.0, 0.0, -0.35), friction=0.5)
    for body in range(1, 5):
        world.shapes["ignores"][world.shapes["body"] == body] = 0
    for _ in range(40):
        report = step(world, 1 / 60)
        assert report.joint_error < 1e-6 and np.isfinite(world.bodies["pos"]).all()
    assert world.bodies["pos"][4, 2] > -0.36 + 0.1


def test_rounds_that_never_converge_end_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where contacts come and go with every round: shorter parts do not help, so there are not hundreds of them."""
    world = chain(2, 1.0, 1.0)
    monkeypatch.setattr(lcp_step, "has_stalled", lambda *moves: True)
    for _ in range(5):
        report = step(world, 1 / 60)
        assert report.substeps <= 32
        assert report.joint_error < 1e-3


def test_a_step_with_unclosable_joints_is_undone() -> None:
    """A door between two walls that fly apart: its joints are torn, and the state before is kept."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver("stewart_trinkle")
    left = world.add_body(Box((0.1, 0.1, 0.1)), kind="kinematic", pos=(-1.0, 0.0, 0.0), vel=(-3.0, 0.0, 0.0))
    right = world.add_body(Box((0.1, 0.1, 0.1)), kind="kinematic", pos=(1.0, 0.0, 0.0), vel=(3.0, 0.0, 0.0))
    door = world.add_body(Box((0.9, 0.1, 0.1)), mass=1.0)
    world.add_joint("spherical", left, door, anchor=(-0.9, 0.0, 0.0))
    world.add_joint("spherical", door, right, anchor=(0.9, 0.0, 0.0))
    before = world.bodies.copy()
    with pytest.raises((Diverged, ValueError)):
        step(world, 1 / 60)
    assert np.array_equal(world.bodies["pos"], before["pos"]) and np.array_equal(world.bodies["vel"], before["vel"])
