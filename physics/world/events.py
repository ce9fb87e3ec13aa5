"""Events of a step: overlaps of sensors and contacts of bodies that began or ended.

A sensor is a shape without contact forces that reports overlaps (`World.add_body(..., sensor=True)`); two sensors do not
sense each other. Two bodies touch where a contact carries an impulse. `World.events` are those of the last step, ordered by kind,
then by the lower and the higher shape. Pairs that sleep neither begin nor end.
"""

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from physics.collide import broad, narrow
from physics.core.records import WakeReason, joined, record, selected
from physics.world.sleep import wake_changed
from physics.world.table import body_index, shape_indices, structure_changed

if TYPE_CHECKING:
    from physics.world.world import World


class Event(IntEnum):
    """Kinds of events."""

    SENSOR_BEGIN = 0    # something entered a sensor
    SENSOR_END = 1      # it left, or was removed
    TOUCH_BEGIN = 2     # two bodies came to touch
    TOUCH_END = 3       # they separated, or one was removed


EVENT = record([
    ("what", "i4"),                  # Event
    ("shape_a", "i4"),               # the sensor; of two that touch the lower shape
    ("shape_b", "i4"),
    ("body_a", "i4"),                # their bodies
    ("body_b", "i4"),
    ("time", "f8"),                  # sensors: start of the step, in whose poses overlaps are found; touching: its end [s]
    ("speed", "f8"),                 # TOUCH_BEGIN: largest approach speed of its points [m/s]
    ("impulse", "f8"),               # TOUCH_BEGIN: normal impulse of all points in this step [N s]
])


class ContactTracker:
    """Pairs that overlap or touch, from step to step.

    touching: whether touching is watched, too (off: it costs some time in large piles). inside: pairs of a sensor and what
    overlaps it (int32 (m, 2)), of the step that has begun.
    """

    def __init__(self) -> None:
        self.touching = False
        self.sensed = self.touched = self.latest = np.zeros(0, EVENT)
        self.inside = np.zeros((0, 2), np.int32)

    def sense(self, world: Any, pairs: np.ndarray) -> None:
        """Find what is in a sensor where shapes are now. pairs: of a sensor and what may overlap it (int32 (m, 2))."""
        self.inside = pairs
        if len(pairs):
            self.inside = pairs[narrow.overlapping(world.shapes, pairs, world.pool.arrays)]
            swap = world.shapes["sensor"][self.inside[:, 0]] == 0
            self.inside[swap] = self.inside[swap][:, ::-1]

    def update(self, world: Any, contacts: np.ndarray, time: float) -> None:
        """Find the events of a step that began at `time`, with `sense`. contacts: with the impulses of the step."""
        inside = self.inside
        if not self.touching and not len(inside) and not len(self.sensed) and not len(self.touched):
            if len(self.latest):
                self.latest = self.sensed
            return
        self.sensed, entered, left = _changes(self.sensed, _pairs(world.shapes, inside, time), world.shapes, Event.SENSOR_BEGIN)
        before, touched = (self.touched, self._touched(world, contacts)) if self.touching else (self.touched[:0],) * 2
        self.touched, met, parted = _changes(before, touched, world.shapes, Event.TOUCH_BEGIN)
        left["time"], parted["time"] = time, world.time
        self.latest = joined(entered, left, met, parted)

    def _touched(self, world: Any, contacts: np.ndarray) -> np.ndarray:
        """The pairs whose contacts carry an impulse."""
        c = selected(contacts, contacts["impulse"] > 0.0)
        both = np.sort(np.stack([c["shape_a"], c["shape_b"]], 1), axis=1)
        order = np.lexsort((both[:, 1], both[:, 0]))    # parts of a step add contacts at the end
        c, both = selected(c, order), both[order]
        first = np.flatnonzero(np.any(np.diff(both, axis=0, prepend=-1) != 0, axis=1))
        pairs = _pairs(world.shapes, both[first], world.time)
        if len(first):
            pairs["speed"] = np.maximum(0.0, -np.minimum.reduceat(c["approach"], first))
            pairs["impulse"] = np.add.reduceat(c["impulse"], first)
        return pairs


def _pairs(shapes: np.ndarray, pairs: np.ndarray, time: float) -> np.ndarray:
    out = np.zeros(len(pairs), EVENT)
    out["shape_a"], out["shape_b"], out["time"] = pairs[:, 0], pairs[:, 1], time
    out["body_a"], out["body_b"] = shapes["body"][pairs[:, 0]], shapes["body"][pairs[:, 1]]
    return out


def _changes(before: np.ndarray, now: np.ndarray, shapes: np.ndarray, begin: Event) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(pairs to keep, those that began, those that ended); a pair without an active shape stays as it is."""
    a, b = shapes[before["shape_a"]], shapes[before["shape_b"]]
    same = (a["body"] == before["body_a"]) & (b["body"] == before["body_b"])
    still = selected(before, same & (a["active"] == 0) & (b["active"] == 0))
    now = joined(now, still)
    now = selected(now, np.argsort(_key(now), kind="stable"))
    old = np.isin(_key(now), _key(before[same]))
    began, ended = selected(now, ~old), selected(before, ~(same & np.isin(_key(before), _key(now))))
    began["what"], ended["what"] = begin, begin + 1
    ended["speed"] = ended["impulse"] = 0.0
    return now, began, ended


def _key(pairs: np.ndarray) -> np.ndarray:
    """Lower shape * 2^32 + higher shape."""
    low, high = np.minimum(pairs["shape_a"], pairs["shape_b"]), np.maximum(pairs["shape_a"], pairs["shape_b"])
    return low.astype(np.int64) * 2**32 + high


def set_filter(world: "World", body: int | None = None, *, category: int | None = None, mask: int | None = None,
               group: int | None = None) -> None:
    """Set which shapes may touch those of one body, or of all; what is None stays. See physics/collide/broad.py.

    Args:
        category: bits of the categories it belongs to, 1 .. 2^32 - 1.
        mask: bits of the categories it touches.
        group: equal numbers touch always (> 0) or never (< 0); 0: categories and masks decide.

    Raises:
        BadInput: no such body, or a number out of range.
    """
    _write_shape_fields(world, body, broad.fields("filter", category, mask, group))


def set_sensor(world: "World", body: int, on: bool) -> None:
    """Make the shapes of a body sensors, which report overlaps and push nothing, or solid again.

    Raises:
        BadInput: no such body.
    """
    _write_shape_fields(world, body, broad.fields("body", sensor=on))


def _write_shape_fields(world: "World", body: int | None, fields: dict[str, int]) -> None:
    body = None if body is None else body_index(world, body)
    index = shape_indices(world, body)
    for name, value in fields.items():
        world.shapes[name][index] = value
    wake_changed(world, body, WakeReason.MATERIAL)
    structure_changed(world)
