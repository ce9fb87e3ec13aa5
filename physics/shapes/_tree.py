"""Tree of bounding boxes over triangles, built once: sorted along a space-filling curve and halved recursively.

Morton order (Lauterbach and others 2009, Fast BVH Construction on GPUs), then a median split of the order at every node.
The nodes are stored depth first. Traversal needs no stack: after a hit it continues with the next node, after a miss with the
node that follows the subtree (`first` of an inner node; the next one for a leaf).
"""

import numpy as np

from physics.core.jit import kernel
from physics.core.records import NODE

LEAF = 4
"""Largest number of triangles in a leaf."""


def morton(points: np.ndarray) -> np.ndarray:
    """Order of points (n, 3) along the Morton curve of their bounding box, 21 bits a coordinate."""
    lo, hi = points.min(axis=0), points.max(axis=0)
    scale = (2**21 - 1) / max(float((hi - lo).max()), 1e-300)
    cells = ((points - lo) * scale).astype(np.uint64)
    code = np.zeros(len(points), np.uint64)
    for axis in range(3):
        x = cells[:, axis]
        for shift, mask in ((32, 0x1F00000000FFFF), (16, 0x1F0000FF0000FF), (8, 0x100F00F00F00F00F),
                            (4, 0x10C30C30C30C30C3), (2, 0x1249249249249249)):
            x = (x | x << np.uint64(shift)) & np.uint64(mask)
        code |= x << np.uint64(axis)
    return np.argsort(code, kind="stable")


@kernel
def grow_tree(lo, hi, nodes):
    """Write the nodes over the boxes lo, hi (n, 3), n > 0, in their order; returns their number (< 2 n)."""
    first, count = np.empty(64, np.int64), np.empty(64, np.int64)
    first[0], count[0] = 0, lo.shape[0]
    waiting, n = 1, 0
    size = np.empty(nodes.shape[0], np.int64)
    while waiting > 0:
        waiting -= 1
        start, number = first[waiting], count[waiting]
        nodes[n].first, nodes[n].count = start, 0
        size[n] = 1
        if number <= LEAF:
            nodes[n].count = number
        else:
            half = number // 2
            first[waiting], count[waiting] = start + half, number - half
            first[waiting + 1], count[waiting + 1] = start, half
            waiting += 2
        n += 1
    for i in range(n - 1, -1, -1):
        node = nodes[i]
        if node.count > 0:
            for k in range(3):
                node.lo[k], node.hi[k] = np.inf, -np.inf
                for t in range(node.first, node.first + node.count):
                    node.lo[k], node.hi[k] = min(node.lo[k], lo[t, k]), max(node.hi[k], hi[t, k])
            continue
        left = i + 1
        right = left + size[left]
        size[i] = 1 + size[left] + size[right]
        node.first = i + size[i]
        for k in range(3):
            node.lo[k] = min(nodes[left].lo[k], nodes[right].lo[k])
            node.hi[k] = max(nodes[left].hi[k], nodes[right].hi[k])
    return n


def tree(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """NODE records over boxes (n, 3), in their order."""
    nodes = np.zeros(2 * len(lo), NODE)
    return nodes[: grow_tree(lo, hi, nodes)]
