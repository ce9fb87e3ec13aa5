"""Joints and contacts as one table of rows, to judge solvers with other layouts."""

from typing import NamedTuple

import numpy as np

from physics.constraints import effective_mass
from physics.constraints.rows import contact_rows, write_joints
from physics.contact.targets import target_velocity
from physics.core.records import BLOCK, CONTACT, JOINT, ROW, Owner
from physics.dynamics import measure


class RowTable(NamedTuple):
    """rows: ROW (m,); blocks: BLOCK (n,), joints first; inverses: flat float64, a count x count matrix per block."""

    rows: np.ndarray
    blocks: np.ndarray
    inverses: np.ndarray


def build(world, contacts, start, free, dt, threshold):
    """The table of all joints and contacts of a step of dt [s].

    contacts: CONTACT (n,); `approach`, `target` and `warm_startable` are written. start, free: velocities before and after
    the free motion, (bodies, 6). threshold: approach speed below which contacts do not rebound [m/s].
    """
    layout = world.layout.joints
    table = RowTable(np.empty(layout.rows + 3 * len(contacts), ROW), np.empty(layout.blocks + 2 * len(contacts), BLOCK),
                     np.empty(layout.inverses + 5 * len(contacts)))
    write_joints(world, dt, contacts, table.rows, table.blocks)
    for c in contacts:
        before, after = _normal_velocity(world, c, start), _normal_velocity(world, c, free)
        c["target"][0], rebounds, c["pending_rebound"] = target_velocity(
            float(c["gap"]), before, after, float(c["restitution"]), dt, threshold, float(c["pending_rebound"]))
        c["approach"], c["warm_startable"] = before, not rebounds
    contact_rows(contacts, world.bodies, layout.rows, layout.blocks, table.rows, table.blocks)
    effective_mass.write_effective_masses(world.bodies, *table, np.zeros(len(table.blocks), np.uint8))
    return table


def _normal_velocity(world, c, velocity):
    """Velocity of b relative to a along the normal [m/s]."""
    pos, a, b = world.bodies["pos"], c["body_a"], c["body_b"]
    of_a = velocity[a, :3] + np.cross(velocity[a, 3:], c["pos"] - pos[a])
    of_b = velocity[b, :3] + np.cross(velocity[b, 3:], c["pos"] + c["shift"] - pos[b])
    return float(c["normal"] @ (of_b - of_a))


def natural_map(table, velocity, polygon) -> float:
    """Largest natural map residual of all blocks [m/s] or [rad/s]."""
    of = {owner: int(table.blocks["index"][table.blocks["owner"] == owner].max(initial=-1)) + 1 for owner in Owner}
    return float(measure.store_residuals(table.rows, table.blocks, velocity, polygon, np.zeros(of[Owner.CONTACT], CONTACT),
                                         np.zeros(of[Owner.JOINT], JOINT)))
