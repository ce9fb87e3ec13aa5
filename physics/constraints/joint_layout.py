"""Layout of the joints' blocks in the row table; rebuilt only when a joint is added, removed or switched.

Of the rows that a kind of joint writes (physics/joints/__init__.py) a joint uses those that are enabled, in these blocks:

    CONSTRAINT   the kind's own rows and the locked axes, all in one
    MOTOR        one for each driven or sprung axis
    FRICTION     one for each group of directions with a law of friction
    LOWER, UPPER one for each limit

Disabled features have no rows.
"""

from typing import NamedTuple

import numpy as np

from physics.core.records import MAX_AXES, PIECE, Drive, Kind, Role, selected
from physics.joints import JointKind


class Block(NamedTuple):
    """A block of one joint: role, slot and group as in PIECE; rows: indices of the written rows."""

    role: int
    slot: int
    group: int
    rows: tuple[int, ...]


class JointLayout(NamedTuple):
    """Rows and blocks of the live joints that do not sleep, in the order of their indices.

    rows, blocks, inverses: totals. written: number of rows that the kinds write.
    joints: index of each. pieces: PIECE, their blocks. sources: for each row of the table, the written row it is copied from.
    of_kind, first: joint indices sorted by kind and their first written rows; those of kind k are at ends[k]:ends[k + 1].
    group: mechanism (bodies connected by joints) of each joint; body_group: that of each body, -1 if it has no joints.
    breakable: indices of the joints that can break. limits: number of limits.
    """

    rows: int
    blocks: int
    inverses: int
    written: int
    joints: np.ndarray
    pieces: np.ndarray
    sources: np.ndarray
    ends: np.ndarray
    of_kind: np.ndarray
    first: np.ndarray
    group: np.ndarray
    body_group: np.ndarray
    breakable: np.ndarray
    limits: int

    def is_touched(self, contacts: np.ndarray) -> bool:
        """Whether one of the CONTACT records presses on a mechanism."""
        pressing = selected(contacts, contacts["impulse"] > 0.0)
        return bool((np.maximum(self.body_group[pressing["body_a"]], self.body_group[pressing["body_b"]]) >= 0).any())

    @classmethod
    def of(cls, joints: np.ndarray, kinds: tuple[JointKind, ...], bodies: np.ndarray) -> "JointLayout":
        """The layout of a JOINT table over a BODY table, without the joints of sleeping bodies."""
        asleep = bodies["asleep"] != 0
        live = np.flatnonzero((joints["kind"] >= 0) & ~(asleep[joints["body_a"]] | asleep[joints["body_b"]]))
        table = selected(joints, live)
        switches, which = np.unique(_switches(table), axis=0, return_inverse=True)
        which = which.reshape(-1)
        layouts = [layout(kinds[s[0]], *(int(bits) for bits in s[1:])) for s in switches]
        size = np.array([(len(blocks), sum(len(b.rows) for b in blocks), sum(len(b.rows) ** 2 for b in blocks), kinds[s[0]].rows)
                         for s, blocks in zip(switches, layouts)], np.int64).reshape(-1, 4)[which]
        ends = np.cumsum(size, axis=0) if len(live) else np.zeros((1, 4), np.int64)
        first_block, first_row, _, first_written = (ends[-len(live):] - size).T if len(live) else np.zeros((4, 0), np.int64)
        pieces, sources = np.zeros(int(ends[-1, 0]), PIECE), np.zeros(int(ends[-1, 1]), np.int64)
        for s, blocks in enumerate(layouts):
            places = np.flatnonzero(which == s)
            row = first_row[places]
            for k, block in enumerate(blocks):
                mine = first_block[places] + k
                pieces["joint"][mine], pieces["place"][mine] = live[places], places
                pieces["role"][mine], pieces["slot"][mine], pieces["group"][mine] = block.role, block.slot, block.group
                pieces["first"][mine], pieces["count"][mine] = row, len(block.rows)
                pieces["axes"][mine] = first_written[places] + kinds[switches[s][0]].constraint
                sources[row[:, None] + np.arange(len(block.rows))] = first_written[places][:, None] + np.array(block.rows)
                row = row + len(block.rows)
        by_kind = np.argsort(table["kind"], kind="stable")
        ends_of_kinds = np.searchsorted(table["kind"][by_kind], np.arange(len(kinds) + 1))
        breakable = live[np.isfinite(table["break_force"]) | np.isfinite(table["break_torque"])]
        return cls(int(ends[-1, 1]), int(ends[-1, 0]), int(ends[-1, 2]), int(ends[-1, 3]), live, pieces, sources, ends_of_kinds,
                   live[by_kind], np.ascontiguousarray(first_written[by_kind]),
                   *mechanisms(table, bodies["kind"] == Kind.DYNAMIC), breakable,
                   int(np.isin(pieces["role"], (Role.LOWER, Role.UPPER)).sum()))


def layout(kind: JointKind, locked: int, lower: int, upper: int, driven: int, rubbing: int) -> list[Block]:
    """The blocks of a joint; each number has a bit for each axis (or friction group) with that feature."""
    m = kind.constraint
    held = tuple(m + k for k in range(len(kind.axes)) if locked >> k & 1)
    free = [k for k in range(len(kind.axes)) if not locked >> k & 1]
    blocks = [Block(Role.CONSTRAINT, m, 0, (*range(m), *held))] if m or held else []
    blocks += [Block(Role.MOTOR, k, 0, (m + k,)) for k in free if driven >> k & 1]
    slot = 0
    for g, group in enumerate(kind.friction):
        rows = tuple(r for r in group.rows if r not in held)
        if rubbing >> g & 1 and rows:
            blocks.append(Block(Role.FRICTION, slot, g, rows))
        slot += len(group.rows)
    for k in free:
        blocks += [Block(Role.LOWER, k, 0, (m + k,))] if lower >> k & 1 else []
        blocks += [Block(Role.UPPER, k, 0, (m + k,))] if upper >> k & 1 else []
    return blocks


def _switches(table: np.ndarray) -> np.ndarray:
    """(n, 6): kind, then bits of locked axes, lower and upper limits, motors, friction."""
    rubs = (table["max_friction"] > 0.0) | (table["kinetic"] > 0.0) | (table["viscous"] > 0.0) | (table["load_mu"] > 0.0)
    return np.column_stack([table["kind"], table["locked"], _bits(np.isfinite(table["limit_lo"])),
                            _bits(np.isfinite(table["limit_hi"])), _bits(table["motor_mode"] != Drive.OFF), _bits(rubs)])


def _bits(flags: np.ndarray) -> np.ndarray:
    return flags @ (1 << np.arange(MAX_AXES))[: flags.shape[1]]


def mechanisms(joints: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(group of each joint, group of each body or -1): dynamic bodies connected by joints, numbered by their lowest body."""
    root = np.arange(len(moves))
    for _ in range(len(joints)):
        a, b = root[joints["body_a"]], root[joints["body_b"]]
        low = np.where(moves[joints["body_a"]] & moves[joints["body_b"]], np.minimum(a, b), -1)
        tied = low >= 0
        if np.array_equal(a[tied], b[tied]):
            break
        np.minimum.at(root, joints["body_a"][tied], low[tied])
        np.minimum.at(root, joints["body_b"][tied], low[tied])
        root = root[root]
    of_body = np.full(len(moves), -1)
    for side in ("body_a", "body_b"):
        mine = joints[side][moves[joints[side]]]
        of_body[mine] = root[mine]
    return np.maximum(of_body[joints["body_a"]], of_body[joints["body_b"]]), of_body
