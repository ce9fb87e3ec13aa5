"""Impact laws: when the restitution of an impact ends. One file each, which defines `LAW`, an `ImpactLaw`.

An impact of one contact has a compression, in which the normal velocity u_n rises from u_0 < 0 to 0, and a restitution. With the
normal impulse p, which grows all the time, and the work w = integral of u_n dp, of which p_c, w_c belong to the compression, a
law gives a quantity that rises during the restitution and is 0 at its end: `excess`.

Where nothing changes the direction of slip in the impact, u_n is linear in p and all laws agree. Otherwise they do not, and
Newton's may even gain energy (T. Kane, A dynamics puzzle, Stanford Mechanics Alumni Club Newsletter, 1984).
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from physics.contact import impact_laws
from physics.core.plugins import discover


class ImpactState(NamedTuple):
    """An impact at some moment. kind: index of its law; e: coefficient of restitution; approach: u_0 [m/s], < 0;
    compression_impulse: p_c [N s]; compression_work: w_c [J], < 0; impulse: p; velocity: u_n; work: w, of both phases."""

    kind: int
    e: float
    approach: float
    compression_impulse: float
    compression_work: float
    impulse: float
    velocity: float
    work: float


@dataclass(frozen=True)
class ImpactLaw:
    """A law of impact.

    name          shown to users, value of the option `impact_law`
    doc           one sentence: the law in words
    excess        compiled: ImpactState -> number, < 0 during the restitution, 0 at its end
    by_velocity   whether it gives the velocity after the impact; else it gives the impulse of the restitution
    limited       whether e is reduced where the impact would gain energy otherwise
    """

    name: str
    doc: str
    excess: Callable
    by_velocity: bool = False
    limited: bool = True


@functools.cache
def laws() -> dict[str, ImpactLaw]:
    """All laws by their names, in the order of their kinds."""
    return {law.name: law for law in discover(impact_laws, "LAW").values()}


DEFAULT_LAW = "Newton"
"""The law of a new solver."""

HELP = ("Newton: the rebound speed is e times the approach speed. Poisson: the impulse of the restitution is e times that of the "
        "compression. Stronge: the restitution returns e^2 of the energy that the normal force took in the compression. They "
        "differ where friction stops or reverses the slip. e is reduced where energy would be gained, except by the unlimited "
        "law.")
"""Help of the option `impact_law`."""

SIMULTANEOUS, SEQUENTIAL = "simultaneous", "sequential"
"""Values of the option `multiple_impacts`."""

MULTIPLE_HELP = ("Impacts on bodies that touch others, as in Newton's cradle. Simultaneous: all contacts of the group act at "
                 "once. Sequential: a contact with restitution acts when it is struck, and the impact travels from body to body.")
"""Help of the option `multiple_impacts`."""
