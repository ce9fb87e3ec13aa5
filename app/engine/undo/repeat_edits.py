"""Edits repeated at the start of a scene: what was built by hand belongs to it, so that a reset keeps it.

A reset takes the world of the start and repeats the edits made since. Each body that was added stands where it was put; one of
the scene itself that was moved, or pushed, while the scene ran returns to its start, since that was an experiment, as a throw is.
A joint that was made while the scene ran is kept only if its halves lie upon each other at the start, too.
"""

from collections.abc import Callable, Sequence

import numpy as np

from app.engine.undo.difference import MOUSE_SPRING, AuthoredState, EditDifference, write_field
from app.engine.undo.edit_list import Edit, WholeStateEdit
from physics import BadInput, World
from physics.core.quaternions import product, rotate
from physics.core.records import Kind

EXPERIMENTS = frozenset(("throw", "set_live_parameter", "set_gravity", "set_dt", "use_solver", "set_option", "set_sleeping",
                         "set_audit", "set_drag_stiffness"))
"""Commands that a reset forgets, or that survive it as settings."""

MOTION = ("pos", "quat", "vel", "omega")
"""Fields of a body that steps change."""

SAME_PLACE = 1e-6
"""Halves of a joint that are nearer to each other lie upon each other [m] and [-]."""


def edits_since(done: Sequence[Edit], start: Edit | None) -> tuple[Edit, ...]:
    """Edits to be repeated at the start: those after `start`, or after the scene was built or reset."""
    found: list[Edit] = []
    for edit in reversed(done):
        if edit is start or (isinstance(edit.change, WholeStateEdit) and edit.command != "return_to_state"):
            break
        if isinstance(edit.change, EditDifference) and edit.command not in EXPERIMENTS:
            found.append(edit)
    return tuple(reversed(found))


def repeat(world: World, present: World, edits: Sequence[Edit]) -> None:
    """Repeat edits, made in the world `present`, in a world at its start. What has no place there is left out."""
    if present.pool.keys[: len(world.pool.keys)] != world.pool.keys:
        return      # its hulls and surfaces are others: the shapes of added bodies cannot be found
    own = np.flatnonzero(world.bodies["kind"] != Kind.FREE)
    begin, world.pool = world.time, present.pool
    _make_room(world, present)
    for edit in edits:
        _repeat(world, present, edit.change, own, edit.time > begin)
    world.refresh_after_edit()


def _make_room(world: World, present: World) -> None:
    """Give a world the slots of another one, so that what was added finds its own."""
    for table, other, names, field, empty in (
            (world.body_table, present.bodies, world.body_names, "kind", int(Kind.FREE)),
            (world.shape_table, present.shapes, None, "body", -1),
            (world.joint_table, present.joints, world.joint_names, "kind", -1)):
        free = table.has_free_slots
        while len(table.records) < len(other):
            table.has_free_slots, free = False, True
            slot = table.add(lambda records: records[:0])       # none is free: a new one
            table.records[field][slot] = empty
            if names is not None:
                names.append("")
        table.has_free_slots = free


def _repeat(world: World, present: World, change: EditDifference, own: np.ndarray, late: bool) -> None:
    """Repeat one edit. own: bodies of the scene; late: it was made after the start, when they had moved."""
    for item in change.removed["joints"]:
        if world.joints["kind"][item.slot] >= 0:
            world.remove_joint(item.slot)
    for item in change.removed["bodies"]:
        if world.bodies["kind"][item.slot] != Kind.FREE:
            world.remove_body(item.slot, with_joints=True)
    if "materials" in change.values:
        world.materials = change.values["materials"][1]
    for item in change.added["bodies"]:
        if present.bodies["kind"][item.slot] != Kind.FREE:
            _put(world.put_body, item.slot, item.record, item.name, item.slots, item.shapes)
    new = {item.slot for item in change.added["bodies"]}
    for item in change.added["joints"]:
        ends = int(item.record["body_a"]), int(item.record["body_b"])
        if present.joints["kind"][item.slot] >= 0 and (
                not late or set(ends) <= new or _fits(world, item.record)):
            _put(world.put_joint, item.slot, item.record, item.name)
    for table, slot, _, name in change.names:
        names, used = ((world.body_names, world.bodies["kind"] != Kind.FREE) if table == "bodies"
                       else (world.joint_names, world.joints["kind"] >= 0))
        if used[slot] and name not in names:
            names[slot] = name
    for field in change.fields:
        stays = np.isin(field.slots, own) if late and field.table == "bodies" and field.name in MOTION else False
        write_field(world, field, field.after, np.logical_not(stays))


def _put(put: Callable[..., None], slot: int, *record: object) -> None:
    """Put something into its slot; it stays out where another thing, or its name, is there."""
    try:
        put(slot, *record)
    except BadInput:
        return


def _fits(world: World, joint: np.void) -> bool:
    """Whether the two halves of a joint lie upon each other there, as they did where it was made."""
    ends, bodies = (int(joint["body_a"]), int(joint["body_b"])), world.bodies
    if any(bodies["kind"][body] == Kind.FREE for body in ends):
        return False
    places, turns = zip(*((bodies["pos"][body] + rotate(bodies["quat"][body], joint[f"anchor_{side}"]),
                           product(bodies["quat"][body], joint[f"frame_{side}"])) for body, side in zip(ends, "ab")))
    return bool(np.max(np.abs(places[0] - places[1])) < SAME_PLACE and abs(abs(turns[0] @ turns[1]) - 1.0) < SAME_PLACE)


def lost_names(before: World, after: World, own: AuthoredState) -> list[str]:
    """Names of bodies and joints built by hand that a world no longer has; own: the scene's own ones."""
    there = {*after.body_names, *own.names["bodies"]}
    bodies = [name for kind, name in zip(before.bodies["kind"], before.body_names)
              if kind != Kind.FREE and name not in there and not name.startswith("thrown ")]
    there = {*after.joint_names, *own.names["joints"], MOUSE_SPRING}
    return [*bodies, *(name for kind, name in zip(before.joints["kind"], before.joint_names) if kind >= 0 and name not in there)]
