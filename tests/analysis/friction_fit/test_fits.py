"""Fits of synthetic runs from closed forms and independent integrators: the truth is found; sets where the data only stick."""

import csv
import math

import numpy as np
import pytest

from app.analysis.friction_fit.law_regression import MotorLog, bounds, equations, residuals_of
from app.analysis.friction_fit.measurements import read
from app.analysis.friction_fit.plan import Asked, plan, smoothed
from app.analysis.friction_fit.sentences import remarks, sentence
from app.analysis.friction_fit.simulated_run import Batch, simulate
from app.analysis.friction_fit.study import AT_LEAST, SET, UNKNOWN, VALUE, FitRun
from app.build_scene import Choices
from app.engine import file_kinds
from app.world_files import save
from benchmarks import fit_coverage
from physics import BadInput, Box, Friction, World
from tests.helpers import long_run
from tests.tools.inline_workers import InlineWorkers

LEVEL = (("tilt", 0.0),)


def measured(tmp_path, titles, *columns):
    path = tmp_path / "data.csv"
    with open(path, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([titles, *np.column_stack(columns).tolist()])
    return read(path)


def fitted(data, scene, *wanted, **more):
    fit = FitRun.of(plan(Asked(scene, wanted, **more), data))
    fit.run()
    assert not fit.problem, fit.problem
    return {one.name: one for one in fit.result.answers}, fit.result


def slide(t, speed, force, mass=2.0):
    """x of a block that friction stops [m]."""
    moving = np.minimum(t, mass * speed / force)
    return speed * moving - 0.5 * force / mass * moving**2


# ---- trajectories


def test_friction_of_a_block_that_slides_to_rest(tmp_path):
    """x = v t - F t^2 / (2 m) until m v / F; the speed at the start is not known either."""
    t = np.arange(0.0, 1.2, 1.0 / 60.0)
    x = slide(t, 2.6, 7.0) + np.random.default_rng(1).normal(0.0, 2e-3, len(t))
    found, result = fitted(measured(tmp_path, ("time [s]", "position [mm]"), t, 1e3 * x), "slider", "max_friction",
                           nuisances=("start_speed",), parameters=LEVEL)
    force = found["max_friction"]
    assert force.kind == VALUE and force.lo < 7.0 < force.hi and 0.005 < force.hi - force.lo < 0.1
    assert found["start_speed"].value == pytest.approx(2.6, abs=0.01) and found["start_speed"].nuisance
    assert result.noise[0] == pytest.approx(2e-3, rel=0.3) and result.rho == 0.0 and result.step_change < 0.2
    assert sentence(force).startswith("max_friction is ") and "95 %" in sentence(force)


def test_friction_of_a_pendulum_whose_swings_shrink(tmp_path):
    """Dry and viscous friction of a hinge, by Runge-Kutta from turn to turn."""
    t = np.arange(0.0, 1.6, 0.04)
    angle = fit_coverage.swing(t, math.radians(60.0), 0.5, 0.12) + np.random.default_rng(2).normal(0.0, 0.004, len(t))
    data = measured(tmp_path, ("t [ms]", "angle [deg]"), 1e3 * t, np.degrees(angle))
    found, _ = fitted(data, "pendulum", "joint_friction", "viscous")
    for name, truth in (("joint_friction", 0.5), ("viscous", 0.12)):
        assert found[name].kind == VALUE and found[name].lo < truth < found[name].hi
        assert found[name].value == pytest.approx(truth, rel=0.15)


def test_the_independent_pendulum_loses_a_constant_amplitude_per_half_swing():
    """For small swings by 2 M / (m g L), from one turning point to the next; without viscous friction."""
    t = np.arange(0.0, 4.0, 0.001)
    turns = np.abs(fit_coverage.swing(t, 0.2, 0.1, 0.0))
    peaks = [turns[0], *(turns[k] for k in range(1, len(t) - 1) if turns[k - 1] < turns[k] > turns[k + 1])]
    assert np.diff(peaks) == pytest.approx(-0.2 / 9.81, rel=0.02) and len(peaks) > 3


def test_a_body_that_sticks_only_bounds_its_friction(tmp_path):
    """On a slope of 25 degrees the lane of 1.5 mu holds if mu >= tan(25 deg) / 1.5; from above the data say nothing."""
    t = np.arange(0.0, 0.6, 0.02)
    x = np.full(len(t), -1.45) + np.random.default_rng(3).normal(0.0, 1e-3, len(t))
    found, _ = fitted(measured(tmp_path, ("time [s]", "box 5 x [m]"), t, x), "incline", "mu", nuisances=("offset",))
    assert found["mu"].kind == AT_LEAST and found["mu"].lo == pytest.approx(math.tan(math.radians(25.0)) / 1.5, rel=0.02)
    assert "at least 0.31" in sentence(found["mu"]) and "no upper limit" in sentence(found["mu"])


@long_run
def test_friction_of_a_pair_and_of_all_bodies(tmp_path):
    """a = g (sin theta - mu cos theta) on a lane of 0.5 mu."""
    data = measured(tmp_path, *(lambda made: (made[0], *made[1]))(fit_coverage.bench(np.random.default_rng(4))))
    found, _ = fitted(data, "incline", "mu", nuisances=("offset",))
    assert found["mu"].lo < 0.62 < found["mu"].hi
    pair = "mu:lane 1 & box 1"
    found, _ = fitted(data, "incline", pair, nuisances=("offset",))
    assert found[pair].lo < 0.31 < found[pair].hi


@long_run
def test_static_friction_of_a_contact_shows_when_it_lets_go(tmp_path, mine):
    """A block of 1 kg under a force that grows by 4 N/s breaks loose at mu_s m g and is slowed by mu_k m g from then on."""
    mass, mu_s, mu_k, rate, t = 1.0, 0.45, 0.3, 4.0, np.arange(0.0, 1.5, 0.02)
    start = mu_s * mass * 9.81 / rate
    late = np.maximum(t - start, 0.0)
    x = ((mu_s - mu_k) * 9.81 * late**2 / 2.0 + rate / mass * late**3 / 6.0)
    path = tmp_path / "pulled.py"
    path.write_text(PULLED)
    from app.own_files import discover

    scene = discover.named(str(path))
    x = x + np.random.default_rng(5).normal(0.0, 2e-3, len(t))
    data = measured(tmp_path, ("time [s]", "position [m]", "force [N]"), t, x, rate * t)
    found, _ = fitted(data, scene, "mu", "mu_s", choices=Choices(friction=0.35))
    assert found["mu"].value == pytest.approx(mu_k, abs=0.02) and found["mu_s"].value == pytest.approx(mu_s, abs=0.01)


PULLED = '''"""A block on a table."""

from physics import Box, Plane, World
from scenes import NoParameters, Scene


def build(world: World, parameters: NoParameters) -> None:
    world.add_body(Plane(), kind="static", name="table")
    world.add_body(Box((0.1, 0.1, 0.05)), pos=(0.0, 0.0, 0.05), mass=1.0, name="block")


SCENE = Scene(title="Pulled", category="Mine", look_for="", law="", law_text="", build=build, plots=("body:block.x",))
'''


def test_parameters_that_do_nothing_are_said_not_to_be_told(tmp_path):
    """A Stribeck speed has no effect where static and kinetic are equal."""
    t = np.arange(0.0, 0.6, 0.02)
    data = measured(tmp_path, ("time [s]", "x [m]"), t, slide(t, 3.0, 8.0) + np.random.default_rng(6).normal(0.0, 1e-3, len(t)))
    found, result = fitted(data, "slider", "joint_friction", "stribeck", parameters=LEVEL)
    assert found["stribeck"].kind == UNKNOWN and result.unknown == ("stribeck",)
    assert found["joint_friction"].kind == VALUE and found["joint_friction"].value == pytest.approx(8.0, rel=0.01)
    assert "do not determine stribeck" in sentence(found["stribeck"])


@long_run
def test_the_step_is_refined_until_it_does_not_matter(tmp_path):
    t = np.arange(0.0, 1.4, 0.05)
    angle = fit_coverage.swing(t, math.radians(60.0), 0.5, 0.0) + np.random.default_rng(7).normal(0.0, 2e-5, len(t))
    found, result = fitted(measured(tmp_path, ("t [s]", "angle [rad]"), t, angle), "pendulum", "friction")
    assert result.dt < 1.0 / 240.0 and found["friction"].value == pytest.approx(0.5, rel=2e-3)


def test_runs_in_other_processes_give_the_same(tmp_path):
    t = np.arange(0.0, 0.5, 0.05)
    data = measured(tmp_path, ("t [s]", "x [m]"), t, slide(t, 3.0, 8.0))
    made = plan(Asked("slider", ("max_friction",), parameters=LEVEL), data)
    points = [np.array([7.0]), np.array([8.0]), np.array([9.0])]
    ways = [Batch(workers).run(made.experiment, points) for workers in (None, InlineWorkers())]
    assert all((one == other).all() for one, other in zip(*ways))
    assert simulate(made.experiment, lambda: False, points[1]) == pytest.approx(slide(t, 3.0, 8.0), abs=1e-5)


def test_a_fit_can_be_cancelled(tmp_path):
    t = np.arange(0.0, 0.5, 0.05)
    fit = FitRun.of(plan(Asked("slider", ("max_friction",)), measured(tmp_path, ("t [s]", "x [m]"), t, slide(t, 3.0, 8.0))))
    fit.cancel()
    fit.run()
    assert fit.problem == "cancelled" and fit.result is None and fit.done


# ---- motor logs


def test_the_law_of_a_joint_from_its_motor_log(tmp_path):
    titles, columns = fit_coverage.motor(np.random.default_rng(8))
    found, result = fitted(measured(tmp_path, titles, *columns), "slider", "static", "kinetic", "stribeck", "viscous",
                           nuisances=("offset",), parameters=LEVEL)
    assert result.method == "regression" and result.runs == 0
    for name, truth in fit_coverage.CASES["motor"].truth.items():
        assert found[name].value == pytest.approx(truth, rel=0.25), name
    assert abs(found["offset"].value) < 0.05 and found["offset"].unit == "N"


@pytest.mark.parametrize("joint", ["fixed", "revolute"])
def test_what_the_arm_carries_moves_with_it(tmp_path, joint):
    """A tool of 2 kg on an arm of 1 kg stayed behind while the arm turned, so that its weight was wrong: a quarter more friction
    was found than there is."""
    world, path = World(), tmp_path / "arm.toml"
    arm = world.add_body(Box((0.25, 0.02, 0.02)), pos=(0.25, 0.0, 0.0), mass=1.0, name="arm")
    tool = world.add_body(Box((0.02, 0.02, 0.02)), pos=(0.5, 0.0, 0.0), mass=2.0, name="tool")
    world.add_joint("revolute", "world", arm, anchor=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0), name="hinge",
                    friction=Friction(static=0.3, viscous=0.1))
    more = {} if joint == "fixed" else {"axis": (1.0, 0.0, 0.0)}      # one about the arm is not coupled to the hinge
    world.add_joint(joint, arm, tool, anchor=(0.5, 0.0, 0.0), name="weld", **more)
    save(world, path)
    t = np.arange(0.0, 16.0, 0.005)
    q, rate, bend = 1.2 * np.sin(0.8 * t), 0.96 * np.cos(0.8 * t), -0.768 * np.sin(0.8 * t)
    inertia = float(world.joint_space().H[0, 0])
    torque = inertia * bend + 9.81 * 1.25 * np.cos(q) + 0.3 * np.sign(rate) + 0.1 * rate
    noise = np.random.default_rng(0)
    data = measured(tmp_path, ("time [s]", "angle [rad]", "speed [rad/s]", "torque [N m]"), t, q,
                    rate + noise.normal(0.0, 1e-4, len(t)), torque + noise.normal(0.0, 0.01, len(t)))
    found, _ = fitted(data, file_kinds.admit(str(path)), "joint_friction", "viscous", method="regression",
                      observe=("joint:hinge.angle",))
    assert found["joint_friction"].value == pytest.approx(0.3, abs=3e-3)
    assert found["viscous"].value == pytest.approx(0.1, abs=3e-3)


def test_a_measured_load_tells_its_coefficient_where_it_changes(tmp_path):
    """F_k + mu N from the log alone, without a simulation; a load that stays the same cannot be told from F_k."""
    titles, columns = fit_coverage.load(np.random.default_rng(12))
    wanted = "joint_friction", "load", "viscous"
    found, result = fitted(measured(tmp_path, titles, *columns), "slider", *wanted, parameters=LEVEL)
    assert result.method == "regression" and not result.tangled
    for name, truth in fit_coverage.CASES["load"].truth.items():
        assert found[name].value == pytest.approx(truth, rel=0.1), name
    steady = measured(tmp_path, titles, *columns[:3], np.full(len(columns[0]), 40.0))
    found, result = fitted(steady, "slider", *wanted, parameters=LEVEL)
    assert result.tangled and set(result.tangled[0]) == {"joint_friction", "load"}
    assert any("do not distinguish joint_friction, load" in line for line in remarks(result))


def ramp(noise):
    """Force growing by 4 N/s on 2 kg: sticks up to 8 N, then 5 N and 1 N s/m."""
    t = np.arange(0.0, 3.0, 0.002)
    late = np.maximum(t - 2.0, 0.0)
    # 2 v' = 4 t - 5 - v after t = 2, v(2) = 0
    v = np.where(late > 0.0, (4.0 * t - 13.0) - (-5.0) * np.exp(-late / 2.0), 0.0)
    rng = np.random.default_rng(9)
    return t, v + rng.normal(0.0, 0.003 * noise, len(t)), 4.0 * t + rng.normal(0.0, 0.1 * noise, len(t))


@pytest.mark.parametrize("noise", [0.0, 1.0])
def test_samples_that_stick_only_bound_static_friction(tmp_path, noise):
    titles = "time [s]", "velocity [m/s]", "force [N]"
    found, result = fitted(measured(tmp_path, titles, *ramp(noise)), "slider", "static", "kinetic", "viscous", parameters=LEVEL)
    static = found["static"]
    assert static.kind == SET and static.lo < 8.0 < static.hi and static.hi - static.lo < 0.1 + 1.2 * noise
    assert found["kinetic"].lo - 1e-3 < 5.0 < found["kinetic"].hi + 1e-3 and found["viscous"].value == pytest.approx(1.0, abs=0.1)
    assert any("samples stick" in line for line in remarks(result))
    assert "only bound static" in sentence(static)


def test_a_log_that_only_sticks_leaves_the_upper_end_open(tmp_path):
    held = [column[:900] for column in ramp(1.0)]
    found, result = fitted(measured(tmp_path, ("time [s]", "velocity [m/s]", "force [N]"), *held), "slider", "static", "viscous",
                           parameters=LEVEL)
    assert found["static"].kind == AT_LEAST and 6.9 < found["static"].lo < 7.2
    assert result.unknown == ("viscous",)


def test_gravity_is_taken_from_the_torque(tmp_path):
    """tau = I theta'' + m g L sin(theta) + M sign + c theta' of the scene's pendulum, without noise."""
    from physics import Capsule
    from scenes.pendulum import ARM, MASS, RADIUS

    inertia, weight = float(Capsule(RADIUS, ARM).inertia(MASS)[0]) + MASS * ARM**2, MASS * 9.81 * ARM
    t = np.arange(0.0, 4.0, 0.001)
    angle, rate, acceleration = np.sin(2.0 * t), 2.0 * np.cos(2.0 * t), -4.0 * np.sin(2.0 * t)
    torque = inertia * acceleration + weight * np.sin(angle) + 0.7 * np.sign(rate) + 0.2 * rate
    titles = "time [s]", "angle [rad]", "rate [rad/s]", "torque [N m]"
    found, _ = fitted(measured(tmp_path, titles, t, angle, rate, torque), "pendulum", "joint_friction", "viscous")
    assert found["joint_friction"].value == pytest.approx(0.7, rel=1e-3)
    assert found["viscous"].value == pytest.approx(0.2, rel=2e-3)
    with pytest.raises(BadInput, match="gravity acts"):
        fitted(measured(tmp_path, (titles[0], *titles[2:]), t, rate, torque), "pendulum", "viscous", method="regression")


def test_noise_is_taken_from_an_applied_force_and_nothing_else():
    rng, t = np.random.default_rng(10), np.arange(0.0, 3.0, 0.002)
    mean, count = smoothed(4.0 * t + rng.normal(0.0, 0.1, len(t)))
    assert count == 33 and np.abs(mean - 4.0 * t)[16:-16].max() < 0.08 and np.abs(mean - 4.0 * t).max() < 0.2
    for force in (4.0 * t, np.where(t > 1.0, 5.0, 0.0) + rng.normal(0.0, 0.01, len(t)), np.sin(8.0 * t)):
        assert np.abs(smoothed(force)[0] - force).max() < 0.06


HINGE = """<mujoco><option timestep="0.0001" gravity="0 0 -9.81"/><worldbody>
    <body pos="0 0 1.8"><joint name="hinge" type="hinge" axis="0 -1 0" frictionloss="0.6" damping="0.25"
    solreffriction="0.0003 1"/>
    <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.06" mass="2"/></body></worldbody>
    <actuator><motor joint="hinge"/></actuator></mujoco>"""
"""The scene's pendulum; its friction is less soft than MuJoCo's default, which creeps."""


def simulated_by_mujoco(seconds, start, torque):
    """(times, angles, rates, torques), every 4 ms."""
    mujoco = pytest.importorskip("mujoco")
    model = mujoco.MjModel.from_xml_string(HINGE)
    data, rows = mujoco.MjData(model), []
    data.qpos[0] = start
    mujoco.mj_forward(model, data)
    for n in range(round(seconds / 1e-4)):
        data.ctrl[0] = torque * math.sin(2.5e-4 * n)
        if n % 40 == 0:
            rows.append((data.time, data.qpos[0], data.qvel[0], data.ctrl[0]))
        mujoco.mj_step(model, data)
    return np.array(rows).T


def test_mujoco_joint_with_frictionloss(tmp_path):
    """MuJoCo's hinge with dry and viscous friction, from its motor log under a torque and from its free swing: within 2 %."""
    titles = "time [s]", "angle [rad]", "rate [rad/s]", "torque [N m]"
    log = measured(tmp_path, titles, *simulated_by_mujoco(3.0, 0.0, 6.0))
    times, angles = simulated_by_mujoco(1.6, 1.0, 0.0)[:2, ::5]
    swing = measured(tmp_path, titles[:2], times, angles + np.random.default_rng(11).normal(0.0, 1e-3, len(times)))
    for data, method in ((log, "regression"), (swing, "trajectory")):
        found, result = fitted(data, "pendulum", "joint_friction", "viscous", parameters=(("start", math.degrees(1.0)),))
        assert result.method == method
        assert found["joint_friction"].value == pytest.approx(0.6, rel=0.02), method
        assert found["viscous"].value == pytest.approx(0.25, rel=0.02), method


# ---- how often


@pytest.mark.parametrize("case, runs", [("motor", 20), pytest.param("slide", 10, marks=long_run)])
def test_intervals_contain_the_truth(case, runs):
    """95 of 100 in `python -m benchmarks.fit_coverage`; by chance fewer than 16 of 20, or 7 of 10, come in less than 1 of
    100."""
    for name, found in fit_coverage.coverage(fit_coverage.CASES[case], range(1000, 1000 + runs)).items():
        assert found.count >= (16 if runs == 20 else 8), f"{name}: {found.count} of {runs}"


@pytest.mark.parametrize("rate, falls, width", [(4.0, 0.0, 0.6), (4.0, 2.5, 1.3), (400.0, 0.0, math.inf)])
def test_static_friction_lies_between_what_sticks_and_what_lets_go(rate, falls, width):
    """2 kg under a ramp let go at 8 N and slide under 5 N: where the force goes on, falls at once as that of a stretched spring
    does, or is much larger before the motion can be told from the noise."""
    t = 2e-3 * np.arange(round(4.0 / rate / 1e-3) + 150)
    late = np.maximum(t - 8.0 / rate, 0.0)
    speed, force = 0.5 * (0.5 * rate * late**2 + (3.0 - falls) * late), rate * t - np.where(late > 0.0, falls, 0.0)
    good, widths = 0, []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        log = MotorLog(t, speed + rng.normal(0.0, 3e-3, len(t)), force + rng.normal(0.0, 0.1, len(t)), np.zeros(len(t)), 2.0)
        least, most = bounds(equations(log, 0.018), 0.1)
        good, widths = good + (least <= 8.0 <= most), [*widths, most - least]
    assert good >= 38 and np.median(widths) <= width, (good, np.median(widths))


def test_blocks_of_all_lengths_have_equal_noise_in_the_equations():
    """Stretches of 800 and 100 samples: blocks of 25 and of 8, in whose mean acceleration the velocity's noise is 5.5 times as
    large; rows that are not weighted make the intervals of a log with both too short."""
    t, longs, shorts = 2e-3 * np.arange(1000), [], []
    sign = np.where((t < 1.6) | (t >= 1.8), 1.0, -1.0)
    law = Friction(static=5.0, kinetic=5.0)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        log = MotorLog(t, sign + rng.normal(0.0, 5e-3, len(t)), 5.0 * sign + rng.normal(0.0, 0.05, len(t)), np.zeros(len(t)), 2.0)
        made = equations(log, 0.1)
        rows = residuals_of(made, law, 0.0, 0.05, 1.0)[: len(made.first)]
        longs += rows[made.time < 1.6].tolist()
        shorts += rows[(made.time > 1.6) & (made.time < 1.8)].tolist()
    assert len(longs) > 900 and len(shorts) > 300
    assert np.std(shorts) == pytest.approx(np.std(longs), rel=0.15)


# ---- bad input


@pytest.mark.parametrize("titles, wanted, more, said", [
    (("time [s]", "x [m]"), ("magic",), {}, "has no such parameter"), (("time [s]", "x [m]"), (), {}, "--parameters names none"),
    (("time [s]", "x [furlong]"), ("tilt",), {}, "no column has a known unit"),
    (("time [s]", "slide travel [deg]"), ("tilt",), {}, "must be one of m"),
    (("time [s]", "angle [deg]"), ("tilt",), {}, "which quantity of the scene was measured"),
    (("time [s]", "x [m]"), ("tilt",), {"observe": ("joint:magic.angle",)}, "no joint 'magic'"),
    (("time [s]", "x [m]"), ("viscous:magic",), {}, "no joint 'magic' with friction"),
    (("time [s]", "x [m]"), ("mu:carriage & moon",), {}, "two bodies"),
    (("time [s]", "x [m]"), ("viscous",), {"method": "regression"}, "needs a joint, a column with its velocity"),
    (("time [s]", "x [m]"), ("tilt", "speed", "max_friction", "viscous", "offset"), {}, "too few for 5 parameters")])
def test_plans_that_are_refused(tmp_path, titles, wanted, more, said):
    t = 0.1 * np.arange(10)
    with pytest.raises(BadInput) as refused:
        plan(Asked("slider", wanted, **more), measured(tmp_path, titles, t, t))
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_motor_log_shows_its_own_joint_alone(tmp_path):
    t = 0.01 * np.arange(50)
    data = measured(tmp_path, ("t [s]", "v [m/s]", "force [N]"), t, np.sin(t), np.cos(t))
    for wanted, said in (("tilt", "its own joint alone"), ("load", "a column 'load")):
        with pytest.raises(BadInput, match=said):
            plan(Asked("slider", (wanted,), method="regression"), data)
