"""Adapter for Stiction, through its public names only.

A configuration is a dict of settings: `solver` (name of the file), `steps` (world steps per frame), `margin` [m] of the world;
others are options of the solver. The wall-clock budget is always 0: iteration ends by convergence or sweep limits.
"""

from typing import Any

import physics
from benchmarks.peers import scenes
from benchmarks.peers.adapters import Adapter, still
from benchmarks.peers.metrics import State
from benchmarks.peers.scenes import Body, Scene
from physics import Box, Capsule, Plane, Sphere, World, fields, set_option

WARM_UP_STEPS = {"pyramid": 3, "stacks": 200, "tower": 3, "ballpit": 72, "chain": 3, "bridge": 4, "dominoes": 3, "four_balls": 4}
"""Sizes of the small scenes that compile or load the kernels."""


class Ours(Adapter):
    """Adapter for Stiction."""

    module = "physics"
    configs = {
        "default": {},
        # no substeps: enough for light mechanisms and heaps
        "light": {"substeps": 1, "iterations": 10, "tolerance": 1e-4},
        "whole": {"substeps": 1, "iterations": 20, "tolerance": 1e-5},
        "thirds": {"substeps": 3, "iterations": 10, "tolerance": 1e-5},
        "quick": {"iterations": 10, "tolerance": 1e-5},
        "fine": {"substeps": 8, "iterations": 10, "tolerance": 1e-5},
        "soft16": {"solver": "soft_steps", "substeps": 16, "contact_hertz": 120.0},
    }

    def warm_up(self, scene: Scene, dt: float) -> None:
        small = Ours("default")
        small.settings = self.settings
        small.build(scenes.make(scene.name, WARM_UP_STEPS[scene.name]), 1 / 60)
        small.step(60)

    def build(self, scene: Scene, dt: float) -> None:
        settings = dict(self.settings)
        self.scene, self.steps = scene, settings.pop("steps", 1)
        self.dt = dt / self.steps
        self.world = World(scene.gravity, **{key: settings.pop(key) for key in ("margin",) if key in settings})
        set_option(self.world.sleeping, "enabled", False)
        if "solver" in settings:
            self.world.use_solver(settings.pop("solver"))
        options = self.world.solver.options
        if "budget" in {field.name for field in fields(options)}:
            settings.setdefault("budget", 0.0)
        for name, value in settings.items():
            set_option(options, name, value)
        for body in scene.bodies:
            add_body(self.world, scene, body)
        for joint in scene.joints:
            if joint.kind == "ball":
                self.world.add_joint("spherical", joint.a + 1, joint.b + 1, anchor=joint.anchor)
            else:
                self.world.add_joint("revolute", joint.a + 1, joint.b + 1, anchor=joint.anchor, axis=joint.axis,
                                     max_friction=joint.friction)
        self.reports: list[physics.Report] = []
        self.seconds: dict[str, float] = {}
        self.sweeps = self.converged = 0

    def step(self, frames: int = 1) -> None:
        self.reports = [physics.step(self.world, self.dt) for _ in range(frames * self.steps)]

    def observe(self) -> None:
        for report in self.reports:
            for phase, seconds in report.times.items():
                self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds
            self.sweeps += report.iterations
            self.converged += report.end == "converged"

    def state(self) -> State:
        pos, quat, vel, omega = still(self.scene)
        bodies = self.world.bodies[1:]
        pos[:], quat[:], vel[:], omega[:] = bodies["pos"], bodies["quat"], bodies["vel"], bodies["omega"]
        return pos, quat, vel, omega

    def contacts(self) -> int:
        return len(self.world.contacts)

    def about(self) -> dict[str, Any]:
        """Means over the run: times of phases as shares of the step, sweeps, share of converged steps."""
        whole, steps = self.seconds["step"], self.world.steps
        shares = {phase: seconds / whole for phase, seconds in self.seconds.items() if phase != "step"}
        return {"precision": "f64", "solver": self.world.solver.name, "ms_step": 1e3 * whole / steps,
                "phases": {**shares, "rest": 1.0 - sum(shares.values())},
                "sweeps": self.sweeps / steps, "converged": self.converged / steps, "residual": self.world.report.residual}


def add_body(world: World, scene: Scene, body: Body) -> int:
    """Add a body to a world; static if it has no mass."""
    shape = {"plane": lambda: Plane(), "box": lambda: Box(body.half), "sphere": lambda: Sphere(body.radius),
             "capsule": lambda: Capsule(body.radius, body.half_length)}[body.kind]()
    material = {"friction": scene.mu, "restitution": scene.e}
    if body.static:
        return world.add_body(shape, kind="static", pos=body.pos, quat=body.quat, **material)
    return world.add_body(shape, pos=body.pos, quat=body.quat, vel=body.vel, omega=body.omega, mass=body.mass,
                          inertia=body.inertia, **material)


ADAPTER = Ours
