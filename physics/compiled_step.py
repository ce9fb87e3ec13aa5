"""Whole steps in one compiled call, where nothing out of the ordinary happens in them.

In a small world a step is some twenty short kernels, and Python between them takes several times as long as they do. Here one
kernel calls the same kernels in the same order (`step.py` tells what they do), by address (core/by_address.py), for one step or
for many. The results have the same bits.

A step is *refused* where `step.py` would do more than one plain part: an impact, a limit that is struck, a body that turns
fast in contact or is so fast that another stops it, a contact ahead of a fast shape, a finding of the auditor, a collider that
no step has used yet. All is then as before the step, and the caller makes it the long way. After a refusal some steps are made
the long way at once, twice as many each time, so that a world of impacts loses little by the attempts. Whatever is raised
meanwhile, as from the keyboard, finds a whole number of steps made.

Which worlds: `_can_hold` and `CompiledStep.fits`.
"""

import math
import struct
import time
from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from physics.collide import bounds, broad, edge_filter, flush_supports, narrow, surfaces
from physics.collide.continuous import impacts, tunnelling_guard
from physics.collide.convex import keep
from physics.collide.convex.core_bounds import core_bounds
from physics.contact.mixing import mix_contacts
from physics.core import by_address, clock
from physics.core.compile import cache
from physics.core.jit import kernel, routine
from physics.core.records import CONTACT, KEPT, MANIFOLD, Kind, copy_of, put, record
from physics.dynamics import energy_ledger, integrate, measure
from physics.dynamics.stiffness import ANY_PACE, Pace
from physics.observe.audit.auditor import NO_FINDINGS, RIGID
from physics.observe.audit.findings import Audit
from physics.observe.audit.verdict import examine
from physics.observe.report import RUN_TO_END, EnergyTotals, Report, StepStart
from physics.shapes import kinds as shape_kinds
from physics.shapes.box import SHAPE as BOX
from physics.solvers import sequential_impulses
from physics.solvers.impulses.step import ImpulseSettings, run_step
from physics.solvers.impulses.substeps import Result
from physics.stepping import free_flight, limit_impacts, part_motion, time_of_impact
from physics.stepping.rejection import DEFAULT_CONTROL
from physics.stepping.time_of_impact import MIN_PART_SHARE

MAX_SHAPES = 256
"""Shapes of a small world: all pairs of their boxes are compared in each step."""

MAX_STEPS = 1000
"""Steps of one call, which nothing interrupts."""

MAX_PAUSE = 64
"""Most steps made the long way after one refusal."""

ANY_NUMBER = 1 << 30
"""No limit on the parts of a step: only whether there are several matters here."""

_DYNAMIC = Kind.DYNAMIC
SHAPE_KINDS = len(shape_kinds())

NO_CONTACTS = np.zeros(0, CONTACT)

_OWN_STEP = sequential_impulses.SequentialImpulses.step
"""A program may put another function in its place."""

CALLS = by_address.CallTable()
begin_part = CALLS.add(part_motion.begin)
apply_owed = CALLS.add(integrate.apply_owed_impulse)
place_shapes = CALLS.add(bounds.place)
grow_boxes = CALLS.add(bounds.grow)
_keys = CALLS.add(narrow.keys)
sort_pairs = CALLS.add(narrow.sort_kinds)
_collide_kept = CALLS.add(keep.collide)
_free_motions = CALLS.add(impacts.free_motions)
_examine_paths = CALLS.add(impacts.examine)
_filter_inner_edges = CALLS.add(edge_filter.filter_all)
_drop_beyond_plane = CALLS.add(flush_supports.drop_beyond_plane)
_write_contacts = CALLS.add(narrow.write_contacts)
_mix = CALLS.add(mix_contacts)
_parts_for_turns = CALLS.add(time_of_impact.parts_for_turns)
_next_impact = CALLS.add(time_of_impact.next_impact)
_next_strike = CALLS.add(limit_impacts.next_strike)
_fly = CALLS.add(free_flight.advance)
_run_step = CALLS.add(run_step)
_land = CALLS.add(free_flight.retreat)
end_part = CALLS.add(part_motion.end)
_any_checked = CALLS.add(tunnelling_guard.any_checked)
_allowed_fractions = CALLS.add(tunnelling_guard.allowed_fractions)
end_fast_part = CALLS.add(integrate.end_part)
audit_part = CALLS.add(examine)
energy_of = CALLS.add(measure.energy)
bound_plain, bound_geometric = by_address.calling(BOX.bounds), by_address.calling(core_bounds)
collide_plain, collide_geometric = (by_address.calling(narrow.half_space.collide), by_address.calling(narrow.manifold.collide))

PROGRESS = record([
    ("time", "f8"),                 # of the world [s]
    ("last_part", "f8"),            # length of the last part [s]
    ("duration", "f8"),             # for which the forces of the last impulses acted [s]
    ("budget", "f8"),               # wall time for a step [s], 0: no limit
    ("done", "i8"),                 # steps made
    ("refused", "i8"),              # why the step after them was not; 0: all were made
    ("contacts", "i8"),             # of the last step
    ("pairs", "i8"),
    ("kept", "i8"),                 # manifolds, for the next step
    ("begun_with", "f8"),           # kinetic energy before the last step [J]
    ("kinetic", "f8"),              # energy after it [J]
    ("potential", "f8"),
    ("gained", "f8"),               # see `verdict.examine`
    ("broad", "f8"),                # wall times of the last step [s]
    ("narrow", "f8"),
    ("solve", "f8"),
    *((name, "i8" if name in ("sweeps", "end", "pushes", "parts", "stalled", "calm") else "f8") for name in Result._fields),
])
"""The fields of `Result` at the end are of the last step, but for the swing, the largest of all."""

Progress = namedtuple("Progress", PROGRESS.names)
"""PROGRESS as Python's numbers."""

_DONE, _KEPT = PROGRESS.names.index("done"), PROGRESS.names.index("kept")
_UNPACK = struct.Struct("".join("q" if PROGRESS[name].kind == "i" else "d" for name in PROGRESS.names)).unpack

_RESULT = slice(-len(Result._fields), None)


class Tables(NamedTuple):
    """Of the world. pairs: PAIR of the materials; excluded, groups: of its layout; adjacent_first, adjacent_boxes: of its
    `EdgeFilter`; shapes_of_kind: indices of the live shapes, by kind; bound_calls (kinds present, 4): begin and end among them,
    address of the bounds, whether they take the geometry; colliders (kinds * kinds, 2): address by code, 0: none, and whether it
    takes the geometry; kept_kinds: `narrow.KEPT_KINDS`."""

    bodies: np.ndarray
    shapes: np.ndarray
    joints: np.ndarray
    system: Any
    materials: np.ndarray
    material_pairs: np.ndarray
    pool: Any
    excluded: np.ndarray
    groups: np.ndarray
    adjacent_first: np.ndarray
    adjacent_boxes: np.ndarray
    shapes_of_kind: np.ndarray
    bound_calls: np.ndarray
    colliders: np.ndarray
    kept_kinds: np.ndarray


class Room(NamedTuple):
    """Arrays to work in. contacts, words: CONTACT of the step and of the one before, and the same memory; keeps: KEPT of both;
    motion .. fast: as in step.py."""

    contacts: tuple
    contact_words: tuple
    pairs: np.ndarray
    ordered: np.ndarray
    place: np.ndarray
    first: np.ndarray
    codes: np.ndarray
    manifolds: np.ndarray
    keeps: tuple
    old_keys: np.ndarray
    velocity: np.ndarray
    path: np.ndarray
    times: np.ndarray
    loose: np.ndarray
    kinds: np.ndarray
    limit_rates: np.ndarray
    struck: np.ndarray
    motion: np.ndarray
    force: np.ndarray
    torque: np.ndarray
    fast: np.ndarray
    driven: np.ndarray
    columns: np.ndarray
    lead: np.ndarray
    kept: np.ndarray
    progress: np.ndarray


class Kept(NamedTuple):
    """What a step changes, as 64-bit words: bodies, shapes, joints, and memory of the auditor; and copies of them."""

    tables: tuple
    copies: tuple


class Rules(NamedTuple):
    """margin [m]; plain: materials have no more than coefficients; limits: joints have some; threshold: of restitution [m/s];
    rotation: `Solver.max_part_rotation`; audited: the auditor is on; reject_above: its option. pairs, kept, paths, contacts,
    inner_edges, fast, fast_paths, flights: whether what is called where there are some is loaded."""

    margin: float
    plain: bool
    limits: bool
    threshold: float
    rotation: float
    audited: bool
    reject_above: float
    pairs: bool
    kept: bool
    paths: bool
    contacts: bool
    inner_edges: bool
    fast: bool
    fast_paths: bool
    flights: bool


BAD_BODY, NO_ROOM, NOT_LOADED, PATH, TURN, LIMIT, IMPACT, FAST, FOUND = range(1, 10)
"""Why a step is refused."""


@kernel
def run(calls, tables, room, kept, rules, settings, audit, gravity, previous, start, count, dt):
    """Make up to `count` steps of dt [s] and write the progress. settings: of the solver, with those of each step replaced.
    audit: (options, memory, found) of the auditor. previous: contacts of the step before. start: `time`, `last_part`, `duration`,
    `budget`, `stalled` of PROGRESS, the pace."""
    p = room.progress[0]
    p.time, p.last_part, p.duration, p.budget, p.stalled, (p.held, p.wanted, p.calm) = start
    p.refused, p.contacts, p.pairs, p.gained, p.swing = 0, 0, 0, 0.0, 0.0
    while p.done < count:
        before = p.contacts, p.kept
        copy_words(kept.tables, kept.copies)
        p.refused = _step(calls, tables, room, rules, settings, audit, gravity, previous, dt, p)
        if p.refused != 0:
            copy_words(kept.copies, kept.tables)
            p.contacts, p.kept = before
            break
        previous = room.contacts[p.done % 2][:p.contacts]
        p.done += 1
        p.time += dt
        p.last_part = dt
    p.kinetic, p.potential = energy_of(calls, tables.bodies, gravity)


@routine
def copy_words(sources, targets):
    for k in range(4):
        source, target = sources[k], targets[k]
        for i in range(source.shape[0]):
            target[i] = source[i]


@routine
def _step(calls, tables, room, rules, settings, audit, gravity, previous, dt, p):
    """One step; returns 0 or why it is refused."""
    bodies = tables.bodies
    apply_owed(calls, bodies, dt, room.force, room.torque)
    for i in range(room.driven.shape[0]):
        for k in range(6):
            room.driven[i, k], room.driven[i, 6 + k] = bodies[i].before[k], bodies[i].older[k]
    p.begun_with, _ = energy_of(calls, bodies, gravity)
    lag, bad = begin_part(calls, bodies, room.motion, room.force, room.torque)
    if bad >= 0:
        return BAD_BODY
    refused, contacts = find_step_contacts(calls, tables, room, rules, settings, gravity, previous, dt, p)
    if refused == 0:
        refused = _plan(calls, tables, room, rules, gravity, contacts, dt, p)
    if refused != 0:
        return refused
    return _move(calls, tables, room, rules, settings, audit, gravity, previous, contacts, dt, lag, p)


@routine
def find_step_contacts(calls, tables, room, rules, settings, gravity, previous, dt, p):
    """(0 or why the step is refused, its contacts)."""
    began, shapes, buffer = clock.now(), tables.shapes, room.contacts[p.done % 2]
    place_shapes(calls, tables.bodies, shapes)
    for k in range(tables.bound_calls.shape[0]):
        index = tables.shapes_of_kind[tables.bound_calls[k, 0]:tables.bound_calls[k, 1]]
        if tables.bound_calls[k, 3] != 0:
            bound_geometric(tables.bound_calls[k, 2], shapes, index, tables.pool)
        else:
            bound_plain(tables.bound_calls[k, 2], shapes, index)
    grow_boxes(calls, tables.bodies, shapes, rules.margin, dt, gravity)
    p.pairs = _find_pairs(tables, room.pairs)
    paired = clock.now()
    p.broad = paired - began
    contacts, refused = buffer[:0], 0
    if p.pairs > room.pairs.shape[0]:
        refused = NO_ROOM
    elif p.pairs > 0 and not rules.pairs:
        refused = NOT_LOADED
    elif p.pairs > 0:
        refused, p.contacts = _collide(calls, tables, room, rules, gravity, previous, buffer, room.contact_words[p.done % 2],
                                       dt, room.pairs[:p.pairs], p)
        contacts = buffer[:p.contacts]
    else:
        p.contacts = p.kept = 0
    if refused == 0 and not rules.plain:
        _mix(calls, contacts, previous, shapes, tables.bodies, tables.materials, tables.material_pairs, settings.sweeps.polygon)
        for i in range(contacts.shape[0]):
            if contacts[i].no_rebound == 1:
                contacts[i].restitution = 0.0
    p.narrow = clock.now() - paired
    return refused, contacts


@routine
def _find_pairs(tables, pairs):
    """Write the pairs of shapes whose boxes overlap in ascending order, as `BroadPhase.find` does; returns their number, also of
    those that did not fit."""
    bodies, shapes, n = tables.bodies, tables.shapes, 0
    for i in range(shapes.shape[0]):
        s = shapes[i]
        if s.body < 0:
            continue
        for j in range(i + 1, shapes.shape[0]):
            t = shapes[j]
            if t.body < 0 or s.active + t.active == 0 or s.body == t.body:
                continue
            apart = False
            for k in range(3):      # False for boxes with nan
                apart = apart or not (s.lo[k] <= t.hi[k] and t.lo[k] <= s.hi[k])
            if apart or (bodies[s.body].kind != _DYNAMIC and bodies[t.body].kind != _DYNAMIC) or not broad.may_touch(s, t):
                continue
            low, high = min(s.body, t.body), max(s.body, t.body)
            if tables.excluded.shape[0] > 0 and broad.contains(tables.excluded, (np.int64(low) << 32) | high):
                continue
            if n < pairs.shape[0]:
                pairs[n, 0], pairs[n, 1] = i, j
            n += 1
    return n


@routine
def _collide(calls, tables, room, rules, gravity, previous, buffer, words, dt, pairs, p):
    """(0 or why the step is refused, number of contacts written to the buffer)."""
    shapes, bodies, place = tables.shapes, tables.bodies, room.place[:pairs.shape[0]]
    manifolds, keys = room.manifolds[:pairs.shape[0]], room.old_keys[:previous.shape[0]]
    if previous.shape[0] > room.old_keys.shape[0] or not _keys(calls, previous, keys):
        return NO_ROOM, 0
    moving = _free_motions(calls, bodies, shapes, gravity, dt, room.velocity, room.path)
    refused = find_manifolds(calls, tables, room, rules, pairs, p)
    if refused != 0:
        return refused, 0
    _drop_beyond_plane(calls, bodies, shapes, manifolds, place, tables.pool, dt)
    if moving and not rules.paths:
        return NOT_LOADED, 0
    if moving and _examine_paths(calls, bodies, shapes, manifolds, place, room.velocity, room.path, dt, tables.pool,
                                 tables.groups, room.times[:pairs.shape[0]], room.loose[:pairs.shape[0]]) > 0:
        return PATH, 0
    if tables.adjacent_boxes.shape[0] > 0:
        if not rules.inner_edges:
            return NOT_LOADED, 0
        _filter_inner_edges(calls, shapes, manifolds, place, tables.adjacent_first, tables.adjacent_boxes)
    needed = narrow.points(manifolds, place)
    if needed > buffer.shape[0]:
        return NO_ROOM, 0
    if needed > 0 and not rules.contacts:
        return NOT_LOADED, 0
    for i in range(needed * (words.shape[0] // buffer.shape[0])):
        words[i] = 0
    n, _ = _write_contacts(calls, shapes, manifolds, place, previous, keys, buffer, 0, 0)
    return 0, n


@routine
def find_manifolds(calls, tables, room, rules, pairs, p):
    """0, or why the step is refused: write the manifolds of the pairs to the room, and those that are kept."""
    shapes, place, kept = tables.shapes, room.place[:pairs.shape[0]], 0
    groups = sort_pairs(calls, shapes, pairs, SHAPE_KINDS, room.ordered, place, room.first, room.codes)
    for g in range(groups):
        code = room.codes[g]
        begin, end = room.first[code], room.first[code + 1]
        where, geometric = tables.colliders[code, 0], tables.colliders[code, 1]
        if tables.kept_kinds[code // SHAPE_KINDS, code % SHAPE_KINDS]:
            kept += end - begin
        elif where == 0:
            return NOT_LOADED
        elif geometric != 0:
            collide_geometric(where, shapes, room.ordered[begin:end], room.manifolds[begin:end], tables.pool)
        else:
            collide_plain(where, shapes, room.ordered[begin:end], room.manifolds[begin:end])
    known, keeps = room.keeps[(p.done + 1) % 2][:p.kept], room.keeps[p.done % 2]
    p.kept = 0
    if kept > 0:
        if not rules.kept:
            return NOT_LOADED
        if kept > keeps.shape[0]:
            return NO_ROOM
        _, p.kept = _collide_kept(calls, shapes, room.ordered, place, tables.kept_kinds, room.manifolds, tables.pool, known, 0,
                                  keeps, 0)
    return 0


@routine
def _plan(calls, tables, room, rules, gravity, contacts, dt, p):
    """0, or why the step is not one plain part; `step.plan_part`."""
    shapes, bodies, count = tables.shapes, tables.bodies, contacts.shape[0]
    if count > 0:
        parts, unknown = _parts_for_turns(calls, contacts, shapes, bodies, dt, p.last_part, rules.rotation, ANY_NUMBER,
                                          integrate.INSTANT_LAG)
        if unknown or parts > 1:
            return TURN
    if rules.limits:
        for k in range(room.limit_rates.shape[0]):
            room.limit_rates[k, 0] = room.limit_rates[k, 1] = math.nan
        if _next_strike(calls, bodies, tables.joints, tables.system, room.limit_rates, p.last_part, dt, room.struck) < dt:
            return LIMIT
    if count > 0 and _next_impact(calls, contacts, shapes, bodies, tables.groups, gravity, rules.threshold, dt,
                                  MIN_PART_SHARE * dt, room.kinds[:count]) < math.inf:
        return IMPACT
    return 0


@routine
def _move(calls, tables, room, rules, settings, audit, gravity, previous, contacts, dt, lag, p):
    """0, or why the step is refused; `step.solve_motion`."""
    began, bodies = clock.now(), tables.bodies
    stalled = settings.sweeps.early_stop and p.stalled != 0
    now = ImpulseSettings(settings.options, settings.sweeps, dt, p.last_part, p.duration, stalled,
                          Pace(p.held, p.wanted, p.calm), settings.substeps, p.budget, settings.stop_at_substep,
                          settings.stop_at_sweep)
    flying = 0
    if contacts.shape[0] > 0:
        flying = _fly(calls, contacts, bodies, tables.groups, gravity, dt, dt, settings.options.gyroscopic, False, room.lead,
                      room.kept)
    if flying > 0 and not rules.flights:
        return NOT_LOADED
    solved = _run_step(calls, bodies, contacts, tables.joints, tables.system,
                       (tables.shapes, tables.materials, tables.material_pairs), gravity, now, room.columns)
    if flying > 0:
        _land(calls, contacts, bodies, settings.options.gyroscopic, room.lead, room.kept)
    bad, fast, left = end_part(calls, bodies, tables.shapes, room.motion, room.force, room.torque, tables.groups, dt, room.fast)
    if bad >= 0:
        return BAD_BODY
    if fast > 0:
        refused = check_fast(calls, tables, room, rules, p)
        if refused != 0:
            return refused
        left = end_fast_part(calls, bodies, room.motion, room.force, room.torque)
    if rules.audited:
        broken, p.gained = audit_part(calls, bodies, room.motion, room.force, room.torque, contacts, False, previous, p.last_part,
                                  solved[8], tables.joints, tables.material_pairs, RIGID, gravity, dt, dt, audit[0], room.driven,
                                  True, audit[1], audit[2])
        if broken > 0 or p.gained > rules.reject_above:
            return FOUND
    (p.sweeps, p.end, p.change, p.residual, p.pushes, p.integrating, p.penetration, p.joint_error, p.parts, swing,
     p.stalled, p.held, p.wanted, p.calm) = solved
    p.swing, p.duration = max(p.swing, swing), lag + dt - left
    p.solve = clock.now() - began - p.integrating
    return 0


@routine
def check_fast(calls, tables, room, rules, p):
    """0, or why a step with fast bodies is refused: one hits something on its path, or is on joints and may do so. See
    `tunnelling_guard.prevent_tunnelling`."""
    n, pairs = tables.bodies.shape[0], room.pairs[:p.pairs]
    if not rules.fast:
        return NOT_LOADED
    if not _any_checked(calls, tables.shapes, pairs, room.fast, tables.groups):
        return 0
    for i in range(n):
        if room.fast[i] != 0 and tables.groups[i] >= 0:
            return FAST
    if not rules.fast_paths:
        return NOT_LOADED
    part = np.ones(n)
    _allowed_fractions(calls, room.motion, tables.bodies, tables.shapes, pairs, room.fast, tables.groups, np.zeros(n, np.int64),
                       np.full(n, -1), np.empty((2, 0, 7)), tables.pool, part)
    for i in range(n):
        if part[i] < 1.0:
            return FAST
    return 0


def is_ready() -> bool:
    """Whether `run` is loaded, or stored with everything else. It is not compiled for one world: that costs more than it saves.
    """
    return by_address.AVAILABLE and (len(run.overloads) > 0 or cache.is_warm())


def compiled_steps(world: Any, dt: float, count: int) -> Report | None:
    """Make up to `count` steps of dt [s], as many as are possible at once: see `CompiledStep.advance`."""
    made = world.compiled_step
    if made is None or not made.is_of(world):
        world.compiled_step = CompiledStep(world)       # the next step is made the long way, and loads what it needs
        return None
    return made.advance(dt, min(count, MAX_STEPS)) if made.fits(dt) else None


class CompiledStep:
    """Compiled steps of a world as it is built now. Another solver's are made by a class of their own, with other `_can_hold`,
    `_suits`, `_settings_of`, `_make`, `_run`, `_contacts` and `_report`."""

    _own_step = staticmethod(_OWN_STEP)

    def __init__(self, world: Any) -> None:
        self._world, self._layout, self._solver = world, world.layout, world.solver
        self._bodies, self._shapes, self._joints = world.bodies, world.shapes, world.joints
        self._materials, self._pool, self._gravity = world.materials, world.pool, world.gravity
        self._wait = self._pause = 0        # steps to be made the long way; after the next refusal
        self._options: Any = None
        self._limits: Any = None
        self._memory: Any = None
        self._possible: bool | None = None

    def is_of(self, world: Any) -> bool:
        """Whether the world is still built as it was."""
        w = world
        return (w is self._world and w.current_layout is self._layout and w.bodies is self._bodies and w.shapes is self._shapes
                and w.joints is self._joints and w.solver is self._solver and w.materials is self._materials
                and w.pool is self._pool and w.gravity is self._gravity)

    def fits(self, dt: float) -> bool:
        """Whether the next step of dt [s] may be a compiled one; drivers have been called for it."""
        w, watch, solver = self._world, self._world.watch, self._solver
        if self._wait:
            self._wait -= 1
            return False
        if self._possible is None:
            self._possible = _can_hold(w) and self._can_hold()
        return (self._possible and self._suits(dt) and not (
            w.contact_callbacks or w.unchecked_bodies or w.sleep.options.enabled or w.sleep.count
            or solver.stop_at != RUN_TO_END
            or getattr(solver.step, "__func__", None) is not self._own_step or (w.drivers and w.driver_dt < dt)
            or watch.touching or len(watch.latest) or len(watch.sensed) or len(watch.touched))
            and w.checked_revision == w.revision and w.step_control == DEFAULT_CONTROL)

    def _can_hold(self) -> bool:
        """Whether a world with this solver, as it is built, may have compiled steps at all."""
        return is_ready() and type(self._solver) is sequential_impulses.SequentialImpulses

    def _suits(self, dt: float) -> bool:
        """Whether the solver as it is set makes plain steps of dt [s]."""
        return self._solver.options.substeps <= 1

    def advance(self, dt: float, count: int) -> Report | None:
        """Make up to `count` steps of dt [s]; returns the report of the last one, None if the first is refused. The world is as
        after as many `step`s, of which `World.steps` counts those made."""
        world, audit, began, options = self._world, self._world.audit, time.perf_counter(), self._settings_of()
        world.current_dt = dt
        audit.begin(world, dt)
        limits = audit.limits()
        if (options is not self._options or limits is not self._limits or world.margin != self._rules.margin
                or world.records_energy != (len(self._room.columns) > 0) or world.revision != self._revision
                or len(world.kept_manifolds) > len(self._room.keeps[0])):
            self._options, self._limits, self._revision = options, limits, world.revision
            if not self._make():
                self._limits = None
                return None
        if audit.memory is not self._memory:
            self._memory = audit.memory
            words = tuple(table.reshape(-1).view(np.uint64) for table in (self._bodies, self._shapes, self._joints, audit.memory))
            self._kept = Kept(words, tuple(np.empty_like(table) for table in words))
        if world.records_energy:
            self._room.columns[:] = 0.0
        before = world.steps, world.energy_totals
        self._words[_DONE], self._words[_KEPT] = 0, len(world.kept_manifolds)
        if len(world.kept_manifolds):
            put(self._room.keeps[1], np.arange(len(world.kept_manifolds)), world.kept_manifolds)
        try:
            self._run((limits, audit.memory, audit.found), 1 if world.records_energy or world.drivers else count, dt)
            return self._finish(dt, began, *before)
        except BaseException:
            self._finish(dt, began, *before)        # what was made is whole
            raise

    def _settings_of(self) -> Any:
        """The solver's options as compiled code takes them; the same object for equal ones."""
        return sequential_impulses.compiled_options(self._solver.options)

    def _run(self, audit: tuple, count: int, dt: float) -> None:
        """Make up to `count` steps of dt [s] and write the progress. audit: limits, memory and findings."""
        world, budget = self._world, self._solver.time_limit
        start = (world.time, world.last_part_dt, world.impulse_duration, budget, int(world.sweeps_stalled), world.pace)
        run.unchecked(self._calls, self._tables, self._room, self._kept, self._rules, self._settings, audit, self._gravity,
                      world.awake_contacts, start, 1 if budget > 0.0 else count, dt)

    def _finish(self, dt: float, began: float, steps: int, totals: EnergyTotals) -> Report | None:
        """Make the world what it is after these steps, if there were any. steps, totals: of the world before."""
        world, room, end = self._world, self._room, Progress._make(_UNPACK(self._words))
        if end.refused:
            self._wait = self._pause = 1 if end.done else min(MAX_PAUSE, 2 * self._pause + 1)
            if end.refused in (NOT_LOADED, NO_ROOM):
                self._limits = None         # a step the long way loads it, or tells how much
        else:
            self._pause = 0
        if not end.done:
            return None
        world.awake_contacts = self._contacts(end)
        world.kept_manifolds = copy_of(room.keeps[(end.done - 1) % 2][:end.kept]) if end.kept else keep.NONE
        world.pairs = room.pairs[:end.pairs].copy()
        world.time, world.impulse_duration = end.time, end.duration
        world.last_dt = world.last_part_dt = dt
        world.audit.gained = end.gained
        world.steps = steps + end.done
        world.broken = []
        world.step_start = StepStart(room.motion.copy(), room.force.copy(), room.torque.copy(), dt)
        report = self._report(end, NO_FINDINGS if world.audit.options.enabled else None,
                              (time.perf_counter() - began) / end.done)
        world.report = report
        if len(room.columns) or world.solver.time_limit > 0.0:      # else there is nothing to add, and the report stays unread
            world.energy_totals = totals.after(report)
        return report

    def _contacts(self, end: Progress) -> np.ndarray:
        """The contacts at the end of the last step."""
        contacts = bytearray(self._contact_bytes[(end.done - 1) % 2][:end.contacts * CONTACT.itemsize])
        return np.frombuffer(contacts, CONTACT) if end.contacts else NO_CONTACTS

    def _report(self, end: Progress, audit: Audit | None, wall: float) -> Report:
        """The report of the last step, which took that long [s]; the world gets the solver's memory."""
        solver, ledger = self._solver, energy_ledger.as_dict(self._room.columns)
        solver.remember(self._world, Result._make(end[_RESULT]), solver.options.substeps > 0)
        if ledger:
            ledger = energy_ledger.with_numerical(ledger, end.kinetic - end.begun_with)
        return Report.later(_written, end, self._layout.joints.rows, solver.time_limit, ledger, audit, wall)

    def _make(self) -> bool:
        """Allocate, and find the addresses of what is loaded now; False: not all is that a step calls."""
        options = self._solver.options
        self._allocate(self._solver.system(self._layout), self._materials.plain, self._layout.joints.limits > 0,
                       options.restitution_threshold, self._solver.max_part_rotation)
        self._settings = ImpulseSettings(*self._options, 1.0, 1.0, 1.0, False, ANY_PACE, options.substeps, 0.0, *RUN_TO_END)
        return True

    def _allocate(self, system: Any, plain: bool, limits: bool, threshold: float, rotation: float) -> None:
        """Tables, room and rules. system: JointSystem; the others: the first of `Rules` after the margin."""
        world, layout = self._world, self._layout
        index = list(layout.shapes.values()) or [np.zeros(0, np.int32)]
        ends = np.cumsum([0, *map(len, layout.shapes.values())])
        bound_calls = np.array([(ends[k], ends[k + 1], by_address.address(bound), geometric)
                                for k, (bound, geometric) in enumerate(bounds.BOUNDS[name] for name in layout.shapes)],
                               np.int64).reshape(-1, 4)
        self._tables = Tables(self._bodies, self._shapes, self._joints, system, self._materials.records, self._materials.pairs,
                              self._pool.arrays, layout.excluded, layout.joints.body_group,
                              *world.edge_filter.adjacent_boxes(self._bodies, self._shapes, world.revision),
                              np.concatenate(index), bound_calls, collider_addresses(), narrow.KEPT_KINDS)
        self._room = make_room(len(self._bodies), len(self._shapes), len(system.blocks), layout.driven, world.records_energy,
                               2 * max(len(world.pairs), len(world.awake_contacts), len(world.kept_manifolds)) + 16)
        self._contact_bytes = [contacts.view(np.uint8).data for contacts in self._room.contacts]
        self._words = self._room.progress.view(np.int64).data
        self._rules = Rules(world.margin, plain, limits, threshold, rotation, world.audit.options.enabled,
                            world.audit.options.reject_above,
                            are_loaded(narrow.keys, narrow.sort_kinds, impacts.free_motions,
                                       flush_supports.drop_beyond_plane), are_loaded(keep.collide),
                            are_loaded(impacts.examine),
                            are_loaded(narrow.write_contacts, time_of_impact.parts_for_turns, time_of_impact.next_impact,
                                       free_flight.advance),
                            are_loaded(edge_filter.filter_all), are_loaded(tunnelling_guard.any_checked, integrate.end_part),
                            are_loaded(tunnelling_guard.allowed_fractions), are_loaded(free_flight.retreat))
        self._calls = CALLS.addresses()


def _written(end: Progress, rows: int, budget: float, ledger: dict[str, float], audit: Audit | None, wall: float) -> Report:
    """The report of a step: its end, rows of the joints, wall time for it and of it [s]."""
    report = sequential_impulses.written(Result._make(end[_RESULT]), end.contacts, rows, budget, ledger)
    return completed(report, end, audit, wall)


def completed(report: Report, end: Progress, audit: Audit | None, wall: float) -> Report:
    """The solver's report with what the step adds to it."""
    report.audit, report.energy = audit, {"kinetic": end.kinetic, "potential": end.potential}
    report.times = {"broad": end.broad, "narrow": end.narrow, "solve": end.solve, "integrate": end.integrating, "step": wall}
    return report


def make_room(bodies: int, shapes: int, blocks: int, driven: bool, ledger: bool, touching: int) -> Room:
    """Arrays for a world of so many; touching: contacts and pairs."""
    contacts, pairs = (np.zeros(touching, CONTACT), np.zeros(touching, CONTACT)), np.empty((touching, 2), np.int32)
    return Room(
        contacts=contacts, contact_words=tuple(c.view(np.uint64) for c in contacts),
        pairs=pairs, ordered=np.empty_like(pairs), place=np.empty(touching, np.int64),
        first=np.empty(SHAPE_KINDS**2 + 1, np.int64), codes=np.empty(SHAPE_KINDS**2, np.int64),
        manifolds=np.empty(touching, MANIFOLD),
        keeps=(np.empty(touching, KEPT), np.empty(touching, KEPT)), old_keys=np.empty(touching, np.int64),
        velocity=np.empty((bodies, 6)), path=np.empty((shapes, 2)), times=np.empty(touching), loose=np.empty(touching, np.int64),
        kinds=np.empty(touching, np.uint8), limit_rates=np.empty((blocks, 2)), struck=np.empty(bodies, np.bool_),
        motion=np.empty((bodies, measure.MOTION)), force=np.empty((bodies, 3)), torque=np.empty((bodies, 3)),
        fast=np.empty(bodies, np.int64), driven=np.empty((bodies if driven else 0, 12)),
        columns=energy_ledger.empty_columns(ledger), lead=np.empty((bodies, free_flight.LEAD)),
        kept=np.empty((touching, free_flight.KEPT)), progress=np.zeros(1, PROGRESS))


def are_loaded(*kernels: Any) -> bool:
    return all(by_address.address(one) for one in kernels)


def collider_addresses() -> np.ndarray:
    """`Tables.colliders` of what is loaded now."""
    table = np.zeros((SHAPE_KINDS**2, 2), np.int64)
    for code, (collide, geometric) in narrow.COLLIDERS_BY_CODE.items():
        table[code] = by_address.address(collide), geometric
    return table


def _can_hold(world: Any) -> bool:
    """Whether a world as it is built may have compiled steps at all."""
    shapes, layout = world.shapes, world.layout
    return (len(shapes) <= MAX_SHAPES and not shapes["sensor"].any() and not len(layout.joints.breakable)
            and not any(name in surfaces.SURFACES for name in layout.shapes))
