"""Snapshots: everything that a step reads, by value, to restore a world or continue in another one bit for bit."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics.collide.convex.keep import NONE
from physics.core import former_names
from physics.core.records import copy_of
from physics.dynamics.stiffness import Pace
from physics.observe.audit.auditor import Auditor
from physics.observe.report import EnergyTotals, Report, StepStart
from physics.shapes._geometry import GeometryPool
from physics.stepping.rejection import DEFAULT_CONTROL, StepControl
from physics.world.bodies import NUDGE_STEPS
from physics.world.materials import Materials


@former_names.accepts_former
@dataclass(frozen=True)
class Snapshot:
    """Everything that a step reads, by value."""

    tables: tuple
    pool: GeometryPool
    materials: Materials
    contacts: np.ndarray
    names: tuple[tuple[str, ...], tuple[str, ...]]
    gravity: np.ndarray
    time: float
    steps: int
    last_dt: float
    last_part_dt: float
    impulse_duration: float
    margin: float
    watch: Any
    sleep: Any
    unchecked_bodies: frozenset[int]
    solver: Any
    drivers: tuple[Callable, ...]
    report: Report | None
    energy_totals: EnergyTotals
    audit: Auditor
    step_start: StepStart | None
    step_control: StepControl = DEFAULT_CONTROL
    inputs: Mapping[str, float] = field(default_factory=dict)
    sweeps_stalled: bool = False
    held_substep: float = 0.0
    calm_substeps: int = 0
    wanted_substep: float = 0.0
    velocities_set: Mapping[int, int] = field(default_factory=dict)
    kept_manifolds: np.ndarray = field(default_factory=lambda: NONE)


def make_snapshot(world: Any) -> Snapshot:
    """The world as it is: the state of motion, last impulses, options."""
    return Snapshot(
        tables=tuple(t.copy() for t in (world.body_table, world.shape_table, world.joint_table)), pool=world.pool,
        materials=world.materials, contacts=copy_of(world.awake_contacts),
        names=(tuple(world.body_names), tuple(world.joint_names)), gravity=world.gravity.copy(), time=world.time,
        steps=world.steps, last_dt=world.last_dt, last_part_dt=world.last_part_dt, impulse_duration=world.impulse_duration,
        margin=world.margin, watch=copy.copy(world.watch), sleep=world.sleep.copy(),
        unchecked_bodies=frozenset(world.unchecked_bodies),
        solver=copy.deepcopy(world.solver), drivers=tuple(world.drivers), report=world.report, energy_totals=world.energy_totals,
        audit=world.audit.copy(),
        step_start=world.step_start, step_control=world.step_control, inputs=world.inputs,
        sweeps_stalled=world.sweeps_stalled, held_substep=world.pace.held, calm_substeps=world.pace.calm,
        wanted_substep=world.pace.wanted,
        velocities_set={body: steps for body, steps in world.velocities_set.items() if steps >= world.steps - NUDGE_STEPS},
        kept_manifolds=world.kept_manifolds)


def restore_snapshot(world: Any, snapshot: Snapshot) -> None:
    """Restore the tables and settings; the caller invalidates the layout."""
    world.body_table, world.shape_table, world.joint_table = (t.copy() for t in snapshot.tables)
    world.pool, world.materials, world.awake_contacts = snapshot.pool, snapshot.materials, copy_of(snapshot.contacts)
    world.body_names, world.joint_names = list(snapshot.names[0]), list(snapshot.names[1])
    world.gravity, world.margin = snapshot.gravity.copy(), snapshot.margin
    world.time, world.steps, world.last_dt = snapshot.time, snapshot.steps, snapshot.last_dt
    world.last_part_dt, world.impulse_duration = snapshot.last_part_dt, snapshot.impulse_duration
    world.watch, world.sleep = copy.copy(snapshot.watch), snapshot.sleep.copy()
    world.unchecked_bodies = set(snapshot.unchecked_bodies)
    world.solver = copy.deepcopy(snapshot.solver)
    world.drivers, world.report, world.energy_totals = list(snapshot.drivers), snapshot.report, snapshot.energy_totals
    world.step_start, world.audit = snapshot.step_start, snapshot.audit.copy()
    world.step_control, world.inputs = snapshot.step_control, snapshot.inputs
    world.sweeps_stalled = snapshot.sweeps_stalled
    world.pace = Pace(snapshot.held_substep, snapshot.wanted_substep, snapshot.calm_substeps)
    world.velocities_set, world.kept_manifolds = dict(snapshot.velocities_set), snapshot.kept_manifolds
