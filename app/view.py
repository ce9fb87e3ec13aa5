"""What the viewer shows, and how; drawn as controls by the view panel."""

from dataclasses import dataclass

from physics import option


@dataclass
class ViewOptions:
    """Toggles and scales of the picture. They never touch the physics."""

    theme: str = option("dark", choices=("dark", "light"), help="Colours of the window and the scene.")
    contacts: bool = option(True, help="Contact points: square = stick, arrow-shaped = slip, ring = open.")
    normals: bool = option(False, help="Contact normals, from the first body to the second.")
    forces: bool = option(True, help="Contact forces: the normal part and the friction part of each.")
    cones: bool = option(False, help="Friction cones with the solver's number of facets, sized by the force.")
    joints: bool = option(True, help="Joint points and axes.")
    velocities: bool = option(False, help="Velocity of each body's centre of mass.")
    names: bool = option(False, help="Names of the bodies.")
    shadows: bool = option(True, help="Soft shadows of the sun.")
    wireframe: bool = option(False, help="Edges of the triangles instead of faces.")
    force_scale: float = option(0.02, unit="m/N", lo=1e-5, hi=10.0, log=True, help="Length of an arrow for one newton.")
    velocity_scale: float = option(0.2, unit="s", lo=1e-3, hi=10.0, log=True, help="Length of an arrow for one m/s.")
