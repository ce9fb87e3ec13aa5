"""Writes files on a background thread, one after the other, so that no step waits for them."""

import logging
import queue
import threading
from collections.abc import Callable

from app.i18n.message import message
from physics import BadInput

log = logging.getLogger(__name__)

MAX_SHUTDOWN_WAIT = 20.0
"""Longest time that a closing program waits for unfinished files [s]."""


class FileWriter:
    """Runs jobs in the order submitted. A job has all its data by value. post: posts a command to the simulation."""

    def __init__(self, post: Callable[..., None]) -> None:
        self.post = post
        self._jobs: queue.Queue[tuple[str, Callable[[], str], Callable[[str], None], Callable[[], None]] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._open: list[str] = []

    @property
    def writing(self) -> tuple[str, ...]:
        """Names of the unfinished files, the present one first."""
        return tuple(self._open)

    def submit(self, name: str, job: Callable[[], str], notify: Callable[[str], None],
               failed: Callable[[], None] = lambda: None) -> None:
        """Queue job(), which makes the file of that name and returns a sentence for `notify`; an error is reported as a sentence,
        and failed() is called. All three run on the writer's thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="writing", daemon=True)
            self._thread.start()
        self._open.append(name)
        self._jobs.put((name, job, notify, failed))

    def close(self, seconds: float = MAX_SHUTDOWN_WAIT) -> bool:
        """Wait for all files for at most `seconds`; False: some are unfinished, and lost."""
        if self._thread is None:
            return True
        self._jobs.put(None)
        self._thread.join(seconds)
        if self._thread.is_alive():
            log.error(message("not finished within {seconds:g} s and discarded: {files}", seconds=seconds,
                                  files=", ".join(self._open)))
            return False
        self._thread = None
        return True

    def _run(self) -> None:
        while (given := self._jobs.get()) is not None:
            name, job, notify, failed = given
            try:
                outcome = job()
            except Exception as error:
                if not isinstance(error, BadInput):
                    log.exception(message("writing {name} failed", name=name))
                outcome = str(error) if isinstance(error, BadInput) else message("could not create {name}: {error_type}: {error}",
                        name=name, error_type=type(error).__name__, error=error)
                log.warning(outcome)
                failed()
            self._open.remove(name)
            notify(outcome)
