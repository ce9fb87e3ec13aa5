"""The fixed-rate physics thread: commands in, frames out, time that never explodes.

Engine time follows wall time (times the speed) until it is 0.1 s behind; older debt is dropped and shown.
"""

import logging
import sys
import threading
import time
from collections import deque
from typing import Any

import numpy as np

from app.frame import Frame, Pace, capture
from app.simulation import Simulation
from physics import BadInput

log = logging.getLogger(__name__)

DEBT_LIMIT = 0.1
"""Wall seconds that the engine may be behind before it gives up the rest."""

SWITCH_INTERVAL = 1e-4
"""Seconds after which a waiting thread gets the GIL. With Python's own 5 ms a busy GUI makes each of the few returns from
compiled code wait so long that 240 Hz cannot be held; with this lateness stays below half a millisecond."""

PUBLISH_INTERVAL = 0.0035
"""Wall seconds between two published frames while running: faster than any screen."""


class PhysicsThread:
    """Runs a simulation; `post` and `frame` are the only ways in and out for other threads."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._commands: deque[tuple[str, tuple, dict]] = deque()
        self._wake = threading.Event()
        self._stop = False
        self._lateness: deque[float] = deque(maxlen=512)
        self._progress: deque[tuple[float, float]] = deque(maxlen=512)
        self._dropped = 0.0
        self._rebuilt = True    # the first step of a world loads its kernels: that is no lateness
        self._before = self._poses()
        self._published = 0.0
        self._frame = self._capture()
        self._thread = threading.Thread(target=self._loop, name="physics", daemon=True)

    @property
    def frame(self) -> Frame:
        """The newest published state."""
        return self._frame

    def start(self) -> None:
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._thread.start()

    def stop(self) -> None:
        """End the thread after its current step."""
        self._stop = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def post(self, command: str, *args: Any, **kwargs: Any) -> None:
        """Run a method of the simulation between two steps, in the order posted."""
        self._commands.append((command, args, kwargs))
        self._wake.set()

    def _loop(self) -> None:
        due = time.perf_counter()
        while not self._stop:
            changed = self._obey()
            if self._rebuilt:
                due = time.perf_counter()
            simulation = self.simulation
            if simulation.paused:
                if changed:
                    self._publish()
                self._wake.wait(0.05)
                self._wake.clear()
                due = time.perf_counter()
                self._progress.clear()
                continue
            now = time.perf_counter()
            if now < due:
                if changed:
                    self._publish()
                self._wake.wait(due - now)
                self._wake.clear()
                continue
            try:
                due = self._advance(now, due)
            except Exception as error:
                log.exception("a step failed")
                simulation.paused = True
                simulation.say(f"paused, a step failed: {type(error).__name__}: {error}")
                self._publish()

    def _advance(self, now: float, due: float) -> float:
        """One step that was due at `due`; returns when the next one is."""
        simulation = self.simulation
        period = simulation.dt / simulation.speed
        self._lateness.append(now - due)
        if now - due > DEBT_LIMIT:
            self._dropped += (now - due) * simulation.speed
            due = now
        self._before = self._poses()
        simulation.step()
        if self._rebuilt:
            self._rebuilt, due = False, time.perf_counter() - period
        self._progress.append((time.perf_counter(), simulation.world.time))
        if simulation.paused or time.perf_counter() - self._published >= PUBLISH_INTERVAL:
            self._publish()
        return due + period

    def _obey(self) -> bool:
        """Run all posted commands; True if there was one."""
        changed = False
        while self._commands:
            name, args, kwargs = self._commands.popleft()
            changed = True
            revision, world = self.simulation.world.revision, self.simulation.world
            self._before = self._poses()
            try:
                getattr(self.simulation, name)(*args, **kwargs)
            except BadInput as error:
                self.simulation.say(str(error))
            except Exception as error:
                log.exception("command %s failed", name)
                self.simulation.say(f"{name} failed: {error}")
            self._rebuilt |= self.simulation.world is not world
            if self.simulation.world is not world or world.revision != revision:
                self._before = self._poses()
                self._progress.clear()
        return changed

    def _poses(self) -> tuple[np.ndarray, np.ndarray]:
        bodies = self.simulation.world.bodies
        return bodies["pos"].copy(), bodies["quat"].copy()

    def _publish(self) -> None:
        self._frame = self._capture()
        self._published = time.perf_counter()

    def _capture(self) -> Frame:
        simulation = self.simulation
        return capture(simulation.world, scene=simulation.scene_name, dt=simulation.dt, paused=simulation.paused,
                       before=self._before, pace=self._pace())

    def _pace(self) -> Pace:
        late = np.sort(np.array(self._lateness)) if self._lateness else np.zeros(1)
        reached = 0.0
        if len(self._progress) > 1:
            (wall0, time0), (wall1, time1) = self._progress[0], self._progress[-1]
            reached = (time1 - time0) / max(wall1 - wall0, 1e-9)
        return Pace(asked=self.simulation.speed, reached=reached, late_p50=float(late[len(late) // 2]),
                    late_p99=float(late[int(0.99 * (len(late) - 1))]), dropped=self._dropped)
