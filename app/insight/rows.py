"""All contacts, or all joints, of a step as rows of numbers: to be sorted, to find the worst. Columns of whole tables at once.

Of a contact with impulses p, velocity error w (normal, two tangents; physics/contact_law.py) and rates r, what is left of its law
is the natural map of physics/measure.py:

    normal     |min(p_n K_nn, w_n)|                                                                               (1)
    friction   |p_t - P(p_t - r w_t)| / r,    P: on the disc or polygon mu p_n                                    (2)
    r = 1 / (max(K_11, K_22) + |K_12|),       K = sum 1/m t_i . t_j + (x x t_i) I^-1 (x x t_j)

The largest over all contacts and joints is report.residual. With substeps p is their mean, and positions are those of the start
of the step, so that (1) and (2) then are that number only nearly; rolling and torsional friction are not among them.
"""

from dataclasses import dataclass

import numpy as np

from app.engine.edits import MOUSE
from app.engine.frame import Frame
from app.insight.joint_lens import SLOW, bound_now, kind_of, rows_of
from physics.core.records import Case

CASES = {int(Case.OPEN): "open", int(Case.STICK): "sticks", int(Case.SLIP): "slips"}


@dataclass(frozen=True)
class Rows:
    """kind: "contact" or "joint"; index (n,): into the frame's table; columns: by name, (n,) each; NaN: there is none."""

    kind: str
    frame: Frame
    index: np.ndarray
    columns: dict[str, np.ndarray]

    def order(self, column: str, down: bool) -> np.ndarray:
        """Rows sorted by a column, equal ones as they are; those without a number last."""
        values = self.columns[column]
        if values.dtype.kind in "US":
            found = np.argsort(values, kind="stable")
            return found[::-1] if down else found
        return np.argsort(np.where(np.isnan(values), np.inf, -values if down else values), kind="stable")


def contacts(frame: Frame, facets: int, body: int = -1) -> Rows:
    """Of a frame, or of one of its bodies. facets: of the solver's cone, 0: the circle."""
    table, dt = frame.contacts, frame.dt
    index = np.arange(len(table)) if body < 0 else np.flatnonzero((table["body_a"] == body) | (table["body_b"] == body))
    c = table[index]
    normal, friction = c["impulse"] / dt, _size(c["friction_impulse"]) / dt
    return Rows("contact", frame, index, {
        "pair": pair_order(frame, c), "case": c["case"].astype(float), "normal": normal, "friction": friction,
        "use": _share(_within(c), c["friction"] * c["impulse"]), "overlap": np.maximum(0.0, -c["gap"]),
        "slip": _size(c["slip"]), "residual": residuals(frame, c, facets)})


def joints(frame: Frame, body: int = -1) -> Rows:
    """Of a frame, or of one of its bodies; without the mouse's."""
    table, dt = frame.joints, frame.dt
    there = (table["kind"] >= 0) & np.array([name != MOUSE for name in frame.joint_names], bool)
    if body >= 0:
        there &= (table["body_a"] == body) | (table["body_b"] == body)
    index = np.flatnonzero(there)
    j = table[index]
    return Rows("joint", frame, index, {
        "joint": index.astype(float), "case": j["case"].astype(float), "error": j["error"].astype(float),
        "force": _size(j["reaction"][:, :3]) / dt, "torque": _size(j["reaction"][:, 3:]) / dt, "use": joint_use(frame, index)})


def residuals(frame: Frame, contacts: np.ndarray, facets: int) -> np.ndarray:
    """(1) and (2), the larger of the two, of each contact [m/s]; NaN before the first step."""
    if frame.beginning is None or not len(contacts):
        return np.full(len(contacts), np.nan)
    axes = _axes(contacts)
    K, velocity = _matrices(frame, contacts, axes)
    ratio = contacts["anisotropy"]
    scale = np.column_stack([np.ones(len(contacts)), np.ones(len(contacts)), ratio])
    error = velocity - contacts["target"] * scale
    parts = max(1, getattr(frame.report, "parts", 1) or 1)
    p_n = contacts["impulse"] / parts
    p_t = np.einsum("nk,nik->ni", contacts["friction_impulse"], axes[:, 1:]) / parts
    p_t[:, 1] /= np.maximum(ratio**2, 1e-300)
    along = np.abs(np.minimum(p_n * K[:, 0, 0], error[:, 0]))
    rate = 1.0 / np.maximum(np.maximum(K[:, 1, 1], K[:, 2, 2]) + np.abs(K[:, 1, 2]), 1e-300)
    moved = project(p_t - rate[:, None] * error[:, 1:], contacts["friction"] * np.maximum(p_n, 0.0), facets)
    return np.maximum(along, _size(moved - p_t) / rate)


def project(points: np.ndarray, radius: np.ndarray, facets: int) -> np.ndarray:
    """The points of discs or polygons nearest to points (n, 2), as physics/friction.py has it one by one."""
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


def joint_use(frame: Frame, index: np.ndarray) -> np.ndarray:
    """Friction of joints over its bound, the largest of a joint's laws; NaN where it has none."""
    use = np.full(len(index), np.nan)
    for kind in np.unique(frame.joints["kind"][index]).tolist():
        which = np.flatnonzero(frame.joints["kind"][index] == kind)
        known, table = kind_of(frame, int(index[which[0]])), frame.joints[index[which]]
        for group in range(len(known.friction)):
            start, count = rows_of(known, group)
            friction, speed = (_size(table[name][:, start : start + count]) for name in ("friction_impulse", "slip"))
            bound = bound_now(table, group, speed, (table["case"] == Case.SLIP) & (speed > SLOW), frame.dt)
            use[which] = np.fmax(use[which], _share(friction / frame.dt, bound))
    return use


def pair_order(frame: Frame, contacts: np.ndarray) -> np.ndarray:
    """A number by which contacts of one pair stand together, in the order of the bodies."""
    a, b = (np.minimum(contacts["body_a"], contacts["body_b"]), np.maximum(contacts["body_a"], contacts["body_b"]))
    return a.astype(float) * len(frame.bodies) + b


def _within(contacts: np.ndarray) -> np.ndarray:
    """Size of the friction impulse where the cone is round."""
    size = _size(contacts["friction_impulse"])
    uneven = np.flatnonzero(contacts["anisotropy"] != 1.0)
    if len(uneven):
        c = contacts[uneven]
        along = np.einsum("nk,nik->ni", c["friction_impulse"], _axes(c)[:, 1:])
        along[:, 1] /= np.maximum(c["anisotropy"] ** 2, 1e-300)     # t2 is as long as friction is uneven
        size[uneven] = _size(along)
    return size


def _axes(contacts: np.ndarray) -> np.ndarray:
    """Rows n, t1, t2 (n, 3, 3); t2 is as long as friction along it is part of that along t1."""
    second = np.cross(contacts["normal"], contacts["tangent"]) * contacts["anisotropy"][:, None]
    return np.stack([contacts["normal"], contacts["tangent"], second], axis=1)


def _matrices(frame: Frame, contacts: np.ndarray, axes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(K (n, 3, 3), velocities along the axes at the end of the step (n, 3))."""
    bodies, began = frame.bodies, frame.beginning
    K = np.zeros((len(contacts), 3, 3))
    velocity, square = np.zeros((len(contacts), 3)), np.einsum("nik,njk->nij", axes, axes)
    for sign, name, end in ((-1.0, "body_a", contacts["pos"]), (1.0, "body_b", contacts["pos"] + contacts["shift"])):
        body = contacts[name]
        arm = end - began.pos[body]
        used, slot = np.unique(body, return_inverse=True)
        turn = _rotations(began.quat[used])
        inertia = np.einsum("nij,njk,nlk->nil", turn, bodies["inv_inertia"][used], turn)[slot]
        turned = np.cross(arm[:, None], axes)
        K += bodies["inv_mass"][body][:, None, None] * square + turned @ inertia @ turned.transpose(0, 2, 1)
        velocity += sign * np.einsum("nik,nk->ni", axes, bodies["vel"][body] + np.cross(bodies["omega"][body], arm))
    return K, velocity


def _rotations(quat: np.ndarray) -> np.ndarray:
    """Matrices (n, 3, 3) of quaternions (n, 4): columns are the turned axes."""
    w, v = quat[:, :1], quat[:, 1:]
    eye = np.broadcast_to(np.eye(3), (len(quat), 3, 3))
    once = np.cross(v[:, None], eye)            # rows: v x e_i
    return (eye + 2.0 * (w[:, None] * once + np.cross(v[:, None], once))).transpose(0, 2, 1)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole; NaN where there is no whole."""
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0.0)


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ni,ni->n", vectors, vectors))
