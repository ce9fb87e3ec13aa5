"""Forces of contacts as they are drawn: one sum for each patch of a pair of bodies, or each contact's own; and the force that is
typical of a scene, which scales all arrows. No GL.

How the corners of a box share its load is rarely determined, their sum is:

    N = |sum n p_n| / t    at the centre of pressure  sum x p_n / sum p_n           F = sum p_t / t
    mu = sum mu p_n / |sum n p_n|,  so that its use is |F| / (mu N)                                                  (1)

A patch is what two bodies have in contact along about one normal: a ball that is squeezed in a groove has two.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.engine.frame import Frame
from physics.core.records import Case, Kind

if TYPE_CHECKING:
    from app.render.scene.overlay_context import ContactGeometry

PATCH_COSINE = math.cos(math.radians(40.0))
"""Normals of a patch are at most this far from that of its most loaded contact (cosine)."""
MAX_DIRECTIONS = 6
"""Limit of patches of one pair of bodies; contacts beyond are drawn by themselves."""
ARROW_SHARE = 0.12
"""Length of the arrow of a typical force, as a fraction of the picture's height at the camera's target."""
QUANTILE, NEGLIGIBLE = 0.75, 0.02
"""The typical force is this quantile of the forces between bodies that exceed this fraction of the largest one."""
TOLERANCE, REACHED = math.log(1.6), math.log(1.03)
"""Arrows keep their scale while the logarithm of the typical force is off by less than TOLERANCE, and follow it to within
REACHED otherwise: they do not grow and shrink with every change."""
SLOWER, FASTER = math.log(30.0), math.log(4.0)
"""The same for the typical speed, below and above."""
PATIENCE, FOLLOWING_TIME, LONGEST_GAP = 0.15, 0.3, 0.1
"""Simulated time for which the force must have changed before the scale follows, so that an impact does not count; time constant
of following; longest time counted between two pictures [s]."""


@dataclass(frozen=True)
class PressingForces:
    """Forces on the moving body of contacts or patches. pos (n, 3) [m]; axis (n, 3): unit normal; normal (n,) [N];
    friction (n, 3) [N]; tangent (n, 3), mu (n,): of the cone; colours (n, 3); first (n,): selected, or of the selected body;
    body (n,): pushed."""

    pos: np.ndarray
    axis: np.ndarray
    normal: np.ndarray
    friction: np.ndarray
    tangent: np.ndarray
    mu: np.ndarray
    colours: np.ndarray
    first: np.ndarray
    body: np.ndarray


def of_contacts(seen: "ContactGeometry", some: np.ndarray) -> PressingForces:
    """Each contact's own force; some: which of them."""
    c, sign = np.take(seen.table, some), seen.sign[some]     # indexing copies records field by field
    return PressingForces(seen.pos[some], seen.axis[some], seen.normal[some], seen.friction[some], c["tangent"], c["friction"],
                          seen.colours[some], seen.first[some], np.where(sign > 0.0, c["body_b"], c["body_a"]))


def of_patches(seen: "ContactGeometry", states: np.ndarray) -> PressingForces:
    """The sums (1). states (4, 3): colours by CONTACT_CASES; a patch sticks while one of its contacts does."""
    loaded = np.flatnonzero(seen.normal > 0.0)
    one, case = of_contacts(seen, loaded), seen.case[loaded]
    patch, count = patches(pair_keys(np.take(seen.table, loaded)), one.axis, one.normal)
    if not count:
        return one

    def total(values: np.ndarray) -> np.ndarray:
        return np.stack([np.bincount(patch, column, count) for column in np.atleast_2d(values.T)], axis=-1)

    pressed = np.bincount(patch, one.normal, count)
    push = total(one.axis * one.normal[:, None])
    size = np.linalg.norm(push, axis=1)
    most = np.zeros(count, int)
    order = np.argsort(one.normal, kind="stable")
    most[patch[order]] = order
    sticks = np.bincount(patch, case == Case.STICK, count) > 0
    return PressingForces(total(one.pos * one.normal[:, None]) / pressed[:, None], push / size[:, None], size,
                          total(one.friction), one.tangent[most], np.bincount(patch, one.mu * one.normal, count) / size,
                          states[np.where(sticks, Case.STICK, case[most])], np.bincount(patch, one.first, count) > 0,
                          one.body[most])


def pair_keys(contacts: np.ndarray) -> np.ndarray:
    """A number for the pair of bodies of each contact (n,)."""
    a, b = contacts["body_a"].astype(np.int64), contacts["body_b"].astype(np.int64)
    return (np.minimum(a, b) << 32) | np.maximum(a, b)


def patches(pair: np.ndarray, axis: np.ndarray, normal: np.ndarray) -> tuple[np.ndarray, int]:
    """(patch of each contact, number of patches). pair (n,): key of the bodies; axis (n, 3): unit normals; normal (n,) [N]."""
    patch, count, left = np.full(len(pair), -1), 0, np.arange(len(pair))
    for _ in range(MAX_DIRECTIONS):
        if not len(left):
            break
        left = left[np.lexsort((-normal[left], pair[left]))]
        _, first, number = np.unique(pair[left], return_index=True, return_inverse=True)
        alike = np.einsum("ij,ij->i", axis[left], axis[left[first]][number]) > PATCH_COSINE
        patch[left[alike]] = count + number[alike]
        count, left = count + len(first), left[~alike]
    patch[left] = count + np.arange(len(left))
    return patch, count + len(left)


def typical_force(frame: Frame, corners: bool = False) -> float:
    """Typical force between two bodies in a frame, or of one contact if `corners` [N]; 0 without loaded contacts."""
    loaded = np.take(frame.contacts, np.flatnonzero(frame.contacts["impulse"] > 0.0))
    if not len(loaded):
        return 0.0
    number = np.arange(len(loaded)) if corners else np.unique(pair_keys(loaded), return_inverse=True)[1]
    forces = np.bincount(number, loaded["impulse"]) / frame.impulse_duration
    return float(np.quantile(forces[forces > NEGLIGIBLE * forces.max()], QUANTILE))


def typical_weight(frame: Frame) -> float:
    """Weight of a typical moving body [N], under gravity of at least 1 m/s^2; 1 without one."""
    masses = frame.bodies["mass"][(frame.bodies["kind"] == Kind.DYNAMIC) & (frame.bodies["mass"] > 0.0)]
    return float(np.median(masses)) * max(1.0, float(np.linalg.norm(frame.gravity))) if len(masses) else 1.0


def typical_speed(frame: Frame) -> float:
    """Typical speed of the bodies that move in a frame [m/s]; 0 if none does."""
    vel = frame.bodies["vel"][frame.bodies["kind"] != Kind.FREE]
    speed = np.sqrt(np.einsum("ij,ij->i", vel, vel))
    largest = float(speed.max(initial=0.0))
    return float(np.quantile(speed[speed > NEGLIGIBLE * largest], QUANTILE)) if math.isfinite(largest) and largest > 0.0 else 0.0


@dataclass
class _Steady:
    """A quantity that scales arrows, steady from picture to picture. off: simulated time for which it has been wrong [s];
    follows: it is changing now."""

    frame: Frame | None = None
    value: float = 1.0
    off: float = 0.0
    follows: bool = False

    def _start(self, value: float) -> None:
        self.value, self.off, self.follows = value, 0.0, False

    def _follow(self, wanted: float, gap: float, fall: float, rise: float) -> None:
        """Follow what is wanted after a gap of simulated time [s], if it is beyond these tolerances below or above."""
        error = math.log(wanted / self.value)
        self.off = self.off + gap if error > rise or error < -fall else 0.0
        self.follows = abs(error) > REACHED and (self.follows or self.off > PATIENCE)
        if self.follows:
            self.value *= math.exp(error * (1.0 - math.exp(-gap / FOLLOWING_TIME)))


@dataclass
class TypicalForce(_Steady):
    """The typical force of the scene shown [N]. corners: of single contacts; known: it was measured, not guessed from weights."""

    corners: bool = False
    known: bool = False

    def of(self, frame: Frame, corners: bool = False) -> float:
        """The force that scales the arrows of this frame [N]."""
        before, self.frame = self.frame, frame
        if frame is before and corners == self.corners:
            return self.value
        if before is None or frame.scene != before.scene or corners != self.corners:
            self._start(typical_weight(frame))
            self.corners, self.known = corners, False
        wanted = typical_force(frame, corners)
        if not wanted > 0.0 or not math.isfinite(wanted):
            return self.value
        if not self.known:      # the first contacts: nothing has been drawn yet
            self.value, self.known = wanted, True
            return self.value
        self._follow(wanted, min(LONGEST_GAP, abs(frame.time - before.time)), TOLERANCE, TOLERANCE)
        return self.value


@dataclass
class TypicalSpeed(_Steady):
    """The typical speed of the scene shown [m/s]: what a fall through a fortieth of the picture ends with, and what the bodies
    have where that is far off. What speeds up or comes to rest keeps its scale, and its arrow grows or shrinks."""

    def of(self, frame: Frame, height: float) -> float:
        """The speed that scales the arrows of this frame [m/s]. height: of the picture [m]."""
        before, self.frame = self.frame, frame
        if frame is before:
            return self.value
        wanted = typical_speed(frame)
        if before is None or frame.scene != before.scene:
            fall = math.sqrt(0.05 * float(np.linalg.norm(frame.gravity)) * height)
            self._start(fall or wanted or 1.0)
        elif wanted > 0.0:
            self._follow(wanted, min(LONGEST_GAP, abs(frame.time - before.time)), SLOWER, FASTER)
        return self.value
