"""Recursive algorithms of rigid-body dynamics, on the states of `kinematics.py`.

    inverse_dynamics   tau = ID(qdd): recursive Newton-Euler algorithm                                    (RBDA table 5.1)
    joint_inertia      H: composite-rigid-body algorithm                                                  (RBDA table 6.2)
    forward_dynamics   qdd = FD(tau): articulated-body algorithm                                          (RBDA table 7.1)
    factorize, solve   H = L^T L, whose L has the zeros of H: branch-induced sparsity                     (RBDA tables 6.3, 6.5)

Gravity acts as an acceleration of the ground, a_0 = -a_g. A link with S of k columns: D = S^T I^A S is k x k, factorised.
"""

import math

import numpy as np

from physics.articulated.kinematics import add_force_back, shift_motion
from physics.articulated.tree import GROUND
from physics.core import vec
from physics.core.jit import inline, kernel, routine


@inline
def set_inertia(state):
    """Spatial inertia about the centre of mass: diag(I, m E)."""
    state.inertia[:] = 0.0
    for i in range(3):
        for j in range(3):
            state.inertia[i, j] = state.body_inertia[i, j]
        state.inertia[3 + i, 3 + i] = state.mass


@inline
def times(m, x, out):
    """out = m x, 6 x 6."""
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += m[i, j] * x[j]
        out[i] = total


@inline
def dot6(x, y):
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@inline
def set_bias(state, force):
    """p = v x* I v - f: in these coordinates (omega x I omega, omega x m v), v the velocity of the centre of mass."""
    w, m = state.v[0:3], state.body_inertia
    spin = (m[0, 0] * w[0] + m[0, 1] * w[1] + m[0, 2] * w[2], m[1, 0] * w[0] + m[1, 1] * w[1] + m[1, 2] * w[2],
            m[2, 0] * w[0] + m[2, 1] * w[1] + m[2, 2] * w[2])
    vec.assign(state.p[0:3], vec.sub(vec.cross(w, spin), force[0:3]))
    vec.assign(state.p[3:6], vec.sub(vec.scale(vec.cross(w, state.v[3:6]), state.mass), force[3:6]))


@inline
def set_base_acceleration(out, state, body, gravity):
    """Acceleration of the ground less gravity at the link; of a kinematic body: (alpha, a - omega x v), shifted to there."""
    vec.assign(out[0:3], state.carried[0:3])
    vec.assign(out[3:6], vec.sub(vec.sub(state.carried[3:6], vec.cross(body.omega, body.vel)), gravity))
    vec.add_scaled(out[3:6], vec.cross(state.carried[0:3], state.r), 1.0)


@routine
def add_inertia_back(out, m, r):
    """out += X^T m X, m symmetric with blocks (A, B; B^T, M):  B' = B + R M,  A' = A - B R - (B R)^T - R M R,  R = r x."""
    b, a = np.empty((3, 3)), np.empty((3, 3))
    for j in range(3):
        t = vec.cross(r, (m[3, 3 + j], m[4, 3 + j], m[5, 3 + j]))
        b[0, j], b[1, j], b[2, j] = m[0, 3 + j] + t[0], m[1, 3 + j] + t[1], m[2, 3 + j] + t[2]
    for i in range(3):
        # row i of B R is (row i of B) x r;  (B + R M) R likewise: A - (B + R M) R - (B R)^T
        t = vec.cross((b[i, 0], b[i, 1], b[i, 2]), r)
        u = vec.cross((m[i, 3], m[i, 4], m[i, 5]), r)
        a[i, 0], a[i, 1], a[i, 2] = -t[0], -t[1], -t[2]
        out[0, i] -= u[0]
        out[1, i] -= u[1]
        out[2, i] -= u[2]
    for i in range(3):
        for j in range(3):
            out[i, j] += m[i, j] + a[i, j]
            out[i, 3 + j] += b[i, j]
            out[3 + j, i] += b[i, j]
            out[3 + i, 3 + j] += m[3 + i, 3 + j]


# ---- recursive Newton-Euler


@kernel
def inverse_dynamics(links, bodies, states, gravity, forces, accelerations, out):
    """out (n,) = tau that gives these accelerations (n,) under external forces (links, 6) on the links; C at 0.

    The velocities are those of `kinematics.follow`.
    """
    for i in range(links.shape[0]):
        link, state = links[i], states[i]
        set_inertia(state)
        set_bias(state, forces[i])
        if link.parent == GROUND:
            set_base_acceleration(state.a, state, bodies[link.other], gravity)
        else:
            shift_motion(state.a, states[link.parent].a, state.r)
        for m in range(6):
            state.a[m] += state.c[m]
        for k in range(link.count):
            for m in range(6):
                state.a[m] += state.s[k, m] * accelerations[link.first + k]
        times(state.inertia, state.a, state.e)
        for m in range(6):
            state.p[m] += state.e[m]
    for i in range(links.shape[0] - 1, -1, -1):
        link, state = links[i], states[i]
        for k in range(link.count):
            out[link.first + k] = dot6(state.s[k], state.p)
        if link.parent != GROUND:
            add_force_back(states[link.parent].p, state.p, state.r)


# ---- composite rigid bodies


@kernel
def joint_inertia(links, states, out):
    """out (n, n) = H."""
    out[:] = 0.0
    for i in range(links.shape[0]):
        set_inertia(states[i])
    for i in range(links.shape[0] - 1, -1, -1):
        link, state = links[i], states[i]
        if link.parent != GROUND:
            add_inertia_back(states[link.parent].inertia, state.inertia, state.r)
        for k in range(link.count):
            f = state.u[k]
            times(state.inertia, state.s[k], f)
            row = link.first + k
            for m in range(k + 1):
                out[row, link.first + m] = out[link.first + m, row] = dot6(state.s[m], f)
            j = i
            while links[j].parent != GROUND:
                r = states[j].r
                vec.assign(f[0:3], vec.add(f[0:3], vec.cross(r, f[3:6])))
                j = links[j].parent
                for m in range(links[j].count):
                    out[row, links[j].first + m] = out[links[j].first + m, row] = dot6(states[j].s[m], f)


# ---- articulated bodies


@inline
def factor_small(d, count):
    """d = its Cholesky factor (lower), with reciprocals on the diagonal."""
    for j in range(count):
        pivot = d[j, j]
        for k in range(j):
            pivot -= d[j, k] * d[j, k]
        d[j, j] = 1.0 / math.sqrt(pivot)
        for i in range(j + 1, count):
            total = d[i, j]
            for k in range(j):
                total -= d[i, k] * d[j, k]
            d[i, j] = total * d[j, j]


@inline
def substitute_forward(d, x, count):
    for i in range(count):
        for k in range(i):
            x[i] -= d[i, k] * x[k]
        x[i] *= d[i, i]


@inline
def substitute_back(d, x, count):
    for i in range(count - 1, -1, -1):
        for k in range(i + 1, count):
            x[i] -= d[k, i] * x[k]
        x[i] *= d[i, i]


@routine
def leave_out(link, state):
    """I^a = I^A - U D^-1 U^T and U <- R^-1 U^T, D = R R^T: what the joint does not pass on (RBDA 7.23)."""
    for k in range(link.count):
        times(state.inertia, state.s[k], state.u[k])
    for k in range(link.count):
        for m in range(k + 1):
            state.d[k, m] = dot6(state.s[m], state.u[k])
    factor_small(state.d, link.count)
    for m in range(6):
        for i in range(link.count):
            for k in range(i):
                state.u[i, m] -= state.d[i, k] * state.u[k, m]
            state.u[i, m] *= state.d[i, i]
    for k in range(link.count):
        for m in range(6):
            for j in range(6):
                state.inertia[m, j] -= state.u[k, m] * state.u[k, j]


@kernel
def forward_dynamics(links, bodies, states, gravity, forces, tau, out):
    """out (n,) = qdd under joint forces tau (n,) and external forces (links, 6) on the links."""
    articulated_inertias(links, states)
    accelerations(links, bodies, states, gravity, forces, tau, out)


@kernel
def articulated_inertias(links, states):
    """I^a, U, R of all links: what the algorithm needs of the poses alone."""
    for i in range(links.shape[0]):
        set_inertia(states[i])
    for i in range(links.shape[0] - 1, -1, -1):
        leave_out(links[i], states[i])
        if links[i].parent != GROUND:
            add_inertia_back(states[links[i].parent].inertia, states[i].inertia, states[i].r)


@kernel
def accelerations(links, bodies, states, gravity, forces, tau, out):
    """`forward_dynamics`, with the `articulated_inertias` in the states."""
    passed = np.empty(6)
    for i in range(links.shape[0]):
        set_bias(states[i], forces[i])
    for i in range(links.shape[0] - 1, -1, -1):
        link, state = links[i], states[i]
        for k in range(link.count):
            state.e[k] = tau[link.first + k] - dot6(state.s[k], state.p)
        substitute_forward(state.d, state.e, link.count)
        if link.parent != GROUND:
            times(state.inertia, state.c, passed)
            for m in range(6):
                passed[m] += state.p[m]
                for k in range(link.count):
                    passed[m] += state.u[k, m] * state.e[k]
            add_force_back(states[link.parent].p, passed, state.r)
    for i in range(links.shape[0]):
        link, state = links[i], states[i]
        if link.parent == GROUND:
            set_base_acceleration(state.a, state, bodies[link.other], gravity)
        else:
            shift_motion(state.a, states[link.parent].a, state.r)
        for m in range(6):
            state.a[m] += state.c[m]
        for k in range(link.count):
            state.e[k] -= dot6(state.u[k], state.a)
        substitute_back(state.d, state.e, link.count)
        for k in range(link.count):
            out[link.first + k] = state.e[k]
            for m in range(6):
                state.a[m] += state.s[k, m] * state.e[k]


# ---- H = L^T L


@kernel
def factorize(above, h):
    """h (n, n), its lower triangle: H becomes L with H = L^T L; above: `Tree.above`."""
    for k in range(h.shape[0] - 1, -1, -1):
        h[k, k] = math.sqrt(h[k, k])
        i = above[k]
        while i >= 0:
            h[k, i] /= h[k, k]
            i = above[i]
        i = above[k]
        while i >= 0:
            j = i
            while j >= 0:
                h[i, j] -= h[k, i] * h[k, j]
                j = above[j]
            i = above[i]


@kernel
def half_solve(above, factor, x):
    """x (n, m) = L^-T x: so that T^T H^-1 T is the square of the result for T."""
    for c in range(x.shape[1]):
        for k in range(x.shape[0] - 1, -1, -1):
            x[k, c] /= factor[k, k]
            i = above[k]
            while i >= 0:
                x[i, c] -= factor[k, i] * x[k, c]
                i = above[i]


@kernel
def other_half_solve(above, factor, x):
    """x (n, m) = L^-1 x."""
    for c in range(x.shape[1]):
        for k in range(x.shape[0]):
            i = above[k]
            while i >= 0:
                x[k, c] -= factor[k, i] * x[i, c]
                i = above[i]
            x[k, c] /= factor[k, k]
