"""Subsystems: accelerations of a mechanism by a tree of subsystems, Runge-Kutta steps in joint coordinates, and stabilisation of
closed loops (KV). The equations are in physics/articulated/subsystems.

    1  X, X' from q, v                                2 - 4  X'' and multipliers, up and down the tree of subsystems
    5  v' from X''                                    6  Runge-Kutta step                    7  stabilisation, `rounds` times

It has no contacts: a mechanism whose bodies touch needs another solver.
"""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from physics.articulated.energy_work import applied_power, mover_work, potential_energy
from physics.articulated.momentum import push_cut, write_reactions
from physics.articulated.smooth_motion import AUDITED_PARTS
from physics.articulated.subsystems import integrate
from physics.articulated.subsystems.distributed import Transport
from physics.articulated.subsystems.mechanism import Mechanism, Moment, check_supported, reaction_impulses, touch_message
from physics.articulated.subsystems.partition import Groups
from physics.contact.targets import normal_velocity
from physics.core import vec
from physics.core.jit import inline, kernel
from physics.core.options import Described, option
from physics.core.records import Case, Role
from physics.dynamics import measure
from physics.dynamics.energy_ledger import LEDGER_COLUMNS
from physics.observe.report import Report
from physics.solvers import Solver

RK2, RK4 = integrate.RUNGE_KUTTA


@dataclass
class Options(Described):
    """Options of the subsystem method."""

    integrator: str = option(RK4, choices=(RK2, RK4), help="Runge-Kutta method: midpoint rule (order 2, as in the paper) or the "
                                                           "classical one of order 4, at twice the cost.")
    rounds: int = option(2, lo=0, hi=5, help="Stabilisation rounds per step on closed loops: 0 lets them drift, 2 keeps them "
                                             "closed to rounding (the paper's double step).")
    bodies: int = option(4, lo=1, hi=1000, help="Largest number of bodies in the smallest subsystems; larger mechanisms are "
                                                "divided where few joints connect the halves.")


class SOLVER(Solver):
    """The subsystem method. groups: the tree of subsystems by names of bodies; None: automatic. transport: to other processes,
    which make the same steps of the same world; None: this one does all by itself."""

    name: ClassVar[str] = "subsystems (Kasper-Vlasenko)"
    doc: ClassVar[str] = (
        "Divides a mechanism into a tree of subsystems, each of which eliminates its own joints and passes on how its outer "
        "bodies respond to forces. Integrates joint coordinates with a Runge-Kutta method and puts closed loops back exactly "
        "after each step. For mechanisms with joints, closed loops and dry joint friction; it has no contacts.")
    options_type = Options
    velocities_at_poses: ClassVar[bool] = True
    ramps_kinematic: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self.groups: Groups | None = None
        self.transport: Transport | None = None
        self._translated: tuple[Any, Mechanism] | None = None       # what it was made from

    def __getstate__(self) -> dict[str, Any]:
        """Without the translation: copies, as snapshots hold them, belong to other tables, and would make their own anyway."""
        return {**vars(self), "_translated": None}

    def unsupported(self, world: Any) -> str:
        return super().unsupported(world) or check_supported(world)

    def mechanism(self, world: Any, dt: float = 0.0) -> Mechanism:
        """The translation of a world with its present state, for a step of dt [s]; made anew where bodies, joints or the groups
        have changed."""
        source = world.layout.joints, self.groups, self.options.bodies, self.transport
        if self._translated is None or any(a is not b for a, b in zip(self._translated[0], source, strict=True)):
            self._translated = source, Mechanism(world, self.groups, self.options.bodies)
            if self.transport is not None:
                self._translated[1].distribute(self.transport)
        mechanism = self._translated[1]
        mechanism.read(world, dt)
        return mechanism

    def step(self, world: Any, contacts: np.ndarray, dt: float) -> Report:
        """Advance the world by dt [s].

        Raises:
            BadInput: something that the method does not have: contacts, limits.
        """
        begin, o = time.perf_counter(), self.options
        touching = np.flatnonzero(contacts["gap"] + dt * np.minimum(gap_rates(contacts, world.bodies), 0.0) < 0.0)
        self.refuse(touch_message(world, contacts[touching[0]]) if len(touching) else check_supported(world))
        begun = np.empty((len(world.bodies), measure.MOTION))
        given = world.bodies["force"].copy(), world.bodies["torque"].copy()
        measure.copy_motion(world.bodies, begun)
        mechanism = self.mechanism(world, dt)
        before = np.empty((len(world.bodies), measure.MOTION))
        measure.copy_motion(mechanism.bodies, before)
        potential, power = potential_energy(world), applied_power(mechanism.bodies)
        parts = mechanism.kick(dt, o.rounds) + integrate.advance(mechanism, dt, o.integrator, o.rounds)
        mechanism.write_back(world)
        columns = dict.fromkeys(LEDGER_COLUMNS, 0.0)
        store(world.joints, mechanism, parts, columns)
        pushes = np.zeros((len(world.bodies), 6))
        push_cut(world.joints, mechanism.tree.loops, before, pushes)
        write_reactions(mechanism.tree.links, world.bodies, before, mechanism.gravity, dt, pushes, world.joints)
        index = mechanism.layout.joints
        world.joints["load"][index] = np.linalg.norm(world.joints["reaction"][index, :3], axis=1)
        columns["applied"] = 0.5 * dt * (power + applied_power(world.bodies))
        world.bodies["force"] = world.bodies["torque"] = 0.0
        carried = world.joints[np.unique(mechanism.row_joint[mechanism.carried])]
        columns["movers"] = mover_work(world.bodies, carried, 0.5 * (before[:, :3] + world.bodies["pos"]))
        columns["impact"] = sum(moment.impact for _, moment in parts)
        columns["gravity"] = potential - potential_energy(world)
        error = float(np.abs(mechanism.errors()).max(initial=0.0))
        residual = float(np.abs(mechanism.row_speeds(mechanism.closing)).max(initial=0.0))
        report = Report(self.name, mechanism.evaluations, "fixed", 0.0, residual, 0, len(mechanism.rows), 0.0, error,
                        iteration_unit="evaluations")
        report.ledger, report.observed = columns, True
        world.audit.observe_part(world, begun, *given, contacts, dt, AUDITED_PARTS)
        report.times["solve"] = time.perf_counter() - begin
        return report


def gap_rates(contacts: np.ndarray, bodies: np.ndarray) -> np.ndarray:
    """Rate of the gap of each contact (contacts,) [m/s]."""
    out = np.empty(len(contacts))
    write_gap_rates(contacts, bodies, out)
    return out


@kernel
def write_gap_rates(contacts, bodies, out):
    """out (contacts,): rates of the gaps [m/s]."""
    for m in range(contacts.shape[0]):
        c = contacts[m]
        a, b = bodies[c.body_a], bodies[c.body_b]
        out[m] = normal_velocity(c, vec.sub(c.pos, a.pos), vec.sub(vec.add(c.pos, c.shift), b.pos), twist(a), twist(b))


@inline
def twist(body):
    """Velocity and angular velocity (6,)."""
    return (body.vel[0], body.vel[1], body.vel[2], body.omega[0], body.omega[1], body.omega[2])


def store(joints: np.ndarray, mechanism: Mechanism, parts: list[tuple[float, Moment]], columns: dict[str, float]) -> None:
    """Write impulses, slip and cases of a step into JOINT, and the work of friction and drives [J] into the ledger's columns.

    parts: what acted, with the time for which it did [s].
    """
    index = mechanism.layout.joints
    for field in ("reaction", "friction_impulse", "motor_impulse", "limit_impulse", "impulse", "slip"):
        joints[field][index] = 0.0
    joints["load"][index], joints["case"][index], joints["error"][index] = 0.0, Case.OPEN, 0.0
    for weight, moment in parts:
        reaction_impulses(joints, mechanism.row_joint, moment.rows, weight * moment.multipliers)
        for joint, rows in mechanism.held_rows.items():
            joints["impulse"][joint, : len(rows)] += weight * moment.multipliers[rows]
        for number, law in enumerate(mechanism.laws):
            slips = number in moment.forces
            tau = moment.forces[number] if slips else moment.multipliers[law.rows]
            if slips:
                full = np.zeros(len(moment.rows))
                full[law.rows] = weight * tau
                reaction_impulses(joints, mechanism.row_joint, moment.rows, full)
                columns["joint friction" if law.role == Role.FRICTION else "drives"] += weight * float(
                    tau @ moment.speeds[number])
            if law.role == Role.FRICTION:
                joints["friction_impulse"][law.joint, law.slot : law.slot + len(law.rows)] += weight * tau
            else:
                joints["motor_impulse"][law.joint, law.slot] += weight * float(tau[0])
                columns["drives"] += 0.0 if slips else weight * float(tau[0]) * law.drive
    for number, law in enumerate(mechanism.laws):
        if law.role == Role.FRICTION:
            own = slice(law.slot, law.slot + len(law.rows))
            joints["slip"][law.joint, own] = mean_slip(parts, number, joints["friction_impulse"][law.joint, own])
            case = Case.SLIP if np.linalg.norm(mechanism.speed(law)) > integrate.REST else Case.STICK
            joints["case"][law.joint] = max(int(joints["case"][law.joint]), int(case))
    for joint, rows in mechanism.held_rows.items():
        held = np.array([mechanism.locks.get(int(r), 0.0) for r in rows])
        joints["error"][joint] = np.abs(mechanism.rows["position_error"][rows] - held).max(initial=0.0)


def mean_slip(parts: list[tuple[float, Moment]], number: int, impulse: np.ndarray) -> np.ndarray:
    """Slip velocity of a law of friction in a step, (rows,): the mean for which slip times impulse is the work done."""
    slipping = [(weight, moment.forces[number], moment.speeds[number]) for weight, moment in parts if number in moment.forces]
    if len(impulse) == 1 and impulse[0] != 0.0:
        return np.array([sum(weight * float(tau @ w) for weight, tau, w in slipping) / impulse[0]])
    total = sum(weight for weight, _ in parts)
    return sum((weight / total * w for weight, _, w in slipping), np.zeros(len(impulse)))
