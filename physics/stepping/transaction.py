"""A step is whole or it did not happen: what a world was before a step, and how it becomes that again.

    with whole(world):
        ...                     whatever is raised in here, KeyboardInterrupt included, finds the world as it was

Put back: the tables (in place, so that views of them stay good unless a driver added to them), names, contacts, time, sleepers,
events, memory of the auditor, options of the solver, forces that were to act in this step, drivers, reports. Not put back: what a
driver or a solver keeps for itself outside the world, and sentences already said (warnings.py). What is only kept to save time is
forgotten, for it may be half written: broad phase, lists of structure.

Copies of the tables are what it costs. Of bodies that sleep only those are copied that are about to wake, unless a driver or a
contact callback may change whatever it likes.
"""

from types import TracebackType
from typing import Any

import numpy as np

from physics.collide.broad import BroadPhase
from physics.collide.edge_filter import EdgeFilter
from physics.collide.narrow import NarrowPhase
from physics.core.interrupts import uninterrupted
from physics.core.records import put, selected


class undo_on_error:
    """Context of a whole step of one world; see the head of this file."""

    def __init__(self, world: Any) -> None:
        self.world = world

    def __enter__(self) -> None:
        w = self.world
        audit, options, watch = w.audit, w.solver.options, w.watch
        names, joint_names, drivers = w.body_names, w.joint_names, w.drivers
        self._fields = w.__dict__.copy()        # numbers, and whatever a step replaces by another object
        self._rows: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        partly = bool(w.sleep.count) and not w.drivers and not w.contact_callbacks
        tables = (w.joint_table,) if partly else (w.body_table, w.shape_table, w.joint_table)
        self._tables = tuple((table, table.capture()) for table in tables)
        lists = (joint_names, drivers) if partly else (names, joint_names, drivers)
        self._lists = [(kept, kept.copy()) for kept in lists]
        self._unchecked, self._gravity = w.unchecked_bodies.copy(), w.gravity.copy()
        self._velocities_set = w.velocities_set.copy()
        self._apart = (options, options.__dict__.copy()), (watch, watch.__dict__.copy()), (audit, audit.__dict__.copy())
        self._memory = audit.memory.copy()
        self._sleep = w.sleep.capture(with_rest=not partly)
        if partly:
            self._capture_rows(np.flatnonzero(w.bodies["asleep"] == 0))
            w.sleep.before_waking = self._capture_rows

    def __exit__(self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None) -> None:
        self.world.sleep.before_waking = None
        if kind is not None:
            with uninterrupted():
                self._put_back()

    def _capture_rows(self, bodies: np.ndarray) -> None:
        """Copy the rows of these bodies, which may change from now on, and of their shapes and rest."""
        w = self.world
        among = np.zeros(len(w.bodies) + 1, np.bool_)        # the last: of empty slots, whose body is -1
        among[bodies] = True
        shapes, resting = np.flatnonzero(among[w.shapes["body"]]), bodies[bodies < len(w.sleep.rest)]
        self._rows += [(table, index, selected(table, index))
                       for table, index in ((w.bodies, bodies), (w.shapes, shapes), (w.sleep.rest, resting))]

    def _put_back(self) -> None:
        w = self.world
        latest = w.revision
        w.__dict__.update(self._fields)
        for name in w.__dict__.keys() - self._fields.keys():
            del w.__dict__[name]
        for table, taken in self._tables:
            table.restore(*taken)
        for records, index, rows in self._rows:
            put(records, index, rows)
        for kept, before in self._lists:
            kept[:] = before
        w.unchecked_bodies.clear()
        w.unchecked_bodies.update(self._unchecked)
        w.gravity[:] = self._gravity
        w.velocities_set = self._velocities_set
        for of, before in self._apart:
            of.__dict__.update(before)
        w.audit.memory = self._memory
        w.sleep.restore(self._sleep, w.bodies)
        if latest != w.revision:
            w.revision = latest + 1             # no number stands for two structures
        w.broad_phase, w.narrow_phase, w.edge_filter = BroadPhase(), NarrowPhase(), EdgeFilter()
        w.invalidate_layout()
