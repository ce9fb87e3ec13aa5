"""Colours of bodies by a quantity: one row of BODY_COLOURS each, giving a number or a class for every body. No GL.

To add one, write its row. Numbers use viridis (Smith, van der Walt 2015: perceptually uniform, safe for colour-blind
eyes), from 0 or the minimum to the maximum, or over a typed range.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.engine.frame import Frame
from app.i18n.message import message
from app.render.scene.theme import Theme, hexa, linear
from physics.core.quaternions import conjugate, rotate
from physics.core.records import Kind
from physics.dynamics import islands

VIRIDIS = np.array([hexa(c) for c in ("#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70",
                                      "#7ad151", "#bddf26", "#fde725")])
CLASS_COLOURS = tuple(hexa(c) for c in ("#4c8fd6", "#e69f00", "#2fa58a", "#cc79a7", "#d55e00", "#8f9db0", "#b7a8f0", "#c2bb4a"))
"""Colours of classes, safe for colour-blind eyes (after Okabe and Ito)."""
AS_AUTHORED = "as authored"
KIND_NAMES = ("static", "kinematic", "dynamic")
SLEEP = ("not monitored", "too fast", "drifts", "waits", "island awake", "asleep")
"""In the order of Kind and of SleepReason (physics/core/records.py)."""


@dataclass(frozen=True)
class BodyColour:
    """values: (frame) -> a number for each body (bodies,), NaN: its own colour. unit: "" for a pure number.
    classes: names of numbers 0, 1, ..; None: any number of unnamed ones; (): a scale."""

    help: str
    values: Callable[[Frame], np.ndarray]
    unit: str = ""
    classes: tuple[str, ...] | None = ()


@dataclass(frozen=True)
class Legend:
    """Meaning of the colours: a scale lo .. hi with its unit, or names and sRGB colours of classes."""

    title: str
    unit: str = ""
    lo: float = 0.0
    hi: float = 0.0
    classes: tuple[tuple[str, tuple[float, float, float]], ...] = ()


@dataclass
class ColourRange:
    """Range of the scale in the last picture. It grows at once and shrinks only when less than half of it is used."""

    of: tuple = ()
    lo: float = math.nan
    hi: float = math.nan

    def update(self, of: tuple, values: np.ndarray) -> tuple[float, float]:
        """(lo, hi) that hold the finite `values`; of: identifies the quantity, a new one resets the range."""
        finite = values[np.isfinite(values)]
        if of != self.of or math.isnan(self.lo):
            self.of, self.lo, self.hi = of, math.inf, -math.inf
        if len(finite):
            least, most = float(finite.min()), float(finite.max())
            least = min(least, 0.0) if least < 0.5 * most else least
            if least < self.lo or most > self.hi or most - least < 0.5 * (self.hi - self.lo):
                self.lo, self.hi = rounded(least, most)
        return (self.lo, self.hi) if self.lo < self.hi else (0.0, 1.0)


def rounded(lo: float, hi: float) -> tuple[float, float]:
    """The enclosing range of round numbers (multiples of 1, 2 or 5 times a power of ten)."""
    span = max(hi - lo, 1e-6 * max(abs(lo), abs(hi)), 1e-9)
    ten = 10.0 ** math.floor(math.log10(span))
    step = 0.2 * ten * next(k for k in (1.0, 2.0, 5.0, 10.0) if span <= (1.0 + 1e-9) * k * ten)
    return step * math.floor(lo / step + 1e-6), step * math.ceil(hi / step - 1e-6)


def scale(share: np.ndarray) -> np.ndarray:
    """sRGB (n, 3) of fractions 0 .. 1 of the scale."""
    at = np.clip(share, 0.0, 1.0) * (len(VIRIDIS) - 1)
    return np.stack([np.interp(at, np.arange(len(VIRIDIS)), VIRIDIS[:, k]) for k in range(3)], axis=-1)


@dataclass
class BodyPainter:
    """Colours of one viewer."""

    range: ColourRange = field(default_factory=ColourRange)

    def paint(self, frame: Frame, view: Any, theme: Theme) -> tuple[np.ndarray | None, Legend | None]:
        """(linear colours (bodies, 3), NaN: as authored; their legend); both None for the bodies' own colours."""
        if view.colour == AS_AUTHORED:
            return None, None
        way = BODY_COLOURS[view.colour]
        values = np.asarray(way.values(frame), float)
        out = np.full((len(values), 3), np.nan)
        known = np.isfinite(values)
        if way.classes == ():
            lo, hi = self.range.update((view.colour, frame.scene), values)
            if not view.colour_auto:
                lo, hi = view.colour_lo, max(view.colour_hi, math.nextafter(view.colour_lo, math.inf))
            out[known] = linear(scale((values[known] - lo) / (hi - lo)))
            return out, Legend(view.colour, way.unit, lo, hi)
        table = np.array(CLASS_COLOURS if way.classes is not None else theme.bodies)
        number = values[known].astype(int)
        out[known] = linear(table[number % len(table)])
        if way.classes is None:
            return out, Legend(f"{view.colour} ({len(np.unique(number))})")
        shown = np.unique(number).tolist()
        names = [message("material {number}",
                         number=k) for k in range(max(shown, default=0) + 1)] if way.classes == ANY_MATERIALS else way.classes
        return out, Legend(view.colour, classes=tuple((names[k], CLASS_COLOURS[k % len(CLASS_COLOURS)]) for k in shown))


def uniform(frame: Frame, colour: tuple[float, float, float]) -> np.ndarray:
    """One colour (sRGB) for all dynamic bodies, in the form of `BodyPainter.paint`."""
    dynamic = frame.bodies["kind"] == Kind.DYNAMIC
    return np.where(dynamic[:, None], linear(np.array(colour)), np.nan)


# ---- properties of bodies


ANY_MATERIALS = ("material",)
"""Stands for any number of materials."""


def _moving(frame: Frame, values: np.ndarray) -> np.ndarray:
    """NaN for static bodies."""
    return np.where(frame.bodies["kind"] >= Kind.KINEMATIC, values, np.nan)


def _dynamic(frame: Frame, values: np.ndarray) -> np.ndarray:
    return np.where(frame.bodies["kind"] == Kind.DYNAMIC, values, np.nan)


def _of_shapes(frame: Frame, values: np.ndarray) -> np.ndarray:
    """Largest value of each body's shapes; NaN without any."""
    out = np.full(len(frame.bodies), -np.inf)
    living = frame.shapes["body"] >= 0
    np.maximum.at(out, frame.shapes["body"][living], values[living])
    return np.where(np.isfinite(out), out, np.nan)


def _island(frame: Frame) -> np.ndarray:
    """Lowest body index of each island, so that its colour stays while other islands change."""
    found = islands.find_islands(frame.bodies, frame.contacts, frame.joints)
    of = found.of_body
    lowest = found.bodies[found.first_body[:-1]].astype(float)
    return np.where(of >= 0, lowest[np.maximum(of, 0)] if found.count else np.nan, np.nan)


# ---- motion and contacts


def _size(frame: Frame, name: str) -> np.ndarray:
    return _moving(frame, np.linalg.norm(frame.bodies[name], axis=1))


def _kinetic(frame: Frame) -> np.ndarray:
    bodies = frame.bodies
    spin = rotate(conjugate(bodies["quat"]), bodies["omega"])
    turning = np.einsum("ni,nij,nj->n", spin, bodies["inertia"], spin)
    return _dynamic(frame, 0.5 * (bodies["mass"] * np.einsum("ij,ij->i", bodies["vel"], bodies["vel"]) + turning))


def _contacts(frame: Frame, values: np.ndarray, gather: np.ufunc = np.add) -> np.ndarray:
    """Values of contacts accumulated at both bodies; 0 where there are none."""
    out = np.zeros(len(frame.bodies))
    for side in ("body_a", "body_b"):
        gather.at(out, frame.contacts[side], values)
    return _moving(frame, out)


def _impulse(frame: Frame) -> np.ndarray:
    c = frame.contacts
    return np.sqrt(c["impulse"] ** 2 + np.einsum("ij,ij->i", c["friction_impulse"], c["friction_impulse"]))


def _used(frame: Frame) -> np.ndarray:
    """Friction over its bound, of each contact."""
    c = frame.contacts
    bound = c["friction"] * c["impulse"]
    return np.where(bound > 0.0, np.linalg.norm(c["friction_impulse"], axis=1) / np.where(bound > 0.0, bound, 1.0), 0.0)


def _creep(frame: Frame) -> np.ndarray:
    """Slip speed of contacts that the solver reports as sticking."""
    c = frame.contacts
    return np.linalg.norm(c["slip"], axis=1) * (c["case"] == 1)


def _component(name: str, k: int) -> Callable[[Frame], np.ndarray]:
    return lambda frame: _moving(frame, frame.bodies[name][:, k])


BODY_COLOURS: dict[str, BodyColour] = {
    AS_AUTHORED: BodyColour("Colour defined by the scene.", lambda frame: np.full(len(frame.bodies), np.nan)),
    "body kind": BodyColour("Static, kinematic or dynamic.", lambda frame: np.where(
        frame.bodies["kind"] > 0, frame.bodies["kind"] - 1.0, np.nan), classes=KIND_NAMES),
    "material": BodyColour("Material of the body's surface; of a body with several, the last one.",
                           lambda frame: _of_shapes(frame, frame.shapes["material"].astype(float)), classes=ANY_MATERIALS),
    "island": BodyColour("One colour per island of bodies connected by contacts and joints.", _island, classes=None),
    "sleep": BodyColour("Sleep state of each body.", lambda frame: _dynamic(frame, frame.bodies["sleep_reason"].astype(float)),
                        classes=SLEEP),
    "speed": BodyColour("Speed of the centre of mass.", lambda frame: _size(frame, "vel"), "m/s"),
    "angular speed": BodyColour("Angular speed of each body.", lambda frame: _size(frame, "omega"), "rad/s"),
    "kinetic energy": BodyColour("Translational and rotational kinetic energy.", _kinetic, "J"),
    "mass": BodyColour("Mass of each body.", lambda frame: _dynamic(frame, frame.bodies["mass"]), "kg"),
    "friction": BodyColour("Static coefficient of the body's surface, the largest of its shapes.",
                           lambda frame: _of_shapes(frame, frame.shapes["friction"])),
    "normal load": BodyColour("Sum of the normal forces on the body.",
                              lambda frame: _contacts(frame, frame.contacts["impulse"] / frame.impulse_duration), "N"),
    "friction used": BodyColour("Friction relative to its bound, the largest of the body's contacts; 1: slipping.",
                                lambda frame: _contacts(frame, _used(frame), np.maximum)),
    "slip speed": BodyColour("Largest slip speed of the body's contacts.", lambda frame: _contacts(
        frame, np.linalg.norm(frame.contacts["slip"], axis=1), np.maximum), "m/s"),
    "penetration": BodyColour("Deepest penetration of the body's contacts.",
                              lambda frame: _contacts(frame, np.maximum(-frame.contacts["gap"], 0.0), np.maximum), "m"),
    "contact impulse": BodyColour("Sum of the magnitudes of the contact impulses on the body in a step.",
                                  lambda frame: _contacts(frame, _impulse(frame)), "N s"),
    "creep": BodyColour("Residual slip: largest velocity of a contact classified as sticking.",
                        lambda frame: _contacts(frame, _creep(frame), np.maximum), "m/s"),
    **{axis: BodyColour(message("Position along {axis} of the centre of mass.", axis=axis), _component("pos", k), "m")
       for k, axis in enumerate("xyz")},
    **{f"v{axis}": BodyColour(message("Velocity along {axis}.", axis=axis), _component("vel", k), "m/s")
       for k, axis in enumerate("xyz")},
    **{f"omega_{axis}": BodyColour(message("Angular velocity about {axis}.", axis=axis), _component("omega", k), "rad/s")
       for k, axis in enumerate("xyz")},
}
