"""A chain over a drum holds a weight: how hard must one pull for the chain to slip?

Each link touches the drum under its hinge, where the chain turns by the angle d. With the forces T before and T' behind it

    across:  N = (T + T') sin(d / 2),   along:  (T' - T) cos(d / 2) = mu N
    T' / T = (1 + mu tan(d / 2)) / (1 - mu tan(d / 2)),   of n links its n-th power                                  (1)

which tends to Euler's exp(mu n d) for many short links. The prediction also counts the weights m g of the links, which act in
their middles c_k: from link to link, with S the force in a hinge, e and t across and along the drum,

    S' = S + N (e - mu t) + m g,   (P' - P) x S' = (c - P) x m g                                                     (2)
"""

import dataclasses
import math

import numpy as np

from physics import Box, Compound, Cylinder, Sphere, World, option
from scenes import Scene, Trace, View, present
from scenes._parts import GREY, LYING, G, SlipLoad, add, ground, middle, push, turned

R, TOP = 0.3, 1.1               # radius of the drum, height of its axis [m]
TURN = math.radians(15.0)       # d
BALL, LINK = 0.03, 0.06         # radius of the foot of a link [m], its mass m [kg]
LONG = 2.0 * R * math.sin(0.5 * TURN)           # between two hinges [m]
DOWN = 0.45                     # of the weight below its hinge [m]
HANDLE = 0.5                    # mass of the handle [kg]
REACH, SLOW, DAMPING = 0.07, 0.01, 400.0
"""Way of the handle from which on the chain is only held, and from which on it is pulled gently [m], how gently [N s/m]."""


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.3, lo=0.0, hi=0.8, help="Friction coefficient of chain and drum.")
    load: float = option(3.0, unit="kg", lo=0.5, hi=10.0, help="Mass of the weight.")
    links: int = option(8, lo=4, hi=15, help="Links on the drum. Each turns the chain by 15 degrees.")
    rate: float = option(80.0, unit="N/s", lo=20.0, hi=300.0, help="Rate at which the pull grows.")


def around(k: float) -> np.ndarray:
    """e at the k-th hinge (3,): from the drum's axis, the weight's side first."""
    angle = (k + 0.5) * TURN
    return np.array([-math.cos(angle), 0.0, math.sin(angle)])


def along(k: float) -> np.ndarray:
    """t at the k-th hinge (3,): towards the pull."""
    angle = (k + 0.5) * TURN
    return np.array([math.sin(angle), 0.0, math.cos(angle)])


def hinge(k: int, links: int, y: float = 0.0) -> np.ndarray:
    """P_k (3,) [m], on the drum at y; the last one hangs free behind the drum."""
    axis = np.array([0.0, y, TOP])
    return axis + R * around(k) if k < links else axis + R * around(links - 1) + LONG * along(links - 0.5)


SHAPE = Compound((Box((0.45 * LONG, 0.02, 0.4 * BALL)), (0.0, 0.0, BALL)),
                 (Sphere(BALL), (-0.5 * LONG - BALL * math.sin(0.5 * TURN), 0.0, BALL * math.cos(0.5 * TURN))))
"""A bar and its foot over the rear hinge; x along the link, z away from the drum, the origin midway between the hinges."""


def chain(world: World, mu: float, load: float, links: int, y: float = 0.0, name: str = "") -> int:
    """Add a weight and the links from it over the drum at y; returns the last link. name: put before theirs."""
    last = add(world, Box((0.1, 0.1, 0.1)), tuple(hinge(0, links, y) - (0.0, 0.0, DOWN)), group=5, mass=load, mask=0,
               name=f"{name}weight")
    for k in range(links):
        way, at = along(k + 0.5), hinge(k, links, y)
        link = add(world, SHAPE, tuple(0.5 * (at + hinge(k + 1, links, y))), group=1 + k % 2, mass=LINK,
                   quat=turned((0.0, 1.0, 0.0), math.atan2(-way[2], way[0])), friction=mu, name=f"{name}link {k + 1}")
        world.add_joint("revolute", last, link, anchor=tuple(at), axis=(0.0, 1.0, 0.0), name=f"{name}hinge {k + 1}")
        last = link
    return last


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    add(world, Cylinder(R, 0.12), (0.0, 0.0, TOP), kind="static", group=GREY, quat=LYING, friction=p.mu, name="drum")
    last = chain(world, p.mu, p.load, p.links)
    end, way = hinge(p.links, p.links), along(p.links - 0.5)
    handle = add(world, Box((0.03, 0.08, 0.03)), tuple(end), group=3, mass=HANDLE, mask=0, name="handle")
    world.add_joint("revolute", last, handle, anchor=tuple(end), axis=(0.0, 1.0, 0.0), name="grip")
    world.add_joint("prismatic", 0, handle, anchor=tuple(end), axis=tuple(way), name="guide")

    def pulled(world: World) -> np.ndarray:
        now, moved = present(p, world.inputs), way @ (world.bodies["pos"][handle] - end)
        force = pull(now, middle(world)) if moved < REACH else now.load * G
        return way * (force - (DAMPING * (way @ world.bodies["vel"][handle]) if moved > SLOW else 0.0))
    push(world, handle, pulled)


def pull(parameters: Parameters, t: float) -> float:
    """Force on the handle [N], at first that of the weight, until it has come as far as it shall."""
    return parameters.load * G + parameters.rate * t


def over_drum(mu: float, load: float, links: int) -> tuple[np.ndarray, float]:
    """Force in the last hinge (3,) [N] while the links slip towards it, and the sum of their loads on the drum [N], by (2).
    mu < 0: they slip the other way."""
    force, pressed = np.array([0.0, 0.0, -load * G]), 0.0
    weight, drawn = np.array([0.0, 0.0, -LINK * G]), SHAPE.centre()
    for k in range(links):
        e, t, e_link, t_link = around(k), along(k), around(k + 0.5), along(k + 0.5)
        # S' along the link and across it; across only the link's weight
        c = drawn[0] + 0.5 * LONG, drawn[2]
        across = (c[0] * (weight @ e_link) - c[1] * (weight @ t_link)) / LONG
        # S + N (e - mu t) + m g = S', its part across the link gives N
        normal = (across - (force + weight) @ e_link) / ((e - mu * t) @ e_link)
        force, pressed = force + weight + normal * (e - mu * t), pressed + float(normal)
    return force, pressed


def slips_at(parameters: Parameters) -> float:
    """Pull at which the chain slips [N]."""
    way = along(parameters.links - 0.5)
    return float(over_drum(parameters.mu, parameters.load, parameters.links)[0] @ -way) + HANDLE * G * float(way[2])


SLIP = SlipLoad("pull at which the chain slips", slips_at, lambda p: "weight", "z", (5e-3, 3e-2), pull)


def check(world: World, trace: Trace) -> None:
    """It slips at the predicted pull, and holds before."""
    SLIP.check(world, trace, Parameters())


SCENE = Scene(
    title="Capstan of links",
    category="Contact friction",
    look_for="A chain lies around a third of a drum and holds a weight; the pull at its other end grows slowly. Every link adds "
             "its share of friction, in proportion to the force that it already carries, so that the force grows like "
             "compound interest around the drum: see the contact forces. Here it takes nearly twice the weight to move the "
             "chain. More links on the drum or a rougher drum: far more.",
    law=r"\frac{T'}{T} = \left(\frac{1+\mu\tan(\delta/2)}{1-\mu\tan(\delta/2)}\right)^{n} \to e^{\mu n \delta} \;\; (w \to 0)",
    law_text="T' / T = ((1 + mu tan(d / 2)) / (1 - mu tan(d / 2)))^n, which tends to exp(mu n d), for links of no weight w; "
             "the prediction counts their weight",
    build=build,
    parameters=Parameters,
    live=("mu", "load", "rate"),
    view=View(target=(0.0, 0.0, 1.05), distance=2.0, azimuth=14.0, elevation=12.0),
    options={"cone": "circle"},
    plots=("body:weight.vz", "body:weight.z", "body:handle.speed", "joint:grip.reaction"),
    show=("contacts", "forces"),
    predict=SLIP.predict,
    check_time=0.45,
    check=check,
)
