"""Sanity checks of new bodies and joints: what is allowed but probably unintended is warned of once (warnings.py).

    overlap    deeper than a fifth of the smaller of the two shapes; the same pose twice
    masses     more than 1000 : 1 across a joint, or a light body under a heavy one
    redundant joints that constrain a direction twice: rank of their rows (J, closed loops only) below the number of rows
    bearings  a gear or a rack on a body that no joint holds to an axis, a torsion spring on one that none holds at all: their
              rows are singular where the body tumbles, and do work there that is no spring's
"""

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from physics import joints as joint_kinds
from physics.constraints import rows
from physics.core.records import Bound, Kind, selected
from physics.joints import Holds, Motion

SPEED_CAP = 1e4
"""A body that is given a higher speed gets this one [m/s]: beyond it a step of 1/240 s is 40 m long."""

DEEP_OVERLAP = 0.2
"""An overlap deeper than this part of the smaller shape is worth a warning."""

LARGE_MASS_RATIO = 1000.0
"""A ratio of masses above this needs many sweeps."""

MAX_ROWS_CHECKED = 240
"""The rank of larger mechanisms is not computed: it would take longer than a second."""

MAX_BODIES_NAMED = 5
"""Largest number of bodies named in one sentence."""

GUIDED = Holds.PARALLEL | Holds.CROSS | Holds.WELD | Holds.LOCKS
"""What joints hold that keep a body to an axis."""

MASS_ADVICE = "use substeps, more sweeps or a smaller mass ratio"


def cap_speed(what: str, vel: np.ndarray, warnings: Any) -> np.ndarray:
    """The velocity, clamped to SPEED_CAP."""
    speed = math.hypot(*vel)
    if speed <= SPEED_CAP:
        return vel
    warnings.add(f"{what}: speed {speed:g} m/s was limited to {SPEED_CAP:g} m/s, the maximum allowed")
    return vel * (SPEED_CAP / speed)


def check_new_bodies(world: Any, contacts: np.ndarray, dt: float) -> None:
    """Warn of doubtful new bodies, contacts and joints."""
    if world.unchecked_bodies and len(contacts):
        new = np.zeros(len(world.bodies), bool)
        new[sorted(world.unchecked_bodies)] = True
        mine = contacts[new[contacts["body_a"]] | new[contacts["body_b"]]]
        _overlaps(world, mine)
        _warn_mass_ratio(world, mine, "rests on")
    joints = world.joints[world.joints["kind"] >= 0]
    _warn_mass_ratio(world, joints, "is joined to")
    _warn_of_no_bearing(world, joints)
    _redundant(world, dt)
    world.unchecked_bodies.clear()
    world.checked_revision = world.revision


def _overlaps(world: Any, contacts: np.ndarray) -> None:
    """Bodies that start with a deep overlap, or at the same pose."""
    width = (world.shapes["hi"] - world.shapes["lo"]).min(axis=1) - 2.0 * world.shapes["reach"]
    smaller = np.minimum(width[contacts["shape_a"]], width[contacts["shape_b"]])
    deep = contacts[-contacts["gap"] > DEEP_OVERLAP * smaller]
    pairs = sorted({(int(c["body_a"]), int(c["body_b"])) for c in deep})
    bodies = world.bodies
    same = [p for p in pairs if all(np.array_equal(bodies[k][p[0]], bodies[k][p[1]]) for k in ("pos", "quat"))]
    if same:
        world.warnings.add(f"coincident bodies at t = {world.time:g} s: {_names(world, same)}. They separate along an arbitrary "
                           "direction; move one of them")
    if len(pairs) > len(same):
        rest = [p for p in pairs if p not in same]
        world.warnings.add(f"initial penetration above {100 * DEEP_OVERLAP:.0f} % at t = {world.time:g} s: "
                           f"{_names(world, rest)}. The bodies are separated slowly; move them apart before the start")


def _names(world: Any, pairs: list[tuple[int, int]]) -> str:
    named = ", ".join(f"'{world.body_names[a]}' and '{world.body_names[b]}'" for a, b in pairs[:MAX_BODIES_NAMED])
    return named + (f" and {len(pairs) - MAX_BODIES_NAMED} more pairs" if len(pairs) > MAX_BODIES_NAMED else "")


def _warn_mass_ratio(world: Any, holds: np.ndarray, verb: str) -> None:
    """Pairs of dynamic bodies of very unequal mass; holds: contacts or joints."""
    mass = world.bodies["mass"]
    a, b = mass[holds["body_a"]], mass[holds["body_b"]]
    light, heavy = np.minimum(a, b), np.maximum(a, b)
    worst = np.where(light > 0.0, heavy / np.where(light > 0.0, light, 1.0), 0.0)
    if not len(worst) or worst.max() <= LARGE_MASS_RATIO:
        return
    k = int(worst.argmax())
    names = [world.body_names[int(holds[f"body_{s}"][k])] for s in ("a", "b")]
    names = names if b[k] <= a[k] else names[::-1]
    world.warnings.add(f"body '{names[1]}' {verb} '{names[0]}', which has {worst[k]:.3g} times its mass: {MASS_ADVICE}")


def _warn_of_no_bearing(world: Any, held: np.ndarray) -> None:
    """Joints that turn about an axis to which nothing holds a body. held: the joints."""
    needed, holds = _bearings_needed()[held["kind"]], joint_kinds.marked("holds")[held["kind"]]
    for j in np.flatnonzero(needed).tolist():
        for body in (int(held["body_a"][j]), int(held["body_b"][j])):
            own = (held["body_a"] == body) | (held["body_b"] == body)
            if world.bodies["kind"][body] == Kind.DYNAMIC and not (holds[own] & needed[j]).any():
                kind = list(joint_kinds.kinds())[held["kind"][j]]
                world.warnings.add(f"body '{world.body_names[body]}' is coupled by a {kind} and has no bearing: where it tumbles "
                                   "the coupling is undefined; add a revolute, cylindrical or prismatic joint")
                return


@functools.cache
def _bearings_needed() -> np.ndarray:
    """Of all kinds of joints, by JOINT.kind: what other joints must hold of a body in it, at least one of these (n,)."""
    return np.array([GUIDED if kind.couples else GUIDED | Holds.POINT if kind.springs and any(
        axis.motion == Motion.ABOUT_Z for axis in kind.axes) else 0 for kind in joint_kinds.kinds().values()])


def _redundant(world: Any, dt: float) -> None:
    """Closed loops of joints that constrain a direction twice."""
    layout, loops = world.layout.joints, []
    for number in np.unique(layout.group[layout.pieces["place"][world.layout.joint_system.loops]]).tolist():
        members = layout.joints[layout.group == number]
        held = selected(world.joints, members)
        moving = np.unique(np.concatenate([held["body_a"], held["body_b"]]))
        loops.append((members, moving[world.bodies["kind"][moving] == Kind.DYNAMIC]))
    if not loops:
        return
    kept = world.joints.copy()                 # writing rows advances the joints' counters and ramps
    table = rows.joint_rows(world, dt)
    world.joints[:] = kept
    for members, moving in loops:
        jacobian = np.array(list(_constraints(*table, members, moving)))
        if not 0 < len(jacobian) <= MAX_ROWS_CHECKED:
            continue
        spare = len(jacobian) - np.linalg.matrix_rank(jacobian, tol=1e-9 * np.linalg.norm(jacobian, 2))
        if spare > 0:
            names = ", ".join(f"'{world.joint_names[j]}'" for j in members[:MAX_BODIES_NAMED].tolist())
            more = " and others" if len(members) > MAX_BODIES_NAMED else ""
            world.warnings.add(f"joints {names}{more} form a closed loop with {spare} redundant constraints: the motion is "
                               "correct, but the reactions are not unique; replace a revolute joint by a spherical or universal "
                               "joint")


def _constraints(table: np.ndarray, blocks: np.ndarray, members: np.ndarray, moving: np.ndarray) -> Iterator[np.ndarray]:
    """Rows of the Jacobian of the joints `members` over the velocities of the bodies `moving`, angles times 1 m. table: ROW;
    blocks: BLOCK."""
    column = {int(body): 6 * k for k, body in enumerate(moving)}
    wanted = set(members.tolist())
    for block in blocks:
        if block["bound"] != Bound.EQUALITY or int(block["index"]) not in wanted:
            continue
        for row in table[block["first"] : block["first"] + block["count"]]:
            line = np.zeros(6 * len(moving))
            for side in ("a", "b"):
                at = column.get(int(block[side]))
                if at is not None:
                    line[at : at + 3] += row[f"lin_{side}"]
                    line[at + 3 : at + 6] += row[f"ang_{side}"]
            if row["softness"] == 0.0:
                yield line
