"""Layout of the plot: its parts and their curves, over time or another quantity; the view, a measured span, kept runs.

A scene records what its predictions and its check need; at first only its main quantities are drawn (`drawn_at_first`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.analysis.curves.curves import CurveSet
from app.analysis.curves.saved_runs import SavedRuns

MAX_UNITS_PER_PLOT = 3
"""Largest number of units in one part: each has its own axis."""

MAX_CURVES_AT_FIRST = 5
"""Curves of a scene that are drawn at first, if those of the first kind are not already more."""

FOLLOWED_SPANS = {"2 s": 2.0, "5 s": 5.0, "10 s": 10.0, "30 s": 30.0, "2 min": 120.0, "all": np.inf}
"""Length of the past shown while the view follows [s]."""

TIME = ""
"""Stands for a key: the x axis is time."""


def drawn_at_first(keys: Sequence[str]) -> tuple[str, ...]:
    """The main quantities of a scene, which names them first: all of the first kind, such as the heights of all bodies, which are
    to be compared, and of the following kinds as many as fit, each whole."""
    kinds: dict[str, list[str]] = {}
    for key in keys:
        kinds.setdefault(key.rpartition(".")[2], []).append(key)
    drawn: list[str] = []
    for same in kinds.values():
        if drawn and len(drawn) + len(same) > MAX_CURVES_AT_FIRST:
            break
        drawn += same
    return tuple(drawn)


@dataclass
class Plot:
    """One of the plots. x: key of the quantity on its x axis, or TIME. own: created because no axis fitted a unit; removed when
    empty. pairs: (curve's key, key on the x axis) of a scene's paths, each over a quantity of its own; x is that of the first."""

    number: int
    x: str = TIME
    own: bool = False
    pairs: tuple[tuple[str, str], ...] = ()

    def x_of(self, key: str) -> str:
        """Key of the quantity over which a curve is drawn, or TIME."""
        return dict(self.pairs).get(key, self.x)


@dataclass
class PlotLayout:
    """The parts and the user's choices for them. where: part of each key that was assigned to one; active: receives new
    quantities. limits [s]: of the time axis, while the view does not follow; frozen: shown instead of the live curves;
    measured: a span [s]; minus: name of the kept run whose difference is shown; paths, plots, drawn: the scene's (of Scene);
    not_drawn: keys that are recorded only."""

    parts: list[Plot] = field(default_factory=lambda: [Plot(1)])
    where: dict[str, int] = field(default_factory=dict)
    active: int = 1
    follow: bool = True
    span: str = "10 s"
    limits: tuple[float, float] = (0.0, 1.0)
    frozen: CurveSet | None = None
    measured: tuple[float, float] | None = None
    runs: SavedRuns = field(default_factory=SavedRuns)
    minus: str = ""
    scene: str = ""
    paths: tuple[tuple[tuple[str, str], ...], ...] = ()
    plots: tuple[str, ...] = ()
    drawn: tuple[str, ...] | None = None
    not_drawn: set[str] = field(default_factory=set)

    def reset(self) -> None:
        """Restore the scene's layout; kept runs stay."""
        self.__init__(runs=self.runs, scene=self.scene, paths=self.paths, plots=self.plots, drawn=self.drawn)
        self.not_drawn = self._not_drawn_at_first()
        if self.paths:
            self.parts = [Plot(n, pairs[0][1], pairs=pairs) for n, pairs in enumerate(self.paths, start=1)]
            self.where = {key: part.number for part in self.parts for key, _ in part.pairs}

    def _not_drawn_at_first(self) -> set[str]:
        over_time = [key for key in self.plots if not any(key in pair for pairs in self.paths for pair in pairs)]
        return set(over_time).difference(drawn_at_first(over_time) if self.drawn is None else self.drawn)

    def on_scene(self, scene: str, paths: tuple[tuple[tuple[str, str], ...], ...] = (), plots: tuple[str, ...] = (),
                 drawn: tuple[str, ...] | None = None) -> None:
        """Adapt to a scene, its paths and its quantities: another one has others, and a file of the same one may have."""
        if scene != self.scene:
            self.scene, self.paths, self.plots, self.drawn = scene, paths, plots, drawn
            self.reset()
        elif (plots, drawn) != (self.plots, self.drawn):
            self.plots, self.drawn = plots, drawn
            self.not_drawn = self._not_drawn_at_first()

    def add(self, x: str = TIME) -> Plot:
        """Add an empty part and make it active."""
        part = Plot(1 + max(part.number for part in self.parts), x)
        self.parts.append(part)
        self.active = part.number
        return part

    def remove(self, number: int) -> None:
        """Remove a part; its quantities go where there is an axis for them; the last part stays."""
        if len(self.parts) > 1:
            self.parts = [part for part in self.parts if part.number != number]
            self.where = {key: at for key, at in self.where.items() if at != number}
            self.active = self.parts[0].number if self.active == number else self.active

    def move_curve(self, key: str, number: int | None) -> None:
        """Draw a key in that part; None: wherever its unit fits. A part over another quantity that becomes empty is removed."""
        self.not_drawn.discard(key)
        self.where.pop(key, None)
        if number is not None:
            self.where[key] = number
        for part in [part for part in self.parts if part.x and part.number not in self.where.values()]:
            self.remove(part.number)

    def only_record(self, key: str) -> None:
        """Draw a key no longer; it stays recorded."""
        self.move_curve(key, None)
        self.not_drawn.add(key)

    def against(self, key: str, x: str) -> Plot:
        """Draw a quantity over another one, in a part for that pair."""
        found = next((part for part in self.parts if part.x == x and not part.pairs), None) or self.add(x)
        self.move_curve(key, found.number)
        return found

    def arrange(self, keys: Sequence[str], unit: Callable[[str], str]) -> list[tuple[Plot, tuple[str, ...]]]:
        """Return each part with the keys that it draws, in order. Unassigned keys go to the first part over time with an axis for
        their unit, or to a new part. A quantity on an x axis is not drawn as a curve, unless it was assigned somewhere."""
        keys = [key for key in keys if key not in self.not_drawn]
        inside: dict[int, list[str]] = {part.number: [] for part in self.parts}
        axes = {x for part in self.parts for x in (part.x, *dict(part.pairs).values()) if x}
        for key in keys:
            if self.where.get(key) in inside:
                inside[self.where[key]].append(key)
        for key in keys:
            if self.where.get(key) in inside or key in axes:
                continue
            part = self._room(key, inside, unit) or self._extra(inside)
            inside[part.number].append(key)
        self.parts = [part for part in self.parts if inside[part.number] or not part.own]
        return [(part, tuple(sorted(inside[part.number], key=keys.index))) for part in self.parts]

    def _room(self, key: str, inside: dict[int, list[str]], unit: Callable[[str], str]) -> Plot | None:
        over_time = [part for part in self.parts if not part.x]
        for part in over_time:
            units = {unit(other) for other in inside[part.number]}
            if unit(key) in units or len(units) < MAX_UNITS_PER_PLOT:
                return part
        return None

    def _extra(self, inside: dict[int, list[str]]) -> Plot:
        active = self.active
        part = self.add()
        part.own, inside[part.number], self.active = True, [], active
        return part

    def window(self, present: float, end: float) -> tuple[float, float]:
        """The times to show [s]: the newest, or those around the present if it is far back."""
        if not self.follow:
            return self.limits
        length = FOLLOWED_SPANS[self.span]
        if not np.isfinite(length):
            return 0.0, max(end, 0.5)
        newest = end if end - present < 0.9 * length else present + 0.25 * length
        return max(0.0, newest - length), max(newest, 0.5)

    def choose_span(self, span: str) -> None:
        self.span, self.follow = span, True
