"""What a contact keeps from step to step, while contacts are found anew in each: its shapes and its feature."""

import numpy as np

ContactKey = tuple[int, int, int]
"""Shapes a and b, feature."""

_LASTING = ("shape_a", "shape_b", "feature")


def contact_key(contact: np.void) -> ContactKey:
    """Of one record."""
    return tuple(int(contact[name]) for name in _LASTING)


def contact_keys(contacts: np.ndarray) -> list[ContactKey]:
    """Of all these contacts."""
    return list(zip(*(contacts[name].tolist() for name in _LASTING)))


def find_contact(contacts: np.ndarray, key: ContactKey) -> int:
    """Where the contact of that key is among those of a step; -1: nowhere."""
    same = np.logical_and.reduce([contacts[name] == value for name, value in zip(_LASTING, key)])
    return int(np.argmax(same)) if same.any() else -1


def same_contact(contacts: np.ndarray, contact: np.void) -> int:
    """Where a contact of one step is among those of another; -1: nowhere."""
    return find_contact(contacts, contact_key(contact))
