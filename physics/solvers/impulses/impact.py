"""Instantaneous impacts for solvers that sweep: impulses that act at one moment, at the poses of that moment.

    1  V <- velocities at the time of the poses                 integrate.synchronise: the kick up to here
    2  J V = 0 in joints, n.dv >= 0 where bodies touch          until the impact: the reactions to that kick
    3  the impact, in the islands struck: J V = 0 in joints, friction within its cone, and the law chosen (contact/impact_laws)
         one contact     slip, stick and reverse slip along its path                    single_impact.py
         several         Newton: n.dv = -e n.dv- where they strike                      energy_limit.py
                         Poisson, Stronge: compression, then restitution                restitution_phase.py

Finite forces (gravity, springs, motors, dry friction of joints) have no effect in zero time; limits that are reached act as
contacts do, and striking ones rebound by their share. Separated contacts take no part: they meet later, in their own impact. So
does, if multiple impacts are sequential, what touches and could rebound, but is not struck yet.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from physics.constraints import contact_batches as batches
from physics.constraints import effective_mass, joint_system
from physics.constraints.contact_batches import ARM_A, ARM_B, IMPULSE_1, IMPULSE_2, IMPULSE_N, TARGET_N
from physics.constraints.joint_rows import REBOUND_SPEED
from physics.contact import friction_cone
from physics.contact.impact_laws import SEQUENTIAL, laws
from physics.contact.targets import LATER_IMPACT, TOUCH_GAP
from physics.core import vec
from physics.core.dense import assign
from physics.core.jit import inline, kernel, routine
from physics.core.records import Drive, Kind, Role, put, selected
from physics.core.row import velocity_of
from physics.dynamics import energy_ledger as ledgers
from physics.dynamics import integrate, islands, measure
from physics.observe.impacts import IMPACT
from physics.observe.report import Report
from physics.solvers.impulses import (
    contact_sweeps,
    energy_columns,
    energy_limit,
    extended_contacts,
    restitution_phase,
    single_impact,
)
from physics.solvers.impulses.iterate import AT_LIMIT, SweepSettings, VelocityProblem, iterate
from physics.solvers.impulses.soft_contacts import accumulate
from physics.solvers.impulses.step import END_NAMES
from physics.stepping.limit_impacts import INSTANT, LIMIT_TOLERANCE, bodies_struck
from physics.stepping.time_of_impact import NOW, SLOW_INELASTIC

RIGID_MOTOR_FORCE = 1e9
"""Motors with at least this force hold their speed in an impact, too [N] or [N m]."""

MAX_IMPACT_SWEEPS = 1000
"""Most sweeps of each of the two parts, or more if there are few contacts (energy_limit.py)."""

IMPACT_TOLERANCE = 1e-11
"""Sweeps end when no impulse changes by more than this, measured as velocity [m/s]."""

MAX_RECORDS = 100
"""Most contacts of an impact whose records the report keeps."""

_DYNAMIC, _SPRING = Kind.DYNAMIC, Drive.SPRING
_CONSTRAINT, _FRICTION, _LOWER, _UPPER, _MOTOR = Role


class ImpactSettings(NamedTuple):
    """sweeps: of both parts; threshold: slower contacts do not rebound [m/s]; min_speed (contacts,): slower ones do not strike;
    involved (bodies,): 1 in the islands struck; island (bodies,): of each body, -1: none; alone (contacts,): how many contacts of
    the island touch, then 1 where it is solved alone, 0 elsewhere; law: kind, and whether it is by velocity, and limited
    (impact_laws); sequential: the option `multiple_impacts`. records (contacts,): IMPACT, written."""

    sweeps: SweepSettings
    threshold: float
    min_speed: np.ndarray
    involved: np.ndarray
    island: np.ndarray
    alone: np.ndarray
    law: tuple[int, bool, bool]
    sequential: bool
    records: np.ndarray


def strike(world: Any, contacts: np.ndarray, what: np.ndarray, facets: int,
           keeps_ledger: bool = False) -> tuple[Report, np.ndarray]:
    """Apply the impacts that are NOW (time_of_impact.py), also those on limits of joints, to the velocities of their islands;
    contacts and joints get their impulses.

    The solver's options give the law of impact and the speed below which contacts do not rebound. facets: of the friction cone of
    several contacts, 0: round; that of a single one is round. keeps_ledger: the solver reports energy, asked for or not.
    Returns the report, and which contacts took part, bool (n,).
    """
    o, kinds = world.solver.options, list(laws())
    threshold, law = o.restitution_threshold, laws()[o.impact_law]
    bodies, touching = world.bodies, (contacts["gap"] <= TOUCH_GAP) | (what == NOW)
    of_body = np.empty(len(bodies), np.int32)
    count = islands.number_islands(bodies, selected(contacts, touching), world.joints, of_body)
    struck = np.zeros(count + 1, bool)
    hit = selected(contacts, what == NOW)
    struck[of_body[hit["body_a"]]] = struck[of_body[hit["body_b"]]] = True
    struck[of_body[bodies_struck(world)]] = True
    struck[-1] = False
    involved = struck[of_body].astype(np.uint8)
    chosen = touching & ((involved[contacts["body_a"]] | involved[contacts["body_b"]]) == 1)
    part, columns = selected(contacts, chosen), ledgers.empty_columns(world.records_energy or keeps_ledger)
    company = np.bincount(np.maximum(of_body[part["body_a"]], of_body[part["body_b"]]), minlength=count)
    company = np.minimum(company[np.maximum(of_body[part["body_a"]], of_body[part["body_b"]])], 255).astype(np.uint8)
    sweeps = SweepSettings(friction_cone.polygon(facets), IMPACT_TOLERANCE, False, True, False)
    slow = (part["restitution"] == 0.0) & (what[chosen] == NOW)
    min_speed = np.where(slow, SLOW_INELASTIC * threshold, threshold)
    settings = ImpactSettings(sweeps, threshold, min_speed, involved, of_body, company,
                              (kinds.index(law.name), law.by_velocity, law.limited), o.multiple_impacts == SEQUENTIAL,
                              np.zeros(len(part), IMPACT))
    settings.records["law"], settings.records["meant"] = settings.law[0], part["restitution"]
    sweeps, end, change, residual = impact(bodies, part, world.joints, world.layout.joint_system, world.materials.pairs,
                                           world.gravity, settings, columns)
    put(contacts, chosen, part)
    return Report(solver=world.solver.name, iterations=sweeps, end=END_NAMES[end], change=change, residual=residual,
                  contacts=len(part), rows=world.layout.joints.rows + 3 * len(part), penetration=measure.penetration(part),
                  joint_error=0.0, ledger=ledgers.as_dict(columns), substeps=0,
                  impact_records=settings.records[settings.records["impulse"][:, 0] > 0.0][:MAX_RECORDS]), chosen


@kernel
def impact(bodies, contacts, joints, system, pairs, gravity, settings, columns):
    """Run 1 to 3 for the bodies involved; returns sweeps, how they ended, the last change and the residual [m/s]."""
    n, rows, blocks, threshold = bodies.shape[0], system.rows, system.blocks, settings.threshold
    velocity, kick = np.empty((n, 6)), energy_columns.room(bodies, columns)
    integrate.inertias(bodies)
    patches = batches.build(contacts, bodies, pairs, 0.0, False)
    start = np.empty((n, 6))
    problem = VelocityProblem(contacts, system, patches, start, start, velocity,
                              contact_sweeps.marks(n, patches.first.shape[0]), settings.sweeps)
    _synchronise(bodies, settings.involved, gravity, problem, kick)
    if system.layout.joints.shape[0] > 0:
        joint_system.write(joints, system, bodies, rows, blocks, INSTANT, 0.0, False)
        _hold_constraints(joints, rows, blocks, settings.involved, velocity)
        effective_mass.write_effective_masses(bodies, rows, blocks, system.inverses, system.factors.together)
    _forget(rows, patches)
    polygon = settings.sweeps.polygon
    _aim(contacts, patches, velocity, settings.min_speed, False, False)
    most = energy_limit.most_sweeps(problem, MAX_IMPACT_SWEEPS)
    first, _, _ = iterate(problem, most, 0.0)
    _save_impulses(bodies, joints, problem, kick, gravity, threshold, columns, False)
    assign(problem.start, velocity)
    kick[:] = 0.0
    _forget(rows, patches)
    _aim(contacts, patches, velocity, settings.min_speed, True, settings.sequential)
    extended_contacts.set_targets(contacts, patches, velocity, 0.0)
    _rebound_limits(joints, rows, blocks, settings.involved, velocity)
    kind, by_velocity, limited = settings.law
    single_impact.solve(problem, settings.alone, settings.island, kind, limited, settings.records)
    pressed = restitution_phase.room(problem, settings.alone)
    if by_velocity:
        second, end, change = iterate(problem, most, 0.0)
        if end == AT_LIMIT:
            more, end, change = energy_limit.stop_jams(problem, INSTANT, change)
            second += more
        second += energy_limit.limit_energy(problem, INSTANT, energy_limit.nothing()) if limited else 0
    else:
        second, end, change = restitution_phase.solve(problem, pressed, settings.island, kind)
    measure.clear_residuals(contacts, joints, system.layout.joints)
    residual = measure.store_residuals(rows, blocks, velocity, polygon, contacts, joints)
    restitution_phase.join(problem, pressed, 1.0)
    single_impact.describe(problem, settings.records)
    _save_impulses(bodies, joints, problem, kick, gravity, threshold, columns, True)
    restitution_phase.join(problem, pressed, -1.0)
    residual = max(residual, contact_sweeps.store(patches, velocity, polygon, contacts))
    single_impact.store(problem, settings.alone)
    for i in range(n):
        if settings.involved[i] and bodies[i].kind == _DYNAMIC:
            vec.assign(bodies[i].vel, velocity[i])
            vec.assign(bodies[i].omega, velocity[i, 3:])
    return first + second, end, change, residual


@routine
def _synchronise(bodies, involved, gravity, problem, kick):
    """Bring the velocities to the time of the poses; kick (bodies,), or empty: by how long a kick."""
    integrate.read(bodies, problem.start)
    for i in range(kick.shape[0]):
        kick[i] = bodies[i].velocity_lag if involved[i] else 0.0
    for i in range(bodies.shape[0]):
        if involved[i]:
            integrate.synchronise(bodies[i], gravity)
    integrate.read(bodies, problem.velocity)


@routine
def _forget(rows, patches):
    """Clear earlier impulses."""
    for i in range(rows.shape[0]):
        rows[i].impulse = 0.0
    for p in range(patches.points.shape[0]):
        for field in (IMPULSE_N, IMPULSE_1, IMPULSE_2):
            for lane in range(patches.contact.shape[1]):
                patches.points[p, field, lane] = 0.0
    for k in range(patches.extended.shape[0]):
        patches.extended[k].impulse[:] = 0.0


@routine
def _save_impulses(bodies, joints, problem, kick, gravity, threshold, columns, last):
    """Add the impulses of 2 or, last, of 3 to those of the moment, and their work to the columns."""
    if columns.shape[0] > 0:
        energy_columns.enter(bodies, joints, problem, kick, gravity, 0.0, threshold, columns)
    system = problem.system
    accumulate(problem.patches)
    extended_contacts.add_up(problem.patches.extended)
    if system.layout.joints.shape[0] > 0:
        if not last:
            joint_system.clear_sums(system)
        joint_system.store(joints, system, problem.velocity)
        joint_system.accumulate(joints, system, last)


@routine
def _hold_constraints(joints, rows, blocks, involved, velocity):
    """Convert rows just written to those of an impact: constraints hold, finite forces do not act; mechanisms not involved are
    left unchanged."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        taken = involved[block.a] or involved[block.b]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            if block.role == _CONSTRAINT:
                row.target = 0.0 if taken else velocity_of(row, velocity[block.a], velocity[block.b])
                row.softness = 1e30 if row.softness > 0.0 else 0.0
            elif block.role == _LOWER or block.role == _UPPER:
                held = taken and row.position_error <= LIMIT_TOLERANCE and not _strikes(block, row, velocity)
                row.target = 0.0 if held else -math.inf
        if block.role == _FRICTION:
            block.limit, block.viscous = 0.0, 0.0
        elif block.role == _MOTOR and not (taken and _is_rigid(joints[block.index], block.first_impulse)):
            block.limit = block.lower = block.upper = 0.0


@inline
def _is_rigid(joint, axis):
    """Whether the motor of an axis holds its speed in an impact; the force of a spring is finite, however strong it may get."""
    return joint.motor_mode[axis] != _SPRING and joint.motor_force[axis] >= RIGID_MOTOR_FORCE


@routine
def _rebound_limits(joints, rows, blocks, involved, velocity):
    """Set targets of limits that are reached."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if block.role != _LOWER and block.role != _UPPER:
            continue
        row = rows[block.first]
        if (involved[block.a] or involved[block.b]) and row.position_error <= LIMIT_TOLERANCE:
            v = velocity_of(row, velocity[block.a], velocity[block.b])
            row.target = -joints[block.index].limit_restitution * v if _strikes(block, row, velocity) else 0.0
            block.limit = row.target


@inline
def _strikes(block, row, velocity):
    """Whether a limit that is reached is struck."""
    return velocity_of(row, velocity[block.a], velocity[block.b]) < -REBOUND_SPEED


@routine
def _aim(contacts, patches, velocity, min_speed, strikes, sequential):
    """Set targets along the normals: striking contacts are ignored, or rebound; approaches are stored in the latter case.

    sequential: others that could rebound are ignored in the latter case.
    """
    points, frame = patches.points, patches.frame
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i = patches.contact[p, lane]
                if i < 0:
                    continue
                v_a, v_b = velocity[patches.a[k, lane]], velocity[patches.b[k, lane]]
                arm_a = vec.of_lane(points[p], ARM_A, lane)
                arm_b = vec.of_lane(points[p], ARM_B, lane)
                dv = vec.sub(vec.add(v_b, vec.cross(v_b[3:], arm_b)), vec.add(v_a, vec.cross(v_a[3:], arm_a)))
                u = vec.dot(vec.of_lane(frame[k], 0, lane), dv)
                fast = contacts[i].no_rebound == 0 and u < -min_speed[i]
                if strikes:
                    points[p, batches.APPROACH, lane] = u
                    waits = sequential and not fast and contacts[i].no_rebound == 0 and contacts[i].restitution > 0.0
                    points[p, TARGET_N, lane] = -contacts[i].restitution * u if fast else LATER_IMPACT if waits else 0.0
                    points[p, batches.REBOUND, lane] = batches.REBOUNDS if fast else 0.0
                else:
                    points[p, TARGET_N, lane] = LATER_IMPACT if fast else 0.0
