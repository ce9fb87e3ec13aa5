"""What the GUI edits: one running simulation, what is selected, where the camera is, what is shown. No GL."""

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from app.camera import Camera
from app.engine.breakpoints import Hit
from app.engine.frame import Frame
from app.engine.identity import same_contact
from app.engine.simulation import Simulation
from app.engine.thread import Busy, PhysicsThread
from app.engine.trace import Traces
from app.insight.console import console
from app.own_files import Watch
from app.render.sight import Coming, Echo, Highlight
from app.view import ViewOptions
from scenes import Scene, View

State = TypeVar("State")


@dataclass
class Selection:
    """What the person clicked; -1 is nothing. body: the one that panels show; more: those selected with it, the newest last."""

    body: int = -1
    joint: int = -1
    contact: int = -1
    more: tuple[int, ...] = ()

    @property
    def bodies(self) -> tuple[int, ...]:
        """All selected bodies, the one that panels show last."""
        return (*(i for i in self.more if i != self.body), self.body) if self.body >= 0 else ()

    @classmethod
    def of(cls, bodies: Iterable[int]) -> "Selection":
        """Several bodies, the last one is shown; each counts once."""
        *more, body = dict.fromkeys(bodies) or (-1,)
        return cls(body, more=tuple(more))

    def toggled(self, body: int) -> "Selection":
        """With that body, or without it if it is among them."""
        others = [i for i in self.bodies if i != body]
        return Selection.of(others if body in self.bodies else [*others, body])


@dataclass
class Message:
    """A sentence for the person, shown for a while and kept in the list."""

    text: str
    wall: float


@dataclass
class Session:
    """The meeting point of window, panels and physics; lives on the window's thread."""

    thread: PhysicsThread
    frame: Frame
    camera: Camera = field(default_factory=Camera)
    view: ViewOptions = field(default_factory=ViewOptions)
    selection: Selection = field(default_factory=Selection)
    highlight: Highlight = field(default_factory=Highlight)
    echoes: tuple[Echo | Coming, ...] = ()     # bodies elsewhere, translucent; panels say it anew in each picture
    messages: deque[Message] = field(default_factory=lambda: deque(maxlen=100))
    throw_speed: float = 12.0
    fps: float = 0.0
    requests: deque[str] = field(default_factory=deque)
    panels: list[tuple[str, str, bool, str]] = field(default_factory=list)
    holding: Callable[[], int] = int    # the control that a person holds now, 0: none
    _held: int = field(default=0, repr=False)
    _gestures: int = field(default=0, repr=False)
    look_at: tuple[float, float, float] | None = None     # where something happened [m], until the viewport has seen to it
    _hit: Hit | None = None
    _memory: dict[type, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def open(cls, scene: str) -> "Session":
        """Load a scene; the physics thread is made but not started.

        Raises:
            BadInput: unknown scene.
        """
        thread = PhysicsThread(Simulation(scene))
        session = cls(thread, thread.frame)
        session._meet_scene()
        return session

    @property
    def simulation(self) -> Simulation:
        """For reading slow-changing facts (scene, parameters, options, dt); change it only through `post`."""
        return self.thread.simulation

    @property
    def scene(self) -> Scene | None:
        """Of the frame that is shown: the physics may be at another one already."""
        return self.frame.setting.scene

    @property
    def parameters(self) -> Any:
        """With which that scene was built."""
        return self.frame.setting.parameters

    @property
    def traces(self) -> Traces:
        return self.simulation.traces

    def post(self, command: str, *args: Any, **kwargs: Any) -> None:
        """Run a method of `Simulation` on the physics thread between two steps. What a control sends while held is one edit."""
        self._feel()
        self.thread.post(command, *args, **kwargs)

    @property
    def busy(self) -> Busy | None:
        """The step that is being made, if it takes long."""
        return self.thread.busy

    def cancel(self) -> None:
        """Give up that step and pause; the state before it is kept."""
        self.thread.give_up()

    def say(self, text: str) -> None:
        """A message for the person, from the window's side: shown and kept like those of the physics; once if it is repeated."""
        if self.messages and self.messages[-1].text == text:
            self.messages.pop()
        self.messages.append(Message(text, time.perf_counter()))
        console().said(text)

    def request(self, what: str) -> None:
        """Ask the window for something only it can do: "screenshot", "help", "panel:NAME", "layout", "quit"..."""
        self.requests.append(what)

    def memory(self, kind: type[State]) -> State:
        """A panel's own state (a search text, a choice): one object of `kind` for the life of the session."""
        if kind not in self._memory:
            self._memory[kind] = kind()
        return self._memory[kind]

    def update(self, now: float) -> None:
        """Take the newest frame and messages; once per drawn picture. now: perf_counter [s]."""
        self._feel()
        self.thread.hurry()
        self.echoes = ()
        before, self.frame = self.frame, self.thread.frame
        said = self.simulation.messages
        while said:
            self.say(said.popleft())
        if self.frame.scene != before.scene:
            self.selection, self.highlight = Selection(), Highlight()
            self._meet_scene()
        else:
            self._follow_contact(before)
            if self.frame.revision != before.revision:
                self._drop_stale_selection()
        self._meet_hit()
        watch = self.memory(Watch)
        if watch.renewed(self.frame.scene, now):
            self.post("renew")
        elif watch.trouble:
            self.say(watch.trouble)

    def _meet_hit(self) -> None:
        """A breakpoint fired in the step that is shown: what did it is selected, and the camera may have to turn."""
        hit = self.simulation.hit
        if hit is self._hit or hit is None or self.frame.step != hit.step or not self.frame.paused:
            return
        self._hit, cause = hit, hit.cause
        if cause.body >= 0 or cause.joint >= 0 or cause.contact >= 0:
            self.selection = Selection(cause.body, cause.joint, cause.contact)
        self.look_at = cause.point

    def _feel(self) -> None:
        """Tell the physics when another control is held than before: what comes then is another edit."""
        held = self.holding()
        if held != self._held:
            self._held, self._gestures = held, self._gestures + 1
            self.thread.post("touch", self._gestures if held else 0)

    def frame_all(self) -> None:
        """Put the camera back to the scene's own view."""
        self.camera.look(self.scene.view if self.scene else View())

    def _meet_scene(self) -> None:
        """Camera and overlays of a scene just loaded."""
        self.camera.look(self.scene.view if self.scene else View())
        if self.scene:
            self.view.suit(self.scene, self.frame.bodies, float(np.linalg.norm(self.frame.gravity)))

    def _drop_stale_selection(self) -> None:
        bodies, joints = self.frame.bodies, self.frame.joints
        joint, chosen = self.selection.joint, self.selection.bodies
        there = [i for i in chosen if i < len(bodies) and bodies["kind"][i] != 0]
        if len(there) < len(chosen):
            self.selection.body, self.selection.more = there[-1] if there else -1, tuple(there[:-1])
        if joint >= len(joints) or (joint >= 0 and joints["kind"][joint] < 0):
            self.selection.joint = -1

    def _follow_contact(self, before: Frame) -> None:
        """Contacts are found anew in each step: the selected one is the one with the same shapes and feature."""
        index = self.selection.contact
        if index < 0 or self.frame is before:
            return
        old, new = before.contacts, self.frame.contacts
        if index >= len(old):
            self.selection.contact = -1
            return
        self.selection.contact = same_contact(new, old[index])
