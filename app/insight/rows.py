"""All contacts, or all joints, of a step as rows of numbers: to be sorted, to find the worst. Columns of whole tables at once.

What is left of the laws of a contact or joint is told by the solver itself (`residual`, physics/measure.py): the natural map of
its own impulses and velocities, targets and bounds, in the last substep. The largest of all is report.residual.
"""

from dataclasses import dataclass

import numpy as np

from app.engine.edits import MOUSE
from app.engine.frame import Frame
from app.insight.joint_lens import SLOW, bound_now, kind_of, rows_of
from physics.core.records import Case, Role

LAWS = {0: "normal", 1: "friction", 2: "rolling"}
"""Of a contact, as CONTACT.residual has them."""

ROLES = {int(Role.CONSTRAINT): "constraint", int(Role.FRICTION): "friction", int(Role.LOWER): "limit", int(Role.UPPER): "limit",
         int(Role.MOTOR): "motor"}
"""Of a joint, as JOINT.residual has them."""

FAINT = 1e-9
"""Residuals up to here are rounding as often as not [m/s] or [rad/s]."""

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


def contacts(frame: Frame, body: int = -1) -> Rows:
    """Of a frame, or of one of its bodies."""
    table, acting = frame.contacts, frame.acting
    index = np.arange(len(table)) if body < 0 else np.flatnonzero((table["body_a"] == body) | (table["body_b"] == body))
    c = table[index]
    (residual, law), normal, friction = missed(c["residual"]), c["impulse"] / acting, _size(c["friction_impulse"]) / acting
    return Rows("contact", frame, index, {
        "pair": pair_order(frame, c), "case": c["case"].astype(float), "normal": normal, "friction": friction,
        "use": _share(_within(c), c["friction"] * c["impulse"]), "overlap": np.maximum(0.0, -c["gap"]),
        "slip": _size(c["slip"]), "residual": residual, "law": law})


def joints(frame: Frame, body: int = -1) -> Rows:
    """Of a frame, or of one of its bodies; without the mouse's."""
    table, acting = frame.joints, frame.acting
    there = (table["kind"] >= 0) & np.array([name != MOUSE for name in frame.joint_names], bool)
    if body >= 0:
        there &= (table["body_a"] == body) | (table["body_b"] == body)
    index = np.flatnonzero(there)
    j = table[index]
    residual, law = missed(j["residual"])
    return Rows("joint", frame, index, {
        "joint": index.astype(float), "case": j["case"].astype(float), "error": j["error"].astype(float),
        "residual": residual, "law": law,
        "force": _size(j["reaction"][:, :3]) / acting, "torque": _size(j["reaction"][:, 3:]) / acting,
        "use": joint_use(frame, index)})


def missed(residuals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(the largest of each row (n, k), which one it is: -1 where that is FAINT); (n,) float64 each."""
    largest = residuals.max(axis=1)
    return largest, np.where(largest > FAINT, residuals.argmax(axis=1), -1).astype(float)


def joint_use(frame: Frame, index: np.ndarray) -> np.ndarray:
    """Friction of joints over its bound, the largest of a joint's laws; NaN where it has none."""
    use = np.full(len(index), np.nan)
    for kind in np.unique(frame.joints["kind"][index]).tolist():
        which = np.flatnonzero(frame.joints["kind"][index] == kind)
        known, table = kind_of(frame, int(index[which[0]])), frame.joints[index[which]]
        for group in range(len(known.friction)):
            start, count = rows_of(known, group)
            friction, speed = (_size(table[name][:, start : start + count]) for name in ("friction_impulse", "slip"))
            bound = bound_now(table, group, speed, (table["case"] == Case.SLIP) & (speed > SLOW), frame.acting)
            use[which] = np.fmax(use[which], _share(friction / frame.acting, bound))
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


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole; NaN where there is no whole."""
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0.0)


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ni,ni->n", vectors, vectors))
