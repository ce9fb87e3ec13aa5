"""Options of the view, drawn as controls by the view panel. Toggles of overlays come from app/render/overlays."""

from dataclasses import make_dataclass, replace
from typing import Any

from app.render.overlays import OVERLAY_GROUPS, toggles
from app.render.scene.colours import AS_AUTHORED, BODY_COLOURS
from physics import option
from scenes import Scene

__all__ = ["AS_AUTHORED", "BODY_COLOURS", "OVERLAYS", "OVERLAY_GROUPS", "ViewOptions", "toggles"]

CORNER_FORCES = "corners"
"""Word of Scene.show: forces of each contact point, not of pairs of bodies."""

OVERLAYS = (*(name for name, overlay in toggles().items() if overlay.words), CORNER_FORCES)
"""Toggles that a scene sets when it is loaded."""


class _Suiting:
    """Applies the view that a scene requests."""

    def suit(self, scene: Scene) -> None:
        """Show what the scene requests; arrows get their own length again."""
        for name in OVERLAYS:
            setattr(self, name, any(name in named(word) for word in scene.show))
        self.force_scale = self.torque_scale = self.velocity_scale = self.spin_scale = 1.0

    def show(self, word: str) -> None:
        """Switch on the overlays named by a word of scenes and lessons."""
        for name in named(word):
            setattr(self, name, True)

    def without_overlays(self) -> Any:
        """A copy with all overlays off."""
        return replace(self, **dict.fromkeys(toggles(), False))


def named(word: str) -> list[str]:
    """Overlays named by a word of Scene.show: one by its name, or several, as "forces" does."""
    return [CORNER_FORCES] if word == CORNER_FORCES else [name for name, overlay in toggles().items()
                                                          if word in (name, *overlay.words)]


def _fields() -> dict[str, Any]:
    """All fields of the view by name."""
    switches = {name: option(overlay.default, help=overlay.help) for name, overlay in toggles().items()}
    more = {name: field for overlay in toggles().values() for name, field in overlay.options.items()}
    return {
        "theme": option("dark", choices=("dark", "light", "contrast"),
                        help="Colours of the window and the scene; use contrast for bright rooms."),
        "colour": option(AS_AUTHORED, choices=tuple(BODY_COLOURS), help="Quantity shown by the colours of the bodies, with a "
                         "legend in the view."),
        "colour_auto": option(True, help="Fit the scale to the values of the bodies; off: use the range below."),
        "colour_lo": option(0.0, help="Value at the dark end of the scale, in the unit of the legend."),
        "colour_hi": option(1.0, help="Value at the bright end of the scale."),
        **switches,
        "numbers": option(True, help="Values at the arrows: for the largest ones, and for selected or hovered objects."),
        "shadows": option(True, help="Soft sun shadows."),
        "eye": option(True, help="Show the picture of the scene's camera on a body in a corner."),
        "split": option(True, help="Show each compared solver in its own pane; off: overlay them, translucent."),
        "compass": option(True, help="Direction of x, y and z in the corner; click an end to look from there."),
        "halo": option(False, help="A ring around the mouse pointer, which an audience can follow."),
        "wireframe": option(False, help="Draw triangle edges instead of faces."),
        **more}


ViewOptions = make_dataclass(
    "ViewOptions", [(name, type(field.default), field) for name, field in _fields().items()], bases=(_Suiting,),
    namespace={"__module__": __name__, "__doc__": "Display options; they do not affect the simulation."})
