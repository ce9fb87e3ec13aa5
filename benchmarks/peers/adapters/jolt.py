"""Jolt (single precision), behind the C interface of `_library.py`; its file is named by PEERS_JOLT_LIB.

Dry friction of a hinge is its own. Settings: `collision_steps` world steps a frame, sweeps over velocities and positions, its
tolerances of contacts [m] and its smallest speed of a rebound [m/s].
"""

from benchmarks.peers.adapters._library import Library


class Jolt(Library):
    """Adapter for Jolt."""

    variable = "PEERS_JOLT_LIB"
    order = {"collision_steps": 1, "velocity_steps": 10, "position_steps": 2, "slop": 0.02, "speculative": 0.02,
             "min_rest_vel": 1.0, "baumgarte": 0.2, "gyro": 0, "convex_radius": 0.05}
    configs = {
        "default": {},
        "accurate": {"collision_steps": 4, "velocity_steps": 20, "position_steps": 4, "slop": 0.001, "min_rest_vel": 0.05,
                     "gyro": 1, "convex_radius": 0.002},
    }


ADAPTER = Jolt
