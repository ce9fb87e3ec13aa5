"""Kills a program at random moments and looks at what it leaves: `python -m tests.kills --count 200 [--seed N] [--compiling]`.

The program runs a scene by the physics thread, as a window does, edits it every few milliseconds with a journal, and saves
recordings, scene files and settings again and again. It notes, by plain writes that outlive it, what it was at which step. After
each kill all files must be whole, nothing unfinished may be left once the next one has started, and the journal must give back a
state of the last second, bit for bit.

--compiling: what is killed is the compilation of the kernels. Its workers must end, too, and the kernels that are on the disk
then must be whole.
"""

import argparse
import hashlib
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from app.engine import commands
from app.engine.recording import file
from app.engine.recording.journal import abandoned
from app.engine.scene_files import scene_file
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from app.files.atomic_write import TEMPORARY_MARK, remove_leftovers, write
from app.gui.shell.settings import Settings, as_toml, load
from tests.helpers import ROOT

VIEW = {"target": [0.0, 0.0, 0.5], "distance": 6.0, "azimuth": 35.0, "elevation": 20.0, "flat": False, "plots": [],
        "breakpoints": [], "solvers": []}
"""What a window would add to a scene file."""
SCENES = ("pendulum", "incline", "stack")
LOST = 1.0
"""Wall seconds of a person's work that a kill may take."""
READY = 60.0
"""Seconds that the program has to start."""


# ---- the program that is killed


def digest(simulation: Simulation) -> str:
    """Of everything that a next step reads and a person could have changed."""
    world = simulation.world
    tables = (world.bodies, world.shapes, world.joints, world.contacts)
    parts = (*(table.tobytes() for table in tables), repr((world.time, tuple(world.gravity), tuple(world.body_names))).encode())
    return hashlib.blake2b(b"".join(parts), digest_size=8).hexdigest()


class Notes:
    """Writes down what the simulation is after each step and command; a witness of the steps."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", 0)

    def on_step(self, simulation: Simulation) -> None:
        """A step was made."""
        self.note(simulation)

    def note(self, simulation: Simulation) -> None:
        """What it is now, and when."""
        line = f"{time.time():.4f} {simulation.world.steps} {len(simulation.edits.done)} {digest(simulation)}\n"
        self._file.write(line.encode())

    def forget_after(self, step: int) -> None:
        """Every line has its step."""

    def forget(self) -> None:
        """Every line has its state."""


class WatchedSimulation(Simulation):
    """notes: of every state. Where nobody looks at the clock, every step can be made again."""

    notes: Notes | None = None

    def note_now(self) -> None:
        """After an edit, which is no step."""
        self.notes.note(self)


def program(folder: Path, seed: int) -> None:
    """Until it is killed."""
    logging.disable(logging.ERROR)
    remove_leftovers(folder)
    chance = random.Random(seed)
    simulation = WatchedSimulation(chance.choice(SCENES))
    commands.set_option(simulation, "budget", 0.0)
    simulation.notes = Notes(folder / "notes")
    commands.add_observer(simulation, simulation.notes)
    thread = PhysicsThread(simulation)
    thread.start_journal(folder / "journal")
    simulation.notes.note(simulation)
    thread.start()
    thread.post(commands.set_time_share, 0.0)
    assert thread.journal.wait(READY)
    (folder / "ready").touch()
    post = thread.post
    for k in range(1_000_000):
        what = chance.random()
        if what < 0.4:
            post(commands.set_gesture, k)
            post(commands.set_friction, chance.uniform(0.1, 1.0))
        elif what < 0.6:
            post(commands.set_gravity, (chance.uniform(-1.0, 1.0), 0.0, -9.81))
        elif what < 0.62:
            post(commands.throw, (chance.uniform(-9.0, 9.0), chance.uniform(3.0, 9.0), 2.0), (0.0, 5.0, 0.0))
        elif what < 0.7:
            post(commands.undo)
        elif what < 0.72:
            post(commands.step_back, chance.randrange(1, 20))
            post(Simulation.run)
        elif what < 0.73:
            post(Simulation.reset)
        elif what < 0.8:
            post(commands.save_recording, folder / "run.stiction", write, whole=True)
        elif what < 0.83:
            post(commands.save_scene_file, folder / "scene.toml", VIEW, (), write)
        elif what < 0.88:
            write(folder / "settings.toml", as_toml(Settings(scene=f"{k}", width=1000 + k % 1000)).encode())
        post(WatchedSimulation.note_now)
        time.sleep(chance.uniform(0.0, 0.01))


# ---- what it leaves


def look(folder: Path) -> str:
    """What can be told of a folder whose program was killed.

    Raises:
        AssertionError: something is lost or not whole.
    """
    lines = [line.split() for line in (folder / "notes").read_bytes().decode().split("\n")[:-1]]
    told = {(int(step), int(edits), check): float(when) for when, step, edits, check in lines}
    end = float(lines[-1][0])
    if (folder / "run.stiction").exists():
        file.read(folder / "run.stiction")
    if (folder / "scene.toml").exists():
        scene_file.read(folder / "scene.toml")
    if (folder / "settings.toml").exists():
        tomllib.loads((folder / "settings.toml").read_text())
        assert load(folder / "settings.toml")[1] == ""
    for place in (folder, folder / "journal"):
        remove_leftovers(place)
        assert not list(place.glob(f".*{TEMPORARY_MARK}")), "something unfinished is left"
    left = abandoned(folder / "journal")
    if not left and end - min(told.values()) <= LOST:
        return "nothing was done yet"
    assert len(left) == 1, f"{len(left)} journals are left, not one"
    again = Simulation()
    commands.recover(again, left[0].path, left[0].remove)
    assert not list((folder / "journal").iterdir()), "the restored journal is still there"
    commands.go_to_step(again, again.history.last)
    again.timeline.go_to_goal()
    assert not any("differs" in text for text in again.messages), again.messages
    key = again.world.steps, len(again.edits.done), digest(again)
    near = [(edits, check) for step, edits, check in told if step == key[0]]
    found = [when for (step, _, check), when in told.items() if (step, check) == (key[0], key[2])]
    assert found, f"step {key[0]} with {key[1]} edits is {key[2]}, and was {near}"
    lost = end - max(found)
    assert lost <= LOST, f"{lost:.2f} s are lost"
    return f"{again.scene_name} step {key[0]} edits {key[1]} check {key[2]} lost {lost:.3f} s"


def kill(seed: int) -> str:
    """Start it, kill it, look; raises as `look`."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="stiction-kills-") as name:
        folder = Path(name)
        with subprocess.Popen([sys.executable, "-m", "tests.kills", "--program", name, "--seed", str(seed)], cwd=ROOT) as process:
            end = time.monotonic() + READY
            while not (folder / "ready").exists():
                assert process.poll() is None and time.monotonic() < end, "the program did not start"
                time.sleep(0.01)
            time.sleep(chance.uniform(0.0, 2.0))
            assert process.poll() is None, "the program ended by itself"
            process.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
        return look(folder)


LOOK = """
from physics.core.compile import cache
from pathlib import Path
import sys
sets = [place for place in Path(sys.argv[1]).glob("kernels-*") if (place / cache.MANIFEST).exists()]
for place in sets:
    cache._copy_published(place, Path(sys.argv[2]) / place.name)
    assert place.exists(), "a set is not whole"     # such a one is removed
print(sum(len(list(place.rglob("*.nbi"))) for place in sets))
"""


def kill_compiling(seed: int) -> str:
    """Kill a compilation of all kernels in its first half minute; what it left, or AssertionError."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="stiction-kills-") as name:
        for folder in ("cache", "copy"):
            (Path(name) / folder).mkdir(mode=0o700)
        with subprocess.Popen([sys.executable, "-P", "-m", "app", "warm"], cwd=ROOT, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, start_new_session=True,
                              env={**os.environ, "PYTHONPATH": str(ROOT), "STICTION_CACHE_DIR": f"{name}/cache"}) as process:
            time.sleep(chance.uniform(1.0, 30.0))
            assert process.poll() is None, "the program ended by itself"
            process.kill()
        end = time.monotonic() + READY
        while _alive(process.pid):
            assert time.monotonic() < end, "its workers go on"
            time.sleep(0.1)
        done = subprocess.run([sys.executable, "-c", LOOK, f"{name}/cache", f"{name}/copy"], cwd=ROOT, capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": str(ROOT), "STICTION_CACHE_DIR": f"{name}/other"},
                              check=False)
        assert done.returncode == 0, done.stderr
        return f"{done.stdout.strip()} kernels were whole"


def _alive(group: int) -> bool:
    """Whether a process of the group still runs."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> int:
    """Kill as often as asked; 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiling", action="store_true", help="kill the compilation of the kernels")
    parser.add_argument("--program", metavar="FOLDER", help=argparse.SUPPRESS)
    args = parser.parse_args()
    logging.disable(logging.ERROR)
    if args.program:
        program(Path(args.program), args.seed)
        return 0
    failed = 0
    for seed in range(args.seed, args.seed + args.count):
        try:
            said = kill_compiling(seed) if args.compiling else kill(seed)
        except Exception as error:  # noqa: BLE001  (each kill counts)
            failed, said = failed + 1, f"FAILED: {type(error).__name__}: {error}"
        print(f"{seed}: {said}", flush=True)
    print(f"{args.count - failed} of {args.count} kills survived")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
