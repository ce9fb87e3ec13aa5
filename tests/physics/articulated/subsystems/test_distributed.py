"""Subsystems over several processes: the same bits as in one, messages as many and as long as the tree says, bad input."""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from app.analysis.studies.distribution import MpiTransport
from physics import BadInput, Box, World, step
from physics.articulated.subsystems import distributed
from physics.articulated.subsystems.mechanism import Mechanism
from scenes import find, make_world
from tests.tools.random_trees import random_world


class Threads:
    """Communicators of threads, with the calls of mpi4py's that MpiTransport makes. As MPI may, a send leaves the array where it
    is until the receiver takes it: one that is changed before Wait() arrives changed."""

    def __init__(self, size: int) -> None:
        self.size, self.mail = size, [[queue.Queue() for _ in range(size)] for _ in range(size)]
        self.meeting, self.shown = threading.Barrier(size, timeout=60.0), [np.empty(0)] * size

    def of(self, rank: int) -> MpiTransport:
        found = Communicator()
        found.rank, found.all = rank, self
        return MpiTransport(found)


class Communicator:
    def Get_rank(self) -> int:
        return self.rank

    def Get_size(self) -> int:
        return self.all.size

    def Isend(self, values: np.ndarray, dest: int) -> "Request":
        assert values.flags.c_contiguous and values.dtype == np.float64 and dest != self.rank
        request = Request()
        self.all.mail[self.rank][dest].put((values, request.taken))
        return request

    def Recv(self, values: np.ndarray, source: int) -> None:
        sent, taken = self.all.mail[source][self.rank].get(timeout=60.0)
        assert values.flags.c_contiguous and values.shape == sent.shape
        values[...] = sent
        taken.set()

    def Allgatherv(self, mine: np.ndarray, into: tuple[np.ndarray, list[int]]) -> None:
        values, counts = into
        assert len(mine) == counts[self.rank]
        self.all.shown[self.rank] = mine
        self.all.meeting.wait()
        values[...] = np.concatenate(self.all.shown)
        self.all.meeting.wait()


class Request:
    def __init__(self) -> None:
        self.taken = threading.Event()

    def Wait(self) -> None:
        assert self.taken.wait(60.0)


def in_all(size: int, job) -> list:
    """job(transport) in that many threads at once; what it returns, by rank."""
    threads = Threads(size)
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda rank: job(threads.of(rank)), range(size)))


def stepped(name: str, transport=None, steps: int = 25, friction: float = 0.0) -> World:
    world = make_world(find(name))
    world.use_solver("subsystems")
    if friction:
        world.set_joint_friction(friction)
    world.solver.options.bodies, world.solver.transport = 2, transport
    for _ in range(steps):
        step(world, 0.01)
    return world


@pytest.mark.parametrize(("name", "sizes"), [("four_bars", (2, 4)), ("watt_linkage", (3,)), ("crane", (2,))])
def test_all_processes_have_the_bits_of_one(name, sizes):
    alone = stepped(name)
    for size in sizes:
        for world in in_all(size, lambda transport: stepped(name, transport)):
            assert world.bodies.tobytes() == alone.bodies.tobytes() and world.joints.tobytes() == alone.joints.tobytes()


def test_joints_that_stick_share_their_load_in_the_same_bits():
    """Four bars whose friction lets go and holds again: which joints do is found by every process for itself."""
    def moved(transport=None) -> World:
        return stepped("four_bars", transport, steps=40, friction=4.0)
    alone = moved()
    assert alone.report.iterations > 2
    for world in in_all(2, moved):
        assert world.bodies.tobytes() == alone.bodies.tobytes() and world.joints.tobytes() == alone.joints.tobytes()


def test_ball_joints_that_turn_and_stop_have_the_same_bits():
    """Friction in three directions is found for the end of each part, by every process for itself."""
    def moved(transport=None) -> World:
        world, last = World(), 0
        world.use_solver("subsystems")
        for k in range(5):
            link = world.add_body(Box((0.05, 0.02, 0.02)), pos=(0.1 * k + 0.05, 0.0, 1.0), mass=0.1, mask=0)
            world.add_joint("spherical", last, link, anchor=(0.1 * k, 0.0, 1.0), max_friction=0.03)
            last = link
        world.solver.options.bodies, world.solver.transport = 2, transport
        for _ in range(6):
            world.apply_torque(last, (0.05, 0.1, -0.08))
            step(world, 0.01)
        return world
    alone = moved()
    for world in in_all(2, moved):
        assert world.bodies.tobytes() == alone.bodies.tobytes() and world.joints.tobytes() == alone.joints.tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_accelerations_of_random_mechanisms_have_the_bits_of_one(seed):
    """14 bodies on joints of all kinds, two of them in loops; trees of subsystems whose parts go to 2, 3 and 5 processes."""
    def moment(transport=None) -> tuple[bytes, bytes]:
        rng = np.random.default_rng(seed)
        world = random_world(rng, 14)
        for _ in range(2):
            world.add_joint("spherical", *map(int, rng.choice(np.arange(1, 15), 2, replace=False)), anchor=rng.normal(size=3))
        mechanism = Mechanism(world, most=3)
        mechanism.read(world)
        if transport is not None:
            mechanism.distribute(transport)
        found = mechanism.moment(mechanism.q, mechanism.v, 0.0, frozenset(), {})
        return found.v_dot.tobytes(), found.multipliers.tobytes()
    alone = moment()
    for size in (2, 3, 5):
        assert set(in_all(size, moment)) == {alone}


def test_one_message_goes_up_and_one_down_each_edge_between_processes():
    """Four bars, two in each half: D (12, 12) and R up, Q down, and six numbers a bar and one a row gathered."""
    def traffic(transport) -> list:
        world = stepped("four_bars", transport, steps=1)
        return [world.report.iterations, world.solver.mechanism(world).elimination.traffic]
    (evaluations, root), (_, child) = in_all(2, traffic)
    assert root.messages == child.messages == root.gatherings == child.gatherings == evaluations
    rows = {"half": 5, "root": 3 * 5}     # one hinge in a half, three at the root
    assert child.bytes == 8 * evaluations * (12 * 12 + 12 + 6 * 2 + rows["half"])
    assert root.bytes == 8 * evaluations * (12 + 6 * 2 + rows["half"] + rows["root"])


def test_bad_input_is_one_sentence():
    with pytest.raises(BadInput, match="more processes than the tree of subsystems has parts for"):
        stepped("four_bars", Threads(9).of(0))

    def agree(transport) -> str:
        try:
            distributed.check_agreement(transport, np.ones(3))
            distributed.check_agreement(transport, np.array([1.0, transport.rank == 2]))
        except BadInput as error:
            return str(error)
        return ""
    assert {sentence[:40] for sentence in in_all(3, agree)} == {"process 2 no longer has the state of pro"}
