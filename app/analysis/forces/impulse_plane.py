"""The impulse plane of an impact: Routh's diagram of the tangential impulse over the normal one, and where each law ends.

In the plane of the first slip, with t its direction, W = J H^-1 J^T and u the velocity before:

    line of sticking               u_t + W_tn p_n + W_tt p_t = 0                                             (1)
    line of maximal compression    u_n + W_nn p_n + W_nt p_t = 0                                             (2)
    cone                           p_t = -+ mu p_n                                                           (3)

The path starts at 0 along an edge of the cone, and turns where it meets (1): it follows (1), or leaves on the other side where
that is steeper than the cone. It crosses (2) once, and ends as the law says. In three dimensions the slip may turn out of the
plane: the path drawn is then its projection. (physics/contact/impact_path.py)
"""

from dataclasses import dataclass

import numpy as np

from app.engine.observers.impact_history import StepRecord
from physics.contact import impact_path
from physics.contact.impact_laws import laws
from physics.contact.impact_path import COMPRESSION, END, POINT, RESTITUTION, SLIDES, P

MAX_PATH_POINTS = 2000
"""Most points of a path."""

ASIDE = 1e-6
"""Share of the largest slip that the slip across the plane may reach while it counts as staying in it. An impulse across is no
sign: a planar mechanism does not yield to it, so that it is arbitrary."""

OPEN_END = 1.12
"""Share of the largest normal impulse that the plane shows."""


@dataclass(frozen=True)
class LawEnd:
    """Where a law ends an impact. law: its name; impulse (2,): along n and t [N s]; restitution: e that energy allowed; lost:
    energy [J], < 0: gained; normal: separation speed [m/s]; slip (2,): tangential velocity after, along t and across it [m/s];
    chosen: whether the solver used this law."""

    law: str
    impulse: tuple[float, float]
    restitution: float
    lost: float
    normal: float
    slip: tuple[float, float]
    slides: bool
    chosen: bool


@dataclass(frozen=True)
class ImpulsePlane:
    """Routh's diagram. path (n, 2): impulses along n and t [N s]; compression: p_n at the end of the compression [N s]; u (2,):
    velocity before along n and t [m/s]; w: (W_nn, W_nt, W_tt) [1/kg]; friction: mu; meant: e of the pair; energy: kinetic energy
    that could be lost [J]; ends: of all laws; impulse: that the solver applied; planar: whether the slip stays in the plane."""

    path: np.ndarray
    compression: float
    u: tuple[float, float]
    w: tuple[float, float, float]
    friction: float
    meant: float
    energy: float
    ends: tuple[LawEnd, ...]
    impulse: tuple[float, float]
    planar: bool

    @property
    def reach(self) -> float:
        """Largest p_n that is shown [N s]."""
        return OPEN_END * max([self.impulse[0], *(end.impulse[0] for end in self.ends)])

    def sticking(self, p_n: np.ndarray) -> np.ndarray:
        """p_t of (1)."""
        return -(self.u[1] + self.w[1] * p_n) / self.w[2]

    def compressed(self, p_t: np.ndarray) -> np.ndarray:
        """p_n of (2)."""
        return -(self.u[0] + self.w[1] * p_t) / self.w[0]


def find(steps: list[StepRecord], pair: tuple[int, int], first: int, last: int) -> np.void | None:
    """The IMPACT record of two shapes in steps first .. last with the largest impulse; None: there is none."""
    found = [one for seen in steps if first <= seen.step <= last for one in seen.struck
             if (int(one["shape_a"]), int(one["shape_b"])) == pair]
    return max(found, key=lambda one: float(one["impulse"][0]), default=None)


def compression(impact: np.void) -> float | None:
    """Normal impulse at the end of the compression of an IMPACT record [N s]; None where other contacts acted, too."""
    if not impact["alone"] or not impact["before"][0] < 0.0:
        return None
    kind = int(impact["law"])
    limited = list(laws().values())[kind].limited
    return float(solved(impact, np.ascontiguousarray(impact["response"]), np.array(impact["before"]), kind, limited)[COMPRESSION])


def plane(impact: np.void) -> ImpulsePlane | None:
    """The diagram of an IMPACT record; None where other contacts acted, too."""
    if not impact["alone"] or not impact["before"][0] < 0.0:
        return None
    W, u, mu = np.ascontiguousarray(impact["response"]), np.array(impact["before"]), float(impact["friction"])
    t = direction(W, u)
    ends, longest = [], np.zeros((0, POINT))
    for kind, law in enumerate(laws().values()):
        end = solved(impact, W, u, kind, law.limited)
        ends.append(_law_end(law.name, end, W, u, t, kind == impact["law"]))
        path = followed(impact, W, u, kind, end[RESTITUTION])
        if not len(longest) or path[-1, P] > longest[-1, P]:
            longest, pressed = path, float(end[COMPRESSION])
    slip = u[1:] + np.column_stack([longest[:, P], longest[:, 1:3]]) @ W[1:].T
    across = slip @ (-t[1], t[0])
    target = impact["slip_target"] @ t
    w = np.array([W[0, 0], W[0, 1:] @ t, t @ W[1:, 1:] @ t])
    lossless = u @ np.linalg.lstsq(W, u, rcond=1e-10)[0]
    return ImpulsePlane(np.column_stack([longest[:, P], longest[:, 1:3] @ t]), pressed, (float(u[0]), float(u[1:] @ t - target)),
                        tuple(w.tolist()), mu, float(impact["meant"]), 0.5 * float(lossless), tuple(ends),
                        (float(impact["impulse"][0]), float(impact["impulse"][1:] @ t)),
                        bool(np.abs(across).max() <= ASIDE * np.abs(slip).max()))


def direction(W: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Unit vector (2,) of the first slip; without one, of the slip that the normal impulse causes; else t1."""
    for slip in (u[1:], W[1:, 0]):
        size = float(np.hypot(*slip))
        if size > 1e-9 * max(abs(float(u[0])), float(W[0, 0]) * 1e-3):
            return slip / size
    return np.array([1.0, 0.0])


def solved(impact: np.void, W: np.ndarray, u: np.ndarray, kind: int, limited: bool) -> np.ndarray:
    """The end (END,) of an impact by a law."""
    end, mu, target = np.zeros(END), float(impact["friction"]), np.array(impact["slip_target"])
    impact_path.solve(W, u, mu, target, float(impact["meant"]), kind, limited, end)
    return end


def followed(impact: np.void, W: np.ndarray, u: np.ndarray, kind: int, restitution: float) -> np.ndarray:
    """The path (n, POINT) of an impact by a law with that restitution."""
    path, end, meant = np.zeros((MAX_PATH_POINTS, POINT)), np.zeros(END), float(impact["meant"])
    share = restitution / meant if meant > 0.0 else 1.0
    mu, target = float(impact["friction"]), share * np.array(impact["slip_target"])
    count = impact_path.follow(W, u, mu, target, restitution, kind, path, end)
    return np.vstack([path[: min(count, MAX_PATH_POINTS)], end[:POINT]])


def _law_end(name: str, end: np.ndarray, W: np.ndarray, u: np.ndarray, t: np.ndarray, chosen: bool) -> LawEnd:
    impulse = end[:3]
    after = u + W @ impulse
    return LawEnd(name, (float(end[P]), float(impulse[1:] @ t)), float(end[RESTITUTION]), float(-0.5 * impulse @ (u + after)),
                  float(after[0]), (float(after[1:] @ t), float(after[1:] @ (-t[1], t[0]))), bool(end[SLIDES]), chosen)
