"""Box3D (single precision), behind the C interface of `_library.py`; its file is named by PEERS_BOX3D_LIB.

It has no planes: the ground is a static box of 200 x 200 x 2 m. Dry friction of a hinge is a motor at zero speed with a limited
torque. A setting at 0, or below it where 0 is a value, is the engine's own.
"""

from benchmarks.peers.adapters._library import Library


class Box3D(Library):
    """Adapter for Box3D."""

    variable = "PEERS_BOX3D_LIB"
    order = {"substeps": 4, "hertz": 0, "damping": 0, "push": 0, "min_rest_vel": -1, "joint_hertz": 0, "joint_damping": -1,
             "recycle": -1}
    configs = {
        "default": {},
        "substep8": {"substeps": 8, "hertz": 60, "min_rest_vel": 0.05},
        "accurate": {"substeps": 16, "hertz": 120, "min_rest_vel": 0.05, "joint_hertz": 240},
    }


ADAPTER = Box3D
