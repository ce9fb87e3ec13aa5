"""The microscope: one frozen step, replayed in detail in a separate thread on a separate world.

The content depends on the solver: sweeps (sweeps.py, replay_contact_sweep.py), with and without warm start; or the pivots of
Lemke's algorithm (pivots.py). The simulation continues meanwhile.
"""

import csv
import io
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from app.analysis.microscope import pivots, sweeps
from app.analysis.microscope.replay_contact_sweep import SUPPORTED_SOLVERS, SweepReplay, SweepReplayer
from app.engine.commands.observation import ExportedState
from app.i18n.message import message
from physics import BadInput, Diverged, step
from physics.core.records import Case

MAX_VISITS = 4000
"""Sweeps with more contact visits are not replayed one by one: it would take seconds."""

CASE_NAMES = {Case.OPEN: "open", Case.STICK: "stick", Case.SLIP: "slide"}


@dataclass
class Microscope:
    """One frozen step. substep: the one whose sweeps are recorded, 1 ..; warm, cold: these with and without warm start; paths:
    its pivots; solver: of the step; problem: reason why results are missing or incomplete; done.

    Readable from any thread; `cancel` ends it soon.
    """

    state: ExportedState
    substep: int = 1
    warm: sweeps.Sweeps | None = None
    cold: sweeps.Sweeps | None = None
    paths: tuple[pivots.PivotPath, ...] = ()
    problem: str = ""
    done: bool = False
    _replays: SweepReplayer | None = field(default=None, repr=False)
    _made: dict[int, SweepReplay] = field(default_factory=dict, repr=False)
    _asked: set[int] = field(default_factory=set, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def solver(self) -> str:
        return self.state.snapshot.solver.name

    @property
    def body_names(self) -> tuple[str, ...]:
        return self.state.snapshot.names[0]

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self.state.snapshot.names[1]

    def start(self) -> None:
        """Start the computation in a separate thread."""
        threading.Thread(target=self.run, name="microscope", daemon=True).start()

    def cancel(self) -> None:
        self._stop.set()

    def run(self) -> None:
        """Compute everything in this thread."""
        solver = self.state.snapshot.solver
        try:
            if solver.sweep_option:
                self.warm = sweeps.record(self.state, substep=self.substep, wanted=self._wanted)
                if solver.name in SUPPORTED_SOLVERS:
                    self._replays = SweepReplayer(self.warm)
                self.cold = sweeps.record(self.state, substep=self.substep, warm=False,
                                          most=max(self.warm.last, sweeps.MIN_SWEEPS), wanted=self._wanted)
            elif solver.has_pivots:
                self._watch_pivots()
            else:
                self.problem = message("{solver} has neither sweeps nor pivots to inspect", solver=solver.name)
        except (BadInput, Diverged) as error:
            self.problem = str(error)
        except sweeps.ReplayCancelled:
            self.problem = "cancelled"
        finally:
            self.done = True

    def _wanted(self) -> bool:
        return not self._stop.is_set()

    def _watch_pivots(self) -> None:
        world, found = self.state.world(), []
        world.solver.pivot_observer = found.append
        step(world, self.state.dt)
        for seen in found:
            if not self._wanted():
                raise sweeps.ReplayCancelled
            self.paths += (pivots.trace_pivots(seen, self.body_names, self.joint_names),)
        if not found:
            self.problem = "no contact, limit or friction acts in this step: there is nothing to solve for"

    # ---- replay of single sweeps

    @property
    def can_replay(self) -> bool:
        """Whether sweeps can be replayed joint by joint and contact by contact."""
        return self._replays is not None and 0 < len(self.warm.start.contacts) + self.warm.chain.visited <= MAX_VISITS

    @property
    def why_not_replayed(self) -> str:
        """Reason why they cannot, in words; "" if they can."""
        if self.can_replay or self.warm is None:
            return ""
        if self._replays is None:
            return message("The sweeps of {solver} do not process contacts one by one, so there is no order to show.",
                           solver=self.solver)
        return message("A sweep over more than {max_visits} contacts is not shown: it would take seconds.", max_visits=MAX_VISITS)

    def replay(self, sweep: int) -> SweepReplay | None:
        """Replay of that sweep; None until it is computed, which this call starts."""
        if sweep in self._made or not self.can_replay or not 1 <= sweep <= self.warm.last:
            return self._made.get(sweep)
        if sweep not in self._asked:
            self._asked.add(sweep)
            threading.Thread(target=self._compute, args=(sweep,), name="walk", daemon=True).start()
        return None

    def _compute(self, sweep: int) -> None:
        with self._lock:
            self._made[sweep] = self._replays.at(sweep)

    # ---- for display

    def pair(self, contact: int) -> str:
        """Names of the bodies of a contact of the sweeps."""
        return pivots.pair_of(self.warm.start.contacts[contact], self.body_names)

    def csv(self) -> str:
        """All numbers: a line for each contact and joint after each sweep, or for each pivot."""
        out = io.StringIO()
        write = csv.writer(out, lineterminator="\n").writerow
        if self.warm is not None:
            self._write_sweeps(write)
        for path in self.paths:
            write(("# " + path.title,))
            write(("pivot", "enters", "leaves", "ratio", "z0"))
            for i, (entering, leaving) in enumerate(path.pivots.tolist()):
                write((i + 1, path.name(entering), path.name(leaving), path.step[i], path.z0[i]))
        return out.getvalue()

    def _write_sweeps(self, write: Callable) -> None:
        s = self.warm
        write(("substep", "sweep", "change [m/s]", "residual [m/s]", "kind", "index", "name", "normal [N s]", "friction x [N s]",
               "friction y [N s]", "friction z [N s]", "bound mu N [N s]", "state"))
        joints = np.flatnonzero(s.start.joints["kind"] >= 0)
        for k in range(s.last + 1):
            head = s.start.substep, k, float(s.change[k]), float(s.residual[k])
            for i, c in enumerate(s.contacts[k]):
                write((*head, "contact", i, self.pair(i), float(c["impulse"]), *c["friction_impulse"].tolist(),
                       float(c["friction"] * c["impulse"]), CASE_NAMES[int(c["case"])]))
            for j in joints.tolist():
                write((*head, "joint", j, self.joint_names[j], float(np.linalg.norm(s.reaction[k, j, :3])), "", "", "", "", ""))
