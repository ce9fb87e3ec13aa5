"""Static or kinetic friction of compliant contacts, chosen anew in each substep for the points k of two shapes that touch.

    v  = sum |v_k| / n                  slip of the surfaces, without that of patches
    v* = mu_s sum f_k / sqrt(n K_t m)   1 / m = 1 / m_a + 1 / m_b,  f_k = -S(z_k)                                          (1)
    mu = mu_k if v > v*, else mu_s                                                                                          (2)

At v* bodies have the energy (mu_s sum f)^2 / (2 n K_t) that tangential springs hold at most: faster ones slide whatever the
springs do. Where a load L < mu_s sum f begins to act at once, bodies reach L / sqrt(n K_t m) < v* while they swing on their
springs, though patches slip then: they stick, at any length of a step. By patches, they slid or stuck by chance of the moment at
which steps ended. A larger load breaks loose after v*^2 / (2 a) on the way, a its acceleration at mu_s. What is driven more
slowly than v* rubs with mu_s. v* vanishes as K_t grows.

A contact's friction over a step is that of its bounds, sum mu p_n / sum p_n.
"""

import math

import numpy as np

from physics.constraints.contact_batches import ARM_A, ARM_B, BELT_1, BELT_2, IMPULSE_N, MU, TOTAL_N
from physics.contact.mixing import frictions
from physics.core import lanes, vec
from physics.core.jit import inline, routine
from physics.solvers.compliant.patches import Z_POSE, at
from physics.solvers.compliant.springs import spring


@routine
def begin(contacts, surfaces):
    """(contacts, 3): mu_s, mu_k, sum mu p_n of each; empty if mu_k is mu_s everywhere. surfaces: SHAPE, MATERIAL, PAIR."""
    shapes, materials, pairs = surfaces
    both = frictions(contacts, shapes, materials, pairs)
    laws = np.zeros((both.shape[0], 3))
    for i in range(both.shape[0]):
        laws[i, 0], laws[i, 1] = both[i, 0], both[i, 1]
    return laws


@routine
def choose(patches, states, laws, start, springs):
    """Write the friction of all points by (2), after their states of the pose. start: velocities before the kick (bodies, 6)."""
    for k in range(patches.first.shape[0] if laws.shape[0] > 0 else 0):
        for lane in range(lanes.WIDTH):
            slides = _slides(patches, states, laws, k, lane, start, springs)
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                i = patches.contact[p, lane]
                if i >= 0:
                    patches.points[p, MU, lane] = laws[i, 1] if slides else laws[i, 0]


@inline
def _slides(patches, states, laws, k, lane, start, springs):
    """Whether v > v* of (1)."""
    a, b, frame = patches.a[k, lane], patches.b[k, lane], patches.frame[k]
    t1, t2, count, slip, bound = vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane), 0, 0.0, 0.0
    for p in range(patches.first[k], patches.first[k] + patches.count[k]):
        i = patches.contact[p, lane]
        if i >= 0 and states[p, Z_POSE, lane] < 0.0:
            point = patches.points[p]
            dv = vec.sub(at(start[b], vec.of_lane(point, ARM_B, lane)), at(start[a], vec.of_lane(point, ARM_A, lane)))
            v_1, v_2 = vec.dot(t1, dv) - point[BELT_1, lane], vec.dot(t2, dv) - point[BELT_2, lane]
            count, slip = count + 1, slip + math.sqrt(v_1 * v_1 + v_2 * v_2)
            bound -= laws[i, 0] * spring(states[p, Z_POSE, lane], springs)[0]
    light = patches.mass[a, 0] + patches.mass[b, 0]
    return count > 0 and slip > count * bound * math.sqrt(light / (count * springs.K_t))


@routine
def finish(contacts, patches, laws, last, frozen):
    """Add up the bounds of a substep; in the last one write the contacts' friction. frozen: impulses are those of it alone."""
    for k in range(patches.first.shape[0] if laws.shape[0] > 0 else 0):
        for lane in range(lanes.WIDTH):
            for p in range(patches.first[k], patches.first[k] + patches.count[k]):
                i = patches.contact[p, lane]
                if i < 0:
                    continue
                mu, total = patches.points[p, MU, lane], patches.points[p, TOTAL_N, lane]
                laws[i, 2] += mu * patches.points[p, IMPULSE_N, lane]
                if last:
                    contacts[i].friction = mu if frozen or total <= 0.0 else laws[i, 2] / total
