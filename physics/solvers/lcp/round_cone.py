"""Round friction cones: rotates each contact's polygon until one of its corners opposes the slip.

    t <- (p - r u) / |p - r u|        where |p - r u| exceeds the bound mu p_n, that is where the contact slips or is to      (1)

The polygon is inscribed in the circle with its first corner at t. When (1) converges p = mu p_n t and u = -|u| t: full friction,
opposite to the slip, as on the round cone; a contact that sticks within its polygon needs no rotation. p - r u is the step of
projection methods with the block's own rate r, which converges at once where one contact's friction turns its own slip
(t <- -u / |u| alone would oscillate where friction nearly stops it).

Errors fall linearly from round to round, by the coupling of contacts. A secant over two rounds, of x = (t of all) and
F(x) by (1), takes off the part that falls slowest, as long as they fall:

    x <- F1 - c (F1 - F0),   c = f1 . (f1 - f0) / |f1 - f0|^2,   f = F - x                                                (2)

Blocks of two rows are discs, those of three (spherical joints) balls, whose pole is rotated.
"""

import math

from physics.contact.laws import loss_factor
from physics.core.jit import kernel, routine
from physics.core.records import Bound
from physics.core.row import error_of

_CONE, _DISC, _POLYGON = Bound.CONE, Bound.DISC, Bound.POLYGON

MAX_PROBLEMS = 40
"""Most problems of an island for (1)."""

SETTLED = 1e-13
"""(1) ends when no friction is off by more, as a fraction of the largest target velocity, or of 1 m/s."""

MAX_EXTRAPOLATION = 10.0
"""Largest -c of (2)."""

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


@routine
def hasten(rounds, towards):
    """(2). rounds (3, blocks, 3): x0 and F0 of the round before, zeros if there was none, and x1. towards (blocks, 3): F1, which
    becomes x."""
    old, new, along, size = 0.0, 0.0, 0.0, 0.0
    for k in range(towards.shape[0]):
        for a in range(3):
            f0, f1 = rounds[1, k, a] - rounds[0, k, a], towards[k, a] - rounds[2, k, a]
            old, new, along, size = old + f0 * f0, new + f1 * f1, along + f1 * (f1 - f0), size + (f1 - f0) * (f1 - f0)
    share = max(along / size, -MAX_EXTRAPOLATION) if new < old else 0.0
    for k in range(towards.shape[0]):
        length = 0.0
        for a in range(3):
            end, before = towards[k, a], rounds[1, k, a]
            rounds[0, k, a], rounds[1, k, a] = rounds[2, k, a], end
            towards[k, a] = end - share * (end - before)
            length += towards[k, a] * towards[k, a]
        length = math.sqrt(length)
        for a in range(3):
            towards[k, a] = towards[k, a] / length if length > 0.0 else 0.0
