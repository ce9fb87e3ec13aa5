"""The command line: `stiction COMMAND ...`, one file a command in `app/commands/`. Imports nothing heavy."""

import argparse
import contextlib
import difflib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from app import commands

DEFAULT = "view"
DONE, FAILED, BAD_INPUT, MISSING, INTERRUPTED, TERMINATED = 0, 1, 2, 3, 130, 143
EXAMPLES = """\
examples:
  stiction                                   open the window
  stiction scenes                            what there is to look at
  stiction view door                         open the window with one scene
  stiction run door --seconds 5 --csv a.csv  run it without a window, numbers to a file
  stiction papers                            published figures against ours

From a checkout, `python3 start.py` stands for `stiction`. `stiction COMMAND --help` explains one command.
Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 the machine lacks something.
"""


class Usage(Exception):
    """The command line does not make sense; the sentence says how to put it right."""


class Parser(argparse.ArgumentParser):
    """argparse whose complaints are one line."""

    def error(self, message: str) -> None:
        raise Usage(f"{message} (`{self.prog} --help` explains)")


def main(words: list[str] | None = None) -> int:
    """Run one command line; the exit code. Every failure is one sentence on stderr, unless --debug asks for more."""
    words = list(sys.argv[1:] if words is None else words)
    with _ends_in_order():
        return _guarded(words)


@contextlib.contextmanager
def _ends_in_order() -> Iterator[None]:
    """Whoever asks the program to end lets it finish or remove what it writes."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _guarded(words: list[str]) -> int:
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except SystemExit as leaving:  # argparse after --help
        return leaving.code or DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `stiction scenes | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if debug:
            raise
        sentence, code = explain(error)
        print(f"stiction: {sentence}", file=sys.stderr)
        return code


def _run(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"], ["--version"]):
        _whole_parser().parse_args(words[:1])
    if not words or words[0].startswith("-"):
        words = [DEFAULT, *words]
    name = words[0]
    if name not in commands.names():
        near = difflib.get_close_matches(name, commands.names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(commands.names())}"
        raise Usage(f"there is no command '{name}'; {hint}")
    module = commands.load(name)
    parser = Parser(prog=f"stiction {name}", description=module.HELP, epilog=_epilog(module),
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    module.arguments(parser)
    args = parser.parse_args(words[1:])
    if getattr(module, "KERNELS", True):
        code = commands.load("warm").ensure()
        if code:
            return code
    from app import own_files  # late, as what commands need: another package may be missing
    own_files.adopt()
    return module.run(args)


def _whole_parser() -> Parser:
    """What `stiction --help` shows: every command with its line."""
    parser = Parser(prog="stiction", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
                    description="An interactive laboratory for dry friction and impacts.")
    parser.add_argument("--version", action="version", version=f"stiction {version()}")
    table = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name in commands.names():
        table.add_parser(name, help=commands.load(name).HELP)
    return parser


def _epilog(module: object) -> str:
    common = "--debug shows where an error came from."
    examples = getattr(module, "EXAMPLES", "")
    return f"examples:\n{examples}\n\n{common}" if examples else common


def version() -> str:
    """The version of this checkout, or of the installed package."""
    import tomllib

    project = Path(__file__).resolve().parents[1] / "pyproject.toml"
    if project.exists():
        return tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    return metadata.version("stiction")


def explain(error: Exception) -> tuple[str, int]:
    """(one sentence, exit code) for anything that went wrong."""
    if isinstance(error, Usage):
        return str(error), BAD_INPUT
    physics = sys.modules.get("physics.errors")
    if physics and isinstance(error, physics.BadInput):
        return str(error), BAD_INPUT
    if physics and isinstance(error, physics.Diverged):
        return f"{error} (smaller --dt or more --iterations may help)", FAILED
    own = ("app", "physics", "scenes", "assets")
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] not in own:
        return (f"the environment lacks '{error.name}'; remove the folder .venv and run python3 start.py, "
                "or install the package again"), MISSING
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        wrong_path = isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError)
        return f"{where}{error.strerror or error}", BAD_INPUT if wrong_path else MISSING
    return f"a mistake of ours: {type(error).__name__}: {error} (--debug shows where)", FAILED
