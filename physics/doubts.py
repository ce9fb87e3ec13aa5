"""What is allowed and probably not meant: looked for when bodies or joints are new, said once as a warning (warnings.py).

    overlap    deeper than a fifth of the smaller of the two shapes; the same pose twice
    masses     more than 1000 : 1 across a joint, or a light body under a heavy one
    redundant  joints that hold one another twice: rank of their constraint rows (J, closed loops only) below the number of rows
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from physics import rows
from physics.core.records import Bound, Kind

SPEED_CAP = 1e4
"""A body that is given a higher speed gets this one [m/s]: beyond it a step of 1/240 s is 40 m long."""

DEEP = 0.2
"""An overlap deeper than this part of the smaller shape is worth a warning."""

UNEQUAL = 1000.0
"""A ratio of masses above this needs many sweeps."""

MOST_ROWS = 240
"""The rank of larger mechanisms is not looked at: it would take longer than a second."""

NAMED = 5
"""At most so many are named in one sentence."""

ADVICE = "try substeps or more sweeps, or masses nearer to each other"


def capped(what: str, vel: np.ndarray, warnings: Any) -> np.ndarray:
    """The velocity, brought down to SPEED_CAP."""
    speed = math.hypot(*vel)
    if speed <= SPEED_CAP:
        return vel
    warnings.add(f"{what}: its speed of {speed:g} m/s was brought down to {SPEED_CAP:g} m/s, the fastest that is allowed")
    return vel * (SPEED_CAP / speed)


def look(world: Any, contacts: np.ndarray, dt: float) -> None:
    """Say what is doubtful about new bodies, their contacts, and the joints."""
    if world.unseen and len(contacts):
        new = np.zeros(len(world.bodies), bool)
        new[sorted(world.unseen)] = True
        mine = contacts[new[contacts["body_a"]] | new[contacts["body_b"]]]
        _overlaps(world, mine)
        _say_masses(world, mine, "lies against")
    joints = world.joints[world.joints["kind"] >= 0]
    _say_masses(world, joints, "is joined to")
    _redundant(world, dt)
    world.unseen.clear()
    world.looked_at = world.revision


def _overlaps(world: Any, contacts: np.ndarray) -> None:
    """Bodies that begin deep inside one another, or in the same place."""
    width = (world.shapes["hi"] - world.shapes["lo"]).min(axis=1) - 2.0 * world.shapes["reach"]
    smaller = np.minimum(width[contacts["shape_a"]], width[contacts["shape_b"]])
    deep = contacts[-contacts["gap"] > DEEP * smaller]
    pairs = sorted({(int(c["body_a"]), int(c["body_b"])) for c in deep})
    bodies = world.bodies
    same = [p for p in pairs if all(np.array_equal(bodies[k][p[0]], bodies[k][p[1]]) for k in ("pos", "quat"))]
    if same:
        world.warnings.add(f"in the same place at t = {world.time:g} s: {_names(world, same)}. They part along the first "
                           "direction that their shapes give; move one of them")
    if len(pairs) > len(same):
        rest = [p for p in pairs if p not in same]
        world.warnings.add(f"overlapping by more than {100 * DEEP:.0f} % at t = {world.time:g} s: {_names(world, rest)}. They "
                           "are pushed apart slowly; move them apart to begin with")


def _names(world: Any, pairs: list[tuple[int, int]]) -> str:
    named = ", ".join(f"'{world.body_names[a]}' and '{world.body_names[b]}'" for a, b in pairs[:NAMED])
    return named + (f" and {len(pairs) - NAMED} more pairs" if len(pairs) > NAMED else "")


def _say_masses(world: Any, holds: np.ndarray, verb: str) -> None:
    """Pairs of dynamic bodies of very unequal mass; holds: contacts or joints."""
    mass = world.bodies["mass"]
    a, b = mass[holds["body_a"]], mass[holds["body_b"]]
    light, heavy = np.minimum(a, b), np.maximum(a, b)
    worst = np.where(light > 0.0, heavy / np.where(light > 0.0, light, 1.0), 0.0)
    if not len(worst) or worst.max() <= UNEQUAL:
        return
    k = int(worst.argmax())
    names = [world.body_names[int(holds[f"body_{s}"][k])] for s in ("a", "b")]
    names = names if b[k] <= a[k] else names[::-1]
    world.warnings.add(f"body '{names[1]}' {verb} '{names[0]}', which has {worst[k]:.3g} times its mass: {ADVICE}")


def _redundant(world: Any, dt: float) -> None:
    """Closed loops of joints that hold the same direction twice."""
    plan, loops = world.lists.joints, []
    for number in np.unique(plan.group[plan.pieces["place"][world.lists.linkage.loops]]).tolist():
        members = plan.joints[plan.group == number]
        held = world.joints[members]
        moving = np.unique(np.concatenate([held["body_a"], held["body_b"]]))
        loops.append((members, moving[world.bodies["kind"][moving] == Kind.DYNAMIC]))
    if not loops:
        return
    kept = world.joints.copy()                 # writing rows goes on with what joints count and ramp
    still = np.zeros((len(world.bodies), 6))
    table = rows.build(world, world.contacts[:0], still, still, dt, 0.0)
    world.joints[:] = kept
    for members, moving in loops:
        jacobian = np.array(list(_constraints(table, members, moving)))
        if not 0 < len(jacobian) <= MOST_ROWS:
            continue
        spare = len(jacobian) - np.linalg.matrix_rank(jacobian, tol=1e-9 * np.linalg.norm(jacobian, 2))
        if spare > 0:
            names = ", ".join(f"'{world.joint_names[j]}'" for j in members[:NAMED].tolist())
            more = " and others" if len(members) > NAMED else ""
            world.warnings.add(f"joints {names}{more} form a closed loop with {spare} redundant constraints: it moves, but their "
                               "reactions are not unique; a spherical or universal joint in place of a hinge removes them")


def _constraints(table: rows.Table, members: np.ndarray, moving: np.ndarray) -> Iterator[np.ndarray]:
    """Rows of the Jacobian of the joints `members` over the velocities of the bodies `moving`, angles times 1 m."""
    column = {int(body): 6 * k for k, body in enumerate(moving)}
    wanted = set(members.tolist())
    for block in table.blocks:
        if block["bound"] != Bound.EQUALITY or int(block["index"]) not in wanted:
            continue
        for row in table.rows[block["first"] : block["first"] + block["count"]]:
            line = np.zeros(6 * len(moving))
            for side in ("a", "b"):
                at = column.get(int(block[side]))
                if at is not None:
                    line[at : at + 3] += row[f"lin_{side}"]
                    line[at + 3 : at + 6] += row[f"ang_{side}"]
            if row["softness"] == 0.0:
                yield line
