"""Colours of the window and the scene: sRGB, 0 .. 1, in one place for renderer, panels and plots."""

from dataclasses import dataclass, field

import numpy as np

RGB = tuple[float, float, float]


def hexa(text: str) -> RGB:
    """"#rrggbb" as three numbers 0 .. 1."""
    return tuple(int(text[i : i + 2], 16) / 255.0 for i in (1, 3, 5))


def linear(colours: np.ndarray) -> np.ndarray:
    """sRGB to linear light, any shape."""
    c = np.asarray(colours, float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


DYNAMIC_COLOURS = ("#5b8def", "#3fb8af", "#e8a35c", "#9b83e0", "#e27d7d", "#7fb76a", "#d78bb8", "#58acd8", "#cdb45c", "#8a9bb5")
"""Muted colours of equal weight for dynamic bodies, by group or number."""


@dataclass(frozen=True)
class Theme:
    """zenith, horizon: sky; ground, line: floor and its grid; sun, sky_light, bounce: lights (linear, may exceed 1);
    static: bodies that do not move; outline: selected bodies; accent, text, panel, muted: for the GUI;
    stick, slip, open: cases of contacts (safe for colour-blind eyes); normal, friction, force, velocity, spin, torque, joint,
    drag: arrows and marks; limit: ranges of joints; axes: x, y, z of frames; trail: paths of bodies;
    contour: dark or light rim that keeps marks legible on anything."""

    name: str
    zenith: RGB
    horizon: RGB
    ground: RGB
    line: RGB
    static: RGB
    text: RGB
    muted: RGB
    panel: RGB
    accent: RGB
    outline: RGB
    stick: RGB
    slip: RGB
    open: RGB
    normal: RGB
    friction: RGB
    force: RGB
    velocity: RGB
    spin: RGB
    torque: RGB
    joint: RGB
    limit: RGB
    axes: tuple[RGB, RGB, RGB]
    trail: RGB
    drag: RGB
    contour: RGB
    sun: RGB
    sky_light: RGB
    bounce: RGB
    shadow: float
    bodies: tuple[RGB, ...] = field(default=tuple(map(hexa, DYNAMIC_COLOURS)))

    @property
    def is_dark(self) -> bool:
        """Whether marks are light on dark ground."""
        return sum(self.ground) < 1.5

    def case(self, case: int) -> RGB:
        """Colour of a contact by app.analysis.forces.tables.CONTACT_CASES: none stands out where there is no friction."""
        return (self.open, self.stick, self.slip, self.open)[case]

    def source(self, source: str) -> RGB:
        """Colour of a force by its source, as named by app/analysis/forces/force_balance.py."""
        return {"gravity": self.limit, "normal": self.normal, "friction": self.friction, "rolling": self.torque,
                "drag": self.drag, "applied": self.accent}.get(source, self.force)


LIGHT = Theme(
    name="light", zenith=hexa("#a9c0dc"), horizon=hexa("#f2f4f7"), ground=hexa("#e4e7ec"), line=hexa("#9aa6b6"),
    static=hexa("#a9b2be"), text=hexa("#1d2530"), muted=hexa("#5c6877"), panel=hexa("#fbfcfd"), accent=hexa("#f26d21"),
    outline=hexa("#0b1220"),
    stick=hexa("#0a6ccf"), slip=hexa("#e58a00"), open=hexa("#8b95a3"), normal=hexa("#0f7f78"), friction=hexa("#d1571b"),
    force=hexa("#3a2f7a"), velocity=hexa("#7a3fb8"), spin=hexa("#a8327a"), torque=hexa("#8a5a00"),
    joint=hexa("#2b3442"), limit=hexa("#3f6fb5"), trail=hexa("#5a4fb0"),
    axes=(hexa("#c23b3b"), hexa("#3a8a2e"), hexa("#2f5fd0")), drag=hexa("#c2185b"), contour=hexa("#ffffff"),
    sun=(2.0, 1.92, 1.8), sky_light=(0.86, 0.93, 1.04), bounce=(0.52, 0.51, 0.50), shadow=0.80)

DARK = Theme(
    name="dark", zenith=hexa("#10141c"), horizon=hexa("#323c4b"), ground=hexa("#2a323e"), line=hexa("#5d6b80"),
    static=hexa("#7b8696"), text=hexa("#e6ebf2"), muted=hexa("#8d99aa"), panel=hexa("#171c25"), accent=hexa("#ff9a4d"),
    outline=hexa("#ffffff"),
    stick=hexa("#56b4f5"), slip=hexa("#ffb02e"), open=hexa("#a3adba"), normal=hexa("#4fd6c6"), friction=hexa("#ff8a5b"),
    force=hexa("#f3f0ff"), velocity=hexa("#c79bff"), spin=hexa("#ff9ed8"), torque=hexa("#f2d06b"),
    joint=hexa("#e6ebf2"), limit=hexa("#8fb4ec"), trail=hexa("#b9b2ff"),
    axes=(hexa("#ff7a70"), hexa("#8ddc6a"), hexa("#7aa5ff")), drag=hexa("#ff6fa3"), contour=hexa("#0c1016"),
    sun=(2.1, 2.0, 1.86), sky_light=(0.56, 0.62, 0.73), bounce=(0.42, 0.43, 0.46), shadow=0.86)

CONTRAST = Theme(
    name="contrast", zenith=hexa("#000000"), horizon=hexa("#161616"), ground=hexa("#1d1d1d"), line=hexa("#7d7d7d"),
    static=hexa("#8f8f8f"), text=hexa("#ffffff"), muted=hexa("#d9d9d9"), panel=hexa("#000000"), accent=hexa("#ffd400"),
    outline=hexa("#ffff00"),
    stick=hexa("#3fb0ff"), slip=hexa("#ff9d00"), open=hexa("#f2f2f2"), normal=hexa("#30ffe0"), friction=hexa("#ff8040"),
    force=hexa("#ffffff"), velocity=hexa("#e0a0ff"), spin=hexa("#ff8fe0"), torque=hexa("#ffe37a"),
    joint=hexa("#ffffff"), limit=hexa("#a8ccff"), trail=hexa("#d0c8ff"),
    axes=(hexa("#ff7a70"), hexa("#8dff6a"), hexa("#7ab0ff")), drag=hexa("#ff60b0"), contour=hexa("#000000"),
    sun=(2.3, 2.25, 2.15), sky_light=(0.62, 0.64, 0.68), bounce=(0.26, 0.26, 0.26), shadow=0.80)

THEMES = {"dark": DARK, "light": LIGHT, "contrast": CONTRAST}


def theme(name: str) -> Theme:
    """The theme of that name; dark if there is none."""
    return THEMES.get(name, DARK)
