"""Restitution limited so that it gains no energy.

With friction Newton's law may return more energy than came in (Kane and Levinson 1985), and with several contacts of different
e, too. With v the velocities at the time of q0, and the impulses p of contacts alone,

    dE(p) = p.(J v + J M^-1 J^T p / 2),   dE(p_c) <= 0 for e = 0 (p_c),   if dE(p_e) > 0 then e <- s e            (1)

for all contacts of the island, s the root of dE(p_c + s (p_e - p_c)), a quadratic; repeated with the result until nothing is
gained. If that does not end, the impulses themselves are p_c + s (p_e - p_c): within the cones, which are convex, with dE = 0.
"""

from typing import Any

import numpy as np

from physics.solvers.lcp import linearise

GAIN_ROUNDING, MAX_TRIALS = 1e-12, 6
"""Gains of (1) below this fraction of its terms count as zero; most trials of a smaller e."""


def energy_gain(step: Any, velocity: np.ndarray, impulses: np.ndarray) -> np.ndarray:
    """Energy that the contacts' impulses add to each island, by (1) [J]; 0 where it is only rounding."""
    work, size = works(step, velocity, impulses).T
    return np.where(work > GAIN_ROUNDING * size, work, 0.0)


def works(step: Any, velocity: np.ndarray, impulses: np.ndarray) -> np.ndarray:
    """(islands, 2): (1) and the sum of the sizes of its terms [J]."""
    found = np.empty((int(step.of_body.max(initial=-1)) + 1, 2))
    linearise.contact_work(step.rows, step.blocks, len(step.joint_blocks), np.ascontiguousarray(impulses), step.of_body,
                           step.now, velocity - step.free, found)
    return found


def limit_restitution(step: Any, active: np.ndarray, bounces: np.ndarray, velocity: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """Apply (1): reduce the restitution of islands that gain energy, until none does."""
    of_contact = np.maximum(step.of_body[step.contacts["body_a"]], step.of_body[step.contacts["body_b"]])
    part = np.ones(len(gains))
    high, impulses = velocity, step.rows["impulse"].copy()
    low = step.rebound_velocities(active, bounces, np.where(gains[of_contact] > 0.0, 0.0, 1.0))
    least = step.rows["impulse"].copy()
    for _ in range(MAX_TRIALS):
        share = root(step, low, least, high, impulses, gains)
        part *= share
        step.eased = part[of_contact]
        high = step.rebound_velocities(active, bounces, step.eased)
        impulses, gains = step.rows["impulse"].copy(), energy_gain(step, high, step.rows["impulse"])
        if not gains.any():
            return high
    share = root(step, low, least, high, impulses, gains)
    of_block = np.maximum(step.of_body[step.blocks["a"]], step.of_body[step.blocks["b"]])
    of_row = np.repeat(of_block, step.blocks["count"])
    step.rows["impulse"] = least + share[of_row] * (impulses - least)
    velocity = low + np.where(step.of_body < 0, 1.0, share[step.of_body])[:, None] * (high - low)
    step.residual = step.store_residuals(step.rows, step.blocks, velocity)
    return velocity


def root(step: Any, low: np.ndarray, least: np.ndarray, high: np.ndarray, impulses: np.ndarray, gains: np.ndarray) -> np.ndarray:
    """s of (1) for each island; 1 where nothing is gained."""
    energies = [works(step, low + s * (high - low), least + s * (impulses - least))[:, 0] for s in (0.0, 0.5, 1.0)]
    a = 2.0 * (energies[0] + energies[2] - 2.0 * energies[1])
    b, c = energies[2] - energies[0] - a, np.minimum(energies[0], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = -2.0 * c / (b + np.sqrt(b * b - 4.0 * a * c))
    return np.where(gains > 0.0, np.clip(np.nan_to_num(share), 0.0, 1.0), 1.0)
