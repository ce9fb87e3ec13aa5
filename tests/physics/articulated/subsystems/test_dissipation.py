"""Dry friction of ball joints, alone and in chains: Coulomb's law from what is reported, against equations and against hinges."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from physics import Box, World, set_option, step
from physics.articulated.subsystems import integrate
from physics.articulated.subsystems.dissipation import coupling, least_bounded
from physics.articulated.subsystems.mechanism import Mechanism

MASS, INERTIA, CENTRE, G = 1.3, np.array([0.01, 0.03, 0.035]), np.array([0.3, 0.1, 0.0]), 9.81


def pendulum(bound: float, omega: np.ndarray, kind: str = "spherical") -> World:
    """A body of three unlike moments of inertia, off the axes of its joint at the origin."""
    world = World(gravity=(0.0, 0.0, -G))
    world.use_solver("subsystems")
    body = world.add_body(Box((0.3, 0.1, 0.05)), pos=tuple(CENTRE), mass=MASS, inertia=tuple(INERTIA), omega=tuple(omega),
                          vel=tuple(np.cross(omega, CENTRE)), mask=0)
    world.add_joint(kind, 0, body, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), max_friction=bound)
    return world


def chain(links: int, bound: float, kind: str = "spherical") -> World:
    """A level chain held at one end, of links of 0.1 m and 0.1 kg."""
    world, last = World(gravity=(0.0, 0.0, -G)), 0
    world.use_solver("subsystems")
    for k in range(links):
        body = world.add_body(Box((0.05, 0.02, 0.02)), pos=(0.1 * k + 0.05, 0.0, 0.0), mass=0.1, mask=0)
        world.add_joint(kind, last, body, anchor=(0.1 * k, 0.0, 0.0), axis=(0.0, 1.0, 0.0), max_friction=bound)
        last = body
    return world


def net(links: int, bound: float) -> World:
    """Two chains side by side with ball joints, and rungs between them."""
    world, ends = World(gravity=(0.0, 0.0, -G)), {}
    world.use_solver("subsystems")
    for y in (0.0, 0.2):
        last = 0
        for k in range(links):
            body = world.add_body(Box((0.05, 0.02, 0.02)), pos=(0.1 * k + 0.05, y, 0.0), mass=0.1, mask=0)
            world.add_joint("spherical", last, body, anchor=(0.1 * k, y, 0.0), max_friction=bound)
            ends[y, k], last = body, body
    for k in range(1, links, 2):
        rung = world.add_body(Box((0.02, 0.1, 0.02)), pos=(0.1 * k + 0.1, 0.1, 0.0), mass=0.1, mask=0)
        for y in (0.0, 0.2):
            world.add_joint("spherical", ends[y, k], rung, anchor=(0.1 * k + 0.1, y, 0.0), max_friction=bound)
    return world


def slips(world: World) -> np.ndarray:
    """Relative angular velocities (joints, 3) from the bodies."""
    joints = world.joints[: len(world.joint_names)]
    return world.bodies["omega"][joints["body_b"]] - world.bodies["omega"][joints["body_a"]]


def torques(world: World, dt: float) -> np.ndarray:
    """Mean torques of friction (joints, 3) in a step."""
    return world.joints["friction_impulse"][: len(world.joint_names), :3] / dt


def energy(world: World) -> float:
    """Kinetic and potential energy [J], from the bodies."""
    total = 0.0
    for body in world.bodies[1:]:
        about = rotation(body["quat"]).T @ body["omega"]
        total += 0.5 * body["mass"] * body["vel"] @ body["vel"] + body["mass"] * G * body["pos"][2]
        total += 0.5 * about @ body["inertia"] @ about
    return float(total)


def rotation(quat: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(quat[[1, 2, 3, 0]]).as_matrix()


def solved(bound: float, omega: np.ndarray, seconds: float, method: str = "LSODA") -> np.ndarray:
    """The pendulum's rotation by Euler's equations about the joint, with friction F w / sqrt(w^2 + 1e-10)."""
    about = np.diag(INERTIA) + MASS * (CENTRE @ CENTRE * np.eye(3) - np.outer(CENTRE, CENTRE))

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        q, w = y[:4], y[4:]
        weight = rotation(q / np.linalg.norm(q)).T @ (0.0, 0.0, -MASS * G)
        torque = np.cross(CENTRE, weight) - bound * w / np.sqrt(w @ w + 1e-10) - np.cross(w, about @ w)
        return np.concatenate([[-0.5 * q[1:] @ w], 0.5 * (q[0] * w + np.cross(q[1:], w)), np.linalg.solve(about, torque)])
    start = np.concatenate([[1.0, 0.0, 0.0, 0.0], omega])
    end = solve_ivp(rates, (0.0, seconds), start, method=method, rtol=1e-7 if method == "LSODA" else 1e-11, atol=1e-10).y[:4, -1]
    return rotation(end)


@pytest.mark.parametrize("bound, omega, seconds, errors", [
    (1.0, (0.5, 0.3, 0.4), 0.6, (8e-3, 4e-3)),       # slows down, turns round, falls
    (2.5, (3.0, 2.0, -4.0), 0.4, (4e-2, 1e-3))])     # comes to rest
def test_a_pendulum_on_a_ball_joint_moves_as_its_equations_do(bound, omega, seconds, errors):
    expected = solved(bound, np.array(omega), seconds)
    for dt, error in zip((0.02, 0.005), errors, strict=True):
        world = pendulum(bound, np.array(omega))
        last = energy(world)
        for _ in range(round(seconds / dt)):
            step(world, dt)
            now = energy(world)
            assert now < last + 1e-9, "friction takes energy"
            last = now
        assert np.abs(rotation(world.bodies["quat"][1]) - expected).max() < error


def test_a_ball_joint_that_slips_fast_keeps_the_order_of_the_integrator():
    expected = solved(0.5, np.array([1.0, 2.0, 3.0]), 0.2, "DOP853")
    for method, order in (("RK2", 2), ("RK4", 4)):
        found = []
        for steps in (10, 20):
            world = pendulum(0.5, np.array([1.0, 2.0, 3.0]))
            world.solver.options.integrator = method
            for _ in range(steps):
                step(world, 0.2 / steps)
            found.append(np.abs(rotation(world.bodies["quat"][1]) - expected).max())
        assert found[0] > 0.75 * 2.0**order * found[1]


def test_a_ball_joint_that_turns_about_one_axis_is_a_hinge():
    """It reverses, stops and holds at the same moments."""
    ends = []
    for kind in ("spherical", "revolute"):
        world = chain(3, 0.05, kind)
        for _ in range(30):
            step(world, 0.01)
        ends.append(np.concatenate([world.bodies["pos"][1:], world.bodies["omega"][1:]]))
    assert ends[0] == pytest.approx(ends[1], abs=1e-5)


@pytest.mark.parametrize("make, links, dt", [(chain, 8, 1.0 / 60.0), (chain, 6, 1e-3), (net, 4, 1.0 / 60.0)])
def test_chains_under_random_pushes_obey_coulombs_law(make, links, dt):
    rng, bound = np.random.default_rng(0), 0.03
    world = make(links, bound)
    opposed = []
    for n in range(9):
        if n % 3 == 0:
            pushed, force, torque = int(rng.integers(1, len(world.bodies))), 2.0 * rng.normal(size=3), 0.1 * rng.normal(size=3)
        world.apply_force(pushed, tuple(force))
        world.apply_torque(pushed, tuple(torque))
        before = slips(world)
        report = step(world, dt)
        after, tau = slips(world), torques(world, dt)
        assert report.iterations < 100
        size = np.linalg.norm(tau, axis=1)
        assert (size < bound * (1.0 + 1e-3)).all()
        assert np.vdot(tau, before + after) < 1e-5 * bound, "friction takes energy"
        speed = np.linalg.norm(after, axis=1)
        for n in np.flatnonzero((speed > 0.1) & (np.linalg.norm(after - before, axis=1) < 0.3 * speed)):
            opposed.append(-float(tau[n] @ after[n]) / (bound * speed[n]))
    assert len(opposed) > 5 and min(opposed) > 0.95, "where a slip is steady, friction is at its bound, against it"


def test_a_spinning_chain_moves_as_under_impulses_at_short_steps():
    """Against sequential impulses at 1/4000 s, another way to the same law; nearer to it at shorter steps."""
    def end(solver: str, dt: float) -> np.ndarray:
        world, spins = chain(3, 0.02), np.random.default_rng(1).normal(size=(3, 3)) * 4.0
        world.use_solver(solver)
        if solver != "subsystems":
            for name, value in (("budget", 0.0), ("tolerance", 1e-12), ("iterations", 1000)):
                set_option(world.solver.options, name, value)
        speed = np.zeros(3)
        for body, spin in zip(world.bodies[1:], spins, strict=True):
            body["omega"], body["vel"] = spin, speed + np.cross(spin, (0.05, 0.0, 0.0))
            speed += np.cross(spin, (0.1, 0.0, 0.0))
        for _ in range(round(0.2 / dt)):
            step(world, dt)
        return world.bodies["pos"][1:].copy()
    expected = end("sequential_impulses", 1.0 / 4000.0)
    errors = [np.abs(end("subsystems", dt) - expected).max() for dt in (0.02, 0.005)]
    assert errors[0] < 1e-3 and errors[1] < 0.5 * errors[0]


def test_after_the_limit_of_events_the_end_of_the_part_decides(monkeypatch):
    """A chain of hinges, whose slips reverse and stop; without events it comes near, and nearer with shorter steps."""
    def end(steps: int) -> np.ndarray:
        world = chain(4, 0.05, "revolute")
        for _ in range(steps):
            step(world, 0.3 / steps)
        return world.bodies["pos"][1:].copy()
    expected = end(30)
    monkeypatch.setattr(integrate, "MAX_EVENTS", 0)
    errors = [np.abs(end(steps) - expected).max() for steps in (10, 40)]
    assert 1e-6 < errors[0] < 1e-2 and errors[1] < 0.4 * errors[0]


@pytest.mark.parametrize("rank, spread", [(30, 0.0), (30, 3.0), (14, 3.0)])
def test_bounded_forces_satisfy_their_conditions(rank, spread):
    """Also where forces depend on one another, and with bounds of all sizes: |tau| <= F, and w = 0 or tau = -F w / |w|."""
    rng = np.random.default_rng(rank)
    sizes = [3, 1, 2] * 5
    spanning = rng.normal(size=(sum(sizes), rank))
    A, c = spanning @ spanning.T, spanning @ rng.normal(size=rank)
    bounds = 10.0 ** rng.uniform(-spread, 0.0, len(sizes))
    x, at_bound = least_bounded(A, c, sizes, bounds)
    rates = A @ (np.repeat(bounds, sizes) * x) + c
    assert 0 < at_bound.sum() < len(sizes) or rank < 30
    for own, w, end in zip(np.split(x, np.cumsum(sizes)[:-1]), np.split(rates, np.cumsum(sizes)[:-1]), at_bound, strict=True):
        assert np.linalg.norm(own) < 1.0 + 1e-9
        if end:
            assert own == pytest.approx(-w / np.linalg.norm(w), abs=1e-8)
        else:
            assert np.linalg.norm(w) < 1e-9 * np.abs(c).max()


def test_coupling_is_how_slips_answer_to_friction():
    """A (tau - tau') against two evaluations of a net with closed loops."""
    rng, world = np.random.default_rng(2), net(4, 0.3)
    mechanism = Mechanism(world)
    mechanism.read(world)
    every = range(len(mechanism.laws))
    moments = []
    for _ in range(2):
        towards = {n: d / np.linalg.norm(d) for n, d in zip(every, rng.normal(size=(len(mechanism.laws), 3)), strict=True)}
        moments.append(mechanism.moment(mechanism.q, mechanism.v, 0.0, frozenset(), towards))
    rows = [law.rows for law in mechanism.laws]
    tau = [np.concatenate([moment.forces[n] for n in every]) for moment in moments]
    answer = coupling(mechanism, rows, []) @ (tau[1] - tau[0])
    expected = (moments[1].slip_rates - moments[0].slip_rates)[np.concatenate(rows)]
    assert answer == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())
