"""Two tables with the same load: three legs have forces that statics determines, four have not.

    sum n_i = m g,   sum n_i x_i = m g x_c,   sum n_i y_i = m g y_c                three equations for the n_i >= 0

Featherstone (2008) 11.3: with dependent normals the forces are not unique, their effect T lambda is. The contact lens and the
overlay of force bounds show what each leg may bear.
"""

import dataclasses

import numpy as np

from physics import Box, Capsule, Compound, Cylinder, Sphere, World, option
from physics.articulated import contact
from physics.articulated.joint_space import JointSpace
from physics.core.records import CONTACT
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View
from scenes._parts import add, ground

REACH, TOP, FOOT, GRAVITY = 0.4, 0.6, 0.03, 9.81
"""Distance of the legs from the middle, height of the top, radius of the feet [m]; [m/s^2]."""
THREE, FOUR = "three legs", "four legs"
LOADS = {THREE: "load of three legs", FOUR: "load of four legs"}


@dataclasses.dataclass
class Parameters:
    mass: float = option(20.0, unit="kg", lo=1.0, hi=200.0, log=True, help="Mass of each table with its load.")
    off_centre: float = option(0.1, unit="m", lo=-0.15, hi=0.15, help="Offset of the centre of mass of table and load along x: "
                                                                      "legs bear unequally.")
    mu: float = option(0.0, lo=0.0, hi=1.0, help="Friction coefficient of the floor: by friction, legs may brace against it.")


def feet(count: int) -> np.ndarray:
    """Places of the legs (count, 2) [m], the first one at +x for three, in the quadrants for four."""
    turn = 2.0 * np.pi * (np.arange(count) / count + (0.125 if count == 4 else 0.0))
    return REACH * np.column_stack([np.cos(turn), np.sin(turn)])


def table(world: World, name: str, count: int, x: float, y: float, parameters: Parameters) -> None:
    leg = Capsule(FOOT, 0.5 * TOP - FOOT)
    legs = [(leg, (float(a), float(b), 0.5 * TOP)) for a, b in feet(count)]
    shape = Compound((Cylinder(REACH + 0.1, 0.02), (0.0, 0.0, TOP)), *legs)
    body = add(world, shape, (x, y, 0.0), group=count, mass=0.5 * parameters.mass, friction=parameters.mu, name=name)
    load = add(world, Box((0.08, 0.08, 0.08)), (x + 2.0 * parameters.off_centre, y, TOP + 0.1), group=7,
               mass=0.5 * parameters.mass, name=LOADS[name])
    world.add_joint("fixed", body, load, anchor=(x, y, TOP))


def build(world: World, parameters: Parameters) -> None:
    ground(world, friction=parameters.mu)
    table(world, THREE, 3, 0.0, 0.75, parameters)
    table(world, FOUR, 4, 0.0, -0.75, parameters)


def of_legs(world: World, name: str) -> np.ndarray:
    """Indices of the contacts of a table's legs, from +x counterclockwise."""
    body, contacts = world.body(name), world.contacts
    own = np.flatnonzero((contacts["body_a"] == body) | (contacts["body_b"] == body))
    away = contacts["pos"][own] - world.bodies["pos"][body]
    return own[np.argsort((np.arctan2(away[:, 1], away[:, 0]) + 0.1) % (2.0 * np.pi))]


def forces(world: World, name: str) -> np.ndarray | None:
    """Normal forces of the legs [N]; None while a leg is in the air."""
    own = of_legs(world, name)
    loads = world.contacts["impulse"][own] / world.impulse_duration
    return loads if len(own) == (3 if name == THREE else 4) and loads.all() else None


def bounds(world: World, name: str, leg: int) -> tuple[float, float] | None:
    """Least and greatest force of a leg without friction [N]."""
    loads, own = forces(world, name), of_legs(world, name)
    if loads is None:
        return None
    body = world.body(name)
    moves = np.isin(np.arange(len(world.bodies)), (body, world.body(LOADS[name])))
    G = contact.directions(JointSpace(world, moves), world.contacts[own])[:, 0].T
    found = contact.force_range(G, np.arange(len(own)), G @ loads, leg)
    return None if found is None else (float(found.least), float(found.greatest))


def predict(parameters: Parameters) -> list[Prediction]:
    """Of the leg at +x of three; of one at +x of four: both there bear m g (1/2 + x / (sqrt 2 R)), either may bear all of it."""
    weight, shift = parameters.mass * GRAVITY, parameters.off_centre / REACH
    of_three = weight * (1.0 + 2.0 * shift) / 3.0
    pair = weight * (0.5 + shift / np.sqrt(2.0))
    found = [Prediction("force on the leg at +x of three", of_three, "N", 1e-3,
                        lambda world, trace: None if (loads := forces(world, THREE)) is None else float(loads[0]))]
    if parameters.mu > 0.0:
        return found

    def end(which: int):
        def measure(world: World, trace: Trace) -> float | None:
            ends = bounds(world, FOUR, 0)
            return None if ends is None else ends[which]
        return measure
    return [*found, Prediction("greatest force on a leg at +x of four", min(pair, 0.5 * weight), "N", 1e-3, end(1)),
            Prediction("least force on it", max(0.0, pair - 0.5 * weight), "N", 1e-3, end(0))]


def check(world: World, trace: Trace) -> None:
    """The predictions hold, and no leg of four has a force outside its bounds."""
    for prediction in predict(Parameters()):
        got = prediction.measure(world, trace)
        assert got is not None and abs(got - prediction.value) <= max(1e-3 * prediction.value, 0.05), f"{prediction.name}: {got}"
    for leg, load in enumerate(forces(world, FOUR)):
        least, greatest = bounds(world, FOUR, leg)
        assert least - 0.05 <= load <= greatest + 0.05, f"leg {leg}: {load} N outside {least} .. {greatest} N"


# ---- the equations of the chapter, recomputed


def triple(k: int) -> np.ndarray:
    """A vector without a pattern, the same in every run."""
    return np.sin((k + 1.0) * np.array([12.9898, 78.233, 37.719]))


def chain(k: int) -> JointSpace:
    """Five links on hinges along axes in all directions, moving."""
    world, last = World(), 0
    for i in range(5):
        body = world.add_body(Box((0.05, 0.06, 0.25)), pos=(0.0, 0.0, 1.75 - 0.5 * i), mass=1.0, vel=triple(100 * k + i),
                              omega=triple(100 * k + 10 + i))
        world.add_joint("revolute", last, body, anchor=(0.0, 0.0, 2.0 - 0.5 * i), axis=triple(100 * k + 20 + i))
        last = body
    return world.joint_space()


def touching(k: int, space: JointSpace) -> contact.ContactProblem:
    """Three contacts of links with the ground, the first one twice, so that their normals depend on one another."""
    records = np.zeros(3, CONTACT)
    for i, c in enumerate(records):
        n = triple(100 * k + 30 + i)
        c["body_b"], c["pos"], c["normal"] = 1 + (k + 2 * i) % 5, triple(100 * k + 40 + i), n / np.linalg.norm(n)
        c["tangent"] = 1.0, 0.0, 0.0
    T, turning = contact.directions(space, records)[:, 0].T, triple(100 * k + 50)
    return contact.contact_problem(space, np.hstack([T, T[:, :1]]), np.append(turning, turning[0]))


def papers() -> list[PaperRow]:
    """Equations of chapter 11 on examples: differences of two ways to the same number, and closed forms."""
    by_qp = by_gauss = unique = split = 0.0
    for k in range(100):
        problem = touching(k, chain(k))
        found = contact.solve_lcp(problem)
        if found is None:
            continue        # contacts that close from two sides
        size, answer = max(1.0, np.abs(problem.free).max()), problem.acceleration(found)
        by_qp = max(by_qp, np.abs(problem.acceleration(contact.solve_qp(problem)) - answer).max() / size)
        by_gauss = max(by_gauss, np.abs(contact.solve_gauss(problem) - answer).max() / size)
        other = found.copy()
        other[[0, 3]] = other[[3, 0]]       # the same contact twice: its force may be in either
        unique = max(unique, np.abs(problem.T @ (other - found)).max() / max(1.0, np.abs(problem.T @ found).max()))
        split = max(split, np.abs(other - found).max())
    ball = World()
    ball.add_body(Sphere(0.1), mass=2.0)
    slot = np.zeros(2, CONTACT)
    slot["body_b"], slot["normal"], slot["tangent"] = 1, [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)], (0.0, 1.0, 0.0)
    T = contact.directions(ball.joint_space(), slot)[:, 0].T
    closing = contact.contact_problem(ball.joint_space(), T, np.array((-1.0, 0.5)))
    staying = contact.contact_problem(ball.joint_space(), T, np.array((-1.0, 1.0)))
    ways = contact.solve_lcp, contact.solve_qp, contact.solve_gauss
    steep = slot[:1].copy()
    steep["normal"] = 0.6, 0.0, 0.8
    on_slope = contact.contact_problem(ball.joint_space(), contact.directions(ball.joint_space(), steep)[:, 0].T, np.zeros(1))
    how = "100 moving chains of five links with three contacts, one of them twice; relative to the largest acceleration"
    disc = "a disc of 2 kg between two walls; T_dot^T qd = (-1, 0.5) m/s^2 where they close, (-1, 1) m/s^2 where they stay apart"
    return [PaperLaw("F11", "eq 11.10", "force of a ball on a slope of 36.9 degrees", 2.0 * GRAVITY * 0.8,
                     float(contact.solve_qp(on_slope)[0]), "N", 1e-12, "m = 2 kg"),
            PaperLaw("F11", "eq 11.42", "LCP and QP in lambda: largest difference of qdd", 0.0, by_qp, "", 1e-10, how),
            PaperLaw("F11", "eq 11.44", "LCP and Gauss's principle: largest difference of qdd", 0.0, by_gauss, "", 1e-10, how),
            PaperLaw("F11", "section 11.3", "two forces lambda of one motion: difference of T lambda", 0.0, unique, "", 1e-10,
                     f"{how}; the forces themselves differ by up to {split:.3g} N"),
            PaperLaw("F11", "example 11.1", "forces that hold the disc in a slot that narrows", 0.0,
                     float(sum(solve(closing) is not None for solve in ways)), "", 0.0, disc),
            PaperLaw("F11", "example 11.1", "statements of the law that are solvable where the slot keeps its width", 3.0,
                     float(sum(solve(staying) is not None for solve in ways)), "", 0.0, disc)]


SCENE = Scene(
    title="Tables: forces that the laws leave open",
    category="Statics",
    look_for="Select a contact under a leg and read 'possible' in the contact lens. Each leg of the table on three legs can "
             "bear one force only. Of the table on four, diagonal legs can take over load from the other two without any change "
             "of the motion: rigid bodies do not say how the load is shared, and the solver's answer is one of many. Move the "
             "load to shift the bounds. Friction does not change them: it acts in the plane of the feet, and has no moment about "
             "lines in it.",
    law=r"\sum_i n_i = m g, \quad \sum_i n_i\,\mathbf{x}_i = m g\,\mathbf{x}_c, \quad n_i \geq 0",
    law_text="sum n_i = m g; sum n_i x_i = m g x_c; n_i >= 0",
    build=build,
    parameters=Parameters,
    live=("mass", "mu"),
    view=View(target=(0.0, 0.0, 0.3), distance=3.6, azimuth=60.0, elevation=22.0),
    plots=(*(f"pair:{name} & ground.normal" for name in LOADS), "world.contacts"),
    drawn=tuple(f"pair:{name} & ground.normal" for name in LOADS),      # the legs bear the weight, wherever the load is
    show=("contacts", "normal_forces", "corners", "force_bounds", "null_space"),
    predict=predict,
    check_time=0.5,
    check=check,
    papers=papers,
    unreached={"compliant_contact": "all legs give way alike, and share the load in another way"},
)
