"""The view state of a run: solvers compared, breakpoints, plots, camera; written to a journal and read from one.

All contents of a file are checked before any are used; settings that the simulation then refuses are left out.
"""

import contextlib
import json
import math
from dataclasses import dataclass
from typing import Any

from app.camera import DISTANCE, Camera
from app.engine.breakpoints.base import BREAKPOINT_KINDS
from app.engine.breakpoints.breakpoints import MAX_BREAKPOINTS
from app.engine.undo.difference import file_of
from physics import BadInput, set_option, solvers
from physics.core.options import option_values
from scenes import View

MAX_BYTES = 100_000
"""Largest encoded view state [bytes]."""
PLOTS, SOLVERS, NAMES, LETTERS = 100, 3, 60, 500
"""Limits: recorded quantities, followers, options of one object, characters of a name."""
MAX_CAMERA_VALUE = 1e6
"""Limit of a camera's target coordinates [m] and of its angles [degrees]."""

REFUSED = "it does not contain the view of the run"

Values = dict[str, bool | int | float | str]


FORMER_KINDS = {"Watched": "WatchExpression"}
"""Former names of kinds of breakpoints, and the present ones."""


@dataclass(frozen=True)
class ViewState:
    """plots: keys; breakpoints: kind and values of each; solvers: file and options of each follower; view: of the camera; file:
    path of the scene file, "" for none; drawn: those of `plots` that are drawn, None: the main ones."""

    scene: str
    plots: tuple[str, ...] = ()
    breakpoints: tuple[tuple[str, Values], ...] = ()
    solvers: tuple[tuple[str, Values], ...] = ()
    view: View | None = None
    flat: bool = False
    file: str = ""
    drawn: tuple[str, ...] | None = None

    def restore(self, simulation: Any) -> None:
        """Restore recorded quantities and breakpoints."""
        simulation.traces.record_only(())
        for key in self.plots:
            with contextlib.suppress(BadInput):
                simulation.traces.record_quantity(simulation.world, key)
        simulation.breakpoints.items = [BREAKPOINT_KINDS[kind]() for kind, _ in self.breakpoints]
        for index, (_, values) in enumerate(self.breakpoints):
            for name, value in values.items():
                with contextlib.suppress(BadInput):
                    simulation.breakpoints.set(index, name, value)

    def compare(self, comparison: Any) -> None:
        """Restore the comparison with other solvers."""
        for solver, values in self.solvers:
            with contextlib.suppress(BadInput):
                comparison.compare_with(solver, **_accepted(solver, values))

    def restore_camera(self, camera: Camera) -> None:
        """Restore the camera."""
        if self.view is not None:
            camera.flat = self.flat
            camera.set_view(self.view)


def as_json(comparison: Any, camera: Camera) -> bytes:
    """Encode the present view state for a journal."""
    return json.dumps(values(comparison, camera), allow_nan=False).encode()


def values(comparison: Any, camera: Camera) -> dict[str, Any]:
    """The present view state as values of JSON."""
    leader = comparison.leader
    return {
        "scene": leader.scene_name, "plots": list(leader.traces.keys),
        "breakpoints": [[type(one).__name__, option_values(one) | ({"of": one.of} if one.of_bodies else {})
                         | ({"expression": one.expression} if hasattr(one, "expression") else {})]
                        for one in leader.breakpoints.items],
        "solvers": [[file_of(solver), option_values(solver.options)]
                    for solver in (follower.simulation.world.solver for follower in comparison.followers)],
        "target": [float(x) for x in camera.target], "distance": camera.distance, "azimuth": camera.azimuth,
        "elevation": camera.elevation, "flat": camera.flat, "file": leader.document.path}


def parsed(held: bytes) -> ViewState:
    """Decode a view state.

    Raises:
        BadInput: it is not an output of `as_json`.
    """
    try:
        text = json.loads(held) if len(held) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        text = None
    return parsed_json(text)


def parsed_json(text: Any) -> ViewState:
    """Decode a view state from the values of its JSON; raises as `parsed`."""
    if not isinstance(text, dict):
        raise BadInput(REFUSED)
    target = _list(text.get("target"), 3)
    if len(target) != 3 or not isinstance(text.get("flat"), bool):
        raise BadInput(REFUSED)
    view = View(tuple(_number(x, -MAX_CAMERA_VALUE, MAX_CAMERA_VALUE) for x in target), _number(text.get("distance"), *DISTANCE),
                _number(text.get("azimuth"), -MAX_CAMERA_VALUE, MAX_CAMERA_VALUE), _number(text.get("elevation"), -90.0, 90.0))
    breakpoints = tuple((FORMER_KINDS.get(kind, kind), values)
                        for kind, values in map(_thing, _list(text.get("breakpoints"), MAX_BREAKPOINTS)))
    if any(kind not in BREAKPOINT_KINDS for kind, _ in breakpoints):
        raise BadInput(REFUSED)
    drawn = None if text.get("drawn") is None else tuple(map(_name, _list(text["drawn"], PLOTS)))
    return ViewState(_name(text.get("scene")), tuple(map(_name, _list(text.get("plots"), PLOTS))), breakpoints,
                     tuple(_thing(one) for one in _list(text.get("solvers"), SOLVERS)), view, text["flat"],
                     _name(text.get("file", "")), drawn)


def _accepted(solver: str, values: Values) -> Values:
    """Those of the values that the options of the solver can take."""
    kind, accepted = solvers.available().get(solver), {}
    for name, value in values.items() if kind is not None else ():
        with contextlib.suppress(BadInput):
            set_option(kind().options, name, value)
            accepted[name] = value
    return accepted


def _list(value: Any, most: int) -> list:
    if not isinstance(value, list) or len(value) > most:
        raise BadInput(REFUSED)
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LETTERS:
        raise BadInput(REFUSED)
    return value


def _number(value: Any, lo: float, hi: float) -> float:
    if type(value) not in (int, float) or not (math.isfinite(value) and lo <= value <= hi):
        raise BadInput(REFUSED)
    return float(value)


def _thing(value: Any) -> tuple[str, Values]:
    """Parse [name, values by name]."""
    name, values = value if isinstance(value, list) and len(value) == 2 else (None, None)
    if not isinstance(values, dict) or len(values) > NAMES:
        raise BadInput(REFUSED)
    for one in values.values():
        if type(one) not in (bool, int, float, str) or (type(one) is float and not math.isfinite(one)):
            raise BadInput(REFUSED)
    return _name(name), {_name(key): _name(one) if isinstance(one, str) else one for key, one in values.items()}
