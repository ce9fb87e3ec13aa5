"""The physics does something at the worst moment: between two lines of what draws the window.

    python -m tests.interleaving [--every N] [--panel NAME ...]

A picture is traced line by line; before one of the lines the physics loads a scene, takes a body, forgets a curve ... as its
thread may do at any time. What a panel reads twice may then differ: such an error comes once in a thousand hours, on the slowest
machine, and is found here at once.
"""

import argparse
import itertools
import random
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from unittest.mock import patch

from app.engine import commands
from app.engine.comparison import Comparison
from app.engine.simulation import Simulation
from app.engine.thread import PhysicsThread
from app.session import Selection
from tests.helpers import ROOT
from tests.tools.person import Person, at, opened

APP = ROOT / "app"
WATCHED = tuple(str(APP / part)
                for part in ("panels", "gui", "analysis", "render", "session.py", "window.py"))
Place = tuple[str, int]

COMMANDS: tuple[tuple, ...] = (
    (Simulation.load, "pendulum"), (Simulation.load, "bouncing_balls"), (commands.remove_body, 1),
    (commands.unfollow, "world.energy"), (Simulation.single_step, 1), (Simulation.reset,),
    (commands.use_solver, "sequential_impulses"), (Comparison.stop_comparing,), (commands.undo,),
    (commands.follow, "world.kinetic"),
)
"""What the physics may be told at any moment."""


@dataclass
class Clash:
    """What came of `command` being obeyed before the line at `place`."""

    place: Place
    command: tuple
    told: str

    def __str__(self) -> str:
        path, line = self.place
        return f"{Path(path).relative_to(APP)}:{line} with {self.command}:\n{self.told}"


def lines_of(draw: Callable[[], None], at_place: Callable[[Place], None]) -> None:
    """Run `draw`; `at_place` hears of every line of the window's own code before it runs."""
    def local(frame: FrameType, event: str, _: object) -> Callable | None:
        if event == "line":
            at_place((frame.f_code.co_filename, frame.f_lineno))
        return local

    def entered(frame: FrameType, event: str, _: object) -> Callable | None:
        return local if frame.f_code.co_filename.startswith(WATCHED) else None

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        draw()
    finally:
        sys.settrace(before)


class Interleaving:
    """Someone at a window whose physics runs only where it is let."""

    def __init__(self, person: Person, scene: str) -> None:
        self.person, self.session, self.scene = person, person.session, scene
        self.panels = person.window.gui.panels
        self.seen: set[Place] = set()

    def apply_command(self, *command: object) -> None:
        """What the physics thread does between two steps, here and now."""
        thread = self.session.thread
        thread.post(*command)
        thread.run_commands()
        while thread.comparison.is_seeking:
            thread.comparison.catch_up()
        thread.publish()

    def go_to_goal(self) -> None:
        """Where every try starts from: two solvers, a curve, something to take back, a contact and bodies selected."""
        for command in ((Comparison.stop_comparing,), (Simulation.load, self.scene), (Comparison.compare_with, "stewart_trinkle"),
                        (commands.follow, "world.energy"), (commands.set_friction, 0.3), (Simulation.single_step, 4),
                        (Simulation.pause,)):
            self.apply_command(*command)
        self.person.look(2)
        self.session.selection = Selection(body=1, joint=len(self.session.frame.joints) - 1, contact=0, more=(2,))
        self.person.look(1)

    def new_lines(self) -> list[Place]:
        """The lines of one picture that no earlier picture has run, in their order."""
        found: dict[Place, None] = {}
        lines_of(self.person.look, found.setdefault)
        new = [place for place in found if place not in self.seen]
        self.seen.update(new)
        return new

    def clash(self, place: Place, command: tuple) -> Clash | None:
        """Draw a picture; where it first comes to the place, the command is obeyed before."""
        told, waiting = [], [place]

        def at_place(here: Place) -> None:
            if waiting and here == place:
                waiting.clear()
                self.apply_command(*command)

        def complain(where: str, error: Exception) -> None:
            told.append("".join(traceback.format_exception(error)[-4:]))

        with patch.object(self.person.window, "complain", complain):
            lines_of(self.person.look, at_place)
            self.person.look(2)
        for panel in self.panels.all.values():
            if panel.error:
                told.append(panel.error)
                panel.error = ""
        return Clash(place, command, told[0]) if told else None


@contextmanager
def held_physics(scene: str = "incline") -> Iterator[Interleaving]:
    """A window without a physics thread of its own."""
    with patch.object(PhysicsThread, "start", lambda self: None), patch.object(PhysicsThread, "stop", lambda self: None):
        for window in opened():
            for person in at(window):
                window.set_size(1600, 1000)
                yield Interleaving(person, scene)


def tries(held: Interleaving, panel: str, every: int, chance: random.Random) -> Iterator[Clash]:
    """Every n-th line that a panel draws first, with a command that is drawn by lot."""
    held.panels.open(panel)
    held.go_to_goal()
    held.person.look(4)
    for place in itertools.islice(held.new_lines(), chance.randrange(every), None, every):
        held.go_to_goal()
        found = held.clash(place, chance.choice(COMMANDS))
        if found is not None:
            yield found


def main() -> None:
    told = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    told.add_argument("--every", type=int, default=5, help="only every n-th line (default 5)")
    told.add_argument("--panel", nargs="*", help="only these panels")
    told.add_argument("--scene", default="incline")
    told.add_argument("--seed", type=int, default=1)
    asked = told.parse_args()
    chance = random.Random(asked.seed)
    with held_physics(asked.scene) as held:
        for panel in asked.panel or sorted(held.panels.all):
            for clash in tries(held, panel, asked.every, chance):
                print(clash, flush=True)
            print(f"{panel}: {len(held.seen)} lines seen", flush=True)


if __name__ == "__main__":
    main()
