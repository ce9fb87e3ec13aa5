"""The table of all actions of the user, the source of keys, menus, help, tooltips, palette and docs/keys.md.

To add one, write a row into the function of its topic:

    Action("throw", "Throw a ball at the cursor", throw, "B", "Its speed is in the panel Physics."),

Three makers serve most rows: `post(Simulation.reset)` is a command of the simulation, `request(WindowRequests.quit)` is for the
window, and any function of (session, viewport) will do. Keys are written as they are spoken, with spaces between alternatives:
"Space P", "Ctrl+Shift+Z", ", Left", "Ctrl++", "Num1" (of the keypad). `on` makes it a toggle: it returns whether it is on now;
`possible` returns whether it would do anything now. Panels, scenes, solvers and options need no rows (palette_entries.py finds
them). A test finds keys that mean two things.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import scenes
from app.engine import commands
from app.engine.simulation import Simulation
from app.gui.controls.values import faster, slower
from app.gui.fields.quantity_picker import plot_this
from app.gui.output import recording_list, scene_documents
from app.gui.output.video_recorder import Shown
from app.gui.shell.first_minute import Instruments
from app.gui.shell.tour import Tour
from app.gui.text import fonts
from app.gui.viewport import camera_commands, hidden_bodies, multi_select, presentation
from app.gui.viewport.context_menu import duplicate
from app.gui.viewport.transform_tools import Tool, choose
from app.i18n import translate
from app.i18n.message import message
from app.render.view_options import ViewOptions, toggles
from app.requests import WindowRequests
from app.session import Selection, Session
from app.sound.sound import Sound
from physics import fields

TOPICS = ("Scene", "Edit", "Time", "View", "Camera", "Tools", "Help")

@dataclass
class ChangedKeys:
    """Whether the user knows that Ctrl+O, which once opened scenes, opens files."""

    informed: bool = False


Do = Callable[[Session, Any], None]
"""A function of the session and the viewport (app/gui/viewport/viewport.py)."""


@dataclass(frozen=True)
class Action:
    """An action. name: for code and tests, never changes; keys: its shortcuts; help: a sentence or two."""

    name: str
    label: str
    do: Do
    keys: str = ""
    help: str = ""
    on: Callable[[Session], bool] | None = None
    topic: str = ""
    possible: Callable[[Session], bool] | None = None
    many: str = ""      # the single line of the help for rows of one kind

    @property
    def shortcut(self) -> str:
        """Its keys as shown: "Space or P"."""
        return " or ".join(self.keys.split())

    def ready(self, session: Session) -> bool:
        """Whether it would do anything now; menus grey it out otherwise."""
        return self.possible is None or self.possible(session)

    @property
    def tip(self) -> str:
        """Text of its tooltip."""
        text = self.help or f"{self.label}."
        return f"{text} ({self.shortcut})" if self.keys else text


def post(command: Callable, *args: Any) -> Do:
    """Do a command of the simulation."""
    return lambda session, viewport: session.post(command, *args)


def request(method: Callable, *args: Any) -> Do:
    """Ask the window for something."""
    return lambda session, viewport: method(session.window, *args)


# ---- the rows, by topic


def scene_actions() -> Iterator[Action]:
    yield Action("new", "New scene", _documents(scene_documents.new), "Ctrl+N", "An empty floor, to build on.")
    yield Action("picker", "Open a scene", request(WindowRequests.toggle_panel, "picker"), "Alt+O",
                 "Browse all scenes by category, with pictures and search.")
    yield Action("open_file", "Open a scene file", _documents(_open_file), "Ctrl+O",
                 "Recent files and those of your folder. Files can also be dropped onto the window.")
    yield Action("save", "Save", _documents(scene_documents.save), "Ctrl+S",
                 "Save the world as it is now to its file: bodies, joints, solver, camera, plots, breakpoints.")
    yield Action("save_as", "Save as", _documents(scene_documents.ask_save), "Ctrl+Shift+S", "Save under another name.")
    yield Action("set_start", "Set as start", post(commands.set_start), help="A reset returns to the present state.")
    yield Action("export_python", "Export as Python", _documents(scene_documents.export_python),
                 help="Write a Python program that builds this scene, beside its file.")
    yield Action("copy_link", "Copy as link", _documents(scene_documents.copy_link), "Ctrl+Shift+C",
                 "Put a small scene as text on the clipboard, to be sent in a message.")
    yield Action("paste_link", "Open the link on the clipboard", request(WindowRequests.paste_link), "Ctrl+Shift+V")
    yield Action("reset", "Reset the scene", post(Simulation.reset), "R",
                 "Return to the start of the scene; your settings and what you built are kept.")
    yield Action("previous_scene", "Previous scene", _neighbour(-1), "[")
    yield Action("next_scene", "Next scene", _neighbour(1), "]")
    yield Action("own_materials", "Restore the scene's materials", post(commands.restore_materials),
                 help="Restore the friction and restitution of each body and joint.")
    yield Action("quit", "Quit", request(WindowRequests.quit), "Ctrl+Q")


def edit_actions() -> Iterator[Action]:
    yield Action("undo", "Undo", post(commands.undo), "Ctrl+Z",
                 "Undo the last edit; the simulation continues. Edits are listed in the Edits panel.",
                 possible=lambda session: bool(session.simulation.edits.done))
    yield Action("redo", "Redo", post(commands.redo), "Ctrl+Y Ctrl+Shift+Z", "Redo the last undone edit.",
                 possible=lambda session: bool(session.simulation.edits.undone))
    yield Action("select_all", "Select all dynamic bodies", _choose_all, "Ctrl+A",
                 "Ctrl+click adds or removes a body, Ctrl+drag adds the bodies in a rectangle.")
    yield Action("duplicate", "Duplicate selection", _duplicate, "Ctrl+D",
                 "Place copies beside it, at rest; joints between copied bodies and to static bodies are copied too.",
                 possible=lambda session: session.selection.body > 0)
    yield Action("remove", "Remove selection", _remove, "Del", "Remove bodies and their joints.",
                 possible=lambda session: session.selection.body > 0)
    for mode, key, label in (("move", "G", "Move selection"), ("turn", "T", "Rotate selection"),
                             ("size", "Z", "Resize selection")):
        yield Action(mode, label, _choose_tool(mode), key, "Drag the handles; Ctrl snaps. The simulation waits "
                                                    "meanwhile.", _is_chosen(mode))
    yield Action("local", "Handles along the body's axes", _local, "L", "Off: along the world axes.",
                 lambda session: session.state(Tool).local)
    yield Action("add", "Add a body at the cursor", lambda session, viewport: viewport.menu(), "Shift+A",
                 "Same as right-clicking the object under the cursor.")
    yield Action("deselect", "Deselect", _deselect, "Esc", "Clear the selection.")
    yield Action("throw", "Throw a ball at the cursor", lambda session, viewport: viewport.throw(), "B",
                 "Set its speed in the Physics panel.")


def time_actions() -> Iterator[Action]:
    yield Action("run", "Run or pause", post(Simulation.toggle_pause), "Space P", on=lambda session: not session.frame.paused)
    yield Action("step", "One step", post(Simulation.single_step), ". Right", "Advance one step and pause.")
    yield Action("step_back", "One step back", post(commands.step_back), ", Left", "Go back one step and pause.")
    yield Action("run_to_hit", "Run to the next breakpoint", post(commands.run_to_hit), "H",
                 possible=_watches)
    yield Action("run_back_to_hit", "Run back to the last breakpoint", post(commands.run_back_to_hit), "Ctrl+H",
                 "Go back to the step at which an enabled breakpoint was last hit, or to the oldest step.",
                 possible=_watches)
    yield Action("record_motion", "Record the motion, or stop and save",
                 lambda session, viewport: recording_list.toggle(session), "F7",
                 "Record from now on into a file that replays bit for bit. Not a video.",
                 on=lambda session: session.simulation.recorder.since >= 0)
    yield Action("replay", "Play the past", post(commands.replay), "F8",
                 "Replay the past in real time; no data is lost.",
                 on=lambda session: session.simulation.player.playing and not session.simulation.player.backwards)
    yield Action("play_back", "Play the past backwards", post(commands.play_back), "Shift+F8 Shift+,",
                 "Play the past in reverse at the set speed, back to its oldest step; no data is lost.",
                 on=lambda session: session.simulation.player.is_reversed)
    yield Action("loop", "Loop", lambda session, viewport: recording_list.loop(session), "F6",
                 "Repeat a section of the past between two handles on the timeline.",
                 on=lambda session: session.simulation.player.loop is not None)
    yield Action("save_past", "Save the past as a recording", lambda session, viewport: recording_list.save_history(session),
                 help="Save everything on the timeline to a file.")
    yield Action("open_recording", "Open a recording", request(WindowRequests.open_panel, "recordings"), "Ctrl+Shift+O",
                 "Recordings and problem reports can also be dropped onto the window.")
    yield Action("slower", "Slower", _speed(slower), "-", "Half the speed.")
    yield Action("faster", "Faster", _speed(faster), "=", "Twice the speed.")
    yield Action("keep", "Bookmark this state", post(commands.bookmark_state), "F5")
    yield Action("return", "Return to the bookmarked state", post(commands.return_to_state), "F9",
                 possible=lambda session: session.simulation.bookmarked is not None)


VIEW_KEYS = {"wireframe": "Alt+W", **{name: overlay.key for name, overlay in toggles().items()}}
"""Keys of the toggles of app/render/view_options.py, which have their own help."""


def view_actions() -> Iterator[Action]:
    yield Action("instruments", "All instruments", request(WindowRequests.switch_instruments),
                 help="All panels, or the simple window with law, parameters, measurement and plot.",
                 on=lambda session: not session.state(Instruments).simple)
    yield Action("hide", "Hide or show all panels", request(WindowRequests.hide_or_show_panels), "Tab")
    yield Action("keyboard", "Navigate panels by keyboard", request(WindowRequests.focus_panels), "Ctrl+Tab",
                 "Arrow keys move between controls, Space presses, Enter edits, Ctrl+Tab goes to the next panel, Esc returns to "
                 "the scene.")
    yield Action("layout", "Default layout", request(WindowRequests.reset_layout), help="Restore the default panel layout.")
    for field in fields(ViewOptions()):
        if isinstance(field.default, bool):
            yield Action(f"view_{field.name}", field.name.replace("_", " ").capitalize(), _flip(field.name),
                         VIEW_KEYS.get(field.name, ""), field.metadata["help"], _shown(field.name))
    yield Action("hide_bodies", "Hide selection", _hide, "Shift+H",
                 "Hidden bodies are not drawn and not selectable by mouse but still simulated. The Outliner has an eye icon for "
                 "each body.",
                 possible=lambda session: session.selection.body > 0)
    yield Action("show_bodies", "Show all hidden bodies", lambda session, viewport: hidden_bodies.show_all(session), "Alt+H",
                 possible=lambda session: bool(session.state(hidden_bodies.Hidden).bodies))
    yield Action("present", "Presentation mode", lambda session, viewport: presentation.toggle(session), "F11",
                 "For an audience: large text and arrows, no status bar, a mark while recording. Leaving it restores the window.",
                 lambda session: session.state(presentation.Presentation).on)
    yield Action("theme", "Next theme", _next_theme, help="Dark, light, high contrast.")
    for code, name in translate.LANGUAGES.items():
        yield Action(f"language_{code}", message("Language {name}", name=name), _set_language(code),
                     help=f"{translate.IN_LATIN[code]}." if fonts.can_show(code) else fonts.NO_CHINESE,
                     on=lambda session, code=code: translate.code() == code,
                     possible=lambda session, code=code: fonts.can_show(code))
    yield Action("larger", "Larger text", request(WindowRequests.zoom, 1), "Ctrl+= Ctrl++")
    yield Action("smaller", "Smaller text", request(WindowRequests.zoom, -1), "Ctrl+-")
    yield Action("own_size", "Default text size", request(WindowRequests.zoom, 0), "Ctrl+0 Ctrl+Num0")


def camera_actions() -> Iterator[Action]:
    yield Action("frame", "Frame the scene", _frame, "F Home", "Return to the scene's default view.")
    yield Action("follow", "Follow the selected body", lambda session, viewport: camera_commands.follow(session), "Shift+F",
                 "The camera follows the body; repeat to stop.", camera_commands.follows)
    yield Action("flat", "Orthographic view", lambda session, viewport: camera_commands.toggle_parallel(session), "Num5",
                 "Use orthographic projection: equal lengths look equal at any distance.",
                 lambda session: session.camera.flat)
    for (name, (way, _, _)), keys in zip(camera_commands.AXIS_VIEWS.items(),
                                         ("Num1", "Ctrl+Num1", "Num3", "Ctrl+Num3", "Num7", "Ctrl+Num7")):
        yield Action(f"view_from_{name}", message("From the {name}", name=name), _stand(camera_commands.turn, name), keys,
                     message("Look {way}.", way=way))
    for number in camera_commands.SAVED_VIEW_NUMBERS:
        yield Action(f"view_{number}",
                     message("Go to view {number}", number=number), _stand(camera_commands.load_view, number), f"{number}",
                     "A saved view of this scene.", possible=lambda session, n=number: camera_commands.has_view(session, n),
                     many="Go to a saved view")
    for number in camera_commands.SAVED_VIEW_NUMBERS:
        yield Action(f"keep_view_{number}",
                     message("Save this view as {number}", number=number), _stand(camera_commands.save_view, number),
                     f"Ctrl+{number}", "Kept for this scene while the window is open.", many="Save a view")


def tool_actions() -> Iterator[Action]:
    yield Action("palette", "All commands", request(WindowRequests.toggle_panel, "palette"), "Ctrl+P Ctrl+Shift+P",
                 "Search all commands and settings by typing.")
    yield Action("plot_quantity", "Plot a quantity", _plot_quantity, "Alt+Q",
                 "Search what can be plotted: type, choose by the arrow keys, Enter plots it, Esc closes.")
    yield Action("lock", "Lock for a class", request(WindowRequests.open_panel, "lock"),
                 help="Show only the lesson, its parameters, the plot and the time controls until a code is entered.")
    yield Action("sound", "Sound", _sound,
                 help="Play sounds of impacts, sliding and joints. See the Sound panel for the volume and sources.",
                 on=lambda session: session.state(Sound).wanted["on"])
    yield Action("screenshot", "Screenshot", request(WindowRequests.save_screenshot), "F12", "Save a PNG in the pictures folder.")
    yield Action("report", "Report a problem", _report,
                 help="Save a zip with scene, state, the last seconds, settings, versions, console and a picture, without your "
                      "name, to send to the developers. Drop it onto the window to replay it.")
    yield Action("picture", "Picture of the scene only", request(WindowRequests.save_scene_picture), "Shift+F12",
                 "Save a PNG without panels in the pictures folder.")
    yield Action("record", "Start or stop a video", request(WindowRequests.toggle_video), "Ctrl+F12",
                 "Saved in the pictures folder; see the Video panel for size, clock and format.",
                 lambda session: session.state(Shown).recording)
    yield Action("video", "Video settings", request(WindowRequests.toggle_panel, "video"))


def help_actions() -> Iterator[Action]:
    yield Action("tour", "Tour of the window", lambda session, viewport: session.state(Tour).go(0),
                 help="Six stops, each at the control that it is about.")
    yield Action("help", "Keys and mouse", request(WindowRequests.toggle_panel, "help"), "F1 ?")


ACTIONS_BY_MENU = {"Scene": scene_actions, "Edit": edit_actions, "Time": time_actions, "View": view_actions,
                   "Camera": camera_actions, "Tools": tool_actions, "Help": help_actions}


# ---- look-up


@cache
def actions() -> dict[str, Action]:
    """All actions by name, in the order of the topics."""
    return {action.name: replace(action, topic=topic) for topic in TOPICS for action in ACTIONS_BY_MENU[topic]()}


def of_topic(topic: str) -> list[Action]:
    return [action for action in actions().values() if action.topic == topic]


def tip(name: str) -> str:
    """Tooltip of a button for this action."""
    return actions()[name].tip


# ---- functions of the rows


def _speed(change: Callable[[float], float]) -> Do:
    return lambda session, viewport: session.post(Simulation.set_speed, change(session.simulation.speed))


def _watches(session: Session) -> bool:
    return any(one.on for one in session.simulation.breakpoints.items)


def _documents(do: Callable[[Session], None]) -> Do:
    return lambda session, viewport: do(session)


def _open_file(session: Session) -> None:
    if not session.state(ChangedKeys).informed:
        session.state(ChangedKeys).informed = True
        session.notify("Ctrl+O opens files; the gallery of scenes is at Alt+O")
    scene_documents.ask_open(session)


def _neighbour(step: int) -> Do:
    def load(session: Session, viewport: Any) -> None:
        order = [name for _, _, name in sorted((s.category, s.title, name) for name, s in scenes.all_scenes().items())]
        at = order.index(session.frame.scene) if session.frame.scene in order else 0
        session.post(Simulation.load, order[(at + step) % len(order)])
    return load


def _sound(session: Session, viewport: Any) -> None:
    sound = session.state(Sound)
    sound.switch(session, not sound.wanted["on"])


def _next_theme(session: Session, viewport: Any) -> None:
    themes = next(f for f in fields(session.view) if f.name == "theme").metadata["choices"]
    session.view.theme = themes[(themes.index(session.view.theme) + 1) % len(themes)]


def _frame(session: Session, viewport: Any) -> None:
    camera_commands.leave(session)
    session.frame_all()


def _stand(do: Callable[[Session, Any], None], what: Any) -> Do:
    return lambda session, viewport: do(session, what)


def _set_language(code: str) -> Do:
    return lambda session, viewport: translate.set_language(code)


def _flip(name: str) -> Do:
    return lambda session, viewport: setattr(session.view, name, not getattr(session.view, name))


def _shown(name: str) -> Callable[[Session], bool]:
    return lambda session: getattr(session.view, name)


def _remove(session: Session, viewport: Any) -> None:
    if session.selection.body > 0:
        viewport.let_go()
        multi_select.as_command(session, commands.remove_body, session.selection.body, lambda i: (i,))


def _choose_all(session: Session, viewport: Any) -> None:
    multi_select.choose_all(session, session.state(hidden_bodies.Hidden).bodies)


def _hide(session: Session, viewport: Any) -> None:
    hidden_bodies.hide_chosen(session, session.selection.body)


def _duplicate(session: Session, viewport: Any) -> None:
    if session.selection.body > 0:
        duplicate(session, session.selection.body)


def _choose_tool(mode: str) -> Do:
    return lambda session, viewport: choose(session, mode)


def _is_chosen(mode: str) -> Callable[[Session], bool]:
    return lambda session: session.state(Tool).mode == mode


def _local(session: Session, viewport: Any) -> None:
    tool = session.state(Tool)
    tool.local = not tool.local


def _plot_quantity(session: Session, viewport: Any) -> None:
    session.window.open_panel("plot")
    plot_this(session, "")


def _report(session: Session, viewport: Any) -> None:
    from app.gui.output.problem_report import save_soon  # late: it imports drawing and the command line

    save_soon(session)


def _deselect(session: Session, viewport: Any) -> None:
    viewport.let_go()
    session.selection = Selection()
