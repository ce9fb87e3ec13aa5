"""Polyhedra, kinks, the rimless wheel, large steps (F11 11.6, T08): the published rows, and each closed form by another way."""

import functools
import math

import numpy as np
import pytest

import scenes
from physics import set_option
from physics.solvers.stewart_trinkle import MIDPOINT, START, StewartTrinkle
from scenes import concave_ramp, concave_ramp_events, corner_and_large_step, curved_faces, polyhedra_ramp
from scenes._corner_impacts import CornerWheel, G

SCENES = ("polyhedra_ramp", "concave_ramp", "rimless_wheel", "corner_and_large_step", "curved_faces", "concave_ramp_events")


@pytest.mark.parametrize("name", SCENES)
def test_the_rows_hold(name):
    rows = scenes.find(name).papers()
    assert [f"{row.figure} {row.quantity}: {row.measured}, not {row.published}" for row in rows if not row.ok] == []
    assert len(rows) >= 4 and all(row.source in ("F11", "T08") and row.conventions for row in rows)


# ---- corners


@pytest.mark.parametrize(("half", "gyration"), [(math.pi / 6, 0.1), (math.pi / 12, 0.5), (0.05, 0.3)])
def test_the_impact_of_a_corner_is_that_of_an_impulse_at_it(half, gyration):
    """(1) by the impulse (2) at the new corner that stops it, without angular momentum about that corner."""
    wheel = CornerWheel(0.7, half, gyration, 0.1)
    old, new = (np.array([s * 0.7 * math.sin(half), 0.0, -0.7 * math.cos(half)]) for s in (-1.0, 1.0))
    spin = np.array([0.0, 1.0, 0.0])
    velocity = np.cross(spin, -old)                                     # it turns about the old corner
    response = np.eye(3) + np.array([np.cross(np.cross(new, unit) / gyration, new) for unit in np.eye(3)]).T
    impulse = np.linalg.solve(response, -(velocity + np.cross(spin, new)))
    after = spin + np.cross(new, impulse) / gyration
    assert after == pytest.approx([0.0, wheel.ratio, 0.0], abs=1e-12)


def test_the_share_kept_is_the_inverse_of_the_loss():
    wheel = CornerWheel(0.25, math.pi / 24, 0.03, 0.1)
    lost = wheel.lost(0.4, 7, 0.93)
    assert wheel.kept(0.4, 7, lost) == pytest.approx(0.93, abs=1e-12)
    energies = [0.4]
    for _ in range(7):
        energies.append(0.93 * (energies[-1] + G * wheel.pitch * math.sin(0.1)))
    assert lost == pytest.approx(0.4 + 7 * wheel.gain - energies[-1], rel=1e-12)


def test_the_steady_motion_returns_what_an_impact_takes():
    wheel = CornerWheel(0.5, math.pi / 8, 0.08, math.radians(5.0))
    before = 0.5 * wheel.about_corner * wheel.steady_rate**2
    assert wheel.lost(wheel.ratio**2 * before, 1, wheel.ratio**2) == pytest.approx(wheel.gain, rel=1e-12)
    assert wheel.rolls_on and not CornerWheel(0.5, math.pi / 8, 0.08, math.radians(2.0)).rolls_on
    assert wheel.step_time(500) == pytest.approx(wheel.step_time(4000), rel=1e-5)


def test_the_prism_has_the_inertia_of_its_closed_form():
    for facets in polyhedra_ramp.FACETS:
        share = polyhedra_ramp.wheel(facets, polyhedra_ramp.Parameters()).gyration
        assert float(polyhedra_ramp.shape(facets).inertia(1.0)[1, 1]) == pytest.approx(share, rel=1e-9)


def test_a_finer_polyhedron_keeps_more_and_still_loses():
    kept = [polyhedra_ramp.wheel(k, polyhedra_ramp.Parameters()).ratio ** (2 * k) for k in polyhedra_ramp.FACETS]
    assert kept == sorted(kept) and kept[-1] < 0.77
    assert kept[-1] == pytest.approx(math.exp(-8.0 * math.pi**2 / (3.0 * 96)), rel=2e-3)


# ---- curved faces


@pytest.mark.parametrize("facets", curved_faces.FACETS)
def test_a_flat_face_on_a_smooth_floor_keeps_what_the_impulse_at_its_corner_leaves(facets):
    """(2) by the mass matrix: the nearest motion, in energy, of those in which the new corner does not go down."""
    s, J = curved_faces.half_facet(facets), float(polyhedra_ramp.shape(facets).inertia(1.0)[1, 1])
    mass, before = np.diag([1.0, J]), np.array([-s, 1.0])                    # upward velocity of the centre, turn towards +x
    new, old = np.array([1.0, -s]), np.array([1.0, s])                       # upward velocity of the corners
    inverse = np.linalg.inv(mass)
    after = before - inverse @ new * (new @ before) / (new @ inverse @ new)
    assert old @ before == pytest.approx(0.0, abs=1e-15) and old @ after > 0.0, "the old corner leaves"
    assert after @ mass @ after / (before @ mass @ before) == pytest.approx(curved_faces.kept(facets), rel=1e-9)


def test_the_ellipsoid_turns_as_its_energy_says():
    """Angle over time by quadrature of 1/2 (J + m x^2) w^2 + m g z = const, x and z of the lowest point of an ellipse."""
    a, c = curved_faces.LONG, curved_faces.SHORT
    J, g, first = (a * a + c * c) / 5.0, curved_faces.G, curved_faces.Parameters().spin
    angles = np.linspace(0.0, 1.2, 20001)
    z = np.sqrt((a * np.sin(angles)) ** 2 + (c * np.cos(angles)) ** 2)
    x = (a * a - c * c) * np.sin(angles) * np.cos(angles) / z
    spin = np.sqrt((J * first**2 - 2.0 * g * (z - c)) / (J + x * x))
    times = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(angles) * (1.0 / spin[1:] + 1.0 / spin[:-1]))])
    _, trace = curved_faces.ran()
    early = trace["time"] < times[-1]
    measured = trace[f"body:{curved_faces.EGG}.omega_y"][early]
    assert measured == pytest.approx(np.interp(trace["time"][early], times, spin), rel=1e-6) and early.sum() > 50


# ---- kinks


@pytest.mark.parametrize("degrees", [3.75, 7.5, 15.0])
def test_a_kink_projects_the_blocks_motion(degrees):
    """(2) by the mass matrix: the nearest motion, in energy, of those that keep the front on the next facet, the rear on the
    last one (first impact), or both on the next one (second impact)."""
    delta, a, b = math.radians(degrees), concave_ramp.A, concave_ramp.B
    mass = np.diag([1.0, 1.0, (a * a + b * b) / 3.0])                       # x, z, anticlockwise turn
    front, rear = np.array([[1.0, 0.0, b], [0.0, 1.0, a]]), np.array([[1.0, 0.0, b], [0.0, 1.0, -a]])
    last, following = np.array([0.0, 1.0]), np.array([-math.sin(delta), math.cos(delta)])

    def kept(start: np.ndarray, rows: list[np.ndarray]) -> tuple[float, np.ndarray]:
        normals = np.array(rows)
        inverse = np.linalg.inv(mass)
        end = start - inverse @ normals.T @ np.linalg.solve(normals @ inverse @ normals.T, normals @ start)
        return float(end @ mass @ end / (start @ mass @ start)), end

    share, between = kept(np.array([1.0, 0.0, 0.0]), [following @ front, last @ rear])
    assert share == pytest.approx(concave_ramp.of_block(delta), rel=1e-12)
    assert following @ front @ between == pytest.approx(0.0, abs=1e-12)


def test_kinks_of_a_ball_tend_to_the_smooth_ramp():
    parameters = concave_ramp.Parameters()
    speeds = [concave_ramp.final_speed(concave_ramp.Ramp(math.radians(60.0), n), True, parameters.speed,
                                       concave_ramp.of_ball(math.radians(60.0) / n)) for n in (4, 16, 256, 4096)]
    assert speeds == sorted(speeds) and speeds[-1] == pytest.approx(concave_ramp.smooth_speed(parameters), rel=2e-4)
    ramp = concave_ramp.Ramp(1.0, 6)
    assert concave_ramp.kept_of(ramp, False, 1.5, concave_ramp.final_speed(ramp, False, 1.5, 0.97)) == pytest.approx(0.97)


@pytest.mark.parametrize("kinks", concave_ramp_events.KINKS)
def test_a_ball_on_kinks_moves_as_a_point_on_a_polyline(kinks):
    """The centre's path is the facets moved by the radius: energy between its corners, projection of the velocity at each."""
    parameters = concave_ramp_events.Parameters()
    bend, radius = math.radians(parameters.bend), concave_ramp.RADIUS
    slopes = bend - bend / kinks * np.arange(kinks + 1)
    chord = 2.0 * 1.5 * math.tan(0.5 * bend / kinks)                        # facets touch the arc of 1.5 m in their middles
    lengths = [0.5 * chord, *[chord] * (kinks - 1)]
    speed, cut = parameters.speed, radius * math.tan(0.5 * bend / kinks)    # the path is shorter at each corner
    for n, (slope, length) in enumerate(zip(slopes[:-1], lengths)):
        way = length - cut * (1 if n == 0 else 2)
        speed = math.sqrt(speed**2 + 2.0 * 9.81 * way * math.sin(slope)) * math.cos(slopes[n] - slopes[n + 1])
    measured = concave_ramp.end_speed(concave_ramp_events.name_of(kinks))(*concave_ramp_events.ran())
    assert measured == pytest.approx(speed, rel=1e-9)


# ---- large steps


@pytest.mark.parametrize("h", [0.1, 0.05, 0.02])
def test_a_large_step_bounces_less_than_its_depth_over_the_step(h):
    away = corner_and_large_step.by_hand(2.0, h)
    assert 0.0 < away <= corner_and_large_step.depth(2.0, h) / h * 1.05
    assert corner_and_large_step.depth(2.0, h) == pytest.approx(0.5 * (2.0 * h) ** 2, rel=0.02)


def test_the_half_space_at_the_nearest_point_would_stop_what_passes_a_corner():
    assert corner_and_large_step.half_space_kick(2.0, 0.05) == pytest.approx(0.2, abs=0.01)
    assert corner_and_large_step.half_space_kick(2.0, 0.01) == 0.0, "a small step sees the corner as it is"


@functools.cache
def along_the_arc(linearise_at: str, h: float) -> tuple[float, float]:
    """(ln of initial over final speed, largest gap in the arc [m]) of the particle on true gaps."""
    world = scenes.make_world(corner_and_large_step.SCENE, corner_and_large_step.Parameters(corner_and_large_step.TRUE_GAP))
    set_option(world.solver.options, "linearise_at", linearise_at)
    _, trace = scenes.run(corner_and_large_step.SCENE, world=world, dt=h)
    x, z = trace["body:particle.x"], trace["body:particle.z"] - 1.05
    inside = (x > 0.3) & (np.arctan2(x, -z) < corner_and_large_step.BEND - 0.1)
    return math.log(2.0 / math.hypot(trace["body:particle.vx"][-1], trace["body:particle.vz"][-1])), \
        float(np.abs(np.hypot(x, z)[inside] - 1.0).max())


@pytest.fixture
def whole_steps(monkeypatch):
    """Steps are not divided where facets pass by: the particle passes several in one."""
    monkeypatch.setattr(StewartTrinkle, "max_part_rotation", math.inf)


@pytest.mark.usefixtures("whole_steps")
@pytest.mark.parametrize("h", [0.05, 0.025])
def test_the_midpoint_loses_half_as_much_along_a_curve(h):
    """With phi = h v / rho from step to step: v1 cos(phi / 2) = v0 cos(3 phi / 2) with the normal at the end, v1 = v0 cos(phi)
    with that of the middle; over the arc theta together theta phi and half of that."""
    (end, _), (middle, _) = along_the_arc(START, h), along_the_arc(MIDPOINT, h)
    assert end == pytest.approx(corner_and_large_step.BEND * 2.0 * h, rel=0.12)
    assert middle == pytest.approx(0.5 * end, rel=0.1)


@pytest.mark.usefixtures("whole_steps")
def test_the_midpoint_closes_gaps_to_the_second_order():
    gaps = [along_the_arc(MIDPOINT, h)[1] for h in (0.05, 0.025)]
    assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.15)
    assert along_the_arc(START, 0.05)[1] < 1e-5
