"""Impacts without restitution of bodies that turn: where and when they happen, with the arms of that moment.

A body of half axes a, c in the plane of its motion, turned by the angle t about y, touches the floor at the height H(t) of its
centre, at the arm (H', -H). The impact stops the velocity of that point: along the normal, or along both axes where friction
holds it,

    W = 1/m + J J^T / I,   p = -W^-1 u                                                                       (1)

The throws are such that it then leaves the floor, as a corner (H'' = -H) does where H w^2 > g.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq

from physics import Box, Ellipsoid, Plane, Sphere, World, step
from physics.contact.impact_laws import laws
from physics.dynamics import measure
from physics.observe.audit.worst_places import Rule

G = 9.81


def support(shape: str, a: float, c: float, t: float) -> tuple[float, float, float]:
    """(H, H', H'')."""
    if shape == "box":
        x, z = math.copysign(a, math.sin(t)), math.copysign(c, math.cos(t))
        height = x * math.sin(t) + z * math.cos(t)
        return height, x * math.cos(t) - z * math.sin(t), -height
    height = math.hypot(a * math.sin(t), c * math.cos(t))
    rate = (a * a - c * c) * math.sin(t) * math.cos(t) / height
    return height, rate, ((a * a - c * c) * math.cos(2.0 * t) - rate * rate) / height


class Throw:
    """A body thrown on a floor, and its velocities (vx, vz, w) after the first impact by (1)."""

    def __init__(self, shape: str, a: float, c: float, mass: float, mu: float, angle: float, w: float) -> None:
        self.world = World()
        self.world.add_body(Plane(), kind="static", friction=mu)
        kind = Box if shape == "box" else Ellipsoid
        self.body = self.world.add_body(kind((a, 0.5 * a, c)), mass=mass, pos=(0.0, 0.0, 1.0), vel=(1.0, 0.0, -3.0),
                                        omega=(0.0, w, 0.0), friction=mu,
                                        quat=(math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0))
        inertia = mass * (a * a + c * c) / (3.0 if shape == "box" else 5.0)

        def gap(time: float) -> float:
            return 1.0 - 3.0 * time - 0.5 * G * time * time - support(shape, a, c, angle + w * time)[0]

        self.time = brentq(gap, 0.0, 0.4)
        height, arm, bend = support(shape, a, c, angle + w * self.time)
        vz = -3.0 - G * self.time
        J = np.array([[0.0, 1.0, -arm], [1.0, 0.0, -height]])[: 2 if mu > 0.0 else 1]
        v = np.array([1.0, vz, w])
        inverse = np.array([1.0 / mass, 1.0 / mass, 1.0 / inertia])
        p = -np.linalg.solve(J * inverse @ J.T, J @ v)
        assert mu == 0.0 or abs(p[1]) < mu * p[0], "friction is to hold"
        self.after = v + inverse * (J.T @ p)
        assert -G - bend * self.after[2] ** 2 > 1.0, "it is to leave the floor"

    def fly(self, rate: int) -> np.ndarray:
        """(vx, vz, w) at the end of the step of the impact, without what gravity has added since."""
        steps = math.ceil(self.time * rate)
        for _ in range(steps):
            step(self.world, 1.0 / rate)
        b = self.world.bodies[self.body]
        since = steps / rate - self.time - b["velocity_lag"]
        return np.array([b["vel"][0], b["vel"][2] + G * since, b["omega"][1]])


THROWS = [("box", 0.09, 0.16, 0.2, 0.0, 0.2, -4.9), ("box", 0.12, 0.27, 1.0, 3.0, 0.5, 2.6),
          ("box", 0.18, 0.38, 0.2, 3.0, -1.3, -2.4), ("box", 0.47, 0.09, 40.0, 0.0, 0.0, 3.1),
          ("ellipsoid", 0.36, 0.18, 40.0, 0.0, 1.4, -2.4), ("ellipsoid", 0.05, 0.25, 40.0, 3.0, 0.5, 1.5),
          ("ellipsoid", 0.34, 0.07, 5.0, 0.0, -0.6, -2.9), ("ellipsoid", 0.08, 0.37, 1.0, 3.0, 0.2, 3.0)]
"""shape, a, c [m], mass [kg], mu, t [rad], w [rad/s]."""


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("throw", THROWS)
@pytest.mark.parametrize("solver", ["sequential_impulses", "soft_steps"])
def test_a_thrown_body_leaves_its_impact_as_the_closed_form_has_it(solver, throw, rate):
    thrown = Throw(*throw)
    thrown.world.use_solver(solver)
    share = 0.025 if solver == "soft_steps" else 1.3 / rate
    assert thrown.fly(rate) == pytest.approx(thrown.after, abs=share * np.abs(thrown.after).max())


@pytest.mark.parametrize("law", laws())
def test_without_restitution_all_laws_agree(law):
    """An ellipse meets the smooth floor with one point."""
    thrown = Throw(*THROWS[4])
    thrown.world.solver.set(impact_law=law)
    assert thrown.fly(60) == pytest.approx(thrown.after, abs=0.02 * np.abs(thrown.after).max())


def impacts(bodies: int, w: float) -> tuple[int, int]:
    """(Impacts, substeps) while bodies that spin so fast fall on a floor, each by itself."""
    world = World()
    world.add_body(Plane(), kind="static")
    for k in range(bodies):
        world.add_body(Box((0.1, 0.1, 0.2)), pos=(k, 0.0, 0.3), quat=(0.9, 0.1, 0.4, 0.1), omega=(0.0, w, 0.0))
    reports = [step(world, 1.0 / 60.0) for _ in range(8)]
    return sum(report.impacts for report in reports), sum(report.substeps for report in reports)


def test_a_crowd_is_not_cut_for_them():
    """Parts of a step are for bodies that turn, before or after an impact, and for few of them: a falling heap has an impact in
    each step."""
    assert impacts(1, 1.0)[0] == impacts(1, 0.0)[0] == 1
    assert impacts(40, 1.0)[0] == impacts(40, 0.0)[0] == 0


def gather(world: World, count: int) -> None:
    """Bodies that nothing meets: in a crowd, no step is cut for an impact without restitution."""
    for k in range(count):
        world.add_body(Sphere(0.1), kind="static", pos=(3.0 * k, 50.0, 1.0))


def test_what_an_impact_sets_spinning_does_not_come_round_through_the_floor():
    """Small eggs that fall at 10 to 40 m/s hardly turn, but turn by 2 rad in the step after their impact."""
    chance, deepest = np.random.default_rng(0), 0.0
    for _ in range(20):
        world, quat = World(), chance.normal(size=4)
        world.add_body(Plane(), kind="static", friction=0.0)
        gather(world, 27)
        world.add_body(Ellipsoid((0.054, 0.055, 0.112)), mass=1.4, friction=0.0, pos=(0.0, 0.0, 0.35),
                       quat=quat / np.linalg.norm(quat), omega=3.0 * chance.normal(size=3),
                       vel=(2.0, -2.0, -chance.uniform(10.0, 40.0)))
        deepest = max([deepest] + [step(world, 1.0 / 120.0).penetration for _ in range(6)])
    assert deepest < 0.016      # it was 0.047


@pytest.mark.parametrize("mass", [0.3, 40.0])
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("restitution", [0.0, 0.7])
def test_balls_that_meet_in_mid_air_are_where_the_closed_form_has_them(restitution, rate, mass):
    """Through a step with their impact: positions and velocities, smooth, without gravity."""
    world = World(gravity=(0.0, 0.0, 0.0))
    gather(world, 40)
    start = np.array([[0.0, 0.0, 0.0], [0.45, 0.08, 0.03]])
    given = np.array([[9.0, 0.5, -1.0], [-6.0, 0.0, 2.0]])
    masses = np.array([1.0, mass])
    balls = [world.add_body(Sphere(0.1), pos=start[k], vel=given[k], mass=masses[k], friction=0.0, restitution=restitution)
             for k in range(2)]
    apart, fast = start[1] - start[0], given[1] - given[0]
    t = brentq(lambda time: float(np.linalg.norm(apart + time * fast)) - 0.2, 0.0, -float(apart @ fast) / float(fast @ fast))
    normal = (apart + t * fast) / 0.2
    p = -(1.0 + restitution) * float(normal @ fast) / (1.0 + 1.0 / mass)
    after = given + np.outer([-p, p / mass], normal)
    steps = math.ceil(t * rate)
    for _ in range(steps):
        assert not step(world, 1.0 / rate).audit.findings
    tables = world.bodies[balls]
    assert tables["vel"] == pytest.approx(after, abs=1e-4)
    assert tables["pos"] == pytest.approx(start + t * given + (steps / rate - t) * after, abs=1e-5)


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("speed", [1.0, 6.0])
@pytest.mark.parametrize("substeps", [1, 2, 6])
def test_what_meets_in_mid_air_keeps_its_angular_momentum(substeps, speed, friction):
    """Tumbling boxes, slow and fast, among others, through the step of their impact. In several substeps they press on, turn and
    slip meanwhile."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.solver.set(substeps=substeps)
    gather(world, 40)
    for side, angle in ((-1.0, 0.3), (1.0, 1.1)):
        world.add_body(Box((0.1, 0.15, 0.2)), mass=5.0, friction=friction, quat=(math.cos(angle), 0.0, math.sin(angle), 0.0),
                       pos=(0.35 * side, 0.03 * side, 0.05 * side), vel=(-0.5 * speed * side, 0.1 * speed, 0.0),
                       omega=(0.3 * side, 2.0, 1.0))
    before, met = np.array(measure.momentum(world.bodies)[1]), False
    while not met and world.steps < 60:
        report = step(world, 1.0 / 60.0)
        met = len(world.contacts) > 0 and float(world.contacts["impulse"].max()) > 0.0
    assert met
    assert np.array(measure.momentum(world.bodies)[1]) == pytest.approx(before, abs=1e-12 * np.linalg.norm(before))
    assert not {Rule.SPIN, Rule.BALANCE, Rule.MOMENTUM} & {finding.rule for finding in report.audit.findings}
