"""A disc in a slot between two concave arcs that touch it at the middle: no contact force (Featherstone 2008, example 11.1).

At the middle both arcs, of radius R about (0, +-(R - r)), touch the disc of radius r, with n2 = -n1. Moving on with speed v:

    phi_i = (R - r) - |x - c_i|,   phi_i_ddot = +-n.lambda / m - v^2 / (R - r)
    lambda >= 0, phi_i_ddot >= 0 for both:   the sum of the two is -2 v^2 / (R - r) < 0 for every lambda: no solution

Rigid bodies would have to stop in no time without a force that could do it. A simulator goes on a little: after a step tau the
disc overlaps each arc by delta = (v tau)^2 / 2 (R - r), the normals are opposite no more, and an impulse stops it.
"""

import dataclasses
import math

import numpy as np

from physics import Box, Cylinder, World, option, step
from physics.articulated.event_log import EventKind
from scenes import PaperLaw, PaperRow, Prediction, Scene, Trace, View, make_world
from scenes._parts import GREY, add, check_predictions, ground, turned

DISC, THICK, MASS, HEIGHT = 0.1, 0.04, 1.0, 0.05
"""Radius and half thickness of the disc [m]; [kg]; height of its centre [m]."""

STEP = 0.002
"""Longest step of the solver [s]."""


@dataclasses.dataclass
class Parameters:
    radius: float = option(1.0, unit="m", lo=0.2, hi=5.0, help="Radius of the arcs.")
    speed: float = option(0.5, unit="m/s", lo=0.05, hi=2.0, help="Speed of the disc at the middle of the slot.")


def build(world: World, parameters: Parameters) -> None:
    world.gravity = (0.0, 0.0, 0.0)
    ground(world, friction=0.0)
    disc = add(world, Cylinder(DISC, THICK), (0.0, 0.0, HEIGHT), group=4, mass=MASS, vel=(parameters.speed, 0.0, 0.0),
               friction=0.0, mask=0, name="disc")
    reach = parameters.radius - DISC
    for side, name in ((1.0, "right arc"), (-1.0, "left arc")):
        world.add_joint("rope", 0, disc, anchor=(0.0, side * reach, HEIGHT), anchor_b=(0.0, 0.0, HEIGHT), name=name)
        for k in range(-8, 9):
            angle = k * 0.5 / (8.0 * parameters.radius)
            place = parameters.radius + 0.02
            add(world, Box((0.035, 0.02, THICK)), (place * math.sin(angle), side * (reach - place * math.cos(angle)), HEIGHT),
                kind="static", group=GREY, mask=0, quat=turned((0.0, 0.0, 1.0), side * angle))


def overlap(parameters: Parameters, tau: float) -> float:
    """Of the disc and each arc after `tau` [s] of free motion [m]."""
    reach = parameters.radius - DISC
    return math.hypot(parameters.speed * tau, reach) - reach


def predict(parameters: Parameters) -> list[Prediction]:
    way = parameters.speed * STEP
    reach = parameters.radius - DISC
    return [Prediction("way until it stops", way, "m", 1e-6,
                       lambda world, trace: float(world.bodies["pos"][world.body("disc"), 0])),
            Prediction("overlap with each arc", overlap(parameters, STEP), "m", 1e-3,
                       lambda world, trace: math.hypot(*(world.bodies["pos"][world.body("disc"), :2] - (0.0, reach))) - reach)]


def check(world: World, trace: Trace) -> None:
    check_predictions(world, trace, predict(Parameters()))
    assert np.abs(world.bodies["vel"][world.body("disc")]).max() < 1e-6, "it moves on"
    assert any("11.1" in warning for warning in world.warnings), "nothing is said"


def papers() -> list[PaperRow]:
    world, parameters = make_world(SCENE), Parameters()
    world.solver.options.longest_step = STEP
    kinds = [event for _ in range(2) for event in step(world, STEP).events.events]
    first = next(event for event in kinds if event.kind == EventKind.IMPACT)
    gap = overlap(parameters, STEP)
    reach = parameters.radius - DISC
    slope = parameters.speed * STEP / math.hypot(parameters.speed * STEP, reach)
    how = "a disc of 1 kg at 0.5 m/s between arcs of 1 m; the law has no solution there, one time step of 2 ms goes on"
    return [PaperLaw("F11", "example 11.1", "overlap that is tolerated", gap,
                     math.hypot(world.bodies["pos"][world.body("disc"), 0], reach) - reach, "m", 1e-12, how),
            PaperLaw("F11", "example 11.1", "impulse of each arc that then stops the disc", 0.5 * MASS * parameters.speed / slope,
                     first.impulse, "N s", 1e-6, how)]


SCENE = Scene(
    title="Disc in a slot that narrows",
    category="Impacts",
    look_for="The slot touches the disc from both sides at its middle and narrows to both ends. There the contact forces cancel, "
             "so no force of any size can hold the disc out of the walls: the law has no solution, and the message line says "
             "so. The solver tolerates an overlap of half a micrometre, after which the walls are no longer parallel and stop "
             "the disc.",
    law=r"\ddot\varphi_1 + \ddot\varphi_2 = -\frac{2 v^2}{R - r} < 0 \quad \forall \lambda",
    law_text="phi_1'' + phi_2'' = -2 v^2 / (R - r) < 0 for every lambda: no solution",
    build=build,
    parameters=Parameters,
    dt=1.0 / 250.0,
    solver="event_driven",
    options={"longest_step": STEP},
    view=View(target=(0.0, 0.0, 0.05), distance=1.3, azimuth=-90.0, elevation=55.0),
    plots=("body:disc.x", "body:disc.vx", "world.energy"),
    predict=predict,
    expected_warnings=("event-driven: no contact force satisfies the laws of the limit of joint",),      # what the scene shows
    check_time=0.1,
    check=check,
    papers=papers,
    unreached=dict.fromkeys(("compliant_contact", "joint_space", "sequential_impulses", "soft_steps", "stewart_trinkle"),
                             "it lets the disc run into the arcs by more than a step of 2 ms, and pushes it back"),
)
