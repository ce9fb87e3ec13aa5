"""What a person likes, kept between sessions in settings.toml: theme, text, size of the window, panels, the last scene.

What is damaged or unknown in the file is told in one sentence and taken as the default; a file that is no TOML is kept beside it.
"""

import dataclasses
import json
import logging
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app import language, regular_file
from app.gui.controls.values import THROWS
from app.gui.output.files import config
from app.gui.panels import BARS, OVER
from app.sound.sound import SWITCHES, Sound
from app.view import OVERLAYS, ViewOptions
from app.whole_files import write
from physics import BadInput, fields, option
from physics.check import said
from physics.options import checked

log = logging.getLogger(__name__)

NAME = "settings.toml"

LONGEST_NAME = 200
"""Letters of a scene's or a panel's name."""

MOST_SWITCHES = 500
"""Panels, toggles or sounds that are remembered."""

MOST_TOLD = 5
"""Things in a damaged file that are told of one by one."""
PERSONAL = tuple(f.name for f in fields(ViewOptions) if isinstance(f.default, bool) and f.name not in (*OVERLAYS, "wireframe"))
"""Toggles of the picture that a person chooses once, not anew in each scene."""
THEMES = next(f for f in fields(ViewOptions) if f.name == "theme").metadata["choices"]


@dataclass
class Settings:
    """The values, by their names in the file. view, panels, sound: switched on or not, by name."""

    theme: str = option("dark", choices=THEMES, help="Colours of the window and the scene.")
    text_size: float = option(1.0, lo=0.5, hi=4.0, help="Of text and controls; 1 is the screen's own.")
    language: str = option("en", choices=tuple(language.LANGUAGES), help="Of the window.")
    width: int = option(1600, unit="px", lo=200, hi=20000, help="Of the window.")
    height: int = option(1000, unit="px", lo=150, hi=20000, help="Of the window.")
    throw_speed: float = option(12.0, unit="m/s", lo=THROWS[0], hi=THROWS[1], help="Of a thrown ball.")
    volume: float = option(0.7, lo=0.0, hi=1.0, help="Of the sound.")
    scene: str = ""
    view: dict[str, bool] = field(default_factory=dict)
    panels: dict[str, bool] = field(default_factory=dict)
    sound: dict[str, bool] = field(default_factory=dict)


SWITCHABLE = {"view": PERSONAL, "panels": None, "sound": SWITCHES}
"""The names that each of these tables may have; None: any."""


def place() -> Path:
    return config() / NAME


def load(path: Path) -> tuple[Settings, str]:
    """(settings, "" or one sentence about what could not be taken)."""
    if not os.path.lexists(path):
        return Settings(), ""
    try:
        text = regular_file.read(path)
    except BadInput as error:
        return Settings(), f"the settings could not be read ({error}): the defaults are used"
    try:
        return parsed(text, str(path))
    except BadInput as error:
        aside = path.with_suffix(".damaged")
        try:
            write(aside, text)
        except OSError:
            aside = path
        return Settings(), f"{error}: the defaults are used; the old file is {aside}"


def parsed(text: bytes, path: str) -> tuple[Settings, str]:
    """The same of a file's text; path: for the sentence.

    Raises:
        BadInput: it is no TOML.
    """
    settings = Settings()
    try:
        found = tomllib.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"the settings {path} are damaged ({error})") from None
    wrong = [reason for name, value in found.items() if (reason := _take(settings, name, value))]
    if len(wrong) > MOST_TOLD:
        wrong = [*wrong[:MOST_TOLD], f"{len(wrong) - MOST_TOLD} more of that kind"]
    return settings, f"in the settings {path}: {'; '.join(wrong)}; defaults are used for these" if wrong else ""


def _take(settings: Settings, name: str, value: Any) -> str:
    """Set one entry; "" or why not."""
    described = {f.name: f for f in fields(Settings)}
    if name in described:
        m = described[name].metadata
        try:
            setattr(settings, name, checked(name, value, described[name].default, unit=m["unit"], lo=m["lo"], hi=m["hi"],
                                            choices=m["choices"]))
        except BadInput as error:
            return str(error)
    elif name == "scene" and isinstance(value, str) and len(value) <= LONGEST_NAME:
        settings.scene = value
    elif name in SWITCHABLE and isinstance(value, dict):
        good = {key: on for key, on in value.items() if isinstance(on, bool) and len(key) <= LONGEST_NAME}
        getattr(settings, name).update(list(good.items())[:MOST_SWITCHES])
        known = SWITCHABLE[name]
        odd = [key for key in value if key not in good or (known is not None and key not in known)]
        return f"[{name}] has {said(', '.join(odd))}, which is unknown or neither true nor false" if odd else ""
    else:
        return f"{said(name)} is unknown, or of the wrong kind"
    return ""


def as_toml(settings: Settings) -> str:
    """The file's text. JSON's strings, numbers and booleans are TOML's, too."""
    lines, tables = [], []
    for name, value in dataclasses.asdict(settings).items():
        if isinstance(value, dict):
            tables += ["", f"[{name}]", *(f"{json.dumps(key)} = {json.dumps(on)}" for key, on in sorted(value.items()))]
        else:
            lines.append(f"{name} = {json.dumps(value)}")
    return "\n".join(["# What Stiction remembers of you; delete it to start afresh.", *lines, *tables, ""])


class Keeper:
    """Applies settings to a window and writes what has changed since. path None: nothing is written."""

    def __init__(self, settings: Settings, path: Path | None, trouble: str = "") -> None:
        self.settings, self.path, self.trouble = settings, path, trouble
        self._written = as_toml(settings)

    def apply(self, window: Any) -> None:
        """Once the window has its session."""
        session, gui, settings = window.session, window.gui, self.settings
        gui.zoom_to(settings.text_size)
        session.throw_speed = settings.throw_speed
        for name in PERSONAL:
            setattr(session.view, name, settings.view.get(name, getattr(session.view, name)))
        for name, panel in gui.panels.all.items():
            if panel.place not in (*BARS, *OVER):
                panel.open = settings.panels.get(name, panel.open)
        session.memory(Sound).recall(session, settings.volume, settings.sound)
        if self.trouble:
            session.say(self.trouble)

    def keep(self, window: Any) -> None:
        """Write what the person has now, if it is not what was written last."""
        session, gui = window.session, window.gui
        if self.path is None or session is None or gui is None:
            return
        (width, height), sound = window.get_size(), session.memory(Sound)
        panels = {name: panel.open for name, panel in gui.panels.all.items() if panel.place not in (*BARS, *OVER)}
        self.settings = Settings(
            theme=session.view.theme, text_size=round(gui.scale / window.gui_scale, 3),
            language=language.code(), width=max(200, width),
            height=max(150, height), throw_speed=session.throw_speed, volume=round(sound.volume, 3), scene=session.frame.scene,
            sound=sound.switches(), view={name: getattr(session.view, name) for name in PERSONAL}, panels=panels)
        text = as_toml(self.settings)
        if text == self._written:
            return
        try:
            write(self.path, text.encode())
            self._written = text
        except OSError as error:
            log.warning("the settings could not be kept in %s (%s): they last until the window is closed", self.path, error)
            self.path = None
