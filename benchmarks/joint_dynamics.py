"""Dynamics of chains in joint coordinates beside Pinocchio and MuJoCo: `python -m benchmarks.joint_dynamics [--seconds 2]`.

First table: forward dynamics by the articulated-body algorithm (RBDA table 7.1) of chains of hinges in the same state, poses and
velocities of all links included, beside Pinocchio's `aba`, and the largest difference of qdd relative to the largest one. Second
table: a step of a pendulum of ten links: `physics.step` under joint_space, a step of `step_many`, the kernels of a semi-implicit
step alone, and MuJoCo's `mj_step`, all without contacts. Peers are left out where they are not installed (pip install pin
mujoco).

All are called in turn, round after round; times are medians of processor time, ratios medians over
rounds of our time divided by the other's.
"""

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks.lcp import rounds
from physics import Box, World, step, step_many
from physics.articulated import dynamics, kinematics

JOINTS = (10, 100, 300, 1000)
MOST = 300
"""Joints beside Pinocchio: its data hold tensors of n^3 numbers, 32 GB for a thousand joints."""

LENGTH, HALF, MASS, DT = 0.4, (0.2, 0.03, 0.04), 1.0, 1.0 / 240.0
CALLS = 2000
"""Joints per timed call: short chains are called several times."""

MANY = 100
"""Steps of a call of `step_many`."""

Call = Callable[[], object]


def chain(links: int) -> World:
    """Links in a row along x on hinges about y and z in turn; the first one is pinned at the origin."""
    world, last = World(), 0
    for i in range(links):
        body = world.add_body(Box(HALF), pos=((i + 0.5) * LENGTH, 0.0, 0.0), mass=MASS)
        axis = (0.0, 1.0, 0.0) if i % 2 == 0 else (0.0, 0.0, 1.0)
        world.add_joint("revolute", last, body, anchor=(i * LENGTH, 0.0, 0.0), axis=axis)
        last = body
    return world


class ChainKernels:
    """The kernels on a chain in the state q, qd (n,)."""

    def __init__(self, world: World, q: np.ndarray, qd: np.ndarray) -> None:
        self.space, self.q, self.qd = world.joint_space(), q.copy(), qd
        self.bodies, self.tau, self.qdd = self.space.bodies, np.zeros(len(q)), np.empty(len(q))

    def dynamics(self) -> np.ndarray:
        """qdd (n,)."""
        links, states, unused = self.space.tree.links, self.space.states, np.empty(len(self.q))
        kinematics.place.unchecked(links, self.q, self.bodies)
        kinematics.begin.unchecked(links, self.bodies, states, unused)
        kinematics.follow.unchecked(links, self.bodies, states, self.qd)
        dynamics.forward_dynamics.unchecked(links, self.bodies, states, self.space.gravity, self.space.forces, self.tau, self.qdd)
        return self.qdd

    def motion(self) -> None:
        """A semi-implicit step."""
        self.qd = self.qd + DT * self.dynamics()
        kinematics.advance.unchecked(self.space.tree.links, self.qd, DT, self.q)


def inertia() -> np.ndarray:
    """Diagonal of a link's inertia (3,) [kg m^2]."""
    square = np.array(HALF) ** 2
    return MASS / 3.0 * (square.sum() - square)


def pinocchio_call(links: int, q: np.ndarray, qd: np.ndarray) -> Call:
    """Pinocchio's `aba` of the same chain in the same state."""
    import pinocchio

    model, parent = pinocchio.Model(), 0
    for i in range(links):
        joint = pinocchio.JointModelRY() if i % 2 == 0 else pinocchio.JointModelRZ()
        place = pinocchio.SE3(np.eye(3), np.array([LENGTH if i else 0.0, 0.0, 0.0]))
        parent = model.addJoint(parent, joint, place, f"hinge {i}")
        body = pinocchio.Inertia(MASS, np.array([0.5 * LENGTH, 0.0, 0.0]), np.diag(inertia()))
        model.appendBodyToJoint(parent, body, pinocchio.SE3.Identity())
    data, tau = model.createData(), np.zeros(links)
    return lambda: pinocchio.aba(model, data, q, qd, tau)


def mujoco_call(links: int) -> Call:
    """MuJoCo's step of the same chain, from rest."""
    import mujoco

    body, ends = "", ""
    for i in range(links):
        axis = "0 1 0" if i % 2 == 0 else "0 0 1"
        body += (f'<body pos="{LENGTH if i else 0.0} 0 0"><joint axis="{axis}"/><inertial pos="{0.5 * LENGTH} 0 0" mass="{MASS}" '
                 f'diaginertia="{" ".join(map(str, inertia()))}"/>')
        ends += "</body>"
    text = f'<mujoco><option timestep="{DT}" gravity="0 0 -9.81"/><worldbody>{body}{ends}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    return lambda: mujoco.mj_step(model, data)


def times(calls: dict[str, Call], often: int, seconds: float) -> dict[str, tuple[float, float]]:
    """Of each call: (median time [us], median ratio of the first one's time to it)."""
    def repeated(call: Call) -> Call:
        def many() -> None:
            for _ in range(often):
                call()
        return many
    taken = rounds({name: repeated(call) for name, call in calls.items()}, seconds, time.process_time)
    return {name: (1e6 * statistics.median(own) / often, statistics.median(a / b for a, b in zip(taken["ours"], own)))
            for name, own in taken.items()}


def with_peer(calls: dict[str, Call], name: str, make: Callable[[], Call]) -> dict[str, Call]:
    """The calls with a peer's, if it is installed."""
    try:
        return {**calls, name: make()}
    except ImportError as error:
        print(f"{name} is not here: {error}")
        return calls


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0)
    asked = parser.parse_args()
    print(f"{'joints':>7}{'ours [us]':>12}{'Pinocchio':>12}{'ratio':>8}{'difference':>12}")
    for links in JOINTS:
        rng = np.random.default_rng(links)
        q, qd = rng.uniform(-1.0, 1.0, links), rng.normal(size=links)
        ours = ChainKernels(chain(links), q, qd)
        calls: dict[str, Call] = {"ours": ours.dynamics}
        if links <= MOST:
            calls = with_peer(calls, "Pinocchio", lambda n=links, q=q, qd=qd: pinocchio_call(n, q, qd))
        found = {name: np.array(call()) for name, call in calls.items()}
        apart = max(float(np.abs(one - found["ours"]).max() / np.abs(found["ours"]).max()) for one in found.values())
        row = times(calls, max(1, CALLS // links), asked.seconds)
        theirs, ratio = row.get("Pinocchio", (float("nan"), float("nan")))
        print(f"{links:7}{row['ours'][0]:12.2f}{theirs:12.2f}{ratio:8.2f}{apart:12.1e}", flush=True)
    world = chain(10)
    world.use_solver("joint_space")
    motion = ChainKernels(chain(10), np.zeros(10), np.zeros(10)).motion
    calls = with_peer({"ours": lambda: step(world, DT), "kernels": motion}, "MuJoCo", lambda: mujoco_call(10))
    print("\nStep of a pendulum of ten links [us], and how much longer ours takes")
    together, taken = chain(10), times(calls, 20, asked.seconds)
    together.use_solver("joint_space")
    many, _ = times({"ours": lambda: step_many(together, MANY, DT)}, 1, asked.seconds)["ours"]
    taken["many"] = many / MANY, taken["ours"][0] / (many / MANY)
    for name, (median, ratio) in taken.items():
        print(f"{name:10}{median:10.1f}{ratio:8.1f}")


if __name__ == "__main__":
    main()
