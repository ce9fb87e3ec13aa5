"""The user's settings, kept between sessions in settings.toml: theme, text, window size, panels, the last scene.

Damaged or unknown entries are reported in one sentence and replaced by defaults; a file that is no TOML is kept beside it.
"""

import dataclasses
import json
import logging
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.files import safe_read
from app.files.atomic_write import write
from app.files.folders import config
from app.gui.commands.actions import ChangedKeys
from app.gui.controls.values import THROWS
from app.gui.shell.first_minute import HINTS, Hints, Instruments
from app.gui.viewport.presentation import Presentation
from app.i18n import translate
from app.i18n.message import joined, message
from app.render.view_options import OVERLAYS, ViewOptions
from app.sound.sound import SOUND_SWITCHES, Sound
from physics import BadInput, fields, option
from physics.core.check import shown_value
from physics.core.options import checked

log = logging.getLogger(__name__)

FILE_NAME = "settings.toml"

LONGEST_NAME = 200
"""Longest name of a scene or a panel, in letters."""

LONGEST_PATH = 4096
"""Longest path of a scene file, in letters."""

MAX_SWITCHES = 500
"""Limit of stored panels, toggles or sounds."""

MAX_REPORTED_ERRORS = 5
"""Limit of errors of a damaged file that are reported one by one."""
PERSONAL_TOGGLES = tuple(f.name for f in fields(ViewOptions) if isinstance(f.default, bool)
                         and f.name not in (*OVERLAYS, "wireframe"))
"""Toggles of the view that the user sets once, not per scene."""
FORMER_SWITCHES = {"echoes": "solver_ghosts"}
"""Former names of toggles, and their present ones."""
THEME_NAMES = next(f for f in fields(ViewOptions) if f.name == "theme").metadata["choices"]


@dataclass
class Settings:
    """The settings, by their names in the file; the defaults are those of files that do not name them. view, panels,
    simple_panels (of the simple window), hints (to be shown), sound: switches by name."""

    theme: str = option("dark", choices=THEME_NAMES, help="Colours of the window and the scene.")
    text_size: float = option(1.0, lo=0.5, hi=4.0, help="Scale of text and controls; 1 is the screen's default.")
    language: str = option("en", choices=tuple(translate.LANGUAGES), help="Language of the window.")
    width: int = option(1600, unit="px", lo=200, hi=20000, help="Width of the window.")
    height: int = option(1000, unit="px", lo=150, hi=20000, help="Height of the window.")
    throw_speed: float = option(12.0, unit="m/s", lo=THROWS[0], hi=THROWS[1], help="Speed of a thrown ball.")
    keys_told: bool = option(False, help="The user was told which keys have changed.")
    volume: float = option(0.7, lo=0.0, hi=1.0, help="Volume of the sound.")
    simple: bool = option(False, help="The simple window instead of all instruments.")
    numbers: bool = option(False, help="The solver's numbers in the status bar.")
    scene: str = ""
    view: dict[str, bool] = field(default_factory=dict)
    panels: dict[str, bool] = field(default_factory=dict)
    simple_panels: dict[str, bool] = field(default_factory=dict)
    hints: dict[str, bool] = field(default_factory=dict)
    sound: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def first(cls) -> "Settings":
        """The settings of the first start."""
        return cls(simple=True, hints=dict.fromkeys(HINTS, True))


SWITCH_TABLES = {"view": PERSONAL_TOGGLES, "panels": None, "simple_panels": None, "hints": tuple(HINTS), "sound": SOUND_SWITCHES}
"""Names allowed in each table; None: any."""


def place() -> Path:
    return config() / FILE_NAME


def load(path: Path) -> tuple[Settings, str]:
    """(settings, "" or one sentence about what was refused)."""
    if path.parent.exists() and not path.parent.is_dir():
        return Settings.first(), message("{folder} is a file, where the folder of the settings should be: they are not kept; "
                                         "rename that file, or set STICTION_CONFIG_DIR", folder=path.parent)
    if not os.path.lexists(path):
        return Settings.first(), ""
    try:
        text = safe_read.read(path)
    except BadInput as error:
        return Settings.first(), message("could not read the settings ({error}): the defaults are used", error=error)
    try:
        return parsed(text, str(path))
    except BadInput as error:
        aside = path.with_suffix(".damaged")
        try:
            write(aside, text)
        except OSError:
            aside = path
        return Settings.first(), message("{error}: the defaults are used; the old file is kept as {aside}", error=error,
                                         aside=aside)


def parsed(text: bytes, path: str) -> tuple[Settings, str]:
    """Parse the text of a settings file, with the results of `load`; path: for the sentence.

    Raises:
        BadInput: it is no TOML.
    """
    settings = Settings()
    try:
        found = safe_read.parsed_toml(text, path)
    except BadInput as error:
        raise BadInput(message("the settings {error}", error=error)) from None
    wrong = [reason for name, value in found.items() if (reason := _set_entry(settings, name, value))]
    if len(wrong) > MAX_REPORTED_ERRORS:
        wrong = [*wrong[:MAX_REPORTED_ERRORS], message("{wrong} more of this kind", wrong=len(wrong) - MAX_REPORTED_ERRORS)]
    return settings, message("settings {path}: {wrong}; defaults are used for these", path=path,
                             wrong=joined("; ", wrong)) if wrong else ""


def _set_entry(settings: Settings, name: str, value: Any) -> str:
    """Set one entry; returns "" or why it was refused."""
    described = {f.name: f for f in fields(Settings)}
    if name in described:
        m = described[name].metadata
        try:
            setattr(settings, name, checked(name, value, described[name].default, unit=m["unit"], lo=m["lo"], hi=m["hi"],
                                            choices=m["choices"]))
        except BadInput as error:
            setattr(settings, name, getattr(Settings.first(), name))
            return str(error)
    elif name == "scene" and isinstance(value, str) and len(value) <= (LONGEST_PATH if value.endswith(".toml") else LONGEST_NAME):
        settings.scene = value
    elif name in SWITCH_TABLES and isinstance(value, dict):
        value = {FORMER_SWITCHES.get(key, key): on for key, on in value.items()}
        good = {key: on for key, on in value.items() if isinstance(on, bool) and len(key) <= LONGEST_NAME}
        getattr(settings, name).update(list(good.items())[:MAX_SWITCHES])
        known = SWITCH_TABLES[name]
        odd = [key for key in value if key not in good or (known is not None and key not in known)]
        return message("[{name}] has {odd}, which is unknown or not true or false", name=name,
                       odd=shown_value(", ".join(odd))) if odd else ""
    else:
        return message("{name} is unknown or has the wrong type", name=shown_value(name))
    return ""


def as_toml(settings: Settings) -> str:
    """The file's text. Strings, numbers and booleans of JSON are valid TOML."""
    lines, tables = [], []
    for name, value in dataclasses.asdict(settings).items():
        if isinstance(value, dict):
            tables += ["", f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(on)}" for key, on in sorted(value.items()))]
        else:
            lines.append(f"{name} = {json.dumps(value)}")
    return "\n".join(["# Settings of Stiction; delete this file to restore the defaults.", *lines, *tables, ""])


class SettingsStore:
    """Applies settings to a window and saves changes. path None: nothing is written."""

    def __init__(self, settings: Settings, path: Path | None, trouble: str = "") -> None:
        self.settings, self.path, self.trouble = settings, path, trouble
        self._written = as_toml(settings)

    def apply(self, window: Any) -> None:
        """Apply the settings, once the window has its session."""
        session, gui, settings = window.session, window.gui, self.settings
        gui.zoom_to(settings.text_size)
        session.throw_speed = settings.throw_speed
        for name in PERSONAL_TOGGLES:
            setattr(session.view, name, settings.view.get(name, getattr(session.view, name)))
        shown, put_away = settings.panels, settings.simple_panels
        shown, put_away = (put_away, shown) if settings.simple else (shown, put_away)
        instruments = session.state(Instruments)
        instruments.simple, instruments.numbers, instruments.put_away = settings.simple, settings.numbers, put_away
        gui.panels.open_docked(session, shown)
        session.state(Hints).waiting = [name for name in HINTS if settings.hints.get(name)]
        session.state(ChangedKeys).informed = settings.keys_told
        session.state(Sound).recall(session, settings.volume, settings.sound)
        if self.trouble:
            session.notify(self.trouble)

    def save(self, window: Any) -> None:
        """Write the present settings if they have changed since the last write."""
        session, gui = window.session, window.gui
        if self.path is None or session is None or gui is None:
            return
        (width, height), sound = window.get_size(), session.state(Sound)
        instruments, waiting = session.state(Instruments), session.state(Hints).waiting
        presented = session.state(Presentation).from_instruments
        panels, simple_panels = gui.panels.opened(), instruments.put_away
        panels, simple_panels = (simple_panels, panels) if instruments.simple else (panels, simple_panels)
        self.settings = Settings(
            theme=session.view.theme, text_size=round(gui.scale / window.gui_scale, 3),
            language=translate.code(), width=max(200, width),
            height=max(150, height), throw_speed=session.throw_speed, keys_told=session.state(ChangedKeys).informed,
            volume=round(sound.volume, 3),
            scene=session.simulation.document.path or session.frame.scene,
            sound=sound.switches(), view={name: getattr(session.view, name) for name in PERSONAL_TOGGLES}, panels=panels,
            simple=instruments.simple and not presented, numbers=instruments.numbers, simple_panels=simple_panels,
            hints={name: name in waiting for name in HINTS})
        text = as_toml(self.settings)
        if text == self._written:
            return
        try:
            write(self.path, text.encode())
            self._written = text
        except OSError as error:
            log.warning(message("could not save the settings in {path} ({error}): they are lost when the window closes",
                                path=self.path, error=error))
            self.path = None
