"""Frictionless contacts of mechanisms at acceleration level (F11 11.3 to 11.5), and what the laws leave open of contact forces.

Contact i with unit normal n_i from body a to body b, at the points p of the two bodies:

    t_i = (J_b(p) - J_a(p))^T n_i,   T = [t_1 .. t_m],   H qdd + C = tau + T lambda                       (F11 11.23 to 11.27)
    zeta_dot = M lambda + d,   M = T^T H^-1 T,   d = T^T H^-1 (tau - C) + T_dot^T qd                      (F11 11.28 to 11.31)

zeta_dot >= 0 is the acceleration of separation, lambda >= 0 the force. Three statements of the same law:

    LCP    0 <= lambda _|_ M lambda + d >= 0                                                              (F11 11.42)
    QP     min 1/2 lambda^T M lambda + lambda^T d,   lambda >= 0                                          (F11 11.43)
    Gauss  min 1/2 (qdd - f)^T H (qdd - f),   T^T qdd + T_dot^T qd >= 0,   f = H^-1 (tau - C)             (F11 11.44)

M is positive semidefinite. Where normals depend on one another lambda is not unique, but T lambda is. Where no lambda exists (two
walls that close on a body) the three have no solution.

Bounds. The laws of contact admit all forces x >= 0 along the edges of the contacts' cones, columns of G, with the same G x: the
same motion. The least and greatest force of a contact are two linear programs; 0 <= x _|_ c - G^T y >= 0, G x = b is the
complementarity problem of each, solved by Lemke's algorithm.

Null space. Changes z of the forces in their free directions D, of which B has the joint forces, that change no motion: B z = 0.
The least of them with one newton more at a contact, c . z = 1, is z = P c / (c . P c), P the projection on the null space.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.articulated import dynamics
from physics.articulated.joint_space import JointSpace
from physics.complementarity import lemke
from physics.complementarity.problem import Status

TOLERANCE = 1e-12
"""Relative size below which residuals and singular values are rounding."""


def directions(space: JointSpace, contacts: np.ndarray) -> np.ndarray:
    """(contacts, 3, n): Jacobian of the relative velocity along normal, first and second tangent of CONTACT records."""
    out = np.empty((len(contacts), 3, space.tree.size))
    for c, rows in zip(contacts, out):
        relative = space.jacobian(int(c["body_b"]), c["pos"] + c["shift"])[3:] - space.jacobian(int(c["body_a"]), c["pos"])[3:]
        for k, way in enumerate((c["normal"], c["tangent"], np.cross(c["normal"], c["tangent"]))):
            rows[k] = way @ relative
    return out


# ---- the three forms


class ContactProblem(NamedTuple):
    """T (n, m), M (m, m), d (m,); factor (n, n): L of H = L^T L; free (n,): acceleration without contact forces; turning (m,):
    T_dot^T qd; answer (n, m): H^-1 T."""

    T: np.ndarray
    M: np.ndarray
    d: np.ndarray
    factor: np.ndarray
    free: np.ndarray
    turning: np.ndarray
    answer: np.ndarray

    def acceleration(self, forces: np.ndarray) -> np.ndarray:
        """qdd (n,) under contact forces (m,)."""
        return self.free + self.answer @ forces


def contact_problem(space: JointSpace, T: np.ndarray, turning: np.ndarray, tau: np.ndarray | None = None) -> ContactProblem:
    """The problem of contacts with normals T (n, m) and T_dot^T qd (m,), under joint forces tau (n,), by default none."""
    free = space.solve((0.0 if tau is None else tau) - space.C)
    half = np.array(T, np.float64, order="C")
    dynamics.half_solve(space.tree.above, space.factor, half)
    answer = half.copy()
    dynamics.other_half_solve(space.tree.above, space.factor, answer)
    return ContactProblem(T, half.T @ half, T.T @ free + turning, space.factor, free, turning, answer)


def solve_lcp(problem: ContactProblem) -> np.ndarray | None:
    """Forces (m,) by Lemke's algorithm (F11 11.42); None: no solution."""
    found = lemke.solve(problem.M, problem.d)
    return found.z if found.status == Status.SOLVED else None


def solve_qp(problem: ContactProblem) -> np.ndarray | None:
    """Forces (m,) as the least of (F11 11.43), by an active-set method; None: it is unbounded, there is no solution.

    Contacts that separate fastest enter the passive set P; in it M_PP s = -d_P, and a force that would turn negative leaves.
    """
    M, d = problem.M, problem.d
    forces, passive = np.zeros(len(d)), np.zeros(len(d), bool)
    small = TOLERANCE * max(1.0, np.abs(d).max(initial=0.0))
    for _ in range(30 * len(d) + 1):
        gain = np.where(passive, 0.0, -(M @ forces + d))
        if gain.max(initial=0.0) <= small:
            return forces
        passive[gain.argmax()] = True
        while passive.any():
            own = M[np.ix_(passive, passive)]
            wanted = np.linalg.lstsq(own, -d[passive], rcond=TOLERANCE)[0]
            left = -d[passive] - own @ wanted       # in the null space of M_PP: the objective falls along it for ever
            way = left if np.abs(left).max() > 1e-9 * np.abs(d).max() else wanted - forces[passive]
            limits = np.full(len(way), math.inf)
            np.divide(-forces[passive], way, out=limits, where=way < 0.0)
            if way is left and not np.isfinite(limits).any():
                return None
            reach = limits.min() if way is left else min(1.0, limits.min())
            moved = np.maximum(forces[passive] + reach * way, 0.0)
            if reach < 1.0 or way is left:
                moved[limits <= reach] = 0.0
            index = np.flatnonzero(passive)
            forces[index] = moved
            if reach >= 1.0 and way is not left:
                break
            passive[index[moved == 0.0]] = False
    return None


def solve_gauss(problem: ContactProblem) -> np.ndarray | None:
    """qdd (n,) of Gauss's principle of least constraint (F11 11.44); None: no acceleration satisfies the contacts.

    With y = L (qdd - f) it asks for the least |y| with A y >= -d, A = T^T L^-1: C. Lawson and R. Hanson, Solving least squares
    problems (1995), chapter 23: for the u >= 0 of least |r|, r = (A^T u, -d^T u) - (0, .., 0, 1), y_j = -r_j / r_(n+1). That says
    which contacts press; y is then the least one with A y = -d for these, without the cancellation in r_(n+1).
    """
    A = np.linalg.solve(problem.factor.T, problem.T).T
    scale = max(1.0, np.abs(problem.d).max(initial=0.0))
    E = np.vstack([A.T, -problem.d / scale])
    u = nonnegative_least_squares(E, np.append(np.zeros(len(E) - 1), 1.0))
    r = E @ u - np.append(np.zeros(len(E) - 1), 1.0)
    if np.abs(r).max() < 1e-9:
        return None
    presses = u > 0.0
    y = np.linalg.lstsq(A[presses], -problem.d[presses], rcond=TOLERANCE)[0]
    return problem.free + np.linalg.solve(problem.factor, y)


def nonnegative_least_squares(E: np.ndarray, f: np.ndarray) -> np.ndarray:
    """u >= 0 (m,) with the least |E u - f| (Lawson and Hanson, chapter 23)."""
    u, passive = np.zeros(E.shape[1]), np.zeros(E.shape[1], bool)
    small = 10.0 * TOLERANCE * np.abs(E).max(initial=1.0)
    for _ in range(30 * len(u) + 1):
        gain = np.where(passive, 0.0, E.T @ (f - E @ u))
        if gain.max(initial=0.0) <= small:
            break
        passive[gain.argmax()] = True
        while passive.any():
            wanted = np.linalg.lstsq(E[:, passive], f, rcond=None)[0]
            index, own = np.flatnonzero(passive), u[passive]
            if (wanted > 0.0).all():
                u[index] = wanted
                break
            reach = min(own[k] / (own[k] - wanted[k]) for k in np.flatnonzero(wanted <= 0.0))
            own = own + reach * (wanted - own)
            own[(wanted <= 0.0) & (own <= small)] = 0.0
            u[index] = own
            passive[index[own == 0.0]] = False
    return u


# ---- minimal contact sets

DEPENDENT = 1e-9
"""Relative distance from the cone of the others below which a normal lies in it."""


def minimal_contact_set(T: np.ndarray) -> np.ndarray:
    """Contacts that suffice for all others, indices (k,): those that are left out have normals that depend positively on them
    (F11 11.6). T (n, contacts): normals in joint velocities.

    If t_i = sum of a_j t_j, a >= 0, separation at the other contacts implies it at i, and they can push as i does. One at a time
    is left out, so that of two equal ones one stays. The last are tried first. Contacts of bodies that cannot move against one
    another, t_i = 0, are left out, too.
    """
    sizes = np.linalg.norm(T, axis=0)
    kept = np.flatnonzero(sizes > DEPENDENT * sizes.max(initial=0.0))
    unit = T / np.where(sizes > 0.0, sizes, 1.0)
    for i in kept[::-1]:
        others = kept[kept != i]
        shares = nonnegative_least_squares(unit[:, others], unit[:, i])
        if np.linalg.norm(unit[:, others] @ shares - unit[:, i]) < DEPENDENT:
            kept = others
    return kept


# ---- what the laws leave open

INDEPENDENT = 1e-10
"""Singular values of joint forces below this share of the largest are rounding."""


def cone_edges(rows: np.ndarray, mu: np.ndarray, slip: np.ndarray, facets: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """(G (n, k), owner (k,)): joint forces of unit normal force along the edges of each contact's friction cone.

    rows (contacts, 3, n): of `directions`. mu (contacts,). slip (contacts, 2): sliding velocity along the tangents; where it is
    not zero the force is on the opposite edge alone, where mu is 0 it is normal.
    """
    columns, owner = [], []
    for i, (own, bound, sliding) in enumerate(zip(rows, mu, slip)):
        speed = math.hypot(*sliding)
        if bound == 0.0:
            edges = [(0.0, 0.0)]
        elif speed > 0.0:
            edges = [(-bound * sliding[0] / speed, -bound * sliding[1] / speed)]
        else:
            edges = [(bound * math.cos(t), bound * math.sin(t)) for t in 2.0 * math.pi * np.arange(facets) / facets]
        columns += [own[0] + x * own[1] + y * own[2] for x, y in edges]
        owner += [i] * len(edges)
    return np.array(columns).reshape(len(columns), rows.shape[2]).T, np.array(owner, np.int64)


def extreme(G: np.ndarray, total: np.ndarray, cost: np.ndarray) -> float | None:
    """Least cost (k,) . x with x >= 0 and G x = total; -inf if there is no least one; None: no such x."""
    u, s, _ = np.linalg.svd(G, full_matrices=False)
    kept = u[:, s > INDEPENDENT * s.max(initial=0.0)]
    A, b = kept.T @ G, kept.T @ total
    scale = np.abs(b).max(initial=0.0) or 1.0
    m, k = A.shape
    M = np.zeros((k + 2 * m, k + 2 * m))
    M[:k, k : k + m], M[:k, k + m :] = -A.T, A.T
    M[k : k + m, :k], M[k + m :, :k] = A, -A
    for c in (cost, np.zeros(k)):
        found = lemke.solve(M, np.concatenate([c, -b / scale, b / scale]))
        if found.status == Status.SOLVED:
            return float(cost @ found.z[:k]) * scale if c is cost else -math.inf
    return None


def force_exchange(rows: np.ndarray, mu: np.ndarray, slip: np.ndarray, contact: int) -> tuple[int, np.ndarray]:
    """(dimension of the null space, z (contacts, 3): forces along normal and tangents that change with one newton more at a
    contact and the same motion, the least change; zeros if none does).

    rows, mu, slip: as of `cone_edges`. Where a contact slides its friction follows the normal force, where mu is 0 there is none.
    """
    free, owner = [], []
    for i, (bound, sliding) in enumerate(zip(mu, slip)):
        speed = math.hypot(*sliding)
        if bound == 0.0:
            own = [(1.0, 0.0, 0.0)]
        elif speed > 0.0:
            own = [(1.0, -bound * sliding[0] / speed, -bound * sliding[1] / speed)]
        else:
            own = list(np.eye(3))
        free += own
        owner += [i] * len(own)
    D, of = np.array(free), np.array(owner)
    B = np.einsum("ka,kan->nk", D, rows[of])
    _, s, v = np.linalg.svd(B)
    null = v[int((s > INDEPENDENT * s.max(initial=0.0)).sum()):]
    wanted = np.where(of == contact, D[:, 0], 0.0)
    least = null.T @ (null @ wanted)
    size, out = float(wanted @ least), np.zeros((len(mu), 3))
    if size > INDEPENDENT:
        np.add.at(out, of, (least / size)[:, None] * D)
    return len(null), out


class ForceRange(NamedTuple):
    """Least and greatest normal force of a contact [N]; inf: the laws bound it from below alone."""

    least: float
    greatest: float


def force_range(G: np.ndarray, owner: np.ndarray, total: np.ndarray, contact: int) -> ForceRange | None:
    """The normal forces of one contact that the laws allow; None: no forces of these contacts add up to `total` (n,)."""
    own = (owner == contact).astype(np.float64)
    least, greatest = extreme(G, total, own), extreme(G, total, -own)
    return None if least is None or greatest is None else ForceRange(max(least, 0.0), -greatest)
