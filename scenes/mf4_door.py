"""The robot MF-4 opens the door of MS16 (figures 4 to 7): it drives up, touches, pushes for 0.33 s; friction stops the door.

The door is that of door.py. Fingers that touch it at the distance X from the hinge follow it, at the angle a of the hinge, by

    y = X tan a - (d / 2) (1 / cos a - 1),   d: its thickness,   a = angle(t) of door.py while it is pushed             (1)

so the drives of the arm make the door turn as the hand of door.py does. Then they stop and the door leaves the fingers:

    omega(t) = omega1 - (F_max / I) t,   it turns by another   I omega1^2 / (2 F_max)                                   (2)
"""

import dataclasses
import math

import numpy as np

import scenes
from physics import World, option
from scenes import PaperFigure, PaperRow, Prediction, Scene, Trace, View, _mf4, door
from scenes._parts import check_predictions, ground
from scenes.door import ANGLE, F_MAX, OMEGA1, T1, T2, THICKNESS, TIMES, add_door, pushed

AHEAD, START = 0.75, -1.6       # x of the robot, y where it starts [m]
HAND = (0.40, 0.20)             # wrist over the shoulder while it drives [m]
TOUCH = AHEAD - 0.022           # X: outer edge of the closed finger that touches first [m]
LEFT = 0.04                     # way to the door when the belts stop [m]
SPEED, SLOWLY = 0.6, 0.05       # of driving, and of the hand until it touches [m/s]
SET_OFF, PUSH = 0.3, 4.0        # begin of driving and pushing [s]
DISTANCE = -0.5 * THICKNESS - LEFT - (START + _mf4.SHOULDER[0] + HAND[0] + _mf4.HAND)
ARRIVES = SET_OFF + DISTANCE / SPEED + 0.5
TOUCHED = "touched at"          # input: when the fingers met the door [s]; 0: not yet


@dataclasses.dataclass
class Parameters:
    max_friction: float = option(F_MAX, unit="N m", lo=0.0, hi=60.0, help="Dry friction bound of the hinge. It stops the door "
                                                                          "after the fingers have let go.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=0.9)
    leaf = add_door(world, parameters.max_friction)
    world.set_input(TOUCHED, 0.0)

    def script(world: World, robot: _mf4.ArmOnBase) -> None:
        t = world.time
        robot.run_belts(world, SPEED if SET_OFF <= t < SET_OFF + DISTANCE / SPEED else 0.0)
        if t < ARRIVES:
            return
        if not world.inputs[TOUCHED] and _touches(world, leaf):
            world.set_input(TOUCHED, t)
        met = world.inputs[TOUCHED]
        x, z = HAND[0] + SLOWLY * ((met or t) - ARRIVES), HAND[1]
        angle, rate = pushed(min(max(t - PUSH, 0.0), T1)) if met else (0.0, 0.0)
        forward = TOUCH * math.tan(angle) - 0.5 * THICKNESS * (1.0 / math.cos(angle) - 1.0)
        speed = (TOUCH - 0.5 * THICKNESS * math.sin(angle)) / math.cos(angle) ** 2 * rate
        robot.reach(world, (x + forward, z), (speed if met else SLOWLY, 0.0) if t < PUSH + T1 else (0.0, 0.0))

    _mf4.ArmOnBase(world, (AHEAD, START, 0.0), 0.5 * math.pi, HAND, script)


def _touches(world: World, leaf: int) -> bool:
    contacts = world.contacts
    return bool(((contacts["impulse"] > 0.0) & ((contacts["body_a"] == leaf) | (contacts["body_b"] == leaf))).any())


def release(trace: Trace) -> tuple[float, float, float]:
    """(time [s], rate [rad/s], angle [rad]) when the push ends."""
    n = int(np.searchsorted(trace["time"], PUSH + T1 - 1e-9))
    return float(trace["time"][n]), float(trace["joint:hinge.rate"][n]), float(trace["joint:hinge.angle"][n])


def motion(trace: Trace) -> tuple[float, float]:
    """(when the door stopped, after the push began [s], angle [rad]); nan: it still moves."""
    t, rate = trace["time"], np.abs(trace["joint:hinge.rate"])
    at_rest = np.flatnonzero((rate <= 1e-6) & (t > PUSH + T1))
    if not len(at_rest):
        return math.nan, math.nan
    return float(t[at_rest[0] - 1]) - PUSH, float(trace["joint:hinge.angle"][at_rest[0]])


def predict(parameters: Parameters) -> list[Prediction]:
    if parameters.max_friction < 0.5 * F_MAX or parameters.max_friction > F_MAX:
        return []
    coasts = OMEGA1 * (T2 - T1) * F_MAX / parameters.max_friction

    def measured(k: int) -> object:
        return lambda world, trace: None if math.isnan(motion(trace)[k]) else motion(trace)[k]

    return [Prediction("stops after the push began", T1 + coasts / OMEGA1, "s", 0.03, measured(0)),
            Prediction("angle", ANGLE + 0.5 * OMEGA1 * (coasts / OMEGA1 - (T2 - T1)), "rad", 0.02, measured(1),
                       "joint:hinge.angle")]


CURVES = tuple(dataclasses.replace(curve, times=tuple(PUSH + t for t in TIMES), tolerance=0.03) for curve in door.CURVES)


def check(world: World, trace: Trace) -> None:
    """The robot arrives, the door follows the published curves, stops by its friction alone and stays."""
    check_predictions(world, trace, predict(Parameters()))
    _, rate, _ = release(trace)
    assert abs(rate - OMEGA1) < 0.02 * OMEGA1, f"released at {rate:.3f} rad/s, not {OMEGA1:.3f}"
    free = (trace["time"] > PUSH + T1 + 0.02) & (trace["joint:hinge.rate"] > 1e-3)
    slope = np.polyfit(trace["time"][free], trace["joint:hinge.rate"][free], 1)[0]
    assert abs(slope + OMEGA1 / (T2 - T1)) < 1e-3, f"the door slows down by {-slope:.4f} rad/s^2"
    assert np.ptp(trace["joint:hinge.angle"][trace["time"] > trace["time"][-1] - 0.3]) < 1e-9, "the door creeps"
    assert world.inputs[TOUCHED] > ARRIVES, "the fingers touch the door after the belts have stopped"


def papers() -> list[PaperRow]:
    """The door as the robot pushes it; times from the moment at which it begins to push."""
    _, trace = scenes.run(SCENE)
    stop, angle = motion(trace)
    how = ("dt = 1/240 s; size, masses, drives and path of the robot are ours, its push follows scenes/door.py; after the push "
           "only the hinge acts")
    fitted = "consistency check of fitted inertia and push, by the robot"
    return [PaperRow("MS16", "fig. 6", f"{fitted}: door stops at", T2, stop, "s", 0.015, how),
            PaperRow("MS16", "fig. 7", f"{fitted}: angle at rest", 37.62, math.degrees(angle), "deg", 0.4, how)]



def figures() -> list[PaperFigure]:
    return door.figures(scenes.run(SCENE)[1], PUSH, "pushed by the robot MF-4")


SCENE = Scene(
    title="The robot MF-4 opens the door",
    category="Robots",
    look_for="The tracked robot drives to the door, touches it with its closed fingers and pushes it for a third of a second; "
             "then the dry friction of the hinge stops the door. The curves of the hinge lie on those that the paper printed. "
             "Every joint of the arm has dry friction and a drive of limited torque, and the belts are surface velocities in "
             "Coulomb's law. Take over at any time in the panel Controls, by keyboard or gamepad.",
    law=r"I\,\dot\omega = \tau(t) - F_{max}\,\mathrm{sign}\,\omega, \qquad \|p_k\| \le F_{k,max}\,\Delta t",
    law_text="I domega/dt = push(t) - F_max sign(omega); in each joint k of the arm ||p_k|| <= F_k,max dt",
    build=build,
    parameters=Parameters,
    live=("max_friction",),
    options={"iterations": 100, "tolerance": 1e-6},
    view=View(target=(0.5, -0.45, 0.75), distance=5.0, azimuth=-42.0, elevation=20.0),
    plots=("joint:hinge.rate", "joint:hinge.angle", "joint:hinge.friction"),
    show=("contacts", "joints"),
    curves=CURVES,
    predict=predict,
    check_time=5.4,
    check=check,
    papers=papers,
    figures=figures,
    controls=_mf4.CONTROLS,
    eye=_mf4.EYE,
    unreached=dict.fromkeys(("compliant_contact", "joint_space"),
                            "the belts drive the robot a fifth of a metre less far, and it does not reach the door"),
)
