"""Everything of a world that a step reads, by value: to go back, to go over into another world, to continue bit for bit."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics.audit.auditor import Auditor
from physics.observe.report import EnergyTotals, Report, StepStart
from physics.shapes._geometry import GeometryPool
from physics.stepping.rejection import DEFAULT_CONTROL, StepControl
from physics.world.materials import Materials


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
    last_part: float
    acting: float
    margin: float
    watch: Any
    sleep: Any
    unseen: frozenset[int]
    solver: Any
    drivers: tuple[Callable, ...]
    report: Report | None
    account: EnergyTotals
    audit: Auditor
    beginning: StepStart | None
    step_control: StepControl = DEFAULT_CONTROL


def take_snapshot(world: Any) -> Snapshot:
    """The world as it is: the state of motion, last impulses, options."""
    return Snapshot(
        tables=tuple(t.copy() for t in (world._bodies, world._shapes, world._joints)), pool=world.pool,
        materials=world.materials, contacts=world.awake_contacts.copy(),
        names=(tuple(world.body_names), tuple(world.joint_names)), gravity=world.gravity.copy(), time=world.time,
        steps=world.steps, last_dt=world.last_dt, last_part=world.last_part, acting=world.acting, margin=world.margin,
        watch=copy.copy(world.watch), sleep=world.sleep.copy(),
        unseen=frozenset(world.unseen),
        solver=copy.deepcopy(world.solver), drivers=tuple(world.drivers), report=world.report, account=world.account,
        audit=world.audit.copy(),
        beginning=world.beginning, step_control=world.step_control)


def restore_snapshot(world: Any, snapshot: Snapshot) -> None:
    """Make the world what it was; its lists of structure are left to the caller."""
    world._bodies, world._shapes, world._joints = (t.copy() for t in snapshot.tables)
    world.pool, world.materials, world.awake_contacts = snapshot.pool, snapshot.materials, snapshot.contacts.copy()
    world.body_names, world.joint_names = list(snapshot.names[0]), list(snapshot.names[1])
    world.gravity, world.margin = snapshot.gravity.copy(), snapshot.margin
    world.time, world.steps, world.last_dt = snapshot.time, snapshot.steps, snapshot.last_dt
    world.last_part, world.acting = snapshot.last_part, snapshot.acting
    world.watch, world.sleep = copy.copy(snapshot.watch), snapshot.sleep.copy()
    world.unseen = set(snapshot.unseen)
    world.solver = copy.deepcopy(snapshot.solver)
    world.drivers, world.report, world.account = list(snapshot.drivers), snapshot.report, snapshot.account
    world.beginning, world.audit = snapshot.beginning, snapshot.audit.copy()
    world.step_control = snapshot.step_control
