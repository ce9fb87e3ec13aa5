"""Three tasks for who drives the robot MF-4 of MS16: open the door, fetch a cylinder, carry it over a threshold.

The robot shows them until a person touches a control. What it grips is held by friction alone: at rest the fingers carry

    sum of p_t = m g,   |p_t| <= mu p_n,   p_n between the force of a drive less and plus its dry friction             (1)

A task has 100 points, one less for each second after its time, at least LEAST, and DROPPED less for each drop before.
"""

import dataclasses
import math

import numpy as np

from physics import Cylinder, Material, World, option
from scenes import Prediction, Scene, Task, Trace, View, _mf4
from scenes._mf4 import ArmOnBase
from scenes._parts import add, block, ground
from scenes.door import F_MAX, add_door

AHEAD, START = 0.5, -1.4                # of the robot (x, y) [m]
STAND, TOP = (-0.7, -1.7), 0.25         # of the stand: (x, y), height [m]
RADIUS, TALL, MASS = 0.03, 0.12, 0.4    # of the cylinder [m], [kg]
KERB, RISE = -3.0, 0.03                 # y and height of the threshold [m]
CARRIED, LOWERED = (0.34, 0.22), (0.45, TOP + 0.5 * TALL - _mf4.SHOULDER[1])    # hand over the shoulder [m]
OPENED, LIFTED, HELD = math.radians(40.0), 0.1, 1.0     # of the tasks [rad], [m], [s]
MIN_SCORE, DROP_PENALTY = 20.0, 25.0
OPEN_DOOR, FETCH, CARRY = (Task(name, text, f"points: {name}") for name, text in (
    ("open the door", "Turn it by 40 degrees. Time: 15 s."),
    ("fetch the cylinder", "Hold it 10 cm above the stand for a second. Time: 60 s."),
    ("carry it over the threshold", "Bring it half a metre behind the bar without dropping it. Time: 90 s.")))
TIMES = {OPEN_DOOR: 15.0, FETCH: 60.0, CARRY: 90.0}
ROBOT = "the robot"
PHASE, SINCE, UP_SINCE, DROPS = "phase", "phase began", "lifted at", "drops"


@dataclasses.dataclass
class Parameters:
    drives: str = option(ROBOT, choices=(ROBOT, "you"), help="The robot shows the three tasks until you touch a control, or "
                                                             "waits for you.")
    mu: float = option(0.9, lo=0.01, hi=0.9, help="Friction of the cylinder and the fingers, which press with some 120 N.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=0.9)
    door = add_door(world, F_MAX)
    block(world, (0.12, 0.12, 0.5 * TOP), (*STAND, 0.5 * TOP), name="stand")
    block(world, (1.6, 0.12, 0.5 * RISE), (0.2, KERB, 0.5 * RISE), friction=0.8, name="threshold")
    surface = Material(friction=parameters.mu, mixing={"friction": "minimum"}, name="cylinder")
    cylinder = add(world, Cylinder(RADIUS, 0.5 * TALL), (*STAND, TOP + 0.5 * TALL), group=2, mass=MASS, material=surface,
                   name="cylinder")
    for name in (PHASE, SINCE, UP_SINCE, DROPS, *(task.score for task in TIMES)):
        world.set_input(name, 0.0)
    ArmOnBase(world, (AHEAD, START, 0.0), 0.5 * math.pi, CARRIED, demonstrate if parameters.drives == ROBOT else None)
    world.drivers.append(lambda world: judge(world, door, cylinder))


# ---- points


def judge(world: World, door: int, cylinder: int) -> None:
    """Keep the points in the inputs of the tasks."""
    inputs, (_, y, z), leaf = world.inputs, world.bodies["pos"][cylinder], world.bodies["quat"][door]
    if abs(2.0 * math.atan2(leaf[3], leaf[0])) > OPENED:
        _award(world, OPEN_DOOR)
    if z > TOP + 0.5 * TALL + LIFTED and not inputs[UP_SINCE]:
        world.set_input(UP_SINCE, world.time)
    if inputs[UP_SINCE] and world.time - inputs[UP_SINCE] > HELD:
        _award(world, FETCH)
        if y < KERB - 0.5:
            _award(world, CARRY)
    if inputs[UP_SINCE] and z < RADIUS + TALL:
        world.set_input(UP_SINCE, 0.0)
        world.set_input(DROPS, inputs[DROPS] + 1.0)


def _award(world: World, task: Task) -> None:
    if not world.inputs[task.score]:
        late = max(0.0, world.time - TIMES[task])
        world.set_input(task.score, max(MIN_SCORE, 100.0 - late - DROP_PENALTY * world.inputs[DROPS]))


# ---- the demonstration: each phase returns whether it is over; since: it began [s]


def demonstrate(world: World, robot: ArmOnBase) -> None:
    """Drive one of PHASES, and begin the next one where it is over."""
    k = int(world.inputs[PHASE])
    if k < len(PHASES) and PHASES[k](world, robot, world.time - world.inputs[SINCE]):
        world.set_input(PHASE, k + 1.0)
        world.set_input(SINCE, world.time)


def push_door(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.grip(world, True)
    robot.steer(world, 0.5 * math.pi, 0.6 if since > 0.5 else 0.0)
    return robot.pose(world)[1] > -0.25


def back_off(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.grip(world, False)
    robot.steer(world, 0.5 * math.pi, -0.7)
    return robot.pose(world)[1] < STAND[1] + 0.15


def face_stand(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.steer(world, _towards_stand(robot.pose(world)), 0.0)
    return since > 0.5 and robot.faces(world, _towards_stand(robot.pose(world)), 0.02)


def lower_hand(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.run_belts(world, 0.0)
    _move_hand(world, robot, CARRIED, LOWERED, since)
    return since > 1.2


def drive_up(world: World, robot: ArmOnBase, since: float) -> bool:
    x, y, _ = robot.pose(world)
    left = math.hypot(x - STAND[0], y - STAND[1]) - (_mf4.SHOULDER[0] + LOWERED[0] + _mf4.HAND - RADIUS)
    robot.steer(world, _towards_stand((x, y, 0.0)), max(0.0, min(0.5, 2.0 * left)))
    return left < 0.005


def grasp(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.run_belts(world, 0.0)
    robot.grip(world, True)
    return since > 0.8


def lift(world: World, robot: ArmOnBase, since: float) -> bool:
    _move_hand(world, robot, LOWERED, CARRIED, since)
    return since > 2.2


def back_away(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.steer(world, robot.pose(world)[2], -0.6)
    return since > 1.2


def face_threshold(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.steer(world, -0.5 * math.pi, 0.0)
    return since > 0.5 and robot.faces(world, -0.5 * math.pi, 0.03)


def carry(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.steer(world, -0.5 * math.pi, 0.45)
    return robot.pose(world)[1] < KERB - 0.6


def rest(world: World, robot: ArmOnBase, since: float) -> bool:
    robot.run_belts(world, 0.0)
    return False


PHASES = (push_door, back_off, face_stand, lower_hand, drive_up, grasp, lift, back_away, face_threshold, carry, rest)


def _towards_stand(pose: tuple[float, float, float]) -> float:
    return math.atan2(STAND[1] - pose[1], STAND[0] - pose[0])


def _move_hand(world: World, robot: ArmOnBase, start: tuple[float, float], end: tuple[float, float], since: float) -> None:
    share = min(1.0, since)
    robot.reach(world, (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1])))


# ---- what is known


def carried(world: World) -> float:
    """Vertical force of the fingers on the cylinder [N]: their friction, and what pads that are not quite upright press."""
    contacts, cylinder = world.contacts, world.body("cylinder")
    up = np.where(contacts["body_b"] == cylinder, 1.0, np.where(contacts["body_a"] == cylinder, -1.0, 0.0))
    upwards = contacts["friction_impulse"][:, 2] + contacts["impulse"] * contacts["normal"][:, 2]
    return float((up * upwards).sum() / world.impulse_duration)


def predict(parameters: Parameters) -> list[Prediction]:
    if parameters.drives != ROBOT or parameters.mu * 2.0 * _mf4.GRIP < 4.0 * MASS * 9.81:
        return []

    def measured(world: World, trace: Trace) -> float | None:
        return carried(world) if world.inputs[PHASE] >= len(PHASES) - 1 and world.time - world.inputs[SINCE] > 0.6 else None

    return [Prediction("vertical force on the cylinder", MASS * 9.81, "N", 0.01, measured)]


def check(world: World, trace: Trace) -> None:
    """The demonstration does all three tasks in time and drops nothing."""
    for task in TIMES:
        assert world.inputs[task.score] == 100.0, f"{task.name}: {world.inputs[task.score]} points"
    assert world.inputs[DROPS] == 0.0
    prediction = predict(Parameters())[0]
    got = prediction.measure(world, trace)
    assert got is not None and abs(got - prediction.value) < prediction.tolerance * prediction.value, f"force {got} N"


SCENE = Scene(
    title="Trainer of the robot MF-4: three tasks",
    category="Robots",
    look_for="Open the door, fetch the cylinder, carry it over the threshold without dropping it: the panel Controls counts the "
             "points. The robot shows how until you touch a control. The belts turn it on the spot by skidding: watch the "
             "friction of their contacts. The fingers hold the cylinder by friction alone; with less of it, it slides out.",
    law=r"\sum p_t = m g, \qquad |p_t| \le \mu\,p_n",
    law_text="sum of p_t = m g; |p_t| <= mu p_n",
    build=build,
    parameters=Parameters,
    live=("mu",),
    options={"iterations": 100, "tolerance": 1e-6},
    view=View(target=(-0.1, -1.7, 0.4), distance=7.0, azimuth=-30.0, elevation=30.0),
    plots=("body:cylinder.z", "joint:shoulder.motor", "joint:left finger.motor"),
    show=("contacts", "joints"),
    predict=predict,
    check_time=26.0,
    check=check,
    controls=_mf4.CONTROLS,
    eye=_mf4.EYE,
    tasks=tuple(TIMES),
    unreached=dict.fromkeys(("compliant_contact", "joint_space", "stewart_trinkle"),
                            "the 26 s of the demonstration take it minutes, and are not waited for"),
)
