"""Solvers. One file each, with a class `SOLVER` that derives from `Solver`. A solver owns its time loop: it takes the contacts
and moves the world by dt."""

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import numpy as np

from physics import solvers
from physics.constraints.joint_system import JointSystem
from physics.constraints.layout import WorldLayout
from physics.contact.impact_laws import laws
from physics.core.check import BadInput, Unsupported
from physics.core.options import fields, set_option
from physics.core.plugins import discover
from physics.observe.report import RUN_TO_END, Report


class ContactSprings(NamedTuple):
    """Springs of compliant contacts, one for each point. stiffness, tangential: [N/m]; hertz_depth: depth at which a spring with
    force ~ depth^1.5 has that stiffness as the ratio of force to depth [m]; 0: linear."""

    stiffness: float
    tangential: float
    hertz_depth: float


class Solver:
    """What the world, the window and the tests may ask of a solver. Only `name`, `doc`, `options` and `step` are required.

    name          shown to users
    doc           one paragraph: what it does and when to use it
    options       an object of a dataclass of `option(...)` fields, one per solver object
    """

    name: ClassVar[str]
    doc: ClassVar[str]
    options: Any

    options_type: ClassVar[type] = type(None)
    """Dataclass of the options, unless a solver sets `options` itself."""

    def __init__(self) -> None:
        self.options = self.options_type()

    def __repr__(self) -> str:
        changed = [f"{one.name}={getattr(self.options, one.name)!r}" for one in self._fields()
                   if getattr(self.options, one.name) != one.default]
        return f"<solver {self.name}{': ' if changed else ''}{', '.join(changed)}>"

    def set(self, **values: Any) -> None:
        """Set options by name: `world.solver.set(iterations=80, warm_start=False)`.

        Raises:
            BadInput: unknown name, wrong type, out of range; one sentence. Nothing is changed.
        """
        changed = copy.copy(self.options)
        for name, value in values.items():
            if not self._fields():
                raise BadInput(f"solver '{self.name}' has no options")
            set_option(changed, name, value)
        for one in self._fields():
            setattr(self.options, one.name, getattr(changed, one.name))

    def _fields(self) -> list[Any]:
        return fields(self.options) if dataclasses.is_dataclass(self.options) else []

    sweep_option: ClassVar[str] = ""
    """The option that sets the number of sweeps over a substep, "": more sweeps do not improve the answer."""

    stop_at: tuple[int, int] = RUN_TO_END
    """(substep, sweeps): end the step in that substep, 1 .., after so many sweeps, -1: before its first force. Only for
    inspection: the result holds what that substep did alone."""

    ignore_budget: bool = False
    """Run to the end regardless of the clock: the step is recomputed from a recording."""

    has_allowance: ClassVar[bool] = False
    """Whether `allowance` ends the sweeps."""

    allowance: float = 0.0
    """Wall time for the next step where the options set no budget [s], 0: no limit. Set by the caller."""

    @property
    def time_limit(self) -> float:
        """Wall time after which the clock ends the next step [s], 0: no limit."""
        return 0.0 if self.ignore_budget else 1e-3 * getattr(self.options, "budget", 0.0) or self.allowance

    joint_polygons: ClassVar[bool] = False
    """Whether the dry friction of a joint may be any convex polygon of its two directions (ST96 3.5)."""

    cancellable: ClassVar[bool] = False
    """Whether `cancel` ends a running step."""

    progress: Any = None
    """Of a long solve, for other threads: began (perf_counter, 0: none runs), unknowns, estimate [s]; None: not reported."""

    has_pivots: ClassVar[bool] = False
    """Whether `pivot_observer` is called."""

    pivot_observer: Callable[[Any], None] | None = None
    """Called with the pivots of each problem (lcp/step.py)."""

    @property
    def contact_springs(self) -> ContactSprings | None:
        """Springs in which contacts store energy, for the auditor and for displays; None: contacts are rigid."""
        return None

    @property
    def is_published_scheme(self) -> bool:
        """Whether the options reproduce the scheme of a paper step for step: such steps are never rejected."""
        return False

    @property
    def gains_by_choice(self) -> bool:
        """Whether the law of impact may gain energy: steps are then not rejected for it, but the auditor reports it."""
        law = getattr(self.options, "impact_law", None)
        return law is not None and not laws()[law].limited

    @property
    def solves_impacts(self) -> bool:
        """Whether the step may be divided at impacts, which `strike` then solves."""
        return False

    max_part_rotation: float = 0.1
    """Largest turn of a body in contact in a part of a step [rad]; steps with more are divided, with contacts found again.
    Infinite: the solver follows turns itself."""

    turns_arms: ClassVar[bool] = True
    """Whether rows turn with their contacts within a part, at the rate at which these turned in the part before."""

    meets_in_flight: ClassVar[bool] = False
    """Whether two bodies that meet only each other are given to `step` at the time of their impact (stepping/free_flight.py)."""

    meets_by_substeps: ClassVar[bool] = False
    """Whether its substeps come to an impact within the step when it happens: these bodies are then given as they are."""

    ramps_kinematic: ClassVar[bool] = False
    """Whether kinematic bodies change their velocity from substep to substep (kinematic_velocity.py)."""

    velocities_at_poses: ClassVar[bool] = False
    """Whether velocities after a step belong to the poses after it, not to the middle of the last drift (integrate.py)."""

    @property
    def starts_at_middle(self) -> bool:
        """Whether velocities are taken as those at the middle of steps from the first one on, as in the papers: forces then act
        for all of it."""
        return False

    @property
    def longest_part(self) -> float:
        """Longest part of a step that `step` is given [s]; longer steps are divided, with contacts found again."""
        return math.inf

    def system(self, layout: WorldLayout) -> JointSystem:
        """The joints as its sweeps take them."""
        return layout.joint_system

    def substep_count(self, dt: float) -> int:
        """Substeps of a step of dt [s]; 0: chosen in the step."""
        return getattr(self.options, "substeps", 0)

    def unsupported(self, world: Any) -> str:
        """Why this solver cannot solve this world; "" if it can."""
        for j in np.flatnonzero((world.joints["kind"] >= 0) & (world.joints["corner_count"] > 0)).tolist():
            name = world.joint_names[j]
            if not self.joint_polygons:
                return f"the friction of joint '{name}' is a polygon, and only the exact solver and joint space support that"
            if world.joints["locked"][j] != 0:
                return f"the friction of joint '{name}' is a polygon, but an axis of it is locked; unlock it"
        return ""

    alternatives: ClassVar[tuple[Mapping[str, Any], ...]] = ()
    """Options with which it supports worlds that it refuses by default; offered where it is chosen."""

    def require_support(self, world: Any) -> None:
        """Raise Unsupported if this solver cannot solve this world."""
        self.refuse(self.unsupported(world))

    def refuse(self, reason: str) -> None:
        """Raise Unsupported if there is a reason."""
        if reason:
            raise Unsupported(f"solver '{self.name}' does not support this scene: {reason}")

    def step(self, world: Any, contacts: np.ndarray, dt: float) -> Report:
        """Advance velocities and positions by dt [s]; write impulses, slip and case into contacts and joints."""
        raise NotImplementedError

    def strike(self, world: Any, contacts: np.ndarray, what: np.ndarray) -> tuple[Report, np.ndarray]:
        """Solve the impacts of one moment, in no time. what: of each contact, see stepping/time_of_impact.py.

        Returns:
            The report, and which contacts took part, bool (contacts,).
        """
        raise NotImplementedError

    @contextmanager
    def without_budget(self) -> Iterator[None]:
        """Within: no step ends because of the clock."""
        self.ignore_budget = True
        try:
            yield
        finally:
            del self.ignore_budget

    def cancel(self) -> None:
        """End the running step, which then raises; from any thread."""


def default() -> type[Solver]:
    """The class of a new world's solver, without looking for others: that takes longer than the rest of a small world."""
    from physics.solvers.sequential_impulses import SOLVER
    return SOLVER


def available() -> dict[str, type[Solver]]:
    """All solver classes by file name; a class that does not derive from `Solver` gets its defaults."""
    return {name: found if issubclass(found, Solver) else type(found.__name__, (found, Solver), {"__module__": found.__module__})
            for name, found in discover(solvers, "SOLVER").items()}


def support(kind: type[Solver], world: Any) -> tuple[str, Mapping[str, Any]]:
    """(why a solver with its default options cannot solve the world, "" if it can; the first of its alternatives that can, {}:
    none is needed, or none can)."""
    reason = kind().unsupported(world)
    for options in kind.alternatives if reason else ():
        (solver := kind()).set(**options)
        if not solver.unsupported(world):
            return reason, options
    return reason, {}
