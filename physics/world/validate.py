"""Validation of snapshots: every index within its table, every number finite and in range.

Kernels check no bounds, so a state from a file is validated before a world is restored to it. An error is one sentence: table,
row, field.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from physics import solvers
from physics.contact.material import Material
from physics.core.check import BadInput, shown_value
from physics.core.records import BODY, JOINT, SHAPE, Kind
from physics.dynamics.measure import MOTION
from physics.observe.audit.auditor import Auditor
from physics.observe.audit.verdict import LIMITS
from physics.observe.audit.worst_places import room
from physics.observe.report import EnergyTotals, Report, StepStart
from physics.shapes._geometry import GeometryArrays, GeometryPool
from physics.stepping.rejection import MAX_PIECES as MOST_PIECES
from physics.stepping.rejection import MAX_UNCHECKED_STEPS, StepControl
from physics.world import materials, validate_geometry, validate_tables
from physics.world.events import EVENT, ContactTracker, Event
from physics.world.materials import Materials
from physics.world.sleep import REST_RECORD, Island, SleepState
from physics.world.snapshot import Snapshot
from physics.world.table import Table
from physics.world.validate_tables import MAX_STEP_LENGTH
from physics.world.world import MAX_GRAVITY

MAX_INPUTS = 1_000
"""Largest number of control inputs of a state."""

MAX_RECORDS = 50_000
"""Largest number of bodies, shapes or joints."""


def check(snapshot: Snapshot, like: Snapshot | None = None) -> None:
    """Check that a world could have been in this state.

    like: an already validated state; arrays shared with it are not checked again.

    Raises:
        BadInput: it could not; with the table, the row and the field.
    """
    _check_types(snapshot)
    bodies, shape_table, joint_table = (table.records for table in snapshot.tables)
    _check_names("bodies", snapshot.names[0], bodies["kind"] != Kind.FREE)
    _check_names("joints", snapshot.names[1], joint_table["kind"] >= 0)
    validate_tables.check_bodies(bodies)
    if like is None or like.materials != snapshot.materials:
        _check_materials(snapshot.materials)
    if like is None or not _same_pool(like.pool, snapshot.pool):
        validate_geometry.check_pool(snapshot.pool)
    validate_tables.check_shapes(shape_table, bodies, snapshot.pool, len(snapshot.materials.items))
    validate_tables.check_joints(joint_table, bodies)
    validate_tables.check_contacts("contacts", snapshot.contacts, bodies, len(shape_table))
    validate_tables.check_kept(snapshot.kept_manifolds, len(shape_table))
    _check_numbers(snapshot, len(bodies))
    _check_watch(snapshot.watch, len(shape_table), len(bodies))
    _check_sleep(snapshot.sleep, snapshot)
    _check_solver(snapshot.solver)
    _check_given(snapshot, len(bodies))


def _check_types(s: Snapshot) -> None:
    """Types of its Python objects."""
    if len(s.tables) != 3 or not all(isinstance(table, Table) for table in s.tables):
        raise BadInput("the state must have three tables: bodies, shapes and joints")
    for what, table, dtype in zip(("bodies", "shapes", "joints"), s.tables, (BODY, SHAPE, JOINT), strict=True):
        if table.storage.dtype != dtype or table.storage.ndim != 1 or not 0 <= table._count <= len(table.storage):
            raise BadInput(f"the table of {what} has the wrong type or too many rows")
        if len(table.records) > MAX_RECORDS:
            raise BadInput(f"there are {len(table.records):,} {what}; allowed: {MAX_RECORDS:,}")
    wanted = ((s.pool, GeometryPool), (s.pool.arrays, GeometryArrays), (s.materials, Materials), (s.watch, ContactTracker),
              (s.sleep, SleepState),
              (s.audit, Auditor), (s.energy_totals, EnergyTotals), (s.step_control, StepControl), (s.contacts, np.ndarray),
              (s.kept_manifolds, np.ndarray),
              (s.gravity, np.ndarray), (s.inputs, dict), (s.velocities_set, dict))
    for value, kind in wanted:
        if not isinstance(value, kind):
            raise BadInput(f"the state has {shown_value(value)} instead of a {kind.__name__}")
    for value, kind in ((s.report, Report), (s.step_start, StepStart)):
        if value is not None and not isinstance(value, kind):
            raise BadInput(f"the state has {shown_value(value)} instead of a {kind.__name__}")


def _check_names(what: str, names: tuple[str, ...], live: np.ndarray) -> None:
    if len(names) != len(live):
        raise BadInput(f"there are {len(live)} {what} and {len(names)} names")
    used = [name for name, is_live in zip(names, live, strict=True) if is_live]
    if len(set(used)) < len(used) or "" in used:
        raise BadInput(f"names of {what} must be unique and not empty")


def _check_materials(given: Materials) -> None:
    if not 1 <= len(given.items) <= materials.MAX_MATERIALS or given.items[0] != materials.PLAIN_MATERIAL:
        raise BadInput(f"there are {len(given.items)} materials; allowed: 1 .. {materials.MAX_MATERIALS}, starting with the "
                       "plain material")
    for item in given.items:
        if not isinstance(item, Material) or Material(**vars(item)) != item:
            raise BadInput(f"material {shown_value(item)} is not valid")
    names = [item.name for item in given.items if item.name]
    if len(set(names)) < len(names):
        raise BadInput("material names must be unique")
    for key, values in given.given.items():
        if not isinstance(key, tuple) or len(key) != 2 or not all(type(k) is int for k in key) \
                or not 0 <= key[0] <= key[1] < len(given.items):
            raise BadInput(f"values are set for the materials {shown_value(key)}; there are {len(given.items)} materials")
        if not isinstance(values, Mapping):
            raise BadInput(f"the values set for the materials {key} must be numbers by name")
        Materials(given.items).with_pair(*key, values)


def _same_pool(a: GeometryPool, b: GeometryPool) -> bool:
    return a.keys == b.keys and all(one is other for one, other in zip(a.arrays, b.arrays, strict=True))


def _check_numbers(s: Snapshot, bodies: int) -> None:
    for name, value, lo, hi in (("time", s.time, 0.0, 1e12), ("steps", s.steps, 0, 2**53), ("margin", s.margin, 0.0, 1.0),
                                ("last_dt", s.last_dt, 1e-12, MAX_STEP_LENGTH),
                                ("last_part_dt", s.last_part_dt, 1e-15, MAX_STEP_LENGTH),
                                ("impulse_duration", s.impulse_duration, 1e-15, MAX_STEP_LENGTH),
                                ("held_substep", s.held_substep, 0.0, MAX_STEP_LENGTH),
                                ("wanted_substep", s.wanted_substep, 0.0, MAX_STEP_LENGTH),
                                ("calm_substeps", s.calm_substeps, -1, 2**53)):
        if not math.isfinite(value) or not lo <= value <= hi:
            raise BadInput(f"{name} = {shown_value(value)} must be within {lo:g} .. {hi:g}")
    if s.gravity.shape != (3,) or s.gravity.dtype != np.float64 or not np.all(np.abs(s.gravity) <= MAX_GRAVITY):
        raise BadInput(f"gravity = {shown_value(s.gravity.ravel()[:4].tolist())} must be three numbers of size up to "
                       f"{MAX_GRAVITY:g} m/s^2")
    if not all(0 <= body < bodies for body in s.unchecked_bodies):
        raise BadInput(f"unchecked bodies must be within 0 .. {bodies - 1}")
    if not all(0 <= body < bodies and 0 <= steps <= s.steps for body, steps in s.velocities_set.items()):
        raise BadInput(f"bodies whose velocity was set must be within 0 .. {bodies - 1}, and the steps until then not be later")
    if len(s.inputs) > MAX_INPUTS:
        raise BadInput(f"there are {len(s.inputs)} control inputs; allowed: {MAX_INPUTS}")
    for name, value in s.inputs.items():
        if not isinstance(name, str) or type(value) is not float or not math.isfinite(value):
            raise BadInput(f"control input {shown_value(name)} = {shown_value(value)} must be a finite number with a name")
    if type(s.sweeps_stalled) is not bool:
        raise BadInput(f"sweeps_stalled = {shown_value(s.sweeps_stalled)} must be true or false")
    control = s.step_control
    if not (1 <= control.pieces <= MOST_PIECES and 0 <= control.rest <= MAX_UNCHECKED_STEPS
            and 0 <= control.last_rest <= MAX_UNCHECKED_STEPS):
        raise BadInput(f"step_control = {shown_value(control)} must have 1 .. {MOST_PIECES} pieces and rest up to "
                       f"{MAX_UNCHECKED_STEPS} steps")


def _check_watch(watch: ContactTracker, shape_count: int, bodies: int) -> None:
    for name in ("sensed", "touched", "latest"):
        events = getattr(watch, name)
        if events.dtype != EVENT or events.ndim != 1:
            raise BadInput(f"{name} has the wrong type")
        rows = validate_tables.RowChecks(f"{name} pair", events)
        rows.finite()
        rows.within("what", 0, max(Event))
        for side in "ab":
            rows.within(f"shape_{side}", 0, shape_count - 1)
            rows.within(f"body_{side}", -1, bodies - 1)


def _check_sleep(sleep: SleepState, s: Snapshot) -> None:
    bodies = s.tables[0].records
    asleep = np.flatnonzero(bodies["asleep"])
    lowest = set(bodies["asleep"][asleep].tolist())
    if sleep.count != len(asleep) or set(sleep.islands) != lowest or any(bodies["asleep"][k] != k for k in lowest):
        raise BadInput("the sleeping flags of bodies and islands do not match")
    if sleep.rest.dtype != REST_RECORD or sleep.rest.ndim != 1 or (len(asleep) and len(sleep.rest) <= asleep[-1]):
        raise BadInput("the rest poses of sleeping bodies are incomplete")
    validate_tables.RowChecks("rest of body", sleep.rest).finite()
    for k, island in sleep.islands.items():
        if not isinstance(island, Island) or not isinstance(island.contacts, np.ndarray):
            raise BadInput(f"the island of body {k} is not valid")
        validate_tables.check_contacts(f"contacts of the island of body {k}", island.contacts, bodies, len(s.tables[1].records))
        _check_indices(f"the support of the island of body {k}", island.ground, len(s.tables[1].records))
    _check_indices("the supports of sleeping bodies", sleep.on_ground, len(s.tables[1].records))
    for shape, resting in sleep.on_ground.items():
        if not isinstance(resting, frozenset):
            raise BadInput(f"the sleeping bodies on shape {shape} must be bodies")
        _check_indices(f"the sleeping bodies on shape {shape}", resting, len(bodies))
        if not resting <= lowest:
            raise BadInput(f"a body listed as sleeping on shape {shape} is awake")
    index, kept = sleep.joints if len(sleep.joints) == 2 else (None, None)
    if not isinstance(index, np.ndarray) or not isinstance(kept, np.ndarray) or index.dtype != np.int64 or kept.dtype != JOINT \
            or index.shape != kept.shape or index.ndim != 1:
        raise BadInput("the joints of sleeping bodies have the wrong type")
    _check_indices("the joints of sleeping bodies", index.tolist(), len(s.tables[2].records))
    for side in ("body_a", "body_b"):
        validate_tables.RowChecks("joint of a sleeping body", kept).within(side, 0, len(bodies) - 1)
    if sleep.gravity.shape != (3,):
        raise BadInput("the gravity recorded for sleeping bodies must be three numbers")


def _check_indices(what: str, indices: Any, count: int) -> None:
    for i in indices:
        if type(i) is not int or not 0 <= i < count:
            raise BadInput(f"{what}: {shown_value(i)} must be within 0 .. {count - 1}")


def _check_solver(solver: Any) -> None:
    if type(solver) not in solvers.available().values():
        raise BadInput(f"unknown solver {shown_value(type(solver).__name__)}")
    fresh = type(solver)()
    if type(getattr(solver, "options", None)) is not type(getattr(fresh, "options", None)):
        raise BadInput(f"the options of the solver '{solver.name}' have the wrong type")
    for name, value in vars(solver).items():
        example = getattr(fresh, name)
        if isinstance(example, np.ndarray) and value.shape != example.shape:
            raise BadInput(f"{name} of the solver '{solver.name}' has the shape {value.shape}, not {example.shape}")
        if isinstance(example, list) and (len(value) != len(example) or not all(
                isinstance(x, float) and 0.0 < x < math.inf for x in value)):
            raise BadInput(f"{name} of the solver '{solver.name}' must be {len(example)} positive numbers")
        if isinstance(example, float) and not 0.0 <= value < math.inf:
            raise BadInput(f"{name} of the solver '{solver.name}' = {value!r} must be at least 0 and finite")


def _check_given(s: Snapshot, bodies: int) -> None:
    """The report of the last step, and the state of its auditor."""
    audit, began = s.audit, s.step_start
    if audit.memory.shape[1:] != (3,) or not np.isfinite(audit.memory).all() or audit.found.shape != room().shape \
            or audit._limit.dtype != LIMITS or audit._limit.shape != (1,) or audit.findings:
        raise BadInput("the auditor's state has the wrong type or is not finite")
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in audit.warned):
        raise BadInput("the auditor's reported findings must be named rules")
    if began is not None:
        for name, columns in (("motion", MOTION), ("force", 3), ("torque", 3), ("contact_impulse", 6)):
            table = getattr(began, name)
            if table is None and name == "contact_impulse":
                continue
            if table.dtype != np.float64 or table.ndim != 2 or table.shape[1] != columns or len(table) > bodies \
                    or len(table) != len(began.motion) or not np.isfinite(table).all():
                raise BadInput(f"{name} of the start of the last step has the wrong type or is not finite")
        if not 0.0 < began.dt <= MAX_STEP_LENGTH:
            raise BadInput(f"dt = {began.dt!r} of the last step must be more than 0 and at most {MAX_STEP_LENGTH:g} s")
    if s.report is None:
        return
    if s.report.contacts_at_end is not None:
        validate_tables.check_contacts("contacts of the last report", s.report.contacts_at_end, s.tables[0].records,
                                       len(s.tables[1].records))
    for finding in s.report.audit.findings if s.report.audit is not None else ():
        if not (0 <= finding.body < bodies and -1 <= finding.other < bodies and -1 <= finding.joint < len(s.tables[2].records)
                and finding.contact >= -1):
            raise BadInput("a finding of the auditor refers to a body or joint that does not exist")
