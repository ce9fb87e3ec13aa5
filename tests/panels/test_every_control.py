"""Every control of physics, inspector and transport: set by the user, received by the physics, undone by Ctrl+Z."""

from dataclasses import dataclass, fields

import numpy as np
import pytest
from imgui_bundle import imgui
from pyglet.window import key

from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls import widgets
from app.gui.controls.values import title
from app.session import Selection
from physics import solvers
from tests.tools.person import some_body

KEPT = {"throw speed": "of the hand, not of the scene", "speed": "of the clock, not of the scene",
        "share of real time": "of the clock, not of the scene"}
"""What undo does not give back, and why."""


@dataclass
class DrawnControl:
    """As a panel drew it last: what it shows, what it takes."""

    kind: str
    value: object
    lo: float | None = None
    hi: float | None = None
    choices: tuple = ()

    @property
    def other(self):
        """Something else that it must take, near what it shows: the scene should go on."""
        if self.kind == "toggle":
            return not self.value
        if self.kind == "choice":
            return self.choices[(self.choices.index(self.value) + 1) % len(self.choices)]
        if isinstance(self.value, int):
            return self.value - 1 if self.value == self.hi else self.value + 1
        less = 0.9 * self.value if self.value else 0.1
        allowed = (self.lo is None or less >= self.lo) and (self.hi is None or less <= self.hi)
        return less if allowed else 0.5 * (self.lo + self.hi)


@dataclass
class Board:
    """All controls of one panel by label; wanted: scrolled to where it can be reached."""

    panel: str
    controls: dict
    wanted: str = ""

    def note(self, label, control):
        if imgui.internal.get_current_window().name.rpartition("#")[2] == self.panel:
            self.controls[widgets.grouped(label)] = control
            if widgets.grouped(label) == self.wanted:
                imgui.set_scroll_here_y(0.5)


@pytest.fixture
def board(monkeypatch):
    board = Board("", {})
    number, toggle, choice = widgets.number, widgets.toggle, widgets.choice

    def as_number(label, value, **settings):
        new = number(label, value, **settings)
        board.note(label, DrawnControl("number", value, settings.get("lo"), settings.get("hi")))
        return new

    def as_toggle(label, value, help=""):
        new = toggle(label, value, help)
        board.note(label, DrawnControl("toggle", value))
        return new

    def as_choice(label, value, choices, *rest, **settings):
        new = choice(label, value, choices, *rest, **settings)
        board.note(label, DrawnControl("choice", value, choices=tuple(choices)))
        return new

    for name, function in (("number", as_number), ("toggle", as_toggle), ("choice", as_choice)):
        monkeypatch.setattr(widgets, name, function)
    return board


def near(shown, wanted):
    """Numbers pass through a field of text of six digits, and through units."""
    return np.isclose(shown, wanted, rtol=1e-5, atol=1e-12) if isinstance(wanted, float) else shown == wanted


def use(person, board, label, wanted):
    """As a person sets it."""
    control, spot = board.controls[label], f"{board.panel}/{label}"
    if control.kind == "toggle":
        person.click(spot)
    elif control.kind == "choice":
        person.click(spot)
        widgets.clickable_areas.clear()
        person.look(2)
        person.click(next(name for name in widgets.clickable_areas if name.endswith(f"{label}={wanted}")))
    else:
        person.type_into(spot, f"{wanted:.7g}")


def drive(person, board, labels=None):
    """Set every control of a panel, or these, to something else and take it back; what did not work."""
    person.look(4)
    wrong = []
    for label in [label for label in board.controls if labels is None or label in labels]:
        board.wanted = label
        person.look(3)
        old = board.controls[label].value
        new = board.controls[label].other
        use(person, board, label, new)
        if not person.wait(lambda label=label, new=new: near(board.controls[label].value, new), 5.0):
            wrong.append(f"{label} shows {board.controls[label].value} after {new} was set")
        elif label not in KEPT:
            person.hit(key.Z, key.MOD_CTRL)
            if not person.wait(lambda label=label, old=old: board.controls[label].value == old, 5.0):
                wrong.append(f"{label} shows {board.controls[label].value} after undo, and was {old}")
    board.wanted = ""
    return wrong


OWN_SCENES = {"event_driven": "double_pendulum_wall", "subsystems": "four_bars"}
"""Scenes for solvers that refuse the pyramid."""


@pytest.mark.parametrize("solver", sorted(solvers.available()))
def test_every_parameter_of_every_solver(person, board, solver):
    person.load(OWN_SCENES.get(solver, "pyramid"))
    person.session.post(commands.use_solver, solver)
    assert person.wait(lambda: isinstance(person.session.simulation.world.solver, solvers.available()[solver]))
    person.session.window.show_panel("physics")
    board.panel = "physics"
    own = {title(field.name) for field in fields(person.session.simulation.world.solver.options)}
    assert not drive(person, board, own)
    assert own & set(board.controls)


def test_every_parameter_of_the_scene(person, board):
    person.load("pyramid")
    person.session.window.show_panel("physics")
    board.panel = "physics"
    own = {title(field.name) for field in fields(person.session.simulation.world.solver.options)}
    person.look(4)
    assert not drive(person, board, set(board.controls) - own)


def test_every_field_of_a_body(person, board):
    person.load("pyramid")
    person.session.selection = Selection(body=some_body(person.session))
    person.session.window.show_panel("inspector")
    board.panel = "inspector"
    assert not drive(person, board)
    assert {"position x", "velocity z", "mass", "spin y", "angles x"} <= set(board.controls)


def test_every_field_of_a_joint(person, board):
    person.load("door")
    person.session.selection = Selection(joint=0)
    person.session.window.show_panel("inspector")
    board.panel = "inspector"
    assert not drive(person, board)
    assert board.controls


def test_the_numbers_of_the_transport(person, board):
    person.load("pyramid")
    board.panel = "top"
    assert not drive(person, board)
    assert set(board.controls) == {"speed", "step size"}
    person.session.post(Simulation.set_speed, 1.0)


def test_buttons_and_lines_of_the_edits(person):
    person.load("pyramid")
    simulation = person.session.simulation
    for g in (1.0, 2.0, 3.0):
        person.session.post(commands.set_gravity, (0.0, 0.0, -g))
        person.session.post(Simulation.single_step)      # else they are one movement of a slider
        assert person.wait(lambda g=g: person.session.frame.gravity[2] == -g)
    count = len(simulation.edits.done)
    person.window.gui.panels.open("edits")
    person.look(4)

    def gravity_is(g):
        return person.wait(lambda: person.session.frame.gravity[2] == -g, 5.0)

    person.click("edits/undo")
    assert gravity_is(2.0)
    person.click("edits/redo")
    assert gravity_is(3.0)
    person.click(f"edits/edit {count - 2}")
    assert gravity_is(1.0) and len(simulation.edits.undone) == 2
    person.click(f"edits/edit {count}")
    assert gravity_is(3.0) and not simulation.edits.undone
    person.window.gui.panels.all["edits"].open = False
