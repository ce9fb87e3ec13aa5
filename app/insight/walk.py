"""Within one sweep of sequential impulses or soft steps: each contact in turn, what it was, what it would be, what it may be.

Computed again in plain numbers, one contact after the other, from the rows that the solver has (physics/solvers/_contacts.py);
s < 1 in the first sweep of soft steps, else 1:

    w_n = n.dv - target,                      p_n* = s (p_n - w_n / K_nn),    p_n' = max(0, p_n*)                 (1)
    w_t = t.dv + K_tn (p_n' - p_n) - target,  p_t* = p_t - K_tt^-1 w_t                                            (2)
    |p_t*| <= mu p_n' (circle or k-gon):  p_t' = p_t*;  else  p_t' = projection of q = p_t - rate w_t             (3)
    V += M^-1 J^T (p' - p)

Joints come first in a sweep: one after the other (joint_walk.py), or all at once. All that is left of it are its contacts, so
the velocities before them are V = V_k - M^-1 J^T (p_k - p) with the end of the sweep, V_k and p_k. Between sweeps impulses may go
on in conjugate directions,

    p = p_k-1 + beta s,   s <- d_k-1 + beta s,   beta = min(1, |d_k-1|^2 / |d_k-2|^2),   d: change by a sweep      (4)

in the metric of the contacts' stiffness; 0 where it grew. `error` says how far all this is from what the solver has.
"""

from dataclasses import dataclass

import numpy as np

from app.insight import joint_walk
from app.insight.sweeps import Start, Sweeps
from physics import patches
from physics.contact_law import TOUCH
from physics.core.records import Kind, copy_of
from physics.friction import inside, polygon, project
from physics.solvers.sequential_impulses import RADIAL, SequentialImpulses
from physics.solvers.soft_steps import CONTACTS, GROUND, JOINTS, TURNS, SoftSteps, softness

KNOWN = SequentialImpulses.name, SoftSteps.name
"""Solvers whose sweeps are these."""

ROOMS = 63
"""Colours of physics/patches.py, for its scratch space."""


@dataclass(frozen=True)
class Walk:
    """One sweep. All by contact: last: (c, 3) after the sweep before; before: after (4); candidate: p* of (1) and (2);
    gradient: (c, 2) q of (3); radius: mu p_n'; after: p' (normal, and two of friction where the cone is round) [N s]; beta: of
    (4), 0: not done; order: the contacts as they are visited; batch: (c,) those with the same number are solved side by side;
    joints: visits of those that are solved one after the other; error: largest difference of `after` from the solver's [N s]."""

    last: np.ndarray
    before: np.ndarray
    candidate: np.ndarray
    gradient: np.ndarray
    radius: np.ndarray
    after: np.ndarray
    beta: float
    order: np.ndarray
    batch: np.ndarray
    joints: tuple[joint_walk.Visit, ...]
    error: float

    def outside(self, contact: int) -> bool:
        """Whether friction would have left its bound."""
        return bool(np.any(self.after[contact, 1:] != self.candidate[contact, 1:]))


class Rows:
    """The contacts' rows of a step. frame: (c, 3, 3) n, t1, t2 (t2 as long as friction is anisotropic); arms: (c, 2, 3)."""

    def __init__(self, sweeps: Sweeps) -> None:
        start, bodies = sweeps.start, sweeps.start.bodies
        self.contacts = c = start.contacts
        self.a, self.b = c["body_a"], c["body_b"]
        second = np.cross(c["normal"], c["tangent"]) * c["anisotropy"][:, None]
        self.frame = np.stack([c["normal"], c["tangent"], second], axis=1)
        self.arms, swept, self.sideways = self._points(sweeps)
        self.mu = c["friction"]
        self.light = np.where(bodies["kind"] == Kind.DYNAMIC, bodies["inv_mass"], 0.0)
        self.inertia = _inertia(bodies)
        if self._refreshed(start):
            self.arms, self.inertia = swept, _inertia(start.moved)
        self._effective_masses()
        self.arms, self.inertia = swept, _inertia(start.moved)
        self.polygon = polygon(start.options.polygon_facets)
        self._arrange(bodies)
        self.stiff, self.joints = self._softness(sweeps) if start.solver == SoftSteps.name else (np.ones(len(c)), (0.0, 1.0))

    def _points(self, sweeps: Sweeps) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(arms as the step begins, arms as the substep begins, tangential targets), (4) of physics/patches.py."""
        start = sweeps.start
        built = patches.build(copy_of(start.contacts), copy_of(start.bodies), start.pairs, start.last_dt,
                              start.options.gyroscopic)
        row, lane = np.nonzero(built.contact >= 0)
        points = np.empty((len(start.contacts), patches.FIELDS))
        points[built.contact[row, lane]] = built.points[row, :, lane]
        arms, rates = (np.stack([points[:, k : k + 3] for k in of], axis=1)
                       for of in ((patches.ARM_A, patches.ARM_B), (patches.SWEEP_A, patches.SWEEP_B)))
        self.bent = start.h * (0.5 * points[:, patches.BEND_N] + (start.substep - 0.5) * points[:, patches.SWING])
        sideways = (points[:, [patches.BELT_1, patches.BELT_2]]
                    - 0.5 * start.h * points[:, [patches.BEND_1, patches.BEND_2]])
        return arms, arms + (start.substep - 1) * start.h * rates, sideways

    def _softness(self, sweeps: Sweeps) -> tuple[np.ndarray, tuple[float, float]]:
        """(s of (1), (rate, scale) of the joints) in the first sweep of soft steps, _soft_contacts.py."""
        start, o = sweeps.start, sweeps.start.options
        hertz = min(o.contact_hertz, CONTACTS / start.h)
        between, ground = (softness(times * hertz, o.contact_damping, start.h)[1] for times in (1.0, GROUND))
        soft = np.where(self.light[self.a] * self.light[self.b] > 0.0, between, ground)
        apart = sweeps.contacts[0]["target"][:, 0] + self.bent < -TOUCH / start.h * (1.0 - 1e-12)
        return np.where(apart, 1.0, soft), softness(min(o.joint_hertz, JOINTS / start.h), o.joint_damping, start.h)

    def _refreshed(self, start: Start) -> bool:
        """Whether the solver has effective masses of this substep, not of the step's beginning."""
        if start.solver != SoftSteps.name or start.substep == 1:
            return False
        moving = start.bodies[start.bodies["kind"] == Kind.DYNAMIC]
        return bool((np.linalg.norm(moving["omega"], axis=1) * start.h * start.parts > TURNS).any())

    def _effective_masses(self) -> None:
        """K of every contact, (3) of physics/patches.py, and what follows from it."""
        turns = [np.cross(self.arms[:, side, None], self.frame) for side in (0, 1)]
        light = self.light[self.a] + self.light[self.b]
        self.K = light[:, None, None] * np.einsum("cik,cjk->cij", self.frame, self.frame)
        for turned, body in zip(turns, (self.a, self.b)):
            self.K += np.einsum("cik,ckl,cjl->cij", turned, self.inertia[body], turned)
        k11, k12, k22 = self.K[:, 1, 1], self.K[:, 1, 2], self.K[:, 2, 2]
        largest = np.maximum(k11, k22) + np.abs(k12)
        self.rate, self.stiffness = 1.0 / largest, np.maximum(self.K[:, 0, 0], largest)
        self.inverse = np.linalg.inv(self.K[:, 1:, 1:])

    def _arrange(self, bodies: np.ndarray) -> None:
        """The order in which contacts are visited."""
        n = len(self.contacts)
        patch = np.empty((n, 4), np.int32)
        found, _, _ = patches.arrange(self.contacts, bodies, patch, np.empty(n + ROOMS, np.int64))
        visits = sorted(patch[:found].tolist(), key=lambda p: (p[2], p[3]))
        self.order = np.array([first + i for first, count, _, _ in visits for i in range(count)], int)
        self.batch = np.zeros(n, int)
        for first, count, batch, _ in visits:
            self.batch[first : first + count] = batch

    def impulses(self, contacts: np.ndarray) -> np.ndarray:
        """(c, 3) of contacts after some sweeps: normal, and friction along t1 and t2 [N s]."""
        along = np.einsum("ck,cik->ci", contacts["friction_impulse"], self.frame[:, 1:])
        along[:, 1] /= np.maximum(contacts["anisotropy"] ** 2, 1e-300)
        return np.column_stack([contacts["impulse"], along])

    def kick(self, velocity: np.ndarray, i: int, impulse: np.ndarray) -> None:
        """V += M^-1 J^T p of one contact."""
        push = impulse @ self.frame[i]
        for sign, body, arm in ((-1.0, self.a[i], self.arms[i, 0]), (1.0, self.b[i], self.arms[i, 1])):
            velocity[body, :3] += sign * self.light[body] * push
            velocity[body, 3:] += sign * self.inertia[body] @ np.cross(arm, push)

    def sliding(self, velocity: np.ndarray, i: int) -> np.ndarray:
        """Velocity of b against a along n, t1, t2 [m/s]."""
        a, b = velocity[self.a[i]], velocity[self.b[i]]
        return self.frame[i] @ (b[:3] + np.cross(b[3:], self.arms[i, 1]) - a[:3] - np.cross(a[3:], self.arms[i, 0]))


class Walks:
    """The walks of all sweeps of a record of one of the KNOWN solvers."""

    def __init__(self, sweeps: Sweeps) -> None:
        self.sweeps, self.rows = sweeps, Rows(sweeps)
        self.impulses = np.array([self.rows.impulses(contacts) for contacts in sweeps.contacts])
        self.befores, self.betas = self._conjugate()
        self._made: dict[int, Walk] = {}

    def _conjugate(self) -> tuple[np.ndarray, np.ndarray]:
        """(4): the impulses that each sweep began with, (n + 1, c, 3), and beta, (n + 1,)."""
        befores, betas = self.impulses.copy(), np.zeros(len(self.impulses))
        befores[1:] = self.impulses[:-1]
        if not getattr(self.sweeps.start.options, "acceleration", False):
            return befores, betas
        search, sum_before = None, 0.0
        for k in range(1, len(self.impulses) - 1):
            change = self.impulses[k] - befores[k]
            total = float(np.sum(np.sum(change**2, axis=1) * self.rows.stiffness))
            beta = min(1.0, total / sum_before) if 0.0 < total <= sum_before else 0.0
            if search is not None and beta > 0.0:
                befores[k + 1] = self.impulses[k] + beta * search
                search, betas[k + 1] = change + beta * search, beta
            else:
                search = change
            sum_before = total
        return befores, betas

    def at(self, sweep: int) -> Walk:
        """The walk of that sweep, 1 .. n."""
        if sweep not in self._made:
            self._made[sweep] = self._walk(sweep)
        return self._made[sweep]

    def _walk(self, k: int) -> Walk:
        rows, before, end = self.rows, self.befores[k], self.impulses[k]
        velocity, visits, missed = self._joints(k)
        normal, share = self.sweeps.contacts[k - 1]["target"][:, 0], rows.stiff if k == 1 else np.ones(len(before))
        candidate, after, gradient, radius = before.copy(), before.copy(), before[:, 1:].copy(), np.zeros(len(before))
        for i in rows.order:
            p, K = before[i], rows.K[i]
            w = rows.sliding(velocity, i) - [normal[i], *rows.sideways[i]]
            candidate[i, 0] = share[i] * (p[0] - w[0] / K[0, 0])
            after[i, 0] = max(0.0, candidate[i, 0])
            slip = w[1:] + K[1:, 0] * (after[i, 0] - p[0])
            candidate[i, 1:] = p[1:] - rows.inverse[i] @ slip
            gradient[i] = p[1:] - rows.rate[i] * slip
            radius[i] = rows.mu[i] * after[i, 0]
            if radius[i] <= 0.0:
                after[i, 1:] = 0.0
            elif inside(rows.polygon, radius[i], *candidate[i, 1:]):
                after[i, 1:] = candidate[i, 1:]
            else:
                after[i, 1:] = project(rows.polygon, radius[i], *gradient[i])
            rows.kick(velocity, i, after[i] - p)
        return Walk(self.impulses[k - 1], before, candidate, gradient, radius, after, float(self.betas[k]), rows.order,
                    rows.batch, visits, max(missed, float(np.abs(after - end).max(initial=0.0))))

    def _joints(self, k: int) -> tuple[np.ndarray, tuple[joint_walk.Visit, ...], float]:
        """(velocities before the contacts of that sweep, visits of joints, by how much these miss the solver's impulses)."""
        velocity, chain, options = self._velocity(k), self.sweeps.chain, self.sweeps.start.options
        if not len(chain.blocks):
            return velocity, (), 0.0
        before, after = chain.impulses[k - 1], chain.impulses[k]
        begin = velocity.copy()
        joint_walk.effects(chain, begin, before - after)
        soft = self.rows.joints if k == 1 else (0.0, 1.0)
        visits = joint_walk.walk(chain, before, begin, *soft, getattr(options, "joint_friction", "") == RADIAL)
        found = np.concatenate([visit.after for visit in visits])
        return velocity, visits, float(np.abs(found - after).max(initial=0.0))

    def _velocity(self, k: int) -> np.ndarray:
        """Velocities before the contacts of that sweep."""
        rows, velocity = self.rows, self.sweeps.velocity[k].copy()
        for i in rows.order:
            rows.kick(velocity, i, self.befores[k, i] - self.impulses[k, i])
        spun = self.sweeps.contacts[k]["spin_impulse"] - self.sweeps.contacts[k - 1]["spin_impulse"]
        for i in np.flatnonzero(np.any(spun != 0.0, axis=1)):
            velocity[rows.b[i], 3:] -= rows.inertia[rows.b[i]] @ spun[i]
            velocity[rows.a[i], 3:] += rows.inertia[rows.a[i]] @ spun[i]
        return velocity


def _inertia(bodies: np.ndarray) -> np.ndarray:
    """I^-1 of all bodies, world frame (n, 3, 3); 0 where they do not turn."""
    turn = _rotations(bodies["quat"])
    moves = bodies["kind"] == Kind.DYNAMIC
    return np.where(moves[:, None, None], turn @ bodies["inv_inertia"] @ np.transpose(turn, (0, 2, 1)), 0.0)


def _rotations(quat: np.ndarray) -> np.ndarray:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4)."""
    w, x, y, z = quat.T
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1),
        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)], axis=1)
