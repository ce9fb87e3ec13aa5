"""The physics thread of fixed rate: takes commands, publishes frames, slows time down when steps take too long.

Simulated time follows wall time (times the speed) up to 0.1 s behind; a larger lag is dropped and reported.
"""

import logging
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from app import cancellable_work, free_memory
from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.frame import FanMember, Frame, RealTimePace, authored_by, built_by, capture, poses
from app.engine.punctual_wait import TOLERANCE, PunctualWait, use_precise_timers
from app.engine.recording.file_writer import FileWriter
from app.engine.recording.journal import Journal
from app.engine.simulation import Simulation
from app.engine.solver_budget import time_for_sweeps
from app.i18n.message import message
from physics import BadInput

log = logging.getLogger(__name__)

DEBT_LIMIT = 0.1
"""Largest lag of simulated time behind wall time; the rest is dropped [wall s]."""

SWITCH_INTERVAL = 1e-4
"""Time after which a waiting thread gets the GIL [s]. With Python's own 5 ms a busy GUI delays each of the few returns from
compiled code so long that 240 Hz cannot be held; with this value lateness stays below half a millisecond."""

PUBLISH_INTERVAL = 0.0035
"""Interval between two published frames while running: shorter than the refresh interval of any screen [wall s]."""


LONG_STEP = 0.3
"""A step that takes longer is reported, and cancelled for a command that supersedes it [s]."""

CANCELLING_COMMANDS = frozenset((Simulation.load, Simulation.reset, commands.rebuild_changed_scene, commands.set_parameter,
                                 commands.return_to_state, commands.use_solver))
"""Commands that supersede a long step."""


@dataclass(frozen=True)
class BusyState:
    """A step that takes long. seconds: since its start; cancels: its solver can cancel it.

    Of the problem being solved: unknowns (0: not reported), working: time spent [s], estimate: of the total time, likely and
    worst case [s].
    """

    seconds: float
    cancels: bool
    unknowns: int = 0
    working: float = 0.0
    estimate: tuple[float, float] = (0.0, 0.0)


class PhysicsThread:
    """Runs a simulation; other threads use only `post`, `cancel_step`, `frame` and `busy`."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.comparison = Comparison(simulation)
        self.writer = simulation.recorder.writer = FileWriter(self.post)
        self.journal: Journal | None = None
        self._commands: deque[tuple[Callable, tuple, dict]] = deque()
        self._taking = threading.Lock()     # held while commands are taken, or a step is cancelled for one
        self._wake = threading.Event()
        self._wait = PunctualWait()
        self._stop = False
        self._lateness: deque[float] = deque(maxlen=512)
        self._progress: deque[tuple[float, float]] = deque(maxlen=512)
        self._dropped = 0.0
        self._hold_at = math.inf
        self.rebuilt = True    # the first step of a world loads its kernels and does not count as late
        self._before = poses(self.simulation.world)
        self._published = 0.0
        self._frame = self._capture()
        self._thread = threading.Thread(target=self._loop, name="physics", daemon=True)

    @property
    def frame(self) -> Frame:
        """The latest published frame."""
        return self._frame

    @property
    def busy(self) -> BusyState | None:
        """The step in progress, if it takes long."""
        stepping = self.comparison.stepping_simulation
        began, solver, now = stepping.began, stepping.world.solver, time.perf_counter()
        if not began or now - began < LONG_STEP:
            return None
        progress = solver.progress
        since = progress.began if progress is not None else 0.0
        if not since:
            return BusyState(now - began, solver.cancellable)
        return BusyState(now - began, solver.cancellable, progress.unknowns, max(0.0, now - since), progress.estimate)

    def start_journal(self, folder: Path) -> None:
        """Write all commands from now on to a journal in that folder, for recovery after a crash; call it before `start`."""
        one = self.simulation
        self.journal = one.history.listener = Journal(folder, one)
        self.journal.on_begin(one.moment(len(one.history.commands)))

    def start(self) -> None:
        """Start stepping; what was set until now, a pause among it, is in the first frame."""
        self.publish()
        sys.setswitchinterval(SWITCH_INTERVAL)
        self._thread.start()

    def stop(self, ended: bool = True) -> None:
        """End the thread after the current step, cancelled if its solver can, and close its files. ended: regularly."""
        self._stop = True
        for simulation in self.comparison.simulations:
            simulation.superseded = True
        self._wake.set()
        while self._thread.is_alive():
            self.cancel()
            cancellable_work.cancel_for(self._thread.ident)
            self._thread.join(0.02)     # a step resets the request to cancel when it starts
        self.writer.close()
        if self.journal is not None:
            self.journal.close(ended)
            self.journal = self.simulation.history.listener = None

    def post(self, command: Callable, *args: Any, **kwargs: Any) -> None:
        """Run a command between two steps, in the order posted: a function of app.engine.commands, or such a method of
        `Simulation` or `Comparison`. Its first argument is left out."""
        with self._taking:
            self._commands.append((command, args, kwargs))
        self._wake.set()

    def hold_at(self, time: float) -> None:
        """Run no further than to the first step at that simulated time [s], until this is called again; inf: no limit."""
        self._hold_at = time
        self._wake.set()

    def cancel_step(self) -> None:
        """Cancel the step in progress, if its solver can, discard pending single steps, and pause."""
        with self._taking:
            self._commands = deque(command for command in self._commands if command[0] is not Simulation.single_step)
            self.cancel()
        self.post(Simulation.pause)

    def cancel_if_superseded(self) -> None:
        """Cancel a long step if a posted command supersedes it; call it regularly."""
        with self._taking:
            if self.busy and any(command in CANCELLING_COMMANDS for command, _, _ in self._commands):
                self.comparison.stepping_simulation.superseded = True
                self.cancel()

    @property
    def is_alive(self) -> bool:
        """Whether it has been started and not stopped."""
        return self._thread.is_alive()

    @property
    def has_commands(self) -> bool:
        """Whether commands wait for the end of a step."""
        return bool(self._commands)

    def cancel(self) -> None:
        self.comparison.stepping_simulation.world.solver.cancel()

    def _next(self) -> tuple[Callable, tuple, dict] | None:
        """Return the next command."""
        with self._taking:
            if not self._commands or self._stop:
                return None
            for simulation in self.comparison.simulations:
                simulation.superseded = False
            return self._commands.popleft()

    def _loop(self) -> None:
        use_precise_timers()
        due = time.perf_counter()
        while not self._stop:
            changed = self.run_commands()
            if self.rebuilt:
                due = time.perf_counter()
            simulation = self.simulation
            if self.comparison.is_seeking:
                self.comparison.catch_up()
                self._before, due = poses(self.simulation.world), time.perf_counter()
                self._progress.clear()
                if not simulation.player.playing or not self.comparison.is_seeking:     # the jump to a loop's start is not shown
                    self.publish()
                continue
            if simulation.paused:
                if changed:
                    self.publish()
                self._wake.wait(0.05)
                self._wake.clear()
                due = time.perf_counter()
                self._progress.clear()
                continue
            if simulation.world.time >= self._hold_at:
                if changed or self._frame.step != simulation.world.steps:
                    self.publish()
                self._wake.wait(0.05)
                self._wake.clear()
                due = time.perf_counter()
                continue
            now = time.perf_counter()
            if now < due - TOLERANCE:
                if changed:
                    self.publish()
                self._wait.until(self._wake, due)
                self._wake.clear()
                continue
            if changed and self._frame.paused:
                self.publish()     # the first step may take long; until its end the window must not show "paused"
            try:
                due = self.advance(now, due)
            except (Exception, SystemExit) as error:    # solvers and drivers may be user code
                log.exception("a step failed")
                simulation.paused = True
                simulation.warn(message("paused, a step failed: {error_type}: {error}", error_type=type(error).__name__,
                                        error=error))
                self.publish()

    def advance(self, now: float, due: float) -> float:
        """Make a step that was due at `due`; return the time when the next one is due."""
        simulation = self.simulation
        period = simulation.dt / simulation.speed
        self._lateness.append(abs(now - due))
        if now - due > DEBT_LIMIT:
            self._dropped += (now - due) * simulation.speed
            due = now
        self._before = poses(self.simulation.world)
        self._step_in_time(period)
        if self.rebuilt:
            free_memory.release()
            self.rebuilt, due = False, time.perf_counter() - period
        self._progress.append((time.perf_counter(), simulation.world.time))
        late = simulation.paused or time.perf_counter() - self._published >= PUBLISH_INTERVAL
        if late and not self.comparison.is_seeking:
            self.publish()
        return due + period

    def _step_in_time(self, period: float) -> None:
        """Make a step under each solver; they share the wall time `period` [s]."""
        simulations = self.comparison.simulations
        for one in simulations:
            one.budget.allowance = time_for_sweeps(one.world.report, period / len(simulations), self.simulation.budget.time_share)
        try:
            self.comparison.step()
        finally:
            for one in simulations:
                one.budget.allowance = 0.0         # single steps have no limit

    def run_commands(self) -> bool:
        """Run all posted commands; return whether there was one."""
        changed = False
        while waiting := self._next():
            command, args, kwargs = waiting
            changed = True
            revision, world = self.simulation.world.revision, self.simulation.world
            self._before = poses(self.simulation.world)
            try:
                self.comparison.apply_command(command, args, kwargs)
            except BadInput as error:
                self.simulation.notify(str(error))     # refused; nothing changed
            except (Exception, SystemExit) as error:
                log.exception(message("command {command} failed", command=command.__name__))
                self.simulation.warn(message("{command} failed: {error}", command=command.__name__, error=error))
            self.rebuilt |= self.simulation.world is not world
            if self.simulation.world is not world or world.revision != revision:
                self._before = poses(self.simulation.world)
                self._progress.clear()
        return changed

    def publish(self) -> None:
        self._frame = self._capture()
        self._published = time.perf_counter()

    def _capture(self) -> Frame:
        simulation = self.simulation
        setting = built_by(simulation)
        authored = authored_by(simulation)
        others = tuple(
            capture(f.simulation.world, scene=simulation.scene_name, dt=simulation.dt, paused=simulation.paused,
                    before=f.before, pace=RealTimePace(), stopped_because=f.stopped_because, setting=setting)
            for f in self.comparison.followers)
        fan = tuple(FanMember(f.variation.variable, f.variation.value, f.simulation.world.time, *poses(f.simulation.world),
                              *f.before, f.stopped_because) for f in self.comparison.members)
        return capture(simulation.world, scene=simulation.scene_name, dt=simulation.dt, paused=simulation.paused,
                       before=self._before, pace=self._pace(), past=simulation.history.past(), others=others, setting=setting,
                       authored=authored, fan=fan)

    def _pace(self) -> RealTimePace:
        late = np.sort(np.array(self._lateness)) if self._lateness else np.zeros(1)
        reached = 0.0
        if len(self._progress) > 1:
            (wall0, time0), (wall1, time1) = self._progress[0], self._progress[-1]
            reached = abs(time1 - time0) / max(wall1 - wall0, 1e-9)     # playing backwards counts, too
        return RealTimePace(asked=self.simulation.speed, reached=reached, late_p50=float(late[len(late) // 2]),
                            late_p99=float(late[int(0.99 * (len(late) - 1))]), dropped=self._dropped)
