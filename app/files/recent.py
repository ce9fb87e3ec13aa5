"""The scene files that were opened or saved last, kept between sessions. Damaged contents are dropped."""

import json
import os
from pathlib import Path

from app.files import safe_read
from app.files.atomic_write import write
from app.files.folders import config
from physics.core.check import BadInput

FILE_NAME = "recent_scenes.json"

MAX_FILES = 12
"""Largest number of files."""


def recent() -> list[Path]:
    """The files that are still there, the last one first."""
    try:
        found = json.loads(safe_read.read(config() / FILE_NAME))
    except (BadInput, ValueError, RecursionError):
        return []
    paths = [path for path in found if isinstance(path, str) and len(path) < 4096] if isinstance(found, list) else []
    return [Path(path) for path in paths[:MAX_FILES] if os.path.isfile(path)]


def add(path: Path) -> None:
    """Put a file at the front; errors of the disk are ignored."""
    others = [str(other) for other in recent() if other != path]
    try:
        write(config() / FILE_NAME, json.dumps([str(path), *others][:MAX_FILES]).encode())
    except OSError:
        return
