"""Impact of one contact in a plane, in closed form: the reference of scenes and rows of `papers`, without code of the engine.

With W = (W_nn, W_nt, W_tt) and the velocity u = (u_n, u_t) before, u_n < 0, friction slips first along -sign(u_t):

    until p_s   du_t/dp = W_nt - s mu W_tt,   du_n/dp = W_nn - s mu W_nt,   s = sign(u_t)                       (1)
    then        it sticks, dp_t/dp = -W_nt / W_tt, if that is within the cone; else it slips with s = sign(W_nt)   (2)

u_n is piecewise linear in p, so p_c, where it is zero, and the end by each law are roots of linear or quadratic equations.
E. Routh 1905; Y. Wang and M. Mason, J. Appl. Mech. 59 (1992).
"""

import math
from typing import NamedTuple

NEWTON, POISSON, STRONGE, UNLIMITED = "Newton", "Poisson", "Stronge", "Newton, unlimited"


class PlanarImpact(NamedTuple):
    """impulse (p_n, p_t) [N s]; after: (u_n, u_t) [m/s]; lost: energy [J], < 0: gained."""

    impulse: tuple[float, float]
    after: tuple[float, float]
    lost: float


def planar_impact(w: tuple[float, float, float], u: tuple[float, float], mu: float, e: float, law: str) -> PlanarImpact:
    """The impact by a law, without a limit by energy."""
    nn, nt, tt = w
    s = math.copysign(1.0, u[1]) if u[1] else 0.0
    first = -mu * s
    turning = nt + first * tt
    stop = -u[1] / turning if s * turning < 0.0 else (0.0 if s == 0.0 else math.inf)
    then = -nt / tt if abs(nt) <= mu * tt else -math.copysign(mu, nt)
    rates = nn + first * nt, nn + then * nt

    def velocity(p: float) -> float:
        return u[0] + rates[0] * min(p, stop) + rates[1] * max(p - stop, 0.0)

    def reaches(level: float) -> float:
        early = (level - u[0]) / rates[0] if rates[0] > 0.0 else math.inf
        return early if early <= stop else stop + (level - velocity(stop)) / rates[1]

    def work(a: float, b: float) -> float:
        if a < stop < b:
            return work(a, stop) + work(stop, b)
        return 0.5 * (b - a) * (velocity(a) + velocity(b))

    p_c = reaches(0.0)
    if law in (NEWTON, UNLIMITED):
        p = reaches(-e * u[0])
    elif law == POISSON:
        p = (1.0 + e) * p_c
    else:
        wanted = -e * e * work(0.0, p_c)
        p = p_c + math.sqrt(2.0 * wanted / rates[0 if p_c < stop else 1])
        if p_c < stop < p:
            left, v = wanted - work(p_c, stop), velocity(stop)
            p = stop + (-v + math.sqrt(v * v + 2.0 * rates[1] * left)) / rates[1]
    p_t = first * min(p, stop) + then * max(p - stop, 0.0)
    after = u[0] + nn * p + nt * p_t, u[1] + nt * p + tt * p_t
    return PlanarImpact((p, p_t), after, -0.5 * (p * (u[0] + after[0]) + p_t * (u[1] + after[1])))


def limited(w: tuple[float, float, float], u: tuple[float, float], mu: float, e: float, law: str) -> PlanarImpact:
    """The impact by a law, with e reduced as far as energy asks, except by the unlimited one."""
    found = planar_impact(w, u, mu, e, law)
    if law == UNLIMITED or found.lost >= 0.0:
        return found
    low, high = 0.0, e
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if planar_impact(w, u, mu, middle, law).lost >= 0.0 else (low, middle)
    return planar_impact(w, u, mu, low, law)
