"""The commands that hand the state and the recent past out, by value; what `Simulation` inherits."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import scenes
from app.engine import recording
from app.engine.frame import Frame, Pace, capture
from app.engine.history import History, Moment
from app.engine.poses import poses
from physics import Snapshot, World

RECENT = 20.0
"""Simulated time that a report of a problem goes back at least, if there is room [s]."""
ROOM = 16_000_000
"""Bytes before packing that this may take; and a quarter more, to go about in it quickly."""


@dataclass(frozen=True)
class State:
    """Everything that the next step begins with. dt: its size [s]; cost: wall time of taking it [s]."""

    scene: str
    snapshot: Snapshot
    dt: float
    cost: float = 0.0

    def world(self) -> World:
        """A world of its own in that state, without a clock."""
        world = World()
        world.restore(self.snapshot)
        return scenes.without_clock(world)


@dataclass(frozen=True)
class Recent:
    """What is shown, and the piece of the past that leads to it; None: there is none, and why."""

    frame: Frame
    piece: recording.Piece | None
    why: str = ""


class Handing:
    """Hands the present state to who asks for it."""

    world: Any
    dt: float
    scene: scenes.Scene | None
    scene_name: str
    parameters: Any
    paused: bool
    history: History
    in_past: bool

    def hand_state(self, take: Callable[[State], None]) -> None:
        """take(state) is called on the physics thread: it should only put the state away."""
        self.settle()
        begin = time.perf_counter()
        snapshot = self.world.snapshot()
        take(State(self.scene_name, snapshot, self.dt, time.perf_counter() - begin))

    def hand_recent(self, take: Callable[[Recent], None]) -> None:
        """take(recent), as above: what is shown, and how it came about."""
        self.settle()
        history = self.history
        frame = capture(self.world, scene=self.scene_name, dt=self.dt, paused=self.paused, pace=Pace(), past=history.past(),
                        before=poses(self.world))
        if self.scene is None or history.first == self.world.steps:
            take(Recent(frame, None, "there was no step before it"))
            return
        end: Moment = self._moment(self._done if self.in_past else len(history.deeds))
        first = recording.affordable(history, end, RECENT, ROOM)
        if first == end.step:
            take(Recent(frame, None, f"what {len(frame.bodies)} bodies do takes more than {ROOM / 1e6:.0f} MB"))
            return
        take(Recent(frame, recording.taken(self.scene_name, self.parameters, self.world, history, first, end, ROOM // 4)))
