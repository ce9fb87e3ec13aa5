"""The contact points of two shapes in a MANIFOLD record."""

import numpy as np

from physics.core import vec
from physics.core.jit import inline


@inline
def begin(m, a, b):
    """Set the shapes of the manifold and empty it."""
    m.shape_a = a
    m.shape_b = b
    m.count = 0
    m.more = 0
    m.no_rebound = 0
    m.shift[0] = 0.0
    m.shift[1] = 0.0
    m.shift[2] = 0.0


@inline
def put(m, point, gap, feature):
    """Append a point; the caller ensures that there are at most four."""
    k = m.count
    m.pos[k, 0] = point[0]
    m.pos[k, 1] = point[1]
    m.pos[k, 2] = point[2]
    m.gap[k] = gap
    m.feature[k] = feature
    m.count = k + 1


@inline
def comes_later(m):
    """Whether it is of an impact later in the step: a MANIFOLD, or its CONTACT."""
    return vec.dot(m.shift, m.shift) > 0.0


def keys_of(contacts: np.ndarray) -> list[tuple[int, int, int]]:
    """What tells each contact from the others."""
    return list(zip(*(contacts[name].tolist() for name in ("shape_a", "shape_b", "feature")), strict=True))
