"""Where a person's pictures, tables and settings go."""

import os
from pathlib import Path

import platformdirs

from app import whole_files
from app.own_files import data_folder

APP = "stiction"


def config() -> Path:
    """Settings of this person, such as the layout of the window; STICTION_CONFIG_DIR names another folder."""
    if override := os.environ.get("STICTION_CONFIG_DIR"):
        return Path(override)
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def state() -> Path:
    """What is of use to the next start alone; STICTION_STATE_DIR names another folder."""
    if override := os.environ.get("STICTION_STATE_DIR"):
        return Path(override)
    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def pictures() -> Path:
    return Path(platformdirs.user_pictures_dir()) / "Stiction"


def documents() -> Path:
    return Path(platformdirs.user_documents_dir()) / "Stiction"


def scene_picture(name: str) -> Path:
    """The small picture of a scene; it may be missing."""
    return Path(__file__).resolve().parents[3] / "assets" / "scenes" / f"{name}.png"


def tidy() -> None:
    """Remove what killed processes left in all of these folders."""
    for folder in (config(), state(), data_folder(), pictures(), documents(), documents() / "Recordings"):
        whole_files.sweep(folder)
