"""The state edited by the GUI: a running simulation, selection, camera, view options. No OpenGL."""

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import scenes
from app.analysis.lessons.classroom_lock import Lock
from app.camera import Camera
from app.console import console
from app.engine import commands, file_kinds
from app.engine.breakpoints.base import BreakpointHit
from app.engine.frame import Frame, same_contact
from app.engine.observers.trace import Traces
from app.engine.recording.view_state import ViewState, as_json
from app.engine.scene_files.document import DocumentWatcher
from app.engine.simulation import Simulation
from app.engine.thread import BusyState, PhysicsThread
from app.i18n.message import message
from app.own_files.ask import TrustQuestions
from app.own_files.discover import FileWatcher
from app.render.scene.framing import ASPECT, for_aspect, framed
from app.render.scene.overlay_context import Ghost, Highlight, PreviewGhost
from app.render.view_options import ViewOptions
from app.requests import WindowRequests
from physics import BadInput
from physics.core import former_names
from scenes import Scene, View

StateT = TypeVar("StateT")

former_names.FIELDS["Session"] = {"say": "notify"}      # called by own panels of users

LEAVING = frozenset((Simulation.load, commands.open_recording))
"""Commands that leave the scene."""


LIVE_PATIENCE = 1.0
"""Time after which a live parameter that does not act was refused [s]."""
RECENT = 0.5
"""Messages of so long before the first picture of a new run belong to it [s]."""


def _file(frame: Frame) -> str:
    """Path of the scene file that a frame shows."""
    return frame.setting.scene.file if frame.setting.scene is not None else ""


@dataclass
class Selection:
    """The selection; -1: nothing. body: the one shown in panels; more: bodies selected besides, the newest last."""

    body: int = -1
    joint: int = -1
    contact: int = -1
    more: tuple[int, ...] = ()

    @property
    def bodies(self) -> tuple[int, ...]:
        """All selected bodies, the one shown in panels last."""
        return (*(i for i in self.more if i != self.body), self.body) if self.body >= 0 else ()

    @classmethod
    def of(cls, bodies: Iterable[int]) -> "Selection":
        """Select several bodies without duplicates; panels show the last one."""
        *more, body = dict.fromkeys(bodies) or (-1,)
        return cls(body, more=tuple(more))

    def toggled(self, body: int) -> "Selection":
        """Return the selection with that body added, or removed if it is selected."""
        others = [i for i in self.bodies if i != body]
        return Selection.of(others if body in self.bodies else [*others, body])


@dataclass
class SessionMessage:
    """A message for the user, shown for a while and kept in the list."""

    text: str
    wall: float


class PanelEntry(NamedTuple):
    """A panel as menus list it. group: submenu, "" if it opens elsewhere; about: what it shows, in one line."""

    name: str
    title: str
    is_open: bool
    group: str
    about: str


@former_names.accepts_former
@dataclass
class Session:
    """Connects window, panels and physics; used on the window's thread."""

    thread: PhysicsThread
    frame: Frame
    camera: Camera = field(default_factory=Camera)
    view: ViewOptions = field(default_factory=ViewOptions)
    selection: Selection = field(default_factory=Selection)
    highlight: Highlight = field(default_factory=Highlight)
    ghosts: tuple[Ghost | PreviewGhost, ...] = ()     # translucent bodies; panels set them for each picture
    messages: deque[SessionMessage] = field(default_factory=lambda: deque(maxlen=100))
    aspect: float = ASPECT      # width over height of the leader's picture; changed by `meet_aspect`
    throw_speed: float = 12.0
    fps: float = 0.0
    window: WindowRequests = field(default_factory=WindowRequests)     # requests to the window
    panels: list[PanelEntry] = field(default_factory=list)
    holding: Callable[[], int] = int    # id of the control that is held, 0: none
    _held: int = field(default=0, repr=False)
    _gestures: int = field(default=0, repr=False)
    asks_before_leaving: bool = False      # whether unsaved work is asked about: not in tests, nor in a locked window
    leaving: Callable[[], None] | None = None     # what waits for the answer
    look_at: tuple[float, float, float] | None = None     # point of an event [m], until the viewport has turned to it
    _view: View | None = None   # to which the camera was set last, as for ASPECT
    stale_before: float = 0.0     # messages older than this are of a scene, or of a run, that is no more (perf_counter) [s]
    _live_posted: tuple[str, Any, float] = ("", 0.0, 0.0)     # name, value, when (perf_counter)
    _live_next: tuple[str, Any] | None = None       # waits until that one acts
    _hit: BreakpointHit | None = None
    _view_state: ViewState | None = None
    _opened_again: str = ""     # the scene file that was opened again last: camera and selection stay
    _states: dict[type, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, scene: str) -> "Session":
        """Load a scene; the physics thread is created but not started.

        Raises:
            BadInput: unknown scene.
        """
        thread = PhysicsThread(Simulation(scene))
        session = cls(thread, thread.frame)
        session._meet_scene()
        return session

    @property
    def simulation(self) -> Simulation:
        """Read slowly changing facts (scene, parameters, options, dt); change them only through `post`."""
        return self.thread.simulation

    @property
    def scene(self) -> Scene | None:
        """The scene of the frame shown; the physics may have loaded another one already."""
        return self.frame.setting.scene

    @property
    def parameters(self) -> Any:
        """The parameters of that scene as they act now."""
        return scenes.present(self.frame.setting.parameters, self.frame.inputs)

    @property
    def changed_at(self) -> float | None:
        """Time at which a live parameter was changed last while the scene ran [s]; None: none was."""
        return self.frame.inputs.get(scenes.CHANGED)

    def set_parameter(self, name: str, value: Any) -> None:
        """Set a parameter of the scene: a live one acts on the scene that runs, another one rebuilds it."""
        if self.scene is None or name not in self.scene.live or self.frame.step == 0:
            self.post(commands.set_parameter, name, value)
        elif self._live_arrived:
            self._report_gesture()
            self._post_live(name, value)
        else:
            self._live_next = name, value       # a slider that is dragged asks faster than a large scene is built

    @property
    def _live_arrived(self) -> bool:
        """Whether the last live parameter that was posted acts in the frame, or was refused."""
        name, value, wall = self._live_posted
        return self.frame.inputs.get(name, value) == value or time.perf_counter() - wall > LIVE_PATIENCE

    def _post_live(self, name: str, value: Any) -> None:
        self._live_posted, self._live_next = (name, value, time.perf_counter()), None
        self.thread.post(commands.set_live_parameter, name, value)

    @property
    def traces(self) -> Traces:
        return self.simulation.traces

    def post(self, command: Callable, *args: Any, **kwargs: Any) -> None:
        """Run a command (app/engine/commands) on the physics thread between two steps. The commands that a control
        sends while held are one edit. What leaves unsaved work waits for an answer."""
        self._report_gesture()
        if command in LEAVING and not kwargs.get("again"):
            self.leave(lambda: self.thread.post(command, *args, **kwargs))
        else:
            self.thread.post(command, *args, **kwargs)

    def leave(self, then: Callable[[], None]) -> None:
        """Do what leaves the scene, once the user has answered what becomes of unsaved work."""
        if self.asks_before_leaving and self.has_unsaved and not self.state(Lock).on:
            self.leaving = then
            self.window.open_panel("unsaved")
        else:
            then()

    @property
    def has_unsaved(self) -> bool:
        """Whether there is work that is in no file."""
        return self.simulation.document.has_unsaved(self.frame.authored.edits)

    @property
    def shown_name(self) -> str:
        """The file that the window shows, or its scene's name."""
        return self.frame.setting.file or self.frame.scene

    def shown_scene(self) -> str:
        """Name by which `scenes.find` has what the window shows as it is in its file, for studies in other processes.

        Raises:
            BadInput: it was pasted, or its file cannot be read any more.
        """
        built = self.frame.setting
        if built.file:
            return file_kinds.admit(built.file)
        if built.scene is not None and built.scene.start is not None:
            raise BadInput("a pasted scene has no file that other processes can read: save it first")
        return self.frame.scene

    @property
    def document_title(self) -> str:
        """Name of the scene file, or title of the scene, with a mark if it is unsaved."""
        path = self.simulation.document.path
        title = Path(path).stem if path else self.scene.title if self.scene else ""
        return f"{title} *" if self.has_unsaved else title

    @property
    def busy(self) -> BusyState | None:
        """The step in progress, if it takes long."""
        return self.thread.busy

    def cancel(self) -> None:
        """Cancel that step and pause; the state before it is kept."""
        self.thread.cancel_step()

    def notify(self, text: str) -> None:
        """Show a message from the window and keep it, like those of the physics; a repetition replaces it."""
        if self.messages and self.messages[-1].text == text:
            self.messages.pop()
        self.messages.append(SessionMessage(text, time.perf_counter()))
        console().add_message(text)

    def withdraw(self, text: str) -> None:
        """Show a message no longer: what it says is over."""
        for one in [one for one in self.messages if one.text == text]:
            self.messages.remove(one)

    def shows_panel(self, name: str) -> bool:
        """Whether the panel is open."""
        return any(panel.name == name and panel.is_open for panel in self.panels)

    def state(self, kind: type[StateT]) -> StateT:
        """Return a panel's own state (a search text, a choice): one object of `kind` per session."""
        if kind not in self._states:
            self._states[kind] = kind()
        return self._states[kind]

    def memory(self, kind: type[StateT]) -> StateT:
        """Former name of `state`, for panels of earlier versions."""
        warnings.warn("Session.memory: use Session.state", FutureWarning, stacklevel=2)
        return self.state(kind)

    def start_journal(self, folder: Path) -> None:
        """Keep a journal of commands and view state for recovery after a crash (app/engine/recording/journal.py).

        Raises:
            OSError: the folder cannot be written.
        """
        self.thread.start_journal(folder)
        self.thread.journal.view_state = lambda: as_json(self.thread.comparison, self.camera)

    def update(self, now: float) -> None:
        """Take the latest frame and messages; once per drawn picture. now: perf_counter [s]."""
        if self._live_next is not None and (self._live_arrived or self.holding() != self._held):
            self._post_live(*self._live_next)       # before the release of the control is reported: it belongs to its edit
        self._report_gesture()
        self.thread.cancel_if_superseded()
        self.ghosts = ()
        before, self.frame = self.frame, self.thread.frame
        pending = self.simulation.messages
        while pending:
            self.notify(pending.popleft())
        other_file = _file(self.frame) not in (_file(before), self._opened_again)
        if self.frame.scene != before.scene or other_file:
            self.selection, self.highlight = Selection(), Highlight()
            self._meet_scene()
        elif self.frame.setting.build != before.setting.build:
            self._restore_selection_by_name(before)
        else:
            self._follow_contact(before)
            if self.frame.revision != before.revision:
                self._drop_stale_selection()
                self._select_added(before)
        if self.frame.setting.build != before.setting.build:
            self.stale_before = time.perf_counter() - RECENT
        view_state = self.simulation.recorder.view_state
        if view_state is not None and view_state is not self._view_state and view_state.scene == self.frame.scene:
            self._view_state = view_state
            view_state.restore_camera(self.camera)
        self._meet_hit()
        self.state(TrustQuestions).update(self, now)
        if self.state(DocumentWatcher).changed(self.simulation.document, now):
            self._meet_changed_file(self.simulation.document.file)
        if saved := self.state(FileWatcher).renewed(self.frame.scene, now):
            self.post(commands.rebuild_changed_scene, saved)

    def _meet_changed_file(self, path: str) -> None:
        """Open the scene file again that another program has changed, if nothing is lost by it."""
        if self.has_unsaved:
            self.notify(message("{path} was changed on the disk, and here it has unsaved changes: save it under another name, or "
                             "open it again", path=Path(path).name))
        else:
            self._opened_again = path
            self.post(Simulation.load, path, again=True)

    def _meet_hit(self) -> None:
        """Select what triggered a breakpoint in the step shown, and turn the camera to it."""
        hit = self.simulation.breakpoints.hit
        if hit is self._hit or hit is None or self.frame.step != hit.step or not self.frame.paused:
            return
        self._hit, cause = hit, hit.cause
        if cause.body >= 0 or cause.joint >= 0 or cause.contact >= 0:
            self.selection = Selection(cause.body, cause.joint, cause.contact)
        self.look_at = cause.point

    def _report_gesture(self) -> None:
        """Report a change of the held control to the physics: the commands that follow are another edit."""
        held = self.holding()
        if held != self._held:
            self._held, self._gestures = held, self._gestures + 1
            self.thread.post(commands.set_gesture, self._gestures if held else 0)

    def frame_all(self) -> None:
        """Restore the scene's own view, or one that shows all moving bodies where that does not."""
        self._apply_view(framed(self.scene.view if self.scene else View(), self.frame, self.aspect))

    def meet_aspect(self, aspect: float) -> None:
        """Set the width over height of the leader's picture; a view that the user has not changed is adapted to it."""
        view, before, self.aspect = self._view, self.aspect, aspect
        if aspect != before and view is not None and self.camera.is_at(for_aspect(view, before)):
            self._apply_view(view)

    def _apply_view(self, view: View) -> None:
        self._view = view
        self.camera.set_view(for_aspect(view, self.aspect))

    def _meet_scene(self) -> None:
        """Set camera and overlays for a scene just loaded."""
        view = self.scene.view if self.scene else View()
        self._apply_view(view if view != View() else framed(view, self.frame, self.aspect))
        if self.scene:
            self.view.suit(self.scene)

    def _restore_selection_by_name(self, before: Frame) -> None:
        """In a scene that was built anew, select what has the names of the selected bodies and of the joint."""
        frame, chosen = self.frame, self.selection
        bodies = [frame.body_names.index(before.body_names[i]) for i in chosen.bodies if before.body_names[i] in frame.body_names]
        name = before.joint_names[chosen.joint] if chosen.joint >= 0 else ""
        self.selection = Selection.of(i for i in bodies if frame.bodies["kind"][i] != 0)
        self.selection.joint = frame.joint_names.index(name) if name and name in frame.joint_names else -1

    def _select_added(self, before: Frame) -> None:
        """Select bodies that an edit has just added; those that are thrown go their way."""
        done, known = self.frame.authored.edits.done, before.authored.edits.done
        if self.frame.step != self.frame.past.last or len(done) <= len(known) or done[-1].command == "throw":
            return
        added = [thing.slot for thing in getattr(done[-1].change, "added", {}).get("bodies", ())]
        if added:
            self.selection = Selection.of(added)

    def _drop_stale_selection(self) -> None:
        bodies, joints = self.frame.bodies, self.frame.joints
        joint, chosen = self.selection.joint, self.selection.bodies
        there = [i for i in chosen if i < len(bodies) and bodies["kind"][i] != 0]
        if len(there) < len(chosen):
            self.selection.body, self.selection.more = there[-1] if there else -1, tuple(there[:-1])
        if joint >= len(joints) or (joint >= 0 and joints["kind"][joint] < 0):
            self.selection.joint = -1

    def _follow_contact(self, before: Frame) -> None:
        """Find the selected contact in the new frame by its shapes and feature, since contacts are found anew in each step."""
        index = self.selection.contact
        if index < 0 or self.frame is before:
            return
        old, new = before.contacts, self.frame.contacts
        if index >= len(old):
            self.selection.contact = -1
            return
        self.selection.contact = same_contact(new, old[index])
