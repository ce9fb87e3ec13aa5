"""What the viewer shows, and how; drawn as controls by the view panel."""

from dataclasses import dataclass

import numpy as np

from physics import option
from scenes import Scene

OVERLAYS = ("contacts", "normals", "forces", "cones", "joints", "velocities")
"""Toggles that a scene chooses when it is loaded."""

ARROW = 0.04
"""Length of a typical body's weight as an arrow, as a part of the camera's distance."""


@dataclass
class ViewOptions:
    """Toggles and scales of the picture. They never touch the physics."""

    theme: str = option("dark", choices=("dark", "light", "contrast"),
                       help="Colours of the window and the scene; contrast is for bright rooms and tired eyes.")
    contacts: bool = option(True, help="Contact points: square = stick, arrow-shaped = slip, ring = open.")
    normals: bool = option(False, help="Contact normals, from the first body to the second.")
    forces: bool = option(False, help="Contact forces: the normal part and the friction part of each.")
    cones: bool = option(False, help="Friction cones with the solver's number of facets, sized by the force.")
    joints: bool = option(True, help="Joint points and axes.")
    velocities: bool = option(False, help="Velocity of each body's centre of mass.")
    names: bool = option(False, help="Names of the bodies.")
    shadows: bool = option(True, help="Soft shadows of the sun.")
    wireframe: bool = option(False, help="Edges of the triangles instead of faces.")
    force_scale: float = option(0.02, unit="m/N", lo=1e-5, hi=10.0, log=True, help="Length of an arrow for one newton.")
    velocity_scale: float = option(0.2, unit="s", lo=1e-3, hi=10.0, log=True, help="Length of an arrow for one m/s.")

    def suit(self, scene: Scene, bodies: np.ndarray, gravity: float) -> None:
        """Show what the scene wants to be shown, with force arrows in proportion to the weight of its bodies.

        bodies: BODY records; gravity: its size [m/s^2].
        """
        for name in OVERLAYS:
            setattr(self, name, name in scene.show)
        masses = bodies["mass"][bodies["mass"] > 0.0]
        if len(masses):
            scale = ARROW * scene.view.distance / (float(np.median(masses)) * max(1.0, gravity))
            self.force_scale = float(f"{min(10.0, max(1e-5, scale)):.1g}")
