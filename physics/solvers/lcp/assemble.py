"""Assembly of an island's complementarity problem from its rows, and back, ST96 eq 25 to 32.

Rows u have bounds, rows e are equations (joints, soft ones too). With V the velocities before the impulses of this problem:

    W = J M^-1 J^T + softness,   g = J V + softness p_known - target
    0 = g_e + W_ee p_e + W_eu p_u                                     bilateral joints, exactly: eliminated              (1)
    W' = W_uu - W_ue W_ee^-1 W_eu,   g' = g_u - W_ue W_ee^-1 g_e                                                          (2)
    p_u = D z_f,   z = (beta, c_n, lambda),   0 <= z _|_ w = q + M z >= 0                                                 (3)

          [ D'W'D          E ]           [ D'g'           ]      of a contact:       bound = mu p_known,n,  mu its factor
    M  =  [ -E'  mu     h c  ]    q  =   [ bound          ]      of joint friction:  bound = h F_max (ST96 3.5),  mu = 0      (4)

D has the directions of (1) to (3) below for friction and +1 for one-sided rows; E ties each beta to its lambda. h c is viscous
friction: its bound grows with the sliding speed lambda. Drives with a largest force are friction about their target. For a round
cone the directions of a block are rotated, see round_cone.py.

Each block's unknowns are scaled by s = 1 / sqrt(largest W_ii), so that grams and tonnes fit in one matrix: the unit of beta, c_n
and lambda is sqrt(kg) m/s. The order of the unknowns is the paper's: all beta, all c_n, all lambda.

Directions of friction impulses: the columns of D, ST96 section 3, and the ball of a spherical joint.

    line     +1, -1                                                                          (1)
    plane    d_i = (cos 2 pi i/k, sin 2 pi i/k), i = 0 .. k - 1                              (2)
    ball     the poles, and on the parallels at 2 pi j/k from a pole, j = 1 .. k/2 - 1,
             k directions each: every great circle through the poles has a regular k-gon; k >= 4   (3)

Each direction has its opposite (ST96 eq 13), so k is even. A ball has k (k/2 - 1) + 2 of them: 26 for k = 8.
A joint whose friction is any convex polygon around 0 (3.5) has its corners, in newtons, for D and the duration for its bound.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from physics.contact.friction_cone import polygon
from physics.core import vec
from physics.core.jit import kernel, routine
from physics.core.records import Bound, Owner
from physics.core.row import coupling
from physics.dynamics import islands

_EQUALITY, _ONE_SIDED, _DISC, _CONE, _INTERVAL, _POLYGON = (int(b) for b in (
    Bound.EQUALITY, Bound.ONE_SIDED, Bound.DISC, Bound.CONE, Bound.INTERVAL, Bound.POLYGON))
_CONTACT = Owner.CONTACT


@routine
def kind_of(block, active, ball, plane):
    """(rows that are equations, bounded rows, directions, lambdas) of a block, (0, 0, 0, 0) if inactive."""
    if block.owner == _CONTACT and active[block.index] == 0:
        return 0, 0, 0, 0
    if block.bound == _EQUALITY or (block.bound == _DISC and block.limit == math.inf):
        return block.count, 0, 0, 0
    if block.bound == _ONE_SIDED:
        return 0, 1, 1, 0
    if block.bound == _CONE:
        return (0, block.count, 2 if block.count == 1 else plane, 1) if block.mu > 0.0 else (0, 0, 0, 0)
    if block.bound == _POLYGON:
        return 0, 2, block.corner_count, 1
    if block.bound == _DISC:
        if block.limit == 0.0 and block.viscous == 0.0:
            return 0, 0, 0, 0
        return 0, block.count, 2 if block.count == 1 else (plane if block.count == 2 else ball), 1
    return (0, 1, 2, 1) if block.upper > 0.0 else (0, 0, 0, 0)


@kernel
def group(blocks, of_body, count, members, first):
    """Sort the blocks by island: those of island i are members[first[i] : first[i + 1]]; of_body: island of each body or -1."""
    of_block = np.empty(blocks.shape[0], np.int64)
    for k in range(blocks.shape[0]):
        of_block[k] = max(of_body[blocks[k].a], of_body[blocks[k].b])
    islands.sort(of_block, count, members, first)


@kernel
def sizes(blocks, members, first, active, directions, out):
    """out (islands, 2): unknowns of the complementarity problem, and equations eliminated from it."""
    for i in range(out.shape[0]):
        out[i, :] = 0
        for m in range(first[i], first[i + 1]):
            equations, _, forces, bounds = kind_of(blocks[members[m]], active, directions.ball, directions.plane)
            out[i, 0] += forces + bounds
            out[i, 1] += equations


@routine
def list_rows(blocks, members, active, directions, equations, bounded):
    """Write (row, block) of all equations and of all bounded rows, in the order of the members."""
    e, u = 0, 0
    for m in range(members.shape[0]):
        block = blocks[members[m]]
        n_e, n_u, _, _ = kind_of(block, active, directions.ball, directions.plane)
        for i in range(n_e):
            equations[e, 0], equations[e, 1] = block.first + i, members[m]
            e += 1
        for i in range(n_u):
            bounded[u, 0], bounded[u, 1] = block.first + i, members[m]
            u += 1


@routine
def coupling_matrix(rows, blocks, first, second, out):
    """out[i, j] = J_i M^-1 J_j^T for the listed rows (row, block), and softness on the diagonal."""
    for i in range(first.shape[0]):
        p, f = rows[first[i, 0]], blocks[first[i, 1]]
        for j in range(second.shape[0]):
            out[i, j] = coupling(p, f, rows[second[j, 0]], blocks[second[j, 1]])
            if first[i, 0] == second[j, 0]:
                out[i, j] += p.softness


@routine
def list_unknowns(blocks, members, active, directions, weights, forces, scale, bounds, place):
    """Lay out z, see (3).

    weights: W_ii of the bounded rows. Writes forces (n_f, 4): first bounded row, number of rows, direction, lambda (-1: none);
    scale (n_f,): of each; bounds (n_b, 4): block, the c_n of its contact (-1: none), its first bounded row, its first force.
    place: scratch, as long as the rows.
    """
    n_f, n_b = 0, 0
    for kind in range(2):                       # beta first, then c_n
        u = 0
        for m in range(members.shape[0]):
            block = blocks[members[m]]
            _, n_u, n_d, n_l = kind_of(block, active, directions.ball, directions.plane)
            if n_u > 0 and n_l == 1 - kind:
                s = 1.0 / math.sqrt(np.max(weights[u : u + n_u]))
                if n_l == 1:
                    bounds[n_b, 0], bounds[n_b, 2], bounds[n_b, 3] = members[m], u, n_f
                begin = 2 if block.count == 2 else (2 + directions.plane if block.count == 3 else 0)
                if block.bound == _POLYGON:
                    begin = block.corner
                for i in range(n_d):
                    forces[n_f, 0], forces[n_f, 1], forces[n_f, 2] = u, n_u, begin + i
                    forces[n_f, 3] = n_b if n_l == 1 else -1
                    scale[n_f] = s
                    n_f += 1
                if n_l == 1:
                    n_b += 1
                else:
                    place[block.first] = n_f - 1
            u += n_u
    for b in range(n_b):
        block = blocks[bounds[b, 0]]
        bounds[b, 1] = place[block.normal] if block.bound == _CONE else -1


@routine
def columns_of(directions, forces, bounds, towards, D):
    """D (n_f, 3): the direction of each force. towards: (blocks, 3) direction of the first vertex of each friction, zeros: as in
    the table; the others are reflected with it, which keeps opposites and the shape."""
    for j in range(forces.shape[0]):
        size, b = forces[j, 1], forces[j, 3]
        vec.assign(D[j], directions.table[forces[j, 2]])
        if b < 0 or size < 2:
            continue
        t, pole = towards[bounds[b, 0]], size - 1 if size == 3 else 0
        if t[0] == 0.0 and t[1] == 0.0 and t[2] == 0.0:
            continue
        along, length = 0.0, 0.0
        for a in range(size):               # Householder's reflection, d - 2 v v.d / v.v with v = vertex - t
            v = (1.0 if a == pole else 0.0) - t[a]
            along += v * D[j, a]
            length += v * v
        if length > 0.0:
            for a in range(size):
                D[j, a] -= 2.0 * along / length * ((1.0 if a == pole else 0.0) - t[a])


@routine
def assemble(rows, blocks, D, forces, scale, bounds, known, W, g, M, q):
    """Write (4) from W' (symmetric) and g'. known: impulses that the rows have already, for the bound of friction."""
    n_f = forces.shape[0]
    X = np.zeros((n_f, W.shape[0]))
    M[:, :] = 0.0
    for j in range(n_f):
        first = forces[j, 0]
        for a in range(forces[j, 1]):
            s = scale[j] * D[j, a]
            for r in range(W.shape[0]):
                X[j, r] += s * W[first + a, r]
    for i in range(n_f):
        first, total = forces[i, 0], 0.0
        for a in range(forces[i, 1]):
            s = scale[i] * D[i, a]
            total += s * g[first + a]
            for j in range(n_f):
                M[i, j] += s * X[j, first + a]
        q[i] = total
        b = forces[i, 3]
        if b >= 0:
            M[i, n_f + b], M[n_f + b, i] = 1.0, -1.0
            q[n_f + b] = scale[i]
    for b in range(bounds.shape[0]):
        block, normal, s = blocks[bounds[b, 0]], bounds[b, 1], q[n_f + b]
        if block.bound == _CONE:
            M[n_f + b, normal] = block.mu * scale[normal] / s
            q[n_f + b] = block.mu * known[block.normal] / s
        elif block.bound == _DISC or block.bound == _POLYGON:
            M[n_f + b, n_f + b] = block.viscous / (s * s)
            q[n_f + b] = block.limit / s
        else:
            q[n_f + b] = block.upper / s


@routine
def impulses_of(forces, scale, D, z, p):
    """p_u = D z_f."""
    p[:] = 0.0
    for j in range(forces.shape[0]):
        if z[j] > 0.0:
            for a in range(forces[j, 1]):
                p[forces[j, 0] + a] += scale[j] * z[j] * D[j, a]


@routine
def write_sign_cases(blocks, directions, forces, bounds, z, signs):
    """signs (blocks, 3): 1 where, of each friction, the largest beta, its opposite's, lambda are positive."""
    n_f = forces.shape[0]
    for b in range(bounds.shape[0]):
        signs[bounds[b, 0], 2] = 1 if z[n_f + b] > 0.0 else 0
    best = np.zeros(bounds.shape[0])
    for j in range(n_f):
        b = forces[j, 3]
        if b >= 0 and z[j] > best[b]:
            best[b] = z[j]
            further = directions.opposite[forces[j, 2]]
            both = z[j + further] > 0.0
            signs[bounds[b, 0], 0] = 1 if further > 0 or both else 0
            signs[bounds[b, 0], 1] = 1 if further < 0 or both else 0


MIN_FACETS = 2
"""Fewest facets: a line, for motion in a plane."""


class Directions(NamedTuple):
    """table: (n, 3) directions, first those of (1), then (2), then (3), then corners of joints' polygons; opposite: (n,) offset
    of each one's opposite in the table, 0: none; plane, ball: how many of (2) and (3) there are."""

    table: np.ndarray
    opposite: np.ndarray
    plane: int
    ball: int


def even(facets: int) -> int:
    """The number of facets, rounded up so that each direction has its opposite."""
    return facets + facets % 2


@cache
def directions(facets: int) -> Directions:
    """Directions for an even number of facets. One shared object: not to be changed."""
    circle = np.array([(1.0, 0.0), (-1.0, 0.0)]) if facets == MIN_FACETS else polygon(facets)[:, :2]
    plane = np.column_stack([circle, np.zeros(facets)])
    around = polygon(max(facets, 4))[:, :2]
    parallels = [(x, y, c) for c, s in around[1 : len(around) // 2] for x, y in s * around]
    ball = np.array([(0.0, 0.0, 1.0), (0.0, 0.0, -1.0), *parallels])
    sets = np.array([(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)]), plane, ball
    return Directions(np.vstack(sets), np.concatenate([_further(one) for one in sets]), facets, len(ball))


def with_corners(table: Directions, corners: np.ndarray) -> Directions:
    """The directions and after them corners (m, 2) of polygons."""
    if not len(corners):
        return table
    more = np.column_stack([corners, np.zeros(len(corners))])
    return table._replace(table=np.vstack([table.table, more]),
                          opposite=np.concatenate([table.opposite, np.zeros(len(corners), table.opposite.dtype)]))


def _further(directions: np.ndarray) -> np.ndarray:
    """Offset of the opposite of each direction in the table; negative: before it."""
    apart = np.abs(directions[:, None] + directions[None, :]).sum(axis=2)
    return apart.argmin(axis=1) - np.arange(len(directions))
