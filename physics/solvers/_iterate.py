"""Sweeps over joints together (direct.py), other blocks of joints one by one and contacts four by four, until they settle."""

import math

import numpy as np

from physics import direct, sticking
from physics.core import clock
from physics.core.jit import routine
from physics.solvers import _contacts
from physics.solvers._sweep import solve_block

CONVERGED, OUT_OF_BUDGET = 0, 2
"""How sweeps end that settled, and that the clock ended."""


@routine
def iterate(rows, blocks, inverses, factors, patches, velocity, settings, limit, budget, marks):
    """Sweep until converged (0), at the limit (1) or out of wall-clock budget [s] (2; budget 0: no limit).

    Returns (sweeps, end, largest ||dp|| / rate in the last sweep [m/s]).
    """
    sticking.begin(rows, blocks, factors)
    direct.factor(rows, blocks, factors)
    return sweep(rows, blocks, inverses, factors, patches, velocity, settings, limit, budget, marks)


@routine
def sweep(rows, blocks, inverses, factors, patches, velocity, settings, limit, budget, marks):
    """The sweeps of `iterate`, with factors as they are."""
    ticks = np.empty(2, np.int64)
    work = np.empty(12)
    begin = clock.now(ticks)
    change, before = 0.0, 0.0
    polygon, tolerance = settings.polygon, settings.tolerance
    _contacts.reset(marks)
    exact = patches.first.shape[0] == 0 and factors.blocks.shape[0] == blocks.shape[0]
    for count in range(1, limit + 1):
        largest, changed = solve_together(rows, blocks, factors, velocity, tolerance, marks)
        for k in range(blocks.shape[0]):
            if factors.together[k]:
                continue
            block = blocks[k]
            va, vb = velocity[block.a], velocity[block.b]
            size = solve_block(block, rows, inverses, va, vb, polygon, work, settings.radial, 0.0, 1.0)
            size /= block.rate * block.rate
            if size > tolerance * tolerance:
                _contacts.note_block(block, marks)
            largest = max(largest, size)
        worst, total = _contacts.sweep(patches, velocity, polygon, tolerance, marks)
        largest = max(largest, worst)
        change = math.sqrt(largest)
        if (change <= tolerance and not changed) or (exact and count == 2):
            return count, 0, change
        if budget > 0.0 and clock.now(ticks) - begin >= budget:
            return count, 2, change
        if count < sticking.CHOICES:
            changed |= sticking.stick_again(blocks, factors)
        if changed:
            direct.factor(rows, blocks, factors)
        if settings.acceleration and count < limit:
            _contacts.accelerate(patches, velocity, min(1.0, total / before) if 0.0 < total <= before else 0.0, marks)
            before = total
    return limit, 1, change


@routine
def solve_together(rows, blocks, factors, velocity, tolerance, marks):
    """All joints at once, if they are to be.

    Returns the square of the largest velocity error that was left [m/s], and whether friction that stuck has begun to slip.
    """
    if factors.blocks.shape[0] == 0:
        return 0.0, False
    largest = direct.solve(rows, blocks, factors, velocity)
    slips = sticking.let_go(rows, blocks, factors, velocity)
    if slips or largest > tolerance * tolerance:
        for k in range(factors.blocks.shape[0]):
            _contacts.note_block(blocks[factors.blocks[k]], marks)
    return largest, slips
