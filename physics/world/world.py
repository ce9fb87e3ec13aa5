"""The world: tables of bodies, shapes, joints and contacts, and everything that adds to, changes or copies them."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from physics import shapes as shape_package
from physics import solvers
from physics.articulated.joint_space import JointSpace
from physics.audit.auditor import Auditor
from physics.basics import former_names
from physics.basics.check import BadInput, check_choice, number, shown_value, text, unit_quaternion, vector
from physics.basics.frames import inverse
from physics.basics.quaternions import rotate
from physics.basics.warnings import Warnings
from physics.collide import broad
from physics.collide.broad import BroadPhase
from physics.collide.edge_filter import EdgeFilter
from physics.collide.narrow import NarrowPhase
from physics.constraints.layout import WorldLayout
from physics.contact.material import Material
from physics.core.records import BODY, SHAPE, Kind, WakeReason
from physics.dynamics import integrate
from physics.observe.report import EnergyTotals, Report, StepStart
from physics.shapes import _geometry
from physics.shapes.compound import Compound, Part, parts_of
from physics.stepping.rejection import DEFAULT_CONTROL
from physics.world import sanity_checks
from physics.world import snapshot as snapshots
from physics.world.bodies import KINDS, BodyEditing, check_shape, check_static_has_no_velocity, mass_properties, write_shape
from physics.world.events import CollisionFilters
from physics.world.handles import Body
from physics.world.joints import JointTable
from physics.world.materials import MaterialTable
from physics.world.sleep import Sleeping
from physics.world.snapshot import Snapshot
from physics.world.table import Table, check_name_unused, find, resolve_slot, set_name

MAX_POSITION = 1e5
"""Largest distance of a body from the origin [m]: beyond it a nanometre is lost in rounding."""


MAX_GRAVITY = 1e4
"""Largest component of gravity [m/s^2]."""


@former_names.accepts_former
class World(JointTable, BodyEditing, CollisionFilters, MaterialTable, Sleeping):
    """Bodies, shapes, joints and the solver that moves them. Body 0 is the static body "world".

    Args:
        gravity: [m/s^2], world frame.
        margin: contacts are created this far ahead of touching [m]: the boundary layer of T08.
    """

    def __init__(self, gravity: Sequence[float] = (0.0, 0.0, -9.81), margin: float = 0.02) -> None:
        self._shape_kinds = shape_package.kinds()
        super().__init__()
        self.shape_kinds = tuple(self._shape_kinds)
        self._bodies, self._shapes = Table(BODY), Table(SHAPE)
        self.pool = _geometry.EMPTY
        self.body_names: list[str] = []
        self.gravity, self.margin = gravity, margin
        self.time, self.steps, self.revision, self.last_dt = 0.0, 0, 0, 1.0 / 240.0
        self.last_part_dt = self.last_dt       # length of the last part of a step (parts.py) [s]
        self.impulse_duration = self.last_dt          # time for which the forces of the last impulses acted [s] (integrate.py, 3)
        self.sweeps_stalled = False     # whether sweeps of the last part gained nothing (solvers/impulses/iterate.py)
        self.held_substep, self.calm_substeps = 0.0, 0      # of mechanisms (dynamics/stiffness.py): [s], number
        self.current_dt = self.last_dt     # length of the whole step while a solver makes a part of it [s]
        self.drivers: list[Callable[[World], None]] = []
        self.contact_callbacks: list[Callable[[World, np.ndarray], np.ndarray | None]] = []     # see contact_callbacks.py
        self.body_data: dict[int, dict[str, Any]] = {}      # of Body.data, by index; a program's own, no step reads it
        self.inputs: Mapping[str, float] = {}    # control inputs that drivers read, by name; replaced when one is set
        self.driver_dt = self.last_dt       # while drivers are called: longest time that what they set will act [s]
        self._lists: WorldLayout | None = None
        self._kinds_met: set[str] = set()
        self.unchecked_bodies: set[int] = set()
        self.checked_revision = -1
        self.broad_phase, self.narrow_phase, self.edge_filter = BroadPhase(), NarrowPhase(), EdgeFilter()
        self.pairs = np.empty((0, 2), np.int32)     # of shapes that may touch in the step, found at its start
        self.report: Report | None = None
        self.step_start: StepStart | None = None     # of the last step
        self.energy_totals = EnergyTotals()
        self.audit = Auditor()
        self.step_control = DEFAULT_CONTROL
        self.compiled_step: Any = None      # physics/compiled_step.py; nothing that a step reads
        self.records_energy = False       # whether solvers for which it is optional keep the energy ledger
        self.warnings = Warnings()
        self.solver = solvers.available()["sequential_impulses"]()
        self.add_body(kind="static", name="world")

    def __repr__(self) -> str:
        bodies, joints = int((self.bodies["kind"] != Kind.FREE).sum()), int((self.joints["kind"] >= 0).sum())
        return (f"<world at t = {self.time:.6g} s: {_counted(bodies, 'body', 'bodies')}, {_counted(joints, 'joint', 'joints')}, "
                f"{_counted(len(self.awake_contacts), 'contact', 'contacts')}, {self.solver!r}>")

    # ---- the tables

    # read many times in a step: getters without a frame of their own

    bodies = property(attrgetter("_bodies.records"), doc="BODY records (bodies,), a view; valid until the next addition.")
    shapes = property(attrgetter("_shapes.records"), doc="SHAPE records (shapes,), a view; valid until the next addition.")
    gravity = property(attrgetter("_gravity"), doc="Gravity (3,) [m/s^2], world frame.")
    margin = property(attrgetter("_margin"), doc="Distance ahead of touching at which contacts are created [m], 0 .. 1.")

    @gravity.setter
    def gravity(self, gravity: Sequence[float]) -> None:
        self._gravity = vector("gravity", gravity, limit=MAX_GRAVITY)

    @margin.setter
    def margin(self, margin: float) -> None:
        self._margin = number("margin", margin, lo=0.0, hi=1.0, unit="m")

    def body(self, name: str) -> Body:
        """The body of that name, which is also its index.

        Raises:
            BadInput: no body has it; names like it are listed.
        """
        return Body(find("body", name, self.body_names), self)

    # ---- adding and removing

    def add_body(self, shape: shape_package.Shape | None = None, *, kind: str = "dynamic",
                 pos: Sequence[float] = (0.0, 0.0, 0.0), quat: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
                 vel: Sequence[float] = (0.0, 0.0, 0.0), omega: Sequence[float] = (0.0, 0.0, 0.0),
                 mass: float | None = None, density: float = 1000.0, inertia: Any = None,
                 friction: float | None = None, restitution: float | None = None, material: Material | str | None = None,
                 category: int = 1, mask: int = broad.ALL_CATEGORIES, group: int = 0, sensor: bool = False,
                 name: str = "") -> Body:
        """Add a body and return it: a handle that is also its index.

        Args:
            shape: its shape, centred on it, or a Compound; None: a point mass without contacts.
            kind: "dynamic", "static" or "kinematic".
            pos, quat: centre of mass [m] (Compound: origin of its own frame) and orientation (w, x, y, z), world frame.
            vel, omega: [m/s], [rad/s], world frame.
            mass: [kg]; None: density times volume.
            density: [kg/m^3], where mass is None.
            inertia: principal moments (3,) or tensor (3, 3) about the centre of mass, body frame [kg m^2]; None: the shape's.
            friction, restitution: of its surface; None: those of its material.
            material: of its surface, given or by the name of one in use; None: friction 0.5, no restitution.
            category, mask, group: collision filter, see `set_filter`; by default it touches everything.
            sensor: its shapes have no contact forces; `events` reports overlaps.
            name: unique; "" gives "body 7".

        Raises:
            BadInput: a value out of range, or a shape that cannot meet one already here. Nothing is added.
        """
        dynamic = check_choice("body kind", kind, KINDS) == "dynamic"
        what = f"body '{name}'" if text("the body: its name", name) else "the body"
        placed = (vector(f"{what}: pos", pos, limit=MAX_POSITION), unit_quaternion(f"{what}: quat", quat),
                  sanity_checks.cap_speed(what, vector(f"{what}: vel", vel), self.warnings), vector(f"{what}: omega", omega))
        if kind == "static":
            check_static_has_no_velocity(what, *placed[2:])
        materials, made_of, mu, e = self._surface(what, material, friction, restitution)
        touch = broad.fields(what, category, mask, group, sensor)
        parts = parts_of(shape)
        for part in parts:
            check_shape(what, part.shape, dynamic, self.shape_kinds, self._shape_kinds_present(), self.warnings.add)
        centre = shape.centre() if dynamic and isinstance(shape, Compound) else np.zeros(3)
        m, tensor = 0.0, np.zeros((3, 3))
        if dynamic:
            m, tensor = mass_properties(what, shape, mass, density, inertia, self.warnings)
        check_name_unused(what, name, self.body_names)

        self.materials, i = materials, self._bodies.add(lambda bodies: bodies["kind"] == Kind.FREE)
        b = self.bodies[i]
        b["pos"], b["quat"], b["vel"], b["omega"] = placed
        b["pos"] += rotate(b["quat"], centre)
        b["kind"], b["velocity_lag"] = KINDS[kind], 0.0
        if dynamic:
            b["mass"], b["inv_mass"] = m, 1.0 / m
            b["inertia"], b["inv_inertia"] = tensor, inverse(tensor)
        set_name(self.body_names, i, name or f"body {i}")
        for part in parts:
            s = self._add_shape(part, i, centre)
            s["friction"], s["restitution"], s["material"] = mu, e, made_of
            for field, value in touch.items():
                s[field] = value
        self.unchecked_bodies.add(i)
        self._changed()
        return Body(i, self)

    def remove_body(self, i: int, with_joints: bool = False) -> None:
        """Remove a body and its shapes.

        Raises:
            BadInput: no such body, the body "world", or joints hold it and `with_joints` is false.
        """
        i = self._check_body(i)
        if i == 0:
            raise BadInput("body 0, 'world', cannot be removed")
        held = np.flatnonzero((self.joints["kind"] >= 0)
                              & ((self.joints["body_a"] == i) | (self.joints["body_b"] == i)))
        if len(held) and not with_joints:
            raise BadInput(f"body '{self.body_names[i]}' is attached to {', '.join(repr(self.joint_names[j]) for j in held)}: "
                           "remove the joints first")
        for j in held:
            self.remove_joint(int(j))
        self._wake(i, WakeReason.SUPPORT)
        self.bodies[i] = np.zeros((), BODY)
        self.shapes["body"][self.shapes["body"] == i] = -1
        self.body_data.pop(i, None)
        self.body_names[i] = ""
        self.unchecked_bodies.discard(i)
        self._bodies.has_free_slots = self._shapes.has_free_slots = True
        self._kinds_met = set()
        contacts = self.awake_contacts
        self.awake_contacts = contacts[(contacts["body_a"] != i) & (contacts["body_b"] != i)]
        self._changed()

    # ---- changing

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """Set gravity (3,) [m/s^2], world frame.

        Raises:
            BadInput: not three finite numbers, or one beyond 1e4 m/s^2.
        """
        self.gravity = gravity

    def set_mass(self, i: int, mass: float) -> None:
        """Set the mass of a dynamic body [kg]; its inertia changes in proportion.

        Raises:
            BadInput: no such body, one that is not dynamic, or a mass out of range.
        """
        i = self._check_dynamic(i)
        mass = number("mass", mass, lo=0.0, hi=1e12, unit="kg", open_lo=True)
        b = self.bodies[i]
        b["inertia"] = b["inertia"] * (mass / b["mass"])
        b["inv_inertia"] = inverse(b["inertia"])
        b["mass"], b["inv_mass"] = mass, 1.0 / mass
        self._wake(i, WakeReason.MASS)

    def set_pose(self, i: int, pos: Sequence[float], quat: Sequence[float]) -> None:
        """Put a body at pos (3,) [m] with orientation quat (w, x, y, z), world frame; its velocity stays.

        Raises:
            BadInput: no such body, or numbers out of range.
        """
        i = self._check_body(i)
        pos, quat = vector("pos", pos, limit=MAX_POSITION), unit_quaternion("quat", quat)
        self.bodies[i]["pos"], self.bodies[i]["quat"] = pos, quat

    def set_velocity(self, i: int, vel: Sequence[float], omega: Sequence[float]) -> None:
        """Set velocity vel (3,) [m/s] of the centre of mass and angular velocity omega (3,) [rad/s], world frame.

        Raises:
            BadInput: no such body, a static one that would move, or numbers that are not finite.
        """
        i = self._check_body(i)
        what = f"body '{self.body_names[i]}'"
        vel, omega = vector(f"{what}: vel", vel), vector(f"{what}: omega", omega)
        if self.bodies["kind"][i] == Kind.STATIC:
            check_static_has_no_velocity(what, vel, omega)
        vel = sanity_checks.cap_speed(what, vel, self.warnings)
        self.bodies[i]["vel"], self.bodies[i]["omega"], self.bodies[i]["velocity_lag"] = vel, omega, 0.0
        self.unchecked_bodies.add(i)

    def apply_force(self, i: int, force: Sequence[float], point: Sequence[float] | None = None) -> None:
        """Add a force (3,) [N] at a point (3,) [m] (None: the centre of mass), world frame, for the next step only.

        Raises:
            BadInput: no such body, one that is not dynamic, or numbers that are not finite.
        """
        i = self._check_dynamic(i)
        force = vector("force", force)
        if point is not None:
            self.bodies[i]["torque"] += np.cross(vector("point", point) - self.bodies[i]["pos"], force)
        self.bodies[i]["force"] += force

    def apply_torque(self, i: int, torque: Sequence[float]) -> None:
        """Add a torque (3,) [N m], world frame, for the next step only; raises as `apply_force`."""
        i = self._check_dynamic(i)
        self.bodies[i]["torque"] += vector("torque", torque)

    @property
    def velocity_lag(self) -> float:
        """Largest time by which a moving body's velocity lags behind its pose [s] (integrate.py)."""
        return integrate.max_velocity_lag.unchecked(self.bodies)

    def use_solver(self, name: str, **options: Any) -> None:
        """Switch to another solver, by file name; it starts with its default options, and these.

        Raises:
            BadInput: no such solver or option, or one that does not support this world (the message gives the reason).
                Nothing is changed.
        """
        known = solvers.available()
        if not isinstance(name, str) or name not in known:
            raise BadInput(f"unknown solver {shown_value(name)}; available: {', '.join(known)}")
        solver = known[name]()
        solver.set(**options)
        solver.require_support(self)
        self.solver = solver

    def set_input(self, name: str, value: float) -> None:
        """Set a control input, which drivers read from `inputs`; an unknown name adds it.

        Raises:
            BadInput: the name is empty or no text, or the value is not finite.
        """
        if not text("the control input: its name", name):
            raise BadInput("the control input needs a name")
        value = number(f"control input '{name}'", value)
        self.inputs = {**self.inputs, name: value}

    # ---- time

    def snapshot(self) -> Snapshot:
        """Everything that a step reads, by value: motion, last impulses, materials, options of the solver."""
        return snapshots.take_snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Make this world what the snapshot holds; the next steps are bit for bit those that followed it.

        Raises:
            BadInput: it is no Snapshot.
        """
        if not isinstance(snapshot, Snapshot):
            raise BadInput(f"{shown_value(snapshot)} is not a Snapshot: pass the result of World.snapshot()")
        snapshots.restore_snapshot(self, snapshot)
        self._kinds_met = set()
        self._changed()

    def joint_space(self) -> JointSpace:
        """The present state in joint coordinates: H, C, g, Jacobians, forward and inverse dynamics, for use from Python."""
        return JointSpace(self)

    # ---- inside

    def _add_shape(self, part: Part, body: int, centre: np.ndarray) -> np.void:
        """A new SHAPE record for a part of a body whose centre of mass is `centre` in the parts' frame."""
        slot = self._shapes.add(lambda shapes: shapes["body"] < 0)
        s = self.shapes[slot]
        self.pool = write_shape(s, part.shape, self.shape_kinds.index(part.shape.kind), self.pool)
        s["body"], s["local_pos"], s["local_quat"] = body, part.pos - centre, part.quat
        self._kinds_met.add(part.shape.kind)
        return s

    def _shape_kinds_present(self) -> set[str]:
        """The kinds of shapes present."""
        if not self._kinds_met:
            self._kinds_met = {self.shape_kinds[k] for k in np.unique(self.shapes["kind"][self.shapes["body"] >= 0])}
        return self._kinds_met

    def _changed(self) -> None:
        """After an addition or removal: invalidate the layout."""
        self.revision += 1
        self._lists = None

    def invalidate_layout(self) -> None:
        """Rebuild the layout at its next use, since the sleepers changed."""
        self._lists = None

    @property
    def layout(self) -> WorldLayout:
        """Lists derived from the structure of the tables, rebuilt after changes."""
        if self._lists is None:
            self._lists = WorldLayout.of(self.shapes, self.shape_kinds, self.joints, tuple(self._joint_kinds.values()),
                                         self.bodies)
        return self._lists

    def _shapes_of(self, body: int | None) -> np.ndarray:
        """Indices of the shapes of one body, or of all."""
        if body is None:
            return np.flatnonzero(self.shapes["body"] >= 0)
        return np.flatnonzero(self.shapes["body"] == self._check_body(body))

    def _check_body(self, i: int | str) -> int:
        """Index of an existing body, from its index or name."""
        i = resolve_slot("body", i, self.body_names)
        if not 0 <= i < len(self.bodies) or self.bodies["kind"][i] == Kind.FREE:
            raise BadInput(f"there is no body {i}")
        return i

    def _check_dynamic(self, i: int | str) -> int:
        """The same for a dynamic body."""
        i = self._check_body(i)
        if self.bodies["kind"][i] != Kind.DYNAMIC:
            raise BadInput(f"body '{self.body_names[i]}' is not dynamic: it has no mass and does not respond to forces")
        return i


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
