"""The residual of every contact in numpy, computed from a frame: for sequential impulses and soft steps with one substep.

For a contact with impulses p, velocity error w (normal, two tangents; physics/contact/targets.py) and rates r:

    normal     |min(p_n K_nn, w_n)|                                                                               (1)
    friction   |p_t - P(p_t - r w_t)| / r,    P: on the disc or polygon mu p_n                                    (2)
    r = 1 / (max(K_11, K_22) + |K_12|),       K = sum 1/m t_i . t_j + (x x t_i) I^-1 (x x t_j)

Positions are those of the start of the step, but soft steps relax at the poses of its end, where arms of two moving bodies end at
one point: of new contacts the longer arm goes there, of arms alike both half way. Rolling and torsional friction are left out.
"""

import numpy as np

from app.engine.frame import Frame
from physics.constraints.contact_batches import LIKE_ARMS, SAME_POINT
from physics.core.records import Kind


def residuals(frame: Frame, facets: int, relaxed: bool) -> np.ndarray:
    """Return (1) and (2) of each contact, (n, 2) [m/s]. facets: of the solver's cone, 0: the circle. relaxed: by soft steps."""
    contacts = frame.contacts
    axes = _axes(contacts)
    K, velocity = _matrices(frame, contacts, axes, relaxed)
    ratio = contacts["anisotropy"]
    error = velocity - contacts["target"] * np.column_stack([np.ones(len(contacts)), np.ones(len(contacts)), ratio])
    p_n, p_t = contacts["impulse"], np.einsum("nk,nik->ni", contacts["friction_impulse"], axes[:, 1:])
    p_t[:, 1] /= np.maximum(ratio**2, 1e-300)
    rate = 1.0 / (np.maximum(K[:, 1, 1], K[:, 2, 2]) + np.abs(K[:, 1, 2]))
    moved = project(p_t - rate[:, None] * error[:, 1:], contacts["friction"] * np.maximum(p_n, 0.0), facets)
    return np.column_stack([np.abs(np.minimum(p_n * K[:, 0, 0], error[:, 0])), _size(moved - p_t) / rate])


def project(points: np.ndarray, radius: np.ndarray, facets: int) -> np.ndarray:
    """Project points (n, 2) onto discs or polygons; a reference for physics/contact/friction_cone.py."""
    size = _size(points)
    if facets == 0:
        return points * (np.minimum(size, radius) / np.maximum(size, 1e-300))[:, None]
    sector = 2.0 * np.pi / facets
    middle = (np.floor((np.arctan2(points[:, 1], points[:, 0]) % (2.0 * np.pi)) / sector) + 0.5) * sector
    out, side = (np.column_stack(pair) for pair in ((np.cos(middle), np.sin(middle)), (-np.sin(middle), np.cos(middle))))
    far = radius * np.cos(0.5 * sector)
    reach, along = np.einsum("ni,ni->n", points, out), np.einsum("ni,ni->n", points, side)
    half = radius * np.sin(0.5 * sector)
    nearest = np.minimum(reach, far)[:, None] * out + np.clip(along, -half, half)[:, None] * side
    return np.where((reach <= far)[:, None] & (facets > 2), points, nearest)


def _axes(contacts: np.ndarray) -> np.ndarray:
    """Return the rows n, t1, t2 (n, 3, 3); t2 is scaled by the anisotropy, friction along it over that along t1."""
    second = np.cross(contacts["normal"], contacts["tangent"]) * contacts["anisotropy"][:, None]
    return np.stack([contacts["normal"], contacts["tangent"], second], axis=1)


def _matrices(frame: Frame, contacts: np.ndarray, axes: np.ndarray, relaxed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return (K (n, 3, 3), velocities along the axes at the end of the step (n, 3))."""
    bodies, began = frame.bodies, frame.step_start
    K = np.zeros((len(contacts), 3, 3))
    velocity, square = np.zeros((len(contacts), 3)), np.einsum("nik,njk->nij", axes, axes)
    kinds = bodies["kind"]
    still = (kinds[contacts["body_a"]] != Kind.DYNAMIC) | (kinds[contacts["body_b"]] != Kind.DYNAMIC)
    half = 0.5 * np.where(still, contacts["gap"], 0.0)[:, None] * contacts["normal"]    # two dynamic bodies: arms to one point
    of_a, of_b = contacts["pos"] - half, contacts["pos"] + contacts["shift"] + half
    moved = bodies["pos"] - began.pos[: len(bodies)]
    apart = of_b + moved[contacts["body_b"]] - of_a - moved[contacts["body_a"]]
    follows = relaxed & ~still & (np.linalg.norm(apart, axis=1) > SAME_POINT)
    sizes = [np.linalg.norm(end - began.pos[contacts[name]], axis=1) for name, end in (("body_a", of_a), ("body_b", of_b))]
    of_way = np.where(np.minimum(*sizes) > LIKE_ARMS * np.maximum(*sizes), 0.5, sizes[0] > sizes[1])      # that a goes
    for sign, name, end in ((-1.0, "body_a", of_a), (1.0, "body_b", of_b)):
        body = contacts[name]
        arm = end - began.pos[body]
        used, slot = np.unique(body, return_inverse=True)
        turn = _rotations(began.quat[used])
        inertia = np.einsum("nij,njk,nlk->nil", turn, bodies["inv_inertia"][used], turn)[slot]
        turned = np.cross(arm[:, None], axes)
        K += bodies["inv_mass"][body][:, None, None] * square + turned @ inertia @ turned.transpose(0, 2, 1)
        arm = arm - sign * (np.where(sign < 0.0, of_way, 1.0 - of_way) * follows)[:, None] * apart
        velocity += sign * np.einsum("nik,nk->ni", axes, bodies["vel"][body] + np.cross(bodies["omega"][body], arm))
    return K, velocity


def _rotations(quat: np.ndarray) -> np.ndarray:
    """Return the matrices (n, 3, 3) of quaternions (n, 4): columns are the rotated axes."""
    w, v = quat[:, :1], quat[:, 1:]
    eye = np.broadcast_to(np.eye(3), (len(quat), 3, 3))
    once = np.cross(v[:, None], eye)            # rows: v x e_i
    return (eye + 2.0 * (w[:, None] * once + np.cross(v[:, None], once))).transpose(0, 2, 1)


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ni,ni->n", vectors, vectors))
