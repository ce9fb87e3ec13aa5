"""Five balls with restitution 0, 0.25, 0.5, 0.75 and 1, dropped from the same height.

    Newton's law of impact: v+ = -e v-;   height after one rebound: e^2 h
"""

import dataclasses
import math

import numpy as np

from physics import Sphere, World, option
from scenes import Curve, Prediction, Scene, Thumbnail, Trace, View
from scenes._parts import add, block, ground

RADIUS = 0.15
G = 9.81
E = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclasses.dataclass
class Parameters:
    height: float = option(1.5, unit="m", lo=0.1, hi=10.0, help="Drop height: between a ball's lowest point and the "
                                                                "ground.")


def name(e: float) -> str:
    return f"ball e={e:g}"


def build(world: World, parameters: Parameters) -> None:
    ground(world, restitution=0.0)
    for i, e in enumerate(E):
        x = (i - 2) * 0.6
        add(world, Sphere(RADIUS), (x, 0.0, RADIUS + parameters.height), group=1 + i, restitution=e, name=name(e))
    # a ruler behind the balls: marks at e^2 h
    for i, e in enumerate(E):
        block(world, (0.2, 0.01, 0.006), ((i - 2) * 0.6, 0.4, max(0.006, RADIUS + e * e * parameters.height)),
              name=f"mark e={e:g}")


def apex(trace: Trace, e: float) -> float | None:
    """Highest point of a ball after its first impact, above the ground [m]; None before it has been there."""
    z = trace[f"body:{name(e)}.z"] - RADIUS
    down = np.diff(z) < 0.0
    rises = np.flatnonzero(~down[1:] & down[:-1])
    if len(rises) == 0:
        return None
    after = z[rises[0] + 1:]
    falls = np.flatnonzero(np.diff(after) < 0.0)
    if len(falls) == 0:
        return float(after.max()) if e == 0.0 else None
    return float(after[: falls[0] + 1].max())


def predict(parameters: Parameters) -> list[Prediction]:
    return [Prediction(f"rebound height for e = {e:g}", e * e * parameters.height, "m", 0.01,
                       lambda world, trace, e=e: apex(trace, e), f"body:{name(e)}.z", RADIUS) for e in E]


def law_curves(parameters: Parameters) -> list[Curve]:
    """Heights of the centres: a fall, then parabolas, each with e times the speed of the one before.

    Impacts are found at the ends of steps, so the live curve is up to a step late, which shows where it is steep.
    """
    found = []
    for e in E:
        t = np.linspace(0.0, math.sqrt(2.0 * parameters.height / G), 25)
        times, heights = [t], [parameters.height - 0.5 * G * t * t]
        start, speed = t[-1], e * G * t[-1]
        while start < 3.0 and speed > 0.3:
            t = np.linspace(0.0, 2.0 * speed / G, 25)
            times.append(start + t)
            heights.append(speed * t - 0.5 * G * t * t)
            start, speed = start + t[-1], e * speed
        found.append(Curve(f"body:{name(e)}.z", "parabolas", tuple(np.concatenate(times)),
                           tuple(RADIUS + np.concatenate(heights)), 0.05))
    return found


def check(world: World, trace: Trace) -> None:
    """The first rebound is e^2 h within 1 %, and no ball ever rises above where it was dropped."""
    h = Parameters().height
    for e in E:
        got = apex(trace, e)
        assert got is not None and abs(got - e * e * h) <= max(0.01 * e * e * h, 2e-3), f"e = {e}: {got} m"
        top = np.max(trace[f"body:{name(e)}.z"]) - RADIUS
        assert top <= h + 1e-12, f"e = {e} rises to {top} m"


SCENE = Scene(
    title="Bouncing balls",
    category="Impacts",
    look_for="Each ball rebounds to e squared times its drop height: restitution is a ratio of speeds, and height grows with the "
             "square of the speed. The ball with e = 1 returns to its initial height and never above it; the one with e = 0 does "
             "not rebound. The marks behind the balls show the predicted apexes.",
    law=r"v^+ = -e\,v^-, \qquad h_1 = e^2 h",
    law_text="v after = -e v before; first rebound height h1 = e^2 h",
    build=build,
    parameters=Parameters,
    thumbnail=Thumbnail(0.75),
    view=View(target=(0.05, 0.01, 0.9), distance=4.1, azimuth=8.0, elevation=8.0),
    plots=tuple(f"body:{name(e)}.z" for e in E),
    show=("contacts", "velocities"),
    predict=predict,
    law_curves=law_curves,
    check_time=2.0,
    check=check,
    unreached={"compliant_contact": "impacts of springs and dampers keep other shares of the speeds than the law of impact"},
)
