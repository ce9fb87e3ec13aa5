"""Provides the locale that MicroTeX requires by name on systems with only C.UTF-8, as small Linux systems are.

MicroTeX creates a C++ locale "en_US.UTF-8" for every formula, and most fail without (issue 140 of NanoMichael/MicroTeX). It only
needs the character classes, which C.UTF-8 has as well. glibc searches for locales in the folder LOCPATH, if that is set.
"""

import functools
import locale
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_cache_path

log = logging.getLogger(__name__)

LOCALE_NAME = "en_US.UTF-8"
HOMES = tuple(Path("/usr/lib/locale") / name for name in ("C.utf8", "C.UTF-8"))
"""Folders of glibc's own locale."""


@contextmanager
def temporary_locale() -> Iterator[None]:
    """Context with a locale of that name, if possible. Kept short: LOCPATH hides all other locales."""
    folder = locale_folder()
    if folder is None or "LOCPATH" in os.environ:
        yield
        return
    os.putenv("LOCPATH", str(folder))       # not in os.environ, which another thread may be reading
    try:
        yield
    finally:
        os.unsetenv("LOCPATH")


@functools.cache
def locale_folder() -> Path | None:
    """A folder with a link of that name to the system's locale; None where it is not needed or cannot be made."""
    home = next((home for home in HOMES if home.is_dir()), None)
    if not sys.platform.startswith("linux") or home is None or _is_there():
        return None
    folder = user_cache_path("stiction") / "locale"
    link = folder / LOCALE_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not link.is_dir():
            link.unlink(missing_ok=True)
            link.symlink_to(home)
    except OSError as error:
        log.info("no locale could be lent to the formulas: %s", error)
        return None
    return folder


def _is_there() -> bool:
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, LOCALE_NAME)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_CTYPE, before)
    return True
