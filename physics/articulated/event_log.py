"""What happened in a step of event-driven simulation: the events, and the case of each contact (F11 11.4)."""

from enum import IntEnum
from typing import NamedTuple


class ContactCase(IntEnum):
    """Of phi(q) >= 0: phi and phi_dot at one moment."""

    UNKNOWN = 0
    APART = 1           # phi > 0
    APPROACHING = 2     # 2a: phi = 0, phi_dot < 0: an impulse
    LEAVING = 3         # 2b: phi = 0, phi_dot > 0
    STAYING = 4         # 3: phi = 0, phi_dot = 0: a current contact; a force, if it is active


CASE_NAMES = {ContactCase.UNKNOWN: "?", ContactCase.APART: "1", ContactCase.APPROACHING: "2a", ContactCase.LEAVING: "2b",
              ContactCase.STAYING: "3"}
"""As F11 numbers them."""


class EventKind(IntEnum):
    """What an event is."""

    IMPACT = 0          # an impulse
    GAINED = 1          # a contact begins without an impulse
    LOST_FORCE = 2      # dynamic loss: the force of an active contact falls to zero
    LOST_EDGE = 3       # geometric loss: the contact leaves an edge or a face
    STEPPED = 4         # handed to time stepping: impacts that accumulate, or a law without a solution


class Event(NamedTuple):
    """time [s]; bodies: indices of a and b; joint: index for a limit, else -1; speed: normal velocity before [m/s] or [rad/s];
    impulse: [N s] or [N m s], 0 where there is none."""

    time: float
    kind: EventKind
    bodies: tuple[int, int]
    joint: int = -1
    speed: float = 0.0
    impulse: float = 0.0


class EventLog(NamedTuple):
    """events: in order; cases: ContactCase of each contact at the end of the step, by the contacts' order; active: whether it is
    in the active set; solved: how often the contact law was solved anew; moments: parts of the step between events."""

    events: tuple[Event, ...] = ()
    cases: tuple[int, ...] = ()
    active: tuple[bool, ...] = ()
    solved: int = 0
    moments: int = 0
