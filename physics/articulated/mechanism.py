"""The mechanisms of a world as one state (q, qd) that a solver moves: bodies are placed from it.

    y = (q, qd),   y' = (N(q) qd, qdd)         N = 1, but of a quaternion p with velocity w:  p' = p (0, w) / 2          (1)

Rows. A row (lin, ang) of a link's velocity about its centre of mass x_i is, in joint velocities, seen from each link j on the way
to the ground with the moment there, ang_j = ang + (x_i - x_j) x lin:

    row . v_i = sum_j (lin . S_j,lin + ang_j . S_j,ang) qd_j                                                             (2)
"""

from typing import Any

import numpy as np

from physics.articulated import dynamics, kinematics
from physics.articulated.joint_space import JointSpace, kinds_of, moving
from physics.articulated.kinematics import ALL_TURNS
from physics.articulated.momentum import momenta_gained, spin
from physics.articulated.tree import GROUND, Tree, tree_of
from physics.core import quat, vec
from physics.core.jit import inline, kernel
from physics.core.records import Kind
from physics.dynamics import integrate, kinematic_velocity
from physics.dynamics.integrate import turned

_KINEMATIC = Kind.KINEMATIC

ALLOWED = 1e-8
"""Difference of the bodies' velocities from what their joints allow that is rounding [m/s] or [rad/s]."""


MAX_ROUNDS, RATE_TOLERANCE = 20, 1e-14
"""Rounds in which qd is found from momenta that lag, each gains the factor h |dC/dqd|; the relative change that ends them."""


_READ = "kind", "body_a", "body_b", "param", "anchor_a", "anchor_b", "frame_a", "frame_b"
"""Fields of JOINT that a tree follows from."""


class TreeCache:
    """The tree of a world, made again when anything that it follows from has changed. cut_free: see `tree_of`."""

    def __init__(self, cut_free: bool) -> None:
        self._cut_free = cut_free
        self._key: tuple = ()
        self._tree: Tree | None = None

    def of(self, world: Any) -> Tree:
        moves, bodies, joints = moving(world), world.bodies, world.joints
        key = world.joint_kinds, moves.tobytes(), bodies["mass"].tobytes(), *(joints[name].tobytes() for name in _READ)
        if key != self._key or self._tree is None:
            self._key, self._tree = key, tree_of(bodies, joints, kinds_of(world.joint_kinds), moves, self._cut_free)
        return self._tree


class Mechanism:
    """The state of all mechanisms of a world.

    q (places,), qd (n,): coordinates and velocities of the start. states: kinematics.STATE of where the bodies were placed last.
    carriers: the kinematic bodies.
    """

    def __init__(self, world: Any, tree: Tree, ramp: float = 0.0) -> None:
        """ramp: as of `Carriers`."""
        self.world, self.tree = world, tree
        self.states = np.zeros(len(tree.links), kinematics.STATE)
        self.q, self.qd = np.zeros(tree.places), np.zeros(tree.size)
        self.space: JointSpace | None = None      # where it was needed to read the velocities
        self.carriers = Carriers(world.bodies, ramp)
        self.states["carried"] = self.carriers.under(tree.links)
        self.carriers.accelerate(0.0)
        continue_angles(tree.links, world.joints, self.q)
        kinematics.coordinates_of(tree.links, world.bodies, self.q)
        self.read_velocities()

    def read_velocities(self) -> None:
        """qd from the velocities of the bodies. If these lag behind the poses, or joints do not allow them because they or that
        of a kinematic body were just set: so that J^T times their momenta is right, momentum.py (2)."""
        links, bodies = self.tree.links, self.world.bodies
        refresh_inertias(bodies)
        kinematics.begin(links, bodies, self.states, self.qd)
        kinematics.follow(links, bodies, self.states, self.qd)
        lagging = bodies["velocity_lag"][links["body"][links["joint"] >= 0]] > integrate.INSTANT_LAG
        if lagging.any() or apart(links, self.states, bodies) > ALLOWED:
            self.space = JointSpace(self.world, tree=self.tree)
            rates_from_momenta(links, bodies, self.states, self.tree.above, self.space.factor, self.qd)

    def place(self, q: np.ndarray, qd: np.ndarray, time: float) -> None:
        """Poses and velocities of the bodies at coordinates q with velocities qd; kinematic ones after `time` [s]."""
        self.carriers.move(time)
        place(self.tree.links, q, qd, self.world.bodies, self.states)

    def rates(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """N(q) qd of (1), (places,)."""
        out = np.empty(self.tree.places)
        rates(self.tree.links, q, qd, out)
        return out

    def normalise(self, q: np.ndarray) -> None:
        """Give the quaternions in q unit length."""
        normalise(self.tree.links, q)

    def normal_rows(self, contacts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(T (n, contacts), rates of the gaps (contacts,) [m/s]) of CONTACT records where the bodies were placed."""
        out, speeds = np.zeros((len(contacts), self.tree.size)), np.zeros(len(contacts))
        normal_rows(contacts, self.world.bodies, self.tree.links, self.states, self.tree.of_body, out, speeds)
        return out.T, speeds

    def rows(self, rows: np.ndarray, ends: np.ndarray, states: np.ndarray | None = None) -> np.ndarray:
        """(rows, n): ROW records between bodies `ends` (rows, 2) in joint velocities, at `states` (links,), by default where the
        bodies were placed."""
        out = np.zeros((len(rows), self.tree.size))
        project(rows, ends, self.tree.links, self.states if states is None else states, self.tree.of_body, out)
        return out


class Carriers:
    """The kinematic bodies of BODY records within a step, from their present poses on.

    accelerations (bodies, 6): linear and angular [m/s^2], [rad/s^2]. index: those that move.
    """

    def __init__(self, bodies: np.ndarray, ramp: float) -> None:
        """ramp: time in which velocities change as dynamics/kinematic_velocity.py has it [s]; 0: they stay as they are given."""
        self._bodies, self._ramp, self.accelerations = bodies, ramp, np.zeros((len(bodies), 6))
        self.index = np.flatnonzero((bodies["kind"] == _KINEMATIC) & (
            bodies["vel"].any(axis=1) | bodies["omega"].any(axis=1) | bodies["before"].any(axis=1)))
        if len(self.index):
            self._given = np.hstack([bodies["vel"], bodies["omega"]])
            self._poses = bodies["pos"][self.index], bodies["quat"][self.index]
        if len(self.index) and ramp > 0.0:
            first, last = (self._velocities(share) for share in (0.0, 1.0))
            self.accelerations[self.index] = (last - first)[self.index] / ramp
            self.restore_velocities()

    def _velocities(self, share: float) -> np.ndarray:
        ramp_velocity(self._bodies, self._given, share)
        return np.hstack([self._bodies["vel"], self._bodies["omega"]])

    def under(self, links: np.ndarray) -> np.ndarray:
        """(links, 6): kinematics.STATE.carried."""
        if not len(self.index):
            return np.zeros((len(links), 6))
        found = self.accelerations[links["other"]][:, [3, 4, 5, 0, 1, 2]]
        found[links["parent"] != GROUND] = 0.0
        return found

    def accelerate(self, time: float) -> None:
        """Give the bodies their velocities at a time of the step [s]."""
        if len(self.index):
            ramp_velocity(self._bodies, self._given, self._share(time))

    def move(self, time: float) -> None:
        """Give the bodies their poses and velocities at a time of the step [s]; the way is that with their mean velocity."""
        if len(self.index):
            self.accelerate(0.5 * time)
            carry(self.index, *self._poses, time, self._bodies)
            self.accelerate(time)

    def restore_velocities(self) -> None:
        """Give the bodies the velocities that they had been given."""
        if len(self.index):
            ramp_velocity(self._bodies, self._given, 0.5)

    def _share(self, time: float) -> float:
        return time / self._ramp if self._ramp > 0.0 else 0.5


def continue_angles(links: np.ndarray, joints: np.ndarray, q: np.ndarray) -> None:
    """Set angles in q (places,) to those of the joints, which count whole turns, before `coordinates_of` takes the nearest."""
    turning = links[(links["joint"] >= 0) & (links["turns"] == kinematics.ABOUT_Z)]
    last = turning["count"] - 1
    q[turning["place"] + last] = joints["coordinate"][turning["joint"], last]


def store_angles(links: np.ndarray, q: np.ndarray, joints: np.ndarray) -> None:
    """The reverse of `continue_angles`: whole turns of q are those of the joints."""
    turning = links[(links["joint"] >= 0) & (links["turns"] == kinematics.ABOUT_Z)]
    last = turning["count"] - 1
    joints["coordinate"][turning["joint"], last] = q[turning["place"] + last]


def place(links: np.ndarray, q: np.ndarray, qd: np.ndarray, bodies: np.ndarray, states: np.ndarray) -> None:
    """Poses, velocities and STATE of the links at coordinates q (places,) with velocities qd (n,)."""
    kinematics.place(links, q, bodies)
    kinematics.begin(links, bodies, states, np.empty_like(qd))
    kinematics.follow(links, bodies, states, qd)
    kinematics.set_velocities(links, states, bodies)


@kernel
def refresh_inertias(bodies):
    """Refresh the world inertias, which rows of springs read."""
    integrate.inertias(bodies)


@kernel
def normalise(links, coordinates):
    """Give the quaternions in coordinates (places,) unit length."""
    for n in range(links.shape[0]):
        link = links[n]
        if link.turns == ALL_TURNS:
            at = link.place + link.count - 3
            size = 0.0
            for k in range(4):
                size += coordinates[at + k] ** 2
            for k in range(4):
                coordinates[at + k] /= np.sqrt(size)


@kernel
def ramp_velocity(bodies, given, share):
    """Set kinematic bodies to their velocities at a share of the step; given (bodies, 6)."""
    kinematic_velocity.set_velocity_at(bodies, given, share)


@kernel
def carry(movers, pos, orientation, time, bodies):
    """Move kinematic bodies from poses pos (m, 3), orientation (m, 4) on for `time` [s]."""
    for k in range(movers.shape[0]):
        b = bodies[movers[k]]
        vec.assign(b.pos, vec.madd(pos[k], b.vel, time))
        q = turned((orientation[k, 0], orientation[k, 1], orientation[k, 2], orientation[k, 3]), time * b.omega[0],
                      time * b.omega[1], time * b.omega[2])
        for i in range(4):
            b.quat[i] = q[i]


@kernel
def apart(links, states, bodies):
    """Largest difference of the velocities of bodies and links [m/s] or [rad/s]."""
    largest = 0.0
    for i in range(links.shape[0]):
        b, v = bodies[links[i].body], states[i].v
        for k in range(3):
            largest = max(largest, max(abs(v[k] - b.omega[k]), abs(v[3 + k] - b.vel[k])))
    return largest


@kernel
def rates(links, coordinates, velocities, out):
    """out (places,) = N(q) qd of (1)."""
    for i in range(links.shape[0]):
        link = links[i]
        turns = 3 if link.turns == ALL_TURNS else 0
        for k in range(link.count - turns):
            out[link.place + k] = velocities[link.first + k]
        if turns != 0:
            at, of = link.place + link.count - 3, link.first + link.count - 3
            p = quat.multiply((coordinates[at], coordinates[at + 1], coordinates[at + 2], coordinates[at + 3]),
                              (0.0, velocities[of], velocities[of + 1], velocities[of + 2]))
            for k in range(4):
                out[at + k] = 0.5 * p[k]


@inline
def add_row(links, states, link, lin, ang, out):
    """out (n,) += a row of the velocity of a link, (2)."""
    i = link
    while i != GROUND:
        for k in range(links[i].count):
            s = states[i].s[k]
            out[links[i].first + k] += vec.dot(lin, s[3:6]) + vec.dot(ang, s[0:3])
        ang = vec.add(ang, vec.cross(states[i].r, lin))
        i = links[i].parent


@kernel
def rates_from_momenta(links, bodies, states, above, factor, qd):
    """qd (n,) and `states` with J^T p of the bodies' momenta at their times, by H qd = .. (momentum.py, 2); factor: of H."""
    n = links.shape[0]
    change, gained = np.empty((qd.shape[0], 1)), np.empty((n, 6))
    for _ in range(MAX_ROUNDS):
        momenta_gained(links, bodies, states, gained)
        change[:] = 0.0
        for i in range(n):
            b, v = bodies[links[i].body], states[i].v
            lin = vec.scale(vec.sub(vec.copy(b.vel), (v[3], v[4], v[5])), b.mass)
            ang = spin(b, quat.copy(b.quat), vec.sub(vec.copy(b.omega), (v[0], v[1], v[2])))
            add_row(links, states, i, vec.add(lin, gained[i, 0:3]), vec.add(ang, gained[i, 3:6]), change[:, 0])
        dynamics.half_solve(above, factor, change)
        dynamics.other_half_solve(above, factor, change)
        largest, size = 0.0, 1.0
        for k in range(qd.shape[0]):
            qd[k] += change[k, 0]
            largest, size = max(largest, abs(change[k, 0])), max(size, abs(qd[k]))
        kinematics.follow(links, bodies, states, qd)
        if not largest > RATE_TOLERANCE * size:
            break


@kernel
def normal_rows(contacts, bodies, links, states, of_body, out, speeds):
    """out (contacts, n): gradients of the gaps; speeds (contacts,): their rates, those of kinematic bodies included."""
    for m in range(contacts.shape[0]):
        c = contacts[m]
        a, b = bodies[c.body_a], bodies[c.body_b]
        r_a, r_b = vec.sub(c.pos, a.pos), vec.sub(vec.add(c.pos, c.shift), b.pos)
        n = vec.copy(c.normal)
        speeds[m] = 0.0
        if of_body[c.body_b] >= 0 or b.kind == _KINEMATIC:
            speeds[m] += vec.dot(n, vec.add(b.vel, vec.cross(b.omega, r_b)))
        if of_body[c.body_a] >= 0 or a.kind == _KINEMATIC:
            speeds[m] -= vec.dot(n, vec.add(a.vel, vec.cross(a.omega, r_a)))
        add_row(links, states, of_body[c.body_b], n, vec.cross(r_b, n), out[m])
        away = vec.scale(n, -1.0)
        add_row(links, states, of_body[c.body_a], away, vec.cross(r_a, away), out[m])


@kernel
def project(rows, ends, links, states, of_body, out):
    """out (rows, n): ROW records in joint velocities; ends (rows, 2): their bodies."""
    for m in range(rows.shape[0]):
        row = rows[m]
        add_row(links, states, of_body[ends[m, 0]], vec.copy(row.lin_a), vec.copy(row.ang_a), out[m])
        add_row(links, states, of_body[ends[m, 1]], vec.copy(row.lin_b), vec.copy(row.ang_b), out[m])


def ends_of(joints: np.ndarray) -> np.ndarray:
    """(n, 2): bodies of JOINT records, as `project` takes them."""
    return np.array([joints["body_a"], joints["body_b"]], np.int64).T.copy()
