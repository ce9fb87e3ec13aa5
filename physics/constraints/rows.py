"""Joints and contacts as constraint rows in blocks, the layout of the exact solver; others: constraints/__init__.py.

Contact (normal n from a to b, arms r to the contact point):

    normal     J = [-n, -(r_a x n), n, r_b x n],     J V >= target,   p >= 0
    friction   the same along the tangents t1, t2,   ||p|| <= mu p_n (circle or k-gon)

and after all contacts, of those with such materials (lengths c, extended_contacts.py, 1 and 2):

    torsional  J = [0, -n, 0, n],                    |p| <= c_t p_n
    rolling    the same along n x t1 and t1,         ||p|| <= c_r p_n (circle or k-gon)

n x t1 comes first: about it turns what slides along t1, so that friction of one direction alone serves motion in a plane.
"""

from typing import Any

import numpy as np

from physics.constraints import joint_system
from physics.constraints.joint_rows import REBOUNDING
from physics.core import vec
from physics.core.jit import kernel, routine
from physics.core.records import BLOCK, MOMENT, ROW, Bound, Owner
from physics.core.row import fill

_ONE_SIDED, _CONE, _CONTACT = Bound.ONE_SIDED, Bound.CONE, Owner.CONTACT


def joint_rows(world, dt):
    """(rows [ROW], blocks [BLOCK]) of the joints at the present poses, of a step of dt [s] without contacts."""
    layout = world.layout.joints
    rows, blocks = np.empty(layout.rows, ROW), np.empty(layout.blocks, BLOCK)
    write_joints(world, dt, world.contacts[:0], rows, blocks)
    return rows, blocks


def write_joints(world, dt, contacts, rows, blocks, in_tree=slice(0)):
    """Write the joints' rows and blocks at the start of a step, with the last step's impulses; store the joints' errors.

    in_tree: places in the layout of joints whose coordinates change by their rates alone, and so without curvature terms.
    """
    system = world.layout.joint_system
    joint_system.mark_contacts(system, contacts)
    system.in_contact[in_tree] = REBOUNDING
    joint_system.write(world.joints, system, world.bodies, rows, blocks, dt, dt / world.impulse_duration, True)
    joint_system.store_errors(world.joints, system, rows)


def write_contacts(contacts, world: Any, first_row: int, first_block: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, blocks) with room for those of joints, before first_row, first_block, and those of the contacts."""
    pairs = world.materials.pairs
    lengths = np.column_stack([pairs["torsional"], pairs["rolling"]])[contacts["pair"]]
    turned = np.flatnonzero(lengths.any(axis=1))
    count = len(contacts) + len(turned)
    rows, blocks = np.empty(first_row + 3 * count, ROW), np.empty(first_block + 2 * count, BLOCK)
    contact_rows(contacts, world.bodies, first_row, first_block, rows, blocks)
    if len(turned):
        moment_rows(contacts, turned, lengths[turned], first_row, first_block, rows, blocks)
    return rows, blocks


def rates(rows: np.ndarray, blocks: np.ndarray, velocity: np.ndarray, sides: str = "ab") -> np.ndarray:
    """(rows,): J v of each of ROW, or what its bodies of some sides add to it; blocks: BLOCK, in the order of the rows; velocity
    (bodies, 6)."""
    total = np.zeros(len(rows))
    for side in sides:
        own = velocity[np.repeat(blocks[side], blocks["count"])]
        total += (np.einsum("ij,ij->i", rows[f"lin_{side}"], own[:, :3]) + np.einsum("ij,ij->i", rows[f"ang_{side}"], own[:, 3:]))
    return total


@kernel
def contact_rows(contacts, bodies, first_row, first_block, rows, blocks):
    """Write rows and blocks of the contacts: normal, then friction, with the last step's impulses."""
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
        rows[r].position_error = c.gap
        rows[r].target, rows[r + 1].target, rows[r + 2].target = c.target[0], c.target[1], c.anisotropy * c.target[2]
        rows[r].impulse = c.impulse
        rows[r + 1].impulse = vec.dot(c.friction_impulse, t1)
        rows[r + 2].impulse = vec.dot(c.friction_impulse, t2) / (c.anisotropy * c.anisotropy)
        fill(blocks[k], c.body_a, c.body_b, r, 1, _ONE_SIDED, _CONTACT, n)
        fill(blocks[k + 1], c.body_a, c.body_b, r + 1, 2, _CONE, _CONTACT, n)
        blocks[k + 1].normal = r
        blocks[k + 1].mu = c.friction


@kernel
def moment_rows(contacts, turned, lengths, first_row, first_block, rows, blocks):
    """Write rows and blocks of torsional and rolling friction of the contacts `turned` (m,), after those of all contacts, without
    impulses. lengths (m, 2): torsional and rolling, 0: none [m]."""
    for m in range(turned.shape[0]):
        n = turned[m]
        c = contacts[n]
        r, k = first_row + 3 * (contacts.shape[0] + m), first_block + 2 * (contacts.shape[0] + m)
        t1 = vec.copy(c.tangent)
        _moment_row(rows[r], c.normal)
        _moment_row(rows[r + 1], vec.cross(c.normal, t1))
        _moment_row(rows[r + 2], t1)
        fill(blocks[k], c.body_a, c.body_b, r, 1, _CONE, _CONTACT, n)
        fill(blocks[k + 1], c.body_a, c.body_b, r + 1, 2, _CONE, _CONTACT, n)
        for i in range(2):
            blocks[k + i].role = MOMENT
            blocks[k + i].normal = first_row + 3 * n
            blocks[k + i].mu = lengths[m, i]


@routine
def _moment_row(row, axis):
    for i in range(3):
        row.lin_a[i], row.ang_a[i], row.lin_b[i], row.ang_b[i] = 0.0, -axis[i], 0.0, axis[i]
    row.target, row.softness, row.position_error, row.impulse = 0.0, 0.0, 0.0, 0.0


@routine
def _contact_row(row, direction, r_a, r_b):
    vec.assign(row.lin_a, vec.scale(direction, -1.0))
    vec.assign(row.ang_a, vec.cross(direction, r_a))
    vec.assign(row.lin_b, direction)
    vec.assign(row.ang_b, vec.cross(r_b, direction))
    row.target = 0.0
    row.softness = 0.0
    row.position_error = 0.0
