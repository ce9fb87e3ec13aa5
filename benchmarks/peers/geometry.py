"""Penetration depths by closed forms, by which every engine's states are judged.

    plane      height of the lowest point
    box, box   separating axes (three of each, nine cross products); a lower bound of no axis left out
    round      spheres and capsules are swept points and segments: r_a + r_b - distance of the segments
    box, ball  signed distance of the centre to the box
"""

import numpy as np

from benchmarks.peers.scenes import Body, Scene


def rotations(quat: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3), body to world, of quaternions (n, 4) of any length."""
    w, x, y, z = (quat / np.linalg.norm(quat, axis=1)[:, None]).T
    return np.stack([np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
                     np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
                     np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)], -2)


def rotation(quat) -> np.ndarray:
    """Matrix (3, 3), body to world, of one quaternion."""
    return rotations(np.asarray(quat, float)[None])[0]


def local(body: Body, point) -> np.ndarray:
    """Transform a world point to the frame of the body at its initial pose."""
    return rotation(body.quat).T @ (np.asarray(point, float) - np.asarray(body.pos, float))


def relative(parent: Body, body: Body) -> tuple[np.ndarray, np.ndarray]:
    """Initial pose (pos, quat) of a body in its parent's frame."""
    w, x, y, z = np.array(parent.quat) * (1.0, -1.0, -1.0, -1.0)
    product = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    return local(parent, body.pos), product @ np.array(body.quat)


def extents(body: Body, turn: np.ndarray) -> np.ndarray:
    """Half extents (3,) of the body's axis-aligned bounding box."""
    if body.kind == "box":
        return np.abs(turn) @ np.array(body.half)
    return body.radius + body.half_length * np.abs(turn[:, 2])


def overlaps(scene: Scene, pos: np.ndarray, quat: np.ndarray) -> np.ndarray:
    """Depth [m] of each overlapping pair; bodies joined by a joint are left out. pos (n, 3), quat (n, 4) of all bodies."""
    if not scene.collide:
        return np.zeros(0)
    turn = rotations(quat)
    size = np.array([extents(b, r) if b.kind != "plane" else np.zeros(3) for b, r in zip(scene.bodies, turn)])
    depths = []
    if any(body.kind == "plane" for body in scene.bodies):
        depths.append(size[scene.dynamic, 2] - pos[scene.dynamic, 2])
    pairs: dict[str, list] = {"boxes": [], "round": [], "mixed": []}
    for i, j in near(scene, pos, size):
        boxes = (scene.bodies[i].kind == "box") + (scene.bodies[j].kind == "box")
        pairs[("round", "mixed", "boxes")[boxes]].append((i, j))
    half = np.array([b.half or (0.0, 0.0, 0.0) for b in scene.bodies])
    radius = np.array([b.radius for b in scene.bodies])
    arm = np.array([b.half_length for b in scene.bodies])[:, None] * turn[:, :, 2]
    if pairs["boxes"]:
        a, b = np.array(pairs["boxes"]).T
        depths.append(box_box(pos[a], turn[a], half[a], pos[b], turn[b], half[b]))
    if pairs["round"]:
        a, b = np.array(pairs["round"]).T
        depths.append(radius[a] + radius[b] - segments(pos[a], arm[a], pos[b], arm[b]))
    if pairs["mixed"]:
        ordered = [(i, j) if scene.bodies[i].kind == "box" else (j, i) for i, j in pairs["mixed"]]
        if any(scene.bodies[j].kind == "capsule" for _, j in ordered):
            raise ValueError(f"scene '{scene.name}': there is no closed form for a capsule in a box")
        a, b = np.array(ordered).T
        depths.append(radius[b] - to_box(np.einsum("nji,nj->ni", turn[a], pos[b] - pos[a]), half[a]))
    found = np.concatenate(depths) if depths else np.zeros(0)
    return found[found > 0.0]


def near(scene: Scene, pos: np.ndarray, size: np.ndarray) -> list[tuple[int, int]]:
    """Pairs whose axis-aligned boxes overlap: no planes, no two static bodies, no bodies joined to one another."""
    joined = {(min(j.a, j.b), max(j.a, j.b)) for j in scene.joints}
    solid = np.array([i for i, body in enumerate(scene.bodies) if body.kind != "plane"])
    order = solid[np.argsort(pos[solid, 0] - size[solid, 0], kind="stable")]
    lo, hi = (pos - size)[order], (pos + size)[order]
    last = np.searchsorted(lo[:, 0], hi[:, 0], side="right")
    found = []
    for k, i in enumerate(order):
        others = np.arange(k + 1, last[k])
        touching = ((lo[others, 1:] <= hi[k, 1:]) & (hi[others, 1:] >= lo[k, 1:])).all(1)
        found += [(int(min(i, j)), int(max(i, j))) for j in order[others[touching]]]
    return [(i, j) for i, j in found if (i, j) not in joined and not (scene.bodies[i].static and scene.bodies[j].static)]


def box_box(p, turn_a, half_a, q, turn_b, half_b) -> np.ndarray:
    """Depths (n,) of n pairs of boxes: centres (n, 3), rotations (n, 3, 3), half extents (n, 3); negative: apart."""
    c = np.einsum("nji,njk->nik", turn_a, turn_b)                  # axes of b in the frame of a
    t = np.einsum("nji,nj->ni", turn_a, q - p)
    best = (half_a + np.einsum("nij,nj->ni", np.abs(c), half_b) - np.abs(t)).min(1)
    best = np.minimum(best, (half_b + np.einsum("nij,ni->nj", np.abs(c), half_a) - np.abs(np.einsum("nij,ni->nj", c, t))).min(1))
    for i in range(3):
        for j in range(3):
            axis = np.cross(np.eye(3)[i], c[:, :, j])
            length = np.linalg.norm(axis, axis=1)
            useful = length > 1e-4
            axis = axis / np.where(useful, length, 1.0)[:, None]
            depth = ((np.abs(axis) * half_a).sum(1) + (np.abs(np.einsum("nij,ni->nj", c, axis)) * half_b).sum(1)
                     - np.abs((axis * t).sum(1)))
            best = np.where(useful, np.minimum(best, depth), best)
    return best


def to_box(point: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Signed distance (n,) of points (n, 3) to boxes around the origin; negative: inside."""
    beyond = np.abs(point) - half
    return np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(1), 0.0)


def segments(p, u, q, v) -> np.ndarray:
    """Distances (n,) between the segments p +- u and q +- v; a zero u or v is a point (Ericson 2005, section 5.1.9)."""
    d1, d2, r = 2.0 * u, 2.0 * v, (p - u) - (q - v)
    a, e, f = (d1 * d1).sum(1), (d2 * d2).sum(1), (d2 * r).sum(1)
    b, c = (d1 * d2).sum(1), (d1 * r).sum(1)
    safe_a, safe_e = np.where(a > 0.0, a, 1.0), np.where(e > 0.0, e, 1.0)
    across = a * e - b * b
    s = np.where(across > 1e-12 * a * e, np.clip((b * f - c * e) / np.where(across > 0.0, across, 1.0), 0.0, 1.0), 0.0)
    s = np.where(e > 0.0, s, np.clip(-c / safe_a, 0.0, 1.0))
    t = np.where(e > 0.0, (b * s + f) / safe_e, 0.0)
    s = np.where(t < 0.0, np.clip(-c / safe_a, 0.0, 1.0), np.where(t > 1.0, np.clip((b - c) / safe_a, 0.0, 1.0), s))
    t = np.clip(t, 0.0, 1.0)
    return np.linalg.norm(r + s[:, None] * d1 - t[:, None] * d2, axis=1)
