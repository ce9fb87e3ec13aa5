"""Constraints phi(q) >= 0 of mechanisms: contacts and the limits of joints, at one state (F11 11.4).

    phi_dot = T^T qd + (motion of kinematic bodies)
    phi_ddot = T^T qdd + b,   b = T_dot^T qd = d/ds phi_dot(q + s N qd, qd)                                              (1)

b is a central difference along the motion: contacts are found again a little behind and ahead, so that it has the curvature of
whatever shapes touch, and vertices, edges and rolling points need no formulas of their own (F11 11.10).

Joints with springs and viscous friction push with  f = -k (x - x_0) - c x_dot  along their axes.
"""

from typing import Any, NamedTuple

import numpy as np

from physics.articulated.mechanism import Mechanism, ends_of
from physics.collide.bounds import refresh_contacts, update_shapes
from physics.constraints import joint_system
from physics.core.records import BLOCK, PIECE, ROW, Drive, Role

DIFFERENCE = 1e-4
"""Largest change of a coordinate in the difference of (1) [m] or [rad]: an error of 1e-9, rounding of 1e-12."""

SMALLEST = 1e-9
"""Slower motion turns nothing [m/s] or [rad/s]."""

ANY_STEP = 1e-3
"""Step for which joints write rows, of which only Jacobians and coordinates are used [s]."""

Key = tuple[int, ...]
"""Of a constraint: (shape, shape, feature, which of several) of a contact, (-1, joint, axis, role) of a limit."""


class Unilateral(NamedTuple):
    """Constraints at one state. contacts: CONTACT (c,), the first c of all m; keys (m,); gap (m,) [m] or [rad]; rate (m,);
    T (n, m); restitution (m,); wrench (m, 6): force and moment on body b for lambda = 1, of contacts and cut joints."""

    contacts: np.ndarray
    keys: list[Key]
    gap: np.ndarray
    rate: np.ndarray
    T: np.ndarray
    restitution: np.ndarray
    wrench: np.ndarray

    def place_of(self) -> dict[Key, int]:
        return {key: i for i, key in enumerate(self.keys)}


class Surroundings:
    """What limits and pushes a mechanism where its bodies are: contacts, limits, springs and viscous friction of joints."""

    def __init__(self, mechanism: Mechanism, reach: float) -> None:
        """reach: time for which contacts are looked ahead [s]."""
        self.mechanism, self.world, self.reach = mechanism, mechanism.world, reach
        layout = self.world.layout.joints
        moves, joints = mechanism.tree.of_body >= 0, self.world.joints
        alive = moves[joints["body_a"]] | moves[joints["body_b"]]
        roles, owner = layout.pieces["role"], layout.pieces["joint"]
        self._limits = np.flatnonzero(((roles == Role.LOWER) | (roles == Role.UPPER)) & alive[owner])
        self._pushes = np.flatnonzero(((roles == Role.MOTOR) | (roles == Role.FRICTION)) & alive[owner])

    def search(self) -> None:
        """Find the pairs of shapes that may touch, after velocities have changed."""
        w = self.world
        update_shapes(w, self.reach)
        w.pairs = w.broad_phase.find(w.bodies, w.shapes, w.layout.excluded, w.revision)[0]

    def find(self) -> Unilateral:
        """Constraints where the mechanism was placed."""
        contacts = refresh_contacts(self.world, self.reach)
        T, rate = self.mechanism.normal_rows(contacts)
        keys: list[Key] = []
        seen: dict[Key, int] = {}
        for a, b, feature in zip(contacts["shape_a"].tolist(), contacts["shape_b"].tolist(), contacts["feature"].tolist()):
            which = seen[a, b, feature] = seen.get((a, b, feature), -1) + 1
            keys.append((a, b, feature, which))
        gap, restitution = contacts["gap"], contacts["restitution"]
        wrench = np.hstack([contacts["normal"], np.zeros((len(contacts), 3))])
        if len(self._limits):
            rows, J, speeds = self._joint_rows(self._limits)
            pieces = self.world.layout.joints.pieces[self._limits]
            keys += [(-1, int(p["joint"]), int(p["slot"]), int(p["role"])) for p in pieces]
            gap, rate = np.append(gap, rows["position_error"]), np.append(rate, speeds)
            T = np.hstack([T, J.T])
            wrench = np.vstack([wrench, np.hstack([rows["lin_b"], rows["ang_b"]])])
            restitution = np.append(restitution, self.world.joints["limit_restitution"][pieces["joint"]])
        return Unilateral(contacts, keys, gap, rate, T, restitution, wrench)

    def turning(self, q: np.ndarray, qd: np.ndarray, time: float, keys: list[Key]) -> np.ndarray:
        """b of (1) of these constraints; moves the bodies."""
        largest = np.abs(qd).max(initial=0.0)
        if largest < SMALLEST or not keys:
            return np.zeros(len(keys))
        s, way = DIFFERENCE / largest, self.mechanism.rates(q, qd)
        found = []
        for side in (-s, s):
            self.mechanism.place(q + side * way, qd, time + side)
            at = self.find()
            where = at.place_of()
            found.append(np.array([at.rate[where[key]] if key in where else np.nan for key in keys]))
        behind, ahead = found
        if np.isnan(behind).any() or np.isnan(ahead).any():     # it ends here: one side must do
            self.mechanism.place(q, qd, time)
            at = self.find()
            where = at.place_of()
            here = np.array([at.rate[where[key]] if key in where else np.nan for key in keys])
            behind = np.where(np.isnan(behind), 2.0 * here - ahead, behind)
            ahead = np.where(np.isnan(ahead), 2.0 * here - behind, ahead)
        return np.nan_to_num(ahead - behind) / (2.0 * s)

    def _joint_rows(self, pieces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(ROW of the first row of each piece, the same in joint velocities, its velocities)."""
        world, layout = self.world, self.world.layout.joints
        rows, blocks = np.empty(layout.rows, ROW), np.empty(layout.blocks, BLOCK)
        joint_system.write(world.joints, world.layout.joint_system, world.bodies, rows, blocks, ANY_STEP, 1.0, False)
        mine = np.concatenate([np.arange(p["first"], p["first"] + p["count"]) for p in layout.pieces[pieces]])
        of = np.repeat(pieces, layout.pieces["count"][pieces])
        joints = world.joints[layout.pieces["joint"][of]]
        a, b, taken = world.bodies[joints["body_a"]], world.bodies[joints["body_b"]], rows[mine]
        speeds = sum(np.einsum("ij,ij->i", taken[row], end[velocity]) for row, end, velocity in (
            ("lin_a", a, "vel"), ("ang_a", a, "omega"), ("lin_b", b, "vel"), ("ang_b", b, "omega")))
        return taken, self.mechanism.rows(taken, ends_of(joints)), speeds

    def pushes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(J (rows, n), forces (rows,), speeds (rows,), wrench (rows, 6) of a unit force on body b) of the springs and the
        viscous friction of joints, in the order of `push_places`."""
        if not len(self._pushes):
            return np.zeros((0, self.mechanism.tree.size)), np.zeros(0), np.zeros(0), np.zeros((0, 6))
        rows, J, speeds = self._joint_rows(self._pushes)
        joints, forces = self.world.joints, np.empty(len(speeds))
        for i, (j, axis, group, _) in enumerate(self.push_places):
            joint = joints[j]
            if axis < 0:
                forces[i] = -joint["viscous"][group] * speeds[i]
            else:
                force = (-joint["motor_stiffness"][axis] * (joint["coordinate"][axis] - joint["motor_target"][axis])
                         - joint["motor_damping"][axis] * speeds[i])
                forces[i] = np.clip(force, -joint["motor_force"][axis], joint["motor_force"][axis])
        return J, forces, speeds, np.hstack([rows["lin_b"], rows["ang_b"]])

    @property
    def push_places(self) -> list[tuple[int, int, int, int]]:
        """Of each row of `pushes`: joint, axis of a spring or -1, group of friction, place among the joint's friction rows."""
        found = []
        for p in self.world.layout.joints.pieces[self._pushes].tolist():
            piece = dict(zip(PIECE.names, p))
            if piece["role"] == Role.MOTOR:
                found.append((piece["joint"], piece["slot"], 0, 0))
            else:
                found += [(piece["joint"], -1, piece["group"], piece["slot"] + i) for i in range(piece["count"])]
        return found


def unsupported_joint(world: Any) -> str:
    """Why smooth forces alone do not describe a joint of this world; "" if they do."""
    joints = world.joints
    for j in np.flatnonzero(joints["kind"] >= 0).tolist():
        joint, name = joints[j], world.joint_names[j]
        if (joint["max_friction"] > 0.0).any() or (joint["kinetic"] > 0.0).any() or (joint["load_mu"] > 0.0).any():
            return f"joint '{name}' has dry friction; set it to 0"
        if np.isin(joint["motor_mode"], (Drive.VELOCITY, Drive.POSITION)).any():
            return f"joint '{name}' has a motor that holds a speed or a position; switch it off, or use a spring"
        if joint["locked"] != 0:
            return f"joint '{name}' has locked axes; use a joint without them"
    return ""
