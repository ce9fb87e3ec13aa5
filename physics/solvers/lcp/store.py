"""Storage of a step's results in contacts and joints: impulses, slips, cases, and the sign cases of T08."""

from physics.constraints import joint_rows
from physics.contact.friction_cone import sign_case
from physics.core import vec
from physics.core.jit import kernel, routine
from physics.core.records import MOMENT, Bound, Case, Owner
from physics.core.row import error_of, velocity_of

_OPEN, _STICK, _SLIP = Case.OPEN, Case.STICK, Case.SLIP
_CONTACT, _DISC, _CONE, _POLYGON = Owner.CONTACT, Bound.DISC, Bound.CONE, Bound.POLYGON

REST_SPEED = 1e-9
"""Contacts without friction below this speed are at rest [m/s]."""


@kernel
def store(contacts, joints, index, rows, blocks, velocity, dt, signs):
    """index: of the joints whose blocks come first; velocity: v1 (n, 6); signs (blocks, 3): of assemble.write_sign_cases.

    The contacts' gaps become those at the end of the step.
    """
    joint_rows.clear_impulses(joints, index)
    for k in range(blocks.shape[0]):
        block = blocks[k]
        if block.bound == _DISC or block.bound == _CONE or block.bound == _POLYGON:
            block.case = case_of(rows, block, velocity, signs[k])
        if block.owner != _CONTACT:
            joint_rows.store(joints[block.index], block, rows, velocity)
        elif block.role == MOMENT:
            for i in range(block.first, block.first + block.count):
                vec.add_scaled(contacts[block.index].spin_impulse, rows[i].ang_b, rows[i].impulse)
        elif block.bound == _CONE:
            contact(contacts[block.index], block, rows, velocity, dt, signs[k])


@routine
def case_of(rows, block, velocity, signs):
    """Stick, slip or open, by the signs of the unknowns; for a pressing contact without friction, by whether it moves."""
    if block.bound == _CONE and rows[block.normal].impulse <= 0.0:
        return _OPEN
    if block.bound == _CONE and block.mu == 0.0:
        return _SLIP if moves(rows, block, velocity) else _STICK
    return _SLIP if signs[2] > 0 else _STICK


@routine
def moves(rows, block, velocity):
    """True if the surfaces of a contact slide on one another."""
    u = error_of(rows[block.first], velocity[block.a], velocity[block.b])
    w = error_of(rows[block.first + 1], velocity[block.a], velocity[block.b])
    return u * u + w * w > REST_SPEED * REST_SPEED


@routine
def contact(c, block, rows, velocity, dt, signs):
    """Write one contact, from its friction block."""
    t1, t2 = vec.copy(c.tangent), vec.scale(vec.cross(c.normal, c.tangent), c.anisotropy)
    n, first, second = rows[block.normal], rows[block.first], rows[block.first + 1]
    va, vb = velocity[block.a], velocity[block.b]
    u, w = velocity_of(first, va, vb) - first.target, velocity_of(second, va, vb) - second.target
    c.gap = n.position_error + dt * velocity_of(n, va, vb)
    c.impulse = n.impulse
    vec.assign(c.friction_impulse, vec.madd(vec.scale(t1, first.impulse), t2, second.impulse))
    vec.assign(c.slip, vec.madd(vec.scale(t1, u), t2, w / (c.anisotropy * c.anisotropy)))
    c.spin_impulse[:] = 0.0
    c.case = block.case
    slides = signs[2] if block.mu > 0.0 else moves(rows, block, velocity)
    c.sign_case = sign_case(signs[0], signs[1], slides)
