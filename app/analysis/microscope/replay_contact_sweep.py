"""Replay of one sweep of sequential impulses or soft steps, contact by contact: impulse before, candidate, bound, result.

Recomputed from the solver's rows, one contact after the other, with the law of physics/contact/laws.py
(physics/solvers/impulses/contact_sweeps.py); s < 1 in the first sweep of soft steps, else 1:

    w_n = n.dv - target,                      p_n* = s (p_n - w_n / K_nn),    p_n' = max(0, p_n*)                 (1)
    w_t = t.dv + K_tn (p_n' - p_n) - target,  p_t* = p_t - K_tt^-1 w_t                                            (2)
    |p_t*| <= mu p_n' (circle or k-gon):  p_t' = p_t*;  else  p_t' = projection of q = p_t - rate w_t             (3)
    V += M^-1 J^T (p' - p)

Joints come first in a sweep: one after the other (replay_joint_sweep.py), or all at once. The rest of the sweep are the
contacts, so the velocities before them are V = V_k - M^-1 J^T (p_k - p) with V_k and p_k at the end of the sweep. Between sweeps
impulses may be extrapolated along conjugate directions,

    p = p_k-1 + beta s,   s <- d_k-1 + beta s,   beta = min(1, |d_k-1|^2 / |d_k-2|^2),   d: change by a sweep      (4)

in the metric of the contacts' stiffness; 0 where d grew. `error` is the difference from the solver's own result.
"""

from dataclasses import dataclass

import numpy as np

from app.analysis.microscope import replay_joint_sweep
from app.analysis.microscope.sweeps import Start, Sweeps
from physics.constraints import contact_batches
from physics.contact.friction_cone import polygon
from physics.contact.laws import friction_update
from physics.contact.targets import TOUCH_GAP
from physics.core.quaternions import to_matrix
from physics.core.records import Kind, copy_of
from physics.solvers.sequential_impulses import RADIAL, SequentialImpulses
from physics.solvers.soft_steps import CONTACT_FREQUENCY, GROUND_STIFFNESS, JOINTS, REFRESH_ANGLE, SoftSteps, softness

SUPPORTED_SOLVERS = SequentialImpulses.name, SoftSteps.name
"""Solvers whose sweeps can be replayed."""

MAX_ERROR = 1e-6
"""Largest error of a replay that follows the solver, as a fraction of the largest impulse."""

SCRATCH_COLOURS = 63
"""Colours of physics/constraints/contact_batches.py, for its scratch arrays."""


@dataclass(frozen=True)
class SweepReplay:
    """Replay of one sweep, by contact. last: (c, 3) after the previous sweep; before: after (4); candidate: p* of (1) and (2);
    gradient: (c, 2) q of (3); radius: mu p_n'; after: p' (normal, and two of friction where the cone is round) [N s]; beta: of
    (4), 0: not applied; order: of visits; batch: (c,) equal numbers are solved together;
    joints: visits of those solved one after the other; error: largest difference of `after` from the solver's [N s]."""

    last: np.ndarray
    before: np.ndarray
    candidate: np.ndarray
    gradient: np.ndarray
    radius: np.ndarray
    after: np.ndarray
    beta: float
    order: np.ndarray
    batch: np.ndarray
    joints: tuple[replay_joint_sweep.BlockUpdate, ...]
    error: float

    @property
    def follows(self) -> bool:
        """Whether this sweep leads to the solver's impulses. It does not where others came in between, of which no record tells:
        those of mechanisms in joint space (physics/solvers/impulses/reduced_sweeps.py)."""
        return self.error <= MAX_ERROR * float(np.abs(self.after).max(initial=0.0))

    def outside(self, contact: int) -> bool:
        """Whether the friction candidate exceeds its bound."""
        return bool(np.any(self.after[contact, 1:] != self.candidate[contact, 1:]))


class ContactRows:
    """Contact rows of a step. frame: (c, 3, 3) n, t1, t2 (t2 scaled by the anisotropy); arms: (c, 2, 3), those of the sweep that
    is replayed."""

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
        self.stiff, self.joints, relaxed = np.ones(len(c)), (0.0, 1.0), swept
        if start.solver == SoftSteps.name:
            self.stiff, self.joints = self._softness(sweeps)
            relaxed = self._joined(start, swept, start.moved["pos"] + start.h * sweeps.velocity[min(1, sweeps.last)][:, :3])
        self.arms_of = swept, relaxed       # in the first sweep, and in those after it

    def _points(self, sweeps: Sweeps) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(arms at the start of the step, arms at the start of the substep, tangential targets), (4) of
        physics/constraints/contact_batches.py."""
        start = sweeps.start
        built = contact_batches.build(copy_of(start.contacts), copy_of(start.bodies), start.pairs, start.last_dt,
                                      start.options.gyroscopic)
        row, lane = np.nonzero(built.contact >= 0)
        points = np.empty((len(start.contacts), contact_batches.POINT_FIELDS))
        points[built.contact[row, lane]] = built.points[row, :, lane]
        arms, rates = (np.stack([points[:, k : k + 3] for k in of], axis=1)
                       for of in ((contact_batches.ARM_A, contact_batches.ARM_B),
                                  (contact_batches.SWEEP_A, contact_batches.SWEEP_B)))
        self.slides = points[:, contact_batches.SHARE_A]
        self.bent = start.h * (0.5 * points[:, contact_batches.CURVATURE_N]
                               + (start.substep - 0.5) * points[:, contact_batches.SWING])
        sideways = (points[:, [contact_batches.BELT_1, contact_batches.BELT_2]]
                    - 0.5 * start.h * points[:, [contact_batches.CURVATURE_1, contact_batches.CURVATURE_2]])
        swept = arms + (start.substep - 1) * start.h * rates
        return arms, self._joined(start, swept, start.moved["pos"]) if start.substep > 1 else swept, sideways

    def _joined(self, start: Start, arms: np.ndarray, pos: np.ndarray) -> np.ndarray:
        """Arms of a later substep, or of a relaxation, with the bodies at pos (n, 3): contact_batches.join_arms."""
        pair = np.stack([self.a, self.b], axis=1)
        apart = np.diff(pos[pair] + arms, axis=1)[:, 0]
        moving = (start.bodies["kind"][pair] == Kind.DYNAMIC).all(axis=1)
        far = np.linalg.norm(apart, axis=1) > contact_batches.SAME_POINT
        joined = moving & far & ~start.contacts["shift"].any(axis=1)
        of = np.einsum("ni,nki->nk", self.frame[:, 0], np.cross(start.moved["omega"][pair], apart[:, None]))
        turns = of[:, 1] - of[:, 0]
        rolls = np.abs(turns) > contact_batches.MIN_ROLL * np.linalg.norm(apart, axis=1)
        share = np.clip(np.divide(of[:, 1], turns, out=self.slides.copy(), where=rolls), 0.0, 1.0)[:, None]
        apart = np.where(joined[:, None], apart, 0.0)
        return arms + np.stack([share * apart, (share - 1.0) * apart], axis=1)

    def _softness(self, sweeps: Sweeps) -> tuple[np.ndarray, tuple[float, float]]:
        """(s of (1), (rate, scale) of the joints) in the first sweep of soft steps, soft_contacts.py."""
        start, o = sweeps.start, sweeps.start.options
        hertz = min(o.contact_hertz, CONTACT_FREQUENCY / start.h)
        between, ground = (softness(times * hertz, o.contact_damping, start.h)[1] for times in (1.0, GROUND_STIFFNESS))
        soft = np.where(self.light[self.a] * self.light[self.b] > 0.0, between, ground)
        apart = sweeps.contacts[0]["target"][:, 0] + self.bent < -TOUCH_GAP / start.h * (1.0 - 1e-12)
        return np.where(apart, 1.0, soft), softness(min(o.joint_hertz, JOINTS / start.h), o.joint_damping, start.h)

    def _refreshed(self, start: Start) -> bool:
        """Whether the solver's effective masses are of this substep, not of the start of the step."""
        if start.solver != SoftSteps.name or start.substep == 1:
            return False
        moving = start.bodies[start.bodies["kind"] == Kind.DYNAMIC]
        return bool((np.linalg.norm(moving["omega"], axis=1) * start.part > REFRESH_ANGLE).any())

    def _effective_masses(self) -> None:
        """Compute K of every contact, (3) of physics/constraints/contact_batches.py, and its inverses."""
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
        """Set the order in which contacts are visited."""
        n = len(self.contacts)
        patch = np.empty((n, 4), np.int32)
        found, _, _ = contact_batches.colour_batches(self.contacts, bodies, patch, np.empty(n + SCRATCH_COLOURS, np.int64))
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


class SweepReplayer:
    """Replays of all sweeps of a record of one of the SUPPORTED_SOLVERS."""

    def __init__(self, sweeps: Sweeps) -> None:
        self.sweeps, self.rows = sweeps, ContactRows(sweeps)
        self.impulses = np.array([self.rows.impulses(contacts) for contacts in sweeps.contacts])
        self.befores, self.betas = self._conjugate()
        self._made: dict[int, SweepReplay] = {}

    def _conjugate(self) -> tuple[np.ndarray, np.ndarray]:
        """(4): the impulses at the start of each sweep, (n + 1, c, 3), and beta, (n + 1,)."""
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

    def at(self, sweep: int) -> SweepReplay:
        """Replay of that sweep, 1 .. n."""
        if sweep not in self._made:
            self._made[sweep] = self._walk(sweep)
        return self._made[sweep]

    def _walk(self, k: int) -> SweepReplay:
        rows, before, end = self.rows, self.befores[k], self.impulses[k]
        rows.arms = rows.arms_of[min(k, 2) - 1]
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
            after[i, 1], after[i, 2], _ = friction_update(rows.polygon, radius[i], tuple(candidate[i, 1:]), tuple(gradient[i]))
            rows.kick(velocity, i, after[i] - p)
        return SweepReplay(self.impulses[k - 1], before, candidate, gradient, radius, after, float(self.betas[k]), rows.order,
                           rows.batch, visits, max(missed, float(np.abs(after - end).max(initial=0.0))))

    def _joints(self, k: int) -> tuple[np.ndarray, tuple[replay_joint_sweep.BlockUpdate, ...], float]:
        """(velocities before the contacts of that sweep, joint visits, their error against the solver's impulses)."""
        velocity, chain, options = self._velocity(k), self.sweeps.chain, self.sweeps.start.options
        if not chain.visited:
            return velocity, (), 0.0
        before, after = chain.rows["impulse"][k - 1], chain.rows["impulse"][k]
        begin = velocity.copy()
        replay_joint_sweep.effects(chain, k, begin, before - after)
        soft = self.rows.joints if k == 1 else (0.0, 1.0)
        visits = replay_joint_sweep.replay_sweep(chain, k, begin, *soft, getattr(options, "joint_friction", "") == RADIAL)
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
    turn = to_matrix(bodies["quat"])
    moves = bodies["kind"] == Kind.DYNAMIC
    return np.where(moves[:, None, None], turn @ bodies["inv_inertia"] @ np.transpose(turn, (0, 2, 1)), 0.0)
