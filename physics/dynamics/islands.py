"""Islands: bodies connected by contacts and joints. Within a step no island affects another.

    a ~ b  if a contact or a joint connects both and both are dynamic;  an island is a class of the closure of ~

Static, kinematic and sleeping bodies do not connect: two piles on one floor are two islands. Found by a disjoint-set forest
(Tarjan, J. ACM 22, 1975) with path halving, whose roots are always the lowest body of their tree: islands are numbered by their
lowest body, whatever the order of the contacts. Cost: a few ns per contact or body.
"""

from typing import NamedTuple

import numpy as np

from physics.core.jit import kernel, routine
from physics.core.records import Kind

_DYNAMIC = Kind.DYNAMIC


class Islands(NamedTuple):
    """The present islands, numbered by their lowest body; an unconnected dynamic body is an island of its own.

    of_body: island of each body, (bodies,) int32; -1: not dynamic, or asleep.
    bodies, contacts, joints: indices grouped by island, ascending within one, int32; island i has
        bodies[first_body[i] : first_body[i + 1]], contacts[first_contact[i] : first_contact[i + 1]] and so on.
    Empty slots, and contacts and joints without a dynamic body, are in no list.
    """

    count: int
    of_body: np.ndarray
    bodies: np.ndarray
    first_body: np.ndarray
    contacts: np.ndarray
    first_contact: np.ndarray
    joints: np.ndarray
    first_joint: np.ndarray


@routine
def find_root(parent, i):
    """Root of i's tree, with path halving."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@routine
def union(parent, a, b):
    """Merge two trees under the lower root."""
    if a == b or parent[a] < 0 or parent[b] < 0:
        return
    a, b = find_root(parent, a), find_root(parent, b)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b


@kernel
def number_islands(bodies, contacts, joints, of_body):
    """Write the island of every body, -1 if it does not move; returns the number of islands."""
    for i in range(bodies.shape[0]):
        of_body[i] = i if bodies[i].kind == _DYNAMIC and bodies[i].asleep == 0 else -1
    for i in range(contacts.shape[0]):
        union(of_body, contacts[i].body_a, contacts[i].body_b)
    for i in range(joints.shape[0]):
        if joints[i].kind >= 0:
            union(of_body, joints[i].body_a, joints[i].body_b)
    count = 0
    for i in range(of_body.shape[0]):      # a parent's index is never higher than its child's, so it is already numbered
        if of_body[i] == i:
            of_body[i] = count
            count += 1
        elif of_body[i] >= 0:
            of_body[i] = of_body[of_body[i]]
    return count


@routine
def sort(island, count, order, first):
    """Stable counting sort: the indices of `island` (-1: left out) grouped by its values below count."""
    first[:] = 0
    for i in range(island.shape[0]):
        first[island[i] + 1] += 1
    first[0] = 0
    for k in range(count):
        first[k + 1] += first[k]
    for i in range(island.shape[0]):
        k = island[i]
        if k >= 0:
            order[first[k]] = i
            first[k] += 1
    for k in range(count, 0, -1):          # shift the starts back by one group
        first[k] = first[k - 1]
    first[0] = 0


@kernel
def group(contacts, joints, of_body, count, of_item, body_order, first_body, contact_order, first_contact, joint_order,
          first_joint):
    """Sort bodies, contacts and joints by island. of_item: scratch, as long as the longer of contacts and joints."""
    sort(of_body, count, body_order, first_body)
    for i in range(contacts.shape[0]):
        of_item[i] = max(of_body[contacts[i].body_a], of_body[contacts[i].body_b])
    sort(of_item[: contacts.shape[0]], count, contact_order, first_contact)
    for i in range(joints.shape[0]):
        joint = joints[i]
        of_item[i] = max(of_body[joint.body_a], of_body[joint.body_b]) if joint.kind >= 0 else -1
    sort(of_item[: joints.shape[0]], count, joint_order, first_joint)


def find_islands(bodies: np.ndarray, contacts: np.ndarray, joints: np.ndarray) -> Islands:
    """The islands of BODY, CONTACT and JOINT tables."""
    of_body = np.empty(len(bodies), np.int32)
    count = number_islands(bodies, contacts, joints, of_body)
    of_item = np.empty(max(len(contacts), len(joints)), np.int32)
    orders = [np.empty(len(table), np.int32) for table in (bodies, contacts, joints)]
    firsts = [np.empty(count + 1, np.int32) for _ in orders]
    group(contacts, joints, of_body, count, of_item, orders[0], firsts[0], orders[1], firsts[1], orders[2], firsts[2])
    (body_order, contact_order, joint_order), (first_body, first_contact, first_joint) = orders, firsts
    return Islands(count, of_body, body_order[: first_body[-1]], first_body, contact_order[: first_contact[-1]],
                   first_contact, joint_order[: first_joint[-1]], first_joint)
