"""The tree of subsystems over several processes (KV section 2: each subsystem can live on a machine of its own).

Every process knows the state of the whole mechanism, a few numbers a body, and eliminates only its own subsystems, which is where
the time goes. In every evaluation, on each edge of the tree between two processes,

    up      D, R of the b outer bodies: (6 b)^2 + 6 b numbers                                                      (1)
    down    the forces Q on them: 6 b numbers                                                                      (2)

and in the end all processes gather what joints do to each body, six numbers, and the multipliers, one a row                 (3)

so that all of them make the same step from the same bits: no process waits for the state of another. The operations on each
subsystem are those of one process, in the same order, and so are the results, bit by bit. What carries the numbers is a
`Transport`: MPI in the program, queues in tests.
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physics.articulated.subsystems.reduction import Array, Bodies, Elimination, GiveForces, Plan, Response, join, split, up
from physics.core.check import BadInput

NUMBER_BYTES = 8
"""Size of a number in a message [bytes]."""


class Transport(Protocol):
    """One of `size` processes, number `rank`, that exchange arrays of numbers."""

    rank: int
    size: int

    def send(self, values: Array, to: int) -> None:
        """Send a contiguous array (n,) to another process."""

    def receive(self, values: Array, source: int) -> None:
        """Overwrite an array (n,) with what another process sent."""

    def gather(self, mine: Array, counts: Sequence[int]) -> Array:
        """The arrays (counts[rank],) of all processes, one after the other, in all processes."""


@dataclass(frozen=True)
class Share:
    """A subsystem and the process that eliminates it. processes: those that have a part of it; the first has its top."""

    plan: Plan
    processes: range
    children: tuple["Share", ...]

    @property
    def owner(self) -> int:
        return self.processes[0]

    @property
    def size(self) -> int:
        """Numbers of its outer bodies."""
        return 6 * len(self.plan.subsystem.outer)


def shared(plan: Plan, processes: range) -> Share:
    """A subsystem over processes: whole subsystems for each, with numbers of bodies as equal as the tree allows.

    Raises:
        BadInput: the tree has fewer subsystems than there are processes.
    """
    children = plan.children
    if len(processes) == 1:
        return Share(plan, processes, tuple(shared(child, processes) for child in children))
    if not children:
        raise BadInput("there are more processes than the tree of subsystems has parts for; take fewer")
    bodies = np.cumsum([0, *(len(child.subsystem.bodies) for child in children)])
    edges = np.round(bodies * (len(processes) / bodies[-1])).astype(int)
    out = []
    for k, child in enumerate(children):
        first = min(int(edges[k]), len(processes) - 1)
        out.append(shared(child, processes[first : max(int(edges[k + 1]), first + 1)]))
    return Share(plan, processes, tuple(out))


def owned(share: Share, rank: int) -> list[Plan]:
    """The subsystems that a process eliminates, single bodies included."""
    return ([share.plan] if share.owner == rank else []) + [plan for child in share.children for plan in owned(child, rank)]


@dataclass
class Traffic:
    """What a process has sent: messages (1) and (2), gatherings (3), [bytes] of both."""

    messages: int = 0
    gatherings: int = 0
    bytes: int = 0


class DistributedElimination(Elimination):
    """An elimination of which this process does its share. row_joint (rows,): the joint of each row that may be
    eliminated, -1: it is not used."""

    def __init__(self, plan: Plan, transport: Transport, row_joint: NDArray[np.int64]) -> None:
        super().__init__(plan)
        self.transport, self.traffic = transport, Traffic()
        self.share = shared(plan, range(transport.size))
        self._bodies, self._rows = [], []
        for rank in range(transport.size):
            mine = owned(self.share, rank)
            self._bodies.append(np.array([one.subsystem.bodies[0] for one in mine if not one.children and one.subsystem.bodies],
                                         np.int64))
            joints = np.array([j for one in mine for j in one.subsystem.joints], np.int64)
            self._rows.append(np.flatnonzero(np.isin(row_joint, joints)))
        self._counts = [6 * len(bodies) + len(rows) for bodies, rows in zip(self._bodies, self._rows, strict=True)]

    def solve(self, bodies: Bodies) -> tuple[Array, Array]:
        """As in one process, with (3) at the end."""
        multipliers, forces = np.zeros(bodies.number), np.zeros_like(bodies.free)
        _, give = self._up(self.share, bodies)
        give(np.zeros(0), forces, multipliers)
        rank = self.transport.rank
        mine = np.concatenate([forces[self._bodies[rank]].ravel(), multipliers[self._rows[rank]]])
        every = self.transport.gather(mine, self._counts)
        self.traffic.gatherings += 1
        self.traffic.bytes += NUMBER_BYTES * len(mine)
        at = 0
        for own, rows, count in zip(self._bodies, self._rows, self._counts, strict=True):
            forces[own] = every[at : at + 6 * len(own)].reshape(-1, 6)
            multipliers[rows] = every[at + 6 * len(own) : at + count]
            at += count
        return multipliers, forces

    def _up(self, share: Share, bodies: Bodies) -> tuple[Response, GiveForces]:
        """The way up of a subsystem of which this process has a part, and its way down."""
        rank, plan = self.transport.rank, share.plan
        if share.processes == range(rank, rank + 1):
            return up(plan, bodies)
        below = [self._child(share, child, bodies) for child in share.children]
        mine = share.owner == rank
        found = join(plan, [response for response, _ in below], bodies.rows) if mine else None

        def down(force: Array, forces: Array, multipliers: Array) -> None:
            inside = split(plan, found, force, multipliers) if mine else np.zeros(plan.width)
            for span, (_, give) in zip(reversed(plan.spans), reversed(below), strict=True):     # first those of other processes
                give(inside[span], forces, multipliers)
        return found, down

    def _child(self, share: Share, child: Share, bodies: Bodies) -> tuple[Response, GiveForces]:
        """A child's way up, with message (1) if another process has its parent, and its way down, with (2)."""
        rank, size = self.transport.rank, child.size
        response, give = self._up(child, bodies) if rank in child.processes else (None, None)
        if child.owner == share.owner:
            return response, give or _nothing
        if rank == child.owner:
            self._send(np.concatenate([response.D.ravel(), response.R]), share.owner)
        elif rank == share.owner:
            values = np.empty(size * size + size)
            self.transport.receive(values, child.owner)
            response = Response(values[: size * size].reshape(size, size), values[size * size :])

        def down(force: Array, forces: Array, multipliers: Array) -> None:
            if rank == share.owner:
                self._send(np.ascontiguousarray(force), child.owner)
            elif rank == child.owner:
                force = np.empty(size)
                self.transport.receive(force, share.owner)
            if give is not None:
                give(force, forces, multipliers)
        return response, down

    def _send(self, values: Array, to: int) -> None:
        self.transport.send(values, to)
        self.traffic.messages += 1
        self.traffic.bytes += NUMBER_BYTES * len(values)


def _nothing(force: Array, forces: Array, multipliers: Array) -> None:
    """The way down of a subsystem of which this process has no part."""


def check_agreement(transport: Transport, state: Array) -> None:
    """Raise BadInput unless the state (n,) has the same bits in all processes; processors of different makes may round apart."""
    sums = transport.gather(np.array([float(zlib.crc32(state.tobytes()))]), [1] * transport.size)
    if (sums != sums[0]).any():
        raise BadInput(f"process {int(np.argmax(sums != sums[0]))} no longer has the state of process 0; run all of them on "
                       "machines of one kind with the same libraries")
