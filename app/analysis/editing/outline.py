"""Contents of a scene as a collapsible list: bodies with their shapes and joints, joints, materials."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from app.engine.frame import Frame
from app.engine.undo.difference import MOUSE_SPRING
from app.i18n.message import message
from physics.core.records import Kind


@dataclass(frozen=True)
class OutlineRow:
    """kind: "group", "body", "shape", "joint" or "material"; index: in its table; detail: a word or two; opens: has children."""

    kind: str
    index: int
    depth: int
    label: str
    detail: str = ""
    opens: bool = False

    @property
    def key(self) -> tuple[str, int]:
        return self.kind, self.index


OUTLINE_GROUPS = ("bodies", "joints", "materials")


@dataclass
class Outline:
    """The rows, rebuilt only when something is added, removed, renamed, opened or searched for."""

    search: str = ""
    closed: set[str] = field(default_factory=set)
    opened: set[int] = field(default_factory=set)
    lines: list[OutlineRow] = field(default_factory=list)
    _of: tuple = ()

    def update_rows(self, frame: Frame, materials: tuple) -> list[OutlineRow]:
        """The rows of a frame."""
        of = (frame.scene, frame.revision, frame.body_names, frame.joint_names, self.search, frozenset(self.closed),
              frozenset(self.opened), len(materials))
        if of != self._of:
            self._of, self.lines = of, list(self._made(frame, materials))
        return self.lines

    def place(self, key: tuple[str, int]) -> int:
        """Row of that item, -1: none."""
        return next((i for i, line in enumerate(self.lines) if line.key == key), -1)

    def between(self, first: int, last: int) -> list[int]:
        """Bodies in the rows from one body to another; empty where one of them has no row."""
        ends = sorted((self.place(("body", first)), self.place(("body", last))))
        return [line.index for line in self.lines[ends[0] : ends[1] + 1] if line.kind == "body"] if ends[0] >= 0 else []

    def toggle(self, line: OutlineRow) -> None:
        """Open or close a row."""
        if line.kind == "group":
            self.closed ^= {line.label.split(" (")[0]}
        elif line.kind == "body":
            self.opened ^= {line.index}

    def _made(self, frame: Frame, materials: tuple) -> Iterator[OutlineRow]:
        words = self.search.lower().split()

        def wanted(text: str) -> bool:
            return all(word in text.lower() for word in words)

        parts = {"bodies": list(self._bodies(frame, wanted)), "joints": list(_joints(frame, wanted, 1)),
                 "materials": [OutlineRow("material", i, 1, material.name) for i, material in enumerate(materials)
                               if material.name and wanted(material.name)]}
        for number, group in enumerate(OUTLINE_GROUPS):
            found = parts[group]
            if found:
                count = sum(line.depth == 1 for line in found)
                yield OutlineRow("group", number, 0, f"{group} ({count})", opens=True)
                if group not in self.closed:
                    yield from found

    def _bodies(self, frame: Frame, wanted: Callable[[str], bool]) -> Iterator[OutlineRow]:
        kinds, owner = frame.bodies["kind"].tolist(), frame.shapes["body"]
        shape_of = dict(zip(owner[::-1].tolist(), frame.shapes["kind"][::-1].tolist()))     # first shape of each body
        for i, kind in enumerate(kinds):
            if kind == Kind.FREE:
                continue
            shape = frame.shape_kinds[shape_of[i]].replace("_", " ") if i in shape_of else "no shape"
            if not wanted(f"{frame.body_names[i]} {shape} {Kind.name_of(kind)}"):
                continue
            opened = i in self.opened
            yield OutlineRow("body", i, 1, frame.body_names[i], shape, opens=True)
            if opened:
                for s in np.flatnonzero(owner == i).tolist():
                    yield OutlineRow("shape", s, 2, frame.shape_kinds[frame.shapes["kind"][s]].replace("_", " "),
                                     message("shape {number}", number=s))
                yield from _joints(frame, lambda text: True, 2, i)


def _joints(frame: Frame, wanted: Callable[[str], bool], depth: int, body: int = -1) -> Iterator[OutlineRow]:
    joints = frame.joints
    for j in np.flatnonzero(joints["kind"] >= 0).tolist():
        pair = int(joints["body_a"][j]), int(joints["body_b"][j])
        kind = frame.joint_kinds[joints["kind"][j]].replace("_", " ")
        if frame.joint_names[j] != MOUSE_SPRING and (body < 0 or body in pair) and wanted(message("{joint} {kind} joint",
                joint=frame.joint_names[j], kind=kind)):
            yield OutlineRow("joint", j, depth, frame.joint_names[j], kind)
