"""Walking toy: two stiff legs on round feet walk down a ramp without a motor, each step like the one before (McGeer 1990).

Legs of length L on feet of radius R, l = L - R from the hip to the middle of a foot, mass m at the distance b below the hip,
moment J; at the hip the mass M. theta, phi: angles of the standing and the swinging leg to the normal of the ramp, gamma its
slope; u(a) = (sin a, cos a) along and across the ramp. The foot rolls:

    hip      r = (R theta, R) + l u(theta)          legs at  r - b u(theta),  r - b u(phi)                           (1)
    T = 1/2 m11 theta'^2 + m12 theta' phi' + 1/2 m22 phi'^2                                                          (2)
        m11 = (M + m) (R^2 + l^2 + 2 R l cos theta) + m (R^2 + k^2 + 2 R k cos theta) + J,   k = l - b
        m12 = -m b (R cos phi + l cos(theta - phi)),   m22 = m b^2 + J
    a foot lands where  cos theta = cos phi,  theta = -phi > 0;  the momenta of (2) of the legs in their new roles are those
    of the bodies before, along (1): nothing slips, nothing bounces, the other foot is free at once                  (3)

The stiff legs would scuff the ramp in mid-swing. As on McGeer's ramp of tiles, the swinging foot meets nothing until it is ahead.
"""

import dataclasses
import functools
import math

import numpy as np

from physics import Box, Compound, Cylinder, World, option
from physics.collide.broad import ALL_CATEGORIES
from scenes import Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import LYING, G, add, block, check_predictions, ground, turned

LEG, FOOT = 0.5, 0.1                            # L, R [m]
MASS, HIP = 1.0, 4.0                            # m, M [kg]
PLATE, RIM = (0.03, 0.012, 0.2), 0.006          # half extents of one of the two plates of a leg, half width of a foot [m]
OUTER, INNER = 0.15, 0.08                       # of the plates of both legs from the middle [m]
LENGTH, GRIP, BOUNCE = 8.0, 1.0, 0.005          # of the ramp [m], friction, restitution: so that landings act at their times
AHEAD, TOUCHES = 0.1, 1e-4                      # angle [rad] from which a foot may land, height at which it has [m]
LEGS = ("outer leg", "inner leg")
SWINGS = "leg that swings"
"""Control input: index of LEGS."""
FIRST, STEPS = (0.0393, (-0.34, 0.34, 1.60, 0.98)), 3
"""A slope [rad] and about (theta, phi, theta', phi') there after a step [rad, rad/s]; steps at the end that are measured."""


@dataclasses.dataclass
class Parameters:
    angle: float = option(1.75, unit="deg", lo=1.5, hi=2.5, help="Slope of the ramp. A steeper one makes longer steps.")
    push: float = option(1.03, lo=0.9, hi=1.1, help="Speed at the start, relative to that of the steady gait. Too slow a "
                                                   "toy falls back.")


def leg(y: float) -> Compound:
    """Two plates with feet at y and -y [m]; its own frame has its origin at the hip, z along the leg."""
    return Compound(*((Box(PLATE), (0.0, side * y, -PLATE[2])) for side in (1.0, -1.0)),
                    *((Cylinder(FOOT, RIM), (0.0, side * y, FOOT - LEG), LYING) for side in (1.0, -1.0)))


@functools.cache
def inertia_of_leg() -> tuple[float, float]:
    """b [m] and J [kg m^2] of both legs."""
    shape = leg(INNER)
    return -float(shape.centre()[2]), float(shape.inertia(MASS)[1, 1])


def masses(theta: float, phi: float) -> tuple[float, float, float]:
    """m11, m12, m22 of (2) [kg m^2]."""
    (b, moment), r, arm = inertia_of_leg(), FOOT, LEG - FOOT
    k = arm - b
    return ((HIP + MASS) * (r * r + arm * arm + 2.0 * r * arm * math.cos(theta))
            + MASS * (r * r + k * k + 2.0 * r * k * math.cos(theta)) + moment,
            -MASS * b * (r * math.cos(phi) + arm * math.cos(theta - phi)), MASS * b * b + moment)


def solved(theta: float, phi: float, first: float, second: float) -> tuple[float, float]:
    """The mass matrix of (2) divides a pair of generalised forces or momenta."""
    m11, m12, m22 = masses(theta, phi)
    whole = m11 * m22 - m12 * m12
    return (m22 * first - m12 * second) / whole, (m11 * second - m12 * first) / whole


def rates(state: np.ndarray, slope: float) -> np.ndarray:
    """(theta', phi', theta'', phi'') by Lagrange's equations of (1) and (2)."""
    theta, phi, w, v = state.tolist()
    b, r, arm = inertia_of_leg()[0], FOOT, LEG - FOOT
    k, along, down = arm - b, G * math.sin(slope), -G * math.cos(slope)
    grows = -r * math.sin(theta) * ((HIP + MASS) * arm + MASS * k)                      # 1/2 d m11 / d theta
    both, swung = MASS * b * arm * math.sin(theta - phi), MASS * b * r * math.sin(phi)  # d m12: both, swung - both
    first = (along * ((HIP + MASS) * (r + arm * math.cos(theta)) + MASS * (r + k * math.cos(theta)))
             - down * math.sin(theta) * ((HIP + MASS) * arm + MASS * k) - grows * w * w - (swung - both) * v * v)
    second = MASS * b * (down * math.sin(phi) - along * math.cos(phi)) - both * w * w
    return np.array([w, v, *solved(theta, phi, first, second)])


def landed(state: np.ndarray) -> np.ndarray:
    """The state after the swinging foot has landed and became the standing one, (3)."""
    theta, phi, w, v = state.tolist()
    (b, moment), r, arm = inertia_of_leg(), FOOT, LEG - FOOT

    def rolling(angle: float, up: float) -> np.ndarray:
        """Velocity of a point of the standing leg, at that distance above the middle of its foot, for a rate of 1."""
        return np.array([r + up * math.cos(angle), -up * math.sin(angle)])

    def hanging(angle: float) -> np.ndarray:
        """Velocity of the other leg's centre relative to the hip, for a rate of 1."""
        return np.array([-b * math.cos(angle), b * math.sin(angle)])

    hip, old = rolling(theta, arm) * w, rolling(theta, arm - b) * w
    new = hip + hanging(phi) * v
    first = rolling(phi, arm) @ (HIP * hip + MASS * old) + MASS * rolling(phi, arm - b) @ new + moment * v
    second = MASS * hanging(theta) @ old + moment * w
    return np.array([phi, theta, *solved(phi, theta, first, second)])


def stepped(state: np.ndarray, slope: float, h: float = 4e-3) -> tuple[np.ndarray, float] | None:
    """(state after a step, its time [s]) from the state after the one before; None: it falls."""
    def advanced(state: np.ndarray, h: float) -> np.ndarray:
        """Runge and Kutta's fourth order."""
        a = rates(state, slope)
        b = rates(state + 0.5 * h * a, slope)
        c = rates(state + 0.5 * h * b, slope)
        return state + h / 6.0 * (a + 2.0 * b + 2.0 * c + rates(state + h * c, slope))

    for k in range(500):
        after = advanced(state, h)
        if state[0] + state[1] < 0.0 <= after[0] + after[1] and after[0] - after[1] > AHEAD:
            low, high = 0.0, h
            for _ in range(40):
                mid = 0.5 * (low + high)
                low, high = (mid, high) if advanced(state, mid)[:2].sum() < 0.0 else (low, mid)
            return landed(advanced(state, high)), k * h + high
        state = after
    return None


@functools.cache
def gait(degrees: float) -> tuple[tuple[float, float, float, float], float]:
    """(state after each step of the steady gait, time of a step [s]); the ramp is tilted by and by from FIRST."""
    (slope, state), time = FIRST, 0.0
    aim = math.radians(degrees)
    for part in (*np.linspace(slope, aim, 2 + int(abs(aim - slope) / 0.004)).tolist(), aim):
        for _ in range(12):
            state, time = stepped(np.array(state), part)
    return tuple(state.tolist()), time


def length(theta: float) -> float:
    """Of a step with legs at theta and -theta [m], (1)."""
    return 2.0 * ((LEG - FOOT) * math.sin(theta) + FOOT * theta)


def build(world: World, parameters: Parameters) -> None:
    gamma, ((theta, phi, w, v), _) = math.radians(parameters.angle), gait(parameters.angle)
    w, v = parameters.push * w, parameters.push * v
    along, up = np.array([math.cos(gamma), 0.0, -math.sin(gamma)]), np.array([math.sin(gamma), 0.0, math.cos(gamma)])
    top = np.array([0.0, 0.0, 0.05 + (LENGTH - 1.0) * math.sin(gamma)])
    ground(world)
    block(world, (0.5 * LENGTH, 0.3, 0.04), tuple(top + (0.5 * LENGTH - 0.8) * along - 0.04 * up), friction=GRIP,
          quat=turned((0.0, 1.0, 0.0), gamma), name="ramp")
    arm, b = LEG - FOOT, inertia_of_leg()[0]

    def direction(angle: float) -> np.ndarray:
        return math.sin(angle) * along + math.cos(angle) * up

    def sweep(angle: float) -> np.ndarray:
        return math.cos(angle) * along - math.sin(angle) * up

    hip = top + FOOT * up + arm * direction(theta)
    speed = w * (FOOT * along + arm * sweep(theta))
    axle = add(world, Cylinder(0.045, OUTER + 0.03), tuple(hip), group=5, mass=HIP, quat=LYING, vel=tuple(speed), mask=0,
               name="hip")
    for k, (name, y, angle, rate) in enumerate(zip(LEGS, (OUTER, INNER), (phi, theta), (v, w))):
        body = add(world, leg(y), tuple(hip), group=1 + 2 * k, mass=MASS, friction=GRIP, restitution=BOUNCE, category=2, mask=1,
                   quat=turned((0.0, 1.0, 0.0), gamma + angle), vel=tuple(speed - b * rate * sweep(angle)),
                   omega=(0.0, rate, 0.0), name=name)
        world.add_joint("revolute", axle, body, anchor=tuple(hip), axis=(0.0, 1.0, 0.0), name=f"hip of the {name}")
    world.add_joint("planar", 0, axle, anchor=tuple(hip), axis=(0.0, 1.0, 0.0), name="guide")
    world.set_input(SWINGS, 0.0)
    step_over(world, top, along, up)


def step_over(world: World, top: np.ndarray, along: np.ndarray, up: np.ndarray) -> None:
    """Add what lets the swinging foot pass the ramp. top: a point of the ramp, along, up: its directions."""
    b = inertia_of_leg()[0]

    def lead(world: World) -> tuple[int, float]:
        """The body of the swinging leg, and how far it is ahead of the other one [rad]; body 0 without both legs."""
        swings = round(world.inputs.get(SWINGS, 0.0))
        if not set(LEGS) <= set(world.body_names):
            return 0, 0.0
        a, other = (world.body(LEGS[k]) for k in (swings, 1 - swings))
        angles = [2.0 * math.atan2(world.bodies["quat"][body][2], world.bodies["quat"][body][0]) for body in (a, other)]
        return a, angles[1] - angles[0]

    def touches(world: World, body: int) -> bool:
        """Whether the foot of a leg is at the ramp."""
        w, _, y, _ = world.bodies["quat"][body]
        angle = 2.0 * math.atan2(y, w)
        foot = world.bodies["pos"][body] - (LEG - FOOT - b) * np.array([math.sin(angle), 0.0, math.cos(angle)])
        return (foot - top) @ up - FOOT < TOUCHES

    def exchange(world: World) -> None:
        """The legs change their roles where the swinging foot lands; what swings and is not ahead meets nothing."""
        body, ahead = lead(world)
        if not body:
            return
        if ahead >= AHEAD and touches(world, body):
            world.set_input(SWINGS, 1.0 - world.inputs[SWINGS])
            body, ahead = lead(world)
        for leg in map(world.body, LEGS):
            mask = 0 if leg == body and ahead < AHEAD else 1
            if (world.shapes["ignores"][world.shapes["body"] == leg] != (ALL_CATEGORIES ^ mask)).any():
                world.set_filter(leg, mask=mask)

    world.drivers.append(exchange)


def passings(trace: Trace) -> np.ndarray:
    """Times at which one leg passes the other [s], once a step."""
    time, apart = trace["time"], trace["body:outer leg.pitch"] - trace["body:inner leg.pitch"]
    at = np.flatnonzero(np.sign(apart[:-1]) * np.sign(apart[1:]) < 0.0)
    return time[at] + (time[at + 1] - time[at]) * apart[at] / (apart[at] - apart[at + 1])


@functools.cache
def walks(angle: float, push: float) -> bool:
    """Whether it is still on its feet some steps after the push."""
    (theta, phi, w, v), _ = gait(angle)
    state, slope = np.array([theta, phi, push * w, push * v]), math.radians(angle)
    for _ in range(3 * STEPS):
        if (after := stepped(state, slope)) is None:
            return False
        state, _ = after
    return True


def predict(parameters: Parameters) -> list[Prediction]:
    if not walks(parameters.angle, parameters.push):
        return []
    state, time = gait(parameters.angle)

    def last(trace: Trace) -> np.ndarray | None:
        """The times at which the measured steps begin and end [s], None before."""
        found = passings(trace)
        return found[[-1 - STEPS, -1]] if len(found) > 2 * STEPS else None

    def period(world: World, trace: Trace) -> float | None:
        ends = last(trace)
        return None if ends is None else float(np.ptp(ends)) / STEPS

    def speed(world: World, trace: Trace) -> float | None:
        ends = last(trace)
        if ends is None:
            return None
        way = np.interp(ends, trace["time"], trace["body:hip.x"])
        return float(np.ptp(way) / np.ptp(ends) / math.cos(math.radians(parameters.angle)))

    return [Prediction("time of a step", time, "s", 0.02, period),
            Prediction("speed of walking", length(-state[0]) / time, "m/s", 0.03, speed)]


def check(world: World, trace: Trace) -> None:
    """It walks with the steady gait, upright, straight ahead, and the push at the start is forgotten."""
    check_predictions(world, trace, predict(Parameters()))
    steps, steady = np.diff(passings(trace)), gait(Parameters().angle)[1]
    assert abs(steps[-1] - steady) < 0.5 * abs(steps[0] - steady), f"times of the steps: {steps}"
    assert abs(world.bodies["pos"][world.body("hip"), 1]) < 0.01, "it walks aside"


SCENE = Scene(
    title="Walking toy on a ramp",
    category="Mechanisms",
    look_for="Two stiff legs on round feet, joined at the hip, walk down a ramp by themselves. The standing leg falls forward "
             "over its foot, the other one swings ahead like a pendulum and lands: the impact costs as much energy as the step "
             "down the ramp gives. The toy starts a little too fast; step by step it comes back to its gait, whose period and "
             "speed follow from the equations of motion. Pushed too little, it falls back.",
    law=r"\Delta E = -M g\, s \sin\gamma, \qquad q_{n+1} = P(q_n) \to q^*",
    law_text="energy lost at a landing = M g s sin(gamma);  q_(n+1) = P(q_n) -> q*, a step as a map of the state",
    build=build,
    parameters=Parameters,
    dt=1.0 / 480.0,
    thumbnail=Thumbnail(1.3, View(target=(0.65, 0.0, 0.85), distance=2.3, azimuth=25.0, elevation=12.0)),
    view=View(target=(1.9, 0.0, 0.45), distance=4.9, azimuth=15.0, elevation=12.0),
    options={"cone": "circle"},
    plots=("body:outer leg.pitch", "body:inner leg.pitch", "body:hip.x", "body:hip.speed"),
    show=("contacts", "forces"),
    predict=predict,
    check_time=5.2,
    check=check,
    unreached={"compliant_contact": "feet sink in when they land, and lose less energy"},
)
