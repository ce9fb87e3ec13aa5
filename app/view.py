"""What the viewer shows, and how; drawn as controls by the view panel. Toggles of overlays come from app/render/overlays."""

from dataclasses import make_dataclass
from typing import Any

import numpy as np

from app.render.colours import AUTHORED, COLOURS
from app.render.overlays import GROUPS, toggles
from physics import option
from scenes import Scene

__all__ = ["AUTHORED", "COLOURS", "GROUPS", "OVERLAYS", "ViewOptions", "toggles"]

OVERLAYS = tuple(name for name, overlay in toggles().items() if overlay.words)
"""Toggles that a scene chooses when it is loaded."""

ARROW = 0.04
"""Length of a typical body's weight as an arrow, as a part of the camera's distance."""


class _Suiting:
    """What a scene wants to be shown."""

    def suit(self, scene: Scene, bodies: np.ndarray, gravity: float) -> None:
        """Show what the scene wants to be shown, with force arrows in proportion to the weight of its bodies.

        bodies: BODY records; gravity: its size [m/s^2].
        """
        for name in OVERLAYS:
            setattr(self, name, any(name in named(word) for word in scene.show))
        masses = bodies["mass"][bodies["mass"] > 0.0]
        if len(masses):
            weight = float(np.median(masses)) * max(1.0, gravity)
            scale = ARROW * scene.view.distance / weight
            self.force_scale = float(f"{min(10.0, max(1e-5, scale)):.1g}")
            self.torque_scale = float(f"{min(100.0, max(1e-5, 4.0 * scale)):.1g}")

    def show(self, word: str) -> None:
        """Switch on what a word of scenes and lessons names."""
        for name in named(word):
            setattr(self, name, True)


def named(word: str) -> list[str]:
    """The overlays that a word of Scene.show means: that of this name, or several, as "forces" does."""
    return [name for name, overlay in toggles().items() if word in (name, *overlay.words)]


def _fields() -> dict[str, Any]:
    """All fields of the view by name."""
    switches = {name: option(overlay.default, help=overlay.help) for name, overlay in toggles().items()}
    more = {name: field for overlay in toggles().values() for name, field in overlay.options.items()}
    return {
        "theme": option("dark", choices=("dark", "light", "contrast"),
                        help="Colours of the window and the scene; contrast is for bright rooms and tired eyes."),
        "colour": option(AUTHORED, choices=tuple(COLOURS), help="What the bodies' colours tell; a legend stands in the picture."),
        "colour_auto": option(True, help="The scale covers the bodies' own range; off: the one typed below."),
        "colour_lo": option(0.0, help="Number at the dark end of the scale, in the unit of the legend."),
        "colour_hi": option(1.0, help="Number at the bright end of the scale."),
        **switches,
        "numbers": option(True, help="Numbers at the arrows: of the largest ones, and of what is chosen or under the cursor."),
        "shadows": option(True, help="Soft shadows of the sun."),
        "split": option(True, help="Compared solvers each in a pane of its own; off: over one another, seen through."),
        "compass": option(True, help="Where x, y and z point, in the corner; a click on an end looks from there."),
        "wireframe": option(False, help="Edges of the triangles instead of faces."),
        **more}


ViewOptions = make_dataclass(
    "ViewOptions", [(name, type(field.default), field) for name, field in _fields().items()], bases=(_Suiting,),
    namespace={"__module__": __name__, "__doc__": "Toggles and scales of the picture. They never touch the physics."})
