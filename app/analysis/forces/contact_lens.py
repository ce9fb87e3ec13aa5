"""State of one contact for the contact lens: friction cone, impulse, residuals of Coulomb's law.

With directions d_1 .. d_k of the cone's polygon as columns of D, slip v, friction impulse D beta, normal impulse c_n:

    beta >= 0,  e'beta <= mu c_n                                        the cone                                      (1)
    lambda = max(0, -min_j d_j'v)                                       the least that keeps lambda e + D'v >= 0      (2)
    c_n nu = 0,    beta'(lambda e + D'v) = 0,    lambda (mu c_n - e'beta) = 0                                        (3)

(ST96 eq 11 to 13.) beta is the one of least sum: on the two vertices beside the impulse; on the circle along its own direction
alone. nu is the gap at the end for solvers that report it (the exact one), else the normal velocity minus its target
(physics/contact/targets.py). The k-gon is inscribed in the circle: it loses at most 1 - cos(pi/k) of mu, half way between
vertices.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.analysis.microscope.exact import PLANAR, pair_of
from app.engine.frame import Frame
from app.i18n.message import message
from app.number_format import rounded
from physics.contact.friction_cone import CASE_TEXTS, classify, polygon

CIRCLE_CORNERS = 48
"""Corners of a drawn circle."""


LAWS = ("A contact that presses does not separate.", "Friction opposes the slip.", "A contact that slips has its full friction.")
"""Coulomb's law in words, in the order of (3)."""


@dataclass(frozen=True)
class Residual:
    """A product that the law requires to be zero. name: of the error, law: in words; product: as in (3);
    value, unit; help: its two factors in numbers."""

    name: str
    law: str
    product: str
    value: float
    unit: str
    help: str


@dataclass(frozen=True)
class ContactState:
    """State of a contact after the last step; quantities of the second body, in the contact's axes (t1, t2, n).

    pair: names of the bodies. state, sign_case, planar_case, meaning: physics/contact/friction_cone.py; or the state
    "no friction". impulse (3,) [N s];
    normal, friction, bound: mean forces of the step [N], bound: largest possible friction in its direction; used: friction over
    bound, NaN without a bound. slip (2,) [m/s]; gap [m], at the end if gap_at_end, else at the start; approach [m/s] at
    the start. facets: 0 is the circle; loss: largest loss of the polygon, a share of mu. residuals: the three of (3).
    """

    index: int
    pair: str
    state: str
    sign_case: int
    planar_case: int
    meaning: str
    impulse: np.ndarray
    normal: float
    friction: float
    bound: float
    used: float
    mu: float
    anisotropy: float
    slip: np.ndarray
    gap: float
    gap_at_end: bool
    approach: float
    facets: int
    loss: float
    residuals: tuple[Residual, ...]


def choose_contact(frame: Frame, contact: int = -1, body: int = -1) -> int:
    """Choose the contact to show: `contact` if it exists; else the body's, or overall, the most loaded one. -1: none."""
    contacts = frame.contacts
    if 0 <= contact < len(contacts):
        return contact
    own = np.flatnonzero((contacts["body_a"] == body) | (contacts["body_b"] == body)) if body >= 0 else np.zeros(0, int)
    if not len(own):
        own = np.arange(len(contacts))
    return int(own[np.argmax(contacts["impulse"][own])]) if len(own) else -1


def cone_facets(options: Any) -> int:
    """Facets of the friction cone by a solver's options; 0: the circle."""
    if getattr(options, "cone", "polygon") == "circle":
        return 0
    return int(getattr(options, "facets", 0))


def facets_of(solver: Any) -> int:
    """Corners of a solver's friction cone; 0: the circle. Options with an answer of their own take precedence."""
    return int(getattr(solver.options, "polygon_facets", cone_facets(solver.options)))


def contact_state(frame: Frame, index: int, facets: int) -> ContactState:
    """State of one contact. index: of frame.contacts; facets: of the solver's cone, 0 is the circle."""
    contact = frame.contacts[index]
    found = classify(contact)
    axes = axes_of(contact)
    c_n, ratio = float(contact["impulse"]), float(contact["anisotropy"])
    point, slip = axes[:2] @ contact["friction_impulse"], axes[:2] @ contact["slip"]
    scaled = point[0], point[1] / ratio if ratio > 0.0 else 0.0
    corners = polygon(facets)[:, :2] if facets > 2 else np.array([(1.0, 0.0), (-1.0, 0.0)])[:facets]
    effort, product, slowness = sliding(corners, scaled, (slip[0], ratio * slip[1]))
    mu = float(contact["friction"])
    state = "no friction" if found.state == "degenerate" and mu == 0.0 else found.state
    size, rate = float(np.hypot(*point)), 1.0 / frame.impulse_duration
    used = effort / (mu * c_n) if mu * c_n > 0.0 else math.nan
    exact = frame.report is not None and frame.report.solved is not None
    return ContactState(
        index=index, pair=pair_of(frame, index), state=state, sign_case=found.sign_case, planar_case=found.planar_case,
        meaning=message("{meaning}; in the plane: {planar}", meaning=CASE_TEXTS.get(found.sign_case, "not known"),
                        planar=PLANAR[found.planar_case]),
        impulse=np.array([*point, c_n]), normal=c_n * rate, friction=size * rate,
        bound=size / used * rate if used > 0.0 else mu * c_n * rate, used=used, mu=mu, anisotropy=ratio, slip=slip,
        gap=float(contact["gap"]), gap_at_end=exact, approach=float(contact["approach"]), facets=facets,
        loss=1.0 - math.cos(math.pi / facets) if facets else 0.0,
        residuals=(_normal(frame, contact, exact),
                   Residual("direction error", LAWS[1], "\u03b2 \u00b7 (\u03bbe + D'v)", product, "J",
                            message("The friction of {friction} N s over its directions, λ = {slowness} m/s",
                                    friction=rounded(effort, 4), slowness=rounded(slowness, 4))),
                   Residual("friction error", LAWS[2], "\u03bb (\u03bcc_n \u2212 e'\u03b2)", slowness * (mu * c_n - effort), "J",
                            message("λ = {slowness} m/s, margin to the cone {margin} N s", slowness=rounded(slowness, 4),
                                    margin=rounded(mu * c_n - effort, 4)))))


@dataclass(frozen=True)
class PairUse:
    """Friction between two bodies: |sum of friction forces| and sum of mu times normal forces [N] of their contacts.
    How corners share a load is rarely determined; these sums are."""

    contacts: int
    friction: float
    bound: float

    @property
    def share(self) -> float:
        """Friction over its bound; NaN without a bound."""
        return self.friction / self.bound if self.bound > 0.0 else math.nan


def pair_use(frame: Frame, index: int) -> PairUse:
    """Use of friction of all contacts of the bodies of one contact."""
    c, one = frame.contacts, frame.contacts[index]
    same = np.flatnonzero(((c["body_a"] == one["body_a"]) & (c["body_b"] == one["body_b"])) |
                          ((c["body_a"] == one["body_b"]) & (c["body_b"] == one["body_a"])))
    own, rate = c[same], 1.0 / frame.impulse_duration
    sign = np.where(own["body_a"] == one["body_a"], 1.0, -1.0)
    return PairUse(len(same), float(np.linalg.norm(sign @ own["friction_impulse"])) * rate,
                   float(own["friction"] @ own["impulse"]) * rate)


def axes_of(contact: np.void) -> np.ndarray:
    """Rows t1, t2, n of a contact, shape (3, 3)."""
    return np.array([contact["tangent"], np.cross(contact["normal"], contact["tangent"]), contact["normal"]])


def sliding(corners: np.ndarray, point: tuple[float, float], slip: tuple[float, float]) -> tuple[float, float, float]:
    """(e'beta [N s], beta'(lambda e + D'v) [J], lambda [m/s]) of (1) to (3).

    corners: (k, 2) directions in order, (0, 2): the circle. point, slip: friction impulse and slip where the cone is round.
    """
    size, speed = math.hypot(*point), math.hypot(*slip)
    if not len(corners):
        return size, size * speed + float(np.dot(point, slip)), speed
    towards = corners @ slip
    slowness = max(0.0, -float(towards.min()))
    beta = np.zeros(len(corners))
    if len(corners) == 2:
        beta[0 if point[0] >= 0.0 else 1] = abs(point[0])
    elif size > 0.0:
        k = len(corners)
        i = int(math.atan2(point[1], point[0]) % (2.0 * math.pi) / (2.0 * math.pi / k)) % k
        j = (i + 1) % k
        beta[[i, j]] = np.maximum(np.linalg.solve(corners[[i, j]].T, point), 0.0)
    return float(beta.sum()), float(beta @ (slowness + towards)), slowness


def _normal(frame: Frame, contact: np.void, exact: bool) -> Residual:
    """The first product of (3)."""
    c_n = float(contact["impulse"])
    if exact:
        return Residual("normal error", LAWS[0], "c_n \u00b7 gap", c_n * float(contact["gap"]), "N s m",
                        message("Normal impulse {impulse} N s, gap at the end of the step {gap} m", impulse=rounded(c_n, 4),
                                gap=rounded(contact["gap"], 4)))
    over = separation(frame, contact) - float(contact["target"][0])
    return Residual("normal error", LAWS[0], "c_n \u00b7 (v_n \u2212 wanted)", c_n * over, "J",
                    message("Normal impulse {impulse} N s; normal velocity at the end of the step minus the target velocity "
                            "({target} m/s): {over} m/s", impulse=rounded(c_n, 4), target=rounded(contact["target"][0], 4),
                            over=rounded(over, 4)))


def separation(frame: Frame, contact: np.void) -> float:
    """Normal velocity of b against a at the end of the step [m/s], at the contact point of detection."""
    before = frame.before_pos if len(frame.before_pos) == len(frame.bodies) else frame.bodies["pos"]
    velocity = np.zeros(3)
    for sign, name, end in ((-1.0, "body_a", contact["pos"]), (1.0, "body_b", contact["pos"] + contact["shift"])):
        body = frame.bodies[contact[name]]
        velocity += sign * (body["vel"] + np.cross(body["omega"], end - before[contact[name]]))
    return float(contact["normal"] @ velocity)


# ---- the picture, with the normal impulse as unit of length


def rim(mu: float, ratio: float, facets: int) -> np.ndarray:
    """Corners of the cone at height one, closed, shape (n + 1, 3)."""
    if facets == 2:
        table = np.array([(1.0, 0.0), (-1.0, 0.0)])
    else:
        table = polygon(facets or CIRCLE_CORNERS)[:, :2]
    around = np.column_stack([mu * table[:, 0], mu * ratio * table[:, 1], np.ones(len(table))])
    return np.vstack([around, around[:1]])


def half_width(mu: float) -> float:
    """Half width of the box that shows a cone of that mu in true proportions."""
    return max(0.55, 1.15 * mu)


def slip_length(speed: float) -> float:
    """Length of a slip arrow, as a share of the half width: half of it at 0.1 m/s, always below all of it."""
    return speed / (speed + 0.1)
