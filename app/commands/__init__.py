"""Commands, one file each, found by listing this folder: `x.py` is `stiction x`.

A command file defines

    HELP                     one line for `stiction --help`
    EXAMPLES (optional)      lines for the end of `stiction x --help`
    KERNELS (optional)       False if it uses no compiled kernels; else they are compiled before it runs
    missing(args) (optional) what this machine lacks for it, a sentence, reported before anything is compiled; "": nothing
    asks(args) (optional)    True if its window asks about new files of the user's; else the terminal does
    arguments(parser)        adds its arguments to an argparse parser
    run(args) -> int         runs it; the exit code

and imports only the standard library at its top, so that --help is fast.
"""

import importlib
import pkgutil
from types import ModuleType

from app import commands

DONE, FAILED, BAD_INPUT, MISSING, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143
"""Exit codes."""


class Usage(Exception):
    """The command line is invalid; the message explains how to correct it."""


def names() -> list[str]:
    """All commands, alphabetically."""
    return sorted(m.name for m in pkgutil.iter_modules(commands.__path__) if not m.name.startswith("_"))


def load(name: str) -> ModuleType:
    """Import the file of a command."""
    return importlib.import_module(f"app.commands.{name}")
