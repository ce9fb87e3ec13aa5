"""Several processes of a distributed mechanism as threads of one, for published figures that must not need MPI."""

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

LONGEST = 600.0
"""Longest wait for another thread [s]."""


class Thread:
    """A physics.articulated.subsystems.distributed.Transport to the other threads. mail: queues by sender and receiver; shown: a
    place for what each shows to all."""

    def __init__(self, rank: int, mail: list[list[queue.Queue]], meeting: threading.Barrier, shown: list[np.ndarray]) -> None:
        self.rank, self.size = rank, len(mail)
        self._mail, self._meeting, self._shown = mail, meeting, shown

    def send(self, values: np.ndarray, to: int) -> None:
        self._mail[self.rank][to].put(values.copy())

    def receive(self, values: np.ndarray, source: int) -> None:
        values[...] = self._mail[source][self.rank].get(timeout=LONGEST)

    def gather(self, mine: np.ndarray, counts: Sequence[int]) -> np.ndarray:
        self._shown[self.rank] = mine
        self._meeting.wait(LONGEST)
        every = np.concatenate(self._shown)
        self._meeting.wait(LONGEST)
        return every


def in_all(size: int, job: Callable[[Thread], Any]) -> list[Any]:
    """job(transport) in so many threads at once; what it returns, by rank."""
    mail = [[queue.Queue() for _ in range(size)] for _ in range(size)]
    meeting, shown = threading.Barrier(size), [np.zeros(0)] * size
    with ThreadPoolExecutor(size) as pool:
        return list(pool.map(lambda rank: job(Thread(rank, mail, meeting, shown)), range(size)))
