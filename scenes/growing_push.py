"""A block is pushed harder and harder: friction is as large as the push, up to its bound, and then falls to its kinetic value.

    at rest     R = F        as long as F <= mu_s m g                                                                (1)
    sliding     R = mu_k m g     however hard it is pushed                                                           (2)
"""

import dataclasses

import numpy as np

from physics import Box, Material, World, option
from scenes import Prediction, Scene, Trace, View, present
from scenes._parts import G, add, block, check_predictions, ground, middle, push

HALF, MASS = (0.15, 0.15, 0.12), 5.0           # of the block [m], [kg]
ROD, ROD_MASS = (0.35, 0.02, 0.02), 0.5        # of the pusher [m], [kg]
REACH, DAMPING = 0.25, 100.0                   # way of the pusher from which on it is only braked [m], how much [N s/m]
FRICTION, PUSH = "pair:block & track.friction", "pair:pusher & block.normal"


@dataclasses.dataclass
class Parameters:
    mu: float = option(0.3, lo=0.1, hi=0.6, help="Kinetic friction coefficient of the block.")
    ratio: float = option(1.5, lo=1.0, hi=2.0, help="Ratio of static to kinetic friction.")
    rate: float = option(12.0, unit="N/s", lo=5.0, hi=40.0, help="Rate at which the push grows.")


def build(world: World, parameters: Parameters) -> None:
    p = parameters
    ground(world)
    surface = Material(friction=p.mu * p.ratio, kinetic_friction=p.mu, name="block on the track")
    block(world, (0.9, 0.25, 0.05), (0.35, 0.0, 0.05), material=surface, name="track")
    add(world, Box(HALF), (0.0, 0.0, 0.1 + HALF[2]), group=1, mass=MASS, material=surface, name="block")
    at = np.array([-HALF[0] - ROD[0], 0.0, 0.1 + HALF[2]])
    pusher = add(world, Box(ROD), tuple(at), group=3, mass=ROD_MASS, friction=0.0, name="pusher")
    world.add_joint("prismatic", 0, pusher, anchor=tuple(at), axis=(1.0, 0.0, 0.0), name="guide")
    block(world, (0.05, 0.1, 0.5 * at[2] + 0.04), (-0.6, 0.0, 0.5 * at[2] + 0.04), mask=0, name="post")

    def force(world: World) -> tuple[float, float, float]:
        if world.bodies["pos"][pusher, 0] - at[0] < REACH:
            return present(p, world.inputs).rate * middle(world), 0.0, 0.0
        return -DAMPING * float(world.bodies["vel"][pusher, 0]), 0.0, 0.0
    push(world, pusher, force)


def largest(world: World, trace: Trace) -> float | None:
    """Largest friction of a block that has begun to slide [N]."""
    return float(np.nanmax(trace[FRICTION])) if trace["body:block.vx"].max() > 0.05 else None


def sliding(world: World, trace: Trace) -> float | None:
    """Friction while it slides [N]."""
    slides = trace["body:block.vx"] > 0.05
    return float(np.median(trace[FRICTION][slides])) if slides.any() else None


def predict(parameters: Parameters) -> list[Prediction]:
    kinetic = parameters.mu * MASS * G
    return [Prediction("largest friction", parameters.ratio * kinetic, "N", 0.015, largest, FRICTION),
            Prediction("friction while it slides", kinetic, "N", 0.005, sliding, FRICTION)]


def check(world: World, trace: Trace) -> None:
    """Friction is the push until the block slides, and is then the same, whatever the push; the block stops at last."""
    check_predictions(world, trace, predict(Parameters()))
    rests = (trace["body:block.vx"] < 1e-6) & (trace["time"] > 0.1) & (trace["body:block.x"] < 1e-3)
    assert rests.any(), "it creeps from the start"
    assert np.abs(trace[FRICTION] - trace[PUSH])[rests].max() < 0.02, "friction is not the push while it rests"
    assert np.ptp(trace["body:block.x"][rests]) < 1e-5, "it creeps before"
    assert abs(trace["body:block.vx"][-1]) < 1e-9, "it does not stop"


SCENE = Scene(
    title="A push that grows",
    category="Contact friction",
    look_for="A rod pushes a block harder and harder. As long as the block rests, friction is exactly as large as the push, the "
             "normal force between rod and block: the plot of friction over this force climbs along the diagonal. At the static "
             "bound the block breaks away, friction drops to its kinetic value and stays there, however hard the rod pushes. At "
             "last the rod stays behind and friction stops the block.",
    law=r"R = F \ \ (F \le \mu_s m g), \quad R = \mu_k m g",
    law_text="R = F at rest, up to mu_s m g;  R = mu_k m g while it slides",
    build=build,
    parameters=Parameters,
    live=("mu", "ratio", "rate"),
    view=View(target=(0.0, 0.0, 0.16), distance=2.1, azimuth=20.0, elevation=16.0),
    options={"cone": "circle"},
    plots=(FRICTION, PUSH, "body:block.vx", "body:block.x"),
    drawn=(),       # over time; the plot of friction over the push says it all
    paths=(((FRICTION, PUSH),),),
    show=("contacts", "forces"),
    predict=predict,
    check_time=3.0,
    check=check,
    unreached={},
)
