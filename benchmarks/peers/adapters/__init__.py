"""Engine adapters, one file each, found by listing this folder; `ADAPTER` in a file is a subclass of `Adapter`.

A configuration is named on the command line as `engine:name`, or as `engine:name+key=value+..` with settings changed.
"""

import importlib
import importlib.util
import pkgutil
from typing import Any

import numpy as np

from benchmarks.peers.metrics import State
from benchmarks.peers.scenes import Joint, Scene
from physics import BadInput


class Unsupported(Exception):
    """The engine, or this configuration of it, cannot represent the scene."""


class Adapter:
    """One engine in one configuration.

    module: must be importable. configs: settings by name; "default" is the engine as installed.
    max_bodies: larger scenes are skipped to save time. remedy: how a missing one is installed.
    """

    module: str
    configs: dict[str, dict[str, Any]] = {"default": {}}
    max_bodies: int = 1_000_000
    remedy = "pip install '.[bench]'"

    @classmethod
    def installed(cls) -> bool:
        """True if the engine can be loaded."""
        return importlib.util.find_spec(cls.module) is not None

    def __init__(self, config: str = "default") -> None:
        name, *changes = config.split("+")
        if name not in self.configs:
            raise BadInput(f"there is no configuration '{name}'; there are: {', '.join(self.configs)}")
        self.settings = {**self.configs[name], **dict(map(setting, changes))}

    def build(self, scene: Scene, dt: float) -> None:
        """Build the scene; dt [s] is one frame. Sleeping is off."""
        raise NotImplementedError

    def step(self, frames: int = 1) -> None:
        """Advance by frames; a frame may be several of the engine's own steps. This call is timed."""
        raise NotImplementedError

    def observe(self) -> None:
        """Keep what `about` reports of the last frames; this call is not timed."""

    def state(self) -> State:
        """(pos, quat, vel, omega) of all bodies of the scene, float64; static ones as in the scene."""
        raise NotImplementedError

    def warm_up(self, scene: Scene, dt: float) -> None:
        """Do one-time work of a process, such as compiling, before timing starts."""

    def contacts(self) -> int | None:
        """Number of contact points now, if the engine reports it."""
        return None

    def diverged(self) -> bool:
        """True if the engine itself reports divergence."""
        return False

    def about(self) -> dict[str, Any]:
        """Version and remarks for the reader, after the run."""
        return {}


def setting(text: str) -> tuple[str, Any]:
    """Parse "iterations=50" as ("iterations", 50)."""
    key, _, value = text.partition("=")
    if value in ("true", "false"):
        return key, value == "true"
    for convert in (int, float):
        try:
            return key, convert(value)
        except ValueError:
            continue
    return key, value


def names() -> list[str]:
    """All adapters, alphabetically, installed or not."""
    return sorted(m.name for m in pkgutil.iter_modules(__path__) if not m.name.startswith("_"))


def load(name: str) -> type[Adapter]:
    """The adapter class of that engine."""
    return importlib.import_module(f"{__name__}.{name}").ADAPTER


def installed(name: str) -> bool:
    """True if the engine can be loaded."""
    return load(name).installed()


def still(scene: Scene) -> State:
    """The scene's initial poses with zero velocities, for adapters to fill in."""
    n = len(scene.bodies)
    return (np.array([b.pos for b in scene.bodies], float), np.array([b.quat for b in scene.bodies], float),
            np.zeros((n, 3)), np.zeros((n, 3)))


def spanning_tree(scene: Scene) -> tuple[dict[int, tuple[Joint, int]], list[Joint]]:
    """For reduced coordinates: (joint and parent of each jointed body, parents first; the joints that close loops)."""
    tree, closures, placed, left = {}, [], {-1}, list(scene.joints)
    while left:
        rest = []
        for joint in left:
            a, b = joint.a, joint.b
            if a in placed and b in placed:
                closures.append(joint)
            elif a in placed or b in placed:
                child, parent = (b, a) if a in placed else (a, b)
                tree[child] = (joint, parent)
                placed.add(child)
            else:
                rest.append(joint)
        if len(rest) == len(left):
            raise Unsupported("a jointed group without a link to the world")
        left = rest
    return tree, closures
