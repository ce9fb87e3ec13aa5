"""The world: tables of bodies, shapes, joints and contacts, and everything that adds to, changes or copies them.

Methods by topic are functions of the files beside this one, whose first argument is the world.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np

from physics import joints as joint_package
from physics import shapes as shape_package
from physics import solvers
from physics.articulated.joint_space import JointSpace
from physics.articulated.mechanism import TreeCache
from physics.collide.broad import BroadPhase
from physics.collide.convex.keep import NONE
from physics.collide.edge_filter import EdgeFilter
from physics.collide.narrow import NarrowPhase
from physics.constraints.layout import WorldLayout
from physics.core import former_names
from physics.core.check import BadInput, number, plain_name, shown_value, vector
from physics.core.records import BODY, CONTACT, JOINT, SHAPE, Kind, joined
from physics.core.warnings import Warnings
from physics.dynamics import integrate
from physics.dynamics.stiffness import NEW_PACE
from physics.observe.audit.auditor import Auditor
from physics.observe.report import EnergyTotals, Report, StepStart
from physics.shapes import _geometry
from physics.stepping.rejection import DEFAULT_CONTROL
from physics.world import bodies as body_functions
from physics.world import events as event_functions
from physics.world import joints as joint_functions
from physics.world import materials as material_functions
from physics.world import sleep as sleep_functions
from physics.world import snapshot as snapshots
from physics.world.events import ContactTracker
from physics.world.joints import Broken
from physics.world.materials import Materials
from physics.world.sleep import SleepOptions, SleepState
from physics.world.snapshot import Snapshot
from physics.world.table import Table, structure_changed

MAX_GRAVITY = 1e4
"""Largest component of gravity [m/s^2]."""


@former_names.accepts_former
class World:
    """Bodies, shapes, joints and the solver that moves them. Body 0 is the static body "world".

    Args:
        gravity: [m/s^2], world frame.
        margin: contacts are created this far ahead of touching [m]: the boundary layer of T08. Near thin or small shapes less
            (collide/bounds.py).
    """

    def __init__(self, gravity: Sequence[float] = (0.0, 0.0, -9.81), margin: float = 0.02) -> None:
        # what there is
        self.shape_kinds, self.joint_kinds = tuple(shape_package.kinds()), tuple(joint_package.kinds())
        self.body_table, self.shape_table, self.joint_table = Table(BODY), Table(SHAPE), Table(JOINT)
        self.pool = _geometry.EMPTY
        self.body_names: list[str] = []
        self.joint_names: list[str] = []
        self.body_data: dict[int, dict[str, Any]] = {}      # of Body.data, by index; a program's own, no step reads it
        self.joint_data: dict[int, dict[str, Any]] = {}     # of Joint.data, by index
        self.materials = Materials()
        self.gravity, self.margin = gravity, margin
        self.solver = solvers.default()()
        self.step_control = DEFAULT_CONTROL

        # what programs add
        self.drivers: list[Callable[[World], None]] = []
        self.contact_callbacks: list[Callable[[World, np.ndarray], np.ndarray | None]] = []     # see contact_callbacks.py
        self.inputs: Mapping[str, float] = {}    # control inputs that drivers read, by name; replaced when one is set

        # where it is in time, and what the next step begins with
        self.time, self.steps, self.last_dt = 0.0, 0, 1.0 / 240.0
        self.last_part_dt = self.last_dt       # length of the last part of a step (parts.py) [s]
        self.impulse_duration = self.last_dt          # time for which the forces of the last impulses acted [s] (integrate.py, 3)
        self.current_dt = self.last_dt     # length of the whole step while a solver makes a part of it [s]
        self.driver_dt = self.last_dt       # while drivers are called: longest time that what they set will act [s]
        self.sweeps_stalled = False     # whether sweeps of the last part gained nothing (solvers/impulses/iterate.py)
        self.pace = NEW_PACE        # of mechanisms (dynamics/stiffness.py)
        self.velocities_set: dict[int, int] = {}    # body -> number of steps when its velocity was set last
        self.awake_contacts = np.zeros(0, CONTACT)
        self.kept_manifolds = NONE      # of the last search for contacts (collide/convex/keep.py); replaced, never changed
        self.sleep = SleepState()
        self.watch = ContactTracker()

        # what follows from the tables
        self.revision = 0       # grows when something is added or removed
        self.current_layout: WorldLayout | None = None      # None: made anew at the next use of `layout`
        self.shape_kinds_in_use: set[str] = set()       # empty: found anew at the next addition
        self.unchecked_bodies: set[int] = set()
        self.checked_revision = -1
        self.broad_phase, self.narrow_phase, self.edge_filter = BroadPhase(), NarrowPhase(), EdgeFilter()
        self.pairs = np.empty((0, 2), np.int32)     # of shapes that may touch in the step, found at its start
        self.strikes: frozenset[tuple[int, int, int]] = frozenset()     # `keys_of` contacts whose impact ends the part of a step
        self.joint_trees = TreeCache(cut_free=False)        # of `joint_space` and the coordinates of joints
        self.compiled_step: Any = None      # physics/compiled_step.py; nothing that a step reads

        # what steps report
        self.report: Report | None = None
        self.step_start: StepStart | None = None     # of the last step
        self.broken: list[Broken] = []
        self.energy_totals = EnergyTotals()
        self.records_energy = False       # whether solvers for which it is optional keep the energy ledger
        self.audit = Auditor()
        self.warnings = Warnings()
        self.add_body(kind="static", name="world")

    def __repr__(self) -> str:
        bodies, joints = int((self.bodies["kind"] != Kind.FREE).sum()), int((self.joints["kind"] >= 0).sum())
        return (f"<world at t = {self.time:.6g} s: {_counted(bodies, 'body', 'bodies')}, {_counted(joints, 'joint', 'joints')}, "
                f"{_counted(len(self.awake_contacts), 'contact', 'contacts')}, {self.solver!r}>")

    def __getstate__(self) -> dict[str, Any]:
        """For `copy.deepcopy` and `pickle`: all but compiled code.

        Raises:
            BadInput: it has drivers or contact callbacks, which would go on acting on the original.
        """
        if self.drivers or self.contact_callbacks:
            raise BadInput("a world with drivers or contact callbacks cannot be copied or pickled: they would go on acting on "
                           "the original; take its snapshot() and restore that, or build the world again")
        return self.__dict__ | {"compiled_step": None}

    # ---- the tables

    # read many times in a step: getters without a frame of their own

    bodies = property(attrgetter("body_table.records"), doc="BODY records (bodies,), a view; valid until the next addition.")
    shapes = property(attrgetter("shape_table.records"), doc="SHAPE records (shapes,), a view; valid until the next addition.")
    joints = property(attrgetter("joint_table.records"), doc="JOINT records (joints,), a view; valid until the next addition.")

    @property
    def contacts(self) -> np.ndarray:
        """CONTACT records (contacts,): of the last step, then of sleepers as they fell asleep; a copy if any sleep."""
        if not self.sleep.count:
            return self.awake_contacts
        return joined(self.awake_contacts, *self.sleep.contacts())

    @property
    def events(self) -> np.ndarray:
        """EVENT records (events,) of the last step: what began or ended, which bodies and shapes, when [s]."""
        return self.watch.latest

    # ---- bodies

    body = body_functions.body
    add_body = body_functions.add_body
    remove_body = body_functions.remove_body
    set_mass = body_functions.set_mass
    set_pose = body_functions.set_pose
    set_velocity = body_functions.set_velocity
    rename_body = body_functions.rename_body
    shape_of = body_functions.shape_of
    set_shape = body_functions.set_shape
    set_kind = body_functions.set_kind
    copy_body = body_functions.copy_body
    put_body = body_functions.put_body
    apply_force = body_functions.apply_force
    apply_torque = body_functions.apply_torque

    @property
    def velocity_lag(self) -> float:
        """Largest time by which a moving body's velocity lags behind its pose [s] (integrate.py)."""
        return integrate.max_velocity_lag.unchecked(self.bodies)

    # ---- joints

    joint = joint_functions.joint
    joint_kind = joint_functions.joint_kind
    add_joint = joint_functions.add_joint
    remove_joint = joint_functions.remove_joint
    rename_joint = joint_functions.rename_joint
    copy_joint = joint_functions.copy_joint
    put_joint = joint_functions.put_joint
    set_joint_friction = joint_functions.set_joint_friction
    set_joint_friction_polygon = joint_functions.set_joint_friction_polygon
    set_joint_limits = joint_functions.set_joint_limits
    set_joint_motor = joint_functions.set_joint_motor
    set_joint_strength = joint_functions.set_joint_strength
    set_joint_param = joint_functions.set_joint_param
    apply_joint_torque = joint_functions.apply_joint_torque
    joint_coordinates = joint_functions.joint_coordinates
    set_joint_coordinates = joint_functions.set_joint_coordinates

    def joint_space(self) -> JointSpace:
        """The present state in joint coordinates: H, C, g, Jacobians, forward and inverse dynamics, for use from Python."""
        return JointSpace(self, tree=self.joint_trees.of(self))

    # ---- surfaces, and what touches what

    set_friction = material_functions.set_friction
    set_restitution = material_functions.set_restitution
    set_material = material_functions.set_material
    change_material = material_functions.change_material
    set_pair = material_functions.set_pair
    mix_materials = material_functions.mix_materials
    set_filter = event_functions.set_filter
    set_sensor = event_functions.set_sensor

    # ---- sleep

    wake = sleep_functions.wake

    @property
    def sleeping(self) -> SleepOptions:
        """Options of sleeping: `sleeping.enabled` (off by default), delay [s], speed [m/s], spin [rad/s] and others."""
        return self.sleep.options

    # ---- settings

    gravity = property(attrgetter("_gravity"), doc="Gravity (3,) [m/s^2], world frame.")
    margin = property(attrgetter("_margin"), doc="Distance ahead of touching at which contacts are created [m], 0 .. 1.")

    @gravity.setter
    def gravity(self, gravity: Sequence[float]) -> None:
        self._gravity = vector("gravity", gravity, limit=MAX_GRAVITY)

    @margin.setter
    def margin(self, margin: float) -> None:
        self._margin = number("margin", margin, lo=0.0, hi=1.0, unit="m")

    def set_gravity(self, gravity: Sequence[float]) -> None:
        """Set gravity (3,) [m/s^2], world frame.

        Raises:
            BadInput: not three finite numbers, or one beyond 1e4 m/s^2.
        """
        self.gravity = gravity

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
        if not plain_name("the control input: its name", name):
            raise BadInput("the control input needs a name")
        value = number(f"control input '{name}'", value)
        self.inputs = {**self.inputs, name: value}

    # ---- state

    def snapshot(self) -> Snapshot:
        """Everything that a step reads, by value: motion, last impulses, materials, options of the solver."""
        return snapshots.make_snapshot(self)

    def restore(self, snapshot: Snapshot) -> None:
        """Make this world what the snapshot holds; the next steps are bit for bit those that followed it.

        Raises:
            BadInput: it is no Snapshot.
        """
        if not isinstance(snapshot, Snapshot):
            raise BadInput(f"{shown_value(snapshot)} is not a Snapshot: pass the result of World.snapshot()")
        snapshots.restore_snapshot(self, snapshot)
        self.shape_kinds_in_use = set()
        structure_changed(self)

    def refresh_after_edit(self) -> None:
        """Notify the world that records were written directly: what steps derive from them is rebuilt, and all bodies wake."""
        self.shape_kinds_in_use = set()
        structure_changed(self)
        self.wake()

    # ---- for steps

    @property
    def layout(self) -> WorldLayout:
        """Lists derived from the structure of the tables, rebuilt after changes."""
        if self.current_layout is None:
            self.current_layout = WorldLayout.of(self.shapes, self.shape_kinds, self.joints,
                                                 tuple(joint_package.kinds().values()), self.bodies)
        return self.current_layout

    def invalidate_layout(self) -> None:
        """Rebuild the layout at its next use, since joints or sleepers changed."""
        self.current_layout = None


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
