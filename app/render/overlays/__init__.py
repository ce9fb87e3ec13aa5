"""Overlays drawn over the scene, one per file. A file defines OVERLAY; the view's toggles, keys and scales derive from it.

`draw(context, draw_list)` adds arrays of instances and numbers for all bodies or contacts at once: no loop over them, no GL.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from app.render import overlays
from app.render.scene.draw_list import DrawList
from app.render.scene.overlay_context import OverlayContext
from physics import option
from physics.core.plugins import discover

OVERLAY_GROUPS = ("contacts", "joints", "bodies")
"""Groups of toggles in the view panel; "always" has no toggle."""

FORCE = {"force_scale": option(1.0, lo=0.1, hi=10.0, log=True, help="Length of force arrows and cones: 1 suits the scene.")}
CONTACT_FORCE = {**FORCE, "corners": option(False, help="Forces of each contact point; off: one sum for each pair of "
                                                              "bodies. How corners share a load is rarely determined.")}
TORQUE = {"torque_scale": option(1.0, lo=0.1, hi=10.0, log=True, help="Length of torque arrows: 1 suits the scene.")}
VELOCITY = {"velocity_scale": option(1.0, lo=0.1, hi=10.0, log=True, help="Length of velocity arrows: 1 suits the scene.")}
SPIN = {"spin_scale": option(1.0, lo=0.1, hi=10.0, log=True, help="Length of spin arrows: 1 suits the scene.")}
"""Options that several overlays share."""


@dataclass(frozen=True)
class Overlay:
    """One overlay; its name is that of its file.

    help: one sentence for the user. group: of OVERLAY_GROUPS, or "always". key: a letter, or none. default: whether it is on
    initially.     words: names in Scene.show that switch it on; with any, a scene that does not name it switches it off.
    options: further fields of the view, made by `option`; overlays may share them.
    """

    help: str
    group: str
    draw: Callable[[OverlayContext, DrawList], None]
    key: str = ""
    default: bool = False
    words: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


@cache
def known() -> dict[str, Overlay]:
    """All overlays by name."""
    return discover(overlays, "OVERLAY")


@cache
def toggles() -> dict[str, Overlay]:
    """Overlays with a toggle, in the order of their groups."""
    return {name: found for group in OVERLAY_GROUPS for name, found in known().items() if found.group == group}


def draw(context: OverlayContext) -> DrawList:
    """Draw all active overlays."""
    draw_list = DrawList(context)
    for name, overlay in known().items():
        if overlay.group == "always" or getattr(context.view, name):
            overlay.draw(context, draw_list)
    return draw_list
