"""Sleeping: islands at rest are left out of steps until something changes for them.

A body is calm while   |v| <= speed,  |omega| <= spin   and it stays within `drift` of where it was when it became calm.
An island falls asleep when each of its bodies has been calm for `delay`, nothing that it touches is being moved, and the solver's
residual is small. The drift test keeps slowly creeping bodies awake.

Asleep: velocities are zero (the little energy left is gone, none is made); nothing is integrated; pairs of sleepers are not
searched; contacts and impulses are kept, so that waking is a step like any other. Woken: always the whole island, by what
WakeReason lists. A contact with an awake or moved body wakes before the step is solved, and contacts are found again with all
bodies then awake: a sleeping body is never pushed and never pushes.

Everything here follows from the tables, in the order of their indices, and is part of a snapshot.

Over the tables: which bodies have come to rest, which islands may sleep, who wakes whom. See sleep.py.
"""

import copy
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from physics.core import former_names, vec
from physics.core.jit import kernel, routine
from physics.core.options import Described, option
from physics.core.records import JOINT, Kind, SleepReason, WakeReason, copy_of, joined, record, selected
from physics.dynamics import islands
from physics.world.table import body_index

if TYPE_CHECKING:
    from physics.world.world import World

_STATIC, _DYNAMIC, _KINEMATIC = Kind.STATIC, Kind.DYNAMIC, Kind.KINEMATIC
_FAST, _DRIFTS, _WAITS = SleepReason.FAST, SleepReason.CREEPS, SleepReason.RESTING
_TIED, _ASLEEP = SleepReason.ISLAND, SleepReason.ASLEEP
_ISLAND, _TOUCHED, _MOVER = WakeReason.ISLAND, WakeReason.TOUCHED, WakeReason.MOVED_BODY
_FORCE, _VELOCITY, _POSE = WakeReason.FORCE, WakeReason.VELOCITY, WakeReason.POSE

REST_RECORD = record([
    ("pos", "f8", 3),      # awake: where the body became calm; asleep: where it sleeps [m]
    ("quat", "f8", 4),
])


@routine
def _rest_here(r, b):
    vec.assign(r.pos, b.pos)
    for k in range(4):
        r.quat[k] = b.quat[k]


@kernel
def track_rest(bodies, rest, dt, speed, spin, drift):
    """Update the time for which each awake body has been calm; returns the longest [s]."""
    longest = 0.0
    for i in range(bodies.shape[0]):
        b, r = bodies[i], rest[i]
        if b.kind != _DYNAMIC or b.asleep != 0:
            continue
        away = vec.sub(b.pos, r.pos)
        turned, opposite = 0.0, 0.0          # quaternions q and -q are the same; half an angle each
        for k in range(4):
            turned += (b.quat[k] - r.quat[k]) * (b.quat[k] - r.quat[k])
            opposite += (b.quat[k] + r.quat[k]) * (b.quat[k] + r.quat[k])
        fast = vec.dot(b.vel, b.vel) > speed * speed or vec.dot(b.omega, b.omega) > spin * spin
        if fast or vec.dot(away, away) > drift * drift or 4.0 * min(turned, opposite) > drift * drift:
            b.rest_time = 0.0
            b.sleep_reason = _FAST if fast else _DRIFTS
            _rest_here(r, b)
        else:
            b.rest_time += dt
            b.sleep_reason = _WAITS
            longest = max(longest, b.rest_time)
    return longest


@kernel
def choose_islands(bodies, shapes, contacts, of_body, delay, lowest):
    """lowest[island]: its lowest body if it may fall asleep, else 0; returns how many may."""
    lowest[:] = -1
    for i in range(bodies.shape[0] - 1, -1, -1):
        if of_body[i] >= 0:
            if bodies[i].rest_time < delay or lowest[of_body[i]] == 0:
                lowest[of_body[i]] = 0
            else:
                lowest[of_body[i]] = i
    for n in range(contacts.shape[0]):
        c = contacts[n]
        moved = ((bodies[c.body_a].kind != _DYNAMIC and shapes[c.shape_a].active == 1)
                 or (bodies[c.body_b].kind != _DYNAMIC and shapes[c.shape_b].active == 1))
        if moved and max(of_body[c.body_a], of_body[c.body_b]) >= 0:
            lowest[max(of_body[c.body_a], of_body[c.body_b])] = 0
    count = 0
    for k in range(lowest.shape[0]):
        count += lowest[k] > 0
    return count


@kernel
def fall_asleep(bodies, rest, of_body, delay, lowest):
    """Put the chosen islands to sleep; returns the number of bodies."""
    count = 0
    for i in range(bodies.shape[0]):
        if of_body[i] < 0:
            continue
        b = bodies[i]
        if lowest[of_body[i]] > 0:
            b.asleep, b.sleep_reason = lowest[of_body[i]], _ASLEEP
            vec.assign(b.vel, (0.0, 0.0, 0.0))
            vec.assign(b.omega, (0.0, 0.0, 0.0))
            _rest_here(rest[i], b)
            count += 1
        elif b.rest_time >= delay:
            b.sleep_reason = _TIED
    return count


@routine
def _mark(bodies, marks, i, reason, cause):
    """Note in marks (bodies, 3), at its island, that body i wakes it, for what reason and cause, unless another was first."""
    k = bodies[i].asleep
    if k != 0 and marks[k, 0] < 0:
        marks[k, 0], marks[k, 1], marks[k, 2] = i, reason, cause


@kernel
def mark_changed(bodies, rest, marks):
    """Mark the sleepers that were given a velocity, another pose or a force since they fell asleep, or are owed an impulse."""
    for i in range(bodies.shape[0]):
        b = bodies[i]
        if b.asleep == 0:
            continue
        r, reason, moved, owed = rest[i], 0, False, False
        for k in range(3):
            moved = moved or b.pos[k] != r.pos[k]
        for k in range(4):
            moved = moved or b.quat[k] != r.quat[k]
        for k in range(6):
            owed = owed or b.owed_impulse[k] != 0.0
        if not (vec.dot(b.vel, b.vel) == 0.0 and vec.dot(b.omega, b.omega) == 0.0):
            reason = _VELOCITY
        elif moved:
            reason = _POSE
        elif owed or not (vec.dot(b.force, b.force) == 0.0 and vec.dot(b.torque, b.torque) == 0.0):
            reason = _FORCE
        if reason != 0:
            _mark(bodies, marks, i, reason, i)


@kernel
def mark_touched(bodies, contacts, marks):
    """Mark the sleepers in contacts: what touches them is awake or was moved."""
    for n in range(contacts.shape[0]):
        a, b = contacts[n].body_a, contacts[n].body_b
        if bodies[a].asleep != 0:
            _mark(bodies, marks, a, _TOUCHED if bodies[b].kind == _DYNAMIC else _MOVER, b)
        if bodies[b].asleep != 0:
            _mark(bodies, marks, b, _TOUCHED if bodies[a].kind == _DYNAMIC else _MOVER, a)


@kernel
def mark_given(bodies, given, reason, cause, marks):
    """Mark the sleepers among the given bodies."""
    for i in given:
        _mark(bodies, marks, i, reason, cause)


@kernel
def spread_wake(bodies, marks):
    """Wake the islands marked; returns the number of bodies."""
    count = 0
    for i in range(bodies.shape[0]):
        b = bodies[i]
        k = b.asleep
        if k == 0 or marks[k, 0] < 0:
            continue
        b.wake_reason, b.wake_cause = (marks[k, 1], marks[k, 2]) if marks[k, 0] == i else (np.int32(_ISLAND), marks[k, 0])
        b.asleep, b.rest_time, b.sleep_reason = 0, 0.0, _WAITS
        count += 1
    return count


@kernel
def make_static(bodies, static):
    """Make sleepers static for a solver, or dynamic again."""
    for i in range(bodies.shape[0]):
        if bodies[i].asleep != 0:
            bodies[i].kind = _STATIC if static else _DYNAMIC


@former_names.accepts_former
@dataclass
class SleepOptions(Described):
    """When bodies fall asleep."""

    enabled: bool = option(False, help="Skip islands at rest until a contact or change wakes them. Off: every body is computed "
                                       "in every step.")
    delay: float = option(0.5, unit="s", lo=0.0, hi=60.0, help="Time for which all bodies of an island must be at rest before it "
                                                               "sleeps.")
    speed: float = option(0.01, unit="m/s", lo=0.0, hi=1.0, log=True, help="Bodies faster than this are not at rest.")
    spin: float = option(0.02, unit="rad/s", lo=0.0, hi=1.0, log=True, help="Bodies rotating faster than this are not at rest.")
    drift: float = option(2e-4, lo=0.0, hi=0.1, log=True,
                          help="Bodies that drift farther than this [m or rad] during that time are not at rest, however slow.")
    residual: float = option(0.01, unit="m/s", lo=0.0, hi=1.0, log=True,
                             help="No island falls asleep in a step with a larger residual.")


class Island(NamedTuple):
    """Stored data of a sleeping island. contacts: CONTACT, never changed in place; ground: the shapes that it rests on."""

    contacts: np.ndarray
    ground: tuple[int, ...]


class SleepState:
    """The sleeping bodies of a world and their stored data.

    count: bodies asleep. islands: by their lowest body (BODY.asleep). on_ground: sleepers by the static shape they rest on.
    rest: REST_RECORD of every body. joints: those of sleepers (index, record); supports: the bodies that do not sleep to which
    these hold them (index, poses (n, 7)). gravity, solver, callbacks: those with which they fell asleep. before_waking: told the
    bodies that are about to wake, while their rows of the table are as they slept.
    """

    def __init__(self) -> None:
        self.options = SleepOptions()
        self.count = 0
        self.islands: dict[int, Island] = {}
        self.on_ground: dict[int, frozenset[int]] = {}
        self.rest = np.zeros(0, REST_RECORD)
        self.joints = (np.zeros(0, np.int64), np.zeros(0, JOINT))
        self.supports = (np.zeros(0, np.int64), np.zeros((0, 7)))
        self.gravity = np.zeros(3)
        self.solver: tuple = ()
        self.callbacks: list = []
        self.before_waking: Callable[[np.ndarray], None] | None = None

    def copy(self) -> "SleepState":
        """The same by value."""
        twin = copy.copy(self)
        twin.options, twin.rest = copy.copy(self.options), self.rest.copy()
        twin.islands, twin.on_ground, twin.before_waking = dict(self.islands), dict(self.on_ground), None
        return twin

    def capture(self, with_rest: bool = True) -> dict[str, Any]:
        """State for `restore`, without the options, which belong to the user. with_rest: False: the caller copies those records
        of `rest` that may change."""
        kept = self.__dict__.copy()
        kept["islands"], kept["on_ground"] = self.islands.copy(), self.on_ground.copy()
        if with_rest and len(self.rest):
            kept["rest"] = copy_of(self.rest)
        del kept["options"]
        return kept

    def restore(self, captured: dict[str, Any], bodies: np.ndarray) -> None:
        """Return to a captured state, in which these bodies have slept."""
        self.__dict__.update(captured)
        make_static(bodies, False)      # an interrupt may have come before that

    def contacts(self) -> list[np.ndarray]:
        """The contacts of the islands, by island."""
        return [self.islands[k].contacts for k in sorted(self.islands)]

    # ---- waking

    def wake(self, world: Any, bodies: np.ndarray, reason: int, cause: int = -1) -> None:
        """Wake the islands of the given bodies. cause: a body or joint; -1: none."""
        if self.count:
            marks = _no_marks(world)
            mark_given(world.bodies, np.asarray(bodies, np.int64), int(reason), int(cause), marks)
            self._spread(world, marks)

    def wake_all(self, world: Any, reason: int) -> None:
        """Wake all bodies."""
        self.wake(world, np.flatnonzero(world.bodies["asleep"]), reason)

    def wake_on(self, world: Any, body: int, reason: int) -> None:
        """Wake what rests on a body that does not move."""
        for shape in np.flatnonzero(world.shapes["body"] == body).tolist() if self.count else ():
            self.wake(world, sorted(self.on_ground.get(shape, ())), reason, body)

    def begin(self, world: Any) -> None:
        """Start of a step: wake what was changed since the last one."""
        if not self.count:
            return
        if not self.options.enabled:
            self.wake_all(world, WakeReason.REQUESTED)
        elif not np.array_equal(self.gravity, world.gravity):
            self.wake_all(world, WakeReason.GRAVITY)
        elif self.solver != (world.solver.name, world.solver.options):
            self.wake_all(world, WakeReason.SOLVER)
        elif self.callbacks != world.contact_callbacks:
            self.wake_all(world, WakeReason.REQUESTED)
        else:
            self._wake_joined(world)
            self._wake_held(world)
            marks = _no_marks(world)
            mark_changed(world.bodies, self.rest, marks)
            self._spread(world, marks)

    def _wake_joined(self, world: Any) -> None:
        """Wake the bodies whose joints were added, removed or changed."""
        index, kept = self.joints
        now = _sleeping_joints(world)
        if np.array_equal(index, now) and (not len(now) or (kept == world.joints[now]).all()):
            return
        was, there = dict(zip(index.tolist(), kept)), dict(zip(now.tolist(), world.joints[now]))
        for j in sorted(was.keys() | there.keys()):
            both = [r for r in (was.get(j), there.get(j)) if r is not None]
            if len(both) < 2 or both[0] != both[1]:
                for r in both:
                    self.wake(world, [r["body_a"], r["body_b"]], WakeReason.JOINT, j)

    def _wake_held(self, world: Any) -> None:
        """Wake the bodies that joints hold to one that moves, or was moved."""
        index, kept = self.supports
        if not len(index):
            return
        for body in index[_is_moving(world.bodies[index]) | (_poses(world.bodies[index]) != kept).any(axis=1)].tolist():
            joints = self.joints[1]
            ends = joints[(joints["body_a"] == body) | (joints["body_b"] == body)]
            self.wake(world, np.concatenate([ends["body_a"], ends["body_b"]]), WakeReason.MOVED_BODY, body)

    def wake_touched(self, world: Any, contacts: np.ndarray) -> bool:
        """Wake the sleepers that a contact holds, or whose ground moved; True if there was one: then contacts are found again."""
        if not self.count:
            return False
        marks = _no_marks(world)
        mark_touched(world.bodies, contacts, marks)
        active = world.shapes["active"]
        for shape in [k for k in self.on_ground if active[k]]:
            mark_given(world.bodies, np.array(sorted(self.on_ground[shape]), np.int64), WakeReason.MOVED_BODY,
                       int(world.shapes["body"][shape]), marks)
        return self._spread(world, marks)

    def _spread(self, world: Any, marks: np.ndarray) -> bool:
        """Wake the islands marked and give their contacts back to the world; True if there was one."""
        woken = np.flatnonzero(marks[:, 0] >= 0).tolist()
        if not woken:
            return False
        if self.before_waking:
            asleep = world.bodies["asleep"]
            self.before_waking(np.flatnonzero((asleep != 0) & (marks[asleep, 0] >= 0)))
        self.count -= spread_wake(world.bodies, marks)
        back = [self.islands.pop(k) for k in woken]
        for shape in {shape for island in back for shape in island.ground}:
            self.on_ground[shape] = self.on_ground[shape].difference(woken)
        world.awake_contacts = joined(world.awake_contacts, *(island.contacts for island in back))
        self._regroup(world)
        return True

    # ---- falling asleep

    def end(self, world: Any, residual: float, dt: float, place: Callable[[], None]) -> None:
        """End of a step: put to sleep what has been calm for long enough. place(): brings the shapes to their bodies' poses."""
        o = self.options
        if not o.enabled:
            return
        if len(self.rest) < len(world.bodies):
            self.rest = np.concatenate([self.rest, np.zeros(len(world.bodies) + 64 - len(self.rest), REST_RECORD)])
        if track_rest(world.bodies, self.rest, dt, o.speed, o.spin, o.drift) < o.delay or not residual <= o.residual:
            return
        of_body = np.empty(len(world.bodies), np.int32)
        lowest = np.empty(islands.number_islands(world.bodies, world.awake_contacts, world.joints, of_body), np.int32)
        if choose_islands(world.bodies, world.shapes, world.awake_contacts, of_body, o.delay, lowest):
            place()
            lowest[of_body[_held_by_movers(world)]] = 0
        fallen = fall_asleep(world.bodies, self.rest, of_body, o.delay, lowest)
        if fallen:
            self.count += fallen
            self.gravity, self.solver = world.gravity.copy(), (world.solver.name, copy.copy(world.solver.options))
            self.callbacks = list(world.contact_callbacks)
            of_shape = world.shapes["body"]
            world.shapes["active"][(of_shape >= 0) & (world.bodies["asleep"][of_shape] != 0)] = 0
            self._store_islands(world, lowest[lowest > 0].tolist())
            self._regroup(world)

    def _store_islands(self, world: Any, fallen: list[int]) -> None:
        """Take the contacts of the islands that fell asleep out of the world."""
        contacts, asleep = world.awake_contacts, world.bodies["asleep"]
        island = np.maximum(asleep[contacts["body_a"]], asleep[contacts["body_b"]])
        world.awake_contacts = selected(contacts, island == 0)
        order = np.argsort(island, kind="stable")
        starts, ends = (np.searchsorted(island[order], fallen, side=side) for side in ("left", "right"))
        ground: dict[int, list[int]] = {k: [] for k in fallen}
        above: dict[int, list[int]] = {}
        for k, shape in _grounds(contacts, asleep, np.where(np.isin(island, fallen), island, 0)):
            ground[k].append(shape)
            above.setdefault(shape, []).append(k)
        for k, start, end in zip(fallen, starts.tolist(), ends.tolist()):
            self.islands[k] = Island(selected(contacts, order[start:end]), tuple(ground[k]))
        for shape, resting in above.items():
            self.on_ground[shape] = self.on_ground.get(shape, frozenset()).union(resting)

    def _regroup(self, world: Any) -> None:
        """After a change of sleepers: store their joints and invalidate the layout."""
        index = _sleeping_joints(world)
        self.joints = index, selected(world.joints, index)
        ends = np.unique(np.concatenate([self.joints[1]["body_a"], self.joints[1]["body_b"]])).astype(np.int64)
        ends = ends[world.bodies["asleep"][ends] == 0]
        self.supports = ends, _poses(world.bodies[ends])
        world.invalidate_layout()

    def sleepers_as_static(self, world: Any) -> AbstractContextManager[None]:
        """Context in which sleepers are static for the solver."""
        return _static_sleepers(world.bodies) if self.count else _NOBODY


def _no_marks(world: Any) -> np.ndarray:
    """Marks for `_mark`, empty."""
    return np.full((len(world.bodies), 3), -1, np.int32)


_NOBODY = nullcontext()
"""Context without sleepers."""


@contextmanager
def _static_sleepers(bodies: np.ndarray) -> Iterator[None]:
    make_static(bodies, True)
    try:
        yield
    finally:
        make_static(bodies, False)


def _grounds(contacts: np.ndarray, asleep: np.ndarray, island: np.ndarray) -> list[list[int]]:
    """[island, shape that it rests on], each once, ascending; island: of each contact, 0: none."""
    pairs = []
    for side in ("a", "b"):
        fixed = (island > 0) & (asleep[contacts[f"body_{side}"]] == 0)
        pairs.append(np.stack([island[fixed], contacts[f"shape_{side}"][fixed]], 1))
    return np.unique(np.concatenate(pairs), axis=0).tolist()


def _poses(bodies: np.ndarray) -> np.ndarray:
    """(n, 7): positions and orientations of BODY records."""
    return np.hstack([bodies["pos"], bodies["quat"]])


def _is_moving(bodies: np.ndarray) -> np.ndarray:
    """Which of BODY records move, or did in the last step, bool (n,)."""
    return bodies["vel"].any(axis=1) | bodies["omega"].any(axis=1) | bodies["before"].any(axis=1)


def _held_by_movers(world: Any) -> np.ndarray:
    """Bodies that do not sleep and that joints hold to a kinematic body that moves."""
    joints, bodies = world.joints[world.joints["kind"] >= 0], world.bodies
    moves = (bodies["kind"] == Kind.KINEMATIC) & _is_moving(bodies)
    found = [joints[end][moves[joints[other]]] for end, other in (("body_a", "body_b"), ("body_b", "body_a"))]
    held = np.concatenate(found).astype(np.int64)
    return held[(bodies["kind"][held] == Kind.DYNAMIC) & (bodies["asleep"][held] == 0)]


def _sleeping_joints(world: Any) -> np.ndarray:
    """Indices of the live joints of sleepers, ascending."""
    joints = world.joints
    if not len(joints):
        return np.zeros(0, np.int64)
    asleep = world.bodies["asleep"] != 0
    return np.flatnonzero((joints["kind"] >= 0) & (asleep[joints["body_a"]] | asleep[joints["body_b"]]))


def wake(world: "World", body: int | None = None) -> None:
    """Wake a body with its island, or all.

    Raises:
        BadInput: no such body.
    """
    wake_changed(world, None if body is None else body_index(world, body), WakeReason.REQUESTED)


def wake_changed(world: "World", body: int | None, reason: int) -> None:
    """Wake a body that was changed and what rests on it, or all."""
    if body is None:
        world.sleep.wake_all(world, reason)
    else:
        world.sleep.wake(world, [body], reason, body)
        world.sleep.wake_on(world, body, reason)
