"""Rigid bodies with dry friction: worlds, shapes, joints, solvers. Knows no window and no file format."""

from physics.errors import BadInput, Diverged
from physics.events import Event
from physics.joint_settings import Friction, Motor
from physics.material import Material
from physics.materials import describe_pair
from physics.options import fields, option, set_option
from physics.plugins import discover
from physics.report import Report
from physics.shapes.box import Box
from physics.shapes.capsule import Capsule
from physics.shapes.compound import Compound
from physics.shapes.cone import Cone
from physics.shapes.cylinder import Cylinder
from physics.shapes.ellipsoid import Ellipsoid
from physics.shapes.height_field import HeightField
from physics.shapes.hull import Hull
from physics.shapes.plane import Plane
from physics.shapes.sphere import Sphere
from physics.shapes.triangle_mesh import TriangleMesh
from physics.step import step
from physics.world import Snapshot, World

__all__ = ["BadInput", "Box", "Capsule", "Compound", "Cone", "Cylinder", "Diverged", "Ellipsoid", "Event", "Friction",
           "HeightField", "Hull", "Material", "Motor", "Plane", "Report", "Snapshot", "Sphere", "TriangleMesh", "World",
           "describe_pair", "discover", "fields", "option", "set_option", "step"]
