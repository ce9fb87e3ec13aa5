"""What contacts did in the steps around the one that is shown: a witness that keeps a few numbers of each, by value.

Of a contact with the unit normal n from a to b, its points r from the centres, dx and dtheta the motion of a body in the step:

    approach   v0 = n . (v_b - v_a + w_b x r_b - w_a x r_a)  at the start of the step                        (1)
    after      v1, the same at its end                                                                     (2)
    gap        g1 = g0 + n . (dx_b - dx_a + dtheta_b x r_b - dtheta_a x r_a)                               (3)

Solvers leave g0 in their contacts, the exact one g1. By (3) the other follows.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.render.place import multiply, rotate
from physics.core.records import Kind, record

ROOM = 80
"""Steps kept before the one that is shown, and after it."""

ROWS = 160
"""Contacts kept of a step; of more, those that come nearest fastest."""

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
    ("pending", "f8"),              # speed of an impact whose rebound waits [m/s]
    ("restitution", "f8"),          # what energy allowed of it (physics/solvers/_energy_limit.py)
    ("meant", "f8"),                # the restitution of the pair, where it struck
    ("kinetic", "f8"),              # energy of the two bodies at the end [J]
    ("case", "i4"),
    ("sign_case", "i4"),
])
COPIED = ("shape_a", "shape_b", "body_a", "body_b", "feature", "pending", "restitution", "case", "sign_case")


OTHER_WAY = np.array([1.0, -1.0, -1.0, -1.0])


@dataclass(frozen=True)
class StepSeen:
    """One step. time: at its end [s]; pull: size of gravity times dt [m/s], what a step adds to a fall; rows: TOUCHED records."""

    step: int
    time: float
    dt: float
    pull: float
    rows: np.ndarray


class ImpactRecorder:
    """Keeps the steps around the present; read it from any thread.

    patience: it sees no more steps when nobody has looked at it for so long [wall s].
    """

    def __init__(self, patience: float = math.inf) -> None:
        self.patience = patience
        self._steps: dict[int, StepSeen] = {}
        self._looked = time.perf_counter()

    @property
    def steps(self) -> list[StepSeen]:
        """What is kept, in the order of time."""
        return sorted(self._steps.copy().values(), key=lambda seen: seen.step)

    @property
    def last(self) -> int:
        """The newest step that is kept, -1: none is. Whoever asks is looking at it."""
        self._looked = time.perf_counter()
        return max(self._steps.copy(), default=-1)

    @property
    def empty(self) -> bool:
        return not self._steps

    def saw(self, simulation: Any) -> None:
        world, place = simulation.world, simulation.place
        if time.perf_counter() - self._looked > self.patience:
            self.forget()
            simulation.dismiss_witness(self)
            return
        if abs(world.steps - place) > ROOM:
            return      # on a long way through the past: what is near the goal counts
        dt = world.last_dt
        pull = dt * float(np.linalg.norm(world.gravity))
        self._steps[world.steps] = StepSeen(world.steps, world.time, dt, pull, touched(world))
        if len(self._steps) > 2 * ROOM:
            for step in [step for step in self._steps.copy() if abs(step - place) > ROOM]:
                del self._steps[step]

    def forget_after(self, step: int) -> None:
        self._steps = {known: seen for known, seen in self._steps.copy().items() if known <= step}

    def forget(self) -> None:
        self._steps = {}


def touched(world: Any) -> np.ndarray:
    """TOUCHED records of the last step of a world."""
    contacts, began, bodies = world.awake_contacts, world.beginning, world.bodies
    if began is None or not len(contacts) or len(began.motion) != len(bodies):
        return np.zeros(0, TOUCHED)
    if len(contacts) > ROWS:
        contacts = contacts[np.sort(np.argpartition(contacts["approach"], ROWS)[:ROWS])]
    out = np.zeros(len(contacts), TOUCHED)
    for name in COPIED:
        out[name] = contacts[name]
    out["normal"] = contacts["impulse"]
    out["friction"] = np.linalg.norm(contacts["friction_impulse"], axis=1)
    out["slip"] = np.linalg.norm(contacts["slip"], axis=1)
    way, before, after, kinetic = np.zeros((4, len(contacts)))
    for sign, name, end in ((-1.0, "body_a", contacts["pos"]), (1.0, "body_b", contacts["pos"] + contacts["shift"])):
        of = contacts[name]
        arm = end - began.pos[of]
        turn = multiply(bodies["quat"][of], began.quat[of] * OTHER_WAY)
        turn = 2.0 * turn[:, 1:] * np.sign(turn[:, :1] + (turn[:, :1] == 0.0))      # sin of the angle, for the little of a step
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
    """Kinetic energy of dynamic bodies, 0 of others [J]."""
    spin = rotate(bodies["quat"] * OTHER_WAY, bodies["omega"])
    energy = 0.5 * (bodies["mass"] * np.einsum("ij,ij->i", bodies["vel"], bodies["vel"])
                    + np.einsum("ij,ijk,ik->i", spin, bodies["inertia"], spin))
    return np.where(bodies["kind"] == Kind.DYNAMIC, energy, 0.0)
