"""The commands of a fresh machine; the standard library is all this file needs.

    python3 start.py                 install, compile the kernels, open the window
    python3 start.py test [ARGS]     install what the tests need and run them; ARGS go to pytest
    python3 start.py install EXTRA   add packages that only some uses need: video, meshes, mpi, .. (extras of pyproject.toml)
    python3 start.py COMMAND ...     every other command: `python3 start.py --help` lists them

The environment lives in `.venv` beside this file. `.venv/stiction.json` says what is in it: the hash of the lock
file, the Python, the place. If all three still hold, starting costs one comparison and no network. The grammar is
Python 3.6's, so that an old Python can still say what is missing.
"""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import typing

ROOT = os.path.dirname(os.path.abspath(__file__))
VENV = os.path.join(ROOT, ".venv")
MACHINE_PYTHON = getattr(sys, "_base_executable", sys.executable)   # not that of `.venv`, if it is activated: it has no pip
STAMP = os.path.join(VENV, "stiction.json")
MAKING = os.path.join(VENV, "stiction-is-making-this")
LOG = os.path.join(ROOT, "install.log")
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}
QUIET = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
WINDOWS = os.name == "nt"
PYTHON = os.path.join(VENV, "Scripts", "python.exe") if WINDOWS else os.path.join(VENV, "bin", "python")
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
DEBUG = "--debug" in sys.argv
FAILED, BAD_INPUT, MISSING, INTERRUPTED = 1, 2, 3, 130
APT = ["xvfb", "libgl1", "libegl1", "libgl1-mesa-dri", "libfontconfig1", "libfreetype6", "libx11-6", "libxext6"]

if sys.version_info < (3, 11):  # noqa: UP036  (before anything below that an old Python cannot do)
    sys.stderr.write(f"start.py: Stiction needs Python 3.11 or newer; this is {HERE}. Install a newer one and run: python3.11 "
                     "start.py\n")
    sys.exit(MISSING)


class Stop(Exception):
    """Ends the program with one sentence for the person at the keyboard."""

    def __init__(self, sentence: str, code: int = MISSING) -> None:
        super().__init__(sentence)
        self.code = code


def main(words: list) -> int:
    """Do what the words of the command line ask for; the exit code."""
    if any(word in ("-h", "--help", "--version") for word in words[:1]) and not ready("run"):
        return run([sys.executable, "-P", "-m", "app", *words])  # help needs nothing installed
    if words[:1] == ["test"]:
        return test([word for word in words[1:] if word != "--debug"])
    if words[:1] == ["install"]:
        return install_extras([word for word in words[1:] if word != "--debug"])
    if not ready("run"):
        install("run")
    return become([PYTHON, "-P", "-m", "app", *words])


# --- the environment -------------------------------------------------------------------------------------------------

def facts(level: str) -> dict:
    """What must hold for the environment to be used as it is."""
    import hashlib
    with open(os.path.join(ROOT, LOCKS[level]), "rb") as stream:
        lock = hashlib.sha256(stream.read()).hexdigest()
    return {level: lock, "python": HERE, "place": VENV}


def ready(level: str) -> bool:
    """True if `.venv` is whole and holds what the lock file names."""
    try:
        with open(STAMP, encoding="utf-8") as stream:
            stamp = json.load(stream)
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(stamp, dict) and stamp.items() >= facts(level).items() and os.path.exists(PYTHON)


def install(level: str) -> None:
    """Make `.venv` and put the locked packages in it. Whatever a killed installation left is thrown away first."""
    with only_one() as log:
        if ready(level):
            return
        if os.path.exists(MAKING) or (os.path.exists(STAMP) and not usable()) or not os.path.exists(PYTHON):
            shutil.rmtree(VENV, ignore_errors=True)
        if not os.path.exists(PYTHON):
            make_venv()
        if os.path.exists(STAMP):
            os.replace(STAMP, MAKING)
        pip(level, log)
        stamp = {**facts("run"), **facts(level)}
        temporary = STAMP + ".new"
        with open(temporary, "w", encoding="utf-8") as stream:
            json.dump(stamp, stream)
        os.replace(temporary, STAMP)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(MAKING)


def install_extras(names: list) -> int:
    """Add the packages of extras to the environment, which may have no pip of its own."""
    import tomllib
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as stream:
        extras = tomllib.load(stream)["project"]["optional-dependencies"]
    unknown = [name for name in names if name not in extras]
    if unknown or not names:
        what = f"there is no extra '{unknown[0]}'" if unknown else "what to install is missing"
        raise Stop(f"{what}; choose from {', '.join(sorted(extras))}", BAD_INPUT)
    if not ready("run"):
        install("run")
    packages = sorted({package for name in names for package in extras[name]})
    with only_one() as log:
        fill(packages, len(packages), log)
    report("installed: " + ", ".join(packages))
    return 0


def usable() -> bool:
    """True if the stamped environment is of this Python and in this place: then new packages can be added to it."""
    try:
        with open(STAMP, encoding="utf-8") as stream:
            stamp = json.load(stream)
        return all(stamp[key] == facts("run")[key] for key in ("python", "place"))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


@contextlib.contextmanager
def only_one() -> typing.Iterator[typing.TextIO]:
    """Hold off a second start.py while this one installs: the locked log; the lock dies with the process."""
    with open(LOG, "a", encoding="utf-8") as stream:
        try:
            lock(stream)
        except OSError:
            report("another start.py is installing; waiting for it")
            lock(stream, wait=True)
        stream.truncate(0)
        yield stream


def lock(stream: object, wait: bool = False) -> None:
    """Take the file's lock, or raise OSError if another process has it."""
    if WINDOWS:
        import msvcrt
        while True:
            stream.seek(1 << 30)  # far from the text, which stays readable
            try:
                return msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
            except OSError:
                if not wait:
                    raise
                time.sleep(0.5)
    else:
        import fcntl
        fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def make_venv() -> None:
    """A fresh environment, to be filled by the machine's own pip if it can, else with one of its own, which takes 5 s more."""
    report(f"creating the environment in {VENV}")
    os.makedirs(VENV)
    open(MAKING, "w").close()
    code, text = finished([MACHINE_PYTHON, "-m", "venv", *(["--without-pip"] if fills_others() else []), VENV])
    if code == 0:
        return
    remedy = "sudo apt install python3-venv" if shutil.which("apt-get") else "install Python from python.org"
    raise Stop(known_trouble(text) or f"this Python cannot create virtual environments (venv is incomplete); run: {remedy}")


def fills_others() -> bool:
    """True if this Python's pip can fill another environment: from 22.3 on."""
    version = re.match(r"pip (\d+)\.(\d+)", finished([MACHINE_PYTHON, "-m", "pip", "--version"])[1])
    return bool(version) and tuple(map(int, version.groups())) >= (22, 3)


def pip(level: str, log: typing.TextIO) -> None:
    """Install the lock file: every package is checked against its hash, none is built from source.

    pip inherits the lock with the log: if we are killed, the next start.py waits until pip has ended too.
    """
    lock_file = os.path.join(ROOT, LOCKS[level])
    with open(lock_file, encoding="utf-8") as stream:
        total = len(set(re.findall(r"^([\w.-]+)==(?!.*; sys_platform == 'win32')", stream.read(), re.MULTILINE)))
    fill(["--require-hashes", "--only-binary", ":all:", "-r", lock_file], total, log)


def fill(what: list, total: int, log: typing.TextIO) -> None:
    """Install into the environment by its own pip, else by that of the machine; `what`: arguments for some `total` packages."""
    own = finished([PYTHON, "-m", "pip", "--version"])[0] == 0
    command = [PYTHON, "-m", "pip"] if own else [MACHINE_PYTHON, "-m", "pip", "--python", PYTHON]
    command += ["install", "--no-input", "--progress-bar", "off", "--no-compile", "--retries", "2",
                "--disable-pip-version-check", "--no-warn-script-location", *what]
    bar = Bar("installing", total)
    lines, seen = [], set()
    with started(command, pass_fds=() if WINDOWS else (log.fileno(),), **QUIET) as process:
        for line in process.stdout:
            log.write(line)
            lines.append(line)
            package = re.match(r"(?:Collecting|Requirement already satisfied:) ([A-Za-z0-9._-]+)", line)
            size = re.search(r"Downloading (?:\S*/)?([^/\s]+?)-\d\S* (\(.*\))", line)
            if package:
                seen.add(package.group(1))
                bar.show(len(seen) - 1, package.group(1).split("==")[0])
            elif size:
                bar.show(len(seen) - 1, " ".join(size.groups()))
            elif line.startswith("Installing collected"):
                bar.show(total - 1, "unpacking")
        code = process.wait()
    bar.end(code == 0)
    if code:
        raise Stop(pip_trouble("".join(lines)))


def pip_trouble(text: str) -> str:
    """One sentence about why pip failed, and what to do."""
    if "DO NOT MATCH THE HASHES" in text:
        return ("a downloaded package does not match the hash in the lock file and was rejected; try again, and if it persists, "
                "check for a proxy that modifies downloads (see install.log)")
    network = ("NewConnectionError", "ConnectTimeout", "ReadTimeout", "ProxyError", "SSLError", "name resolution",
               "Connection refused", "Network is unreachable", "ConnectionError", "Connection broken", "getaddrinfo",
               "RemoteDisconnected")
    if known_trouble(text):
        return known_trouble(text)
    if any(word in text for word in network):
        return "cannot reach the package index; the first start needs a network connection: connect and try again"
    missing = re.search(r"No matching distribution found for ([^\s]+)", text)
    if missing:
        return (f"no prebuilt package of {missing.group(1)} for Python {HERE} on this machine; use a 64-bit Python 3.11 to 3.14 "
                "on Linux (glibc), macOS or Windows")
    errors = re.findall(r"^ERROR: (.*)$", text, re.MULTILINE) or ["pip failed"]
    return f"could not install the packages: {errors[-1].rstrip('.')} (details in install.log)"


def known_trouble(text: str) -> str:
    """The sentence for a full disk or an unwritable folder, "" for anything else."""
    if re.search(r"No space left|Errno 28|not enough space|Disk quota", text):
        return f"the disk is full; Stiction needs about 1 GB in {ROOT}: free space and try again"
    if re.search(r"Permission denied|Errno 13|Read-only file system|Errno 30|Access is denied", text):
        return f"the folder {ROOT} is not writable; copy the project to a writable folder and start there"
    return ""


# --- tests -----------------------------------------------------------------------------------------------------------

def test(arguments: list) -> int:
    """Everything that the tests need, then ruff, the kernels and pytest; pytest's exit code."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)     # the tests start some 200 processes: each would compile every module
    if not ready("run"):
        install("run")
    with compiling():
        if not ready("dev"):
            install("dev")
        graphics = needs_display()
        report("ruff")
        style = run([PYTHON, "-P", "-m", "ruff", "check", "."], cwd=ROOT)
        report("compiling the kernels")
    run([PYTHON, "-P", "-m", "app", "warm"])
    with display() if graphics else contextlib.nullcontext():
        code = run([PYTHON, "-P", "-m", "pytest", *(arguments or side_by_side())], cwd=ROOT)
    if style and not code:
        report("the tests passed, but ruff reported errors: see above")
    return code or style


@contextlib.contextmanager
def compiling() -> typing.Iterator[None]:
    """Compile the kernels beside what mostly waits for the network and the disk, then wait for them."""
    process = started([PYTHON, "-P", "-m", "app", "warm"], **{**QUIET, "stdout": subprocess.DEVNULL})
    try:
        yield
        process.wait()
    finally:
        process.terminate()
        process.wait()


def side_by_side() -> list:
    """Arguments with which pytest runs all tests, on every core. One worker more than cores: with as many, the cores idle for a
    fifth of the time, while tests wait for windows, threads and processes of their own."""
    return ["-n", str(min((os.cpu_count() or 1) + 1, 8)), "--dist", "worksteal", "--durations", "40"]


def needs_display() -> bool:
    """True if the tests must bring their own display; installs it through apt if this may be done."""
    if not sys.platform.startswith("linux"):
        return False
    own = not os.environ.get("DISPLAY")
    if (not own or shutil.which("Xvfb")) and loads("libGL.so.1") and loads("libEGL.so.1"):
        return own
    if not shutil.which("apt-get"):
        raise Stop("the tests need a display: install Xvfb and Mesa with your package manager and try again")
    by_hand = "sudo apt-get install -y --no-install-recommends " + " ".join(APT)
    if os.geteuid() == 0:
        prefix = []
    elif shutil.which("sudo") and finished(["sudo", "-n", "true"])[0] == 0:
        prefix = ["sudo", "-n"]
    else:
        raise Stop("the tests need a display; run once: " + by_hand)
    report("installing Xvfb and Mesa through apt")
    environment = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    finished([*environment, "update"])  # without a network the lists on disk may still do
    code, text = finished([*environment, "install", "-y", "--no-install-recommends", *APT])
    if code or not (shutil.which("Xvfb") or not own):
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(text)
        raise Stop("apt could not install Xvfb and Mesa (see install.log); run: " + by_hand)
    return own


def loads(library: str) -> bool:
    """True if the machine has the shared library."""
    import ctypes
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def display() -> typing.Iterator[None]:
    """An Xvfb of our own on a free display number."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"]
    server = subprocess.Popen(command, pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writer)
    try:
        with os.fdopen(reader) as stream:
            number = stream.readline().strip()
        if not number:
            raise Stop("Xvfb did not start; run `Xvfb :99` manually to see the error")
        os.environ["DISPLAY"] = ":" + number
        yield
    finally:
        os.environ.pop("DISPLAY", None)
        server.terminate()
        server.wait()


# --- processes and words ---------------------------------------------------------------------------------------------

def surroundings() -> dict:
    """The environment of our processes: this folder's packages, nobody else's."""
    aside = ("PYTHONHOME", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__",
             "PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PIP_REQUIRE_VIRTUALENV")
    environment = {key: value for key, value in os.environ.items() if key not in aside}
    return {**environment, "PYTHONPATH": ROOT}


def started(command: list, **how: object) -> subprocess.Popen:
    """A child process of ours."""
    return subprocess.Popen(command, env=surroundings(), text=True, errors="replace", encoding="utf-8", **how)


def run(command: list, cwd: str | None = None) -> int:
    """Run a command in this terminal; its exit code."""
    sys.stdout.flush()
    with started(command, cwd=cwd) as process:
        try:
            return process.wait()
        except BaseException:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(3)  # Ctrl+C reached it too: let it have its last words
            process.terminate()
            raise


def finished(command: list) -> tuple:
    """Run a command quietly; (exit code, what it printed)."""
    with started(command, **QUIET) as process:
        text = process.communicate()[0]
    return process.returncode, text


def become(command: list) -> int:
    """Leave this process to the command; Windows has no such call and waits for it."""
    if WINDOWS:
        return run(command)
    sys.stdout.flush()
    os.execve(command[0], command, surroundings())


class Bar:
    """A progress bar in a terminal; without one, nothing but the last line."""

    def __init__(self, title: str, total: int) -> None:
        self.title, self.total, self.live = title, max(total, 1), sys.stderr.isatty()
        if not self.live:
            report(f"{title} {total} packages")

    def show(self, done: int, text: str) -> None:
        """`done` of all are done; `text` is what happens now."""
        if self.live:
            done = min(max(done, 0), self.total)
            filled = 24 * done // self.total
            line = f"{self.title} [{'#' * filled}{'.' * (24 - filled)}] {done}/{self.total} {text}"
            width = shutil.get_terminal_size().columns - 1
            sys.stderr.write("\r" + line[:width].ljust(width))
            sys.stderr.flush()

    def end(self, good: bool) -> None:
        """Close the line."""
        if good:
            self.show(self.total, "done")
        if self.live:
            sys.stderr.write("\n")


def report(sentence: str) -> None:
    """One line to the person, out of the way of what is printed."""
    sys.stderr.write(sentence + "\n")
    sys.stderr.flush()


def guarded(words: list) -> int:
    """Run `main`; every failure is one sentence."""
    if not WINDOWS:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return main(words)
    except Stop as stop:
        report("start.py: " + str(stop))
        return stop.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if DEBUG:
            raise
        report("start.py: " + (known_trouble(str(error)) or f"system error: {error} (run with --debug for the location)"))
        return MISSING
    except Exception as error:
        if DEBUG:
            raise
        report(f"start.py: internal error: {type(error).__name__}: {error} (run with --debug for the location)")
        return FAILED


if __name__ == "__main__":
    sys.exit(guarded(sys.argv[1:]))
