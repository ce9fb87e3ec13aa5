"""Energy account of a scene since recording began (physics/dynamics/energy_ledger.py), as numbers, layers of a plot and CSV.

With W_c the work of cause c on the kinetic energy T so far, V0 and T0 the energies at the beginning:

    V = V0 - W_gravity                   potential energy at the middle of the last step, where velocities belong             (1)
    gone_c = max(0, -W_c),   given_c = max(0, W_c)          of all other causes but "numerical"                               (2)
    T + V + sum of gone  =  T0 + V0 + sum of given  +  W_numerical                                                            (3)

The left side of (3) is stacked, the right side without its last term is a line: the distance between them is numerical. There V
lies above its lowest value so far; numbers, of the table and of files, are measured from z = 0, as everywhere else.
"""

import csv
import io
from dataclasses import dataclass, field

import numpy as np

from app.engine.frame import Frame
from physics.dynamics.energy_ledger import LEDGER_COLUMNS

MANUAL_CHANGES = "by hand"
"""Changes outside of steps: velocities set by the user, masses."""

CAUSES = (*(name for name in LEDGER_COLUMNS if name not in ("gravity", "numerical")), MANUAL_CHANGES)
"""Causes that remove or add energy, in the order of the layers."""

KINETIC, POTENTIAL, NUMERICAL = "kinetic", "potential", "numerical"

MAX_SAMPLES = 8192
"""Largest number of samples; beyond it every second one of the older half is dropped."""

NUMERICAL_WARNING_SHARE = 0.01
"""Warn when numerical energy exceeds this share of all energy."""

ROUNDING_ENERGY = 1e-12
"""Energies below this are rounding of a state of rest [J]."""

LAYER_TEXTS = {
    KINETIC: "Kinetic energy of all moving bodies.",
    POTENTIAL: "Potential energy of all bodies, measured from z = 0. The plot shows what is above its lowest value so far.",
    "applied": "External forces, such as wind or a driver of the scene.",
    "drag": "The mouse.",
    "movers": "Kinematic bodies and belts.",
    "joints": "Reactions of constraints and limits: nearly zero, except for joints driven by kinematic bodies.",
    "drives": "Motors and springs of joints; springs return the energy they store.",
    "contact": "Normal forces outside impacts: nearly zero.",
    "contact springs": "Springs of compliant contacts: they return the energy they store.",
    "friction": "Contact friction: dissipated as heat.",
    "joint friction": "Joint friction: dissipated as heat.",
    "impact": "Energy lost in impacts, less the energy returned by rebounds.",
    MANUAL_CHANGES: "Edits between steps: velocities or masses that were set.",
    NUMERICAL: "Numerical gain or loss of the integration. Smaller steps or more sweeps reduce it.",
}
"""Description of each row."""

HEIGHT = "height"
"""Column of the potential energy as measured from z = 0."""

_FIRST = ("step", "reported", "time", KINETIC, HEIGHT, "failed")
_COLUMNS = (*_FIRST, *LEDGER_COLUMNS, MANUAL_CHANGES)
_AT = {name: k for k, name in enumerate(_COLUMNS)}


@dataclass(frozen=True)
class EnergyRow:
    """A row of the table [J]. step: in the last step; second: in the last second; total: since the beginning; for kinetic and
    potential energy the present value."""

    name: str
    step: float
    second: float
    total: float


@dataclass(frozen=True)
class Mark:
    """A change of solver on the time axis."""

    time: float
    solver: str


@dataclass(frozen=True)
class Layers:
    """Plot of (3). time (n,) [s]; names: of the layers from below; heights (layers + 1, n): their edges [J]; put_in (n,):
    the line; lines: names of the contributions to it apart from the initial energy."""

    time: np.ndarray
    names: tuple[str, ...]
    heights: np.ndarray
    put_in: np.ndarray
    lines: tuple[str, ...]

    @property
    def numerical(self) -> np.ndarray:
        """Stack minus line [J]."""
        return self.heights[-1] - self.put_in


@dataclass
class EnergyHistory:
    """Samples of frames whose solver reports energies, and of the beginning of the account; restarts with another scene, and
    after a stretch without reports. Of the steps between two frames there are only the sums."""

    scene: str = ""
    begin: float = 0.0      # kinetic energy at the start of the account [J]
    solver: str = ""
    count: int = 0
    table: np.ndarray = field(default_factory=lambda: np.zeros((MAX_SAMPLES, len(_COLUMNS))))
    marks: list[Mark] = field(default_factory=list)
    last_step: dict[str, float] = field(default_factory=dict)

    def add_frame(self, frame: Frame) -> bool:
        """Store a frame's numbers; False if nothing in it is new."""
        report, account = frame.report, frame.energy_totals
        if report is None:
            self.count, self.marks = 0, []      # a scene that has not started
        if report is None or not report.ledger or not account.steps:
            return False
        self._cut(frame)
        if self.count and self.table[self.count - 1, _AT["step"]] == frame.step:
            return False
        if self.count == MAX_SAMPLES:
            self._thin()
        kinetic = report.energy["kinetic"]
        self.table[self.count] = (frame.step, account.steps, frame.time, kinetic, report.energy["potential"],
                                  account.audit_failures, *(account.ledger[name] for name in LEDGER_COLUMNS),
                                  account.unexplained(kinetic))
        self.count += 1
        self.last_step = report.ledger
        if report.solver != self.solver:
            if self.solver and self.count > 1:
                self.marks.append(Mark(float(self.table[self.count - 2, _AT["time"]]), report.solver))
            self.solver = report.solver
        return True

    def _cut(self, frame: Frame) -> None:
        """Drop all samples after this frame, or every sample if it does not continue from them; or add the beginning."""
        account = frame.energy_totals
        steps = self.table[: self.count, _AT["step"]]
        if frame.scene != self.scene or account.begin != self.begin:
            self.scene, self.begin, self.solver, self.count, self.marks = frame.scene, account.begin, "", 0, []
        elif self.count and frame.step < steps[-1]:
            self.count = int(np.searchsorted(steps, frame.step))
            self.marks = [mark for mark in self.marks if mark.time < frame.time]
            self.solver = frame.report.solver
        if self.count:
            last = self.table[self.count - 1]
            if frame.step - last[_AT["step"]] != account.steps - last[_AT["reported"]]:
                self.count, self.marks = 0, []      # the sums include what was before the stretch without reports
        else:
            self._add_beginning(frame)

    def _add_beginning(self, frame: Frame) -> None:
        """Store the state before the first step of the account, from its sums: all its steps may lie before this frame."""
        account, report = frame.energy_totals, frame.report
        height = report.energy["potential"] + account.ledger["gravity"]     # (1)
        self.table[0] = 0.0
        self.table[0, : len(_FIRST)] = (frame.step - account.steps, 0, max(0.0, frame.time - account.steps * frame.dt),
                                        account.begin, height, account.audit_failures)
        self.count = 1

    def _thin(self) -> None:
        keep = np.ones(MAX_SAMPLES, bool)
        keep[1 : MAX_SAMPLES // 2 : 2] = False
        kept = self.table[keep]
        self.count = len(kept)
        self.table[: self.count] = kept

    def column(self, name: str) -> np.ndarray:
        """All samples of a cause, or of "time", "kinetic"; a view."""
        return self.table[: self.count, _AT[name]]

    def failures(self) -> np.ndarray:
        """Times of samples before which, since the previous sample, the auditor reported a failure [s]."""
        failed = self.column("failed")
        return self.column("time")[1:][np.diff(failed) > 0.0]

    def potential(self) -> np.ndarray:
        """(1), above its lowest value [J]."""
        falling = -self.column("gravity")
        return falling - falling.min(initial=np.inf)

    @property
    def scale(self) -> float:
        """Largest total energy so far [J]; 0 if it is negligible."""
        most = float((self.column(KINETIC) + self.potential()).max(initial=0.0)) if self.count else 0.0
        return most if most > ROUNDING_ENERGY else 0.0

    @property
    def rounding(self) -> float:
        """Numerical energies up to this are rounding [J]: each step subtracts potential energies measured from z = 0."""
        if not self.count:
            return ROUNDING_ENERGY
        present = np.abs(self.column(HEIGHT)) + self.column(KINETIC)
        return max(ROUNDING_ENERGY, float(np.finfo(float).eps * self.column("reported")[-1] * present.max()))

    @property
    def suspicious(self) -> bool:
        """Whether "numerical" is more than rounding and exceeds NUMERICAL_WARNING_SHARE."""
        return bool(self.count) and abs(float(self.column(NUMERICAL)[-1])) > max(NUMERICAL_WARNING_SHARE * self.scale,
                                                                                 self.rounding)

    def layers(self, most: int) -> Layers:
        """The plot, with at most `most` samples."""
        step = max(1, -(-self.count // most))
        pick = np.unique(np.append(np.arange(0, self.count, step), max(0, self.count - 1)))
        time, potential = self.column("time")[pick], self.potential()[pick]
        kinetic = self.column(KINETIC)[pick]
        parts, names, lines = [kinetic, potential], [KINETIC, POTENTIAL], []
        faint = 1e-6 * max(self.scale, ROUNDING_ENERGY)
        causes = {name: self.column(name)[pick] for name in CAUSES}
        given = np.zeros(len(pick))
        for name, work in causes.items():
            gone = np.maximum(0.0, -work)
            given += np.maximum(0.0, work)
            if gone.max(initial=0.0) > faint:
                parts.append(gone)
                names.append(name)
            else:
                given -= gone
            if work.max(initial=0.0) > faint:
                lines.append(name)
        heights = np.vstack([np.zeros(len(pick)), np.cumsum(parts, axis=0)])
        start = heights[-1] - given - self.column(NUMERICAL)[pick]      # (3): constant but for rounding
        return Layers(time, tuple(names), heights, start[:1] + given, tuple(lines))

    def rows(self) -> list[EnergyRow]:
        """The table: kinetic, potential, all nonzero causes, and "numerical"."""
        if not self.count:
            return []
        time = self.column("time")
        rows: list[EnergyRow] = []
        for name, values, step in ((KINETIC, self.column(KINETIC), sum(self.last_step.values())),
                                   (POTENTIAL, self.column(HEIGHT), -self.last_step["gravity"])):
            rows.append(EnergyRow(name, step, _gained(time, values), float(values[-1])))
        for name in (*CAUSES, NUMERICAL):
            values = self.column(name)
            if name == NUMERICAL or np.abs(values).max() > 1e-9 * max(self.scale, ROUNDING_ENERGY):
                rows.append(EnergyRow(name, self.last_step.get(name, 0.0), _gained(time, values), float(values[-1])))
        return rows

    def as_csv(self) -> bytes:
        """All samples, cumulative."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        names = (KINETIC, POTENTIAL, "gravity", *CAUSES, NUMERICAL)
        writer.writerow(["time [s]", *(f"{name} [J]" for name in names)])
        columns = [self.column(HEIGHT if name == POTENTIAL else name) for name in names]
        writer.writerows(zip(self.column("time").tolist(), *(column.tolist() for column in columns)))
        return text.getvalue().encode()


def _gained(time: np.ndarray, values: np.ndarray) -> float:
    """What was gained in the last second, or since the first sample; between samples as if at a constant rate."""
    return float(values[-1] - np.interp(time[-1] - 1.0, time, values))
