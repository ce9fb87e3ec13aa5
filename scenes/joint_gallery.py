"""One of each joint, moving: what each lets go and what it holds.

    gear    theta_b = ratio theta_a            screw       way = lead turns
    rack    way = radius theta                 universal   rate ratio between cos(beta) and 1 / cos(beta)

Front row, from the left: revolute, prismatic, cylindrical, spherical, universal. Middle: fixed, rod, rope, spring, torsion
spring. Back: planar, screw, gear, rack, six degrees of freedom.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Capsule, Friction, Motor, Sphere, World, option
from scenes import Prediction, Scene, Trace, View
from scenes._parts import GREY, add, ground, turned

ACROSS, DEEP = 1.2, 1.1         # between two places [m]
TOP, RISE = 0.7, 0.6            # height of the joints of the front row, and how much higher each next one is [m]
RATIO, LEAD, RADIUS, BEND = -1.5, 0.08, 0.12, math.radians(30.0)
CONE, ROPE = 0.6, 0.5           # [rad], [m]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclasses.dataclass
class Parameters:
    speed: float = option(2.0, unit="rad/s", lo=0.0, hi=6.0, help="Speed of the motors.")
    friction: float = option(0.0, unit="N or N m", lo=0.0, hi=20.0, help="Dry friction bound of every joint with friction. Each "
                                                                         "joint stops moving beyond its own value.")
    viscous: float = option(0.0, unit="N s/m or N m s", lo=0.0, hi=5.0, help="Viscous friction of every joint with friction.")


class Stand:
    """A place in the gallery. Positions are counted from its post, at the height of the joints."""

    def __init__(self, world: World, number: int) -> None:
        self.world, self.colour = world, 1 + number % 8
        self.origin = np.array([ACROSS * (number % 5 - 2), DEEP * (number // 5), TOP + RISE * (number // 5)])

    def at(self, pos: tuple[float, float, float]) -> tuple[float, ...]:
        return tuple((self.origin + pos).tolist())

    def body(self, name: str, shape: object, pos: tuple[float, float, float], shade: int = 0, **more: object) -> int:
        """A body of the place's colour. What is shown here touches only what is thrown at it."""
        still = more.get("kind") == "static"
        body = add(self.world, shape, self.at(pos), group=GREY if still else 1 + (self.colour - 1 + shade) % 8, name=name, **more)
        self.world.set_filter(body, group=-1)
        return body

    def still(self, name: str, half: tuple[float, float, float], pos: tuple[float, float, float]) -> None:
        self.body(name, Box(half), pos, kind="static")

    def post(self, name: str) -> None:
        half = 0.5 * self.origin[2]
        self.still(f"{name} post", (0.04, 0.04, half + 0.02), (0.0, 0.16, 0.02 - half))

    def join(self, kind: str, a: int, b: int, pos: tuple[float, float, float], axis: tuple[float, float, float] = Y,
             name: str = "", anchor_b: tuple[float, float, float] | None = None, **more: object) -> int:
        if anchor_b is not None:
            more["anchor_b"] = self.at(anchor_b)
        return self.world.add_joint(kind, a, b, anchor=self.at(pos), axis=axis, name=name or kind, **more)


def build(world: World, p: Parameters) -> None:
    ground(world)
    front(world, p)
    middle(world)
    back(world, p)
    if p.friction > 0.0 or p.viscous > 0.0:
        for j in range(len(world.joints)):
            if world.joint_kind(j).friction:
                world.set_joint_friction(Friction(static=p.friction, viscous=p.viscous), j)
    swinging = {name: (world.joint(name), size) for name, size in
                (("prismatic", 0.4), ("cylindrical", 0.4), ("screw", 4.0 * math.pi), ("pinion", 1.5))}

    def swing(world: World) -> None:
        """Motors that go to and fro: their speed follows a cosine of the time."""
        rate = 0.5 * p.speed
        for name, (j, size) in swinging.items():
            if name in world.joint_names:
                world.joints["motor_target"][j, 0] = size * rate * math.cos(rate * world.time)
        if "six_dof" in world.joint_names:
            world.joints["motor_target"][world.joint("six_dof"), 2] = 0.2 * math.sin(2.0 * p.speed * world.time)

    world.drivers.append(swing)


def front(world: World, p: Parameters) -> None:
    """Revolute, prismatic, cylindrical, spherical, universal."""
    place = Stand(world, 0)
    place.post("revolute")
    arm = place.body("arm", Box((0.25, 0.03, 0.04)), (0.2, 0.0, 0.0))
    place.join("revolute", 0, arm, (0.0, 0.0, 0.0), motor=Motor(target=p.speed, force=60.0))

    place = Stand(world, 1)
    place.still("rail", (0.5, 0.02, 0.02), (0.0, 0.0, 0.0))
    carriage = place.body("carriage", Box((0.1, 0.08, 0.08)), (0.0, 0.0, 0.0))
    place.join("prismatic", 0, carriage, (0.0, 0.0, 0.0), X, limits=(-0.4, 0.4), motor=Motor(force=200.0))

    place = Stand(world, 2)
    place.still("bar", (0.5, 0.02, 0.02), (0.0, 0.0, 0.0))
    sleeve = place.body("sleeve", Box((0.1, 0.09, 0.09)), (0.0, 0.0, 0.0), omega=(4.0, 0.0, 0.0))
    place.join("cylindrical", 0, sleeve, (0.0, 0.0, 0.0), X, motor={"travel": Motor(force=200.0)})

    place = Stand(world, 3)
    place.post("spherical")
    club = place.body("club", Capsule(0.05, 0.2), (0.0, 0.0, -0.25), omega=(2.0, -3.0, 2.0), vel=(0.75, 0.5, 0.0))
    place.join("spherical", 0, club, (0.0, 0.0, 0.0), Z, limits={"swing": (None, CONE)}, restitution=0.5)

    place = Stand(world, 4)
    along = np.array([math.cos(BEND), 0.0, math.sin(BEND)])
    driver = place.body("driver", Box((0.18, 0.03, 0.05)), (-0.22, 0.0, 0.0))
    driven = place.body("driven", Box((0.18, 0.03, 0.05)), tuple(0.22 * along), 3, quat=turned(Y, -BEND))
    place.still("bearing", (0.02, 0.08, 0.08), (-0.45, 0.0, 0.0))
    place.join("revolute", 0, driver, (-0.42, 0.0, 0.0), X, "shaft a", motor=Motor(target=p.speed, force=20.0))
    place.join("revolute", 0, driven, tuple(0.42 * along), tuple(along), "shaft b")
    place.join("universal", driver, driven, (0.0, 0.0, 0.0), Y, across=(math.sin(BEND), 0.0, -math.cos(BEND)))


def middle(world: World) -> None:
    """Fixed, rod, rope, spring, torsion spring."""
    place = Stand(world, 5)
    place.post("fixed")
    beam = place.body("beam", Box((0.2, 0.03, 0.03)), (0.2, 0.0, 0.0))
    hook = place.body("hook", Box((0.03, 0.03, 0.12)), (0.37, 0.0, 0.15), 3)
    place.join("revolute", 0, beam, (0.0, 0.0, 0.0), Y, "hanger")
    place.join("fixed", beam, hook, (0.37, 0.0, 0.03))

    place = Stand(world, 6)
    place.post("rod")
    bob = place.body("bob", Sphere(0.08), (0.3, 0.0, -0.3))
    place.join("rod", 0, bob, (0.0, 0.0, 0.0), anchor_b=(0.3, 0.0, -0.3))

    place = Stand(world, 7)
    place.post("rope")
    ball = place.body("ball", Sphere(0.08), (0.25, 0.0, 0.15))
    place.join("rope", 0, ball, (0.0, 0.0, 0.0), anchor_b=(0.25, 0.0, 0.15), length=ROPE)

    place = Stand(world, 8)
    place.post("spring")
    weight = place.body("weight", Box((0.07, 0.07, 0.07)), (0.0, 0.0, -0.35), vel=(0.3, 0.0, -1.0))
    place.join("spring", 0, weight, (0.0, 0.0, 0.0), anchor_b=(0.0, 0.0, -0.28), stiffness=250.0, damping=0.5)

    place = Stand(world, 9)
    place.post("torsion")
    balance = place.body("balance", Box((0.28, 0.03, 0.04)), (0.0, 0.0, 0.0), omega=(0.0, 8.0, 0.0))
    place.join("revolute", 0, balance, (0.0, 0.0, 0.0), Y, "pivot")
    place.join("torsion_spring", 0, balance, (0.0, 0.0, 0.0), stiffness=4.0)


def back(world: World, p: Parameters) -> None:
    """Planar, screw, gear, rack, six degrees of freedom."""
    place = Stand(world, 10)
    place.still("plate", (0.42, 0.42, 0.02), (0.0, 0.0, -0.05))
    puck = place.body("puck", Box((0.08, 0.06, 0.025)), (0.0, 0.0, 0.0), vel=(0.8, 0.5, 0.0), omega=(0.0, 0.0, 3.0))
    place.join("planar", 0, puck, (0.0, 0.0, 0.0), Z, limits={"x": (-0.32, 0.32), "y": (-0.32, 0.32)}, restitution=1.0)

    place = Stand(world, 11)
    place.still("thread", (0.02, 0.02, 0.4), (0.0, 0.0, 0.0))
    nut = place.body("nut", Box((0.14, 0.06, 0.03)), (0.0, 0.0, 0.0))
    place.join("screw", 0, nut, (0.0, 0.0, 0.0), Z, lead=LEAD, motor=Motor(force=200.0))

    place = Stand(world, 12)
    place.post("gear")
    one = place.body("wheel a", Box((0.13, 0.03, 0.13)), (-0.2, 0.0, 0.0))
    other = place.body("wheel b", Box((0.09, 0.03, 0.09)), (0.14, 0.0, 0.0), 3)
    place.join("revolute", 0, one, (-0.2, 0.0, 0.0), Y, "axle a", motor=Motor(target=p.speed, force=20.0))
    place.join("revolute", 0, other, (0.14, 0.0, 0.0), Y, "axle b")
    place.join("gear", one, other, (-0.2, -0.03, 0.0), anchor_b=(0.14, -0.03, 0.0), axis_b=Y, ratio=RATIO)

    place = Stand(world, 13)
    place.post("rack")
    pinion = place.body("pinion wheel", Box((0.08, 0.03, 0.08)), (0.0, 0.0, 0.0))
    bar = place.body("rack bar", Box((0.3, 0.03, 0.03)), (0.0, 0.0, -0.16), 3)
    place.join("revolute", 0, pinion, (0.0, 0.0, 0.0), Y, "pinion", motor=Motor(force=200.0))
    place.join("prismatic", 0, bar, (0.0, 0.0, -0.16), X, "rack rail")
    place.join("rack", pinion, bar, (0.0, -0.03, 0.0), anchor_b=(0.0, -0.03, -0.16), axis_b=(-1.0, 0.0, 0.0), radius=RADIUS)

    place = Stand(world, 14)
    cube = place.body("cube", Box((0.12, 0.12, 0.12)), (0.0, 0.0, 0.0), omega=(4.0, 2.0, 3.0), vel=(0.8, 0.0, 0.0))
    springs = {name: Motor("spring", stiffness=800.0, damping=2.0) for name in ("x", "y", "z")}
    springs |= {name: Motor("spring", stiffness=6.0, damping=0.02) for name in ("rx", "ry", "rz")}
    place.join("six_dof", 0, cube, (0.0, 0.0, 0.0), Z, motor=springs)


def ratio_of(trace: Trace, ours: str, of: str) -> float | None:
    """Largest value of one curve over the largest of another, with sign; None before anything moved."""
    one, other = trace[f"joint:{ours}"], trace[f"joint:{of}"]
    at = int(np.argmax(np.abs(other)))
    return float(one[at] / other[at]) if abs(other[at]) > 1e-3 else None


def predict(p: Parameters) -> list[Prediction]:
    if p.speed == 0.0:
        return []
    return [Prediction("gear: turns of b per turn of a", RATIO, "", 1e-5,
                       lambda world, trace: ratio_of(trace, "axle b.angle", "axle a.angle")),
            Prediction("rack: displacement per radian", -RADIUS, "m", 1e-5,
                       lambda world, trace: ratio_of(trace, "rack rail.angle", "pinion.angle"))]


def check(world: World, trace: Trace) -> None:
    """Every joint is closed; gears, rack, screw, rope and cone keep what they promise."""
    assert np.max(world.joints["error"]) < 1e-4, f"an error of {np.max(world.joints['error']):.1e} m or rad"
    gear = trace["joint:axle b.angle"] - RATIO * trace["joint:axle a.angle"]
    rack = trace["joint:rack rail.angle"] + RADIUS * trace["joint:pinion.angle"]
    assert np.max(np.abs(gear)) < 1e-5 and np.max(np.abs(rack)) < 1e-5, "gear or rack slips"
    height = world.bodies["pos"][world.body("nut"), 2] - TOP - 2.0 * RISE
    assert abs(height - LEAD * trace["joint:screw.angle"][-1] / (2.0 * math.pi)) < 1e-5, "the nut slips on its thread"
    assert np.max(trace["joint:rope.angle"]) < ROPE + 1e-3, "the rope stretches"
    assert np.max(trace["joint:spherical.swing"]) < CONE + 1e-3, "the cone is left"
    assert np.max(trace["joint:spherical.swing"]) > CONE - 1e-2, "the cone is not reached"


SCENE = Scene(
    title="Gallery of joints",
    category="Joint friction",
    look_for="Each joint frees some directions and constrains the others. In front: a revolute joint, a prismatic joint, a "
             "cylindrical joint, a ball joint with a cone limit, and two shafts with a universal joint; behind them: a fixed "
             "joint, a rod, a rope, a spring and a torsion spring; at the back: a planar joint, a screw, gears, rack and pinion, "
             "and a cube on a six-axis spring. Add dry or viscous friction and see which stop first.",
    law=r"J V = 0, \qquad \|p\| \le \left(F_k + (F_s - F_k)\, e^{-(v/v_s)^2}\right) \Delta t, \qquad "
        r"p_c = -c\, v\, \Delta t",
    law_text="J V = 0 in the constrained directions; friction |p| <= F(v) dt and -c v dt in the free ones",
    build=build,
    parameters=Parameters,
    live=("friction", "viscous"),
    view=View(target=(0.0, 1.0, 1.1), distance=6.6, azimuth=8.0, elevation=18.0),
    plots=("joint:axle a.angle", "joint:axle b.angle", "joint:screw.angle", "joint:pinion.angle", "joint:rack rail.angle",
           "joint:rope.angle", "joint:spherical.swing"),
    drawn=("joint:axle a.angle", "joint:axle b.angle", "joint:screw.angle", "joint:rack rail.angle"),
    show=("joints",),
    predict=predict,
    check_time=6.0,
    check=check,
    expected_warnings=("joints 'shaft a', 'shaft b', 'universal' form a closed loop with 3 redundant constraints",),
    unreached={},
)
