"""Runs of the window's scene beside it: in a thread of their own, on worlds of their own, cancelled when asked. GL-free."""

import copy
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import scenes
from physics import BadInput, Diverged, World, quantities, step

LONGEST = 1.0 / 15.0
"""No larger step is tried [s], unless the scene's own is larger."""


class Cancelled(Exception):
    """The person does not want the rest."""


class TooLong(Exception):
    """A run took more of the processor's time than it may."""


@dataclass
class RunsBeside:
    """Several runs of one scene. progress: 0 .. 1; done: nothing more comes; problem: why it ended early.

    Read it from any thread; `cancel` ends it soon. What is measured is in `measure`.
    """

    scene: scenes.Scene
    parameters: Any
    progress: float = field(default=0.0, kw_only=True)
    done: bool = field(default=False, kw_only=True)
    problem: str = field(default="", kw_only=True)
    _stop: threading.Event = field(default_factory=threading.Event, kw_only=True, repr=False)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self.run, name=type(self).__module__.rpartition(".")[2], daemon=True).start()

    def cancel(self) -> None:
        self._stop.set()

    def run(self) -> None:
        """The whole study, in this thread."""
        try:
            self.measure()
        except Cancelled:
            self.problem = "cancelled"
        except (BadInput, Diverged) as error:
            self.problem = str(error)
        finally:
            self.done = True

    def measure(self) -> None:
        """What the study is about; it may raise what `run` catches."""
        raise NotImplementedError

    def world(self, solver: str, options: Any = None) -> World:
        """The scene as built, under a solver with these options, or the scene's; the clock ends no step."""
        world = scenes.make_world(self.scene, self.parameters)
        world.use_solver(solver)
        if options is None:
            scenes.set_options(world, self.scene, self.parameters)
        else:
            world.solver.options = copy.copy(options)
        return scenes.without_clock(world)

    def curve(self, world: World, key: str, h: float, samples: int, between: int,
              stepped: Callable[[int], None] | None = None, limit: float = math.inf) -> np.ndarray:
        """A quantity at the start and after every `between` steps of h [s]. stepped: told the number of steps after each sample.
        limit: processor time that it may take [s].

        Raises:
            Cancelled: by the person. TooLong: what limit says.
        """
        end = time.thread_time() + limit
        read = quantities.find(world, key).read
        curve = np.empty(samples + 1)
        curve[0] = read(world)
        for n in range(samples):
            for _ in range(between):
                if self._stop.is_set():
                    raise Cancelled
                if time.thread_time() > end:
                    raise TooLong
                step(world, h)
            curve[n + 1] = read(world)
            if stepped is not None:
                stepped((n + 1) * between)
        return curve
