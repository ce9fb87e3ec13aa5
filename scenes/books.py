"""Two books, leafed into one another on a table: the first is pulled out by its spine. Why is that so hard?

Sheets of both books alternate, a weight w each; a load P lies on top, the table belongs to the second book. The n-th sheet from
above bears N on its upper side, and its strap to the spine slopes down by a_n. All sheets slide at once, and the strap's
horizontal force T is the friction of both sides; its vertical force presses on the sheets below:

    T_n = mu (N_n-1 + N_n),   N_n = N_n-1 + w + T_n tan(a_n)
    N_n = (N_n-1 (1 + mu tan(a_n)) + w) / (1 - mu tan(a_n)),   N_0 = P  (no friction above the topmost sheet)         (1)
    pull = sum of T_n over the sheets of the first book

Level straps would give mu times a sum, growing with the square of the number of sheets; sloping ones multiply, sheet by sheet.
H. Alarcon and others, Self-amplification of solid friction in interleaved assemblies, Physical Review Letters 116 (2016).
"""

import dataclasses
import math

from physics import Box, World, option
from scenes import Scene, Trace, View, present
from scenes._parts import G, SlipLoad, add, block, ground, middle, push

HALF = (0.2, 0.15, 0.01)        # of a sheet [m]
SHIFT, SPINE = 0.06, 0.46       # of the sheets of a book from the middle, of a spine [m]
TABLE = 0.3                     # height of the table [m]
LOAD = (0.1, 0.15, 0.04)        # half sizes of the load [m]
SPINE_MASS, REACH = 1.0, 0.15   # [kg], how far it is pulled [m]


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.4, lo=0.05, hi=0.8, help="Friction coefficient of sheets and table.")
    pairs: int = option(2, lo=1, hi=6, help="Sheets of each book.")
    weight: float = option(0.2, unit="kg", lo=0.05, hi=1.0, help="Mass of a sheet.")
    load: float = option(1.0, unit="kg", lo=0.1, hi=10.0, help="Mass of the load on top.")
    spine: float = option(0.0, unit="m", lo=0.0, hi=0.1, help="Height of the spines over the table. The lower they are, the more "
                                                             "steeply the straps of the upper sheets slope.")
    rate: float = option(100.0, unit="N/s", lo=5.0, hi=300.0, help="Rate at which the pull grows.")


def height(k: int) -> float:
    """Of the k-th sheet's middle over the table [m], k = 0: the lowest; even ones are of the first book."""
    return (2 * k + 1) * HALF[2]


def slope(k: int, parameters: Parameters) -> float:
    """tan(a) of the strap of the k-th sheet from below."""
    return (height(k) - parameters.spine) / (SPINE - SHIFT - HALF[0])


def pull_at_slip(parameters: Parameters) -> float:
    """(1) [N]; inf where a sheet jams: mu tan(a) >= 1."""
    p, pressing, pull = parameters, parameters.load * G, 0.0
    for k in reversed(range(2 * p.pairs)):
        s, above = p.mu * slope(k, p), p.mu * pressing if k < 2 * p.pairs - 1 else 0.0
        if s >= 1.0:
            return math.inf
        below = (pressing + p.weight * G + slope(k, p) * above) / (1.0 - s)
        pull += 0.0 if k % 2 else above + p.mu * below
        pressing = below
    return pull


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    block(world, (0.9, 0.3, 0.5 * TABLE), (0.0, 0.0, 0.5 * TABLE), friction=p.mu, name="table")
    place = (SPINE + 0.02, 0.0, TABLE + 0.07)
    spine = add(world, Box((0.02, HALF[1], 0.07)), place, group=3, mass=SPINE_MASS, mask=0, name="spine")
    block(world, (0.02, HALF[1], 0.07), (-place[0], *place[1:]), mask=0, name="post")
    world.add_joint("prismatic", 0, spine, anchor=place, axis=(1.0, 0.0, 0.0), name="guide")
    push(world, spine, lambda world: (present(p, world.inputs).rate * middle(world)
                                      if world.bodies["pos"][spine, 0] < place[0] + REACH else 0.0, 0.0, 0.0))
    for k in range(2 * p.pairs):
        side, z = (-1.0 if k % 2 else 1.0), TABLE + height(k)
        sheet = add(world, Box(HALF), (side * SHIFT, 0.0, z), group=4 + k % 2, mass=p.weight, friction=p.mu,
                    name=f"sheet {k + 1}")
        world.add_joint("rod", 0 if k % 2 else spine, sheet, anchor=(side * SPINE, 0.0, TABLE + p.spine),
                        anchor_b=(side * (SHIFT + HALF[0]), 0.0, z), name=f"strap {k + 1}")
    add(world, Box(LOAD), (0.0, 0.0, TABLE + 4 * p.pairs * HALF[2] + LOAD[2]), group=1, mass=p.load, friction=p.mu, name="load")


SLIP = SlipLoad("pull at which the book comes out", pull_at_slip, lambda p: "spine", "x", (5e-3, 3e-2))


def check(world: World, trace: Trace) -> None:
    """It comes out at the predicted pull, and holds before."""
    SLIP.check(world, trace, Parameters())


SCENE = Scene(
    title="Two books, leafed into one another",
    category="Contact friction",
    look_for="Sheets of two books alternate, and one book is pulled by its spine, harder and harder. Its straps slope down to "
             "the spine, so that the pull itself presses the sheets together, and each sheet passes more pressure on to the "
             "next: see the forces grow from the top to the bottom. The book holds many times the load that lies on it. Take "
             "more sheets, or raise the spines.",
    law=r"N_n = \frac{N_{n-1}(1+\mu\tan\alpha_n) + w}{1-\mu\tan\alpha_n}",
    law_text="N_n = (N_n-1 (1 + mu tan(a_n)) + w) / (1 - mu tan(a_n))",
    build=build,
    parameters=Parameters,
    live=("mu", "rate"),
    view=View(target=(0.0, 0.0, 0.36), distance=1.5, azimuth=14.0, elevation=14.0),
    options={"cone": "circle"},
    plots=("body:spine.vx", "body:spine.x"),
    show=("contacts", "forces", "joints"),
    predict=SLIP.predict,
    check_time=0.42,
    check=check,
    unreached={"soft_steps": "its contacts give way while the pull grows"},
)
