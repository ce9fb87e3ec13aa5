"""The fixed-rate physics thread: commands in, frames out, time that never explodes.

Engine time follows wall time (times the speed) until it is 0.1 s behind; older debt is dropped and shown.
"""

import logging
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app.engine.comparison import Comparison
from app.engine.frame import Frame, Pace, Setting, capture
from app.engine.journal import Journal
from app.engine.pacing import time_for_sweeps
from app.engine.poses import poses
from app.engine.simulation import Simulation
from app.engine.writing import Clerk
from physics import BadInput

log = logging.getLogger(__name__)

DEBT_LIMIT = 0.1
"""Wall seconds that the engine may be behind before it gives up the rest."""

SWITCH_INTERVAL = 1e-4
"""Seconds after which a waiting thread gets the GIL. With Python's own 5 ms a busy GUI makes each of the few returns from
compiled code wait so long that 240 Hz cannot be held; with this lateness stays below half a millisecond."""

PUBLISH_INTERVAL = 0.0035
"""Wall seconds between two published frames while running: faster than any screen."""


PATIENCE = 0.3
"""A step that takes longer than this is told of, and given up for a command that makes it pointless [s]."""

OVERTAKING = frozenset(("load", "reset", "renew", "set_parameter", "return_to_state", "use_solver"))
"""Commands that nobody wants to wait for a long step with."""


@dataclass(frozen=True)
class Busy:
    """A step that takes long. seconds: since it began; cancels: its solver can give it up.

    Of the problem that its solver is at: unknowns (0: it does not tell), working: for how long [s], estimate: of the whole if it
    goes well, and if it does not [s].
    """

    seconds: float
    cancels: bool
    unknowns: int = 0
    working: float = 0.0
    estimate: tuple[float, float] = (0.0, 0.0)


class PhysicsThread:
    """Runs a simulation; `post`, `give_up`, `frame` and `busy` are the only ways in and out for other threads."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.comparison = Comparison(simulation)
        self.clerk = simulation.clerk = Clerk(self.post)
        self.journal: Journal | None = None
        self._commands: deque[tuple[str, tuple, dict]] = deque()
        self._taking = threading.Lock()     # held while commands are taken, or a step is given up for one
        self._wake = threading.Event()
        self._stop = False
        self._lateness: deque[float] = deque(maxlen=512)
        self._progress: deque[tuple[float, float]] = deque(maxlen=512)
        self._dropped = 0.0
        self._rebuilt = True    # the first step of a world loads its kernels: that is no lateness
        self._before = poses(self.simulation.world)
        self._published = 0.0
        self._frame = self._capture()
        self._thread = threading.Thread(target=self._loop, name="physics", daemon=True)

    @property
    def frame(self) -> Frame:
        """The newest published state."""
        return self._frame

    @property
    def busy(self) -> Busy | None:
        """The step that is being made, if it takes long."""
        stepping = self.comparison.at_work
        began, solver, now = stepping.began, stepping.world.solver, time.perf_counter()
        if not began or now - began < PATIENCE:
            return None
        progress = getattr(solver, "progress", None)
        since = progress.began if progress is not None else 0.0
        if not since:
            return Busy(now - began, hasattr(solver, "cancel"))
        return Busy(now - began, hasattr(solver, "cancel"), progress.unknowns, max(0.0, now - since), progress.estimate)

    def keep_journal(self, folder: Path) -> None:
        """From now on what is done goes into a file there, from which it can be restored after a crash; before `start`."""
        one = self.simulation
        self.journal = one.history.listener = Journal(folder, one)
        self.journal.began(one._moment(len(one.history.deeds)))

    def start(self) -> None:
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._thread.start()

    def stop(self, ended: bool = True) -> None:
        """End the thread after its current step, which is given up if its solver can do that, and its files. ended: in order."""
        self._stop = True
        for simulation in self.comparison.simulations:
            simulation.overtaken = True
        self._wake.set()
        while self._thread.is_alive():
            self._cancel()
            self._thread.join(0.02)     # a step that was only about to begin has forgotten it
        self.clerk.close()
        if self.journal is not None:
            self.journal.close(ended)
            self.journal = self.simulation.history.listener = None

    def post(self, command: str, *args: Any, **kwargs: Any) -> None:
        """Run a method of the simulation between two steps, in the order posted."""
        with self._taking:
            self._commands.append((command, args, kwargs))
        self._wake.set()

    def give_up(self) -> None:
        """Cancel the step that is being made, if its solver can, forget single steps that wait, and pause."""
        with self._taking:
            self._commands = deque(command for command in self._commands if command[0] != "single_step")
            self._cancel()
        self.post("pause")

    def hurry(self) -> None:
        """Give up a long step for the sake of a command that makes it pointless; call it now and then."""
        with self._taking:
            if self.busy and any(name in OVERTAKING for name, _, _ in self._commands):
                self.comparison.at_work.overtaken = True
                self._cancel()

    def _cancel(self) -> None:
        cancel = getattr(self.comparison.at_work.world.solver, "cancel", None)
        if cancel is not None:
            cancel()

    def _next(self) -> tuple[str, tuple, dict] | None:
        """The command to run now."""
        with self._taking:
            if not self._commands or self._stop:
                return None
            for simulation in self.comparison.simulations:
                simulation.overtaken = False
            return self._commands.popleft()

    def _loop(self) -> None:
        due = time.perf_counter()
        while not self._stop:
            changed = self._obey()
            if self._rebuilt:
                due = time.perf_counter()
            simulation = self.simulation
            if self.comparison.on_the_way:
                self.comparison.catch_up()
                self._before, due = poses(self.simulation.world), time.perf_counter()
                self._progress.clear()
                if not simulation.playing or not self.comparison.on_the_way:     # a loop shows no way to its begin
                    self._publish()
                continue
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
            if changed and self._frame.paused:
                self._publish()     # the first step may take long, and what a person sees must not say "paused" meanwhile
            try:
                due = self._advance(now, due)
            except Exception as error:
                log.exception("a step failed")
                simulation.paused = True
                simulation.warn(f"paused, a step failed: {type(error).__name__}: {error}")
                self._publish()

    def _advance(self, now: float, due: float) -> float:
        """One step that was due at `due`; returns when the next one is."""
        simulation = self.simulation
        period = simulation.dt / simulation.speed
        self._lateness.append(now - due)
        if now - due > DEBT_LIMIT:
            self._dropped += (now - due) * simulation.speed
            due = now
        self._before = poses(self.simulation.world)
        self._step_in_time(period)
        if self._rebuilt:
            self._rebuilt, due = False, time.perf_counter() - period
        self._progress.append((time.perf_counter(), simulation.world.time))
        late = simulation.paused or time.perf_counter() - self._published >= PUBLISH_INTERVAL
        if late and not self.comparison.on_the_way:
            self._publish()
        return due + period

    def _step_in_time(self, period: float) -> None:
        """One step under each solver, which share the wall time `period` [s]."""
        simulations = self.comparison.simulations
        for one in simulations:
            one.allowance = time_for_sweeps(one.world.report, period / len(simulations), self.simulation.time_share)
        try:
            self.comparison.step()
        finally:
            for one in simulations:
                one.allowance = 0.0         # who steps by hand has time

    def _obey(self) -> bool:
        """Run all posted commands; True if there was one."""
        changed = False
        while command := self._next():
            name, args, kwargs = command
            changed = True
            revision, world = self.simulation.world.revision, self.simulation.world
            self._before = poses(self.simulation.world)
            try:
                self.comparison.obey(name, args, kwargs)
            except BadInput as error:
                self.simulation.say(str(error))     # refused, and nothing happened
            except Exception as error:
                log.exception("command %s failed", name)
                self.simulation.warn(f"{name} failed: {error}")
            self._rebuilt |= self.simulation.world is not world
            if self.simulation.world is not world or world.revision != revision:
                self._before = poses(self.simulation.world)
                self._progress.clear()
        return changed

    def _publish(self) -> None:
        self._frame = self._capture()
        self._published = time.perf_counter()

    def _capture(self) -> Frame:
        simulation = self.simulation
        setting = Setting(simulation.scene, simulation.parameters)
        others = tuple(
            capture(f.simulation.world, scene=simulation.scene_name, dt=simulation.dt, paused=simulation.paused,
                    before=f.before, pace=Pace(), trouble=f.trouble, setting=setting)
            for f in self.comparison.followers)
        return capture(simulation.world, scene=simulation.scene_name, dt=simulation.dt, paused=simulation.paused,
                       before=self._before, pace=self._pace(), past=simulation.history.past(), others=others, setting=setting)

    def _pace(self) -> Pace:
        late = np.sort(np.array(self._lateness)) if self._lateness else np.zeros(1)
        reached = 0.0
        if len(self._progress) > 1:
            (wall0, time0), (wall1, time1) = self._progress[0], self._progress[-1]
            reached = abs(time1 - time0) / max(wall1 - wall0, 1e-9)     # backwards is as good
        return Pace(asked=self.simulation.speed, reached=reached, late_p50=float(late[len(late) // 2]),
                    late_p99=float(late[int(0.99 * (len(late) - 1))]), dropped=self._dropped)
