"""Stronge's law of impact (Rigid body collisions with friction, Proc. R. Soc. London A 431, 1990): the normal force returns in
the restitution e^2 of the energy that it took in the compression. The normal force of an impact then never gives energy."""

from physics.contact.impact_laws import ImpactLaw
from physics.core.jit import inline


@inline
def excess(state):
    """Energy returned above that of the law [J]."""
    return state.work - state.compression_work + state.e * state.e * state.compression_work


LAW = ImpactLaw("Stronge", "The normal force returns in the restitution e^2 of the energy that it took in the compression.",
                excess)
