"""What the laws leave open about a contact force: the least and the greatest normal force with the same motion.

    forces x >= 0 along the edges of the friction cones,   G x = G x0,   x0 the forces of the step                      (1)

Joints transmit whatever they need, so G is in joint coordinates. A table on four legs, a wedge and a block in a slot have such
forces; three legs have not. Sticking friction may be anywhere in its cone, sliding friction is on its edge; rolling friction,
adhesion, and friction, limits and motors of joints are those of the step.

Null space: how forces can change with the same motion, whatever their bounds (physics/articulated/contact.py, force_exchange).
"""

import math
import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.engine.frame import Frame
from physics.articulated import contact
from physics.articulated.joint_space import JointSpace
from physics.core.records import Case, copy_of
from physics.dynamics.islands import find_islands

MAX_CONTACTS = 24
"""Contacts of an island beyond which the bounds are not computed."""

FACETS = 8
"""Edges of a sticking contact's cone, besides the one along its friction: without it the forces of the step, which (1)
must allow, would be outside of the polygon in the last 7.6 % before slip."""

ROUNDING_SHARE = 1e-6
"""Bounds nearer to one another than this share of the island's largest force are the same."""


REFRESH_INTERVAL = 0.25
"""While the simulation runs, bounds are computed this often [s]: with many contacts they take longer than a picture."""


class ForceBounds(NamedTuple):
    """Least and greatest normal force [N], inf: none; determined: whether they are the same; contacts: that share the load;
    suffice: so many of these, without friction; the normals of the others depend on theirs (F11 11.6).

    Both are NaN where no solution of (1) was found; the null space does not need one.

    dimension: of the null space, the changes of all forces with the same motion; sharing: indices of the contacts that share the
    load; exchange (contacts, 3): change of their forces on body b with one newton more at this contact, in the world; normals
    (contacts, 3): their normals."""

    least: float
    greatest: float
    determined: bool
    contacts: int
    suffice: int
    dimension: int
    sharing: tuple[int, ...]
    exchange: np.ndarray
    normals: np.ndarray

    @property
    def found(self) -> bool:
        """Whether there are bounds."""
        return not math.isnan(self.least)


def force_bounds(frame: Frame, index: int) -> ForceBounds | None:
    """Bounds of the normal force of a contact; None: it is open, or too many contacts share the load."""
    links, sharing = _island(frame, index)
    if not 0 < len(sharing) <= MAX_CONTACTS or index not in sharing:
        return None
    contacts = frame.contacts[sharing]
    space = JointSpace(frame.as_world, links)
    rows = contact.directions(space, contacts)
    loops = space.constraints[0]
    if len(loops):
        _, s, v = np.linalg.svd(loops)
        rows = rows @ v[int((s > 1e-9 * s[0]).sum()):].T        # motions that the cut joints allow
    second = np.cross(contacts["normal"], contacts["tangent"])
    along = [np.einsum("ck,ck->c", contacts["friction_impulse"], way) for way in (contacts["tangent"], second)]
    forces = np.column_stack([contacts["impulse"], *along]) / frame.impulse_duration
    slides = contacts["case"] == Case.SLIP
    slip = np.column_stack([np.where(slides, -force, 0.0) for force in along])
    used = np.hypot(*forces.T[1:]) / np.maximum(forces[:, 0], 1e-300)
    mu = np.where(slides, used, contacts["friction"])
    G, owner = _edges(rows, mu, slip, forces)
    least, greatest = (contact.force_range(G, owner, np.einsum("ckn,ck->n", rows, forces), sharing.index(index))
                       or (math.nan, math.nan))
    small = ROUNDING_SHARE * float(forces[:, 0].max())
    dimension, change = contact.force_exchange(rows, mu, slip, sharing.index(index))
    axes = np.stack([contacts["normal"], contacts["tangent"], second], axis=1)
    return ForceBounds(0.0 if least <= small else float(least), float(greatest), bool(greatest - least < small), len(sharing),
                       len(contact.minimal_contact_set(rows[:, 0].T)), dimension, tuple(sharing),
                       np.einsum("ca,cak->ck", change, axes), axes[:, 0])


def _edges(rows: np.ndarray, mu: np.ndarray, slip: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """G of (1) and the contact of each column: edges of the cones, and of sticking ones that along the friction of the step."""
    used = np.hypot(*forces.T[1:])
    sticks = np.flatnonzero((used > 0.0) & (mu > 0.0) & ~slip.any(axis=1))
    edge = forces[sticks, 1:] * (np.maximum(mu[sticks], used[sticks] / forces[sticks, 0]) / used[sticks])[:, None]
    along = rows[sticks, 0] + np.einsum("ca,can->cn", edge, rows[sticks, 1:])
    G, owner = contact.cone_edges(rows, mu, slip, FACETS)
    return np.column_stack([G, along.T]), np.concatenate([owner, sticks])


@dataclass
class ShownBounds:
    """Bounds of the contact that is shown, kept until a newer frame."""

    frame: Frame | None = None
    index: int = -1
    found: ForceBounds | None = None
    computed: float = 0.0

    def of(self, frame: Frame, index: int) -> ForceBounds | None:
        """Bounds of a contact of the frame, or of an earlier frame where the simulation runs."""
        now = time.perf_counter()
        stale = frame is not self.frame and (frame.paused or now - self.computed > REFRESH_INTERVAL)
        if index != self.index or stale:
            self.frame, self.index, self.found, self.computed = frame, index, force_bounds(frame, index), now
        return self.found


def _island(frame: Frame, index: int) -> tuple[np.ndarray, list[int]]:
    """(links (bodies,), contacts): the island of a contact: its dynamic bodies and its loaded contacts."""
    bodies, loaded = copy_of(frame.bodies), np.flatnonzero(frame.contacts["impulse"] > 0.0)
    bodies["asleep"] = 0
    of_body = find_islands(bodies, frame.contacts[loaded], frame.joints).of_body
    ends = of_body[np.stack([frame.contacts["body_a"], frame.contacts["body_b"]])]
    island = ends[:, index].max()
    return (of_body == island) & (island >= 0), loaded[(ends[:, loaded] == island).any(axis=0)].tolist()
