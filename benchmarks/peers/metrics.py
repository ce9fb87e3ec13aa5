"""Quality of a state and of a run, by our own geometry in float64, the same for every engine.

A state is (pos (n, 3), quat (n, 4), vel (n, 3), omega (n, 3)) of all bodies of the scene, world frame.
"""

import numpy as np

from benchmarks.peers import geometry
from benchmarks.peers.scenes import Scene

State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def kinetic(scene: Scene, state: State) -> float:
    """Kinetic energy [J]."""
    _, quat, vel, omega = state
    dynamic = scene.dynamic
    spin = np.einsum("nji,nj->ni", geometry.rotations(quat[dynamic]), omega[dynamic])
    mass = np.array([scene.bodies[i].mass for i in dynamic])
    inertia = np.array([scene.bodies[i].inertia for i in dynamic])
    return float(0.5 * (mass @ (vel[dynamic] ** 2).sum(1) + (inertia * spin**2).sum()))


def potential(scene: Scene, pos: np.ndarray) -> float:
    """Potential energy [J], zero at the origin."""
    return float(-sum(scene.bodies[i].mass * (np.array(scene.gravity) @ pos[i]) for i in scene.dynamic))


def joint_gap(scene: Scene, pos: np.ndarray, quat: np.ndarray) -> float:
    """Largest distance between the two anchor points of a joint [m]."""
    widest = 0.0
    for joint in scene.joints:
        ends = [np.array(joint.anchor) if k < 0 else
                pos[k] + geometry.rotation(quat[k]) @ geometry.local(scene.bodies[k], joint.anchor) for k in (joint.a, joint.b)]
        widest = max(widest, float(np.linalg.norm(ends[0] - ends[1])))
    return widest


def snapshot(scene: Scene, time: float, state: State) -> dict:
    """Metrics of one instant."""
    pos, quat = state[:2]
    if not all(np.isfinite(part).all() for part in state) or np.abs(pos).max() > 1e5:
        return {"t": time, "finite": False}
    depths = geometry.overlaps(scene, pos, quat)
    numbers = {"t": time, "finite": True, "pen_max": float(depths.max(initial=0.0)),
               "pen_mean": float(depths.mean()) if len(depths) else 0.0, "overlaps": len(depths),
               "kinetic": kinetic(scene, state), "potential": potential(scene, pos)}
    if scene.joints:
        numbers["gap"] = joint_gap(scene, pos, quat)
    return numbers


def summary(scene: Scene, snapshots: list[dict], first: State, last: State) -> dict:
    """Metrics by which a run is judged. `late` is its last 30 %; lengths in mm.

    first, last: states at the start and at the end.
    """
    fine = [s for s in snapshots if s["finite"]]
    found = {"finite": len(fine) == len(snapshots)}
    if not fine:
        return found
    late = [s for s in fine if s["t"] >= 0.7 * snapshots[-1]["t"]] or fine[-1:]
    found.update(pen_max_mm=1e3 * max(s["pen_max"] for s in fine), pen_late_mm=1e3 * max(s["pen_max"] for s in late),
                 pen_late_mean_mm=1e3 * float(np.mean([s["pen_mean"] for s in late])), overlaps=fine[-1]["overlaps"],
                 kinetic_late=float(np.mean([s["kinetic"] for s in late])))
    if scene.joints:
        found.update(_joints(scene, fine, first))
    if np.isfinite(last[0]).all():
        found.update(_places(scene, first[0], last))
    return found


def _joints(scene: Scene, snapshots: list[dict], first: State) -> dict:
    """Joint gaps, and the change of energy as a height of the total mass."""
    start = kinetic(scene, first) + potential(scene, first[0])
    weight = sum(scene.bodies[i].mass for i in scene.dynamic) * np.linalg.norm(scene.gravity)
    energy = [s["kinetic"] + s["potential"] for s in snapshots]
    return {"gap_max_mm": 1e3 * max(s["gap"] for s in snapshots),
            "energy_gain_mm": 1e3 * max(0.0, float((max(energy) - start) / weight)),
            "energy_left_mm": 1e3 * float((energy[-1] - start) / weight)}


def _places(scene: Scene, before: np.ndarray, last: State) -> dict:
    """Final positions of bodies, by the criteria of each scene."""
    after, dynamic, found = last[0], scene.dynamic, {}
    if "top" in scene.facts:
        top = scene.facts["top"]
        found["top_drift_mm"] = 1e3 * float(np.linalg.norm(after[top, :2] - before[top, :2]))
        found["top_sink_mm"] = 1e3 * float(before[top, 2] - after[top, 2])
    if scene.name in ("pyramid", "tower", "stacks"):
        moved = np.linalg.norm(after[dynamic] - before[dynamic], axis=1).max()
        found.update(moved_max_mm=1e3 * float(moved), stands=bool(moved < 0.3))
    if scene.name == "ballpit":
        out = (np.abs(after[dynamic, :2]) > 1.0).any(1) | (after[dynamic, 2] < 0.0)
        found.update(escaped=int(out.sum()), height_mean=float(after[dynamic, 2].mean()))
    if scene.name == "dominoes":
        found["fallen"] = fallen(scene, last)
    return found


def fallen(scene: Scene, state: State) -> int:
    """Bodies whose z axis is no longer upright."""
    return int((geometry.rotations(state[1][scene.dynamic])[:, 2, 2] < 0.9).sum())
