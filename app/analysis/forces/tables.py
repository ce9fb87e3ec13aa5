"""All contacts, or all joints, of a step as sortable tables of numbers, computed column by column.

The residual of a contact or joint is reported by the solver (`residual`, physics/dynamics/measure.py): the
natural map of its own impulses and velocities, targets and bounds, in the last substep. The largest of all is report.residual.
"""

from dataclasses import dataclass

import numpy as np

from app.analysis.forces.joint_lens import STICK_SPEED, bound_now, kind_of, rows_of
from app.engine.frame import Frame
from app.engine.undo.difference import MOUSE_SPRING
from physics.core.records import Case, Role

LAWS = {0: "normal", 1: "friction", 2: "rolling"}
"""Laws of a contact, indexed as in CONTACT.residual."""

ROLES = {Role.CONSTRAINT: "constraint", Role.FRICTION: "friction", Role.LOWER: "limit", Role.UPPER: "limit", Role.MOTOR: "motor"}
"""Roles of a joint's rows, as in JOINT.residual."""

MIN_RESIDUAL = 1e-9
"""Residuals up to this are as likely rounding [m/s] or [rad/s]."""

CASES = {Case.OPEN: "open", Case.STICK: "sticks", Case.SLIP: "slips"}

FRICTIONLESS = 3
"""Beside `Case`: a contact that presses without friction. Solvers report that it slips, for its bound of zero is reached."""

CONTACT_CASES = CASES | {FRICTIONLESS: "no friction"}


@dataclass(frozen=True)
class TableColumns:
    """kind: "contact" or "joint"; index (n,): into the frame's table; columns: by name, (n,) each; NaN: no value."""

    kind: str
    frame: Frame
    index: np.ndarray
    columns: dict[str, np.ndarray]

    def order(self, column: str, down: bool) -> np.ndarray:
        """Rows sorted by a column, stable; rows without a number last."""
        values = self.columns[column]
        if values.dtype.kind in "US":
            found = np.argsort(values, kind="stable")
            return found[::-1] if down else found
        return np.argsort(np.where(np.isnan(values), np.inf, -values if down else values), kind="stable")


def contacts(frame: Frame, body: int = -1) -> TableColumns:
    """Table of the contacts of a frame, or of one of its bodies."""
    table, acting = frame.contacts, frame.impulse_duration
    index = np.arange(len(table)) if body < 0 else np.flatnonzero((table["body_a"] == body) | (table["body_b"] == body))
    c = table[index]
    residual, law = largest_residual(c["residual"])
    normal, friction = c["impulse"] / acting, _size(c["friction_impulse"]) / acting
    return TableColumns("contact", frame, index, {
        "pair": pair_order(frame, c), "case": shown_case(c).astype(float), "normal": normal, "friction": friction,
        "use": _share(_within(c), c["friction"] * c["impulse"]), "overlap": np.maximum(0.0, -c["gap"]),
        "slip": _size(c["slip"]), "residual": residual, "law": law})


def joints(frame: Frame, body: int = -1) -> TableColumns:
    """Table of the joints of a frame, or of one of its bodies; without the mouse joint."""
    table, acting = frame.joints, frame.impulse_duration
    there = (table["kind"] >= 0) & np.array([name != MOUSE_SPRING for name in frame.joint_names], bool)
    if body >= 0:
        there &= (table["body_a"] == body) | (table["body_b"] == body)
    index = np.flatnonzero(there)
    j = table[index]
    residual, law = largest_residual(j["residual"])
    return TableColumns("joint", frame, index, {
        "joint": index.astype(float), "case": j["case"].astype(float), "error": j["error"].astype(float),
        "residual": residual, "law": law,
        "force": _size(j["reaction"][:, :3]) / acting, "torque": _size(j["reaction"][:, 3:]) / acting,
        "use": joint_use(frame, index)})


def largest_residual(residuals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(largest of each row (n, k), its index: -1 up to MIN_RESIDUAL); (n,) float64 each."""
    largest = residuals.max(axis=1)
    return largest, np.where(largest > MIN_RESIDUAL, residuals.argmax(axis=1), -1).astype(float)


def joint_use(frame: Frame, index: np.ndarray) -> np.ndarray:
    """Friction of joints over its bound, the largest of each joint's groups; NaN where it has none."""
    use = np.full(len(index), np.nan)
    for kind in np.unique(frame.joints["kind"][index]).tolist():
        which = np.flatnonzero(frame.joints["kind"][index] == kind)
        known, table = kind_of(frame, int(index[which[0]])), frame.joints[index[which]]
        for group in range(len(known.friction)):
            start, count = rows_of(known, group)
            friction, speed = (_size(table[name][:, start : start + count]) for name in ("friction_impulse", "slip"))
            bound = bound_now(table, group, speed, (table["case"] == Case.SLIP) & (speed > STICK_SPEED), frame.impulse_duration)
            use[which] = np.fmax(use[which], _share(friction / frame.impulse_duration, bound))
    return use


def shown_case(contacts: np.ndarray) -> np.ndarray:
    """Of CONTACT_CASES, of each contact (n,)."""
    return np.where((contacts["friction"] == 0.0) & (contacts["impulse"] > 0.0), FRICTIONLESS, contacts["case"])


def pair_order(frame: Frame, contacts: np.ndarray) -> np.ndarray:
    """Sort key that groups contacts by pair, in the order of the bodies."""
    a, b = (np.minimum(contacts["body_a"], contacts["body_b"]), np.maximum(contacts["body_a"], contacts["body_b"]))
    return a.astype(float) * len(frame.bodies) + b


def _within(contacts: np.ndarray) -> np.ndarray:
    """Magnitude of the friction impulse, scaled so the cone is round."""
    size = _size(contacts["friction_impulse"])
    uneven = np.flatnonzero(contacts["anisotropy"] != 1.0)
    if len(uneven):
        c = contacts[uneven]
        along = np.einsum("nk,nik->ni", c["friction_impulse"], _axes(c)[:, 1:])
        along[:, 1] /= np.maximum(c["anisotropy"] ** 2, 1e-300)     # t2 has the length of the anisotropy
        size[uneven] = _size(along)
    return size


def _axes(contacts: np.ndarray) -> np.ndarray:
    """Rows n, t1, t2 (n, 3, 3); t2 has the length of the anisotropy: friction along it over that along t1."""
    second = np.cross(contacts["normal"], contacts["tangent"]) * contacts["anisotropy"][:, None]
    return np.stack([contacts["normal"], contacts["tangent"], second], axis=1)


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole; NaN where whole is zero."""
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole > 0.0)


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ni,ni->n", vectors, vectors))
