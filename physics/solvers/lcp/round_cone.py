"""Round friction cones: rotates each contact's polygon until one of its corners opposes the slip.

    t <- (p - r u) / |p - r u|        where |p - r u| exceeds the bound mu p_n, that is where the contact slips or is to      (1)

The polygon is inscribed in the circle with its first corner at t. When (1) converges p = mu p_n t and u = -|u| t: full friction,
opposite to the slip, as on the round cone; a contact that sticks within its polygon needs no rotation. p - r u is the step of
projection methods with the block's own rate r, which converges at once where one contact's friction turns its own slip
(t <- -u / |u| alone would oscillate where friction nearly stops it).

Blocks of two rows are discs, those of three (spherical joints) balls, whose pole is rotated.
"""

import math

from physics.contact.laws import loss_factor
from physics.core.jit import kernel, routine
from physics.core.records import Bound
from physics.core.row import error_of

_CONE, _DISC, _POLYGON = int(Bound.CONE), int(Bound.DISC), int(Bound.POLYGON)

MAX_PROBLEMS = 40
"""Most problems of an island for (1)."""

SETTLED = 1e-13
"""(1) ends when no friction is off by more, as a fraction of the largest target velocity, or of 1 m/s."""

AT_REST = 1e-9
"""Below this speed a block's slip direction is unknown [m/s] or [rad/s]."""


@kernel
def guess(rows, blocks, velocity, towards):
    """towards (blocks, 3): first corners against the motion of velocity (n, 6), zeros where there is none."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        towards[k, :] = 0.0
        if block.count < 2 or (block.bound != _CONE and block.bound != _DISC):
            continue
        size = 0.0
        for i in range(block.count):
            towards[k, i] = -error_of(rows[block.first + i], velocity[block.a], velocity[block.b])
            size += towards[k, i] * towards[k, i]
        size = math.sqrt(size)
        for i in range(block.count):
            towards[k, i] = towards[k, i] / size if size > AT_REST else 0.0


@routine
def turn(blocks, forces, bounds, known, W, g, p, tolerance, basis, towards):
    """(1) for all frictions of an island, with velocities u = g + W p. p: impulses of the bounded rows; basis: where one was
    rotated, only the first corner is basic. Returns whether any was."""
    turned, u = False, g.copy()
    for i in range(g.shape[0]):
        for j in range(g.shape[0]):
            u[i] += W[i, j] * p[j]
    for b in range(bounds.shape[0]):
        k, first = bounds[b, 0], bounds[b, 2]
        block = blocks[k]
        if block.count < 2 or block.bound == _POLYGON:
            continue
        size, off = 0.0, 0.0
        for a in range(block.count):
            x = p[first + a] - block.gradient_step * u[first + a]
            size += x * x
        size = math.sqrt(size)
        if block.bound == _CONE:
            limit = block.mu * (known[block.normal] + p[forces[bounds[b, 1], 0]])
            share = limit / size if size > limit else 1.0
        else:
            share = loss_factor(block.limit, block.viscous, block.gradient_step, size)
        if share >= 1.0 or share <= 0.0:
            continue
        for a in range(block.count):
            miss = p[first + a] - share * (p[first + a] - block.gradient_step * u[first + a])
            off += miss * miss
        if math.sqrt(off) <= tolerance * block.gradient_step:
            continue
        turned = True
        for a in range(block.count):
            towards[k, a] = (p[first + a] - block.gradient_step * u[first + a]) / size
        j = bounds[b, 3]
        basis[j] = 1
        j += 1
        while j < forces.shape[0] and forces[j, 3] == b:
            basis[j] = 0
            j += 1
    return turned
