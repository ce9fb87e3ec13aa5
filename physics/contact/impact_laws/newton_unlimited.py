"""Newton's law of impact as it stands: u_n after the impact is -e u_n before, though energy may be gained (Kane 1984)."""

from physics.contact.impact_laws import ImpactLaw
from physics.contact.impact_laws.newton import excess

LAW = ImpactLaw("Newton, unlimited", "The rebound speed is e times the approach speed, even where friction then gains energy.",
                excess, by_velocity=True, limited=False)
