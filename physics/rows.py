"""Joints and contacts as one table of constraint rows in blocks: what every solver reads.

Contact (normal n from a to b, arms r to the contact point):

    normal     J = [-n, -(r_a x n), n, r_b x n],     J V >= target,   p >= 0
    friction   the same along the tangents t1, t2,   ||p|| <= mu p_n (circle or k-gon)

The targets are those of contact_law.py. Solvers that do several contacts at once read them from patches.py instead.
"""

from typing import NamedTuple

import numpy as np

from physics import contact_law, effective_mass
from physics import linkage as linkages
from physics.core import vec
from physics.core.block import fill
from physics.core.jit import kernel, routine
from physics.core.records import BLOCK, ROW, Bound, Owner

_ONE_SIDED, _CONE, _CONTACT = int(Bound.ONE_SIDED), int(Bound.CONE), int(Owner.CONTACT)


class Table(NamedTuple):
    """rows: ROW (m,); blocks: BLOCK (n,), joints first; inverses: flat float64, one count x count matrix a block."""

    rows: np.ndarray
    blocks: np.ndarray
    inverses: np.ndarray


def build(world, contacts, start, free, dt, threshold):
    """The table of all joints and contacts of a step.

    Args:
        world: its joints and bodies are read (inv_inertia_world must be fresh).
        contacts: CONTACT (n,); `approach`, `target` and `warm` are written.
        start, free: velocities before and after the free motion, shape (bodies, 6) [m/s, rad/s].
        dt: step [s].
        threshold: approach speed below which contacts do not rebound [m/s].
    """
    plan = world.lists.joints
    table = _joints(world, dt, contacts)
    contact_law.targets(contacts, world.bodies, start, free, dt, threshold)
    contact_rows(contacts, world.bodies, plan.rows, plan.blocks, table.rows, table.blocks)
    effective_mass.prepare(world.bodies, *table, np.zeros(len(table.blocks), np.uint8))
    return table


def _joints(world, dt, contacts):
    """A table with the joints' rows and blocks written, and room for the contacts."""
    plan = world.lists.joints
    table = Table(np.empty(plan.rows + 3 * len(contacts), ROW), np.empty(plan.blocks + 2 * len(contacts), BLOCK),
                  np.empty(plan.inverses + 5 * len(contacts)))
    write_joints(world, dt, contacts, table.rows, table.blocks)
    return table


def write_joints(world, dt, contacts, rows, blocks):
    """The joints' rows and blocks as they are at the start of a step, with last step's impulses; their errors are measured."""
    linkage = world.lists.linkage
    linkages.straighten(linkage, contacts)
    linkages.write(world.joints, linkage, world.bodies, rows, blocks, dt, dt / world.acting, True)
    linkages.measure_errors(world.joints, linkage, rows)


@kernel
def contact_rows(contacts, bodies, first_row, first_block, rows, blocks):
    """Rows and blocks of the contacts: normal, then friction, with last step's impulses."""
    for n in range(contacts.shape[0]):
        c = contacts[n]
        r_a = vec.sub(c.pos, bodies[c.body_a].pos)
        r_b = vec.sub(vec.add(c.pos, c.shift), bodies[c.body_b].pos)
        r, k = first_row + 3 * n, first_block + 2 * n
        t1 = vec.copy(c.tangent)
        t2 = vec.scale(vec.cross(c.normal, t1), c.anisotropy)
        _contact_row(rows[r], c.normal, r_a, r_b)
        _contact_row(rows[r + 1], t1, r_a, r_b)
        _contact_row(rows[r + 2], t2, r_a, r_b)
        rows[r].offset = c.gap
        rows[r].target, rows[r + 1].target, rows[r + 2].target = c.target[0], c.target[1], c.anisotropy * c.target[2]
        rows[r].impulse = c.impulse
        rows[r + 1].impulse = vec.dot(c.friction_impulse, t1)
        rows[r + 2].impulse = vec.dot(c.friction_impulse, t2) / (c.anisotropy * c.anisotropy)
        fill(blocks[k], c.body_a, c.body_b, r, 1, _ONE_SIDED, _CONTACT, n)
        fill(blocks[k + 1], c.body_a, c.body_b, r + 1, 2, _CONE, _CONTACT, n)
        blocks[k + 1].normal = r
        blocks[k + 1].mu = c.friction


@routine
def _contact_row(row, direction, r_a, r_b):
    vec.assign(row.lin_a, vec.scale(direction, -1.0))
    vec.assign(row.ang_a, vec.cross(direction, r_a))
    vec.assign(row.lin_b, direction)
    vec.assign(row.ang_b, vec.cross(r_b, direction))
    row.target = 0.0
    row.softness = 0.0
    row.offset = 0.0
