"""Rolling on corners, as a polygon or a wheel of spokes does: from one corner to the next without slipping, e = 0.

Corners at the distance R from the centre, 2 a apart, J the moment about the centre, on a slope gamma; s = 2 R sin a the distance
of two corners. The corner that lands stops; the angular momentum about it is kept, the last corner is free at once:

    omega+ / omega- = r = (J + m R^2 cos 2a) / (J + m R^2)                                           (1)
    K+ = r^2 K-,   K-' = K+ + m g s sin gamma       kinetic energy after, before, before the next    (2)
    steady:   K- = m g s sin gamma / (1 - r^2)                                                       (3)
    it passes over a corner where K+ > m g R (1 - cos(a - gamma)), and does not fly before the next impact where
    omega-^2 R < g cos(a + gamma)                                                                    (4)

T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9 (1990), section 2.
"""

import math
from dataclasses import dataclass

G = 9.81


@dataclass(frozen=True)
class CornerWheel:
    """Per unit of mass. radius: R [m]; half_angle: a [rad]; gyration: J / m [m^2]; slope: gamma [rad]."""

    radius: float
    half_angle: float
    gyration: float
    slope: float

    @property
    def ratio(self) -> float:
        """r of (1)."""
        return (self.gyration + self.radius**2 * math.cos(2.0 * self.half_angle)) / self.about_corner

    @property
    def about_corner(self) -> float:
        """Moment about a corner, per mass [m^2]."""
        return self.gyration + self.radius**2

    @property
    def pitch(self) -> float:
        """s [m]."""
        return 2.0 * self.radius * math.sin(self.half_angle)

    @property
    def gain(self) -> float:
        """Energy from one impact to the next, per mass [J/kg]."""
        return G * self.pitch * math.sin(self.slope)

    @property
    def steady_rate(self) -> float:
        """omega- of (3) [rad/s]."""
        return math.sqrt(2.0 * self.gain / (1.0 - self.ratio**2) / self.about_corner)

    @property
    def rolls_on(self) -> bool:
        """Whether the steady motion exists, (4)."""
        after = self.ratio**2 * self.gain / (1.0 - self.ratio**2)
        over = after > G * self.radius * (1.0 - math.cos(self.half_angle - self.slope)) or self.slope >= self.half_angle
        return over and self.steady_rate**2 * self.radius < G * math.cos(self.half_angle + self.slope)

    def rate(self, energy: float) -> float:
        """Angular velocity of a kinetic energy per mass [rad/s]."""
        return math.sqrt(2.0 * energy / self.about_corner)

    def lost(self, start: float, impacts: int, kept: float) -> float:
        """Energy lost in so many impacts by (2), per mass, if each keeps that share; start: kinetic energy on the first
        corner [J/kg]."""
        before, total = start, 0.0
        for _ in range(impacts):
            before += self.gain
            total += (1.0 - kept) * before
            before *= kept
        return total

    def kept(self, start: float, impacts: int, lost: float) -> float:
        """Inverse of `lost`: the share that each impact has kept, r^2 by (1)."""
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.lost(start, impacts, middle) < lost else (middle, high)
        return 0.5 * (low + high)

    def step_time(self, steps: int = 2000) -> float:
        """Time from one impact to the next in the steady motion [s]: an inverted pendulum from -a + gamma to a + gamma."""
        first, width = self.slope - self.half_angle, 2.0 * self.half_angle / steps
        after = self.ratio**2 * self.gain / (1.0 - self.ratio**2)
        total = 0.0
        for i in range(steps):
            angle = first + (i + 0.5) * width
            total += width / self.rate(after + G * self.radius * (math.cos(first) - math.cos(angle)))
        return total
