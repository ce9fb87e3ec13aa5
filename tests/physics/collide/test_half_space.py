"""General plane contacts and bounds agree with those of the shapes' own files."""

import numpy as np
import pytest

from physics import shapes
from physics.collide import half_space
from physics.collide.convex.core_bounds import core_bounds
from physics.core.records import MANIFOLD
from tests.tools.collide_tools import manifolds, pool, random_pairs

CONVEX = {name: kind for name, kind in shapes.kinds().items() if kind.convex}


@pytest.mark.parametrize("name", CONVEX)
def test_the_feature_on_the_plane_is_as_near_as_the_shapes_own_contact(name):
    """Of random shapes; the pair in either order."""
    _, placed, pairs = random_pairs(np.random.default_rng(7), ("plane", name), 200)
    own, general, turned = manifolds(placed, pairs), np.zeros(len(pairs), MANIFOLD), np.zeros(len(pairs), MANIFOLD)
    half_space.collide_core(placed, pairs, general, pool())
    half_space.collide_core(placed, np.ascontiguousarray(pairs[:, ::-1]), turned, pool())
    touching = own["count"] > 0
    assert touching.sum() > 40 and np.array_equal(general["count"] > 0, touching)
    assert np.array_equal(turned["normal"], -general["normal"]) and np.array_equal(turned["gap"], general["gap"])
    for one, other in zip(own[touching], general[touching]):
        n, m = one["count"], other["count"]
        sign = np.sign(one["normal"] @ other["normal"])
        assert np.allclose(one["normal"], sign * other["normal"], atol=1e-12)
        assert abs(one["gap"][:n].min() - other["gap"][:m].min()) < 2e-4


@pytest.mark.parametrize("name", CONVEX)
def test_bounds_follow_from_the_support_function(name):
    _, placed, _ = random_pairs(np.random.default_rng(8), (name, name), 40)
    lo, hi, index = placed["lo"] + placed["reach"][:, None], placed["hi"] - placed["reach"][:, None], np.arange(len(placed))
    core_bounds(placed, index.astype(np.int32), pool())
    assert np.allclose(placed["lo"], lo, atol=1e-9) and np.allclose(placed["hi"], hi, atol=1e-9)
