"""A world's mechanisms in joint coordinates, for Python: `world.joint_space()`.

    H qdd + C = tau + J^T f,   K qdd = k for the joints that are cut                    (RBDA 3.1, 8.3)

The tree and its names stay valid until something is added or removed; the values are those of the moment at which it was made.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from physics import joints
from physics.articulated import dynamics, kinematics
from physics.articulated.tree import Tree, coordinate_names, tree_of
from physics.core.check import BadInput, Diverged, numbers, shown_value
from physics.core.records import ROW, Kind, copy_of

SHORT = 1e-6
"""Step for which joints write dJ/dt V [s]: for long ones they bound how far a body turns."""


def kinds_of(names: Sequence[str]) -> list[joints.JointKind]:
    """The kinds of joints of these names."""
    known = joints.kinds()
    return [known[name] for name in names]


def moving(world: Any, links: np.ndarray | None = None) -> np.ndarray:
    """(bodies,): the dynamic bodies, among `links` if given, bool."""
    moves = world.bodies["kind"] == Kind.DYNAMIC
    return moves if links is None else moves & links


class JointSpace:
    """Coordinates, matrices and algorithms of all dynamic bodies at one moment. Arrays are its own: the world does not change.

    names (n,): of the velocity coordinates: "elbow"; "arm.x" where a joint has several; floating bodies "cup.x" .. "cup.rz".
    q: position coordinates [m], [rad]; quaternions where all turns are free. qd (n,): velocities [m/s], [rad/s].
    Velocities are those of the table, which lag behind the poses by half a step (`World.velocity_lag`).
    gravity (3,) [m/s^2]. forces (links, 6): applied torque and force on each link [N m], [N].
    tree: the links. bodies: BODY records of that moment. states (links,): kinematics.STATE records.
    """

    def __init__(self, world: Any, links: np.ndarray | None = None, tree: Tree | None = None,
                 carried: np.ndarray | None = None) -> None:
        """links (bodies,): the bodies that move, bool; by default all dynamic ones. The others are the ground. tree: of that
        world with its present joints, where it is known. carried (links, 6): kinematics.STATE.carried, by default 0."""
        self.bodies, self._joints = copy_of(world.bodies), copy_of(world.joints)
        self._world_kinds = world.joint_kinds
        self.tree: Tree = tree or tree_of(self.bodies, self._joints, self._kinds, moving(world, links))
        tree = self.tree
        self._joint_names, self._body_names = world.joint_names, tuple(world.body_names)
        self.gravity = np.array(world.gravity, np.float64)
        self.q, self.qd = np.zeros(tree.places), np.zeros(tree.size)
        self.states = np.zeros(len(tree.links), kinematics.STATE)
        if carried is not None:
            self.states["carried"] = carried
        kinematics.coordinates_of(tree.links, self.bodies, self.q)
        kinematics.begin(tree.links, self.bodies, self.states, self.qd)
        kinematics.follow(tree.links, self.bodies, self.states, self.qd)
        self.forces = np.hstack([self.bodies[name][tree.links["body"]] for name in ("torque", "force")])

    def __repr__(self) -> str:
        return f"JointSpace({len(self.tree.links)} links, {self.tree.size} coordinates, {len(self.tree.loops)} joints cut)"

    @cached_property
    def _kinds(self) -> list[joints.JointKind]:
        return kinds_of(self._world_kinds)

    @cached_property
    def names(self) -> list[str]:
        return coordinate_names(self.tree, self._joint_names, self._body_names)

    # ---- matrices

    @cached_property
    def H(self) -> np.ndarray:
        """Joint-space inertia (n, n) [kg], [kg m], [kg m^2]."""
        out = np.empty((self.tree.size, self.tree.size))
        dynamics.joint_inertia(self.tree.links, self.states, out)
        return out

    @cached_property
    def C(self) -> np.ndarray:
        """Bias (n,): joint forces for which qdd = 0, by velocities, gravity and applied forces [N], [N m]."""
        return self.inverse_dynamics(np.zeros(self.tree.size))

    @cached_property
    def g(self) -> np.ndarray:
        """Joint forces (n,) that hold the mechanism at rest against gravity [N], [N m]."""
        return self._inverse(np.zeros(self.tree.size), np.zeros_like(self.qd), np.zeros_like(self.forces))

    @cached_property
    def factor(self) -> np.ndarray:
        """L (n, n), lower triangular, with H = L^T L and the zeros of H (RBDA table 6.3).

        Raises:
            BadInput: H is singular: a link has no inertia where its joint moves it.
            Diverged: H is not finite.
        """
        found = np.tril(self.H)
        if not np.isfinite(found).all():
            raise Diverged("a mechanism's state is not finite: reduce the step size", int(self.tree.links["body"][0]))
        dynamics.factorize(self.tree.above, found)
        own = found.diagonal()
        bad = np.flatnonzero(~(np.isfinite(own) & (own > 0.0)))
        if len(bad):
            raise BadInput(f"the inertia seen by the coordinate '{self.names[bad[-1]]}' is zero: give its bodies "
                           "mass and inertia")
        return found

    def solve(self, x: np.ndarray) -> np.ndarray:
        """H^-1 x for x (n,) or (n, m).

        Raises:
            BadInput: H is singular; x is not of as many rows of finite numbers as there are coordinates.
        """
        given, factor = numbers(x), self.factor
        if given is None or given.ndim not in (1, 2) or len(given) != self.tree.size or not np.isfinite(given).all():
            raise BadInput(f"x must have {self.tree.size} rows of finite numbers, one for each coordinate, not {shown_value(x)}")
        out = np.ascontiguousarray(given).reshape(self.tree.size, given.size // max(self.tree.size, 1))
        dynamics.half_solve(self.tree.above, factor, out)
        dynamics.other_half_solve(self.tree.above, factor, out)
        return out.reshape(np.shape(x))

    def jacobian(self, body: int | str, point: Sequence[float] | None = None) -> np.ndarray:
        """J (6, n): angular velocity [rad/s] and velocity [m/s] of a point of a body (world frame; None: its centre of mass).

        Static and kinematic bodies have J = 0.

        Raises:
            BadInput: no such body, or a point that is no triple.
        """
        b = self._body_names.index(body) if body in self._body_names else body
        if not isinstance(b, int | np.integer) or not 0 <= b < len(self.tree.of_body):
            raise BadInput(f"there is no body {shown_value(body)}")
        out = np.zeros((6, self.tree.size))
        if self.tree.of_body[b] >= 0:
            kinematics.jacobian(self.tree.links, self.states, self.tree.of_body[b], out)
        if point is not None:
            x = numbers(point)
            if x is None or x.shape != (3,) or not np.isfinite(x).all():
                raise BadInput(f"the point {shown_value(point)} must be three numbers [m]")
            out[3:] += np.cross(out[:3].T, x - self.bodies["pos"][b]).T
        return out

    # ---- dynamics

    def inverse_dynamics(self, qdd: np.ndarray) -> np.ndarray:
        """tau (n,) for these accelerations (n,) of a tree (RBDA table 5.1); forces of cut joints are none."""
        return self._inverse(self._checked("qdd", qdd), self.qd, self.forces)

    def forward_dynamics(self, tau: np.ndarray | None = None) -> np.ndarray:
        """qdd (n,) under joint forces tau (n,), by default none (RBDA table 7.1); with cut joints held (RBDA 8.1).

        Of redundant constraints the multipliers are the smallest ones; qdd is unique.
        """
        tau = np.zeros(self.tree.size) if tau is None else self._checked("tau", tau)
        out = np.empty(self.tree.size)
        dynamics.forward_dynamics(self.tree.links, self.bodies, self.states, self.gravity, self.forces, tau, out)
        rows, wanted = self.constraints
        if not len(rows):
            return out
        answer = self.solve(rows.T)
        return out + answer @ np.linalg.lstsq(rows @ answer, wanted - rows @ out, rcond=1e-12)[0]

    @cached_property
    def constraints(self) -> tuple[np.ndarray, np.ndarray]:
        """(K (m, n), k (m,)) with K qdd = k: d/dt (J V) = 0 for the rows of the joints that are cut, V the bodies' velocities.

        J and dJ/dt V are what the joints themselves write for the solvers in maximal coordinates.
        """
        rows, wanted = [np.zeros((0, self.tree.size))], [np.zeros(0)]
        turning = self.velocity_products()
        for j in self.tree.loops:
            kind, joint = self._kinds[self._joints["kind"][j]], self._joints[j : j + 1].copy()
            found, m, joint["used"] = np.zeros(kind.rows, ROW), kind.constraint, 0
            kind.write(joint, np.array([0]), np.array([0]), self.bodies, found, SHORT)
            jacobian, known = np.zeros((m, self.tree.size)), 2.0 * found["target"][:m] / SHORT
            for end in "ab":
                body = int(joint[f"body_{end}"][0])
                own, ang, lin = self.jacobian(body), found[f"ang_{end}"][:m], found[f"lin_{end}"][:m]
                jacobian += ang @ own[:3] + lin @ own[3:]
                known -= ang @ turning[body, :3] + lin @ turning[body, 3:]
            rows.append(jacobian)
            wanted.append(known)
        return np.vstack(rows), np.concatenate(wanted)

    # ---- what they share

    def _checked(self, name: str, value: Any) -> np.ndarray:
        found = numbers(value)
        if found is None or found.shape != (self.tree.size,) or not np.isfinite(found).all():
            raise BadInput(f"{name} must be {self.tree.size} finite numbers, one for each coordinate ({', '.join(self.names[:4])}"
                           f"{', ...' if len(self.names) > 4 else ''}), not {shown_value(value)}")
        return found

    def _inverse(self, qdd: np.ndarray, qd: np.ndarray, forces: np.ndarray, gravity: bool = True) -> np.ndarray:
        """Inverse dynamics at other velocities; the states are as before, but for their accelerations."""
        out, still = np.empty(self.tree.size), qd is not self.qd
        if still:
            kinematics.follow(self.tree.links, self.bodies, self.states, qd)
        dynamics.inverse_dynamics(self.tree.links, self.bodies, self.states, self.gravity if gravity else np.zeros(3), forces,
                                  np.ascontiguousarray(qdd), out)
        if still:
            kinematics.follow(self.tree.links, self.bodies, self.states, self.qd)
        return out

    def velocity_products(self) -> np.ndarray:
        """(bodies, 6): angular and linear acceleration of the centres of mass at qdd = 0, without gravity."""
        self._inverse(np.zeros(self.tree.size), self.qd, self.forces, gravity=False)
        out, v, a = np.zeros((len(self.bodies), 6)), self.states["v"], self.states["a"].copy()
        a[:, 3:] += np.cross(v[:, :3], v[:, 3:])
        out[self.tree.links["body"]] = a
        return out
