"""What was edited by hand since the scene was built: predictions do not include it. No window."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.engine.undo.describe_edit import DESCRIBED_FIELDS
from app.engine.undo.difference import EditDifference, FieldChange
from app.engine.undo.edit_list import Edit
from app.i18n.message import Message, message

PASSED_THROUGH = ("reset", "return_to_state")
"""Edits that rebuild a scene and keep what was built (app/engine/undo/repeat_edits.py)."""

OF_ALL = frozenset(("friction", "restitution", "joint_bounds", "world gravity"))
"""Settings of all bodies or joints, which are named as such."""

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
        for field in edit.change.fields:
            for slot, old, new in _records(field):
                first.setdefault((field.table, field.name, slot), old)
                last[field.table, field.name, slot] = new
    found: dict[tuple[str, int], str] = {}
    for table, name, _, _ in DESCRIBED_FIELDS:      # by precedence
        for slot in [at for kind, field, at in last if (kind, field) == (table, name)]:
            if np.array_equal(first[table, name, slot], last[table, name, slot]):
                continue
            owner = "joints" if table == "joints" else "bodies", _owner(table, slot, frame)
            found.setdefault(owner, TITLES[table, name])
    texts = [message("{title} of {whose}", title=title, whose=names[at]) for (table, at), title in found.items()
             if 0 <= at < len(names := frame.joint_names if table == "joints" else frame.body_names) and names[at]]
    if _pairs_changed(done):
        texts.append(message("friction of a pair"))
    return [*texts, message("joints")] if joints else texts


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


def _records(field: FieldChange) -> list[tuple[int, Any, Any]]:
    return list(zip(field.slots.tolist(), field.before, field.after))


def _owner(table: str, slot: int, frame: Any) -> int:
    if table != "shapes":
        return slot
    return int(frame.shapes["body"][slot]) if slot < len(frame.shapes) else -1


def _pairs_changed(done: Sequence[Edit]) -> bool:
    """Whether values of a pair of materials are others than those that the scene gave."""
    values = [edit.change.values["materials"] for edit in _since_built(done) if "materials" in edit.change.values]
    return bool(values) and values[0][0].given != values[-1][1].given
