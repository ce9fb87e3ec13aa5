"""Two carts collide on a level track: momentum is kept, the relative speed is reversed and shrinks by e.

    lambda = (1 + e) v / (1/m1 + 1/m2),   v1' = v - lambda / m1,   v2' = lambda / m2,   loss = (1 - e^2) v^2 / (2 (1/m1 + 1/m2))

R. Featherstone, Rigid Body Dynamics Algorithms (2008), eq 11.65, for two bodies without spin.
"""

import dataclasses

from physics import Box, Material, World, option
from physics.articulated.impulse import frictionless_impulse
from physics.contact import impact_laws
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View, run
from scenes._parts import add, ground

HALF = 0.15


@dataclasses.dataclass
class Parameters:
    law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help="Law of impact. Here all agree.")
    speed: float = option(2.0, unit="m/s", lo=0.5, hi=5.0, help="Speed of the first cart.")
    first: float = option(1.0, unit="kg", lo=0.1, hi=10.0, log=True, help="Mass of the first cart.")
    second: float = option(3.0, unit="kg", lo=0.1, hi=10.0, log=True, help="Mass of the second cart, which is at rest.")
    restitution: float = option(0.8, lo=0.0, hi=1.0, help="Coefficient of restitution of the carts.")


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=0.0)
    steel = Material(friction=0.0, restitution=parameters.restitution, mixing={"restitution": "minimum"})
    for name, x, mass, speed, group in (("cart 1", -1.0, parameters.first, parameters.speed, 1),
                                        ("cart 2", 0.0, parameters.second, 0.0, 3)):
        add(world, Box((HALF, HALF, HALF)), (x, 0.0, HALF), group=group, mass=mass, vel=(speed, 0.0, 0.0), material=steel,
            name=name)


def predict(parameters: Parameters) -> list[Prediction]:
    p, e = parameters, parameters.restitution
    impulse = (1.0 + e) * p.speed / (1.0 / p.first + 1.0 / p.second)

    def speed(name: str) -> object:
        def read(world: World, trace: Trace) -> float | None:
            return float(trace[f"body:{name}.vx"][-1]) if trace["body:cart 2.vx"][-1] > 1e-9 else None
        return read

    return [Prediction("speed of cart 1 after", p.speed - impulse / p.first, "m/s", 1e-6, speed("cart 1"), "body:cart 1.vx"),
            Prediction("speed of cart 2 after", impulse / p.second, "m/s", 1e-6, speed("cart 2"), "body:cart 2.vx")]


def check(world: World, trace: Trace) -> None:
    for prediction in predict(Parameters()):
        measured = prediction.measure(world, trace)
        assert abs(measured - prediction.value) < prediction.tolerance, f"{prediction.name}: {measured:.6f} m/s"


def papers() -> list[PaperRow]:
    """F11's impact of two bodies: as simulated, and its impulse."""
    parameters = Parameters()
    world, trace = run(SCENE, parameters)
    rows = [PaperLaw("F11", "eq 11.65", p.name, p.value, p.measure(world, trace), "m/s", 1e-6,
                     "carts of 1 and 3 kg, 2 m/s, e = 0.8")
            for p in predict(parameters)]
    world = World()
    build(world, parameters)
    space = world.joint_space()
    row = space.jacobian("cart 2")[3] - space.jacobian("cart 1")[3]
    return [*rows, PaperLaw("F11", "eq 11.65", "impulse of the impact", 1.8 * 2.0 / (1.0 + 1.0 / 3.0),
                            frictionless_impulse(space, row, parameters.restitution), "N s", 1e-12, "the same carts")]


SCENE = Scene(
    title="Two carts collide",
    category="Impacts",
    look_for="The first cart hits the second, which is at rest. Momentum passes from one to the other: equal masses with e = 1 "
             "exchange their speeds, a light cart bounces back from a heavy one. The relative speed after the impact is e times "
             "that before, under every law of impact, for nothing acts along the contact.",
    law=r"\lambda = \frac{(1+e)\,v}{1/m_1 + 1/m_2}, \quad v_1' = v - \lambda/m_1, \quad v_2' = \lambda/m_2",
    law_text="lambda = (1 + e) v / (1/m1 + 1/m2); v1' = v - lambda/m1; v2' = lambda/m2",
    build=build,
    parameters=Parameters,
    live=("restitution",),
    chosen_options=lambda parameters: {"impact_law": parameters.law},
    view=View(target=(-0.08, -0.04, 0.17), distance=2.7, azimuth=6.0, elevation=18.0),
    plots=("body:cart 1.vx", "body:cart 2.vx", "world.kinetic"),
    show=("contacts", "velocities"),
    predict=predict,
    check_time=1.0,
    check=check,
    papers=papers,
    unreached={"compliant_contact": "impacts of springs and dampers keep other shares of the speeds than the law of impact"},
)
