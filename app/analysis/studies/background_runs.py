"""Runs of the window's scene in the background: in a separate thread, on separate worlds, cancellable. GL-free."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import scenes
from app.build_scene import build
from physics import BadInput, Diverged, World, step
from physics.core.options import option_values

MAX_STEP_SIZE = 1.0 / 15.0
"""Largest step that is tried [s], unless the scene's own is larger."""


class RunCancelled(Exception):
    """The user cancelled the study."""


class TooLong(Exception):
    """A run exceeded its processor time."""


@dataclass
class BackgroundRun:
    """Several runs of one scene. progress: 0 .. 1; done: finished; problem: why it ended early.

    Readable from any thread; `cancel` ends it soon. Subclasses implement `measure`.
    """

    scene: scenes.Scene
    parameters: Any
    progress: float = field(default=0.0, kw_only=True)
    done: bool = field(default=False, kw_only=True)
    problem: str = field(default="", kw_only=True)
    _stop: threading.Event = field(default_factory=threading.Event, kw_only=True, repr=False)

    def start(self) -> None:
        """Start the study in a separate thread."""
        threading.Thread(target=self.run, name=type(self).__module__.rpartition(".")[2], daemon=True).start()

    def cancel(self) -> None:
        self._stop.set()

    def run(self) -> None:
        """Run the whole study in this thread."""
        try:
            self.measure()
        except RunCancelled:
            self.problem = "cancelled"
        except (BadInput, Diverged) as error:
            self.problem = str(error)
        finally:
            self.done = True

    def measure(self) -> None:
        """Perform the measurements of the study; may raise what `run` catches."""
        raise NotImplementedError

    def world(self, solver: str, options: Any = None) -> World:
        """The scene as built, under a solver with these options, or the scene's; without wall-clock limit."""
        world = build(self.scene, self.parameters)
        if options is None:
            scenes.use_solver(world, self.scene, self.parameters, solver)
        else:
            world.use_solver(solver, **option_values(options))
        return scenes.without_clock(world)

    def curve(self, world: World, key: str, h: float, samples: int, between: int,
              stepped: Callable[[int], None] | None = None, limit: float = math.inf) -> np.ndarray:
        """Sample a quantity at the start and after every `between` steps of h [s]. stepped: called with the number of steps after
        each sample. limit: of processor time [s].

        Raises:
            RunCancelled: by the user. TooLong: beyond the limit.
        """
        end = time.thread_time() + limit
        read = scenes.find_quantity(world, key, self.scene).read
        curve = np.empty(samples + 1)
        curve[0] = read(world)
        for n in range(samples):
            for _ in range(between):
                if self._stop.is_set():
                    raise RunCancelled
                if time.thread_time() > end:
                    raise TooLong
                step(world, h)
            curve[n + 1] = read(world)
            if stepped is not None:
                stepped((n + 1) * between)
        return curve
