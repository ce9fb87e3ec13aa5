"""Records of contacts in the steps around the one shown and beside the latest impacts: an observer that stores a few numbers of
each, by value.

For a contact with unit normal n from a to b, arms r from the centres of mass, dx and dtheta the motion of a body in the step:

    approach   v0 = n . (v_b - v_a + w_b x r_b - w_a x r_a)  at the start of the step                        (1)
    after      v1, the same at its end                                                                     (2)
    gap        g1 = g0 + n . (dx_b - dx_a + dtheta_b x r_b - dtheta_a x r_a)                               (3)

Solvers leave g0 in their contacts, the exact one g1. By (3) the other follows.
"""

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics.core.quaternions import conjugate, product, rotate
from physics.core.records import Kind, record
from physics.observe.impacts import IMPACT

MAX_STEPS_AROUND = 80
"""Steps stored before the one shown, and after it."""

LATEST_IMPACTS, STEPS_BESIDE = 14, 20
"""Of so many steps with the latest impacts in no time, those before and after stay stored, too: at 240 Hz the steps around the
one shown are over before a person has looked."""

MAX_CONTACTS = 160
"""Largest number of contacts stored per step; of more, those with the largest approach speed."""

TOUCHED = record([
    ("shape_a", "i4"), ("shape_b", "i4"),
    ("body_a", "i4"), ("body_b", "i4"),
    ("feature", "i8"),
    ("gap", "f8"),                  # at the start of the step [m]
    ("gap_after", "f8"),            # at its end [m]
    ("approach", "f8"),             # normal velocity at the start [m/s], < 0: approaching
    ("after", "f8"),                # at the end [m/s]
    ("normal", "f8"),               # impulse [N s]
    ("friction", "f8"),             # size of the impulse [N s]
    ("slip", "f8"),                 # size of the slip at the end [m/s]
    ("pending_rebound", "f8"),              # speed of an impact whose rebound is pending [m/s]
    ("restitution", "f8"),          # the restitution that the energy limit allowed (physics/solvers/impulses/energy_limit.py)
    ("meant", "f8"),                # the restitution of the pair, for an impact
    ("kinetic", "f8"),              # energy of the two bodies at the end [J]
    ("case", "i4"),
    ("sign_case", "i4"),
])
NO_IMPACTS = np.zeros(0, IMPACT)
COPIED_FIELDS = ("shape_a", "shape_b", "body_a", "body_b", "feature", "pending_rebound", "restitution", "case", "sign_case")




@dataclass(frozen=True)
class StepRecord:
    """A step. time: at its end [s]; gravity_speed: gained in free fall [m/s], gravity times dt; rows: TOUCHED records; struck:
    IMPACT records, of the impacts in no time."""

    step: int
    time: float
    dt: float
    gravity_speed: float
    rows: np.ndarray
    struck: np.ndarray = field(default_factory=lambda: NO_IMPACTS)


class ImpactRecorder:
    """Stores the steps around the present and around the latest impacts; readable from any thread.

    patience: time without a reader after which it removes itself [wall s].
    """

    def __init__(self, patience: float = math.inf) -> None:
        self.patience = patience
        self._steps: dict[int, StepRecord] = {}
        self._room = 2 * MAX_STEPS_AROUND
        self._last_scan = time.perf_counter()

    @property
    def steps(self) -> list[StepRecord]:
        """Return the stored steps in order of time."""
        return sorted(self._steps.copy().values(), key=lambda seen: seen.step)

    @property
    def last(self) -> int:
        """The newest stored step, -1: none. Reading it counts as use."""
        self._last_scan = time.perf_counter()
        return max(self._steps.copy(), default=-1)

    @property
    def empty(self) -> bool:
        return not self._steps

    def on_step(self, simulation: Any) -> None:
        world, place = simulation.world, simulation.timeline.place
        if time.perf_counter() - self._last_scan > self.patience:
            self.forget()
            simulation.observers.remove(self)
            return
        if abs(world.steps - place) > MAX_STEPS_AROUND:
            return      # far from the goal while seeking; only steps near it are read
        dt = world.last_dt
        gravity_speed = dt * float(np.linalg.norm(world.gravity))
        self._steps[world.steps] = StepRecord(world.steps, world.time, dt, gravity_speed, contact_records(world),
                                               world.report.impact_records if _has_records(world) else NO_IMPACTS)
        if len(self._steps) > self._room:
            self._tidy(place)

    def _tidy(self, place: int) -> None:
        """Drop what is neither around the step shown nor beside one of the latest impacts."""
        struck = sorted(step for step, seen in self._steps.items() if len(seen.struck))[-LATEST_IMPACTS:]
        beside = {step + k for step in struck for k in range(-STEPS_BESIDE, STEPS_BESIDE + 1)}
        for step in [step for step in self._steps.copy() if abs(step - place) > MAX_STEPS_AROUND and step not in beside]:
            del self._steps[step]
        self._room = len(self._steps) + MAX_STEPS_AROUND

    def forget_after(self, step: int) -> None:
        self._steps = {known: seen for known, seen in self._steps.copy().items() if known <= step}

    def forget(self) -> None:
        self._steps, self._room = {}, 2 * MAX_STEPS_AROUND


def _has_records(world: Any) -> bool:
    return world.report is not None and world.report.impact_records is not None


def contact_records(world: Any) -> np.ndarray:
    """Return TOUCHED records of the last step of a world."""
    contacts, began, bodies = world.awake_contacts, world.step_start, world.bodies
    if began is None or not len(contacts) or len(began.motion) != len(bodies):
        return np.zeros(0, TOUCHED)
    if len(contacts) > MAX_CONTACTS:
        contacts = contacts[np.sort(np.argpartition(contacts["approach"], MAX_CONTACTS)[:MAX_CONTACTS])]
    out = np.zeros(len(contacts), TOUCHED)
    for name in COPIED_FIELDS:
        out[name] = contacts[name]
    out["normal"] = contacts["impulse"]
    out["friction"] = np.linalg.norm(contacts["friction_impulse"], axis=1)
    out["slip"] = np.linalg.norm(contacts["slip"], axis=1)
    way, before, after, kinetic = np.zeros((4, len(contacts)))
    for sign, name, end in ((-1.0, "body_a", contacts["pos"]), (1.0, "body_b", contacts["pos"] + contacts["shift"])):
        of = contacts[name]
        arm = end - began.pos[of]
        turn = product(bodies["quat"][of], conjugate(began.quat[of]))
        turn = 2.0 * turn[:, 1:] * np.sign(turn[:, :1] + (turn[:, :1] == 0.0))      # sin of the angle, which is small
        for total, move, spin in ((way, bodies["pos"][of] - began.pos[of], turn),
                                  (before, began.velocity[of], began.omega[of]), (after, bodies["vel"][of], bodies["omega"][of])):
            total += sign * np.einsum("ij,ij->i", contacts["normal"], move + np.cross(spin, arm))
        kinetic += _kinetic(bodies[of])
    out["approach"], out["after"], out["kinetic"] = before, after, kinetic
    for i, c in enumerate(contacts):
        struck = before[i] < 0.0 < c["impulse"] and c["restitution"] > 0.0
        out["meant"][i] = c["restitution"]
        if struck:
            out["meant"][i] = world.materials.value("restitution", world.shapes[c["shape_a"]], world.shapes[c["shape_b"]])[0]
    at_end = world.report is not None and world.report.solved is not None
    out["gap"] = contacts["gap"] - way if at_end else contacts["gap"]
    out["gap_after"] = contacts["gap"] if at_end else contacts["gap"] + way
    return out


def _kinetic(bodies: np.ndarray) -> np.ndarray:
    """Kinetic energy of dynamic bodies, 0 for others [J]."""
    spin = rotate(conjugate(bodies["quat"]), bodies["omega"])
    energy = 0.5 * (bodies["mass"] * np.einsum("ij,ij->i", bodies["vel"], bodies["vel"])
                    + np.einsum("ij,ijk,ik->i", spin, bodies["inertia"], spin))
    return np.where(bodies["kind"] == Kind.DYNAMIC, energy, 0.0)
