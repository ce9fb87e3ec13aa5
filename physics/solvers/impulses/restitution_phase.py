"""Simultaneous impacts by a law that gives the impulse of the restitution (Poisson, Stronge): two solutions, one after the other.

    compression      n.dv >= 0,  0 <= p_c,  friction within mu p_c                                             (1)
    restitution      p = s e p_c + p',   0 <= p' _|_ n.dv >= 0,  friction within mu p, with its own targets     (2)

(M. Anitescu and F. Potra, Nonlinear Dynamics 14, 1997; C. Glocker and F. Pfeiffer, Nonlinear Dynamics 7, 1995). By Poisson's
law s = 1. For other laws s is the share, one for each island, at which the sum of `excess` over its contacts is zero; and s is
smaller where the impulses would do positive work. Where no s brings anything back, friction holds an island on joints against
all of it, which jams: then s = 0. Joint limits rebound by Newton's law.
"""

from typing import NamedTuple

import numpy as np

from physics.constraints.contact_batches import (
    IMPULSE_1,
    IMPULSE_2,
    IMPULSE_N,
    INVERSE_N,
    REBOUND,
    REBOUNDS,
    TARGET_1,
    TARGET_2,
    TARGET_N,
)
from physics.contact.impact_laws import ImpactState
from physics.contact.impact_path import excess
from physics.contact.targets import LATER_IMPACT
from physics.core import vec
from physics.core.dense import assign
from physics.core.jit import routine
from physics.core.records import Bound
from physics.solvers.impulses.iterate import iterate
from physics.solvers.impulses.single_impact import kick, speed

MAX_PHASE_SWEEPS = 1000
"""Most sweeps of one solution."""

MAX_PHASE_ROUNDS = 8
"""Most solutions of (2) until no contact changes between p' = 0 and n.dv = 0."""

MAX_TRIALS = 24
"""Most trials of s."""

MAX_SHARE = 16.0
"""Largest s."""

HELD_BACK = 0.5
"""Share of the restitution that an island must still lack at the largest s to have jammed."""

LAW_TOLERANCE = 1e-10
"""Relative error allowed in the law, and share of the work of all impulses that counts as noise."""

CLOSING = 1e-10
"""Approach in the restitution that is rounding [m/s]."""

_ONE_SIDED = Bound.ONE_SIDED


class Compression(NamedTuple):
    """What the compression leaves. impulse (points, 3, 4), moment (extended, 3), row_impulse (rows,): its impulses; velocity
    (bodies, 6); before, after, work (points, 4): normal velocities and work of the normal impulse; targets (points, 3, 4), spin
    (extended,), row_target (rows,): of the restitution; taken (points, 4): 1 for contacts that are not alone."""

    impulse: np.ndarray
    moment: np.ndarray
    row_impulse: np.ndarray
    velocity: np.ndarray
    before: np.ndarray
    after: np.ndarray
    work: np.ndarray
    targets: np.ndarray
    spin: np.ndarray
    row_target: np.ndarray
    taken: np.ndarray


@routine
def solve(problem, pressed, island, kind):
    """Solve (1) and (2) for the contacts that are not alone; `problem` then holds the restitution, pressed the compression.

    Returns sweeps, how the last ones ended, and their last change [m/s].
    """
    _aim_compression(problem, pressed)
    sweeps, end, change = iterate(problem, MAX_PHASE_SWEEPS, 0.0)
    _store_compression(problem, pressed)
    share, low, high = np.ones(island.shape[0]), np.zeros(island.shape[0]), np.full(island.shape[0], np.inf)
    below, above = np.full(island.shape[0], -1.0), np.zeros(island.shape[0])
    for _ in range(MAX_TRIALS):
        done, end, change = _release(problem, pressed, island, share)
        sweeps += done
        if not _next_shares(problem, pressed, island, kind, share, low, high, below, above):
            break
    return sweeps, end, change


@routine
def room(problem, alone):
    """Allocate, with the targets of the restitution and what is not alone."""
    patches, n = problem.patches, problem.patches.points.shape[0]
    pressed = Compression(np.zeros((n, 3, 4)), np.zeros((patches.extended.shape[0], 3)), np.zeros(problem.system.rows.shape[0]),
                          np.empty(problem.velocity.shape), np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 4)),
                          np.zeros((n, 3, 4)), np.zeros(patches.extended.shape[0]), np.zeros(problem.system.rows.shape[0]),
                          np.zeros((n, 4), np.uint8))
    for p in range(n):
        for lane in range(4):
            i = patches.contact[p, lane]
            waits = patches.points[p, TARGET_N, lane] == LATER_IMPACT
            if i >= 0 and not waits and not (alone[i] and patches.points[p, REBOUND, lane] == REBOUNDS):
                pressed.taken[p, lane] = 1
            for j in range(3):
                pressed.targets[p, j, lane] = patches.points[p, TARGET_N + j, lane]
    return pressed


@routine
def _aim_compression(problem, pressed):
    """Targets of (1)."""
    patches, rows, blocks = problem.patches, problem.system.rows, problem.system.blocks
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(4):
                if pressed.taken[p, lane]:
                    c = problem.contacts[patches.contact[p, lane]]
                    patches.points[p, TARGET_N, lane] = min(patches.points[p, TARGET_N, lane], 0.0)
                    patches.points[p, TARGET_1, lane] = c.target[1]
                    patches.points[p, TARGET_2, lane] = c.anisotropy * c.target[2]
                    pressed.before[p, lane] = speed(problem.patches, problem.before, k, p, lane, 0)
    for j in range(patches.extended.shape[0]):
        pressed.spin[j], patches.extended[j].target[0] = patches.extended[j].target[0], 0.0
    for k in range(blocks.shape[0]):
        if blocks[k].bound == _ONE_SIDED:
            row = rows[blocks[k].first]
            pressed.row_target[blocks[k].first], row.target = row.target, min(row.target, 0.0)


@routine
def _store_compression(problem, pressed):
    """Store the impulses of the compression, and set the targets of the restitution."""
    patches, rows, blocks = problem.patches, problem.system.rows, problem.system.blocks
    assign(pressed.velocity, problem.velocity)
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(4):
                if pressed.taken[p, lane]:
                    for j in range(3):
                        pressed.impulse[p, j, lane] = patches.points[p, IMPULSE_N + j, lane]
                    patches.points[p, TARGET_1, lane] = pressed.targets[p, 1, lane]
                    patches.points[p, TARGET_2, lane] = pressed.targets[p, 2, lane]
                    pressed.after[p, lane] = speed(problem.patches, problem.velocity, k, p, lane, 0)
                    pressed.work[p, lane] = 0.5 * pressed.impulse[p, 0, lane] * (pressed.before[p, lane] + pressed.after[p, lane])
    for j in range(patches.extended.shape[0]):
        vec.assign(pressed.moment[j], patches.extended[j].impulse)
        patches.extended[j].target[0] = pressed.spin[j]
    for i in range(rows.shape[0]):
        pressed.row_impulse[i] = rows[i].impulse
    for k in range(blocks.shape[0]):
        if blocks[k].bound == _ONE_SIDED:
            rows[blocks[k].first].target = pressed.row_target[blocks[k].first]


@routine
def _release(problem, pressed, island, share):
    """Solve (2) with a share s of each island; returns sweeps, how they ended, the last change [m/s]."""
    patches, points = problem.patches, problem.patches.points
    assign(problem.velocity, pressed.velocity)
    for i in range(problem.system.rows.shape[0]):
        problem.system.rows[i].impulse = 0.0
    for j in range(patches.extended.shape[0]):
        patches.extended[j].impulse[:] = 0.0
    inverse = points[:, INVERSE_N, :].copy()
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(4):
                if pressed.taken[p, lane]:
                    known = _known(problem, pressed, island, share, p, lane)
                    points[p, IMPULSE_N, lane], points[p, IMPULSE_1, lane], points[p, IMPULSE_2, lane] = known, 0.0, 0.0
                    points[p, TARGET_N, lane], points[p, INVERSE_N, lane] = 0.0, 0.0
                    kick(problem, k, p, lane, (known, 0.0, 0.0))
    total, end, change = 0, 0, 0.0
    for _ in range(MAX_PHASE_ROUNDS):
        sweeps, end, change = iterate(problem, MAX_PHASE_SWEEPS, 0.0)
        total += sweeps
        if not _exchange(problem, pressed, island, share, inverse):
            break
    assign(points[:, INVERSE_N, :], inverse)
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(4):
                if pressed.taken[p, lane]:
                    points[p, TARGET_N, lane] = max(0.0, speed(problem.patches, problem.velocity, k, p, lane, 0))
    return total, end, change


@routine
def _known(problem, pressed, island, share, p, lane):
    """s e p_c of a contact [N s]."""
    c = problem.contacts[problem.patches.contact[p, lane]]
    return share[max(island[c.body_a], island[c.body_b])] * c.restitution * pressed.impulse[p, 0, lane]


@routine
def _exchange(problem, pressed, island, share, inverse):
    """Let contacts that close push, and hold those at s e p_c that would push less; True if there are any."""
    patches, points, changed = problem.patches, problem.patches.points, False
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(4):
                if not pressed.taken[p, lane]:
                    continue
                known = _known(problem, pressed, island, share, p, lane)
                if points[p, INVERSE_N, lane] == 0.0:
                    if speed(problem.patches, problem.velocity, k, p, lane, 0) < -CLOSING:
                        points[p, INVERSE_N, lane], changed = inverse[p, lane], True
                elif points[p, IMPULSE_N, lane] < known * (1.0 - LAW_TOLERANCE):
                    kick(problem, k, p, lane, (known - points[p, IMPULSE_N, lane], 0.0, 0.0))
                    points[p, IMPULSE_N, lane], points[p, INVERSE_N, lane], changed = known, 0.0, True
    return changed


@routine
def _next_shares(problem, pressed, island, kind, share, low, high, below, above):
    """Judge the shares and choose the next ones, by false position (Illinois); False if all are found."""
    value = _judge(problem, pressed, island, kind, share)
    searching = False
    for i in range(share.shape[0]):
        if share[i] >= MAX_SHARE and value[i] < -HELD_BACK:
            share[i], low[i], searching = 0.0, 0.0, True
            continue
        if abs(value[i]) <= LAW_TOLERANCE or low[i] == share[i] or (share[i] >= MAX_SHARE and value[i] < 0.0):
            low[i] = share[i]
            continue
        if value[i] > 0.0:
            below[i] *= 0.5 if share[i] < high[i] < np.inf else 1.0
            high[i], above[i] = share[i], value[i]
        else:
            above[i] *= 0.5 if low[i] > 0.0 else 1.0
            low[i], below[i] = share[i], value[i]
        searching = True
        if high[i] == np.inf:
            share[i] *= 2.0
        else:
            share[i] = low[i] + (high[i] - low[i]) * below[i] / (below[i] - above[i])
    return searching


@routine
def _judge(problem, pressed, island, kind, share):
    """For each island: the sum of `excess` over its size at s = 0, or the work of all impulses, if positive, over its terms."""
    n = island.shape[0]
    law, size, work, whole = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    patches, points = problem.patches, problem.patches.points
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(4):
                if not pressed.taken[p, lane]:
                    continue
                c = problem.contacts[patches.contact[p, lane]]
                i = max(island[c.body_a], island[c.body_b])
                p_c, w_c, u_0 = pressed.impulse[p, 0, lane], pressed.work[p, lane], pressed.before[p, lane]
                u, given = speed(problem.patches, problem.velocity, k, p, lane, 0), points[p, IMPULSE_N, lane]
                known = _known(problem, pressed, island, share, p, lane)
                done = w_c + 0.5 * given * (pressed.after[p, lane] + u)
                law[i] += excess(ImpactState(kind, c.restitution, u_0, p_c, w_c, p_c + known, u, done))
                size[i] += abs(excess(ImpactState(kind, c.restitution, u_0, p_c, w_c, p_c, 0.0, w_c)))
                work[i] += 0.5 * (p_c + given) * (u_0 + u)
                whole[i] += (p_c + given) * (abs(u_0) + abs(u))
                for j in range(1, 3):
                    q = pressed.impulse[p, j, lane] + points[p, IMPULSE_N + j, lane]
                    belt = c.target[1] if j == 1 else c.anisotropy * c.target[2]
                    work[i] += q * (0.5 * (speed(problem.patches, problem.start, k, p, lane, j)
                                           + speed(problem.patches, problem.velocity, k, p, lane, j)) - belt)
    for j in range(patches.extended.shape[0]):
        u = patches.extended[j]
        i = max(island[u.a], island[u.b])
        for m in range(3):
            before, after = vec.sub(problem.start[u.b, 3:], problem.start[u.a, 3:]), vec.sub(problem.velocity[u.b, 3:],
                                                                                             problem.velocity[u.a, 3:])
            work[i] += 0.5 * (pressed.moment[j, m] + u.impulse[m]) * vec.dot(u.frame[m], vec.add(before, after))
    for i in range(n):
        law[i] = law[i] / size[i] if size[i] > 0.0 else 0.0
        if work[i] > LAW_TOLERANCE * whole[i]:
            law[i] = max(law[i], work[i] / whole[i])
    return law


@routine
def join(problem, pressed, sign):
    """Add sign times the impulses of the compression to those of the restitution."""
    patches, rows = problem.patches, problem.system.rows
    for p in range(patches.points.shape[0]):
        for j in range(3):
            for lane in range(4):
                patches.points[p, IMPULSE_N + j, lane] += sign * pressed.impulse[p, j, lane]
    for j in range(patches.extended.shape[0]):
        vec.add_scaled(patches.extended[j].impulse, pressed.moment[j], sign)
    for i in range(rows.shape[0]):
        rows[i].impulse += sign * pressed.row_impulse[i]
