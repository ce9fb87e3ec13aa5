"""Waits that end on time, beside threads that hold the GIL.

A wait ends late: the system delays timers by its slack, and a thread that wakes needs the GIL, which a busy one gives up an
interval later. So a wait is asked to end earlier by as much as recent ones ended late.
"""

import ctypes
import sys
import threading
import time

TOLERANCE = 1e-4
"""How much earlier than due a step may start [s]. Waiting again for less than this would more often end late."""

LONGEST_LEAD = 5e-4
"""A wait is asked to end at most this much earlier [s]; rarer, longer delays are not foreseen."""

LEAD_STEP = 1e-5
"""Change of the lead after a wait [s]. Up and down alike: the lead becomes the median of the delays, however long some are."""

PR_SET_TIMERSLACK = 29


class PunctualWait:
    """The waits of one thread, which calls all of it. lead: how much earlier than due a wait is asked to end [s]."""

    def __init__(self) -> None:
        self.lead = 0.0

    def until(self, wake: threading.Event, due: float) -> None:
        """Wait until the event is set or the time `due` [s, of perf_counter] has come, to within TOLERANCE if nobody disturbs."""
        begin = time.perf_counter()
        left = due - begin
        if left <= LONGEST_LEAD:        # the rest of a wait that ended early: the GIL was free
            wake.wait(left - 0.5 * TOLERANCE)
            return
        asked = left - self.lead
        if not wake.wait(asked):
            delayed = time.perf_counter() - begin - asked > self.lead
            self.lead = min(max(self.lead + (LEAD_STEP if delayed else -LEAD_STEP), 0.0), LONGEST_LEAD)


def use_precise_timers() -> None:
    """End the timers of the calling thread when they are due, where the system delays them to save power (Linux: by 50 us)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0)
