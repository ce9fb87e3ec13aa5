"""Laws of impact within a step of the exact solver: for its published schemes, and for impacts that are not struck in no time.

The impulse of the restitution is s e' c_c, with c_c of the compression and e' of linearise.py. By Poisson's law s = 1. Another
law that gives an impulse (contact/impact_laws) has in each island the share s at which the sum of its `excess` is zero:

    state    u_0, u_c, u_1 normal velocities without impulses, after the compression and after the restitution,
             w_c = c_c (u_0 + u_c)/2,  w = w_c + (c_1 - c_c) (u_c + u_1)/2                                        (1)
"""

from typing import Any

import numpy as np

from physics.contact.impact_laws import ImpactState
from physics.contact.impact_path import excess
from physics.core.jit import kernel
from physics.core.row import velocity_of

TRIALS = 30
"""Most trials of s."""

MAX_SHARE = 16.0
"""Largest s."""

NO_SHARE = "Poisson"
"""The law for which s = 1."""

SETTLED = 1e-9
"""Share of what the law asks for that may be missed."""


@kernel
def judge(contacts, rows, first, of_body, free, pressed, between, known, velocity, kind, out):
    """out (islands, 2): the sum of `excess` of the contacts, and its size without restitution.

    pressed (rows,): impulses of the compression; free, between, velocity (n, 6): without impulses, after the compression and
    after the restitution; known (rows,): s e' c_c.
    """
    out[:, :] = 0.0
    for n in range(contacts.shape[0]):
        c, r = contacts[n], first + 3 * n
        island = max(of_body[c.body_a], of_body[c.body_b])
        p_c, row = pressed[r], rows[r]
        if p_c <= 0.0 or c.restitution == 0.0 or island < 0:
            continue
        u_0, u_c, u_1 = (velocity_of(row, free[c.body_a], free[c.body_b]), velocity_of(row, between[c.body_a], between[c.body_b]),
                         velocity_of(row, velocity[c.body_a], velocity[c.body_b]))
        w_c = 0.5 * p_c * (u_0 + u_c)
        w = w_c + 0.5 * (row.impulse - p_c) * (u_c + u_1)
        out[island, 0] += excess(ImpactState(kind, c.restitution, u_0, p_c, w_c, p_c + known[r], u_1, w))
        out[island, 1] += abs(excess(ImpactState(kind, c.restitution, u_0, p_c, w_c, p_c, 0.0, w_c)))


def shares(step: Any, active: np.ndarray, bounces: np.ndarray, kind: int) -> np.ndarray:
    """s (contacts,) of a law that is neither by velocity nor Poisson's, by false position (Illinois)."""
    part = np.ones(len(step.contacts))
    low = high = below = above = None
    for _ in range(TRIALS):
        velocity = step.rebound_velocities(active, bounces, part)
        found = np.empty((int(step.of_body.max(initial=-1)) + 1, 2))
        judge(step.contacts, step.rows, step.world.layout.joints.rows, step.of_body, step.free, step.pressed, step.between,
              step.known, velocity, kind, found)
        value = np.divide(found[:, 0], found[:, 1], out=np.zeros(len(found)), where=found[:, 1] > 0.0)
        island = np.maximum(step.of_body[step.contacts["body_a"]], step.of_body[step.contacts["body_b"]])
        share = np.ones(len(found))
        share[island] = part
        if low is None:
            low, high, below, above = np.zeros(len(found)), np.full(len(found), np.inf), np.full(len(found), -1.0), value.copy()
        open_ = (np.abs(value) > SETTLED) & ~((share >= MAX_SHARE) & (value < 0.0))
        if not open_.any():
            break
        beyond = open_ & (value > 0.0)
        short = open_ & ~beyond
        below = np.where(beyond & (share < high) & np.isfinite(high), 0.5 * below, below)
        above = np.where(short & (low > 0.0), 0.5 * above, above)
        high, above = np.where(beyond, share, high), np.where(beyond, value, above)
        low, below = np.where(short, share, low), np.where(short, value, below)
        with np.errstate(invalid="ignore"):
            inside = low + (high - low) * below / (below - above)
        share = np.where(open_, np.where(np.isfinite(high), inside, 2.0 * share), share)
        part = share[island]
    return part
