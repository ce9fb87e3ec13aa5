"""Effective masses of the blocks of a constraint table.

A block of n rows J between two bodies, spin = I^-1 J_angular as `spin_a`, `spin_b`:

    A = J M^-1 J^T + softness                 its inverse is the block's effective mass                     (1)
    gradient_step = 1 / max_i sum_j |A_ij|    its inverse bounds the largest eigenvalue of A (Gershgorin)   (2)
"""

from physics.core import mat3, stack, vec
from physics.core.dense import invert
from physics.core.jit import kernel, routine
from physics.core.records import Bound

_EQUALITY = Bound.EQUALITY

_matrix, _inverse = stack.scratch(6, 6), stack.scratch(6, 6)


@kernel
def write_effective_masses(bodies, rows, blocks, inverses, together):
    """Write M^-1 J^T of each row, the inverse of (1) and the gradient step (2) of each block; inv_inertia_world must be fresh.

    together: of each block, 1 if it is solved with others; a constraint then needs no inverse of its own. Friction solved with
    them does: it may start to slip.
    """
    matrix, inverse = _matrix(), _inverse()
    next_inverse = 0
    for k in range(blocks.shape[0]):
        block = blocks[k]
        a, b = bodies[block.a], bodies[block.b]
        block.inv_mass_a = a.inv_mass
        block.inv_mass_b = b.inv_mass
        block.inverse = next_inverse
        n = block.count
        next_inverse += n * n
        for i in range(n):
            row = rows[block.first + i]
            vec.assign(row.spin_a, mat3.apply(a.inv_inertia_world, row.ang_a))
            vec.assign(row.spin_b, mat3.apply(b.inv_inertia_world, row.ang_b))
            for j in range(i + 1):
                matrix[i, j] = _coupling(row, rows[block.first + j], a.inv_mass, b.inv_mass)
                matrix[j, i] = matrix[i, j]
        largest = 0.0
        for i in range(n):
            matrix[i, i] += rows[block.first + i].softness
            total = 0.0
            for j in range(n):
                total += abs(matrix[i, j])
            largest = max(largest, total)
        block.gradient_step = 1.0 / largest
        if together[k] and block.bound == _EQUALITY:
            continue
        invert(matrix, inverse, n)
        for i in range(n):
            for j in range(n):
                inverses[block.inverse + i * n + j] = inverse[i, j]


@routine
def _coupling(p, q, inv_mass_a, inv_mass_b):
    """Entry of J M^-1 J^T for two rows of the same pair of bodies."""
    return (inv_mass_a * vec.dot(p.lin_a, q.lin_a) + inv_mass_b * vec.dot(p.lin_b, q.lin_b)
            + vec.dot(p.spin_a, q.ang_a) + vec.dot(p.spin_b, q.ang_b))
