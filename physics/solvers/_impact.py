"""Impacts in no time, for solvers that sweep: impulses that act at one moment, at the poses of that moment.

    1  V <- velocities at the time of the poses                 integrate.synchronise: the kick up to here
    2  J V = 0 in joints, n.dv >= 0 where bodies touch          what holds until the impact: the reactions of that kick
    3  n.dv = -e n.dv-  where contacts strike, friction within its cone, J V = 0 in joints: Newton's law, in the islands struck

Forces of finite size (gravity, springs, motors, dry friction of joints) do nothing in no time; limits that are met act as
contacts do, and those that strike give back their share. What is apart takes no part: it meets later, in an impact of its own.
"""

import math
from typing import Any

import numpy as np

from physics import effective_mass, friction, integrate, islands, measure
from physics import ledger as ledgers
from physics import linkage as linkages
from physics import patches as batches
from physics.contact_law import LET_BE, TOUCH
from physics.core import vec
from physics.core.jit import kernel, routine
from physics.core.records import Kind, Role, copy_of
from physics.core.row import velocity_of
from physics.patches import ARM_A, ARM_B, IMPULSE_1, IMPULSE_2, IMPULSE_N, TARGET_N
from physics.report import Report
from physics.solvers import _contact_passes, _contacts, _energy_limit, _ledger, _uncommon
from physics.solvers._advance import ENDS, Settings, lose_energy
from physics.solvers._iterate import iterate
from physics.solvers._soft_contacts import add_up
from physics.time_of_impact import NOW

MET = 1e-6
"""A limit nearer than this is met [m] or [rad]."""

ENDLESS = 1e9
"""Motors of this force and more hold their speed in an impact, too [N] or [N m]."""

SWEEPS = 1000
"""Most sweeps of each of the two parts."""

TOLERANCE = 1e-11
"""They end when no impulse changes any more than this, measured by velocity [m/s]."""

_DYNAMIC = int(Kind.DYNAMIC)
_CONSTRAINT, _FRICTION, _LOWER, _UPPER, _MOTOR = (int(r) for r in Role)


def strike(world: Any, contacts: np.ndarray, what: np.ndarray, facets: int, threshold: float) -> tuple[Report, np.ndarray]:
    """The impacts that are NOW (time_of_impact.py) change the velocities of their islands; contacts get what they did.

    facets: of the friction cone, 0: round; threshold: slower contacts do not rebound [m/s].
    Returns the report, and which contacts took part, bool (n,).
    """
    bodies, touching = world.bodies, (contacts["gap"] <= TOUCH) | (what == NOW)
    of_body = np.empty(len(bodies), np.int32)
    count = islands.number(bodies, contacts[touching], world.joints, of_body)
    struck = np.zeros(count + 1, bool)
    hit = contacts[what == NOW]
    struck[of_body[hit["body_a"]]] = struck[of_body[hit["body_b"]]] = True
    struck[-1] = False
    involved = struck[of_body].astype(np.uint8)
    chosen = touching & ((involved[contacts["body_a"]] | involved[contacts["body_b"]]) == 1)
    part, columns = copy_of(contacts[chosen]), ledgers.blank(world.keeps_ledger)
    settings = Settings(friction.polygon(facets), 1.0, 1.0, 1.0, 1, SWEEPS, 0.0, TOLERANCE, True, False, False, True, threshold,
                        0.0, 0.0, 0.0, 0, 0, 0)
    sweeps, end, change, residual = impact(bodies, part, world.joints, world.lists.linkage, world.materials.pairs, world.gravity,
                                           involved, settings, columns)
    contacts[chosen] = part
    return Report(solver=world.solver.name, iterations=sweeps, end=ENDS[end], change=change, residual=residual,
                  contacts=len(part), rows=world.lists.joints.rows + 3 * len(part), penetration=measure.penetration(part),
                  joint_error=0.0, ledger=ledgers.told(columns), parts=0), chosen


@kernel
def impact(bodies, contacts, joints, linkage, pairs, gravity, involved, settings, columns):
    """1 to 3 for the bodies involved (n,); returns sweeps, how they ended, the last change and the residual [m/s]."""
    n, jointed = bodies.shape[0], linkage.plan.joints.shape[0] > 0
    rows, blocks, inverses, factors = linkage.rows, linkage.blocks, linkage.inverses, linkage.factors
    start, velocity, kick = np.empty((n, 6)), np.empty((n, 6)), _ledger.room(bodies, columns)
    integrate.inertias(bodies)
    integrate.read(bodies, start)
    for i in range(kick.shape[0]):
        kick[i] = bodies[i].since if involved[i] else 0.0
    for i in range(n):
        if involved[i]:
            integrate.synchronise(bodies[i], gravity)
    integrate.read(bodies, velocity)
    patches = batches.build(contacts, bodies, pairs, 0.0, False)
    marks = _contacts.marks(n, patches.first.shape[0])
    if jointed:
        linkages.write(joints, linkage, bodies, rows, blocks, settings.dt, 0.0, False)
        _hold(joints, rows, blocks, involved, velocity)
        effective_mass.prepare(bodies, rows, blocks, inverses, factors.together)
    _forget(rows, patches)
    _aim(contacts, patches, velocity, settings.restitution_threshold, False)
    first, _, _ = iterate(rows, blocks, inverses, factors, patches, velocity, settings, settings.iterations, 0.0, marks)
    threshold = settings.restitution_threshold
    _note(bodies, joints, contacts, linkage, patches, start, velocity, kick, gravity, threshold, columns, False)
    start[:], kick[:] = velocity, 0.0
    _forget(rows, patches)
    _aim(contacts, patches, velocity, threshold, True)
    _uncommon.aim(contacts, patches, velocity, 0.0)
    if jointed:
        _limits_give_back(joints, rows, blocks, velocity)
    second, end, change = iterate(rows, blocks, inverses, factors, patches, velocity, settings, settings.iterations, 0.0, marks)
    second += lose_energy(contacts, linkage, patches, start, velocity, settings, settings.dt, marks, _energy_limit.nothing())
    measure.forget_residuals(contacts, joints, linkage.plan.joints)
    residual = measure.tell_residuals(rows, blocks, velocity, settings.polygon, contacts, joints)
    _note(bodies, joints, contacts, linkage, patches, start, velocity, kick, gravity, threshold, columns, True)
    residual = max(residual, _contact_passes.store(patches, velocity, settings.polygon, contacts))
    for i in range(n):
        if involved[i] and bodies[i].kind == _DYNAMIC:
            vec.assign(bodies[i].vel, velocity[i])
            vec.assign(bodies[i].omega, velocity[i, 3:])
    return first + second, end, change, residual


@routine
def _forget(rows, patches):
    """Impulses of before are none of those to come."""
    for i in range(rows.shape[0]):
        rows[i].impulse = 0.0
    for p in range(patches.points.shape[0]):
        for field in (IMPULSE_N, IMPULSE_1, IMPULSE_2):
            for lane in range(patches.contact.shape[1]):
                patches.points[p, field, lane] = 0.0
    for k in range(patches.uncommon.shape[0]):
        patches.uncommon[k].impulse[:] = 0.0


@routine
def _note(bodies, joints, contacts, linkage, patches, start, velocity, kick, gravity, threshold, columns, last):
    """Add the impulses of 2 or, last, of 3 to those of the moment, and their works to the columns; start, velocity: before and
    after them."""
    if columns.shape[0] > 0:
        _ledger.enter(bodies, joints, contacts, linkage, patches, start, velocity, kick, gravity, 0.0, threshold, columns)
    add_up(patches)
    _uncommon.add_up(patches.uncommon)
    if linkage.plan.joints.shape[0] > 0:
        if not last:
            linkages.clear_sums(linkage)
        linkages.store(joints, linkage, velocity)
        linkages.add_up(joints, linkage, last)


@routine
def _hold(joints, rows, blocks, involved, velocity):
    """Rows just written become those of an impact: constraints hold, of finite forces nothing acts; mechanisms that are not
    involved stay as they are."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        taken = involved[block.a] or involved[block.b]
        for i in range(block.first, block.first + block.count):
            row = rows[i]
            if block.role == _CONSTRAINT:
                row.target = 0.0 if taken else velocity_of(row, velocity[block.a], velocity[block.b])
                row.softness = 1e30 if row.softness > 0.0 else 0.0
            elif block.role == _LOWER or block.role == _UPPER:
                row.target = 0.0 if taken and row.offset <= MET else -math.inf
        if block.role == _FRICTION:
            block.limit, block.viscous = 0.0, 0.0
        elif block.role == _MOTOR and not (taken and joints[block.index].motor_force[block.slot] >= ENDLESS):
            block.lower, block.upper = 0.0, 0.0


@routine
def _limits_give_back(joints, rows, blocks, velocity):
    """Targets of limits that strike."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if block.role == _LOWER or block.role == _UPPER:
            row = rows[block.first]
            v = velocity_of(row, velocity[block.a], velocity[block.b])
            if row.target == 0.0 and v < 0.0:
                row.target = -joints[block.index].limit_restitution * v


@routine
def _aim(contacts, patches, velocity, threshold, strikes):
    """Targets along the normals: those that strike are let be, or rebound; approaches are noted with the latter."""
    points, frame = patches.points, patches.frame
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i = patches.contact[p, lane]
                if i < 0:
                    continue
                v_a, v_b = velocity[patches.a[k, lane]], velocity[patches.b[k, lane]]
                arm_a = (points[p, ARM_A, lane], points[p, ARM_A + 1, lane], points[p, ARM_A + 2, lane])
                arm_b = (points[p, ARM_B, lane], points[p, ARM_B + 1, lane], points[p, ARM_B + 2, lane])
                dv = vec.sub(vec.add(v_b, vec.cross(v_b[3:], arm_b)), vec.add(v_a, vec.cross(v_a[3:], arm_a)))
                u = vec.dot((frame[k, 0, lane], frame[k, 1, lane], frame[k, 2, lane]), dv)
                fast = contacts[i].restitution > 0.0 and u < -threshold
                if strikes:
                    points[p, batches.APPROACH, lane] = u
                    points[p, TARGET_N, lane] = -contacts[i].restitution * u if fast else 0.0
                    points[p, batches.REBOUND, lane] = 1.0 if fast else 0.0
                else:
                    points[p, TARGET_N, lane] = LET_BE if fast else 0.0
