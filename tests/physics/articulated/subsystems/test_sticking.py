"""Dry friction in nets of bars, whose hinges hold one motion together: Coulomb's law at every hinge, motions against equations.

Relative rates of the hinges are W a', a: angles of the rows (scenes/bar_net.py). From rest the forces of friction solve

    min |L^-1 (f - W^T tau)|,   |tau| <= F;   M a'' = f - W^T tau,   M = L L^T                                          (1)

a bounded least squares problem: scipy's answer is the reference.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import lsq_linear

from physics import Box, Motor, World, step
from physics.articulated.subsystems import sticking
from scenes import bar_net, find, make_world


def net(monkeypatch, size: tuple[int, int], bounds, lean: float = 30.0) -> World:
    """A net of rows and meshes at rest, with the bounds [N m] of its hinges."""
    monkeypatch.setattr(bar_net, "ROWS", size[0])
    monkeypatch.setattr(bar_net, "MESHES", size[1])
    monkeypatch.setattr(bar_net, "LAST", f"bar {size[0]}/0")
    world = make_world(bar_net.SCENE, bar_net.Parameters(lean=lean))
    for joint, bound in enumerate(np.broadcast_to(bounds, len(world.joint_names)).tolist()):
        world.set_joint_friction(bound, joint)
    return world


def relations(world: World) -> np.ndarray:
    """W (hinges, rows)."""
    row = {name: int(name.split()[1].split("/")[0]) - 1 for name in world.body_names if name.startswith("bar ")}
    out = np.zeros((len(world.joint_names), bar_net.ROWS))
    for joint, record in zip(out, world.joints, strict=False):
        for side, sign in (("body_a", -1.0), ("body_b", 1.0)):
            if (name := world.body_names[record[side]]) in row:
                joint[row[name]] += sign
    return out


def terms(a: np.ndarray, rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M, f of (1)."""
    A, B = bar_net.matrices()
    apart = a[:, None] - a[None, :]
    return A * np.cos(apart), -(A * np.sin(apart)) @ rates**2 - B * np.sin(a)


def forces(world: World, dt: float) -> np.ndarray:
    """Mean torques of friction (hinges,) in a step, about -y as the angles of the rows."""
    return -world.joints["friction_impulse"][: len(world.joint_names), 0] / dt


def rates_of(world: World) -> np.ndarray:
    """Relative rates (hinges,) from the bodies, about -y."""
    joints = world.joints[: len(world.joint_names)]
    return world.bodies["omega"][joints["body_a"], 1] - world.bodies["omega"][joints["body_b"], 1]


def agrees(world: World, bounds, dt: float) -> None:
    """A short step from rest: Coulomb's law hinge by hinge, and (1)."""
    M, f = terms(bar_net.angles(world), np.zeros(bar_net.ROWS))
    W, limit = relations(world), np.broadcast_to(bounds, len(world.joint_names))
    root = np.linalg.inv(np.linalg.cholesky(M))
    tau = lsq_linear(root @ W.T, root @ f, (-limit, limit), tol=1e-15, max_iter=1000).x
    expected = W @ np.linalg.solve(M, f - W.T @ tau)
    step(world, dt)
    found, force = rates_of(world) / dt, forces(world, dt)
    scale = np.abs(W @ np.linalg.solve(M, f)).max()
    assert np.abs(found - expected).max() < 1e-5 * scale
    assert (np.abs(force) <= limit * (1.0 + 1e-8)).all()
    slips = np.abs(found) > 1e-5 * scale
    assert np.abs(force + limit * np.sign(found))[slips].max(initial=0.0) < 1e-8 * limit.max()


@pytest.mark.parametrize("bound", [0.02, 0.2, 0.6])
def test_a_hundred_bars_obey_coulombs_law_at_every_hinge(monkeypatch, bound):
    """All of 148 hinges let go, some do, none does: in a handful of evaluations."""
    world = net(monkeypatch, (4, 12), bound)
    agrees(world, bound, 1e-6)
    assert world.report.iterations <= 10


@pytest.mark.parametrize("seed", range(3))
def test_bounds_of_all_sizes_are_obeyed(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    bounds = 10.0 ** rng.uniform(-3.0, 0.0, 26)
    agrees(net(monkeypatch, (2, 4), bounds), bounds, 1e-6)


def test_one_law_at_a_time_ends_at_the_same_forces(monkeypatch):
    """Murty's rule alone."""
    monkeypatch.setattr(sticking, "PATIENCE", -1)
    monkeypatch.setattr(sticking, "LIMIT", 1000)
    bounds = 10.0 ** np.random.default_rng(3).uniform(-3.0, 0.0, 26)
    agrees(net(monkeypatch, (2, 4), bounds), bounds, 1e-6)


def test_after_the_limit_laws_only_let_go(monkeypatch):
    monkeypatch.setattr(sticking, "LIMIT", 0)
    world = net(monkeypatch, (2, 4), 0.02)
    step(world, 1e-6)
    assert np.abs(forces(world, 1e-6)).max() <= 0.02 * (1.0 + 1e-8) and world.report.iterations < 30


def test_a_net_that_its_friction_holds_does_not_move(monkeypatch):
    """The load of each row is shared by its hinges; once it crept."""
    world = net(monkeypatch, (4, 12), 0.6)
    before = world.bodies["pos"].copy()
    for _ in range(4):
        assert step(world, 0.01).iterations <= 5
    assert np.abs(world.bodies["pos"] - before).max() < 1e-14


def test_a_net_swings_to_rest_as_its_equations_do(monkeypatch):
    """Against (1) with a friction that is steep instead of dry; the motion reverses, hinges stick and let go."""
    bound = 0.05
    world = net(monkeypatch, (2, 4), bound)
    W, start = relations(world), bar_net.angles(world)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        M, f = terms(y[:2], y[2:])
        return np.concatenate([y[2:], np.linalg.solve(M, f - bound * W.T @ np.tanh(W @ y[2:] / 1e-4))])
    known = solve_ivp(rates, (0.0, 0.8), np.concatenate([start, np.zeros(2)]), method="Radau", rtol=1e-7, atol=1e-9,
                      t_eval=(0.2, 0.4, 0.6, 0.8)).y[:2].T
    for expected in known:
        for _ in range(20):
            report = step(world, 0.01)
            assert not report.audit.findings and report.iterations < 150
            assert np.abs(forces(world, 0.01)).max() <= bound * 1.05, "but for what a load grows in a step"
        assert np.abs(bar_net.angles(world) - expected).max() < 1e-3


def test_a_ball_joint_lets_go_in_the_direction_that_friction_opposes():
    """I a'' = T - F a''/|a''|, with unequal moments of inertia: a'' is not along T."""
    inertia, bound, torque = np.array([0.01, 0.02, 0.028]), 0.3, np.array([0.3, 0.5, -0.4])
    world = World(gravity=(0.0, 0.0, 0.0))
    ball = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, inertia=tuple(inertia), mask=0)
    world.add_joint("spherical", 0, ball, anchor=(0.0, 0.0, 0.0), max_friction=bound)
    world.use_solver("subsystems")
    world.apply_torque(ball, tuple(torque))
    step(world, 1e-6)
    found = world.bodies["omega"][ball] / 1e-6
    assert np.linalg.norm(found) > 10.0
    assert inertia * found == pytest.approx(torque - bound * found / np.linalg.norm(found), rel=1e-4)


def test_a_motor_and_friction_of_one_hinge_act_together():
    """Both act along one row: a wheel with 2 N m from its motor and 0.5 N m of friction."""
    world = World(gravity=(0.0, 0.0, 0.0))
    world.use_solver("subsystems")
    wheel = world.add_body(Box((0.1, 0.1, 0.1)), mass=1.0)
    hinge = world.add_joint("revolute", 0, wheel, anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), friction=0.5,
                            motor=Motor(target=1e3, force=2.0))
    for _ in range(20):
        step(world, 0.01)
    assert world.joint_coordinates(hinge)[1][0] == pytest.approx(1.5 / wheel.inertia[2, 2] * 0.2, rel=1e-9)


def test_a_strong_drive_turns_a_planetary_gear_with_friction():
    """Drives without limit beside bearings of 0.02 N m: Willis' ratio from the first step on, in few evaluations."""
    scene = find("planetary_gear")
    world = make_world(scene)
    world.use_solver("subsystems")
    for _ in range(5):
        report = step(world, scene.dt)
    rate = {name: world.joint(name).rate for name in ("sun", "carrier")}
    assert rate["sun"] == pytest.approx(6.0, rel=1e-9)
    assert rate["carrier"] == pytest.approx(6.0 * 16 / 56, rel=1e-9)
    assert report.iterations < 100
