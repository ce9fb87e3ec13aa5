"""Bounds of convex shapes whose files give none."""

import numpy as np

from physics.collide.convex.core import CORE, load, support
from physics.core import vec
from physics.core.jit import kernel


@kernel
def core_bounds(shapes, index, pool):
    """lo, hi of the listed convex shapes, without margin, by their support functions."""
    cores = np.empty(1, CORE)
    for i in index:
        s, core = shapes[i], cores[0]
        load(core, s, pool, s.pos)
        for k in range(3):
            axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            s.lo[k] = s.pos[k] + support(core, pool, vec.scale(axis, -1.0))[k] - core.radius
            s.hi[k] = s.pos[k] + support(core, pool, axis)[k] + core.radius
