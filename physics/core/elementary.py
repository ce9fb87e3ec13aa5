"""Elementary functions for kernels with the same bits on every machine: no libm, polynomials only.

    exp_negative(x)  e^-x = 2^-k e^-r,  x = k ln 2 + r,  |r| <= ln 2 / 2, Taylor to r^13   relative error < 4e-16
    angle(y, x)      atan2 by Cephes: reduced to |t| <= tan(pi / 8), rational P4 / Q5        absolute error < 4e-16 rad
"""

import math

from physics.core.jit import inline, routine

_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""ln 2 in two parts, the first with trailing zero bits so that k times it is exact."""

MAX_EXPONENT = 60.0
"""Beyond it e^-x < 1e-26 is returned as 0."""


@routine
def exp_negative(x):
    """e^-x for x >= 0; 0 beyond MAX_EXPONENT."""
    if not x < MAX_EXPONENT:
        return 0.0
    k = int(x * 1.4426950408889634 + 0.5)
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    y = 1.0 - r * (1.0 - r / 2.0 * (1.0 - r / 3.0 * (1.0 - r / 4.0 * (1.0 - r / 5.0 * (1.0 - r / 6.0 * (
        1.0 - r / 7.0 * (1.0 - r / 8.0 * (1.0 - r / 9.0 * (1.0 - r / 10.0 * (1.0 - r / 11.0 * (
            1.0 - r / 12.0 * (1.0 - r / 13.0))))))))))))
    for _ in range(k):
        y *= 0.5
    return y


@routine
def _arctangent(x):
    """atan(x) for x >= 0."""
    start, more = 0.0, 0.0
    if x > 2.414213562373095:
        start, more = 1.5707963267948966, 6.123233995736766e-17
        x = -1.0 / x
    elif x > 0.4142135623730950:
        start, more = 0.7853981633974483, 3.061616997868383e-17
        x = (x - 1.0) / (x + 1.0)
    z = x * x
    p = (((-8.750608600031904122785e-1 * z - 1.615753718733365076637e1) * z - 7.500855792314704667340e1) * z
         - 1.228866684490136173410e2) * z - 6.485021904942025371773e1
    q = ((((z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2) * z + 4.328810604912902668951e2) * z
         + 4.853903996359136964868e2) * z + 1.945506571482613964425e2
    return start + ((x * (z * p / q) + x) + more)


@routine
def angle(y, x):
    """Angle of the point (x, y), in [-pi, pi] [rad]; 0 at the origin."""
    if x == 0.0 and y == 0.0:
        return 0.0
    if abs(y) <= abs(x):
        a = _arctangent(abs(y) / abs(x))
    else:
        a = 1.5707963267948966 - (_arctangent(abs(x) / abs(y)) - 6.123233995736766e-17)
    if x < 0.0:
        a = 3.141592653589793 - (a - 1.2246467991473532e-16)
    return -a if y < 0.0 else a


@inline
def unwrap_angle(principal, last):
    """The angle nearest to `last` that differs from `principal` by full turns [rad]."""
    return principal + 6.283185307179586 * math.floor((last - principal) / 6.283185307179586 + 0.5)
