"""Breaking loose within a substep: bodies that no static friction holds slide with kinetic friction from it on.

A solution with mu_s shows which pairs of bodies slide, by the criterion used between steps ((3) of contact/mixing.py): slips u
and impulses p of all contacts of a pair, friction dissipates the maximum,

    sum -p_t.u > (1 - NEARLY) sum mu_s p_n sigma(u)                                              (1)

Their slipping contacts get mu_k, and the sweeps continue until no further pair slides. Otherwise bodies would slip one step late:
a load that grows by F' per second would be held up to F' h too long, and a belt would carry its block along by V h too far.

Near the limit of friction sweeps converge slowly, and what they have not stopped yet seems to slip. So a slip that is not far
above the change by the last sweep is swept further before it counts.
"""

import math

import numpy as np

from physics.constraints.contact_batches import ARM_A, ARM_B, IMPULSE_1, IMPULSE_2, IMPULSE_N, MU, TARGET_1, TARGET_2
from physics.contact.friction_cone import support
from physics.contact.mixing import MIN_SLIP, NEARLY, find_pair
from physics.core import vec
from physics.core.jit import inline, routine
from physics.solvers.impulses.iterate import CONVERGED, sweep
from physics.solvers.impulses.reduced_problem import SMALL

MAX_ROUNDS = 4
"""Most times that further pairs let go in a substep."""

MAX_REFINEMENTS, REFINEMENT_SWEEPS = 4, 50
"""Most further runs of sweeps for a slip that may be none, and most sweeps of each."""

UNCERTAIN, NO_SLIP = 1000.0, 100.0
"""A slip of fewer times the change by the last sweep (at least the tolerance) may be none, or is none; above MIN_SLIP it is one
in the end."""


@routine
def break_loose(problem, shares, limit, change):
    """Let go of what slides, after the sweeps of a substep. shares (contacts,): `mixing.kinetic_shares`, 1 where a contact has
    let go; limit: most sweeps of each round; change: by the last sweep [m/s]. Returns (sweeps, end of the last round), as
    `iterate.sweep`."""
    count, end = 0, CONVERGED
    for _ in range(MAX_REFINEMENTS if problem.contacts.shape[0] <= SMALL else 0):
        slip = _fastest_slip(problem, shares, _least_slip(problem, change), False)
        if not 0.0 < slip < UNCERTAIN * change:
            break
        more, end, change = sweep(problem, REFINEMENT_SWEEPS, 0.0)
        count += more
    for _ in range(MAX_ROUNDS):
        if _fastest_slip(problem, shares, _least_slip(problem, change), True) == 0.0:
            break
        more, end, change = sweep(problem, limit, 0.0)
        count += more
    return count, end


@inline
def _least_slip(problem, change):
    """Slip above which a contact may slide [m/s]; change: by the last sweep [m/s]."""
    return min(MIN_SLIP, NO_SLIP * max(change, problem.settings.tolerance))


@routine
def _fastest_slip(problem, shares, least, lets_go):
    """Largest slip [m/s] of the contacts that slip faster than `least` [m/s] in pairs that slide; 0: none. lets_go: they get
    mu_k."""
    patches, contacts, points = problem.patches, problem.contacts, problem.patches.points
    head, partners = np.full(problem.velocity.shape[0], -1, np.int64), np.empty((contacts.shape[0], 2), np.int64)
    sums, fastest = _sum_up(problem, head, partners), 0.0
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i = patches.contact[p, lane]
                if i < 0 or shares[i] >= 1.0 or points[p, IMPULSE_N, lane] <= 0.0:
                    continue
                pair = sums[find_pair(contacts[i].body_a, contacts[i].body_b, head, partners)]
                u, w = _slip(patches, k, p, lane, problem.velocity)
                if pair[0] > (1.0 - NEARLY) * pair[1] and u * u + w * w > least * least:
                    fastest = max(fastest, math.sqrt(u * u + w * w))
                    if lets_go:
                        points[p, MU, lane] *= shares[i]
                        contacts[i].friction *= shares[i]
                        shares[i] = 1.0
    return fastest


@routine
def _sum_up(problem, head, partners):
    """The sums of (1) of each pair of bodies: dissipation, its maximum. Writes head (bodies,) and partners (contacts, 2) for
    `find_pair`."""
    patches, contacts, points = problem.patches, problem.contacts, problem.patches.points
    sums, count = np.zeros((contacts.shape[0], 2)), 0
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i = patches.contact[p, lane]
                if i < 0 or points[p, IMPULSE_N, lane] <= 0.0:
                    continue
                a, b = contacts[i].body_a, contacts[i].body_b
                pair = find_pair(a, b, head, partners)
                if pair < 0:
                    pair, count = count, count + 1
                    partners[pair, 0], partners[pair, 1], head[max(a, b)] = min(a, b), head[max(a, b)], pair
                u, w = _slip(patches, k, p, lane, problem.velocity)
                sums[pair, 0] -= points[p, IMPULSE_1, lane] * u + points[p, IMPULSE_2, lane] * w
                sums[pair, 1] += points[p, MU, lane] * points[p, IMPULSE_N, lane] * support(problem.settings.polygon, u, w)
    return sums


@inline
def _slip(patches, k, p, lane, velocity):
    """Slip of a point along t1 and t2 [m/s]."""
    a, b, frame, point = patches.a[k, lane], patches.b[k, lane], patches.frame[k], patches.points[p]
    r_a = vec.of_lane(point, ARM_A, lane)
    r_b = vec.of_lane(point, ARM_B, lane)
    dv = vec.sub(vec.add(velocity[b], vec.cross(velocity[b, 3:], r_b)), vec.add(velocity[a], vec.cross(velocity[a, 3:], r_a)))
    u = frame[3, lane] * dv[0] + frame[4, lane] * dv[1] + frame[5, lane] * dv[2]
    w = frame[6, lane] * dv[0] + frame[7, lane] * dv[1] + frame[8, lane] * dv[2]
    return u - point[TARGET_1, lane], w - point[TARGET_2, lane]
