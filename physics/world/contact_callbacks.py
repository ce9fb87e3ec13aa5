"""Functions that a program adds to a world, and that see all contacts before they are solved: to leave some out, to change mu.

    def slippery(world, contacts):                      # CONTACT records, the table itself: what is written acts
        contacts["friction"][contacts["body_b"] == ball] = 0.02
        return contacts["normal"][:, 2] > 0.0           # which of them act; None: all

    world.contact_callbacks.append(slippery)

They are called after the materials were mixed, each time contacts are found: once for each part of a step (physics/step.py), with
every solver; and again where a solver follows its contacts within the part (exact, event driven, joint space), where a program
must not count calls. Cost: 3 us a call and what the function does; by whole columns that does not grow much with the contacts,
record by record in Python about 1 us for each number read or written.

What may be written: friction, restitution, anisotropy, target. A contact that is left out is at the gap IGNORED, where no solver
sees it; what a step begins with lacks it altogether, and the guard against tunnelling lets the two shapes pass if all of their
contacts are left out.
"""

from typing import Any

import numpy as np

from physics.core.check import BadInput, shown_value

IGNORED = 1e6
"""Gap of a contact that was left out [m]."""


def call(world: Any, contacts: np.ndarray) -> None:
    """Call the world's contact callbacks; what they leave out is IGNORED.

    Raises:
        BadInput: one returned something else than bool (contacts,) or None, or wrote a number that no surface has.
    """
    for callback in world.contact_callbacks:
        acting = callback(world, contacts)
        if acting is not None:
            contacts["gap"][~_checked(callback, acting, len(contacts))] = IGNORED
    for name, most in (("friction", np.inf), ("restitution", 1.0), ("anisotropy", 1.0)):
        wrong = contacts[name][~((contacts[name] >= 0.0) & (contacts[name] <= most) & (contacts[name] < np.inf))]
        if len(wrong):
            raise BadInput(f"a contact callback set {name} = {wrong[0]:g}; allowed: 0 .. {most:g}")


def acting(contacts: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(contacts that were not left out, pairs of shapes (n, 2) without those of which all were)."""
    left = contacts["gap"] < IGNORED
    if left.all():
        return contacts, pairs
    kept, gone = ({(int(c["shape_a"]), int(c["shape_b"])) for c in contacts[which]} for which in (left, ~left))
    gone -= kept
    return contacts[left], pairs[[(a, b) not in gone and (b, a) not in gone for a, b in pairs.tolist()]]


def _checked(callback: Any, acting: Any, count: int) -> np.ndarray:
    found = np.asarray(acting)
    if found.dtype != bool or found.shape != (count,):
        name = getattr(callback, "__name__", type(callback).__name__)
        raise BadInput(f"the contact callback {name} returned {shown_value(acting)}: expected which of the {count} contacts act, "
                       f"bool ({count},), or None")
    return found
