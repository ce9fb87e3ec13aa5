"""What the physics thread owns: the world, its scene, the options a person set, and traces of quantities.

Every public method without a leading underscore is a command: `session.post("set_dt", 0.01)` runs it between two steps.
"""

import dataclasses
import functools
import logging
import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

import scenes
from app.engine.auditing import Auditing
from app.engine.deeds import DT_RANGE
from app.engine.editing import Editing
from app.engine.edits import MOUSE, State, state_of
from app.engine.handing import Handing
from app.engine.pacing import Paced
from app.engine.playing import Playing
from app.engine.renewing import Renewing
from app.engine.rewinding import changes, of_the_hand
from app.engine.trace import Traces
from app.engine.undoing import Edits, parameter_edit
from app.engine.witnesses import Witnessed
from physics import BadInput, Diverged, Report, Snapshot, Sphere, World, fields, set_option, step
from physics.joint_settings import friction_of
from physics.options import checked
from physics.shapes import Shape

log = logging.getLogger(__name__)

RECENT = 1200
"""Reports kept of the newest steps: five seconds at 240 steps a second."""


class Simulation(Witnessed, Playing, Paced, Auditing, Handing, Renewing, Editing):
    """One scene running in one world."""

    def __init__(self, scene: str = "") -> None:
        super().__init__()
        self.scene_name = ""
        self.scene: scenes.Scene | None = None
        self.parameters: Any = None
        self.world = World()
        self.dt = 1.0 / 240.0
        self.paused = False
        self.speed = 1.0
        self.traces = Traces()
        self.recent: deque[tuple[float, Report]] = deque(maxlen=RECENT)     # (world time [s], report); one reader takes them out
        self.messages: deque[str] = deque(maxlen=200)
        self.friction: float | None = None
        self.restitution: float | None = None
        self.joint_bounds: dict[tuple[str, str], float] = {}
        self.gravity: tuple[float, ...] | None = None
        self.own: State | None = None   # what the scene set, for going back to it field by field
        self.own_gravity: tuple[float, ...] = (0.0, 0.0, 0.0)   # the scene's
        self.dragged = -1
        self.drag_stiffness = 15.0
        self.kept: Snapshot | None = None
        self.began = 0.0            # of the step that is being made (perf_counter), 0: none is
        self.overtaken = False      # that step was given up because what a person wants next makes it pointless
        self._thrown = 0
        if scene:
            self.load(scene)
        else:
            self._begin_history()

    # ---- scene

    def load(self, name: str, parameters: Any = None) -> None:
        """Build a scene; what a person changed in the last one (friction, options) is forgotten."""
        scene = scenes.find(name)
        self._forget_materials()
        self.kept, self.gravity, self.edits = None, None, Edits()
        self._build(name, scene, parameters if parameters is not None else scene.parameters())
        self.dt = scene.dt
        self.traces.follow_only(scene.plots)
        self.traces.record(self.world)
        self._begin_history()

    def reset(self) -> None:
        """Build the scene again; solver, options, sleeping, step size, gravity and the friction a person set stay as they are."""
        if self.scene is None:
            return
        with self._whole_edit("reset", lambda before: f"reset at t = {before.moment.snapshot.time:.4g} s"):
            self._build_again()

    def _build_again(self) -> None:
        solver, sleeping, audit = self.world.solver, self.world.sleeping, self.world.audit.options
        self._build(self.scene_name, self.scene, self.parameters)
        self.world.solver, self.world.sleep.options, self.world.audit.options = solver, sleeping, audit
        if self.gravity is not None:
            self.world.set_gravity(self.gravity)
        if self.friction is not None:
            self.world.set_friction(self.friction)
        if self.restitution is not None:
            self.world.set_restitution(self.restitution)
        for (name, group), bound in self.joint_bounds.items():
            if name in self.world.joint_names:
                self.world.set_joint_friction(bound, self.world.joint(name), group)
        self._pair_again()
        self.traces.clear()
        self.traces.record(self.world)
        self._begin_history()

    def twin(self) -> "Simulation":
        """Another simulation of this moment, with a past of its own that begins now."""
        other = Simulation()
        other._build(self.scene_name, self.scene, self.parameters)
        other.world.restore(self.world.snapshot())
        for name, value in self._settings().items():
            setattr(other, name, value)
        other.held, other.paused, other.speed = self.held, self.paused, self.speed
        other.traces.follow_only(self.traces.keys)
        other.traces.record(other.world)
        other._begin_history()
        return other

    def set_parameter(self, name: str, value: Any) -> None:
        """Change one of the scene's parameters and build the scene again, with its own friction and restitution."""
        by_name = {f.name: f for f in fields(self.parameters)}
        if name not in by_name:
            raise BadInput(f"this scene has no parameter '{name}'; it has: {', '.join(by_name) or 'none'}")
        before, trial = self.parameters, dataclasses.replace(self.parameters)
        set_option(trial, name, value)
        text = functools.partial(parameter_edit, by_name[name], trial)
        with self._whole_edit(f"set_parameter {name}", text):
            self.parameters = trial
            self._forget_materials()
            self._build_again()
            if self.scene.chosen_options and self.scene.options_of(before) != self.scene.options_of(trial):
                scenes.set_options(self.world, self.scene, trial)
                self._begin_history()

    def keep_state(self) -> None:
        """Remember this moment."""
        self.settle()
        self._kept_follows = True
        self.kept = self.world.snapshot()
        self.say(f"kept the moment t = {self.world.time:.3f} s; F9 goes back to it")

    def return_to_state(self) -> None:
        """Go back to the moment remembered last."""
        if self.kept is None:
            raise BadInput("no moment was kept yet: F5 keeps one")
        with self._whole_edit("return_to_state", lambda before: f"back to t = {self.kept.time:.4g} s"):
            self.world.restore(self.kept)
            self.dragged = -1
            for j, name in enumerate(self.world.joint_names):
                if name == MOUSE:
                    self.world.remove_joint(j)
            self.traces.cut(self.world.time)
            self._continue_from_kept()

    @changes
    def restore_materials(self) -> None:
        """Give every body and joint its scene's own friction and restitution again, in mid-motion."""
        self._forget_materials()
        if self.scene is None:
            return
        fresh, world = scenes.make_world(self.scene, self.parameters), self.world
        own = {fresh.body_names[s["body"]]: (s["friction"], s["restitution"], s["material"]) for s in fresh.shapes}
        world.materials = dataclasses.replace(world.materials, given=fresh.materials.given,
                                              items=(*fresh.materials.items, *world.materials.items[len(fresh.materials.items):]))
        for i, name in enumerate(world.body_names):
            if name in own:
                world.shapes["material"][world.shapes["body"] == i] = own[name][2]
                world.set_friction(float(own[name][0]), i)
                world.set_restitution(float(own[name][1]), i)
        for j, name in enumerate(world.joint_names):
            if name and name in fresh.joint_names:
                own = fresh.joints[fresh.joint(name)]
                for g, group in enumerate(world.joint_kind(j).friction):
                    world.set_joint_friction(friction_of(own, g), j, group.name)

    def _forget_materials(self) -> None:
        self.friction = self.restitution = None
        self.joint_bounds, self.pairs = {}, {}

    def _build(self, name: str, scene: scenes.Scene, parameters: Any) -> None:
        world = scenes.make_world(scene, parameters)
        self.scene_name, self.scene, self.parameters = name, scene, parameters      # before the world: who sees that knows whose
        self.world = world
        self.recent = deque(maxlen=RECENT)
        self.own_gravity = tuple(float(g) for g in self.world.gravity)
        self.dragged = -1
        self.own = state_of(self)
        self._tell()

    # ---- time

    def pause(self) -> None:
        self.halt()
        self.paused = True

    def run(self) -> None:
        self.paused = False
        self.playing = (self.playing and not self.backwards) or (self.tape is not None and self.in_past)
        self.backwards = False

    def toggle_pause(self) -> None:
        (self.run if self.paused else self.pause)()

    def single_step(self, count: int = 1) -> None:
        """Pause and advance by `count` steps: through the past, where there is one ahead, then beyond."""
        self.paused, hit = True, self.hit
        ahead = min(count, self.history.last - self.place)
        if ahead > 0:
            self.go_forward(self.place + ahead)
        for _ in range(count - ahead):
            self.settle()
            self.playing = False
            if self.hit is not hit or not self.step():
                break

    def set_speed(self, speed: float) -> None:
        """Simulated seconds per second, 1/64 .. 4."""
        self.speed = checked("speed", speed, 1.0, lo=1.0 / 64.0, hi=4.0)

    @changes
    def set_dt(self, dt: float) -> None:
        """Step size [s]."""
        self.dt = checked("step size", dt, 1.0, unit="s", lo=DT_RANGE[0], hi=DT_RANGE[1])

    def step(self) -> bool:
        """One step; False (paused, message, last good state kept) if the scene blew up or the step was cancelled."""
        if self.playing:
            return self.play_step()
        self.settle()
        self._branch()
        watched = self.watch()
        if not self._step():
            self.history.part(self._moment)
            return False
        self._record_step()
        self.recent.append((self.world.time, self.world.report))
        self._tell()
        self.stop_at(watched)
        return True

    def _step(self) -> bool:
        self.began = time.perf_counter()
        self.world.keeps_ledger = self._tells_of_energy(self.traces.keys)
        try:
            with self._in_time():
                step(self.world, self.dt)
        except (Diverged, BadInput) as error:
            if not self.overtaken:
                self.paused = True
                self.warn(str(error))
            return False
        finally:
            self.began = 0.0
        self.traces.record(self.world)
        if self.witnesses:
            self._show_witnesses()
        return True

    # ---- physics

    @changes
    def use_solver(self, name: str) -> None:
        self.world.use_solver(name)

    @changes
    def set_option(self, name: str, value: Any) -> None:
        """An option of the current solver."""
        set_option(self.world.solver.options, name, value)

    @changes
    def set_sleeping(self, name: str, value: Any) -> None:
        """An option of sleeping; survives a reset."""
        set_option(self.world.sleeping, name, value)

    @changes
    def set_audit(self, name: str, value: Any) -> None:
        """An option of the auditor; survives a reset."""
        set_option(self.world.audit.options, name, value)

    @changes
    def set_gravity(self, gravity: Sequence[float]) -> None:
        """[m/s^2], world frame; survives a reset."""
        self.world.set_gravity(gravity)
        self.gravity = tuple(float(g) for g in self.world.gravity)

    @changes
    def set_friction(self, mu: float, body: int | None = None) -> None:
        """Friction coefficient of one body's material, or of all; the latter survives a reset."""
        self.world.set_friction(mu, body)
        if body is None:
            self.friction = mu

    @changes
    def set_restitution(self, e: float, body: int | None = None) -> None:
        """Restitution of one body's material, or of all; the latter survives a reset."""
        self.world.set_restitution(e, body)
        if body is None:
            self.restitution = e

    @changes
    def set_joint_friction(self, bound: float, joint: int | None = None, group: str = "") -> None:
        """Largest dry friction of one joint (or one group of its directions), or of all [N m] or [N]."""
        self.world.set_joint_friction(bound, joint, group)
        world = self.world
        for j in [joint] if joint is not None else np.flatnonzero(world.joints["kind"] >= 0).tolist():
            name = world.joint_names[j]
            for one in [group] if group else [g.name for g in world.joint_kind(j).friction]:
                if name != MOUSE:
                    self.joint_bounds[name, one] = float(bound)

    # ---- bodies

    @changes
    def throw(self, origin: Sequence[float], velocity: Sequence[float], radius: float = 0.15,
              density: float = 2000.0, shape: Shape | None = None, **surface: float) -> None:
        """Throw a ball, or a body of another shape. surface: its friction and restitution; else those of all bodies."""
        self._thrown += 1
        shape = shape or Sphere(radius)
        title = "ball" if isinstance(shape, Sphere) else shape.kind
        self.world.add_body(shape, pos=origin, vel=velocity, density=density,
                            name=f"thrown {title} {self._thrown}", **self._material() | surface)

    @changes
    def set_mass(self, body: int, mass: float) -> None:
        """[kg]; the moment of inertia changes in the same ratio."""
        self.world.set_mass(body, mass)

    @changes
    def remove_body(self, body: int) -> None:
        """Remove a body with its joints."""
        self.drag_end()
        self.world.remove_body(body, with_joints=True)

    @changes
    def drag_begin(self, body: int, point: Sequence[float]) -> None:
        """Tie a point of a dynamic body [m, world] to the mouse by a spring that lifts it, but no more than 30 of its weight."""
        self.drag_end()
        mass = float(self.world.bodies["mass"][body])
        if mass > 0.0:
            self.held = True
            self.dragged = self.world.add_joint("drag", 0, body, anchor=point, name=MOUSE, max_friction=300.0 * mass,
                                                mass=mass, frequency=self.drag_stiffness)

    @changes
    def set_drag_stiffness(self, frequency: float) -> None:
        """How fast the mouse spring pulls [rad/s]."""
        self.drag_stiffness = checked("drag stiffness", frequency, 1.0, unit="rad/s", lo=1.0, hi=100.0)

    @of_the_hand
    @changes
    def drag_move(self, target: Sequence[float]) -> None:
        """Where the mouse pulls to [m, world]."""
        if self.dragged >= 0:
            self.world.joints[self.dragged]["anchor_a"] = target

    @of_the_hand
    @changes
    def drag_end(self) -> None:
        if self.dragged >= 0:
            self.world.remove_joint(self.dragged)
            self.dragged = -1
        self.held = False

    def _material(self) -> dict[str, float]:
        given = {"friction": self.friction, "restitution": self.restitution}
        return {name: value for name, value in given.items() if value is not None}

    # ---- what is recorded

    def follow(self, key: str) -> None:
        """Record a quantity from now on: see physics/quantities.py."""
        self.traces.follow(self.world, key)

    def unfollow(self, key: str) -> None:
        self.traces.unfollow(key)

    def _tell(self) -> None:
        for sentence in (*self.world.warnings.take(), *(broken.text for broken in self.world.broken)):
            if self.scene is not None and sentence.startswith(self.scene.meant):
                log.info("the scene means it: %s", sentence)
            else:
                self.warn(sentence)

    def say(self, text: str) -> None:
        """A message for the person: shown in the window, a note in its console."""
        log.info(text)
        self.messages.append(text)

    def warn(self, text: str) -> None:
        """The same of something that is not well: a warning in the console and the log."""
        log.warning(text)
        self.messages.append(text)
