"""The mechanisms of a world as one state (q, qd) that a solver moves: bodies are placed from it, impulses come back to joints.

    y = (q, qd),   y' = (N(q) qd, qdd)         N = 1, but of a quaternion p with velocity w:  p' = p (0, w) / 2          (1)

Rows. A row (lin, ang) of a link's velocity about its centre of mass x_i is, in joint velocities, seen from each link j on the way
to the ground with the moment there, ang_j = ang + (x_i - x_j) x lin:

    row . v_i = sum_j (lin . S_j,lin + ang_j . S_j,ang) qd_j                                                             (2)

Reactions. With P_i, L_i the changes of a link's momentum and angular momentum, less what gravity, applied forces and contacts
gave, its joint gave the rest; from the leaves to the root, r from the parent's centre of mass to that of the child c:

    f_i = P_i + sum_c f_c,   n_i = L_i + sum_c (n_c + r x f_c)                                                           (3)

Of a floating root nothing may be left: its tree moves as one by what is missing, so that momentum is conserved to the last digit.
"""

from typing import Any

import numpy as np

from physics.articulated import kinematics
from physics.articulated.joint_space import JointSpace, kinds_of, moving
from physics.articulated.kinematics import ALL_TURNS
from physics.articulated.tree import GROUND, Tree, tree_of
from physics.core import mat3, quat, vec
from physics.core.jit import inline, kernel, routine
from physics.core.records import Kind
from physics.dynamics import integrate, kinematic_velocity
from physics.dynamics.integrate import turned
from physics.dynamics.measure import SINCE

_DYNAMIC, _KINEMATIC = int(Kind.DYNAMIC), int(Kind.KINEMATIC)
_POS, _QUAT, _VEL, _OMEGA = 0, 3, 7, 10
"""First columns of measure.copy_motion."""


ALLOWED = 1e-8
"""Difference of the bodies' velocities from what their joints allow that is rounding [m/s] or [rad/s]."""


class TreeCache:
    """The tree of a world, made again when its structure or the set of moving bodies changes."""

    def __init__(self) -> None:
        self._key: tuple = ()
        self._tree: Tree | None = None

    def of(self, world: Any) -> Tree:
        moves = moving(world)
        key = id(world), world.revision, moves.tobytes()
        if key != self._key or self._tree is None:
            self._key, self._tree = key, tree_of(world.bodies, world.joints, kinds_of(world.joint_kinds), moves)
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
        self.carriers = Carriers(world.bodies, ramp)
        self.states["carried"] = self.carriers.under(tree.links)
        self.carriers.accelerate(0.0)
        continue_angles(tree.links, world.joints, self.q)
        kinematics.coordinates_of(tree.links, world.bodies, self.q)
        self.read_velocities()

    def read_velocities(self) -> None:
        """qd from the velocities of the bodies. Where joints do not allow these, because they or that of a kinematic body were
        just set: H qd = sum J^T M (v - v0), v0: velocities at qd = 0."""
        links, bodies = self.tree.links, self.world.bodies
        refresh_inertias(bodies)
        kinematics.begin(links, bodies, self.states, self.qd)
        kinematics.follow(links, bodies, self.states, self.qd)
        if apart(links, self.states, bodies) > ALLOWED:
            momentum = np.zeros(self.tree.size)
            kinematics.follow(links, bodies, self.states, momentum)
            join(links, self.states, bodies, momentum)
            self.qd = JointSpace(self.world, tree=self.tree).solve(momentum)
            kinematics.follow(links, bodies, self.states, self.qd)

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

    def rows(self, rows: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """(rows, n): ROW records between bodies `ends` (rows, 2) in joint velocities, where the bodies were placed."""
        out = np.zeros((len(rows), self.tree.size))
        project(rows, ends, self.tree.links, self.states, self.tree.of_body, out)
        return out


class Carriers:
    """The kinematic bodies of BODY records within a step, from their present poses on.

    accelerations (bodies, 6): linear and angular [m/s^2], [rad/s^2].
    """

    def __init__(self, bodies: np.ndarray, ramp: float) -> None:
        """ramp: time in which velocities change as dynamics/kinematic_velocity.py has it [s]; 0: they stay as they are given."""
        self._bodies, self._ramp, self.accelerations = bodies, ramp, np.zeros((len(bodies), 6))
        self._index = np.flatnonzero((bodies["kind"] == _KINEMATIC) & (
            bodies["vel"].any(axis=1) | bodies["omega"].any(axis=1) | bodies["before"].any(axis=1)))
        if len(self._index):
            self._given = np.hstack([bodies["vel"], bodies["omega"]])
            self._poses = bodies["pos"][self._index], bodies["quat"][self._index]
        if len(self._index) and ramp > 0.0:
            first, last = (self._velocities(share) for share in (0.0, 1.0))
            self.accelerations[self._index] = (last - first)[self._index] / ramp
            self.give_back()

    def _velocities(self, share: float) -> np.ndarray:
        ramp_velocity(self._bodies, self._given, share)
        return np.hstack([self._bodies["vel"], self._bodies["omega"]])

    def under(self, links: np.ndarray) -> np.ndarray:
        """(links, 6): kinematics.STATE.carried."""
        found = self.accelerations[links["other"]][:, [3, 4, 5, 0, 1, 2]]
        found[links["parent"] != GROUND] = 0.0
        return found

    def accelerate(self, time: float) -> None:
        """Give the bodies their velocities at a time of the step [s]."""
        if len(self._index):
            ramp_velocity(self._bodies, self._given, self._share(time))

    def move(self, time: float) -> None:
        """Give the bodies their poses and velocities at a time of the step [s]; the way is that with their mean velocity."""
        if len(self._index):
            self.accelerate(0.5 * time)
            carry(self._index, *self._poses, time, self._bodies)
            self.accelerate(time)

    def give_back(self) -> None:
        """Give the bodies the velocities that they had been given."""
        if len(self._index):
            ramp_velocity(self._bodies, self._given, 0.5)

    def _share(self, time: float) -> float:
        return time / self._ramp if self._ramp > 0.0 else 0.5


def continue_angles(links: np.ndarray, joints: np.ndarray, q: np.ndarray) -> None:
    """Set angles in q (places,) to those of the joints, which count whole turns, before `coordinates_of` takes the nearest."""
    for link in links[(links["joint"] >= 0) & (links["turns"] == kinematics.ABOUT_Z)]:
        q[link["place"] + link["count"] - 1] = joints["coordinate"][link["joint"]][link["count"] - 1]


def keep_angles(links: np.ndarray, q: np.ndarray, joints: np.ndarray) -> None:
    """The reverse of `continue_angles`: whole turns of q are those of the joints."""
    for link in links[(links["joint"] >= 0) & (links["turns"] == kinematics.ABOUT_Z)]:
        joints["coordinate"][link["joint"], link["count"] - 1] = q[link["place"] + link["count"] - 1]


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


@inline
def _spin(body, orientation, omega):
    """Angular momentum of a body at an orientation [N m s]."""
    return quat.rotate(orientation, mat3.apply(body.inertia, quat.rotate(quat.conjugate(orientation), omega)))


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
def join(links, states, bodies, momentum):
    """momentum (n,) += sum J^T M (v - v0) of the bodies' velocities v, with v0 those of the links."""
    for i in range(links.shape[0]):
        b, v = bodies[links[i].body], states[i].v
        turning = vec.sub(vec.copy(b.omega), (v[0], v[1], v[2]))
        add_row(links, states, i, vec.scale(vec.sub(vec.copy(b.vel), (v[3], v[4], v[5])), b.mass),
                _spin(b, quat.copy(b.quat), turning), momentum)


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


# ---- momentum and reactions


@routine
def _missing(link, bodies, before, gravity, dt, pushes, out):
    """out (6,): what its joint gave a link, or its tree: impulse, angular impulse about its centre of mass."""
    i = link.body
    b = bodies[i]
    time = dt + before[i, SINCE] - b.velocity_lag
    l0 = _spin(b, (before[i, _QUAT], before[i, _QUAT + 1], before[i, _QUAT + 2], before[i, _QUAT + 3]),
               (before[i, _OMEGA], before[i, _OMEGA + 1], before[i, _OMEGA + 2]))
    l1 = _spin(b, quat.copy(b.quat), vec.copy(b.omega))
    for k in range(3):
        out[k] = b.mass * (b.vel[k] - before[i, _VEL + k] - time * gravity[k]) - time * b.force[k] - pushes[i, k]
        out[3 + k] = l1[k] - l0[k] - time * b.torque[k] - pushes[i, 3 + k]


@routine
def _add_child(out, f, way):
    """out (6,) += f (6,), moments about points `way` apart."""
    arm = vec.cross(way, (f[0], f[1], f[2]))
    for k in range(3):
        out[k] += f[k]
        out[3 + k] += f[3 + k] + arm[k]


@inline
def _way(link, before):
    """From the centre of mass of the other body to that of the link, before the step."""
    return (before[link.body, 0] - before[link.other, 0], before[link.body, 1] - before[link.other, 1],
            before[link.body, 2] - before[link.other, 2])


@kernel
def push(contacts, pos, pushes):
    """pushes (bodies, 6) += impulses of CONTACT records, moments about the centres of mass pos (bodies, 3)."""
    for m in range(contacts.shape[0]):
        c = contacts[m]
        p = vec.madd(c.friction_impulse, c.normal, c.impulse)
        a, b = c.body_a, c.body_b
        m_b = vec.add(vec.cross(vec.sub(vec.add(c.pos, c.shift), pos[b]), p), c.spin_impulse)
        m_a = vec.add(vec.cross(vec.sub(c.pos, pos[a]), p), c.spin_impulse)
        for k in range(3):
            pushes[b, k] += p[k]
            pushes[b, 3 + k] += m_b[k]
            pushes[a, k] -= p[k]
            pushes[a, 3 + k] -= m_a[k]


@kernel
def push_cut(joints, cut, before, pushes):
    """pushes (bodies, 6) += reactions of the listed joints, moments about the centres of mass of before (measure.copy_motion)."""
    for m in range(cut.shape[0]):
        joint = joints[cut[m]]
        a, b = joint.body_a, joint.body_b
        p = (joint.reaction[0], joint.reaction[1], joint.reaction[2])
        arm = vec.cross((before[b, 0] - before[a, 0], before[b, 1] - before[a, 1], before[b, 2] - before[a, 2]), p)
        for k in range(3):
            pushes[b, k] += p[k]
            pushes[b, 3 + k] += joint.reaction[3 + k]
            pushes[a, k] -= p[k]
            pushes[a, 3 + k] -= joint.reaction[3 + k] + arm[k]


@kernel
def keep_momentum(links, bodies, before, gravity, dt, acting, pushes):
    """Give floating trees the momentum that they must have, (3), as a translation of the tree; where no contact pushes, the
    angular momentum about the common centre of mass, too.

    before: measure.copy_motion at the start; dt: [s]; acting: share of the way at which applied forces act, as in a kick, 0, or all
    the time, 0.5; pushes (bodies, 6): impulses of contacts, moments about centres of mass.
    """
    n = links.shape[0]
    missing, first = np.empty(6), 0
    while first < n:
        last = first + 1
        while last < n and links[last].parent != GROUND:
            last += 1
        if links[first].joint < 0:
            lost, mass, touched = (0.0, 0.0, 0.0), 0.0, False
            for i in range(first, last):
                _missing(links[i], bodies, before, gravity, dt, pushes, missing)
                b = bodies[links[i].body]
                lost, mass = vec.add(lost, (missing[0], missing[1], missing[2])), mass + b.mass
                for k in range(6):
                    touched = touched or pushes[links[i].body, k] != 0.0
            for i in range(first, last):
                vec.add_scaled(bodies[links[i].body].vel, lost, -1.0 / mass)
            if not touched:
                _keep_spin(links, first, last, bodies, before, dt, acting)
        first = last


@routine
def _keep_spin(links, first, last, bodies, before, dt, acting):
    """Give a free tree its angular momentum about its centre of mass: that of before and what forces and torques have added."""
    mass, c0, c1, v0, v1 = 0.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(first, last):
        k = links[i].body
        b = bodies[k]
        mass += b.mass
        c0, c1 = vec.madd(c0, (before[k, 0], before[k, 1], before[k, 2]), b.mass), vec.madd(c1, b.pos, b.mass)
        v0 = vec.madd(v0, (before[k, _VEL], before[k, _VEL + 1], before[k, _VEL + 2]), b.mass)
        v1 = vec.madd(v1, b.vel, b.mass)
    c0, c1, v0, v1 = vec.scale(c0, 1.0 / mass), vec.scale(c1, 1.0 / mass), vec.scale(v0, 1.0 / mass), vec.scale(v1, 1.0 / mass)
    lost, inertia, turn = (0.0, 0.0, 0.0), np.zeros((3, 3)), np.empty((3, 3))
    own = np.empty((3, 3))
    for i in range(first, last):
        k = links[i].body
        b = bodies[k]
        l0 = _spin(b, (before[k, _QUAT], before[k, _QUAT + 1], before[k, _QUAT + 2], before[k, _QUAT + 3]),
                   (before[k, _OMEGA], before[k, _OMEGA + 1], before[k, _OMEGA + 2]))
        r0 = vec.sub((before[k, 0], before[k, 1], before[k, 2]), c0)
        u0 = vec.sub((before[k, _VEL], before[k, _VEL + 1], before[k, _VEL + 2]), v0)
        r1, u1 = vec.sub(b.pos, c1), vec.sub(b.vel, v1)
        arm = vec.madd(vec.scale(r0, 1.0 - acting), r1, acting)
        turning = vec.add(vec.copy(b.torque), vec.cross(arm, vec.copy(b.force)))
        lost = vec.madd(lost, turning, dt + before[k, SINCE] - b.velocity_lag)
        lost = vec.add(lost, vec.sub(l0, _spin(b, quat.copy(b.quat), vec.copy(b.omega))))
        lost = vec.madd(lost, vec.sub(vec.cross(r0, u0), vec.cross(r1, u1)), b.mass)
        quat.to_matrix(turn, b.quat)
        mat3.rotate_tensor(own, turn, b.inertia)
        square = vec.dot(r1, r1)
        for m in range(3):
            for j in range(3):
                inertia[m, j] += own[m, j] - b.mass * r1[m] * r1[j]
            inertia[m, m] += b.mass * square
    more = mat3.solve(inertia[0, 0], inertia[0, 1], inertia[0, 2], inertia[1, 0], inertia[1, 1], inertia[1, 2], inertia[2, 0],
                      inertia[2, 1], inertia[2, 2], lost)
    for i in range(first, last):
        b = bodies[links[i].body]
        vec.add_scaled(b.omega, more, 1.0)
        vec.add_scaled(b.vel, vec.cross(more, vec.sub(b.pos, c1)), 1.0)


@kernel
def write_reactions(links, bodies, before, gravity, dt, pushes, joints):
    """JOINT.reaction, load of the joints of the tree by (3); arguments as of `keep_momentum`."""
    n = links.shape[0]
    given = np.empty((n, 6))
    for i in range(n):
        _missing(links[i], bodies, before, gravity, dt, pushes, given[i])
    for i in range(n - 1, -1, -1):
        link, f = links[i], given[i]
        if link.parent != GROUND:
            _add_child(given[link.parent], f, _way(link, before))
        if link.joint < 0:
            continue
        joint = joints[link.joint]
        joint.load = vec.norm((f[0], f[1], f[2]))
        if link.sign > 0.0:
            for k in range(6):
                joint.reaction[k] = f[k]
        else:       # it acts on b, which is the other body
            arm = vec.cross(_way(link, before), (f[0], f[1], f[2]))
            for k in range(3):
                joint.reaction[k] = -f[k]
                joint.reaction[3 + k] = -f[3 + k] - arm[k]
