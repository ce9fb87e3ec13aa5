"""What the window works on: a scene file, or a scene of the gallery with what was built on it; and whether that is saved."""

import os
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.engine.undo.edit_list import Edit, EditList

BUILDING = frozenset((
    "spawn", "assemble", "duplicate", "batch", "join", "remove_body", "remove_joint", "rename_body", "rename_joint", "resize",
    "stretch", "set_kind", "set_mass", "set_pose", "set_filter", "set_sensor", "set_material", "use_material",
    "set_joint_anchor", "set_joint_axis", "set_joint_law", "set_joint_limits", "set_joint_motor", "set_joint_param",
    "set_joint_strength"))
"""Commands by which a person builds something. Others, such as a throw or another friction of all bodies, are experiments: in a
scene of the gallery the user is not asked to save them."""

CHECK_INTERVAL = 0.5
"""Wall time between two checks of the file [s]."""


@dataclass(frozen=True)
class Document:
    """path: of its file, "" for none. saved: the last edit that is in the file, or that there was when the scene was loaded, if
    any. stamp: of the file then. source: a robot's file that is shown: read, and never written."""

    path: str = ""
    saved: weakref.ref["Edit"] | None = None    # weak: an edit that holds a document would keep all former edits alive
    stamp: tuple[int, int] = (0, 0)
    source: str = ""

    @property
    def file(self) -> str:
        """Path of the file that is shown, written by us or only read; "" for a scene of the gallery."""
        return self.path or self.source

    def has_unsaved(self, edits: "EditList") -> bool:
        """Whether there is work that is in no file."""
        saved = self.saved() if self.saved is not None else None
        if (edits.done[-1] is saved) if edits.done else (self.saved is None):
            return False
        since = next((k + 1 for k, edit in enumerate(edits.done) if edit is saved), 0)
        if self.path:       # a reset alone changes nothing of it
            return (self.saved is not None and not since) or any(edit.command != "reset" for edit in edits.done[since:])
        return any(edit.command in BUILDING for edit in edits.done[since:])


def newest(edits: "EditList") -> weakref.ref["Edit"] | None:
    """Refer to the last edit."""
    return weakref.ref(edits.done[-1]) if edits.done else None


def stamp_of(path: str) -> tuple[int, int]:
    """Time of change [ns] and size [bytes] of a file; zeros if it cannot be found."""
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size


@dataclass
class DocumentWatcher:
    """Detects changes of a document's file by other programs: two checks must see the same stamp, so that it is complete."""

    last_check: float = 0.0
    last_stamp: tuple[int, int] = (0, 0)
    reported: tuple[int, int] = (0, 0)

    def changed(self, document: Document, now: float) -> bool:
        """Whether there is news. now: perf_counter [s]."""
        path = document.file
        if not path or now - self.last_check < CHECK_INTERVAL:
            return False
        self.last_check, before, self.last_stamp = now, self.last_stamp, stamp_of(path)
        if self.last_stamp in ((0, 0), document.stamp, self.reported) or self.last_stamp != before:
            return False
        self.reported = self.last_stamp
        return True
