"""Commands that observe a simulation: observers, traces, the energy ledger, copies of its state and recent history."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import scenes
from app.engine.command import command
from app.engine.frame import Frame, RealTimePace, authored_by, built_by, capture, poses
from app.engine.observers.base import StepObserver
from app.engine.recording import file
from app.engine.simulation import Simulation
from app.i18n.message import message
from physics import Snapshot, World

MIN_EXPORTED_TIME = 20.0
"""Least simulated time before the present that a problem report contains, memory permitting [s]."""
MAX_EXPORT_BYTES = 16_000_000
"""Largest size of that history before packing [bytes]; keyframes for quick seeking may add a quarter."""


@dataclass(frozen=True)
class ExportedState:
    """Everything that the next step reads. dt: step size [s]; cost: wall time of the export [s]."""

    scene: str
    snapshot: Snapshot
    dt: float
    cost: float = 0.0

    def world(self) -> World:
        """Return an independent world in that state, without a time budget."""
        world = World()
        world.restore(self.snapshot)
        return scenes.without_clock(world)


@dataclass(frozen=True)
class RecentPast:
    """The state shown, and the piece of history that leads to it; None: there is none, for the reason given."""

    frame: Frame
    piece: file.RecordedPiece | None
    why: str = ""


@command
def add_observer(simulation: Simulation, observer: StepObserver) -> None:
    """Call an observer after every step from now on."""
    simulation.observers.add(observer)


@command
def remove_observer(simulation: Simulation, observer: StepObserver) -> None:
    """Stop calling an observer."""
    simulation.observers.remove(observer)


@command
def replay_last_steps(simulation: Simulation, count: int) -> None:
    """Pause and recompute the last steps for the observers, except those that the time budget cut short."""
    timeline, world, here = simulation.timeline, simulation.world, simulation.timeline.place
    simulation.paused = True
    timeline.seek(here - int(count))
    timeline.go_to_goal()
    while world.steps < here:
        before = world.steps
        if simulation.history.is_repeatable_from(before, here):
            timeline.goal = here
        else:
            timeline.seek(before + 1)
        timeline.go_to_goal()
        if world.steps == before:      # it could not be recomputed
            timeline.seek(here)
            timeline.go_to_goal()
            return


@command
def follow(simulation: Simulation, key: str) -> None:
    """Record a quantity from now on; keys as of `scenes.find_quantity`."""
    simulation.traces.record_quantity(simulation.world, key)


@command
def unfollow(simulation: Simulation, key: str) -> None:
    """Stop recording a quantity."""
    simulation.traces.drop_quantity(key)


@command
def record_energy(simulation: Simulation) -> None:
    """Keep the energy ledger from now on. It stays on: steps without it could not be added later."""
    simulation.audited = True


@command
def export_state(simulation: Simulation, take: Callable[[ExportedState], None]) -> None:
    """Call take(state) on the physics thread; it should only store the state."""
    simulation.timeline.go_to_goal()
    begin = time.perf_counter()
    snapshot = simulation.world.snapshot()
    take(ExportedState(simulation.scene_name, snapshot, simulation.dt, time.perf_counter() - begin))


@command
def export_recent(simulation: Simulation, take: Callable[[RecentPast], None]) -> None:
    """Call take(recent) on the physics thread: the state shown and the history that leads to it."""
    simulation.timeline.go_to_goal()
    world, history = simulation.world, simulation.history
    frame = capture(world, scene=simulation.scene_name, dt=simulation.dt, paused=simulation.paused, pace=RealTimePace(),
                    past=history.past(), before=poses(world), authored=authored_by(simulation),
                    setting=built_by(simulation))
    if simulation.scene is None or history.first == world.steps:
        take(RecentPast(frame, None, "no step precedes it"))
        return
    end = simulation.moment(simulation.timeline.done if simulation.timeline.in_past else len(history.commands))
    first = file.first_affordable_step(history, end, MIN_EXPORTED_TIME, MAX_EXPORT_BYTES)
    if first == end.step:
        take(RecentPast(frame, None,
                        message("the data of {bodies} bodies exceed {max_export_bytes:.0f} MB", bodies=len(frame.bodies),
                                max_export_bytes=MAX_EXPORT_BYTES / 1e6)))
        return
    piece = file.extract(simulation.scene_name, simulation.parameters, world, history, first, end, MAX_EXPORT_BYTES // 4)
    take(RecentPast(frame, piece))
