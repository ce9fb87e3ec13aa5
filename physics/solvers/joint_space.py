"""Time stepping in joint coordinates: Stewart and Trinkle's contacts (ST96) on the tree of F11, joints exact by construction.

    H(q0) (qd1 - qd0) = T (tau - C(q0, (qd0 + qd1) / 2)) + J^T p                                            (1)
    0 <= beta _|_ E lambda + D'v1 >= 0,   0 <= c_n _|_ n'v1 + gap / h >= 0,   0 <= lambda _|_ mu c_n - E'beta >= 0     (2)
    q1 = q0 + h qd1                                                                                         (3)

T is the time between the moments of the velocities, which lie in the middle of the steps (dynamics/integrate.py, 3), C that at
their mean. (1) is solved by the articulated-body algorithm (RBDA table 7.1), W = J H^-1 J^T of (2) by H = L^T L (RBDA tables 6.2,
6.3, 6.5).
J has the rows that contacts, limits, drives and friction of joints write for all solvers, in joint velocities; joints that are
cut to make a tree keep their equations. Impacts that rebound act in no time, see impulses/impact.py.

(2) is solved for the contacts that pressed in the last step, those that would end within TOUCH_GAP without impulses, and, again
and again, those that end with no gap, though nothing presses them: a face has four corners, of which rounding alone tells those
that would close. Of many solutions the one with the least normal impulses is taken (lcp/fallbacks.py), and it must have all of
them: on three corners, then on one, books that two hands pressed together turned, and sank.

Bodies without joints, and links that turn about a fixed point and carry no other (tops), have no C in (1), and in the place of
(3) they move as free bodies do, exactly: momentum changes in kicks, at any spin (dynamics/integrate.py, articulated/tops.py).

Trees on which no row acts but those of cut joints do not move by (1) and (3) but by momenta alone, which is symplectic
(articulated/momentum_step.py), and cut joints are closed at q1 by their impulses at q0, by Newton's method with
J(q1) H^-1 J(q0)^T. With (1), a pendulum lost up to a fifth of its energy in the whips of ten seconds, and rings opened by a
millimetre; with J(q0) in both places, or begun with the impulses of (2), a parallelogram that turns through its flat position
ended in the other motion that is possible there. Trees on bodies that move keep (1).

(1) to (3) are of second order in h where forces are smooth, and stable while loaded links swing with h omega < 2
(dynamics/stiffness.py): a step is divided into parts with h omega < RESOLVED_ANGLE (lcp/substeps.py).

Energy. J of a contact is that of the middle of the step, articulated/turning_contacts.py, and an overlap is removed by a
displacement after (3): with tangents at q0, and with velocities that remove overlaps, a cone that rocks gained 2 % of its energy
in two seconds. A body thrown onto a floor gains, in all steps together, less than a thousandth of the energy it had (cones,
ellipsoids, capsules, coins, cylinders at 60 to 960 Hz; tests/physics/contact/test_rolling_with_restitution.py).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.articulated import dynamics, energy_work, kinematics, momentum_step, plain_step, tops
from physics.articulated.joint_space import JointSpace
from physics.articulated.mechanism import Mechanism, TreeCache, ends_of
from physics.articulated.momentum import (
    conserve_momentum,
    lag_velocities,
    push,
    push_cut,
    write_constraint_impulses,
    write_reactions,
)
from physics.articulated.plain_step import MADE, OPEN, REFUSED, UNRESOLVED
from physics.articulated.tree import GROUND
from physics.articulated.turning_contacts import link_accelerations, turn_rows
from physics.collide.bounds import refresh_contacts
from physics.complementarity.problem import Status
from physics.constraints import effective_mass
from physics.constraints.rows import rates, write_contacts, write_joints
from physics.contact import impact_laws
from physics.contact.friction_cone import polygon
from physics.contact.targets import TOUCH_GAP
from physics.core import by_address
from physics.core.check import BadInput
from physics.core.options import Described, option
from physics.core.records import BLOCK, ROW, Bound, Kind, Owner, Role, copy_of, selected
from physics.dynamics import islands, measure
from physics.dynamics.energy_ledger import GRAVITY, MOVERS, as_dict, empty_columns
from physics.dynamics.stiffness import RESOLVED_ANGLE
from physics.observe.report import Report
from physics.solvers import Solver
from physics.solvers.impulses.impact import strike
from physics.solvers.lcp import assemble, joint_polygons, joint_space, linearise, round_cone, solving
from physics.solvers.lcp.assemble import MIN_FACETS, directions, even
from physics.solvers.lcp.fallbacks import ASKEW, PIVOTS, STATUS
from physics.solvers.lcp.step import ASKEW_CONE, CIRCLE, POLYGON, UNLIMITED, unsupported_inertia, unsupported_surface
from physics.solvers.lcp.store import store
from physics.solvers.lcp.substeps import SubstepPlan

MAX_CLOSINGS, CLOSED, GROWN = 30, 1e-11, 4.0
"""Most rounds that close cut joints; errors that are closed [m], [rad]; growth of errors, over the least, by which they fail."""

CLOSING_DAMPING = 1e-10
"""Share of the largest singular value of J(q1) H^-1 J(q0)^T below which others are damped: rows that ask for the same. Near
singular places those that count are below a millionth."""

DEPENDENT_ROW = 1e-13
"""Rows with a smaller share of the largest J H^-1 J^T are rounding: the tree itself holds what they ask for."""

ROUNDS = 3
"""Evaluations of C at the mean velocity: each gains the factor h |dC/dqd|."""

SETTLED = 1e-9
"""With the velocity of the last round C changes it: by more, and the change is added, again and again [m/s], [rad/s]."""

MAX_ROUNDS = 16
"""Most further rounds. In a whip each leaves up to a half."""

TOP_TURN = 0.2
"""Largest turn of the arm of a top in a part of the step (articulated/tops.py) [rad]: its energy is then right to 1e-3."""

TOP_RATE = RESOLVED_ANGLE / TOP_TURN
"""By it the turn of such an arm counts as a swing."""


@dataclass
class JointSpaceOptions(Described):
    """Options of time stepping in joint coordinates."""

    longest_part: float = option(0.005, unit="s", lo=1e-5, hi=1.0, log=True,
                                 help="Longest part of a step; longer steps are divided, and contacts are found again in "
                                      "each.")
    cone: str = option(POLYGON, choices=(POLYGON, CIRCLE),
                       help="Cross-section of the friction cone: a regular polygon (ST96), or the circle, for which the polygon "
                            "is rotated in a few extra problems until a corner opposes the slip.")
    facets: int = option(8, lo=MIN_FACETS, hi=64, help="Number of directions of the friction polygon; even, since each needs its "
                                                       "opposite. Doubling it takes about eight times as long.")
    impact_law: str = option(impact_laws.DEFAULT_LAW, choices=tuple(impact_laws.laws()), help=impact_laws.HELP)
    multiple_impacts: str = option(impact_laws.SIMULTANEOUS, choices=(impact_laws.SIMULTANEOUS, impact_laws.SEQUENTIAL),
                                   help=impact_laws.MULTIPLE_HELP)
    restitution_threshold: float = option(0.1, unit="m/s", lo=0.0, hi=10.0,
                                          help="Approach speed below which contacts do not rebound.")
    max_correction_speed: float = option(1.0, unit="m/s", lo=0.0, hi=1e6, log=True,
                                         help="Maximum speed at which penetration present at the start of a step is resolved.")
    pivots: float = option(5.0, unit="per unknown", lo=0.01, hi=1000.0, log=True,
                           help="Maximum number of pivots per problem, as a multiple of its unknowns (of 100 if it has fewer).")

    @property
    def polygon_facets(self) -> int:
        """Corners of the cone's section, an even number; 0 for the circle."""
        return 0 if self.cone == CIRCLE else even(self.facets)


class JointSpaceStepping(Solver):
    """Time stepping of mechanisms in joint coordinates."""

    name: ClassVar[str] = "joint space (time stepping)"
    doc: ClassVar[str] = (
        "Moves mechanisms in their joint coordinates: joints cannot come apart, whatever the masses and the load; contacts, "
        "limits, drives and friction are one linear complementarity problem for each group of bodies. Use it for chains, arms "
        "and robots; "
        "closed loops are cut and held as equations.")
    options_type = JointSpaceOptions
    cancellable: ClassVar[bool] = True
    joint_polygons: ClassVar[bool] = True
    solves_impacts = True

    def __init__(self) -> None:
        super().__init__()
        self._trees, self.halt = TreeCache(cut_free=True), np.zeros(1, np.int32)
        self._made: StepLayout | None = None

    @property
    def longest_part(self) -> float:
        return self.options.longest_part

    def unsupported(self, world) -> str:
        if reason := super().unsupported(world) or unsupported_surface(world):
            return reason
        tree = self._trees.of(world)
        if reason := unsupported_inertia(world, tree):
            return reason
        held = tree.links["joint"]
        closing = held[held >= 0]
        for j in closing[world.joints["ramp"][closing] > 0.0].tolist():
            if np.abs(world.joints["start_error"][j]).max() > OPEN:
                return f"joint '{world.joint_names[j]}' was made open: let it close under another solver"
        return ""

    def cancel(self) -> None:
        self.halt[0] = 1

    def strike(self, world, contacts, what) -> tuple[Report, np.ndarray]:
        """The impacts of a moment, by the law of impact."""
        return strike(world, contacts, what, self.options.polygon_facets)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s].

        Raises:
            BadInput: the scene is not supported, a singular inertia, cancelled.
        """
        self.require_support(world)
        self.halt[0] = 0
        layout, whole = self.layout(world), not world.layout.joints.blocks
        cut = SubstepPlan(world, dt, whole, RESOLVED_ANGLE, at_end=False)
        index = world.layout.joints.joints
        while not cut.finished:
            bodies = layout.turning_bodies(world.bodies)
            swing = linearise.swing(world.joints, index, layout.balls, bodies, world.impulse_duration)
            length = cut.length(max(swing, TOP_RATE * tops.sweep(layout.tree.links, world.bodies)))
            if cut.reports:
                contacts = refresh_contacts(world, length)
            plain = REFUSED if len(contacts) else layout.make_plain_step(world, length)
            while plain == UNRESOLVED and cut.may_halve:
                length = cut.halve()
                plain = layout.make_plain_step(world, length)
            report = step_report(self.name, world.layout.joints.rows) if plain == MADE else None
            while report is None:
                report = JointStep(world, contacts, length, layout, self.options, self.halt).run(self.name, cut.may_halve)
                length = length if report else cut.halve()
            cut.add(world, report, contacts)
        report = cut.report(world)
        if len(cut.reports) == 1:
            report.contacts_at_end = None
        return report

    def layout(self, world) -> "StepLayout":
        """Of the steps of a world as it is built now."""
        tree, joints = self._trees.of(world), world.layout.joints
        if self._made is None or self._made.tree is not tree or self._made.joints is not joints:
            self._made = StepLayout(tree, joints, world.bodies, world.joints)
        return self._made


SOLVER = JointSpaceStepping


class StepLayout:
    """What the steps of a world share as long as its structure stays.

    alone: links without joints, not even cut ones. steady: velocities without C, the rotations of these and of tops, and those of
    links that turn or slide along an axis of the ground and carry no other. in_tree (links,): the other links; root (links,): the
    first link of its tree; in_loop (links,): those of trees with cut joints. balls: joints of the tree in which all turns are
    free, but for those of tops. group (links,): links that turn together; -1: with the ground. locks: index of the constraints of
    the tree's joints among the pieces of all. held (joints,): joints of the tree, bool; in_coordinates: their places in the
    layout. is_plain: see `plain_step`. is_tied: whether links turn together.
    """

    def __init__(self, tree, joints, bodies: np.ndarray, table: np.ndarray) -> None:
        """joints: JointLayout of the world; table: its JOINT records."""
        self.tree, self.joints, links, pieces = tree, joints, tree.links, joints.pieces
        parents = np.bincount(links["parent"][links["parent"] >= 0], minlength=len(links))
        self.root = np.arange(len(links))
        for i in np.flatnonzero(links["parent"] != GROUND).tolist():
            self.root[i] = self.root[links["parent"][i]]
        cut = tree.of_body[ends_of(table[tree.loops])].ravel()
        self.in_loop = np.isin(self.root, self.root[cut[cut >= 0]])
        single = (parents == 0) & ~self.in_loop
        self.alone = np.flatnonzero((links["joint"] < 0) & single)
        is_top, held = np.zeros(len(links), np.bool_), links["joint"] >= 0
        tops.find(links, bodies, is_top)
        free = links[np.concatenate([self.alone, np.flatnonzero(is_top)])]
        is_swing = (links["parent"] == GROUND) & (links["count"] == 1) & single & (
            bodies["kind"][links["other"]] == Kind.STATIC)
        self.steady = np.concatenate([((free["first"] + free["count"])[:, None] - np.arange(1, 4)).ravel(),
                                      links["first"][is_swing]]).astype(np.int64)
        self.in_tree = ~is_top & ~is_swing
        self.in_tree[self.alone] = False
        self.balls = links["joint"][held & (links["turns"] == kinematics.ALL_TURNS) & ~is_top].astype(np.int64)
        self.group = np.arange(len(links))
        for i in np.flatnonzero(links["turns"] == kinematics.NO_TURN).tolist():
            self.group[i] = self.group[links["parent"][i]] if links["parent"][i] != GROUND else -1
        self.is_tied = bool((self.group != np.arange(len(links))).any())
        self.held = np.zeros(len(table), np.bool_)
        self.held[links["joint"][held]] = True
        self.in_coordinates = np.flatnonzero(self.held[joints.joints])
        inside = self.held[pieces["joint"]]
        self.locks = np.flatnonzero(inside & (pieces["role"] == Role.CONSTRAINT))
        self._calls = np.zeros(1, np.int64)
        self._plain: plain_step.PlainMechanisms | None = None
        self.is_plain = by_address.AVAILABLE and not len(self.alone) and plain_step.is_plain(tree, pieces)

    def make_plain_step(self, world, dt: float) -> int:
        """Make a step of dt [s] without contacts in one call; not MADE: it must be made the long way, or a shorter one."""
        if not self.is_plain or world.records_energy:
            return REFUSED
        if not self._calls.all():       # kernels that no step has called yet
            self._calls = plain_step.CALLS.addresses()
            return REFUSED
        return plain_step.advance.unchecked(self._calls, self.mechanisms(world), world.bodies, world.joints, world.gravity, dt,
                                            world.impulse_duration)

    def mechanisms(self, world) -> plain_step.PlainMechanisms:
        """As plain steps take them."""
        if self._plain is None:
            self._plain = plain_step.PlainMechanisms.of(self.tree, self.steady, self.in_tree, self.held, world)
        return self._plain

    def turning_bodies(self, bodies: np.ndarray) -> np.ndarray:
        """BODY records, in which of each group that turns together only the heaviest body may move: the others do not swing."""
        if not self.is_tied:
            return bodies
        found, mass = copy_of(bodies), bodies["mass"][self.tree.links["body"]]
        heaviest = np.full(len(self.group) + 1, np.inf)
        heaviest[:-1] = 0.0
        np.maximum.at(heaviest, self.group, mass)
        found["inv_mass"][self.tree.links["body"][mass < heaviest[self.group]]] = 0.0
        return found


class JointStep:
    """A step in progress; bodies stay at q0 until `_move`."""

    def __init__(self, world, contacts: np.ndarray, dt: float, layout: StepLayout, options: JointSpaceOptions,
                 halt: np.ndarray) -> None:
        self.world, self.contacts, self.dt, self.options, self.halt = world, contacts, dt, options, halt
        self.layout, self.tree, bodies = layout, layout.tree, world.bodies
        tree = self.tree
        self.before = np.empty((len(bodies), measure.MOTION))
        measure.copy_motion.unchecked(bodies, self.before)
        self.start, self.still = np.hstack([bodies["vel"], bodies["omega"]]), np.zeros((len(bodies), 6))
        self.mechanism = Mechanism(world, tree)
        self.space = self.mechanism.space or JointSpace(world, tree=tree)
        self.start = self._velocities(self.mechanism.qd)
        self.turn = np.zeros((len(contacts), 3))
        if len(contacts):
            turn_rows(contacts, bodies, tree.links, self.mechanism.states, tree.of_body, world.last_part_dt, 0.5 * dt, self.turn)
        self.pivots, self.failed, self.signs, self.unresolved = 0, 0, np.zeros((0, 3), np.int8), False
        self.kick = np.repeat(kick_time(bodies["velocity_lag"][tree.links["body"]], dt), tree.links["count"])

    def run(self, name: str, may_halve: bool) -> Report | None:
        """(1) to (3); None, and nothing has happened, where momentum_step.py needs a shorter step and that may be."""
        free = self._kick()
        self._write_rows(free)
        qd, velocity = self._solve(free)
        acts = bool((self.masked["count"] > 0).any())
        for _ in range(0 if not len(self.rows) else 1 if acts else MAX_ROUNDS):     # with rows each costs a problem
            change = self._free(qd) - free
            if np.abs(change).max(initial=0.0) <= SETTLED:
                break
            free = free + change
            self._aim(free)
            qd, velocity = self._solve(free)
        way_out = self._way_out(velocity)
        moved = self._advance_free(qd, way_out)
        if self.unresolved and may_halve:
            return None
        measure.clear_residuals(self.contacts, self.world.joints, self.world.layout.joints.joints)
        residual = measure.store_residuals(self.rows, self.masked, velocity, polygon(self.options.polygon_facets), self.contacts,
                                           self.world.joints)
        residual = max(residual, joint_polygons.judge(self.rows, self.masked, velocity, self.world.joints))
        store(self.contacts, self.world.joints, self.world.layout.joints.joints, self.rows, self.blocks, velocity, self.dt,
              self.signs)
        penetration, columns = measure.penetration(self.contacts), empty_columns(self.world.records_energy)
        if len(columns):
            self._work(velocity, columns)
        self.contacts["gap"] = self.gaps
        self._move(moved, velocity, way_out)
        if len(columns):
            columns[GRAVITY] -= energy_work.potential_energy(self.world)
            columns[MOVERS] += energy_work.mover_work(self.world.bodies, self.world.joints, self.before[:, :3])
        report = step_report(name, len(self.rows))
        report.iterations, report.contacts, report.ledger = self.pivots, len(self.contacts), as_dict(columns)
        report.residual, report.penetration = residual, penetration
        if len(self.tree.loops):
            report.joint_error = measure.joint_error(self.world.joints)
        if self.failed:
            report.end = "gave way"
        return report

    def _work(self, velocity: np.ndarray, columns: np.ndarray) -> None:
        """Enter the work of all impulses and of what is applied, at q0."""
        world = self.world
        columns[GRAVITY] += energy_work.potential_energy(world)
        energy_work.add_fields(world, kick_time(world.bodies["velocity_lag"], self.dt), self.dt, self.start, velocity, columns)
        rows = copy_of(self.rows)
        rows["target"] += self.turned
        energy_work.add_rows(world, self.contacts, (rows, self.blocks), (self.start, velocity),
                             self.options.restitution_threshold, columns)

    # ---- velocities

    def _kick(self) -> np.ndarray:
        """qd (n,) after the forces of (1), without J^T p and as if it were 0."""
        moved = self.mechanism.qd
        dynamics.articulated_inertias.unchecked(self.tree.links, self.mechanism.states)
        for _ in range(ROUNDS):
            moved = self._free(moved)
        if not np.isfinite(moved).all():
            self.space.solve(np.zeros_like(moved))      # says which coordinate has no inertia
        return moved

    def _free(self, moved: np.ndarray) -> np.ndarray:
        """qd (n,) after the forces of (1), without J^T p, with C for the mean of qd0 and `moved` (n,)."""
        m, links, bodies = self.mechanism, self.tree.links, self.world.bodies
        mean, out, none = 0.5 * (m.qd + moved), np.empty(self.tree.size), np.zeros(self.tree.size)
        mean[self.layout.steady] = 0.0       # gyroscopic torque acts in the drift
        kinematics.follow.unchecked(links, bodies, m.states, mean)
        dynamics.accelerations.unchecked(links, bodies, m.states, self.space.gravity, self.space.forces, none, out)
        return m.qd + self.kick * out

    def _velocities(self, qd: np.ndarray) -> np.ndarray:
        """Velocities (bodies, 6) at q0."""
        kinematics.follow.unchecked(self.tree.links, self.world.bodies, self.mechanism.states, qd)
        out, v = self.start.copy(), self.mechanism.states["v"]
        out[self.tree.links["body"], :3], out[self.tree.links["body"], 3:] = v[:, 3:], v[:, :3]
        return out

    # ---- rows

    def _write_rows(self, qd: np.ndarray) -> None:
        """Rows and blocks of joints and contacts at q0; in `masked` joints of the tree have no constraint but locks."""
        world, dt, o, layout, contacts = self.world, self.dt, self.options, self.world.layout.joints, self.contacts
        armed = copy_of(contacts)
        if len(armed):
            linearise.arms(armed, 0, world.bodies, np.ascontiguousarray(world.bodies["pos"]), True)
        joint_rows, joint_blocks = np.empty(layout.rows, ROW), np.empty(layout.blocks, BLOCK)
        if layout.blocks:
            write_joints(world, dt, contacts, joint_rows, joint_blocks, self.layout.in_coordinates)
            if len(self.tree.loops):
                self._bend(joint_rows, joint_blocks)
            joint_rows["impulse"] = 0.0
            joint_blocks["bound"][(joint_blocks["bound"] == Bound.INTERVAL) & (
                joint_blocks["upper"] >= 0.49 * UNLIMITED * dt)] = Bound.EQUALITY
            linearise.stabilise(joint_rows, joint_blocks, dt, o.max_correction_speed)
        trimmed, slots, locks = copy_of(joint_blocks), layout.pieces["slot"], self.layout.locks
        trimmed["first"][locks] += slots[locks]
        trimmed["count"][locks] -= slots[locks]
        table = directions(even(o.facets))
        joint_blocks, corners = joint_polygons.join(joint_blocks, world.joints, len(table.table))
        trimmed, _ = joint_polygons.join(trimmed, world.joints, len(table.table))
        self.directions = assemble.with_corners(table, corners)
        rows, blocks = write_contacts(armed, world, layout.rows, len(joint_blocks))
        rows[: layout.rows], blocks[: len(joint_blocks)] = joint_rows, joint_blocks
        self.turned, tangents = np.zeros(len(rows)), layout.rows + 3 * np.arange(len(contacts))[:, None] + [1, 2]
        self.turned[tangents] = self.turn[:, 1:]
        rows["target"] -= self.turned
        self.gaps = contacts["gap"].copy()
        self.rows = rows
        self._aim(qd)
        rows["impulse"] = 0.0
        inverses = np.empty(int((blocks["count"].astype(np.int64) ** 2).sum()))
        effective_mass.write_effective_masses(world.bodies, rows, blocks, inverses, np.zeros(len(blocks), np.uint8))
        self.blocks, self.masked = blocks, copy_of(blocks)
        for name in ("first", "count"):
            self.masked[name][: len(trimmed)] = trimmed[name]

    def _bend(self, rows: np.ndarray, blocks: np.ndarray) -> None:
        """Curvature terms of cut joints: those that were written are of bodies that move straight, links have accelerations at
        constant qd."""
        links, bodies = self.tree.links, self.world.bodies
        motion, turning = np.empty((len(links), 6)), np.zeros((len(bodies), 6))
        link_accelerations(bodies, links, self.mechanism.states, motion)
        turning[links["body"]] = motion[:, [3, 4, 5, 0, 1, 2]]
        cut = np.isin(np.repeat(blocks["index"], blocks["count"]), self.tree.loops) & (rows["softness"] == 0.0)
        rows["target"] -= 0.5 * self.dt * cut * rates(rows, blocks, turning)

    def _jacobian(self) -> np.ndarray:
        """(rows, n): the rows in joint velocities."""
        return self.mechanism.rows(self.rows, self._ends())

    def _ends(self) -> np.ndarray:
        """(rows, 2): the bodies between which the rows act."""
        return np.column_stack([np.repeat(self.blocks[end], self.blocks["count"]) for end in "ab"]).astype(np.int64)

    def _aim(self, qd: np.ndarray) -> None:
        """Targets of the contacts, for velocities qd (n,) without impulses."""
        contacts, first, o = self.contacts, self.world.layout.joints.rows, self.options
        self.free = self._velocities(qd)
        if not len(contacts):
            return
        rebound, permitted = np.empty(len(contacts)), np.minimum(self.gaps, 0.0)      # overlap is removed by `_way_out`
        linearise.aim(contacts, self.rows, first, 0, self.start, self.free, self.still, self.dt, o.restitution_threshold,
                      permitted, rebound)
        normals, turned = (of[first : first + 3 * len(contacts) : 3] for of in (self.rows, self.turned))
        turned[:] = np.where(rebound > 0.0, 0.0, self.turn[:, 0])
        normals["target"] = np.where(rebound > 0.0, np.maximum(normals["target"], rebound), normals["target"] - turned)

    # ---- impulses

    def _solve(self, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(qd1 (n,), velocities (bodies, 6) at q0) with impulses that satisfy (2), of all contacts that then touch."""
        if not (self.masked["count"] > 0).any():
            return qd, self.free
        Z = np.ascontiguousarray(self._jacobian().T)
        dynamics.half_solve(self.tree.above, self.space.factor, Z)
        W = Z.T @ Z
        own = np.diag(W)
        dead = own < DEPENDENT_ROW * own.max()
        if dead.any():      # directions in which the tree cannot move, as of a plane loop across its plane
            W[dead], W[:, dead] = 0.0, 0.0
            W[dead, dead] = own.max()
            self.rows["target"][dead & (self.rows["softness"] == 0.0)] = 0.0
        W[np.diag_indices(len(W))] += self.rows["softness"]
        self.W, self.Z = W, Z
        first = self.world.layout.joints.rows
        active = (self.contacts["impulse"] > 0.0).astype(np.uint8)
        linearise.violated(self.contacts, self.rows, first, self.free, self.dt, -TOUCH_GAP, active)
        while True:
            self.rows["impulse"] = 0.0
            answer = self._lcp(self.rows, self.masked, active, self.free)
            self.signs, self.failed = answer.signs, int((answer.tally[:, STATUS] != Status.SOLVED).sum())
            moved = qd + self._change(self.rows)
            velocity = self._velocities(moved)
            if not linearise.violated(self.contacts, self.rows, first, velocity, self.dt, -linearise.NEGLIGIBLE_OVERLAP, active):
                return moved, velocity

    def _change(self, rows: np.ndarray) -> np.ndarray:
        """Change of qd (n,) by the impulses of the rows."""
        out = (self.Z @ rows["impulse"])[:, None]
        dynamics.other_half_solve(self.tree.above, self.space.factor, out)
        return out[:, 0]

    def _lcp(self, rows: np.ndarray, blocks: np.ndarray, active: np.ndarray, free: np.ndarray) -> solving.LcpResult:
        """Add the impulses of all islands to the rows; free (bodies, 6): velocities without them."""
        world, o, towards, table = self.world, self.options, np.empty((0, 3)), self.directions
        if o.cone == CIRCLE:
            blocks, towards = self._with_rates(blocks), np.empty((len(blocks), 3))
            round_cone.guess(rows, blocks, free, towards)
        of_body = np.empty(len(world.bodies), np.int32)
        count = islands.number_islands(world.bodies, selected(self.contacts, active > 0), world.joints, of_body)
        members, first = np.empty(len(blocks), np.int64), np.empty(count + 1, np.int64)
        assemble.group(blocks, of_body, count, members, first)
        sizes = np.empty((count, 2), np.int64)
        assemble.sizes(blocks, members, first, active, table, sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes[:, 0])])
        task = solving.LcpTask(members, first, sizes, offsets, active, polygon(o.polygon_facets), o.pivots, self.halt)
        answer = solving.LcpResult(np.zeros(int(offsets[-1]), np.uint8), np.empty((count, 8), np.int64), np.zeros(count),
                                   np.zeros((len(blocks), 3), np.int8), towards, solving.NO_ACCOUNT, solving.NO_ACCOUNT)
        if not joint_space.solve(self.W, rows, blocks, free, table, task, answer):
            raise BadInput(f"step at t = {world.time:.4f} s cancelled; the state before it is restored")
        self.pivots += int(answer.tally[:, PIVOTS].sum())
        if o.cone == CIRCLE and (answer.tally[:, ASKEW] > 0).any():
            world.warnings.add(ASKEW_CONE)
        return answer

    def _with_rates(self, blocks: np.ndarray) -> np.ndarray:
        """The blocks with the gradient steps of the mechanism in place of those of bodies that no joint holds."""
        blocks = copy_of(blocks)
        for k in np.flatnonzero(blocks["count"] > 1).tolist():
            own = slice(int(blocks["first"][k]), int(blocks["first"][k] + blocks["count"][k]))
            blocks["gradient_step"][k] = 1.0 / np.abs(self.W[own, own]).sum(axis=1).max()
        return blocks

    # ---- positions

    def _way_out(self, velocity: np.ndarray) -> np.ndarray:
        """Displacements (n,) that remove overlaps after a motion with velocity (bodies, 6), the shortest in the metric of H; what
        velocities remove stays in them as energy."""
        if not (self.gaps < -linearise.NEGLIGIBLE_OVERLAP).any():
            return np.zeros(self.tree.size)
        rows, blocks, first, dt = copy_of(self.rows), copy_of(self.masked), self.world.layout.joints.rows, self.dt
        normals = slice(first, first + 3 * len(self.gaps), 3)
        linearise.aim_way_out(rows, blocks, self.blocks, normals, self.gaps + dt * self.options.max_correction_speed,
                              dt * velocity, dt * self.turn[:, 0])
        answer = self._lcp(rows, blocks, np.ones(len(self.gaps), np.uint8), self.still)
        return self._change(rows) if (answer.tally[:, STATUS] == Status.SOLVED).all() else np.zeros(self.tree.size)

    def _drift(self, velocity: np.ndarray) -> None:
        """Move bodies without joints as the other solvers do: a free top is exact (dynamics/integrate.py, 4)."""
        if not len(self.layout.alone):
            return
        bodies, own = self.world.bodies, self.tree.links["body"][self.layout.alone]
        moved, velocity = copy_of(bodies[own]), np.ascontiguousarray(velocity[own])
        pos, quat = np.ascontiguousarray(self.before[own, :3]), np.ascontiguousarray(self.before[own, 3:7])
        linearise.place_bodies(moved, pos, quat, velocity, self.dt, True)
        linearise.finish_step(moved, quat, velocity, self.dt, True)
        for name in ("pos", "quat", "vel", "omega"):
            bodies[name][own] = moved[name]

    def _move(self, moved: tuple, velocity: np.ndarray, way_out: np.ndarray) -> None:
        """(3), then displacements way_out (n,); the bodies get their poses and velocities, the joints of the tree their
        reactions."""
        m, bodies, world, dt = self.mechanism, self.world.bodies, self.world, self.dt
        pushes = np.zeros((len(bodies), 6))
        push(self.contacts, np.ascontiguousarray(self.before[:, :3]), pushes)
        push_cut(world.joints, self.tree.loops, self.before, pushes)
        q, qd, moves, momenta = moved
        m.place(q, qd, dt)
        bodies["velocity_lag"][(bodies["kind"] == Kind.DYNAMIC) | (bodies["kind"] == Kind.KINEMATIC)] = 0.5 * dt
        lag_velocities(self.tree.links, bodies, m.states)
        self._drift(velocity)
        momentum_step.set_velocities(self.tree.links, bodies, self.before, dt, moves, momenta)
        conserve_momentum(self.tree.links, bodies, self.before, world.gravity, dt, True, self._row_pushes())
        write_reactions(self.tree.links, bodies, self.before, world.gravity, dt, pushes, world.joints)
        write_constraint_impulses(world.joints, world.layout.joints.pieces, self.layout.held, self.rows)
        if way_out.any():
            kinematics.coordinates_of(self.tree.links, bodies, q)
            kinematics.advance(self.tree.links, way_out, 1.0, q)
            kinematics.place(self.tree.links, q, bodies)
        bodies["force"], bodies["torque"] = 0.0, 0.0

    def _advance_free(self, qd: np.ndarray, way_out: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(q, qd at the end, links (links,) that momentum_step.py has moved, their momenta): trees that stand still or fly, on
        which no row acts but those of cut joints, whose impulses become those that close them. The bodies stay at q0."""
        layout, tree = self.layout, self.tree
        own = np.repeat(self.blocks, self.blocks["count"])
        cut = (own["owner"] == Owner.JOINT) & (own["role"] == Role.CONSTRAINT) & (own["bound"] == Bound.EQUALITY) & np.isin(
            own["index"], tree.loops)
        moving = self.mechanism.carriers.index
        cut &= ~(np.isin(own["a"], moving) | np.isin(own["b"], moving))
        acts = own[(self.rows["impulse"] != 0.0) & ~cut]
        carried = (tree.links["parent"] == GROUND) & np.isin(tree.links["other"], moving)
        links = np.concatenate([tree.of_body[acts["a"]], tree.of_body[acts["b"]], np.flatnonzero(carried)])
        moves = layout.in_tree & ~np.isin(layout.root, layout.root[links[links >= 0]]) & (not way_out.any())
        ends = np.stack([tree.of_body[own["a"]], tree.of_body[own["b"]]])
        cut &= (moves[ends] | (ends < 0)).all(axis=0)
        try:
            return self._close(qd, moves, np.flatnonzero(cut))
        finally:
            self._return()

    def _return(self) -> None:
        """Bring the bodies back to q0."""
        self.world.bodies["pos"], self.world.bodies["quat"] = self.before[:, :3], self.before[:, 3:7]

    def _close(self, qd: np.ndarray, moves: np.ndarray,
               cut: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """`_advance_free` of the links that `moves` tells, with the rows `cut` of their cut joints."""
        impulses, largest = self.rows["impulse"].copy(), np.inf
        response, ends = (self._response(cut), self._ends()[cut]) if len(cut) else (None, None)
        self.rows["impulse"][cut] = 0.0     # near singular places those of (2) may lead to another motion
        for _ in range(MAX_CLOSINGS):
            q, end, momenta = self._advance(qd, moves)
            if not moves.any():
                self.rows["impulse"] = impulses     # those of (2), with which qd moves all
            if not len(cut) or not moves.any():
                return q, end, moves, momenta
            rows = self._joint_rows()[cut]
            errors = rows["position_error"]
            if np.abs(errors).max() <= CLOSED:
                return q, end, moves, momenta
            if not np.abs(errors).max() < GROWN * largest:
                break
            largest = min(largest, np.abs(errors).max())
            W = self.mechanism.rows(rows, ends, self.after) @ response
            self.rows["impulse"][cut] -= self._inverse(W) @ errors / self.dt
        self.rows["impulse"], self.unresolved = impulses, True
        return self._close(qd, moves & ~self.layout.in_loop, cut[:0])

    def _response(self, index: np.ndarray) -> np.ndarray:
        """H^-1 J^T of those rows, (n, rows)."""
        out = np.ascontiguousarray(self.Z[:, index])
        dynamics.other_half_solve(self.tree.above, self.space.factor, out)
        return out

    def _inverse(self, W: np.ndarray) -> np.ndarray:
        """Inverse of W (rows, rows), damped where rows ask for the same, or nearly so."""
        u, s, v = np.linalg.svd(W)
        return (v.T * (s / (s * s + (CLOSING_DAMPING * (s.max() or 1.0)) ** 2))) @ u.T

    def _joint_rows(self) -> np.ndarray:
        """The rows of joints, which come first of all, where the bodies are now."""
        layout = self.world.layout.joints
        rows, blocks = np.empty(layout.rows, ROW), np.empty(layout.blocks, BLOCK)
        write_joints(self.world, self.dt, self.contacts, rows, blocks)
        return rows

    def _advance(self, qd: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(q, qd at the end, momenta of the links that `moves` tells) after (3) with qd, but for these; none, where one turns too
        far for that."""
        m, tree, dt, world = self.mechanism, self.tree, self.dt, self.world
        n, size, q, end = len(tree.links), tree.size, m.q.copy(), np.where(np.repeat(moves, tree.links["count"]), 0.0, qd)
        self._return()
        kinematics.advance(tree.links, end, dt, q)
        tops.drift(tree.links, world.bodies, m.states, dt, q, end)
        momenta, self.after = np.zeros((n, 9)), np.zeros(n, kinematics.STATE)
        if not moves.any() or momentum_step.move(tree.links, tree.above, world.bodies, self.before, self._row_pushes(),
                                                 world.gravity, dt, moves, m.states, self.after, q, momenta,
                                                 np.zeros((size, size)), np.zeros(size)):
            return q, end, momenta
        moves[:], self.unresolved = False, True
        return self._advance(qd, moves)

    def _row_pushes(self) -> np.ndarray:
        """Impulses and moments of all rows on the bodies (bodies, 6), about the centres of mass."""
        out = np.zeros((len(self.world.bodies), 6))
        if not self.rows["impulse"].any():
            return out
        for side in "ab":
            wrench = np.hstack([self.rows[f"lin_{side}"], self.rows[f"ang_{side}"]]) * self.rows["impulse"][:, None]
            np.add.at(out, np.repeat(self.blocks[side], self.blocks["count"]), wrench)
        return out


def step_report(name: str, rows: int) -> Report:
    """Report of a step without contacts, with so many rows of joints of which none has an impulse."""
    return Report(solver=name, iterations=0, end="converged", change=0.0, residual=0.0, contacts=0, rows=rows, penetration=0.0,
                  joint_error=0.0, iteration_unit="pivots")


def kick_time(lag: np.ndarray, dt: float) -> np.ndarray:
    """Duration of forces in the kick of a drift of dt [s] (integrate.py, 3)."""
    return lag + 0.5 * dt
