"""Newton's law of impact, limited so that no energy is gained.

Impulses p change the velocities u0 of contacts and joints to u1 and do the work

    W = sum p.(u0 + u1) / 2                                                                        (1)

An impact only dissipates energy, W <= 0. Newton's law, u1 = -e u0 along normals, does not guarantee this: friction opposes the
slip u1, not u0, and where it reverses the slip, it does work that the normals do not compensate (T. Kane, A dynamics
puzzle, Stanford Mechanics Alumni Club Newsletter, 1984; W. Stronge, Impact Mechanics, 2000, section 3.5). With e = 0, W <= 0.

So an island with positive W gets a share s < 1 of its restitution, with target velocities

    closing + s (rebound - closing),   s the largest with W(s) <= 0                                (2)

from below, by false position (Illinois), or by halves where that is slow, in a few more solutions. All laws then hold, with a
lower e, which its contacts keep.

An island on joints may jam: the friction that stops it is within the cone, and no impulse brings it back
(contact/impact_path.py). Sweeps then raise the impulses without end; it gets s = 0, from zero impulses.

Velocities of surfaces and kinematic bodies are sources, not impacts: (1) measures velocities relative to them. Motors and springs
are excluded. u0 is that of half a drift before the poses (VelocityProblem.before): only then is W what energy changes by while
forces act, too. After an impact, which brings velocities to the poses, it would be off by p g h / 4.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.constraints.contact_batches import ARM_A, ARM_B, GAP, IMPULSE_N, REBOUND, REBOUNDS, TARGET_1, TARGET_2, TARGET_N
from physics.contact.targets import TOUCH_GAP
from physics.core import vec
from physics.core.jit import inline, routine
from physics.core.records import Bound, Role
from physics.core.row import velocity_of
from physics.dynamics.islands import find_root, union
from physics.solvers.impulses.iterate import AT_LIMIT, iterate, sweep_joints
from physics.solvers.impulses.single_impact import speed

MAX_TRIALS = 24
"""Most solutions for (2), besides the one with full restitution."""

MAX_SOLUTIONS, SHARED_SWEEPS = 100, 4_000
"""Most sweeps of each of them: so many, and so many over the number of contacts and rows. A body between another and the floor
that is r times as heavy takes some r sweeps."""

ENERGY_TOLERANCE = 1e-5
"""Fraction of the work of all impulses that may be lost when a search ends early."""

WORK_NOISE = 1e-9
"""Fraction of it that is numerical noise."""

UNSETTLED = 1e-2
"""Change in the last of all sweeps above which something may have jammed: others have long settled [m/s]."""

ANEW = 3.0
"""Mark of islands whose impulses are taken back: sweeps from none, without restitution, only dissipate, wherever they end."""

JAMMED = 0.5
"""A contact that is pressed and, once its joints hold, has less than this fraction of its rebound is jammed."""

_ONE_SIDED, _MOTOR, _CONSTRAINT = Bound.ONE_SIDED, Role.MOTOR, Role.CONSTRAINT


class StateBefore(NamedTuple):
    """Earlier work in the step, or empty. contacts (points, 4), joints (blocks,): work [J]; base (points, 3, 4),
    row_impulse (rows,): impulses that have done it; closing (points, 4): normal velocities then [m/s].

    approach (points, 4): largest normal velocity with which a contact entered the substep in which it struck; excess
    (points, 4): what its mean normal velocity lacks as gravity acts in the step [m/s].
    """

    contacts: np.ndarray
    approach: np.ndarray
    excess: np.ndarray
    closing: np.ndarray
    base: np.ndarray
    joints: np.ndarray
    row_impulse: np.ndarray


class ShareSearch(NamedTuple):
    """Search for s. island (bodies,): its lowest body, -1: does not move.

    By that body, float64 (bodies,): work: W of the current solution, less its noise; whole: sum of |p.(u1 - u0)|; share: s of the
    current solution; struck: 1 where an impact is; open: 1 while s is searched, 2 where it has been found, ANEW where it is 0,
    0 where energy allows full restitution; low, high: s of the bracket; work_low, work_high: their W, or the substitute of false
    position; width: of the bracket one solution before.
    target (points, 3, 4): with full restitution. before: earlier work that counts, too.
    """

    island: np.ndarray
    work: np.ndarray
    whole: np.ndarray
    share: np.ndarray
    struck: np.ndarray
    open: np.ndarray
    low: np.ndarray
    high: np.ndarray
    work_low: np.ndarray
    work_high: np.ndarray
    width: np.ndarray
    target: np.ndarray
    before: StateBefore


@routine
def nothing():
    """No earlier work."""
    return StateBefore(np.empty((0, 4)), np.empty((0, 4)), np.empty((0, 4)), np.empty((0, 4)), np.empty((0, 3, 4)), np.empty(0),
                       np.empty(0))


@routine
def room(patches, rows, blocks):
    """Allocate the record of earlier work."""
    n = patches.points.shape[0]
    return StateBefore(np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((n, 3, 4)),
                       np.zeros(blocks.shape[0]), np.zeros(rows.shape[0]))


@routine
def limit_energy(problem, h, before):
    """Reduce the restitution of impacts that have gained energy; returns the sweeps of that. before: earlier work in
    this step."""
    contacts, patches, start, velocity = problem.contacts, problem.patches, problem.before, problem.velocity
    rows, blocks, sweeps = problem.system.rows, problem.system.blocks, 0
    if not strikes(patches, rows, blocks):
        return 0
    search, most = begin(contacts, patches, rows, blocks, start, velocity, before), most_sweeps(problem, MAX_SOLUTIONS)
    for trial in range(MAX_TRIALS):
        if not aim(search, contacts, patches, rows, blocks, h, trial == MAX_TRIALS - 1):
            break
        done, _, _ = iterate(problem, most, 0.0)
        judge(search, contacts, patches, rows, blocks, start, velocity)
        narrow_bracket(search)
        sweeps += done
    if _still_gain(search):
        _set_targets(search, contacts, patches, rows, blocks, h)
        _forget(search, problem)
        done, _, _ = iterate(problem, most, 0.0)
        sweeps += done
    write_shares(search, contacts, patches)
    return sweeps


@routine
def most_sweeps(problem, at_least):
    """How many sweeps the solution of an impact may take."""
    return max(at_least, SHARED_SWEEPS // max(1, problem.contacts.shape[0] + problem.system.rows.shape[0]))


@routine
def _still_gain(search):
    """True if islands have gained energy, since their sweeps did not settle; they are to begin anew, without restitution."""
    found = False
    for i in range(search.open.shape[0]):
        if search.open[i] > 0.0 and search.work[i] > ENERGY_TOLERANCE * search.whole[i]:
            search.open[i], search.share[i], found = ANEW, 0.0, True
    return found


@routine
def stop_jams(problem, h, change):
    """Take the restitution from islands that have jammed in sweeps up to their limit; returns (sweeps of that, how they ended,
    last change [m/s]). change: in the last sweep before."""
    if change < UNSETTLED:
        return 0, AT_LIMIT, change
    contacts, patches, start, velocity = problem.contacts, problem.patches, problem.before, problem.velocity
    rows, blocks = problem.system.rows, problem.system.blocks
    search = begin(contacts, patches, rows, blocks, start, velocity, nothing())
    search.open[:] = 0.0
    sweep_joints(problem)
    _open_jammed(search, patches, velocity)
    if not aim(search, contacts, patches, rows, blocks, h, True):
        return 0, AT_LIMIT, change
    _forget(search, problem)
    write_shares(search, contacts, patches)
    return iterate(problem, MAX_SOLUTIONS, 0.0)


@routine
def _open_jammed(search, patches, velocity):
    """Find the islands that have jammed."""
    points = patches.points
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                if patches.contact[p, lane] < 0 or points[p, REBOUND, lane] != REBOUNDS or points[p, IMPULSE_N, lane] <= 0.0:
                    continue
                u = speed(patches, velocity, k, p, lane, 0)
                if u < JAMMED * points[p, TARGET_N, lane] and points[p, TARGET_N, lane] > 0.0:
                    search.open[_of(search, patches.moved_a[k, lane], patches.moved_b[k, lane])] = ANEW


@routine
def _forget(search, problem):
    """Take the impulses of islands back that begin anew, but not those that have done their work before."""
    patches, rows, blocks = problem.patches, problem.system.rows, problem.system.blocks
    base, given = search.before.base, search.before.row_impulse
    for i in range(search.island.shape[0]):
        if search.island[i] >= 0 and search.open[search.island[i]] == ANEW:
            for k in range(6):
                problem.velocity[i, k] = problem.start[i, k]
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                island = _of(search, patches.moved_a[k, lane], patches.moved_b[k, lane])
                if patches.contact[p, lane] >= 0 and island >= 0 and search.open[island] == ANEW:
                    for i in range(3):
                        patches.points[p, IMPULSE_N + i, lane] = base[p, i, lane] if base.shape[0] > 0 else 0.0
    for j in range(patches.extended.shape[0]):
        u = patches.extended[j]
        island = _of(search, u.moved_a, u.moved_b)
        if island >= 0 and search.open[island] == ANEW:
            u.impulse[:] = 0.0
    for k in range(blocks.shape[0]):
        island = _of_block(search, blocks[k])
        if island >= 0 and search.open[island] == ANEW:
            for i in range(blocks[k].first, blocks[k].first + blocks[k].count):
                rows[i].impulse = given[i] if given.shape[0] > 0 else 0.0


@routine
def strikes(patches, rows, blocks):
    """True if a contact or a joint's limit rebounds."""
    points, first, count = patches.points, patches.first, patches.count
    for k in range(first.shape[0]):
        for p in range(first[k], first[k] + count[k]):
            for lane in range(patches.contact.shape[1]):
                if points[p, REBOUND, lane] == REBOUNDS and points[p, IMPULSE_N, lane] > 0.0:
                    return True
    for k in range(blocks.shape[0]):
        if blocks[k].bound == _ONE_SIDED and blocks[k].limit > 0.0 and rows[blocks[k].first].impulse > 0.0:
            return True
    return False


@routine
def begin(contacts, patches, rows, blocks, start, velocity, before):
    """Begin a search from the solution with full restitution; start, velocity: before and after it (bodies, 6)."""
    n, m = velocity.shape[0], patches.points.shape[0]
    numbers = np.zeros((10, n))
    search = ShareSearch(np.full(n, -1, np.int64), numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
                         numbers[6], numbers[7], numbers[8], numbers[9], np.empty((m, 3, 4)), before)
    search.share[:], search.width[:] = 1.0, math.inf
    for p in range(m):
        for i in range(3):
            for lane in range(4):
                search.target[p, i, lane] = patches.points[p, TARGET_N + i, lane]
    _unite(search, patches, blocks)
    judge(search, contacts, patches, rows, blocks, start, velocity)
    for i in range(n):
        if search.struck[i] > 0.0 and search.work[i] > 0.0:
            search.open[i], search.high[i], search.work_high[i] = 1.0, 1.0, search.work[i]
    return search


@routine
def _unite(search, patches, blocks):
    """Find islands: bodies whose impulses depend on one another in one solution."""
    parent = search.island
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                if patches.contact[p, lane] >= 0 and patches.points[p, IMPULSE_N, lane] > 0.0:
                    _join(parent, patches.moved_a[k, lane], patches.moved_b[k, lane])
    for k in range(blocks.shape[0]):
        block = blocks[k]
        _join(parent, block.a if block.inv_mass_a > 0.0 else 0, block.b if block.inv_mass_b > 0.0 else 0)
    for i in range(parent.shape[0]):
        if parent[i] >= 0:
            parent[i] = find_root(parent, i)


@routine
def _join(parent, a, b):
    """Unite the sets of two bodies that move; 0: none."""
    if a > 0 and parent[a] < 0:
        parent[a] = a
    if b > 0 and parent[b] < 0:
        parent[b] = b
    if a > 0 and b > 0:
        union(parent, a, b)


@inline
def _of(search, a, b):
    """Island of two bodies, of which at least one moves; -1: none."""
    return search.island[a] if a > 0 and search.island[a] >= 0 else search.island[b] if b > 0 else -1


@routine
def _of_block(search, block):
    return _of(search, block.a if block.inv_mass_a > 0.0 else 0, block.b if block.inv_mass_b > 0.0 else 0)


@inline
def _moving_surface(motion, a, b, arm_a, arm_b):
    """Velocity of b relative to a at a point, in a motion (bodies, 6)."""
    v_a = vec.add(motion[a], vec.cross(motion[a, 3:], arm_a))
    return vec.sub(vec.add(motion[b], vec.cross(motion[b, 3:], arm_b)), v_a)


@routine
def _work(c, points, p, frame, lane, impulse, a, b, start, velocity):
    """(W of an impulse (along n, t1, t2) at a point, p.(u1 - u0)). frame (9, 4): of its batch."""
    n, t1, t2 = vec.of_lane(frame, 0, lane), vec.of_lane(frame, 3, lane), vec.of_lane(frame, 6, lane)
    whole = vec.madd(vec.madd(vec.scale(n, impulse[0]), t1, impulse[1]), t2, impulse[2])
    arm_a, arm_b = vec.of_lane(points[p], ARM_A, lane), vec.of_lane(points[p], ARM_B, lane)
    before = vec.dot(whole, _moving_surface(start, a, b, arm_a, arm_b))
    after = vec.dot(whole, _moving_surface(velocity, a, b, arm_a, arm_b))
    return 0.5 * (before + after) - impulse[1] * c.target[1] - impulse[2] * c.anisotropy * c.target[2], after - before


@routine
def enter(contacts, patches, rows, blocks, start, velocity, done):
    """Add the work of a substep's impulses to a StateBefore; start, velocity: before and after it (bodies, 6)."""
    points = patches.points
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i = patches.contact[p, lane]
                if i >= 0 and points[p, IMPULSE_N, lane] > 0.0:
                    work, _ = _work(contacts[i], points, p, patches.frame[k], lane, vec.of_lane(points[p], IMPULSE_N, lane),
                                    patches.a[k, lane], patches.b[k, lane], start, velocity)
                    done.contacts[p, lane] += work
                    done.approach[p, lane] = min(done.approach[p, lane], speed(patches, start, k, p, lane, 0))
    for k in range(blocks.shape[0]):
        for i in range(blocks[k].first, blocks[k].first + blocks[k].count):
            work, _ = _work_of_row(blocks[k], rows[i], rows[i].impulse, start, velocity)
            done.joints[k] += work


@routine
def _work_of_row(block, row, impulse, start, velocity):
    """(W, p (u1 - u0)) of a row; motors and springs are sources."""
    if block.role == _MOTOR or (block.role == _CONSTRAINT and row.softness > 0.0):
        return 0.0, 0.0
    before, after = velocity_of(row, start[block.a], start[block.b]), velocity_of(row, velocity[block.a], velocity[block.b])
    return 0.5 * impulse * (before + after), impulse * (after - before)


@routine
def judge(search, contacts, patches, rows, blocks, start, velocity):
    """Compute (1) of each island for the current solution."""
    points, work, whole = patches.points, search.work, search.whole
    work[:], whole[:] = 0.0, 0.0
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i, island = patches.contact[p, lane], _of(search, patches.moved_a[k, lane], patches.moved_b[k, lane])
                if i < 0 or island < 0:
                    continue
                impulse = vec.of_lane(points[p], IMPULSE_N, lane)
                if search.before.contacts.shape[0] > 0:
                    work[island] += search.before.contacts[p, lane] - impulse[0] * search.before.excess[p, lane]
                    impulse = vec.sub(impulse, vec.of_lane(search.before.base[p], 0, lane))
                more, change = _work(contacts[i], points, p, patches.frame[k], lane, impulse, patches.a[k, lane],
                                     patches.b[k, lane], start, velocity)
                work[island] += more
                whole[island] += abs(change)
                if points[p, REBOUND, lane] == REBOUNDS and points[p, IMPULSE_N, lane] > 0.0:
                    search.struck[island] = 1.0
    _judge_moments(search, patches, start, velocity)
    _judge_joints(search, rows, blocks, start, velocity)
    for i in range(work.shape[0]):
        work[i] -= WORK_NOISE * whole[i]


@routine
def _judge_moments(search, patches, start, velocity):
    """Add rolling and torsional friction."""
    for j in range(patches.extended.shape[0]):
        u = patches.extended[j]
        island = _of(search, u.moved_a, u.moved_b)
        if island >= 0:
            moment = (0.0, 0.0, 0.0)
            for i in range(3):
                moment = vec.madd(moment, u.frame[i], u.impulse[i])
            before = vec.dot(moment, vec.sub(start[u.b, 3:], start[u.a, 3:]))
            search.work[island] += 0.5 * (before + vec.dot(moment, vec.sub(velocity[u.b, 3:], velocity[u.a, 3:])))


@routine
def _judge_joints(search, rows, blocks, start, velocity):
    """Add constraints, limits and friction of the joints."""
    for k in range(blocks.shape[0]):
        block = blocks[k]
        island = _of_block(search, block)
        if island < 0:
            continue
        earlier = search.before.joints.shape[0] > 0
        search.work[island] += search.before.joints[k] if earlier else 0.0
        for i in range(block.first, block.first + block.count):
            impulse = rows[i].impulse - (search.before.row_impulse[i] if earlier else 0.0)
            work, change = _work_of_row(block, rows[i], impulse, start, velocity)
            search.work[island] += work
            search.whole[island] += abs(change)
        if block.bound == _ONE_SIDED and block.limit > 0.0 and rows[block.first].impulse > 0.0:
            search.struck[island] = 1.0


@routine
def aim(search, contacts, patches, rows, blocks, h, ends):
    """Set the targets of the next solution, (2): e = 0 first; where s has been found, or the search ends, the lower end of the
    bracket. False if the current solution has those already. h: substep [s]."""
    anew = False
    for i in range(search.open.shape[0]):
        if search.open[i] == 0.0:
            continue
        low, high, below, above = search.low[i], search.high[i], search.work_low[i], search.work_high[i]
        share = 0.0
        if search.open[i] != 1.0 or ends:
            share = low
        elif search.share[i] < 1.0:
            slow = high - low > 0.5 * search.width[i]
            share = 0.5 * (low + high) if slow else low + (high - low) * below / (below - above)
            search.width[i] = high - low
        anew = anew or share != search.share[i]
        search.share[i] = share
    if anew:
        _set_targets(search, contacts, patches, rows, blocks, h)
    return anew


@routine
def narrow_bracket(search):
    """Make the current solution, judged, an end of each open bracket; halve W of an end that stays a second time."""
    for i in range(search.open.shape[0]):
        if search.open[i] != 1.0:
            continue
        near = False
        if search.share[i] == 0.0:
            search.work_low[i], near = search.work[i], search.work[i] > -ENERGY_TOLERANCE * search.whole[i]
        elif search.work[i] > 0.0:
            again = search.share[i] < search.high[i] < 1.0
            search.high[i], search.work_high[i] = search.share[i], search.work[i]
            search.work_low[i] *= 0.5 if again else 1.0
        else:
            again = search.low[i] > 0.0
            search.low[i], search.work_low[i] = search.share[i], search.work[i]
            search.work_high[i] *= 0.5 if again else 1.0
            near = search.work[i] > -ENERGY_TOLERANCE * search.whole[i]
        if near or search.high[i] - search.low[i] < ENERGY_TOLERANCE:
            search.open[i] = 2.0


@routine
def _set_targets(search, contacts, patches, rows, blocks, h):
    """Set the targets (2) for the current shares."""
    points = patches.points
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                island = _of(search, patches.moved_a[k, lane], patches.moved_b[k, lane])
                if (patches.contact[p, lane] < 0 or island < 0 or search.open[island] == 0.0
                        or points[p, REBOUND, lane] != REBOUNDS):
                    continue
                c, s, gap = contacts[patches.contact[p, lane]], search.share[island], points[p, GAP, lane]
                closing = -gap / h if gap > TOUCH_GAP else 0.0
                if search.before.closing.shape[0] > 0:
                    closing = search.before.closing[p, lane]
                x, y = c.target[1], c.anisotropy * c.target[2]
                points[p, TARGET_N, lane] = closing + s * (search.target[p, 0, lane] - closing)
                points[p, TARGET_1, lane] = x + s * (search.target[p, 1, lane] - x)
                points[p, TARGET_2, lane] = y + s * (search.target[p, 2, lane] - y)
    for k in range(blocks.shape[0]):
        i, island = blocks[k].first, _of_block(search, blocks[k])
        if blocks[k].bound == _ONE_SIDED and island >= 0 and search.open[island] > 0.0 and blocks[k].limit > 0.0:
            closing = -max(rows[i].position_error, 0.0) / h
            rows[i].target = closing + search.share[island] * (blocks[k].limit - closing)


@routine
def write_shares(search, contacts, patches):
    """Write the reduced restitution to the contacts of limited impacts."""
    for k in range(patches.first.shape[0]):
        for p in range(patches.first[k], patches.first[k] + patches.count[k]):
            for lane in range(patches.contact.shape[1]):
                i, island = patches.contact[p, lane], _of(search, patches.moved_a[k, lane], patches.moved_b[k, lane])
                if i >= 0 and island >= 0 and search.open[island] > 0.0 and patches.points[p, REBOUND, lane] == REBOUNDS:
                    contacts[i].restitution *= search.share[island]
