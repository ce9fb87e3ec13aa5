"""Compliant contact (F11 11.8) against the closed forms at the head of compliant_contact.py, and against rigid solvers."""

import math

import numpy as np
import pytest

from physics import BadInput, Box, Cylinder, Material, Plane, Sphere, World, set_option, step
from physics.core.records import Case
from physics.dynamics import measure
from physics.observe.audit.worst_places import Rule
from physics.solvers import compliant_contact
from physics.solvers.compliant_contact import BOTH, CLOSED, HUNT_CROSSLEY, INTEGRATED, NO_RESTITUTION
from tests.helpers import world_under

G = 9.81


def soft_world(gravity=(0.0, 0.0, -G), mu: float = 0.5, **options: object) -> World:
    """A floor under compliant contact."""
    world = world_under("compliant_contact", gravity, **options)
    world.add_body(Plane(), kind="static", friction=mu)
    return world


def run(world: World, seconds: float, dt: float) -> list:
    """Step; every report, whose audit must find nothing."""
    reports = [step(world, dt) for _ in range(round(seconds / dt))]
    assert [f.text for r in reports for f in r.audit.findings] == []
    return reports


def thrown(m: float, v: float, above: float = 0.00037, **options: object) -> tuple[World, int]:
    """A ball without gravity, `above` [m] over the floor, on its way down."""
    world = soft_world((0.0, 0.0, 0.0), **options)
    return world, world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1 + above), vel=(0.0, 0.0, -v), mass=m, name="ball")


def oscillation(K: float, D: float, m: float) -> tuple[float, float, float]:
    """(contact time [s], restitution, depth at the end over speed [s]): (1) to (3)."""
    zeta = D / (2.0 * math.sqrt(K * m))
    a, omega = zeta * math.sqrt(K / m), math.sqrt(K / m) * math.sqrt(1.0 - zeta * zeta)
    time = 2.0 * math.acos(zeta) / omega
    e = math.exp(-a * time)
    return time, e, e * math.sin(omega * time) / omega


# ---- normal: (11.73), (11.74)


@pytest.mark.parametrize(("K", "m"), [(1e5, 1.0), (4e4, 3.0)])
@pytest.mark.parametrize("zeta", [0.02, 0.3, 0.8])
def test_restitution_and_contact_time_are_those_of_the_damped_half_oscillation(K, m, zeta):
    D, v, dt, seconds = 2.0 * zeta * math.sqrt(K * m), 0.7, 1e-3, 0.06
    time, e, depth = oscillation(K, D, m)
    world, ball = thrown(m, v, stiffness=K, damping=D)
    run(world, seconds, dt)
    assert world.bodies["vel"][ball, 2] == pytest.approx(e * v, abs=1e-3 * v)
    height = -depth * v + e * v * (seconds - 0.00037 / v - time)       # it leaves the patch below the surface
    assert world.bodies["pos"][ball, 2] - 0.1 == pytest.approx(height, abs=1e-3 * v * time)


def test_errors_fall_with_the_square_of_the_substep():
    K, D, m, v = 1e5, 100.0, 1.0, 1.0
    _, e, _ = oscillation(K, D, m)
    errors = []
    for substeps in (2, 4, 8):
        off = []
        for above in np.linspace(1e-4, 1e-3, 25):
            world, ball = thrown(m, v, float(above), stiffness=K, damping=D, substeps=substeps)
            run(world, 0.02, 1e-3)
            off.append(world.bodies["vel"][ball, 2] / v - e)
        errors.append(np.sqrt(np.mean(np.square(off))))
    assert errors[-1] < 1e-4 and errors[0] > 3.0 * errors[1] > 9.0 * errors[2], errors


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
@pytest.mark.parametrize("K", [1e4, 1e6])
def test_a_box_rests_at_the_depth_of_its_load(dt, K):
    world = soft_world(stiffness=K, damping=0.02 * math.sqrt(K) * 10.0)
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), mass=2.0)
    run(world, 1.0, dt)
    assert 0.1 - world.bodies["pos"][box, 2] == pytest.approx(2.0 * G / (4.0 * K), rel=1e-4)
    assert world.contacts["residual"].max() < 1e-9


def test_five_boxes_rest_on_one_another():
    world = soft_world()
    boxes = [world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1 + 0.2 * k), mass=1.0) for k in range(5)]
    run(world, 2.0, 1.0 / 60.0)
    sunk = 0.1 + 0.2 * np.arange(5) - world.bodies["pos"][boxes, 2]
    assert sunk == pytest.approx(np.cumsum([5, 4, 3, 2, 1]) * G / 4e5, rel=1e-5)
    assert np.abs(world.bodies["vel"][boxes]).max() < 1e-9


@pytest.mark.parametrize("released", [CLOSED, INTEGRATED])
def test_a_released_patch_recovers_exponentially(released):
    K, D = 1e4, 400.0
    world, _ = thrown(1.0, 1.0, stiffness=K, damping=D, released_patch=released)
    seen = []
    while len(seen) < 12:
        step(world, 1e-3)
        if len(world.contacts) and world.contacts[0]["case"] == Case.OPEN and world.contacts[0]["patch"][2] < 0.0:
            seen.append(float(world.contacts[0]["patch"][2]))
    left = np.divide(seen[1:], seen[:-1])
    assert left == pytest.approx(math.exp(-K / D * 1e-3), rel=1e-12 if released == CLOSED else 1e-4)
    assert released == CLOSED or left != pytest.approx(math.exp(-K / D * 1e-3), rel=1e-12)


def test_two_soft_surfaces_act_as_one_of_half_the_stiffness_and_damping():
    ends = []
    for options in ({"soft_surfaces": BOTH, "stiffness": 2e5, "damping": 100.0},
                    {"stiffness": 1e5, "damping": 50.0, "tangential_stiffness": 2.5e4, "tangential_damping": 25.0}):
        world, ball = thrown(1.0, 1.0, **options)
        world.bodies["omega"][ball] = (3.0, 0.0, 0.0)
        run(world, 0.02, 1e-3)
        ends.append(world.bodies[ball].tobytes())
    assert ends[0] == ends[1]


@pytest.mark.parametrize(("v", "m"), [(0.5, 1.0), (2.0, 1.0), (2.0, 5.0)])
def test_hunt_and_crossley_restitution_depends_on_speed_alone(v, m):
    K, D, depth = 1e5, 100.0, 1e-3
    world, ball = thrown(m, v, spring=HUNT_CROSSLEY, stiffness=K, damping=D, reference_depth=depth)
    run(world, 0.1, 1e-3)
    out, c = world.bodies["vel"][ball, 2], D / (K * depth)
    assert 0.0 < out < v
    assert c * (v + out) == pytest.approx(math.log((1.0 + c * v) / (1.0 - c * out)), rel=1e-3)       # (4)


# ---- tangential: (11.75) to (11.79)


@pytest.mark.parametrize("dt", [1e-3, 1.0 / 60.0])
def test_on_a_slope_a_box_creeps_by_the_springs_and_sticks(dt):
    theta, K_t = 0.3, 5e4
    world = soft_world((G * math.sin(theta), 0.0, -G * math.cos(theta)), mu=2.0, tangential_stiffness=K_t)
    box = world.add_body(Box((0.1, 0.1, 0.05)), pos=(0.0, 0.0, 0.05), mass=1.0)
    run(world, 1.0, dt)
    foot = world.bodies["pos"][box, 0]
    creep, tilt = G * math.sin(theta) / (4.0 * K_t), G * math.sin(theta) * 0.05**2 / (4.0 * 1e5 * 0.1**2)
    assert foot == pytest.approx(creep + tilt, rel=0.01)
    run(world, 4.0, dt)
    assert world.bodies["pos"][box, 0] == pytest.approx(foot, rel=1e-7), "the creep is bounded"
    assert (world.contacts["case"] == Case.STICK).all()


@pytest.mark.parametrize("dt", [1.0 / 60.0, 1.0 / 240.0, 1.0 / 960.0])
@pytest.mark.parametrize("m, size, mu", [(1.0, 0.05, 0.45), (1.0, 0.05, 0.35), (200.0, 0.3, 0.45), (0.01, 0.02, 0.35)])
def test_a_box_put_on_a_slope_breaks_loose_by_static_friction_at_every_rate(dt, m, size, mu):
    """tan 0.4 = 0.423. Above it mu_s holds though the box swings on its springs, and patches slip while it does; below, the box
    is as fast as springs can hold after t, (1) of compliant/sliding.py, then slides with mu_k: v = a_k (T - t) + a_s t
    in the end. Steps that ended at a moment of slip took mu_k: at 60 Hz the box slid away, at 240 Hz it crept."""
    K, kinetic, along, across = 1e5 * m, 0.3, G * math.sin(0.4), G * math.cos(0.4)
    world = World(gravity=(along, 0.0, -across))
    world.use_solver("compliant_contact")
    springs = {"stiffness": K, "damping": 100.0 * m, "tangential_stiffness": 0.5 * K, "tangential_damping": 50.0 * m}
    for name, value in springs.items():
        set_option(world.solver.options, name, value)
    rule = {"friction": "product"}
    world.add_body(Plane(), kind="static", material=Material(friction=1.0, mixing=rule))
    box = world.add_body(Box((2.0 * size, size, size)), pos=(0.0, 0.0, size), mass=m,
                         material=Material(friction=mu, kinetic_friction=kinetic, mixing=rule))
    run(world, 0.25, dt)
    stretch, speed = m * along / (2.0 * K), world.bodies["vel"][box, 0]
    if mu > math.tan(0.4):
        assert world.bodies["pos"][box, 0] < 20.0 * stretch and abs(speed) < 1e-4
        return
    held, slides = along - mu * across, along - kinetic * across
    t = mu * across / math.sqrt(2.0 * K / m) / held
    assert speed == pytest.approx(slides * (0.25 - t) + held * t, rel=2e-2)
    assert world.contacts["friction"] == pytest.approx(kinetic, abs=1e-12)


@pytest.mark.parametrize("direction", [0.0, 0.7, 2.5])
def test_a_sliding_box_obeys_coulomb_in_every_direction(direction):
    mu, v = 0.4, 1.5
    world = soft_world(mu=mu)
    way = np.array([math.cos(direction), math.sin(direction), 0.0])
    box = world.add_body(Box((0.1, 0.1, 0.02)), pos=(0.0, 0.0, 0.02 - G / 4e5), vel=v * way, mass=1.0, friction=mu)
    run(world, 0.2, 1.0 / 120.0)
    f = world.contacts["friction_impulse"]
    assert np.linalg.norm(f, axis=1) == pytest.approx(mu * world.contacts["impulse"], rel=1e-9)
    assert (world.contacts["case"] == Case.SLIP).all()
    run(world, 0.3, 1.0 / 120.0)
    assert world.bodies["pos"][box] @ way == pytest.approx(v * v / (2.0 * mu * G), rel=2e-3)
    assert np.abs(np.cross(world.bodies["pos"][box], way)[2]) < 1e-5


def test_a_ball_thrown_along_the_floor_rolls():
    world = soft_world()
    ball = world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), vel=(2.0, 0.0, 0.0), mass=1.0)
    run(world, 1.5, 1.0 / 60.0)
    assert world.bodies["vel"][ball, 0] == pytest.approx(10.0 / 7.0, rel=1e-6)
    assert world.bodies["omega"][ball, 1] == pytest.approx(100.0 / 7.0, rel=1e-6)


def test_a_turntable_carries_a_box_without_drift():
    world = World()
    world.use_solver("compliant_contact")
    table = world.add_body(Box((1.0, 1.0, 0.1)), kind="kinematic", pos=(0.0, 0.0, -0.1), omega=(0.0, 0.0, 2.0), friction=1.0)
    box = world.add_body(Box((0.05, 0.05, 0.05)), pos=(0.5, 0.0, 0.05 - G / 4e5), vel=(0.0, 1.0, 0.0), omega=(0.0, 0.0, 2.0),
                         mass=1.0, friction=1.0)
    places = []
    for _ in range(3):
        run(world, 0.25, 1.0 / 480.0)
        turn = 2.0 * world.time
        x, y, _ = world.bodies["pos"][box] - world.bodies["pos"][table] * (1.0, 1.0, 0.0)
        places.append((x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)))
    assert np.ptp(np.array(places)[1:], axis=0) == pytest.approx(0.0, abs=2e-6)


# ---- energy, and who judges it


def test_springs_return_what_they_stored_and_dampers_take_the_rest():
    K, D = 1e5, 60.0
    _, e, _ = oscillation(K, D, 1.0)
    world, _ball = thrown(1.0, 1.0, stiffness=K, damping=D)
    world.records_energy = True
    most = 0.0
    for _ in range(30):
        ledger = run(world, 1e-3, 1e-3)[0].ledger
        most = max(most, -world.energy_totals.ledger["contact springs"])
        assert sum(ledger.values()) - ledger["numerical"] == pytest.approx(sum(ledger.values()), abs=1e-12)
    total = world.energy_totals.ledger
    assert 0.3 < most < 0.5
    assert total["contact springs"] == pytest.approx(0.0, abs=1e-12)
    assert total["contact"] == pytest.approx(-0.5 * (1.0 - e * e), rel=1e-3)


def test_the_auditor_finds_energy_that_no_spring_had_stored():
    found = set()
    for honest in (True, False):
        world, ball = thrown(1.0, 1.0)
        real = world.solver.step

        def step_and_push(world, contacts, dt, real=real, ball=ball):
            report = real(world, contacts, dt)
            c = world.contacts if not len(contacts) else contacts
            c["impulse"] *= 1.2
            world.bodies["vel"][ball, 2] += 0.2 / 1.2 * c["impulse"].sum()
            return report

        if not honest:
            world.solver.step = step_and_push
        rules = {f.rule for _ in range(20) for f in step(world, 1e-3).audit.findings}
        found |= rules if not honest else set()
        assert not honest or rules == set()
    assert Rule.GAINED in found


def test_deep_contact_is_no_fault_until_half_a_body_is_inside():
    world = soft_world(stiffness=1e3, damping=200.0)
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=4.0)
    run(world, 1.0, 1e-2)
    assert world.report.penetration == pytest.approx(4.0 * G / 1e3, rel=0.01)
    world.add_body(Sphere(0.1), pos=(0.0, 1.0, 0.1), mass=15.0)
    assert Rule.OVERLAP in {f.rule for _ in range(50) for f in step(world, 1e-2).audit.findings}


# ---- beside the rigid laws


def test_as_stiffness_grows_the_rigid_answer_returns():
    v, mu, errors = 1.5, 0.4, []
    for K in (1e4, 1e5, 1e6):
        world = soft_world(mu=mu, stiffness=K, tangential_stiffness=0.5 * K, damping=1e-3 * K, tangential_damping=5e-4 * K)
        box = world.add_body(Box((0.1, 0.1, 0.02)), pos=(0.0, 0.0, 0.02), vel=(v, 0.0, 0.0), mass=1.0, friction=mu)
        run(world, 0.5, 1e-2)
        errors.append(abs(world.bodies["pos"][box, 0] - v * v / (2.0 * mu * G)) + abs(0.02 - world.bodies["pos"][box, 2]))
    assert errors[0] > 3.0 * errors[1] > 9.0 * errors[2], errors


def test_a_mechanism_works_beside_soft_contacts():
    ends = []
    for solver in ("compliant_contact", "sequential_impulses"):
        world = World()
        world.use_solver(solver)
        world.add_body(Plane(), kind="static", friction=0.3)
        arm = world.add_body(Box((0.3, 0.04, 0.04)), pos=(0.3, 0.0, 0.5), mass=1.0, friction=0.3)
        hand = world.add_body(Box((0.3, 0.04, 0.04)), pos=(0.9, 0.0, 0.5), mass=0.5, friction=0.3)
        world.add_joint("revolute", 0, arm, anchor=(0.0, 0.0, 0.5), axis=(0.0, 1.0, 0.0), max_friction=0.5, name="shoulder")
        world.add_joint("revolute", arm, hand, anchor=(0.6, 0.0, 0.5), axis=(0.0, 1.0, 0.0), limits=(-0.5, 0.5), name="elbow")
        reports = run(world, 3.0, 1.0 / 120.0)
        assert max(r.joint_error for r in reports) < 1e-6
        assert abs(world.joints["coordinate"][1, 0]) < 0.5 + 1e-6
        ends.append(world.bodies["pos"][[arm, hand]].copy())
    assert len(world.contacts) > 0 and np.abs(ends[0] - ends[1]).max() < 2e-3


def test_without_contacts_a_pendulum_swings_as_under_sequential_impulses():
    ends = []
    for solver in ("compliant_contact", "sequential_impulses"):
        world = World()
        world.use_solver(solver)
        bob = world.add_body(Sphere(0.1), pos=(1.0, 0.0, 0.0), mass=1.0)
        world.add_joint("revolute", 0, bob, anchor=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
        run(world, 1.0, 5e-3)
        ends.append(world.bodies["pos"][bob].copy())
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


# ---- state, options, bad input


def test_patches_belong_to_the_state():
    world = soft_world()
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.12), vel=(1.0, 0.5, 0.0), omega=(1.0, 2.0, 3.0), mass=1.0)
    run(world, 0.4, 1e-2)
    assert np.abs(world.contacts["patch"]).max() > 1e-6
    saved = world.snapshot()
    run(world, 0.3, 1e-2)
    end = world.bodies[box].tobytes()
    world.restore(saved)
    run(world, 0.3, 1e-2)
    assert world.bodies[box].tobytes() == end
    world.restore(saved)
    world.awake_contacts["patch"] = 0.0
    run(world, 0.3, 1e-2)
    assert world.bodies[box].tobytes() != end


@pytest.mark.parametrize("other", ["sequential_impulses", "soft_steps", "stewart_trinkle"])
def test_it_is_switched_live_with_the_others(other):
    world = soft_world()
    box = world.add_body(Box((0.1, 0.1, 0.1)), pos=(0.0, 0.0, 0.1), vel=(1.0, 0.0, 0.0), mass=1.0)
    for solver in (other, "compliant_contact", other, "compliant_contact"):
        world.use_solver(solver)
        run(world, 0.1, 1e-2)
    assert abs(world.bodies["pos"][box, 2] - 0.1) < 1e-3 and 0.0 < world.bodies["pos"][box, 0] < 0.11


@pytest.mark.parametrize("name", ["stiffness", "damping", "tangential_stiffness", "tangential_damping"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_springs_and_dampers_that_are_none_are_refused(name, value):
    world = soft_world()
    before = getattr(world.solver.options, name)
    with pytest.raises(BadInput, match=rf"^{name} = .* is out of range; allowed: .* N"):
        set_option(world.solver.options, name, value)
    assert getattr(world.solver.options, name) == before


def test_contacts_too_stiff_for_the_step_are_refused_by_name_and_the_state_is_kept():
    world, ball = thrown(1.0, 1.0)
    run(world, 0.002, 1e-3)
    before = world.bodies.tobytes(), world.contacts.tobytes(), world.time
    set_option(world.solver.options, "stiffness", 1e12)
    with pytest.raises(BadInput, match=r"the contact of '.*' and 'ball' is too stiff for a step of 0\.001 s.*allowed: 10000"):
        step(world, 1e-3)
    assert (world.bodies.tobytes(), world.contacts.tobytes(), world.time) == before
    set_option(world.solver.options, "stiffness", 1e5)
    run(world, 0.01, 1e-3)
    assert world.bodies["vel"][ball, 2] > 0.0


@pytest.mark.parametrize(("material", "words"), [
    ({"adhesion": 1.0}, "adhesion"), ({"anisotropy": 0.5}, "anisotropic friction"),
    ({"tangential_restitution": 0.5}, "tangential restitution is not supported: slip returns by the tangential stiffness"),
    ({"torsional_restitution": 0.5}, "torsional restitution is not supported: spin returns by the tangential stiffness")])
def test_what_is_not_supported_is_named(material, words):
    world = soft_world()
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=1.0, material=Material(**material))
    assert words in world.solver.unsupported(world)
    with pytest.raises(BadInput, match=words):
        step(world, 1e-2)


def test_restitution_without_effect_is_said():
    world = soft_world()
    world.add_body(Sphere(0.1), pos=(0.0, 0.0, 0.1), mass=1.0, restitution=0.5)
    step(world, 1e-2)
    assert NO_RESTITUTION in list(world.warnings)


@pytest.mark.parametrize("K", [1e4, 1e6])
def test_substeps_follow_stiffness_and_mass(K):
    counts = {}
    for m in (1.0, 4.0):
        world, _ = thrown(m, 1.0, stiffness=K, tangential_stiffness=1.0, damping=1.0, tangential_damping=1.0)
        run(world, 5e-3, 5e-3)
        counts[m] = world.report.substeps
    assert counts[1.0] == pytest.approx(2.0 * counts[4.0], abs=1)
    assert counts[1.0] == math.ceil(5e-3 * math.sqrt(1.1 * K) / 0.05)


def crowd() -> World:
    """Elastic balls that fall on the floor and fly into one another."""
    world = World()
    world.use_solver("compliant_contact")
    world.add_body(Plane(), kind="static", friction=0.0)
    for k in range(64):
        place = (0.25 * (k % 4) + 0.01 * (k % 3), 0.25 * (k // 4 % 4) + 0.01 * (k % 5), 0.3 + 0.25 * (k // 16))
        world.add_body(Sphere(0.1), pos=place, vel=(0.0, 0.0, -4.0), mass=1.0, friction=0.0)
    return world


def test_balls_that_rebound_meet_others_within_a_step(monkeypatch):
    """Contacts found once in 16 ms let balls fly into one another by centimetres, and these gained energy."""
    world = crowd()
    start = sum(measure.energy(world.bodies, world.gravity))
    reports = [step(world, 1 / 60) for _ in range(24)]
    assert max(sum(report.energy.values()) for report in reports) < start * (1.0 + 1e-6)
    monkeypatch.setattr(compliant_contact, "MAX_PART", 1.0)
    world = crowd()
    reports = [step(world, 1 / 60) for _ in range(24)]
    assert max(sum(report.energy.values()) for report in reports) > 1.005 * start
    assert any(finding.rule == Rule.SPIN for report in reports for finding in report.audit.findings)


@pytest.mark.parametrize("h", [1 / 240, 1 / 1000])
@pytest.mark.parametrize("shape", [Box((0.1, 0.07, 0.05)), Cylinder(0.08, 0.05)])
def test_what_tumbles_gains_nothing_and_the_auditor_knows(shape, h):
    """Between rebounds the energy never grows. The auditor told of gains, for corners turn while they press."""
    for seed in range(4):
        random, world, flight = np.random.default_rng(seed), World(), math.inf
        world.use_solver("compliant_contact")
        world.add_body(Plane(), kind="static", friction=0.4)
        turn = random.normal(size=4)
        world.add_body(shape, pos=(0.0, 0.0, 0.6), quat=turn / np.linalg.norm(turn), vel=1.5 * random.normal(size=3),
                       omega=6.0 * random.normal(size=3), mass=1.0, friction=0.4)
        for _ in range(round(0.8 / h)):
            report = step(world, h)
            assert not report.audit.findings
            if report.penetration <= 0.0 and not world.contacts["impulse"].any():
                assert sum(report.energy.values()) < flight + 1e-3
                flight = sum(report.energy.values())
