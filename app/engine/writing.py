"""Files that are made and written by a thread of their own, one after the other, so that no step waits for them."""

import logging
import queue
import threading
from collections.abc import Callable

from physics import BadInput

log = logging.getLogger(__name__)

PATIENCE = 20.0
"""How long a program that ends waits for files that are still being written [s]."""


class Clerk:
    """Does what it is given, in the order given. A job has all that it needs by value. post: sends the simulation a command."""

    def __init__(self, post: Callable[..., None]) -> None:
        self.post = post
        self._jobs: queue.Queue[tuple[str, Callable[[], str], Callable[[str], None], Callable[[], None]] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._open: list[str] = []

    @property
    def writing(self) -> tuple[str, ...]:
        """Names of the files that are not finished, the present one first."""
        return tuple(self._open)

    def give(self, name: str, job: Callable[[], str], say: Callable[[str], None],
             failed: Callable[[], None] = lambda: None) -> None:
        """job() makes the file of that name and returns a sentence for `say`; what goes wrong is one sentence, too, and `failed`
        is called. All three are called on the clerk's thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="writing", daemon=True)
            self._thread.start()
        self._open.append(name)
        self._jobs.put((name, job, say, failed))

    def close(self, seconds: float = PATIENCE) -> bool:
        """Wait for all files, but no longer than that; False: some are not finished, and lost."""
        if self._thread is None:
            return True
        self._jobs.put(None)
        self._thread.join(seconds)
        if self._thread.is_alive():
            log.error("not finished within %g s, and lost: %s", seconds, ", ".join(self._open))
            return False
        self._thread = None
        return True

    def _run(self) -> None:
        while (given := self._jobs.get()) is not None:
            name, job, say, failed = given
            try:
                told = job()
            except Exception as error:
                if not isinstance(error, BadInput):
                    log.exception("writing %s failed", name)
                told = str(error) if isinstance(error, BadInput) else f"{name} could not be made: {type(error).__name__}: {error}"
                log.warning(told)
                failed()
            self._open.remove(name)
            say(told)
