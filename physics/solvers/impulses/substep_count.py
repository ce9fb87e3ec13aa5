"""Length of substeps: short enough for the swing of loaded joints (stiffness.py), from one to the next, and for light bodies
under heavy ones: sweeps transmit a load of n times a body's own weight only slowly from the contact above it to the one below,
at a rate that grows with the square of the number of substeps. For the same reason they become short while sweeps gain
nothing (iterate.py)."""

import math

from physics.constraints import joint_system
from physics.core import vec
from physics.core.jit import routine
from physics.dynamics.stiffness import DAMPED_ABOVE, swing_frequency

MAX_SUBSTEP_LENGTH = 0.005
"""Longest substep if their number is automatic [s]."""

MAX_SUBSTEPS = 64
"""Most substeps in MAX_SUBSTEP_LENGTH or a shorter step, of a loaded mechanism, if their number is automatic; beyond it is damped
(stiffness.py)."""


LOAD_RATIO = 10.0
"""Multiple of its own weight that a body may bear at one contact in a substep of MAX_SUBSTEP_LENGTH."""

LIGHT_SHARE = 0.5
"""Fraction of another one's mass below which a body is light."""


@routine
def substeps_for_load(contacts, bodies, gravity, last_dt, alike):
    """Number of substeps into which to divide MAX_SUBSTEP_LENGTH for light bodies under heavy ones, from the last impulses; a new
    contact may get a corner's share of the heavy one's weight. alike: count pairs of like bodies, too, where these are not only
    heaped; in heaps the sweeps tell (`shorter`)."""
    worst, weight = 0.0, last_dt * vec.norm(gravity)
    for n in range(contacts.shape[0]):
        inverse_a, inverse_b = bodies[contacts[n].body_a].inv_mass, bodies[contacts[n].body_b].inv_mass
        light, heavy = max(inverse_a, inverse_b), min(inverse_a, inverse_b)
        counts = heavy > 0.0 and (alike or heavy < LIGHT_SHARE * light)
        if counts and (contacts[n].impulse > 0.0 or contacts[n].gap <= weight * last_dt):
            borne = contacts[n].impulse if contacts[n].impulse > 0.0 else 0.25 * weight / heavy
            worst = max(worst, borne * light)
    return math.sqrt(worst / (LOAD_RATIO * weight)) if weight > 0.0 else 0.0


STALLED_SUBSTEP = 0.25 * MAX_SUBSTEP_LENGTH
"""Longest substep after one whose sweeps have gained nothing, and in the next step [s]."""


@routine
def bounds(settings, burden):
    """Lengths of the longest and the shortest substep of a step [s]. Substeps of an automatic number are at most
    MAX_SUBSTEP_LENGTH long, less under a burden, and there are at most MAX_SUBSTEPS of them in that time or a shorter step."""
    if settings.substeps > 0:
        return settings.dt / settings.substeps, settings.dt / settings.substeps
    longest = settings.dt / number_of(settings.dt, MAX_SUBSTEP_LENGTH)
    shortest = min(longest, min(settings.dt, MAX_SUBSTEP_LENGTH) / MAX_SUBSTEPS)
    return halved(longest, MAX_SUBSTEP_LENGTH / burden if burden > 0.0 else math.inf, shortest), shortest


@routine
def halved(longest, limit, shortest):
    """The longest substep, halved until it is below the limit [s]. A number that followed the load would change from step to
    step, and the load with it."""
    while longest > limit * (1.0 + 1e-9):
        longest *= 0.5
    return max(longest, shortest)


@routine
def number_of(time, longest):
    """Number of equal substeps of so much time [s], none of them longer than `longest` [s] but for rounding."""
    return max(math.ceil(time / longest * (1.0 - 1e-9)), 1)


@routine
def has_force_jump(joints, system, velocity, bodies, h, time, squares):
    """True if a substep of h [s] does not resolve the swing by its own impulses, as where a slack chain pulls taut: it is then
    repeated, shorter, before anything has moved. time: of its kick [s]."""
    if system.layout.joints.shape[0] == 0:
        return False
    joint_system.store(joints, system, velocity)
    return h * swing_frequency(joints, system.layout.joints, bodies, time, squares) > DAMPED_ABOVE
