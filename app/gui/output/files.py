"""Folders of the user's pictures, tables and settings."""

import os
from pathlib import Path

import platformdirs

from app.files import atomic_write
from app.own_files.discover import data_folder

APP = "stiction"


def config() -> Path:
    """Folder of the user's settings, such as the window layout; overridden by STICTION_CONFIG_DIR."""
    if override := os.environ.get("STICTION_CONFIG_DIR"):
        return Path(override)
    return Path(platformdirs.user_config_dir(APP, appauthor=False))


def state() -> Path:
    """Folder of data that only the next start uses; overridden by STICTION_STATE_DIR."""
    if override := os.environ.get("STICTION_STATE_DIR"):
        return Path(override)
    return Path(platformdirs.user_state_dir(APP, appauthor=False))


def pictures() -> Path:
    return Path(platformdirs.user_pictures_dir()) / "Stiction"


def documents() -> Path:
    return Path(platformdirs.user_documents_dir()) / "Stiction"


def scene_picture(name: str) -> Path:
    """Path of the thumbnail of a scene, which may be missing."""
    return Path(__file__).resolve().parents[3] / "assets" / "scenes" / f"{name}.png"


def tidy() -> None:
    """Remove leftovers of killed processes in all of these folders."""
    for folder in (config(), state(), data_folder(), pictures(), documents(), documents() / "Recordings"):
        atomic_write.remove_leftovers(folder)
