"""Event-driven simulation in joint space: moves exactly from event to event (F11 11.5, table 11.1).

    H qdd + C = tau + T lambda,   0 <= lambda _|_ T^T qdd + T_dot^T qd >= 0 where phi = 0, phi_dot = 0        (F11 11.42)

The procedure is in physics/articulated/event_step.py. Joints are coordinates and cannot separate; contacts are frictionless.
Velocities belong to the poses: bodies' `velocity_lag` is zero after a step. What another solver left of half a step's forces is
given first, with the contacts that hold.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from physics.articulated import contact as contact_law
from physics.articulated.energy_work import add_fields, contact_mover_work, mover_work, potential_energy
from physics.articulated.event_step import MIN_RATE, POWERS, TOUCH, EventSettings, EventStep, Here, Struck
from physics.articulated.impulse import coupled_groups
from physics.articulated.mechanism import Mechanism, TreeCache, store_angles
from physics.articulated.momentum import conserve_momentum, push, push_cut, write_reactions
from physics.articulated.smooth_motion import AUDITED_PARTS, EULER, HEUN, RUNGE_KUTTA, longest_part
from physics.articulated.tree import Tree
from physics.articulated.unilateral import Key, unsupported_joint
from physics.collide.broad import may_touch
from physics.contact import impact_laws
from physics.contact.targets import TOUCH_GAP
from physics.core.options import Described, option
from physics.core.records import Case, Kind
from physics.core.uncompiled import uncompiled
from physics.dynamics import measure
from physics.dynamics.energy_ledger import CONTACT, GRAVITY, MOVERS, as_dict
from physics.dynamics.integrate import INSTANT_LAG
from physics.observe.impacts import IMPACT as IMPACT_RECORD
from physics.observe.report import Report
from physics.solvers import Solver
from physics.solvers.lcp.step import unsupported_inertia, unsupported_surface
from physics.stepping.parts import StepSums

JOINT_SUMS = ("impulse", "friction_impulse", "slip", "limit_impulse", "motor_impulse", "reaction", "load", "error", "residual",
              "case")
"""Fields of JOINT that a step writes anew."""

SURFACE_FIELDS = ("friction", "material", "category", "ignores", "group")
"""Fields of SHAPE that determine which shapes it touches, and with what friction."""

RESTING = 100.0
"""A contact rests if its rate is what so much acceleration makes in the time by which velocities lag [m/s^2]."""

CLOSING_ROUNDS, CLOSED = 3, 0.1 * TOUCH
"""Newton steps onto the surfaces, and the gap that ends them [m]."""

REFUSED, LEFT_OUT = "refused", "left out"


@dataclass
class EventOptions(Described):
    """Options of event-driven simulation."""

    integrator: str = option(RUNGE_KUTTA, choices=(EULER, HEUN, RUNGE_KUTTA),
                             help="How the motion between events is integrated: Euler and Heun with the book's interpolation to "
                                  "the moment of an event, or the classical method of fourth order.")
    longest_step: float = option(0.005, unit="s", lo=1e-6, hi=1.0, log=True, help="Longest step of the integrator.")
    gathering_time: float = option(0.001, unit="s", lo=0.0, hi=1.0, log=True,
                                   help="Rebounds whose further flights would add up to less time than this are handed to time "
                                        "stepping, as of a ball that bounces to rest.")
    most_events: int = option(500, lo=1, hi=100000, help="Maximum number of events in a step; beyond it the step is refused.")
    impact_law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()),
                             help="Newton: the rebound speed is e times the approach speed. Poisson: the impulse of the "
                                  "restitution is e times that of the compression. Stronge: the restitution returns e^2 of the "
                                  "energy of the compression. Without friction they differ only where several contacts act at "
                                  "once. e is reduced where energy would be gained, except by the unlimited law.")
    multiple_impacts: str = option(impact_laws.SIMULTANEOUS, choices=(impact_laws.SIMULTANEOUS, impact_laws.SEQUENTIAL),
                                   help=impact_laws.MULTIPLE_HELP)
    friction: str = option(REFUSED, choices=(REFUSED, LEFT_OUT),
                           help="Contacts with friction, which this solver does not have: refuse the scene, or leave the "
                                "friction out.")


class EventDriven(Solver):
    """Event-driven simulation of mechanisms with frictionless contacts."""

    name: ClassVar[str] = "event-driven (Featherstone)"
    doc: ClassVar[str] = (
        "Integrates in joint coordinates from event to event: finds the moment of each impact, applies impulses there, treats "
        "resting contacts as equations and solves the contact law again only where a contact is gained or lost. Exact times of "
        "impact and honest rebounds for mechanisms with few contacts; no friction of contacts, no closed loops.")
    options_type = EventOptions
    alternatives: ClassVar[tuple[Mapping[str, Any], ...]] = ({"friction": LEFT_OUT},)
    cancellable: ClassVar[bool] = True
    velocities_at_poses: ClassVar[bool] = True
    max_part_rotation: float = math.inf
    ramps_kinematic: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self._trees, self.halt = TreeCache(cut_free=True), np.zeros(1, np.int32)

    @property
    def is_published_scheme(self) -> bool:
        return self.options.integrator != RUNGE_KUTTA

    def cancel(self) -> None:
        self.halt[0] = 1

    def unsupported(self, world) -> str:
        if reason := super().unsupported(world):
            return reason
        tree = self._trees.of(world)
        kinds = [world.joint_kind(j) for j in tree.loops.tolist()]
        for j, kind in zip(tree.loops.tolist(), kinds):
            if kind.pulled:
                return "the mouse pulls; let go"
            if kind.constraint:
                return (f"joint '{world.joint_names[j]}' closes a loop or couples two joints, and only trees of joints are "
                        "supported; remove it")
        if reason := unsupported_inertia(world, tree) or unsupported_joint(world):
            return reason
        refused = self.options.friction == REFUSED
        return unsupported_surface(world, refused) or (rough_surfaces(world) if refused else "")

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s].

        Raises:
            BadInput: the scene is not supported; too many events; a law without a solution;
                cancelled. The caller restores the world.
        """
        o = self.options
        self.require_support(world)
        self.halt[0] = 0
        tree, sums = self._trees.of(world), StepSums(dt)
        longest = min(o.longest_step, longest_part(world.bodies, dt))
        run = EventStep(world, Mechanism(world, tree, dt), EventSettings(
            o.integrator, longest, o.gathering_time, o.most_events, o.friction == LEFT_OUT,
            impact_laws.laws()[o.impact_law], o.multiple_impacts == impact_laws.SEQUENTIAL), dt, self.halt)
        given = world.bodies["force"].copy(), world.bodies["torque"].copy()
        while not self._part(world, run, tree, given, sums):
            sums.next_part(world)
            run.begin_part()
        world.bodies["force"], world.bodies["torque"] = 0.0, 0.0
        run.mechanism.carriers.restore_velocities()
        report, report.contacts_at_end = sums.finish(world)
        report.observed, report.events = True, sums.reports[-1].events
        return report

    def _part(self, world, run: EventStep, tree: Tree, given: tuple[np.ndarray, np.ndarray], sums: StepSums) -> bool:
        """Move to the next impact and apply it, or move to the end of the step (then True); the auditor sees each part."""
        before = np.empty((len(world.bodies), measure.MOTION))
        measure.copy_motion.unchecked(world.bodies, before)
        potential = potential_energy(world)
        for name in JOINT_SUMS:
            world.joints[name] = 0
        if run.time == 0.0:
            synchronise(run, world)
        ended = run.run_part()
        contacts, log, approach = run.finish_part()
        length = run.time - run.part_begin
        run.mechanism.carriers.accelerate(0.5 * (run.part_begin + run.time))        # to their mean velocity
        run.columns[MOVERS] += contact_mover_work(world.bodies, contacts)
        run.columns[GRAVITY] += potential - potential_energy(world)
        finish_bodies(world, tree, before, contacts, length)
        store_angles(tree.links, run.q, world.joints)
        run.columns[MOVERS] += mover_work(world.bodies, world.joints, before[:, :3])
        run.mechanism.carriers.accelerate(run.time)
        if length > 0.0 and not ended:
            approach = 0.0                  # what comes in is struck next
        world.audit.observe_part(world, before, *given, contacts, length, AUDITED_PARTS, True)
        world.awake_contacts = contacts
        sums.add(world, Report(
            solver=self.name, iterations=log.solved, end="converged", change=0.0, residual=approach, contacts=len(contacts),
            rows=tree.size, penetration=measure.penetration(contacts), joint_error=0.0, iteration_unit="contact laws",
            substeps=max(run.moments - run.part_moments, 1) if length > 0.0 else 0, events=log,
            ledger=as_dict(run.columns) if world.records_energy else {},
            impact_records=impact_records(run.struck, self.options.impact_law)), contacts, before)
        return ended


def impact_records(impacts: list[Struck], law: str) -> np.ndarray | None:
    """IMPACT records of impacts without friction; None if there were none. law: name of the law of impact."""
    out, kind = [], list(impact_laws.laws()).index(law)
    for one in impacts:
        records, bodies = np.zeros(len(one.contacts), IMPACT_RECORD), one.space.bodies
        for name in ("shape_a", "shape_b", "body_a", "body_b", "feature", "restitution"):
            records[name] = one.contacts[name]
        records["law"], records["alone"], records["meant"] = kind, one.alone, one.meant
        records["impulse"][:, 0] = one.impulses
        for c, rows, record in zip(one.contacts, contact_law.directions(one.space, one.contacts), records):
            a, b = bodies[c["body_a"]], bodies[c["body_b"]]
            axes = np.array([c["normal"], c["tangent"], np.cross(c["normal"], c["tangent"])])
            record["response"] = rows @ one.space.solve(rows.T)
            record["before"] = axes @ (b["vel"] + np.cross(b["omega"], c["pos"] + c["shift"] - b["pos"])
                                       - a["vel"] - np.cross(a["omega"], c["pos"] - a["pos"]))
            record["after"] = record["before"] + rows @ one.change
        out.append(records)
    return np.concatenate(out) if out else None


def finish_bodies(world, tree: Tree, before: np.ndarray, contacts: np.ndarray, dt: float) -> None:
    """Write momenta, reactions and cases that follow from a part of dt [s]; before: the motion at its start."""
    bodies, pushes = world.bodies, np.zeros((len(world.bodies), 6))
    bodies["velocity_lag"][tree.of_body >= 0] = INSTANT_LAG
    push(contacts, np.ascontiguousarray(bodies["pos"]), pushes)
    push_cut(world.joints, tree.loops, before, pushes)
    conserve_momentum(tree.links, bodies, before, world.gravity, dt, False, pushes)
    write_reactions(tree.links, bodies, before, world.gravity, dt, pushes, world.joints)
    contacts["case"] = np.where(contacts["impulse"] > 0.0, Case.SLIP, Case.OPEN)


def synchronise(run: EventStep, world) -> None:
    """Bring velocities to the time of the poses: by qdd, with the contacts that hold."""
    bodies = world.bodies
    lags = bodies["velocity_lag"][run.mechanism.tree.of_body >= 0]
    lag = float(lags.max(initial=0.0))
    if lag <= INSTANT_LAG:
        return
    here = close_small_gaps(run, run.evaluate(run.q, run.qd, 0.0), lag)
    found, keys = here.found, resting(here, lag)
    problem = run.problem(here, keys, (run.q, run.qd, 0.0))
    at = [here.where[key] for key in keys]
    velocity, began = run.qd + lag * problem.free, run.qd
    solved = contact_law.solve_lcp(problem._replace(d=found.rate[at] + lag * (found.T[:, at].T @ problem.free)))
    forces = solved if solved is not None else np.zeros(len(keys))
    for key, impulse, place in zip(keys, forces.tolist(), at):
        run.add_impulse(key, impulse, impulse * found.wrench[place])
    run.qd = velocity + here.space.solve(found.T[:, at] @ forces)
    run.pushed += lag * here.forces
    run.push_wrench += lag * here.forces[:, None] * here.wrench
    run.qd[np.abs(run.qd) < MIN_RATE * 1e-3] = 0.0
    mean = 0.5 * (began + run.qd)
    run.columns[CONTACT] += forces @ (found.rate[at] + found.T[:, at].T @ (mean - began))
    run.columns[POWERS[1:]] += lag * here.powers[1:]
    run.mechanism.place(run.q, mean, 0.0)
    motion = np.hstack([bodies["vel"], bodies["omega"]])
    add_fields(world, np.full(len(bodies), lag), 0.0, motion, motion, run.columns)


def resting(here: Here, lag: float) -> list[Key]:
    """Constraints that rest at the precision of a solver whose velocities lag by `lag` [s]."""
    found = here.found
    return [key for key, at in here.where.items() if found.gap[at] <= TOUCH_GAP and abs(found.rate[at]) <= lag * RESTING]


def close_small_gaps(run: EventStep, here: Here, lag: float) -> Here:
    """Move what rests onto its surfaces, by the least displacement in the metric of H: T^T dq = -phi.

    Other solvers let contacts rest at any gap below TOUCH_GAP, and each would close with an event of its own. Bodies that no
    contact presses together, as in free flight, stay where they are: moved, they would have another angular momentum.
    """
    keys = resting(here, lag)
    problem = run.problem(here, keys, (run.q, run.qd, 0.0))
    forces = contact_law.solve_lcp(problem)
    run.mechanism.place(run.q, run.qd, 0.0)
    loaded = [keys[i] for group in coupled_groups(problem.M) if forces is not None and forces[group].any() for i in group]
    for _ in range(CLOSING_ROUNDS):
        at = [here.where[key] for key in loaded if key in here.where]
        at = [i for i in at if abs(here.found.gap[i]) <= TOUCH_GAP]
        T, gap = here.found.T[:, at], here.found.gap[at]
        if np.abs(gap).max(initial=0.0) <= CLOSED:
            break
        answer = here.space.solve(T)
        way = answer @ np.linalg.lstsq(T.T @ answer, -gap, rcond=contact_law.TOLERANCE)[0]
        run.q = run.q + run.mechanism.rates(run.q, way)
        run.mechanism.normalise(run.q)
        here = run.evaluate(run.q, run.qd, 0.0)
    return here


def rough_surfaces(world) -> str:
    """Names two bodies whose surfaces would rub, in a sentence; "" if none would."""
    shapes, kinds = world.shapes, world.bodies["kind"]
    live = np.flatnonzero((shapes["body"] >= 0) & (shapes["sensor"] == 0))
    alike = np.column_stack([kinds[shapes["body"][live]] == Kind.DYNAMIC, *(shapes[name][live] for name in SURFACE_FIELDS)])
    _, first, group = np.unique(alike, axis=0, return_index=True, return_inverse=True)
    some = shapes[live[first]].view(np.recarray)
    for i, p in enumerate(some):
        own = np.unique(shapes["body"][live[group.reshape(-1) == i]])
        for q in some[i if len(own) > 1 else i + 1 :]:
            a, b = (own[0], own[1]) if q["body"] == p["body"] else (p["body"], q["body"])
            if ((kinds[[a, b]] == Kind.DYNAMIC).any() and uncompiled(may_touch)(p, q)
                    and world.materials.value("friction", p, q)[0] > 0.0):
                return (f"'{world.body_names[a]}' and '{world.body_names[b]}' would touch with friction, which it does not have; "
                        f"set it to 0, or choose 'friction: {LEFT_OUT}'")
    return ""


SOLVER = EventDriven
