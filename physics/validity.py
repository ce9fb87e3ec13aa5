"""Whether a snapshot is one that a world could have: every index within its table, every number finite and sane.

Kernels check no bounds, so that a state from elsewhere, as from a file of somebody else, is looked at here before a world is
restored to it. What is wrong is one sentence: table, row, field.
"""

import functools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from physics import joints, materials, shapes, solvers, valid_geometry
from physics.account import Account
from physics.audit import Auditor
from physics.auditing.found import room
from physics.auditing.verdict import LIMITS
from physics.beginning import Beginning
from physics.check import said
from physics.collide import narrow
from physics.core.records import AXES, BODY, CONTACT, JOINT, SHAPE, Case, Drive, Kind, SleepReason, WakeReason
from physics.errors import BadInput
from physics.events import EVENT, Event, Watch
from physics.geometry import Geometry, Pool
from physics.material import Material
from physics.materials import Materials
from physics.measure import MOTION
from physics.rejection import LONGEST_REST, StepControl
from physics.rejection import MOST as MOST_PIECES
from physics.report import Report
from physics.rest import REST
from physics.sleeping import Island, Sleep
from physics.snapshot import Snapshot
from physics.step import DISTANCE_LIMIT, SPEED_LIMIT
from physics.table import Table
from physics.world import STRONGEST

UNIT = 1e-6
"""How far the square of a unit vector's length may be from 1."""

ENDLESS = ("plane", "triangle_mesh", "height_field")
"""Kinds of shapes that have no mass, so that no dynamic body has them."""

MOST = 50_000
"""Bodies, shapes or joints of a world that comes from elsewhere."""

LONGEST = 1e3
"""Longest step or part of one [s]."""


def check(snapshot: Snapshot, like: Snapshot | None = None) -> None:
    """Whether a world could have been in this state.

    like: another state that was found good; what it shares with this one is not looked at again.

    Raises:
        BadInput: it could not; with the table, the row and the field.
    """
    _check_types(snapshot)
    bodies, shape_table, joint_table = (table.records for table in snapshot.tables)
    _check_names("bodies", snapshot.names[0], bodies["kind"] != Kind.FREE)
    _check_names("joints", snapshot.names[1], joint_table["kind"] >= 0)
    _check_bodies(bodies)
    if like is None or like.materials != snapshot.materials:
        _check_materials(snapshot.materials)
    if like is None or not _same_pool(like.pool, snapshot.pool):
        valid_geometry.check_pool(snapshot.pool)
    _check_shapes(shape_table, bodies, snapshot.pool, len(snapshot.materials.items))
    _check_joints(joint_table, bodies)
    _check_contacts("contacts", snapshot.contacts, snapshot)
    _check_numbers(snapshot, len(bodies))
    _check_watch(snapshot.watch, len(shape_table), len(bodies))
    _check_sleep(snapshot.sleep, snapshot)
    _check_solver(snapshot.solver)
    _check_told(snapshot, len(bodies))


class _Rows:
    """The rows of a table that are looked at, and the sentence about the first one that is wrong."""

    def __init__(self, what: str, table: np.ndarray, rows: np.ndarray | None = None) -> None:
        """rows: indices of those in use; None: all."""
        self.what, self.index = what, np.arange(len(table)) if rows is None else rows
        self.table = table if rows is None else table[rows]

    def must(self, good: np.ndarray, field: str, allowed: str) -> None:
        """Raise BadInput unless `good` is true of each row, in any further dimensions."""
        rows = good.all(axis=tuple(range(1, good.ndim)))
        if not rows.all():
            k = int(np.flatnonzero(~rows)[0])
            raise BadInput(f"{self.what} {self.index[k]}: {field} = {said(self.table[field][k].tolist())} must be {allowed}")

    def finite(self, but: tuple[str, ...] = ()) -> None:
        """All numbers, but for those of these fields, which may be endless and must not be nan."""
        for name in self.table.dtype.names:
            if self.table.dtype[name].base.kind == "f":
                values = self.table[name]
                good = ~np.isnan(values) if name in but else np.isfinite(values)
                self.must(good, name, "a number" if name in but else "finite")

    def within(self, field: str, lo: float, hi: float) -> None:
        """lo <= each value <= hi."""
        values = self.table[field]
        self.must((values >= lo) & (values <= hi), field, f"within {lo:g} .. {hi:g}")

    def unit(self, *names: str) -> None:
        """Unit vectors or quaternions."""
        for name in names:
            length = (self.table[name] ** 2).sum(axis=1)
            self.must(np.abs(length - 1.0) <= UNIT, name, "of length 1")


def _check_types(s: Snapshot) -> None:
    """What Python objects it is made of."""
    if len(s.tables) != 3 or not all(isinstance(table, Table) for table in s.tables):
        raise BadInput("the state has not three tables of bodies, shapes and joints")
    for what, table, dtype in zip(("bodies", "shapes", "joints"), s.tables, (BODY, SHAPE, JOINT), strict=True):
        if table.room.dtype != dtype or table.room.ndim != 1 or not 0 <= table._count <= len(table.room):
            raise BadInput(f"the table of {what} is of another type, or has more rows than there are")
        if len(table.records) > MOST:
            raise BadInput(f"there are {len(table.records):,} {what}; allowed: {MOST:,}")
    wanted = ((s.pool, Pool), (s.pool.arrays, Geometry), (s.materials, Materials), (s.watch, Watch), (s.sleep, Sleep),
              (s.audit, Auditor), (s.account, Account), (s.step_control, StepControl), (s.contacts, np.ndarray),
              (s.gravity, np.ndarray))
    for value, kind in wanted:
        if not isinstance(value, kind):
            raise BadInput(f"the state has {said(value)} in place of a {kind.__name__}")
    for value, kind in ((s.report, Report), (s.beginning, Beginning)):
        if value is not None and not isinstance(value, kind):
            raise BadInput(f"the state has {said(value)} in place of a {kind.__name__}")


def _check_names(what: str, names: tuple[str, ...], live: np.ndarray) -> None:
    if len(names) != len(live):
        raise BadInput(f"there are {len(live)} {what} and {len(names)} names")
    used = [name for name, is_live in zip(names, live, strict=True) if is_live]
    if len(set(used)) < len(used) or "" in used:
        raise BadInput(f"two of the {what} have one name, or one has none")


def _check_bodies(bodies: np.ndarray) -> None:
    every = _Rows("body", bodies)
    every.finite()
    every.within("kind", Kind.FREE, Kind.DYNAMIC)
    if len(bodies) == 0 or bodies["kind"][0] != Kind.STATIC:
        raise BadInput("body 0 must be the static body 'world'")
    every.within("asleep", 0, len(bodies) - 1)
    every.within("sleep_reason", 0, max(SleepReason))
    every.within("wake_reason", 0, max(WakeReason))
    every.within("wake_cause", -1, MOST)
    every.within("calm", 0.0, 1e9)
    every.within("since", -LONGEST, LONGEST)
    live = _Rows("body", bodies, np.flatnonzero(bodies["kind"] != Kind.FREE))
    live.unit("quat")
    live.within("pos", -DISTANCE_LIMIT, DISTANCE_LIMIT)
    for name in ("vel", "omega", "before", "older"):
        live.within(name, -SPEED_LIMIT, SPEED_LIMIT)
    still = _Rows("body", bodies, np.flatnonzero(bodies["kind"] != Kind.DYNAMIC))
    for name in ("mass", "inv_mass", "inertia", "inv_inertia", "asleep"):
        still.must(still.table[name] == 0, name, "0, for it is not dynamic")
    _check_masses(_Rows("body", bodies, np.flatnonzero(bodies["kind"] == Kind.DYNAMIC)))


def _check_masses(moving: _Rows) -> None:
    """Of dynamic bodies: positive, and the inverses are those."""
    b = moving.table
    moving.must((b["mass"] > 0.0) & (b["mass"] <= 1e12), "mass", "more than 0 and at most 1e12 kg")
    moving.must(np.abs(b["mass"] * b["inv_mass"] - 1.0) < 1e-6, "inv_mass", "the inverse of the mass")
    tensor = b["inertia"]
    size = np.abs(tensor).max(axis=(1, 2), initial=0.0)
    moving.must((size > 0.0) & (size < 1e30), "inertia", "positive and at most 1e30 kg m^2")
    moving.must(np.abs(tensor - tensor.transpose(0, 2, 1)) <= 1e-9 * size[:, None, None], "inertia", "symmetric")
    with np.errstate(all="ignore"):
        pivot = tensor[:, 1, 1] - tensor[:, 0, 1] ** 2 / tensor[:, 0, 0]
        rest = tensor[:, 1, 2] - tensor[:, 0, 1] * tensor[:, 0, 2] / tensor[:, 0, 0]
        last = tensor[:, 2, 2] - tensor[:, 0, 2] ** 2 / tensor[:, 0, 0] - rest**2 / pivot
        moving.must((tensor[:, 0, 0] > 0.0) & (pivot > 0.0) & (last > 0.0), "inertia", "positive definite")
        product = np.einsum("nij,njk->nik", tensor, b["inv_inertia"])
    moving.must(np.abs(product - np.eye(3)) < 1e-3, "inv_inertia", "the inverse of the inertia")


def _check_materials(given: Materials) -> None:
    if not 1 <= len(given.items) <= materials.MOST or given.items[0] != materials.PLAIN:
        raise BadInput(f"there are {len(given.items)} materials; allowed: 1 .. {materials.MOST}, the first a plain one")
    for item in given.items:
        if not isinstance(item, Material) or Material(**vars(item)) != item:
            raise BadInput(f"material {said(item)} is none that there can be")
    names = [item.name for item in given.items if item.name]
    if len(set(names)) < len(names):
        raise BadInput("two materials have one name")
    for key, values in given.given.items():
        if not isinstance(key, tuple) or len(key) != 2 or not all(type(k) is int for k in key) \
                or not 0 <= key[0] <= key[1] < len(given.items):
            raise BadInput(f"numbers are set for the materials {said(key)}: there are {len(given.items)}")
        if not isinstance(values, Mapping):
            raise BadInput(f"what is set for the materials {key} must be numbers by name")
        Materials(given.items).with_pair(*key, values)


def _same_pool(a: Pool, b: Pool) -> bool:
    return a.keys == b.keys and all(one is other for one, other in zip(a.arrays, b.arrays, strict=True))


def _check_shapes(table: np.ndarray, bodies: np.ndarray, pool: Pool, made_of: int) -> None:
    every = _Rows("shape", table)
    every.within("body", -1, len(bodies) - 1)
    every.finite(but=("lo", "hi"))
    live = _Rows("shape", table, np.flatnonzero(table["body"] >= 0))
    s, kinds = live.table, shapes.kinds()
    names = tuple(kinds)
    live.must(bodies["kind"][s["body"]] != Kind.FREE, "body", "a body that is there")
    live.within("kind", 0, len(kinds) - 1)
    live.within("geometry", -1, len(pool.keys) - 1)
    live.within("material", 0, made_of - 1)
    live.within("active", 0, 1)
    live.within("sensor", 0, 1)
    live.within("friction", 0.0, 100.0)
    live.within("restitution", 0.0, 1.0)
    live.within("dims", 0.0, 1e6)
    live.within("rounding", 0.0, 1e5)
    live.within("reach", 0.0, 1e9)
    for name in ("local_pos", "pos"):
        live.within(name, -2.0 * DISTANCE_LIMIT, 2.0 * DISTANCE_LIMIT)
    live.within("rot", -1.001, 1.001)
    live.unit("local_quat")
    plane = s["kind"] == names.index("plane")
    for name in ("lo", "hi"):
        live.must((np.abs(s[name]) <= 1e12) | plane[:, None], name, "within 1e12 m")
    geometric = np.array([kind.geometric for kind in kinds.values()])[s["kind"]]
    live.must(geometric == (s["geometry"] >= 0), "geometry", "-1 where the kind of shape has none, and not else")
    massless = np.isin(s["kind"], [names.index(name) for name in ENDLESS])
    live.must(~massless | (bodies["kind"][s["body"]] != Kind.DYNAMIC), "kind", "one that has a mass, on a dynamic body")
    _check_sizes(live, names)
    for kind, geometry in np.unique(np.column_stack([s["kind"], s["geometry"]])[geometric], axis=0).tolist():
        valid_geometry.check(f"geometry {geometry}", names[kind], pool.data(geometry))
    met = [names[k] for k in np.unique(s["kind"])]
    for i, first in enumerate(met):
        for second in met[i:]:
            if not narrow.supported(first, second):
                raise BadInput(f"a {first} cannot collide with a {second}")


def _check_sizes(live: _Rows, names: tuple[str, ...]) -> None:
    for k, (kind, geometry, dims, rounding) in enumerate(zip(
            *(live.table[name].tolist() for name in ("kind", "geometry", "dims", "rounding")), strict=True)):
        if wrong := "" if geometry >= 0 else _wrong_size(names[kind], tuple(dims), rounding):
            raise BadInput(f"shape {live.index[k]}: {wrong}")


@functools.lru_cache(10_000)
def _wrong_size(kind: str, dims: tuple[float, ...], rounding: float) -> str:
    """Of a shape that its dims describe; "" for nothing."""
    try:
        made = shapes.kinds()[kind].make(dims)
        shapes.check_shape(f"the {kind}", made)
    except BadInput as error:
        return str(error)
    same = tuple(made.dims) == dims and shapes.rounding_of(made) == rounding
    return "" if same else f"dims = {dims} and rounding = {rounding} are not those of a {kind}"


def _check_joints(table: np.ndarray, bodies: np.ndarray) -> None:
    live = _Rows("joint", table, np.flatnonzero(table["kind"] >= 0))
    j, kinds = live.table, tuple(joints.kinds().values())
    live.within("kind", 0, len(kinds) - 1)
    live.finite(but=("limit_lo", "limit_hi", "break_force", "break_torque"))
    for side in ("body_a", "body_b"):
        live.within(side, 0, len(bodies) - 1)
        live.must(bodies["kind"][j[side]] != Kind.FREE, side, "a body that is there")
    live.must(j["body_a"] != j["body_b"], "body_b", "another body than body_a")
    moves = bodies["kind"] == Kind.DYNAMIC
    live.must(moves[j["body_a"]] | moves[j["body_b"]], "body_b", "one that moves, or body_a must be")
    live.unit("frame_a", "frame_b", "rest_a", "rest_b")
    axes = np.array([len(kind.axes) for kind in kinds], np.int64)[j["kind"]]
    for name in ("used", "locked"):
        live.must((j[name] >= 0) & (j[name] < 1 << axes), name, "bits of the axes that it has")
    there = np.arange(AXES) < axes[:, None]
    live.within("motor_mode", Drive.OFF, max(Drive))
    live.must((j["motor_mode"] == Drive.OFF) | there, "motor_mode", "off where it has no axis")
    live.must(there | (np.isneginf(j["limit_lo"]) & np.isposinf(j["limit_hi"])), "limit_lo", "endless where it has no axis")
    live.must(j["limit_lo"] <= j["limit_hi"], "limit_lo", "at most limit_hi")
    locked = (j["locked"][:, None] >> np.arange(AXES)) & 1 == 1
    same = np.isfinite(j["limit_lo"]) & (j["limit_lo"] == j["limit_hi"])
    live.must(~locked | same, "limit_lo", "limit_hi where it is locked")
    for name in ("max_friction", "kinetic", "stribeck", "viscous", "load_mu", "load_radius", "break_force", "break_torque",
                 "limit_restitution", "ramp", "motor_force", "motor_speed", "motor_stiffness", "motor_damping"):
        live.must(j[name] >= 0.0, name, "at least 0")
    live.within("limit_restitution", 0.0, 1.0)
    live.within("ramp", 0.0, 1.0)
    live.within("case", 0, max(Case))
    live.within("collide", 0, 1)


def _check_contacts(what: str, contacts: np.ndarray, s: Snapshot) -> None:
    """CONTACT records of a state."""
    if contacts.dtype != CONTACT or contacts.ndim != 1:
        raise BadInput(f"the {what} are of another type")
    every, bodies = _Rows(what, contacts), s.tables[0].records
    every.finite()
    for side in "ab":
        every.within(f"shape_{side}", 0, len(s.tables[1].records) - 1)
        every.within(f"body_{side}", 0, len(bodies) - 1)
        every.must(bodies["kind"][contacts[f"body_{side}"]] != Kind.FREE, f"body_{side}", "a body that is there")
    every.must(contacts["body_a"] != contacts["body_b"], "body_b", "another body than body_a")
    every.unit("normal", "tangent")
    every.within("pair", 0, materials.MOST * (materials.MOST + 1) // 2 - 1)      # made anew in the next step: of older materials
    every.within("friction", 0.0, 1e6)
    every.within("restitution", 0.0, 1.0)
    every.within("anisotropy", 0.0, 1.0)
    every.within("case", 0, max(Case))
    every.within("sign_case", 0, 8)
    for name in ("late", "warm"):
        every.within(name, 0, 1)
    for name in ("pos", "shift", "arm_a", "arm_b", "gap"):
        every.within(name, -4.0 * DISTANCE_LIMIT, 4.0 * DISTANCE_LIMIT)


def _check_numbers(s: Snapshot, bodies: int) -> None:
    for name, value, lo, hi in (("time", s.time, 0.0, 1e12), ("steps", s.steps, 0, 2**53), ("margin", s.margin, 0.0, 1.0),
                                ("last_dt", s.last_dt, 1e-12, LONGEST), ("last_part", s.last_part, 1e-15, LONGEST),
                                ("acting", s.acting, 1e-15, LONGEST)):
        if not math.isfinite(value) or not lo <= value <= hi:
            raise BadInput(f"{name} = {said(value)} must be within {lo:g} .. {hi:g}")
    if s.gravity.shape != (3,) or s.gravity.dtype != np.float64 or not np.all(np.abs(s.gravity) <= STRONGEST):
        raise BadInput(f"gravity = {said(s.gravity.tolist())} must be three numbers of size up to {STRONGEST:g} m/s^2")
    if not all(0 <= body < bodies for body in s.unseen):
        raise BadInput(f"unseen bodies must be within 0 .. {bodies - 1}")
    control = s.step_control
    if not (1 <= control.pieces <= MOST_PIECES and 0 <= control.rest <= LONGEST_REST and 0 <= control.last_rest <= LONGEST_REST):
        raise BadInput(f"step_control = {said(control)} must have 1 .. {MOST_PIECES} pieces and rest up to {LONGEST_REST} steps")


def _check_watch(watch: Watch, shape_count: int, bodies: int) -> None:
    for name in ("sensed", "touched", "latest"):
        events = getattr(watch, name)
        if events.dtype != EVENT or events.ndim != 1:
            raise BadInput(f"what is {name} is of another type")
        rows = _Rows(f"{name} pair", events)
        rows.finite()
        rows.within("what", 0, max(Event))
        for side in "ab":
            rows.within(f"shape_{side}", 0, shape_count - 1)
            rows.within(f"body_{side}", -1, bodies - 1)


def _check_sleep(sleep: Sleep, s: Snapshot) -> None:
    bodies = s.tables[0].records
    asleep = np.flatnonzero(bodies["asleep"])
    lowest = set(bodies["asleep"][asleep].tolist())
    if sleep.count != len(asleep) or set(sleep.islands) != lowest or any(bodies["asleep"][k] != k for k in lowest):
        raise BadInput("who sleeps is not told alike by the bodies and by their islands")
    if sleep.rest.dtype != REST or sleep.rest.ndim != 1 or (len(asleep) and len(sleep.rest) <= asleep[-1]):
        raise BadInput("where the sleepers sleep is not known of all of them")
    _Rows("rest of body", sleep.rest).finite()
    for k, island in sleep.islands.items():
        if not isinstance(island, Island) or not isinstance(island.contacts, np.ndarray):
            raise BadInput(f"the island of body {k} is none")
        _check_contacts(f"contacts of the island of body {k}", island.contacts, s)
        _check_indices(f"the ground of the island of body {k}", island.ground, len(s.tables[1].records))
    _check_indices("the ground of sleepers", sleep.on_ground, len(s.tables[1].records))
    for shape, resting in sleep.on_ground.items():
        if not isinstance(resting, frozenset):
            raise BadInput(f"who sleeps on shape {shape} must be bodies")
        _check_indices(f"who sleeps on shape {shape}", resting, len(bodies))
        if not resting <= lowest:
            raise BadInput(f"who sleeps on shape {shape} does not sleep")
    index, kept = sleep.joints if len(sleep.joints) == 2 else (None, None)
    if not isinstance(index, np.ndarray) or not isinstance(kept, np.ndarray) or index.dtype != np.int64 or kept.dtype != JOINT \
            or index.shape != kept.shape or index.ndim != 1:
        raise BadInput("the joints of the sleepers are of another type")
    _check_indices("the joints of the sleepers", index.tolist(), len(s.tables[2].records))
    for side in ("body_a", "body_b"):
        _Rows("joint of a sleeper", kept).within(side, 0, len(bodies) - 1)
    if sleep.gravity.shape != (3,):
        raise BadInput("the gravity under which bodies fell asleep must be three numbers")


def _check_indices(what: str, indices: Any, count: int) -> None:
    for i in indices:
        if type(i) is not int or not 0 <= i < count:
            raise BadInput(f"{what}: {said(i)} must be within 0 .. {count - 1}")


def _check_solver(solver: Any) -> None:
    if type(solver) not in solvers.available().values():
        raise BadInput(f"there is no solver {said(type(solver).__name__)} here")
    fresh = type(solver)()
    if type(getattr(solver, "options", None)) is not type(getattr(fresh, "options", None)):
        raise BadInput(f"the options of the solver '{solver.name}' are of another kind")
    for name, value in vars(solver).items():
        example = getattr(fresh, name)
        if isinstance(example, np.ndarray) and value.shape != example.shape:
            raise BadInput(f"{name} of the solver '{solver.name}' has the shape {value.shape}, not {example.shape}")
        if isinstance(example, list) and (len(value) != len(example) or not all(
                isinstance(x, float) and 0.0 < x < math.inf for x in value)):
            raise BadInput(f"{name} of the solver '{solver.name}' must be {len(example)} positive numbers")
        if isinstance(example, float) and not 0.0 <= value < math.inf:
            raise BadInput(f"{name} of the solver '{solver.name}' = {value!r} must be at least 0 and finite")


def _check_told(s: Snapshot, bodies: int) -> None:
    """What the last step told, and what its auditor remembers."""
    audit, began = s.audit, s.beginning
    if audit.memory.shape[1:] != (3,) or not np.isfinite(audit.memory).all() or audit.found.shape != room().shape \
            or audit._limit.dtype != LIMITS or audit._limit.shape != (1,) or audit.findings:
        raise BadInput("what the auditor remembers is of another type, or not finite")
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in audit.told):
        raise BadInput("what the auditor has told must be rules with names")
    if began is not None:
        for name, columns in (("motion", MOTION), ("force", 3), ("torque", 3)):
            table = getattr(began, name)
            if table.dtype != np.float64 or table.ndim != 2 or table.shape[1] != columns or len(table) > bodies \
                    or len(table) != len(began.motion) or not np.isfinite(table).all():
                raise BadInput(f"{name} of the beginning of the last step is of another type, or not finite")
        if not 0.0 < began.dt <= LONGEST:
            raise BadInput(f"dt = {began.dt!r} of the last step must be more than 0 and at most {LONGEST:g} s")
    if s.report is None:
        return
    if s.report.touching is not None:
        _check_contacts("contacts of the last report", s.report.touching, s)
    for finding in s.report.audit.findings if s.report.audit is not None else ():
        if not (0 <= finding.body < bodies and -1 <= finding.other < bodies and -1 <= finding.joint < len(s.tables[2].records)
                and finding.contact >= -1):
            raise BadInput("a finding of the auditor names a body or a joint that is not there")
