"""Which Python files the user allows to run: asked once per path; answers are saved beside the settings.

A file that other users can write is skipped without asking. A file that its owner saves again is not asked about again:
write access there already gives full control of the owner's account.
"""

import contextlib
import json
import logging
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from app.files.folders import state
from app.i18n.message import message

log = logging.getLogger(__name__)

FILE_NAME = "own-files.json"
FORMAT = 1

MAX_ANSWERS = 2000
"""Limit of saved answers; the oldest are dropped."""


def untrusted_reason(path: Path) -> str:
    """Why another user may have written this file and what to do about it; "" if none can."""
    if not hasattr(os, "geteuid"):
        return ""
    real = Path(os.path.realpath(path))
    for place in (real, real.parent):
        try:
            found = os.stat(place)
        except OSError as error:
            return message("{place} cannot be inspected: {reason}", place=place, reason=error.strerror or error)
        if found.st_uid not in (os.geteuid(), 0):
            return message("{place} belongs to another user: copy it to your own folder", place=place)
        if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not _private(found.st_gid)):
            return message("other users can write to {place}: remove that permission (chmod go-w), and inspect the file first",
                           place=place)
    return ""


def _private(group: int) -> bool:
    """Whether the user is the only member of a group, as on systems with one group per user."""
    import grp
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return found.gr_gid == user.pw_gid and found.gr_name == user.pw_name and set(found.gr_mem) <= {user.pw_name}


def key(path: Path) -> str:
    """Key of a file: its real path."""
    return os.path.normcase(os.path.realpath(path))


def place() -> Path:
    """Path of the file of answers."""
    return state() / FILE_NAME


@dataclass
class TrustStore:
    """The user's answers by file: run it (True) or leave it out (False). path None: not saved."""

    path: Path | None
    known: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "TrustStore":
        """Load the answers; a file that is damaged or writable by others is ignored."""
        answers = cls(path)
        if os.path.lexists(path):
            trouble = untrusted_reason(path)
            try:
                answers.known = {} if trouble else _parsed(path)
            except ValueError as error:
                trouble = str(error)
            if trouble:
                log.warning(message("your decisions on own files in {path} are not used ({trouble}): you are asked again",
                                    path=path, trouble=trouble))
        return answers

    def of(self, path: Path) -> bool | None:
        """The answer for a file; None if it was never asked."""
        return self.known.get(key(path))

    def remember(self, path: Path, runs: bool) -> None:
        """Save the answer for this and all later starts."""
        self.known.pop(key(path), None)
        self.known = {**dict(list(self.known.items())[1 - MAX_ANSWERS:]), key(path): runs}
        self._save()

    def forget_gone(self, folders: list[Path]) -> None:
        """Forget files that no longer exist in these folders; if they come back they are new."""
        places = {key(folder) for folder in folders}
        gone = [name for name in self.known if os.path.dirname(name) in places and not os.path.lexists(name)]
        if gone:
            self.known = {name: runs for name, runs in self.known.items() if name not in gone}
            self._save()

    def _save(self) -> None:
        from app.files.atomic_write import write

        if self.path is None:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write(self.path, json.dumps({"format": FORMAT, "runs": self.known}, indent=1).encode(), private=True)
        except OSError as error:
            log.warning(message("your decisions on own files cannot be saved in {path} ({reason}): they apply to this session "
                                "only",                                path=self.path, reason=error.strerror or error))
            self.path = None


def _parsed(path: Path) -> dict[str, bool]:
    """Contents of a file of answers; ValueError if it is invalid."""
    from app.files import safe_read

    with contextlib.suppress(RecursionError):
        found = json.loads(safe_read.read(path))
        runs = found.get("runs") if isinstance(found, dict) and found.get("format") == FORMAT else None
        if isinstance(runs, dict) and len(runs) <= MAX_ANSWERS and all(type(value) is bool for value in runs.values()):
            return runs
    raise ValueError("it is damaged or from another version")
