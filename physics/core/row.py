"""Operations on one constraint row (velocity, error, impulse) and the initialisation of a block.

Velocities are plain arrays (6,): linear, then angular. A row's impulse p changes them by M^-1 J^T p.
"""

from physics.core import vec
from physics.core.jit import inline, routine
from physics.core.records import Case


@inline
def velocity_of(row, va, vb):
    """J V of a row [m/s] or [rad/s]."""
    return (row.lin_a[0] * va[0] + row.lin_a[1] * va[1] + row.lin_a[2] * va[2]
            + row.ang_a[0] * va[3] + row.ang_a[1] * va[4] + row.ang_a[2] * va[5]
            + row.lin_b[0] * vb[0] + row.lin_b[1] * vb[1] + row.lin_b[2] * vb[2]
            + row.ang_b[0] * vb[3] + row.ang_b[1] * vb[4] + row.ang_b[2] * vb[5])


@routine
def error_of(row, va, vb):
    """J V + softness p - target: a solver drives it to zero inside the bound."""
    return velocity_of(row, va, vb) + row.softness * row.impulse - row.target


@inline
def apply(row, block, va, vb, dp):
    """V += M^-1 J^T dp."""
    for k in range(3):
        va[k] += block.inv_mass_a * row.lin_a[k] * dp
        va[3 + k] += row.spin_a[k] * dp
        vb[k] += block.inv_mass_b * row.lin_b[k] * dp
        vb[3 + k] += row.spin_b[k] * dp


@inline
def coupling(r, p, s, q):
    """J_r M^-1 J_s^T of row r of block p and row s of block q: over the moving bodies on which both act."""
    x = 0.0
    if p.inv_mass_a > 0.0:
        if p.a == q.a:
            x += p.inv_mass_a * vec.dot(r.lin_a, s.lin_a) + vec.dot(r.spin_a, s.ang_a)
        if p.a == q.b:
            x += p.inv_mass_a * vec.dot(r.lin_a, s.lin_b) + vec.dot(r.spin_a, s.ang_b)
    if p.inv_mass_b > 0.0:
        if p.b == q.a:
            x += p.inv_mass_b * vec.dot(r.lin_b, s.lin_a) + vec.dot(r.spin_b, s.ang_a)
        if p.b == q.b:
            x += p.inv_mass_b * vec.dot(r.lin_b, s.lin_b) + vec.dot(r.spin_b, s.ang_b)
    return x


_OPEN = Case.OPEN


@routine
def fill(block, a, b, first, count, bound, owner, index):
    """Write a block of rows first .. first + count - 1 between bodies a and b; all other fields get neutral values."""
    block.a = a
    block.b = b
    block.first = first
    block.count = count
    block.bound = bound
    block.normal = -1
    block.owner = owner
    block.index = index
    block.case = _OPEN
    block.role = -1
    block.corner = 0
    block.corner_count = 0
    block.first_impulse = 0
    block.limit = 0.0
    block.viscous = 0.0
    block.lower = 0.0
    block.upper = 0.0
    block.mu = 0.0
