"""Complementarity problems of Stewart and Trinkle 1996 (eq 17, stacked as in 25-29) in numpy, for tests and benchmarks.

Per contact k friction directions, one normal, one lambda; z = (beta, cn, lambda), all contacts' beta first:

    M = [ D'WD  D'Wn  E ]      q = [ D'v       ]         W: inverse masses, E = blockdiag(e), e = (1, ..., 1)
        [ n'WD  n'Wn  0 ]          [ n'v + gap/h ]
        [ -E'   mu    0 ]          [ 0         ]
"""

import numpy as np


def assemble(normals, tangents, inverse_mass, mu, velocity, gap_rate):
    """Return (M, q); normals (c, v), tangents (c, k, v), inverse masses (v,), mu (c,), velocity (v,), gap over step (c,)."""
    c, k, v = tangents.shape
    D, N = tangents.reshape(c * k, v), normals
    DW, NW = D * inverse_mass, N * inverse_mass
    E = np.kron(np.eye(c), np.ones((k, 1)))
    zero = np.zeros((c, c))
    M = np.block([[DW @ D.T, DW @ N.T, E], [NW @ D.T, NW @ N.T, zero], [-E.T, np.diag(mu), zero]])
    q = np.concatenate([D @ velocity, N @ velocity + gap_rate, np.zeros(c)])
    return M, q


def directions(k):
    """Return k unit vectors (k, 2); for even k each one's exact opposite is among them."""
    angles = 2.0 * np.pi * np.arange(k // 2) / k
    half = np.stack([np.cos(angles), np.sin(angles)], 1)
    return np.concatenate([half, -half])


def random_contacts(contacts, k=8, bodies=None, seed=0, mu=0.5, spread=1.0, nudge=0.0):
    """Return a problem of random contacts of free bodies with the ground and each other, masses differ; n = contacts (k + 2).
    nudge: random change of the velocities, for a problem close to another one."""
    random = np.random.default_rng(seed)
    bodies = bodies or max(2, contacts // 3)
    mass = 10.0 ** random.uniform(-0.5 * spread, 0.5 * spread, bodies)
    inverse_mass = np.repeat(1.0 / mass, 6) * np.tile([1, 1, 1, 10, 10, 10], bodies)
    normals, tangents = np.zeros((contacts, 6 * bodies)), np.zeros((contacts, k, 6 * bodies))
    for c in range(contacts):
        a = c % bodies
        b = (a + 1 + random.integers(bodies - 1)) % bodies if random.random() < 0.6 else -1
        n, s = np.linalg.qr(random.normal(size=(3, 3)))[0][:2]
        t = np.cross(n, s)
        ways = np.concatenate([n[None], directions(k) @ np.stack([s, t])])
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body < 0:
                continue
            arm = random.uniform(-0.3, 0.3, 3)
            wrench = sign * np.concatenate([ways, np.cross(arm, ways)], 1)
            normals[c, 6 * body:6 * body + 6] = wrench[0]
            tangents[c, :, 6 * body:6 * body + 6] = wrench[1:]
    velocity = random.normal(size=6 * bodies)
    gaps = random.uniform(0.0, 0.2, contacts)
    velocity += nudge * random.normal(size=6 * bodies)
    return assemble(normals, tangents, inverse_mass, np.full(contacts, mu), velocity, gaps)


def box_stacks(height, stacks=1, k=8, mu=0.5, points=4, fall=9.81 / 60.0, noise=0.0):
    """Return the problem of boxes stacked on the ground, four corner points between two: exactly symmetric, redundant; the only
    speed is that gained from gravity in a step. n = height * stacks * points * (k + 2). noise: random shift of the corners."""
    bodies, contacts = height * stacks, height * stacks * points
    normals, tangents = np.zeros((contacts, 6 * bodies)), np.zeros((contacts, k, 6 * bodies))
    corners = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])[np.arange(points) % 4] * 0.5
    random = np.random.default_rng(0)
    ways = np.concatenate([[[0.0, 0.0, 1.0]], np.pad(directions(k), ((0, 0), (0, 1)))])
    for body in range(bodies):
        for point in range(points):
            c = body * points + point
            for other, sign, z in ((body, 1.0, -0.5), (body - 1 if body % height else -1, -1.0, 0.5)):
                if other >= 0:
                    arm = np.array([*corners[point], z]) + noise * random.normal(size=3)
                    wrench = sign * np.concatenate([ways, np.cross(arm, ways)], 1)
                    normals[c, 6 * other:6 * other + 6] = wrench[0]
                    tangents[c, :, 6 * other:6 * other + 6] = wrench[1:]
    velocity = np.tile([0.0, 0.0, -fall, 0.0, 0.0, 0.0], bodies)
    inverse_mass = np.tile([1.0, 1.0, 1.0, 6.0, 6.0, 6.0], bodies)
    return assemble(normals, tangents, inverse_mass, np.full(contacts, mu), velocity, np.zeros(contacts))
