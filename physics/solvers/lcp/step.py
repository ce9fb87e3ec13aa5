"""One step of Stewart and Trinkle's scheme: rows about a point, one or more complementarity problems, then the motion.

    q~ = q0 + h v~                          rows there: linearise.py                                       (1)
    v1 from the LCP (assemble.py)            contacts that take part: an active set or all            (2)
    v~ <- v1, again from (1)                until h |v1 - v~| is small: the non-linear version       (3)
    q1 = q0 + h v1                                                                                   (4)

Rounds that do not converge alternate between contacts that exclude one another, as where small bodies move by their size in a
step. Then the first round is used, whose contacts were found with continuous collision detection.

Which contacts rebound, along which normal, on which arms and how fast is decided in the first round and kept in all others
(`_store_rebounds`): the poses after a rebound say nothing about the impact.

Poisson's and Stronge's laws solve two problems in a round (Anitescu and Potra, 1997; Glocker and Pfeiffer, 1995): compression, in
which contacts that will rebound lose their approach, then decompression with e' times their impulses applied beforehand:

    v_c from LCP(g, M),   c_n = e' c_c + c',   0 <= c' _|_ gap(q1) >= 0,   friction within mu c_n   (5)

e' = rebound / approach of targets.py: e corrected for gravity within the step, so that a single ball rises as high as by
Newton's. By Stronge's law, e' is multiplied by a share of each island (impact_law.py). Tangential targets of a rebound are those
of its tangential restitution.

A rebound gains no energy: energy_limit.py.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from physics.articulated.kinematics import STATE
from physics.articulated.tree import LINK
from physics.articulated.turning_contacts import turn_rows
from physics.collide.bounds import refresh_contacts
from physics.complementarity.problem import Status
from physics.constraints import effective_mass, joint_system
from physics.constraints.rows import rates, write_contacts, write_joints
from physics.contact.friction_cone import polygon
from physics.contact.impact_laws import ImpactLaw, laws
from physics.contact.targets import TOUCH_GAP
from physics.core.check import BadInput
from physics.core.contact_points import keys_of
from physics.core.records import BLOCK, MOMENT, ROW, Bound, copy_of, joined, selected
from physics.dynamics import islands, measure
from physics.solvers.lcp import assemble, energy_limit, impact_law, joint_polygons, linearise, round_cone, solving
from physics.solvers.lcp.assemble import Directions
from physics.solvers.lcp.fallbacks import STATUS

_NO_LINKS, _NO_STATES = np.zeros(0, LINK), np.zeros(0, STATE)

CONTRADICTION = 1e-2
"""Largest velocity that dependent joints may ask for in vain [m/s]: more than curved loops leave, less than a wrong joint."""


DEEP, SLOWLY = 2.5e-4, 0.05
"""Overlaps that displacements remove [m], and speed at which velocities remove others [m/s]: a hull on corners that are nearly in
one plane comes to rest by velocities, a pile whose contacts overlap by millimetres would fly apart."""

MIN_FOLLOWED_TURN = 1e-4
"""Turn of a body in a step that friction follows [rad]: by less, what rides on it goes inward by a share of 5e-9 in a step."""

LEFT_OUT = 1e-3
"""Share of the tolerance by which contacts outside of the active set may close: in a step of 1/60 s a residual of 6e-11 m/s."""

LOST = 1e-5
"""If the last round moves by more than this, the rounds have diverged [m] or [rad]."""

STALLED, HASTY = 6, 2
"""Rounds after which the motion must be below half of what it was half as many rounds before; where shorter parts have not
helped, too."""

POLYGON, CIRCLE = "polygon", "circle"
"""Sections of the friction cone."""

ASKEW_CONE = ("circular-cone friction did not converge to the slip direction in a step: reduce the step size, or use the "
              "polygon")
"""Warning."""

ACTIVE_SET, LAYER, ALL = "active set", "boundary layer", "all"
"""Contacts that take part."""

MIN_INERTIA = 1e-30
"""Smallest moment of inertia with which a body is a link of a tree [kg m^2]: squares of smaller ones, and of their inverses, are
no numbers."""

UNLIMITED = 1e9
"""Drives with at least this force [N] or torque [N m] are equations: beside such a bound all other numbers would be noise."""


def unsupported_inertia(world: Any, tree: Any) -> str:
    """Names a body that has too little inertia for a link, in a sentence; "" if none has."""
    links = tree.links["body"]
    least = world.bodies["inertia"][links].diagonal(0, 1, 2).min(axis=1, initial=np.inf)
    few = np.flatnonzero(least < MIN_INERTIA)
    if not len(few):
        return ""
    return (f"body '{world.body_names[links[few[0]]]}' has a moment of inertia of {least[few[0]]:.3g} kg m^2, and in joint "
            f"coordinates it must be at least {MIN_INERTIA:g} kg m^2; omit it to compute it from the shape")


def unsupported_surface(world: Any, friction: bool = False) -> str:
    """What the materials of a world have and the complementarity problem has not, in a sentence; "" if nothing. friction: rolling
    and torsional friction count, too."""
    for number, what in (("rolling", "rolling friction"), ("torsional", "torsional friction"), ("adhesion", "adhesion")):
        if (friction or what == "adhesion") and world.materials.pairs[number].any():
            return f"{what} is not supported; remove it from the materials"
    return ""


class LcpSettings(NamedTuple):
    """The options. directions: of friction; round: they are rotated against the slip (round_cone.py); rounds, tolerance [m]: of
    (3); predicted: v~ = v0 in the first round, else 0; midpoint: later rounds are linearised at q0 + h v~ / 2; choice,
    boundary_layer: which contacts take part [m] (stewart_trinkle.py); law: kind of the law of impact (contact/impact_laws);
    explicit: positions by v0; published: overlaps are removed by velocities, as in the papers; backward: springs and the
    directions of joints as at the end of the step; threshold: slower impacts do not rebound [m/s]; max_correction_speed: at which
    overlaps and errors are removed [m/s]; pivots: most of one problem, per unknown."""

    directions: Directions
    round: bool
    rounds: int
    tolerance: float
    predicted: bool
    midpoint: bool
    choice: str
    boundary_layer: float
    law: int
    explicit: bool
    published: bool
    backward: bool
    gyroscopic: bool
    threshold: float
    max_correction_speed: float
    pivots: float

    @property
    def section(self) -> np.ndarray:
        """Polygon of the friction cone (friction_cone.py)."""
        return polygon(0 if self.round else self.directions.plane)


class ProblemReport(NamedTuple):
    """One set of problems solved in a step: sizes (unknowns, equations eliminated) of its islands, and the tally."""

    round: int
    phase: str
    sizes: np.ndarray
    tally: np.ndarray


MAX_OBSERVED_PIVOTS = 5000
"""Pivots of a problem that a pivot_observer is told of."""


class SeenContacts(NamedTuple):
    """Solution of one problem, for observers. tally: its row; blocks, contacts: those of the unknowns."""

    round: int
    island: int
    tally: np.ndarray
    account: solving.LcpStatistics
    blocks: np.ndarray
    contacts: np.ndarray


def pairs_of(contacts: np.ndarray) -> list[tuple[int, int]]:
    """The shapes of each contact."""
    return list(zip(contacts["shape_a"].tolist(), contacts["shape_b"].tolist()))


def has_stalled(moves: list[float], within: int = STALLED) -> bool:
    """Whether rounds with these motions [m] or [rad] converge too slowly, see STALLED."""
    return len(moves) >= within and moves[-1] > 0.5 * moves[-1 - within // 2]


class LcpStep:
    """State of one step in progress. turned (rows,): by how much velocities along tangents at q0 differ from those in the middle
    of the step, which friction acts on [m/s]."""

    def __init__(self, world: Any, contacts: np.ndarray, dt: float, settings: LcpSettings, halt: np.ndarray, watch: Any,
                 pivot_observer: Any = None) -> None:
        """watch: called with the sizes of the problems before they are solved; pivot_observer: with the `SeenContacts` of each
        afterwards."""
        self.pivot_observer = pivot_observer
        self.world, self.contacts, self.dt, self.settings, self.halt, self.watch = world, contacts, dt, settings, halt, watch
        bodies = world.bodies
        self.pos, self.quat = bodies["pos"].copy(), bodies["quat"].copy()
        self.start, self.free = np.empty((len(bodies), 6)), np.empty((len(bodies), 6))
        since = bodies["velocity_lag"][:, None]
        linearise.free_motion(bodies, world.gravity, dt, self.start, self.free)
        self.now = self.start + since / (since + 0.5 * dt) * (self.free - self.start)     # at the time of q0
        self.still = np.zeros_like(self.start)
        self.velocity = self.free
        self.solved: list[ProblemReport] = []
        self.rounds, self.moved, self.done = 0, 0.0, False
        self.opened: np.ndarray | float = 0.0       # by how much displacements open each contact [m]
        self.impacts: np.ndarray | None = None
        self.last: tuple[bytes, np.ndarray, np.ndarray] = (b"", np.empty(0, np.uint8), np.empty((0, 3)))
        self.deep = self._deep(contacts)
        self.at_start = not (settings.published or settings.midpoint)
        self._find_turns()
        self._write_joints()
        self.errors = world.joints["error"].copy()      # of the joints at the start

    def run(self, may_halve: bool, ends_stalled: bool) -> bool:
        """Run (1) to (4); the bodies end at q1 with their old velocities. False where half a step might converge, which may be
        tried: then nothing is changed. ends_stalled: there are no more rounds where they converge too slowly."""
        s, found, moves = self.settings, self.contacts, []
        first = self.start if s.predicted or s.explicit else self.still
        self._round(first, first is self.still)
        while not self.done and self.rounds < (1 if s.explicit else s.rounds):
            self._round(self.velocity, False)
            moves.append(self.moved)
            if may_halve and has_stalled(moves):
                return False
            if ends_stalled and has_stalled(moves, HASTY):
                break
        if not self.done and self.moved > LOST and self.rounds > 1:
            if may_halve:
                return False
            self.contacts, self.impacts = found, None
            self._round(first, first is self.still)
        for side in "ab":       # of what does not press no motion over the bodies is known: a rebound may come
            self.contacts[f"arm_{side}"][self.rows["impulse"][self.normals] <= 0.0] = 0.0
        way = self.start if s.explicit else self.velocity
        if self.deep and not s.published:
            way = way + self._way_out() / self.dt
        linearise.place_bodies(self.world.bodies, self.pos, self.quat, way, self.dt, s.gyroscopic)
        return True

    def _way_out(self) -> np.ndarray:
        """Displacements (bodies, 6) that remove overlaps of the start, after the motion with the velocities; `opened`: by how
        much they open the contacts. What velocities remove stays in them as energy: a pile 37 mm deep would fly apart."""
        out, gaps, s = np.zeros_like(self.velocity), self.rows["position_error"][self.normals], self.settings
        left = np.maximum(np.minimum(gaps, 0.0), self.permitted)
        if not (left < -DEEP).any():
            return out
        rows, blocks = copy_of(self.rows), copy_of(self.blocks)
        linearise.aim_way_out(rows, blocks, self.blocks, self.normals, left + self.dt * s.max_correction_speed,
                              self.dt * self.velocity, np.zeros(len(gaps)))
        answer, _, _ = self._solve_islands("way out", rows, blocks, out, np.zeros(len(rows)), np.ones(len(gaps), np.uint8))
        if not (answer.tally[:, STATUS] == Status.SOLVED).all():
            return np.zeros_like(out)
        self.opened = rates(rows, self.blocks, out)[self.normals]
        return out

    def measure_joints(self) -> None:
        """Compute the joints' errors at the bodies' current poses."""
        world, layout = self.world, self.world.layout.joints
        if layout.blocks:
            there, unused = np.empty(layout.rows, ROW), np.empty(layout.blocks, BLOCK)
            joint_system.write(world.joints, world.layout.joint_system, world.bodies, there, unused, self.dt, 1.0, False)
            joint_system.store_errors(world.joints, world.layout.joint_system, there)

    def _round(self, guess: np.ndarray, found: bool) -> None:
        """Linearise about q0 + h guess and solve; found: use the contacts of the start of the step."""
        self.rounds += 1
        self._linearise(guess, found)
        self.velocity = self._solve()
        self.moved = linearise.largest_move(guess, self.velocity, self.dt)
        self.done = self.moved <= self.settings.tolerance

    def _deep(self, contacts: np.ndarray) -> dict[tuple[int, int], float]:
        """For pairs that overlap: the overlap allowed at the end [m], negative. Velocities remove little, SLOWLY; from DEEP on it
        is left to displacements (`_way_out`), but in the published schemes."""
        gap, s = contacts["gap"], self.settings
        left = gap + self.dt * (s.max_correction_speed if s.published else min(SLOWLY, s.max_correction_speed))
        if not s.published:
            left = np.where(gap < -DEEP, gap, left)
        deep = {}
        for n in np.flatnonzero(left < 0.0).tolist():
            pair = int(contacts["shape_a"][n]), int(contacts["shape_b"][n])
            deep[pair] = min(deep.get(pair, 0.0), float(left[n]))
        return deep

    # ---- rows

    def _write_joints(self) -> None:
        """Write the joints' rows at q0."""
        layout = self.world.layout.joints
        self.joint_rows, self.joint_blocks = np.empty(layout.rows, ROW), np.empty(layout.blocks, BLOCK)
        self.directions = self.settings.directions
        if not layout.blocks:
            return
        write_joints(self.world, self.dt, self.contacts, self.joint_rows, self.joint_blocks)
        self.joint_rows["impulse"] = 0.0
        most = 0.49 * UNLIMITED * self.dt       # half a kick at first
        endless = (self.joint_blocks["bound"] == Bound.INTERVAL) & (self.joint_blocks["upper"] >= most)
        self.joint_blocks["bound"][endless] = Bound.EQUALITY
        table = self.settings.directions
        self.joint_blocks, corners = joint_polygons.join(self.joint_blocks, self.world.joints, len(table.table))
        self.directions = assemble.with_corners(table, corners)

    def _linearise(self, guess: np.ndarray, found: bool) -> None:
        """Write rows of joints and contacts about q0 + h guess; found: use the contacts of the start of the step."""
        world, s, dt, layout = self.world, self.settings, self.dt, self.world.layout.joints
        there = 0.5 * guess if s.midpoint else guess
        linearise.place_bodies(world.bodies, self.pos, self.quat, there, dt, s.gyroscopic)
        held = 0
        if not found:
            self.contacts, held = self._refresh_contacts()
        contacts, armed = self.contacts, copy_of(self.contacts)
        linearise.arms(armed, held, world.bodies, self.pos, not s.predicted)    # the paper's balls end on themselves
        known = self._arm_as_at_start(armed, len(contacts) if found else held)
        for side, shift in (("a", 0.0), ("b", armed["shift"])):
            contacts[f"arm_{side}"] = armed["pos"] + shift - world.bodies["pos"][armed[f"body_{side}"]]
        contacts["normal"], contacts["tangent"] = armed["normal"], armed["tangent"]
        rows, blocks = write_contacts(armed, world, layout.rows, len(self.joint_blocks))
        self.turned = np.zeros(len(rows))
        for axis in (1, 2):
            own = slice(layout.rows + axis, layout.rows + 3 * len(contacts), 3)
            self.turned[own] = self.turns[known, axis]
            rows["target"][own] -= self.turned[own]
        about = self.still if s.explicit else there
        if layout.blocks:
            rows[: layout.rows], blocks[: len(self.joint_blocks)] = self.joint_rows, self.joint_blocks
            self._relinearise_joints(rows[: layout.rows], blocks[: len(self.joint_blocks)], about, found)
        self.normals = slice(layout.rows, layout.rows + 3 * len(contacts), 3)
        self.rebound = np.empty(len(contacts))
        self.permitted = np.zeros(len(contacts))
        if self.deep:
            self.permitted[:] = [self.deep.get(pair, 0.0) for pair in pairs_of(contacts)]
        linearise.aim(contacts, rows, layout.rows, held, self.start, self.free, about, dt, s.threshold, self.permitted,
                      self.rebound)
        self._store_rebounds(held)
        rows["impulse"], self.closing = 0.0, rows["target"][self.normals].copy()
        self.rows, self.blocks = rows, blocks
        self.inverses = np.empty(int((blocks["count"].astype(np.int64) ** 2).sum()))
        effective_mass.write_effective_masses(world.bodies, rows, blocks, self.inverses, np.zeros(len(blocks), np.uint8))

    def _find_turns(self) -> None:
        """Contacts that touch at the start, as rows see them, and by how much their tangential velocities turn until the middle
        of the step (constraints/contact_batches.py, 4): `turns` (n + 1, 3) [m/s], the last row: of unknown ones."""
        bodies, contacts = self.world.bodies, copy_of(self.contacts)
        self.turns, self.begun, self.place = np.zeros((len(contacts) + 1, 3)), contacts, {}
        if not self.at_start:
            return
        links = np.full(len(bodies), -1, np.int32)
        turn_rows(contacts, bodies, _NO_LINKS, _NO_STATES, links, self.world.last_part_dt, 0.5 * self.dt, self.turns)
        spins = self.dt * np.linalg.norm(bodies["omega"], axis=1)
        slow = np.maximum(spins[contacts["body_a"]], spins[contacts["body_b"]]) < MIN_FOLLOWED_TURN
        self.turns[:-1][slow] = 0.0
        linearise.arms(contacts, 0, bodies, self.pos, True)
        touching = np.flatnonzero((contacts["gap"] <= TOUCH_GAP) | (contacts["impulse"] > 0.0))
        self.place = dict(zip(keys_of(selected(contacts, touching)), touching.tolist(), strict=True))

    def _arm_as_at_start(self, armed: np.ndarray, held: int) -> np.ndarray:
        """Give contacts that touched at the start the arms, normals and tangents that they had; returns which they were (n,), -1:
        none."""
        known = np.array([self.place.get(key, -1) for key in keys_of(armed)], np.int64)
        known[held:] = -1
        n = np.flatnonzero(known >= 0)
        before = selected(self.begun, known[n])
        moved = {side: (self.world.bodies["pos"] - self.pos)[before[f"body_{side}"]] for side in "ab"}
        armed["pos"][n] = before["pos"] + moved["a"]
        armed["shift"][n] = before["shift"] + moved["b"] - moved["a"]
        armed["normal"][n], armed["tangent"][n] = before["normal"], before["tangent"]
        return known

    def _relinearise_joints(self, rows: np.ndarray, blocks: np.ndarray, about: np.ndarray, found: bool) -> None:
        """Aim the joints' rows where the bodies are; about, found: as in `_linearise`."""
        world, s, dt, there = self.world, self.settings, self.dt, self.joint_rows
        if not found:
            there, unused = np.empty(len(rows), ROW), np.empty(world.layout.joints.blocks, BLOCK)
            joint_system.write(world.joints, world.layout.joint_system, world.bodies, there, unused, dt, 1.0, False)
        if s.backward:
            linearise.end_rows(rows, blocks, there, world.joints, about, dt)
        if found:
            linearise.stabilise(rows, blocks, dt, s.max_correction_speed)
        else:
            linearise.relinearise_joints(rows, blocks, there, about, dt, s.max_correction_speed)

    def _store_rebounds(self, held: int) -> None:
        """In the first round store the contacts of rebounding pairs of shapes and their speeds; later, where they are the
        contacts from `held` on, restore the speeds."""
        contacts = self.contacts
        if self.impacts is None:
            pairs = pairs_of(contacts)
            self.struck = {pair for pair, speed in zip(pairs, self.rebound.tolist()) if speed > 0.0}
            which = np.array([pair in self.struck for pair in pairs], bool)
            self.impacts, self.speeds = selected(contacts, which), self.rebound[which]
            return
        self.rebound[:held], self.rebound[held:] = 0.0, self.speeds
        contacts["warm_startable"] = self.rebound == 0.0

    def _refresh_contacts(self) -> tuple[np.ndarray, int]:
        """(contacts at the current poses, then the stored ones of the pairs that rebound; number of the first)."""
        found = refresh_contacts(self.world, self.dt)
        if self.impacts is None or not len(self.impacts):
            return found, len(found)
        others = selected(found, np.array([pair not in self.struck for pair in pairs_of(found)], bool))
        return joined(others, self.impacts), len(others)

    # ---- problems

    def _solve(self) -> np.ndarray:
        """Velocities that satisfy the rows; contacts are added until none is violated."""
        s, first = self.settings, self.world.layout.joints.rows
        active = np.ones(len(self.contacts), np.uint8)
        if s.choice == LAYER:
            active[:] = self.rows["position_error"][self.normals] <= s.boundary_layer
        elif s.choice == ACTIVE_SET:
            active[:] = self.contacts["impulse"] > 0.0
            linearise.violated(self.contacts, self.rows, first, self.free, self.dt, -TOUCH_GAP, active)
        while True:
            velocity = self._restituted(active)
            if s.choice != ACTIVE_SET or not linearise.violated(self.contacts, self.rows, first, velocity, self.dt,
                                                                LEFT_OUT * s.tolerance, active):
                self.active = active
                return velocity
            self.rows["impulse"] = 0.0

    def _restituted(self, active: np.ndarray) -> np.ndarray:
        """Solve one problem, or the two of (5); where they would gain energy, those of energy_limit.py, too."""
        bounces = (self.rebound > 0.0) & (active > 0)
        self.eased = np.ones(len(self.contacts))
        if not bounces.any():
            velocity = self.free.copy()
            self._lcp("step", velocity, np.zeros(len(self.rows)), active)
            return velocity
        part = self.eased
        if not self.law.by_velocity and self.law.name != impact_law.NO_SHARE:
            part = impact_law.shares(self, active, bounces, self.settings.law)
        velocity = self.rebound_velocities(active, bounces, part)
        if not self.law.limited:
            return velocity
        gained = energy_limit.energy_gain(self, velocity, self.rows["impulse"])
        return energy_limit.limit_restitution(self, active, bounces, velocity, gained) if gained.any() else velocity

    def rebound_velocities(self, active: np.ndarray, bounces: np.ndarray, part: np.ndarray) -> np.ndarray:
        """Velocities with that share `part` (n,) of each contact's restitution."""
        velocity, known, normals = self.free.copy(), np.zeros(len(self.rows)), self.rows[self.normals]
        self.rows["impulse"], normals["target"] = 0.0, self.closing
        if self.law.by_velocity:
            normals["target"][bounces] = np.maximum(self.closing, part * self.rebound)[bounces]
            with self._tangential_targets(bounces, part):
                self._lcp("step", velocity, known, active)
            return velocity
        normals["target"][bounces] = 0.0
        self._lcp("compression", velocity, known, active)
        self.pressed, self.between, self.known = self.rows["impulse"].copy(), velocity.copy(), known
        normals["target"] = self.closing
        linearise.decompression_impulses(self.contacts, self.rows, self.normals.start, self.of_body, self.free, self.rebound,
                                         known)
        known[self.normals] *= part
        with self._tangential_targets(bounces, part):
            self._decompress(velocity, known, active)
        return velocity

    @property
    def law(self) -> ImpactLaw:
        """The law of impact."""
        return list(laws().values())[self.settings.law]

    @contextmanager
    def _tangential_targets(self, bounces: np.ndarray, part: np.ndarray) -> Iterator[None]:
        """Within: rebounding contacts aim at that share of their tangential and torsional restitution."""
        first, n, blocks = self.normals.start, np.arange(len(self.contacts)), self.blocks
        pairs, part = self.world.materials.pairs[self.contacts["pair"]], np.where(bounces, part, 0.0)
        spins = blocks[(blocks["role"] == MOMENT) & (blocks["count"] == 1)]
        which = np.concatenate([n, n, spins["index"]])
        tangents = np.concatenate([first + 3 * n + 1, first + 3 * n + 2, spins["first"]]).astype(np.int64)
        e = part[which] * np.concatenate([*2 * [pairs["tangential_restitution"]], pairs["torsional_restitution"][spins["index"]]])
        some = np.flatnonzero(e)
        kept = self.rows["target"].copy()
        linearise.reverse_slip(self.rows, tangents[some], self.contacts, which[some], self.free, e[some])
        try:
            yield
        finally:
            self.rows["target"] = kept

    def _decompress(self, velocity: np.ndarray, known: np.ndarray, active: np.ndarray) -> None:
        """Solve the second problem of (5). Finite joint friction and drives have acted in the first."""
        first, kept = len(self.joint_blocks), self.blocks
        self.blocks = copy_of(kept)
        joints = self.blocks[:first]
        joints["viscous"] = joints["upper"] = joints["lower"] = 0.0
        joints["limit"][np.isfinite(joints["limit"])] = 0.0
        pressed = self.rows["impulse"].copy()
        solving.apply_known(self.rows, self.blocks, first, known, velocity)
        self._lcp("decompression", velocity, known, active)
        self._judge_release(velocity, pressed, known)
        self.blocks = kept

    def _judge_release(self, velocity: np.ndarray, pressed: np.ndarray, known: np.ndarray) -> None:
        """Residuals of the second problem of (5), whose impulses are the growth since `pressed`: the bound of friction is
        mu (known + c'), and normals are complementary in c' alone."""
        rows, joints, contacts = copy_of(self.rows), *np.split(self.blocks, [len(self.joint_blocks)])
        rows["impulse"] -= pressed
        presses = contacts["bound"] == Bound.ONE_SIDED
        frictions = self.store_residuals(rows, selected(contacts, ~presses), velocity)
        rows["impulse"] -= known
        self.residual = max(self.residual, frictions, self.store_residuals(rows, joints, velocity),
                            self.store_residuals(rows, selected(contacts, presses), velocity))

    def store_residuals(self, rows: np.ndarray, blocks: np.ndarray, velocity: np.ndarray) -> float:
        """The largest residual of the blocks; also written to contacts and joints."""
        joints = self.world.joints
        return max(measure.store_residuals(rows, blocks, velocity, self.settings.section, self.contacts, joints),
                   joint_polygons.judge(rows, blocks, velocity, joints))

    def _lcp(self, phase: str, velocity: np.ndarray, known: np.ndarray, active: np.ndarray) -> None:
        """Solve the problems of all islands; updates velocity (n, 6) and the rows' impulses."""
        world = self.world
        answer, sizes, of_body = self._solve_islands(phase, self.rows, self.blocks, velocity, known, active)
        if phase != "decompression":
            self.signs, self.of_body = answer.signs, of_body
            measure.clear_residuals(self.contacts, world.joints, world.layout.joints.joints)
            self.residual = self.store_residuals(self.rows, self.blocks, velocity)
        self.solved.append(ProblemReport(self.rounds, phase, sizes, answer.tally))
        self._check_contradictions(answer)

    def _solve_islands(self, phase: str, rows: np.ndarray, blocks: np.ndarray, velocity: np.ndarray, known: np.ndarray,
                       active: np.ndarray) -> tuple[solving.LcpResult, np.ndarray, np.ndarray]:
        """Add the impulses of the problems of all islands to rows and velocity (n, 6); (their results, their sizes, the island of
        each body, -1: none)."""
        world, s = self.world, self.settings
        of_body = np.empty(len(world.bodies), np.int32)
        count = islands.number_islands(world.bodies, selected(self.contacts, active > 0), world.joints, of_body)
        members, first = np.empty(len(blocks), np.int64), np.empty(count + 1, np.int64)
        assemble.group(blocks, of_body, count, members, first)
        sizes = np.empty((count, 2), np.int64)
        assemble.sizes(blocks, members, first, active, self.directions, sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes[:, 0])])
        layout = sizes.tobytes() + active.tobytes() + phase.encode()
        if self.last[0] == layout:
            basis, towards = self.last[1:]
        else:
            basis, towards = np.zeros(int(offsets[-1]), np.uint8), np.empty((len(blocks) if s.round else 0, 3))
            if s.round:
                round_cone.guess(rows, blocks, velocity, towards)
        self.watch(sizes)
        task = solving.LcpTask(members, first, sizes, offsets, active, s.section, s.pivots, self.halt)
        answer = solving.LcpResult(basis, np.empty((count, 8), np.int64), np.empty(count), np.zeros((len(blocks), 3), np.int8),
                                   towards, solving.NO_ACCOUNT, solving.NO_ACCOUNT)
        solve = self._solve_observed if self.pivot_observer else solving.solve
        if not solve(rows, blocks, self.inverses, velocity, known, self.directions, task, answer):
            raise BadInput(f"step at t = {world.time:.4f} s cancelled; the state before it is restored")
        self.last = layout, basis, towards
        return answer, sizes, of_body

    def _solve_observed(self, rows: np.ndarray, blocks: np.ndarray, inverses: np.ndarray, velocity: np.ndarray, known: np.ndarray,
                        directions: Directions, task: solving.LcpTask, answer: solving.LcpResult) -> bool:
        """As solving.solve, island by island; the pivot_observer gets an account of each problem."""
        for i in range(len(task.sizes)):
            n, own = int(task.sizes[i, 0]), slice(i, i + 1)
            members = task.members[task.first[i] : task.first[i + 1]]
            basis = answer.basis[task.offsets[i] : task.offsets[i] + n]
            one = task._replace(members=members, first=np.array([0, len(members)]), sizes=task.sizes[own],
                                offsets=np.array([0, n]))
            account = solving.LcpStatistics.of_size(n, len(rows), MAX_OBSERVED_PIVOTS if n else 0)
            done = solving.solve(rows, blocks, inverses, velocity, known, directions, one,
                                 solving.LcpResult(basis, answer.tally[own], answer.contradiction[own], answer.signs,
                                                   answer.towards, account, solving.NO_ACCOUNT))
            if not done:
                return False
            if n:
                self.pivot_observer(SeenContacts(self.rounds, i, answer.tally[i].copy(), account, copy_of(blocks),
                                          copy_of(self.contacts)))
        return True

    def _check_contradictions(self, answer: solving.LcpResult) -> None:
        """Check for joints that ask for what others forbid."""
        worst = int(np.argmax(answer.contradiction)) if len(answer.contradiction) else 0
        if len(answer.contradiction) and answer.contradiction[worst] > CONTRADICTION:
            block = self.blocks[answer.tally[worst, solving.WORST]]
            name = self.world.joint_names[block["index"]]
            raise BadInput(f"joint '{name}' conflicts with the other joints of its bodies: it requires "
                           f"{answer.contradiction[worst]:.3g} m/s, which they prevent; remove or move one of them. The state "
                           "before the step is restored")
