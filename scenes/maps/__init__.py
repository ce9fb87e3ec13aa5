"""Phase maps: one file each, MAP. Two parameters of a scene span a plane whose points are runs, classed by how they end.

The scene is one of ours, by name; or the file has a small one of its own, SCENE, which is then called "maps.FILE".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import scenes.maps
from physics import BadInput, World
from physics.core.plugins import discover
from scenes import MAPS, Scene


@dataclass(frozen=True)
class MapAxis:
    """A parameter of the scene and its range, in its unit."""

    name: str
    lo: float
    hi: float


@dataclass(frozen=True)
class PhaseMap:
    """Everything about one map.

    scene: its name. x, y: the parameters that span the plane. classes: how a run can end. seconds: simulated time of a run.
    classify: (world at the end, parameters) -> one of the classes, from the state alone.
    border: (parameters, x (n,)) -> lines (m, 2) in the plane between the classes, by the closed form; NaN: a gap.
    law: the closed form in LaTeX; law_text: the same as plain text; source: where it is from.
    """

    title: str
    scene: str
    x: MapAxis
    y: MapAxis
    classes: tuple[str, ...]
    classify: Callable[[World, Any], str]
    border: Callable[[Any, np.ndarray], Sequence[np.ndarray]]
    law: str
    law_text: str
    source: str
    seconds: float = 0.5


def line(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A line (n, 2) through these points."""
    return np.column_stack(np.broadcast_arrays(x, y))


def all_maps() -> dict[str, PhaseMap]:
    """Every map by the name of its file."""
    return discover(scenes.maps, "MAP")


def find(name: str) -> PhaseMap:
    """Find a map by name.

    Raises:
        BadInput: there is none.
    """
    known = all_maps()
    if name not in known:
        raise BadInput(f"unknown map '{name}'; there are: {', '.join(known)}")
    return known[name]


def scene(name: str) -> Scene:
    """The scene of a map's file, by its full name "maps.FILE".

    Raises:
        BadInput: there is none.
    """
    own = discover(scenes.maps, "SCENE")
    if name.removeprefix(MAPS) not in own:
        raise BadInput(f"unknown scene '{name}'; maps with scenes of their own: {', '.join(own)}")
    return own[name.removeprefix(MAPS)]
