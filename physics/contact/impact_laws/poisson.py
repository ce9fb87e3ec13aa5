"""Poisson's law of impact (Traite de mecanique, 1833): the normal impulse of the restitution is e times that of compression."""

from physics.contact.impact_laws import ImpactLaw
from physics.core.jit import inline


@inline
def excess(state):
    """Normal impulse above that of the law [N s]."""
    return state.impulse - (1.0 + state.e) * state.compression_impulse


LAW = ImpactLaw("Poisson", "The normal impulse of the restitution is e times that of the compression.", excess)
