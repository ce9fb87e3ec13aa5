"""Residuals of z in LCP(q, M), w = q + M z. All are zero at solutions and nowhere else.

    (1) natural map            max_i |min(z_i, w_i)|
    (2) Fischer-Burmeister     max_i |z_i + w_i - sqrt(z_i^2 + w_i^2)|
    (3) gap                    max(max_i -z_i, max_i -w_i, |z.w|)

Facchinei, Pang, "Finite-Dimensional Variational Inequalities and Complementarity Problems", section 1.5.
"""

import math

from physics.complementarity import vectors
from physics.core.jit import kernel


@kernel
def natural(M, q, z, w):
    """Eq 1; w = q + M z is written."""
    n = len(q)
    worst = 0.0
    for i in range(n):
        w[i] = q[i] + vectors.dot(M[i], z, n)
        worst = max(worst, abs(min(z[i], w[i])))
    return worst


@kernel
def fischer_burmeister(M, q, z, w):
    """Eq 2; w = q + M z is written."""
    n = len(q)
    worst = 0.0
    for i in range(n):
        w[i] = q[i] + vectors.dot(M[i], z, n)
        size = math.sqrt(z[i] * z[i] + w[i] * w[i])
        total = z[i] + w[i]
        # z + w - size loses all digits if both are positive and one is tiny
        worst = max(worst, abs(2.0 * z[i] * w[i] / (total + size) if total > 0.0 else total - size))
    return worst


@kernel
def gap(M, q, z, w):
    """Eq 3; w = q + M z is written."""
    n = len(q)
    worst, product = 0.0, 0.0
    for i in range(n):
        w[i] = q[i] + vectors.dot(M[i], z, n)
        worst = max(worst, -z[i], -w[i])
        product += z[i] * w[i]
    return max(worst, abs(product))
