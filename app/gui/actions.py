"""The one table of what a person can do: keys, menus, help, tooltips, palette and README are all made of it.

To add something, write one row into the function of its topic:

    Action("throw", "Throw a ball at the cursor", throw, "B", "Its speed is in the panel Physics."),

Three makers serve most rows: `post("reset")` is a command of the simulation, `request("screenshot")` is for the window, and any
function of (session, viewport) will do. Keys are written as people say them, with spaces between alternatives: "Space P",
"Ctrl+Shift+Z", ", Left", "Ctrl++", "Num1" (of the keypad). `on` makes it a toggle: it tells whether it is on now;
`possible` tells whether it would do anything now. Panels, scenes, solvers and options
need no rows (palette.py finds them). A test finds keys that mean two things.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import scenes
from app import language
from app.gui.controls.values import faster, slower
from app.gui.hand import choosing, hiding, standing
from app.gui.hand.thing_menu import duplicate
from app.gui.hand.tools import Tool, choose
from app.gui.output import tapes
from app.gui.output.recording import Shown
from app.gui.text import fonts
from app.session import Selection, Session
from app.sound.sound import Sound
from app.view import ViewOptions, toggles
from physics import fields

TOPICS = ("Scene", "Edit", "Time", "View", "Camera", "Panels", "Tools", "Help")

Do = Callable[[Session, Any], None]
"""A function of the session and the viewport (app/gui/hand/viewport.py)."""


@dataclass(frozen=True)
class Action:
    """One thing to do. name: for code and tests, never changes; keys: those that do it; help: a sentence or two."""

    name: str
    label: str
    do: Do
    keys: str = ""
    help: str = ""
    on: Callable[[Session], bool] | None = None
    topic: str = ""
    possible: Callable[[Session], bool] | None = None
    many: str = ""      # what rows of one kind do, in the one line that the help has for all of them

    @property
    def shortcut(self) -> str:
        """Its keys as they are shown: "Space or P"."""
        return " or ".join(self.keys.split())

    def ready(self, session: Session) -> bool:
        """False: it would do nothing now, menus show it grey."""
        return self.possible is None or self.possible(session)

    @property
    def tip(self) -> str:
        """What a tooltip says."""
        text = self.help or f"{self.label}."
        return f"{text} ({self.shortcut})" if self.keys else text


def post(command: str, *args: Any) -> Do:
    """Do a command of the simulation."""
    return lambda session, viewport: session.post(command, *args)


def request(what: str) -> Do:
    """Ask the window (`Window._requests`)."""
    return lambda session, viewport: session.request(what)


# ---- the rows, by topic


def scene_actions() -> Iterator[Action]:
    yield Action("picker", "Open a scene", request("panel:picker"), "Ctrl+O",
                 "All scenes with their pictures, by category and words.")
    yield Action("reset", "Reset the scene", post("reset"), "R", "Build the scene again; your settings stay.")
    yield Action("previous_scene", "Previous scene", _neighbour(-1), "[")
    yield Action("next_scene", "Next scene", _neighbour(1), "]")
    yield Action("own_materials", "The scene's own materials", post("restore_materials"),
                 help="Give every body and joint its own friction and restitution again.")
    yield Action("quit", "Quit", request("quit"), "Ctrl+Q")


def edit_actions() -> Iterator[Action]:
    yield Action("undo", "Undo", post("undo"), "Ctrl+Z", "Take back the newest edit; time goes on. The panel Edits lists them.",
                 possible=lambda session: bool(session.simulation.edits.done))
    yield Action("redo", "Redo", post("redo"), "Ctrl+Y Ctrl+Shift+Z", "Do again what was undone last.",
                 possible=lambda session: bool(session.simulation.edits.undone))
    yield Action("select_all", "Select all that moves", _choose_all, "Ctrl+A",
                 "Ctrl+click adds one body or takes it out, Ctrl+drag adds what is in a rectangle.")
    yield Action("duplicate", "Duplicate what is selected", _duplicate, "Ctrl+D",
                 "Copies beside it, at rest; joints between them, and to what is static, come along.",
                 possible=lambda session: session.selection.body > 0)
    yield Action("remove", "Remove what is selected", _remove, "Del", "Bodies with their joints.",
                 possible=lambda session: session.selection.body > 0)
    for mode, key, label in (("move", "G", "Move what is selected"), ("turn", "T", "Turn what is selected"),
                             ("size", "Z", "Size what is selected")):
        yield Action(mode, label, _take(mode), key, "Handles to hold; Ctrl snaps. Time stands still meanwhile.", _in_hand(mode))
    yield Action("local", "Handles along the body's axes", _local, "L", "Else along those of the world.",
                 lambda session: session.memory(Tool).local)
    yield Action("add", "Add a body at the cursor", lambda session, viewport: viewport.menu(), "Shift+A",
                 "Right-click does the same, on what is under the cursor.")
    yield Action("deselect", "Deselect", _deselect, "Esc", "Let go and select nothing.")
    yield Action("throw", "Throw a ball at the cursor", lambda session, viewport: viewport.throw(), "B",
                 "The panel Physics has its speed.")


def time_actions() -> Iterator[Action]:
    yield Action("run", "Run or pause", post("toggle_pause"), "Space P", on=lambda session: not session.frame.paused)
    yield Action("step", "One step", post("single_step"), ". Right", "One step, then pause.")
    yield Action("step_back", "One step back", post("step_back"), ", Left", "One step back, then pause.")
    yield Action("run_to_hit", "Run to the next breakpoint", post("run_to_hit"), "H",
                 possible=_watches)
    yield Action("run_back_to_hit", "Run back to the last breakpoint", post("run_back_to_hit"), "Ctrl+H",
                 "Through the past to the step at which a breakpoint that is on fired last, or to the oldest step.",
                 possible=_watches)
    yield Action("tape", "Record the motion, or stop and save", lambda session, viewport: tapes.toggle(session), "F7",
                 "What happens from now on goes into a file, from which it is made again bit for bit. No video.",
                 on=lambda session: session.simulation.since >= 0)
    yield Action("play_past", "Play the past", post("play_past"), "F8",
                 "See what was again, at the pace of time; nothing of it is forgotten.",
                 on=lambda session: session.simulation.playing and not session.simulation.backwards)
    yield Action("play_back", "Play the past backwards", post("play_back"), "Shift+F8 Shift+,",
                 "See what was in reverse, at the speed that is set, to its oldest step; nothing of it is forgotten.",
                 on=lambda session: session.simulation.in_reverse)
    yield Action("loop", "Loop", lambda session, viewport: tapes.loop(session), "F6",
                 "Play the past over and over, between two handles on its bar.",
                 on=lambda session: session.simulation.loop is not None)
    yield Action("save_past", "Save the past as a recording", lambda session, viewport: tapes.save_past(session),
                 help="All that is on the bar of the past, in a file.")
    yield Action("open_recording", "Open a recording", request("open:recordings"), "Ctrl+Shift+O",
                 "A recording, or a report of a problem, can be dropped on the window, too.")
    yield Action("slower", "Slower", _speed(slower), "-", "Half the speed.")
    yield Action("faster", "Faster", _speed(faster), "=", "Twice the speed.")
    yield Action("keep", "Keep this moment", post("keep_state"), "F5")
    yield Action("return", "Go back to the kept moment", post("return_to_state"), "F9",
                 possible=lambda session: session.simulation.kept is not None)


VIEW_KEYS = {"wireframe": "Alt+W", **{name: overlay.key for name, overlay in toggles().items()}}
"""Keys of the toggles of app/view.py, which bring their help."""


def view_actions() -> Iterator[Action]:
    for field in fields(ViewOptions()):
        if isinstance(field.default, bool):
            yield Action(f"view_{field.name}", field.name.replace("_", " ").capitalize(), _flip(field.name),
                         VIEW_KEYS.get(field.name, ""), field.metadata["help"], _shown(field.name))
    yield Action("hide_bodies", "Hide what is selected", _hide, "Shift+H",
                 "Neither drawn nor found by the mouse; the physics goes on with it. The Outliner has an eye for each body.",
                 possible=lambda session: session.selection.body > 0)
    yield Action("show_bodies", "Show all that is hidden", lambda session, viewport: hiding.show_all(session), "Alt+H",
                 possible=lambda session: bool(session.memory(hiding.Hidden).bodies))
    yield Action("theme", "Next theme", _next_theme, help="Dark, light, high contrast.")
    for code, name in language.LANGUAGES.items():
        yield Action(f"language_{code}", f"Language {name if fonts.can_show(code) else language.IN_LATIN[code]}", _speak(code),
                     help=f"{language.IN_LATIN[code]}." if fonts.can_show(code) else fonts.NO_CHINESE,
                     on=lambda session, code=code: language.code() == code,
                     possible=lambda session, code=code: fonts.can_show(code))
    yield Action("larger", "Larger text", request("larger"), "Ctrl+= Ctrl++")
    yield Action("smaller", "Smaller text", request("smaller"), "Ctrl+-")
    yield Action("own_size", "Text in its own size", request("own size"), "Ctrl+0 Ctrl+Num0")


def camera_actions() -> Iterator[Action]:
    yield Action("frame", "Frame the scene", _frame, "F Home", "Back to the scene's own view.")
    yield Action("follow", "Follow the selected body", lambda session, viewport: standing.follow(session), "Shift+F",
                 "The camera goes along with it; again ends that.", standing.follows)
    yield Action("flat", "Parallel rays", lambda session, viewport: standing.flatten(session), "Num5",
                 "An orthographic picture: what is equally long looks equally long, near or far.",
                 lambda session: session.camera.flat)
    for (name, (way, _, _)), keys in zip(standing.ALONG.items(), ("Num1", "Ctrl+Num1", "Num3", "Ctrl+Num3", "Num7", "Ctrl+Num7")):
        yield Action(f"view_from_{name}", f"From the {name}", _stand(standing.turn, name), keys, f"Look {way}.")
    for number in standing.KEPT:
        yield Action(f"view_{number}", f"Go to view {number}", _stand(standing.recall, number), f"{number}",
                     "A view of this scene that was kept.", possible=lambda session, n=number: standing.kept(session, n),
                     many="Go to a kept view")
    for number in standing.KEPT:
        yield Action(f"keep_view_{number}", f"Keep this view as {number}", _stand(standing.keep, number), f"Ctrl+{number}",
                     "For this scene, as long as the window is open.", many="Keep a view")


def panel_actions() -> Iterator[Action]:
    yield Action("hide", "Hide or show all panels", request("hide"), "Tab")
    yield Action("keyboard", "Keyboard into the panels", request("keyboard"), "Ctrl+Tab",
                 "Arrows go from control to control, Space presses, Enter types, Ctrl+Tab goes to the next panel, Esc goes back "
                 "to the scene.")
    yield Action("layout", "Default layout", request("layout"), help="Every panel back to its place.")


def tool_actions() -> Iterator[Action]:
    yield Action("palette", "All commands", request("panel:palette"), "Ctrl+P Ctrl+Shift+P",
                 "Everything that can be done or set, found by typing a few letters of it.")
    yield Action("lock", "Lock for a class", request("open:lock"),
                 help="Leave only the lesson, its parameters, the plot and the time within reach, until a code is typed.")
    yield Action("sound", "Sound", _sound,
                 help="Hear impacts, sliding and joints. The panel Sound has the volume and what sounds.",
                 on=lambda session: session.memory(Sound).wanted["on"])
    yield Action("screenshot", "Screenshot", request("screenshot"), "F12", "PNG into the pictures folder.")
    yield Action("report", "Report a problem", _report,
                 help="A zip of scene, state, the newest seconds, settings, versions, console and a picture, without your name, "
                      "to send to somebody. Dropped on a window it is replayed.")
    yield Action("picture", "Picture of the scene alone", request("picture"), "Shift+F12",
                 "Without panels; PNG into the pictures folder.")
    yield Action("record", "Begin or end a video", request("record"), "Ctrl+F12",
                 "Into the pictures folder; the panel Video has its size, clock and kind.",
                 lambda session: session.memory(Shown).recording)
    yield Action("video", "Settings of videos", request("panel:video"))


def help_actions() -> Iterator[Action]:
    yield Action("help", "Keys and mouse", request("panel:help"), "F1 ?")


ROWS = {"Scene": scene_actions, "Edit": edit_actions, "Time": time_actions, "View": view_actions, "Camera": camera_actions,
        "Panels": panel_actions,
        "Tools": tool_actions, "Help": help_actions}


# ---- finding them


@cache
def actions() -> dict[str, Action]:
    """All of them by name, in the order of the topics."""
    return {action.name: replace(action, topic=topic) for topic in TOPICS for action in ROWS[topic]()}


def of_topic(topic: str) -> list[Action]:
    return [action for action in actions().values() if action.topic == topic]


def tip(name: str) -> str:
    """What the tooltip of a button that does this action says."""
    return actions()[name].tip


# ---- what rows do


def _speed(change: Callable[[float], float]) -> Do:
    return lambda session, viewport: session.post("set_speed", change(session.simulation.speed))


def _watches(session: Session) -> bool:
    return any(one.on for one in session.simulation.breakpoints)


def _neighbour(step: int) -> Do:
    def load(session: Session, viewport: Any) -> None:
        order = [name for _, _, name in sorted((s.category, s.title, name) for name, s in scenes.all_scenes().items())]
        at = order.index(session.frame.scene) if session.frame.scene in order else 0
        session.post("load", order[(at + step) % len(order)])
    return load


def _sound(session: Session, viewport: Any) -> None:
    sound = session.memory(Sound)
    sound.switch(session, not sound.wanted["on"])


def _next_theme(session: Session, viewport: Any) -> None:
    themes = next(f for f in fields(session.view) if f.name == "theme").metadata["choices"]
    session.view.theme = themes[(themes.index(session.view.theme) + 1) % len(themes)]


def _frame(session: Session, viewport: Any) -> None:
    standing.leave(session)
    session.frame_all()


def _stand(do: Callable[[Session, Any], None], what: Any) -> Do:
    return lambda session, viewport: do(session, what)


def _speak(code: str) -> Do:
    return lambda session, viewport: language.use(code)


def _flip(name: str) -> Do:
    return lambda session, viewport: setattr(session.view, name, not getattr(session.view, name))


def _shown(name: str) -> Callable[[Session], bool]:
    return lambda session: getattr(session.view, name)


def _remove(session: Session, viewport: Any) -> None:
    if session.selection.body > 0:
        viewport.let_go()
        choosing.give(session, "remove_body", session.selection.body, lambda i: (i,))


def _choose_all(session: Session, viewport: Any) -> None:
    choosing.choose_all(session, session.memory(hiding.Hidden).bodies)


def _hide(session: Session, viewport: Any) -> None:
    hiding.hide_chosen(session, session.selection.body)


def _duplicate(session: Session, viewport: Any) -> None:
    if session.selection.body > 0:
        duplicate(session, session.selection.body)


def _take(mode: str) -> Do:
    return lambda session, viewport: choose(session, mode)


def _in_hand(mode: str) -> Callable[[Session], bool]:
    return lambda session: session.memory(Tool).mode == mode


def _local(session: Session, viewport: Any) -> None:
    tool = session.memory(Tool)
    tool.local = not tool.local


def _report(session: Session, viewport: Any) -> None:
    from app.gui.output.bundle import save_soon  # which needs drawing and the command line

    save_soon(session)


def _deselect(session: Session, viewport: Any) -> None:
    viewport.let_go()
    session.selection = Selection()
