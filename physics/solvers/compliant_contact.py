"""Compliant contact (F11 section 11.8): contacts are springs and dampers under massless surface patches.

A patch that is pressed in by -z and dragged by x, under a body at p = gap, with relative velocities p_dot, v:

    normal      f_n = 0 if p > z, else max(0, -K z - D p_dot),     z_dot = -(K z + f_n) / D              (11.73) - (11.76)
    tangential  f_stick = -K_t x - D_t v,  f_t = f_stick, clamped to the disc mu f_n,  x_dot = -(K_t x + f_t) / D_t
                                                                                                       (11.77) - (11.79)

Forces follow from positions and velocities alone: no impacts, no restitution coefficients, no complementarity. The springs are
in compliant/springs.py, their impulses over a substep in compliant/patches.py, torsional and rolling friction, by the same
springs, in compliant/patch_turns.py; joints are solved as in sequential impulses. z and x are part of a contact's state
(CONTACT.patch, patch_turn). mu is mu_s until bodies are faster than springs can hold them, then mu_k (compliant/sliding.py).

Ball of mass m on a plane, no gravity, speed v, omega0^2 = K / m, zeta = D / (2 sqrt(K m)) < 1, a = zeta omega0,
omega = omega0 sqrt(1 - zeta^2). While it touches m p_ddot = -K p - D p_dot, p(0) = 0, p_dot(0) = -v:

    p = -(v / omega) e^(-a t) sin(omega t)                                                                            (1)

Contact ends where f_n = m p_ddot = 0, before the spring is back: p_ddot ~ (a^2 - omega^2) sin(omega t) - 2 a omega cos(omega t),
tan(omega t) = 2 a omega / (a^2 - omega^2), that is omega t = pi - 2 asin(zeta):

    contact time   t_c = 2 acos(zeta) / omega                                                                         (2)
    restitution    p_dot(t_c) / v = e^(-a t_c) (a / omega sin(omega t_c) - cos(omega t_c)) = e^(-a t_c)               (3)

for sin(omega t_c) = 2 zeta sqrt(1 - zeta^2), cos(omega t_c) = 2 zeta^2 - 1. Under load m g a contact of n points rests at
-z = m g / (n K), and a slope creeps by x = m g sin(theta) / (n K_t) and sticks. As K grows with K / D the rigid laws return.

Hunt and Crossley's damper (springs.py, 1) makes e depend on speed: with c = D / (K z_H), whatever m and K (their eq; J. Appl.
Mech. 42, 1975),

    c (v + e v) = ln((1 + c v) / (1 - c e v))                                                                         (4)

Along the surface springs return slip as well, by K_t / K and not by a coefficient: without damping a ball that does not slide has
for s = v - r omega and its spin about the normal, in the half oscillation pi sqrt(m / K) of a contact (Maw, Barber and Fawcett,
Wear 38, 1976, whose body is elastic),

    s1 = s0 cos(pi sqrt(7/2 K_t / K)),    omega_n1 = omega_n0 cos(pi sqrt(K_t / K))                                   (5)

so that tangential restitution 1 is K_t = 2/7 K, but for a ball alone and within the bounds of friction.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from physics.contact.friction_cone import polygon
from physics.core.check import BadInput
from physics.core.options import Described, option
from physics.dynamics import energy_ledger
from physics.observe.report import Report
from physics.solvers import ContactSprings, Solver
from physics.solvers.compliant.springs import Springs, rates
from physics.solvers.compliant.step import CompliantSettings, Numbers, run_step
from physics.solvers.impulses.iterate import SweepSettings
from physics.solvers.impulses.step import END_NAMES
from physics.solvers.impulses.substep_count import MAX_SUBSTEP_LENGTH
from physics.solvers.impulses.substeps import Result
from physics.stepping.drivers import substeps_of

LINEAR, HUNT_CROSSLEY = "linear", "Hunt-Crossley"
ONE, BOTH = "one body", "both bodies"
CLOSED, INTEGRATED = "closed form", "integrated"

NO_RESTITUTION = ("the restitution of materials has no effect in compliant contact: rebounds follow from the contact stiffness "
                  "and damping")

NO_TANGENTIAL_RESTITUTION = ("tangential restitution is not supported: slip returns by the tangential stiffness and damping of "
                             "contacts; remove it from the materials")

NO_TORSIONAL_RESTITUTION = ("torsional restitution is not supported: spin returns by the tangential stiffness and damping of "
                            "contacts; remove it from the materials")

STRIKE = 0.1
"""Approach from which a joint limit is an impact in the ledger [m/s]."""

SUBSTEP_TOLERANCE = 1e-10
"""Sweeps end when no velocity changes by more than this [m/s]."""


@dataclass
class CompliantOptions(Described):
    """Options of compliant contact."""

    stiffness: float = option(1e5, unit="N/m", lo=1.0, hi=1e12, log=True,
                              help="Normal stiffness K of each contact point. Ten times stiffer contacts penetrate ten times "
                                   "less and need three times as many substeps.")
    damping: float = option(100.0, unit="N s/m", lo=1e-6, hi=1e9, log=True,
                            help="Normal damping D of each contact point. More damping returns less energy: bounces get lower.")
    tangential_stiffness: float = option(5e4, unit="N/m", lo=1.0, hi=1e12, log=True,
                                         help="Stiffness K_t of each contact point along the surface. A sticking contact gives "
                                              "way by its friction force over K_t.")
    tangential_damping: float = option(50.0, unit="N s/m", lo=1e-6, hi=1e9, log=True,
                                       help="Damping D_t of each contact point along the surface. Low values let sticking bodies "
                                            "oscillate.")
    spring: str = option(LINEAR, choices=(LINEAR, HUNT_CROSSLEY),
                         help="Force of the normal spring and damper: proportional to depth and speed; or to the power 1.5 of "
                              "the depth, as between round solids, with a damper that fades out with the depth.")
    reference_depth: float = option(1e-3, unit="m", lo=1e-9, hi=1.0, log=True,
                                    help="Depth at which the Hunt-Crossley spring is as stiff and as damped as the linear one.")
    soft_surfaces: str = option(ONE, choices=(ONE, BOTH),
                                help="Which of two touching bodies is soft. If both are, their springs act in series: half "
                                     "the stiffness and half the damping.")
    released_patch: str = option(CLOSED, choices=(CLOSED, INTEGRATED),
                                 help="How a surface patch recovers after contact: by the exact exponential, which needs no "
                                      "state equation, or by integration of its state equation in each substep.")
    resolution: float = option(0.05, unit="rad", lo=0.001, hi=1.0, log=True,
                               help="Phase by which the fastest contact oscillation may advance in a substep. Halving it doubles "
                                    "the number of substeps and reduces the error to a quarter.")
    substeps: int = option(0, lo=0, hi=100_000,
                           help="Substeps per step; 0: as many as the resolution requires for stiffness, damping and masses. The "
                                "report shows their number.")
    max_substeps: int = option(10_000, lo=1, hi=100_000, log=True,
                               help="Maximum number of automatic substeps per step. Scenes that need more are refused with a "
                                    "message.")
    iterations: int = option(50, lo=1, hi=1000, log=True,
                             help="Maximum number of sweeps over all constraints per substep; a few usually suffice.")
    gyroscopic: bool = option(True, help="Gyroscopic torque, which makes a spinning asymmetric body wobble.")

    @property
    def springs(self) -> Springs:
        """Spring and damper of each contact point; two soft surfaces are lumped."""
        share = 0.5 if self.soft_surfaces == BOTH else 1.0
        hertz = self.reference_depth if self.spring == HUNT_CROSSLEY else 0.0
        return Springs(share * self.stiffness, share * self.damping, share * self.tangential_stiffness,
                       share * self.tangential_damping, hertz, self.released_patch == CLOSED)


MAX_PART = 0.005
"""Longest part of a step [s]: 216 elastic balls in 16 ms flew into one another by 5 cm, and gained 1.4 times their energy."""


class CompliantContact(Solver):
    """Featherstone's compliant contact in substeps."""

    name: ClassVar[str] = "compliant contact"
    doc: ClassVar[str] = (
        "Contacts are springs and dampers under massless surface patches (Featherstone, section 11.8), with Coulomb friction "
        "through tangential springs: rebounds, contact times and penetration follow from stiffness, damping and mass instead of "
        "coefficients. Substeps are chosen to resolve the contact oscillation, so stiff contacts and light bodies cost time. "
        "Joints are rigid and solved simultaneously.")
    sweep_option: ClassVar[str] = "iterations"
    ramps_kinematic: ClassVar[bool] = True
    options_type = CompliantOptions

    def unsupported(self, world) -> str:
        if reason := super().unsupported(world):
            return reason
        pairs = world.materials.pairs
        if pairs["tangential_restitution"].any():
            return NO_TANGENTIAL_RESTITUTION
        if pairs["torsional_restitution"].any():
            return NO_TORSIONAL_RESTITUTION
        if pairs["adhesion"].any():
            return "adhesion is not supported; remove it from the materials"
        if (world.materials.records["anisotropy"] != 1.0).any():
            return "anisotropic friction is not supported; remove it from the materials"
        return ""

    @property
    def longest_part(self) -> float:
        """Bodies rebound within a part, and may meet others than those that were near at its start."""
        return MAX_PART

    @property
    def contact_springs(self) -> ContactSprings:
        springs = self.options.springs
        return ContactSprings(springs.K, springs.K_t, springs.z_H)

    def step(self, world, contacts, dt: float) -> Report:
        """Advance the world by dt [s].

        Raises:
            BadInput: the world is unsupported, or its contacts need too many substeps.
        """
        o, layout = self.options, world.layout
        self.require_support(world)
        if contacts["restitution"].any():
            world.warnings.add(NO_RESTITUTION)
        count = substeps_of(world, o.substeps, dt) if o.substeps > 0 else self._substeps(world, contacts, dt)
        h = dt / count
        settings = CompliantSettings(Numbers(o.iterations, o.gyroscopic, True, STRIKE), o.springs,
                                     SweepSettings(polygon(0), SUBSTEP_TOLERANCE, False, False, False), h, world.last_part_dt,
                                     count, (world.velocity_lag + 0.5 * h) / world.impulse_duration, *self.stop_at)
        columns, surfaces = energy_ledger.empty_columns(world.records_energy), (world.shapes, world.materials.records,
                                                                                world.materials.pairs)
        r = Result(*run_step.unchecked(world.bodies, contacts, world.joints, layout.joint_system, surfaces,
                                       world.gravity, settings, columns))
        return Report(solver=self.name, iterations=r.sweeps, end=END_NAMES[r.end], change=r.change, residual=r.residual,
                      contacts=len(contacts), rows=layout.joints.rows + 3 * len(contacts), penetration=r.penetration,
                      joint_error=r.joint_error, substeps=r.parts, times={"integrate": r.integrating},
                      ledger=energy_ledger.as_dict(columns))

    def _substeps(self, world, contacts, dt: float) -> int:
        """Substeps of dt [s] that resolve contacts and joints."""
        o = self.options
        rate, stiffest, joint_rate = rates.unchecked(world.bodies, contacts, world.joints, world.layout.joints.joints,
                                                  world.impulse_duration, o.springs)
        count = max(1, math.ceil(dt * max(rate / o.resolution, 1.0 / MAX_SUBSTEP_LENGTH) - 1e-9))
        longest = 1.0 / joint_rate if joint_rate > 0.0 else math.inf
        if not world.layout.joints.is_touched(contacts):
            world.pace = world.pace.after(longest, MAX_SUBSTEP_LENGTH)
            longest = world.pace.held or math.inf
        count = max(count, math.ceil(dt / longest - 1e-9))
        if count <= o.max_substeps:
            return count
        names = world.body_names
        a, b = names[contacts["body_a"][stiffest]], names[contacts["body_b"][stiffest]]
        raise BadInput(f"the contact of '{a}' and '{b}' is too stiff for a step of {dt:g} s: it oscillates at {rate:.3g} rad/s "
                       f"and needs {count} substeps, allowed: {o.max_substeps}; reduce stiffness, damping or the step size, or "
                       "increase max_substeps or the resolution")


SOLVER = CompliantContact
