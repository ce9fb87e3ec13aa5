"""What an impact in no time did to a contact: a record of numbers that a report keeps (Report.impact_records).

Vectors are along normal, t1, t2 of the contact, of b relative to a; t2 has the length `anisotropy` of the friction ellipse, so
that friction is bounded by a circle. The impulse does the work P.(u + u')/2 on both bodies together.
"""

import numpy as np

from physics.core.records import record

IMPACT = record([
    ("shape_a", "i4"),
    ("shape_b", "i4"),
    ("body_a", "i4"),
    ("body_b", "i4"),
    ("feature", "i8"),               # as in CONTACT
    ("law", "i4"),                   # index of the law of impact (contact/impact_laws)
    ("alone", "i4"),                 # 1: no other contact acted, and the impulse followed its path (contact/impact_path.py)
    ("response", "f8", (3, 3)),      # J H^-1 J^T, of a contact that was alone [1/kg]
    ("before", "f8", 3),             # relative velocity less that of moving surfaces [m/s]
    ("after", "f8", 3),              # [m/s]
    ("impulse", "f8", 3),            # on b [N s]
    ("slip_target", "f8", 2),        # by tangential restitution [m/s]
    ("friction", "f8"),              # mu
    ("meant", "f8"),                 # e of the pair
    ("restitution", "f8"),           # e that energy allowed
])


def energy_lost(impacts: np.ndarray) -> np.ndarray:
    """Energy (n,) that each contact took from the bodies [J]; negative where it gave energy."""
    return -0.5 * np.einsum("ij,ij->i", impacts["impulse"], impacts["before"] + impacts["after"])
