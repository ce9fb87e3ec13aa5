"""The command line: `stiction COMMAND ...`, one file a command in `app/commands/`. Imports nothing heavy."""

import argparse
import contextlib
import difflib
import errno
import importlib.util
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from importlib.machinery import SourcelessFileLoader
from pathlib import Path

from app import commands, version
from app.commands import BAD_INPUT, DONE, FAILED, INTERRUPTED, MISSING, TERMINATED, Usage
from app.files.printable import printable

DEFAULT_COMMAND = "view"
SINGLE_THREADED = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""Of numpy's linear algebra, unless the environment says otherwise: our matrices are small, and on a busy machine its threads
wait for one another several times as long as they compute."""

EXAMPLES = """\
examples:
  stiction                                   open the window
  stiction scenes                            list the scenes
  stiction view door                         open the window with one scene
  stiction run door --seconds 5 --csv a.csv  run it without a window, write a CSV file
  stiction papers                            compare with published figures

From a checkout, `python3 start.py` stands for `stiction`. `stiction COMMAND --help` describes a command.
Exit codes: 0 done, 1 a check failed, 2 bad usage or input, 3 a system requirement is missing.
"""


class Parser(argparse.ArgumentParser):
    """argparse with one-line error messages."""

    def error(self, message: str) -> None:
        raise Usage(f"{message} (see `{self.prog} --help`)")


def main(words: list[str] | None = None) -> int:
    """Run one command line and return the exit code. Failures print one sentence on stderr; --debug prints the traceback."""
    words = list(sys.argv[1:] if words is None else words)
    for name in SINGLE_THREADED:
        os.environ.setdefault(name, "1")
    with _ends_in_order():
        return _guarded(words)


@contextlib.contextmanager
def _ends_in_order() -> Iterator[None]:
    """Turn SIGTERM into SystemExit, so that files being written are finished or removed."""
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
        if sys.stdout is not None:      # closed by the shell: `stiction scenes >&-`
            sys.stdout.flush()
        return code
    except SystemExit as leaving:  # argparse after --help
        return leaving.code or DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `stiction scenes | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:  # noqa: BLE001  (every failure is a sentence)
        sentence, code = explain(error)
        if debug:
            traceback.print_exception(error)
        print(f"stiction: {printable(sentence)}", file=sys.stderr)
        return code


def _run(words: list[str]) -> int:
    if words[:1] in (["-h"], ["--help"], ["--version"]):
        _whole_parser().parse_args(words[:1])
    if not words or words[0].startswith("-"):
        words = [DEFAULT_COMMAND, *words]
    name = words[0]
    if name not in commands.names():
        near = difflib.get_close_matches(name, commands.names(), n=1)
        hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(commands.names())}"
        raise Usage(f"unknown command '{name}'; {hint}")
    module = commands.load(name)
    parser = Parser(prog=f"stiction {name}", description=module.HELP, epilog=_epilog(module),
                    formatter_class=argparse.RawDescriptionHelpFormatter)
    module.arguments(parser)
    args = parser.parse_args(words[1:])
    if isinstance(getattr(args, "scene", None), str):
        _require_scene(args.scene)
    if lacking := getattr(module, "missing", lambda args: "")(args):
        print(f"stiction: {printable(lacking)}", file=sys.stderr)
        return MISSING
    if getattr(module, "KERNELS", True):
        code = commands.load("warm").ensure_kernels()
        if code:
            return code
    from app.own_files import discover  # late, like the imports of commands: a package may be missing
    new = discover.adopt()
    if new and not getattr(module, "asks", lambda args: False)(args):
        from app.commands import _terminal

        _terminal.ask(new)
    if isinstance(getattr(args, "scene", None), str):
        args.scene = _named(args.scene)
    return module.run(args)


def _named(word: str) -> str:
    """The name by which `scenes.find` has the scene of a command line: a Python file that was named there is admitted."""
    if not os.path.splitext(word)[1]:       # no file: the window's card need not wait for physics to be imported
        return word
    from app.engine import file_kinds
    from app.own_files import discover

    return discover.named(file_kinds.admit(word))


def _require_scene(name: str) -> None:
    """Reject a misspelt scene before anything is compiled; paths and names with a prefix are checked where they are opened.

    Raises:
        BadInput: there is no such scene; the message lists similar names.
    """
    from importlib.util import find_spec
    from pathlib import Path

    from app.files.folders import data_folder

    places = (*map(Path, find_spec("scenes").submodule_search_locations), data_folder() / "scenes")
    if name.isidentifier() and not any((place / f"{name}.py").is_file() for place in places):
        import scenes

        scenes.find(name)


def _whole_parser() -> Parser:
    """The parser of `stiction --help`: every command with its one-line help."""
    parser = Parser(prog="stiction", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
                    description="An interactive laboratory for dry friction and impacts.")
    parser.add_argument("--version", action="version", version=f"stiction {version()}")
    table = parser.add_subparsers(metavar="COMMAND", title="commands")
    for name in commands.names():
        table.add_parser(name, help=commands.load(name).HELP)
    return parser


def _epilog(module: object) -> str:
    common = "Use --debug to show where an error occurred."
    examples = getattr(module, "EXAMPLES", "")
    return f"examples:\n{examples}\n\n{common}" if examples else common


def explain(error: Exception) -> tuple[str, int]:
    """Return (one sentence, exit code) for any exception."""
    if isinstance(error, Usage):
        return str(error), BAD_INPUT
    physics = sys.modules.get("physics.core.check")
    if physics and isinstance(error, physics.BadInput):
        return str(error), BAD_INPUT
    if physics and isinstance(error, physics.Diverged):
        return f"{error} (try a smaller --dt or more --iterations)", FAILED
    own = ("app", "physics", "scenes", "assets")
    if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] not in own:
        return (f"the environment lacks '{error.name}'; delete the folder .venv and run python3 start.py, or reinstall the "
                "package"), MISSING
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        wrong_path = isinstance(error, FileNotFoundError | FileExistsError | IsADirectoryError | NotADirectoryError)
        wrong_path = wrong_path or error.errno in (errno.EINVAL, errno.ENAMETOOLONG, errno.ELOOP)
        return f"{where}{error.strerror or error}", BAD_INPUT if wrong_path else MISSING
    if isinstance(error, EOFError | ValueError) and "marshal data" in str(error) and (cut := _remove_damaged_bytecode()):
        return f"{cut}: only a part was written, as on a full disk; it is removed: repeat the command", MISSING
    return f"internal error: {type(error).__name__}: {error} (run with --debug for the location)", FAILED


def _remove_damaged_bytecode() -> str:
    """Remove the bytecode of our modules that cannot be read, which Python would read at each start; the last file, "": none.

    Pythons before 3.12.8 and 3.13.1 keep what they could write of a file.
    """
    root, removed = Path(__file__).resolve().parents[1], ""
    for source in (path for package in ("app", "physics", "scenes") for path in (root / package).rglob("*.py")):
        cached = importlib.util.cache_from_source(str(source))
        try:
            SourcelessFileLoader(source.stem, cached).get_code(source.stem)
        except OSError:
            continue
        except (EOFError, ValueError, TypeError, ImportError):
            os.unlink(cached)
            removed = cached
    return removed
