"""Direct solver of all joints at once: block-sparse factorisation of their coupled equations, with sticking friction, motors
and limits.

The equality blocks k of the table (one per joint) with velocity errors w = J V + softness p - target need impulses dp with

    A dp = -w,   A_kl = J_k M^-1 J_l^T (+ softness where k = l)                                       (1)

A_kl is zero unless the joints k and l share a moving body, so A has the graph of the mechanism, and for a chain or a tree
A = L L^T (Cholesky, by blocks) has no more blocks than A itself (Baraff, Linear-time dynamics using Lagrange multipliers, 1996);
loops add a few. With the blocks in an order of elimination:

    D_k = A_kk - sum_j<k L_kj L_kj^T = R_k R_k^T                                                      (2)
    L_lk = (A_lk - sum_j<k L_lj L_kj^T) R_k^-T                                                         (3)
    y_k = R_k^-1 (-w_k - sum_j<k L_kj y_j),   dp_k = R_k^-T (y_k - sum_l>k L_lk^T dp_l)                 (4)

R_k is triangular, and R_k^-1 stands for a substitution: with an inverse of D_k a link whose inertia is small compared with m r^2
would lose the few digits of its mass in A_kk ~ r^2 / I (N. Higham, Accuracy and stability of numerical algorithms, 2002, ch. 10).
A row whose pivot is below the fraction MIN_PIVOT of its diagonal is redundant and takes no impulse.

A position k is the constraint block of one joint and, while its dry friction sticks, its motor suffices or a limit holds, their
rows too.
The cost is linear in the number of joints, whatever their masses and the length of the chain. An overconstrained mechanism (a
closed loop) makes D_k singular in directions that are not rows. If a pivot in a loop is below the fraction MIN_LOOP_PIVOT of
A_kk, R_k is computed from eigenvectors, with S = diag(A_kk)^(-1/2):

    S D_k S = U diag(lambda) U^T,   R_k^-1 = diag(f) U^T S,   f = lambda^(-1/2), or 0 below SINGULAR                     (5)

Directions with f = 0 are held by the other joints. All others are held in full, however little holds them, as in a taut line of
links between two fixed points, or a door on hinges that are not quite in line: with a smaller f the impulses that sweeps and warm
starts add up are those of a spring, whose stiffness changes with the substep, and a door misaligned by 1e-5 gained energy
without end.

Friction in joints: the blocks that stick are solved together with the constraints.

The law of a friction block with impulse p, velocity error w and bound L (joint_rows.py, 1): w = 0 and ||p|| <= L, or w is not 0
and p = -L w / ||w||. A sticking block is an equation like a constraint, so a mechanism whose friction sticks everywhere is solved
at once, however long. The sticking blocks are the active set of the law:

    a block sticks     at first, if its warm start is inside the bound, ||p|| < L                                   (6)
    it slips           if the solution of the equations has ||p|| > L: p <- L p / ||p||, and sweeps continue with it (7)
    it sticks again    when a sweep finds it inside its bound                                                       (8)

(8) ends after MAX_RESTICK_SWEEPS sweeps to prevent cycling; then only sweeps decide, as for all other blocks. A motor obeys the
same law, with w the error of its speed (or of its spring) and L its largest impulse, so it is solved the same way. It may act
along the direction held by friction: of a driven joint the motors are in the equations, its friction is left to the sweeps.
A limit gives way to a motor of its axis that suffices, and friction of its joint gives way to it: two equations of one axis
would contradict one another. Around a closed loop the speeds of motors, limits and the friction of other joints may do so, too:
there the sweeps decide on the motors and limits.

Limits are, with the constraints, whose impulses have any sign, a mixed linear complementarity problem:

    w >= 0, p >= 0, w p = 0                                                                                         (9)
    at first those hold whose warm start presses, p > 0                                                             (10)
    the equations are solved; those that pull, p < 0, let go, p <- 0, and those with w < 0 hold; again from there   (11)

(9) has one solution, whatever the masses: the limits of a tree are independent of its constraints c, so that what is left of A
for them, A_ll - A_lc A_cc^-1 A_cl, is positive definite. (11) exchanges all limits that violate (9) while their number falls
(block principal pivoting: J. Judice, F. Pires, Computers & Operations Research 21, 1994, pp. 587-596). After MAX_VAIN_EXCHANGES
that did not lower it, only the last of them is exchanged, until one does: this rule of Murty's never returns to the same set.
Both signs are judged at a solution of the equations: after p <- 0 alone the velocities of light links are off by any amount.
After MAX_EXCHANGES the sweeps decide.
"""

import heapq
import math
from typing import NamedTuple

import numpy as np

from physics.core import stack
from physics.core.dense import assign, eigen
from physics.core.jit import inline, kernel, routine
from physics.core.records import Case, Role
from physics.core.row import apply, coupling, error_of

MIN_PIVOT = 1e-14
"""Smallest pivot, as a fraction of the diagonal."""

MIN_LOOP_PIVOT = 1e-4
"""Below this fraction of the diagonal a pivot in a loop is replaced by eigenvectors, see (5)."""

SINGULAR = 1e-11
"""Smallest eigenvalue of a direction that takes impulses, see (5)."""

_work = stack.scratch(2, 6, 6)


class Elimination(NamedTuple):
    """The elimination order of joints and the block structure of L; all int64.

    order (n,): index of the table's equality block at each position. column (n + 1,): start of the entries of a position in
    below (m,): the positions l > k of its blocks L_lk, ascending. target: for each column, for each pair i <= j of its
    entries, the index of block (below[j], below[i]) among the values: a position if i = j, else n + its entry.
    """

    order: np.ndarray
    column: np.ndarray
    below: np.ndarray
    target: np.ndarray


class Factors(NamedTuple):
    """The factors of an elimination of n positions.

    blocks (n,): index in the table of the constraint block at each position; column, below, target: as in Elimination.
    loops (n,): 1 if the mechanism has a closed loop.
    bounded (f,): indices of the friction blocks, motors and limits that may be included; those of position k are at
        start[k]:start[k + 1].
    included (f,): 1 for those included. barred (n,): 1 for positions at which none may be.
    together (blocks of the table,): 1 for every block that is solved here.
    members (n, 6), count (n,): rows of the table at each position, and their number.
    values (n + m, 6, 6): D, then L. root (n, 6, 6): R with the reciprocals of its diagonal; R^-1 if spread (n,) is 1.
    diagonal (n, 6): of A_kk. y (n, 6), x (6,): scratch.
    """

    blocks: np.ndarray
    column: np.ndarray
    below: np.ndarray
    target: np.ndarray
    loops: np.ndarray
    start: np.ndarray
    bounded: np.ndarray
    included: np.ndarray
    barred: np.ndarray
    together: np.ndarray
    members: np.ndarray
    count: np.ndarray
    values: np.ndarray
    root: np.ndarray
    spread: np.ndarray
    diagonal: np.ndarray
    y: np.ndarray
    x: np.ndarray


def elimination(a: np.ndarray, b: np.ndarray, moves: np.ndarray) -> Elimination:
    """Minimum-degree elimination (ties: the lower joint) of joints between bodies a[k] and b[k]; moves (bodies,): bool."""
    of_body: dict[int, list[int]] = {}
    neighbours: list[set[int]] = [set() for _ in a]
    for k, bodies in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        for body in bodies:
            if moves[body]:
                for other in of_body.setdefault(body, []):
                    neighbours[k].add(other)
                    neighbours[other].add(k)
                of_body[body].append(k)
    heap = [(len(n), k) for k, n in enumerate(neighbours)]
    heapq.heapify(heap)
    place, sequence, columns = [-1] * len(a), [], []
    while heap:
        degree, k = heapq.heappop(heap)
        if place[k] >= 0 or degree != len(neighbours[k]):
            continue
        place[k] = len(sequence)
        sequence.append(k)
        columns.append(sorted(neighbours[k]))
        for other in columns[-1]:
            neighbours[other] |= neighbours[k]
            neighbours[other] -= {k, other}
            heapq.heappush(heap, (len(neighbours[other]), other))
    below = [sorted(place[k] for k in column) for column in columns]
    first = np.concatenate([[0], np.cumsum([len(column) for column in below])]).astype(np.int64)
    entry = {(k, row): int(first[k]) + i for k, column in enumerate(below) for i, row in enumerate(column)}
    n = len(sequence)
    target = [row if row == other else n + entry[row, other]
              for column in below for i, row in enumerate(column) for other in column[i:]]
    return Elimination(*(np.array(x, np.int64) for x in (sequence, first, [row for column in below for row in column], target)))


def allocate(elimination: Elimination, constraints: np.ndarray, loops: np.ndarray, candidates: list[list[int]],
             blocks: int) -> Factors:
    """Allocate the factors of a table.

    elimination: of the blocks `constraints`; loops: whether the mechanism of each has closed loops. candidates: for each of
    those, the blocks of its joint that may be included.
    blocks: number of blocks of the whole table.
    """
    order, below = elimination.order, elimination.below
    n, mine = len(order), [candidates[k] for k in order]
    start = np.concatenate([[0], np.cumsum([len(f) for f in mine])]).astype(np.int64)
    bounded = np.array([k for f in mine for k in f], np.int64)
    return Factors(constraints[order], elimination.column, below, elimination.target, loops[order].astype(np.uint8),
                   start, bounded, np.zeros(len(bounded), np.uint8), np.zeros(n, np.uint8), np.zeros(blocks, np.uint8),
                   np.empty((n, 6), np.int64), np.empty(n, np.int64),
                   np.empty((n + len(below), 6, 6)), np.empty((n, 6, 6)), np.zeros(n, np.uint8),
                   np.empty((n, 6)), np.empty((n, 6)), np.empty(6))


def empty_factors(blocks: int) -> Factors:
    """Factors of a table of that many blocks, none of which is solved directly."""
    order = elimination(np.empty(0, int), np.empty(0, int), np.empty(0, bool))
    return allocate(order, np.empty(0, np.int64), np.empty(0, bool), [], blocks)


@kernel
def factor(rows, blocks, factors):
    """Factorise, (1) to (3), for a table with its M^-1 J^T (effective_mass.py)."""
    gather(blocks, factors)
    values, root, target, count = factors.values, factors.root, factors.target, factors.count
    column, below = factors.column, factors.below
    n = count.shape[0]
    work = _work()
    for k in range(n):
        _couple(rows, blocks, factors, k, k, values[k])
        for i in range(count[k]):
            factors.diagonal[k, i] = values[k, i, i]
            values[k, i, i] += rows[factors.members[k, i]].softness
        for e in range(column[k], column[k + 1]):
            _couple(rows, blocks, factors, below[e], k, values[n + e])
    t = 0
    for k in range(n):
        size = count[k]
        thin = _triangle(values, factors.diagonal, root, k, size)
        factors.spread[k] = 0
        if thin and factors.loops[k]:
            factors.spread[k] = 1
            _spread(values[k], factors.diagonal[k], root[k], work, size)
        for e in range(column[k], column[k + 1]):
            if factors.spread[k]:
                for i in range(count[below[e]]):
                    _times(root[k], values[n + e, i], factors.x, size)
            else:
                _divide(values, n + e, root, k, count[below[e]], size)
        for e in range(column[k], column[k + 1]):
            for f in range(e, column[k + 1]):
                _subtract(values, target[t], n + f, n + e, count[below[f]], count[below[e]], size)
                t += 1


@inline
def _triangle(values, diagonal, root, k, size):
    """R of (2) by Cholesky factorisation, with the reciprocals of its diagonal: 0 for rows without impulse.

    True if a pivot is less than MIN_LOOP_PIVOT of the diagonal.
    """
    thin = False
    for j in range(size):
        pivot = values[k, j, j]
        for m in range(j):
            pivot -= root[k, j, m] * root[k, j, m]
        thin = thin or pivot < MIN_LOOP_PIVOT * diagonal[k, j]
        share = 1.0 / math.sqrt(pivot) if pivot > MIN_PIVOT * diagonal[k, j] else 0.0
        root[k, j, j] = share
        for i in range(j + 1, size):
            x = values[k, i, j]
            for m in range(j):
                x -= root[k, i, m] * root[k, j, m]
            root[k, i, j] = x * share
    return thin


@routine
def _spread(matrix, diagonal, root, work, size):
    """R^-1 of (5)."""
    scaled, vectors = work[0], work[1]
    for i in range(size):
        for j in range(size):
            scaled[i, j] = matrix[i, j] / math.sqrt(diagonal[i] * diagonal[j])
    eigen(scaled, vectors, size)
    for i in range(size):
        value = scaled[i, i]
        share = 1.0 / math.sqrt(value) if value > SINGULAR else 0.0
        for j in range(size):
            root[i, j] = share * vectors[j, i] / math.sqrt(diagonal[j])


@inline
def _divide(values, entry, root, k, n, size):
    """values[entry] R_k^-T, n rows."""
    for i in range(n):
        for j in range(size):
            x = values[entry, i, j]
            for m in range(j):
                x -= values[entry, i, m] * root[k, j, m]
            values[entry, i, j] = x * root[k, j, j]


@routine
def _times(matrix, y, x, size):
    """y <- matrix y; x: scratch."""
    for i in range(size):
        x[i] = y[i]
    for i in range(size):
        y[i] = 0.0
        for j in range(size):
            y[i] += matrix[i, j] * x[j]


@inline
def _forward(factors, k, size):
    """y_k <- R_k^-1 y_k."""
    root, y = factors.root, factors.y
    if factors.spread[k]:
        _times(root[k], y[k], factors.x, size)
        return
    for i in range(size):
        total = y[k, i]
        for j in range(i):
            total -= root[k, i, j] * y[k, j]
        y[k, i] = total * root[k, i, i]


@routine
def solve_columns(factors, k, y, x):
    """y (6, m) <- R_k^-1 y; x (6, m): scratch."""
    root, size, m = factors.root[k], factors.count[k], y.shape[1]
    if factors.spread[k]:
        x[:size] = 0.0
        for i in range(size):
            for j in range(size):
                for r in range(m):
                    x[i, r] += root[i, j] * y[j, r]
        assign(y[:size], x[:size])
        return
    for i in range(size):
        for j in range(i):
            for r in range(m):
                y[i, r] -= root[i, j] * y[j, r]
        for r in range(m):
            y[i, r] *= root[i, i]


@routine
def pass_on_columns(factors, k, entry, y, below):
    """below (6, m) -= L y (6, m): of position k, its entry in column k."""
    l, values = factors.below[entry], factors.values[factors.count.shape[0] + entry]
    for i in range(factors.count[l]):
        for j in range(factors.count[k]):
            for r in range(y.shape[1]):
                below[i, r] -= values[i, j] * y[j, r]


@routine
def _removed(factors, k, size):
    """Squared norm of the errors that the impulses of position k remove: D_k R^-T y, where y = R^-1 times the errors."""
    total = 0.0
    for i in range(size):
        x = 0.0
        for j in range(size):
            share = 0.0
            for m in range(size):
                share += factors.root[k, m, j] * factors.y[k, m]
            x += factors.values[k, i, j] * share
        total += x * x
    return total


@inline
def _backward(factors, k, size):
    """y_k <- R_k^-T y_k."""
    root, y = factors.root, factors.y
    if factors.spread[k]:
        _times(root[k].T, y[k], factors.x, size)
        return
    for i in range(size - 1, -1, -1):
        total = y[k, i]
        for j in range(i + 1, size):
            total -= root[k, j, i] * y[k, j]
        y[k, i] = total * root[k, i, i]


@routine
def gather(blocks, factors):
    """List the rows of every position and mark their blocks."""
    factors.together[:] = 0
    for k in range(factors.count.shape[0]):
        factors.count[k] = 0
        _join(blocks, factors, k, factors.blocks[k])
        for f in range(factors.start[k], factors.start[k + 1]):
            if factors.included[f]:
                _join(blocks, factors, k, factors.bounded[f])


@inline
def _join(blocks, factors, k, index):
    block, size = blocks[index], factors.count[k]
    for i in range(block.count):
        factors.members[k, size + i] = block.first + i
    factors.count[k] = size + block.count
    factors.together[index] = 1


@routine
def _couple(rows, blocks, factors, k, l, out):
    """out = J_k M^-1 J_l^T, over the bodies shared by the two positions."""
    p, q = blocks[factors.blocks[k]], blocks[factors.blocks[l]]
    for i in range(factors.count[k]):
        for j in range(i + 1 if k == l else factors.count[l]):
            out[i, j] = coupling(rows[factors.members[k, i]], p, rows[factors.members[l, j]], q)
            if k == l:
                out[j, i] = out[i, j]


@inline
def _subtract(values, target, a, b, n, m, inner):
    """values[target] -= values[a] values[b]^T: n x m."""
    for i in range(n):
        for j in range(m):
            x = values[target, i, j]
            for l in range(inner):
                x -= values[a, i, l] * values[b, j, l]
            values[target, i, j] = x


@kernel
def solve_joints(rows, blocks, factors, velocity):
    """Solve (4) directly from the present velocities; applies dp to rows and velocity (bodies, 6).

    Returns the square of the largest velocity error removed [m/s] or [rad/s]. Impulse changes are no measure: in an
    overconstrained mechanism they may shift between joints without effect. Errors that no impulse can remove are not counted.
    """
    n = factors.count.shape[0]
    members, count, column, below = factors.members, factors.count, factors.column, factors.below
    values, y = factors.values, factors.y
    worst = 0.0
    for k in range(n):
        block = blocks[factors.blocks[k]]
        error = 0.0
        for i in range(count[k]):
            y[k, i] = -error_of(rows[members[k, i]], velocity[block.a], velocity[block.b])
            error += y[k, i] * y[k, i]
        if factors.spread[k] == 0:
            worst = max(worst, error)
    for k in range(n):
        _forward(factors, k, count[k])
        if factors.spread[k]:
            worst = max(worst, _removed(factors, k, count[k]))
        for e in range(column[k], column[k + 1]):
            for i in range(count[below[e]]):
                for j in range(count[k]):
                    y[below[e], i] -= values[n + e, i, j] * y[k, j]
    for k in range(n - 1, -1, -1):
        size = count[k]
        for e in range(column[k], column[k + 1]):
            for j in range(count[below[e]]):
                for i in range(size):
                    y[k, i] -= values[n + e, j, i] * y[below[e], j]
        _backward(factors, k, size)
    for k in range(n):
        block = blocks[factors.blocks[k]]
        for i in range(count[k]):
            row = rows[members[k, i]]
            row.impulse += y[k, i]
            apply(row, block, velocity[block.a], velocity[block.b], y[k, i])
    return worst


_STICK, _SLIP = Case.STICK, Case.SLIP
_LOWER, _UPPER, _MOTOR, _FRICTION = Role.LOWER, Role.UPPER, Role.MOTOR, Role.FRICTION

MAX_RESTICK_SWEEPS = 30
"""Maximum sweeps of a substep in which a released block may join the equations again."""

MAX_EXCHANGES, MAX_VAIN_EXCHANGES = 40, 3
"""Of (11): maximum number in a sweep, and of those in a row that do not lower the number of violations."""

MAX_BLOCK_ROWS = 6
"""Maximum number of rows of one joint; more would be redundant."""


def candidates_of(pieces: np.ndarray, constraints: np.ndarray, loops: np.ndarray) -> list[list[int]]:
    """For each of the constraint blocks (indices into a layout's PIECE table), the friction blocks or motors, and the limits,
    that may be solved with it. loops: whether the mechanism of each has closed loops."""
    found = []
    for index, loop in zip(constraints.tolist(), loops.tolist(), strict=True):
        mine = np.flatnonzero(pieces["joint"] == pieces["joint"][index])
        motors, friction, *limits = (mine[pieces["role"][mine] == role].tolist()
                                     for role in (Role.MOTOR, Role.FRICTION, Role.LOWER, Role.UPPER))
        held = [] if motors and loop else motors or friction
        rows = int(pieces["count"][index])
        held = [] if rows + int(pieces["count"][held].sum()) > MAX_BLOCK_ROWS else held
        found.append(held if loop or rows >= MAX_BLOCK_ROWS else held + limits[0] + limits[1])
    return found


@inline
def _is_limit(block):
    return block.role == _LOWER or block.role == _UPPER


@routine
def begin(rows, blocks, factors):
    """Choose the included blocks by (6) and (10), from the warm start, and factor."""
    factors.included[:], factors.barred[:] = 0, 0
    for k in range(factors.blocks.shape[0]):
        for f in range(factors.start[k], factors.start[k + 1]):
            block = blocks[factors.bounded[f]]
            if (rows[block.first].impulse > 0.0) if _is_limit(block) else (_size(rows, block) < block.limit):
                _include(blocks, factors, k, f)
    factor(rows, blocks, factors)


@routine
def _may_join(blocks, factors, k, f):
    """True if candidate f of position k is neither barred nor included, and no included one has precedence."""
    if factors.barred[k]:
        return False
    block = blocks[factors.bounded[f]]
    count = blocks[factors.blocks[k]].count + block.count
    for g in range(factors.start[k], factors.start[k + 1]):
        other = blocks[factors.bounded[g]]
        if not factors.included[g] or (_is_limit(block) and other.role == _FRICTION):
            continue
        if other.first_impulse == block.first_impulse or (block.role == _FRICTION and _is_limit(other)):
            return False
        count += other.count
    return factors.included[f] == 0 and count <= MAX_BLOCK_ROWS


@routine
def _include(blocks, factors, k, f):
    """Include candidate f of position k unless another one of its axis has precedence; True if it is included now."""
    if not _may_join(blocks, factors, k, f):
        return False
    if _is_limit(blocks[factors.bounded[f]]):
        _release_friction(blocks, factors, k)
    factors.included[f] = 1
    return True


@routine
def _release_friction(blocks, factors, k):
    """A limit of position k takes the place of its friction."""
    for g in range(factors.start[k], factors.start[k + 1]):
        if blocks[factors.bounded[g]].role == _FRICTION:
            factors.included[g] = 0


@routine
def release_all(factors):
    """Remove all but the constraints from the equations, none is barred; True if that changes anything."""
    changed, factors.barred[:] = False, 0
    for f in range(factors.included.shape[0]):
        changed = changed or factors.included[f] == 1
        factors.included[f] = 0
    return changed


@routine
def solve_with_limits(rows, blocks, factors, velocity, tolerance):
    """Solve the equations until limits obey (9), by (11). tolerance: w above its negative counts as 0 [m/s] or [rad/s].

    Returns the square of the largest velocity error removed, as `solve_joints` does.
    """
    worst = solve_joints(rows, blocks, factors, velocity)
    fewest, vain = factors.bounded.shape[0] + 1, 0
    for _ in range(MAX_EXCHANGES):
        count, last = _violations(rows, blocks, factors, velocity, tolerance)
        if count == 0:
            break
        vain = 0 if count < fewest else vain + 1
        fewest = min(fewest, count)
        _exchange(rows, blocks, factors, velocity, tolerance, last if vain > MAX_VAIN_EXCHANGES else 0)
        factor(rows, blocks, factors)
        worst = max(worst, solve_joints(rows, blocks, factors, velocity))
    return worst


@routine
def _violations(rows, blocks, factors, velocity, tolerance):
    """Number of limits that violate (9) at a solution of the equations, and the last of them, as an index of `bounded`."""
    count, last = 0, 0
    for k in range(factors.blocks.shape[0]):
        for f in range(factors.start[k], factors.start[k + 1]):
            if _pulls(rows, blocks, factors, f) or _is_passed(rows, blocks, factors, velocity, tolerance, k, f):
                count, last = count + 1, f
    return count, last


@routine
def _exchange(rows, blocks, factors, velocity, tolerance, first):
    """Exchange the limits from index `first` of `bounded` on that violate (9)."""
    for k in range(factors.blocks.shape[0]):
        for f in range(max(first, factors.start[k]), factors.start[k + 1]):
            if _is_passed(rows, blocks, factors, velocity, tolerance, k, f):
                _include(blocks, factors, k, f)
    for f in range(first, factors.bounded.shape[0]):    # afterwards: it changes the velocities
        if _pulls(rows, blocks, factors, f):
            _scale(rows, blocks[factors.bounded[f]], velocity, 0.0)
            factors.included[f] = 0


@routine
def _pulls(rows, blocks, factors, f):
    """True for a limit that holds with p < 0."""
    block = blocks[factors.bounded[f]]
    return factors.included[f] == 1 and _is_limit(block) and rows[block.first].impulse < 0.0


@routine
def _is_passed(rows, blocks, factors, velocity, tolerance, k, f):
    """True for a limit that could hold and has w < 0, or the impulse that sweeps gave it."""
    block = blocks[factors.bounded[f]]
    if factors.included[f] or not _is_limit(block):
        return False
    row = rows[block.first]
    passed = row.impulse > 0.0 or error_of(row, velocity[block.a], velocity[block.b]) < -tolerance
    return passed and _may_join(blocks, factors, k, f)


@routine
def release(rows, blocks, factors, velocity):
    """Release blocks by (7), and limits that still pull; True if the set has changed."""
    changed = False
    for f in range(factors.bounded.shape[0]):
        if factors.included[f] == 0:
            continue
        block = blocks[factors.bounded[f]]
        if _is_limit(block):
            kept = 1.0 if rows[block.first].impulse >= 0.0 else 0.0
        else:
            size = _size(rows, block)
            kept = block.limit / size if size > block.limit else 1.0
            block.case = _STICK if kept == 1.0 else _SLIP
        if kept < 1.0:
            _scale(rows, block, velocity, kept)
            factors.included[f], changed = 0, True
    return changed


@routine
def restick(blocks, factors):
    """Include blocks by (8); True if the set has changed."""
    changed = False
    for k in range(factors.blocks.shape[0]):
        for f in range(factors.start[k], factors.start[k + 1]):
            block = blocks[factors.bounded[f]]
            if factors.included[f] == 0 and not _is_limit(block) and block.case == _STICK and block.limit > 0.0:
                changed |= _include(blocks, factors, k, f)
    return changed


@routine
def _scale(rows, block, velocity, share):
    """p <- share p."""
    for i in range(block.first, block.first + block.count):
        change = rows[i].impulse * (share - 1.0)
        rows[i].impulse += change
        apply(rows[i], block, velocity[block.a], velocity[block.b], change)


@routine
def _size(rows, block):
    """||p||."""
    square = 0.0
    for i in range(block.first, block.first + block.count):
        square += rows[i].impulse * rows[i].impulse
    return math.sqrt(square)
