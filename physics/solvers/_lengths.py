"""How long substeps are: short enough for what loaded joints swing (stiffness.py), from one to the next."""

import math

from physics import linkage as linkages
from physics.core.jit import routine
from physics.stiffness import CALM, RESOLVED, SPARE, swing_rate

LONGEST = 0.005
"""Longest substep where their number is left open [s]."""

MOST = 64
"""Most substeps that a loaded mechanism gets where their number is left open; beyond them it is damped (stiffness.py)."""


@routine
def divisions(settings):
    """(units of time into which a step is cut, those of the longest substep). Substeps of an open number are of LONGEST at most,
    and may be halved until there are MOST of them."""
    if settings.substeps > 0:
        return settings.substeps, 1
    parts, units = max(math.ceil(settings.dt / LONGEST - 1e-9), 1), 1
    while 2 * parts * units <= MOST:
        units *= 2
    return parts * units, units


@routine
def next_units(longest, before, left, turn):
    """Units of the next substep: the most that resolve how far loaded joints would turn in one unit [rad].

    before, left: units of the last substep and of what is left of the step. Substeps shrink at once, and grow where a longer one
    begins, if it resolves with room to spare: the length of a step should not come and go.
    """
    take = min(before, longest)
    while take > 1 and take * turn > RESOLVED:
        take //= 2
    while 2 * take <= longest and left % (2 * take) == 0 and 2 * take * turn < SPARE * RESOLVED:
        take *= 2
    return min(take, left)


@routine
def jerks(joints, linkage, velocity, bodies, h, time, squares):
    """Whether a substep of h [s] does not resolve the swing that its own impulses make, as where a slack chain pulls taut: it is
    made again, shorter, before anything has moved. time: of its kick [s]."""
    if linkage.plan.joints.shape[0] == 0:
        return False
    linkages.store(joints, linkage, velocity)
    return h * swing_rate(joints, linkage.plan.joints, bodies, time, squares) > CALM
