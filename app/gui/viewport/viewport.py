"""Mouse and keys in the viewport: drag, throw, select, orbit, pan, zoom, fly. No GL, no ImGui.

Pixels are relative to the viewport's rectangle, origin bottom left.
"""

import time
from dataclasses import dataclass

import numpy as np
from pyglet.window import key, mouse

from app.analysis.lessons.classroom_lock import Lock
from app.engine import commands
from app.engine.frame import Frame, to_body, to_world
from app.gui.fields.new_body import Throwing, aim_at_cursor
from app.gui.shell.viewport_layout import Pane, panes
from app.gui.viewport import mark_prediction, multi_select, throw_body
from app.gui.viewport.camera_commands import follow_body
from app.gui.viewport.transform_tools import Tool
from app.render.scene.picking import pick, pick_contact, pick_joint
from app.session import Selection, Session
from physics.core.records import Kind

MAX_CLICK_MOTION = 4.0
"""A press that moves less than this is a click [px]."""

MIN_HOLD_TIME = 0.18
"""A press on a body that lasts longer than this drags it [s]."""

MAX_CLICK_TIME = 0.5
"""A press without motion within this time is a click, even if it dragged for a moment [s]."""

MARK_REACH = 8.0
"""Largest distance of a click from a contact or a joint [px]."""


@dataclass
class Grab:
    """A body under a pressed button. local: the point in its frame [m]; the mouse moves in the plane (point, normal)."""

    body: int
    local: np.ndarray
    point: np.ndarray
    normal: np.ndarray
    pulling: bool = False


class Viewport:
    """Handles mouse and keys in the scene."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.panes: tuple[Pane, ...] = panes(session.frame, (0.0, 0.0, 1.0, 1.0), False)
        self._index = 0
        self.mouse = (0.0, 0.0)
        self.cursor: tuple[float, float] | None = None
        self.hover = -1
        self.grab: Grab | None = None
        self._mode = ""
        self._start = (0.0, 0.0)
        self._since = 0.0
        self._moved = False
        self._pick_behind = False
        self._asked = 0.0           # when Shift was pressed over the scene
        self.flying: dict[int, bool] = {}

    @property
    def pane(self) -> Pane:
        """The pane under the mouse; the leader's if that is gone."""
        return self.panes[self._index] if self._index < len(self.panes) else self.panes[0]

    @property
    def size(self) -> tuple[float, float]:
        """Size of that pane [px]."""
        return self.pane.box[2:]

    @property
    def frame(self) -> Frame:
        """The frame of the pane under the mouse."""
        return self.pane.frame

    def enter(self, x: float, y: float) -> None:
        """Choose the pane at that point of the window, y down."""
        self._index = next((pane.index for pane in self.panes if pane.holds(x, y)), self._index)

    # ---- mouse

    def press(self, x: float, y: float, button: int, modifiers: int) -> None:
        self.mouse = self._start = (x, y)
        self._moved, self._since = False, time.perf_counter()
        shift = bool(modifiers & key.MOD_SHIFT)
        if button == mouse.MIDDLE or (button == mouse.RIGHT and shift):
            self._mode = "pan"
        elif button == mouse.RIGHT or self.session.state(Lock).on:
            self._mode = "orbit"
        elif self.session.state(Tool).over:
            self._mode = ""         # the handles take the press
        elif modifiers & (key.MOD_CTRL | key.MOD_COMMAND):
            self._mode = "choose"
        elif shift:
            self._mode = ""
            self.throw()
        else:
            self._mode = "orbit"
            self._grab(x, y)

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        self.mouse = (x, y)
        if not self._moved and np.hypot(x - self._start[0], y - self._start[1]) < MAX_CLICK_MOTION:
            return
        if not self._moved:
            dx, dy = x - self._start[0], y - self._start[1]
        self._moved = True
        if self.grab is not None:
            self._pull()
        elif self._mode == "orbit":
            self.session.camera.orbit(dx, dy)
        elif self._mode == "pan":
            self.session.camera.pan(dx, dy, self.size[1])
        elif self._mode == "choose":
            left, top, _, height = self.pane.box
            span = self.session.state(multi_select.SelectionRectangle)
            span.corners = tuple((left + px, top + height - py) for px, py in (self._start, (x, y)))

    def release(self, x: float, y: float, button: int) -> None:
        self.mouse = (x, y)
        held = self.grab is not None and self.grab.pulling and time.perf_counter() - self._since > MAX_CLICK_TIME
        self.let_go()
        self.session.state(multi_select.SelectionRectangle).corners = None
        if self._mode == "choose" and self._moved:
            corners = self._start, (x, y)
            chosen = multi_select.within(self.frame, self.session.camera, self.size, corners, self._blend())
            multi_select.add(self.session, chosen)
        elif self._mode and not self._moved and not held and button == mouse.LEFT:
            self.select(x, y, self._mode == "choose")
        elif self._mode == "orbit" and not self._moved and button == mouse.RIGHT:
            self.menu()
        self._mode = ""

    def motion(self, x: float, y: float) -> None:
        self.mouse = self.cursor = (x, y)
        self._pick_behind = True

    def leave(self) -> None:
        """The mouse is over a panel or outside."""
        self.hover, self._pick_behind, self.cursor = -1, False, None

    def wheel(self, x: float, y: float, steps: float) -> None:
        """Zoom to what is under the cursor; while dragging, move the held point farther or nearer."""
        camera = self.session.camera
        if self.grab is not None and self.grab.pulling:
            self.grab.point = self.grab.point + self.grab.normal * (0.06 * steps * camera.shown_distance)
            self._pull()
            return
        ray = camera.ray(x, y, *self.size)
        hit = pick(self.frame, *ray)
        camera.zoom(steps, hit[1] if hit is not None and hit[2] < 10.0 * camera.shown_distance + camera.ray_lead else ray)

    def let_go(self) -> None:
        """End the drag, if there is one."""
        if self.grab is not None and self.grab.pulling:
            self.session.post(commands.drag_end)
        self.grab = None

    def select(self, x: float, y: float, more: bool = False) -> None:
        """Select what is at the pixel; nothing deselects. more: add its body to the selection, or remove it."""
        session = self.session
        if (self.pane.index == 0 and mark_prediction.click(session, x, y, self.size)) or session.state(Lock).on:
            return
        frame, camera, view = self.frame, session.camera, session.view
        hit = pick(frame, *camera.ray(x, y, *self.size), self._blend())
        if more:
            if hit is not None:
                multi_select.toggle(session, hit[0])
            return
        chosen = Selection(body=hit[0] if hit is not None else -1)
        if view.contacts and self.pane.index == 0:
            chosen.contact = pick_contact(frame, camera, x, y, *self.size, MARK_REACH)
        if view.joints:
            chosen.joint = pick_joint(frame, camera, x, y, *self.size, MARK_REACH)
        session.selection = chosen
        if chosen.body >= 0 and chosen.joint < 0:
            session.window.show_panel("inspector")

    def menu(self) -> None:
        """Open the context menu for what is under the cursor."""
        aim_at_cursor(self.session, *self.mouse, self.size)

    def throw(self) -> None:
        """Throw the body of the panel Throw along the cursor's ray."""
        throw_body.throw(self.session, self.mouse, self.size)

    # ---- keys

    def fly_key(self, symbol: int, down: bool) -> None:
        self.flying[symbol] = down

    def stop(self) -> None:
        """Release everything: the window lost the keyboard or the mouse."""
        self.flying.clear()
        self.let_go()
        self.session.state(multi_select.SelectionRectangle).corners = None
        self._mode = ""

    # ---- drawing

    def tick(self, dt: float) -> None:
        """Update flight, glide, drag and hover. dt: wall time [s]."""
        held = self.flying.get
        forward = bool(held(key.W)) - bool(held(key.S))
        right = bool(held(key.D)) - bool(held(key.A))
        up = bool(held(key.E)) - bool(held(key.Q))
        camera, box = self.session.camera, self.panes[0].box
        self.session.meet_aspect(box[2] / max(1.0, box[3]))
        if forward or right or up:
            camera.fly(forward, right, up, dt)
        if self.session.look_at is not None:
            camera.show(self.session.look_at, *self.size)
            self.session.look_at = None
        follow_body(self.session, camera, time.perf_counter())
        camera.update(dt)
        mark_prediction.show(self.session, self.cursor if self.pane.index == 0 else None, self.panes[0].box[2:])
        self._aim(held(key.LSHIFT) or held(key.RSHIFT))
        if self.grab is not None:
            if self._moved or self.grab.pulling or time.perf_counter() - self._since > MIN_HOLD_TIME:
                self._pull()
            self.hover = self.grab.body
        elif self._pick_behind:
            self._pick_behind = False
            hit = pick(self.frame, *camera.ray(*self.mouse, *self.size))
            self.hover = hit[0] if hit is not None and self._moves(hit[0]) else -1

    def _aim(self, shift: bool) -> None:
        """Preview the next throw while the panel Throw is drawn or Shift is held over the scene."""
        session, now = self.session, time.perf_counter()
        asks = shift and self.cursor is not None and not self._mode and not session.state(Lock).on
        self._asked = (self._asked or now) if asks else 0.0
        made = session.state(Throwing)
        if made.shown or (asks and now - self._asked > MIN_HOLD_TIME):
            made.shown = False
            throw_body.preview(session, self.mouse, self.size)

    def _blend(self) -> float:
        return self.frame.blend(time.perf_counter())

    def _moves(self, body: int) -> bool:
        bodies = self.frame.bodies
        return 0 <= body < len(bodies) and bodies["kind"][body] == Kind.DYNAMIC

    def _grab(self, x: float, y: float) -> None:
        frame, camera = self.frame, self.session.camera
        blend = self._blend()
        hit = pick(frame, *camera.ray(x, y, *self.size), blend)
        if hit is None or not self._moves(hit[0]):
            return
        body, point, _ = hit
        pos, quat = frame.poses(blend)
        self.grab = Grab(body, to_body(pos[body], quat[body], point), point, camera.axes()[2])

    def _pull(self) -> None:
        """Attach the spring on the first call, then move its end in the plane that faces the camera."""
        grab, frame = self.grab, self.frame
        if not self._moves(grab.body):
            self.let_go()
            return
        if not grab.pulling:
            grab.pulling = True
            pos, quat = frame.bodies["pos"][grab.body], frame.bodies["quat"][grab.body]
            grab.point = to_world(pos, quat, grab.local)
            leader = self.session.frame.bodies
            held = to_world(leader["pos"][grab.body], leader["quat"][grab.body], grab.local)
            self.session.post(commands.drag_begin, grab.body, tuple(map(float, held)))
        origin, direction = self.session.camera.ray(*self.mouse, *self.size)
        along = float(direction @ grab.normal)
        if along > 1e-3:
            target = origin + direction * (float((grab.point - origin) @ grab.normal) / along)
            self.session.post(commands.drag_move, tuple(map(float, target)))
