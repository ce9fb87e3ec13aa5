"""Validation of the rows of a world's tables: indices within their tables, finite numbers in range.

Used by `validate.py`. An error is one sentence: table, row, field, requirement.
"""

import functools

import numpy as np

from physics import joints, shapes
from physics.collide import narrow
from physics.core.check import BadInput, shown_value
from physics.core.records import CONTACT, KEPT, MAX_AXES, MAX_FRICTION_CORNERS, Case, Drive, Kind, SleepReason, WakeReason
from physics.dynamics.measure import DISTANCE_LIMIT, SPEED_LIMIT
from physics.shapes._geometry import GeometryPool
from physics.world import materials, validate_geometry

UNIT_TOLERANCE = 1e-6
"""Tolerance of the squared length of unit vectors."""

MAX_STEP_LENGTH = 1e3
"""Longest step or part of one [s]."""

FARTHEST_CAUSE = 2**31 - 1
"""The body or joint that woke another may have been removed."""


class RowChecks:
    """Checks of the rows of a table; the error names the first wrong one."""

    def __init__(self, what: str, table: np.ndarray, rows: np.ndarray | None = None) -> None:
        """rows: indices of those in use; None: all."""
        self.what, self.index = what, np.arange(len(table)) if rows is None else rows
        self.table = table if rows is None else table[rows]

    def must(self, good: np.ndarray, field: str, allowed: str) -> None:
        """Raise BadInput unless `good` is true of each row, in any further dimensions."""
        rows = good.all(axis=tuple(range(1, good.ndim)))
        if not rows.all():
            k = int(np.flatnonzero(~rows)[0])
            raise BadInput(f"{self.what} {self.index[k]}: {field} = {shown_value(self.table[field][k].tolist())} "
                           f"must be {allowed}")

    def finite(self, but: tuple[str, ...] = ()) -> None:
        """All numbers, but for those of these fields, which may be infinite but not NaN."""
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
            self.must(np.abs(length - 1.0) <= UNIT_TOLERANCE, name, "of length 1")


def check_bodies(bodies: np.ndarray) -> None:
    """BODY records."""
    every = RowChecks("body", bodies)
    every.finite()
    every.within("kind", Kind.FREE, Kind.DYNAMIC)
    if len(bodies) == 0 or bodies["kind"][0] != Kind.STATIC:
        raise BadInput("body 0 must be the static body 'world'")
    every.within("asleep", 0, len(bodies) - 1)
    every.within("sleep_reason", 0, max(SleepReason))
    every.within("wake_reason", 0, max(WakeReason))
    every.within("wake_cause", -1, FARTHEST_CAUSE)
    every.within("rest_time", 0.0, 1e9)
    every.within("velocity_lag", -MAX_STEP_LENGTH, MAX_STEP_LENGTH)
    live = RowChecks("body", bodies, np.flatnonzero(bodies["kind"] != Kind.FREE))
    live.unit("quat")
    live.within("pos", -DISTANCE_LIMIT, DISTANCE_LIMIT)
    for name in ("vel", "omega", "before", "older"):
        live.within(name, -SPEED_LIMIT, SPEED_LIMIT)
    still = RowChecks("body", bodies, np.flatnonzero(bodies["kind"] != Kind.DYNAMIC))
    for name in ("mass", "inv_mass", "inertia", "inv_inertia", "asleep"):
        still.must(still.table[name] == 0, name, "0, since it is not dynamic")
    _check_masses(RowChecks("body", bodies, np.flatnonzero(bodies["kind"] == Kind.DYNAMIC)))


def _check_masses(moving: RowChecks) -> None:
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


def check_shapes(table: np.ndarray, bodies: np.ndarray, pool: GeometryPool, made_of: int) -> None:
    """SHAPE records over a table of BODY records, a validated pool, and so many materials."""
    every = RowChecks("shape", table)
    every.within("body", -1, len(bodies) - 1)
    every.finite(but=("lo", "hi"))
    live = RowChecks("shape", table, np.flatnonzero(table["body"] >= 0))
    s, kinds = live.table, shapes.kinds()
    names = tuple(kinds)
    live.must(bodies["kind"][s["body"]] != Kind.FREE, "body", "an existing body")
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
    live.must(geometric == (s["geometry"] >= 0), "geometry", "-1 exactly where the kind of shape has none")
    massless = np.isin(s["kind"], [names.index(name) for name in shapes.massless()])
    live.must(~massless | (bodies["kind"][s["body"]] != Kind.DYNAMIC), "kind", "a shape with mass, on a dynamic body")
    _check_sizes(live, names)
    for kind, geometry in np.unique(np.column_stack([s["kind"], s["geometry"]])[geometric], axis=0).tolist():
        validate_geometry.check(f"geometry {geometry}", names[kind], pool.data(geometry))
    met = [names[k] for k in np.unique(s["kind"])]
    for i, first in enumerate(met):
        for second in met[i:]:
            if not narrow.supported(first, second):
                raise BadInput(f"a {first} cannot collide with a {second}")


def _check_sizes(live: RowChecks, names: tuple[str, ...]) -> None:
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


def check_joints(table: np.ndarray, bodies: np.ndarray) -> None:
    """JOINT records over a table of BODY records."""
    live = RowChecks("joint", table, np.flatnonzero(table["kind"] >= 0))
    j, kinds = live.table, tuple(joints.kinds().values())
    live.within("kind", 0, len(kinds) - 1)
    live.finite(but=("limit_lo", "limit_hi", "break_force", "break_torque"))
    for side in ("body_a", "body_b"):
        live.within(side, 0, len(bodies) - 1)
        live.must(bodies["kind"][j[side]] != Kind.FREE, side, "an existing body")
    live.must(j["body_a"] != j["body_b"], "body_b", "different from body_a")
    moves = bodies["kind"] == Kind.DYNAMIC
    live.must(moves[j["body_a"]] | moves[j["body_b"]], "body_b", "movable, unless body_a is")
    live.unit("frame_a", "frame_b", "rest_a", "rest_b")
    axes = np.array([len(kind.axes) for kind in kinds], np.int64)[j["kind"]]
    for name in ("used", "locked"):
        live.must((j[name] >= 0) & (j[name] < 1 << axes), name, "bits of existing axes")
    there = np.arange(MAX_AXES) < axes[:, None]
    live.within("motor_mode", Drive.OFF, max(Drive))
    live.must((j["motor_mode"] == Drive.OFF) | there, "motor_mode", "off where the joint has no axis")
    live.must(there | (np.isneginf(j["limit_lo"]) & np.isposinf(j["limit_hi"])), "limit_lo", "unlimited where the joint has no "
                                                                                             "axis")
    live.must(j["limit_lo"] <= j["limit_hi"], "limit_lo", "at most limit_hi")
    locked = (j["locked"][:, None] >> np.arange(MAX_AXES)) & 1 == 1
    same = np.isfinite(j["limit_lo"]) & (j["limit_lo"] == j["limit_hi"])
    live.must(~locked | same, "limit_lo", "limit_hi where it is locked")
    for name in ("max_friction", "kinetic", "stribeck", "viscous", "load_mu", "load_radius", "break_force", "break_torque",
                 "limit_restitution", "ramp", "motor_force", "motor_speed", "motor_stiffness", "motor_damping"):
        live.must(j[name] >= 0.0, name, "at least 0")
    live.within("limit_restitution", 0.0, 1.0)
    live.within("ramp", 0.0, 1.0)
    live.within("case", 0, max(Case))
    live.within("collide", 0, 1)
    live.within("corner_count", 0, MAX_FRICTION_CORNERS)
    alone = np.array([len(kind.friction) > 1 and len(kind.friction[0].rows) == 1 for kind in kinds])[j["kind"]]
    live.must((j["corner_count"] == 0) | ((j["max_friction"][:, 0] > 0.0) & (~alone | (j["max_friction"][:, 1] > 0.0))),
              "max_friction", "above 0 where the friction is a polygon")


def check_kept(kept: np.ndarray, shape_count: int) -> None:
    """KEPT records of so many shapes."""
    if kept.dtype != KEPT or kept.ndim != 1:
        raise BadInput("the kept manifolds have the wrong type")
    every = RowChecks("kept manifolds", kept)
    every.finite(but=("beyond",))
    for side in "ab":
        every.within(f"shape_{side}", 0, shape_count - 1)
    every.within("owner", 0, 1)
    every.within("count", 1, narrow.MAX_POINTS)
    every.unit("normal")
    every.within("surface", -2.0 * DISTANCE_LIMIT, 2.0 * DISTANCE_LIMIT)


def check_contacts(what: str, contacts: np.ndarray, bodies: np.ndarray, shape_count: int) -> None:
    """CONTACT records over a table of BODY records and so many shapes."""
    if contacts.dtype != CONTACT or contacts.ndim != 1:
        raise BadInput(f"the {what} have the wrong type")
    every = RowChecks(what, contacts)
    every.finite()
    for side in "ab":
        every.within(f"shape_{side}", 0, shape_count - 1)
        every.within(f"body_{side}", 0, len(bodies) - 1)
        every.must(bodies["kind"][contacts[f"body_{side}"]] != Kind.FREE, f"body_{side}", "an existing body")
    every.must(contacts["body_a"] != contacts["body_b"], "body_b", "different from body_a")
    every.unit("normal", "tangent")
    every.within("pair", 0, materials.MAX_MATERIALS * (materials.MAX_MATERIALS + 1) // 2
                 - 1)      # recomputed in the next step, from older materials
    every.within("friction", 0.0, 1e6)
    every.within("restitution", 0.0, 1.0)
    every.within("anisotropy", 0.0, 1.0)
    every.within("case", 0, max(Case))
    every.within("sign_case", 0, 8)
    for name in ("no_rebound", "warm_startable"):
        every.within(name, 0, 1)
    for name in ("pos", "shift", "arm_a", "arm_b", "gap"):
        every.within(name, -4.0 * DISTANCE_LIMIT, 4.0 * DISTANCE_LIMIT)
