"""The command that hands the state out, by value; what `Simulation` inherits."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import scenes
from physics import Snapshot, World


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


class Handing:
    """Hands the present state to who asks for it."""

    world: Any
    dt: float
    scene_name: str

    def hand_state(self, take: Callable[[State], None]) -> None:
        """take(state) is called on the physics thread: it should only put the state away."""
        self.settle()
        begin = time.perf_counter()
        snapshot = self.world.snapshot()
        take(State(self.scene_name, snapshot, self.dt, time.perf_counter() - begin))
