"""Projected Gauss-Seidel with over-relaxation: LCP(q, M) for matrices with a positive diagonal.

    (1) z_i <- max(0, z_i - omega w_i / M_ii)        w_i = q_i + M_i. z with the newest z

Converges for symmetric positive definite M and 0 < omega < 2 (C. W. Cryer 1971; Cottle, Pang, Stone, "The Linear Complementarity
Problem", section 5.3), and for diagonally dominant M; slowly if rows are nearly dependent. It cannot treat variables whose M_ii
is not positive, such as the slack of a friction cone in Stewart and Trinkle's form.
"""

from physics.complementarity import judge, vectors
from physics.complementarity.problem import Status
from physics.core.jit import kernel


@kernel
def gauss_seidel(M, q, omega, limit, tolerance, halt, z, w):
    """Improve z, which is read and written, by eq 1; w = q + M z is written. Returns (status, sweeps).

    limit: maximum number of sweeps. tolerance: SOLVED if max |min(z, w)| is at most this. halt: (1,) int32, checked in every
    sweep: nonzero cancels. RAY, and z unchanged: a diagonal entry is not positive.
    """
    n = len(q)
    for i in range(n):
        if not M[i, i] > 0.0:
            return Status.RAY.value, 0
    sweeps = 0
    while judge.natural(M, q, z, w) > tolerance:
        if halt[0] != 0:
            return Status.CANCELLED.value, sweeps
        if sweeps >= limit:
            return Status.LIMIT.value, sweeps
        for i in range(n):
            z[i] = max(0.0, z[i] - omega * (q[i] + vectors.dot(M[i], z, n)) / M[i, i])
        sweeps += 1
    return Status.SOLVED.value, sweeps
