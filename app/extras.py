"""How the packages of an extra (pyproject.toml) come into the environment that runs this."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def install_command(extra: str, packages: str) -> str:
    """A command line that installs them. The environment that start.py makes has no pip: start.py fills it.

    packages: names of the extra's packages, separated by spaces.
    """
    if Path(sys.prefix) == ROOT / ".venv" and (ROOT / "start.py").is_file():
        words = [getattr(sys, "_base_executable", sys.executable), str(ROOT / "start.py"), "install", extra]
    else:
        words = [sys.executable, "-m", "pip", "install", *packages.split()]
    return subprocess.list2cmdline(words)
