"""Newton's law of impact (1687): u_n after the impact is -e u_n before, with e reduced where energy would be gained."""

from physics.contact.impact_laws import ImpactLaw
from physics.core.jit import inline


@inline
def excess(state):
    """Normal velocity above that of the law [m/s]."""
    return state.velocity + state.e * state.approach


LAW = ImpactLaw("Newton", "The rebound speed is e times the approach speed; e is reduced where energy would be gained.", excess,
                by_velocity=True)
