"""Work of what acts on mechanisms, for the energy ledger (physics/dynamics/energy_ledger.py) of methods in joint coordinates.

At q0, with M (v1 - v0) the sum of all impulses on the bodies, those of the joints that are coordinates included:

    T1 - T0 = sum of p J (v0 + v1) / 2                                                                                  (1)

There the reactions of joints that are coordinates do no work but where a kinematic body carries the joint: with (f, n) on b about
its centre of mass x_b

    movers = f . v + n . w,   v, w of the carrier at x_b                                                                (2)

The turning of H in the step is left to "numerical".
"""

from typing import Any

import numpy as np

from physics.constraints.rows import rates
from physics.core.records import Kind, Owner, Role
from physics.dynamics import islands
from physics.dynamics.energy_ledger import APPLIED, CONTACT, FRICTION, GRAVITY, IMPACT, MOVERS, columns_of


def potential_energy(world: Any) -> float:
    """Of gravity on the dynamic bodies, at their poses, whatever the time of their velocities [J]."""
    own = world.bodies[world.bodies["kind"] == Kind.DYNAMIC]
    return -float(own["mass"] @ (own["pos"] @ world.gravity))


def applied_power(bodies: np.ndarray) -> float:
    """Power of the applied forces and torques on the dynamic bodies where and as they move [W]."""
    own = bodies[bodies["kind"] == Kind.DYNAMIC]
    return float((own["force"] * own["vel"]).sum() + (own["torque"] * own["omega"]).sum())


def add_fields(world: Any, kick: np.ndarray, dt: float, start: np.ndarray, velocity: np.ndarray, columns: np.ndarray) -> None:
    """Add the work of gravity, but for the loss of potential energy, and of applied forces in a step of dt [s].

    kick (bodies,): for how long forces act [s]. start, velocity (bodies, 6): before and after the impulses.
    """
    own = world.bodies["kind"] == Kind.DYNAMIC
    bodies, mean = world.bodies[own], 0.5 * (start + velocity)[own]
    weight = bodies["mass"][:, None] * world.gravity
    columns[GRAVITY] += (weight * (kick[own, None] * mean[:, :3] - dt * velocity[own, :3])).sum()
    columns[APPLIED] += (kick[own, None] * (bodies["force"] * mean[:, :3] + bodies["torque"] * mean[:, 3:])).sum()


def add_rows(world: Any, contacts: np.ndarray, system: tuple[np.ndarray, np.ndarray], motion: tuple[np.ndarray, np.ndarray],
             threshold: float, columns: np.ndarray) -> None:
    """Add the work (1) of the impulses on contacts and joints.

    contacts: CONTACT with the impulses of the step. system: ROW and BLOCK, all rows in the order of the blocks. motion:
    velocities (bodies, 6) before and after. threshold: what closes faster has struck, with all contacts of its island [m/s] or
    [rad/s].
    """
    (rows, blocks), (start, velocity) = system, motion
    count, kind, of_body = blocks["count"], world.bodies["kind"], np.empty(len(world.bodies), np.int32)
    islands.number_islands(world.bodies, contacts[contacts["impulse"] > 0.0], world.joints, of_body)
    ends = {side: np.repeat(blocks[side], count) for side in "ab"}
    column = np.empty(len(blocks), np.int64)
    columns_of(blocks, world.joints, rows, column)
    column = np.repeat(column, count)
    role, of_contact = np.repeat(blocks["role"], count), np.repeat(blocks["owner"], count) == Owner.CONTACT
    impulse, mean = rows["impulse"], 0.5 * (start + velocity)

    closing = rates(rows, blocks, start) < -threshold
    strikes = (impulse > 0.0) & (closing | (rows["target"] > 0.0))
    island = of_body[np.stack([ends["a"], ends["b"]])].max(axis=0)
    struck = np.isin(island, island[strikes & (column == CONTACT)]) & (column == CONTACT)
    column[struck | (strikes & ((role == Role.LOWER) | (role == Role.UPPER)))] = IMPACT
    np.add.at(columns, column, impulse * rates(rows, blocks, mean))
    belts = float((impulse * rows["target"])[column == FRICTION].sum())
    columns[FRICTION] -= belts
    columns[MOVERS] += belts
    for side in "ab":
        carried = of_contact & (kind[ends[side]] == Kind.KINEMATIC)
        columns[MOVERS] -= (impulse * rates(rows, blocks, mean, side))[carried].sum()


def mover_work(bodies: np.ndarray, joints: np.ndarray, pos: np.ndarray) -> float:
    """(2) of the joints on kinematic bodies [J], from their reactions; pos (bodies, 3): points of the moments [m]."""
    work = 0.0
    for joint in joints[joints["kind"] >= 0]:
        force, moment, b = joint["reaction"][:3], joint["reaction"][3:], joint["body_b"]
        for end, sign in ((joint["body_a"], 1.0), (b, -1.0)):
            if bodies["kind"][end] == Kind.KINEMATIC:
                omega = bodies["omega"][end]
                work += sign * (force @ (bodies["vel"][end] + np.cross(omega, pos[b] - pos[end])) + moment @ omega)
    return float(work)


def contact_mover_work(bodies: np.ndarray, contacts: np.ndarray) -> float:
    """Work of kinematic bodies through frictionless CONTACT records with their impulses [J]."""
    work = 0.0
    for contact in contacts[contacts["impulse"] > 0.0]:
        force = contact["impulse"] * contact["normal"]
        for end, sign in ((contact["body_a"], 1.0), (contact["body_b"], -1.0)):
            if bodies["kind"][end] == Kind.KINEMATIC:
                arm = contact["pos"] - bodies["pos"][end]
                work += sign * float(force @ (bodies["vel"][end] + np.cross(bodies["omega"][end], arm)))
    return work
