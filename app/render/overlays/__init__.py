"""What is drawn over the scene, one file each. A file defines OVERLAY; the view's toggles, keys and scales come from there.

`draw(sight, ink)` gives arrays of instances and numbers for all bodies or contacts at once: no loop over them, no GL.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from app.render import overlays
from app.render.ink import Ink
from app.render.sight import Sight
from physics.plugins import discover

GROUPS = ("contacts", "joints", "bodies")
"""Of toggles in the view panel; "always" is drawn without being asked for."""


@dataclass(frozen=True)
class Overlay:
    """One thing that can be drawn over the scene; its name is that of its file.

    help: for a person, one sentence. group: of GROUPS, or "always". key: a letter, or none. default: whether it is on at first.
    words: names in Scene.show that switch it on; with any, a scene that does not name it switches it off.
    options: further fields of the view, made by `option`; several overlays may share one.
    """

    help: str
    group: str
    draw: Callable[[Sight, Ink], None]
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
    """Those that can be switched on and off, in the order of their groups."""
    return {name: found for group in GROUPS for name, found in known().items() if found.group == group}


def draw(sight: Sight) -> Ink:
    """All that is on."""
    ink = Ink(sight)
    for name, overlay in known().items():
        if overlay.group == "always" or getattr(sight.view, name):
            overlay.draw(sight, ink)
    return ink
