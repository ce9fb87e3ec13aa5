"""What was edited by hand since the scene was built: predictions do not include it. No window.

Of this session the edits tell it. Of a scene file they are gone: it is compared with the scene that it began as, in what
steps do not change.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import scenes
from app.engine.undo.describe_edit import DESCRIBED_FIELDS
from app.engine.undo.difference import EditDifference, FieldChange
from app.engine.undo.edit_list import Edit
from app.i18n.message import Message, message
from physics import BadInput, World

PASSED_THROUGH = ("reset", "return_to_state")
"""Edits that rebuild a scene and keep what was built (app/engine/undo/repeat_edits.py)."""

OF_ALL = frozenset(("friction", "restitution", "joint_bounds", "world gravity"))
"""Settings of all bodies or joints, which are named as such."""

PLACED = ("pos", "quat", "vel", "omega")
"""Fields of bodies that steps change: not compared in a file that was saved after its first step."""

DRIVEN = ("motor_target", "motor_force", "motor_speed", "max_friction", "kinetic")
"""Fields of joints that drivers of scenes change as time goes on."""

SAME_SHARE, SAME = 1e-9, 1e-12
"""Numbers that differ by less, relative and absolute, are the same."""

TITLES = {(table, field): title for table, field, title, _ in DESCRIBED_FIELDS}


def edited(done: Sequence[Edit], frame: Any) -> list[Message]:
    """"mass of box 3": for every body and joint of which something is another than the scene built, the first thing, since a new
    size brings another mass along. frame: what is shown."""
    first: dict[tuple[str, str, int], Any] = {}
    last: dict[tuple[str, str, int], Any] = {}
    joints = False
    for edit in _since_built(done):
        joints |= bool(edit.change.added["joints"] or edit.change.removed["joints"])
        if not OF_ALL.isdisjoint(edit.change.values):
            continue
        for one in edit.change.fields:
            for slot, old, new in _records(one):
                first.setdefault((one.table, one.name, slot), old)
                last[one.table, one.name, slot] = new
    found: dict[tuple[str, int], str] = {}
    for table, name, _, _ in DESCRIBED_FIELDS:      # by precedence
        for slot in [at for kind, changed, at in last if (kind, changed) == (table, name)]:
            if np.array_equal(first[table, name, slot], last[table, name, slot]):
                continue
            owner = "joints" if table == "joints" else "bodies", _owner(table, slot, frame)
            found.setdefault(owner, TITLES[table, name])
    texts = _texts(found, frame)
    if _pairs_changed(done):
        texts.append(message("friction of a pair"))
    return [*texts, message("joints")] if joints else texts


def _texts(found: Mapping[tuple[str, int], str], frame: Any) -> list[Message]:
    """"mass of box 3" of titles by table and slot."""
    return [message("{title} of {whose}", title=title, whose=names[at]) for (table, at), title in found.items()
            if 0 <= at < len(names := frame.joint_names if table == "joints" else frame.body_names) and names[at]]


@dataclass
class FileDifferences:
    """What of a scene file is another than in the scene that it began as, with the parameters that were built."""

    _found: Sequence[Message] = ()
    _read_for: Any = None

    def of(self, scene: scenes.Scene | None, parameters: Any) -> Sequence[Message]:
        """As `edited`; empty of a scene of the gallery."""
        if scene is None or not scene.origin:
            return []
        if self._read_for is None or self._read_for[0] is not scene or self._read_for[1] != parameters:
            self._read_for = scene, parameters
            try:
                self._found = differing(scenes.make_world(scenes.find(scene.origin), parameters),
                                        scenes.make_world(scene, parameters))
            except BadInput:        # the user's own scene, which is gone or was changed
                self._found = []
        return self._found


def differing(built: World, world: World) -> list[Message]:
    """What of the world of a file is another than in a scene as built, as `edited`; of things with the same names."""
    found: dict[tuple[str, int], str] = {}
    has_run = world.time > 0.0
    ignored = (*PLACED, *DRIVEN) if has_run and built.drivers else PLACED if has_run else ()
    for table, name, title, _ in DESCRIBED_FIELDS:      # by precedence
        for slot, old, new in () if name in ignored else _matched(table, built, world):
            if not np.allclose(old[name], new[name], rtol=SAME_SHARE, atol=SAME, equal_nan=True):
                found.setdefault(("joints" if table == "joints" else "bodies", _owner(table, slot, world)), title)
    gravity = not np.allclose(built.gravity, world.gravity, rtol=SAME_SHARE, atol=SAME)
    other = {*filter(None, built.joint_names)} != {*filter(None, world.joint_names)}
    return [*([message("gravity")] if gravity else []), *_texts(found, world), *([message("joints")] if other else [])]


def _matched(table: str, built: World, world: World) -> Iterator[tuple[int, np.void, np.void]]:
    """(slot in the world, record as built, record in the world) of what has the same name; of a body's shapes in order."""
    then, now = (one.joint_names if table == "joints" else one.body_names for one in (built, world))
    slots = {name: k for k, name in enumerate(then) if name}
    for k, name in enumerate(now):
        if name in slots and table == "shapes":
            of_built, own = (np.flatnonzero(one.shapes["body"] == body) for one, body in ((built, slots[name]), (world, k)))
            yield from ((int(b), built.shapes[a], world.shapes[b]) for a, b in zip(of_built, own))
        elif name in slots:
            yield k, getattr(built, table)[slots[name]], getattr(world, table)[k]


def _since_built(done: Sequence[Edit]) -> list[Edit]:
    """Edits by hand since the scene was loaded or a parameter rebuilt it."""
    found: list[Edit] = []
    for edit in reversed(done):
        if isinstance(edit.change, EditDifference):
            if edit.command not in ("throw", "set_live_parameter"):
                found.append(edit)
        elif edit.command not in PASSED_THROUGH:
            break
    return found[::-1]


def _records(change: FieldChange) -> list[tuple[int, Any, Any]]:
    return list(zip(change.slots.tolist(), change.before, change.after))


def _owner(table: str, slot: int, frame: Any) -> int:
    if table != "shapes":
        return slot
    return int(frame.shapes["body"][slot]) if slot < len(frame.shapes) else -1


def _pairs_changed(done: Sequence[Edit]) -> bool:
    """Whether values of a pair of materials are others than those that the scene gave."""
    values = [edit.change.values["materials"] for edit in _since_built(done) if "materials" in edit.change.values]
    return bool(values) and values[0][0].given != values[-1][1].given
