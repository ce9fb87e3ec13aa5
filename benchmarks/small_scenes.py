"""Microseconds a step, called from Python: what a program pays for small worlds, beside MuJoCo and pymunk if installed.

    python -m benchmarks.small_scenes          5 rounds of all engines in turns, at 1/240 s; --steps, --rounds, --engines
    .venv/bin/python -m pip install mujoco pymunk

Processor time of this process, the least of the rounds: engines take turns, so that other work on the machine meets all of them.
Ours is `physics.step` with its default options, MuJoCo `mj_step` with its own, pymunk `Space.step`; pymunk is planar. Each calls
one step at a time, as a control loop does. Bodies rest or swing; nothing sleeps.
"""

import argparse
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

DT = 1.0 / 240.0
LINKS, LENGTH, HALF = 10, 0.2, 0.1
"""Of the pendulum: links, length of one [m]; half side of the boxes [m]."""

SCENES = ("1 ball", "10 boxes", "10-link pendulum", "100-box pile")
Step = Callable[[], object]


def boxes(scene: str) -> list[tuple[float, float, float]]:
    """Centres of the boxes of a scene [m]: ten side by side, or ten towers of ten."""
    count = {"10 boxes": 1, "100-box pile": 10}.get(scene, 0)
    return [(0.5 * k, 0.0, HALF * (2 * row + 1)) for k in range(10) for row in range(count)]


def ours(scene: str) -> Step:
    """A step of this engine."""
    from physics import Box, Capsule, Plane, Sphere, World, step

    world = World()
    world.add_body(Plane(), kind="static")
    if scene == "1 ball":
        world.add_body(Sphere(HALF), pos=(0.0, 0.0, HALF))
    for centre in boxes(scene):
        world.add_body(Box((HALF, HALF, HALF)), pos=centre)
    last = 0
    for k in range(LINKS if "pendulum" in scene else 0):
        link = world.add_body(Capsule(0.02, 0.5 * LENGTH - 0.02), pos=((k + 0.5) * LENGTH, 0.0, 5.0), mass=0.1, mask=0,
                              quat=(np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0))
        world.add_joint("revolute", last, link, anchor=(k * LENGTH, 0.0, 5.0), axis=(0.0, 1.0, 0.0))
        last = link
    return lambda: step(world, DT)


def mujoco(scene: str) -> Step:
    """A step of MuJoCo."""
    import mujoco

    bodies = ['<body pos="0 0 0.1"><freejoint/><geom type="sphere" size="0.1"/></body>'] if scene == "1 ball" else []
    bodies += [f'<body pos="{x} {y} {z}"><freejoint/><geom type="box" size="{HALF} {HALF} {HALF}"/></body>'
               for x, y, z in boxes(scene)]
    if "pendulum" in scene:
        link = ('<joint type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.1" '
                'contype="0" conaffinity="0"/>')
        bodies = ['<body pos="0 0 5">' + link + f'<body pos="{LENGTH} 0 0">{link}' * (LINKS - 1) + "</body>" * LINKS]
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{DT}"/><worldbody><geom type="plane" size="50 50 1"/>{"".join(bodies)}</worldbody></mujoco>')
    data = mujoco.MjData(model)
    return lambda: mujoco.mj_step(model, data)


def pymunk(scene: str) -> Step:
    """A step of pymunk, in the plane."""
    import pymunk

    space = pymunk.Space()
    space.gravity = (0.0, -9.81)
    floor = pymunk.Segment(space.static_body, (-50.0, 0.0), (50.0, 0.0), 0.0)
    floor.friction = 0.5
    space.add(floor)
    if scene == "1 ball":
        ball = pymunk.Body(1.0, pymunk.moment_for_circle(1.0, 0.0, HALF))
        ball.position = (0.0, HALF)
        space.add(ball, pymunk.Circle(ball, HALF))
    for x, _, z in boxes(scene):
        body = pymunk.Body(8.0, pymunk.moment_for_box(8.0, (2.0 * HALF, 2.0 * HALF)))
        body.position = (x, z)
        shape = pymunk.Poly.create_box(body, (2.0 * HALF, 2.0 * HALF))
        shape.friction = 0.5
        space.add(body, shape)
    last = space.static_body
    for k in range(LINKS if "pendulum" in scene else 0):
        link = pymunk.Body(0.1, 0.1 * LENGTH**2 / 12.0)
        link.position = ((k + 0.5) * LENGTH, 5.0)
        space.add(link, pymunk.PivotJoint(last, link, (k * LENGTH, 5.0)))
        last = link
    return lambda: space.step(DT)


ENGINES = {"ours": ours, "mujoco": mujoco, "pymunk": pymunk}


def measured(step: Step, steps: int) -> float:
    """Processor time of a step [us]."""
    begin = time.process_time()
    for _ in range(steps):
        step()
    return 1e6 * (time.process_time() - begin) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engines", default=",".join(ENGINES))
    args = parser.parse_args()
    names = [name for name in args.engines.split(",") if name == "ours" or find_spec(name)]
    print(f"microseconds a step, {args.rounds} rounds of {args.steps} steps in turns; least")
    print(f"| scene | {' | '.join(names)} |\n| --- |{' ---: |' * len(names)}")
    for scene in SCENES:
        steps = {name: ENGINES[name](scene) for name in names}
        for one in steps.values():      # compiled, and settled
            measured(one, 100)
        rounds = [{name: measured(one, args.steps) for name, one in steps.items()} for _ in range(args.rounds)]
        print(f"| {scene} | {' | '.join(f'{min(times[name] for times in rounds):.0f}' for name in names)} |", flush=True)


if __name__ == "__main__":
    main()
