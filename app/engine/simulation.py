"""A running scene: world, clock, history and settings. Used by one thread at a time, without a window.

Its components have a file each: timeline, player, recorder, undo list, breakpoints, observers, budget. Commands of the scene and
the clock are here, all others in engine/commands.
"""

import logging
import os
import time
import weakref
from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import scenes
from app.build_scene import build
from app.engine import file_kinds
from app.engine.body_materials import PairValues, apply_pairs
from app.engine.breakpoints.breakpoints import Breakpoints
from app.engine.command import command
from app.engine.observers.base import Observers
from app.engine.observers.trace import Traces
from app.engine.recording.recorder import Recorder
from app.engine.scene_files import scene_file
from app.engine.scene_files.document import Document, newest, stamp_of
from app.engine.scene_files.scene_file import SceneFile
from app.engine.solver_budget import SolverBudget
from app.engine.timeline.history import KEYFRAME_SETTINGS, Keyframe, SimulationHistory, moment_of
from app.engine.timeline.player import Player
from app.engine.timeline.timeline import Timeline
from app.engine.undo import repeat_edits
from app.engine.undo.difference import AuthoredState, state_of
from app.engine.undo.edit_list import Edit, EditList, UndoList
from app.i18n.message import message
from physics import BadInput, Diverged, Report, Snapshot, World, step
from physics.core.options import checked

LEDGER = "ledger."
"""Prefix of the quantities that need the energy ledger (physics/observe/quantities.py)."""

MAX_RECENT_REPORTS = 1200
"""Number of reports kept of the latest steps: five seconds at 240 steps a second."""

MAX_NAMED = 5
"""Largest number of bodies that a message names."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Start:
    """The state to which a reset returns. snapshot: None: the scene as built; friction, restitution: set for all bodies that it
    has already; edit: the newest one that it contains, if any."""

    snapshot: Snapshot | None = None
    friction: float | None = None
    restitution: float | None = None
    edit: "weakref.ref[Edit] | None" = None


@dataclass(frozen=True)
class LoadedScene:
    """A scene as it was loaded. plots: keys of the recorded quantities; the rest as of `Simulation`."""

    name: str
    scene: scenes.Scene | None
    document: Document
    start: Start
    own: AuthoredState | None
    plots: tuple[str, ...]


class Simulation:
    """A scene running in a world.

    friction, restitution [-], joint_bounds [N m] or [N] by name and group, gravity [m/s^2], pairs: settings of all bodies; they
    survive a reset. own, own_gravity: the scene's own values. document: the file it is in. start: the state to which a reset
    returns; edits made since are repeated there. bookmarked: the bookmarked state. dragged: the mouse's joint, -1: none.
    edits: for undo, at the step shown. recent: (world time [s], report) of new steps; one reader removes them. audited: the
    energy ledger is kept from now on. began: start of the step in progress (perf_counter), 0: none; superseded: that step was
    cancelled for a command that supersedes it. build: number of worlds so far.
    """

    def __init__(self, scene: str = "") -> None:
        self.scene_name = ""
        self.scene: scenes.Scene | None = None
        self.parameters: Any = None
        self.world = World()
        self.dt = 1.0 / 240.0
        self.paused = False
        self.speed = 1.0
        self.traces = Traces(scene=lambda: self.scene)
        self.recent: deque[tuple[float, Report]] = deque(maxlen=MAX_RECENT_REPORTS)
        self.messages: deque[str] = deque(maxlen=200)
        self.friction: float | None = None
        self.restitution: float | None = None
        self.joint_bounds: dict[tuple[str, str], float] = {}
        self.pairs: dict[tuple[str, int | str, int | str], PairValues] = {}
        self.gravity: tuple[float, ...] | None = None
        self.own: AuthoredState | None = None
        self.own_gravity: tuple[float, ...] = (0.0, 0.0, 0.0)
        self.dragged = -1
        self.drag_stiffness = 15.0
        self.document = Document()
        self.start = Start()
        self.bookmarked: Snapshot | None = None
        self.edits = EditList()
        self.audited = False
        self.began = 0.0
        self.superseded = False
        self.build = 0
        self._thrown = 0
        self.history = SimulationHistory()
        self.timeline = Timeline(self)
        self.player = Player(self)
        self.recorder = Recorder(self)
        self.undo = UndoList(self)
        self.breakpoints = Breakpoints(self)
        self.observers = Observers(self)
        self.budget = SolverBudget()
        if scene:
            self.load(scene)
        else:
            self.timeline.begin()

    # ---- scene

    @command
    def load(self, name: str, parameters: Any = None, again: bool = False) -> None:
        """Build a scene, or read a scene file or a robot's; settings of the previous one (friction, options) are discarded.

        again: another program has changed the file; the camera stays.

        Raises:
            BadInput: there is none, it is mistaken or cannot be built; nothing was changed.
        """
        stamp = stamp_of(name)
        name = file_kinds.admit(name)
        scene = scenes.find(name)
        parameters = parameters if parameters is not None else scene.parameters()
        world = build(scene, parameters)
        with self._replacing(message("opened '{scene}'", scene=scene.title)):
            self.forget_materials()
            self.bookmarked, self.gravity = None, None
            self.start = Start(world.snapshot() if scene.start is not None else None)
            self._adopt(world, scene.origin or name, scene, parameters)
            self.dt = scene.dt
            self.traces.record_only(scene.plots)
            self.traces.record(self.world)
            self.timeline.begin()
        path, robot = (scene.file, "") if name in scene_file.opened else ("", scene.file)
        self.document = Document(path, newest(self.edits), stamp, robot)
        self.recorder.view_state = None
        if name in scene_file.opened:
            self._view(name, scene_file.opened[name], again)
        if again:
            self.notify(message("{name} was changed on the disk: the scene is updated; Undo returns to the former one",
                             name=os.path.basename(name)))

    def _replacing(self, text: str) -> AbstractContextManager:
        """Context of what replaces the scene, as an edit; the first scene replaces none."""
        if self.scene is None:
            return nullcontext()
        self.timeline.goal = None       # the step shown counts, not one that is being sought
        return self.undo.whole_edit("load", lambda before: text)

    def _view(self, name: str, opened: SceneFile, again: bool) -> None:
        """Take plots, breakpoints and view of a file."""
        if opened.view is not None:
            opened.view.restore(self)
            self.recorder.view_state = replace(opened.view, view=None) if again else opened.view
        for note in opened.notes:
            self.notify(f"{os.path.basename(name)}: {note}")

    def loaded(self) -> LoadedScene:
        """Return what `return_to` needs."""
        return LoadedScene(self.scene_name, self.scene, self.document, self.start, self.own, tuple(self.traces.keys))

    def return_to(self, loaded: LoadedScene) -> None:
        """Return to a scene whose world was restored already."""
        if loaded.scene is not self.scene:
            self.build += 1
            self.traces.record_only(loaded.plots)
        self.scene_name, self.scene, self.document = loaded.name, loaded.scene, loaded.document
        self.start, self.own = loaded.start, loaded.own

    @command
    def reset(self) -> None:
        """Rebuild the scene; solver, options, sleeping, step size, gravity and friction settings stay as they are, and so does
        what was built by hand (undo/repeat_edits.py)."""
        if self.scene is None:
            return
        parameters = self.present_parameters
        world = build(self.scene, parameters)
        with self.undo.whole_edit("reset", lambda before: message("reset at t = {time:.4g} s", time=before.moment.snapshot.time)):
            self.parameters = parameters
            edit = self.start.edit() if self.start.edit is not None else None
            self.rebuild(world, repeat_edits.edits_since(self.edits.done, edit))

    @property
    def present_parameters(self) -> Any:
        """The parameters as they act now; `parameters` are those with which the scene was built."""
        return scenes.present(self.parameters, self.world.inputs)

    def start_here(self, world: World) -> None:
        """Make that state the one to which a reset returns."""
        self.start = Start(world.snapshot(), self.friction, self.restitution, newest(self.edits))

    def rebuild(self, world: World, edits: Sequence[Edit] = ()) -> None:
        """Replace the world by the rebuilt one; what survives a reset stays. edits: to be repeated there."""
        present, own = self.world, self.own
        solver, sleeping, audit = self.world.solver, self.world.sleeping, self.world.audit.options
        self._adopt(world, self.scene_name, self.scene, self.parameters)
        if self.start.snapshot is not None:
            self.world.restore(self.start.snapshot)
        self.world.solver, self.world.sleep.options, self.world.audit.options = solver, sleeping, audit
        if self.gravity is not None:
            self.world.set_gravity(self.gravity)
        if self.friction not in (None, self.start.friction):
            self.world.set_friction(self.friction)
        if self.restitution not in (None, self.start.restitution):
            self.world.set_restitution(self.restitution)
        for (name, group), bound in self.joint_bounds.items():
            if name in self.world.joint_names:
                self.world.set_joint_friction(bound, self.world.joint(name), group)
        apply_pairs(self.world, self.pairs)
        if edits:
            repeat_edits.repeat(self.world, present, edits)
            self.start_here(self.world)
        if lost := repeat_edits.lost_names(present, self.world, own):
            self.notify(message("no longer there: {names}; Undo brings back what was built", names=", ".join(lost[:MAX_NAMED])))
        self.traces.clear()
        self.traces.record(self.world)
        self.timeline.begin()

    def fork(self) -> "Simulation":
        """Return another simulation in this state, with a history of its own that begins now."""
        other = Simulation()
        other._adopt(build(self.scene, self.parameters), self.scene_name, self.scene, self.parameters)
        other.world.restore(self.world.snapshot())
        other.restore_settings(self.settings())
        other.start = self.start
        other.timeline.held, other.paused, other.speed = self.timeline.held, self.paused, self.speed
        other.traces.record_only(self.traces.keys)
        other.traces.record(other.world)
        other.timeline.begin()
        return other

    def forget_materials(self) -> None:
        """Discard settings of friction, restitution, joint friction and pairs."""
        self.friction = self.restitution = None
        self.joint_bounds, self.pairs = {}, {}

    def next_thrown(self) -> int:
        """Return the number of the next thrown body."""
        self._thrown += 1
        return self._thrown

    def _adopt(self, world: World, name: str, scene: scenes.Scene, parameters: Any) -> None:
        self.scene_name, self.scene, self.parameters = name, scene, parameters      # before the world, for its readers
        self.world, self.build = world, self.build + 1
        self.recent = deque(maxlen=MAX_RECENT_REPORTS)
        self.own_gravity = tuple(float(g) for g in self.world.gravity)
        self.dragged = -1
        self.own = state_of(self)
        self._report_warnings()

    # ---- keyframes

    def settings(self) -> dict[str, Any]:
        """Return the settings of this step outside the world, by value."""
        return {name: dict(value) if isinstance(value := getattr(self, name), dict) else value for name in KEYFRAME_SETTINGS}

    def restore_settings(self, settings: dict[str, Any]) -> None:
        """Restore the settings of a keyframe."""
        for name, value in settings.items():
            setattr(self, name, dict(value) if isinstance(value, dict) else value)

    def moment(self, done: int) -> Keyframe:
        """Return a keyframe of this state; done: number of recorded commands that it contains."""
        return moment_of(self.world.snapshot(), self.settings(), done)

    # ---- time

    @command
    def pause(self) -> None:
        """Stop the clock, and any search through the history."""
        self.timeline.end_search()
        self.paused = True

    @command
    def run(self) -> None:
        """Start the clock: play an open recording; elsewhere continue, or branch from the past."""
        self.paused = False
        player = self.player
        recorded = self.recorder.recording is not None and self.timeline.in_past
        player.playing = recorded or (player.playing and not player.backwards)
        player.backwards = False

    @command
    def toggle_pause(self) -> None:
        """Pause or run."""
        (self.run if self.paused else self.pause)()

    @command
    def single_step(self, count: int = 1) -> None:
        """Pause and advance by `count` steps: through the recorded future first, then beyond it."""
        self.paused, hit = True, self.breakpoints.hit
        ahead = min(count, self.history.last - self.timeline.place)
        if ahead > 0:
            self.timeline.seek_forward(self.timeline.place + ahead)
        for _ in range(count - ahead):
            self.timeline.go_to_goal()
            self.player.playing = False
            if self.breakpoints.hit is not hit or not self.step():
                break

    @command
    def set_speed(self, speed: float) -> None:
        """Set the simulated seconds per second, 1/64 .. 4."""
        self.speed = checked("speed", speed, 1.0, lo=1.0 / 64.0, hi=4.0)

    def step(self) -> bool:
        """Make a step; False (paused, message, last valid state kept) if the step diverged or was cancelled."""
        if self.player.playing:
            return self.player.step()
        self.timeline.go_to_goal()
        self.timeline.branch()
        watched = self.breakpoints.watch()
        if not self.compute_step():
            self.history.record_break(self.moment)
            return False
        self.timeline.record_step()
        self.recent.append((self.world.time, self.world.report))
        self._report_warnings()
        self.breakpoints.stop_at(watched)
        return True

    def compute_step(self) -> bool:
        """Compute a new or a recorded step; False as in `step`."""
        self.began = time.perf_counter()
        self.world.records_energy = self.needs_ledger(self.traces.keys)
        try:
            with self.budget.applied_to(self.world.solver):
                step(self.world, self.dt)
        except (Diverged, BadInput) as error:
            if not self.superseded:
                self.paused = True
                self.warn(str(error))
            return False
        finally:
            self.began = 0.0
        self.traces.record(self.world)
        self.observers.show()
        return True

    def needs_ledger(self, followed: Sequence[str]) -> bool:
        """Return whether steps must keep the energy ledger; followed: keys of the recorded quantities."""
        return self.audited or any(key.startswith(LEDGER) for key in followed)

    # ---- messages

    def notify(self, text: str) -> None:
        """Show a message in the window; a note in its console."""
        log.info(text)
        self.messages.append(text)

    def warn(self, text: str) -> None:
        """Show a warning; also in the console and the log."""
        log.warning(text)
        self.messages.append(text)

    def _report_warnings(self) -> None:
        for sentence in (*self.world.warnings.pop_new(), *(broken.text for broken in self.world.broken)):
            if self.scene is not None and sentence.startswith(self.scene.expected_warnings):
                log.info("the scene means it: %s", sentence)
            else:
                self.warn(sentence)
