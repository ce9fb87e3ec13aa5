"""Friction problems by nonsmooth Gauss-Seidel: each contact is solved exactly with the others fixed.

For a contact with impulse r = (r_n, r_t), u = A r + b where A is its block of W and b the velocity by all others:

    (1) open     r = 0                                         if b_n >= 0
    (2) stick    r = -A^-1 b                                   if that is in the cone |r_t| <= mu r_n
    (3) slip     r_t = mu r_n d, |d| = 1                       with u_n = 0, u_t = -s d, s >= 0, so
                 r_n(d) = -b_n / (A_nn + mu A_nt d),           f(d) = u_t x d = 0
    (4) f = 0 is solved by Newton's method in the angle of d; where it would turn the wrong way, d turns towards -u_t

M. Jean, J. J. Moreau, "Unilaterality and dry friction in the dynamics of rigid body collections", 1992 (the sweeps); V. Acary,
M. Bremond, O. Huber, "On solving contact problems with Coulomb friction: formulations and numerical comparisons", 2018, section 4
(local solvers). Between sweeps impulses are extrapolated in conjugate directions, with d the change by a sweep, s the direction:

    (5) beta = |d_k|^2 / |d_k-1|^2 (0 if that is > 1: restart),  r <- P_K(r + beta s),  s <- beta s + d

M. Silcowitz, S. Niebe, K. Erleben, "A nonsmooth nonlinear conjugate gradient method", The Visual Computer 26, 2010, algorithm 2.
"""

import math

from physics.core.jit import kernel, routine

MAX_ROTATIONS = 30
"""Maximum number of steps of eq 4 from one direction."""
ZERO_TURN = 1e-15
"""A turn below this counts as zero [rad]."""
MAX_ROTATION_STEP = 0.5
"""Largest turn in one step [rad]."""


@kernel
def sweep(first, column, blocks, inverse, q, mu, direction, change, halt, sweeps, tolerance, r):
    """Improve r (n, 3), which is read and written, by eqs 1 to 5. Returns (sweeps done, square of the last change).

    first (n + 1,), column (blocks,), blocks (blocks, 3, 3): rows of blocks of W, the diagonal one first; inverse (n, 3, 3): of
    the diagonal blocks; direction, change (n, 3): overwritten; halt: (1,) int32, nonzero cancels.
    Ends when the square of a sweep's change is at most `tolerance`.
    """
    before, size = 0.0, 0.0
    for done in range(sweeps):
        if halt[0] != 0:
            return done, size
        size = 0.0
        for i in range(len(mu)):
            size += solve_contact(i, first, column, blocks, inverse, q, mu, change, r)
        if size <= tolerance:
            return done + 1, size
        beta = size / before if before > 0.0 else 0.0
        extrapolate(beta if beta <= 1.0 else 0.0, mu, direction, change, r)
        before = size
    return sweeps, size


@routine
def solve_contact(i, first, column, blocks, inverse, q, mu, change, r):
    """Solve contact i; returns the square of its change."""
    x, y, z = q[i, 0], q[i, 1], q[i, 2]
    for k in range(first[i] + 1, first[i + 1]):
        j = column[k]
        block, a, b, c = blocks[k], r[j, 0], r[j, 1], r[j, 2]
        x += block[0, 0] * a + block[0, 1] * b + block[0, 2] * c
        y += block[1, 0] * a + block[1, 1] * b + block[1, 2] * c
        z += block[2, 0] * a + block[2, 1] * b + block[2, 2] * c
    a, b, c = solve(blocks[first[i]], inverse[i], x, y, z, mu[i], r[i, 1], r[i, 2])
    change[i, 0], change[i, 1], change[i, 2] = a - r[i, 0], b - r[i, 1], c - r[i, 2]
    r[i, 0], r[i, 1], r[i, 2] = a, b, c
    return change[i, 0] * change[i, 0] + change[i, 1] * change[i, 1] + change[i, 2] * change[i, 2]


@routine
def extrapolate(beta, mu, direction, change, r):
    """Eq 5."""
    for i in range(len(mu)):
        for k in range(3):
            step = beta * direction[i, k]
            r[i, k] += step
            direction[i, k] = change[i, k] + step
        r[i, 0], r[i, 1], r[i, 2] = project(mu[i], r[i, 0], r[i, 1], r[i, 2])


@routine
def project(mu, n, x, y):
    """The point of the cone sqrt(x^2 + y^2) <= mu n nearest to (n, x, y)."""
    size = math.sqrt(x * x + y * y)
    if size <= mu * n:
        return n, x, y
    if mu * size <= -n:
        return 0.0, 0.0, 0.0
    height = (n + mu * size) / (1.0 + mu * mu)
    return height, mu * height * x / size, mu * height * y / size


@routine
def solve(A, inverse, b_n, b_x, b_y, mu, x, y):
    """The impulse of one contact, eqs 1 to 3; (x, y): its previous friction, the start of the search for d."""
    if b_n >= 0.0 or not A[0, 0] > 0.0:
        return 0.0, 0.0, 0.0
    if mu == 0.0:
        return -b_n / A[0, 0], 0.0, 0.0
    n = -(inverse[0, 0] * b_n + inverse[0, 1] * b_x + inverse[0, 2] * b_y)
    s = -(inverse[1, 0] * b_n + inverse[1, 1] * b_x + inverse[1, 2] * b_y)
    t = -(inverse[2, 0] * b_n + inverse[2, 1] * b_x + inverse[2, 2] * b_y)
    if n > 0.0 and s * s + t * t <= mu * mu * n * n:
        return n, s, t
    if x == 0.0 and y == 0.0:
        x, y = (s, t) if s != 0.0 or t != 0.0 else (-b_x, -b_y)
    height, c, s, found = slip(A, b_n, b_x, b_y, mu, x, y)
    for k in range(8):
        if found:
            break
        side = 1.0 if k % 2 == 0 else -1.0
        height, c, s, found = slip(A, b_n, b_x, b_y, mu, (k // 2 - 1.5), side)
    return height, mu * height * c, mu * height * s


@routine
def slip(A, b_n, b_x, b_y, mu, x, y):
    """Eqs 3 and 4 from the direction (x, y): (r_n, d, whether that is a solution)."""
    size = math.sqrt(x * x + y * y)
    c, s = (x / size, y / size) if size > 0.0 else (1.0, 0.0)
    height, along, turn = 0.0, 0.0, 1.0
    for _ in range(MAX_ROTATIONS):
        stiffness = A[0, 0] + mu * (A[0, 1] * c + A[0, 2] * s)
        if not stiffness > ZERO_TURN * A[0, 0]:     # no impulse along d can stop the contact: turn to larger stiffness
            away = math.copysign(MAX_ROTATION_STEP, A[0, 2] * c - A[0, 1] * s)
            turn, c, s = away, c - away * s, s + away * c
            size = math.sqrt(c * c + s * s)
            c, s = c / size, s / size
            continue
        height = -b_n / stiffness
        p, q = A[1, 0] + mu * (A[1, 1] * c + A[1, 2] * s), A[2, 0] + mu * (A[2, 1] * c + A[2, 2] * s)
        u, v = b_x + height * p, b_y + height * q
        if abs(turn) <= ZERO_TURN:
            break
        fall = -height * mu * (A[0, 2] * c - A[0, 1] * s) / stiffness
        du = fall * p + height * mu * (A[1, 2] * c - A[1, 1] * s)
        dv = fall * q + height * mu * (A[2, 2] * c - A[2, 1] * s)
        along = u * c + v * s
        f, slope = u * s - v * c, du * s - dv * c + along
        turn = -f / slope if slope < 0.0 else math.copysign(MAX_ROTATION_STEP, f)
        turn = max(-MAX_ROTATION_STEP, min(MAX_ROTATION_STEP, turn))
        c, s = c - turn * s, s + turn * c
        size = math.sqrt(c * c + s * s)
        c, s = c / size, s / size
    return height, c, s, along <= 0.0 and abs(turn) <= 1e-6
