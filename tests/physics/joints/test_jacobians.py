"""Every joint's Jacobian against finite differences of its own constraint error."""

import numpy as np
import pytest

from physics import World, joints
from physics.core import quat
from physics.core.records import ROW
from tests.tools.each_value import each_value

H = 1e-6


def given(kind: str, rng: np.random.Generator) -> dict:
    """What else `add_joint` is told: everything that the kind can use, so that all its rows are written."""
    known = joints.kinds()[kind]
    more = {"max_friction": 1.0} if known.friction else {}
    if known.axes and kind != "rope":
        more["limits"] = {known.axes[0].name: (-3.0, 3.0)}
    if known.anchors == 2:
        more |= {"anchor_b": rng.normal(size=3)}
    if kind in ("gear", "rack"):
        more |= {"axis_b": rng.normal(size=3), "ratio" if kind == "gear" else "radius": 0.7}
    return more


def joined(kind: str, seed: int) -> World:
    """Two bodies at random poses with a joint that is satisfied, then disturbed by a few centimetres and degrees."""
    rng = np.random.default_rng(seed)
    world = World()
    a, b = (world.add_body(mass=1.0, inertia=(0.3, 0.4, 0.5), pos=rng.normal(size=3), quat=rng.normal(size=4))
            for _ in range(2))
    world.add_joint(kind, a, b, anchor=rng.normal(size=3), axis=rng.normal(size=3), **given(kind, rng))
    for body in (a, b):
        turn(world.bodies[body], rng.normal(size=3) * 0.05)
        world.bodies[body]["pos"] += rng.normal(size=3) * 0.05
    return world


def turn(body: np.record, rotation: np.ndarray) -> None:
    body["quat"] = quat.turn(body["quat"], *rotation)


def written(world: World, kind: joints.JointKind) -> np.ndarray:
    """The rows of the only joint; the table is poisoned first, so that a forgotten field shows."""
    rows = np.zeros(kind.rows, ROW)
    for name in rows.dtype.names:
        rows[name] = np.nan
    kind.write(world.joints.copy(), np.array([0]), np.array([0]), world.bodies, rows, 0.01)
    return rows


def moved(world: World, body: int, direction: np.ndarray, step: float) -> World:
    """A copy of the world with one body displaced along a 6-direction (velocity, angular velocity)."""
    twin = World()
    twin.restore(world.snapshot())
    twin.bodies[body]["pos"] += step * direction[:3]
    turn(twin.bodies[body], step * direction[3:])
    return twin


@each_value()
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", sorted(joints.kinds()))
def test_jacobian_is_the_derivative_of_the_error(name, seed):
    """J of each constraint row = dC/dX, of each axis = dq/dX, by central differences; the axes of a point turn with a."""
    kind = joints.kinds()[name]
    world = joined(name, seed)
    rows = written(world, kind)

    def error(i: int, body: int, displacement: np.ndarray) -> float:
        errors = written(moved(world, body, displacement, 1.0), kind)["position_error"]
        if kind.holds & joints.Holds.POINT and i < 3 and body == 1:
            back = quat.turn((1.0, 0.0, 0.0, 0.0), *-displacement[3:])
            return quat.rotate(back, tuple(errors[:3]))[i]
        return errors[i]

    for i in range(kind.constraint + len(kind.axes)):
        for body, side in ((1, "a"), (2, "b")):
            for k in range(6):
                plus, minus = error(i, body, H * np.eye(6)[k]), error(i, body, -H * np.eye(6)[k])
                analytic = (rows[i][f"lin_{side}"] if k < 3 else rows[i][f"ang_{side}"])[k % 3]
                assert analytic == pytest.approx((plus - minus) / (2 * H), abs=2e-8), (name, i, side, k)


@pytest.mark.parametrize("name", sorted(joints.kinds()))
def test_every_field_of_every_row_is_written(name):
    """No row leaves Jacobian, target, softness or offset to what was in memory."""
    rows = written(joined(name, 1), joints.kinds()[name])
    for field in ("lin_a", "ang_a", "lin_b", "ang_b", "target", "softness", "position_error"):
        assert np.isfinite(rows[field]).all(), field


@pytest.mark.parametrize("name", [n for n, k in joints.kinds().items() if k.constraint and k.friction and n != "rod"])
def test_friction_rows_span_the_free_directions(name):
    """Constraint and friction rows together have rank 6: B V = 0 with J V = 0 is no relative motion (MS16 eq 4, 6).

    But for the rod: it turns freely about itself.
    """
    kind = joints.kinds()[name]
    rows = written(joined(name, 2), kind)
    jacobian = np.hstack([rows["lin_b"], rows["ang_b"]])
    assert np.linalg.matrix_rank(jacobian) == 6


@pytest.mark.parametrize("name", sorted(joints.kinds()))
def test_a_common_motion_of_both_bodies_is_no_relative_motion(name):
    """Moving both bodies as one rigid body leaves every row's velocity at zero where the joint is satisfied."""
    kind = joints.kinds()[name]
    rng = np.random.default_rng(3)
    world = World()
    a, b = (world.add_body(mass=1.0, inertia=(0.3, 0.4, 0.5), pos=rng.normal(size=3), quat=rng.normal(size=4))
            for _ in range(2))
    world.add_joint(name, a, b, anchor=rng.normal(size=3), axis=rng.normal(size=3), **given(name, rng))
    v, omega = rng.normal(size=3), rng.normal(size=3)
    for row in written(world, kind):
        total = 0.0
        for body, side in ((a, "a"), (b, "b")):
            velocity = v + np.cross(omega, world.bodies[body]["pos"])
            total += row[f"lin_{side}"] @ velocity + row[f"ang_{side}"] @ omega
        assert total == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(n for n, k in joints.kinds().items() if k.constraint or k.axes))
def test_the_curvature_term_is_half_a_step_of_the_jacobians_change(name, seed):
    """Two bodies that move as the joint allows: after the step all coordinates are q + dt (J V - target), to third order.

    The motion: constant velocities, projected onto the constraint; the chord is compared at dt and dt / 2.
    """
    kind = joints.kinds()[name]
    world, rng = World(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(seed)
    a, b = (world.add_body(mass=1.0, inertia=(0.3, 0.4, 0.5), pos=rng.normal(size=3), quat=rng.normal(size=4))
            for _ in range(2))
    world.add_joint(name, a, b, anchor=rng.normal(size=3), axis=rng.normal(size=3), **given(name, rng))
    rows = written(world, kind)
    jacobian = np.hstack([rows[f] for f in ("lin_a", "ang_a", "lin_b", "ang_b")])[: kind.constraint]
    velocity = rng.normal(size=12)
    if kind.constraint:
        velocity -= np.linalg.lstsq(jacobian, jacobian @ velocity, rcond=None)[0]
    for i, body in enumerate((a, b)):
        world.set_velocity(body, velocity[6 * i : 6 * i + 3], velocity[6 * i + 3 : 6 * i + 6])
    errors = []
    for dt in (0.02, 0.01):
        rows = written_with(world, kind, dt)
        after = moved(moved(world, a, velocity[:6], dt), b, velocity[6:], dt)
        change = written_with(after, kind, dt)["position_error"] - rows["position_error"]
        speed = np.hstack([rows[f] for f in ("lin_a", "ang_a", "lin_b", "ang_b")]) @ velocity
        errors.append((change - dt * (speed - rows["target"]))[: kind.constraint + len(kind.axes)])
    exact = kind.constraint + (len(kind.axes) if name not in FIRST_ORDER else 0)
    worst = np.abs(errors)[:, :exact].max(axis=1, initial=0.0)
    assert worst[1] < 1e-12 or worst[1] < 0.2 * worst[0], "halving the step divides the error by eight, not by four"


FIRST_ORDER = ("spherical", "cylindrical", "planar", "six_dof", "torsion_spring", "universal")
"""Kinds with axes whose bend is right only where the others rest: limits and motors there are of first order."""


def written_with(world: World, kind: joints.JointKind, dt: float) -> np.ndarray:
    rows = np.zeros(kind.rows, ROW)
    kind.write(world.joints.copy(), np.array([0]), np.array([0]), world.bodies, rows, dt)
    return rows
