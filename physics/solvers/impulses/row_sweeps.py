"""One Gauss-Seidel sweep over the blocks: each in turn removes its own velocity error within its bound.

    A = J M^-1 J^T + softness,   w = J V + softness p - target        (velocity error of the block)
    equality     dp = -A^-1 w                                         (MS16 eq 15)
    one-sided    p' = max(0, p - w / A)
                 both soft, if wanted, by two numbers (soft_steps.py):   p' = scale (p - A^-1 (w + rate C)),   C: the offset
    interval     p' = p - w / A, clamped to lower .. upper
    disc, cone   p* = p - A^-1 w sticks if it is inside the bound;
                 else p' = projection of (p - rate w): maximal dissipation, rate = 1 / largest eigenvalue of A;
                 or, as printed in MS16 eq 16, p' = p_max p* / ||p*||

Viscous friction besides the dry (joint_rows.py, 2): with c = h times its coefficient, the projection onto the disc becomes the
proximal point of (||p|| - limit)^2 / (2 c) outside it:   ||p'|| = (c ||q|| + rate limit) / (c + rate),   q = p - rate w.

dp is applied at once to both bodies, V += M^-1 J^T dp.
"""

import math

from physics.contact.laws import friction_update, interval_update, loss_factor
from physics.core.jit import inline, routine
from physics.core.records import Bound, Case
from physics.core.row import apply, velocity_of

_EQUALITY, _ONE_SIDED, _DISC, _INTERVAL = (int(b) for b in (Bound.EQUALITY, Bound.ONE_SIDED, Bound.DISC, Bound.INTERVAL))
_STICK, _SLIP = Case.STICK, Case.SLIP


@routine
def solve_block(block, rows, inverses, va, vb, polygon, work, radial, rate, scale):
    """Solve a block of any bound; rate, scale: 0, 1 for rigid constraints. Returns ||dp||^2."""
    if block.bound == _ONE_SIDED:
        return solve_one_sided(block, rows, inverses, va, vb, rate, scale)
    if block.bound == _EQUALITY:
        return solve_equality(block, rows, inverses, va, vb, work, rate, scale)
    if block.bound == _INTERVAL:
        return solve_interval(block, rows, inverses, va, vb)
    if block.bound == _DISC:
        return solve_disc(block, rows, inverses, va, vb, work, radial)
    if block.count == 1:
        limit = block.mu * rows[block.normal].impulse
        block.lower, block.upper = -limit, limit
        return solve_interval(block, rows, inverses, va, vb)
    return solve_cone(block, rows, inverses, va, vb, polygon)


@routine
def solve_equality(block, rows, inverses, va, vb, w, rate, scale):
    """Solve all rows of an equality block at once; returns ||dp||^2."""
    n, change = block.count, 0.0
    for i in range(n):
        row = rows[block.first + i]
        w[i] = velocity_of(row, va, vb) + row.softness * row.impulse - row.target + rate * row.position_error
    for i in range(n):
        row = rows[block.first + i]
        dp = (scale - 1.0) * row.impulse
        for j in range(n):
            dp -= scale * inverses[block.inverse + i * n + j] * w[j]
        row.impulse += dp
        apply(row, block, va, vb, dp)
        change += dp * dp
    return change


@inline
def solve_one_sided(block, rows, inverses, va, vb, rate, scale):
    """Solve a single row with p >= 0; returns dp^2."""
    row = rows[block.first]
    w = velocity_of(row, va, vb) - row.target + rate * min(row.position_error, 0.0)
    p = max(0.0, scale * (row.impulse - inverses[block.inverse] * w))
    dp = p - row.impulse
    row.impulse = p
    apply(row, block, va, vb, dp)
    return dp * dp


@inline
def solve_interval(block, rows, inverses, va, vb):
    """Solve a single row with lower <= p <= upper; returns dp^2."""
    row = rows[block.first]
    w = velocity_of(row, va, vb) + row.softness * row.impulse - row.target
    p = interval_update(row.impulse, w, inverses[block.inverse], block.lower, block.upper)
    block.case = _STICK if block.lower < p < block.upper else _SLIP
    dp = p - row.impulse
    row.impulse = p
    apply(row, block, va, vb, dp)
    return dp * dp


@routine
def solve_disc(block, rows, inverses, va, vb, w, radial):
    """Solve friction of a joint: n rows with ||p|| <= limit; returns ||dp||^2."""
    n, size = block.count, 0.0
    for i in range(n):
        row = rows[block.first + i]
        w[i] = velocity_of(row, va, vb) + row.softness * row.impulse - row.target
    for i in range(n):
        p = rows[block.first + i].impulse
        for j in range(n):
            p -= inverses[block.inverse + i * n + j] * w[j]
        w[6 + i] = p
        size += p * p
    block.case = _STICK
    if size > block.limit * block.limit:
        block.case = _SLIP
        if not radial:
            size = 0.0
            for i in range(n):
                w[6 + i] = rows[block.first + i].impulse - block.gradient_step * w[i]
                size += w[6 + i] * w[6 + i]
        shrink = loss_factor(block.limit, block.viscous, block.gradient_step, math.sqrt(size))
        for i in range(n):
            w[6 + i] *= shrink
    change = 0.0
    for i in range(n):
        row = rows[block.first + i]
        dp = w[6 + i] - row.impulse
        row.impulse = w[6 + i]
        apply(row, block, va, vb, dp)
        change += dp * dp
    return change


@routine
def solve_cone(block, rows, inverses, va, vb, polygon):
    """Solve friction of a contact: two rows inside the cone cut at the current normal impulse; returns ||dp||^2."""
    p, q = rows[block.first], rows[block.first + 1]
    radius = block.mu * rows[block.normal].impulse
    u, w = velocity_of(p, va, vb) - p.target, velocity_of(q, va, vb) - q.target
    m = block.inverse
    stick = (p.impulse - inverses[m] * u - inverses[m + 1] * w, q.impulse - inverses[m + 2] * u - inverses[m + 3] * w)
    slide = (p.impulse - block.gradient_step * u, q.impulse - block.gradient_step * w)
    x, y, block.case = friction_update(polygon, radius, stick, slide)
    dx, dy = x - p.impulse, y - q.impulse
    p.impulse = x
    q.impulse = y
    apply(p, block, va, vb, dx)
    apply(q, block, va, vb, dy)
    return dx * dx + dy * dy
