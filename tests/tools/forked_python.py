"""Python code in processes of its own that are forks of one in which numba is loaded: a fresh start of numba takes 3 s each time.

The one process has loaded what numba loads late, too, and compiled nothing; it has seen nothing of the project. Its context of
compilation is thrown away: the project chooses its processor before the first one is made. Except under Linux a fresh process
runs the code.
"""

import atexit
import functools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PARENT = """
import json, os, sys
import numpy
from numba.core.registry import cpu_target
cpu_target.typing_context.refresh()
cpu_target.target_context.refresh()
vars(cpu_target).pop("_toplevel_target_context")
for line in sys.stdin:
    task = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
for number, (name, way) in enumerate([(os.devnull, os.O_RDONLY), *((name, os.O_WRONLY) for name in task["outputs"])]):
    os.dup2(os.open(name, way), number)
os.environ.clear()
os.environ.update(task["env"])
sys.path.insert(0, os.environ["PYTHONPATH"])
sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in os.environ
exec(task["code"], {"__name__": "__main__"})
"""


@functools.cache
def _parent() -> subprocess.Popen:
    process = subprocess.Popen([sys.executable, "-P", "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def run(code: str, env: dict[str, str]) -> subprocess.CompletedProcess:
    """Run the code to its end, handlers of atexit included. env: the whole environment; one folder as PYTHONPATH."""
    if sys.platform != "linux":
        return subprocess.run([sys.executable, "-P", "-c", code], env=env, text=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        outputs = [Path(folder, name) for name in ("out", "err")]
        for path in outputs:
            path.touch()
        parent = _parent()
        parent.stdin.write(json.dumps({"code": code, "env": env, "outputs": [str(path) for path in outputs]}) + "\n")
        parent.stdin.flush()
        returncode = int(parent.stdout.readline())
        return subprocess.CompletedProcess(code, returncode, *(path.read_text() for path in outputs))
