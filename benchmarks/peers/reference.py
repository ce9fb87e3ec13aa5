"""Reference positions of jointed scenes.

chain    the tree in reduced coordinates, RK4 at 1e-4 s (2e-4 s for 100 links), by MuJoCo without contacts: joints cannot open
         in it and it converges at fourth order. reference.json stores all bodies after 1, 2 and 5 s;
         `python -m benchmarks.peers.reference` regenerates it (needs mujoco).
bridge   the discrete catenary: equal planks on hinges without friction, tan(slope_i) = k_i w / H with k_i = i - (n - 1) / 2;
         w / H from the span, sum L / sqrt(1 + (k_i w / H)^2).
"""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.peers import scenes
from benchmarks.peers.metrics import State
from benchmarks.peers.roots import root
from benchmarks.peers.scenes import Scene

PATH = Path(__file__).with_name("reference.json")
TIMES = ("1.00", "2.00", "5.00")
STEPS = {20: 1e-4, 100: 2e-4}


def catenary(span: float, length: float, n: int, z: float) -> float:
    """Height [m] of the lowest plank's centre; n planks of that length between two points at z, span apart."""
    k = np.arange(n) - (n - 1) / 2
    ratio = root(lambda x: float((length / np.sqrt(1.0 + (k * x) ** 2)).sum() - span), 1e-9, 1e3)
    joints = z + np.concatenate([[0.0], np.cumsum(length * np.sin(np.arctan(k * ratio)))])
    return float((0.5 * (joints[:-1] + joints[1:])).min())


def compare(scene: Scene, states: Sequence[tuple[float, State]]) -> dict:
    """Errors of a run [mm]; states: (time, state) of its snapshots."""
    if scene.name == "bridge":
        facts = scene.facts
        exact = catenary(facts["span"], facts["length"], scene.size, facts["z"])
        late = [state[0][scene.dynamic, 2].min() for _, state in states[-6:]]
        return {"mid_err_mm": 1e3 * (float(np.mean(late)) - exact)}
    known = json.loads(PATH.read_text(encoding="utf-8")).get(f"{scene.name}{scene.size}", {})
    errors = {}
    for time, state in states:
        key = f"{time:.2f}"
        if key in known and abs(float(key) - time) < 1e-6:
            off = np.linalg.norm(np.array(known[key]) - state[0][1:], axis=1)
            errors[f"end_err_mm_{float(key):g}s"] = 1e3 * float(off[-1])
            errors[f"any_err_mm_{float(key):g}s"] = 1e3 * float(off.max())
    return errors


def make_chain(n: int, h: float) -> dict[str, list]:
    """Positions of all bodies of a chain of n links after each of TIMES, by RK4 with steps of h [s]."""
    from benchmarks.peers import adapters

    scene = scenes.chain(n)
    scene.collide = False
    engine = adapters.load("mujoco")("default+integrator=RK4")
    engine.build(scene, h)
    done, found = 0, {}
    for key in TIMES:
        engine.step(round(float(key) / h) - done)
        done = round(float(key) / h)
        found[key] = engine.state()[0][1:].round(7).tolist()
    return found


if __name__ == "__main__":
    made = {f"chain{n}": make_chain(n, h) for n, h in STEPS.items()}
    PATH.write_text(json.dumps(made, separators=(",", ":")) + "\n", encoding="utf-8")
