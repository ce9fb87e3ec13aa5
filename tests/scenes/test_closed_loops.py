"""The net, the platform and the coupling against equations of their own; joints cut and joined between two steps."""

import math

import numpy as np
import pytest

from physics import step
from physics.core.records import Case
from scenes import bar_net, coupled_discs, make_world, run, stewart_platform


def test_the_net_has_four_freedoms_and_falls_as_its_four_equations_say():
    """In a lean of 40 degrees, and in one step: the bars turn as by (1) of the scene."""
    parameters = bar_net.Parameters(lean=40.0)
    world = make_world(bar_net.SCENE, parameters)
    mechanism = world.solver.mechanism(world)
    mechanism.place(mechanism.q, mechanism.v, 0.0)
    assert (mechanism.tree.size, len(mechanism.tree.loops)) == (100, 48)
    assert np.linalg.matrix_rank(mechanism.loop_jacobian(), tol=1e-9) == 96
    start, (A, B) = bar_net.start_angles(parameters), bar_net.matrices()
    expected = np.linalg.solve(A * np.cos(start[:, None] - start), -B * np.sin(start))
    step(world, 1e-4)
    for k in range(bar_net.ROWS):
        for column in (0, 5, bar_net.MESHES):
            assert world.bodies["omega"][world.body(f"bar {k + 1}/{column}"), 1] == pytest.approx(-1e-4 * expected[k], rel=1e-6)
        assert abs(world.bodies["omega"][world.body(f"level {k + 1}/3"), 1]) < 1e-12


def test_the_net_cut_in_one_hinge_has_more_freedoms_and_stays_closed_when_it_is_joined_again():
    """Between two steps, as a person cuts it; the corner at the lower left then hangs by one bar."""
    world = make_world(bar_net.SCENE)
    hinge = next(j for j in range(len(world.joint_names)) if {world.body_names[world.joints[side][j]] for side in
                 ("body_a", "body_b")} == {f"bar {bar_net.ROWS}/0", f"level {bar_net.ROWS}/0"})
    corner = world.joints[hinge].copy()
    freedoms = []
    for _ in range(3):
        step(world, 0.01)
        mechanism = world.solver.mechanism(world)
        mechanism.place(mechanism.q, mechanism.v, 0.0)
        freedoms.append(mechanism.tree.size - int(np.linalg.matrix_rank(mechanism.loop_jacobian(), tol=1e-9)))
        if len(freedoms) == 1:
            world.remove_joint(hinge)
            saved = world.snapshot()
        elif len(freedoms) == 2:
            world.restore(saved)
            bar = world.bodies[corner["body_a"]]
            lean = bar_net.angles(world)[-1]
            end = bar["pos"] + 0.5 * bar_net.LENGTH * np.array([math.sin(lean), 0.0, -math.cos(lean)])
            world.add_joint("revolute", int(corner["body_a"]), int(corner["body_b"]), anchor=tuple(end), axis=(0.0, 1.0, 0.0))
    assert freedoms == [4, 6, 4]
    assert world.joints["error"].max() < 1e-14 and not world.report.audit.findings


def test_motors_at_rest_carry_the_platform_as_virtual_work_says():
    """sum F_i dl_i = dV for six small displacements; V has the weights of the plate and of both rods of each leg."""
    parameters = stewart_platform.Parameters()
    world = make_world(stewart_platform.SCENE, parameters)
    world.drivers.clear()
    for _ in range(3):
        step(world, 0.01)

    def of(pose: np.ndarray) -> np.ndarray:
        """Lengths of the legs, and V."""
        (x, y, z), (c, s) = pose[3:], (math.cos(np.linalg.norm(pose[3:])), math.sin(np.linalg.norm(pose[3:])))
        k = np.array([x, y, z]) / max(np.linalg.norm(pose[3:]), 1e-300)
        arms = stewart_platform.JOINTS
        turned = arms * c + np.cross(k, arms) * s + np.outer(arms @ k, k) * (1.0 - c)
        legs = np.array([0.0, 0.0, stewart_platform.HEIGHT]) + pose[:3] + turned - stewart_platform.FEET
        size = np.linalg.norm(legs, axis=1)
        rods = np.sum(legs[:, 2] + 2.0 * stewart_platform.FEET[:, 2])      # heights of both middles of each, of 1 kg
        return np.append(size, 9.81 * (parameters.load * pose[2] + rods))
    steps = 1e-5 * np.eye(6)
    slopes = np.array([(of(one) - of(-one)) / 2e-5 for one in steps])
    expected = np.linalg.solve(slopes[:, :6], slopes[:, 6])
    for k in range(stewart_platform.LEGS):
        assert world.joints["motor_impulse"][world.joint(f"leg {k + 1}"), 0] / 0.01 == pytest.approx(expected[k], rel=1e-6)
    light = stewart_platform.forces(parameters)
    assert np.abs(expected - light).max() < 0.2 * light.max(), "without the rods' weight it is less, but not by much"


@pytest.mark.parametrize(("dt", "seconds"), [(0.02, 4.2), (0.0125, 1.2)])
def test_the_discs_follow_their_broken_lines_whatever_the_step(dt, seconds):
    """0.5, 1.8 and 3.8 s are ends of steps of 0.02 and not of 0.0125: there the coupling is joined and cut half a step off."""
    world, trace = run(coupled_discs.SCENE, dt=dt, seconds=seconds)
    rows = coupled_discs.law(coupled_discs.Parameters())
    allowed = 1e-6 if dt == 0.02 else 15.0 * dt
    for k in range(2):
        known = np.interp(trace["time"], rows[:, 0], rows[:, 1 + k])
        assert np.abs(trace[f"body:disc {k + 1}.omega_z"] - known).max() < allowed
    cases = world.joints["case"][[world.joint("bearing 2"), world.joint("coupling")]]
    assert cases.tolist() == [Case.SLIP, Case.STICK], "the lower disc was let go, the coupling holds"


def test_the_residual_in_joint_space_is_that_of_the_step():
    """A joined coupling closes a loop whose friction sticks: every block has a step of its own for the natural map."""
    world = make_world(coupled_discs.SCENE)
    world.use_solver("joint_space")
    for _ in range(120):
        assert step(world, coupled_discs.SCENE.dt).residual < 1e-9
