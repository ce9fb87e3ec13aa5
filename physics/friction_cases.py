"""In which case of Coulomb's law a contact is: T08's four cases of the slack form, and its eight of the general form.

Slack form, v_t = v_f1 - v_f2 and lambda_t in the plane of motion:

    0 <= mu l_n + l_t _|_ v_f1 >= 0,    0 <= mu l_n - l_t _|_ v_f2 >= 0                              (1)

    1 stick: both left sides positive; 2 "slide right": v_f2 > 0, l_t = mu l_n; 3 "slide left": v_f1 > 0, l_t = -mu l_n;
    4 degenerate: both left sides are zero, mu l_n = 0

General form, l_f = (l_f1, l_f2) >= 0, l_t = l_f1 - l_f2, s the sliding speed:

    0 <= l_f1 _|_ v_t + s >= 0,    0 <= l_f2 _|_ -v_t + s >= 0,    0 <= s _|_ mu l_n - l_f1 - l_f2 >= 0    (2)

Each of l_f1, l_f2, s is positive or zero: 2^3 = 8 cases, numbered as there, + for positive:

    1  + + +   v_t = -s and v_t = s: only with s = 0, which contradicts it. Empty; in numbers, a slip too slow to see: stick
    2  + + 0   v_t = 0, the two impulses partly cancel, l_f1 + l_f2 <= mu l_n: stick
    3  + 0 +   v_t = -s < 0, l_f1 = mu l_n: slides against f1
    4  + 0 0   v_t = 0, l_f1 <= mu l_n: stick, pushed one way
    5  0 + +   v_t = s > 0, l_f2 = mu l_n: slides against f2
    6  0 + 0   v_t = 0, l_f2 <= mu l_n: stick, pushed the other way
    7  0 0 +   mu l_n = 0, |v_t| <= s: nothing rubs: open or frictionless, it may slide either way: degenerate
    8  0 0 0   v_t = 0 and no friction is needed: stick at no force; open if l_n = 0 as well

In space f1 is the direction of the friction cone's polygon that bears most, f2 its opposite.
"""

from typing import NamedTuple

from physics.core.jit import inline
from physics.core.records import Case

MEANING = {1: "stick (empty case)", 2: "stick", 3: "slide against f1", 4: "stick", 5: "slide against f2", 6: "stick",
           7: "degenerate", 8: "no friction"}
"""The sign cases of (2) in words."""


class Classified(NamedTuple):
    """What a contact does: "open", "stick", "slide", "degenerate"; sign case of (2), 1 .. 8; planar case of (1), 1 .. 4."""

    state: str
    sign_case: int
    planar_case: int


@inline
def sign_case(f1, f2, s):
    """The number of (2); each argument positive or zero."""
    return (0 if f1 > 0 else 4) + (0 if f2 > 0 else 2) + (0 if s > 0 else 1) + 1


@inline
def seen_case(x, y, radius, slips):
    """The number of (2) from a friction impulse (x, y) alone, its bound and whether it slips: f1 is the way it points, from the
    first tangent's half of the plane. It cannot see two impulses that cancel, so it is never 1 or 2."""
    f1 = 1 if x > 0.0 or (x == 0.0 and y > 0.0) else 0
    f2 = 1 if f1 == 0 and (x != 0.0 or y != 0.0) else 0
    return sign_case(f1, f2, 1 if slips or radius <= 0.0 else 0)


def planar_case(case: int) -> int:
    """The case of (1) that a sign case of (2) belongs to."""
    return {3: 2, 5: 3, 7: 4, 8: 4}.get(case, 1)


def classify(contact) -> Classified:
    """A CONTACT record, as any solver left it."""
    case = int(contact["sign_case"])
    if contact["impulse"] <= 0.0:
        return Classified("open", case, 4)
    if contact["friction"] == 0.0 or case == 7:
        return Classified("degenerate", 7, 4)
    state = "slide" if contact["case"] == Case.SLIP else "stick"
    return Classified(state, case, planar_case(case) if case != 8 else 1)
