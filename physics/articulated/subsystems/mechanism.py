"""A world as a mechanism in joint coordinates: accelerations by subsystems, and the way back onto closed loops (KV section 3).

q, v: coordinates and velocities of a tree of links (physics/articulated); X, X': poses and velocities of the bodies.

    X = X(q),   X' = J(q) v,   v' from X''                                                                     (KV 8)  (1)
    X'' by the subsystems, with the joints' rows G X' = 0,   G X'' = -(dG/dt) X'                                       (2)

Every joint is eliminated in (2), those of the tree, too; that is what lets subsystems work by themselves. Integrated is v', so
the tree's joints stay whole; for the others, g(q) = 0, Ascher's stabilisation follows each step, once or twice:

    (q, v) <- (q, v) - G^T (G G^T)^-1 (g, dg/dt),   G = dg/dq                                                          (3)

with the smallest change where rows depend on one another. G: rows of the joints that are cut times J; dg/dt = G v, and more where
a kinematic body carries a joint.

Friction, motors and springs. Friction of a group of directions, and a motor, hold w = 0 (w: relative velocity less the motor's)
by rows of their own in (2) as long as ||tau|| <= F; then tau = -F w / ||w|| - c w                                     (4)
(MS16 eq 8, ST96 3.5). Springs: tau = -k (q - rest) - c q'.

Kinematic bodies change their velocities within a step as dynamics/kinematic_velocity.py has it: (2) and v' have their
accelerations. What still jumps between two steps, theirs and velocities that were set, is joined by impulses at the start of a
step, in the same tree of subsystems; so is the speed of laws that would stop almost at once:

    X'+ = X' + M^-1 G^T p,   G X'+ = 0;     for a law  w+ = 0  if  ||p|| <= F BRIEF h                                  (5)
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physics import joints as joint_kinds
from physics.articulated import kinematics
from physics.articulated.mechanism import ALLOWED, Carriers, continue_angles, ends_of, place, project
from physics.articulated.subsystems import distributed, partition, reduction
from physics.articulated.subsystems.reduction import Array
from physics.articulated.tree import GROUND, tree_of
from physics.core import vec
from physics.core.jit import inline, kernel
from physics.core.records import MAX_AXES, ROW, Drive, Kind, Role, copy_of
from physics.dynamics import integrate

DIFFERENCE_STEP = 1e-6
"""Step for which joints write dG/dt X' [s]: for long ones they bound how far a body turns."""

MADE_OPEN = 1e-9
"""A joint with a larger initial error is closing [m], [rad]."""

BRIEF = 1e-4
"""Laws that need no longer to stop, as a fraction of the step, stop at its start."""

NEVER_AT_REST = 1e-12
"""Speeds of laws below this are rounding [m/s], [rad/s]."""

SOFTNESS = 1e-6
"""E of reduction.py as a fraction of J M^-1 J^T of a row, where laws share a load."""

MAX_BOUND_RATIO = 1e6
"""Laws whose bounds differ by more, as of a drive without limit beside a bearing's friction, cannot share a load (sticking.py):
those that exceed their bound most let go one by one."""

DEPENDENT_ROW = 1e-9
"""Rows of G of which less than this fraction of the longest is left without the others follow from them, in (3)."""

DYNAMIC = Kind.DYNAMIC


@dataclass(frozen=True)
class Law:
    """Something that acts along rows of a joint: dry and viscous friction, a motor (4), or a spring.

    joint, role: of JOINT. rows: written rows. slot: of friction_impulse, or the axis. bound: F [N], [N m]; at speed: `kinetic`,
    from `stribeck` on. viscous: c. target: speed of a motor, or the rest of a spring; stiffness: k of a spring, 0: none.
    """

    joint: int
    role: int
    rows: NDArray[np.int64]
    slot: int
    bound: float
    kinetic: float
    stribeck: float
    viscous: float
    target: float = 0.0
    stiffness: float = 0.0

    @property
    def sticks(self) -> bool:
        """Whether it can hold its directions still."""
        return self.stiffness == 0.0 and self.bound > 0.0

    @property
    def drive(self) -> float:
        """Speed at which it holds its directions."""
        return self.target if self.role == Role.MOTOR and self.stiffness == 0.0 else 0.0

    def size(self, speed: float) -> float:
        """The dry bound at a speed."""
        if self.kinetic == self.bound or speed <= 0.0:
            return self.bound
        fading = np.exp(-((speed / self.stribeck) ** 2)) if self.stribeck > 0.0 else 0.0
        return self.kinetic + (self.bound - self.kinetic) * float(fading)


@dataclass
class Moment:
    """The mechanism at one state: (2) solved.

    v_dot (n,): accelerations of the coordinates. multipliers (written,): of rows that were equations, forces [N] or [N m].
    forces: tau (rows,) of the laws that were not, by number; speeds: J X' of their rows, and of those that come to rest.
    rows: the written rows there.
    slip_rates (written,): w' of the laws' rows, 0 where they stick [m/s^2], [rad/s^2]. shared: whether rows may follow from
    others, so that the multipliers are one choice of many. impact: work of the joints on velocities that they do not allow [J].
    """

    v_dot: Array
    multipliers: Array
    forces: dict[int, Array]
    speeds: dict[int, Array]
    rows: np.ndarray
    slip_rates: Array
    shared: bool = False
    impact: float = 0.0


class Mechanism:
    """The dynamic bodies of a world. Its tables are its own; the world gets the state by `write_back`.

    groups: subsystems by the names of their bodies (partition.Groups); None: halves of up to `most` bodies.
    """

    def __init__(self, world: Any, groups: partition.Groups | None = None, most: int = 4) -> None:
        self.bodies, self.joints, self.layout = copy_of(world.bodies), copy_of(world.joints), world.layout.joints
        known = joint_kinds.kinds()
        kinds = [known[name] for name in world.joint_kinds]
        self.names, self.writers = tuple(world.body_names), [kind.write for kind in kinds]
        moves = self.bodies["kind"] == Kind.DYNAMIC
        self.tree = tree_of(self.bodies, self.joints, kinds, moves)
        self.gravity = np.array(world.gravity, np.float64)
        self.rows = np.zeros(self.layout.written, ROW)
        self.states = np.zeros(len(self.tree.links), kinematics.STATE)
        pieces = self.layout.pieces
        held = [p for p in pieces if p["role"] == Role.CONSTRAINT]
        self.held_rows = {int(p["joint"]): self._sources(p) for p in held}
        self.locks = {int(self._sources(p)[i]): float(self.joints["limit_lo"][p["joint"], self._sources(p)[i] - p["axes"]])
                      for p in held for i in range(int(p["slot"]), int(p["count"]))}
        self.row_joint = np.zeros(self.layout.written, np.int64)
        for p in pieces:
            self.row_joint[self._sources(p)] = p["joint"]
        cut, kinematic = set(self.tree.loops.tolist()), self.bodies["kind"] == Kind.KINEMATIC
        self.closing = np.concatenate([np.zeros(0, np.int64), *(
            rows if joint in cut else np.array([r for r in rows if int(r) in self.locks], np.int64)
            for joint, rows in self.held_rows.items())])
        self.carried = kinematic[self.joints["body_a"][self.row_joint]] | kinematic[self.joints["body_b"][self.row_joint]]
        self.laws: list[Law] = []
        self.loads = np.zeros(self.layout.written)
        self.root = partition.divide(self.joints, moves, self.names, groups, most)
        self.elimination = reduction.Elimination(reduction.Plan.of(self.root))
        self.q, self.v = np.zeros(self.tree.places), np.zeros(self.tree.size)
        self.evaluations, self.carriers = 0, Carriers(self.bodies, 0.0)

    def _sources(self, piece: np.record) -> NDArray[np.int64]:
        return self.layout.sources[piece["first"] : piece["first"] + piece["count"]]

    def _laws(self, piece: np.record) -> list[Law]:
        joint, role, slot = self.joints[piece["joint"]], int(piece["role"]), int(piece["slot"])
        rows = self._sources(piece)
        if role == Role.FRICTION:
            g = int(piece["group"])
            return [Law(int(piece["joint"]), role, rows, slot, float(joint["max_friction"][g]), float(joint["kinetic"][g]),
                        float(joint["stribeck"][g]), float(joint["viscous"][g]))]
        if role == Role.MOTOR:
            force, target = float(joint["motor_force"][slot]), float(joint["motor_target"][slot])
            if joint["motor_mode"][slot] == Drive.SPRING:
                return [Law(int(piece["joint"]), role, rows, slot, force, force, 0.0, float(joint["motor_damping"][slot]), target,
                            max(float(joint["motor_stiffness"][slot]), 1e-300))]
            return [Law(int(piece["joint"]), role, rows, slot, force, force, 0.0, 0.0, target)]
        return []

    def distribute(self, transport: distributed.Transport) -> None:
        """Eliminate only this process's share from now on."""
        joint, used = np.full(len(self.rows), -1), np.unique(self.layout.sources)
        joint[used] = self.row_joint[used]
        self.elimination = distributed.DistributedElimination(self.elimination.plan, transport, joint)

    # ---- state

    def read(self, world: Any, dt: float = 0.0) -> None:
        """The state of the world, with its settings: poses, and velocities brought to their time. dt: of the step in which
        kinematic bodies change their velocities [s]; 0: they keep them."""
        self.bodies[:], self.joints[:], self.evaluations = world.bodies, world.joints, 0
        self.gravity[:] = world.gravity
        self.laws = [law for piece in self.layout.pieces for law in self._laws(piece)]
        self.law_rows = np.unique(np.concatenate([np.zeros(0, np.int64), *(law.rows for law in self.laws)]))    # some share one
        self.loads[:] = 0.0 if dt == 0.0 else self._last_forces(dt)
        synchronise(self.bodies, self.gravity)
        self.carriers = Carriers(self.bodies, dt)
        self.carriers.accelerate(0.0)
        self.states["carried"] = self.carriers.under(self.tree.links)
        continue_angles(self.tree.links, self.joints, self.q)
        kinematics.coordinates_of(self.tree.links, self.bodies, self.q)
        kinematics.begin(self.tree.links, self.bodies, self.states, self.v)

    def _last_forces(self, dt: float) -> Array:
        """Forces (written,) of the last step, if that was as long; those of laws within their bounds."""
        out = np.zeros(len(self.rows))
        for joint, rows in self.held_rows.items():
            out[rows] = self.joints["impulse"][joint, : len(rows)] / dt
        for law in self.laws:
            of = "friction_impulse" if law.role == Role.FRICTION else "motor_impulse"
            force = self.joints[of][law.joint, law.slot : law.slot + len(law.rows)] / dt
            out[law.rows] = force * min(1.0, law.bound / max(float(np.linalg.norm(force)), law.bound, 1e-300))
        return out

    def place(self, q: Array, v: Array, time: float) -> None:
        """X and X' of (1), `time` [s] after the state was read; then the rows."""
        self.carriers.move(time)
        place(self.tree.links, q, v, self.bodies, self.states)
        layout = self.layout
        for k, write in enumerate(self.writers):
            begin, end = layout.ends[k], layout.ends[k + 1]
            if end > begin:
                write(self.joints, layout.of_kind[begin:end], layout.first[begin:end], self.bodies, self.rows, DIFFERENCE_STEP)

    def write_back(self, world: Any) -> None:
        """Poses, velocities and coordinates of the present state."""
        self.carriers.restore_velocities()
        for name in ("pos", "quat", "vel", "omega"):
            world.bodies[name] = self.bodies[name]
        world.bodies["velocity_lag"][self.bodies["kind"] == Kind.DYNAMIC] = integrate.INSTANT_LAG
        world.joints["coordinate"] = self.joints["coordinate"]

    # ---- accelerations

    def moment(self, q: Array, v: Array, time: float, stuck: frozenset[int], towards: dict[int, Array],
               loads: Array | None = None, softness: Array | None = None,
               stopping: dict[int, Array] | None = None) -> Moment:
        """(2) and (4) at a state.

        stuck: laws that hold their directions still. towards: direction (rows,) of the slip against which the friction of others
        acts, however fast or slow it is; without one it is that of w. loads (written,): multipliers, of which the equations find
        only what is missing; None: 0. softness (written,): E of reduction.py, for what is missing; None: 0. stopping: -w' (rows,)
        at which stuck laws come to rest, by number; None: all of them are at rest.
        """
        self.evaluations += 1
        self.place(q, v, time)
        rows, response = self.rows, np.zeros((len(self.bodies), 6, 6))
        applied = np.zeros((len(self.bodies), 6))
        gather(self.tree.links, self.bodies, self.states, self.gravity, response, applied)
        forces, speeds, given = {}, {}, np.zeros(len(rows))
        every = np.zeros(len(rows))
        every[self.law_rows] = self.row_speeds(self.law_rows)
        for number, law in enumerate(self.laws):
            if number in stuck:
                if stopping and number in stopping:
                    speeds[number] = every[law.rows]
                    given[law.rows] -= law.viscous * speeds[number]
                continue
            speeds[number] = every[law.rows]
            forces[number] = self._force(law, speeds[number], towards.get(number))
            given[law.rows] += forces[number]
        push(self.joints, self.row_joint, self.law_rows, rows, given, applied)
        equations, started = self._equation_rows(stuck), np.zeros(len(rows))
        if loads is not None:
            started[equations] = loads[equations]
            push(self.joints, self.row_joint, equations, rows, started, applied)
        free = np.zeros((len(self.bodies), 6))
        accelerate(self.tree.links, response, applied, free)
        targets = 2.0 * rows["target"] / DIFFERENCE_STEP - self._carried_rates()
        wanted = targets.copy()
        for number, rate in (stopping or {}).items():
            wanted[self.laws[number].rows] -= rate
        multipliers, reactions = self._eliminate(response, free, stuck, wanted, softness)
        accelerate(self.tree.links, response, reactions, free)
        v_dot = np.zeros(self.tree.size)
        joint_accelerations(self.tree.links, self.states, self.bodies, free, v_dot)
        shared = not multipliers[equations].all()
        return Moment(v_dot, multipliers + started, forces, speeds, rows.copy(), self._slip_rates(free, targets), shared)

    @property
    def has_unlike_bounds(self) -> bool:
        """Whether bounds of laws differ by more than MAX_BOUND_RATIO."""
        bounds = [law.bound for law in self.laws if law.bound > 0.0]
        return bool(bounds) and max(bounds) > MAX_BOUND_RATIO * min(bounds)

    def _equation_rows(self, stuck: frozenset[int]) -> NDArray[np.int64]:
        """Rows that are equations: of the joints, and of laws that stick."""
        laws = (self.laws[number].rows for number in sorted(stuck))
        return np.concatenate([np.zeros(0, np.int64), *self.held_rows.values(), *laws])

    def _slip_rates(self, accelerations: Array, targets: Array) -> Array:
        """w' (written,) of the laws' rows, from the accelerations of the dynamic bodies (bodies, 6)."""
        index, out = self.law_rows, np.zeros(len(self.rows))
        for side in "ab":
            own = accelerations[self.joints[f"body_{side}"][self.row_joint[index]]]
            out[index] += np.einsum("ij,ij->i", self._pushes(side), own)
        out[index] -= targets[index]
        return out

    def _pushes(self, side: str) -> Array:
        """J (rows, 6) of the laws' rows at one of their two bodies."""
        return np.hstack([self.rows[f"lin_{side}"][self.law_rows], self.rows[f"ang_{side}"][self.law_rows]])

    def mobility(self) -> Array:
        """J M^-1 J^T (written,) of the laws' rows at the present state, as if bodies had no other joints."""
        response, out = self.response(), np.zeros(len(self.rows))
        for side in "ab":
            push, body = self._pushes(side), self.joints[f"body_{side}"][self.row_joint[self.law_rows]]
            out[self.law_rows] += np.einsum("ij,ijk,ik->i", push, response[body], push)
        return out

    def response(self) -> Array:
        """M^-1 (bodies, 6, 6) at the present state."""
        out = np.zeros((len(self.bodies), 6, 6))
        gather(self.tree.links, self.bodies, self.states, self.gravity, out, np.zeros((len(self.bodies), 6)))
        return out

    def _carried_rates(self) -> Array:
        """G X'' (rows,) of the kinematic bodies alone."""
        moved, out = self.carriers.accelerations, np.zeros(len(self.rows))
        for side in "ab" if moved.any() else "":
            own = moved[self.joints[f"body_{side}"][self.row_joint]]
            out += np.einsum("ij,ij->i", self.rows[f"lin_{side}"], own[:, :3])
            out += np.einsum("ij,ij->i", self.rows[f"ang_{side}"], own[:, 3:])
        return out

    def _eliminate(self, response: Array, free: Array, stuck: frozenset[int], wanted: Array,
                   softness: Array | None = None) -> tuple[Array, Array]:
        """As Elimination.solve, with the rows of joints and of stuck laws as wanted (rows,)."""
        equations, soft = self._equations(stuck), np.zeros(len(self.rows)) if softness is None else softness
        column = np.full(len(self.bodies), -1, np.int64)

        def of(plan: reduction.Plan) -> tuple[NDArray[np.int64], Array, Array, Array]:
            own = [equations[j] for j in plan.subsystem.joints if j in equations]
            index = np.concatenate(own) if own else np.zeros(0, np.int64)
            jacobian = np.zeros((len(index), plan.width))
            column[plan.inside] = 6 * np.arange(len(plan.inside))
            write_jacobian(self.joints, self.row_joint, self.rows, index, column, jacobian)
            column[plan.inside] = -1
            return index, jacobian, wanted[index], soft[index]
        return self.elimination.solve(reduction.Bodies(response, free, of, len(self.rows)))

    def kick(self, dt: float, rounds: int) -> list[tuple[float, Moment]]:
        """(5) at the start of a step of dt [s], from the velocities that were read; what acted, as in `advance`.

        With no `rounds` of stabilisation, closed loops keep the speed at which they drift.
        """
        vel, omega = self.bodies["vel"].copy(), self.bodies["omega"].copy()
        self.place(self.q, self.v, 0.0)
        self.bodies["vel"], self.bodies["omega"] = vel, omega     # not those of the tree
        before, held = self.row_speeds(np.arange(len(self.rows))), np.zeros(len(self.rows), bool)
        held[[r for rows in self.held_rows.values() for r in rows]] = True
        if rounds == 0:
            held[self.closing[~self.carried[self.closing]]] = False
        response, brief = self.response(), BRIEF * dt
        wrong = np.abs(before[held]).max(initial=0.0) > ALLOWED
        wanted, mobility = np.where(held, -before, 0.0), self.mobility()
        changes = [law.drive - before[law.rows] for law in self.laws]
        # those that could stop so soon if their bodies had no other joints
        stopping = {n for n, law in enumerate(self.laws) if law.sticks and
                    NEVER_AT_REST < np.linalg.norm(changes[n]) <= law.bound * brief * mobility[law.rows].sum()}
        while wrong or stopping:
            for n in stopping:
                wanted[self.laws[n].rows] = changes[n]      # a motor's row may be that of a friction that slips
            rows = self._equation_rows(frozenset(stopping))
            impulses, reactions = self._eliminate(response, np.zeros((len(self.bodies), 6)), frozenset(stopping), wanted)
            over = self._over(stopping, impulses, brief)
            if over and not impulses[rows].all() and not self.has_unlike_bounds:
                impulses, reactions = self._stop_together(response, frozenset(stopping), wanted, mobility)
                over = self._over(stopping, impulses, brief)
            if not over:
                return [(brief, self._struck(response, reactions, impulses / brief, brief, stopping, before))]
            stopping -= over
        return []

    def _over(self, laws: Iterable[int], impulses: Array, brief: float) -> set[int]:
        """Laws whose impulses exceed what they can give within a time [s]."""
        return {n for n in laws if np.linalg.norm(impulses[self.laws[n].rows]) > self.laws[n].bound * brief}

    def _stop_together(self, response: Array, stopping: frozenset[int], wanted: Array, mobility: Array) -> tuple[Array, Array]:
        """(impulses (rows,), what they do to each body (bodies, 6)) of (5), shared by laws that stop one motion (sticking.py)."""
        free = np.zeros((len(self.bodies), 6))
        given, pushed = self._eliminate(response, free.copy(), stopping, wanted, SOFTNESS * mobility)
        accelerate(self.tree.links, response, pushed, free)
        missing, reactions = self._eliminate(response, free, stopping, wanted)
        return given + missing, pushed + reactions

    def _struck(self, response: Array, impulses: Array, multipliers: Array, brief: float, stopped: set[int],
                before: Array) -> Moment:
        """The mechanism after impulses on its bodies (bodies, 6); the moment of (5), `brief` [s]. before (rows,): speeds."""
        change = np.zeros((len(self.bodies), 6))
        accelerate(self.tree.links, response, impulses, change)
        self.bodies["vel"] += change[:, :3]
        self.bodies["omega"] += change[:, 3:]
        kinematics.begin(self.tree.links, self.bodies, self.states, self.v)
        forces, speeds, after = {}, {}, self.row_speeds(np.arange(len(self.rows)))
        for n in stopped:
            rows = self.laws[n].rows
            forces[n], speeds[n] = multipliers[rows].copy(), 0.5 * (before + after)[rows]
            multipliers[rows] = 0.0
        return Moment(np.zeros(self.tree.size), multipliers, forces, speeds, copy_of(self.rows), np.zeros(len(self.rows)),
                      impact=brief * float(0.5 * multipliers @ (before + after)))

    def _equations(self, stuck: frozenset[int]) -> dict[int, NDArray[np.int64]]:
        """Rows of each joint that are equations."""
        out = dict(self.held_rows)
        for number in sorted(stuck):
            law = self.laws[number]
            out[law.joint] = np.concatenate([out.get(law.joint, np.zeros(0, np.int64)), law.rows])
        return out

    def row_speeds(self, index: NDArray[np.int64]) -> Array:
        """J X' of written rows at the present state."""
        speeds = np.empty(len(index))
        row_speeds(self.bodies, self.joints, self.row_joint, index, self.rows, speeds)
        return speeds

    def speed(self, law: Law) -> Array:
        """w of (4), (rows,), at the present state."""
        return self.row_speeds(law.rows) - law.drive

    def _force(self, law: Law, speeds: Array, towards: Array | None) -> Array:
        """tau of a law that slips, or of a spring. speeds (rows,): J X' of its rows."""
        w = speeds - law.drive
        if law.stiffness > 0.0:
            stretch = self.rows["position_error"][law.rows] - law.target
            return np.clip(-law.stiffness * stretch - law.viscous * w, -law.bound, law.bound)
        size = abs(float(w[0])) if len(w) == 1 else float(np.linalg.norm(w))
        direction = towards if towards is not None else w / max(size, 1e-300)
        return -law.size(size) * direction - law.viscous * w

    # ---- stabilisation

    def errors(self) -> Array:
        """g (m,) of the rows in `closing`, at the present state [m], [rad]."""
        held = np.array([self.locks.get(int(r), 0.0) for r in self.closing])
        return self.rows["position_error"][self.closing] - held

    def loop_jacobian(self) -> Array:
        """G (m, n) of (3) at the present state."""
        out, joint = np.zeros((len(self.closing), self.tree.size)), self.joints[self.row_joint[self.closing]]
        project(self.rows[self.closing], ends_of(joint), self.tree.links, self.states, self.tree.of_body, out)
        return out

    def stabilise(self, q: Array, v: Array, time: float, rounds: int) -> None:
        """(3), so many times; q and v become the stabilised ones, and the present state."""
        self.place(q, v, time)
        for _ in range(rounds if len(self.closing) else 0):
            out = np.zeros((self.tree.size, 2))
            reduction.smallest_change(self.loop_jacobian(), np.column_stack([self.errors(), self.row_speeds(self.closing)]),
                                      DEPENDENT_ROW, out)
            kinematics.advance(self.tree.links, np.ascontiguousarray(-out[:, 0]), 1.0, q)
            v -= out[:, 1]
            self.place(q, v, time)


def check_supported(world: Any) -> str:
    """Why the method cannot take a world, "" if it can."""
    joints = world.joints[world.joints["kind"] >= 0]
    names = [name for name, kind in zip(world.joint_names, world.joints["kind"].tolist(), strict=False) if kind >= 0]
    free = (joints["locked"][:, None] >> np.arange(MAX_AXES) & 1) == 0
    limited = (free & (np.isfinite(joints["limit_lo"]) | np.isfinite(joints["limit_hi"]))).any(axis=1)
    positions = (joints["motor_mode"] == Drive.POSITION).any(axis=1)
    loaded = (joints["load_mu"] > 0.0).any(axis=1)
    made_open = (joints["ramp"] > 0.0) & (np.abs(joints["start_error"]).max(axis=1, initial=0.0) > MADE_OPEN)

    def first(wrong: NDArray[np.bool_]) -> str:
        return names[int(np.argmax(wrong))] if wrong.any() else ""
    if name := first(limited):
        return f"joint '{name}' has a limit, and a limit is an impact; remove it"
    if name := first(positions):
        return f"joint '{name}' has a position motor; use a spring or a velocity motor"
    if name := first(loaded):
        return f"joint '{name}' has friction that depends on its load; give it a constant bound"
    if len(joints) and joint_kinds.pulled(tuple(world.joint_kinds))[joints["kind"]].any():
        return "a body is being dragged with the mouse; release it"
    if name := first(made_open):
        return f"joint '{name}' was made with an error and is closing; wait until it is closed"
    contacts = world.contacts
    if len(touching := np.flatnonzero((contacts["gap"] < 0.0) & (contacts["impulse"] > 0.0))):
        return touch_message(world, contacts[touching[0]])
    return ""


def touch_message(world: Any, contact: np.record) -> str:
    """Why a contact cannot be taken."""
    a, b = (world.body_names[int(contact[side])] for side in ("body_a", "body_b"))
    return f"'{a}' and '{b}' touch, and it has no contacts; use another solver for this scene"


# ---- kernels


@kernel
def synchronise(bodies, gravity):
    """Velocities of the dynamic bodies at the time of their poses."""
    integrate.inertias(bodies)
    for i in range(bodies.shape[0]):
        if bodies[i].kind == DYNAMIC and bodies[i].velocity_lag > 0.0:
            integrate.synchronise(bodies[i], gravity)


@kernel
def gather(links, bodies, states, gravity, response, applied):
    """M^-1 (bodies, 6, 6) and the forces applied to each body, with its gyroscopic torque, (bodies, 6)."""
    integrate.inertias(bodies)
    for n in range(links.shape[0]):
        i = links[n].body
        b, inertia = bodies[i], states[n].body_inertia
        w = (b.omega[0], b.omega[1], b.omega[2])
        momentum = (inertia[0, 0] * w[0] + inertia[0, 1] * w[1] + inertia[0, 2] * w[2],
                    inertia[1, 0] * w[0] + inertia[1, 1] * w[1] + inertia[1, 2] * w[2],
                    inertia[2, 0] * w[0] + inertia[2, 1] * w[1] + inertia[2, 2] * w[2])
        gyroscopic = vec.cross(momentum, w)
        for k in range(3):
            response[i, k, k] = b.inv_mass
            applied[i, k] += b.force[k] + b.mass * gravity[k]
            applied[i, 3 + k] += b.torque[k] + gyroscopic[k]
            for m in range(3):
                response[i, 3 + k, 3 + m] = b.inv_inertia_world[k, m]


@kernel
def accelerate(links, response, force, out):
    """out += M^-1 force, of each link's body."""
    for n in range(links.shape[0]):
        i = links[n].body
        for k in range(6):
            for m in range(6):
                out[i, k] += response[i, k, m] * force[i, m]


@kernel
def push(joints, of, index, rows, tau, applied):
    """applied += J^T tau of rows, on their two bodies; of, tau (written,): the joints and forces of all rows."""
    for n in range(index.shape[0]):
        row, joint, size = rows[index[n]], joints[of[index[n]]], tau[index[n]]
        a, b = joint.body_a, joint.body_b
        for k in range(3):
            applied[a, k] += row.lin_a[k] * size
            applied[a, 3 + k] += row.ang_a[k] * size
            applied[b, k] += row.lin_b[k] * size
            applied[b, 3 + k] += row.ang_b[k] * size


@kernel
def write_jacobian(joints, of, rows, index, column, out):
    """out (m, columns): Jacobian of rows by the columns of their bodies; column (bodies,): the first of six, -1: none."""
    for n in range(index.shape[0]):
        row, joint = rows[index[n]], joints[of[index[n]]]
        a, b = column[joint.body_a], column[joint.body_b]
        for k in range(3):
            if a >= 0:
                out[n, a + k] += row.lin_a[k]
                out[n, a + 3 + k] += row.ang_a[k]
            if b >= 0:
                out[n, b + k] += row.lin_b[k]
                out[n, b + 3 + k] += row.ang_b[k]


@kernel
def row_speeds(bodies, joints, of, index, rows, out):
    """Write J X' of the rows of the index; of (rows,): their joints."""
    for n in range(index.shape[0]):
        row, joint = rows[index[n]], joints[of[index[n]]]
        a, b = bodies[joint.body_a], bodies[joint.body_b]
        out[n] = (vec.dot(row.lin_a, a.vel) + vec.dot(row.ang_a, a.omega) + vec.dot(row.lin_b, b.vel)
                  + vec.dot(row.ang_b, b.omega))


@kernel
def joint_accelerations(links, states, bodies, accelerations, out):
    """v' of (1): from the accelerations (bodies, 6), linear and angular, of the bodies of all links."""
    base, moved, relative, velocity = np.empty(6), np.empty(6), np.empty(6), np.empty(6)
    for n in range(links.shape[0]):
        link, state = links[n], states[n]
        spatial(state.a, accelerations[link.body], state.v)
        if link.parent == GROUND:
            kinematics.set_velocity(velocity, bodies[link.other])
            for k in range(3):
                base[k] = state.carried[k]
            vec.assign(base[3:6], vec.sub(state.carried[3:6], vec.cross(velocity[0:3], velocity[3:6])))
        else:
            for k in range(6):
                base[k] = states[link.parent].a[k]
        kinematics.shift_motion(moved, base, state.r)
        for k in range(6):
            relative[k] = state.a[k] - moved[k] - state.c[k]
        kinematics.joint_velocity(link, state, relative, out)


@kernel
def reaction_impulses(joints, of, rows, impulses):
    """Add impulses (rows,) of the rows of joints `of` to their reactions."""
    for n in range(rows.shape[0]):
        if impulses[n] != 0.0:
            joint, row = joints[of[n]], rows[n]
            for k in range(3):
                joint.reaction[k] += row.lin_b[k] * impulses[n]
                joint.reaction[3 + k] += row.ang_b[k] * impulses[n]


@inline
def spatial(out, acceleration, v):
    """Spatial acceleration (angular, linear) of a body from that of its centre of mass (linear, angular)."""
    vec.assign(out[0:3], acceleration[3:6])
    vec.assign(out[3:6], vec.sub(acceleration[0:3], vec.cross(v[0:3], v[3:6])))
